//! A BLAKE3 hash, and hexadecimal as the text form of bytes: lower case only, so that one value has one spelling.

use std::fmt;
use std::str::FromStr;

/// A hash of 32 bytes: of a block, or of a state that the journal knows nothing about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; Self::LENGTH]);

/// Text that is no hash, key or signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not the right number of lower-case hexadecimal digits")]
pub struct BadHex;

impl Hash {
    /// How many bytes it has.
    pub const LENGTH: usize = 32;

    /// What stands before the first block of a chain.
    pub const NONE: Self = Self([0; Self::LENGTH]);

    /// The hash of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// A hash that was written down.
    pub const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl FromStr for Hash {
    type Err = BadHex;

    fn from_str(text: &str) -> Result<Self, BadHex> {
        read_hex(text).map(Self)
    }
}

pub(crate) fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

pub(crate) fn read_hex<const N: usize>(text: &str) -> Result<[u8; N], BadHex> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return Err(BadHex);
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Ok(bytes)
}

fn digit(character: u8) -> Result<u8, BadHex> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        _ => Err(BadHex),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_one_spelling() {
        let hash = Hash::of(b"dice");
        let text = hash.to_string();
        assert_eq!(text.parse(), Ok(hash));
        for bad in
            [text.to_uppercase(), format!("{text}0"), text[..63].into(), format!("+{}", &text[1..]), String::new()]
        {
            assert_eq!(bad.parse::<Hash>(), Err(BadHex), "{bad}");
        }
    }
}

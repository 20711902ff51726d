//! A BLAKE3 hash, and hexadecimal as the text form of bytes: lower case only, so that one value has one spelling.

use std::fmt;
use std::str::FromStr;

use data_encoding::{Encoding, HEXLOWER};

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
        fmt::Display::fmt(&hex(&self.0), f)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&hex(&self.0), f)
    }
}

impl FromStr for Hash {
    type Err = BadHex;

    fn from_str(text: &str) -> Result<Self, BadHex> {
        read_hex(text).map(Self)
    }
}

/// Bytes as hexadecimal digits, to be written.
pub(crate) fn hex(bytes: &[u8]) -> impl fmt::Display {
    static HEX: Encoding = HEXLOWER;
    HEX.encode_display(bytes)
}

pub(crate) fn read_hex<const N: usize>(text: &str) -> Result<[u8; N], BadHex> {
    let mut bytes = [0; N];
    if text.len() != N * 2 || HEXLOWER.decode_mut(text.as_bytes(), &mut bytes).is_err() {
        return Err(BadHex);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_has_one_text_form() {
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

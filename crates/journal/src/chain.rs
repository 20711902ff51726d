//! The name of a chain: short and plain, so that it can stand in a file, a line of text or a message as it is.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of a chain.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainName(Arc<str>);

/// Text that names no chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a chain's name has 1 to {} lower-case letters, digits, dashes, dots or slashes, a letter or digit first",
    ChainName::LONGEST
)]
pub struct BadChainName;

impl ChainName {
    /// The most bytes a name has.
    pub const LONGEST: usize = 48;

    /// The name in bytes read from somewhere.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadChainName> {
        str::from_utf8(bytes).map_err(|_| BadChainName)?.parse()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChainName {
    type Err = BadChainName;

    fn from_str(name: &str) -> Result<Self, BadChainName> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let first = name.bytes().next().is_some_and(plain);
        let rest = name.bytes().all(|byte| plain(byte) || matches!(byte, b'-' | b'.' | b'/'));
        if first && rest && name.len() <= Self::LONGEST { Ok(Self(name.into())) } else { Err(BadChainName) }
    }
}

impl fmt::Display for ChainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ChainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_short() {
        let longest = "a".repeat(48);
        for good in ["house", "table/1/round", "0", "t-1.cluster", &longest] {
            assert_eq!(good.parse::<ChainName>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "/a", "A", "a b", "a\n", "a'", "a\0", "é", "a_b", &"a".repeat(49)] {
            assert_eq!(bad.parse::<ChainName>(), Err(BadChainName), "{bad:?}");
        }
        assert_eq!(ChainName::from_bytes(&[0xff]), Err(BadChainName));
    }
}

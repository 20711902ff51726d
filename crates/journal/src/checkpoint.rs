//! A checkpoint: a signed statement that a chain has a block with this hash at this position, and a state with this
//! hash after it. It is in the chain, and a line of the anchor.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature, VerifyingKey};

use crate::chain::ChainName;
use crate::hash::{BadHex, Hash, hex, read_hex};
use crate::key::SigningKey;

/// The key that a checkpoint's signature is checked with. As text it is `ed25519:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; Self::LENGTH]);

/// What a checkpoint states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointContent {
    /// The chain.
    pub chain: ChainName,
    /// The id of the installation: chains of two installations have the same names.
    pub house: [u8; 16],
    /// The position of a block of it.
    pub position: u64,
    /// The hash of that block.
    pub hash: Hash,
    /// The hash of the state after that block.
    pub state: Hash,
    /// When, in milliseconds since 1970. The caller gives the time.
    pub time: u64,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// What it states.
    pub content: CheckpointContent,
    /// Who signed it.
    pub key: PublicKey,
    /// The signature.
    pub signature: [u8; Self::SIGNATURE],
}

impl PublicKey {
    /// How many bytes it has.
    pub const LENGTH: usize = 32;

    /// A key that was written down. Whether it is one shows where a signature is checked with it.
    pub const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ed25519:{}", hex(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = BadHex;

    fn from_str(text: &str) -> Result<Self, BadHex> {
        read_hex(text.strip_prefix("ed25519:").ok_or(BadHex)?).map(Self)
    }
}

impl CheckpointContent {
    /// The bytes that are signed. Their first words keep the signature from being valid for anything else.
    fn signed_bytes(&self) -> Vec<u8> {
        let name = self.chain.as_str().as_bytes();
        let mut bytes = Vec::with_capacity(176);
        bytes.extend_from_slice(b"taisai checkpoint 1\0");
        bytes.push(name.len().try_into().expect("a chain's name is short"));
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(&self.house);
        bytes.extend_from_slice(&self.position.to_le_bytes());
        bytes.extend_from_slice(self.hash.as_bytes());
        bytes.extend_from_slice(self.state.as_bytes());
        bytes.extend_from_slice(&self.time.to_le_bytes());
        bytes
    }
}

impl Checkpoint {
    /// How many bytes a signature has.
    pub const SIGNATURE: usize = 64;

    const BODY: usize = 16 + 8 + 32 + 32 + 8 + 32 + 64;

    /// Signs.
    pub fn sign(content: CheckpointContent, key: &SigningKey) -> Self {
        let signature = key.sign(&content.signed_bytes());
        Self { content, key: key.public(), signature }
    }

    /// Whether the signature was made with the key in the checkpoint.
    pub fn is_signed(&self) -> bool {
        let signature = Signature::from_bytes(&self.signature);
        // The strict check refuses keys and signatures that have a second spelling.
        VerifyingKey::from_bytes(&self.key.0)
            .is_ok_and(|key| key.verify_strict(&self.content.signed_bytes(), &signature).is_ok())
    }

    pub(crate) fn to_body(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(Self::BODY);
        body.extend_from_slice(&self.content.house);
        body.extend_from_slice(&self.content.position.to_le_bytes());
        body.extend_from_slice(self.content.hash.as_bytes());
        body.extend_from_slice(self.content.state.as_bytes());
        body.extend_from_slice(&self.content.time.to_le_bytes());
        body.extend_from_slice(&self.key.0);
        body.extend_from_slice(&self.signature);
        body
    }

    pub(crate) fn from_body(chain: &ChainName, body: &[u8]) -> Option<Self> {
        let body: &[u8; Self::BODY] = body.try_into().ok()?;
        let (house, rest) = body.split_first_chunk()?;
        let (position, rest) = rest.split_first_chunk()?;
        let (hash, rest) = rest.split_first_chunk()?;
        let (state, rest) = rest.split_first_chunk()?;
        let (time, rest) = rest.split_first_chunk()?;
        let (key, rest) = rest.split_first_chunk()?;
        let content = CheckpointContent {
            chain: chain.clone(),
            house: *house,
            position: u64::from_le_bytes(*position),
            hash: Hash::from_bytes(*hash),
            state: Hash::from_bytes(*state),
            time: u64::from_le_bytes(*time),
        };
        Some(Self { content, key: PublicKey(*key), signature: rest.try_into().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let content = CheckpointContent {
            chain: "table/1".parse().unwrap(),
            house: [3; 16],
            position: 7,
            hash: Hash::of(b"block"),
            state: Hash::of(b"state"),
            time: 1_800_000_000_000,
        };
        Checkpoint::sign(content, &SigningKey::from_secret([7; 32]))
    }

    #[test]
    fn every_part_of_a_checkpoint_is_signed() {
        let signed = checkpoint();
        assert!(signed.is_signed());
        let body = signed.to_body();
        assert_eq!(Checkpoint::from_body(&signed.content.chain, &body), Some(signed.clone()));
        for at in 0..body.len() {
            let mut changed = body.clone();
            changed[at] ^= 1;
            let changed = Checkpoint::from_body(&signed.content.chain, &changed).unwrap();
            assert!(!changed.is_signed(), "byte {at}");
        }
        assert!(!Checkpoint::from_body(&"table/2".parse().unwrap(), &body).unwrap().is_signed());
        assert_eq!(Checkpoint::from_body(&signed.content.chain, &body[1..]), None);
    }

    #[test]
    fn public_key_round_trips_as_text() {
        let key = checkpoint().key;
        assert_eq!(key.to_string().parse(), Ok(key));
        for bad in ["", "ed25519:", "ed25519:00", &key.to_string()[8..]] {
            assert_eq!(bad.parse::<PublicKey>(), Err(BadHex));
        }
    }
}

//! Which store, and which keys: what the command says, or what lies in the data folder.

use std::path::Path;

use anyhow::{Context as _, bail};
use taisai_journal::{Anchor, AnchorContent, Archive, PublicKey, SigningKey};
use taisai_record::{Address, StoreError};

use crate::args::StoreArgs;

/// A store to be read.
pub(crate) struct Store {
    pub(crate) address: Address,
    /// The keys whose checkpoints are believed; if there are none, any key is.
    pub(crate) keys: Vec<PublicKey>,
    /// Whether the key was found in the store's own folder.
    pub(crate) is_own_key: bool,
}

/// The anchor to compare with.
pub(crate) struct Lines {
    pub(crate) content: AnchorContent,
    /// Whether it was found in the store's own folder.
    pub(crate) is_own: bool,
}

impl Store {
    pub(crate) fn open(args: &StoreArgs) -> anyhow::Result<Self> {
        Self::at(args.address.clone(), &args.key)
    }

    /// The store at an address, read with these keys, or with the one in its folder.
    pub(crate) fn at(address: Address, given: &[String]) -> anyhow::Result<Self> {
        let mut keys = keys(given)?;
        let mut is_own_key = false;
        if keys.is_empty()
            && let Some(files) = address.files()
            && files.key.exists()
        {
            let own = SigningKey::open(&files.key);
            keys.push(
                own.context("the key in the store's folder is of no use: name the public one with --key")?.public(),
            );
            is_own_key = true;
        }
        Ok(Self { address, keys, is_own_key })
    }

    pub(crate) fn archive(&self) -> Result<Box<dyn Archive>, StoreError> {
        self.address.archive()
    }

    /// The anchor of a file, or the one in the store's folder if there is one.
    pub(crate) fn anchor(&self, given: Option<&Path>) -> anyhow::Result<Option<Lines>> {
        if let Some(path) = given {
            return Ok(Some(Lines { content: Anchor::read(path)?, is_own: false }));
        }
        let own = self.address.files().and_then(|files| files.anchor).filter(|path| path.exists());
        own.map(|path| Ok(Lines { content: Anchor::read(&path)?, is_own: true })).transpose()
    }
}

/// Public keys as text, or in files that hold them or a signing key.
pub(crate) fn keys(given: &[String]) -> anyhow::Result<Vec<PublicKey>> {
    given.iter().map(|text| key(text)).collect()
}

fn key(text: &str) -> anyhow::Result<PublicKey> {
    if text.starts_with("ed25519:") {
        return text.parse().with_context(|| format!("{text} is no public key"));
    }
    let path = Path::new(text);
    let content = std::fs::read(path).with_context(|| format!("{text} is neither ed25519:… nor a file"))?;
    match std::str::from_utf8(&content).map(str::trim) {
        Ok(line) if line.starts_with("ed25519:") => line.parse().with_context(|| format!("{text} holds no public key")),
        Ok(_) => Ok(SigningKey::open(path)?.public()),
        Err(_) => bail!("{text} holds no key"),
    }
}

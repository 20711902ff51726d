//! Opens the store and the trusted keys that the arguments name, or the key in the data folder.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use taisai_journal::{Archive, ChainHead, PublicKey, SigningKey};
use taisai_record::{Address, StoreError, machine_of};
use taisai_table::{MachineId, TableId};

use crate::args::StoreArgs;

pub(crate) struct Store {
    pub(crate) address: Address,
    /// Trusted keys. If there are none, every key is trusted.
    pub(crate) keys: Vec<PublicKey>,
    /// Whether the key is the one in the store's own folder.
    pub(crate) is_own_key: bool,
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
                own.context("the key in the data folder cannot be used: name the public key with --key")?.public(),
            );
            is_own_key = true;
        }
        Ok(Self { address, keys, is_own_key })
    }

    pub(crate) fn archive(&self) -> Result<Box<dyn Archive>, StoreError> {
        self.address.archive()
    }

    /// The anchor that is named, or the one in the store's folder if there is one; and whether it is that.
    pub(crate) fn anchor(&self, given: Option<&Path>) -> (Option<PathBuf>, bool) {
        match given {
            Some(path) => (Some(path.into()), false),
            None => (self.address.files().and_then(|files| files.anchor).filter(|path| path.exists()), true),
        }
    }
}

/// The table that is named, or the only one that a store has.
pub(crate) fn table(given: Option<u16>, heads: &[ChainHead]) -> anyhow::Result<TableId> {
    if let Some(table) = given {
        return Ok(TableId(table));
    }
    let tables = heads.iter().filter_map(|head| match machine_of(&head.chain)? {
        MachineId::Round(table) => Some(table),
        MachineId::House | MachineId::Cluster(_) => None,
    });
    match tables.collect::<Vec<_>>()[..] {
        [table] => Ok(table),
        [] => bail!("the store has no table: is this the right folder?"),
        ref tables => {
            let tables: Vec<_> = tables.iter().map(|table| table.0.to_string()).collect();
            bail!("name one with --table: the store has the tables {}", tables.join(", "))
        }
    }
}

/// Public keys as text, or in files that hold them or a signing key.
pub(crate) fn keys(given: &[String]) -> anyhow::Result<Vec<PublicKey>> {
    given.iter().map(|text| key(text)).collect()
}

fn key(text: &str) -> anyhow::Result<PublicKey> {
    if text.starts_with("ed25519:") {
        return text
            .parse()
            .with_context(|| format!("{text} is not a public key: it is ed25519: and 64 hexadecimal digits"));
    }
    let path = Path::new(text);
    if path.is_dir() {
        bail!("{text} is a folder: name the file in it that holds the key, or the public key, ed25519:…");
    }
    let content = std::fs::read(path).with_context(|| format!("{text} is neither ed25519:… nor a file"))?;
    match std::str::from_utf8(&content).map(str::trim) {
        Ok(line) if line.starts_with("ed25519:") => line.parse().with_context(|| format!("{text} has no public key")),
        Ok(_) => Ok(SigningKey::open(path)?.public()),
        Err(_) => bail!("{text} has no key"),
    }
}

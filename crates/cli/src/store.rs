//! Opens the store and the trusted keys that the arguments name, or the key in the data folder.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use taisai_journal::{Archive, ChainHead, KeyFileContent, Keys, PublicKey};
use taisai_record::{Address, StoreError, machine_of};
use taisai_table::{MachineId, TableId};

use crate::args::StoreArgs;

pub(crate) struct Store {
    pub(crate) address: Address,
    /// Trusted keys. If there are none, every key is trusted.
    pub(crate) keys: Vec<PublicKey>,
    /// Whether the keys are those of the key file in the store's own folder.
    pub(crate) is_own_key: bool,
    /// The key file, if one is named or lies in the store's own folder.
    pub(crate) secret: Option<Keys>,
}

impl Store {
    pub(crate) fn open(args: &StoreArgs) -> anyhow::Result<Self> {
        Self::at(args.address.clone(), &args.key)
    }

    /// The store at an address, read with these keys, or with those in its folder.
    pub(crate) fn at(address: Address, given: &[String]) -> anyhow::Result<Self> {
        let mut given = given.iter().map(|text| TrustedFile::read(text)).collect::<anyhow::Result<Vec<_>>>()?;
        let mut is_own_key = false;
        if given.is_empty()
            && let Some(files) = address.files()
            && let Some(own) = KeyFileContent::read(&files.key_file)
                .context("the key file in the data folder cannot be used: name the public key with --key")?
        {
            given.push(TrustedFile::from(own));
            is_own_key = true;
        }
        let keys = given.iter().flat_map(|file| &file.public).copied().collect();
        let secret = given.into_iter().find_map(|file| file.secret);
        Ok(Self { address, keys, is_own_key, secret })
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

/// How a public key begins.
const PUBLIC_KEY: &str = "ed25519:";

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

/// Public keys as text, or in files that hold them or an installation's keys.
pub(crate) fn keys(given: &[String]) -> anyhow::Result<Vec<PublicKey>> {
    let files = given.iter().map(|text| TrustedFile::read(text)).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(files.into_iter().flat_map(|file| file.public).collect())
}

/// The public keys of a key file, the present one last.
pub(crate) fn public_keys(path: &Path) -> anyhow::Result<Vec<PublicKey>> {
    Ok(KeyFileContent::read(path)?.with_context(|| format!("{} is missing", path.display()))?.public())
}

/// What an argument makes trusted.
struct TrustedFile {
    public: Vec<PublicKey>,
    secret: Option<Keys>,
}

impl From<KeyFileContent> for TrustedFile {
    fn from(file: KeyFileContent) -> Self {
        let public = file.public();
        let secret = match file {
            KeyFileContent::Keys(keys) => Some(*keys),
            KeyFileContent::SigningOnly(_) => None,
        };
        Self { public, secret }
    }
}

impl TrustedFile {
    fn read(text: &str) -> anyhow::Result<Self> {
        let public = |public| Self { public, secret: None };
        if text.starts_with(PUBLIC_KEY) {
            let what = || format!("{text} is not a public key: it is ed25519: and 64 hexadecimal digits");
            return Ok(public(vec![text.parse().with_context(what)?]));
        }
        let path = Path::new(text);
        if path.is_dir() {
            bail!("{text} is a folder: name the file in it that holds the key, or the public key, ed25519:…");
        }
        let content = std::fs::read(path).with_context(|| format!("{text} is neither ed25519:… nor a file"))?;
        match std::str::from_utf8(&content).map(str::trim) {
            Ok(lines) if lines.starts_with(PUBLIC_KEY) => {
                let read = lines.lines().map(str::parse).collect::<Result<_, _>>();
                Ok(public(read.with_context(|| format!("{text} has no public key"))?))
            }
            Ok(_) => Ok(KeyFileContent::read(path)?.with_context(|| format!("{text} has no key"))?.into()),
            Err(_) => bail!("{text} has no key"),
        }
    }
}

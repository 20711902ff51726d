//! The key that signs checkpoints, and its file. The file is created on first use, only its owner may read it, and it
//! appears whole or not at all. A file that others may read is refused, as they could sign too.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ed25519_dalek::Signer;

use crate::checkpoint::PublicKey;
use crate::hash::{hex, read_hex};

/// A key that signs.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Others may read the file.
    #[error("{path} can be read or written by others: run chmod 600 on it, and make a new key if it may be known")]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// The file holds something else.
    #[error("{path} holds no signing key")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be used.
    #[error("the signing key {path} cannot be used")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for a new key")]
    Random(#[from] getrandom::Error),
}

const FIRST_LINE: &str = "taisai signing key 1\n";

impl SigningKey {
    /// The key of a file, made anew where there is none.
    pub fn open_or_create(path: &Path) -> Result<Self, KeyError> {
        if !fs::exists(path).map_err(|source| KeyError::Io { path: path.into(), source })? {
            create(path)?;
        }
        Self::open(path)
    }

    /// The key of a file.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        let text = read_private(path).map_err(|source| KeyError::Io { path: path.into(), source })?;
        let text = text.ok_or_else(|| KeyError::Exposed { path: path.into() })?;
        let secret = text.strip_prefix(FIRST_LINE).and_then(|rest| rest.strip_suffix('\n'));
        match secret.map(read_hex) {
            Some(Ok(secret)) => Ok(Self::from_secret(secret)),
            Some(Err(_)) | None => Err(KeyError::Damaged { path: path.into() }),
        }
    }

    /// A key from its secret bytes.
    pub fn from_secret(secret: [u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(&secret))
    }

    /// What its signatures are checked with.
    pub fn public(&self) -> PublicKey {
        PublicKey::from_bytes(self.0.verifying_key().to_bytes())
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(bytes).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public())
    }
}

/// `None` if others may read or write it. The open file is checked, not the path: the path may name another file by
/// then.
fn read_private(path: &Path) -> io::Result<Option<String>> {
    let file = File::open(path)?;
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        return Ok(None);
    }
    let mut text = Vec::new();
    file.take(1024).read_to_end(&mut text)?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

fn create(path: &Path) -> Result<(), KeyError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    let mut name = [0; 4];
    getrandom::fill(&mut name)?;
    write_new(path, name, &secret).map_err(|source| KeyError::Io { path: path.into(), source })
}

/// Writes a draft and links it into place: if two processes do so together, the first one's key stays.
fn write_new(path: &Path, name: [u8; 4], secret: &[u8; 32]) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.new", hex(&name)));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let written =
        writeln!(file, "{FIRST_LINE}{}", hex(secret)).and_then(|()| file.sync_all()).and_then(
            |()| match fs::hard_link(&draft, path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                Ok(()) | Err(_) => Ok(()),
            },
        );
    fs::remove_file(&draft)?;
    written?;
    sync_folder_of(path)
}

/// Makes the name of a file as durable as its content.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let first = SigningKey::open_or_create(&path).unwrap().public();
        assert_eq!(SigningKey::open_or_create(&path).unwrap().public(), first);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the draft is gone");
        let other = SigningKey::open_or_create(&folder.path().join("other")).unwrap();
        assert_ne!(other.public(), first);
        assert!(!format!("{other:?}").contains(&fs::read_to_string(folder.path().join("other")).unwrap()[21..85]));
    }

    #[test]
    fn a_key_that_is_exposed_damaged_or_missing_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(matches!(SigningKey::open(&path), Err(KeyError::Io { .. })));
        SigningKey::open_or_create(&path).unwrap();
        for mode in [0o640, 0o604, 0o620, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert!(matches!(SigningKey::open_or_create(&path), Err(KeyError::Exposed { .. })), "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        for bad in ["", "taisai signing key 2\n", &good[..84], &good.to_uppercase(), &format!("{good}\n")] {
            fs::write(&path, bad).unwrap();
            assert!(matches!(SigningKey::open(&path), Err(KeyError::Damaged { .. })), "{bad:?}");
        }
    }
}

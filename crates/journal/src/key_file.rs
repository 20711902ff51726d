//! The key file: every secret key of an installation, outside its store. It appears whole or not at all, and a file that others may
//! read is refused, as they could act as the casino. `docs/keys.md` has the format.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::checkpoint::PublicKey;
use crate::hash::{Hash, hex, read_hex};
use crate::key::SigningKey;

const FIRST_LINE: &str = "taisai keys 1";

/// How the file began when it held the signing key alone.
const SIGNING_KEY_FIRST_LINE: &str = "taisai signing key 1";

const FINGERPRINT_CONTEXT: &str = "taisai 2026 key file: fingerprint";

/// The name of the file as a credential of systemd.
const CREDENTIAL_NAME: &str = "taisai.keys";

const MAX_FILE_BYTES: u64 = 64 * 1_024;

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Others may read the file.
    #[error("{path} can be read or written by others: run chmod 600 on it, and replace the keys if they may be known")]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to someone else.
    #[error("{path} belongs to user {owner}, who can read it: run this as that user, or give the file to this one")]
    OtherOwner {
        /// The file.
        path: PathBuf,
        /// The number of its owner.
        owner: u32,
    },
    /// The file holds something else.
    #[error("{path} is no key file")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file holds the signing key alone.
    #[error(
        "{path} has the signing key alone, as programs before 0.2 wrote it: copy the key file of a node that has all keys; if \
         there is none yet, stop every node and start taisai serve once, which moves the other keys into it"
    )]
    SigningOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be used.
    #[error("the key file {path} cannot be used")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for new keys")]
    Random(#[from] getrandom::Error),
}

/// The keys of an installation. Every node has the same.
#[derive(Clone)]
pub struct Keys {
    /// Signs checkpoints.
    pub signing: SigningKey,
    /// The numbers of vouchers are hashed with it.
    pub voucher: [u8; 32],
    /// Nodes know each other by it.
    pub nodes: [u8; 32],
    /// Authenticates what is stored of passwords, devices and sign-ins.
    pub secrets: [u8; 32],
    /// The signing key that is about to replace the present one, until the record has it.
    pub next: Option<SigningKey>,
    /// The signing keys until now, the oldest first: they are trusted for old blocks.
    pub former: Vec<PublicKey>,
}

/// What a key file can hold.
#[derive(Clone, Debug)]
pub enum KeyFileContent {
    /// Every key.
    Keys(Box<Keys>),
    /// The signing key alone: programs before 0.2 had the others in the store.
    SigningOnly(Box<SigningKey>),
}

impl KeyFileContent {
    /// Reads a key file; none if there is no such file.
    pub fn read(path: &Path) -> Result<Option<Self>, KeyError> {
        let text = match read_private(path) {
            Ok(text) => text,
            Err(KeyError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let read = Keys::read_text(&text)
            .map(|keys| Self::Keys(Box::new(keys)))
            .or_else(|| read_signing_key(&text).map(|key| Self::SigningOnly(Box::new(key))));
        read.map(Some).ok_or_else(|| KeyError::Damaged { path: path.into() })
    }

    /// Reads a key file, which is made anew where there is none.
    pub fn open_or_create(path: &Path) -> Result<Self, KeyError> {
        if let Some(found) = Self::read(path)? {
            return Ok(found);
        }
        Keys::random()?.create(path)?;
        // Another program may have made it first.
        Self::read(path)?.ok_or_else(|| KeyError::Io { path: path.into(), source: io::ErrorKind::NotFound.into() })
    }

    /// Signs checkpoints.
    pub fn signing(&self) -> &SigningKey {
        match self {
            Self::Keys(keys) => &keys.signing,
            Self::SigningOnly(key) => key,
        }
    }

    /// What signatures are checked with, the present key last.
    pub fn public(&self) -> Vec<PublicKey> {
        match self {
            Self::Keys(keys) => keys.public(),
            Self::SigningOnly(key) => vec![key.public()],
        }
    }
}

impl Keys {
    /// New keys.
    pub fn random() -> Result<Self, KeyError> {
        Ok(Self {
            signing: SigningKey::from_secret(random()?),
            voucher: random()?,
            nodes: random()?,
            secrets: random()?,
            next: None,
            former: Vec::new(),
        })
    }

    /// The keys of a file.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        match KeyFileContent::read(path)? {
            Some(KeyFileContent::Keys(keys)) => Ok(*keys),
            Some(KeyFileContent::SigningOnly(_)) => Err(KeyError::SigningOnly { path: path.into() }),
            None => Err(KeyError::Io { path: path.into(), source: io::ErrorKind::NotFound.into() }),
        }
    }

    /// The keys of a file, made anew where there is none.
    pub fn open_or_create(path: &Path) -> Result<Self, KeyError> {
        if !fs::exists(path).map_err(|source| KeyError::Io { path: path.into(), source })? {
            Self::random()?.create(path)?;
        }
        Self::open(path)
    }

    /// Writes a new file. If there is one by now, it stays.
    pub fn create(&self, path: &Path) -> Result<(), KeyError> {
        self.write(path, |draft| match fs::hard_link(draft, path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Ok(()) | Err(_) => fs::remove_file(draft),
        })
    }

    /// Writes the file in place of one that has the signing key alone, which stays beside it as `….before`.
    pub fn replace_older(&self, path: &Path) -> Result<(), KeyError> {
        let mut before = path.as_os_str().to_owned();
        before.push(".before");
        self.write(path, |draft| {
            match fs::hard_link(path, &before) {
                // An earlier call was interrupted here, or the older file was put back.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && fs::read(path)? == fs::read(&before)? => {
                }
                linked => linked?,
            }
            sync_folder_of(path)?;
            fs::rename(draft, path)
        })
    }

    /// Writes the file in place of the one that is there.
    pub fn replace(&self, path: &Path) -> Result<(), KeyError> {
        self.write(path, |draft| fs::rename(draft, path))
    }

    /// What signatures are checked with: the former keys, the present one last.
    pub fn public(&self) -> Vec<PublicKey> {
        self.former.iter().copied().chain([self.signing.public()]).collect()
    }

    /// What the record knows the file by. It says nothing of the keys.
    pub fn fingerprint(&self) -> Hash {
        let secret = [self.signing.secret(), &self.voucher, &self.nodes, &self.secrets].map(|key| *key);
        Hash::from_bytes(blake3::derive_key(FINGERPRINT_CONTEXT, secret.as_flattened()))
    }

    /// The same keys, signing with the next key.
    #[must_use]
    pub fn rotated(&self) -> Self {
        let Some(next) = self.next.clone() else { return self.clone() };
        Self { former: self.public(), signing: next, next: None, ..self.clone() }
    }

    fn read_text(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n').peekable();
        if lines.next()? != FIRST_LINE {
            return None;
        }
        let mut secret = |name| -> Option<[u8; 32]> { read_hex(line_named(lines.next()?, name)?).ok() };
        let (signing, voucher, nodes, secrets) =
            (secret("signing")?, secret("voucher")?, secret("nodes")?, secret("secrets")?);
        let next = match lines.peek().and_then(|line| line_named(line, "next")) {
            Some(next) => {
                lines.next();
                Some(SigningKey::from_secret(read_hex(next).ok()?))
            }
            None => None,
        };
        let former = lines.map(|line| line_named(line, "former")?.parse().ok()).collect::<Option<_>>()?;
        Some(Self { signing: SigningKey::from_secret(signing), voucher, nodes, secrets, next, former })
    }

    fn text(&self) -> String {
        let Self { signing, voucher, nodes, secrets, next, former } = self;
        let secret = [("signing", signing.secret()), ("voucher", voucher), ("nodes", nodes), ("secrets", secrets)];
        let secret = secret.into_iter().chain(next.as_ref().map(|key| ("next", key.secret())));
        let secret = secret.into_iter().map(|(name, key)| format!("{name} {}", hex(key)));
        let former = former.iter().map(|key| format!("former {key}"));
        let lines: Vec<_> = [FIRST_LINE.to_owned()].into_iter().chain(secret).chain(former).collect();
        lines.join("\n") + "\n"
    }

    /// Writes a draft beside the file, which `place` puts into its place. The name is as durable as the content.
    fn write(&self, path: &Path, place: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), KeyError> {
        let name: [u8; 4] = random()?;
        let draft = path.with_extension(format!("{}.new", hex(&name)));
        let written = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(self.text().as_bytes())?;
            file.sync_all()?;
            place(&draft)?;
            sync_folder_of(path)
        };
        written().map_err(|source| {
            // The first error is the one to report.
            fs::remove_file(&draft).unwrap_or_default();
            KeyError::Io { path: path.into(), source }
        })
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({}, {})", self.signing.public(), self.fingerprint())
    }
}

/// The key file that systemd hands to the program (`LoadCredential=taisai.keys:…`), if it does.
pub fn key_file_credential() -> Option<PathBuf> {
    credential_in(std::env::var_os("CREDENTIALS_DIRECTORY").as_deref()?)
}

fn credential_in(folder: &OsStr) -> Option<PathBuf> {
    let path = Path::new(folder).join(CREDENTIAL_NAME);
    path.exists().then_some(path)
}

fn random<const N: usize>() -> Result<[u8; N], getrandom::Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

fn line_named<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix(name)?.strip_prefix(' ')
}

fn read_signing_key(text: &str) -> Option<SigningKey> {
    let secret = text.strip_prefix(SIGNING_KEY_FIRST_LINE)?.strip_prefix('\n')?.strip_suffix('\n')?;
    read_hex(secret).ok().map(SigningKey::from_secret)
}

/// The text of a file that nobody else may read or write. The open file is checked, not the path: the path may name another file by
/// then.
fn read_private(path: &Path) -> Result<String, KeyError> {
    let unusable = |source| KeyError::Io { path: path.into(), source };
    let file = File::open(path).map_err(unusable)?;
    let metadata = file.metadata().map_err(unusable)?;
    let is_credential = std::env::var_os("CREDENTIALS_DIRECTORY").is_some_and(|folder| path.starts_with(folder));
    // systemd lets the user of the service in by an access list, which shows as a right of the group to read.
    let of_others = if is_credential { 0o037 } else { 0o077 };
    if metadata.mode() & of_others != 0 {
        return Err(KeyError::Exposed { path: path.into() });
    }
    let (owner, own) = (metadata.uid(), own_user().map_err(unusable)?);
    if owner != own && owner != ROOT {
        return Err(KeyError::OtherOwner { path: path.into(), owner });
    }
    let mut text = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut text).map_err(unusable)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

const ROOT: u32 = 0;

/// The user that the program runs as: the kernel shows each process its own folder with that owner.
fn own_user() -> io::Result<u32> {
    Ok(fs::metadata("/proc/self")?.uid())
}

/// Makes the name of a file as durable as its content.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn keys_are_made_once_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let first = Keys::open_or_create(&path).unwrap();
        assert_eq!(Keys::open_or_create(&path).unwrap().fingerprint(), first.fingerprint());
        Keys::random().unwrap().create(&path).unwrap();
        assert_eq!(Keys::open(&path).unwrap().fingerprint(), first.fingerprint(), "the first file stays");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the draft is gone");
        let shown = format!("{first:?}");
        for line in fs::read_to_string(&path).unwrap().lines().skip(1) {
            assert!(!shown.contains(line.split_once(' ').unwrap().1), "{line}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let mut keys = Keys::open_or_create(&path).unwrap();
        let (before, next) = (keys.fingerprint(), Keys::random().unwrap().signing);
        keys.next = Some(next.clone());
        keys.replace(&path).unwrap();
        let read = Keys::open(&path).unwrap();
        assert_eq!(read.next.as_ref().map(SigningKey::public), Some(next.public()));
        assert_eq!(read.fingerprint(), before, "a key that is not in use yet changes nothing");
        keys = keys.rotated();
        assert_eq!((keys.signing.public(), keys.rotated().fingerprint()), (next.public(), keys.fingerprint()));
        keys.replace(&path).unwrap();
        let read = Keys::open(&path).unwrap();
        assert_eq!(read.public(), keys.public());
        assert_eq!(read.public().len(), 2);
        assert_ne!(read.fingerprint(), before);
        assert_eq!((read.voucher, read.nodes, read.secrets), (keys.voucher, keys.nodes, keys.secrets));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_is_exposed_damaged_or_missing_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        assert!(matches!(Keys::open(&path), Err(KeyError::Io { .. })));
        Keys::open_or_create(&path).unwrap();
        for mode in [0o640, 0o604, 0o620, 0o601] {
            set_mode(&path, mode);
            assert!(matches!(Keys::open_or_create(&path), Err(KeyError::Exposed { .. })), "{mode:o}");
        }
        set_mode(&path, 0o600);
        let good = fs::read_to_string(&path).unwrap();
        let twice = format!("{good}{}\n", good.lines().nth(1).unwrap());
        for bad in
            ["", "taisai keys 2\n", "taisai keys 1\n", &good[..good.len() - 1], &good.to_uppercase(), &twice, "é\n"]
        {
            fs::write(&path, bad).unwrap();
            assert!(matches!(Keys::open(&path), Err(KeyError::Damaged { .. })), "{bad:?}");
        }
    }

    /// Only who may give files away can try it.
    #[test]
    fn a_file_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        Keys::open_or_create(&path).unwrap();
        if own_user().unwrap() == ROOT {
            chown(&path, Some(65_534), None).unwrap();
            assert!(matches!(Keys::open(&path), Err(KeyError::OtherOwner { owner: 65_534, .. })));
        }
    }

    #[test]
    fn a_file_with_the_signing_key_alone_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let digits = "0123456789abcdef".repeat(4);
        fs::write(&path, format!("taisai signing key 1\n{digits}\n")).unwrap();
        set_mode(&path, 0o600);
        assert!(matches!(Keys::open(&path), Err(KeyError::SigningOnly { .. })));
        let KeyFileContent::SigningOnly(key) = KeyFileContent::read(&path).unwrap().unwrap() else {
            panic!("it has one key")
        };
        assert_eq!(key.public(), SigningKey::from_secret(read_hex(&digits).unwrap()).public());
        fs::write(&path, format!("taisai signing key 1\n{digits}\n\n")).unwrap();
        assert!(matches!(KeyFileContent::read(&path), Err(KeyError::Damaged { .. })));
    }

    #[test]
    fn a_credential_of_systemd_is_found() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(credential_in(folder.path().as_os_str()), None);
        let path = folder.path().join("taisai.keys");
        Keys::open_or_create(&path).unwrap();
        assert_eq!(credential_in(folder.path().as_os_str()), Some(path));
    }
}

//! The anchor: a file outside the store with a line for every checkpoint. To roll a chain back unnoticed, an attacker
//! must change this file too, and cannot write a line without the key.
//!
//! A line is `1 CHAIN HOUSE POSITION HASH STATE TIME KEY SIGNATURE`. The signature covers the rest, so every damaged
//! line is found. A crash can only leave bytes after the last end of line: they are cut off and reported.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::checkpoint::{Checkpoint, CheckpointContent};
use crate::hash::{hex, read_hex};
use crate::key_file::sync_folder_of;

/// The file, open for more lines.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
    file: File,
    broken: bool,
}

/// A line of the anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorLine {
    /// The number of the line, from one.
    pub line: usize,
    /// What it says.
    pub checkpoint: Checkpoint,
}

/// What an anchor holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnchorContent {
    /// Its lines.
    pub lines: Vec<AnchorLine>,
    /// The number of bytes of an unfinished line at its end.
    pub torn: usize,
}

impl AnchorContent {
    /// The newest line of each chain: the one for the latest block.
    pub fn newest(&self) -> impl Iterator<Item = &AnchorLine> {
        let mut newest: BTreeMap<&str, &AnchorLine> = BTreeMap::new();
        for line in &self.lines {
            let content = &line.checkpoint.content;
            let known = newest.entry(content.chain.as_str()).or_insert(line);
            if content.position >= known.checkpoint.content.position {
                *known = line;
            }
        }
        newest.into_values()
    }
}

/// Why an anchor cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AnchorError {
    /// A line is not as the program wrote it.
    #[error("line {line} of the anchor {path} is damaged")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
    },
    /// The file cannot be read or written.
    #[error("the anchor {path} cannot be used")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An earlier line may or may not be in the file.
    #[error("an earlier line of the anchor {path} failed: open it again")]
    Broken {
        /// The file.
        path: PathBuf,
    },
}

/// No line is longer: a chain, an installation, three numbers, two hashes, a key and a signature.
const LONGEST_LINE: u64 = 512;

/// Several partitions write to one file: a line that one of them is writing is not torn.
static WRITING: Mutex<()> = Mutex::new(());

impl Anchor {
    /// Opens or creates the anchor, and reads it. A torn line at the end is cut off. Only the signature of each chain's
    /// newest line is checked; [`Self::read`] checks all.
    pub fn open(path: &Path) -> Result<(Self, AnchorContent), AnchorError> {
        let failed = |source| AnchorError::Io { path: path.into(), source };
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o644).open(path).map_err(failed)?;
        let (content, end) = read(path, &file, |_| true)?;
        for newest in content.newest() {
            if !newest.checkpoint.is_signed() {
                return Err(AnchorError::Damaged { path: path.into(), line: newest.line });
            }
        }
        if content.torn > 0 {
            file.set_len(end).map_err(failed)?;
        }
        file.sync_all().and_then(|()| sync_folder_of(path)).map_err(failed)?;
        Ok((Self { path: path.into(), file, broken: false }, content))
    }

    /// Reads an anchor, checks every signature, and changes nothing.
    pub fn read(path: &Path) -> Result<AnchorContent, AnchorError> {
        let file = File::open(path).map_err(|source| AnchorError::Io { path: path.into(), source })?;
        Ok(read(path, &file, Checkpoint::is_signed)?.0)
    }

    /// Adds lines, and returns once they are durable. After an error it adds no more.
    pub fn add(&mut self, checkpoints: &[Checkpoint]) -> Result<(), AnchorError> {
        if self.broken {
            return Err(AnchorError::Broken { path: self.path.clone() });
        }
        let lines: Vec<String> = checkpoints.iter().map(|checkpoint| LineText(checkpoint).to_string() + "\n").collect();
        let writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let added = self.file.metadata().and_then(|before| {
            let added = self.file.write_all(lines.concat().as_bytes());
            // Other partitions append after it.
            added.inspect_err(|_| self.file.set_len(before.len()).unwrap_or_default())
        });
        drop(writing);
        added.and_then(|()| self.file.sync_all()).map_err(|source| {
            self.broken = true;
            AnchorError::Io { path: self.path.clone(), source }
        })
    }
}

/// Reads the file, and finds where its last whole line ends.
fn read(path: &Path, file: &File, is_good: impl Fn(&Checkpoint) -> bool) -> Result<(AnchorContent, u64), AnchorError> {
    let mut reader = BufReader::new(file);
    let mut content = AnchorContent::default();
    let mut end = 0;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let length = (&mut reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|source| AnchorError::Io { path: path.into(), source })?;
        if length == 0 {
            return Ok((content, end));
        }
        let line = content.lines.len() + 1;
        if let Some(text) = bytes.strip_suffix(b"\n") {
            let checkpoint = parse(text).filter(&is_good).ok_or(AnchorError::Damaged { path: path.into(), line })?;
            content.lines.push(AnchorLine { line, checkpoint });
            end += u64::try_from(length).expect("a line is short");
        } else if reader.fill_buf().is_ok_and(<[u8]>::is_empty) {
            content.torn = length;
        } else {
            return Err(AnchorError::Damaged { path: path.into(), line });
        }
    }
}

struct LineText<'a>(&'a Checkpoint);

impl std::fmt::Display for LineText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CheckpointContent { chain, house, position, hash, state, time } = &self.0.content;
        let (house, key, signature) = (hex(house), hex(self.0.key.as_bytes()), hex(&self.0.signature));
        write!(f, "1 {chain} {house} {position} {hash} {state} {time} {key} {signature}")
    }
}

/// Reads a line. A line that would be written differently is no line: one checkpoint has one spelling.
fn parse(text: &[u8]) -> Option<Checkpoint> {
    let text = str::from_utf8(text).ok()?;
    let fields: Vec<&str> = text.split(' ').collect();
    let &["1", chain, house, position, hash, state, time, key, signature] = fields.as_slice() else { return None };
    let content = CheckpointContent {
        chain: chain.parse().ok()?,
        house: read_hex(house).ok()?,
        position: position.parse().ok()?,
        hash: hash.parse().ok()?,
        state: state.parse().ok()?,
        time: time.parse().ok()?,
    };
    let key = crate::PublicKey::from_bytes(read_hex(key).ok()?);
    let checkpoint = Checkpoint { content, key, signature: read_hex(signature).ok()? };
    (LineText(&checkpoint).to_string() == text).then_some(checkpoint)
}

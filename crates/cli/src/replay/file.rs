//! A run's record in memory and in a file: what the table was set up with, every entry as the codec writes it, and the hash
//! of the state they end in. It knows bytes and their places, never what an entry means.

use anyhow::{Context as _, bail};
use taisai_table::{ClusterId, MachineEntry, TableId, decode, encode};

use super::setup::ReplaySetup;

/// How a file begins; the last byte is the version of its form.
const MAGIC: &[u8] = b"taisai replay\n\x01";
/// No entry is longer.
const MAX_ENTRY_BYTES: usize = 1 << 24;
/// No table that is simulated has more seats.
const MAX_SEATS: u32 = 1_000;
/// Nor more clusters.
const MAX_CLUSTERS: usize = 16;

/// Entries one after the other, each with its length before it.
#[derive(Default)]
pub struct ReplayWriter {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl ReplayWriter {
    /// How many entries there are.
    pub const fn count(&self) -> usize {
        self.starts.len()
    }

    /// Appends an entry.
    ///
    /// # Panics
    ///
    /// If the entry has more than 4 GiB.
    pub fn push(&mut self, recorded: &MachineEntry) {
        let bytes = &mut self.bytes;
        let start = bytes.len();
        self.starts.push(start);
        bytes.extend_from_slice(&[0; 4]);
        match recorded {
            MachineEntry::Round(table, entry) => {
                bytes.push(b'R');
                bytes.extend_from_slice(&table.0.to_le_bytes());
                encode(entry, bytes);
            }
            MachineEntry::Cluster(ClusterId { table, number }, entry) => {
                bytes.push(b'C');
                bytes.extend_from_slice(&table.0.to_le_bytes());
                bytes.extend_from_slice(&number.to_le_bytes());
                encode(entry, bytes);
            }
            MachineEntry::House(entry) => {
                bytes.push(b'H');
                encode(entry, bytes);
            }
        }
        let length = u32::try_from(bytes.len() - start - 4).expect("an entry is not that long");
        bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// The entries from a place on.
    pub fn entries(&self, from: usize) -> impl Iterator<Item = anyhow::Result<MachineEntry>> {
        let start = self.starts.get(from).copied().unwrap_or(self.bytes.len());
        let mut reader = ReplayReader { bytes: &self.bytes, at: start };
        std::iter::from_fn(move || (reader.at < reader.bytes.len()).then(|| reader.entry()))
            .map(|entry| entry?.context("an entry without length"))
    }

    /// The bytes of a file.
    pub fn file(&self, setup: &ReplaySetup, hash: &[u8; 32]) -> anyhow::Result<Vec<u8>> {
        let header = serde_json::to_vec(setup)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&u32::try_from(header.len())?.to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&self.bytes);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(hash);
        Ok(bytes)
    }
}

/// A file that was read.
pub struct ReplayFile {
    /// What the casino was set up with.
    pub setup: ReplaySetup,
    /// What happened, in order.
    pub entries: Vec<MachineEntry>,
    /// The hash of the state that the run was in at its end.
    pub hash: [u8; 32],
}

impl ReplayFile {
    /// Reads a file; the error says at which byte it is damaged.
    pub fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let version = MAGIC.len() - 1;
        if bytes.len() < MAGIC.len() || bytes[..version] != MAGIC[..version] {
            bail!("byte 0: this is no replay file");
        }
        if bytes[version] != MAGIC[version] {
            bail!("byte {version}: form {} of replay files is not known to this program", bytes[version]);
        }
        let mut reader = ReplayReader { bytes, at: MAGIC.len() };
        let (at, length) = (reader.at, reader.length()?);
        let header = reader.take(length).context("in the header")?;
        let setup: ReplaySetup =
            serde_json::from_slice(header).with_context(|| format!("byte {at}: the header is damaged"))?;
        if setup.seats.len() > MAX_CLUSTERS || setup.seats.iter().any(|seats| *seats > MAX_SEATS) {
            bail!("byte {at}: the header is damaged: {:?} seats are too many", setup.seats);
        }
        let mut entries = Vec::new();
        while let Some(entry) = reader.entry()? {
            entries.push(entry);
        }
        let hash = reader.take(32).context("in the hash at the end")?;
        let hash = hash.try_into().context("the hash at the end")?;
        if reader.at < bytes.len() {
            bail!("byte {}: the file goes on after its end", reader.at);
        }
        Ok(Self { setup, entries, hash })
    }
}

struct ReplayReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ReplayReader<'a> {
    fn take(&mut self, length: usize) -> anyhow::Result<&'a [u8]> {
        let left = self.bytes.len() - self.at;
        if left < length {
            bail!("byte {}: the file is cut off, {length} bytes should follow and {left} do", self.at);
        }
        self.at += length;
        Ok(&self.bytes[self.at - length..self.at])
    }

    fn length(&mut self) -> anyhow::Result<usize> {
        let at = self.at;
        let length = self.take(4)?;
        let length = usize::try_from(u32::from_le_bytes(length.try_into()?))?;
        if length > MAX_ENTRY_BYTES {
            bail!("byte {at}: an entry of {length} bytes is too long");
        }
        Ok(length)
    }

    /// The next entry; none where a length of zero ends them.
    fn entry(&mut self) -> anyhow::Result<Option<MachineEntry>> {
        let length = self.length()?;
        if length == 0 {
            return Ok(None);
        }
        let at = self.at;
        let mut entry = ReplayReader { bytes: self.take(length)?, at: 0 };
        let machine = entry.take(1)?[0];
        let damaged = || format!("byte {at}: the entry is damaged");
        let recorded = match machine {
            b'R' => {
                let table = TableId(entry.number().with_context(damaged)?);
                decode(entry.rest()).map(|entry| MachineEntry::Round(table, entry))
            }
            b'C' => {
                let table = TableId(entry.number().with_context(damaged)?);
                let cluster = ClusterId { table, number: entry.number().with_context(damaged)? };
                decode(entry.rest()).map(|entry| MachineEntry::Cluster(cluster, entry))
            }
            b'H' => decode(entry.rest()).map(MachineEntry::House),
            other => bail!("byte {at}: there is no machine {other}"),
        };
        recorded.map(Some).with_context(damaged)
    }

    fn number(&mut self) -> anyhow::Result<u16> {
        Ok(u16::from_le_bytes(self.take(2)?.try_into()?))
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
}

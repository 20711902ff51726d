//! The byte format of entries and states: a version byte, then the fields in order (postcard). What a released version
//! wrote stays readable; golden files prove it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cluster::{ClusterCommand, ClusterEvent};
use crate::entry::Entry;
use crate::house::{HouseCommand, HouseEvent};
use crate::identity::Time;
use crate::round::{RoundCommand, RoundEvent};

/// The version that this program writes.
pub const FORMAT_VERSION: u8 = 1;

/// Bytes that are no entry or state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBytes {
    #[error("there are no bytes")]
    Empty,
    #[error("version {0} is newer than this program")]
    Newer(u8),
    #[error("the bytes are damaged")]
    Damaged,
    /// The bytes are whole, and hold a command, an event or another choice that this program does not know.
    #[error("a newer program wrote something that this one does not know: use the newer program")]
    Unknown,
}

impl BadBytes {
    /// Whether a newer program wrote them: nothing is damaged then.
    pub const fn is_of_newer_program(self) -> bool {
        match self {
            Self::Newer(_) | Self::Unknown => true,
            Self::Empty | Self::Damaged => false,
        }
    }
}

/// Writes an entry after what is in the buffer.
///
/// # Panics
/// If the entry cannot be written down, which no entry of this crate is.
pub fn encode<C: Serialize, E: Serialize>(entry: &Entry<C, E>, buffer: &mut Vec<u8>) {
    write(entry, buffer);
}

/// Reads an entry.
pub fn decode<C: DeserializeOwned, E: DeserializeOwned>(bytes: &[u8]) -> Result<Entry<C, E>, BadBytes> {
    read(bytes)
}

/// The time of an encoded entry of any machine. Time is the first field.
pub fn entry_time(bytes: &[u8]) -> Result<Time, BadBytes> {
    let (time, _) = read_first(bytes)?;
    Ok(time)
}

/// An entry of the dealer's side.
pub type RoundEntry = Entry<RoundCommand, RoundEvent>;
/// An entry of the players' side.
pub type ClusterEntry = Entry<ClusterCommand, ClusterEvent>;
pub type HouseEntry = Entry<HouseCommand, HouseEvent>;

pub(crate) fn write(value: &(impl Serialize + ?Sized), buffer: &mut Vec<u8>) {
    buffer.push(FORMAT_VERSION);
    postcard::serialize_with_flavor(value, Appended(buffer)).expect("everything here can be written down");
}

/// The hash of a state, and of the pages that stand for what is not in its own bytes.
pub(crate) fn hash(state: &impl Serialize, pages: &[[u8; 32]]) -> [u8; 32] {
    let mut bytes = Vec::new();
    write(state, &mut bytes);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes);
    hasher.update(pages.as_flattened());
    hasher.finalize().into()
}

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, BadBytes> {
    match read_first(bytes)? {
        (value, []) => Ok(value),
        _ => Err(BadBytes::Damaged),
    }
}

/// Reads what stands first, and leaves what stands behind it.
pub(crate) fn read_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), BadBytes> {
    match bytes {
        [] => Err(BadBytes::Empty),
        [FORMAT_VERSION, bytes @ ..] => postcard::take_from_bytes(bytes).map_err(|error| bad_bytes::<T>(&error, bytes)),
        [version, ..] if *version > FORMAT_VERSION => Err(BadBytes::Newer(*version)),
        [_, ..] => Err(BadBytes::Damaged),
    }
}

/// Tells what a newer program wrote from damage. New choices are the last of their kind, so a choice that is not known is a tag that
/// is too high: the same bytes with the first tag in its place can be read at least that far.
fn bad_bytes<T: DeserializeOwned>(error: &postcard::Error, bytes: &[u8]) -> BadBytes {
    let is_refused =
        |bytes: &[u8]| matches!(postcard::take_from_bytes::<T>(bytes).map(drop), Err(postcard::Error::SerdeDeCustom));
    if *error != postcard::Error::SerdeDeCustom {
        return BadBytes::Damaged;
    }
    // Bytes that end too early are another error, so all beginnings from some length on are refused.
    let (mut short, mut refused) = (0, bytes.len());
    while short + 1 < refused {
        let middle = usize::midpoint(short, refused);
        if is_refused(&bytes[..middle]) {
            refused = middle;
        } else {
            short = middle;
        }
    }
    let mut first = bytes[..refused].to_vec();
    let tag = first.last_mut().map(|last| std::mem::replace(last, 0));
    if tag.is_some_and(|tag| tag > 0) && !is_refused(&first) { BadBytes::Unknown } else { BadBytes::Damaged }
}

/// Bytes go after those in a buffer.
struct Appended<'a>(&'a mut Vec<u8>);

impl postcard::ser_flavors::Flavor for Appended<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

//! Entries one after the other, each with its length before it. What is in an entry is not known here.
//!
//! A length is written seven bits a byte, the lowest first, the top bit set on all bytes but the last: one byte for most
//! entries. Only the shortest spelling of a length is read, so that the same entries always have the same bytes.

/// Entries to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    bytes: Vec<u8>,
    count: u32,
}

/// Bytes that are no entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lengths of the entries do not fit their bytes")]
pub(crate) struct BadEntries;

impl Entries {
    /// None yet, with room for some bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), count: 0 }
    }

    /// Adds what is written to the buffer as one entry. What is in the buffer before must be left as it is.
    ///
    /// # Panics
    /// If the buffer comes back shorter than it was.
    pub fn write(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        // Room for a length of one byte, which is right for most entries; a longer length moves the entry.
        let start = self.bytes.len() + 1;
        self.bytes.push(0);
        write(&mut self.bytes);
        let mut length = self.bytes.len().checked_sub(start).expect("an entry is only ever added");
        let mut at = start - 1;
        while length >= 0x80 {
            self.bytes[at] = low_bits(length) | 0x80;
            length >>= 7;
            at += 1;
            self.bytes.insert(at, 0);
        }
        self.bytes[at] = low_bits(length);
        self.count += 1;
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: &[u8]) {
        self.write(|buffer| buffer.extend_from_slice(entry));
    }

    /// How many there are.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Their bytes, with the lengths.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reads entries out of the body of a block. After an error there is nothing more.
#[derive(Clone, Debug)]
pub(crate) struct EntriesIn<'a>(&'a [u8]);

impl<'a> EntriesIn<'a> {
    pub(crate) const fn new(body: &'a [u8]) -> Self {
        Self(body)
    }
}

impl<'a> Iterator for EntriesIn<'a> {
    type Item = Result<&'a [u8], BadEntries>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let entry = take(&mut self.0);
        if entry.is_err() {
            self.0 = &[];
        }
        Some(entry)
    }
}

fn take<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], BadEntries> {
    let mut length = 0_usize;
    // Four bytes hold any length that fits a block.
    for shift in [0, 7, 14, 21] {
        let (&byte, rest) = bytes.split_first().ok_or(BadEntries)?;
        *bytes = rest;
        length |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            if byte == 0 && shift > 0 {
                return Err(BadEntries);
            }
            let (entry, rest) = bytes.split_at_checked(length).ok_or(BadEntries)?;
            *bytes = rest;
            return Ok(entry);
        }
    }
    Err(BadEntries)
}

fn low_bits(number: usize) -> u8 {
    (number & 0x7f).try_into().expect("seven bits fit a byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<&[u8]>, BadEntries> {
        EntriesIn::new(bytes).collect()
    }

    #[test]
    fn entries_of_every_length_round_trip() {
        let long: Vec<u8> = (0..=255).cycle().take(2_097_153).collect();
        let lengths = [0, 1, 40, 127, 128, 129, 16_383, 16_384, 2_097_151, 2_097_152, 2_097_153];
        let mut entries = Entries::default();
        for length in lengths {
            entries.push(&long[..length]);
        }
        assert_eq!(entries.count(), 11);
        let found = read(entries.bytes()).unwrap();
        assert_eq!(found, lengths.map(|length| &long[..length]));
    }

    #[test]
    fn only_the_shortest_length_that_fits_is_read() {
        for (bytes, expected) in [
            (&[][..], Ok(vec![])),
            (&[0, 1, 7], Ok(vec![&[][..], &[7]])),
            (&[2, 7], Err(BadEntries)),
            (&[0x80], Err(BadEntries)),
            (&[0x80, 0], Err(BadEntries)),
            (&[0x81, 0, 7], Err(BadEntries)),
            (&[0x80, 0x80, 0x80, 0x80, 1], Err(BadEntries)),
            (&[0xff, 0xff, 0xff, 0x7f], Err(BadEntries)),
        ] {
            assert_eq!(read(bytes), expected, "{bytes:?}");
        }
        assert_eq!(EntriesIn::new(&[2, 7]).count(), 1, "nothing follows an error");
    }
}

//! What the first block of a chain says: whose it is, whether its money is real, and who can read it.

/// The body of the first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Genesis {
    /// The id of the casino.
    pub house: [u8; 16],
    /// Whether the money is real.
    pub purpose: ChainPurpose,
    /// The least [`READER_VERSION`](crate::READER_VERSION) that understands the chain.
    pub least_reader: u16,
}

/// What a chain is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainPurpose {
    /// Play for money.
    Real,
    /// Play without money.
    Training,
}

impl Genesis {
    pub(crate) fn to_body(self) -> Vec<u8> {
        let mut body = self.house.to_vec();
        body.push(match self.purpose {
            ChainPurpose::Real => 0,
            ChainPurpose::Training => 1,
        });
        body.extend_from_slice(&self.least_reader.to_le_bytes());
        body
    }

    pub(crate) fn from_body(body: &[u8]) -> Option<Self> {
        let (house, rest) = body.split_first_chunk()?;
        let (purpose, least_reader) = match rest {
            [0, least_reader @ ..] => (ChainPurpose::Real, least_reader),
            [1, least_reader @ ..] => (ChainPurpose::Training, least_reader),
            _ => return None,
        };
        Some(Self { house: *house, purpose, least_reader: u16::from_le_bytes(least_reader.try_into().ok()?) })
    }
}

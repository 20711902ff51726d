//! Whose a record is, and whether its money is real: no sheet of a training record can be taken for a real one (F54).

use std::fmt::Write as _;
use std::io::Write;

use taisai_journal::{Genesis, Purpose};
use taisai_record::Setup;

use crate::print::{BAD, QUIET};

/// The mark of a record, or of one table in it.
pub(super) struct Marked {
    /// The house's id.
    pub(super) house: String,
    pub(super) is_training: bool,
}

impl Marked {
    pub(super) fn new(genesis: &Genesis) -> Self {
        let mut house = String::new();
        for byte in genesis.house {
            write!(house, "{byte:02x}").unwrap_or_default();
        }
        Self { house, is_training: genesis.purpose == Purpose::Training }
    }

    /// A table may be for training in a house that is not.
    pub(super) const fn of_table(mut self, setup: &Setup) -> Self {
        self.is_training |= is_for_training(setup);
        self
    }

    pub(super) fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        if self.is_training {
            writeln!(out, "{BAD}TRAINING{BAD:#}  No money here is real, and none is paid for it.")?;
        }
        writeln!(out, "house     {QUIET}{}{QUIET:#}", self.house)
    }
}

/// Whether a table is for training. What a house says of itself is in its genesis blocks.
pub(super) const fn is_for_training(setup: &Setup) -> bool {
    matches!(setup, Setup::Round { is_training: true, .. })
}

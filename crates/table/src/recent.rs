//! Recognizes repeated commands. The sequence numbers of a source only rise. A machine remembers the last few with a hash
//! of their content and the verdict, so that a command that is sent again gets the same reply and is carried out once.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::identity::CommandId;
use crate::refusal::Refusal;

/// How a command was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It was carried out.
    Accepted,
    /// It was not.
    Refused(Refusal),
}

impl Verdict {
    /// Whether the id itself was refused. The id then stays with the command that had it first.
    pub const fn is_of_id(self) -> bool {
        matches!(self, Self::Refused(Refusal::CommandIdReused | Refusal::CommandTooOld))
    }
}

/// The last commands of one source, the newest last. Every seat has one, and three arrays take less memory than an array
/// of structs with padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentCommands {
    /// Unused entries are zero: sequence numbers begin at one.
    sequences: [u64; Self::KEPT],
    contents: [u64; Self::KEPT],
    verdicts: [Verdict; Self::KEPT],
}

impl Default for RecentCommands {
    fn default() -> Self {
        Self { sequences: [0; Self::KEPT], contents: [0; Self::KEPT], verdicts: [Verdict::Accepted; Self::KEPT] }
    }
}

/// What is known of a command's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandIdStatus {
    New,
    /// It was answered before.
    Answered(Verdict),
    /// It may not be used: reused for something else, or too old.
    Unusable(Refusal),
}

impl RecentCommands {
    /// How many commands of a source are remembered.
    pub const KEPT: usize = 4;

    /// What is known of a command with that number and content.
    pub(crate) fn known(&self, sequence: u64, content: u64) -> CommandIdStatus {
        if sequence > self.newest() {
            return CommandIdStatus::New;
        }
        match self.sequences.iter().position(|kept| *kept == sequence && sequence != 0) {
            Some(place) if self.contents[place] == content => CommandIdStatus::Answered(self.verdicts[place]),
            Some(_) => CommandIdStatus::Unusable(Refusal::CommandIdReused),
            None => CommandIdStatus::Unusable(Refusal::CommandTooOld),
        }
    }

    /// The number of the newest command; zero if there was none.
    pub(crate) const fn newest(&self) -> u64 {
        self.sequences[Self::KEPT - 1]
    }

    /// Remembers a command, forgetting the oldest.
    pub(crate) fn remember(&mut self, sequence: u64, content: u64, verdict: Verdict) {
        push(&mut self.sequences, sequence);
        push(&mut self.contents, content);
        push(&mut self.verdicts, verdict);
    }
}

fn push<T>(kept: &mut [T; RecentCommands::KEPT], newest: T) {
    kept.rotate_left(1);
    kept[RecentCommands::KEPT - 1] = newest;
}

/// The recent commands of the newest source at a seat. Sources are numbered in order of arrival: after a terminal is
/// replaced, late commands of the old one are too old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LatestSourceCommands {
    source: u64,
    recent: RecentCommands,
}

impl LatestSourceCommands {
    /// The source; zero if there was none.
    pub(crate) const fn source(&self) -> u64 {
        self.source
    }

    /// The number of the newest command of a source; zero if there was none.
    pub(crate) const fn newest(&self, source: u64) -> u64 {
        if self.source == source { self.recent.newest() } else { 0 }
    }

    pub(crate) fn known(&self, id: CommandId, content: u64) -> CommandIdStatus {
        match id.source.cmp(&self.source) {
            Ordering::Less => CommandIdStatus::Unusable(Refusal::CommandTooOld),
            Ordering::Equal => self.recent.known(id.sequence, content),
            Ordering::Greater => RecentCommands::default().known(id.sequence, content),
        }
    }

    /// Remembers a command, forgetting the oldest.
    pub(crate) fn remember(&mut self, id: CommandId, content: u64, verdict: Verdict) {
        if id.source > self.source {
            *self = Self { source: id.source, recent: RecentCommands::default() };
        }
        self.recent.remember(id.sequence, content, verdict);
    }
}

/// A hash of a command's content. It only distinguishes what one source sends under one number: a terminal that makes
/// two contents collide gets the reply to the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandHash(u64);

impl CommandHash {
    /// The hash of nothing, for one kind of command.
    pub(crate) const fn of(kind: u64) -> Self {
        Self(kind ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// The hash of a whole command, by its bytes.
    ///
    /// # Panics
    /// If the command cannot be written down, which no command of this crate is.
    pub(crate) fn of_bytes(kind: u64, command: &impl Serialize) -> Self {
        // Most commands fit on the stack.
        let longer;
        let mut room = [0; 128];
        let bytes: &[u8] = if let Ok(bytes) = postcard::to_slice(command, &mut room) {
            bytes
        } else {
            longer = postcard::to_allocvec(command).expect("a command has bytes");
            &longer
        };
        let mut hash = Self::of(kind);
        for chunk in bytes.chunks(8) {
            let mut number = [0; 8];
            number[..chunk.len()].copy_from_slice(chunk);
            hash = hash.with(u64::from_le_bytes(number));
        }
        hash.with(bytes.len().try_into().unwrap_or(u64::MAX))
    }

    /// Mixes in a number.
    #[must_use]
    pub(crate) const fn with(self, number: u64) -> Self {
        // A product of two 64-bit numbers, its halves folded together, mixes every bit.
        let wide = widen(self.0 ^ number) * widen(0xD6E8_FEB8_6659_FD93);
        Self(fold(wide) ^ self.0.rotate_left(23))
    }

    /// The hash.
    pub(crate) const fn finish(self) -> u64 {
        self.0
    }
}

#[expect(clippy::as_conversions, reason = "u64 to u128 loses nothing; From is not const")]
const fn widen(number: u64) -> u128 {
    number as u128
}

#[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "the halves of a hash, not an amount")]
const fn fold(wide: u128) -> u64 {
    (wide >> 64) as u64 ^ wide as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_new_known_reused_or_too_old() {
        let mut recent = RecentCommands::default();
        assert_eq!(recent.known(0, 7), CommandIdStatus::Unusable(Refusal::CommandTooOld), "numbers begin at one");
        for sequence in [3, 5, 6, 9, 12] {
            assert_eq!(recent.known(sequence, 7), CommandIdStatus::New);
            recent.remember(sequence, 7, Verdict::Refused(Refusal::BetsClosed));
        }
        for (sequence, content, known) in [
            (12, 7, CommandIdStatus::Answered(Verdict::Refused(Refusal::BetsClosed))),
            (5, 7, CommandIdStatus::Answered(Verdict::Refused(Refusal::BetsClosed))),
            (5, 8, CommandIdStatus::Unusable(Refusal::CommandIdReused)),
            (3, 7, CommandIdStatus::Unusable(Refusal::CommandTooOld)),
            (7, 7, CommandIdStatus::Unusable(Refusal::CommandTooOld)),
            (13, 7, CommandIdStatus::New),
        ] {
            assert_eq!(recent.known(sequence, content), known, "{sequence}");
        }
    }

    #[test]
    fn a_replaced_terminal_counts_anew_and_the_one_before_is_too_old() {
        let mut latest = LatestSourceCommands::default();
        let id = |source, sequence| CommandId { source, sequence };
        latest.remember(id(5, 90), 7, Verdict::Accepted);
        assert_eq!(latest.known(id(6, 1), 7), CommandIdStatus::New);
        assert_eq!(
            latest.known(id(6, 0), 7),
            CommandIdStatus::Unusable(Refusal::CommandTooOld),
            "numbers begin at one"
        );
        latest.remember(id(6, 1), 8, Verdict::Accepted);
        assert_eq!(latest.known(id(6, 1), 8), CommandIdStatus::Answered(Verdict::Accepted));
        assert_eq!(
            latest.known(id(5, 90), 7),
            CommandIdStatus::Unusable(Refusal::CommandTooOld),
            "not carried out twice"
        );
        assert_eq!(latest.known(id(5, 91), 7), CommandIdStatus::Unusable(Refusal::CommandTooOld));
    }

    #[test]
    fn content_distinguishes_order_and_kind() {
        let hash = |kind, numbers: &[u64]| numbers.iter().fold(CommandHash::of(kind), |hash, n| hash.with(*n)).finish();
        assert_eq!(hash(1, &[1, 2]), hash(1, &[1, 2]));
        for other in [hash(1, &[2, 1]), hash(2, &[1, 2]), hash(1, &[1, 2, 0]), hash(1, &[1])] {
            assert_ne!(hash(1, &[1, 2]), other);
        }
    }
}

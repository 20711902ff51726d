//! The recent commands of each source. Memory is bounded: when there are too many sources, the least recently active
//! source is forgotten first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identity::CommandId;
use crate::recent::{CommandIdStatus, RecentCommands, Verdict};
use crate::refusal::Refusal;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommandsBySource {
    kept: BTreeMap<u64, SourceCommands>,
    /// Sources by the turn of their last command, the least recently active first.
    by_turn: BTreeMap<u64, u64>,
    turn: u64,
    /// The newest source that was forgotten.
    forgotten: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SourceCommands {
    recent: RecentCommands,
    turn: u64,
}

impl CommandsBySource {
    pub(crate) fn known(&self, id: CommandId, content: u64) -> CommandIdStatus {
        match self.kept.get(&id.source) {
            Some(source) => source.recent.known(id.sequence, content),
            // The source may have sent this command before it was forgotten: refuse it rather than carry it out twice.
            None if self.forgotten.is_some_and(|forgotten| id.source <= forgotten) => {
                CommandIdStatus::Unusable(Refusal::CommandTooOld)
            }
            None => RecentCommands::default().known(id.sequence, content),
        }
    }

    /// The number of the newest command of a source; zero if none is remembered.
    pub(crate) fn newest(&self, source: u64) -> u64 {
        self.kept.get(&source).map_or(0, |source| source.recent.newest())
    }

    /// Every remembered source with the number of its newest command, the most recently active first.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (u64, u64)> {
        self.by_turn.values().rev().map(|source| (*source, self.newest(*source)))
    }

    /// The highest source so far; zero if there is none.
    pub(crate) fn highest(&self) -> u64 {
        let kept = self.kept.last_key_value().map(|(source, _)| *source);
        kept.max(self.forgotten).unwrap_or(0)
    }

    /// How many sources a machine remembers when it does not know how many exist.
    pub(crate) const MANY: usize = 1_024;

    /// Remembers a command unless its id was unusable, and keeps at most `most` sources.
    pub(crate) fn remember(&mut self, id: CommandId, content: u64, verdict: Verdict, most: usize) {
        if verdict.is_of_id() {
            return;
        }
        self.turn += 1;
        let source = self.kept.entry(id.source).or_default();
        source.recent.remember(id.sequence, content, verdict);
        self.by_turn.remove(&source.turn);
        source.turn = self.turn;
        self.by_turn.insert(self.turn, id.source);
        while self.kept.len() > most {
            let Some((_, silent)) = self.by_turn.pop_first() else { break };
            self.kept.remove(&silent);
            self.forgotten = self.forgotten.max(Some(silent));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_active_source_is_forgotten_first() {
        let mut sources = CommandsBySource::default();
        let id = |source, sequence| CommandId { source, sequence };
        for source in 0..3 {
            sources.remember(id(source, 1), 7, Verdict::Accepted, 3);
        }
        sources.remember(id(0, 2), 7, Verdict::Accepted, 3);
        sources.remember(id(3, 1), 7, Verdict::Accepted, 3);
        assert_eq!((sources.kept.len(), sources.by_turn.len()), (3, 3));
        assert_eq!(sources.known(id(0, 1), 7), CommandIdStatus::Answered(Verdict::Accepted), "active again");
        assert_eq!(
            sources.known(id(1, 1), 7),
            CommandIdStatus::Unusable(Refusal::CommandTooOld),
            "least recently active"
        );
        assert_eq!(sources.known(id(4, 1), 7), CommandIdStatus::New);
        assert_eq!(sources.highest(), 3);
        assert_eq!(sources.known(id(2, 1), 7), CommandIdStatus::Answered(Verdict::Accepted));
    }
}

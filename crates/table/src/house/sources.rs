//! The last commands of each source. Their number is bounded: with people, devices and logins that come and go, the
//! sources longest silent are forgotten first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identity::CommandId;
use crate::recent::{Known, Recent, Verdict};

/// How many sources are kept besides those that people and devices on file account for.
const LEAST: usize = 1_024;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sources {
    kept: BTreeMap<u64, Source>,
    /// Which source was heard at which turn, the longest silent first.
    heard: BTreeMap<u64, u64>,
    turn: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    recent: Recent,
    heard: u64,
}

impl Sources {
    pub(super) fn known(&self, id: CommandId, content: u64) -> Known {
        self.kept.get(&id.source).copied().unwrap_or_default().recent.known(id.sequence, content)
    }

    /// Remembers a command, keeping two sources for each that is on file.
    pub(super) fn remember(&mut self, id: CommandId, content: u64, verdict: Verdict, on_file: usize) {
        self.turn += 1;
        let source = self.kept.entry(id.source).or_default();
        source.recent.remember(id.sequence, content, verdict);
        self.heard.remove(&source.heard);
        source.heard = self.turn;
        self.heard.insert(self.turn, id.source);
        while self.kept.len() > LEAST + 2 * on_file {
            let Some((_, silent)) = self.heard.pop_first() else { break };
            self.kept.remove(&silent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_silent_source_is_forgotten_first() {
        let mut sources = Sources::default();
        let id = |source, sequence| CommandId { source, sequence };
        let most = u64::try_from(LEAST + 2).unwrap();
        for source in 0..most {
            sources.remember(id(source, 1), 7, Verdict::Accepted, 1);
        }
        sources.remember(id(0, 2), 7, Verdict::Accepted, 1);
        sources.remember(id(most, 1), 7, Verdict::Accepted, 1);
        assert_eq!(sources.kept.len(), LEAST + 2);
        assert_eq!(sources.heard.len(), LEAST + 2);
        assert_eq!(sources.known(id(0, 1), 7), Known::Answered(Verdict::Accepted), "heard again");
        assert_eq!(sources.known(id(1, 1), 7), Known::New, "silent longest");
        assert_eq!(sources.known(id(2, 1), 7), Known::Answered(Verdict::Accepted));
    }
}

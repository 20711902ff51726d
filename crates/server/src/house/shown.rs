//! What is shown of the running House, and to whom. Parts go out at most ten times a second.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use taisai_table::Time;
use tokio::time::Instant;

use super::RunningHouse;
use super::view::Part;
use crate::leaving::{Said, Topic, json};
use crate::line::Line;

const SHOWN: Duration = Duration::from_millis(100);

/// The parts as they were last shown, and when they are looked at again.
#[derive(Debug, Default)]
pub(super) struct Shown {
    parts: BTreeMap<Part, Numbered>,
    due: Option<Instant>,
}

/// A part with its number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Numbered {
    number: u64,
    all: Value,
}

/// A message to a staff screen.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Message<'a> {
    /// Everything, once.
    Snapshot { time: Time, source: u64, sequence: u64, parts: BTreeMap<&'static str, &'a Numbered> },
    /// A part that has changed.
    Parts(BTreeMap<&'static str, &'a Numbered>),
}

impl Shown {
    pub(super) const fn due(&self) -> Option<Instant> {
        self.due
    }
}

impl RunningHouse {
    pub(super) fn follow(&mut self, topic: Topic, source: u64, line: Line) {
        self.show_now();
        let parts = Part::ALL.into_iter().filter(|part| part.topics().contains(&topic));
        let parts = parts.filter_map(|part| Some((part.name(), self.shown.parts.get(&part)?))).collect();
        let snapshot = json(&Message::Snapshot {
            time: self.clock.now(),
            source,
            sequence: self.house.machine().newest(source),
            parts,
        });
        self.said.push(Said::Follows(line, vec![topic], snapshot));
    }

    /// Shows what has changed, now or soon.
    pub(super) fn show(&mut self) {
        let is_followed = [Topic::Pit, Topic::Cage, Topic::Audit].iter().any(|topic| self.voice.followed.any(*topic));
        if !is_followed {
            self.shown.due = None;
            return;
        }
        let now = Instant::now();
        match self.shown.due {
            None => self.shown.due = Some(now + SHOWN),
            Some(due) if due > now => {}
            Some(_) => self.show_now(),
        }
    }

    fn show_now(&mut self) {
        self.shown.due = None;
        for part in Part::ALL {
            let all = part.of(self.house.machine());
            let shown = self.shown.parts.entry(part).or_default();
            if shown.all == all {
                continue;
            }
            *shown = Numbered { number: shown.number + 1, all };
            let message = json(&Message::Parts(BTreeMap::from([(part.name(), &*shown)])));
            for topic in part.topics() {
                self.said.push(Said::All(*topic, message.clone()));
            }
        }
    }
}

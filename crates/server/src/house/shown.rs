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
    /// How often the House was asked anything.
    asked: u64,
    due: Option<Instant>,
}

/// A part with its number.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Numbered {
    number: u64,
    all: Value,
    /// How often the House had been asked when it was last looked at.
    #[serde(skip)]
    asked: u64,
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

    /// The House is asked something: every part may be another.
    pub(super) const fn asked(&mut self) {
        self.asked += 1;
    }

    fn is_old(&self, part: Part) -> bool {
        self.parts.get(&part).is_none_or(|shown| shown.asked < self.asked)
    }
}

impl RunningHouse {
    pub(super) fn follow(&mut self, topic: Topic, source: u64, line: Line) {
        self.show_now(Some(topic));
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
        if self.old(None).next().is_none() {
            self.shown.due = None;
            return;
        }
        let now = Instant::now();
        match self.shown.due {
            None => self.shown.due = Some(now + SHOWN),
            Some(due) if due > now => {}
            Some(_) => self.show_now(None),
        }
    }

    /// The parts that someone follows, or is about to, and that may be others by now.
    fn old(&self, new: Option<Topic>) -> impl Iterator<Item = Part> {
        let is_followed = move |topic: &Topic| new == Some(*topic) || self.voice.followed.any(*topic);
        Part::ALL.into_iter().filter(move |part| self.shown.is_old(*part) && part.topics().iter().any(is_followed))
    }

    fn show_now(&mut self, new: Option<Topic>) {
        self.shown.due = None;
        let asked = self.shown.asked;
        for part in self.old(new).collect::<Vec<_>>() {
            let all = part.of(self.house.machine());
            let shown = self.shown.parts.entry(part).or_default();
            shown.asked = asked;
            if shown.all == all {
                continue;
            }
            *shown = Numbered { number: shown.number + 1, all, asked };
            let message = json(&Message::Parts(BTreeMap::from([(part.name(), &*shown)])));
            for topic in part.topics() {
                self.said.push(Said::All(*topic, message.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use taisai_table::{Act, DeviceId, HouseCommand, Role};

    use super::*;
    use crate::house::HouseMail;
    use crate::leaving::Answer;
    use crate::line::Messages;
    use crate::people::running::{Running, SUPERVISOR, person};

    async fn follow(house: &Running, topic: Topic) -> (Messages, Value) {
        let (line, mut messages) = Line::new();
        let source = house.server.sources.next();
        house.server.doors.house().send(HouseMail::Follow { topic, source, line }).await.unwrap();
        let snapshot = next(&mut messages).await;
        (messages, snapshot["snapshot"]["parts"].clone())
    }

    async fn next(messages: &mut Messages) -> Value {
        let mut waiting = Vec::new();
        assert!(messages.take(&mut waiting).await);
        serde_json::from_str(waiting.last().unwrap()).unwrap()
    }

    async fn copied(house: &Running) {
        let answer = house.server.doors.house().own(HouseCommand::CopiedToken { device: DeviceId(9) }).await;
        assert!(matches!(answer, Ok(Answer::Accepted(_))));
    }

    async fn approval_asked(house: &Running) {
        let command = HouseCommand::RequestApproval { act: Act::Correct, what: "{}".to_owned() };
        let answer = house.ask(person(SUPERVISOR, Role::PitSupervisor), command).await;
        assert!(matches!(answer, Answer::Accepted(_)), "{answer:?}");
    }

    /// The cage sees no events: they are gathered when the pit comes, and told it from then on.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_part_is_gathered_for_those_who_follow_it() {
        let house = Running::start().await;
        let (mut cage, parts) = follow(&house, Topic::Cage).await;
        assert!(parts["people"].is_object() && parts["events"].is_null(), "{parts}");
        // Whatever has changed is shown to the cage in the same moment as this, twice.
        for _ in 0..2 {
            copied(&house).await;
            approval_asked(&house).await;
            let changed = next(&mut cage).await;
            assert!(changed["parts"]["approvals"].is_object(), "{changed}");
        }
        let (mut pit, parts) = follow(&house, Topic::Pit).await;
        let count = parts["events"]["all"].as_array().unwrap().len();
        assert_eq!(parts["events"]["number"], 1);
        copied(&house).await;
        let changed = next(&mut pit).await;
        assert_eq!(changed["parts"]["events"]["number"], 2, "{changed}");
        assert_eq!(changed["parts"]["events"]["all"].as_array().unwrap().len(), count + 1);
        house.close().await;
    }
}

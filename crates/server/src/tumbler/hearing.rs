//! A tumbler is heard: what it says is put before the round of its table, and answered. Nonsense, haste and repetition are
//! answered with a refusal, and too much of them ends the connection. Its faults go to the house's significant events.

use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use taisai_table::{Actor, CommandId, HouseCommand, Report, TableId};

use super::message::{Unreadable, Word, read};
use super::pace::Pace;
use crate::denied::Denied;
use crate::devices::Proven;
use crate::house::{HouseDoor, HouseMail};
use crate::leaving::{Answer, Reply, json};
use crate::stopped::Stopped;
use crate::table::TableDoor;

/// How fast a tumbler may speak: a tumble is some five messages in ten seconds.
const MESSAGES: (u32, Duration) = (32, Duration::from_millis(100));

/// How often faults are taken down: one that does not go away is still one.
const FAULTS: (u32, Duration) = (3, Duration::from_secs(20));

/// So many messages in a row that cannot be read or come too fast end the connection.
const PATIENCE: u32 = 64;

/// What is done after a message.
pub(super) enum Heard {
    /// It is answered.
    Answer(Utf8Bytes),
    /// There were too many of its kind.
    Enough(Denied),
}

/// The answer to a message; without its number where that could not be read.
#[derive(Serialize)]
struct Answered {
    sequence: Option<u64>,
    answer: Answer,
}

/// A tumbler at a table.
pub(super) struct Hearing {
    tumbler: Proven,
    table: TableId,
    door: TableDoor,
    house: HouseDoor,
    messages: Pace,
    faults: Pace,
    denied: u32,
}

impl Hearing {
    pub(super) fn new(tumbler: Proven, table: TableId, door: TableDoor, house: HouseDoor) -> Self {
        let pace = |(most, each)| Pace::new(most, each, Instant::now());
        Self { tumbler, table, door, house, messages: pace(MESSAGES), faults: pace(FAULTS), denied: 0 }
    }

    /// Whether the tumbler is still on file: one that was revoked is heard no more.
    pub(super) async fn may_speak(&self) -> Result<bool, Stopped> {
        let device = self.tumbler.device;
        self.house.look(move |house| house.device(device).is_some_and(|device| !device.is_revoked)).await
    }

    /// Hears a message and waits for its answer, so that no more than one of them is ever on its way.
    pub(super) async fn hear(&mut self, text: &str) -> Result<Heard, Stopped> {
        if !self.messages.allows(Instant::now()) {
            return Ok(self.deny(None, Denied::TooMany));
        }
        let (sequence, word) = match read(text) {
            Ok(message) => message,
            Err(Unreadable(sequence)) => return Ok(self.deny(sequence, Denied::BadRequest)),
        };
        if !self.may_speak().await? {
            return Ok(Heard::Enough(Denied::NotYours));
        }
        let answer = match word {
            Word::Command(command) => {
                let id = CommandId { source: self.tumbler.source, sequence };
                self.door.ask_round(Actor::Tumbler(self.tumbler.device), id, command).await?
            }
            Word::Fault(what) => {
                if !self.faults.allows(Instant::now()) {
                    return Ok(self.deny(Some(sequence), Denied::TooMany));
                }
                self.report(&what).await?
            }
        };
        self.denied = 0;
        Ok(Heard::Answer(json(&Answered { sequence: Some(sequence), answer })))
    }

    /// What is wrong is for people: it is in the log, and an event says that there is something.
    async fn report(&self, what: &str) -> Result<Answer, Stopped> {
        let (table, tumbler) = (self.table, self.tumbler.device);
        tracing::warn!(table = table.0, device = tumbler.0, what, "a tumbler is out of order");
        let (reply, answer) = tokio::sync::oneshot::channel();
        let command = HouseCommand::Report { what: Report::TumblerFault { table, tumbler } };
        let letter = HouseMail::Own(command, Reply::Once(reply));
        self.house.0.send(letter).await.map_err(|_| Stopped::Closed)?;
        answer.await.map_err(|_| Stopped::Closed)?;
        Ok(Answer::Accepted(None))
    }

    fn deny(&mut self, sequence: Option<u64>, denied: Denied) -> Heard {
        self.denied += 1;
        if self.denied > PATIENCE {
            Heard::Enough(denied)
        } else {
            Heard::Answer(json(&Answered { sequence, answer: Answer::Refused(denied.into()) }))
        }
    }
}

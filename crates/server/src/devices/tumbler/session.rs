//! A tumbler is heard: what it says is put before the round of its table, and answered. Nonsense, haste and repetition are
//! answered with a refusal, and too much of them ends the connection. Its faults go to the house's significant events.

use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use taisai_table::{Actor, CommandId, House, HouseCommand, Refusal, ReportedEvent, TableId};

use super::message::{TumblerCommand, UnreadableMessage, read};
use crate::devices::{Proven, RateLimit};
use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, json};
use crate::node::handle::HouseHandle;
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;

/// How fast a tumbler may speak: a tumble is some five messages in ten seconds.
const MESSAGE_RATE: (u32, Duration) = (32, Duration::from_millis(100));

/// How often faults are taken down: one that does not go away is still one.
const FAULT_RATE: (u32, Duration) = (3, Duration::from_secs(20));

/// So many messages in a row that cannot be read or come too fast end the connection.
const MAX_DENIED_IN_A_ROW: u32 = 64;

/// What is done after a message.
pub(super) enum TumblerReply {
    /// It is answered.
    Send(Utf8Bytes),
    /// There were too many of its kind.
    Enough(Denied),
}

/// The answer to a message; without its number where that could not be read.
#[derive(Serialize)]
struct Answered {
    sequence: Option<u64>,
    answer: CommandReply,
}

/// A tumbler at a table.
pub(super) struct TumblerSession {
    tumbler: Proven,
    table: TableId,
    handle: TableHandle,
    house: HouseHandle,
    messages: RateLimit,
    faults: RateLimit,
    denied: u32,
}

impl TumblerSession {
    pub(super) fn new(tumbler: Proven, table: TableId, handle: TableHandle, house: HouseHandle) -> Self {
        let pace = |(most, each)| RateLimit::new(most, each, Instant::now());
        Self { tumbler, table, handle, house, messages: pace(MESSAGE_RATE), faults: pace(FAULT_RATE), denied: 0 }
    }

    /// Whether the tumbler is still on file: one that was revoked is heard no more.
    pub(super) async fn may_speak(&self) -> Result<bool, Stopped> {
        Ok(self.newest_fault().await?.is_some())
    }

    /// The number of the newest fault, as long as the tumbler is on file.
    async fn newest_fault(&self) -> Result<Option<u64>, Stopped> {
        let Proven { device, source, .. } = self.tumbler;
        let is_known = move |house: &House| house.device(device).is_some_and(|device| !device.is_revoked);
        self.house.look(move |house| is_known(house).then(|| house.newest(source))).await
    }

    /// Hears a message and waits for its answer, so that no more than one of them is ever on its way.
    pub(super) async fn receive(&mut self, text: &str) -> Result<TumblerReply, Stopped> {
        if !self.messages.allows(Instant::now()) {
            return Ok(self.deny(None, Denied::TooMany));
        }
        let (sequence, word) = match read(text) {
            Ok(message) => message,
            Err(UnreadableMessage(sequence)) => return Ok(self.deny(sequence, Denied::BadRequest)),
        };
        let Some(fault) = self.newest_fault().await? else {
            return Ok(TumblerReply::Enough(Denied::NotYours));
        };
        let id = CommandId { source: self.tumbler.source, sequence };
        let command = self.handle.look_at_round(move |round| round.newest(id.source)).await?;
        // Commands are the round's and faults the House's: what is new to the one is not old to the other.
        let (newest, others) = match word {
            TumblerCommand::Command(_) => (command, fault),
            TumblerCommand::Fault(_) => (fault, command),
        };
        let is_new = sequence > newest;
        let answer = match word {
            TumblerCommand::Command(_) | TumblerCommand::Fault(_) if is_new && sequence <= others => {
                let refusal = if sequence == others { Refusal::CommandIdReused } else { Refusal::CommandTooOld };
                CommandReply::refused(refusal)
            }
            TumblerCommand::Command(command) => {
                self.handle.ask_round(Actor::Tumbler(self.tumbler.device), id, command).await?
            }
            TumblerCommand::Fault(what) => {
                if is_new && !self.faults.allows(Instant::now()) {
                    return Ok(self.deny(Some(sequence), Denied::TooMany));
                }
                self.report(id, &what).await?
            }
        };
        self.denied = 0;
        Ok(TumblerReply::Send(json(&Answered { sequence: Some(sequence), answer })))
    }

    /// What is wrong is for people: it is in the log, and an event says that there is something.
    async fn report(&self, id: CommandId, what: &str) -> Result<CommandReply, Stopped> {
        let (table, tumbler) = (self.table, self.tumbler.device);
        tracing::warn!(table = table.0, device = tumbler.0, what, "a tumbler reports a fault");
        let command = HouseCommand::Report { what: ReportedEvent::TumblerFault { table, tumbler } };
        Ok(match self.house.ask(Actor::System, id, command).await? {
            CommandReply::Accepted(_) => CommandReply::Accepted(None),
            CommandReply::Refused(refused) => CommandReply::Refused(refused),
        })
    }

    fn deny(&mut self, sequence: Option<u64>, denied: Denied) -> TumblerReply {
        self.denied += 1;
        if self.denied > MAX_DENIED_IN_A_ROW {
            TumblerReply::Enough(denied)
        } else {
            TumblerReply::Send(json(&Answered { sequence, answer: CommandReply::Refused(denied.into()) }))
        }
    }
}

//! The session of a tumbler: its messages become commands of its table's round. Bad, too frequent and repeated messages are refused,
//! and too many of them end the connection. Faults become significant events of the House.

use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use taisai_table::{Actor, CommandId, House, HouseCommand, Refusal, ReportedEvent, TableId};

use super::message::{TumblerCommand, read};
use crate::devices::{DeviceReply, Proven, RateLimit, UnreadableMessage};
use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, json};
use crate::node::handle::HouseHandle;
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;

/// A tumble is about five messages in ten seconds.
const MESSAGE_RATE: (u32, Duration) = (32, Duration::from_millis(100));

/// A fault that persists is recorded only now and then.
const FAULT_RATE: (u32, Duration) = (3, Duration::from_secs(20));

/// More unreadable or too frequent messages in a row close the connection.
const MAX_DENIED_IN_A_ROW: u32 = 64;

pub(super) enum TumblerReply {
    Send(Utf8Bytes),
    /// Too many messages were denied: close the connection.
    Enough(Denied),
}

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
        let limit = |(most, each)| RateLimit::new(most, each, Instant::now());
        Self { tumbler, table, handle, house, messages: limit(MESSAGE_RATE), faults: limit(FAULT_RATE), denied: 0 }
    }

    /// Whether the tumbler is on file and not revoked.
    pub(super) async fn is_accepted(&self) -> Result<bool, Stopped> {
        Ok(self.newest_fault().await?.is_some())
    }

    /// The number of the newest fault, as long as the tumbler is on file.
    async fn newest_fault(&self) -> Result<Option<u64>, Stopped> {
        let Proven { device, source, .. } = self.tumbler;
        let is_known = move |house: &House| house.device(device).is_some_and(|device| !device.is_revoked);
        self.house.read(move |house| is_known(house).then(|| house.newest(source))).await
    }

    /// Waits for the reply, so that at most one command is on its way.
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
        let command = self.handle.read_round(move |round| round.newest(id.source)).await?;
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
        Ok(TumblerReply::Send(json(&DeviceReply { sequence: Some(sequence), answer })))
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
            TumblerReply::Send(json(&DeviceReply { sequence, answer: CommandReply::Refused(denied.into()) }))
        }
    }
}

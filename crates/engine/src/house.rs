//! The House as a partition: it takes commands, exchanges money with clusters, and publishes its lists to staff screens.

mod delivery;
mod lists;
mod published;
mod seat_money;
#[cfg(test)]
mod tests;
mod vouchers;

use taisai_table::{
    Actor, BrokenInvariant, ClusterId, CommandId, CommandRequest, Decision, House, HouseCommand, HouseEvent, MachineId,
    ReportedEvent, Time, Transfer, VoucherHash,
};

pub use lists::{
    ApprovalOnFile, ClaimOnFile, DeviceOnFile, EmployeeOnFile, HouseList, ListName, Numbered, ReceivableOnFile,
    SignificantOnFile, TableOnFile, VoucherOnFile, own_approvals,
};
pub use seat_money::SeatMoney;
pub use vouchers::{AwaitedVouchers, VoucherFate};

use crate::effect::{CallerId, ConnectionId, Effects, NewestCommand, Reply, ReplyTo, ScreenChange, Topic};
use crate::message::Message;
use crate::planted::{Mistake, makes};
use crate::recorded::DecidingMachine;
use crate::timer::{Millis, earliest};
use crate::worker::WorkerStop;
use delivery::Delivery;
use published::PublishedLists;

/// How often vouchers and approvals expire and the state is vouched for.
const TICK_INTERVAL: Millis = Millis(60_000);

/// After this many commands the ledger is summed. It has few accounts, so this costs little however long the casino runs; everything
/// else is checked with each tick.
const LEDGER_CHECK_INTERVAL: u32 = 256;

/// An input for the House.
#[derive(Debug)]
pub enum HouseInput {
    /// A command of a person or a device.
    Command {
        /// Who sends it.
        actor: Actor,
        /// Its id: a command that is sent again has the same.
        id: CommandId,
        command: HouseCommand,
        /// Where the reply goes.
        reply: ReplyTo,
    },
    /// A command of the program itself, under the partition's own id.
    Own {
        command: HouseCommand,
        /// Where the reply goes.
        reply: ReplyTo,
    },
    /// A screen follows a topic from now on.
    Subscribe {
        topic: Topic,
        /// The screen.
        connection: ConnectionId,
        /// The source of the screen's commands.
        source: u64,
    },
    /// A caller waits for the voucher of a cash-out that a cluster has accepted. One that was refused never comes.
    AwaitVoucher {
        /// The hash of its number.
        hash: VoucherHash,
        caller: CallerId,
    },
    /// The topics that some screen follows. The host sends them whenever that changes; lists of others are not made.
    Watched {
        /// All of them.
        topics: Vec<Topic>,
    },
    /// The host closes: the state is vouched for as it stands after this batch.
    Checkpoint,
}

/// The House with what it sends and publishes, and the callers who wait for vouchers.
#[derive(Debug)]
pub struct HousePartition {
    house: DecidingMachine<House>,
    delivery: Delivery,
    lists: PublishedLists,
    awaited: AwaitedVouchers,
    /// The first tick is due at once: vouchers may have expired while nobody ran the House.
    tick_at: Time,
    is_checkpoint_due: bool,
    /// How many commands were decided since the ledger was summed.
    unchecked: u32,
}

impl HousePartition {
    /// `source` numbers the partition's own commands: no other source has it, and it is higher than those on record.
    pub fn new(house: House, source: u64) -> Self {
        Self {
            house: DecidingMachine::new(house, source),
            delivery: Delivery::default(),
            lists: PublishedLists::default(),
            awaited: AwaitedVouchers::default(),
            tick_at: Time(0),
            is_checkpoint_due: false,
            unchecked: 0,
        }
    }

    /// The House as it stands, ahead of what is durable.
    pub const fn machine(&self) -> &House {
        self.house.machine()
    }

    pub(crate) fn start(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        self.tick_at = now;
        self.check(effects)
    }

    pub(crate) fn handle(&mut self, now: Time, input: HouseInput, effects: &mut Effects) {
        match input {
            HouseInput::Command { actor, id, command, reply } => {
                let decision = self.decide(CommandRequest { time: now, actor, id, command });
                send_reply(reply, decision, effects);
            }
            HouseInput::Own { command, reply } => {
                let decision = self.decide_own(now, command);
                send_reply(reply, decision, effects);
            }
            HouseInput::Subscribe { topic, connection, source } => {
                self.lists.publish_topic(topic, self.house.machine(), effects);
                let counted = NewestCommand { source, sequence: self.machine().newest(source) };
                let topics = vec![topic];
                effects.publish(ScreenChange::Subscribed { connection, topics, time: now, counted: Some(counted) });
            }
            HouseInput::AwaitVoucher { hash, caller } => {
                self.awaited.wait(self.house.machine(), hash, caller, &mut effects.held);
            }
            HouseInput::Watched { topics } => self.lists.watch(topics),
            HouseInput::Checkpoint => self.is_checkpoint_due = true,
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "every partition takes over the messages that it receives")]
    pub(crate) fn receive(&mut self, now: Time, message: Message, effects: &mut Effects) {
        match message {
            Message::ToHouse { cluster, transfer } => self.receive_transfer(now, cluster, transfer, effects),
            Message::ClusterHolds { cluster, number } => {
                // The cluster sends this again for each transfer that it was sent again.
                if self.machine().outbox(cluster).next().is_some_and(|first| first.number == number) {
                    self.decide_own(now, HouseCommand::Delivered { cluster, number });
                }
            }
            Message::Report { from, id, is_first, what } => {
                if self.receive_report(now, id, is_first, what) {
                    effects.send(Message::ReportHeld { to: from, id });
                }
            }
            // These have other receivers.
            Message::Notice { .. }
            | Message::Followed { .. }
            | Message::RoundHolds { .. }
            | Message::HouseHolds { .. }
            | Message::ToCluster { .. }
            | Message::ReportHeld { .. }
            | Message::SeatMoney { .. }
            | Message::ClusterView { .. }
            | Message::ShowTable { .. }
            | Message::PublicView { .. } => {}
        }
    }

    /// The House acknowledges a transfer only once it is recorded; a refused transfer is retried, as is one that overtakes another.
    fn receive_transfer(&mut self, now: Time, cluster: ClusterId, mut transfer: Transfer, effects: &mut Effects) {
        let number = transfer.number;
        if makes(Mistake::TransferTakenTwice) && number == self.machine().received(cluster) {
            transfer.number += 1;
            self.decide_own(now, HouseCommand::Receive { cluster, transfer });
        }
        if number.checked_sub(1) == Some(self.machine().received(cluster)) {
            let decision = self.decide_own(now, HouseCommand::Receive { cluster, transfer });
            self.awaited.received(self.house.machine(), &transfer, &decision, &mut effects.held);
        }
        if self.machine().received(cluster) >= number || makes(Mistake::TransferAcknowledgedUnheld) {
            effects.send(Message::HouseHolds { cluster, number });
        }
    }

    /// Whether the House holds a report now. One that overtakes another is not taken: it is sent again after that.
    fn receive_report(&mut self, now: Time, id: CommandId, is_first: bool, what: ReportedEvent) -> bool {
        let newest = self.machine().newest(id.source);
        if id.sequence <= newest {
            return true;
        }
        if !is_first && id.sequence != newest + 1 {
            return false;
        }
        let command = HouseCommand::Report { what };
        let request = CommandRequest { time: now, actor: Actor::System, id, command: command.clone() };
        // The House forgets sources that are silent for long. An id that cannot be used must not lose the report.
        if self.decide(request).verdict().is_of_id() {
            self.decide_own(now, command);
        }
        true
    }

    fn decide(&mut self, request: CommandRequest<HouseCommand>) -> Decision<HouseEvent> {
        self.lists.expire();
        self.delivery.seats_changed(seat_money::affected_seats(self.house.machine(), &request.command));
        self.unchecked += 1;
        self.house.ask(request)
    }

    fn decide_own(&mut self, now: Time, command: HouseCommand) -> Decision<HouseEvent> {
        let request = self.house.own(now, command);
        self.decide(request)
    }

    pub(crate) fn on_time(&mut self, now: Time, _effects: &mut Effects) {
        if self.tick_at <= now {
            self.tick_at = TICK_INTERVAL.after(now);
            self.decide_own(now, HouseCommand::Tick);
            self.is_checkpoint_due = true;
        }
        self.delivery.retry(now);
    }

    pub(crate) fn send(&mut self, now: Time, effects: &mut Effects) {
        self.delivery.send(now, self.house.machine(), effects);
    }

    pub(crate) fn publish(&mut self, now: Time, effects: &mut Effects) {
        self.lists.publish_watched(now, self.house.machine(), effects);
    }

    pub(crate) fn append(&mut self, effects: &mut Effects) {
        effects.append(MachineId::House, &mut self.house.undurable);
    }

    pub(crate) fn end(&mut self, effects: &mut Effects) -> Result<(), WorkerStop> {
        self.append(effects);
        if std::mem::take(&mut self.is_checkpoint_due) {
            self.check(effects)?;
            effects.checkpoints.push(MachineId::House);
        } else if self.unchecked >= LEDGER_CHECK_INTERVAL {
            self.stand_by(self.machine().ledger_sums_to_zero(), effects)?;
        }
        Ok(())
    }

    fn check(&mut self, effects: &mut Effects) -> Result<(), WorkerStop> {
        self.stand_by(self.machine().check(), effects)
    }

    /// The House stops rather than go on with wrong money: nothing of this batch is recorded.
    fn stand_by(&mut self, checked: Result<(), BrokenInvariant>, effects: &mut Effects) -> Result<(), WorkerStop> {
        self.unchecked = 0;
        effects.counts.are_sound = Some(checked.is_ok());
        checked.map_err(|broken| WorkerStop::Broken { of: MachineId::House, broken })
    }

    pub(crate) fn next_timer(&self) -> Option<Time> {
        earliest([Some(self.tick_at), self.delivery.next_timer(), self.lists.due()])
    }
}

fn send_reply(to: ReplyTo, decision: Decision<HouseEvent>, effects: &mut Effects) {
    let verdict = decision.verdict();
    let (is_repeated, event) = match decision {
        Decision::Accepted(event) => (false, Some(Box::new(event))),
        Decision::Refused(refusal) => {
            effects.counts.refusals.push(refusal);
            (false, None)
        }
        Decision::Repeated(_) => (true, None),
    };
    effects.reply(to, Reply { verdict, is_repeated, event });
}

//! Effects that may leave are carried out, and everything that leaves is checked against what the store holds.

use taisai_engine::{ClusterInput, Effect, Input, Message, Reply, ScreenChange, VoucherFate};
use taisai_table::{ClusterId, CommandId, MachineId, RoundNumber, Verdict, VoucherOrigin};

use super::{ANY_PROCESS, World};
use crate::event::{Event, NodeEvent, PersonEvent};
use crate::fault::Fault;
use crate::invariants::{self, InvariantResult, ensure};
use crate::network::{Fate, LinkEnd};
use crate::node::Submitted;
use crate::people::{ClientRole, WaitingCaller};
use crate::planted::Planted;

impl World {
    /// Carries out what leaves with a batch.
    pub(super) fn carry_out(&mut self, node: usize, partition: MachineId, submitted: Submitted) -> InvariantResult {
        let Submitted { effects, rests_on } = submitted;
        if effects.is_empty() {
            return Ok(());
        }
        for (chain, head) in rests_on {
            let index = usize::try_from(head.next).unwrap_or(usize::MAX).wrapping_sub(1);
            let stored = self.store.blocks(chain).get(index).map(|block| &**block);
            invariants::revealed_is_durable(stored, head, || format!("{:?} of {chain:?} at node {node}", effects[0]))?;
        }
        self.speaks_under_its_lease(node, partition)?;
        for effect in effects {
            self.perform(node, partition, effect)?;
        }
        Ok(())
    }

    /// Only the lease holder replies for a partition, or a silent node from which it was just taken.
    fn speaks_under_its_lease(&self, node: usize, partition: MachineId) -> InvariantResult {
        let Some(name) = self.nodes[node].name() else { return Ok(()) };
        let holder = self.store.holder(partition);
        let is_seized = self.store.is_seized(partition, name);
        ensure("speaks_under_its_lease", holder == Some(name) || is_seized, || {
            format!("node {node} is {name:?}, {partition:?} is held by {holder:?}")
        })
    }

    fn perform(&mut self, node: usize, partition: MachineId, effect: Effect) -> InvariantResult {
        match effect {
            Effect::Reply(caller, reply) => {
                let Some(waiting) = self.people.caller(caller) else { return Ok(()) };
                self.reply_is_on_record(waiting, &reply)?;
                self.send_to_person(node, waiting.person, PersonEvent::Reply { caller, reply });
            }
            Effect::Voucher(caller, fate) => {
                let Some(waiting) = self.people.caller(caller) else { return Ok(()) };
                self.voucher_is_on_record(waiting.person, &fate)?;
                self.send_to_person(node, waiting.person, PersonEvent::Voucher { caller, fate });
            }
            Effect::Send(message) => {
                self.record.message_is_on_record(&message)?;
                self.send(node, message);
            }
            Effect::Publish(change) => self.publish(node, change)?,
            Effect::ReadSlip { cluster, round, .. } => {
                if self.schedule.mistakes.is(Planted::SlipNeverRead) {
                    return Ok(());
                }
                let is_read = !self.schedule.random.one_in(10) || self.network.is_reliable;
                if !is_read {
                    self.schedule.fault(Fault::SlipUnreadable);
                }
                let after = self.schedule.random.between(2, 80);
                let event = self.event(node, NodeEvent::Slip { cluster, round, is_read });
                self.schedule.after(after, event);
            }
            Effect::Seize(cluster) => {
                // A cluster that shares its round's worker has no lease of its own, and nobody takes it.
                let silent = MachineId::Cluster(cluster);
                self.schedule.trace(format_args!("node {node}: {silent:?} is silent, says {partition:?}"));
                self.membership(node, crate::membership::NodeMembershipInput::Silent(silent))?;
            }
            Effect::ReadBarrier(_) => {}
        }
        Ok(())
    }

    /// A voucher that is sent to a terminal is on file, and is the terminal's own.
    fn voucher_is_on_record(&self, person: usize, fate: &VoucherFate) -> InvariantResult {
        let (VoucherFate::Voucher(voucher), ClientRole::Terminal { cluster: at, seat: own }) =
            (fate, self.people.everyone[person].role)
        else {
            return Ok(());
        };
        let is_own =
            matches!(voucher.origin, VoucherOrigin::Seat { cluster, seat, .. } if (cluster, seat) == (at, own));
        let is_on_file = self.record.house().voucher_with(voucher.serial).is_some();
        ensure("voucher_is_on_record", is_own && is_on_file, || format!("{at:?} {own:?} receives {voucher:?}"))
    }

    fn reply_is_on_record(&self, waiting: WaitingCaller, reply: &Reply) -> InvariantResult {
        let Some(id) = waiting.id else { return Ok(()) };
        let recorded = self.record.verdicts(waiting.machine, id);
        invariants::reply_is_on_record(recorded, reply.verdict, || format!("{id:?} of {:?}", waiting.machine))
    }

    /// Screens of terminals are shown something.
    fn publish(&mut self, node: usize, change: ScreenChange) -> InvariantResult {
        match change {
            ScreenChange::Seat(seat) => {
                let Some(person) = self.people.connection(seat.connection) else { return Ok(()) };
                let ClientRole::Terminal { cluster, .. } = self.people.everyone[person].role else { return Ok(()) };
                let source = self.people.everyone[person].source();
                for (sequence, reply) in seat.replies {
                    let id = Some(CommandId { source, sequence });
                    self.reply_is_on_record(
                        WaitingCaller { person, machine: MachineId::Cluster(cluster), id },
                        &reply,
                    )?;
                    let connection = seat.connection;
                    self.send_to_person(node, person, PersonEvent::SeatReply { connection, sequence, reply });
                }
            }
            ScreenChange::SeatConnected { connection, .. } => {
                if let Some(person) = self.people.connection(connection) {
                    self.send_to_person(node, person, PersonEvent::Connected { connection });
                }
            }
            ScreenChange::Cut(connection) => {
                if let Some(person) = self.people.connection(connection) {
                    self.send_to_person(node, person, PersonEvent::Cut { connection });
                }
            }
            ScreenChange::Subscribed { .. }
            | ScreenChange::Public(_)
            | ScreenChange::Results(_)
            | ScreenChange::RoundStaff(_)
            | ScreenChange::ClusterStaff(..)
            | ScreenChange::House(_) => {}
        }
        Ok(())
    }

    /// Something is on its way to a person or terminal.
    fn send_to_person(&mut self, node: usize, person: usize, event: PersonEvent) {
        let now = self.now();
        match self.network.send(LinkEnd::Node(node), LinkEnd::Clients, now, &mut self.schedule.random) {
            Fate::Lost => self.schedule.fault(Fault::RequestLost),
            Fate::Arrives { after } | Fate::Late { after } | Fate::Twice { after, .. } => {
                self.schedule.after(after, Event::Person { person, event });
            }
        }
    }

    /// A message goes to wherever its receiver runs, as this node knows it.
    fn send(&mut self, node: usize, message: Message) {
        let (now, mistakes) = (self.now(), self.schedule.mistakes);
        let partition = self.casino.partition_of(message.to());
        if self.nodes[node].is_running(partition) {
            return self.put(node, partition, Input::Message(message));
        }
        let mut holder = self.nodes[node].holder_of(partition);
        if mistakes.is(Planted::MessagesToOldHolder) {
            holder = holder.map(|holder| *self.first_holders.entry((node, partition)).or_insert(holder));
        }
        let Some(to) = holder.filter(|to| *to != node) else { return };
        if mistakes.is(Planted::LostMessagesNotSentAgain) && self.lost_to.contains(&(node, to)) {
            return;
        }
        let arrives = |message| Event::Node { node: to, process: ANY_PROCESS, event: NodeEvent::Message(message) };
        match self.network.send(LinkEnd::Node(node), LinkEnd::Node(to), now, &mut self.schedule.random) {
            Fate::Lost => {
                self.schedule.fault(Fault::MessageLost);
                if mistakes.is(Planted::LostMessagesNotSentAgain) {
                    self.lost_to.insert((node, to));
                }
            }
            Fate::Arrives { after } => self.schedule.after(after, arrives(message)),
            Fate::Late { after } => {
                self.schedule.fault(Fault::MessageDelayed);
                self.schedule.after(after, arrives(message));
            }
            Fate::Twice { after, again } => {
                self.schedule.fault(Fault::MessageRepeated);
                self.schedule.after(after, arrives(message.clone()));
                self.schedule.after(again, arrives(message));
            }
        }
    }

    /// A message arrives at a node. One whose receiver does not run here is lost; its sender sends it again.
    pub(super) fn receive(&mut self, node: usize, message: Message) {
        let partition = self.casino.partition_of(message.to());
        if !self.nodes[node].is_running(partition) {
            return;
        }
        if let Some(early) = self.acknowledged_early(&message) {
            self.send(node, early);
        }
        if let Message::ToHouse { cluster, transfer } = &message
            && self.schedule.mistakes.is(Planted::TransferTakenTwice)
            && self.schedule.random.one_in(4)
        {
            let mut again = *transfer;
            again.number += 1;
            let again = Message::ToHouse { cluster: *cluster, transfer: again };
            self.put(node, partition, Input::Message(message));
            return self.put(node, partition, Input::Message(again));
        }
        self.put(node, partition, Input::Message(message));
    }

    /// What the receiver's node acknowledges before the receiver holds it, by mistake.
    fn acknowledged_early(&self, message: &Message) -> Option<Message> {
        let mistakes = self.schedule.mistakes;
        match message {
            Message::Notice { cluster, number, .. } if mistakes.is(Planted::CloseAcknowledgedEarly) => {
                let (cluster, followed) = (*cluster, *number);
                let (_, colour_chips, is_registered) = self.record.cluster(cluster).reports();
                let received = followed;
                Some(Message::Followed { cluster, followed, received, colour_chips, is_registered, replaces: None })
            }
            Message::ToHouse { cluster, transfer } if mistakes.is(Planted::TransferAcknowledgedEarly) => {
                Some(Message::HouseHolds { cluster: *cluster, number: transfer.number })
            }
            _ => None,
        }
    }

    /// A slip was read from the record, or could not be.
    pub(super) fn slip(&mut self, node: usize, cluster: ClusterId, round: RoundNumber, is_read: bool) {
        let read = if self.schedule.mistakes.is(Planted::SlipOfTheWrongRound) {
            (1..round.0).rev().find_map(|other| self.record.slip(cluster, RoundNumber(other)))
        } else {
            None
        };
        let slip = read.or_else(|| self.record.slip(cluster, round)).filter(|_| is_read).cloned();
        let partition = self.casino.partition_of(MachineId::Cluster(cluster));
        self.put(node, partition, Input::Cluster(cluster.number, ClusterInput::Slip { round, slip }));
    }

    /// Sends invented acceptances to the clients of a node, by mistake.
    pub(super) fn invent_replies(&mut self, node: usize) -> InvariantResult {
        for person in 0..self.people.everyone.len() {
            let at = &self.people.everyone[person];
            let Some(pending) = at.pending.as_ref().filter(|_| at.node == node) else { continue };
            let waiting = WaitingCaller { person, machine: pending.ask.machine(), id: pending.ask.id() };
            let reply = Reply { verdict: Verdict::Accepted, is_repeated: false, event: None };
            self.reply_is_on_record(waiting, &reply)?;
        }
        Ok(())
    }
}

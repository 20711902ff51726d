//! Faults from outside: to processes, clocks, links, the store.

use taisai_engine::{HouseInput, Input, ReplyTo};
use taisai_table::{HouseCommand, MachineId, ReportedEvent};

use super::{ANY_PROCESS, World};
use crate::event::{ClientRequest, Event, NodeEvent, PartitionRequest, PersonEvent, StatementSender};
use crate::fault::Fault;
use crate::invariants::InvariantResult;
use crate::network::LinkEnd;
use crate::node::ProcessState;
use crate::people::{ClientRole, Link, WaitingCaller};
use crate::store::StatementOutcome;

impl World {
    /// The next fault comes soon, unless there were enough.
    pub(super) fn next_fault(&mut self) {
        if self.faults_left > 0 {
            let random = &mut self.schedule.random;
            let after = if random.one_in(4) { random.between(1, 200) } else { random.between(300, 7_000) };
            self.schedule.after(after, Event::Fault);
        }
    }

    /// Injects a fault of some kind.
    pub(super) fn inject(&mut self) -> InvariantResult {
        self.faults_left = self.faults_left.saturating_sub(1);
        let is_alone = self.is_alone();
        let kinds = Fault::INJECTED.iter().chain(&self.plan.open_faults);
        let weights: Vec<_> = kinds.map(|fault| (fault.weight(is_alone), *fault)).collect();
        let fault = self.schedule.random.weighted(&weights);
        let node = self.schedule.random.index(self.nodes.len());
        self.schedule.fault(fault);
        self.schedule.trace(format_args!("fault: {fault:?}, node {node}"));
        self.apply_fault(fault, node)
    }

    fn apply_fault(&mut self, fault: Fault, node: usize) -> InvariantResult {
        let now = self.now();
        match fault {
            Fault::ProcessKilled | Fault::ProcessStopped => return self.bring_down(fault, node),
            Fault::PowerLost => {
                for node in 0..self.nodes.len() {
                    self.bring_down(Fault::ProcessKilled, node)?;
                }
            }
            Fault::ProcessFrozen => self.freeze(node),
            Fault::ClockStepped => {
                let hour = 3_600_000;
                let step = self.schedule.random.weighted(&[(50, 5_000), (45, hour), (5, 24 * 40 * hour)]);
                let millis = self.schedule.random.signed(-step, step);
                self.nodes[node].clock.offset += millis;
                // The node that runs the House reports it.
                let command = HouseCommand::Report { what: ReportedEvent::ClockStepped { millis } };
                let input = HouseInput::Own { command, reply: ReplyTo::Nobody };
                if self.nodes[node].state == ProcessState::Up {
                    self.put(node, MachineId::House, Input::House(input));
                }
            }
            Fault::LinkCut | Fault::LinkCutOneWay => {
                let other = (node + 1 + self.schedule.random.index(self.nodes.len() - 1)) % self.nodes.len();
                let until = now + self.schedule.random.between(200, 12_000);
                self.network.cut(LinkEnd::Node(node), LinkEnd::Node(other), until);
                if fault == Fault::LinkCut {
                    self.network.cut(LinkEnd::Node(other), LinkEnd::Node(node), until);
                }
            }
            Fault::StoreLinkCut | Fault::StoreAnswersLost => {
                let until = now + self.schedule.random.between(200, 6_000);
                self.network.cut(LinkEnd::Store, LinkEnd::Node(node), until);
                if fault == Fault::StoreLinkCut {
                    self.network.cut(LinkEnd::Node(node), LinkEnd::Store, until);
                }
            }
            Fault::ClientsCut => {
                let until = now + self.schedule.random.between(200, 6_000);
                self.network.cut(LinkEnd::Clients, LinkEnd::Node(node), until);
                self.network.cut(LinkEnd::Node(node), LinkEnd::Clients, until);
            }
            Fault::StoreUnavailable => self.store.down_until = now + self.schedule.random.between(50, 5_000),
            Fault::AppendUnknown => self.store.unknown_appends += 1,
            Fault::AppendFailed => self.store.failing_appends += 1,
            Fault::DiskFull => self.store.full_until = now + self.schedule.random.between(50, 3_000),
            Fault::StoppedInAppend => self.store.stops_in_append = true,
            Fault::PrimaryLost => return self.lose_primary(),
            Fault::PartitionWished => self.wish_partition(),
            Fault::TerminalCut => self.cut_terminal(),
            Fault::TailLost | Fault::FormerPrimaryAnswers => {
                let lost = 1 + self.schedule.random.index(4);
                let nodes = if fault == Fault::TailLost { Vec::new() } else { vec![node] };
                self.store.promote_without_tail(lost, &nodes);
                return self.record.follow(&self.store);
            }
            Fault::LinkCutForGood
            | Fault::VoucherNumberReused
            | Fault::MessageLost
            | Fault::MessageRepeated
            | Fault::MessageDelayed
            | Fault::RequestLost
            | Fault::CommandRepeated
            | Fault::CommandRetried
            | Fault::IdReused
            | Fault::SlipUnreadable => {}
        }
        Ok(())
    }

    pub(super) fn bring_down(&mut self, fault: Fault, node: usize) -> InvariantResult {
        if self.nodes[node].state == ProcessState::Down {
            return Ok(());
        }
        if fault == Fault::ProcessStopped && self.nodes[node].state == ProcessState::Up {
            self.stop(node);
        } else {
            self.kill(node)?;
        }
        let random = &mut self.schedule.random;
        let after = if random.percent(60) { random.between(50, 2_000) } else { random.between(2_000, 12_000) };
        self.schedule.after(after, Event::Start { node });
        Ok(())
    }

    fn freeze(&mut self, node: usize) {
        if self.nodes[node].state != ProcessState::Up {
            return;
        }
        self.nodes[node].state = ProcessState::Frozen;
        let random = &mut self.schedule.random;
        // Shorter than a lease, about as long, and longer.
        let (least, most) = random.pick(&[(50, 2_500), (2_400, 3_300), (2_500, 9_000)]);
        let after = random.between(least, most);
        let process = self.nodes[node].process;
        self.schedule.after(after, Event::Thaw { node, process });
    }

    /// Statements on their way get no outcome; a standby takes over a little later, with a clock of its own.
    fn lose_primary(&mut self) -> InvariantResult {
        let now = self.now();
        let waiting = self.store.lose_primary(now, &mut self.schedule.random);
        self.store.down_until = now + self.schedule.random.between(200, 4_000);
        self.store.clock_offset += self.schedule.random.below(20);
        self.record.follow(&self.store)?;
        for StatementSender { node, process, to } in waiting {
            let after = self.delay();
            let event = NodeEvent::Outcome { to, outcome: StatementOutcome::Unknown };
            self.schedule.after(after, Event::Node { node, process, event });
        }
        Ok(())
    }

    fn wish_partition(&mut self) {
        let now = self.now();
        let partition = self.schedule.random.pick(&self.casino.partitions());
        let nodes: Vec<_> = self.store.roster(now).nodes.iter().map(|node| node.name).collect();
        if !nodes.is_empty() {
            let node = self.schedule.random.pick(&nodes);
            self.store.wish(partition, node, now);
        }
    }

    fn cut_terminal(&mut self) {
        let person = self.schedule.random.index(self.people.everyone.len());
        let at = &self.people.everyone[person];
        let (Link::Connected(connection), ClientRole::Terminal { cluster, seat }) = (at.link, at.role) else { return };
        let node = at.node;
        self.schedule.after(0, Event::Person { person, event: PersonEvent::Cut { connection } });
        // The node notices it too, before or after the terminal is back.
        let after = self.schedule.random.between(1, 2_500);
        let caller = self.people.new_caller(WaitingCaller { person, machine: MachineId::Cluster(cluster), id: None });
        let what = ClientRequest::Disconnect { cluster, seat, connection };
        let event = NodeEvent::Request(Box::new(PartitionRequest { caller, what, is_forwarded: false }));
        self.schedule.after(after, Event::Node { node, process: ANY_PROCESS, event });
    }
}

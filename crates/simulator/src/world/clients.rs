//! What people and terminals send to nodes, and the replies they receive.

use taisai_engine::{
    CallerId, ClusterInput, HouseInput, Input, NewestCommand, ReplyTo, RoundInput, SeatMoney, VoucherFate,
};
use taisai_table::{CashOut, ClusterCommand, MachineId, Verdict};

use super::{ANY_PROCESS, World};
use crate::event::{ClientRequest, Event, NodeEvent, PartitionRequest, PersonEvent};
use crate::fault::Fault;
use crate::invariants::{InvariantResult, ensure};
use crate::network::{Fate, LinkEnd};
use crate::people::{ClientRole, Link, Pending, Scene, SimulatedPerson, WaitingCaller};
use crate::planted::Planted;

/// How long a client waits before it sends its command again.
const REPLY_TIMEOUT: u64 = 2_000;

/// How many times a terminal asks again for a voucher.
const VOUCHER_RETRIES: u32 = 4;

impl World {
    /// Has someone act within some milliseconds.
    pub(super) fn act_later(&mut self, person: usize, most: u64) {
        let after = self.schedule.random.below(most) + 1;
        self.schedule.after(after, Event::Person { person, event: PersonEvent::Act });
    }

    fn act_after_pause(&mut self, person: usize) {
        let after = self.people.everyone[person].pause(&mut self.schedule.random);
        self.schedule.after(after, Event::Person { person, event: PersonEvent::Act });
    }

    pub(super) fn at_person(&mut self, person: usize, event: PersonEvent) -> InvariantResult {
        match event {
            PersonEvent::Act => self.act(person),
            PersonEvent::Timeout { attempt } => {
                if self.people.everyone[person].attempt == attempt {
                    self.try_again(person);
                }
            }
            PersonEvent::Reply { caller, reply } => {
                let Some(waiting) = self.people.caller(caller) else { return Ok(()) };
                return self.receive_reply(person, waiting, reply.verdict);
            }
            PersonEvent::SeatReply { connection, sequence, reply } => {
                let at = &self.people.everyone[person];
                if at.link != Link::Connected(connection) {
                    return Ok(());
                }
                let pending = at.pending.as_ref().map(|pending| (pending.ask.machine(), pending.ask.id()));
                if let Some((machine, Some(id))) = pending
                    && id.sequence == sequence
                    && matches!(machine, MachineId::Cluster(_))
                {
                    return self.receive_reply(person, WaitingCaller { person, machine, id: Some(id) }, reply.verdict);
                }
            }
            PersonEvent::Connected { connection } => {
                let at = &mut self.people.everyone[person];
                if at.link == Link::Connecting(connection) {
                    at.link = Link::Connected(connection);
                    self.schedule.trace(format_args!("person {person}: is connected by {connection:?}"));
                    self.send_pending(person);
                }
            }
            PersonEvent::Cut { connection } => {
                let at = &mut self.people.everyone[person];
                if at.link == Link::Connected(connection) {
                    at.link = Link::Cut;
                    self.act_later(person, 300);
                }
            }
            PersonEvent::Voucher { caller, fate } => self.voucher(person, caller, fate),
        }
        Ok(())
    }

    fn act(&mut self, person: usize) {
        let at = &mut self.people.everyone[person];
        if matches!(at.role, ClientRole::Terminal { .. }) && at.link == Link::Cut {
            return self.connect(person);
        }
        // A terminal that connects goes on once it is connected.
        if at.pending.is_some() || matches!(at.link, Link::Connecting(_)) || self.people.are_quiet {
            return;
        }
        let is_cheat = self.schedule.random.one_in(60);
        let reused = if is_cheat { self.people.everyone[person].reuse() } else { None };
        if let Some(ask) = reused {
            self.schedule.fault(Fault::IdReused);
            return self.begin(person, ask);
        }
        let mut scene = Scene {
            record: &self.record,
            casino: &self.casino,
            random: &mut self.schedule.random,
            pocket: &mut self.people.pocket,
            reuses_numbers: self.plan.open_faults.contains(&Fault::VoucherNumberReused),
        };
        match self.people.everyone[person].wish(&mut scene) {
            Some(wish) => {
                let ask = self.people.everyone[person].ask(wish);
                self.begin(person, ask);
            }
            None => self.act_after_pause(person),
        }
    }

    fn begin(&mut self, person: usize, ask: ClientRequest) {
        let ids = ask.id().into_iter().collect();
        self.people.everyone[person].pending = Some(Pending { ask, ids, retries: 0 });
        self.send_pending(person);
        if self.schedule.random.one_in(20) {
            self.schedule.fault(Fault::CommandRepeated);
            self.send_pending(person);
        }
    }

    /// A terminal connects, at the same node or another.
    fn connect(&mut self, person: usize) {
        let ClientRole::Terminal { cluster, seat } = self.people.everyone[person].role else { return };
        let connection = self.people.new_connection(person);
        let at = &mut self.people.everyone[person];
        (at.link, at.node) = (Link::Connecting(connection), self.schedule.random.index(self.nodes.len()));
        let source = at.source();
        self.send_ask(person, ClientRequest::Connect { cluster, seat, connection, source });
    }

    /// Sends what waits for a reply; what there is to do next, where nothing does.
    fn send_pending(&mut self, person: usize) {
        let ask = self.people.everyone[person].pending.as_ref().map(|pending| pending.ask.clone());
        if let Some(ask) = ask {
            return self.send_ask(person, ask);
        }
        self.people.everyone[person].attempt += 1;
        self.act_after_pause(person);
    }

    fn send_ask(&mut self, person: usize, what: ClientRequest) {
        let (machine, id) = (what.machine(), what.id());
        let caller = self.people.new_caller(WaitingCaller { person, machine, id });
        let at = &mut self.people.everyone[person];
        at.attempt += 1;
        let (attempt, node) = (at.attempt, at.node);
        self.schedule.trace(format_args!("person {person}: asks node {node}: {what:?}"));
        self.schedule.after(REPLY_TIMEOUT, Event::Person { person, event: PersonEvent::Timeout { attempt } });
        let now = self.now();
        let arrives = |request| Event::Node { node, process: ANY_PROCESS, event: NodeEvent::Request(request) };
        let request = Box::new(PartitionRequest { caller, what, is_forwarded: false });
        match self.network.send(LinkEnd::Clients, LinkEnd::Node(node), now, &mut self.schedule.random) {
            Fate::Lost => self.schedule.fault(Fault::RequestLost),
            Fate::Arrives { after } | Fate::Late { after } => self.schedule.after(after, arrives(request)),
            Fate::Twice { after, again } => {
                self.schedule.after(after, arrives(request.clone()));
                self.schedule.after(again, arrives(request));
            }
        }
    }

    /// No reply came: the same request is sent again, maybe at another node.
    fn try_again(&mut self, person: usize) {
        self.schedule.fault(Fault::CommandRetried);
        let nodes = self.nodes.len();
        let at = &mut self.people.everyone[person];
        if let Some(pending) = &mut at.pending {
            pending.retries += 1;
            // A player whose money is still on its way to the House plays on.
            if matches!(pending.ask, ClientRequest::Voucher { .. }) && pending.retries > VOUCHER_RETRIES {
                at.pending = None;
            }
        }
        if self.schedule.mistakes.is(Planted::RetryUnderNewId) {
            renumber(at);
        }
        if self.schedule.random.percent(60) {
            at.node = self.schedule.random.index(nodes);
        }
        if matches!(at.role, ClientRole::Terminal { .. }) {
            at.link = Link::Cut;
            return self.connect(person);
        }
        self.send_pending(person);
    }

    /// A request arrives at a node: it is passed on once, where another node holds its partition.
    pub(super) fn request(&mut self, node: usize, mut request: Box<PartitionRequest>) {
        let partition = self.casino.partition_of(request.what.machine());
        if !self.nodes[node].is_running(partition) {
            let holder = self.nodes[node].holder_of(partition).filter(|holder| *holder != node);
            let Some(to) = holder.filter(|_| !request.is_forwarded) else { return };
            request.is_forwarded = true;
            let now = self.now();
            match self.network.send(LinkEnd::Node(node), LinkEnd::Node(to), now, &mut self.schedule.random) {
                Fate::Lost => self.schedule.fault(Fault::RequestLost),
                Fate::Arrives { after } | Fate::Late { after } | Fate::Twice { after, .. } => {
                    let event = NodeEvent::Request(request);
                    self.schedule.after(after, Event::Node { node: to, process: ANY_PROCESS, event });
                }
            }
            return;
        }
        let input = self.input(request.caller, request.what);
        self.put(node, partition, input);
    }

    fn input(&self, caller: CallerId, what: ClientRequest) -> Input {
        let reply = ReplyTo::Caller(caller);
        match what {
            ClientRequest::Round { actor, id, command, .. } => {
                Input::Round(RoundInput::Command { actor, id, command, reply })
            }
            ClientRequest::House { actor, id, command } => {
                Input::House(HouseInput::Command { actor, id, command, reply })
            }
            ClientRequest::Cluster { cluster, actor, id, command } => {
                let is_terminal = matches!(actor, taisai_table::Actor::Terminal { .. });
                let reply = if is_terminal { ReplyTo::Seat(id.sequence) } else { reply };
                Input::Cluster(cluster.number, ClusterInput::Command { actor, id, command, reply })
            }
            ClientRequest::Connect { cluster, seat, connection, source } => {
                let money = Box::new(SeatMoney::of(self.record.house(), cluster, seat));
                let counted = NewestCommand { source, sequence: 0 };
                Input::Cluster(cluster.number, ClusterInput::Connect { seat, connection, counted, money })
            }
            ClientRequest::Disconnect { cluster, seat, connection } => {
                Input::Cluster(cluster.number, ClusterInput::Disconnect { seat, connection })
            }
            ClientRequest::Voucher { hash } => Input::House(HouseInput::AwaitVoucher { hash, caller }),
        }
    }

    /// A reply reaches the person who waits for it.
    fn receive_reply(&mut self, person: usize, waiting: WaitingCaller, verdict: Verdict) -> InvariantResult {
        let is_pending = |pending: &Pending| {
            pending.ask.machine() == waiting.machine && waiting.id.is_some_and(|id| pending.ids.contains(&id))
        };
        if !self.people.everyone[person].pending.as_ref().is_some_and(is_pending) {
            return Ok(());
        }
        let Some(pending) = self.people.everyone[person].end_pending() else { return Ok(()) };
        self.people.replies += 1;
        self.schedule.trace(format_args!("person {person}: receives {verdict:?} to {:?}", waiting.id));
        let done =
            pending.ids.iter().filter(|id| self.record.verdicts(waiting.machine, **id).contains(&Verdict::Accepted));
        let done = done.count();
        ensure("wish_is_done_once", done <= 1, || format!("{:?} was done {done} times", pending.ask))?;
        if let ClientRequest::Cluster { command: ClusterCommand::CashOut { to: CashOut::Voucher(number), .. }, .. } =
            pending.ask
            && verdict == Verdict::Accepted
        {
            self.begin(person, ClientRequest::Voucher { hash: number.hash });
            return Ok(());
        }
        self.act_after_pause(person);
        Ok(())
    }

    /// A terminal learns what became of its voucher.
    fn voucher(&mut self, person: usize, caller: CallerId, fate: VoucherFate) {
        self.people.forget(caller);
        let at = &self.people.everyone[person];
        let Some(ClientRequest::Voucher { hash }) = at.pending.as_ref().map(|pending| &pending.ask) else { return };
        let hash = *hash;
        self.people.everyone[person].end_pending();
        self.people.replies += 1;
        if matches!(fate, VoucherFate::Voucher(_)) {
            self.people.pocket.put(hash, &mut self.schedule.random);
        }
        self.act_after_pause(person);
    }
}

/// Asks the same under another id, by mistake.
fn renumber(person: &mut SimulatedPerson) {
    let id = person.next_id();
    let Some(pending) = &mut person.pending else { return };
    match &mut pending.ask {
        ClientRequest::Round { id: old, .. }
        | ClientRequest::Cluster { id: old, .. }
        | ClientRequest::House { id: old, .. } => {
            *old = id;
            pending.ids.push(id);
        }
        ClientRequest::Connect { .. } | ClientRequest::Disconnect { .. } | ClientRequest::Voucher { .. } => {}
    }
}

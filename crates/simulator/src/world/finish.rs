//! The end of a run: the faults stop, play goes on within bounded time, everything that is on its way arrives, and all is checked.

use taisai_table::{MachineId, Phase};

use super::World;
use crate::event::Event;
use crate::fault::Fault;
use crate::invariants::{InvariantResult, ensure};
use crate::network::LinkEnd;
use crate::node::{ProcessState, RunningWorker, SimulatedNode, Slot};
use crate::people::Link;

/// After the faults stop every table completes a round within this virtual time, in milliseconds.
const PLAY_TIMEOUT: u64 = 120_000;

/// After people stop, everything in flight arrives within this time.
const REST_TIMEOUT: u64 = 30_000;

impl World {
    pub(super) fn finish(&mut self) -> InvariantResult {
        self.heal();
        self.cut_a_link();
        self.play_goes_on()?;
        self.network.heal();
        self.schedule.trace(format_args!("people stop"));
        self.people.are_quiet = true;
        let until = self.now() + REST_TIMEOUT;
        while !self.is_at_rest() && self.now() < until {
            self.step()?;
        }
        self.comes_to_rest()?;
        self.record.check_all()?;
        self.record.replay(&self.casino, &self.store)?;
        self.running_machines_are_on_record()
    }

    /// Stops injecting faults, and ends those that last.
    fn heal(&mut self) {
        self.schedule.trace(format_args!("the faults stop"));
        self.network.heal();
        self.network.is_reliable = true;
        self.store.down_until = 0;
        (self.store.full_until, self.store.stops_in_append) = (0, false);
        (self.store.failing_appends, self.store.unknown_appends) = (0, 0);
        for node in 0..self.nodes.len() {
            match self.nodes[node].state {
                ProcessState::Down => self.schedule.after(0, Event::Start { node }),
                ProcessState::Frozen => {
                    let process = self.nodes[node].process;
                    self.schedule.after(0, Event::Thaw { node, process });
                }
                ProcessState::Up => {}
            }
        }
    }

    /// Now and then two nodes never reach each other again, and play must go on all the same: a cluster that does not follow its round
    /// is taken by the round's node.
    fn cut_a_link(&mut self) {
        if self.nodes.len() > 1 && self.schedule.random.percent(50) {
            self.schedule.fault(Fault::LinkCutForGood);
            let until = self.now() + 10 * PLAY_TIMEOUT;
            let node = self.schedule.random.index(self.nodes.len());
            let other = (node + 1) % self.nodes.len();
            self.schedule.trace(format_args!("nodes {node} and {other} do not reach each other"));
            self.network.cut(LinkEnd::Node(node), LinkEnd::Node(other), until);
            self.network.cut(LinkEnd::Node(other), LinkEnd::Node(node), until);
        }
    }

    /// After the faults stop play goes on: every table completes a round, and every cluster takes bets.
    fn play_goes_on(&mut self) -> InvariantResult {
        let numbers: Vec<_> = self.record.rounds().map(|round| (round.table(), round.number())).collect();
        let (bets, until) = (self.record.bets(), self.now() + PLAY_TIMEOUT);
        for (table, number) in numbers {
            loop {
                let round = self.record.round(table);
                let is_over = matches!(round.phase(), Phase::Settled | Phase::Void);
                if round.number() > number && is_over {
                    break;
                }
                ensure("play_goes_on", self.now() < until, || {
                    format!("{table:?}: round {:?} is {:?}, held: {}", round.number(), round.phase(), round.is_held())
                })?;
                self.step()?;
            }
        }
        let until = self.now() + PLAY_TIMEOUT;
        while let Some((cluster, _)) = self.record.bets().iter().find(|(id, count)| bets.get(id) == Some(count)) {
            ensure("play_goes_on", self.now() < until, || format!("no bet is accepted by {cluster:?}"))?;
            self.step()?;
        }
        while self.record.played.rounds < self.plan.rounds {
            let rounds = self.record.played.rounds;
            let until = self.now() + PLAY_TIMEOUT;
            while self.record.played.rounds == rounds {
                ensure("play_goes_on", self.now() < until, || format!("no round is over after {rounds}"))?;
                self.step()?;
            }
        }
        Ok(())
    }

    fn is_at_rest(&self) -> bool {
        let house = self.record.house();
        let have_replies = self.people.everyone.iter().all(|person| person.pending.is_none());
        let are_connected = self.people.everyone.iter().all(|person| !matches!(person.link, Link::Connecting(_)));
        let is_empty = self
            .record
            .clusters()
            .all(|cluster| cluster.outbox().next().is_none() && house.outbox(cluster.id()).next().is_none());
        let are_followed = self.record.rounds().all(taisai_table::Round::is_followed);
        let runs = |partition: &MachineId| {
            self.nodes.iter().filter(|node| node.state == ProcessState::Up && node.is_running(*partition)).count() == 1
        };
        let are_durable = self.nodes.iter().flat_map(|node| node.slots.values()).all(|slot| match slot {
            Slot::Running(running) => running.is_durable() && running.inbox.is_empty(),
            Slot::Opening(_) => false,
        });
        have_replies
            && are_connected
            && is_empty
            && are_followed
            && are_durable
            && self.casino.partitions().iter().all(runs)
    }

    /// Everyone has a reply, every transfer has arrived, every cluster follows, every partition runs once.
    fn comes_to_rest(&self) -> InvariantResult {
        ensure("comes_to_rest", self.is_at_rest(), || {
            let waiting =
                self.people.everyone.iter().filter_map(|person| Some((person.role, &person.pending.as_ref()?.ask)));
            let waiting: Vec<_> = waiting.collect();
            let house = self.record.house();
            let on_the_way: Vec<_> = self
                .record
                .clusters()
                .map(|cluster| (cluster.id(), cluster.outbox().count(), house.outbox(cluster.id()).count()))
                .collect();
            let describe = |slot: &Slot| match slot {
                Slot::Running(running) => format!("durable: {}, {} inputs", running.is_durable(), running.inbox.len()),
                Slot::Opening(opening) => format!("opening: {:?}", opening.stage),
            };
            let slots =
                |node: &SimulatedNode| node.slots.iter().map(|(id, slot)| (*id, describe(slot))).collect::<Vec<_>>();
            let running: Vec<_> = self.nodes.iter().map(|node| (node.state, slots(node))).collect();
            let connecting: Vec<_> = self
                .people
                .everyone
                .iter()
                .filter(|person| matches!(person.link, Link::Connecting(_)))
                .map(|person| person.role)
                .collect();
            let followed: Vec<_> =
                self.record.rounds().map(|round| (round.table(), round.phase(), round.is_followed())).collect();
            format!(
                "waiting {waiting:?}; connecting {connecting:?}; on the way {on_the_way:?}; nodes {running:?}; rounds {followed:?}"
            )
        })
    }

    /// The machines of the nodes are those of the record.
    fn running_machines_are_on_record(&self) -> InvariantResult {
        for (index, node) in self.nodes.iter().enumerate() {
            for (partition, slot) in &node.slots {
                if let Slot::Running(running) = slot {
                    ensure("partition_runs_at_the_head", running.ends_at(|chain| self.store.head(chain)), || {
                        format!("{partition:?} at node {index}")
                    })?;
                    self.running_machine_is_on_record(running)?;
                }
            }
        }
        Ok(())
    }

    /// The machines of a worker whose decisions are all durable are those of the record, unless another node writes its chains.
    pub(super) fn running_machine_is_on_record(&self, running: &RunningWorker) -> InvariantResult {
        if !running.is_durable() || !running.ends_at(|chain| self.store.head(chain)) {
            return Ok(());
        }
        for (chain, machine) in running.machines() {
            let is_same = machine.state_hash() == self.record.machine(chain).state_hash();
            ensure("running_machine_is_on_record", is_same, || format!("{chain:?}"))?;
        }
        Ok(())
    }
}

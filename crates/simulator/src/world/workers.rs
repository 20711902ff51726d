//! Partitions of a node: taken over, run in batches, ended.

use taisai_engine::{ConnectionId, HouseInput, Input, NewestCommand, RoundInput, Topic, WorkerStop};
use taisai_table::MachineId;

use super::World;
use crate::clock::WorkerClock;
use crate::event::{NodeEvent, StatementPurpose};
use crate::invariants::{InvariantResult, InvariantViolation};
use crate::node::{OpeningStage, RunningWorker, Slot, Submitted};
use crate::planted::Planted;
use crate::store::{StatementOutcome, StoreStatement};

impl World {
    /// Sends the next statement of an opening.
    pub(super) fn open_next(&mut self, node: usize, partition: MachineId) {
        let Some(Slot::Opening(opening)) = self.nodes[node].slots.get(&partition) else { return };
        let (run, Some(chain)) = (opening.run, opening.chain()) else { return };
        let statement = match opening.stage {
            OpeningStage::Read | OpeningStage::ReadTheRest => StoreStatement::Read { chain },
            OpeningStage::Take => StoreStatement::Take { chain, epoch: opening.epoch() },
        };
        self.call(node, statement, StatementPurpose::Opening { partition, run });
    }

    /// What came of a statement of an opening.
    pub(super) fn opened(
        &mut self,
        node: usize,
        partition: MachineId,
        run: u64,
        outcome: &StatementOutcome,
    ) -> InvariantResult {
        let (now, mistakes) = (self.now(), self.schedule.mistakes);
        let may_take = self.nodes[node].lease_holds(now);
        let Some(Slot::Opening(opening)) = self.nodes[node].slots.get_mut(&partition) else { return Ok(()) };
        let Some(chain) = opening.chain().filter(|_| opening.run == run) else { return Ok(()) };
        let StatementOutcome::Head(head) = *outcome else { return self.over(node, "a chain could not be taken") };
        match opening.stage {
            OpeningStage::Read => {
                // A node without a lease must not raise the epoch: it would fence the present holder.
                if !may_take {
                    return self.over(node, "the lease ran out before a chain was taken");
                }
                let snapshot = self.record.snapshot(chain);
                let snapshot = if snapshot.0.next > head.next || self.schedule.random.one_in(16) {
                    (crate::store::SimulatedHead::default(), self.casino.machine(chain))
                } else {
                    snapshot
                };
                opening.read(snapshot, self.store.blocks(chain), head, mistakes);
            }
            OpeningStage::Take => opening.take(head),
            OpeningStage::ReadTheRest => {
                if !opening.read_the_rest(self.store.blocks(chain), head, mistakes) {
                    return self.over(node, "another node has taken a chain meanwhile");
                }
                if opening.chain().is_none() {
                    return self.run(node, partition);
                }
            }
        }
        self.open_next(node, partition);
        Ok(())
    }

    /// The machines are there: their worker begins.
    fn run(&mut self, node: usize, partition: MachineId) -> InvariantResult {
        let now = self.now();
        let Some(Slot::Opening(opening)) = self.nodes[node].slots.remove(&partition) else { return Ok(()) };
        let run = opening.run;
        let machines = opening.finish();
        // Its own chains, and for a cluster that runs apart the one that it follows.
        let followed = match partition {
            MachineId::Cluster(cluster) => Some(MachineId::Round(cluster.table)),
            MachineId::House | MachineId::Round(_) => None,
        };
        let chains = machines.iter().map(|(chain, _, _)| *chain).chain(followed);
        let newest = chains.map(|chain| self.record.newest(chain)).max();
        let newest = newest.filter(|_| !self.schedule.mistakes.is(Planted::ClockNotAfterRecord));
        let highest = machines.iter().map(|(_, machine, _)| machine.highest_source()).max().unwrap_or(0);
        let at = &mut self.nodes[node];
        let clock = WorkerClock::start(&at.clock, now, newest);
        let system = at.clock.system(now);
        let is_reused = self.schedule.mistakes.is(Planted::OwnSourceReused);
        let source = |_| if is_reused { 7 } else { at.sources.next(system, highest) };
        let sources: Vec<u64> = machines.iter().map(source).collect();
        let with = (&self.casino.profile, clock, &*sources);
        let mut running = RunningWorker::new(run, machines, with, self.schedule.mistakes);
        let time = running.clock.now(&at.clock, now);
        self.schedule.trace(format_args!("node {node}: runs {partition:?}, time {}, sources {sources:?}", time.0));
        let early = running.start(time, &mut self.schedule.random).map_err(|stop| stopped(partition, &stop))?;
        at.slots.insert(partition, Slot::Running(Box::new(running)));
        if self.plan.has_screens {
            self.show(node, partition);
        }
        early.into_iter().try_for_each(|submitted| self.carry_out(node, partition, submitted))?;
        self.after_batch(node, partition)
    }

    /// Staff screens follow a partition.
    fn show(&mut self, node: usize, partition: MachineId) {
        let (connection, counted) = (ConnectionId(u64::MAX - 1), Some(NewestCommand { source: 1, sequence: 0 }));
        match partition {
            MachineId::House => {
                for topic in [Topic::Pit, Topic::Cage, Topic::Audit] {
                    self.put(node, partition, Input::House(HouseInput::Subscribe { topic, connection, source: 1 }));
                }
                let topics = vec![Topic::Pit, Topic::Cage, Topic::Audit];
                self.put(node, partition, Input::House(HouseInput::Watched { topics }));
            }
            MachineId::Round(_) => {
                let topics = vec![Topic::Public, Topic::Staff];
                self.put(node, partition, Input::Round(RoundInput::Subscribe { topics, counted, connection }));
                self.put(node, partition, Input::Round(RoundInput::Watched { by_staff: true }));
            }
            MachineId::Cluster(_) => {}
        }
    }

    pub(super) fn put(&mut self, node: usize, partition: MachineId, input: Input) {
        if let Some(running) = self.nodes[node].running(partition) {
            running.inbox.push_back(input);
            self.wake(node, partition, self.now());
        }
    }

    /// Has a worker look at its inputs and timers at a moment.
    fn wake(&mut self, node: usize, partition: MachineId, at: u64) {
        let Some(running) = self.nodes[node].running(partition) else { return };
        if running.wakes_at.is_some_and(|wakes_at| wakes_at <= at) {
            return;
        }
        running.wakes_at = Some(at);
        let run = running.run;
        let event = self.event(node, NodeEvent::Work { partition, run });
        self.schedule.at(at, event);
    }

    pub(super) fn work(&mut self, node: usize, partition: MachineId, run: u64) -> InvariantResult {
        let now = self.now();
        let clock = self.nodes[node].clock.clone();
        let Some(running) = self.nodes[node].running(partition).filter(|running| running.run == run) else {
            return Ok(());
        };
        if running.wakes_at.is_some_and(|wakes_at| wakes_at <= now) {
            running.wakes_at = None;
        }
        let time = running.clock.now(&clock, now);
        if running.is_due(time) {
            let inputs = running.inbox.len();
            let Some(running) = self.nodes[node].running(partition) else { return Ok(()) };
            let early = running.work(time, &mut self.schedule.random).map_err(|stop| stopped(partition, &stop))?;
            running.absent_terminals_are_lost(time)?;
            let is_stuck = inputs == 0 && running.worker.next_timer().is_some_and(|timer| timer <= time);
            if is_stuck {
                let detail = format!("{partition:?} has a timer at {:?}, it is {time:?}", running.worker.next_timer());
                return Err(InvariantViolation { invariant: "timers_move_on", detail });
            }
            early.into_iter().try_for_each(|submitted| self.carry_out(node, partition, submitted))?;
        }
        self.after_batch(node, partition)
    }

    /// Writes what can be written, lets leave what may, and looks when there is more to do.
    fn after_batch(&mut self, node: usize, partition: MachineId) -> InvariantResult {
        let now = self.now();
        let lease_holds = self.nodes[node].lease_holds(now) || self.schedule.mistakes.is(Planted::LeaseNotChecked);
        let Some(running) = self.nodes[node].running(partition) else { return Ok(()) };
        let run = running.run;
        if let Some(blocks) = running.next_write() {
            self.call(node, StoreStatement::Append { blocks }, StatementPurpose::Writer { partition, run });
        }
        while let Some(submitted) = self.release(node, partition, lease_holds) {
            self.carry_out(node, partition, submitted)?;
        }
        let clock = self.nodes[node].clock.clone();
        let Some(running) = self.nodes[node].running(partition) else { return Ok(()) };
        if running.has_ended() {
            return self.ended(node, partition);
        }
        if running.has_room() {
            let timer = running.worker.next_timer().map(|timer| running.clock.when(&clock, timer));
            let next = if running.inbox.is_empty() { timer } else { Some(now) };
            if let Some(at) = next {
                self.wake(node, partition, at.max(now));
            }
        }
        Ok(())
    }

    fn release(&mut self, node: usize, partition: MachineId, lease_holds: bool) -> Option<Submitted> {
        self.nodes[node].running(partition)?.release(lease_holds)
    }

    /// What came of an append.
    pub(super) fn written(
        &mut self,
        node: usize,
        partition: MachineId,
        run: u64,
        outcome: &StatementOutcome,
    ) -> InvariantResult {
        let mistakes = self.schedule.mistakes;
        let store = &self.store;
        let Some(running) = self.nodes[node].running(partition).filter(|running| running.run == run) else {
            return Ok(());
        };
        match outcome {
            StatementOutcome::Appended => running.written(),
            StatementOutcome::Unknown if mistakes.is(Planted::UnknownFateIsDurable) => running.written(),
            StatementOutcome::Unavailable if mistakes.is(Planted::FailedAppendIsDurable) => running.written(),
            StatementOutcome::Unknown if mistakes.is(Planted::UnknownAppendRetried) => {
                running.rewrite(|chain| store.head(chain));
            }
            StatementOutcome::Fenced if mistakes.is(Planted::FencedAppendRetried) => {
                running.rewrite(|chain| store.head(chain));
            }
            StatementOutcome::Unavailable | StatementOutcome::Unknown
                if mistakes.is(Planted::MachinesKeptAfterFailure) =>
            {
                running.forget_writes(|chain| store.head(chain));
            }
            _ => return self.over(node, "an append failed"),
        }
        if self.schedule.random.one_in(32)
            && let Some(Slot::Running(running)) = self.nodes[node].slots.get(&partition)
        {
            self.running_machine_is_on_record(running)?;
        }
        self.after_batch(node, partition)
    }

    /// A partition is wished to another node: it ends here when it can.
    pub(super) fn depart(&mut self, node: usize, partition: MachineId) -> InvariantResult {
        match self.nodes[node].slots.get(&partition) {
            Some(Slot::Running(_)) => self.put(node, partition, Input::Depart),
            // It is not open yet: it ends once it is.
            Some(Slot::Opening(_)) => {
                self.nodes[node].slots.remove(&partition);
                return self.membership(node, crate::membership::NodeMembershipInput::Ended(partition));
            }
            None => {}
        }
        Ok(())
    }

    /// A partition has ended here, and all of it is recorded: others may hold it.
    fn ended(&mut self, node: usize, partition: MachineId) -> InvariantResult {
        self.schedule.trace(format_args!("node {node}: {partition:?} has ended here"));
        self.nodes[node].slots.remove(&partition);
        self.cut_clients(node, Some(partition));
        self.membership(node, crate::membership::NodeMembershipInput::Ended(partition))
    }
}

/// A worker never stops by itself: what passes between partitions is accepted, and its own invariants hold.
fn stopped(partition: MachineId, stop: &WorkerStop) -> InvariantViolation {
    InvariantViolation { invariant: "worker_never_stops", detail: format!("{partition:?}: {stop}") }
}

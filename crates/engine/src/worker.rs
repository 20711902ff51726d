//! The partitions of one thread. They share a writer, which makes their appends durable in order: so a message between two of them is
//! delivered at once, after what it rests on was appended, and the record never holds the second without the first.

use taisai_table::{BrokenInvariant, Cluster, House, MachineId, Refusal, Round, Time};

use crate::cluster::{ClusterInput, ClusterPartition};
use crate::effect::{CallerId, Effect, Effects, NewestCommand, Topic};
use crate::house::{HouseInput, HousePartition};
use crate::message::Message;
use crate::planted::{Mistake, makes};
use crate::round::{RoundInput, RoundPartition};
use crate::timer::Millis;

/// How long partitions that go to another node wait until the House holds their reports.
const DEPARTURE_TIMEOUT: Millis = Millis(5_000);

/// Why partitions stop. What they have decided in this batch is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerStop {
    /// A machine refuses what another has for it.
    #[error("{by:?}: what passes between partitions is refused: {}", refusal.code())]
    Refused {
        /// The machine that refuses.
        by: MachineId,
        /// Why.
        refusal: Refusal,
    },
    /// An invariant does not hold.
    #[error("{of:?}: {broken}")]
    Broken {
        of: MachineId,
        /// What does not hold.
        broken: BrokenInvariant,
    },
}

/// One of the machines with what it sends, shows and waits for.
#[derive(Debug)]
pub enum Partition {
    House(Box<HousePartition>),
    /// The dealer's side of a table.
    Round(Box<RoundPartition>),
    /// A players' side of a table.
    Cluster(Box<ClusterPartition>),
}

/// An input for a partition.
#[derive(Debug)]
pub enum Input {
    House(HouseInput),
    /// For the dealer's side.
    Round(RoundInput),
    /// For a players' side.
    Cluster(u16, ClusterInput),
    /// A message of another partition.
    Message(Message),
    /// A caller has read the partitions' state: [`Effect::ReadBarrier`] leaves once that state is durable.
    ReadBarrier(CallerId),
    /// The partitions go to another node once their round is over.
    Depart,
}

/// Whether partitions go to another node once their round is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Departure {
    No,
    /// When the House holds their reports, or by then.
    AfterReports(Time),
    Now,
}

/// Partitions that share a thread.
#[derive(Debug)]
pub struct Worker {
    partitions: Vec<Partition>,
    departure: Departure,
    /// Messages being delivered.
    delivering: Vec<Message>,
}

impl Worker {
    /// The House alone.
    pub fn house(house: HousePartition) -> Self {
        Self::new(vec![Partition::House(Box::new(house))])
    }

    /// The dealer's side of a table, and those of its players' sides that run on the same thread, by their numbers.
    pub fn table(round: RoundPartition, clusters: Vec<ClusterPartition>) -> Self {
        let clusters = clusters.into_iter().map(|cluster| Partition::Cluster(Box::new(cluster)));
        Self::new([Partition::Round(Box::new(round))].into_iter().chain(clusters).collect())
    }

    /// A players' side alone.
    pub fn cluster(cluster: ClusterPartition) -> Self {
        Self::new(vec![Partition::Cluster(Box::new(cluster))])
    }

    fn new(mut partitions: Vec<Partition>) -> Self {
        let here: Vec<MachineId> = partitions.iter().map(Partition::id).collect();
        for partition in &mut partitions {
            match partition {
                Partition::House(_) => {}
                Partition::Round(round) => {
                    round.set_local(|cluster| here.contains(&MachineId::Cluster(cluster)));
                }
                Partition::Cluster(cluster) => {
                    let table = cluster.machine().id().table;
                    cluster.set_local(here.contains(&MachineId::Round(table)));
                }
            }
        }
        Self { partitions, departure: Departure::No, delivering: Vec::new() }
    }

    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// The House, if it is here.
    pub fn the_house(&self) -> Option<&House> {
        self.partitions.iter().find_map(|partition| match partition {
            Partition::House(house) => Some(house.machine()),
            Partition::Round(_) | Partition::Cluster(_) => None,
        })
    }

    /// The dealer's side, if it is here.
    pub fn round(&self) -> Option<&Round> {
        self.partitions.iter().find_map(|partition| match partition {
            Partition::Round(round) => Some(round.machine()),
            Partition::House(_) | Partition::Cluster(_) => None,
        })
    }

    /// The players' sides that are here.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.partitions.iter().filter_map(|partition| match partition {
            Partition::Cluster(cluster) => Some(cluster.machine()),
            Partition::House(_) | Partition::Round(_) => None,
        })
    }

    /// A players' side, if it is here.
    pub fn cluster_numbered(&self, number: u16) -> Option<&Cluster> {
        self.clusters().find(|cluster| cluster.id().number == number)
    }

    /// The partitions begin: what they have for others is sent, and what was under way when they last stopped goes on.
    pub fn start(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        for partition in &mut self.partitions {
            match partition {
                Partition::House(house) => house.start(now, effects)?,
                Partition::Round(round) => round.start(now, effects),
                Partition::Cluster(cluster) => cluster.start(now, effects)?,
            }
        }
        Ok(())
    }

    /// Takes an input. What comes of it is complete after [`end_batch`](Self::end_batch).
    pub fn handle(&mut self, now: Time, input: Input, effects: &mut Effects) -> Result<(), WorkerStop> {
        match input {
            Input::House(input) => {
                if let Some(Partition::House(house)) = self.partitions.first_mut() {
                    house.handle(now, input, effects);
                }
            }
            Input::Round(input) => {
                let input = self.for_round(input);
                if let Some(Partition::Round(round)) = self.partitions.first_mut() {
                    round.handle(now, input, effects);
                }
            }
            Input::Cluster(number, input) => match self.cluster_mut(number) {
                Some(cluster) => cluster.handle(now, input, effects),
                None => input.refuse(effects),
            },
            Input::Message(message) => return self.receive(now, message, effects),
            Input::ReadBarrier(caller) => effects.held.push(Effect::ReadBarrier(caller)),
            Input::Depart => self.departure = Departure::AfterReports(DEPARTURE_TIMEOUT.after(now)),
        }
        Ok(())
    }

    /// Completes a batch: messages between these partitions are delivered, screens are shown what has changed, and everything is
    /// there to be appended.
    pub fn end_batch(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        if matches!(self.departure, Departure::AfterReports(by) if by <= now) {
            self.departure = Departure::Now;
        }
        for partition in &mut self.partitions {
            partition.on_time(now, effects);
        }
        loop {
            for partition in &mut self.partitions {
                partition.send(now, effects)?;
            }
            if !self.deliver(now, effects)? && !self.take_waiting(now, effects) {
                break;
            }
        }
        // A terminal is shown its seat before the table: the seat's money is there when the result is.
        let (first, others) = self.partitions.split_at_mut(1);
        for partition in others.iter_mut().chain(first) {
            partition.publish(now, effects);
        }
        // Views may pass between these partitions too.
        self.deliver(now, effects)?;
        for partition in &mut self.partitions {
            partition.end(now, effects)?;
        }
        Ok(())
    }

    /// When the partitions have something to do without an input.
    pub fn next_timer(&self) -> Option<Time> {
        let departs_by = match self.departure {
            Departure::AfterReports(by) => Some(by),
            Departure::No | Departure::Now => None,
        };
        self.partitions.iter().filter_map(Partition::next_timer).chain(departs_by).min()
    }

    /// Whether they are to move to another node, no round is in play, and the House holds what they report.
    pub fn has_departed(&self) -> bool {
        let has_reports = |partition: &Partition| match partition {
            Partition::House(_) => false,
            Partition::Round(round) => round.has_reports(),
            Partition::Cluster(cluster) => cluster.has_reports(),
        };
        let may_go = match self.departure {
            Departure::No => false,
            Departure::AfterReports(_) => !self.partitions.iter().any(has_reports),
            Departure::Now => true,
        };
        let is_in_play = |partition: &Partition| match partition {
            Partition::House(_) => false,
            Partition::Round(round) => round.is_in_play(),
            Partition::Cluster(cluster) => cluster.is_in_play(),
        };
        may_go && !self.partitions.iter().any(is_in_play)
    }

    /// Whether a round is in play that goes on by itself.
    pub fn is_playing(&self) -> bool {
        let is_playing = |partition: &Partition| match partition {
            Partition::House(_) => false,
            Partition::Round(round) => round.is_in_play() && !round.machine().is_held(),
            Partition::Cluster(cluster) => cluster.is_in_play() && !cluster.machine().is_held(),
        };
        self.partitions.iter().any(is_playing)
    }

    /// Has a command decided that waited for clusters of this worker: what they could follow by now they have. `false` if there is none.
    fn take_waiting(&mut self, now: Time, effects: &mut Effects) -> bool {
        match self.partitions.first_mut() {
            Some(Partition::Round(round)) => round.take_waiting(now, effects),
            Some(Partition::House(_) | Partition::Cluster(_)) | None => false,
        }
    }

    /// Delivers messages to partitions of this worker; the others leave with the batch. `false` if there were none for here.
    fn deliver(&mut self, now: Time, effects: &mut Effects) -> Result<bool, WorkerStop> {
        let mut has_delivered = false;
        let mut delivering = std::mem::take(&mut self.delivering);
        std::mem::swap(&mut delivering, &mut effects.messages);
        for message in delivering.drain(..) {
            if !self.partitions.iter().any(|partition| partition.id() == message.to()) {
                effects.held.push(Effect::Send(message));
                continue;
            }
            let from = message.from();
            if let Some(sender) = self.partitions.iter_mut().find(|partition| partition.id() == from)
                && !makes(Mistake::AppendsInWrongOrder)
            {
                sender.append(effects);
            }
            self.receive(now, message, effects)?;
            has_delivered = true;
        }
        self.delivering = delivering;
        Ok(has_delivered)
    }

    fn receive(&mut self, now: Time, message: Message, effects: &mut Effects) -> Result<(), WorkerStop> {
        let to = message.to();
        match self.partitions.iter_mut().find(|partition| partition.id() == to) {
            Some(Partition::House(house)) => house.receive(now, message, effects),
            Some(Partition::Round(round)) => return round.receive(now, message, effects),
            Some(Partition::Cluster(cluster)) => cluster.receive(now, message, effects),
            // Its sender sends it again, to wherever the partition is then.
            None => {}
        }
        Ok(())
    }

    /// The clusters of this worker are shown with the round, and know commands of the same screens.
    fn for_round(&mut self, input: RoundInput) -> RoundInput {
        match input {
            RoundInput::Subscribe { topics, counted, connection } => {
                let newest = |source| self.clusters().map(|cluster| cluster.newest(source, None)).max().unwrap_or(0);
                let counted = counted.map(|counted: NewestCommand| counted.and(newest(counted.source)));
                if topics.contains(&Topic::Staff) {
                    self.clusters_mut().for_each(ClusterPartition::show_now);
                }
                RoundInput::Subscribe { topics, counted, connection }
            }
            RoundInput::Watched { by_staff } => {
                self.clusters_mut().for_each(|cluster| cluster.set_watched(by_staff));
                input
            }
            RoundInput::Command { .. } | RoundInput::DamagedSet { .. } => input,
        }
    }

    fn clusters_mut(&mut self) -> impl Iterator<Item = &mut ClusterPartition> {
        self.partitions.iter_mut().filter_map(|partition| match partition {
            Partition::Cluster(cluster) => Some(&mut **cluster),
            Partition::House(_) | Partition::Round(_) => None,
        })
    }

    fn cluster_mut(&mut self, number: u16) -> Option<&mut ClusterPartition> {
        self.clusters_mut().find(|cluster| cluster.machine().id().number == number)
    }
}

impl Partition {
    pub fn id(&self) -> MachineId {
        match self {
            Self::House(_) => MachineId::House,
            Self::Round(round) => MachineId::Round(round.machine().table()),
            Self::Cluster(cluster) => MachineId::Cluster(cluster.machine().id()),
        }
    }

    fn on_time(&mut self, now: Time, effects: &mut Effects) {
        match self {
            Self::House(house) => house.on_time(now, effects),
            Self::Round(round) => round.on_time(now, effects),
            Self::Cluster(cluster) => cluster.on_time(now, effects),
        }
    }

    fn send(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        match self {
            Self::House(house) => house.send(now, effects),
            Self::Round(round) => round.send(now, effects),
            Self::Cluster(cluster) => return cluster.send(now, effects),
        }
        Ok(())
    }

    fn publish(&mut self, now: Time, effects: &mut Effects) {
        match self {
            Self::House(house) => house.publish(now, effects),
            Self::Round(round) => round.publish(now, effects),
            Self::Cluster(cluster) => cluster.publish(now, effects),
        }
    }

    fn append(&mut self, effects: &mut Effects) {
        match self {
            Self::House(house) => house.append(effects),
            Self::Round(round) => round.append(effects),
            Self::Cluster(cluster) => cluster.append(effects),
        }
    }

    /// Hands over what was decided, and has it vouched for where that is due.
    fn end(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        match self {
            Self::House(house) => return house.end(effects),
            Self::Round(round) => round.end(now, effects),
            Self::Cluster(cluster) => return cluster.end(effects),
        }
        Ok(())
    }

    fn next_timer(&self) -> Option<Time> {
        match self {
            Self::House(house) => house.next_timer(),
            Self::Round(round) => round.next_timer(),
            Self::Cluster(cluster) => cluster.next_timer(),
        }
    }
}

//! A house in one process, for scripts, the simulator and tests: it asks the machines, keeps what was recorded and the slips
//! of rounds that are over, and shows what they have for each other as messages. Whoever drives it chooses which message is
//! delivered next; [`Floor::carry`] delivers them all in order.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use crate::between::transit_is_on_its_way;
use crate::cluster::{Cluster, ClusterCommand, ClusterEvent, Slip};
use crate::codec::BadBytes;
use crate::entry::{Asked, Decision, Entry};
use crate::house::{House, HouseCommand, HouseEvent};
use crate::identity::{Actor, ClusterId, CommandId, RoundNumber, TableId, Time};
use crate::invariant::Broken;
use crate::machines::{BadPlan, Machines, Plan, Recorded, Snapshot, Table};
use crate::message::Message;
use crate::profile::Profile;
use crate::recent::Verdict;
use crate::round::{Notice, Round, RoundCommand, RoundEvent};

/// A house in one process.
#[derive(Clone, Debug)]
pub struct Floor {
    machines: Machines,
    slips: BTreeMap<(ClusterId, RoundNumber), Slip>,
    sequences: BTreeMap<u64, u64>,
    /// What was recorded and not yet taken away: a long run takes it round by round.
    pub record: Vec<Recorded>,
}

/// The source of the house's own commands.
const SYSTEM: u64 = 0;

impl Floor {
    /// A house without tables.
    pub fn new(profile: Profile, is_training: bool) -> Self {
        let machines = Machines::new(profile, is_training);
        Self { machines, slips: BTreeMap::new(), sequences: BTreeMap::new(), record: Vec::new() }
    }

    /// Adds a table, and has the House add it to its file.
    pub fn add_table(&mut self, plan: Plan, time: Time) -> Result<(), BadPlan> {
        let (table, clusters, training) = (plan.table, plan.clusters()?, plan.is_training);
        let add = HouseCommand::AddTable { table, clusters, training, second: None };
        let asked = self.system(time, add);
        match self.ask_house(asked).verdict() {
            Verdict::Accepted => self.machines.lay_out(plan),
            Verdict::Refused(refusal) => Err(BadPlan::Refused(refusal)),
        }
    }

    /// The machines.
    pub const fn machines(&self) -> &Machines {
        &self.machines
    }

    /// The House.
    pub const fn house(&self) -> &House {
        &self.machines.house
    }

    /// A table.
    pub fn table(&self, id: TableId) -> Option<&Table> {
        self.machines.tables.get(&id)
    }

    /// A players' side.
    pub fn cluster(&self, id: ClusterId) -> Option<&Cluster> {
        self.machines.cluster(id)
    }

    /// The next id of a source.
    pub fn next_id(&mut self, source: u64) -> CommandId {
        let sequence = self.sequences.entry(source).or_insert(0);
        *sequence += 1;
        CommandId { source, sequence: *sequence }
    }

    /// A command of the house's own program.
    pub fn system<C>(&mut self, time: Time, command: C) -> Asked<C> {
        let id = self.next_id(SYSTEM);
        Asked { time, actor: Actor::System, id, command }
    }

    /// Asks a dealer's side; nothing if there is no such table.
    pub fn ask_round(&mut self, table: TableId, asked: Asked<RoundCommand>) -> Option<Decision<RoundEvent>> {
        let round = &self.table(table)?.round;
        let asked = round.conceal(asked);
        let decision = round.decide(&asked);
        if let Some(entry) = entry(asked, &decision) {
            self.take(Recorded::Round(table, entry));
        }
        Some(decision)
    }

    /// Asks a players' side; nothing if there is no such cluster.
    pub fn ask_cluster(&mut self, cluster: ClusterId, asked: Asked<ClusterCommand>) -> Option<Decision<ClusterEvent>> {
        let decision = self.cluster(cluster)?.decide(&asked);
        if let Some(entry) = entry(asked, &decision) {
            self.take(Recorded::Cluster(cluster, entry));
        }
        Some(decision)
    }

    /// Asks the House.
    pub fn ask_house(&mut self, asked: Asked<HouseCommand>) -> Decision<HouseEvent> {
        let decision = self.house().decide(&asked);
        if let Some(entry) = entry(asked, &decision) {
            self.take(Recorded::House(entry));
        }
        decision
    }

    /// Records an entry, then applies it: a machine that stops leaves the entry that it stopped at.
    fn take(&mut self, recorded: Recorded) {
        self.record.push(recorded);
        let Self { machines, slips, record, .. } = self;
        if let Some(recorded) = record.last() {
            slips.extend(slip(machines, recorded));
            machines.apply(recorded);
        }
    }

    /// The slip of a round that is over.
    pub fn slip(&self, cluster: ClusterId, round: RoundNumber) -> Option<&Slip> {
        self.slips.get(&(cluster, round))
    }

    /// What the machines have for each other. The messages of one way are in their order.
    pub fn waiting(&self) -> impl Iterator<Item = Message> {
        let tables = self.machines.tables.values();
        tables.flat_map(|table| table.clusters.iter().flat_map(|cluster| self.waiting_at(&table.round, cluster)))
    }

    fn waiting_at<'a>(&'a self, round: &'a Round, from: &'a Cluster) -> impl Iterator<Item = Message> {
        let cluster = from.id();
        let (followed, colour_chips, is_registered) = from.reports();
        let (held, holds) = (self.house().received(cluster), from.received());
        let notices =
            round.notices(cluster).filter(move |(number, _)| *number > followed).map(move |(number, notice)| {
                let slip = about(notice).and_then(|about| self.slip(cluster, about)).cloned();
                Message::Notice { cluster, number, notice: notice.clone(), slip }
            });
        let is_reported = round.reported(cluster) == Some(from.reports());
        let report = (!is_reported).then_some(Message::Followed { cluster, followed, colour_chips, is_registered });
        let out = from.outbox().map(move |transfer| match transfer.number {
            number if number <= held => Message::HouseHolds { cluster, number },
            _ => Message::ToHouse { cluster, transfer: *transfer },
        });
        let back = self.house().outbox(cluster).map(move |transfer| match transfer.number {
            number if number <= holds => Message::ClusterHolds { cluster, number },
            _ => Message::ToCluster { cluster, transfer: *transfer },
        });
        notices.chain(report).chain(out).chain(back)
    }

    /// Delivers a message to the machine it is for; nothing if there is no such machine.
    pub fn deliver(&mut self, message: Message, time: Time) -> Option<Verdict> {
        match message {
            Message::Notice { cluster, number, notice, slip } => {
                self.tell_cluster(cluster, ClusterCommand::Follow { number, notice, slip }, time)
            }
            Message::Followed { cluster, followed, colour_chips, is_registered } => {
                let report = RoundCommand::Report { cluster, followed, colour_chips, is_registered };
                let asked = self.system(time, report);
                self.ask_round(cluster.table, asked).map(|decision| decision.verdict())
            }
            Message::HouseHolds { cluster, number } => {
                self.tell_cluster(cluster, ClusterCommand::Delivered { number }, time)
            }
            Message::ToHouse { cluster, transfer } => {
                let asked = self.system(time, HouseCommand::Receive { cluster, transfer });
                Some(self.ask_house(asked).verdict())
            }
            Message::ClusterHolds { cluster, number } => {
                let asked = self.system(time, HouseCommand::Delivered { cluster, number });
                Some(self.ask_house(asked).verdict())
            }
            Message::ToCluster { cluster, transfer } => {
                self.tell_cluster(cluster, ClusterCommand::Receive { transfer }, time)
            }
        }
    }

    fn tell_cluster(&mut self, cluster: ClusterId, command: ClusterCommand, time: Time) -> Option<Verdict> {
        let asked = self.system(time, command);
        self.ask_cluster(cluster, asked).map(|decision| decision.verdict())
    }

    /// Delivers the message that has waited longest; `false` if there is none, or if it is refused.
    pub fn carry_one(&mut self, time: Time) -> bool {
        let next = self.waiting().next();
        next.and_then(|message| self.deliver(message, time)) == Some(Verdict::Accepted)
    }

    /// Delivers messages until nothing waits.
    pub fn carry(&mut self, time: Time) {
        while self.carry_one(time) {}
    }
}

/// Machines put in the place of those that stopped.
impl Floor {
    /// Builds everything again from the entries of the whole record.
    pub fn rebuild(&mut self, entries: impl IntoIterator<Item = impl Borrow<Recorded>>) {
        self.machines = self.machines.empty();
        self.slips.clear();
        self.sequences.clear();
        self.follow(entries);
    }

    /// Builds the machines again from a snapshot and the entries since. Older slips and ids stay as they are.
    pub fn restore(
        &mut self,
        snapshot: &Snapshot,
        entries: impl IntoIterator<Item = impl Borrow<Recorded>>,
    ) -> Result<(), BadBytes> {
        self.machines.restore(snapshot)?;
        self.follow(entries);
        Ok(())
    }

    fn follow(&mut self, entries: impl IntoIterator<Item = impl Borrow<Recorded>>) {
        for recorded in entries {
            let recorded = recorded.borrow();
            let CommandId { source, sequence } = match recorded {
                Recorded::Round(_, entry) => entry.asked.id,
                Recorded::Cluster(_, entry) => entry.asked.id,
                Recorded::House(entry) => entry.asked.id,
            };
            let newest = self.sequences.entry(source).or_insert(sequence);
            *newest = sequence.max(*newest);
            self.slips.extend(slip(&self.machines, recorded));
            self.machines.apply(recorded);
        }
    }
}

/// What must hold between the machines.
impl Floor {
    /// Every invariant of every machine, and that money between them is where it should be: what each cluster and the House
    /// have in transit differs by exactly what is on its way.
    pub fn check(&self) -> Result<(), Broken> {
        self.machines.clusters().try_for_each(Cluster::check)?;
        self.house().check()?;
        self.machines.clusters().try_for_each(|cluster| transit_is_on_its_way(self.house(), cluster))
    }
}

/// The slip of the round that an entry settles, before it is applied.
fn slip(machines: &Machines, recorded: &Recorded) -> Option<((ClusterId, RoundNumber), Slip)> {
    let Recorded::Cluster(id, Entry { outcome: Ok(ClusterEvent::Settled { .. }), .. }) = recorded else { return None };
    let cluster = machines.cluster(*id)?;
    Some(((*id, cluster.round()), cluster.slip()))
}

/// The round that a notice is about, where that round may be over.
fn about(notice: &Notice) -> Option<RoundNumber> {
    let is_in_play = matches!(notice, Notice::Result { .. });
    notice.stands().filter(|_| !is_in_play).map(|(round, _)| round)
}

fn entry<C, E: Clone>(asked: Asked<C>, decision: &Decision<E>) -> Option<Entry<C, E>> {
    match decision {
        Decision::Accepted(event) => Some(Entry { asked, outcome: Ok(event.clone()) }),
        Decision::Refused(refusal) => Some(Entry { asked, outcome: Err(*refusal) }),
        Decision::Repeated(_) => None,
    }
}

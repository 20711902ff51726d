//! A house in one process: the machines and what passes between them, for scripts, the simulator and tests. It numbers
//! commands, keeps what was recorded, and carries notices, reports and transfers from machine to machine, each once.

use std::collections::BTreeMap;

use crate::cluster::{Cluster, ClusterCommand, ClusterEvent, Slip};
use crate::codec::{ClusterEntry, HouseEntry, RoundEntry};
use crate::entry::{Asked, Decision, Entry};
use crate::house::{Account, House, HouseCommand, HouseEvent};
use crate::identity::{Actor, ClusterId, CommandId, RoundNumber, TableId, Time};
use crate::invariant::{Broken, hold};
use crate::profile::Profile;
use crate::round::{Notice, Round, RoundCommand, RoundEvent};
use crate::rules::TableRules;
use crate::transfer::Purpose;

/// A table on the floor: its dealer's side and its one cluster.
#[derive(Clone, Debug)]
pub struct Table {
    /// The dealer's side.
    pub round: Round,
    /// The players' side.
    pub cluster: Cluster,
}

/// One entry of the record, of whichever machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// Of a dealer's side.
    Round(TableId, RoundEntry),
    /// Of a players' side.
    Cluster(ClusterId, ClusterEntry),
    /// Of the House.
    House(HouseEntry),
}

/// A house in one process.
#[derive(Clone, Debug)]
pub struct Floor {
    /// The House.
    pub house: House,
    tables: BTreeMap<TableId, Table>,
    slips: BTreeMap<(ClusterId, RoundNumber), Slip>,
    sequences: BTreeMap<u64, u64>,
    /// Everything recorded so far.
    pub record: Vec<Recorded>,
}

/// The source of the house's own commands.
const SYSTEM: u64 = 0;

impl Floor {
    /// A house without tables.
    pub fn new(profile: Profile, is_training: bool) -> Self {
        Self {
            house: House::new(profile, is_training),
            tables: BTreeMap::new(),
            slips: BTreeMap::new(),
            sequences: BTreeMap::new(),
            record: Vec::new(),
        }
    }

    /// Adds a table with so many seats.
    pub fn add_table(&mut self, id: TableId, rules: TableRules, profile: &Profile, is_training: bool, seats: u32) {
        let round = Round::new(id, rules.clone(), profile.clone(), is_training, 1);
        let cluster = Cluster::new(ClusterId { table: id, number: 0 }, rules, profile.clone(), seats);
        self.tables.insert(id, Table { round, cluster });
    }

    /// A table.
    pub fn table(&self, id: TableId) -> Option<&Table> {
        self.tables.get(&id)
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.tables.values()
    }

    /// The next id of a source.
    pub fn next_id(&mut self, source: u64) -> CommandId {
        let sequence = self.sequences.entry(source).or_insert(0);
        *sequence += 1;
        CommandId { source, sequence: *sequence }
    }

    /// Asks a dealer's side; nothing if there is no such table.
    pub fn ask_round(&mut self, table: TableId, asked: Asked<RoundCommand>) -> Option<Decision<RoundEvent>> {
        let round = &mut self.tables.get_mut(&table)?.round;
        let decision = round.decide(&asked);
        if let Some(entry) = recorded(asked, &decision) {
            round.apply(&entry);
            self.record.push(Recorded::Round(table, entry));
        }
        Some(decision)
    }

    /// Asks a players' side; nothing if there is no such table.
    pub fn ask_cluster(&mut self, table: TableId, asked: Asked<ClusterCommand>) -> Option<Decision<ClusterEvent>> {
        let cluster = &mut self.tables.get_mut(&table)?.cluster;
        let decision = cluster.decide(&asked);
        if let ClusterCommand::Follow { .. } = asked.command
            && let Decision::Accepted(ClusterEvent::Settled { .. }) = decision
        {
            self.slips.insert((cluster.id(), cluster.round()), cluster.slip());
        }
        if let Some(entry) = recorded(asked, &decision) {
            cluster.apply(&entry);
            self.record.push(Recorded::Cluster(cluster.id(), entry));
        }
        Some(decision)
    }

    /// Asks the House.
    pub fn ask_house(&mut self, asked: Asked<HouseCommand>) -> Decision<HouseEvent> {
        let decision = self.house.decide(&asked);
        if let Some(entry) = recorded(asked, &decision) {
            self.house.apply(&entry);
            self.record.push(Recorded::House(entry));
        }
        decision
    }

    /// The slip of a round that is over.
    pub fn slip(&self, cluster: ClusterId, round: RoundNumber) -> Option<&Slip> {
        self.slips.get(&(cluster, round))
    }

    /// Carries what the machines have for each other, until there is nothing more.
    pub fn carry(&mut self, time: Time) {
        let tables: Vec<_> = self.tables.keys().copied().collect();
        for table in tables {
            while self.carry_one(table, time) {}
        }
    }

    /// Carries one message of a table; `false` if there is none.
    pub fn carry_one(&mut self, table: TableId, time: Time) -> bool {
        let Some(Table { round, cluster }) = self.tables.get(&table) else { return false };
        let id = cluster.id();
        let next = round.notices(id).find(|(number, _)| *number > cluster.followed());
        let next = next.map(|(number, notice)| (number, notice.clone()));
        let (followed, colour_chips) = (cluster.followed(), cluster.colour_chips());
        let is_reported = round.reported(id) == Some((followed, colour_chips));
        if let Some((number, notice)) = next {
            let slip = about(&notice).and_then(|about| self.slips.get(&(id, about))).cloned();
            let command = ClusterCommand::Follow { number, notice, slip };
            let asked = self.system(time, command);
            return matches!(self.ask_cluster(table, asked), Some(Decision::Accepted(_)));
        }
        if !is_reported {
            let asked = self.system(time, RoundCommand::Report { cluster: id, followed, colour_chips });
            return matches!(self.ask_round(table, asked), Some(Decision::Accepted(_)));
        }
        self.carry_transfer(table, id, time)
    }

    fn carry_transfer(&mut self, table: TableId, id: ClusterId, time: Time) -> bool {
        let Some(Table { cluster, .. }) = self.tables.get(&table) else { return false };
        let (out, received) = (cluster.outbox().next().copied(), cluster.received());
        if let Some(transfer) = out {
            if self.house.received(id) < transfer.number {
                let asked = self.system(time, HouseCommand::Receive { cluster: id, transfer });
                return matches!(self.ask_house(asked), Decision::Accepted(_));
            }
            let asked = self.system(time, ClusterCommand::Delivered { number: transfer.number });
            return matches!(self.ask_cluster(table, asked), Some(Decision::Accepted(_)));
        }
        let back = self.house.outbox(id).next().copied();
        let Some(transfer) = back else { return false };
        if received < transfer.number {
            let asked = self.system(time, ClusterCommand::Receive { transfer });
            return matches!(self.ask_cluster(table, asked), Some(Decision::Accepted(_)));
        }
        let asked = self.system(time, HouseCommand::Delivered { cluster: id, number: transfer.number });
        matches!(self.ask_house(asked), Decision::Accepted(_))
    }

    /// A command of the house's own program.
    pub fn system<C>(&mut self, time: Time, command: C) -> Asked<C> {
        let id = self.next_id(SYSTEM);
        Asked { time, actor: Actor::System, id, command }
    }

    /// Every invariant of every machine, and that money between them is where it should be: what each cluster and the House
    /// have in transit differs by exactly what is on its way.
    pub fn check(&self) -> Result<(), Broken> {
        self.tables().try_for_each(|table| table.cluster.check())?;
        self.house.check()?;
        self.tables().try_for_each(|table| self.transit_is_on_its_way(&table.cluster))
    }

    /// What a cluster has sent and the House has not received, and the other way round, is what their accounts in transit
    /// differ by.
    pub fn transit_is_on_its_way(&self, cluster: &Cluster) -> Result<(), Broken> {
        let id = cluster.id();
        let received = self.house.received(id);
        let out =
            cluster.outbox().filter(|transfer| transfer.number > received).map(|transfer| match transfer.purpose {
                Purpose::Receivable { .. } => -i128::from(transfer.amount.cents()),
                Purpose::Voucher { .. }
                | Purpose::Claim { .. }
                | Purpose::Credits { .. }
                | Purpose::Returned { .. } => i128::from(transfer.amount.cents()),
            });
        let back = self.house.outbox(id).filter(|transfer| transfer.number > cluster.received());
        let on_its_way: i128 = out.chain(back.map(|transfer| i128::from(transfer.amount.cents()))).sum();
        let house = self.house.balance(Account::Transit(id));
        let accounts = i128::from(cluster.ledger().transit.cents()) + i128::from(house.cents());
        hold("transit is on its way", accounts == on_its_way, || format!("{accounts} and {on_its_way}, {id:?}"))
    }
}

/// The round that a notice is about, where that round may be over.
const fn about(notice: &Notice) -> Option<RoundNumber> {
    match notice {
        Notice::Voided { round, .. } | Notice::Corrected { round, .. } => Some(*round),
        Notice::TableOpened
        | Notice::TableClosed
        | Notice::Limits { .. }
        | Notice::Opened { .. }
        | Notice::Closed { .. }
        | Notice::Result { .. }
        | Notice::Held
        | Notice::Resumed => None,
    }
}

fn recorded<C, E: Clone>(asked: Asked<C>, decision: &Decision<E>) -> Option<Entry<C, E>> {
    match decision {
        Decision::Accepted(event) => Some(Entry { asked, outcome: Ok(event.clone()) }),
        Decision::Refused(refusal) => Some(Entry { asked, outcome: Err(*refusal) }),
        Decision::Repeated(_) => None,
    }
}

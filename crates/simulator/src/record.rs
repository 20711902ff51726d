//! What the store holds, followed block by block as it is committed: every machine as its chain has it, and whether the record holds
//! together.

use std::collections::BTreeMap;
use std::rc::Rc;

use taisai_engine::Message;
use taisai_table::{
    Cluster, ClusterCommand, ClusterId, CommandId, House, HouseCommand, MachineId, Phase, Round, RoundNumber, Slip,
    TableId, Time, Verdict,
};

use crate::casino::Casino;
use crate::invariants::{self, InvariantResult, InvariantViolation, ensure};
use crate::machine::{AnyEntry, AnyMachine};
use crate::store::{SimulatedBlock, SimulatedHead, SimulatedStore};

/// Blocks of a chain between two snapshots.
const SNAPSHOT_INTERVAL: u64 = 64;

/// A chain as it has been followed.
#[derive(Debug)]
struct ObservedChain {
    machine: AnyMachine,
    head: SimulatedHead,
    newest: Time,
    /// Whether nothing was written since the last take-over.
    is_taken_over: bool,
    /// How many bets were accepted.
    bets: u64,
    /// The last transfer that was taken, by where it came from.
    taken: BTreeMap<MachineId, u64>,
    /// The head after the last block in the snapshot, and the machine then.
    snapshot: (SimulatedHead, AnyMachine),
}

/// What has been played.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlayCounts {
    pub(crate) rounds: u64,
    pub(crate) bets: u64,
    pub(crate) commands: u64,
    pub(crate) refusals: u64,
    pub(crate) notes: u64,
    pub(crate) registered: u64,
    pub(crate) transfers: u64,
    pub(crate) corrections: u64,
    pub(crate) take_overs: u64,
}

/// The record of the installation.
#[derive(Debug)]
pub(crate) struct FollowedRecord {
    chains: BTreeMap<MachineId, ObservedChain>,
    /// How many blocks of the store's log were followed.
    followed: usize,
    verdicts: BTreeMap<(MachineId, CommandId), Vec<Verdict>>,
    slips: BTreeMap<(ClusterId, RoundNumber), Slip>,
    pub(crate) played: PlayCounts,
}

impl FollowedRecord {
    pub(crate) fn new(casino: &Casino) -> Self {
        let followed = |id: MachineId| {
            let machine = casino.machine(id);
            let snapshot = (SimulatedHead::default(), machine.clone());
            (
                id,
                ObservedChain {
                    machine,
                    head: SimulatedHead::default(),
                    newest: Time(0),
                    is_taken_over: false,
                    bets: 0,
                    taken: BTreeMap::new(),
                    snapshot,
                },
            )
        };
        Self {
            chains: casino.chains().into_iter().map(followed).collect(),
            followed: 0,
            verdicts: BTreeMap::new(),
            slips: BTreeMap::new(),
            played: PlayCounts::default(),
        }
    }

    fn of(&self, id: MachineId) -> &ObservedChain {
        self.chains.get(&id).expect("a chain that was laid out")
    }

    pub(crate) fn machine(&self, id: MachineId) -> &AnyMachine {
        &self.of(id).machine
    }

    pub(crate) fn house(&self) -> &House {
        match self.machine(MachineId::House) {
            AnyMachine::House(house) => house,
            AnyMachine::Round(_) | AnyMachine::Cluster(_) => unreachable!("the House's chain is of the House"),
        }
    }

    pub(crate) fn round(&self, table: TableId) -> &Round {
        match self.machine(MachineId::Round(table)) {
            AnyMachine::Round(round) => round,
            AnyMachine::House(_) | AnyMachine::Cluster(_) => unreachable!("a round's chain is of a round"),
        }
    }

    pub(crate) fn cluster(&self, id: ClusterId) -> &Cluster {
        match self.machine(MachineId::Cluster(id)) {
            AnyMachine::Cluster(cluster) => cluster,
            AnyMachine::House(_) | AnyMachine::Round(_) => unreachable!("a cluster's chain is of a cluster"),
        }
    }

    pub(crate) fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.chains.values().filter_map(|followed| match &followed.machine {
            AnyMachine::Cluster(cluster) => Some(&**cluster),
            AnyMachine::House(_) | AnyMachine::Round(_) => None,
        })
    }

    pub(crate) fn rounds(&self) -> impl Iterator<Item = &Round> {
        self.chains.values().filter_map(|followed| match &followed.machine {
            AnyMachine::Round(round) => Some(&**round),
            AnyMachine::House(_) | AnyMachine::Cluster(_) => None,
        })
    }

    pub(crate) fn newest(&self, id: MachineId) -> Time {
        self.of(id).newest
    }

    /// How many bets each cluster has accepted.
    pub(crate) fn bets(&self) -> BTreeMap<MachineId, u64> {
        let is_cluster = |id: &MachineId| matches!(id, MachineId::Cluster(_));
        self.chains.iter().filter(|(id, _)| is_cluster(id)).map(|(id, followed)| (*id, followed.bets)).collect()
    }

    /// A machine as it was some blocks ago, and the head then.
    pub(crate) fn snapshot(&self, id: MachineId) -> (SimulatedHead, AnyMachine) {
        self.of(id).snapshot.clone()
    }

    /// Keeps a machine that is ahead of its chain, by mistake.
    pub(crate) fn keep(&mut self, id: MachineId, machine: AnyMachine) {
        let followed = self.chains.get_mut(&id).expect("a chain that was laid out");
        followed.snapshot = (followed.head, machine);
    }

    pub(crate) fn slip(&self, cluster: ClusterId, round: RoundNumber) -> Option<&Slip> {
        self.slips.get(&(cluster, round))
    }

    /// What the record says of a command to a machine.
    pub(crate) fn verdicts(&self, machine: MachineId, id: CommandId) -> &[Verdict] {
        self.verdicts.get(&(machine, id)).map_or(&[], Vec::as_slice)
    }

    /// Follows what was committed since, and checks it. Blocks that were followed and are not there any more were acknowledged to
    /// someone.
    pub(crate) fn follow<A: Clone>(&mut self, store: &SimulatedStore<A>) -> InvariantResult {
        let log = store.log();
        ensure("durable_stays", log.len() >= self.followed, || {
            format!("the store has {} blocks after {}", log.len(), self.followed)
        })?;
        while self.followed < log.len() {
            let block = Rc::clone(&log[self.followed]);
            self.followed += 1;
            self.block(&block, store.head(block.chain).epoch)?;
        }
        Ok(())
    }

    fn block(&mut self, block: &SimulatedBlock, taken: u64) -> InvariantResult {
        let id = block.chain;
        invariants::chain_is_whole(self.of(id).head, block, taken)?;
        self.played.take_overs += u64::from(block.is_take_over());
        for bytes in block.entries() {
            self.entry(id, bytes)?;
        }
        let followed = self.chains.get_mut(&id).expect("a chain that was laid out");
        followed.head = block.head();
        followed.is_taken_over |= block.is_take_over();
        if block.position % SNAPSHOT_INTERVAL == SNAPSHOT_INTERVAL - 1 {
            followed.snapshot = (followed.head, followed.machine.clone());
        }
        self.check(id)
    }

    fn entry(&mut self, id: MachineId, bytes: &[u8]) -> InvariantResult {
        let followed = self.chains.get_mut(&id).expect("a chain that was laid out");
        let bad = |bad: taisai_table::BadBytes| InvariantViolation {
            invariant: "entry_can_be_read",
            detail: bad.to_string(),
        };
        let recorded = followed.machine.read(bytes).map_err(bad)?;
        invariants::time_never_goes_back(followed.newest, &recorded)?;
        invariants::entry_is_decided_again(&followed.machine, &recorded)?;
        invariants::dice_are_concealed(&followed.machine, &recorded)?;
        if std::mem::take(&mut followed.is_taken_over) {
            invariants::take_over_holds_the_round(&followed.machine, &recorded)?;
        }
        let verdicts = self.verdicts.entry((id, recorded.id())).or_default();
        invariants::command_is_recorded_once(verdicts, &recorded)?;
        verdicts.push(recorded.verdict());
        if let (Some((round, slip)), MachineId::Cluster(cluster)) = (followed.machine.settles(&recorded), id) {
            self.slips.insert((cluster, round), slip);
        }
        if let Some((from, transfer)) = transfer_of(&recorded) {
            let taken = followed.taken.entry(from).or_default();
            invariants::transfer_is_taken_once(*taken, transfer)?;
            *taken = transfer.number;
            self.played.transfers += 1;
        }
        let is_over = |machine: &AnyMachine| match machine {
            AnyMachine::Round(round) => matches!(round.phase(), Phase::Settled | Phase::Void),
            AnyMachine::House(_) | AnyMachine::Cluster(_) => false,
        };
        let was_over = is_over(&followed.machine);
        followed.machine.apply(&recorded);
        followed.newest = recorded.time();
        self.played.rounds += u64::from(!was_over && is_over(&followed.machine));
        self.count(id, &recorded)
    }

    fn count(&mut self, id: MachineId, recorded: &AnyEntry) -> InvariantResult {
        self.played.commands += 1;
        if recorded.verdict() != Verdict::Accepted {
            self.played.refusals += 1;
            return Ok(());
        }
        let (AnyEntry::Cluster(entry), MachineId::Cluster(cluster)) = (recorded, id) else { return Ok(()) };
        match &entry.request.command {
            ClusterCommand::Place { .. } | ClusterCommand::Repeat { .. } | ClusterCommand::Double { .. } => {
                self.played.bets += 1;
                self.chains.get_mut(&id).expect("a chain that was laid out").bets += 1;
                invariants::no_bet_after_the_dice(self.round(cluster.table), self.cluster(cluster))
            }
            ClusterCommand::AcceptNote { .. } => {
                self.played.notes += 1;
                Ok(())
            }
            // Chips that lay there before the dice.
            ClusterCommand::Register { .. } => {
                self.played.registered += 1;
                self.chains.get_mut(&id).expect("a chain that was laid out").bets += 1;
                Ok(())
            }
            ClusterCommand::Follow { slip: Some(_), .. } => {
                self.played.corrections += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// What is cheap to check, after every block of a chain.
    fn check(&self, id: MachineId) -> InvariantResult {
        let table = match id {
            MachineId::House => {
                self.house().ledger_sums_to_zero().map_err(|broken| InvariantViolation {
                    invariant: "machine_is_sound",
                    detail: broken.to_string(),
                })?;
                return self.clusters().try_for_each(|cluster| invariants::money_is_conserved(self.house(), cluster));
            }
            MachineId::Round(table) => table,
            MachineId::Cluster(cluster) => {
                invariants::machine_is_sound(self.machine(id))?;
                invariants::money_is_conserved(self.house(), self.cluster(cluster))?;
                cluster.table
            }
        };
        let clusters = || self.clusters().filter(move |cluster| cluster.id().table == table);
        let round = self.round(table);
        for cluster in clusters() {
            invariants::cluster_is_not_ahead_of_its_round(round, cluster)?;
            invariants::round_is_not_ahead_of_its_cluster(round, cluster)?;
        }
        invariants::dice_wait_for_every_close(round, clusters())
    }

    /// Everything that one machine or two can show.
    pub(crate) fn check_all(&self) -> InvariantResult {
        for (id, followed) in &self.chains {
            invariants::machine_is_sound(&followed.machine)?;
            self.check(*id)?;
        }
        Ok(())
    }

    pub(crate) fn message_is_on_record(&self, message: &Message) -> InvariantResult {
        let machine = |id: MachineId| self.chains.get(&id).map(|followed| &followed.machine);
        let of_pair = [message.from(), message.to()];
        let round = of_pair.iter().find_map(|id| match machine(*id) {
            Some(AnyMachine::Round(round)) => Some(&**round),
            Some(AnyMachine::House(_) | AnyMachine::Cluster(_)) | None => None,
        });
        let cluster = of_pair.iter().find_map(|id| match machine(*id) {
            Some(AnyMachine::Cluster(cluster)) => Some(&**cluster),
            Some(AnyMachine::House(_) | AnyMachine::Round(_)) | None => None,
        });
        invariants::message_is_on_record(message, round, cluster, self.house())
    }

    /// Builds every machine again from its first entry.
    pub(crate) fn replay<A: Clone>(&self, casino: &Casino, store: &SimulatedStore<A>) -> InvariantResult {
        for (id, followed) in &self.chains {
            let mut machine = casino.machine(*id);
            for block in store.blocks(*id) {
                for bytes in block.entries() {
                    let recorded = machine.read(bytes).expect("it was read before");
                    machine.apply(&recorded);
                }
            }
            ensure("replay_gives_the_same_state", machine.state_hash() == followed.machine.state_hash(), || {
                format!("{id:?}")
            })?;
        }
        Ok(())
    }
}

/// The transfer that an accepted entry takes, and where it comes from.
fn transfer_of(recorded: &AnyEntry) -> Option<(MachineId, &taisai_table::Transfer)> {
    match recorded {
        AnyEntry::House(entry) => match (&entry.request.command, &entry.outcome) {
            (HouseCommand::Receive { cluster, transfer }, Ok(_)) => Some((MachineId::Cluster(*cluster), transfer)),
            (_, _) => None,
        },
        AnyEntry::Cluster(entry) => match (&entry.request.command, &entry.outcome) {
            (ClusterCommand::Receive { transfer }, Ok(_)) => Some((MachineId::House, transfer)),
            (_, _) => None,
        },
        AnyEntry::Round(_) => None,
    }
}

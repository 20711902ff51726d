//! The contents of a record, read from its chains and compared with the replies to the players and the Dealer.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use taisai_journal::{Archive, TrustedKeys};
use taisai_record::{Address, ChainReplay, RecordedMachine, ReplayEvent, chain_of};
use taisai_rules::Dice;
use taisai_table::{
    Cluster, ClusterCommand, ClusterEvent, ClusterId, Entry, House, HouseCommand, MachineId, Notice, Round, RoundEvent,
    TableId,
};

use crate::betting_players::Player;
use crate::dealer::Dealer;
use crate::house::TABLE;

/// How often each bet was accepted, by cluster, seat and command number.
type Bets = BTreeMap<((u16, u32), u64), u32>;

/// The bets and results in the chains of an installation.
#[derive(Debug, Default)]
pub(crate) struct PlayedRecord {
    bets: Bets,
    /// The dice of each round, once for each commit.
    decided: BTreeMap<u64, Vec<Dice>>,
    /// How often each cluster settled each round.
    settled: BTreeMap<(u16, u64), u32>,
    clusters: u16,
    /// How often a terminal was taken for a copy of itself.
    pub(crate) copied: u32,
}

impl PlayedRecord {
    pub(crate) fn read(store: &str, clusters: u16) -> Self {
        let address: Address = store.parse().unwrap();
        let mut archive = address.archive().unwrap();
        let table = TableId(TABLE);
        let mut record = Self { clusters, ..Self::default() };
        each::<Round>(&mut *archive, MachineId::Round(table), |round, entry| {
            if let Ok(RoundEvent::Committed { dice, .. }) = &entry.outcome {
                record.decided.entry(round.number().0).or_default().push(*dice);
            }
        });
        for number in 0..clusters {
            let cluster = MachineId::Cluster(ClusterId { table, number });
            let mut play = ClusterReplay::default();
            each::<Cluster>(&mut *archive, cluster, |_, entry| record.at_players(number, &mut play, entry));
        }
        each::<House>(&mut *archive, MachineId::House, |_, entry| {
            if entry.outcome.is_ok() && matches!(entry.request.command, HouseCommand::CopiedToken { .. }) {
                record.copied += 1;
            }
        });
        record
    }

    /// Reads an entry of a cluster.
    fn at_players(&mut self, number: u16, play: &mut ClusterReplay, entry: &Entry<ClusterCommand, ClusterEvent>) {
        if entry.outcome.is_err() {
            return;
        }
        if let ClusterCommand::Follow { notice, .. } = &entry.request.command {
            play.follow(notice);
            if let Notice::Result { round, .. } = notice {
                *self.settled.entry((number, round.0)).or_default() += 1;
            }
        }
        if let ClusterCommand::Place { seat, .. } = &entry.request.command {
            assert!(play.is_open && !play.is_held, "a bet was taken that could not be: {entry:?}");
            *self.bets.entry(((number, seat.0), entry.request.id.sequence)).or_default() += 1;
        }
    }

    /// Checks that every acknowledged bet is recorded once, no refused one is, and nobody placed others; that each result is the
    /// one acknowledged to the Dealer, and no round has two.
    pub(crate) fn holds(&self, players: &[Player], dealer: &Dealer) {
        let mut acknowledged = Bets::new();
        for player in players {
            let bets = player.bets.iter().filter(|(_, is_accepted)| *is_accepted);
            acknowledged.extend(bets.map(|(sequence, _)| ((player.place(), *sequence), 1)));
        }
        let differ = |one: &Bets, other: &Bets| {
            one.iter().filter(|(bet, times)| other.get(bet) != Some(*times)).map(|(bet, _)| *bet).collect::<Vec<_>>()
        };
        let (missing, extra) = (differ(&acknowledged, &self.bets), differ(&self.bets, &acknowledged));
        assert!(
            missing.is_empty() && extra.is_empty(),
            "acknowledged only: {missing:?}, in the record only: {extra:?}"
        );
        for (round, decided) in &self.decided {
            assert_eq!(decided.len(), 1, "round {round} was decided by {decided:?}");
            for cluster in 0..self.clusters {
                let settled = self.settled.get(&(cluster, *round));
                assert_eq!(settled, Some(&1), "round {round} was settled once in cluster {cluster}");
            }
        }
        for (round, dice) in &dealer.dice {
            let dice = Dice::try_from(*dice).unwrap();
            assert_eq!(self.decided.get(round).map(Vec::as_slice), Some(&[dice][..]), "round {round}");
        }
    }

    /// The number of accepted bets, and of decided rounds.
    pub(crate) fn counted(&self) -> (usize, usize) {
        (self.bets.len(), self.decided.len())
    }
}

/// Whether a cluster takes bets, by the notices that it has followed.
#[derive(Default)]
struct ClusterReplay {
    is_open: bool,
    is_held: bool,
}

impl ClusterReplay {
    fn follow(&mut self, notice: &Notice) {
        match notice {
            Notice::Opened { .. } => self.is_open = true,
            Notice::Closed { .. }
            | Notice::Thrown { .. }
            | Notice::Result { .. }
            | Notice::Voided { .. }
            | Notice::TableClosed => {
                self.is_open = false;
            }
            Notice::Held => self.is_held = true,
            Notice::Resumed => self.is_held = false,
            Notice::TableOpened
            | Notice::ClosureAnnounced
            | Notice::Relieved { .. }
            | Notice::Limits { .. }
            | Notice::Corrected { .. } => {}
        }
    }
}

/// Visits every entry of a chain in order, and verifies its end.
fn each<M: RecordedMachine>(
    archive: &mut dyn Archive,
    machine: MachineId,
    mut visit: impl FnMut(&M, &Entry<M::Command, M::Event>),
) {
    let mut replay = ChainReplay::new(archive, chain_of(machine), TrustedKeys::AnyKey, &[]);
    let run = replay.run(|seen| {
        if let ReplayEvent::Entry(_, machine, entry) = seen {
            visit(machine, entry);
        }
        ControlFlow::Continue(())
    });
    run.and_then(|()| replay.finish()).unwrap();
}

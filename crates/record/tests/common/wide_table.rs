//! A table of three clusters on a store.

use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;

use taisai_journal::{ChainPurpose, MemoryStore};
use taisai_record::{
    MachineSetup, RecordStore, RecordedMachine, Recorder, RoundSettlement, kept_slip, round_settlement,
};
use taisai_rules::{Dice, Money};
use taisai_table::{
    Actor, CashOut, Chips, Cluster, ClusterCommand, ClusterId, CommandId, CommandRequest, Decision, DeviceId, House,
    HouseCommand, Notice, Person, PersonId, Position, Profile, Registration, Role, Roles, Round, RoundCommand,
    RoundNumber, Seat, Stake, TableLimits, Time, VoidReason, VoucherHash, VoucherNumber,
};

use crate::casino::{TABLE, chain, dealer, files, person, program, source_of, supervisor};

pub(crate) const CLUSTERS: u16 = 3;
pub(crate) const SEATS: u32 = 2;
pub(crate) const CHAINS: [&str; 5] = ["house", "table-1", "table-1-0", "table-1-1", "table-1-2"];

pub(crate) const fn cluster_id(number: u16) -> ClusterId {
    ClusterId { table: TABLE, number }
}

pub(crate) fn money(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// A casino of one table with three clusters.
pub(crate) struct WideTable {
    record_store: RecordStore,
    house: Recorder<House>,
    round: Recorder<Round>,
    pub(crate) clusters: Vec<Recorder<Cluster>>,
    sequence: u64,
}

/// Sends a machine a command that it accepts, and hands the entry to the writer before another machine depends on it.
pub(crate) fn ask<M: RecordedMachine>(recorder: &mut Recorder<M>, request: CommandRequest<M::Command>) {
    let decision = recorder.ask(request);
    assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
    recorder.commit(drop).unwrap();
}

impl WideTable {
    pub(crate) fn open(memory: &MemoryStore, folder: &Path) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/sic-bo-etg.toml");
        let (game, layout) = (std::fs::read_to_string(file).unwrap(), "A".to_owned());
        let (profile, time) = (Profile::singapore(), Time(1_800_000_000_000));
        let warn = Arc::new(|warning| panic!("{warning}"));
        let journal = Box::new(memory.open());
        let mut record_store =
            RecordStore::in_journal(journal, &files(folder), program(), [7; 16], ChainPurpose::Real, warn).unwrap();
        let house = record_store.machine(MachineSetup::House { is_training: false }, &profile, time).unwrap();
        let (table, is_training) = (TABLE, false);
        let setup = MachineSetup::Round {
            table,
            game: game.clone(),
            layout: layout.clone(),
            registration: Registration::EveryBet,
            is_training,
            clusters: CLUSTERS,
        };
        let round = record_store.machine(setup, &profile, time).unwrap();
        let cluster = |number| {
            let (cluster, game, layout) = (cluster_id(number), game.clone(), layout.clone());
            record_store
                .machine(
                    MachineSetup::Cluster { cluster, game, layout, registration: Registration::EveryBet, seats: SEATS },
                    &profile,
                    time,
                )
                .unwrap()
        };
        let clusters = (0..CLUSTERS).map(cluster).collect();
        let openings = record_store.archive().heads().unwrap().iter().map(|head| head.epoch).max().unwrap();
        Self { record_store, house, round, clusters, sequence: 1_000_000 * openings }
    }

    pub(crate) fn request<C>(&mut self, actor: Actor, command: C) -> CommandRequest<C> {
        self.sequence += 1;
        let source = source_of(actor);
        let (time, sequence) = (Time(1_800_000_000_000 + 10 * self.sequence), self.sequence);
        CommandRequest { time, actor, id: CommandId { source, sequence }, command }
    }

    pub(crate) fn house(&mut self, actor: Actor, command: HouseCommand) {
        let request = self.request(actor, command);
        ask(&mut self.house, request);
    }

    pub(crate) fn round(&mut self, actor: Actor, command: RoundCommand) {
        let request = self.request(actor, command);
        ask(&mut self.round, request);
        self.exchange();
    }

    pub(crate) fn cluster(&mut self, number: u16, actor: Actor, command: ClusterCommand) {
        let request = self.request(actor, command);
        ask(&mut self.clusters[usize::from(number)], request);
        self.exchange();
    }

    /// Delivers all messages between the machines.
    pub(crate) fn exchange(&mut self) {
        for number in 0..CLUSTERS {
            self.follow(number);
            let (id, place) = (cluster_id(number), usize::from(number));
            let out: Vec<_> = self.clusters[place].machine().outbox().copied().collect();
            for transfer in out {
                self.house(Actor::System, HouseCommand::Receive { cluster: id, transfer });
                let request = self.request(Actor::System, ClusterCommand::Delivered { number: transfer.number });
                ask(&mut self.clusters[place], request);
            }
            let back: Vec<_> = self.house.machine().outbox(id).copied().collect();
            for transfer in back {
                let request = self.request(Actor::System, ClusterCommand::Receive { transfer });
                ask(&mut self.clusters[place], request);
                self.house(Actor::System, HouseCommand::Delivered { cluster: id, number: transfer.number });
            }
        }
    }

    /// Lets a cluster follow its round and report.
    pub(crate) fn follow(&mut self, number: u16) {
        let (id, place) = (cluster_id(number), usize::from(number));
        loop {
            let followed = self.clusters[place].machine().followed();
            let next = self.round.machine().notices(id).find(|(number, _)| *number > followed);
            let Some((number, notice)) = next.map(|(number, notice)| (number, notice.clone())) else { break };
            let is_settled = matches!(notice, Notice::Result { .. } | Notice::Voided { .. });
            let mut slip = None;
            if let Notice::Corrected { round, .. } | Notice::Voided { round, .. } = notice {
                let (answer, durable) = mpsc::channel();
                self.clusters[place].commit(move |result| answer.send(result).unwrap_or_default()).unwrap();
                durable.recv().unwrap().unwrap();
                let digest = self.clusters[place].machine().slip_digest(round);
                slip = digest.and_then(|digest| {
                    kept_slip(self.record_store.archive(), &chain(CHAINS[2 + place]), round, digest).unwrap()
                });
            }
            let request = self.request(Actor::System, ClusterCommand::Follow { number, notice, slip });
            ask(&mut self.clusters[place], request);
            if is_settled {
                self.checkpoint();
            }
        }
        let (followed, colour_chips, is_registered) = {
            let cluster = self.clusters[place].machine();
            cluster.reports()
        };
        if self.round.machine().reported(id) != Some((followed, colour_chips, is_registered)) {
            let request = self
                .request(Actor::System, RoundCommand::Report { cluster: id, followed, colour_chips, is_registered });
            ask(&mut self.round, request);
        }
    }

    pub(crate) fn checkpoint(&mut self) {
        let time = Time(1_800_000_000_000 + 10 * self.sequence);
        self.house.checkpoint(time).unwrap();
        self.round.checkpoint(time).unwrap();
        self.clusters.iter_mut().for_each(|cluster| cluster.checkpoint(time).unwrap());
    }

    /// Gives the player at a terminal credits and bets.
    pub(crate) fn bet(&mut self, number: u16, seat: u32, bet_box: &str, cents: i64) {
        let seat = Seat(seat);
        if self.clusters[usize::from(number)].machine().credits(seat) < money(cents) {
            let buy = ClusterCommand::BuyIn { seat, amount: money(50_000), second: None };
            self.cluster(number, person(8, Role::Cashier), buy);
        }
        let stakes = [Stake { bet_box: bet_box.parse().unwrap(), amount: money(cents) }].into_iter().collect();
        self.cluster(number, terminal(seat), ClusterCommand::Place { seat, chips: Chips::Own, stakes });
    }

    pub(crate) fn deal(&mut self, dice: [u8; 3]) {
        let dice = Dice::try_from(dice).unwrap();
        self.round(dealer(), RoundCommand::CloseBets);
        self.round(dealer(), RoundCommand::Activate);
        self.round(dealer(), RoundCommand::Tumbled { times: 3 });
        self.round(dealer(), RoundCommand::Commit { dice });
    }

    pub(crate) fn hashes(&self) -> Vec<[u8; 32]> {
        let clusters = self.clusters.iter().map(|cluster| cluster.machine().state_hash());
        [self.house.machine().state_hash(), self.round.machine().state_hash()].into_iter().chain(clusters).collect()
    }

    pub(crate) fn close(self) -> Vec<[u8; 32]> {
        let hashes = self.hashes();
        let Self { record_store, house, round, clusters, .. } = self;
        drop((house, round, clusters));
        record_store.close().unwrap();
        hashes
    }
}

pub(crate) fn terminal(seat: Seat) -> Actor {
    Actor::Terminal { device: DeviceId(seat.0), seat }
}

/// Plays four rounds: one corrected, one void, one in which a cluster does not bet, and one after a restart. A voucher goes
/// from one cluster to another.
pub(crate) fn played(memory: &MemoryStore, folder: &Path) -> WideTable {
    let mut wide = WideTable::open(memory, folder);
    let clusters = NonZeroU16::new(CLUSTERS).unwrap();
    wide.house(Actor::System, HouseCommand::AddTable { table: TABLE, clusters, training: false, second: None });
    wide.round(supervisor(), RoundCommand::OpenTable);
    wide.round(supervisor(), RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) });
    let rest = Some(taisai_table::LimitRange { min: money(100), max: money(100_000_000) });
    let limits = TableLimits { unit: money(100), boxes: Vec::new(), rest, differential: None };
    wide.round(supervisor(), RoundCommand::ShowLimits { limits, why: "they are the first".to_owned() });

    wide.round(dealer(), RoundCommand::OpenBets);
    wide.bet(0, 0, "big", 300);
    wide.bet(1, 0, "small", 500);
    wide.bet(1, 1, "sum:15", 100);
    wide.bet(2, 1, "big", 700);
    wide.deal([4, 5, 6]);

    wide.round(dealer(), RoundCommand::OpenBets);
    (0..CLUSTERS).for_each(|number| wide.bet(number, 0, "even", 200));
    wide.round(dealer(), RoundCommand::CloseBets);
    wide.round(dealer(), RoundCommand::Activate);
    wide.round(dealer(), RoundCommand::Tumbled { times: 2 });
    wide.round(dealer(), RoundCommand::Void { reason: VoidReason::FewTumbles });

    wide.round(dealer(), RoundCommand::OpenBets);
    wide.bet(0, 1, "small", 400);
    wide.bet(2, 0, "any-triple", 100);
    wide.deal([2, 2, 2]);

    let number = VoucherNumber { hash: VoucherHash([9; 32]), digits: 1_234 };
    let out = ClusterCommand::CashOut { seat: Seat(1), to: CashOut::Voucher(number) };
    wide.cluster(1, terminal(Seat(1)), out);
    let (cluster, seat) = (cluster_id(2), Seat(0));
    wide.house(Actor::System, HouseCommand::RedeemAtSeat { hash: number.hash, cluster, seat });
    wide.exchange();

    let second = Some(Person { id: PersonId(5), roles: Roles::of(&[Role::PitManager]) });
    let (dice, why) = (Dice::try_from([1, 1, 2]).unwrap(), "the camera shows it".to_owned());
    wide.round(supervisor(), RoundCommand::Correct { round: RoundNumber(1), dice, why, second });
    wide.checkpoint();
    let before = wide.close();

    let mut wide = WideTable::open(memory, folder);
    assert_eq!(wide.hashes(), before, "every machine is as it was");
    wide.round(dealer(), RoundCommand::OpenBets);
    (0..CLUSTERS).for_each(|number| wide.bet(number, 1, "odd", 100 * i64::from(number + 1)));
    wide.deal([1, 2, 4]);
    wide.checkpoint();
    wide
}

pub(crate) fn settled(memory: &MemoryStore, round: u64) -> RoundSettlement {
    round_settlement(&mut memory.clone(), &[], TABLE, RoundNumber(round)).unwrap().unwrap()
}

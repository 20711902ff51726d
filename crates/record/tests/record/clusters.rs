//! A table of three clusters: its five chains are recovered, verified, projected, proven and merged like those of one.

use std::num::NonZeroU16;
use std::path::Path;
use std::sync::Arc;

use taisai_journal::{Archive as _, Block, ChainHead, ChainPurpose, Journal as _, MemoryStore};
use taisai_record::projection::{Projection, Query, Value};
use taisai_record::{
    Address, Audit, Auditor, MachineSetup, RecordStore, RecordedMachine, Recorder, RoundEvidence, RoundSettlement,
    merge_chains, round_settlement,
};
use taisai_rules::{Dice, Money};
use taisai_table::{
    Actor, CashOut, Chips, Cluster, ClusterCommand, ClusterId, CommandId, CommandRequest, Decision, DeviceId, House,
    HouseCommand, MachineEntry, Notice, Person, PersonId, Position, Profile, Registration, Role, Roles, Round,
    RoundCommand, RoundNumber, Seat, Stake, TableLimits, Time, VoidReason, VoucherHash, VoucherNumber,
};

use crate::evidence::{file_of, parts};
use crate::hall::{TABLE, chain, dealer, files, person, program, supervisor};
use crate::verify::key;

const CLUSTERS: u16 = 3;
const SEATS: u32 = 2;
const CHAINS: [&str; 5] = ["house", "table-1", "table-1-0", "table-1-1", "table-1-2"];

const fn cluster_id(number: u16) -> ClusterId {
    ClusterId { table: TABLE, number }
}

fn money(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// A house of one table with three clusters, whose machines record.
struct Wide {
    book: RecordStore,
    house: Recorder<House>,
    round: Recorder<Round>,
    clusters: Vec<Recorder<Cluster>>,
    sequence: u64,
}

/// Asks a machine for what it accepts, and hands it over before anyone else hears of it.
fn ask<M: RecordedMachine>(recorder: &mut Recorder<M>, asked: CommandRequest<M::Command>) {
    let decision = recorder.ask(asked);
    assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
    recorder.commit(drop).unwrap();
}

impl Wide {
    fn open(memory: &MemoryStore, folder: &Path) -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/sic-bo-etg.toml");
        let (game, layout) = (std::fs::read_to_string(file).unwrap(), "A".to_owned());
        let (profile, time) = (Profile::singapore(), Time(1_800_000_000_000));
        let warn = Arc::new(|warning| panic!("{warning}"));
        let journal = Box::new(memory.open());
        let mut book =
            RecordStore::in_journal(journal, &files(folder), program(), [7; 16], ChainPurpose::Real, warn).unwrap();
        let house = book.machine(MachineSetup::House { is_training: false }, &profile, time).unwrap();
        let (table, is_training) = (TABLE, false);
        let setup = MachineSetup::Round {
            table,
            game: game.clone(),
            layout: layout.clone(),
            registration: Registration::EveryBet,
            is_training,
            clusters: CLUSTERS,
        };
        let round = book.machine(setup, &profile, time).unwrap();
        let cluster = |number| {
            let (cluster, game, layout) = (cluster_id(number), game.clone(), layout.clone());
            book.machine(
                MachineSetup::Cluster { cluster, game, layout, registration: Registration::EveryBet, seats: SEATS },
                &profile,
                time,
            )
            .unwrap()
        };
        let clusters = (0..CLUSTERS).map(cluster).collect();
        let openings = book.archive().heads().unwrap().iter().map(|head| head.epoch).max().unwrap();
        Self { book, house, round, clusters, sequence: 1_000_000 * openings }
    }

    fn asked<C>(&mut self, actor: Actor, command: C) -> CommandRequest<C> {
        self.sequence += 1;
        let source = match actor {
            Actor::System => 0,
            Actor::Person(person) => u64::from(person.id.0),
            Actor::Terminal { device, .. }
            | Actor::Tumbler(device)
            | Actor::NoteAcceptor { device, .. }
            | Actor::ChipReader(device) => 1_000 + u64::from(device.0),
        };
        let (time, sequence) = (Time(1_800_000_000_000 + 10 * self.sequence), self.sequence);
        CommandRequest { time, actor, id: CommandId { source, sequence }, command }
    }

    fn house(&mut self, actor: Actor, command: HouseCommand) {
        let asked = self.asked(actor, command);
        ask(&mut self.house, asked);
    }

    fn round(&mut self, actor: Actor, command: RoundCommand) {
        let asked = self.asked(actor, command);
        ask(&mut self.round, asked);
        self.carry();
    }

    fn cluster(&mut self, number: u16, actor: Actor, command: ClusterCommand) {
        let asked = self.asked(actor, command);
        ask(&mut self.clusters[usize::from(number)], asked);
        self.carry();
    }

    /// Everything that the machines have for each other arrives.
    fn carry(&mut self) {
        for number in 0..CLUSTERS {
            self.follow(number);
            let (id, place) = (cluster_id(number), usize::from(number));
            let out: Vec<_> = self.clusters[place].machine().outbox().copied().collect();
            for transfer in out {
                self.house(Actor::System, HouseCommand::Receive { cluster: id, transfer });
                let asked = self.asked(Actor::System, ClusterCommand::Delivered { number: transfer.number });
                ask(&mut self.clusters[place], asked);
            }
            let back: Vec<_> = self.house.machine().outbox(id).copied().collect();
            for transfer in back {
                let asked = self.asked(Actor::System, ClusterCommand::Receive { transfer });
                ask(&mut self.clusters[place], asked);
                self.house(Actor::System, HouseCommand::Delivered { cluster: id, number: transfer.number });
            }
        }
    }

    /// A cluster follows its round, and reports it.
    fn follow(&mut self, number: u16) {
        let (id, place) = (cluster_id(number), usize::from(number));
        loop {
            let followed = self.clusters[place].machine().followed();
            let next = self.round.machine().notices(id).find(|(number, _)| *number > followed);
            let Some((number, notice)) = next.map(|(number, notice)| (number, notice.clone())) else { break };
            let is_settled = matches!(notice, Notice::Result { .. } | Notice::Voided { .. });
            let mut slip = None;
            if let Notice::Corrected { round, .. } | Notice::Voided { round, .. } = notice {
                let keys = self.book.keys().to_vec();
                slip = taisai_record::past_slip(self.book.archive(), &chain(CHAINS[2 + place]), &keys, round).unwrap();
            }
            let asked = self.asked(Actor::System, ClusterCommand::Follow { number, notice, slip });
            ask(&mut self.clusters[place], asked);
            if is_settled {
                self.checkpoint();
            }
        }
        let (followed, colour_chips, is_registered) = {
            let cluster = self.clusters[place].machine();
            cluster.reports()
        };
        if self.round.machine().reported(id) != Some((followed, colour_chips, is_registered)) {
            let asked =
                self.asked(Actor::System, RoundCommand::Report { cluster: id, followed, colour_chips, is_registered });
            ask(&mut self.round, asked);
        }
    }

    fn checkpoint(&mut self) {
        let time = Time(1_800_000_000_000 + 10 * self.sequence);
        self.house.checkpoint(time).unwrap();
        self.round.checkpoint(time).unwrap();
        self.clusters.iter_mut().for_each(|cluster| cluster.checkpoint(time).unwrap());
    }

    /// The player at a terminal has credits and bets.
    fn bet(&mut self, number: u16, seat: u32, bet_box: &str, cents: i64) {
        let seat = Seat(seat);
        if self.clusters[usize::from(number)].machine().credits(seat) < money(cents) {
            let buy = ClusterCommand::BuyIn { seat, amount: money(50_000), second: None };
            self.cluster(number, person(8, Role::Cashier), buy);
        }
        let stakes = [Stake { bet_box: bet_box.parse().unwrap(), amount: money(cents) }].into_iter().collect();
        self.cluster(number, terminal(seat), ClusterCommand::Place { seat, chips: Chips::Own, stakes });
    }

    fn deal(&mut self, dice: [u8; 3]) {
        let dice = Dice::try_from(dice).unwrap();
        self.round(dealer(), RoundCommand::CloseBets);
        self.round(dealer(), RoundCommand::Activate);
        self.round(dealer(), RoundCommand::Tumbled { times: 3 });
        self.round(dealer(), RoundCommand::Commit { dice });
    }

    fn hashes(&self) -> Vec<[u8; 32]> {
        let clusters = self.clusters.iter().map(|cluster| cluster.machine().state_hash());
        [self.house.machine().state_hash(), self.round.machine().state_hash()].into_iter().chain(clusters).collect()
    }

    fn close(self) -> Vec<[u8; 32]> {
        let hashes = self.hashes();
        let Self { book, house, round, clusters, .. } = self;
        drop((house, round, clusters));
        book.close();
        hashes
    }
}

fn terminal(seat: Seat) -> Actor {
    Actor::Terminal { device: DeviceId(seat.0), seat }
}

/// Four rounds: one that is corrected, a void one, one in which a cluster does not bet, and one after a restart. A voucher goes
/// from one cluster to another.
fn played(memory: &MemoryStore, folder: &Path) -> Wide {
    let mut wide = Wide::open(memory, folder);
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
    wide.carry();

    let second = Some(Person { id: PersonId(5), roles: Roles::of(&[Role::PitManager]) });
    let (dice, why) = (Dice::try_from([1, 1, 2]).unwrap(), "the camera shows it".to_owned());
    wide.round(supervisor(), RoundCommand::Correct { round: RoundNumber(1), dice, why, second });
    wide.checkpoint();
    let before = wide.close();

    let mut wide = Wide::open(memory, folder);
    assert_eq!(wide.hashes(), before, "every machine is as it was");
    wide.round(dealer(), RoundCommand::OpenBets);
    (0..CLUSTERS).for_each(|number| wide.bet(number, 1, "odd", 100 * i64::from(number + 1)));
    wide.deal([1, 2, 4]);
    wide.checkpoint();
    wide
}

fn settled(memory: &MemoryStore, round: u64) -> RoundSettlement {
    round_settlement(&mut memory.clone(), &[], TABLE, RoundNumber(round)).unwrap().unwrap()
}

fn audit(memory: &MemoryStore, folder: &Path) -> Audit {
    audit_to(memory, folder, &memory.clone().heads().unwrap())
}

fn audit_to(memory: &MemoryStore, folder: &Path, heads: &[ChainHead]) -> Audit {
    let auditor = Auditor { keys: &[key(folder)], anchored: &[], program: &program() };
    auditor.audit(&|| Ok(Box::new(memory.clone())), heads, &|| {}).unwrap()
}

#[test]
fn three_clusters_are_recovered_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    played(&memory, folder.path()).close();
    let found = audit(&memory, folder.path());
    let names: Vec<_> = found.chains.iter().map(|chain| chain.head.chain.as_str()).collect();
    assert_eq!(names, CHAINS);
    let findings: Vec<_> = found.findings().map(ToString::to_string).collect();
    assert_eq!(findings, [""; 0]);
    let rounds: Vec<_> = found.chains.iter().map(|chain| chain.result.as_ref().unwrap().rounds).collect();
    assert_eq!(rounds, [None, Some(4), Some(4), Some(4), Some(4)]);
    // Of a cluster that ends early the round knows better, whichever it is.
    for name in &CHAINS[2..] {
        let mut heads = memory.clone().heads().unwrap();
        let head = heads.iter_mut().find(|head| head.chain == chain(name)).unwrap();
        let second = memory.clone().read(&head.chain, 1, 1).unwrap().remove(0);
        (head.next, head.hash) = (2, Block::decode(second).unwrap().hash());
        let found = audit_to(&memory, folder.path(), &heads);
        let told: Vec<_> = found.findings().map(ToString::to_string).collect();
        assert!(told[0].starts_with(&format!("chain table-1 says that chain {name} holds ")), "{told:?}");
    }
}

/// The rows of a query, as text.
fn rows(projection: &mut Projection, sql: &str) -> Vec<String> {
    let cell =
        |value: &Value| value.number().map_or_else(|| value.text().unwrap_or_default().to_owned(), |n| n.to_string());
    let answer = projection.query(sql, &[]).unwrap();
    answer.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn three_clusters_are_projected_as_their_machines_are() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let wide = played(&memory, folder.path());
    let tables = tempfile::tempdir().unwrap();
    let mut projection = Projection::anew(&Address::Folder(tables.path().into())).unwrap();
    projection.catch_up(&mut *memory.open().archive().unwrap(), &[]).unwrap();
    let mut win = 0;
    for (name, cluster) in CHAINS[2..].iter().zip(&wide.clusters) {
        let ledger = cluster.machine().ledger();
        win += ledger.house.cents();
        let credits: i64 = cluster.machine().seats().map(|seat| cluster.machine().credits(seat).cents()).sum();
        let expected = [
            ("cash", ledger.cash.cents()),
            ("house", ledger.house.cents()),
            ("seat", credits),
            ("transit", ledger.transit.cents()),
        ];
        for (account, expected) in expected {
            let sql = format!(
                "SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE chain = '{name}' AND account = '{account}'"
            );
            assert_eq!(rows(&mut projection, &sql), [expected.to_string()], "{name} {account}");
        }
    }
    let mut all = (0, 0);
    for round in 1..=4 {
        let settled = settled(&memory, round);
        assert_eq!(settled.clusters.len(), usize::from(CLUSTERS), "round {round}");
        for cluster in settled.clusters {
            let (number, totals) = (cluster.cluster.number, cluster.totals);
            let sql = format!(
                "SELECT lines, staked, first_paid, first_returned FROM settlements WHERE round = {round} AND cluster = {number}"
            );
            let expected = [
                i64::try_from(totals.lines).unwrap(),
                totals.staked.cents(),
                totals.paid.cents(),
                totals.returned.cents(),
            ];
            assert_eq!(
                rows(&mut projection, &sql),
                [expected.map(|number| number.to_string()).join(" ")],
                "{round}, {number}"
            );
            all.0 += totals.staked.cents();
            all.1 += expected[0];
        }
    }
    // 4 rounds, not one for each cluster. The corrected round and the void one count as they stand.
    let average = all.0 / all.1;
    let dealers = Query::find("dealers").unwrap().sql;
    assert_eq!(rows(&mut projection, dealers), [format!("2027-01-15 swing 1 1  4 {} {win} {average}", all.0)]);
    let by_day = rows(&mut projection, Query::find("win").unwrap().sql);
    assert!(by_day.len() == 1 && by_day[0].starts_with(&format!("2027-01-15 1 4 {} {win} ", all.0)), "{by_day:?}");
    let changes = rows(&mut projection, Query::find("changes").unwrap().sql);
    assert_eq!(changes.len(), 2, "a void and a correction, once each: {changes:?}");
    let first_win = settled(&memory, 1)
        .clusters
        .iter()
        .map(|cluster| (cluster.totals.counted.cents()) - cluster.totals.paid.cents())
        .sum::<i64>();
    assert!(changes[1].contains(&format!("the camera shows it {first_win} ")), "{changes:?}");
    let voucher = "SELECT state, cluster, closed_where FROM vouchers";
    assert_eq!(rows(&mut projection, voucher), ["paid 1 seat"]);
    wide.close();
}

#[test]
fn a_round_of_three_clusters_is_proven_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    played(&memory, folder.path()).close();
    let key = key(folder.path());
    for round in 1..=4 {
        let gathered = RoundEvidence::gather(&mut memory.clone(), &[key], TABLE, RoundNumber(round)).unwrap();
        let bytes = gathered.to_bytes().unwrap();
        let proven = RoundEvidence::from_bytes(&bytes).unwrap().check(&[key], &program()).unwrap();
        let here = settled(&memory, round);
        let told = |settlement: &RoundSettlement| {
            let cluster =
                |cluster: &taisai_record::ClusterSettlement| (cluster.cluster, cluster.slip.clone(), cluster.totals);
            settlement.clusters.iter().map(cluster).collect::<Vec<_>>()
        };
        assert_eq!(told(&proven.settlement), told(&here), "round {round}");
        assert_eq!(
            here.clusters.iter().map(|cluster| cluster.changes.len()).sum::<usize>(),
            if round == 1 { 3 } else { 0 }
        );
        // A cluster left out, or in the place of another, is no proof of the round.
        let (head, parts) = parts(&bytes);
        let check =
            |parts: &[&[u8]]| RoundEvidence::from_bytes(&file_of(head, parts)).unwrap().check(&[key], &program());
        assert!(check(&parts).is_ok());
        assert!(check(&parts[..3]).is_err() && check(&[parts[0], parts[1], parts[3], parts[2]]).is_err(), "{round}");
    }
}

#[test]
fn the_chains_of_three_clusters_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let hashes = played(&memory, folder.path()).close();
    let merged = merge_chains(&mut memory.clone(), &[key(folder.path())], TABLE).unwrap();
    let mut machines = merged.machines;
    let mut of_clusters = [0; 3];
    for (_, recorded) in &merged.entries {
        if let MachineEntry::Cluster(id, _) = recorded {
            of_clusters[usize::from(id.number)] += 1;
        }
        machines.apply(recorded);
    }
    assert!(of_clusters.iter().all(|entries| *entries > 10), "{of_clusters:?}");
    let entries: u64 =
        audit(&memory, folder.path()).chains.iter().map(|chain| chain.result.as_ref().unwrap().entries).sum();
    assert_eq!(u64::try_from(merged.entries.len()).unwrap(), entries, "nothing is left out");
    let clusters = machines.clusters().map(Cluster::state_hash);
    let round = machines.tables[&TABLE].round.state_hash();
    let found: Vec<_> = [machines.house.state_hash(), round].into_iter().chain(clusters).collect();
    assert_eq!(found, hashes);
}

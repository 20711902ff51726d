//! Tables of one or several clusters: what waits between the partitions, and machines built again.

use std::collections::BTreeSet;

use taisai_engine::{InMemoryInstallation, Message, WorkerPlacement};
use taisai_table::{
    Actor, BadTableSpec, Cluster, ClusterCommand, ClusterId, Decision, Entry, HouseCommand, MachineEntry, Machines,
    MachinesSnapshot, Notice, Phase, Profile, Refusal, RoundNumber, Seat, TableSpec, Time, Transfer, TransferPurpose,
};

use crate::cluster::LIVE;
use crate::installation::{CLASSIC, ETG, GAMES, NOON, OPEN_COVER, TABLE, TAI_SAI, TestInstallation, cents, rules};

fn plan(game: &str, seats: &[u32]) -> TableSpec {
    TableSpec { table: TABLE, rules: rules(game, "A"), is_training: false, seats: seats.to_vec() }
}

fn house(is_training: bool) -> InMemoryInstallation {
    InMemoryInstallation::new(Profile::singapore(), is_training, WorkerPlacement::Apart, Time(NOON))
}

const fn cluster(number: u16) -> ClusterId {
    ClusterId { table: TABLE, number }
}

#[test]
fn only_limits_of_terminals_let_a_table_have_several_clusters() {
    let added = |game, seats: &[u32]| house(false).add_table(plan(game, seats), Time(NOON));
    for game in GAMES {
        assert_eq!(added(game, &[]), Err(BadTableSpec::Clusters), "{game}");
        assert_eq!(added(game, &[4]), Ok(()), "{game}");
    }
    for game in [CLASSIC, TAI_SAI, OPEN_COVER] {
        assert_eq!(added(game, &[4, 4]), Err(BadTableSpec::LiveTable), "{game}");
    }
    assert_eq!(added(ETG, &[4, 4, 3]), Ok(()));
    assert_eq!(added(ETG, &vec![1; 65_536]), Err(BadTableSpec::Clusters));
}

#[test]
fn every_table_is_on_file_in_the_house() {
    let mut house = house(false);
    house.add_table(plan(ETG, &[4, 4]), Time(NOON)).expect("a table");
    assert_eq!(house.house().tables().map(|(id, table)| (id, table.clusters.get())).collect::<Vec<_>>(), [(TABLE, 2)]);
    let again = house.add_table(plan(ETG, &[4]), Time(NOON));
    assert_eq!(again, Err(BadTableSpec::Refused(Refusal::TableExists)));
    let added = house.record.iter().filter_map(|recorded| match recorded {
        MachineEntry::House(Entry { request, outcome }) if matches!(request.command, HouseCommand::AddTable { .. }) => {
            Some(outcome.is_ok())
        }
        MachineEntry::House(_) | MachineEntry::Round(..) | MachineEntry::Cluster(..) => None,
    });
    assert_eq!(added.collect::<Vec<_>>(), [true, false], "the table, and the refusal of another");
    assert_eq!(house.table(TABLE).map(|table| table.clusters.len()), Some(2));
}

/// A table of three clusters, its bets open.
fn open() -> TestInstallation {
    let mut installation =
        TestInstallation::set_up(ETG, &Profile::singapore(), &[2, 2, 1], rules(ETG, "A"), WorkerPlacement::Apart);
    installation.run("supervisor open-table; supervisor relieve dealer dealer; supervisor use-dice 7");
    installation.run("supervisor use-tumbler 9; supervisor limits unit=100; dealer open; quiet");
    installation
}

impl TestInstallation {
    /// The messages that wait and are of this kind.
    fn waiting(&self, is_of: impl Fn(&Message) -> bool) -> Vec<Message> {
        self.house.waiting().filter(|message| is_of(message)).cloned().collect()
    }

    /// Delivers a message that changes nothing.
    fn ignores(&mut self, message: &Message) {
        let before = (self.house.record.len(), self.house.machines().state_hash());
        self.house.deliver(message.clone());
        let after = (self.house.record.len(), self.house.machines().state_hash());
        assert_eq!(after, before, "{message:?}");
    }
}

fn is_notice(message: &Message, number: u16) -> bool {
    matches!(message, Message::Notice { cluster: to, .. } if *to == cluster(number))
}

fn is_report(message: &Message) -> bool {
    matches!(message, Message::Followed { .. })
}

/// A cluster that has not received the void still takes bets: until all have, nobody rules how the round came out (5.2, 5.14).
#[test]
fn a_round_that_was_void_while_open_is_settled_once_every_cluster_holds_that() {
    let mut installation = open();
    installation.run("dealer activate; ? phase = void; shift rule settle 1 123 with manager = !round-not-settled");
    installation.house.deliver_all();
    installation.run("shift rule settle 1 123 with manager = ruled");
}

#[test]
fn bets_are_closed_when_every_cluster_holds_it() {
    let mut installation = open();
    installation.run("dealer close");
    for number in (0..3).rev() {
        installation.run("? phase = closing; dealer commit 123 = !bets-not-closed");
        let [notice] =
            installation.waiting(|message| is_notice(message, number)).try_into().expect("one notice for each");
        let followed = installation.house.cluster(cluster(number)).expect("a cluster").followed();
        installation.house.deliver(notice.clone());
        assert_eq!(installation.house.cluster(cluster(number)).expect("a cluster").followed(), followed + 1);
        installation.ignores(&notice);
        installation.run("? phase = closing");
        let reports = installation.waiting(is_report);
        let report = reports.last().expect("a report").clone();
        assert_eq!(report.from(), taisai_table::MachineId::Cluster(cluster(number)));
        assert_eq!(installation.round().notices(cluster(number)).count(), 1, "until it has reported");
        installation.house.deliver(report.clone());
        assert_eq!(installation.round().notices(cluster(number)).count(), 0, "whatever the others hold");
        installation.ignores(&report);
    }
    installation.run("? phase = closed");
    let entries = installation.house.record.len();
    installation.house.deliver_all();
    assert_eq!(installation.house.record.len(), entries, "nothing else waited");
}

#[test]
fn what_is_not_the_next_is_not_taken() {
    let mut installation = open();
    installation.run("dealer close; dealer interrupt");
    let notices = installation.waiting(|message| is_notice(message, 2));
    assert_eq!(notices.len(), 2, "closed, then void");
    installation.ignores(&notices[1]);
    installation.house.deliver_all();
    assert_eq!(installation.round().phase(), Phase::Void);
    assert!(installation.round().is_followed());
    installation.ignores(&Message::Notice { cluster: cluster(3), number: 1, notice: Notice::Resumed });
}

/// The machines as entries make them.
fn rebuilt(house: &InMemoryInstallation, entries: &[MachineEntry]) -> Machines {
    let mut machines = house.machines().empty();
    for entry in entries {
        machines.apply(entry);
    }
    machines
}

/// F54: a training installation is built again as one.
#[test]
fn training_casino_stays_one() {
    let mut house = house(true);
    let plan = TableSpec { is_training: true, ..plan(ETG, &[4]) };
    house.add_table(plan, Time(NOON)).expect("a table");
    let machines = rebuilt(&house, &house.record);
    assert_eq!(machines.state_hash(), house.machines().state_hash());
    assert!(machines.house.is_training());
    house.restart(machines, Time(NOON));
    assert!(house.house().is_training());
}

/// Money that a cluster takes and the House never sent is seen, as is what a cluster's own invariants see.
#[test]
fn money_from_nowhere_is_seen() {
    let mut installation = TestInstallation::new(ETG);
    installation.house.check().expect("the books balance");
    let transfer =
        Transfer { number: 1, amount: cents(500), purpose: TransferPurpose::Credits { seat: Seat(0), session: None } };
    let decision = installation.ask_cluster(Actor::System, ClusterCommand::Receive { transfer });
    assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
    assert_eq!(installation.house.check().map_err(|broken| broken.name), Err("transit is on its way"));
}

/// Chips are not credits: a live table sends them back.
#[test]
fn a_live_table_takes_no_credits() {
    for game in LIVE {
        let mut installation = TestInstallation::new(game);
        let transfer = Transfer {
            number: 1,
            amount: cents(500),
            purpose: TransferPurpose::Credits { seat: Seat(0), session: None },
        };
        installation.ask_cluster(Actor::System, ClusterCommand::Receive { transfer });
        assert_eq!(installation.look(&["credits", "0"]), "0", "{game}");
        let back: Vec<_> =
            installation.cluster().outbox().map(|transfer| (transfer.amount, transfer.purpose)).collect();
        assert_eq!(back, [(cents(500), TransferPurpose::Returned { seat: Seat(0) })], "{game}");
    }
}

/// The slips of rounds that are over, by how many lines they have.
fn slips(house: &InMemoryInstallation) -> Vec<Option<usize>> {
    let clusters = house.machines().clusters().map(Cluster::id);
    let slips = clusters.flat_map(|cluster| (1..5).map(move |round| (cluster, RoundNumber(round))));
    slips.map(|(cluster, round)| house.slip(cluster, round).map(|slip| slip.lines.len())).collect()
}

/// What partitions send until it is held.
fn on_its_way(installation: &TestInstallation) -> Vec<String> {
    let is_sent_again = |message: &Message| matches!(message, Message::Notice { .. } | Message::ToHouse { .. });
    let mut sent: Vec<_> = installation.waiting(is_sent_again).iter().map(|message| format!("{message:?}")).collect();
    sent.sort();
    sent
}

#[test]
fn machines_are_built_again_from_every_entry() {
    let mut installation = open();
    let mut snapshots: Vec<(usize, MachinesSnapshot)> = Vec::new();
    for step in [
        "carry; fund 0 5000; player bet 0 big 500",
        "dealer close; carry; dealer activate; dealer tumbled 3; dealer commit 456; carry",
        "dealer open; carry; player repeat 0; dealer close; carry; dealer activate; dealer tumbled 3",
        "dealer commit 111; carry; quiet; player voucher 0 7; supervisor correct 1 123 with manager",
    ] {
        snapshots.push((installation.house.record.len(), installation.house.machines().snapshot()));
        installation.run(step);
    }
    let (before, sent) = (installation.house.machines().state_hash(), on_its_way(&installation));
    assert_eq!(sent.len(), 4, "a notice for each cluster, and a voucher: {sent:?}");
    assert!(slips(&installation.house).iter().flatten().count() >= 6, "slips of two rounds");
    let record = installation.house.record.clone();
    assert_eq!(rebuilt(&installation.house, &record).state_hash(), before);
    for (from, snapshot) in &snapshots {
        let mut machines = installation.house.machines().empty();
        machines.restore(snapshot).expect("a snapshot of these plans");
        for entry in &record[*from..] {
            machines.apply(entry);
        }
        assert_eq!(machines.state_hash(), before, "from entry {from}");
    }

    // Every entry, of whichever machine, leaves another state.
    let after = |entries: usize| rebuilt(&installation.house, &record[..entries]).state_hash();
    let hashes: BTreeSet<_> = (0..=record.len()).map(after).collect();
    assert_eq!(hashes.len(), record.len() + 1);

    // What was on its way is lost and sent again, and taken under ids that are new to every machine.
    installation.house.restart(rebuilt(&installation.house, &record), Time(installation.now));
    assert_eq!(on_its_way(&installation), sent);
    installation.house.deliver_all();
    assert!(on_its_way(&installation).is_empty());
    assert!(
        installation.round().is_followed()
            && installation.house.machines().clusters().all(|from| from.outbox().next().is_none())
    );
    installation.house.check().expect("the books balance");

    let mut other = house(false);
    other.add_table(plan(ETG, &[4]), Time(NOON)).expect("a table");
    assert!(other.machines().empty().restore(&snapshots[0].1).is_err(), "of other plans");
}

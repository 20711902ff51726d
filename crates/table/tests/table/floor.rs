//! The floor: tables of one or several clusters, what waits between the machines, and machines built again.

use std::collections::BTreeSet;

use taisai_table::{
    Actor, BadPlan, ClusterCommand, ClusterId, Decision, Floor, Message, Notice, Phase, Plan, Profile, Purpose,
    Recorded, Refusal, Seat, Snapshot, Time, Transfer, Verdict,
};

use crate::cluster::LIVE;
use crate::hall::{CLASSIC, ETG, GAMES, Hall, NOON, OPEN_COVER, TABLE, TAI_SAI, cents, rules};

fn plan(game: &str, seats: &[u32]) -> Plan {
    Plan { table: TABLE, rules: rules(game, "A"), is_training: false, seats: seats.to_vec() }
}

fn is_notice(message: &Message, cluster: u16) -> bool {
    matches!(message, Message::Notice { cluster: ClusterId { number, .. }, .. } if *number == cluster)
}

#[test]
fn only_limits_of_terminals_let_a_table_have_several_clusters() {
    let added = |game, seats: &[u32]| Floor::new(Profile::singapore(), false).add_table(plan(game, seats), Time(NOON));
    for game in GAMES {
        assert_eq!(added(game, &[]), Err(BadPlan::Clusters), "{game}");
        assert_eq!(added(game, &[4]), Ok(()), "{game}");
    }
    for game in [CLASSIC, TAI_SAI, OPEN_COVER] {
        assert_eq!(added(game, &[4, 4]), Err(BadPlan::LiveTable), "{game}");
    }
    assert_eq!(added(ETG, &[4, 4, 3]), Ok(()));
    assert_eq!(added(ETG, &vec![1; 65_536]), Err(BadPlan::Clusters));
}

#[test]
fn the_house_knows_every_table() {
    let mut floor = Floor::new(Profile::singapore(), false);
    floor.add_table(plan(ETG, &[4, 4]), Time(NOON)).expect("a table");
    assert_eq!(floor.house().tables().map(|(id, table)| (id, table.clusters.get())).collect::<Vec<_>>(), [(TABLE, 2)]);
    let again = floor.add_table(plan(ETG, &[4]), Time(NOON));
    assert_eq!(again, Err(BadPlan::Refused(Refusal::TableExists)));
    assert_eq!(floor.record.len(), 2, "the table, and the refusal of another");
    assert_eq!(floor.table(TABLE).map(|table| table.clusters.len()), Some(2));
}

/// A table of three clusters, its bets open.
fn open() -> Hall {
    let mut hall = Hall::shut(ETG, "A", &Profile::singapore());
    hall.floor = Floor::new(Profile::singapore(), false);
    hall.floor.add_table(plan(ETG, &[2, 2, 1]), Time(NOON)).expect("a table");
    hall.run("supervisor open-table; supervisor relieve dealer dealer; supervisor use-dice 7");
    hall.run("supervisor use-tumbler 9; supervisor limits unit=100; dealer open; quiet");
    hall
}

#[test]
fn bets_are_closed_when_every_cluster_holds_it() {
    let mut hall = open();
    hall.run("dealer close");
    for left in (1..=3).rev() {
        hall.run("? phase = closing; dealer commit 123 = !bets-not-closed");
        let number = left - 1;
        let told: Vec<_> = hall.floor.waiting().filter(|message| is_notice(message, number)).collect();
        let [notice] = told.try_into().expect("one notice waits for each cluster");
        assert_eq!(hall.floor.deliver(notice.clone(), Time(NOON)), Some(Verdict::Accepted));
        let refused = Some(Verdict::Refused(Refusal::OutOfOrder));
        assert_eq!(hall.floor.deliver(notice, Time(NOON)), refused, "a second time");
        hall.run("? phase = closing");
        let report =
            hall.floor.waiting().find(|message| matches!(message, Message::Followed { .. })).expect("a report");
        let cluster = report.cluster();
        assert_eq!(cluster.number, number);
        assert_eq!(hall.round().notices(cluster).count(), 1, "until it has reported");
        assert_eq!(hall.floor.deliver(report, Time(NOON)), Some(Verdict::Accepted));
        assert_eq!(hall.round().notices(cluster).count(), 0, "whatever the others hold");
    }
    hall.run("? phase = closed");
    assert_eq!(hall.floor.waiting().count(), 0);
}

#[test]
fn what_is_not_the_next_is_refused() {
    let mut hall = open();
    hall.run("dealer close; dealer interrupt");
    let notices: Vec<_> = hall.floor.waiting().filter(|message| is_notice(message, 2)).collect();
    assert_eq!(notices.len(), 2, "closed, then void");
    let refused = Some(Verdict::Refused(Refusal::OutOfOrder));
    assert_eq!(hall.floor.deliver(notices[1].clone(), Time(NOON)), refused);
    hall.floor.carry(Time(NOON));
    assert_eq!(hall.round().phase(), Phase::Void);
    assert_eq!(hall.floor.waiting().count(), 0);
    let nowhere = ClusterId { table: TABLE, number: 3 };
    let message = Message::Notice { cluster: nowhere, number: 1, notice: Notice::Resumed, slip: None };
    assert_eq!(hall.floor.deliver(message, Time(NOON)), None, "there is no such cluster");
}

/// F54: a house for training is built again as one.
#[test]
fn a_training_house_stays_one() {
    let mut floor = Floor::new(Profile::singapore(), true);
    let plan = Plan { is_training: true, ..plan(ETG, &[4]) };
    floor.add_table(plan, Time(NOON)).expect("a table");
    let (before, record) = (floor.machines().state_hash(), floor.record.clone());
    floor.rebuild(&record);
    assert_eq!(floor.machines().state_hash(), before);
    assert!(floor.house().is_training());
}

/// Money that a cluster takes and the House never sent is seen, as is what a cluster's own invariants see.
#[test]
fn money_from_nowhere_is_seen() {
    let mut hall = Hall::new(ETG);
    hall.floor.check().expect("the books balance");
    let transfer =
        Transfer { number: 1, amount: cents(500), purpose: Purpose::Credits { seat: Seat(0), session: None } };
    let decision = hall.ask_cluster(Actor::System, ClusterCommand::Receive { transfer });
    assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
    assert_eq!(hall.floor.check().map_err(|broken| broken.name), Err("transit is on its way"));
}

/// Chips are not credits: a live table sends them back.
#[test]
fn a_live_table_takes_no_credits() {
    for game in LIVE {
        let mut hall = Hall::new(game);
        let transfer =
            Transfer { number: 1, amount: cents(500), purpose: Purpose::Credits { seat: Seat(0), session: None } };
        hall.ask_cluster(Actor::System, ClusterCommand::Receive { transfer });
        assert_eq!(hall.look(&["credits", "0"]), "0", "{game}");
        let back: Vec<_> = hall.cluster().outbox().map(|transfer| (transfer.amount, transfer.purpose)).collect();
        assert_eq!(back, [(cents(500), Purpose::Returned { seat: Seat(0) })], "{game}");
    }
}

/// What a floor shows to whoever drives it.
fn seen(floor: &Floor) -> ([u8; 32], Vec<Message>, Vec<Option<usize>>) {
    let clusters = floor.machines().clusters().map(taisai_table::Cluster::id);
    let rounds = (1..5).map(taisai_table::RoundNumber);
    let slips = clusters.flat_map(|cluster| rounds.clone().map(move |round| (cluster, round)));
    let slips = slips.map(|(cluster, round)| floor.slip(cluster, round).map(|slip| slip.lines.len()));
    (floor.machines().state_hash(), floor.waiting().collect(), slips.collect())
}

#[test]
fn machines_are_built_again_from_every_entry() {
    let mut hall = open();
    let mut snapshots: Vec<(usize, Snapshot)> = Vec::new();
    for step in [
        "carry; fund 0 5000; player bet 0 big 500",
        "dealer close; carry; dealer activate; dealer tumbled 3; dealer commit 456; carry",
        "dealer open; carry; player repeat 0; dealer close; carry; dealer activate; dealer tumbled 3",
        "dealer commit 111; carry; quiet; player voucher 0 7; supervisor correct 1 123 with manager",
    ] {
        snapshots.push((hall.floor.record.len(), hall.floor.machines().snapshot()));
        hall.run(step);
    }
    let before = seen(&hall.floor);
    assert!(before.1.len() > 3, "notices and a voucher wait: {:?}", before.1);
    assert!(before.2.iter().flatten().count() >= 6, "slips of two rounds: {:?}", before.2);
    let record = hall.floor.record.clone();
    hall.floor.rebuild(&record);
    assert_eq!(seen(&hall.floor), before);
    for (from, snapshot) in &snapshots {
        hall.floor.restore(snapshot, &record[*from..]).expect("a snapshot of these plans");
        assert_eq!(seen(&hall.floor), before, "from entry {from}");
    }
    assert_eq!(hall.floor.record, record, "nothing is recorded by it");

    // Every entry, of whichever machine, leaves another state.
    let after = |entries: &[Recorded]| {
        let mut floor = hall.floor.clone();
        floor.rebuild(entries);
        floor.machines().state_hash()
    };
    let hashes: BTreeSet<_> = (0..=record.len()).map(|entries| after(&record[..entries])).collect();
    assert_eq!(hashes.len(), record.len() + 1);

    // Ids go on where they were: what waits is taken under ids that are new to every machine.
    hall.floor.carry(Time(NOON));
    assert_eq!(hall.floor.waiting().count(), 0);
    hall.floor.check().expect("the books balance");

    let mut other = Floor::new(Profile::singapore(), false);
    other.add_table(plan(ETG, &[4]), Time(NOON)).expect("a table");
    assert!(other.restore(&snapshots[0].1, &record[..0]).is_err(), "of other plans");
}

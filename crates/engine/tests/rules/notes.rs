//! F86, no money from nothing: notes come from a note acceptor, a device of its own, and reconcile with its stacker. Whatever the
//! terminals ask for, there is never more money than before.

use proptest::prelude::*;
use taisai_rules::Money;
use taisai_table::{
    Actor, ClusterCommand, DeviceId, DeviceKind, HouseCommand, Profile, Refusal, RoundCommand, Seat, Verdict,
    VoucherState,
};

use crate::installation::{CLUSTER, ETG, SEATS, TestInstallation, cents};
use crate::spelled;

fn with_notes() -> TestInstallation {
    TestInstallation::ready(ETG, "A", &Profile { notes: vec![cents(1_000), cents(5_000)], ..Profile::singapore() })
}

#[test]
fn notes_come_from_the_acceptor_of_the_seat_and_no_one_else() {
    let attempt = "note 0 1000 = !not-allowed";
    for profile in [Profile::singapore(), Profile::training()] {
        let mut installation = TestInstallation::ready(ETG, "A", &profile);
        for who in ["t0", "t1", "n1", "cashier", "dealer", "all", "system", "tumbler9"] {
            installation.run(&format!("{who} {attempt}"));
        }
        installation.run("? credits 0 = 0; ? notes = 0");
    }
    // A casino without notes in its profile has no note acceptor, whoever says to be one.
    TestInstallation::new(ETG).run("n0 note 0 1000 = !not-allowed; n0 count 0 0 = !not-allowed; ? stackers = 200: 0 0");
}

#[test]
fn a_note_is_credits_and_lies_in_the_stacker() {
    with_notes().run(
        "n0 note 0 1000; ? credits 0 = 1000; ? session 0 = 1; ? notes = -1000; ? cash = 0; ? stackers = 200: 1 1000
         n0 note 0 5000; n1 note 1 1000; ? notes = -7000; ? stackers = 200: 2 6000, 201: 1 1000
         ? meters 0 = 6000 0 0 0 0 0 0
         n0 note 0 2000 = !note-not-taken; n0 note 0 -1000 = !note-not-taken; n0 note 0 0 = !note-not-taken
         t0 voucher 0 7; n0 note 0 1000; ? session 0 = 3; ? stackers = 200: 3 7000, 201: 1 1000",
    );
}

/// The stacker is counted by the device, and by the person who empties it: a difference is reported, and stays on the books.
#[test]
fn a_stacker_reconciles_or_the_difference_is_reported() {
    with_notes().run(
        "n0 note 0 1000; n0 note 0 5000; n0 count 0 2 = done; n0 count 0 1 = stacker-differs
         cashier empty 0 2 6000 = stacker-emptied; ? stackers = 200: 0 0; ? notes = 0; ? cash = -6000; ? variance = 0
         n0 count 0 0 = done; n0 note 0 5000; attendant empty 0 1 1000 = stacker-emptied
         ? notes = 0; ? cash = -7000; ? variance = -4000
         n0 note 0 1000; supervisor empty 0 2 2000; ? cash = -9000; ? variance = -3000
         n0 note 0 1000; cashier empty 0 0 0; ? cash = -9000; ? variance = -4000; ? credits 0 = 13000",
    );
}

/// A note that is sent again counts once, however many sources have sent commands since.
#[test]
fn a_note_sent_again_counts_once() {
    let mut installation = with_notes();
    let actor = installation.actor("n0", None);
    let request = installation.request(actor, ClusterCommand::AcceptNote { seat: Seat(0), amount: cents(1_000) });
    installation.house.ask_cluster(CLUSTER, request.clone()).expect("the table");
    for source in 10_000..20_000 {
        let mut other = request.clone();
        (other.actor, other.id.source) = (Actor::System, source);
        other.command = ClusterCommand::Back { seat: Seat(1) };
        installation.house.ask_cluster(CLUSTER, other).expect("the table");
    }
    installation.house.ask_cluster(CLUSTER, request).expect("the table");
    installation.run("? credits 0 = 1000; ? stackers = 200: 1 1000");
}

#[test]
fn an_acceptor_is_a_device_of_its_own() {
    let enrol = |device, seat| HouseCommand::Enrol {
        device: DeviceId(device),
        kind: DeviceKind::NoteAcceptor { cluster: CLUSTER, seat: Seat(seat) },
        second: None,
    };
    let mut installation = with_notes();
    let exists = Verdict::Refused(Refusal::DeviceExists);
    let rows = [(1, 0, Verdict::Accepted), (1, 1, exists), (2, 0, exists), (2, 1, Verdict::Accepted)];
    for (device, seat, verdict) in rows {
        let request = installation.request(Actor::System, enrol(device, seat));
        assert_eq!(installation.house.ask_house(request).verdict(), verdict, "{device} {seat}");
    }
    assert_eq!(installation.house.house().acceptor_at(CLUSTER, Seat(1)), Some(DeviceId(2)));
    assert_eq!(installation.house.house().terminal_at(CLUSTER, Seat(1)), None);
    let mut installation = TestInstallation::new(ETG);
    let request = installation.request(Actor::System, enrol(1, 0));
    assert_eq!(installation.house.ask_house(request).verdict(), Verdict::Refused(Refusal::NoteNotTaken));
}

/// Credits, bets on the layout, vouchers and claims, of the whole casino.
fn worth(installation: &TestInstallation) -> i64 {
    let cluster = installation.cluster();
    let at_seats = cluster.seats().flat_map(|seat| [cluster.credits(seat), cluster.on_layout(seat)]);
    let house = installation.house.house();
    let is_owed = |state| matches!(state, VoucherState::Good | VoucherState::Expired);
    let vouchers = house.vouchers().filter(|(_, voucher)| is_owed(voucher.state)).map(|(_, voucher)| voucher.amount);
    let claims = house.claims().map(|(_, claim)| claim.amount);
    at_seats.chain(vouchers).chain(claims).map(Money::cents).sum()
}

/// Words of terminals that are accepted now and then, and of others.
fn words(act: u8, seat: u32, choice: usize) -> String {
    let amount = 100 * (1 + choice % 40);
    match act {
        0..=3 => format!("bet {seat} {} {amount}", ["big", "small", "sum:4"][choice % 3]),
        4 => format!("take {seat} big {amount}"),
        5 => format!("clear {seat}"),
        6 => format!("repeat {seat}"),
        7 => format!("double {seat}"),
        8 => format!("voucher {seat} {}", 1 + choice % 9),
        9 => format!("hand-pay {seat}"),
        10 => format!("leave {seat}"),
        11..=12 => format!("insert {seat} {}", 1 + choice % 9),
        13 => format!("note {seat} {}", [1_000, 5_000][choice % 2]),
        14 => format!("cash {seat} {amount}"),
        15 => format!("empty {seat} 1 {amount}"),
        16 => format!("count {seat} {choice}"),
        17 => format!("receive {seat} {} {amount}", 1 + choice % 3),
        _ => format!("issue {seat} 1 500 {}", 1 + choice),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// F86: no sequence of commands of terminals alone increases credits + vouchers + claims. What lies on the layout counts as
    /// credits, as it can be withdrawn.
    #[test]
    fn terminals_alone_make_no_money(
        before in 0..5_usize,
        steps in prop::collection::vec((0..26_u8, 0..SEATS, 0..SEATS, 0..64_usize), 1..80),
    ) {
        let mut installation = with_notes();
        installation.run("fund 0 90000; n1 note 1 5000; fund 2 7000; t2 voucher 2 1; fund 2 3000; t2 voucher 2 2; fund 2 800");
        installation.run("fund 3 700; t3 hand-pay 3; dealer open; t0 bet 0 big 2000 small 500; t1 bet 1 sum:4 300");
        installation.run(["", "dealer close", "deal 456", "deal 456; dealer open", "system restarted"][before]);
        let clusters = spelled::<ClusterCommand>("cluster-command ");
        let rounds = spelled::<RoundCommand>("round-command ");
        let houses = spelled::<HouseCommand>("house-command ");
        let mut most = worth(&installation);
        for (act, by, seat, choice) in steps {
            let terminal = format!("t{by}");
            let actor = installation.actor(&terminal, None);
            match act {
                ..=18 => {
                    let words = words(act, if choice % 4 == 0 { seat } else { by }, choice);
                    installation.ask(&terminal, &words.split_whitespace().collect::<Vec<_>>());
                }
                19..=20 => {
                    installation.ask_cluster(actor, clusters[choice % clusters.len()].clone());
                }
                21..=22 => {
                    installation.ask_round(actor, rounds[choice % rounds.len()].clone());
                }
                _ => {
                    let request = installation.request(actor, houses[choice % houses.len()].clone());
                    installation.house.ask_house(request);
                }
            }
            installation.house.deliver_all();
            let now = worth(&installation);
            prop_assert!(now <= most, "{now} after {most}: act {act} of terminal {by} at seat {seat}, {choice}");
            most = now;
            installation.house.check().expect("every invariant");
        }
    }
}

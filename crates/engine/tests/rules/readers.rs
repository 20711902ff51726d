//! A chip reader is a device of a live table that registers every bet. It tells what lies on the layout, and does nothing else.

use taisai_table::{
    Actor, Chips, ClusterCommand, DeviceId, DeviceKind, ExcessPolicy, HouseCommand, Profile, Refusal, RoundCommand,
    Seat, Stake, Stakes, Verdict,
};

use crate::cluster::{BOXED, LIVE};
use crate::installation::{CLUSTER, ETG, TestInstallation, cents};
use crate::spelled;

fn refusing(game: &'static str) -> TestInstallation {
    TestInstallation::ready(game, "A", &Profile { excess: ExcessPolicy::Refuse, ..Profile::singapore() })
}

/// Places, withdraws and clears for every seat while bets are open, and at no other time.
#[test]
fn chip_reader_registers_bets_while_they_are_open() {
    for game in LIVE {
        TestInstallation::new(game).run(
            "reader bet 0 big 1000 = !no-round-open; reader take 0 big 100 = !no-round-open; reader clear 0 = !no-round-open
             dealer open; reader bet 0 big 1000 small 500; reader bet 3 sum:4 300; ? total big = 1000; ? session 3 = 2
             reader take 0 big 400; ? total big = 600; dealer take 0 big 100; ? total big = 500; reader clear 3
             reader clear 3 = !no-such-bet; ? total sum:4 = 0; dealer bet 1 big 500; reader take 1 big 500
             reader bet 4 big 500 = !unknown-seat; reader bet 0 big 50 = !amount-off-unit; reader bet 0 = !no-bets
             system restarted; reader bet 0 big 500 = !held; dealer continue; dealer close
             reader bet 0 big 500 = !bets-closed; reader take 0 big 500 = !bets-closed; reader clear 0 = !bets-closed",
        );
    }
}

/// A limit binds what a reader reports as it does what the Dealer enters; what lies there all the same is reported as such (5.1.1).
#[test]
fn what_a_reader_sees_over_a_limit_is_refused_and_registered_as_it_lies() {
    for game in BOXED {
        refusing(game).run(
            "dealer open; reader bet 0 big 50100 = !over-differential; reader bet 0 sum:4 50100 = !over-limit
             reader bet-over 0 big 50100; ? total big = 50100; ? excess = big 50100/50000
             reader bet 1 small 100; ? excess = -; ? below = small 100/500",
        );
        // Where excess is shown, a reader's bet lies there as the Dealer's does.
        TestInstallation::new(game).run("dealer open; reader bet 0 big 50100; ? excess = big 50100/50000");
    }
    TestInstallation::new("tai-sai-classic").run("dealer open; reader bet-over 0 big 1000 = !not-in-game");
}

/// At terminals players bet by themselves, and winners are registered by the Dealer.
#[test]
fn a_reader_has_no_part_at_terminals_and_where_winners_are_registered() {
    let words = ["bet 0 big 1000", "bet-over 0 big 1000", "take 0 big 1000", "clear 0"];
    let mut terminals = TestInstallation::new(ETG);
    terminals.run("fund 0 5000; dealer open; t0 bet 0 big 1000");
    for word in words {
        terminals.run(&format!("reader {word} = !not-allowed"));
    }
    for game in LIVE {
        let mut winners = TestInstallation::winners(game);
        for before in ["", "dealer open", "dealer close; dealer activate; dealer tumbled 3; dealer commit 456"] {
            winners.run(before);
            for word in words {
                winners.run(&format!("reader {word} = !other-registration"));
            }
        }
        winners.run("dealer register 0 big 1000; reader take 0 big 1000 = !other-registration; ? total big = 1000");
    }
}

/// Every other command of every machine is refused, whatever it says.
#[test]
fn a_reader_does_nothing_else() {
    for game in LIVE {
        let mut installation = TestInstallation::new(game);
        installation.run("dealer open; dealer bet 0 big 1000");
        let actor = installation.actor("reader", None);
        for command in spelled::<ClusterCommand>("cluster-command ") {
            if matches!(
                command,
                ClusterCommand::Place { .. }
                    | ClusterCommand::PlaceExcess { .. }
                    | ClusterCommand::Withdraw { .. }
                    | ClusterCommand::Clear { .. }
            ) {
                continue;
            }
            let verdict = installation.ask_cluster(actor, command.clone()).verdict();
            assert_eq!(verdict, Verdict::Refused(Refusal::NotAllowed), "{command:?}");
        }
        for command in spelled::<RoundCommand>("round-command ") {
            assert_ne!(installation.ask_round(actor, command.clone()).verdict(), Verdict::Accepted, "{command:?}");
        }
        for command in spelled::<HouseCommand>("house-command ") {
            let request = installation.request(actor, command.clone());
            assert_ne!(installation.house.ask_house(request).verdict(), Verdict::Accepted, "{command:?}");
        }
        installation.run("? total big = 1000");
    }
}

/// Chips that are sent again are registered once, however many sources have sent commands since.
#[test]
fn chips_sent_again_are_registered_once() {
    let mut installation = TestInstallation::new(LIVE[0]);
    installation.run("dealer open");
    let actor = installation.actor("reader", None);
    let stakes =
        |amount| Stakes::from_slice(&[Stake { bet_box: "big".parse().expect("a box"), amount: cents(amount) }]);
    let place = |amount| ClusterCommand::Place { seat: Seat(0), chips: Chips::Own, stakes: stakes(amount) };
    let request = installation.request(actor, place(1_000));
    installation.house.ask_cluster(CLUSTER, request.clone()).expect("the table");
    for source in 10_000..12_000 {
        let mut other = request.clone();
        (other.actor, other.id.source) = (Actor::System, source);
        other.command = ClusterCommand::Back { seat: Seat(1) };
        installation.house.ask_cluster(CLUSTER, other).expect("the table");
    }
    let again = installation.house.ask_cluster(CLUSTER, request.clone()).expect("the table");
    assert_eq!(again.verdict(), Verdict::Accepted);
    let mut reused = request.clone();
    reused.command = place(2_000);
    let reused = installation.house.ask_cluster(CLUSTER, reused).expect("the table");
    assert_eq!(reused.verdict(), Verdict::Refused(Refusal::CommandIdReused));
    // A reader that was enrolled anew counts anew, and what the one before still sends is too old.
    let mut anew = request.clone();
    (anew.id.source, anew.id.sequence) = (request.id.source + 1, 1);
    installation.house.ask_cluster(CLUSTER, anew).expect("the table");
    let late = installation.house.ask_cluster(CLUSTER, request).expect("the table");
    assert_eq!(late.verdict(), Verdict::Refused(Refusal::CommandTooOld));
    installation.run("? total big = 2000");
}

/// One at a layout: two would register the same chips twice.
#[test]
fn a_layout_has_one_reader() {
    let mut installation = TestInstallation::new(LIVE[0]);
    let mut enrol = |device, number| {
        let kind = DeviceKind::ChipReader { cluster: taisai_table::ClusterId { number, ..CLUSTER } };
        let request =
            installation.request(Actor::System, HouseCommand::Enrol { device: DeviceId(device), kind, second: None });
        installation.house.ask_house(request).verdict()
    };
    let exists = Verdict::Refused(Refusal::DeviceExists);
    let rows =
        [(1, 1, Verdict::Refused(Refusal::UnknownTable)), (1, 0, Verdict::Accepted), (1, 0, exists), (2, 0, exists)];
    for (device, number, verdict) in rows {
        assert_eq!(enrol(device, number), verdict, "{device} {number}");
    }
    assert_eq!(installation.house.house().reader_of(CLUSTER), Some(DeviceId(1)));
    assert_eq!(installation.house.house().reader_of(taisai_table::ClusterId { number: 1, ..CLUSTER }), None);
}

//! A live table, whose record released versions must still read.

use std::path::Path;

use taisai_journal::Journal;
use taisai_table::{Chips, ClusterCommand, RoundCommand, RoundNumber, Ruling, Seat, Stake, Stakes, VoidReason};

use crate::casino::{TestCasino, dealer, supervisor};
use crate::made::{found, money, pit_manager, shift_manager};

/// A live table after some rounds: Colour Chips, excess, a player who walks away, void rounds, rulings, corrections.
pub(crate) fn live_table(journal: Box<dyn Journal>, folder: &Path) -> TestCasino {
    let mut casino = TestCasino::open(journal, folder, "tai-sai-classic").unwrap();
    found(&mut casino);
    let (seat, value) = (Seat(3), money(500));
    assert!(casino.cluster(dealer(), ClusterCommand::IssueColour { seat, colour: 1, value, chips: 20, second: None }));
    for round in 0..3 {
        casino.open_bets();
        let stakes: Stakes = [Stake { bet_box: "small".parse().unwrap(), amount: money(1_000) }].into_iter().collect();
        let chips = Chips::Colour;
        assert!(casino.cluster(dealer(), ClusterCommand::Place { seat, chips, stakes: stakes.clone() }));
        casino.bet(0, "big", 700);
        casino.bet(1, "any-triple", 300);
        match round {
            0 => assert!(casino.cluster(dealer(), ClusterCommand::Clear { seat: Seat(1) })),
            1 => assert!(casino.cluster(dealer(), ClusterCommand::WalkAway { seat: Seat(0) })),
            _ => {
                assert!(casino.cluster(dealer(), ClusterCommand::Place { seat, chips, stakes: stakes.clone() }));
                assert!(casino.cluster(dealer(), ClusterCommand::Withdraw { seat, chips, stakes }));
            }
        }
        casino.deal([2, 3, 6]);
    }
    assert!(casino.cluster(dealer(), ClusterCommand::RedeemColour { seat }));
    casino.correct(1, [1, 2, 3]);
    casino.open_bets();
    casino.bet(1, "big", 400);
    casino.round(dealer(), RoundCommand::CloseBets);
    casino.round(dealer(), RoundCommand::Activate);
    casino.round(dealer(), RoundCommand::Tumbled { times: 2 });
    casino.round(dealer(), RoundCommand::Void { reason: VoidReason::FewTumbles });
    casino.open_bets();
    casino.bet(1, "sum:9", 400);
    casino.deal([3, 3, 3]);
    let why = "the tumbler stopped by itself".to_owned();
    let void = RoundCommand::VoidByLaw {
        round: RoundNumber(5),
        reason: VoidReason::Malfunction,
        why,
        second: Some(pit_manager()),
    };
    casino.round(supervisor(), void);
    casino.round(
        shift_manager(),
        RoundCommand::Rule { ruling: Ruling::Note, why: "a guest complains".to_owned(), second: None },
    );
    assert!(!casino.cluster(dealer(), ClusterCommand::Clear { seat: Seat(1) }), "nothing lies there");
    casino.round(supervisor(), RoundCommand::AnnounceClosure);
    casino.commit();
    casino
}

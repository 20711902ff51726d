//! A table goes from machine to machine between two rounds, as it is told and as machines come and go: nobody's play is held.

use crate::house::THE_TABLE;
use crate::play::{BETS, Play};

const TERMINALS: u32 = 40;

#[test]
fn no_round_is_lost() {
    let Play { mut house, crowd, dealer } = Play::begin(TERMINALS);
    let dealer = dealer.works();
    for to in [2, 0, 1] {
        crowd.bets(BETS);
        house.move_table(to);
    }
    // As an upgrade goes: each machine leaves and comes back.
    for node in 0..3 {
        crowd.bets(BETS);
        house.stop(node);
        assert_ne!(house.holder(THE_TABLE), node);
        crowd.bets(BETS);
        house.start(node);
        house.until_whole();
    }
    let record = Play { house, crowd, dealer: dealer.rests() }.ends();
    assert_eq!(record.held, 0, "play was held");
}

//! A machine loses its power in the middle of the betting.

use crate::house::THE_TABLE;
use crate::play::{BETS, Play, tell};

const TERMINALS: u32 = 20;
const KILLS: u32 = 2;

#[test]
fn while_everyone_bets() {
    let Play { mut house, crowd, dealer } = Play::begin(TERMINALS);
    let dealer = dealer.works();
    for _ in 0..KILLS {
        let holder = house.holder(THE_TABLE);
        crowd.bets(BETS);
        let killed = crowd.watch();
        house.kill(holder);
        tell("the table's machine, killed in the betting", crowd.first_bet(killed));
        assert_ne!(house.holder(THE_TABLE), holder);
        house.start(holder);
        house.until_whole();
    }
    crowd.bets(BETS);
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

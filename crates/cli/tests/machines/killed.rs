//! A node is killed while players bet.

use crate::house::TABLE_PARTITION;
use crate::play::{BETS, BettingRun, print_interruption};

const TERMINALS: u32 = 20;
const KILLS: u32 = 2;

#[test]
fn nodes_are_killed_while_everyone_bets() {
    let BettingRun { mut house, crowd, dealer } = BettingRun::begin(TERMINALS);
    let dealer = dealer.works();
    for _ in 0..KILLS {
        let holder = house.holder(TABLE_PARTITION);
        crowd.bets(BETS);
        let killed = crowd.watch();
        house.kill(holder);
        print_interruption("the table's machine, killed in the betting", crowd.first_bet(killed));
        assert_ne!(house.holder(TABLE_PARTITION), holder);
        house.start(holder);
        house.wait_until_all_partitions_are_held();
    }
    crowd.bets(BETS);
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

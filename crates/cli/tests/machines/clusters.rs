//! One round, many clusters on three machines: each follows the round by its record, and none takes a bet after its close.

use crate::house::House;
use crate::play::{BETS, Play};

const TERMINALS: u32 = 40;
const CLUSTERS: u16 = 4;

/// A cluster's part, as it is listed.
fn part(cluster: u16) -> String {
    format!("table-1-{cluster}")
}

#[test]
fn one_round_is_played_on_three_machines() {
    let Play { mut house, crowd, dealer } = Play::at(House::spread(TERMINALS, CLUSTERS), TERMINALS, 1);
    let dealer = dealer.works();
    crowd.bets(4 * BETS);
    for cluster in [1, 3] {
        let holder = house.holder(&part(cluster));
        house.kill(holder);
        house.other_holder(&part(cluster), holder);
        house.start(holder);
        house.until_whole();
        crowd.bets(4 * BETS);
    }
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

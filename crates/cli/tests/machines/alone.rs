//! A house on one machine only: what it does not survive it goes on after.

use crate::house::House;
use crate::play::{BETS, Play, tell};

const TERMINALS: u32 = 20;

#[test]
fn the_only_machine_is_killed_and_started_again() {
    let Play { mut house, crowd, dealer } = Play::at(House::with(1, TERMINALS, 1), TERMINALS, 2);
    let dealer = dealer.works();
    for _ in 0..3 {
        crowd.bets(BETS);
        crowd.watch();
        house.kill(0);
        let started = std::time::Instant::now();
        house.start(0);
        tell("the only machine, killed and started", crowd.first_bet(started));
    }
    crowd.bets(BETS);
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

//! A house on one machine only: what it does not survive it goes on after.

use crate::house::{House, Setup};
use crate::play::{BETS, Play, tell};

const TERMINALS: u32 = 20;

#[test]
fn the_only_machine_is_killed_and_started_again() {
    let setup = Setup { nodes: 1, terminals: TERMINALS, ..Setup::default() };
    let Play { mut house, crowd, dealer } = Play::at(House::with(&setup), TERMINALS, 2);
    let dealer = dealer.works();
    crowd.bets(BETS);
    let killed = crowd.watch();
    house.kill(0);
    house.start(0);
    tell("the only machine, killed and started", crowd.first_bet(killed));
    crowd.bets(BETS);
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

//! An installation of one node continues after a kill.

use crate::house::{CasinoSetup, TestCasino};
use crate::play::{BETS, BettingRun, print_interruption};

const TERMINALS: u32 = 20;

#[test]
fn only_node_is_killed_and_started_again() {
    let setup = CasinoSetup { nodes: 1, terminals: TERMINALS, ..CasinoSetup::default() };
    let BettingRun { mut house, crowd, dealer } = BettingRun::at(TestCasino::with(&setup), TERMINALS, 2);
    let dealer = dealer.works();
    crowd.bets(BETS);
    let killed = crowd.watch();
    house.kill(0);
    house.start(0);
    print_interruption("the only machine, killed and started", crowd.first_bet(killed));
    crowd.bets(BETS);
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

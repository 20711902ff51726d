//! A machine loses its power: in the middle of the betting, and in the moment in which the dice are committed.

use std::thread;

use crate::house::THE_TABLE;
use crate::play::{BETS, Play, tell};
use crate::random::Random;

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

#[test]
fn while_a_round_is_settled() {
    let Play { mut house, crowd, mut dealer } = Play::begin(TERMINALS);
    let mut random = Random(3);
    for kill in 0..KILLS {
        let holder = house.holder(THE_TABLE);
        dealer.deals_until("bets are open", |table| table["phase"] == "open" && table["is_held"] == false);
        crowd.bets(BETS);
        let tumbled = dealer.deals_until("the dice are tumbled", |table| {
            table["phase"] == "closed" && table["is_held"] == false && table["tumbles"] == 3
        });
        let killed = thread::scope(|scope| {
            let commit = scope.spawn(|| dealer.commit(&tumbled));
            if kill % 2 == 0 {
                commit.join().unwrap();
            } else {
                // The end comes at any moment.
                (0..random.below(5_000)).for_each(|_| thread::yield_now());
            }
            let killed = crowd.watch();
            house.kill(holder);
            killed
        });
        dealer.deals_until("the next round is open", |table| {
            table["phase"] == "open" && table["is_held"] == false && table["round"].as_u64() > tumbled["round"].as_u64()
        });
        tell("the table's machine, killed in the settlement", crowd.first_bet(killed));
        house.start(holder);
        house.until_whole();
    }
    Play { house, crowd, dealer }.ends();
}

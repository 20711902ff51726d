//! The database is lost: its primary to everyone, or the way to it to one machine.

use std::time::Instant;

use crate::house::{THE_HOUSE, THE_TABLE};
use crate::play::{BETS, Play, tell};
use crate::relay::Way;

const TERMINALS: u32 = 20;

#[test]
fn the_primary_is_killed_and_the_standby_promoted() {
    let Play { mut house, crowd, dealer } = Play::begin(TERMINALS);
    let dealer = dealer.works();
    crowd.bets(BETS);
    crowd.watch();
    house.pair.primary.kill();
    house.pair.promote();
    tell("the standby takes writes", crowd.first_bet(Instant::now()));
    house.pair.replace();
    crowd.bets(BETS);
    house.until_whole();
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

/// Nobody hears of a way that is silent, and what was sent arrives when others have taken over.
#[test]
fn a_machine_is_cut_off_and_back() {
    let Play { house, crowd, dealer } = Play::begin(TERMINALS);
    let dealer = dealer.works();
    for (part, way) in [(THE_TABLE, Way::Cut), (THE_TABLE, Way::Silent), (THE_HOUSE, Way::Silent)] {
        let holder = house.holder(part);
        crowd.bets(BETS);
        let cut_off = crowd.watch();
        house.set_ways(holder, way);
        house.other_holder(part, holder);
        if part == THE_TABLE {
            tell(&format!("the table's machine, its way {way:?}"), crowd.first_bet(cut_off));
        }
        crowd.bets(BETS);
        house.set_ways(holder, Way::Open);
        house.until_whole();
    }
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

//! The database is lost: its primary to everyone, or the way to it to one machine.

use std::time::Instant;

use crate::house::{HOUSE_PARTITION, TABLE_PARTITION};
use crate::play::{BETS, BettingRun, tell};
use crate::relay::RelayMode;

const TERMINALS: u32 = 20;

#[test]
fn the_primary_is_killed_and_the_standby_promoted() {
    let BettingRun { mut house, crowd, dealer } = BettingRun::begin(TERMINALS);
    let dealer = dealer.works();
    crowd.bets(BETS);
    crowd.watch();
    house.pair.primary.kill();
    house.pair.promote();
    house.pair.accept_alone();
    tell("the standby takes writes", crowd.first_bet(Instant::now()));
    house.pair.replace();
    crowd.bets(BETS);
    house.wait_until_all_partitions_are_held();
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

/// Nobody hears of a way that is silent, and what was sent arrives when others have taken over.
#[test]
fn node_is_cut_off_and_returns() {
    let BettingRun { house, crowd, dealer } = BettingRun::begin(TERMINALS);
    let dealer = dealer.works();
    for (part, way) in
        [(TABLE_PARTITION, RelayMode::Cut), (TABLE_PARTITION, RelayMode::Silent), (HOUSE_PARTITION, RelayMode::Silent)]
    {
        let holder = house.holder(part);
        crowd.bets(BETS);
        let cut_off = crowd.watch();
        house.set_relay_mode(holder, way);
        house.other_holder(part, holder);
        if part == TABLE_PARTITION {
            tell(&format!("the table's machine, its way {way:?}"), crowd.first_bet(cut_off));
        }
        crowd.bets(BETS);
        house.set_relay_mode(holder, RelayMode::Open);
        house.wait_until_all_partitions_are_held();
    }
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

//! Loss of the database: of the primary for every node, or of the connection of one node.

use std::time::Instant;

use crate::house::{HOUSE_PARTITION, TABLE, TABLE_PARTITION, TestCasino, until};
use crate::play::{BETS, BettingRun, print_interruption};
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
    print_interruption("the standby takes writes", crowd.first_bet(Instant::now()));
    house.pair.replace();
    crowd.bets(BETS);
    house.wait_until_all_partitions_are_held();
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

/// A silent path reports no error, and delivers what was sent after others have taken over.
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
            print_interruption(&format!("the table's machine, its way {way:?}"), crowd.first_bet(cut_off));
        }
        crowd.bets(BETS);
        house.set_relay_mode(holder, RelayMode::Open);
        house.wait_until_all_partitions_are_held();
    }
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

/// Status, `Retry-After` and text of the reply to a path.
fn answer(node: std::net::SocketAddr, path: &str) -> (u16, bool, String) {
    let mut answer = crate::person::agent().get(format!("http://{node}{path}")).call().expect("the listener answers");
    let may_retry = answer.headers().contains_key("retry-after");
    (answer.status().as_u16(), may_retry, answer.body_mut().read_to_string().unwrap())
}

/// No node reaches the database. A liveness probe must not restart a process that joins again by itself.
#[test]
fn node_without_database_keeps_its_listener() {
    let house = TestCasino::open(1);
    let nodes = house.addresses();
    for node in 0..nodes.len() {
        house.set_relay_mode(node, RelayMode::Cut);
    }
    let table = format!("/api/v1/tables/{TABLE}");
    for node in &nodes {
        until("it joins again", || {
            assert_eq!(answer(*node, "/healthz").0, 200);
            let (status, may_retry, text) = answer(*node, &table);
            assert!(matches!(status, 200 | 503), "{status}: {text}");
            // A running node may give the same reply before it gives up.
            let (ready, _, why) = answer(*node, "/readyz");
            may_retry && text.contains("unreachable") && ready == 503 && !why.trim().is_empty()
        });
    }
    for node in 0..nodes.len() {
        house.set_relay_mode(node, RelayMode::Open);
    }
    for node in &nodes {
        until("it is ready again", || {
            assert_eq!(answer(*node, "/healthz").0, 200);
            answer(*node, "/readyz").0 == 200
        });
    }
}

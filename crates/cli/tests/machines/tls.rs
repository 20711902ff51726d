//! Nodes that authenticate each other by certificates: requests are relayed over TLS, and not to an untrusted node.

use std::net::SocketAddr;

use crate::connection::TerminalConnection;
use crate::dealing::Dealing;
use crate::house::{CasinoSetup, TABLE, TABLE_PARTITION, TestCasino, UNTRUSTED_NODE, until};
use crate::person::accepted;
use crate::terminal::place;

/// How a node answers a request for the table, and the code of a refusal.
fn status_of(address: SocketAddr) -> (u16, String) {
    let mut answer = crate::person::agent().get(format!("http://{address}/api/v1/tables/{TABLE}")).call().unwrap();
    let body: serde_json::Value = answer.body_mut().read_json().unwrap();
    (answer.status().as_u16(), body["refused"]["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn untrusted_node_gets_no_requests() {
    let mut house = TestCasino::with(&CasinoSetup { terminals: 2, is_secured: true, ..CasinoSetup::default() });
    let addresses = house.addresses();
    let holder = house.holder(TABLE_PARTITION);
    let other = 1 - holder;
    let dealing = Dealing::open(&house, TABLE);
    assert_eq!(status_of(addresses[other]).0, 200);
    let devices = house.enrol(1..=2);
    let mut terminal = devices[0].connect(addresses[other]);
    house.runtime.block_on(house.cashier().buys_in(0, 1, 10_000));
    dealing.open_bets();
    accepted(&terminal.ask(&place(1, &[("odd", 100)])));
    dealing.conclude([1, 2, 3]);

    house.start(UNTRUSTED_NODE);
    house.move_partition(TABLE_PARTITION, UNTRUSTED_NODE);
    until("the stranger answers for the table", || status_of(addresses[UNTRUSTED_NODE]).0 == 200);
    for node in [holder, other] {
        until("it has met the stranger", || {
            assert_eq!(status_of(addresses[node]), (503, "elsewhere".to_owned()));
            house.log(node).contains("invalid peer certificate")
        });
        assert!(
            house.runtime.block_on(TerminalConnection::open(&devices[1], addresses[node])).is_err(),
            "a socket is no better"
        );
    }
    house.move_partition(TABLE_PARTITION, holder);
    until("the table is back", || status_of(addresses[other]).0 == 200);
    house.audit();
}

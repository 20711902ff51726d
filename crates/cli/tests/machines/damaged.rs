//! The record of a table is damaged: the table stays closed on every machine that holds it, and the casino runs.

use serde_json::Value;

use crate::house::{CasinoSetup, TestCasino, until};

/// Changes a byte of the cluster's record, or changes it back.
fn change(house: &TestCasino) {
    let mut client = postgres::Client::connect(&house.pair.address("record"), postgres::NoTls).unwrap();
    let change = "UPDATE taisai_journal.blocks SET block = set_byte(block, 60, 255 - get_byte(block, 60))
                  WHERE chain = 'table-1-0' AND position = 2";
    assert_eq!(client.execute(change, &[]).unwrap(), 1);
}

#[test]
fn damaged_table_stays_closed_until_its_record_is_whole() {
    let mut house = TestCasino::with(&CasinoSetup { nodes: 2, ..CasinoSetup::default() });
    for node in [0, 1] {
        house.kill(node);
    }
    change(&house);
    for node in [0, 1] {
        house.start(node);
    }
    let get = |address: &std::net::SocketAddr, path: &str| {
        let answer = crate::person::agent().get(format!("http://{address}{path}")).call();
        answer.map(|mut answer| (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap_or_default()))
    };
    for address in house.addresses() {
        until("the table is listed as closed", || {
            let Ok((200, listed)) = get(&address, "/api/v1/tables") else { return false };
            let listed: Value = serde_json::from_str(&listed).unwrap();
            let why = listed[0]["not_open"].as_str().unwrap_or_default();
            let is_closed = why.starts_with("chain table-1-0, block 2: ");
            assert!(!is_closed || listed.as_array().is_some_and(|listed| listed.len() == 1), "{listed}");
            is_closed
        });
        until("the casino takes commands", || get(&address, "/readyz").is_ok_and(|(status, _)| status == 200));
    }
    house.person("pit-supervisor");
    change(&house);
    for address in house.addresses() {
        until("the table is open", || get(&address, "/api/v1/tables/1").is_ok_and(|(status, _)| status == 200));
        let (_, listed) = get(&address, "/api/v1/tables").unwrap();
        assert!(serde_json::from_str::<Value>(&listed).unwrap()[0]["not_open"].is_null(), "{listed}");
    }
    house.audit();
}

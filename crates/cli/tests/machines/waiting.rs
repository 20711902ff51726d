//! A node is stopped before it has joined: its database accepts the connection and never answers.

use std::net::TcpListener;
use std::process::Stdio;

use taisai_journal::suite::{Spawned, wait_for};

use crate::house::taisai;

#[test]
fn node_stops_without_waiting_for_its_database() {
    let folder = tempfile::tempdir().unwrap();
    let database = TcpListener::bind("127.0.0.1:0").unwrap();
    // Without the signal it waits for an hour.
    let store = format!("postgres://postgres@{}/record?connect_timeout=3600", database.local_addr().unwrap());
    let mut command = taisai(folder.path());
    command.args(["serve", "--store", &store, "--listen", "127.0.0.1:0"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut machine = Spawned::start(&mut command);
    let _connection = database.accept().unwrap();
    machine.signal("TERM");
    let ended = wait_for("it has stopped", || machine.try_wait().unwrap());
    assert!(ended.success(), "{ended}");
}

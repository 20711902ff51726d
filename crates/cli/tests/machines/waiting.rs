//! A machine that is told to stop before it has joined: its database takes the connection, and says nothing.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::house::{taisai, until};

/// It does not wait for the database, which it would do for ten seconds.
const AT_ONCE: Duration = Duration::from_secs(4);

#[test]
fn it_stops_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let database = TcpListener::bind("127.0.0.1:0").unwrap();
    let store = format!("postgres://postgres@{}/record", database.local_addr().unwrap());
    let mut command = taisai(folder.path());
    command.args(["serve", "--store", &store, "--listen", "127.0.0.1:0"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut machine = command.spawn().unwrap();
    let _connection = database.accept().unwrap();
    let told = Instant::now();
    let sent = Command::new("kill").args(["-TERM", &machine.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut ended = None;
    until("it has stopped", || {
        ended = machine.try_wait().unwrap();
        ended.is_some()
    });
    assert!(ended.unwrap().success(), "{ended:?}");
    assert!(told.elapsed() < AT_ONCE, "it took {:?}", told.elapsed());
}

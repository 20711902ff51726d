//! `taisai doctor` as a person runs it: on a folder, and on a database with its standby.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use postgres::{Client, NoTls};
use serde_json::Value;
use taisai_journal::suite::{PostgresPair, TemporaryServer};

use crate::common::{sell, taisai};

/// Returns the exit status and every finding that is not `ok`, as check and state, in order.
fn doctor(folder: &Path, args: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
    let (status, printed, error) = taisai(folder, &[&["doctor", "--json"], args].concat());
    let findings: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{printed}{error}"));
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
    let findings = findings.as_array().unwrap();
    assert!(findings.iter().all(|finding| (finding["state"] == "well") == finding["mend"].is_null()), "{printed}");
    let found = findings.iter().filter(|finding| finding["state"] != "well");
    // The speed of the disk and the limit of open files depend on the machine.
    let found = found.filter(|finding| !["flush", "commit", "open-files"].contains(&text(finding, "check").as_str()));
    (status, found.map(|finding| (text(finding, "check"), text(finding, "state"))).collect())
}

fn found(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(check, state)| ((*check).to_owned(), (*state).to_owned())).collect()
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn doctor_checks_the_data_folder() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let expected = [("record", "note"), ("data", "note"), ("keys", "note"), ("secrets", "note"), ("anchor", "note")];
    let expected = [&expected[..], &[("anchor-place", "note")]].concat();
    assert_eq!(doctor(folder.path(), &[]), (Some(0), found(&expected)), "nothing has begun");
    assert!(!data.exists(), "nothing is made");

    std::fs::create_dir(&data).unwrap();
    set_mode(&data, 0o700);
    sell(&data, &data, [1]);
    for (name, mode) in [("secrets.db", 0o600), ("anchor.txt", 0o644)] {
        std::fs::write(data.join(name), "").unwrap();
        set_mode(&data.join(name), mode);
    }
    let places = [("keys-place", "note"), ("anchor-place", "note")];
    assert_eq!(doctor(folder.path(), &[]), (Some(0), found(&places)));
    let before = std::fs::read_dir(&data).unwrap().count();
    let (status, printed, _) = taisai(folder.path(), &["doctor", "--data", "data"]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(printed.contains("1 chain can be read") && printed.ends_with("Nothing is wrong.\n"), "{printed}");
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), before, "nothing is left");

    set_mode(&data, 0o777);
    set_mode(&data.join("house.key"), 0o644);
    set_mode(&data.join("anchor.txt"), 0o666);
    std::fs::remove_file(data.join("secrets.db")).unwrap();
    let expected =
        [("data", "wrong"), ("keys", "wrong"), ("keys-place", "note"), ("secrets", "wrong"), ("anchor", "wrong")];
    let expected = [&expected[..], &[("anchor-place", "note")]].concat();
    assert_eq!(doctor(folder.path(), &[]), (Some(1), found(&expected)), "all at once");
    let (_, printed, _) = taisai(folder.path(), &["doctor"]);
    assert!(printed.contains("→ chmod 600 data/house.key") && printed.ends_with("4 things are wrong.\n"), "{printed}");
}

/// The findings on this machine for a casino that is not set up yet.
const BEFORE: [(&str, &str); 4] = [("record", "note"), ("data", "note"), ("keys", "note"), ("anchor", "note")];

#[test]
fn doctor_checks_database_and_standby() {
    let mut pair = PostgresPair::start();
    let address = pair.database("record");
    let folder = tempfile::tempdir().unwrap();
    let looked = |expected: &[(&str, &str)]| {
        let wrong = expected.iter().any(|(_, state)| *state == "wrong");
        let expected = (Some(i32::from(wrong)), found(expected));
        assert_eq!(doctor(folder.path(), &["--store", &address]), expected);
    };
    looked(&[&[("standbys", "note")][..], &BEFORE].concat());
    let sql = |sql: &str| {
        Client::connect(&pair.primary.address("postgres"), NoTls).unwrap().batch_execute(sql).unwrap();
    };
    sql("ALTER DATABASE record SET synchronous_commit = local");
    let (status, printed) = doctor(folder.path(), &["--store", &address]);
    assert!(status == Some(1) && printed.contains(&found(&[("synchronous_commit", "wrong")])[0]), "{printed:?}");
    sql("ALTER DATABASE record RESET synchronous_commit");
    let (_, printed, _) = taisai(folder.path(), &["doctor", "--json", "--store", &address]);
    assert!(printed.contains("connected: standby (streaming, quorum, "), "{printed}");

    pair.standby.kill();
    let (status, printed, _) = taisai(folder.path(), &["doctor", "--store", &address]);
    assert_eq!(status, Some(1), "{printed}");
    for words in ["connected: none", "start the missing standby", "a commit was not acknowledged", "takes writes"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
}

#[test]
fn doctor_never_prints_a_password() {
    let mut server = TemporaryServer::start();
    let port = server.listen("", "host all all 127.0.0.1/32 scram-sha-256");
    let folder = tempfile::tempdir().unwrap();
    let address = format!("postgres://postgres:hush@127.0.0.1:{port}/postgres");
    let (status, printed, error) = taisai(folder.path(), &["doctor", "--store", &address]);
    assert_eq!(status, Some(1), "{printed}{error}");
    assert!(printed.contains("does not let user postgres in"), "{printed}");
    assert!(!printed.contains("hush") && !error.contains("hush"), "{printed}{error}");
}

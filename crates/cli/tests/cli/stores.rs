//! The commands on folders and on a real `PostgreSQL` server, beside a server that writes, and where nothing may be
//! written.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use taisai_journal::suite::{TemporaryServer, wait_until};

use crate::common::{SCRIPT, key, sell, taisai};

/// A server that requires passwords, a database on it, and its address.
struct PostgresStore {
    server: TemporaryServer,
    port: u16,
}

impl PostgresStore {
    fn open() -> Self {
        let mut server = TemporaryServer::start();
        let port = server.listen("", "host all all 127.0.0.1/32 scram-sha-256");
        let house = Self { server, port };
        house.sql("postgres", "CREATE ROLE house LOGIN PASSWORD 'hush'");
        house.sql("postgres", "CREATE DATABASE record OWNER house");
        house
    }

    fn sql(&self, database: &str, sql: &str) {
        let mut client = postgres::Client::connect(&self.server.address(database), postgres::NoTls).unwrap();
        client.batch_execute(sql).unwrap();
    }

    fn address(&self, who: &str, database: &str) -> String {
        format!("postgres://{who}@127.0.0.1:{}/{database}", self.port)
    }

    fn record(&self) -> String {
        self.address("house:hush", "record")
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script.round"), SCRIPT).unwrap();
    folder
}

/// Runs a command that must succeed, and returns its output.
fn run_ok(folder: &Path, args: &[&str]) -> String {
    let (status, printed, error) = taisai(folder, args);
    assert_eq!(status, Some(0), "{args:?}: {printed}{error}");
    assert!(!printed.contains("hush") && !error.contains("hush"), "{args:?}: {printed}{error}");
    printed
}

#[test]
fn every_command_works_on_postgres() {
    let (house, folder) = (PostgresStore::open(), folder());
    let (store, folder) = (house.record(), folder.path());
    let store = store.as_str();
    let beside = ["--keys", "house.key", "--anchor", "anchor.txt"];
    let played = run_ok(folder, &[&["play", "script.round", "--store", store], &beside[..]].concat());
    let last = played.lines().last().unwrap().trim();
    let key = last.split(' ').find(|word| word.starts_with("ed25519:")).unwrap().to_owned();
    assert_eq!(
        last,
        format!("taisai audit verify {} --key {key} --anchor anchor.txt", house.address("house", "record"))
    );

    let verified = run_ok(folder, &["audit", "verify", store, "--key", &key, "--anchor", "anchor.txt"]);
    assert!(verified.contains("3 chains hold") && !verified.contains("note"), "{verified}");
    let alone = run_ok(folder, &["audit", "verify", store]);
    assert!(alone.contains("only against the keys beside them") && alone.contains("no anchor"), "{alone}");
    let printed = run_ok(folder, &["audit", "show", store, "--table", "1", "--round", "1"]);
    assert!(printed.contains("It stands by the dice 2 4 3"), "{printed}");
    run_ok(folder, &["audit", "evidence", store, "--table", "1", "--round", "1", "-o", "proof", "--key", &key]);
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(folder.join("proof"), elsewhere.path().join("proof")).unwrap();
    let proven = run_ok(elsewhere.path(), &["audit", "verify-evidence", "proof", "--key", &key]);
    assert!(proven.contains("proven  Round 1 of table 1 stands by the dice 2 4 3"), "{proven}");
    let stepped = run_ok(folder, &["replay", store, "--table", "1", "--at", "1"]);
    assert!(stepped.contains("tai-sai@6 layout C"), "{stepped}");

    // The same script in a folder gives the same reports.
    run_ok(folder, &["play", "script.round", "--store", "data"]);
    for store in [store, "data"] {
        assert_eq!(taisai(folder, &["report", "lag", store]).0, Some(1));
        run_ok(folder, &["report", "update", store]);
        run_ok(folder, &["report", "lag", store]);
        run_ok(folder, &["report", "rebuild", store]);
    }
    for query in ["win", "boxes", "changes", "staff", "balances"] {
        let query_output = |store| run_ok(folder, &["report", "query", store, query, "--json"]);
        assert_eq!(query_output(store), query_output("data"), "{query}");
    }

    let (status, _, error) = taisai(folder, &[&["play", "script.round", "--store", store], &beside[..]].concat());
    assert_eq!((status, error.contains("has a record already")), (Some(2), true), "{error}");

    // A byte changed in the database is reported.
    house.sql(
        "record",
        "UPDATE taisai_journal.blocks SET block = set_byte(block, 200, 255 - get_byte(block, 200))
                         WHERE chain = 'table-1' AND position = 2",
    );
    // So are wrong chain heads, and blocks without a chain.
    let find = |expected: &str| {
        let (status, printed, error) = taisai(folder, &["audit", "verify", store, "--key", &key]);
        assert_eq!((status, printed.contains(expected)), (Some(1), true), "{expected}: {printed}{error}");
    };
    find("found  chain table-1, block 2: its bytes do not fit its hash");
    for (change, expected) in [
        (
            "INSERT INTO taisai_journal.blocks VALUES ('nobody', 3, '')",
            "found  chain nobody: the store holds a block at 3",
        ),
        (
            "INSERT INTO taisai_journal.blocks VALUES ('house', -3, '')",
            "found  chain house: the store holds a block at -3",
        ),
        (
            "INSERT INTO taisai_journal.blocks VALUES ('table-1', 99, '')",
            "found  chain table-1: the store holds a block at 99",
        ),
        (
            "UPDATE taisai_journal.chains SET hash = '' WHERE name = 'house'",
            "found  chain house: the store has 0 bytes",
        ),
        ("UPDATE taisai_journal.chains SET next = -1, hash = sha256('') WHERE name = 'house'", "next block is -1"),
        ("UPDATE taisai_journal.chains SET epoch = -1, next = 0 WHERE name = 'house'", "its epoch is -1"),
        ("UPDATE taisai_journal.chains SET epoch = 1, name = 'x y' WHERE name = 'house'", "found  chain x y: "),
    ] {
        house.sql("record", change);
        find(expected);
    }
}

#[test]
fn read_only_user_can_audit_and_query() {
    let (house, folder) = (PostgresStore::open(), folder());
    let (store, folder) = (house.record(), folder.path());
    run_ok(folder, &["play", "script.round", "--store", &store, "--keys", "house.key"]);
    run_ok(folder, &["report", "rebuild", &store]);
    house.sql("record", "CREATE ROLE auditor LOGIN PASSWORD 'hush'; GRANT pg_read_all_data TO auditor");
    let reading = house.address("auditor:hush", "record");
    run_ok(folder, &["audit", "verify", &reading]);
    run_ok(folder, &["report", "query", &reading, "win"]);
    // The password comes from a file, so that no list of processes shows it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    let command = command.args(["report", "lag", &house.address("auditor", "record")]).env("PGPASSWORD", "hush");
    assert!(command.output().unwrap().status.success());
    let (status, _, error) = taisai(folder, &["report", "rebuild", &reading]);
    assert_eq!((status, error.lines().count()), (Some(2), 1), "{error}");
}

#[test]
fn database_errors_are_one_line() {
    let (house, folder) = (PostgresStore::open(), folder());
    house.sql("postgres", "CREATE DATABASE newer OWNER house");
    let newer = house.address("house:hush", "newer");
    run_ok(folder.path(), &["play", "script.round", "--store", &newer, "--keys", "house.key"]);
    house.sql("newer", "UPDATE taisai_journal.layout SET number = number + 1");
    let at = |who: &str, database: &str| house.address(who, database);
    let record = house.record();
    for (address, expected) in [
        (at("house:hushhush", "record"), "does not let user house in"),
        (at("house", "record"), "check user and password"),
        (at("nobody:hush", "record"), "does not let user nobody in"),
        (at("house:hush", "nowhere"), "make it (createdb nowhere)"),
        (newer, "use the newer program"),
        (record.clone(), "holds no records of this program"),
        (format!("{record}?sslmode=require"), "server does not support TLS"),
        (format!("{record}?sslmode=verify-full"), "sslrootcert=FILE"),
        ("postgres://house:hush@127.0.0.1:1/record".to_owned(), "no PostgreSQL server answers at 127.0.0.1:1"),
        ("postgres://house:hu@sh@127.0.0.1/record".to_owned(), "@ is %40"),
    ] {
        for command in [&["audit", "verify"][..], &["report", "lag"], &["replay"]] {
            let (status, printed, error) = taisai(folder.path(), &[command, &[&address]].concat());
            assert_eq!((status, printed.as_str()), (Some(2), ""), "{command:?} {address}: {error}");
            assert!(error.contains(expected), "{command:?} {address}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            assert!(!error.contains("hush") && !error.contains("sh@"), "{error}");
        }
    }
    let (status, _, error) = taisai(folder.path(), &["play", "script.round", "--store", &record]);
    assert_eq!((status, error.contains("name a file with --key")), (Some(2), true), "{error}");
}

#[test]
fn audit_runs_beside_a_writing_server() {
    /// Limits how far the writer is ahead of the reader, so that the reader ends.
    const AHEAD: u32 = 500;
    let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (sold, bound, is_over) = (AtomicU32::new(0), AtomicU32::new(AHEAD), AtomicBool::new(false));
    let is_sold = |count: u32| sold.load(Ordering::Relaxed) >= count;
    let next = || {
        let may_go_on = || is_over.load(Ordering::Relaxed) || !is_sold(bound.load(Ordering::Relaxed));
        wait_until("it was read", may_go_on);
        (!is_over.load(Ordering::Relaxed)).then(|| sold.fetch_add(1, Ordering::Relaxed) + 1)
    };
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| sell(folder.path(), beside.path(), std::iter::from_fn(next)));
        let _over = SetOnDrop(&is_over);
        let sells_more_than = |before: u32| {
            wait_until("it writes", || is_sold(before + 1) || writing.is_finished());
            assert!(!writing.is_finished(), "it writes");
        };
        sells_more_than(2);
        for _ in 0..4 {
            let before = sold.load(Ordering::Relaxed);
            bound.store(before + AHEAD, Ordering::Relaxed);
            let verified = run_ok(folder.path(), &["audit", "verify", "."]);
            assert!(verified.contains("1 chain holds by itself"), "{verified}");
            run_ok(folder.path(), &["report", "update", "."]);
            sells_more_than(before);
        }
    });
}

/// Stops the other threads when one fails, so that nobody waits forever.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs the program as a user who may not write in the folder.
fn as_a_stranger(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    if !is_root() {
        return taisai(folder, args);
    }
    // The binary may be in a folder that only root can read.
    let beside = tempfile::tempdir().unwrap();
    std::fs::set_permissions(beside.path(), Permissions::from_mode(0o755)).unwrap();
    let program = beside.path().join("taisai");
    // `cp` copies it: a file that this process holds open for writing cannot be executed.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_taisai")).arg(&program).status().unwrap().success());
    let mut command = Command::new("setpriv");
    let output = command.args(["--reuid", "nobody", "--clear-groups"]).arg(&program).args(args).current_dir(folder);
    let output = output.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

fn protect(folder: &Path, is_protected: bool) {
    let mode = |write: u32| Permissions::from_mode(if is_protected { 0o555 } else { write });
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        if file.file_name().unwrap() != "house.key" {
            std::fs::set_permissions(file, mode(0o644)).unwrap();
        }
    }
    std::fs::set_permissions(folder, mode(0o755)).unwrap();
}

#[test]
fn read_only_copy_is_audited() {
    let folder = folder();
    let data = folder.path().join("a store? 100%");
    run_ok(folder.path(), &["play", "script.round", "--store", data.to_str().unwrap()]);
    run_ok(folder.path(), &["report", "rebuild", data.to_str().unwrap()]);
    let key = key(folder.path(), data.to_str().unwrap());
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    protect(&data, true);
    let before = names(&data);
    for args in [
        &["audit", "verify", ".", "--key", &key][..],
        &["audit", "show", ".", "--table", "1", "--round", "1", "--key", &key],
        &["replay", ".", "--table", "1", "--at", "1", "--key", &key],
        &["report", "lag", "."],
        &["report", "query", ".", "win"],
    ] {
        let (status, printed, error) = as_a_stranger(&data, args);
        assert_eq!(status, Some(0), "{args:?}: {printed}{error}");
    }
    assert_eq!(names(&data), before, "reading makes nothing");

    let (status, _, error) = as_a_stranger(&data, &["audit", "verify", "."]);
    let may_read_the_key = !is_root();
    assert_eq!(status == Some(0), may_read_the_key, "{error}");
    assert_ne!(error.contains("name the public key with --key"), may_read_the_key, "{error}");

    // A store whose log was not closed has blocks that a copy would miss.
    protect(&data, false);
    std::fs::write(data.join("journal.db-wal"), vec![1; 64]).unwrap();
    protect(&data, true);
    let (status, _, error) = as_a_stranger(&data, &["audit", "verify", ".", "--key", &key]);
    assert_eq!((status, error.contains("copy the whole folder")), (Some(2), true), "{error}");
    protect(&data, false);
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

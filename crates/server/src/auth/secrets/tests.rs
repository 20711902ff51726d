//! One suite that both stores pass.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use data_encoding::HEXLOWER;
use taisai_journal::Keys;
use taisai_journal::suite::{TemporaryServer, wait_until};
use taisai_record::Address;
use taisai_table::{DeviceId, PersonId, SecretOwner, Time};

use super::{CodeUse, Expected, Password, Secrets, SecretsError, StoredDevice, StoredSignIn, move_keys};

const PERSON: PersonId = PersonId(7);

fn sign_in(source: u64) -> StoredSignIn {
    let token = blake3::hash(&source.to_le_bytes()).into();
    let (begun, used, asked) = (Time(10), Time(20), Time(15));
    StoredSignIn { source, token, person: PERSON, begun, used, asked, further: Vec::new(), is_one_time: true }
}

fn open(address: &Address, keys: &Keys, expected: Expected) -> Result<Secrets, SecretsError> {
    Secrets::open(address, keys, expected, false)
}

/// Whose secrets were refused. They wait until they are reported.
fn reported(secrets: &Secrets, now: Time) -> Vec<SecretOwner> {
    let refused = secrets.refused(now);
    assert_eq!(secrets.refused(now), refused);
    for owner in &refused {
        secrets.reported(*owner, now);
    }
    refused
}

/// Every kind of secret is kept, changed and taken away, and is there after the store was opened again.
async fn suite(address: &Address) {
    let keys = Keys::random().unwrap();
    for _ in 0..2 {
        assert!(matches!(open(address, &keys, Expected::There), Err(SecretsError::Missing { .. })));
    }
    drop(open(address, &keys, Expected::Lost).unwrap());
    assert!(matches!(open(address, &keys, Expected::There), Err(SecretsError::Missing { .. })), "not yet in use");
    let secrets = open(address, &keys, Expected::Either).unwrap();
    assert_eq!(secrets.highest_source().await.unwrap(), 0);
    secrets.take_into_use().await.unwrap();
    secrets.take_into_use().await.unwrap();
    assert_eq!(secrets.password(PERSON, 0).await.unwrap(), None);
    let one_time = Password::OneTime("00".to_owned());
    assert_eq!(secrets.set_password(PERSON, one_time.clone(), Time(1), 0).await.unwrap(), 1);
    assert_eq!(secrets.password(PERSON, 0).await.unwrap(), Some(one_time));

    for source in [1, 2, 3] {
        secrets.begin(sign_in(source)).await.unwrap();
    }
    assert!(secrets.begin(sign_in(1)).await.is_err(), "a source is used once");
    secrets.add_source(2, 4, None).await.unwrap();
    secrets.add_source(2, 5, None).await.unwrap();
    secrets.add_source(2, 7, Some(4)).await.unwrap();
    secrets.add_source(3, 6, None).await.unwrap();
    secrets.used(2, Time(30), Time(25)).await.unwrap();
    secrets.end(vec![1, 3]).await.unwrap();

    let device = StoredDevice { device: DeviceId(9), key: [1; 32], source: 100, version: 1 };
    secrets.enrol(device).await.unwrap();
    let device = StoredDevice { key: [2; 32], source: 101, version: 2, ..device };
    secrets.enrol(device).await.unwrap();
    assert_eq!(secrets.highest_source().await.unwrap(), 101);
    drop(secrets);

    assert!(matches!(open(address, &keys, Expected::Lost), Err(SecretsError::NotMissing { .. })));
    let other = Keys::random().unwrap();
    assert!(matches!(open(address, &other, Expected::There), Err(SecretsError::OtherKeys { .. })));
    let secrets = open(address, &keys, Expected::There).unwrap();
    let left = StoredSignIn { used: Time(30), asked: Time(25), further: vec![5, 7], ..sign_in(2) };
    assert_eq!(secrets.sign_ins().await.unwrap(), std::slice::from_ref(&left));
    let own = Password::Own("$argon2id$".to_owned());
    assert_eq!(secrets.set_password(PERSON, own.clone(), Time(2), 0).await.unwrap(), 2);
    assert_eq!(secrets.password(PERSON, 2).await.unwrap(), Some(own.clone()));
    assert_eq!(secrets.password(PERSON, 3).await.unwrap(), None, "the House knows a newer one");
    assert_eq!(reported(&secrets, Time(1)), [SecretOwner::Person(PERSON)]);
    assert_eq!(secrets.set_password(PERSON, own.clone(), Time(3), 7).await.unwrap(), 8, "newer than that");
    assert_eq!(secrets.sign_ins().await.unwrap(), [StoredSignIn { is_one_time: false, ..left }]);
    assert_eq!(secrets.devices().await.unwrap(), [device]);
    codes(&secrets).await;
    assert_eq!(reported(&secrets, Time(2)), [], "everything was believed");
}

/// A code enrols one device, once, while it is good.
async fn codes(secrets: &Secrets) {
    let (device, other) = (DeviceId(9), DeviceId(10));
    secrets.add_code([1; 32], device, Time(100), 0).await.unwrap();
    secrets.add_code([2; 32], other, Time(100), 4).await.unwrap();
    assert_eq!(secrets.use_code([3; 32], Time(1)).await.unwrap(), None, "no such code");
    assert_eq!(secrets.use_code([1; 32], Time(99)).await.unwrap(), Some(CodeUse { device, version: 3 }));
    assert_eq!(secrets.use_code([1; 32], Time(99)).await.unwrap(), None, "used");
    assert_eq!(secrets.use_code([2; 32], Time(100)).await.unwrap(), None, "too old");
    secrets.add_code([4; 32], device, Time(200), 5).await.unwrap();
    secrets.add_code([5; 32], device, Time(200), 5).await.unwrap();
    assert_eq!(secrets.use_code([4; 32], Time(150)).await.unwrap(), None, "a newer code has replaced it");
    assert_eq!(secrets.use_code([5; 32], Time(150)).await.unwrap(), Some(CodeUse { device, version: 6 }));
}

#[tokio::test]
async fn secrets_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Folder(folder.path().to_owned());
    suite(&address).await;
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{}", file.path().display());
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
}

#[test]
fn secrets_on_a_server() {
    run(suite(&Address::Postgres(TemporaryServer::shared().database())));
}

/// A lost connection is opened again.
#[test]
fn secrets_on_a_server_that_restarts() {
    let mut server = TemporaryServer::start();
    let address = Address::Postgres(server.database());
    run(async {
        let secrets = open(&address, &Keys::random().unwrap(), Expected::Either).unwrap();
        secrets.take_into_use().await.unwrap();
        server.crash();
        assert!(secrets.highest_source().await.is_err());
        server.run("");
        assert_eq!(secrets.highest_source().await.unwrap(), 0);
    });
}

/// A standby that never comes: the commit waits until it is cancelled, and then warns.
#[test]
fn a_commit_with_a_warning_fails() {
    let mut server = TemporaryServer::start();
    let address = server.database();
    let keys = Keys::random().unwrap();
    let secrets = open(&Address::Postgres(address.clone()), &keys, Expected::Either).unwrap();
    run(async {
        secrets.take_into_use().await.unwrap();
        server.crash();
        server.run("-c synchronous_standby_names=nobody");
        assert!(secrets.password(PERSON, 0).await.is_err(), "the connection is lost");
        assert_eq!(secrets.password(PERSON, 0).await.unwrap(), None);
        let cancel = tokio::task::spawn_blocking(move || {
            let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
            let waits = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
            wait_until("someone waits for the standby", || client.query_one(waits, &[]).unwrap().get::<_, i64>(0) > 0);
        });
        let own = Password::Own("$argon2id$".to_owned());
        let set = secrets.set_password(PERSON, own.clone(), Time(1), 0).await;
        assert!(matches!(set, Err(SecretsError::Warned)), "{set:?}");
        cancel.await.unwrap();
        assert_eq!(secrets.password(PERSON, 0).await.unwrap(), Some(own), "this time it was kept");
    });
}

#[test]
fn a_file_that_others_may_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Folder(folder.path().to_owned());
    let keys = Keys::random().unwrap();
    drop(open(&address, &keys, Expected::Either).unwrap());
    let file = folder.path().join("secrets.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(open(&address, &keys, Expected::Either), Err(SecretsError::Exposed { .. })));
}

/// Work that waits for a database, which a runtime does not let its thread do.
fn blocking<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

/// What an auditor who may read every table of a store finds in it, in hexadecimal digits where it is bytes.
fn all_rows(address: &Address) -> String {
    match address {
        Address::Folder(folder) => {
            let connection = rusqlite::Connection::open(folder.join("secrets.db")).unwrap();
            let mut tables = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
            let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
            let dump = |table: String| {
                let mut rows = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
                let columns = rows.column_count();
                let value = |row: &rusqlite::Row<'_>, place| match row.get_ref(place).unwrap() {
                    rusqlite::types::ValueRef::Blob(bytes) => HEXLOWER.encode(bytes),
                    other => format!("{other:?}"),
                };
                let row = |row: &rusqlite::Row<'_>| Ok((0..columns).map(|place| value(row, place)).collect::<String>());
                rows.query_map([], row).unwrap().map(Result::unwrap).collect::<String>()
            };
            tables.map(dump).collect()
        }
        Address::Postgres(address) => blocking(|| {
            let mut client = postgres::Client::connect(address, postgres::NoTls).unwrap();
            let tables = "SELECT format('SELECT t::text FROM %I.%I t', schemaname, tablename) FROM pg_tables
                          WHERE schemaname LIKE 'taisai%'";
            let tables: Vec<String> = client.query(tables, &[]).unwrap().iter().map(|row| row.get(0)).collect();
            let mut dump = |select: &String| {
                let rows = client.query(select.as_str(), &[]).unwrap();
                rows.iter().map(|row| row.get::<_, String>(0)).collect::<String>()
            };
            tables.iter().map(&mut dump).collect()
        }),
    }
}

/// Changes rows behind the program's back.
fn sql(address: &Address, statement: &str) {
    match address {
        Address::Folder(folder) => {
            rusqlite::Connection::open(folder.join("secrets.db")).unwrap().execute_batch(statement).unwrap();
        }
        Address::Postgres(address) => blocking(|| {
            let mut client = postgres::Client::connect(address, postgres::NoTls).unwrap();
            client.batch_execute(&format!("SET search_path = taisai_secrets; {statement}")).unwrap();
        }),
    }
}

fn both_stores(test: impl AsyncFn(Address)) {
    let folder = tempfile::tempdir().unwrap();
    run(test(Address::Folder(folder.path().to_owned())));
    run(test(Address::Postgres(TemporaryServer::shared().database())));
}

/// The secret keys of a file, each as digits and as bytes.
fn secrets_in(key_file: &Path) -> Vec<(String, [u8; 32])> {
    let text = std::fs::read_to_string(key_file).unwrap();
    let digits = text.lines().skip(1).filter_map(|line| line.rsplit(' ').next()).filter(|digits| digits.len() == 64);
    let found: Vec<_> = digits.map(|digits| (digits.to_owned(), super::hex::bytes(digits).unwrap())).collect();
    assert_eq!(found.len(), 4, "{text}");
    found
}

/// As programs before 0.2 left it: with the keys of vouchers and nodes, and without authentication.
const OLDER: &str = "
    CREATE TABLE layout (number BIGINT NOT NULL);
    INSERT INTO layout VALUES (1);
    CREATE TABLE passwords (
        person BIGINT PRIMARY KEY, hash TEXT NOT NULL, is_one_time BIGINT NOT NULL, changed BIGINT NOT NULL);
    CREATE TABLE sign_ins (
        source BIGINT PRIMARY KEY, token BYTES NOT NULL UNIQUE, person BIGINT NOT NULL,
        begun BIGINT NOT NULL, used BIGINT NOT NULL, asked BIGINT NOT NULL);
    CREATE TABLE further_sources (further BIGINT PRIMARY KEY, source BIGINT NOT NULL);
    CREATE TABLE devices (device BIGINT PRIMARY KEY, key BYTES NOT NULL, source BIGINT NOT NULL);
    CREATE TABLE codes (device BIGINT PRIMARY KEY, code BYTES NOT NULL UNIQUE, expires BIGINT NOT NULL);
    CREATE TABLE keys (name TEXT PRIMARY KEY, key BYTES NOT NULL);
    INSERT INTO passwords VALUES (7, '$argon2id$', 0, 1);
    INSERT INTO sign_ins VALUES (2, TOKEN, 7, 10, 20, 15);
    INSERT INTO further_sources VALUES (4, 2);
    INSERT INTO devices VALUES (9, DEVICE, 100);
    INSERT INTO codes VALUES (10, CODE, 200);
    INSERT INTO keys VALUES ('voucher', VOUCHER);
    INSERT INTO keys VALUES ('node', NODE);";

fn make_older(address: &Address) {
    let (bytes, quote) = match address {
        Address::Folder(_) => ("BLOB", "x'"),
        Address::Postgres(_) => ("BYTEA", "'\\x"),
    };
    let mut statement = OLDER.replace("BYTES", bytes);
    let values = [("TOKEN", sign_in(2).token), ("DEVICE", [2; 32]), ("CODE", [5; 32])];
    for (name, value) in values.into_iter().chain([("VOUCHER", [0xab; 32]), ("NODE", [0xcd; 32])]) {
        statement = statement.replace(name, &format!("{quote}{}'", HEXLOWER.encode(&value)));
    }
    if let Address::Postgres(address) = address {
        blocking(|| {
            let mut client = postgres::Client::connect(address, postgres::NoTls).unwrap();
            client.batch_execute("CREATE SCHEMA taisai_secrets").unwrap();
        });
    }
    sql(address, &statement);
    if let Address::Folder(folder) = address {
        std::fs::set_permissions(folder.join("secrets.db"), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// The keys go into the file first, and a start that stops there goes on at the next.
#[test]
fn keys_are_moved_out_of_an_older_store() {
    both_stores(async |address| {
        make_older(&address);
        let beside = tempfile::tempdir().unwrap();
        let key_file = beside.path().join("house.key");
        std::fs::write(&key_file, format!("taisai signing key 1\n{}\n", "17".repeat(32))).unwrap();
        std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let stranger = Keys::random().unwrap();
        let wrong = Secrets::open(&address, &stranger, Expected::There, true);
        assert!(matches!(wrong, Err(SecretsError::OtherKeys { .. })), "{wrong:?}");
        blocking(|| move_keys(&address, &key_file, Expected::There)).unwrap();
        assert!(all_rows(&address).contains(&"ab".repeat(32)), "nothing is taken out before");
        blocking(|| move_keys(&address, &key_file, Expected::There)).unwrap();
        let keys = Keys::open(&key_file).unwrap();
        assert_eq!((keys.voucher, keys.nodes), ([0xab; 32], [0xcd; 32]));
        let early = Secrets::open(&address, &keys, Expected::There, false);
        assert!(matches!(early, Err(SecretsError::Restored { .. })), "the record knows keys: {early:?}");
        let secrets = Secrets::open(&address, &keys, Expected::There, true).unwrap();
        drop(Secrets::open(&address, &keys, Expected::There, true).unwrap());

        assert_eq!(secrets.password(PERSON, 0).await.unwrap(), Some(Password::Own("$argon2id$".to_owned())));
        let expected = StoredSignIn { further: vec![4], is_one_time: false, ..sign_in(2) };
        assert_eq!(secrets.sign_ins().await.unwrap(), [expected]);
        let device = StoredDevice { device: DeviceId(9), key: [2; 32], source: 100, version: 1 };
        assert_eq!(secrets.devices().await.unwrap(), [device]);
        let code = secrets.use_code([5; 32], Time(1)).await.unwrap();
        assert_eq!(code, Some(CodeUse { device: DeviceId(10), version: 1 }));
        assert_eq!(reported(&secrets, Time(1)), []);
        let rows = all_rows(&address);
        for (digits, bytes) in secrets_in(&key_file) {
            assert!(!rows.contains(&digits), "{digits}");
            let Address::Folder(folder) = &address else { continue };
            for file in std::fs::read_dir(folder).unwrap() {
                let found = std::fs::read(file.unwrap().path()).unwrap();
                assert!(!found.windows(32).any(|window| window == bytes), "{digits}");
            }
        }

        // Another node still has the old file.
        std::fs::write(&key_file, format!("taisai signing key 1\n{}\n", "17".repeat(32))).unwrap();
        let moved = blocking(|| move_keys(&address, &key_file, Expected::There));
        assert!(matches!(moved, Err(SecretsError::KeysMoved { .. })), "{moved:?}");
    });
}

#[test]
fn reading_every_row_gives_no_secret_away() {
    both_stores(async |address| {
        let folder = tempfile::tempdir().unwrap();
        let key_file = folder.path().join("keys");
        let keys = Keys::open_or_create(&key_file).unwrap();
        let secrets = open(&address, &keys, Expected::Either).unwrap();
        secrets.take_into_use().await.unwrap();
        let code = super::OneTimeCode::random().unwrap();
        let password = Password::OneTime(HEXLOWER.encode(&code.hash()));
        secrets.set_password(PERSON, password, Time(1), 0).await.unwrap();
        secrets.add_code(code.hash(), DeviceId(9), Time(100), 0).await.unwrap();
        secrets.begin(sign_in(1)).await.unwrap();
        let rows = all_rows(&address);
        assert!(rows.contains(&HEXLOWER.encode(&code.hash())), "every row is there");
        for (digits, _) in secrets_in(&key_file) {
            assert!(!rows.contains(&digits), "{digits}");
        }
        assert!(!rows.contains(&code.to_string()));
    });
}

/// Each change is one that somebody who may write to the store can make.
#[test]
fn rows_that_the_casino_did_not_write_are_refused() {
    both_stores(async |address| {
        let secrets = open(&address, &Keys::random().unwrap(), Expected::Either).unwrap();
        let (other, device) = (PersonId(8), DeviceId(9));
        let own = |text: &str| Password::Own(text.to_owned());
        let refused = |secrets: &Secrets, minute: u64| reported(secrets, Time(minute * 60_000));
        secrets.set_password(PERSON, own("mine"), Time(1), 0).await.unwrap();
        secrets.set_password(other, own("other"), Time(1), 0).await.unwrap();
        secrets.begin(sign_in(1)).await.unwrap();
        secrets.enrol(StoredDevice { device, key: [1; 32], source: 100, version: 1 }).await.unwrap();
        secrets.add_code([4; 32], device, Time(200), 0).await.unwrap();

        sql(&address, "UPDATE passwords SET hash = (SELECT hash FROM passwords WHERE person = 7) WHERE person = 8");
        assert_eq!(secrets.password(other, 0).await.unwrap(), None, "another's password");
        assert_eq!(refused(&secrets, 1), [SecretOwner::Person(other)]);
        assert_eq!(secrets.password(other, 0).await.unwrap(), None);
        assert_eq!(refused(&secrets, 1), [], "once a minute");
        sql(&address, "DELETE FROM passwords WHERE person = 8; UPDATE passwords SET person = 8 WHERE person = 7");
        assert_eq!(secrets.password(other, 0).await.unwrap(), None, "the whole row of another");
        assert_eq!(refused(&secrets, 2), [SecretOwner::Person(other)]);
        sql(&address, "UPDATE passwords SET person = 7");
        assert_eq!(secrets.password(PERSON, 0).await.unwrap(), Some(own("mine")), "it is as it was");
        sql(&address, "UPDATE passwords SET version = 9");
        assert_eq!(secrets.password(PERSON, 0).await.unwrap(), None, "as if it were newer");
        assert_eq!(refused(&secrets, 3), [SecretOwner::Person(PERSON)]);
        sql(&address, "UPDATE passwords SET version = 1");

        assert_eq!(secrets.sign_ins().await.unwrap().len(), 1);
        sql(&address, "UPDATE sign_ins SET asked = asked + 1");
        assert_eq!(secrets.sign_ins().await.unwrap(), [], "as if the password were entered later");
        assert_eq!(refused(&secrets, 4), [SecretOwner::Person(PERSON)]);
        sql(&address, "UPDATE sign_ins SET asked = asked - 1; INSERT INTO further_sources VALUES (7, 1, '')");
        assert_eq!(secrets.sign_ins().await.unwrap()[0].further, [0; 0], "a screen that nobody added");
        assert_eq!(refused(&secrets, 5), [SecretOwner::Person(PERSON)]);

        sql(&address, "UPDATE devices SET source = 101");
        assert_eq!(secrets.devices().await.unwrap(), []);
        assert_eq!(secrets.device(device).await.unwrap(), None);
        assert_eq!(refused(&secrets, 6), [SecretOwner::Device(device)]);
        sql(&address, "UPDATE codes SET expires = 300");
        assert_eq!(secrets.use_code([4; 32], Time(250)).await.unwrap(), None);
        assert_eq!(refused(&secrets, 7), [SecretOwner::Device(device)]);
    });
}

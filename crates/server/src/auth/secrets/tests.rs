//! One suite that both stores pass.

use std::os::unix::fs::PermissionsExt as _;

use taisai_journal::suite::{TemporaryServer, wait_until};
use taisai_record::Address;
use taisai_table::{DeviceId, PersonId, Time};

use super::{Expected, Password, Secrets, SecretsError, StoredDevice, StoredSignIn};

const PERSON: PersonId = PersonId(7);

fn sign_in(source: u64) -> StoredSignIn {
    let token = blake3::hash(&source.to_le_bytes()).into();
    let (begun, used, asked) = (Time(10), Time(20), Time(15));
    StoredSignIn { source, token, person: PERSON, begun, used, asked, further: Vec::new(), is_one_time: true }
}

/// Every kind of secret is kept, changed and taken away, and is there after the store was opened again.
async fn suite(address: &Address) {
    for _ in 0..2 {
        assert!(matches!(Secrets::open(address, Expected::There), Err(SecretsError::Missing { .. })));
    }
    drop(Secrets::open(address, Expected::Lost).unwrap());
    assert!(matches!(Secrets::open(address, Expected::There), Err(SecretsError::Missing { .. })), "not yet begun");
    let secrets = Secrets::open(address, Expected::Either).unwrap();
    assert_eq!(secrets.highest_source().await.unwrap(), 0);
    let key = secrets.key("voucher").await.unwrap();
    assert_ne!(key, secrets.key("other").await.unwrap());
    assert_eq!(secrets.password(PERSON).await.unwrap(), None);
    let one_time = Password::OneTime("00".to_owned());
    secrets.set_password(PERSON, one_time.clone(), Time(1)).await.unwrap();
    assert_eq!(secrets.password(PERSON).await.unwrap(), Some(one_time));

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

    let device = StoredDevice { device: DeviceId(9), key: [1; 32], source: 100 };
    secrets.enrol(device).await.unwrap();
    let device = StoredDevice { key: [2; 32], source: 101, ..device };
    secrets.enrol(device).await.unwrap();
    assert_eq!(secrets.highest_source().await.unwrap(), 101);
    drop(secrets);

    assert!(matches!(Secrets::open(address, Expected::Lost), Err(SecretsError::NotMissing { .. })));
    let secrets = Secrets::open(address, Expected::There).unwrap();
    let left = StoredSignIn { used: Time(30), asked: Time(25), further: vec![5, 7], ..sign_in(2) };
    assert_eq!(secrets.sign_ins().await.unwrap(), std::slice::from_ref(&left));
    let own = Password::Own("$argon2id$".to_owned());
    secrets.set_password(PERSON, own.clone(), Time(2)).await.unwrap();
    assert_eq!(secrets.password(PERSON).await.unwrap(), Some(own));
    assert_eq!(secrets.sign_ins().await.unwrap(), [StoredSignIn { is_one_time: false, ..left }]);
    assert_eq!(secrets.devices().await.unwrap(), [device]);
    assert_eq!(secrets.key("voucher").await.unwrap(), key);
    codes(&secrets).await;
}

/// A code enrols one device, once, while it is good.
async fn codes(secrets: &Secrets) {
    let (device, other) = (DeviceId(9), DeviceId(10));
    secrets.add_code([1; 32], device, Time(100)).await.unwrap();
    secrets.add_code([2; 32], other, Time(100)).await.unwrap();
    assert_eq!(secrets.use_code([3; 32], Time(1)).await.unwrap(), None, "no such code");
    assert_eq!(secrets.use_code([1; 32], Time(99)).await.unwrap(), Some(device));
    assert_eq!(secrets.use_code([1; 32], Time(99)).await.unwrap(), None, "used");
    assert_eq!(secrets.use_code([2; 32], Time(100)).await.unwrap(), None, "too old");
    secrets.add_code([4; 32], device, Time(200)).await.unwrap();
    secrets.add_code([5; 32], device, Time(200)).await.unwrap();
    assert_eq!(secrets.use_code([4; 32], Time(150)).await.unwrap(), None, "a newer code has replaced it");
    assert_eq!(secrets.use_code([5; 32], Time(150)).await.unwrap(), Some(device));
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
        let secrets = Secrets::open(&address, Expected::Either).unwrap();
        let key = secrets.key("voucher").await.unwrap();
        server.crash();
        assert!(secrets.key("voucher").await.is_err());
        server.run("");
        assert_eq!(secrets.key("voucher").await.unwrap(), key);
    });
}

/// A standby that never comes: the commit waits until it is cancelled, and then warns.
#[test]
fn a_commit_with_a_warning_fails() {
    let mut server = TemporaryServer::start();
    let address = server.database();
    let secrets = Secrets::open(&Address::Postgres(address.clone()), Expected::Either).unwrap();
    run(async {
        secrets.key("voucher").await.unwrap();
        server.crash();
        server.run("-c synchronous_standby_names=nobody");
        assert!(secrets.password(PERSON).await.is_err(), "the connection is lost");
        assert_eq!(secrets.password(PERSON).await.unwrap(), None);
        let cancel = tokio::task::spawn_blocking(move || {
            let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
            let waits = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
            wait_until("someone waits for the standby", || client.query_one(waits, &[]).unwrap().get::<_, i64>(0) > 0);
        });
        let own = Password::Own("$argon2id$".to_owned());
        let set = secrets.set_password(PERSON, own.clone(), Time(1)).await;
        assert!(matches!(set, Err(SecretsError::Warned)), "{set:?}");
        cancel.await.unwrap();
        assert_eq!(secrets.password(PERSON).await.unwrap(), Some(own), "this time it was kept");
    });
}

#[test]
fn a_file_that_others_may_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Folder(folder.path().to_owned());
    drop(Secrets::open(&address, Expected::Either).unwrap());
    let file = folder.path().join("secrets.db");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert!(matches!(Secrets::open(&address, Expected::Either), Err(SecretsError::Exposed { .. })));
}

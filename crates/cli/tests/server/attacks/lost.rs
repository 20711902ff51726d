//! Lost credentials: whoever has access to the machine can let people in again, and the record shows it.

use std::fs;

use taisai_journal::{Archive as _, SqliteArchive};

use crate::house::TestCasino;
use crate::person::Person;

const SECRETS: [&str; 3] = ["data/secrets.db", "data/secrets.db-wal", "data/secrets.db-shm"];

#[test]
fn unlock_lets_a_locked_out_administrator_in() {
    let mut house = TestCasino::open();
    let administrator = crate::house::first("administrator");
    let number = administrator.to_string();
    let unlock = ["unlock", "--config", "taisai.toml", "--new-password", "--person", &number];
    let (is_done, printed) = house.taisai(&unlock);
    assert!(!is_done && printed.contains("another program"), "{printed}");
    for _ in 0..5 {
        assert!(Person::try_sign_in(house.address(), administrator, "wrong").is_err());
    }
    let before = house.password(administrator);
    assert!(Person::try_sign_in(house.address(), administrator, &before).is_err(), "locked out");
    house.audit();
    let (is_done, printed) = house.taisai(&["unlock", "--data", "elsewhere", "--person", &number]);
    assert!(!is_done && !house.folder().join("elsewhere").exists(), "{printed}");
    let (is_done, printed) = house.taisai(&unlock);
    assert!(is_done, "{printed}");
    let password = printed.lines().find_map(|line| line.rsplit_once("not printed again: ")).unwrap().1;
    let (is_done, printed) = house.taisai(&unlock);
    assert!(!is_done && printed.contains("not locked out"), "others can: {printed}");
    house.restart();
    assert!(Person::try_sign_in(house.address(), administrator, &before).is_err(), "it was replaced");
    Person::sign_in(house.address(), administrator, password);
    house.audit();
}

#[test]
fn lost_secrets_are_replaced_only_on_request() {
    let mut house = TestCasino::open();
    let data = house.folder().join("data");
    let before = house.password(1);
    house.enrol(1, 3);
    house.audit();
    for file in SECRETS {
        fs::remove_file(house.folder().join(file)).unwrap_or_default();
    }
    let heads = || SqliteArchive::open(&data).unwrap().heads().unwrap();
    let recorded = heads();
    for _ in 0..2 {
        let printed = house.fails_to_start();
        assert_eq!(heads(), recorded, "a start that is refused writes to no chain");
        assert!(printed.contains("secrets.db is missing") && printed.contains("--new-secrets"), "{printed}");
        assert!(!house.folder().join(SECRETS[0]).exists(), "a backup finds its place empty");
    }
    house.restart_with_new_secrets();
    assert!(Person::try_sign_in(house.address(), 1, &before).is_err());
    house.person("administrator");
    house.terminal(1, 3);
    house.audit();
    let (is_done, printed) = house.taisai(&["serve", "--config", "taisai.toml", "--new-secrets"]);
    assert!(!is_done && printed.contains("not made anew"), "{printed}");
    house.restart();
    house.person("administrator");
}

//! The key file, with the running program: nothing in the store gives a key or a voucher's number away, no other file is taken, and
//! keys are replaced on record.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::house::TestCasino;
use crate::person::Person;

const KEY_FILE: &str = "house.key";

fn key_file(house: &TestCasino) -> PathBuf {
    house.folder().join("data").join(KEY_FILE)
}

/// The number of a voucher that the cage sells.
fn sell(house: &TestCasino) -> String {
    let cashier = house.person("cashier");
    let (_, sold) = house_command(&cashier, &json!({"sell": {"amount": 5_000}}));
    let number = sold["accepted"]["voucher"]["voucher"]["validation"].as_str().unwrap_or_else(|| panic!("{sold}"));
    number.chars().filter(char::is_ascii_digit).collect()
}

fn house_command(by: &Person, command: &Value) -> (u16, Value) {
    let body = json!({"source": by.source, "sequence": by.next(), "command": command});
    by.post("/api/v1/house/commands", &body)
}

/// The public keys of the stopped casino, the present one last.
fn public_keys(house: &TestCasino) -> Vec<String> {
    let (is_done, said) = house.taisai(&["audit", "key", "data"]);
    assert!(is_done, "{said}");
    said.lines().map(str::to_owned).collect()
}

#[test]
fn only_the_key_file_has_keys_and_no_other_is_taken() {
    let mut house = TestCasino::open();
    let number = sell(&house);
    house.audit();
    let text = fs::read_to_string(key_file(&house)).unwrap();
    let keys = text.lines().skip(1).map(|line| line.split_once(' ').unwrap().1);
    let raw = |digits: &str| data_encoding::HEXLOWER.decode(digits.as_bytes()).unwrap();
    let mut secrets: Vec<Vec<u8>> = keys.flat_map(|digits| [raw(digits), digits.as_bytes().to_vec()]).collect();
    assert_eq!(secrets.len(), 8, "four keys");
    secrets.push(number.into_bytes());
    for file in fs::read_dir(house.folder().join("data")).unwrap() {
        let file = file.unwrap();
        let bytes = fs::read(file.path()).unwrap_or_default();
        let has = |secret: &Vec<u8>| bytes.windows(secret.len()).any(|window| window == secret);
        assert!(file.file_name() == KEY_FILE || !secrets.iter().any(has), "{}", file.path().display());
    }

    let voucher = text.lines().find(|line| line.starts_with("voucher ")).unwrap();
    fs::write(key_file(&house), text.replace(voucher, &format!("voucher {}", "5".repeat(64)))).unwrap();
    let said = house.fails_to_start();
    assert!(said.contains("is not the one of this casino"), "{said}");
    let signing = text.lines().find(|line| line.starts_with("signing ")).unwrap();
    fs::write(key_file(&house), text.replace(signing, &format!("signing {}", "5".repeat(64)))).unwrap();
    let said = house.fails_to_start();
    assert!(said.contains("is not the one of this record"), "{said}");
    fs::remove_file(key_file(&house)).unwrap();
    let said = house.fails_to_start();
    assert!(said.contains("house.key is missing") && !key_file(&house).exists(), "{said}");
}

#[test]
fn signing_key_is_replaced_on_record() {
    let mut house = TestCasino::open();
    let rotate = ["keys", "rotate", "--config", "taisai.toml"];
    let (is_done, said) = house.taisai(&rotate);
    assert!(!is_done && said.contains("another program"), "{said}");
    house.audit();
    let before = public_keys(&house);
    let file_before = fs::read(key_file(&house)).unwrap();
    let (is_done, said) = house.taisai(&rotate);
    assert!(is_done && said.contains(&before[0]), "{said}");
    let after = public_keys(&house);
    assert_eq!((after.len(), &after[0]), (2, &before[0]));
    house.audit();
    let (is_good, said) = house.taisai(&["audit", "verify", "data", "--key", &before[0]]);
    assert!(!is_good && said.contains(&after[1]), "the old key alone does not tell of the new one: {said}");
    house.restart();
    house.person("administrator");
    house.audit();
    fs::write(key_file(&house), file_before).unwrap();
    let said = house.fails_to_start();
    assert!(said.contains("is not the one of this record"), "{said}");
}

#[test]
fn lost_key_file_is_made_anew_on_record() {
    let mut house = TestCasino::open();
    let number = sell(&house);
    house.audit();
    let before = public_keys(&house).remove(0);
    let new = ["keys", "new", "--config", "taisai.toml", "--former", &before];
    let (is_done, said) = house.taisai(&new);
    assert!(!is_done && said.contains("never made anew"), "{said}");
    fs::remove_file(key_file(&house)).unwrap();
    let (is_done, said) = house.taisai(&new);
    assert!(is_done, "{said}");
    let (is_done, said) = house.taisai(&new);
    assert!(!is_done && said.contains("never made anew"), "once: {said}");
    let said = house.fails_to_start();
    assert!(said.contains("secrets.db is missing") && said.contains("--new-secrets"), "{said}");
    house.restart_with_new_secrets();
    let cashier = house.person("cashier");
    let (_, refused) = house_command(&cashier, &json!({"redeem": {"number": number}}));
    assert_eq!(refused["refused"]["code"], "voucher-not-on-file", "a person reissues it");
    house.audit();
}

/// Someone who can write to the store gives a cashier the password of another person; and puts the store back as it was when keys lay
/// in it.
#[test]
fn secrets_that_were_changed_are_named_and_refused() {
    let mut house = TestCasino::open();
    let (dealer, cashier) = (house.person("dealer"), house.person("cashier"));
    house.audit();
    let (_, said) = house.taisai(&["doctor", "--config", "taisai.toml", "--json"]);
    assert!(said.contains("by its fingerprint") && !said.contains("secret-rows"), "{said}");
    let secrets = rusqlite::Connection::open(house.folder().join("data/secrets.db")).unwrap();
    let copy = "UPDATE passwords SET hash = (SELECT hash FROM passwords WHERE person = ?1) WHERE person = ?2";
    secrets.execute(copy, [dealer.id, cashier.id]).unwrap();
    let expected = format!("the row for person {} in passwords is not what the casino stored", cashier.id);
    for command in [&["audit", "verify", "data"][..], &["audit", "verify", "data", "--json"]] {
        let (is_good, said) = house.taisai(command);
        assert!(!is_good && said.contains(&expected), "{said}");
    }
    let (is_good, said) = house.taisai(&["doctor", "--config", "taisai.toml", "--json"]);
    assert!(!is_good && said.contains(&expected), "{said}");
    let public = public_keys(&house).remove(0);
    let (is_good, said) = house.taisai(&["audit", "verify", "data", "--key", &public]);
    assert!(is_good, "without the key file nothing is known of secrets: {said}");

    house.restart();
    let password = house.password(dealer.id);
    assert!(Person::try_sign_in(house.address(), cashier.id, &password).is_err());
    Person::sign_in(house.address(), dealer.id, &password);
    house.terminate();
    assert!(house.stopped().0.success());
    secrets
        .execute_batch("UPDATE layout SET number = 1; CREATE TABLE keys (name TEXT PRIMARY KEY, key BLOB NOT NULL)")
        .unwrap();
    let said = house.fails_to_start();
    assert!(said.contains("as it was before the keys were moved"), "{said}");
    let (is_good, said) = house.taisai(&["audit", "verify", "data"]);
    assert!(!is_good && said.contains("still has keys in it"), "{said}");
}

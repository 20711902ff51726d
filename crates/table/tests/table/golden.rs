//! The bytes and the JSON of the record, as files: a change to either cannot go unnoticed. `BLESS=1` writes the bytes
//! anew; the spelling is written by hand.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{
    ClusterCommand, ClusterEvent, Notice, Phase, Purpose, Recorded, RoundCommand, RoundEvent, Ruling, VoidReason,
    encode,
};

use crate::hall::{CLASSIC, ETG, Hall, TAI_SAI};

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect()
}

fn check(name: &str, found: &str) {
    let path = path(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found).expect("a golden file is written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{name} differs; if it should, write it with BLESS=1 and raise the version");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).filter_map(|half| char::from_digit(half.into(), 16)).collect()
}

/// A short evening of each kind: limits and a Differential, terminals and vouchers, Colour Chips.
fn evening(game: &'static str) -> Hall {
    let mut hall = Hall::new(game);
    hall.run(
        "fund 0 90000; fund 1 5000; dealer open; player bet 0 big 500 small 500; player bet 1 sum:4 300; deal 456",
    );
    hall.run("dealer open; player bet 0 big 900; dealer close; player clear 0 = !bets-closed; dealer activate");
    hall.run("dealer tumbled 1; dealer void few-tumbles; dealer open; player bet 1 big 500");
    match game {
        ETG => hall.run("system lost 1; deal 122; player voucher 0 7"),
        CLASSIC => hall.run("dealer issue 2 4 500 6; player bet-colour 2 small 500; dealer walk 1; deal 122"),
        _ => hall.run(
            "player bet 0 big 60000; dealer reject; system restarted; dealer continue; player bet 1 big 900; deal 122",
        ),
    }
    hall.run(
        "shift rule settle 1 123 with manager; dealer open; fund 2 800; player bet 2 big 500
              system restarted",
    );
    hall
}

#[test]
fn bytes_are_as_they_were() {
    for game in [CLASSIC, TAI_SAI, ETG] {
        let hall = evening(game);
        let mut lines = Vec::new();
        for entry in &hall.floor.record {
            let mut bytes = Vec::new();
            let machine = match entry {
                Recorded::Round(_, entry) => {
                    encode(entry, &mut bytes);
                    "round"
                }
                Recorded::Cluster(_, entry) => {
                    encode(entry, &mut bytes);
                    "cluster"
                }
                Recorded::House(entry) => {
                    encode(entry, &mut bytes);
                    "house"
                }
            };
            lines.push(format!("{machine} {}\n", hex(&bytes)));
        }
        check(&format!("{game}.entries.hex"), &lines.concat());
        check(&format!("{game}.round.hex"), &format!("{}\n", hex(&hall.round().snapshot())));
        check(&format!("{game}.cluster.hex"), &format!("{}\n", hex(&hall.cluster().snapshot())));
        check(&format!("{game}.hashes.hex"), &hall.hashes().map(|hash| hex(&hash) + "\n").concat());
    }
}

/// The names of an enum's variants, as serde tells them for one that there is not.
fn variants<T: DeserializeOwned + Debug>() -> BTreeSet<String> {
    let error = serde_json::from_str::<T>("\"no-such-variant\"").expect_err("there is no such variant").to_string();
    error.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

/// Each line of that kind is read, and written again as it stands; every variant has a line.
fn check_spelling<T: Serialize + DeserializeOwned + PartialEq + Debug>(kind: &str, lines: &[(&str, &str)]) {
    let mut met = BTreeSet::new();
    for (_, json) in lines.iter().filter(|(known, _)| *known == kind) {
        let value: T = serde_json::from_str(json).unwrap_or_else(|error| panic!("{kind} {json}: {error}"));
        assert_eq!(serde_json::to_string(&value).expect("it has JSON"), *json);
        let value: serde_json::Value = serde_json::from_str(json).expect("JSON");
        let name = value.as_str().or_else(|| value.as_object()?.keys().next().map(String::as_str));
        met.insert(name.expect("a variant").to_owned());
    }
    assert_eq!(met, variants::<T>(), "{kind}: every variant has a line");
}

#[test]
fn spelling_is_as_it_was() {
    let file = std::fs::read_to_string(path("spelling.txt")).expect("the file");
    let lines: Vec<_> = file.lines().filter_map(|line| line.split_once(' ')).collect();
    check_spelling::<RoundCommand>("round-command", &lines);
    check_spelling::<RoundEvent>("round-event", &lines);
    check_spelling::<ClusterCommand>("cluster-command", &lines);
    check_spelling::<ClusterEvent>("cluster-event", &lines);
    check_spelling::<Notice>("notice", &lines);
    check_spelling::<Ruling>("ruling", &lines);
    check_spelling::<VoidReason>("reason", &lines);
    check_spelling::<Phase>("phase", &lines);
    check_spelling::<Purpose>("purpose", &lines);
    check_spelling::<taisai_table::Refusal>("refusal", &lines);
}

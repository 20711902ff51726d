//! The bytes and the JSON of the record, as files: a change to either cannot go unnoticed. `BLESS=1` writes the bytes
//! anew; the spelling, and the requests to machines, are written by hand.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_rules::Games;
use taisai_table::{
    Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandRequest, Decision, Entry, House, HouseCommand, Machine,
    Notice, Phase, Profile, Round, RoundCommand, RoundEvent, Ruling, TableId, TableRules, TransferPurpose, VoidReason,
    encode,
};

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

/// Asks a machine what a line says; the bytes of the entry.
fn ask<M: Machine>(machine: &mut M, request: &str) -> String {
    let request: CommandRequest<M::Command> =
        serde_json::from_str(request).unwrap_or_else(|error| panic!("{request}: {error}"));
    let request = machine.conceal(request);
    let outcome = match machine.decide(&request) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(_) => panic!("it is new: {request:?}"),
    };
    let (entry, mut bytes) = (Entry { request, outcome }, Vec::new());
    encode(&entry, &mut bytes);
    machine.apply(&entry);
    HEXLOWER.encode(&bytes)
}

/// A short evening of each kind, as the requests to each machine: limits and a Differential, terminals and vouchers, Colour Chips.
#[test]
fn bytes_are_as_they_were() {
    let (profile, table) = (Profile::singapore(), TableId(1));
    for game in ["tai-sai-classic", "tai-sai", "sic-bo-etg"] {
        let rules = Games::embedded().find(game, None).expect("a game").clone();
        let rules = TableRules::new(Arc::new(rules), "A").expect("a layout");
        let mut house = House::new(profile.clone(), false);
        let mut round = Round::new(table, rules.clone(), profile.clone(), false, 1);
        let mut cluster = Cluster::new(ClusterId { table, number: 0 }, rules, profile.clone(), 4);
        let mut lines = Vec::new();
        for line in std::fs::read_to_string(path(&format!("{game}.asked.txt"))).expect("the file").lines() {
            let (machine, request) = line.split_once(' ').expect("a machine and its request");
            let bytes = match machine {
                "house" => ask(&mut house, request),
                "round" => ask(&mut round, request),
                _ => ask(&mut cluster, request),
            };
            lines.push(format!("{machine} {bytes}\n"));
        }
        check(&format!("{game}.entries.hex"), &lines.concat());
        check(&format!("{game}.round.hex"), &format!("{}\n", HEXLOWER.encode(&round.snapshot())));
        check(&format!("{game}.cluster.hex"), &format!("{}\n", HEXLOWER.encode(&cluster.snapshot())));
        let hashes = [round.state_hash(), cluster.state_hash()];
        check(&format!("{game}.hashes.hex"), &hashes.map(|hash| HEXLOWER.encode(&hash) + "\n").concat());
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
    check_spelling::<HouseCommand>("house-command", &lines);
    check_spelling::<Notice>("notice", &lines);
    check_spelling::<Ruling>("ruling", &lines);
    check_spelling::<VoidReason>("reason", &lines);
    check_spelling::<Phase>("phase", &lines);
    check_spelling::<TransferPurpose>("purpose", &lines);
    check_spelling::<taisai_table::Refusal>("refusal", &lines);
}

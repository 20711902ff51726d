//! What a file says otherwise than the record of a house. It decides nothing: each difference becomes a command that people
//! ask, or a sentence why it cannot be changed.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use serde::Deserialize;
use taisai_server::config::{Config, TableConfig};
use taisai_table::{HouseCommand, RoundCommand, TableId, TableLimits};

/// The set-up of a running house, as it tells it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Recorded {
    name: String,
    is_training: bool,
    profile: String,
    configuration: BTreeMap<String, String>,
    tables: Vec<RecordedTable>,
    /// Tables on file that are not laid out yet.
    waiting: Vec<u16>,
}

#[derive(Clone, Debug, Deserialize)]
struct RecordedTable {
    table: u16,
    name: String,
    game: String,
    layout: String,
    seats: Vec<u32>,
    is_training: bool,
    limits: Option<TableLimits>,
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// Where, what the record says and what the file says.
    pub(super) sentence: String,
    /// What is done about it.
    pub(super) step: Step,
}

/// What is done about a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The House is asked.
    House(HouseCommand),
    /// A table is asked.
    Table(TableId, RoundCommand),
    /// Nothing: the record holds.
    Nothing,
}

/// Every difference, with what is to be asked for this reason.
pub(super) fn changes(config: &Config, recorded: &Recorded, why: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut fixed = |what: &str, record: &str, file: &str| {
        if record != file {
            let sentence = format!("{what}: {record} on record, {file} in the file; a house keeps what it began with");
            changes.push(Change { sentence, step: Step::Nothing });
        }
    };
    fixed("profile", &recorded.profile, &config.profile.name);
    let kind = |is_training| if is_training { "training" } else { "real" };
    fixed("house", kind(recorded.is_training), kind(config.is_training));
    changes.extend(named("house.name", "name of the house", &recorded.name, &config.name, recorded, why));
    for table in &config.tables {
        match recorded.tables.iter().find(|known| known.table == table.table.0) {
            Some(known) => of_table(&mut changes, table, known, recorded, why),
            None if recorded.waiting.contains(&table.table.0) => changes.push(Change {
                sentence: format!(
                    "table {}: on record; it opens when the house is started with this file",
                    table.table.0
                ),
                step: Step::Nothing,
            }),
            None => changes.extend(added(table)),
        }
    }
    for known in recorded.tables.iter().filter(|known| config.tables.iter().all(|table| table.table.0 != known.table)) {
        let sentence = format!("table {}: on record, not in the file; it stays", known.table);
        changes.push(Change { sentence, step: Step::Nothing });
    }
    changes
}

fn named(key: &str, what: &str, record: &str, file: &str, recorded: &Recorded, why: &str) -> Option<Change> {
    let is_same = recorded.configuration.get(key).map(String::as_str) == Some(file);
    let (key, value, why) = (key.to_owned(), file.to_owned(), why.to_owned());
    (!is_same && record != file).then(|| Change {
        sentence: format!("{what}: {record:?} becomes {file:?}"),
        step: Step::House(HouseCommand::Configure { key, value, why, second: None }),
    })
}

/// The House has it on file from then on; how it is laid out is read from the file at the next start.
fn added(table: &TableConfig) -> Option<Change> {
    let clusters = u16::try_from(table.seats.len()).ok().and_then(NonZeroU16::new)?;
    let command = HouseCommand::AddTable { table: table.table, clusters, training: table.is_training, second: None };
    let sentence = format!("{}: added; it opens when the house is started with this file", super::table(table));
    Some(Change { sentence, step: Step::House(command) })
}

fn of_table(changes: &mut Vec<Change>, table: &TableConfig, known: &RecordedTable, recorded: &Recorded, why: &str) {
    let number = table.table.0;
    let seats = |seats: &[u32]| seats.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    let kind = |is_training| if is_training { "training" } else { "real" };
    for (what, record, file) in [
        ("game", known.game.clone(), table.game.clone()),
        ("layout", known.layout.clone(), table.layout.clone()),
        ("places", seats(&known.seats), seats(&table.seats)),
        ("money", kind(known.is_training).to_owned(), kind(table.is_training).to_owned()),
    ] {
        if record != file {
            let sentence = format!(
                "table {number}, {what}: {record} on record, {file} in the file; a table keeps what it began with: give the \
                 other one a number of its own"
            );
            changes.push(Change { sentence, step: Step::Nothing });
        }
    }
    let key = format!("table-{number}.name");
    changes.extend(named(&key, &format!("name of table {number}"), &known.name, &table.name, recorded, why));
    if let Some(limits) = table.limits.clone().filter(|limits| known.limits.as_ref() != Some(limits)) {
        let sentence = format!("limits of table {number}: {}", limits_differ(known.limits.as_ref(), &limits));
        let why = why.to_owned();
        changes.push(Change { sentence, step: Step::Table(table.table, RoundCommand::ShowLimits { limits, why }) });
    }
}

/// Which limits differ, each with what is on display and what the file says.
fn limits_differ(shown: Option<&TableLimits>, file: &TableLimits) -> String {
    let lines = |limits: &TableLimits| {
        let json = serde_json::to_value(limits).unwrap_or_default();
        let text = |key: &str| json[key].to_string();
        let mut lines =
            BTreeMap::from([("unit".to_owned(), text("unit")), ("differential".to_owned(), text("differential"))]);
        if let Some(rest) = json["rest"].as_object() {
            lines.insert("rest".to_owned(), format!("{} to {}", rest["min"], rest["max"]));
        }
        for entry in json["boxes"].as_array().into_iter().flatten() {
            let of = entry["boxes"].as_str().unwrap_or_default().to_owned();
            lines.insert(of, format!("{} to {}", entry["min"], entry["max"]).replace("null", "any"));
        }
        lines
    };
    let (before, after) = (shown.map(lines).unwrap_or_default(), lines(file));
    let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let none = || "none".to_owned();
    let told = |value: Option<&String>| value.cloned().filter(|value| value != "null").unwrap_or_else(none);
    let lines = keys.into_iter().map(|key| (key, told(before.get(key)), told(after.get(key))));
    let differ = lines.filter(|(_, before, after)| before != after);
    let differ: Vec<_> = differ.map(|(key, before, after)| format!("{key} {before} becomes {after}")).collect();
    if differ.is_empty() { "in another order".to_owned() } else { differ.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;
    use taisai_rules::{Games, Moment};
    use taisai_server::config::GameNames;

    use super::*;

    const FILE: &str = include_str!("../../../../deploy/taisai.toml");

    fn config(text: &str) -> Config {
        let names = GameNames { games: Games::embedded(), now: Moment::from_unix_seconds(1_800_000_000) };
        Config::read(text, Path::new("taisai.toml"), &names).unwrap()
    }

    fn recorded(config: &Config) -> serde_json::Value {
        let tables: Vec<_> = config
            .tables
            .iter()
            .map(|table| {
                json!({
                    "table": table.table.0, "name": table.name, "game": table.game, "layout": table.layout,
                    "seats": table.seats, "is_training": table.is_training, "phase": "settled", "limits": table.limits,
                    "proposed": null,
                })
            })
            .collect();
        json!({
            "name": config.name, "is_training": config.is_training, "profile": config.profile.name,
            "configuration": {}, "tables": tables, "waiting": [],
        })
    }

    fn check(text: &str, change: impl FnOnce(&mut serde_json::Value), expected: &[(&str, &str)]) {
        let config = config(text);
        let mut recorded = recorded(&config);
        change(&mut recorded);
        let found = changes(&config, &serde_json::from_value(recorded).unwrap(), "as agreed");
        let step = |step: &Step| match step {
            Step::House(command) => serde_json::to_string(command).unwrap(),
            Step::Table(table, command) => format!("{} {}", table.0, serde_json::to_string(command).unwrap()),
            Step::Nothing => String::new(),
        };
        let found: Vec<_> = found.iter().map(|change| (change.sentence.clone(), step(&change.step))).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for ((sentence, step), (expected, command)) in found.iter().zip(expected) {
            assert!(sentence.starts_with(expected) && step.starts_with(command), "{sentence}\n{step}");
            assert_eq!(step.is_empty(), command.is_empty(), "{sentence}\n{step}");
        }
    }

    #[test]
    fn what_is_the_same_is_left_alone() {
        check(FILE, |_| (), &[]);
    }

    #[test]
    fn what_differs_becomes_a_command_or_a_sentence() {
        check(
            FILE,
            |recorded| {
                recorded["name"] = "Old".into();
                recorded["profile"] = "other".into();
                recorded["tables"][0]["layout"] = "C".into();
                recorded["tables"][0]["seats"] = json!([9]);
                recorded["tables"][0]["name"] = "First".into();
                recorded["tables"][0]["limits"]["boxes"][0]["max"] = 100_000.into();
                recorded["tables"][1]["limits"] = serde_json::Value::Null;
                recorded["tables"][1]["limits"] = json!({"unit": 100, "boxes": [], "differential": null});
            },
            &[
                ("profile: other on record, singapore in the file", ""),
                (
                    "name of the house: \"Old\" becomes \"Tai Sai\"",
                    r#"{"configure":{"key":"house.name","value":"Tai Sai","why":"as agreed","second":null}}"#,
                ),
                ("table 1, layout: C on record, B in the file", ""),
                ("table 1, places: 9 on record, 8 in the file", ""),
                ("name of table 1: \"First\" becomes", r#"{"configure":{"key":"table-1.name""#),
                ("limits of table 1: big 200 to 100000 becomes 200 to 200000", r#"1 {"show-limits":{"#),
                ("limits of table 2: big none becomes 2500 to 1000000, differential none becomes 500000", "2 {"),
            ],
        );
    }

    #[test]
    fn tables_are_added_and_never_taken_away() {
        let add = r#"{"add-table":{"table":2,"clusters":1,"training":false,"second":null}}"#;
        check(
            FILE,
            |recorded| {
                recorded["tables"][1]["table"] = 7.into();
            },
            &[("table 2 tai-sai@6 layout C, 14 seats: added", add), ("table 7: on record, not in the file", "")],
        );
        check(
            FILE,
            |recorded| {
                recorded["tables"].as_array_mut().unwrap().pop();
                recorded["waiting"] = json!([2]);
            },
            &[("table 2: on record; it opens", "")],
        );
    }
}

//! Compares a configuration file with the record of a running installation. Each difference becomes a command that a person
//! sends, or a sentence that says why it cannot be changed.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use serde::Deserialize;
use taisai_server::config::{Config, TableConfig};
use taisai_table::{HouseCommand, RoundCommand, TableId, TableLimits};

/// The configuration of a running installation, as its API gives it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct RecordedConfig {
    name: String,
    is_training: bool,
    profile: String,
    configuration: BTreeMap<String, String>,
    tables: Vec<RecordedTable>,
    /// Tables on file that open at the next start.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConfigChange {
    pub(super) sentence: String,
    pub(super) action: ChangeAction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChangeAction {
    House(HouseCommand),
    Table(TableId, RoundCommand),
    /// What is on record cannot be changed.
    Nothing,
}

/// Every difference, with a command that gives `why` as its reason.
pub(super) fn changes(config: &Config, recorded: &RecordedConfig, why: &str) -> Vec<ConfigChange> {
    let mut changes = Vec::new();
    let mut fixed = |what: &str, record: &str, file: &str| {
        if record != file {
            let sentence =
                format!("{what}: {record} on record, {file} in the file; it cannot change after the first start");
            changes.push(ConfigChange { sentence, action: ChangeAction::Nothing });
        }
    };
    fixed("profile", &recorded.profile, &config.profile.name);
    let kind = |is_training| if is_training { "training" } else { "real" };
    fixed("money", kind(recorded.is_training), kind(config.is_training));
    changes.extend(name_change("house.name", "name of the casino", &recorded.name, &config.name, recorded, why));
    for table in &config.tables {
        match recorded.tables.iter().find(|known| known.table == table.table.0) {
            Some(known) => table_changes(&mut changes, table, known, recorded, why),
            None if recorded.waiting.contains(&table.table.0) => changes.push(ConfigChange {
                sentence: format!("table {}: on record; it opens when the server starts with this file", table.table.0),
                action: ChangeAction::Nothing,
            }),
            None => changes.extend(table_added(table)),
        }
    }
    for known in recorded.tables.iter().filter(|known| config.tables.iter().all(|table| table.table.0 != known.table)) {
        let sentence = format!("table {}: on record, not in the file; it stays", known.table);
        changes.push(ConfigChange { sentence, action: ChangeAction::Nothing });
    }
    changes
}

fn name_change(
    key: &str,
    what: &str,
    record: &str,
    file: &str,
    recorded: &RecordedConfig,
    why: &str,
) -> Option<ConfigChange> {
    let is_same = recorded.configuration.get(key).map(String::as_str) == Some(file);
    let (key, value, why) = (key.to_owned(), file.to_owned(), why.to_owned());
    (!is_same && record != file).then(|| ConfigChange {
        sentence: format!("{what}: {record:?} becomes {file:?}"),
        action: ChangeAction::House(HouseCommand::Configure { key, value, why, second: None }),
    })
}

/// The House puts the table on file; the next start reads its layout from the configuration.
fn table_added(table: &TableConfig) -> Option<ConfigChange> {
    let clusters = u16::try_from(table.seats.len()).ok().and_then(NonZeroU16::new)?;
    let command = HouseCommand::AddTable { table: table.table, clusters, training: table.is_training, second: None };
    let sentence = format!("{}: added; it opens when the server starts with this file", super::table(table));
    Some(ConfigChange { sentence, action: ChangeAction::House(command) })
}

fn table_changes(
    changes: &mut Vec<ConfigChange>,
    table: &TableConfig,
    known: &RecordedTable,
    recorded: &RecordedConfig,
    why: &str,
) {
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
                "table {number}, {what}: {record} on record, {file} in the file; a table cannot change this: add \
                 another table with its own number"
            );
            changes.push(ConfigChange { sentence, action: ChangeAction::Nothing });
        }
    }
    let key = format!("table-{number}.name");
    changes.extend(name_change(&key, &format!("name of table {number}"), &known.name, &table.name, recorded, why));
    if let Some(limits) = table.limits.clone().filter(|limits| known.limits.as_ref() != Some(limits)) {
        let sentence = format!("limits of table {number}: {}", limit_differences(known.limits.as_ref(), &limits));
        let why = why.to_owned();
        changes.push(ConfigChange {
            sentence,
            action: ChangeAction::Table(table.table, RoundCommand::ShowLimits { limits, why }),
        });
    }
}

/// Lists the limits that differ: what is on display, and what the file says.
fn limit_differences(displayed: Option<&TableLimits>, file: &TableLimits) -> String {
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
    let (before, after) = (displayed.map(lines).unwrap_or_default(), lines(file));
    let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let none = || "none".to_owned();
    let value_text = |value: Option<&String>| value.cloned().filter(|value| value != "null").unwrap_or_else(none);
    let lines = keys.into_iter().map(|key| (key, value_text(before.get(key)), value_text(after.get(key))));
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
        let step = |step: &ChangeAction| match step {
            ChangeAction::House(command) => serde_json::to_string(command).unwrap(),
            ChangeAction::Table(table, command) => format!("{} {}", table.0, serde_json::to_string(command).unwrap()),
            ChangeAction::Nothing => String::new(),
        };
        let found: Vec<_> = found.iter().map(|change| (change.sentence.clone(), step(&change.action))).collect();
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for ((sentence, step), (expected, command)) in found.iter().zip(expected) {
            assert!(sentence.starts_with(expected) && step.starts_with(command), "{sentence}\n{step}");
            assert_eq!(step.is_empty(), command.is_empty(), "{sentence}\n{step}");
        }
    }

    #[test]
    fn equal_settings_need_no_change() {
        check(FILE, |_| (), &[]);
    }

    #[test]
    fn differences_become_commands_or_sentences() {
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
                    "name of the casino: \"Old\" becomes \"Tai Sai\"",
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
    fn tables_are_added_and_never_removed() {
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

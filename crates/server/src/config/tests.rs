//! What a file may say, and which faults are found in it.

use std::io;
use std::path::Path;

use taisai_rules::{Games, Moment};

use super::*;

const EXAMPLE: &str = include_str!("../../../../deploy/taisai.toml");

const HOUSE: &str = "[house]\nname = \"House\"\n";
const TABLE: &str = "[[table]]\nnumber = 1\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = 8\n";

fn names() -> GameNames<'static> {
    GameNames { games: Games::embedded(), now: Moment::from_unix_seconds(1_800_000_000) }
}

fn read(text: &str) -> Result<Config, Vec<String>> {
    let none = |_: &Path| Err(io::ErrorKind::NotFound.into());
    let read = Config::read_with(text, &names(), Path::new("/etc/taisai"), none);
    read.map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

/// Fails unless exactly these faults are found, each by its beginning.
fn check(text: &str, faults: &[&str]) {
    let found = read(text).err().unwrap_or_default();
    let is_reported = |(found, fault): (&String, &&str)| found.starts_with(*fault);
    assert!(found.len() == faults.len() && found.iter().zip(faults).all(is_reported), "{text}\n{found:#?}");
}

#[test]
fn example_file_describes_the_default_casino() {
    let example = read(EXAMPLE).unwrap();
    let default = Config::default_house(&names()).unwrap();
    assert_eq!((example.listen, &example.name, example.log.level), (default.listen, &default.name, default.log.level));
    assert_eq!(example.data, Path::new("/etc/taisai/data"));
    for (example, default) in example.tables.iter().zip(&default.tables) {
        let of = |table: &TableConfig| {
            (table.game.clone(), table.layout.clone(), table.seats.clone(), table.station, table.registration)
        };
        assert_eq!(of(example), of(default));
    }
    // What stands in a comment after `#` and a space is read too.
    let all: Vec<_> =
        EXAMPLE.lines().map(|line| line.strip_prefix("# ").filter(|_| is_setting(line)).unwrap_or(line)).collect();
    let all = read(&all.join("\n")).unwrap();
    assert_eq!(all.metrics_from, ["10.0.0.5", "10.1.0.0/16"].map(|network| network.parse().unwrap()));
    assert_eq!(all.tls.unwrap().certificate, Path::new("/etc/taisai/tls/chain.pem"));
    assert_eq!((all.keys, all.anchor), (Some("/etc/taisai/house.key".into()), Some("/mnt/other/anchor.txt".into())));
    assert_eq!(all.store.unwrap().to_string(), "postgres://taisai@db/taisai");
}

fn is_setting(line: &str) -> bool {
    line.starts_with("# [") || line.split_once(" = ").is_some_and(|(key, _)| !key[2..].contains(' '))
}

#[test]
fn default_limits_can_be_played_with() {
    for table in Config::default_house(&names()).unwrap().tables {
        let game = Game::from_toml(&table.game_file).unwrap();
        table.limits.unwrap().check(game.layout(&table.layout).unwrap()).unwrap();
    }
}

#[test]
fn seats_are_distributed_over_clusters_and_count_from_one() {
    let config = read(&format!("{HOUSE}{TABLE}clusters = 3\n")).unwrap();
    assert_eq!(config.tables[0].seats, [3, 3, 2]);
    let seed = Seed::new(&config.tables);
    assert_eq!(seed.places().count(), 8);
    assert!(seed.places().all(|(_, seat)| seat.0 > 0));
    let plan = config.plan(Program { version: "0".to_owned(), hash: [0; 32] }, [0; 16]).unwrap();
    assert_eq!(plan.installation.tables[0].seats, [4, 4, 3]);
}

#[test]
fn a_live_table_registers_every_bet_or_winners() {
    let live = "[[table]]\nnumber = 1\ngame = \"tai-sai@6\"\nlayout = \"C\"\nseats = 7\n";
    for (line, expected) in [
        ("", Registration::EveryBet),
        ("registration = \"every-bet\"\n", Registration::EveryBet),
        ("registration = \"winners\"\n", Registration::Winners),
    ] {
        assert_eq!(read(&format!("{HOUSE}{live}{line}")).unwrap().tables[0].registration, expected, "{line}");
    }
    check(&format!("{HOUSE}{live}registration = \"losers\"\n"), &["8:16: bad-value"]);
    check(
        &format!("{HOUSE}{TABLE}registration = \"winners\"\n"),
        &["8:16: bad-value: only a live table registers winners"],
    );
}

#[test]
fn training_casino_has_training_tables() {
    let config = read(&format!("{HOUSE}training = true\n{TABLE}")).unwrap();
    assert!(config.is_training && config.tables[0].is_training);
    check(
        &format!("{HOUSE}training = true\n{TABLE}training = false\n"),
        &["9:12: bad-value: a training installation has training tables only"],
    );
}

#[test]
fn every_fault_is_named_with_its_place() {
    let rows: &[(&str, &[&str])] = &[
        ("", &["1:1: missing-key: \"house\"", "1:1: missing-key: \"table\""]),
        (
            "listen = \"0.0.0.0:80\"\n",
            &[
                "1:1: missing-key: \"house\"",
                "1:1: missing-key: \"table\"",
                "1:10: bad-value: it is reached from other machines: a certificate is needed, under [tls]",
            ],
        ),
        (
            "listen = \"here\"\nhouse = 1\ntable = []\n",
            &["1:10: bad-value: \"here\": invalid socket", "2:9: wrong-type"],
        ),
        ("[[table]\nnumber = 1", &["1:9: syntax", "2:1: unknown-key"]),
        (
            "[house]\nname = \"\"\nprofil = \"x\"\n",
            &[
                "1:1: missing-key: \"table\"",
                "2:8: bad-value: \"name\" is empty",
                "3:1: unknown-key: \"profil\" has no meaning here: did you mean \"profile\"? Known are name, profile, training, unapproved_games",
            ],
        ),
        (
            "listn = \"127.0.0.1:1\"\n[house]\nname = \"H\"\nprofile = \"nevada\"\ntraining = \"no\"\n[[table]]\n",
            &[
                "1:1: unknown-key: \"listn\" has no meaning here: did you mean \"listen\"?",
                "4:11: bad-value: \"nevada\": expected \"singapore\" or \"training\", or a file that ends in \".toml\"",
                "5:12: wrong-type: expected true or false, found string",
                "6:1: missing-key: \"number\"",
                "6:1: missing-key: \"game\"",
                "6:1: missing-key: \"layout\"",
            ],
        ),
        (
            "[house]\nname = \"H\"\nprofile = \"mine.toml\"\n[[table]]\nnumber = 0\ngame = \"poker\"\nlayout = \"B\"\nterminals = 8\n",
            &[
                "3:11: bad-value: \"mine.toml\" cannot be read",
                "5:10: bad-value: expected a whole number from 1 to 65535",
                "6:8: bad-value",
            ],
        ),
        (
            "listen = \"0.0.0.0:80\"\n[house]\nname = \"H\"\n[log]\nlevel = \"loud\"\n[tls]\nkey = \"\"\n[[table]]\nnumber = 1\ngame = \"tai-sai\"\nlayout = \"Z\"\nterminals = 8\n",
            &[
                "5:9: bad-value: \"loud\": expected \"error\"",
                "6:1: missing-key: \"certificate\"",
                "7:7: bad-value: the path is empty",
                "11:10: bad-value",
                "12:13: bad-value: it is played at a live table",
            ],
        ),
        (
            "[house]\nname = \"H\"\n[[table]]\nnumber = 1\ngame = \"tai-sai\"\nlayout = \"C\"\nseats = 20_001\nclusters = 2\n[[table]]\nnumber = 1\ngame = \"tai-sai\"\nlayout = \"C\"\nseats = 7\nclusters = 2\n",
            &[
                "7:9: bad-value: expected a whole number from 1 to 20000",
                "10:10: bad-value: there are two tables 1",
                "14:12: bad-value: only where limits bind each terminal",
            ],
        ),
        (
            "[house]\nname = \"H\"\n[[table]]\nnumber = 1\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = 8\nlimits = { unit = 200, differential = 400 }\n",
            &["8:10: bad-value: this game has no limit \"differential\": leave it out"],
        ),
        (
            "[house]\nname = \"H\"\n[[table]]\nnumber = 1\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = 8\n[table.limits]\nunit = 200\nboxes = [{ boxes = \"bog\" }, { boxes = \"big\", min = -1, mox = 5 }, 7]\n",
            &[
                "10:20: unknown-box",
                "10:52: bad-value: expected a whole number from 0 to 4000000000",
                "10:56: unknown-key: \"mox\" has no meaning here: did you mean \"max\"?",
                "10:67: wrong-type: expected a table",
            ],
        ),
        (
            "[house]\nname = \"H\"\n[[table]]\nnumber = 1\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = 8\n[table.limits]\nunit = 200\nboxes = [{ boxes = \"big\", min = 400, max = 200 }]\n",
            &["8:1: bad-value: a minimum of 400 cents is above the maximum of 200 cents"],
        ),
    ];
    for (text, faults) in rows {
        check(text, faults);
    }
}

#[test]
fn a_game_that_is_not_in_force_is_a_fault() {
    let names = GameNames { games: Games::embedded(), now: Moment::from_unix_seconds(0) };
    let none = |_: &Path| Err(io::ErrorKind::NotFound.into());
    let faults = Config::read_with(&format!("{HOUSE}{TABLE}"), &names, Path::new(""), none).unwrap_err();
    assert_eq!(faults.iter().map(|fault| (fault.line, fault.column)).collect::<Vec<_>>(), [(5, 8)], "{faults:?}");
}

#[test]
fn a_profile_of_a_file_is_read_with_its_faults() {
    let text = format!("[house]\nname = \"H\"\nprofile = \"p.toml\"\n{TABLE}");
    let profile = include_str!("../../../../profiles/singapore.toml");
    let with = |profile: String| {
        let other = move |path: &Path| {
            assert_eq!(path, Path::new("/etc/taisai/p.toml"));
            Ok(profile.clone())
        };
        Config::read_with(&text, &names(), Path::new("/etc/taisai"), other)
    };
    let other = with(profile.replace("\"singapore\"", "\"other\"").replace("seconds = 36", "seconds = 15")).unwrap();
    assert_eq!((other.profile.name.as_str(), other.profile.betting_seconds), ("other", 15));
    let faults = with(profile.replace("seconds = 36", "seconds = 3\nsecond = 1")).unwrap_err();
    let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
    assert!(
        faults.len() == 2 && faults.iter().all(|fault| fault.starts_with("3:11: bad-value: \"p.toml\":")),
        "{faults:?}"
    );
}

#[test]
fn log_settings_are_read() {
    for (text, level, format) in [
        ("debug", tracing::Level::DEBUG, None),
        ("json", tracing::Level::INFO, Some(LogFormat::Json)),
        ("text,warn", tracing::Level::WARN, Some(LogFormat::Text)),
    ] {
        assert_eq!(text.parse(), Ok(Log { level, format }), "{text}");
    }
    for text in ["", "loud", "info,debug", "json,text", "info,", "INFO"] {
        assert_eq!(text.parse::<Log>(), Err(BadLog), "{text}");
    }
}

#[test]
fn other_machines_need_tls() {
    let mut config = Config::default_house(&names()).unwrap();
    config.listen = "0.0.0.0:8080".parse().unwrap();
    let program = || Program { version: "0".to_owned(), hash: [0; 32] };
    assert_eq!(config.clone().plan(program(), [0; 16]).err(), Some(ConfigError::Exposed(config.listen)));
    config.tls = Some(Tls { certificate: "c".into(), key: "k".into() });
    assert!(config.plan(program(), [0; 16]).is_ok());
}

#[test]
fn the_key_file_lies_beside_the_record_or_in_the_data_folder() {
    let mut config = Config::default_house(&names()).unwrap();
    assert_eq!(config.files().key_file, Path::new("data/house.key"));
    config.store = Some("elsewhere".parse().unwrap());
    assert_eq!(config.files().anchor.unwrap(), Path::new("elsewhere/anchor.txt"));
    config.store = Some("postgres://db/taisai".parse().unwrap());
    assert_eq!(config.files().anchor.unwrap(), Path::new("data/anchor.txt"));
    config.keys = Some("mine.key".into());
    assert_eq!(config.files().key_file, Path::new("mine.key"));
}

#[test]
fn every_key_of_the_reference_is_in_the_example() {
    let reference = include_str!("../../../../docs/operating.md");
    let rows = reference.lines().skip_while(|line| !line.starts_with("| key |")).skip(2);
    let cells = rows.take_while(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let keys: Vec<_> = cells.flat_map(|cell| cell.split(", ")).map(|key| key.trim().trim_matches('`')).collect();
    assert_eq!(keys.len(), 26, "{keys:?}");
    for key in keys {
        let name = key.rsplit('.').next().unwrap_or(key);
        let has_key = |line: &str| {
            let line = line.trim_start_matches("# ");
            line.starts_with(&format!("{name} = ")) || line == format!("[table.{name}]")
        };
        assert!(EXAMPLE.lines().any(has_key), "{key}");
    }
}

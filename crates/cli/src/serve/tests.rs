//! Which setting wins, and what the first start prints.

use clap::Parser as _;
use taisai_rules::{Games, Moment};
use taisai_server::config::{FirstDevice, FirstPerson};
use taisai_table::{ClusterId, DeviceId, PersonId, Role, Roles, Seat, TableId};

use super::*;
use crate::args::{Args, Command};

const FILE: &str = "\
listen = \"127.0.0.1:7001\"
data = \"of-file\"
store = \"store-of-file\"
[house]
name = \"House\"
[log]
level = \"warn\"
[[table]]
number = 1
game = \"tai-sai\"
layout = \"C\"
seats = 7
";

fn settled(flags: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<Config> {
    let args = Args::try_parse_from(["taisai", "serve"].iter().chain(flags))?;
    let Command::Serve(args) = args.command else { unreachable!("it is serve") };
    let names = GameNames { games: Games::embedded(), now: Moment::from_unix_seconds(1_800_000_000) };
    let of = |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
    config(&args, &names, of)
}

/// Listen address, data folder, store and log level of a configuration.
fn settings_of(config: &Config) -> [String; 4] {
    let data = config.data.file_name().unwrap_or_default().display().to_string();
    let store = match config.address() {
        Address::Folder(folder) => folder.file_name().unwrap_or_default().display().to_string(),
        other @ Address::Postgres(_) => other.to_string(),
    };
    [config.listen.to_string(), data, store, config.log.level.to_string()]
}

/// Flags, environment, and the expected settings.
type PrecedenceCase<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], [&'a str; 4]);

#[test]
fn precedence_is_flag_environment_file_default() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taisai.toml");
    std::fs::write(&file, FILE).unwrap();
    let file = ["--config", file.to_str().unwrap()];
    let flags = ["--listen", "127.0.0.1:7003", "--data", "of-flag", "--store", "postgres://db/flag", "--log", "debug"];
    let environment = [
        ("TAISAI_LISTEN", "127.0.0.1:7002"),
        ("TAISAI_DATA", "of-variable"),
        ("TAISAI_STORE", "store-of-variable"),
        ("TAISAI_LOG", "error,json"),
    ];
    let rows: [PrecedenceCase<'_>; 4] = [
        (&[], &[], ["127.0.0.1:8080", "data", "data", "INFO"]),
        (&file, &[], ["127.0.0.1:7001", "of-file", "store-of-file", "WARN"]),
        (&file, &environment, ["127.0.0.1:7002", "of-variable", "store-of-variable", "ERROR"]),
        (&[&file[..], &flags[..]].concat(), &environment, ["127.0.0.1:7003", "of-flag", "postgres://db/flag", "DEBUG"]),
    ];
    for (flags, environment, expected) in rows {
        assert_eq!(settings_of(&settled(flags, environment).unwrap()), expected, "{flags:?}");
    }
}

#[test]
fn demo_is_for_training_with_its_own_data() {
    let config = settled(&["--demo"], &[]).unwrap();
    assert!(config.is_training && config.tables.iter().all(|table| table.is_training));
    assert_eq!((settings_of(&config)[1].as_str(), settings_of(&config)[2].as_str()), ("demo-data", "demo-data"));
    assert_eq!(config.profile.name, "training-demo", "it is not the one whose name it had");
    assert_eq!(settings_of(&settled(&["--demo", "--data", "mine"], &[]).unwrap())[1], "mine");
}

#[test]
fn invalid_settings_are_refused() {
    for (flags, environment, expected) in [
        (
            ["--listen", "here"],
            ("TAISAI_DATA", "x"),
            "\"here\" is not an address to listen on: it is an IP address and a port, like 127.0.0.1:8080",
        ),
        (["--log", "loud"], ("TAISAI_DATA", "x"), "\"loud\" is not a log level"),
        (
            ["--data", "d"],
            ("TAISAI_LISTEN", ":80"),
            "\":80\" is not an address to listen on: it is an IP address and a port, like 127.0.0.1:8080",
        ),
        (["--config", "/none/taisai.toml"], ("TAISAI_DATA", "x"), "cannot read /none/taisai.toml"),
    ] {
        assert_eq!(settled(&flags, &[environment]).unwrap_err().to_string(), expected);
    }
}

#[test]
fn first_start_prints_credentials() {
    let first_use = FirstUse {
        people: vec![FirstPerson {
            person: PersonId(3),
            name: "Pit Supervisor".to_owned(),
            roles: Roles::of(&[Role::PitSupervisor]),
            password: "aaaa-bbbb".to_owned(),
        }],
        devices: vec![FirstDevice {
            device: DeviceId(1),
            cluster: ClusterId { table: TableId(1), number: 0 },
            seat: Seat(1),
            code: "cccc-dddd".to_owned(),
        }],
    };
    let ready_text = |is_training, address: &str, first_use: Option<&FirstUse>| {
        let mut out = Vec::new();
        print_welcome(&mut out, ("House", is_training), (address.parse().unwrap(), false), first_use).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    };
    let first = ready_text(false, "127.0.0.1:8080", Some(&first_use));
    for part in
        ["3  Pit Supervisor  pit-supervisor  aaaa-bbbb", "http://127.0.0.1:8080/terminal#device=1&code=cccc-dddd"]
    {
        assert!(first.contains(part), "{first}");
    }
    assert!(first.lines().last().unwrap().trim_start().starts_with("http://127.0.0.1:8080/ "), "{first}");
    let later = ready_text(true, "0.0.0.0:8080", None);
    assert!(later.contains("TRAINING") && later.contains("http://127.0.0.1:8080/"), "{later}");
    assert!(!later.contains("password"), "{later}");
}

//! A configuration file becomes a casino that can be run, or a list of faults with their places. It reads no other file here.
#![no_main]

use std::io::{Error, ErrorKind};
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use taisai_rules::{Game, Games, Moment};
use taisai_server::config::{Config, GameNames};

fuzz_target!(|text: &str| {
    let names = GameNames { games: Games::embedded(), now: Moment::from_unix_seconds(1_800_000_000) };
    match Config::read_with(text, &names, Path::new("house"), |_| Err(Error::from(ErrorKind::NotFound))) {
        Ok(config) => {
            assert!(config.tables.is_sorted_by(|one, other| one.table < other.table));
            for table in &config.tables {
                let game = Game::from_toml(&table.game_file).expect("a game that was found");
                let layout = game.layout(&table.layout).expect("a layout of it");
                assert!(table.limits.iter().all(|limits| limits.check(layout).is_ok()));
                assert!(table.seats.iter().all(|seats| *seats > 0));
            }
        }
        Err(faults) => {
            assert!(!faults.is_empty());
            assert!(faults.is_sorted_by_key(|fault| (fault.line, fault.column)));
            assert!(!faults.iter().any(|fault| fault.message.contains(char::is_control)));
        }
    }
});

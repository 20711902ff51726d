//! A game's file becomes a game that can be played, or a list of faults with their places.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taisai_rules::{Dice, Game};

fuzz_target!(|file: &[u8]| {
    match Game::from_toml(file) {
        Ok(game) => {
            for layout in game.layouts() {
                for bet_box in layout.boxes() {
                    assert!(Dice::all().all(|dice| layout.outcome(*bet_box, dice).is_some()));
                    assert!(layout.chances(*bet_box).is_some());
                }
            }
        }
        Err(faults) => {
            assert!(!faults.is_empty());
            assert!(faults.is_sorted_by_key(|fault| (fault.line, fault.column)));
            assert!(!faults.iter().any(|fault| fault.message.contains(char::is_control)));
        }
    }
});

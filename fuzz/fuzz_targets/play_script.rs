//! A script has faults, or is played to its end.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use taisai_rules::Games;
use taisai_script::{Playthrough, Profiles, Script};
use taisai_table::Profile;

fuzz_target!(|text: &str| {
    let profiles = Profiles::new(Some(Profile::singapore()), Path::new(""));
    let Ok(script) = Script::parse(text, Games::embedded(), &profiles) else { return };
    let Ok(mut playthrough) = Playthrough::new(&script) else { return };
    for line in script.lines() {
        // Sums that are out of range are an error.
        if playthrough.play(line).is_err() {
            return;
        }
    }
});

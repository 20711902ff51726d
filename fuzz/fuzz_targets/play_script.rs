//! A script has faults, or is played to its end; the same script prints the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taisai_rules::Games;

fuzz_target!(|text: &str| {
    // An error is what a person is told who asks for something out of range.
    let Ok(Some(printed)) = taisai::play::play_text(Games::embedded(), text) else { return };
    assert!(std::str::from_utf8(&printed).is_ok());
});

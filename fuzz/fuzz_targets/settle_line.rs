//! Every line is answered with one line of JSON: a settlement in which no cent is lost or made, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taisai_rules::Games;

fuzz_target!(|line: &[u8]| {
    let mut answer = Vec::new();
    let well = taisai::settle::answer(Games::embedded(), None, line, &mut answer);
    assert!(!answer.contains(&b'\n'));
    let text = std::str::from_utf8(&answer).expect("an answer is text");
    assert_eq!(text.starts_with(r#"{"lines":["#), well);
    assert_eq!(text.starts_with(r#"{"error":{"code":""#), !well);
});

//! Every line is answered with one line of JSON: a settlement in which no cent is lost or made, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use taisai_rules::Games;

fuzz_target!(|line: &[u8]| {
    let mut answer = Vec::new();
    let well = taisai::settle::settle_line(Games::embedded(), None, line, &mut answer);
    assert!(!answer.contains(&b'\n'));
    let text = std::str::from_utf8(&answer).expect("an answer is text");
    assert_eq!(text.starts_with(r#"{"lines":["#), well);
    assert_eq!(text.starts_with(r#"{"error":{"code":""#), !well);
    let answer: Value = serde_json::from_str(text).expect("an answer is JSON");
    if well {
        check_cents(&answer);
    }
});

fn check_cents(answer: &Value) {
    let (mut collected, mut paid_out) = (0, 0);
    for line in answer["lines"].as_array().expect("lines") {
        let [stake, counted, returned, profit, paid] =
            ["stake", "counted", "returned", "profit", "paid"].map(|name| cents(line, name));
        assert!(stake > 0 && counted >= 0 && returned >= 0 && profit >= 0, "{line}");
        assert_eq!(stake, counted + returned, "{line}");
        match line["outcome"].as_str() {
            Some("won") => {
                assert_eq!(paid, counted + profit, "{line}");
                paid_out += profit;
            }
            Some("lost") => {
                assert_eq!((paid, profit), (0, 0), "{line}");
                collected += counted;
            }
            _ => panic!("neither won nor lost: {line}"),
        }
    }
    let house = &answer["house"];
    assert_eq!((cents(house, "collected"), cents(house, "paid_out")), (collected, paid_out), "{answer}");
    assert_eq!(cents(house, "net"), collected - paid_out, "{answer}");
}

fn cents(of: &Value, name: &str) -> i128 {
    i128::from(of[name].as_i64().expect("whole cents"))
}

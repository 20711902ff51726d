//! How boxes, money and dice are written down with the feature `serde`: what people read, and what machines keep.

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_rules::{BetBox, BoxKey, Dice, Face, Money};

/// A value is written as the JSON and the bytes given, and read from both again.
fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, json: &str, bytes: &[u8]) {
    assert_eq!(serde_json::to_string(value).ok().as_deref(), Some(json));
    assert_eq!(serde_json::from_str(json).ok().as_ref(), Some(value), "{json}");
    assert_eq!(postcard::to_allocvec(value).as_deref(), Ok(bytes), "{json}");
    assert_eq!(postcard::from_bytes(bytes).as_ref(), Ok(value), "{json}");
}

#[test]
fn what_is_written_is_read_again() {
    check(&"big".parse::<BetBox>().unwrap(), r#""big""#, &[1]);
    check(&"pair:665".parse::<BetBox>().unwrap(), r#""pair:665""#, &[116]);
    check(&"sum".parse::<BoxKey>().unwrap(), r#""sum""#, b"\x03sum");
    check(&"sum:4".parse::<BoxKey>().unwrap(), r#""sum:4""#, b"\x05sum:4");
    // Signed numbers are doubled in bytes, the odd ones negative.
    check(&Money::from_cents(40), "40", &[80]);
    check(&Money::from_cents(-2), "-2", &[3]);
    check(&Face::ALL[5], "6", &[6]);
    check(&Dice::try_from([6, 6, 5]).unwrap(), "[6,6,5]", &[6, 6, 5]);
}

#[test]
fn nothing_else_is_read() {
    for json in [r#""bigger""#, r#""""#, "1"] {
        assert!(serde_json::from_str::<BetBox>(json).is_err(), "{json}");
        assert!(serde_json::from_str::<BoxKey>(json).is_err(), "{json}");
    }
    for json in ["[6,6]", "[6,6,5,4]", "[0,1,2]", "[1,2,7]", "\"1 2 3\""] {
        assert!(serde_json::from_str::<Dice>(json).is_err(), "{json}");
    }
    assert!(postcard::from_bytes::<BetBox>(&[117]).is_err());
    assert!(postcard::from_bytes::<Face>(&[0]).is_err() && postcard::from_bytes::<Face>(&[7]).is_err());
}

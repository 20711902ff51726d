//! Whatever text is read as a box, a kind, dice, odds or a paragraph is written back as the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taisai_rules::{BetBox, BoxKey, BoxKind, Dice, Odds, Paragraph};

fuzz_target!(|text: &str| {
    if let Ok(bet_box) = text.parse::<BetBox>() {
        assert_eq!(bet_box.to_string(), text);
    }
    if let Ok(kind) = text.parse::<BoxKind>() {
        assert_eq!(kind.to_string(), text);
    }
    if let Ok(key) = text.parse::<BoxKey>() {
        assert!(key.boxes().count() > 0);
    }
    if let Ok(paragraph) = text.parse::<Paragraph>() {
        assert_eq!(paragraph.to_string(), text);
    }
    if let Ok(dice) = text.parse::<Dice>() {
        assert_eq!(dice.to_string().parse(), Ok(dice));
    }
    if let Ok(odds) = text.parse::<Odds>() {
        assert!(odds.numerator() > 0);
    }
});

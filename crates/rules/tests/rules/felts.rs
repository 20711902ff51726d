//! Where every box and caption of every felt lies and how its drawing was read, against `tests/games/felts.txt`. `BLESS=1` writes it anew: compare
//! it with the appendices of the documents before it is committed.

use std::fmt::Write as _;
use std::path::Path;

use taisai_rules::{Games, Rect};

#[test]
fn every_box_lies_where_the_drawings_have_it() {
    let mut found = String::new();
    for game in Games::embedded().iter() {
        for layout in game.layouts() {
            let felt = layout.felt();
            let drawn = format!("{}, {:?}", felt.source(), felt.chinese());
            writeln!(found, "{} {}: {} x {}, {drawn}", game.id(), layout.id(), felt.width(), felt.height()).unwrap();
            felt.reading().iter().for_each(|remark| writeln!(found, "  {remark}").unwrap());
            let mut line = |what: &str, Rect { x, y, width, height }| {
                writeln!(found, "  {what:<18}{x:>4}{y:>4}{width:>4}{height:>4}").unwrap();
            };
            felt.areas().iter().for_each(|area| line(area.bet_box.text(), area.at));
            felt.captions().iter().for_each(|caption| line(&format!("caption {}", caption.of), caption.at));
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/games/felts.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(file).unwrap();
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "tests/games/felts.txt line {}", number + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "lines of tests/games/felts.txt");
}

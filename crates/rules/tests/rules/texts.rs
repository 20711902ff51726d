//! The approved texts: every paragraph that a game cites can be read, and every fault of a text's file is named.

use taisai_rules::{Citation, FileFault, Games, RulesText};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/texts");

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{FOLDER}/{name}.toml")).expect("a text")
}

/// The approved games, as yet without texts.
fn games() -> Games {
    let mut games = Games::default();
    for game in Games::embedded().iter() {
        games.add(game.clone()).expect("games of different names");
    }
    games
}

fn faults(file: &str) -> Vec<String> {
    games().add_text(file).expect_err("faults").iter().map(FileFault::to_string).collect()
}

#[test]
fn every_file_of_texts_is_in_the_program() {
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let game = Games::embedded().find(name, None).unwrap();
        let text = Games::embedded().text(game.document()).expect("crates/rules/src/game.rs lists it");
        let mut games = games();
        games.add_text(file(name)).unwrap();
        assert_eq!(games.text(game.document()), Some(text), "{name}");
    }
    assert_eq!(std::fs::read_dir(FOLDER).unwrap().count(), Games::embedded().iter().count());
}

#[test]
fn every_paragraph_that_a_game_cites_can_be_read() {
    let games = Games::embedded();
    for game in games.iter() {
        for cited in game.cited() {
            let text = games.text_behind(game, cited).unwrap_or_else(|| panic!("{} {cited}", game.id()));
            text.paragraph(cited.number()).unwrap();
        }
    }
}

#[test]
fn every_pay_table_belongs_to_its_paragraph() {
    for game in Games::embedded().iter().filter(|game| game.id() != "tai-sai-classic") {
        for layout in game.layouts() {
            let cited = layout.paragraph(Citation::PayTable).unwrap();
            let paragraph = Games::embedded().text(game.document()).unwrap().paragraph(cited.number()).unwrap();
            let text = paragraph.text.as_deref().unwrap();
            assert!(text.starts_with(layout.title()), "{} {cited}", game.id());
            assert!(text.contains(&format!("Appendix {}", layout.id())), "{} {cited}", game.id());
        }
    }
}

#[test]
fn texts_are_whole_but_for_the_marked_gaps() {
    for (document, paragraphs, gaps) in [("001", 19, 4), ("002", 54, 0), ("003", 59, 0), ("004", 59, 0)] {
        let text = Games::embedded().text(document).unwrap();
        assert_eq!(text.paragraphs().len(), paragraphs, "{document}");
        let passages = text.passages();
        let written = passages.iter().flat_map(|passage| [passage.heading, passage.text]).flatten();
        let written: Vec<&str> = written.chain(text.opening().iter().map(String::as_str)).collect();
        let marked: usize = written.iter().map(|text| text.matches(RulesText::GAP).count()).sum();
        assert_eq!(marked, gaps, "{document}");
        for text in written {
            let is_spaced = text == text.trim() && !text.contains("  ");
            let is_plain = text.chars().all(|c| matches!(c, ' '..='~' | '“' | '”'));
            assert!(is_spaced && is_plain, "{document}: {text:?}");
        }
    }
}

#[test]
fn both_covers_have_the_same_rules_but_for_the_dice() {
    let [covered, open] = ["003", "004"].map(|document| Games::embedded().text(document).unwrap());
    let plain = |text: &Option<String>| {
        let text = text.clone().unwrap_or_default().replace(" (Open Cover)", "").replace("Pay Tables", "Pay Table");
        text.replace(['“', '”'], "\"")
    };
    let differing: Vec<_> = covered
        .paragraphs()
        .iter()
        .zip(open.paragraphs())
        .filter(|(covered, open)| (&covered.number, plain(&covered.text)) != (&open.number, plain(&open.text)))
        .map(|(covered, _)| covered.number.as_str())
        .collect();
    assert_eq!(differing, ["3.7", "5.5.3"]);
}

#[test]
fn what_closes_a_paragraph_stands_after_its_own() {
    let text = Games::embedded().text("001").unwrap();
    let numbers = |passages: Vec<taisai_rules::Passage<'_>>| -> Vec<String> {
        let mark = |passage: &taisai_rules::Passage<'_>| if passage.is_closing { "." } else { "" };
        passages.iter().map(|passage| format!("{}{}", passage.number, mark(passage))).collect()
    };
    let expected = "1 2 2.1 2.1.1 3 3.1 3.2 3.3 3.4 3.5 4 4.1 4.1. 5 5.1 5.1.1 5.1.2 5.1.3 5.1.4 5.2 5.";
    assert_eq!(numbers(text.passages()).join(" "), expected);
    assert_eq!(numbers(text.around("5.1").unwrap()).join(" "), "5 5.1 5.1.1 5.1.2 5.1.3 5.1.4 5.");
    assert_eq!(numbers(text.around("3.2").unwrap()).join(" "), "3 3.2");
}

#[test]
fn missing_number_is_reported_with_its_neighbours() {
    let text = Games::embedded().text("003").unwrap();
    for (number, near) in [
        ("5.15", "5.13, 5.14"),
        ("3.11", "3.10.4, 3.10.5, 4, 4.1"),
        ("0", "1, 1.1"),
        ("9", "5.13, 5.14"),
        ("3.9.1", "3.8, 3.9, 3.10, 3.10.1"),
    ] {
        assert_eq!(text.around(number).unwrap_err().near.join(", "), near, "{number}");
    }
}

/// Each edit of the text of 001 has a mark where the fault is expected; the mark is taken out before the text is read.
#[test]
fn every_fault_of_a_text_is_named_with_its_place() {
    for (from, to, expected) in [
        ("\"001\"", "¦\"009\"", "bad-value: no game is played by document \"009\""),
        ("opening = [", "opening = [¦\"\",", "bad-value: the text is empty"),
        ("\"2\"", "¦\"two\"", "bad-value: \"two\": a paragraph is written like"),
        ("\"2\"", "¦\"003:2\"", "bad-value: 003:2: a text has the paragraphs of its own document"),
        ("\"3.2\"", "¦\"3.1\"", "bad-value: 3.1 is there twice"),
        ("\"3.2\"", "¦\"3.01\"", "bad-value: 3.01 stands after 3.1; paragraphs stand in the order of their numbers"),
        ("\"3.5\"", "¦\"3.0\"", "bad-value: 3.0 stands after 3.4; paragraphs stand in the order of their numbers"),
        ("\"3.1\"", "¦\"3.0.1\"", "bad-value: 3.0.1 belongs to 3.0, which is not in the text"),
        ("\"Mode of Play\"", "¦\" \"", "bad-value: the text is empty"),
        ("\"Mode of Play\"", "\"x\"\n¦title = 1", "unknown-key: \"title\" has no meaning here"),
    ] {
        let edited = file("tai-sai-classic").replacen(from, to, 1);
        let (before, _) = edited.split_once('¦').unwrap();
        let line = before.split('\n').count();
        let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
        let found = faults(&edited.replace('¦', ""));
        let expected = format!("{line}:{column}: {expected}");
        assert!(found.iter().any(|fault| fault.starts_with(&expected)), "{expected}\n{found:#?}");
    }
}

#[test]
fn what_is_missing_from_a_text_is_named() {
    for (from, to, expected) in [
        ("reading = [", "readings = [", "\"reading\" is missing"),
        ("heading = \"Mode of Play\"\n", "", "a paragraph has a heading, a text or both"),
        ("number = \"5.2\"", "number = \"5.3\"", "tai-sai-classic@1 cites 5.2, which is not in the text"),
    ] {
        let found = faults(&file("tai-sai-classic").replacen(from, to, 1));
        assert!(
            found.iter().any(|fault| fault.ends_with(&format!("missing-key: {expected}"))),
            "{expected}\n{found:#?}"
        );
    }
}

#[test]
fn all_faults_of_a_text_are_reported_together() {
    let edited = file("tai-sai").replacen("number = \"1.4\"", "number = \"1.3\"", 1).replace("\"5.14\"", "\"5.13.1\"");
    let found = faults(&edited.replacen("reading = [", "reading = [\"\",", 1));
    let expected =
        ["the text is empty", "tai-sai-classic@1 cites 003:5.14", "tai-sai@6 cites 5.14", "1.3 is there twice"];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn a_document_has_one_text() {
    let mut games = Games::embedded().clone();
    let found: Vec<_> = games.add_text(file("tai-sai")).unwrap_err().iter().map(FileFault::to_string).collect();
    assert_eq!(found, ["3:12: bad-value: the text of document \"003\" is there twice"]);
}

//! Golden files of what the program prints, in `tests/`. `make bless` writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::run_with;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// Compares a text with a golden file, or writes the file with `BLESS=1`.
fn check(file: &Path, printed: &[u8]) {
    let printed = std::str::from_utf8(printed).expect("text");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, printed).expect("a golden file");
        return;
    }
    let expected = std::fs::read_to_string(file).expect("a golden file; `make bless` writes it");
    for (line, (expected, printed)) in expected.lines().zip(printed.lines()).enumerate() {
        assert_eq!(printed, expected, "{} line {}", file.display(), line + 1);
    }
    assert_eq!(printed.lines().count(), expected.lines().count(), "lines of {}", file.display());
}

fn settle(name: &str) -> Output {
    let input = std::fs::read(folder("settle").join(format!("{name}.in.jsonl"))).expect("an input file");
    let output = run_with(&["settle"], &input);
    check(&folder("settle").join(format!("{name}.out.jsonl")), &output.stdout);
    let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines(&output.stdout), lines(&input), "one answer a line");
    output
}

#[test]
fn every_box_of_every_layout_is_settled() {
    assert_eq!(settle("every-box").status.code(), Some(0));
}

#[test]
fn limits_and_pro_rata_are_settled() {
    assert_eq!(settle("limits").status.code(), Some(0));
}

#[test]
fn every_bad_line_gets_an_error_in_its_position() {
    let output = settle("errors");
    assert_eq!(output.status.code(), Some(1));
    let answers = String::from_utf8(output.stdout).unwrap();
    let bad = answers.lines().filter(|line| line.starts_with(r#"{"error":{"code":""#)).count();
    assert_eq!(bad, answers.lines().count() - 1, "all but the last line are bad");
}

#[test]
fn the_document_lists_the_error_codes() {
    let document = std::fs::read_to_string(folder("../docs/settle.md")).unwrap();
    let section = document.split("### Error codes").nth(1).expect("a section").split("\n## ").next().expect("its end");
    let listed = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<_> = listed.map(str::to_owned).collect();
    let golden = std::fs::read_to_string(folder("settle").join("errors.out.jsonl")).unwrap();
    let printed = golden.lines().filter_map(|line| line.strip_prefix(r#"{"error":{"code":""#)?.split('"').next());
    let mut printed: BTreeSet<_> = printed.map(str::to_owned).collect();
    // Tested elsewhere: a line too long for a golden file, and a day before the rules are in force.
    printed.extend(["line-too-long", "game-not-in-force"].map(str::to_owned));
    assert_eq!(listed, printed);
}

#[test]
fn odds_of_every_pay_table_are_exact() {
    for (game, layouts) in
        [("tai-sai-classic", "A"), ("tai-sai", "ACE"), ("tai-sai-open-cover", "ACE"), ("sic-bo-etg", "ABC")]
    {
        for layout in layouts.chars().map(String::from) {
            let output = run_with(&["odds", "--game", game, "--layout", &layout, "--json"], b"");
            check(&folder("odds").join(format!("{game}-{layout}.json")), &output.stdout);
            assert_eq!(output.status.code(), Some(0));
        }
    }
}

#[test]
fn pay_tables_print_as_the_documents_do() {
    let output = run_with(&["games", "show"], b"");
    check(&folder("games").join("pay-tables.txt"), &output.stdout);
}

/// The appendices in words: compare them with the documents before they are committed.
#[test]
fn felts_print_their_words_and_how_they_were_read() {
    let output = run_with(&["games", "felt"], b"");
    check(&folder("games").join("printed.txt"), &output.stdout);
    assert_eq!(output.status.code(), Some(0));
}

/// F105: every difference of layouts and odds between the approved games.
#[test]
fn differences_between_the_approved_games_are_named() {
    let output = run_with(&["games", "check"], b"");
    check(&folder("games").join("differences.txt"), &output.stdout);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn rules_print_as_the_documents_do() {
    for game in ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"] {
        let output = run_with(&["games", "rules", "--game", game], b"");
        check(&folder("games").join(format!("rules-{game}.txt")), &output.stdout);
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn the_felts_in_the_documents_are_drawn_by_the_program() {
    for (game, layout) in [("tai-sai", "C"), ("sic-bo-etg", "B")] {
        let output = run_with(&["felt", "--game", game, "--layout", layout], b"");
        check(&folder("../docs/pictures").join(format!("{game}-{layout}.svg")), &output.stdout);
    }
}

#[test]
fn line_of_ten_megabytes_is_one_error() {
    let slip = br#"{"game":"tai-sai","layout":"A","dice":[1,2,3],"bets":[]}"#;
    let mut input = slip.to_vec();
    input.push(b'\n');
    input.resize(input.len() + 10_000_000, b'x');
    input.push(b'\n');
    input.extend_from_slice(slip);
    let output = run_with(&["settle"], &input);
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<_> = answers.lines().collect();
    assert_eq!(answers.len(), 3);
    assert!(answers[0].starts_with(r#"{"lines":[]"#), "{}", answers[0]);
    assert!(answers[1].starts_with(r#"{"error":{"code":"line-too-long""#), "{}", answers[1]);
    assert!(answers[2].starts_with(r#"{"lines":[]"#), "the last line needs no line feed: {}", answers[2]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn lines_that_are_not_text_are_errors() {
    let output = run_with(&["settle"], b"\xff\xfe\n\x00\n\xef\xbb\xbf{}\n");
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().filter(|line| line.contains(r#""code":"not-json""#)).count(), 3, "{answers}");
}

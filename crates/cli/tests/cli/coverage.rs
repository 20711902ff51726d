//! Checks that every paragraph of the approved texts has a script in `tests/play` under its number, a test that is named
//! here, or a reason why it needs neither.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use taisai_rules::{Games, Paragraph};

use crate::play;

/// What covers a paragraph that has no script.
enum Coverage {
    /// A test, by its file and its function.
    By(&'static str, &'static str),
    /// Why the paragraph needs no test: it prescribes no behaviour.
    NoBehaviour(&'static str),
}

use Coverage::{By, NoBehaviour};

const LIVE: &[&str] = &["tai-sai", "tai-sai-open-cover"];
const NEWER: &[&str] = &["tai-sai", "tai-sai-open-cover", "sic-bo-etg"];
const EVERY: &[&str] = &["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"];
const CLASSIC: &[&str] = &["tai-sai-classic"];
const ETG: &[&str] = &["sic-bo-etg"];

const CITED: Coverage = By("crates/cli/tests/cli/play.rs", "every_paragraph_of_the_round_is_cited_in_a_playthrough");
const DRAWN: Coverage = By("crates/rules/tests/rules/felts.rs", "every_box_lies_where_the_drawings_have_it");
const THROWN: Coverage = By("crates/rules/tests/rules/every_throw.rs", "every_throw_pays_what_the_data_says");
const ON_A_TRIPLE: Coverage =
    By("crates/rules/tests/rules/paragraphs.rs", "only_the_bets_that_3_10_names_win_on_a_triple");

const TITLE: Coverage = NoBehaviour("the title of a section");
const SYNONYM: Coverage = NoBehaviour("defines a word as the same as another");
const NAMED: Coverage =
    NoBehaviour("defines a word; what the rules ask of whom it names is in the paragraphs that use it");
const OBJECTIVE: Coverage = NoBehaviour("says what a Player plays for");
const LEADS_IN: Coverage = NoBehaviour("leads in to its own paragraphs, which are tried one by one");

/// Paragraphs without a script, with the games they stand in.
const ROWS: &[(&[&str], &str, Coverage)] = &[
    (NEWER, "1", TITLE),
    (CLASSIC, "1", By("crates/engine/tests/rules/sessions.rs", "colour_chips_are_paid_in_their_set")),
    (NEWER, "1.1", SYNONYM),
    (NEWER, "1.2", NAMED),
    (ETG, "1.3", NAMED),
    (NEWER, "1.4", NAMED),
    (ETG, "1.5", By("crates/engine/tests/rules/round.rs", "whoever_holds_the_position_acts")),
    (NEWER, "1.6", NAMED),
    (LIVE, "1.7", CITED),
    (ETG, "1.7", By("crates/engine/tests/rules/sessions.rs", "a_voucher_is_credits_at_a_seat")),
    (NEWER, "1.8", CITED),
    (LIVE, "1.9", NoBehaviour("defines a word; what voids a Round and what follows is in 5.4.2, 5.5, 5.6 and 5.12")),
    (ETG, "1.9", CITED),
    (ETG, "1.10", NoBehaviour("defines a word; what voids a Round and what follows is in 5.1.2, 5.3, 5.4 and 5.9")),
    (EVERY, "2", TITLE),
    (EVERY, "2.1", TITLE),
    (EVERY, "2.1.1", DRAWN),
    (NEWER, "2.2", TITLE),
    (NEWER, "2.2.1", THROWN),
    (EVERY, "3", TITLE),
    (NEWER, "3.1", OBJECTIVE),
    (ETG, "3.4", By("crates/cli/tests/server/rounds.rs", "payouts_of_every_game_match_the_rules")),
    (ETG, "3.9.1", ON_A_TRIPLE),
    (ETG, "3.9.2", ON_A_TRIPLE),
    (ETG, "3.9.3", ON_A_TRIPLE),
    (ETG, "3.9.4", ON_A_TRIPLE),
    (ETG, "3.9.5", ON_A_TRIPLE),
    (LIVE, "3.10.1", ON_A_TRIPLE),
    (LIVE, "3.10.2", ON_A_TRIPLE),
    (LIVE, "3.10.3", ON_A_TRIPLE),
    (LIVE, "3.10.4", ON_A_TRIPLE),
    (LIVE, "3.10.5", ON_A_TRIPLE),
    (EVERY, "4", TITLE),
    (NEWER, "4.1", TITLE),
    (EVERY, "5", TITLE),
    (CLASSIC, "5.1", LEADS_IN),
    (ETG, "5.1", LEADS_IN),
    (ETG, "5.3", LEADS_IN),
    (LIVE, "5.4", LEADS_IN),
    (LIVE, "5.5", LEADS_IN),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The paragraphs that a game's scripts cover, by file name: `5.1.1-pro-rata.round`, or `003-5.14-ruling.round` for one
/// of another document.
fn scripted(game: &str) -> BTreeSet<Paragraph> {
    let scripts = play::scripts(&play::folder().join(game));
    let names = scripts.iter().map(|script| script.file_stem().unwrap().to_str().unwrap());
    let mut paragraphs = BTreeSet::new();
    for name in names.filter(|name| name.starts_with(|first: char| first.is_ascii_digit())) {
        let (first, rest) = name.split_once('-').expect("a number and a name");
        let paragraph = match rest.split_once('-') {
            Some((number, _)) if first.len() == 3 && number.contains('.') => format!("{first}:{number}"),
            Some(_) | None => first.to_owned(),
        };
        paragraphs.insert(paragraph.parse().expect("a paragraph"));
    }
    paragraphs
}

fn rows_of(game: &str) -> BTreeMap<&'static str, &'static Coverage> {
    let rows = ROWS.iter().filter(|(games, _, _)| games.contains(&game));
    let mut by_number = BTreeMap::new();
    for (_, number, tried) in rows {
        assert!(by_number.insert(*number, tried).is_none(), "{game} {number} has two rows");
    }
    by_number
}

#[test]
fn every_paragraph_of_every_document_is_covered() {
    let games = Games::embedded();
    let mut wrong = Vec::new();
    for game in games.iter() {
        let (scripted, rows) = (scripted(game.id()), rows_of(game.id()));
        let numbers = games.text(game.document()).unwrap().paragraphs().iter();
        let numbers: BTreeSet<&str> = numbers.map(|paragraph| paragraph.number.as_str()).collect();
        for number in &numbers {
            match (scripted.contains(&number.parse().unwrap()), rows.contains_key(number)) {
                (false, false) => wrong.push(format!("{} {number} has neither a script nor a row", game.id())),
                (true, true) => wrong.push(format!("{} {number} has a script, so its row is to go", game.id())),
                (true, false) | (false, true) => {}
            }
        }
        let unknown = rows.keys().filter(|number| !numbers.contains(*number));
        wrong.extend(unknown.map(|number| format!("{} has no paragraph {number}, but a row for it", game.id())));
        for paragraph in scripted {
            let text = games.text_behind(game, &paragraph).unwrap();
            if let Err(unknown) = text.paragraph(paragraph.number()) {
                wrong.push(format!("{} has a script for {paragraph}, but {unknown}", game.id()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n  {}\n", wrong.join("\n  "));
}

#[test]
fn every_named_test_exists() {
    for (_, number, tried) in ROWS {
        let By(file, name) = tried else { continue };
        let source = std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let is_a_test = source.split("#[test]").skip(1).any(|test| {
            let function = test.split_once("fn ").map_or("", |(_, function)| function);
            function.split('(').next() == Some(*name)
        });
        assert!(is_a_test, "{number}: {file} has no test {name}");
    }
}

/// Prints the paragraphs without behaviour, so that readers of the results can disagree.
#[test]
fn paragraphs_without_behaviour_are_listed_with_a_reason() {
    for game in Games::embedded().iter() {
        for (number, tried) in rows_of(game.id()) {
            if let NoBehaviour(reason) = tried {
                println!("{} {number}: no behaviour: {reason}", game.id());
                assert!(reason.len() > 10, "{} {number} has no reason", game.id());
            }
        }
    }
}

//! What each of the four games is, beside its pay tables: when it is in force, how it is played, which paragraphs its
//! limits rest on, and what its boxes are called in every language.

use taisai_rules::{
    BetBox, BoxKind, Citation, Cover, Game, GameTwice, Games, Language, LimitScope, Moment, Paragraph, Rule, Station,
};

/// 2023-10-06 08:00 and 2021-05-24 08:00, Singapore.
const OCTOBER_2023: i64 = 1_696_550_400;
const MAY_2021: i64 = 1_621_814_400;

/// Game, in force from, cover, station, whom limits bind, and the paragraphs of limits: displayed, pro rata, below the
/// minimum in excess, below the minimum.
type Facts = (&'static str, Option<i64>, Cover, Station, Option<LimitScope>, [Option<&'static str>; 4]);

const TAI_SAI_LIMITS: [Option<&str>; 4] = [Some("3.3"), Some("5.1.1"), Some("5.1.2"), Some("5.2.1")];

const FACTS: [Facts; 4] = [
    ("tai-sai-classic@1", None, Cover::Covered, Station::LiveTable, None, [None; 4]),
    ("tai-sai@6", Some(OCTOBER_2023), Cover::Covered, Station::LiveTable, Some(LimitScope::Box), TAI_SAI_LIMITS),
    (
        "tai-sai-open-cover@5",
        Some(OCTOBER_2023),
        Cover::Open,
        Station::LiveTable,
        Some(LimitScope::Box),
        TAI_SAI_LIMITS,
    ),
    (
        "sic-bo-etg@2",
        Some(MAY_2021),
        Cover::Open,
        Station::PlayerTerminals,
        Some(LimitScope::Terminal),
        [Some("3.3"), None, None, None],
    ),
];

/// Game, the document of its paragraphs, the name under which it was approved, and its pay tables: layout, number, title.
type Names = (&'static str, &'static str, &'static str, &'static [(&'static str, u8, &'static str)]);

const NAMES: [Names; 4] = [
    ("tai-sai-classic@1", "001", "Tai Sai", &[("A", 1, "Tai Sai Pay Table")]),
    (
        "tai-sai@6",
        "003",
        "Tai Sai (Version 6)",
        &[("A", 1, "Tai Sai Pay Table 1"), ("C", 2, "Tai Sai Pay Table 2"), ("E", 3, "Tai Sai Pay Table 3")],
    ),
    (
        "tai-sai-open-cover@5",
        "004",
        "Tai Sai (Open Cover) (Version 5)",
        &[
            ("A", 1, "Tai Sai (Open Cover) Pay Table 1"),
            ("C", 2, "Tai Sai (Open Cover) Pay Table 2"),
            ("E", 3, "Tai Sai (Open Cover) Pay Table 3"),
        ],
    ),
    (
        "sic-bo-etg@2",
        "002",
        "Sic Bo (Open Cover) (also known as Tai Sai (Open Cover)) (Electronic Table Game) (Version 2)",
        &[
            ("A", 1, "Sic Bo (Open Cover) (Electronic Table Game) Pay Table 1"),
            ("B", 2, "Sic Bo (Open Cover) (Electronic Table Game) Pay Table 2"),
            ("C", 3, "Sic Bo (Open Cover) (Electronic Table Game) Pay Table 3"),
        ],
    ),
];

/// A rule, and the paragraphs that say it in the four games, in their order; none where the game has no such rule.
const RULES: [(Rule, [&[&str]; 4]); 6] = [
    (Rule::Open, [&["3.1"], &["1.7", "3.2"], &["1.7", "3.2"], &["1.8", "3.2"]]),
    (Rule::Exposed, [&["5.1.4"], &["5.5.3"], &[], &[]]),
    (Rule::ActivatedEarly, [&[], &[], &["5.5.3"], &["5.3.3"]]),
    (Rule::WalkAway, [&["003:5.3"], &["5.3"], &["5.3"], &[]]),
    (Rule::TerminalDown, [&[], &[], &[], &["5.2"]]),
    (Rule::ColourChips, [&["3.3"], &[], &[], &[]]),
];

/// A box of every kind and what it is called, the same in every game that has it.
const LABELS: [(&str, [&str; 3]); 13] = [
    ("small", ["Small", "小", "小"]),
    ("big", ["Big", "大", "大"]),
    ("odd", ["Odd", "单", "單"]),
    ("even", ["Even", "双", "雙"]),
    ("single:3", ["Three", "三", "三"]),
    ("sum:14", ["14", "14", "14"]),
    ("domino:25", ["2 and 5", "2与5", "2與5"]),
    ("double:6", ["Double Six", "双六", "雙六"]),
    ("any-triple", ["Any Triple", "全围", "全圍"]),
    ("triple:1", ["Triple One", "围一", "圍一"]),
    ("four:6532", ["6 5 3 2", "6 5 3 2", "6 5 3 2"]),
    ("three:126", ["1 2 6", "1 2 6", "1 2 6"]),
    ("pair:113", ["1 1 3", "1 1 3", "1 1 3"]),
];

const TITLES: [[&str; 3]; 4] = [
    ["Tai Sai (Classic)", "骰宝（经典）", "骰寶（經典）"],
    ["Tai Sai", "骰宝", "骰寶"],
    ["Tai Sai (Open Cover)", "骰宝（开盅）", "骰寶（開盅）"],
    ["Sic Bo (Open Cover)", "电子骰宝（开盅）", "電子骰寶（開盅）"],
];

fn game(name: &str) -> &'static Game {
    Games::embedded().find(name, None).expect("an approved game")
}

#[test]
fn every_file_of_games_is_in_the_program() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let name = |game: &Game| format!("{}@{}", game.id(), game.version());
    let mut files: Vec<_> = files.map(|file| name(&Game::from_toml(file).unwrap())).collect();
    let mut embedded: Vec<_> = Games::embedded().iter().map(name).collect();
    files.sort();
    embedded.sort();
    assert_eq!(embedded, files, "crates/rules/src/game.rs lists them");
}

#[test]
fn games_are_played_as_their_documents_say() {
    for (name, effective, cover, station, scope, paragraphs) in FACTS {
        let game = game(name);
        assert_eq!(game.effective().map(Moment::unix_seconds), effective, "{name}");
        assert_eq!((game.cover(), game.station(), game.limit_scope()), (cover, station, scope), "{name}");
        let [displayed, settled @ ..] = paragraphs;
        assert_eq!(game.limit_paragraph().map(Paragraph::text), displayed, "{name}");
        for layout in game.layouts() {
            let cited = [Citation::ProRata, Citation::MinimumInExcess, Citation::BelowMinimum];
            let cited = cited.map(|citation| layout.paragraph(citation).map(Paragraph::text));
            assert_eq!(cited, settled, "{name} {}", layout.id());
        }
    }
}

#[test]
fn games_are_named_as_they_were_approved() {
    for (name, document, approved, pay_tables) in NAMES {
        let game = game(name);
        assert_eq!((game.document(), game.approved(), game.until()), (document, approved, None), "{name}");
        let found: Vec<_> =
            game.layouts().iter().map(|layout| (layout.id(), layout.pay_table(), layout.title())).collect();
        assert_eq!(found, pay_tables, "{name}");
    }
}

#[test]
fn rules_have_their_paragraphs() {
    for (rule, expected) in RULES {
        for ((name, ..), expected) in NAMES.iter().zip(expected) {
            let found: Vec<_> = game(name).paragraphs(rule).iter().map(Paragraph::to_string).collect();
            assert_eq!(found, expected, "{name}: {rule:?}");
        }
    }
}

/// Text, and whether it is a paragraph.
#[test]
fn paragraphs_are_numbers_and_a_document() {
    for (text, is_one) in [
        ("4", true),
        ("4.1.1", true),
        ("003:3.10", true),
        ("5.999", true),
        ("", false),
        ("4.", false),
        ("4..1", false),
        ("4.1a", false),
        ("4.1000", false),
        (":4.1", false),
        ("003:", false),
        ("0003:4.1", false),
        ("A:4.1", false),
        ("003:4:1", false),
    ] {
        assert_eq!(text.parse::<Paragraph>().is_ok(), is_one, "{text:?}");
    }
}

#[test]
fn a_version_of_a_game_is_there_once() {
    let mut games = Games::default();
    let (tai_sai, classic) = (game("tai-sai@6"), game("tai-sai-classic@1"));
    assert_eq!([games.add(tai_sai.clone()), games.add(classic.clone())], [Ok(()), Ok(())]);
    assert_eq!(games.add(tai_sai.clone()), Err(GameTwice { id: "tai-sai".to_owned(), version: 6 }));
    assert_eq!(games.iter().count(), 2);
    let unknown = game("tai-sai@6").layout("B").unwrap_err();
    assert_eq!((unknown.game.as_str(), unknown.known), ("tai-sai", ["A", "C", "E"].map(str::to_owned).to_vec()));
}

#[test]
fn boxes_have_their_names_in_every_language() {
    let kinds: Vec<_> = LABELS.iter().map(|(text, _)| text.parse::<BetBox>().unwrap().kind()).collect();
    assert_eq!(kinds, BoxKind::ALL, "one of every kind");
    for (game, titles) in Games::embedded().iter().zip(TITLES) {
        assert_eq!(Language::ALL.map(|language| game.title().get(language)), titles, "{}", game.id());
        for (text, labels) in LABELS {
            let bet_box = text.parse().unwrap();
            let on_layout = game.layouts().iter().any(|layout| layout.has(bet_box));
            // A game has no name for what it does not have.
            let expected = if on_layout { labels } else { [text; 3] };
            assert_eq!(Language::ALL.map(|language| game.label(bet_box, language)), expected, "{}", game.id());
        }
    }
}

/// The list of approved hashes is changed by hand only: a changed game is a decision, not a side effect.
#[test]
fn each_embedded_game_has_its_approved_hash() {
    for game in Games::embedded().iter() {
        assert_eq!(Some(game.hash()), game.approved_hash(), "{}@{}", game.id(), game.version());
    }
}

#[test]
fn a_changed_game_is_not_approved_and_a_comment_changes_nothing() {
    let file = Games::embedded().find("tai-sai@6", None).unwrap().file();
    let read = |text: String| taisai_rules::Game::from_toml(text).unwrap();
    assert!(read(format!("# a comment\n{file}\n\n# another\n")).is_approved());
    for (from, to) in
        [("62 to 1", "60 to 1"), ("version = 6", "version = 7"), ("cover = \"covered\"", "cover = 'covered'")]
    {
        assert!(file.contains(from), "{from}");
        let changed = read(file.replacen(from, to, 1));
        assert_eq!(changed.is_approved(), to.contains('\''), "{to}");
    }
}

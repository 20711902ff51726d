//! What each of the four games is, beside its pay tables: when it is in force, how it is played, which paragraphs its
//! limits rest on, and what its boxes are called in every language.

use taisai_rules::{BetBox, Citation, Cover, Game, Games, Kind, Language, LimitScope, Moment, Paragraph, Station};

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

const PHRASES: [[&str; 3]; 4] = [
    ["1 wins 62", "一赢62", "一贏62"],
    ["Numbers 4 to 10", "4点至10点", "4點至10點"],
    ["Lose if any triple appears", "围骰通吃", "圍骰通吃"],
    ["on 2 dice", "2骰", "2骰"],
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
fn boxes_have_their_names_in_every_language() {
    let kinds: Vec<_> = LABELS.iter().map(|(text, _)| text.parse::<BetBox>().unwrap().kind()).collect();
    assert_eq!(kinds, Kind::ALL, "one of every kind");
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

#[test]
fn felts_say_what_they_say_in_every_language() {
    for game in Games::embedded().iter() {
        let phrases = game.phrases();
        let filled = [
            (&phrases.wins, &[("odds", "62")][..]),
            (&phrases.range, &[("from", "4"), ("to", "10")]),
            (&phrases.triple_loses, &[]),
            (&phrases.on_dice, &[("count", "2")]),
        ];
        let filled = filled.map(|(text, values)| Language::ALL.map(|language| text.fill(language, values)));
        assert_eq!(filled, PHRASES, "{}", game.id());
    }
}

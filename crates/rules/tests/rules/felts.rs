//! Where every box and caption of every felt lies and how its drawing was read, against `tests/games/felts.txt`. `BLESS=1` writes it anew: compare
//! it with the appendices of the documents before it is committed.

use std::fmt::Write as _;
use std::path::Path;

use taisai_rules::{BoxKind, DoubtfulReading, Games, Layout, Rect};

#[test]
fn every_box_lies_where_the_drawings_have_it() {
    let mut found = String::new();
    for game in Games::embedded().iter() {
        for layout in game.layouts() {
            let felt = layout.felt();
            let (width, height) = (felt.width(), felt.height());
            writeln!(found, "{} {}: {width} x {height}, {}", game.id(), layout.id(), felt.source()).unwrap();
            felt.reading().iter().for_each(|remark| writeln!(found, "  {remark}").unwrap());
            for blank in felt.blank() {
                writeln!(found, "  blank {}: {}", texts(&blank.of), blank.taken).unwrap();
            }
            for doubt in felt.doubtful() {
                let DoubtfulReading { of, scan, read, why } = doubt;
                writeln!(found, "  doubtful {}: {scan:?}, read {read:?}: {why}", texts(of)).unwrap();
            }
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

fn texts(kinds: &[BoxKind]) -> String {
    kinds.iter().map(|kind| kind.text()).collect::<Vec<_>>().join(", ")
}

/// Games and layout, and what its appendix prints, read from the documents by hand: a box and its lines from the top
/// down, or a kind and its caption.
type Printed = (&'static [&'static str], &'static str, &'static [(&'static str, &'static str)]);

const PRINTED: [Printed; 6] = [
    // 004 Appendix A; 圍骰通吃 is read 兩骰道吃 and, in Appendix B, 開骰通吃.
    (
        &["tai-sai-classic", "tai-sai", "tai-sai-open-cover"],
        "A",
        &[
            (
                "big",
                "BIG / ARE NUMBERS 11 TO 17 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS / 11點至17點 / 一贏一 / 圍骰通吃 / 大",
            ),
            (
                "small",
                "SMALL / ARE NUMBERS 4 TO 10 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS / 4點至10點 / 一贏一 / 圍骰通吃 / 小",
            ),
            ("double", "EACH DOUBLE 1 WINS 11"),
            ("double", "EACH DOUBLE 1 WINS 11"),
            ("double:6", "DOUBLE SIX"),
            ("double:1", "DOUBLE ONE"),
            ("triple", "1 WINS 180"),
            ("triple", "1 WINS 180"),
            ("triple:4", "TRIPLE FOUR"),
            ("any-triple", "1 WINS 31"),
            ("any-triple:", "ANY TRIPLE"),
            ("sum:17", r"17 / 1\62"),
            ("sum:16", r"16 / 1\31"),
            ("sum:15", r"15 / 1\18"),
            ("sum:14", r"14 / 1\12"),
            ("sum:13", r"13 / 1\8"),
            ("sum:12", r"12 / 1\7"),
            ("sum:11", r"11 / 1\6"),
            ("sum:4", r"4 / 1\62"),
            ("domino", "ON EACH 2 DICE COMBINATION 1 WINS 6"),
            ("domino:56", "5 AND 6"),
            ("domino:12", "1 AND 2"),
            ("single:6", "SIX"),
            ("single", "1 TO 1 ON ONE DICE ... 2 TO 1 ON TWO DICE ... 12 TO 1 ON THREE DICE"),
        ],
    ),
    // 004 Appendix C; Any Triple by Appendix D, the odds of doubles by 4.1.2.
    (
        &["tai-sai", "tai-sai-open-cover"],
        "C",
        &[
            ("pair:113", "113"),
            ("pair", "1 WINS 50"),
            ("three:126", "126"),
            ("three", "1 WINS 30"),
            ("even", "EVEN / 双 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS"),
            ("odd", "ODD / 单 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS"),
            ("big", "BIG / 大 / NUMBERS 11 TO 17 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS"),
            ("small", "SMALL / 小 / NUMBERS 4 TO 10 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS"),
            ("triple:6", ""),
            ("triple", "1 WINS 180"),
            ("double:6", ""),
            ("double", "1 WINS 11"),
            ("double", "1 WINS 11"),
            ("any-triple:", "ANY TRIPLE / 1 WINS 31"),
            ("sum:17", "17 / 1 WINS 62"),
            ("sum:10", "10 / 1 WINS 6"),
            ("domino:56", ""),
            ("domino", "1 WINS 6"),
            ("four:6543", "6 5 4 3 / 1 WINS 7"),
            ("four:4321", "4 3 2 1 / 1 WINS 7"),
            ("single:6", ""),
            ("single", "1 TO 1 ON ONE DICE ... 2 TO 1 ON TWO DICE ... 12 TO 1 ON THREE DICE"),
        ],
    ),
    // 004 Appendix E, where the figure 1 is read as I; the odds of triples by 4.1.3.
    (
        &["tai-sai", "tai-sai-open-cover"],
        "E",
        &[
            ("big", "BIG / 大 / NUMBERS 11 TO 17 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS"),
            ("small", "SMALL / 小 / NUMBERS 4 TO 10 / 1 WINS 1 / LOSE IF ANY TRIPLE APPEARS"),
            ("any-triple:", "any TRIPLE / 1 WINS 31"),
            ("triple:1", "1 WINS 180"),
            ("domino", "DOMINO COMBINATION 1 WINS 6"),
            ("domino", "DOMINO COMBINATION 1 WINS 6"),
            ("domino:14", ""),
            ("three:126", "126"),
            ("three", "1 WINS 30"),
            ("pair:113", "113"),
            ("pair", "1 WINS 50"),
            ("sum:10", "10 / 1 WINS 6"),
            ("sum:4", "4 / 1 WINS 62"),
            ("single:1", ""),
            ("single", "1 TO 1 ON ONE DICE • 2 TO 1 ON TWO DICE • 12 TO 1 ON THREE DICE"),
            ("four:6543", "6543"),
            ("four:4321", "4321"),
            ("four", "1 WINS 7"),
        ],
    ),
    // 002 Appendix A.
    (
        &["sic-bo-etg"],
        "A",
        &[
            ("even", "EVEN / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("odd", "ODD / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("triple:6", "1 WINS 195"),
            ("big", "BIG / 11 - 17 / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("small", "SMALL / 4 - 10 / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("double:6", ""),
            ("double", "1 WINS 11 1/2"),
            ("double", "1 WINS 11 1/2"),
            ("any-triple:", "ANY TRIPLE / 1 WINS 32"),
            ("sum:17", "17 / 1 WINS 64"),
            ("sum:13", "13 / 1 WINS 8 1/2"),
            ("sum:11", "11 / 1 WINS 6 1/2"),
            ("domino:56", ""),
            ("domino", "1 WINS 6"),
            ("four:6543", "6 5 4 3 / 1 WINS 7 1/2"),
            ("single:6", "SIX"),
            ("single", "1 WINS 1 ON ONE DIE / 1 WINS 2 ON TWO DICE / 1 WINS 12 ON THREE DICE"),
        ],
    ),
    // 002 Appendix B; triples, doubles and Any Triple by Appendix A.
    (
        &["sic-bo-etg"],
        "B",
        &[
            ("pair:113", "113"),
            ("pair", "1 WINS 50"),
            ("three:126", "126"),
            ("three", "1 WINS 30"),
            ("even", "EVEN / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("odd", "ODD / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("triple:6", "1 WINS 195"),
            ("big", "BIG / 11 - 17 / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("small", "SMALL / 4 - 10 / 1 WINS 1 / EXCEPT FOR ANY TRIPLE"),
            ("double:6", ""),
            ("double", "1 WINS 11 1/2"),
            ("double", "1 WINS 11 1/2"),
            ("any-triple:", "ANY TRIPLE / 1 WINS 32"),
            ("sum:8", "8 / 1 WINS 8 1/2"),
            ("domino:56", ""),
            ("domino", "1 WINS 6"),
            ("four:6543", "6 5 4 3 / 1 WINS 7 1/2"),
            ("single:6", "SIX"),
            ("single", "1 WINS 1 FOR ONE DIE / 1 WINS 2 FOR TWO DICE / 1 WINS 12 FOR THREE DICE"),
        ],
    ),
    // 002 Appendix C; the odds of doubles by 4.1.3.
    (
        &["sic-bo-etg"],
        "C",
        &[
            ("pair:113", "113"),
            ("pair", "1 WINS 50"),
            ("three:126", "126"),
            ("three", "1 WINS 30"),
            ("even", "EVEN / 1:1 / LOSE IF ANY TRIPLE APPEARS"),
            ("odd", "ODD / 1:1 / LOSE IF ANY TRIPLE APPEARS"),
            ("triple:6", ""),
            ("triple", "..... 1:180 ....."),
            ("big", "BIG / 大 / NUMBERS 11 TO 17 / 1:1 / LOSE IF ANY TRIPLE APPEARS"),
            ("small", "SMALL / 小 / NUMBERS 4 TO 10 / 1:1 / LOSE IF ANY TRIPLE APPEARS"),
            ("double:6", ""),
            ("double", "1:11"),
            ("double", "1:11"),
            ("any-triple:", "ANY TRIPLE / 1 WINS 31"),
            ("sum:17", "17 / 1:62"),
            ("sum:4", "4 / 1:62"),
            ("domino:56", ""),
            ("domino", "1 WINS 6"),
            ("four:6543", "6 5 4 3 / 1:7"),
            ("single:6", "SIX"),
            ("single", "1:1 ON ONE DICE ..... 1:2 ON TWO DICE ..... 1:12 ON THREE DICE"),
        ],
    ),
];

fn layouts(games: &'static [&'static str], layout: &'static str) -> impl Iterator<Item = &'static Layout> {
    let layout = move |game: &&str| Games::embedded().find(game, None).expect("an approved game").layout(layout);
    games.iter().map(move |game| layout(game).expect("a layout of its document"))
}

/// A kind that is one box names its caption; with a colon behind it, its box.
#[test]
fn felts_print_the_words_of_their_appendices() {
    assert_eq!(PRINTED.iter().map(|(games, ..)| games.len()).sum::<usize>(), 10);
    for (games, id, expected) in PRINTED {
        for layout in layouts(games, id) {
            let mut captions: Vec<_> = layout.felt().captions().iter().collect();
            for (what, words) in expected {
                let caption = captions.iter().position(|caption| caption.of.text() == *what);
                let found = if let Some(place) = caption {
                    layout.caption(captions.remove(place))
                } else {
                    let bet_box = what.trim_end_matches(':').parse().unwrap();
                    assert!(layout.has(bet_box), "{games:?} {id}: {what}");
                    layout.printed(bet_box).into_iter().map(|line| line.text).collect()
                };
                assert_eq!(found.join(" / "), *words, "{games:?} {id}: {what}");
            }
            assert!(captions.is_empty(), "{games:?} {id}: {captions:?} are not compared");
            let kinds = |kind: &&BoxKind| expected.iter().any(|(what, _)| what.split(':').next() == Some(kind.text()));
            let on_layout = BoxKind::ALL.iter().filter(|kind| layout.boxes_of(**kind).next().is_some());
            assert_eq!(on_layout.clone().filter(kinds).count(), on_layout.count(), "{games:?} {id}: every kind");
        }
    }
}

/// Games, layout, and how a kind runs from left to right and from the top down: a stroke where a new row begins.
type Order = (&'static [&'static str], &'static str, &'static str, &'static str);

const TAI_SAI: &[&str] = &["tai-sai", "tai-sai-open-cover"];
const ETG: &[&str] = &["sic-bo-etg"];
const SIX_TO_ONE: &str = "6 5 4 3 2 1";
const SUMS: &str = "17 16 15 14 13 12 11 10 9 8 7 6 5 4";
const DOMINOES: &str = "56 46 45 36 35 34 26 25 24 23 16 15 14 13 12";
const PAIRS: &str = "113 114 115 116 | 221 223 224 225 226 | 331 332 334 335 336 | 441 442 443 445 446 | 551 552 553 554 556 | 661 662 663 664";
const THREES: &str = "126 135 234 256 346 | 123 136 145 235 356 | 124 146 236 245 456 | 125 134 156 246 345";

const ORDERS: &[Order] = &[
    // 004 Appendix A shows all of it.
    (&["tai-sai-classic"], "A", "double", SIX_TO_ONE),
    (&["tai-sai-classic"], "A", "domino", DOMINOES),
    (TAI_SAI, "A", "double", SIX_TO_ONE),
    (TAI_SAI, "A", "triple", "4 1 | 5 2 | 6 3"),
    (TAI_SAI, "A", "sum", SUMS),
    (TAI_SAI, "A", "domino", DOMINOES),
    (TAI_SAI, "A", "single", SIX_TO_ONE),
    // 004 Appendix C: triples, dominoes and single dice are blank, and run as the others do.
    (TAI_SAI, "C", "pair", PAIRS),
    (TAI_SAI, "C", "three", THREES),
    (TAI_SAI, "C", "double", SIX_TO_ONE),
    (TAI_SAI, "C", "triple", SIX_TO_ONE),
    (TAI_SAI, "C", "sum", SUMS),
    (TAI_SAI, "C", "domino", DOMINOES),
    (TAI_SAI, "C", "four", "6543 6532 5432 4321"),
    (TAI_SAI, "C", "single", SIX_TO_ONE),
    // 004 Appendix E: triples, dominoes and single dice are blank, and lie in the order of the pay table.
    (TAI_SAI, "E", "three", THREES),
    (TAI_SAI, "E", "pair", PAIRS),
    (TAI_SAI, "E", "triple", "1 2 3 4 5 6"),
    (TAI_SAI, "E", "single", "1 2 3 4 5 6"),
    (TAI_SAI, "E", "four", "6543 6542 6532 6432 5432 6541 6531 6431 5431 6521 6421 5421 6321 5321 4321"),
    // 002: triples, doubles and dominoes are blank, and run as single dice and sums do.
    (ETG, "A", "triple", SIX_TO_ONE),
    (ETG, "A", "double", SIX_TO_ONE),
    (ETG, "A", "sum", SUMS),
    (ETG, "A", "domino", DOMINOES),
    (ETG, "A", "four", "6543 6532 5432 4321"),
    (ETG, "A", "single", SIX_TO_ONE),
    (ETG, "B", "pair", PAIRS),
    (ETG, "B", "three", THREES),
    (ETG, "B", "triple", SIX_TO_ONE),
    (ETG, "B", "double", SIX_TO_ONE),
    (ETG, "B", "sum", SUMS),
    (ETG, "B", "domino", DOMINOES),
    (ETG, "B", "single", SIX_TO_ONE),
    (ETG, "C", "pair", PAIRS),
    (ETG, "C", "three", THREES),
    (ETG, "C", "triple", SIX_TO_ONE),
    (ETG, "C", "double", SIX_TO_ONE),
    (ETG, "C", "sum", SUMS),
    (ETG, "C", "domino", DOMINOES),
    (ETG, "C", "single", SIX_TO_ONE),
];

#[test]
fn boxes_run_as_their_appendices_have_them() {
    for (games, id, kind, expected) in ORDERS {
        for layout in layouts(games, id) {
            let mut areas: Vec<_> =
                layout.felt().areas().iter().filter(|area| area.bet_box.kind().text() == *kind).collect();
            areas.sort_by_key(|area| (area.at.y, area.at.x));
            let rows = areas.chunk_by(|one, next| one.at.y == next.at.y);
            let number = |text: &'static str| text.split_once(':').map_or(text, |(_, number)| number);
            let rows = rows.map(|row| row.iter().map(|area| number(area.bet_box.text())).collect::<Vec<_>>().join(" "));
            assert_eq!(rows.collect::<Vec<_>>().join(" | "), *expected, "{games:?} {id} {kind}");
        }
    }
}

/// What the appendices leave blank, by layout.
#[test]
fn what_a_scan_leaves_blank_is_named() {
    for (games, id, expected) in [
        (TAI_SAI, "A", ""),
        (TAI_SAI, "C", "triple, domino, single, double"),
        (TAI_SAI, "E", "triple, domino, single"),
        (ETG, "A", "triple, double, domino"),
        (ETG, "B", "triple, double, domino, any-triple"),
        (ETG, "C", "triple, domino, double, three"),
    ] {
        for layout in layouts(games, id) {
            let blank: Vec<_> = layout.felt().blank().iter().flat_map(|blank| blank.of.clone()).collect();
            assert_eq!(texts(&blank), expected, "{games:?} {id}");
        }
    }
}

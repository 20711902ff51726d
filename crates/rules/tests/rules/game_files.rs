//! The game's file as `docs/games.md` describes it: every kind of fault at its place, all faults at once, no panic
//! whatever the file, and what the four embedded files must hold.

use std::path::PathBuf;

use taisai_rules::{BetBox, BoxKind, Dice, Felt, FileFault, FileFaultKind, Game, Games, Moment, Outcome, Rect};

/// Stands in an edited file where a fault is expected; it is taken out before the file is read.
const MARK: char = '¦';

const EVERY_KIND: [FileFaultKind; 15] = [
    FileFaultKind::Syntax,
    FileFaultKind::MissingKey,
    FileFaultKind::UnknownKey,
    FileFaultKind::WrongType,
    FileFaultKind::BadValue,
    FileFaultKind::UnknownBox,
    FileFaultKind::BoxTwice,
    FileFaultKind::BoxOnce,
    FileFaultKind::OddsMissing,
    FileFaultKind::OddsOffLayout,
    FileFaultKind::BadOdds,
    FileFaultKind::FeltOverlap,
    FileFaultKind::FeltOutside,
    FileFaultKind::FeltUneven,
    FileFaultKind::TripleRule,
];

/// Edits of `games/tai-sai.toml`, each at the first place that has the text, and the faults at the marks, in order.
type Case = (&'static [(&'static str, &'static str)], &'static [FileFaultKind]);

const CASES: &[Case] = &[
    (&[("[limits]", "[limits¦")], &[FileFaultKind::Syntax]),
    (&[("cover = ", "¦] = 1\ncover = ")], &[FileFaultKind::Syntax]),
    (&[(r#"document = "003""#, r#"document = "003" ¦"004""#)], &[FileFaultKind::Syntax]),
    (&[("version = 6", "version = 6\n¦version = 6")], &[FileFaultKind::Syntax]),
    // A key missing from the whole file is a fault of its beginning; from a table, of the table.
    (&[("# Tai Sai, version 6", "¦# Tai Sai, version 6"), ("version = 6\n", "")], &[FileFaultKind::MissingKey]),
    (&[(r#"{ en = "Tai Sai", "#, "¦{ ")], &[FileFaultKind::MissingKey]),
    (&[("[triple]\nparagraph = \"3.10\"", "¦[triple]")], &[FileFaultKind::MissingKey]),
    (&[("[limits]", "¦[limits]"), (r#"below_minimum = "5.2.1""#, "")], &[FileFaultKind::MissingKey]),
    // A kind without a label: where it first lies on the felt.
    (&[("odd        = {", "# {"), (r#"[["odd"]]"#, r#"[[¦"odd"]]"#)], &[FileFaultKind::MissingKey]),
    (&[("cover = ", "¦colour = 'red'\ncover = ")], &[FileFaultKind::UnknownKey]),
    (&[(r#"  boxes = ["big"]"#, r#"  ¦odds = 1, boxes = ["big"]"#)], &[FileFaultKind::UnknownKey]),
    (&[("version = 6", "version = ¦'six'")], &[FileFaultKind::WrongType]),
    (&[("2023-10-06T08:00:00+08:00", "¦2023-10-06")], &[FileFaultKind::WrongType]),
    (&[(r#"zh-Hans = "骰宝", zh-Hant = "骰寶""#, r#"zh-Hans = "骰宝", zh-Hant = ¦3"#)], &[FileFaultKind::WrongType]),
    (&[(r#"id = "tai-sai""#, "id = ¦'Tai Sai'")], &[FileFaultKind::BadValue]),
    (&[(r#"id = "C""#, "id = ¦'C-1'")], &[FileFaultKind::BadValue]),
    (&[(r#"en = "Tai Sai""#, "en = ¦''")], &[FileFaultKind::BadValue]),
    (&[("version = 6", "version = ¦0")], &[FileFaultKind::BadValue]),
    // A game's cover says which of two rules it has.
    (
        &[("[paragraphs]", "¦[paragraphs]"), ("exposed = [", "activated_early = ¦[")],
        &[FileFaultKind::MissingKey, FileFaultKind::BadValue],
    ),
    (&[(r#""covered""#, "¦'half'")], &[FileFaultKind::BadValue]),
    (&[("cover = ", "until = ¦2023-10-06T00:00:00Z\ncover = ")], &[FileFaultKind::BadValue]),
    // Seconds count: it would end as it begins.
    (&[("06T08:00:00+08:00", "06T08:00:01+08:00\nuntil = ¦2023-10-06T08:00:01+08:00")], &[FileFaultKind::BadValue]),
    // What is printed: a place that there is not, no line, and Single Dice without saying on how many dice.
    (&[(r#""EACH DOUBLE 1 WINS {odds}""#, "¦'EACH DOUBLE 1 WINS {number}'")], &[FileFaultKind::BadValue]),
    (&[(r#"["TRIPLE {word}"]"#, "¦[]")], &[FileFaultKind::BadValue]),
    (&[(r#"["{odds1} TO 1"#, "[¦\"{odds} TO 1")], &[FileFaultKind::BadValue]),
    (&[(r#"sum        = ["{numbers}""#, "sum        = [¦' {numbers}'")], &[FileFaultKind::BadValue]),
    // Odds that a caption cannot tell for all boxes, and odds that are not printed.
    (
        &[("    { at = [ 57,   0,  18,   6], of = \"triple\"", "    ¦{ at = [ 57,   0,  18,   6], of = \"sum\"")],
        &[FileFaultKind::BadOdds],
    ),
    (
        &[
            (r#"rows = [["any-triple"]]"#, r#"rows = [[¦"any-triple"]]"#),
            (r#"of = "any-triple", words = ["1 WINS {odds}"]"#, r#"of = "any-triple", words = ["1 WINS 31"]"#),
            (r#"    { of = ["any-triple"], scan = "1 WINS 3""#, r#"    ¦{ of = ["any-triple"], scan = "1 WINS 3""#),
        ],
        &[FileFaultKind::BadValue, FileFaultKind::OddsMissing],
    ),
    // What is said of a kind that is not on the felt, of one twice, of none, and a reading that is not printed.
    (&[(r#"triple     = ["TRIPLE"#, "odd = ¦['ODD']\ntriple     = [\"TRIPLE")], &[FileFaultKind::OddsOffLayout]),
    (&[(r#"{ of = ["triple", "domino""#, r#"¦{ of = ["triple", "triple", "domino""#)], &[FileFaultKind::BoxTwice]),
    (&[(r#"{ of = ["double"], taken"#, "{ of = ¦[], taken")], &[FileFaultKind::BadValue]),
    (&[(r#"{ of = ["double"], taken"#, "{ of = [¦'doubles'], taken")], &[FileFaultKind::UnknownBox]),
    (&[(r#"{ of = ["big", "small"], scan"#, r#"¦{ of = ["big", "sum"], scan"#)], &[FileFaultKind::BadValue]),
    (&[(r#"why = "The dots may be ornaments.""#, "why = ¦''")], &[FileFaultKind::BadValue]),
    (&[(r#"paragraph = "4.1.1""#, "paragraph = ¦'4.1.'")], &[FileFaultKind::BadValue]),
    (&[(r#"id = "C""#, "id = ¦'A'")], &[FileFaultKind::BadValue]),
    (&[("dice = 1, boxes = [", "dice = 1, boxes = [¦'big', ")], &[FileFaultKind::BadValue]),
    (&[("pays = \"62 to 1\",  boxes = [", "pays = \"62 to 1\",  boxes = [¦'single:1', ")], &[FileFaultKind::BadValue]),
    (&[("{ at = [  0,  84, 168,   6]", "{ at = ¦[  0,  84,   0,   6]")], &[FileFaultKind::BadValue]),
    (&[("{ at = [  0,  84, 168,   6]", "{ at = ¦[  0,  84, 168,   0]")], &[FileFaultKind::BadValue]),
    (&[(r#"boxes = ["any-triple"]"#, "boxes = ['any-triple', ¦'every-triple']")], &[FileFaultKind::UnknownBox]),
    (&[(r#"rows = [["big"]]"#, "rows = [['big', ¦'bigger']]")], &[FileFaultKind::UnknownBox]),
    // In two rows of the pay table; in one row; in two places on the felt; in three where two are allowed.
    (&[(r#"  boxes = ["big"]"#, "  boxes = ['big', ¦'small']")], &[FileFaultKind::BoxTwice]),
    (&[(r#"boxes = ["sum:4", "sum:17"]"#, "boxes = ['sum:4', 'sum:17', ¦'sum:4']")], &[FileFaultKind::BoxTwice]),
    (&[(r#"rows = [["small"]]"#, "rows = [['small', ¦'big']]")], &[FileFaultKind::BoxTwice]),
    (&[(r#"["any-triple", "small", "big"]"#, "['any-triple', 'small', 'big', ¦'big']")], &[FileFaultKind::BoxTwice]),
    // "twice" names a box in one place, and a kind in none.
    (
        &[
            (r#"twice = ["big", "small""#, "twice = ['big', ¦'small'"),
            (r#"["any-triple", "small", "big"]"#, "['any-triple', '', 'big']"),
        ],
        &[FileFaultKind::BoxOnce],
    ),
    (&[(r#""domino", "sum"]"#, "'domino', 'sum', ¦'double']")], &[FileFaultKind::BoxOnce]),
    (
        &[(r#"boxes = ["sum:4", "sum:17"]"#, "boxes = ['sum:4']"), (r#"        ["sum:17", "#, "[¦'sum:17', ")],
        &[FileFaultKind::OddsMissing],
    ),
    // Single Dice has odds on one, two and three dice.
    (
        &[
            (r#"dice = 3, boxes = ["single:1", "#, "dice = 3, boxes = ["),
            (r#""single:2", "single:1"]] }"#, "'single:2', ¦'single:1']] }"),
        ],
        &[FileFaultKind::OddsMissing],
    ),
    (&[(r#"boxes = ["sum:4", "sum:17"]"#, "boxes = ['sum:4', 'sum:17', ¦'odd']")], &[FileFaultKind::OddsOffLayout]),
    (
        &[
            (r#"rows = [["single:6""#, r#"rows = [[¦"single:6""#),
            ("{ at = [  0,  84, 168,   6], of", "¦{ at = [0, 84, 168, 6], of = 'odd', words = ['ODD'] }, #"),
            ("    { of = [\"single\"], scan", "# "),
        ],
        &[FileFaultKind::OddsMissing, FileFaultKind::OddsOffLayout],
    ),
    (&[(r#""62 to 1""#, "¦'62 for 1'")], &[FileFaultKind::BadOdds]),
    (
        &[("at = [ 24,   6,  33,  36], rows = [[", "at = [ 23,   6,  33,  36], rows = [[¦")],
        &[FileFaultKind::FeltOverlap],
    ),
    // Of two that overlap the later is at fault.
    (
        &[("{ at = [ 24,   0,  33,   6]", "{ at = [ 24,   0,  34,   6]"), ("{ at = [ 57,   0,", "¦{ at = [ 57,   0,")],
        &[FileFaultKind::FeltOverlap],
    ),
    (
        &[("at = [144,   0,  24,  42], rows = [[", "at = [144,   0,  25,  42], rows = [[¦")],
        &[FileFaultKind::FeltOutside],
    ),
    (&[("{ at = [  0,  84, 168,   6]", "¦{ at = [  0,  85, 168,   6]")], &[FileFaultKind::FeltOutside]),
    (&[("blocks = [", "blocks = [{ at = [0, 0, 5, 6], rows = [¦['', '']] },")], &[FileFaultKind::FeltUneven]),
    (&[("blocks = [", "blocks = [¦{ at = [0, 0, 6, 5], rows = [[''], ['']] },")], &[FileFaultKind::FeltUneven]),
    (&[("blocks = [", "blocks = [¦{ at = [0, 0, 6, 6], rows = [] },")], &[FileFaultKind::FeltUneven]),
    (&[("blocks = [", "blocks = [{ at = [0, 0, 6, 6], rows = [¦[]] },")], &[FileFaultKind::FeltUneven]),
    // 3.10 makes Small lose, and lets the sum of 15 win.
    (&[(r#"boxes = ["double"]"#, "boxes = ['double', ¦'small']")], &[FileFaultKind::TripleRule]),
    (&[("wins = [", "wins = ¦["), (r#", "sum:15"] }"#, "] }")], &[FileFaultKind::TripleRule]),
];

fn file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The file after the edits, and the line and column of every mark.
fn edit(mut text: String, edits: &[(&str, &str)]) -> (String, Vec<(usize, usize)>) {
    for (from, to) in edits {
        assert!(text.contains(from), "games/tai-sai.toml has {from:?}");
        text = text.replacen(from, to, 1);
    }
    let mut marks = Vec::new();
    let (mut line, mut column) = (1, 1);
    for character in text.chars() {
        match character {
            MARK => marks.push((line, column)),
            '\n' => (line, column) = (line + 1, 1),
            _ => column += 1,
        }
    }
    (text.replace(MARK, ""), marks)
}

fn faults(text: &str) -> Vec<FileFault> {
    Game::from_toml(text).err().unwrap_or_default()
}

/// What is wrong with the faults that the edited file gives, if anything.
fn check(edits: &[(&str, &str)], kinds: &[FileFaultKind]) -> Option<String> {
    let (text, marks) = edit(file("tai-sai.toml"), edits);
    assert_eq!(marks.len(), kinds.len(), "a mark for every fault of {edits:?}");
    let expected: Vec<_> = marks.into_iter().zip(kinds).map(|((line, column), kind)| (line, column, *kind)).collect();
    let found = faults(&text);
    let places: Vec<_> = found.iter().map(|fault| (fault.line, fault.column, fault.kind)).collect();
    let messages: Vec<_> = found.iter().map(FileFault::to_string).collect();
    (places != expected).then(|| format!("{edits:?}\n    expected {expected:?}\n    found {messages:#?}\n"))
}

#[test]
fn every_kind_of_fault_is_found_at_its_place() {
    let wrong: String = CASES.iter().filter_map(|(edits, kinds)| check(edits, kinds)).collect();
    assert!(wrong.is_empty(), "{wrong}");
    for kind in EVERY_KIND {
        assert!(CASES.iter().any(|(_, kinds)| kinds.contains(&kind)), "no case for {}", kind.code());
    }
}

#[test]
fn a_column_is_a_character() {
    let text = "id = 'x'\ntitle = { en = 'x', zh-Hans = '骰宝', zh-Hant = 5 }\n";
    let faults = faults(text);
    let fault = faults.iter().find(|fault| fault.kind == FileFaultKind::WrongType).unwrap();
    assert_eq!((fault.line, fault.column), (2, 47));
    assert_eq!(fault.to_string(), "2:47: wrong-type: expected a text, found integer");
}

#[test]
fn all_faults_are_reported_at_once_in_the_order_of_the_file() {
    let edits = [
        (r#"id = "tai-sai""#, "id = ¦'Tai Sai'"),
        ("version = 6", "version = ¦'six'"),
        ("cover = ", "¦colour = 'red'\ncover = "),
        (r#"boxes = ["double"]"#, "boxes = ['double', ¦'small']"),
        (r#"en = "Double {word}""#, "en = ¦'Double {number}'"),
        (r#"title = "Tai Sai Pay Table 1""#, "title = ¦1"),
        (r#"  boxes = ["big"]"#, "  boxes = ['big', ¦'small', ¦'odd']"),
        (r#""62 to 1""#, "¦'62 for 1'"),
        (r#"rows = [["big"]]"#, "rows = [['big', ¦'bigger']]"),
        (r#"rows = [["small"]]"#, "rows = [['small', ¦'big']]"),
        ("{ at = [  0,  84, 168,   6]", "¦{ at = [  0,  85, 168,   6]"),
        (r#"id = "C""#, "id = ¦'A'"),
        (r#""domino", "sum"]"#, "'domino', 'sum', ¦'double']"),
    ];
    let kinds = [
        FileFaultKind::BadValue,
        FileFaultKind::WrongType,
        FileFaultKind::UnknownKey,
        FileFaultKind::TripleRule,
        FileFaultKind::BadValue,
        FileFaultKind::WrongType,
        FileFaultKind::BoxTwice,
        FileFaultKind::OddsOffLayout,
        FileFaultKind::BadOdds,
        FileFaultKind::UnknownBox,
        FileFaultKind::BoxTwice,
        FileFaultKind::FeltOutside,
        FileFaultKind::BadValue,
        FileFaultKind::BoxOnce,
    ];
    assert_eq!(check(&edits, &kinds), None);
}

/// A value that cannot be read does not keep the rest of its table from being checked.
#[test]
fn a_bad_value_hides_no_other_fault() {
    let cases: &[Case] = &[
        (
            &[(r#"scope = "box""#, "scope = ¦'boxes'\n¦scale = 2")],
            &[FileFaultKind::BadValue, FileFaultKind::UnknownKey],
        ),
        (&[("size = [168, 90]", "size = ¦[168]\n¦scale = 2")], &[FileFaultKind::BadValue, FileFaultKind::UnknownKey]),
        (
            &[("size = [168, 90]", "size = ¦[168]"), ("source = \"004", "source = ¦4 # \"004")],
            &[FileFaultKind::BadValue, FileFaultKind::WrongType],
        ),
        // What a felt cannot say of itself hides neither missing odds, nor a missing label, nor what overlaps.
        (
            &[
                (r#"boxes = ["sum:4", "sum:17"]"#, "boxes = ['sum:4']"),
                ("size = [168, 90]", "size = ¦[168]"),
                (r#"        ["sum:17", "#, "[¦'sum:17', "),
            ],
            &[FileFaultKind::BadValue, FileFaultKind::OddsMissing],
        ),
        (
            &[
                (r#"boxes = ["sum:4", "sum:17"]"#, "boxes = ['sum:4']"),
                ("source = \"004", "source = ¦4 # \"004"),
                (r#"        ["sum:17", "#, "[¦'sum:17', "),
            ],
            &[FileFaultKind::WrongType, FileFaultKind::OddsMissing],
        ),
        (
            &[
                ("small      = {", "# {"),
                (r#"source = "004 Appendix A""#, "source = ¦4"),
                (r#"[["small"]]"#, "[[¦'small']]"),
            ],
            &[FileFaultKind::WrongType, FileFaultKind::MissingKey],
        ),
        (
            &[
                ("size = [168, 90]", "size = ¦[168]"),
                ("at = [ 24,   6,  33,  36], rows = [[", "at = [ 23,   6,  33,  36], rows = [[¦"),
            ],
            &[FileFaultKind::BadValue, FileFaultKind::FeltOverlap],
        ),
        // A layout without a name is still checked, and so is a pay table without a felt.
        (
            &[("id = \"A\"", "id = ¦7"), (r#"rows = [["big"]]"#, "rows = [['big', ¦'bigger']]")],
            &[FileFaultKind::WrongType, FileFaultKind::UnknownBox],
        ),
        (
            &[
                (r#""62 to 1""#, "¦'62 for 1'"),
                ("[layouts.felt]", "felt = ¦3\n[layouts.¦cloth]"),
                ("[layouts.felt.words]", "[layouts.cloth.words]"),
            ],
            &[FileFaultKind::BadOdds, FileFaultKind::WrongType, FileFaultKind::UnknownKey],
        ),
    ];
    let wrong: String = cases.iter().filter_map(|(edits, kinds)| check(edits, kinds)).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn one_mistake_is_one_fault() {
    let cases: &[Case] = &[
        (&[("2023-10-06T08:00:00+08:00", "¦2023-13-06T08:00:00+08:00")], &[FileFaultKind::Syntax]),
        (&[("2023-10-06T08:00:00+08:00", "¦2023-02-30T08:00:00+08:00")], &[FileFaultKind::Syntax]),
        (&[("version = 6", "version = ¦no")], &[FileFaultKind::Syntax]),
        // A value that breaks off, that is not there, and a key that cannot be read.
        (&[("version = 6", r#"version = "si\x¦""#)], &[FileFaultKind::Syntax]),
        (&[("version = 6", "version = ¦")], &[FileFaultKind::Syntax]),
        (&[("version = 6", "version¦")], &[FileFaultKind::Syntax]),
        (&[("version = 6", "¦= 6")], &[FileFaultKind::Syntax]),
        (&[("version = 6", "version = ¦99999999999999999999")], &[FileFaultKind::BadValue]),
        (&[(r#"pays = "62 to 1""#, "pays = ¦62")], &[FileFaultKind::WrongType]),
        (&[("open = [\"1.7\", \"3.2\"]", "open = ¦'1.7'")], &[FileFaultKind::WrongType]),
        (&[("open = [\"1.7\", \"3.2\"]", "open = ¦[]")], &[FileFaultKind::BadValue]),
        (&[("id = \"A\"", "id = ¦7")], &[FileFaultKind::WrongType]),
        (&[("id = \"A\"", "id = ¦''")], &[FileFaultKind::BadValue]),
        (
            &[("    { at = [  0,  84, 168,   6]", "    ¦{ of = 'single', words = ['{odds1}'] }, # ")],
            &[FileFaultKind::MissingKey],
        ),
        (&[("blocks = [", "blocks = [¦{ at = [0, 0, 6, 6] },")], &[FileFaultKind::MissingKey]),
        (&[("blocks = [", "blocks = [¦{ rows = [[''], ['']] },")], &[FileFaultKind::MissingKey]),
        // Boxes whose places cannot be reckoned lie nowhere, not outside the felt.
        (&[("24,  42], rows = [[\"big\"]]", "23,  99], rows = [¦['big', '']]")], &[FileFaultKind::FeltUneven]),
        (
            &[("{ at = [  0,   0,  24,  42], rows = [[\"big\"]]", "¦{ at = [0, 0, 999, 5], rows = [['big'], ['']]")],
            &[FileFaultKind::FeltUneven],
        ),
        // A kind named twice, one that loses, and a label missing on three felts.
        (&[(r#"boxes = ["double"]"#, "boxes = ['double', ¦'triple']")], &[FileFaultKind::BoxTwice]),
        (&[(r#"boxes = ["double"]"#, "boxes = ['double', ¦'domino']")], &[FileFaultKind::TripleRule]),
        (&[("big        = {", "# {"), (r#"[["big"]]"#, r#"[[¦"big"]]"#)], &[FileFaultKind::MissingKey]),
    ];
    let wrong: String = cases.iter().filter_map(|(edits, kinds)| check(edits, kinds)).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

/// Edits that put a text in the place of every text a file has, and the most characters it may have.
const TEXTS: &[(&str, &str, usize)] = &[
    (r#"en = "Tai Sai""#, "en = {}", 200),
    (r#"zh-Hans = "骰宝""#, "zh-Hans = {}", 200),
    (r#"document = "003""#, "document = {}", 200),
    (r#"approved = "Tai Sai (Version 6)""#, "approved = {}", 200),
    (r#"en = "Small", "#, "en = {},", 200),
    (r#"domino     = ["{and}"]"#, "domino     = [{}]", 200),
    (
        r#"taken = "Only the dice are legible; the odds are those of 4.1.2, worded as in the boxes around.""#,
        "taken = {}",
        1_000,
    ),
    (r#"why = "The dots may be ornaments.""#, "why = {}", 1_000),
    (r#"title = "Tai Sai Pay Table 1""#, "title = {}", 200),
    (r#"type = "Small", "#, "type = {},", 200),
    (r#"source = "004 Appendix A""#, "source = {}", 200),
    (r#"rules = "Total Sum of 4 or 17""#, "rules = {}", 1_000),
    ("reading = [", "reading = [{},", 1_000),
];

#[test]
fn texts_are_short_and_can_be_printed() {
    for (from, to, most) in TEXTS {
        let with = |text: &str| edit(file("tai-sai.toml"), &[(from, &to.replace("{}", &format!("¦\"{text}\"")))]);
        let (longest, _) = with(&"骰".repeat(*most));
        assert_eq!(faults(&longest), [], "{from}");
        for bad in ["x".repeat(most + 1), "x".repeat(20_000), "x\\u001b[31m".to_owned(), "x\\ny".to_owned()] {
            let (text, marks) = with(&bad);
            let found = faults(&text);
            let places: Vec<_> = found.iter().map(|fault| ((fault.line, fault.column), fault.kind)).collect();
            assert_eq!(places, [(marks[0], FileFaultKind::BadValue)], "{from} {}", &bad[..9]);
            assert!(found[0].message.len() < 200 && !found[0].message.contains(char::is_control), "{}", found[0]);
        }
    }
}

/// What is edited, the text in its place, and whether it is a name: of a game 64 characters at most, of a layout 8.
#[test]
fn names_are_short_and_plain() {
    for (from, name, is_one) in [
        (r#"id = "tai-sai""#, "7-up".to_owned(), true),
        (r#"id = "tai-sai""#, "x".repeat(64), true),
        (r#"id = "tai-sai""#, "x".repeat(65), false),
        (r#"id = "tai-sai""#, String::new(), false),
        (r#"id = "tai-sai""#, "tai_sai".to_owned(), false),
        (r#"id = "tai-sai""#, "骰".to_owned(), false),
        (r#"id = "A""#, "A1234567".to_owned(), true),
        (r#"id = "A""#, "A12345678".to_owned(), false),
        (r#"id = "A""#, String::new(), false),
        (r#"id = "A""#, "Ä".to_owned(), false),
    ] {
        let (text, marks) = edit(file("tai-sai.toml"), &[(from, &format!("id = ¦'{name}'"))]);
        let places: Vec<_> = faults(&text).iter().map(|fault| ((fault.line, fault.column), fault.kind)).collect();
        let expected = if is_one { vec![] } else { vec![(marks[0], FileFaultKind::BadValue)] };
        assert_eq!(places, expected, "{from}: {name:?}");
        if let Ok(game) = Game::from_toml(&text) {
            assert!([game.id(), game.layouts()[0].id()].contains(&name.as_str()), "{name}");
        }
    }
}

/// A fault cites what is wrong, and of the triple rule the boxes, one after the other.
#[test]
fn what_is_at_fault_is_named() {
    for (from, to, message) in [
        (r#"id = "tai-sai""#, "id = 'Tai Sai'", "\"Tai Sai\": a name is lower case, digits and dashes"),
        (
            "cover = ",
            "colour = 1\ncover = ",
            "\"colour\" has no meaning here; known are id, version, title, document, approved, effective, until, cover, station, limits, triple, paragraphs, labels, layouts",
        ),
        (r#", "sum:12", "sum:15"]"#, "]", "3.10 lets sum:12, sum:15 win when all three dice are the same"),
        (
            r#"boxes = ["double"]"#,
            "boxes = ['double', 'small']",
            "3.10 makes small lose when all three dice are the same",
        ),
        (r#"boxes = ["double"]"#, "boxes = ['double', 'any-triple']", "in the triple rule twice: any-triple"),
    ] {
        let found = faults(&edit(file("tai-sai.toml"), &[(from, to)]).0);
        assert_eq!(found.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>(), [message]);
    }
}

/// 117 boxes, none printed more than twice.
#[test]
fn a_felt_has_at_most_234_areas_and_as_many_captions() {
    let felt = |areas: usize, captions: usize| {
        let (areas, captions) = ("'big',".repeat(areas), "{ at = [0, 0, 1, 1], of = 'big' },".repeat(captions));
        format!(
            "[[layouts]]\n[layouts.felt]\nblocks = [{{ at = [0, 0, 1, 1], rows = [[{areas}]] }}]\ncaptions = [{captions}]"
        )
    };
    for (areas, captions, refused) in [(234, 234, false), (235, 0, true), (1, 235, true)] {
        let found = faults(&felt(areas, captions));
        let too_many = found.iter().any(|fault| fault.message.starts_with("a felt has at most 234 areas"));
        assert_eq!(too_many, refused, "{areas} areas, {captions} captions");
    }
}

/// A fault cites what is wrong, not the whole of it.
#[test]
fn faults_are_short() {
    let long = "x".repeat(150);
    for (from, to) in [
        (r#"  boxes = ["big"]"#, format!("  boxes = ['big', '{long}']")),
        (r#"rows = [["big"]]"#, format!("rows = [['big', '{long}']]")),
        (r#"boxes = ["double"]"#, format!("boxes = ['double', '{long}']")),
        (r#"id = "tai-sai""#, format!("id = '{long}'")),
        (r#""covered""#, format!("'{long}'")),
        (r#""62 to 1""#, format!("'{long}'")),
        (r#"id = "A""#, format!("id = '{long}'")),
        ("version = 6", format!("version = {}", "9".repeat(100_000))),
        ("version = 6", format!("version = 6\n{} = 6", "k".repeat(100_000))),
        (r#""EACH DOUBLE 1 WINS {odds}""#, format!("'{{{long}}}'")),
    ] {
        let found = faults(&edit(file("tai-sai.toml"), &[(from, &to)]).0);
        assert!(!found.is_empty(), "{from}");
        for fault in found {
            let message = fault.to_string();
            assert!(message.len() < 400 && !message.contains(&"x".repeat(61)), "{from}: {message}");
        }
    }
}

#[test]
fn a_thousand_faults_are_listed_and_the_others_counted() {
    for (beside, last) in [(1_000, None), (1_001, Some("1 more")), (50_000, Some("49000 more"))] {
        let unknown = (0..beside).map(|number| format!("x{number}=1\n")).collect::<Vec<_>>().concat();
        let (text, _) = edit(file("tai-sai.toml"), &[("[limits]", &format!("[limits]\n{unknown}"))]);
        let found = faults(&text);
        assert_eq!(found.iter().filter(|fault| fault.kind == FileFaultKind::UnknownKey).count(), 1_000);
        let [.., end] = &found[..] else { panic!("no fault") };
        assert_eq!(found.len(), 1_000 + usize::from(last.is_some()));
        assert!(last.is_none_or(|last| end.kind == FileFaultKind::TooMany && end.message.starts_with(last)), "{end}");
        check_readable(&text);
    }
}

#[test]
fn many_faults_of_one_line_have_their_own_columns() {
    let text = format!("[triple]\nwins = ['骰',{}]", "1,".repeat(900));
    let columns: Vec<_> = faults(&text).iter().filter(|fault| fault.line == 2).map(|fault| fault.column).collect();
    let entries = (0..900).map(|entry| 13 + 2 * entry);
    assert_eq!(columns, [8, 9].into_iter().chain(entries).collect::<Vec<_>>(), "the list, and each of its entries");
}

#[test]
fn a_list_of_too_many_entries_is_refused_as_one() {
    for (from, to, entry) in
        [("wins = [\n", "wins = ¦[", "1,"), ("rows = [\n", "rows = ¦[", "1,"), ("reading = [", "reading = ¦[", "'x',")]
    {
        let (text, marks) = edit(file("tai-sai.toml"), &[(from, &format!("{to}{}", entry.repeat(100_000)))]);
        let found = faults(&text);
        assert_eq!((found[0].line, found[0].column, found[0].kind), (marks[0].0, marks[0].1, FileFaultKind::BadValue));
        assert!(found.len() < 5 && found[0].message.contains("entries"), "{found:?}");
    }
    let (longest, _) = edit(file("tai-sai.toml"), &[("reading = [\n", &format!("reading = [{}", "'x',".repeat(999)))]);
    assert_eq!(faults(&longest), [], "999 and the one there is");
}

#[test]
fn a_file_of_more_than_a_mebibyte_is_refused() {
    let mut text = file("tai-sai.toml");
    text.push('#');
    text += &"x".repeat(Game::MAX_BYTES - text.len());
    assert_eq!(faults(&text), []);
    text.push('x');
    let messages: Vec<_> = faults(&text).iter().map(FileFault::to_string).collect();
    assert_eq!(messages, ["1:1: syntax: the file of a game has at most 1048576 bytes"]);
}

#[test]
fn bytes_that_are_not_text_are_a_fault_at_their_place() {
    let (text, marks) = edit(file("tai-sai.toml"), &[(r#"zh-Hant = "骰寶""#, r#"zh-Hant = "骰¦寶""#)]);
    let mut bytes = text.into_bytes();
    let place = bytes.windows(3).position(|bytes| bytes == "寶".as_bytes()).unwrap();
    bytes[place] = 0xff;
    let found = Game::from_toml(bytes).unwrap_err();
    let places: Vec<_> = found.iter().map(|fault| ((fault.line, fault.column), fault.kind)).collect();
    assert_eq!(places, [(marks[0], FileFaultKind::Syntax)]);
}

#[test]
fn no_layout_is_a_fault_of_the_list() {
    let text = file("tai-sai.toml");
    let (head, _) = text.split_once("[[layouts]]").unwrap();
    let (text, marks) = edit(head.to_owned(), &[("cover = ", "layouts = ¦[]\ncover = ")]);
    let places: Vec<_> = faults(&text).iter().map(|fault| ((fault.line, fault.column), fault.kind)).collect();
    assert_eq!(places, [(marks[0], FileFaultKind::BadValue)]);
}

#[test]
fn a_game_is_in_force_from_its_second_on() {
    for (written, seconds) in [("08:00:00+08:00", 0), ("08:00:07+08:00", 7), ("07:59:59+08:00", -1), ("00:00:07Z", 7)] {
        let (text, _) = edit(file("tai-sai.toml"), &[("08:00:00+08:00", written)]);
        let effective = Game::from_toml(&text).unwrap().effective().unwrap();
        assert_eq!(effective.unix_seconds(), 1_696_550_400 + seconds, "{written}");
    }
}

/// A file may be refused, never half read: faults have places in it, and are in order.
fn check_readable(text: &str) {
    if let Err(faults) = Game::from_toml(text) {
        assert!(!faults.is_empty(), "refused without a reason");
        assert!(faults.is_sorted_by_key(|fault| (fault.line, fault.column)), "{faults:?}");
        let lines: Vec<_> = text.split('\n').collect();
        let inside = |fault: &FileFault| fault.column >= 1 && fault.column <= lines[fault.line - 1].chars().count() + 1;
        assert!(faults.iter().all(inside), "{faults:?}");
    }
}

#[test]
fn a_truncated_file_never_panics() {
    let text = file("tai-sai.toml");
    for end in (0..text.len()).step_by(97) {
        check_readable(&text[..text.floor_char_boundary(end)]);
    }
}

#[test]
fn a_corrupt_byte_never_panics() {
    let bytes = file("tai-sai.toml").into_bytes();
    let mut state = 20_231_006_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..100 {
        let mut bytes = bytes.clone();
        let place = next(bytes.len());
        bytes[place] = u8::try_from(next(256)).unwrap();
        check_readable(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn strange_files_never_panic() {
    let nested = format!("id = {}", "[".repeat(100_000));
    let long = format!("id = '{}'", "x".repeat(2 << 20));
    let wide =
        format!("[[layouts]]\n[layouts.felt]\nblocks = [{}]", "{ at = [0, 0, 1, 1], rows = [['big']] },".repeat(9_999));
    for text in ["", "\u{feff}", "\r\n", "\0", "=", "layouts = []", "[[layouts]]", &nested, &long, &wide] {
        assert!(Game::from_toml(text).is_err(), "{:?}", &text[..text.len().min(20)]);
        check_readable(text);
    }
}

/// File, layout, and its boxes.
const BOXES: &[(&str, &[(&str, usize)])] = &[
    ("tai-sai-classic.toml", &[("A", 50)]),
    ("tai-sai.toml", &[("A", 50), ("C", 104), ("E", 107)]),
    ("tai-sai-open-cover.toml", &[("A", 50), ("C", 104), ("E", 107)]),
    ("sic-bo-etg.toml", &[("A", 56), ("B", 104), ("C", 104)]),
];

#[test]
fn the_four_files_have_no_fault_and_the_boxes_of_their_documents() {
    for ((name, expected), embedded) in BOXES.iter().zip(Games::embedded().iter()) {
        let game = Game::from_toml(file(name)).unwrap_or_else(|faults| panic!("{name}: {faults:#?}"));
        assert_eq!((game.id(), game.version()), (embedded.id(), embedded.version()));
        let found: Vec<_> = game.layouts().iter().map(|layout| (layout.id(), layout.boxes().len())).collect();
        assert_eq!(found, *expected, "{name}");
    }
}

fn every_felt() -> impl Iterator<Item = (String, &'static [BetBox], &'static Felt)> {
    Games::embedded().iter().flat_map(|game| {
        let name = |layout: &taisai_rules::Layout| format!("{} {}", game.id(), layout.id());
        game.layouts().iter().map(move |layout| (name(layout), layout.boxes(), layout.felt()))
    })
}

#[test]
fn layout_e_alone_prints_boxes_twice() {
    let mut felts = 0;
    for (name, boxes, felt) in every_felt() {
        let places = |bet_box: &BetBox| felt.areas().iter().filter(|area| area.bet_box == *bet_box).count();
        for bet_box in boxes {
            let twice = matches!(
                bet_box.kind(),
                BoxKind::Big | BoxKind::Small | BoxKind::AnyTriple | BoxKind::Domino | BoxKind::Sum
            );
            assert_eq!(places(bet_box), if twice && name.ends_with('E') { 2 } else { 1 }, "{name}: {bet_box}");
        }
        assert!(felt.areas().iter().all(|area| boxes.contains(&area.bet_box)), "{name}");
        felts += 1;
        assert!(!name.ends_with('E') || felt.areas().len() == 107 + 3 + 15 + 14, "{name}");
    }
    assert_eq!(felts, 10);
}

/// Every unit of the felt has at most one area or caption, and none lies outside.
#[test]
fn areas_and_captions_lie_apart() {
    for (name, _, felt) in every_felt() {
        let mut taken = std::collections::HashSet::new();
        let captions = felt.captions().iter().map(|caption| (caption.of.text(), caption.at));
        for (what, Rect { x, y, width, height }) in
            felt.areas().iter().map(|area| (area.bet_box.text(), area.at)).chain(captions)
        {
            assert!(width > 0 && height > 0, "{name}: {what}");
            assert!(x + width <= felt.width() && y + height <= felt.height(), "{name}: {what} lies outside");
            for place in (x..x + width).flat_map(|x| (y..y + height).map(move |y| (x, y))) {
                assert!(taken.insert(place), "{name}: {what} overlaps at {place:?}");
            }
        }
    }
}

/// A new version is a new file: other odds, another date, and no other code.
#[test]
fn a_version_7_is_a_new_file() {
    let edits = [
        ("version = 6", "version = 7"),
        ("2023-10-06T08:00:00+08:00", "2027-01-01T08:00:00+08:00"),
        (r#""Tai Sai (Version 6)""#, r#""Tai Sai (Version 7)""#),
        ("\"31 to 1\",  boxes = [\"any-triple\"]", "\"30.25 to 1\",  boxes = [\"any-triple\"]"),
    ];
    let (seven, _) = edit(file("tai-sai.toml"), &edits);
    let (six, _) = edit(file("tai-sai.toml"), &[("cover = ", "until = 2027-01-01T08:00:00+08:00\ncover = ")]);
    let mut games = Games::default();
    for text in [&six, &seven] {
        games.add(Game::from_toml(text).unwrap()).unwrap();
    }
    let handover = 1_798_761_600; // 2027-01-01 00:00 UTC
    let dice = Dice::try_from([4, 4, 4]).unwrap();
    for (name, at, version, odds) in [
        ("tai-sai", handover - 1, 6, "31"),
        ("tai-sai", handover, 7, "121/4"),
        ("tai-sai@6", handover, 6, "31"),
        ("tai-sai@7", 0, 7, "121/4"),
    ] {
        let game = games.find(name, Some(Moment::from_unix_seconds(at))).unwrap();
        assert_eq!(game.version(), version, "{name} at {at}");
        let outcome = game.layout("A").unwrap().outcome("any-triple".parse().unwrap(), dice);
        let Some(Outcome::Won(paid)) = outcome else { panic!("any triple wins on 4 4 4") };
        assert_eq!(paid.to_string(), odds, "{name} at {at}");
    }
    assert_eq!(games.find("tai-sai", Some(Moment::from_unix_seconds(0))).unwrap_err().code(), "game-not-in-force");
    assert_eq!(games.find("tai-sai", None).unwrap().version(), 7, "simply the newest");
    let in_force: Vec<_> = games.iter().map(|game| game.is_in_force(Moment::from_unix_seconds(handover))).collect();
    assert_eq!(in_force, [false, true], "version 6 ends when version 7 begins");
    let until: Vec<_> = games.iter().map(|game| game.until().map(Moment::unix_seconds)).collect();
    assert_eq!(until, [Some(handover), None]);
}

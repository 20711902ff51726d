//! The scripts in `tests/play` succeed and print their golden files; faults are reported with their position. `BLESS=1`
//! writes the golden files.

use std::path::{Path, PathBuf};

use crate::common::run_with;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/play")
}

/// Runs a script from standard input. Returns its output and exit status.
fn play(script: &str) -> (String, Option<i32>) {
    let output = run_with(&["play", "-"], script);
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

/// The first line of every fault, without the excerpt that follows it.
fn faults(printed: &str) -> Vec<&str> {
    printed.lines().filter(|line| line.starts_with("fault")).collect()
}

/// The scripts of a folder, by name.
pub(crate) fn scripts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of scripts");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "round"));
    files.sort();
    files
}

/// Runs every script of a folder and compares its output with the golden file.
fn check(name: &str) -> usize {
    let scripts = scripts(&folder().join(name));
    for script in &scripts {
        let output = run_with(&["play", script.to_str().expect("a path in text")], "");
        let printed = String::from_utf8(output.stdout).expect("text");
        let failed: Vec<_> = printed.lines().filter(|line| line.contains('✗') || line.starts_with("fault")).collect();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{}: {failed:?} {error}", script.display());
        let golden = script.with_extension("txt");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&golden, &printed).expect("a golden file");
        }
        let expected = std::fs::read_to_string(&golden).expect("a golden file; BLESS=1 writes it");
        for (line, (expected, printed)) in expected.lines().zip(printed.lines()).enumerate() {
            assert_eq!(printed, expected, "{} line {}", golden.display(), line + 1);
        }
        assert_eq!(printed.lines().count(), expected.lines().count(), "lines of {}", golden.display());
    }
    scripts.len()
}

#[test]
fn the_early_edition_paragraph_by_paragraph() {
    assert!(check("tai-sai-classic") >= 25);
}

#[test]
fn tai_sai_paragraph_by_paragraph() {
    assert!(check("tai-sai") >= 35);
}

#[test]
fn tai_sai_open_cover_paragraph_by_paragraph() {
    assert!(check("tai-sai-open-cover") >= 35);
}

#[test]
fn the_electronic_table_game_paragraph_by_paragraph() {
    assert!(check("sic-bo-etg") >= 25);
}

#[test]
fn a_shift_of_every_layout() {
    assert_eq!(check("shift"), 10);
}

#[test]
fn every_printed_file_has_its_script() {
    for name in ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg", "shift"] {
        for entry in std::fs::read_dir(folder().join(name)).unwrap() {
            let file = entry.unwrap().path();
            assert!(file.with_extension("round").exists(), "{}", file.display());
        }
    }
}

/// Every paragraph that a game lists for the round of play is covered by a script's name or by a citation in one.
#[test]
fn every_paragraph_of_the_round_is_cited_in_a_playthrough() {
    use taisai_rules::{Games, Rule};
    for game in Games::embedded().iter() {
        let mut all = String::new();
        for script in scripts(&folder().join(game.id())) {
            all.push_str(&std::fs::read_to_string(script.with_extension("txt")).unwrap());
        }
        for rule in [
            Rule::Open,
            Rule::LimitsShown,
            Rule::Closed,
            Rule::Tumble,
            Rule::Result,
            Rule::Excess,
            Rule::Advice,
            Rule::WalkAway,
            Rule::Concluded,
            Rule::NotEstablished,
            Rule::TerminalDown,
            Rule::Registered,
            Rule::FewTumbles,
            Rule::NotFlat,
            Rule::Exposed,
            Rule::ActivatedEarly,
            Rule::DamagedDice,
            Rule::WrongResult,
            Rule::LateError,
            Rule::VoidReturned,
            Rule::PlacedByStaff,
            Rule::Ruling,
            Rule::ColourChips,
        ] {
            for paragraph in game.paragraphs(rule) {
                let cited = all.lines().any(|line| {
                    let last = line.rsplit_once('(').and_then(|(_, cited)| cited.split(')').next());
                    last.is_some_and(|cited| cited.split(", ").any(|cited| cited == paragraph.text()))
                });
                assert!(cited, "{} {}", game.id(), paragraph);
            }
        }
    }
}

/// Five lines that make a table ready.
const READY: &str = "table tai-sai layout C seats 7\ndealer 3\nsupervisor 7\nlimits unit 1, big 25..500, rest 1..500, differential 500\nopen\n";

#[test]
fn bad_lines_are_reported_with_line_and_column() {
    for (line, column, message) in [
        (
            "shuffle the dice",
            1,
            "expected a line like “place your bets”, “seat 3 bets 50 on big” or “dice 2 4 6”, found “shuffle”",
        ),
        ("place the bets", 7, "expected “your”, found “the”"),
        ("seat 8 bets 50 on big", 6, "expected a seat from 1 to 7, found “8”"),
        ("seat 0 leaves", 6, "expected a seat from 1 to 7, found “0”"),
        ("seat three leaves", 6, "expected a seat from 1 to 7, found “three”"),
        ("seat 3 sings", 8, "expected “bets”, “withdraws”, “clears”, “repeats”"),
        ("place your bests", 12, "expected “bets”, found “bests”"),
        ("seat 3 bets fifty on big", 13, "expected an amount like 50 or 12.50, found “fifty”"),
        ("seat 3 bets -5 on big", 13, "expected an amount like 50 or 12.50, found “-5”"),
        ("seat 3 bets 1.005 on big", 13, "expected an amount like 50 or 12.50, found “1.005”"),
        ("seat 3 bets 50 at big", 16, "expected “on”, found “at”"),
        ("seat 3 bets 50 on sum:3", 19, "expected a box like big or sum:9, found “sum:3”"),
        ("seat 3 bets 50 on big and", 26, "expected an amount like 50 or 12.50, the line ends"),
        ("seat 3 bets 50 on big quickly", 23, "expected the end of the line, found “quickly”"),
        ("seat 3 bets 50 on big by nobody", 26, "expected a person like supervisor 7, found “nobody”"),
        ("  seat 3 gets 20 mauve chips at 5", 18, "expected a colour: red, blue"),
        ("dice 2 4", 9, "expected a face from 1 to 6, the line ends"),
        ("dice 2 4 7", 10, "expected a face from 1 to 6, found “7”"),
        ("dice 2 4 6 6", 12, "expected the end of the line, found “6”"),
        ("at rest 2 x 6", 11, "expected a face from 1 to 6, found “x”"),
        ("limits big 25", 12, "expected limits like 25..5000, 25.. or ..5000, found “25”"),
        (
            "limits huge 25..50",
            8,
            "expected “unit”, “differential”, “rest”, or a kind or box like big or sum:9, found “huge”",
        ),
        ("table tai-sai layout A seats 7", 1, "the table stands in the first line, and only there"),
        ("dealer", 7, "expected the person's number, “leaves” or “bets”, the line ends"),
        ("cashier 8 leaves", 11, "expected the end of the line, found “leaves”"),
        ("open by supervisor 7 and manager 2", 22, "expected the end of the line, found “and”"),
        ("correct to 1 2 3 because x", 18, "expected “by” and who does it, like “by supervisor 7”, found “because”"),
        ("correct to 1 2 3 by supervisor 7", 33, "expected “because” and the reason, the line ends"),
        ("void round 1 by supervisor 7 because x", 14, "expected “as”, found “by”"),
        ("ruling by shift-manager 1 note because x", 27, "expected “:”, found “note”"),
        ("ruling by shift-manager 1: sing because x", 28, "expected a ruling:"),
        ("tick soon", 6, "expected how many seconds pass"),
        ("expect refused bets-shut", 16, "expected a refusal's code like bets-closed, found “bets-shut”"),
        ("expect luck", 8, "expected “accepted”, “refused”, “balance”"),
        ("redeem voucher 1 at cage", 25, "expected “by” and who does it, like “by supervisor 7”, the line ends"),
        ("redeem voucher one at cage", 16, "expected the voucher's number, found “one”"),
        ("redeem voucher 1 at sea 3", 21, "expected “cage” or “seat”, found “sea”"),
        ("add person 12 by administrator 5", 15, "expected “as”, found “by”"),
        ("person 8 sings", 10, "expected “logs in” or “fails to log in”, found “sings”"),
        ("expect approval 1 given", 19, "expected waiting, granted, refused or over, found “given”"),
        ("terminal 3 asleep", 12, "expected “lost” or “back”, found “asleep”"),
    ] {
        let (printed, status) = play(&format!("{READY}{line}\n"));
        let expected = format!("fault  -:6:{column}: {message}");
        assert!(printed.starts_with(&expected), "{line}: {printed}");
        assert_eq!((faults(&printed).len(), status), (1, Some(1)), "{line}");
    }
}

#[test]
fn misspelled_words_get_a_suggestion() {
    for (line, meant) in [
        ("sel voucher of 5 by cashier 8", "sell"),
        ("atendant 9", "attendant"),
        ("seat 3 best 50 on big", "bets"),
        ("seat 3 bets 50 on bgi", "big"),
        ("limits diferential 5", "differential"),
        ("open by supervsor 7", "supervisor"),
        ("tick 3 dayz", "days"),
        ("seat 3 gets 20 blu chips at 5", "blue"),
        ("expect balanc of seat 3 50", "balance"),
        ("expect refused bets-close", "bets-closed"),
        ("expect phase setled", "settled"),
        ("ask approval of corect by supervisor 7 because x", "correct"),
    ] {
        let (printed, _) = play(&format!("{READY}{line}\n"));
        let fault = faults(&printed)[0];
        assert!(fault.ends_with(&format!("”; did you mean “{meant}”?")), "{line}: {printed}");
    }
}

#[test]
fn bad_first_lines_are_reported_with_line_and_column() {
    for (script, fault) in [
        ("", "1:1: expected the table first"),
        ("# only a comment\n", "1:1: expected the table first"),
        ("\nopen\n", "2:1: expected the table first, like “table tai-sai layout C seats 7”, found “open”"),
        ("table fan-tan layout C seats 7\n", "1:7: "),
        ("table tai-sai layout B seats 7\n", "1:22: "),
        ("table tai-sai layout C seats none\n", "1:30: expected how many seats there are"),
        ("table tai-sai layout C\n", "1:23: expected “seats” and how many, the line ends"),
        ("table sic-bo-etg layout A seats 5\n", "1:27: expected “terminals” and how many, found “seats”"),
        ("table tai-sai layout C seats 7 profile\n", "1:39: expected a profile like singapore, or its file"),
        ("table tai-sai layout C seats 7 profile lax\n", "1:40: there is no profile lax in the program"),
        ("table tai-sai layout C seats 7 profile lax.toml\n", "1:40: cannot read lax.toml: "),
        ("table tai-sai layout C seats 7\nagain\n", "2:1: nothing has been sent yet"),
    ] {
        let (printed, status) = play(script);
        assert!(printed.starts_with(&format!("fault  -:{fault}")), "{script}: {printed}");
        assert_eq!(status, Some(1));
    }
}

#[test]
fn all_faults_are_reported_in_one_run() {
    let (printed, status) = play("table tai-sai layout Q seats 7\nshuffle\nopen\nseat 3 bets x on big\n");
    let faults = faults(&printed);
    let places: Vec<_> = faults.iter().filter_map(|line| line.split(": ").next()).collect();
    assert_eq!(places, ["fault  -:1:22", "fault  -:2:1", "fault  -:4:13"]);
    assert_eq!(status, Some(1));
}

#[test]
fn faults_show_their_line_with_a_mark_under_the_word() {
    let (printed, _) = play(&format!("{READY}place your bests\n"));
    let expected = "fault  -:6:12: expected “bets”, found “bests”\n  |\n6 | place your bests\n  |            ^^^^^\n";
    assert_eq!(printed, expected);
}

/// The example profile with a bad value and a misspelled key.
fn bad_profile() -> String {
    let profile = std::fs::read_to_string(folder().join("profiles/strict.toml")).expect("the example");
    let edits = [("seconds = 15", "seconds = 1"), ("attempts = 3", "tries = 3")];
    edits.into_iter().fold(profile, |profile, (from, to)| profile.replacen(from, to, 1))
}

#[test]
fn faults_of_profile_and_script_are_reported_together() {
    let folder = tempfile::tempdir().unwrap();
    let (profile, script) = (folder.path().join("bad.toml"), folder.path().join("bad.round"));
    std::fs::write(&profile, bad_profile()).unwrap();
    std::fs::write(&script, "table tai-sai layout C seats 7 profile bad.toml\nshuffle\n").unwrap();
    let profile = profile.to_str().expect("a path in text");
    let in_the_script = ["play", script.to_str().expect("a path in text")];
    for (args, input) in
        [(&in_the_script[..], ""), (&["play", "-", "--profile", profile], "table tai-sai layout C seats 7\nshuffle\n")]
    {
        let output = run_with(args, input);
        let printed = String::from_utf8(output.stdout).unwrap();
        let lines = faults(&printed);
        for (line, begin) in
            ["14:11: bad-value: ", "27:1: missing-key: ", "28:1: unknown-key: "].into_iter().enumerate()
        {
            assert!(lines[line].starts_with(&format!("fault  {profile}:{begin}")), "{printed}");
        }
        assert!(lines[3].contains(":2:1: ") && lines.len() == 4, "{printed}");
        assert_eq!(output.status.code(), Some(1));
    }
    let output = run_with(&["play", "-", "--profile", "no-such.toml"], READY);
    assert_eq!(output.status.code(), Some(2));
}

/// Runs the same script under two profiles: one shows excess, the other refuses it.
#[test]
fn profile_option_applies_to_any_script() {
    let script = format!("{READY}place your bets\nseat 3 bets 600 on big\n");
    let strict = folder().join("profiles/strict.toml");
    let strict = strict.to_str().expect("a path in text");
    for (args, expected) in [
        (&["play", "-"][..], "big is at 600.00, 100.00 over what may be there. (5.1)"),
        (&["play", "-", "--profile", strict], "Refused: The bet would be over the maximum. (over-limit, 3.3, 3.4)"),
    ] {
        let printed = String::from_utf8(run_with(args, &script).stdout).unwrap();
        assert!(printed.contains(expected), "{printed}");
    }
    let named = script.replacen("seats 7", "seats 7 profile singapore", 1);
    assert!(play(&named).0.contains("100.00 over"));
    let printed = String::from_utf8(run_with(&["play", "-", "--profile", strict], &named).stdout).unwrap();
    assert!(printed.contains("Profile strict"), "the option is stronger than the script: {printed}");
}

#[test]
fn help_lists_the_phrases() {
    let printed = String::from_utf8(run_with(&["play", "--help"], "").stdout).unwrap();
    for line in ["--profile <FILE>", "  seat SEAT bets STAKES [in colour chips]", "  expect refused CODE", "  again"] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}

#[test]
fn unmet_expectation_fails_the_script_without_stopping_it() {
    let (printed, status) = play(&format!("{READY}seat 3 bets 50 on big\nexpect accepted\nexpect house 1\nopen\n"));
    assert!(printed.contains("✗ line 7: expect accepted: it was refused: no-round-open"), "{printed}");
    assert!(printed.contains("✗ line 8: expect house 1: it is 0.00"), "{printed}");
    assert!(printed.contains("Balances"), "{printed}");
    assert_eq!(status, Some(1));
}

#[test]
fn refusal_alone_does_not_fail_the_script() {
    let (printed, status) = play(&format!("{READY}SEAT 3 Bets 50 ON Big  # too early\n"));
    assert!(printed.contains("Refused: No round is open for bets. (no-round-open, 1.7, 3.2)"), "{printed}");
    assert_eq!(status, Some(0));
}

#[test]
fn json_has_one_object_for_each_step() {
    let script = format!("{READY}place your bets\nseat 3 bets 50 on big\nno more bets\ndice 6 5 4\nexpect house -50\n");
    let output = run_with(&["play", "-", "--json"], &script);
    let printed = String::from_utf8(output.stdout).unwrap();
    let objects: Vec<serde_json::Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((objects.len(), output.status.code()), (11, Some(0)));
    let bet = &objects[6];
    assert_eq!(bet["line"], 7);
    assert_eq!(bet["answer"], "accepted");
    assert_eq!(bet["entries"][0]["machine"], "cluster");
    assert_eq!(bet["entries"][0]["command"]["place"]["seat"], 3);
    assert_eq!(bet["entries"][0]["event"], "done");
    let sheet = &objects[8]["sheets"][0];
    assert_eq!((&sheet["paid_out"], &sheet["lines"][0]["paid"]), (&5_000.into(), &10_000.into()));
    assert_eq!(objects[9]["met"], true);
    assert_eq!(objects[10]["balances"]["seats"][0]["result"], 5_000);
    let script = format!("{READY}seat 3 bets 50 on big\nagain\n");
    let printed = String::from_utf8(run_with(&["play", "-", "--json"], &script).stdout).unwrap();
    let again: serde_json::Value = serde_json::from_str(printed.lines().nth(6).unwrap()).unwrap();
    assert_eq!(again["answer"]["refused"], "no-round-open");
    assert!(again.get("entries").is_none(), "it is recorded once: {again}");
    let output = run_with(&["play", "-", "--json"], "table\n");
    let fault: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let fault = &fault["fault"];
    assert_eq!((&fault["file"], &fault["line"], &fault["column"]), (&"-".into(), &1.into(), &6.into()));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn missing_script_is_an_error() {
    let output = run_with(&["play", "no-such.round"], "");
    assert_eq!(output.status.code(), Some(2));
}

/// Nothing is refused after a restart between rounds.
#[test]
fn restart_between_rounds_is_not_refused() {
    let (printed, status) = play("table tai-sai layout A seats 3\nsupervisor 7\nopen\nrestart\nexpect accepted\n");
    assert_eq!(status, Some(0), "{printed}");
}

/// F44, F54: training is marked everywhere, and its vouchers are visibly void.
#[test]
fn training_is_marked() {
    let script = "table sic-bo-etg layout A terminals 2 training\nseat 1 buys in 100\nseat 1 cashes out\n";
    let (printed, _) = play(script);
    let lines: Vec<_> = printed.lines().filter(|line| line.contains("voucher") || line.contains("Sic Bo")).collect();
    let is_marked = |line: &&str| line.to_lowercase().contains("training") || line.contains("void");
    assert!(!lines.is_empty() && lines.iter().all(is_marked), "{lines:?}");
}

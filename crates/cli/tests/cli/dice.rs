//! `taisai dice` and `taisai report theory`: on files, and on the record of a script that was played.

use std::collections::BTreeMap;

use crate::common::run;

/// Throws of a small generator, with this many sixes.
fn throws(count: u64, sixes: u64) -> String {
    let mut state = 88_172_645_463_325_252u64;
    let mut face = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let number = (state >> 20) % (30 + sixes);
        if number < 30 { number % 6 + 1 } else { 6 }
    };
    let lines: Vec<_> = (0..count).map(|_| format!("{},{},{}\n", face(), face(), face())).collect();
    lines.concat()
}

#[test]
fn fair_dice_pass_and_loaded_ones_do_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let (fair, loaded, report) = (path("fair.csv"), path("loaded.csv"), path("report.html"));
    std::fs::write(&fair, throws(3_000, 0)).expect("a file");
    std::fs::write(&loaded, throws(3_000, 4)).expect("a file");
    let (status, printed, error) = run(&["dice", "check", &fair]);
    assert_eq!(status, Some(0), "{printed}{error}");
    assert!(printed.contains("3,000 throws") && printed.contains("nothing speaks against these dice"), "{printed}");
    let (status, printed, _) = run(&["dice", "check", &loaded, "-o", &report]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("these dice do not look fair: take them out"), "{printed}");
    let page = std::fs::read_to_string(&report).expect("a report");
    assert!(
        page.matches("<svg").count() == 3
            && !page.contains("<script")
            && page.contains("these dice do not look fair: take them out")
    );
    let (_, printed, _) = run(&["dice", "check", &loaded, "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert!(answer["by_face"]["p_value"].as_f64().is_some_and(|p| p < 1e-6), "{printed}");
    assert_eq!(answer["verdict"], "take-out");
}

#[test]
fn bad_lines_stop_the_check_unless_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dice.csv");
    std::fs::write(&path, format!("{}1,2,7\n3,3\n6,", throws(300, 0))).expect("a file");
    let path = path.to_str().expect("a name");
    let (status, printed, error) = run(&["dice", "check", path]);
    assert_eq!((status, printed.as_str()), (Some(2), ""));
    assert!(error.contains("dice.csv:301: 1,2,7: a die shows a whole number from 1 to 6"), "{error}");
    assert!(error.contains("dice.csv:303: 6,: a throw is exactly three dice; the last line has no end"), "{error}");
    assert!(error.contains("3 of the lines are no throw"), "{error}");
    let (status, printed, _) = run(&["dice", "check", path, "--skip-bad"]);
    assert_eq!(status, Some(1), "bad lines are printed by the exit status");
    assert!(printed.contains("300 throws") && printed.contains("not enough throws yet"), "{printed}");
    for (args, expected) in [
        (&["dice", "check", "/nowhere.csv"][..], "cannot read /nowhere.csv"),
        (&["dice", "check", path, "--table", "1"], "--table is for a store"),
    ] {
        let (status, _, error) = run(args);
        assert!(status == Some(2) && error.contains(expected), "{args:?}: {error}");
    }
}

#[test]
fn power_table_is_printed() {
    let (status, printed, _) = run(&["dice", "power"]);
    assert!(status == Some(0) && printed.lines().count() == 11, "{printed}");
}

#[test]
fn dice_and_theoretical_win_are_read_from_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let (script, store) = (folder.path().join("shift.round"), folder.path().join("data"));
    let mut text = String::from(
        "table tai-sai layout A seats 7\ndealer 3\nsupervisor 7\nlimits unit 1, big 25..5000, small 25..5000, rest 1..1000, differential 2000\nopen\n",
    );
    for dice in ["2 4 6", "1 1 3", "6 6 5"] {
        let round =
            format!("place your bets\nseat 3 bets 72 on big\nseat 4 bets 36 on small\nno more bets\ndice {dice}\n");
        text.push_str(&round);
    }
    std::fs::write(&script, text).expect("a script");
    let (script, store) = (script.to_str().expect("a name"), store.to_str().expect("a name"));
    let (status, printed, error) = run(&["play", script, "--store", store]);
    assert_eq!(status, Some(0), "{printed}{error}");
    assert_eq!(run(&["report", "rebuild", store]).0, Some(0));
    let (status, printed, error) = run(&["dice", "check", store, "--json"]);
    assert_eq!(status, Some(0), "{error}");
    assert!(printed.contains(r#""throws":3"#) && printed.contains(r#""faces":[2,1,1,1,1,3]"#), "{printed}");
    for by in ["table", "dealer", "shift", "day"] {
        let (status, printed, error) = run(&["report", "theory", store, "--by", by, "--json"]);
        assert_eq!(status, Some(0), "{error}");
        let lines: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        let line = &lines[0];
        // 108.00 three times at 1/36: 9.00. Big wins twice and Small once: 72 + 72 lost, 36 + 36 and 72 won.
        assert_eq!((&line["rounds"], &line["handle"]), (&3.into(), &32_400.into()), "{by}: {printed}");
        assert_eq!(
            (&line["theoretical_win_exact"], &line["win"]),
            (&"900".into(), &(-3_600).into()),
            "{by}: {printed}"
        );
        assert_eq!(line["edge_exact"], "1/36");
        assert_eq!(line["band_is_exact"], true);
    }
    let (_, csv, _) = run(&["report", "theory", store, "--by", "dealer", "--csv"]);
    let (titles, line) = csv.split_once("\r\n").expect("lines");
    let cells: BTreeMap<_, _> = titles.split(',').zip(line.trim_end().split(',')).collect();
    for (title, expected) in [
        ("drop", ""),
        ("hold_percent", ""),
        ("theoretical_win", "900.00"),
        ("theoretical_win_exact", "900"),
        ("edge", "0.027778"),
        ("edge_exact", "1/36"),
        ("band_is_exact", "1"),
    ] {
        assert_eq!(cells[title], expected, "{title}: {csv}");
    }
    let (_, printed, _) = run(&["report", "theory", store, "--by", "box", "--json"]);
    let lines: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    let boxes: i64 = lines.as_array().expect("lines").iter().filter_map(|line| line["win"].as_i64()).sum();
    assert_eq!(boxes, -3_600, "{printed}");
    let (_, printed, _) = run(&["report", "theory", store, "--to", "2001-01-01", "--json"]);
    assert_eq!(printed, "[]\n");
    let (status, printed, error) = run(&["report", "meters", store, "--json"]);
    assert_eq!(status, Some(0), "{error}");
    let lines: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!((&lines[0]["bet"], &lines[0]["ledger_win"]), (&32_400.into(), &(-3_600).into()), "{printed}");
    assert_eq!(lines[0]["reconciles"], true);
    let (_, printed, _) = run(&["report", "theory", store]);
    assert!(printed.contains("Theoretical") && printed.contains("table 1"), "{printed}");
}

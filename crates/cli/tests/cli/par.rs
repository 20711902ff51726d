//! `taisai par`: sheets are self-contained, reproducible and available in three formats.

use crate::common::run;

#[test]
fn par_page_is_self_contained_and_reproducible() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    let (first, second) = (path("a.html"), path("b.html"));
    for path in [&first, &second] {
        let (status, printed, error) = run(&["par", "--game", "tai-sai@6", "--layout", "A", "-o", path]);
        assert_eq!((status, error.as_str()), (Some(0), ""));
        assert!(printed.contains("blake3 "), "{printed}");
    }
    let page = std::fs::read_to_string(first).expect("a page");
    assert_eq!(page, std::fs::read_to_string(second).expect("a page"));
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("url("), "whole by itself");
    assert_eq!(page.matches("http").count(), page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    assert_eq!(page.matches("<svg").count(), 3, "three pictures");
    assert_eq!(page.matches("<td class=\"word\"><code>").count(), 50 + 8, "a row a box, and one a kind");
    for hash in ["Program", "Game file", "Rules"] {
        assert!(page.contains(&format!("<dt>{hash}</dt><dd>")), "{hash}");
    }
    assert!(page.contains("small, and 16 other boxes"), "Big and every domino have the edge of Small");
    assert!(page.contains("35/216") && page.contains("16.204 %"));
}

#[test]
fn csv_and_json_hold_every_box() {
    let table = ["--game", "sic-bo-etg@2", "--layout", "B"];
    let (status, csv, _) = run(&[&["par", "--csv"], &table[..]].concat());
    assert_eq!((status, csv.split("\r\n").count()), (Some(0), 104 + 2));
    assert!(csv.contains("sum:8,\"8\",21,216,0.097222,7/72,17/2,19/2,0.076389,11/144,0.923611,133/144,"), "{csv}");
    let (_, json, _) = run(&[&["par", "--json"], &table[..]].concat());
    let sheet: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(sheet["boxes"].as_array().map(Vec::len), Some(104));
    assert_eq!(
        (&sheet["boxes"][0]["pays_to_one"][0], &sheet["boxes"][0]["returns_for_one"][0]),
        (&"1".into(), &"2".into())
    );
    let (_, terminal, _) = run(&[&["par"], &table[..]].concat());
    assert!(terminal.contains("triple:6") && terminal.contains("rules     blake3 "), "{terminal}");
}

#[test]
fn all_sheets_come_with_an_index_that_compares_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sheets");
    let (status, printed, error) = run(&["par", "--all", "-o", path.to_str().expect("a name")]);
    assert_eq!((status, printed.lines().count()), (Some(0), 11), "{error}");
    assert_eq!(std::fs::read_dir(&path).expect("a folder").count(), 3 * 10 + 1);
    let index = std::fs::read_to_string(path.join("index.html")).expect("an index");
    for sheet in ["tai-sai-classic-1-A", "tai-sai-6-E", "tai-sai-open-cover-5-C", "sic-bo-etg-2-B"] {
        assert!(index.contains(&format!("href=\"{sheet}.html\"")) && path.join(format!("{sheet}.html")).exists());
    }
    assert!(index.contains("tai-sai-6-A, tai-sai-open-cover-5-A"), "the classic pays like both");
}

#[test]
fn options_that_contradict_are_refused() {
    for (args, expected) in [
        (&["par"][..], "name a sheet"),
        (&["par", "--all"], "--output"),
        (&["par", "--all", "--game", "tai-sai", "--layout", "A", "-o", "x"], "cannot be used with"),
        (&["par", "--game", "tai-sai"], "--layout"),
        (&["par", "--game", "tai-sai", "--layout", "A", "--csv", "--json"], "cannot be used with"),
        (&["par", "--game", "tai-sai", "--layout", "Z"], "no layout of that name; it has A, C, E"),
        (&["par", "--game", "tai-sai", "--layout", "A", "-o", "/nowhere/par.html"], "cannot write /nowhere/par.html"),
    ] {
        let (status, _, error) = run(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

//! `taisai report` on a small record: building, lag, updating, queries.

use crate::common::{run, sell};

#[test]
fn reports_lag_until_they_are_updated() {
    let (folder, beside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let store = folder.path().to_str().expect("a name");
    let (status, _, error) = run(&["report", "rebuild", store]);
    assert_eq!(status, Some(2), "there is no record: {error}");
    sell(folder.path(), beside.path(), 1..3);
    let (status, printed, error) = run(&["report", "rebuild", store]);
    assert_eq!(status, Some(0), "{error}");
    assert!(printed.contains("3 entries and 0 wagers"), "{printed}");
    assert_eq!(run(&["report", "lag", store]).0, Some(0));
    let (_, before, error) = run(&["report", "query", store, "staff", "--json"]);
    assert_eq!(error, "");
    assert!(before.contains(r#""command":"sell-voucher","count":2"#), "{before}");
    sell(folder.path(), beside.path(), 3..4);
    let (status, printed, _) = run(&["report", "lag", store, "--json"]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains(r#""head_at":1800000000004"#) && printed.contains(r#""projected_at":1800000000003"#));
    let (status, printed, error) = run(&["report", "query", store, "staff", "--json"]);
    assert_eq!((status, printed), (Some(0), before));
    assert!(error.contains("blocks behind the record"), "{error}");
    assert_eq!(run(&["report", "update", store]).0, Some(0));
    let (_, printed, error) = run(&["report", "query", store, "staff", "--csv"]);
    assert_eq!(error, "");
    let rows: Vec<_> = printed.split("\r\n").collect();
    assert_eq!(rows[0], "gaming_day,person,name,part,chain,command,count,last_at");
    assert_eq!(rows[1], "2027-01-15,8,\"Hui, \"\"H\"\"\",first,house,sell-voucher,3,1800000000004");
    let (_, printed, _) = run(&["report", "query", store, "open-vouchers"]);
    assert!(printed.contains("good") && printed.contains("3000"), "{printed}");
    for (args, expected) in [
        (&["report", "query", store, "lunch"][..], "there is no query \"lunch\"; there are win, boxes"),
        (&["report", "query", store, "last-games"], "asks for table=NUMBER"),
        (&["report", "query", store], "<NAME>"),
    ] {
        let (status, _, error) = run(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    let (status, printed, error) = run(&["report", "events", store, "--limit", "1", "--csv"]);
    assert_eq!(status, Some(0), "{error}");
    let first = printed.split("\r\n").nth(1).expect("an event").to_owned();
    let after = error.trim().strip_prefix("There are more: --after ").expect("there are more");
    let (_, printed, _) = run(&["report", "events", store, "--after", after, "--csv"]);
    assert!(printed.lines().count() > 1 && !printed.contains(&first), "{printed}");
    let (_, printed, _) = run(&["report", "events", store, "--to", "2001-01-01", "--json"]);
    assert_eq!(printed, "[]\n");
    let (status, _, error) = run(&["report", "events", store, "--from", "lunch"]);
    assert!(status == Some(2) && error.contains("neither a day nor a time"), "{error}");
    let (status, printed, _) = run(&["report", "query", "--list"]);
    assert!(status == Some(0) && printed.contains("biggest-wins"), "{printed}");
}

/// The tables are built from the record, so a broken file is replaced.
#[test]
fn broken_tables_are_built_again() {
    let (folder, beside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let store = folder.path().to_str().expect("a name");
    sell(folder.path(), beside.path(), 1..3);
    assert_eq!(run(&["report", "rebuild", store]).0, Some(0));
    let (_, whole, _) = run(&["report", "query", store, "staff", "--json"]);
    let file = folder.path().join("reports.db");
    let good = std::fs::read(&file).expect("a file");
    let mut torn = good.clone();
    torn[4_096..40_960].fill(0x5a);
    for (broken, how) in
        [(b"no database, and long enough to be taken for the header of one".to_vec(), "foreign"), (torn, "torn")]
    {
        std::fs::write(&file, broken).expect("a file");
        let (status, _, error) = run(&["report", "query", store, "staff"]);
        assert_eq!(status, Some(2), "{how}: {error}");
        let (status, _, error) = run(&["report", "rebuild", store]);
        assert_eq!(status, Some(0), "{how}: {error}");
        assert_eq!(run(&["report", "query", store, "staff", "--json"]).1, whole, "{how}");
    }
}

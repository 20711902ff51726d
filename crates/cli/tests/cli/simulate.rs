//! `taisai simulate`: results do not depend on threads or engine, and invalid simulations are refused with a reason.

use crate::common::run;

const TABLE: [&str; 5] = ["simulate", "--game", "tai-sai@6", "--layout", "A"];
const PLAY: [&str; 12] = [
    "--player",
    "martingale:big=5@500",
    "--player",
    "flat:small=10,sum:9=5@100",
    "--rounds",
    "200",
    "--sessions",
    "20",
    "--limit",
    "big=5..100",
    "--differential",
    "50",
];

#[test]
fn results_do_not_depend_on_threads_or_engine() {
    let run = |more: &[&str]| run(&[&TABLE, &PLAY[..], &["--json"], more].concat());
    let (status, alone, error) = run(&["--threads", "1"]);
    assert_eq!(status, Some(0), "{error}");
    for more in [&["--threads", "3"][..], &["--threads", "2", "--engine", "table"]] {
        assert_eq!(run(more).1, alone, "{more:?}");
    }
    assert_ne!(run(&["--seed", "2"]).1, alone);
    let players: serde_json::Value = serde_json::from_str(&alone).expect("JSON");
    assert_eq!(players[0]["expected_edge_exact"], "1/36");
}

#[test]
fn sessions_are_written_for_spreadsheets() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, script) = (folder.path().join("sessions.csv"), folder.path().join("script"));
    std::fs::write(&script, "# two rounds\nbig=10 sum:4=1\n-\n").expect("a script");
    let player = format!("script:{}@50", script.display());
    let csv = path.to_str().expect("a name");
    let args = [&TABLE[..], &["--player", &player, "--player", "random:1", "--sessions", "7", "--csv", csv]].concat();
    let (status, printed, error) = run(&args);
    assert_eq!(status, Some(0), "{error}");
    assert!(printed.contains("The bankroll at the end of a session"), "{printed}");
    let text = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(text.split("\r\n").count(), 1 + 7 * 2 + 1);
    assert!(text.starts_with("session,player,strategy,rounds,won,staked,net,lowest,highest,ruined"));
}

#[test]
fn only_played_rounds_are_counted() {
    // Five dollars pay for one slip, so a player who plays until ruin stops long before a million rounds.
    let args = ["--player", "flat:any-triple=5@5", "--rounds", "1000000000", "--sessions", "3"];
    let (status, printed, error) = run(&[&TABLE[..], &args].concat());
    assert_eq!(status, Some(0), "{error}");
    let (_, played) = printed.split_once("3 sessions of at most 1000000000 rounds from seed 1: ").expect("a heading");
    let (played, _) = played.split_once(" round").expect("rounds");
    assert!(played.parse::<u64>().is_ok_and(|played| played < 1_000_000), "{printed}");
    assert!(error.contains(&format!("simulate: {played} rounds in ")), "{error}");
}

#[test]
fn boxes_are_counted_beside_their_exact_edges() {
    let args = ["--engine", "count", "--rounds", "2000000", "--json"];
    let (status, printed, error) = run(&[&TABLE[..], &args].concat());
    assert_eq!(status, Some(0), "{error}");
    let boxes: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    let boxes = boxes.as_array().expect("an array");
    assert_eq!(boxes.len(), 50);
    assert!(boxes.iter().all(|found| found["deviations"].as_f64().is_some_and(|deviations| deviations.abs() < 4.5)));
}

#[test]
fn invalid_simulations_are_refused() {
    for (args, expected) in [
        (&[][..], "no player"),
        (&["--player", "flat:big=5", "--engine", "count"], "has neither players nor limits"),
        (&["--unit", "5", "--engine", "count"], "so no --unit"),
        (&["--sessions", "2", "--engine", "count"], "so no --sessions"),
        (&["--bankroll", "50", "--engine", "count"], "so no --bankroll"),
        (
            &["--player", "flat:big=5", "--csv", "/nowhere/s.csv", "--sessions", "4999999"],
            "cannot write /nowhere/s.csv",
        ),
        (&["--player", "lucky:big=5"], "strategies are flat"),
        (&["--player", "flat:big=5@0"], "a bankroll is from 0.01"),
        (&["--player", "flat:big=5", "--rounds", "0"], "0 is not in"),
        (&["--player", "flat:big=5", "--sessions", "99999999"], "from 1 to 5000000 results"),
        (&["--player", "flat:big=5", "--limit", "big=10..20"], "below the minimum"),
        (&["--player", "flat:big=5", "--limit", "big=20..10"], "is above the maximum"),
        (&["--player", "flat:big=5", "--unit", "0"], "unit"),
        (&["--player", "flat:big=5", "--threads", "0"], "--threads"),
        (&["--player", "flat:big=5", "--threads", "100000"], "100000 is not in 1..=1024"),
    ] {
        let (status, _, error) = run(&[&TABLE, args].concat());
        assert_eq!(status, Some(2), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

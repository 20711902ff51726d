//! `taisai slip` for people and for programs.

use crate::common::run;

const A: [&str; 5] = ["slip", "--game", "tai-sai@6", "--layout", "A"];

fn slip(more: &[&str]) -> (Option<i32>, String, String) {
    run(&[&A, more].concat())
}

#[test]
fn slip_prints_one_round_and_many() {
    let (status, printed, error) = slip(&["big=100", "small=100", "sum:4=10", "--rounds", "100", "--bankroll", "5000"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    for expected in [
        "big and small never win together; both lose on 6 of 216; together they can never win",
        "where sum:4 wins, small wins too",
        "After 100 rounds of the same",
        "every chance is within",
        "Risk of ruin with 5,000.00",
        "within 100",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
}

#[test]
fn slip_json_has_exact_numbers() {
    let (_, printed, _) = slip(&["big=1", "--rounds", "100", "--bankroll", "20", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!((&answer["mean"], &answer["results"]), (&"-25/9".into(), &serde_json::json!([[-100, 111], [100, 105]])));
    assert_eq!(answer["rounds"]["mean"], "-2500/9");
    let close = |found: &serde_json::Value, expected: f64| (found.as_f64().expect("a number") - expected).abs() < 1e-9;
    assert!(close(&answer["rounds"]["behind"], 0.570_874_822_948_944_1), "{printed}");
    assert!(answer["ruin"].as_f64().is_some_and(|ruin| ruin > 0.05 && ruin < 0.2), "{printed}");
}

#[test]
fn slip_chart_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("slip.svg");
    let (status, ..) = slip(&["sum:9=5", "--rounds", "50", "--svg", path.to_str().expect("a name")]);
    let svg = std::fs::read_to_string(path).expect("a picture");
    assert!(status == Some(0) && svg.starts_with("<svg") && svg.matches("<rect").count() > 12);
}

#[test]
fn invalid_slips_are_refused() {
    for (args, expected) in [
        (&[][..], "BOX=STAKE"),
        (&["big"], "a bet is written like big=100"),
        (&["huge=5"], "huge"),
        (&["big=5.005"], "an amount is written like"),
        (&["big=0"], "must be above zero"),
        (&["odd=5"], "odd is not on this layout"),
        (&["big=5", "--rounds", "0"], "0 is not in"),
        (&["big=5", "--rounds", "99999999"], "is not in"),
        (&["big=5", "--bankroll", "100"], "--rounds"),
        (&["big=5", "--svg", "/nowhere/slip.svg"], "cannot write /nowhere/slip.svg"),
        (&["big=5", "--rounds", "5", "--bankroll", "2"], "does not cover the slip once"),
    ] {
        let (status, _, error) = slip(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

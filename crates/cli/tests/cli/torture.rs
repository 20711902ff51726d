//! The simulator and its replay, as a person runs them.

use crate::common::taisai;

const GAMES: [&str; 4] = ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"];

/// The hash that is printed at the end of a line of the first table.
fn final_state(summary: &str) -> &str {
    let words = summary.split_whitespace();
    words.into_iter().find(|word| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit())).expect("a hash")
}

#[test]
fn every_game_withstands_500_rounds() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let games = GAMES.map(|game| {
        let folder = folder.to_owned();
        std::thread::spawn(move || taisai(&folder, &["torture", "--seed", "2024", "--rounds", "500", "--game", game]))
    });
    for (run, game) in games.into_iter().zip(GAMES) {
        let (status, printed, error) = run.join().unwrap();
        assert_eq!(status, Some(0), "{game}: {printed}{error}");
        assert!(printed.contains("every invariant held"), "{printed}");
        let row = printed.lines().find(|line| line.trim_start().starts_with(game)).expect("a row for the game");
        let mut numbers = row.split_whitespace().skip(1).map(|number| number.parse::<u64>().unwrap_or(0));
        assert_eq!(numbers.next(), Some(500), "{row}");
        let a_round = numbers.nth(1).unwrap();
        assert!(a_round >= 30, "{a_round} commands a round: {row}");
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0, "a run that is well leaves no file");
}

#[test]
fn a_seed_gives_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |seed: &str| taisai(folder, &["torture", "--seed", seed, "--rounds", "40", "--terminals", "3"]).1;
    let first = run("8");
    assert_eq!(first, run("8"));
    assert_ne!(final_state(&first), final_state(&run("9")));
    for game in GAMES {
        assert!(first.contains(game), "every game in turn: {first}");
    }
}

#[test]
fn a_replay_ends_where_the_run_did() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run =
        ["torture", "--seed", "5", "--rounds", "30", "--game", "tai-sai", "--layout", "E", "--save", "run.replay"];
    let (status, summary, error) = taisai(folder, &run);
    assert_eq!(status, Some(0), "{summary}{error}");
    let hash = final_state(&summary);

    let (status, lines, _) = taisai(folder, &["replay", "run.replay"]);
    assert_eq!(status, Some(0));
    assert!(lines.trim_end().ends_with(&format!("final state {hash}, as the run ended")), "{}", lines.len());
    let entries = lines.lines().count() - 1;

    let (status, json, _) = taisai(folder, &["replay", "run.replay", "--json"]);
    assert_eq!((status, json.lines().count()), (Some(0), entries + 1));
    let steps: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(steps[entries]["final_state"], hash);
    assert!(
        steps[entries - 1]["round"].as_u64() >= Some(30),
        "a void round may end within the step that opens the next"
    );

    let at = (entries / 2).to_string();
    let (status, one, _) = taisai(folder, &["replay", "run.replay", "--json", "--at", &at]);
    assert_eq!(status, Some(0));
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert_eq!(one, steps[entries / 2 - 1], "as in the list");
    let (status, shown, _) = taisai(folder, &["replay", "run.replay", "--at", &at]);
    assert!(status == Some(0) && shown.contains("layout E") && shown.contains("On the layout"), "{shown}");
}

#[test]
fn a_damaged_file_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = ["torture", "--seed", "5", "--rounds", "5", "--game", "sic-bo-etg", "--save", "run.replay"];
    assert_eq!(taisai(folder, &run).0, Some(0));
    let good = std::fs::read(folder.join("run.replay")).unwrap();
    let check = |bytes: &[u8], expected: &str| {
        std::fs::write(folder.join("bad.replay"), bytes).unwrap();
        let (_, printed, error) = taisai(folder, &["replay", "bad.replay"]);
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(printed.is_empty(), "{expected}: {printed}");
    };
    check(b"", "bad.replay: byte 0: this is no replay file");
    check(&good[..good.len() - 40], "the file is cut off");
    check(&good[..good.len() - 1], &format!("byte {}: the file is cut off", good.len() - 32));
    check(&[&good[..], b"!"].concat(), &format!("byte {}: the file goes on after its end", good.len()));
    let mut newer = good.clone();
    newer[14] = 9;
    check(&newer, "byte 14: form 9 of replay files is not known");
    let mut header = good.clone();
    header[25] = b'!';
    check(&header, "byte 15: the header is damaged");

    // Another final state than that of the run is told, with the exit status.
    let mut other = good.clone();
    *other.last_mut().unwrap() ^= 1;
    std::fs::write(folder.join("other.replay"), other).unwrap();
    let (status, printed, _) = taisai(folder, &["replay", "other.replay"]);
    assert_eq!(status, Some(1));
    assert!(printed.contains("the run ended in"), "{}", printed.len());
    let (status, _, error) = taisai(folder, &["replay", "run.replay", "--at", "1000000"]);
    assert!(status == Some(2) && error.contains("entries, not 1000000"), "{error}");
}

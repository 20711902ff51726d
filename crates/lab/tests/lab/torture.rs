//! The simulator as a person runs it.

use data_encoding::HEXLOWER;
use taisai::replay::file::ReplayFile;

use crate::lab;

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
        std::thread::spawn(move || lab(&folder, &["torture", "--seed", "2024", "--rounds", "500", "--game", game]))
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
    let run = |seed: &str| lab(folder, &["torture", "--seed", seed, "--rounds", "40", "--terminals", "3"]).1;
    let first = run("8");
    assert_eq!(first, run("8"));
    assert_ne!(final_state(&first), final_state(&run("9")));
    for game in GAMES {
        assert!(first.contains(game), "every game in turn: {first}");
    }
}

#[test]
fn a_saved_run_ends_in_the_state_that_was_printed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run =
        ["torture", "--seed", "5", "--rounds", "30", "--game", "tai-sai", "--layout", "E", "--save", "run.replay"];
    let (status, summary, error) = lab(folder, &run);
    assert_eq!(status, Some(0), "{summary}{error}");
    let replay = ReplayFile::read(&std::fs::read(folder.join("run.replay")).unwrap()).unwrap();
    assert_eq!((replay.setup.layout.as_str(), HEXLOWER.encode(&replay.hash).as_str()), ("E", final_state(&summary)));
}

//! The commands as a person uses them: good input, bad input, exit status, help.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the program and gives its exit status, standard output and standard error.
fn taisai(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_taisai")).args(args).stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn commands_that_cannot_be_carried_out_say_why() {
    for (args, expected) in [
        (&["odds", "--game", "craps", "--layout", "A"][..], "there is no game \"craps\"; there are tai-sai-classic@1"),
        (&["odds", "--game", "tai-sai@5", "--layout", "A"], "there is no game \"tai-sai@5\""),
        (&["odds", "--game", "tai-sai", "--layout", "B"], "it has A, C, E"),
        (&["odds", "--game", "tai-sai"], "--layout"),
        (&["outcome", "--game", "tai-sai", "--layout", "A", "7"], "7 is not in 1..=6"),
        (&["outcome", "--game", "tai-sai", "--layout", "A", "1", "2", "3", "4"], "unexpected value '4'"),
        (&["games", "show", "--layout", "A"], "<GAME>"),
        (&["games", "check", "no-such-file.toml"], "cannot read no-such-file.toml"),
        (&["games", "--games", "no-such-folder"], "cannot read the folder no-such-folder"),
        (&["games", "--games", "src"], "there is no game (*.toml) in src"),
        (
            &["felt", "--game", "tai-sai", "--layout", "A", "-o", "no-such-folder/felt.svg"],
            "cannot write no-such-folder",
        ),
        (&["no-such-command"], "unrecognized subcommand"),
    ] {
        let (status, printed, error) = taisai(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert_eq!(printed, "", "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

#[test]
fn without_a_terminal_there_is_no_colour() {
    for args in [
        &["games"][..],
        &["games", "show", "tai-sai"],
        &["odds", "--game", "tai-sai", "--layout", "C"],
        &["outcome", "--game", "tai-sai", "--layout", "C", "4"],
    ] {
        let (status, printed, _) = taisai(args);
        assert_eq!(status, Some(0), "{args:?}");
        assert!(printed.lines().count() > 3 && !printed.contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn games_are_listed_with_what_they_are() {
    let (_, printed, _) = taisai(&["games"]);
    let line = printed.lines().find(|line| line.contains("tai-sai@6")).expect("the game");
    for part in ["003", "2023-10-06 08:00 +08:00", "covered", "A → 1 (50), C → 2 (104), E → 3 (107)"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let (_, json, _) = taisai(&["games", "--json"]);
    let games: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(games[3]["layouts"][1]["boxes"], 104);
}

#[test]
fn a_checked_file_is_well_or_has_all_its_faults_named() {
    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/tai-sai.toml");
    let (status, printed, _) = taisai(&["games", "check", game.to_str().unwrap()]);
    assert_eq!((status, printed.contains("tai-sai@6, boxes A 50, C 104, E 107")), (Some(0), true), "{printed}");

    let folder = std::env::temp_dir().join(format!("taisai-check-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = std::fs::read_to_string(game).unwrap();
    let broken = text.replacen("\"big\"", "\"bigg\"", 1).replacen("version = 6", "version = \"six\"", 1);
    std::fs::write(folder.join("broken.toml"), broken).unwrap();
    let file = folder.join("broken.toml");
    let (status, printed, _) = taisai(&["games", "check", file.to_str().unwrap()]);
    assert_eq!(status, Some(1));
    for part in ["broken.toml:6:11: wrong-type: ", ": unknown-box: \"bigg\"", ": odds-missing: big"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (status, _, error) = taisai(&["games", "--games", folder.to_str().unwrap()]);
    assert_eq!((status, error.matches("broken.toml:").count()), (Some(2), printed.lines().count()), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn games_of_a_folder_stand_in_place_of_the_programs_own() {
    let folder = std::env::temp_dir().join(format!("taisai-games-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/tai-sai.toml")).unwrap();
    let seven = text.replacen("version = 6", "version = 7", 1).replace("62 to 1", "60 to 1");
    std::fs::write(folder.join("tai-sai-7.toml"), &seven).unwrap();
    let games = folder.to_str().unwrap();
    let (status, printed, _) = taisai(&["--games", games, "odds", "--game", "tai-sai", "--layout", "A", "--json"]);
    assert_eq!(status, Some(0));
    assert!(printed.contains(r#""box":"sum:4","ways":3,"of":216,"pays":["60"]"#), "{printed}");
    assert_eq!(taisai(&["--games", games, "odds", "--game", "sic-bo-etg", "--layout", "A"]).0, Some(2));

    // Rules to come are not meant by the bare name.
    let future = seven.replacen("effective = 2023", "effective = 2999", 1);
    std::fs::write(folder.join("tai-sai-7.toml"), future).unwrap();
    let (status, _, error) = taisai(&["--games", games, "odds", "--game", "tai-sai", "--layout", "A"]);
    assert_eq!((status, error.contains("no version of tai-sai is in force now")), (Some(2), true), "{error}");
    assert_eq!(taisai(&["--games", games, "odds", "--game", "tai-sai@7", "--layout", "A"]).0, Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_partly_known_throw_has_certain_boxes() {
    let (_, json, _) = taisai(&["outcome", "--game", "tai-sai", "--layout", "A", "6", "6", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(answer["established"], true);
    assert_eq!(answer["won"], serde_json::json!(["single:6", "double:6"]));
    let (_, printed, _) = taisai(&["outcome", "--game", "tai-sai", "--layout", "A"]);
    assert!(printed.contains("No outcome is established"), "{printed}");
}

#[test]
fn felts_are_drawn_to_a_file_or_to_standard_output() {
    let file = std::env::temp_dir().join(format!("taisai-felt-{}.svg", std::process::id()));
    let args = ["felt", "--game", "tai-sai", "--layout", "C"];
    let (status, printed, _) = taisai(&[&args[..], &["-o", file.to_str().unwrap()]].concat());
    assert_eq!((status, printed.as_str()), (Some(0), ""));
    let drawn = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("大") && drawn.contains("单"));
    assert_eq!(taisai(&args).1, drawn);
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, printed, _) = taisai(&["completions", shell]);
        assert_eq!((status, printed.contains("settle")), (Some(0), true), "{shell}");
    }
}

#[test]
fn settle_answers_a_line_before_the_next_is_sent() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    let mut child = command.arg("settle").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    for face in 1..=6 {
        writeln!(stdin, r#"{{"game":"tai-sai","layout":"A","dice":[{face},1,2],"bets":[]}}"#).unwrap();
        assert!(answers.next().expect("an answer").unwrap().starts_with(r#"{"lines":[]"#));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.args(["games", "show"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

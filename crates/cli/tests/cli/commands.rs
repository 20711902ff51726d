//! The commands as a person uses them: good input, bad input, exit status, help.

use std::process::Command;

use crate::common::run;

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tai-sai.toml");
const TEXT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/texts/tai-sai.toml");

#[test]
fn commands_that_fail_print_the_reason() {
    for (args, expected) in [
        (&["odds", "--game", "craps", "--layout", "A"][..], "there is no game \"craps\"; there are tai-sai-classic@1"),
        (&["odds", "--game", "tai-sai@5", "--layout", "A"], "there is no game \"tai-sai@5\""),
        (&["odds", "--game", "tai-sai", "--layout", "B"], "it has A, C, E"),
        (&["odds", "--game", "tai-sai"], "--layout"),
        (&["outcome", "--game", "tai-sai", "--layout", "A", "7"], "7 is not in 1..=6"),
        (&["outcome", "--game", "tai-sai", "--layout", "A", "1", "2", "3", "4"], "unexpected value '4'"),
        (&["games", "show", "--layout", "A"], "<GAME>"),
        (&["games", "--games", "no-such-folder"], "cannot read the folder no-such-folder"),
        (&["games", "--games", "src"], "no game (*.toml) in src"),
        (
            &["felt", "--game", "tai-sai", "--layout", "A", "-o", "no-such-folder/felt.svg"],
            "cannot write no-such-folder",
        ),
        (&["no-such-command"], "unrecognized subcommand"),
        (&["torture", "--rounds", "5"], "this command moved: run taisai-lab torture"),
        (&["bench"], "taisai-lab bench"),
        (&["tumbler", "--table", "1"], "taisai-lab tumbler"),
    ] {
        let (status, printed, error) = run(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert_eq!(printed, "", "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

#[test]
fn output_without_a_terminal_has_no_colour() {
    for args in [
        &["games"][..],
        &["games", "show", "tai-sai"],
        &["odds", "--game", "tai-sai", "--layout", "C"],
        &["outcome", "--game", "tai-sai", "--layout", "C", "4"],
    ] {
        let (status, printed, _) = run(args);
        assert_eq!(status, Some(0), "{args:?}");
        assert!(printed.lines().count() > 3 && !printed.contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn games_are_listed_with_their_properties() {
    let (_, printed, _) = run(&["games"]);
    let line = printed.lines().find(|line| line.contains("tai-sai@6")).expect("the game");
    for part in ["003", "2023-10-06 08:00 +08:00", "covered", "A → 1 (50), C → 2 (104), E → 3 (107)"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let (_, json, _) = run(&["games", "--json"]);
    let games: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(games[3]["layouts"][1]["boxes"], 104);
}

#[test]
fn games_check_prints_every_fault() {
    let (status, printed, _) = run(&["games", "check", GAME]);
    assert_eq!(
        (status, printed.contains("tai-sai@6, approved, unchanged, boxes A 50, C 104, E 107")),
        (Some(0), true),
        "{printed}"
    );

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = std::fs::read_to_string(GAME).unwrap();
    let broken = text.replacen("\"big\"", "\"bigg\"", 1).replacen("version = 6", "version = \"six\"", 1);
    std::fs::write(folder.join("broken.toml"), broken).unwrap();
    let file = folder.join("broken.toml");
    let (status, printed, _) = run(&["games", "check", file.to_str().unwrap()]);
    assert_eq!(status, Some(1));
    for part in ["broken.toml:6:11: wrong-type: ", ": unknown-box: \"bigg\"", ": odds-missing: big"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let (status, _, error) = run(&["games", "--games", folder.to_str().unwrap()]);
    assert_eq!(
        (status, error.matches("broken.toml:").count()),
        (Some(2), printed.matches("fault  ").count()),
        "{error}"
    );
}

#[test]
fn unreadable_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [binary, huge, missing] = ["binary.toml", "huge.toml", "missing.toml"].map(|name| folder.join(name));
    std::fs::write(&binary, b"# \xe9\xaa\xb0\nid = '\xff'\n").unwrap();
    std::fs::File::create(&huge).unwrap().set_len(1 << 34).unwrap();
    let [binary, huge, missing] = [&binary, &huge, &missing].map(|path| path.to_str().unwrap());
    let unread = folder.to_str().unwrap();

    let (status, printed, error) = run(&["games", "check", missing, binary, unread, huge, GAME]);
    let is_excerpt = |line: &&str| line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).starts_with('|');
    let lines: Vec<_> = printed.lines().filter(|line| !is_excerpt(line)).collect();
    let starts = [
        format!("error  {missing}: No such file"),
        format!("fault  {binary}:2:7: syntax: "),
        format!("error  {unread}: this is not a regular file"),
        format!("fault  {huge}:1:1: syntax: the file of a game has at most 1048576 bytes"),
        format!("ok     {GAME}: tai-sai@6"),
    ];
    assert_eq!(lines.len(), starts.len(), "{printed}");
    assert!(lines.iter().zip(&starts).all(|(line, start)| line.starts_with(start)), "{printed}");
    assert_eq!(status, Some(2));
    assert!(error.contains("2 of 5 files cannot be read"), "{error}");

    let (status, json, _) = run(&["games", "check", "--json", missing, binary, GAME]);
    let checked: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(status, Some(2));
    assert!(checked[0]["error"].as_str().unwrap().starts_with("No such file") && checked[0]["faults"].is_null());
    assert_eq!((&checked[1]["faults"][0]["line"], &checked[1]["faults"][0]["code"]), (&2.into(), &"syntax".into()));
    assert_eq!(checked[2], serde_json::json!({ "file": GAME, "faults": [] }));
    assert_eq!(run(&["games", "check", binary, GAME]).0, Some(1), "all could be read");
}

/// F105: a file that is changed on purpose, what is compared, the boxes or kinds that differ, and the two values.
#[test]
fn every_difference_between_two_files_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let games = folder.join("games");
    std::fs::create_dir(&games).unwrap();
    let text = std::fs::read_to_string(GAME).unwrap();
    std::fs::write(games.join("tai-sai.toml"), &text).unwrap();
    let (games, file) = (games.to_str().unwrap(), folder.join("changed.toml"));
    let file = file.to_str().unwrap();
    let named = |edits: &[(&str, &str)]| {
        let changed = edits.iter().fold(text.clone(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        std::fs::write(file, changed).unwrap();
        let (status, json, error) = run(&["--games", games, "games", "check", "--json", file]);
        assert_eq!(status, Some(0), "{error}");
        let all: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        assert_eq!(all[0], serde_json::json!({ "file": file, "faults": [] }));
        all[1..].to_vec()
    };
    let before = named(&[]);
    for (edits, aspect, of, layout, values) in [
        (
            &[(
                "    { type = \"Total Sum Combination (4 or 17) Bet\",  rules = \"Total Sum of 4 or 17\",             pays = \"62 to 1\"",
                "    { type = \"Total Sum Combination (4 or 17) Bet\",  rules = \"Total Sum of 4 or 17\",             pays = \"60.5 to 1\"",
            )][..],
            "odds",
            &["sum:4", "sum:17"][..],
            "A",
            ["62", "121/2"],
        ),
        (
            &[(r#"rules = "Three Dice with same value""#, r#"rules = "Any three of a kind""#)],
            "rows",
            &["any-triple"],
            "A",
            ["Any Triple Bet: Three Dice with same value", "Any Triple Bet: Any three of a kind"],
        ),
        (
            &[(r#"[["double:6", "double:5", "double:4"]]"#, r#"[["double:4", "double:5", "double:6"]]"#)],
            "order",
            &["double"],
            "A",
            ["6 5 4 3 2 1", "4 5 6 3 2 1"],
        ),
        (
            &[("{ at = [  0,  69, 168,  15]", "{ at = [  0,  69, 168,  14]")],
            "places",
            &["single"],
            "A",
            ["168 × 90: 0,69 6×28×15", "168 × 90: 0,69 6×28×14"],
        ),
        (
            &[(r#"["TRIPLE {word}"]"#, r#"["{word} THREE TIMES"]"#)],
            "words",
            &["triple"],
            "A",
            ["TRIPLE {word}", "{word} THREE TIMES"],
        ),
        (
            &[(r#"["ON EACH 2 DICE COMBINATION 1 WINS {odds}"]"#, r#"["ON EACH 1 WINS {odds}"]"#)],
            "captions",
            &["domino"],
            "A",
            ["ON EACH 2 DICE COMBINATION 1 WINS {odds} at 0,56 18×13", "ON EACH 1 WINS {odds} at 0,56 18×13"],
        ),
        (
            &[
                (r#"boxes = ["small"] },"#, r#"boxes = ["small", "odd"] },"#),
                ("size = [168, 90]", "size = [169, 90]"),
                ("blocks = [", "blocks = [{ at = [168, 0, 1, 1], rows = [['odd']] },"),
                ("[layouts.felt.words]", "[layouts.felt.words]\nodd = ['1 WINS {odds}']"),
            ],
            "boxes",
            &["odd"],
            "A",
            ["not on", "on"],
        ),
    ] {
        let found = named(edits);
        let difference = found.iter().find(|difference| {
            difference["aspect"] == aspect && difference["of"] == serde_json::json!(of) && !before.contains(difference)
        });
        let difference = difference.unwrap_or_else(|| panic!("{aspect} of {of:?}: {found:#?}"));
        let value = |name: &str| {
            let has = |value: &&serde_json::Value| value["layouts"].as_array().unwrap().contains(&name.into());
            difference["values"].as_array().unwrap().iter().find(has).unwrap()["value"].clone()
        };
        let known = value(&format!("tai-sai@6 {layout}"));
        assert_eq!([known, value(&format!("tai-sai@6 {layout} ({file})"))], values, "{aspect}");
    }
    let (_, printed, _) = run(&["--games", games, "games", "check", file]);
    assert!(printed.contains("6 layouts compared") && printed.contains("\n  odd\n    not on\n"), "{printed}");
    std::fs::write(file, &text).unwrap();
    let (_, printed, _) = run(&["--games", games, "games", "check", file]);
    assert!(printed.contains("3 layouts compared"), "the same file is compared once: {printed}");
    let (status, _, error) = run(&["--games", "/nowhere", "games", "check"]);
    assert_eq!((status, error.contains("/nowhere")), (Some(2), true), "{error}");
}

#[cfg(unix)]
#[test]
fn endless_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pipe = folder.join("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in ["/dev/zero", pipe.to_str().unwrap()] {
        let (status, printed, _) = run(&["games", "check", file]);
        assert_eq!((status, printed), (Some(2), format!("error  {file}: this is not a regular file\n")));
    }
    let (status, _, error) = run(&["games", "--games", folder.to_str().unwrap()]);
    assert_eq!((status, error.contains("pipe.toml: this is not a regular file")), (Some(2), true), "{error}");
}

#[test]
fn all_faults_of_a_games_folder_are_reported_in_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = std::fs::read_to_string(GAME).unwrap();
    let games = folder.to_str().unwrap();
    for name in ["a.toml", ".hidden.toml", "notes.txt"] {
        std::fs::write(folder.join(name), &text).unwrap();
    }
    assert_eq!(run(&["--games", games, "games"]).0, Some(0), "neither hidden files nor others are games");

    std::fs::write(folder.join("b.toml"), &text).unwrap();
    std::fs::write(folder.join("c.toml"), text.replacen("version = 6", "version = 0", 1)).unwrap();
    std::fs::write(folder.join("d.toml"), b"\xff").unwrap();
    std::fs::create_dir(folder.join("e.toml")).unwrap();
    let (status, printed, error) = run(&["--games", games, "games"]);
    assert_eq!((status, printed.as_str()), (Some(2), ""));
    let lines: Vec<_> = error.lines().skip(1).map(|line| line.trim_start().trim_start_matches(games)).collect();
    let starts = [
        "/b.toml: the game tai-sai@6 is there twice",
        "/c.toml:6:11: bad-value: ",
        "/d.toml:1:1: syntax: ",
        "/e.toml: this is not a regular file",
    ];
    assert_eq!(lines.len(), starts.len(), "{error}");
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{error}");
}

#[test]
fn json_flag_may_precede_or_follow_the_subcommand() {
    for (before, after) in [
        (&["games", "--json", "show", "tai-sai"][..], &["games", "show", "tai-sai", "--json"][..]),
        (&["games", "--json", "check", GAME], &["games", "check", GAME, "--json"]),
        (&["games", "--json", "rules", "--game", "tai-sai"], &["games", "rules", "--game", "tai-sai", "--json"]),
    ] {
        let (status, json, _) = run(before);
        assert_eq!(status, Some(0), "{before:?}");
        assert!(serde_json::from_str::<serde_json::Value>(&json).unwrap().is_array(), "{before:?}");
        assert_eq!(run(after).1, json, "{after:?}");
    }
}

#[test]
fn paragraph_is_printed_with_its_context() {
    for (game, paragraph, numbers) in [
        ("tai-sai", "5.5.1", &["5", "5.5", "5.5.1", "5.5"][..]),
        ("tai-sai", "5.4", &["5", "5.4", "5.4.1", "5.4.2"]),
        ("tai-sai-classic", "3.2", &["3", "3.2"]),
        ("tai-sai-classic", "003:5.14", &["5", "5.14"]),
    ] {
        let (status, json, _) = run(&["games", "rules", "--game", game, paragraph, "--json"]);
        let passages: serde_json::Value = serde_json::from_str(&json).unwrap();
        let found: Vec<_> =
            passages.as_array().unwrap().iter().map(|passage| passage["number"].as_str().unwrap()).collect();
        assert_eq!((status, found.as_slice()), (Some(0), numbers), "{game} {paragraph}");
    }
    let (_, printed, _) = run(&["games", "rules", "--game", "tai-sai", "5.14"]);
    assert!(printed.contains("  5.14    Where provisions in the Game Rules do not provide"), "{printed}");
}

#[test]
fn unknown_paragraph_error_names_its_neighbours() {
    for (paragraph, message) in [
        ("5.15", "document 003 has no paragraph 5.15; near it are 5.13, 5.14"),
        ("001:3.6", "document 001 has no paragraph 3.6; near it are 3.4, 3.5, 4, 4.1"),
        ("999:1", "there is no text of document 999 here"),
        ("five", "a paragraph is written like \"4.1.1\""),
    ] {
        let (status, printed, error) = run(&["games", "rules", "--game", "tai-sai", paragraph]);
        assert_eq!((status, printed.as_str()), (Some(2), ""), "{paragraph}");
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn games_of_a_folder_have_the_texts_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::copy(GAME, folder.join("tai-sai.toml")).unwrap();
    let games = folder.to_str().unwrap();
    let rules = ["--games", games, "games", "rules", "--game", "tai-sai", "1.4"];
    assert!(run(&rules).2.contains("there is no text of document 003 here"));

    std::fs::create_dir(folder.join("texts")).unwrap();
    let text = std::fs::read_to_string(TEXT).unwrap();
    std::fs::write(folder.join("texts/003.toml"), &text).unwrap();
    assert!(run(&rules).1.contains("House refers to the Casino Operator."));

    std::fs::write(folder.join("texts/003.toml"), text.replace("\"5.14\"", "\"5.15\"")).unwrap();
    let (status, _, error) = run(&rules);
    assert_eq!(status, Some(2));
    assert!(error.contains("texts/003.toml:") && error.contains("tai-sai@6 cites 5.14"), "{error}");
}

#[test]
fn games_of_a_folder_replace_the_embedded_ones() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = std::fs::read_to_string(GAME).unwrap();
    let seven = text.replacen("version = 6", "version = 7", 1).replace("62 to 1", "60 to 1");
    std::fs::write(folder.join("tai-sai-7.toml"), &seven).unwrap();
    let games = folder.to_str().unwrap();
    let (status, printed, _) = run(&["--games", games, "odds", "--game", "tai-sai", "--layout", "A", "--json"]);
    assert_eq!(status, Some(0));
    assert!(printed.contains(r#""box":"sum:4","ways":3,"of":216,"pays":["60"]"#), "{printed}");
    assert_eq!(run(&["--games", games, "odds", "--game", "sic-bo-etg", "--layout", "A"]).0, Some(2));

    // The bare name does not mean rules that take effect later.
    let future = seven.replacen("effective = 2023", "effective = 2999", 1);
    std::fs::write(folder.join("tai-sai-7.toml"), future).unwrap();
    let (status, _, error) = run(&["--games", games, "odds", "--game", "tai-sai", "--layout", "A"]);
    assert_eq!(status, Some(2));
    assert!(
        error.contains("no version of tai-sai is in force now; name the version you mean, like tai-sai@7"),
        "{error}"
    );
    assert_eq!(run(&["--games", games, "odds", "--game", "tai-sai@7", "--layout", "A"]).0, Some(0));
}

#[test]
fn partly_known_throw_has_certain_boxes() {
    let (_, json, _) = run(&["outcome", "--game", "tai-sai", "--layout", "A", "6", "6", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(answer["established"], true);
    assert_eq!(answer["won"], serde_json::json!(["single:6", "double:6"]));
    let (_, printed, _) = run(&["outcome", "--game", "tai-sai", "--layout", "A"]);
    assert!(printed.contains("No outcome is established"), "{printed}");
}

#[test]
fn felts_are_drawn_to_a_file_or_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("felt.svg");
    let args = ["felt", "--game", "tai-sai", "--layout", "C"];
    let (status, printed, _) = run(&[&args[..], &["-o", file.to_str().unwrap()]].concat());
    assert_eq!((status, printed.as_str()), (Some(0), ""));
    let drawn = std::fs::read_to_string(&file).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.contains("大") && drawn.contains("单"));
    assert_eq!(run(&args).1, drawn);
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (status, printed, _) = run(&["completions", shell]);
        assert_eq!((status, printed.contains("settle")), (Some(0), true), "{shell}");
    }
}

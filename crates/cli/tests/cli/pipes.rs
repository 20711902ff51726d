//! The program in a pipeline: it answers line by line, and fails when its output cannot be written.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

const SLIP: &str = r#"{"game":"tai-sai","layout":"A","dice":[1,2,3],"bets":[]}"#;

fn taisai(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn line_is_settled_before_the_next_is_complete() {
    let mut child = taisai(&["settle"]).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    let (half, rest) = SLIP.split_at(20);
    write!(stdin, "{SLIP}\n{half}").unwrap();
    assert!(answers.next().expect("an answer").unwrap().starts_with(r#"{"lines":[]"#));
    writeln!(stdin, "{rest}").unwrap();
    assert!(answers.next().expect("an answer").unwrap().starts_with(r#"{"lines":[]"#));
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn line_of_the_maximum_length_is_read() {
    let longest = 1 << 20;
    let padded = |len: usize| format!("{SLIP}{}", " ".repeat(len - SLIP.len()));
    let mut child = taisai(&["settle"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || writeln!(stdin, "{}\n{}", padded(longest), padded(longest + 1)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<_> = answers.lines().collect();
    assert!(answers[0].starts_with(r#"{"lines":[]"#), "{}", answers[0]);
    assert!(answers[1].contains("line-too-long"), "{}", answers[1]);
}

/// Closing the pipe early is no error for a table of odds, but it is one for a settlement.
#[test]
fn closed_pipe_ends_the_program() {
    for (args, status) in [
        (&["games", "show"][..], 0),
        (&["games", "--json"], 0),
        (&["odds", "--game", "tai-sai", "--layout", "C", "--json"], 0),
        (&["outcome", "--game", "tai-sai", "--layout", "C", "--json"], 0),
        (&["settle"], 2),
    ] {
        let mut child = taisai(args).spawn().unwrap();
        drop(child.stdout.take());
        // The program may end before it reads anything.
        writeln!(child.stdin.take().unwrap(), "{SLIP}").ok();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {error}");
        assert_eq!(error.is_empty(), status == 0, "{args:?}: {error}");
    }
}

#[test]
fn full_disk_is_an_error_not_a_panic() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full");
    for args in [
        &["games"][..],
        &["odds", "--game", "tai-sai", "--layout", "C", "--json"],
        &["outcome", "--game", "tai-sai", "--layout", "C", "--json"],
        &["felt", "--game", "tai-sai", "--layout", "C"],
    ] {
        let output = taisai(args).stdout(full()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains("No space left"), "{args:?}: {error}");
    }
}

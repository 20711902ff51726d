//! What cannot be done is said, with what to do about it.

use std::path::Path;

use crate::lab;

#[test]
fn failing_commands_give_a_reason() {
    for (args, expected) in [
        (&["torture", "--game", "craps"][..], "there is no game \"craps\""),
        (&["torture", "--games", "no-such-folder"], "cannot read the folder no-such-folder"),
        (
            &["bench", "--program", "no-such-program"],
            "there is no no-such-program: build it with make lab, or name it with",
        ),
        (&["tumbler", "--server", "https://house", "--table", "1", "--key", "tumbler.key"], "does not speak TLS"),
        (&["serve"], "unrecognized subcommand 'serve'"),
    ] {
        let (status, printed, error) = lab(Path::new("."), args);
        assert_eq!((status, printed.as_str()), (Some(2), ""), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

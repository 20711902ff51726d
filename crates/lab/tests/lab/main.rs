//! The commands of `taisai-lab`, each run as a person runs it.

mod commands;
mod torture;

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the program in a folder and gives its exit status, standard output and standard error.
fn lab(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai-lab"));
    let output = command.args(args).current_dir(folder).stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

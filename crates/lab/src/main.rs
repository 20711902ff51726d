//! The `taisai-lab` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    taisai_lab::main()
}

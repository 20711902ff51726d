//! The `taisai` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    taisai::main()
}

//! The `taisai` program.

use std::process::ExitCode;

/// Thousands of terminals connect one after the other, each with large buffers for a moment and small ones for days. This allocator
/// gives the memory in between back.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    taisai::main()
}

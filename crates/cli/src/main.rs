//! The `taisai` program.

use std::process::ExitCode;

/// Thousands of terminals connect one after the other. Each needs large buffers briefly and small ones for days; this allocator
/// returns the memory between them to the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    taisai::main()
}

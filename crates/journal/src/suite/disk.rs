//! A disk that fails under a process: a library that is preloaded. `disk.c` is the library, and says what it does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::memory::DiskStep;

/// How a process ends that flushes a handle again after a flush of it failed.
pub const FLUSHED_AGAIN: i32 = 10;

/// The step of a disk that fails, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskFailure {
    /// Which.
    pub at: DiskStep,
    /// How.
    pub how: FailureMode,
}

/// How a step of a disk fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureMode {
    /// Only this one, with an error.
    Once,
    /// This flush and all after it, with an error.
    ForEver,
    /// This write and all after it, as the disk is full.
    Full,
    /// Half of the bytes are written, and the disk is full for this once.
    Short,
    /// The machine stops there and then.
    Stop,
}

impl DiskFailure {
    /// A failure of every kind at each of this many writes and flushes.
    pub fn of_each(writes: u64, flushes: u64) -> impl Iterator<Item = Self> {
        const WRITES: [FailureMode; 4] = [FailureMode::Once, FailureMode::Full, FailureMode::Short, FailureMode::Stop];
        const FLUSHES: [FailureMode; 3] = [FailureMode::Once, FailureMode::ForEver, FailureMode::Stop];
        let writes = (1..=writes).flat_map(|step| WRITES.map(|how| Self { at: DiskStep::Write(step), how }));
        let flushes = (1..=flushes).flat_map(|step| FLUSHES.map(|how| Self { at: DiskStep::Flush(step), how }));
        writes.chain(flushes)
    }
}

/// It lies beside this program, where everything that is built lies: nothing would remove it elsewhere.
static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let program = std::env::current_exe().expect("this program");
    let (library, own) = (program.with_file_name("disk.so"), format!("disk-{}.so", std::process::id()));
    let own = program.with_file_name(own);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/suite/disk.c");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&own).arg(source).status();
    assert!(compiled.expect("a C compiler").success());
    // Another process may use the one that is there.
    fs::rename(&own, &library).expect("a library");
    library
});

/// The disk under one folder of a process.
#[derive(Debug)]
pub struct FailingDisk {
    folder: TempDir,
    counts: TempDir,
}

impl FailingDisk {
    /// A disk that holds copies of the files of a folder. It is in memory where it can be: the disk that fails is not the
    /// real one, and the real one is slow.
    ///
    /// # Panics
    /// If they cannot be copied.
    pub fn copied(from: &Path) -> Self {
        let folder = quick_folder();
        for entry in fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("a file");
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
        Self { folder, counts: quick_folder() }
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Puts it under a process that is not started yet.
    pub fn put_under(&self, command: &mut Command, failure: Option<DiskFailure>) {
        command.env("LD_PRELOAD", &*LIBRARY).env("DISK_FOLDER", self.folder());
        command.env("DISK_COUNTS", self.counts.path().join("counts")).env("DISK_DISPOSABLE", "snapshots.db");
        if let Some(DiskFailure { at, how }) = failure {
            let at = match at {
                DiskStep::Write(step) => format!("write:{step}"),
                DiskStep::Flush(step) => format!("flush:{step}"),
            };
            let how = match how {
                FailureMode::Once => "once",
                FailureMode::ForEver => "ever",
                FailureMode::Full => "full",
                FailureMode::Short => "short",
                FailureMode::Stop => "stop",
            };
            command.env("DISK_AT", at).env("DISK_HOW", how);
        }
    }

    /// How many writes and flushes the process made, now that it has ended by itself.
    ///
    /// # Panics
    /// If it has not.
    pub fn steps(&self) -> (u64, u64) {
        let counts = fs::read_to_string(self.counts.path().join("counts")).expect("the process has ended");
        let (writes, flushes) = counts.trim().split_once(' ').expect("two numbers");
        (writes.parse().expect("a number"), flushes.parse().expect("a number"))
    }
}

/// A folder in memory where there is such a place.
///
/// # Panics
/// If there is no place at all.
pub fn quick_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a folder")
}

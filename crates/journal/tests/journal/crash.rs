//! Stopping: at every write and flush of a run, once and for ever, with what was not flushed lost; and by a real kill
//! under load. Whatever happens, what was acknowledged is there afterwards, and once.
//!
//! The run is a process of its own, which is this test again (`run`). Every entry is a number, one higher than the last
//! of its chain, so that a missing or doubled one shows.

use std::path::Path;

use taisai_journal::suite::{
    DiskFailure, FLUSHED_AGAIN, FailingDisk, FailureMode, TemporaryServer, quick_folder, wait_until_alone,
};
use taisai_journal::{DiskFault, DiskStep, FaultDuration, MemoryStore};

use crate::load::{self, CHAINS, Run, RunOutput, numbers};

#[test]
#[ignore = "run by other tests, in a process of its own"]
fn run() {
    load::run_in_this_process();
}

/// How often a process is killed under load.
const KILLS: u64 = 20;

/// Kills a run after some answers, again and again, always on what the one before left.
fn kill_again_and_again(store: &str) {
    let mut acknowledged = [0; CHAINS.len()];
    for round in 0..KILLS {
        // Another number each time, spread over a few hundred.
        let answers = 1 + round * 7919 % 300;
        let output = Run::endless(store).kill_after(answers);
        if !Path::new(store).is_dir() {
            wait_until_alone(store);
        }
        check(store, &output, &mut acknowledged);
    }
    assert!(acknowledged.iter().sum::<u64>() > KILLS);
}

/// Everything that was ever acknowledged is in the store, each number once and in order.
fn check(store: &str, output: &RunOutput, acknowledged: &mut [u64; CHAINS.len()]) {
    let stored = numbers(store);
    for chain in 0..CHAINS.len() {
        acknowledged[chain] = acknowledged[chain].max(output.acknowledged[chain]);
        let expected: Vec<u64> = (0..).take(stored[chain].len()).collect();
        assert_eq!(stored[chain], expected, "{} in {store}", CHAINS[chain]);
        let known = u64::try_from(expected.len()).expect("a number");
        assert!(known >= acknowledged[chain], "{} acknowledged, {known} stored: {output:?}", acknowledged[chain]);
    }
}

#[test]
fn killed_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    kill_again_and_again(folder.path().to_str().unwrap());
}

#[test]
fn killed_on_postgres() {
    let server = TemporaryServer::shared();
    kill_again_and_again(&server.database());
}

#[test]
fn server_stopped_under_load_keeps_acknowledged_blocks() {
    let mut server = TemporaryServer::start();
    let address = server.database();
    let mut acknowledged = [0; CHAINS.len()];
    for answers in [10, 50] {
        let mut run = Run::endless(&address);
        run.wait_for(answers);
        server.crash();
        let output = run.end();
        assert!(output.stopped.contains("it is not known whether the blocks are stored"), "{output:?}");
        server.run("");
        check(&address, &output, &mut acknowledged);
    }
}

/// A run on a copy of a folder, over a disk that fails.
fn run_on_failing_disk(base: &Path, failure: Option<DiskFailure>) -> (FailingDisk, RunOutput) {
    let disk = FailingDisk::copied(base);
    let mut command = Run::short(path(disk.folder()));
    disk.put_under(&mut command, failure);
    let output = Run::start(command).end();
    // SQLite flushes a file again where it could not be made; there is nothing in it that could be lost.
    let may_flush_again = !base.join("journal.db").exists() && output.acknowledged == [0; CHAINS.len()];
    assert!(may_flush_again || output.status != Some(FLUSHED_AGAIN), "{failure:?}: a handle was flushed again");
    (disk, output)
}

fn path(folder: &Path) -> &str {
    folder.to_str().expect("a plain path")
}

/// Fails each write and each flush of a run that begins with that folder.
fn fail_at_every_step(base: &Path) {
    let is_new = !base.join("journal.db").exists();
    let before = if is_new { [0; 2] } else { numbers(path(base)).map(|n| n.len()) };
    let before = before.map(|count| u64::try_from(count).expect("a number"));
    let (whole, output) = run_on_failing_disk(base, None);
    assert_eq!(output.stopped, "", "the run ends well where nothing fails");
    check(path(whole.folder()), &output, &mut before.clone());
    let (writes, flushes) = whole.steps();
    assert!(writes > 5 && flushes > 5, "{writes} writes, {flushes} flushes");
    for failure in DiskFailure::of_each(writes, flushes) {
        let (disk, output) = run_on_failing_disk(base, Some(failure));
        eprintln!("{failure:?}");
        check(path(disk.folder()), &output, &mut before.clone());
    }
}

#[test]
fn new_folder_survives_a_disk_failure_at_any_step() {
    let folder = quick_folder();
    fail_at_every_step(folder.path());
}

#[test]
fn recovered_folder_survives_a_disk_failure_at_any_step() {
    // The process ended without closing anything, so the log is full and must be read again.
    let empty = tempfile::tempdir().unwrap();
    let (disk, output) =
        run_on_failing_disk(empty.path(), Some(DiskFailure { at: DiskStep::Flush(17), how: FailureMode::Stop }));
    assert!(output.acknowledged.iter().sum::<u64>() > 0, "{output:?}");
    fail_at_every_step(disk.folder());
}

#[test]
fn memory_store_survives_a_failure_at_any_step() {
    let memory = MemoryStore::default();
    let run = |memory: &MemoryStore| load::write_some(Box::new(memory.open()), &mut memory.clone(), 2);
    run(&memory);
    let (writes, flushes) = memory.steps();
    for lasts in [FaultDuration::Once, FaultDuration::ForEver] {
        for at in (1..=writes).map(DiskStep::Write).chain((1..=flushes).map(DiskStep::Flush)) {
            for short in [0, 3] {
                let memory = MemoryStore::default();
                memory.plan(DiskFault { at, lasts, short });
                let output = run(&memory);
                assert_ne!(output.stopped, "", "{at:?}");
                // Of what was not flushed, any number of bytes may be there.
                for kept in 0..=memory.unflushed() {
                    let memory = memory.fork();
                    memory.crash(kept);
                    let stored = load::read(&mut memory.clone());
                    for (stored, acknowledged) in stored.iter().zip(output.acknowledged) {
                        let count = u64::try_from(stored.len()).unwrap();
                        assert_eq!(*stored, (0..count).collect::<Vec<_>>());
                        assert!(count >= acknowledged, "{at:?} {lasts:?} {kept}");
                    }
                    assert_eq!(run(&memory).stopped, "", "it goes on after a crash");
                }
            }
        }
    }
}

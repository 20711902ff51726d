//! A failing disk: every write and every flush of a shift fails in every way, and unflushed data is lost. The table stops with
//! an error, nothing is acknowledged after that, and the next program finds everything that was acknowledged.

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use taisai_journal::DiskStep;
use taisai_journal::suite::{DiskFailure, FLUSHED_AGAIN, FailingDisk, FailureMode, quick_folder};

use crate::shift::{Plan, Shift, ShiftOutput};
use crate::test_store::{Acknowledged, TestStore};

/// The exit status of a process that stops because of its disk.
const STOPPED: i32 = 9;

fn play(base: &Path, plan: Plan, failure: Option<DiskFailure>) -> (FailingDisk, ShiftOutput) {
    let disk = FailingDisk::copied(base);
    let mut command = Shift::command(&TestStore::folder(disk.folder()), plan);
    disk.put_under(&mut command, failure);
    let output = Shift::start(command).end();
    (disk, output)
}

/// Fails each step of a shift that starts with that folder and these acknowledged commands.
fn fail_at_every_step(base: &Path, plan: Plan, acknowledged: &Acknowledged) {
    let (disk, output) = play(base, plan, None);
    assert_eq!((output.status, output.stopped.as_str(), output.warnings.len()), (Some(0), "", 0), "{output:?}");
    TestStore::folder(disk.folder()).check(&output, &mut acknowledged.clone());
    let (writes, flushes) = disk.steps();
    let failures = Mutex::new(DiskFailure::of_each(writes, flushes).collect::<Vec<_>>());
    assert!(writes > 30 && flushes > 10, "{writes} writes, {flushes} flushes");
    let work = || {
        loop {
            let Some(failure) = failures.lock().unwrap().pop() else { return };
            let (disk, output) = play(base, plan, Some(failure));
            println!("{failure:?}: {output:?}");
            check(base, failure, &output);
            TestStore::folder(disk.folder()).check(&output, &mut acknowledged.clone());
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
}

/// Checks the errors of a table whose disk fails.
fn check(base: &Path, failure: DiskFailure, output: &ShiftOutput) {
    if output.status == Some(FLUSHED_AGAIN) {
        // SQLite does this if it could not create a file; an empty file has nothing to lose.
        let is_new = !base.join("journal.db").exists() && output.answers.is_empty();
        return assert!(is_new, "{failure:?}: a handle was flushed again: {output:?}");
    }
    assert!(!output.answered_after_failure, "{failure:?}: a bet was acknowledged after it: {output:?}");
    let is_reported = !output.stopped.is_empty() || !output.warnings.is_empty();
    assert!(
        !output.chains_failed || is_reported || output.settled > 0,
        "{failure:?}: nothing was reported: {output:?}"
    );
    let reasons = [
        "the table has stopped: nothing more is recorded: ",
        "nothing more is recorded: ",
        "the chain could not be claimed: ",
        "the store cannot be read: ",
        "the anchor ",
        "the key file ",
        "the folder ",
        "/journal.db cannot be opened: ",
        "/journal.db cannot be copied into it and flushed: ",
    ];
    let has_reason = reasons.iter().any(|reason| output.stopped.contains(reason));
    assert!(output.stopped.is_empty() || has_reason, "{failure:?}: {}", output.stopped);
    // The order of threads varies, so the last steps may not be reached.
    let is_whole = output.status == Some(0) && (failure.how != FailureMode::Stop || output.settled > 0);
    let is_stopped = output.status == Some(STOPPED) && failure.how == FailureMode::Stop;
    assert!(is_whole || is_stopped, "{failure:?}: {output:?}");
}

#[test]
fn new_record_survives_a_disk_failure_at_any_step() {
    let folder = quick_folder();
    fail_at_every_step(folder.path(), Plan::OneRound, &Acknowledged::default());
}

#[test]
fn recovery_survives_a_disk_failure_at_any_step() {
    let empty = quick_folder();
    let stop = |flush| {
        play(empty.path(), Plan::OneRound, Some(DiskFailure { at: DiskStep::Flush(flush), how: FailureMode::Stop }))
    };
    // It stopped in the middle of a round with acknowledged bets. The order of threads varies, so the same flush may come too late.
    let is_within = |output: &ShiftOutput| output.answers.len() == 3 && output.settled == 0;
    let (disk, output) = (20..100).cycle().take(800).map(stop).find(|(_, output)| is_within(output)).unwrap();
    let mut acknowledged = Acknowledged::default();
    acknowledged.add(&output);
    fail_at_every_step(disk.folder(), Plan::Reopen, &acknowledged);
}

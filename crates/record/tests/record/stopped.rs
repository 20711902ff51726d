//! A disk that fails: at every write and every flush of a shift, in every way, with what was not flushed lost. The table stops
//! and says why, nothing is acknowledged after that, and whoever opens the record next finds all that was acknowledged.

use std::path::Path;
use std::sync::Mutex;
use std::thread;

use taisai_journal::Step;
use taisai_journal::suite::{FLUSHED_AGAIN, FailingDisk, Failure, How, quick_folder};

use crate::place::{Acknowledged, Place};
use crate::shift::{Plan, Said, Shift};

fn play(base: &Path, plan: Plan, failure: Option<Failure>) -> (FailingDisk, Said) {
    let disk = FailingDisk::copied(base);
    let mut command = Shift::command(&Place::folder(disk.folder()), plan);
    disk.put_under(&mut command, failure);
    let said = Shift::start(command).end();
    (disk, said)
}

/// Fails each step of a shift that begins with that folder, of which so much was acknowledged.
fn fail_at_every_step(base: &Path, plan: Plan, acknowledged: &Acknowledged) {
    let (disk, said) = play(base, plan, None);
    assert_eq!((said.status, said.stopped.as_str(), said.warnings.len()), (Some(0), "", 0), "{said:?}");
    Place::folder(disk.folder()).check(&said, &mut acknowledged.clone());
    let (writes, flushes) = disk.steps();
    let failures = Mutex::new(Failure::of_each(writes, flushes).collect::<Vec<_>>());
    println!("{writes} writes, {flushes} flushes");
    let work = || {
        let mut unnoticed = Vec::new();
        loop {
            let Some(failure) = failures.lock().unwrap().pop() else { return unnoticed };
            let (disk, said) = play(base, plan, Some(failure));
            check(base, failure, &said);
            Place::folder(disk.folder()).check(&said, &mut acknowledged.clone());
            if failure.how != How::Stop && said.stopped.is_empty() && said.warnings.is_empty() {
                unnoticed.push(failure);
            }
        }
    };
    let unnoticed: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    println!("{unnoticed:?}");
}

/// What a table says whose disk fails.
fn check(base: &Path, failure: Failure, said: &Said) {
    assert!(!said.spoke_after_stop, "{failure:?}: something was acknowledged after {}", said.stopped);
    let expected = if failure.how == How::Stop { 9 } else { 0 };
    // SQLite flushes a file again where it could not be made; there is nothing in it that could be lost.
    let is_new = !base.join("journal.db").exists() && said.answers.is_empty();
    let is_flushed_again = said.status == Some(FLUSHED_AGAIN);
    assert!(said.status == Some(expected) || is_new && is_flushed_again, "{failure:?}: {said:?}");
}

#[test]
fn a_new_book_on_a_disk_that_fails_at_any_step() {
    let folder = quick_folder();
    fail_at_every_step(folder.path(), Plan::OneRound, &Acknowledged::default());
}

#[test]
fn a_recovery_on_a_disk_that_fails_at_any_step() {
    let empty = quick_folder();
    let stop = |flush| play(empty.path(), Plan::OneRound, Some(Failure { at: Step::Flush(flush), how: How::Stop }));
    // A stop in the middle of a round, with bets that were acknowledged: the last before any is settled.
    let stops = (1..).map(stop).take_while(|(_, said)| said.settled == 0);
    let (disk, said) = stops.filter(|(_, said)| said.answers.len() == 3).last().unwrap();
    let mut acknowledged = Acknowledged::default();
    acknowledged.hear(&said);
    fail_at_every_step(disk.folder(), Plan::Reopen, &acknowledged);
}

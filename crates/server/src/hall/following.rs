//! How a cluster that runs apart from its dealer's side follows that by its record, wherever it is written.

use std::ops::ControlFlow;
use std::thread;
use std::time::{Duration, Instant};

use taisai_record::{Follower, Seen};
use taisai_table::Round;
use tokio::sync::mpsc;

use super::HallError;
use crate::table::TableMail;

/// How often it is looked whether a dealer's side has begun.
const LOOK: Duration = Duration::from_millis(100);

/// A dealer's side that nobody holds is opened by then.
const BEGINS: Duration = Duration::from_secs(10);

/// How often a cluster looks whether its round has gone on.
const FOLLOWS: Duration = Duration::from_millis(20);

/// The dealer's side of a table as its record has it, once it has begun.
pub(super) fn first_round(follower: &mut Follower<Round>) -> Result<Round, HallError> {
    let begun = Instant::now();
    loop {
        follower.follow(|_| ControlFlow::Continue(()))?;
        if let Some(round) = follower.machine() {
            return Ok(round.clone());
        }
        if begun.elapsed() > BEGINS {
            return Err(HallError::NotBegun);
        }
        thread::sleep(LOOK);
    }
}

/// Sends a cluster the dealer's side each time that its record has gone on, until nobody takes it any more. That it cannot be read
/// is told when that begins, and when it is over.
pub(super) fn follow_round(mut follower: Follower<Round>, mail: &mpsc::WeakSender<TableMail>) {
    let mut unread_since = None;
    loop {
        let mut has_changed = false;
        let followed = follower.follow(|seen| {
            has_changed |= matches!(seen, Seen::Block(..));
            ControlFlow::Continue(())
        });
        match (followed, unread_since) {
            (Err(error), None) => {
                unread_since = Some(Instant::now());
                tracing::warn!(%error, "the record of a round cannot be read: it is tried again until it can");
            }
            (Ok(()), Some(since)) => {
                unread_since = None;
                tracing::info!(seconds = since.elapsed().as_secs(), "the record of a round can be read again");
            }
            (Err(_), Some(_)) | (Ok(()), None) => {}
        }
        let Some(mail) = mail.upgrade() else { return };
        if let Some(round) = follower.machine().filter(|_| has_changed) {
            if mail.blocking_send(TableMail::Followed(Box::new(round.clone()))).is_err() {
                return;
            }
        } else if mail.is_closed() {
            return;
        }
        drop(mail);
        thread::sleep(FOLLOWS);
    }
}

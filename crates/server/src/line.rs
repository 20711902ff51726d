//! A line to a screen: a queue of messages that its connection sends. A screen that does not keep up is cut off: it comes back
//! and is shown everything anew.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{Notify, mpsc};

/// So many messages may wait for a slow screen.
const WAITING: usize = 256;

/// The sending end of a line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    queue: mpsc::Sender<Utf8Bytes>,
    cut: Arc<Notify>,
}

/// The end that a connection reads.
#[derive(Debug)]
pub(crate) struct Messages {
    queue: mpsc::Receiver<Utf8Bytes>,
    cut: Arc<Notify>,
}

impl Line {
    /// A new line.
    pub(crate) fn new() -> (Self, Messages) {
        let (sender, queue) = mpsc::channel(WAITING);
        let cut = Arc::new(Notify::new());
        (Self { queue: sender, cut: Arc::clone(&cut) }, Messages { queue, cut })
    }

    /// Puts a message into the queue; `false` if the line is dead: gone, or cut off as too slow.
    pub(crate) fn say(&self, message: Utf8Bytes) -> bool {
        let is_said = self.queue.try_send(message).is_ok();
        if !is_said {
            self.cut();
        }
        is_said
    }

    /// Ends the connection.
    pub(crate) fn cut(&self) {
        self.cut.notify_one();
    }

    /// Whether nobody reads it any more.
    pub(crate) fn is_dead(&self) -> bool {
        self.queue.is_closed()
    }

    /// Whether it is the same line.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.queue.same_channel(&other.queue)
    }
}

impl Messages {
    /// Waits for messages and takes all that wait; `false` if the line was cut off.
    pub(crate) async fn take(&mut self, into: &mut Vec<Utf8Bytes>) -> bool {
        tokio::select! {
            biased;
            () = self.cut.notified() => false,
            taken = self.queue.recv_many(into, WAITING) => taken > 0,
        }
    }
}

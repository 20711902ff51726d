//! Sends the messages of a publisher to other partitions without ever making the publisher wait.
//!
//! A partition thread waits for its publisher when too many batches are unpublished. If a publisher in turn waited for the full queue
//! of another partition's thread, two partitions that send each other messages could wait for each other for ever. So a message that
//! finds a full queue waits here, in a task of its own, and the publisher goes on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use taisai_engine::Message;
use tokio::sync::mpsc;

use crate::node::router::Router;

/// When this many messages wait for full queues, further ones are dropped: their senders repeat them, as they do for messages that
/// the network loses.
const MAX_WAITING_MESSAGES: usize = 4_096;

pub(crate) struct MessageForwarder {
    router: Weak<Router>,
    queue: mpsc::Sender<Message>,
    /// Messages in the queue, and the one that the task is sending.
    waiting: Arc<AtomicUsize>,
}

impl MessageForwarder {
    /// Starts the task in the current runtime. It ends when this is dropped.
    pub(crate) fn start(router: Weak<Router>) -> Self {
        let (queue, mut messages) = mpsc::channel(MAX_WAITING_MESSAGES);
        let waiting = Arc::new(AtomicUsize::new(0));
        let (waiting_in_task, router_in_task) = (Arc::clone(&waiting), Weak::clone(&router));
        tokio::spawn(async move {
            while let Some(message) = messages.recv().await {
                if let Some(router) = router_in_task.upgrade() {
                    router.send(message).await;
                }
                waiting_in_task.fetch_sub(1, Ordering::AcqRel);
            }
        });
        Self { router, queue, waiting }
    }

    /// Puts a message straight into the queue of its partition, unless that is full or earlier messages wait.
    pub(crate) fn send(&self, message: Message) {
        let Some(router) = self.router.upgrade() else { return };
        let is_idle = self.waiting.load(Ordering::Acquire) == 0;
        let unsent = if is_idle { router.try_send(message) } else { Some(message) };
        let Some(message) = unsent else { return };
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.queue.try_send(message).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            tracing::warn!("dropped a message between partitions because their queues are full; its sender repeats it");
        }
    }
}

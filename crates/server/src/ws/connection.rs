//! The queue of messages to one client. A client that does not keep up is disconnected: it reconnects and gets a new snapshot.
//!
//! There are tens of thousands of these queues, nearly always empty, and the reply to each bet passes one. So a queue is a list
//! behind a lock, which takes no memory while it is empty.

use std::future::poll_fn;
use std::mem::swap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use axum::extract::ws::Utf8Bytes;
use taisai_engine::ConnectionId;

/// A client for which more messages wait is disconnected.
const QUEUE_CAPACITY: usize = 256;

/// The sending end of a client's queue.
#[derive(Debug)]
pub(crate) struct Connection {
    id: ConnectionId,
    shared: Arc<Mutex<ConnectionState>>,
}

/// The receiving end, which the socket's task reads.
#[derive(Debug)]
pub(crate) struct ConnectionQueue {
    shared: Arc<Mutex<ConnectionState>>,
}

#[derive(Debug, Default)]
struct ConnectionState {
    waiting: Vec<Utf8Bytes>,
    /// The socket's task, while it waits.
    reader: Option<Waker>,
    senders: usize,
    is_closed: bool,
    is_read: bool,
}

impl Connection {
    pub(crate) fn new() -> (Self, ConnectionQueue) {
        static NEXT_CONNECTION: AtomicU64 = AtomicU64::new(0);
        let id = ConnectionId(NEXT_CONNECTION.fetch_add(1, Ordering::Relaxed));
        let shared = Arc::new(Mutex::new(ConnectionState { senders: 1, is_read: true, ..ConnectionState::default() }));
        (Self { id, shared: Arc::clone(&shared) }, ConnectionQueue { shared })
    }

    /// Queues a message; `false` if the connection has ended, or ends now because the client is too slow.
    pub(crate) fn send(&self, message: Utf8Bytes) -> bool {
        let mut shared = locked(&self.shared);
        if !shared.is_read || shared.is_closed {
            return false;
        }
        let has_room = shared.waiting.len() < QUEUE_CAPACITY;
        if has_room {
            shared.waiting.push(message);
        } else {
            shared.is_closed = true;
        }
        wake(shared);
        has_room
    }

    /// Ends the connection. Messages that wait are dropped.
    pub(crate) fn close(&self) {
        let mut shared = locked(&self.shared);
        shared.is_closed = true;
        wake(shared);
    }

    pub(crate) fn is_closed(&self) -> bool {
        let shared = locked(&self.shared);
        shared.is_closed || !shared.is_read
    }

    /// Unique in this process.
    pub(crate) const fn id(&self) -> ConnectionId {
        self.id
    }
}

impl Clone for Connection {
    fn clone(&self) -> Self {
        locked(&self.shared).senders += 1;
        Self { id: self.id, shared: Arc::clone(&self.shared) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut shared = locked(&self.shared);
        shared.senders -= 1;
        if shared.senders == 0 {
            wake(shared);
        }
    }
}

impl ConnectionQueue {
    /// Waits for messages and takes all of them; `false` if the connection was closed, or no sender is left.
    pub(crate) async fn take(&mut self, into: &mut Vec<Utf8Bytes>) -> bool {
        poll_fn(|context| {
            let mut shared = locked(&self.shared);
            if shared.is_closed {
                return Poll::Ready(false);
            }
            if !shared.waiting.is_empty() {
                if into.is_empty() {
                    swap(&mut shared.waiting, into);
                } else {
                    into.append(&mut shared.waiting);
                }
                return Poll::Ready(true);
            }
            if shared.senders == 0 {
                return Poll::Ready(false);
            }
            if !shared.reader.as_ref().is_some_and(|reader| reader.will_wake(context.waker())) {
                shared.reader = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await
    }
}

impl Drop for ConnectionQueue {
    fn drop(&mut self) {
        let mut shared = locked(&self.shared);
        (shared.is_read, shared.reader) = (false, None);
        shared.waiting = Vec::new();
    }
}

/// Wakes the socket's task after the lock is released.
fn wake(mut shared: MutexGuard<'_, ConnectionState>) {
    let reader = shared.reader.take();
    drop(shared);
    if let Some(reader) = reader {
        reader.wake();
    }
}

fn locked(shared: &Mutex<ConnectionState>) -> MutexGuard<'_, ConnectionState> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: usize) -> Utf8Bytes {
        number.to_string().into()
    }

    #[tokio::test]
    async fn messages_arrive_in_order_and_all_that_wait_are_taken_together() {
        let (connection, mut queue) = Connection::new();
        let mut taken = Vec::new();
        for number in 0..3 {
            assert!(connection.send(text(number)));
        }
        assert!(queue.take(&mut taken).await);
        assert!(connection.send(text(3)));
        assert!(queue.take(&mut taken).await);
        assert_eq!(taken, [text(0), text(1), text(2), text(3)]);
    }

    #[tokio::test]
    async fn a_message_wakes_the_socket() {
        let (connection, mut queue) = Connection::new();
        let mut taken = Vec::new();
        let (is_taken, is_sent) = tokio::join!(queue.take(&mut taken), async {
            tokio::task::yield_now().await;
            connection.clone().send(text(1))
        });
        assert!(is_taken && is_sent);
        assert_eq!(taken, [text(1)]);
    }

    #[tokio::test]
    async fn a_screen_that_does_not_keep_up_is_closed() {
        let (connection, mut queue) = Connection::new();
        assert!((0..QUEUE_CAPACITY).all(|number| connection.send(text(number))));
        assert!(!connection.send(text(QUEUE_CAPACITY)) && connection.is_closed());
        assert!(!queue.take(&mut Vec::new()).await, "what waits is not sent");
    }

    #[tokio::test]
    async fn a_queue_ends_with_its_last_sender() {
        let (connection, mut queue) = Connection::new();
        let other = connection.clone();
        drop(connection);
        assert!(other.send(text(1)));
        let mut taken = Vec::new();
        assert!(queue.take(&mut taken).await);
        let (is_taken, ()) = tokio::join!(queue.take(&mut taken), async {
            tokio::task::yield_now().await;
            drop(other);
        });
        assert!(!is_taken);
    }

    #[test]
    fn nothing_is_sent_to_a_disconnected_screen() {
        let (connection, queue) = Connection::new();
        drop(queue);
        assert!(connection.is_closed() && !connection.send(text(1)));
    }
}

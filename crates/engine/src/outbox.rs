//! What waits for an append. Nothing leaves a partition before what it rests on is durable: no reply, no view, no message to another
//! partition. This is the only place where it is released.

use std::collections::VecDeque;

use crate::planted::{Mistake, makes};

/// A batch of a partition's decisions, counted from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchNumber(pub u64);

/// Effects in the order of their batches.
#[derive(Debug)]
pub struct Outbox<E> {
    waiting: VecDeque<(BatchNumber, E)>,
    is_closed: bool,
}

impl<E> Default for Outbox<E> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), is_closed: false }
    }
}

impl<E> Outbox<E> {
    /// Holds what a batch leads to until the batch is durable. Batches come in order.
    pub fn hold(&mut self, batch: BatchNumber, effects: E) {
        debug_assert!(self.waiting.back().is_none_or(|(last, _)| *last < batch), "batches come in order");
        if !self.is_closed {
            self.waiting.push_back((batch, effects));
        }
    }

    /// The next effects that may leave, where all up to this batch is durable. Call it until there are none.
    ///
    /// `lease_holds` is whether the node's lease lasts. Once it does not, another node may answer for the partition: whatever
    /// waits then is dropped, and nothing leaves any more.
    pub fn release(&mut self, durable: BatchNumber, lease_holds: bool) -> Option<E> {
        if !lease_holds && !makes(Mistake::ReleaseAfterLease) {
            self.close();
        }
        let durable = if makes(Mistake::ReleaseBeforeDurable) { BatchNumber(durable.0 + 1) } else { durable };
        let is_durable = self.waiting.front().is_some_and(|(batch, _)| *batch <= durable);
        is_durable.then(|| self.waiting.pop_front())?.map(|(_, effects)| effects)
    }

    /// Drops what waits: the append failed, or its fate is unknown. Clients send their commands again under the same id.
    pub fn close(&mut self) {
        self.is_closed = true;
        self.waiting.clear();
    }

    /// Whether nothing leaves any more.
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn released(outbox: &mut Outbox<char>, durable: u64, lease_holds: bool) -> String {
        std::iter::from_fn(|| outbox.release(BatchNumber(durable), lease_holds)).collect()
    }

    #[test]
    fn effects_leave_in_order_once_their_batch_is_durable() {
        let mut outbox = Outbox::default();
        for (number, effects) in [(1, 'a'), (2, 'b'), (3, 'c')] {
            outbox.hold(BatchNumber(number), effects);
        }
        assert_eq!(released(&mut outbox, 0, true), "");
        assert_eq!(released(&mut outbox, 2, true), "ab");
        assert_eq!(released(&mut outbox, 2, true), "");
        assert_eq!(released(&mut outbox, 3, true), "c");
    }

    #[test]
    fn nothing_leaves_after_the_lease_or_a_failed_append() {
        let mut outbox = Outbox::default();
        outbox.hold(BatchNumber(1), 'a');
        assert_eq!(released(&mut outbox, 1, false), "");
        outbox.hold(BatchNumber(2), 'b');
        assert_eq!(released(&mut outbox, 2, true), "", "what was silent once stays so");
        assert!(outbox.is_closed());
        let mut outbox = Outbox::default();
        outbox.hold(BatchNumber(1), 'a');
        outbox.close();
        assert_eq!(released(&mut outbox, 1, true), "");
    }
}

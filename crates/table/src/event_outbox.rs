//! Significant events of a table's machine that the House does not hold yet (F32). They are raised with the entry that they tell of,
//! and stay until the House has recorded them: neither a restart nor a lost message loses one.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::codec;
use crate::house::ReportedEvent;
use crate::identity::CommandId;
use crate::refusal::Refusal;

/// The events in the order in which they were raised, each under the number by which the House knows it again. Numbers of one source
/// follow each other without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EventOutbox {
    newest: CommandId,
    waiting: VecDeque<(CommandId, ReportedEvent)>,
}

impl Default for EventOutbox {
    fn default() -> Self {
        Self { newest: CommandId { source: 0, sequence: 0 }, waiting: VecDeque::new() }
    }
}

impl EventOutbox {
    /// Takes an event. Its number is of the source that raises it.
    pub(crate) fn raise(&mut self, source: u64, what: ReportedEvent) {
        let before = if self.newest.source == source { self.newest.sequence } else { 0 };
        self.newest = CommandId { source, sequence: before + 1 };
        self.waiting.push_back((self.newest, what));
    }

    /// Whether the House may say that it holds the events up to this one.
    pub(crate) fn may_hold(&self, last: CommandId) -> Result<(), Refusal> {
        if self.waiting.iter().any(|(id, _)| *id == last) { Ok(()) } else { Err(Refusal::OutOfOrder) }
    }

    /// The House holds the events up to this one.
    pub(crate) fn held(&mut self, last: CommandId) {
        let held = self.waiting.iter().position(|(id, _)| *id == last).map_or(0, |place| place + 1);
        self.waiting.drain(..held);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (CommandId, ReportedEvent)> {
        self.waiting.iter().copied()
    }

    /// Whether any event was ever raised. An outbox that never held one is no part of the state: a record without events has the states
    /// that it always had.
    fn is_used(&self) -> bool {
        *self != Self::default()
    }

    /// Writes it behind a state.
    pub(crate) fn write(&self, buffer: &mut Vec<u8>) {
        if self.is_used() {
            codec::write(self, buffer);
        }
    }

    /// Reads what stands behind a state.
    pub(crate) fn read(behind: &[u8]) -> Result<Self, codec::BadBytes> {
        if behind.is_empty() { Ok(Self::default()) } else { codec::read(behind) }
    }

    /// Its hash, for the hash of the state.
    pub(crate) fn page(&self) -> Option<[u8; 32]> {
        self.is_used().then(|| codec::hash(self, &[]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::TableId;

    const EVENT: ReportedEvent = ReportedEvent::LimitChange { table: TableId(1) };

    #[test]
    fn events_keep_their_numbers_until_the_house_holds_them() {
        let id = |source, sequence| CommandId { source, sequence };
        let mut outbox = EventOutbox::default();
        assert_eq!((outbox.page(), outbox.may_hold(id(0, 0))), (None, Err(Refusal::OutOfOrder)));
        for source in [7, 7, 9, 9] {
            outbox.raise(source, EVENT);
        }
        let ids = |outbox: &EventOutbox| outbox.iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids(&outbox), [id(7, 1), id(7, 2), id(9, 1), id(9, 2)]);
        let mut bytes = Vec::new();
        outbox.write(&mut bytes);
        assert_eq!(EventOutbox::read(&bytes), Ok(outbox.clone()), "a restart keeps them");
        for (last, left) in [(id(9, 1), vec![id(9, 2)]), (id(9, 2), vec![])] {
            assert_eq!(outbox.may_hold(last), Ok(()));
            outbox.held(last);
            assert_eq!(outbox.may_hold(last), Err(Refusal::OutOfOrder), "once");
            assert_eq!(ids(&outbox), left);
        }
        outbox.raise(9, EVENT);
        assert_eq!(ids(&outbox), [id(9, 3)], "no number comes twice");
    }

    #[test]
    fn an_outbox_that_was_never_used_is_no_part_of_the_state() {
        let mut bytes = Vec::new();
        EventOutbox::default().write(&mut bytes);
        assert_eq!((bytes.as_slice(), EventOutbox::read(&[])), (&[][..], Ok(EventOutbox::default())));
    }
}

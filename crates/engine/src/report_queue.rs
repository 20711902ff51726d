//! Significant events of a table's partition on their way to the House (F32), in order, each until the House holds it. The machine keeps
//! them; this only knows what was sent.

use taisai_table::{CommandId, MachineId, ReportedEvent, Time};

use crate::effect::Effects;
use crate::message::Message;
use crate::timer::RETRY_INTERVAL;

/// How many reports may be on their way together.
const MAX_REPORTS_IN_FLIGHT: usize = 64;

/// What was sent of the events that the House does not hold yet.
#[derive(Debug, Default)]
pub(crate) struct ReportQueue {
    /// How many of them, from the first on, are on their way.
    sent: usize,
    /// When they are sent again.
    retry_at: Option<Time>,
}

impl ReportQueue {
    /// The House holds the event at this place and all before it; `false` if it says so of one that does not wait any more.
    pub(crate) fn held(&mut self, place: Option<usize>) -> bool {
        if let Some(place) = place {
            self.sent = self.sent.saturating_sub(place + 1);
            self.retry_at = None;
        }
        place.is_some()
    }

    /// Sends what waits.
    pub(crate) fn send(
        &mut self,
        from: MachineId,
        waiting: impl Iterator<Item = (CommandId, ReportedEvent)>,
        now: Time,
        effects: &mut Effects,
    ) {
        if self.retry_at.is_some_and(|at| at <= now) {
            self.sent = 0;
            self.retry_at = None;
        }
        for (place, (id, what)) in waiting.enumerate().take(MAX_REPORTS_IN_FLIGHT).skip(self.sent) {
            // The first is the one after those that the House holds, whatever the House remembers.
            effects.send(Message::Report { from, id, is_first: place == 0, what });
            self.sent = place + 1;
        }
        if self.sent > 0 && self.retry_at.is_none() {
            self.retry_at = Some(RETRY_INTERVAL.after(now));
        }
    }

    pub(crate) const fn next_timer(&self) -> Option<Time> {
        self.retry_at
    }
}

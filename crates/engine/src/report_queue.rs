//! Significant events of a table's partition on their way to the House (F32), in order, each until the House holds it.

use std::collections::VecDeque;

use taisai_table::{CommandId, MachineId, ReportedEvent, Time};

use crate::effect::Effects;
use crate::message::Message;
use crate::timer::RETRY_INTERVAL;

/// More reports than that tell nothing new: they are dropped.
const MAX_WAITING_REPORTS: usize = 10_000;

/// How many reports may be on their way together.
const MAX_REPORTS_IN_FLIGHT: usize = 64;

/// Reports that the House does not hold yet.
#[derive(Debug)]
pub(crate) struct ReportQueue {
    from: MachineId,
    /// The number of the newest.
    newest: CommandId,
    waiting: VecDeque<(CommandId, ReportedEvent)>,
    /// How many of them, from the first on, are on their way.
    sent: usize,
    /// When they are sent again.
    retry_at: Option<Time>,
}

impl ReportQueue {
    pub(crate) const fn new(from: MachineId, source: u64) -> Self {
        let newest = CommandId { source, sequence: 0 };
        Self { from, newest, waiting: VecDeque::new(), sent: 0, retry_at: None }
    }

    pub(crate) fn push(&mut self, what: ReportedEvent) {
        if self.waiting.len() < MAX_WAITING_REPORTS {
            self.newest.sequence += 1;
            self.waiting.push_back((self.newest, what));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The House holds a report, and all before it.
    pub(crate) fn held(&mut self, id: CommandId) {
        while self.waiting.front().is_some_and(|(first, _)| first.source == id.source && first.sequence <= id.sequence)
        {
            self.waiting.pop_front();
            self.sent = self.sent.saturating_sub(1);
            self.retry_at = None;
        }
    }

    pub(crate) fn send(&mut self, now: Time, effects: &mut Effects) {
        if self.retry_at.is_some_and(|at| at <= now) {
            self.sent = 0;
            self.retry_at = None;
        }
        let window = self.waiting.iter().enumerate().take(MAX_REPORTS_IN_FLIGHT).skip(self.sent);
        for (place, (id, what)) in window {
            // The first is the one after those that the House holds, whatever the House remembers.
            effects.send(Message::Report { from: self.from, id: *id, is_first: place == 0, what: *what });
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

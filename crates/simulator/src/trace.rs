//! The events of a run as lines: the last ones are kept for people, and a hash of all distinguishes two runs.

use std::collections::VecDeque;
use std::fmt::{Arguments, Write as _};

use crate::random::hash;

/// How many lines a failure shows.
const MAX_KEPT_LINES: usize = 400;

#[derive(Debug, Default)]
pub(crate) struct Trace {
    lines: VecDeque<String>,
    /// How many lines there were, those that are not kept among them.
    count: u64,
    hash: u64,
}

impl Trace {
    /// Adds a line of a moment, in milliseconds since the run began.
    pub(crate) fn line(&mut self, now: u64, what: Arguments<'_>) {
        let mut line =
            if self.lines.len() < MAX_KEPT_LINES { String::new() } else { self.lines.pop_front().unwrap_or_default() };
        line.clear();
        write!(line, "{:>7}.{:03}  {what}", now / 1_000, now % 1_000).expect("a string takes everything");
        self.hash = hash(self.hash, line.as_bytes());
        self.lines.push_back(line);
        self.count += 1;
    }

    /// A hash of every line so far.
    pub(crate) const fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The lines after the first `count`, as far as they are kept.
    pub(crate) fn lines_since(&self, count: u64) -> Vec<String> {
        let new = usize::try_from(self.count - count).unwrap_or(usize::MAX).min(self.lines.len());
        self.lines.iter().skip(self.lines.len() - new).cloned().collect()
    }

    /// The last lines, the newest last.
    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines.into()
    }
}

//! Shows the progress of a long command on standard error, if that is a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::print::QUIET;

pub struct ProgressBar {
    name: String,
    all: u64,
    pub done: u64,
    begin: Instant,
    drawn: Option<Instant>,
}

impl ProgressBar {
    const WIDTH: u64 = 32;

    /// A bar with nothing of `all` done.
    pub fn new(name: &str, all: u64) -> Self {
        let drawn = std::io::stderr().is_terminal().then(Instant::now);
        Self { name: name.to_owned(), all, done: 0, begin: Instant::now(), drawn }
    }

    /// Counts `more` as done, and draws the bar at most ten times a second.
    pub fn advance(&mut self, more: u64) {
        self.done += more;
        if self.drawn.is_none_or(|drawn| drawn.elapsed() < Duration::from_millis(100)) {
            return;
        }
        self.drawn = Some(Instant::now());
        let full = (0..Self::WIDTH).map(|place| if place * self.all < self.done * Self::WIDTH { '█' } else { '░' });
        let bar: String = full.collect();
        // If the bar cannot be drawn, nobody can see it.
        write!(anstream::stderr(), "\r{:20} {bar} {}/{}", self.name, self.done, self.all).ok();
    }

    /// Replaces the bar by a line: what was done, and the rate.
    pub fn finish(&self, done: &str, (count, of): (u64, &str)) {
        let begin = if self.drawn.is_some() { "\r\u{1b}[K" } else { "" };
        let millis = self.begin.elapsed().as_millis().max(1);
        let rate = u128::from(count) * 1_000 / millis;
        let text = format!("{}: {done} in {millis} ms, {rate} {of} a second", self.name);
        writeln!(anstream::stderr(), "{begin}{QUIET}{text}{QUIET:#}").ok();
    }
}

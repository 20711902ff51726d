//! What happened last in a simulated installation that broke an invariant: lines of text, one an event.

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use anyhow::{Context as _, ensure};

use crate::print::{BAD, QUIET};

/// How a file begins.
const MAGIC: &str = "taisai trace 1\n";

/// The bytes of a file: what was broken, and what happened before.
pub fn file(broken: &str, lines: &[String]) -> Vec<u8> {
    let mut text = format!("{MAGIC}{}\n", broken.replace('\n', " "));
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.into_bytes()
}

/// A file that was read.
pub(super) struct Trace {
    broken: String,
    lines: Vec<String>,
}

impl Trace {
    /// Reads a file; none where it is no trace.
    pub(super) fn read(bytes: &[u8]) -> Option<anyhow::Result<Self>> {
        let rest = bytes.strip_prefix(MAGIC.as_bytes())?;
        let read = || {
            let mut lines = std::str::from_utf8(rest).context("the trace is damaged")?.lines().map(str::to_owned);
            Ok(Self { broken: lines.next().context("the trace is cut off")?, lines: lines.collect() })
        };
        Some(read())
    }

    /// Shows one event, or steps through all of them where a person looks, or lists them.
    pub(super) fn show(&self, at: Option<u64>, json: bool) -> anyhow::Result<()> {
        let mut out = anstream::stdout().lock();
        let is_watched = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if let Some(at) = at {
            let place = usize::try_from(at)?.checked_sub(1);
            let line = place.and_then(|place| self.lines.get(place));
            let last = self.lines.len();
            ensure!(line.is_some(), "there are {last} events, counted from 1, not {at}");
            return Ok(line.map_or(Ok(()), |line| writeln!(out, "{at:>7}  {line}"))?);
        }
        for (number, line) in (1..).zip(&self.lines) {
            if json {
                writeln!(out, "{}", serde_json::json!({ "event": number, "what": line }))?;
            } else {
                writeln!(out, "{number:>7}  {line}")?;
            }
            if is_watched && !json && number % 20 == 0 && !goes_on(&mut out)? {
                return Ok(());
            }
        }
        if json {
            writeln!(out, "{}", serde_json::json!({ "broken": self.broken }))?;
        } else {
            writeln!(out, "\n{BAD}broken{BAD:#}  {}", self.broken)?;
        }
        Ok(())
    }
}

fn goes_on(out: &mut impl std::io::Write) -> anyhow::Result<bool> {
    write!(out, "{QUIET}Enter: next · q: quit{QUIET:#} > ")?;
    out.flush()?;
    let mut answer = String::new();
    Ok(std::io::stdin().lock().read_line(&mut answer)? > 0 && answer.trim() != "q")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_comes_back() {
        let lines = ["one".to_owned(), "two".to_owned()];
        let trace = Trace::read(&file("money\nis lost", &lines)).unwrap().unwrap();
        assert_eq!((trace.broken.as_str(), &trace.lines[..]), ("money is lost", &lines[..]));
        assert!(trace.show(Some(2), false).is_ok() && trace.show(Some(3), false).is_err());
        assert!(Trace::read(b"something else").is_none());
        assert!(Trace::read(MAGIC.as_bytes()).unwrap().is_err(), "cut off");
    }
}

//! A process: started with its output read, and ended with whoever holds it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// How long a line of output may take: ten thousand terminals are put on file before the first.
const PATIENCE: Duration = Duration::from_mins(5);

/// A process that runs.
pub(super) struct Process {
    child: Child,
    lines: Receiver<String>,
    pub(super) started: Instant,
}

impl Process {
    pub(super) fn start(program: &Path, args: &[&str], folder: Option<&Path>) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped());
        // What the casino logs is not what is measured.
        command.env("TAISAI_LOG", "error");
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        let started = Instant::now();
        let mut child = command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
        let output = child.stdout.take().context("its output cannot be read")?;
        let (line, lines) = channel();
        thread::spawn(move || {
            // The receiver may be gone. Reading goes on, so that the process can write.
            BufReader::new(output).lines().map_while(Result::ok).for_each(|read| line.send(read).unwrap_or_default());
        });
        Ok(Self { child, lines, started })
    }

    /// The next line of its output.
    pub(super) fn line(&self) -> anyhow::Result<String> {
        self.lines.recv_timeout(PATIENCE).context("the process says nothing")
    }

    /// A line of its output that holds a text.
    pub(super) fn line_with(&self, text: &str) -> anyhow::Result<String> {
        loop {
            let line = self.line()?;
            if line.contains(text) {
                return Ok(line);
            }
        }
    }

    /// The processor time that it has used, all threads together.
    pub(super) fn processor(&self) -> anyhow::Result<Duration> {
        let mut nanos = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let path = thread?.path().join("schedstat");
            // A thread may end while it is looked at.
            let times = std::fs::read_to_string(path).unwrap_or_default();
            nanos += times.split_whitespace().next().and_then(|ran| ran.parse::<u64>().ok()).unwrap_or_default();
        }
        Ok(Duration::from_nanos(nanos))
    }

    /// What the system knows of it.
    pub(super) fn system(&self, file: &str) -> anyhow::Result<String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        std::fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        if self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}

/// The number of a line like `VmRSS:   1234 kB`.
pub(super) fn number_of(text: &str, name: &str) -> anyhow::Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix([':', ' ']));
    match line.and_then(|line| line.split_whitespace().next()).map(str::parse) {
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) | None => bail!("there is no number of {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_name() {
        let text = "VmPeak:\t 9 kB\nVmRSS:\t  1234 kB\ncommit_seconds_count 77\nVmRSSX: 5\n";
        assert_eq!(number_of(text, "VmRSS").unwrap(), 1_234);
        assert_eq!(number_of(text, "commit_seconds_count").unwrap(), 77);
        assert!(number_of(text, "Vm").is_err());
        assert!(number_of("VmRSS: x", "VmRSS").is_err());
    }
}

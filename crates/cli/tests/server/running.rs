//! The real program in a process of its own: what it tells on its first lines, its log, and its end.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// It must be ready by then, and gone by then when it is told to stop.
pub(crate) const SOON: Duration = Duration::from_mins(1);

/// A program that runs.
pub(crate) struct Running {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
}

impl Running {
    /// Starts it, and has each line heard that it tells, until it has told where it is and what was heard is enough.
    pub(crate) fn start(command: &mut Command, mut is_enough: impl FnMut(&str) -> bool) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, mut errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(len @ 1..) = errors.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..len]));
            }
        });
        let (line, lines) = mpsc::channel();
        thread::spawn(move || {
            for read in BufReader::new(out).lines().map_while(Result::ok) {
                // Whoever waited for the first lines may have gone.
                line.send(read).unwrap_or_default();
            }
        });
        let by = Instant::now() + SOON;
        let mut address = None;
        loop {
            let Ok(line) = lines.recv_timeout(by.saturating_duration_since(Instant::now())) else {
                child.kill().unwrap_or_default();
                child.wait().map_or_else(drop, drop);
                panic!("it is not ready: {}", log.lock().unwrap());
            };
            let told = line.split_once("://").and_then(|(_, rest)| rest.split('/').next());
            address = address.or_else(|| told.and_then(|told| told.parse().ok()));
            let is_enough = is_enough(&line);
            if let Some(address) = address.filter(|_| is_enough) {
                return Self { child, address, log };
            }
        }
    }

    /// Where it listens.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Sends it a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.pid().to_string()]).status().unwrap();
        assert!(sent.success(), "it is not there for {name}");
    }

    /// Ends its process without a word.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it has stopped by itself, and gives its status and its log.
    pub(crate) fn stopped(mut self) -> (ExitStatus, String) {
        let by = Instant::now() + SOON;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status, self.log());
            }
            assert!(Instant::now() < by, "it does not stop");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().unwrap_or_default();
        self.child.wait().map_or_else(drop, drop);
        if thread::panicking() {
            eprintln!("the log of {}:\n{}", self.address, self.log());
        }
    }
}

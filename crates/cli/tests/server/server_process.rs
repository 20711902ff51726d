//! The real program as a process: its first lines, its log and its end.

use std::io::Read as _;
use std::net::SocketAddr;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use taisai_journal::suite::{HANG_LIMIT, Spawned, wait_for};

pub(crate) struct ServerProcess {
    child: Spawned,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
    logging: Option<JoinHandle<()>>,
}

impl ServerProcess {
    /// Starts it and passes each printed line to `is_enough`, until that returns `true` and the address is known.
    pub(crate) fn start(command: &mut Command, mut is_enough: impl FnMut(&str) -> bool) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Spawned::start(command);
        let (printed, mut errors) = (child.lines(), child.stderr.take().unwrap());
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        let logging = thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(len @ 1..) = errors.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..len]));
            }
        });
        let (line, lines) = mpsc::channel();
        thread::spawn(move || {
            for printed in printed {
                // The test may have stopped waiting for the first lines.
                line.send(printed).unwrap_or_default();
            }
        });
        let by = Instant::now() + HANG_LIMIT;
        let mut address = None;
        loop {
            let Ok(line) = lines.recv_timeout(by.saturating_duration_since(Instant::now())) else {
                panic!("it is not ready: {}", log.lock().unwrap());
            };
            let host = line.split_once("://").and_then(|(_, rest)| rest.split('/').next());
            address = address.or_else(|| host.and_then(|host| host.parse().ok()));
            let is_enough = is_enough(&line);
            if let Some(address) = address.filter(|_| is_enough) {
                return Self { child, address, log, logging: Some(logging) };
            }
        }
    }

    /// The address that it listens on.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Sends it a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        self.child.signal(name);
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it has ended by itself. Returns its status and its log.
    pub(crate) fn stopped(mut self) -> (ExitStatus, String) {
        let status = wait_for("it has stopped", || self.child.try_wait().unwrap());
        // The reader of the log may be behind.
        self.logging.take().map(JoinHandle::join).transpose().unwrap();
        (status, self.log())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the log of {}:\n{}", self.address, self.log());
        }
    }
}

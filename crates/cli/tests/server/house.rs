//! The server as a process: the real binary on a free loopback port, in a temporary folder. Tests kill, stop and restart it on
//! the same store.

use std::io::Read as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use taisai_journal::suite::Spawned;
use tempfile::TempDir;

pub(crate) use crate::credentials::first;
use crate::credentials::{Credentials, FIRST};
use crate::dealing::{Dealing, buy_in};
use crate::person::Person;
use crate::server_process::ServerProcess;
use crate::terminal::{Device, Terminal};

/// Tests that depend on the clock run alone.
static WATCH: RwLock<()> = RwLock::new(());

enum Turn {
    Beside { _turn: RwLockReadGuard<'static, ()> },
    Alone { _turn: RwLockWriteGuard<'static, ()> },
}

/// How long, in milliseconds, a terminal on a busy machine may be silent. Only tests that set their own value depend on it.
const BUSY: u64 = 120_000;

pub(crate) struct TestCasino {
    folder: TempDir,
    running: Option<ServerProcess>,
    credentials: Credentials,
    /// The preloaded fault library.
    faults: Option<PathBuf>,
    /// How long it waits for a sign of life, in milliseconds.
    sign_of_life: u64,
    _turn: Turn,
}

/// The tables that most tests need: one with terminals, one live.
pub(crate) const TWO_TABLES: &str = r#"
[[table]]
number = 1
game = "sic-bo-etg"
layout = "B"
terminals = 8

[[table]]
number = 2
game = "tai-sai"
layout = "C"
seats = 7
"#;

impl TestCasino {
    /// The usual tables, in parallel with other tests.
    pub(crate) fn open() -> Self {
        Self::with(TWO_TABLES)
    }

    /// These tables, in parallel with other tests.
    pub(crate) fn with(tables: &str) -> Self {
        let turn = WATCH.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(tables, None, BUSY, Turn::Beside { _turn: turn })
    }

    /// The usual tables, with a short limit for signs of life.
    pub(crate) fn impatient() -> Self {
        let turn = WATCH.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(TWO_TABLES, None, 10_000, Turn::Beside { _turn: turn })
    }

    /// These tables, while no other test runs.
    pub(crate) fn alone(tables: &str) -> Self {
        let turn = WATCH.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(tables, None, BUSY, Turn::Alone { _turn: turn })
    }

    /// These tables, with a library that injects faults named by files in its folder.
    pub(crate) fn faulty(tables: &str, library: &Path) -> Self {
        let turn = WATCH.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(tables, Some(library.to_owned()), BUSY, Turn::Beside { _turn: turn })
    }

    fn start(tables: &str, faults: Option<PathBuf>, sign_of_life: u64, turn: Turn) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = format!("data = \"data\"\nlisten = \"127.0.0.1:0\"\n\n[house]\nname = \"Tests\"\n{tables}");
        std::fs::write(folder.path().join("taisai.toml"), config).unwrap();
        let mut house =
            Self { folder, running: None, credentials: Credentials::default(), faults, sign_of_life, _turn: turn };
        let terminals = tables.lines().filter_map(|line| line.strip_prefix("terminals = "));
        house.run(&[], (FIRST.len(), terminals.map(|count| count.parse::<usize>().unwrap()).sum()));
        house
    }

    /// Restarts it. Devices and passwords stay the same.
    pub(crate) fn restart(&mut self) {
        assert!(self.running.is_none(), "it runs");
        self.run(&[], (0, 0));
        self.credentials.sign_out();
    }

    /// Restarts it without its secrets. It prints new credentials for everyone.
    pub(crate) fn restart_with_new_secrets(&mut self) {
        assert!(self.running.is_none(), "it runs");
        let expected = std::mem::take(&mut self.credentials).count();
        self.run(&["--new-secrets"], expected);
    }

    /// Starts it where it must fail, and returns its message.
    pub(crate) fn fails_to_start(&mut self) -> String {
        assert!(self.running.is_none(), "it runs");
        let output = self.command().output().unwrap();
        assert!(!output.status.success(), "it runs");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Tries to start it, and gives whether it ran, with what it said until it stopped.
    pub(crate) fn starts(&mut self) -> (bool, String) {
        assert!(self.running.is_none(), "it runs");
        let mut child = Spawned::start(self.command().stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut printed = child.lines();
        let runs = printed.any(|line| line.contains("the front page"));
        if runs {
            child.signal("TERM");
        }
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        (runs, said)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
        command.args(["serve", "--config", "taisai.toml", "--sign-of-life", &self.sign_of_life.to_string()]);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some(library) = &self.faults {
            command.env("LD_PRELOAD", library).env("TAISAI_FAULTS", self.folder.path());
        }
        command
    }

    /// Starts it, and reads its output until it has the credentials of this many people and terminals.
    fn run(&mut self, flags: &[&str], expected: (usize, usize)) {
        let mut command = self.command();
        self.running =
            Some(ServerProcess::start(command.args(flags), |line| self.credentials.parse_line(line, expected)));
    }

    fn running(&self) -> &ServerProcess {
        self.running.as_ref().expect("it runs")
    }

    /// The address that it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.running().address()
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.running().pid()
    }

    /// Its folder, with `taisai.toml` and `data`.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> String {
        self.running().log()
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.running.take().expect("it runs").kill();
    }

    /// Sends it a stop signal.
    pub(crate) fn terminate(&self) {
        self.running().signal("TERM");
    }

    /// Waits until it has ended by itself. Returns its status and its log.
    pub(crate) fn stopped(&mut self) -> (ExitStatus, String) {
        self.running.take().expect("it runs").stopped()
    }

    /// Runs another command of the program in its folder.
    pub(crate) fn taisai(&self, args: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
        let output = command.args(args).current_dir(self.folder.path()).stdin(Stdio::null()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.success(), printed)
    }

    /// Stops it and verifies the whole record.
    pub(crate) fn audit(&mut self) {
        if self.running.is_some() {
            self.terminate();
            let (status, log) = self.stopped();
            assert!(status.success(), "{log}");
        }
        let (is_good, printed) = self.taisai(&["audit", "verify", "data"]);
        assert!(is_good, "{printed}");
    }

    /// The first person with that role, signed in with a new password.
    pub(crate) fn person(&self, role: &str) -> Person {
        self.credentials.person(self.address(), role)
    }

    /// The current password of a person.
    pub(crate) fn password(&self, id: u32) -> String {
        self.credentials.password(id)
    }

    /// Enrols the device at a seat with the code that the first start printed.
    pub(crate) fn enrol(&self, table: u16, seat: u32) -> Device {
        self.credentials.enrol(self.address(), table, seat)
    }

    /// An enrolled and connected terminal.
    pub(crate) fn terminal(&self, table: u16, seat: u32) -> Terminal {
        self.enrol(table, seat).connect(self.address())
    }

    /// Opens table 1 with a bet, by a terminal with credits.
    pub(crate) fn betting(&self, seat: u32, credits: i64) -> (Dealing, Terminal) {
        let dealing = Dealing::open(self, 1);
        buy_in(self, 1, seat, credits);
        let terminal = self.terminal(1, seat);
        dealing.open_bets();
        (dealing, terminal)
    }

    /// The reply to a GET request without a cookie.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let mut answer = crate::person::agent().get(format!("http://{}{path}", self.address())).call().unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    }
}

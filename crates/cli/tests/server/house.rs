//! A house in a process of its own: the real binary on a free loopback port, in a folder that goes with it. It is killed,
//! stopped and started again on the same store.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::person::Person;
use crate::terminal::{Device, Terminal};

/// A house must be ready by then, and gone by then when it is told to stop.
const SOON: Duration = Duration::from_mins(1);

/// So many characters has a password for the first time: 26 in groups of four.
const PASSWORD: usize = 32;

/// Tests that watch the clock run alone.
static WATCH: RwLock<()> = RwLock::new(());

enum Turn {
    Beside { _turn: RwLockReadGuard<'static, ()> },
    Alone { _turn: RwLockWriteGuard<'static, ()> },
}

/// A house that runs.
pub(crate) struct House {
    folder: TempDir,
    running: Option<Running>,
    /// What the first start told: passwords by person, codes by table and seat.
    passwords: Mutex<BTreeMap<u32, String>>,
    codes: BTreeMap<(u16, u32), String>,
    people: Mutex<BTreeMap<u32, Person>>,
    /// A library that makes faults.
    faults: Option<PathBuf>,
    _turn: Turn,
}

struct Running {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
}

/// The tables that most tests need: terminals and a live table.
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

impl House {
    /// The usual tables, beside other tests.
    pub(crate) fn open() -> Self {
        Self::with(TWO_TABLES)
    }

    /// These tables, beside other tests.
    pub(crate) fn with(tables: &str) -> Self {
        let turn = WATCH.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(tables, None, Turn::Beside { _turn: turn })
    }

    /// These tables, with the machine for itself.
    pub(crate) fn alone(tables: &str) -> Self {
        let turn = WATCH.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(tables, None, Turn::Alone { _turn: turn })
    }

    /// These tables, with faults that files in the house's folder make.
    pub(crate) fn faulty(tables: &str, library: &Path) -> Self {
        let turn = WATCH.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Self::start(tables, Some(library.to_owned()), Turn::Beside { _turn: turn })
    }

    fn start(tables: &str, faults: Option<PathBuf>, turn: Turn) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = format!("data = \"data\"\nlisten = \"127.0.0.1:0\"\n\n[house]\nname = \"Tests\"\n{tables}");
        std::fs::write(folder.path().join("taisai.toml"), config).unwrap();
        let mut house = Self {
            folder,
            running: None,
            passwords: Mutex::default(),
            codes: BTreeMap::new(),
            people: Mutex::default(),
            faults,
            _turn: turn,
        };
        let terminals = tables.lines().filter_map(|line| line.strip_prefix("terminals = "));
        house.run(&[], FIRST.len(), terminals.map(|count| count.parse::<usize>().unwrap()).sum());
        house
    }

    /// Starts it again. Devices and passwords are those of before.
    pub(crate) fn restart(&mut self) {
        assert!(self.running.is_none(), "it runs");
        self.run(&[], 0, 0);
        self.people.get_mut().unwrap().clear();
    }

    /// Starts it again without its secrets. Everyone is told anew how to come in.
    pub(crate) fn restart_with_new_secrets(&mut self) {
        assert!(self.running.is_none(), "it runs");
        let passwords = std::mem::take(self.passwords.get_mut().unwrap()).len();
        let codes = std::mem::take(&mut self.codes).len();
        self.run(&["--new-secrets"], passwords, codes);
        self.people.get_mut().unwrap().clear();
    }

    /// Tries to start it, and gives what it says when it does not run.
    pub(crate) fn fails_to_start(&mut self) -> String {
        assert!(self.running.is_none(), "it runs");
        let output = self.command().output().unwrap();
        assert!(!output.status.success(), "it runs");
        String::from_utf8(output.stderr).unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
        command.args(["serve", "--config", "taisai.toml"]).current_dir(self.folder.path()).stdin(Stdio::null());
        if let Some(library) = &self.faults {
            command.env("LD_PRELOAD", library).env("TAISAI_FAULTS", self.folder.path());
        }
        command
    }

    /// Starts it, and takes in what it tells until it has told `people` and `terminals` how to come in.
    fn run(&mut self, flags: &[&str], people: usize, terminals: usize) {
        let mut child = self.command().args(flags).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
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
            let told = line.trim_start().strip_prefix("http://").and_then(|rest| rest.split('/').next());
            address = address.or_else(|| told.and_then(|told| told.parse().ok()));
            self.remember(&line);
            let is_told = self.passwords.lock().unwrap().len() >= people && self.codes.len() >= terminals;
            if let Some(address) = address.filter(|_| is_told) {
                self.running = Some(Running { child, address, log });
                return;
            }
        }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("it runs")
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.running().address
    }

    /// The number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.running().child.id()
    }

    /// Its folder, with `taisai.toml` and `data`.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> String {
        self.running().log.lock().unwrap().clone()
    }

    /// Ends its process without a word.
    pub(crate) fn kill(&mut self) {
        let mut running = self.running.take().expect("it runs");
        running.child.kill().unwrap();
        running.child.wait().unwrap();
    }

    /// Tells it to stop.
    pub(crate) fn terminate(&self) {
        let pid = self.running().child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    }

    /// Waits until it has stopped by itself, and gives its status and its log.
    pub(crate) fn stopped(&mut self) -> (ExitStatus, String) {
        let mut running = self.running.take().expect("it runs");
        let by = Instant::now() + SOON;
        loop {
            if let Some(status) = running.child.try_wait().unwrap() {
                return (status, running.log.lock().unwrap().clone());
            }
            assert!(Instant::now() < by, "it does not stop: {}", running.log.lock().unwrap());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Runs another command of the program in the house's folder.
    pub(crate) fn taisai(&self, args: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
        let output = command.args(args).current_dir(self.folder.path()).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.success(), said)
    }

    /// Stops it and has the whole record checked.
    pub(crate) fn audit(&mut self) {
        if self.running.is_some() {
            self.terminate();
            let (status, log) = self.stopped();
            assert!(status.success(), "{log}");
        }
        let (is_good, said) = self.taisai(&["audit", "verify", "data"]);
        assert!(is_good, "{said}");
    }

    /// The person with that role of the first people, signed in with a password of their own.
    pub(crate) fn person(&self, role: &str) -> Person {
        let id = first(role);
        if let Some(person) = self.people.lock().unwrap().get(&id) {
            return person.clone();
        }
        let password = self.password(id);
        let own = format!("the password of {role}");
        let person = if password == own {
            Person::sign_in(self.address(), id, &own)
        } else {
            let person = Person::sign_in(self.address(), id, &password);
            person.set_password(&password, &own);
            person
        };
        self.passwords.lock().unwrap().insert(id, own);
        self.people.lock().unwrap().insert(id, person.clone());
        person
    }

    /// The password that lets a person in now.
    pub(crate) fn password(&self, id: u32) -> String {
        self.passwords.lock().unwrap().get(&id).unwrap_or_else(|| panic!("nobody told a password of {id}")).clone()
    }

    /// Gives the device at a seat a key, by the code that the first start told.
    pub(crate) fn enrol(&self, table: u16, seat: u32) -> Device {
        let code = self.codes.get(&(table, seat)).unwrap_or_else(|| panic!("nobody told a code of seat {seat}"));
        Device::enrol(self.address(), table, seat, code)
    }

    /// A terminal that is enrolled and connected.
    pub(crate) fn terminal(&self, table: u16, seat: u32) -> Terminal {
        self.enrol(table, seat).connect(self.address())
    }

    /// What is at an address, for anyone.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let mut answer = crate::person::agent().get(format!("http://{}{path}", self.address())).call().unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(Running { mut child, log, .. }) = self.running.take() {
            // It may have ended by itself.
            child.kill().unwrap_or_default();
            child.wait().map_or_else(drop, drop);
            if thread::panicking() {
                eprintln!("its log:\n{}", log.lock().unwrap());
            }
        }
    }
}

/// The first people of a house, by their roles, in the order of their numbers.
const FIRST: [&str; 10] = [
    "dealer",
    "second-dealer",
    "pit-supervisor",
    "pit-manager",
    "shift-manager",
    "casino-manager",
    "attendant",
    "cashier",
    "auditor",
    "administrator",
];

/// The number of the first person with a role.
pub(crate) fn first(role: &str) -> u32 {
    let place = FIRST.iter().position(|known| *known == role).unwrap_or_else(|| panic!("nobody is a {role}"));
    u32::try_from(place).unwrap() + 1
}

impl House {
    /// A line of the first start: a person's number, name, roles and password, or a device's number, table, seat and link.
    fn remember(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(Ok(number)), Some(last)) = (words.first().map(|word| word.parse()), words.last()) else { return };
        if let (Some((_, code)), [_, table, seat, _]) = (last.split_once("&code="), &words[..]) {
            self.codes.insert((table.parse().unwrap(), seat.parse().unwrap()), code.to_owned());
        } else if last.len() == PASSWORD {
            self.passwords.get_mut().unwrap().insert(number, (*last).to_owned());
        }
    }
}

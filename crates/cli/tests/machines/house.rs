//! An installation of several machines: each a process on a loopback address of its own with ways of its own to both servers of the
//! database. They are killed, frozen, cut off and started again; the installation has one record.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use serde::Deserialize;
pub(crate) use taisai_journal::suite::wait_until as until;
use taisai_journal::suite::{PostgresPair, ReservedPort};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::cashier::Cashier;
pub(crate) use crate::credentials::first;
use crate::credentials::{Credentials, FIRST};
use crate::person::Person;
use crate::relay::{Relay, RelayMode};
use crate::secured::Authorities;
use crate::server_process::ServerProcess;
use crate::terminal::Device;

/// The table that everyone plays at.
pub(crate) const TABLE: u16 = 1;

/// The partitions, as they are listed.
pub(crate) const TABLE_PARTITION: &str = "table-1";
pub(crate) const HOUSE_PARTITION: &str = "house";

/// So many terminals are enrolled at a time.
const ENROL_BATCH_SIZE: usize = 8;

/// One test of this program at a time: each starts up to three machines and two servers, and leases run out by the clock.
static TURN: Mutex<()> = Mutex::new(());

/// The profile of the casino.
const PROFILE: &str = include_str!("../../../../profiles/singapore.toml");

/// The machine whose certificate is of another authority than those of the others, where they have any.
pub(crate) const UNTRUSTED_NODE: usize = 2;

/// How an installation is set up.
pub(crate) struct CasinoSetup {
    pub(crate) nodes: u8,
    pub(crate) terminals: u32,
    pub(crate) clusters: u16,
    /// Whether the machines speak over TLS. The stranger among them is not started.
    pub(crate) is_secured: bool,
}

impl Default for CasinoSetup {
    fn default() -> Self {
        Self { nodes: 3, terminals: 1, clusters: 1, is_secured: false }
    }
}

impl CasinoSetup {
    fn config(&self) -> String {
        let Self { terminals, clusters, .. } = self;
        format!(
            "keys = \"house.key\"\n\n[house]\nname = \"Tests\"\nprofile = \"profile.toml\"\n\n[[table]]\n\
             number = {TABLE}\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = {terminals}\nclusters = {clusters}\n"
        )
    }
}

/// A machine of the installation.
pub(crate) struct Node {
    address: SocketAddr,
    /// It is started again at the same address.
    _port: ReservedPort,
    /// Where it is reached in the clear.
    plain_address: SocketAddr,
    is_secured: bool,
    ways: [Relay; 2],
    running: Option<ServerProcess>,
}

impl Node {
    /// As the others know it.
    fn url(&self) -> String {
        format!("{}://{}", if self.is_secured { "https" } else { "http" }, self.address)
    }
}

/// An installation of several machines.
pub(crate) struct TestCasino {
    /// They go before the database does.
    nodes: Vec<Node>,
    pub(crate) pair: PostgresPair,
    store: String,
    folder: TempDir,
    clusters: u16,
    credentials: Credentials,
    pub(crate) runtime: Runtime,
    cashier: OnceLock<Arc<Cashier>>,
    _turn: MutexGuard<'static, ()>,
}

/// What `taisai tables list` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct TablePlacement {
    nodes: Vec<ListedNode>,
    parts: Vec<ListedPartition>,
}

#[derive(Debug, Deserialize)]
struct ListedNode {
    address: String,
}

#[derive(Debug, Deserialize)]
struct ListedPartition {
    part: String,
    node: Option<String>,
}

impl TestCasino {
    /// A table with so many terminals, on three machines.
    pub(crate) fn open(terminals: u32) -> Self {
        Self::spread(terminals, 1)
    }

    /// A table with so many terminals in so many clusters, each a part of its own, on three machines.
    pub(crate) fn spread(terminals: u32, clusters: u16) -> Self {
        Self::with(&CasinoSetup { terminals, clusters, ..CasinoSetup::default() })
    }

    /// An installation with this setup.
    pub(crate) fn with(setup: &CasinoSetup) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (pair, folder) = (PostgresPair::start(), tempfile::tempdir().unwrap());
        let store = pair.database("record");
        std::fs::write(folder.path().join("profile.toml"), PROFILE).unwrap();
        let authorities = setup.is_secured.then(Authorities::default);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let ports = [pair.primary.port(), pair.standby.port()];
        let node = |place: u8| {
            let [one, two] = ports;
            let ways = runtime.block_on(async { [Relay::start(one).await, Relay::start(two).await] });
            let (ip, port) = (Ipv4Addr::new(127, 0, 0, 11 + place), ReservedPort::new());
            let address = SocketAddr::from((ip, port.number()));
            let place = usize::from(place);
            let (mut config, mut plain_address) = (setup.config(), address);
            if let Some(authorities) = &authorities {
                config += &authorities.certify(folder.path(), &data(place), ip, place == UNTRUSTED_NODE);
                plain_address = runtime.block_on(authorities.plain_proxy(address));
            }
            std::fs::write(folder.path().join(config_of(place)), config).unwrap();
            Node { address, _port: port, plain_address, is_secured: authorities.is_some(), ways, running: None }
        };
        let nodes = (0..setup.nodes).map(node).collect();
        let credentials = Credentials::default();
        let mut house = Self {
            nodes,
            pair,
            store,
            folder,
            clusters: setup.clusters,
            credentials,
            runtime,
            cashier: OnceLock::new(),
            _turn: turn,
        };
        house.run(0, (FIRST.len(), usize::try_from(setup.terminals).unwrap()));
        for place in 1..house.nodes.len() {
            if place != UNTRUSTED_NODE || !setup.is_secured {
                house.start(place);
            }
        }
        house.wait_until_all_partitions_are_held();
        house
    }

    /// Starts a machine again.
    pub(crate) fn start(&mut self, node: usize) {
        self.run(node, (0, 0));
    }

    fn run(&mut self, place: usize, expected: (usize, usize)) {
        let node = &mut self.nodes[place];
        assert!(node.running.is_none(), "it runs");
        let [one, two] = node.ways.each_ref().map(Relay::port);
        let store =
            format!("postgres://postgres@127.0.0.1:{one},127.0.0.1:{two}/record?target_session_attrs=read-write");
        let mut command = taisai(self.folder.path());
        command.args(["serve", "--config", &config_of(place), "--data", &data(place), "--store", &store]);
        command.args(["--listen", &node.address.to_string()]);
        node.running = Some(ServerProcess::start(&mut command, |line| self.credentials.parse_line(line, expected)));
    }

    /// Where each machine is reached.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.plain_address).collect()
    }

    /// What a machine has logged.
    pub(crate) fn log(&self, node: usize) -> String {
        self.running(node).log()
    }

    /// How many clusters the table has.
    pub(crate) const fn clusters(&self) -> u16 {
        self.clusters
    }

    /// The address of its record.
    pub(crate) fn store(&self) -> &str {
        &self.store
    }

    fn running(&self, node: usize) -> &ServerProcess {
        self.nodes[node].running.as_ref().expect("it runs")
    }

    /// Ends a machine without a word.
    pub(crate) fn kill(&mut self, node: usize) {
        self.nodes[node].running.take().expect("it runs").kill();
    }

    /// Freezes a machine. Its threads stop one after the other: on a busy machine some go on for a while.
    pub(crate) fn freeze(&self, node: usize) {
        let running = self.running(node);
        running.signal("STOP");
        until("every thread stands still", || {
            let mut threads = std::fs::read_dir(format!("/proc/{}/task", running.pid())).unwrap();
            // One that has ended meanwhile cannot be asked.
            threads.all(|thread| state(&thread.unwrap().path()).is_none_or(|state| state == 'T'))
        });
    }

    /// A machine that was frozen goes on.
    pub(crate) fn thaw(&self, node: usize) {
        self.running(node).signal("CONT");
    }

    /// From now on a machine's ways to the database are so.
    pub(crate) fn set_relay_mode(&self, node: usize, way: RelayMode) {
        self.nodes[node].ways.iter().for_each(|relay| relay.set(way));
    }

    fn assert_clean_exit(running: ServerProcess) {
        let (status, log) = running.stopped();
        assert!(status.success() && !log.contains("panicked"), "{status}: {log}");
    }

    /// Runs another command of the program.
    pub(crate) fn taisai(&self, args: &[&str]) -> (bool, String, String) {
        let output = taisai(self.folder.path()).args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    }

    /// Who is there and holds what, or why that cannot be read.
    pub(crate) fn listed(&self) -> Result<TablePlacement, String> {
        let (is_ok, printed, error) = self.taisai(&["tables", "list", "--json", "--store", &self.store]);
        if is_ok { Ok(serde_json::from_str(&printed).unwrap()) } else { Err(error) }
    }

    /// The machine that holds a part, once one does.
    pub(crate) fn holder(&self, part: &str) -> usize {
        self.other_holder(part, usize::MAX)
    }

    /// The machine that holds a part, once it is another than this one.
    pub(crate) fn other_holder(&self, part: &str, than: usize) -> usize {
        let mut found = None;
        until(&format!("{part} is held"), || {
            found = self.listed().ok().and_then(|listed| self.holder_in(&listed, part)).filter(|node| *node != than);
            found.is_some()
        });
        found.unwrap()
    }

    fn holder_in(&self, listed: &TablePlacement, part: &str) -> Option<usize> {
        let holder = listed.parts.iter().find(|listed| listed.part == part)?.node.as_ref()?;
        self.nodes.iter().position(|node| node.url() == *holder)
    }

    /// Waits until every running machine has joined, and the partitions are spread over them.
    pub(crate) fn wait_until_all_partitions_are_held(&self) {
        let running = || self.nodes.iter().filter(|node| node.running.is_some());
        let parts = if self.clusters == 1 { 2 } else { 2 + usize::from(self.clusters) };
        let is_whole = |listed: TablePlacement| {
            let held = |node: &Node| {
                let url = node.url();
                listed.parts.iter().filter(|part| part.node.as_ref() == Some(&url)).count()
            };
            let is_in = |node: &Node| listed.nodes.iter().any(|listed| listed.address == node.url());
            let (most, least) = (running().map(held).max().unwrap(), running().map(held).min().unwrap());
            let are_in = listed.nodes.len() == running().count() && running().all(is_in);
            are_in && running().map(held).sum::<usize>() == parts && most <= least + 1
        };
        until("all partitions are held", || {
            for running in self.nodes.iter().filter_map(|node| node.running.as_ref()) {
                assert!(!has_ended(running.pid()), "the machine at {} has ended by itself", running.address());
            }
            self.listed().is_ok_and(is_whole)
        });
        for node in running() {
            until("it is ready", || is_ready(node.plain_address));
        }
    }

    /// A machine that holds nothing.
    pub(crate) fn idle(&self) -> usize {
        let busy = [HOUSE_PARTITION, TABLE_PARTITION].map(|part| self.holder(part));
        (0..self.nodes.len()).find(|node| !busy.contains(node)).expect("they are more than parts")
    }

    /// Has a part moved to a machine, which holds it then.
    pub(crate) fn move_partition(&self, part: &str, to: usize) {
        let address = self.nodes[to].url();
        let (is_moved, said, error) = self.taisai(&["tables", "move", part, "--to", &address, "--store", &self.store]);
        assert!(is_moved, "{said}{error}");
    }

    /// The person with that role of the first people, at the first machine.
    pub(crate) fn person(&self, role: &str) -> Person {
        self.credentials.person(self.nodes[0].plain_address, role)
    }

    /// The cashier of every player.
    pub(crate) fn cashier(&self) -> &Arc<Cashier> {
        self.cashier.get_or_init(|| Arc::new(Cashier::new(self.person("cashier"), self.addresses())))
    }

    /// The password that lets a person in now.
    pub(crate) fn password(&self, id: u32) -> String {
        self.credentials.password(id)
    }

    /// Enrols the terminals at these seats, each at another machine than the one before.
    pub(crate) fn enrol(&self, seats: std::ops::RangeInclusive<u32>) -> Vec<Device> {
        let share = seats.end() / u32::from(self.clusters);
        let seats: Vec<u32> = seats.collect();
        let enrol = |seat: &u32| {
            let running = || self.nodes.iter().filter(|node| node.running.is_some());
            let at = usize::try_from(*seat).unwrap() % running().count();
            let address = running().nth(at).unwrap().plain_address;
            let (cluster, seat) = ((seat - 1) / share, (seat - 1) % share + 1);
            self.credentials.enrol_in(address, TABLE, u16::try_from(cluster).unwrap(), seat)
        };
        thread::scope(|scope| {
            let share = seats.len().div_ceil(ENROL_BATCH_SIZE);
            let parts: Vec<_> = seats
                .chunks(share)
                .map(|seats| scope.spawn(move || seats.iter().map(enrol).collect::<Vec<_>>()))
                .collect();
            parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
        })
    }

    /// Stops every machine and has the whole record checked, against the anchor of each of them.
    pub(crate) fn audit(&mut self) {
        for node in self.nodes.iter().filter_map(|node| node.running.as_ref()) {
            node.signal("TERM");
        }
        let running: Vec<_> = self.nodes.iter_mut().filter_map(|node| node.running.take()).collect();
        for running in running {
            Self::assert_clean_exit(running);
        }
        for place in 0..self.nodes.len() {
            let anchor = format!("{}/anchor.txt", data(place));
            let with = ["audit", "verify", &self.store, "--key", "house.key", "--anchor", &anchor];
            if self.folder.path().join(&anchor).exists() {
                let (is_good, said, error) = self.taisai(&with);
                assert!(is_good, "{said}{error}");
            }
        }
    }
}

/// The folder of a machine.
fn data(place: usize) -> String {
    format!("node-{place}")
}

/// Its file.
fn config_of(place: usize) -> String {
    format!("{}.toml", data(place))
}

/// The program, in a folder.
pub(crate) fn taisai(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Whether a machine takes commands, and knows where the table is: who holds it may have to read it first.
fn is_ready(address: SocketAddr) -> bool {
    ["/readyz".to_owned(), format!("/api/v1/tables/{TABLE}")].into_iter().all(|path| {
        let reply = crate::person::agent().get(format!("http://{address}{path}")).call();
        reply.is_ok_and(|answer| answer.status() == 200)
    })
}

/// Whether a process has ended, and nobody has taken note of it yet.
fn has_ended(process: u32) -> bool {
    state(Path::new(&format!("/proc/{process}"))) == Some('Z')
}

/// The state of a process or a thread, by its folder under `/proc`; nothing where it is there no longer.
fn state(folder: &Path) -> Option<char> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // Behind the name, which may hold anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

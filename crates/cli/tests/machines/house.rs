//! An installation of several nodes: each is a process on a loopback address of its own, with its own relays to both servers of
//! the database. Tests kill, freeze, cut off and restart them; the installation has one record.

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

/// The table that tests play at.
pub(crate) const TABLE: u16 = 1;

/// Its partitions, as `taisai tables list` names them.
pub(crate) const TABLE_PARTITION: &str = "table-1";
pub(crate) const HOUSE_PARTITION: &str = "house";

/// How many terminals are enrolled in one request.
const ENROL_BATCH_SIZE: usize = 8;

/// Tests of this program run one at a time: each starts up to three nodes and two servers, and leases expire by the clock.
static TURN: Mutex<()> = Mutex::new(());

const PROFILE: &str = include_str!("../../../../profiles/singapore.toml");

/// The node whose certificate is signed by another authority, if nodes have certificates.
pub(crate) const UNTRUSTED_NODE: usize = 2;

pub(crate) struct CasinoSetup {
    pub(crate) nodes: u8,
    pub(crate) terminals: u32,
    pub(crate) clusters: u16,
    /// Whether nodes use TLS. The untrusted one is not started.
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

/// One node of the installation.
pub(crate) struct Node {
    address: SocketAddr,
    /// A restart uses the same address.
    _port: ReservedPort,
    /// The address without TLS.
    plain_address: SocketAddr,
    is_secured: bool,
    ways: [Relay; 2],
    running: Option<ServerProcess>,
}

impl Node {
    /// The address that other nodes use.
    fn url(&self) -> String {
        format!("{}://{}", if self.is_secured { "https" } else { "http" }, self.address)
    }
}

pub(crate) struct TestCasino {
    /// Dropped before the database.
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

/// The output of `taisai tables list`.
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
    /// A table with this many terminals, on three nodes.
    pub(crate) fn open(terminals: u32) -> Self {
        Self::spread(terminals, 1)
    }

    /// A table with this many terminals in this many clusters, on three nodes.
    pub(crate) fn spread(terminals: u32, clusters: u16) -> Self {
        Self::with(&CasinoSetup { terminals, clusters, ..CasinoSetup::default() })
    }

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

    /// Restarts a node.
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

    /// The address of each node.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.plain_address).collect()
    }

    /// The log of a node.
    pub(crate) fn log(&self, node: usize) -> String {
        self.running(node).log()
    }

    /// How many clusters the table has.
    pub(crate) const fn clusters(&self) -> u16 {
        self.clusters
    }

    /// The address of the record.
    pub(crate) fn store(&self) -> &str {
        &self.store
    }

    fn running(&self, node: usize) -> &ServerProcess {
        self.nodes[node].running.as_ref().expect("it runs")
    }

    /// Kills a node with SIGKILL.
    pub(crate) fn kill(&mut self, node: usize) {
        self.nodes[node].running.take().expect("it runs").kill();
    }

    /// Freezes a node. Its threads stop one after the other, on a busy machine not at once.
    pub(crate) fn freeze(&self, node: usize) {
        let running = self.running(node);
        running.signal("STOP");
        until("every thread stands still", || {
            let mut threads = std::fs::read_dir(format!("/proc/{}/task", running.pid())).unwrap();
            // A process that has ended has no state.
            threads.all(|thread| state(&thread.unwrap().path()).is_none_or(|state| state == 'T'))
        });
    }

    /// Thaws a frozen node.
    pub(crate) fn thaw(&self, node: usize) {
        self.running(node).signal("CONT");
    }

    /// Sets the mode of a node's relays to the database.
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

    /// The nodes and what each holds, or why that cannot be read.
    pub(crate) fn listed(&self) -> Result<TablePlacement, String> {
        let (is_ok, printed, error) = self.taisai(&["tables", "list", "--json", "--store", &self.store]);
        if is_ok { Ok(serde_json::from_str(&printed).unwrap()) } else { Err(error) }
    }

    /// The node that holds a partition, once one does.
    pub(crate) fn holder(&self, part: &str) -> usize {
        self.other_holder(part, usize::MAX)
    }

    /// The node that holds a partition, once it is not the given one.
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

    /// Waits until every running node has joined and the partitions are balanced.
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

    /// A node that holds no partition.
    pub(crate) fn idle(&self) -> usize {
        let busy = [HOUSE_PARTITION, TABLE_PARTITION].map(|part| self.holder(part));
        (0..self.nodes.len()).find(|node| !busy.contains(node)).expect("they are more than parts")
    }

    /// Moves a partition to a node, and waits until that holds it.
    pub(crate) fn move_partition(&self, part: &str, to: usize) {
        let address = self.nodes[to].url();
        let (is_moved, printed, error) =
            self.taisai(&["tables", "move", part, "--to", &address, "--store", &self.store]);
        assert!(is_moved, "{printed}{error}");
    }

    /// The first person with that role, signed in at the first node.
    pub(crate) fn person(&self, role: &str) -> Person {
        self.credentials.person(self.nodes[0].plain_address, role)
    }

    /// The cashier of all players.
    pub(crate) fn cashier(&self) -> &Arc<Cashier> {
        self.cashier.get_or_init(|| Arc::new(Cashier::new(self.person("cashier"), self.addresses())))
    }

    /// The current password of a person.
    pub(crate) fn password(&self, id: u32) -> String {
        self.credentials.password(id)
    }

    /// Enrols the terminals at these seats, at the nodes in turn.
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

    /// Stops every node and verifies the whole record against each node's anchor.
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
                let (is_good, printed, error) = self.taisai(&with);
                assert!(is_good, "{printed}{error}");
            }
        }
    }
}

fn data(place: usize) -> String {
    format!("node-{place}")
}

/// The configuration file of a node.
fn config_of(place: usize) -> String {
    format!("{}.toml", data(place))
}

/// The program, to be run in a folder.
pub(crate) fn taisai(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Whether a node takes commands and knows the holder of the table, which may still have to read its chains.
fn is_ready(address: SocketAddr) -> bool {
    ["/readyz".to_owned(), format!("/api/v1/tables/{TABLE}")].into_iter().all(|path| {
        let reply = crate::person::agent().get(format!("http://{address}{path}")).call();
        reply.is_ok_and(|answer| answer.status() == 200)
    })
}

/// Whether a process has ended and was not waited for.
fn has_ended(process: u32) -> bool {
    state(Path::new(&format!("/proc/{process}"))) == Some('Z')
}

/// The state of a process or thread, by its folder under `/proc`; none if it has ended.
fn state(folder: &Path) -> Option<char> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The state follows the name, which may contain anything.
    stat.rsplit_once(')')?.1.trim_start().chars().next()
}

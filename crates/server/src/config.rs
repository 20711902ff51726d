//! `taisai.toml`, the configuration file. It is read as a whole, all its faults are named at once, and it becomes the plan that the
//! server runs. The file lays a table out once; from then on the record decides.

pub(crate) mod api;
mod file;
mod first_use;
mod seed;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use taisai_record::{Address, Program, RecordFiles};
use taisai_rules::{Game, Games, Moment, Money, Station};
use taisai_table::{LimitEntry, Profile, Registration, TableId, TableLimits};

pub(crate) use api::{name_key, recorded_name, table_name};
pub use file::is_node;
pub(crate) use first_use::Founding;
pub use first_use::{FirstDevice, FirstPerson, FirstUse, NotFounded};
pub use seed::{Seed, TableSeed, founders};

use crate::http::accept::Tls;
use crate::http::network::Network;
use crate::node::peers::NodeAddress;
use crate::node::{InstallationPlan, TablePlan};
use crate::serve::ServePlan;
use crate::ws::PONG_TIMEOUT;

/// How long rounds in play may take at shutdown.
const DEFAULT_GRACE: Duration = Duration::from_secs(20);

const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8_080);
const DEFAULT_DATA: &str = "data";

/// The games that names in a file can mean.
#[derive(Clone, Copy, Debug)]
pub struct GameNames<'a> {
    pub games: &'a Games,
    /// A name without a version means the newest one in force at this time.
    pub now: Moment,
}

#[derive(Clone, Debug)]
pub struct Config {
    /// The name of the property.
    pub name: String,
    pub profile: Profile,
    /// Whether the whole installation is for training.
    pub is_training: bool,
    /// Whether tables with real money may play games that are not approved.
    pub allows_unapproved: bool,
    pub listen: SocketAddr,
    /// Networks that may read the metrics, beside this machine.
    pub metrics_from: Vec<Network>,
    /// The data folder.
    pub data: PathBuf,
    /// Where the record is, if not in the data folder.
    pub store: Option<Address>,
    /// The key file, if not beside the record.
    pub keys: Option<PathBuf>,
    /// The anchor, if not beside the record.
    pub anchor: Option<PathBuf>,
    pub log: Log,
    pub tls: Option<Tls>,
    /// How other nodes reach this one, if the installation runs on several machines.
    pub node: NodeAddress,
    /// In the order of their numbers.
    pub tables: Vec<TableConfig>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableConfig {
    pub table: TableId,
    pub name: String,
    /// As `id@version`.
    pub game: String,
    /// The game file, word for word.
    pub game_file: String,
    pub layout: String,
    pub registration: Registration,
    pub station: Station,
    /// The number of seats of each cluster.
    pub seats: Vec<u32>,
    pub is_training: bool,
    /// The limits that are proposed.
    pub limits: Option<TableLimits>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Log {
    /// The least severe level that is logged.
    pub level: tracing::Level,
    /// By default text on a terminal, and JSON elsewhere.
    pub format: Option<LogFormat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object for each line.
    Json,
}

impl LogFormat {
    const ALL: [(&str, Self); 2] = [("text", Self::Text), ("json", Self::Json)];
}

const LEVELS: [(&str, tracing::Level); 5] = [
    ("error", tracing::Level::ERROR),
    ("warn", tracing::Level::WARN),
    ("info", tracing::Level::INFO),
    ("debug", tracing::Level::DEBUG),
    ("trace", tracing::Level::TRACE),
];

impl Default for Log {
    fn default() -> Self {
        Self { level: tracing::Level::INFO, format: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected error, warn, info, debug or trace, text or json, or both with a comma between them")]
pub struct BadLog;

/// As the flag and the environment variable spell it: `debug`, `json`, `debug,json`.
impl FromStr for Log {
    type Err = BadLog;

    fn from_str(text: &str) -> Result<Self, BadLog> {
        let mut log = Self::default();
        let (mut has_level, mut has_format) = (false, false);
        for word in text.split(',') {
            let level = LEVELS.into_iter().find(|(name, _)| *name == word);
            let format = LogFormat::ALL.into_iter().find(|(name, _)| *name == word);
            match (level, format) {
                (Some((_, level)), None) if !std::mem::replace(&mut has_level, true) => log.level = level,
                (None, Some((_, format))) if !std::mem::replace(&mut has_format, true) => log.format = Some(format),
                _ => return Err(BadLog),
            }
        }
        Ok(log)
    }
}

/// Why a configuration cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Passwords would cross a network without TLS.
    #[error("{0} is reached from other machines: name a certificate under [tls], or listen on a loopback address")]
    Exposed(SocketAddr),
}

impl Config {
    /// The installation of a first start without a file: a table with eight Player Terminals, and a live table.
    pub fn default_house(names: &GameNames<'_>) -> Result<Self, taisai_rules::UnknownGame> {
        let terminals = names.games.find("sic-bo-etg", Some(names.now))?;
        let live = names.games.find("tai-sai", Some(names.now))?;
        let tables = vec![
            TableConfig::new(TableId(1), terminals, "B", 8, Some(at_terminals())),
            TableConfig {
                registration: Registration::Winners,
                ..TableConfig::new(TableId(2), live, "C", 14, Some(at_live_table()))
            },
        ];
        Ok(Self {
            name: "Tai Sai".to_owned(),
            profile: Profile::singapore(),
            is_training: false,
            allows_unapproved: false,
            listen: DEFAULT_LISTEN,
            metrics_from: Vec::new(),
            node: NodeAddress::default(),
            data: PathBuf::from(DEFAULT_DATA),
            store: None,
            keys: None,
            anchor: None,
            log: Log::default(),
            tls: None,
            tables,
        })
    }

    /// The same installation for training. With the default profile it takes notes, from simulated acceptors.
    #[must_use]
    pub fn for_training(mut self) -> Self {
        self.is_training = true;
        if self.profile == Profile::singapore() {
            self.profile = Profile::training();
        }
        for table in &mut self.tables {
            table.is_training = true;
        }
        self
    }

    pub fn address(&self) -> Address {
        self.store.clone().unwrap_or_else(|| Address::Folder(self.data.clone()))
    }

    /// Creates the folder for the key file and the anchor of a record in a database. A record in files creates its own.
    pub fn make_folder(&self) -> std::io::Result<()> {
        match self.address() {
            Address::Postgres(_) => std::fs::create_dir_all(&self.data),
            Address::Folder(_) => Ok(()),
        }
    }

    /// The key file and the anchor: as configured, or beside the record.
    pub fn files(&self) -> RecordFiles {
        let beside = self.address().files();
        let (key_file, anchor) = beside.map_or_else(
            || (self.data.join("house.key"), Some(self.data.join("anchor.txt"))),
            |files| (files.key_file, files.anchor),
        );
        RecordFiles {
            key_file: self.keys.clone().unwrap_or(key_file),
            anchor: self.anchor.clone().or(anchor),
            trusted: Vec::new(),
        }
    }

    /// The plan to run. The id is used if there is no record yet.
    pub fn plan(self, program: Program, new_house: [u8; 16]) -> Result<ServePlan, ConfigError> {
        if self.tls.is_none() && is_exposed(self.listen) {
            return Err(ConfigError::Exposed(self.listen));
        }
        let (address, files) = (self.address(), self.files());
        Ok(ServePlan {
            name: self.name,
            texts: Vec::new(),
            listen: self.listen,
            metrics_from: self.metrics_from,
            tls: self.tls,
            grace: DEFAULT_GRACE,
            seed: Seed::new(&self.tables),
            demo: None,
            new_secrets: false,
            sign_of_life: PONG_TIMEOUT,
            node_address: self.node,
            installation: InstallationPlan {
                address,
                files,
                program,
                new_house,
                profile: self.profile,
                is_training: self.is_training,
                allows_unapproved: self.allows_unapproved,
                tables: self.tables.into_iter().map(TableConfig::plan).collect(),
                accepts_clock: false,
                acknowledged: taisai_journal::AcknowledgedHeads::default(),
            },
        })
    }
}

/// Whether other machines can reach the address.
const fn is_exposed(listen: SocketAddr) -> bool {
    !listen.ip().is_loopback()
}

impl TableConfig {
    fn new(table: TableId, game: &Game, layout: &str, seats: u32, limits: Option<TableLimits>) -> Self {
        Self {
            table,
            name: format!("Table {}", table.0),
            game: format!("{}@{}", game.id(), game.version()),
            game_file: game.file().to_owned(),
            layout: layout.to_owned(),
            registration: Registration::EveryBet,
            station: game.station(),
            seats: vec![seats],
            is_training: false,
            limits,
        }
    }

    /// Seats count from one: seat 0 of each cluster stays empty.
    fn plan(self) -> TablePlan {
        TablePlan {
            table: self.table,
            game: self.game_file,
            layout: self.layout,
            registration: self.registration,
            is_training: self.is_training,
            seats: self.seats.into_iter().map(|seats| seats + 1).collect(),
        }
    }
}

fn limits(unit: i64, boxes: &[(&str, i64, i64)], differential: Option<i64>) -> TableLimits {
    let dollars = |dollars: i64| Money::from_cents(dollars * 100);
    let entry = |(boxes, min, max): &(&str, i64, i64)| LimitEntry {
        boxes: boxes.parse().expect("it is a kind of boxes"),
        min: Some(dollars(*min)),
        max: Some(dollars(*max)),
    };
    TableLimits {
        unit: dollars(unit),
        boxes: boxes.iter().map(entry).collect(),
        rest: None,
        differential: differential.map(dollars),
    }
}

/// The default proposal for Player Terminals: for each player, in dollars.
fn at_terminals() -> TableLimits {
    let boxes = [
        ("small", 2, 2_000),
        ("big", 2, 2_000),
        ("odd", 2, 2_000),
        ("even", 2, 2_000),
        ("single", 2, 500),
        ("sum", 2, 200),
        ("domino", 2, 300),
        ("double", 2, 200),
        ("any-triple", 2, 100),
        ("triple", 2, 50),
        ("four", 2, 300),
        ("three", 2, 100),
        ("pair", 2, 100),
    ];
    limits(2, &boxes, None)
}

/// The default proposal for a live table: for all players together, in dollars.
fn at_live_table() -> TableLimits {
    let boxes = [
        ("small", 25, 10_000),
        ("big", 25, 10_000),
        ("odd", 25, 10_000),
        ("even", 25, 10_000),
        ("single", 5, 2_000),
        ("sum", 5, 1_000),
        ("domino", 5, 1_500),
        ("double", 5, 1_000),
        ("any-triple", 5, 500),
        ("triple", 5, 200),
        ("four", 5, 1_500),
        ("three", 5, 500),
        ("pair", 5, 500),
    ];
    limits(1, &boxes, Some(5_000))
}

#[cfg(test)]
mod tests;

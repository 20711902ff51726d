//! Reads `taisai.toml` into a [`Config`], or returns all its faults with their positions. `deploy/taisai.toml` is the example.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use taisai_datafile::{FileFault, FileFaultKind, TomlReader, TomlTable, TomlValue, cite};
use taisai_record::Address;
use taisai_rules::{Game, LimitScope, Money, Station};
use taisai_table::{LimitEntry, LimitRange, Profile, Registration, TableId, TableLimits, TableRules};

use super::{Config, DEFAULT_DATA, DEFAULT_LISTEN, GameNames, LEVELS, Log, LogFormat, TableConfig, is_exposed};
use crate::http::accept::Tls;
use crate::http::network::Network;
use crate::node::peers::NodeAddress;

/// In a file.
const MAX_CENTS: u32 = 4_000_000_000;
/// Seats or Player Terminals of a table.
const MAX_SEATS: u32 = 20_000;
const MAX_FILE_BYTES: u64 = 1 << 20;

impl Config {
    /// Reads the file at a path, or names every fault in it. Missing values are those of [`Config::default_house`], except the
    /// tables; relative paths start at the file's folder.
    pub fn read(text: &str, path: &Path, names: &GameNames<'_>) -> Result<Self, Vec<FileFault>> {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::read_with(text, names, folder, read_file)
    }

    /// Reads a file; `other` reads the files that it names.
    pub fn read_with(
        text: &str,
        names: &GameNames<'_>,
        folder: &Path,
        other: impl Fn(&Path) -> io::Result<String>,
    ) -> Result<Self, Vec<FileFault>> {
        if u64::try_from(text.len()).is_ok_and(|bytes| bytes > MAX_FILE_BYTES) {
            let mut reader = TomlReader::new(text);
            reader.fault(0..0, FileFaultKind::Syntax, format!("the file has more than {MAX_FILE_BYTES} bytes"));
            return Err(reader.finish());
        }
        let (mut reader, document) = TomlReader::parse(text);
        let root = TomlTable::new(document.span(), document.get_ref());
        let config = ConfigReader { names, folder, other: &other }.read(&mut reader, root);
        let faults = reader.finish();
        match config {
            Some(config) if faults.is_empty() => Ok(config),
            _ => Err(faults),
        }
    }
}

pub fn is_node(address: &str) -> bool {
    let place = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"));
    let port = place.and_then(|place| place.rsplit_once(':')).filter(|(host, _)| !host.is_empty());
    port.is_some_and(|(host, port)| port.parse::<u16>().is_ok() && !host.contains(['/', ' ', '@']))
}

fn read_file(path: &Path) -> io::Result<String> {
    let length = std::fs::metadata(path).map(|found| if found.is_file() { found.len() } else { u64::MAX })?;
    if length > MAX_FILE_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("it is no file of at most {MAX_FILE_BYTES} bytes"),
        ));
    }
    std::fs::read_to_string(path)
}

struct ConfigReader<'a> {
    names: &'a GameNames<'a>,
    folder: &'a Path,
    other: &'a dyn Fn(&Path) -> io::Result<String>,
}

impl ConfigReader<'_> {
    fn read<'t>(&self, reader: &mut TomlReader<'t>, mut root: TomlTable<'_, 't>) -> Option<Config> {
        let house = root.section(reader, "house").and_then(|table| self.house(reader, table));
        let listen = root.optional("listen");
        let address: Option<SocketAddr> = listen.and_then(|value| reader.parsed(value, FileFaultKind::BadValue));
        let metrics_from = root.optional("metrics_from").map(|value| networks(reader, value));
        let data = root.optional("data").and_then(|value| self.path(reader, value));
        let store = root.optional("store").and_then(|value| self.store(reader, value));
        let keys = root.optional("keys").and_then(|value| self.path(reader, value));
        let anchor = root.optional("anchor").and_then(|value| self.path(reader, value));
        let log = root.optional("log").and_then(|value| reader.table(value)).and_then(|table| log(reader, table));
        let tls = root.optional("tls");
        if let (Some(listen), Some(address), None) = (listen, address, tls)
            && is_exposed(address)
        {
            let message = "it is reached from other machines: a certificate is needed, under [tls]";
            reader.fault(listen.span(), FileFaultKind::BadValue, message);
        }
        let tls = tls.and_then(|value| reader.table(value)).and_then(|table| self.tls(reader, table));
        let node = root.optional("node").and_then(|value| reader.table(value)).map(|table| self.node(reader, table));
        let is_training = house.as_ref().is_some_and(|(_, _, is_training, _)| *is_training);
        let tables = root.list(reader, "table").map(|list| self.tables(reader, list, is_training));
        root.finish(reader);
        let (name, profile, is_training, allows_unapproved) = house?;
        Some(Config {
            name,
            profile,
            is_training,
            allows_unapproved,
            listen: address.unwrap_or(DEFAULT_LISTEN),
            metrics_from: metrics_from.unwrap_or_default(),
            data: data.unwrap_or_else(|| self.folder.join(DEFAULT_DATA)),
            store,
            keys,
            anchor,
            log: log.unwrap_or_default(),
            tls,
            node: node.unwrap_or_default(),
            tables: tables?,
        })
    }

    /// How other nodes reach this one, and the certificates to trust them by.
    fn node<'t>(&self, reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> NodeAddress {
        let address = table.optional("address").and_then(|value| {
            let address = reader.string(value)?;
            if !is_node(address) {
                let message = "the address of a node is http:// or https://, its host and its port";
                reader.fault(value.span(), FileFaultKind::BadValue, message);
            }
            Some(address.to_owned())
        });
        let authority = table.optional("authority").and_then(|value| self.path(reader, value));
        table.finish(reader);
        NodeAddress { address, authority }
    }

    fn house<'t>(
        &self,
        reader: &mut TomlReader<'t>,
        mut table: TomlTable<'_, 't>,
    ) -> Option<(String, Profile, bool, bool)> {
        let name = table.string(reader, "name");
        let named = table.optional("profile");
        let is_training = flag(reader, &mut table, "training");
        let profile = match named {
            None if is_training == Some(true) => Some(Profile::training()),
            None => Some(Profile::singapore()),
            Some(value) => self.profile(reader, value),
        };
        let unapproved = table.optional("unapproved_games");
        let unapproved =
            unapproved.map(|_| table.choice(reader, "unapproved_games", &[("refuse", false), ("allow", true)]));
        table.finish(reader);
        Some((name?, profile?, is_training?, unapproved.unwrap_or(Some(false))?))
    }

    /// The name of an embedded profile, or a profile file.
    fn profile<'t>(&self, reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Profile> {
        let text = reader.string(value)?;
        let embedded = Profile::embedded();
        if let Some(profile) = embedded.iter().find(|known| text == known.name) {
            return Some(profile.clone());
        }
        if !has_extension(text) {
            let names = embedded.map(|known| format!("{:?}", known.name)).join(" or ");
            let message = format!("{}: expected {names}, or a file that ends in \".toml\"", cite(text));
            reader.fault(value.span(), FileFaultKind::BadValue, message);
            return None;
        }
        let file = self.other(reader, value, text)?;
        match Profile::from_toml(&file) {
            Ok(profile) => Some(profile),
            Err(faults) => {
                for fault in faults {
                    reader.fault(value.span(), FileFaultKind::BadValue, format!("{}:{fault}", cite(text)));
                }
                None
            }
        }
    }

    fn other<'t>(&self, reader: &mut TomlReader<'t>, value: &TomlValue<'t>, text: &str) -> Option<String> {
        let read = (self.other)(&self.folder.join(text));
        read.map_err(|error| {
            reader.fault(value.span(), FileFaultKind::BadValue, format!("{} cannot be read: {error}", cite(text)));
        })
        .ok()
    }

    fn path<'t>(&self, reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<PathBuf> {
        let text = reader.string(value)?;
        if text.is_empty() {
            reader.fault(value.span(), FileFaultKind::BadValue, "the path is empty");
            return None;
        }
        Some(self.folder.join(text))
    }

    fn store<'t>(&self, reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Address> {
        let text = reader.long_string(value, 1_000)?;
        match text.parse() {
            Ok(Address::Postgres(address)) => Some(Address::Postgres(address)),
            Ok(Address::Folder(_)) => self.path(reader, value).map(Address::Folder),
            Err(bad) => {
                reader.fault(value.span(), FileFaultKind::BadValue, bad.to_string());
                None
            }
        }
    }

    fn tls<'t>(&self, reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Option<Tls> {
        let certificate = table.required(reader, "certificate").and_then(|value| self.path(reader, value));
        let key = table.required(reader, "key").and_then(|value| self.path(reader, value));
        table.finish(reader);
        Some(Tls { certificate: certificate?, key: key? })
    }

    fn tables<'t>(&self, reader: &mut TomlReader<'t>, list: &[TomlValue<'t>], is_training: bool) -> Vec<TableConfig> {
        let mut numbers = BTreeSet::new();
        let mut tables = Vec::new();
        for value in list {
            let Some(mut table) = reader.table(value) else { continue };
            let number = table.required(reader, "number");
            let read = number.and_then(|value| reader.integer(value, 1..=u16::MAX.into()));
            let read = read.and_then(|number| u16::try_from(number).ok()).map(TableId);
            if let (Some(number), Some(read)) = (number, read)
                && !numbers.insert(read)
            {
                reader.fault(number.span(), FileFaultKind::BadValue, format!("there are two tables {}", read.0));
            }
            tables.extend(self.table(reader, table, read, is_training));
        }
        tables.sort_by_key(|table| table.table);
        tables
    }

    fn table<'t>(
        &self,
        reader: &mut TomlReader<'t>,
        mut table: TomlTable<'_, 't>,
        number: Option<TableId>,
        is_house_training: bool,
    ) -> Option<TableConfig> {
        let name = match table.optional("name") {
            None => number.map(|number| format!("Table {}", number.0)),
            Some(value) => name(reader, value),
        };
        let game = table.required(reader, "game").and_then(|value| self.game(reader, value));
        let layout = table.required(reader, "layout").and_then(|value| {
            let text = reader.string(value)?;
            let unknown = game.as_ref().and_then(|game| game.layout(text).err());
            if let Some(unknown) = &unknown {
                reader.fault(value.span(), FileFaultKind::BadValue, unknown.to_string());
            }
            unknown.is_none().then(|| text.to_owned())
        });
        let seats = seats(reader, &mut table, game.as_ref());
        let is_training = match table.optional("training") {
            None => Some(is_house_training),
            Some(value) => {
                let is_training = boolean(reader, value);
                if is_training == Some(false) && is_house_training {
                    reader.fault(
                        value.span(),
                        FileFaultKind::BadValue,
                        "a training installation has training tables only",
                    );
                }
                is_training
            }
        };
        let rules = game.as_ref().zip(layout.as_deref());
        let rules = rules.and_then(|(game, layout)| TableRules::new(game.clone().into(), layout).ok());
        let registration = table.optional("registration");
        let chosen = registration.and_then(|_| table.choice(reader, "registration", &Registration::ALL));
        if let (Some(value), Some(chosen), Some(rules)) = (registration, chosen, &rules)
            && let Err(not_live) = rules.clone().registering(chosen)
        {
            reader.fault(value.span(), FileFaultKind::BadValue, not_live.to_string());
        }
        let limits = table.optional("limits").map(|value| read_limits(reader, value, rules.as_ref()));
        table.finish(reader);
        let game = game?;
        Some(TableConfig {
            table: number?,
            name: name?,
            game: format!("{}@{}", game.id(), game.version()),
            game_file: game.file().to_owned(),
            layout: layout?,
            registration: chosen.unwrap_or_default(),
            station: game.station(),
            seats: seats?,
            is_training: is_training?,
            limits: limits.map_or(Some(None), |limits| limits.map(Some))?,
        })
    }

    /// The name of a known game, or a game file.
    fn game<'t>(&self, reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Game> {
        let text = reader.string(value)?;
        if !has_extension(text) {
            let found = self.names.games.find(text, Some(self.names.now));
            return found
                .map_err(|unknown| reader.fault(value.span(), FileFaultKind::BadValue, unknown.to_string()))
                .ok()
                .cloned();
        }
        let file = self.other(reader, value, text)?;
        match Game::from_toml(&file) {
            Ok(game) => Some(game),
            Err(faults) => {
                for fault in faults {
                    reader.fault(value.span(), FileFaultKind::BadValue, format!("{}:{fault}", cite(text)));
                }
                None
            }
        }
    }
}

fn networks<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Vec<Network> {
    let list = reader.array(value).unwrap_or_default();
    list.iter().filter_map(|value| reader.parsed(value, FileFaultKind::BadValue)).collect()
}

fn has_extension(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|extension| extension == "toml")
}

fn name<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<String> {
    let text = reader.string(value)?;
    if text.trim().is_empty() {
        reader.fault(value.span(), FileFaultKind::BadValue, "the name is empty");
    }
    Some(text.to_owned())
}

fn boolean<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<bool> {
    let found = value.get_ref().as_bool();
    if found.is_none() {
        let message = format!("expected true or false, found {}", value.get_ref().type_str());
        reader.fault(value.span(), FileFaultKind::WrongType, message);
    }
    found
}

/// False if it is missing.
fn flag<'t>(reader: &mut TomlReader<'t>, table: &mut TomlTable<'_, 't>, key: &'static str) -> Option<bool> {
    table.optional(key).map_or(Some(false), |value| boolean(reader, value))
}

fn log<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Option<Log> {
    let level = table.optional("level").map(|_| table.choice(reader, "level", &LEVELS));
    let format = table.optional("format").map(|_| table.choice(reader, "format", &LogFormat::ALL));
    table.finish(reader);
    Some(Log {
        level: level.unwrap_or(Some(Log::default().level))?,
        format: format.map_or(Some(None), |format| format.map(Some))?,
    })
}

/// `terminals` or `seats`, depending on the game, distributed over `clusters`.
fn seats<'t>(reader: &mut TomlReader<'t>, table: &mut TomlTable<'_, 't>, game: Option<&Game>) -> Option<Vec<u32>> {
    let (terminals, chairs) = (table.optional("terminals"), table.optional("seats"));
    let clusters = table.optional("clusters");
    let of_clusters = clusters.map(|value| reader.integer(value, 1..=1_000));
    let is_live = game?.station() == Station::LiveTable;
    let (own, other, key, not) = if is_live {
        (chairs, terminals, "seats", "it is played at a live table: say how many \"seats\" it has")
    } else {
        (terminals, chairs, "terminals", "it is played at Player Terminals: say how many \"terminals\" it has")
    };
    if let Some(other) = other {
        reader.fault(other.span(), FileFaultKind::BadValue, not);
        return None;
    }
    let Some(own) = own else {
        reader.fault(table.span.clone(), FileFaultKind::MissingKey, format!("{key:?} is missing"));
        return None;
    };
    let all = reader.integer(own, 1..=MAX_SEATS)?;
    let count = of_clusters.unwrap_or(Some(1))?;
    if let Some(clusters) = clusters {
        if count > all {
            reader.fault(clusters.span(), FileFaultKind::BadValue, "there are more clusters than places");
            return None;
        }
        if count > 1 && game?.limit_scope() != Some(LimitScope::Terminal) {
            let message = "only where limits bind each terminal has a table several clusters";
            reader.fault(clusters.span(), FileFaultKind::BadValue, message);
            return None;
        }
    }
    Some((0..count).map(|cluster| all / count + u32::from(cluster < all % count)).collect())
}

/// 3.3: without these no round opens.
const INCOMPLETE_LIMITS: &str = "every box needs a minimum and a maximum: name what is missing in `boxes`, or give `rest`; \
                         a live table of Tai Sai needs a `differential` too";

/// Limits in whole cents.
fn read_limits<'t>(
    reader: &mut TomlReader<'t>,
    value: &TomlValue<'t>,
    rules: Option<&TableRules>,
) -> Option<TableLimits> {
    let mut table = reader.table(value)?;
    let unit = table.required(reader, "unit").and_then(|value| cents(reader, value));
    let differential = table.optional("differential").map(|value| cents(reader, value));
    let boxes = table.optional("boxes").map(|value| read_boxes(reader, value));
    let rest = table.optional("rest").map(|value| read_rest(reader, value));
    table.finish(reader);
    let limits = TableLimits {
        unit: unit?,
        boxes: boxes.unwrap_or_else(|| Some(Vec::new()))?,
        rest: rest.map_or(Some(None), |range| range.map(Some))?,
        differential: differential.map_or(Some(None), |cents| cents.map(Some))?,
    };
    if let Some(rules) = rules {
        let layout = rules.layout();
        let boxes: Vec<_> = limits
            .boxes
            .iter()
            .map(|entry| (entry.boxes, taisai_rules::BoxLimit { min: entry.min, max: entry.max }))
            .collect();
        let checked = taisai_rules::Limits::new(layout, limits.unit, &boxes, limits.differential);
        let fault = match checked {
            Err(error) => Some(error.to_string()),
            Ok(checked) => layout.check_unit(checked.unit()).err().map(|error| error.to_string()),
        };
        let is_whole = || limits.check(layout).is_ok_and(|limits| limits.are_whole(layout));
        let fault =
            fault.or_else(|| (!is_whole() && layout.limit_scope().is_some()).then(|| INCOMPLETE_LIMITS.to_owned()));
        if let Some(fault) = fault {
            reader.fault(value.span(), FileFaultKind::BadValue, fault);
            return None;
        }
    }
    Some(limits)
}

fn read_rest<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<LimitRange> {
    let mut table = reader.table(value)?;
    let min = table.required(reader, "min").and_then(|value| cents(reader, value));
    let max = table.required(reader, "max").and_then(|value| cents(reader, value));
    table.finish(reader);
    Some(LimitRange { min: min?, max: max? })
}

fn read_boxes<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Vec<LimitEntry>> {
    let mut entries = Vec::new();
    let list = reader.array(value)?;
    for value in list {
        let Some(mut table) = reader.table(value) else { continue };
        let boxes = table.required(reader, "boxes").and_then(|value| reader.parsed(value, FileFaultKind::UnknownBox));
        let min = table.optional("min").and_then(|value| cents(reader, value));
        let max = table.optional("max").and_then(|value| cents(reader, value));
        table.finish(reader);
        entries.extend(boxes.map(|boxes| LimitEntry { boxes, min, max }));
    }
    (entries.len() == list.len()).then_some(entries)
}

fn cents<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Money> {
    reader.integer(value, 0..=MAX_CENTS).map(|cents| Money::from_cents(cents.into()))
}

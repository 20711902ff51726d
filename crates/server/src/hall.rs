//! The hall: a house that runs. It opens the book, builds the House and every table from the record, and gives each a thread;
//! when one of them stops, all do.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use taisai_journal::Purpose;
use taisai_record::{
    Address, Book, BookError, Files, MachineId, Opening, Program, Recorder, Setup, StoreError, Warn, first_opening,
    slip,
};
use taisai_table::{
    Actor, Asked, Cluster, ClusterId, Decision, House, HouseCommand, Profile, Refusal, Round, RoundNumber, TableId,
};
use tokio::sync::{mpsc, watch};

use crate::clock::{self, Clock, OwnIds, Sources, System};
use crate::house::{self, HouseDoor, RunningHouse};
use crate::leaving::{Post, Voice};
use crate::metrics::Metrics;
use crate::stopped::Stopped;
use crate::table::{self, Archivist, Parts, RunningTable, TableDoor, TableMail};

/// What a table is laid out by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TablePlan {
    /// The table.
    pub table: TableId,
    /// The file of its game, word for word.
    pub game: String,
    /// The layout's letter.
    pub layout: String,
    /// Whether it plays for training.
    pub is_training: bool,
    /// How many seats each of its clusters has.
    pub seats: Vec<u32>,
}

/// What a house is opened by.
#[derive(Clone, Debug)]
pub struct HallPlan {
    /// Where its record is.
    pub address: Address,
    /// Its key and its anchor.
    pub files: Files,
    /// The program that runs it.
    pub program: Program,
    /// The id of a house that begins.
    pub new_house: [u8; 16],
    /// The profile.
    pub profile: Profile,
    /// Whether the whole house plays for training.
    pub is_training: bool,
    /// Its tables.
    pub tables: Vec<TablePlan>,
}

/// Why a house cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum HallError {
    /// Its record.
    #[error(transparent)]
    Book(#[from] BookError),
    /// Its store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A real house is opened for training, or the other way round (F54).
    #[error("the record is of a house of the other kind: a training house stays one, and a real one never becomes one")]
    OtherPurpose,
    /// The House refuses a table.
    #[error("the House refuses table {}: {}", table.0, refusal.sentence())]
    Table {
        /// The table.
        table: TableId,
        /// Why.
        refusal: Refusal,
    },
    /// A table has too many clusters, or none.
    #[error("table {} must have from 1 to 65,535 clusters", .0.0)]
    Clusters(TableId),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// The record takes nothing.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The ways into a house. It can only be closed when nobody holds them any more.
#[derive(Clone)]
pub(crate) struct Doors(Arc<Post>);

impl Doors {
    /// The way to the House.
    pub(crate) fn house(&self) -> HouseDoor {
        HouseDoor(self.0.house.clone())
    }

    /// The way to a table.
    pub(crate) fn table(&self, table: TableId) -> Option<TableDoor> {
        self.0.tables.get(&table).cloned().map(TableDoor)
    }

    /// Every table.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (TableId, TableDoor)> {
        self.0.tables.iter().map(|(table, mail)| (*table, TableDoor(mail.clone())))
    }
}

/// A house that runs.
pub(crate) struct Hall {
    post: Arc<Post>,
    threads: Vec<JoinHandle<()>>,
    book: Book,
    clock: Clock,
    sources: Sources,
    stopped: watch::Receiver<Option<Stopped>>,
    profile: Arc<Profile>,
    is_founded: bool,
}

/// A book whose House was read, at a time after all that is on record.
pub(crate) struct Opened {
    pub(crate) book: Book,
    pub(crate) house: Recorder<House>,
    pub(crate) clock: Clock,
    pub(crate) sources: Sources,
    profile: Profile,
}

impl Opened {
    pub(crate) fn new(system: System, plan: &HallPlan, warn: Warn) -> Result<Self, HallError> {
        let purpose = if plan.is_training { Purpose::Training } else { Purpose::Real };
        let opened = Book::open(&plan.address, &plan.files, plan.program.clone(), plan.new_house, purpose, warn);
        let mut book = opened.map_err(|error| match error {
            BookError::OtherSetup(chain) if chain == "house" => HallError::OtherPurpose,
            error => error.into(),
        })?;
        let clock = Clock::start(system, book.newest());
        let setup = Setup::House { is_training: plan.is_training };
        let recorded = recorded(&mut book, MachineId::House)?;
        let profile = recorded.map_or_else(|| plan.profile.clone(), |opening| opening.profile);
        let house: Recorder<House> = book.machine(setup, &profile, clock.now())?;
        let sources = Sources::new(clock);
        sources.above(house.machine().highest_source());
        Ok(Self { book, house, clock, sources, profile })
    }
}

impl Hall {
    /// Opens a house. What its record says of profile and tables holds; the plan only says how what the record does not know
    /// begins. It waits for the store and is called where a runtime lets it wait, which the voices of the tables run on.
    pub(crate) fn open(plan: HallPlan, metrics: &Metrics, warn: Warn) -> Result<Self, HallError> {
        Self::open_by(clock::system, plan, metrics, warn)
    }

    fn open_by(system: System, plan: HallPlan, metrics: &Metrics, warn: Warn) -> Result<Self, HallError> {
        let Opened { mut book, mut house, clock, sources, profile } = Opened::new(system, &plan, warn)?;
        let HallPlan { address, tables: plans, .. } = plan;
        let is_founded = house.machine().people().next().is_some();
        let mut ids = OwnIds::new(&sources);
        for table in &plans {
            add(&mut house, table, clock, &mut ids)?;
        }
        let mut tables = Vec::new();
        for table in laid_out(&mut book, house.machine(), &plans)? {
            let (round, clusters) = open_table(&mut book, &table, &profile, clock)?;
            sources.above(round.machine().highest_source());
            for cluster in &clusters {
                sources.above(cluster.machine().highest_source());
            }
            tables.push((table.table, (round, clusters)));
        }
        let profile = Arc::new(profile);
        let (house_mail, house_mailbox) = mpsc::channel(house::MAILBOX);
        let mut mailboxes = BTreeMap::new();
        let mut post = Post { house: house_mail, tables: BTreeMap::new() };
        for (table, machines) in tables {
            let (mail, mailbox) = mpsc::channel(table::MAILBOX);
            post.tables.insert(table, mail);
            mailboxes.insert(table, (machines, mailbox));
        }
        let post = Arc::new(post);
        let (stop, stopped) = watch::channel(None);
        let mut threads = Vec::new();
        let keys = book.keys().to_vec();
        for (table, ((round, clusters), mailbox)) in mailboxes {
            let voice = Voice::start(&post);
            let archivist =
                FromRecord { address: address.clone(), keys: keys.clone(), mail: post.tables[&table].downgrade() };
            let parts = Parts {
                round,
                clusters,
                profile: Arc::clone(&profile),
                clock,
                voice,
                archivist: Box::new(archivist),
                metrics: metrics.table(table),
            };
            let running = RunningTable::new(parts, &sources);
            let name = format!("table {}", table.0);
            threads.push(start(name, stop.clone(), move || running.run(mailbox))?);
        }
        let voice = Voice::start(&post);
        let running = RunningHouse::new(house, (clock, &sources), voice, metrics.house_refusals());
        threads.push(start("house".to_owned(), stop, move || running.run(house_mailbox))?);
        Ok(Self { post, threads, book, clock, sources, stopped, profile, is_founded })
    }

    /// The profile, as the record has it.
    pub(crate) fn profile(&self) -> Arc<Profile> {
        Arc::clone(&self.profile)
    }

    /// The house's id, as the record has it.
    pub(crate) const fn house(&self) -> [u8; 16] {
        self.book.house()
    }

    /// The ways into the house.
    pub(crate) fn doors(&self) -> Doors {
        Doors(Arc::clone(&self.post))
    }

    /// The keys whose checkpoints are believed.
    pub(crate) fn keys(&self) -> &[taisai_journal::PublicKey] {
        self.book.keys()
    }

    /// Whether the record had people when the house was opened.
    pub(crate) const fn is_founded(&self) -> bool {
        self.is_founded
    }

    /// The house's time.
    pub(crate) const fn clock(&self) -> Clock {
        self.clock
    }

    /// Numbers for those who send commands.
    pub(crate) const fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Tells when a part has stopped, and why.
    pub(crate) fn stopped(&self) -> watch::Receiver<Option<Stopped>> {
        self.stopped.clone()
    }

    /// Closes the house: what was asked is recorded, vouched for, and the book closed. Nobody may hold a way into it any more.
    pub(crate) fn close(self) {
        let Self { post, threads, book, .. } = self;
        drop(post);
        for thread in threads {
            // A thread that broke down has said so.
            thread.join().unwrap_or_default();
        }
        book.close();
    }
}

/// What the machine of a chain was first built with.
fn recorded(book: &mut Book, machine: MachineId) -> Result<Option<Opening>, HallError> {
    Ok(first_opening(book.archive(), &machine.chain()).map_err(BookError::from)?)
}

/// The House has the table on file, once. When a house has people, they add its tables.
fn add(house: &mut Recorder<House>, plan: &TablePlan, clock: Clock, ids: &mut OwnIds) -> Result<(), HallError> {
    let table = plan.table;
    if house.machine().tables().any(|(known, _)| known == table) {
        return Ok(());
    }
    if house.machine().people().next().is_some() {
        tracing::warn!(table = table.0, "the table is not on file: `taisai config apply` adds it");
        return Ok(());
    }
    let clusters = u16::try_from(plan.seats.len()).ok().and_then(NonZeroU16::new).ok_or(HallError::Clusters(table))?;
    let command = HouseCommand::AddTable { table, clusters, training: plan.is_training, second: None };
    let asked = Asked { time: clock.now(), actor: Actor::System, id: ids.next(), command };
    match house.ask(asked) {
        Decision::Accepted(_) | Decision::Repeated(_) => Ok(()),
        Decision::Refused(refusal) => Err(HallError::Table { table, refusal }),
    }
}

/// The tables on file, each as the record knows it. One that was added and never opened is laid out by its plan; without one
/// it stays away.
fn laid_out(book: &mut Book, house: &House, plans: &[TablePlan]) -> Result<Vec<TablePlan>, HallError> {
    let mut tables = Vec::new();
    for (table, on_file) in house.tables() {
        let fits = |plan: &&TablePlan| {
            let clusters = usize::from(on_file.clusters.get());
            plan.table == table && plan.seats.len() == clusters && plan.is_training == on_file.is_training
        };
        let plan = plans.iter().find(fits);
        let Some(found) = as_recorded(book, table, plan)? else {
            tracing::error!(table = table.0, "the table is on file, but nothing says how it is laid out");
            continue;
        };
        if plans.iter().any(|plan| plan.table == table && *plan != found) {
            tracing::warn!(table = table.0, "the table is opened as the record has it, not as the file says");
        }
        tables.push(found);
    }
    Ok(tables)
}

/// A table as its chains were first opened; what they do not say yet is as planned.
fn as_recorded(book: &mut Book, table: TableId, plan: Option<&TablePlan>) -> Result<Option<TablePlan>, HallError> {
    let Some(opening) = recorded(book, MachineId::Round(table))? else { return Ok(plan.cloned()) };
    let Setup::Round { game, layout, is_training, clusters, .. } = opening.setup else {
        return Err(BookError::OtherSetup(MachineId::Round(table).chain().to_string()).into());
    };
    let mut seats = Vec::new();
    for number in 0..clusters {
        let planned = plan.and_then(|plan| plan.seats.get(usize::from(number)).copied());
        let found = match recorded(book, MachineId::Cluster(ClusterId { table, number }))?.map(|opening| opening.setup)
        {
            Some(Setup::Cluster { seats, .. }) => Some(seats),
            Some(Setup::House { .. } | Setup::Round { .. }) | None => planned,
        };
        let Some(found) = found else { return Ok(None) };
        seats.push(found);
    }
    Ok(Some(TablePlan { table, game, layout, is_training, seats }))
}

type Machines = (Recorder<Round>, Vec<Recorder<Cluster>>);

fn open_table(book: &mut Book, plan: &TablePlan, profile: &Profile, clock: Clock) -> Result<Machines, HallError> {
    let TablePlan { table, game, layout, is_training, seats } = plan.clone();
    let clusters = u16::try_from(seats.len()).map_err(|_| HallError::Clusters(table))?;
    let setup = Setup::Round { table, game: game.clone(), layout: layout.clone(), is_training, clusters };
    let round = book.machine(setup, profile, clock.now())?;
    let mut open = Vec::new();
    for (number, seats) in (0..clusters).zip(seats) {
        let cluster = ClusterId { table, number };
        let setup = Setup::Cluster { cluster, game: game.clone(), layout: layout.clone(), seats };
        open.push(book.machine(setup, profile, clock.now())?);
    }
    Ok((round, open))
}

/// Starts a thread of a part of the house. However it ends, the others hear of it.
fn start<F: Future<Output = Result<(), Stopped>>>(
    name: String,
    stop: watch::Sender<Option<Stopped>>,
    run: impl FnOnce() -> F + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    thread::Builder::new().name(name).spawn(move || {
        let ended = runtime.block_on(run());
        // The first tells why; the others stop with it.
        stop.send_if_modified(|stopped| {
            let is_first = stopped.is_none();
            stopped.get_or_insert(ended.err().unwrap_or(Stopped::Closed));
            is_first
        });
    })
}

/// Slips are read on a thread of their own, as an old one takes its time.
struct FromRecord {
    address: Address,
    keys: Vec<taisai_journal::PublicKey>,
    mail: mpsc::WeakSender<TableMail>,
}

impl Archivist for FromRecord {
    fn ask(&self, cluster: ClusterId, round: RoundNumber) {
        let (address, keys, mail) = (self.address.clone(), self.keys.clone(), self.mail.clone());
        let read = move || {
            let chain = taisai_record::MachineId::Cluster(cluster).chain();
            let read = address
                .archive()
                .map_err(|error| error.to_string())
                .and_then(|mut archive| slip(&mut *archive, &chain, &keys, round).map_err(|error| error.to_string()));
            let slip = read.unwrap_or_else(|error| {
                tracing::error!(%chain, round = round.0, error, "the slip of a round cannot be read");
                None
            });
            if let Some(mail) = mail.upgrade() {
                // A table that has stopped needs it no more.
                mail.blocking_send(TableMail::Slip { cluster: cluster.number, round, slip }).unwrap_or_default();
            }
        };
        if let Err(error) = thread::Builder::new().name("slip".into()).spawn(read) {
            tracing::error!(%error, "the slip of a round cannot be read");
        }
    }
}

#[cfg(test)]
mod tests;

//! Figures of the record: bets decided, durable and answered, beside a plain file with the same bytes and what people build
//! with a database; the time of one bet, of a restart, and of verifying it all.

mod rivals;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use taisai_journal::{
    AppendError, Archive, Block, ChainHead, ChainName, ChainPurpose, ClaimError, Journal, ReadError, StoredSlip,
};
use taisai_record::{Address, MachineSetup, Program, RecordFiles, RecordStore, Recorder, verify_chain};
use taisai_rules::{Dice, Games};
use taisai_table::{
    Cluster, ClusterCommand, ClusterId, CommandRequest, Decision, Notice, Profile, RoundNumber, TableId, Time,
};

use crate::table::{BOXES, TERMINALS, commands, opening_commands, single_bets, system};
use taisai_lab::Figure;

/// Bets of a player who touches box after box: each a command of its own, ten a terminal and round.
const SINGLE: RecordLoad = RecordLoad { terminals: 10_000, rounds: 30, commands: single_bets };
/// Ten million bets, ten in a command.
const TENS: RecordLoad = RecordLoad { terminals: TERMINALS, rounds: 10, commands };
/// How many commands a table decides before it hands them over.
const BATCH: usize = 1_000;
const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };

/// What is bet.
#[derive(Clone, Copy)]
struct RecordLoad {
    terminals: u32,
    rounds: u64,
    commands: fn(u64, u32) -> Vec<CommandRequest<ClusterCommand>>,
}

/// Every figure of the record.
pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let folder = Path::new("target/bench-record");
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let mut figures = on_sqlite(folder)?;
    figures.extend(on_postgres(folder)?);
    std::fs::remove_dir_all(folder)?;
    Ok(figures)
}

fn on_sqlite(folder: &Path) -> anyhow::Result<Vec<Figure>> {
    let sqlite = Address::Folder(folder.join("store"));
    let rows = rivals::sqlite_rows(&folder.join("rows.db"))?;
    let singles = place(&Address::Folder(folder.join("singles")), &folder.join("singles"), SINGLE)?;
    let single_file = rivals::plain_file(&folder.join("plain"), &singles.flushes)?;
    let placed = place(&sqlite, &folder.join("store"), TENS)?;
    let file = rivals::plain_file(&folder.join("plain"), &placed.flushes)?;
    let restarted = restart(&sqlite, &folder.join("store"))?;
    let verified = verify(&sqlite, &folder.join("store"))?;
    let (bet, flush) = latency(&folder.join("latency"))?;
    Ok(vec![
        Figure::measured(
            "record-sqlite",
            singles.rate(),
            "M bets/s",
            single_file.as_secs_f64() / singles.time.as_secs_f64(),
            "a plain file with the same bytes and flushes (at least 0.3; and 3 M bets/s)",
        ),
        Figure::measured(
            "record-sqlite-tens",
            placed.rate(),
            "M bets/s",
            file.as_secs_f64() / placed.time.as_secs_f64(),
            "the same where a command has ten bets",
        ),
        Figure::measured(
            "record-sqlite-rows",
            singles.rate(),
            "M bets/s",
            singles.rate() * 1e6 / rows,
            "SQLite with a transaction a bet (at least 100)",
        ),
        Figure::measured(
            "record-latency",
            bet.as_secs_f64() * 1e3,
            "ms",
            bet.as_secs_f64() / flush.as_secs_f64(),
            "one flush, median at 10,000 bets a second (at most 3)",
        ),
        Figure::measured(
            "record-restart",
            restarted.as_secs_f64(),
            "s",
            restarted.as_secs_f64() / 2.0,
            "2 s with 10 million bets and a snapshot (at most 1)",
        ),
        Figure::measured(
            "record-verify",
            placed.bets / verified.as_secs_f64() / 1e6,
            "M bets/s",
            placed.bets / verified.as_secs_f64() / 2e6,
            "2 M bets a second (at least 1)",
        ),
    ])
}

/// The same on `PostgreSQL`, and what both stores are of one transaction a bet there.
fn on_postgres(folder: &Path) -> anyhow::Result<Vec<Figure>> {
    let server = taisai_journal::suite::TemporaryServer::start();
    let rows = rivals::postgres_rows(&server.database())?;
    let placed = place(&Address::Postgres(server.database()), &folder.join("postgres"), SINGLE)?;
    drop(server);
    let pair = taisai_journal::suite::PostgresPair::start();
    let twice = place(&Address::Postgres(pair.database("bench")), &folder.join("standby"), SINGLE)?;
    Ok(vec![
        Figure::measured(
            "record-postgres",
            placed.rate(),
            "M bets/s",
            placed.rate() * 1e6 / rows,
            "PostgreSQL with a transaction a bet from 16 connections (at least 20; SQLite at least 100)",
        ),
        Figure::measured(
            "record-standby",
            twice.rate(),
            "M bets/s",
            twice.rate() / placed.rate(),
            "PostgreSQL without a synchronous standby (at least 0.5)",
        ),
    ])
}

fn open(
    journal: Box<dyn Journal>,
    folder: &Path,
    load: RecordLoad,
) -> anyhow::Result<(RecordStore, Recorder<Cluster>)> {
    let program = Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: [0; 32] };
    let files = RecordFiles {
        key_file: folder.join("house.key"),
        anchor: Some(folder.join("anchor.txt")),
        trusted: Vec::new(),
    };
    let warn = Arc::new(|warning| eprintln!("{warning}"));
    let mut store = RecordStore::in_journal(journal, &files, program, [7; 16], ChainPurpose::Training, warn)?;
    let game = Games::embedded().find("sic-bo-etg@2", None)?.file().to_owned();
    let setup = MachineSetup::Cluster {
        cluster: CLUSTER,
        game,
        layout: "B".to_owned(),
        registration: taisai_table::Registration::EveryBet,
        seats: load.terminals,
    };
    let recorder = store.machine(setup, &Profile::singapore(), Time(0))?;
    Ok((store, recorder))
}

fn close(store: RecordStore, recorder: Recorder<Cluster>) {
    drop(recorder);
    // A failure was reported as a warning.
    store.close().unwrap_or_default();
}

fn carry_out(recorder: &mut Recorder<Cluster>, request: CommandRequest<ClusterCommand>) {
    let decision = recorder.ask(request);
    assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
}

/// Hands over what was decided; counts it when it is durable.
fn commit(recorder: &mut Recorder<Cluster>, durable: &Arc<AtomicU64>) -> anyhow::Result<()> {
    let durable = Arc::clone(durable);
    recorder.commit(move |result| {
        result.expect("the disk takes it");
        durable.fetch_add(1, Ordering::Release);
    })?;
    Ok(())
}

/// Bets that were decided, made durable and answered.
struct PlacedBets {
    bets: f64,
    /// The time of placing them, without seating, settling and snapshots.
    time: Duration,
    /// The bytes of each commit.
    flushes: Vec<usize>,
}

impl PlacedBets {
    fn rate(&self) -> f64 {
        self.bets / self.time.as_secs_f64() / 1e6
    }
}

fn place(address: &Address, folder: &Path, load: RecordLoad) -> anyhow::Result<PlacedBets> {
    let flushes = Arc::new(Mutex::new(Vec::new()));
    std::fs::create_dir_all(folder)?;
    let journal = CountingJournal { journal: address.journal()?, flushes: Arc::clone(&flushes) };
    let (store, mut recorder) = open(Box::new(journal), folder, load)?;
    seat(&mut recorder, load)?;
    let mut placed = PlacedBets { bets: 0.0, time: Duration::ZERO, flushes: Vec::new() };
    for round in (1..=load.rounds).map(RoundNumber) {
        follow(&mut recorder, Notice::Opened { round });
        let mut commands = (load.commands)(round.0, load.terminals).into_iter();
        wait(&mut recorder)?;
        flushes.lock().expect("no writer panics").clear();
        let (durable, mut handed) = (Arc::new(AtomicU64::new(0)), 0);
        let start = Instant::now();
        while commands.len() > 0 {
            for request in commands.by_ref().take(BATCH) {
                recorder.ask(request);
            }
            commit(&mut recorder, &durable)?;
            handed += 1;
        }
        wait(&mut recorder)?;
        placed.time += start.elapsed();
        placed.bets += f64::from(load.terminals * BOXES);
        placed.flushes.append(&mut flushes.lock().expect("no writer panics"));
        anyhow::ensure!(durable.load(Ordering::Acquire) == handed, "not everything was answered");
        follow(&mut recorder, Notice::Closed { round });
        follow(&mut recorder, Notice::Result { round, dice: Dice::try_from([2, 4, 6])? });
        recorder.checkpoint(Time(round.0))?;
    }
    close(store, recorder);
    Ok(placed)
}

/// A store that keeps how many bytes each commit has.
struct CountingJournal {
    journal: Box<dyn Journal>,
    flushes: Arc<Mutex<Vec<usize>>>,
}

impl Journal for CountingJournal {
    fn claim(&mut self, chain: &ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        self.journal.claim(chain, epoch)
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        let lengths = blocks.iter().map(|block| block.bytes().len()).chain(slips.iter().map(|slip| slip.bytes.len()));
        self.flushes.lock().expect("no writer panics").push(lengths.sum());
        self.journal.append_with_slips(blocks, slips)
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        self.journal.archive()
    }
}

/// Everyone sits down and buys in.
fn seat(recorder: &mut Recorder<Cluster>, load: RecordLoad) -> anyhow::Result<()> {
    for request in opening_commands(load.terminals) {
        carry_out(recorder, request);
        if recorder.is_full() {
            recorder.commit(drop)?;
        }
    }
    Ok(())
}

/// Waits until everything so far is durable.
fn wait(recorder: &mut Recorder<Cluster>) -> anyhow::Result<()> {
    let (answer, answers) = mpsc::channel();
    recorder.commit(move |result| answer.send(result).unwrap_or_default())?;
    Ok(answers.recv()??)
}

fn follow(recorder: &mut Recorder<Cluster>, notice: Notice) {
    let request = system(recorder.machine().followed() + 1, notice);
    carry_out(recorder, request);
}

fn restart(address: &Address, folder: &Path) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let (store, recorder) = open(address.journal()?, folder, TENS)?;
    let time = start.elapsed();
    anyhow::ensure!(recorder.machine().round() == RoundNumber(TENS.rounds), "the last round is missing");
    close(store, recorder);
    Ok(time)
}

fn verify(address: &Address, folder: &Path) -> anyhow::Result<Duration> {
    let key = taisai_journal::Keys::open(&folder.join("house.key"))?.signing.public();
    let anchored = taisai_journal::Anchor::read(&folder.join("anchor.txt"))?.lines;
    let program = Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: [0; 32] };
    let mut archive = address.archive()?;
    let head = archive.heads()?.pop().context("a chain")?;
    let start = Instant::now();
    let verified = verify_chain::<Cluster>(&mut *archive, &head, &[key], &anchored, &program, |_| {})?;
    let time = start.elapsed();
    anyhow::ensure!(verified.checkpoints >= TENS.rounds, "{} checkpoints", verified.checkpoints);
    Ok(time)
}

/// The median time of one bet from asking to its answer, at 10,000 a second offered for two seconds, and of one flush.
fn latency(folder: &Path) -> anyhow::Result<(Duration, Duration)> {
    const OFFERED: u32 = 20_000;
    const EVERY: Duration = Duration::from_micros(100);
    std::fs::create_dir_all(folder)?;
    let (store, mut recorder) = open(Address::Folder(folder.into()).journal()?, folder, SINGLE)?;
    seat(&mut recorder, SINGLE)?;
    follow(&mut recorder, Notice::Opened { round: RoundNumber(1) });
    wait(&mut recorder)?;
    let (answer, answers) = mpsc::channel();
    let start = Instant::now();
    for (number, request) in (0..OFFERED).zip(single_bets(1, SINGLE.terminals)) {
        let due = start + EVERY * number;
        while Instant::now() < due {
            std::hint::spin_loop();
        }
        recorder.ask(request);
        let answer = answer.clone();
        recorder.commit(move |result| answer.send(result.map(|()| due.elapsed())).unwrap_or_default())?;
    }
    drop(answer);
    let mut times = answers.iter().collect::<Result<Vec<_>, _>>()?;
    close(store, recorder);
    let mut file = File::create(folder.join("flush"))?;
    let mut flushes = Vec::new();
    for _ in 0..200 {
        let start = Instant::now();
        file.write_all(&[7; 4_096])?;
        file.sync_data()?;
        flushes.push(start.elapsed());
    }
    Ok((median(&mut times), median(&mut flushes)))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

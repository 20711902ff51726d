//! Figures of the record: bets decided, durable and answered, beside a plain file with the same bytes and what people build
//! with a database; the time of one bet, of a restart, and of verifying it all.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use taisai_journal::Purpose;
use taisai_record::{Address, Book, Files, Program, Recorder, Setup, verify_chain};
use taisai_rules::{Dice, Games};
use taisai_table::{Asked, Cluster, ClusterCommand, ClusterId, Decision, Notice, Profile, RoundNumber, TableId, Time};

use crate::Figure;
use crate::table::{commands, opening_commands, system};

const TERMINALS: u32 = 100_000;
/// Ten million bets are ten rounds of a hundred thousand terminals with ten boxes each.
const ROUNDS: u64 = 10;
const BETS: f64 = 10_000_000.0;
/// How many commands a table decides before it hands them over: ten bets each.
const BATCH: usize = 1_000;
const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };

/// Every figure of the record.
pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let folder = Path::new("target/bench-record");
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let sqlite = Address::Folder(folder.join("store"));
    let placed = place(&sqlite, folder)?;
    let file = plain_file(&folder.join("plain"), &sqlite)?;
    let one_a_transaction = sqlite_rows(&folder.join("rows.db"))?;
    let restarted = restart(&sqlite, folder)?;
    let verified = verify(&sqlite, folder)?;
    let (bet, flush) = latency(folder)?;
    let rate = |time: Duration| BETS / time.as_secs_f64() / 1e6;
    let placing = rate(placed);
    let figures = vec![
        figure(
            "record-sqlite",
            placing,
            "M bets/s",
            placing / rate(file),
            "a plain file with the same bytes and flushes (at least 0.3; and 3 M bets/s)",
        ),
        figure(
            "record-sqlite-rows",
            placing,
            "M bets/s",
            placing * 1e6 / one_a_transaction,
            "SQLite with a transaction a bet (at least 100)",
        ),
        figure(
            "record-latency",
            bet.as_secs_f64() * 1e3,
            "ms",
            bet.as_secs_f64() / flush.as_secs_f64(),
            "one flush, median at 10,000 bets a second (at most 3)",
        ),
        figure(
            "record-restart",
            restarted.as_secs_f64(),
            "s",
            restarted.as_secs_f64() / 2.0,
            "2 s with 10 million bets and a snapshot (at most 1)",
        ),
        figure("record-verify", rate(verified), "M bets/s", rate(verified) / 2.0, "2 M bets a second (at least 1)"),
    ];
    std::fs::remove_dir_all(folder)?;
    Ok(figures)
}

const fn figure(name: &'static str, value: f64, unit: &'static str, ratio: f64, of: &'static str) -> Figure {
    Figure { name, value, unit, ratio, of }
}

fn open(address: &Address, folder: &Path) -> anyhow::Result<(Book, Recorder<Cluster>)> {
    let program = Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: [0; 32] };
    let files = Files { key: folder.join("house.key"), anchor: Some(folder.join("anchor.txt")), trusted: Vec::new() };
    let warn = Arc::new(|warning| eprintln!("{warning}"));
    let mut book = Book::open(address, &files, program, [7; 16], Purpose::Training, warn)?;
    let game = Games::embedded().find("sic-bo-etg@2", None)?.file().to_owned();
    let setup = Setup::Cluster { cluster: CLUSTER, game, layout: "B".to_owned(), seats: TERMINALS };
    let recorder = book.machine(setup, &Profile::singapore(), Time(0))?;
    Ok((book, recorder))
}

fn close(book: Book, recorder: Recorder<Cluster>) {
    drop(recorder);
    book.close();
}

fn carry_out(recorder: &mut Recorder<Cluster>, asked: Asked<ClusterCommand>) {
    let told = recorder.ask(asked);
    assert!(matches!(told, Decision::Accepted(_)), "{told:?}");
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

/// Ten million bets, decided, durable and answered: the time of placing them, without seating, settling and snapshots.
fn place(address: &Address, folder: &Path) -> anyhow::Result<Duration> {
    let (book, mut recorder) = open(address, folder)?;
    for asked in opening_commands() {
        carry_out(&mut recorder, asked);
        if recorder.is_full() {
            recorder.commit(drop)?;
        }
    }
    let mut placing = Duration::ZERO;
    for round in (1..=ROUNDS).map(RoundNumber) {
        follow(&mut recorder, Notice::Opened { round });
        let commands = commands(round.0);
        let (answer, answers) = mpsc::channel();
        let durable = Arc::new(AtomicU64::new(0));
        recorder.commit(move |result| answer.send(result).unwrap_or_default())?;
        answers.recv()??;
        let start = Instant::now();
        let mut handed = 0;
        let mut commands = commands.into_iter();
        loop {
            let batch: Vec<_> = commands.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            for asked in batch {
                recorder.ask(asked);
            }
            commit(&mut recorder, &durable)?;
            handed += 1;
        }
        let (answer, answers) = mpsc::channel();
        recorder.commit(move |result| answer.send(result).unwrap_or_default())?;
        answers.recv()??;
        placing += start.elapsed();
        anyhow::ensure!(durable.load(Ordering::Acquire) == handed, "not everything was answered");
        follow(&mut recorder, Notice::Closed { round });
        follow(&mut recorder, Notice::Result { round, dice: Dice::try_from([2, 4, 6])? });
        recorder.checkpoint(Time(round.0))?;
    }
    close(book, recorder);
    Ok(placing)
}

fn follow(recorder: &mut Recorder<Cluster>, notice: Notice) {
    let asked = system(recorder.machine().followed() + 1, notice);
    carry_out(recorder, asked);
}

/// The blocks of the record appended to a plain file, each flushed: what the disk itself allows.
fn plain_file(path: &Path, address: &Address) -> anyhow::Result<Duration> {
    let mut archive = address.archive()?;
    let chain = "table-1-0".parse()?;
    let mut file = File::create(path)?;
    let (mut next, mut time) = (0, Duration::ZERO);
    loop {
        let blocks = archive.read(&chain, next, 8 << 20)?;
        if blocks.is_empty() {
            return Ok(time);
        }
        next += u64::try_from(blocks.len())?;
        let start = Instant::now();
        for block in &blocks {
            file.write_all(block)?;
            file.sync_data()?;
        }
        time += start.elapsed();
    }
}

/// Bets a second where each is a transaction of its own in `SQLite`: a row for the bet, and the balance.
fn sqlite_rows(path: &Path) -> anyhow::Result<f64> {
    const BETS: u32 = 2_000;
    let connection = rusqlite::Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE bets (id INTEGER PRIMARY KEY, seat INTEGER, box INTEGER, amount INTEGER);
         CREATE TABLE balances (seat INTEGER PRIMARY KEY, amount INTEGER);",
    )?;
    for seat in 0..1_000 {
        connection.execute("INSERT INTO balances VALUES (?1, 1000000)", [seat])?;
    }
    let start = Instant::now();
    for bet in 0..BETS {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection
            .prepare_cached("INSERT INTO bets (seat, box, amount) VALUES (?1, ?2, 100)")?
            .execute([bet % 1_000, bet % 90])?;
        connection
            .prepare_cached("UPDATE balances SET amount = amount - 100 WHERE seat = ?1")?
            .execute([bet % 1_000])?;
        connection.execute_batch("COMMIT")?;
    }
    Ok(f64::from(BETS) / start.elapsed().as_secs_f64())
}

fn restart(address: &Address, folder: &Path) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let (book, recorder) = open(address, folder)?;
    let time = start.elapsed();
    anyhow::ensure!(recorder.machine().round() == RoundNumber(ROUNDS), "the last round is missing");
    close(book, recorder);
    Ok(time)
}

fn verify(address: &Address, folder: &Path) -> anyhow::Result<Duration> {
    let key = taisai_journal::SigningKey::open(&folder.join("house.key"))?.public();
    let anchored = taisai_journal::Anchor::read(&folder.join("anchor.txt"))?.lines;
    let program = Program { version: env!("CARGO_PKG_VERSION").to_owned(), hash: [0; 32] };
    let mut archive = address.archive()?;
    let start = Instant::now();
    let verified = verify_chain::<Cluster>(&mut *archive, &"table-1-0".parse()?, &[key], &anchored, &program, |_| {})?;
    let time = start.elapsed();
    anyhow::ensure!(verified.checkpoints >= ROUNDS, "{} checkpoints", verified.checkpoints);
    Ok(time)
}

/// The median time of one bet from asking to its answer, at 10,000 a second offered for two seconds, and of one flush.
fn latency(folder: &Path) -> anyhow::Result<(Duration, Duration)> {
    const OFFERED: u32 = 20_000;
    const EVERY: Duration = Duration::from_micros(100);
    let folder = folder.join("latency");
    std::fs::create_dir_all(&folder)?;
    let (book, mut recorder) = open(&Address::Folder(folder.join("store")), &folder)?;
    for asked in opening_commands() {
        carry_out(&mut recorder, asked);
        if recorder.is_full() {
            recorder.commit(drop)?;
        }
    }
    follow(&mut recorder, Notice::Opened { round: RoundNumber(1) });
    recorder.commit(drop)?;
    let (answer, answers) = mpsc::channel();
    let start = Instant::now();
    for (number, asked) in (0..OFFERED).zip(commands(1)) {
        let due = start + EVERY * number;
        while Instant::now() < due {
            std::hint::spin_loop();
        }
        recorder.ask(asked);
        let answer = answer.clone();
        recorder.commit(move |result| answer.send(result.map(|()| due.elapsed())).unwrap_or_default())?;
    }
    drop(answer);
    let mut times = answers.iter().collect::<Result<Vec<_>, _>>()?;
    close(book, recorder);
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

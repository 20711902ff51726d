//! What the record is measured beside: the disk itself, and a transaction a bet in a database.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};

/// Bets a connection places in a database.
const BETS: u32 = 2_000;
const CONNECTIONS: u32 = 16;
const SEATS: u32 = 1_000;

/// Appends as many bytes to a plain file, flushed as often: what the disk itself allows.
pub(super) fn plain_file(path: &Path, flushes: &[usize]) -> anyhow::Result<Duration> {
    let bytes = vec![7; flushes.iter().copied().max().unwrap_or(0)];
    let mut file = File::create(path)?;
    let start = Instant::now();
    for length in flushes {
        file.write_all(&bytes[..*length])?;
        file.sync_data()?;
    }
    Ok(start.elapsed())
}

/// Bets a second where each is a transaction of its own in `SQLite`: a row for the bet, and the balance.
pub(super) fn sqlite_rows(path: &Path) -> anyhow::Result<f64> {
    let connection = rusqlite::Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE bets (id INTEGER PRIMARY KEY, seat INTEGER, box INTEGER, amount INTEGER);
         CREATE TABLE balances (seat INTEGER PRIMARY KEY, amount INTEGER);",
    )?;
    for seat in 0..SEATS {
        connection.execute("INSERT INTO balances VALUES (?1, 1000000)", [seat])?;
    }
    let start = Instant::now();
    for bet in 0..BETS {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection
            .prepare_cached("INSERT INTO bets (seat, box, amount) VALUES (?1, ?2, 100)")?
            .execute([bet % SEATS, bet % 90])?;
        connection
            .prepare_cached("UPDATE balances SET amount = amount - 100 WHERE seat = ?1")?
            .execute([bet % SEATS])?;
        connection.execute_batch("COMMIT")?;
    }
    Ok(f64::from(BETS) / start.elapsed().as_secs_f64())
}

/// The same in `PostgreSQL`, from many connections at once.
pub(super) fn postgres_rows(address: &str) -> anyhow::Result<f64> {
    let mut client = Client::connect(address, NoTls)?;
    client.batch_execute(
        "CREATE TABLE bets (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seat int, box int, amount bigint);
         CREATE TABLE balances (seat int PRIMARY KEY, amount bigint);
         INSERT INTO balances SELECT seat, 1000000 FROM generate_series(0, 999) seat;",
    )?;
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut client = Client::connect(address, NoTls)?;
        let insert = client.prepare("INSERT INTO bets (seat, box, amount) VALUES ($1, $2, 100)")?;
        let debit = client.prepare("UPDATE balances SET amount = amount - 100 WHERE seat = $1")?;
        clients.push((client, insert, debit));
    }
    let start = Instant::now();
    std::thread::scope(|scope| {
        let connections = clients.iter_mut().zip(0..CONNECTIONS).map(|((client, insert, debit), connection)| {
            scope.spawn(move || -> Result<(), postgres::Error> {
                for bet in 0..BETS {
                    let seat = i32::try_from((bet * CONNECTIONS + connection) % SEATS).expect("small");
                    let mut transaction = client.transaction()?;
                    transaction.execute(&*insert, &[&seat, &(seat % 90)])?;
                    transaction.execute(&*debit, &[&seat])?;
                    transaction.commit()?;
                }
                Ok(())
            })
        });
        let connections: Vec<_> = connections.collect();
        connections.into_iter().try_for_each(|connection| connection.join().expect("no connection panics"))
    })?;
    Ok(f64::from(BETS * CONNECTIONS) / start.elapsed().as_secs_f64())
}

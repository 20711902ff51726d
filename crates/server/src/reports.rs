//! Reports from the reporting tables, for HTTP and for the command line. A thread keeps the tables close behind the record; few
//! reports are read at a time, each with a time limit.

mod csv;
mod days;
mod dice;
mod error;
mod events;
mod follow;
mod games;
mod http;
mod meters;
mod params;
mod queries;
mod results;
mod rounds;
mod tables;

use std::collections::HashMap;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use taisai_journal::PublicKey;
use taisai_record::Address;
use taisai_reports::{QueryInterrupt, ReportReader};
use taisai_rules::{Game, Games, RulesText};
use taisai_table::{ClusterId, Seat, TableId};
use tokio::sync::{Semaphore, oneshot};

pub use csv::{Cell, Csv};
pub use days::{Calendar, Days};
pub use dice::{DiceSheet, SetDice, TableDice, TestSheet};
pub use error::ReportError;
pub use events::{BadEventPosition, EventFilter, EventLine, EventPosition, MAX_PAGE_EVENTS, events_csv};
pub use follow::LagSheet;
pub use games::{BetLine, GameLine, LAST_GAMES, games};
pub(crate) use http::{last_games, routes};
pub use meters::{MeterLine, meters, meters_csv};
pub(crate) use params::MayRead;
pub use queries::{BadParameter, parameters, rows_csv};
pub use results::{GroupBy, ResultLine, results, results_csv};
pub use rounds::{MAX_ROUNDS, RoundLine, rounds};

use crate::http::denied::Denied;
use follow::{FollowState, PlayedSoFar};

const MAX_CONCURRENT_READS: usize = 4;

/// How long a request waits for its turn.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(5);

const READ_TIMEOUT: Duration = Duration::from_secs(20);

/// How often a query that takes too long is cancelled again.
const CANCEL_INTERVAL: Duration = Duration::from_millis(50);

const MAX_CACHED_SEATS: usize = 4_096;

type SeatGames = HashMap<(ClusterId, Seat), (PlayedSoFar, Arc<Vec<GameLine>>)>;

/// The reports of a running server.
pub(crate) struct Reports {
    readers: Arc<Readers>,
    games: Arc<Games>,
    known: FollowState,
    seats: Mutex<SeatGames>,
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Idle readers.
struct Readers {
    address: Address,
    permits: Arc<Semaphore>,
    /// `None` once closed.
    idle: Mutex<Option<Vec<ReportReader>>>,
}

impl Readers {
    fn take(&self) -> Option<ReportReader> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.pop()
    }

    fn put(&self, reader: ReportReader) {
        if let Some(idle) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            idle.push(reader);
        }
    }

    fn close(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The games that tables may have played: embedded ones and those of the tables. Texts are the embedded ones and those given at the
/// start.
pub(crate) fn games_of<'a>(files: impl IntoIterator<Item = &'a str>, texts: Vec<RulesText>) -> Games {
    let mut games = Games::embedded().clone();
    for game in files.into_iter().filter_map(|file| Game::from_toml(file).ok()) {
        // A game that is there already is the same.
        games.add(game).unwrap_or_default();
    }
    for text in texts {
        // Embedded texts are there already, and others may belong to games that no table has.
        games.add_text(text.file()).unwrap_or_default();
    }
    games
}

impl Reports {
    /// Starts following the record. Only snapshots of these keys are trusted.
    pub(crate) fn start(address: Address, keys: Vec<PublicKey>, games: Games) -> std::io::Result<Self> {
        let known = FollowState::default();
        let (wake, woken) = sync_channel(1);
        let readers = Arc::new(Readers {
            address: address.clone(),
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_READS)),
            idle: Mutex::new(Some(Vec::new())),
        });
        let (of_thread, to_close) = (known.clone(), Arc::clone(&readers));
        let follow = move || {
            follow::run(&address, &keys, &of_thread, &woken);
            // A database connection must be closed outside of a runtime.
            to_close.close();
        };
        let thread = thread::Builder::new().name("reports".to_owned()).spawn(follow)?;
        Ok(Self {
            readers,
            games: Arc::new(games),
            known,
            seats: Mutex::default(),
            wake: Some(wake),
            thread: Some(thread),
        })
    }

    #[cfg(test)]
    /// Lets the tables follow now, after a settled round. Never waits.
    pub(crate) fn wake(&self) {
        if let Some(wake) = &self.wake {
            // A thread that is awake needs no waking.
            wake.try_send(()).unwrap_or_default();
        }
    }

    pub(crate) fn known_games(&self) -> &Games {
        &self.games
    }

    pub(crate) fn lag(&self) -> LagSheet {
        self.known.lock().lag.clone()
    }

    #[cfg(test)]
    /// Changes whenever the record was read.
    pub(crate) fn steps(&self) -> tokio::sync::watch::Receiver<u64> {
        self.known.steps()
    }

    /// The dice watch of a table; none before its first throw.
    pub(crate) fn dice(&self, table: TableId) -> Option<TableDice> {
        self.known.lock().dice.get(&table).cloned()
    }

    pub(crate) fn all_dice(&self) -> Vec<TableDice> {
        self.known.lock().dice.values().cloned().collect()
    }

    /// Runs a query on the reporting tables.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut ReportReader, &Games) -> Result<T, ReportError> + Send + 'static,
    ) -> Result<T, Denied> {
        let permits = Arc::clone(&self.readers.permits);
        let permit = tokio::time::timeout(PERMIT_TIMEOUT, permits.acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(Denied::TooMany) };
        let (readers, games) = (Arc::clone(&self.readers), Arc::clone(&self.games));
        let (send_interrupt, stop) = oneshot::channel::<QueryInterrupt>();
        let mut work = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let mut reader = match readers.take() {
                Some(reader) => reader,
                None => ReportReader::open(&readers.address)?.with_timeout(READ_TIMEOUT)?,
            };
            // The caller may have given up; the reader still finishes.
            send_interrupt.send(reader.stop()).map_or_else(drop, drop);
            let answer = question(&mut reader, &games);
            if answer.is_ok() && !reader.is_stopped() {
                readers.put(reader);
            }
            answer
        });
        if let Ok(answer) = tokio::time::timeout(READ_TIMEOUT, &mut work).await {
            return Ok(answer.unwrap_or(Err(ReportError::Thread))?);
        }
        tokio::spawn(async move {
            let Ok(stop) = stop.await else { return };
            while !work.is_finished() {
                stop.now();
                tokio::time::sleep(CANCEL_INTERVAL).await;
            }
        });
        Err(Denied::TooLong)
    }

    /// The last games of a seat, cached until its cluster plays on.
    pub(crate) async fn games(&self, cluster: ClusterId, seat: Seat) -> Result<Arc<Vec<GameLine>>, Denied> {
        let played = self.known.lock().played.get(&cluster).copied();
        let Some(played) = played else { return Ok(Arc::default()) };
        let kept = self.seats.lock().unwrap_or_else(PoisonError::into_inner).get(&(cluster, seat)).cloned();
        if let Some((_, games)) = kept.filter(|(then, _)| *then == played) {
            return Ok(games);
        }
        let found = Arc::new(self.ask(move |reader, _| games::games(reader, cluster, seat)).await?);
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        if seats.len() >= MAX_CACHED_SEATS && !seats.contains_key(&(cluster, seat)) {
            seats.clear();
        }
        seats.insert((cluster, seat), (played, Arc::clone(&found)));
        Ok(found)
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has reported it.
            thread.join().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests;

//! The thread that keeps the reporting tables close behind the record. If it fails the tables in play go on, and reports say how
//! far behind they are and why.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use taisai_journal::{Archive, PublicKey};
use taisai_record::Address;
use taisai_reports::{Projection, ProjectionLag, ProjectionProgress, ReportReader};
use taisai_table::{ClusterId, MachineId, TableId};
use tokio::sync::watch;

use super::dice::{DiceWatches, TableDice};
use super::error::{ReportError, count, text};
use super::tables::machine;

/// How often the record is read when nobody wakes the thread.
const FOLLOW_INTERVAL: Duration = Duration::from_secs(1);

/// How far the reporting tables are behind the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct LagSheet {
    /// How many blocks of the record they do not hold, when it was last looked at.
    pub blocks: u64,
    /// By how many milliseconds the entries that they hold are older than the newest.
    pub millis: u64,
    /// Whether the record has been looked at since the program started.
    pub is_known: bool,
    /// Why they do not move on, if they do not.
    pub error: Option<String>,
}

impl LagSheet {
    fn new(lags: &[ProjectionLag]) -> Self {
        let millis = |lag: &ProjectionLag| lag.head.time.0.saturating_sub(lag.projected.time.0);
        Self {
            blocks: lags.iter().map(ProjectionLag::blocks).sum(),
            millis: lags.iter().map(millis).max().unwrap_or(0),
            is_known: true,
            error: None,
        }
    }
}

/// What a cluster has played so far: while it is unchanged, the cached games of its seats are valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlayedSoFar {
    settled: u64,
    changes: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Followed {
    pub(crate) lag: LagSheet,
    pub(crate) dice: BTreeMap<TableId, TableDice>,
    pub(crate) played: BTreeMap<ClusterId, PlayedSoFar>,
}

/// Shared between the thread and requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct FollowState {
    followed: Arc<Mutex<Followed>>,
    steps: watch::Sender<u64>,
}

impl FollowState {
    #[cfg(test)]
    /// Changes whenever the record was read.
    pub(crate) fn steps(&self) -> watch::Receiver<u64> {
        self.steps.subscribe()
    }

    /// Every change is complete, even if the thread panicked.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows the record until no waker is left.
pub(crate) fn run(address: &Address, keys: &[PublicKey], known: &FollowState, woken: &Receiver<()>) {
    let mut follower: Option<Follower> = None;
    let mut reported = None;
    loop {
        let followed = follower.take().map_or_else(|| Follower::open(address), Ok);
        let stepped = followed.and_then(|mut present| Ok((present.step(keys, known)?, present)));
        let (is_more, error) = match stepped {
            Ok((is_more, present)) => {
                follower = Some(present);
                (is_more, None)
            }
            Err(error) if error.is_rival() => (false, None),
            Err(error) => (false, Some(error.with_causes())),
        };
        if error != reported {
            if let Some(error) = &error {
                tracing::error!(error, "the reporting tables do not follow the record");
            } else {
                tracing::info!("the reporting tables follow the record again");
            }
            known.lock().lag.error.clone_from(&error);
            reported = error;
        }
        known.steps.send_modify(|steps| *steps += 1);
        let wait = if is_more { Duration::ZERO } else { FOLLOW_INTERVAL };
        match woken.recv_timeout(wait) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

struct Follower {
    archive: Box<dyn Archive>,
    projection: Projection,
    reader: ReportReader,
    watch: DiceWatches,
    /// Up to where the rows of each chain were read.
    seen: BTreeMap<String, u64>,
}

/// Counts events that change a round which was over.
const CHANGES: &str = "SELECT count(*) FROM events WHERE chain = $1 AND position >= $2
                       AND kind IN ('late-void', 'correction', 'reinstatement', 'adjustment')";

impl Follower {
    fn open(address: &Address) -> Result<Self, ReportError> {
        let (archive, projection) = (address.archive()?, Projection::open(address)?);
        let reader = ReportReader::open(address)?;
        Ok(Self { archive, projection, reader, watch: DiceWatches::default(), seen: BTreeMap::new() })
    }

    /// Projects one batch of each chain and reads what is new; `true` if there is more.
    fn step(&mut self, keys: &[PublicKey], known: &FollowState) -> Result<bool, ReportError> {
        let progress = self.projection.advance(&mut *self.archive, keys)?;
        let is_more = progress != ProjectionProgress::default();
        if is_more || self.seen.is_empty() {
            self.read_changes(known)?;
        }
        let lag = LagSheet::new(&self.projection.lag(&mut *self.archive)?);
        let mut known = known.lock();
        known.lag = LagSheet { error: known.lag.error.take(), ..lag };
        Ok(is_more)
    }

    fn read_changes(&mut self, known: &FollowState) -> Result<(), ReportError> {
        let rows = self.reader.query("SELECT chain, next FROM chains ORDER BY chain", &[])?.rows;
        for row in rows {
            let (chain, next): (_, u64) = (text(&row[0])?.to_owned(), count(&row[1])?);
            let before = self.seen.get(&chain).copied();
            if before == Some(next) {
                continue;
            }
            let changes = self.reader.query(CHANGES, &[chain.clone().into(), before.unwrap_or(0).into()])?;
            let is_changed = changes.rows.first().is_some_and(|row| row[0].number() != Some(0));
            match machine(&chain) {
                Some(MachineId::Round(table)) => self.see_round(known, table, is_changed || before.is_none())?,
                Some(MachineId::Cluster(cluster)) => self.see_cluster(known, cluster, is_changed)?,
                Some(MachineId::House) | None => {}
            }
            self.seen.insert(chain, next);
        }
        Ok(())
    }

    fn see_round(&mut self, known: &FollowState, table: TableId, is_changed: bool) -> Result<(), ReportError> {
        self.watch.follow(&mut self.reader, table, is_changed)?;
        let mut known = known.lock();
        known.dice.extend(self.watch.sheet(table).map(|sheet| (table, sheet)));
        if is_changed {
            let of_table = known.played.iter_mut().filter(|(cluster, _)| cluster.table == table);
            of_table.for_each(|(_, played)| played.changes += 1);
        }
        Ok(())
    }

    fn see_cluster(&mut self, known: &FollowState, cluster: ClusterId, is_changed: bool) -> Result<(), ReportError> {
        let sql = "SELECT coalesce(max(round), 0) FROM settlements WHERE table_number = $1 AND cluster = $2";
        let rows = self.reader.query(sql, &[cluster.table.0.into(), cluster.number.into()])?.rows;
        let settled = rows.first().map(|row| count(&row[0])).transpose()?.unwrap_or(0);
        let mut known = known.lock();
        let played = known.played.entry(cluster).or_default();
        played.settled = settled;
        played.changes += u64::from(is_changed);
        Ok(())
    }
}

//! Where the parts of a house run: each on a thread of its own, with what it is given to speak and to read by.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use taisai_journal::PublicKey;
use taisai_record::{Address, Book, Recorder, Warn, chain_of, slip};
use taisai_table::{ClusterId, House, MachineId, Profile, RoundNumber, TableId};
use tokio::sync::{mpsc, watch};

use super::unopened::Unopened;
use super::{HallPlan, Machines, TablePlan};
use crate::clock::{Clock, Sources, System};
use crate::house::{self, FollowedHouse, RunningHouse};
use crate::leaving::{Post, Voice};
use crate::metrics::Metrics;
use crate::nodes::{Term, Turn};
use crate::stopped::Stopped;
use crate::table::{self, Archivist, Parts, RunningTable, TableMail};

/// How every table of the house is laid out.
pub(super) type Plans = Arc<BTreeMap<TableId, TablePlan>>;

/// What parts are run with.
pub(super) struct Rooms {
    pub(super) plan: HallPlan,
    pub(super) plans: Plans,
    pub(super) profile: Arc<Profile>,
    pub(super) keys: Vec<PublicKey>,
    pub(super) post: Arc<Post>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) sources: Sources,
    pub(super) stop: watch::Sender<Option<Stopped>>,
    pub(super) term: Term,
    /// Where the steward of a node hears what has become of it.
    pub(super) turns: Option<Sender<Turn>>,
    pub(super) unopened: Arc<Unopened>,
    pub(super) warn: Warn,
    pub(super) system: System,
}

/// Parts that run, and the book that they are written in.
pub(super) struct RunningPart {
    pub(super) threads: Vec<JoinHandle<()>>,
    pub(super) book: Book,
}

impl RunningPart {
    /// Waits until they have ended, and closes the book: all that was asked is recorded and vouched for.
    pub(super) fn close(self) {
        for thread in self.threads {
            // A thread that broke down has said so.
            thread.join().unwrap_or_default();
        }
        self.book.close();
    }
}

type Running = Pin<Box<dyn Future<Output = Result<(), Stopped>>>>;

/// A part that is ready to run.
pub(super) struct Ready {
    name: String,
    run: Box<dyn FnOnce() -> Running + Send>,
}

impl Ready {
    fn new<F: Future<Output = Result<(), Stopped>> + 'static>(
        name: String,
        run: impl FnOnce() -> F + Send + 'static,
    ) -> Self {
        Self { name, run: Box::new(move || Box::pin(run())) }
    }

    /// Starts its thread. However it ends, `ended` hears of it.
    pub(super) fn start(
        self,
        ended: impl FnOnce(Result<(), Stopped>) + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        thread::Builder::new().name(self.name).spawn(move || {
            let mut told = Told(Some(ended));
            let result = runtime.block_on((self.run)());
            told.tell(result);
        })
    }
}

/// Whoever is told how a part has ended, also where it broke down.
struct Told<E: FnOnce(Result<(), Stopped>)>(Option<E>);

impl<E: FnOnce(Result<(), Stopped>)> Told<E> {
    fn tell(&mut self, ended: Result<(), Stopped>) {
        if let Some(tell) = self.0.take() {
            tell(ended);
        }
    }
}

impl<E: FnOnce(Result<(), Stopped>)> Drop for Told<E> {
    fn drop(&mut self) {
        self.tell(Err(Stopped::Closed));
    }
}

/// Does some work; if it breaks down `broken` hears of it.
pub(crate) fn guarded(broken: impl FnOnce(), work: impl FnOnce()) {
    let mut told = Told(Some(|ended: Result<(), Stopped>| {
        if ended.is_err() {
            broken();
        }
    }));
    work();
    told.tell(Ok(()));
}

impl Rooms {
    /// A table whose mail is taken from now on.
    pub(super) fn table(&self, table: TableId, machines: Machines, clock: Clock) -> Ready {
        let (mail, ready) = self.run(format!("table {}", table.0), table, machines, clock);
        self.post.set_table(table, Some(mail));
        ready
    }

    /// A cluster that runs apart from its dealer's side, whose mail is taken from now on, and where the round is sent that it follows.
    pub(super) fn cluster(
        &self,
        cluster: ClusterId,
        machines: Machines,
        clock: Clock,
    ) -> (Ready, mpsc::WeakSender<TableMail>) {
        let ClusterId { table, number } = cluster;
        let (mail, ready) = self.run(format!("table {}, {number}", table.0), table, machines, clock);
        let follows = mail.downgrade();
        self.post.set_cluster(cluster, Some(mail));
        (ready, follows)
    }

    fn run(
        &self,
        name: String,
        table: TableId,
        (round, clusters): Machines,
        clock: Clock,
    ) -> (mpsc::Sender<TableMail>, Ready) {
        self.sources.above(round.machine().highest_source());
        for cluster in &clusters {
            self.sources.above(cluster.machine().highest_source());
        }
        let (mail, mailbox) = mpsc::channel(table::MAILBOX);
        let archivist =
            FromRecord { address: self.plan.address.clone(), keys: self.keys.clone(), mail: mail.downgrade() };
        let parts = Parts {
            round,
            clusters,
            profile: Arc::clone(&self.profile),
            clock,
            voice: Voice::start(&self.post, self.term.clone()),
            archivist: Box::new(archivist),
            fence: self.fence(),
            metrics: self.metrics.table(table),
        };
        let running = RunningTable::new(parts, &self.sources);
        (mail, Ready::new(name, move || running.run(mailbox)))
    }

    /// Has a cluster given to another node, where there are several.
    fn fence(&self) -> Box<dyn Fn(ClusterId) + Send> {
        let turns = self.turns.clone();
        Box::new(move |cluster| {
            if let Some(turns) = &turns {
                // A steward that has gone is of a house that is being closed.
                turns.send(Turn::Silent(cluster)).unwrap_or_default();
            }
        })
    }

    /// The House, whose mail is taken from now on.
    pub(super) fn house(&self, house: Recorder<House>, clock: Clock) -> Ready {
        self.sources.above(house.machine().highest_source());
        let (mail, mailbox) = mpsc::channel(house::MAILBOX);
        let voice = Voice::start(&self.post, self.term.clone());
        let running = RunningHouse::new(house, (clock, &self.sources), voice, self.metrics.house_refusals());
        self.post.set_house(mail);
        Ready::new("house".to_owned(), move || running.run(mailbox))
    }

    /// The House where another node holds it.
    pub(super) fn followed_house(&self, followed: FollowedHouse) -> Ready {
        let (mail, mailbox) = mpsc::channel(house::MAILBOX);
        let own = mail.downgrade();
        self.post.set_house(mail);
        Ready::new("house of another node".to_owned(), move || followed.run(own, mailbox))
    }

    /// Stops the whole house when a part has ended. The first tells why; the others stop with it.
    pub(super) fn takes_all_along(&self) -> impl FnOnce(Result<(), Stopped>) + Send + use<> {
        let stop = self.stop.clone();
        move |ended| stop_all(&stop, ended.err().unwrap_or(Stopped::Closed))
    }
}

/// Stops the whole house, for the first reason that is told.
pub(super) fn stop_all(stop: &watch::Sender<Option<Stopped>>, why: Stopped) {
    stop.send_if_modified(|stopped| {
        let is_first = stopped.is_none();
        stopped.get_or_insert(why);
        is_first
    });
}

/// Slips are read on a thread of their own, as an old one takes its time.
struct FromRecord {
    address: Address,
    keys: Vec<PublicKey>,
    mail: mpsc::WeakSender<TableMail>,
}

impl Archivist for FromRecord {
    fn ask(&self, cluster: ClusterId, round: RoundNumber) {
        let (address, keys, mail) = (self.address.clone(), self.keys.clone(), self.mail.clone());
        let read = move || {
            let chain = chain_of(MachineId::Cluster(cluster));
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
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn who_breaks_down_is_told_of() {
        let is_told = Cell::new(false);
        guarded(|| is_told.set(true), || {});
        assert!(!is_told.get(), "nothing broke down");
        let broken = catch_unwind(AssertUnwindSafe(|| guarded(|| is_told.set(true), || panic!("on purpose"))));
        assert!(broken.is_err() && is_told.get());
    }
}

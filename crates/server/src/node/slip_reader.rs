//! Reads the slips of old rounds from the record. One thread with one connection reads those that the store keeps; rounds from before
//! slips were kept are found by a second thread, which replays chains and can take long.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use taisai_journal::{Archive, ChainName, PublicKey};
use taisai_record::{Address, SlipReplay, StoreError, UnusedSlip, chain_of, kept_slip};
use taisai_table::{ClusterId, MachineId, RoundNumber, Slip};

/// A cluster asks again for a slip that found no room.
const QUEUE_CAPACITY: usize = 4_096;

/// A handle to the threads.
#[derive(Clone)]
pub(crate) struct SlipReader(Arc<SlipThreads>);

struct SlipThreads {
    /// None once the reader is closed.
    questions: Mutex<Option<SyncSender<SlipQuestion>>>,
    reading: Arc<Reading>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// The slips that are being read.
#[derive(Default)]
struct Reading {
    slips: Mutex<BTreeSet<(ClusterId, RoundNumber)>>,
    is_closed: AtomicBool,
}

struct SlipQuestion {
    cluster: ClusterId,
    round: RoundNumber,
    /// What the chain knows the slip by.
    digest: [u8; 32],
    done: Box<dyn FnOnce(Option<Slip>) + Send>,
}

impl SlipQuestion {
    fn chain(&self) -> ChainName {
        chain_of(MachineId::Cluster(self.cluster))
    }
}

impl SlipReader {
    pub(crate) fn start(address: Address, keys: Vec<PublicKey>) -> io::Result<Self> {
        let (questions, asked) = sync_channel(QUEUE_CAPACITY);
        let (replays, to_replay) = sync_channel(QUEUE_CAPACITY);
        let reading: Arc<Reading> = Arc::default();
        let kept = KeptSlipReader { store: ReadStore::new(address.clone()), reading: Arc::clone(&reading) };
        let (store, replay) = (ReadStore::new(address), SlipReplay::new(keys));
        let replayed = ReplayedSlipReader { store, replay, reading: Arc::clone(&reading) };
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| thread::Builder::new().name(name.to_owned()).spawn(run);
        let threads = vec![
            spawn("slips", Box::new(move || kept.run(&asked, &replays)))?,
            spawn("slips of replays", Box::new(move || replayed.run(&to_replay)))?,
        ];
        let questions = Mutex::new(Some(questions));
        Ok(Self(Arc::new(SlipThreads { questions, reading, threads: Mutex::new(threads) })))
    }

    /// Reads a slip and passes it to `done`; none if it cannot be read. A slip that is being read is not read again.
    pub(crate) fn read(
        &self,
        cluster: ClusterId,
        round: RoundNumber,
        digest: [u8; 32],
        done: impl FnOnce(Option<Slip>) + Send + 'static,
    ) {
        if let Some(questions) = &*lock(&self.0.questions)
            && lock(&self.0.reading.slips).insert((cluster, round))
        {
            let question = SlipQuestion { cluster, round, digest, done: Box::new(done) };
            self.0.reading.put(questions, question);
        }
    }

    /// Ends the threads, and so their connections. A replay stops where it is, and nobody is answered any more.
    pub(crate) fn close(&self) {
        self.0.close();
        let threads = std::mem::take(&mut *lock(&self.0.threads));
        for thread in threads {
            // A thread that panicked has reported it.
            thread.join().unwrap_or_default();
        }
    }
}

impl SlipThreads {
    fn close(&self) {
        self.reading.is_closed.store(true, Ordering::Relaxed);
        *lock(&self.questions) = None;
    }
}

impl Drop for SlipThreads {
    fn drop(&mut self) {
        self.close();
    }
}

impl Reading {
    /// Puts a question into a queue. Nobody waits for room: the cluster asks again.
    fn put(&self, questions: &SyncSender<SlipQuestion>, question: SlipQuestion) {
        if let Err(TrySendError::Full(question) | TrySendError::Disconnected(question)) = questions.try_send(question) {
            tracing::warn!(chain = %question.chain(), round = question.round.0, "too many slips are being read");
            lock(&self.slips).remove(&(question.cluster, question.round));
        }
    }

    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn answer(&self, question: SlipQuestion, slip: Option<Slip>) {
        lock(&self.slips).remove(&(question.cluster, question.round));
        (question.done)(slip);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The store, opened when it is first needed, and anew after it could not be read.
struct ReadStore {
    address: Address,
    archive: Option<Box<dyn Archive>>,
}

impl ReadStore {
    const fn new(address: Address) -> Self {
        Self { address, archive: None }
    }

    fn archive(&mut self) -> Result<&mut dyn Archive, StoreError> {
        let archive = match self.archive.take() {
            Some(archive) => archive,
            None => self.address.archive()?,
        };
        Ok(&mut **self.archive.insert(archive))
    }
}

/// Reads slips that the store keeps.
struct KeptSlipReader {
    store: ReadStore,
    reading: Arc<Reading>,
}

impl KeptSlipReader {
    fn run(mut self, questions: &Receiver<SlipQuestion>, replays: &SyncSender<SlipQuestion>) {
        while let Ok(question) = questions.recv()
            && !self.reading.is_closed()
        {
            match self.slip(&question) {
                Some(slip) => self.reading.answer(question, Some(slip)),
                None => self.reading.put(replays, question),
            }
        }
    }

    /// A connection that was kept may have been lost meanwhile: then it is read once more from a new one.
    fn slip(&mut self, question: &SlipQuestion) -> Option<Slip> {
        let was_open = self.store.archive.is_some();
        let read = match self.read(question) {
            Err(UnreadSlip::Slip(UnusedSlip::Read(_))) if was_open => self.read(question),
            read => read,
        };
        read.unwrap_or_else(|error| {
            let (chain, round) = (question.chain(), question.round.0);
            tracing::error!(%chain, round, %error, "the slip that is kept of a round is not used; its chain is replayed");
            None
        })
    }

    fn read(&mut self, question: &SlipQuestion) -> Result<Option<Slip>, UnreadSlip> {
        let read = kept_slip(self.store.archive()?, &question.chain(), question.round, question.digest);
        if let Err(UnusedSlip::Read(_)) = read {
            self.store.archive = None;
        }
        Ok(read?)
    }
}

#[derive(Debug, thiserror::Error)]
enum UnreadSlip {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Slip(#[from] UnusedSlip),
}

/// Finds slips by replaying chains.
struct ReplayedSlipReader {
    store: ReadStore,
    replay: SlipReplay,
    reading: Arc<Reading>,
}

impl ReplayedSlipReader {
    fn run(mut self, questions: &Receiver<SlipQuestion>) {
        while let Ok(question) = questions.recv()
            && !self.reading.is_closed()
        {
            let slip = self.slip(&question).unwrap_or_else(|error| {
                self.store.archive = None;
                let (chain, round) = (question.chain(), question.round.0);
                tracing::error!(%chain, round, error, "cannot read the slip of a round");
                None
            });
            self.reading.answer(question, slip);
        }
    }

    fn slip(&mut self, question: &SlipQuestion) -> Result<Option<Slip>, String> {
        let archive = self.store.archive().map_err(|error| error.to_string())?;
        let is_wanted = || !self.reading.is_closed();
        let found = self.replay.slip(archive, &question.chain(), question.round, is_wanted);
        found.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, TryRecvError, channel};

    use taisai_table::TableId;

    use super::*;

    fn question(answers: Sender<Option<Slip>>) -> SlipQuestion {
        let cluster = ClusterId { table: TableId(1), number: 0 };
        let done = Box::new(move |slip| answers.send(slip).unwrap());
        SlipQuestion { cluster, round: RoundNumber(1), digest: [0; 32], done }
    }

    /// Each question may wait for a connection, and there may be thousands.
    #[test]
    fn queued_questions_are_dropped_when_the_reader_is_closed() {
        for is_closed in [false, true] {
            let reading: Arc<Reading> = Arc::default();
            reading.is_closed.store(is_closed, Ordering::Relaxed);
            let store = || ReadStore::new(Address::Folder("nowhere".into()));
            let (replays, to_replay) = sync_channel(1);
            let (answers, answered) = channel();

            let (questions, asked) = sync_channel(1);
            questions.send(question(answers.clone())).unwrap();
            drop(questions);
            KeptSlipReader { store: store(), reading: Arc::clone(&reading) }.run(&asked, &replays);
            assert_eq!(to_replay.try_recv().is_err(), is_closed, "the store is asked for the slip");

            replays.send(question(answers)).unwrap();
            drop(replays);
            ReplayedSlipReader { store: store(), replay: SlipReplay::new(Vec::new()), reading }.run(&to_replay);
            let expected = if is_closed { Err(TryRecvError::Disconnected) } else { Ok(None) };
            assert_eq!(answered.try_recv(), expected, "the chain is replayed");
        }
    }
}

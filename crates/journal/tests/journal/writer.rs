//! The writer: what it writes, what it says, and what it does when the store fails.

use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Barrier};
use std::thread;

use taisai_journal::suite::{chain, verify};
use taisai_journal::{
    AppendError, Archive, Block, BlockContent, ChainHandle, ChainHead, ChainPurpose, Checkpoint, CheckpointTarget,
    ClaimError, DiskFault, DiskStep, DurablePosition, Entries, FaultDuration, Genesis, Hash, Journal, MemoryStore,
    ReadError, SigningKey, StoredSlip, TakeError, Writer, WriterStopped,
};

const GENESIS: Genesis = Genesis { house: [7; 16], purpose: ChainPurpose::Training, least_reader: 1 };

fn start(journal: impl Journal + 'static) -> Writer {
    Writer::start(Box::new(journal), SigningKey::from_secret([1; 32]), "tests".into()).expect("a thread")
}

fn entries(these: &[&[u8]]) -> Entries {
    let mut entries = Entries::default();
    for entry in these {
        entries.push(entry);
    }
    entries
}

type Answer<T> = Receiver<Result<T, WriterStopped>>;

fn submit(handle: &ChainHandle, these: &[&[u8]]) -> Result<Answer<DurablePosition>, WriterStopped> {
    let (answer, answers) = mpsc::channel();
    handle.submit(entries(these), move |result| answer.send(result).unwrap_or_default())?;
    Ok(answers)
}

fn mark(handle: &ChainHandle) -> CheckpointTarget {
    let (answer, answers) = mpsc::channel();
    handle.end_block(move |result| answer.send(result).unwrap_or_default()).expect("a writer");
    answers.recv().expect("an answer").expect("a mark")
}

fn checkpoint(handle: &ChainHandle, mark: CheckpointTarget, state: Hash) -> Option<Checkpoint> {
    let (answer, answers) = mpsc::channel();
    handle.checkpoint(mark, state, 5, move |result| answer.send(result).unwrap_or_default()).expect("a writer");
    answers.recv().expect("an answer").expect("a checkpoint")
}

/// A journal that does not begin an append before it is let.
struct Held {
    journal: Box<dyn Journal>,
    gate: Arc<Barrier>,
}

impl Journal for Held {
    fn claim(&mut self, chain: &taisai_journal::ChainName, epoch: u64) -> Result<ChainHead, ClaimError> {
        self.journal.claim(chain, epoch)
    }

    fn append_with_slips(&mut self, blocks: &[Block], slips: &[StoredSlip]) -> Result<(), AppendError> {
        if blocks.iter().any(|block| *block.content() == BlockContent::Entries) {
            self.gate.wait();
            self.gate.wait();
        }
        self.journal.append_with_slips(blocks, slips)
    }

    fn archive(&self) -> Result<Box<dyn Archive>, ReadError> {
        self.journal.archive()
    }
}

#[test]
fn submissions_are_written_in_order_and_acknowledged() {
    let memory = MemoryStore::default();
    let writer = start(memory.open());
    let (one, head) = writer.take(&chain("one"), 1, GENESIS).unwrap();
    assert_eq!((head.epoch, head.next), (1, 1));
    let (two, _) = writer.take(&chain("two"), 3, GENESIS).unwrap();
    assert!(matches!(writer.take(&chain("two"), 4, GENESIS), Err(TakeError::Mine(_))));
    let first = submit(&one, &[b"a", b"b"]).unwrap();
    let second = submit(&two, &[b"c"]).unwrap();
    assert_eq!(first.recv().unwrap().unwrap(), DurablePosition { position: 1, first: 0 });
    assert_eq!(second.recv().unwrap().unwrap(), DurablePosition { position: 1, first: 0 });
    // What is written after the mark is not vouched for.
    let marked = mark(&one);
    submit(&one, &[b"d"]).unwrap().recv().unwrap().unwrap();
    let signed = checkpoint(&one, marked, Hash::of(b"state")).unwrap();
    assert_eq!((signed.content.position, signed.content.state, signed.content.time), (1, Hash::of(b"state"), 5));
    let (journal, reason) = writer.stop();
    assert!(matches!(reason, WriterStopped::Closed));
    assert!(matches!(submit(&one, &[b"late"]), Err(WriterStopped::Closed)));
    let mut archive = journal.unwrap().archive().unwrap();
    let blocks = verify(&mut *archive, &chain("one")).unwrap();
    assert_eq!(blocks[1].entries().collect::<Vec<_>>(), [b"a", b"b"]);
    assert_eq!(blocks[2].entries().collect::<Vec<_>>(), [b"d"]);
    assert_eq!(*blocks[3].content(), BlockContent::Checkpoint(Box::new(signed.clone())));
    assert_eq!(signed.content.hash, blocks[1].hash());
    assert_eq!(verify(&mut *archive, &chain("two")).unwrap().len(), 2);
}

#[test]
fn existing_chain_is_taken_over() {
    let memory = MemoryStore::default();
    start(memory.open()).take(&chain("one"), 1, GENESIS).unwrap();
    let writer = start(memory.open());
    let refused = writer.take(&chain("one"), 1, GENESIS);
    assert!(matches!(refused, Err(TakeError::Claim(ClaimError::Refused { .. }))), "{refused:?}");
    let (_, head) = writer.take(&chain("one"), 2, GENESIS).unwrap();
    assert_eq!((head.epoch, head.next), (2, 2));
    let (journal, _) = writer.stop();
    let blocks = verify(&mut *journal.unwrap().archive().unwrap(), &chain("one")).unwrap();
    assert_eq!(*blocks[1].content(), BlockContent::TakeOver("tests".into()));
}

#[test]
fn submissions_during_a_commit_become_one_block_per_chain() {
    let memory = MemoryStore::default();
    let gate = Arc::new(Barrier::new(2));
    let writer = start(Held { journal: Box::new(memory.open()), gate: Arc::clone(&gate) });
    let (one, _) = writer.take(&chain("one"), 1, GENESIS).unwrap();
    let (two, _) = writer.take(&chain("two"), 1, GENESIS).unwrap();
    let first = submit(&one, &[b"0"]).unwrap();
    gate.wait();
    // The first commit has begun: the rest waits for the next one.
    let later: Vec<_> = (1..=100_u8).map(|number| submit(&one, &[&[number], &[number]]).unwrap()).collect();
    let other: Vec<_> = (1..=50_u8).map(|number| submit(&two, &[&[number]]).unwrap()).collect();
    let nothing = submit(&one, &[]).unwrap();
    assert!(later.iter().chain(&other).chain([&first, &nothing]).all(|answer| answer.try_recv().is_err()));
    gate.wait();
    assert_eq!(first.recv().unwrap().unwrap(), DurablePosition { position: 1, first: 0 });
    gate.wait();
    assert!(later.iter().chain(&other).chain([&nothing]).all(|answer| answer.try_recv().is_err()));
    gate.wait();
    for (number, answer) in (0..).zip(later) {
        assert_eq!(answer.recv().unwrap().unwrap(), DurablePosition { position: 2, first: 2 * number });
    }
    for (number, answer) in (0..).zip(other) {
        assert_eq!(answer.recv().unwrap().unwrap(), DurablePosition { position: 1, first: number });
    }
    assert_eq!(nothing.recv().unwrap().unwrap(), DurablePosition { position: 2, first: 200 });
    let before = memory.steps();
    assert_eq!(submit(&one, &[]).unwrap().recv().unwrap().unwrap(), DurablePosition { position: 2, first: 0 });
    assert_eq!(memory.steps(), before, "nothing to write");
}

#[test]
fn large_submissions_become_several_blocks_and_commits() {
    let memory = MemoryStore::default();
    let gate = Arc::new(Barrier::new(2));
    let writer = start(Held { journal: Box::new(memory.open()), gate: Arc::clone(&gate) });
    let (handle, _) = writer.take(&chain("one"), 1, GENESIS).unwrap();
    let large = vec![9; 100_000];
    submit(&handle, &[b"0"]).unwrap();
    gate.wait();
    let answers: Vec<_> = (0..100).map(|_| submit(&handle, &[&large]).unwrap()).collect();
    let huge = submit(&handle, &[&vec![1; 3_000_000]]).unwrap();
    gate.wait();
    let letting = thread::spawn(move || {
        for _ in 0..4 {
            gate.wait();
        }
    });
    let positions: Vec<u64> = answers.iter().map(|answer| answer.recv().unwrap().unwrap().position).collect();
    assert_eq!(positions, (0..100).map(|number| 2 + number / 2).collect::<Vec<u64>>(), "two to a block");
    assert_eq!(huge.recv().unwrap().unwrap(), DurablePosition { position: 52, first: 0 });
    letting.join().unwrap();
    drop(writer);
    assert_eq!(verify(&mut memory.clone(), &chain("one")).unwrap().len(), 53);
}

#[test]
fn full_queue_makes_submitters_wait_until_the_writer_stops() {
    let memory = MemoryStore::default();
    let gate = Arc::new(Barrier::new(2));
    let writer = start(Held { journal: Box::new(memory.open()), gate: Arc::clone(&gate) });
    let (handle, _) = writer.take(&chain("one"), 1, GENESIS).unwrap();
    // A claim and a genesis block were flushed before.
    memory.plan(DiskFault { at: DiskStep::Flush(3), lasts: FaultDuration::Once, short: 0 });
    let first = submit(&handle, &[&vec![0; 15_000_000]]).unwrap();
    gate.wait();
    let filling = thread::spawn(move || {
        let answers: Vec<_> = (0..).map_while(|_| submit(&handle, &[&vec![0; 15_000_000]]).ok()).collect();
        (handle, answers)
    });
    // The fifth does not fit into 64 MiB, so its submission fails only when the writer stops.
    gate.wait();
    let (handle, answers) = filling.join().unwrap();
    assert!(answers.len() <= 3, "{}", answers.len());
    for answer in answers.iter().chain([&first]) {
        let Err(WriterStopped::Failed(error)) = answer.recv().unwrap() else { panic!("acknowledged") };
        assert!(matches!(*error, AppendError::Unknown(_)));
    }
    assert!(matches!(submit(&handle, &[b"late"]), Err(WriterStopped::Failed(_))));
    assert!(matches!(writer.take(&chain("two"), 1, GENESIS), Err(TakeError::Stopped(WriterStopped::Failed(_)))));
    assert!(matches!(writer.stop(), (Some(_), WriterStopped::Failed(_))));
}

#[test]
fn a_fenced_writer_stops() {
    let memory = MemoryStore::default();
    let writer = start(memory.open());
    let (handle, _) = writer.take(&chain("one"), 1, GENESIS).unwrap();
    memory.open().claim(&chain("one"), 2).unwrap();
    let Err(WriterStopped::Failed(error)) = submit(&handle, &[b"late"]).unwrap().recv().unwrap() else {
        panic!("written")
    };
    assert!(matches!(&*error, AppendError::Fenced { position: 1, epoch: 1, .. }), "{error}");
}

#[test]
fn panicking_completion_leaves_nobody_waiting() {
    let memory = MemoryStore::default();
    let writer = start(memory.open());
    let (handle, _) = writer.take(&chain("one"), 1, GENESIS).unwrap();
    handle.submit(entries(&[b"x"]), |_| std::panic::resume_unwind(Box::new("a bug"))).unwrap();
    // It is told, at once or after its answer was dropped, that the writer is gone.
    match submit(&handle, &[b"y"]).map(|answer| answer.recv()) {
        Err(WriterStopped::Panicked) | Ok(Err(_) | Ok(Ok(_) | Err(WriterStopped::Panicked))) => {}
        other => panic!("{other:?}"),
    }
    assert!(matches!(writer.stop(), (None, WriterStopped::Panicked)));
}

//! A run that writes numbers to two chains and says which are acknowledged, in this process or in one of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;

use taisai_journal::suite::{Spawned, chain, verify};
use taisai_journal::{
    Archive, Block, ChainHandle, ChainPurpose, Entries, Genesis, Hash, Journal, Postgres, PostgresArchive, SigningKey,
    Sqlite, SqliteArchive, TakeError, Writer, WriterStopped,
};

pub(crate) const CHAINS: [&str; 2] = ["one", "two"];

/// What a run said.
#[derive(Debug, Default)]
pub(crate) struct RunOutput {
    /// How many numbers of each chain were acknowledged, with those of earlier runs.
    pub(crate) acknowledged: [u64; CHAINS.len()],
    /// Why it stopped early, if it did.
    pub(crate) stopped: String,
    /// The status that the process ended with; none if it was killed.
    pub(crate) status: Option<i32>,
}

/// A run in a process of its own.
pub(crate) struct Run {
    process: Spawned,
    lines: BufReader<ChildStdout>,
    output: RunOutput,
}

impl Run {
    /// A run that does not end by itself.
    pub(crate) fn endless(store: &str) -> Self {
        let mut command = Self::short(store);
        command.env("JOURNAL_ROUNDS", u64::MAX.to_string());
        Self::start(command)
    }

    /// A run of a few rounds, not started.
    pub(crate) fn short(store: &str) -> Command {
        let mut command = Spawned::test("crash::run");
        command.env("JOURNAL_STORE", store).env("JOURNAL_ROUNDS", "2");
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = Spawned::start(&mut command);
        let lines = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, lines, output: RunOutput::default() }
    }

    /// Reads so many answers, or to the end.
    pub(crate) fn wait_for(&mut self, mut answers: u64) {
        let mut line = String::new();
        while answers > 0 && self.lines.read_line(&mut line).expect("a pipe") > 0 {
            if self.output.read(&line) {
                answers -= 1;
            }
            line.clear();
        }
    }

    pub(crate) fn kill_after(mut self, answers: u64) -> RunOutput {
        self.wait_for(answers);
        self.process.kill().expect("a process to kill");
        self.end()
    }

    /// What it said to its end.
    pub(crate) fn end(mut self) -> RunOutput {
        self.wait_for(u64::MAX);
        self.output.status = self.process.wait().expect("an ended process").code();
        self.output
    }
}

impl RunOutput {
    /// Takes a line, and tells whether it was an answer. A line that was cut by a kill is none.
    fn read(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.trim_end_matches('\n').splitn(3, ' ').collect();
        match words.as_slice() {
            ["done", chain, count] if line.ends_with('\n') => {
                let chain: usize = chain.parse().expect("a chain");
                self.acknowledged[chain] = count.parse().expect("a number");
                true
            }
            ["stopped", ..] => {
                self.stopped = line["stopped ".len()..].trim_end().into();
                false
            }
            _ => false,
        }
    }
}

/// What the process does that a test starts.
pub(crate) fn run_in_this_process() {
    let (Ok(store), Ok(rounds)) = (std::env::var("JOURNAL_STORE"), std::env::var("JOURNAL_ROUNDS")) else { return };
    let rounds = rounds.parse().expect("a number");
    let output = match open(&store) {
        Ok((journal, mut archive)) => write_some(journal, &mut *archive, rounds),
        Err(reason) => RunOutput { stopped: reason, ..RunOutput::default() },
    };
    if !output.stopped.is_empty() {
        println!("stopped {}", output.stopped);
    }
    // Nothing is closed: a process that is ended does not tidy up.
    std::process::exit(0);
}

type Opened = (Box<dyn Journal>, Box<dyn Archive>);

fn open(store: &str) -> Result<Opened, String> {
    let journal: Box<dyn Journal> = if Path::new(store).is_dir() {
        // A small log, so that it is copied into the database during the run.
        let journal = Sqlite::open(store.as_ref()).map_err(|error| format!("{error:?}"))?;
        Box::new(journal.with_max_log(80_000))
    } else {
        Box::new(Postgres::open(store).map_err(|error| format!("{error:?}"))?)
    };
    let archive = journal.archive().map_err(|error| format!("{error:?}"))?;
    Ok((journal, archive))
}

/// The numbers of every chain in a store that may be new.
pub(crate) fn numbers(store: &str) -> [Vec<u64>; CHAINS.len()] {
    let mut archive: Box<dyn Archive> = if Path::new(store).is_dir() {
        // Whoever opens the store to write makes what is not there yet.
        drop(Sqlite::open(store.as_ref()).expect("a store"));
        Box::new(SqliteArchive::open(store.as_ref()).expect("a store"))
    } else {
        Box::new(PostgresArchive::open(store).expect("a store"))
    };
    read(&mut *archive)
}

/// The numbers of every chain, which must be faultless.
pub(crate) fn read(archive: &mut dyn Archive) -> [Vec<u64>; CHAINS.len()] {
    let heads = archive.heads().expect("the heads");
    CHAINS.map(|name| {
        if !heads.iter().any(|head| head.chain == chain(name)) {
            return Vec::new();
        }
        let blocks = verify(archive, &chain(name)).expect("a good chain");
        let entries = blocks.iter().flat_map(Block::entries);
        let numbers: Vec<u64> = entries.map(|entry| u64::from_le_bytes(entry.try_into().expect("a number"))).collect();
        let slips = archive.slips(&chain(name), 0, u16::MAX, usize::MAX).expect("the slips");
        let slips: Vec<_> = slips.into_iter().map(|slip| (slip.round, slip.bytes)).collect();
        let settled = numbers.iter().filter(|number| is_settled(**number));
        assert_eq!(slips, settled.map(|number| slip_of(*number)).collect::<Vec<_>>(), "each number with its slip");
        numbers
    })
}

/// Whether a number comes with a slip.
const fn is_settled(number: u64) -> bool {
    number.is_multiple_of(3)
}

fn slip_of(number: u64) -> (u64, Vec<u8>) {
    (number, number.to_le_bytes().repeat(3))
}

/// Takes both chains and writes to them, a few numbers at a time, saying what is durable.
pub(crate) fn write_some(journal: Box<dyn Journal>, archive: &mut dyn Archive, rounds: u64) -> RunOutput {
    let mut output = RunOutput::default();
    if let Err(stopped) = try_to_write(journal, archive, rounds, &mut output) {
        output.stopped = stopped;
    }
    output
}

fn try_to_write(
    journal: Box<dyn Journal>,
    archive: &mut dyn Archive,
    rounds: u64,
    output: &mut RunOutput,
) -> Result<(), String> {
    let heads = archive.heads().map_err(|error| format!("{error:?}"))?;
    let stored = read(archive);
    let writer = Writer::start(journal, SigningKey::from_secret([9; 32]), "a test".into()).expect("a thread");
    let mut lines = Vec::new();
    for (number, name) in CHAINS.into_iter().enumerate() {
        let epoch = heads.iter().find(|head| head.chain == chain(name)).map_or(0, |head| head.epoch) + 1;
        let genesis = Genesis { house: [1; 16], purpose: ChainPurpose::Training, least_reader: 1 };
        let (handle, _) = writer.take(&chain(name), epoch, genesis).map_err(|error| match error {
            TakeError::Stopped(stopped) => why(&stopped),
            TakeError::Claim(_) | TakeError::Mine(_) => format!("{error:?}"),
        })?;
        lines.push((handle, u64::try_from(stored[number].len()).expect("a number")));
    }
    // A short run is the same every time: one step after the other. In an endless one some are always under way.
    let under_way = if rounds == u64::MAX { 3 } else { 0 };
    let (answer, answers) = mpsc::channel();
    let mut waiting = 0;
    for round in 0..rounds {
        for (number, (handle, next)) in lines.iter_mut().enumerate() {
            let from = *next;
            *next += 1 + round % 3;
            for checkpoint in [false, true] {
                if checkpoint && *next % 3 != 0 {
                    continue;
                }
                waiting += 1;
                submit(handle, (number, from, *next), checkpoint, answer.clone()).map_err(|stopped| why(&stopped))?;
                while waiting > under_way {
                    let (number, last) = answers.recv().expect("an answer").map_err(|stopped| why(&stopped))?;
                    output.acknowledged[number] = last;
                    waiting -= 1;
                }
            }
        }
    }
    Ok(())
}

/// Why the writer stopped, and why that was.
fn why(stopped: &WriterStopped) -> String {
    let cause = std::error::Error::source(stopped).map(ToString::to_string).unwrap_or_default();
    format!("{stopped}: {cause}")
}

type Answer = Result<(usize, u64), WriterStopped>;

/// Submits the numbers of a chain from one to before another, or a checkpoint for them, and says when it is durable.
fn submit(
    handle: &ChainHandle,
    (chain, from, to): (usize, u64, u64),
    checkpoint: bool,
    answer: mpsc::Sender<Answer>,
) -> Result<(), WriterStopped> {
    let done = move |result: Result<(), WriterStopped>| {
        if result.is_ok() {
            println!("done {chain} {to}");
        }
        answer.send(result.map(|()| (chain, to))).unwrap_or_default();
    };
    if checkpoint {
        let (marked, marks) = mpsc::channel();
        handle.end_block(move |result| marked.send(result).unwrap_or_default())?;
        let mark = marks.recv().unwrap_or(Err(WriterStopped::Panicked))?;
        return handle.checkpoint(mark, Hash::NONE, to, move |result| done(result.map(drop)));
    }
    let mut entries = Entries::default();
    for number in from..to {
        entries.push(&number.to_le_bytes());
    }
    let slips = (from..to).filter(|number| is_settled(*number)).map(slip_of).collect();
    handle.submit_with_slips(entries, slips, move |result| done(result.map(drop)))
}

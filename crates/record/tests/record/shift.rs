//! A shift at a table of terminals, in a separate process (the test `run`). It prints what is acknowledged before it sends
//! more commands, and why it stopped if it did.

use std::collections::VecDeque;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use taisai_journal::Hash;
use taisai_journal::suite::Spawned;
use taisai_record::RecordingStopped;
use taisai_rules::{Dice, Money};
use taisai_table::{Chips, ClusterCommand, Phase, Role, RoundCommand, Seat, Stake, Verdict};

use crate::casino::{SEATS, TestCasino, dealer, person};
use crate::test_store::TestStore;

/// How many commands of a terminal may be under way. A machine remembers one more of each.
pub(crate) const UNDER_WAY: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Plan {
    /// Opens the table as it was left, and ends the round in play.
    Reopen,
    /// The same, then plays a round and closes the record.
    OneRound,
    /// Holds the record open until standard input is closed.
    Hold,
    /// All terminals bet as fast as they can, in endless rounds.
    Endless,
}

/// What a shift printed.
#[derive(Debug, Default)]
pub(crate) struct ShiftOutput {
    /// The acknowledged commands of terminals: seat, number, verdict.
    pub(crate) answers: Vec<(Seat, u64, String)>,
    /// The last round that was settled.
    pub(crate) settled: u64,
    /// Why it stopped early, if it did.
    pub(crate) stopped: String,
    /// Warnings.
    pub(crate) warnings: Vec<String>,
    /// Whether a write to the chains failed.
    pub(crate) chains_failed: bool,
    /// Whether a bet was acknowledged after that. The writing thread prints both, so nothing comes between.
    pub(crate) answered_after_failure: bool,
    /// Whether it has the record open and waits.
    pub(crate) holds: bool,
    /// The exit status; none if it was killed.
    pub(crate) status: Option<i32>,
}

/// A running shift.
pub(crate) struct Shift {
    process: Spawned,
    lines: BufReader<ChildStdout>,
    output: ShiftOutput,
}

impl Shift {
    /// The command of a shift that is not started yet.
    pub(crate) fn command(place: &TestStore, plan: Plan) -> Command {
        let mut command = Spawned::test("shift::run");
        command
            .env("SHIFT_STORE", &place.store)
            .env("SHIFT_FILES", &place.files)
            .env("SHIFT_PLAN", format!("{plan:?}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = Spawned::start(&mut command);
        let lines = BufReader::new(process.stdout.take().unwrap());
        Self { process, lines, output: ShiftOutput::default() }
    }

    /// Kills it after this many acknowledgements.
    pub(crate) fn kill_after(mut self, answers: usize) -> ShiftOutput {
        while self.output.answers.len() < answers && self.read_line() {}
        self.process.kill().unwrap();
        self.end()
    }

    /// Waits until it holds the record open.
    pub(crate) fn wait_until_it_holds(&mut self) {
        while !self.output.holds && self.read_line() {}
        assert!(self.output.holds, "{:?}", self.output);
    }

    /// What it printed until its end. A shift that waits for its input is released.
    pub(crate) fn end(mut self) -> ShiftOutput {
        drop(self.process.stdin.take());
        while self.read_line() {}
        self.output.status = self.process.wait().unwrap().code();
        self.output
    }

    /// Reads a line, if there is another. A line that a kill cut off is ignored.
    fn read_line(&mut self) -> bool {
        let mut line = String::new();
        if self.lines.read_line(&mut line).unwrap() == 0 {
            return false;
        }
        let Some(line) = line.strip_suffix('\n') else { return true };
        let (word, rest) = line.split_once(' ').unwrap_or_default();
        let output = &mut self.output;
        match word {
            "answer" => {
                let mut words = rest.split(' ');
                let mut number = || words.next().unwrap().parse::<u64>().unwrap();
                let (seat, sequence) = (Seat(number().try_into().unwrap()), number());
                output.answers.push((seat, sequence, words.next().unwrap().to_owned()));
                output.answered_after_failure |= output.chains_failed || !output.stopped.is_empty();
            }
            "holds" => output.holds = true,
            "settled" => output.settled = rest.parse().unwrap(),
            "stopped" => output.stopped = rest.to_owned(),
            "failed" => output.chains_failed |= rest.ends_with("journal.db") || rest.ends_with("journal.db-wal"),
            "warned" => output.warnings.push(rest.to_owned()),
            _ => {}
        }
        true
    }
}

#[test]
#[ignore = "run by other tests, in a process of its own"]
fn run() {
    let setting = |name| std::env::var(name).ok();
    let (Some(store), Some(files), Some(plan)) =
        (setting("SHIFT_STORE"), setting("SHIFT_FILES"), setting("SHIFT_PLAN"))
    else {
        return;
    };
    let casino = match (TestStore { store, files: PathBuf::from(files) }).open() {
        Ok(casino) => casino.with_snapshots(),
        Err(error) => return println!("stopped {}", error_text(&error)),
    };
    match plan.as_str() {
        "Reopen" => short(casino, 0),
        "OneRound" => short(casino, 1),
        "Hold" => {
            println!("holds {}", casino.next_number());
            std::io::stdin().read_line(&mut String::new()).unwrap();
            casino.close();
        }
        _ => endless(casino),
    }
}

/// An error with all its causes, in one line.
pub(crate) fn error_text(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause: &&dyn Error| (**cause).source());
    let text = causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"));
    text.replace('\n', " ")
}

pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted => "accepted",
        Verdict::Refused(refusal) => refusal.code(),
    }
}

/// A terminal's numbered command, mostly a bet.
pub(crate) fn command_of(seat: Seat, sequence: u64) -> ClusterCommand {
    const BOXES: [&str; 6] = ["small", "big", "any-triple", "sum:9", "sum:12", "single:5"];
    let mut bytes = sequence.to_le_bytes().to_vec();
    bytes.extend(seat.0.to_le_bytes());
    let [kind, place, units, ..] = *Hash::of(&bytes).as_bytes();
    match kind % 8 {
        0 => ClusterCommand::Clear { seat },
        1 => ClusterCommand::Repeat { seat },
        _ => {
            let bet_box = BOXES[usize::from(place) % BOXES.len()].parse().unwrap();
            let amount = Money::from_cents(100 * (1 + i64::from(units) % 5));
            let stakes = [Stake { bet_box, amount }].into_iter().collect();
            ClusterCommand::Place { seat, chips: Chips::Own, stakes }
        }
    }
}

/// Plays at most a round, step by step, and closes the record.
fn short(casino: TestCasino, rounds: u64) {
    let warnings = Arc::clone(&casino.warnings);
    let casino = Mutex::new(casino);
    if let Err(stopped) = play_one_by_one(&casino, rounds) {
        println!("stopped {}", error_text(&stopped));
        // Other commands get the same error.
        let number = casino.lock().unwrap().next_number() + 1_000;
        ask(&casino, Seat(0), number).expect_err("nothing more is recorded");
    }
    casino.into_inner().unwrap().leave();
    for warning in warnings.lock().unwrap().iter() {
        println!("warned {warning}");
    }
}

fn play_one_by_one(casino: &Mutex<TestCasino>, rounds: u64) -> Result<(), RecordingStopped> {
    end_round(casino)?;
    for _ in 0..rounds {
        let first = open_round(casino);
        for (sequence, seat) in (first..).zip([0, 1, 0].map(Seat)) {
            ask(casino, seat, sequence)?.recv().unwrap()?;
        }
        end_round(casino)?;
    }
    Ok(())
}

/// Plays with all terminals in parallel, until it is killed.
fn endless(casino: TestCasino) {
    let first = casino.next_number();
    let casino = &Mutex::new(casino);
    let deal = || -> Result<(), RecordingStopped> {
        end_round(casino)?;
        loop {
            open_round(casino);
            // Time for some bets, about as long as a few flushes take.
            for _ in 0..4 {
                durable(casino)?;
            }
            end_round(casino)?;
        }
    };
    let bet = |seat: Seat| -> Result<(), RecordingStopped> {
        let mut under_way = VecDeque::new();
        for sequence in first.. {
            under_way.push_back(ask(casino, seat, sequence)?);
            if under_way.len() >= UNDER_WAY {
                under_way.pop_front().expect("some are under way").recv().unwrap()?;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let players: Vec<_> = (0..SEATS).map(|seat| scope.spawn(move || bet(Seat(seat)))).collect();
        let dealt = deal();
        for ended in players.into_iter().map(|player| player.join().unwrap()).chain([dealt]) {
            ended.inspect_err(|stopped| println!("stopped {}", error_text(stopped))).unwrap_or_default();
        }
    });
}

/// Sends a terminal's command. The channel gets the verdict once it is durable.
fn ask(
    casino: &Mutex<TestCasino>,
    seat: Seat,
    sequence: u64,
) -> Result<mpsc::Receiver<Result<(), RecordingStopped>>, RecordingStopped> {
    let (sent, received) = mpsc::channel();
    let done = move |verdict, durable: Result<(), RecordingStopped>| {
        if durable.is_ok() {
            println!("answer {} {sequence} {}", seat.0, word(verdict));
        }
        sent.send(durable).unwrap_or_default();
    };
    casino.lock().unwrap().ask_at(seat, sequence, command_of(seat, sequence), done)?;
    Ok(received)
}

/// Waits until every command so far is durable. Other threads may send commands meanwhile.
fn durable(casino: &Mutex<TestCasino>) -> Result<(), RecordingStopped> {
    let waiting = casino.lock().unwrap().submit()?;
    waiting.into_iter().collect()
}

/// Gives every seat credits, and opens bets.
fn open_round(casino: &Mutex<TestCasino>) -> u64 {
    let mut casino = casino.lock().unwrap();
    for seat in (0..SEATS).map(Seat) {
        if casino.cluster.machine().credits(seat) < Money::from_cents(10_000) {
            let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(100_000), second: None };
            assert!(casino.cluster(person(8, Role::Cashier), buy));
        }
    }
    casino.open_bets();
    casino.next_number()
}

/// Ends the round in play, step by step, from whatever phase it is in.
fn end_round(casino: &Mutex<TestCasino>) -> Result<(), RecordingStopped> {
    casino.lock().unwrap().exchange();
    durable(casino)?;
    let (phase, number) = {
        let casino = casino.lock().unwrap();
        (casino.round.machine().phase(), casino.round.machine().number().0)
    };
    match phase {
        Phase::Open | Phase::Closing | Phase::Closed => {}
        // An earlier process may have settled it without reporting that.
        Phase::Settled => {
            println!("settled {number}");
            return Ok(());
        }
        Phase::Shut | Phase::Idle | Phase::Result | Phase::Void => return Ok(()),
    }
    let face = |place: u64| u8::try_from((number * place + place) % 6 + 1).unwrap();
    let dice = Dice::try_from([face(1), face(2), face(3)]).unwrap();
    let tumbled = RoundCommand::Tumbled { times: 3 };
    for command in [RoundCommand::CloseBets, RoundCommand::Activate, tumbled, RoundCommand::Commit { dice }] {
        casino.lock().unwrap().try_round(dealer(), command);
        durable(casino)?;
    }
    println!("settled {number}");
    Ok(())
}

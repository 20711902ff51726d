//! A crowd of terminals: they connect together, get the same task and report the outcome.

#![expect(clippy::float_arithmetic, reason = "rates")]

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use taisai_rules::Games;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::figure::p99;
use super::terminal::{CrowdCounts, LoadTerminal, TerminalEndpoint, TerminalReport, TerminalTask};

/// How many the first few are.
pub(super) const FEW: u32 = 64;

/// How many terminals connect at the same time.
const AT_ONCE: usize = 64;

/// A crowd that is silent for this long has stopped.
const PATIENCE: Duration = Duration::from_mins(1);

/// How long a load runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// What terminals do together.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoadPattern {
    /// Each sends a message with `bets` bets once its last is answered.
    Closed { bets: u32 },
    /// The same, of the first few only.
    Few { bets: u32 },
    /// All together place this many bets a second, whether or not those before are answered.
    Paced { bets_a_second: f64 },
}

/// What came of a load.
pub(super) struct LoadResult {
    /// Of the whole load, and of the time that was measured.
    all: u64,
    bets: u64,
    answers: u64,
    answer_bytes: u64,
    lasted: Duration,
    taken: Vec<Duration>,
}

impl LoadResult {
    /// Bets a second.
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a rate")]
    pub(super) fn rate(&self) -> f64 {
        self.bets as f64 / self.lasted.as_secs_f64()
    }

    /// How many bets were answered, from its beginning to its end.
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a figure that is shown")]
    pub(super) fn all(&self) -> f64 {
        self.all as f64
    }

    /// How long 99 of 100 answers took at most.
    pub(super) fn p99(&mut self) -> Duration {
        p99(&mut self.taken)
    }

    /// How long an answer is.
    pub(super) fn answer_bytes(&self) -> usize {
        usize::try_from(self.answer_bytes.checked_div(self.answers).unwrap_or_default()).unwrap_or(usize::MAX)
    }
}

/// What the last terminal of a crowd received.
pub(super) struct LastReceived {
    pub(super) last: Instant,
    /// As one of them was sent it.
    pub(super) message: String,
}

/// Terminals with the same task.
struct TerminalGroup {
    tasks: watch::Sender<TerminalTask>,
    size: usize,
}

pub(super) struct TerminalCrowd {
    groups: Vec<TerminalGroup>,
    counts: Arc<CrowdCounts>,
    reports: mpsc::UnboundedReceiver<TerminalReport>,
    report_sender: mpsc::UnboundedSender<TerminalReport>,
}

impl TerminalCrowd {
    /// Connects the terminals of these places; the first few form a group of their own.
    pub(super) async fn connect(endpoint: &TerminalEndpoint, places: Range<u32>) -> anyhow::Result<Self> {
        let (report_sender, reports) = mpsc::unbounded_channel();
        let mut crowd = Self { groups: Vec::new(), counts: Arc::default(), reports, report_sender };
        let few = places.start..places.end.min(places.start + FEW);
        let others = few.end..places.end;
        crowd.join(endpoint, few).await?;
        crowd.join(endpoint, others).await?;
        Ok(crowd)
    }

    /// Connects more of them.
    pub(super) async fn join(&mut self, endpoint: &TerminalEndpoint, places: Range<u32>) -> anyhow::Result<()> {
        let (tasks, task) = watch::channel(TerminalTask::Idle);
        self.groups.push(TerminalGroup { tasks, size: places.len() });
        let (endpoint, boxes) = (Arc::new(endpoint.clone()), boxes()?);
        let mut connecting = JoinSet::new();
        for place in places {
            if connecting.len() == AT_ONCE {
                connected(connecting.join_next().await)?;
            }
            let (endpoint, boxes, task) = (Arc::clone(&endpoint), Arc::clone(&boxes), task.clone());
            let (counts, report_sender) = (Arc::clone(&self.counts), self.report_sender.clone());
            connecting.spawn(async move {
                let terminal = LoadTerminal::connect(&endpoint, place).await?;
                tokio::spawn(terminal.live(boxes, task, counts, report_sender));
                Ok(())
            });
        }
        while !connecting.is_empty() {
            connected(connecting.join_next().await)?;
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.groups.iter().map(|group| group.size).sum()
    }

    fn set_task(&self, task: TerminalTask) {
        for group in &self.groups {
            group.tasks.send_replace(task);
        }
    }

    /// The next report that is no failure.
    async fn next(&mut self) -> anyhow::Result<TerminalReport> {
        match timeout(PATIENCE, self.reports.recv()).await.context("the terminals receive nothing")? {
            Some(TerminalReport::Failed(error)) => Err(error.context("a terminal cannot go on")),
            Some(report) => Ok(report),
            None => bail!("the terminals have gone"),
        }
    }

    /// Everyone puts money in.
    pub(super) async fn buy_in(&mut self) -> anyhow::Result<()> {
        self.set_task(TerminalTask::BuyIn);
        let mut left = self.size();
        while left > 0 {
            left -= usize::from(matches!(self.next().await?, TerminalReport::BoughtIn));
        }
        self.set_task(TerminalTask::Idle);
        Ok(())
    }

    /// Runs a load, and what came of it once it was running.
    pub(super) async fn run(&mut self, load: LoadPattern, lasts: Duration) -> anyhow::Result<LoadResult> {
        let [begun, ..] = self.counted();
        let mut left = self.begin(load);
        tokio::time::sleep(WARM_UP).await;
        let before = self.counted();
        let start = Instant::now();
        tokio::time::sleep(lasts).await;
        let (after, lasted) = (self.counted(), start.elapsed());
        self.set_task(TerminalTask::Idle);
        let mut taken = Vec::new();
        while left > 0 {
            if let TerminalReport::Answered(times) = self.next().await? {
                taken.extend(times);
                left -= 1;
            }
        }
        let [bets, answers, answer_bytes] = std::array::from_fn(|place| after[place] - before[place]);
        if bets == 0 {
            bail!("nobody was answered");
        }
        let [ended, ..] = self.counted();
        Ok(LoadResult { all: ended - begun, bets, answers, answer_bytes, lasted, taken })
    }

    /// Begins a load, and how many take part.
    fn begin(&self, load: LoadPattern) -> usize {
        let (groups, task) = match load {
            LoadPattern::Closed { bets } => (&self.groups[..], TerminalTask::Closed { bets }),
            LoadPattern::Few { bets } => (&self.groups[..1], TerminalTask::Closed { bets }),
            LoadPattern::Paced { bets_a_second } => {
                let each = f64::from(u32::try_from(self.size()).unwrap_or(u32::MAX)) / bets_a_second;
                (&self.groups[..], TerminalTask::Paced { from: Instant::now(), every: Duration::from_secs_f64(each) })
            }
        };
        for group in groups {
            group.tasks.send_replace(task);
        }
        groups.iter().map(|group| group.size).sum()
    }

    fn counted(&self) -> [u64; 3] {
        let CrowdCounts { bets, answers, answer_bytes } = &*self.counts;
        [bets, answers, answer_bytes].map(|count| count.load(Ordering::Relaxed))
    }

    /// Everyone listens for the dice from now on.
    pub(super) async fn listen(&mut self) -> anyhow::Result<()> {
        self.set_task(TerminalTask::Listen);
        let mut left = self.size();
        while left > 0 {
            left -= usize::from(matches!(self.next().await?, TerminalReport::Listens));
        }
        Ok(())
    }

    /// Waits until every terminal has received the dice.
    pub(super) async fn wait_for_dice(&mut self) -> anyhow::Result<LastReceived> {
        let (mut last, mut first_message) = (None, None);
        let mut left = self.size();
        while left > 0 {
            if let TerminalReport::LastReceived(at, message) = self.next().await? {
                left -= 1;
                last = last.max(Some(at));
                first_message = first_message.or(message);
            }
        }
        // Each has stopped listening by itself. Sending `Idle` now could overtake the next `Listen`.
        Ok(LastReceived {
            last: last.context("there are no terminals")?,
            message: first_message.context("the first terminal has received nothing")?,
        })
    }
}

fn connected(joined: Option<Result<anyhow::Result<()>, tokio::task::JoinError>>) -> anyhow::Result<()> {
    joined.context("nobody connects")??.context("a terminal cannot connect")
}

/// The boxes that are bet on.
fn boxes() -> anyhow::Result<Arc<[String]>> {
    let games = Games::embedded();
    let layout = games.find("sic-bo-etg", None)?.layout("B")?;
    Ok(layout.boxes().iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use taisai_journal::suite::HANG_LIMIT;

    use super::super::rival::tests::start;
    use super::*;

    const SHORT: Duration = Duration::from_millis(300);

    /// Runs a load. On a machine that stands still nobody may be answered in so short a time: then it is run again.
    async fn run(crowd: &mut TerminalCrowd, load: LoadPattern) -> LoadResult {
        let begun = Instant::now();
        loop {
            match crowd.run(load, SHORT).await {
                Ok(measured) => return measured,
                Err(error) => assert!(begun.elapsed() < HANG_LIMIT, "{error:#}"),
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_crowd_bets_against_the_echo_server() {
        let rival = start().await;
        let mut crowd = TerminalCrowd::connect(&rival.echo(500), 0..70).await.unwrap();
        let begun = Instant::now();
        let mut paced = run(&mut crowd, LoadPattern::Paced { bets_a_second: 700.0 }).await;
        // However slow the machine is, nobody bets ahead of the pace: it begins with one bet each.
        let due = 70.0 + 700.0 * begun.elapsed().as_secs_f64();
        assert!(paced.bets > 0 && f64::from(u32::try_from(paced.all).unwrap()) <= due, "{} {due}", paced.all);
        assert!(paced.p99() > Duration::ZERO);
        crowd.join(&rival.echo(500), 70..80).await.unwrap();
        assert_eq!(crowd.size(), 80);
        run(&mut crowd, LoadPattern::Closed { bets: 1 }).await;
        let [bets, answers, bytes] = crowd.counted();
        // What one load leaves open, one message of each, may be answered while it is counted, or in the next.
        assert!(bets.abs_diff(answers) <= 80 && (400..600).contains(&(bytes / answers)), "{bets} {answers} {bytes}");
        run(&mut crowd, LoadPattern::Few { bets: 100 }).await;
        let [all, all_answers, _] = crowd.counted();
        let (bets, answers) = (all - bets, all_answers - answers);
        assert!(bets <= (answers + 80) * 100 && answers * 100 <= bets + 80 * 100, "{bets} {answers}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_crowd_receives_what_is_sent_to_everyone() {
        let rival = start().await;
        let mut crowd = TerminalCrowd::connect(&rival.everyone(), 0..100).await.unwrap();
        for _ in 0..2 {
            crowd.listen().await.unwrap();
            let message = r#"{"public":{"latest":{"dice":[1,2,3]}}}"#;
            let sent = rival.publish(message).await.unwrap();
            let received = crowd.wait_for_dice().await.unwrap();
            assert!(received.last > sent);
            assert_eq!(received.message, message);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_crowd_that_is_refused_fails() {
        let rival = start().await;
        let mut crowd = TerminalCrowd::connect(&rival.echo(100), 0..3).await.unwrap();
        let refused = crowd.buy_in().await.unwrap_err();
        assert!(format!("{refused:#}").contains("refused"), "{refused:#}");
    }
}

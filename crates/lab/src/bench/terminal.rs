//! One terminal of the load generator: a connection that is always read, and sends what the load asks of it.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;

use super::answers::{answers, shows_dice};
use crate::device::DeviceKey;
use crate::socket::ClientSocket;

/// A port can be used once for each address of this machine: so many connections come from one.
const FROM_ONE: u32 = 20_000;

/// Where terminals connect.
#[derive(Clone)]
pub(super) struct TerminalEndpoint {
    pub(super) address: SocketAddr,
    pub(super) authority: String,
    pub(super) path: String,
    /// The devices, by their seats; none where nothing has to be proved.
    pub(super) devices: Vec<DeviceKey>,
    /// Whether the other end speaks first.
    pub(super) greets: bool,
}

/// What every terminal is to do now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TerminalTask {
    /// Nothing.
    Idle,
    /// Put money in, once.
    BuyIn,
    /// Send the next message when the last is answered.
    Closed { bets: u32 },
    /// Send one bet each at an interval, the terminals shifted against each other.
    Paced { from: Instant, every: Duration },
    /// Tell when dice are shown, once.
    Listen,
}

/// What a terminal has to tell.
#[derive(Debug)]
pub(super) enum TerminalReport {
    /// The times from what was due to its answer, once a load is over.
    Answered(Vec<Duration>),
    /// The money is in.
    BoughtIn,
    /// It listens for the dice.
    Listens,
    /// Dice were shown, in this message if it is the first of the terminals.
    LastReceived(Instant, Option<String>),
    /// It cannot go on.
    Failed(anyhow::Error),
}

/// What the whole crowd has done.
#[derive(Debug, Default)]
pub(super) struct CrowdCounts {
    pub(super) bets: AtomicU64,
    pub(super) answers: AtomicU64,
    pub(super) answer_bytes: AtomicU64,
}

/// A terminal, connected.
pub(super) struct LoadTerminal {
    socket: ClientSocket,
    /// Its place among the terminals, and its seat.
    place: u32,
    seat: u64,
    sequence: u64,
    /// The last number of each message without its answer, how many bets it has, and when it was due.
    open: VecDeque<(u64, u32, Instant)>,
    taken: Vec<Duration>,
}

impl LoadTerminal {
    /// Connects, proves itself and reads what it is shown first.
    pub(super) async fn connect(endpoint: &TerminalEndpoint, place: u32) -> anyhow::Result<Self> {
        let last = u8::try_from(2 + place / FROM_ONE).context("there are too many terminals")?;
        let from = IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
        let mut socket =
            ClientSocket::open_at(endpoint.address, &endpoint.authority, &endpoint.path, Some(from)).await?;
        let (mut seat, mut sequence) = (u64::from(place), 0);
        if !endpoint.devices.is_empty() {
            let device = usize::try_from(place).ok().and_then(|place| endpoint.devices.get(place));
            device.context("there are not so many devices")?.prove(&mut socket).await?;
        }
        if endpoint.greets {
            let snapshot = socket.next().await?.context("the other end closed the connection")?;
            if endpoint.devices.is_empty() {
                return Ok(Self::new(socket, place, seat, sequence));
            }
            let snapshot: serde_json::Value = serde_json::from_str(snapshot)?;
            let own = &snapshot["snapshot"]["seat"];
            seat = own["seat"].as_u64().with_context(|| format!("no seat is shown: {snapshot}"))?;
            sequence = own["sequence"].as_u64().unwrap_or(0);
        }
        Ok(Self::new(socket, place, seat, sequence))
    }

    pub(super) const fn seat(&self) -> u64 {
        self.seat
    }

    /// Reads until the casino ends the connection.
    pub(super) async fn ended(&mut self) {
        while let Ok(Some(_)) = self.socket.next().await {}
    }

    const fn new(socket: ClientSocket, place: u32, seat: u64, sequence: u64) -> Self {
        Self { socket, place, seat, sequence, open: VecDeque::new(), taken: Vec::new() }
    }

    /// Carries out tasks until their sender is dropped.
    pub(super) async fn live(
        mut self,
        boxes: Arc<[String]>,
        mut tasks: watch::Receiver<TerminalTask>,
        counts: Arc<CrowdCounts>,
        reports: mpsc::UnboundedSender<TerminalReport>,
    ) {
        if let Err(error) = self.run(&boxes, &mut tasks, &counts, &reports).await {
            // Nobody may listen any more.
            reports.send(TerminalReport::Failed(error)).unwrap_or_default();
        }
    }

    async fn run(
        &mut self,
        boxes: &[String],
        tasks: &mut watch::Receiver<TerminalTask>,
        counts: &CrowdCounts,
        reports: &mpsc::UnboundedSender<TerminalReport>,
    ) -> anyhow::Result<()> {
        // A task set since it connected counts as a change.
        let mut task = TerminalTask::Idle;
        let mut due = self.first_due(task);
        let mut wait = pin!(sleep_until(Instant::now().into()));
        loop {
            if let (TerminalTask::Closed { bets }, true) = (task, self.open.is_empty()) {
                self.bet(boxes, bets, Instant::now()).await?;
            }
            tokio::select! {
                changed = tasks.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let before = std::mem::replace(&mut task, *tasks.borrow_and_update());
                    if matches!(before, TerminalTask::Closed { .. } | TerminalTask::Paced { .. }) {
                        // What was not answered has taken at least this long.
                        self.taken.extend(self.open.iter().map(|(.., due)| due.elapsed()));
                        reports.send(TerminalReport::Answered(std::mem::take(&mut self.taken))).unwrap_or_default();
                    }
                    self.taken.clear();
                    due = self.first_due(task);
                    if let Some((at, _)) = due {
                        wait.as_mut().reset(at.into());
                    }
                    if task == TerminalTask::BuyIn {
                        self.buy_in().await?;
                    }
                    if task == TerminalTask::Listen {
                        reports.send(TerminalReport::Listens).unwrap_or_default();
                    }
                }
                message = self.socket.next() => {
                    let message = message?.context("the other end closed the connection")?;
                    if task == TerminalTask::Listen && shows_dice(message) {
                        let at = Instant::now();
                        reports.send(TerminalReport::LastReceived(at, (self.place == 0).then(|| message.to_owned()))).unwrap_or_default();
                        task = TerminalTask::Idle;
                    }
                    let is_last = count_answers(message, &mut self.open, &mut self.taken, counts)?;
                    if task == TerminalTask::BuyIn && is_last {
                        reports.send(TerminalReport::BoughtIn).unwrap_or_default();
                        task = TerminalTask::Idle;
                    }
                }
                () = &mut wait, if due.is_some() => {
                    if let Some((at, every)) = due {
                        self.bet(boxes, 1, at).await?;
                        due = Some((at + every, every));
                        wait.as_mut().reset((at + every).into());
                    }
                }
            }
        }
    }

    /// When the first paced bet of this terminal is due, and how long after it the next.
    fn first_due(&self, task: TerminalTask) -> Option<(Instant, Duration)> {
        match task {
            // By the golden ratio they are spread evenly, however many they are.
            TerminalTask::Paced { from, every } => {
                let share = u64::from(self.place.wrapping_mul(2_654_435_769));
                let nanos = u64::try_from(every.as_nanos()).unwrap_or(u64::MAX);
                let shift = u128::from(nanos) * u128::from(share) / (1 << 32);
                Some((from + Duration::from_nanos(u64::try_from(shift).unwrap_or(0)), every))
            }
            TerminalTask::Idle | TerminalTask::BuyIn | TerminalTask::Closed { .. } | TerminalTask::Listen => None,
        }
    }

    async fn buy_in(&mut self) -> anyhow::Result<()> {
        self.sequence += 1;
        self.open.push_back((self.sequence, 0, Instant::now()));
        let sequence = self.sequence;
        let buy_in = format!(
            "{{\"commands\":[{{\"sequence\":{sequence},\"command\":{{\"insert-note\":{{\"amount\":{CREDITS}}}}}}}]}}"
        );
        Ok(self.socket.send(&buy_in).await?)
    }

    async fn bet(&mut self, boxes: &[String], bets: u32, due: Instant) -> anyhow::Result<()> {
        let message = bets_of(self.seat, &mut self.sequence, boxes, bets);
        self.open.push_back((self.sequence, bets, due));
        Ok(self.socket.send(&message).await?)
    }
}

/// The note that each player puts in: enough for forty million bets.
pub(super) const CREDITS: u32 = 4_000_000_000;
const STAKE: u64 = 100;

/// A message with bets: each command has a box of the layout at most once, and there are as many commands as that takes.
fn bets_of(seat: u64, sequence: &mut u64, boxes: &[String], bets: u32) -> String {
    use std::fmt::Write as _;
    let mut left = usize::try_from(bets).unwrap_or(usize::MAX);
    let mut message = String::with_capacity(120 + 40 * left);
    message.push_str("{\"commands\":[");
    while left > 0 {
        *sequence += 1;
        let head = if message.ends_with('[') { "" } else { "," };
        write!(
            message,
            "{head}{{\"sequence\":{sequence},\"command\":{{\"place\":{{\"seat\":{seat},\"chips\":\"own\",\"stakes\":["
        )
        .expect("a text takes everything");
        let here = left.min(boxes.len());
        for (place, bet_box) in boxes[..here].iter().enumerate() {
            let head = if place == 0 { "" } else { "," };
            write!(message, "{head}{{\"box\":\"{bet_box}\",\"amount\":{STAKE}}}").expect("a text takes everything");
        }
        message.push_str("]}}}");
        left -= here;
    }
    message.push_str("]}");
    message
}

/// Takes in a message: whose answers came, and how long they took; whether the last of what was open is answered.
fn count_answers(
    message: &str,
    open: &mut VecDeque<(u64, u32, Instant)>,
    taken: &mut Vec<Duration>,
    counts: &CrowdCounts,
) -> anyhow::Result<bool> {
    let mut is_last = false;
    for (sequence, is_accepted) in answers(message) {
        if !is_accepted {
            bail!("a bet was refused: {message}");
        }
        while let Some((_, bets, due)) = open.pop_front_if(|(last, ..)| *last <= sequence) {
            taken.push(due.elapsed());
            counts.bets.fetch_add(u64::from(bets), Ordering::Relaxed);
            counts.answers.fetch_add(1, Ordering::Relaxed);
            counts.answer_bytes.fetch_add(u64::try_from(message.len())?, Ordering::Relaxed);
            is_last = open.is_empty();
        }
    }
    Ok(is_last)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn messages_hold_as_many_bets_as_asked_and_no_box_twice_in_a_command() {
        let boxes: Vec<String> = ["big", "small", "sum:9"].map(str::to_owned).into();
        for (bets, commands) in [(1, vec![1]), (3, vec![3]), (8, vec![3, 3, 2])] {
            let mut sequence = 10;
            let message: Value = serde_json::from_str(&bets_of(3, &mut sequence, &boxes, bets)).unwrap();
            let sent = message["commands"].as_array().unwrap();
            let stakes = |command: &Value| command["command"]["place"]["stakes"].as_array().unwrap().len();
            assert_eq!(sent.iter().map(stakes).collect::<Vec<_>>(), commands);
            assert_eq!(sequence, 10 + u64::try_from(commands.len()).unwrap());
            assert_eq!(sent.last().unwrap()["sequence"], sequence);
            for command in sent {
                let read = serde_json::from_value::<taisai_table::ClusterCommand>(command["command"].clone());
                assert!(matches!(read, Ok(taisai_table::ClusterCommand::Place { .. })), "{command}");
            }
        }
    }

    #[test]
    fn answers_close_what_is_open_and_a_refusal_ends_it() {
        let now = Instant::now();
        let mut open = VecDeque::from([(2, 100, now), (3, 1, now)]);
        let (mut taken, counts) = (Vec::new(), CrowdCounts::default());
        let answer =
            |sequence: u64| format!(r#"{{"answers":[{{"sequence":{sequence},"answer":{{"accepted":null}}}}]}}"#);
        assert!(!count_answers(&answer(1), &mut open, &mut taken, &counts).unwrap(), "a part of a message");
        assert_eq!(open.len(), 2);
        assert!(!count_answers(&answer(2), &mut open, &mut taken, &counts).unwrap());
        assert!(count_answers(&answer(3), &mut open, &mut taken, &counts).unwrap());
        assert_eq!((counts.bets.into_inner(), taken.len()), (101, 2));
        let refused = r#"{"answers":[{"sequence":4,"answer":{"refused":{"code":"held"}}}]}"#;
        assert!(count_answers(refused, &mut open, &mut taken, &CrowdCounts::default()).is_err());
    }
}

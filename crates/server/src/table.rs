//! A running table: one thread that owns its dealer's side and its players' sides. It takes what has come, puts each command
//! before its machine, carries notices between them, and lets go of what may leave when the record holds it. While a block is
//! being flushed the next commands are decided.

mod carry;
mod door;
mod health;
mod mail;
mod reported;
mod shown;
mod view;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use taisai_record::Recorder;
use taisai_rules::Station;
use taisai_table::{
    Actor, Asked, Closes, Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandId, Decision, Message, Phase,
    Profile, Round, RoundCommand, RoundEvent, RoundNumber, Seat, Slip, Verdict,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use carry::Spoken;
pub(crate) use door::TableDoor;
pub(crate) use health::AtCluster;
pub(crate) use mail::TableMail;
use shown::SeatLine;
use view::Shown;
pub(crate) use view::{PublicView, StaffView, is_lit};
#[cfg(test)]
pub(crate) use view::{SeatChange, Snapshot};

use crate::clock::{Clock, OwnIds, Sources};
use crate::leaving::{Answer, Answered, Reply, Said, Voice};
use crate::metrics::TableMetrics;
use crate::stopped::Stopped;

/// So much mail may wait: whoever sends more waits too.
pub(crate) const MAILBOX: usize = 4_096;

/// So much is decided before it is handed over.
const AT_ONCE: usize = 1_024;

/// So often it is handed over ahead of what is durable: once to be flushed, and once to be flushed next. What comes meanwhile is
/// taken together afterwards, as each flush has its price.
const AHEAD: usize = 2;

/// A terminal that is not there so long after the table has started is lost.
const BACK: Duration = Duration::from_millis(1_900);

/// The House holds what it was posted long before that, unless it has moved to another node.
const POST_AGAIN: Duration = Duration::from_secs(1);

/// Clusters that run elsewhere hold what has happened long before that, unless their node is gone.
const HOLDS: Duration = Duration::from_secs(2);

/// A terminal whose commands are refused so often in one round is cut off, as its refusals fill the record.
const MOST_REFUSALS: u32 = 1_000;

/// Where the slip of a round that is over is read.
pub(crate) trait Archivist: Send {
    /// Has it read; it comes by mail.
    fn ask(&self, cluster: ClusterId, round: RoundNumber);
}

/// The dealer's side of a table.
pub(crate) enum RoundSide {
    /// It runs here.
    Own(Box<Recorder<Round>>),
    /// It runs elsewhere, and is read from its record: the one cluster that runs here follows it.
    Followed(Box<Round>),
}

impl RoundSide {
    pub(crate) const fn machine(&self) -> &Round {
        match self {
            Self::Own(round) => round.machine(),
            Self::Followed(round) => round,
        }
    }

    /// The dealer's side, where it runs here.
    const fn own(&mut self) -> Option<&mut Recorder<Round>> {
        match self {
            Self::Own(round) => Some(round),
            Self::Followed(_) => None,
        }
    }

    const fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

/// What a table is run with: all of it, or its dealer's side alone, or one cluster alone.
pub(crate) struct Parts {
    pub(crate) round: RoundSide,
    pub(crate) clusters: Vec<Recorder<Cluster>>,
    pub(crate) profile: Arc<Profile>,
    pub(crate) clock: Clock,
    pub(crate) voice: Voice,
    pub(crate) archivist: Box<dyn Archivist>,
    /// Has a cluster that runs elsewhere, and is silent, given to another node.
    pub(crate) fence: Box<dyn Fn(ClusterId) + Send>,
    pub(crate) metrics: TableMetrics,
}

/// A table with its machines.
pub(crate) struct RunningTable {
    parts: Parts,
    ids: OwnIds,
    seats: Vec<Vec<SeatLine>>,
    /// Seats that are to be told something, each once.
    told: Vec<(u16, Seat)>,
    said: Vec<Said>,
    slips: BTreeMap<(u16, RoundNumber), Slip>,
    /// The slips that are being read, since when.
    reading: BTreeMap<(u16, RoundNumber), Instant>,
    /// The transfers that were posted to the House since the table runs, by cluster.
    posted: Vec<u64>,
    /// The round whose result came or changed last.
    latest: Option<RoundNumber>,
    /// The phase when everything was last handed over.
    phase: Phase,
    /// What this cluster, alone here, has last told the dealer's side.
    told_round: Spoken,
    /// What is known of clusters that run elsewhere, by their numbers, and since when.
    elsewhere: BTreeMap<u16, (Instant, AtCluster)>,
    /// The sources that have used an id again since the last round was over: each is reported once.
    reusing: BTreeSet<u64>,
    /// Whether a round that is over has come to stand otherwise since the last checkpoint.
    is_changed: bool,
    shown: Shown<PublicView>,
    shown_to_staff: Shown<StaffView>,
    /// When the staff may be shown something again, if there may be something.
    staff_due: Option<Instant>,
    /// When terminals that have not come back are lost.
    back_until: Option<Instant>,
    /// What the dealer's side is asked between rounds, until clusters that run elsewhere hold what has happened so far; each with
    /// the time until which it waits.
    waiting: VecDeque<(Instant, TableMail)>,
    /// When clusters that do not hold the close by then are given to another node.
    silent_at: Option<Instant>,
    /// When transfers that the House does not hold by then are posted again.
    post_again: Option<Instant>,
    /// Whether another node takes the table once its round is over.
    departs: bool,
}

impl RunningTable {
    pub(crate) fn new(parts: Parts, sources: &Sources) -> Self {
        let of_cluster = |cluster: &Recorder<Cluster>| cluster.machine().seats().map(|_| SeatLine::default()).collect();
        let seats = parts.clusters.iter().map(of_cluster).collect();
        let round = parts.round.machine();
        let phase = round.phase();
        let latest = (1..=round.number().0).rev().map(RoundNumber).find(|number| round.past(*number).is_some());
        let public = PublicView::of(round, latest);
        let staff = StaffView::of(round, &parts.clusters, &[], |_, _| false);
        let back_until = has_terminals(round).then(|| Instant::now() + BACK);
        Self {
            posted: vec![0; parts.clusters.len()],
            ids: OwnIds::new(sources),
            seats,
            told: Vec::new(),
            said: Vec::new(),
            slips: BTreeMap::new(),
            reading: BTreeMap::new(),
            latest,
            phase,
            told_round: Spoken::default(),
            elsewhere: BTreeMap::new(),
            reusing: BTreeSet::new(),
            is_changed: false,
            shown: Shown::new(public),
            shown_to_staff: Shown::new(staff),
            staff_due: None,
            back_until,
            waiting: VecDeque::new(),
            silent_at: None,
            post_again: None,
            departs: false,
            parts,
        }
    }

    /// The dealer's side as it stands.
    pub(crate) const fn round(&self) -> &Round {
        self.parts.round.machine()
    }

    /// A players' side as it stands, if it runs here.
    pub(crate) fn cluster(&self, number: u16) -> Option<&Cluster> {
        self.place(number).and_then(|place| self.parts.clusters.get(place)).map(Recorder::machine)
    }

    /// Where a cluster stands among those that run here: they are numbered without gaps.
    fn place(&self, number: u16) -> Option<usize> {
        let first = self.parts.clusters.first()?.machine().id().number;
        number.checked_sub(first).map(usize::from)
    }

    /// Every players' side.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.parts.clusters.iter().map(Recorder::machine)
    }

    /// The profile that it is played by.
    #[cfg(test)]
    pub(crate) fn profile(&self) -> &Profile {
        &self.parts.profile
    }

    /// Whether bets are placed at terminals, or with chips on the layout.
    pub(crate) fn has_terminals(&self) -> bool {
        has_terminals(self.round())
    }

    /// Runs until nobody can send it mail any more, or the record takes nothing more.
    pub(crate) async fn run(mut self, mut mailbox: mpsc::Receiver<TableMail>) -> Result<(), Stopped> {
        self.check()?;
        if self.parts.round.is_own() {
            self.ask_round(Actor::System, None, RoundCommand::Restarted);
        }
        let ahead = Arc::new(Semaphore::new(AHEAD));
        self.hand_over(room(&ahead).await)?;
        let mut mail = Vec::with_capacity(AT_ONCE);
        loop {
            let room = room(&ahead).await;
            let closes = self.deadline();
            let waits = self.waiting.front().map(|(until, _)| *until);
            let look = self.told_round.look;
            let timers = [closes, self.staff_due, self.back_until, self.post_again, self.silent_at, waits, look];
            let next = timers.into_iter().flatten().min();
            let taken = tokio::select! {
                biased;
                taken = mailbox.recv_many(&mut mail, AT_ONCE) => Some(taken),
                () = tokio::time::sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => None,
            };
            if taken == Some(0) {
                return Ok(());
            }
            let now = Instant::now();
            for letter in mail.drain(..) {
                if matches!(letter, TableMail::Round { .. }) && (self.is_behind() || !self.waiting.is_empty()) {
                    self.waiting.push_back((now + HOLDS, letter));
                } else {
                    self.take(letter);
                }
            }
            self.take_waiting(now);
            if closes.is_some_and(|closes| closes <= now) {
                self.ask_round(Actor::System, None, RoundCommand::Tick);
            }
            if self.back_until.is_some_and(|until| until <= now) {
                self.back_until = None;
                self.lose_absent();
            }
            if self.post_again.is_some_and(|again| again <= now) {
                self.post_again = None;
                self.posted.fill(0);
            }
            self.hand_over(room)?;
            self.fence_silent(now);
            if self.departs && !in_play(self.round().phase()) {
                return Ok(());
            }
        }
    }

    /// When betting ends by itself.
    fn deadline(&self) -> Option<Instant> {
        if !self.parts.round.is_own() {
            return None;
        }
        let round = self.round();
        let closes_by_itself =
            self.parts.profile.closes == Closes::Tick && round.phase() == Phase::Open && !round.is_held();
        let closes_at = round.closes_at().filter(|_| closes_by_itself)?;
        Some(self.parts.clock.at(closes_at).into())
    }

    /// Whether clusters that run elsewhere do not hold all that has happened until now, between two rounds.
    fn is_behind(&self) -> bool {
        let round = self.round();
        self.parts.round.is_own() && self.parts.clusters.is_empty() && !in_play(round.phase()) && !round.is_followed()
    }

    /// Takes what has waited long enough, in order.
    fn take_waiting(&mut self, now: Instant) {
        while let Some((until, _)) = self.waiting.front()
            && (*until <= now || !self.is_behind())
            && let Some((_, letter)) = self.waiting.pop_front()
        {
            self.take(letter);
        }
    }

    /// A round is closed when every cluster's chain holds the close (5.2): one that does not in time is given to another node, which
    /// follows, and what its holder writes from then on is refused.
    fn fence_silent(&mut self, now: Instant) {
        if !self.parts.round.is_own() || self.round().phase() != Phase::Closing {
            self.silent_at = None;
            return;
        }
        let patience = Duration::from_secs(self.parts.profile.silent_seconds.into());
        let silent_at = *self.silent_at.get_or_insert(now + patience);
        if silent_at > now {
            return;
        }
        self.silent_at = Some(now + patience);
        for cluster in self.round().clusters().filter(|cluster| self.round().notices(*cluster).next().is_some()) {
            (self.parts.fence)(cluster);
        }
    }

    fn take(&mut self, letter: TableMail) {
        match letter {
            TableMail::Round { actor, id, command, reply } => {
                if let Some(decision) = self.ask_round(actor, Some(id), command) {
                    self.answer(&decision, reply, None);
                }
            }
            TableMail::Message(message) => self.receive(&message),
            TableMail::AtCluster { cluster, at_cluster } => {
                self.elsewhere.insert(cluster, (Instant::now(), at_cluster));
            }
            TableMail::Followed(round) => {
                if let RoundSide::Followed(before) = &mut self.parts.round {
                    *before = round;
                }
            }
            TableMail::Cluster { cluster, actor, id, command, reply } => {
                let (about, asking) = (seat_of(&command), seat_asking(actor));
                let Some(decision) = self.ask_cluster(cluster, actor, Some(id), command) else {
                    return self.answer(&Decision::Refused(taisai_table::Refusal::UnknownSeat), reply, None);
                };
                for seat in about.into_iter().chain(asking) {
                    self.tell(cluster, seat);
                }
                self.answer(&decision, reply, asking.map(|seat| (cluster, seat)));
            }
            TableMail::Sit { cluster, seat, counted, money, line } => self.sit((cluster, seat), counted, money, line),
            TableMail::SeatMoney { cluster, seat, money } => self.money_changed(cluster, seat, money),
            TableMail::Gone { cluster, seat, line } => self.gone(cluster, seat, &line),
            TableMail::Follow { topics, counted, line } => self.follow(line, counted, topics),
            TableMail::Look(look) => self.said.push(Said::Then(look(self))),
            TableMail::Slip { cluster, round, slip } => {
                if let Some(slip) = slip {
                    self.reading.remove(&(cluster, round));
                    self.slips.insert((cluster, round), slip);
                }
            }
            TableMail::DamagedSet { dice_set } => {
                self.ask_round(Actor::System, None, RoundCommand::DamagedSet { dice_set });
            }
            TableMail::Depart => self.departs = true,
        }
    }

    fn receive(&mut self, message: &Message) {
        let number = message.cluster().number;
        match *message {
            Message::Followed { cluster, followed, colour_chips, is_registered } => {
                if self.parts.round.is_own()
                    && self.round().reported(cluster) != Some((followed, colour_chips, is_registered))
                {
                    let report = RoundCommand::Report { cluster, followed, colour_chips, is_registered };
                    self.ask_round(Actor::System, None, report);
                }
            }
            Message::ToCluster { cluster, transfer } => {
                let Some(received) = self.cluster(number).map(Cluster::received) else { return };
                if transfer.number > received {
                    self.ask_cluster(number, Actor::System, None, ClusterCommand::Receive { transfer });
                    self.tell_of(number, &transfer);
                }
                // A cluster acknowledges a transfer only once it holds it; a refused transfer is retried.
                if self.cluster(number).is_some_and(|cluster| cluster.received() >= transfer.number) {
                    self.said.push(Said::Send(Message::ClusterHolds { cluster, number: transfer.number }));
                }
            }
            Message::HouseHolds { number: held, .. } => {
                let first = self.cluster(number).and_then(|cluster| cluster.outbox().next());
                if first.is_some_and(|first| first.number == held) {
                    self.ask_cluster(number, Actor::System, None, ClusterCommand::Delivered { number: held });
                }
            }
            // A cluster elsewhere follows the record of its round; the others are for the House.
            Message::Notice { .. } | Message::ToHouse { .. } | Message::ClusterHolds { .. } => {}
        }
    }

    /// Asks the dealer's side, under an id of the house's own where none is given; nothing where it runs elsewhere.
    fn ask_round(&mut self, actor: Actor, id: Option<CommandId>, command: RoundCommand) -> Option<Decision<()>> {
        let id = id.unwrap_or_else(|| self.ids.next());
        let number = self.round().number();
        let asked = Asked { time: self.parts.clock.now(), actor, id, command };
        Some(match self.parts.round.own()?.ask(asked) {
            Decision::Accepted(event) => {
                self.is_changed |= matches!(
                    event,
                    RoundEvent::Corrected { .. }
                        | RoundEvent::RoundsVoided { .. }
                        | RoundEvent::Ruled { .. }
                        | RoundEvent::Witnessed { .. }
                );
                self.report_round(number, &event);
                Decision::Accepted(())
            }
            Decision::Refused(refusal) => {
                self.refused(refusal, id);
                Decision::Refused(refusal)
            }
            Decision::Repeated(verdict) => Decision::Repeated(verdict),
        })
    }

    /// Asks a players' side; nothing where there is none of that number.
    fn ask_cluster(
        &mut self,
        cluster: u16,
        actor: Actor,
        id: Option<CommandId>,
        command: ClusterCommand,
    ) -> Option<Decision<()>> {
        let place = self.place(cluster)?;
        let machine = self.parts.clusters.get_mut(place)?;
        let id = id.unwrap_or_else(|| self.ids.next());
        let bets = bets_in(&command);
        let at = machine.machine().id();
        let report = reported::of_cluster(at, &command);
        let seat = reported::stacker_seat(machine.machine(), &command);
        let stacker = seat.map(|seat| (seat, command.clone()));
        let told = match &command {
            ClusterCommand::ReverseBuyIn { seat, .. } | ClusterCommand::Read { seat, .. } => {
                Some((*seat, command.clone()))
            }
            _ => None,
        };
        let asked = Asked { time: self.parts.clock.now(), actor, id, command };
        Some(match machine.ask(asked) {
            Decision::Accepted(event) => {
                let round = machine.machine().round();
                let differs = stacker.and_then(|(seat, command)| reported::stacker(at, seat, &command, &event));
                self.report(differs);
                self.parts.metrics.bets.inc_by(bets);
                self.report(report);
                self.report_over_differential(round, &event);
                if let Some((seat, command)) = told {
                    self.report(reported::reversed(at, &command, &event));
                    self.show_messages(cluster, seat);
                }
                if let ClusterEvent::Compensated { adjustments } = event {
                    self.is_changed = true;
                    for adjustment in adjustments {
                        self.show_messages(cluster, adjustment.seat);
                    }
                }
                Decision::Accepted(())
            }
            Decision::Refused(refusal) => {
                self.refused(refusal, id);
                Decision::Refused(refusal)
            }
            Decision::Repeated(verdict) => Decision::Repeated(verdict),
        })
    }

    fn answer(&mut self, decision: &Decision<()>, reply: Reply, seat: Option<(u16, Seat)>) {
        let (verdict, is_repeated) = match *decision {
            Decision::Accepted(()) => (Verdict::Accepted, false),
            Decision::Refused(refusal) => (Verdict::Refused(refusal), false),
            Decision::Repeated(verdict) => (verdict, true),
        };
        let game = self.round().rules().game();
        let answer = Answer::new(verdict, |refusal| refusal.paragraphs(game).iter().map(ToString::to_string).collect());
        match (reply, seat) {
            (Reply::Seat(sequence), Some((cluster, seat))) => {
                let is_too_much = matches!(verdict, Verdict::Refused(_))
                    && self.cluster(cluster).is_some_and(|cluster| cluster.seat_refusals(seat) > MOST_REFUSALS);
                let Some(line) = self.seat_line(cluster, seat) else { return };
                if is_too_much && let Some(line) = &line.line {
                    line.cut();
                }
                line.answers.push(Answered { sequence, answer });
            }
            (reply, _) => self.said.extend(reply.with(answer, is_repeated)),
        }
    }

    fn seat_line(&mut self, cluster: u16, seat: Seat) -> Option<&mut SeatLine> {
        let place = self.place(cluster)?;
        self.seats.get_mut(place)?.get_mut(usize::try_from(seat.0).ok()?)
    }
}

/// Waits until something may be handed over.
async fn room(ahead: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(ahead).acquire_owned().await.expect("it is never closed")
}

/// The seats that people sit at: they count from one.
pub(crate) fn places(cluster: &Cluster) -> impl Iterator<Item = Seat> + use<> {
    cluster.seats().skip(1)
}

/// Whether a round is in play: one that is over, or has not begun, may be left alone.
pub(crate) const fn in_play(phase: Phase) -> bool {
    match phase {
        Phase::Open | Phase::Closing | Phase::Closed | Phase::Result => true,
        Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void => false,
    }
}

fn has_terminals(round: &Round) -> bool {
    round.rules().game().station() == Station::PlayerTerminals
}

/// The seat whose terminal asks: it is answered there, whatever seat it asks about.
const fn seat_asking(actor: Actor) -> Option<Seat> {
    match actor {
        Actor::Terminal { seat, .. } => Some(seat),
        Actor::Person(_) | Actor::Tumbler(_) | Actor::System | Actor::NoteAcceptor { .. } | Actor::ChipReader(_) => {
            None
        }
    }
}

/// The seat that a command is about.
pub(crate) const fn seat_of(command: &ClusterCommand) -> Option<Seat> {
    match command {
        ClusterCommand::Place { seat, .. }
        | ClusterCommand::PlaceFor { seat, .. }
        | ClusterCommand::PlaceExcess { seat, .. }
        | ClusterCommand::Withdraw { seat, .. }
        | ClusterCommand::Clear { seat }
        | ClusterCommand::Repeat { seat }
        | ClusterCommand::Double { seat }
        | ClusterCommand::BuyIn { seat, .. }
        | ClusterCommand::ReverseBuyIn { seat, .. }
        | ClusterCommand::Read { seat, .. }
        | ClusterCommand::AcceptNote { seat, .. }
        | ClusterCommand::CountStacker { seat, .. }
        | ClusterCommand::IssueColour { seat, .. }
        | ClusterCommand::RedeemColour { seat }
        | ClusterCommand::CashOut { seat, .. }
        | ClusterCommand::Leave { seat }
        | ClusterCommand::WalkAway { seat }
        | ClusterCommand::Lost { seat }
        | ClusterCommand::Back { seat }
        | ClusterCommand::Register { seat, .. }
        | ClusterCommand::TickOff { seat, .. }
        | ClusterCommand::RegisterFromFilm { seat, .. }
        | ClusterCommand::ClearLock { seat } => Some(*seat),
        ClusterCommand::RejectExcess
        | ClusterCommand::TellTotal { .. }
        | ClusterCommand::AllRegistered
        | ClusterCommand::WithdrawFromFilm { .. }
        | ClusterCommand::CloseReturns { .. }
        | ClusterCommand::Advise { .. }
        | ClusterCommand::EmptyStacker { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => None,
    }
}

/// How many bets a command places, for the count.
fn bets_in(command: &ClusterCommand) -> u64 {
    match command {
        ClusterCommand::Place { stakes, .. }
        | ClusterCommand::PlaceFor { stakes, .. }
        | ClusterCommand::PlaceExcess { stakes, .. }
        | ClusterCommand::Register { stakes, .. } => u64::try_from(stakes.len()).unwrap_or(u64::MAX),
        ClusterCommand::Repeat { .. } | ClusterCommand::Double { .. } => 1,
        ClusterCommand::Withdraw { .. }
        | ClusterCommand::Clear { .. }
        | ClusterCommand::RejectExcess
        | ClusterCommand::Advise { .. }
        | ClusterCommand::TellTotal { .. }
        | ClusterCommand::AllRegistered
        | ClusterCommand::TickOff { .. }
        | ClusterCommand::RegisterFromFilm { .. }
        | ClusterCommand::WithdrawFromFilm { .. }
        | ClusterCommand::CloseReturns { .. }
        | ClusterCommand::BuyIn { .. }
        | ClusterCommand::ReverseBuyIn { .. }
        | ClusterCommand::Read { .. }
        | ClusterCommand::AcceptNote { .. }
        | ClusterCommand::CountStacker { .. }
        | ClusterCommand::EmptyStacker { .. }
        | ClusterCommand::IssueColour { .. }
        | ClusterCommand::RedeemColour { .. }
        | ClusterCommand::CashOut { .. }
        | ClusterCommand::Leave { .. }
        | ClusterCommand::WalkAway { .. }
        | ClusterCommand::Lost { .. }
        | ClusterCommand::Back { .. }
        | ClusterCommand::ClearLock { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => 0,
    }
}

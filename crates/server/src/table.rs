//! A running table: one thread that owns its dealer's side and its players' sides. It takes what has come, puts each command
//! before its machine, carries notices between them, and lets go of what may leave when the record holds it. While a block is
//! being flushed the next commands are decided.

mod door;
mod mail;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use taisai_record::Recorder;
use taisai_rules::Money;
use taisai_table::{
    Actor, Asked, Closes, Cluster, ClusterCommand, ClusterId, CommandId, Decision, Notice, Phase, Profile, Round,
    RoundCommand, RoundNumber, Seat, Slip, Transfer, Verdict,
};
use tokio::sync::mpsc;

pub(crate) use door::TableDoor;
pub(crate) use mail::TableMail;
use view::{PublicView, SeatView, StaffView};

use crate::clock::{Clock, OwnIds, Sources};
use crate::house::HouseMail;
use crate::leaving::{Answer, Answered, Leaving, Reply, Said, Topic, json};
use crate::line::Line;
use crate::stopped::Stopped;

/// So much mail may wait: whoever sends more waits too.
pub(crate) const MAILBOX: usize = 4_096;

/// So much is decided before it is handed over.
const AT_ONCE: usize = 1_024;

/// Where the slip of a round that is over is read.
pub(crate) trait Archivist: Send {
    /// Has it read; it comes by mail.
    fn ask(&self, cluster: ClusterId, round: RoundNumber);
}

/// A table with its machines.
pub(crate) struct RunningTable {
    pub(crate) round: Recorder<Round>,
    pub(crate) clusters: Vec<Recorder<Cluster>>,
    pub(crate) profile: Arc<Profile>,
    pub(crate) clock: Clock,
    pub(crate) ids: OwnIds,
    pub(crate) leaving: mpsc::UnboundedSender<Leaving>,
    pub(crate) archivist: Box<dyn Archivist>,
    seats: Vec<Vec<SeatLine>>,
    /// Seats that are to be told something, each once.
    told: Vec<(u16, Seat)>,
    said: Vec<Said>,
    slips: BTreeMap<(u16, RoundNumber), Slip>,
    /// The transfers that were posted to the House since the table runs, by cluster.
    posted: Vec<u64>,
    shown: PublicView,
    shown_to_staff: StaffView,
}

/// The line of a seat, and what it is to be told.
#[derive(Debug, Default)]
struct SeatLine {
    line: Option<Line>,
    answers: Vec<Answered>,
    is_told: bool,
}

impl RunningTable {
    pub(crate) fn new(
        round: Recorder<Round>,
        clusters: Vec<Recorder<Cluster>>,
        profile: Arc<Profile>,
        (clock, sources): (Clock, &Sources),
        leaving: mpsc::UnboundedSender<Leaving>,
        archivist: Box<dyn Archivist>,
    ) -> Self {
        let of_cluster = |cluster: &Recorder<Cluster>| cluster.machine().seats().map(|_| SeatLine::default()).collect();
        let seats = clusters.iter().map(of_cluster).collect();
        let (shown, shown_to_staff) = (PublicView::of(round.machine()), StaffView::of(round.machine(), &clusters));
        Self {
            posted: vec![0; clusters.len()],
            round,
            clusters,
            profile,
            clock,
            ids: OwnIds::new(sources),
            leaving,
            archivist,
            seats,
            told: Vec::new(),
            said: Vec::new(),
            slips: BTreeMap::new(),
            shown,
            shown_to_staff,
        }
    }

    /// Runs until nobody can send it mail any more, or the record takes nothing more.
    pub(crate) async fn run(mut self, mut mailbox: mpsc::Receiver<TableMail>) -> Result<(), Stopped> {
        self.ask_round(Actor::System, None, RoundCommand::Restarted);
        self.hand_over()?;
        let mut mail = Vec::with_capacity(AT_ONCE);
        loop {
            let deadline = self.deadline();
            let taken = tokio::select! {
                biased;
                taken = mailbox.recv_many(&mut mail, AT_ONCE) => taken,
                () = tokio::time::sleep_until(deadline.unwrap_or_else(tokio::time::Instant::now)), if deadline.is_some() => {
                    self.ask_round(Actor::System, None, RoundCommand::Tick);
                    self.hand_over()?;
                    continue;
                }
            };
            if taken == 0 {
                return Ok(());
            }
            for letter in mail.drain(..) {
                self.take(letter);
            }
            self.hand_over()?;
        }
    }

    /// When betting ends by itself.
    fn deadline(&self) -> Option<tokio::time::Instant> {
        let round = self.round.machine();
        let closes_by_itself = self.profile.closes == Closes::Tick && round.phase() == Phase::Open && !round.is_held();
        let closes_at = round.closes_at().filter(|_| closes_by_itself)?;
        Some(self.clock.at(closes_at).into())
    }

    fn take(&mut self, letter: TableMail) {
        match letter {
            TableMail::Round { actor, id, command, reply } => {
                let verdict = self.ask_round(actor, Some(id), command);
                self.answer(verdict, reply, None);
            }
            TableMail::Cluster { cluster, actor, id, command, reply } => {
                let seat = seat_of(&command);
                let verdict = self.ask_cluster(cluster, actor, Some(id), command);
                if let Some(seat) = seat {
                    self.tell(cluster, seat);
                }
                self.answer(verdict, reply, seat.map(|seat| (cluster, seat)));
            }
            TableMail::Sit { cluster, seat, line } => self.sit(cluster, seat, line),
            TableMail::Gone { cluster, seat, line } => self.gone(cluster, seat, &line),
            TableMail::Follow { topics, line } => self.follow(line, topics),
            TableMail::Receive { cluster, transfer } => {
                if transfer.number > self.cluster(cluster).received() {
                    self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Receive { transfer });
                    self.tell_of(cluster, &transfer);
                }
                let number = transfer.number;
                let cluster = self.cluster(cluster).id();
                self.said.push(Said::ToHouse(HouseMail::ClusterHolds { cluster, number }));
            }
            TableMail::HouseHolds { cluster, number } => {
                if self.cluster(cluster).outbox().next().is_some_and(|first| first.number == number) {
                    self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Delivered { number });
                }
            }
            TableMail::Look(look) => self.said.push(Said::Then(look(self))),
            TableMail::Slip { cluster, round, slip } => {
                self.slips.extend(slip.map(|slip| ((cluster, round), slip)));
            }
        }
    }

    fn cluster(&self, number: u16) -> &Cluster {
        self.clusters[usize::from(number)].machine()
    }

    /// Asks the dealer's side, under an id of the house's own where none is given.
    fn ask_round(&mut self, actor: Actor, id: Option<CommandId>, command: RoundCommand) -> Verdict {
        let id = id.unwrap_or_else(|| self.ids.next());
        self.round.ask(Asked { time: self.clock.now(), actor, id, command }).verdict()
    }

    fn ask_cluster(&mut self, cluster: u16, actor: Actor, id: Option<CommandId>, command: ClusterCommand) -> Verdict {
        let id = id.unwrap_or_else(|| self.ids.next());
        let asked = Asked { time: self.clock.now(), actor, id, command };
        match self.clusters[usize::from(cluster)].ask(asked) {
            Decision::Accepted(_) => Verdict::Accepted,
            Decision::Refused(refusal) => Verdict::Refused(refusal),
            Decision::Repeated(verdict) => verdict,
        }
    }

    fn answer(&mut self, verdict: Verdict, reply: Reply, seat: Option<(u16, Seat)>) {
        let game = self.round.machine().rules().game();
        let answer = Answer::new(verdict, |refusal| refusal.paragraphs(game).iter().map(ToString::to_string).collect());
        match (reply, seat) {
            (Reply::Seat(sequence), Some((cluster, seat))) => {
                if let Some(line) = self.seat_line(cluster, seat) {
                    line.answers.push(Answered { sequence, answer });
                }
            }
            (reply, _) => self.said.extend(reply.with(answer)),
        }
    }

    fn seat_line(&mut self, cluster: u16, seat: Seat) -> Option<&mut SeatLine> {
        self.seats[usize::from(cluster)].get_mut(usize::try_from(seat.0).ok()?)
    }
}

/// Screens.
impl RunningTable {
    fn sit(&mut self, cluster: u16, seat: Seat, line: Line) {
        let (public, own) = (self.shown.clone(), SeatView::of(self.cluster(cluster), seat));
        let Some(place) = self.seat_line(cluster, seat) else { return line.cut() };
        if let Some(before) = place.line.replace(line.clone()) {
            before.cut();
        }
        place.answers.clear();
        if self.cluster(cluster).is_lost(seat) {
            self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Back { seat });
        }
        let snapshot = json(&view::Snapshot { public, seat: Some(own), staff: None });
        self.said.push(Said::Follows(line, vec![Topic::Public], snapshot));
    }

    fn gone(&mut self, cluster: u16, seat: Seat, line: &Line) {
        let Some(place) = self.seat_line(cluster, seat) else { return };
        if place.line.as_ref().is_some_and(|present| present.is(line)) {
            place.line = None;
            self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Lost { seat });
        }
    }

    fn follow(&mut self, line: Line, topics: Vec<Topic>) {
        let staff = topics.contains(&Topic::Staff).then(|| self.shown_to_staff.clone());
        let snapshot = json(&view::Snapshot { public: self.shown.clone(), seat: None, staff });
        self.said.push(Said::Follows(line, topics, snapshot));
    }

    /// A seat is told how it stands, once, however much happens to it.
    fn tell(&mut self, cluster: u16, seat: Seat) {
        if let Some(place) = self.seat_line(cluster, seat)
            && place.line.is_some()
            && !std::mem::replace(&mut place.is_told, true)
        {
            self.told.push((cluster, seat));
        }
    }

    fn tell_of(&mut self, cluster: u16, transfer: &Transfer) {
        if let taisai_table::Purpose::Credits { seat } = transfer.purpose {
            self.tell(cluster, seat);
        }
    }

    fn tell_everyone(&mut self, cluster: u16) {
        for seat in self.cluster(cluster).seats() {
            self.tell(cluster, seat);
        }
    }

    /// What each seat that is told, and everyone who follows, sees now.
    fn show(&mut self) {
        for (cluster, seat) in std::mem::take(&mut self.told) {
            let view = SeatView::of(self.cluster(cluster), seat);
            let Some(place) = self.seat_line(cluster, seat) else { continue };
            place.is_told = false;
            let answers = std::mem::take(&mut place.answers);
            if let Some(line) = place.line.clone() {
                self.said.push(Said::To(line, json(&view::SeatChange { answers, seat: view })));
            }
        }
        let public = PublicView::of(self.round.machine());
        if public != self.shown {
            self.said.push(Said::All(Topic::Public, json(&view::PublicChange { public: &public })));
            self.shown = public;
        }
        let staff = StaffView::of(self.round.machine(), &self.clusters);
        if staff != self.shown_to_staff {
            self.said.push(Said::All(Topic::Staff, json(&view::StaffChange { staff: &staff })));
            self.shown_to_staff = staff;
        }
    }
}

/// What passes between the machines, and what leaves.
impl RunningTable {
    /// Carries what the machines have for each other, and hands everything over. A machine's entries are handed over before what
    /// follows from them is asked of another, so that the record never holds the second without the first.
    fn hand_over(&mut self) -> Result<(), Stopped> {
        let before = self.round.machine().phase();
        while self.carry()? {}
        self.post();
        self.show();
        for cluster in &mut self.clusters {
            cluster.commit(drop)?;
        }
        let (said, leaving) = (std::mem::take(&mut self.said), self.leaving.clone());
        self.round.commit(move |recorded| {
            // If it was not recorded nobody hears anything: the table stops.
            if recorded.is_ok() {
                leaving.send(Leaving { said }).unwrap_or_default();
            }
        })?;
        let is_over = |phase| matches!(phase, Phase::Settled | Phase::Void);
        if !is_over(before) && is_over(self.round.machine().phase()) {
            let time = self.clock.now();
            self.round.checkpoint(time)?;
            for cluster in &mut self.clusters {
                cluster.checkpoint(time)?;
            }
        }
        Ok(())
    }

    /// Carries one round of notices and reports; `false` if there was nothing.
    fn carry(&mut self) -> Result<bool, Stopped> {
        let mut has_carried = false;
        for number in 0..self.seats.len() {
            let number = u16::try_from(number).expect("clusters are numbered");
            has_carried |= self.carry_notices(number)?;
            has_carried |= self.carry_report(number)?;
        }
        Ok(has_carried)
    }

    fn carry_notices(&mut self, number: u16) -> Result<bool, Stopped> {
        let cluster = self.cluster(number);
        let (id, followed) = (cluster.id(), cluster.followed());
        let notices = self.round.machine().notices(id).filter(|(number, _)| *number > followed);
        let notices: Vec<_> = notices.map(|(number, notice)| (number, notice.clone())).collect();
        if notices.is_empty() {
            return Ok(false);
        }
        self.round.commit(drop)?;
        let mut has_carried = false;
        for (notice_number, notice) in notices {
            let slip = match over(&notice, self.cluster(number)) {
                None => None,
                Some(round) => match self.slips.remove(&(number, round)) {
                    Some(slip) => Some(slip),
                    None => {
                        self.archivist.ask(id, round);
                        break;
                    }
                },
            };
            let moves_money =
                matches!(notice, Notice::Result { .. } | Notice::Voided { .. } | Notice::Corrected { .. });
            let command = ClusterCommand::Follow { number: notice_number, notice, slip };
            self.accepted(number, command)?;
            has_carried = true;
            if moves_money {
                self.tell_everyone(number);
            }
        }
        Ok(has_carried)
    }

    fn carry_report(&mut self, number: u16) -> Result<bool, Stopped> {
        let cluster = self.cluster(number);
        let (id, followed, colour_chips): (_, _, Money) = (cluster.id(), cluster.followed(), cluster.colour_chips());
        if self.round.machine().reported(id) == Some((followed, colour_chips)) {
            return Ok(false);
        }
        self.clusters[usize::from(number)].commit(drop)?;
        let report = RoundCommand::Report { cluster: id, followed, colour_chips };
        match self.ask_round(Actor::System, None, report) {
            Verdict::Accepted => Ok(true),
            Verdict::Refused(refusal) => Err(Stopped::Between { table: id.table, refusal: refusal.code() }),
        }
    }

    /// Asks what must be accepted.
    fn accepted(&mut self, cluster: u16, command: ClusterCommand) -> Result<(), Stopped> {
        match self.ask_cluster(cluster, Actor::System, None, command) {
            Verdict::Accepted => Ok(()),
            Verdict::Refused(refusal) => {
                Err(Stopped::Between { table: self.round.machine().table(), refusal: refusal.code() })
            }
        }
    }

    /// Posts the transfers that the House has not been sent.
    fn post(&mut self) {
        for (cluster, posted) in self.clusters.iter().zip(&mut self.posted) {
            let id = cluster.machine().id();
            let before = *posted;
            for transfer in cluster.machine().outbox().filter(|transfer| transfer.number > before) {
                *posted = transfer.number;
                self.said.push(Said::ToHouse(HouseMail::Transfer { cluster: id, transfer: *transfer }));
            }
        }
    }
}

/// The round that a notice is about, where the cluster has settled it already.
fn over(notice: &Notice, cluster: &Cluster) -> Option<RoundNumber> {
    match notice {
        Notice::Voided { round, .. } | Notice::Corrected { round, .. } => {
            cluster.unit_of(*round).is_some().then_some(*round)
        }
        Notice::TableOpened
        | Notice::TableClosed
        | Notice::ClosureAnnounced
        | Notice::Relieved { .. }
        | Notice::Limits { .. }
        | Notice::Opened { .. }
        | Notice::Closed { .. }
        | Notice::Result { .. }
        | Notice::Held
        | Notice::Resumed => None,
    }
}

/// The seat that a command is about.
const fn seat_of(command: &ClusterCommand) -> Option<Seat> {
    match command {
        ClusterCommand::Place { seat, .. }
        | ClusterCommand::PlaceFor { seat, .. }
        | ClusterCommand::Withdraw { seat, .. }
        | ClusterCommand::Clear { seat }
        | ClusterCommand::Repeat { seat }
        | ClusterCommand::Double { seat }
        | ClusterCommand::BuyIn { seat, .. }
        | ClusterCommand::IssueColour { seat, .. }
        | ClusterCommand::RedeemColour { seat }
        | ClusterCommand::CashOut { seat, .. }
        | ClusterCommand::Leave { seat }
        | ClusterCommand::WalkAway { seat }
        | ClusterCommand::Lost { seat }
        | ClusterCommand::Back { seat }
        | ClusterCommand::ClearLock { seat } => Some(*seat),
        ClusterCommand::RejectExcess
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => None,
    }
}

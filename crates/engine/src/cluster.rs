//! A players' side of a table as a partition: it takes bets and money of seats, follows its round by numbered notices, and passes
//! money to and from the House.

mod command;
mod report;
mod seats;
mod slips;
mod staff_view;
mod view;

use std::collections::{BTreeSet, VecDeque};

use taisai_rules::{Money, Station};
use taisai_table::{
    Actor, Betting, Cluster, ClusterCommand, ClusterEvent, CommandId, CommandRequest, Decision, MachineId, Notice,
    Refusal, ReportedEvent, RoundNumber, Seat, Slip, Time, Transfer, TransferPurpose, Verdict,
};

use crate::effect::{ConnectionId, Effects, NewestCommand, Reply, ReplyTo, ScreenChange};
use crate::house::SeatMoney;
use crate::message::Message;
use crate::planted::{Mistake, makes};
use crate::recorded::DecidingMachine;
use crate::report_queue::ReportQueue;
use crate::round::{PublicView, ResultView};
use crate::timer::{Millis, RETRY_INTERVAL, earliest};
use crate::worker::WorkerStop;
use command::{bets_in, seat_asking};
use report::Reportable;
use seats::ConnectedSeats;
use slips::{AwaitedSlips, changed_round};

pub use command::{player_seats, seat_of};
pub use staff_view::{BelowView, ClusterView, LiveView, RegisteringView, ReturnsView, SeatBet, SeatHealth, SeatPlace};
pub use view::{BetView, LastGame, MessageView, SeatView};

/// A terminal that has not connected by then after a start is lost.
const RECONNECT_GRACE: Millis = Millis(1_900);

/// How often staff screens are shown a cluster, at most.
const LOCAL_VIEW_INTERVAL: Millis = Millis(100);
const REMOTE_VIEW_INTERVAL: Millis = Millis(250);

/// A cluster shows itself to a round on another node again after this time, as the round may have moved.
const VIEW_INTERVAL: Millis = Millis(2_000);

/// A terminal whose commands are refused more often in one round is cut off, as its refusals fill the record.
const MAX_SEAT_REFUSALS: u32 = 1_000;

/// How many notices may wait for the slip of a past round; the round sends later ones again.
pub(crate) const MAX_NOTICES: usize = 1_024;

/// An input for a players' side.
#[derive(Debug)]
pub enum ClusterInput {
    Command {
        /// Who asks.
        actor: Actor,
        /// Under which id.
        id: CommandId,
        /// The body of a request.
        command: ClusterCommand,
        /// Where the reply goes.
        reply: ReplyTo,
    },
    /// A Player Terminal is connected: this connection is its own from now on, and the one before is cut.
    Connect {
        seat: Seat,
        connection: ConnectionId,
        /// The numbers of its commands.
        counted: NewestCommand,
        /// What the House has of the player.
        money: Box<SeatMoney>,
    },
    /// The connection of a Player Terminal has ended.
    Disconnect { seat: Seat, connection: ConnectionId },
    /// The slip of a round that is over was read; none where it could not be.
    Slip { round: RoundNumber, slip: Option<Slip> },
}

impl ClusterInput {
    /// Refuses the input, as there is no such cluster.
    pub(crate) fn refuse(self, effects: &mut Effects) {
        match self {
            Self::Command { reply, .. } => {
                let verdict = Verdict::Refused(Refusal::UnknownSeat);
                effects.reply(reply, Reply { verdict, is_repeated: false, event: None });
            }
            Self::Connect { connection, .. } => effects.publish(ScreenChange::Cut(connection)),
            Self::Disconnect { .. } | Self::Slip { .. } => {}
        }
    }
}

/// What a cluster reports to its round: its last notice, the value of its Colour Chips, whether all winners are registered.
type FollowReport = (u64, Money, bool);

/// A players' side of a table.
#[derive(Debug)]
pub struct ClusterPartition {
    cluster: DecidingMachine<Cluster>,
    /// Whether the round's partition is on the same worker: no message is lost between the two.
    is_local: bool,
    seats: ConnectedSeats,
    /// Notices that arrived in order and are not followed yet.
    notices: VecDeque<(u64, Notice)>,
    slips: AwaitedSlips,
    /// The report that was sent last, and when it is sent again.
    report_sent: Option<(FollowReport, Time)>,
    /// What the round holds of it, and the name that the round gave it last.
    report_held: Option<FollowReport>,
    report_name: Option<CommandId>,
    /// The last transfer that was sent to the House, and when those that it does not hold are sent again.
    transfer_sent: u64,
    retry_at: Option<Time>,
    reports: ReportQueue,
    /// The sources that have used an id again in this round: each is reported once.
    reusing: BTreeSet<u64>,
    needs_checkpoint: bool,
    /// When terminals that have not come back are lost.
    lost_at: Option<Time>,
    /// The table as a round of another node has shown it.
    public: Option<Box<PublicView>>,
    results: Vec<ResultView>,
    /// When it is requested from the round again.
    ask_public_at: Option<Time>,
    is_watched: bool,
    /// What staff were last shown, and when.
    view: Option<(Box<ClusterView>, Time)>,
    view_due: Option<Time>,
}

impl ClusterPartition {
    /// A players' side as its record has it. `source` numbers the partition's own commands and reports: it is higher than any on
    /// record.
    pub fn new(cluster: Cluster, source: u64) -> Self {
        Self {
            is_local: false,
            seats: ConnectedSeats::new(&cluster),
            notices: VecDeque::new(),
            slips: AwaitedSlips::default(),
            report_sent: None,
            report_held: None,
            report_name: None,
            transfer_sent: 0,
            retry_at: None,
            reports: ReportQueue::default(),
            reusing: BTreeSet::new(),
            needs_checkpoint: false,
            lost_at: None,
            public: None,
            results: Vec::new(),
            ask_public_at: None,
            is_watched: false,
            view: None,
            view_due: None,
            cluster: DecidingMachine::new(cluster, source),
        }
    }

    /// The machine, ahead of what is durable.
    pub const fn machine(&self) -> &Cluster {
        self.cluster.machine()
    }

    /// Whether a terminal is connected at a seat.
    pub fn is_connected(&self, seat: Seat) -> bool {
        self.seats.is_connected(seat)
    }

    pub(crate) const fn set_local(&mut self, is_local: bool) {
        self.is_local = is_local;
    }

    pub(crate) const fn set_watched(&mut self, is_watched: bool) {
        self.is_watched = is_watched;
    }

    /// Staff are shown the cluster with this batch.
    pub(crate) fn show_now(&mut self) {
        self.view = None;
        self.view_due = Some(Time(0));
    }

    pub(crate) fn has_reports(&self) -> bool {
        self.machine().events().next().is_some()
    }

    pub(crate) fn is_in_play(&self) -> bool {
        match self.machine().betting() {
            Betting::Open | Betting::Closed => true,
            Betting::Idle => false,
        }
    }

    pub(crate) fn start(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        let checked = self.check();
        effects.counts.are_sound = Some(checked.is_ok());
        checked?;
        let has_terminals = self.machine().rules().game().station() == Station::PlayerTerminals;
        self.lost_at = has_terminals.then(|| RECONNECT_GRACE.after(now));
        self.ask_public_at = (!self.is_local).then_some(now);
        Ok(())
    }

    pub(crate) fn handle(&mut self, now: Time, input: ClusterInput, effects: &mut Effects) {
        match input {
            ClusterInput::Command { actor, id, command, reply } => {
                let (about, asking) = (seat_of(&command), seat_asking(actor));
                let decision = self.ask(CommandRequest { time: now, actor, id, command }, effects);
                for seat in about.into_iter().chain(asking) {
                    self.seats.change(seat);
                }
                let is_repeated = matches!(decision, Decision::Repeated(_));
                let reply_with = Reply { verdict: decision.verdict(), is_repeated, event: None };
                match (reply, asking) {
                    (ReplyTo::Seat(sequence), Some(seat)) => self.reply_to_seat(seat, sequence, reply_with, effects),
                    (reply, _) => effects.reply(reply, reply_with),
                }
            }
            ClusterInput::Connect { seat, connection, counted, money } => {
                self.connect(now, (seat, connection), counted, money, effects);
            }
            ClusterInput::Disconnect { seat, connection } => {
                if self.seats.disconnect(seat, connection) {
                    effects.counts.terminals -= 1;
                    self.own(now, ClusterCommand::Lost { seat }, effects);
                }
            }
            ClusterInput::Slip { round, slip } => self.slips.arrive(round, slip),
        }
    }

    fn reply_to_seat(&mut self, seat: Seat, sequence: u64, reply: Reply, effects: &mut Effects) {
        let is_refused = matches!(reply.verdict, Verdict::Refused(_));
        let connection = self.seats.reply(seat, sequence, reply);
        if is_refused
            && self.machine().seat_refusals(seat) > MAX_SEAT_REFUSALS
            && let Some(connection) = connection
        {
            effects.publish(ScreenChange::Cut(connection));
        }
    }

    fn connect(
        &mut self,
        now: Time,
        (seat, connection): (Seat, ConnectionId),
        counted: NewestCommand,
        money: Box<SeatMoney>,
        effects: &mut Effects,
    ) {
        match self.seats.connect(seat, connection, money) {
            Err(()) => return effects.publish(ScreenChange::Cut(connection)),
            Ok(Some(before)) => effects.publish(ScreenChange::Cut(before)),
            Ok(None) => effects.counts.terminals += 1,
        }
        if self.machine().is_lost(seat) {
            self.own(now, ClusterCommand::Back { seat }, effects);
        }
        let counted = counted.and(self.machine().newest(counted.source, Some(seat)));
        if let Some(view) = self.seats.whole(self.cluster.machine(), seat) {
            let (cluster, view) = (self.machine().id().number, Box::new(view));
            effects.publish(ScreenChange::SeatConnected { cluster, seat, connection, time: now, counted, view });
        }
    }

    pub(crate) fn receive(&mut self, now: Time, message: Message, effects: &mut Effects) {
        match message {
            Message::Notice { number, notice, .. } => {
                let held = self.notices.back().map_or_else(|| self.machine().followed(), |(last, _)| *last);
                if number <= held {
                    // The acknowledgement was lost: the cluster reports again.
                    self.report_sent = None;
                    self.report_held = None;
                } else if (number == held + 1 || makes(Mistake::NoticeGapAccepted)) && self.notices.len() < MAX_NOTICES
                {
                    self.notices.push_back((number, notice));
                }
            }
            Message::RoundHolds { report, followed, colour_chips, is_registered, .. } => {
                self.report_held = Some((followed, colour_chips, is_registered));
                if self.report_name != Some(report) {
                    // What was sent under another name may be refused: what differs is sent under this one.
                    self.report_name = Some(report);
                    self.report_sent = None;
                }
            }
            Message::ToCluster { cluster, transfer } => {
                if transfer.number.checked_sub(1) == Some(self.machine().received()) {
                    self.own(now, ClusterCommand::Receive { transfer }, effects);
                    self.change_seat_of(&transfer);
                }
                // A cluster acknowledges a transfer only once it holds it; a refused transfer is retried, as is one that overtakes
                // another.
                if self.machine().received() >= transfer.number || makes(Mistake::CreditsAcknowledgedUnheld) {
                    effects.send(Message::ClusterHolds { cluster, number: transfer.number });
                }
            }
            Message::HouseHolds { number, .. } => {
                if self.machine().outbox().next().is_some_and(|first| first.number == number) {
                    self.own(now, ClusterCommand::Delivered { number }, effects);
                    if self.machine().outbox().next().is_none() {
                        // Nothing waits: the next transfer has its whole time.
                        self.retry_at = None;
                    }
                }
            }
            Message::SeatMoney { seat, money, .. } => self.seats.set_money(seat, money),
            Message::PublicView { view, results, .. } => self.show_table(view, results, effects),
            Message::ReportHeld { id: last, .. } => {
                if self.reports.held(self.cluster.machine().events().position(|(id, _)| id == last)) {
                    self.own(now, ClusterCommand::EventsHeld { last }, effects);
                }
            }
            // These have other receivers.
            Message::Followed { .. }
            | Message::ToHouse { .. }
            | Message::ClusterHolds { .. }
            | Message::Report { .. }
            | Message::ClusterView { .. }
            | Message::ShowTable { .. } => {}
        }
    }

    /// Shows the terminals here the table; all results where they have not seen each as the latest.
    fn show_table(&mut self, view: Box<PublicView>, results: Vec<ResultView>, effects: &mut Effects) {
        self.ask_public_at = None;
        let is_first = self.public.is_none();
        view.add_to(&mut self.results);
        if is_first || self.results != results {
            effects.publish(ScreenChange::Results(results.clone()));
            self.results = results;
        }
        if self.public.as_ref() != Some(&view) {
            effects.publish(ScreenChange::Public(view.clone()));
            self.public = Some(view);
        }
    }

    fn change_seat_of(&mut self, transfer: &Transfer) {
        if let TransferPurpose::Credits { seat, .. } = transfer.purpose {
            self.seats.change(seat);
        }
    }

    /// Follows the notices that have arrived, as far as it can.
    fn follow(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        while let Some((number, notice)) = self.notices.front() {
            let changed = changed_round(notice, self.cluster.machine());
            if let Some(round) = changed
                && !self.slips.has(round)
            {
                self.slips.read(now, &self.notices, self.cluster.machine(), effects);
                return Ok(());
            }
            let slip = changed.and_then(|round| self.slips.take(round));
            let (number, notice) = (*number, notice.clone());
            self.notices.pop_front();
            let played = self.keep_games(&notice, slip.as_ref());
            let request = self.cluster.own(now, ClusterCommand::Follow { number, notice, slip });
            if let Verdict::Refused(refusal) = self.ask(request, effects).verdict() {
                return Err(WorkerStop::Refused { by: MachineId::Cluster(self.machine().id()), refusal });
            }
            for (seat, was_locked) in played {
                if !was_locked && self.machine().is_locked(seat) {
                    let amount = self.seats.last_paid(seat).unwrap_or(Money::ZERO);
                    let what = report::large_win(self.machine().id(), seat, amount);
                    self.own(now, ClusterCommand::RaiseEvent { what }, effects);
                }
                self.seats.change(seat);
            }
        }
        Ok(())
    }

    /// The seats with bets in the round that a notice settles or changes, and whether each was locked.
    fn keep_games(&mut self, notice: &Notice, slip: Option<&Slip>) -> Vec<(Seat, bool)> {
        let Some((round, stands)) = notice.stands() else { return Vec::new() };
        let cluster = self.cluster.machine();
        let present = slip.is_none().then(|| cluster.slip());
        let Some(slip) = slip.or(present.as_ref()) else { return Vec::new() };
        self.seats.keep_games(cluster, round, stands, slip);
        let seats = slip.lines.chunk_by(|line, next| line.seat == next.seat).map(|lines| lines[0].seat);
        seats.map(|seat| (seat, cluster.is_locked(seat))).collect()
    }

    pub(crate) fn on_time(&mut self, now: Time, effects: &mut Effects) {
        if self.lost_at.is_some_and(|at| at <= now) {
            self.lost_at = None;
            let machine = self.machine();
            let is_absent = |seat: &Seat| {
                !self.seats.is_connected(*seat) && machine.session(*seat).is_some() && !machine.is_lost(*seat)
            };
            for seat in machine.seats().filter(is_absent).collect::<Vec<_>>() {
                self.own(now, ClusterCommand::Lost { seat }, effects);
            }
        }
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
            if !makes(Mistake::TransfersNotSentAgain) {
                self.transfer_sent = 0;
            }
        }
    }

    pub(crate) fn send(&mut self, now: Time, effects: &mut Effects) -> Result<(), WorkerStop> {
        self.follow(now, effects)?;
        let machine = self.cluster.machine();
        let (cluster, before) = (machine.id(), self.transfer_sent);
        for transfer in machine.outbox().filter(|transfer| transfer.number > before) {
            self.transfer_sent = transfer.number;
            self.retry_at.get_or_insert(RETRY_INTERVAL.after(now));
            effects.send(Message::ToHouse { cluster, transfer: *transfer });
        }
        let report @ (followed, colour_chips, is_registered) = machine.reports();
        let is_sent = self.report_sent.is_some_and(|(sent, again)| sent == report && again > now);
        if self.report_held != Some(report) && !is_sent {
            self.report_sent = Some((report, RETRY_INTERVAL.after(now)));
            // The round may hold this one or the one before, until it acknowledges one.
            self.report_held = None;
            let received = self.notices.back().map_or(followed, |(last, _)| *last);
            let replaces = self.report_name;
            let followed = if makes(Mistake::CloseAcknowledgedEarly) { received } else { followed };
            effects.send(Message::Followed { cluster, followed, received, colour_chips, is_registered, replaces });
        }
        if self.ask_public_at.is_some_and(|at| at <= now) {
            self.ask_public_at = Some(RETRY_INTERVAL.after(now));
            effects.send(Message::ShowTable { cluster });
        }
        self.reports.send(MachineId::Cluster(cluster), self.cluster.machine().events(), now, effects);
        Ok(())
    }

    pub(crate) fn publish(&mut self, now: Time, effects: &mut Effects) {
        self.seats.publish(self.cluster.machine(), effects);
        self.show_staff(now, effects);
    }

    /// Shows staff what lies on the layout and how the seats are.
    fn show_staff(&mut self, now: Time, effects: &mut Effects) {
        let is_shown_now = self.view_due == Some(Time(0));
        if self.is_local && !self.is_watched && !is_shown_now {
            self.view_due = None;
            return;
        }
        let interval = if self.is_local { LOCAL_VIEW_INTERVAL } else { REMOTE_VIEW_INTERVAL };
        match self.view_due {
            None => return self.view_due = Some(interval.after(now)),
            Some(due) if due > now => return,
            Some(_) => {}
        }
        self.view_due = (!self.is_local).then(|| interval.after(now));
        let (machine, is_connected) = (self.cluster.machine(), |seat| self.seats.is_connected(seat));
        let view = if self.is_local {
            ClusterView::local(machine, is_connected)
        } else {
            ClusterView::remote(machine, is_connected)
        };
        let is_known = |(known, sent_at): &(Box<ClusterView>, Time)| {
            **known == view && (self.is_local || VIEW_INTERVAL.after(*sent_at) > now)
        };
        if self.view.as_ref().is_some_and(is_known) {
            return;
        }
        let view = Box::new(view);
        self.view = Some((view.clone(), now));
        effects.send(Message::ClusterView { cluster: self.machine().id(), view });
    }

    pub(crate) fn append(&mut self, effects: &mut Effects) {
        effects.append(MachineId::Cluster(self.cluster.machine().id()), &mut self.cluster.undurable);
    }

    pub(crate) fn end(&mut self, effects: &mut Effects) -> Result<(), WorkerStop> {
        self.append(effects);
        if std::mem::take(&mut self.needs_checkpoint) {
            let checked = self.check();
            effects.counts.are_sound = Some(checked.is_ok());
            checked?;
            effects.checkpoints.push(MachineId::Cluster(self.machine().id()));
        }
        Ok(())
    }

    pub(crate) fn next_timer(&self) -> Option<Time> {
        let machine = self.machine();
        let retry_at = self.retry_at.filter(|_| machine.outbox().next().is_some());
        let is_report_held = self.report_held == Some(machine.reports());
        let report_again = self.report_sent.filter(|_| !is_report_held).map(|(_, again)| again);
        earliest([
            retry_at,
            report_again,
            self.slips.next_timer(),
            self.reports.next_timer(),
            self.lost_at,
            self.view_due,
            self.ask_public_at,
        ])
    }

    /// A ledger that does not sum to zero is a bug: the table stops rather than go on with wrong money.
    fn check(&self) -> Result<(), WorkerStop> {
        let of = MachineId::Cluster(self.machine().id());
        self.machine().check().map_err(|broken| WorkerStop::Broken { of, broken })
    }

    fn own(&mut self, now: Time, command: ClusterCommand, effects: &mut Effects) {
        let request = self.cluster.own(now, command);
        self.ask(request, effects);
    }

    fn ask(&mut self, request: CommandRequest<ClusterCommand>, effects: &mut Effects) -> Decision<ClusterEvent> {
        let (now, id, bets) = (request.time, request.id, bets_in(&request.command));
        let reportable = Reportable::of(self.cluster.machine(), &request.command);
        let decision = self.cluster.ask(request);
        match &decision {
            Decision::Accepted(event) => {
                effects.counts.bets += bets;
                if let Some(reportable) = reportable {
                    for what in reportable.reports(self.cluster.machine(), event) {
                        self.own(now, ClusterCommand::RaiseEvent { what }, effects);
                    }
                    if let Some(seat) = reportable.messages_at() {
                        self.seats.change_messages(seat);
                    }
                }
                match event {
                    ClusterEvent::Settled { .. } => {
                        self.needs_checkpoint = true;
                        self.reusing.clear();
                    }
                    ClusterEvent::Compensated { adjustments } => {
                        self.needs_checkpoint = true;
                        for adjustment in adjustments {
                            self.seats.change_messages(adjustment.seat);
                        }
                    }
                    _ => {}
                }
            }
            Decision::Refused(refusal) => self.refused(now, *refusal, id, effects),
            Decision::Repeated(_) => {}
        }
        decision
    }

    /// Counts a refusal, and reports an id that was used for something else.
    fn refused(&mut self, now: Time, refusal: Refusal, id: CommandId, effects: &mut Effects) {
        effects.counts.refusals.push(refusal);
        if refusal == Refusal::CommandIdReused && self.reusing.insert(id.source) {
            let what = ReportedEvent::CommandIdReused { table: self.machine().id().table, source: id.source };
            self.own(now, ClusterCommand::RaiseEvent { what }, effects);
        }
    }
}

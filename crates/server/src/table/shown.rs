//! What is shown of a running table, and to whom: each seat its own, everyone the table, the staff what they need beside it.

use std::time::Duration;

use serde_json::Value;
use taisai_rules::{Money, Unit};
use taisai_table::{Actor, ClusterCommand, Purpose, RoundNumber, Seat, Slip, Transfer, VoidReason};
use tokio::time::Instant;

use super::RunningTable;
use super::carry::UNTOLD;
use super::health::changed_seats;
use super::view::{LastGame, Message, MessageView, PublicView, SeatChange, SeatView, Snapshot, StaffView};
use crate::house::SeatMoney;
use crate::leaving::{Answered, Counted, Said, Topic, json};
use crate::line::Line;

/// Totals and the health of seats are shown at most so often.
const STAFF: Duration = Duration::from_millis(100);

/// The line of a seat, and what it is to be told.
#[derive(Debug, Default)]
pub(super) struct SeatLine {
    pub(super) line: Option<Line>,
    pub(super) answers: Vec<Answered>,
    number: u64,
    is_told: bool,
    last: Option<Box<LastGame>>,
    /// Whether the last game or a message has come, or was read, since they were told.
    is_last_new: bool,
    /// What the House has of the player, as it told last.
    money: Box<SeatMoney>,
}

impl RunningTable {
    pub(super) fn sit(&mut self, (cluster, seat): (u16, Seat), counted: Counted, money: Box<SeatMoney>, line: Line) {
        let Some(place) = self.seat_line(cluster, seat) else { return line.cut() };
        if let Some(before) = place.line.replace(line.clone()) {
            before.cut();
        } else {
            self.parts.metrics.terminals.inc();
        }
        let Some(place) = self.seat_line(cluster, seat) else { return };
        place.answers.clear();
        place.money = money;
        if self.cluster(cluster).is_some_and(|cluster| cluster.is_lost(seat)) {
            self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Back { seat });
        }
        let known = self.cluster(cluster).map_or(0, |cluster| cluster.newest(counted.source, Some(seat)));
        let Some(seat) = self.seat_view(cluster, seat, true) else { return };
        let snapshot = Snapshot { seat: Some(seat), ..self.snapshot(Some(counted.and(known))) };
        self.said.push(Said::Follows(line, vec![Topic::Public], json(&Message::Snapshot(Box::new(snapshot)))));
    }

    /// The House tells it more often than it changes.
    pub(super) fn money_changed(&mut self, cluster: u16, seat: Seat, money: Box<SeatMoney>) {
        let Some(place) = self.seat_line(cluster, seat) else { return };
        if place.money != money {
            place.money = money;
            self.tell(cluster, seat);
        }
    }

    pub(super) fn gone(&mut self, cluster: u16, seat: Seat, line: &Line) {
        let Some(place) = self.seat_line(cluster, seat) else { return };
        if place.line.as_ref().is_some_and(|present| present.is(line)) {
            place.line = None;
            self.parts.metrics.terminals.dec();
            self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Lost { seat });
        }
    }

    /// Terminals with a player that have not come back since the program started are lost.
    pub(super) fn lose_absent(&mut self) {
        let mut absent = Vec::new();
        for (cluster, lines) in self.parts.clusters.iter().zip(&self.seats) {
            let cluster = cluster.machine();
            for (seat, place) in cluster.seats().zip(lines) {
                if place.line.is_none() && cluster.session(seat).is_some() && !cluster.is_lost(seat) {
                    absent.push((cluster.id().number, seat));
                }
            }
        }
        for (cluster, seat) in absent {
            self.ask_cluster(cluster, Actor::System, None, ClusterCommand::Lost { seat });
        }
    }

    pub(super) fn follow(&mut self, line: Line, counted: Option<Counted>, topics: Vec<Topic>) {
        let known = |counted: Counted| {
            let here = self.clusters().map(|cluster| cluster.newest(counted.source, None));
            let clusters = here.chain(self.elsewhere.values().map(|(_, cluster)| cluster.newest(counted.source)));
            counted.and(clusters.max().unwrap_or(0)).and(self.round().newest(counted.source))
        };
        let mut snapshot = self.snapshot(counted.map(known));
        if topics.contains(&Topic::Staff) {
            self.show_staff_now();
            snapshot.staff = Some(self.shown_to_staff.whole(&self.shown_to_staff.view));
        }
        self.said.push(Said::Follows(line, topics, json(&Message::Snapshot(Box::new(snapshot)))));
    }

    fn snapshot(&self, counted: Option<Counted>) -> Snapshot {
        let (source, sequence) = (counted.map(|counted| counted.source), counted.map(|counted| counted.sequence));
        Snapshot { time: self.parts.clock.now(), source, sequence, public: self.public(), seat: None, staff: None }
    }

    /// What anyone at the table sees.
    pub(crate) fn public(&self) -> Value {
        let round = self.round();
        self.shown.whole(&PublicView::of(round, self.latest).with_results(round))
    }

    /// How a seat stands; with its last game and the messages of its session where they are asked for.
    fn seat_view(&self, cluster: u16, seat: Seat, with_last: bool) -> Option<SeatView> {
        let place = self.seats.get(self.place(cluster)?)?.get(usize::try_from(seat.0).ok()?)?;
        let last = place.last.as_deref().filter(|_| with_last);
        let cluster = self.cluster(cluster)?;
        let messages = with_last.then(|| MessageView::all(cluster, seat));
        Some(SeatView::of(cluster, seat, place.number, (last, messages), &place.money))
    }

    fn staff_view(&self) -> StaffView {
        let is_connected = |cluster, seat| self.is_connected(cluster, seat);
        let elsewhere: Vec<_> = self.elsewhere.values().map(|(_, cluster)| cluster).collect();
        StaffView::of(self.round(), &self.parts.clusters, &elsewhere, is_connected)
    }

    /// Whether a terminal is there, or whoever plays at the seat.
    pub(super) fn is_connected(&self, cluster: u16, seat: Seat) -> bool {
        let place = usize::try_from(seat.0).ok().and_then(|seat| self.seats.get(self.place(cluster)?)?.get(seat));
        place.is_some_and(|place| place.line.is_some())
    }

    /// A seat is told how it stands, once, however much happens to it.
    pub(super) fn tell(&mut self, cluster: u16, seat: Seat) {
        if let Some(place) = self.seat_line(cluster, seat)
            && place.line.is_some()
            && !std::mem::replace(&mut place.is_told, true)
        {
            self.told.push((cluster, seat));
        }
    }

    pub(super) fn tell_of(&mut self, cluster: u16, transfer: &Transfer) {
        if let Purpose::Credits { seat, .. } = transfer.purpose {
            self.tell(cluster, seat);
        }
    }

    /// Keeps how a round comes out for each seat with bets in it.
    pub(super) fn keep_games(
        &mut self,
        number: u16,
        round: RoundNumber,
        stands: Result<taisai_rules::Dice, VoidReason>,
        slip: &Slip,
    ) {
        let Some(at) = self.place(number) else { return };
        let Some(cluster) = self.parts.clusters.get(at) else { return };
        let cluster = cluster.machine();
        let unit = cluster.unit_of(round).unwrap_or_else(|| cluster.limits().unit().money());
        let payouts = stands.ok().zip(Unit::try_from(unit).ok());
        let payouts = payouts.and_then(|(dice, unit)| cluster.rules().layout().payouts(dice, unit).ok());
        let pays = |line: &taisai_table::SlipLine| {
            let paid = payouts.as_ref().and_then(|payouts| payouts.paid(line.bet_box, line.counted.into()));
            paid.unwrap_or(Money::ZERO)
        };
        let present = slip.lines.chunk_by(|line, next| line.seat == next.seat);
        for lines in present.filter(|lines| cluster.session(lines[0].seat) == Some(lines[0].session)) {
            let game = LastGame::of(round, stands, lines, unit, pays);
            let place = usize::try_from(lines[0].seat.0).ok().and_then(|seat| self.seats[at].get_mut(seat));
            if let Some(place) = place
                && place.last.as_ref().is_none_or(|last| last.round() <= round)
            {
                place.last = Some(Box::new(game));
                place.is_last_new = true;
            }
        }
    }

    /// A seat is shown the messages of its session again: one has come, or was read.
    pub(super) fn show_messages(&mut self, number: u16, seat: Seat) {
        if let Some(place) = self.seat_line(number, seat) {
            place.is_last_new = true;
            self.tell(number, seat);
        }
    }

    /// What the last game of a seat was paid.
    pub(super) fn last_paid(&mut self, cluster: u16, seat: Seat) -> Option<Money> {
        Some(self.seat_line(cluster, seat)?.last.as_ref()?.paid())
    }

    /// What each seat that is told, and everyone who follows, sees now.
    pub(super) fn show(&mut self) {
        for (cluster, seat) in std::mem::take(&mut self.told) {
            let Some(place) = self.seat_line(cluster, seat) else { continue };
            place.is_told = false;
            place.number += 1;
            let (answers, line) = (std::mem::take(&mut place.answers), place.line.clone());
            let with_last = std::mem::take(&mut place.is_last_new);
            if let (Some(line), Some(seat)) = (line, self.seat_view(cluster, seat, with_last)) {
                self.said.push(Said::To(line, json(&SeatChange { answers, seat })));
            }
        }
        let public = PublicView::of(self.parts.round.machine(), self.latest);
        if let Some(change) = self.shown.change(public) {
            self.said.push(Said::All(Topic::Public, json(&Message::Public(change))));
        }
        self.tell_console();
        self.show_staff();
    }

    fn show_staff(&mut self) {
        if !self.parts.voice.followed.any(Topic::Staff) {
            self.staff_due = None;
            return;
        }
        let now = Instant::now();
        match self.staff_due {
            // Something may have changed: it is looked at soon, once.
            None => self.staff_due = Some(now + STAFF),
            Some(due) if due > now => {}
            Some(_) => self.show_staff_now(),
        }
    }

    /// Those who follow are told what has changed; of the seats only those that have.
    fn show_staff_now(&mut self) {
        self.staff_due = None;
        // Of a cluster whose node is gone nothing is known until its new holder tells.
        self.elsewhere.retain(|_, (told, _)| told.elapsed() < UNTOLD);
        let mut view = self.staff_view();
        let seats = std::mem::take(&mut view.seats);
        let before = std::mem::take(&mut self.shown_to_staff.view.seats);
        (view.seats, view.gone) = changed_seats(&before, &seats);
        let change = self.shown_to_staff.change(view);
        self.shown_to_staff.view.seats = seats;
        self.shown_to_staff.view.gone.clear();
        if let Some(change) = change {
            self.said.push(Said::All(Topic::Staff, json(&Message::Staff(change))));
        }
    }
}

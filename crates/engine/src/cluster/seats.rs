//! The seats of a cluster as screens know them: who is connected, and what each is to be shown.

use taisai_rules::{Dice, Money, Unit};
use taisai_table::{Cluster, RoundNumber, Seat, Slip, SlipLine, VoidReason};

use super::view::{LastGame, MessageView, SeatView};
use crate::effect::{ConnectionId, Effects, Reply, ScreenChange};
use crate::house::SeatMoney;

/// A seat, and what its terminal is to be shown.
#[derive(Debug, Default)]
struct TerminalState {
    connection: Option<ConnectionId>,
    replies: Vec<(u64, Reply)>,
    /// How often it was shown.
    number: u64,
    is_changed: bool,
    last: Option<Box<LastGame>>,
    /// Whether the last game or a message has come, or was read, since they were shown.
    is_last_new: bool,
    /// What the House has of the player, as last received.
    money: Box<SeatMoney>,
}

/// The seats by their numbers.
#[derive(Debug)]
pub(super) struct ConnectedSeats {
    seats: Vec<TerminalState>,
    /// Seats that are to be shown, each once.
    changed: Vec<Seat>,
}

impl ConnectedSeats {
    pub(super) fn new(cluster: &Cluster) -> Self {
        Self { seats: cluster.seats().map(|_| TerminalState::default()).collect(), changed: Vec::new() }
    }

    fn at(&self, seat: Seat) -> Option<&TerminalState> {
        self.seats.get(usize::try_from(seat.0).ok()?)
    }

    fn at_mut(&mut self, seat: Seat) -> Option<&mut TerminalState> {
        self.seats.get_mut(usize::try_from(seat.0).ok()?)
    }

    pub(super) fn is_connected(&self, seat: Seat) -> bool {
        self.at(seat).is_some_and(|state| state.connection.is_some())
    }

    /// The seat has this connection from now on. `Err` if there is no such seat; otherwise the connection before.
    pub(super) fn connect(
        &mut self,
        seat: Seat,
        connection: ConnectionId,
        money: Box<SeatMoney>,
    ) -> Result<Option<ConnectionId>, ()> {
        let state = self.at_mut(seat).ok_or(())?;
        state.replies.clear();
        state.money = money;
        Ok(state.connection.replace(connection))
    }

    /// Whether the seat had this connection, which has ended.
    pub(super) fn disconnect(&mut self, seat: Seat, connection: ConnectionId) -> bool {
        let Some(state) = self.at_mut(seat) else { return false };
        let is_its_own = state.connection == Some(connection);
        if is_its_own {
            state.connection = None;
        }
        is_its_own
    }

    /// The House sends a seat's money more often than it changes.
    pub(super) fn set_money(&mut self, seat: Seat, money: Box<SeatMoney>) {
        if let Some(state) = self.at_mut(seat)
            && state.money != money
        {
            state.money = money;
            self.change(seat);
        }
    }

    /// A seat is shown how it stands, once a batch, however much happens to it.
    pub(super) fn change(&mut self, seat: Seat) {
        if let Some(state) = self.at_mut(seat)
            && state.connection.is_some()
            && !std::mem::replace(&mut state.is_changed, true)
        {
            self.changed.push(seat);
        }
    }

    /// A seat is shown the messages of its session again: one has come, or was read.
    pub(super) fn change_messages(&mut self, seat: Seat) {
        if let Some(state) = self.at_mut(seat) {
            state.is_last_new = true;
            self.change(seat);
        }
    }

    /// A reply to a command of the seat's terminal; the connection, where there is one.
    pub(super) fn reply(&mut self, seat: Seat, sequence: u64, reply: Reply) -> Option<ConnectionId> {
        let state = self.at_mut(seat)?;
        if state.connection.is_some() {
            state.replies.push((sequence, reply));
        }
        state.connection
    }

    /// What the last game of a seat was paid.
    pub(super) fn last_paid(&self, seat: Seat) -> Option<Money> {
        Some(self.at(seat)?.last.as_ref()?.paid())
    }

    /// How a seat stands, with its last game and the messages of its session.
    pub(super) fn whole(&self, cluster: &Cluster, seat: Seat) -> Option<SeatView> {
        let state = self.at(seat)?;
        let mut view = SeatView::default();
        let messages = Some(MessageView::all(cluster, seat));
        view.set(cluster, (seat, state.number), (state.last.as_deref(), messages), &state.money);
        Some(view)
    }

    /// Shows each seat that has changed.
    pub(super) fn publish(&mut self, cluster: &Cluster, effects: &mut Effects) {
        for seat in self.changed.drain(..) {
            let Some(state) = usize::try_from(seat.0).ok().and_then(|seat| self.seats.get_mut(seat)) else { continue };
            state.is_changed = false;
            state.number += 1;
            let with_last = std::mem::take(&mut state.is_last_new);
            let Some(connection) = state.connection else {
                state.replies.clear();
                continue;
            };
            let mut change = effects.new_seat_change();
            change.cluster = cluster.id().number;
            change.connection = connection;
            std::mem::swap(&mut change.replies, &mut state.replies);
            let last = state.last.as_deref().filter(|_| with_last);
            let messages = with_last.then(|| MessageView::all(cluster, seat));
            change.view.set(cluster, (seat, state.number), (last, messages), &state.money);
            effects.publish(ScreenChange::Seat(change));
        }
    }

    /// Keeps how a round comes out for each seat with bets in it.
    pub(super) fn keep_games(
        &mut self,
        cluster: &Cluster,
        round: RoundNumber,
        stands: Result<Dice, VoidReason>,
        slip: &Slip,
    ) {
        let unit = cluster.unit_of(round).unwrap_or_else(|| cluster.limits().unit().money());
        let payouts = stands.ok().zip(Unit::try_from(unit).ok());
        let payouts = payouts.and_then(|(dice, unit)| cluster.rules().layout().payouts(dice, unit).ok());
        let pays = |line: &SlipLine| {
            let paid = payouts.as_ref().and_then(|payouts| payouts.paid(line.bet_box, line.counted.into()));
            paid.unwrap_or(Money::ZERO)
        };
        let of_seats = slip.lines.chunk_by(|line, next| line.seat == next.seat);
        for lines in of_seats.filter(|lines| cluster.session(lines[0].seat) == Some(lines[0].session)) {
            if let Some(state) = self.at_mut(lines[0].seat)
                && state.last.as_ref().is_none_or(|last| last.round() <= round)
            {
                state.last = Some(Box::new(LastGame::of(round, stands, lines, unit, pays)));
                state.is_last_new = true;
            }
        }
    }
}

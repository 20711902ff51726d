//! How the seats of a table are, for its staff: those here, and those of clusters that run elsewhere, of which the dealer's side is
//! told.

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Money};
use taisai_table::{Cluster, Meters, Seat, SessionId};

use super::places;

/// How a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub(crate) struct SeatHealth {
    cluster: u16,
    seat: Seat,
    session: Option<SessionId>,
    credits: Money,
    on_layout: Money,
    is_connected: bool,
    is_lost: bool,
    is_locked: bool,
}

impl SeatHealth {
    pub(super) fn of(cluster: &Cluster, seat: Seat, is_connected: impl Fn(u16, Seat) -> bool) -> Self {
        let number = cluster.id().number;
        Self {
            cluster: number,
            seat,
            session: cluster.session(seat),
            credits: cluster.credits(seat),
            on_layout: cluster.on_layout(seat),
            is_connected: is_connected(number, seat),
            is_lost: cluster.is_lost(seat),
            is_locked: cluster.is_locked(seat),
        }
    }

    const fn is_free(&self) -> bool {
        self.session.is_none() && !self.is_connected && !self.needs_a_person()
    }

    const fn needs_a_person(&self) -> bool {
        self.is_lost || self.is_locked
    }

    /// A seat that nobody tells of any more.
    const fn freed(&self) -> Self {
        let (session, credits, on_layout) = (None, Money::ZERO, Money::ZERO);
        Self { session, credits, on_layout, is_connected: false, is_lost: false, is_locked: false, ..*self }
    }

    const fn place(&self) -> (u16, u32) {
        (self.cluster, self.seat.0)
    }
}

/// Seats that have changed, and as free those that are told of no more. Both lists are in order.
pub(super) fn changed_seats(before: &[SeatHealth], now: &[SeatHealth]) -> Vec<SeatHealth> {
    let mut before = before.iter().peekable();
    let mut changed = Vec::new();
    for seat in now {
        while let Some(gone) = before.next_if(|one| one.place() < seat.place()) {
            changed.push(gone.freed());
        }
        if before.next_if(|one| one.place() == seat.place()) != Some(seat) {
            changed.push(*seat);
        }
    }
    changed.extend(before.map(SeatHealth::freed));
    changed
}

/// So many seats of a cluster that runs elsewhere are told, those that need a person before the others: a letter has its bounds.
const MOST_SEATS: usize = 150;

/// So many sources of people's commands there, the newest.
const MOST_SOURCES: usize = 100;

/// What the dealer's side is told of a cluster that runs elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AtCluster {
    totals: Vec<(BetBox, Money)>,
    pub(super) meters: Meters,
    /// Seats that are not free, in order.
    pub(super) seats: Vec<SeatHealth>,
    /// The newest numbers of people's commands there, by their sources.
    numbers: Vec<(u64, u64)>,
}

impl AtCluster {
    pub(super) fn of(cluster: &Cluster, is_connected: impl Fn(u16, Seat) -> bool) -> Self {
        let boxes = cluster.rules().layout().boxes().iter().map(|bet_box| (*bet_box, cluster.total(*bet_box)));
        let seats = places(cluster).map(|seat| SeatHealth::of(cluster, seat, &is_connected));
        let mut seats: Vec<_> = seats.filter(|seat| !seat.is_free()).collect();
        seats.sort_by_key(|seat| !seat.needs_a_person());
        seats.truncate(MOST_SEATS);
        seats.sort_by_key(|seat| seat.seat);
        Self {
            totals: boxes.filter(|(_, amount)| *amount > Money::ZERO).collect(),
            meters: cluster.meters(),
            seats,
            numbers: cluster.numbers().rev().take(MOST_SOURCES).collect(),
        }
    }

    /// The number of the newest command of a source; zero if none is remembered.
    pub(super) fn newest(&self, source: u64) -> u64 {
        self.numbers.iter().find(|(of, _)| *of == source).map_or(0, |(_, number)| *number)
    }

    pub(super) fn total(&self, bet_box: BetBox) -> Money {
        self.totals.iter().find(|(of, _)| *of == bet_box).map_or(Money::ZERO, |(_, amount)| *amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(cluster: u16, seat: u32, credits: i64) -> SeatHealth {
        SeatHealth {
            cluster,
            seat: Seat(seat),
            session: Some(SessionId(1)),
            credits: Money::from_cents(credits),
            on_layout: Money::ZERO,
            is_connected: true,
            is_lost: false,
            is_locked: false,
        }
    }

    #[test]
    fn only_seats_that_have_changed_are_told() {
        let before = [seat(0, 1, 5), seat(0, 2, 5), seat(1, 1, 5)];
        for (now, changed) in [
            (vec![seat(0, 1, 5), seat(0, 2, 5), seat(1, 1, 5)], vec![]),
            (vec![seat(0, 1, 5), seat(0, 2, 6), seat(1, 1, 5)], vec![seat(0, 2, 6)]),
            (vec![seat(0, 1, 5), seat(0, 2, 5), seat(0, 9, 1), seat(1, 1, 5)], vec![seat(0, 9, 1)]),
            (vec![seat(0, 2, 5), seat(1, 2, 7)], vec![seat(0, 1, 5).freed(), seat(1, 1, 5).freed(), seat(1, 2, 7)]),
            (vec![], vec![seat(0, 1, 5).freed(), seat(0, 2, 5).freed(), seat(1, 1, 5).freed()]),
        ] {
            assert_eq!(changed_seats(&before, &now), changed);
        }
        assert!(seat(0, 1, 5).freed().is_free() && !seat(0, 1, 5).is_free());
    }
}

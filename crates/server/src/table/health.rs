//! How the seats of a table are, for its staff: those here, and those of clusters that run elsewhere, of which the dealer's side is
//! told.

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Money};
use taisai_table::{BuyIn, Cluster, Meters, PersonId, Receipt, Seat, SessionId, Time};

use super::places;

/// How a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct SeatHealth {
    cluster: u16,
    seat: Seat,
    session: Option<SessionId>,
    credits: Money,
    on_layout: Money,
    is_connected: bool,
    is_lost: bool,
    is_locked: bool,
    /// The last buy-in of its session that a person has taken.
    buy_in: Option<BuyInView>,
}

/// A buy-in, as its receipt has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct BuyInView {
    receipt: Receipt,
    amount: Money,
    by: PersonId,
    time: Time,
    is_reversed: bool,
}

impl BuyInView {
    const fn of(buy_in: &BuyIn) -> Self {
        let BuyIn { session: _, receipt, amount, by, time, is_reversed } = *buy_in;
        Self { receipt, amount, by, time, is_reversed }
    }
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
            buy_in: cluster.last_buy_in(seat).map(BuyInView::of),
        }
    }

    const fn is_free(&self) -> bool {
        self.session.is_none() && !self.is_connected && !self.is_lost && !self.is_locked
    }

    const fn place(&self) -> SeatPlace {
        SeatPlace { cluster: self.cluster, seat: self.seat }
    }
}

/// Where a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct SeatPlace {
    cluster: u16,
    seat: Seat,
}

/// Seats that have changed, and those that are told of no more. Both lists are in order.
pub(super) fn changed_seats(before: &[SeatHealth], now: &[SeatHealth]) -> (Vec<SeatHealth>, Vec<SeatPlace>) {
    let mut before = before.iter().peekable();
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    for seat in now {
        while let Some(one) = before.next_if(|one| one.place() < seat.place()) {
            gone.push(one.place());
        }
        if before.next_if(|one| one.place() == seat.place()) != Some(seat) {
            changed.push(*seat);
        }
    }
    gone.extend(before.map(SeatHealth::place));
    (changed, gone)
}

/// So many seats of a cluster that runs elsewhere are told: a letter has its bounds. Those that are locked come first, then those
/// that are lost.
const MOST_SEATS: usize = 150;

/// So many sources of commands there, those heard last.
const MOST_SOURCES: usize = 100;

/// What the dealer's side is told of a cluster that runs elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AtCluster {
    totals: Vec<(BetBox, Money)>,
    pub(super) meters: Meters,
    /// Seats that are not free, in order.
    pub(super) seats: Vec<SeatHealth>,
    /// How many more are not.
    pub(super) unlisted: u32,
    /// The newest numbers of commands there that no terminal sent, by their sources.
    numbers: Vec<(u64, u64)>,
}

impl AtCluster {
    pub(super) fn of(cluster: &Cluster, is_connected: impl Fn(u16, Seat) -> bool) -> Self {
        let boxes = cluster.rules().layout().boxes().iter().map(|bet_box| (*bet_box, cluster.total(*bet_box)));
        let seats = places(cluster).map(|seat| SeatHealth::of(cluster, seat, &is_connected));
        let mut seats: Vec<_> = seats.filter(|seat| !seat.is_free()).collect();
        seats.sort_by_key(|seat| (!seat.is_locked, !seat.is_lost));
        let unlisted = u32::try_from(seats.len().saturating_sub(MOST_SEATS)).unwrap_or(u32::MAX);
        seats.truncate(MOST_SEATS);
        seats.sort_by_key(|seat| seat.seat);
        Self {
            totals: boxes.filter(|(_, amount)| *amount > Money::ZERO).collect(),
            meters: cluster.meters(),
            seats,
            unlisted,
            numbers: cluster.numbers().take(MOST_SOURCES).collect(),
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
impl AtCluster {
    /// One that has as much to tell as any.
    pub(crate) fn largest() -> Self {
        let most = Money::from_cents(i64::MAX);
        let seat = |seat: usize| SeatHealth {
            cluster: u16::MAX,
            seat: Seat(u32::MAX - u32::try_from(seat).expect("seats are few")),
            session: Some(SessionId(u32::MAX)),
            credits: most,
            on_layout: most,
            is_connected: false,
            is_lost: false,
            is_locked: false,
            buy_in: Some(BuyInView {
                receipt: Receipt(u32::MAX),
                amount: most,
                by: PersonId(u32::MAX),
                time: Time(u64::MAX),
                is_reversed: false,
            }),
        };
        let game = taisai_rules::Games::embedded().find("sic-bo-etg", None).expect("it is approved");
        Self {
            totals: game.layout("B").expect("it has one").boxes().iter().map(|bet_box| (*bet_box, most)).collect(),
            meters: Meters::default(),
            seats: (0..MOST_SEATS).map(seat).collect(),
            unlisted: u32::MAX,
            numbers: vec![(u64::MAX, u64::MAX); MOST_SOURCES],
        }
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
            buy_in: None,
        }
    }

    #[test]
    fn only_seats_that_have_changed_are_told() {
        let before = [seat(0, 1, 5), seat(0, 2, 5), seat(1, 1, 5)];
        let [one, two, three] = before.map(|seat| seat.place());
        for (now, changed, gone) in [
            (vec![seat(0, 1, 5), seat(0, 2, 5), seat(1, 1, 5)], vec![], vec![]),
            (vec![seat(0, 1, 5), seat(0, 2, 6), seat(1, 1, 5)], vec![seat(0, 2, 6)], vec![]),
            (vec![seat(0, 1, 5), seat(0, 2, 5), seat(0, 9, 1), seat(1, 1, 5)], vec![seat(0, 9, 1)], vec![]),
            (vec![seat(0, 2, 5), seat(1, 2, 7)], vec![seat(1, 2, 7)], vec![one, three]),
            (vec![], vec![], vec![one, two, three]),
        ] {
            assert_eq!(changed_seats(&before, &now), (changed, gone));
        }
    }
}

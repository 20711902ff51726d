//! What a table's staff are shown of a cluster: what lies on the layout, how its seats are, and at a live table whom to pay.

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Money, Station};
use taisai_table::{
    Betting, BuyIn, Chips, Cluster, FilmLine, Meters, PayList, PersonId, Receipt, Registration, RejectedStake,
    RequiredRegistration, RoundNumber, Seat, SessionId, Time,
};

use super::player_seats;
use super::view::BetView;
use crate::round::is_lit;

/// At most so many seats of a cluster are shown on another node: a message has its bounds. Those that are locked come first, then
/// those that are lost.
const MAX_SEATS: usize = 150;

/// How many sources of commands are shown there, the newest.
const MAX_SOURCES: usize = 100;

/// What a table's staff see of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterView {
    /// What lies on each box, where anything does.
    pub totals: Vec<(BetBox, Money)>,
    /// None where only winners are registered.
    pub meters: Option<Meters>,
    /// Every seat; of a cluster on another node those that are not free. In order.
    pub seats: Vec<SeatHealth>,
    /// How many more are not free.
    pub unlisted: u32,
    /// What only a live table has, whose cluster is always on the same node.
    #[serde(skip)]
    pub live: LiveView,
    /// The newest numbers of commands there that no terminal sent, by their sources.
    numbers: Vec<(u64, u64)>,
}

/// What the staff of a live table see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveView {
    /// What lies there of each seat, as it is registered.
    pub bets: Vec<SeatBet>,
    /// What the Dealer's `reject-excess` would take back now, in order (5.1).
    pub excess: Vec<RejectedStake>,
    /// While bets are open, the boxes whose total is below the minimum (5.2).
    pub below: Vec<BelowView>,
    /// While winners are registered, what is required on each box and what is registered there.
    pub registering: Option<RegisteringView>,
    /// Whom to pay.
    pub pay_list: Option<PayList>,
    /// Rounds whose bets are registered from the film.
    pub returns: Vec<ReturnsView>,
}

impl ClusterView {
    /// A cluster on the same node as its round.
    pub(crate) fn local(cluster: &Cluster, is_connected: impl Fn(Seat) -> bool) -> Self {
        let seats = player_seats(cluster).map(|seat| SeatHealth::of(cluster, seat, &is_connected)).collect();
        Self { live: LiveView::of(cluster), ..Self::of(cluster, seats, 0, Vec::new()) }
    }

    /// A cluster on another node: what fits a message.
    pub(crate) fn remote(cluster: &Cluster, is_connected: impl Fn(Seat) -> bool) -> Self {
        let seats = player_seats(cluster).map(|seat| SeatHealth::of(cluster, seat, &is_connected));
        let mut seats: Vec<_> = seats.filter(|seat| !seat.is_free()).collect();
        seats.sort_by_key(|seat| (!seat.is_locked, !seat.is_lost));
        let unlisted = u32::try_from(seats.len().saturating_sub(MAX_SEATS)).unwrap_or(u32::MAX);
        seats.truncate(MAX_SEATS);
        seats.sort_by_key(|seat| seat.seat);
        Self::of(cluster, seats, unlisted, cluster.numbers().take(MAX_SOURCES).collect())
    }

    fn of(cluster: &Cluster, seats: Vec<SeatHealth>, unlisted: u32, numbers: Vec<(u64, u64)>) -> Self {
        let boxes = cluster.rules().layout().boxes().iter().map(|bet_box| (*bet_box, cluster.total(*bet_box)));
        let has_meters = cluster.rules().registration() == Registration::EveryBet;
        Self {
            totals: boxes.filter(|(_, amount)| *amount > Money::ZERO).collect(),
            meters: has_meters.then(|| cluster.meters()),
            seats,
            unlisted,
            live: LiveView::default(),
            numbers,
        }
    }

    pub(crate) fn numbers(&self) -> &[(u64, u64)] {
        &self.numbers
    }

    /// What lies on a box.
    pub fn total(&self, bet_box: BetBox) -> Money {
        self.totals.iter().find(|(of, _)| *of == bet_box).map_or(Money::ZERO, |(_, amount)| *amount)
    }
}

impl LiveView {
    fn of(cluster: &Cluster) -> Self {
        let is_live = cluster.rules().game().station() == Station::LiveTable;
        let is_open = cluster.betting() == Betting::Open;
        Self {
            bets: if is_live { SeatBet::all(cluster).collect() } else { Vec::new() },
            excess: cluster.rejections(),
            below: if is_open { BelowView::all(cluster).collect() } else { Vec::new() },
            registering: RegisteringView::of(cluster),
            pay_list: cluster.pay_list(),
            returns: ReturnsView::all(cluster).collect(),
        }
    }
}

/// How a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatHealth {
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    fn of(cluster: &Cluster, seat: Seat, is_connected: impl Fn(Seat) -> bool) -> Self {
        Self {
            cluster: cluster.id().number,
            seat,
            session: cluster.session(seat),
            credits: cluster.credits(seat),
            on_layout: cluster.on_layout(seat),
            is_connected: is_connected(seat),
            is_lost: cluster.is_lost(seat),
            is_locked: cluster.is_locked(seat),
            buy_in: cluster.last_buy_in(seat).map(BuyInView::of),
        }
    }

    const fn is_free(&self) -> bool {
        self.session.is_none() && !self.is_connected && !self.is_lost && !self.is_locked
    }

    /// Where the seat is.
    pub const fn place(&self) -> SeatPlace {
        SeatPlace { cluster: self.cluster, seat: self.seat }
    }
}

/// Where a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatPlace {
    cluster: u16,
    seat: Seat,
}

/// Winners being registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegisteringView {
    dice: Dice,
    /// Whether the Dealer has said that all is registered.
    is_registered: bool,
    /// The boxes that win, that require registration, or on which something is registered or announced.
    boxes: Vec<RegisteringBox>,
    /// Above this a stake takes a second person.
    limit: Money,
}

/// A box while winners are registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct RegisteringBox {
    #[serde(rename = "box")]
    bet_box: BetBox,
    wins: bool,
    /// What is required: what each seat has there, or what lay there in all.
    asked_for: Option<RequiredRegistration>,
    registered: Money,
    /// What lay there in all, as announced.
    told: Option<Money>,
    /// The most that counts there, where the game has limits.
    cap: Option<Money>,
}

impl RegisteringView {
    fn of(cluster: &Cluster) -> Option<Self> {
        let dice = cluster.thrown()?;
        let layout = cluster.rules().layout();
        let boxes = layout.boxes().iter().map(|bet_box| RegisteringBox {
            bet_box: *bet_box,
            wins: is_lit(layout, *bet_box, dice),
            asked_for: cluster.required_registration(*bet_box),
            registered: cluster.total(*bet_box),
            told: cluster.announced_total(*bet_box),
            cap: layout.limit_scope().map(|_| cluster.cap_of(*bet_box)),
        });
        let is_shown =
            |of: &RegisteringBox| of.wins || of.asked_for.is_some() || of.told.is_some() || of.registered > Money::ZERO;
        let boxes = boxes.filter(is_shown).collect();
        Some(Self { dice, is_registered: cluster.is_registered(), boxes, limit: cluster.registration_limit() })
    }
}

/// A round whose bets are registered from the film.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReturnsView {
    round: RoundNumber,
    /// The unit that the stakes of the lines are counted in.
    unit: Money,
    lines: Vec<FilmLine>,
    /// What each seat gets when the returns are closed with these lines, or gives where it is negative.
    owed: Vec<FilmOwed>,
}

/// What a seat gets for what the film shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct FilmOwed {
    seat: Seat,
    amount: Money,
}

impl ReturnsView {
    fn all(cluster: &Cluster) -> impl Iterator<Item = Self> {
        let owed = |round| {
            let owed = cluster.owed_from_film(round).unwrap_or_default().into_iter();
            let owed = owed.map(|of| FilmOwed { seat: of.seat, amount: of.amount() });
            owed.filter(|owed| owed.amount != Money::ZERO).collect()
        };
        cluster.returns().filter(|(_, returns)| returns.is_open).map(move |(round, returns)| Self {
            round,
            unit: cluster.unit_of(round).unwrap_or(Money::ZERO),
            lines: returns.lines.clone(),
            owed: owed(round),
        })
    }
}

/// What lies of a seat on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatBet {
    cluster: u16,
    seat: Seat,
    #[serde(flatten)]
    bet: BetView,
}

impl SeatBet {
    fn all(cluster: &Cluster) -> impl Iterator<Item = Self> {
        let of = move |seat| BetView::all(cluster, seat).map(move |bet| (seat, bet));
        cluster.seats().flat_map(of).map(|(seat, bet)| Self { cluster: cluster.id().number, seat, bet })
    }
}

/// A box whose total is below its minimum, and whose bets lie there (5.2): the Dealer advises them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BelowView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    total: Money,
    minimum: Money,
    bets: Vec<BelowBet>,
}

/// A bet on such a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct BelowBet {
    seat: Seat,
    chips: Chips,
    amount: Money,
}

impl BelowView {
    fn all(cluster: &Cluster) -> impl Iterator<Item = Self> {
        cluster.below_minimum().map(|(bet_box, total, minimum)| {
            let bets =
                cluster.seats().flat_map(|seat| cluster.bets(seat).map(move |(chips, stake)| (seat, chips, stake)));
            let bets = bets.filter(|(_, _, stake)| stake.bet_box == bet_box);
            let bets = bets.map(|(seat, chips, stake)| BelowBet { seat, chips, amount: stake.amount });
            Self { bet_box, total, minimum, bets: bets.collect() }
        })
    }
}

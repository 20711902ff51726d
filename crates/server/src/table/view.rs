//! What screens are shown of a table: a snapshot first, then each part anew when it changes. The names are those of the game;
//! amounts are whole cents.

use serde::Serialize;
use taisai_record::Recorder;
use taisai_rules::{BetBox, Dice, Face, Money};
use taisai_table::{
    Chips, Cluster, Meters, PersonId, Phase, Position, Round, RoundNumber, Seat, SessionId, Stake, TableId,
    TableLimits, Time, VoidReason,
};

use crate::leaving::Answered;

/// So many results are shown (F63).
const RESULTS: u64 = 100;

/// What anyone at the table sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PublicView {
    table: TableId,
    round: RoundNumber,
    phase: Phase,
    closes_at: Option<Time>,
    is_held: bool,
    is_interrupted: bool,
    tumbles: Option<u8>,
    faces: Option<[Option<Face>; 3]>,
    dealer: Option<PersonId>,
    limits: Option<TableLimits>,
    /// The newest first.
    results: Vec<ResultView>,
}

/// A round that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct ResultView {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
}

impl PublicView {
    pub(crate) fn of(round: &Round) -> Self {
        let last = round.number().0;
        let results = (last.saturating_sub(RESULTS)..=last).rev().map(RoundNumber).filter_map(|number| {
            let past = round.past(number)?;
            Some(ResultView { round: number, dice: past.dice, void: past.void })
        });
        Self {
            table: round.table(),
            round: round.number(),
            phase: round.phase(),
            closes_at: round.closes_at(),
            is_held: round.is_held(),
            is_interrupted: round.is_interrupted(),
            tumbles: round.tumbles(),
            faces: round.faces(),
            dealer: round.holder(Position::Dealer),
            limits: round.limits().cloned(),
            results: results.collect(),
        }
    }
}

/// What a terminal, or the player at a seat, sees of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SeatView {
    seat: Seat,
    session: Option<SessionId>,
    credits: Money,
    on_layout: Money,
    bets: Vec<BetView>,
    is_locked: bool,
    meters: Meters,
}

/// What lies on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct BetView {
    chips: Chips,
    #[serde(flatten)]
    stake: Stake,
}

impl SeatView {
    pub(crate) fn of(cluster: &Cluster, seat: Seat) -> Self {
        Self {
            seat,
            session: cluster.session(seat),
            credits: cluster.credits(seat),
            on_layout: cluster.on_layout(seat),
            bets: cluster.bets(seat).map(|(chips, stake)| BetView { chips, stake }).collect(),
            is_locked: cluster.is_locked(seat),
            meters: cluster.session_meters(seat),
        }
    }
}

/// What the staff of the table see beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct StaffView {
    supervisor: Option<PersonId>,
    manager: Option<PersonId>,
    dice_set: u32,
    /// What lies on each box, over all seats.
    totals: Vec<TotalView>,
    meters: Vec<Meters>,
    seats: Vec<SeatHealth>,
}

/// What lies on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct TotalView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    amount: Money,
}

/// How a seat is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct SeatHealth {
    cluster: u16,
    seat: Seat,
    credits: Money,
    on_layout: Money,
    is_lost: bool,
    is_locked: bool,
}

impl StaffView {
    pub(crate) fn of(round: &Round, clusters: &[Recorder<Cluster>]) -> Self {
        let clusters = || clusters.iter().map(Recorder::machine);
        let amount = |bet_box: BetBox| clusters().map(|cluster| cluster.total(bet_box).cents()).sum::<i64>();
        let totals = round.rules().layout().boxes().iter().map(|bet_box| (*bet_box, amount(*bet_box)));
        let totals = totals.filter(|(_, cents)| *cents > 0);
        let health = |cluster: &Cluster, seat: Seat| SeatHealth {
            cluster: cluster.id().number,
            seat,
            credits: cluster.credits(seat),
            on_layout: cluster.on_layout(seat),
            is_lost: cluster.is_lost(seat),
            is_locked: cluster.is_locked(seat),
        };
        let in_session = |cluster: &Cluster, seat: &Seat| cluster.session(*seat).is_some();
        let seats = clusters().flat_map(|cluster| {
            cluster.seats().filter(move |seat| in_session(cluster, seat)).map(move |seat| health(cluster, seat))
        });
        Self {
            supervisor: round.holder(Position::Supervisor),
            manager: round.holder(Position::Manager),
            dice_set: round.dice_set(),
            totals: totals.map(|(bet_box, cents)| TotalView { bet_box, amount: Money::from_cents(cents) }).collect(),
            meters: clusters().map(Cluster::meters).collect(),
            seats: seats.collect(),
        }
    }
}

/// The first message to a screen.
#[derive(Debug, Serialize)]
pub(crate) struct Snapshot {
    pub(crate) public: PublicView,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seat: Option<SeatView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) staff: Option<StaffView>,
}

/// What a terminal is told: answers, and its seat as it stands after them.
#[derive(Debug, Serialize)]
pub(crate) struct SeatChange {
    pub(crate) answers: Vec<Answered>,
    pub(crate) seat: SeatView,
}

/// The table as everyone sees it has changed.
#[derive(Debug, Serialize)]
pub(crate) struct PublicChange<'a> {
    pub(crate) public: &'a PublicView,
}

/// The table as its staff see it has changed.
#[derive(Debug, Serialize)]
pub(crate) struct StaffChange<'a> {
    pub(crate) staff: &'a StaffView,
}

//! What a terminal, or the player at a seat, is shown.

use serde::Serialize;
use taisai_rules::{BetBox, Dice, Money};
use taisai_table::{
    Chips, Cluster, ColourSet, Meters, PlayerMessage, PlayerNotice, Receipt, RoundNumber, RoundStanding, Seat,
    SessionId, SlipLine, Stake, VoidReason,
};

use crate::house::SeatMoney;

/// What a terminal sees of its seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatView {
    number: u64,
    seat: Seat,
    session: Option<SessionId>,
    credits: Money,
    on_layout: Money,
    bets: Vec<BetView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<ColourSet>,
    is_locked: bool,
    meters: Meters,
    /// How the last round with bets of this seat came out: in a snapshot, and when it has come or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<LastGame>,
    /// The notices to the player of this session, the latest last: in a snapshot, and when one has come or was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<MessageView>>,
    /// What the House has of the player: nothing where it is absent.
    #[serde(skip_serializing_if = "SeatMoney::is_empty")]
    money: SeatMoney,
}

impl Default for SeatView {
    fn default() -> Self {
        Self {
            number: 0,
            seat: Seat(0),
            session: None,
            credits: Money::ZERO,
            on_layout: Money::ZERO,
            bets: Vec::new(),
            colour: None,
            is_locked: false,
            meters: Meters::default(),
            last: None,
            messages: None,
            money: SeatMoney::default(),
        }
    }
}

impl SeatView {
    /// How a seat stands. Memory of an earlier view is used again.
    pub(crate) fn set(
        &mut self,
        cluster: &Cluster,
        (seat, number): (Seat, u64),
        (last, messages): (Option<&LastGame>, Option<Vec<MessageView>>),
        money: &SeatMoney,
    ) {
        let mut bets = std::mem::take(&mut self.bets);
        bets.clear();
        bets.extend(BetView::all(cluster, seat));
        *self = Self {
            number,
            seat,
            session: cluster.session(seat),
            credits: cluster.credits(seat),
            on_layout: cluster.on_layout(seat),
            bets,
            colour: cluster.colour(seat),
            is_locked: cluster.is_locked(seat),
            meters: cluster.session_meters(seat),
            last: last.cloned(),
            messages,
            money: money.of_player(cluster.latest_session(seat), cluster.session(seat).is_some()),
        };
    }

    /// Which seat it is.
    pub const fn seat(&self) -> Seat {
        self.seat
    }

    /// Keeps nothing but memory to be used again.
    pub(crate) fn clear(&mut self) {
        let mut bets = std::mem::take(&mut self.bets);
        bets.clear();
        *self = Self { bets, ..Self::default() };
    }
}

/// What lies on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BetView {
    chips: Chips,
    #[serde(rename = "box")]
    bet_box: BetBox,
    amount: Money,
}

impl BetView {
    pub(crate) fn all(cluster: &Cluster, seat: Seat) -> impl Iterator<Item = Self> {
        cluster.bets(seat).map(|(chips, Stake { bet_box, amount })| Self { chips, bet_box, amount })
    }
}

/// A message to the player, who must read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MessageView {
    /// What it is read by.
    number: u32,
    is_read: bool,
    /// The free credits after it.
    credits: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<ChangeView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reversed: Option<ReversedView>,
}

impl MessageView {
    /// The messages of the session at a seat.
    pub fn all(cluster: &Cluster, seat: Seat) -> Vec<Self> {
        let view = |(message, is_read): (&PlayerMessage, bool)| {
            let PlayerMessage { number, what, credits } = *message;
            let (changed, reversed) = match what {
                PlayerNotice::Changed { round, stands, amount, at_once, is_waived } => {
                    let (dice, void) = match stands {
                        RoundStanding::Settled(dice) => (Some(dice), None),
                        RoundStanding::Void(reason) => (None, Some(reason)),
                        RoundStanding::InPlay => (None, None),
                    };
                    (Some(ChangeView { round, dice, void, amount, at_once, is_waived }), None)
                }
                PlayerNotice::BuyInReversed { receipt, amount } => (None, Some(ReversedView { receipt, amount })),
            };
            Self { number, is_read, credits, changed, reversed }
        };
        cluster.messages(seat).map(view).collect()
    }
}

/// A buy-in that was reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct ReversedView {
    /// The number on its receipt.
    receipt: Receipt,
    amount: Money,
}

/// A settled round that was settled again or voided, and what that came to for a session. What is given beyond `at_once` is set off
/// against what the session owes for earlier rounds; what is taken beyond it is owed, unless the House bears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct ChangeView {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
    /// What the session gets, or gives if negative.
    amount: Money,
    /// How much of it was put to the credits, or taken from them if negative.
    at_once: Money,
    /// Whether the House bears what the session would give (F81).
    is_waived: bool,
}

/// A round as it came out for a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LastGame {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
    lines: Vec<LineView>,
    paid: Money,
}

/// A bet as it came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct LineView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    staked: Money,
    counted: Money,
    /// With the stake, where it won; nothing where it lost.
    paid: Money,
}

impl LastGame {
    /// The outcome of a seat's lines. `pays` gives what a line is paid.
    pub fn of(
        round: RoundNumber,
        stands: Result<Dice, VoidReason>,
        lines: &[SlipLine],
        unit: Money,
        pays: impl Fn(&SlipLine) -> Money,
    ) -> Self {
        let cents = |units: u32| Money::from_cents(unit.cents() * i64::from(units));
        let line = |line: &SlipLine| LineView {
            bet_box: line.bet_box,
            staked: cents(line.units),
            counted: cents(line.counted),
            paid: pays(line),
        };
        let lines: Vec<_> = lines.iter().map(line).collect();
        let paid = Money::from_cents(lines.iter().map(|line| line.paid.cents()).sum());
        Self { round, dice: stands.ok(), void: stands.err(), lines, paid }
    }

    /// Which round it was.
    pub const fn round(&self) -> RoundNumber {
        self.round
    }

    /// What it was paid, stakes included.
    pub const fn paid(&self) -> Money {
        self.paid
    }
}

//! Settlement at the players' side: what counts of each wager, what each line is paid, and what each session gets or gives when a
//! round that is over is settled again or voided.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, LimitScope, Money, Payouts, Station, Unit, pro_rata};

use crate::cluster::decide::MAX_ON_A_BOX;
use crate::cluster::slip_bytes::{SettledSlip, SlipBytes, SlipDigest, SlipSink, SlipWriter};
use crate::cluster::{
    Chips, Cluster, ClusterCommand, ClusterEvent, ClusterSeat, PayList, Stake, Wager, cents, less, sum,
};
use crate::codec::ClusterEntry;
use crate::identity::{RoundNumber, Seat, SessionId};
use crate::refusal::Refusal;
use crate::round::VoidReason;
use crate::rules::{Registration, TableLimits};

/// What a round came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SlipTotals {
    pub lines: u64,
    pub staked: Money,
    /// What counted: nothing where the round is void.
    pub counted: Money,
    /// What was returned: excess, or everything where the round is void.
    pub returned: Money,
    /// What was paid for winning bets, stakes included.
    pub paid: Money,
}

/// A line of a slip: what one seat had on one box at the close.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SlipLine {
    pub seat: Seat,
    pub session: SessionId,
    #[serde(rename = "box")]
    pub bet_box: BetBox,
    /// With what it was placed.
    pub chips: Chips,
    /// The stake, in units.
    pub units: u32,
    /// What counted of it, in units.
    pub counted: u32,
}

/// All lines of a round, as they were settled: by seat, and by first placement within a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Slip {
    pub lines: Vec<SlipLine>,
    /// Totals on boxes that the Dealer announced at a table that registers winners. What counts depends on them.
    pub told: Vec<Stake>,
    /// The limits of the round, at a table that registers winners: bets that are registered from the film count by them.
    pub limits: Option<TableLimits>,
}

/// What counts on a box is more than the Differential above what counts on the opposite box. Excess is measured against what was
/// placed there (1.3), so this happens where the opposite box was cut by its own maximum, or stakes below the minimum count in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OverDifferential {
    /// The box on which more counts.
    #[serde(rename = "box")]
    pub bet_box: BetBox,
    pub counted: Money,
    /// What counts on the opposite box.
    pub opposite_counted: Money,
    /// The maximum Differential on display.
    pub differential: Money,
}

/// What a session gets or gives when a round that is over is settled again or voided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Adjustment {
    pub seat: Seat,
    pub session: SessionId,
    /// What it is paid more for winning bets, or less if negative.
    pub won: Money,
    /// What is returned to it more, or less if negative.
    pub returned: Money,
    /// How much of it is taken from, or put to, the free credits or chips of the session. The rest is a receivable or a
    /// claim.
    pub at_once: Money,
    /// How much of what is put there is in Colour Chips, as the bets were.
    pub in_colour: Money,
    /// Whether its win by the new dice is a large one, which locks the terminal (F33).
    pub is_large: bool,
    /// Whether the House bears what the session would give, as it may not be taken back (F81).
    pub is_waived: bool,
}

impl Adjustment {
    /// What the session gets, or gives if negative.
    ///
    /// # Panics
    /// If the amounts are none that a table can have.
    pub fn amount(&self) -> Money {
        sum(self.won, self.returned)
    }
}

/// What a session's lines change by.
#[derive(Clone, Copy, Default)]
struct SlipChange {
    won: Money,
    returned: Money,
    /// Of both, what was in Colour Chips.
    colour: Money,
    /// What the lines win by the new dice, less their stakes.
    win: Money,
}

impl SlipChange {
    fn amount(&self) -> Money {
        sum(self.won, self.returned)
    }
}

/// What counts of the wagers on boxes that are over their limits, by seat and box; every other wager counts in full.
pub(super) type CountedUnits = BTreeMap<(Seat, BetBox), u32>;

impl Cluster {
    /// Whether limits bind the box's total over all seats.
    pub(super) fn binds_boxes(&self) -> bool {
        self.rules.layout().limit_scope() == Some(LimitScope::Box)
    }

    /// What each box pays on the dice for a unit staked.
    pub(super) fn payouts(&self, dice: Dice) -> Payouts {
        self.rules.layout().payouts(dice, self.limits.unit()).expect("a unit that breaks a payout is never on display")
    }

    /// What counts at the close (5.1.1, 5.1.2).
    pub(super) fn counted(&self) -> CountedUnits {
        let mut counted = BTreeMap::new();
        let unit = self.limits.unit();
        for bet_box in self.rules.layout().boxes().iter().copied().filter(|_| self.binds_boxes()) {
            let (total, cap) = (self.total(bet_box), self.cap_of(bet_box));
            // What was announced and not registered lies there too: a round that is void before all is registered may still be settled.
            let unregistered = less(self.announced_total(bet_box).unwrap_or(total).max(total), total);
            if sum(total, unregistered) <= cap {
                continue;
            }
            let mut stakes = Vec::new();
            for (seat, state) in self.seats().zip(&self.state.seats) {
                let own = state.bets.iter().filter(|wager| wager.bet_box == bet_box);
                stakes.extend(own.map(|wager| (wager.place, seat, cents(wager.units.into(), unit.cents()))));
            }
            stakes.sort_unstable_by_key(|(place, _, _)| *place);
            let mut amounts: Vec<_> = stakes.iter().map(|(_, _, amount)| *amount).collect();
            amounts.extend((unregistered > Money::ZERO).then_some(unregistered));
            let shares = pro_rata(&amounts, cap, self.limits.minimum(bet_box), unit);
            for ((_, seat, _), share) in stakes.into_iter().zip(shares) {
                let units = u32::try_from(share.cents() / unit.cents()).expect("a share is no larger than its stake");
                counted.insert((seat, bet_box), units);
            }
        }
        counted
    }

    /// Boxes whose counted total exceeds that of the opposite box by more than the Differential (1.3).
    pub(super) fn over_differential(&self) -> Vec<OverDifferential> {
        let Some(differential) = self.limits.differential() else { return Vec::new() };
        // Without excess every stake counts, and no box is over the Differential.
        if self.excess().next().is_none() {
            return Vec::new();
        }
        let counted = self.counted();
        let counted = |bet_box: BetBox| {
            let mut units =
                counted.iter().filter(|((_, of), _)| *of == bet_box).map(|(_, units)| u64::from(*units)).peekable();
            let in_full = || self.announced_total(bet_box).unwrap_or(Money::ZERO).max(self.total(bet_box));
            if units.peek().is_some() { self.cents(units.sum()) } else { in_full() }
        };
        let over = |bet_box: &BetBox| {
            let (more, opposite) = (counted(*bet_box), counted(bet_box.opposite()?));
            let over = OverDifferential { bet_box: *bet_box, counted: more, opposite_counted: opposite, differential };
            (less(more, opposite) > differential).then_some(over)
        };
        self.rules.layout().boxes().iter().filter_map(over).collect()
    }

    /// The slip of the round in play as it lies.
    pub fn slip(&self) -> Slip {
        let counted = self.counted();
        let lines = self.seats().zip(&self.state.seats);
        let lines = lines.flat_map(|(seat, state)| state.bets.iter().map(move |wager| (seat, state, wager)));
        let announced = |(bet_box, units): (&BetBox, &u64)| Stake { bet_box: *bet_box, amount: self.cents(*units) };
        Slip {
            lines: lines.map(|(seat, state, wager)| slip_line(seat, state, wager, &counted)).collect(),
            told: self.state.announced_totals.iter().map(announced).collect(),
            limits: self.state.limits.clone().filter(|_| self.rules.registration() == Registration::Winners),
        }
    }

    /// What the round in play comes to, and the digest of its lines.
    pub(super) fn reckon(&self, dice: Option<Dice>) -> (SlipTotals, [u8; 32]) {
        let bets = self.state.seats.iter().map(|seat| seat.bets.len()).sum();
        let (mut lines, mut units, mut units_counted, mut paid) = (0, 0, 0, Money::ZERO);
        let digest = self.write_slip(dice, SlipDigest::new(bets), |line, won| {
            lines += 1;
            units += u64::from(line.units);
            units_counted += u64::from(line.counted);
            paid = sum(paid, won);
        });
        let staked = self.cents(units);
        let counted = if dice.is_some() { self.cents(units_counted) } else { Money::ZERO };
        (SlipTotals { lines, staked, counted, returned: less(staked, counted), paid }, digest.finish())
    }

    /// The slip of the round that an entry settles, before the entry is applied. Its digest is the one in the entry.
    pub fn settled_slip(&self, entry: &ClusterEntry) -> Option<SettledSlip> {
        let (Ok(ClusterEvent::Settled { .. }), ClusterCommand::Follow { notice, .. }) =
            (&entry.outcome, &entry.request.command)
        else {
            return None;
        };
        let (round, stands) = notice.stands()?;
        Some(SettledSlip { round, bytes: self.write_slip(stands.ok(), SlipBytes::new(), |_, _| {}).finish() })
    }

    /// The digest of the slip of a round that is over.
    pub fn slip_digest(&self, round: RoundNumber) -> Option<[u8; 32]> {
        self.state.past.get(round).map(|past| past.digest)
    }

    /// Writes the round in play as it is settled, and shows each line with what it is paid.
    fn write_slip<S: SlipSink>(&self, dice: Option<Dice>, sink: S, mut each: impl FnMut(&SlipLine, Money)) -> S {
        let counted = self.counted();
        let payouts = dice.map(|dice| self.payouts(dice));
        let mut writer = SlipWriter::new(sink, self.state.round, dice);
        for (seat, state) in self.seats().zip(&self.state.seats) {
            for wager in &state.bets {
                let line = slip_line(seat, state, wager, &counted);
                let won = payouts.as_ref().map_or(Money::ZERO, |payouts| won(&line, payouts));
                writer.line(&line, won);
                each(&line, won);
            }
        }
        if self.rules.registration() == Registration::Winners {
            let Slip { told, limits, .. } = self.slip();
            writer.rest(&told, limits.as_ref());
        }
        writer.finish()
    }

    /// F81: what was paid is taken back only where that was displayed before play, and never after force majeure.
    pub(super) fn takes_back(&self, stands: Result<Dice, VoidReason>) -> bool {
        self.profile.law.takes_back && stands != Err(VoidReason::ForceMajeure)
    }

    /// What each session gets or gives when a past round is corrected or voided. Refuses a slip that is not the round's.
    pub(super) fn compensate(
        &self,
        round: RoundNumber,
        slip: &Slip,
        stands: Result<Dice, VoidReason>,
    ) -> Result<Vec<Adjustment>, Refusal> {
        let dice = stands.ok();
        let takes_back = self.takes_back(stands);
        let past = self.state.past.get(round).ok_or(Refusal::UnknownRound)?;
        let unit = Unit::try_from(past.unit).map_err(|_| Refusal::SlipDiffers)?;
        let payouts = |dice: Dice| self.rules.layout().payouts(dice, unit).map_err(|_| Refusal::SlipDiffers);
        let [first, before, after] = [past.first, past.latest, dice].map(|dice| dice.map(payouts).transpose());
        let (first, before, after) = (first?, before?, after?);
        let mut digest = SlipWriter::new(SlipDigest::new(slip.lines.len()), round, past.first);
        let mut changes: BTreeMap<(Seat, SessionId), SlipChange> = BTreeMap::new();
        let change = |changes: &mut BTreeMap<(Seat, SessionId), SlipChange>, line: &SlipLine| {
            let (paid_before, returned_before) = result(line, before.as_ref(), unit.cents());
            let (paid, returned) = result(line, after.as_ref(), unit.cents());
            let (won, back) = (less(paid, paid_before), less(returned, returned_before));
            let total = changes.entry((line.seat, line.session)).or_default();
            total.won = sum(total.won, won);
            total.returned = sum(total.returned, back);
            total.win = less(sum(total.win, sum(paid, returned)), cents(line.units.into(), unit.cents()));
            if line.chips == Chips::Colour {
                total.colour = sum(total.colour, sum(won, back));
            }
        };
        for line in &slip.lines {
            // A line that could not be: no slip of this cluster has it.
            let fits = |payouts: &Payouts| payouts.paid(line.bet_box, line.counted.into()).is_some();
            let all_fit = [&first, &before, &after].into_iter().flatten().all(fits);
            let stake = i64::from(line.units).checked_mul(unit.cents()).filter(|stake| *stake <= MAX_ON_A_BOX.cents());
            if line.counted > line.units || !all_fit || stake.is_none() {
                return Err(Refusal::SlipDiffers);
            }
            digest.line(line, result(line, first.as_ref(), unit.cents()).0);
            change(&mut changes, line);
        }
        if self.rules.registration() == Registration::Winners {
            digest.rest(&slip.told, slip.limits.as_ref());
        }
        if digest.finish().finish() != past.digest {
            return Err(Refusal::SlipDiffers);
        }
        let is_void_otherwise = past.latest.is_none() != dice.is_none();
        let changed = changes
            .into_iter()
            .filter(|(_, change)| is_void_otherwise || change.won != Money::ZERO || change.returned != Money::ZERO);
        let listed = self.pay_list_of(round);
        Ok(changed
            .map(|((seat, session), change)| {
                self.adjustment((round, listed.as_ref()), (seat, session), change, takes_back)
            })
            .collect())
    }

    /// What the House bears of a round for the open session of a seat.
    pub(super) fn waived(&self, seat: Seat, round: RoundNumber) -> Money {
        self.state.waived.get(&(seat, round)).copied().unwrap_or(Money::ZERO)
    }

    /// How much of a change is applied immediately: only to an open session, only to its free credits, and never below zero. The
    /// House first sets off what the session owes from an earlier change. At a live table chips can be given to the player who
    /// sits there, but not taken back; winnings of Colour Chips are paid in Colour Chips while the player has the set.
    fn adjustment(
        &self,
        (round, listed): (RoundNumber, Option<&PayList>),
        (seat, session): (Seat, SessionId),
        change: SlipChange,
        takes_back: bool,
    ) -> Adjustment {
        let open = self.seat(seat).filter(|state| state.session == Some(session) && !state.has_walked_away());
        let SlipChange { won, returned, colour, win } = change;
        let (amount, nothing) = (change.amount(), Money::ZERO);
        let (at_once, in_colour) = open.map_or((nothing, nothing), |state| {
            let set = state.colour.map(|set| less(nothing, set.credits));
            if listed.is_some() && !self.state.ticked_off.contains_key(&seat) {
                // Nothing was given yet: the pay list gives what the round comes to now.
                return (amount, set.map_or(nothing, |most| colour.max(most)));
            }
            let to_give = listed.map_or(nothing, |list| list.to_give(seat));
            let taken = sum(to_give, if takes_back { state.credits } else { nothing });
            let set_off = sum(state.owed, self.waived(seat, round)).min(amount.max(nothing));
            let at_once = less(amount, set_off).max(less(nothing, taken));
            let in_colour =
                set.map_or(nothing, |most| colour.max(most).clamp(at_once.min(nothing), at_once.max(nothing)));
            (at_once, in_colour)
        });
        let is_terminal = self.rules.game().station() == Station::PlayerTerminals;
        let is_large = is_terminal && open.is_some() && win >= self.profile.large_win;
        let is_waived = !takes_back && amount < at_once;
        Adjustment { seat, session, won, returned, at_once, in_colour, is_large, is_waived }
    }
}

pub(super) fn slip_line(seat: Seat, state: &ClusterSeat, wager: &Wager, counted: &CountedUnits) -> SlipLine {
    let counted = if counted.is_empty() { None } else { counted.get(&(seat, wager.bet_box)) };
    SlipLine {
        seat,
        session: state.session.expect("a seat with bets has a session"),
        bet_box: wager.bet_box,
        chips: wager.chips,
        units: wager.units,
        counted: counted.copied().unwrap_or(wager.units),
    }
}

/// What a line is paid and what is returned: by the dice, or everything where the round is void.
pub(super) fn result(line: &SlipLine, payouts: Option<&Payouts>, unit: i64) -> (Money, Money) {
    match payouts {
        Some(payouts) => (won(line, payouts), cents((line.units - line.counted).into(), unit)),
        None => (Money::ZERO, cents(line.units.into(), unit)),
    }
}

fn won(line: &SlipLine, payouts: &Payouts) -> Money {
    payouts.paid(line.bet_box, line.counted.into()).expect("a stake's payout was checked when placed")
}

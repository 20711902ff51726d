//! Claims that staff pay by hand, and receivables that players owe. This module decides who may pay and rule; the amounts
//! come from vouchers and clusters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::command::{ReceivableRuling, SetOff};
use super::ledger::Account;
use super::{House, HouseDecision, HouseEvent};
use crate::identity::{Actor, ClusterId, Person, PersonId, RoundNumber, Seat, SessionId, Time};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::{MAX_REASON_LENGTH, check_text};
use crate::transfer::{ClaimReason, VoucherHash};

/// Counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimId(pub u64);

/// Counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReceivableId(pub u64);

/// A session at a seat: what it is owed and what it owes may cancel.
type SeatSession = (ClusterId, Seat, SessionId);

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOrigin {
    /// From a session at a seat.
    Session { cluster: ClusterId, seat: Seat, session: SessionId, reason: ClaimReason },
    /// Credits sent to a seat that could not take them.
    Returned { cluster: ClusterId, seat: Seat },
    /// A voucher was voided.
    VoidVoucher(VoucherHash),
    /// An expired voucher is paid by ruling.
    ExpiredVoucher(VoucherHash),
}

impl ClaimOrigin {
    /// The seat that it is from, and the session where it is of one; none for a voucher, which its holder brings.
    pub const fn seat(&self) -> Option<(ClusterId, Seat, Option<SessionId>)> {
        match *self {
            Self::Session { cluster, seat, session, .. } => Some((cluster, seat, Some(session))),
            Self::Returned { cluster, seat } => Some((cluster, seat, None)),
            Self::VoidVoucher(_) | Self::ExpiredVoucher(_) => None,
        }
    }
}

/// The attendant who is on the way to pay a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimAttendant {
    pub person: PersonId,
    /// Since when.
    pub time: Time,
}

/// A paid claim, kept until the player has read the message at the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PaidClaim {
    pub amount: Money,
    pub time: Time,
    /// Why it was owed.
    pub origin: ClaimOrigin,
}

/// Money that the House owes a player and staff pay by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claim {
    /// How much is left to be paid.
    pub amount: Money,
    /// How much it was before anything was set off.
    pub gross: Money,
    /// The person who had it opened. Another person must pay it.
    pub opened_by: Option<PersonId>,
    pub origin: ClaimOrigin,
    /// Since when.
    pub opened: Time,
    pub taken: Option<ClaimAttendant>,
}

/// An open receivable: a player owes what a correction or a late void could not take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receivable {
    pub left: Money,
    /// How much it was before anything was set off, collected or written off.
    pub gross: Money,
    /// Whether the House bears it, as it may not be taken back (F81) or was written off. It is kept to be set off only.
    pub is_waived: bool,
    pub cluster: ClusterId,
    pub seat: Seat,
    pub session: SessionId,
    /// The round that was settled again or voided.
    pub round: RoundNumber,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Claims {
    pub(super) open: BTreeMap<ClaimId, Claim>,
    /// Those that were paid and not read at their terminal, the newest.
    pub(super) paid: BTreeMap<ClaimId, PaidClaim>,
    count: u64,
}

/// How many paid claims wait to be read. A new one displaces the oldest.
const MAX_PAID: usize = 1_000;

impl Claims {
    pub(super) fn open(&mut self, id: ClaimId, claim: Claim) {
        self.count = id.0;
        self.open.insert(id, claim);
    }

    pub(super) fn take(&mut self, id: ClaimId, by: ClaimAttendant) {
        self.open.get_mut(&id).expect("the claim is open").taken = Some(by);
    }

    pub(super) fn keep_paid(&mut self, id: ClaimId, claim: PaidClaim) {
        self.paid.insert(id, claim);
        if self.paid.len() > MAX_PAID {
            self.paid.pop_first();
        }
    }

    /// Sets the amount left; closes the claim if it is zero.
    fn leave(&mut self, id: ClaimId, left: Money) {
        if left == Money::ZERO {
            self.open.remove(&id).expect("the claim is open");
        } else {
            self.open.get_mut(&id).expect("the claim is open").amount = left;
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receivables {
    pub(super) open: BTreeMap<ReceivableId, Receivable>,
    count: u64,
}

impl Receivables {
    pub(super) fn open(&mut self, id: ReceivableId, receivable: Receivable) {
        self.count = id.0;
        self.open.insert(id, receivable);
    }

    /// Sets the amount left; closes the receivable if it is zero.
    pub(super) fn leave(&mut self, id: ReceivableId, left: Money) {
        if left == Money::ZERO {
            self.open.remove(&id).expect("the receivable is open");
        } else {
            self.open.get_mut(&id).expect("the receivable is open").left = left;
        }
    }

    /// The House bears what is left. It is kept, so that a later correction of the same round does not pay it a second time.
    pub(super) fn waive(&mut self, id: ReceivableId) {
        self.open.get_mut(&id).expect("the receivable is open").is_waived = true;
    }
}

impl Claim {
    pub(super) const fn new(amount: Money, origin: ClaimOrigin, opened: Time) -> Self {
        Self { amount, gross: amount, opened_by: None, origin, opened, taken: None }
    }

    /// Whether the player cashed out by hand, and may take it back as long as no attendant has the claim.
    pub const fn is_players_cash_out(&self) -> bool {
        let is_cash_out = matches!(self.origin, ClaimOrigin::Session { reason: ClaimReason::CashOut, .. });
        is_cash_out && self.opened_by.is_none()
    }

    /// The session and the round whose correction or void the claim is from. Credits cashed out and winnings of other rounds are
    /// not set off (5.8).
    fn session_and_round(&self) -> Option<(SeatSession, RoundNumber, bool)> {
        match self.origin {
            ClaimOrigin::Session { cluster, seat, session, reason } => {
                let session = (cluster, seat, session);
                match reason {
                    ClaimReason::Correction(round) | ClaimReason::Void(round) | ClaimReason::FromFilm(round) => {
                        Some((session, round, false))
                    }
                    ClaimReason::WalkedAway(round) => Some((session, round, true)),
                    ClaimReason::CashOut | ClaimReason::LeftBehind | ClaimReason::VoucherFailed => None,
                }
            }
            ClaimOrigin::Returned { .. } | ClaimOrigin::VoidVoucher(_) | ClaimOrigin::ExpiredVoucher(_) => None,
        }
    }

    /// The round that a debt of a round may be set off against, if it may.
    fn round_for(&self, of: SeatSession, debt: RoundNumber) -> Option<RoundNumber> {
        let (session, round, is_winnings) = self.session_and_round()?;
        (session == of && (!is_winnings || round == debt)).then_some(round)
    }
}

impl House {
    /// The event that opens the next claim.
    pub(super) fn claim_opened(&self, amount: Money, origin: ClaimOrigin, time: Time) -> HouseEvent {
        let claim = ClaimId(self.claims.count.checked_add(1).expect("claims can be counted"));
        let opened = Claim::new(amount, origin, time);
        // What the House bears of the round goes first, as in the cluster.
        let (waived, owed): (Vec<_>, Vec<_>) = self.receivables.open.iter().partition(|(_, owed)| owed.is_waived);
        let receivables = waived.into_iter().chain(owed).map(|(id, owed)| (claim, &opened, *id, owed));
        let set_off = set_off_up_to(amount, receivables);
        HouseEvent::ClaimOpened { claim, amount, set_off }
    }

    /// The event that opens the next receivable.
    pub(super) fn receivable_opened(&self, owed: Receivable) -> HouseEvent {
        let receivable = ReceivableId(self.receivables.count.checked_add(1).expect("receivables can be counted"));
        let claims = self.claims.open.iter().filter(|_| !owed.is_waived);
        let set_off = set_off_up_to(owed.left, claims.map(|(id, claim)| (*id, claim, receivable, &owed)));
        HouseEvent::ReceivableOpened { receivable, set_off }
    }

    /// Sets claims and receivables off. Both were booked in full before.
    pub(super) fn set_off(&mut self, set_off: &[SetOff]) {
        for SetOff { amount, claim, receivable, .. } in set_off {
            let (owed, owes) = (self.claims.open[claim], self.receivables.open[receivable]);
            let less = |of: Money| of.checked_sub(*amount).expect("no more is set off than there is");
            self.claims.leave(*claim, less(owed.amount));
            self.receivables.leave(*receivable, less(owes.left));
            let account = if owes.is_waived { Account::Result } else { Account::Receivables };
            self.ledger.post(Account::Claims, account, *amount);
        }
    }

    /// Whether an amount from outside can be counted.
    pub(super) fn check_entering(&self, amount: Money) -> Result<(), Refusal> {
        if amount <= Money::ZERO {
            return Err(Refusal::BadAmount);
        }
        self.ledger.room_for(amount)
    }

    /// F43: above the hand-pay limit it takes two people.
    pub(super) fn decide_pay_claim(&self, actor: Actor, claim: ClaimId, second: Option<Person>) -> HouseDecision {
        let open = self.claims.open.get(&claim);
        let is_large = open.is_some_and(|claim| claim.amount > self.profile.hand_pay_limit);
        self.right(if is_large { Act::LargeHandPay } else { Act::HandPay }, actor, second)?;
        let open = open.ok_or(Refusal::UnknownClaim)?;
        let pays = [actor.person(), second].into_iter().flatten().any(|person| Some(person.id) == open.opened_by);
        if pays {
            return Err(Refusal::OwnClaim);
        }
        Ok(HouseEvent::CashPaid { amount: open.amount })
    }

    /// The person who had the claim opened may not pay it, and so may not take it either.
    pub(super) fn decide_take_claim(&self, actor: Actor, claim: ClaimId) -> HouseDecision {
        let person = self.right(Act::HandPay, actor, None)?;
        let open = self.claims.open.get(&claim).ok_or(Refusal::UnknownClaim)?;
        // A colleague may take it over from an attendant.
        if open.taken.is_some_and(|taken| taken.person == person.id) {
            return Err(Refusal::ClaimTaken);
        }
        if open.opened_by == Some(person.id) { Err(Refusal::OwnClaim) } else { Ok(HouseEvent::Done) }
    }

    /// The credits go back to the terminal that they were cashed out at, and nowhere else.
    pub(super) fn decide_take_back_claim(&self, actor: Actor, claim: ClaimId) -> HouseDecision {
        self.is_terminal(actor)?;
        let open = self.claims.open.get(&claim).ok_or(Refusal::UnknownClaim)?;
        let of_seat = open.origin.seat().filter(|(cluster, seat, _)| self.is_terminal_at(actor, *cluster, *seat));
        let (cluster, ..) = of_seat.filter(|_| open.is_players_cash_out()).ok_or(Refusal::NotAllowed)?;
        if open.taken.is_some() {
            return Err(Refusal::ClaimTaken);
        }
        Ok(HouseEvent::CreditsSent { number: self.next_out(cluster), amount: open.amount })
    }

    pub(super) fn decide_read_claim(&self, actor: Actor, claim: ClaimId) -> HouseDecision {
        self.is_terminal(actor)?;
        let paid = self.claims.paid.get(&claim).and_then(|paid| paid.origin.seat());
        let (cluster, seat, _) = paid.ok_or(Refusal::UnknownClaim)?;
        if self.is_terminal_at(actor, cluster, seat) { Ok(HouseEvent::Done) } else { Err(Refusal::NotAllowed) }
    }

    /// Whether the actor is a terminal on file.
    fn is_terminal(&self, actor: Actor) -> Result<(), Refusal> {
        let is_one = actor.terminal().is_some() && self.is_known(actor);
        if is_one { Ok(()) } else { Err(Refusal::NotAllowed) }
    }

    /// Whether the actor is the terminal at a seat.
    pub(super) fn is_terminal_at(&self, actor: Actor, cluster: ClusterId, seat: Seat) -> bool {
        let device = actor.terminal().filter(|(_, own)| *own == seat).map(|(device, _)| device);
        device.is_some() && self.terminal_at(cluster, seat) == device
    }

    pub(super) fn decide_rule_receivable(
        &self,
        actor: Actor,
        receivable: ReceivableId,
        ruling: ReceivableRuling,
        why: &str,
    ) -> HouseDecision {
        self.right(Act::RuleReceivable, actor, None)?;
        if let ReceivableRuling::Collected { amount } = ruling {
            self.check_entering(amount)?;
        }
        check_text(why, MAX_REASON_LENGTH)?;
        let owed = self.receivables.open.get(&receivable).filter(|owed| !owed.is_waived);
        let owed = owed.ok_or(Refusal::UnknownReceivable)?.left;
        let amount = match ruling {
            ReceivableRuling::Collected { amount } => amount,
            ReceivableRuling::WrittenOff => owed,
        };
        let left = owed.checked_sub(amount).filter(|left| *left >= Money::ZERO).ok_or(Refusal::MoreThanOwed)?;
        Ok(HouseEvent::ReceivableRuled { amount, left })
    }
}

/// What a new amount cancels of claims or receivables, in their order.
fn set_off_up_to<'a>(
    mut left: Money,
    pairs: impl Iterator<Item = (ClaimId, &'a Claim, ReceivableId, &'a Receivable)>,
) -> Vec<SetOff> {
    let mut set_off = Vec::new();
    for (claim, open, receivable, owed) in pairs {
        let session = (owed.cluster, owed.seat, owed.session);
        let Some(claim_round) = open.round_for(session, owed.round) else { continue };
        // F81: what is not taken back is not taken from another round either.
        if owed.is_waived && claim_round != owed.round {
            continue;
        }
        let amount = left.min(open.amount).min(owed.left);
        if amount > Money::ZERO {
            left = left.checked_sub(amount).expect("no more is set off than there is");
            set_off.push(SetOff { amount, claim, claim_round, receivable, receivable_round: owed.round });
        }
    }
    set_off
}

//! What is owed by hand, and what players owe. It decides who may pay and rule; amounts come from vouchers and from
//! clusters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::command::ReceivableRuling;
use super::{Decided, House, HouseEvent};
use crate::identity::{Actor, ClusterId, Person, RoundNumber, Seat, SessionId};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::{MOST_WHY, check_text};
use crate::transfer::{ClaimReason, VoucherHash};

/// Which claim: they are counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimId(pub u64);

/// Which receivable: they are counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReceivableId(pub u64);

/// Why a player is owed by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOrigin {
    /// From a session at a seat.
    Session {
        /// The seat's cluster.
        cluster: ClusterId,
        /// The seat.
        seat: Seat,
        /// The session.
        session: SessionId,
        /// Why.
        reason: ClaimReason,
    },
    /// Credits sent to a seat that could not take them.
    Returned {
        /// The seat's cluster.
        cluster: ClusterId,
        /// The seat.
        seat: Seat,
    },
    /// A voucher was voided.
    VoidVoucher(VoucherHash),
    /// An expired voucher is paid by ruling.
    ExpiredVoucher(VoucherHash),
}

/// An open claim: a player is owed by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claim {
    /// How much.
    pub amount: Money,
    /// Why.
    pub origin: ClaimOrigin,
}

/// An open receivable: a player owes what a correction or a late void could not take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receivable {
    /// How much is left.
    pub left: Money,
    /// The seat's cluster.
    pub cluster: ClusterId,
    /// The seat.
    pub seat: Seat,
    /// The session.
    pub session: SessionId,
    /// The round that was settled again or voided.
    pub round: RoundNumber,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Claims {
    pub(super) open: BTreeMap<ClaimId, Claim>,
    count: u64,
}

impl Claims {
    pub(super) fn open(&mut self, id: ClaimId, claim: Claim) {
        self.count = id.0;
        self.open.insert(id, claim);
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

    /// Leaves so much open; a receivable of which nothing is left is closed.
    pub(super) fn leave(&mut self, id: ReceivableId, left: Money) {
        if left == Money::ZERO {
            self.open.remove(&id).expect("the receivable is open");
        } else {
            self.open.get_mut(&id).expect("the receivable is open").left = left;
        }
    }
}

impl House {
    /// The event that opens the next claim.
    pub(super) fn claim_opened(&self, amount: Money) -> HouseEvent {
        let number = self.claims.count.checked_add(1).expect("claims can be counted");
        HouseEvent::ClaimOpened { claim: ClaimId(number), amount }
    }

    /// The event that opens the next receivable.
    pub(super) fn receivable_opened(&self) -> HouseEvent {
        let number = self.receivables.count.checked_add(1).expect("receivables can be counted");
        HouseEvent::ReceivableOpened { receivable: ReceivableId(number) }
    }

    /// Whether an amount from outside can be counted.
    pub(super) fn check_entering(&self, amount: Money) -> Result<(), Refusal> {
        if amount <= Money::ZERO {
            return Err(Refusal::BadAmount);
        }
        self.ledger.room_for(amount)
    }

    /// F43: above the hand-pay limit it takes two people.
    pub(super) fn decide_pay_claim(&self, actor: Actor, claim: ClaimId, second: Option<Person>) -> Decided {
        let open = self.claims.open.get(&claim);
        let is_large = open.is_some_and(|claim| claim.amount > self.profile.hand_pay_limit);
        self.right(if is_large { Act::LargeHandPay } else { Act::HandPay }, actor, second)?;
        let amount = open.ok_or(Refusal::UnknownClaim)?.amount;
        Ok(HouseEvent::CashPaid { amount })
    }

    pub(super) fn decide_rule_receivable(
        &self,
        actor: Actor,
        receivable: ReceivableId,
        ruling: ReceivableRuling,
        why: &str,
    ) -> Decided {
        self.right(Act::RuleReceivable, actor, None)?;
        if let ReceivableRuling::Collected { amount } = ruling {
            self.check_entering(amount)?;
        }
        check_text(why, MOST_WHY)?;
        let owed = self.receivables.open.get(&receivable).ok_or(Refusal::UnknownReceivable)?.left;
        let amount = match ruling {
            ReceivableRuling::Collected { amount } => amount,
            ReceivableRuling::WrittenOff => owed,
        };
        let left = owed.checked_sub(amount).filter(|left| *left >= Money::ZERO).ok_or(Refusal::MoreThanOwed)?;
        Ok(HouseEvent::ReceivableRuled { amount, left })
    }
}

//! Money in transit between machines. Each transfer has a number, and the receiver books each number once.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use crate::identity::{PersonId, RoundNumber, Seat, SessionId};

/// A keyed hash of a voucher's validation number. The number itself is never seen by the machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(min_items = 32, max_items = 32))]
pub struct VoucherHash(pub [u8; 32]);

/// A voucher's serial number, counted from one. It is not secret: it reveals nothing about the validation number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoucherSerial(pub u64);

/// What the machines know of a voucher's number: its keyed hash and its last four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct VoucherNumber {
    /// The keyed hash.
    pub hash: VoucherHash,
    /// The last four digits, for people.
    pub digits: u16,
}

impl VoucherNumber {
    /// Stands for any number where commands are compared: one that is sent again has another number, and is the same command.
    pub(crate) const ANY: Self = Self { hash: VoucherHash([0; 32]), digits: 0 };
}

/// Why a player is owed money that is not in credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimReason {
    /// Cashed out by hand: above the voucher limit, or as the player asked.
    CashOut,
    /// What the bets of a round came to, for a player who had walked away from a live table (5.3).
    WalkedAway(RoundNumber),
    /// Chips of a player who had walked away: a set of Colour Chips, or excess that was rejected (5.3).
    LeftBehind,
    /// A correction owes the player of a closed session more.
    Correction(RoundNumber),
    /// A late void returns bets of a closed session.
    Void(RoundNumber),
    /// A voucher that could not be issued.
    VoucherFailed,
    /// A bet registered from the film, after its round was corrected or voided.
    FromFilm(RoundNumber),
}

/// What passes between a cluster and the House.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum TransferPurpose {
    /// Cluster to House: a player's credits become a voucher.
    Voucher {
        /// The seat it was cashed out at.
        seat: Seat,
        /// The session that ended.
        session: SessionId,
        number: VoucherNumber,
    },
    /// Cluster to House: a player is owed money by hand.
    Claim {
        seat: Seat,
        session: SessionId,
        reason: ClaimReason,
        /// The person who cashed the player out, if it was not the player.
        by: Option<PersonId>,
    },
    /// Cluster to House: a player owes what a correction or late void could not take back. The amount goes the other way: the
    /// House holds the debt.
    Receivable {
        seat: Seat,
        session: SessionId,
        /// The round that was settled again or voided.
        round: RoundNumber,
        /// Whether the House bears it, as it may not be taken back (F81). It is kept, so that what a later correction of the same
        /// session owes is not paid twice.
        is_waived: bool,
    },
    /// House to cluster: a voucher puts credits on a seat, or a claim that the player takes back.
    Credits {
        seat: Seat,
        /// The session that they were cashed out of, where the player takes them back: they are put only where no other has begun
        /// since.
        session: Option<SessionId>,
    },
    /// Cluster to House: credits sent to a seat that cannot take them come back as a claim.
    Returned { seat: Seat },
}

/// A numbered transfer. Numbers of one direction between two machines begin at one and have no gaps, so that the receiver
/// always knows the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    pub number: u64,
    /// How much, above zero.
    pub amount: Money,
    pub purpose: TransferPurpose,
}

//! What the House has of the player at a seat: claims until they are paid and read, a voucher until it is confirmed, credits on
//! their way. The terminal shows it. It is made from the House each time, so that no restart loses any of it.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;
use taisai_table::{
    Claim, ClaimId, ClaimOrigin, ClusterId, House, HouseCommand, PaidClaim, Seat, SessionId, Time, Transfer,
    TransferPurpose, Voucher, VoucherHash, VoucherOrigin, VoucherSerial, VoucherState,
};

/// The money of a seat that is not in its credits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SeatMoney {
    /// What an attendant pays by hand.
    claims: Vec<SeatClaim>,
    /// What was paid by hand, until it is read.
    paid: Vec<SeatPaid>,
    /// The voucher of the last cash-out, until it is confirmed.
    voucher: Option<SeatVoucher>,
    /// Credits on their way to the seat.
    coming: Money,
}

/// A claim from a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct SeatClaim {
    claim: ClaimId,
    amount: Money,
    opened: Time,
    origin: ClaimOrigin,
    /// Whether an attendant has it.
    is_taken: bool,
    /// Whether the player may take it back as credits.
    can_be_taken_back: bool,
}

/// A claim from a seat that was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct SeatPaid {
    claim: ClaimId,
    amount: Money,
    time: Time,
    origin: ClaimOrigin,
}

/// A voucher that was cashed out at a seat, without its number (F42).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct SeatVoucher {
    serial: VoucherSerial,
    last_digits: u16,
    amount: Money,
    issued: Time,
    expires: Time,
    session: SessionId,
    /// How it stands: it may have been paid meanwhile.
    state: VoucherState,
}

impl SeatMoney {
    /// As the House stands.
    pub fn of(house: &House, cluster: ClusterId, seat: Seat) -> Self {
        let is_here = |origin: &ClaimOrigin| origin.seat().is_some_and(|(of, at, _)| (of, at) == (cluster, seat));
        let claims = house.claims().filter(|(_, claim)| is_here(&claim.origin));
        let paid = house.paid_claims().filter(|(_, claim)| is_here(&claim.origin));
        let coming = house.outbox(cluster).filter(|transfer| seat_of(transfer) == seat);
        Self {
            claims: claims.map(|(id, claim)| SeatClaim::of(id, claim)).collect(),
            paid: paid
                .map(|(claim, PaidClaim { amount, time, origin })| SeatPaid {
                    claim,
                    amount: *amount,
                    time: *time,
                    origin: *origin,
                })
                .collect(),
            voucher: house.unconfirmed_at(cluster, seat).and_then(SeatVoucher::of),
            coming: Money::from_cents(coming.map(|transfer| transfer.amount.cents()).sum()),
        }
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What the player there is shown: what is of the session that began last, and a voucher only until another begins. Whoever sits
    /// down next is not shown what the last one is owed.
    #[must_use]
    pub fn of_player(&self, latest: Option<SessionId>, is_open: bool) -> Self {
        let is_theirs = |origin: &ClaimOrigin| match origin.seat() {
            Some((_, _, Some(session))) => latest == Some(session),
            Some((_, _, None)) | None => true,
        };
        Self {
            claims: self.claims.iter().filter(|claim| is_theirs(&claim.origin)).copied().collect(),
            paid: self.paid.iter().filter(|claim| is_theirs(&claim.origin)).copied().collect(),
            voucher: self.voucher.filter(|voucher| !is_open && latest == Some(voucher.session)),
            coming: self.coming,
        }
    }
}

impl SeatClaim {
    const fn of(claim: ClaimId, of: &Claim) -> Self {
        let is_taken = of.taken.is_some();
        let can_be_taken_back = of.is_players_cash_out() && !is_taken;
        Self { claim, amount: of.amount, opened: of.opened, origin: of.origin, is_taken, can_be_taken_back }
    }
}

impl SeatVoucher {
    const fn of(voucher: &Voucher) -> Option<Self> {
        let Voucher { serial, digits: last_digits, amount, issued, expires, state, .. } = *voucher;
        match voucher.origin {
            VoucherOrigin::Seat { session, .. } => {
                Some(Self { serial, last_digits, amount, issued, expires, session, state })
            }
            VoucherOrigin::Cage(_) => None,
        }
    }
}

const fn seat_of(transfer: &Transfer) -> Seat {
    match transfer.purpose {
        TransferPurpose::Voucher { seat, .. }
        | TransferPurpose::Claim { seat, .. }
        | TransferPurpose::Receivable { seat, .. }
        | TransferPurpose::Credits { seat, .. }
        | TransferPurpose::Returned { seat } => seat,
    }
}

/// The seats whose money a command may change, as the House stands before it.
pub(super) fn affected_seats(house: &House, command: &HouseCommand) -> Vec<(ClusterId, Seat)> {
    use HouseCommand as C;
    let of_voucher = |voucher: &Voucher| match voucher.origin {
        VoucherOrigin::Seat { cluster, seat, .. } => Some((cluster, seat)),
        VoucherOrigin::Cage(_) => None,
    };
    let with_hash = |hash: &VoucherHash| house.voucher(*hash).and_then(of_voucher);
    let with_serial = |serial: &VoucherSerial| house.voucher_with(*serial).and_then(|(_, voucher)| of_voucher(voucher));
    let at = |origin: &ClaimOrigin| origin.seat().map(|(cluster, seat, _)| (cluster, seat));
    let found = match command {
        C::Receive { cluster, transfer } => Some((*cluster, seat_of(transfer))),
        C::Delivered { cluster, .. } => house.outbox(*cluster).next().map(|first| (*cluster, seat_of(first))),
        C::RedeemAtSeat { hash, cluster, seat } => {
            return with_hash(hash).into_iter().chain([(*cluster, *seat)]).collect();
        }
        C::RedeemAtCage { hash } | C::VoidVoucher { hash, .. } | C::RuleExpired { hash, .. } => with_hash(hash),
        C::ConfirmVoucher { serial } | C::ReissueVoucher { serial, .. } => with_serial(serial),
        C::PayClaim { claim, .. } | C::TakeClaim { claim } | C::TakeBackClaim { claim } => {
            house.claim(*claim).and_then(|claim| at(&claim.origin))
        }
        C::ReadClaim { claim } => {
            let paid = house.paid_claims().find(|(id, _)| id == claim);
            paid.and_then(|(_, paid)| at(&paid.origin))
        }
        // A voucher may expire while it is not confirmed.
        C::Tick => return house.unconfirmed().collect(),
        C::Found { .. }
        | C::AddPerson { .. }
        | C::SetRoles { .. }
        | C::Suspend { .. }
        | C::Reinstate { .. }
        | C::LoginFailed { .. }
        | C::LoginSucceeded { .. }
        | C::Unlock { .. }
        | C::Enrol { .. }
        | C::GiveCode { .. }
        | C::Revoke { .. }
        | C::CopiedToken { .. }
        | C::UseKeys { .. }
        | C::ChangeSecret { .. }
        | C::RequestApproval { .. }
        | C::AnswerApproval { .. }
        | C::WithdrawApproval { .. }
        | C::UseApproval { .. }
        | C::Acknowledge { .. }
        | C::AddTable { .. }
        | C::Configure { .. }
        | C::SellVoucher { .. }
        | C::ClearRedemptionLock { .. }
        | C::RuleReceivable { .. }
        | C::Report { .. } => None,
    };
    found.into_iter().collect()
}

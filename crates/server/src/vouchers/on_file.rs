//! What a cashier sees of a voucher that was presented (F41).

use serde::Serialize;
use taisai_rules::Money;
use taisai_table::{
    ClaimId, ClusterId, House, PaidAt, PersonId, Seat, SessionId, Time, Voucher, VoucherHash, VoucherOrigin,
    VoucherSerial, VoucherState,
};

/// A voucher that was presented, as the House has it on file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct OnFile {
    /// Its serial number.
    serial: VoucherSerial,
    /// The last four digits of its number.
    digits: String,
    /// Whole cents.
    amount: Money,
    /// When it was issued: milliseconds since 1970, UTC.
    issued: Time,
    /// From when it is no longer good.
    expires: Time,
    /// Whether it was printed, or its holder said to have it.
    is_confirmed: bool,
    /// How it stands.
    stands: OnFileState,
}

/// How a voucher stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Stands))]
#[serde(rename_all = "kebab-case")]
enum OnFileState {
    /// Good.
    Good,
    /// Expired: paid only by ruling.
    Expired,
    /// Paid.
    Paid {
        /// When.
        time: Time,
        /// Where.
        at: PaidAt,
    },
    /// Void: its amount became a claim.
    Void {
        /// When.
        time: Time,
        /// The claim.
        claim: ClaimId,
    },
    /// For training: it never redeems.
    Training,
    /// Issued anew: this number is dead.
    Replaced {
        /// When.
        time: Time,
        /// The serial number of the voucher in its place.
        by: VoucherSerial,
    },
}

/// What the House has on file of a voucher. One past its expiry counts as expired, even before a tick records that.
pub(crate) fn detail(house: &House, hash: VoucherHash, now: Time) -> Option<OnFile> {
    house.voucher(hash).map(|voucher| OnFile::of(voucher, now))
}

/// A command that issued a voucher when it was sent before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EarlierVoucher {
    Sale {
        by: PersonId,
        amount: Money,
    },
    /// A cash-out at a seat, which ended this session.
    CashOut {
        cluster: ClusterId,
        seat: Seat,
        session: Option<SessionId>,
    },
    Reissue(VoucherSerial),
}

impl EarlierVoucher {
    /// The voucher that it issued; none if that is no longer known.
    pub(crate) fn on_file(self, house: &House, now: Time) -> Option<OnFile> {
        let found = match self {
            Self::Sale { by, amount } => {
                let theirs = |voucher: &&Voucher| voucher.origin == VoucherOrigin::Cage(by) && voucher.amount == amount;
                house.vouchers().map(|(_, voucher)| voucher).filter(theirs).max_by_key(|voucher| voucher.serial)
            }
            Self::CashOut { cluster, seat, session } => {
                let is_of_it = |voucher: &&Voucher| matches!(voucher.origin, VoucherOrigin::Seat { session: of, .. } if session == Some(of));
                house.unconfirmed_at(cluster, seat).filter(is_of_it)
            }
            Self::Reissue(serial) => match house.voucher_with(serial)?.1.state {
                VoucherState::Replaced { by, .. } => house.voucher_with(by).map(|(_, voucher)| voucher),
                VoucherState::Good
                | VoucherState::Expired
                | VoucherState::Paid { .. }
                | VoucherState::Void { .. }
                | VoucherState::Play => None,
            },
        };
        found.map(|voucher| OnFile::of(voucher, now))
    }
}

impl OnFile {
    fn of(voucher: &Voucher, now: Time) -> Self {
        let Voucher { serial, digits, amount, issued, expires, state, is_confirmed, .. } = *voucher;
        let stands = match state {
            VoucherState::Good if now >= expires => OnFileState::Expired,
            VoucherState::Good => OnFileState::Good,
            VoucherState::Expired => OnFileState::Expired,
            VoucherState::Paid { time, at } => OnFileState::Paid { time, at },
            VoucherState::Void { time, claim } => OnFileState::Void { time, claim },
            VoucherState::Play => OnFileState::Training,
            VoucherState::Replaced { time, by } => OnFileState::Replaced { time, by },
        };
        Self { serial, digits: format!("{digits:04}"), amount, issued, expires, is_confirmed, stands }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use taisai_table::{CommandId, Decision, HouseCommand, Refusal};

    use super::super::ticket::tests::{TIME, ask, cashier, sold};
    use super::*;

    #[test]
    fn the_cashier_sees_where_and_when_it_was_paid() {
        let (mut house, hash) = sold(5_000);
        let digits = format!("{:04}", house.voucher(hash).unwrap().digits);
        let expires = TIME.0 + 30 * 24 * 60 * 60 * 1_000;
        let detail_json = |house: &House, now| serde_json::to_value(detail(house, hash, now).unwrap()).unwrap();
        let stands = |stands| json!({"serial": 1, "digits": digits, "amount": 5_000, "issued": TIME, "expires": expires, "is_confirmed": false, "stands": stands});
        assert_eq!(detail_json(&house, TIME), stands(json!("good")));
        assert_eq!(detail_json(&house, Time(expires)), stands(json!("expired")));
        let redeem = |sequence| (CommandId { source: 9, sequence }, HouseCommand::RedeemAtCage { hash });
        let (id, command) = redeem(1);
        assert!(matches!(ask(&mut house, cashier(), id, command), Decision::Accepted(_)));
        let (id, command) = redeem(2);
        assert_eq!(ask(&mut house, cashier(), id, command), Decision::Refused(Refusal::VoucherPaid));
        assert_eq!(detail_json(&house, TIME), stands(json!({"paid": {"time": TIME, "at": {"cage": 8}}})));
        assert_eq!(detail(&house, VoucherHash([0; 32]), TIME), None);
    }
}

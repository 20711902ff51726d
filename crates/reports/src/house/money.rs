//! Vouchers, claims and receivables: what became of them, by whom and why.

use std::sync::Arc;

use taisai_rules::Money;
use taisai_table::{
    Account, ClaimId, ClusterId, House, HouseEvent, PersonId, ReceivableRuling, SetOff, Transfer, TransferPurpose,
    VoucherHash, VoucherNumber, VoucherOrigin, VoucherSerial, VoucherState,
};

use super::{HouseBalances, PendingHouseEntry, in_cluster, voucher};
use crate::batch::{Attribution, EntryTime, SqlBatch};
use crate::tables::{CLAIMS, RECEIVABLES, VOUCHERS};
use crate::value::SqlValue;
use crate::value::variant_name;

/// Where a voucher comes from.
pub(super) struct Origin {
    pub(super) word: &'static str,
    pub(super) sold_by: Option<PersonId>,
    pub(super) of: Attribution,
    pub(super) state: &'static str,
}

pub(super) fn issue(
    event: &HouseEvent,
    number: VoucherNumber,
    amount: Money,
    origin: Origin,
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    let (HouseEvent::VoucherIssued { serial, expires } | HouseEvent::VoucherReissued { serial, expires, .. }) = event
    else {
        return;
    };
    let Origin { word, sold_by, of, state } = origin;
    let hash = voucher(number.hash);
    let empty = || SqlValue::Empty;
    batch.insert(
        &VOUCHERS,
        [
            Arc::clone(&hash).into(),
            waiting.when.time.into(),
            number.digits.into(),
            amount.into(),
            state.into(),
            (*expires).into(),
            word.into(),
            sold_by.into(),
            of.table.into(),
            of.cluster.into(),
            of.seat.into(),
            of.session.into(),
            empty(),
            empty(),
            empty(),
            empty(),
            empty(),
            empty(),
            serial.0.into(),
        ],
    );
    waiting.of = Attribution { voucher: Some(hash), ..of };
}

impl PendingHouseEntry {
    /// A voucher is paid or void: its state, and where.
    pub(super) fn close_voucher(
        &mut self,
        hash: VoucherHash,
        (state, place): (&'static str, &'static str),
        claim: Option<ClaimId>,
        batch: &mut SqlBatch,
    ) {
        let hash = voucher(hash);
        batch.execute(
            "UPDATE vouchers SET state = $1, closed_at = $2, closed_where = $3, closed_by = $4, second = $5, claim = $6,
                 why = $7 WHERE voucher = $8 AND state IN ('good', 'expired', 'play')",
            [
                state.into(),
                self.when.time.into(),
                place.into(),
                self.event.person.into(),
                self.event.second.into(),
                claim.into(),
                self.event.why.clone().into(),
                Arc::clone(&hash).into(),
            ],
        );
        self.of.voucher = Some(hash);
    }
}

/// A voucher replaces another: no money moves.
pub(super) fn reissue(
    house: &House,
    event: &HouseEvent,
    replaced: VoucherSerial,
    number: VoucherNumber,
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    let Some((hash, on_file)) = house.voucher_with(replaced) else { return };
    waiting.close_voucher(hash, ("replaced", "reissued"), None, batch);
    let state = if on_file.state == VoucherState::Play { "play" } else { "good" };
    let person = waiting.event.person.map(PersonId);
    let (word, of) = match on_file.origin {
        VoucherOrigin::Seat { cluster, seat, session } if person.is_none() => {
            let of = in_cluster(cluster, Attribution::default());
            ("seat", Attribution { seat: Some(seat.0), session: Some(session.0), ..of })
        }
        VoucherOrigin::Seat { .. } | VoucherOrigin::Cage(_) => ("cage", Attribution::default()),
    };
    issue(event, number, on_file.amount, Origin { word, sold_by: person, of, state }, waiting, batch);
}

/// A player takes a claim back: it is closed, and its money goes to the seat.
pub(super) fn take_back(house: &House, claim: ClaimId, waiting: &mut PendingHouseEntry, batch: &mut SqlBatch) {
    batch.execute("UPDATE claims SET taken_back_at = $1 WHERE claim = $2", [waiting.when.time.into(), claim.into()]);
    waiting.of.claim = Some(claim.0);
    if let Some((cluster, seat, session)) = house.claim(claim).and_then(|claim| claim.origin.seat()) {
        let of = in_cluster(cluster, waiting.of.clone());
        waiting.of = Attribution { seat: Some(seat.0), session: session.map(|session| session.0), ..of };
    }
}

/// A voucher's money is owed by hand from now on.
pub(super) fn voucher_to_claim(
    event: &HouseEvent,
    hash: VoucherHash,
    (state, reason): (&'static str, &'static str),
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    let HouseEvent::ClaimOpened { claim, amount, .. } = event else { return };
    waiting.close_voucher(hash, (state, "claim"), Some(*claim), batch);
    waiting.event.amount = Some(amount.cents());
    open_claim(*claim, *amount, reason, waiting, batch);
}

fn open_claim(
    claim: ClaimId,
    amount: Money,
    reason: &'static str,
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    waiting.of.claim = Some(claim.0);
    let of = waiting.of.clone();
    let empty = || SqlValue::Empty;
    batch.insert(
        &CLAIMS,
        [
            claim.into(),
            waiting.when.time.into(),
            amount.into(),
            0_i64.into(),
            reason.into(),
            of.table.into(),
            of.cluster.into(),
            of.seat.into(),
            of.session.into(),
            of.round.into(),
            of.voucher.into(),
            empty(),
            empty(),
            empty(),
            empty(),
        ],
    );
}

/// A transfer of a cluster has arrived and become something.
pub(super) fn receive(
    house: &House,
    event: &HouseEvent,
    cluster: ClusterId,
    transfer: &Transfer,
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    let of = in_cluster(cluster, Attribution::default());
    let (seat, session, round) = match transfer.purpose {
        TransferPurpose::Voucher { seat, session, .. } => (seat, Some(session), None),
        TransferPurpose::Claim { seat, session, reason, .. } => (seat, Some(session), round_of(reason)),
        TransferPurpose::Receivable { seat, session, round, .. } => (seat, Some(session), Some(round.0)),
        TransferPurpose::Credits { seat, session } => (seat, session, None),
        TransferPurpose::Returned { seat } => (seat, None, None),
    };
    let of = Attribution { seat: Some(seat.0), session: session.map(|session| session.0), round, ..of };
    waiting.of = of.clone();
    waiting.kind = Some("play-money");
    if let (HouseEvent::VoucherIssued { .. }, TransferPurpose::Voucher { number, .. }) = (event, transfer.purpose) {
        let is_play =
            house.is_training() || house.tables().any(|(table, set_up)| table == cluster.table && set_up.is_training);
        let origin = Origin { word: "seat", sold_by: None, of, state: if is_play { "play" } else { "good" } };
        issue(event, number, transfer.amount, origin, waiting, batch);
        waiting.kind = Some("voucher-issued");
    }
    if let HouseEvent::ClaimOpened { claim, amount, set_off } = event {
        let reason = match transfer.purpose {
            TransferPurpose::Claim { reason, .. } => variant_name(&reason),
            TransferPurpose::Voucher { .. } => "voucher-failed",
            TransferPurpose::Receivable { .. } | TransferPurpose::Credits { .. } | TransferPurpose::Returned { .. } => {
                "returned"
            }
        };
        open_claim(*claim, *amount, reason, waiting, batch);
        self::set_off(set_off, batch);
        waiting.kind = Some("claim-opened");
    }
    if let HouseEvent::ReceivableOpened { receivable, set_off } = event {
        let is_waived = matches!(transfer.purpose, TransferPurpose::Receivable { is_waived: true, .. });
        waiting.of.receivable = Some(receivable.0);
        let of = &waiting.of;
        batch.insert(
            &RECEIVABLES,
            [
                (*receivable).into(),
                waiting.when.time.into(),
                transfer.amount.into(),
                of.table.into(),
                of.cluster.into(),
                of.seat.into(),
                of.session.into(),
                of.round.into(),
                0_i64.into(),
                0_i64.into(),
                0_i64.into(),
                transfer.amount.into(),
                i64::from(is_waived).into(),
                SqlValue::Empty,
                SqlValue::Empty,
                SqlValue::Empty,
            ],
        );
        self::set_off(set_off, batch);
        waiting.kind = Some("receivable-opened");
    }
}

/// A claim and a receivable cancel each other: both were written in full before. A receivable that was written off has
/// nothing open: what is set off of it is no longer borne by the House.
fn set_off(set_off: &[SetOff], batch: &mut SqlBatch) {
    for SetOff { amount, claim, receivable, .. } in set_off {
        batch.execute("UPDATE claims SET set_off = set_off + $1 WHERE claim = $2", [(*amount).into(), (*claim).into()]);
        batch.execute(
            "UPDATE receivables SET set_off = set_off + $1,
                 still_open = still_open - CASE WHEN still_open < $1 THEN 0 ELSE $1 END,
                 written_off = written_off - CASE WHEN still_open < $1 THEN $1 ELSE 0 END WHERE receivable = $2",
            [(*amount).into(), (*receivable).into()],
        );
    }
}

const fn round_of(reason: taisai_table::ClaimReason) -> Option<u64> {
    use taisai_table::ClaimReason as R;
    match reason {
        R::Correction(round) | R::Void(round) | R::WalkedAway(round) | R::FromFilm(round) => Some(round.0),
        R::CashOut | R::LeftBehind | R::VoucherFailed => None,
    }
}

pub(super) fn rule(
    event: &HouseEvent,
    ruling: ReceivableRuling,
    waiting: &PendingHouseEntry,
    batch: &mut SqlBatch,
) -> &'static str {
    let (kind, is_collected) = match ruling {
        ReceivableRuling::Collected { .. } => ("receivable-collected", true),
        ReceivableRuling::WrittenOff => ("receivable-written-off", false),
    };
    let HouseEvent::ReceivableRuled { amount, left } = event else { return kind };
    let (collected, written_off) = if is_collected { (*amount, Money::ZERO) } else { (Money::ZERO, *amount) };
    batch.execute(
        "UPDATE receivables SET collected = collected + $1, written_off = written_off + $2, still_open = $3,
             ruled_at = $4, ruled_by = $5, why = $6 WHERE receivable = $7",
        [
            collected.into(),
            written_off.into(),
            (*left).into(),
            waiting.when.time.into(),
            waiting.event.person.into(),
            waiting.event.why.clone().into(),
            waiting.of.receivable.into(),
        ],
    );
    kind
}

/// Vouchers that are no longer good: each has its own two legs.
pub(super) fn expire(event: &HouseEvent, when: &EntryTime, balances: &mut HouseBalances, batch: &mut SqlBatch) {
    let HouseEvent::Ticked { expired, .. } = event else { return };
    let mut legs = Vec::new();
    for expired in expired {
        let hash = voucher(expired.hash);
        let amount = expired.amount.cents();
        batch.execute(
            "UPDATE vouchers SET state = 'expired' WHERE voucher = $1 AND state = 'good'",
            [Arc::clone(&hash).into()],
        );
        let of = Attribution { voucher: Some(hash), ..Attribution::default() };
        *balances.accounts.entry(Account::Vouchers).or_default() -= amount;
        *balances.accounts.entry(Account::Expired).or_default() += amount;
        legs.push(("vouchers", of.clone(), -amount));
        legs.push(("expired", of, amount));
    }
    batch.post(when, "voucher-expired", legs);
}

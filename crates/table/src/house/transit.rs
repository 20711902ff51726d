//! Money between the House and the clusters: in once for each number and in order, out until the cluster holds it. What
//! becomes of a transfer that has arrived is decided here; nothing that a cluster has sent is left without an owner.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::claims::{Claim, ClaimOrigin, Receivable};
use super::ledger::Account;
use super::significant::SignificantEventKind;
use super::vouchers::{Voucher, VoucherOrigin};
use super::{House, HouseCommand, HouseDecision, HouseEvent, misfit};
use crate::entry::CommandRequest;
use crate::identity::{Actor, ClusterId, PersonId, Seat, SessionId, Time};
use crate::refusal::Refusal;
use crate::transfer::{ClaimReason, Transfer, TransferPurpose};

/// Transfers to one cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TransferOutbox {
    /// The number of the newest.
    sent: u64,
    /// Those that the cluster is not known to hold, the oldest first.
    waiting: VecDeque<Transfer>,
}

impl House {
    /// The number of the last transfer taken in from a cluster; zero before the first.
    pub fn received(&self, cluster: ClusterId) -> u64 {
        self.received.get(&cluster).copied().unwrap_or_default()
    }

    /// The number of the last transfer sent to a cluster; zero before the first.
    pub fn sent(&self, cluster: ClusterId) -> u64 {
        self.outboxes.get(&cluster).map_or(0, |outbox| outbox.sent)
    }

    /// The transfers to a cluster that it is not known to hold, the oldest first.
    pub fn outbox(&self, cluster: ClusterId) -> impl Iterator<Item = &Transfer> {
        self.outboxes.get(&cluster).into_iter().flat_map(|outbox| &outbox.waiting)
    }

    /// The number of the next transfer to a cluster.
    pub(super) fn next_out(&self, cluster: ClusterId) -> u64 {
        self.sent(cluster).checked_add(1).expect("transfers can be counted")
    }

    pub(super) fn decide_receive(
        &self,
        actor: Actor,
        time: Time,
        cluster: ClusterId,
        transfer: &Transfer,
    ) -> HouseDecision {
        actor.is_system()?;
        if matches!(transfer.purpose, TransferPurpose::Credits { .. }) {
            return Err(Refusal::NotAllowed);
        }
        if transfer.number.checked_sub(1) != Some(self.received(cluster)) {
            return Err(Refusal::OutOfOrder);
        }
        self.check_entering(transfer.amount)?;
        self.table_of(cluster)?;
        if self.can_issue(transfer) {
            return Ok(self.voucher_issued(time));
        }
        if self.is_play(cluster) {
            return Ok(HouseEvent::PlayMoney);
        }
        if let Some(receivable) = receivable(cluster, transfer) {
            return Ok(self.receivable_opened(receivable));
        }
        let origin = claim_origin(cluster, &transfer.purpose).ok_or(Refusal::NotAllowed)?;
        Ok(self.claim_opened(transfer.amount, origin, time))
    }

    /// F43: above the voucher limit the amount is paid by hand, and so it is where the number was used before.
    fn can_issue(&self, transfer: &Transfer) -> bool {
        match transfer.purpose {
            TransferPurpose::Voucher { number, .. } => {
                transfer.amount <= self.profile.voucher_limit && !self.vouchers.on_file.contains_key(&number.hash)
            }
            TransferPurpose::Claim { .. }
            | TransferPurpose::Receivable { .. }
            | TransferPurpose::Credits { .. }
            | TransferPurpose::Returned { .. } => false,
        }
    }

    pub(super) fn decide_delivered(&self, actor: Actor, cluster: ClusterId, number: u64) -> HouseDecision {
        actor.is_system()?;
        let is_next = self.outbox(cluster).next().is_some_and(|oldest| oldest.number == number);
        if is_next { Ok(HouseEvent::Done) } else { Err(Refusal::OutOfOrder) }
    }

    pub(super) fn apply_receive(
        &mut self,
        request: &CommandRequest<HouseCommand>,
        cluster: ClusterId,
        transfer: &Transfer,
        event: &HouseEvent,
    ) {
        use HouseEvent as E;
        self.received.insert(cluster, transfer.number);
        let (transit, amount) = (Account::Transit(cluster), transfer.amount);
        match event {
            E::VoucherIssued { serial, expires } => {
                let TransferPurpose::Voucher { seat, session, number } = transfer.purpose else { misfit(event) };
                let is_play = self.is_training || self.is_play(cluster);
                self.ledger.enter(transit, Voucher::account(is_play), amount);
                let origin = VoucherOrigin::Seat { cluster, seat, session };
                self.vouchers.issue((*serial, number), amount, (request.time, *expires), origin, is_play);
            }
            E::PlayMoney => match transfer.purpose {
                TransferPurpose::Receivable { .. } => self.ledger.enter(Account::Play, transit, amount),
                TransferPurpose::Voucher { .. } | TransferPurpose::Claim { .. } | TransferPurpose::Returned { .. } => {
                    self.ledger.enter(transit, Account::Play, amount);
                }
                TransferPurpose::Credits { .. } => misfit(event),
            },
            E::ClaimOpened { claim, set_off, .. } => {
                let origin = claim_origin(cluster, &transfer.purpose).unwrap_or_else(|| misfit(event));
                if let TransferPurpose::Voucher { seat, .. } = transfer.purpose {
                    let what = SignificantEventKind::VoucherFailed { cluster, seat };
                    self.significant.push(request.time, request.actor, what);
                }
                self.ledger.enter(transit, Account::Claims, amount);
                let opened_by = opened_by(&transfer.purpose);
                self.claims.open(*claim, Claim { opened_by, ..Claim::new(amount, origin, request.time) });
                self.set_off(set_off);
            }
            E::ReceivableOpened { receivable: id, set_off } => {
                let receivable = receivable(cluster, transfer).unwrap_or_else(|| misfit(event));
                let account = if receivable.is_waived { Account::Result } else { Account::Receivables };
                self.ledger.enter(account, transit, amount);
                self.receivables.open(*id, receivable);
                self.set_off(set_off);
            }
            E::Done
            | E::LoginCounted { .. }
            | E::ApprovalRequested { .. }
            | E::CashPaid { .. }
            | E::CreditsSent { .. }
            | E::ReceivableRuled { .. }
            | E::VoucherReissued { .. }
            | E::Ticked { .. } => misfit(event),
        }
    }

    /// Money of a voucher, or of a claim that is taken back, is on its way to a seat.
    pub(super) fn send_credits(
        &mut self,
        cluster: ClusterId,
        (seat, session): (Seat, Option<SessionId>),
        number: u64,
        amount: Money,
    ) {
        let outbox = self.outboxes.entry(cluster).or_default();
        outbox.sent = number;
        outbox.waiting.push_back(Transfer { number, amount, purpose: TransferPurpose::Credits { seat, session } });
    }

    pub(super) fn delivered(&mut self, cluster: ClusterId) {
        let outbox = self.outboxes.get_mut(&cluster).expect("something is on its way to the cluster");
        outbox.waiting.pop_front().expect("something is on its way to the cluster");
    }
}

/// What a transfer leaves a player owing, if it does.
fn receivable(cluster: ClusterId, transfer: &Transfer) -> Option<Receivable> {
    let TransferPurpose::Receivable { seat, session, round, is_waived } = transfer.purpose else { return None };
    let amount = transfer.amount;
    Some(Receivable { left: amount, gross: amount, is_waived, cluster, seat, session, round })
}

/// The person who had a claim opened, if it was one.
fn opened_by(purpose: &TransferPurpose) -> Option<PersonId> {
    match *purpose {
        TransferPurpose::Claim { by, .. } => by,
        TransferPurpose::Voucher { .. }
        | TransferPurpose::Receivable { .. }
        | TransferPurpose::Credits { .. }
        | TransferPurpose::Returned { .. } => None,
    }
}

/// Why a transfer leaves a claim, if it can.
fn claim_origin(cluster: ClusterId, purpose: &TransferPurpose) -> Option<ClaimOrigin> {
    match *purpose {
        TransferPurpose::Voucher { seat, session, .. } => {
            Some(ClaimOrigin::Session { cluster, seat, session, reason: ClaimReason::VoucherFailed })
        }
        TransferPurpose::Claim { seat, session, reason, .. } => {
            Some(ClaimOrigin::Session { cluster, seat, session, reason })
        }
        TransferPurpose::Returned { seat } => Some(ClaimOrigin::Returned { cluster, seat }),
        TransferPurpose::Receivable { .. } | TransferPurpose::Credits { .. } => None,
    }
}

//! Applies entries to the House. Nothing is decided here: command and event together say what happened.

use taisai_rules::Money;

use super::approvals::{Approval, ApprovalAnswer};
use super::claims::{Claim, ClaimAttendant, ClaimId, ClaimOrigin, PaidClaim};
use super::command::ReceivableRuling;
use super::devices::HouseTable;
use super::ledger::Account;
use super::significant::{Acknowledgement, ReportedEvent, SignificantEventKind};
use super::vouchers::{PaidAt, Redeemer, Voucher, VoucherOrigin, VoucherState};
use super::{ExpiredVoucher, House, HouseCommand, HouseEvent, misfit};
use crate::entry::CommandRequest;
use crate::identity::{Actor, PersonId, Time};
use crate::refusal::Refusal;
use crate::transfer::VoucherHash;

impl House {
    /// Applies an accepted command.
    pub(super) fn apply_accepted(&mut self, request: &CommandRequest<HouseCommand>, event: &HouseEvent) {
        match event {
            HouseEvent::Done => self.apply_done(request),
            HouseEvent::LoginCounted { .. }
            | HouseEvent::ApprovalRequested { .. }
            | HouseEvent::VoucherIssued { .. }
            | HouseEvent::CashPaid { .. }
            | HouseEvent::CreditsSent { .. }
            | HouseEvent::ClaimOpened { .. }
            | HouseEvent::ReceivableOpened { .. }
            | HouseEvent::PlayMoney
            | HouseEvent::ReceivableRuled { .. }
            | HouseEvent::VoucherReissued { .. }
            | HouseEvent::Ticked { .. } => self.apply_event(request, event),
        }
    }

    /// Applies a command whose event adds nothing.
    fn apply_done(&mut self, request: &CommandRequest<HouseCommand>) {
        use HouseCommand as C;
        let (time, who) = (request.time, request.actor);
        match &request.command {
            C::Found { people } => {
                for founder in people {
                    self.add_person(founder.person, &founder.name, founder.roles);
                }
            }
            C::AddPerson { person, name, roles, .. } => self.add_person(*person, name, *roles),
            C::SetRoles { person, roles, .. } => self.change_person(*person, |employee| employee.roles = *roles),
            C::Suspend { person, .. } => self.change_person(*person, |employee| employee.is_suspended = true),
            C::Reinstate { person, .. } => self.change_person(*person, |employee| employee.is_suspended = false),
            C::LoginSucceeded { person } => self.change_person(*person, |employee| employee.failed = 0),
            C::Unlock { person, .. } => {
                self.change_person(*person, |employee| (employee.is_locked, employee.failed) = (false, 0));
                self.significant.push(time, who, SignificantEventKind::LoginUnlocked(*person));
            }
            C::Enrol { device, kind, .. } => self.devices.enrol(*device, *kind),
            C::GiveCode { device, .. } => self.significant.push(time, who, SignificantEventKind::CodeGiven(*device)),
            C::Revoke { device } => {
                self.devices.revoke(*device);
                self.significant.push(time, who, SignificantEventKind::DeviceRevoked(*device));
            }
            C::CopiedToken { device } => self.significant.push(time, who, SignificantEventKind::TokenCopied(*device)),
            C::UseKeys { keys } => {
                let before = self.keys.in_use.replace(*keys);
                if before.is_some_and(|before| before != *keys) {
                    self.significant.push(time, who, SignificantEventKind::KeysReplaced);
                }
            }
            C::ChangeSecret { owner, version } => self.keys.change_secret(*owner, *version),
            C::AnswerApproval { approval, approve } => {
                let person = person_of(who);
                let answer = if *approve { ApprovalAnswer::Approved(person) } else { ApprovalAnswer::Refused(person) };
                self.approvals.answer(*approval, answer);
            }
            C::WithdrawApproval { approval } => {
                self.approvals.open.remove(approval).expect("the approval is open");
            }
            C::UseApproval { approval, command } => self.approvals.use_for(*approval, *command),
            C::Acknowledge { event } => {
                self.significant.acknowledged.insert(*event, Acknowledgement { by: person_of(who), time });
            }
            C::AddTable { table, clusters, training, .. } => {
                self.tables.insert(*table, HouseTable { clusters: *clusters, is_training: *training });
            }
            C::Configure { key, value, .. } => {
                self.configuration.insert(key.clone(), value.clone());
                self.significant.push(time, who, SignificantEventKind::Configured);
            }
            C::ClearRedemptionLock { redeemer } => {
                self.vouchers.tries.remove(redeemer);
                self.significant.push(time, who, SignificantEventKind::RedemptionUnlocked(*redeemer));
            }
            C::Delivered { cluster, .. } => self.delivered(*cluster),
            C::ConfirmVoucher { serial } => self.vouchers.confirm(*serial),
            C::TakeClaim { claim } => self.claims.take(*claim, ClaimAttendant { person: person_of(who), time }),
            C::ReadClaim { claim } => {
                self.claims.paid.remove(claim).expect("the claim was paid and not read");
            }
            C::Report { what } => {
                if let ReportedEvent::DiceDamaged { dice_set, .. } = what {
                    self.damaged_sets.insert(*dice_set);
                } else if let ReportedEvent::DiceInspected { dice_set, .. } = what {
                    self.damaged_sets.remove(dice_set);
                }
                self.significant.push(time, who, SignificantEventKind::Reported(*what));
            }
            C::LoginFailed { .. }
            | C::RequestApproval { .. }
            | C::SellVoucher { .. }
            | C::RedeemAtCage { .. }
            | C::RedeemAtSeat { .. }
            | C::VoidVoucher { .. }
            | C::RuleExpired { .. }
            | C::Receive { .. }
            | C::PayClaim { .. }
            | C::RuleReceivable { .. }
            | C::ReissueVoucher { .. }
            | C::TakeBackClaim { .. }
            | C::Tick => misfit(&HouseEvent::Done),
        }
    }

    /// Applies a command with what its event adds.
    fn apply_event(&mut self, request: &CommandRequest<HouseCommand>, event: &HouseEvent) {
        use HouseCommand as C;
        use HouseEvent as E;
        let (time, who) = (request.time, request.actor);
        match &request.command {
            C::LoginFailed { person } => {
                let E::LoginCounted { locked } = event else { misfit(event) };
                self.count_login(time, who, *person, *locked);
            }
            C::RequestApproval { act, what } => {
                let E::ApprovalRequested { approval: id } = event else { misfit(event) };
                self.approvals.request(*id, Approval::new(*act, what.clone(), person_of(who), time));
            }
            C::SellVoucher { number, amount, .. } => {
                let E::VoucherIssued { serial, expires } = event else { misfit(event) };
                self.ledger.enter(Account::Cash, Voucher::account(self.is_training), *amount);
                let origin = VoucherOrigin::Cage(person_of(who));
                self.vouchers.issue((*serial, *number), *amount, (time, *expires), origin, self.is_training);
            }
            C::RedeemAtCage { hash } => {
                let E::CashPaid { amount } = event else { misfit(event) };
                self.ledger.post(Account::Vouchers, Account::Cash, *amount);
                self.vouchers.tries.remove(&Redeemer::Person(person_of(who)));
                self.close_paid(time, *hash, PaidAt::Cage(person_of(who)));
            }
            C::RedeemAtSeat { hash, cluster, seat } => {
                let E::CreditsSent { number, amount } = event else { misfit(event) };
                self.ledger.post(Account::Vouchers, Account::Transit(*cluster), *amount);
                self.vouchers.tries.remove(&Redeemer::Seat { cluster: *cluster, seat: *seat });
                self.close_paid(time, *hash, PaidAt::Seat { cluster: *cluster, seat: *seat });
                self.send_credits(*cluster, (*seat, None), *number, *amount);
            }
            C::VoidVoucher { hash, .. } => {
                let E::ClaimOpened { claim, .. } = event else { misfit(event) };
                self.voucher_to_claim(request, *hash, *claim, ClaimOrigin::VoidVoucher(*hash));
                self.vouchers.close(*hash, VoucherState::Void { time, claim: *claim }, self.voucher_time(time));
            }
            C::RuleExpired { hash, .. } => {
                let E::ClaimOpened { claim, .. } = event else { misfit(event) };
                self.voucher_to_claim(request, *hash, *claim, ClaimOrigin::ExpiredVoucher(*hash));
                self.close_paid(time, *hash, PaidAt::Ruling(*claim));
                self.significant.push(time, who, SignificantEventKind::MoneyRuled);
            }
            C::Receive { cluster, transfer } => self.apply_receive(request, *cluster, transfer, event),
            C::PayClaim { claim, .. } => {
                let E::CashPaid { amount } = event else { misfit(event) };
                self.claim_paid(time, *claim, *amount);
            }
            C::TakeBackClaim { claim } => {
                let E::CreditsSent { number, amount } = event else { misfit(event) };
                self.claim_taken_back(*claim, *number, *amount);
            }
            C::ReissueVoucher { serial: replaced, number, .. } => {
                let E::VoucherReissued { serial, .. } = event else { misfit(event) };
                // The terminal stops showing a voucher that a person handed out.
                let by = who.person().map(|person| VoucherOrigin::Cage(person.id));
                self.vouchers.reissue(*replaced, (*serial, *number), time, by, self.voucher_time(time));
                let what = SignificantEventKind::VoucherReissued { replaced: *replaced, by: *serial };
                self.significant.push(time, who, what);
            }
            C::RuleReceivable { receivable, ruling, .. } => {
                let E::ReceivableRuled { amount, left } = event else { misfit(event) };
                match ruling {
                    ReceivableRuling::Collected { .. } => {
                        self.ledger.enter(Account::Cash, Account::Receivables, *amount);
                        self.receivables.leave(*receivable, *left);
                    }
                    ReceivableRuling::WrittenOff => {
                        self.ledger.post(Account::Result, Account::Receivables, *amount);
                        self.receivables.waive(*receivable);
                    }
                }
                self.significant.push(time, who, SignificantEventKind::MoneyRuled);
            }
            C::Tick => self.apply_tick(event),
            C::Found { .. }
            | C::AddPerson { .. }
            | C::SetRoles { .. }
            | C::Suspend { .. }
            | C::Reinstate { .. }
            | C::LoginSucceeded { .. }
            | C::Unlock { .. }
            | C::Enrol { .. }
            | C::GiveCode { .. }
            | C::Revoke { .. }
            | C::CopiedToken { .. }
            | C::UseKeys { .. }
            | C::ChangeSecret { .. }
            | C::AnswerApproval { .. }
            | C::WithdrawApproval { .. }
            | C::AddTable { .. }
            | C::Configure { .. }
            | C::ClearRedemptionLock { .. }
            | C::Delivered { .. }
            | C::Report { .. }
            | C::UseApproval { .. }
            | C::ConfirmVoucher { .. }
            | C::TakeClaim { .. }
            | C::ReadClaim { .. }
            | C::Acknowledge { .. } => misfit(event),
        }
    }

    /// Cash is paid for a claim. Where a terminal stands, the player reads so there.
    fn claim_paid(&mut self, time: Time, claim: ClaimId, amount: Money) {
        self.ledger.post(Account::Claims, Account::Cash, amount);
        let Claim { origin, .. } = self.claims.open.remove(&claim).expect("the claim is open");
        if let Some((cluster, seat, _)) = origin.seat()
            && self.devices.seated.contains_key(&(cluster, seat))
        {
            self.claims.keep_paid(claim, PaidClaim { amount, time, origin });
        }
    }

    /// A claim becomes credits again, for the session that was cashed out.
    fn claim_taken_back(&mut self, claim: ClaimId, number: u64, amount: Money) {
        let Claim { origin, .. } = self.claims.open.remove(&claim).expect("the claim is open");
        let (cluster, seat, session) = origin.seat().expect("only a seat's claim is taken back");
        self.ledger.post(Account::Claims, Account::Transit(cluster), amount);
        self.send_credits(cluster, (seat, session), number, amount);
    }

    fn apply_tick(&mut self, event: &HouseEvent) {
        let HouseEvent::Ticked { expired, forgotten, approvals } = event else { misfit(event) };
        for ExpiredVoucher { hash, amount } in expired {
            self.ledger.post(Account::Vouchers, Account::Expired, *amount);
            self.vouchers.expire(*hash);
        }
        for hash in forgotten {
            self.vouchers.forget(*hash);
        }
        for approval in approvals {
            self.approvals.open.remove(approval).expect("the approval is open");
        }
    }

    fn close_paid(&mut self, time: Time, hash: VoucherHash, at: PaidAt) {
        self.vouchers.close(hash, VoucherState::Paid { time, at }, self.voucher_time(time));
    }

    /// A voucher's money becomes a claim, from the account in which it lies.
    fn voucher_to_claim(
        &mut self,
        request: &CommandRequest<HouseCommand>,
        hash: VoucherHash,
        claim: ClaimId,
        origin: ClaimOrigin,
    ) {
        let voucher = self.vouchers.get(hash);
        let from = if voucher.state == VoucherState::Expired { Account::Expired } else { Account::Vouchers };
        self.ledger.post(from, Account::Claims, voucher.amount);
        let opened_by = request.actor.person().map(|person| person.id);
        self.claims.open(claim, Claim { opened_by, ..Claim::new(voucher.amount, origin, request.time) });
    }

    /// Counts a refused command, and wrong voucher numbers (F45).
    pub(super) fn apply_refused(&mut self, request: &CommandRequest<HouseCommand>, refusal: Refusal) {
        *self.refused.entry(refusal).or_default() += 1;
        if refusal == Refusal::CommandIdReused {
            let what = SignificantEventKind::CommandIdReused { source: request.id.source };
            self.significant.push(request.time, request.actor, what);
        }
        if refusal != Refusal::VoucherNotOnFile {
            return;
        }
        let Some(redeemer) = redeemer(request) else { return };
        let tries = self.vouchers.tries.entry(redeemer).or_default();
        *tries = tries.checked_add(1).expect("a lock comes before the count ends");
        if self.is_redemption_locked(redeemer) {
            self.significant.push(request.time, request.actor, SignificantEventKind::RedemptionLocked(redeemer));
        }
    }
}

/// Who tries a voucher number with this command, if anyone.
fn redeemer(request: &CommandRequest<HouseCommand>) -> Option<Redeemer> {
    if let HouseCommand::RedeemAtCage { .. } = request.command {
        return Some(Redeemer::Person(person_of(request.actor)));
    }
    let HouseCommand::RedeemAtSeat { cluster, seat, .. } = request.command else { return None };
    Some(Redeemer::Seat { cluster, seat })
}

fn person_of(actor: Actor) -> PersonId {
    actor.person().expect("a person gave the command").id
}

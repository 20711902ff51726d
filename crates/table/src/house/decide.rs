//! Which decision answers which command. The reasons for and against are in the modules beside this one.

use super::{House, HouseCommand, HouseDecision, HouseEvent};
use crate::entry::CommandRequest;

impl House {
    /// The answer to a command whose id is new. Within it the reasons against come in the order of `Refusal`.
    pub(super) fn decide_new(&self, request: &CommandRequest<HouseCommand>) -> HouseDecision {
        use HouseCommand as C;
        let (actor, time) = (request.actor, request.time);
        match &request.command {
            C::Found { people } => self.decide_found(actor, people),
            C::AddPerson { person, name, roles, second } => {
                self.decide_add_person(actor, *person, (name, *roles), *second)
            }
            C::SetRoles { person, roles, second } => self.decide_set_roles(actor, *person, *roles, *second),
            C::Suspend { person, second } => self.decide_change_person(actor, *person, *second),
            C::Reinstate { person, second } => self.decide_reinstate(actor, *person, *second),
            C::LoginFailed { person } => self.decide_login_failed(actor, *person),
            C::LoginSucceeded { person } => self.decide_login_succeeded(actor, *person),
            C::Unlock { person, second } => self.decide_unlock(actor, *person, *second),
            C::Enrol { device, kind, second } => self.decide_enrol(actor, *device, *kind, *second),
            C::GiveCode { device, second } => self.decide_give_code(actor, *device, *second),
            C::Revoke { device } => self.decide_revoke(actor, *device),
            C::UseKeys { keys: _ } => actor.is_system().map(|()| HouseEvent::Done),
            C::ChangeSecret { owner, version: _ } => self.decide_change_secret(actor, *owner),
            C::CopiedToken { device } => self.decide_copied_token(actor, *device),
            C::RequestApproval { act, what } => self.decide_request_approval(actor, *act, what),
            C::AnswerApproval { approval, approve: _ } => self.decide_answer_approval(actor, time, *approval),
            C::WithdrawApproval { approval } => self.decide_withdraw_approval(actor, *approval),
            C::AddTable { table, clusters: _, training, second } => {
                self.decide_add_table(actor, *table, *training, *second)
            }
            C::Configure { key, value, why, second } => self.decide_configure(actor, (key, value, why), *second),
            C::SellVoucher { number, amount, second } => {
                self.decide_sell_voucher(actor, time, *number, *amount, *second)
            }
            C::RedeemAtCage { hash } => self.decide_redeem_at_cage(actor, time, *hash),
            C::RedeemAtSeat { hash, cluster, seat } => {
                self.decide_redeem_at_seat(actor, time, *hash, (*cluster, *seat))
            }
            C::VoidVoucher { hash, why, second } => self.decide_void_voucher(actor, time, *hash, why, *second),
            C::RuleExpired { hash, why } => self.decide_rule_expired(actor, time, *hash, why),
            C::ClearRedemptionLock { redeemer } => self.decide_clear_redemption_lock(actor, *redeemer),
            C::Receive { cluster, transfer } => self.decide_receive(actor, time, *cluster, transfer),
            C::Delivered { cluster, number } => self.decide_delivered(actor, *cluster, *number),
            C::PayClaim { claim, second } => self.decide_pay_claim(actor, *claim, *second),
            C::RuleReceivable { receivable, ruling, why } => {
                self.decide_rule_receivable(actor, *receivable, *ruling, why)
            }
            C::Report { what: _ } => actor.is_system().map(|()| HouseEvent::Done),
            C::Tick => self.decide_tick(actor, time),
            C::Acknowledge { event } => self.decide_acknowledge(actor, *event),
            C::ConfirmVoucher { serial } => self.decide_confirm_voucher(actor, *serial),
            C::ReissueVoucher { serial, number, ended, second } => {
                self.decide_reissue_voucher((actor, *second), time, *serial, (*number, *ended))
            }
            C::TakeClaim { claim } => self.decide_take_claim(actor, *claim),
            C::TakeBackClaim { claim } => self.decide_take_back_claim(actor, *claim),
            C::ReadClaim { claim } => self.decide_read_claim(actor, *claim),
            C::UseApproval { approval, command } => self.decide_use_approval(actor, time, *approval, *command),
        }
    }
}

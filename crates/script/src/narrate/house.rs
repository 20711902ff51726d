//! Narrates the entries of the House.

use std::fmt::Write as _;

use taisai_rules::Money;
use taisai_table::{
    ClaimReason, DeviceId, DeviceKind, HouseCommand, HouseEvent, ReceivableRuling, Roles, SetOff, Transfer,
    TransferPurpose, VoucherHash, VoucherState,
};

use super::redeemer_name;
use crate::installation::{ScriptInstallation, title};

/// Describes an event. `None` for messages between the machines, and for what does not concern the table.
pub(super) fn describe(
    installation: &ScriptInstallation,
    command: &HouseCommand,
    event: &HouseEvent,
) -> Option<String> {
    use HouseCommand as C;
    Some(match command {
        C::AddPerson { person, roles, .. } => format!("{} is on file, as {}.", person.0, titles(*roles)),
        C::SetRoles { person, roles, .. } => format!("{} is from now on {}.", person.0, titles(*roles)),
        C::Suspend { person, .. } => format!("{} may do nothing any more.", person.0),
        C::Reinstate { person, .. } => format!("{} has the rights back.", person.0),
        C::LoginFailed { person } if *event == (HouseEvent::LoginCounted { locked: true }) => {
            format!("The login of {} failed, once too often: {} is locked out.", person.0, person.0)
        }
        C::LoginFailed { person } => format!("The login of {} failed.", person.0),
        C::LoginSucceeded { person } => format!("{} is logged in.", person.0),
        C::Unlock { person, .. } => format!("{} may log in again.", person.0),
        C::Enrol { device, .. } => format!("A new terminal stands at {}.", device_place(installation, *device)),
        C::Revoke { device } => format!("The terminal at {} is revoked.", device_place(installation, *device)),
        C::ClearRedemptionLock { redeemer } => format!("The lock is cleared: {} may redeem.", redeemer_name(*redeemer)),
        C::AnswerApproval { approval, approve: true } => format!("Approval {} is granted.", approval.0),
        C::AnswerApproval { approval, approve: false } => format!("Approval {} is refused.", approval.0),
        C::WithdrawApproval { approval } => format!("Approval {} is withdrawn.", approval.0),
        C::UseApproval { approval, .. } => format!("Approval {} is used.", approval.0),
        C::ConfirmVoucher { serial } => format!("Voucher {} is confirmed.", serial.0),
        C::TakeClaim { claim } => format!("An attendant has claim {}.", claim.0),
        C::ReadClaim { claim } => format!("It was read that claim {} is paid.", claim.0),
        C::RequestApproval { .. }
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
        | C::Tick => return describe_result(installation, command, event),
        C::Found { .. }
        | C::AddTable { .. }
        | C::CopiedToken { .. }
        | C::UseKeys { .. }
        | C::ChangeSecret { .. }
        | C::GiveCode { .. }
        | C::Configure { .. }
        | C::Delivered { .. }
        | C::Acknowledge { .. }
        | C::Report { .. } => return None,
    })
}

/// Describes an event that says more than its command.
fn describe_result(installation: &ScriptInstallation, command: &HouseCommand, event: &HouseEvent) -> Option<String> {
    use HouseEvent as E;
    Some(match event {
        E::ApprovalRequested { approval } => format!("Approval {} waits for a second person.", approval.0),
        E::VoucherIssued { .. } => describe_issued_voucher(installation, command)?,
        E::CashPaid { amount } => {
            let paid = if let HouseCommand::PayClaim { claim, .. } = command {
                format!("Claim {}", claim.0)
            } else {
                "The voucher".to_owned()
            };
            format!("{paid} is paid: {amount} in cash.")
        }
        E::CreditsSent { amount, .. } => {
            if let HouseCommand::TakeBackClaim { claim } = command {
                return Some(format!("Claim {} is taken back: {amount} becomes credits again.", claim.0));
            }
            let HouseCommand::RedeemAtSeat { seat, .. } = command else { return None };
            format!("The voucher is taken: {amount} for seat {}.", seat.0)
        }
        E::ClaimOpened { claim, amount, set_off } => {
            let why = claim_reason(installation, command)?;
            format!("Claim {}: {amount} is owed by hand, {why}.{}", claim.0, describe_set_off(set_off))
        }
        E::ReceivableOpened { receivable, set_off } => {
            let HouseCommand::Receive { transfer, .. } = command else { return None };
            let TransferPurpose::Receivable { seat, round, is_waived, .. } = transfer.purpose else { return None };
            let (number, seat, round, amount) = (receivable.0, seat.0, round.0, transfer.amount);
            if is_waived {
                return Some(format!(
                    "The House bears {amount} of seat {seat} for round {round}: it is not taken back."
                ));
            }
            let set_off = describe_set_off(set_off);
            format!("Receivable {number}: {amount} is owed by seat {seat} for round {round}.{set_off}")
        }
        E::PlayMoney => "It is play money, owed to nobody.".to_owned(),
        E::ReceivableRuled { amount, left } => {
            let HouseCommand::RuleReceivable { receivable, ruling, .. } = command else { return None };
            let ruled = match ruling {
                ReceivableRuling::Collected { .. } => "collected",
                ReceivableRuling::WrittenOff => "written off",
            };
            let left = if *left == Money::ZERO { "nothing".to_owned() } else { left.to_string() };
            format!("Receivable {}: {amount} is {ruled}, {left} is left.", receivable.0)
        }
        E::Ticked { expired, approvals, .. } => {
            let mut text = String::new();
            if !expired.is_empty() {
                let total = expired.iter().map(|voucher| voucher.amount.cents()).sum();
                write!(text, "Vouchers expired: {}, worth {}.", expired.len(), Money::from_cents(total)).ok()?;
            }
            for approval in approvals {
                let space = if text.is_empty() { "" } else { " " };
                write!(text, "{space}Approval {} is over.", approval.0).ok()?;
            }
            return (!text.is_empty()).then_some(text);
        }
        E::VoucherReissued { serial, amount, .. } => {
            let HouseCommand::ReissueVoucher { serial: replaced, number, .. } = command else { return None };
            let (old, new, digits) = (replaced.0, serial.0, number.digits);
            format!("Voucher {old} is dead. Voucher {new} ending in {digits:04} for {amount} is issued in its place.")
        }
        E::Done | E::LoginCounted { .. } => return None,
    })
}

fn describe_set_off(set_off: &[SetOff]) -> String {
    let sentence = |set_off: &SetOff| {
        let SetOff { amount, claim, claim_round, receivable, receivable_round } = set_off;
        format!(
            " {amount} is set off: claim {} of round {} against receivable {} of round {}.",
            claim.0, claim_round.0, receivable.0, receivable_round.0
        )
    };
    set_off.iter().map(sentence).collect()
}

fn describe_issued_voucher(installation: &ScriptInstallation, command: &HouseCommand) -> Option<String> {
    let (number, amount, how) = if let HouseCommand::SellVoucher { number, amount, .. } = command {
        (*number, *amount, "sold")
    } else if let HouseCommand::Receive { transfer: Transfer { amount, purpose, .. }, .. } = command
        && let TransferPurpose::Voucher { number, .. } = *purpose
    {
        (number, *amount, "issued")
    } else {
        return None;
    };
    // F44: a training voucher is visibly void.
    let is_play = installation.house().voucher(number.hash).is_some_and(|voucher| voucher.state == VoucherState::Play);
    let mark = if is_play { " TRAINING: it is void." } else { "" };
    Some(format!("A voucher ending in {:04} for {amount} is {how}.{mark}", number.digits))
}

fn claim_reason(installation: &ScriptInstallation, command: &HouseCommand) -> Option<String> {
    if let HouseCommand::Receive { transfer, .. } = command {
        Some(transfer_reason(transfer))
    } else if let HouseCommand::VoidVoucher { hash, .. } = command {
        Some(format!("{} is void", voucher(installation, *hash)))
    } else if let HouseCommand::RuleExpired { hash, .. } = command {
        Some(format!("{} had expired, and is paid by ruling", voucher(installation, *hash)))
    } else {
        None
    }
}

fn transfer_reason(transfer: &Transfer) -> String {
    match transfer.purpose {
        TransferPurpose::Claim { seat, reason, .. } => {
            let why = match reason {
                ClaimReason::CashOut => "cashed out by hand".to_owned(),
                ClaimReason::WalkedAway(round) => format!("the player walked away from round {}", round.0),
                ClaimReason::LeftBehind => "the player left chips behind".to_owned(),
                ClaimReason::Correction(round) => format!("round {} was corrected", round.0),
                ClaimReason::Void(round) => format!("round {} was voided", round.0),
                ClaimReason::VoucherFailed => "the voucher could not be issued".to_owned(),
                ClaimReason::FromFilm(round) => format!("the film of round {} shows the bet", round.0),
            };
            format!("seat {}: {why}", seat.0)
        }
        TransferPurpose::Voucher { seat, .. } => format!("seat {}: the voucher could not be issued", seat.0),
        TransferPurpose::Returned { seat } | TransferPurpose::Credits { seat, .. } => {
            format!("seat {} could not take it", seat.0)
        }
        TransferPurpose::Receivable { seat, .. } => format!("seat {}", seat.0),
    }
}

fn voucher(installation: &ScriptInstallation, hash: VoucherHash) -> String {
    let digits = installation.house().voucher(hash).map(|voucher| voucher.digits);
    digits.map_or("a voucher".to_owned(), |digits| format!("the voucher ending in {digits:04}"))
}

fn device_place(installation: &ScriptInstallation, device: DeviceId) -> String {
    match installation.house().device(device).map(|device| device.kind) {
        Some(DeviceKind::NoteAcceptor { seat, .. }) => format!("the note acceptor of seat {}", seat.0),
        Some(DeviceKind::Terminal { seat, .. }) => format!("seat {}", seat.0),
        Some(DeviceKind::ChipReader { .. }) => "the chip reader".to_owned(),
        Some(DeviceKind::Tumbler | DeviceKind::Screen) | None => "the table".to_owned(),
    }
}

fn titles(roles: Roles) -> String {
    roles.iter().map(title).collect::<Vec<_>>().join(" and ")
}

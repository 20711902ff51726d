//! The House in words.

use taisai_rules::Money;
use taisai_table::{ClaimReason, HouseCommand, HouseEvent, Purpose, ReceivableRuling, Transfer};

/// What an event says; nothing for what only passes between the machines, or is not of the table.
pub(super) fn words(command: &HouseCommand, event: &HouseEvent) -> Option<String> {
    use HouseCommand as C;
    use HouseEvent as E;
    Some(match (command, event) {
        (C::Receive { transfer, .. }, E::VoucherIssued { .. }) => {
            let digits = match transfer.purpose {
                Purpose::Voucher { number, .. } => number.digits,
                Purpose::Claim { .. }
                | Purpose::Receivable { .. }
                | Purpose::Credits { .. }
                | Purpose::Returned { .. } => return None,
            };
            format!("A voucher ending in {digits:04} for {} is issued.", transfer.amount)
        }
        (C::Receive { transfer, .. }, E::ClaimOpened { claim, amount }) => {
            format!("Claim {}: {amount} is owed by hand, {}.", claim.0, claimed(transfer))
        }
        (C::Receive { transfer, .. }, E::ReceivableOpened { receivable }) => {
            let (seat, round) = match transfer.purpose {
                Purpose::Receivable { seat, round, .. } => (seat.0, round.0),
                Purpose::Voucher { .. }
                | Purpose::Claim { .. }
                | Purpose::Credits { .. }
                | Purpose::Returned { .. } => {
                    return None;
                }
            };
            format!("Receivable {}: {} is owed by seat {seat} for round {round}.", receivable.0, transfer.amount)
        }
        (C::Receive { .. }, E::PlayMoney) => "It is play money, owed to nobody.".to_owned(),
        (C::PayClaim { claim, .. }, E::CashPaid { amount }) => format!("Claim {} is paid: {amount} in cash.", claim.0),
        (C::RedeemAtCage { .. }, E::CashPaid { amount }) => format!("The voucher is paid: {amount} in cash."),
        (C::RedeemAtSeat { seat, .. }, E::CreditsSent { amount, .. }) => {
            format!("The voucher is taken: {amount} for seat {}.", seat.0)
        }
        (C::RuleReceivable { receivable, ruling, .. }, E::ReceivableRuled { amount, left }) => {
            let ruled = match ruling {
                ReceivableRuling::Collected { .. } => "collected",
                ReceivableRuling::WrittenOff => "written off",
            };
            let left = if *left == Money::ZERO { "nothing".to_owned() } else { left.to_string() };
            format!("Receivable {}: {amount} is {ruled}, {left} is left.", receivable.0)
        }
        (C::Tick, E::Ticked { expired, .. }) if !expired.is_empty() => {
            let total = expired.iter().map(|voucher| voucher.amount.cents()).sum();
            format!("Vouchers expired: {}, worth {}.", expired.len(), Money::from_cents(total))
        }
        _ => return None,
    })
}

/// Why a player is owed by hand.
fn claimed(transfer: &Transfer) -> String {
    match transfer.purpose {
        Purpose::Claim { seat, reason, .. } => {
            let why = match reason {
                ClaimReason::CashOut => "cashed out by hand".to_owned(),
                ClaimReason::WalkedAway => "the player walked away".to_owned(),
                ClaimReason::Correction(round) => format!("round {} was corrected", round.0),
                ClaimReason::Void(round) => format!("round {} was voided", round.0),
                ClaimReason::VoucherFailed => "the voucher could not be issued".to_owned(),
            };
            format!("seat {}: {why}", seat.0)
        }
        Purpose::Voucher { seat, .. } => format!("seat {}: the voucher could not be issued", seat.0),
        Purpose::Returned { seat } | Purpose::Credits { seat } => format!("seat {} could not take it", seat.0),
        Purpose::Receivable { seat, .. } => format!("seat {}", seat.0),
    }
}

//! Significant events of the House (F32), as rows.

use taisai_rules::Money;
use taisai_table::{
    House, OverDifferential, Redeemer, ReportedEvent, SecretOwner, SignificantEvent, SignificantEventKind,
};

use super::{PendingHouseEntry, in_cluster};
use crate::batch::{Attribution, ReportEvent};
use crate::round::standing;
use crate::value::variant_name;

/// A significant event, with what the command says of it.
pub(super) fn significant(what: &SignificantEvent, by: &ReportEvent) -> ReportEvent {
    let what = &what.what;
    let mut event = ReportEvent { kind: Some(variant_name(what).into()), ..by.clone() };
    match what {
        SignificantEventKind::Reported(report) => {
            event.kind = Some(format!("reported-{}", variant_name(report)).into());
            reported(report, &mut event);
        }
        SignificantEventKind::CommandIdReused { source } => event.detail = Some(format!("source {source}")),
        SignificantEventKind::LoginFailed(person)
        | SignificantEventKind::LoginLocked(person)
        | SignificantEventKind::LoginUnlocked(person) => {
            event.subject = Some(person.0);
        }
        SignificantEventKind::CodeGiven(device)
        | SignificantEventKind::DeviceRevoked(device)
        | SignificantEventKind::TokenCopied(device) => {
            event.device = Some(device.0);
        }
        SignificantEventKind::RedemptionLocked(redeemer) | SignificantEventKind::RedemptionUnlocked(redeemer) => {
            match redeemer {
                Redeemer::Person(person) => event.subject = Some(person.0),
                Redeemer::Seat { cluster, seat } => {
                    event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
                }
            }
        }
        SignificantEventKind::VoucherFailed { cluster, seat } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
        }
        SignificantEventKind::VoucherReissued { replaced, by } => {
            event.detail = Some(format!("{} by {}", replaced.0, by.0));
        }
        SignificantEventKind::Configured | SignificantEventKind::MoneyRuled | SignificantEventKind::KeysReplaced => {}
    }
    event
}

impl PendingHouseEntry {
    /// A password or the key of a device was set.
    pub(super) const fn change_secret(&mut self, owner: SecretOwner, command: &'static str) {
        secret_of(owner, &mut self.event);
        self.own = Some(command);
    }

    /// Someone acknowledged an event: the row repeats what the event is about, and its detail names the event.
    pub(super) fn acknowledge(&mut self, house: &House, event: u64, command: &'static str) {
        let kept = house.significant().find(|kept| kept.number == event);
        self.event = significant(kept.expect("what is acknowledged is kept"), &self.event);
        self.event.detail = self.event.kind.take().map(|kind| format!("{event} {kind}"));
        self.of = std::mem::take(&mut self.event.at);
        self.own = Some(command);
    }
}

/// By how much the difference of what counts exceeds the Differential, and the boxes with what counts on each.
pub(crate) fn over_differential(over: &OverDifferential, event: &mut ReportEvent) {
    let OverDifferential { bet_box, counted, opposite_counted, differential } = *over;
    let [counted, opposite_counted, differential] = [counted, opposite_counted, differential].map(Money::cents);
    let opposite = bet_box.opposite().map_or("", |opposite| opposite.text());
    event.amount = Some(counted - opposite_counted - differential);
    event.detail = Some(format!("{bet_box} {counted}, {opposite} {opposite_counted}, differential {differential}"));
}

/// Whose password or device it is about.
const fn secret_of(owner: SecretOwner, event: &mut ReportEvent) {
    match owner {
        SecretOwner::Person(person) => event.subject = Some(person.0),
        SecretOwner::Device(device) => event.device = Some(device.0),
    }
}

fn reported(report: &ReportedEvent, event: &mut ReportEvent) {
    match report {
        ReportedEvent::ClockStepped { millis } => event.detail = Some(format!("{millis} milliseconds")),
        ReportedEvent::StoreProblem => {}
        ReportedEvent::SecretRefused { owner } => secret_of(*owner, event),
        ReportedEvent::TerminalLost { cluster, seat } | ReportedEvent::TerminalBack { cluster, seat } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
        }
        ReportedEvent::LargeWin { cluster, seat, amount } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            event.amount = Some(amount.cents());
        }
        ReportedEvent::OverDifferential { table, round, over } => {
            event.at = Attribution { table: Some(table.0), round: Some(round.0), ..Attribution::default() };
            over_differential(over, event);
        }
        ReportedEvent::StackerDiffers { cluster, seat, accepted, notes, variance } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            event.amount = variance.map(Money::cents);
            event.detail = Some(format!("{notes} notes, {accepted} accepted"));
        }
        ReportedEvent::BuyInReversed { cluster, seat, receipt, amount } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            event.amount = Some(amount.cents());
            event.detail = Some(format!("receipt {}", receipt.0));
        }
        ReportedEvent::CommandIdReused { table, source } => {
            event.at.table = Some(table.0);
            event.detail = Some(format!("source {source}"));
        }
        ReportedEvent::TableNotOpened { table, cluster, block } => {
            event.at = Attribution { table: Some(table.0), ..Attribution::default() };
            if let Some(cluster) = cluster {
                event.at = in_cluster(*cluster, Attribution::default());
            }
            event.detail = block.map(|block| format!("block {block}"));
        }
        ReportedEvent::LimitChange { table } | ReportedEvent::Ruling { table } => event.at.table = Some(table.0),
        ReportedEvent::TumblerFault { table, tumbler } => {
            event.at.table = Some(table.0);
            event.device = Some(tumbler.0);
        }
        ReportedEvent::DiceDamaged { table, dice_set } | ReportedEvent::DiceInspected { table, dice_set } => {
            event.at.table = Some(table.0);
            event.detail = Some(format!("dice set {dice_set}"));
        }
        ReportedEvent::MoneyRuling { table, round, before, after, waits } => {
            event.at = Attribution { table: Some(table.0), round: Some(round.0), ..Attribution::default() };
            let witness = if *waits { "; not witnessed yet" } else { "" };
            event.detail = Some(format!("{} to {}{witness}", standing(*before), standing(*after)));
        }
        ReportedEvent::Void { table, round }
        | ReportedEvent::Correction { table, round }
        | ReportedEvent::FlatDiceVoided { table, round }
        | ReportedEvent::RulingWitnessed { table, round }
        | ReportedEvent::ToBeRuled { table, round } => {
            event.at = Attribution { table: Some(table.0), round: Some(round.0), ..Attribution::default() };
        }
    }
}

//! Significant events of the House (F32), as rows.

use taisai_rules::Money;
use taisai_table::{Happening, House, OverDifferential, Redeemer, Report, Significant};

use super::{PendingHouseEntry, in_cluster};
use crate::batch::{Attribution, ReportEvent};
use crate::round::standing;
use crate::value::variant_name;

/// A significant event, with what the command says of it.
pub(super) fn significant(what: &Significant, by: &ReportEvent) -> ReportEvent {
    let what = &what.what;
    let mut event = ReportEvent { kind: Some(variant_name(what).into()), ..by.clone() };
    match what {
        Happening::Reported(report) => {
            event.kind = Some(format!("reported-{}", variant_name(report)).into());
            reported(report, &mut event);
        }
        Happening::CommandIdReused { source } => event.detail = Some(format!("source {source}")),
        Happening::LoginFailed(person) | Happening::LoginLocked(person) | Happening::LoginUnlocked(person) => {
            event.subject = Some(person.0);
        }
        Happening::CodeGiven(device) | Happening::DeviceRevoked(device) | Happening::TokenCopied(device) => {
            event.device = Some(device.0);
        }
        Happening::RedemptionLocked(redeemer) | Happening::RedemptionUnlocked(redeemer) => match redeemer {
            Redeemer::Person(person) => event.subject = Some(person.0),
            Redeemer::Seat { cluster, seat } => {
                event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            }
        },
        Happening::VoucherFailed { cluster, seat } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
        }
        Happening::VoucherReissued { replaced, by } => event.detail = Some(format!("{} by {}", replaced.0, by.0)),
        Happening::Configured | Happening::MoneyRuled => {}
    }
    event
}

impl PendingHouseEntry {
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

fn reported(report: &Report, event: &mut ReportEvent) {
    match report {
        Report::ClockStepped { millis } => event.detail = Some(format!("{millis} milliseconds")),
        Report::StoreProblem => {}
        Report::TerminalLost { cluster, seat } | Report::TerminalBack { cluster, seat } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
        }
        Report::LargeWin { cluster, seat, amount } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            event.amount = Some(amount.cents());
        }
        Report::OverDifferential { table, round, over } => {
            event.at = Attribution { table: Some(table.0), round: Some(round.0), ..Attribution::default() };
            over_differential(over, event);
        }
        Report::StackerDiffers { cluster, seat, accepted, notes, variance } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            event.amount = variance.map(Money::cents);
            event.detail = Some(format!("{notes} notes, {accepted} accepted"));
        }
        Report::BuyInReversed { cluster, seat, receipt, amount } => {
            event.at = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, Attribution::default()) };
            event.amount = Some(amount.cents());
            event.detail = Some(format!("receipt {}", receipt.0));
        }
        Report::CommandIdReused { table, source } => {
            event.at.table = Some(table.0);
            event.detail = Some(format!("source {source}"));
        }
        Report::LimitChange { table } | Report::Ruling { table } => event.at.table = Some(table.0),
        Report::TumblerFault { table, tumbler } => {
            event.at.table = Some(table.0);
            event.device = Some(tumbler.0);
        }
        Report::DiceDamaged { table, dice_set } | Report::DiceInspected { table, dice_set } => {
            event.at.table = Some(table.0);
            event.detail = Some(format!("dice set {dice_set}"));
        }
        Report::MoneyRuling { table, round, before, after, waits } => {
            event.at = Attribution { table: Some(table.0), round: Some(round.0), ..Attribution::default() };
            let witness = if *waits { "; not witnessed yet" } else { "" };
            event.detail = Some(format!("{} to {}{witness}", standing(*before), standing(*after)));
        }
        Report::Void { table, round }
        | Report::Correction { table, round }
        | Report::FlatDiceVoided { table, round }
        | Report::RulingWitnessed { table, round }
        | Report::ToBeRuled { table, round } => {
            event.at = Attribution { table: Some(table.0), round: Some(round.0), ..Attribution::default() };
        }
    }
}

//! What of the dealer's side is a significant event (F32).

use taisai_table::{ReportedEvent, Round, RoundEvent, RoundNumber, VoidReason};

/// The events that one of the round is reported as. `number` is the round in play before it.
pub(super) fn reports(round: &Round, number: RoundNumber, event: &RoundEvent) -> Vec<ReportedEvent> {
    let table = round.table();
    match event {
        RoundEvent::LimitsShown { .. } => vec![ReportedEvent::LimitChange { table }],
        RoundEvent::Voided { differs, .. } => {
            let differs = differs.then_some(ReportedEvent::FlatDiceVoided { table, round: number });
            [ReportedEvent::Void { table, round: number }].into_iter().chain(differs).collect()
        }
        RoundEvent::RoundsVoided { from, reason, ruled, .. } => {
            let mut reports = vec![ReportedEvent::Void { table, round: *from }];
            reports.extend(ruled.iter().map(|round| ReportedEvent::ToBeRuled { table, round: *round }));
            if *reason == VoidReason::DamagedDice {
                // No number was given to a set of 0: other tables have other dice under it.
                let damaged = round.damaged_sets().iter().filter(|set| **set > 0);
                reports.extend(damaged.map(|dice_set| ReportedEvent::DiceDamaged { table, dice_set: *dice_set }));
            }
            reports
        }
        RoundEvent::SetInspected { dice_set } => vec![ReportedEvent::DiceInspected { table, dice_set: *dice_set }],
        RoundEvent::Corrected { round, .. } => vec![ReportedEvent::Correction { table, round: *round }],
        RoundEvent::Ruled { round, before, after, waits } if before != after => {
            let (round, before, after, waits) = (*round, *before, *after, *waits);
            vec![ReportedEvent::MoneyRuling { table, round, before, after, waits }]
        }
        RoundEvent::Ruled { .. } | RoundEvent::Noted => vec![ReportedEvent::Ruling { table }],
        RoundEvent::Witnessed { round } => vec![ReportedEvent::RulingWitnessed { table, round: *round }],
        RoundEvent::KnownCorrected { .. } => vec![ReportedEvent::Correction { table, round: number }],
        RoundEvent::TableOpened
        | RoundEvent::ClosureAnnounced
        | RoundEvent::TableClosed
        | RoundEvent::Relieved { .. }
        | RoundEvent::DiceInUse { .. }
        | RoundEvent::TumblerInUse { .. }
        | RoundEvent::BetsOpened { .. }
        | RoundEvent::BetsClosed
        | RoundEvent::Activated
        | RoundEvent::ActivatedInNoRound
        | RoundEvent::Tumbled { .. }
        | RoundEvent::AtRest { .. }
        | RoundEvent::Covered
        | RoundEvent::Uncovered
        | RoundEvent::Committed { .. }
        | RoundEvent::Established { .. }
        | RoundEvent::Held
        | RoundEvent::Resumed { .. }
        | RoundEvent::SetDamaged { .. }
        | RoundEvent::Followed { .. }
        | RoundEvent::EventRaised
        | RoundEvent::EventsHeld => Vec::new(),
    }
}

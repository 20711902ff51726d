//! What of a table is a significant event of the house (F32): it is reported to the House once it is done.

use taisai_table::{
    Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandId, HouseCommand, Refusal, Report, RoundEvent,
    RoundNumber, Seat, VoidReason,
};

use super::RunningTable;
use crate::house::HouseMail;
use crate::leaving::{Reply, Said};

impl RunningTable {
    /// Reports what happened at the dealer's side, as far as it is significant.
    pub(super) fn report_round(&mut self, number: RoundNumber, event: &RoundEvent) {
        let table = self.round().table();
        match event {
            RoundEvent::LimitsShown { .. } => self.report(Some(Report::LimitChange { table })),
            RoundEvent::Voided { differs, .. } => {
                self.report(Some(Report::Void { table, round: number }));
                self.report(differs.then_some(Report::FlatDiceVoided { table, round: number }));
            }
            RoundEvent::RoundsVoided { from, reason, ruled, .. } => {
                self.report(Some(Report::Void { table, round: *from }));
                for round in ruled.iter().copied() {
                    self.report(Some(Report::ToBeRuled { table, round }));
                }
                if *reason == VoidReason::DamagedDice {
                    // No number was given to a set of 0: other tables have other dice under it.
                    for dice_set in
                        self.round().damaged_sets().iter().copied().filter(|set| *set > 0).collect::<Vec<_>>()
                    {
                        self.report(Some(Report::DiceDamaged { table, dice_set }));
                    }
                }
            }
            RoundEvent::SetInspected { dice_set } => {
                self.report(Some(Report::DiceInspected { table, dice_set: *dice_set }));
            }
            RoundEvent::Corrected { round, .. } => self.report(Some(Report::Correction { table, round: *round })),
            RoundEvent::Ruled { round, before, after, waits } if before != after => {
                let (round, before, after, waits) = (*round, *before, *after, *waits);
                self.report(Some(Report::MoneyRuling { table, round, before, after, waits }));
            }
            RoundEvent::Ruled { .. } | RoundEvent::Noted => self.report(Some(Report::Ruling { table })),
            RoundEvent::Witnessed { round } => self.report(Some(Report::RulingWitnessed { table, round: *round })),
            RoundEvent::KnownCorrected { .. } => self.report(Some(Report::Correction { table, round: number })),
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
            | RoundEvent::Followed { .. } => {}
        }
    }

    /// Reports where what counts in a settled round differs by more than the Differential (1.3).
    pub(super) fn report_over_differential(&mut self, round: RoundNumber, event: &ClusterEvent) {
        let table = self.round().table();
        if let ClusterEvent::Settled { over_differential, .. } = event {
            for over in over_differential.iter().copied() {
                self.report(Some(Report::OverDifferential { table, round, over }));
            }
        }
    }

    /// Counts a refusal, and reports an id that was used for something else.
    pub(super) fn refused(&mut self, refusal: Refusal, id: CommandId) {
        self.parts.metrics.refusals.add(refusal);
        if refusal == Refusal::CommandIdReused && self.reusing.insert(id.source) {
            self.report(Some(Report::CommandIdReused { table: self.round().table(), source: id.source }));
        }
    }

    /// Has it reported to the House.
    pub(super) fn report(&mut self, what: Option<Report>) {
        let report = |what| Said::ToHouse(HouseMail::Own(HouseCommand::Report { what }, Reply::Nobody));
        self.said.extend(what.map(report));
    }
}

/// The seat of the stacker that a command is about.
pub(super) fn stacker_seat(cluster: &Cluster, command: &ClusterCommand) -> Option<Seat> {
    match command {
        ClusterCommand::CountStacker { seat, .. } => Some(*seat),
        ClusterCommand::EmptyStacker { acceptor, .. } => {
            cluster.stackers().find(|(device, _)| device == acceptor).map(|(_, stacker)| stacker.seat)
        }
        _ => None,
    }
}

/// A stacker that does not hold what was accepted (F86).
pub(super) fn stacker(
    cluster: ClusterId,
    seat: Seat,
    command: &ClusterCommand,
    event: &ClusterEvent,
) -> Option<Report> {
    let (accepted, notes, variance) = match (command, event) {
        (ClusterCommand::CountStacker { notes, .. }, ClusterEvent::StackerDiffers { accepted }) => {
            (*accepted, *notes, None)
        }
        (
            ClusterCommand::EmptyStacker { notes, amount: counted, .. },
            ClusterEvent::StackerEmptied { accepted, amount },
        ) if (notes, counted) != (accepted, amount) => (*accepted, *notes, counted.checked_sub(*amount)),
        _ => return None,
    };
    Some(Report::StackerDiffers { cluster, seat, accepted, notes, variance })
}

/// A buy-in that two people reversed.
pub(super) const fn reversed(cluster: ClusterId, command: &ClusterCommand, event: &ClusterEvent) -> Option<Report> {
    match (command, event) {
        (ClusterCommand::ReverseBuyIn { seat, receipt, .. }, ClusterEvent::BuyInReversed { amount }) => {
            Some(Report::BuyInReversed { cluster, seat: *seat, receipt: *receipt, amount: *amount })
        }
        _ => None,
    }
}

/// What the command would be reported as.
pub(super) const fn of_cluster(cluster: ClusterId, command: &ClusterCommand) -> Option<Report> {
    match command {
        ClusterCommand::Lost { seat } => Some(Report::TerminalLost { cluster, seat: *seat }),
        ClusterCommand::Back { seat } => Some(Report::TerminalBack { cluster, seat: *seat }),
        ClusterCommand::Place { .. }
        | ClusterCommand::PlaceFor { .. }
        | ClusterCommand::PlaceExcess { .. }
        | ClusterCommand::Advise { .. }
        | ClusterCommand::Withdraw { .. }
        | ClusterCommand::Clear { .. }
        | ClusterCommand::Repeat { .. }
        | ClusterCommand::Double { .. }
        | ClusterCommand::RejectExcess
        | ClusterCommand::BuyIn { .. }
        | ClusterCommand::ReverseBuyIn { .. }
        | ClusterCommand::Read { .. }
        | ClusterCommand::AcceptNote { .. }
        | ClusterCommand::CountStacker { .. }
        | ClusterCommand::EmptyStacker { .. }
        | ClusterCommand::IssueColour { .. }
        | ClusterCommand::RedeemColour { .. }
        | ClusterCommand::CashOut { .. }
        | ClusterCommand::Leave { .. }
        | ClusterCommand::WalkAway { .. }
        | ClusterCommand::ClearLock { .. }
        | ClusterCommand::Register { .. }
        | ClusterCommand::TellTotal { .. }
        | ClusterCommand::AllRegistered
        | ClusterCommand::TickOff { .. }
        | ClusterCommand::RegisterFromFilm { .. }
        | ClusterCommand::WithdrawFromFilm { .. }
        | ClusterCommand::CloseReturns { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => None,
    }
}

//! What of a table is a significant event of the house (F32): it is reported to the House once it is done.

use taisai_table::{ClusterCommand, ClusterId, CommandId, HouseCommand, Refusal, Report, RoundCommand, Ruling};

use super::RunningTable;
use crate::house::HouseMail;
use crate::leaving::{Reply, Said};

impl RunningTable {
    /// What the command would be reported as.
    pub(super) fn reported_of_round(&self, command: &RoundCommand) -> Option<Report> {
        let table = self.round().table();
        match command {
            RoundCommand::ShowLimits { .. } => Some(Report::LimitChange { table }),
            RoundCommand::Void { .. } => Some(Report::Void { table, round: self.round().number() }),
            RoundCommand::VoidSettled { round, .. } | RoundCommand::VoidDamaged { from: round, .. } => {
                Some(Report::Void { table, round: *round })
            }
            RoundCommand::Correct { round, .. } => Some(Report::Correction { table, round: *round }),
            RoundCommand::Rule { ruling: Ruling::Void { round }, .. } => Some(Report::Void { table, round: *round }),
            RoundCommand::Rule { .. } => Some(Report::Ruling { table }),
            RoundCommand::OpenTable
            | RoundCommand::AnnounceClosure
            | RoundCommand::CloseTable
            | RoundCommand::Relieve { .. }
            | RoundCommand::UseDice { .. }
            | RoundCommand::UseTumbler { .. }
            | RoundCommand::OpenBets
            | RoundCommand::CloseBets
            | RoundCommand::Tick
            | RoundCommand::Activate
            | RoundCommand::Tumbled { .. }
            | RoundCommand::AtRest { .. }
            | RoundCommand::Commit { .. }
            | RoundCommand::Interrupt { .. }
            | RoundCommand::Continue
            | RoundCommand::Restarted
            | RoundCommand::Report { .. } => None,
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

/// What the command would be reported as.
pub(super) const fn of_cluster(cluster: ClusterId, command: &ClusterCommand) -> Option<Report> {
    match command {
        ClusterCommand::Lost { seat } => Some(Report::TerminalLost { cluster, seat: *seat }),
        ClusterCommand::Back { seat } => Some(Report::TerminalBack { cluster, seat: *seat }),
        ClusterCommand::Place { .. }
        | ClusterCommand::PlaceFor { .. }
        | ClusterCommand::Withdraw { .. }
        | ClusterCommand::Clear { .. }
        | ClusterCommand::Repeat { .. }
        | ClusterCommand::Double { .. }
        | ClusterCommand::RejectExcess
        | ClusterCommand::BuyIn { .. }
        | ClusterCommand::IssueColour { .. }
        | ClusterCommand::RedeemColour { .. }
        | ClusterCommand::CashOut { .. }
        | ClusterCommand::Leave { .. }
        | ClusterCommand::WalkAway { .. }
        | ClusterCommand::ClearLock { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => None,
    }
}

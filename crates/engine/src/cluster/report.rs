//! What of a players' side is a significant event (F32).

use taisai_table::{Cluster, ClusterCommand, ClusterEvent, ClusterId, ReportedEvent, Seat};

/// What must be known of a command before it is carried out, so that it can be reported afterwards.
#[derive(Debug)]
pub(super) enum Reportable {
    /// A terminal was lost, or is back.
    Terminal(ReportedEvent),
    StackerCounted {
        seat: Seat,
        notes: u32,
    },
    StackerEmptied {
        seat: Seat,
        notes: u32,
        counted: taisai_rules::Money,
    },
    /// A buy-in was reversed.
    Reversed {
        seat: Seat,
        receipt: taisai_table::Receipt,
    },
    /// A player has read a message.
    Read {
        seat: Seat,
    },
    /// A round may be settled.
    Settles,
}

impl Reportable {
    pub(super) fn of(cluster: &Cluster, command: &ClusterCommand) -> Option<Self> {
        let id = cluster.id();
        match *command {
            ClusterCommand::Lost { seat } => Some(Self::Terminal(ReportedEvent::TerminalLost { cluster: id, seat })),
            ClusterCommand::Back { seat } => Some(Self::Terminal(ReportedEvent::TerminalBack { cluster: id, seat })),
            ClusterCommand::CountStacker { seat, notes } => Some(Self::StackerCounted { seat, notes }),
            ClusterCommand::EmptyStacker { acceptor, notes, amount: counted } => {
                let (_, stacker) = cluster.stackers().find(|(device, _)| *device == acceptor)?;
                Some(Self::StackerEmptied { seat: stacker.seat, notes, counted })
            }
            ClusterCommand::ReverseBuyIn { seat, receipt, .. } => Some(Self::Reversed { seat, receipt }),
            ClusterCommand::Read { seat, .. } => Some(Self::Read { seat }),
            ClusterCommand::Follow { .. } => Some(Self::Settles),
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
            | ClusterCommand::AcceptNote { .. }
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
            | ClusterCommand::RaiseEvent { .. }
            | ClusterCommand::EventsHeld { .. }
            | ClusterCommand::Receive { .. }
            | ClusterCommand::Delivered { .. } => None,
        }
    }

    /// The reports of an accepted command.
    pub(super) fn reports(&self, cluster: &Cluster, event: &ClusterEvent) -> Vec<ReportedEvent> {
        let id = cluster.id();
        let report = match (self, event) {
            (Self::Terminal(report), _) => Some(*report),
            // A stacker that does not hold what was accepted (F86).
            (Self::StackerCounted { seat, notes }, ClusterEvent::StackerDiffers { accepted }) => {
                Some(ReportedEvent::StackerDiffers {
                    cluster: id,
                    seat: *seat,
                    accepted: *accepted,
                    notes: *notes,
                    variance: None,
                })
            }
            (Self::StackerEmptied { seat, notes, counted }, ClusterEvent::StackerEmptied { accepted, amount })
                if (notes, counted) != (accepted, amount) =>
            {
                let variance = counted.checked_sub(*amount);
                Some(ReportedEvent::StackerDiffers {
                    cluster: id,
                    seat: *seat,
                    accepted: *accepted,
                    notes: *notes,
                    variance,
                })
            }
            (Self::Reversed { seat, receipt }, ClusterEvent::BuyInReversed { amount }) => {
                Some(ReportedEvent::BuyInReversed { cluster: id, seat: *seat, receipt: *receipt, amount: *amount })
            }
            // What counts in the round differs by more than the Differential (1.3).
            (Self::Settles, ClusterEvent::Settled { over_differential, .. }) => {
                let (table, round) = (id.table, cluster.round());
                return over_differential
                    .iter()
                    .map(|over| ReportedEvent::OverDifferential { table, round, over: *over })
                    .collect();
            }
            (
                Self::StackerCounted { .. }
                | Self::StackerEmptied { .. }
                | Self::Reversed { .. }
                | Self::Read { .. }
                | Self::Settles,
                _,
            ) => None,
        };
        report.into_iter().collect()
    }

    /// The seat whose player is shown messages again.
    pub(super) const fn messages_at(&self) -> Option<Seat> {
        match self {
            Self::Reversed { seat, .. } | Self::Read { seat } => Some(*seat),
            Self::Terminal(_) | Self::StackerCounted { .. } | Self::StackerEmptied { .. } | Self::Settles => None,
        }
    }
}

/// A large win has locked a seat (F33).
pub(super) const fn large_win(cluster: ClusterId, seat: Seat, amount: taisai_rules::Money) -> ReportedEvent {
    ReportedEvent::LargeWin { cluster, seat, amount }
}

//! Questions about a command that several modules ask.

use taisai_table::{Actor, Cluster, ClusterCommand, Seat};

/// The seats that people sit at: they count from one.
pub fn player_seats(cluster: &Cluster) -> impl Iterator<Item = Seat> + use<> {
    cluster.seats().skip(1)
}

/// The seat whose terminal asks: it is answered there, whatever seat it asks about.
pub(super) const fn seat_asking(actor: Actor) -> Option<Seat> {
    match actor {
        Actor::Terminal { seat, .. } => Some(seat),
        Actor::Person(_) | Actor::Tumbler(_) | Actor::System | Actor::NoteAcceptor { .. } | Actor::ChipReader(_) => {
            None
        }
    }
}

/// The seat that a command is about.
pub const fn seat_of(command: &ClusterCommand) -> Option<Seat> {
    match command {
        ClusterCommand::Place { seat, .. }
        | ClusterCommand::PlaceFor { seat, .. }
        | ClusterCommand::PlaceExcess { seat, .. }
        | ClusterCommand::Withdraw { seat, .. }
        | ClusterCommand::Clear { seat }
        | ClusterCommand::Repeat { seat }
        | ClusterCommand::Double { seat }
        | ClusterCommand::BuyIn { seat, .. }
        | ClusterCommand::ReverseBuyIn { seat, .. }
        | ClusterCommand::Read { seat, .. }
        | ClusterCommand::AcceptNote { seat, .. }
        | ClusterCommand::CountStacker { seat, .. }
        | ClusterCommand::IssueColour { seat, .. }
        | ClusterCommand::RedeemColour { seat }
        | ClusterCommand::CashOut { seat, .. }
        | ClusterCommand::Leave { seat }
        | ClusterCommand::WalkAway { seat }
        | ClusterCommand::Lost { seat }
        | ClusterCommand::Back { seat }
        | ClusterCommand::Register { seat, .. }
        | ClusterCommand::TickOff { seat, .. }
        | ClusterCommand::RegisterFromFilm { seat, .. }
        | ClusterCommand::ClearLock { seat } => Some(*seat),
        ClusterCommand::RejectExcess
        | ClusterCommand::TellTotal { .. }
        | ClusterCommand::AllRegistered
        | ClusterCommand::WithdrawFromFilm { .. }
        | ClusterCommand::CloseReturns { .. }
        | ClusterCommand::RaiseEvent { .. }
        | ClusterCommand::EventsHeld { .. }
        | ClusterCommand::Advise { .. }
        | ClusterCommand::EmptyStacker { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => None,
    }
}

/// How many bets a command places, for the count.
pub(super) fn bets_in(command: &ClusterCommand) -> u64 {
    match command {
        ClusterCommand::Place { stakes, .. }
        | ClusterCommand::PlaceFor { stakes, .. }
        | ClusterCommand::PlaceExcess { stakes, .. }
        | ClusterCommand::Register { stakes, .. } => u64::try_from(stakes.len()).unwrap_or(u64::MAX),
        ClusterCommand::Repeat { .. } | ClusterCommand::Double { .. } => 1,
        ClusterCommand::Withdraw { .. }
        | ClusterCommand::Clear { .. }
        | ClusterCommand::RejectExcess
        | ClusterCommand::Advise { .. }
        | ClusterCommand::TellTotal { .. }
        | ClusterCommand::AllRegistered
        | ClusterCommand::TickOff { .. }
        | ClusterCommand::RegisterFromFilm { .. }
        | ClusterCommand::WithdrawFromFilm { .. }
        | ClusterCommand::CloseReturns { .. }
        | ClusterCommand::RaiseEvent { .. }
        | ClusterCommand::EventsHeld { .. }
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
        | ClusterCommand::Lost { .. }
        | ClusterCommand::Back { .. }
        | ClusterCommand::ClearLock { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. } => 0,
    }
}

//! Known mistakes in the decisions of this crate, to show that the simulator finds them. Without the feature `planted` nobody can
//! choose one: [`makes`] is a constant `false`, and the compiler drops what would follow.

/// A mistake where the engine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mistake {
    /// The outbox releases the batch after the durable one as well.
    ReleaseBeforeDurable,
    /// The outbox goes on when the lease is over.
    ReleaseAfterLease,
    /// A node counts a lease from the answer, and twice as long.
    LeaseCountedFromAnswer,
    /// A node goes on renewing a lease that it found over.
    LeaseKeptAfterItsEnd,
    /// The House acknowledges every transfer, whether it holds it or not.
    TransferAcknowledgedUnheld,
    /// The House takes a transfer that it holds once more, under the next number.
    TransferTakenTwice,
    /// A cluster acknowledges every transfer, whether it holds it or not.
    CreditsAcknowledgedUnheld,
    /// A cluster reports notices that have arrived as followed.
    CloseAcknowledgedEarly,
    /// A cluster follows a notice without those before it.
    NoticeGapAccepted,
    /// A cluster asks for the slip of the round before, and takes it.
    SlipOfTheWrongRound,
    /// A round sends each notice once.
    NoticesNotSentAgain,
    /// A cluster sends each transfer once.
    TransfersNotSentAgain,
    /// The House sends each transfer once.
    CreditsNotSentAgain,
    /// A refusal is answered and not recorded.
    RefusalNotRecorded,
    /// What a partition has sent to another one on its worker is appended after what the other one made of it.
    AppendsInWrongOrder,
}

impl Mistake {
    pub const ALL: [Self; 15] = [
        Self::ReleaseBeforeDurable,
        Self::ReleaseAfterLease,
        Self::LeaseCountedFromAnswer,
        Self::LeaseKeptAfterItsEnd,
        Self::TransferAcknowledgedUnheld,
        Self::TransferTakenTwice,
        Self::CreditsAcknowledgedUnheld,
        Self::CloseAcknowledgedEarly,
        Self::NoticeGapAccepted,
        Self::SlipOfTheWrongRound,
        Self::NoticesNotSentAgain,
        Self::TransfersNotSentAgain,
        Self::CreditsNotSentAgain,
        Self::RefusalNotRecorded,
        Self::AppendsInWrongOrder,
    ];
}

#[cfg(feature = "planted")]
mod chosen {
    use std::cell::Cell;

    use super::Mistake;

    thread_local! {
        static CHOSEN: Cell<Option<Mistake>> = const { Cell::new(None) };
    }

    /// Has the engines of this thread make a mistake from now on, or none.
    pub fn plant(mistake: Option<Mistake>) {
        CHOSEN.set(mistake);
    }

    /// Whether the engine makes this mistake.
    pub(crate) fn makes(mistake: Mistake) -> bool {
        CHOSEN.get() == Some(mistake)
    }
}

#[cfg(not(feature = "planted"))]
mod chosen {
    use super::Mistake;

    /// Whether the engine makes this mistake: never.
    pub(crate) const fn makes(_mistake: Mistake) -> bool {
        false
    }
}

pub(crate) use chosen::makes;
#[cfg(feature = "planted")]
pub use chosen::plant;

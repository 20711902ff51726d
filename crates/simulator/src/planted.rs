//! Known mistakes. Each can be switched on in a build with the feature `planted`, to show that the simulator finds it.

/// A mistake of the code around the machines: of the driver, or of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Planted {
    /// The store takes a block of an epoch that is over.
    EpochNotCompared,
    /// The store adds a block at the end of a chain, whatever head it was decided on.
    AppendWithoutCompare,
    /// Of a transaction that is cut off the store keeps the second chain's blocks without the first's.
    SecondStoredWithoutFirst,
    /// A node is given a partition that a living node holds.
    LeaseOfALivingNodeClaimed,
    /// Replies leave before what they rest on is durable.
    ReplyBeforeDurable,
    /// Messages to other partitions leave before what they rest on is durable.
    MessageBeforeDurable,
    /// Views leave before what they rest on is durable.
    ViewBeforeDurable,
    /// An append of unknown fate counts as durable.
    UnknownFateIsDurable,
    /// An append that failed counts as durable.
    FailedAppendIsDurable,
    /// With a batch the one after it counts as durable.
    NextBatchIsDurable,
    /// The appends of a batch are submitted in the wrong order.
    AppendsOutOfOrder,
    /// The last entry of a block is forgotten.
    EntryForgotten,
    /// An append that was refused is submitted again after the new head.
    FencedAppendRetried,
    /// An append of unknown fate is submitted again.
    UnknownAppendRetried,
    /// After a failed append the machines go on as they are, and are not loaded again.
    MachinesKeptAfterFailure,
    /// Nobody looks whether the lease lasts before effects leave.
    LeaseNotChecked,
    /// A node counts its lease longer than the store does.
    LeaseCountedTooLong,
    /// A take-over does not read what was written between reading and raising the epoch.
    TakeOverDoesNotReadTheRest,
    /// A take-over goes on from a snapshot without the blocks since.
    StaleSnapshot,
    /// A worker's time begins with the system's clock, whatever is on record.
    ClockNotAfterRecord,
    /// Partitions that are opened again number their commands as before.
    OwnSourceReused,
    /// Another round's slip is read.
    SlipOfTheWrongRound,
    /// A slip that was asked for is never read.
    SlipNeverRead,
    /// The receiver's node acknowledges a notice before the cluster holds it.
    CloseAcknowledgedEarly,
    /// The House's node acknowledges a transfer before the House holds it.
    TransferAcknowledgedEarly,
    /// A transfer is taken a second time, under the next number.
    TransferTakenTwice,
    /// After the first message to another node was lost no more are sent there.
    LostMessagesNotSentAgain,
    /// Messages go to the first holder of a partition.
    MessagesToOldHolder,
    /// A client without a reply sends its command again under another id.
    RetryUnderNewId,
    /// When a worker stops, waiting clients get an invented acceptance.
    ReplyInventedOnFailure,
    /// A snapshot is kept of a machine that is ahead of what is durable.
    SnapshotAheadOfTheChain,
    /// A mistake of the engine itself.
    Engine(taisai_engine::Mistake),
}

impl Planted {
    /// Every mistake: those of the engine, then those of its driver.
    pub fn all() -> impl Iterator<Item = Self> {
        taisai_engine::Mistake::ALL.into_iter().map(Self::Engine).chain(Self::OF_THE_DRIVER)
    }

    /// Every mistake of the driver.
    const OF_THE_DRIVER: [Self; 31] = [
        Self::EpochNotCompared,
        Self::AppendWithoutCompare,
        Self::SecondStoredWithoutFirst,
        Self::LeaseOfALivingNodeClaimed,
        Self::ReplyBeforeDurable,
        Self::MessageBeforeDurable,
        Self::ViewBeforeDurable,
        Self::UnknownFateIsDurable,
        Self::FailedAppendIsDurable,
        Self::NextBatchIsDurable,
        Self::AppendsOutOfOrder,
        Self::EntryForgotten,
        Self::FencedAppendRetried,
        Self::UnknownAppendRetried,
        Self::MachinesKeptAfterFailure,
        Self::LeaseNotChecked,
        Self::LeaseCountedTooLong,
        Self::TakeOverDoesNotReadTheRest,
        Self::StaleSnapshot,
        Self::ClockNotAfterRecord,
        Self::OwnSourceReused,
        Self::SlipOfTheWrongRound,
        Self::SlipNeverRead,
        Self::CloseAcknowledgedEarly,
        Self::TransferAcknowledgedEarly,
        Self::TransferTakenTwice,
        Self::LostMessagesNotSentAgain,
        Self::MessagesToOldHolder,
        Self::RetryUnderNewId,
        Self::ReplyInventedOnFailure,
        Self::SnapshotAheadOfTheChain,
    ];
}

/// Which mistake is made in a run, if any.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mistakes(Option<Planted>);

impl Mistakes {
    pub(crate) fn new(planted: Option<Planted>) -> Self {
        #[cfg(feature = "planted")]
        taisai_engine::plant(match planted {
            Some(Planted::Engine(mistake)) => Some(mistake),
            _ => None,
        });
        Self(planted)
    }

    /// Whether this mistake is made. Never in a build without the feature.
    pub(crate) fn is(self, planted: Planted) -> bool {
        cfg!(feature = "planted") && self.0 == Some(planted)
    }
}

//! The kinds of faults.

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A process is killed, and started again later.
    ProcessKilled,
    /// A process shuts down, gives up its leases, and is started again later.
    ProcessStopped,
    /// A process stands still while time passes.
    ProcessFrozen,
    /// All processes end at the same moment.
    PowerLost,
    /// The system's clock of a node is stepped.
    ClockStepped,
    /// No message passes between two nodes.
    LinkCut,
    /// No message passes between two nodes, one way.
    LinkCutOneWay,
    /// A node and the store do not reach each other.
    StoreLinkCut,
    /// What the store answers does not reach a node.
    StoreAnswersLost,
    /// Nobody at a table or desk reaches a node.
    ClientsCut,
    /// The store answers nobody.
    StoreUnavailable,
    /// The connection is cut while an append commits.
    AppendUnknown,
    /// An append fails, as on a full disk.
    AppendFailed,
    /// The disk is full for a while: every append fails.
    DiskFull,
    /// A process ends in the middle of an append, at any of its writes or at its flush; what is torn is not stored.
    StoppedInAppend,
    /// The primary is lost, and a standby that has everything is promoted.
    PrimaryLost,
    /// A person wishes a partition to another node.
    PartitionWished,
    /// A terminal's connection is cut.
    TerminalCut,
    /// A standby is promoted that lacks the last blocks. The program does not withstand it yet.
    TailLost,
    /// A primary that was thought lost goes on answering. The program does not withstand it yet.
    FormerPrimaryAnswers,
    /// Two nodes never reach each other again, from when the other faults stop.
    LinkCutForGood,
    /// The number of a voucher in use is given out again: its amount becomes a claim.
    VoucherNumberReused,
    /// A message between nodes is lost.
    MessageLost,
    /// A message between nodes arrives twice.
    MessageRepeated,
    /// A message between nodes is overtaken by others.
    MessageDelayed,
    /// A request or a reply is lost between a person or terminal and a node.
    RequestLost,
    /// A person or terminal sends a command twice.
    CommandRepeated,
    /// A client without a reply sends its command again.
    CommandRetried,
    /// An id is used for something else.
    IdReused,
    /// A slip cannot be read at first.
    SlipUnreadable,
}

impl Fault {
    /// Those that are injected from outside, and not with single messages.
    pub const INJECTED: [Self; 18] = [
        Self::ProcessKilled,
        Self::ProcessStopped,
        Self::ProcessFrozen,
        Self::PowerLost,
        Self::ClockStepped,
        Self::LinkCut,
        Self::LinkCutOneWay,
        Self::StoreLinkCut,
        Self::StoreAnswersLost,
        Self::ClientsCut,
        Self::StoreUnavailable,
        Self::AppendUnknown,
        Self::AppendFailed,
        Self::DiskFull,
        Self::StoppedInAppend,
        Self::PrimaryLost,
        Self::PartitionWished,
        Self::TerminalCut,
    ];

    /// Those that the program does not withstand yet: off unless a plan names them.
    pub const OPEN: [Self; 3] = [Self::TailLost, Self::FormerPrimaryAnswers, Self::VoucherNumberReused];

    /// Whether it is injected from outside.
    pub fn is_injected(self) -> bool {
        Self::INJECTED.contains(&self) || Self::OPEN.contains(&self)
    }

    /// Those that one node alone, with its store in a file, cannot have.
    const fn is_of_several(self) -> bool {
        matches!(
            self,
            Self::LinkCut
                | Self::LinkCutOneWay
                | Self::PartitionWished
                | Self::StoreLinkCut
                | Self::StoreAnswersLost
                | Self::PrimaryLost
                | Self::StoreUnavailable
        )
    }

    /// How often it is chosen, against the others.
    pub(crate) const fn weight(self, is_alone: bool) -> u64 {
        if is_alone && self.is_of_several() {
            return 0;
        }
        match self {
            Self::ProcessKilled => 14,
            Self::ProcessFrozen => 12,
            Self::LinkCut | Self::LinkCutOneWay | Self::AppendUnknown | Self::PartitionWished | Self::TerminalCut => 8,
            Self::ClockStepped | Self::ClientsCut | Self::StoppedInAppend => 6,
            Self::ProcessStopped | Self::StoreLinkCut | Self::StoreAnswersLost => 5,
            Self::AppendFailed | Self::DiskFull | Self::PrimaryLost | Self::TailLost | Self::FormerPrimaryAnswers => 4,
            Self::StoreUnavailable => 3,
            Self::PowerLost => 1,
            // One lasts from when the others stop; the others come with single messages, commands and numbers.
            Self::LinkCutForGood
            | Self::VoucherNumberReused
            | Self::MessageLost
            | Self::MessageRepeated
            | Self::MessageDelayed
            | Self::RequestLost
            | Self::CommandRepeated
            | Self::CommandRetried
            | Self::IdReused
            | Self::SlipUnreadable => 0,
        }
    }
}

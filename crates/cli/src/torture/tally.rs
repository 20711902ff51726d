//! How often each refusal, irregularity, event, command and fault was met, and which of them must be.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::mem::{Discriminant, discriminant};

use taisai_rules::{Game, LimitScope, Rule, Station};
use taisai_table::{
    ClusterCommand, ClusterEvent, HouseCommand, HouseEvent, Refusal, RoundCommand, RoundEvent, VoidReason,
};

/// What the simulator does to the machines and to what passes between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    MessageDelayed,
    MessageRepeated,
    MessageOutOfOrder,
    WrongSlip,
    CommandSentAgain,
    CommandIdReused,
    CommandTooOld,
    ProgramRestarted,
    RebuiltFromTheFirstEntry,
    RebuiltFromASnapshot,
    TerminalLost,
    ClockStepped,
}

impl Fault {
    const ALL: [Self; 12] = [
        Self::MessageDelayed,
        Self::MessageRepeated,
        Self::MessageOutOfOrder,
        Self::WrongSlip,
        Self::CommandSentAgain,
        Self::CommandIdReused,
        Self::CommandTooOld,
        Self::ProgramRestarted,
        Self::RebuiltFromTheFirstEntry,
        Self::RebuiltFromASnapshot,
        Self::TerminalLost,
        Self::ClockStepped,
    ];

    const fn text(self) -> &'static str {
        match self {
            Self::MessageDelayed => "message delayed",
            Self::MessageRepeated => "message delivered twice",
            Self::MessageOutOfOrder => "message out of order",
            Self::WrongSlip => "correction with the wrong slip",
            Self::CommandSentAgain => "command sent again",
            Self::CommandIdReused => "command id used for something else",
            Self::CommandTooOld => "command with an old id",
            Self::ProgramRestarted => "program restarted",
            Self::RebuiltFromTheFirstEntry => "machines rebuilt from the first entry",
            Self::RebuiltFromASnapshot => "machines rebuilt from a snapshot",
            Self::TerminalLost => "terminal lost",
            Self::ClockStepped => "clock stepped",
        }
    }
}

/// Counts the variants of an enum by their names.
#[derive(Debug)]
struct Kinds<T>(HashMap<Discriminant<T>, (String, u64)>);

impl<T: Debug> Kinds<T> {
    fn count(&mut self, value: &T) {
        let name = || {
            let text = format!("{value:?}");
            let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
            (text[..end].to_owned(), 0)
        };
        self.0.entry(discriminant(value)).or_insert_with(name).1 += 1;
    }

    fn by_name(&self) -> HashMap<&str, u64> {
        self.0.values().map(|(name, count)| (name.as_str(), *count)).collect()
    }
}

impl<T> Default for Kinds<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

/// What was met in a run.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) rounds: u64,
    pub(super) commands: u64,
    pub(super) bets: u64,
    refusals: BTreeMap<Refusal, u64>,
    voids: Vec<(VoidReason, u64)>,
    faults: BTreeMap<Fault, u64>,
    round_commands: Kinds<RoundCommand>,
    round_events: Kinds<RoundEvent>,
    cluster_commands: Kinds<ClusterCommand>,
    cluster_events: Kinds<ClusterEvent>,
    house_commands: Kinds<HouseCommand>,
    house_events: Kinds<HouseEvent>,
}

impl Tally {
    pub(super) fn refusal(&mut self, refusal: Refusal) {
        *self.refusals.entry(refusal).or_default() += 1;
    }

    pub(super) fn fault(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
    }

    pub(super) fn round(&mut self, command: &RoundCommand, event: &RoundEvent) {
        self.round_commands.count(command);
        self.round_events.count(event);
        if let RoundEvent::Voided { reason } | RoundEvent::RoundsVoided { reason, .. } = event {
            match self.voids.iter_mut().find(|(known, _)| known == reason) {
                Some((_, count)) => *count += 1,
                None => self.voids.push((*reason, 1)),
            }
        }
    }

    pub(super) fn cluster(&mut self, command: &ClusterCommand, event: &ClusterEvent) {
        self.cluster_commands.count(command);
        self.cluster_events.count(event);
    }

    pub(super) fn house(&mut self, command: &HouseCommand, event: &HouseEvent) {
        self.house_commands.count(command);
        self.house_events.count(event);
    }

    pub(super) fn faults(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Everything there is to meet, with how often it was met in a game; `None` where that game cannot meet it.
    pub(super) fn rows(&self, game: &Game) -> Vec<Row> {
        let mut rows = Vec::new();
        for refusal in Refusal::ALL {
            let count = self.refusals.get(refusal).copied().unwrap_or(0);
            rows.push(Row::new("refusal", refusal.code(), count, refusal_out_of_reach(*refusal, game)));
        }
        for reason in VOIDS {
            let count = self.voids.iter().find(|(known, _)| *known == reason).map_or(0, |(_, count)| *count);
            let absent = game.paragraphs(reason.rule()).is_empty().then_some("the game has no such rule");
            rows.push(Row::new("void", &format!("{reason:?}"), count, absent));
        }
        for fault in Fault::ALL {
            let count = self.faults.get(&fault).copied().unwrap_or(0);
            let absent = (fault == Fault::TerminalLost && game.station() == Station::LiveTable)
                .then_some("a live table has no terminals");
            rows.push(Row::new("fault", fault.text(), count, absent));
        }
        let absent = |name: &str| command_out_of_reach(name, game);
        for (group, names, met) in [
            ("round", ROUND_COMMANDS, self.round_commands.by_name()),
            ("round event", ROUND_EVENTS, self.round_events.by_name()),
            ("cluster", CLUSTER_COMMANDS, self.cluster_commands.by_name()),
            ("cluster event", CLUSTER_EVENTS, self.cluster_events.by_name()),
            ("house", HOUSE_COMMANDS, self.house_commands.by_name()),
            ("house event", HOUSE_EVENTS, self.house_events.by_name()),
        ] {
            let count = |name| met.get(name).copied().unwrap_or(0);
            rows.extend(names.split_whitespace().map(|name| Row::new(group, name, count(name), absent(name))));
        }
        rows
    }
}

/// One thing to meet.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) name: String,
    pub(super) count: u64,
    /// Why this game cannot meet it.
    pub(super) out_of_reach: Option<&'static str>,
}

impl Row {
    fn new(group: &'static str, name: &str, count: u64, out_of_reach: Option<&'static str>) -> Self {
        Self { group, name: name.to_owned(), count, out_of_reach }
    }

    /// Whether it should have been met and was not.
    pub(super) const fn is_missing(&self) -> bool {
        self.count == 0 && self.out_of_reach.is_none()
    }
}

const VOIDS: [VoidReason; 7] = [
    VoidReason::FewTumbles,
    VoidReason::NotFlat,
    VoidReason::Exposed,
    VoidReason::ActivatedEarly,
    VoidReason::NotEstablished,
    VoidReason::DamagedDice,
    VoidReason::Ruling,
];

const ROUND_COMMANDS: &str = "OpenTable AnnounceClosure CloseTable Relieve ShowLimits UseDice UseTumbler OpenBets \
    CloseBets Tick Activate Tumbled AtRest Commit Void Interrupt Continue Restarted Correct VoidSettled VoidDamaged Rule \
    Report";

const ROUND_EVENTS: &str = "TableOpened ClosureAnnounced TableClosed Relieved LimitsShown DiceInUse TumblerInUse \
    BetsOpened BetsClosed Activated ActivatedInNoRound Tumbled AtRest Committed Voided RoundsVoided Established Held \
    Resumed Corrected Noted Followed";

const CLUSTER_COMMANDS: &str = "Place PlaceFor Withdraw Clear Repeat Double RejectExcess BuyIn IssueColour RedeemColour \
    CashOut Leave WalkAway Lost Back ClearLock Follow Receive Delivered";

const CLUSTER_EVENTS: &str = "Done Rejected Settled Compensated";

const HOUSE_COMMANDS: &str = "Found AddPerson SetRoles Suspend Reinstate LoginFailed LoginSucceeded Unlock Enrol Revoke \
    CopiedToken RequestApproval AnswerApproval WithdrawApproval AddTable Configure SellVoucher RedeemAtCage RedeemAtSeat \
    VoidVoucher RuleExpired ClearRedemptionLock Receive Delivered PayClaim RuleReceivable Report Tick";

const HOUSE_EVENTS: &str = "Done LoginCounted ApprovalRequested VoucherIssued CashPaid CreditsSent ClaimOpened \
    ReceivableOpened PlayMoney ReceivableRuled Ticked";

/// Why a refusal cannot be met in a game.
fn refusal_out_of_reach(refusal: Refusal, game: &Game) -> Option<&'static str> {
    let is_live = game.station() == Station::LiveTable;
    let scope = game.limit_scope();
    let reasons = [
        (Refusal::RulesNotInForce, game.effective().is_none(), "the document has no date"),
        (Refusal::LimitsNotShown, scope.is_none(), "the game has no limits"),
        (Refusal::TerminalLost, is_live, "a live table has no terminals"),
        (Refusal::SeatLocked, is_live, "a large win locks a terminal, not a seat"),
        (Refusal::BelowMinimum, scope != Some(LimitScope::Terminal), "a player is advised, not refused (5.2)"),
        (Refusal::OverLimit, scope.is_none(), "the game has no limits"),
        (Refusal::OverDifferential, scope != Some(LimitScope::Box), "the game has no Differential"),
        (Refusal::NoExcess, scope != Some(LimitScope::Box), "the game has no excess (5.1)"),
    ];
    let mut reasons = reasons.into_iter();
    reasons.find(|(known, holds, _)| *known == refusal && *holds).map(|(_, _, why)| why)
}

/// Why a command is never accepted in a game, or an event never happens.
fn command_out_of_reach(name: &str, game: &Game) -> Option<&'static str> {
    let is_live = game.station() == Station::LiveTable;
    let has = |rule| !game.paragraphs(rule).is_empty();
    match name {
        "PlaceFor" if !has(Rule::PlacedByStaff) => Some("terminals place their own bets"),
        "RejectExcess" | "Rejected" if !has(Rule::Excess) => Some("the game has no excess (5.1)"),
        "BuyIn" if is_live => Some("cash becomes chips outside the table's books"),
        "IssueColour" | "RedeemColour" if !has(Rule::ColourChips) => Some("the game has no Colour Chips"),
        "WalkAway" if !has(Rule::WalkAway) => Some("the game has no such rule"),
        "CashOut" if is_live => Some("there are no credits at a live table"),
        "Lost" | "Back" if is_live => Some("a live table has no terminals"),
        "ClearLock" if is_live => Some("a large win locks a terminal, not a seat"),
        _ => None,
    }
}

//! How often each refusal, irregularity, event, command and fault was met, and which of them must be.

use std::collections::BTreeMap;

use taisai_rules::{Cover, Game, LimitScope, Rule, Station};
use taisai_table::{
    Actor, ClaimReason, ClusterCommand, ClusterEvent, CommandRequest, HouseCommand, HouseEvent, MachineEntry, Notice,
    Refusal, ReportedEvent, RoundCommand, RoundEvent, RoundStanding, Ruling, TransferPurpose, VoidReason,
};

/// What the simulator does to the machines and to what passes between them.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlayFault {
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
    /// One cluster of several holds the close, and another does not yet.
    CloseHeldByOneOnly,
}

/// What a chip reader did at a live table.
#[derive(Clone, Copy, Debug)]
enum ByReader {
    Placed,
    PlacedExcess,
    Withdrew,
    Cleared,
}

/// A counter for each variant of an enum. A variant that is not in the list does not compile.
macro_rules! counters {
    ($($group:literal $counters:ident of $kind:ident { $($variant:ident)* })*) => {
        $(
            #[derive(Debug, Default)]
            #[expect(non_snake_case, reason = "named as the variants are")]
            struct $counters { $($variant: u64,)* }

            impl $counters {
                const fn count(&mut self, met: &$kind) {
                    match met { $($kind::$variant { .. } => self.$variant += 1,)* }
                }

                fn rows(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
                    [$(($group, stringify!($variant), self.$variant),)*].into_iter()
                }
            }
        )*
    };
}

counters! {
    "void" Voids of VoidReason { FewTumbles NotFlat Exposed ActivatedEarly NotEstablished DamagedDice Ruling
        Malfunction ForceMajeure SuspectedOffence }
    "ruling" Rulings of Ruling { Conclude Void Settle Note }
    "notice" Notices of Notice {
        TableOpened TableClosed ClosureAnnounced Relieved Limits Opened Closed Thrown Result Voided Corrected Held Resumed
    }
    "transfer" Purposes of TransferPurpose { Voucher Claim Receivable Credits Returned }
    "claim" Claims of ClaimReason { CashOut WalkedAway LeftBehind Correction Void VoucherFailed FromFilm }
    "fault" Faults of PlayFault {
        MessageDelayed MessageRepeated MessageOutOfOrder WrongSlip CommandSentAgain CommandIdReused CommandTooOld
        ProgramRestarted RebuiltFromTheFirstEntry RebuiltFromASnapshot TerminalLost ClockStepped CloseHeldByOneOnly
    }
    "round" RoundCommands of RoundCommand {
        OpenTable AnnounceClosure CloseTable Relieve ShowLimits UseDice UseTumbler OpenBets CloseBets Tick Activate
        Tumbled AtRest Conceal Cover Uncover Commit Void Interrupt Continue Restarted Correct CorrectKnown VoidDamaged
        VoidByLaw DamagedSet Inspect Rule Witness Report RaiseEvent EventsHeld
    }
    "round event" RoundEvents of RoundEvent {
        TableOpened ClosureAnnounced TableClosed Relieved LimitsShown DiceInUse TumblerInUse BetsOpened BetsClosed
        Activated ActivatedInNoRound Tumbled AtRest Covered Uncovered Committed Voided RoundsVoided Established
        KnownCorrected Held Resumed Corrected Ruled Witnessed SetDamaged SetInspected Noted Followed EventRaised EventsHeld
    }
    "cluster" ClusterCommands of ClusterCommand {
        Place PlaceFor PlaceExcess Withdraw Clear Repeat Double RejectExcess Advise BuyIn IssueColour RedeemColour CashOut Leave
        WalkAway Lost Back ClearLock Follow Receive Delivered AcceptNote CountStacker EmptyStacker ReverseBuyIn Read Register
        TellTotal AllRegistered TickOff RegisterFromFilm WithdrawFromFilm CloseReturns RaiseEvent EventsHeld
    }
    "chip reader" ByReaders of ByReader { Placed PlacedExcess Withdrew Cleared }
    "cluster event" ClusterEvents of ClusterEvent {
        Done Rejected Settled Compensated StackerDiffers StackerEmptied BoughtIn BuyInReversed
    }
    "house" HouseCommands of HouseCommand {
        Found AddPerson SetRoles Suspend Reinstate LoginFailed LoginSucceeded Unlock Enrol GiveCode Revoke CopiedToken
        RequestApproval AnswerApproval WithdrawApproval AddTable Configure SellVoucher RedeemAtCage RedeemAtSeat
        VoidVoucher RuleExpired ClearRedemptionLock Receive Delivered PayClaim RuleReceivable Report Tick
        UseApproval Acknowledge ConfirmVoucher ReissueVoucher TakeClaim TakeBackClaim ReadClaim UseKeys ChangeSecret
    }
    "house event" HouseEvents of HouseEvent {
        Done LoginCounted ApprovalRequested VoucherIssued CashPaid CreditsSent ClaimOpened ReceivableOpened PlayMoney
        ReceivableRuled Ticked VoucherReissued
    }
    "report" Reports of ReportedEvent {
        ClockStepped StoreProblem TerminalLost TerminalBack LimitChange Void Correction Ruling MoneyRuling RulingWitnessed LargeWin
        OverDifferential TumblerFault StackerDiffers BuyInReversed
        FlatDiceVoided ToBeRuled DiceDamaged DiceInspected CommandIdReused SecretRefused TableNotOpened
    }
}

/// What was met in a run.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    pub(super) rounds: u64,
    pub(super) commands: u64,
    pub(super) bets: u64,
    faulted: u64,
    refusals: BTreeMap<Refusal, u64>,
    voids: Voids,
    rulings: Rulings,
    notices: Notices,
    purposes: Purposes,
    claims: Claims,
    faults: Faults,
    reports: Reports,
    round_commands: RoundCommands,
    round_events: RoundEvents,
    cluster_commands: ClusterCommands,
    by_readers: ByReaders,
    cluster_events: ClusterEvents,
    house_commands: HouseCommands,
    house_events: HouseEvents,
}

impl Coverage {
    pub(super) const fn fault(&mut self, fault: PlayFault) {
        self.faulted += 1;
        self.faults.count(&fault);
    }

    pub(super) const fn faults(&self) -> u64 {
        self.faulted
    }

    /// Counts a refusal, or a command and its event.
    pub(super) fn recorded(&mut self, recorded: &MachineEntry) {
        self.commands += 1;
        let refused = match recorded {
            MachineEntry::Round(_, entry) => {
                entry.outcome.as_ref().map(|event| self.round(&entry.request.command, event)).err()
            }
            MachineEntry::Cluster(_, entry) => {
                entry.outcome.as_ref().map(|event| self.cluster(&entry.request, event)).err()
            }
            MachineEntry::House(entry) => {
                entry.outcome.as_ref().map(|event| self.house(&entry.request.command, event)).err()
            }
        };
        if let Some(refusal) = refused {
            *self.refusals.entry(*refusal).or_default() += 1;
        }
    }

    fn round(&mut self, command: &RoundCommand, event: &RoundEvent) {
        self.round_commands.count(command);
        self.round_events.count(event);
        if let RoundCommand::Rule { ruling, .. } = command {
            self.rulings.count(ruling);
        }
        if let RoundEvent::Voided { reason, .. }
        | RoundEvent::RoundsVoided { reason, .. }
        | RoundEvent::Ruled { after: RoundStanding::Void(reason), .. } = event
        {
            self.voids.count(reason);
        }
    }

    fn cluster(
        &mut self,
        CommandRequest { actor, command, .. }: &CommandRequest<ClusterCommand>,
        event: &ClusterEvent,
    ) {
        let laid = match command {
            ClusterCommand::Place { .. } => Some(ByReader::Placed),
            ClusterCommand::PlaceExcess { .. } => Some(ByReader::PlacedExcess),
            ClusterCommand::Withdraw { .. } => Some(ByReader::Withdrew),
            ClusterCommand::Clear { .. } => Some(ByReader::Cleared),
            _ => None,
        };
        if let (Actor::ChipReader(_), Some(laid)) = (actor, laid) {
            self.by_readers.count(&laid);
        }
        self.cluster_commands.count(command);
        self.cluster_events.count(event);
        if let ClusterCommand::Follow { notice, .. } = command {
            self.notices.count(notice);
        }
        if let ClusterCommand::Receive { transfer } = command {
            self.purposes.count(&transfer.purpose);
        }
    }

    fn house(&mut self, command: &HouseCommand, event: &HouseEvent) {
        self.house_commands.count(command);
        self.house_events.count(event);
        if let HouseCommand::Receive { transfer, .. } = command {
            self.purposes.count(&transfer.purpose);
            if let TransferPurpose::Claim { reason, .. } = &transfer.purpose {
                self.claims.count(reason);
            }
            // A voucher that could not be issued leaves a claim.
            if let (TransferPurpose::Voucher { .. }, HouseEvent::ClaimOpened { .. }) = (&transfer.purpose, event) {
                self.claims.count(&ClaimReason::VoucherFailed);
            }
        }
        if let HouseCommand::Report { what } = command {
            self.reports.count(what);
        }
    }

    /// Everything there is to meet, with how often it was met in a game, or why that game cannot meet it.
    pub(super) fn rows(&self, game: &Game) -> Vec<CoverageRow> {
        let refusals = Refusal::ALL.iter().map(|refusal| {
            let count = self.refusals.get(refusal).copied().unwrap_or(0);
            CoverageRow {
                group: "refusal",
                name: refusal.code().to_owned(),
                count,
                out_of_reach: refusal_out_of_reach(*refusal, game),
            }
        });
        let counted = (self.voids.rows())
            .chain(self.rulings.rows())
            .chain(self.notices.rows())
            .chain(self.purposes.rows())
            .chain(self.claims.rows())
            .chain(self.faults.rows())
            .chain(self.reports.rows())
            .chain(self.round_commands.rows())
            .chain(self.round_events.rows())
            .chain(self.cluster_commands.rows())
            .chain(self.by_readers.rows())
            .chain(self.cluster_events.rows())
            .chain(self.house_commands.rows())
            .chain(self.house_events.rows());
        let counted = counted.map(|(group, name, count)| CoverageRow {
            group,
            name: words(name),
            count,
            out_of_reach: out_of_reach(group, name, game),
        });
        refusals.chain(counted).collect()
    }
}

/// The name of a variant as people write it.
fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// One thing to meet.
pub(super) struct CoverageRow {
    pub(super) group: &'static str,
    pub(super) name: String,
    pub(super) count: u64,
    /// Why this game cannot meet it.
    pub(super) out_of_reach: Option<&'static str>,
}

impl CoverageRow {
    /// Whether it should have been met and was not.
    pub(super) const fn is_missing(&self) -> bool {
        self.count == 0 && self.out_of_reach.is_none()
    }
}

const WINNERS: &str = "only a live table registers winners";
const CREDITS: &str = "terminals pay in credits";

/// Why a refusal cannot be met in a game.
fn refusal_out_of_reach(refusal: Refusal, game: &Game) -> Option<&'static str> {
    let is_live = game.station() == Station::LiveTable;
    let scope = game.limit_scope();
    let has_colour_chips = !game.paragraphs(Rule::ColourChips).is_empty();
    let reasons = [
        (Refusal::RulesNotInForce, game.effective().is_none(), "the document has no date"),
        (Refusal::LimitsNotShown, scope.is_none(), "the game has no limits"),
        (Refusal::TooManyRounds, true, "no casino here plays so many rounds"),
        (Refusal::TerminalLost, is_live, "a live table has no terminals"),
        (Refusal::SeatLocked, is_live, "a large win locks a terminal, not a seat"),
        (Refusal::BelowMinimum, scope != Some(LimitScope::Terminal), "a player is advised, not refused (5.2)"),
        (Refusal::OverLimit, scope.is_none(), "the game has no limits"),
        (Refusal::OverDifferential, scope != Some(LimitScope::Box), "the game has no Differential"),
        (Refusal::NoExcess, scope != Some(LimitScope::Box), "the game has no excess (5.1)"),
        (Refusal::NotBelowMinimum, scope != Some(LimitScope::Box), "nobody is advised (5.2)"),
        (Refusal::NotThrown, !is_live, WINNERS),
        (Refusal::AllRegistered, !is_live, WINNERS),
        (Refusal::AlreadyRegistered, !is_live, WINNERS),
        (Refusal::NotOnPayList, !is_live, CREDITS),
        (Refusal::GivenStands, !is_live, CREDITS),
        (Refusal::LosingBox, !is_live, WINNERS),
        (Refusal::OppositeNotTold, scope != Some(LimitScope::Box), "the game has no Differential"),
        (Refusal::TotalDiffers, scope != Some(LimitScope::Box), "the game has no excess (5.1)"),
        (Refusal::DiceConcealed, game.cover() == Cover::Open, "the dice lie open"),
        (Refusal::CorrectionTooLate, !is_live, "a result is corrected at any time (5.5)"),
        (Refusal::TableClosing, !has_colour_chips, "the game has no Colour Chips"),
        (Refusal::ColourInUse, !has_colour_chips, "the game has no Colour Chips"),
    ];
    let mut reasons = reasons.into_iter();
    reasons.find(|(known, holds, _)| *known == refusal && *holds).map(|(_, _, why)| why)
}

/// Why something else cannot be met in a game.
fn out_of_reach(group: &str, name: &str, game: &Game) -> Option<&'static str> {
    let is_live = game.station() == Station::LiveTable;
    let has = |rule| !game.paragraphs(rule).is_empty();
    match (group, name) {
        ("void", "Exposed") if !has(Rule::Exposed) => Some("the game has no such rule"),
        ("void", "ActivatedEarly") if !has(Rule::ActivatedEarly) => Some("the game has no such rule"),
        ("round", "Conceal") => Some("it is always refused"),
        ("round", "Cover" | "Uncover") | ("round event", "Covered" | "Uncovered") if game.cover() == Cover::Open => {
            Some("the dice lie open")
        }
        ("round", "Tick") if is_live => Some("the Dealer's word alone closes (3.6)"),
        ("cluster", "Advise") if !has(Rule::Advice) => Some("nobody is advised (5.2)"),
        ("cluster", "PlaceFor") if !has(Rule::PlacedByStaff) => Some("terminals place their own bets"),
        ("chip reader", _) if !is_live => Some("terminals place their own bets"),
        ("cluster", "PlaceExcess" | "RejectExcess" | "TellTotal")
        | ("chip reader", "PlacedExcess")
        | ("cluster event", "Rejected")
            if !has(Rule::Excess) =>
        {
            Some("the game has no excess (5.1)")
        }
        ("cluster", "AcceptNote" | "CountStacker" | "EmptyStacker")
        | ("cluster event", "StackerDiffers" | "StackerEmptied")
        | ("report", "StackerDiffers")
            if is_live =>
        {
            Some("a live table has no note acceptors")
        }
        ("cluster", "BuyIn" | "ReverseBuyIn")
        | ("cluster event", "BoughtIn" | "BuyInReversed")
        | ("report", "BuyInReversed")
            if is_live =>
        {
            Some("cash becomes chips outside the table's books")
        }
        ("cluster", "Read") if is_live => Some("the Dealer tells the players of a live table"),
        ("notice", "Thrown")
        | ("claim", "FromFilm")
        | ("cluster", "Register" | "AllRegistered" | "RegisterFromFilm" | "WithdrawFromFilm" | "CloseReturns")
            if !is_live =>
        {
            Some(WINNERS)
        }
        ("cluster", "TickOff") if !is_live => Some(CREDITS),
        ("report", "OverDifferential") if game.limit_scope() != Some(LimitScope::Box) => {
            Some("the game has no Differential")
        }
        ("cluster", "IssueColour" | "RedeemColour") if !has(Rule::ColourChips) => Some("the game has no Colour Chips"),
        ("cluster", "WalkAway") | ("claim", "WalkedAway" | "LeftBehind") if !has(Rule::WalkAway) => {
            Some("the game has no such rule")
        }
        ("cluster", "CashOut") | ("claim", "CashOut" | "VoucherFailed") if is_live => {
            Some("there are no credits at a live table")
        }
        ("cluster", "Lost" | "Back")
        | ("fault", "TerminalLost")
        | ("report", "TerminalLost" | "TerminalBack")
        | ("house", "TakeBackClaim" | "ReadClaim")
            if is_live =>
        {
            Some("a live table has no terminals")
        }
        ("cluster", "ClearLock") | ("report", "LargeWin") if is_live => {
            Some("a large win locks a terminal, not a seat")
        }
        ("fault", "CloseHeldByOneOnly") if is_live => Some("a live table has one cluster"),
        _ => None,
    }
}

//! The commands, events and notices of the dealer's side. Data only: nothing is decided here.

use serde::{Deserialize, Serialize};
use taisai_rules::{Dice, Face, Game, Money, Paragraph, Rule};

use crate::house::ReportedEvent;
use crate::identity::{ClusterId, CommandId, Person, PersonId, RoundNumber, Time};
use crate::profile::Law;
use crate::rules::TableLimits;
use crate::sensitive::{PasswordRule, Sensitive};

/// A position at the table (1.5), held by the person assigned to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    Dealer,
    Supervisor,
    Manager,
}

/// Why a round is void, by the rule that voids it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VoidReason {
    /// The tumbler did not tumble three times.
    FewTumbles,
    /// A die did not come to rest flat.
    NotFlat,
    /// Concealed dice were exposed before "No more Bets".
    Exposed,
    /// The tumbler was activated before "No more Bets".
    ActivatedEarly,
    /// An interruption before any outcome was established.
    NotEstablished,
    DamagedDice,
    Ruling,
    /// Equipment has failed: the law voids the round (F80).
    Malfunction,
    /// Force majeure (F80).
    ForceMajeure,
    /// An offence is suspected (F80).
    SuspectedOffence,
}

impl VoidReason {
    /// The rule of the game that voids the round; none where it is the law.
    pub const fn rule(self) -> Option<Rule> {
        match self {
            Self::FewTumbles => Some(Rule::FewTumbles),
            Self::NotFlat => Some(Rule::NotFlat),
            Self::Exposed => Some(Rule::Exposed),
            Self::ActivatedEarly => Some(Rule::ActivatedEarly),
            Self::NotEstablished => Some(Rule::NotEstablished),
            Self::DamagedDice => Some(Rule::DamagedDice),
            Self::Ruling => Some(Rule::Ruling),
            Self::Malfunction | Self::ForceMajeure | Self::SuspectedOffence => None,
        }
    }

    /// What a void for this reason cites: paragraphs of the game, or the law.
    pub fn cites<'a>(self, game: &'a Game, law: &'a Law) -> Vec<&'a str> {
        match self {
            Self::Malfunction => vec![&law.malfunction],
            Self::ForceMajeure => vec![&law.force_majeure],
            Self::SuspectedOffence => vec![&law.suspected_offence],
            Self::FewTumbles
            | Self::NotFlat
            | Self::Exposed
            | Self::ActivatedEarly
            | Self::NotEstablished
            | Self::DamagedDice
            | Self::Ruling => {
                self.rule().map_or(&[][..], |rule| game.paragraphs(rule)).iter().map(Paragraph::text).collect()
            }
        }
    }
}

/// A decision of the Table Games Shift Manager or above on what the Game Rules leave open (5.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ruling {
    /// The interrupted round is concluded with these dice.
    Conclude { dice: Dice },
    /// A round, in play or settled, is void.
    Void {
        round: RoundNumber,
        /// The irregularity that binds the ruling (5.5), where it was found while the round was still being paid.
        fact: Option<VoidReason>,
    },
    /// A settled or void round is settled by these dice.
    Settle { round: RoundNumber, dice: Dice },
    /// Something that changes neither result nor money.
    Note,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RoundStanding {
    InPlay,
    /// It is settled by these dice.
    Settled(Dice),
    Void(VoidReason),
}

/// How faces were given that nobody may know yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Concealed {
    /// As a reading of the dice at rest.
    Reading,
    Result,
    /// As dice known at an interruption.
    Known,
    /// As the result of a correction.
    Correction,
    /// As known dice that are corrected.
    KnownCorrection,
    /// As the result that a ruling settles the round by.
    Ruling,
    /// As the result that a ruling concludes the round with.
    Conclusion,
}

/// A command to a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum RoundCommand {
    OpenTable,
    /// Announce that the table will close (F15).
    AnnounceClosure,
    CloseTable,
    /// Assign a position, or leave it empty.
    Relieve {
        position: Position,
        /// Who holds it from now on.
        person: Option<PersonId>,
    },
    /// Put limits on display, between rounds (F53).
    ShowLimits {
        limits: TableLimits,
        why: String,
    },
    /// Take other dice into use.
    UseDice {
        dice_set: u32,
    },
    /// Take another tumbler into use.
    UseTumbler {
        tumbler: u32,
    },
    /// "Place your Bets, please".
    OpenBets,
    /// "No more Bets".
    CloseBets,
    /// Time passes.
    Tick,
    /// The tumbler is activated.
    Activate,
    /// The tumbler has tumbled.
    Tumbled {
        /// How many times more.
        times: u8,
    },
    /// The dice are at rest; a die that does not lie flat has no face.
    AtRest {
        #[cfg_attr(feature = "openapi", schema(min_items = 3, max_items = 3))]
        faces: [Option<Face>; 3],
    },
    /// Faces given while the dice of a covered game are concealed. The faces themselves are dropped.
    Conceal {
        /// How they were given.
        said: Concealed,
    },
    /// The cover is put over the dice.
    Cover,
    /// The cover is lifted.
    Uncover,
    /// The result, committed.
    Commit {
        dice: Dice,
    },
    /// An irregularity that voids the round, before the result is committed.
    Void {
        reason: VoidReason,
    },
    /// A technical interruption: the dice known so far.
    Interrupt {
        known: Vec<Face>,
    },
    /// Play goes on after a restart.
    Continue,
    /// The program, or the part of it that runs a cluster of this table, has restarted.
    Restarted,
    /// A wrong result was registered: settle again by the dice.
    Correct {
        round: RoundNumber,
        /// What the dice showed.
        dice: Dice,
        why: String,
        second: Option<Person>,
    },
    /// A face known at the interruption was reported wrongly.
    CorrectKnown {
        /// What the dice show.
        known: Vec<Face>,
        why: String,
        second: Option<Person>,
    },
    /// Damaged dice: every affected round is void.
    VoidDamaged {
        from: RoundNumber,
        to: RoundNumber,
        /// The damaged set: rounds of other dice stand. None where every round of the range is affected.
        dice_set: Option<u32>,
        /// How it was found.
        why: String,
        second: Option<Person>,
    },
    /// The law voids a round, in play or settled (F80).
    VoidByLaw {
        round: RoundNumber,
        /// What has happened.
        reason: VoidReason,
        /// How it was found.
        why: String,
        second: Option<Person>,
    },
    /// A dice set was found damaged, at this table or another.
    DamagedSet {
        dice_set: u32,
    },
    /// Two people have inspected a dice set that was found damaged, and let it be used again.
    Inspect {
        dice_set: u32,
        second: Option<Person>,
    },
    /// A ruling takes effect immediately. If it moves money, the money waits until a second person has witnessed it.
    Rule {
        ruling: Ruling,
        why: String,
        /// The witness, if present already.
        second: Option<Person>,
    },
    /// Witness the ruling on a round: its money is moved.
    Witness {
        round: RoundNumber,
        /// How the round stands by the ruling that was seen.
        seen: RoundStanding,
    },
    /// A cluster reports the last notice it has applied.
    Report {
        cluster: ClusterId,
        /// The last notice that the cluster has recorded.
        followed: u64,
        colour_chips: Money,
        /// Whether all that wins is registered there, at a table that registers winners.
        is_registered: bool,
    },
    /// What has just been decided is a significant event: it goes to the House (F32).
    RaiseEvent {
        what: ReportedEvent,
    },
    /// The House has recorded the significant events up to this one.
    EventsHeld {
        last: CommandId,
    },
}

impl Sensitive for RoundCommand {
    fn password_rule(&mut self) -> PasswordRule<'_> {
        match self {
            Self::Correct { second, .. }
            | Self::CorrectKnown { second, .. }
            | Self::VoidDamaged { second, .. }
            | Self::VoidByLaw { second, .. }
            | Self::Inspect { second, .. }
            | Self::Rule { second, .. } => PasswordRule::Always(Some(second)),
            Self::Witness { .. } => PasswordRule::Always(None),
            Self::OpenTable
            | Self::AnnounceClosure
            | Self::CloseTable
            | Self::Relieve { .. }
            | Self::ShowLimits { .. }
            | Self::UseDice { .. }
            | Self::UseTumbler { .. }
            | Self::OpenBets
            | Self::CloseBets
            | Self::Tick
            | Self::Activate
            | Self::Tumbled { .. }
            | Self::AtRest { .. }
            | Self::Conceal { .. }
            | Self::Cover
            | Self::Uncover
            | Self::DamagedSet { .. }
            | Self::Commit { .. }
            | Self::Void { .. }
            | Self::Interrupt { .. }
            | Self::Continue
            | Self::Restarted
            | Self::Report { .. }
            | Self::RaiseEvent { .. }
            | Self::EventsHeld { .. } => PasswordRule::Never,
        }
    }
}

impl RoundCommand {
    /// How the command gives faces of the round in play, if it does. `open` is the round with open bets, if any.
    pub(super) fn faces_said(&self, open: Option<RoundNumber>) -> Option<Concealed> {
        match self {
            Self::Correct { round, .. } => (open == Some(*round)).then_some(Concealed::Correction),
            Self::CorrectKnown { .. } => open.map(|_| Concealed::KnownCorrection),
            Self::Rule { ruling: Ruling::Settle { round, .. }, .. } => {
                (open == Some(*round)).then_some(Concealed::Ruling)
            }
            Self::Rule { ruling: Ruling::Conclude { .. }, .. } => open.map(|_| Concealed::Conclusion),
            Self::AtRest { .. } => Some(Concealed::Reading),
            Self::Commit { .. } => Some(Concealed::Result),
            Self::Interrupt { known } if !known.is_empty() => Some(Concealed::Known),
            Self::Interrupt { .. }
            | Self::OpenTable
            | Self::AnnounceClosure
            | Self::CloseTable
            | Self::Relieve { .. }
            | Self::ShowLimits { .. }
            | Self::UseDice { .. }
            | Self::UseTumbler { .. }
            | Self::OpenBets
            | Self::CloseBets
            | Self::Tick
            | Self::Activate
            | Self::Tumbled { .. }
            | Self::Conceal { .. }
            | Self::Cover
            | Self::Uncover
            | Self::Void { .. }
            | Self::Continue
            | Self::Restarted
            | Self::VoidDamaged { .. }
            | Self::VoidByLaw { .. }
            | Self::DamagedSet { .. }
            | Self::Inspect { .. }
            | Self::Rule { ruling: Ruling::Void { .. } | Ruling::Note, .. }
            | Self::Witness { .. }
            | Self::Report { .. }
            | Self::RaiseEvent { .. }
            | Self::EventsHeld { .. } => None,
        }
    }
}

/// What happened at the dealer's side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RoundEvent {
    TableOpened,
    /// The table will close.
    ClosureAnnounced,
    TableClosed,
    /// A position is held by another person.
    Relieved {
        position: Position,
        person: Option<PersonId>,
    },
    /// Limits are on display.
    LimitsShown {
        limits: TableLimits,
    },
    /// Other dice are in use.
    DiceInUse {
        dice_set: u32,
    },
    /// Another tumbler is in use.
    TumblerInUse {
        tumbler: u32,
    },
    /// A round is open for bets.
    BetsOpened {
        round: RoundNumber,
        /// When the time for bets is up.
        closes_at: Time,
    },
    /// No more bets; the clusters are notified.
    BetsClosed,
    /// The tumbler was activated.
    Activated,
    /// The tumbler was activated while no round was in play: it belongs to none.
    ActivatedInNoRound,
    /// How many times the tumbler has tumbled so far.
    Tumbled {
        tumbles: u8,
    },
    /// The dice are at rest.
    AtRest {
        #[cfg_attr(feature = "openapi", schema(min_items = 3, max_items = 3))]
        faces: [Option<Face>; 3],
    },
    /// The dice are covered.
    Covered,
    /// The cover is lifted.
    Uncovered,
    /// The result is committed.
    Committed {
        dice: Dice,
        /// Whether the tumbler had read other faces.
        differs: bool,
    },
    /// The round in play is void.
    Voided {
        reason: VoidReason,
        /// Whether the tumbler had read three flat dice where one is said not to lie flat.
        differs: bool,
    },
    /// Rounds already settled are void, and with them the round in play if it is among them. Those void before stay so.
    RoundsVoided {
        from: RoundNumber,
        to: RoundNumber,
        reason: VoidReason,
        /// Only those played with this dice set, if it is named.
        dice_set: Option<u32>,
        /// Those of them that a ruling had decided: they stand, and must be ruled on.
        ruled: Vec<RoundNumber>,
    },
    /// An outcome is established: play is concluded, by the dice or by a ruling.
    Established {
        /// The dice known.
        known: Vec<Face>,
    },
    /// A face known at the interruption had been reported wrongly.
    KnownCorrected {
        /// The dice as they had been reported.
        before: Vec<Face>,
        /// The dice known.
        known: Vec<Face>,
    },
    /// Play is held after a restart.
    Held,
    /// Play goes on, with the countdown from its beginning if bets are open.
    Resumed {
        /// When the time for bets is up.
        closes_at: Option<Time>,
    },
    /// A settled round is settled again by the dice.
    Corrected {
        round: RoundNumber,
        dice: Dice,
    },
    /// A ruling decides how a round stands, which only another ruling changes.
    Ruled {
        round: RoundNumber,
        /// How it stood.
        before: RoundStanding,
        after: RoundStanding,
        /// Whether its money waits for a second person to witness the ruling.
        waits: bool,
    },
    /// A second person has witnessed the ruling on a round.
    Witnessed {
        round: RoundNumber,
    },
    /// A dice set was found damaged: it opens no further round.
    SetDamaged {
        dice_set: u32,
    },
    /// A dice set that was found damaged may be used again.
    SetInspected {
        dice_set: u32,
    },
    /// A ruling that changes neither result nor money.
    Noted,
    /// A cluster has applied notices.
    Followed {
        cluster: ClusterId,
        /// The last notice that the cluster has recorded.
        followed: u64,
        colour_chips: Money,
        /// Whether all that wins is registered there, at a table that registers winners.
        is_registered: bool,
    },
    /// A significant event waits for the House.
    EventRaised,
    /// The House holds significant events.
    EventsHeld,
}

/// A message to the clusters. A cluster applies notices one by one in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Notice {
    TableOpened,
    TableClosed,
    /// The table will close: no more Colour Chips are issued.
    ClosureAnnounced,
    /// Another person holds a position, or nobody.
    Relieved {
        position: Position,
        person: Option<PersonId>,
    },
    /// Limits are on display.
    Limits {
        limits: TableLimits,
    },
    /// A round is open for bets.
    Opened {
        round: RoundNumber,
    },
    /// No more bets.
    Closed {
        round: RoundNumber,
    },
    /// These dice were thrown, at a table that registers winners: what wins by them is registered, and then the round is settled.
    Thrown {
        round: RoundNumber,
        dice: Dice,
    },
    /// The round is settled by these dice.
    Result {
        round: RoundNumber,
        dice: Dice,
    },
    /// The round is void, in play or settled before.
    Voided {
        round: RoundNumber,
        reason: VoidReason,
    },
    /// A settled or void round is settled again by these dice.
    Corrected {
        round: RoundNumber,
        dice: Dice,
    },
    /// A part of the program has restarted: no bets until play goes on.
    Held,
    /// Play goes on after a restart.
    Resumed,
}

impl Notice {
    /// The round that this notice settles, voids or corrects, and its standing after it.
    pub const fn stands(&self) -> Option<(RoundNumber, Result<Dice, VoidReason>)> {
        match self {
            Self::Result { round, dice } | Self::Corrected { round, dice } => Some((*round, Ok(*dice))),
            Self::Voided { round, reason } => Some((*round, Err(*reason))),
            Self::TableOpened
            | Self::TableClosed
            | Self::ClosureAnnounced
            | Self::Relieved { .. }
            | Self::Limits { .. }
            | Self::Opened { .. }
            | Self::Closed { .. }
            | Self::Thrown { .. }
            | Self::Held
            | Self::Resumed => None,
        }
    }
}

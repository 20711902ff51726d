//! The rules of a round of play, by what they are about. Which paragraph says it differs from document to document and
//! comes from the game's file.

use crate::game::Cover;

/// What a paragraph is about.
///
/// ```
/// use taisai_rules::{Games, Rule};
/// let game = Games::embedded().find("sic-bo-etg@2", None).unwrap();
/// assert_eq!(game.paragraphs(Rule::DamagedDice)[0].text(), "5.4");
/// assert!(game.paragraphs(Rule::Exposed).is_empty(), "the dice lie open");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Bets may be placed from the Dealer's announcement, or the terminal's notice, on.
    Open,
    /// Limits are on display, and players keep within them.
    LimitsShown,
    /// What the Differential is: between what is placed on Big and Small, or Odd and Even.
    Differential,
    /// Room left in a box is open to any other player.
    RoomLeft,
    /// After "No more Bets" nothing is placed, increased or withdrawn.
    Closed,
    /// A valid tumble is at least three.
    Tumble,
    /// The uppermost faces of three flat dice are the result.
    Result,
    /// Losing bets are collected, winning bets paid.
    Settle,
    /// Excess noticed before the close is rejected.
    Excess,
    /// A player below the minimum is advised.
    Advice,
    /// Bets of a player who walks away are settled.
    WalkAway,
    /// After an interruption, an established outcome concludes the round.
    Concluded,
    /// After an interruption, a round without established outcome is void.
    NotEstablished,
    /// Terminals that fail do not stop the round.
    TerminalDown,
    /// Registered bets of a failed terminal are settled.
    Registered,
    /// Unregistered bets of a failed terminal are returned.
    Unregistered,
    /// Fewer than three tumbles void the round.
    FewTumbles,
    /// A die that is not flat voids the round.
    NotFlat,
    /// Concealed dice exposed before "No more Bets" void the round.
    Exposed,
    /// Nobody sees a face of concealed dice before "No more Bets".
    Concealed,
    /// A tumbler activated before "No more Bets" voids the round.
    ActivatedEarly,
    /// An irregularity voids the current round; earlier ones stand.
    PreviousStand,
    /// Damaged dice void every affected round.
    DamagedDice,
    /// A wrongly registered result is settled by the dice.
    WrongResult,
    /// An error found late changes no later round.
    LateError,
    /// Bets settle by where they lie at the close.
    Position,
    /// Wrongly lit areas change nothing.
    Illumination,
    /// Displays are information only.
    Display,
    /// A void round's bets are returned.
    VoidReturned,
    /// Pit Employees may place bets for a player.
    PlacedByStaff,
    /// Anything else is ruled on by the Table Games Shift Manager or above.
    Ruling,
    /// Colour Chips.
    ColourChips,
}

impl Rule {
    /// Every rule.
    ///
    /// ```
    /// use taisai_rules::{Games, Rule};
    /// let game = Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(Rule::ALL.into_iter().filter(|rule| !game.paragraphs(*rule).is_empty()).count(), 27);
    /// ```
    pub const ALL: [Self; 32] = [
        Self::Open,
        Self::LimitsShown,
        Self::Differential,
        Self::RoomLeft,
        Self::Closed,
        Self::Tumble,
        Self::Result,
        Self::Settle,
        Self::Excess,
        Self::Advice,
        Self::WalkAway,
        Self::Concluded,
        Self::NotEstablished,
        Self::TerminalDown,
        Self::Registered,
        Self::Unregistered,
        Self::FewTumbles,
        Self::NotFlat,
        Self::Exposed,
        Self::Concealed,
        Self::ActivatedEarly,
        Self::PreviousStand,
        Self::DamagedDice,
        Self::WrongResult,
        Self::LateError,
        Self::Position,
        Self::Illumination,
        Self::Display,
        Self::VoidReturned,
        Self::PlacedByStaff,
        Self::Ruling,
        Self::ColourChips,
    ];

    /// The rule's key in a game's file.
    ///
    /// ```
    /// assert_eq!(taisai_rules::Rule::VoidReturned.key(), "void_returned");
    /// ```
    pub const fn key(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::LimitsShown => "limits_shown",
            Self::Differential => "differential",
            Self::RoomLeft => "room_left",
            Self::Closed => "closed",
            Self::Tumble => "tumble",
            Self::Result => "result",
            Self::Settle => "settle",
            Self::Excess => "excess",
            Self::Advice => "advice",
            Self::WalkAway => "walk_away",
            Self::Concluded => "concluded",
            Self::NotEstablished => "not_established",
            Self::TerminalDown => "terminal_down",
            Self::Registered => "registered",
            Self::Unregistered => "unregistered",
            Self::FewTumbles => "few_tumbles",
            Self::NotFlat => "not_flat",
            Self::Exposed => "exposed",
            Self::Concealed => "concealed",
            Self::ActivatedEarly => "activated_early",
            Self::PreviousStand => "previous_stand",
            Self::DamagedDice => "damaged_dice",
            Self::WrongResult => "wrong_result",
            Self::LateError => "late_error",
            Self::Position => "position",
            Self::Illumination => "illumination",
            Self::Display => "display",
            Self::VoidReturned => "void_returned",
            Self::PlacedByStaff => "placed_by_staff",
            Self::Ruling => "ruling",
            Self::ColourChips => "colour_chips",
        }
    }

    /// Which games have it.
    pub(crate) const fn found_in(self) -> FoundIn {
        match self {
            Self::Exposed | Self::Concealed => FoundIn::Only(Cover::Covered),
            Self::ActivatedEarly => FoundIn::Only(Cover::Open),
            Self::LimitsShown
            | Self::Differential
            | Self::RoomLeft
            | Self::Excess
            | Self::Advice
            | Self::WalkAway
            | Self::TerminalDown
            | Self::Registered
            | Self::Unregistered
            | Self::Illumination
            | Self::PlacedByStaff
            | Self::ColourChips => FoundIn::Some,
            Self::Open
            | Self::Closed
            | Self::Tumble
            | Self::Result
            | Self::Settle
            | Self::Concluded
            | Self::NotEstablished
            | Self::FewTumbles
            | Self::NotFlat
            | Self::PreviousStand
            | Self::DamagedDice
            | Self::WrongResult
            | Self::LateError
            | Self::Position
            | Self::Display
            | Self::VoidReturned
            | Self::Ruling => FoundIn::Every,
        }
    }
}

/// Which games have a rule.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum FoundIn {
    Every,
    Some,
    Only(Cover),
}

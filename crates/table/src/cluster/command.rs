//! The commands and events of the players' side. Data only: nothing is decided here.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use taisai_rules::{BetBox, Money};

use crate::cluster::settle::{Adjustment, OverDifferential, Slip, SlipTotals};
use crate::house::ReportedEvent;
use crate::identity::{CommandId, DeviceId, Person, Receipt, RoundNumber, Seat};
use crate::round::Notice;
use crate::sensitive::{PasswordRule, Sensitive};
use crate::transfer::{Transfer, VoucherNumber};

/// An amount on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Stake {
    #[serde(rename = "box")]
    pub bet_box: BetBox,
    pub amount: Money,
}

/// The stakes of one command. A dozen fit without allocation.
pub type Stakes = SmallVec<[Stake; 12]>;

/// What a bet is placed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Chips {
    /// Credits of a terminal, cash chips of a live table.
    Own,
    Colour,
}

/// What credits become at cash-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CashOut {
    /// A voucher whose number the server has drawn.
    Voucher(VoucherNumber),
    /// A claim that an attendant pays by hand.
    HandPay,
}

/// A command to a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClusterCommand {
    /// Place bets, or increase them.
    Place {
        seat: Seat,
        chips: Chips,
        #[cfg_attr(feature = "openapi", schema(value_type = Vec<Stake>))]
        stakes: Stakes,
    },
    /// A Pit Employee places bets for the player at a seat, at the player's request (5.13).
    PlaceFor {
        seat: Seat,
        chips: Chips,
        #[cfg_attr(feature = "openapi", schema(value_type = Vec<Stake>))]
        stakes: Stakes,
    },
    /// The Dealer registers bets that lie on the layout although they are over a limit; they are apportioned (5.1.1).
    PlaceExcess {
        seat: Seat,
        chips: Chips,
        #[cfg_attr(feature = "openapi", schema(value_type = Vec<Stake>))]
        stakes: Stakes,
    },
    /// Withdraw bets, or a part of them.
    Withdraw {
        seat: Seat,
        /// With what they were placed.
        chips: Chips,
        #[cfg_attr(feature = "openapi", schema(value_type = Vec<Stake>))]
        stakes: Stakes,
    },
    /// Withdraw every bet of the seat.
    Clear { seat: Seat },
    /// Place the bets of the last round again.
    Repeat { seat: Seat },
    /// Place every bet of the seat once more.
    Double { seat: Seat },
    /// The Dealer rejects what is over the limits (5.1).
    RejectExcess,
    /// The Dealer advises the players of a box whose total is below the minimum (5.2).
    Advise {
        #[serde(rename = "box")]
        bet_box: BetBox,
    },
    /// A person takes cash, and the player at a terminal gets credits for it.
    BuyIn {
        seat: Seat,
        amount: Money,
        /// The second person, for a large one.
        second: Option<Person>,
    },
    /// A set of Colour Chips is issued to the player at a seat.
    IssueColour {
        seat: Seat,
        colour: u8,
        /// What one chip is worth.
        value: Money,
        chips: u32,
        /// The second person, where they are worth much.
        second: Option<Person>,
    },
    /// The Colour Chips of a seat are converted into cash chips.
    RedeemColour { seat: Seat },
    /// Cash out all credits of a seat; the session ends.
    CashOut { seat: Seat, to: CashOut },
    /// The player leaves a seat without credits, chips or bets.
    Leave { seat: Seat },
    /// The player of a live table has walked away from the bets (5.3).
    WalkAway { seat: Seat },
    /// The terminal has lost its connection.
    Lost { seat: Seat },
    /// The terminal is back.
    Back { seat: Seat },
    /// An attendant clears the lock of a large win (F33).
    ClearLock { seat: Seat },
    /// The next notice of the round. A round that is over needs its slip, read from the record.
    Follow {
        number: u64,
        notice: Notice,
        /// The slip of the round it is about, where that round is over.
        slip: Option<Slip>,
    },
    /// The next transfer of the House.
    Receive { transfer: Transfer },
    /// The House has received the transfer of that number.
    Delivered { number: u64 },
    /// A note acceptor holds a note in escrow (F86). If the command is refused, the player gets the note back.
    AcceptNote {
        seat: Seat,
        /// What the note is worth.
        amount: Money,
    },
    /// A note acceptor reports how many notes its stacker holds, whenever it connects: the power may have failed after a note
    /// was accepted and before it was stacked.
    CountStacker { seat: Seat, notes: u32 },
    /// A person empties the stacker of a note acceptor, and has counted what was in it.
    EmptyStacker {
        acceptor: DeviceId,
        /// How many notes were counted.
        notes: u32,
        /// What they are worth.
        amount: Money,
    },
    /// Two people reverse the last buy-in of an open session: the player gets the cash back.
    ReverseBuyIn { seat: Seat, receipt: Receipt, why: String, second: Option<Person> },
    /// The player at a terminal has read all messages up to this one.
    Read { seat: Seat, message: u32 },
    /// At a table that registers winners, after the dice: the Dealer registers what a seat had on boxes at the close (5.9).
    Register {
        seat: Seat,
        #[cfg_attr(feature = "openapi", schema(value_type = Vec<Stake>))]
        stakes: Stakes,
        /// The second person, for a large stake.
        second: Option<Person>,
    },
    /// The Dealer announces the total on a box: when the opposite box exceeds the Differential, or when a losing box is over
    /// its maximum or Differential.
    TellTotal {
        #[serde(rename = "box")]
        bet_box: BetBox,
        /// How much, which may be nothing.
        amount: Money,
    },
    /// The Dealer has registered all that wins: the round is settled.
    AllRegistered,
    /// The Dealer ticks off a seat of the pay list of the last round, as its chips were given, or takes the tick back.
    TickOff {
        seat: Seat,
        /// Whether its chips were given.
        is_paid: bool,
    },
    /// The Supervisor and a second person register a bet from the film of a round that was corrected or voided after
    /// settlement. It moves no money until the returns are closed.
    RegisterFromFilm {
        round: RoundNumber,
        seat: Seat,
        /// The player's name, for the person who pays the claim.
        player: String,
        stake: Stake,
        second: Option<Person>,
    },
    /// Everything is registered from the film: the lines count, and what they win becomes claims.
    CloseReturns { round: RoundNumber, second: Option<Person> },
    /// Remove a line that was registered from the film by mistake.
    WithdrawFromFilm { round: RoundNumber, line: u32, second: Option<Person> },
    /// What has just been decided is a significant event: it goes to the House (F32).
    RaiseEvent { what: ReportedEvent },
    /// The House has recorded the significant events up to this one.
    EventsHeld { last: CommandId },
}

impl ClusterCommand {
    /// Whether only a note acceptor sends this command (F86).
    pub const fn is_of_acceptor(&self) -> bool {
        matches!(self, Self::AcceptNote { .. } | Self::CountStacker { .. })
    }
}

impl Sensitive for ClusterCommand {
    fn password_rule(&mut self) -> PasswordRule<'_> {
        match self {
            Self::ReverseBuyIn { second, .. } => PasswordRule::Always(Some(second)),
            Self::BuyIn { second, .. }
            | Self::IssueColour { second, .. }
            | Self::Register { second, .. }
            | Self::RegisterFromFilm { second, .. }
            | Self::WithdrawFromFilm { second, .. }
            | Self::CloseReturns { second, .. } => PasswordRule::WithSecond(second),
            Self::Place { .. }
            | Self::PlaceFor { .. }
            | Self::PlaceExcess { .. }
            | Self::Withdraw { .. }
            | Self::Clear { .. }
            | Self::Repeat { .. }
            | Self::Double { .. }
            | Self::RejectExcess
            | Self::Advise { .. }
            | Self::Read { .. }
            | Self::AcceptNote { .. }
            | Self::CountStacker { .. }
            | Self::EmptyStacker { .. }
            | Self::RedeemColour { .. }
            | Self::CashOut { .. }
            | Self::Leave { .. }
            | Self::WalkAway { .. }
            | Self::Lost { .. }
            | Self::Back { .. }
            | Self::ClearLock { .. }
            | Self::TellTotal { .. }
            | Self::AllRegistered
            | Self::TickOff { .. }
            | Self::Follow { .. }
            | Self::Receive { .. }
            | Self::Delivered { .. }
            | Self::RaiseEvent { .. }
            | Self::EventsHeld { .. } => PasswordRule::Never,
        }
    }
}

/// A part of a bet that the House rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RejectedStake {
    pub seat: Seat,
    /// With what it was placed.
    pub chips: Chips,
    /// What is rejected of it.
    pub stake: Stake,
}

/// What happened at the players' side, without what the command says already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClusterEvent {
    Done,
    /// Excess was rejected, the latest bets first.
    Rejected {
        cuts: Vec<RejectedStake>,
    },
    /// The round is settled, or void and its bets returned.
    Settled {
        /// What it came to.
        totals: SlipTotals,
        #[cfg_attr(feature = "openapi", schema(min_items = 32, max_items = 32))]
        digest: [u8; 32],
        /// Where what counts differs by more than the Differential (1.3).
        over_differential: Vec<OverDifferential>,
    },
    /// A past round was corrected, voided or completed from the film.
    Compensated {
        /// What each session gets or gives.
        adjustments: Vec<Adjustment>,
    },
    /// A stacker does not hold as many notes as were accepted.
    StackerDiffers {
        accepted: u32,
    },
    StackerEmptied {
        /// How many notes had been accepted.
        accepted: u32,
        /// What they were worth.
        amount: Money,
    },
    /// A buy-in has its receipt.
    BoughtIn {
        /// The number on it.
        receipt: Receipt,
    },
    BuyInReversed {
        /// How much is given back.
        amount: Money,
    },
}

//! A script as it was read: the table, the people by the roles the script gives them, and one step a line.

use std::collections::BTreeMap;

use taisai_rules::{BetBox, Dice, Money, Paragraph};
use taisai_table::{
    Actor, ClusterCommand, HouseCommand, Person, PersonId, Phase, Refusal, Role, RoundCommand, RoundNumber, Seat,
    TableRules,
};

/// What is wrong with a line, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// A script without faults.
pub(crate) struct Script {
    pub(crate) setup: Setup,
    /// Everyone named, with every role they are named by, in the order of their numbers.
    pub(crate) people: BTreeMap<PersonId, Vec<Role>>,
    pub(crate) lines: Vec<Line>,
}

/// The first line: what is played where.
pub(crate) struct Setup {
    pub(crate) rules: TableRules,
    pub(crate) seats: u32,
    pub(crate) is_training: bool,
}

/// A line as it stands in the file.
pub(crate) struct Line {
    /// Counted from one.
    pub(crate) number: usize,
    pub(crate) text: String,
    /// None for a comment, an empty line and the first line.
    pub(crate) step: Option<Step>,
}

/// What a line asks, and of whom it is heard if it does not say.
pub(crate) struct Step {
    pub(crate) who: Who,
    pub(crate) act: Act,
}

/// Who acts.
#[derive(Clone, Copy)]
pub(crate) enum Who {
    /// Whoever deals at the table.
    Dealer,
    /// Whoever supervises the table, or else manages it.
    Pit,
    /// The terminal of a seat; at a live table, the Dealer for the player there.
    Seat(Seat),
    /// The house's own program.
    System,
    /// As the line says.
    Named(Actor),
}

/// What a line asks.
pub(crate) enum Act {
    /// A person comes on duty, without a position at the table.
    OnDuty(Person),
    Round(RoundCommand),
    Cluster(ClusterCommand),
    House(HouseCommand),
    /// The result, with the tumbles before it where none was reported.
    Dice(Dice),
    /// So many tumbles, after activation where there was none.
    Tumble(u8),
    /// A correction; of the last round if none is named.
    Correct {
        round: Option<RoundNumber>,
        dice: Dice,
        why: String,
        second: Option<Person>,
    },
    /// A seat's credits become a voucher.
    CashOut(Seat),
    /// The last voucher of a seat is paid at the cage.
    RedeemAtCage(Seat),
    /// The last voucher of a seat becomes credits.
    RedeemAtSeat {
        of: Seat,
        at: Seat,
    },
    Restart,
    /// So many seconds pass.
    Tick(u64),
    Expect(Expectation),
}

/// What a script says is so.
#[derive(Clone, Debug)]
pub(crate) enum Expectation {
    Accepted,
    Refused(Refusal),
    /// Free credits of a terminal.
    Balance(Seat, Money),
    /// What a seat has won, or lost if negative, over all rounds.
    Result(Seat, Money),
    /// Colour Chips in front of a player.
    Colour(Seat, Money),
    /// The House's result at this table.
    House(Money),
    Phase(Phase),
    Held,
    Void(Option<RoundNumber>, Paragraph),
    Settled(Option<RoundNumber>, Dice),
    Claims(Money),
    Receivables(Money),
    Room(BetBox, Money),
    Excess(BetBox, Money),
    Advice(BetBox),
    Locked(Seat),
}

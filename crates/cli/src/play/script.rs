//! A script as it was read: the table, the people by the roles the script gives them, and one step a line.

use std::collections::{BTreeMap, BTreeSet};

use taisai_rules::{BetBox, Dice, Money, Paragraph};
use taisai_table::{
    Actor, ApprovalId, ClusterCommand, ClusterId, DeviceId, HouseCommand, Person, PersonId, Phase, Profile, Refusal,
    Role, RoundCommand, RoundNumber, Seat, TableId, TableRules, VoidReason, VoucherHash, VoucherNumber,
};

/// The table of a script, of which there is one.
pub(crate) const TABLE: TableId = TableId(1);
/// Its players' side.
pub(crate) const CLUSTER: ClusterId = ClusterId { table: TABLE, number: 0 };

/// What is wrong with a line, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The profile's file, if it is not the script.
    pub(crate) file: Option<String>,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

/// A script without faults.
pub(crate) struct Script {
    pub(crate) setup: Setup,
    pub(crate) people: People,
    pub(crate) lines: Vec<Line>,
}

/// Everyone whom a script names.
#[derive(Default)]
pub(crate) struct People {
    /// Who is in the house from the beginning, with every role they are named by, in the order of their numbers.
    pub(crate) founders: BTreeMap<PersonId, Vec<Role>>,
    /// Who is first named by the line that adds them to the house.
    newcomers: BTreeSet<PersonId>,
}

impl People {
    /// A line names a person by a role.
    pub(crate) fn name(&mut self, person: PersonId, role: Role) {
        if self.newcomers.contains(&person) {
            return;
        }
        let roles = self.founders.entry(person).or_default();
        if !roles.contains(&role) {
            roles.push(role);
        }
    }

    /// A line adds a person to the house.
    pub(crate) fn add(&mut self, person: PersonId) {
        if !self.founders.contains_key(&person) {
            self.newcomers.insert(person);
        }
    }
}

/// The first line: what is played where.
pub(crate) struct Setup {
    pub(crate) rules: TableRules,
    pub(crate) seats: u32,
    pub(crate) profile: Profile,
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

impl Step {
    /// Whether a person or a terminal sends something by it.
    pub(crate) fn is_sent(&self) -> bool {
        let is_silent = matches!(self.act, Act::OnDuty(_) | Act::Again | Act::Expect(_));
        !is_silent && !matches!(self.who, Who::System)
    }
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
    /// The note acceptor of a seat.
    Acceptor(Seat),
    /// An attendant of the house.
    Attendant,
    /// The house's own program.
    System,
    /// As the line says.
    Named(Actor),
}

/// A command of whichever machine.
#[derive(Clone)]
pub(crate) enum Command {
    Round(RoundCommand),
    Cluster(ClusterCommand),
    House(HouseCommand),
}

impl From<RoundCommand> for Command {
    fn from(command: RoundCommand) -> Self {
        Self::Round(command)
    }
}

impl From<ClusterCommand> for Command {
    fn from(command: ClusterCommand) -> Self {
        Self::Cluster(command)
    }
}

impl From<HouseCommand> for Command {
    fn from(command: HouseCommand) -> Self {
        Self::House(command)
    }
}

/// What a line asks.
pub(crate) enum Act {
    /// A person comes on duty, without a position at the table.
    OnDuty(Person),
    Ask(Command),
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
    /// A second person has seen the ruling on a round.
    Witness(RoundNumber),
    /// A seat's credits become a voucher.
    CashOut(Seat),
    /// A voucher is sold at the cage.
    SellVoucher {
        amount: Money,
        second: Option<Person>,
    },
    /// A voucher is issued anew.
    Reissue {
        voucher: VoucherHash,
        second: Option<Person>,
    },
    /// Whoever has a voucher says so.
    Confirm(VoucherHash),
    /// A new terminal for a seat.
    Enrol {
        seat: Seat,
        second: Option<Person>,
    },
    /// The terminal of a seat may no longer do anything.
    Revoke(Seat),
    /// The last command is sent again, under the same id.
    Again,
    Restart,
    /// So many seconds pass.
    Tick(u64),
    Expect(Expectation),
}

/// The note acceptor of a seat. Tumblers and terminals have lower numbers.
pub(crate) const fn first_acceptor(seat: Seat) -> DeviceId {
    DeviceId(1_000_000 + seat.0)
}

/// The chip reader of a script's live table.
pub(crate) const CHIP_READER: DeviceId = DeviceId(2_000_000);

/// The number of a script's voucher: they are counted from one as they are issued, and scripts have no secrets.
pub(crate) fn voucher(count: u32) -> VoucherNumber {
    let mut hash = [0; 32];
    hash[..4].copy_from_slice(&count.to_be_bytes());
    let digits = u16::try_from(count % 10_000).expect("four digits");
    VoucherNumber { hash: VoucherHash(hash), digits }
}

/// How an approval stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Waiting,
    Granted,
    Refused,
    /// Withdrawn, or too old.
    Over,
}

/// What a script says is so.
#[derive(Clone, Debug)]
pub(crate) enum Expectation {
    Accepted,
    Refused(Refusal),
    /// Free credits of a terminal.
    Balance(Seat, Money),
    /// Notes in the stacker of a note acceptor.
    Stacker(Seat, Money),
    /// What a seat has won, or lost if negative, over all rounds.
    Result(Seat, Money),
    /// Colour Chips in front of a player.
    Colour(Seat, Money),
    /// The House's result at this table.
    House(Money),
    Phase(Phase),
    Held,
    Void(Option<RoundNumber>, VoidBy),
    Settled(Option<RoundNumber>, Dice),
    Claims(Money),
    Receivables(Money),
    /// Vouchers that can still be redeemed.
    Vouchers(Money),
    Approval(ApprovalId, Standing),
    Room(BetBox, Money),
    Excess(BetBox, Money),
    Advice(BetBox),
    Locked(Seat),
    /// Rounds whose returns are open.
    Returns(usize),
    /// What a seat is paid and given back by the pay list, and what is left to give of it.
    Pays(Seat, Money),
    Gives(Seat, Money),
}

/// By what a round is void.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum VoidBy {
    Paragraph(Paragraph),
    Law(VoidReason),
}

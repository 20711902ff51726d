//! A parsed script: the table, the people with the roles that the script gives them, and one step a line.

use std::collections::{BTreeMap, BTreeSet};

use taisai_rules::{BetBox, Dice, Games, Money, Paragraph};
use taisai_table::{
    Actor, ApprovalId, ClusterCommand, ClusterId, DeviceId, HouseCommand, Person, PersonId, Phase, Profile, Refusal,
    Role, RoundCommand, RoundNumber, Seat, TableId, TableRules, VoidReason, VoucherHash, VoucherNumber,
};

use crate::profile::Profiles;

/// A script has one table.
pub(crate) const TABLE: TableId = TableId(1);
pub(crate) const CLUSTER: ClusterId = ClusterId { table: TABLE, number: 0 };

/// What is wrong with a line. Lines and columns are counted from one, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFault {
    /// The profile's file, if the fault is there and not in the script.
    pub file: Option<String>,
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// A script without faults.
pub struct Script {
    pub(crate) setup: ScriptSetup,
    pub(crate) people: ScriptPeople,
    pub(crate) lines: Vec<ScriptLine>,
}

impl Script {
    /// Parses a script, or gives all its faults.
    pub fn parse(text: &str, games: &Games, profiles: &Profiles) -> Result<Self, Vec<ScriptFault>> {
        crate::parse::parse(text, games, profiles)
    }

    pub fn lines(&self) -> &[ScriptLine] {
        &self.lines
    }
}

#[derive(Default)]
pub(crate) struct ScriptPeople {
    /// People who are there from the beginning, with every role that the script names them by.
    pub(crate) founders: BTreeMap<PersonId, Vec<Role>>,
    /// People whom a line adds before any other line names them.
    newcomers: BTreeSet<PersonId>,
}

impl ScriptPeople {
    pub(crate) fn name(&mut self, person: PersonId, role: Role) {
        if self.newcomers.contains(&person) {
            return;
        }
        let roles = self.founders.entry(person).or_default();
        if !roles.contains(&role) {
            roles.push(role);
        }
    }

    pub(crate) fn add(&mut self, person: PersonId) {
        if !self.founders.contains_key(&person) {
            self.newcomers.insert(person);
        }
    }
}

/// What the first line sets up.
pub(crate) struct ScriptSetup {
    pub(crate) rules: TableRules,
    pub(crate) seats: u32,
    pub(crate) profile: Profile,
    pub(crate) is_training: bool,
}

/// A line as it stands in the file.
pub struct ScriptLine {
    /// Counted from one.
    pub number: usize,
    pub text: String,
    /// None for a comment, an empty line and the first line.
    pub(crate) step: Option<ScriptStep>,
}

impl ScriptLine {
    /// Whether the line is empty or a comment.
    pub fn is_blank(&self) -> bool {
        let text = self.text.trim();
        text.is_empty() || text.starts_with('#')
    }
}

pub(crate) struct ScriptStep {
    pub(crate) who: ScriptActor,
    pub(crate) action: Action,
}

impl ScriptStep {
    /// Whether a person or a terminal sends a command.
    pub(crate) fn is_sent(&self) -> bool {
        let is_silent = matches!(self.action, Action::OnDuty(_) | Action::Again | Action::Expect(_));
        !is_silent && !matches!(self.who, ScriptActor::System)
    }
}

/// Who carries out a step.
#[derive(Clone, Copy)]
pub(crate) enum ScriptActor {
    Dealer,
    /// The table's supervisor, or else its manager.
    Pit,
    /// The terminal of a seat; at a live table, the Dealer for the player there.
    Seat(Seat),
    NoteAcceptor(Seat),
    Attendant,
    System,
    /// The line says who.
    Named(Actor),
}

/// A command for one of the three machines.
#[derive(Clone)]
pub(crate) enum MachineCommand {
    Round(RoundCommand),
    Cluster(ClusterCommand),
    House(HouseCommand),
}

impl From<RoundCommand> for MachineCommand {
    fn from(command: RoundCommand) -> Self {
        Self::Round(command)
    }
}

impl From<ClusterCommand> for MachineCommand {
    fn from(command: ClusterCommand) -> Self {
        Self::Cluster(command)
    }
}

impl From<HouseCommand> for MachineCommand {
    fn from(command: HouseCommand) -> Self {
        Self::House(command)
    }
}

/// What a line does.
pub(crate) enum Action {
    /// A person comes on duty, without a position at the table.
    OnDuty(Person),
    Send(MachineCommand),
    /// The result, with the tumbles before it if the script reports none.
    Dice(Dice),
    /// This many tumbles, after an activation if there was none.
    Tumble(u8),
    /// Corrects the named round, or the last one.
    Correct {
        round: Option<RoundNumber>,
        dice: Dice,
        why: String,
        second: Option<Person>,
    },
    /// A second person witnesses the ruling on a round.
    Witness(RoundNumber),
    CashOut(Seat),
    SellVoucher {
        amount: Money,
        second: Option<Person>,
    },
    ReissueVoucher {
        voucher: VoucherHash,
        second: Option<Person>,
    },
    ConfirmVoucher(VoucherHash),
    EnrolTerminal {
        seat: Seat,
        second: Option<Person>,
    },
    RevokeTerminal(Seat),
    /// Sends the last command again, under the same id.
    Again,
    Restart,
    /// Lets this many seconds pass.
    Tick(u64),
    Expect(Expectation),
}

/// The note acceptor that a seat begins with. Tumblers and terminals have lower numbers.
pub(crate) const fn first_acceptor(seat: Seat) -> DeviceId {
    DeviceId(1_000_000 + seat.0)
}

/// The chip reader of a script's live table.
pub(crate) const CHIP_READER: DeviceId = DeviceId(2_000_000);

/// The number of the script's n-th voucher. Real numbers are secret; a script's are predictable.
pub(crate) fn voucher(count: u32) -> VoucherNumber {
    let mut hash = [0; 32];
    hash[..4].copy_from_slice(&count.to_be_bytes());
    let digits = u16::try_from(count % 10_000).expect("four digits");
    VoucherNumber { hash: VoucherHash(hash), digits }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApprovalStanding {
    Waiting,
    Granted,
    Refused,
    /// Withdrawn, or too old.
    Over,
}

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
    House(Money),
    Phase(Phase),
    Held,
    Void(Option<RoundNumber>, VoidBy),
    Settled(Option<RoundNumber>, Dice),
    Claims(Money),
    Receivables(Money),
    /// Vouchers that can still be redeemed.
    Vouchers(Money),
    Approval(ApprovalId, ApprovalStanding),
    Room(BetBox, Money),
    Excess(BetBox, Money),
    Advice(BetBox),
    Locked(Seat),
    /// Rounds whose returns are open.
    Returns(usize),
    /// What the pay list pays and returns to a seat.
    Pays(Seat, Money),
    /// What the Dealer still has to give a seat of it.
    Gives(Seat, Money),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VoidBy {
    Paragraph(Paragraph),
    Law(VoidReason),
}

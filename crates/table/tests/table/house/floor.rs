//! A House to test with: its people, devices and tables, and short ways to ask.

use std::num::NonZeroU16;

use taisai_rules::Money;
use taisai_table::{
    Act, Actor, ApprovalId, ClaimId, ClaimReason, ClusterId, CommandId, CommandRequest, Decision, DeviceId, DeviceKind,
    Entry, Founder, House, HouseCommand, HouseEvent, KeyFingerprint, KeysInUse, Person, PersonId, Profile, Refusal,
    Role, Roles, RoundNumber, Seat, SessionId, SignerKey, SignificantEventKind, TableId, Time, Transfer,
    TransferPurpose, VoucherHash, VoucherNumber, VoucherSerial,
};

pub(crate) type HouseEntry = Entry<HouseCommand, HouseEvent>;

pub(crate) const DAY: u64 = 24 * 60 * 60 * 1_000;

/// The people on file, with their roles. `DOUBLE` holds both roles of every two-person act at the cage.
pub(crate) const ADMINISTRATOR: u32 = 1;
pub(crate) const SUPERVISOR: u32 = 2;
pub(crate) const CASHIER: u32 = 3;
pub(crate) const OTHER_CASHIER: u32 = 4;
pub(crate) const ATTENDANT: u32 = 5;
pub(crate) const SHIFT_MANAGER: u32 = 6;
pub(crate) const AUDITOR: u32 = 7;
pub(crate) const DOUBLE: u32 = 8;
pub(crate) const DEALER: u32 = 9;
pub(crate) const STRANGER: u32 = 99;

pub(crate) const PEOPLE: [(u32, &[Role]); 9] = [
    (ADMINISTRATOR, &[Role::Administrator]),
    (SUPERVISOR, &[Role::PitSupervisor]),
    (CASHIER, &[Role::Cashier]),
    (OTHER_CASHIER, &[Role::Cashier]),
    (ATTENDANT, &[Role::Attendant]),
    (SHIFT_MANAGER, &[Role::ShiftManager]),
    (AUDITOR, &[Role::Auditor]),
    (DOUBLE, &[Role::Cashier, Role::PitSupervisor, Role::Attendant]),
    (DEALER, &[Role::Dealer]),
];

/// A cluster of the real table, another one, one of the training table, and one that there is not.
pub(crate) const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };
pub(crate) const OTHER_CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 1 };
pub(crate) const TRAINING: ClusterId = ClusterId { table: TableId(2), number: 0 };
pub(crate) const NOWHERE: ClusterId = ClusterId { table: TableId(1), number: 2 };

pub(crate) const TERMINAL: DeviceId = DeviceId(11);
pub(crate) const TUMBLER: DeviceId = DeviceId(12);
pub(crate) const SEAT: Seat = Seat(1);

pub(crate) fn claimed(id: u32, roles: &[Role]) -> Person {
    Person { id: PersonId(id), roles: Roles::of(roles) }
}

pub(crate) const fn keys(byte: u8) -> KeysInUse {
    KeysInUse { fingerprint: KeyFingerprint([byte; 32]), signer: SignerKey([byte; 32]) }
}

/// A person of the list, with the roles on file.
pub(crate) fn person(id: u32) -> Person {
    let roles = PEOPLE.iter().find(|(known, _)| *known == id).map_or(&Role::ALL[..], |(_, roles)| roles);
    claimed(id, roles)
}

pub(crate) fn by(id: u32) -> Actor {
    Actor::Person(person(id))
}

/// The second person of a command.
#[expect(clippy::unnecessary_wraps, reason = "as commands have it")]
pub(crate) fn second(id: u32) -> Option<Person> {
    Some(person(id))
}

pub(crate) const fn terminal(device: DeviceId, seat: Seat) -> Actor {
    Actor::Terminal { device, seat }
}

pub(crate) const fn hash(byte: u8) -> VoucherHash {
    VoucherHash([byte; 32])
}

pub(crate) fn number(byte: u8) -> VoucherNumber {
    VoucherNumber { hash: hash(byte), digits: u16::from(byte) }
}

pub(crate) const fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

pub(crate) fn table(table: u16, clusters: u16, training: bool, second: Option<Person>) -> HouseCommand {
    let clusters = NonZeroU16::new(clusters).expect("a table has clusters");
    HouseCommand::AddTable { table: TableId(table), clusters, training, second }
}

pub(crate) const fn receive(cluster: ClusterId, number: u64, amount: i64, purpose: TransferPurpose) -> HouseCommand {
    HouseCommand::Receive { cluster, transfer: Transfer { number, amount: cents(amount), purpose } }
}

pub(crate) fn voucher(byte: u8) -> TransferPurpose {
    TransferPurpose::Voucher { seat: SEAT, session: SessionId(1), number: number(byte) }
}

pub(crate) const CLAIM: TransferPurpose = TransferPurpose::Claim {
    seat: SEAT,
    session: SessionId(1),
    reason: ClaimReason::Correction(RoundNumber(4)),
    by: None,
};
pub(crate) const CASH_OUT: TransferPurpose =
    TransferPurpose::Claim { seat: SEAT, session: SessionId(1), reason: ClaimReason::CashOut, by: None };
pub(crate) const RECEIVABLE: TransferPurpose =
    TransferPurpose::Receivable { seat: SEAT, session: SessionId(1), round: RoundNumber(4), is_waived: false };
pub(crate) const CREDITS: TransferPurpose = TransferPurpose::Credits { seat: SEAT, session: None };
pub(crate) const RETURNED: TransferPurpose = TransferPurpose::Returned { seat: SEAT };

pub(crate) fn sell(byte: u8, amount: i64) -> HouseCommand {
    HouseCommand::SellVoucher { number: number(byte), amount: cents(amount), second: None }
}

pub(crate) const fn at_cage(byte: u8) -> HouseCommand {
    HouseCommand::RedeemAtCage { hash: hash(byte) }
}

pub(crate) const fn at_seat(byte: u8, cluster: ClusterId, seat: Seat) -> HouseCommand {
    HouseCommand::RedeemAtSeat { hash: hash(byte), cluster, seat }
}

pub(crate) fn void(byte: u8, why: &str, second: Option<Person>) -> HouseCommand {
    HouseCommand::VoidVoucher { hash: hash(byte), why: why.to_owned(), second }
}

pub(crate) fn reissue(serial: u64, byte: u8, second: Option<Person>) -> HouseCommand {
    HouseCommand::ReissueVoucher {
        serial: VoucherSerial(serial),
        number: number(byte),
        ended: Some(SessionId(1)),
        second,
    }
}

pub(crate) const fn confirm(serial: u64) -> HouseCommand {
    HouseCommand::ConfirmVoucher { serial: VoucherSerial(serial) }
}

pub(crate) const fn take_back(claim: u64) -> HouseCommand {
    HouseCommand::TakeBackClaim { claim: ClaimId(claim) }
}

pub(crate) fn rule_expired(byte: u8, why: &str) -> HouseCommand {
    HouseCommand::RuleExpired { hash: hash(byte), why: why.to_owned() }
}

pub(crate) fn request(act: Act, what: &str) -> HouseCommand {
    HouseCommand::RequestApproval { act, what: what.to_owned() }
}

pub(crate) const fn answer(approval: u64, approve: bool) -> HouseCommand {
    HouseCommand::AnswerApproval { approval: ApprovalId(approval), approve }
}

pub(crate) const fn use_approval(approval: u64, sequence: u64) -> HouseCommand {
    let command = CommandId { source: 9, sequence };
    HouseCommand::UseApproval { approval: ApprovalId(approval), command }
}

/// A House, the time there, and everything that was recorded.
#[derive(Clone)]
pub(crate) struct Floor {
    pub(crate) house: House,
    pub(crate) entries: Vec<HouseEntry>,
    pub(crate) time: Time,
    sequence: u64,
}

impl Floor {
    /// Seeded and founded.
    pub(crate) fn new() -> Self {
        let mut floor = Self::empty(false);
        for command in [table(1, 2, false, None), table(2, 1, true, None)] {
            floor.accept(Actor::System, command);
        }
        let kind = DeviceKind::Terminal { cluster: CLUSTER, seat: SEAT };
        floor.accept(Actor::System, HouseCommand::Enrol { device: TERMINAL, kind, second: None });
        floor.accept(Actor::System, HouseCommand::Enrol { device: TUMBLER, kind: DeviceKind::Tumbler, second: None });
        floor.accept(Actor::System, HouseCommand::Found { people: founders() });
        floor
    }

    pub(crate) fn empty(training: bool) -> Self {
        let house = House::new(Profile::singapore(), training);
        Self { house, entries: Vec::new(), time: Time(1_000 * DAY), sequence: 0 }
    }

    /// A command under a new id.
    pub(crate) fn request(&mut self, actor: Actor, command: HouseCommand) -> CommandRequest<HouseCommand> {
        self.sequence += 1;
        CommandRequest { time: self.time, actor, id: CommandId { source: 1, sequence: self.sequence }, command }
    }

    /// Decides a command, and records and applies it unless it is a repeat.
    pub(crate) fn send(&mut self, request: &CommandRequest<HouseCommand>) -> Decision<HouseEvent> {
        let decision = self.house.decide(request);
        let outcome = match &decision {
            Decision::Accepted(event) => Ok(event.clone()),
            Decision::Refused(refusal) => Err(*refusal),
            Decision::Repeated(_) => return decision,
        };
        let entry = Entry { request: request.clone(), outcome };
        self.house.apply(&entry);
        self.entries.push(entry);
        self.house.check().expect("the invariants hold");
        decision
    }

    pub(crate) fn ask(&mut self, actor: Actor, command: HouseCommand) -> Result<HouseEvent, Refusal> {
        let request = self.request(actor, command);
        match self.send(&request) {
            Decision::Accepted(event) => Ok(event),
            Decision::Refused(refusal) => Err(refusal),
            Decision::Repeated(verdict) => panic!("a new id was answered before: {verdict:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn accept(&mut self, actor: Actor, command: HouseCommand) -> HouseEvent {
        let text = format!("{command:?}");
        self.ask(actor, command).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"))
    }

    #[track_caller]
    pub(crate) fn refuse(&mut self, actor: Actor, command: HouseCommand, refusal: Refusal) {
        let text = format!("{command:?}");
        assert_eq!(self.ask(actor, command), Err(refusal), "{text}");
    }

    pub(crate) fn pass(&mut self, millis: u64) {
        self.time = Time(self.time.0 + millis);
    }

    /// What has happened, the newest first.
    pub(crate) fn happened(&self) -> Vec<SignificantEventKind> {
        self.house.significant().rev().map(|significant| significant.what).collect()
    }
}

pub(crate) fn founders() -> Vec<Founder> {
    let founder = |(id, roles): (u32, &[Role])| Founder {
        person: PersonId(id),
        name: format!("Person {id}"),
        roles: Roles::of(roles),
    };
    PEOPLE.into_iter().map(founder).collect()
}

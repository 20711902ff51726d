//! The House, one per installation: people, devices, tables, approvals, configuration, vouchers, the cage, hand-pays,
//! receivables and significant events. It decides who is who, and who owes money outside the tables to whom. It knows no
//! round and no bet; money reaches it from clusters only by transfers.

mod apply;
mod approvals;
mod claims;
mod command;
mod decide;
mod devices;
mod invariants;
mod keys;
mod ledger;
mod people;
mod significant;
mod transit;
mod vouchers;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

pub use approvals::{Approval, ApprovalAnswer, ApprovalId, MAX_OPEN_APPROVALS};
pub use claims::{Claim, ClaimAttendant, ClaimId, ClaimOrigin, PaidClaim, Receivable, ReceivableId};
pub use command::{ExpiredVoucher, Founder, HouseCommand, HouseEvent, ReceivableRuling, SetOff};
pub use devices::{Device, DeviceKind, HouseTable};
pub use keys::{KeyFingerprint, KeysInUse, SecretOwner, SignerKey};
pub use ledger::Account;
pub use people::Employee;
pub use significant::{Acknowledgement, MAX_SIGNIFICANT_EVENTS, ReportedEvent, SignificantEvent, SignificantEventKind};
pub use vouchers::{PaidAt, Redeemer, Voucher, VoucherOrigin, VoucherState};

use crate::codec::{self, BadBytes};
use crate::entry::{CommandRequest, Decision, Entry};
use crate::identity::{Actor, ClusterId, DeviceId, Person, PersonId, Seat, TableId};
use crate::profile::{Act, Profile};
use crate::recent::{CommandHash, CommandIdStatus};
use crate::refusal::Refusal;
use crate::sources::CommandsBySource;
use crate::transfer::{VoucherHash, VoucherNumber, VoucherSerial};

/// The longest name of a person, in characters.
const MAX_NAME_LENGTH: usize = 100;
/// The longest key of the configuration.
const MAX_KEY_LENGTH: usize = 100;
/// The longest value of the configuration.
const MAX_VALUE_LENGTH: usize = 10_000;

/// What is decided on a command whose id is new.
type HouseDecision = Result<HouseEvent, Refusal>;

/// The House. Its serde form is its snapshot, up to the acknowledgements and the keys, which stand behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct House {
    profile: Profile,
    is_training: bool,
    people: BTreeMap<PersonId, Employee>,
    devices: devices::EnrolledDevices,
    tables: BTreeMap<TableId, HouseTable>,
    configuration: BTreeMap<String, String>,
    approvals: approvals::Approvals,
    vouchers: vouchers::Vouchers,
    claims: claims::Claims,
    receivables: claims::Receivables,
    received: BTreeMap<ClusterId, u64>,
    outboxes: BTreeMap<ClusterId, transit::TransferOutbox>,
    ledger: ledger::HouseLedger,
    significant: significant::SignificantEvents,
    /// Dice sets that were found damaged at some table, and not inspected since.
    damaged_sets: BTreeSet<u32>,
    sources: CommandsBySource,
    refused: BTreeMap<Refusal, u64>,
    #[serde(skip)]
    keys: keys::KeysOnFile,
}

impl House {
    /// A House without people, devices, tables or money.
    pub fn new(profile: Profile, training: bool) -> Self {
        Self {
            profile,
            is_training: training,
            people: BTreeMap::new(),
            devices: devices::EnrolledDevices::default(),
            tables: BTreeMap::new(),
            configuration: BTreeMap::new(),
            approvals: approvals::Approvals::default(),
            vouchers: vouchers::Vouchers::default(),
            claims: claims::Claims::default(),
            receivables: claims::Receivables::default(),
            received: BTreeMap::new(),
            outboxes: BTreeMap::new(),
            ledger: ledger::HouseLedger::default(),
            significant: significant::SignificantEvents::default(),
            damaged_sets: BTreeSet::new(),
            sources: CommandsBySource::default(),
            refused: BTreeMap::new(),
            keys: keys::KeysOnFile::default(),
        }
    }

    /// Decides a command. Refusals have the precedence of [`Refusal`].
    pub fn decide(&self, request: &CommandRequest<HouseCommand>) -> Decision<HouseEvent> {
        match self.sources.known(request.id, content(&request.command)) {
            CommandIdStatus::Answered(verdict) => Decision::Repeated(verdict),
            CommandIdStatus::Unusable(refusal) => Decision::Refused(refusal),
            CommandIdStatus::New => match self.decide_new(request) {
                Ok(event) => Decision::Accepted(event),
                Err(refusal) => Decision::Refused(refusal),
            },
        }
    }

    /// Applies an entry and remembers the command's id. Only actors on file are remembered: a command from anyone else is
    /// refused every time.
    pub fn apply(&mut self, entry: &Entry<HouseCommand, HouseEvent>) {
        let request = &entry.request;
        let is_known = self.is_known(request.actor);
        match &entry.outcome {
            Ok(event) => self.apply_accepted(request, event),
            Err(refusal) => self.apply_refused(request, *refusal),
        }
        if is_known {
            // Two for each person and device on file, and some more.
            let most = CommandsBySource::MANY + 2 * (self.people.len() + self.devices.on_file.len());
            self.sources.remember(request.id, content(&request.command), entry.verdict(), most);
        }
    }

    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        codec::write(self, &mut bytes);
        if !self.significant.acknowledged.is_empty() || !self.keys.is_empty() {
            codec::write(&self.significant.acknowledged, &mut bytes);
        }
        if !self.keys.is_empty() {
            codec::write(&self.keys, &mut bytes);
        }
        bytes
    }

    /// A House with the state of a snapshot.
    pub fn restore(bytes: &[u8]) -> Result<Self, BadBytes> {
        let (mut house, behind): (Self, _) = codec::read_first(bytes)?;
        if !behind.is_empty() {
            let keys;
            (house.significant.acknowledged, keys) = codec::read_first(behind)?;
            if !keys.is_empty() {
                house.keys = codec::read(keys)?;
            }
        }
        Ok(house)
    }

    /// The hash of the state: the same entries give the same hash on every machine.
    pub fn state_hash(&self) -> [u8; 32] {
        let acknowledged = &self.significant.acknowledged;
        let has_keys = !self.keys.is_empty();
        let first = (!acknowledged.is_empty() || has_keys).then(|| codec::hash(acknowledged, &[]));
        let second = has_keys.then(|| codec::hash(&self.keys, &[]));
        codec::hash(self, &first.into_iter().chain(second).collect::<Vec<_>>())
    }

    /// Whether the actor is on file and has not lost every right.
    fn is_known(&self, actor: Actor) -> bool {
        match actor {
            Actor::Person(person) => self.active(person.id).is_some(),
            Actor::Terminal { device, .. }
            | Actor::Tumbler(device)
            | Actor::NoteAcceptor { device, .. }
            | Actor::ChipReader(device) => self.devices.active(device).is_some(),
            Actor::System => true,
        }
    }

    /// Whether the profile gives the right, to people as they are on file.
    fn right(&self, act: Act, actor: Actor, second: Option<Person>) -> Result<Person, Refusal> {
        let actor = actor.person().map_or(actor, |person| Actor::Person(self.on_file(person)));
        self.profile.check(act, actor, second.map(|second| self.on_file(second)))
    }

    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Whether the whole installation plays for training (F54).
    pub const fn is_training(&self) -> bool {
        self.is_training
    }

    /// Everyone on file.
    pub fn people(&self) -> impl Iterator<Item = (PersonId, &Employee)> {
        self.people.iter().map(|(id, employee)| (*id, employee))
    }

    /// Someone on file.
    pub fn person(&self, person: PersonId) -> Option<&Employee> {
        self.people.get(&person)
    }

    /// The person as an actor, with the roles on file; none if suspended.
    pub fn as_actor(&self, person: PersonId) -> Option<Person> {
        self.active(person).map(|employee| Person { id: person, roles: employee.roles })
    }

    /// Every device on file.
    pub fn devices(&self) -> impl Iterator<Item = (DeviceId, &Device)> {
        self.devices.on_file.iter().map(|(id, device)| (*id, device))
    }

    /// A device on file.
    pub fn device(&self, device: DeviceId) -> Option<&Device> {
        self.devices.on_file.get(&device)
    }

    /// The terminal that stands at a seat.
    pub fn terminal_at(&self, cluster: ClusterId, seat: Seat) -> Option<DeviceId> {
        self.devices.seated.get(&(cluster, seat)).copied()
    }

    /// The note acceptor at a seat.
    pub fn acceptor_at(&self, cluster: ClusterId, seat: Seat) -> Option<DeviceId> {
        self.devices.acceptors.get(&(cluster, seat)).copied()
    }

    /// The chip reader of a cluster.
    pub fn reader_of(&self, cluster: ClusterId) -> Option<DeviceId> {
        self.devices.readers.get(&cluster).copied()
    }

    /// Every table on file.
    pub fn tables(&self) -> impl Iterator<Item = (TableId, &HouseTable)> {
        self.tables.iter().map(|(id, table)| (*id, table))
    }

    /// The configuration, by key.
    pub fn configuration(&self) -> impl Iterator<Item = (&str, &str)> {
        self.configuration.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The open approvals.
    pub fn approvals(&self) -> impl Iterator<Item = (ApprovalId, &Approval)> {
        self.approvals.open.iter().map(|(id, approval)| (*id, approval))
    }

    /// A voucher on file.
    pub fn voucher(&self, hash: VoucherHash) -> Option<&Voucher> {
        self.vouchers.on_file.get(&hash)
    }

    /// The vouchers on file: those that are good or expired, and those closed not long ago.
    pub fn vouchers(&self) -> impl Iterator<Item = (VoucherHash, &Voucher)> {
        self.vouchers.on_file.iter().map(|(hash, voucher)| (*hash, voucher))
    }

    /// A voucher by its serial number, as long as it is on file.
    pub fn voucher_with(&self, serial: VoucherSerial) -> Option<(VoucherHash, &Voucher)> {
        self.vouchers.with_serial(serial)
    }

    /// The newest voucher that was cashed out at a seat, until it is confirmed; it may have been paid meanwhile.
    pub fn unconfirmed_at(&self, cluster: ClusterId, seat: Seat) -> Option<&Voucher> {
        self.vouchers.unconfirmed_at(cluster, seat)
    }

    /// The seats whose newest voucher is not confirmed.
    pub fn unconfirmed(&self) -> impl Iterator<Item = (ClusterId, Seat)> {
        self.vouchers.unconfirmed_seats()
    }

    /// An open claim.
    pub fn claim(&self, claim: ClaimId) -> Option<&Claim> {
        self.claims.open.get(&claim)
    }

    /// The claims that were paid, until they are read at their terminals.
    pub fn paid_claims(&self) -> impl Iterator<Item = (ClaimId, &PaidClaim)> {
        self.claims.paid.iter().map(|(id, claim)| (*id, claim))
    }

    /// The open claims.
    pub fn claims(&self) -> impl Iterator<Item = (ClaimId, &Claim)> {
        self.claims.open.iter().map(|(id, claim)| (*id, claim))
    }

    /// The open receivables.
    pub fn receivables(&self) -> impl Iterator<Item = (ReceivableId, &Receivable)> {
        self.receivables.open.iter().map(|(id, receivable)| (*id, receivable))
    }

    /// Whether a dice set was found damaged at some table, and not inspected since (5.6).
    pub fn is_damaged(&self, dice_set: u32) -> bool {
        self.damaged_sets.contains(&dice_set)
    }

    /// The newest significant events, the oldest of them first.
    pub fn significant(&self) -> impl DoubleEndedIterator<Item = &SignificantEvent> {
        self.significant.iter()
    }

    /// Who acknowledged a significant event, while it is among the newest.
    pub fn acknowledged(&self, event: u64) -> Option<&Acknowledgement> {
        self.significant.acknowledged.get(&event)
    }

    /// The number of the newest command of a source; zero if none is remembered.
    pub fn newest(&self, source: u64) -> u64 {
        self.sources.newest(source)
    }

    /// The highest source so far; zero if there is none.
    pub fn highest_source(&self) -> u64 {
        self.sources.highest()
    }

    /// How often each refusal was given.
    pub fn refused(&self) -> impl Iterator<Item = (Refusal, u64)> {
        self.refused.iter().map(|(refusal, count)| (*refusal, *count))
    }

    /// The accounts that have moved, with their balances.
    pub fn ledger(&self) -> impl Iterator<Item = (Account, Money)> {
        self.ledger.iter()
    }

    pub fn balance(&self, account: Account) -> Money {
        self.ledger.balance(account)
    }
}

/// A hash of a command's content. A new voucher number is drawn each time the command is sent, so the number is not part of the content.
fn content(command: &HouseCommand) -> u64 {
    let number = VoucherNumber::ANY;
    let content = match command {
        HouseCommand::SellVoucher { amount, second, .. } => {
            CommandHash::of_bytes(0, &HouseCommand::SellVoucher { number, amount: *amount, second: *second })
        }
        HouseCommand::ReissueVoucher { serial, ended, second, .. } => {
            let (serial, ended, second) = (*serial, *ended, *second);
            CommandHash::of_bytes(0, &HouseCommand::ReissueVoucher { serial, number, ended, second })
        }
        command => CommandHash::of_bytes(0, command),
    };
    content.finish()
}

/// The record holds an event that its command cannot have: a bug, or a record that was changed.
fn misfit(event: &HouseEvent) -> ! {
    panic!("the event does not fit its command: {event:?}")
}

//! The commands and events of the House. Data only: nothing is decided here.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::approvals::ApprovalId;
use super::claims::{ClaimId, ReceivableId};
use super::devices::DeviceKind;
use super::keys::{KeysInUse, SecretOwner};
use super::significant::ReportedEvent;
use super::vouchers::Redeemer;
use crate::identity::{
    ClusterId, CommandId, DeviceId, Person, PersonId, Roles, RoundNumber, Seat, SessionId, TableId, Time,
};
use crate::profile::Act;
use crate::sensitive::{PasswordRule, Sensitive};
use crate::transfer::{Transfer, VoucherHash, VoucherNumber, VoucherSerial};

/// One of the first people of an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Founder {
    pub person: PersonId,
    pub name: String,
    pub roles: Roles,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReceivableRuling {
    /// The player has paid this much in cash. The rest stays open.
    Collected { amount: Money },
    /// The House bears the rest.
    WrittenOff,
}

/// A command to the House.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum HouseCommand {
    /// The first people, once: among them those who can manage people from then on. It ends the setup of the installation.
    Found {
        people: Vec<Founder>,
    },
    AddPerson {
        person: PersonId,
        name: String,
        roles: Roles,
        second: Option<Person>,
    },
    SetRoles {
        person: PersonId,
        /// All roles from now on.
        roles: Roles,
        second: Option<Person>,
    },
    /// Take every right from a person.
    Suspend {
        person: PersonId,
        second: Option<Person>,
    },
    /// Give a suspended person the rights back.
    Reinstate {
        person: PersonId,
        second: Option<Person>,
    },
    LoginFailed {
        person: PersonId,
    },
    LoginSucceeded {
        person: PersonId,
    },
    /// Clear the lock of failed logins.
    Unlock {
        person: PersonId,
        second: Option<Person>,
    },
    Enrol {
        device: DeviceId,
        kind: DeviceKind,
        second: Option<Person>,
    },
    /// Issue a code that enrols a device. Anyone who presents the code becomes that device.
    GiveCode {
        device: DeviceId,
        second: Option<Person>,
    },
    /// Revoke a device. One person is enough, and it takes effect immediately.
    Revoke {
        device: DeviceId,
    },
    /// A device's token was used from elsewhere. The copy did nothing.
    CopiedToken {
        device: DeviceId,
    },
    /// Ask for a second person's approval.
    RequestApproval {
        act: Act,
        /// What is to be done, for the second person to read.
        what: String,
    },
    /// Approve or refuse, as the second person.
    AnswerApproval {
        approval: ApprovalId,
        /// Whether it is approved.
        approve: bool,
    },
    /// Take a request back.
    WithdrawApproval {
        approval: ApprovalId,
    },
    AddTable {
        table: TableId,
        #[cfg_attr(feature = "openapi", schema(value_type = u16, minimum = 1))]
        clusters: NonZeroU16,
        /// Whether it plays for training.
        training: bool,
        second: Option<Person>,
    },
    /// Set a value of the configuration (F53).
    Configure {
        key: String,
        /// The value from now on.
        value: String,
        /// Why it changes.
        why: String,
        second: Option<Person>,
    },
    /// Sell a voucher for cash.
    SellVoucher {
        number: VoucherNumber,
        amount: Money,
        /// The second person, for a large one.
        second: Option<Person>,
    },
    /// Pay a voucher out in cash.
    RedeemAtCage {
        hash: VoucherHash,
    },
    /// Turn a voucher into credits at a seat.
    RedeemAtSeat {
        hash: VoucherHash,
        cluster: ClusterId,
        seat: Seat,
    },
    /// Void a voucher. Its amount is owed by hand from then on.
    VoidVoucher {
        hash: VoucherHash,
        why: String,
        second: Option<Person>,
    },
    /// Rule that an expired voucher is paid after all, by hand.
    RuleExpired {
        hash: VoucherHash,
        why: String,
    },
    /// Clear the lock of wrong voucher numbers (F45).
    ClearRedemptionLock {
        redeemer: Redeemer,
    },
    /// A cluster's transfer arrives.
    Receive {
        /// From which.
        cluster: ClusterId,
        transfer: Transfer,
    },
    /// A cluster holds a transfer of ours.
    Delivered {
        cluster: ClusterId,
        /// The transfer's number.
        number: u64,
    },
    /// Pay a claim by hand.
    PayClaim {
        claim: ClaimId,
        /// The second person, for a large one.
        second: Option<Person>,
    },
    RuleReceivable {
        receivable: ReceivableId,
        ruling: ReceivableRuling,
        why: String,
    },
    /// A significant event elsewhere in the casino (F32).
    Report {
        what: ReportedEvent,
    },
    /// Time passes.
    Tick,
    /// A command is about to be carried out with an approval, which then serves no other.
    UseApproval {
        approval: ApprovalId,
        /// The command that it serves.
        command: CommandId,
    },
    /// Acknowledge a significant event, once for every screen (F32).
    Acknowledge {
        /// Its number.
        event: u64,
    },
    /// A voucher was printed, or its holder has it.
    ConfirmVoucher {
        serial: VoucherSerial,
    },
    /// Issue a voucher anew: its number dies, and the new one has the same amount and the same end. By the terminal that cashed it
    /// out, as long as nobody has confirmed it; or by two people.
    ReissueVoucher {
        serial: VoucherSerial,
        /// The new number.
        number: VoucherNumber,
        /// The last session at the terminal that sends this, if none is open there.
        ended: Option<SessionId>,
        /// The second person, unless a terminal sends this.
        second: Option<Person>,
    },
    /// An attendant has a claim, and is on the way to pay it: the player cannot take it back any more.
    TakeClaim {
        claim: ClaimId,
    },
    /// The player takes a cash-out by hand back, at its terminal: the amount becomes credits again.
    TakeBackClaim {
        claim: ClaimId,
    },
    /// The player has read at the terminal that a claim was paid.
    ReadClaim {
        claim: ClaimId,
    },
    /// The installation uses these keys from now on: on its first start with a key file, and when its keys are replaced.
    UseKeys {
        keys: KeysInUse,
    },
    /// A password or the key of a device was set in place of an older one.
    ChangeSecret {
        owner: SecretOwner,
        /// Counted for each owner: an older one is not believed from now on.
        version: u32,
    },
}

impl Sensitive for HouseCommand {
    fn password_rule(&mut self) -> PasswordRule<'_> {
        match self {
            Self::AddPerson { second, .. }
            | Self::SetRoles { second, .. }
            | Self::Suspend { second, .. }
            | Self::Reinstate { second, .. }
            | Self::Unlock { second, .. }
            | Self::Enrol { second, .. }
            | Self::GiveCode { second, .. }
            | Self::AddTable { second, .. }
            | Self::Configure { second, .. }
            | Self::VoidVoucher { second, .. }
            | Self::ReissueVoucher { second, .. } => PasswordRule::Always(Some(second)),
            Self::Revoke { .. }
            | Self::AnswerApproval { .. }
            | Self::RuleExpired { .. }
            | Self::RuleReceivable { .. } => PasswordRule::Always(None),
            Self::SellVoucher { second, .. } | Self::PayClaim { second, .. } => PasswordRule::WithSecond(second),
            Self::Found { .. }
            | Self::LoginFailed { .. }
            | Self::LoginSucceeded { .. }
            | Self::CopiedToken { .. }
            | Self::UseKeys { .. }
            | Self::ChangeSecret { .. }
            | Self::RequestApproval { .. }
            | Self::WithdrawApproval { .. }
            | Self::UseApproval { .. }
            | Self::Acknowledge { .. }
            | Self::RedeemAtCage { .. }
            | Self::RedeemAtSeat { .. }
            | Self::ClearRedemptionLock { .. }
            | Self::Receive { .. }
            | Self::Delivered { .. }
            | Self::ConfirmVoucher { .. }
            | Self::TakeClaim { .. }
            | Self::TakeBackClaim { .. }
            | Self::ReadClaim { .. }
            | Self::Report { .. }
            | Self::Tick => PasswordRule::Never,
        }
    }
}

/// A voucher that has expired, with its amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExpiredVoucher {
    pub hash: VoucherHash,
    pub amount: Money,
}

/// What a session is owed after one round, and what it owes after another, cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SetOff {
    pub amount: Money,
    /// The claim that shrinks.
    pub claim: ClaimId,
    /// The round that the claim is from.
    pub claim_round: RoundNumber,
    /// The receivable that shrinks.
    pub receivable: ReceivableId,
    /// The round that the receivable is from.
    pub receivable_round: RoundNumber,
}

/// What the House adds to a command that it carries out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HouseEvent {
    /// The command says it all.
    Done,
    /// A failed login was counted.
    LoginCounted {
        /// Whether it locks the person out.
        locked: bool,
    },
    /// An approval waits for its answer.
    ApprovalRequested { approval: ApprovalId },
    /// A voucher is issued: it may be printed.
    VoucherIssued {
        /// Its serial number.
        serial: VoucherSerial,
        /// From when it is no longer good.
        expires: Time,
    },
    /// Cash is paid out: for a voucher or a claim.
    CashPaid { amount: Money },
    /// Credits are on their way to a seat.
    CreditsSent {
        /// The transfer's number.
        number: u64,
        amount: Money,
    },
    /// A player is owed by hand: a claim or returned credits have arrived, a voucher could not be issued, was voided,
    /// or is paid by ruling after its expiry.
    ClaimOpened {
        claim: ClaimId,
        /// How much, before anything is set off.
        amount: Money,
        /// What the same session owed.
        set_off: Vec<SetOff>,
    },
    /// A player owes.
    ReceivableOpened {
        receivable: ReceivableId,
        /// What the same session was owed.
        set_off: Vec<SetOff>,
    },
    /// Play money has arrived from a training table: nobody is owed (F44).
    PlayMoney,
    ReceivableRuled {
        /// How much of it was collected or written off.
        amount: Money,
        /// How much stays open.
        left: Money,
    },
    /// Time has passed.
    Ticked {
        /// Vouchers that are no longer good.
        expired: Vec<ExpiredVoucher>,
        /// Vouchers paid, void or for training, long enough ago to be left to the record.
        forgotten: Vec<VoucherHash>,
        /// Approvals that are over.
        approvals: Vec<ApprovalId>,
    },
    /// A voucher is issued in the place of another, which is dead.
    VoucherReissued {
        /// The serial number of the new one.
        serial: VoucherSerial,
        /// Its amount, as before.
        amount: Money,
        /// From when it is no longer good, as before.
        expires: Time,
    },
}

//! Significant events (F32): the newest ones, and who acknowledged them. A new event displaces the oldest, acknowledged or
//! not; from then on it is in the record only.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::keys::SecretOwner;
use super::vouchers::Redeemer;
use super::{House, HouseDecision, HouseEvent};
use crate::cluster::OverDifferential;
use crate::identity::{Actor, ClusterId, DeviceId, PersonId, Receipt, RoundNumber, Seat, TableId, Time};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::round::RoundStanding;
use crate::transfer::VoucherSerial;

/// How many events are kept.
pub const MAX_SIGNIFICANT_EVENTS: usize = 1_000;

/// A significant event that a table, the store or the clock reports to the House.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReportedEvent {
    ClockStepped {
        /// Negative if backwards.
        millis: i64,
    },
    /// The store failed or is in doubt.
    StoreProblem,
    /// A terminal lost its connection.
    TerminalLost {
        cluster: ClusterId,
        seat: Seat,
    },
    TerminalBack {
        cluster: ClusterId,
        seat: Seat,
    },
    /// Other limits are on display.
    LimitChange {
        table: TableId,
    },
    /// A round is void.
    Void {
        table: TableId,
        round: RoundNumber,
    },
    /// A round was settled again.
    Correction {
        table: TableId,
        round: RoundNumber,
    },
    /// A ruling was made that moves no money.
    Ruling {
        table: TableId,
    },
    /// A ruling decides otherwise how a round is paid.
    MoneyRuling {
        table: TableId,
        round: RoundNumber,
        /// How it stood.
        before: RoundStanding,
        after: RoundStanding,
        /// Whether its money waits for a second person to witness it.
        waits: bool,
    },
    /// A ruling was witnessed, and its money is moved.
    RulingWitnessed {
        table: TableId,
        round: RoundNumber,
    },
    /// A die was called not flat against three flat faces that the tumbler had read.
    FlatDiceVoided {
        table: TableId,
        round: RoundNumber,
    },
    /// A round of damaged dice that an earlier ruling decided must be ruled on.
    ToBeRuled {
        table: TableId,
        round: RoundNumber,
    },
    /// A dice set was found damaged.
    DiceDamaged {
        table: TableId,
        dice_set: u32,
    },
    /// A dice set that was found damaged may be used again.
    DiceInspected {
        table: TableId,
        dice_set: u32,
    },
    /// A large win locked a terminal.
    LargeWin {
        cluster: ClusterId,
        seat: Seat,
        /// The win.
        amount: Money,
    },
    /// A command id was used for something else at a table.
    CommandIdReused {
        table: TableId,
        source: u64,
    },
    /// A dice tumbler says that it is out of order.
    TumblerFault {
        table: TableId,
        tumbler: DeviceId,
    },
    /// What counts on a box is more than the Differential above what counts on the opposite box (1.3).
    OverDifferential {
        table: TableId,
        round: RoundNumber,
        /// The box, what counts on it and on the opposite one, and the Differential.
        over: OverDifferential,
    },
    /// The notes in a stacker are not those that were accepted (F86).
    StackerDiffers {
        /// The cluster of the note acceptor.
        cluster: ClusterId,
        seat: Seat,
        /// How many notes were accepted.
        accepted: u32,
        notes: u32,
        /// By how much what was counted differs from what was accepted; none where nobody has counted.
        variance: Option<Money>,
    },
    /// Two people reversed a buy-in.
    BuyInReversed {
        cluster: ClusterId,
        seat: Seat,
        receipt: Receipt,
        amount: Money,
    },
    /// What is stored of a password or a device is not what this casino stored last for that owner: it was copied, made up or
    /// restored, and is not believed.
    SecretRefused {
        owner: SecretOwner,
    },
    /// A table stays closed, as the record of its dealer's side or of a cluster cannot be read.
    TableNotOpened {
        table: TableId,
        /// The cluster whose record it is; none for the dealer's side.
        cluster: Option<ClusterId>,
        /// The block that is damaged or missing, where that is known.
        block: Option<u64>,
    },
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SignificantEventKind {
    /// Reported to the House.
    Reported(ReportedEvent),
    /// A command id was used for something else.
    CommandIdReused {
        source: u64,
    },
    LoginFailed(PersonId),
    /// A person is locked out after failed logins (F51).
    LoginLocked(PersonId),
    /// A person's lock was cleared.
    LoginUnlocked(PersonId),
    /// A code was issued that enrols the device.
    CodeGiven(DeviceId),
    DeviceRevoked(DeviceId),
    /// A device's token was used from elsewhere.
    TokenCopied(DeviceId),
    /// Wrong voucher numbers locked someone's redemption (F45).
    RedemptionLocked(Redeemer),
    /// That lock was cleared.
    RedemptionUnlocked(Redeemer),
    /// A cluster's voucher could not be issued and became a claim.
    VoucherFailed {
        cluster: ClusterId,
        seat: Seat,
    },
    /// The configuration changed.
    Configured,
    /// A receivable or an expired voucher was ruled on.
    MoneyRuled,
    /// A voucher was issued anew under another number.
    VoucherReissued {
        /// The one that is dead.
        replaced: VoucherSerial,
        /// The one in its place.
        by: VoucherSerial,
    },
    /// The keys of the casino were replaced.
    KeysReplaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignificantEvent {
    /// Its number, counted from one.
    pub number: u64,
    pub time: Time,
    /// By whose command.
    pub who: Actor,
    pub what: SignificantEventKind,
}

/// Who acknowledged a significant event, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Acknowledgement {
    pub by: PersonId,
    pub time: Time,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignificantEvents {
    newest: VecDeque<SignificantEvent>,
    count: u64,
    /// Acknowledgements of the newest events, by number. It stands behind the state, and only where there is one: a record
    /// without them has the states that it always had.
    #[serde(skip)]
    pub(super) acknowledged: BTreeMap<u64, Acknowledgement>,
}

impl SignificantEvents {
    pub(super) fn push(&mut self, time: Time, who: Actor, what: SignificantEventKind) {
        self.count += 1;
        if self.newest.len() == MAX_SIGNIFICANT_EVENTS {
            let oldest = self.newest.pop_front().expect("the list is full");
            self.acknowledged.remove(&oldest.number);
        }
        self.newest.push_back(SignificantEvent { number: self.count, time, who, what });
    }

    pub(super) fn is_kept(&self, number: u64) -> bool {
        self.newest.front().is_some_and(|oldest| (oldest.number..=self.count).contains(&number))
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &SignificantEvent> {
        self.newest.iter()
    }
}

impl House {
    /// An event is acknowledged once, by someone who runs tables.
    pub(super) fn decide_acknowledge(&self, actor: Actor, event: u64) -> HouseDecision {
        self.right(Act::RunTable, actor, None)?;
        let waits = self.significant.is_kept(event) && self.acknowledged(event).is_none();
        if waits { Ok(HouseEvent::Done) } else { Err(Refusal::UnknownEvent) }
    }
}

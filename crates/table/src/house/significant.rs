//! Significant events (F32): the newest, with when, who and what. Older ones are in the record.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::vouchers::Redeemer;
use crate::identity::{Actor, ClusterId, DeviceId, PersonId, RoundNumber, Seat, TableId, Time};

/// How many are kept.
pub const KEPT: usize = 1_000;

/// What other parts of the house report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Report {
    /// The clock was stepped.
    ClockStepped {
        /// By so many milliseconds; backwards if negative.
        millis: i64,
    },
    /// The store failed or is in doubt.
    StoreProblem,
    /// A terminal lost the house.
    TerminalLost {
        /// Its cluster.
        cluster: ClusterId,
        /// Its seat.
        seat: Seat,
    },
    /// A terminal is back.
    TerminalBack {
        /// Its cluster.
        cluster: ClusterId,
        /// Its seat.
        seat: Seat,
    },
    /// Other limits are on display.
    LimitChange {
        /// At which table.
        table: TableId,
    },
    /// A round is void.
    Void {
        /// At which table.
        table: TableId,
        /// Which round.
        round: RoundNumber,
    },
    /// A round was settled again.
    Correction {
        /// At which table.
        table: TableId,
        /// Which round.
        round: RoundNumber,
    },
    /// A ruling was made.
    Ruling {
        /// At which table.
        table: TableId,
    },
    /// A large win locked a terminal.
    LargeWin {
        /// Its cluster.
        cluster: ClusterId,
        /// Its seat.
        seat: Seat,
        /// The win.
        amount: Money,
    },
    /// A command id was used for something else at a table.
    CommandIdReused {
        /// At which table.
        table: TableId,
        /// By which source.
        source: u64,
    },
    /// A dice tumbler says that it is out of order.
    TumblerFault {
        /// At which table.
        table: TableId,
        /// Which.
        tumbler: DeviceId,
    },
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Happening {
    /// Reported by another part of the house.
    Reported(Report),
    /// A command id was used for something else.
    CommandIdReused {
        /// By which source.
        source: u64,
    },
    /// A login failed.
    LoginFailed(PersonId),
    /// A person is locked out after failed logins (F51).
    LoginLocked(PersonId),
    /// A person's lock was cleared.
    LoginUnlocked(PersonId),
    /// A device was revoked.
    DeviceRevoked(DeviceId),
    /// A device's token was used from elsewhere.
    TokenCopied(DeviceId),
    /// Wrong voucher numbers locked someone's redemption (F45).
    RedemptionLocked(Redeemer),
    /// That lock was cleared.
    RedemptionUnlocked(Redeemer),
    /// A cluster's voucher could not be issued and became a claim.
    VoucherFailed {
        /// Of which cluster.
        cluster: ClusterId,
        /// At which seat.
        seat: Seat,
    },
    /// The configuration changed.
    Configured,
    /// A receivable or an expired voucher was ruled on.
    MoneyRuled,
}

/// A significant event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Significant {
    /// Its number, counted from one.
    pub number: u64,
    /// When.
    pub time: Time,
    /// By whose command.
    pub who: Actor,
    /// What happened.
    pub what: Happening,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Significants {
    newest: VecDeque<Significant>,
    count: u64,
}

impl Significants {
    pub(super) fn push(&mut self, time: Time, who: Actor, what: Happening) {
        self.count += 1;
        if self.newest.len() == KEPT {
            self.newest.pop_front();
        }
        self.newest.push_back(Significant { number: self.count, time, who, what });
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Significant> {
        self.newest.iter()
    }
}

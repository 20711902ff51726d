//! The House's books: double entry, one posting for every movement. It knows accounts and amounts, never why.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use crate::identity::ClusterId;
use crate::refusal::Refusal;

/// An account. Its balance is what has flowed into it less what has flowed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// The cage's cash: outside the books, so cash taken in makes it negative.
    Cash,
    /// Vouchers that are good.
    Vouchers,
    /// Vouchers that have expired: owed still, but paid only by ruling.
    Expired,
    /// Owed to players by hand.
    Claims,
    /// Owed by players: negative.
    Receivables,
    /// The casino's result: what was written off.
    Result,
    /// Play money, which is owed to nobody: all from training tables of a real installation, and vouchers of a training one.
    Play,
    /// On the way from and to a cluster.
    Transit(ClusterId),
}

/// The books.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HouseLedger {
    balances: BTreeMap<Account, Money>,
    /// All that has ever come in. No balance can be further from zero than this, so nothing else needs a check.
    entered: Money,
}

impl HouseLedger {
    /// Whether another amount can come in without overflow.
    pub(super) fn room_for(&self, amount: Money) -> Result<(), Refusal> {
        self.entered.checked_add(amount).map(|_| ()).ok_or(Refusal::AmountTooLarge)
    }

    /// Money or a debt comes into the casino.
    pub(super) fn enter(&mut self, from: Account, to: Account, amount: Money) {
        self.entered = self.entered.checked_add(amount).expect("room was checked before money came in");
        self.post(from, to, amount);
    }

    /// Money moves from one account to another.
    pub(super) fn post(&mut self, from: Account, to: Account, amount: Money) {
        assert!(amount > Money::ZERO, "a posting moves money");
        assert!(from != to, "a posting has two accounts");
        let less = self.balance(from).checked_sub(amount).expect("no balance is larger than what came in");
        let more = self.balance(to).checked_add(amount).expect("no balance is larger than what came in");
        self.balances.insert(from, less);
        self.balances.insert(to, more);
    }

    /// Breaks the books, for the tests of those who watch over them.
    #[cfg(test)]
    pub(super) fn put(&mut self, account: Account, balance: Money) {
        self.balances.insert(account, balance);
    }

    pub(super) fn balance(&self, account: Account) -> Money {
        self.balances.get(&account).copied().unwrap_or_default()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Account, Money)> {
        self.balances.iter().map(|(account, balance)| (*account, *balance))
    }
}

//! The invariants of the House. Tests and the simulator check them; the machine itself does not.

use taisai_rules::Money;

use super::House;
use super::ledger::Account;
use super::vouchers::VoucherState;
use crate::invariant::{BrokenInvariant, hold};

impl House {
    /// Every invariant of the House.
    pub fn check(&self) -> Result<(), BrokenInvariant> {
        self.ledger_sums_to_zero()?;
        self.vouchers_match_their_account()?;
        self.expired_vouchers_match_their_account()?;
        self.claims_match_their_account()?;
        self.receivables_match_their_account()?;
        self.no_negative_claims()?;
        self.serials_name_their_vouchers()?;
        self.acknowledged_events_are_kept()
    }

    /// Every movement has two sides.
    pub fn ledger_sums_to_zero(&self) -> Result<(), BrokenInvariant> {
        let sum = sum(self.ledger().map(|(_, balance)| balance));
        hold("ledger-sums-to-zero", sum == 0, || format!("the accounts sum to {sum} cents"))
    }

    /// The vouchers that are good are what their account holds.
    pub fn vouchers_match_their_account(&self) -> Result<(), BrokenInvariant> {
        self.matches("vouchers-match-their-account", Account::Vouchers, self.sum_of_vouchers(VoucherState::Good))
    }

    /// The vouchers that have expired are what their account holds.
    pub fn expired_vouchers_match_their_account(&self) -> Result<(), BrokenInvariant> {
        self.matches(
            "expired-vouchers-match-their-account",
            Account::Expired,
            self.sum_of_vouchers(VoucherState::Expired),
        )
    }

    /// The open claims are what their account holds.
    pub fn claims_match_their_account(&self) -> Result<(), BrokenInvariant> {
        self.matches("claims-match-their-account", Account::Claims, sum(self.claims().map(|(_, claim)| claim.amount)))
    }

    /// The open receivables are what their account is short of.
    pub fn receivables_match_their_account(&self) -> Result<(), BrokenInvariant> {
        self.matches(
            "receivables-match-their-account",
            Account::Receivables,
            -sum(self
                .receivables()
                .filter(|(_, receivable)| !receivable.is_waived)
                .map(|(_, receivable)| receivable.left)),
        )
    }

    /// Every open claim is of something.
    pub fn no_negative_claims(&self) -> Result<(), BrokenInvariant> {
        let least = self.claims().min_by_key(|(_, claim)| claim.amount);
        let is_owed = least.is_none_or(|(_, claim)| claim.amount > Money::ZERO);
        hold("no-negative-claims", is_owed, || format!("{least:?}"))
    }

    /// Every voucher is found by its serial number, and no number leads to another.
    pub fn serials_name_their_vouchers(&self) -> Result<(), BrokenInvariant> {
        let stray = self.vouchers().find(|(hash, voucher)| self.vouchers.serials.get(&voucher.serial) != Some(hash));
        let is_whole = stray.is_none() && self.vouchers.serials.len() == self.vouchers.on_file.len();
        hold("serials-name-their-vouchers", is_whole, || format!("{:?}", stray.map(|(_, voucher)| voucher.serial)))
    }

    /// Every acknowledgement is of an event that is kept.
    pub fn acknowledged_events_are_kept(&self) -> Result<(), BrokenInvariant> {
        let stray = self.significant.acknowledged.keys().find(|number| !self.significant.is_kept(**number));
        hold("acknowledged-events-are-kept", stray.is_none(), || format!("{stray:?}"))
    }

    fn sum_of_vouchers(&self, state: VoucherState) -> i128 {
        sum(self.vouchers().filter(|(_, voucher)| voucher.state == state).map(|(_, voucher)| voucher.amount))
    }

    fn matches(&self, name: &'static str, account: Account, held: i128) -> Result<(), BrokenInvariant> {
        let balance = self.balance(account).cents();
        let detail = || format!("{account:?} is at {balance} cents, what it stands for at {held}");
        hold(name, i128::from(balance) == held, detail)
    }
}

/// A sum that cannot overflow: there are fewer than 2^64 amounts.
fn sum(amounts: impl Iterator<Item = Money>) -> i128 {
    amounts.map(|amount| i128::from(amount.cents())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::{Acknowledgement, Claim, ClaimId, ClaimOrigin};
    use crate::{PersonId, Profile, Time, VoucherHash, VoucherSerial};

    type Unbalance = fn(&mut House);

    const CENT: Money = Money::from_cents(1);

    #[test]
    fn each_invariant_sees_what_breaks_it() {
        use Account::{Cash, Claims, Expired, Receivables, Vouchers};
        let breaks: [(&str, Unbalance); 8] = [
            ("ledger-sums-to-zero", |house| house.ledger.put(Cash, CENT)),
            ("vouchers-match-their-account", |house| house.ledger.post(Cash, Vouchers, CENT)),
            ("expired-vouchers-match-their-account", |house| house.ledger.post(Cash, Expired, CENT)),
            ("claims-match-their-account", |house| house.ledger.post(Cash, Claims, CENT)),
            ("receivables-match-their-account", |house| house.ledger.post(Receivables, Cash, CENT)),
            ("no-negative-claims", |house| {
                let origin = ClaimOrigin::VoidVoucher(VoucherHash([0; 32]));
                house.claims.open(ClaimId(1), Claim::new(Money::ZERO, origin, Time(1)));
            }),
            ("serials-name-their-vouchers", |house| {
                house.vouchers.serials.insert(VoucherSerial(1), VoucherHash([0; 32]));
            }),
            ("acknowledged-events-are-kept", |house| {
                house.significant.acknowledged.insert(1, Acknowledgement { by: PersonId(1), time: Time(1) });
            }),
        ];
        for (name, unbalance) in breaks {
            let mut house = House::new(Profile::singapore(), false);
            assert_eq!(house.check(), Ok(()));
            unbalance(&mut house);
            assert_eq!(house.check().map_err(|broken| broken.name), Err(name));
        }
    }
}

//! A naive second model of the books: a plain list of movements, worked out from the commands that were carried out.

use std::collections::BTreeMap;

use taisai_rules::Money;
use taisai_table::{
    Account, ClaimId, HouseCommand, HouseEvent, ReceivableId, ReceivableRuling, SetOff, TableId, TransferPurpose,
    VoucherHash,
};

use super::floor::{CLUSTER, HouseEntry, TRAINING};

#[derive(Default)]
pub(crate) struct Model {
    moves: Vec<(Account, Account, i64)>,
    /// Amount of each voucher, and the account in which it lies.
    vouchers: Vec<(VoucherHash, i64, Account)>,
    claims: Vec<(ClaimId, i64)>,
    /// What is left of each receivable, and the account that is short of it: the result once it was written off.
    receivables: Vec<(ReceivableId, i64, Account)>,
}

impl Model {
    pub(crate) fn follow(&mut self, entry: &HouseEntry) {
        use HouseCommand as C;
        use HouseEvent as E;
        let Ok(event) = &entry.outcome else { return };
        match (&entry.request.command, event) {
            (C::SellVoucher { number, amount, .. }, _) => {
                self.vouchers.push((number.hash, amount.cents(), Account::Vouchers));
                self.moves.push((Account::Cash, Account::Vouchers, amount.cents()));
            }
            (C::RedeemAtCage { hash }, _) => self.empty(*hash, Account::Cash),
            (C::RedeemAtSeat { hash, cluster, .. }, _) => self.empty(*hash, Account::Transit(*cluster)),
            (C::VoidVoucher { hash, .. } | C::RuleExpired { hash, .. }, E::ClaimOpened { claim, .. }) => {
                let amount = self.voucher(*hash).1;
                self.claims.push((*claim, amount));
                self.empty(*hash, Account::Claims);
            }
            (C::Tick, E::Ticked { expired, .. }) => {
                for voucher in expired {
                    self.empty(voucher.hash, Account::Expired);
                    self.voucher(voucher.hash).2 = Account::Expired;
                }
            }
            (C::Receive { cluster, transfer }, event) => {
                let (transit, amount) = (Account::Transit(*cluster), transfer.amount.cents());
                let is_play = cluster.table == TableId(TRAINING.table.0);
                match (transfer.purpose, event) {
                    (TransferPurpose::Receivable { .. }, _) if is_play => {
                        self.moves.push((Account::Play, transit, amount));
                    }
                    (_, _) if is_play => self.moves.push((transit, Account::Play, amount)),
                    (TransferPurpose::Receivable { .. }, E::ReceivableOpened { receivable, set_off }) => {
                        self.receivables.push((*receivable, amount, Account::Receivables));
                        self.moves.push((Account::Receivables, transit, amount));
                        self.set_off(set_off);
                    }
                    (_, E::ClaimOpened { claim, set_off, .. }) => {
                        self.claims.push((*claim, amount));
                        self.moves.push((transit, Account::Claims, amount));
                        self.set_off(set_off);
                    }
                    (TransferPurpose::Voucher { number, .. }, _) => {
                        self.vouchers.push((number.hash, amount, Account::Vouchers));
                        self.moves.push((transit, Account::Vouchers, amount));
                    }
                    other => panic!("{other:?}"),
                }
            }
            // The money lies where it lay. One for training is never redeemed.
            (C::ReissueVoucher { number, .. }, E::VoucherReissued { amount, .. }) => {
                self.vouchers.push((number.hash, amount.cents(), Account::Vouchers));
            }
            (C::TakeBackClaim { claim }, E::CreditsSent { .. }) => {
                let place = self.claims.iter().position(|(id, _)| id == claim).expect("an open claim");
                let (_, amount) = self.claims.remove(place);
                self.moves.push((Account::Claims, Account::Transit(CLUSTER), amount));
            }
            (C::PayClaim { claim, .. }, _) => {
                let place = self.claims.iter().position(|(id, _)| id == claim).expect("an open claim");
                let (_, amount) = self.claims.remove(place);
                self.moves.push((Account::Claims, Account::Cash, amount));
            }
            (C::RuleReceivable { receivable, ruling, .. }, _) => {
                let owed = self.receivables.iter_mut().find(|owed| owed.0 == *receivable).expect("an open receivable");
                let (from, amount) = match ruling {
                    ReceivableRuling::Collected { amount } => {
                        owed.1 -= amount.cents();
                        (Account::Cash, amount.cents())
                    }
                    ReceivableRuling::WrittenOff => {
                        owed.2 = Account::Result;
                        (Account::Result, owed.1)
                    }
                };
                self.moves.push((from, Account::Receivables, amount));
            }
            _ => {}
        }
    }

    fn set_off(&mut self, set_off: &[SetOff]) {
        for SetOff { amount, claim, receivable, .. } in set_off {
            let place = self.claims.iter().position(|(id, _)| id == claim).expect("an open claim");
            self.claims[place].1 -= amount.cents();
            let owed = self.receivables.iter_mut().find(|owed| owed.0 == *receivable).expect("an open receivable");
            owed.1 -= amount.cents();
            self.moves.push((Account::Claims, owed.2, amount.cents()));
        }
    }

    fn voucher(&mut self, hash: VoucherHash) -> &mut (VoucherHash, i64, Account) {
        // The newest of that number: an older one was forgotten.
        self.vouchers.iter_mut().rfind(|voucher| voucher.0 == hash).expect("a voucher")
    }

    fn empty(&mut self, hash: VoucherHash, to: Account) {
        let (_, amount, from) = *self.voucher(hash);
        self.moves.push((from, to, amount));
    }

    /// What each account must be at.
    pub(crate) fn balances(&self) -> BTreeMap<Account, Money> {
        let mut balances = BTreeMap::<Account, i64>::new();
        for (from, to, amount) in &self.moves {
            *balances.entry(*from).or_default() -= amount;
            *balances.entry(*to).or_default() += amount;
        }
        balances.into_iter().map(|(account, cents)| (account, Money::from_cents(cents))).collect()
    }
}

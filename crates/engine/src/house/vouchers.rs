//! Callers who wait for the voucher of a cash-out: the cluster has accepted it, and its money is on the way to the House.

use std::collections::VecDeque;

use taisai_rules::Money;
use taisai_table::{ClaimId, Decision, House, HouseEvent, Transfer, TransferPurpose, Voucher, VoucherHash};

use crate::effect::{CallerId, Effect};

/// Each waits at a seat that has just been cashed out. Callers who have gone are not seen here: the oldest make room.
const MAX_WAITING: usize = 4_096;

/// How many that did not become vouchers are kept for callers who come after the money.
const MAX_OTHERS: usize = 256;

/// What became of the voucher of a cash-out once its money had reached the House.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoucherFate {
    /// It is on file, and may be printed.
    Voucher(Voucher),
    /// It could not be issued: the amount is paid by hand (F43).
    Claim {
        claim: ClaimId,
        /// How much.
        amount: Money,
    },
    /// Play money above the voucher limit: nobody is owed (F44).
    PlayMoney,
}

/// Callers who wait for vouchers.
#[derive(Debug, Default)]
pub struct AwaitedVouchers {
    /// The oldest first.
    waiting: VecDeque<(VoucherHash, CallerId)>,
    /// The newest that are no vouchers: nothing on file tells their fate.
    others: VecDeque<(VoucherHash, VoucherFate)>,
}

impl AwaitedVouchers {
    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Replies immediately if the money has arrived.
    pub fn wait(&mut self, house: &House, hash: VoucherHash, caller: CallerId, held: &mut Vec<Effect>) {
        match self.fate(house, hash) {
            Some(fate) => held.push(Effect::Voucher(caller, fate)),
            None => push_bounded(&mut self.waiting, (hash, caller), MAX_WAITING),
        }
    }

    /// Tells the callers that wait for a voucher what became of it.
    pub fn received(
        &mut self,
        house: &House,
        transfer: &Transfer,
        decision: &Decision<HouseEvent>,
        held: &mut Vec<Effect>,
    ) {
        let hash = match transfer.purpose {
            TransferPurpose::Voucher { number, .. } => number.hash,
            TransferPurpose::Claim { .. }
            | TransferPurpose::Receivable { .. }
            | TransferPurpose::Credits { .. }
            | TransferPurpose::Returned { .. } => {
                return;
            }
        };
        let other = match decision {
            Decision::Accepted(HouseEvent::ClaimOpened { claim, amount, .. }) => {
                Some(VoucherFate::Claim { claim: *claim, amount: *amount })
            }
            Decision::Accepted(HouseEvent::PlayMoney) => Some(VoucherFate::PlayMoney),
            Decision::Accepted(_) | Decision::Refused(_) | Decision::Repeated(_) => None,
        };
        if let Some(other) = other {
            push_bounded(&mut self.others, (hash, other), MAX_OTHERS);
        }
        let Some(fate) = self.fate(house, hash) else { return };
        self.waiting.retain(|(awaited, caller)| {
            let waits_on = *awaited != hash;
            if !waits_on {
                held.push(Effect::Voucher(*caller, fate));
            }
            waits_on
        });
    }

    /// A number that was used before becomes a claim: that comes before the voucher on file, which is another's.
    fn fate(&self, house: &House, hash: VoucherHash) -> Option<VoucherFate> {
        let other = self.others.iter().rev().find(|(known, _)| *known == hash).map(|(_, fate)| *fate);
        other.or_else(|| house.voucher(hash).copied().map(VoucherFate::Voucher))
    }
}

fn push_bounded<T>(queue: &mut VecDeque<T>, newest: T, most: usize) {
    if queue.len() == most {
        queue.pop_front();
    }
    queue.push_back(newest);
}

#[cfg(test)]
mod tests {
    use taisai_table::{
        Actor, ClusterId, CommandId, CommandRequest, Entry, HouseCommand, Profile, Seat, SessionId, TableId, Time,
        VoucherNumber,
    };

    use super::*;

    const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };

    /// A House with one table, real or for training.
    struct Counter {
        house: House,
        awaited: AwaitedVouchers,
        sequence: u64,
    }

    impl Counter {
        fn new(training: bool) -> Self {
            let house = House::new(Profile::singapore(), false);
            let mut counter = Self { house, awaited: AwaitedVouchers::default(), sequence: 0 };
            let clusters = std::num::NonZeroU16::MIN;
            counter.command(HouseCommand::AddTable { table: TableId(1), clusters, training, second: None });
            counter
        }

        fn command(&mut self, command: HouseCommand) -> Decision<HouseEvent> {
            self.sequence += 1;
            let id = CommandId { source: 0, sequence: self.sequence };
            let request = CommandRequest { time: Time(1_000), actor: Actor::System, id, command };
            let decision = self.house.decide(&request);
            let Decision::Accepted(event) = &decision else { panic!("{decision:?}") };
            self.house.apply(&Entry { request, outcome: Ok(event.clone()) });
            decision
        }

        /// The money of a voucher arrives.
        fn receive(&mut self, hash: VoucherHash, cents: i64) -> Vec<Effect> {
            let number = self.house.received(CLUSTER) + 1;
            let purpose = TransferPurpose::Voucher {
                seat: Seat(2),
                session: SessionId(1),
                number: VoucherNumber { hash, digits: 7 },
            };
            let transfer = Transfer { number, amount: Money::from_cents(cents), purpose };
            let decision = self.command(HouseCommand::Receive { cluster: CLUSTER, transfer });
            let mut held = Vec::new();
            self.awaited.received(&self.house, &transfer, &decision, &mut held);
            held
        }

        fn wait(&mut self, hash: VoucherHash, caller: u64) -> Vec<Effect> {
            let mut held = Vec::new();
            self.awaited.wait(&self.house, hash, CallerId(caller), &mut held);
            held
        }
    }

    fn hash(number: u16) -> VoucherHash {
        let mut hash = [0; 32];
        hash[..2].copy_from_slice(&number.to_le_bytes());
        VoucherHash(hash)
    }

    fn fate(caller: u64, fate: VoucherFate) -> Vec<Effect> {
        vec![Effect::Voucher(CallerId(caller), fate)]
    }

    #[test]
    fn callers_are_sent_the_voucher_when_its_money_arrives_and_at_once_after_that() {
        let mut counter = Counter::new(false);
        for (number, caller) in [(1, 1), (2, 2), (1, 3)] {
            assert_eq!(counter.wait(hash(number), caller), []);
        }
        let sent = counter.receive(hash(1), 5_000);
        let voucher = VoucherFate::Voucher(*counter.house.voucher(hash(1)).unwrap());
        assert_eq!(sent, [1, 3].map(|caller| Effect::Voucher(CallerId(caller), voucher)));
        assert_eq!(counter.wait(hash(1), 4), fate(4, voucher));
        assert_eq!(counter.awaited.waiting, [(hash(2), CallerId(2))]);
    }

    #[test]
    fn a_voucher_above_the_limit_becomes_a_claim() {
        let mut counter = Counter::new(false);
        counter.wait(hash(1), 1);
        let amount = Money::from_cents(Profile::singapore().voucher_limit.cents() + 1);
        let claim = VoucherFate::Claim { claim: ClaimId(1), amount };
        assert_eq!(counter.receive(hash(1), amount.cents()), fate(1, claim));
        assert_eq!(counter.wait(hash(1), 2), fate(2, claim));
    }

    /// A number that is on file already is never given out twice.
    #[test]
    fn a_number_that_was_used_before_becomes_a_claim() {
        let mut counter = Counter::new(false);
        counter.receive(hash(1), 5_000);
        counter.receive(hash(1), 6_000);
        let claim = VoucherFate::Claim { claim: ClaimId(1), amount: Money::from_cents(6_000) };
        assert_eq!(counter.wait(hash(1), 1), fate(1, claim));
    }

    #[test]
    fn play_money_above_the_limit_is_owed_to_nobody() {
        let mut counter = Counter::new(true);
        counter.wait(hash(1), 1);
        let above = Profile::singapore().voucher_limit.cents() + 1;
        assert_eq!(counter.receive(hash(1), above), fate(1, VoucherFate::PlayMoney));
    }

    #[test]
    fn the_oldest_callers_make_room() {
        let mut counter = Counter::new(false);
        for number in 0..10_000 {
            counter.wait(hash(number), u64::from(number));
        }
        assert_eq!(counter.awaited.waiting.len(), MAX_WAITING);
        assert_eq!(counter.receive(hash(0), 5_000), []);
        assert!(matches!(
            counter.receive(hash(9_999), 5_000)[..],
            [Effect::Voucher(CallerId(9_999), VoucherFate::Voucher(_))]
        ));
        assert_eq!(counter.awaited.waiting.len(), MAX_WAITING - 1);
    }
}

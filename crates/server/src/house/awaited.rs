//! Those who wait for the voucher of a cash-out: the cluster has accepted it, and its money is on the way to the House. What they
//! are told leaves as everything does, once the record holds it.

use std::collections::{BTreeMap, VecDeque};

use taisai_table::{Decision, House, HouseEvent, Purpose, Transfer, VoucherHash};
use tokio::sync::oneshot;

use crate::leaving::Said;
use crate::voucher::Became;

/// So many wait at most, each at a seat that has just been cashed out: then those who have waited longest wait no more.
const MOST: usize = 4_096;

/// So many that did not become vouchers are remembered for those who come to wait after their money.
const REMEMBERED: usize = 256;

/// Those who wait.
#[derive(Debug, Default)]
pub(super) struct Awaited {
    waiting: BTreeMap<VoucherHash, oneshot::Sender<Became>>,
    /// In the order in which they came; some have been answered.
    order: VecDeque<VoucherHash>,
    /// What became of the newest that are no vouchers, as nothing on file tells it.
    others: VecDeque<(VoucherHash, Became)>,
}

impl Awaited {
    /// Whether anybody waits.
    pub(super) fn is_any(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Someone waits; told at once if the money has arrived.
    pub(super) fn wait(&mut self, house: &House, hash: VoucherHash, reply: oneshot::Sender<Became>) -> Option<Said> {
        if let Some(became) = self.known(house, hash) {
            return Some(tell(reply, became));
        }
        self.make_room();
        // Whoever asked before about the same has asked again.
        if self.waiting.insert(hash, reply).is_none() {
            self.order.push_back(hash);
        }
        None
    }

    /// A transfer has arrived: whoever waits for its voucher is told.
    pub(super) fn arrived(
        &mut self,
        house: &House,
        transfer: &Transfer,
        decision: &Decision<HouseEvent>,
    ) -> Option<Said> {
        let hash = match transfer.purpose {
            Purpose::Voucher { number, .. } => number.hash,
            Purpose::Claim { .. } | Purpose::Receivable { .. } | Purpose::Credits { .. } | Purpose::Returned { .. } => {
                return None;
            }
        };
        let other = match decision {
            Decision::Accepted(HouseEvent::ClaimOpened { claim, amount, .. }) => {
                Some(Became::Claim { claim: *claim, amount: *amount })
            }
            Decision::Accepted(HouseEvent::PlayMoney) => Some(Became::PlayMoney),
            Decision::Accepted(_) | Decision::Refused(_) | Decision::Repeated(_) => None,
        };
        if let Some(other) = other {
            if self.others.len() == REMEMBERED {
                self.others.pop_front();
            }
            self.others.push_back((hash, other));
        }
        let became = self.known(house, hash)?;
        let reply = self.waiting.remove(&hash)?;
        Some(tell(reply, became))
    }

    fn known(&self, house: &House, hash: VoucherHash) -> Option<Became> {
        let other = self.others.iter().rev().find(|(known, _)| *known == hash).map(|(_, became)| *became);
        other.or_else(|| house.voucher(hash).copied().map(Became::Voucher))
    }

    /// Forgets those who have gone, and the oldest if more than half are left, so that it is not done again at once.
    fn make_room(&mut self) {
        if self.order.len() < MOST {
            return;
        }
        self.waiting.retain(|_, reply| !reply.is_closed());
        self.order.retain(|hash| self.waiting.contains_key(hash));
        for oldest in self.order.drain(..self.order.len().saturating_sub(MOST / 2)) {
            self.waiting.remove(&oldest);
        }
    }
}

fn tell(reply: oneshot::Sender<Became>, became: Became) -> Said {
    // Whoever waited may have gone.
    Said::Then(Box::new(move || reply.send(became).map_or_else(drop, drop)))
}

#[cfg(test)]
mod tests {
    use taisai_rules::Money;
    use taisai_table::{
        Actor, Asked, ClusterId, CommandId, Entry, HouseCommand, Profile, Seat, SessionId, TableId, Time, VoucherNumber,
    };

    use super::*;

    const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };

    /// A house with one table, real or for training.
    struct Counter {
        house: House,
        awaited: Awaited,
        sequence: u64,
    }

    impl Counter {
        fn new(training: bool) -> Self {
            let house = House::new(Profile::singapore(), false);
            let mut counter = Self { house, awaited: Awaited::default(), sequence: 0 };
            let clusters = std::num::NonZeroU16::MIN;
            counter.ask(HouseCommand::AddTable { table: TableId(1), clusters, training, second: None });
            counter
        }

        fn ask(&mut self, command: HouseCommand) -> Decision<HouseEvent> {
            self.sequence += 1;
            let id = CommandId { source: 0, sequence: self.sequence };
            let asked = Asked { time: Time(1_000), actor: Actor::System, id, command };
            let decision = self.house.decide(&asked);
            let Decision::Accepted(event) = &decision else { panic!("{decision:?}") };
            self.house.apply(&Entry { asked, outcome: Ok(event.clone()) });
            decision
        }

        /// The money of a voucher arrives.
        fn arrives(&mut self, hash: VoucherHash, cents: i64) {
            let number = self.house.received(CLUSTER) + 1;
            let purpose =
                Purpose::Voucher { seat: Seat(2), session: SessionId(1), number: VoucherNumber { hash, digits: 7 } };
            let transfer = Transfer { number, amount: Money::from_cents(cents), purpose };
            let decision = self.ask(HouseCommand::Receive { cluster: CLUSTER, transfer });
            self.awaited.arrived(&self.house, &transfer, &decision).map(leave).unwrap_or_default();
        }

        fn wait(&mut self, hash: VoucherHash) -> oneshot::Receiver<Became> {
            let (reply, became) = oneshot::channel();
            self.awaited.wait(&self.house, hash, reply).map(leave).unwrap_or_default();
            became
        }
    }

    fn leave(said: Said) {
        let Said::Then(then) = said else { panic!("something else is said") };
        then();
    }

    fn hash(number: u16) -> VoucherHash {
        let mut hash = [0; 32];
        hash[..2].copy_from_slice(&number.to_le_bytes());
        VoucherHash(hash)
    }

    #[test]
    fn whoever_waits_is_told_when_the_money_arrives_and_whoever_comes_later_at_once() {
        let mut counter = Counter::new(false);
        let mut early = counter.wait(hash(1));
        let mut other = counter.wait(hash(2));
        assert!(early.try_recv().is_err());
        counter.arrives(hash(1), 5_000);
        let voucher = *counter.house.voucher(hash(1)).unwrap();
        assert_eq!(early.try_recv(), Ok(Became::Voucher(voucher)));
        assert_eq!(counter.wait(hash(1)).try_recv(), Ok(Became::Voucher(voucher)));
        assert!(other.try_recv().is_err());
    }

    #[test]
    fn a_voucher_that_became_a_claim_is_told_as_one() {
        let mut counter = Counter::new(false);
        let mut early = counter.wait(hash(1));
        let above = Profile::singapore().voucher_limit.cents() + 1;
        counter.arrives(hash(1), above);
        let Ok(Became::Claim { claim, amount }) = early.try_recv() else { panic!() };
        assert_eq!(amount.cents(), above);
        assert_eq!(counter.wait(hash(1)).try_recv(), Ok(Became::Claim { claim, amount }));
    }

    /// A number that is on file already is never given out twice: the second is a claim, and is told as one.
    #[test]
    fn a_number_that_was_used_before_does_not_show_the_other_voucher() {
        let mut counter = Counter::new(false);
        counter.arrives(hash(1), 5_000);
        counter.arrives(hash(1), 6_000);
        assert!(
            matches!(counter.wait(hash(1)).try_recv(), Ok(Became::Claim { amount, .. }) if amount.cents() == 6_000)
        );
    }

    #[test]
    fn play_money_is_told() {
        let mut counter = Counter::new(true);
        let mut early = counter.wait(hash(1));
        counter.arrives(hash(1), Profile::singapore().voucher_limit.cents() + 1);
        assert_eq!(early.try_recv(), Ok(Became::PlayMoney));
    }

    #[test]
    fn those_who_have_gone_make_room_and_the_number_of_those_who_wait_is_bounded() {
        let mut counter = Counter::new(false);
        let mut first = counter.wait(hash(0));
        for number in 1..10_000 {
            drop(counter.wait(hash(number)));
        }
        assert!(counter.awaited.order.len() <= MOST && counter.awaited.waiting.len() <= MOST);
        counter.arrives(hash(0), 5_000);
        assert!(
            matches!(first.try_recv(), Ok(Became::Voucher(_))),
            "those who stay are not forgotten for those who go"
        );
        let mut stay: Vec<_> = (10_000..20_000).map(|number| counter.wait(hash(number))).collect();
        assert!(counter.awaited.order.len() <= MOST && counter.awaited.waiting.len() <= MOST);
        counter.arrives(hash(19_999), 5_000);
        assert!(matches!(stay.pop().unwrap().try_recv(), Ok(Became::Voucher(_))));
    }
}

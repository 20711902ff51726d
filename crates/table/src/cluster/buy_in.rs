//! Buy-ins by a person: each has a receipt, and two people may reverse the last one of a session while its free credits cover it.

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use crate::cluster::decide::ClusterDecision;
use crate::cluster::{Cluster, ClusterEvent, PlayerNotice, less, sum};
use crate::identity::{Actor, Person, PersonId, Receipt, Seat, SessionId, Time};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::{MAX_REASON_LENGTH, check_text};

/// The last buy-in of a session that a person has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuyIn {
    pub session: SessionId,
    pub receipt: Receipt,
    pub amount: Money,
    /// Who took the cash.
    pub by: PersonId,
    pub time: Time,
    pub is_reversed: bool,
}

impl Cluster {
    /// The last buy-in that a person has taken for the open session of a seat.
    pub fn last_buy_in(&self, seat: Seat) -> Option<&BuyIn> {
        let session = self.session(seat)?;
        self.state.buy_ins.get(&seat).filter(|buy_in| buy_in.session == session)
    }

    /// A buy-in is reversed once, in its session, and only with free credits: bets on the layout stay.
    pub(super) fn reverse_buy_in(
        &self,
        (actor, second): (Actor, Option<Person>),
        seat: Seat,
        receipt: Receipt,
        why: &str,
    ) -> ClusterDecision {
        self.profile.check(Act::ReverseBuyIn, actor, second)?;
        let state = self.seat_in_session(seat)?;
        let known = self.last_buy_in(seat).filter(|known| known.receipt == receipt && !known.is_reversed);
        let amount = known.ok_or(Refusal::UnknownBuyIn)?.amount;
        if amount > state.credits {
            return Err(Refusal::NotEnoughCredits);
        }
        check_text(why, MAX_REASON_LENGTH)?;
        Ok(ClusterEvent::BuyInReversed { amount })
    }

    pub(super) fn bought_in(&mut self, actor: Actor, time: Time, seat: Seat, amount: Money, receipt: Receipt) {
        self.state.ledger.cash = less(self.state.ledger.cash, amount);
        self.credit(seat, amount);
        self.state.receipts = receipt.0;
        let by = actor.person().expect("a person takes cash").id;
        let session = self.session(seat).expect("a buy-in belongs to a session");
        self.state.buy_ins.insert(seat, BuyIn { session, receipt, amount, by, time, is_reversed: false });
    }

    /// Gives the cash back and removes the buy-in from the books and meters.
    pub(super) fn buy_in_reversed(&mut self, seat: Seat, receipt: Receipt, amount: Money) {
        self.state.ledger.cash = sum(self.state.ledger.cash, amount);
        self.meter(seat, |meters| meters.bought_in = less(meters.bought_in, amount));
        let state = self.seat_mut(seat);
        state.credits = less(state.credits, amount);
        self.state.buy_ins.get_mut(&seat).expect("the buy-in was found").is_reversed = true;
        self.notify_player(seat, PlayerNotice::BuyInReversed { receipt, amount });
    }
}

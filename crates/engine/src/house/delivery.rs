//! What the House sends to clusters. Transfers are sent again until the cluster holds them; the money of a seat is a view that is
//! sent a few times, as another node may have lost it.

use std::collections::BTreeMap;

use taisai_table::{ClusterId, House, Seat, TableId, Time};

use super::seat_money::SeatMoney;
use crate::effect::Effects;
use crate::message::Message;
use crate::planted::{Mistake, makes};
use crate::timer::RETRY_INTERVAL;

/// How often the money of a seat is sent after a change.
const SEAT_MONEY_SENDS: u8 = 4;

/// What clusters were sent.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// The newest transfer that a cluster was sent since the last retry.
    sent: BTreeMap<ClusterId, u64>,
    /// Seats whose money is to be sent, and how many times.
    due: BTreeMap<(ClusterId, Seat), u8>,
    /// Those that are sent again at the next retry.
    repeats: BTreeMap<(ClusterId, Seat), u8>,
    retry_at: Option<Time>,
}

impl Delivery {
    /// The money of seats may have changed.
    pub(super) fn seats_changed(&mut self, seats: impl IntoIterator<Item = (ClusterId, Seat)>) {
        self.due.extend(seats.into_iter().map(|seat| (seat, SEAT_MONEY_SENDS)));
    }

    pub(super) const fn next_timer(&self) -> Option<Time> {
        self.retry_at
    }

    /// Has everything sent again that may be lost, if it is time.
    pub(super) fn retry(&mut self, now: Time) {
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
            if !makes(Mistake::CreditsNotSentAgain) {
                self.sent.clear();
            }
            for (seat, times) in std::mem::take(&mut self.repeats) {
                self.due.entry(seat).or_insert(times);
            }
        }
    }

    pub(super) fn send(&mut self, now: Time, house: &House, effects: &mut Effects) {
        let is_sent = self.send_seats(house, effects) | self.send_transfers(house, effects);
        if is_sent && self.retry_at.is_none() {
            self.retry_at = Some(RETRY_INTERVAL.after(now));
        }
    }

    /// `true` if any are sent again later.
    fn send_seats(&mut self, house: &House, effects: &mut Effects) -> bool {
        for ((cluster, seat), times) in std::mem::take(&mut self.due) {
            let money = Box::new(SeatMoney::of(house, cluster, seat));
            effects.send(Message::SeatMoney { cluster, seat, money });
            if times > 1 {
                self.repeats.insert((cluster, seat), times - 1);
            }
        }
        !self.repeats.is_empty()
    }

    /// `true` if there were any.
    fn send_transfers(&mut self, house: &House, effects: &mut Effects) -> bool {
        let mut is_sent = false;
        for cluster in house.tables().flat_map(|(table, of)| clusters(table, of.clusters.get())) {
            let before = self.sent.get(&cluster).copied().unwrap_or_default();
            for transfer in house.outbox(cluster).filter(|transfer| transfer.number > before) {
                effects.send(Message::ToCluster { cluster, transfer: *transfer });
                self.sent.insert(cluster, transfer.number);
                is_sent = true;
            }
        }
        is_sent
    }
}

fn clusters(table: TableId, clusters: u16) -> impl Iterator<Item = ClusterId> {
    (0..clusters).map(move |number| ClusterId { table, number })
}

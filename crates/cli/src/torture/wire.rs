//! What passes between the machines: notices, reports and transfers. Each arrives late, twice, out of order or with a wrong
//! slip, and must change nothing unless it is the next one.

use std::mem::{Discriminant, discriminant};

use taisai_rules::Money;
use taisai_table::{ClusterId, Message, Purpose, Refusal, Seat, SlipLine, Verdict};

use super::failure::{Failure, Held, ensure};
use super::hall::Hall;
use super::tally::Fault;

/// After so many steps a message counts as delayed.
const LATE: u32 = 6;
/// So many messages that were taken are kept to be sent again.
const KEPT: usize = 8;

/// Messages of one kind for one cluster keep their order.
fn way(message: &Message) -> (ClusterId, Discriminant<Message>) {
    (message.cluster(), discriminant(message))
}

impl Hall<'_> {
    /// Something is left where it is for this step.
    pub(super) fn wait(&mut self) {
        if self.floor.waiting().next().is_some() {
            self.waited += 1;
        }
    }

    /// Carries one message that is next on its way, of any way; `false` if there is none.
    pub(super) fn carry(&mut self) -> Held<bool> {
        let waiting: Vec<_> = self.floor.waiting().collect();
        let is_next = |place: &usize| waiting[..*place].iter().all(|before| way(before) != way(&waiting[*place]));
        let next: Vec<_> = (0..waiting.len()).filter(is_next).collect();
        if next.is_empty() {
            return Ok(false);
        }
        if std::mem::take(&mut self.waited) >= LATE {
            self.tally.fault(Fault::MessageDelayed);
        }
        let message = &waiting[self.chance.pick(&next)];
        if self.chance.one_in(4) {
            self.wrong_slip(message)?;
        }
        let told = self.deliver(message)?;
        ensure("a message that is next is taken", told == Verdict::Accepted, || format!("{told:?}: {message:?}"))?;
        if let Message::ToHouse { transfer, .. } = message
            && let Purpose::Voucher { number, .. } = transfer.purpose
            && self.house().voucher(number.hash).is_some()
        {
            self.carry_about(number.hash);
        }
        if !matches!(message, Message::Followed { .. }) {
            self.delivered.truncate(KEPT - 1);
            self.delivered.push_front(message.clone());
        }
        Ok(true)
    }

    /// Carries until nothing waits.
    pub(super) fn carry_all(&mut self) -> Held {
        while self.carry()? {}
        Ok(())
    }

    fn deliver(&mut self, message: &Message) -> Held<Verdict> {
        let time = self.time;
        let told = self.watched(message, |floor| floor.deliver(message.clone(), time))?;
        told.ok_or_else(|| Failure::new("a message for nobody waited"))
    }

    /// A correction with a slip that is not the round's is not followed.
    fn wrong_slip(&mut self, message: &Message) -> Held {
        let mut message = message.clone();
        let Message::Notice { slip, .. } = &mut message else { return Ok(()) };
        let Some(line) = slip.as_mut().and_then(|slip| slip.lines.first_mut()) else { return Ok(()) };
        *line = match self.chance.below(3) {
            0 => SlipLine { units: line.units + 1, ..*line },
            1 => SlipLine { counted: line.counted + 1, ..*line },
            _ => SlipLine { seat: Seat(line.seat.0 + 1), ..*line },
        };
        if self.chance.percent(30) {
            *slip = None;
        }
        self.refused(Fault::WrongSlip, &message, Refusal::SlipDiffers)
    }

    /// A message that was taken before arrives once more, under a new id.
    pub(super) fn repeat_a_message(&mut self) -> Held {
        if self.delivered.is_empty() {
            return Ok(());
        }
        let place = self.chance.place(self.delivered.len());
        let message = self.delivered[place].clone();
        self.refused(Fault::MessageRepeated, &message, Refusal::OutOfOrder)
    }

    /// A message overtakes the one before it; where none has another behind it, one comes from the future.
    pub(super) fn overtake(&mut self) -> Held {
        let waiting: Vec<_> = self.floor.waiting().collect();
        let is_behind = |place: &usize| waiting[..*place].iter().any(|before| way(before) == way(&waiting[*place]));
        let behind: Vec<_> = (0..waiting.len()).filter(is_behind).collect();
        let later = 2 + self.chance.below(1_000);
        let (cluster, kind) = (self.at, self.chance.below(3));
        let message = match (behind.is_empty(), kind) {
            (false, _) => waiting[self.chance.pick(&behind)].clone(),
            (true, 0) => Message::ClusterHolds { cluster, number: self.house().sent(cluster) + later },
            (true, 1) => Message::HouseHolds { cluster, number: self.house().received(cluster) + later },
            (true, _) => {
                let followed = self.cluster().followed() + later;
                Message::Followed { cluster, followed, colour_chips: Money::ZERO, is_registered: false }
            }
        };
        self.refused(Fault::MessageOutOfOrder, &message, Refusal::OutOfOrder)
    }

    fn refused(&mut self, fault: Fault, message: &Message, refusal: Refusal) -> Held {
        self.tally.fault(fault);
        let told = self.deliver(message)?;
        ensure("a message that is not the next is refused", told == Verdict::Refused(refusal), || {
            format!("{told:?}: {message:?}")
        })
    }
}

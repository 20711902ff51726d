//! What passes between the machines: notices, reports and transfers. Each arrives late, twice or out of order, and must change
//! nothing unless it is the next one.

use taisai_table::{
    Actor, ClusterCommand, HouseCommand, Notice, Refusal, RoundCommand, RoundNumber, Slip, SlipLine, Transfer,
};

use super::failure::{Held, ensure};
use super::hall::Hall;
use super::machines::CLUSTER;
use super::tally::Fault;

/// Since how many steps something has waited to be carried.
#[derive(Default)]
pub(super) struct Waiting {
    steps: u32,
}

/// After so many steps a message counts as delayed.
const LATE: u32 = 6;

/// A way from one machine to another.
#[derive(Clone, Copy)]
enum Way {
    Notice,
    Report,
    ToHouse,
    HouseHolds,
    ToCluster,
    ClusterHolds,
}

impl Hall<'_> {
    /// Something is left where it is for this step.
    pub(super) fn wait(&mut self) {
        if self.ways().next().is_some() {
            self.waiting.steps += 1;
        }
    }

    /// Carries one message that is waiting, of any way; `false` if there is none.
    pub(super) fn carry(&mut self) -> Held<bool> {
        let ways: Vec<_> = self.ways().collect();
        if ways.is_empty() {
            return Ok(false);
        }
        if std::mem::take(&mut self.waiting.steps) >= LATE {
            self.tally.fault(Fault::MessageDelayed);
        }
        match self.chance.pick(&ways) {
            Way::Notice => self.next_notice()?,
            Way::Report => self.report()?,
            Way::ToHouse => self.next_to_house()?,
            Way::HouseHolds => {
                let number = self.machines.house.received(CLUSTER);
                let oldest = self.machines.cluster.outbox().next().map_or(number, |transfer| transfer.number);
                self.must_cluster(ClusterCommand::Delivered { number: oldest })?;
            }
            Way::ToCluster => {
                let received = self.machines.cluster.received();
                let next = self.machines.house.outbox(CLUSTER).find(|transfer| transfer.number > received).copied();
                if let Some(transfer) = next {
                    self.must_cluster(ClusterCommand::Receive { transfer })?;
                }
            }
            Way::ClusterHolds => {
                let oldest = self.machines.house.outbox(CLUSTER).next().map_or(0, |transfer| transfer.number);
                let told =
                    self.ask_house(Actor::System, HouseCommand::Delivered { cluster: CLUSTER, number: oldest })?;
                ensure("a message that is next is taken", told.is_ok(), || format!("{told:?}"))?;
            }
        }
        Ok(true)
    }

    /// Carries until nothing waits.
    pub(super) fn carry_all(&mut self) -> Held {
        while self.carry()? {}
        Ok(())
    }

    fn ways(&self) -> impl Iterator<Item = Way> + use<> {
        let (round, cluster, house) = (&self.machines.round, &self.machines.cluster, &self.machines.house);
        let followed = cluster.followed();
        let reported = round.reported(CLUSTER) == Some((followed, cluster.colour_chips()));
        let (received, taken) = (cluster.received(), house.received(CLUSTER));
        let ways = [
            round.notices(CLUSTER).any(|(number, _)| number > followed).then_some(Way::Notice),
            (!reported).then_some(Way::Report),
            cluster.outbox().any(|transfer| transfer.number > taken).then_some(Way::ToHouse),
            cluster.outbox().next().is_some_and(|oldest| oldest.number <= taken).then_some(Way::HouseHolds),
            house.outbox(CLUSTER).any(|transfer| transfer.number > received).then_some(Way::ToCluster),
            house.outbox(CLUSTER).next().is_some_and(|oldest| oldest.number <= received).then_some(Way::ClusterHolds),
        ];
        ways.into_iter().flatten()
    }

    fn next_notice(&mut self) -> Held {
        let followed = self.machines.cluster.followed();
        let next = self.machines.round.notices(CLUSTER).find(|(number, _)| *number > followed);
        let Some((number, notice)) = next.map(|(number, notice)| (number, notice.clone())) else { return Ok(()) };
        let slip = about(&notice).and_then(|round| self.slip(round)).cloned();
        if slip.is_some() && self.chance.one_in(4) {
            self.wrong_slip(number, &notice, slip.clone())?;
        }
        self.must_cluster(ClusterCommand::Follow { number, notice, slip })
    }

    /// A correction with a slip that is not the round's is not followed.
    fn wrong_slip(&mut self, number: u64, notice: &Notice, slip: Option<Slip>) -> Held {
        self.tally.fault(Fault::WrongSlip);
        let Some(mut wrong) = slip else { return Ok(()) };
        let Some(line) = wrong.lines.first_mut() else { return Ok(()) };
        *line = match self.chance.below(3) {
            0 => SlipLine { units: line.units + 1, ..*line },
            1 => SlipLine { counted: line.counted + 1, ..*line },
            _ => SlipLine { seat: taisai_table::Seat(line.seat.0 + 1), ..*line },
        };
        let slip = self.chance.percent(70).then_some(wrong);
        let told = self.ask_cluster(Actor::System, ClusterCommand::Follow { number, notice: notice.clone(), slip })?;
        ensure("a slip that differs is refused", told == Err(Refusal::SlipDiffers), || format!("{told:?}"))
    }

    fn report(&mut self) -> Held {
        let (followed, colour_chips) = (self.machines.cluster.followed(), self.machines.cluster.colour_chips());
        let command = RoundCommand::Report { cluster: CLUSTER, followed, colour_chips };
        let told = self.ask_round(Actor::System, command)?;
        ensure("a message that is next is taken", told.is_ok(), || format!("{told:?}"))
    }

    fn next_to_house(&mut self) -> Held {
        let taken = self.machines.house.received(CLUSTER);
        let next = self.machines.cluster.outbox().find(|transfer| transfer.number > taken).copied();
        let Some(transfer) = next else { return Ok(()) };
        let told = self.ask_house(Actor::System, HouseCommand::Receive { cluster: CLUSTER, transfer })?;
        ensure("a message that is next is taken", told.is_ok(), || format!("{told:?}"))?;
        self.print_voucher(&transfer);
        Ok(())
    }

    fn must_cluster(&mut self, command: ClusterCommand) -> Held {
        let told = self.ask_cluster(Actor::System, command)?;
        ensure("a message that is next is taken", told.is_ok(), || format!("{told:?}"))
    }

    pub(super) fn slip(&self, round: RoundNumber) -> Option<&Slip> {
        self.slips.iter().find(|(number, _)| *number == round).map(|(_, slip)| slip)
    }

    /// A message that was taken before arrives once more, under a new id.
    pub(super) fn repeat_a_message(&mut self) -> Held {
        let (cluster, house) = (&self.machines.cluster, &self.machines.house);
        let taken = house.received(CLUSTER);
        let sent = cluster.outbox().find(|transfer| transfer.number <= taken).copied();
        let back = house.outbox(CLUSTER).find(|transfer| transfer.number <= cluster.received()).copied();
        let followed = cluster.followed();
        let noticed = self.machines.round.notices(CLUSTER).find(|(number, _)| *number <= followed);
        let noticed = noticed.map(|(number, notice)| (number, notice.clone()));
        let mut refused = Vec::new();
        if let Some(transfer) = sent {
            refused.push(self.ask_house(Actor::System, HouseCommand::Receive { cluster: CLUSTER, transfer })?.err());
        }
        if let Some(transfer) = back {
            refused.push(self.ask_cluster(Actor::System, ClusterCommand::Receive { transfer })?.err());
        }
        if let Some((number, notice)) = noticed {
            let slip = about(&notice).and_then(|round| self.slip(round)).cloned();
            refused.push(self.ask_cluster(Actor::System, ClusterCommand::Follow { number, notice, slip })?.err());
        }
        self.all_out_of_order(Fault::MessageRepeated, &refused)
    }

    /// A message overtakes the one before it.
    pub(super) fn overtake(&mut self) -> Held {
        let (cluster, house) = (&self.machines.cluster, &self.machines.house);
        let (followed, taken, received) = (cluster.followed(), house.received(CLUSTER), cluster.received());
        let notice = self.machines.round.notices(CLUSTER).find(|(number, _)| *number > followed + 1);
        let notice = notice.map(|(number, notice)| (number, notice.clone()));
        let sent = cluster.outbox().find(|transfer| transfer.number > taken + 1).copied();
        let back = house.outbox(CLUSTER).find(|transfer| transfer.number > received + 1).copied();
        let mut refused = Vec::new();
        if let Some((number, notice)) = notice {
            refused.push(self.ask_cluster(Actor::System, ClusterCommand::Follow { number, notice, slip: None })?.err());
        }
        if let Some(transfer) = sent {
            refused.push(self.ask_house(Actor::System, HouseCommand::Receive { cluster: CLUSTER, transfer })?.err());
            let number = transfer.number;
            refused.push(self.ask_cluster(Actor::System, ClusterCommand::Delivered { number })?.err());
        }
        if let Some(transfer) = back {
            refused.push(self.ask_cluster(Actor::System, ClusterCommand::Receive { transfer })?.err());
        }
        if refused.is_empty() {
            // Nothing has a second one behind it: messages from the past and the future.
            let number = self.machines.cluster.received() + 2 + self.chance.below(3);
            refused.push(self.ask_house(Actor::System, HouseCommand::Delivered { cluster: CLUSTER, number })?.err());
            let command = RoundCommand::Report {
                cluster: CLUSTER,
                followed: followed + 1_000,
                colour_chips: taisai_rules::Money::ZERO,
            };
            refused.push(self.ask_round(Actor::System, command)?.err());
        }
        self.all_out_of_order(Fault::MessageOutOfOrder, &refused)
    }

    fn all_out_of_order(&mut self, fault: Fault, refused: &[Option<Refusal>]) -> Held {
        for refusal in refused {
            self.tally.fault(fault);
            ensure("a message that is not the next is refused", *refusal == Some(Refusal::OutOfOrder), || {
                format!("{refusal:?}")
            })?;
        }
        Ok(())
    }

    /// A voucher that the House has issued goes to its player.
    fn print_voucher(&mut self, transfer: &Transfer) {
        if let taisai_table::Purpose::Voucher { number, .. } = transfer.purpose
            && self.machines.house.voucher(number.hash).is_some()
        {
            self.carry_about(number.hash);
        }
    }
}

/// The round that a notice is about, where that round may be over.
const fn about(notice: &Notice) -> Option<RoundNumber> {
    match notice {
        Notice::Voided { round, .. } | Notice::Corrected { round, .. } => Some(*round),
        Notice::TableOpened
        | Notice::TableClosed
        | Notice::Limits { .. }
        | Notice::Opened { .. }
        | Notice::Closed { .. }
        | Notice::Result { .. }
        | Notice::Held
        | Notice::Resumed => None,
    }
}

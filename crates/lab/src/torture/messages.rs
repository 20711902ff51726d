//! What passes between the partitions: notices, reports, transfers and views. Each arrives late, twice, out of order or with a
//! wrong slip, and must change nothing unless it is the next one.

use std::mem::{Discriminant, discriminant};

use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_engine::Message;
use taisai_table::{
    Actor, ClusterCommand, ClusterId, HouseCommand, MachineEntry, MachineId, Notice, Refusal, RoundCommand, Seat,
    SlipLine, TransferPurpose, Verdict,
};

use super::casino::SimulatedCasino;
use super::coverage::PlayFault;

/// Steps after which a message counts as delayed.
const DELAYED_AFTER_STEPS: u32 = 6;
/// How many delivered messages are kept to be delivered again.
const KEPT: usize = 8;

/// Messages of one kind from one partition to another keep their order.
type MessageRoute = (Discriminant<Message>, MachineId, MachineId);

const fn route(message: &Message) -> MessageRoute {
    (discriminant(message), message.from(), message.to())
}

impl SimulatedCasino<'_> {
    /// Something is left where it is for this step.
    pub(super) fn wait(&mut self) {
        if self.installation.waiting().any(Message::is_recorded) {
            self.waited += 1;
        }
    }

    /// Delivers one message that is next on its way, of any way; `false` if there is none.
    pub(super) fn deliver_next(&mut self) -> CheckResult<bool> {
        self.show()?;
        self.drop_copies();
        let routes = self.routes();
        let next: Vec<_> = (0..routes.len()).filter(|place| !routes[..*place].contains(&routes[*place])).collect();
        if next.is_empty() {
            return Ok(false);
        }
        if std::mem::take(&mut self.waited) >= DELAYED_AFTER_STEPS {
            self.coverage.fault(PlayFault::MessageDelayed);
        }
        let place = self.random.pick(&next);
        let message = self.installation.take_waiting(place).ok_or_else(|| RunFailure::new("no message waits there"))?;
        if let Message::Notice { cluster, number, notice } = &message
            && self.is_next(&message)
            && self.random.one_in(4)
        {
            self.wrong_slip(*cluster, *number, notice)?;
        }
        self.deliver(&message)?;
        if let Message::ToHouse { transfer, .. } = &message
            && let TransferPurpose::Voucher { number, .. } = transfer.purpose
            && self.house().voucher(number.hash).is_some()
        {
            self.keep_voucher(number.hash);
        }
        self.delivered.truncate(KEPT - 1);
        self.delivered.push_front(message);
        Ok(true)
    }

    /// Carries until nothing waits.
    pub(super) fn deliver_all(&mut self) -> CheckResult {
        while self.deliver_next()? {}
        Ok(())
    }

    /// Delivers what is not recorded. Of views the newest is enough: some are lost.
    fn show(&mut self) -> CheckResult {
        let mut place = 0;
        while place < self.installation.waiting().len() {
            if self.installation.waiting().nth(place).is_none_or(Message::is_recorded) {
                place += 1;
                continue;
            }
            let Some(message) = self.installation.take_waiting(place) else { return Ok(()) };
            if !(message.is_view() && self.random.percent(75)) {
                self.deliver(&message)?;
            }
        }
        Ok(())
    }

    /// What partitions send again while the first still waits is lost. The newest report of a cluster tells all that those before
    /// it tell.
    fn drop_copies(&mut self) {
        let (routes, waiting) = (self.routes(), self.installation.waiting().collect::<Vec<_>>());
        let is_copy = |place: &usize| match waiting[*place] {
            Message::Followed { .. } => routes[place + 1..].contains(&routes[*place]),
            message => (0..*place).any(|before| routes[before] == routes[*place] && waiting[before] == message),
        };
        let copies: Vec<_> = (0..waiting.len()).filter(is_copy).collect();
        for place in copies.into_iter().rev() {
            self.installation.take_waiting(place);
        }
    }

    /// The routes of the messages that wait.
    fn routes(&self) -> Vec<MessageRoute> {
        self.installation.waiting().map(route).collect()
    }

    fn is_next(&self, message: &Message) -> bool {
        let reports = if let Message::Followed { cluster, .. } = message { Some(*cluster) } else { None };
        let held_report = reports.and_then(|cluster| self.installation.held_report(cluster));
        message.is_next(self.installation.machines(), held_report)
    }

    /// What is next is taken; nothing is recorded of anything else.
    fn deliver(&mut self, message: &Message) -> CheckResult {
        let (is_next, from) = (self.is_next(message), self.checked);
        self.watched(message, |installation| installation.deliver(message.clone()))?;
        let first = self.installation.record.get(from);
        if is_next {
            let is_taken = first.is_some_and(|first| accepted_by(first) == Some(message.to()));
            return ensure("a message that is next is taken", is_taken, || format!("{message:?}: {first:?}"));
        }
        ensure("a message that is not the next is not recorded", first.is_none(), || format!("{message:?}: {first:?}"))
    }

    /// A correction with a slip that is not the round's is not followed.
    fn wrong_slip(&mut self, cluster: ClusterId, number: u64, notice: &Notice) -> CheckResult {
        let over = notice.stands().map(|(round, _)| round);
        let Some(mut slip) = over.and_then(|round| self.installation.slip(cluster, round)).cloned() else {
            return Ok(());
        };
        let Some(line) = slip.lines.first_mut() else { return Ok(()) };
        *line = match self.random.below(3) {
            0 => SlipLine { units: line.units + 1, ..*line },
            1 => SlipLine { counted: line.counted + 1, ..*line },
            _ => SlipLine { seat: Seat(line.seat.0 + 1), ..*line },
        };
        let slip = (!self.random.percent(30)).then_some(slip);
        self.coverage.fault(PlayFault::WrongSlip);
        let at = std::mem::replace(&mut self.at, cluster);
        let follow = ClusterCommand::Follow { number, notice: notice.clone(), slip };
        let refusal = self.ask_cluster(Actor::System, follow)?.err();
        self.at = at;
        ensure("a wrong slip is refused", refusal == Some(Refusal::SlipDiffers), || format!("{refusal:?}: {notice:?}"))
    }

    /// A message that was delivered before arrives once more.
    pub(super) fn repeat_a_message(&mut self) -> CheckResult {
        if self.delivered.is_empty() {
            return Ok(());
        }
        let place = self.random.index(self.delivered.len());
        let message = self.delivered[place].clone();
        self.changes_nothing(PlayFault::MessageRepeated, &message)
    }

    /// A message overtakes the one before it; where none has another behind it, one comes from the future.
    pub(super) fn overtake(&mut self) -> CheckResult {
        self.drop_copies();
        let (routes, waiting) = (self.routes(), self.installation.waiting().collect::<Vec<_>>());
        let is_behind = |place: &usize| {
            let has_before = routes[..*place].contains(&routes[*place]);
            has_before && waiting[*place].is_recorded() && !self.is_next(waiting[*place])
        };
        let behind: Vec<_> = (0..waiting.len()).filter(is_behind).collect();
        let later = 2 + self.random.below(1_000);
        let (cluster, kind) = (self.at, self.random.below(4));
        let message = match (behind.is_empty(), kind) {
            (false, _) => waiting[self.random.pick(&behind)].clone(),
            (true, 0) => Message::ClusterHolds { cluster, number: self.house().sent(cluster) + later },
            (true, 1) => Message::HouseHolds { cluster, number: self.house().received(cluster) + later },
            (true, _) => return self.ask_too_early(later),
        };
        self.changes_nothing(PlayFault::MessageOutOfOrder, &message)
    }

    /// The machines themselves refuse what is not the next.
    fn ask_too_early(&mut self, later: u64) -> CheckResult {
        self.coverage.fault(PlayFault::MessageOutOfOrder);
        let cluster = self.at;
        let verdict = match self.random.below(3) {
            0 => {
                self.let_clusters_follow()?;
                let (followed, colour_chips, is_registered) = self.cluster().reports();
                let followed = followed + later;
                let report = RoundCommand::Report { cluster, followed, colour_chips, is_registered };
                let request = self.request(Actor::System, report);
                self.decide_round(&request)?.verdict()
            }
            1 => {
                let number = self.house().sent(cluster) + later;
                let request = self.request(Actor::System, HouseCommand::Delivered { cluster, number });
                self.send_house(&request)?.verdict()
            }
            _ => {
                let number = self.cluster().followed() + later;
                let follow = ClusterCommand::Follow { number, notice: Notice::Held, slip: None };
                let request = self.request(Actor::System, follow);
                self.send_cluster(&request)?.verdict()
            }
        };
        let is_refused = verdict == Verdict::Refused(Refusal::OutOfOrder);
        ensure("what is not the next is refused", is_refused, || format!("{verdict:?}"))
    }

    fn changes_nothing(&mut self, fault: PlayFault, message: &Message) -> CheckResult {
        self.coverage.fault(fault);
        ensure("a message that was taken is not the next", !self.is_next(message), || format!("{message:?}"))?;
        self.deliver(message)?;
        self.partitions_are_as_recorded()
    }
}

/// The machine of an entry, if it accepted the command.
fn accepted_by(recorded: &MachineEntry) -> Option<MachineId> {
    match recorded {
        MachineEntry::Round(table, entry) => entry.outcome.is_ok().then_some(MachineId::Round(*table)),
        MachineEntry::Cluster(cluster, entry) => entry.outcome.is_ok().then_some(MachineId::Cluster(*cluster)),
        MachineEntry::House(entry) => entry.outcome.is_ok().then_some(MachineId::House),
    }
}

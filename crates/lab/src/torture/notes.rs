//! Notes (F86): players put them into the acceptors of their terminals, good ones and others; acceptors repeat themselves and count
//! their stackers; staff empty these and count well or badly. Terminals try it by themselves.

use taisai::replay::failure::{CheckResult, ensure};
use taisai_rules::Money;
use taisai_table::{Actor, ClusterCommand, DeviceId, Seat};

use super::casino::{CASHIER, SimulatedCasino, by};
use super::coverage::PlayFault;

impl SimulatedCasino<'_> {
    /// The note acceptor at a seat; in a casino without any, a device that says to be one.
    pub(super) fn acceptor(&self, seat: Seat) -> Actor {
        let device = self.house().acceptor_at(self.at, seat).unwrap_or(DeviceId(0));
        Actor::NoteAcceptor { device, seat }
    }

    pub(super) fn insert_note(&mut self, seat: Seat) -> CheckResult {
        let notes = &self.setup.profile.notes;
        let known = if notes.is_empty() { Money::from_cents(1_000) } else { self.random.pick(notes) };
        let amount = match self.random.below(12) {
            0 => Money::from_cents(self.random.signed(-5, 20) * 1_000 + 1),
            _ => known,
        };
        let command = ClusterCommand::AcceptNote { seat, amount };
        if self.random.one_in(12) {
            let terminal = self.terminal(seat);
            let answer = self.ask_cluster(terminal, command)?;
            return ensure("a terminal makes no credits", answer.is_err(), || format!("{amount} at seat {}", seat.0));
        }
        let request = self.request(self.acceptor(seat), command);
        self.send_cluster(&request)?;
        if self.random.one_in(6) {
            self.coverage.fault(PlayFault::CommandSentAgain);
            self.send_cluster(&request)?;
        }
        Ok(())
    }

    /// A stacker is counted by its acceptor, or emptied by the cashier; now and then the count is wrong.
    pub(super) fn see_to_a_stacker(&mut self) -> CheckResult {
        let stackers: Vec<_> = self.cluster().stackers().map(|(acceptor, stacker)| (acceptor, *stacker)).collect();
        if stackers.is_empty() {
            return Ok(());
        }
        let (acceptor, stacker) = self.random.pick(&stackers);
        let is_wrong = self.random.one_in(3);
        if self.random.percent(50) {
            let (seat, notes) = (stacker.seat, stacker.notes + u32::from(is_wrong));
            let actor = Actor::NoteAcceptor { device: acceptor, seat };
            return self.try_cluster(actor, ClusterCommand::CountStacker { seat, notes });
        }
        let (notes, amount) = match (is_wrong, stacker.notes) {
            (false, _) => (stacker.notes, stacker.amount),
            (true, 0) => (1, Money::from_cents(1_000)),
            (true, 1) => (0, Money::ZERO),
            (true, notes) => (notes - 1, Money::from_cents(stacker.amount.cents() - 100)),
        };
        self.try_cluster(by(CASHIER), ClusterCommand::EmptyStacker { acceptor, notes, amount })
    }
}

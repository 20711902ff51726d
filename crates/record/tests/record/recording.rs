//! What only the tests of the record ask of a casino: snapshots at every checkpoint, and terminals with numbers of their own.

use taisai_record::RecordingStopped;
use taisai_table::{
    Actor, CashOut, ClusterCommand, ClusterEvent, CommandId, CommandRequest, Decision, DeviceId, RoundCommand, Seat,
    Time, Verdict,
};

use crate::casino::TestCasino;

impl TestCasino {
    /// Has a snapshot kept with every checkpoint.
    pub(crate) fn with_snapshots(self) -> Self {
        let Self { house, round, cluster, .. } = self;
        Self {
            house: house.with_snapshot_after(0),
            round: round.with_snapshot_after(0),
            cluster: cluster.with_snapshot_after(0),
            ..self
        }
    }

    /// Asks what may be refused, as it may have been done already.
    pub(crate) fn try_round(&mut self, actor: Actor, command: RoundCommand) {
        let request = self.request(actor, command);
        self.round.ask(request);
        self.deliver();
    }

    /// A terminal asks under a number of its own, and hears the verdict when it is durable.
    pub(crate) fn ask_at(
        &mut self,
        seat: Seat,
        sequence: u64,
        command: ClusterCommand,
        done: impl FnOnce(Verdict, Result<(), RecordingStopped>) + Send + 'static,
    ) -> Result<Decision<ClusterEvent>, RecordingStopped> {
        self.time += 10;
        let (actor, id) = (Actor::Terminal { device: DeviceId(seat.0), seat }, terminal_command(seat, sequence));
        let decision = self.cluster.ask(CommandRequest { time: Time(self.time), actor, id, command });
        let verdict = decision.verdict();
        self.cluster.commit(move |result| done(verdict, result))?;
        Ok(decision)
    }

    /// The player at a terminal leaves with what is paid by hand.
    pub(crate) fn cash_out(&mut self, seat: u32) {
        let seat = Seat(seat);
        let actor = Actor::Terminal { device: DeviceId(seat.0), seat };
        assert!(self.cluster(actor, ClusterCommand::CashOut { seat, to: CashOut::HandPay }));
    }

    /// The first number that no command of this opening or one before it has.
    pub(crate) const fn next_number(&self) -> u64 {
        self.sequence + 1
    }
}

/// The id of a terminal's command.
pub(crate) fn terminal_command(seat: Seat, sequence: u64) -> CommandId {
    CommandId { source: 1_000 + u64::from(seat.0), sequence }
}

//! Additions to the casino for these tests: snapshots at every checkpoint, and terminals with their own command numbers.

use taisai_record::RecordingStopped;
use taisai_table::{
    Actor, CashOut, ClusterCommand, ClusterEvent, CommandId, CommandRequest, Decision, DeviceId, RoundCommand, Seat,
    Time, Verdict,
};

use crate::casino::TestCasino;

impl TestCasino {
    /// Stores a snapshot with every checkpoint.
    pub(crate) fn with_snapshots(self) -> Self {
        let Self { house, round, cluster, .. } = self;
        Self {
            house: house.with_snapshot_after(0),
            round: round.with_snapshot_after(0),
            cluster: cluster.with_snapshot_after(0),
            ..self
        }
    }

    /// Sends a command that may be refused because it was carried out before.
    pub(crate) fn try_round(&mut self, actor: Actor, command: RoundCommand) {
        let request = self.request(actor, command);
        self.round.ask(request);
        self.exchange();
    }

    /// Sends a terminal's numbered command, and returns the verdict once it is durable.
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

    /// The player at a terminal leaves with a hand-pay.
    pub(crate) fn cash_out(&mut self, seat: u32) {
        let seat = Seat(seat);
        let actor = Actor::Terminal { device: DeviceId(seat.0), seat };
        assert!(self.cluster(actor, ClusterCommand::CashOut { seat, to: CashOut::HandPay }));
    }

    /// The first command number that neither this opening nor an earlier one has used.
    pub(crate) const fn next_number(&self) -> u64 {
        self.sequence + 1
    }
}

pub(crate) fn terminal_command(seat: Seat, sequence: u64) -> CommandId {
    CommandId { source: 1_000 + u64::from(seat.0), sequence }
}

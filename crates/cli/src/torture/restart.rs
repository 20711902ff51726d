//! Faults of the machines themselves: the program restarts and its state is rebuilt from the record, commands arrive twice, ids
//! are used again, the clock is stepped.

use taisai_table::{Actor, ClusterCommand, Decision, HouseCommand, Refusal, Report, RoundCommand, Seat, Time};

use super::failure::{Failure, Held, ensure};
use super::hall::{Hall, Sent};
use super::machines::{Machines, hex};
use super::tally::Fault;

const HOUR: u64 = 60 * 60 * 1_000;

impl Hall<'_> {
    /// Remembers the state as it is now.
    pub(super) fn take_snapshot(&mut self) {
        self.snapshot = (self.record.len(), self.machines.snapshot());
    }

    /// Rebuilds every machine from its first entry.
    pub(super) fn rebuild_from_the_first_entry(&mut self) -> Held {
        let machines = Machines::new(&self.setup, &self.rules);
        self.rebuild(machines, 0, Fault::RebuiltFromTheFirstEntry)
    }

    /// Rebuilds every machine from the last snapshot and the entries since.
    pub(super) fn rebuild_from_the_snapshot(&mut self) -> Held {
        let (from, snapshot) = &self.snapshot;
        let (from, machines) = (*from, snapshot.restore(&self.setup, &self.rules)?);
        self.rebuild(machines, from, Fault::RebuiltFromASnapshot)
    }

    fn rebuild(&mut self, mut machines: Machines, from: usize, fault: Fault) -> Held {
        self.tally.fault(fault);
        for entry in self.record.entries(from) {
            machines.apply(&entry?);
        }
        let (before, after) = (self.machines.hash(), machines.hash());
        ensure("replay gives the same state hash", before == after, || {
            format!("{} before, {} after, from entry {from}", hex(&before), hex(&after))
        })?;
        // Play goes on with what was rebuilt, so that anything the hash does not cover shows.
        self.machines = machines;
        Ok(())
    }

    /// The program stops and starts again.
    pub(super) fn restart(&mut self) -> Held {
        self.tally.fault(Fault::ProgramRestarted);
        if self.record.len() < 2_000 && self.chance.percent(30) {
            self.rebuild_from_the_first_entry()?;
        } else {
            self.rebuild_from_the_snapshot()?;
        }
        self.ask_round(Actor::System, RoundCommand::Restarted)?.ok();
        Ok(())
    }

    /// A machine gets its last command once more, and answers as before.
    pub(super) fn send_again(&mut self) -> Held {
        let same = match self.chance.below(3) {
            0 => match self.last_round.clone() {
                Some(Sent { asked, verdict }) => {
                    matches!(self.send_round(asked)?, Decision::Repeated(v) if v == verdict)
                }
                None => return Ok(()),
            },
            1 => match self.last_house.clone() {
                Some(Sent { asked, verdict }) => {
                    matches!(self.send_house(asked)?, Decision::Repeated(v) if v == verdict)
                }
                None => return Ok(()),
            },
            _ => match self.last_cluster.clone() {
                Some(Sent { asked, verdict }) => {
                    matches!(self.send_cluster(asked)?, Decision::Repeated(v) if v == verdict)
                }
                None => return Ok(()),
            },
        };
        self.tally.fault(Fault::CommandSentAgain);
        ensure("a command sent again gets the same verdict", same, || "it got another".to_owned())
    }

    /// The id of the last command is used for another, or for one long ago.
    pub(super) fn reuse_an_id(&mut self) -> Held {
        let is_old = self.chance.percent(50);
        let (fault, expected) = if is_old {
            (Fault::CommandTooOld, Refusal::CommandTooOld)
        } else {
            (Fault::CommandIdReused, Refusal::CommandIdReused)
        };
        let refusal = match self.chance.below(3) {
            0 => match self.last_round.clone() {
                Some(Sent { mut asked, .. }) => {
                    asked.command = RoundCommand::UseDice { dice_set: 987_654 };
                    asked.id.sequence = if is_old { 0 } else { asked.id.sequence };
                    refusal(&self.send_round(asked)?)
                }
                None => return Ok(()),
            },
            1 => match self.last_house.clone() {
                Some(Sent { mut asked, .. }) => {
                    asked.command = HouseCommand::LoginFailed { person: taisai_table::PersonId(987_654) };
                    asked.id.sequence = if is_old { 0 } else { asked.id.sequence };
                    refusal(&self.send_house(asked)?)
                }
                None => return Ok(()),
            },
            _ => match self.last_cluster.clone() {
                Some(Sent { mut asked, .. }) => {
                    asked.command = ClusterCommand::Clear { seat: Seat(987_654) };
                    asked.id.sequence = if is_old { 0 } else { asked.id.sequence };
                    refusal(&self.send_cluster(asked)?)
                }
                None => return Ok(()),
            },
        };
        self.tally.fault(fault);
        ensure("an id used for something else is refused", refusal == Some(expected), || format!("{refusal:?}"))
    }

    /// The clock is an hour off.
    pub(super) fn step_the_clock(&mut self) -> Held {
        self.tally.fault(Fault::ClockStepped);
        let (time, millis) =
            if self.chance.percent(50) { (self.time.0 + HOUR, 3_600_000) } else { (self.time.0 - HOUR, -3_600_000) };
        self.time = Time(time);
        let what = Report::ClockStepped { millis };
        let told = self.ask_house(Actor::System, HouseCommand::Report { what })?;
        told.map(|_| ()).map_err(|refusal| Failure(format!("a report was refused: {refusal:?}")))
    }
}

const fn refusal<E>(decision: &Decision<E>) -> Option<Refusal> {
    match decision {
        Decision::Refused(refusal) => Some(*refusal),
        Decision::Accepted(_) | Decision::Repeated(_) => None,
    }
}

//! Faults of the machines themselves: the program restarts and its state is rebuilt from the record, commands arrive twice, ids
//! are used again, the clock is stepped.

use data_encoding::HEXLOWER;
use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_table::{
    Actor, ClusterCommand, ClusterEntry, CommandRequest, Decision, Entry, HouseCommand, HouseEntry, MachineEntry,
    Machines, MachinesSnapshot, PersonId, Refusal, ReportedEvent, RoundCommand, RoundEntry, RoundEvent, Seat, Time,
    Verdict,
};

use super::casino::SimulatedCasino;
use super::coverage::PlayFault;

const HOUR: u64 = 60 * 60 * 1_000;

impl SimulatedCasino<'_> {
    /// Remembers the state as it is now.
    pub(super) fn take_snapshot(&mut self) {
        self.snapshot = Some((self.record.count(), self.installation.machines().snapshot()));
    }

    /// Every machine as the record makes it from its first entry.
    pub(super) fn rebuild_from_the_first_entry(&mut self) -> CheckResult<Machines> {
        self.coverage.fault(PlayFault::RebuiltFromTheFirstEntry);
        self.rebuild(None)
    }

    /// Every machine as the record makes it from the last snapshot and the entries since.
    pub(super) fn rebuild_from_the_snapshot(&mut self) -> CheckResult<Machines> {
        if self.snapshot.is_some() {
            self.coverage.fault(PlayFault::RebuiltFromASnapshot);
        }
        self.rebuild(self.snapshot.as_ref())
    }

    fn rebuild(&self, snapshot: Option<&(usize, MachinesSnapshot)>) -> CheckResult<Machines> {
        self.partitions_are_as_recorded()?;
        let before = self.installation.machines();
        let mut rebuilt = before.empty();
        let mut from = 0;
        if let Some((taken_at, snapshot)) = snapshot {
            from = *taken_at;
            rebuilt.restore(snapshot).map_err(anyhow::Error::from)?;
        }
        for entry in self.record.entries(from) {
            rebuilt.apply(&entry?);
        }
        let (before, after) = (before.state_hash(), rebuilt.state_hash());
        ensure("replay gives the same state hash", before == after, || {
            format!("{} before, {} after, from entry {from}", HEXLOWER.encode(&before), HEXLOWER.encode(&after))
        })?;
        Ok(rebuilt)
    }

    /// The program stops and starts again. Play goes on with what was rebuilt, so that anything the hash does not cover shows.
    pub(super) fn restart(&mut self) -> CheckResult {
        let is_from_the_first = self.record.count() < 2_000 && self.random.percent(30);
        let rebuilt =
            if is_from_the_first { self.rebuild_from_the_first_entry()? } else { self.rebuild_from_the_snapshot()? };
        self.restart_with(rebuilt)
    }

    pub(super) fn restart_from_the_first_entry(&mut self) -> CheckResult {
        let rebuilt = self.rebuild_from_the_first_entry()?;
        self.restart_with(rebuilt)
    }

    fn restart_with(&mut self, rebuilt: Machines) -> CheckResult {
        self.coverage.fault(PlayFault::ProgramRestarted);
        let time = self.time;
        self.watched(&"a restart", |installation| installation.restart(rebuilt, time))
    }

    /// The last entry of a machine whose command it remembers: not of one whose id was refused, nor of a stranger.
    fn last<C: Clone, E: Clone>(&self, of: impl Fn(&MachineEntry) -> Option<&Entry<C, E>>) -> Option<Entry<C, E>> {
        let entries = self.installation.record.iter().rev().filter_map(of);
        let mut entries = entries.filter(|entry| !entry.verdict().is_of_id() && self.is_known(entry.request.actor));
        let mut last = entries.next().cloned()?;
        // It is sent again now.
        last.request.time = self.time;
        Some(last)
    }

    fn is_known(&self, actor: Actor) -> bool {
        match actor {
            Actor::Person(person) => self.house().as_actor(person.id).is_some(),
            Actor::Terminal { device, seat } => {
                let is_revoked = self.house().device(device).is_none_or(|device| device.is_revoked);
                !is_revoked && seat.0 < self.seats()
            }
            Actor::Tumbler(device) | Actor::NoteAcceptor { device, .. } | Actor::ChipReader(device) => {
                self.house().device(device).is_some_and(|device| !device.is_revoked)
            }
            Actor::System => true,
        }
    }

    fn last_of_round(&self) -> Option<RoundEntry> {
        self.last(|recorded| match recorded {
            MachineEntry::Round(_, entry) => Some(entry),
            MachineEntry::Cluster(..) | MachineEntry::House(_) => None,
        })
    }

    fn last_of_cluster(&self) -> Option<ClusterEntry> {
        self.last(|recorded| match recorded {
            MachineEntry::Cluster(id, entry) if *id == self.at => Some(entry),
            MachineEntry::Cluster(..) | MachineEntry::Round(..) | MachineEntry::House(_) => None,
        })
    }

    fn last_of_house(&self) -> Option<HouseEntry> {
        self.last(|recorded| match recorded {
            MachineEntry::House(entry) => Some(entry),
            MachineEntry::Round(..) | MachineEntry::Cluster(..) => None,
        })
    }

    /// The last entry of the dealer's side, once no command there waits for clusters.
    fn last_of_followed_round(&mut self) -> CheckResult<Option<RoundEntry>> {
        self.let_clusters_follow()?;
        Ok(self.last_of_round())
    }

    /// Between rounds, commands to the dealer's side wait until clusters hold what has happened so far.
    pub(super) fn let_clusters_follow(&mut self) -> CheckResult {
        if self.round().is_followed() { Ok(()) } else { self.deliver_all() }
    }

    /// Asks the dealer's side when clusters follow.
    pub(super) fn decide_round(&mut self, request: &CommandRequest<RoundCommand>) -> CheckResult<Decision<RoundEvent>> {
        self.send_round(request)?
            .ok_or_else(|| RunFailure(format!("clusters follow, and a command waits: {request:?}")))
    }

    /// A machine gets its last command once more, and answers as before.
    pub(super) fn send_again(&mut self) -> CheckResult {
        let (sent, answered) = match self.random.below(3) {
            0 => {
                let Some(entry) = self.last_of_followed_round()? else { return Ok(()) };
                (entry.verdict(), again(&self.decide_round(&entry.request)?))
            }
            1 => {
                let Some(entry) = self.last_of_house() else { return Ok(()) };
                (entry.verdict(), again(&self.send_house(&entry.request)?))
            }
            _ => {
                let Some(entry) = self.last_of_cluster() else { return Ok(()) };
                (entry.verdict(), again(&self.send_cluster(&entry.request)?))
            }
        };
        self.coverage.fault(PlayFault::CommandSentAgain);
        ensure("a command sent again gets the same verdict", answered == Some(sent), || {
            format!("{sent:?}, then {answered:?}")
        })
    }

    /// The id of the last command is used for another, or for one long ago.
    pub(super) fn reuse_an_id(&mut self) -> CheckResult {
        let is_old = self.random.percent(50);
        let (fault, expected) = if is_old {
            (PlayFault::CommandTooOld, Refusal::CommandTooOld)
        } else {
            (PlayFault::CommandIdReused, Refusal::CommandIdReused)
        };
        let verdict = match self.random.below(3) {
            0 => {
                let Some(Entry { mut request, .. }) = self.last_of_followed_round()? else { return Ok(()) };
                request.command = RoundCommand::UseDice { dice_set: 987_654 };
                request.id.sequence = if is_old { 0 } else { request.id.sequence };
                self.decide_round(&request)?.verdict()
            }
            1 => {
                let Some(Entry { mut request, .. }) = self.last_of_house() else { return Ok(()) };
                request.command = HouseCommand::LoginFailed { person: PersonId(987_654) };
                request.id.sequence = if is_old { 0 } else { request.id.sequence };
                self.send_house(&request)?.verdict()
            }
            _ => {
                let Some(Entry { mut request, .. }) = self.last_of_cluster() else { return Ok(()) };
                request.command = ClusterCommand::Clear { seat: Seat(987_654) };
                request.id.sequence = if is_old { 0 } else { request.id.sequence };
                self.send_cluster(&request)?.verdict()
            }
        };
        self.coverage.fault(fault);
        ensure("an id used for something else is refused", verdict == Verdict::Refused(expected), || {
            format!("{verdict:?}")
        })
    }

    /// The clock is an hour off.
    pub(super) fn step_the_clock(&mut self) -> CheckResult {
        self.coverage.fault(PlayFault::ClockStepped);
        let (time, millis) =
            if self.random.percent(50) { (self.time.0 + HOUR, 3_600_000) } else { (self.time.0 - HOUR, -3_600_000) };
        self.time = Time(time);
        self.set_clock()?;
        let what = ReportedEvent::ClockStepped { millis };
        let answer = self.ask_house(Actor::System, HouseCommand::Report { what })?;
        answer.map(|_| ()).map_err(|refusal| RunFailure(format!("a report was refused: {refusal:?}")))
    }
}

/// How a command was answered that had been answered before.
const fn again<E>(decision: &Decision<E>) -> Option<Verdict> {
    match decision {
        Decision::Repeated(verdict) => Some(*verdict),
        Decision::Accepted(_) | Decision::Refused(_) => None,
    }
}

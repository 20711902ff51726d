//! What passes between the machines of a table and to the House, and how everything leaves.

use std::time::Duration;

use taisai_record::{NotRecorded, Recorder};
use taisai_rules::Money;
use taisai_table::{
    Actor, Cluster, ClusterCommand, ClusterId, Decision, Message, Notice, Phase, Report, RoundCommand, RoundNumber,
    Seat, Verdict,
};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::{AtCluster, POST_AGAIN, RoundSide, RunningTable, TableMail};
use crate::leaving::Said;
use crate::stopped::Stopped;

/// A slip that has not come by then is asked for again.
const READ_AGAIN: Duration = Duration::from_secs(5);

/// What there is to tell of a cluster is looked at so often at most.
const TELLS: Duration = Duration::from_millis(250);

/// It is told again after so long, as the dealer's side may have another holder.
const TELL_AGAIN: Duration = Duration::from_secs(2);

/// What was told of a cluster is not shown for longer, unless it is told again.
pub(super) const UNTOLD: Duration = Duration::from_secs(8);

/// What a cluster that runs alone has last told the dealer's side.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    /// How far it has followed, and when that is told again.
    report: Option<((u64, Money), Instant)>,
    /// What there was to tell of it, and when that was told.
    told: Option<(AtCluster, Instant)>,
    /// When it is looked at again.
    pub(super) look: Option<Instant>,
}

impl RunningTable {
    /// Carries what the machines have for each other, and hands everything over. A machine's entries are handed over before what
    /// follows from them is asked of another, so that the record never holds the second without the first. There is room for more
    /// once it is durable.
    pub(super) fn hand_over(&mut self, room: OwnedSemaphorePermit) -> Result<(), Stopped> {
        while self.carry()? {}
        self.post();
        self.show();
        for cluster in &mut self.parts.clusters {
            cluster.commit(drop)?;
        }
        let (said, voice) = (std::mem::take(&mut self.said), self.parts.voice.clone());
        let (commit, decided) = (self.parts.metrics.commit.clone(), Instant::now());
        let done = move |recorded: Result<(), NotRecorded>| {
            // If it was not recorded nobody hears anything: the table stops.
            if recorded.is_ok() {
                commit.observe(decided.elapsed().as_secs_f64());
                voice.say(said);
            }
            drop(room);
        };
        // What is handed over last is durable last: all of them have one writer.
        match (&mut self.parts.round, self.parts.clusters.last_mut()) {
            (RoundSide::Own(round), _) => round.commit(done)?,
            (RoundSide::Followed(_), Some(cluster)) => cluster.commit(done)?,
            (RoundSide::Followed(_), None) => {}
        }
        let is_over = |phase| matches!(phase, Phase::Settled | Phase::Void);
        let before = std::mem::replace(&mut self.phase, self.parts.round.machine().phase());
        let is_settled = !is_over(before) && is_over(self.phase);
        if is_settled {
            self.parts.metrics.rounds.inc();
            self.reusing.clear();
        }
        // Evidence of a round has what a checkpoint vouches for: a late change is signed for at once, not with the next round.
        if std::mem::take(&mut self.is_changed) || is_settled {
            self.check()?;
            let time = self.parts.clock.now();
            if let Some(round) = self.parts.round.own() {
                round.checkpoint(time)?;
            }
            for cluster in &mut self.parts.clusters {
                cluster.checkpoint(time)?;
            }
        }
        Ok(())
    }

    /// A ledger that does not sum to zero is a bug: the table stops rather than go on with wrong money.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        let checked = self.clusters().try_for_each(Cluster::check);
        self.parts.metrics.ledger.set(i64::from(checked.is_ok()));
        checked.map_err(|broken| Stopped::Broken { table: self.round().table(), broken: broken.to_string() })
    }

    /// Carries one round of notices and reports; `false` if there was nothing.
    fn carry(&mut self) -> Result<bool, Stopped> {
        let mut has_carried = false;
        for place in 0..self.parts.clusters.len() {
            let number = self.parts.clusters[place].machine().id().number;
            has_carried |= self.carry_notices(number)?;
            has_carried |= self.carry_report(number)?;
        }
        Ok(has_carried)
    }

    fn own(&mut self, number: u16) -> &mut Recorder<Cluster> {
        let place = self.place(number).expect("the cluster runs here");
        &mut self.parts.clusters[place]
    }

    fn carry_notices(&mut self, number: u16) -> Result<bool, Stopped> {
        let cluster = self.own(number).machine();
        let (id, followed) = (cluster.id(), cluster.followed());
        let notices = self.round().notices(id).filter(|(number, _)| *number > followed);
        let notices: Vec<_> = notices.map(|(number, notice)| (number, notice.clone())).collect();
        if notices.is_empty() {
            return Ok(false);
        }
        if let Some(round) = self.parts.round.own() {
            round.commit(drop)?;
        }
        let mut has_carried = false;
        for (notice_number, notice) in notices {
            let slip = match over(&notice, self.own(number).machine()) {
                None => None,
                Some(round) => {
                    let Some(slip) = self.slips.remove(&(number, round)) else {
                        self.have_read(id, round);
                        break;
                    };
                    Some(slip)
                }
            };
            let mut played = Vec::new();
            if let Some((round, stands)) = notice.stands() {
                let present = slip.is_none().then(|| self.own(number).machine().slip());
                if let Some(slip) = present.as_ref().or(slip.as_ref()) {
                    self.keep_games(number, round, stands, slip);
                    let cluster = self.own(number).machine();
                    let seats = slip.lines.chunk_by(|line, next| line.seat == next.seat).map(|lines| lines[0].seat);
                    played = seats.map(|seat| (seat, cluster.is_locked(seat))).collect();
                }
                self.latest = Some(round);
            }
            if let Notice::Thrown { round, .. } = notice {
                self.latest = Some(round);
            }
            let command = ClusterCommand::Follow { number: notice_number, notice, slip };
            self.accepted(number, command)?;
            has_carried = true;
            for (seat, was_locked) in played {
                if !was_locked {
                    self.report_locked(number, seat);
                }
                self.tell(number, seat);
            }
        }
        Ok(has_carried)
    }

    /// Has a slip read, and again if it does not come.
    fn have_read(&mut self, cluster: ClusterId, round: RoundNumber) {
        let asked = self.reading.get(&(cluster.number, round));
        if asked.is_none_or(|asked| asked.elapsed() > READ_AGAIN) {
            self.reading.insert((cluster.number, round), Instant::now());
            self.parts.archivist.ask(cluster, round);
        }
    }

    /// A large win has locked the seat (F33).
    fn report_locked(&mut self, number: u16, seat: Seat) {
        let cluster = self.own(number).machine();
        if cluster.is_locked(seat) {
            let cluster = cluster.id();
            let amount = self.last_paid(number, seat).unwrap_or(Money::ZERO);
            self.report(Some(Report::LargeWin { cluster, seat, amount }));
        }
    }

    fn carry_report(&mut self, number: u16) -> Result<bool, Stopped> {
        let cluster = self.own(number).machine();
        let (id, report) = (cluster.id(), cluster.reports());
        let (followed, colour_chips, is_registered) = report;
        if self.round().reported(id) == Some(report) {
            return Ok(false);
        }
        self.own(number).commit(drop)?;
        let report = RoundCommand::Report { cluster: id, followed, colour_chips, is_registered };
        match self.ask_round(Actor::System, None, report) {
            Some(Decision::Accepted(()) | Decision::Repeated(Verdict::Accepted)) => Ok(true),
            Some(Decision::Refused(refusal) | Decision::Repeated(Verdict::Refused(refusal))) => {
                Err(Stopped::Between { table: id.table, refusal: refusal.code() })
            }
            None => {
                self.tell_round(id, (followed, colour_chips));
                Ok(false)
            }
        }
    }

    /// Tells the dealer's side, which runs elsewhere, how far its cluster has followed: until its record shows that it knows.
    fn tell_round(&mut self, cluster: ClusterId, report: (u64, Money)) {
        let now = Instant::now();
        let told = self.told_round.report.filter(|(told, again)| *told == report && *again > now);
        if let Some((_, again)) = told {
            self.post_again.get_or_insert(again);
        } else {
            self.told_round.report = Some((report, now + POST_AGAIN));
            self.post_again.get_or_insert(now + POST_AGAIN);
            let (followed, colour_chips) = report;
            // A cluster that runs elsewhere has terminals, and registers every bet.
            self.said.push(Said::Send(Message::Followed { cluster, followed, colour_chips, is_registered: false }));
        }
    }

    /// Tells it what lies on the layout of this cluster and how its seats are, for the console.
    pub(super) fn tell_console(&mut self) {
        let (RoundSide::Followed(_), Some(cluster)) = (&self.parts.round, self.parts.clusters.first()) else { return };
        let now = Instant::now();
        if self.told_round.look.is_some_and(|look| look > now) {
            return;
        }
        self.told_round.look = Some(now + TELLS);
        let cluster = cluster.machine();
        let (id, at_cluster) = (cluster.id(), AtCluster::of(cluster, |cluster, seat| self.is_connected(cluster, seat)));
        if self.told_round.told.as_ref().is_some_and(|(told, at)| *told == at_cluster && now < *at + TELL_AGAIN) {
            return;
        }
        self.told_round.told = Some((at_cluster.clone(), now));
        self.said.push(Said::ToTable(id.table, TableMail::AtCluster { cluster: id.number, at_cluster }));
    }

    /// Asks what must be accepted.
    fn accepted(&mut self, cluster: u16, command: ClusterCommand) -> Result<(), Stopped> {
        match self.ask_cluster(cluster, Actor::System, None, command) {
            Some(Decision::Accepted(()) | Decision::Repeated(Verdict::Accepted)) => Ok(()),
            Some(Decision::Refused(refusal) | Decision::Repeated(Verdict::Refused(refusal))) => {
                Err(Stopped::Between { table: self.round().table(), refusal: refusal.code() })
            }
            None => unreachable!("the cluster is one of the table's"),
        }
    }

    /// Posts the transfers that the House has not been sent.
    fn post(&mut self) {
        for (cluster, posted) in self.parts.clusters.iter().zip(&mut self.posted) {
            let id = cluster.machine().id();
            let before = *posted;
            for transfer in cluster.machine().outbox().filter(|transfer| transfer.number > before) {
                *posted = transfer.number;
                self.post_again.get_or_insert_with(|| Instant::now() + POST_AGAIN);
                self.said.push(Said::Send(Message::ToHouse { cluster: id, transfer: *transfer }));
            }
        }
    }
}

/// The round that a notice is about, where the cluster has settled it already.
fn over(notice: &Notice, cluster: &Cluster) -> Option<RoundNumber> {
    match notice {
        Notice::Voided { round, .. } | Notice::Corrected { round, .. } => {
            cluster.unit_of(*round).is_some().then_some(*round)
        }
        Notice::TableOpened
        | Notice::TableClosed
        | Notice::ClosureAnnounced
        | Notice::Relieved { .. }
        | Notice::Limits { .. }
        | Notice::Opened { .. }
        | Notice::Closed { .. }
        | Notice::Thrown { .. }
        | Notice::Result { .. }
        | Notice::Held
        | Notice::Resumed => None,
    }
}

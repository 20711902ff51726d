//! The dealer's side of a table as a partition: it decides what the Dealer and the pit ask, sends its clusters what happens until
//! they hold it, and shows the round.

mod report;
mod view;

use std::collections::{BTreeSet, VecDeque};

use taisai_rules::Station;
use taisai_table::{
    Actor, BetsCloser, ClusterId, CommandId, CommandRequest, Decision, MachineId, Notice, Phase, Profile, Refusal,
    ReportedEvent, Round, RoundCommand, RoundEvent, RoundNumber, Time, Verdict,
};

use crate::cluster::{ClusterView, MAX_NOTICES};
use crate::effect::{ConnectionId, Effect, Effects, NewestCommand, Reply, ReplyTo, ScreenChange, Topic};
use crate::message::Message;
use crate::planted::{Mistake, makes};
use crate::recorded::DecidingMachine;
use crate::report_queue::ReportQueue;
use crate::timer::{Millis, RETRY_INTERVAL, earliest};
use crate::worker::WorkerStop;

use view::is_shown;
pub use view::{PublicView, ResultView, RoundStaffView, is_lit};

/// Clusters follow much sooner, unless their node is down.
const FOLLOW_TIMEOUT: Millis = Millis(2_000);

/// How often staff screens are shown changes, at most.
const STAFF_INTERVAL: Millis = Millis(100);

/// Clusters on other nodes are shown the table again after this time, as a message may be lost.
const VIEW_INTERVAL: Millis = Millis(2_000);

/// The view of a cluster on another node is dropped after this time, unless it comes again.
const CLUSTER_VIEW_TIMEOUT: Millis = Millis(8_000);

/// An input for the dealer's side.
#[derive(Debug)]
pub enum RoundInput {
    Command {
        /// Who asks.
        actor: Actor,
        /// Under which id.
        id: CommandId,
        /// The body of a request.
        command: RoundCommand,
        /// Where the reply goes.
        reply: ReplyTo,
    },
    /// A dice set was found damaged at another table.
    DamagedSet { dice_set: u32 },
    /// A screen follows the table.
    Subscribe {
        /// What it is shown.
        topics: Vec<Topic>,
        /// The numbers of its commands, where it sends any.
        counted: Option<NewestCommand>,
        connection: ConnectionId,
    },
    /// Whether any staff screen follows the table.
    Watched {
        /// Whether there is one.
        by_staff: bool,
    },
}

/// A command that waits until clusters hold what has happened so far.
#[derive(Debug)]
struct WaitingCommand {
    until: Time,
    actor: Actor,
    id: CommandId,
    command: RoundCommand,
    reply: ReplyTo,
}

/// A screen that has just begun to follow.
#[derive(Debug)]
struct Subscriber {
    topics: Vec<Topic>,
    counted: Option<NewestCommand>,
    connection: ConnectionId,
}

/// What the round knows of a cluster.
#[derive(Debug)]
struct FollowingCluster {
    cluster: ClusterId,
    /// Whether the cluster's partition is on the same worker: no message is lost between the two.
    is_local: bool,
    /// The last notice that was sent.
    sent: u64,
    /// Since when notices have waited that a cluster of another node has not even received.
    silent_since: Option<Time>,
    /// When a cluster of another node has last shown itself.
    seen_at: Option<Time>,
    /// The newest numbers of commands there that no terminal sent, by their sources.
    numbers: Vec<(u64, u64)>,
    /// Names the report that the round holds of the cluster.
    report: CommandId,
}

/// The dealer's side of a table.
#[derive(Debug)]
pub struct RoundPartition {
    round: DecidingMachine<Round>,
    closes: BetsCloser,
    /// How long a cluster may take to answer.
    silence: Millis,
    followers: Vec<FollowingCluster>,
    /// When notices that clusters do not hold by then are sent again.
    retry_at: Option<Time>,
    /// Commands given between rounds, until clusters hold what has happened so far.
    waiting: VecDeque<WaitingCommand>,
    reports: ReportQueue,
    /// The sources that have used an id again since the last round was over: each is reported once.
    reusing: BTreeSet<u64>,
    /// The last notice that was sent to any cluster.
    noticed: u64,
    /// The round whose result came or changed last, and those that have since it was shown.
    latest: Option<RoundNumber>,
    new_results: Vec<RoundNumber>,
    /// The last round that was counted as over.
    counted: RoundNumber,
    /// Whether the state must be vouched for: a round is over, or one that was over stands otherwise.
    needs_checkpoint: bool,
    /// Whether anything was decided since the table was last shown.
    is_changed: bool,
    /// What anyone was last shown.
    public: PublicView,
    /// When it is shown to clusters of other nodes again.
    view_again_at: Option<Time>,
    is_watched: bool,
    staff: Option<RoundStaffView>,
    staff_due: Option<Time>,
    subscribers: Vec<Subscriber>,
}

impl RoundPartition {
    /// A dealer's side as its record has it. `source` numbers the partition's own commands and reports: it is higher than any on
    /// record.
    pub fn new(round: Round, profile: &Profile, source: u64) -> Self {
        let latest = (1..=round.number().0).rev().map(RoundNumber).find(|number| round.past(*number).is_some());
        let follower = |cluster| FollowingCluster {
            cluster,
            is_local: false,
            sent: 0,
            silent_since: None,
            seen_at: None,
            numbers: Vec::new(),
            // A partition's source is its own: this names none of the reports to an earlier process.
            report: CommandId { source, sequence: 0 },
        };
        Self {
            closes: profile.closes,
            silence: Millis(u64::from(profile.silent_seconds) * 1_000),
            followers: round.clusters().map(follower).collect(),
            retry_at: None,
            waiting: VecDeque::new(),
            reports: ReportQueue::default(),
            reusing: BTreeSet::new(),
            noticed: 0,
            latest,
            new_results: Vec::new(),
            counted: if in_play(round.phase()) { RoundNumber(round.number().0 - 1) } else { round.number() },
            needs_checkpoint: false,
            is_changed: false,
            public: PublicView::of(&round, latest),
            view_again_at: None,
            is_watched: false,
            staff: None,
            staff_due: None,
            subscribers: Vec::new(),
            round: DecidingMachine::new(round, source),
        }
    }

    /// The machine, ahead of what is durable.
    pub const fn machine(&self) -> &Round {
        self.round.machine()
    }

    pub(crate) fn set_local(&mut self, is_local: impl Fn(ClusterId) -> bool) {
        for follower in &mut self.followers {
            follower.is_local = is_local(follower.cluster);
        }
    }

    pub(crate) fn is_in_play(&self) -> bool {
        in_play(self.machine().phase())
    }

    pub(crate) fn start(&mut self, now: Time, effects: &mut Effects) {
        effects.publish(ScreenChange::Results(ResultView::last(self.machine())));
        effects.publish(ScreenChange::Public(Box::new(self.public.clone())));
        self.own(now, RoundCommand::Restarted, effects);
        if self.has_remote() {
            self.view_again_at = Some(now);
        }
    }

    pub(crate) fn handle(&mut self, now: Time, input: RoundInput, effects: &mut Effects) {
        match input {
            RoundInput::Command { actor, id, command, reply } => {
                if self.is_behind() || !self.waiting.is_empty() {
                    let until = FOLLOW_TIMEOUT.after(now);
                    self.waiting.push_back(WaitingCommand { until, actor, id, command, reply });
                } else {
                    self.command(now, (actor, id, command, reply), effects);
                }
            }
            RoundInput::DamagedSet { dice_set } => self.own(now, RoundCommand::DamagedSet { dice_set }, effects),
            RoundInput::Subscribe { topics, counted, connection } => {
                let known = |counted: NewestCommand| {
                    let numbers = self.followers.iter().flat_map(|follower| &follower.numbers);
                    let of_source = numbers.filter(|(source, _)| *source == counted.source).map(|(_, number)| *number);
                    counted.and(of_source.max().unwrap_or(0)).and(self.machine().newest(counted.source))
                };
                let counted = counted.map(known);
                self.subscribers.push(Subscriber { topics, counted, connection });
            }
            RoundInput::Watched { by_staff } => self.is_watched = by_staff,
        }
    }

    pub(crate) fn receive(&mut self, now: Time, message: Message, effects: &mut Effects) -> Result<(), WorkerStop> {
        match message {
            Message::Followed { cluster, followed, received, colour_chips, is_registered, replaces } => {
                self.answered(now, cluster, received);
                return self.followed(now, cluster, (followed, colour_chips, is_registered), replaces, effects);
            }
            Message::ClusterView { cluster, view } => self.cluster_view(now, cluster, view, effects),
            Message::ReportHeld { id: last, .. } => {
                if self.reports.held(self.round.machine().events().position(|(id, _)| id == last)) {
                    self.own(now, RoundCommand::EventsHeld { last }, effects);
                }
            }
            Message::ShowTable { cluster } => self.show_cluster(cluster, effects),
            // These have other receivers.
            Message::Notice { .. }
            | Message::RoundHolds { .. }
            | Message::ToHouse { .. }
            | Message::HouseHolds { .. }
            | Message::ToCluster { .. }
            | Message::ClusterHolds { .. }
            | Message::Report { .. }
            | Message::SeatMoney { .. }
            | Message::PublicView { .. } => {}
        }
        Ok(())
    }

    /// A cluster reports how far it follows. A message may arrive late: one that follows no further is taken only where it replaces
    /// the report that the round holds. Otherwise an older value of Colour Chips could take the place of a newer one.
    fn followed(
        &mut self,
        now: Time,
        cluster: ClusterId,
        report: (u64, taisai_rules::Money, bool),
        replaces: Option<CommandId>,
        effects: &mut Effects,
    ) -> Result<(), WorkerStop> {
        let Some(at) = self.followers.iter().position(|follower| follower.cluster == cluster) else { return Ok(()) };
        let Some(known) = self.machine().reported(cluster) else { return Ok(()) };
        let (followed, colour_chips, is_registered) = report;
        let is_newer = followed > known.0 || (followed == known.0 && replaces == Some(self.followers[at].report));
        if known != report && is_newer {
            let command = RoundCommand::Report { cluster, followed, colour_chips, is_registered };
            let request = self.round.own(now, command);
            self.followers[at].report = request.id;
            if let Verdict::Refused(refusal) = self.ask(request, effects).verdict()
                && self.followers[at].is_local
            {
                return Err(WorkerStop::Refused { by: MachineId::Round(cluster.table), refusal });
            }
        }
        if self.machine().is_followed() {
            // Nothing waits: the next notice has its whole time.
            self.retry_at = None;
        }
        if let Some((followed, colour_chips, is_registered)) = self.machine().reported(cluster) {
            let report = self.followers[at].report;
            effects.send(Message::RoundHolds { cluster, report, followed, colour_chips, is_registered });
        }
        Ok(())
    }

    /// Names the report that the round holds of a cluster.
    pub(crate) fn report_of(&self, cluster: ClusterId) -> Option<CommandId> {
        self.followers.iter().find(|follower| follower.cluster == cluster).map(|follower| follower.report)
    }

    fn cluster_view(&mut self, now: Time, cluster: ClusterId, view: Box<ClusterView>, effects: &mut Effects) {
        let Some(follower) = self.followers.iter_mut().find(|follower| follower.cluster == cluster) else { return };
        follower.numbers.clear();
        follower.numbers.extend_from_slice(view.numbers());
        follower.seen_at = (!follower.is_local).then_some(now);
        effects.publish(ScreenChange::ClusterStaff(cluster.number, Some(view)));
    }

    pub(crate) fn on_time(&mut self, now: Time, effects: &mut Effects) {
        if self.closes_at().is_some_and(|at| at <= now) {
            self.own(now, RoundCommand::Tick, effects);
        }
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
            for follower in self.followers.iter_mut().filter(|_| !makes(Mistake::NoticesNotSentAgain)) {
                follower.sent = 0;
            }
        }
        self.seize_silent(now, effects);
        for follower in &mut self.followers {
            if follower.seen_at.is_some_and(|seen_at| CLUSTER_VIEW_TIMEOUT.after(seen_at) <= now) {
                follower.seen_at = None;
                effects.publish(ScreenChange::ClusterStaff(follower.cluster.number, None));
            }
        }
    }

    /// Decides the first command that waits, where no cluster of another node is behind.
    pub(crate) fn take_waiting(&mut self, now: Time, effects: &mut Effects) -> bool {
        let round = self.round.machine();
        let is_behind =
            |follower: &FollowingCluster| !follower.is_local && round.notices(follower.cluster).next().is_some();
        if self.followers.iter().any(is_behind) {
            return false;
        }
        let Some(WaitingCommand { actor, id, command, reply, .. }) = self.waiting.pop_front() else { return false };
        self.command(now, (actor, id, command, reply), effects);
        true
    }

    pub(crate) fn has_reports(&self) -> bool {
        self.machine().events().next().is_some()
    }

    pub(crate) fn send(&mut self, now: Time, effects: &mut Effects) {
        while let Some(first) = self.waiting.front()
            && (first.until <= now || !self.is_behind())
            && let Some(WaitingCommand { actor, id, command, reply, .. }) = self.waiting.pop_front()
        {
            self.command(now, (actor, id, command, reply), effects);
        }
        let round = self.round.machine();
        for follower in &mut self.followers {
            let (cluster, before) = (follower.cluster, follower.sent);
            let notices = round.notices(cluster).take(MAX_NOTICES);
            for (number, notice) in notices.filter(|(number, _)| *number > before) {
                follower.sent = number;
                self.retry_at.get_or_insert(RETRY_INTERVAL.after(now));
                if number > self.noticed {
                    self.noticed = number;
                    self.new_results.extend(result_of(notice));
                }
                effects.send(Message::Notice { cluster, number, notice: notice.clone() });
            }
        }
        self.reports.send(MachineId::Round(round.table()), round.events(), now, effects);
    }

    /// Shows what has changed since the last time.
    pub(crate) fn publish(&mut self, now: Time, effects: &mut Effects) {
        let is_again = self.view_again_at.is_some_and(|at| at <= now);
        if std::mem::take(&mut self.is_changed) {
            // Each result that came or changed is shown, one after the other (F82).
            let results: Vec<_> =
                self.new_results.drain(..).filter(|result| is_shown(*result, self.round.machine())).collect();
            for result in results {
                self.show_public(Some(result), now, effects);
            }
            self.show_public(self.latest, now, effects);
        }
        if is_again {
            self.show_clusters(now, effects);
        }
        let is_subscribed = self.subscribers.iter().any(|screen| screen.topics.contains(&Topic::Staff));
        match self.staff_due {
            _ if is_subscribed => self.publish_staff(effects),
            _ if !self.is_watched => self.staff_due = None,
            None => self.staff_due = Some(STAFF_INTERVAL.after(now)),
            Some(due) if due > now => {}
            Some(_) => self.publish_staff(effects),
        }
    }

    /// Shows the table with the result that came or changed last.
    fn show_public(&mut self, latest: Option<RoundNumber>, now: Time, effects: &mut Effects) {
        self.latest = latest;
        let public = PublicView::of(self.round.machine(), latest);
        if public != self.public {
            self.public = public;
            effects.publish(ScreenChange::Public(Box::new(self.public.clone())));
            self.show_clusters(now, effects);
        }
    }

    fn publish_staff(&mut self, effects: &mut Effects) {
        self.staff_due = None;
        let staff = RoundStaffView::of(self.round.machine());
        if self.staff.as_ref() != Some(&staff) {
            effects.publish(ScreenChange::RoundStaff(Box::new(staff.clone())));
            self.staff = Some(staff);
        }
    }

    /// Clusters of other nodes show the table to their terminals.
    fn show_clusters(&mut self, now: Time, effects: &mut Effects) {
        if !self.has_remote() {
            self.view_again_at = None;
            return;
        }
        self.view_again_at = Some(VIEW_INTERVAL.after(now));
        for follower in self.followers.iter().filter(|follower| !follower.is_local) {
            self.show_cluster(follower.cluster, effects);
        }
    }

    fn show_cluster(&self, cluster: ClusterId, effects: &mut Effects) {
        let (view, results) = (Box::new(self.public.clone()), ResultView::last(self.round.machine()));
        effects.send(Message::PublicView { cluster, view, results });
    }

    pub(crate) fn append(&mut self, effects: &mut Effects) {
        effects.append(MachineId::Round(self.round.machine().table()), &mut self.round.undurable);
    }

    pub(crate) fn end(&mut self, now: Time, effects: &mut Effects) {
        for Subscriber { topics, counted, connection } in self.subscribers.drain(..) {
            effects.publish(ScreenChange::Subscribed { connection, topics, time: now, counted });
        }
        self.append(effects);
        // Evidence of a round has what a checkpoint vouches for: a late change is signed for at once, not with the next round.
        if std::mem::take(&mut self.needs_checkpoint) {
            effects.checkpoints.push(MachineId::Round(self.round.machine().table()));
        }
    }

    pub(crate) fn next_timer(&self) -> Option<Time> {
        let waits = self.waiting.front().map(|first| first.until);
        let oldest_view = self.followers.iter().filter_map(|follower| follower.seen_at).min();
        let view_lapses_at = oldest_view.map(|seen_at| CLUSTER_VIEW_TIMEOUT.after(seen_at));
        let closes_at = self.closes_at();
        let retry_at = self.retry_at.filter(|_| !self.machine().is_followed());
        earliest([
            closes_at,
            retry_at,
            waits,
            self.silent_at(),
            self.reports.next_timer(),
            self.staff_due,
            self.view_again_at,
            view_lapses_at,
        ])
    }

    fn has_remote(&self) -> bool {
        self.followers.iter().any(|follower| !follower.is_local)
    }

    /// When betting ends by itself. At a live table it never does: the Dealer's word alone closes (3.6).
    fn closes_at(&self) -> Option<Time> {
        let round = self.machine();
        let has_tick = self.closes == BetsCloser::Tick && round.rules().game().station() == Station::PlayerTerminals;
        let closes_by_itself = has_tick && round.phase() == Phase::Open && !round.is_held();
        round.closes_at().filter(|_| closes_by_itself)
    }

    /// Whether, between two rounds, clusters do not hold all that has happened until now.
    fn is_behind(&self) -> bool {
        let round = self.machine();
        !in_play(round.phase()) && !round.is_followed()
    }

    /// A cluster has received all notices up to this one.
    fn answered(&mut self, now: Time, cluster: ClusterId, received: u64) {
        let first = self.round.machine().notices(cluster).next().map(|(number, _)| number);
        if let Some(follower) = self.followers.iter_mut().find(|follower| follower.cluster == cluster)
            && !follower.is_local
            && first.is_some_and(|first| first <= received)
        {
            follower.silent_since = Some(now);
        }
    }

    /// A round is closed when every cluster's chain holds the close (5.2). A cluster of another node that does not answer in time
    /// is seized by another node, which follows; the epoch then refuses what the former holder writes. One that has received a notice and
    /// waits for the slip of an old round answers, and is left alone.
    fn seize_silent(&mut self, now: Time, effects: &mut Effects) {
        let round = self.round.machine();
        for follower in self.followers.iter_mut().filter(|follower| !follower.is_local) {
            if round.notices(follower.cluster).next().is_none() {
                follower.silent_since = None;
                continue;
            }
            let since = *follower.silent_since.get_or_insert(now);
            if self.silence.after(since) <= now {
                follower.silent_since = Some(now);
                effects.held.push(Effect::Seize(follower.cluster));
            }
        }
    }

    /// When a cluster is silent for too long.
    fn silent_at(&self) -> Option<Time> {
        let since = self.followers.iter().filter_map(|follower| follower.silent_since).min();
        since.map(|since| self.silence.after(since))
    }

    fn command(
        &mut self,
        now: Time,
        (actor, id, command, reply): (Actor, CommandId, RoundCommand, ReplyTo),
        effects: &mut Effects,
    ) {
        let decision = self.ask(CommandRequest { time: now, actor, id, command }, effects);
        let is_repeated = matches!(decision, Decision::Repeated(_));
        effects.reply(reply, Reply { verdict: decision.verdict(), is_repeated, event: None });
    }

    fn own(&mut self, now: Time, command: RoundCommand, effects: &mut Effects) {
        let request = self.round.own(now, command);
        self.ask(request, effects);
    }

    fn ask(&mut self, request: CommandRequest<RoundCommand>, effects: &mut Effects) -> Decision<RoundEvent> {
        let (number, id, before) = (self.machine().number(), request.id, self.machine().phase());
        let now = request.time;
        let decision = self.round.ask(request);
        match &decision {
            Decision::Accepted(event) => {
                self.is_changed = true;
                self.count_over(before, effects);
                self.needs_checkpoint |= matches!(
                    event,
                    RoundEvent::Corrected { .. }
                        | RoundEvent::RoundsVoided { .. }
                        | RoundEvent::Ruled { .. }
                        | RoundEvent::Witnessed { .. }
                );
                for what in report::reports(self.round.machine(), number, event) {
                    self.own(now, RoundCommand::RaiseEvent { what }, effects);
                }
            }
            Decision::Refused(refusal) => self.refused(now, *refusal, id, effects),
            Decision::Repeated(_) => {}
        }
        decision
    }

    /// A round may be over in a batch in which the next one opens.
    fn count_over(&mut self, before: Phase, effects: &mut Effects) {
        let is_over = |phase| matches!(phase, Phase::Settled | Phase::Void);
        if is_over(before) || !is_over(self.machine().phase()) {
            return;
        }
        self.reusing.clear();
        self.needs_checkpoint = true;
        let number = self.machine().number();
        // A ruling may settle a round that was void.
        if std::mem::replace(&mut self.counted, number) != number {
            effects.counts.rounds += 1;
        }
    }

    /// Counts a refusal, and reports an id that was used for something else.
    fn refused(&mut self, now: Time, refusal: Refusal, id: CommandId, effects: &mut Effects) {
        effects.counts.refusals.push(refusal);
        if refusal == Refusal::CommandIdReused && self.reusing.insert(id.source) {
            let table = self.machine().table();
            let what = ReportedEvent::CommandIdReused { table, source: id.source };
            self.own(now, RoundCommand::RaiseEvent { what }, effects);
        }
    }
}

/// The round whose result a notice gives or changes.
const fn result_of(notice: &Notice) -> Option<RoundNumber> {
    match (notice, notice.stands()) {
        (Notice::Thrown { round, .. }, _) => Some(*round),
        (_, Some((round, _))) => Some(round),
        (_, None) => None,
    }
}

/// Whether a round is in play: one that is over, or has not begun, may be left alone.
pub const fn in_play(phase: Phase) -> bool {
    match phase {
        Phase::Open | Phase::Closing | Phase::Closed | Phase::Result => true,
        Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void => false,
    }
}

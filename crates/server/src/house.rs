//! The running House: one thread that owns it, answers what is asked of it, and passes money to and from the tables.

mod at_seat;
mod awaited;
#[cfg(test)]
mod described;
mod followed;
mod shown;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use taisai_record::Recorder;
use taisai_table::{
    Actor, Asked, ClusterId, CommandId, Decision, House, HouseCommand, HouseEvent, Message, Report, Seat, TableId,
    Verdict, VoucherHash,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

pub(crate) use at_seat::SeatMoney;
#[cfg(test)]
pub(crate) use described::{DeskMessage, HouseList};
pub(crate) use followed::FollowedHouse;
use shown::Shown;
pub(crate) use view::{ApprovalOnFile, Part, own_approvals};

use crate::clock::{Clock, OwnIds, Sources};
use crate::leaving::{Answer, Reply, Said, Then, Topic, Voice};
use crate::line::Line;
use crate::metrics::RefusalCount;
use crate::stopped::Stopped;
use crate::table::TableMail;
use crate::voucher::Became;
use awaited::Awaited;

/// So much mail may wait: whoever sends more waits too.
pub(crate) const MAILBOX: usize = 1_024;

const AT_ONCE: usize = 256;

/// How often vouchers and approvals are looked at for their end, and how often the House is vouched for.
const TICK: Duration = Duration::from_mins(1);

/// How often a seat is told again of its money, once with each look at the clock.
const TOLD_AGAIN: u8 = 3;

/// How often the system's clock is looked at, and how many milliseconds are a step.
const CLOCK: Duration = Duration::from_secs(1);
const STEP: u64 = 2_000;

/// Mail for the House.
pub(crate) enum HouseMail {
    /// A command.
    Command { actor: Actor, id: CommandId, command: HouseCommand, reply: Reply },
    /// A command of the house's own program.
    Own(HouseCommand, Reply),
    /// A screen follows it.
    Follow { topic: Topic, source: u64, line: Line },
    /// A look at it.
    Look(Box<dyn FnOnce(&House) -> Then + Send>),
    /// A message of a cluster.
    Message(Message),
    /// Someone waits for the voucher of a cash-out that a cluster has accepted.
    Await { hash: VoucherHash, reply: oneshot::Sender<Became> },
    /// Another node takes the House: what was asked is recorded, and it ends here.
    Depart,
}

/// The way to the House.
#[derive(Clone)]
pub(crate) struct HouseDoor(pub(crate) mpsc::Sender<HouseMail>);

impl HouseDoor {
    /// Sends mail, and waits while the mailbox is full.
    pub(crate) async fn send(&self, letter: HouseMail) -> Result<(), Stopped> {
        self.0.send(letter).await.map_err(|_| Stopped::Closed)
    }

    /// Looks at the House, at what the record holds of it already.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&House) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (tell, told) = oneshot::channel();
        let look = move |house: &House| -> Then {
            let seen = look(house);
            // Whoever looked may have gone.
            Box::new(move || tell.send(seen).map_or_else(drop, drop))
        };
        self.send(HouseMail::Look(Box::new(look))).await?;
        told.await.map_err(|_| Stopped::Closed)
    }

    /// Asks the House, and waits for the answer.
    pub(crate) async fn ask(&self, actor: Actor, id: CommandId, command: HouseCommand) -> Result<Answer, Stopped> {
        let (reply, answer) = oneshot::channel();
        let letter = HouseMail::Command { actor, id, command, reply: Reply::Once(reply) };
        self.send(letter).await?;
        answer.await.map_err(|_| Stopped::Closed)
    }

    /// Has the house's own program ask, and waits for the answer.
    pub(crate) async fn own(&self, command: HouseCommand) -> Result<Answer, Stopped> {
        let (reply, answer) = oneshot::channel();
        self.send(HouseMail::Own(command, Reply::Once(reply))).await?;
        answer.await.map_err(|_| Stopped::Closed)
    }

    /// Waits for what becomes of the voucher of a cash-out that a cluster has accepted: its money arrives a little later. Not to
    /// be asked for one that was refused.
    pub(crate) async fn voucher(&self, hash: VoucherHash) -> Result<Became, Stopped> {
        let (reply, became) = oneshot::channel();
        self.send(HouseMail::Await { hash, reply }).await?;
        became.await.map_err(|_| Stopped::Closed)
    }
}

/// The House with its recorder.
pub(crate) struct RunningHouse {
    house: Recorder<House>,
    clock: Clock,
    ids: OwnIds,
    voice: Voice,
    refusals: RefusalCount,
    said: Vec<Said>,
    /// The transfers that were posted since the House runs, by cluster.
    posted: BTreeMap<ClusterId, u64>,
    shown: Shown,
    /// How far the system's clock was ahead of the house's when that was last told. A house begins with the system's time, save
    /// where the record is ahead of it.
    stepped: i64,
    awaited: Awaited,
    /// The seats whose terminals are to be told of their money.
    touched: BTreeSet<(ClusterId, Seat)>,
    /// The seats that were told, and how often they are told again: another node may have lost it.
    told_again: BTreeMap<(ClusterId, Seat), u8>,
}

impl RunningHouse {
    pub(crate) fn new(
        house: Recorder<House>,
        (clock, sources): (Clock, &Sources),
        voice: Voice,
        refusals: RefusalCount,
    ) -> Self {
        Self {
            house,
            clock,
            ids: OwnIds::new(sources),
            voice,
            refusals,
            said: Vec::new(),
            posted: BTreeMap::new(),
            awaited: Awaited::default(),
            shown: Shown::default(),
            stepped: 0,
            touched: BTreeSet::new(),
            told_again: BTreeMap::new(),
        }
    }

    /// Runs until nobody can send it mail any more, or the record takes nothing more.
    pub(crate) async fn run(mut self, mut mailbox: mpsc::Receiver<HouseMail>) -> Result<(), Stopped> {
        self.hand_over()?;
        let mut mail = Vec::with_capacity(AT_ONCE);
        let mut ticks = tokio::time::interval(TICK);
        let mut clocks = tokio::time::interval(CLOCK);
        loop {
            let due = self.shown.due();
            tokio::select! {
                biased;
                taken = mailbox.recv_many(&mut mail, AT_ONCE) => if taken == 0 {
                    self.house.checkpoint(self.clock.now())?;
                    return Ok(());
                },
                _ = ticks.tick() => {
                    self.own(HouseCommand::Tick);
                    self.house.checkpoint(self.clock.now())?;
                }
                _ = clocks.tick() => {
                    self.look_at_clock();
                    // What another node was sent may be lost; what arrived is known there.
                    self.posted.clear();
                    self.tell_seats_again();
                }
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
            }
            let departs = mail.iter().any(|letter| matches!(letter, HouseMail::Depart));
            for letter in mail.drain(..) {
                self.take(letter);
            }
            if departs {
                // What is sent from now on waits elsewhere; what was sent before is taken.
                mailbox.close();
                while let Some(letter) = mailbox.recv().await {
                    self.take(letter);
                }
            }
            self.hand_over()?;
            if departs {
                self.house.checkpoint(self.clock.now())?;
                return Ok(());
            }
        }
    }

    /// A clock that was stepped changes nothing but is told of (F32).
    fn look_at_clock(&mut self) {
        let ahead = self.clock.stepped();
        let millis = ahead.saturating_sub(self.stepped);
        if millis.unsigned_abs() >= STEP {
            self.stepped = ahead;
            self.own(HouseCommand::Report { what: Report::ClockStepped { millis } });
        }
    }

    fn take(&mut self, letter: HouseMail) {
        match letter {
            HouseMail::Command { actor, id, command, reply } => {
                let decision = self.ask(actor, id, command);
                self.answer(decision, reply);
            }
            HouseMail::Own(command, reply) => {
                let decision = self.own(command);
                self.answer(decision, reply);
            }
            HouseMail::Follow { topic, source, line } => self.follow(topic, source, line),
            HouseMail::Look(look) => self.said.push(Said::Then(look(self.house.machine()))),
            HouseMail::Message(message) => self.receive(&message),
            HouseMail::Await { hash, reply } => {
                self.said.extend(self.awaited.wait(self.house.machine(), hash, reply));
            }
            HouseMail::Depart => {}
        }
    }

    fn receive(&mut self, message: &Message) {
        match *message {
            Message::ToHouse { cluster, transfer } => {
                let number = transfer.number;
                if number > self.house.machine().received(cluster) {
                    let decision = self.own(HouseCommand::Receive { cluster, transfer });
                    self.said.extend(self.awaited.arrived(self.house.machine(), &transfer, &decision));
                }
                // The House acknowledges a transfer only once it holds it; a refused transfer is retried.
                if self.house.machine().received(cluster) >= number {
                    self.said.push(Said::Send(Message::HouseHolds { cluster, number }));
                }
            }
            Message::ClusterHolds { cluster, number } => {
                if self.house.machine().outbox(cluster).next().is_some_and(|first| first.number == number) {
                    self.own(HouseCommand::Delivered { cluster, number });
                }
            }
            // These have other receivers.
            Message::Notice { .. }
            | Message::Followed { .. }
            | Message::HouseHolds { .. }
            | Message::ToCluster { .. } => {}
        }
    }

    fn ask(&mut self, actor: Actor, id: CommandId, command: HouseCommand) -> Decision<HouseEvent> {
        self.shown.asked();
        self.touched.extend(at_seat::touched(self.house.machine(), &command));
        self.house.ask(Asked { time: self.clock.now(), actor, id, command })
    }

    fn own(&mut self, command: HouseCommand) -> Decision<HouseEvent> {
        let id = self.ids.next();
        self.ask(Actor::System, id, command)
    }

    fn answer(&mut self, decision: Decision<HouseEvent>, reply: Reply) {
        let is_repeated = matches!(decision, Decision::Repeated(_));
        let answer = match decision {
            Decision::Accepted(event) => Answer::with(&event),
            // The House knows no game, and no paragraph of one.
            Decision::Refused(refusal) => {
                self.refusals.add(refusal);
                Answer::new(Verdict::Refused(refusal), |_| Vec::new())
            }
            Decision::Repeated(verdict) => Answer::new(verdict, |_| Vec::new()),
        };
        self.said.extend(reply.with(answer, is_repeated));
    }

    fn tell_seat(&mut self, cluster: ClusterId, seat: Seat) {
        let money = Box::new(SeatMoney::of(self.house.machine(), cluster, seat));
        let letter = TableMail::SeatMoney { cluster: cluster.number, seat, money };
        self.said.push(Said::ToTable(cluster.table, letter));
    }

    fn tell_seats_again(&mut self) {
        for ((cluster, seat), times) in std::mem::take(&mut self.told_again) {
            self.tell_seat(cluster, seat);
            if times > 1 {
                self.told_again.insert((cluster, seat), times - 1);
            }
        }
    }

    /// Posts the transfers that clusters have not been sent, and hands everything over.
    fn hand_over(&mut self) -> Result<(), Stopped> {
        self.show();
        for (cluster, seat) in std::mem::take(&mut self.touched) {
            self.tell_seat(cluster, seat);
            self.told_again.insert((cluster, seat), TOLD_AGAIN);
        }
        let house = self.house.machine();
        let clusters = house.tables().flat_map(|(table, of)| clusters(table, of.clusters.get()));
        for cluster in clusters {
            let posted = self.posted.entry(cluster).or_insert(0);
            let before = *posted;
            for transfer in house.outbox(cluster).filter(|transfer| transfer.number > before) {
                *posted = transfer.number;
                self.said.push(Said::Send(Message::ToCluster { cluster, transfer: *transfer }));
            }
        }
        let (said, voice) = (std::mem::take(&mut self.said), self.voice.clone());
        self.house.commit(move |recorded| {
            // If it was not recorded nobody hears anything: the House stops.
            if recorded.is_ok() {
                voice.say(said);
            }
        })?;
        Ok(())
    }
}

fn clusters(table: TableId, clusters: u16) -> impl Iterator<Item = ClusterId> {
    (0..clusters).map(move |number| ClusterId { table, number })
}

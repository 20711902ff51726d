//! The House where another node holds it: what is looked at is read from its record up to the moment, and what is asked of it
//! is sent there.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Duration;

use taisai_record::{Follower, Seen};
use taisai_table::{Actor, Decision, House, HouseCommand};
use tokio::sync::{mpsc, oneshot};

use super::awaited::Awaited;
use super::{AT_ONCE, HouseMail};
use crate::clock::{OwnIds, Sources};
use crate::leaving::{Answer, Post, Reply, Said};
use crate::nodes::{Courier, Forwarded};
use crate::stopped::Stopped;

/// How often the record is read for those who wait for a voucher, and how often a report is sent again.
const EVERY: Duration = Duration::from_millis(100);

/// A house that is closed sends what it has to report for so long.
const LAST: Duration = Duration::from_secs(2);

/// So many reports may wait for the House; more than that tell nothing new.
const MOST_REPORTS: usize = 10_000;

/// A House that is followed.
pub(crate) struct FollowedHouse {
    /// Away while the record is read.
    follower: Option<Follower<House>>,
    courier: Courier,
    ids: OwnIds,
    /// Those of reports, which wait: numbers must rise.
    report_ids: OwnIds,
    awaited: Awaited,
    /// What this node has to report, until the House has it.
    reports: VecDeque<Forwarded>,
    /// Where the House is found that this node holds after this one.
    post: Weak<Post>,
    /// Told when the first of them has arrived.
    reporting: Option<oneshot::Receiver<Option<Answer>>>,
}

impl FollowedHouse {
    pub(crate) fn new(follower: Follower<House>, courier: Courier, sources: &Sources, post: &Arc<Post>) -> Self {
        Self {
            follower: Some(follower),
            courier,
            ids: OwnIds::new(sources),
            report_ids: OwnIds::new(sources),
            awaited: Awaited::default(),
            reports: VecDeque::new(),
            post: Arc::downgrade(post),
            reporting: None,
        }
    }

    /// Runs until another takes the House's mail, and nobody has sent it any since.
    pub(crate) async fn run(
        mut self,
        own: mpsc::WeakSender<HouseMail>,
        mut mailbox: mpsc::Receiver<HouseMail>,
    ) -> Result<(), Stopped> {
        let mut mail = Vec::with_capacity(AT_ONCE);
        let mut ticks = tokio::time::interval(EVERY);
        loop {
            let is_due = tokio::select! {
                biased;
                taken = mailbox.recv_many(&mut mail, AT_ONCE) => {
                    if taken == 0 {
                        break;
                    }
                    mail.iter().any(|letter| matches!(letter, HouseMail::Look(_) | HouseMail::Await { .. }))
                }
                _ = ticks.tick() => {
                    // Some keep their way to the House for long: they ask for it again.
                    if self.is_replaced(&own) {
                        mailbox.close();
                    }
                    self.awaited.is_any()
                }
            };
            // Those who look at a House that cannot be read hear nothing, and ask again.
            let is_known = !is_due || self.follow().await?;
            for letter in mail.drain(..) {
                self.take(letter, is_known);
            }
            self.report();
        }
        self.hand_reports_over().await;
        self.send_reports().await;
        // A connection to a database is ended outside of any runtime.
        let follower = self.follower.take();
        tokio::task::spawn_blocking(move || drop(follower)).await.unwrap_or_default();
        Ok(())
    }

    /// Goes on to the end of the record; whether it could.
    async fn follow(&mut self) -> Result<bool, Stopped> {
        const BROKEN: Stopped = Stopped::BrokenDown("who follows the House");
        let mut follower = self.follower.take().ok_or(BROKEN)?;
        // A database is waited for outside of any runtime.
        let read = tokio::task::spawn_blocking(move || {
            let mut arrived = Vec::new();
            let followed = follower.follow(|seen| {
                if let Seen::Entry(_, _, entry) = seen
                    && let (HouseCommand::Receive { transfer, .. }, Ok(event)) = (&entry.asked.command, &entry.outcome)
                {
                    arrived.push((*transfer, event.clone()));
                }
                ControlFlow::Continue(())
            });
            (follower, followed, arrived)
        });
        let (follower, followed, arrived) = read.await.map_err(|_| BROKEN)?;
        let follower = self.follower.insert(follower);
        let Some(house) = follower.machine() else { return Ok(false) };
        for (transfer, event) in arrived {
            say(self.awaited.arrived(house, &transfer, &Decision::Accepted(event)));
        }
        if let Err(error) = &followed {
            tracing::warn!(%error, "the record of the House cannot be read: it is tried again");
        }
        Ok(followed.is_ok())
    }

    fn take(&mut self, letter: HouseMail, is_known: bool) {
        let house = self.follower.as_ref().and_then(Follower::machine).filter(|_| is_known);
        match letter {
            HouseMail::Command { actor, id, command: command @ HouseCommand::Report { .. }, reply: Reply::Nobody } => {
                self.keep(Forwarded { actor, id, command });
            }
            HouseMail::Command { actor, id, command, reply } => self.forward(Forwarded { actor, id, command }, reply),
            HouseMail::Own(command @ HouseCommand::Report { .. }, Reply::Nobody) => {
                let id = self.report_ids.next();
                self.keep(Forwarded { actor: Actor::System, id, command });
            }
            HouseMail::Own(command, reply) => {
                let id = self.ids.next();
                self.forward(Forwarded { actor: Actor::System, id, command }, reply);
            }
            HouseMail::Look(look) => {
                if let Some(house) = house {
                    look(house)();
                }
            }
            HouseMail::Await { hash, reply } => {
                if let Some(house) = house {
                    say(self.awaited.wait(house, hash, reply));
                }
            }
            HouseMail::Message(message) => self.courier.message(message),
            // Its screens are on the node that holds it.
            HouseMail::Follow { line, .. } => line.cut(),
            HouseMail::Depart => {}
        }
    }

    fn forward(&self, asked: Forwarded, reply: Reply) {
        self.courier.ask(asked, move |answer| {
            // Without an answer whoever waits hears nothing, and asks again under the same number.
            if let Some(answer) = answer {
                say(reply.with(answer, false));
            }
        });
    }

    fn keep(&mut self, report: Forwarded) {
        if self.reports.len() < MOST_REPORTS {
            self.reports.push_back(report);
        }
    }

    /// Whether the House's mail goes elsewhere.
    fn is_replaced(&self, own: &mpsc::WeakSender<HouseMail>) -> bool {
        let (own, post) = (own.upgrade(), self.post.upgrade());
        own.zip(post).is_some_and(|(own, post)| !own.same_channel(&post.house()))
    }

    /// Where this node holds the House itself now it has the reports that wait, and knows the first of them if it arrived before.
    async fn hand_reports_over(&mut self) {
        let Some(post) = self.post.upgrade().filter(|post| !post.house().is_closed()) else { return };
        for Forwarded { actor, id, command } in self.reports.drain(..) {
            post.to_house(HouseMail::Command { actor, id, command, reply: Reply::Nobody }).await;
        }
    }

    /// Where the house is closed here, the node that holds the House has those that wait before long, or nobody has.
    async fn send_reports(&mut self) {
        let until = tokio::time::Instant::now() + LAST;
        while let Some(first) = self.reports.pop_front() {
            let (tell, told) = oneshot::channel();
            self.courier.ask(first, move |answer| tell.send(answer).map_or_else(drop, drop));
            let Ok(Ok(Some(_))) = tokio::time::timeout_at(until, told).await else {
                return tracing::warn!(reports = self.reports.len() + 1, "reports may not have reached the House");
            };
        }
    }

    /// Sends the first report that the House does not have, again and again. It knows one that it had already.
    fn report(&mut self) {
        if let Some(reporting) = &mut self.reporting {
            match reporting.try_recv() {
                Err(oneshot::error::TryRecvError::Empty) => return,
                Ok(Some(_)) => drop(self.reports.pop_front()),
                Ok(None) | Err(oneshot::error::TryRecvError::Closed) => {}
            }
            self.reporting = None;
        }
        if let Some(first) = self.reports.front() {
            let (tell, told) = oneshot::channel();
            self.reporting = Some(told);
            self.courier.ask(first.clone(), move |answer| tell.send(answer).map_or_else(drop, drop));
        }
    }
}

fn say(said: Option<Said>) {
    match said {
        Some(Said::Answer(reply, answer)) => reply.send(answer).unwrap_or_default(),
        Some(Said::Then(then)) => then(),
        Some(
            Said::To(..) | Said::Send(_) | Said::ToHouse(_) | Said::ToTable(..) | Said::All(..) | Said::Follows(..),
        )
        | None => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use taisai_record::{Address, chain_of};
    use taisai_table::{MachineId, Report, TableId};
    use tokio::sync::watch;

    use super::*;
    use crate::clock::{self, Clock, Share};
    use crate::nodes::{NodePlan, Nodes};

    /// A House that nobody holds, and where its mail goes.
    fn followed() -> (FollowedHouse, Arc<Post>) {
        let (_, known) = watch::channel(taisai_journal::Roster::default());
        let courier = Courier::start(&Nodes::new("own".into(), known, &NodePlan::default()).unwrap());
        let follower = Follower::new(Address::Folder("nowhere".into()), chain_of(MachineId::House), Vec::new());
        let sources = Sources::new(Clock::start(clock::system, None), Share::ALL);
        let post = Arc::new(Post::closed(Some(courier.clone()), BTreeSet::new()));
        (FollowedHouse::new(follower, courier, &sources, &post), post)
    }

    #[tokio::test]
    async fn it_stops_when_its_follower_is_lost() {
        let (mut followed, post) = followed();
        followed.follower = None;
        let (mail, mailbox) = mpsc::channel(8);
        let own = mail.downgrade();
        post.set_house(mail);
        post.to_house(HouseMail::Look(Box::new(|_| Box::new(|| ())))).await;
        assert!(matches!(followed.run(own, mailbox).await, Err(Stopped::BrokenDown(_))));
    }

    /// Nobody holds the House for a while, and then this node does. A tumbler has its way to it from before.
    #[tokio::test]
    async fn what_waits_to_be_reported_is_handed_to_the_house_that_runs_here() {
        let (followed, post) = followed();
        let (mail, mailbox) = mpsc::channel(8);
        let (own, _tumbler) = (mail.downgrade(), mail.clone());
        post.set_house(mail);
        let followed = tokio::spawn(followed.run(own, mailbox));
        let reports = [1, 2, 3].map(|table| HouseCommand::Report { what: Report::Ruling { table: TableId(table) } });
        for report in reports.clone() {
            post.to_house(HouseMail::Own(report, Reply::Nobody)).await;
        }
        let (here, mut mailbox) = mpsc::channel(8);
        post.set_house(here);
        followed.await.unwrap().unwrap();
        let mut last = None;
        for report in reports {
            let letter = mailbox.recv().await;
            let Some(HouseMail::Command { actor: Actor::System, id, command, reply: Reply::Nobody }) = letter else {
                panic!("{report:?} is lost");
            };
            assert_eq!(command, report);
            assert!(last.replace(id.sequence) < Some(id.sequence), "numbers rise");
        }
    }
}

//! What leaves a machine once the record holds what it rests on: answers, what screens are shown, and letters to other machines.
//! It is gathered while commands are decided, carried by the writer's completion, and said in order by the voice of the table.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, Weak};

use axum::extract::ws::Utf8Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taisai_table::{ClusterId, MachineId, Message, Refusal, TableId, Verdict};
use tokio::sync::{mpsc, oneshot};

use crate::house::HouseMail;
use crate::line::Line;
use crate::nodes::{Courier, Term};
use crate::table::TableMail;

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It was carried out, now or when it was sent before; with what came of it, where the command does not say it all.
    Accepted(#[serde(skip_serializing_if = "Option::is_none")] Option<Value>),
    /// It was not.
    Refused(Refused),
}

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Refused {
    /// The refusal's name.
    #[cfg_attr(test, schema(value_type = crate::api::Code))]
    pub code: Cow<'static, str>,
    /// The paragraphs of the game that it rests on.
    pub paragraphs: Vec<String>,
    /// What is wrong, for people.
    pub sentence: Cow<'static, str>,
    /// What the house has on file of what was presented, where that says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

impl Answer {
    /// A command that was carried out, with what came of it.
    pub(crate) fn with(event: &impl Serialize) -> Self {
        Self::Accepted(Some(serde_json::to_value(event).expect("an event can be written down")))
    }

    /// What a verdict is told as.
    pub(crate) fn new(verdict: Verdict, paragraphs: impl FnOnce(Refusal) -> Vec<String>) -> Self {
        match verdict {
            Verdict::Accepted => Self::Accepted(None),
            Verdict::Refused(refusal) => Self::Refused(Refused {
                code: refusal.code().into(),
                paragraphs: paragraphs(refusal),
                sentence: refusal.sentence().into(),
                detail: None,
            }),
        }
    }
}

/// Who waits for an answer.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Someone who waits for this answer alone.
    Once(oneshot::Sender<Answer>),
    /// Someone who also has to know whether it was carried out before, when it was sent first.
    Again(oneshot::Sender<(Answer, bool)>),
    /// A terminal, whose answer goes with what it is shown of its seat.
    Seat(u64),
    /// Nobody.
    Nobody,
}

impl Reply {
    /// An answer for whoever waits, save a terminal, whose answers go with its seat.
    pub(crate) fn with(self, answer: Answer, is_repeated: bool) -> Option<Said> {
        match self {
            Self::Once(once) => Some(Said::Answer(once, answer)),
            // Whoever asked may have gone.
            Self::Again(again) => {
                Some(Said::Then(Box::new(move || again.send((answer, is_repeated)).map_or_else(drop, drop))))
            }
            Self::Seat(_) | Self::Nobody => None,
        }
    }
}

/// The numbers of a screen's commands: so that it can go on counting when it has lost count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// The source.
    pub(crate) source: u64,
    /// The newest number of the source that is known; zero if there is none.
    pub(crate) sequence: u64,
}

impl Counted {
    /// With what another machine knows.
    pub(crate) fn and(self, sequence: u64) -> Self {
        Self { sequence: self.sequence.max(sequence), ..self }
    }
}

/// The answer to a numbered command.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Answered {
    pub(crate) sequence: u64,
    pub(crate) answer: Answer,
}

/// Answers, as a screen is sent them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Answers {
    pub(crate) answers: Vec<Answered>,
}

impl Answers {
    /// One answer.
    pub(crate) fn one(sequence: u64, answer: Answer) -> Utf8Bytes {
        json(&Self { answers: vec![Answered { sequence, answer }] })
    }
}

/// A message as it is sent.
pub(crate) fn json(message: &impl Serialize) -> Utf8Bytes {
    serde_json::to_string(message).expect("a message can be written down").into()
}

/// What is done once the record holds what it rests on.
pub(crate) type Then = Box<dyn FnOnce() + Send>;

/// Something that leaves.
pub(crate) enum Said {
    /// An answer.
    Answer(oneshot::Sender<Answer>, Answer),
    /// A message to one screen.
    To(Line, Utf8Bytes),
    /// Something else.
    Then(Then),
    /// A message to another machine.
    Send(Message),
    /// A letter to the House.
    ToHouse(HouseMail),
    /// A letter to a table.
    ToTable(TableId, TableMail),
    /// A message to every screen that follows a topic.
    All(Topic, Utf8Bytes),
    /// A screen follows topics from now on, and is shown how they stand.
    Follows(Line, Vec<Topic>, Utf8Bytes),
}

/// What screens can follow at one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// What anyone at the table may see.
    Public,
    /// What its staff see beside it.
    Staff,
    /// What the pit sees of the House.
    Pit,
    /// What the cage sees of the House.
    Cage,
    /// What auditors see of the House.
    Audit,
}

impl Topic {
    const ALL: usize = 5;

    const fn place(self) -> usize {
        match self {
            Self::Public => 0,
            Self::Staff => 1,
            Self::Pit => 2,
            Self::Cage => 3,
            Self::Audit => 4,
        }
    }
}

/// How many screens follow each topic, for those who would prepare what nobody sees.
#[derive(Debug, Default)]
pub(crate) struct Followed([AtomicUsize; Topic::ALL]);

impl Followed {
    /// Whether anybody follows. One who begins to is shown everything first, so the answer may be a little old.
    pub(crate) fn any(&self, topic: Topic) -> bool {
        self.0[topic.place()].load(Ordering::Relaxed) > 0
    }
}

/// What a machine speaks through.
#[derive(Clone)]
pub(crate) struct Voice {
    /// What may leave together goes together.
    leaving: mpsc::UnboundedSender<Vec<Said>>,
    pub(crate) followed: Arc<Followed>,
}

impl Voice {
    /// Begins to speak, in a runtime, for as long as the term lasts.
    pub(crate) fn start(post: &Arc<Post>, term: Term) -> Self {
        let (leaving, left) = mpsc::unbounded_channel();
        let followed = Arc::new(Followed::default());
        tokio::spawn(speak(left, Arc::downgrade(post), term, Arc::clone(&followed)));
        Self { leaving, followed }
    }

    /// Says it all, in order. Called once the record holds what it rests on.
    pub(crate) fn say(&self, said: Vec<Said>) {
        // A voice that has gone is of a house that was closed.
        self.leaving.send(said).unwrap_or_default();
    }
}

/// The mailboxes of a house. On several nodes those of its parts that run here, and the way to the others.
pub(crate) struct Post {
    house: RwLock<mpsc::Sender<HouseMail>>,
    tables: RwLock<BTreeMap<TableId, mpsc::Sender<TableMail>>>,
    /// Clusters that run apart from their dealer's side.
    clusters: RwLock<BTreeMap<ClusterId, mpsc::Sender<TableMail>>>,
    /// The tables whose clusters do.
    spread: BTreeSet<TableId>,
    courier: Option<Courier>,
}

impl Post {
    /// A post where nobody takes mail yet.
    pub(crate) fn closed(courier: Option<Courier>, spread: BTreeSet<TableId>) -> Self {
        let (nobody, _) = mpsc::channel(1);
        Self { house: RwLock::new(nobody), tables: RwLock::default(), clusters: RwLock::default(), spread, courier }
    }

    /// From now on nobody takes mail.
    pub(crate) fn close(&self) {
        self.tables.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.clusters.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.set_house(mpsc::channel(1).0);
    }

    pub(crate) fn house(&self) -> mpsc::Sender<HouseMail> {
        self.house.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends the House a letter. A mailbox that was closed has a new one in its place; where the house is closed nobody needs it.
    pub(crate) async fn to_house(&self, letter: HouseMail) {
        if let Err(mpsc::error::SendError(letter)) = self.house().send(letter).await {
            self.house().send(letter).await.unwrap_or_default();
        }
    }

    /// Sends a message to its machine, here or on another node. One that does not arrive is sent again by its sender.
    async fn send(&self, message: Message) {
        let machine = match message.to() {
            MachineId::House => return self.to_house(HouseMail::Message(message)).await,
            MachineId::Round(table) => self.table(table),
            MachineId::Cluster(cluster) => self.cluster(cluster),
        };
        match (machine, self.courier()) {
            (Some(machine), _) => machine.send(TableMail::Message(message)).await.unwrap_or_default(),
            (None, Some(courier)) => courier.message(message),
            (None, None) => {}
        }
    }

    /// From now on the House's mail comes here.
    pub(crate) fn set_house(&self, house: mpsc::Sender<HouseMail>) {
        *self.house.write().unwrap_or_else(PoisonError::into_inner) = house;
    }

    pub(crate) fn table(&self, table: TableId) -> Option<mpsc::Sender<TableMail>> {
        self.tables().get(&table).cloned()
    }

    /// The tables that run here.
    pub(crate) fn tables(&self) -> RwLockReadGuard<'_, BTreeMap<TableId, mpsc::Sender<TableMail>>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tables that run here, and the clusters that do apart from theirs.
    pub(crate) fn all(&self) -> Vec<mpsc::Sender<TableMail>> {
        let clusters = self.clusters.read().unwrap_or_else(PoisonError::into_inner);
        self.tables().values().chain(clusters.values()).cloned().collect()
    }

    /// From now on the table runs here, or no longer.
    pub(crate) fn set_table(&self, table: TableId, mail: Option<mpsc::Sender<TableMail>>) {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        match mail {
            Some(mail) => drop(tables.insert(table, mail)),
            None => drop(tables.remove(&table)),
        }
    }

    /// Where a cluster runs, if that is here.
    pub(crate) fn cluster(&self, cluster: ClusterId) -> Option<mpsc::Sender<TableMail>> {
        if !self.is_spread(cluster.table) {
            return self.table(cluster.table);
        }
        self.clusters.read().unwrap_or_else(PoisonError::into_inner).get(&cluster).cloned()
    }

    /// Whether the clusters of a table run apart from its dealer's side.
    pub(crate) fn is_spread(&self, table: TableId) -> bool {
        self.spread.contains(&table)
    }

    /// From now on it runs here, or no longer.
    pub(crate) fn set_cluster(&self, cluster: ClusterId, mail: Option<mpsc::Sender<TableMail>>) {
        let mut clusters = self.clusters.write().unwrap_or_else(PoisonError::into_inner);
        match mail {
            Some(mail) => drop(clusters.insert(cluster, mail)),
            None => drop(clusters.remove(&cluster)),
        }
    }

    /// Where a letter goes that is meant for one of a table's machines, if that runs here.
    fn mailbox(&self, table: TableId, letter: &TableMail) -> Option<mpsc::Sender<TableMail>> {
        match letter {
            TableMail::SeatMoney { cluster, .. } => self.cluster(ClusterId { table, number: *cluster }),
            TableMail::Round { .. }
            | TableMail::Cluster { .. }
            | TableMail::Sit { .. }
            | TableMail::Gone { .. }
            | TableMail::Follow { .. }
            | TableMail::Look(_)
            | TableMail::Slip { .. }
            | TableMail::Message(_)
            | TableMail::AtCluster { .. }
            | TableMail::Followed(_)
            | TableMail::DamagedSet { .. }
            | TableMail::Depart => self.table(table),
        }
    }

    /// The way to the other nodes.
    pub(crate) const fn courier(&self) -> Option<&Courier> {
        self.courier.as_ref()
    }
}

/// Says what leaves, in order, until there is no one who could speak, or no right to.
async fn speak(mut leaving: mpsc::UnboundedReceiver<Vec<Said>>, post: Weak<Post>, term: Term, followed: Arc<Followed>) {
    let mut followers: [Vec<Line>; Topic::ALL] = Default::default();
    while let Some(said) = leaving.recv().await {
        // Another node may answer for the machine by now: whoever waits hears nothing more from this one.
        if !term.holds() {
            break;
        }
        for said in said {
            match said {
                // Whoever asked may have gone.
                Said::Answer(reply, answer) => reply.send(answer).unwrap_or_default(),
                Said::To(line, message) => {
                    line.say(message);
                }
                Said::Then(then) => then(),
                // What does not arrive is sent again, or its sender stops too.
                Said::ToHouse(letter) => {
                    if let Some(post) = post.upgrade() {
                        post.to_house(letter).await;
                    }
                }
                Said::Send(message) => {
                    if let Some(post) = post.upgrade() {
                        post.send(message).await;
                    }
                }
                Said::ToTable(table, letter) => {
                    let Some(post) = post.upgrade() else { continue };
                    match (post.mailbox(table, &letter), post.courier()) {
                        (Some(table), _) => table.send(letter).await.unwrap_or_default(),
                        (None, Some(courier)) => courier.to_table(table, &letter),
                        (None, None) => {}
                    }
                }
                Said::All(topic, message) => {
                    let followers = &mut followers[topic.place()];
                    followers.retain(|line| line.say(message.clone()));
                    followed.0[topic.place()].store(followers.len(), Ordering::Relaxed);
                }
                Said::Follows(line, topics, message) => {
                    if line.say(message) {
                        for topic in topics {
                            let followers = &mut followers[topic.place()];
                            followers.retain(|line| !line.is_dead());
                            followers.push(line.clone());
                            followed.0[topic.place()].store(followers.len(), Ordering::Relaxed);
                        }
                    }
                }
            }
        }
    }
    // Whoever follows connects again, and is shown how things stand then.
    followers.iter().flatten().for_each(Line::cut);
}

//! The thread that keeps a node among the living: it beats, claims what nobody holds, and tells what it has become.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use taisai_journal::{ChainName, Claimed, LeaseError, Leases, Member, NodeName, Roster, Terms};
use taisai_table::ClusterId;
use tokio::sync::watch;

use super::{NodePlan, Nodes, Term, house};
use crate::hall::{HallError, guarded};

/// A beat that failed is tried again so soon.
const AGAIN: Duration = Duration::from_millis(100);

/// So many parts are claimed between two beats.
const AT_ONCE: usize = 8;

/// A cluster is taken from a node that has held it for so long at least: whoever has just come to hold it has still to open it.
const SETTLED_IN: Duration = Duration::from_secs(10);

/// What a node has become.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It holds a part, and opens it.
    Held(ChainName),
    /// A part that it holds is to go to another node, when it can.
    Wanted(ChainName),
    /// A part that runs here has ended, as it was told to.
    Ended(ChainName),
    /// A cluster does not follow its round.
    Silent(ClusterId),
    /// It holds nothing any more, for this reason.
    Over(String),
    /// The house is being closed.
    Closed,
}

/// What the thread is told.
enum Word {
    /// These are the parts of the house.
    Parts(Vec<ChainName>),
    /// The node has closed a part, which anyone may hold.
    Released(ChainName),
    /// A part is taken from whoever holds it.
    Seized(ChainName),
}

/// Names under which this process was in the house and could not say that it leaves: it does so when it joins anew, and nobody has
/// to wait for the end of leases that it does not use any more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Former(Arc<Mutex<Vec<NodeName>>>);

impl Former {
    fn add(&self, name: NodeName) {
        self.names().push(name);
    }

    fn names(&self) -> MutexGuard<'_, Vec<NodeName>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What cannot be said now either is left to the leases.
    fn leave(&self, leases: &mut Leases) {
        for name in std::mem::take(&mut *self.names()) {
            if let Err(error) = leases.forget(&name) {
                tracing::warn!(%error, "the leases of this node as it was end by themselves");
            }
        }
    }
}

/// A node that has joined. It leaves when this is dropped.
pub(crate) struct Membership {
    words: Option<Sender<Word>>,
    thread: Option<JoinHandle<()>>,
    pub(crate) term: Term,
    pub(crate) nodes: Nodes,
    pub(crate) slot: u16,
}

impl Membership {
    /// Joins the house in a store, as a node that is reached at an address.
    pub(crate) fn join(
        store: &str,
        (plan, former, address): (&NodePlan, &Former, &str),
        version: &str,
        turns: Sender<Turn>,
    ) -> Result<Self, HallError> {
        let terms = Terms::default();
        let mut leases = Leases::open(store, terms)?;
        former.leave(&mut leases);
        let member = leases.join(address, version)?;
        let (roster, known) = watch::channel(Roster::default());
        let nodes = Nodes::new(member.name().clone(), known, plan)?;
        let (term, slot) = (Term::new(member.tenure()), member.slot());
        let (words, heard) = mpsc::channel();
        let living = Living {
            name: member.name().clone(),
            member,
            former: former.clone(),
            roster,
            turns,
            term: term.clone(),
            parts: vec![house()],
            held: BTreeSet::new(),
            wanted: BTreeSet::new(),
            since: BTreeMap::new(),
        };
        let broken = {
            let (turns, term) = (living.turns.clone(), term.clone());
            move || {
                term.end();
                turns.send(Turn::Over("who beats for the node broke down".to_owned())).unwrap_or_default();
            }
        };
        let run = move || guarded(broken, || living.run(&heard, terms.beat()));
        let thread = thread::Builder::new().name("node".to_owned()).spawn(run)?;
        Ok(Self { words: Some(words), thread: Some(thread), term, nodes, slot })
    }

    /// Tells which parts the house has.
    pub(crate) fn claim(&self, parts: Vec<ChainName>) {
        self.say(Word::Parts(parts));
    }

    /// Gives a part up that was closed here.
    pub(crate) fn release(&self, part: ChainName) {
        self.say(Word::Released(part));
    }

    /// Takes a part from its holder.
    pub(crate) fn seize(&self, part: ChainName) {
        self.say(Word::Seized(part));
    }

    fn say(&self, word: Word) {
        if let Some(words) = &self.words {
            // A thread that has ended has said that all is over.
            words.send(word).unwrap_or_default();
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.term.end();
        drop(self.words.take());
        if let Some(thread) = self.thread.take() {
            // One that broke down has said so; its leases end by themselves.
            thread.join().unwrap_or_default();
        }
        // A beat that was under way may have made it longer.
        self.term.end();
    }
}

struct Living {
    name: NodeName,
    member: Member,
    former: Former,
    roster: watch::Sender<Roster>,
    turns: Sender<Turn>,
    term: Term,
    parts: Vec<ChainName>,
    held: BTreeSet<ChainName>,
    /// Those of them that were told to go.
    wanted: BTreeSet<ChainName>,
    /// Who holds each part, and since when.
    since: BTreeMap<ChainName, (NodeName, Instant)>,
}

impl Living {
    fn run(mut self, words: &Receiver<Word>, beat: Duration) {
        let mut wait = Duration::ZERO;
        loop {
            match words.recv_timeout(wait) {
                Ok(Word::Parts(parts)) => self.parts = parts,
                Ok(Word::Released(part)) => self.release(&part),
                Ok(Word::Seized(part)) => self.seize(part),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.leave(),
            }
            wait = match self.step() {
                Ok(()) => beat,
                Err(error) if matches!(error, LeaseError::Lapsed) || !self.term.holds() => {
                    self.term.end();
                    self.turns.send(Turn::Over(error.to_string())).unwrap_or_default();
                    return self.leave();
                }
                Err(error) => {
                    tracing::warn!(%error, "the node could not say that it lives: it tries again");
                    AGAIN
                }
            };
        }
    }

    /// Nobody waits for the end of what this node gives up; if it cannot say so they do.
    fn leave(self) {
        if let Err(error) = self.member.leave() {
            tracing::warn!(%error, "the node could not say that it leaves: it does when it joins anew");
            self.former.add(self.name);
        }
    }

    fn release(&mut self, part: &ChainName) {
        self.held.remove(part);
        self.wanted.remove(part);
        if let Err(error) = self.member.release(part) {
            tracing::warn!(%part, %error, "a part could not be given up: it is when the node leaves");
        }
    }

    /// One that this node holds itself is silent for another reason: the node drops everything, and joins anew.
    fn seize(&mut self, part: ChainName) {
        let Some((holder, since)) = self.since.get(&part) else { return };
        if since.elapsed() < SETTLED_IN {
            return;
        }
        if self.held.contains(&part) {
            return self.turn(Turn::Over(format!("{part} does not follow its round")));
        }
        match self.member.seize(&part, holder) {
            Ok(false) => {}
            Ok(true) => {
                self.held.insert(part.clone());
                self.turn(Turn::Held(part));
            }
            Err(error) => tracing::warn!(%part, %error, "a silent cluster could not be taken: it is tried again"),
        }
    }

    fn step(&mut self) -> Result<(), LeaseError> {
        let beat = self.member.beat()?;
        if !self.term.renew(beat.tenure) {
            return Err(LeaseError::Lapsed);
        }
        let mut roster = beat.roster;
        if self.held.iter().any(|part| roster.holder(part).is_none_or(|holder| holder.name != self.name)) {
            return Err(LeaseError::Lapsed);
        }
        // What the database gives to this node it opens, also where it was not told so before.
        let given = roster.held_by(&self.name).map(|lease| lease.part.clone()).filter(|part| !self.held.contains(part));
        let mut claimed: Vec<ChainName> = given.collect();
        claimed.extend(roster.dealt_to(&self.name, &self.parts));
        for part in claimed.into_iter().take(AT_ONCE) {
            if self.member.claim(&part)? == Claimed::Mine {
                roster.hold(&part, &self.name);
                self.held.insert(part.clone());
                self.turn(Turn::Held(part));
            }
        }
        let wanted: Vec<ChainName> = roster.wanted_from(&self.name).map(|(part, _)| part.clone()).collect();
        for part in wanted {
            if self.held.contains(&part) && self.wanted.insert(part.clone()) {
                self.turn(Turn::Wanted(part));
            }
        }
        if let Some((part, node)) = roster.too_many(&self.name, &house()) {
            tracing::info!(%part, %node, "a node has fewer parts: one goes there");
            self.member.leases().wish(&part, &node)?;
        }
        for lease in &roster.leases {
            let Some(holder) = &lease.holder else { continue };
            let since = self.since.entry(lease.part.clone()).or_insert_with(|| (holder.clone(), Instant::now()));
            if since.0 != *holder {
                *since = (holder.clone(), Instant::now());
            }
        }
        // Every relayed socket waits for a change.
        self.roster.send_if_modified(|known| {
            let has_changed = *known != roster;
            *known = roster;
            has_changed
        });
        Ok(())
    }

    fn turn(&self, turn: Turn) {
        // A house that is being closed hears nothing more.
        self.turns.send(turn).unwrap_or_default();
    }
}

//! Note acceptors and their stackers (F86). Credits for a note come from the acceptor at the seat, never from the terminal: the
//! acceptor holds the note in escrow and stacks it only after it was accepted.

use serde::{Deserialize, Serialize};
use taisai_rules::{Money, Station};

use crate::cluster::decide::ClusterDecision;
use crate::cluster::{Cluster, ClusterEvent, less, sum};
use crate::identity::{Actor, CommandId, DeviceId, Seat};
use crate::profile::Act;
use crate::recent::{CommandIdStatus, LatestSourceCommands};
use crate::refusal::Refusal;

/// The notes that an acceptor has taken since its stacker was emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stacker {
    pub seat: Seat,
    /// How many notes were accepted.
    pub notes: u32,
    /// What they are worth.
    pub amount: Money,
    /// Recent commands of the acceptor, kept apart from the other sources: if they were forgotten, a note sent again would
    /// count twice.
    pub(super) recent: LatestSourceCommands,
}

impl Stacker {
    pub(super) fn new(seat: Seat) -> Self {
        Self { seat, notes: 0, amount: Money::ZERO, recent: LatestSourceCommands::default() }
    }
}

impl Cluster {
    /// Whether a note acceptor's command is a repetition. A cold function: inlined, it slowed down every bet.
    #[cold]
    pub(super) fn known_of_acceptor(&self, acceptor: DeviceId, id: CommandId, content: u64) -> CommandIdStatus {
        match self.state.stackers.get(&acceptor) {
            Some(stacker) => stacker.recent.known(id, content),
            None => LatestSourceCommands::default().known(id, content),
        }
    }

    /// Whether the actor is the note acceptor of the seat. There are none if the profile lists no notes.
    fn is_acceptor(&self, actor: Actor, seat: Seat) -> Result<DeviceId, Refusal> {
        let Actor::NoteAcceptor { device, seat: own } = actor else { return Err(Refusal::NotAllowed) };
        if own == seat && !self.notes().is_empty() { Ok(device) } else { Err(Refusal::NotAllowed) }
    }

    pub(super) fn accept_note(&self, actor: Actor, seat: Seat, amount: Money) -> ClusterDecision {
        let acceptor = self.is_acceptor(actor, seat)?;
        self.can_take_money(seat)?;
        if !self.notes().contains(&amount) {
            return Err(Refusal::NoteNotTaken);
        }
        self.check_money(amount)?;
        let stacked = self.state.stackers.get(&acceptor).map_or(0, |stacker| stacker.notes);
        if stacked == u32::MAX { Err(Refusal::AmountTooLarge) } else { Ok(ClusterEvent::Done) }
    }

    pub(super) fn count_stacker(&self, actor: Actor, seat: Seat, notes: u32) -> ClusterDecision {
        let acceptor = self.is_acceptor(actor, seat)?;
        self.known_seat(seat)?;
        let accepted = self.state.stackers.get(&acceptor).map_or(0, |stacker| stacker.notes);
        if notes == accepted { Ok(ClusterEvent::Done) } else { Ok(ClusterEvent::StackerDiffers { accepted }) }
    }

    pub(super) fn empty_stacker(&self, actor: Actor, acceptor: DeviceId, notes: u32, amount: Money) -> ClusterDecision {
        self.profile.check(Act::BuyIn, actor, None)?;
        // Neither a worthless note, nor an amount without notes.
        if amount < Money::ZERO || (amount == Money::ZERO) != (notes == 0) {
            return Err(Refusal::BadAmount);
        }
        self.check_counted(amount)?;
        let stacker = self.state.stackers.get(&acceptor).ok_or(Refusal::UnknownDevice)?;
        Ok(ClusterEvent::StackerEmptied { accepted: stacker.notes, amount: stacker.amount })
    }

    pub(super) fn note_accepted(&mut self, actor: Actor, seat: Seat, amount: Money) {
        let Actor::NoteAcceptor { device, .. } = actor else { unreachable!("only a note acceptor takes notes") };
        let stacker = self.state.stackers.get_mut(&device).expect("an acceptor has a stacker from its first command");
        stacker.notes += 1;
        stacker.amount = sum(stacker.amount, amount);
        self.state.ledger.notes = less(self.state.ledger.notes, amount);
        self.credit(seat, amount);
    }

    /// Moves the notes from the stacker to cash. The difference between counted and accepted is the variance.
    pub(super) fn stacker_emptied(&mut self, acceptor: DeviceId, counted: Money, event: &ClusterEvent) {
        let ClusterEvent::StackerEmptied { amount, .. } = event else {
            unreachable!("emptying a stacker gives what was accepted")
        };
        let stacker = self.state.stackers.get_mut(&acceptor).expect("the stacker was found");
        (stacker.notes, stacker.amount) = (0, Money::ZERO);
        let ledger = &mut self.state.ledger;
        ledger.notes = sum(ledger.notes, *amount);
        ledger.cash = less(ledger.cash, counted);
        ledger.variance = sum(ledger.variance, less(counted, *amount));
    }

    /// Refuses unless a connected terminal takes the credits. At a live table the player gets cash chips instead.
    pub(super) fn can_take_money(&self, seat: Seat) -> Result<(), Refusal> {
        if self.rules.game().station() == Station::LiveTable {
            return Err(Refusal::NotInGame);
        }
        if self.known_seat(seat)?.is_lost { Err(Refusal::TerminalLost) } else { Ok(()) }
    }
}

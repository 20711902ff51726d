//! Messages that a player must read: a round was corrected or voided after settlement, or a buy-in was reversed. They are
//! stored beside the seats, because placing a bet never needs them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use taisai_rules::{Money, Station};

use crate::cluster::decide::ClusterDecision;
use crate::cluster::{Cluster, ClusterEvent};
use crate::identity::{Actor, Receipt, RoundNumber, Seat, SessionId};
use crate::refusal::Refusal;
use crate::round::RoundStanding;

/// A session keeps its latest messages, at most this many.
const MAX_MESSAGES: usize = 100;

/// What a message to a player says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlayerNotice {
    /// A settled round was settled again or voided. What is given beyond `at_once` is set off against what the session owes for
    /// earlier rounds; what is taken beyond it is owed, unless the House bears it.
    Changed {
        round: RoundNumber,
        stands: RoundStanding,
        /// What the session gets, or gives if negative.
        amount: Money,
        /// How much of it was put to the credits, or taken from them if negative.
        at_once: Money,
        /// Whether the House bears what the session would give (F81).
        is_waived: bool,
    },
    /// A buy-in was reversed: the cash was given back.
    BuyInReversed { receipt: Receipt, amount: Money },
}

/// A message to the player of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerMessage {
    /// Counted from one in each session.
    pub number: u32,
    pub what: PlayerNotice,
    /// The free credits after it.
    pub credits: Money,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionMessages {
    session: SessionId,
    latest: VecDeque<PlayerMessage>,
    /// Those up to this number were read.
    read: u32,
    sent: u32,
}

impl Cluster {
    /// A session that ended because nothing was left keeps its messages until the next one begins.
    fn messages_of(&self, seat: Seat) -> Option<&SessionMessages> {
        let session = self.session(seat).or_else(|| self.ended_session(seat))?;
        self.state.messages.get(&seat).filter(|messages| messages.session == session)
    }

    /// The messages of the latest session of a seat, oldest first, each with whether it was read.
    pub fn messages(&self, seat: Seat) -> impl Iterator<Item = (&PlayerMessage, bool)> {
        let messages = self.messages_of(seat);
        messages.into_iter().flat_map(|of| of.latest.iter().map(|message| (message, message.number <= of.read)))
    }

    /// A terminal says that its player has read everything up to a message.
    pub(super) fn read(&self, actor: Actor, seat: Seat, message: u32) -> ClusterDecision {
        if !actor.is_terminal_of(seat) {
            return Err(Refusal::NotAllowed);
        }
        self.known_seat(seat)?;
        let is_unread = self.messages_of(seat).is_some_and(|of| of.read < message && message <= of.sent);
        if is_unread { Ok(ClusterEvent::Done) } else { Err(Refusal::NothingToRead) }
    }

    pub(super) fn was_read(&mut self, seat: Seat, message: u32) {
        self.state.messages.get_mut(&seat).expect("the message was found").read = message;
    }

    /// Adds a message if a session is open at the terminal. At a live table the Dealer informs the player.
    pub(super) fn notify_player(&mut self, seat: Seat, what: PlayerNotice) {
        if self.rules.game().station() == Station::LiveTable {
            return;
        }
        let Some(session) = self.session(seat) else { return };
        let credits = self.credits(seat);
        let none = || SessionMessages { session, latest: VecDeque::new(), read: 0, sent: 0 };
        let messages = self.state.messages.entry(seat).or_insert_with(none);
        if messages.session != session {
            *messages = none();
        }
        if messages.latest.len() == MAX_MESSAGES {
            messages.latest.pop_front();
        }
        messages.sent += 1;
        messages.latest.push_back(PlayerMessage { number: messages.sent, what, credits });
    }
}

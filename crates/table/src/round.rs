//! The dealer's side of a table: phase, cover, tumbles, dice, voids, corrections, rulings, and who holds which position.
//! It knows no bet and no money. What it decides reaches the clusters as numbered notices.

mod afterwards;
mod apply;
mod command;
mod decide;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use taisai_rules::{Dice, Face, Money};

pub use command::{Concealed, Notice, Position, RoundCommand, RoundEvent, RoundStanding, Ruling, VoidReason};

use crate::codec::{self, BadBytes};
use crate::event_outbox::EventOutbox;
use crate::house::ReportedEvent;
use crate::identity::{ClusterId, CommandId, PersonId, RoundNumber, TableId, Time};
use crate::past::PastRounds;
use crate::profile::{Law, Profile};
use crate::rules::{TableLimits, TableRules};
use crate::sources::CommandsBySource;

/// How often a valid tumble tumbles at least (3.7 of Tai Sai, 3.6 of the Electronic Table Game, 3.4 of the early edition).
pub const MIN_TUMBLES: u8 = 3;

/// How many rounds one command can void.
pub(crate) const MAX_VOIDED_ROUNDS: u64 = 10_000;

/// How many rulings of a table can wait for a witness.
const MAX_UNWITNESSED_RULINGS: usize = 100;

/// The phase of a round. `Shut` means that the table is not open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The table is not open.
    #[default]
    Shut,
    /// No round has begun.
    Idle,
    /// "Place your Bets, please".
    Open,
    /// "No more Bets" was announced, and not every cluster has applied it yet.
    Closing,
    /// No more bets.
    Closed,
    /// The result is committed, and not every cluster has settled it yet.
    Result,
    /// Every cluster has settled.
    Settled,
    /// The round is void.
    Void,
}

/// A past round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PastRound {
    /// The result as it stands; none for a void round that never had one.
    pub dice: Option<Dice>,
    /// The result first committed.
    pub first_dice: Option<Dice>,
    /// Why it is void, if it is.
    pub void: Option<VoidReason>,
    /// The dice that were in use.
    pub dice_set: u32,
    /// The tumbler that was in use.
    pub tumbler: u32,
    /// Who dealt.
    pub dealer: Option<PersonId>,
    /// Whether a ruling decided how it stands, which only another ruling changes (5.14).
    pub is_ruled: bool,
}

impl PastRound {
    /// How the round stands; in play where it has no result yet.
    pub fn standing(&self) -> RoundStanding {
        match (self.void, self.dice) {
            (Some(reason), _) => RoundStanding::Void(reason),
            (None, Some(dice)) => RoundStanding::Settled(dice),
            (None, None) => RoundStanding::InPlay,
        }
    }

    /// Changes the standing. A void round keeps its dice on record.
    fn stand(&mut self, standing: RoundStanding) {
        match standing {
            RoundStanding::Settled(dice) => {
                self.dice = Some(dice);
                self.first_dice = self.first_dice.or(Some(dice));
                self.void = None;
            }
            RoundStanding::Void(reason) => self.void = Some(reason),
            RoundStanding::InPlay => {}
        }
    }
}

/// A ruling whose money waits for a second person to witness it (5.14, F12).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Unwitnessed {
    pub round: RoundNumber,
    pub by: PersonId,
    pub why: String,
    /// How the round stands by the ruling.
    pub stands: RoundStanding,
    /// How the round is paid until then.
    pub paid: RoundStanding,
}

impl Unwitnessed {
    /// Whether it decides a round whose bets still lie there.
    fn is_of_play(&self) -> bool {
        self.paid == RoundStanding::InPlay
    }
}

/// What a cluster has reported last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ClusterProgress {
    cluster: ClusterId,
    followed: u64,
    colour_chips: Money,
    is_registered: bool,
}

/// Who has read the dice of the round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum DiceReader {
    /// The Dealer or nobody yet.
    Person,
    /// The tumbler itself.
    Tumbler,
}

/// The state of the dice of the round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Tumble {
    /// The tumbler is not activated.
    NotYet,
    /// It is: tumbles are counted.
    Tumbling,
    /// The dice have come to rest: no tumble is added to them.
    AtRest,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RoundState {
    phase: Phase,
    number: RoundNumber,
    closes_at: Option<Time>,
    is_held: bool,
    /// The dice are committed at a table that registers winners, and what wins is being registered.
    is_registering: bool,
    /// The last round before the closing of the table was announced.
    closure_announced: Option<RoundNumber>,
    /// The last round before the table was opened.
    opened_at: RoundNumber,
    tumble: Tumble,
    tumbles: u8,
    is_covered: bool,
    faces: Option<[Option<Face>; 3]>,
    read_by: DiceReader,
    /// The dice known at an interruption with an established outcome: play waits for the rest or a ruling.
    known: Option<Vec<Face>>,
    limits: Option<TableLimits>,
    dice_set: u32,
    /// The sets that were found damaged and not inspected since, in ascending order.
    damaged_sets: Vec<u32>,
    /// The rounds of damaged dice that an earlier ruling decided, and that must be ruled on.
    to_be_ruled: Vec<RoundNumber>,
    /// The rulings whose money waits for a witness, the oldest first; at most one a round.
    unwitnessed: Vec<Unwitnessed>,
    tumbler: u32,
    dealer: Option<PersonId>,
    supervisor: Option<PersonId>,
    manager: Option<PersonId>,
    /// Every round that is over or has a result, oldest first.
    #[serde(skip)]
    past: PastRounds<PastRound>,
    followers: Vec<ClusterProgress>,
    /// The number of notices so far; `notices` holds those that some cluster has not applied yet.
    issued: u64,
    notices: VecDeque<Notice>,
    recent: CommandsBySource,
    refusals: u64,
    #[serde(skip)]
    events: EventOutbox,
}

#[derive(Clone, Debug)]
pub struct Round {
    table: TableId,
    rules: TableRules,
    profile: Profile,
    is_training: bool,
    state: RoundState,
}

impl Round {
    /// A table that is not open yet, with its clusters.
    pub fn new(table: TableId, rules: TableRules, profile: Profile, is_training: bool, clusters: u16) -> Self {
        let follower = |number| ClusterProgress {
            cluster: ClusterId { table, number },
            followed: 0,
            colour_chips: Money::ZERO,
            is_registered: false,
        };
        let state = RoundState {
            phase: Phase::Shut,
            number: RoundNumber(0),
            closes_at: None,
            is_held: false,
            is_registering: false,
            closure_announced: None,
            opened_at: RoundNumber(0),
            tumble: Tumble::NotYet,
            tumbles: 0,
            is_covered: false,
            faces: None,
            read_by: DiceReader::Person,
            known: None,
            limits: None,
            dice_set: 0,
            damaged_sets: Vec::new(),
            to_be_ruled: Vec::new(),
            unwitnessed: Vec::new(),
            tumbler: 0,
            dealer: None,
            supervisor: None,
            manager: None,
            past: PastRounds::default(),
            followers: (0..clusters).map(follower).collect(),
            issued: 0,
            notices: VecDeque::new(),
            recent: CommandsBySource::default(),
            refusals: 0,
            events: EventOutbox::default(),
        };
        Self { table, rules, profile, is_training, state }
    }

    pub const fn table(&self) -> TableId {
        self.table
    }

    pub const fn rules(&self) -> &TableRules {
        &self.rules
    }

    pub const fn law(&self) -> &Law {
        &self.profile.law
    }

    /// The phase of the round.
    pub const fn phase(&self) -> Phase {
        self.state.phase
    }

    /// The round in play, or the last one.
    pub const fn number(&self) -> RoundNumber {
        self.state.number
    }

    /// When the time for bets is up, while they are open.
    pub const fn closes_at(&self) -> Option<Time> {
        self.state.closes_at
    }

    /// Whether play is held after a restart.
    pub const fn is_held(&self) -> bool {
        self.state.is_held
    }

    /// How many times the dice of this round have been tumbled, once the tumbler is activated.
    pub fn tumbles(&self) -> Option<u8> {
        self.state.is_activated().then_some(self.state.tumbles)
    }

    /// The faces as they lie, once they are at rest.
    pub const fn faces(&self) -> Option<[Option<Face>; 3]> {
        self.state.faces
    }

    /// The number of the newest command of a source; zero if none is remembered.
    pub fn newest(&self, source: u64) -> u64 {
        self.state.recent.newest(source)
    }

    /// The highest source so far; zero if there is none.
    pub fn highest_source(&self) -> u64 {
        self.state.recent.highest()
    }

    pub const fn is_training(&self) -> bool {
        self.is_training
    }

    /// Whether the closing of the table was announced (F15).
    pub const fn is_closure_announced(&self) -> bool {
        self.state.closure_announced.is_some()
    }

    /// Whether an interrupted round waits for its dice or a ruling.
    pub const fn is_interrupted(&self) -> bool {
        self.state.known.is_some()
    }

    /// The dice known at an interruption: they bind.
    pub fn known(&self) -> &[Face] {
        self.state.known.as_deref().unwrap_or_default()
    }

    /// Whether the dice are said to be covered.
    pub const fn is_covered(&self) -> bool {
        self.state.is_covered
    }

    /// The dice sets that were found damaged and not inspected since.
    pub fn damaged_sets(&self) -> &[u32] {
        &self.state.damaged_sets
    }

    /// The rounds of damaged dice that an earlier ruling decided, and that must be ruled on.
    pub fn to_be_ruled(&self) -> &[RoundNumber] {
        &self.state.to_be_ruled
    }

    /// The rulings whose money waits for a second person to witness them, the oldest first.
    pub fn unwitnessed_rulings(&self) -> &[Unwitnessed] {
        &self.state.unwitnessed
    }

    fn unwitnessed(&self, round: RoundNumber) -> Option<&Unwitnessed> {
        self.state.unwitnessed.iter().find(|ruling| ruling.round == round)
    }

    pub const fn limits(&self) -> Option<&TableLimits> {
        self.state.limits.as_ref()
    }

    pub const fn holder(&self, position: Position) -> Option<PersonId> {
        match position {
            Position::Dealer => self.state.dealer,
            Position::Supervisor => self.state.supervisor,
            Position::Manager => self.state.manager,
        }
    }

    /// A round that is over, or that has a result.
    pub fn past(&self, round: RoundNumber) -> Option<&PastRound> {
        self.state.past.get(round)
    }

    pub const fn dice_set(&self) -> u32 {
        self.state.dice_set
    }

    /// The tumbler in use, by its device number.
    pub const fn tumbler(&self) -> u32 {
        self.state.tumbler
    }

    /// The notices that a cluster has not reported as applied, each with its number.
    pub fn notices(&self, cluster: ClusterId) -> impl Iterator<Item = (u64, &Notice)> {
        let followed = self.state.followers.iter().find(|follower| follower.cluster == cluster);
        let followed = followed.map_or(u64::MAX, |follower| follower.followed);
        let kept = u64::try_from(self.state.notices.len()).unwrap_or(u64::MAX);
        let first = self.state.issued.saturating_sub(kept) + 1;
        (first..).zip(&self.state.notices).filter(move |(number, _)| *number > followed)
    }

    pub fn clusters(&self) -> impl Iterator<Item = ClusterId> {
        self.state.followers.iter().map(|follower| follower.cluster)
    }

    /// What a cluster has reported last: see [`crate::Cluster::reports`].
    pub fn reported(&self, cluster: ClusterId) -> Option<(u64, Money, bool)> {
        let follower = self.state.followers.iter().find(|follower| follower.cluster == cluster)?;
        Some((follower.followed, follower.colour_chips, follower.is_registered))
    }

    /// Whether what wins by the dice is being registered, before the round is settled.
    pub const fn is_registering(&self) -> bool {
        self.state.is_registering
    }

    pub const fn refusals(&self) -> u64 {
        self.state.refusals
    }

    /// The significant events that the House does not hold yet, in order, each with its number.
    pub fn events(&self) -> impl Iterator<Item = (CommandId, ReportedEvent)> {
        self.state.events.iter()
    }

    /// Whether every cluster has applied every notice.
    pub fn is_followed(&self) -> bool {
        self.state.followers.iter().all(|follower| follower.followed == self.state.issued)
    }
}

impl Round {
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        codec::write(&(&self.state, &self.state.past), &mut bytes);
        self.state.events.write(&mut bytes);
        bytes
    }

    /// A table with the state of a snapshot.
    pub fn restore(
        table: TableId,
        rules: TableRules,
        profile: Profile,
        is_training: bool,
        bytes: &[u8],
    ) -> Result<Self, BadBytes> {
        let ((state, past), behind) = codec::read_first(bytes)?;
        let events = EventOutbox::read(behind)?;
        Ok(Self { table, rules, profile, is_training, state: RoundState { past, events, ..state } })
    }

    /// The hash of the state: the same entries give the same hash on every machine.
    pub fn state_hash(&self) -> [u8; 32] {
        let pages: Vec<_> = self.state.past.pages().into_iter().chain(self.state.events.page()).collect();
        codec::hash(&self.state, &pages)
    }
}

//! The players' side of a table: seats of a live table or Player Terminals, with their sessions, credits, wagers and
//! limits. A cluster learns about the round only from the numbered notices of [`crate::Round`], and exchanges money with
//! the House in numbered transfers.

mod apply;
mod buy_in;
mod command;
mod conclude;
mod decide;
mod excess;
mod film;
mod invariant;
mod pay_list;
mod player_notice;
mod register;
mod settle;
mod slip_bytes;
mod stacker;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Limits, Money};

use crate::codec::{self, BadBytes};
use crate::event_outbox::EventOutbox;
use crate::house::ReportedEvent;
use crate::identity::{ClusterId, CommandId, DeviceId, PersonId, RoundNumber, Seat, SessionId};
use crate::past::PastRounds;
use crate::profile::{Law, Profile};
use crate::recent::LatestSourceCommands;
use crate::rules::{TableLimits, TableRules};
use crate::sources::CommandsBySource;
use crate::transfer::Transfer;

pub use buy_in::BuyIn;
pub use command::{CashOut, Chips, ClusterCommand, ClusterEvent, RejectedStake, Stake, Stakes};
pub use film::{FilmLine, FilmReturns};
use pay_list::ChipsGiven;
pub use pay_list::{PayLine, PayList, TickedOff};
use player_notice::SessionMessages;
pub use player_notice::{PlayerMessage, PlayerNotice};
pub use register::RequiredRegistration;
pub use settle::{Adjustment, OverDifferential, Slip, SlipLine, SlipTotals};
pub use slip_bytes::{BadKeptSlip, SettledSlip};
pub use stacker::Stacker;

/// What a seat has on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Wager {
    /// Position in the order of first placement.
    place: u32,
    units: u32,
    bet_box: BetBox,
    chips: Chips,
}

/// Counters of a seat, a session or a cluster (F31).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Meters {
    /// Bought in, and received from vouchers, less buy-ins that were reversed.
    pub bought_in: Money,
    /// Staked in rounds that are over.
    pub bet: Money,
    /// Paid for winning bets, stakes included.
    pub won: Money,
    /// Returned: excess, and bets of void rounds.
    pub returned: Money,
    /// Cashed out, and owed by hand after a correction or late void.
    pub dispensed: Money,
    /// Owed by the player: what a correction or late void could not take back.
    pub owed: Money,
    /// Rounds settled with a bet; at a table that registers winners every round, as it is not known which had bets.
    pub rounds: u32,
    /// Rounds void with a bet, or every one.
    pub voids: u32,
}

/// A set of Colour Chips with a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ColourSet {
    pub colour: u8,
    /// What one chip is worth.
    pub value: Money,
    /// What the chips in front of the player are worth.
    pub credits: Money,
}

/// One seat or terminal. The fields that a bet touches come first, to keep them in as few cache lines as possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(C)]
struct ClusterSeat {
    /// Boxes with a wager of own chips, one bit per box index.
    boxes: u128,
    credits: Money,
    on_layout: Money,
    bets: Vec<Wager>,
    recent: LatestSourceCommands,
    session: Option<SessionId>,
    /// Who reported that the player walked away from the bets (5.3).
    walked_away_by: Option<PersonId>,
    /// Refusals in this round.
    refusals: u32,
    is_locked: bool,
    is_lost: bool,
    last_bets: Vec<Wager>,
    colour: Option<ColourSet>,
    meters: Meters,
    session_meters: Meters,
    /// Debt of the open session at the House. What a later correction pays is set off against it first.
    owed: Money,
    /// The session that began last, whether or not it is open.
    latest_session: Option<SessionId>,
}

const _: () = assert!(std::mem::offset_of!(ClusterSeat, last_bets) <= 3 * 64, "a bet touches little of its seat");

impl ClusterSeat {
    /// Enough for most players, so that placing a bet does not allocate.
    const BETS: usize = 16;

    fn new() -> Self {
        Self {
            boxes: 0,
            credits: Money::ZERO,
            on_layout: Money::ZERO,
            bets: Vec::with_capacity(Self::BETS),
            recent: LatestSourceCommands::default(),
            session: None,
            walked_away_by: None,
            refusals: 0,
            is_locked: false,
            is_lost: false,
            last_bets: Vec::with_capacity(Self::BETS),
            colour: None,
            meters: Meters::default(),
            session_meters: Meters::default(),
            owed: Money::ZERO,
            latest_session: None,
        }
    }

    const fn has_walked_away(&self) -> bool {
        self.walked_away_by.is_some()
    }

    fn end_session(&mut self) {
        self.session = None;
        self.walked_away_by = None;
        self.last_bets.clear();
    }
}

/// Whether bets are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Betting {
    /// No round is in play.
    #[default]
    Idle,
    /// Bets are open.
    Open,
    /// No more bets.
    Closed,
}

/// What a correction or late void needs to know about a past round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PastSlip {
    digest: [u8; 32],
    /// The dice under which the digest was made; none if the round was void.
    first: Option<Dice>,
    /// The dice by which it stands now; none if it is void.
    latest: Option<Dice>,
    unit: Money,
}

/// Money outside the seats. Each balance is money in minus money out, so that all balances and the seats' credits and
/// bets sum to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClusterLedger {
    /// The result of the House.
    pub house: Money,
    /// Cash taken in at seats, and notes counted when stackers were emptied.
    pub cash: Money,
    /// Cash chips of live tables, brought and taken away by players.
    pub chips: Money,
    /// On its way to the House and from it.
    pub transit: Money,
    /// Notes in stackers (F86).
    pub notes: Money,
    /// What was counted in stackers beyond what had been accepted; negative where notes were missing.
    pub variance: Money,
}

/// The dice by which winners are registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ThrownDice {
    dice: Dice,
    /// The Dealer has declared that all winners are registered.
    is_registered: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ClusterState {
    seats: Vec<ClusterSeat>,
    is_table_open: bool,
    /// The closing of the table was announced.
    is_closing: bool,
    /// Who acts at this table (1.5).
    dealer: Option<PersonId>,
    supervisor: Option<PersonId>,
    manager: Option<PersonId>,
    betting: Betting,
    round: RoundNumber,
    is_held: bool,
    followed: u64,
    limits: Option<TableLimits>,
    /// Total units on each box.
    totals: Vec<u64>,
    /// Bets one by one in the order of placement, where the latest can be rejected; empty where limits bind terminals.
    placements: Vec<PlacedStake>,
    next_place: u32,
    /// The dice of the round whose winners are being registered.
    thrown: Option<ThrownDice>,
    /// Total units on boxes, as the Dealer announced them. Not every bet is registered, and the Differential of the
    /// opposite box depends on the total.
    announced_totals: BTreeMap<BetBox, u64>,
    /// The slip of the last round of a live table, for its pay list.
    last_slip: Vec<SlipLine>,
    /// The seats of it whose player had walked away: what they get became a claim.
    claimed: BTreeSet<Seat>,
    ticked_off: BTreeMap<Seat, ChipsGiven>,
    #[serde(skip)]
    past: PastRounds<PastSlip>,
    ledger: ClusterLedger,
    meters: Meters,
    sessions: u32,
    sent: u64,
    outbox: VecDeque<Transfer>,
    received: u64,
    recent: CommandsBySource,
    refusals: u64,
    /// By note acceptor.
    stackers: BTreeMap<DeviceId, Stacker>,
    /// What the House bears of open sessions, by round: only what the same round gives later is set off against it (F81).
    waived: BTreeMap<(Seat, RoundNumber), Money>,
    /// The number on the last receipt of a buy-in.
    receipts: u32,
    /// The last buy-in of each session that a person has taken.
    buy_ins: BTreeMap<Seat, BuyIn>,
    /// Messages that players must read.
    messages: BTreeMap<Seat, SessionMessages>,
    /// Rounds that were corrected or voided after settlement, at a table that registers winners.
    returns: BTreeMap<RoundNumber, FilmReturns>,
    /// Recent commands of the chip reader, kept apart from the other sources: if they were forgotten, chips sent again
    /// would be registered twice.
    reader: LatestSourceCommands,
    #[serde(skip)]
    events: EventOutbox,
}

/// One placement on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PlacedStake {
    seat: Seat,
    bet_box: BetBox,
    chips: Chips,
    units: u32,
}

/// The players' side of a table.
#[derive(Clone, Debug)]
pub struct Cluster {
    id: ClusterId,
    rules: TableRules,
    profile: Profile,
    limits: Limits,
    state: ClusterState,
}

impl Cluster {
    /// An empty cluster.
    pub fn new(id: ClusterId, rules: TableRules, profile: Profile, seats: u32) -> Self {
        let state = ClusterState {
            seats: (0..seats).map(|_| ClusterSeat::new()).collect(),
            is_table_open: false,
            is_closing: false,
            dealer: None,
            supervisor: None,
            manager: None,
            betting: Betting::Idle,
            round: RoundNumber(0),
            is_held: false,
            followed: 0,
            limits: None,
            totals: vec![0; BetBox::COUNT],
            placements: Vec::new(),
            next_place: 0,
            thrown: None,
            announced_totals: BTreeMap::new(),
            last_slip: Vec::new(),
            claimed: BTreeSet::new(),
            ticked_off: BTreeMap::new(),
            past: PastRounds::default(),
            ledger: ClusterLedger::default(),
            meters: Meters::default(),
            sessions: 0,
            sent: 0,
            outbox: VecDeque::new(),
            received: 0,
            recent: CommandsBySource::default(),
            refusals: 0,
            stackers: BTreeMap::new(),
            waived: BTreeMap::new(),
            receipts: 0,
            buy_ins: BTreeMap::new(),
            messages: BTreeMap::new(),
            returns: BTreeMap::new(),
            reader: LatestSourceCommands::default(),
            events: EventOutbox::default(),
        };
        Self { id, rules, profile, limits: Limits::none(), state }
    }

    pub const fn id(&self) -> ClusterId {
        self.id
    }

    pub const fn rules(&self) -> &TableRules {
        &self.rules
    }

    pub const fn law(&self) -> &Law {
        &self.profile.law
    }

    /// The limits that bets are counted and checked by.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The round in play, or the last one.
    pub const fn round(&self) -> RoundNumber {
        self.state.round
    }

    /// Whether bets are taken.
    pub const fn betting(&self) -> Betting {
        self.state.betting
    }

    /// Whether betting is held after a restart.
    pub const fn is_held(&self) -> bool {
        self.state.is_held
    }

    /// Number of the last notice applied.
    pub const fn followed(&self) -> u64 {
        self.state.followed
    }

    /// Number of the last transfer received from the House.
    pub const fn received(&self) -> u64 {
        self.state.received
    }

    /// Transfers to the House that the House has not confirmed.
    pub fn outbox(&self) -> impl Iterator<Item = &Transfer> {
        self.state.outbox.iter()
    }

    pub fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..u32::try_from(self.state.seats.len()).unwrap_or(u32::MAX)).map(Seat)
    }

    fn seat(&self, seat: Seat) -> Option<&ClusterSeat> {
        self.state.seats.get(usize::try_from(seat.0).ok()?)
    }

    /// The open session of a seat.
    pub fn session(&self, seat: Seat) -> Option<SessionId> {
        self.seat(seat)?.session
    }

    /// The session that began last at a seat, whether or not it is open.
    pub fn latest_session(&self, seat: Seat) -> Option<SessionId> {
        self.seat(seat)?.latest_session
    }

    /// The session that ended last at a seat, where none is open.
    pub fn ended_session(&self, seat: Seat) -> Option<SessionId> {
        self.seat(seat).filter(|state| state.session.is_none())?.latest_session
    }

    /// The free credits of a seat.
    pub fn credits(&self, seat: Seat) -> Money {
        self.seat(seat).map_or(Money::ZERO, |seat| seat.credits)
    }

    pub fn on_layout(&self, seat: Seat) -> Money {
        self.seat(seat).map_or(Money::ZERO, |seat| seat.on_layout)
    }

    /// The Colour Chips with the player at a seat.
    pub fn colour(&self, seat: Seat) -> Option<ColourSet> {
        self.seat(seat)?.colour
    }

    /// Whether a seat is locked after a large win.
    pub fn is_locked(&self, seat: Seat) -> bool {
        self.seat(seat).is_some_and(|seat| seat.is_locked)
    }

    /// Whether a terminal is lost.
    pub fn is_lost(&self, seat: Seat) -> bool {
        self.seat(seat).is_some_and(|seat| seat.is_lost)
    }

    /// The bets of a seat in the order of first placement.
    pub fn bets(&self, seat: Seat) -> impl Iterator<Item = (Chips, Stake)> {
        let bets = self.seat(seat).map_or(&[][..], |seat| &seat.bets);
        bets.iter().map(|wager| (wager.chips, Stake { bet_box: wager.bet_box, amount: self.cents(wager.units.into()) }))
    }

    /// What is on a box over all seats.
    pub fn total(&self, bet_box: BetBox) -> Money {
        self.cents(self.state.totals[bet_box.index()])
    }

    /// The meters of a seat over all its sessions.
    pub fn seat_meters(&self, seat: Seat) -> Meters {
        self.seat(seat).map_or(Meters::default(), |seat| seat.meters)
    }

    /// The meters of the open session of a seat.
    pub fn session_meters(&self, seat: Seat) -> Meters {
        self.seat(seat).map_or(Meters::default(), |seat| seat.session_meters)
    }

    /// The meters of all seats.
    pub const fn meters(&self) -> Meters {
        self.state.meters
    }

    /// Money outside the seats.
    pub const fn ledger(&self) -> ClusterLedger {
        self.state.ledger
    }

    /// What the Colour Chips with players are worth.
    pub fn colour_chips(&self) -> Money {
        let sets = self.state.seats.iter().filter_map(|seat| seat.colour);
        sets.fold(Money::ZERO, |total, set| sum(total, set.credits))
    }

    /// The unit that the bets of a round that is over were counted in.
    pub fn unit_of(&self, round: RoundNumber) -> Option<Money> {
        self.state.past.get(round).map(|past| past.unit)
    }

    pub const fn refusals(&self) -> u64 {
        self.state.refusals
    }

    /// The significant events that the House does not hold yet, in order, each with its number.
    pub fn events(&self) -> impl Iterator<Item = (CommandId, ReportedEvent)> {
        self.state.events.iter()
    }

    /// The stackers of all note acceptors that have sent a command.
    pub fn stackers(&self) -> impl Iterator<Item = (DeviceId, &Stacker)> {
        self.state.stackers.iter().map(|(acceptor, stacker)| (*acceptor, stacker))
    }

    /// The notes that are taken, by what they are worth (F86).
    pub fn notes(&self) -> &[Money] {
        &self.profile.notes
    }

    /// The number of the newest command of a source, of the terminal at a seat or of a person; zero if none is remembered.
    pub fn newest(&self, source: u64, seat: Option<Seat>) -> u64 {
        let at_seat = seat.and_then(|seat| self.seat(seat)).map_or(0, |seat| seat.recent.newest(source));
        let of_acceptors = self.state.stackers.values().map(|stacker| stacker.recent.newest(source)).max().unwrap_or(0);
        let of_reader = self.state.reader.newest(source);
        at_seat.max(of_acceptors).max(of_reader).max(self.state.recent.newest(source))
    }

    /// The remembered sources that are not terminals, each with the number of its newest command. The most recently active
    /// source comes first.
    pub fn numbers(&self) -> impl Iterator<Item = (u64, u64)> {
        self.state.recent.numbers()
    }

    /// The highest source so far; zero if there is none.
    pub fn highest_source(&self) -> u64 {
        let at_seats = self.state.seats.iter().map(|seat| seat.recent.source());
        let of_acceptors = self.state.stackers.values().map(|stacker| stacker.recent.source());
        let of_devices = at_seats.chain(of_acceptors).chain([self.state.reader.source()]);
        of_devices.max().unwrap_or(0).max(self.state.recent.highest())
    }

    /// Refusals to the terminal at a seat since bets were opened.
    pub fn seat_refusals(&self, seat: Seat) -> u32 {
        self.seat(seat).map_or(0, |seat| seat.refusals)
    }

    /// Converts units to money.
    fn cents(&self, units: u64) -> Money {
        cents(units, self.limits.unit().cents())
    }
}

impl Cluster {
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        codec::write(&(&self.state, &self.state.past), &mut bytes);
        self.state.events.write(&mut bytes);
        bytes
    }

    /// A cluster with the state of a snapshot.
    pub fn restore(id: ClusterId, rules: TableRules, profile: Profile, bytes: &[u8]) -> Result<Self, BadBytes> {
        let mut cluster = Self::new(id, rules, profile, 0);
        let ((state, past), behind) = codec::read_first(bytes)?;
        let events = EventOutbox::read(behind)?;
        cluster.state = ClusterState { past, events, ..state };
        if cluster.state.totals.len() != BetBox::COUNT {
            return Err(BadBytes::Damaged);
        }
        if let Some(limits) = &cluster.state.limits {
            cluster.limits = limits.check(cluster.rules.layout()).map_err(|_| BadBytes::Damaged)?;
        }
        Ok(cluster)
    }

    /// The hash of the state: the same entries give the same hash on every machine.
    pub fn state_hash(&self) -> [u8; 32] {
        let pages: Vec<_> = self.state.past.pages().into_iter().chain(self.state.events.page()).collect();
        codec::hash(&self.state, &pages)
    }
}

/// The sum of two amounts of the ledger. A sum that does not fit is a bug: every amount was checked before it came in.
fn sum(a: Money, b: Money) -> Money {
    a.checked_add(b).expect("amounts on the books fit in 64-bit cents")
}

/// The difference of two amounts of the ledger.
fn less(a: Money, b: Money) -> Money {
    a.checked_sub(b).expect("amounts on the books fit in 64-bit cents")
}

/// Converts units of the given size to money.
fn cents(units: u64, unit: i64) -> Money {
    let units = i64::try_from(units).ok().and_then(|units| units.checked_mul(unit));
    Money::from_cents(units.expect("amounts on the books fit in 64-bit cents"))
}

//! What is simulated: a table with its limits, and players with bankrolls and strategies. Everything that could go wrong in a
//! session is checked here, before the first throw.

use std::sync::Arc;

use taisai_rules::{
    BadUnit, BetBox, BoxLimit, BrokenUnit, Dice, Game, Layout, LimitError, LimitScope, Limits, Money, Unit,
    UnknownLayout,
};
use taisai_table::{TableLimits, TableRules};

use crate::real::real;
use crate::simulate::strategy::Strategy;
use crate::slip::{BadSlip, PlayerSlip};

pub const MAX_PLAYERS: usize = 200;
pub const MAX_ROUNDS: u64 = 1_000_000_000;
/// One result per player and session.
pub const MAX_RESULTS: u64 = 5_000_000;
/// The largest bankroll: what it can win still counts in 64-bit cents, and its square in a float.
const LARGEST_BANKROLL: Money = Money::from_cents(1_000_000_000_000);

/// How sessions are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationEngine {
    /// By the rules: limits, pro rata and payouts.
    Rules,
    /// Through the machines of a table: every command is decided and applied.
    Table,
}

/// A player as planned.
#[derive(Clone, Debug)]
pub struct PlayerPlan {
    pub name: String,
    pub strategy: Strategy,
    /// What the player has at first.
    pub bankroll: Money,
    /// The slips: one; for a script one a round, none of whose bets mean to sit out; for chance the stake on each box.
    pub slips: Vec<Vec<(BetBox, Money)>>,
}

/// Why a plan cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSimulationPlan {
    #[error(transparent)]
    Layout(#[from] UnknownLayout),
    /// The limits contradict, or the game does not have them.
    #[error(transparent)]
    Limits(#[from] LimitError),
    #[error(transparent)]
    Unit(#[from] BadUnit),
    #[error(transparent)]
    Broken(#[from] BrokenUnit),
    #[error("a table has from 1 to {MAX_PLAYERS} players, not {0}")]
    Players(usize),
    #[error("a session has from 1 to {MAX_ROUNDS} rounds, not {0}")]
    Rounds(u64),
    /// No sessions, or too many for the players.
    #[error("{sessions} sessions of {players} players: there may be from 1 to {MAX_RESULTS} results")]
    Sessions { sessions: u64, players: usize },
    /// A bankroll that is out of range.
    #[error("{player}: a bankroll is from 0.01 to {LARGEST_BANKROLL}, not {bankroll}")]
    Bankroll { player: String, bankroll: Money },
    /// A strategy that cannot be played with these slips.
    #[error("{player}: {strategy} wants {wanted}")]
    Slips { player: String, strategy: Strategy, wanted: &'static str },
    /// Bets that do not make a slip.
    #[error("{player}: {why}")]
    Slip { player: String, why: BadSlip },
    /// A stake outside the limits.
    #[error("{player}: {amount} on {bet_box} is {what}")]
    Stake {
        player: String,
        bet_box: BetBox,
        amount: Money,
        /// What is wrong with it.
        what: &'static str,
    },
}

/// A slip, ready to be played many times over.
#[derive(Clone, Debug)]
pub(super) struct PreparedSlip {
    pub(super) bets: Vec<(BetBox, i64)>,
    pub(super) staked: i64,
    /// The net result on each throw, in cents.
    pub(super) nets: Box<[i64; 256]>,
    /// The sum over the 216 throws: 216 times what the slip can expect.
    pub(super) expected: i128,
    /// In squared cents.
    pub(super) variance: f64,
    /// How many times over the maximum of its boxes allows it.
    pub(super) most: i64,
}

/// A player, ready to play.
#[derive(Clone, Debug)]
pub(super) struct PreparedPlayer {
    pub(super) name: String,
    pub(super) strategy: Strategy,
    pub(super) bankroll: i64,
    pub(super) slips: Vec<PreparedSlip>,
    pub(super) slip: Option<PlayerSlip>,
}

/// A plan that can be played.
#[derive(Clone, Debug)]
pub struct SimulationPlan {
    rules: TableRules,
    table_limits: TableLimits,
    limits: Limits,
    /// Whether a limit runs over all players, so that excess counts pro rata.
    pub(super) shares_limits: bool,
    /// The net result of a unit on each box, throw by throw; only where limits are shared.
    pub(super) of_unit: Vec<[i64; 216]>,
    throws: Vec<Dice>,
    players: Vec<PreparedPlayer>,
    rounds: u64,
    sessions: u64,
    seed: u64,
    engine: SimulationEngine,
}

/// The net result of a unit on each box of a layout, which pays whole cents; nothing on the others.
fn of_unit(layout: &Layout, unit: Unit) -> Vec<[i64; 216]> {
    let mut nets = vec![[0; 216]; BetBox::COUNT];
    for bet_box in layout.boxes() {
        if let Ok(slip) = PlayerSlip::new(layout, [(*bet_box, unit.money())]) {
            nets[bet_box.index()] = *slip.results(0);
        }
    }
    nets
}

impl SimulationPlan {
    /// A table of a game, with its limits. Players come afterwards.
    pub fn new(game: &Game, layout: &str, table_limits: TableLimits) -> Result<Self, BadSimulationPlan> {
        let rules = TableRules::new(Arc::new(game.clone()), layout)?;
        let entries = table_limits.boxes.iter().map(|entry| (entry.boxes, BoxLimit { min: entry.min, max: entry.max }));
        let entries: Vec<_> = entries.collect();
        let limits = Limits::new(rules.layout(), table_limits.unit, &entries, table_limits.differential)?;
        rules.layout().check_unit(limits.unit())?;
        let binds =
            limits.differential().is_some() || rules.layout().boxes().iter().any(|b| limits.maximum(*b) < Money::MAX);
        let shares_limits = binds && rules.layout().limit_scope() == Some(LimitScope::Box);
        let of_unit = if shares_limits { of_unit(rules.layout(), limits.unit()) } else { Vec::new() };
        let throws = Dice::all().collect();
        let (players, rounds, sessions, seed, engine) = (Vec::new(), 1_000, 1, 1, SimulationEngine::Rules);
        Ok(Self {
            table_limits: table_limits.widest(rules.layout()),
            rules,
            limits,
            shares_limits,
            of_unit,
            throws,
            players,
            rounds,
            sessions,
            seed,
            engine,
        })
    }

    /// How long and how often is played, from which seed, and how.
    pub fn with(
        mut self,
        rounds: u64,
        sessions: u64,
        seed: u64,
        engine: SimulationEngine,
    ) -> Result<Self, BadSimulationPlan> {
        if !(1..=MAX_ROUNDS).contains(&rounds) {
            return Err(BadSimulationPlan::Rounds(rounds));
        }
        (self.rounds, self.sessions, self.seed, self.engine) = (rounds, sessions, seed, engine);
        self.check_sessions()
    }

    /// Players who sit down in this order.
    pub fn seat(mut self, players: Vec<PlayerPlan>) -> Result<Self, BadSimulationPlan> {
        if players.is_empty() || players.len() > MAX_PLAYERS {
            return Err(BadSimulationPlan::Players(players.len()));
        }
        self.players = players.into_iter().map(|player| self.ready(player)).collect::<Result<_, _>>()?;
        self.check_sessions()
    }

    fn check_sessions(self) -> Result<Self, BadSimulationPlan> {
        let players = self.players.len();
        let results = self.sessions.checked_mul(u64::try_from(players.max(1)).unwrap_or(u64::MAX));
        match results {
            Some(1..=MAX_RESULTS) => Ok(self),
            Some(_) | None => Err(BadSimulationPlan::Sessions { sessions: self.sessions, players }),
        }
    }

    fn ready(&self, plan: PlayerPlan) -> Result<PreparedPlayer, BadSimulationPlan> {
        let PlayerPlan { name, strategy, bankroll, slips } = plan;
        if bankroll <= Money::ZERO || bankroll > LARGEST_BANKROLL {
            return Err(BadSimulationPlan::Bankroll { player: name, bankroll });
        }
        let slips = match (strategy, &slips[..]) {
            (Strategy::Random, [stake]) => match &stake[..] {
                [(_, stake)] => self.rules.layout().boxes().iter().map(|b| vec![(*b, *stake)]).collect(),
                _ => return Err(BadSimulationPlan::Slips { player: name, strategy, wanted: "one stake, and no box" }),
            },
            (Strategy::Script, [_, ..]) if slips.iter().any(|slip| !slip.is_empty()) => slips,
            (Strategy::Script | Strategy::Random, _) => {
                return Err(BadSimulationPlan::Slips { player: name, strategy, wanted: "bets" });
            }
            (Strategy::Flat | Strategy::Martingale | Strategy::Paroli | Strategy::DAlembert, [slip]) => {
                vec![slip.clone()]
            }
            (Strategy::Flat | Strategy::Martingale | Strategy::Paroli | Strategy::DAlembert, _) => {
                return Err(BadSimulationPlan::Slips { player: name, strategy, wanted: "one slip" });
            }
        };
        let only = match &slips[..] {
            [slip] => PlayerSlip::new(self.rules.layout(), slip.iter().copied()).ok(),
            _ => None,
        };
        let ready = slips.iter().map(|slip| self.ready_slip(&name, slip)).collect::<Result<_, _>>()?;
        Ok(PreparedPlayer { name, strategy, bankroll: bankroll.cents(), slips: ready, slip: only })
    }

    fn ready_slip(&self, player: &str, bets: &[(BetBox, Money)]) -> Result<PreparedSlip, BadSimulationPlan> {
        let nothing =
            PreparedSlip { bets: Vec::new(), staked: 0, nets: Box::new([0; 256]), expected: 0, variance: 0.0, most: 1 };
        if bets.is_empty() {
            return Ok(nothing);
        }
        let named = |why| BadSimulationPlan::Slip { player: player.to_owned(), why };
        let slip = PlayerSlip::new(self.rules.layout(), bets.iter().copied()).map_err(named)?;
        let mut most = i64::MAX;
        for (bet_box, amount) in slip.bets() {
            let wrong =
                |what| BadSimulationPlan::Stake { player: player.to_owned(), bet_box: *bet_box, amount: *amount, what };
            if !amount.is_whole(self.limits.unit()) {
                return Err(wrong("no whole number of the table's units"));
            }
            if *amount < self.limits.minimum(*bet_box) {
                return Err(wrong("below the minimum"));
            }
            if *amount > self.limits.maximum(*bet_box) {
                return Err(wrong("over the maximum"));
            }
            most = most.min(self.limits.maximum(*bet_box).cents() / amount.cents());
        }
        let mut nets = nothing.nets;
        for (place, (_, net)) in nets.iter_mut().zip(slip.nets()) {
            *place = net.cents();
        }
        let spread = slip.spread();
        Ok(PreparedSlip {
            bets: slip.bets().iter().map(|(bet_box, amount)| (*bet_box, amount.cents())).collect(),
            staked: slip.staked().cents(),
            expected: nets.iter().map(|net| i128::from(*net)).sum(),
            nets,
            variance: real(spread.variance()),
            most,
        })
    }

    pub const fn rules(&self) -> &TableRules {
        &self.rules
    }

    pub(super) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The throw at a place in the order of [`Dice::all`].
    pub(super) fn throw(&self, place: u8) -> Dice {
        self.throws[usize::from(place)]
    }

    pub(super) const fn table_limits(&self) -> &TableLimits {
        &self.table_limits
    }

    pub(super) fn players(&self) -> &[PreparedPlayer] {
        &self.players
    }

    pub const fn rounds(&self) -> u64 {
        self.rounds
    }

    pub const fn sessions(&self) -> u64 {
        self.sessions
    }

    /// The seed of the random throws.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    pub const fn engine(&self) -> SimulationEngine {
        self.engine
    }
}

//! A session by the rules alone: stakes within the limits, excess counted pro rata, payouts looked up. Where nothing is over a
//! limit that runs over all players, a slip's result on every throw is known beforehand.

#![expect(clippy::float_arithmetic, reason = "variances of results, which are not paid")]

use taisai_rules::{Bet, BetBox, Money};

use crate::chance::{SplitMix64, Throws};
use crate::real::whole;
use crate::simulate::SessionResult;
use crate::simulate::plan::{PreparedPlayer, SimulationPlan};
use crate::simulate::strategy::StrategyState;

/// Random streams of a session: one for its throws, and one for each player.
const PARTS: u64 = 256;

pub(super) const fn throws(plan: &SimulationPlan, session: u64) -> Throws {
    Throws::of(plan.seed(), session * PARTS)
}

pub(super) struct SeatedPlayer<'p> {
    pub(super) player: &'p PreparedPlayer,
    mind: StrategyState,
    pub(super) bankroll: i64,
    result: SessionResult,
    lowest: i64,
    highest: i64,
    staked: i64,
    /// Which slip lies on the layout, and how many times.
    pub(super) chosen: Option<(usize, i64)>,
}

impl<'p> SeatedPlayer<'p> {
    pub(super) fn all(plan: &'p SimulationPlan, session: u64) -> Vec<Self> {
        let seated = |(number, player): (u64, &'p PreparedPlayer)| Self {
            player,
            mind: StrategyState::new(player.strategy, SplitMix64::of(plan.seed(), session * PARTS + number)),
            bankroll: player.bankroll,
            result: SessionResult::default(),
            lowest: player.bankroll,
            highest: player.bankroll,
            staked: 0,
            chosen: None,
        };
        (1..).zip(plan.players()).map(seated).collect()
    }

    /// Chooses the next slip, as many times over as limits and bankroll allow. A player who cannot cover it once is ruined.
    #[inline]
    pub(super) fn choose(&mut self) {
        if self.result.is_ruined {
            return;
        }
        let (slip, wanted) = self.mind.choose(self.player.slips.len());
        let ready = &self.player.slips[slip];
        self.chosen = None;
        if ready.staked == 0 {
            return;
        }
        let most = wanted.min(ready.most);
        // Divides only if necessary: the bankroll usually covers the stake.
        let times = match most.checked_mul(ready.staked) {
            Some(cost) if cost <= self.bankroll => most,
            Some(_) | None => self.bankroll / ready.staked,
        };
        if times == 0 {
            self.result.is_ruined = true;
        } else {
            self.chosen = Some((slip, times));
        }
    }

    pub(super) const fn is_ruined(&self) -> bool {
        self.result.is_ruined
    }

    /// Adds the result of the chosen slip, from its table of results.
    #[inline]
    fn settle(&mut self, place: u8) {
        let Some((slip, times)) = self.chosen else { return };
        self.expect_all(slip, times);
        let ready = &self.player.slips[slip];
        self.add(ready.staked * times, ready.nets[usize::from(place)] * times);
    }

    /// Adds the expected result of a slip that counts in full.
    #[inline]
    pub(super) fn expect_all(&mut self, slip: usize, times: i64) {
        let ready = &self.player.slips[slip];
        self.result.expected += ready.expected * i128::from(times);
        let times = whole(times.into());
        self.result.variance += ready.variance * (times * times);
    }

    /// Adds a result from the meters of a table: what counted and what was paid since the session began.
    pub(super) fn take_meters(&mut self, counted: i64, paid: i64) {
        let net = self.player.bankroll + paid - counted - self.bankroll;
        self.add(counted - self.staked, net);
    }

    #[inline]
    pub(super) fn add(&mut self, staked: i64, net: i64) {
        self.result.rounds += 1;
        self.result.won += u64::from(net > 0);
        self.staked += staked;
        self.bankroll += net;
        self.lowest = self.lowest.min(self.bankroll);
        self.highest = self.highest.max(self.bankroll);
        self.mind.learn(net);
    }

    /// Adds the expected result of the stakes that counted.
    pub(super) fn expect(&mut self, plan: &SimulationPlan, counted: &[(BetBox, Money)]) {
        let unit = plan.limits().unit().cents();
        let mut nets = [0i64; 216];
        for (bet_box, amount) in counted {
            let units = amount.cents() / unit;
            for (net, of_unit) in nets.iter_mut().zip(&plan.of_unit[bet_box.index()]) {
                *net += units * of_unit;
            }
        }
        let (sum, squares) = nets.iter().fold((0i128, 0.0), |(sum, squares), net| {
            let float = whole((*net).into());
            (sum + i128::from(*net), squares + float * float)
        });
        self.result.expected += sum;
        let mean = whole(sum) / 216.0;
        self.result.variance += (squares / 216.0 - mean * mean).max(0.0);
    }

    pub(super) fn result(self) -> SessionResult {
        let money = Money::from_cents;
        let net = money(self.bankroll - self.player.bankroll);
        let (lowest, highest) = (money(self.lowest), money(self.highest));
        SessionResult { staked: money(self.staked), net, lowest, highest, ..self.result }
    }
}

/// Plays a session: the number of rounds, and the result of each player.
pub(super) fn play(plan: &SimulationPlan, session: u64) -> (u64, Vec<SessionResult>) {
    let mut throws = throws(plan, session);
    let mut seated = SeatedPlayer::all(plan, session);
    let mut totals = BoxTotals::default();
    let mut rounds = 0;
    while rounds < plan.rounds() {
        let place = throws.next_place();
        let mut plays = false;
        for player in &mut seated {
            player.choose();
            plays |= !player.is_ruined();
        }
        if !plays {
            break;
        }
        rounds += 1;
        if plan.shares_limits && totals.are_over(plan, &seated) {
            settle_pro_rata(plan, &mut seated, place);
        } else {
            for player in seated.iter_mut().filter(|player| !player.is_ruined()) {
                player.settle(place);
            }
        }
    }
    (rounds, seated.into_iter().map(SeatedPlayer::result).collect())
}

/// What lies on each box over all players.
#[derive(Default)]
pub(super) struct BoxTotals {
    boxes: Vec<BetBox>,
    cents: Vec<i64>,
}

impl BoxTotals {
    pub(super) fn are_over(&mut self, plan: &SimulationPlan, seated: &[SeatedPlayer]) -> bool {
        self.cents.resize(BetBox::COUNT, 0);
        for bet_box in self.boxes.drain(..) {
            self.cents[bet_box.index()] = 0;
        }
        for player in seated.iter().filter(|player| !player.is_ruined()) {
            let Some((slip, times)) = player.chosen else { continue };
            for (bet_box, amount) in &player.player.slips[slip].bets {
                self.boxes.push(*bet_box);
                self.cents[bet_box.index()] += amount * times;
            }
        }
        self.boxes.iter().any(|bet_box| {
            let opposite = bet_box.opposite().map_or(0, |opposite| self.cents[opposite.index()]);
            Money::from_cents(self.cents[bet_box.index()]) > plan.limits().cap(*bet_box, Money::from_cents(opposite))
        })
    }
}

/// Settles a round in which something is over a limit, as the rules do.
fn settle_pro_rata(plan: &SimulationPlan, seated: &mut [SeatedPlayer], place: u8) {
    let layout = plan.rules().layout();
    let dice = plan.throw(place);
    let bets = seated.iter().enumerate().filter(|(_, player)| !player.is_ruined()).flat_map(|(number, player)| {
        let chosen = player.chosen.into_iter();
        chosen.flat_map(move |(slip, times)| {
            let bets = player.player.slips[slip].bets.iter();
            bets.map(move |(bet_box, amount)| Bet {
                player: number,
                bet_box: *bet_box,
                amount: Money::from_cents(amount * times),
            })
        })
    });
    let settled = layout.settle(plan.limits(), dice, bets.collect::<Vec<_>>()).expect("a plan that was checked");
    for (number, player) in seated.iter_mut().enumerate() {
        if player.is_ruined() || player.chosen.is_none() {
            continue;
        }
        let lines = || settled.lines.iter().filter(|line| line.player == number);
        let net = lines().map(|line| if line.odds.is_some() { line.profit } else { negative(line.counted) });
        let net = net.map(Money::cents).sum();
        let counted: Vec<_> = lines().map(|line| (line.bet_box, line.counted)).collect();
        player.expect(plan, &counted);
        player.add(counted.iter().map(|(_, amount)| amount.cents()).sum(), net);
    }
}

const fn negative(money: Money) -> Money {
    Money::from_cents(-money.cents())
}

//! Rounds that are over, in the plain book: kept for a while, so that a correction or a late void can be reckoned again.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_rules::{Bet, BetBox, Dice, Limits, Money};
use taisai_table::{Adjustment, Chips, Cluster, RoundNumber, Seat, SessionId, TableRules, VoidReason};

use super::{ClusterModel, ModelPlayer};

/// How many rounds are kept; no older one is corrected or voided.
pub(in crate::torture) const KEPT: u64 = 200;

/// The player of bets that were announced and not registered.
const NOBODY: Seat = Seat(u32::MAX);

pub(super) struct PastRoundsModel {
    pub(super) round: RoundNumber,
    limits: Rc<Limits>,
    bets: Vec<Bet<ModelPlayer>>,
    announced: BTreeMap<BetBox, Money>,
    /// What was registered from the film since, by the number of its line.
    film: Vec<(u32, Bet<ModelPlayer>)>,
    newest: u32,
    /// What the film has given each seat so far.
    given: BTreeMap<Seat, i64>,
    /// Whether it is void so that nothing is taken back (F81).
    is_kept: bool,
    /// Whether it was void before its chips were collected.
    was_handed_back: bool,
    sessions: Vec<Option<SessionId>>,
    /// The dice by which it stands; none if it is void.
    dice: Option<Dice>,
}

/// What each bet comes to: stake, what counts of it, what is paid; all returned where there are no dice.
pub(super) fn lines(
    rules: &TableRules,
    limits: &Limits,
    dice: Option<Dice>,
    (bets, announced): (&[Bet<ModelPlayer>], &BTreeMap<BetBox, Money>),
) -> Result<Vec<(ModelPlayer, i64, i64, i64)>, RunFailure> {
    let Some(dice) = dice else {
        return Ok(bets.iter().map(|bet| (bet.player, bet.amount.cents(), 0, 0)).collect());
    };
    // What was announced and not registered lay there too: by nobody in particular.
    let unregistered = announced.iter().filter_map(|(bet_box, announced)| {
        let registered: i64 = bets.iter().filter(|bet| bet.bet_box == *bet_box).map(|bet| bet.amount.cents()).sum();
        let amount = Money::from_cents(announced.cents() - registered);
        let player = ModelPlayer { seat: NOBODY, chips: Chips::Own };
        (amount > Money::ZERO).then_some(Bet { player, bet_box: *bet_box, amount })
    });
    let settled = rules.layout().settle(limits, dice, bets.iter().copied().chain(unregistered));
    let settled = settled.map_err(|error| RunFailure::new(&format!("the layout cannot be settled: {error}")))?;
    let line = |line: taisai_rules::SettledLine<ModelPlayer>| {
        (line.player, line.stake.cents(), line.counted.cents(), line.paid().cents())
    };
    Ok(settled.lines.into_iter().filter(|line| line.player.seat != NOBODY).map(line).collect())
}

/// What the bets on one box come to, by player: what is paid and what is returned. So much lay on the opposite box.
fn on_one_box(
    rules: &TableRules,
    past: &PastRoundsModel,
    bets: &[Bet<ModelPlayer>],
    opposite: Money,
) -> Result<BTreeMap<Seat, i64>, RunFailure> {
    let bet_box = bets.first().and_then(|bet| bet.bet_box.opposite()).filter(|_| opposite > Money::ZERO);
    let announced = bet_box.into_iter().map(|bet_box| (bet_box, opposite)).collect();
    let mut got = BTreeMap::new();
    for (player, stake, counted, paid) in lines(rules, &past.limits, past.dice, (bets, &announced))? {
        *got.entry(player.seat).or_default() += stake - counted + paid;
    }
    Ok(got)
}

impl PastRoundsModel {
    fn on<'a>(bets: impl Iterator<Item = &'a Bet<ModelPlayer>>, bet_box: BetBox) -> Vec<Bet<ModelPlayer>> {
        bets.filter(|bet| bet.bet_box == bet_box).copied().collect()
    }

    /// What lay on a box, by the announced totals and these bets.
    fn lay<'a>(&self, bets: impl Iterator<Item = &'a Bet<ModelPlayer>>, bet_box: BetBox) -> Money {
        let seen: i64 = Self::on(bets, bet_box).iter().map(|bet| bet.amount.cents()).sum();
        Money::from_cents(seen).max(self.announced.get(&bet_box).copied().unwrap_or(Money::ZERO))
    }

    /// What each seat is owed for what the film shows: all bets on its boxes as if they had been registered together, less what those
    /// that were registered got, and less what was handed back.
    fn owed_from_film(&self, rules: &TableRules) -> Result<BTreeMap<Seat, i64>, RunFailure> {
        let mut owed: BTreeMap<Seat, i64> = BTreeMap::new();
        let boxes: BTreeSet<_> = self.film.iter().map(|(_, bet)| bet.bet_box).collect();
        let film = || self.film.iter().map(|(_, bet)| bet);
        for bet_box in boxes {
            let (registered, filmed) = (Self::on(self.bets.iter(), bet_box), Self::on(film(), bet_box));
            let opposite = |with_film: bool| {
                let all = self.bets.iter().chain(film().filter(|_| with_film));
                bet_box.opposite().map_or(Money::ZERO, |opposite| self.lay(all, opposite))
            };
            let all: Vec<_> = registered.iter().chain(&filmed).copied().collect();
            for (seat, got) in on_one_box(rules, self, &all, opposite(true))? {
                *owed.entry(seat).or_default() += got;
            }
            for (seat, got) in on_one_box(rules, self, &registered, opposite(false))? {
                *owed.entry(seat).or_default() -= got;
            }
            for bet in filmed.iter().filter(|_| self.was_handed_back) {
                *owed.entry(bet.player.seat).or_default() -= bet.amount.cents();
            }
        }
        Ok(owed)
    }
}

impl PastRoundsModel {
    /// What the bets of a seat come to as the round stands, without those from the film; none if it had no bets.
    pub(super) fn due(&self, rules: &TableRules, seat: Seat) -> Result<Option<i64>, RunFailure> {
        let lines = lines(rules, &self.limits, self.dice, (&self.bets, &self.announced))?;
        let own = lines.iter().filter(|(player, ..)| player.seat == seat);
        let own: Vec<_> = own.map(|(_, stake, counted, paid)| stake - counted + paid).collect();
        Ok((!own.is_empty()).then(|| own.iter().sum()))
    }
}

impl ClusterModel {
    /// Remembers the round that is being settled.
    pub(super) fn remember(&mut self, dice: Option<Dice>, cluster: &Cluster) {
        // A player who has walked away has lost the session with this settlement.
        let sessions = self.sessions(cluster);
        let (round, limits, bets) = (cluster.round(), Rc::clone(&self.limits), self.bets.clone());
        let (announced, was_handed_back) = (self.announced.clone(), dice.is_none());
        let (film, newest, given, is_kept) = (Vec::new(), 0, BTreeMap::new(), false);
        self.past.push_back(PastRoundsModel {
            round,
            limits,
            bets,
            announced,
            film,
            newest,
            given,
            is_kept,
            was_handed_back,
            sessions,
            dice,
        });
        let most = usize::try_from(KEPT).expect("a small number");
        if self.past.len() > most {
            self.past.pop_front();
        }
    }

    fn sessions(&self, cluster: &Cluster) -> Vec<Option<SessionId>> {
        let walked = self.purses.iter().map(|purse| purse.has_walked_away);
        cluster.seats().zip(walked).map(|(seat, walked)| cluster.session(seat).filter(|_| !walked)).collect()
    }

    /// A bet from the film of a round that came to stand otherwise: nothing moves yet.
    pub(super) fn film(&mut self, round: RoundNumber, bet: Bet<ModelPlayer>) -> CheckResult {
        let past = self.filmed(round)?;
        let same = |other: &Bet<ModelPlayer>| (other.player, other.bet_box) == (bet.player, bet.bet_box);
        let is_new = !past.bets.iter().any(same);
        ensure("what was registered is not registered from the film", is_new, || format!("{bet:?}"))?;
        past.newest += 1;
        past.film.push((past.newest, bet));
        Ok(())
    }

    fn filmed(&mut self, round: RoundNumber) -> Result<&mut PastRoundsModel, RunFailure> {
        let past = self.past.iter_mut().find(|past| past.round == round);
        past.ok_or_else(|| RunFailure::new("a round was filmed that is not kept"))
    }

    pub(super) fn withdraw_from_film(&mut self, round: RoundNumber, line: u32) -> CheckResult {
        let film = &mut self.filmed(round)?.film;
        let before = film.len();
        film.retain(|(number, _)| *number != line);
        ensure("a line that is taken off was there", film.len() + 1 == before, || format!("line {line}"))
    }

    /// The returns are closed: each seat gets what it is owed for the film beyond what it was given before.
    pub(super) fn close_returns(
        &mut self,
        round: RoundNumber,
        adjustments: &[Adjustment],
        cluster: &Cluster,
    ) -> CheckResult {
        let past = self.past.iter().find(|past| past.round == round);
        let past = past.ok_or_else(|| RunFailure::new("a round was filmed that is not kept"))?;
        let owed = past.owed_from_film(&self.rules)?;
        let is_kept = past.is_kept;
        let mut expected = owed.clone();
        for (seat, given) in &past.given {
            *expected.entry(*seat).or_default() -= given;
        }
        let mut actual: BTreeMap<Seat, i64> = BTreeMap::new();
        for adjustment in adjustments {
            ensure("what the film gives is a claim", adjustment.at_once == Money::ZERO, || format!("{adjustment:?}"))?;
            *actual.entry(adjustment.seat).or_default() += adjustment.amount().cents();
        }
        for amounts in [&mut expected, &mut actual] {
            amounts.retain(|_, cents| *cents != 0);
        }
        ensure("closed returns give each seat what its round owes", expected == actual, || {
            format!("round {}: {expected:?} and {actual:?}", round.0)
        })?;
        self.filmed(round)?.given = owed;
        for adjustment in adjustments {
            let amount = adjustment.amount().cents();
            if cluster.session(adjustment.seat) == Some(adjustment.session) {
                let purse = self.purse(adjustment.seat);
                let waived = purse.waived.entry(round).or_default();
                if amount > 0 {
                    let own = amount.min(*waived);
                    *waived -= own;
                    purse.owed = (purse.owed - (amount - own)).max(0);
                } else if is_kept {
                    *waived -= amount;
                } else {
                    purse.owed -= amount;
                }
            }
            self.result -= amount;
        }
        Ok(())
    }

    /// A round that is over comes to stand by other dice, or void: each session gets or gives exactly the difference.
    pub(super) fn compensate(
        &mut self,
        round: RoundNumber,
        stands: Result<Dice, VoidReason>,
        adjustments: &[Adjustment],
        cluster: &Cluster,
    ) -> CheckResult {
        let dice = stands.ok();
        // F81: winnings are never taken back after force majeure.
        let is_kept = stands == Err(VoidReason::ForceMajeure);
        let sessions = self.sessions(cluster);
        let to_give = self.all_to_give(round)?;
        let past = self.past.iter_mut().find(|past| past.round == round);
        let past = past.ok_or_else(|| RunFailure::new("a round was changed that is not kept"))?;
        let before = lines(&self.rules, &past.limits, past.dice, (&past.bets, &past.announced))?;
        let after = lines(&self.rules, &past.limits, dice, (&past.bets, &past.announced))?;
        (past.dice, past.is_kept) = (dice, is_kept);
        let mut changes: BTreeMap<Seat, [i64; 2]> = BTreeMap::new();
        for ((player, stake, counted, paid), sign) in
            after.into_iter().map(|line| (line, 1)).chain(before.into_iter().map(|line| (line, -1)))
        {
            let chips = usize::from(player.chips == Chips::Colour);
            changes.entry(player.seat).or_default()[chips] += sign * (stake - counted + paid);
        }
        let mut expected: BTreeMap<Seat, i64> =
            changes.iter().map(|(seat, [own, colour])| (*seat, own + colour)).collect();
        let mut actual: BTreeMap<Seat, i64> = BTreeMap::new();
        for adjustment in adjustments {
            *actual.entry(adjustment.seat).or_default() += adjustment.amount().cents();
        }
        for amounts in [&mut expected, &mut actual] {
            amounts.retain(|_, cents| *cents != 0);
        }
        ensure("a round settled again gives each player the difference", expected == actual, || {
            format!("round {}: {expected:?} and {actual:?}", round.0)
        })?;
        let played = past.sessions.clone();
        for adjustment in adjustments {
            let Adjustment { seat, session, at_once, in_colour, is_large, .. } = adjustment;
            let amount = adjustment.amount();
            let place = usize::try_from(seat.0).expect("a seat's number");
            let known = played[place];
            let is_same = known.is_none_or(|known| known == *session);
            ensure("a correction names the session that played", is_same, || format!("{known:?} and {session:?}"))?;
            let is_open = sessions[place] == Some(*session);
            let (amount, at_once) = (amount.cents(), at_once.cents());
            let change = changes.get(seat).copied().unwrap_or_default();
            let was_given = self.given.was_given(*seat);
            // What was not given is not taken back.
            let not_given = to_give.get(seat).copied().unwrap_or(0);
            let expected = match is_open {
                false => 0,
                true if to_give.contains_key(seat) && !was_given => change.iter().sum(),
                // What the session owes is set off first, by the House.
                true if amount > 0 => {
                    amount - amount.min(self.purses[place].owed + self.purses[place].waived.get(&round).unwrap_or(&0))
                }
                true if is_kept => -not_given.min(-amount),
                true => -(self.purses[place].credits + not_given).min(-amount),
            };
            if to_give.contains_key(seat) && was_given && known == Some(*session) {
                self.given.keep(*seat, change.iter().sum::<i64>() - at_once);
            }
            ensure("only free credits of the same session are touched", at_once == expected, || {
                format!("seat {}, round {}: {at_once} at once, expected {expected}", seat.0, round.0)
            })?;
            let colour = self.purses[place].set.map_or(0, |(_, worth)| change[1].max(-worth));
            let expected = match is_open {
                false => 0,
                true if to_give.contains_key(seat) && !was_given => colour,
                true => colour.clamp(at_once.min(0), at_once.max(0)),
            };
            let in_colour = in_colour.cents();
            ensure("what Colour Chips won is paid in the same set", in_colour == expected, || {
                format!("seat {}, round {}: {in_colour} in Colour Chips, expected {expected}", seat.0, round.0)
            })?;
            self.purses[place].is_locked |= is_large;
            if cluster.session(*seat) == Some(*session) {
                let rest = amount - at_once;
                let is_notified = !self.is_live();
                let purse = &mut self.purses[place];
                purse.notices += u32::from(is_notified);
                let waived = purse.waived.entry(round).or_default();
                if rest > 0 {
                    let own = rest.min(*waived);
                    *waived -= own;
                    purse.owed = (purse.owed - (rest - own)).max(0);
                } else if is_kept {
                    *waived -= rest;
                } else {
                    purse.owed -= rest;
                }
            }
            self.result -= amount;
            self.pay(ModelPlayer { seat: *seat, chips: Chips::Colour }, in_colour);
            self.pay(ModelPlayer { seat: *seat, chips: Chips::Own }, at_once - in_colour);
            self.purses[place].mark += at_once;
        }
        self.pay_list_is_the_same(cluster)
    }
}

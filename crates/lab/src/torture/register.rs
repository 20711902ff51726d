//! A table that registers winners. Players put chips on the felt, which no machine sees; after the dice the Dealer registers from
//! it, not always rightly, and what was not registered is registered from the film where a round is corrected or void late.

use std::collections::{BTreeMap, BTreeSet};

use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_rules::{Bet, BetBox, Dice, Money, Outcome};
use taisai_table::{
    Chips, ClusterCommand, FilmReturns, PayLine, Registration, RequiredRegistration, RoundNumber, Seat, Stake, Stakes,
};

use super::casino::{MANAGER, SUPERVISOR, SimulatedCasino, by, person};
use super::model::{KEPT, ModelPlayer};

/// What lies on the felt, by round: what happened to older ones is not looked up on the film.
#[derive(Default)]
pub(super) struct ChipsOnFelt(BTreeMap<RoundNumber, Vec<Bet<ModelPlayer>>>);

impl ChipsOnFelt {
    fn of(&self, round: RoundNumber) -> &[Bet<ModelPlayer>] {
        self.0.get(&round).map_or(&[], Vec::as_slice)
    }

    fn total(&self, round: RoundNumber, bet_box: BetBox) -> i64 {
        self.of(round).iter().filter(|bet| bet.bet_box == bet_box).map(|bet| bet.amount.cents()).sum()
    }
}

impl SimulatedCasino<'_> {
    pub(super) fn registers_winners(&self) -> bool {
        self.rules.registration() == Registration::Winners
    }

    /// A player puts chips on the layout while bets are open.
    pub(super) fn lay(&mut self, seat: Seat) {
        let stakes = self.stakes(seat, Chips::Own);
        let round = self.round().number();
        let unit = self.model().limits().unit().cents();
        let bets = self.felt.0.entry(round).or_default();
        for Stake { bet_box, amount } in stakes {
            let player = ModelPlayer { seat, chips: Chips::Own };
            let amount = Money::from_cents((amount.cents() / unit).max(1) * unit);
            match bets.iter_mut().find(|bet| (bet.player, bet.bet_box) == (player, bet_box)) {
                Some(bet) => bet.amount = Money::from_cents(bet.amount.cents() + amount.cents()),
                None => bets.push(Bet { player, bet_box, amount }),
            }
        }
        if let Some(oldest) = round.0.checked_sub(KEPT) {
            self.felt.0.retain(|kept, _| kept.0 > oldest);
        }
    }

    /// The next thing that the Dealer registers.
    pub(super) fn register(&mut self) -> CheckResult {
        let Some(dice) = self.cluster().thrown() else { return Ok(()) };
        if self.random.one_in(12) {
            return self.register_wrongly();
        }
        let round = self.cluster().round();
        let rules = self.rules.clone();
        for bet_box in rules.layout().boxes().iter().copied() {
            let wins = matches!(rules.layout().outcome(bet_box, dice), Some(Outcome::Won(_)));
            let total = Money::from_cents(self.felt.total(round, bet_box));
            let announced = self.cluster().announced_total(bet_box);
            let required = self.cluster().required_registration(bet_box);
            let is_over = !wins && total.cents() > self.cap_on_felt(round, bet_box);
            let must_be_announced = required == Some(RequiredRegistration::Total) || is_over;
            if announced.is_some_and(|announced| announced != total) || (announced.is_none() && must_be_announced) {
                return self.ask_as_dealer(ClusterCommand::TellTotal { bet_box, amount: total });
            }
            if self.register_next(round, bet_box, wins || is_over)? {
                return Ok(());
            }
        }
        self.is_paid_as_if_every_bet_were_registered(round, dice)?;
        self.ask_as_dealer(ClusterCommand::AllRegistered)
    }

    fn cap_on_felt(&self, round: RoundNumber, bet_box: BetBox) -> i64 {
        if !self.has_excess() {
            return i64::MAX;
        }
        let opposite = bet_box.opposite().map_or(0, |opposite| self.felt.total(round, opposite));
        self.model().limits().cap(bet_box, Money::from_cents(opposite)).cents()
    }

    fn ask_as_dealer(&mut self, command: ClusterCommand) -> CheckResult {
        self.ask_cluster(self.dealer(), command)?.ok();
        Ok(())
    }

    /// Registers the next stake on a box where stakes are required, or takes one off that does not lie there; `false` if there is none.
    fn register_next(&mut self, round: RoundNumber, bet_box: BetBox, is_required: bool) -> Result<bool, RunFailure> {
        for seat in self.cluster().seats() {
            let lies: i64 = self
                .felt
                .of(round)
                .iter()
                .filter(|bet| (bet.player.seat, bet.bet_box) == (seat, bet_box))
                .map(|bet| bet.amount.cents())
                .sum();
            let own = self.cluster().bets(seat).filter(|(_, stake)| stake.bet_box == bet_box);
            let registered: i64 = own.map(|(_, stake)| stake.amount.cents()).sum();
            if lies == registered || (lies > registered && !is_required) {
                continue;
            }
            let stake = Stake { bet_box, amount: Money::from_cents((lies - registered).abs()) };
            let stakes = Stakes::from_slice(&[stake]);
            let second = self.random.percent(80).then(|| person(SUPERVISOR));
            self.ask_as_dealer(if lies > registered {
                ClusterCommand::Register { seat, stakes, second }
            } else {
                ClusterCommand::Withdraw { seat, chips: Chips::Own, stakes }
            })?;
            return Ok(true);
        }
        Ok(false)
    }

    /// What the Dealer registers by mistake, or forgets.
    fn register_wrongly(&mut self) -> CheckResult {
        let rules = self.rules.clone();
        let bet_box = self.random.pick(rules.layout().boxes());
        let seat = self.seat();
        let unit = self.model().limits().unit().cents();
        let amount = Money::from_cents(self.random.signed(1, 900) * unit);
        let second = self.random.percent(50).then(|| person(self.random.pick(&[SUPERVISOR, MANAGER])));
        let command = match self.random.below(6) {
            0 => ClusterCommand::AllRegistered,
            1 | 2 => {
                let bet_box = self.random.pick(&[BetBox::BIG, BetBox::SMALL, bet_box]);
                ClusterCommand::TellTotal { bet_box, amount }
            }
            _ => ClusterCommand::Register { seat, stakes: Stakes::from_slice(&[Stake { bet_box, amount }]), second },
        };
        self.ask_as_dealer(command)
    }

    /// The same chips, all of them registered, would be paid the same: what is not registered gets nothing either way.
    fn is_paid_as_if_every_bet_were_registered(&self, round: RoundNumber, dice: Dice) -> CheckResult {
        // In a tie the last unit goes to whoever was registered first: nobody knows who put the chips there first.
        let mut bets = self.felt.of(round).to_vec();
        bets.sort_by_key(|bet| self.model().place_of(bet));
        let settled = self.rules.layout().settle(self.model().limits(), dice, bets);
        let settled = settled.map_err(|error| RunFailure::new(&format!("the felt cannot be settled: {error}")))?;
        let mut expected: BTreeMap<(Seat, BetBox), i64> = BTreeMap::new();
        for line in settled.lines {
            let got = line.paid().cents() + line.stake.cents() - line.counted.cents();
            *expected.entry((line.player.seat, line.bet_box)).or_default() += got;
        }
        let lines = self.cluster().pay_list().map_or_else(Vec::new, |list| list.lines);
        let paid = |line: &PayLine| ((line.seat, line.bet_box), line.pays.cents() + line.returned.cents());
        let mut paid: BTreeMap<_, _> = lines.iter().map(paid).collect();
        // A box that was registered by mistake and loses gets nothing.
        for got in [&mut expected, &mut paid] {
            got.retain(|_, cents| *cents != 0);
        }
        ensure("winners are paid as if every bet were registered", expected == paid, || {
            format!("round {}, {dice}: {expected:?} and {paid:?}", round.0)
        })
    }

    /// Supervisor and second person register from the film what a round owes that came to stand otherwise, or have done so.
    pub(super) fn review_film(&mut self) -> CheckResult {
        let newest = self.round().number().0;
        let oldest = newest.saturating_sub(KEPT);
        let is_open = |(round, returns): &(RoundNumber, &FilmReturns)| returns.is_open && round.0 > oldest;
        let open: Vec<_> = self.cluster().returns().filter(is_open).map(|(round, _)| round).collect();
        let any = RoundNumber(oldest + 1 + self.random.below(newest - oldest + 1));
        let round = if open.is_empty() || self.random.one_in(20) { any } else { self.random.pick(&open) };
        let second = self.random.percent(90).then(|| person(MANAGER));
        if self.random.percent(12) {
            self.ask_cluster(by(SUPERVISOR), ClusterCommand::CloseReturns { round, second })?.ok();
            return Ok(());
        }
        let lines: Vec<_> = self
            .cluster()
            .returns()
            .filter(|(of, _)| *of == round)
            .flat_map(|(_, returns)| returns.lines.iter().map(|line| (line.number, line.seat, line.bet_box)))
            .collect();
        if self.random.one_in(8) {
            let line = if lines.is_empty() { 1 } else { self.random.pick(&lines).0 };
            self.ask_cluster(by(SUPERVISOR), ClusterCommand::WithdrawFromFilm { round, line, second })?.ok();
            return Ok(());
        }
        let seen: BTreeSet<_> = lines.iter().map(|(_, seat, bet_box)| (*seat, *bet_box)).collect();
        let bets: Vec<_> = self.felt.of(round).to_vec();
        let Some(bet) = bets.iter().find(|bet| !seen.contains(&(bet.player.seat, bet.bet_box))) else { return Ok(()) };
        let bet = if self.random.percent(70) { self.random.pick(&bets) } else { *bet };
        let (seat, stake) = (bet.player.seat, Stake { bet_box: bet.bet_box, amount: bet.amount });
        let player = "as the film shows".to_owned();
        self.ask_cluster(by(SUPERVISOR), ClusterCommand::RegisterFromFilm { round, seat, player, stake, second })?.ok();
        Ok(())
    }
}

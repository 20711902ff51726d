//! Random evenings of every game: after each step the cluster's accounts, credits, bets and sessions are those of the
//! naive model, and every invariant holds.

use proptest::prelude::*;
use taisai_rules::Money;
use taisai_table::{Chips, ClusterCommand, ClusterEvent, Decision, Phase, Profile, RoundNumber, Seat};

use crate::installation::{GAMES, SEATS, TestInstallation};
use crate::model::LedgerModel;

const LARGE_WIN: i64 = 6_000;
/// Three that are taken, and one that is not.
const NOTES: [i64; 4] = [1_000, 5_000, 10_000, 3_000];
const BOXES: [&str; 8] = ["big", "small", "big", "small", "single:6", "sum:4", "any-triple", "domino:12"];
const THROWS: [&str; 8] = ["123", "456", "666", "112", "665", "121", "345", "246"];

/// What someone does: which of the acts, at which seat, with two numbers to choose by.
type LedgerStep = (u8, u32, usize, i64);

fn steps() -> impl Strategy<Value = Vec<LedgerStep>> {
    prop::collection::vec((0..43_u8, 0..SEATS, 0..64_usize, 1..60_i64), 10..90)
}

struct Evening {
    installation: TestInstallation,
    model: LedgerModel,
}

impl Evening {
    fn new(game: &'static str) -> Self {
        let profile = Profile { large_win: Money::from_cents(LARGE_WIN), ..Profile::training() };
        Self { installation: TestInstallation::ready(game, "A", &profile), model: LedgerModel::new(game, LARGE_WIN) }
    }

    fn step(&mut self, (act, seat, choice, size): LedgerStep) {
        let (box_a, box_b) = (BOXES[choice % 8], BOXES[choice / 8 % 8]);
        let amount = size * 100;
        let throw = THROWS[choice % 8];
        match act {
            0..=9 => self.ask("player", &format!("bet {seat} {box_a} {amount}")),
            10..=11 => self.ask("player", &format!("bet {seat} {box_a} {amount} {box_b} 500")),
            12 => self.ask("player", &format!("take {seat} {box_a} {amount}")),
            13 => self.ask("player", &format!("take {seat} {box_a} 100")),
            14 => self.ask("player", &format!("clear {seat}")),
            15..=16 => self.ask("player", &format!("repeat {seat}")),
            17 => self.ask("player", &format!("double {seat}")),
            18 => self.ask("cashier", &format!("cash {seat} {}", amount * 7)),
            19 if size % 4 == 0 => {
                self.ask("cashier", &format!("empty {seat} {choice} {}", amount * i64::from(choice > 0)));
            }
            19 => self.ask(&format!("n{seat}"), &format!("note {seat} {}", NOTES[choice % 4])),
            20 => self.ask("player", &format!("voucher {seat} {}", choice + 1)),
            21 => self.ask("attendant", &format!("hand-pay {seat}")),
            22 => self.ask("player", &format!("leave {seat}")),
            23 => self.ask("dealer", &format!("walk {seat}")),
            24 => self.ask("attendant", &format!("unlock {seat}")),
            25 => self.ask("system", &format!("{} {seat}", if size % 3 == 0 { "lost" } else { "back" })),
            26 => self.ask("dealer", &format!("issue {seat} {} {} {size}", choice % 3, [500, 300][choice % 2])),
            27..=28 => self.ask("player", &format!("bet-colour {seat} {box_a} {}", 1_500 * (1 + size % 3))),
            29 => self.ask("cashier", &format!("redeem {seat}")),
            30 => self.ask("manager", &format!("bet-for {seat} {box_b} {amount}")),
            31 => self.reject(),
            32 => self.correct(choice, throw),
            33 => self.void_damaged(choice, size),
            34 => self.reinstate(choice, throw),
            40..=42 => self.ask("dealer", &format!("{} {seat}", if size % 4 == 0 { "untick" } else { "tick" })),
            _ => self.next_phase(act, throw),
        }
    }

    /// Asks the players' side; the model follows what is accepted.
    fn ask(&mut self, who: &str, what: &str) {
        let words: Vec<_> = what.split_whitespace().collect();
        if self.installation.ask(who, &words).is_accepted() {
            self.model.follow(&words);
        }
    }

    fn reject(&mut self) {
        let dealer = self.installation.actor("dealer", None);
        let decision = self.installation.ask_cluster(dealer, ClusterCommand::RejectExcess);
        if let Decision::Accepted(ClusterEvent::Rejected { cuts }) = decision {
            for cut in cuts {
                let seat = usize::try_from(cut.seat.0).expect("a seat");
                self.model.cut(seat, cut.stake.bet_box, cut.stake.amount.cents());
            }
            assert_eq!(self.installation.look(&["excess"]), "-", "nothing is over its limit any more");
        }
    }

    fn next_phase(&mut self, act: u8, throw: &str) {
        match (self.installation.round().phase(), act) {
            (Phase::Open, 35) => {
                self.installation.run("dealer interrupt");
                self.model.settle(None);
            }
            (Phase::Open, _) => {
                self.installation.run(&format!("deal {throw}"));
                self.model.settle(Some(throw));
            }
            _ => {
                self.installation.run("dealer open");
                self.model.open();
            }
        }
    }

    fn past(&self, choice: usize) -> Option<usize> {
        let rounds = self.model.rounds();
        (rounds > 0).then(|| 1 + choice / 8 % rounds)
    }

    fn correct(&mut self, choice: usize, throw: &str) {
        let Some(round) = self.past(choice) else { return };
        let (round_text, expected) = (round.to_string(), !self.model.is_void(round));
        let words = ["correct", &round_text, throw, "with", "manager"];
        let answer = self.installation.ask("supervisor", &words);
        assert!(expected || answer.text() == "!round-void", "{}", answer.text());
        if answer.is_accepted() {
            self.model.compensate(round, Some(throw));
        }
    }

    fn void_damaged(&mut self, choice: usize, size: i64) {
        let Some(from) = self.past(choice) else { return };
        let is_open = self.installation.round().phase() == Phase::Open;
        let last = self.model.rounds() + usize::from(is_open);
        let to = (from + usize::try_from(size % 3).expect("a small number")).min(last);
        let number = |round: usize| RoundNumber(u64::try_from(round).expect("a round"));
        // What a ruling has decided stays for a ruling.
        let is_ruled = |round: &usize| self.installation.round().past(number(*round)).is_some_and(|past| past.is_ruled);
        let affected: Vec<_> = (from..=to).filter(|round| !is_ruled(round)).collect();
        self.installation
            .run(&format!("supervisor void-damaged {from} {to} with manager; supervisor inspect 7 with manager"));
        for round in affected {
            if round > self.model.rounds() {
                self.model.settle(None);
            } else if !self.model.is_void(round) {
                self.model.compensate(round, None);
            }
        }
    }

    fn reinstate(&mut self, choice: usize, throw: &str) {
        let Some(round) = self.past(choice) else { return };
        if self.model.is_void(round) {
            self.installation.run(&format!("shift rule settle {round} {throw} with manager"));
            self.model.compensate(round, Some(throw));
        }
    }

    fn check(&self) {
        let cluster = self.installation.cluster();
        self.installation.house.check().expect("every invariant");
        cluster.check().expect("every invariant");
        let ledger = cluster.ledger();
        for (account, found) in [
            ("house", ledger.house),
            ("cash", ledger.cash),
            ("chips", ledger.chips),
            ("transit", ledger.transit),
            ("notes", ledger.notes),
            ("variance", ledger.variance),
        ] {
            assert_eq!(found.cents(), self.model.balance(account), "{account}");
        }
        for seat in cluster.seats() {
            let place = usize::try_from(seat.0).expect("a seat");
            assert_eq!(cluster.credits(seat).cents(), self.model.balance(&format!("credits {place}")), "{seat:?}");
            assert_eq!(cluster.on_layout(seat).cents(), self.model.balance(&format!("layout {place}")), "{seat:?}");
            let colour = cluster.colour(seat).map_or(0, |set| set.credits.cents());
            assert_eq!(colour, self.model.balance(&format!("colour {place}")), "{seat:?}");
            let sitting = &self.model.seats[place];
            assert_eq!(cluster.session(seat).map(|session| session.0), sitting.session, "{seat:?}");
            assert_eq!(cluster.is_locked(seat), sitting.is_locked, "{seat:?}");
            assert_eq!(self.bets(seat), self.clerk(place), "{seat:?}");
            let stacked = cluster.stackers().find(|(_, stacker)| stacker.seat == seat);
            let stacked = stacked.map_or(0, |(_, stacker)| stacker.amount.cents());
            assert_eq!(stacked, self.model.stacked.get(&place).copied().unwrap_or(0), "{seat:?}");
        }
        assert_eq!(self.model.accounts.values().sum::<i64>(), 0, "the model itself");
    }

    fn bets(&self, seat: Seat) -> Vec<(bool, usize, i64)> {
        let bets = self.installation.cluster().bets(seat);
        let mut bets: Vec<_> =
            bets.map(|(chips, stake)| (chips == Chips::Colour, stake.bet_box.index(), stake.amount.cents())).collect();
        bets.sort_unstable();
        bets
    }

    fn clerk(&self, seat: usize) -> Vec<(bool, usize, i64)> {
        let own = self.model.bets.iter().filter(|line| line.seat == seat);
        let mut bets: Vec<_> = own.map(|line| (line.is_colour, line.bet_box, line.cents)).collect();
        bets.sort_unstable();
        bets
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_ledger_is_what_a_clerk_would_write(game in 0..GAMES.len(), steps in steps()) {
        let mut evening = Evening::new(GAMES[game]);
        evening.check();
        for step in steps {
            evening.step(step);
            evening.check();
        }
    }
}

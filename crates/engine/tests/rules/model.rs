//! A naive second ledger, written from the rules: accounts by name, bets as a clerk would list them, and every past
//! round with its bets, to be settled again from the beginning whenever it has to be.

use std::collections::BTreeMap;

use taisai_rules::{Bet, BetBox, Dice, Games, Layout, Limits, Money};

use crate::installation::{ETG, SEATS, dice, limits, usual_limits};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    pub(crate) seat: usize,
    pub(crate) session: u32,
    pub(crate) is_colour: bool,
    pub(crate) bet_box: usize,
    pub(crate) cents: i64,
}

#[derive(Default)]
pub(crate) struct ModelSession {
    /// What the session was sent to the House as a debt.
    owed: i64,
    pub(crate) session: Option<u32>,
    pub(crate) is_locked: bool,
    has_walked_away: bool,
    /// The value of a chip of the set.
    chip: Option<i64>,
    last: Vec<Line>,
}

pub(crate) struct LedgerModel {
    pub(crate) accounts: BTreeMap<String, i64>,
    pub(crate) bets: Vec<Line>,
    pub(crate) seats: Vec<ModelSession>,
    /// What was accepted in notes since the stacker of a seat was emptied.
    pub(crate) stacked: BTreeMap<usize, i64>,
    past: Vec<(Vec<Line>, Option<Dice>)>,
    /// Of the round that was settled last: the seats that get a claim, what the others were given, and what is with the House.
    claimed: Vec<usize>,
    given: BTreeMap<usize, [i64; 2]>,
    is_open: bool,
    sessions: u32,
    large_win: i64,
    is_live: bool,
    layout: &'static Layout,
    limits: Limits,
}

impl LedgerModel {
    pub(crate) fn new(game: &str, large_win: i64) -> Self {
        let layout = Games::embedded().find(game, None).expect("a game").layout("A").expect("a layout");
        let spec: Vec<_> = usual_limits(game).split_whitespace().collect();
        Self {
            accounts: BTreeMap::new(),
            bets: Vec::new(),
            seats: (0..SEATS).map(|_| ModelSession::default()).collect(),
            stacked: BTreeMap::new(),
            past: Vec::new(),
            claimed: Vec::new(),
            given: BTreeMap::new(),
            is_open: false,
            sessions: 0,
            large_win,
            is_live: game != ETG,
            layout,
            limits: limits(&spec).widest(layout).check(layout).expect("limits"),
        }
    }

    fn add(&mut self, account: &str, cents: i64) {
        *self.accounts.entry(account.to_owned()).or_default() += cents;
    }

    pub(crate) fn balance(&self, account: &str) -> i64 {
        self.accounts.get(account).copied().unwrap_or(0)
    }

    /// Where a player's money is that is not on the layout: credits, the chips outside, or the set of Colour Chips.
    fn purse(&self, seat: usize, is_colour: bool) -> String {
        match (is_colour, self.is_live) {
            (true, _) => format!("colour {seat}"),
            (false, true) => "chips".to_owned(),
            (false, false) => format!("credits {seat}"),
        }
    }

    fn sit(&mut self, seat: usize) -> u32 {
        if self.seats[seat].session.is_none() {
            self.sessions += 1;
            self.seats[seat].session = Some(self.sessions);
        }
        self.sessions_of(seat)
    }

    fn sessions_of(&self, seat: usize) -> u32 {
        self.seats[seat].session.expect("a session")
    }

    fn stand_up(&mut self, seat: usize) {
        // A lock stays until an attendant clears it.
        self.seats[seat] = ModelSession { is_locked: self.seats[seat].is_locked, ..ModelSession::default() };
    }

    /// Puts cents on a box, or takes them off.
    fn stake(&mut self, seat: usize, is_colour: bool, bet_box: usize, cents: i64) {
        let session = self.sit(seat);
        let purse = self.purse(seat, is_colour);
        self.add(&purse, -cents);
        self.add(&format!("layout {seat}"), cents);
        let same = |line: &&mut Line| line.seat == seat && line.is_colour == is_colour && line.bet_box == bet_box;
        match self.bets.iter_mut().find(same) {
            Some(line) => line.cents += cents,
            None => self.bets.push(Line { seat, session, is_colour, bet_box, cents }),
        }
        self.bets.retain(|line| line.cents != 0);
    }

    /// An accepted command of the players' side, in the words of a script.
    pub(crate) fn follow(&mut self, words: &[&str]) {
        let seat: usize = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let number = |place: usize| words[place].parse::<i64>().expect("a number");
        let own: Vec<_> = self.bets.iter().copied().filter(|line| line.seat == seat).collect();
        match words[0] {
            "bet" | "bet-colour" | "bet-for" | "take" | "take-colour" => {
                let sign = if words[0].starts_with("take") { -1 } else { 1 };
                for pair in words[2..].chunks(2) {
                    let bet_box = pair[0].parse::<BetBox>().expect("a box").index();
                    let cents = pair[1].parse::<i64>().expect("an amount");
                    self.stake(seat, words[0].ends_with("colour"), bet_box, sign * cents);
                }
            }
            "clear" => own.iter().for_each(|line| self.stake(seat, line.is_colour, line.bet_box, -line.cents)),
            "double" => own.iter().for_each(|line| self.stake(seat, line.is_colour, line.bet_box, line.cents)),
            "repeat" => {
                for line in self.seats[seat].last.clone() {
                    self.stake(seat, line.is_colour, line.bet_box, line.cents);
                }
            }
            "empty" => {
                let stacked = self.stacked.remove(&seat).unwrap_or(0);
                self.add("notes", stacked);
                self.add("cash", -number(3));
                self.add("variance", number(3) - stacked);
            }
            "cash" | "note" => {
                // Nothing was left of the last session: whoever buys in may be another player.
                if own.is_empty() && self.balance(&format!("credits {seat}")) == 0 {
                    self.stand_up(seat);
                }
                self.sit(seat);
                if words[0] == "note" {
                    *self.stacked.entry(seat).or_default() += number(2);
                }
                self.add(if words[0] == "note" { "notes" } else { "cash" }, -number(2));
                self.add(&format!("credits {seat}"), number(2));
            }
            "issue" => {
                self.sit(seat);
                self.seats[seat].chip = Some(number(3));
                self.add("cash", -number(3) * number(4));
                self.add(&format!("colour {seat}"), number(3) * number(4));
            }
            "redeem" => {
                self.seats[seat].chip = None;
                self.empty(&format!("colour {seat}"), "chips");
            }
            "voucher" | "hand-pay" => {
                self.empty(&format!("credits {seat}"), "transit");
                self.stand_up(seat);
            }
            "tick" => self.give(seat),
            "untick" => {
                self.given.remove(&seat);
            }
            "leave" => {
                self.give(seat);
                self.stand_up(seat);
            }
            "walk" => {
                self.give(seat);
                self.empty(&format!("colour {seat}"), "transit");
                self.seats[seat].has_walked_away = true;
                if own.is_empty() {
                    self.stand_up(seat);
                }
            }
            "unlock" => self.seats[seat].is_locked = false,
            "lost" | "back" => {}
            other => panic!("a command: {other}"),
        }
    }

    /// What the bets of a seat in the round that was settled last come to.
    fn due(&self, seat: usize) -> i64 {
        let Some((lines, dice)) = self.past.last() else { return 0 };
        let worth = self.worth(lines, *dice);
        lines.iter().zip(worth).filter(|(line, _)| line.seat == seat).map(|(_, worth)| worth).sum()
    }

    fn is_listed(&self, seat: usize) -> bool {
        let had_bets = self.past.last().is_some_and(|(lines, _)| lines.iter().any(|line| line.seat == seat));
        self.is_live && !self.is_open && had_bets && !self.claimed.contains(&seat)
    }

    /// What is left to give to a seat.
    fn to_give(&self, seat: usize) -> i64 {
        self.due(seat) - self.given.get(&seat).map_or(0, |[given, at_house]| given + at_house)
    }

    /// The seat has all its chips.
    fn give(&mut self, seat: usize) {
        if self.is_listed(seat) {
            let more = self.to_give(seat);
            self.given.entry(seat).or_default()[0] += more;
        }
    }

    /// A part of a bet that was rejected.
    pub(crate) fn cut(&mut self, seat: usize, bet_box: BetBox, cents: i64) {
        self.stake(seat, false, bet_box.index(), -cents);
        if self.seats[seat].has_walked_away {
            // 5.3: the player is not there to take it.
            self.add("chips", -cents);
            self.add("transit", cents);
            if self.bets.iter().all(|line| line.seat != seat) {
                self.stand_up(seat);
            }
        }
    }

    fn empty(&mut self, from: &str, to: &str) {
        let cents = self.balance(from);
        self.add(from, -cents);
        self.add(to, cents);
    }

    /// What each line gives its player: everything back where the round is void, else as the rules settle the slip.
    fn worth(&self, lines: &[Line], dice: Option<Dice>) -> Vec<i64> {
        let Some(dice) = dice else { return lines.iter().map(|line| line.cents).collect() };
        let bet = |line: &Line| Bet {
            player: (line.seat, line.is_colour),
            bet_box: BetBox::all().nth(line.bet_box).expect("a box"),
            amount: Money::from_cents(line.cents),
        };
        let settled = self.layout.settle(&self.limits, dice, lines.iter().map(bet)).expect("a slip");
        settled.lines.iter().map(|line| line.paid().cents() + line.returned().cents()).collect()
    }

    /// The next round opens: a terminal's session of which nothing is left ends.
    pub(crate) fn open(&mut self) {
        self.is_open = true;
        self.claimed.clear();
        self.given.clear();
        for seat in 0..self.seats.len() {
            if !self.is_live && self.balance(&format!("credits {seat}")) == 0 {
                self.stand_up(seat);
            }
        }
    }

    /// The round in play is over: by dice, or void.
    pub(crate) fn settle(&mut self, throw: Option<&str>) {
        let throw = throw.map(dice);
        self.is_open = false;
        let lines = std::mem::take(&mut self.bets);
        let worth = self.worth(&lines, throw);
        for seat in 0..self.seats.len() {
            let own: Vec<_> = lines.iter().zip(&worth).filter(|(line, _)| line.seat == seat).collect();
            let staked: i64 = own.iter().map(|(line, _)| line.cents).sum();
            let given: i64 = own.iter().map(|(_, worth)| **worth).sum();
            let in_colour: i64 = own.iter().filter(|(line, _)| line.is_colour).map(|(_, worth)| **worth).sum();
            self.add(&format!("layout {seat}"), -staked);
            self.add("house", staked - given);
            self.seats[seat].last = own.iter().map(|(line, _)| **line).collect();
            if own.is_empty() {
                continue;
            }
            if self.seats[seat].has_walked_away {
                self.add("transit", given);
                self.stand_up(seat);
                self.claimed.push(seat);
                continue;
            }
            // Colour Chips in the same set, as far as its value can express it.
            let in_set = self.seats[seat].chip.map_or(0, |chip| in_colour / chip * chip);
            self.add(&format!("colour {seat}"), in_set);
            let purse = self.purse(seat, false);
            self.add(&purse, given - in_set);
            self.seats[seat].is_locked |= !self.is_live && given - staked >= self.large_win;
        }
        self.past.push((lines, throw));
    }

    /// A round that is over comes to stand by other dice, or void; one that is void stays so.
    pub(crate) fn compensate(&mut self, round: usize, throw: Option<&str>) {
        let (lines, before) = self.past[round - 1].clone();
        let after = throw.map(dice);
        let mut changes = BTreeMap::<(usize, u32), [i64; 3]>::new();
        let worths = self.worth(&lines, before).into_iter().zip(self.worth(&lines, after));
        for (line, (before, after)) in lines.iter().zip(worths) {
            let change = changes.entry((line.seat, line.session)).or_default();
            change[usize::from(line.is_colour)] += after - before;
            change[2] += after - line.cents;
        }
        let is_last = round == self.past.len();
        let to_give: Vec<_> = (0..self.seats.len()).map(|seat| self.to_give(seat)).collect();
        self.past[round - 1].1 = after;
        for ((seat, session), [own, colour, win]) in changes {
            let change = own + colour;
            let is_changed = change != 0 || before.is_none() != after.is_none();
            let is_here = self.seats[seat].session == Some(session) && !self.seats[seat].has_walked_away;
            let purse = self.purse(seat, false);
            let is_listed = is_last && self.is_listed(seat);
            let is_given = !is_listed || self.given.contains_key(&seat);
            let free = self.balance(&format!("credits {seat}")) + if is_listed { to_give[seat] } else { 0 };
            // Free credits of the same open session; at a live table chips are given, and only those taken that were not given.
            let at_once = match (is_here, change > 0) {
                (false, _) => 0,
                (true, _) if !is_given => change,
                // What the session owes is set off first, by the House.
                (true, true) => change - change.min(self.seats[seat].owed),
                (true, false) => change.max(-free),
            };
            if let Some([_, at_house]) = self.given.get_mut(&seat).filter(|_| is_listed) {
                *at_house += change - at_once;
            }
            self.seats[seat].is_locked |= is_here && is_changed && !self.is_live && win >= self.large_win;
            // What Colour Chips have won is given in the same set, as far as its value can express it.
            let in_colour = colour.max(-self.balance(&format!("colour {seat}")));
            let in_colour = match (is_here, is_given) {
                (false, _) => 0,
                (true, false) => in_colour,
                (true, true) => in_colour.clamp(at_once.min(0), at_once.max(0)),
            };
            let in_set = self.seats[seat].chip.map_or(0, |chip| in_colour / chip * chip);
            self.add(&format!("colour {seat}"), in_set);
            self.add(&purse, at_once - in_set);
            self.add("transit", change - at_once);
            self.add("house", -change);
            if self.seats[seat].session == Some(session) {
                self.seats[seat].owed = (self.seats[seat].owed - (change - at_once)).max(0);
            }
        }
    }

    pub(crate) fn rounds(&self) -> usize {
        self.past.len()
    }

    /// Whether a past round is void.
    pub(crate) fn is_void(&self, round: usize) -> bool {
        self.past[round - 1].1.is_none()
    }
}

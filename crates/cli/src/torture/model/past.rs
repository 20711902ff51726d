//! Rounds that are over, in the plain book: kept for a while, so that a correction or a late void can be reckoned again.

use std::collections::BTreeMap;
use std::rc::Rc;

use taisai_rules::{Bet, Dice, Limits};
use taisai_table::{Adjustment, Chips, Cluster, RoundNumber, Seat, SessionId, TableRules, VoidReason};

use super::super::failure::{Failure, Held, ensure};
use super::{Model, Player};

/// So many rounds are kept; none older is corrected or voided.
pub(in crate::torture) const KEPT: u64 = 200;

pub(super) struct Past {
    round: RoundNumber,
    limits: Rc<Limits>,
    bets: Vec<Bet<Player>>,
    sessions: Vec<Option<SessionId>>,
    /// The dice by which it stands; none if it is void.
    dice: Option<Dice>,
}

/// What each bet comes to: stake, what counts of it, what is paid; all returned where there are no dice.
pub(super) fn lines(
    rules: &TableRules,
    limits: &Limits,
    dice: Option<Dice>,
    bets: &[Bet<Player>],
) -> Result<Vec<(Player, i64, i64, i64)>, Failure> {
    let Some(dice) = dice else {
        return Ok(bets.iter().map(|bet| (bet.player, bet.amount.cents(), 0, 0)).collect());
    };
    let settled = rules.layout().settle(limits, dice, bets.iter().copied());
    let settled = settled.map_err(|error| Failure::new(&format!("the layout cannot be settled: {error}")))?;
    let line =
        |line: taisai_rules::Line<Player>| (line.player, line.stake.cents(), line.counted.cents(), line.paid().cents());
    Ok(settled.lines.into_iter().map(line).collect())
}

impl Model {
    /// Remembers the round that is being settled.
    pub(super) fn remember(&mut self, dice: Option<Dice>, cluster: &Cluster) {
        // A player who has walked away has lost the session with this settlement.
        let sessions = self.sessions(cluster);
        let (round, limits, bets) = (cluster.round(), Rc::clone(&self.limits), self.bets.clone());
        self.past.push_back(Past { round, limits, bets, sessions, dice });
        let most = usize::try_from(KEPT).expect("a small number");
        if self.past.len() > most {
            self.past.pop_front();
        }
    }

    fn sessions(&self, cluster: &Cluster) -> Vec<Option<SessionId>> {
        let walked = self.purses.iter().map(|purse| purse.has_walked_away);
        cluster.seats().zip(walked).map(|(seat, walked)| cluster.session(seat).filter(|_| !walked)).collect()
    }

    /// A round that is over comes to stand by other dice, or void: each session gets or gives exactly the difference.
    pub(super) fn compensate(
        &mut self,
        round: RoundNumber,
        stands: Result<Dice, VoidReason>,
        adjustments: &[Adjustment],
        cluster: &Cluster,
    ) -> Held {
        let dice = stands.ok();
        // F81: winnings are never taken back after force majeure.
        let is_kept = stands == Err(VoidReason::ForceMajeure);
        let sessions = self.sessions(cluster);
        let past = self.past.iter_mut().find(|past| past.round == round);
        let past = past.ok_or_else(|| Failure::new("a round was changed that is not kept"))?;
        let before = lines(&self.rules, &past.limits, past.dice, &past.bets)?;
        let after = lines(&self.rules, &past.limits, dice, &past.bets)?;
        past.dice = dice;
        let mut changes: BTreeMap<Seat, [i64; 2]> = BTreeMap::new();
        for ((player, stake, counted, paid), sign) in
            after.into_iter().map(|line| (line, 1)).chain(before.into_iter().map(|line| (line, -1)))
        {
            let chips = usize::from(player.chips == Chips::Colour);
            changes.entry(player.seat).or_default()[chips] += sign * (stake - counted + paid);
        }
        let expected = changes.iter().map(|(seat, [own, colour])| (*seat, own + colour));
        let expected: Vec<_> = expected.filter(|(_, cents)| *cents != 0).collect();
        let actual: Vec<_> =
            adjustments.iter().map(|a| (a.seat, a.amount().cents())).filter(|(_, cents)| *cents != 0).collect();
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
            let expected = match is_open {
                false => 0,
                // What the session owes is set off first, by the House.
                true if amount > 0 => {
                    amount - amount.min(self.purses[place].owed + self.purses[place].waived.get(&round).unwrap_or(&0))
                }
                true if is_kept => 0,
                true => -self.purses[place].credits.min(-amount),
            };
            ensure("only free credits of the same session are touched", at_once == expected, || {
                format!("seat {}, round {}: {at_once} at once, expected {expected}", seat.0, round.0)
            })?;
            let has_set = self.purses[place].set.is_some();
            let expected = if has_set && at_once > 0 { changes[seat][1].clamp(0, at_once) } else { 0 };
            let in_colour = in_colour.cents();
            ensure("what Colour Chips won is paid in the same set", in_colour == expected, || {
                format!("seat {}, round {}: {in_colour} in Colour Chips, expected {expected}", seat.0, round.0)
            })?;
            self.purses[place].is_locked |= is_large;
            if cluster.session(*seat) == Some(*session) {
                let rest = amount - at_once;
                let purse = &mut self.purses[place];
                purse.told += u32::from(!self.is_live);
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
            self.pay(Player { seat: *seat, chips: Chips::Colour }, in_colour);
            self.pay(Player { seat: *seat, chips: Chips::Own }, at_once - in_colour);
            self.purses[place].mark += at_once;
        }
        Ok(())
    }
}

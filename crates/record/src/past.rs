//! Rounds that are over, read from the record: the slip of a round for a correction, and the last games of a seat (F30). What
//! is not kept in memory is built again from the newest snapshot before it.

use std::ops::ControlFlow;

use taisai_journal::{Archive, ChainName, PublicKey};
use taisai_rules::{Dice, Money, Unit};
use taisai_table::{Cluster, ClusterCommand, ClusterEvent, Entry, RoundNumber, Seat, Slip, SlipLine};

use crate::replay::{Replay, ReplayError, Seen};

/// A game that a seat has played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The round.
    pub round: RoundNumber,
    /// The dice that it was first settled by; none if it was void.
    pub first: Option<Dice>,
    /// The dice by which it stands now; none if it is void.
    pub latest: Option<Dice>,
    /// The unit that its lines are counted in.
    pub unit: Unit,
    /// The seat's bets.
    pub lines: Vec<SlipLine>,
    /// What each line is paid by the dice by which the game stands. A void round pays nothing and returns the stakes.
    pub paid: Vec<Money>,
}

/// What an entry does to rounds: settles the one in play, or changes one that is over.
pub(crate) enum Change {
    Settled(RoundNumber, Option<Dice>),
    Changed(RoundNumber, Option<Dice>),
}

pub(crate) fn change(entry: &Entry<ClusterCommand, ClusterEvent>) -> Option<Change> {
    let ClusterCommand::Follow { notice, .. } = &entry.request.command else { return None };
    let (round, by) = notice.stands()?;
    match entry.outcome.as_ref().ok()? {
        ClusterEvent::Settled { .. } => Some(Change::Settled(round, by.ok())),
        ClusterEvent::Compensated { .. } => Some(Change::Changed(round, by.ok())),
        ClusterEvent::Done
        | ClusterEvent::Rejected { .. }
        | ClusterEvent::BoughtIn { .. }
        | ClusterEvent::BuyInReversed { .. }
        | ClusterEvent::StackerDiffers { .. }
        | ClusterEvent::StackerEmptied { .. } => None,
    }
}

/// The slip of a round that is over; none if the chain does not hold it.
pub fn slip(
    archive: &mut dyn Archive,
    chain: &ChainName,
    keys: &[PublicKey],
    round: RoundNumber,
) -> Result<Option<Slip>, ReplayError> {
    let is_before = |cluster: &Cluster| cluster.round() < round;
    let mut replay = Replay::<Cluster>::from_snapshot(archive, chain, keys, is_before, |_, _| {})?;
    let mut found = None;
    replay.run(|seen| {
        if let Seen::Entry(_, cluster, entry) = seen
            && let Some(Change::Settled(settled, _)) = change(entry)
            && settled == round
        {
            found = Some(cluster.slip());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The last games of a seat, the newest first: as many as asked for, if there were so many.
pub fn last_games(
    archive: &mut dyn Archive,
    chain: &ChainName,
    keys: &[PublicKey],
    seat: Seat,
    games: usize,
) -> Result<Vec<Played>, ReplayError> {
    let mut newest_start = RoundNumber(u64::MAX);
    loop {
        let mut start = RoundNumber(0);
        let is_before = |cluster: &Cluster| cluster.round() < newest_start;
        let mut replay = Replay::<Cluster>::from_snapshot(archive, chain, keys, is_before, |_, _| {})?;
        if let Some(cluster) = replay.machine() {
            start = cluster.round();
        }
        let mut played: Vec<Played> = Vec::new();
        replay.run(|seen| {
            if let Seen::Entry(_, cluster, entry) = seen {
                match change(entry) {
                    Some(Change::Settled(round, dice)) => played.extend(game(cluster, seat, round, dice)),
                    Some(Change::Changed(round, dice)) => {
                        for game in played.iter_mut().filter(|game| game.round == round) {
                            game.latest = dice;
                            repay(cluster, game);
                        }
                    }
                    None => {}
                }
            }
            ControlFlow::Continue(())
        })?;
        if played.len() >= games || start == RoundNumber(0) {
            played.reverse();
            played.truncate(games);
            return Ok(played);
        }
        newest_start = start;
    }
}

/// What a seat has played in the round that is being settled, if anything.
fn game(cluster: &Cluster, seat: Seat, round: RoundNumber, dice: Option<Dice>) -> Option<Played> {
    let unit = cluster.limits().unit();
    let lines: Vec<_> = cluster.slip().lines.into_iter().filter(|line| line.seat == seat).collect();
    if lines.is_empty() {
        return None;
    }
    let mut played = Played { round, first: dice, latest: dice, unit, lines, paid: Vec::new() };
    repay(cluster, &mut played);
    Some(played)
}

/// Reckons what each line is paid by the dice by which the game stands.
fn repay(cluster: &Cluster, game: &mut Played) {
    let payouts = game.latest.and_then(|dice| cluster.rules().layout().payouts(dice, game.unit).ok());
    let paid = |line: &SlipLine| payouts.as_ref().and_then(|payouts| payouts.paid(line.bet_box, line.counted.into()));
    game.paid = game.lines.iter().map(|line| paid(line).unwrap_or(Money::ZERO)).collect();
}

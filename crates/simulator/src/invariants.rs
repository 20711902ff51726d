//! What must hold. Each function is one invariant; its name is what a failure is called by.

use taisai_engine::{ClusterPartition, Message};
use taisai_table::{
    Betting, Cluster, House, Phase, Round, RoundCommand, Seat, SessionId, Transfer, Verdict, check_transit,
};

use crate::machine::{AnyEntry, AnyMachine};
use crate::store::{SimulatedBlock, SimulatedHead};

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{invariant}: {detail}")]
pub(crate) struct InvariantViolation {
    pub(crate) invariant: &'static str,
    pub(crate) detail: String,
}

pub(crate) type InvariantResult = Result<(), InvariantViolation>;

pub(crate) fn ensure(invariant: &'static str, holds: bool, detail: impl FnOnce() -> String) -> InvariantResult {
    if holds { Ok(()) } else { Err(InvariantViolation { invariant, detail: detail() }) }
}

/// A chain has no gap and no fork: each block names the one before it, and is of the epoch that was taken last.
pub(crate) fn chain_is_whole(before: SimulatedHead, block: &SimulatedBlock, taken: u64) -> InvariantResult {
    let follows = block.position == before.next && block.previous == before.hash;
    let is_intact = block.hash == block.reckoned();
    let is_of_epoch = block.epoch == taken
        && if block.is_take_over() { block.epoch > before.epoch } else { block.epoch >= before.epoch };
    ensure("chain_is_whole", follows && is_intact && is_of_epoch, || {
        format!(
            "block {} of epoch {} of {:?} after {before:?}, epoch taken: {taken}",
            block.position, block.epoch, block.chain
        )
    })
}

/// The record can be decided again: every entry says what the machine decides in the state before it.
pub(crate) fn entry_is_decided_again(machine: &AnyMachine, recorded: &AnyEntry) -> InvariantResult {
    machine.decides(recorded).map_err(|decision| InvariantViolation {
        invariant: "entry_is_decided_again",
        detail: format!("{} is decided as {decision}", recorded.text()),
    })
}

/// Time on a chain never goes back.
pub(crate) fn time_never_goes_back(before: taisai_table::Time, recorded: &AnyEntry) -> InvariantResult {
    ensure("time_never_goes_back", recorded.time() >= before, || format!("{before:?}, then {}", recorded.text()))
}

/// A command has one verdict on a chain, save where its id could not be used.
pub(crate) fn command_is_recorded_once(before: &[Verdict], recorded: &AnyEntry) -> InvariantResult {
    let is_first = recorded.verdict().is_of_id() || before.iter().all(|verdict| verdict.is_of_id());
    ensure("command_is_recorded_once", is_first, || format!("{before:?} and {}", recorded.text()))
}

/// A round in play is held when another process has taken it over (5.4), before anything else happens.
pub(crate) fn take_over_holds_the_round(machine: &AnyMachine, recorded: &AnyEntry) -> InvariantResult {
    let (AnyMachine::Round(round), AnyEntry::Round(entry)) = (machine, recorded) else { return Ok(()) };
    let is_in_play = matches!(round.phase(), Phase::Open | Phase::Closing | Phase::Closed);
    let is_restart = matches!(entry.request.command, RoundCommand::Restarted);
    ensure("take_over_holds_the_round", !is_in_play || is_restart, || recorded.text())
}

/// The record holds no face of dice that are concealed.
pub(crate) fn dice_are_concealed(machine: &AnyMachine, recorded: &AnyEntry) -> InvariantResult {
    let (AnyMachine::Round(round), AnyEntry::Round(entry)) = (machine, recorded) else { return Ok(()) };
    ensure("dice_are_concealed", round.conceal(entry.request.clone()) == entry.request, || recorded.text())
}

/// A terminal whose session goes on from before a take-over is there, or lost (5.2), once it had time to come back.
pub(crate) fn absent_terminals_are_lost(cluster: &ClusterPartition, before: &[(Seat, SessionId)]) -> InvariantResult {
    let machine = cluster.machine();
    let is_absent = |(seat, session): &&(Seat, SessionId)| {
        machine.session(*seat) == Some(*session) && !cluster.is_connected(*seat) && !machine.is_lost(*seat)
    };
    let absent = before.iter().find(is_absent);
    ensure("absent_terminals_are_lost", absent.is_none(), || format!("{absent:?} of {:?}", machine.id()))
}

/// Each ledger sums to zero, and all else that a machine itself can check.
pub(crate) fn machine_is_sound(machine: &AnyMachine) -> InvariantResult {
    machine.check().map_err(|broken| InvariantViolation { invariant: "machine_is_sound", detail: broken.to_string() })
}

/// Money that has left one chain and not reached the other is on its way, and none other is.
pub(crate) fn money_is_conserved(house: &House, cluster: &Cluster) -> InvariantResult {
    check_transit(house, cluster)
        .map_err(|broken| InvariantViolation { invariant: "money_is_conserved", detail: broken.to_string() })
}

/// Transfers are taken once, in order.
pub(crate) fn transfer_is_taken_once(taken: u64, transfer: &Transfer) -> InvariantResult {
    ensure("transfer_is_taken_once", transfer.number == taken + 1, || format!("{taken}, then {transfer:?}"))
}

/// No cluster holds a notice that its round's chain does not.
pub(crate) fn cluster_is_not_ahead_of_its_round(round: &Round, cluster: &Cluster) -> InvariantResult {
    let known = round.reported(cluster.id()).map_or(0, |(followed, _, _)| followed);
    let newest = round.notices(cluster.id()).map(|(number, _)| number).max().unwrap_or(known);
    ensure("cluster_is_not_ahead_of_its_round", cluster.followed() <= newest, || {
        format!("{:?} follows {} of {newest}", cluster.id(), cluster.followed())
    })
}

/// No round counts on a notice that its cluster's chain does not hold.
pub(crate) fn round_is_not_ahead_of_its_cluster(round: &Round, cluster: &Cluster) -> InvariantResult {
    let known = round.reported(cluster.id()).map_or(0, |(followed, _, _)| followed);
    ensure("round_is_not_ahead_of_its_cluster", known <= cluster.followed(), || {
        format!("{:?} follows {}, its round counts on {known}", cluster.id(), cluster.followed())
    })
}

/// Dice are taken only when every cluster's chain holds the close.
pub(crate) fn dice_wait_for_every_close<'a>(
    round: &Round,
    clusters: impl IntoIterator<Item = &'a Cluster>,
) -> InvariantResult {
    if !matches!(round.phase(), Phase::Closed | Phase::Result) {
        return Ok(());
    }
    for cluster in clusters {
        let holds_close = cluster.round() > round.number()
            || (cluster.round() == round.number() && cluster.betting() != Betting::Open);
        ensure("dice_wait_for_every_close", holds_close, || {
            format!(
                "round {:?} is {:?}, {:?} bets in {:?}",
                round.number(),
                round.phase(),
                cluster.id(),
                cluster.round()
            )
        })?;
    }
    Ok(())
}

/// No bet is taken in a round whose dice are on record.
pub(crate) fn no_bet_after_the_dice(round: &Round, cluster: &Cluster) -> InvariantResult {
    let dice = round.past(cluster.round()).and_then(|past| past.dice);
    ensure("no_bet_after_the_dice", dice.is_none(), || {
        format!("{:?} takes a bet in {:?}, whose dice are {dice:?}", cluster.id(), cluster.round())
    })
}

/// A reply is on record, with the same verdict.
pub(crate) fn reply_is_on_record(
    recorded: &[Verdict],
    replied: Verdict,
    what: impl FnOnce() -> String,
) -> InvariantResult {
    ensure("reply_is_on_record", recorded.contains(&replied), || {
        format!("the reply to {} is {replied:?}, the record has {recorded:?}", what())
    })
}

/// A message says nothing that its sender's chain does not hold.
pub(crate) fn message_is_on_record(
    message: &Message,
    round: Option<&Round>,
    cluster: Option<&Cluster>,
    house: &House,
) -> InvariantResult {
    let is_held = match (message, round, cluster) {
        (Message::Notice { cluster, number, notice }, Some(round), _) => {
            let followed = round.reported(*cluster).map_or(0, |(followed, _, _)| followed);
            *number <= followed || round.notices(*cluster).any(|held| held == (*number, notice))
        }
        (Message::RoundHolds { cluster, followed, .. }, Some(round), _) => {
            round.reported(*cluster).is_some_and(|(held, _, _)| held >= *followed)
        }
        (Message::Followed { followed, .. }, _, Some(cluster)) => cluster.followed() >= *followed,
        (Message::ClusterHolds { number, .. }, _, Some(cluster)) => cluster.received() >= *number,
        (Message::ToHouse { cluster: id, transfer }, _, Some(cluster)) => {
            house.received(*id) >= transfer.number || cluster.outbox().any(|held| held == transfer)
        }
        (Message::ToCluster { cluster: id, transfer }, _, Some(cluster)) => {
            cluster.received() >= transfer.number || house.outbox(*id).any(|held| held == transfer)
        }
        (Message::HouseHolds { cluster, number }, _, _) => house.received(*cluster) >= *number,
        // Reports are not durable yet, and views say what the batch that they rest on says.
        (_, _, _) => true,
    };
    ensure("message_is_on_record", is_held, || format!("{message:?}"))
}

/// What leaves rests on blocks that the store holds.
pub(crate) fn revealed_is_durable(
    stored: Option<&SimulatedBlock>,
    rests_on: SimulatedHead,
    what: impl FnOnce() -> String,
) -> InvariantResult {
    let is_stored = rests_on.next == 0 || stored.is_some_and(|block| block.hash == rests_on.hash);
    ensure("revealed_is_durable", is_stored, || format!("{} rests on {rests_on:?}", what()))
}

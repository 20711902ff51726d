//! One round as recorded: what was done at the dealer's side, what each cluster settled, and what changed since.
//! Nothing is decided or calculated here.

use std::ops::ControlFlow;

use taisai_journal::{Archive, ChainName, Genesis, PublicKey, TrustedKeys, Verifier};
use taisai_rules::{Dice, Limits};
use taisai_table::{
    Adjustment, Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandRequest, MachineId, PastRound, Phase, Round,
    RoundCommand, RoundEntry, RoundEvent, RoundNumber, Ruling, Slip, SlipTotals, TableId, Time, Unwitnessed,
    VoidReason,
};

use crate::machine::RecordedMachine;
use crate::opening::{ChainOpening, MachineSetup, chain_of};
use crate::past::{RoundChange, change};
use crate::replay::{ChainReplay, EntryPosition, ReplayError, ReplayEvent};

/// A round on record.
#[derive(Clone, Debug)]
pub struct RoundSettlement {
    pub table: TableId,
    pub round: RoundNumber,
    /// What the dealer's chain begins with: whose it is, and whether its money is real.
    pub genesis: Genesis,
    /// What the dealer's side was last opened with.
    pub opening: ChainOpening,
    /// How it stands; none while it is in play.
    pub past: Option<PastRound>,
    /// The ruling on it whose money waits for a second person to witness it (5.14).
    pub unwitnessed: Option<Unwitnessed>,
    /// The commands at the dealer's side, during the round and about it later.
    pub acts: Vec<RoundAct>,
    /// What each cluster settled, by number; those that have not settled it yet are left out.
    pub clusters: Vec<ClusterSettlement>,
}

/// A command at the dealer's side.
#[derive(Clone, Debug)]
pub struct RoundAct {
    /// Where it stands in the chain.
    pub at: EntryPosition,
    /// The command, and what came of it.
    pub entry: RoundEntry,
}

/// The round at one cluster.
#[derive(Clone, Debug)]
pub struct ClusterSettlement {
    pub cluster: ClusterId,
    /// Where the settlement stands in the chain.
    pub at: EntryPosition,
    pub time: Time,
    /// The notice by which it was settled.
    pub notice: u64,
    /// The limits it was played by.
    pub limits: Limits,
    pub slip: Slip,
    /// The dice; none if it was void.
    pub dice: Option<Dice>,
    pub totals: SlipTotals,
    /// Settled again or voided since, in order.
    pub changes: Vec<SettlementChange>,
    /// What was registered after the dice, and from the film, in order: only at a table that registers winners.
    pub registered: Vec<RegisteredWinner>,
}

/// Something that was registered at a table that registers winners.
#[derive(Clone, Debug)]
pub struct RegisteredWinner {
    /// Where it stands in the chain.
    pub at: EntryPosition,
    pub request: CommandRequest<ClusterCommand>,
    pub event: ClusterEvent,
}

/// A correction or a late void of a settled round.
#[derive(Clone, Debug)]
pub struct SettlementChange {
    /// Where it stands in the chain.
    pub at: EntryPosition,
    pub time: Time,
    /// The notice by which it was changed.
    pub notice: u64,
    /// The dice; none if it is void.
    pub dice: Option<Dice>,
    /// Why it is void, if it is.
    pub void: Option<VoidReason>,
    /// What each session receives or pays.
    pub adjustments: Vec<Adjustment>,
}

impl ClusterSettlement {
    /// The dice by which the round stands; none if it is void.
    pub fn latest(&self) -> Option<Dice> {
        self.changes.last().map_or(self.dice, |change| change.dice)
    }
}

/// Reads a round of a table; none if the store does not have it. Checkpoints must be signed with one of the keys, if there are
/// any.
pub fn round_settlement(
    archive: &mut dyn Archive,
    keys: &[PublicKey],
    table: TableId,
    round: RoundNumber,
) -> Result<Option<RoundSettlement>, ReplayError> {
    let mut acts = Acts::new(round);
    let chain = chain_of(MachineId::Round(table));
    let mut replay = start::<Round>(archive, &chain, keys, |machine| machine.number() < round)?;
    replay.run(|seen| {
        acts.see(&seen);
        ControlFlow::Continue(())
    })?;
    let Some((opening, machine)) = replay.into_machine().filter(|(_, machine)| machine.number() >= round) else {
        return Ok(None);
    };
    let mut clusters = Vec::new();
    for cluster in clusters_of(&opening.setup) {
        let mut settling = Settling::new(round);
        let chain = chain_of(MachineId::Cluster(cluster));
        let mut replay = start::<Cluster>(archive, &chain, keys, |machine| machine.round() < round)?;
        replay.run(|seen| {
            settling.see(&seen);
            ControlFlow::Continue(())
        })?;
        clusters.extend(settling.settled);
    }
    let past = machine.past(round).copied();
    let unwitnessed = unwitnessed(&machine, round).cloned();
    let genesis = chain_genesis(archive, &chain)?;
    Ok(genesis.map(|genesis| RoundSettlement {
        table,
        round,
        genesis,
        opening,
        past,
        unwitnessed,
        acts: acts.acts,
        clusters,
    }))
}

/// The ruling on a round whose money waits for a witness.
pub(crate) fn unwitnessed(machine: &Round, round: RoundNumber) -> Option<&Unwitnessed> {
    machine.unwitnessed_rulings().iter().find(|ruling| ruling.round == round)
}

/// What a chain begins with; none if it has no block yet.
pub fn chain_genesis(archive: &mut dyn Archive, chain: &ChainName) -> Result<Option<Genesis>, ReplayError> {
    let mut verifier = Verifier::new(chain.clone(), TrustedKeys::AnyKey);
    archive.read(chain, 0, 1)?.into_iter().next().map(|bytes| verifier.follow(bytes)).transpose()?;
    Ok(verifier.genesis().copied())
}

/// The clusters of a table, by the opening of its dealer's side.
pub(crate) fn clusters_of(setup: &MachineSetup) -> Vec<ClusterId> {
    match setup {
        MachineSetup::Round { table, clusters, .. } => {
            (0..*clusters).map(|number| ClusterId { table: *table, number }).collect()
        }
        MachineSetup::House { .. } | MachineSetup::Cluster { .. } => Vec::new(),
    }
}

/// Starts at the newest confirmed snapshot before the round, or at the beginning.
pub(crate) fn start<'a, M: RecordedMachine>(
    archive: &'a mut dyn Archive,
    chain: &ChainName,
    keys: &[PublicKey],
    is_before: impl Fn(&M) -> bool,
) -> Result<ChainReplay<'a, M>, ReplayError> {
    if keys.is_empty() {
        return Ok(ChainReplay::new(archive, chain.clone(), TrustedKeys::AnyKey, &[]));
    }
    ChainReplay::from_snapshot(archive, chain, keys, is_before, |_, _| {})
}

/// Picks the commands at the dealer's side in and about a round.
pub(crate) struct Acts {
    round: RoundNumber,
    pub(crate) acts: Vec<RoundAct>,
}

impl Acts {
    pub(crate) const fn new(round: RoundNumber) -> Self {
        Self { round, acts: Vec::new() }
    }

    pub(crate) fn see(&mut self, seen: &ReplayEvent<'_, Round>) {
        if let ReplayEvent::Entry(at, machine, entry) = seen
            && (self.is_played(machine, entry) || self.is_about(&entry.request.command))
        {
            self.acts.push(RoundAct { at: *at, entry: (*entry).clone() });
        }
    }

    /// Whether the opening of bets, with which the round begins, was found.
    pub(crate) fn is_opened(&self) -> bool {
        self.acts.iter().any(|act| self.opens(&act.entry))
    }

    fn opens(&self, entry: &RoundEntry) -> bool {
        matches!(entry.outcome, Ok(RoundEvent::BetsOpened { round, .. }) if round == self.round)
    }

    /// Whether a command belongs to the round: it opens bets, or the round is in play. Reports of clusters, and to the House, are no acts.
    fn is_played(&self, machine: &Round, entry: &RoundEntry) -> bool {
        let is_in_play = match machine.phase() {
            Phase::Open | Phase::Closing | Phase::Closed | Phase::Result => machine.number() == self.round,
            Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void => false,
        };
        let is_report = matches!(
            entry.request.command,
            RoundCommand::Report { .. } | RoundCommand::RaiseEvent { .. } | RoundCommand::EventsHeld { .. }
        );
        self.opens(entry) || (is_in_play && !is_report)
    }

    /// Whether it names the round.
    fn is_about(&self, command: &RoundCommand) -> bool {
        match command {
            RoundCommand::Correct { round, .. }
            | RoundCommand::VoidByLaw { round, .. }
            | RoundCommand::Witness { round, .. }
            | RoundCommand::Rule { ruling: Ruling::Void { round, .. } | Ruling::Settle { round, .. }, .. } => {
                *round == self.round
            }
            RoundCommand::VoidDamaged { from, to, .. } => (*from..=*to).contains(&self.round),
            RoundCommand::Rule { ruling: Ruling::Conclude { .. } | Ruling::Note, .. }
            | RoundCommand::OpenTable
            | RoundCommand::AnnounceClosure
            | RoundCommand::CloseTable
            | RoundCommand::Relieve { .. }
            | RoundCommand::ShowLimits { .. }
            | RoundCommand::UseDice { .. }
            | RoundCommand::UseTumbler { .. }
            | RoundCommand::OpenBets
            | RoundCommand::CloseBets
            | RoundCommand::Tick
            | RoundCommand::Activate
            | RoundCommand::Tumbled { .. }
            | RoundCommand::AtRest { .. }
            | RoundCommand::Conceal { .. }
            | RoundCommand::Cover
            | RoundCommand::Uncover
            | RoundCommand::CorrectKnown { .. }
            | RoundCommand::DamagedSet { .. }
            | RoundCommand::Inspect { .. }
            | RoundCommand::Commit { .. }
            | RoundCommand::Void { .. }
            | RoundCommand::Interrupt { .. }
            | RoundCommand::Continue
            | RoundCommand::Restarted
            | RoundCommand::Report { .. }
            | RoundCommand::RaiseEvent { .. }
            | RoundCommand::EventsHeld { .. } => false,
        }
    }
}

/// Picks what a cluster settled in a round, and what changed since.
pub(crate) struct Settling {
    round: RoundNumber,
    pub(crate) settled: Option<ClusterSettlement>,
    /// Before the round is settled.
    registered: Vec<RegisteredWinner>,
}

impl Settling {
    pub(crate) const fn new(round: RoundNumber) -> Self {
        Self { round, settled: None, registered: Vec::new() }
    }

    pub(crate) fn see(&mut self, seen: &ReplayEvent<'_, Cluster>) {
        let ReplayEvent::Entry(at, cluster, entry) = seen else { return };
        if let Ok(event) = &entry.outcome
            && self.is_registered(cluster, &entry.request.command)
        {
            let registered = RegisteredWinner { at: *at, request: entry.request.clone(), event: event.clone() };
            self.settled.as_mut().map_or(&mut self.registered, |settled| &mut settled.registered).push(registered);
        }
        let ClusterCommand::Follow { number, notice, .. } = &entry.request.command else { return };
        let time = entry.request.time;
        match (change(entry), &entry.outcome) {
            (Some(RoundChange::Settled(round, dice)), Ok(ClusterEvent::Settled { totals, .. }))
                if round == self.round =>
            {
                self.settled = Some(ClusterSettlement {
                    cluster: cluster.id(),
                    at: *at,
                    time,
                    notice: *number,
                    limits: cluster.limits().clone(),
                    slip: cluster.slip(),
                    dice,
                    totals: *totals,
                    changes: Vec::new(),
                    registered: std::mem::take(&mut self.registered),
                });
            }
            (Some(RoundChange::Changed(round, dice)), Ok(ClusterEvent::Compensated { adjustments }))
                if round == self.round =>
            {
                let void = notice.stands().and_then(|(_, by)| by.err());
                let change =
                    SettlementChange { at: *at, time, notice: *number, dice, void, adjustments: adjustments.clone() };
                self.settled.iter_mut().for_each(|settled| settled.changes.push(change.clone()));
            }
            (_, Ok(_) | Err(_)) => {}
        }
    }

    /// Whether a command registers something of the round, or takes it off the register.
    fn is_registered(&self, cluster: &Cluster, command: &ClusterCommand) -> bool {
        let is_from_film = matches!(
            command,
            ClusterCommand::RegisterFromFilm { round, .. }
                | ClusterCommand::WithdrawFromFilm { round, .. }
                | ClusterCommand::CloseReturns { round, .. }
                if *round == self.round
        );
        let is_after_dice = matches!(
            command,
            ClusterCommand::Register { .. }
                | ClusterCommand::TellTotal { .. }
                | ClusterCommand::AllRegistered
                | ClusterCommand::Withdraw { .. }
                | ClusterCommand::Clear { .. }
        );
        is_from_film || (is_after_dice && cluster.thrown().is_some() && cluster.round() == self.round)
    }
}

//! Gathering evidence of a round from a store.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use taisai_journal::{
    Archive, BlockContent, ChainHead, ChainName, CheckpointContent, PublicKey, ReadError, TrustedKeys, Verifier,
};
use taisai_table::{Cluster, ClusterId, MachineId, Round, RoundNumber, TableId};

use super::{ChainEvidence, LaterBlocks, RoundEvidence};
use crate::machine::RecordedMachine;
use crate::opening::{ChainOpening, chain_of};
use crate::replay::{BATCH, ChainReplay, ReplayError, ReplayEvent};
use crate::settlement::{Settling, clusters_of, start, unwitnessed};
use crate::verify::checkpoints;

/// Why there is no evidence.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// The store does not have the chain.
    #[error("the store has no chain {0}")]
    NoChain(ChainName),
    /// A chain cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The store cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The round is not over.
    #[error("chain {0}: the round is not settled")]
    NotSettled(ChainName),
    /// Nobody has signed it yet.
    #[error("chain {0}: no checkpoint vouches yet for how the round stands; take it after the next one")]
    Unsigned(ChainName),
}

impl RoundEvidence {
    /// Gathers what is needed to check a round elsewhere. Checkpoints must be signed with one of the keys, if there are any.
    pub fn gather(
        archive: &mut dyn Archive,
        keys: &[PublicKey],
        table: TableId,
        round: RoundNumber,
    ) -> Result<Self, GatherError> {
        let mut gathering = Gathering { archive, keys, round };
        let mut stood = None;
        let changes = |seen: &ReplayEvent<'_, Round>| {
            let (ReplayEvent::Entry(_, machine, _) | ReplayEvent::Block(_, machine)) = seen else { return false };
            let stands = machine.past(round).map(|past| (*past, unwitnessed(machine, round).cloned()));
            let is_new = stands != stood;
            stood = stands;
            is_new
        };
        let chain = chain_of(MachineId::Round(table));
        let (part, opening) = gathering.part::<Round>(&chain, |machine| machine.number() < round, changes)?;
        let mut parts = vec![part];
        for id in clusters_of(&opening.setup) {
            parts.push(gathering.cluster(id)?);
        }
        Ok(Self { table, round, parts })
    }
}

struct Gathering<'a> {
    archive: &'a mut dyn Archive,
    keys: &'a [PublicKey],
    round: RoundNumber,
}

impl Gathering<'_> {
    fn cluster(&mut self, id: ClusterId) -> Result<ChainEvidence, GatherError> {
        let round = self.round;
        let mut settling = Settling::new(round);
        let settled = |settling: &Settling| settling.settled.as_ref().map(|settled| settled.changes.len());
        let changes = |seen: &ReplayEvent<'_, Cluster>| {
            let before = settled(&settling);
            settling.see(seen);
            settled(&settling) != before
        };
        let chain = chain_of(MachineId::Cluster(id));
        Ok(self.part::<Cluster>(&chain, |machine| machine.round() < round, changes)?.0)
    }

    /// The part of one chain: from a state before the round, or from the beginning, to a checkpoint behind the last change of
    /// the round.
    fn part<M: RecordedMachine>(
        &mut self,
        chain: &ChainName,
        is_before: impl Fn(&M) -> bool,
        mut changes: impl FnMut(&ReplayEvent<'_, M>) -> bool,
    ) -> Result<(ChainEvidence, ChainOpening), GatherError> {
        let mut heads = self.archive.heads()?.into_iter();
        let head = heads.find(|head| head.chain == *chain).ok_or_else(|| GatherError::NoChain(chain.clone()))?;
        let checkpoints = checkpoints(self.archive, &head)?;
        let vouched: BTreeSet<u64> = checkpoints.iter().map(|(_, vouched)| vouched.position).collect();
        let mut replay = start::<M>(self.archive, chain, self.keys, &is_before)?;
        let mut before = replay.machine().map(|_| replay.head().next - 1);
        let mut changed = None;
        replay.run(|seen| {
            if changes(&seen) {
                changed = place(&seen);
            }
            if let ReplayEvent::Block(position, machine) = seen
                && vouched.contains(&position)
                && is_before(machine)
            {
                before = Some(position);
            }
            ControlFlow::Continue(())
        })?;
        let not_settled = || GatherError::NotSettled(chain.clone());
        let unsigned = || GatherError::Unsigned(chain.clone());
        let (opening, _) = replay.into_machine().ok_or_else(not_settled)?;
        let end = behind(&checkpoints, changed.ok_or_else(not_settled)?).ok_or_else(unsigned)?;
        let Some(position) = before else {
            return Ok((ChainEvidence { beginning: self.blocks(chain, 0, end)?, later: None }, opening));
        };
        // Which state is the last one before the round is known only behind it. A state grows with its rounds: to keep each one until
        // the next would cost more than to replay the chain to this one.
        let replay = ChainReplay::<M>::from_position(self.archive, chain, self.keys, position + 1)?;
        let (_, machine) = replay.into_machine().ok_or_else(not_settled)?;
        let opened = self.first_entries(&head)?.ok_or_else(not_settled)?;
        let opened = behind(&checkpoints, opened).ok_or_else(unsigned)?;
        let later = Some(LaterBlocks { state: machine.snapshot(), blocks: self.blocks(chain, position, end)? });
        Ok((ChainEvidence { beginning: self.blocks(chain, 0, opened)?, later }, opening))
    }

    /// The position of the block in which the opening stands.
    fn first_entries(&mut self, head: &ChainHead) -> Result<Option<u64>, GatherError> {
        let mut verifier = Verifier::new(head.chain.clone(), TrustedKeys::AnyKey);
        for position in 0..head.next {
            let Some(bytes) = self.archive.read(&head.chain, position, 1)?.into_iter().next() else { break };
            let block = verifier.follow(bytes).map_err(ReplayError::from)?;
            if *block.content() == BlockContent::Entries {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    fn blocks(&mut self, chain: &ChainName, from: u64, to: u64) -> Result<Vec<Vec<u8>>, GatherError> {
        let mut blocks = Vec::new();
        let mut next = from;
        while next <= to {
            let batch = self.archive.read(chain, next, BATCH)?;
            if batch.is_empty() {
                break;
            }
            for (position, bytes) in (next..=to).zip(batch) {
                blocks.push(bytes);
                next = position + 1;
            }
        }
        Ok(blocks)
    }
}

/// The first checkpoint that vouches for a block.
fn behind(checkpoints: &[(u64, CheckpointContent)], position: u64) -> Option<u64> {
    checkpoints.iter().find(|(_, vouched)| vouched.position >= position).map(|(at, _)| *at)
}

fn place<M: RecordedMachine>(seen: &ReplayEvent<'_, M>) -> Option<u64> {
    match seen {
        ReplayEvent::Opening(at, _) | ReplayEvent::Entry(at, ..) => Some(at.position),
        ReplayEvent::Block(position, _) => Some(*position),
        ReplayEvent::Checkpoint(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use taisai_journal::{ChainPurpose, MemoryStore};
    use taisai_rules::Games;
    use taisai_table::{
        Actor, BrokenInvariant, CommandId, CommandRequest, Decision, Machine, Profile, Registration, RoundCommand,
        RoundEntry, RoundEvent, SettledSlip, Time,
    };

    use super::*;
    use crate::opening::{BadChainOpening, MachineSetup, Program};
    use crate::record_store::{RecordFiles, RecordStore};

    static CLONES: AtomicUsize = AtomicUsize::new(0);

    /// A dealer's side that counts how often it is copied.
    struct Counted(Round);

    impl Clone for Counted {
        fn clone(&self) -> Self {
            CLONES.fetch_add(1, Ordering::Relaxed);
            Self(self.0.clone())
        }
    }

    impl Machine for Counted {
        type Command = RoundCommand;
        type Event = RoundEvent;

        fn conceal(&self, request: CommandRequest<RoundCommand>) -> CommandRequest<RoundCommand> {
            Machine::conceal(&self.0, request)
        }
        fn decide(&self, request: &CommandRequest<RoundCommand>) -> Decision<RoundEvent> {
            self.0.decide(request)
        }
        fn settled_slip(&self, _: &RoundEntry) -> Option<SettledSlip> {
            None
        }
        fn apply(&mut self, entry: &RoundEntry) {
            self.0.apply(entry);
        }
        fn snapshot(&self) -> Vec<u8> {
            self.0.snapshot()
        }
        fn state_hash(&self) -> [u8; 32] {
            self.0.state_hash()
        }
        fn check(&self) -> Result<(), BrokenInvariant> {
            Ok(())
        }
    }

    impl RecordedMachine for Counted {
        fn build(opening: &ChainOpening) -> Result<Self, BadChainOpening> {
            Round::build(opening).map(Self)
        }
        fn restore(opening: &ChainOpening, bytes: &[u8]) -> Result<Self, BadChainOpening> {
            <Round as RecordedMachine>::restore(opening, bytes).map(Self)
        }
    }

    /// A state grows with its rounds, and a checkpoint vouches for each round.
    #[test]
    fn no_state_is_copied_on_the_way() {
        const ENTRIES: u64 = 20;
        let (folder, memory, table) = (tempfile::tempdir().expect("a folder"), MemoryStore::default(), TableId(1));
        let files = RecordFiles { key_file: folder.path().join("house.key"), anchor: None, trusted: Vec::new() };
        let program = Program { version: "0.1.0".to_owned(), hash: [1; 32] };
        let warn = Arc::new(|warning| panic!("{warning}"));
        let journal = Box::new(memory.open());
        let mut store =
            RecordStore::in_journal(journal, &files, program, [7; 16], ChainPurpose::Real, warn).expect("a store");
        let setup = MachineSetup::Round {
            table,
            game: Games::embedded().find("tai-sai", None).expect("a game").file().to_owned(),
            layout: "A".to_owned(),
            registration: Registration::EveryBet,
            is_training: false,
            clusters: 1,
        };
        let mut round = store.machine::<Round>(setup, &Profile::singapore(), Time(1)).expect("a machine");
        for sequence in 1..=ENTRIES {
            // It is refused, and on record.
            let (time, id) = (Time(sequence), CommandId { source: 1, sequence });
            round.ask(CommandRequest { time, actor: Actor::System, id, command: RoundCommand::OpenBets });
            round.checkpoint(time).expect("a checkpoint");
        }
        drop(round);
        store.close().expect("everything is stored");
        let mut gathering = Gathering { archive: &mut memory.clone(), keys: &[], round: RoundNumber(1) };
        let mut entries = 0;
        let is_entry = |seen: &ReplayEvent<'_, Counted>| {
            let is_entry = matches!(seen, ReplayEvent::Entry(..));
            entries += u64::from(is_entry);
            is_entry
        };
        let (part, _) = gathering.part(&chain_of(MachineId::Round(table)), |_| true, is_entry).expect("evidence");
        assert!(part.later.is_some() && entries == ENTRIES);
        assert_eq!(CLONES.load(Ordering::Relaxed), 0);
    }
}

//! The store: chains that take a block only where epoch, position and previous hash are those of their heads, and leases by the
//! store's own clock. It answers, fails, answers without doing, does without answering, and is promoted.

mod chains;
mod leases;

use std::collections::BTreeMap;
use std::rc::Rc;

use taisai_table::MachineId;

use chains::{ChainTable, TakenChain};
pub(crate) use chains::{SimulatedBlock, SimulatedHead};
use leases::LeaseTable;
pub(crate) use leases::{LEASE, LeaseClaim};

use crate::planted::{Mistakes, Planted};
use crate::random::Random;
use crate::roster::{NodeNumber, StoreRoster};

/// A transaction that a node asks for.
#[derive(Clone, Debug)]
pub(crate) enum StoreStatement {
    Join { address: usize },
    Heartbeat { name: NodeNumber },
    Claim { name: NodeNumber, partition: MachineId },
    Release { name: NodeNumber, partition: MachineId },
    Seize { name: NodeNumber, partition: MachineId, from: NodeNumber },
    Wish { partition: MachineId, node: NodeNumber },
    Leave { name: NodeNumber },
    Read { chain: MachineId },
    Take { chain: MachineId, epoch: u64 },
    Append { blocks: Vec<Rc<SimulatedBlock>> },
}

/// What comes of a statement.
#[derive(Clone, Debug)]
pub(crate) enum StatementOutcome {
    Joined {
        name: NodeNumber,
        slot: u64,
    },
    /// Nothing where the node's time is over.
    Heartbeat(Option<StoreRoster>),
    Claimed(LeaseClaim),
    Seized(bool),
    Done,
    Head(SimulatedHead),
    /// Someone else has raised the epoch as high.
    NotTaken,
    Appended,
    /// Epoch, position or previous hash are not those of a chain. Nothing was stored.
    Fenced,
    /// Nothing was done.
    Unavailable,
    /// It was done, or not.
    Unknown,
}

/// A statement on its way.
#[derive(Clone, Debug)]
pub(crate) struct Call<A> {
    pub(crate) statement: StoreStatement,
    /// Who waits for the outcome.
    pub(crate) from: A,
}

/// One server's databases.
#[derive(Clone, Debug, Default)]
struct DatabaseServer {
    chains: ChainTable,
    leases: LeaseTable,
}

/// The store as nodes see it. `A` says who waits for an outcome.
#[derive(Debug)]
pub(crate) struct SimulatedStore<A> {
    primary: DatabaseServer,
    /// A primary that was thought lost and still answers those who were connected to it.
    former: Option<DatabaseServer>,
    /// The nodes that are connected to the former primary.
    still_former: Vec<usize>,
    /// Every block in the order of commits: what standbys are sent.
    log: Vec<Rc<SimulatedBlock>>,
    /// Statements that have been sent and not carried out, by their numbers.
    calls: BTreeMap<u64, Call<A>>,
    next_call: u64,
    /// Nobody reaches it until then.
    pub(crate) down_until: u64,
    /// How many of the next appends fail without a trace.
    pub(crate) failing_appends: u32,
    /// How many of the next appends lose their connection while they commit.
    pub(crate) unknown_appends: u32,
    /// Every append fails until then, as the disk is full.
    pub(crate) full_until: u64,
    /// The process of the next append ends in the middle of it.
    pub(crate) stops_in_append: bool,
    /// How far the server's clock is ahead of true time.
    pub(crate) clock_offset: u64,
    mistakes: Mistakes,
}

impl<A: Clone> SimulatedStore<A> {
    pub(crate) fn new(mistakes: Mistakes) -> Self {
        Self {
            primary: DatabaseServer::default(),
            former: None,
            still_former: Vec::new(),
            log: Vec::new(),
            calls: BTreeMap::new(),
            next_call: 0,
            down_until: 0,
            failing_appends: 0,
            unknown_appends: 0,
            full_until: 0,
            stops_in_append: false,
            clock_offset: 0,
            mistakes,
        }
    }

    /// A statement is sent: its number.
    pub(crate) fn send(&mut self, statement: StoreStatement, from: A) -> u64 {
        self.next_call += 1;
        self.calls.insert(self.next_call, Call { statement, from });
        self.next_call
    }

    /// A statement arrives and is carried out, unless it was lost with the primary.
    pub(crate) fn arrive(
        &mut self,
        number: u64,
        now: u64,
        node: usize,
        random: &mut Random,
    ) -> Option<(A, StatementOutcome)> {
        let Call { statement, from } = self.calls.remove(&number)?;
        if now < self.down_until {
            return Some((from, StatementOutcome::Unavailable));
        }
        let is_append = matches!(statement, StoreStatement::Append { .. });
        if is_append && now < self.full_until {
            return Some((from, StatementOutcome::Unavailable));
        }
        if is_append && self.failing_appends > 0 {
            self.failing_appends -= 1;
            return Some((from, StatementOutcome::Unavailable));
        }
        if is_append && self.unknown_appends > 0 {
            self.unknown_appends -= 1;
            if random.percent(50) {
                self.execute(&self.torn(statement), now, node, random);
            }
            return Some((from, StatementOutcome::Unknown));
        }
        Some((from, self.execute(&statement, now, node, random)))
    }

    /// Whether the process of a statement ends now, in the middle of its append.
    pub(crate) fn stops_now(&mut self, number: u64) -> bool {
        let is_append =
            self.calls.get(&number).is_some_and(|call| matches!(call.statement, StoreStatement::Append { .. }));
        is_append && std::mem::take(&mut self.stops_in_append)
    }

    /// An append is a write for each block, one that commits them, and a flush. Where the process ends before it commits, the next
    /// one finds a torn tail and drops it; a commit that was written stays.
    pub(crate) fn stop_in_append(&mut self, number: u64, now: u64, node: usize, random: &mut Random) {
        let Some(Call { statement: StoreStatement::Append { blocks }, .. }) = self.calls.remove(&number) else {
            return;
        };
        let (commit, flush) = (blocks.len(), blocks.len() + 1);
        let last = random.index(flush + 1);
        if last >= commit && now >= self.down_until && now >= self.full_until {
            self.execute(&self.torn(StoreStatement::Append { blocks }), now, node, random);
        }
    }

    /// A transaction that is cut off is stored as a whole or not at all.
    fn torn(&self, statement: StoreStatement) -> StoreStatement {
        match statement {
            StoreStatement::Append { mut blocks } if self.mistakes.is(Planted::SecondStoredWithoutFirst) => {
                let last = blocks.last().map(|block| block.chain);
                let own: Vec<_> = blocks.iter().filter(|block| Some(block.chain) == last).cloned().collect();
                if own.len() < blocks.len() {
                    blocks = own;
                }
                StoreStatement::Append { blocks }
            }
            whole => whole,
        }
    }

    /// The primary is lost. It has done some of the statements on their way, in order, and answers none.
    pub(crate) fn lose_primary(&mut self, now: u64, random: &mut Random) -> Vec<A> {
        let calls = std::mem::take(&mut self.calls);
        let done = random.index(calls.len() + 1);
        let mut waiting = Vec::new();
        for (at, call) in calls.into_values().enumerate() {
            let is_write = matches!(call.statement, StoreStatement::Append { .. } | StoreStatement::Take { .. });
            if at < done && is_write {
                self.execute(&call.statement, now, usize::MAX, random);
            }
            waiting.push(call.from);
        }
        waiting
    }

    /// The process of a node ends: what it has sent is done, or torn and not done.
    pub(crate) fn forget(&mut self, is_of_node: impl Fn(&A) -> bool, now: u64, node: usize, random: &mut Random) {
        let gone: Vec<u64> =
            self.calls.iter().filter(|(_, call)| is_of_node(&call.from)).map(|(number, _)| *number).collect();
        let done = random.index(gone.len() + 1);
        for (at, number) in gone.into_iter().enumerate() {
            let Some(call) = self.calls.remove(&number) else { continue };
            if at < done && now >= self.down_until {
                self.execute(&call.statement, now, node, random);
            }
        }
    }

    /// A standby is promoted that lacks the last blocks; the primary may go on answering those who are connected to it.
    pub(crate) fn promote_without_tail(&mut self, lost: usize, nodes: &[usize]) {
        if !nodes.is_empty() {
            self.former = Some(self.primary.clone());
            self.still_former = nodes.to_vec();
        }
        self.log.truncate(self.log.len().saturating_sub(lost));
        self.primary.chains = ChainTable::replay(&self.log);
    }

    fn execute(&mut self, statement: &StoreStatement, now: u64, node: usize, random: &mut Random) -> StatementOutcome {
        let clock = now + self.clock_offset;
        let is_former = self.still_former.contains(&node);
        let server = if is_former { self.former.as_mut().unwrap_or(&mut self.primary) } else { &mut self.primary };
        let DatabaseServer { chains, leases } = server;
        let mut written = Vec::new();
        let outcome = match statement {
            StoreStatement::Join { address } => {
                let (name, slot) = leases.join(NodeNumber(random.next() >> 1), *address, clock);
                StatementOutcome::Joined { name, slot }
            }
            StoreStatement::Heartbeat { name } => {
                StatementOutcome::Heartbeat(leases.heartbeat(*name, clock).then(|| leases.roster(clock)))
            }
            StoreStatement::Claim { name, partition } => {
                StatementOutcome::Claimed(leases.claim(*name, *partition, clock, self.mistakes))
            }
            StoreStatement::Release { name, partition } => {
                leases.release(*name, *partition);
                StatementOutcome::Done
            }
            StoreStatement::Seize { name, partition, from } => {
                StatementOutcome::Seized(leases.seize(*name, *partition, *from, clock))
            }
            StoreStatement::Wish { partition, node } => {
                leases.wish(*partition, *node, clock);
                StatementOutcome::Done
            }
            StoreStatement::Leave { name } => {
                leases.leave(*name);
                StatementOutcome::Done
            }
            StoreStatement::Read { chain } => StatementOutcome::Head(chains.head(*chain)),
            StoreStatement::Take { chain, epoch } => {
                let writes = !self.mistakes.is(Planted::EpochNotCompared);
                match chains.take(*chain, *epoch, writes) {
                    Some(TakenChain { head, block }) => {
                        written.extend(block);
                        StatementOutcome::Head(head)
                    }
                    None => StatementOutcome::NotTaken,
                }
            }
            StoreStatement::Append { blocks } => match chains.append(blocks, self.mistakes) {
                Some(appended) => {
                    written.extend(appended);
                    StatementOutcome::Appended
                }
                None => StatementOutcome::Fenced,
            },
        };
        if !is_former {
            self.log.extend(written);
        }
        outcome
    }

    /// Blocks in the order of commits.
    pub(crate) fn log(&self) -> &[Rc<SimulatedBlock>] {
        &self.log
    }

    pub(crate) fn blocks(&self, chain: MachineId) -> &[Rc<SimulatedBlock>] {
        self.primary.chains.blocks(chain)
    }

    pub(crate) fn head(&self, chain: MachineId) -> SimulatedHead {
        self.primary.chains.head(chain)
    }

    /// The node that holds a partition, as the store knows it, whether it lives or not.
    pub(crate) fn holder(&self, partition: MachineId) -> Option<NodeNumber> {
        self.primary.leases.holder(partition)
    }

    /// Whether a partition was taken from a node while that lived.
    pub(crate) fn is_seized(&self, partition: MachineId, from: NodeNumber) -> bool {
        self.primary.leases.is_seized(partition, from)
    }

    /// The nodes that live.
    pub(crate) fn roster(&self, now: u64) -> StoreRoster {
        self.primary.leases.roster(now + self.clock_offset)
    }

    /// A person wishes a partition to a node.
    pub(crate) fn wish(&mut self, partition: MachineId, node: NodeNumber, now: u64) {
        let clock = now + self.clock_offset;
        self.primary.leases.wish(partition, node, clock);
    }

    /// Writes blocks before the run begins.
    pub(crate) fn found(&mut self, chain: MachineId, entries: &[Vec<u8>]) {
        let taken = self.primary.chains.take(chain, 1, true).expect("a chain that is not there can be taken");
        self.log.extend(taken.block);
        let mut block = SimulatedBlock::after(chain, taken.head);
        for entry in entries {
            block.push(entry);
        }
        let block = Rc::new(block.sealed());
        let appended = self.primary.chains.append(&[block], self.mistakes).expect("the chain was just taken");
        self.log.extend(appended);
    }
}

//! A machine and the entries that it has decided and not yet appended to its chain.

use taisai_table::{Actor, CommandId, CommandRequest, Decision, Entry, Machine, SettledSlip, Time, encode};

use crate::planted::{Mistake, makes};

/// Entries that a partition appends to its chain together. The buffer is used again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryBuffer {
    bytes: Vec<u8>,
    /// Where each entry ends.
    ends: Vec<usize>,
    /// The slips of rounds that entries settle, each with the index of its entry.
    slips: Vec<(usize, SettledSlip)>,
}

impl EntryBuffer {
    /// Whether there are no entries.
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many bytes the entries have.
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of each entry, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }

    /// The slips of rounds that entries settle, in order, each with the index of its entry.
    pub fn take_slips(&mut self) -> impl Iterator<Item = (usize, SettledSlip)> + use<> {
        std::mem::take(&mut self.slips).into_iter()
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.slips.clear();
    }

    fn push(&mut self, slip: Option<SettledSlip>, write: impl FnOnce(&mut Vec<u8>)) {
        self.slips.extend(slip.map(|slip| (self.ends.len(), slip)));
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}

/// A machine that decides ahead of what is durable.
#[derive(Debug)]
pub(crate) struct DecidingMachine<M: Machine> {
    machine: M,
    /// Under which number the partition itself sends commands.
    own: CommandId,
    pub(crate) undurable: EntryBuffer,
}

impl<M: Machine> DecidingMachine<M> {
    /// `source` numbers the partition's own commands: no other source has it, and it is higher than those on record.
    pub(crate) fn new(machine: M, source: u64) -> Self {
        Self { machine, own: CommandId { source, sequence: 0 }, undurable: EntryBuffer::default() }
    }

    pub(crate) const fn machine(&self) -> &M {
        &self.machine
    }

    /// Decides and applies a command, and keeps its entry for the next append.
    pub(crate) fn ask(&mut self, request: CommandRequest<M::Command>) -> Decision<M::Event> {
        let request = self.machine.conceal(request);
        let outcome = match self.machine.decide(&request) {
            Decision::Accepted(event) => Ok(event),
            Decision::Refused(refusal) if makes(Mistake::RefusalNotRecorded) => return Decision::Refused(refusal),
            Decision::Refused(refusal) => Err(refusal),
            Decision::Repeated(verdict) => return Decision::Repeated(verdict),
        };
        let entry = Entry { request, outcome };
        let slip = self.machine.settled_slip(&entry);
        self.machine.apply(&entry);
        self.undurable.push(slip, |buffer| encode(&entry, buffer));
        entry.outcome.map_or_else(Decision::Refused, Decision::Accepted)
    }

    /// A command of the program's own.
    pub(crate) fn own(&mut self, time: Time, command: M::Command) -> CommandRequest<M::Command> {
        self.own.sequence += 1;
        CommandRequest { time, actor: Actor::System, id: self.own, command }
    }
}

#[cfg(test)]
mod tests {
    use taisai_table::RoundNumber;

    use super::*;

    #[test]
    fn entries_come_back_one_by_one() {
        let mut buffer = EntryBuffer::default();
        assert!(buffer.is_empty() && buffer.iter().next().is_none());
        for entry in [&b"one"[..], b"", b"three"] {
            let slip = entry.is_empty().then(|| SettledSlip { round: RoundNumber(1), bytes: vec![1] });
            buffer.push(slip, |bytes| bytes.extend_from_slice(entry));
        }
        assert_eq!(buffer.iter().collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
        assert_eq!(buffer.len(), 8);
        let slip = SettledSlip { round: RoundNumber(1), bytes: vec![1] };
        assert_eq!(buffer.clone().take_slips().collect::<Vec<_>>(), [(1, slip)], "with its entry");
        buffer.clear();
        assert!(buffer.is_empty() && buffer.take_slips().next().is_none());
    }
}

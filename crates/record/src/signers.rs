//! The keys that sign checkpoints, and when the House replaced them, to compare them.

use taisai_journal::{Checkpoint, PublicKey};
use taisai_table::{House, HouseCommand, Time};

use crate::machine::RecordedMachine;
use crate::replay::ReplayEvent;

/// The last checkpoint of a key in a chain: the block that it vouches for, and when it was signed at the earliest.
#[derive(Clone, Copy, Debug)]
struct LastUse {
    key: PublicKey,
    position: u64,
    time: Time,
}

/// The keys that sign the checkpoints of a chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainSigners {
    uses: Vec<LastUse>,
    newest: Time,
}

/// A signing key that was replaced: by which block of the House, and when.
#[derive(Clone, Copy, Debug)]
struct ReplacedKey {
    key: PublicKey,
    position: u64,
    time: Time,
}

/// The signing keys of an installation, as the House's chain has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyHistory {
    present: Option<PublicKey>,
    replaced: Vec<ReplacedKey>,
}

/// A key vouches for a block that came after it was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LateSignature {
    pub(crate) key: PublicKey,
    pub(crate) position: u64,
}

impl ChainSigners {
    pub(crate) fn see<M: RecordedMachine>(&mut self, seen: &ReplayEvent<'_, M>) {
        match seen {
            ReplayEvent::Opening(_, opening) => self.newest = self.newest.max(opening.time),
            ReplayEvent::Entry(_, _, entry) => self.newest = self.newest.max(entry.request.time),
            ReplayEvent::Checkpoint(_, checkpoint) => self.signed(checkpoint),
            ReplayEvent::Block(..) => {}
        }
    }

    /// A checkpoint is not earlier than the entries before it, whatever it says.
    fn signed(&mut self, checkpoint: &Checkpoint) {
        let key = checkpoint.key;
        self.newest = self.newest.max(Time(checkpoint.content.time));
        self.uses.retain(|other| other.key != key);
        self.uses.push(LastUse { key, position: checkpoint.content.position, time: self.newest });
    }

    /// The keys that signed although they were replaced by then. In the House's own chain a key may still vouch for the block that
    /// replaces it, and in the others for what came before.
    pub(crate) fn late(&self, history: &KeyHistory, is_house: bool) -> Vec<LateSignature> {
        let is_late = |used: &LastUse, replaced: &ReplacedKey| {
            used.key == replaced.key
                && if is_house { used.position > replaced.position } else { used.time > replaced.time }
        };
        let late = self.uses.iter().filter(|used| history.replaced.iter().any(|replaced| is_late(used, replaced)));
        late.map(|used| LateSignature { key: used.key, position: used.position }).collect()
    }
}

impl KeyHistory {
    pub(crate) fn see(&mut self, seen: &ReplayEvent<'_, House>) {
        let ReplayEvent::Entry(at, _, entry) = seen else { return };
        let (HouseCommand::UseKeys { keys }, Ok(_)) = (&entry.request.command, &entry.outcome) else { return };
        let key = PublicKey::from_bytes(keys.signer.0);
        if let Some(before) = self.present.replace(key)
            && before != key
        {
            self.replaced.push(ReplacedKey { key: before, position: at.position, time: entry.request.time });
        }
    }
}

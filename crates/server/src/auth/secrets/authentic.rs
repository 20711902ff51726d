//! Authentication of stored rows. Each has a keyed hash of its table and its values, so a row that was made up, changed or copied
//! to another owner is not believed. What was refused is kept until it is reported to the House.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use taisai_table::{SecretOwner, Time};

use super::store::SecretValue;

const ROW_CONTEXT: &str = "taisai 2026 secrets: authentication of rows";

/// What is refused again and again is reported this often.
const REPORT_INTERVAL_MILLIS: u64 = 60 * 1_000;

#[derive(Clone)]
pub(super) struct RowKey([u8; 32]);

impl RowKey {
    pub(super) fn new(secret: &[u8; 32]) -> Self {
        Self(blake3::derive_key(ROW_CONTEXT, secret))
    }

    pub(super) fn hash(&self, table: &str, values: &[SecretValue]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        let mut add = |kind: u8, bytes: &[u8]| {
            let length = u64::try_from(bytes.len()).expect("a length is below 2^64");
            hasher.update(&[kind]).update(&length.to_le_bytes()).update(bytes);
        };
        add(0, table.as_bytes());
        for value in values {
            match value {
                SecretValue::Number(number) => add(1, &number.to_le_bytes()),
                SecretValue::Text(text) => add(2, text.as_bytes()),
                SecretValue::Bytes(bytes) => add(3, bytes),
            }
        }
        hasher.finalize().into()
    }

    /// Whether the last value is the hash of those before it.
    pub(super) fn is_right(&self, table: &str, row: &[SecretValue]) -> bool {
        let Some((SecretValue::Bytes(found), values)) = row.split_last() else { return false };
        // Comparing these hashes takes the same time whatever they are.
        <[u8; 32]>::try_from(found.as_slice())
            .is_ok_and(|found| blake3::Hash::from(found) == blake3::Hash::from(self.hash(table, values)))
    }
}

/// Whose secrets were refused and are not reported yet, and when each was last reported.
#[derive(Debug, Default)]
pub(super) struct RefusedSecrets(Mutex<(BTreeSet<SecretOwner>, BTreeMap<SecretOwner, Time>)>);

impl RefusedSecrets {
    pub(super) fn add(&self, owner: SecretOwner) {
        tracing::warn!(
            ?owner,
            "what is stored of a password or a device is not what the casino stored, and is refused"
        );
        self.lock().0.insert(owner);
    }

    /// Those that are to be reported now. They wait until they are.
    pub(super) fn due(&self, now: Time) -> Vec<SecretOwner> {
        let mut refused = self.lock();
        let (waiting, reported) = &mut *refused;
        let is_due = |last: &Time| now.0.abs_diff(last.0) >= REPORT_INTERVAL_MILLIS;
        waiting.retain(|owner| reported.get(owner).is_none_or(is_due));
        waiting.iter().copied().collect()
    }

    pub(super) fn reported(&self, owner: SecretOwner, now: Time) {
        let mut refused = self.lock();
        refused.0.remove(&owner);
        refused.1.insert(owner, now);
    }

    fn lock(&self) -> MutexGuard<'_, (BTreeSet<SecretOwner>, BTreeMap<SecretOwner, Time>)> {
        // Every change is complete, even if another holder of the lock panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

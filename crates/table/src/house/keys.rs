//! The keys of the installation, and how new the secrets of people and devices are. The House knows keys by a fingerprint and by what
//! signatures are checked with; secrets lie beside the record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{House, HouseDecision, HouseEvent};
use crate::identity::{Actor, DeviceId, PersonId};
use crate::refusal::Refusal;

/// What the key file of an installation is known by. It says nothing of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(min_items = 32, max_items = 32))]
pub struct KeyFingerprint(pub [u8; 32]);

/// What signatures of checkpoints are checked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(min_items = 32, max_items = 32))]
pub struct SignerKey(pub [u8; 32]);

/// The keys that an installation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct KeysInUse {
    pub fingerprint: KeyFingerprint,
    pub signer: SignerKey,
}

/// Whose secret it is: the password of a person, or the key of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SecretOwner {
    Person(PersonId),
    Device(DeviceId),
}

/// It stands behind the state, and only where there is something: a record without keys has the states that it always had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeysOnFile {
    pub(super) in_use: Option<KeysInUse>,
    /// The version of the newest secret of each owner; the first is not counted.
    pub(super) versions: BTreeMap<SecretOwner, u32>,
}

impl KeysOnFile {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Two nodes may change a secret at once: the later version counts.
    pub(super) fn change_secret(&mut self, owner: SecretOwner, version: u32) {
        let newest = self.versions.entry(owner).or_default();
        *newest = version.max(*newest);
    }
}

impl House {
    /// The keys that the record knows; none before the first start with a key file.
    pub const fn keys(&self) -> Option<KeysInUse> {
        self.keys.in_use
    }

    /// The version of a person's or a device's newest secret: an older one is not believed.
    pub fn secret_version(&self, owner: SecretOwner) -> u32 {
        self.keys.versions.get(&owner).copied().unwrap_or_default()
    }

    pub(super) fn decide_change_secret(&self, actor: Actor, owner: SecretOwner) -> HouseDecision {
        actor.is_system()?;
        let (is_on_file, unknown) = match owner {
            SecretOwner::Person(person) => (self.people.contains_key(&person), Refusal::UnknownPerson),
            SecretOwner::Device(device) => (self.devices.active(device).is_some(), Refusal::UnknownDevice),
        };
        if is_on_file { Ok(HouseEvent::Done) } else { Err(unknown) }
    }
}

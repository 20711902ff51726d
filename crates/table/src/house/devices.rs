//! Devices and tables: what is enrolled where, and the configuration. It knows no money.

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use super::{House, HouseDecision, HouseEvent, MAX_KEY_LENGTH, MAX_VALUE_LENGTH};
use crate::identity::{Actor, ClusterId, DeviceId, Person, Seat, TableId};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::{MAX_REASON_LENGTH, check_text};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeviceKind {
    /// A Player Terminal.
    Terminal { cluster: ClusterId, seat: Seat },
    /// A dice tumbler.
    Tumbler,
    /// A display, or a screen of the casino.
    Screen,
    /// A note acceptor at a Player Terminal (F86).
    NoteAcceptor {
        /// The cluster of the terminal.
        cluster: ClusterId,
        seat: Seat,
    },
    /// The chip reader or camera over the layout of a live table.
    ChipReader {
        /// The cluster whose bets it registers.
        cluster: ClusterId,
    },
}

/// A device on file. A number is never used again, also when it is revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Device {
    pub kind: DeviceKind,
    /// Whether it may no longer do anything.
    pub is_revoked: bool,
}

/// A table on file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HouseTable {
    /// How many clusters it has, numbered from zero.
    #[cfg_attr(feature = "openapi", schema(value_type = u16, minimum = 1))]
    pub clusters: NonZeroU16,
    pub is_training: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EnrolledDevices {
    pub(super) on_file: BTreeMap<DeviceId, Device>,
    /// Terminals by where they stand; revoked ones stand nowhere.
    pub(super) seated: BTreeMap<(ClusterId, Seat), DeviceId>,
    /// Note acceptors likewise.
    pub(super) acceptors: BTreeMap<(ClusterId, Seat), DeviceId>,
    /// Chip readers by the layout they read: two would register the same chips twice.
    pub(super) readers: BTreeMap<ClusterId, DeviceId>,
}

impl EnrolledDevices {
    pub(super) fn active(&self, device: DeviceId) -> Option<&Device> {
        self.on_file.get(&device).filter(|device| !device.is_revoked)
    }

    pub(super) fn enrol(&mut self, device: DeviceId, kind: DeviceKind) {
        self.on_file.insert(device, Device { kind, is_revoked: false });
        match kind {
            DeviceKind::Terminal { cluster, seat } => {
                self.seated.insert((cluster, seat), device);
            }
            DeviceKind::NoteAcceptor { cluster, seat } => {
                self.acceptors.insert((cluster, seat), device);
            }
            DeviceKind::ChipReader { cluster } => {
                self.readers.insert(cluster, device);
            }
            DeviceKind::Tumbler | DeviceKind::Screen => {}
        }
    }

    pub(super) fn revoke(&mut self, device: DeviceId) {
        let on_file = self.on_file.get_mut(&device).expect("the device is on file");
        on_file.is_revoked = true;
        match on_file.kind {
            DeviceKind::Terminal { cluster, seat } => {
                self.seated.remove(&(cluster, seat));
            }
            DeviceKind::NoteAcceptor { cluster, seat } => {
                self.acceptors.remove(&(cluster, seat));
            }
            DeviceKind::ChipReader { cluster } => {
                self.readers.remove(&cluster);
            }
            DeviceKind::Tumbler | DeviceKind::Screen => {}
        }
    }
}

impl House {
    /// The table of a cluster that is on file.
    pub(super) fn table_of(&self, cluster: ClusterId) -> Result<HouseTable, Refusal> {
        let table = self.tables.get(&cluster.table).filter(|table| cluster.number < table.clusters.get());
        table.copied().ok_or(Refusal::UnknownTable)
    }

    /// Whether the table of a cluster plays for training while the installation is real. A cluster that is not on file is not.
    pub(super) fn is_play(&self, cluster: ClusterId) -> bool {
        self.table_of(cluster).is_ok_and(|table| table.is_training != self.is_training)
    }

    /// The server itself sets up tables and devices until the first people are there; then people do.
    fn may_set_up(&self, act: Act, actor: Actor, second: Option<Person>) -> Result<(), Refusal> {
        if actor == Actor::System && self.people.is_empty() {
            return Ok(());
        }
        self.right(act, actor, second).map(|_| ())
    }

    pub(super) fn decide_enrol(
        &self,
        actor: Actor,
        device: DeviceId,
        kind: DeviceKind,
        second: Option<Person>,
    ) -> HouseDecision {
        self.may_set_up(Act::ManageDevices, actor, second)?;
        let (cluster, is_taken) = match kind {
            DeviceKind::Terminal { cluster, seat } => {
                (Some(cluster), self.devices.seated.contains_key(&(cluster, seat)))
            }
            // F86: without notes in the profile there is no such device.
            DeviceKind::NoteAcceptor { .. } if self.profile.notes.is_empty() => return Err(Refusal::NoteNotTaken),
            // F54: real notes never become play money.
            DeviceKind::NoteAcceptor { cluster, .. } if self.is_play(cluster) => return Err(Refusal::TrainingMixed),
            DeviceKind::NoteAcceptor { cluster, seat } => {
                (Some(cluster), self.devices.acceptors.contains_key(&(cluster, seat)))
            }
            DeviceKind::ChipReader { cluster } => (Some(cluster), self.devices.readers.contains_key(&cluster)),
            DeviceKind::Tumbler | DeviceKind::Screen => (None, false),
        };
        if is_taken || self.devices.on_file.contains_key(&device) {
            return Err(Refusal::DeviceExists);
        }
        if let Some(cluster) = cluster {
            self.table_of(cluster)?;
        }
        Ok(HouseEvent::Done)
    }

    /// Anyone with the code can take the device's place, so it takes two people. The program itself issues codes when an
    /// installation is founded, and when access is restored on its console.
    pub(super) fn decide_give_code(&self, actor: Actor, device: DeviceId, second: Option<Person>) -> HouseDecision {
        if actor != Actor::System {
            self.right(Act::ManageDevices, actor, second)?;
        }
        self.devices.active(device).ok_or(Refusal::UnknownDevice)?;
        Ok(HouseEvent::Done)
    }

    /// A stolen device is revoked in seconds: either of the two who enrol devices does it alone.
    pub(super) fn decide_revoke(&self, actor: Actor, device: DeviceId) -> HouseDecision {
        let person = self.active_actor(actor)?;
        let right = self.profile.right(Act::ManageDevices);
        let is_second = right.second.is_some_and(|roles| person.roles.meets(roles));
        if !is_second && !person.roles.meets(right.first) {
            return Err(Refusal::NotAllowed);
        }
        self.devices.active(device).ok_or(Refusal::UnknownDevice)?;
        Ok(HouseEvent::Done)
    }

    pub(super) fn decide_copied_token(&self, actor: Actor, device: DeviceId) -> HouseDecision {
        actor.is_system()?;
        self.devices.active(device).ok_or(Refusal::UnknownDevice)?;
        Ok(HouseEvent::Done)
    }

    /// F54: a training installation has training tables only. A real one may have some; their money is play money.
    pub(super) fn decide_add_table(
        &self,
        actor: Actor,
        table: TableId,
        training: bool,
        second: Option<Person>,
    ) -> HouseDecision {
        self.may_set_up(Act::Configure, actor, second)?;
        if self.is_training && !training {
            return Err(Refusal::TrainingMixed);
        }
        if self.tables.contains_key(&table) {
            return Err(Refusal::TableExists);
        }
        Ok(HouseEvent::Done)
    }

    /// F53: with who and why.
    pub(super) fn decide_configure(
        &self,
        actor: Actor,
        (key, value, why): (&str, &str, &str),
        second: Option<Person>,
    ) -> HouseDecision {
        self.right(Act::Configure, actor, second)?;
        check_text(key, MAX_KEY_LENGTH)?;
        check_text(value, MAX_VALUE_LENGTH)?;
        check_text(why, MAX_REASON_LENGTH)?;
        Ok(HouseEvent::Done)
    }
}

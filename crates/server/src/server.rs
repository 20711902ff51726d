//! What every request reaches: the doors of the house, its secrets, and who is connected.

use std::sync::Arc;

use taisai_table::Profile;

use crate::audit::Audits;
use crate::clock::{Clock, Sources};
use crate::devices::Devices;
use crate::hall::Doors;
use crate::metrics::Metrics;
use crate::people::People;
use crate::reports::Reports;
use crate::secrets::Secrets;

/// The house as people know it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The property's name.
    pub name: String,
    /// The house's id, as in its record.
    pub house: [u8; 16],
    /// Whether the whole house plays for training.
    pub is_training: bool,
    /// The program's version.
    pub version: String,
}

/// The server.
pub(crate) struct Server {
    pub(crate) place: Place,
    pub(crate) profile: Arc<Profile>,
    pub(crate) doors: Doors,
    pub(crate) clock: Clock,
    pub(crate) sources: Sources,
    pub(crate) secrets: Secrets,
    pub(crate) people: People,
    pub(crate) devices: Devices,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) reports: Reports,
    pub(crate) audits: Audits,
}

/// What handlers are given.
pub(crate) type Shared = Arc<Server>;

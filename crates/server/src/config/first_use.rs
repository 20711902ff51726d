//! The first start of a house: its Player Terminals are enrolled and its first people founded by the house's own program, once.
//! What they are let in by is drawn elsewhere and told once.

use taisai_table::{ClusterId, DeviceId, DeviceKind, Founder, HouseCommand, PersonId, Roles, Seat};

use super::seed::Seed;
use crate::house::HouseDoor;
use crate::leaving::Answer;
use crate::stopped::Stopped;

/// What the first people and terminals of a house are let in by. It is told on the first start, and never again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstUse {
    /// The people.
    pub people: Vec<FirstPerson>,
    /// The Player Terminals.
    pub devices: Vec<FirstDevice>,
}

/// One of the first people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstPerson {
    /// The number to sign in with.
    pub person: PersonId,
    /// The name.
    pub name: String,
    /// The roles.
    pub roles: Roles,
    /// A password for the first time.
    pub password: String,
}

/// One of the first terminals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDevice {
    /// The device.
    pub device: DeviceId,
    /// The cluster it stands at.
    pub cluster: ClusterId,
    /// Its seat.
    pub seat: Seat,
    /// The code that it is enrolled with.
    pub code: String,
}

/// Why a house is not founded.
#[derive(Debug, thiserror::Error)]
pub enum NotFounded {
    /// The House refuses it.
    #[error("the House refuses its own founding: {0}")]
    Refused(String),
    /// The record takes nothing.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// Who and what a house without people is founded with. Nothing of it is recorded yet: what they are let in by is drawn and
/// kept first, so that nobody stands on record who could never come in.
#[derive(Clone, Debug)]
pub(crate) struct Founding {
    people: Vec<Founder>,
    /// The terminals; those that a start that broke off has enrolled already are so.
    terminals: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    device: DeviceId,
    cluster: ClusterId,
    seat: Seat,
    is_enrolled: bool,
}

impl Founding {
    /// What is to be founded; nothing once a house has people, or where nobody is named.
    pub(crate) async fn due(door: &HouseDoor, seed: &Seed) -> Result<Option<Self>, Stopped> {
        if seed.founders.is_empty() {
            return Ok(None);
        }
        let places: Vec<_> = seed.places().collect();
        let terminals = door.look(move |house| {
            let mut next = house.devices().map(|(device, _)| device.0 + 1).max().unwrap_or(1);
            let mut place = |(cluster, seat): &(ClusterId, Seat)| {
                let enrolled = house.terminal_at(*cluster, *seat);
                let device = enrolled.unwrap_or(DeviceId(next));
                next += u32::from(enrolled.is_none());
                Place { device, cluster: *cluster, seat: *seat, is_enrolled: enrolled.is_some() }
            };
            let is_founded = house.people().next().is_some();
            (!is_founded).then(|| places.iter().map(&mut place).collect())
        });
        Ok(terminals.await?.map(|terminals| Self { people: seed.founders.clone(), terminals }))
    }

    /// With what people and terminals are let in by.
    pub(crate) async fn first_use<E>(
        &self,
        mut password: impl AsyncFnMut(PersonId) -> Result<String, E>,
        mut code: impl AsyncFnMut(DeviceId) -> Result<String, E>,
    ) -> Result<FirstUse, E> {
        let mut first_use = FirstUse::default();
        for Founder { person, name, roles } in self.people.iter().cloned() {
            first_use.people.push(FirstPerson { person, name, roles, password: password(person).await? });
        }
        for Place { device, cluster, seat, .. } in self.terminals.iter().copied() {
            first_use.devices.push(FirstDevice { device, cluster, seat, code: code(device).await? });
        }
        Ok(first_use)
    }

    /// Enrols the terminals and founds the people. The record holds it when this is done.
    pub(crate) async fn record(self, door: &HouseDoor) -> Result<(), NotFounded> {
        for Place { device, cluster, seat, .. } in self.terminals.into_iter().filter(|place| !place.is_enrolled) {
            let kind = DeviceKind::Terminal { cluster, seat };
            accepted(door, HouseCommand::Enrol { device, kind, second: None }).await?;
        }
        accepted(door, HouseCommand::Found { people: self.people }).await
    }
}

async fn accepted(door: &HouseDoor, command: HouseCommand) -> Result<(), NotFounded> {
    match door.own(command).await? {
        Answer::Accepted(_) => Ok(()),
        Answer::Refused(refused) => Err(NotFounded::Refused(refused.sentence.into_owned())),
    }
}

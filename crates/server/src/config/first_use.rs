//! The first start of an installation: the system enrols its Player Terminals and records its first people, once. The caller
//! creates their passwords and codes.

use taisai_table::{
    ClusterId, Device, DeviceId, DeviceKind, Employee, Founder, House, HouseCommand, PersonId, Roles, Seat,
};

use super::seed::Seed;
use crate::http::reply::CommandReply;
use crate::node::handle::HouseHandle;
use crate::node::stopped::Stopped;

/// The first passwords and codes. They are shown on the first start, and never again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstUse {
    pub people: Vec<FirstPerson>,
    pub devices: Vec<FirstDevice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstPerson {
    /// The number to sign in with.
    pub person: PersonId,
    pub name: String,
    pub roles: Roles,
    /// A one-time password.
    pub password: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstDevice {
    pub device: DeviceId,
    pub cluster: ClusterId,
    pub seat: Seat,
    /// The enrolment code.
    pub code: String,
}

#[derive(Debug, thiserror::Error)]
pub enum NotFounded {
    #[error("the House refuses its own founding: {0}")]
    Refused(String),
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The first people and terminals of an installation, or those to let in again when the secrets are lost. Nothing is recorded yet:
/// passwords and codes are stored first, so that nobody is on record who can never sign in.
#[derive(Clone, Debug)]
pub(crate) struct Founding {
    people: Vec<Founder>,
    /// An interrupted first start may have enrolled some of these already.
    terminals: Vec<TerminalSeat>,
    /// Simulated note acceptors of a training installation that takes notes (F86).
    acceptors: Vec<TerminalSeat>,
    /// Whether the people are on record.
    is_founded: bool,
}

#[derive(Clone, Copy, Debug)]
struct TerminalSeat {
    device: DeviceId,
    cluster: ClusterId,
    seat: Seat,
    is_enrolled: bool,
}

impl Founding {
    /// What is left to record; none if there are people already (unless all must be let in again), or if nobody is named.
    pub(crate) async fn due(handle: &HouseHandle, seed: &Seed, is_again: bool) -> Result<Option<Self>, Stopped> {
        let (people, places) = (seed.founders.clone(), seed.places().collect::<Vec<_>>());
        let due = move |house: &House| {
            if house.people().next().is_some() {
                return is_again.then(|| Self::again(house));
            }
            if people.is_empty() {
                return None;
            }
            let mut next = house.devices().map(|(device, _)| device.0 + 1).max().unwrap_or(1);
            let mut place = |enrolled: Option<DeviceId>, (cluster, seat): &(ClusterId, Seat)| {
                let device = enrolled.unwrap_or(DeviceId(next));
                next += u32::from(enrolled.is_none());
                TerminalSeat { device, cluster: *cluster, seat: *seat, is_enrolled: enrolled.is_some() }
            };
            let terminals = places.iter().map(|at| place(house.terminal_at(at.0, at.1), at)).collect();
            let has_acceptors = house.is_training() && !house.profile().notes.is_empty();
            let acceptors = places.iter().filter(|_| has_acceptors);
            let acceptors = acceptors.map(|at| place(house.acceptor_at(at.0, at.1), at)).collect();
            Some(Self { people, terminals, acceptors, is_founded: false })
        };
        handle.read(due).await
    }

    /// Everyone on record, and every terminal.
    fn again(house: &House) -> Self {
        let person = |(person, employee): (PersonId, &Employee)| {
            (!employee.is_suspended).then(|| Founder { person, name: employee.name.clone(), roles: employee.roles })
        };
        let terminal = |(device, on_file): (DeviceId, &Device)| match on_file.kind {
            DeviceKind::Terminal { cluster, seat } if !on_file.is_revoked => {
                Some(TerminalSeat { device, cluster, seat, is_enrolled: true })
            }
            DeviceKind::Terminal { .. }
            | DeviceKind::Screen
            | DeviceKind::Tumbler
            | DeviceKind::NoteAcceptor { .. }
            | DeviceKind::ChipReader { .. } => None,
        };
        Self {
            people: house.people().filter_map(person).collect(),
            terminals: house.devices().filter_map(terminal).collect(),
            acceptors: Vec::new(),
            is_founded: true,
        }
    }

    /// Creates the passwords and codes.
    pub(crate) async fn first_use<E>(
        &self,
        mut password: impl AsyncFnMut(PersonId) -> Result<String, E>,
        mut code: impl AsyncFnMut(DeviceId) -> Result<String, E>,
    ) -> Result<FirstUse, E> {
        let mut first_use = FirstUse::default();
        for Founder { person, name, roles } in self.people.iter().cloned() {
            first_use.people.push(FirstPerson { person, name, roles, password: password(person).await? });
        }
        for TerminalSeat { device, cluster, seat, .. } in self.terminals.iter().copied() {
            first_use.devices.push(FirstDevice { device, cluster, seat, code: code(device).await? });
        }
        Ok(first_use)
    }

    /// Enrols the devices, records that their codes were given out, and records the people. Everything is durable when this
    /// returns.
    pub(crate) async fn record(self, handle: &HouseHandle) -> Result<(), NotFounded> {
        let terminal = |at: TerminalSeat| (at, DeviceKind::Terminal { cluster: at.cluster, seat: at.seat });
        let acceptor = |at: TerminalSeat| (at, DeviceKind::NoteAcceptor { cluster: at.cluster, seat: at.seat });
        let devices = self.terminals.into_iter().map(terminal).chain(self.acceptors.into_iter().map(acceptor));
        for (TerminalSeat { device, is_enrolled, .. }, kind) in devices {
            if !is_enrolled {
                accepted(handle, HouseCommand::Enrol { device, kind, second: None }).await?;
            }
            accepted(handle, HouseCommand::GiveCode { device, second: None }).await?;
        }
        if self.is_founded {
            return Ok(());
        }
        accepted(handle, HouseCommand::Found { people: self.people }).await
    }
}

async fn accepted(handle: &HouseHandle, command: HouseCommand) -> Result<(), NotFounded> {
    match handle.own(command).await? {
        CommandReply::Accepted(_) => Ok(()),
        CommandReply::Refused(refused) => Err(NotFounded::Refused(refused.sentence.into_owned())),
    }
}

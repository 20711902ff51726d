//! Who sends commands: people with their roles, devices, the system itself. The server authenticates them before a
//! machine sees them. The machine decides what they may do, so that the record proves it.

use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;

/// A person of the casino.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PersonId(pub u32);

/// A device of the casino: a Player Terminal, a note acceptor, a tumbler, a chip reader, a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeviceId(pub u32);

/// A seat of a live table, or a Player Terminal, by its number in its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Seat(pub u32);

/// A table of the casino.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TableId(pub u16);

/// A cluster of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ClusterId {
    pub table: TableId,
    /// Which of its clusters.
    pub number: u16,
}

/// A machine of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MachineId {
    House,
    /// The dealer's side of a table.
    Round(TableId),
    /// A players' side of a table.
    Cluster(ClusterId),
}

/// A round of a table: they are counted from one and never repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RoundNumber(pub u64);

/// From first credit to cash-out at a seat: sessions of a cluster are counted from one and never repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionId(pub u32);

/// The number on the receipt of a buy-in: those of a cluster are counted from one and never repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipt(pub u32);

/// A moment: milliseconds since the beginning of 1970, UTC. It is given to the machines; they have no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Time(pub u64);

/// What a person may be (F50). One person, one identity; a person may hold several roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Deals the game.
    Dealer,
    /// Supervises tables.
    PitSupervisor,
    /// Manages a pit.
    PitManager,
    /// Table Games Shift Manager: rules on what the Game Rules leave open.
    ShiftManager,
    /// Above the Shift Manager.
    CasinoManager,
    /// Pays by hand and clears locks.
    Attendant,
    /// Sells and redeems vouchers.
    Cashier,
    /// Reads only.
    Auditor,
    /// Sets up people and devices; touches neither money nor results.
    Administrator,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 9] = [
        Self::Dealer,
        Self::PitSupervisor,
        Self::PitManager,
        Self::ShiftManager,
        Self::CasinoManager,
        Self::Attendant,
        Self::Cashier,
        Self::Auditor,
        Self::Administrator,
    ];

    /// Those who touch neither money nor results (F50).
    pub const APART: [Self; 2] = [Self::Administrator, Self::Auditor];

    /// The role's name in profiles and reports.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Dealer => "dealer",
            Self::PitSupervisor => "pit-supervisor",
            Self::PitManager => "pit-manager",
            Self::ShiftManager => "shift-manager",
            Self::CasinoManager => "casino-manager",
            Self::Attendant => "attendant",
            Self::Cashier => "cashier",
            Self::Auditor => "auditor",
            Self::Administrator => "administrator",
        }
    }

    const fn bit(self) -> u16 {
        match self {
            Self::Dealer => 1,
            Self::PitSupervisor => 1 << 1,
            Self::PitManager => 1 << 2,
            Self::ShiftManager => 1 << 3,
            Self::CasinoManager => 1 << 4,
            Self::Attendant => 1 << 5,
            Self::Cashier => 1 << 6,
            Self::Auditor => 1 << 7,
            Self::Administrator => 1 << 8,
        }
    }
}

/// A set of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Roles(u16);

impl Roles {
    /// Whether one of them has to do with money or results (F50).
    pub fn touch_money(self) -> bool {
        self.iter().any(|role| !Role::APART.contains(&role))
    }

    /// The roles given.
    pub fn of(roles: &[Role]) -> Self {
        Self(roles.iter().fold(0, |bits, role| bits | role.bit()))
    }

    /// Whether no role is held: a person who is suspended has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of the roles is held.
    pub fn any(self, roles: &[Role]) -> bool {
        self.meets(Self::of(roles))
    }

    /// Whether some role is in both sets.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The roles held.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.any(&[*role]))
    }
}

impl Serialize for Roles {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A list of known length, as binary forms need it.
        self.iter().collect::<Vec<_>>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Roles {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&Vec::deserialize(deserializer)?))
    }
}

/// A person and what the person may be at that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Person {
    pub id: PersonId,
    pub roles: Roles,
}

/// Who sends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    /// A person at a screen.
    Person(Person),
    /// A Player Terminal, for the player at it.
    Terminal {
        device: DeviceId,
        /// Its seat in the cluster.
        seat: Seat,
    },
    /// A dice tumbler.
    Tumbler(DeviceId),
    /// The program itself: ticks, restarts, messages between machines.
    System,
    /// The note acceptor at a seat (F86).
    NoteAcceptor {
        device: DeviceId,
        /// Its seat in the cluster.
        seat: Seat,
    },
    /// The chip reader or camera of a live table that registers every bet.
    ChipReader(DeviceId),
}

impl Actor {
    /// Refuses every actor but the program itself.
    pub const fn is_system(self) -> Result<(), Refusal> {
        match self {
            Self::System => Ok(()),
            Self::Person(_)
            | Self::Terminal { .. }
            | Self::Tumbler(_)
            | Self::NoteAcceptor { .. }
            | Self::ChipReader(_) => Err(Refusal::NotAllowed),
        }
    }

    pub const fn person(self) -> Option<Person> {
        match self {
            Self::Person(person) => Some(person),
            Self::Terminal { .. }
            | Self::Tumbler(_)
            | Self::System
            | Self::NoteAcceptor { .. }
            | Self::ChipReader(_) => None,
        }
    }

    /// The device and seat, if the actor is a Player Terminal.
    pub const fn terminal(self) -> Option<(DeviceId, Seat)> {
        match self {
            Self::Terminal { device, seat } => Some((device, seat)),
            Self::Person(_) | Self::Tumbler(_) | Self::System | Self::NoteAcceptor { .. } | Self::ChipReader(_) => None,
        }
    }

    /// Whether the actor is a Player Terminal that says it is at this seat.
    pub(crate) fn is_terminal_of(self, seat: Seat) -> bool {
        self.terminal().is_some_and(|(_, own)| own == seat)
    }

    pub const fn device(self) -> Option<DeviceId> {
        match self {
            Self::Terminal { device, .. }
            | Self::Tumbler(device)
            | Self::NoteAcceptor { device, .. }
            | Self::ChipReader(device) => Some(device),
            Self::Person(_) | Self::System => None,
        }
    }
}

/// Which command of which source: numbers of one source rise, so that one sent again is known. Sources are numbered as they
/// come, a new number for each login and each time a device is enrolled or connects; zero is the server itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandId {
    /// The login or the device's connection.
    pub source: u64,
    /// Its number.
    pub sequence: u64,
}

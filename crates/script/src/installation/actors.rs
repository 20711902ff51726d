//! Finds who carries out a line, with the roles that the House has on file.

use taisai_rules::Station;
use taisai_table::{Actor, ClusterCommand, DeviceId, DeviceKind, Person, Position, Role, Roles, RoundCommand, Seat};

use super::{ATTENDANT, OFFICE, ScriptInstallation};
use crate::script::{CLUSTER, MachineCommand, ScriptActor, first_acceptor};

impl ScriptInstallation<'_> {
    pub(crate) fn actor(&self, who: ScriptActor) -> Actor {
        match (who, self.game().station()) {
            (ScriptActor::Named(Actor::Person(person)), _) => Actor::Person(self.on_file(person)),
            (ScriptActor::Named(actor), _) => actor,
            (ScriptActor::System, _) => Actor::System,
            (ScriptActor::NoteAcceptor(seat), _) => Actor::NoteAcceptor { device: first_acceptor(seat), seat },
            (ScriptActor::Attendant, _) => {
                Actor::Person(self.on_file(Person { id: ATTENDANT, roles: Roles::of(&[Role::Attendant]) }))
            }
            (ScriptActor::Seat(seat), Station::PlayerTerminals) => {
                Actor::Terminal { device: self.terminal(seat), seat }
            }
            (ScriptActor::Seat(_) | ScriptActor::Dealer, _) => self.holder(Position::Dealer, Role::Dealer),
            (ScriptActor::Pit, _) if self.round().holder(Position::Supervisor).is_some() => {
                self.holder(Position::Supervisor, Role::PitSupervisor)
            }
            (ScriptActor::Pit, _) => self.holder(Position::Manager, Role::PitManager),
        }
    }

    /// The holder of a position; if nobody holds it, the first person whom the script names for it, or the office.
    fn holder(&self, position: Position, role: Role) -> Actor {
        let founders = &self.script.people.founders;
        let named = || founders.iter().find(|(_, roles)| roles.contains(&role)).map(|(id, _)| *id);
        let person = match self.round().holder(position).or_else(named) {
            Some(id) => Person { id, roles: Roles::of(&[role]) },
            None => Person { id: OFFICE, roles: Roles::of(&[Role::CasinoManager]) },
        };
        Actor::Person(self.on_file(person))
    }

    /// A person with those of their named roles that the House has on file, as after signing in.
    fn on_file(&self, person: Person) -> Person {
        let on_file = self.house().as_actor(person.id).map(|known| known.roles).unwrap_or_default();
        let both: Vec<_> = person.roles.iter().filter(|role| on_file.any(&[*role])).collect();
        Person { id: person.id, roles: Roles::of(&both) }
    }

    /// A command with its second person as on file. The House checks its own commands by itself.
    pub(crate) fn with_second_on_file(&self, mut command: MachineCommand) -> MachineCommand {
        if let MachineCommand::Round(
            RoundCommand::Correct { second: Some(second), .. }
            | RoundCommand::CorrectKnown { second: Some(second), .. }
            | RoundCommand::VoidByLaw { second: Some(second), .. }
            | RoundCommand::Inspect { second: Some(second), .. }
            | RoundCommand::Rule { second: Some(second), .. }
            | RoundCommand::VoidDamaged { second: Some(second), .. },
        )
        | MachineCommand::Cluster(
            ClusterCommand::BuyIn { second: Some(second), .. }
            | ClusterCommand::ReverseBuyIn { second: Some(second), .. }
            | ClusterCommand::IssueColour { second: Some(second), .. },
        ) = &mut command
        {
            *second = self.on_file(*second);
        }
        command
    }

    /// The Player Terminal of a seat, or its last one if that was revoked.
    pub(crate) fn terminal(&self, seat: Seat) -> DeviceId {
        let kind = DeviceKind::Terminal { cluster: CLUSTER, seat };
        let stood = || self.house().devices().filter(|(_, device)| device.kind == kind).map(|(id, _)| id).max();
        self.house().terminal_at(CLUSTER, seat).or_else(stood).unwrap_or(first_terminal(seat))
    }
}

/// The terminal that a seat begins with. Tumblers have lower numbers.
pub(crate) const fn first_terminal(seat: Seat) -> DeviceId {
    DeviceId(10_000 + seat.0)
}

pub(crate) fn source(actor: Actor) -> u64 {
    const DEVICES: u64 = 1 << 32;
    match actor {
        Actor::System => 0,
        Actor::Person(person) => u64::from(person.id.0) + 1,
        Actor::Terminal { device, .. }
        | Actor::Tumbler(device)
        | Actor::NoteAcceptor { device, .. }
        | Actor::ChipReader(device) => DEVICES + u64::from(device.0),
    }
}

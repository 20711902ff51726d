//! Who acts where a line does not say, and as whom: people with the roles that the House has on file.

use taisai_rules::Station;
use taisai_table::{Actor, ClusterCommand, DeviceId, DeviceKind, Person, Position, Role, Roles, RoundCommand, Seat};

use super::super::script::{CLUSTER, Command, Who, first_acceptor};
use super::{ATTENDANT, OFFICE, Stage};

impl Stage<'_> {
    pub(super) fn actor(&self, who: Who) -> Actor {
        match (who, self.game().station()) {
            (Who::Named(Actor::Person(person)), _) => Actor::Person(self.on_file(person)),
            (Who::Named(actor), _) => actor,
            (Who::System, _) => Actor::System,
            (Who::Acceptor(seat), _) => Actor::NoteAcceptor { device: first_acceptor(seat), seat },
            (Who::Attendant, _) => {
                Actor::Person(self.on_file(Person { id: ATTENDANT, roles: Roles::of(&[Role::Attendant]) }))
            }
            (Who::Seat(seat), Station::PlayerTerminals) => Actor::Terminal { device: self.terminal(seat), seat },
            (Who::Seat(_) | Who::Dealer, _) => self.holder(Position::Dealer, Role::Dealer),
            (Who::Pit, _) if self.round().holder(Position::Supervisor).is_some() => {
                self.holder(Position::Supervisor, Role::PitSupervisor)
            }
            (Who::Pit, _) => self.holder(Position::Manager, Role::PitManager),
        }
    }

    /// Whoever holds a position; before that, the first whom the script names for it, or the office.
    fn holder(&self, position: Position, role: Role) -> Actor {
        let founders = &self.script.people.founders;
        let named = || founders.iter().find(|(_, roles)| roles.contains(&role)).map(|(id, _)| *id);
        let person = match self.round().holder(position).or_else(named) {
            Some(id) => Person { id, roles: Roles::of(&[role]) },
            None => Person { id: OFFICE, roles: Roles::of(&[Role::CasinoManager]) },
        };
        Actor::Person(self.on_file(person))
    }

    /// A person as whoever lets people in knows them: with those of the named roles that are on file.
    fn on_file(&self, person: Person) -> Person {
        let on_file = self.house().as_actor(person.id).map(|known| known.roles).unwrap_or_default();
        let both: Vec<_> = person.roles.iter().filter(|role| on_file.any(&[*role])).collect();
        Person { id: person.id, roles: Roles::of(&both) }
    }

    /// A command with its second person as on file. The House looks there by itself.
    pub(super) fn identified(&self, mut command: Command) -> Command {
        if let Command::Round(
            RoundCommand::Correct { second: Some(second), .. }
            | RoundCommand::CorrectKnown { second: Some(second), .. }
            | RoundCommand::VoidByLaw { second: Some(second), .. }
            | RoundCommand::Inspect { second: Some(second), .. }
            | RoundCommand::Rule { second: Some(second), .. }
            | RoundCommand::VoidDamaged { second: Some(second), .. },
        )
        | Command::Cluster(
            ClusterCommand::BuyIn { second: Some(second), .. }
            | ClusterCommand::ReverseBuyIn { second: Some(second), .. }
            | ClusterCommand::IssueColour { second: Some(second), .. },
        ) = &mut command
        {
            *second = self.on_file(*second);
        }
        command
    }

    /// The Player Terminal of a seat; the last one, where it was revoked.
    pub(super) fn terminal(&self, seat: Seat) -> DeviceId {
        let kind = DeviceKind::Terminal { cluster: CLUSTER, seat };
        let stood = || self.house().devices().filter(|(_, device)| device.kind == kind).map(|(id, _)| id).max();
        self.house().terminal_at(CLUSTER, seat).or_else(stood).unwrap_or(first_terminal(seat))
    }
}

/// The terminal with which a seat begins. Tumblers have lower numbers.
pub(super) const fn first_terminal(seat: Seat) -> DeviceId {
    DeviceId(10_000 + seat.0)
}

/// The source of an actor's commands.
pub(super) fn source(actor: Actor) -> u64 {
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

//! The plan of a small installation, and its people.

use std::path::Path;

use taisai_journal::AcknowledgedHeads;
use taisai_record::{Address, Program};
use taisai_rules::Games;
use taisai_table::{Actor, Person, PersonId, Profile, Registration, Role, Roles, TableId};

use crate::node::{InstallationPlan, TablePlan};

pub(crate) const TABLE: TableId = TableId(1);

pub(crate) fn program() -> Program {
    Program { version: "0.1.0".to_owned(), hash: [1; 32] }
}

/// One electronic table in a folder, with the seats of each cluster.
pub(crate) fn plan(folder: &Path, seats: &[u32]) -> InstallationPlan {
    let address = Address::Folder(folder.join("data"));
    InstallationPlan {
        files: address.files().unwrap(),
        acknowledged: AcknowledgedHeads::default(),
        address,
        program: program(),
        new_house: [7; 16],
        accepts_clock: false,
        allows_unapproved: false,
        profile: Profile::singapore(),
        is_training: false,
        tables: vec![TablePlan {
            table: TABLE,
            game: Games::embedded().find("sic-bo-etg", None).unwrap().file().to_owned(),
            layout: "B".to_owned(),
            registration: Registration::EveryBet,
            is_training: false,
            seats: seats.to_vec(),
        }],
    }
}

pub(crate) fn person(id: u32, role: Role) -> Person {
    Person { id: PersonId(id), roles: Roles::of(&[role]) }
}

pub(crate) fn actor(id: u32, role: Role) -> Actor {
    Actor::Person(person(id, role))
}

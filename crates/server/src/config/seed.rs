//! What the file says beside how tables are laid out: the first people, the names of tables, and the limits that are proposed.
//! Limits come on display only when a person with the right puts them there: what is here is an offer.

use std::collections::BTreeMap;

use taisai_rules::Station;
use taisai_table::{ClusterId, Founder, PersonId, Role, Roles, Seat, TableId, TableLimits};

use super::TableConfig;

/// What a house is founded with, and what is proposed to its people.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// The first people; nobody, where the house is founded otherwise.
    pub founders: Vec<Founder>,
    /// The tables.
    pub tables: BTreeMap<TableId, TableSeed>,
}

/// What is said of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSeed {
    /// Its name.
    pub name: String,
    /// The limits that are proposed.
    pub limits: Option<TableLimits>,
    /// How many Player Terminals each of its clusters has; none at a live table.
    pub terminals: Vec<u32>,
}

impl Seed {
    pub(super) fn new(tables: &[TableConfig]) -> Self {
        let seed = |table: &TableConfig| TableSeed {
            name: table.name.clone(),
            limits: table.limits.clone(),
            terminals: match table.station {
                Station::PlayerTerminals => table.seats.clone(),
                Station::LiveTable => Vec::new(),
            },
        };
        let tables = tables.iter().map(|table| (table.table, seed(table))).collect();
        Self { founders: founders(), tables }
    }

    /// Where Player Terminals stand. Seats count from one.
    pub(super) fn places(&self) -> impl Iterator<Item = (ClusterId, Seat)> {
        self.tables.iter().flat_map(|(table, seed)| {
            (0..).zip(&seed.terminals).flat_map(|(number, terminals)| {
                let cluster = ClusterId { table: *table, number };
                (1..=*terminals).map(move |seat| (cluster, Seat(seat)))
            })
        })
    }
}

/// The first people of a house, each role once and two Dealers (F50). They have numbers to sign in with, and the house gives
/// them other names when it knows who they are.
pub fn founders() -> Vec<Founder> {
    let people = [
        (1, "First Dealer", Role::Dealer),
        (2, "Second Dealer", Role::Dealer),
        (3, "Pit Supervisor", Role::PitSupervisor),
        (4, "Pit Manager", Role::PitManager),
        (5, "Shift Manager", Role::ShiftManager),
        (6, "Casino Manager", Role::CasinoManager),
        (7, "Attendant", Role::Attendant),
        (8, "Cashier", Role::Cashier),
        (9, "Auditor", Role::Auditor),
        (10, "Administrator", Role::Administrator),
    ];
    let founder = |(id, name, role): (u32, &str, Role)| Founder {
        person: PersonId(id),
        name: name.to_owned(),
        roles: Roles::of(&[role]),
    };
    people.map(founder).into()
}

//! What the file says beside the layouts: first people, names of tables, and proposed limits. Limits go on display only when a
//! person with that right puts them there.

use std::collections::BTreeMap;

use taisai_rules::Station;
use taisai_table::{ClusterId, Founder, PersonId, Role, Roles, Seat, TableId, TableLimits};

use super::TableConfig;

#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// The first people; none if they are recorded otherwise.
    pub founders: Vec<Founder>,
    pub tables: BTreeMap<TableId, TableSeed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSeed {
    pub name: String,
    /// The limits that are proposed.
    pub limits: Option<TableLimits>,
    /// The number of Player Terminals of each cluster; none at a live table.
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

    /// The seats of Player Terminals, which count from one.
    pub(super) fn places(&self) -> impl Iterator<Item = (ClusterId, Seat)> {
        self.tables.iter().flat_map(|(table, seed)| {
            (0..).zip(&seed.terminals).flat_map(|(number, terminals)| {
                let cluster = ClusterId { table: *table, number };
                (1..=*terminals).map(move |seat| (cluster, Seat(seat)))
            })
        })
    }
}

/// The default first people: each role once, and two Dealers (F50). The casino renames them once it knows who they are.
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

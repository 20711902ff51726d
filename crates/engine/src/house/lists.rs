//! The lists of the House that staff screens show, each of them whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;
use taisai_table::{
    Acknowledgement, Actor, Approval, ApprovalId, Claim, ClaimId, Device, DeviceId, Employee, House, PersonId,
    Receivable, ReceivableId, SignificantEvent, SignificantEventKind, TableId, Time, VoucherOrigin, VoucherSerial,
    VoucherState,
};

use crate::effect::Topic;

const MAX_EVENTS: usize = 200;

/// The newest are listed.
const MAX_VOUCHERS: usize = 200;

/// Which list of the House.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = List))]
#[serde(rename_all = "kebab-case")]
pub enum ListName {
    /// Approvals that are not over.
    Approvals,
    /// Significant events (F32).
    Events,
    /// What is paid by hand.
    Claims,
    /// What players owe.
    Receivables,
    /// The newest vouchers.
    Vouchers,
    /// Every device on file.
    Devices,
    /// Everyone on file.
    People,
    /// Every table on file.
    Tables,
}

/// A list of the House. Its JSON is an array, without the name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HouseList {
    /// Approvals that are not over.
    Approvals(Vec<ApprovalOnFile>),
    /// Significant events: those that wait to be acknowledged come first, and the newest of them before others.
    Events(Vec<SignificantOnFile>),
    /// What is paid by hand.
    Claims(Vec<ClaimOnFile>),
    /// What players owe, save what the House bears.
    Receivables(Vec<ReceivableOnFile>),
    /// The newest vouchers, the newest first.
    Vouchers(Vec<VoucherOnFile>),
    /// Every device on file.
    Devices(Vec<DeviceOnFile>),
    /// Everyone on file.
    People(Vec<EmployeeOnFile>),
    /// Every table on file.
    Tables(Vec<TableOnFile>),
}

impl ListName {
    /// Every list.
    pub const ALL: [Self; 8] = [
        Self::Approvals,
        Self::Events,
        Self::Claims,
        Self::Receivables,
        Self::Vouchers,
        Self::Devices,
        Self::People,
        Self::Tables,
    ];

    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approvals => "approvals",
            Self::Events => "events",
            Self::Claims => "claims",
            Self::Receivables => "receivables",
            Self::Vouchers => "vouchers",
            Self::Devices => "devices",
            Self::People => "people",
            Self::Tables => "tables",
        }
    }

    /// The screens that show it.
    pub const fn topics(self) -> &'static [Topic] {
        match self {
            Self::Approvals => &[Topic::Pit, Topic::Cage],
            Self::Events | Self::Devices | Self::Tables => &[Topic::Pit, Topic::Audit],
            Self::Claims | Self::Receivables | Self::Vouchers | Self::People => {
                &[Topic::Pit, Topic::Cage, Topic::Audit]
            }
        }
    }

    /// The list as it stands.
    pub fn of(self, house: &House) -> HouseList {
        match self {
            Self::Approvals => HouseList::Approvals(house.approvals().map(cloned).collect()),
            Self::Events => HouseList::Events(events(house)),
            Self::Claims => HouseList::Claims(house.claims().map(cloned).collect()),
            Self::Receivables => {
                let owed = house.receivables().filter(|(_, receivable)| !receivable.is_waived);
                HouseList::Receivables(owed.map(cloned).collect())
            }
            Self::Vouchers => HouseList::Vouchers(vouchers(house)),
            Self::Devices => HouseList::Devices(house.devices().map(cloned).collect()),
            Self::People => HouseList::People(house.people().map(cloned).collect()),
            Self::Tables => HouseList::Tables(tables(house)),
        }
    }
}

impl HouseList {
    /// Which list it is.
    pub const fn name(&self) -> ListName {
        match self {
            Self::Approvals(_) => ListName::Approvals,
            Self::Events(_) => ListName::Events,
            Self::Claims(_) => ListName::Claims,
            Self::Receivables(_) => ListName::Receivables,
            Self::Vouchers(_) => ListName::Vouchers,
            Self::Devices(_) => ListName::Devices,
            Self::People(_) => ListName::People,
            Self::Tables(_) => ListName::Tables,
        }
    }
}

/// Something on file with its number, which stands among its own fields in JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Numbered<I, T> {
    id: I,
    #[serde(flatten)]
    what: T,
}

/// An approval with its number.
pub type ApprovalOnFile = Numbered<ApprovalId, Approval>;
/// A claim with its number.
pub type ClaimOnFile = Numbered<ClaimId, Claim>;
/// A receivable with its number.
pub type ReceivableOnFile = Numbered<ReceivableId, Receivable>;
/// A device with its number.
pub type DeviceOnFile = Numbered<DeviceId, Device>;
/// A person with their number.
pub type EmployeeOnFile = Numbered<PersonId, Employee>;

fn cloned<I, T: Clone>((id, what): (I, &T)) -> Numbered<I, T> {
    Numbered { id, what: what.clone() }
}

/// What a person has requested and not used yet.
pub fn own_approvals(house: &House, by: PersonId) -> Vec<ApprovalOnFile> {
    let own = house.approvals().filter(|(_, approval)| approval.by == by && approval.used.is_none());
    own.map(cloned).collect()
}

/// A significant event, and who has seen to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SignificantOnFile {
    /// Its number, counted from one.
    number: u64,
    /// When.
    time: Time,
    /// By whose command.
    who: Actor,
    /// What happened.
    what: SignificantEventKind,
    /// Who has acknowledged it, and when.
    acknowledged: Option<Acknowledgement>,
}

/// Events that wait come first, so that no number of acknowledged ones hides them.
fn events(house: &House) -> Vec<SignificantOnFile> {
    let on_file = |event: &SignificantEvent| {
        let SignificantEvent { number, time, who, what } = *event;
        SignificantOnFile { number, time, who, what, acknowledged: house.acknowledged(number).copied() }
    };
    let mut events: Vec<_> = house.significant().rev().map(on_file).collect();
    events.sort_by_key(|event| event.acknowledged.is_some());
    events.truncate(MAX_EVENTS);
    events
}

/// A table on file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TableOnFile {
    table: TableId,
    clusters: u16,
    is_training: bool,
}

fn tables(house: &House) -> Vec<TableOnFile> {
    let tables = house.tables();
    tables.map(|(table, of)| TableOnFile { table, clusters: of.clusters.get(), is_training: of.is_training }).collect()
}

/// A voucher as the cage sees it: never its number (F42).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VoucherOnFile {
    serial: VoucherSerial,
    last_digits: u16,
    amount: Money,
    issued: Time,
    expires: Time,
    origin: VoucherOrigin,
    state: VoucherState,
    /// Whether it was printed, or its holder said to have it.
    is_confirmed: bool,
}

fn vouchers(house: &House) -> Vec<VoucherOnFile> {
    // There are many vouchers: only the newest so far are held. The hash keeps two of the same time apart.
    let mut newest = BTreeMap::new();
    for (hash, voucher) in house.vouchers() {
        let is_newer = newest.first_key_value().is_none_or(|((issued, _), _)| voucher.issued >= *issued);
        if newest.len() < MAX_VOUCHERS || is_newer {
            newest.insert((voucher.issued, hash), voucher);
        }
        if newest.len() > MAX_VOUCHERS {
            newest.pop_first();
        }
    }
    newest
        .into_values()
        .rev()
        .map(|voucher| VoucherOnFile {
            serial: voucher.serial,
            last_digits: voucher.digits,
            amount: voucher.amount,
            issued: voucher.issued,
            expires: voucher.expires,
            origin: voucher.origin,
            state: voucher.state,
            is_confirmed: voucher.is_confirmed,
        })
        .collect()
}

#[cfg(feature = "openapi")]
mod openapi {
    use std::borrow::Cow;

    use utoipa::openapi::RefOr;
    use utoipa::openapi::schema::{Ref, Schema};
    use utoipa::{PartialSchema, ToSchema};

    use super::Numbered;

    impl<I: ToSchema, T: ToSchema> PartialSchema for Numbered<I, T> {
        fn schema() -> RefOr<Schema> {
            let RefOr::T(Schema::Object(mut on_file)) = T::schema() else { unreachable!("what is on file has fields") };
            on_file.properties.insert("id".to_owned(), Ref::from_schema_name(I::name()).into());
            on_file.required.push("id".to_owned());
            RefOr::T(on_file.into())
        }
    }

    impl<I: ToSchema, T: ToSchema> ToSchema for Numbered<I, T> {
        fn name() -> Cow<'static, str> {
            format!("{}OnFile", T::name()).into()
        }

        fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
            schemas.push((I::name().into(), I::schema()));
            T::schemas(schemas);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use taisai_table::{
        ClusterId, CommandId, CommandRequest, Decision, DeviceKind, Entry, Founder, HouseCommand, Person, Profile,
        ReportedEvent, Role, Roles, Seat,
    };

    use super::*;

    const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };

    /// Takes commands at the times 1, 2, 3 and so on.
    struct HouseFixture {
        house: House,
        sequence: u64,
    }

    impl HouseFixture {
        fn new() -> Self {
            Self { house: House::new(Profile::singapore(), false), sequence: 0 }
        }

        fn command(&mut self, actor: Actor, command: HouseCommand) {
            self.sequence += 1;
            let id = CommandId { source: 1, sequence: self.sequence };
            let request = CommandRequest { time: Time(self.sequence), actor, id, command };
            let Decision::Accepted(event) = self.house.decide(&request) else { panic!("{request:?} is refused") };
            self.house.apply(&Entry { request, outcome: Ok(event) });
        }

        fn found(&mut self) -> Actor {
            let roles = Roles::of(&[Role::PitSupervisor]);
            let others = Roles::of(&[Role::Administrator]);
            let founder = |person, roles| Founder { person: PersonId(person), name: "Ada".to_owned(), roles };
            let people = vec![founder(1, roles), founder(2, others)];
            self.command(Actor::System, HouseCommand::Found { people });
            Actor::Person(Person { id: PersonId(1), roles })
        }

        fn json(&self, name: ListName) -> Value {
            serde_json::to_value(name.of(&self.house)).unwrap()
        }
    }

    #[test]
    fn old_events_that_wait_come_before_newer_acknowledged_ones() {
        let mut fixture = HouseFixture::new();
        let supervisor = fixture.found();
        let last = u64::try_from(MAX_EVENTS).unwrap() + 2;
        for event in 1..=last {
            fixture.command(Actor::System, HouseCommand::Report { what: ReportedEvent::StoreProblem });
            if ![1, 2].contains(&event) {
                fixture.command(supervisor, HouseCommand::Acknowledge { event });
            }
        }
        let events = events(&fixture.house);
        assert_eq!(events.len(), MAX_EVENTS);
        assert_eq!(events[..3].iter().map(|event| event.number).collect::<Vec<_>>(), [2, 1, last]);
        assert_eq!(events[0].acknowledged, None);
        assert_eq!(events[2].acknowledged.unwrap().by, PersonId(1));
    }

    #[test]
    fn json_is_an_array_with_numbers_among_the_fields() {
        let mut fixture = HouseFixture::new();
        for name in ListName::ALL {
            assert_eq!(name.of(&fixture.house).name(), name);
            assert_eq!(fixture.json(name), json!([]));
            assert_eq!(serde_json::from_value::<ListName>(json!(name.name())).unwrap(), name);
        }
        let clusters = std::num::NonZeroU16::MIN;
        let table = HouseCommand::AddTable { table: TableId(1), clusters, training: false, second: None };
        fixture.command(Actor::System, table);
        let kind = DeviceKind::Terminal { cluster: CLUSTER, seat: Seat(3) };
        fixture.command(Actor::System, HouseCommand::Enrol { device: DeviceId(9), kind, second: None });
        fixture.found();
        assert_eq!(fixture.json(ListName::Tables), json!([{ "table": 1, "clusters": 1, "is_training": false }]));
        let device = &fixture.json(ListName::Devices)[0];
        assert_eq!((&device["id"], &device["kind"]["terminal"]["seat"]), (&json!(9), &json!(3)), "{device}");
        let person = &fixture.json(ListName::People)[0];
        assert_eq!((&person["id"], &person["name"]), (&json!(1), &json!("Ada")), "{person}");
    }
}

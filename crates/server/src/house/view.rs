//! What staff screens are shown of the House: each part whole when it changes, with a number of its own.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use taisai_rules::Money;
use taisai_table::{
    Acknowledged, Actor, Approval, ApprovalId, Claim, ClaimId, Device, DeviceId, Employee, Happening, House, PersonId,
    Receivable, ReceivableId, Significant, TableId, Time, VoucherOrigin, VoucherSerial, VoucherState,
};

use crate::leaving::Topic;

/// So many of the significant events are shown.
const EVENTS: usize = 200;

/// So many of the vouchers are shown, the newest.
const VOUCHERS: usize = 200;

/// A list of the House: a part that screens are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = List))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Part {
    Approvals,
    Events,
    Claims,
    Receivables,
    Vouchers,
    Devices,
    People,
    Tables,
}

impl Part {
    /// Every part.
    pub(crate) const ALL: [Self; 8] = [
        Self::Approvals,
        Self::Events,
        Self::Claims,
        Self::Receivables,
        Self::Vouchers,
        Self::Devices,
        Self::People,
        Self::Tables,
    ];

    /// Its name in messages.
    pub(crate) const fn name(self) -> &'static str {
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

    /// Who is shown it.
    pub(crate) const fn topics(self) -> &'static [Topic] {
        match self {
            Self::Approvals => &[Topic::Pit, Topic::Cage],
            Self::Events | Self::Devices | Self::Tables => &[Topic::Pit, Topic::Audit],
            Self::Claims | Self::Receivables | Self::Vouchers | Self::People => {
                &[Topic::Pit, Topic::Cage, Topic::Audit]
            }
        }
    }

    /// How it stands.
    pub(crate) fn of(self, house: &House) -> Value {
        let value = match self {
            Self::Approvals => serde_json::to_value(approvals(house)),
            Self::Events => serde_json::to_value(events(house)),
            Self::Claims => serde_json::to_value(claims(house)),
            Self::Receivables => serde_json::to_value(receivables(house)),
            Self::Vouchers => serde_json::to_value(vouchers(house)),
            Self::Devices => serde_json::to_value(devices(house)),
            Self::People => serde_json::to_value(people(house)),
            Self::Tables => serde_json::to_value(tables(house)),
        };
        value.expect("a view can be written down")
    }
}

/// Something on file with its number.
#[derive(Debug, Serialize)]
pub(crate) struct Numbered<I, T> {
    id: I,
    #[serde(flatten)]
    what: T,
}

fn numbered<I, T>((id, what): (I, T)) -> Numbered<I, T> {
    Numbered { id, what }
}

pub(crate) fn approvals(house: &House) -> Vec<Numbered<ApprovalId, &Approval>> {
    house.approvals().map(numbered).collect()
}

/// An approval with its number.
pub(crate) type ApprovalOnFile = Numbered<ApprovalId, Approval>;

/// What a person has asked for and not used yet.
pub(crate) fn own_approvals(house: &House, by: PersonId) -> Vec<ApprovalOnFile> {
    let own = house.approvals().filter(|(_, approval)| approval.by == by && approval.used.is_none());
    own.map(|(id, approval)| numbered((id, approval.clone()))).collect()
}

/// A significant event, and who has seen to it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct SignificantOnFile {
    /// Its number, counted from one.
    number: u64,
    /// When.
    time: Time,
    /// By whose command.
    who: Actor,
    /// What happened.
    what: Happening,
    /// Who has acknowledged it, and when.
    acknowledged: Option<Acknowledged>,
}

/// The newest that wait, then the newest that were seen to: however many of these there are, they hide none that waits.
pub(crate) fn events(house: &House) -> Vec<SignificantOnFile> {
    let on_file = |event: &Significant| {
        let Significant { number, time, who, what } = *event;
        SignificantOnFile { number, time, who, what, acknowledged: house.acknowledged(number).copied() }
    };
    let mut events: Vec<_> = house.significant().rev().map(on_file).collect();
    events.sort_by_key(|event| event.acknowledged.is_some());
    events.truncate(EVENTS);
    events
}

pub(crate) fn claims(house: &House) -> Vec<Numbered<ClaimId, &Claim>> {
    house.claims().map(numbered).collect()
}

pub(crate) fn receivables(house: &House) -> Vec<Numbered<ReceivableId, &Receivable>> {
    house.receivables().filter(|(_, receivable)| !receivable.is_waived).map(numbered).collect()
}

pub(crate) fn devices(house: &House) -> Vec<Numbered<DeviceId, &Device>> {
    house.devices().map(numbered).collect()
}

pub(crate) fn people(house: &House) -> Vec<Numbered<PersonId, &Employee>> {
    house.people().map(numbered).collect()
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct TableOnFile {
    table: TableId,
    clusters: u16,
    is_training: bool,
}

pub(crate) fn tables(house: &House) -> Vec<TableOnFile> {
    let tables = house.tables();
    tables.map(|(table, of)| TableOnFile { table, clusters: of.clusters.get(), is_training: of.is_training }).collect()
}

/// A voucher as the cage sees it: never its number (F42).
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct VoucherOnFile {
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

pub(crate) fn vouchers(house: &House) -> Vec<VoucherOnFile> {
    // There are many vouchers: only so many of them are ever held at once. Those that are alike in time stay both.
    let mut newest = BTreeMap::new();
    for (hash, voucher) in house.vouchers() {
        let is_newer = newest.first_key_value().is_none_or(|((issued, _), _)| voucher.issued >= *issued);
        if newest.len() < VOUCHERS || is_newer {
            newest.insert((voucher.issued, hash), voucher);
        }
        if newest.len() > VOUCHERS {
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

#[cfg(test)]
mod tests {
    use taisai_table::{
        Asked, CommandId, Decision, Entry, Founder, HouseCommand, Person, Profile, Report, Role, Roles,
    };

    use super::*;

    fn ask(house: &mut House, sequence: u64, actor: Actor, command: HouseCommand) {
        let asked = Asked { time: Time(sequence), actor, id: CommandId { source: 1, sequence }, command };
        let Decision::Accepted(event) = house.decide(&asked) else { panic!("{asked:?} is refused") };
        house.apply(&Entry { asked, outcome: Ok(event) });
    }

    /// An old event that waits is shown, however many newer ones were seen to.
    #[test]
    fn events_that_wait_come_first() {
        let mut house = House::new(Profile::singapore(), false);
        let mut sequence = 1..;
        let mut ask = |actor, command| ask(&mut house, sequence.next().unwrap(), actor, command);
        let roles = Roles::of(&[Role::PitSupervisor]);
        let others = Roles::of(&[Role::Administrator]);
        let founder = |person, roles| Founder { person: PersonId(person), name: "Ada".to_owned(), roles };
        ask(Actor::System, HouseCommand::Found { people: vec![founder(1, roles), founder(2, others)] });
        let supervisor = Actor::Person(Person { id: PersonId(1), roles });
        let last = u64::try_from(EVENTS).unwrap() + 2;
        for event in 1..=last {
            ask(Actor::System, HouseCommand::Report { what: Report::StoreProblem });
            if ![1, 2].contains(&event) {
                ask(supervisor, HouseCommand::Acknowledge { event });
            }
        }
        let shown = events(&house);
        assert_eq!(shown.len(), EVENTS);
        assert_eq!(shown[..3].iter().map(|event| event.number).collect::<Vec<_>>(), [2, 1, last]);
        assert_eq!(shown[0].acknowledged, None);
        assert_eq!(shown[2].acknowledged.unwrap().by, PersonId(1));
    }
}

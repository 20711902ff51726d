//! The people who act in the chains of tables, and those whom the House has on file, to compare them.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use taisai_table::{House, HouseCommand, Person, PersonId, Role, Roles, Time};

use crate::machine::RecordedMachine;
use crate::replay::{EntryPosition, ReplayEvent};

/// Chains of several nodes have no common clock, and a command may be under way while roles change: a role counts this much
/// longer, and this much earlier, than the House's chain has it.
const ROLE_TOLERANCE: Duration = Duration::from_hours(24);

/// What a person does for so long is kept as one span: its first and its last entry are compared.
const SPAN: Duration = Duration::from_hours(1);

/// The roles of people on file, as they change. Someone who is suspended has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeopleOnFile {
    roles: BTreeMap<PersonId, Vec<(Time, Roles)>>,
    /// When the first people were recorded.
    founded: Option<Time>,
    /// When the entry before was recorded, if it changed people.
    changing: Option<Time>,
    newest: Time,
}

/// An entry of a table by a person.
#[derive(Clone, Copy, Debug)]
struct EntryMoment {
    at: EntryPosition,
    time: Time,
}

#[derive(Clone, Debug)]
struct ActingSpan {
    person: Person,
    first: EntryMoment,
    last: EntryMoment,
}

/// The people who act in the chain of a table, first or second, with the roles that its entries say.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActingPeople {
    spans: Vec<ActingSpan>,
    /// The last span of each person with each roles.
    open: HashMap<Person, usize>,
    newest: Time,
}

/// An entry by someone whom the House does not have on file so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnlikePerson {
    pub(crate) at: EntryPosition,
    pub(crate) person: PersonId,
    /// The roles that the entry says, and the House's chain does not; none if nobody of that number was ever on file.
    pub(crate) roles: Option<Roles>,
}

impl PeopleOnFile {
    pub(crate) fn see(&mut self, seen: &ReplayEvent<'_, House>) {
        match seen {
            ReplayEvent::Entry(_, house, entry) => {
                self.note_changes(house);
                self.newest = self.newest.max(entry.request.time);
                if entry.outcome.is_ok() && changes_people(&entry.request.command) {
                    self.changing = Some(self.newest);
                }
            }
            ReplayEvent::Block(_, house) => self.note_changes(house),
            ReplayEvent::Opening(..) | ReplayEvent::Checkpoint(..) => {}
        }
    }

    fn note_changes(&mut self, house: &House) {
        let Some(time) = self.changing.take() else { return };
        self.founded.get_or_insert(time);
        for (id, _) in house.people() {
            let roles = house.as_actor(id).map(|person| person.roles).unwrap_or_default();
            let known = self.roles.entry(id).or_default();
            if known.last().is_none_or(|(_, before)| *before != roles) {
                known.push((time, roles));
            }
        }
    }

    /// What an act says that is not on file. Before the first people are recorded there is nobody to compare with.
    fn unlike(&self, person: Person, act: EntryMoment) -> Option<UnlikePerson> {
        if self.founded.is_none_or(|founded| act.time < founded) {
            return None;
        }
        let Some(held) = self.roles.get(&person.id) else {
            return Some(UnlikePerson { at: act.at, person: person.id, roles: None });
        };
        let ends = held.iter().skip(1).map(|(time, _)| *time).chain([Time(u64::MAX)]);
        let tolerance = millis(ROLE_TOLERANCE);
        let counts = |begin: Time, end: Time| {
            begin.0 <= act.time.0.saturating_add(tolerance) && end.0.saturating_add(tolerance) >= act.time.0
        };
        let counting: Vec<Roles> = held
            .iter()
            .zip(ends)
            .filter(|((begin, _), end)| counts(*begin, *end))
            .map(|((_, roles), _)| *roles)
            .collect();
        let is_missing = |role: &Role| !counting.iter().any(|roles| roles.any(&[*role]));
        let missing: Vec<Role> = person.roles.iter().filter(is_missing).collect();
        let roles = Some(Roles::of(&missing));
        (!missing.is_empty()).then_some(UnlikePerson { at: act.at, person: person.id, roles })
    }
}

impl ActingPeople {
    pub(crate) fn see<M: RecordedMachine>(
        &mut self,
        seen: &ReplayEvent<'_, M>,
        second: impl Fn(&M::Command) -> Option<Person>,
    ) {
        let ReplayEvent::Entry(at, _, entry) = seen else { return };
        // Time never goes back in a chain: an entry is not earlier than those before it, whatever it says.
        self.newest = self.newest.max(entry.request.time);
        let act = EntryMoment { at: *at, time: self.newest };
        let people = entry.request.actor.person().into_iter().chain(second(&entry.request.command));
        // Whoever says no role claims nothing.
        for person in people.filter(|person| !person.roles.is_empty()) {
            self.add(person, act);
        }
    }

    fn add(&mut self, person: Person, act: EntryMoment) {
        let open = self.open.get(&person).and_then(|index| self.spans.get_mut(*index));
        match open {
            Some(span) if act.time.0.saturating_sub(span.first.time.0) < millis(SPAN) => span.last = act,
            Some(_) | None => {
                self.open.insert(person, self.spans.len());
                self.spans.push(ActingSpan { person, first: act, last: act });
            }
        }
    }

    /// For each person and what is said of them, the first entry that the House's chain does not confirm.
    pub(crate) fn unlike(&self, on_file: &PeopleOnFile) -> Vec<UnlikePerson> {
        let mut found: Vec<UnlikePerson> = Vec::new();
        for ActingSpan { person, first, last } in &self.spans {
            let unlike = on_file.unlike(*person, *first).or_else(|| on_file.unlike(*person, *last));
            if let Some(new) = unlike
                && found.iter().all(|known| (known.person, known.roles) != (new.person, new.roles))
            {
                found.push(new);
            }
        }
        found
    }
}

/// Whether a command changes who is on file, or with which roles.
const fn changes_people(command: &HouseCommand) -> bool {
    matches!(
        command,
        HouseCommand::Found { .. }
            | HouseCommand::AddPerson { .. }
            | HouseCommand::SetRoles { .. }
            | HouseCommand::Suspend { .. }
            | HouseCommand::Reinstate { .. }
    )
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

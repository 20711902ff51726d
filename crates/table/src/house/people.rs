//! People: who is on file, with which roles, suspended or locked out. It decides who counts as whom; what a role may do
//! is in the profile.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::command::Founder;
use super::significant::SignificantEventKind;
use super::{House, HouseDecision, HouseEvent, MAX_NAME_LENGTH};
use crate::identity::{Actor, Person, PersonId, Role, Roles, Time};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::check_text;

/// A person on file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Employee {
    pub name: String,
    pub roles: Roles,
    /// Whether every right is taken away.
    pub is_suspended: bool,
    /// Whether failed logins have locked the person out. A login that is open already goes on.
    pub is_locked: bool,
    /// Logins that failed since the last that succeeded.
    pub failed: u8,
}

impl Employee {
    fn new(name: &str, roles: Roles) -> Self {
        Self { name: name.to_owned(), roles, is_suspended: false, is_locked: false, failed: 0 }
    }
}

impl House {
    /// The person with the roles that are both claimed and on file; none for one who is suspended or not on file.
    pub(super) fn on_file(&self, claimed: Person) -> Person {
        let roles = match self.active(claimed.id) {
            Some(employee) => {
                let both: Vec<_> = claimed.roles.iter().filter(|role| employee.roles.any(&[*role])).collect();
                Roles::of(&both)
            }
            None => Roles::default(),
        };
        Person { id: claimed.id, roles }
    }

    /// A person on file who is not suspended.
    pub(super) fn active(&self, person: PersonId) -> Option<&Employee> {
        self.people.get(&person).filter(|employee| !employee.is_suspended)
    }

    /// The actor as a person on file who is not suspended.
    pub(super) fn active_actor(&self, actor: Actor) -> Result<Person, Refusal> {
        let person = actor.person().filter(|person| self.active(person.id).is_some());
        person.map(|person| self.on_file(person)).ok_or(Refusal::NotAllowed)
    }

    /// Managing a person takes two others: nobody changes or approves what they may do themselves (F50).
    fn may_manage(&self, actor: Actor, person: PersonId, second: Option<Person>) -> Result<(), Refusal> {
        if actor.person().is_some_and(|first| first.id == person) {
            return Err(Refusal::NotAllowed);
        }
        self.right(Act::ManagePeople, actor, second)?;
        if self.profile.right(Act::ManagePeople).second.is_some() && second.is_some_and(|second| second.id == person) {
            return Err(Refusal::SecondPersonNotAllowed);
        }
        Ok(())
    }

    /// Whether among these people are those who can manage people.
    fn can_manage(&self, people: &[(PersonId, Roles)]) -> bool {
        let right = self.profile.right(Act::ManagePeople);
        let approved = |first: PersonId| {
            let second = |roles: Roles| people.iter().any(|(id, held)| *id != first && held.meets(roles));
            right.second.is_none_or(second)
        };
        people.iter().any(|(id, held)| held.meets(right.first) && approved(*id))
    }

    /// F50: who runs the casino's accounts and who audits them touch neither money nor results.
    fn may_hold(roles: Roles) -> Result<(), Refusal> {
        if roles.touch_money() && roles.any(&Role::APART) { Err(Refusal::RolesConflict) } else { Ok(()) }
    }

    pub(super) fn decide_found(&self, actor: Actor, people: &[Founder]) -> HouseDecision {
        actor.is_system()?;
        for founder in people {
            check_text(&founder.name, MAX_NAME_LENGTH)?;
        }
        let ids: BTreeSet<_> = people.iter().map(|founder| founder.person).collect();
        if !self.people.is_empty() || ids.len() != people.len() {
            return Err(Refusal::PersonExists);
        }
        people.iter().try_for_each(|founder| Self::may_hold(founder.roles))?;
        let roles: Vec<_> = people.iter().map(|founder| (founder.person, founder.roles)).collect();
        if !self.can_manage(&roles) {
            return Err(Refusal::NobodyToManage);
        }
        Ok(HouseEvent::Done)
    }

    pub(super) fn decide_add_person(
        &self,
        actor: Actor,
        person: PersonId,
        (name, roles): (&str, Roles),
        second: Option<Person>,
    ) -> HouseDecision {
        self.right(Act::ManagePeople, actor, second)?;
        check_text(name, MAX_NAME_LENGTH)?;
        if self.people.contains_key(&person) {
            return Err(Refusal::PersonExists);
        }
        Self::may_hold(roles)?;
        Ok(HouseEvent::Done)
    }

    pub(super) fn decide_set_roles(
        &self,
        actor: Actor,
        person: PersonId,
        roles: Roles,
        second: Option<Person>,
    ) -> HouseDecision {
        self.decide_change_person(actor, person, second)?;
        Self::may_hold(roles)?;
        Ok(HouseEvent::Done)
    }

    /// Changing roles and suspending. Those who act stay as they are, so somebody is always left to manage people.
    pub(super) fn decide_change_person(&self, actor: Actor, person: PersonId, second: Option<Person>) -> HouseDecision {
        self.may_manage(actor, person, second)?;
        self.active(person).ok_or(Refusal::UnknownPerson)?;
        Ok(HouseEvent::Done)
    }

    pub(super) fn decide_reinstate(&self, actor: Actor, person: PersonId, second: Option<Person>) -> HouseDecision {
        self.may_manage(actor, person, second)?;
        let employee = self.people.get(&person).ok_or(Refusal::UnknownPerson)?;
        if employee.is_suspended { Ok(HouseEvent::Done) } else { Err(Refusal::PersonExists) }
    }

    /// F51: failed logins lock the person out.
    pub(super) fn decide_login_failed(&self, actor: Actor, person: PersonId) -> HouseDecision {
        let employee = self.logging_in(actor, person)?;
        let locked = employee.failed.checked_add(1).is_none_or(|failed| failed >= self.profile.attempts);
        Ok(HouseEvent::LoginCounted { locked })
    }

    pub(super) fn decide_login_succeeded(&self, actor: Actor, person: PersonId) -> HouseDecision {
        self.logging_in(actor, person).map(|_| HouseEvent::Done)
    }

    fn logging_in(&self, actor: Actor, person: PersonId) -> Result<&Employee, Refusal> {
        actor.is_system()?;
        let employee = self.active(person).ok_or(Refusal::UnknownPerson)?;
        if employee.is_locked { Err(Refusal::LockedOut) } else { Ok(employee) }
    }

    /// By those who manage people; by the server itself, from its console, only when they are themselves locked
    /// out and nobody else is left to help.
    pub(super) fn decide_unlock(&self, actor: Actor, person: PersonId, second: Option<Person>) -> HouseDecision {
        if actor == Actor::System {
            let free = self.people.iter().filter(|(_, employee)| !employee.is_suspended && !employee.is_locked);
            let free: Vec<_> = free.map(|(id, employee)| (*id, employee.roles)).collect();
            if self.can_manage(&free) {
                return Err(Refusal::NotAllowed);
            }
        } else {
            self.may_manage(actor, person, second)?;
        }
        self.active(person).ok_or(Refusal::UnknownPerson)?;
        Ok(HouseEvent::Done)
    }

    pub(super) fn add_person(&mut self, person: PersonId, name: &str, roles: Roles) {
        self.people.insert(person, Employee::new(name, roles));
    }

    pub(super) fn change_person(&mut self, person: PersonId, change: impl FnOnce(&mut Employee)) {
        change(self.people.get_mut(&person).expect("the person is on file"));
    }

    pub(super) fn count_login(&mut self, time: Time, who: Actor, person: PersonId, locked: bool) {
        self.change_person(person, |employee| {
            employee.failed = employee.failed.checked_add(1).expect("a lock comes before the count ends");
            employee.is_locked = locked;
        });
        self.significant.push(time, who, SignificantEventKind::LoginFailed(person));
        if locked {
            self.significant.push(time, who, SignificantEventKind::LoginLocked(person));
        }
    }
}

//! One-time passwords and enrolment codes, which the first start prints once.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;

use crate::person::Person;
use crate::terminal::Device;

/// The length of a one-time password: 26 characters in groups of four.
const PASSWORD_LENGTH: usize = 32;

/// The people of a new casino, by role, in the order of their numbers.
pub(crate) const FIRST: [&str; 10] = [
    "dealer",
    "second-dealer",
    "pit-supervisor",
    "pit-manager",
    "shift-manager",
    "casino-manager",
    "attendant",
    "cashier",
    "auditor",
    "administrator",
];

/// The number of the first person with a role.
pub(crate) fn first(role: &str) -> u32 {
    let place = FIRST.iter().position(|known| *known == role).unwrap_or_else(|| panic!("nobody is a {role}"));
    u32::try_from(place).unwrap() + 1
}

/// Passwords by person, codes by table, cluster and seat, and the sessions opened with them.
#[derive(Default)]
pub(crate) struct Credentials {
    passwords: Mutex<BTreeMap<u32, String>>,
    codes: BTreeMap<(u16, u16, u32), String>,
    people: Mutex<BTreeMap<u32, Person>>,
}

impl Credentials {
    /// Parses a line of the first start. `true` once there are credentials for this many people and terminals.
    pub(crate) fn parse_line(&mut self, line: &str, (people, terminals): (usize, usize)) -> bool {
        self.remember(line);
        let (known_people, known_terminals) = self.count();
        known_people >= people && known_terminals >= terminals
    }

    /// A person's number, name, roles and password, or a device's number, table, cluster where there are several, seat and link.
    fn remember(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (Some(Ok(number)), Some(last)) = (words.first().map(|word| word.parse()), words.last()) else { return };
        if let (Some((_, code)), [_, table, place @ .., _]) = (last.split_once("&code="), &words[..]) {
            let cluster = if let [cluster, _] = place { cluster.parse().unwrap() } else { 0 };
            let seat = place.last().unwrap().parse().unwrap();
            self.codes.insert((table.parse().unwrap(), cluster, seat), code.to_owned());
        } else if last.len() == PASSWORD_LENGTH {
            self.passwords.get_mut().unwrap().insert(number, (*last).to_owned());
        }
    }

    /// How many people and terminals have credentials.
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.passwords.lock().unwrap().len(), self.codes.len())
    }

    /// Forgets sessions after a restart.
    pub(crate) fn sign_out(&mut self) {
        self.people.get_mut().unwrap().clear();
    }

    /// The first person with that role, signed in with a new password.
    pub(crate) fn person(&self, address: SocketAddr, role: &str) -> Person {
        let id = first(role);
        if let Some(person) = self.people.lock().unwrap().get(&id) {
            return person.clone();
        }
        let password = self.password(id);
        let own = format!("the password of {role}");
        let person = Person::sign_in(address, id, &password);
        if password != own {
            person.set_password(&password, &own);
        }
        self.passwords.lock().unwrap().insert(id, own);
        self.people.lock().unwrap().insert(id, person.clone());
        person
    }

    /// The current password of a person.
    pub(crate) fn password(&self, id: u32) -> String {
        self.passwords.lock().unwrap().get(&id).unwrap_or_else(|| panic!("no password was printed of {id}")).clone()
    }

    /// Enrols the device at a seat with the printed code.
    pub(crate) fn enrol(&self, address: SocketAddr, table: u16, seat: u32) -> Device {
        self.enrol_in(address, table, 0, seat)
    }

    /// The same in a cluster.
    pub(crate) fn enrol_in(&self, address: SocketAddr, table: u16, cluster: u16, seat: u32) -> Device {
        let code = self.codes.get(&(table, cluster, seat));
        let code = code.unwrap_or_else(|| panic!("no code was printed of seat {seat} in cluster {cluster}"));
        let mut device = Device::enrol(address, table, seat, code);
        device.cluster = cluster;
        device
    }
}

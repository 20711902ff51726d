//! Partitions go from machine to machine: screens follow.

use crate::house::{House, TABLE, THE_HOUSE, THE_TABLE};
use crate::socket::Socket;

/// What a screen is shown is true, or it is shown nothing: those of a part that has gone connect again.
#[test]
fn screens_do_not_stay_behind() {
    let mut house = House::open(1);
    let door = house.doors()[house.holder(THE_TABLE)];
    let terminal = house.enrol(1..=1).remove(0).connect(door);
    let display = Socket::open(door, &format!("/api/v1/tables/{TABLE}/display"), &[]);
    let supervisor = house.person("pit-supervisor");
    let at_house = house.doors()[house.holder(THE_HOUSE)];
    let pit = Socket::open(at_house, "/api/v1/house/pit", &[("cookie", &supervisor.cookie)]);
    house.move_part(THE_TABLE, house.idle());
    terminal.socket.over();
    display.over();
    house.move_part(THE_HOUSE, house.idle());
    pit.over();
    house.audit();
}

//! Screens follow a partition that moves to another node.

use crate::house::{HOUSE_PARTITION, TABLE, TABLE_PARTITION, TestCasino};
use crate::socket::Socket;

/// A screen shows the current state or none. Screens of a partition that has moved connect again.
#[test]
fn screens_follow_a_moved_table() {
    let mut house = TestCasino::open(1);
    let address = house.addresses()[house.holder(TABLE_PARTITION)];
    let terminal = house.enrol(1..=1).remove(0).connect(address);
    let display = Socket::open(address, &format!("/api/v1/tables/{TABLE}/display"), &[]);
    let supervisor = house.person("pit-supervisor");
    let at_house = house.addresses()[house.holder(HOUSE_PARTITION)];
    let pit = Socket::open(at_house, "/api/v1/house/pit", &[("cookie", &supervisor.cookie)]);
    house.move_partition(TABLE_PARTITION, house.idle());
    terminal.socket.over();
    display.over();
    house.move_partition(HOUSE_PARTITION, house.idle());
    pit.over();
    house.audit();
}

//! A table goes from machine to machine between two rounds, as it is told and as machines come and go: nobody's play is held.

use crate::house::{House, TABLE, THE_HOUSE, THE_TABLE};
use crate::play::{BETS, Play};
use crate::socket::Socket;

const TERMINALS: u32 = 20;

#[test]
fn no_round_is_lost() {
    let Play { mut house, crowd, dealer } = Play::begin(TERMINALS);
    let dealer = dealer.works();
    for _ in 0..2 {
        crowd.bets(BETS);
        house.move_part(THE_TABLE, house.idle());
    }
    // As an upgrade goes: each machine leaves and comes back.
    for node in 0..3 {
        crowd.bets(BETS);
        house.stop(node);
        house.other_holder(THE_TABLE, node);
        crowd.bets(BETS);
        house.start(node);
        house.until_whole();
    }
    let record = Play { house, crowd, dealer: dealer.rests() }.ends();
    // Where this machine stood still for longer than a lease lasts, play was held because of that.
    assert!(record.held == 0 || record.lapses > 0, "play was held");
}

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

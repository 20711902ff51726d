//! A round of very many bets is corrected: its old slip is one entry, and an entry fits a block or is refused in good time.

use taisai_journal::Memory;
use taisai_rules::Money;
use taisai_table::{Actor, Chips, ClusterCommand, DeviceId, Method, Role, Seat, Stake};

use crate::hall::{Hall, person};

const MANY: u32 = 40_000;

#[test]
fn a_very_large_round_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::default();
    let mut hall = Hall::with_seats(Box::new(memory.open()), folder.path(), "sic-bo-etg", MANY).unwrap();
    hall.open_bets();
    let layout = hall.cluster.machine().rules().layout().clone();
    for seat in (0..MANY).map(Seat) {
        let stakes = layout.boxes().iter().map(|bet_box| Stake { bet_box: *bet_box, amount: Money::from_cents(100) });
        let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.collect() };
        let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(100_000), method: Method::Cash };
        assert!(hall.cluster(person(8, Role::Cashier), buy));
        assert!(hall.cluster(Actor::Terminal { device: DeviceId(seat.0), seat }, place));
    }
    hall.deal([4, 5, 6]);
    hall.commit();
    hall.correct(1, [1, 2, 3]);
    hall.close();
}

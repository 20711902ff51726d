//! Very many bets: a full batch is submitted by itself, and the slip of a large round, which is one entry when the round is
//! settled again, fits a block.

use taisai_journal::{Archive, MAX_BODY_BYTES, MemoryStore};
use taisai_rules::{Games, Money};
use taisai_table::{Actor, Chips, ClusterCommand, DeviceId, Role, Seat, SessionId, SlipLine, Stake, Stakes};

use crate::casino::{TestCasino, chain, person};

const MANY: u32 = 2_000;

#[test]
fn large_round_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::with_seats(Box::new(memory.open()), folder.path(), "sic-bo-etg", MANY).unwrap();
    casino.open_bets();
    let layout = casino.cluster.machine().rules().layout().clone();
    for seat in (0..MANY).map(Seat) {
        let stakes = layout.boxes().iter().map(|bet_box| Stake { bet_box: *bet_box, amount: Money::from_cents(100) });
        let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.collect() };
        let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(100_000), second: None };
        assert!(casino.cluster(person(8, Role::Cashier), buy));
        assert!(casino.cluster(Actor::Terminal { device: DeviceId(seat.0), seat }, place));
    }
    casino.deal([4, 5, 6]);
    casino.commit();
    casino.correct(1, [1, 2, 3]);
    casino.close();
}

#[test]
fn the_largest_slip_fits_a_block() {
    let layouts = Games::embedded().iter().flat_map(|game| game.layouts().iter());
    let boxes = layouts.map(|layout| layout.boxes().len()).max().unwrap();
    let bet_box = Games::embedded().find("sic-bo-etg", None).unwrap().layouts()[0].boxes()[0];
    let (seat, session) = (Seat(100_000), SessionId(u32::MAX));
    let line = SlipLine { seat, session, bet_box, chips: Chips::Colour, units: u32::MAX, counted: u32::MAX };
    let bytes = postcard::to_allocvec(&line).unwrap().len();
    assert!(bytes <= 20, "{bytes} bytes");
    assert!(
        100_000 * boxes * bytes + (32 << 20) < MAX_BODY_BYTES,
        "with room for adjustments and for what waited before"
    );
}

#[test]
fn full_batch_is_submitted_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    casino.commit();
    let blocks = || {
        let heads = memory.clone().heads().unwrap();
        heads.into_iter().find(|head| head.chain == chain("table-1-0")).unwrap().next
    };
    let before = blocks();
    let layout = casino.cluster.machine().rules().layout().clone();
    let stakes: Stakes =
        layout.boxes().iter().map(|bet_box| Stake { bet_box: *bet_box, amount: Money::from_cents(100) }).collect();
    let terminal = Actor::Terminal { device: DeviceId(0), seat: Seat(0) };
    // Nobody may bet: each bet is refused, and the refusal is recorded.
    for _ in 0..40_000 {
        let place = ClusterCommand::Place { seat: Seat(0), chips: Chips::Own, stakes: stakes.clone() };
        assert!(!casino.cluster(terminal, place));
    }
    assert!(!casino.cluster.is_full());
    casino.close();
    assert!(blocks() >= before + 2, "{} blocks after {before}", blocks());
}

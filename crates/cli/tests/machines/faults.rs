//! Faults one after the other, drawn by a seed, while two hundred terminals bet. `FAULTS` says how many, `SEED` which.

use std::time::{Duration, Instant};

use crate::crowd::Crowd;
use crate::house::{House, THE_HOUSE, THE_TABLE};
use crate::play::{BETS, Play, tell};
use crate::random::Random;
use crate::relay::Way;

const TERMINALS: u32 = 200;

/// Those of a table that is spread, and its clusters.
const SPREAD: (u32, u16) = (40, 4);

/// What can go wrong, or is done to a house that runs.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Kill,
    Freeze,
    CutOff(Way),
    Promote,
    Move,
    Leave,
}

const FAULTS: [Fault; 7] = [
    Fault::Kill,
    Fault::Freeze,
    Fault::CutOff(Way::Cut),
    Fault::CutOff(Way::Silent),
    Fault::Promote,
    Fault::Move,
    Fault::Leave,
];

/// A number that the environment gives.
fn given(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}")))
}

/// Makes a fault at a machine, and mends it when everyone bets again.
fn make(fault: Fault, node: usize, house: &mut House, crowd: &Crowd) {
    let begun = crowd.watch();
    let is_tables = house.holder(THE_TABLE) == node;
    match fault {
        Fault::Kill => house.kill(node),
        Fault::Freeze => house.freeze(node),
        Fault::CutOff(way) => house.set_ways(node, way),
        Fault::Promote => {
            house.pair.primary.kill();
            house.pair.promote();
            tell("the standby takes writes", crowd.first_bet(Instant::now()));
        }
        Fault::Move => house.move_part(THE_TABLE, house.idle()),
        Fault::Leave => house.stop(node),
    }
    match fault {
        Fault::Kill | Fault::Freeze | Fault::CutOff(_) => {
            house.until_gone(node);
            if is_tables {
                tell(&format!("the table's machine, {fault:?}"), crowd.first_bet(begun));
            }
        }
        Fault::Promote | Fault::Move | Fault::Leave => {}
    }
    crowd.bets(BETS);
    match fault {
        Fault::Kill | Fault::Leave => house.start(node),
        Fault::Freeze => house.thaw(node),
        Fault::CutOff(_) => house.set_ways(node, Way::Open),
        Fault::Promote => house.pair.replace(),
        Fault::Move => {}
    }
    house.until_whole();
}

#[test]
fn one_after_the_other_while_two_hundred_bet() {
    happen(given("FAULTS", 6), House::open(TERMINALS), TERMINALS);
}

/// The machines that are hit hold the dealer's side, clusters that follow it, or both.
#[test]
fn one_after_the_other_while_clusters_follow() {
    let (terminals, clusters) = SPREAD;
    happen(given("FAULTS", 6).div_ceil(2), House::spread(terminals, clusters), terminals);
}

fn happen(faults: u64, house: House, terminals: u32) {
    let seed = given("SEED", 1);
    println!("{faults} faults of SEED={seed}");
    let mut random = Random(seed);
    let Play { mut house, crowd, dealer } = Play::at(house, terminals, seed);
    let dealer = dealer.works();
    for number in 1..=faults {
        let fault = *random.among(&FAULTS);
        let node = match random.below(3) {
            0 => house.holder(THE_TABLE),
            1 => house.holder(THE_HOUSE),
            _ => usize::try_from(random.below(3)).unwrap(),
        };
        crowd.bets(BETS);
        println!("{number}: {fault:?} at machine {node}");
        let begun = Instant::now();
        make(fault, node, &mut house, &crowd);
        println!(
            "{number}: mended after {:?}",
            Duration::from_millis(u64::try_from(begun.elapsed().as_millis()).unwrap())
        );
    }
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

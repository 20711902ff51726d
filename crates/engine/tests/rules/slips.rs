//! Random slips at live tables and terminals: what the cluster counts, pays and returns is what the rules settle for
//! the same bets, on every layout.

use proptest::prelude::*;
use taisai_rules::{Bet, BetBox, Dice, Games, Layout, Money};
use taisai_table::{Chips, ClusterCommand, ClusterEvent, Decision, MachineEntry, Profile, Seat, SlipLine, Stake};

use crate::installation::{CLASSIC, ETG, OPEN_COVER, SEATS, TAI_SAI, TestInstallation, limits};

const LAYOUTS: [(&str, &str); 10] = [
    (CLASSIC, "A"),
    (TAI_SAI, "A"),
    (TAI_SAI, "C"),
    (TAI_SAI, "E"),
    (OPEN_COVER, "A"),
    (OPEN_COVER, "C"),
    (OPEN_COVER, "E"),
    (ETG, "A"),
    (ETG, "B"),
    (ETG, "C"),
];

/// Limits by number; terminals and the early edition have only the unit here, so that every bet is taken.
const LIMITS: [&str; 5] = [
    "unit=100 diff=1000",
    "unit=100 big=500..3000 small=300..2000 sum=..1500 diff=700",
    "unit=100 big=1000.. small=..1000 single=200..600 diff=0",
    "unit=200 big=..200 sum=400..1000 domino=..800",
    "unit=100",
];

/// A player puts units on a box, or takes some off.
#[derive(Clone, Copy, Debug)]
struct SlipChange {
    seat: u32,
    place: prop::sample::Index,
    units: i64,
    is_taken: bool,
}

fn touches() -> impl Strategy<Value = Vec<SlipChange>> {
    let touch = (0..SEATS, any::<prop::sample::Index>(), 1..30_i64, prop::bool::weighted(0.2))
        .prop_map(|(seat, place, units, is_taken)| SlipChange { seat, place, units, is_taken });
    prop::collection::vec(touch, 1..40)
}

/// Boxes that people crowd on, so that limits are exceeded.
fn crowded(layout: &Layout, place: prop::sample::Index) -> BetBox {
    let boxes = layout.boxes();
    boxes[place.index(boxes.len().min(24)) * (boxes.len() / 24).max(1) % boxes.len()]
}

/// What lies there, in order of first placement: the slip as a clerk would keep it.
fn clerk(bets: &mut Vec<Bet<u32>>, seat: u32, bet_box: BetBox, cents: i64) -> bool {
    match bets.iter_mut().find(|bet| bet.player == seat && bet.bet_box == bet_box) {
        Some(bet) if bet.amount.cents() + cents >= 0 => {
            bet.amount = Money::from_cents(bet.amount.cents() + cents);
            bets.retain(|bet| bet.amount > Money::ZERO);
            true
        }
        None if cents > 0 => {
            bets.push(Bet { player: seat, bet_box, amount: Money::from_cents(cents) });
            true
        }
        Some(_) | None => false,
    }
}

fn check(layout: usize, limit: usize, dice: Dice, touches: &[SlipChange]) {
    let (game, id) = LAYOUTS[layout];
    let spec = if game == TAI_SAI || game == OPEN_COVER { LIMITS[limit] } else { "unit=100" };
    let mut installation = TestInstallation::ready(game, id, &Profile::singapore());
    installation.run(&format!(
        "supervisor limits {spec}; fund 0 9000000; fund 1 9000000; fund 2 9000000; fund 3 9000000; dealer open"
    ));
    let layout = Games::embedded().find(game, None).expect("a game").layout(id).expect("a layout");
    let display = limits(&spec.split_whitespace().collect::<Vec<_>>()).widest(layout).check(layout).expect("limits");
    let mut bets = Vec::new();
    for touch in touches {
        let (bet_box, unit) = (crowded(layout, touch.place), display.unit().cents());
        let cents = touch.units * unit;
        let (seat, chips) = (Seat(touch.seat), Chips::Own);
        let stakes = [Stake { bet_box, amount: Money::from_cents(cents) }].into_iter().collect();
        let (command, change) = if touch.is_taken {
            (ClusterCommand::Withdraw { seat, chips, stakes }, -cents)
        } else {
            (ClusterCommand::Place { seat, chips, stakes }, cents)
        };
        let is_done = matches!(
            installation.ask_cluster(installation.actor("player", Some(seat)), command),
            Decision::Accepted(_)
        );
        assert_eq!(is_done, clerk(&mut bets, touch.seat, bet_box, change), "{touch:?}");
    }
    installation.run("dealer close");
    let settled = layout.settle(&display, dice, bets).expect("a slip");
    let mut lines: Vec<_> = installation.cluster().slip().lines;
    installation.run(&format!("throw {}", dice.to_string().replace(' ', "")));
    let unit = display.unit().cents();
    let mut expected = settled.lines.clone();
    expected.sort_by_key(|line| line.player);
    lines.sort_by_key(|line| line.seat);
    let own =
        |line: &SlipLine| (line.seat.0, line.bet_box, i64::from(line.units) * unit, i64::from(line.counted) * unit);
    let found: Vec<_> = lines.iter().map(own).collect();
    let rules = expected.iter().map(|line| (line.player, line.bet_box, line.stake.cents(), line.counted.cents()));
    assert_eq!(found, rules.collect::<Vec<_>>());
    for seat in 0..SEATS {
        let meters = installation.cluster().seat_meters(Seat(seat));
        let of = |amount: fn(&taisai_rules::SettledLine<u32>) -> Money| -> i64 {
            settled.lines.iter().filter(|line| line.player == seat).map(|line| amount(line).cents()).sum()
        };
        let expected =
            [of(|line| line.stake), of(taisai_rules::SettledLine::paid), of(taisai_rules::SettledLine::returned)];
        assert_eq!([meters.bet, meters.won, meters.returned].map(Money::cents), expected, "seat {seat}");
        assert!(meters.bet == Money::ZERO || meters.rounds == 1);
    }
    assert_eq!(installation.cluster().ledger().house, settled.house.net());
    let event = installation.house.record.iter().rev().find_map(|entry| match entry {
        MachineEntry::Cluster(_, entry) => match &entry.outcome {
            Ok(ClusterEvent::Settled { totals, over_differential, .. }) => Some((*totals, over_differential.clone())),
            Ok(_) | Err(_) => None,
        },
        MachineEntry::Round(..) | MachineEntry::House(_) => None,
    });
    let (totals, over_differential) = event.expect("a settled round");
    // 1.3: an event exactly where what counts differs by more than the Differential.
    let counted = |of: BetBox| -> i64 {
        settled.lines.iter().filter(|line| line.bet_box == of).map(|line| line.counted.cents()).sum()
    };
    let most = display.differential().map_or(i64::MAX, Money::cents);
    let over = |of: &BetBox| of.opposite().is_some_and(|opposite| counted(*of) - counted(opposite) > most);
    let expected: Vec<_> = layout.boxes().iter().copied().filter(over).map(|of| (of, counted(of))).collect();
    let found: Vec<_> = over_differential.iter().map(|over| (over.bet_box, over.counted.cents())).collect();
    assert_eq!(found, expected);
    let all = |amount: fn(&taisai_rules::SettledLine<u32>) -> Money| {
        settled.lines.iter().map(|line| amount(line).cents()).sum()
    };
    let expected: [i64; 4] = [
        all(|l| l.stake),
        all(|l| l.counted),
        all(taisai_rules::SettledLine::returned),
        all(taisai_rules::SettledLine::paid),
    ];
    assert_eq!([totals.staked, totals.counted, totals.returned, totals.paid].map(Money::cents), expected);
    assert_eq!(totals.lines, u64::try_from(settled.lines.len()).expect("a count"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_cluster_settles_as_the_rules_do(
        layout in 0..LAYOUTS.len(),
        limit in 0..LIMITS.len(),
        dice in 0..usize::from(Dice::THROWS),
        touches in touches(),
    ) {
        check(layout, limit, Dice::all().nth(dice).expect("a throw"), &touches);
    }
}

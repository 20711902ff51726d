//! Simulated sessions: the same on any number of threads and by both engines, and within their bands of what is exact.

use std::sync::atomic::AtomicU64;

use taisai_analysis::simulate::{
    PlayerPlan, SimulationEngine, SimulationPlan, SimulationResults, Strategy, run, summaries,
};
use taisai_rules::{BetBox, Games, Money};
use taisai_table::{LimitEntry, TableLimits};

fn limits(boxes: &[(&str, i64, i64)], differential: Option<i64>) -> TableLimits {
    let entry = |(boxes, min, max): &(&str, i64, i64)| LimitEntry {
        boxes: boxes.parse().expect("a kind or a box"),
        min: Some(Money::from_cents(*min)),
        max: Some(Money::from_cents(*max)),
    };
    let differential = differential.map(Money::from_cents);
    TableLimits { unit: Money::from_cents(100), boxes: boxes.iter().map(entry).collect(), rest: None, differential }
}

fn player(strategy: Strategy, bankroll: i64, slips: &[&[(&str, i64)]]) -> PlayerPlan {
    let slip = |slip: &&[(&str, i64)]| {
        let bet = |(text, cents): &(&str, i64)| (text.parse().expect("a box"), Money::from_cents(*cents));
        slip.iter().map(bet).collect::<Vec<(BetBox, Money)>>()
    };
    let slips = slips.iter().map(slip).collect();
    PlayerPlan { name: strategy.to_string(), strategy, bankroll: Money::from_cents(bankroll), slips }
}

fn everyone() -> Vec<PlayerPlan> {
    vec![
        player(Strategy::Flat, 50_000, &[&[("big", 500), ("sum:9", 200)]]),
        player(Strategy::Martingale, 80_000, &[&[("big", 500)]]),
        player(Strategy::Paroli, 30_000, &[&[("small", 500)]]),
        player(Strategy::DAlembert, 40_000, &[&[("small", 300)]]),
        player(Strategy::Random, 20_000, &[&[("big", 300)]]),
        player(Strategy::Script, 25_000, &[&[("big", 400)], &[], &[("sum:10", 200), ("any-triple", 100)]]),
    ]
}

fn plan(game: &str, layout: &str, limits: TableLimits, engine: SimulationEngine) -> SimulationPlan {
    let game = Games::embedded().find(game, None).expect("a game");
    let plan = SimulationPlan::new(game, layout, limits).and_then(|plan| plan.seat(everyone()));
    plan.and_then(|plan| plan.with(250, 4, 9, engine)).expect("a plan")
}

fn played(plan: &SimulationPlan, threads: usize) -> SimulationResults {
    run(plan, threads, &AtomicU64::new(0))
}

#[test]
fn both_engines_play_the_same_sessions() {
    let boxes = [("big", 100, 3_000), ("small", 100, 2_000), ("sum", 100, 5_000)];
    for (game, layout, limits) in [
        ("tai-sai@6", "C", limits(&boxes, Some(1_500))),
        ("tai-sai-open-cover@5", "A", limits(&boxes, Some(1_500))),
        ("sic-bo-etg@2", "B", limits(&boxes, None)),
        ("tai-sai-classic@1", "A", limits(&[], None)),
    ] {
        let by_rules = played(&plan(game, layout, limits.clone(), SimulationEngine::Rules), 1);
        let by_table = played(&plan(game, layout, limits, SimulationEngine::Table), 1);
        assert_eq!(by_rules.results, by_table.results, "{game}");
        assert!(by_rules.results.iter().any(|result| result.is_ruined), "{game}: someone is ruined");
    }
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let plan = plan("tai-sai@6", "C", limits(&[("big", 100, 5_000)], None), SimulationEngine::Rules);
    let alone = played(&plan, 1);
    for threads in [2, 5] {
        assert_eq!(played(&plan, threads).results, alone.results, "{threads} threads");
    }
}

#[test]
fn summaries_hold_the_exact_values() {
    let game = Games::embedded().find("sic-bo-etg@2", None).expect("a game");
    let players = vec![
        player(Strategy::Flat, 5_000, &[&[("big", 500)]]),
        player(Strategy::Martingale, 50_000, &[&[("sum:8", 200)]]),
        player(Strategy::Random, 500_000, &[&[("big", 1_000)]]),
        player(Strategy::DAlembert, 50_000, &[&[("domino:12", 100), ("odd", 500)]]),
    ];
    let plan = SimulationPlan::new(game, "A", limits(&[], None)).and_then(|plan| plan.seat(players));
    let plan = plan.and_then(|plan| plan.with(200, 4_000, 3, SimulationEngine::Rules)).expect("a plan");
    let summaries = summaries(&plan, &played(&plan, 2));
    for summary in &summaries {
        assert!(summary.deviations.abs() < 3.5, "{}: {}", summary.name, summary.deviations);
    }
    let flat = &summaries[0];
    assert_eq!(flat.exact_edge.to_string(), "1/36");
    assert_eq!(summaries[1].exact_edge.to_string(), "11/144", "no way of staking changes the edge");
    let exact = flat.exact_ruin.expect("flat stakes have an exact risk of ruin");
    assert!(flat.ruin.low <= exact && exact <= flat.ruin.high, "{exact} {:?}", flat.ruin);
    assert!(exact > 0.3 && flat.ruin.high - flat.ruin.low < 0.05);
}

#[test]
fn what_cannot_be_played_says_why() {
    let game = Games::embedded().find("sic-bo-etg@2", None).expect("a game");
    let table = || SimulationPlan::new(game, "A", limits(&[("big", 200, 1_000)], None)).expect("a table");
    let error = |players: Vec<PlayerPlan>| table().seat(players).expect_err("it cannot be played").to_string();
    for (strategy, bankroll, slips, expected) in [
        (Strategy::Flat, 0, &[&[("big", 200)][..]][..], "a bankroll is from 0.01"),
        (Strategy::Flat, i64::MAX, &[&[("big", 200)]], "a bankroll is from 0.01"),
        (Strategy::Flat, 100, &[&[("big", 100)]], "1.00 on big is below the minimum"),
        (Strategy::Flat, 100, &[&[("big", 1_100)]], "11.00 on big is over the maximum"),
        (Strategy::Flat, 100, &[&[("big", 250)]], "no whole number of the table's units"),
        (Strategy::Flat, 100, &[&[("three:123", 100)]], "three:123 is not on this layout"),
        (Strategy::Martingale, 100, &[&[("big", 200)], &[("small", 100)]], "martingale wants one slip"),
        (Strategy::Script, 100, &[], "script wants bets"),
        (Strategy::Script, 100, &[&[]], "script wants bets"),
    ] {
        let found = error(vec![player(strategy, bankroll, slips)]);
        assert!(found.contains(expected), "{found}");
    }
    assert!(error(Vec::new()).contains("from 1 to 200 players"));
    let seated = table().seat(vec![player(Strategy::Flat, 100, &[&[("big", 200)]])]).expect("a plan");
    for (rounds, sessions, expected) in
        [(0, 1, "not 0"), (2_000_000_000, 1, "rounds"), (1, 0, "from 1 to"), (1, u64::MAX, "sessions")]
    {
        let found =
            seated.clone().with(rounds, sessions, 1, SimulationEngine::Rules).expect_err("out of range").to_string();
        assert!(found.contains(expected), "{found}");
    }
    let contradicting = limits(&[("big", 2_000, 1_000)], None);
    assert!(SimulationPlan::new(game, "A", contradicting).is_err());
    assert!(SimulationPlan::new(game, "A", limits(&[], Some(100))).is_err(), "terminals have no Differential");
}

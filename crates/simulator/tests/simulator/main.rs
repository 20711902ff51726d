//! Installations from seeds: they hold their invariants, a seed is the same run every time, and planted mistakes are found.

use taisai_simulator::{Fault, SimulationSummary, SimulatorPlan, StoreKind, event_at, replay, run};

/// Plans that differ in nodes, clusters, tables, screens and stores.
fn plan(seed: u64) -> SimulatorPlan {
    let clusters = u16::try_from(1 + seed % 3).expect("a small number");
    if seed % 10 == 9 {
        return SimulatorPlan { nodes: 1, clusters, store: StoreKind::Sqlite, ..SimulatorPlan::default() };
    }
    let nodes = if seed % 7 == 6 { 5 } else { 3 };
    SimulatorPlan {
        nodes,
        clusters,
        has_live_table: seed % 4 != 3,
        has_screens: seed.is_multiple_of(5),
        ..SimulatorPlan::default()
    }
}

fn number(name: &str, or: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(or)
}

/// Runs seeds, prints what was met, and gives those that failed.
fn run_all(seeds: impl IntoIterator<Item = u64>) -> (SimulationSummary, Vec<String>) {
    let (mut total, mut failed) = (SimulationSummary::default(), Vec::new());
    for seed in seeds {
        match run(seed, &plan(seed)) {
            Ok(summary) => total.add(&summary),
            Err(failure) => failed.push(failure.to_string().chars().take(600).collect()),
        }
    }
    println!("{total:#?}\ninjected: {}", total.injected());
    (total, failed)
}

#[test]
fn hundred_seeds_hold_every_invariant() {
    let (total, failed) = run_all(1..=111);
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(total.injected() >= 10_000, "{} faults", total.injected());
    let unmet: Vec<_> = Fault::INJECTED.into_iter().filter(|fault| !total.faults.contains_key(fault)).collect();
    assert!(unmet.is_empty(), "never met: {unmet:?}");
    assert!(total.rounds > 2_000 && total.corrections > 500 && total.transfers > 2_000 && total.take_overs > 5_000);
    assert!(total.notes > 500 && total.registered > 500, "{} notes, {} registered", total.notes, total.registered);
}

#[test]
fn same_seed_gives_the_same_run() {
    for seed in [1, 2, 9] {
        let summary = || run(seed, &plan(seed)).expect("every invariant holds");
        let (one, two) = (summary(), summary());
        assert_eq!((one.trace_hash, one.events, one.commands), (two.trace_hash, two.events, two.commands));
    }
}

#[test]
fn replay_stops_at_an_event_and_shows_what_it_changed() {
    let plan = plan(1);
    let (event, events) = event_at(1, &plan, 60_000);
    assert!(event > 100 && events > event, "{event} of {events}");
    let moments: Vec<_> =
        (event..event + 40).map(|event| replay(1, &plan, event).expect("an event of the run")).collect();
    assert!(moments[0].millis <= 60_000 && moments[1].millis > 60_000, "the last event up to then");
    for pair in moments.windows(2) {
        assert!(pair[0].broken.is_none() && pair[0].millis <= pair[1].millis);
        let changed = |name: &String| pair[1].changed.iter().any(|changed| changed.name == *name);
        let is_same = |(name, value): &(String, String)| {
            changed(name) || pair[0].state.iter().any(|was| *was == (name.clone(), value.clone()))
        };
        assert!(pair[1].state.iter().all(is_same), "what did not change is as before");
    }
    assert!(moments.iter().any(|moment| !moment.changed.is_empty()));
    assert!(moments[0].state.iter().any(|(name, _)| name.starts_with("in flight")));
    assert!(replay(1, &plan, events + 1).is_none());
}

#[test]
fn replay_of_a_failure_breaks_the_same() {
    let plan = SimulatorPlan { open_faults: vec![Fault::TailLost], ..SimulatorPlan::default() };
    let failure = (1..=100).find_map(|seed| run(seed, &plan).err()).expect("it is not withstood yet");
    let moment = replay(failure.seed, &plan, failure.event).expect("the event that failed");
    assert_eq!(moment.broken.expect("it breaks again").to_string(), failure.to_string());
}

/// What the program does not withstand yet is found: see `known-open/README.md`.
#[test]
fn open_faults_break_an_invariant() {
    for (fault, invariants) in [
        (Fault::TailLost, &["durable_stays"][..]),
        (Fault::FormerPrimaryAnswers, &["durable_stays"]),
        (Fault::VoucherNumberReused, &["voucher_is_on_record"]),
    ] {
        let plan = SimulatorPlan { open_faults: vec![fault], ..SimulatorPlan::default() };
        let broken = (1..=100).find_map(|seed| run(seed, &plan).err());
        let broken = broken.unwrap_or_else(|| panic!("{fault:?} is withstood now: take it out of known-open"));
        println!("{fault:?}: {broken}");
        assert!(invariants.contains(&broken.invariant), "{broken}");
    }
    assert_eq!(Fault::OPEN.len(), 3, "each has its line in this test and in known-open");
}

#[test]
#[ignore = "for a person who looks at one run: SEED=7 cargo test -- --ignored one_seed --nocapture"]
fn one_seed() {
    let seed = number("SEED", 1);
    match run(seed, &plan(seed)) {
        Ok(summary) => println!("{summary:#?}"),
        Err(failure) => {
            failure.trace.iter().for_each(|line| println!("{line}"));
            panic!("{failure}");
        }
    }
}

#[test]
#[ignore = "for a person who looks at many runs: FROM=1 TO=1000 cargo test -- --ignored many_seeds --nocapture"]
fn many_seeds() {
    let (_, failed) = run_all(number("FROM", 1)..=number("TO", 1_000));
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The first seed with which a planted mistake is found, and the invariant that finds it.
#[cfg(feature = "planted")]
fn found(planted: taisai_simulator::Planted, seeds: u64) -> Option<(u64, taisai_simulator::SimulationFailure)> {
    (1..=seeds).find_map(|seed| {
        let plan = SimulatorPlan { planted: Some(planted), ..plan(seed) };
        run(seed, &plan).err().map(|failure| (seed, failure))
    })
}

#[test]
#[cfg(feature = "planted")]
fn every_planted_mistake_is_found() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut missed = Vec::new();
    for planted in taisai_simulator::Planted::all() {
        if let Some((seed, failure)) = found(planted, 100) {
            println!("{planted:?}: seed {seed}: {}", failure.invariant);
        } else {
            println!("{planted:?}: not found");
            missed.push(planted);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

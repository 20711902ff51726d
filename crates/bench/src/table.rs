//! Figures of the table: placing bets, settling them, memory, and that no bet allocates.

use std::alloc::System;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stats_alloc::{Region, StatsAlloc};
use taisai_rules::{Dice, Games, Money, Unit};
use taisai_table::{
    Actor, Chips, Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandId, CommandRequest, Decision, DeviceId,
    Entry, LimitEntry, Notice, Person, PersonId, Profile, Role, Roles, RoundNumber, Seat, Stake, TableId, TableLimits,
    TableRules, Time, encode,
};

use taisai_lab::{Figure, Random};

pub(crate) const TERMINALS: u32 = 100_000;
pub(crate) const BOXES: u32 = 10;
const BETS: f64 = 1_000_000.0;
const ROUNDS: u64 = 5;
/// Of the bets, two in a hundred are refused or repeats.
const LEAST_LINES: u64 = 980_000;

pub(crate) type BenchCommand = CommandRequest<ClusterCommand>;

/// Everything a cluster of many terminals is measured by.
pub(crate) fn figures(allocator: &StatsAlloc<System>) -> anyhow::Result<Vec<Figure>> {
    let region = Region::new(allocator);
    let mut cluster = seated()?;
    let seated = region.change();
    let bytes_a_terminal = f64::from(u32::try_from(seated.bytes_allocated - seated.bytes_deallocated)?) / 100_000.0;

    let mut best = [Duration::MAX; 4];
    let (mut buffer, mut wager_bytes, mut allocations) = (Vec::with_capacity(256 << 20), 0.0, 0);
    for round in 1..=ROUNDS {
        follow(&mut cluster, &Notice::Opened { round: RoundNumber(round) });
        let commands = commands(round, TERMINALS);
        let region = Region::new(allocator);
        let start = Instant::now();
        buffer.clear();
        for request in commands {
            match cluster.decide(&request) {
                Decision::Accepted(event) => {
                    record(&mut cluster, &Entry { request, outcome: Ok(event) }, &mut buffer);
                }
                Decision::Refused(refusal) => {
                    record(&mut cluster, &Entry { request, outcome: Err(refusal) }, &mut buffer);
                }
                Decision::Repeated(verdict) => {
                    black_box(verdict);
                }
            }
        }
        best[0] = best[0].min(start.elapsed());
        let change = region.change();
        if round == 1 {
            let bytes = change.bytes_allocated.saturating_sub(change.bytes_deallocated);
            wager_bytes = f64::from(u32::try_from(bytes).unwrap_or(0)) / BETS;
        } else {
            allocations = allocations.max(change.allocations);
        }
        follow(&mut cluster, &Notice::Closed { round: RoundNumber(round) });
        let dice = Dice::try_from([2, 4, 6])?;
        let notice = Notice::Result { round: RoundNumber(round), dice };
        let request = system(cluster.followed() + 1, notice);
        let start = Instant::now();
        let Decision::Accepted(event) = cluster.decide(&request) else { anyhow::bail!("the result is refused") };
        let decided = start.elapsed();
        let ClusterEvent::Settled { totals, .. } = event else { anyhow::bail!("the result settles nothing") };
        anyhow::ensure!(totals.lines >= LEAST_LINES, "only {} bets were settled", totals.lines);
        let entry = Entry { request, outcome: Ok(event) };
        let start = Instant::now();
        cluster.apply(&entry);
        best[1] = best[1].min(start.elapsed());
        best[2] = best[2].min(decided + start.elapsed());
        best[3] = best[3].min(bare_settlement(round));
    }
    cluster.check()?;
    anyhow::ensure!(allocations == 0, "{allocations} allocations while bets were placed");
    let adds = random_adds(bytes_a_terminal);
    let rate = |time: Duration| BETS / time.as_secs_f64() / 1e6;
    let ratio = |time: Duration| best[3].as_secs_f64() / time.as_secs_f64();
    Ok(vec![
        Figure::measured(
            "place-bets",
            rate(best[0]),
            "M bets/s",
            rate(best[0]) / adds,
            "random adds over the state's size (at least 0.05; and 5 M bets/s)",
        ),
        Figure::measured(
            "settle-credits",
            rate(best[1]),
            "M wagers/s",
            ratio(best[1]),
            "a bare look-up and add (at least 0.25)",
        ),
        Figure::measured(
            "settle-digest",
            rate(best[2]),
            "M wagers/s",
            ratio(best[2]),
            "a bare look-up and add (at least 0.1)",
        ),
        Figure::measured(
            "memory-terminal",
            bytes_a_terminal,
            "bytes",
            bytes_a_terminal / 768.0,
            "768 bytes (at most 1)",
        ),
        Figure::measured("memory-wager", wager_bytes, "bytes", wager_bytes / 24.0, "24 bytes (at most 1)"),
    ])
}

fn record(cluster: &mut Cluster, entry: &Entry<ClusterCommand, ClusterEvent>, buffer: &mut Vec<u8>) {
    cluster.apply(entry);
    encode(entry, buffer);
}

fn seated() -> anyhow::Result<Cluster> {
    let game = Arc::new(Games::embedded().find("sic-bo-etg@2", None)?.clone());
    let id = ClusterId { table: TableId(1), number: 0 };
    let mut cluster = Cluster::new(id, TableRules::new(game, "B")?, Profile::singapore(), TERMINALS);
    for request in opening_commands(TERMINALS) {
        carry_out(&mut cluster, request);
    }
    Ok(cluster)
}

/// The table opens, limits are shown, and every terminal buys in.
pub(crate) fn opening_commands(terminals: u32) -> impl Iterator<Item = BenchCommand> {
    let entry = |boxes: &str| LimitEntry {
        boxes: boxes.parse().expect("a kind"),
        min: Some(Money::from_cents(100)),
        max: Some(Money::from_cents(1_000_000)),
    };
    let kinds = ["small", "big", "odd", "even", "single", "sum", "domino", "double", "any-triple", "triple", "pair"];
    let boxes = kinds.into_iter().map(entry).collect();
    let limits = TableLimits { unit: Money::from_cents(100), boxes, rest: None, differential: None };
    let notices = [system(1, Notice::TableOpened), system(2, Notice::Limits { limits })];
    let cashier = Actor::Person(Person { id: PersonId(1), roles: Roles::of(&[Role::Cashier]) });
    let bought_in = (0..terminals).map(Seat).map(move |seat| {
        let second = Some(Person { id: PersonId(2), roles: Roles::of(&[Role::PitManager]) });
        let command = ClusterCommand::BuyIn { seat, amount: Money::from_cents(100_000_000), second };
        let id = CommandId { source: 7, sequence: u64::from(seat.0) + 1 };
        CommandRequest { time: Time(0), actor: cashier, id, command }
    });
    notices.into_iter().chain(bought_in)
}

pub(crate) fn system(number: u64, notice: Notice) -> BenchCommand {
    let id = CommandId { source: 0, sequence: number };
    CommandRequest {
        time: Time(0),
        actor: Actor::System,
        id,
        command: ClusterCommand::Follow { number, notice, slip: None },
    }
}

fn follow(cluster: &mut Cluster, notice: &Notice) {
    let request = system(cluster.followed() + 1, notice.clone());
    carry_out(cluster, request);
}

fn carry_out(cluster: &mut Cluster, request: BenchCommand) {
    let Decision::Accepted(event) = cluster.decide(&request) else { panic!("{request:?} is refused") };
    cluster.apply(&Entry { request, outcome: Ok(event) });
}

/// One command of ten bets a terminal, terminals in shuffled order; one in a hundred is over its limit, and after one in
/// a hundred comes the same again.
pub(crate) fn commands(round: u64, terminals: u32) -> Vec<BenchCommand> {
    let layout = crate::rules::layout("sic-bo-etg@2", "B");
    let mut numbers = Random::new(round);
    let mut seats: Vec<u32> = (0..terminals).collect();
    for place in (1..seats.len()).rev() {
        let other = usize::try_from(numbers.below(u64::try_from(place).expect("small") + 1)).expect("small");
        seats.swap(place, other);
    }
    let mut commands = Vec::new();
    for (place, seat) in seats.into_iter().enumerate() {
        let first = numbers.below(90);
        let stakes = (0..BOXES).map(|box_number| {
            let place = usize::try_from(first + u64::from(box_number)).expect("small");
            let cents = if place == 99 { 100_000_000 } else { 100 * (1 + numbers.below(50)) };
            Stake { bet_box: layout.boxes()[place], amount: Money::from_cents(i64::try_from(cents).expect("small")) }
        });
        let seat = Seat(seat);
        let command = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.collect() };
        let actor = Actor::Terminal { device: DeviceId(seat.0), seat };
        let request = CommandRequest {
            time: Time(round),
            actor,
            id: CommandId { source: u64::from(seat.0), sequence: round },
            command,
        };
        if place % 100 == 7 {
            commands.push(request.clone());
        }
        commands.push(request);
    }
    commands
}

/// The same bets, each in a command of its own, as a player touches box after box.
pub(crate) fn single_bets(round: u64, terminals: u32) -> Vec<BenchCommand> {
    let whole = commands(round, terminals);
    let mut single = Vec::new();
    for place in 0..usize::try_from(BOXES).expect("small") {
        for request in &whole {
            let ClusterCommand::Place { seat, chips, stakes } = &request.command else { unreachable!("bets only") };
            let command =
                ClusterCommand::Place { seat: *seat, chips: *chips, stakes: [stakes[place]].into_iter().collect() };
            let sequence = request.id.sequence * u64::from(BOXES) + u64::try_from(place).expect("small");
            single.push(CommandRequest { id: CommandId { sequence, ..request.id }, command, ..request.clone() });
        }
    }
    single
}

/// The same wagers in the same order: a look-up and an add into an array of credits.
fn bare_settlement(round: u64) -> Duration {
    let layout = crate::rules::layout("sic-bo-etg@2", "B");
    let unit = Unit::try_from(Money::from_cents(100)).expect("a unit");
    let payouts = layout.payouts(Dice::try_from([2, 4, 6]).expect("dice"), unit).expect("whole cents");
    let mut factors = [0i64; 256];
    for bet_box in layout.boxes() {
        factors[bet_box.index()] = payouts.paid(*bet_box, 1).expect("small").cents();
    }
    let wagers: Vec<(u32, u8, i64)> = commands(round, TERMINALS)
        .into_iter()
        .flat_map(|request| match request.command {
            ClusterCommand::Place { seat, stakes, .. } => stakes
                .into_iter()
                .map(|stake| (seat.0, stake.bet_box.place(), stake.amount.cents() / 100))
                .collect::<Vec<_>>(),
            other => unreachable!("{other:?}"),
        })
        .collect();
    let mut credits = vec![0i64; usize::try_from(TERMINALS).expect("small")];
    let start = Instant::now();
    for (seat, bet_box, units) in black_box(&wagers) {
        let paid = factors[usize::from(*bet_box)].wrapping_mul(*units);
        let credits = &mut credits[usize::try_from(*seat).expect("small")];
        *credits = credits.wrapping_add(paid);
    }
    black_box(&mut credits);
    start.elapsed()
}

/// Millions of adds a second to random places of an array as large as the terminals.
fn random_adds(bytes_a_terminal: f64) -> f64 {
    const ADDS: u32 = 10_000_000;
    #[expect(clippy::as_conversions, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size")]
    let len = (bytes_a_terminal * 100_000.0 / 8.0) as u64;
    let mut array = vec![1u64; usize::try_from(len).expect("it fits in memory")];
    let mut numbers = Random::new(9);
    let start = Instant::now();
    for _ in 0..ADDS {
        let place = usize::try_from(numbers.below(len)).expect("small");
        array[place] = array[place].wrapping_add(1);
    }
    black_box(&mut array);
    f64::from(ADDS) / start.elapsed().as_secs_f64() / 1e6
}

//! `taisai-lab bench`: what a casino does over the network, beside a rival on the same machine in the same run. The casino is
//! `taisai serve`, the program as it is installed, with a training casino in a folder that is gone afterwards; the rival is an echo
//! server of the same framework. Each is a process of its own, and this one plays the terminals.

#![expect(clippy::float_arithmetic, reason = "rates and ratios; no money is counted here")]

mod answers;
mod casino;
mod crowd;
mod cut_off;
mod figure;
mod process;
mod rival;
mod staff;
mod terminal;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use taisai::flush;
use taisai::output_file::OutputFile;

use casino::MeasuredCasino;
use crowd::{LoadPattern, TerminalCrowd};
pub use figure::{Figure, RequiredRatio};
use process::Process;

/// The bytes of a kilobyte and of a megabyte.
const KILOBYTES: f64 = 1_000.0;
const MEGABYTES: f64 = 1_000_000.0;

/// From the tumble until the dice are called.
const LIE_STILL: Duration = Duration::from_secs(2);

/// What is measured.
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// How many Player Terminals are connected at most
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    terminals: u32,
    /// How many of them bet
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    players: u32,
    /// How long each load lasts, in seconds
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// How often each measurement is taken; the best counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    times: u32,
    /// The `taisai` program to measure; the one beside this program if left out
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Write the figures to this file, for programs
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Be the echo server: the rival's process is started so
    #[arg(long, hide = true)]
    echo: bool,
}

/// Measures everything; `false` if a figure is not reached.
pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // A machine that does not give more says so when connections fail.
    rlimit::increase_nofile_limit(u64::MAX)?;
    if args.echo {
        runtime.block_on(rival::run())?;
        return Ok(true);
    }
    let output = args.output.as_deref().map(OutputFile::new).transpose()?;
    let figures = runtime.block_on(measure(args))?;
    println!();
    for figure in &figures {
        println!("{figure}");
    }
    if let Some(output) = output {
        output.write(serde_json::to_string_pretty(&figures)? + "\n")?;
    }
    Ok(figures.iter().all(Figure::is_reached))
}

async fn measure(args: &BenchArgs) -> anyhow::Result<Vec<Figure>> {
    let program = args.program()?;
    let mut figures = vec![start_to_ready(args, &program)?];
    figures.extend(cut_off::measure(args, &program).await?);
    let players = args.players.min(args.terminals);
    eprintln!("A casino with {} terminals is set up, and each is enrolled.", args.terminals);
    let house = MeasuredCasino::start(&program, args.terminals, 1)?;
    let mut staff = house.staff()?;
    staff.open_bets()?;
    let mut seats = TerminalCrowd::connect(&house.place(), 0..players).await?;
    seats.buy_in().await?;
    let echo = Process::start(&std::env::current_exe()?, &["bench", "--echo"], None)?;
    let rival = rival::place(&echo)?;

    eprintln!("Bets, one a message, from {players} terminals; the echo server in turn.");
    let one = LoadPattern::Closed { bets: 1 };
    let mut echoes = None;
    let (mut best, mut best_echo) = (0.0_f64, 0.0_f64);
    for _ in 0..args.times {
        let bets = seats.run(one, args.seconds()).await?;
        best = best.max(bets.rate());
        let echoes = match &mut echoes {
            Some(echoes) => echoes,
            // It answers with as many bytes as the casino.
            None => echoes.insert(TerminalCrowd::connect(&rival.echo(bets.answer_bytes()), 0..players).await?),
        };
        best_echo = best_echo.max(echoes.run(one, args.seconds()).await?.rate());
    }
    figures.push(Figure::new(
        "bets, one a message",
        best,
        "bets/s",
        best / best_echo,
        "the echo server",
        RequiredRatio::AtLeast(0.8),
    ));
    let echoes = echoes.context("nothing was measured")?;
    figures.extend(acknowledged(args, &house, &mut seats, echoes, best / 2.0).await?);

    eprintln!("Bets, a hundred a message.");
    let (mut best, mut best_echo, mut echoes) = (0.0_f64, 0.0_f64, None);
    for _ in 0..args.times {
        let bets = seats.run(LoadPattern::Few { bets: 100 }, args.seconds()).await?;
        best = best.max(bets.rate());
        let echoes = match &mut echoes {
            Some(echoes) => echoes,
            None => echoes
                .insert(TerminalCrowd::connect(&rival.echo(bets.answer_bytes()), 0..players.min(crowd::FEW)).await?),
        };
        best_echo = best_echo.max(echoes.run(LoadPattern::Few { bets: 100 }, args.seconds()).await?.rate());
    }
    drop(echoes);
    figures.push(Figure::new(
        "bets, 100 a message",
        best,
        "bets/s",
        best / 1_000_000.0,
        "1,000,000",
        RequiredRatio::AtLeast(1.0),
    ));
    figures.push(Figure::new("the same", best, "bets/s", best / best_echo, "the echo server", RequiredRatio::None));

    eprintln!("{} terminals are connected.", args.terminals);
    let before = house.resident()?;
    seats.join(&house.place(), players..args.terminals).await?;
    let resident = house.resident()?;
    if args.terminals > players {
        let idle = (resident - before) / f64::from(args.terminals - players) / KILOBYTES;
        figures.push(Figure::new("an idle terminal", idle, "kB", idle / 12.0, "12 kB", RequiredRatio::AtMost(1.0)));
    }
    let resident = resident / MEGABYTES;
    figures.push(Figure::new(
        "memory, all idle",
        resident,
        "MB",
        resident / 300.0,
        "300 MB",
        RequiredRatio::AtMost(1.0),
    ));
    figures.push(results(args, house, staff, seats, &rival).await?);
    drop(echo);
    figures.extend(in_clusters(args, &program, players).await?);
    Ok(figures)
}

/// The processor time of a bet, and the time of a result, where the terminals of a table are shared out among clusters; beside the
/// same in one.
async fn in_clusters(args: &BenchArgs, program: &Path, players: u32) -> anyhow::Result<Vec<Figure>> {
    let (mut figures, mut one) = (Vec::new(), None);
    for clusters in [1, 2, 4, 8].into_iter().filter(|clusters| *clusters <= players) {
        eprintln!("A table with {players} terminals in {clusters} of its clusters.");
        let (micros, millis) = in_so_many(args, program, players, clusters).await?;
        let (first_micros, first_millis) = *one.get_or_insert((micros, millis));
        let names = match clusters {
            2 => ("a bet in 2 clusters", None),
            4 => ("a bet in 4 clusters", Some("close and result to 4")),
            8 => ("a bet in 8 clusters", None),
            _ => continue,
        };
        let ratio = micros / first_micros;
        figures.push(Figure::new(
            names.0,
            micros,
            "µs of processor",
            ratio,
            "that in one cluster",
            RequiredRatio::AtMost(1.3),
        ));
        if let Some(name) = names.1 {
            let ratio = millis / first_millis;
            figures.push(Figure::new(name, millis, "ms", ratio, "that to one cluster", RequiredRatio::AtMost(2.0)));
        }
    }
    Ok(figures)
}

/// The processor time of a bet in microseconds, and from "No more Bets" to the last terminal that shows the result in milliseconds.
async fn in_so_many(args: &BenchArgs, program: &Path, players: u32, clusters: u32) -> anyhow::Result<(f64, f64)> {
    let house = MeasuredCasino::start(program, players, clusters)?;
    let mut staff = house.staff()?;
    staff.open_bets()?;
    let mut seats = TerminalCrowd::connect(&house.place(), 0..players).await?;
    seats.buy_in().await?;
    let (mut micros, mut millis) = (f64::MAX, f64::MAX);
    for _ in 0..args.times {
        let before = house.processor()?;
        let bets = seats.run(LoadPattern::Closed { bets: 1 }, args.seconds()).await?;
        micros = micros.min(house.processor()?.saturating_sub(before).as_secs_f64() * 1_000_000.0 / bets.all());
    }
    for _ in 0..args.times {
        seats.listen().await?;
        let closed = std::time::Instant::now();
        staff.give_result()?;
        staff.commit()?;
        let received = seats.wait_for_dice().await?;
        millis = millis.min(received.last.saturating_duration_since(closed).as_secs_f64() * 1_000.0);
        staff.next_round()?;
    }
    Ok((micros, millis))
}

impl BenchArgs {
    const fn seconds(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// The program that is measured.
    fn program(&self) -> anyhow::Result<PathBuf> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?.with_file_name("taisai"),
        };
        // Casinos are started in folders of their own.
        let found = program.canonicalize();
        found.with_context(|| {
            format!("there is no {}: build it with make lab, or name it with --program", program.display())
        })
    }
}

/// A casino with an empty store, from the start of its process until it says that it is ready.
fn start_to_ready(args: &BenchArgs, program: &Path) -> anyhow::Result<Figure> {
    eprintln!("Casinos are started with empty stores.");
    let mut best = Duration::MAX;
    for _ in 0..args.times.max(3) {
        best = best.min(casino::start_to_ready(program)?);
    }
    let millis = best.as_secs_f64() * 1_000.0;
    Ok(Figure::new("start to ready", millis, "ms", millis / 300.0, "300 ms", RequiredRatio::AtMost(1.0)))
}

/// How long an answer takes at half the peak, beside a flush of as many bytes as the casino flushes then, and beside the answers of
/// the echo server at the same load.
async fn acknowledged(
    args: &BenchArgs,
    house: &MeasuredCasino,
    seats: &mut TerminalCrowd,
    mut echoes: TerminalCrowd,
    rate: f64,
) -> anyhow::Result<[Figure; 2]> {
    eprintln!("Half of that load, and flushes of as many bytes; the echo server in turn.");
    let [mut best, mut best_flush, mut best_echo] = [Duration::MAX; 3];
    let half = LoadPattern::Paced { bets_a_second: rate };
    for _ in 0..args.times {
        let before = house.written()?;
        let mut answered = seats.run(half, args.seconds()).await?;
        let bytes = house.written()?.bytes_a_flush_since(&before);
        let (p99, flush) = (answered.p99(), figure::p99(&mut flush::time_flushes(house.folder(), bytes, 2_000)?));
        let (placed, echo) = (answered.rate(), echoes.run(half, args.seconds()).await?.p99());
        eprintln!(
            "  p99 {p99:?}, of a flush of {bytes} bytes {flush:?}, of an echo {echo:?}; {placed:.0} of {rate:.0} bets/s were placed"
        );
        (best, best_flush, best_echo) = (best.min(p99), best_flush.min(flush), best_echo.min(echo));
    }
    let (millis, ratio) = (best.as_secs_f64() * 1_000.0, |rival: Duration| best.as_secs_f64() / rival.as_secs_f64());
    Ok([
        Figure::new(
            "answer, p99, half load",
            millis,
            "ms",
            ratio(best_flush),
            "p99 of a flush",
            RequiredRatio::AtMost(10.0),
        ),
        Figure::new("the same", millis, "ms", ratio(best_echo), "p99 of an echo", RequiredRatio::AtMost(1.3)),
    ])
}

/// From the Dealer's commit until the last terminal shows the result, beside a bare broadcast of the same bytes.
async fn results(
    args: &BenchArgs,
    house: MeasuredCasino,
    mut staff: staff::Staff,
    mut seats: TerminalCrowd,
    rival: &rival::RivalAddress,
) -> anyhow::Result<Figure> {
    eprintln!("Results to {} terminals; then the same bytes from the echo server.", args.terminals);
    let (mut best, mut message) = (Duration::MAX, String::new());
    for _ in 0..args.times {
        staff.give_result()?;
        // The dice lie still for longer before they are called: what was shown until then has arrived.
        tokio::time::sleep(LIE_STILL).await;
        seats.listen().await?;
        let committed = staff.commit()?;
        let received = seats.wait_for_dice().await?;
        best = best.min(received.last.saturating_duration_since(committed));
        message = received.message;
        staff.next_round()?;
    }
    drop((seats, staff, house));
    let mut followers = TerminalCrowd::connect(&rival.everyone(), 0..args.terminals).await?;
    let mut bare = Duration::MAX;
    for _ in 0..args.times {
        followers.listen().await?;
        let sent = rival.publish(&message).await?;
        let received = followers.wait_for_dice().await.context("the echo server's broadcast")?;
        bare = bare.min(received.last.saturating_duration_since(sent));
    }
    let (millis, bare) = (best.as_secs_f64() * 1_000.0, bare.as_secs_f64() * 1_000.0);
    Ok(Figure::new("result to the last", millis, "ms", millis / bare, "a bare broadcast", RequiredRatio::AtMost(2.0)))
}

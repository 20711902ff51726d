//! How soon the casino notices that a terminal is gone, and how soon a revoked device is cut off.

use std::path::Path;
use std::time::{Duration, Instant};

use super::BenchArgs;
use super::casino::MeasuredCasino;
use super::figure::{Figure, RequiredRatio};
use super::staff::Staff;
use super::terminal::LoadTerminal;

/// Both are promised as the worst, so the slowest of all times counts.
pub(super) async fn measure(args: &BenchArgs, program: &Path) -> anyhow::Result<[Figure; 2]> {
    eprintln!("Terminals fall silent, and are revoked.");
    let times = args.times.max(3);
    let house = MeasuredCasino::start(program, 2 * times, 1)?;
    let mut staff = house.staff()?;
    let [mut lost, mut cut] = [Duration::ZERO; 2];
    for place in 0..times {
        lost = lost.max(fall_silent(&house, &staff, place).await?);
        cut = cut.max(revoke(&house, &mut staff, times + place).await?);
    }
    let figure = |name, took: Duration, bound: f64, of| {
        let seconds = took.as_secs_f64();
        Figure::new(name, seconds, "s", seconds / bound, of, RequiredRatio::AtMost(1.0))
    };
    Ok([figure("a silent terminal is lost", lost, 2.0, "2 s"), figure("a revoked one is cut off", cut, 5.0, "5 s")])
}

/// From the last message that a terminal reads until the casino says that it is lost. Its connection stays open.
async fn fall_silent(house: &MeasuredCasino, staff: &Staff, place: u32) -> anyhow::Result<Duration> {
    let terminal = LoadTerminal::connect(&house.place(), place).await?;
    let silent = Instant::now();
    while !staff.has_lost(terminal.seat())? {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(silent.elapsed())
}

/// From the revocation of a device until its connection ends.
async fn revoke(house: &MeasuredCasino, staff: &mut Staff, place: u32) -> anyhow::Result<Duration> {
    let mut terminal = LoadTerminal::connect(&house.place(), place).await?;
    let revoked = Instant::now();
    staff.revoke(house.device(place)?)?;
    terminal.ended().await;
    Ok(revoked.elapsed())
}

//! Figures of the simulator: how many commands a second and a round, and how long it takes over a year of one table. The
//! slowest game counts.

use std::time::Instant;

use taisai_lab::Figure;

const GAMES: [&str; 4] = ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"];
const ROUNDS: u32 = 10_000;
/// The rounds of a table-year: one a minute.
const YEAR: f64 = 525_600.0;

pub(crate) fn figures() -> anyhow::Result<[Figure; 3]> {
    let [mut rate, mut a_round, mut minutes] = [f64::MAX, f64::MAX, 0.0];
    for game in GAMES {
        let start = Instant::now();
        let commands = f64::from(u32::try_from(taisai_lab::torture::commands(game, ROUNDS.into())?)?);
        let seconds = start.elapsed().as_secs_f64();
        rate = f64::min(rate, commands / seconds / 1e3);
        a_round = f64::min(a_round, commands / f64::from(ROUNDS));
        minutes = f64::max(minutes, seconds / f64::from(ROUNDS) * YEAR / 60.0);
    }
    Ok([
        Figure::measured("torture", rate, "k commands/s", 5.0 / minutes, "a table-year in 5 minutes (at least 1)"),
        Figure::measured("torture-round", a_round, "commands", a_round / 30.0, "30 commands a round (at least 1)"),
        Figure::measured("torture-year", minutes, "minutes", minutes / 5.0, "5 minutes (at most 1)"),
    ])
}

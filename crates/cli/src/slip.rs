//! `taisai slip`: analyses a slip of bets: its distribution, its risk of ruin, and which bets contradict each other.

mod draw;

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;
use taisai_analysis::{
    BetPair, BoxFigures, Distribution, PlayerSlip, Relation, Ruin, Spread, decimals, percent, real, root_decimals,
    scientific, shown_chance,
};
use taisai_rules::{BetBox, Fraction, Game, Games, Language, Layout, Moment, Money};

use crate::args::TableArgs;
use crate::figures::cents;
use crate::output_file::OutputFile;
use crate::print::{self, BAD, Column, GOOD, QUIET};

#[derive(clap::Args)]
pub(crate) struct SlipArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Bets, like big=100 or sum:9=2.50, in dollars and cents
    #[arg(required = true, value_name = "BOX=STAKE", value_parser = bet)]
    bets: Vec<(BetBox, Money)>,
    /// Also over this many rounds of the same slip
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(taisai_analysis::MAX_ROUNDS)))]
    rounds: Option<u32>,
    /// Risk that this bankroll no longer covers the slip
    #[arg(long, value_name = "AMOUNT", value_parser = amount, requires = "rounds")]
    bankroll: Option<Money>,
    /// Write the distribution as SVG to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Parses a bet like big=100.
pub(crate) fn bet(text: &str) -> Result<(BetBox, Money), String> {
    let (bet_box, stake) = text.split_once('=').ok_or("a bet is written like big=100")?;
    Ok((bet_box.parse().map_err(|error| format!("{bet_box}: {error}"))?, amount(stake)?))
}

pub(crate) fn amount(text: &str) -> Result<Money, String> {
    taisai_script::parse_amount(text).ok_or_else(|| format!("{text}: an amount is written like 100 or 2.50"))
}

pub(crate) fn run(args: &SlipArgs, games: &Games, now: Moment) -> anyhow::Result<bool> {
    let (game, layout) = args.table.find(games, now)?;
    let slip = PlayerSlip::new(layout, args.bets.iter().copied())?;
    let spread = slip.spread();
    let output = args.svg.as_deref().map(OutputFile::new).transpose()?;
    let many = args.rounds.map(|rounds| spread.after(rounds)).transpose()?;
    let ruin = match (args.bankroll, args.rounds) {
        (Some(bankroll), Some(rounds)) => Some(slip.ruin(bankroll, rounds)?),
        (Some(_), None) => bail!("--bankroll needs --rounds"),
        (None, _) => None,
    };
    if let Some(output) = output {
        output.write(draw::distribution(&slip, many.as_ref()))?;
    }
    if args.json {
        let answer = SlipJson::new(&slip, many.as_ref(), ruin.as_ref());
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&answer)?)?;
        return Ok(true);
    }
    let mut out = anstream::stdout().lock();
    one_round(&mut out, (game, layout), &slip, &spread)?;
    pairs(&mut out, &slip)?;
    if let Some(many) = &many {
        many_rounds(&mut out, many)?;
    }
    if let (Some(ruin), Some(bankroll), Some(rounds)) = (&ruin, args.bankroll, args.rounds) {
        ruins(&mut out, ruin, bankroll, rounds)?;
    }
    Ok(true)
}

/// Cents as dollars and cents, rounded where they are broken.
fn dollars(cents: Fraction) -> String {
    decimals(Fraction::new(cents.numerator(), cents.denominator() * 100), 4)
}

fn one_round(
    out: &mut impl Write,
    (game, layout): (&Game, &Layout),
    slip: &PlayerSlip,
    spread: &Spread,
) -> anyhow::Result<()> {
    print::heading(out, &format!("{} · layout {} · the slip", game.approved(), layout.id()))?;
    let rows = slip.bets().iter().filter_map(|(bet_box, stake)| {
        let figures = BoxFigures::of(layout, *bet_box)?;
        let pays: Vec<_> = figures.wins.iter().map(|win| win.pays.fraction().to_string()).collect();
        let label = game.label(*bet_box, Language::English);
        let edge = percent(figures.edge, 3);
        Some(vec![bet_box.to_string(), label, stake.to_string(), pays.join(", "), figures.ways.to_string(), edge])
    });
    let columns = [
        Column::left("Box"),
        Column::left("Bet"),
        Column::right("Stake"),
        Column::right("Pays to 1"),
        Column::right("Ways of 216"),
        Column::right("Edge"),
    ];
    print::table(out, &columns, &rows.collect::<Vec<_>>())?;
    let ([won, even, lost], staked, mean) = (spread.ways(), slip.staked(), spread.mean());
    let edge = Fraction::new(-mean.numerator(), mean.denominator() * i128::from(staked.cents()));
    let variance = spread.variance();
    let variance = Fraction::new(variance.numerator(), variance.denominator() * 10_000);
    print::heading(out, "In one round")?;
    let share = |ways: u8| percent(Fraction::new(ways.into(), 216), 2);
    writeln!(out, "  staked {staked}, expected {} (edge {edge}, {})", dollars(mean), percent(edge, 3))?;
    writeln!(out, "  standard deviation {}", root_decimals(variance, 2))?;
    writeln!(out, "  ahead {won} of 216 ({}), even {even}, behind {lost} ({})\n", share(won), share(lost))?;
    let chance = |ways: u8| real(Fraction::new(ways.into(), 216));
    draw::bars(out, spread.results().iter().map(|(net, ways)| (net.to_string(), chance(*ways))))?;
    Ok(())
}

/// Prints bets that contradict each other.
fn pairs(out: &mut impl Write, slip: &PlayerSlip) -> anyhow::Result<()> {
    let lines: Vec<_> = slip.pairs().iter().filter_map(pair_line).collect();
    if lines.is_empty() {
        return Ok(());
    }
    print::heading(out, "Bets that contradict, hedge or go together")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn pair_line(pair: &BetPair) -> Option<String> {
    let BetPair { first, second, both_win, both_lose, .. } = pair;
    let cost = if pair.is_pure_cost() { format!("; {BAD}together they can never win{BAD:#}") } else { String::new() };
    Some(match pair.relation {
        Relation::Contradict => {
            format!(
                "{BAD}contradict{BAD:#}  {first} and {second} never win together; both lose on {both_lose} of 216{cost}"
            )
        }
        Relation::Hedge => {
            format!("{GOOD}hedge{GOOD:#}       {first} and {second} win together on only {both_win} of 216{cost}")
        }
        Relation::FirstImpliesSecond => format!("within      where {first} wins, {second} wins too{cost}"),
        Relation::SecondImpliesFirst => format!("within      where {second} wins, {first} wins too{cost}"),
        Relation::Same => format!("same        {first} and {second} win on the same throws{cost}"),
        Relation::Independent => return None,
    })
}

fn many_rounds(out: &mut impl Write, many: &Distribution) -> anyhow::Result<()> {
    let variance = many.variance();
    let variance = Fraction::new(variance.numerator(), variance.denominator() * 10_000);
    print::heading(out, &format!("After {} of the same", print::counted(many.rounds().into(), ("round", "rounds"))))?;
    writeln!(out, "  expected {}, standard deviation {}", dollars(many.mean()), root_decimals(variance, 2))?;
    let (ahead, behind) = (many.chance_above(Money::ZERO), many.chance_below(Money::ZERO));
    writeln!(out, "  ahead {}, behind {}", shown_chance(ahead, many.error()), shown_chance(behind, many.error()))?;
    let at = [0.01, 0.05, 0.5, 0.95, 0.99].map(|chance| cents(many.quantile(chance)));
    let [one, five, half, ninety_five, ninety_nine] = at;
    writeln!(out, "  1 % end below {one}, 5 % below {five}, half below {half}")?;
    writeln!(out, "  5 % end above {ninety_five}, 1 % above {ninety_nine}")?;
    writeln!(out, "  {QUIET}every chance is within {} of the exact one{QUIET:#}\n", scientific(many.error()))?;
    draw::bars(
        out,
        many.bars(21)
            .into_iter()
            .map(|(from, chance)| (format!("from {}", taisai_analysis::thousands(draw::hundredth(from))), chance)),
    )?;
    Ok(())
}

fn ruins(out: &mut impl Write, ruin: &Ruin, bankroll: Money, rounds: u32) -> anyhow::Result<()> {
    print::heading(out, &format!("Risk of ruin with {bankroll}"))?;
    let steps = (1..=10).map(|tenth| (u64::from(rounds) * tenth).div_ceil(10));
    let steps = steps.filter_map(|round| u32::try_from(round).ok()).filter(|round| *round > 0);
    draw::bars(out, steps.map(|round| (format!("within {round}"), ruin.within(round))))?;
    writeln!(
        out,
        "\n  {QUIET}each within {} of itself{QUIET:#}",
        scientific(ruin.relative_error().max(f64::MIN_POSITIVE))
    )?;
    Ok(())
}

/// Amounts are cents; fractions are exact.
#[derive(Serialize)]
struct SlipJson {
    staked: i64,
    mean: String,
    variance: String,
    results: Vec<(i64, u8)>,
    pairs: Vec<PairJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<ManyRoundsJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ruin: Option<f64>,
}

#[derive(Serialize)]
struct PairJson {
    first: &'static str,
    second: &'static str,
    relation: &'static str,
    both_win: u8,
    both_lose: u8,
    covariance: String,
}

#[derive(Serialize)]
struct ManyRoundsJson {
    rounds: u32,
    mean: String,
    variance: String,
    ahead: f64,
    behind: f64,
    error: f64,
    /// Percentiles 1, 5, 25, 50, 75, 95 and 99, in cents.
    percentiles: Vec<i128>,
}

impl SlipJson {
    fn new(slip: &PlayerSlip, many: Option<&Distribution>, ruin: Option<&Ruin>) -> Self {
        let spread = slip.spread();
        let pair = |pair: BetPair| PairJson {
            first: pair.first.text(),
            second: pair.second.text(),
            relation: match pair.relation {
                Relation::Contradict => "contradict",
                Relation::Hedge => "hedge",
                Relation::FirstImpliesSecond => "first-implies-second",
                Relation::SecondImpliesFirst => "second-implies-first",
                Relation::Same => "same",
                Relation::Independent => "independent",
            },
            both_win: pair.both_win,
            both_lose: pair.both_lose,
            covariance: pair.covariance.to_string(),
        };
        Self {
            staked: slip.staked().cents(),
            mean: spread.mean().to_string(),
            variance: spread.variance().to_string(),
            results: spread.results().iter().map(|(net, ways)| (net.cents(), *ways)).collect(),
            pairs: slip.pairs().into_iter().map(pair).collect(),
            rounds: many.map(|many| ManyRoundsJson {
                rounds: many.rounds(),
                mean: many.mean().to_string(),
                variance: many.variance().to_string(),
                ahead: many.chance_above(Money::ZERO),
                behind: many.chance_below(Money::ZERO),
                error: many.error(),
                percentiles: [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99].map(|chance| many.quantile(chance)).to_vec(),
            }),
            ruin: ruin.map(|ruin| ruin.within(u32::MAX)),
        }
    }
}

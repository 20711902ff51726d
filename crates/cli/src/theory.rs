//! `taisai report theory`: what the House won at each table, or by dealer, shift or day, beside what it should have won on the
//! stakes that were made. The reporting tables give the stakes; the analysis reckons.

#![expect(clippy::float_arithmetic, reason = "figures that are shown")]

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::Context as _;
use serde::Serialize;
use taisai_analysis::{Confidence, Theory, count, decimals, percent, real};
use taisai_record::Address;
use taisai_record::projection::{Answer, Projection, Value};
use taisai_rules::{BetBox, Fraction, Games, Layout, Money};

use crate::figures::{cents, deviations, near, rounded};
use crate::print::{self, Column, QUIET};

/// Which rounds are gathered.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// Each table
    Table,
    /// Each dealer
    Dealer,
    /// Each shift of each gaming day
    Shift,
    /// Each gaming day
    Day,
}

/// Which store, and how it is gathered.
#[derive(clap::Args)]
pub(crate) struct TheoryArgs {
    /// A data folder, or postgres://…
    #[arg(value_name = "STORE")]
    address: Address,
    /// What is gathered into one line
    #[arg(long, value_enum, default_value = "table")]
    by: By,
    /// Tables that play for training too
    #[arg(long)]
    training: bool,
    /// Print for programs
    #[arg(long)]
    json: bool,
    /// Print for spreadsheets
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

const WAGERS: &str =
    "SELECT w.table_number, w.round, r.gaming_day, r.shift, r.dealer, coalesce(p.name, '') AS name, r.opened_at, w.box,
       CAST(sum(w.counted) AS BIGINT) AS counted, CAST(sum(w.paid) AS BIGINT) AS paid, count(*) AS wagers
FROM wagers w JOIN rounds r ON r.table_number = w.table_number AND r.round = w.round
     LEFT JOIN people p ON p.person = r.dealer
WHERE w.outcome <> 'void' AND w.counted > 0
GROUP BY w.table_number, w.round, r.gaming_day, r.shift, r.dealer, p.name, r.opened_at, w.box
ORDER BY w.table_number, w.round, w.box";

const TABLES: &str = "SELECT table_number, game, game_version, layout, is_training FROM tables ORDER BY table_number";

/// Drop as the query `win` has it: cash and vouchers that came in at a table.
const DROP: &str = "SELECT table_number, gaming_day,
       CAST(sum(CASE WHEN account = 'cash' OR (account = 'transit' AND kind = 'credits-received') THEN -amount ELSE 0 END) AS BIGINT)
           AS taken_in
FROM ledger_entries WHERE chain <> 'house' GROUP BY table_number, gaming_day";

/// What is gathered under one name.
#[derive(Default)]
struct Group {
    theory: Theory,
    drop: Option<i64>,
    first: i64,
    last: i64,
}

pub(crate) fn run(args: &TheoryArgs, games: &Games) -> anyhow::Result<bool> {
    let mut projection = Projection::open(&args.address)?;
    let layouts = layouts(&projection.query(TABLES, &[])?, games, args.training)?;
    let mut groups = gather(&projection.query(WAGERS, &[])?, &layouts, args.by)?;
    if matches!(args.by, By::Table | By::Day) {
        drops(&projection.query(DROP, &[])?, &layouts, args.by, &mut groups)?;
    }
    let lines = groups.iter().map(|(name, group)| Line::new(name, group));
    if args.json {
        print::json_array(lines)?;
    } else if args.csv {
        csv(lines)?;
    } else {
        told(&lines.collect::<Vec<_>>(), args.by)?;
    }
    Ok(true)
}

fn number(value: &Value) -> anyhow::Result<i64> {
    value.number().context("the reporting tables have something else where a number should be: build them again")
}

fn text(value: &Value) -> anyhow::Result<&str> {
    value.text().context("the reporting tables have something else where text should be: build them again")
}

fn layouts<'g>(tables: &Answer, games: &'g Games, training: bool) -> anyhow::Result<BTreeMap<i64, &'g Layout>> {
    let mut layouts = BTreeMap::new();
    for row in &tables.rows {
        let game = games.find(&format!("{}@{}", text(&row[1])?, number(&row[2])?), None)?;
        if training || number(&row[4])? == 0 {
            layouts.insert(number(&row[0])?, game.layout(text(&row[3])?)?);
        }
    }
    Ok(layouts)
}

/// Rounds one after the other: their rows stand together.
fn gather(wagers: &Answer, layouts: &BTreeMap<i64, &Layout>, by: By) -> anyhow::Result<BTreeMap<String, Group>> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for rows in wagers.rows.chunk_by(|a, b| a[..2] == b[..2]) {
        let first = &rows[0];
        let Some(layout) = layouts.get(&number(&first[0])?) else { continue };
        let name = match by {
            By::Table => format!("table {}", number(&first[0])?),
            By::Dealer => match first[4].number() {
                Some(dealer) => format!("{dealer} {}", text(&first[5])?).trim_end().to_owned(),
                None => "nobody".to_owned(),
            },
            By::Shift => format!("{} {}", text(&first[2])?, text(&first[3])?),
            By::Day => text(&first[2])?.to_owned(),
        };
        let (mut stakes, mut win, mut wagers) = (Vec::new(), 0i64, 0);
        for row in rows {
            let bet_box: BetBox = text(&row[7])?.parse()?;
            let (counted, paid) = (number(&row[8])?, number(&row[9])?);
            stakes.push((bet_box, Money::from_cents(counted)));
            win = win.checked_add(counted).and_then(|win| win.checked_sub(paid)).context("a win that is too large")?;
            wagers += u64::try_from(number(&row[10])?)?;
        }
        let opened = number(&first[6])?;
        let group = groups.entry(name).or_insert_with(|| Group {
            theory: Theory::new(),
            drop: None,
            first: opened,
            last: opened,
        });
        (group.first, group.last) = (group.first.min(opened), group.last.max(opened));
        let round = || format!("table {}, round {}", first[0].number().unwrap_or(0), first[1].number().unwrap_or(0));
        group.theory.take(layout, stakes, wagers, Money::from_cents(win)).with_context(round)?;
    }
    Ok(groups)
}

fn drops(
    answer: &Answer,
    layouts: &BTreeMap<i64, &Layout>,
    by: By,
    groups: &mut BTreeMap<String, Group>,
) -> anyhow::Result<()> {
    for row in &answer.rows {
        let Some(table) = row[0].number().filter(|table| layouts.contains_key(table)) else { continue };
        let name = if by == By::Day { text(&row[1])?.to_owned() } else { format!("table {table}") };
        if let Some(group) = groups.get_mut(&name) {
            *group.drop.get_or_insert(0) += number(&row[2])?;
        }
    }
    Ok(())
}

/// A line for programs. Amounts are cents.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    rounds: u64,
    rounds_an_hour: Option<f64>,
    handle: i128,
    average_bet: Option<f64>,
    drop: Option<i64>,
    win: i128,
    hold_percent: Option<f64>,
    theoretical_win: f64,
    theoretical_win_exact: String,
    edge: Option<f64>,
    edge_exact: Option<String>,
    band_low: f64,
    band_high: f64,
    band_is_exact: bool,
    deviations: f64,
    #[serde(skip)]
    fractions: (Fraction, Option<Fraction>),
}

impl<'a> Line<'a> {
    fn new(name: &'a str, group: &Group) -> Self {
        let Group { theory, drop, first, last } = group;
        let band = theory.band(Confidence::NinetyFive);
        let hours = real(Fraction::new(i128::from(last - first), 3_600_000));
        let hold = drop.filter(|drop| *drop > 0).map(|drop| real(Fraction::new(theory.win() * 100, drop.into())));
        Self {
            name,
            rounds: theory.rounds(),
            rounds_an_hour: (hours > 0.0).then(|| count(theory.rounds() - 1) / hours),
            handle: theory.handle(),
            average_bet: theory.average_bet().map(real),
            drop: *drop,
            win: theory.win(),
            hold_percent: hold,
            theoretical_win: real(theory.theoretical_win()),
            theoretical_win_exact: theory.theoretical_win().to_string(),
            edge: theory.edge().map(real),
            edge_exact: theory.edge().map(|edge| edge.to_string()),
            band_low: band.low,
            band_high: band.high,
            band_is_exact: band.is_exact,
            deviations: theory.deviations(),
            fractions: (theory.theoretical_win(), theory.edge()),
        }
    }
}

fn told(lines: &[Line], by: By) -> anyhow::Result<()> {
    let none = || "–".to_owned();
    let rows = lines.iter().map(|line| {
        let (theoretical, edge) = line.fractions;
        vec![
            line.name.to_owned(),
            line.rounds.to_string(),
            line.rounds_an_hour.map_or_else(none, |rate| format!("{rate:.1}")),
            cents(line.handle),
            line.average_bet.map_or_else(none, near),
            line.drop.map_or_else(none, |drop| cents(drop.into())),
            cents(line.win),
            line.hold_percent.map_or_else(none, |hold| format!("{} %", rounded(hold, 2))),
            near(real(theoretical)),
            edge.map_or_else(none, |edge| percent(edge, 3)),
            format!("{} … {}{}", near(line.band_low), near(line.band_high), if line.band_is_exact { "" } else { " ~" }),
            deviations(line.deviations),
        ]
    });
    let first = match by {
        By::Table => "Table",
        By::Dealer => "Dealer",
        By::Shift => "Shift",
        By::Day => "Day",
    };
    let columns = [
        Column::left(first),
        Column::right("Rounds"),
        Column::right("an hour"),
        Column::right("Handle"),
        Column::right("Average bet"),
        Column::right("Drop"),
        Column::right("Win"),
        Column::right("Hold"),
        Column::right("Theoretical"),
        Column::right("Edge"),
        Column::right("95 % by luck"),
        Column::right("Deviations"),
    ];
    let mut out = anstream::stdout().lock();
    print::table(&mut out, &columns, &rows.collect::<Vec<_>>())?;
    writeln!(out, "\n  {QUIET}with ~ a band is normal: more than 2,000 rounds, or too many different ones{QUIET:#}")?;
    Ok(())
}

fn csv<'a>(lines: impl Iterator<Item = Line<'a>>) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    write!(
        out,
        "name,rounds,rounds_an_hour,handle,average_bet,drop,win,hold_percent,theoretical_win,theoretical_win_exact,edge,\
         edge_exact,band_low,band_high,band_is_exact,deviations\r\n"
    )?;
    for line in lines {
        // What is not known is empty, not zero.
        let two = |number: Option<f64>| number.map_or(String::new(), |number| rounded(number, 2));
        let (theoretical, edge) = line.fractions;
        write!(
            out,
            "\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n",
            line.name.replace('"', "\"\""),
            line.rounds,
            two(line.rounds_an_hour),
            line.handle,
            two(line.average_bet),
            line.drop.map_or(String::new(), |drop| drop.to_string()),
            line.win,
            two(line.hold_percent),
            decimals(theoretical, 2),
            line.theoretical_win_exact,
            edge.map_or(String::new(), |edge| decimals(edge, 6)),
            line.edge_exact.unwrap_or_default(),
            rounded(line.band_low, 0),
            rounded(line.band_high, 0),
            u8::from(line.band_is_exact),
            rounded(line.deviations, 4),
        )?;
    }
    out.flush()
}

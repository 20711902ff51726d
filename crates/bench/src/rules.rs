//! Figures of the rules: settling resolved wagers, settling JSON lines, exact odds.

use std::fmt::Write as _;
use std::hint::black_box;

use serde::{Deserialize, Serialize};
use taisai_rules::{Bet, BetBox, BoxLimit, Dice, Game, Games, Layout, Limits, Money, Settlement, Unit};

use taisai_lab::{Figure, Random};

use crate::race;

/// Resolved wagers to payouts, beside a bare look-up in a table of factors.
pub(crate) fn settle_wagers() -> Figure {
    const WAGERS: usize = 1 << 16;
    let layout = layout("sic-bo-etg@2", "B");
    let unit = Unit::try_from(Money::from_cents(100)).expect("a unit");
    let throws: Vec<Dice> = Dice::all().collect();
    let payouts: Vec<_> = throws.iter().map(|dice| layout.payouts(*dice, unit).expect("whole payouts")).collect();
    let mut numbers = Random::new(1);
    let boxes: Vec<(BetBox, i64)> = (0..WAGERS)
        .map(|_| {
            let bet_box = layout.boxes()[usize::try_from(numbers.below(104)).expect("small")];
            (bet_box, i64::try_from(1 + numbers.below(1_000)).expect("small"))
        })
        .collect();
    let bare_wagers: Vec<(u8, i64)> =
        boxes.iter().map(|(b, units)| (u8::try_from(b.index()).expect("small"), *units)).collect();
    let bare: Vec<[i64; 256]> = payouts
        .iter()
        .map(|payouts| {
            let mut factors = [0; 256];
            for bet_box in layout.boxes() {
                factors[bet_box.index()] = payouts.paid(*bet_box, 1).expect("small").cents();
            }
            factors
        })
        .collect();
    let (mut paid, mut bare_paid) = (vec![Money::ZERO; WAGERS], vec![0i64; WAGERS]);
    let mut throw = 0;
    let mut bare_throw = 0;
    let (ours, rival) = race(
        10_000,
        || {
            let payouts = black_box(&payouts[throw % 216]);
            throw += 1;
            for ((bet_box, units), paid) in boxes.iter().zip(&mut paid) {
                *paid = payouts.paid(*bet_box, *units).expect("stakes of a table fit in 64 bits");
            }
            black_box(&mut paid);
        },
        || {
            let factors = black_box(&bare[bare_throw % 216]);
            bare_throw += 1;
            for ((bet_box, units), paid) in bare_wagers.iter().zip(&mut bare_paid) {
                *paid = factors[usize::from(*bet_box)].wrapping_mul(*units);
            }
            black_box(&mut bare_paid);
        },
    );
    assert!(paid.iter().map(|money| money.cents()).eq(bare_paid.iter().copied()), "both settle the same");
    let millions = 65_536.0 / ours.as_secs_f64() / 1e6;
    Figure::measured(
        "settle-wagers",
        millions,
        "M wagers/s",
        rival.as_secs_f64() / ours.as_secs_f64(),
        "a bare table look-up (at least 0.6)",
    )
}

/// What the rival of `taisai settle` reads: the same input, nothing checked.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only parsed where the rival is timed")]
struct JsonSlip<'a> {
    game: &'a str,
    layout: &'a str,
    dice: [u8; 3],
    #[serde(borrow)]
    limits: Option<SlipLimits<'a>>,
    #[serde(borrow)]
    bets: Vec<SlipBet<'a>>,
}

#[derive(Deserialize)]
struct SlipBet<'a> {
    player: &'a str,
    r#box: &'a str,
    amount: i64,
}

#[derive(Deserialize)]
struct SlipLimits<'a> {
    unit: i64,
    #[serde(borrow)]
    boxes: std::collections::BTreeMap<&'a str, SlipBoxLimit>,
    differential: Option<i64>,
}

#[derive(Deserialize)]
struct SlipBoxLimit {
    min: Option<i64>,
    max: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct SettleAnswer {
    lines: Vec<AnswerLine>,
    house: AnswerHouse,
}

#[derive(Serialize, Deserialize)]
struct AnswerLine {
    player: String,
    r#box: String,
    stake: i64,
    counted: i64,
    returned: i64,
    outcome: String,
    odds: Option<String>,
    profit: i64,
    paid: i64,
    paragraphs: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct AnswerHouse {
    collected: i64,
    paid_out: i64,
    net: i64,
}

/// `taisai settle` on JSON lines of ten bets, half of them over their limits, beside two loops that only parse the same
/// input into borrowed structs and write the same answers: one serialises them, the other has the program's own writer.
pub(crate) fn settle_lines() -> anyhow::Result<[Figure; 2]> {
    const LINES: u32 = 100_000;
    let input = slips(LINES);
    let games = Games::embedded();
    let layout = layout("tai-sai@6", "C");
    let settled: Vec<_> = input.lines().map(settled).collect::<Result<_, _>>()?;
    let mut answers = Vec::new();
    anyhow::ensure!(taisai::settle::run(games, None, input.as_bytes(), &mut answers)?, "a slip was refused");
    let answers = std::str::from_utf8(&answers)?.lines().map(serde_json::from_str);
    let answers = answers.collect::<Result<Vec<SettleAnswer>, _>>()?;
    let over = answers.iter().filter(|answer| answer.lines.iter().any(|line| line.returned > 0)).count();
    println!("settle-lines: {over} of {LINES} lines are over their limits");
    let ours = || {
        let well = taisai::settle::run(games, None, black_box(input.as_bytes()), std::io::sink());
        assert!(well.is_ok_and(|well| well));
    };
    let rival = |write: &dyn Fn(usize, &mut Vec<u8>)| {
        let mut out = Vec::with_capacity(1 << 17);
        for (place, line) in black_box(&input).lines().enumerate() {
            black_box(serde_json::from_str::<JsonSlip>(line).expect("our own slip"));
            write(place, &mut out);
            out.push(b'\n');
            if out.len() >= 1 << 16 {
                black_box(&mut out).clear();
            }
        }
    };
    let serialised = |place: usize, out: &mut Vec<u8>| serde_json::to_writer(out, &answers[place]).expect("a Vec");
    let written = |place: usize, out: &mut Vec<u8>| taisai::settle::write_settlement(out, layout, &settled[place]);
    let figure = |name, of, rival: &dyn Fn()| {
        let (ours, rival) = race(7, ours, rival);
        let value = f64::from(LINES) / ours.as_secs_f64() / 1e3;
        Figure::measured(name, value, "k lines/s", rival.as_secs_f64() / ours.as_secs_f64(), of)
    };
    Ok([
        figure("settle-lines", "parsing and serialising alone (at least 0.7)", &|| rival(&serialised)),
        figure("settle-lines-writer", "parsing and our own writer alone (no promise)", &|| rival(&written)),
    ])
}

/// The settlement of a line, for the rival to write.
fn settled(line: &str) -> anyhow::Result<Settlement<&str>> {
    let slip: JsonSlip = serde_json::from_str(line)?;
    let layout = layout("tai-sai@6", "C");
    let limits = match &slip.limits {
        None => Limits::none(),
        Some(limits) => {
            let cents = |amount: Option<i64>| amount.map(Money::from_cents);
            let boxes = limits
                .boxes
                .iter()
                .map(|(key, limit)| Ok((key.parse()?, BoxLimit { min: cents(limit.min), max: cents(limit.max) })));
            let boxes = boxes.collect::<anyhow::Result<Vec<_>>>()?;
            Limits::new(layout, Money::from_cents(limits.unit), &boxes, cents(limits.differential))?
        }
    };
    let bets = slip
        .bets
        .iter()
        .map(|bet| Ok(Bet { player: bet.player, bet_box: bet.r#box.parse()?, amount: Money::from_cents(bet.amount) }));
    Ok(layout.settle(&limits, Dice::try_from(slip.dice)?, bets.collect::<anyhow::Result<Vec<_>>>()?)?)
}

fn slips(lines: u32) -> String {
    let boxes = layout("tai-sai@6", "C").boxes();
    let mut numbers = Random::new(2);
    let mut text = String::new();
    for line in 0..lines {
        let mut face = || 1 + numbers.below(6);
        write!(text, r#"{{"game":"tai-sai","layout":"C","dice":[{},{},{}],"#, face(), face(), face()).expect("a text");
        if line % 2 == 0 {
            text.push_str(
                r#""limits":{"unit":100,"boxes":{"big":{"min":2500,"max":50000},"small":{"min":2500,"max":50000},"#,
            );
            text.push_str(r#""sum":{"min":500,"max":10000}},"differential":20000},"#);
        }
        text.push_str(r#""bets":["#);
        for bet in 0..10 {
            // Even lines put six players on Big, over its maximum and its Differential.
            let bet_box = match (line % 2, bet) {
                (0, 0..6) => BetBox::BIG,
                _ => boxes[usize::try_from(numbers.below(104)).expect("small")],
            };
            let (amount, comma) = (100 * (100 + numbers.below(400)), if bet == 0 { "" } else { "," });
            write!(text, r#"{comma}{{"player":"p{bet}","box":"{bet_box}","amount":{amount}}}"#).expect("a text");
        }
        text.push_str("]}\n");
    }
    text
}

pub(crate) fn layout(game: &str, layout: &str) -> &'static Layout {
    let game = Games::embedded().find(game, None).expect("an embedded game");
    game.layout(layout).expect("one of its layouts")
}

/// The exact chances of every box of all ten pay tables.
pub(crate) fn all_odds() -> Figure {
    let odds = || {
        for layout in Games::embedded().iter().flat_map(Game::layouts) {
            for bet_box in layout.boxes() {
                black_box(layout.chances(*bet_box));
            }
        }
    };
    let (ours, _) = race(50, odds, || {});
    let milliseconds = ours.as_secs_f64() * 1e3;
    Figure::measured("odds-all-ten", milliseconds, "ms", milliseconds / 2.0, "2 ms (at most 1)")
}

//! Parses players and limits from arguments.

use anyhow::{Context as _, bail};
use taisai_analysis::simulate::{PlayerPlan, Strategy};
use taisai_rules::{BetBox, Layout, Money};
use taisai_table::LimitEntry;

use crate::slip::{amount, bet};

/// A limit like big=25..5000: either end may be left out.
pub(super) fn limit(text: &str) -> Result<LimitEntry, String> {
    let (boxes, range) = text.split_once('=').ok_or("a limit is written like big=25..5000")?;
    let (min, max) = range.split_once("..").ok_or("a limit is written like big=25..5000")?;
    let end = |text: &str| if text.is_empty() { Ok(None) } else { amount(text).map(Some) };
    let boxes = boxes.parse().map_err(|error| format!("{boxes}: {error}"))?;
    Ok(LimitEntry { boxes, min: end(min)?, max: end(max)? })
}

/// A player: STRATEGY:BETS[@BANKROLL].
pub(super) fn read(text: &str, layout: &Layout, bankroll: Money) -> anyhow::Result<PlayerPlan> {
    let wrong = |why: String| anyhow::anyhow!("the player {text:?}: {why}");
    let (what, bankroll) = match text.rsplit_once('@') {
        Some((what, own)) => (what, amount(own).map_err(wrong)?),
        None => (text, bankroll),
    };
    let Some((strategy, bets)) = what.split_once(':') else {
        bail!("the player {text:?}: a player is written like flat:big=10 or martingale:small=5@2000")
    };
    let strategy: Strategy = strategy.parse::<Strategy>().map_err(|error| wrong(format!("{error}: {strategy}")))?;
    let slips = match strategy {
        Strategy::Script => script(bets)?,
        Strategy::Random => {
            let stake = amount(bets).map_err(wrong)?;
            vec![layout.boxes().iter().take(1).map(|bet_box| (*bet_box, stake)).collect()]
        }
        Strategy::Flat | Strategy::Martingale | Strategy::Paroli | Strategy::DAlembert => {
            vec![bets.split(',').map(bet).collect::<Result<Vec<_>, _>>().map_err(wrong)?]
        }
    };
    Ok(PlayerPlan { name: text.to_owned(), strategy, bankroll, slips })
}

/// The slips of a script, a line each.
fn script(path: &str) -> anyhow::Result<Vec<Vec<(BetBox, Money)>>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let slip = |(number, line): (usize, &str)| match line {
        "-" => Ok(Vec::new()),
        bets => {
            let bets = bets.split_whitespace().map(bet).collect::<Result<Vec<_>, _>>();
            bets.map_err(|why| anyhow::anyhow!("{path}:{number}: {why}"))
        }
    };
    lines.map(slip).collect()
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    #[test]
    fn players_are_parsed_or_the_fault_is_named() {
        let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("A").unwrap();
        let player = read("martingale:big=5,sum:9=2.50@200", layout, Money::ZERO).unwrap();
        assert_eq!((player.strategy, player.bankroll), (Strategy::Martingale, Money::from_cents(20_000)));
        assert_eq!(player.slips[0][1], ("sum:9".parse().unwrap(), Money::from_cents(250)));
        assert_eq!(read("random:5", layout, Money::from_cents(7)).unwrap().bankroll, Money::from_cents(7));
        for (text, expected) in [
            ("flat", "a player is written like"),
            ("lucky:big=5", "strategies are flat"),
            ("flat:big", "a bet is written like"),
            ("flat:huge=5", "huge"),
            ("flat:big=5@lots", "an amount is written like"),
            ("script:/nowhere", "cannot read /nowhere"),
        ] {
            let error = format!("{:#}", read(text, layout, Money::ZERO).unwrap_err());
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn limits_may_be_open_at_either_end() {
        let cents = |cents| Some(Money::from_cents(cents));
        for (text, min, max) in [
            ("big=25..5000", cents(2_500), cents(500_000)),
            ("sum=..500", None, cents(50_000)),
            ("sum:4=1..", cents(100), None),
        ] {
            let limit = limit(text).unwrap();
            assert_eq!((limit.min, limit.max), (min, max), "{text}");
        }
        for text in ["big", "big=5", "huge=1..2", "big=a..b"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }
}

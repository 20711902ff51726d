//! `taisai outcome`: prints what is certain when only some of the dice are known.

use std::io::Write as _;

use serde::Serialize;
use taisai_rules::{BetBox, BoxStanding, Face, Game, Layout};

use crate::print::{self, Column};

#[derive(Serialize)]
struct OutcomeJson<'a> {
    known: &'a [u8],
    established: bool,
    won: Vec<&'static str>,
    lost: Vec<&'static str>,
    open: Vec<&'static str>,
}

pub(crate) fn print(game: &Game, layout: &Layout, known: &[u8], json: bool) -> anyhow::Result<()> {
    let faces = known.iter().map(|number| Face::try_from(*number)).collect::<Result<Vec<_>, _>>()?;
    let boxes = |standing| {
        let boxes = layout.boxes().iter().copied();
        boxes.filter(|bet_box| layout.standing(*bet_box, &faces) == Some(standing)).collect::<Vec<_>>()
    };
    let [won, lost, open] = [BoxStanding::Won, BoxStanding::Lost, BoxStanding::Open].map(boxes);
    let established = !won.is_empty() || !lost.is_empty();
    if json {
        let texts = |boxes: Vec<BetBox>| boxes.into_iter().map(BetBox::text).collect();
        let answer = OutcomeJson { known, established, won: texts(won), lost: texts(lost), open: texts(open) };
        return Ok(writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&answer)?)?);
    }
    let dice: Vec<_> = known.iter().map(u8::to_string).collect();
    let dice = if dice.is_empty() { "no die known".to_owned() } else { format!("known: {}", dice.join(" ")) };
    let mut out = anstream::stdout().lock();
    print::heading(&mut out, &format!("{} · layout {} · {dice}", game.approved(), layout.id()))?;
    let named = |boxes: &[BetBox]| boxes.iter().map(|bet_box| bet_box.text()).collect::<Vec<_>>().join(", ");
    let rows = [
        vec!["won".to_owned(), won.len().to_string(), named(&won)],
        vec!["lost".to_owned(), lost.len().to_string(), named(&lost)],
        vec!["open".to_owned(), open.len().to_string(), named(&open)],
    ];
    print::table(&mut out, &[Column::left("Certainly"), Column::right("Boxes"), Column::left("")], &rows)?;
    let verdict = if established { "An outcome is established." } else { "No outcome is established." };
    print::heading(&mut out, verdict)?;
    Ok(())
}

//! Lines of the dealer's side: table, limits, bets open and closed, tumbles, dice, irregularities, corrections, rulings.

use taisai_rules::Money;
use taisai_table::{LimitEntry, RoundCommand, RoundNumber, Ruling, TableLimits, VoidReason};

use super::super::reader::Reader;
use super::super::script::{Act, Fault, Who};
use super::{Parsed, by};

pub(super) fn step(reader: &mut Reader) -> Parsed {
    use RoundCommand as C;
    let round = |reader: &mut Reader, who, command| by(reader, who, |_| Ok(Act::Round(command)));
    match &*reader.peek() {
        "open" => {
            reader.skip();
            round(reader, Who::Pit, C::OpenTable)
        }
        "announce" => {
            reader.must("announce closing")?;
            round(reader, Who::Pit, C::AnnounceClosure)
        }
        "close" => {
            reader.must("close table")?;
            round(reader, Who::Pit, C::CloseTable)
        }
        "limits" => limits(reader),
        "place" => {
            reader.must("place your bets")?;
            round(reader, Who::Dealer, C::OpenBets)
        }
        "no" => {
            reader.must("no more bets")?;
            round(reader, Who::Dealer, C::CloseBets)
        }
        "activate" => {
            reader.skip();
            round(reader, Who::Dealer, C::Activate)
        }
        "tumble" => {
            reader.skip();
            let counted = reader.peek().starts_with(|first: char| first.is_ascii_digit());
            let times = if counted { reader.parse("how many tumbles")? } else { taisai_table::TUMBLES };
            by(reader, Who::Dealer, |_| Ok(Act::Tumble(times)))
        }
        "tumbler" => {
            reader.skip();
            let tumbler = reader.parse("the tumbler's number")?;
            round(reader, Who::Pit, C::UseTumbler { tumbler })
        }
        "dice" => {
            reader.skip();
            if reader.take("set") {
                let dice_set = reader.parse("the number of the dice set")?;
                return round(reader, Who::Pit, C::UseDice { dice_set });
            }
            let dice = reader.dice()?;
            by(reader, Who::Dealer, |_| Ok(Act::Dice(dice)))
        }
        "at" => {
            reader.must("at rest")?;
            let faces = reader.at_rest()?;
            round(reader, Who::Dealer, C::AtRest { faces })
        }
        "interruption" => {
            reader.skip();
            let known = if reader.take("with") { reader.faces()? } else { Vec::new() };
            round(reader, Who::Dealer, C::Interrupt { known })
        }
        "restart" => {
            reader.skip();
            by(reader, Who::System, |_| Ok(Act::Restart))
        }
        "continue" => {
            reader.skip();
            round(reader, Who::Dealer, C::Continue)
        }
        "correct" => correct(reader),
        "void" => void_round(reader),
        "damaged" => damaged(reader),
        "ruling" => ruling(reader),
        "table" => Err(reader.fault("the table stands in the first line, and only there".to_owned())),
        _ => match reason(reader) {
            Some(reason) => round(reader, Who::Dealer, C::Void { reason }),
            None => Err(reader.expected("a line like “place your bets”, “seat 3 bets 50 on big” or “dice 2 4 6”")),
        },
    }
}

/// An irregularity by its words.
fn reason(reader: &mut Reader) -> Option<VoidReason> {
    [
        ("few tumbles", VoidReason::FewTumbles),
        ("not flat", VoidReason::NotFlat),
        ("exposed", VoidReason::Exposed),
        ("activated early", VoidReason::ActivatedEarly),
        ("not established", VoidReason::NotEstablished),
    ]
    .into_iter()
    .find_map(|(words, reason)| reader.take(words).then_some(reason))
}

/// `limits unit 1, big 25..5000, sum 5..500, differential 2000`.
fn limits(reader: &mut Reader) -> Parsed {
    reader.must("limits")?;
    let mut limits = TableLimits { unit: Money::from_cents(1), boxes: Vec::new(), differential: None };
    loop {
        if reader.take("unit") {
            limits.unit = reader.amount()?;
        } else if reader.take("differential") {
            limits.differential = Some(reader.amount()?);
        } else {
            let boxes = reader.parse("“unit”, “differential”, or a kind or box like big or sum:9")?;
            let (min, max) = reader.range()?;
            limits.boxes.push(LimitEntry { boxes, min, max });
        }
        if !reader.take(",") {
            break;
        }
    }
    let why = reader.because().unwrap_or_else(|| "the limits of the table".to_owned());
    by(reader, Who::Pit, |_| Ok(Act::Round(RoundCommand::ShowLimits { limits, why })))
}

/// `correct round 1 to 2 4 5 by supervisor 7 and manager 2 because …`.
fn correct(reader: &mut Reader) -> Parsed {
    reader.must("correct")?;
    let round = if reader.take("round") { Some(reader.round()?) } else { None };
    reader.must("to")?;
    let dice = reader.dice()?;
    let why = reader.why();
    two(reader, |second| Ok(Act::Correct { round, dice, why: why?, second }))
}

/// `void round 1 as few tumbles by supervisor 7 and manager 2 because …`.
fn void_round(reader: &mut Reader) -> Parsed {
    reader.must("void round")?;
    let round = reader.round()?;
    reader.must("as")?;
    let what = "what had happened: “few tumbles”, “not flat”, “exposed”, “activated early” or “not established”";
    let reason = reason(reader).ok_or_else(|| reader.expected(what))?;
    let why = reader.why();
    two(reader, |second| Ok(Act::Round(RoundCommand::VoidSettled { round, reason, why: why?, second })))
}

/// `damaged dice rounds 1 to 3 by supervisor 7 and manager 2 because …`.
fn damaged(reader: &mut Reader) -> Parsed {
    reader.must("damaged dice")?;
    let (from, to) = if reader.take("round") {
        let round = reader.round()?;
        (round, round)
    } else {
        reader.must("rounds")?;
        let from = reader.round()?;
        reader.must("to")?;
        (from, reader.round()?)
    };
    let why = reader.why();
    two(reader, |second| Ok(Act::Round(RoundCommand::VoidDamaged { from, to, why: why?, second })))
}

/// An act that says who does it, and mostly who approves.
fn two(reader: &mut Reader, act: impl FnOnce(Option<taisai_table::Person>) -> Result<Act, Fault>) -> Parsed {
    if reader.peek() != "by" {
        return Err(reader.expected("“by” and who does it, like “by supervisor 7 and manager 2”"));
    }
    by(reader, Who::Pit, |by| act(by.second))
}

/// `ruling by shift-manager 1: void round 2 because …`.
fn ruling(reader: &mut Reader) -> Parsed {
    reader.must("ruling")?;
    if reader.peek() != "by" {
        return Err(reader.expected("“by” and who rules, like “by shift-manager 1”"));
    }
    let by = reader.by()?;
    reader.must(":")?;
    let ruling = if reader.take("conclude") {
        reader.must("with")?;
        Ruling::Conclude { dice: reader.dice()? }
    } else if reader.take("void") {
        Ruling::Void { round: ruled_round(reader)? }
    } else if reader.take("reinstate") {
        let round = ruled_round(reader)?;
        reader.must("with")?;
        Ruling::Reinstate { round, dice: reader.dice()? }
    } else if reader.take("note") {
        Ruling::Note
    } else {
        return Err(reader
            .expected("a ruling: “conclude with 2 4 6”, “void round 2”, “reinstate round 2 with 1 2 3” or “note”"));
    };
    let act = Act::Round(RoundCommand::Rule { ruling, why: reader.why()? });
    Ok(super::Step { who: by.first.map_or(Who::Pit, Who::Named), act })
}

fn ruled_round(reader: &mut Reader) -> Result<RoundNumber, Fault> {
    reader.must("round")?;
    reader.round()
}

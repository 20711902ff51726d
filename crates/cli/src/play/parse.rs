//! Reads a script: every line on its own, so that all faults are told at once.

mod expect;
mod house;
mod round;
mod seat;

use std::collections::BTreeMap;
use std::sync::Arc;

use taisai_rules::{Games, Moment};
use taisai_table::{Role, TableRules};

use super::reader::{By, Reader};
use super::script::{Act, Fault, Line, Script, Setup, Step, Who};

pub(super) use seat::COLOURS;

type Parsed = Result<Step, Fault>;

/// The most seats of a script's table.
const MOST_SEATS: u32 = 10_000;

/// Reads a script, or names what is wrong with it.
pub(super) fn parse(text: &str, games: &Games, now: Moment) -> Result<Script, Vec<Fault>> {
    let mut people = BTreeMap::new();
    let mut faults = Vec::new();
    let mut setup = None;
    let mut lines = Vec::new();
    // A first line with a fault is told once: the rest is read for a table with seats enough.
    let mut seats = MOST_SEATS;
    let mut is_begun = false;
    for (number, text) in (1..).zip(text.lines()) {
        let mut reader = Reader::new(number, text, seats, &mut people);
        let mut step = None;
        if !reader.is_empty() && !is_begun {
            is_begun = true;
            match table(&mut reader, games, now) {
                Ok(found) => {
                    seats = found.seats;
                    setup = Some(found);
                }
                Err(fault) => faults.push(fault),
            }
        } else if !reader.is_empty() {
            match line(&mut reader) {
                Ok(found) => step = Some(found),
                Err(fault) => faults.push(fault),
            }
        }
        lines.push(Line { number, text: text.trim_end().to_owned(), step });
    }
    if !is_begun {
        let message = "expected the table first, like “table tai-sai layout C seats 7”, the script is empty".to_owned();
        faults.push(Fault { line: lines.len().max(1), column: 1, message });
    }
    match setup {
        Some(setup) if faults.is_empty() => Ok(Script { setup, people, lines }),
        Some(_) | None => Err(faults),
    }
}

/// `table tai-sai layout C seats 7 training`.
fn table(reader: &mut Reader, games: &Games, now: Moment) -> Result<Setup, Fault> {
    if !reader.take("table") {
        return Err(reader.expected("the table first, like “table tai-sai layout C seats 7”"));
    }
    let column = reader.column();
    let name = reader.name("a game like tai-sai or tai-sai@6")?;
    let at = |column, message| Fault { line: reader.line(), column, message };
    let game = games.find(name, Some(now)).map_err(|error| at(column, error.to_string()))?;
    reader.must("layout")?;
    let column = reader.column();
    let layout = reader.name("a layout like A")?.to_ascii_uppercase();
    let at = |message| Fault { line: reader.line(), column, message };
    let rules = TableRules::new(Arc::new(game.clone()), &layout).map_err(|error| at(error.to_string()))?;
    if !reader.take("seats") && !reader.take("terminals") {
        return Err(reader.expected("“seats” and how many"));
    }
    let seats: u32 = reader.peek().parse().unwrap_or(0);
    if seats == 0 || seats > MOST_SEATS {
        return Err(reader.expected(&format!("how many seats there are, from 1 to {MOST_SEATS}")));
    }
    reader.skip();
    let is_training = reader.take("training");
    reader.end()?;
    Ok(Setup { rules, seats, is_training })
}

/// One line after the first.
fn line(reader: &mut Reader) -> Parsed {
    let step = match &*reader.peek() {
        "seat" => seat::seat(reader)?,
        "terminal" => seat::terminal(reader)?,
        "clear" => seat::clear_lock(reader)?,
        "reject" => seat::reject_excess(reader)?,
        "pay" | "redeem" | "write" | "collect" => house::step(reader)?,
        "tick" => house::tick(reader)?,
        "expect" => expect::expect(reader)?,
        _ if reader.role().is_some() => person(reader)?,
        _ => round::step(reader)?,
    };
    reader.end()?;
    Ok(step)
}

/// `dealer 3`, `supervisor 7`: who holds which position, or is on duty; `dealer bets 50 on big for seat 4`.
fn person(reader: &mut Reader) -> Parsed {
    let Some(role) = reader.role() else { return Err(reader.expected("a person like dealer 3")) };
    if let Some(step) = seat::placed_by_staff(reader)? {
        return Ok(step);
    }
    let person = reader.person()?;
    seat::named(reader, person, position(role))
}

fn position(role: Role) -> Option<taisai_table::Position> {
    use taisai_table::Position;
    match role {
        Role::Dealer => Some(Position::Dealer),
        Role::PitSupervisor => Some(Position::Supervisor),
        Role::PitManager => Some(Position::Manager),
        Role::ShiftManager
        | Role::CasinoManager
        | Role::Attendant
        | Role::Cashier
        | Role::Auditor
        | Role::Administrator => None,
    }
}

/// The end of a line: who acts, or who does if the line does not say.
fn by(reader: &mut Reader, who: Who, act: impl FnOnce(&By) -> Result<Act, Fault>) -> Parsed {
    let by = reader.by()?;
    let act = act(&by)?;
    Ok(Step { who: by.first.map_or(who, Who::Named), act })
}

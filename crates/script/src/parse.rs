//! Parses a script. Every line is parsed on its own, so that all faults are found in one run.

mod expect;
mod house;
mod money;
mod round;
mod seat;

use std::sync::Arc;

use taisai_rules::{Games, Moment, Station};
use taisai_table::{Actor, Person, Profile, Registration, TableRules};

use crate::installation::BEGIN;
use crate::language::{self, Phrase, Section};
use crate::line_reader::LineReader;
use crate::profile::{ProfileError, Profiles};
use crate::script::{
    Action, MachineCommand, Script, ScriptActor, ScriptFault, ScriptLine, ScriptPeople, ScriptSetup, ScriptStep,
};

pub(crate) use seat::COLOURS;

pub(crate) type ParsedStep = Result<ScriptStep, ScriptFault>;

const MAX_SEATS: u32 = 10_000;

/// All phrases, by who uses them.
pub(crate) const SECTIONS: &[Section] = &[
    Section { title: "The first line", phrases: FIRST },
    Section { title: "Pit Supervisor and Pit Manager", phrases: round::PIT_PHRASES },
    Section { title: "Dealer", phrases: round::DEALER_PHRASES },
    Section { title: "Players", phrases: seat::PLAYER_PHRASES },
    Section { title: "Cashier and Attendant", phrases: money::CAGE_PHRASES },
    Section { title: "Table Games Shift Manager", phrases: money::SHIFT_MANAGER_PHRASES },
    Section { title: "A second person", phrases: house::APPROVAL_PHRASES },
    Section { title: "Administrator", phrases: house::ADMINISTRATOR_PHRASES },
    Section { title: "The system", phrases: house::SYSTEM_PHRASES },
    Section { title: "Expectations", phrases: expect::EXPECTATION_PHRASES },
];

const FIRST: &[Phrase] = &[Phrase::line(
    "table | GAME layout LAYOUT seats COUNT [registration REGISTRATION] [profile PROFILE] [training]",
    "table tai-sai layout C seats 7",
    "Sets up one table. `terminals` in place of `seats` where there are Player Terminals. \
     A live table registers every bet before the close, or what wins after the dice with `registration winners`. PROFILE is a profile \
     in the program, or a file (`.toml`) named from the script's folder; `singapore` if left out.",
    |reader| Err(reader.fault_at(1, "the table stands in the first line, and only there".to_owned())),
)];

/// Parses a script, or gives all its faults.
pub(crate) fn parse(text: &str, games: &Games, profiles: &Profiles) -> Result<Script, Vec<ScriptFault>> {
    let now = begin();
    let mut people = ScriptPeople::default();
    let mut faults = Vec::new();
    let mut setup = None;
    let mut lines: Vec<ScriptLine> = Vec::new();
    // A fault of the first line must not make every seat a fault: the other lines are parsed for the largest table.
    let mut seats = MAX_SEATS;
    let (mut is_begun, mut is_sent) = (false, false);
    for (number, text) in (1..).zip(text.lines()) {
        let mut reader = LineReader::new(number, text, seats, &mut people);
        let mut step = None;
        if !reader.is_empty() && !is_begun {
            is_begun = true;
            match game(&mut reader, games, now) {
                Ok((rules, count)) => {
                    seats = count;
                    match profile(&mut reader, profiles) {
                        Ok((profile, is_training)) => setup = Some(ScriptSetup { rules, seats, profile, is_training }),
                        Err(found) => faults.extend(found),
                    }
                }
                Err(fault) => faults.push(fault),
            }
        } else if !reader.is_empty() {
            match line(&mut reader, is_sent) {
                Ok(found) => {
                    is_sent |= found.is_sent();
                    step = Some(found);
                }
                Err(fault) => faults.push(fault),
            }
        }
        lines.push(ScriptLine { number, text: text.trim_end().to_owned(), step });
    }
    if !is_begun {
        let message = "expected the table first, like “table tai-sai layout C seats 7”, the script is empty".to_owned();
        faults.push(ScriptFault { file: None, line: lines.len().max(1), column: 1, message });
    }
    match setup {
        Some(setup) if faults.is_empty() => Ok(Script { setup, people, lines }),
        Some(_) | None => Err(faults),
    }
}

/// The moment that chooses the version of a game.
fn begin() -> Moment {
    Moment::from_unix_seconds(i64::try_from(BEGIN.0 / 1_000).expect("2026 is in range"))
}

/// `table tai-sai layout C seats 7`.
fn game(reader: &mut LineReader, games: &Games, now: Moment) -> Result<(TableRules, u32), ScriptFault> {
    if !reader.take("table") {
        return Err(reader.expected("the table first, like “table tai-sai layout C seats 7”"));
    }
    let column = reader.column();
    let name = reader.name("a game like tai-sai or tai-sai@6")?;
    let game = games.find(name, Some(now)).map_err(|error| reader.fault_at(column, error.to_string()))?;
    reader.must("layout")?;
    let column = reader.column();
    let layout = reader.name("a layout like A")?.to_ascii_uppercase();
    let rules = TableRules::new(Arc::new(game.clone()), &layout);
    let rules = rules.map_err(|error| reader.fault_at(column, error.to_string()))?;
    let places = match game.station() {
        Station::LiveTable => "seats",
        Station::PlayerTerminals => "terminals",
    };
    if !reader.take(places) {
        return Err(reader.expected(&format!("“{places}” and how many")));
    }
    let seats: u32 = reader.peek().parse().unwrap_or(0);
    if seats == 0 || seats > MAX_SEATS {
        return Err(reader.expected(&format!("how many {places} there are, from 1 to {MAX_SEATS}")));
    }
    reader.skip();
    let column = reader.column();
    if !reader.take("registration") {
        return Ok((rules, seats));
    }
    let registration = reader.choice("“every-bet” or “winners”", Registration::ALL)?;
    let rules = rules.registering(registration).map_err(|error| reader.fault_at(column, error.to_string()))?;
    Ok((rules, seats))
}

/// `profile strict.toml training`, each of which may be missing.
fn profile(reader: &mut LineReader, profiles: &Profiles) -> Result<(Profile, bool), Vec<ScriptFault>> {
    let profile = if reader.take("profile") {
        let column = reader.column();
        let name = reader.name("a profile like singapore, or its file").map_err(|fault| vec![fault])?;
        profiles.find(name).map_err(|error| match error {
            ProfileError::Faults(faults) => faults,
            other => vec![reader.fault_at(column, other.to_string())],
        })?
    } else {
        profiles.default_profile()
    };
    let is_training = reader.take("training");
    reader.end().map_err(|fault| vec![fault])?;
    Ok((profile, is_training))
}

fn line(reader: &mut LineReader, is_sent: bool) -> ParsedStep {
    let step = language::read(reader)?;
    reader.end()?;
    if matches!(step.action, Action::Again) && !is_sent {
        return Err(reader.fault_at(1, "nothing has been sent yet that could be sent again".to_owned()));
    }
    Ok(step)
}

/// A step with an optional `by` at its end; `who` acts if it is missing.
fn by(reader: &mut LineReader, who: ScriptActor, action: Action) -> ParsedStep {
    Ok(ScriptStep { who: reader.by()?.map_or(who, ScriptActor::Named), action })
}

/// A command with an optional `by` at its end; `who` sends it if it is missing.
fn send(reader: &mut LineReader, who: ScriptActor, command: impl Into<MachineCommand>) -> ParsedStep {
    by(reader, who, Action::Send(command.into()))
}

fn done_by(person: Person, action: Action) -> ScriptStep {
    ScriptStep { who: ScriptActor::Named(Actor::Person(person)), action }
}

fn sent_by(person: Person, command: impl Into<MachineCommand>) -> ScriptStep {
    done_by(person, Action::Send(command.into()))
}

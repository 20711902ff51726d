//! Reads a script: every line on its own, so that all faults are told at once.

mod expect;
mod house;
mod money;
mod round;
mod seat;

use std::sync::Arc;

use taisai_rules::{Games, Moment, Station};
use taisai_table::{Actor, Person, Profile, Registration, TableRules};

use super::language::{self, Phrase, Section};
use super::profile::Profiles;
use super::reader::Reader;
use super::script::{Act, Command, Fault, Line, People, Script, Setup, Step, Who};

pub(super) use seat::COLOURS;

pub(super) type Parsed = Result<Step, Fault>;

/// The most seats of a script's table.
const MOST_SEATS: u32 = 10_000;

/// Everything that a line can say, by who says it.
pub(super) const SECTIONS: &[Section] = &[
    Section { title: "The first line", phrases: FIRST },
    Section { title: "Pit Supervisor and Pit Manager", phrases: round::OF_THE_PIT },
    Section { title: "Dealer", phrases: round::OF_THE_DEALER },
    Section { title: "Players", phrases: seat::OF_PLAYERS },
    Section { title: "Cashier and Attendant", phrases: money::OF_THE_CAGE },
    Section { title: "Table Games Shift Manager", phrases: money::OF_THE_SHIFT_MANAGER },
    Section { title: "A second person", phrases: house::OF_TWO_PEOPLE },
    Section { title: "Administrator", phrases: house::OF_THE_ADMINISTRATOR },
    Section { title: "The house's own program", phrases: house::OF_THE_PROGRAM },
    Section { title: "What must be so", phrases: expect::EXPECTATIONS },
];

const FIRST: &[Phrase] = &[Phrase::line(
    "table | GAME layout LAYOUT seats COUNT [registration REGISTRATION] [profile PROFILE] [training]",
    "table tai-sai layout C seats 7",
    "Sets the house up: one table. `terminals` in place of `seats` where there are Player Terminals. \
     A live table registers every bet before the close, or what wins after the dice with `registration winners`. PROFILE is a profile \
     in the program, or a file (`.toml`) named from the script's folder; `singapore` if left out.",
    |reader| Err(reader.fault_at(1, "the table stands in the first line, and only there".to_owned())),
)];

/// Reads a script, or names what is wrong with it.
pub(super) fn parse(text: &str, games: &Games, now: Moment, profiles: &Profiles) -> Result<Script, Vec<Fault>> {
    let mut people = People::default();
    let mut faults = Vec::new();
    let mut setup = None;
    let mut lines: Vec<Line> = Vec::new();
    // A first line with a fault is told once: the rest is read for a table with seats enough.
    let mut seats = MOST_SEATS;
    let (mut is_begun, mut is_sent) = (false, false);
    for (number, text) in (1..).zip(text.lines()) {
        let mut reader = Reader::new(number, text, seats, &mut people);
        let mut step = None;
        if !reader.is_empty() && !is_begun {
            is_begun = true;
            match game(&mut reader, games, now) {
                Ok((rules, count)) => {
                    seats = count;
                    match house(&mut reader, profiles) {
                        Ok((profile, is_training)) => setup = Some(Setup { rules, seats, profile, is_training }),
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
        lines.push(Line { number, text: text.trim_end().to_owned(), step });
    }
    if !is_begun {
        let message = "expected the table first, like “table tai-sai layout C seats 7”, the script is empty".to_owned();
        faults.push(Fault { file: None, line: lines.len().max(1), column: 1, message });
    }
    match setup {
        Some(setup) if faults.is_empty() => Ok(Script { setup, people, lines }),
        Some(_) | None => Err(faults),
    }
}

/// `table tai-sai layout C seats 7`.
fn game(reader: &mut Reader, games: &Games, now: Moment) -> Result<(TableRules, u32), Fault> {
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
    if seats == 0 || seats > MOST_SEATS {
        return Err(reader.expected(&format!("how many {places} there are, from 1 to {MOST_SEATS}")));
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

/// `profile strict.toml training`, as far as it stands there.
fn house(reader: &mut Reader, profiles: &Profiles) -> Result<(Profile, bool), Vec<Fault>> {
    let profile = if reader.take("profile") {
        let column = reader.column();
        let name = reader.name("a profile like singapore, or its file").map_err(|fault| vec![fault])?;
        let unread = |error: anyhow::Error| vec![reader.fault_at(column, format!("{error:#}"))];
        profiles.find(name).map_err(unread)??
    } else {
        profiles.usual()
    };
    let is_training = reader.take("training");
    reader.end().map_err(|fault| vec![fault])?;
    Ok((profile, is_training))
}

/// One line after the first.
fn line(reader: &mut Reader, is_sent: bool) -> Parsed {
    let step = language::read(reader)?;
    reader.end()?;
    if matches!(step.act, Act::Again) && !is_sent {
        return Err(reader.fault_at(1, "nothing has been sent yet that could be sent again".to_owned()));
    }
    Ok(step)
}

/// The end of a line: who acts, or who does if the line does not say.
fn by(reader: &mut Reader, who: Who, act: Act) -> Parsed {
    Ok(Step { who: reader.by()?.map_or(who, Who::Named), act })
}

/// A command that the line may say who gives.
fn ask(reader: &mut Reader, who: Who, command: impl Into<Command>) -> Parsed {
    by(reader, who, Act::Ask(command.into()))
}

/// What a person does.
fn done_by(person: Person, act: Act) -> Step {
    Step { who: Who::Named(Actor::Person(person)), act }
}

/// A command of which the line says who gives it.
fn asked_by(person: Person, command: impl Into<Command>) -> Step {
    done_by(person, Act::Ask(command.into()))
}

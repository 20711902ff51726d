//! Lines of the house around the table: people, devices, approvals, time that passes, restarts.

use taisai_table::{Act as Right, ApprovalId, ClusterCommand, HouseCommand as C, PersonId, Roles};

use super::super::language::Phrase;
use super::super::reader::Reader;
use super::super::script::{Act, Command, Fault, Step, Who};
use super::{Parsed, asked_by, done_by};

/// What is said where one person is not enough.
pub(super) const OF_TWO_PEOPLE: &[Phrase] = &[
    Phrase::line(
        "ask approval of | ACT by PERSON because WHAT",
        "ask approval of large-hand-pay by attendant 9 because claim 1 is above the limit",
        "Asks a second person, for ten minutes; ACT as profiles name it. Approvals are counted from 1.",
        |reader| {
            let what = "an act of the profile, like correct or large-hand-pay";
            let act = reader.choice(what, Right::ALL.map(|act| (act.text(), act)))?;
            let person = reader.by_person()?;
            Ok(asked_by(person, C::RequestApproval { act, what: reader.why()? }))
        },
    ),
    Phrase::line("grant approval | APPROVAL by PERSON", "grant approval 1 by supervisor 7", "Approves it.", |reader| {
        answer(reader, true)
    }),
    Phrase::line(
        "refuse approval | APPROVAL by PERSON",
        "refuse approval 1 by supervisor 7",
        "Refuses it.",
        |reader| answer(reader, false),
    ),
    Phrase::line(
        "withdraw approval | APPROVAL by PERSON",
        "withdraw approval 1 by attendant 9",
        "Takes the request back. The act itself names both people.",
        |reader| {
            let approval = approval(reader)?;
            Ok(asked_by(reader.by_person()?, C::WithdrawApproval { approval }))
        },
    ),
];

/// What the administrator says, with a second person.
pub(super) const OF_THE_ADMINISTRATOR: &[Phrase] = &[
    Phrase::line(
        "add person | NUMBER as ROLES by PERSON and PERSON",
        "add person 12 as cashier and attendant by administrator 5 and manager 2",
        "Adds a person. Whoever else a script names is in the house from the beginning, with the roles it names them by.",
        |reader| {
            let person = reader.newcomer()?;
            let roles = roles(reader, "as")?;
            let name = format!("person {}", person.0);
            two(reader, |second| C::AddPerson { person, name, roles, second })
        },
    ),
    Phrase::line(
        "change person | NUMBER to ROLES by PERSON and PERSON",
        "change person 8 to dealer by administrator 5 and manager 2",
        "Gives a person other roles.",
        |reader| {
            let person = reader.person_number()?;
            let roles = roles(reader, "to")?;
            two(reader, |second| C::SetRoles { person, roles, second })
        },
    ),
    Phrase::line(
        "suspend person | NUMBER by PERSON and PERSON",
        "suspend person 8 by administrator 5 and manager 2",
        "Takes every right from a person.",
        |reader| {
            let person = reader.person_number()?;
            two(reader, |second| C::Suspend { person, second })
        },
    ),
    Phrase::line(
        "reinstate person | NUMBER by PERSON and PERSON",
        "reinstate person 8 by administrator 5 and manager 2",
        "Gives the rights back.",
        |reader| {
            let person = reader.person_number()?;
            two(reader, |second| C::Reinstate { person, second })
        },
    ),
    Phrase::line(
        "unlock person | NUMBER by PERSON and PERSON",
        "unlock person 8 by administrator 5 and manager 2",
        "Lets a person log in again after too many failed logins.",
        |reader| {
            let person = reader.person_number()?;
            two(reader, |second| C::Unlock { person, second })
        },
    ),
    Phrase::seat(
        "enrol terminal SEAT | by PERSON and PERSON",
        "enrol terminal 3 by administrator 5 and manager 2",
        "A new terminal takes the place of a revoked one.",
        |reader, seat| {
            let (person, second) = reader.by_two()?;
            Ok(done_by(person, Act::Enrol { seat, second }))
        },
    ),
    Phrase::seat(
        "revoke terminal SEAT | by PERSON",
        "revoke terminal 3 by supervisor 7",
        "A terminal may do nothing any more, and the house has lost it; a second person may do it too, alone.",
        |reader, seat| Ok(done_by(reader.by_person()?, Act::Revoke(seat))),
    ),
];

/// What nobody says: the program sees it.
pub(super) const OF_THE_PROGRAM: &[Phrase] = &[
    Phrase::seat("terminal SEAT lost", "terminal 3 lost", "The house has lost a terminal.", |_, seat| {
        Ok(seen(ClusterCommand::Lost { seat }))
    }),
    Phrase::seat("terminal SEAT back", "terminal 3 back", "The terminal is back.", |_, seat| {
        Ok(seen(ClusterCommand::Back { seat }))
    }),
    Phrase::line("person | NUMBER logs in", "person 8 logs in", "A login succeeds.", login),
    Phrase::line(
        "person | NUMBER fails to log in",
        "person 8 fails to log in",
        "A login fails; too many of them lock the person out.",
        login,
    ),
    Phrase::line(
        "tick | COUNT [UNIT]",
        "tick 31 days",
        "Time passes: seconds, minutes, hours or days. Every other line takes a second.",
        tick,
    ),
    Phrase::line(
        "restart",
        "restart",
        "The program stops and starts: every machine is rebuilt from its record and must be as it was; then play is held.",
        |_| Ok(Step { who: Who::System, act: Act::Restart }),
    ),
    Phrase::line(
        "again",
        "again",
        "The last command of a person or terminal arrives once more, under the same id: the answer is the same, and \
         nothing changes.",
        |_| Ok(Step { who: Who::System, act: Act::Again }),
    ),
];

fn seen(command: impl Into<Command>) -> Step {
    Step { who: Who::System, act: Act::Ask(command.into()) }
}

fn approval(reader: &mut Reader) -> Result<ApprovalId, Fault> {
    reader.parse("the approval's number").map(ApprovalId)
}

fn answer(reader: &mut Reader, approve: bool) -> Parsed {
    let approval = approval(reader)?;
    Ok(asked_by(reader.by_person()?, C::AnswerApproval { approval, approve }))
}

/// `as cashier and attendant`.
fn roles(reader: &mut Reader, before: &str) -> Result<Roles, Fault> {
    reader.must(before)?;
    let mut roles = vec![reader.role()?];
    while reader.take("and") {
        roles.push(reader.role()?);
    }
    Ok(Roles::of(&roles))
}

/// A command with its second person.
fn two(reader: &mut Reader, command: impl FnOnce(Option<taisai_table::Person>) -> C) -> Parsed {
    let (person, second) = reader.by_two()?;
    Ok(asked_by(person, command(second)))
}

fn login(reader: &mut Reader) -> Parsed {
    let person: PersonId = reader.person_number()?;
    if reader.take("logs in") {
        Ok(seen(C::LoginSucceeded { person }))
    } else if reader.take("fails to log in") {
        Ok(seen(C::LoginFailed { person }))
    } else {
        Err(reader.expected("“logs in” or “fails to log in”"))
    }
}

fn tick(reader: &mut Reader) -> Parsed {
    let what = "how many seconds pass, fewer than ten years of them";
    let column = reader.column();
    let count: u64 = reader.parse(what)?;
    let units = [("seconds", 1), ("minutes", 60), ("hours", 3_600), ("days", 86_400)];
    let unit = if reader.is_at_end() { 1 } else { reader.choice("seconds, minutes, hours or days", units)? };
    let seconds = count.checked_mul(unit).filter(|seconds| *seconds < 315_360_000);
    let seconds = seconds.ok_or_else(|| reader.fault_at(column, format!("expected {what}")))?;
    Ok(Step { who: Who::System, act: Act::Tick(seconds) })
}

//! Lines about people, devices, approvals, time and restarts.

use taisai_table::{Act as Right, ApprovalId, ClusterCommand, HouseCommand as C, PersonId, Roles};

use super::{ParsedStep, done_by, sent_by};
use crate::language::Phrase;
use crate::line_reader::LineReader;
use crate::script::{Action, MachineCommand, ScriptActor, ScriptFault, ScriptStep};

pub(crate) const APPROVAL_PHRASES: &[Phrase] = &[
    Phrase::line(
        "ask approval of | ACT by PERSON because WHAT",
        "ask approval of large-hand-pay by attendant 9 because claim 1 is above the limit",
        "Asks a second person, for ten minutes; ACT as profiles name it. Approvals are counted from 1.",
        |reader| {
            let what = "an act of the profile, like correct or large-hand-pay";
            let act = reader.choice(what, Right::ALL.map(|act| (act.text(), act)))?;
            let person = reader.by_person()?;
            Ok(sent_by(person, C::RequestApproval { act, what: reader.why()? }))
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
            Ok(sent_by(reader.by_person()?, C::WithdrawApproval { approval }))
        },
    ),
];

pub(crate) const ADMINISTRATOR_PHRASES: &[Phrase] = &[
    Phrase::line(
        "add person | NUMBER as ROLES by PERSON and PERSON",
        "add person 12 as cashier and attendant by administrator 5 and manager 2",
        "Adds a person. Everyone else whom a script names is there from the beginning, with the roles it names them by.",
        |reader| {
            let person = reader.newcomer()?;
            let roles = roles(reader, "as")?;
            let name = format!("person {}", person.0);
            sent_by_two(reader, |second| C::AddPerson { person, name, roles, second })
        },
    ),
    Phrase::line(
        "change person | NUMBER to ROLES by PERSON and PERSON",
        "change person 8 to dealer by administrator 5 and manager 2",
        "Gives a person other roles.",
        |reader| {
            let person = reader.person_number()?;
            let roles = roles(reader, "to")?;
            sent_by_two(reader, |second| C::SetRoles { person, roles, second })
        },
    ),
    Phrase::line(
        "suspend person | NUMBER by PERSON and PERSON",
        "suspend person 8 by administrator 5 and manager 2",
        "Takes every right from a person.",
        |reader| {
            let person = reader.person_number()?;
            sent_by_two(reader, |second| C::Suspend { person, second })
        },
    ),
    Phrase::line(
        "reinstate person | NUMBER by PERSON and PERSON",
        "reinstate person 8 by administrator 5 and manager 2",
        "Gives the rights back.",
        |reader| {
            let person = reader.person_number()?;
            sent_by_two(reader, |second| C::Reinstate { person, second })
        },
    ),
    Phrase::line(
        "unlock person | NUMBER by PERSON and PERSON",
        "unlock person 8 by administrator 5 and manager 2",
        "Lets a person log in again after too many failed logins.",
        |reader| {
            let person = reader.person_number()?;
            sent_by_two(reader, |second| C::Unlock { person, second })
        },
    ),
    Phrase::seat(
        "enrol terminal SEAT | by PERSON and PERSON",
        "enrol terminal 3 by administrator 5 and manager 2",
        "A new terminal takes the place of a revoked one.",
        |reader, seat| {
            let (person, second) = reader.by_two()?;
            Ok(done_by(person, Action::EnrolTerminal { seat, second }))
        },
    ),
    Phrase::seat(
        "revoke terminal SEAT | by PERSON",
        "revoke terminal 3 by supervisor 7",
        "Takes every right from a terminal and ends its connection; a second person may do it alone, too.",
        |reader, seat| Ok(done_by(reader.by_person()?, Action::RevokeTerminal(seat))),
    ),
];

pub(crate) const SYSTEM_PHRASES: &[Phrase] = &[
    Phrase::seat("terminal SEAT lost", "terminal 3 lost", "A terminal loses its connection.", |_, seat| {
        Ok(by_system(ClusterCommand::Lost { seat }))
    }),
    Phrase::seat("terminal SEAT back", "terminal 3 back", "The terminal connects again.", |_, seat| {
        Ok(by_system(ClusterCommand::Back { seat }))
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
        |_| Ok(ScriptStep { who: ScriptActor::System, action: Action::Restart }),
    ),
    Phrase::line(
        "again",
        "again",
        "The last command of a person or terminal arrives again, under the same id: the reply is the same, and \
         nothing changes.",
        |_| Ok(ScriptStep { who: ScriptActor::System, action: Action::Again }),
    ),
];

fn by_system(command: impl Into<MachineCommand>) -> ScriptStep {
    ScriptStep { who: ScriptActor::System, action: Action::Send(command.into()) }
}

fn approval(reader: &mut LineReader) -> Result<ApprovalId, ScriptFault> {
    reader.parse("the approval's number").map(ApprovalId)
}

fn answer(reader: &mut LineReader, approve: bool) -> ParsedStep {
    let approval = approval(reader)?;
    Ok(sent_by(reader.by_person()?, C::AnswerApproval { approval, approve }))
}

/// `as cashier and attendant`.
fn roles(reader: &mut LineReader, before: &str) -> Result<Roles, ScriptFault> {
    reader.must(before)?;
    let mut roles = vec![reader.role()?];
    while reader.take("and") {
        roles.push(reader.role()?);
    }
    Ok(Roles::of(&roles))
}

fn sent_by_two(reader: &mut LineReader, command: impl FnOnce(Option<taisai_table::Person>) -> C) -> ParsedStep {
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, command(second)))
}

fn login(reader: &mut LineReader) -> ParsedStep {
    let person: PersonId = reader.person_number()?;
    if reader.take("logs in") {
        Ok(by_system(C::LoginSucceeded { person }))
    } else if reader.take("fails to log in") {
        Ok(by_system(C::LoginFailed { person }))
    } else {
        Err(reader.expected("“logs in” or “fails to log in”"))
    }
}

fn tick(reader: &mut LineReader) -> ParsedStep {
    let what = "how many seconds pass, fewer than ten years of them";
    let column = reader.column();
    let count: u64 = reader.parse(what)?;
    let units = [("seconds", 1), ("minutes", 60), ("hours", 3_600), ("days", 86_400)];
    let unit = if reader.is_at_end() { 1 } else { reader.choice("seconds, minutes, hours or days", units)? };
    let seconds = count.checked_mul(unit).filter(|seconds| *seconds < 315_360_000);
    let seconds = seconds.ok_or_else(|| reader.fault_at(column, format!("expected {what}")))?;
    Ok(ScriptStep { who: ScriptActor::System, action: Action::Tick(seconds) })
}

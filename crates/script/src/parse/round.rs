//! Lines of the dealer's side: table, limits, bets open and closed, tumbles, dice, irregularities, corrections.

use taisai_rules::Money;
use taisai_table::{LimitEntry, Person, Position, Role, RoundCommand as C, TableLimits, VoidReason};

use super::{ParsedStep, by, done_by, seat, send, sent_by};
use crate::language::Phrase;
use crate::line_reader::LineReader;
use crate::script::{Action, ScriptActor, ScriptFault, ScriptStep};

pub(crate) const PIT_PHRASES: &[Phrase] = &[
    Phrase::person(
        "PERSON",
        "supervisor 7",
        "Takes the position at the table and relieves the person who held it; people without a position (`cashier 8`) come on duty.",
        takes_position,
    ),
    Phrase::line("dealer leaves", "dealer leaves", "Nobody deals until somebody takes the position.", |reader| {
        leaves(reader, Position::Dealer)
    }),
    Phrase::line("supervisor leaves", "supervisor leaves", "Nobody supervises.", |reader| {
        leaves(reader, Position::Supervisor)
    }),
    Phrase::line("manager leaves", "manager leaves", "Nobody manages.", |reader| leaves(reader, Position::Manager)),
    Phrase::line(
        "limits | LIMITS [because WHY]",
        "limits unit 1, big 25..5000, rest 1..1000, differential 2000",
        "Shows the limits: a kind or a box with minimum and maximum (`25..5000`), `rest` for every box that is not named, unit and Differential.",
        limits,
    ),
    Phrase::line("open", "open", "Opens the table.", |reader| send(reader, ScriptActor::Pit, C::OpenTable)),
    Phrase::line(
        "announce closing",
        "announce closing",
        "Announces that the table will close: it may after one more round.",
        |reader| send(reader, ScriptActor::Pit, C::AnnounceClosure),
    ),
    Phrase::line("close table", "close table", "Closes the table.", |reader| {
        send(reader, ScriptActor::Pit, C::CloseTable)
    }),
    Phrase::line("dice set | NUMBER", "dice set 5", "Puts another set of dice in use.", |reader| {
        let dice_set = reader.parse("the number of the dice set")?;
        send(reader, ScriptActor::Pit, C::UseDice { dice_set })
    }),
    Phrase::line("tumbler | NUMBER", "tumbler 12", "Puts another tumbler in use.", |reader| {
        let tumbler = reader.parse("the tumbler's number")?;
        send(reader, ScriptActor::Pit, C::UseTumbler { tumbler })
    }),
    Phrase::line(
        "supervisor bets | STAKES for seat SEAT",
        "supervisor bets 25 on big for seat 4",
        "The supervisor of the table, or else its manager, places bets for a player.",
        |reader| seat::bets_for(reader, ScriptActor::Pit),
    ),
    Phrase::person(
        "PERSON bets | STAKES for seat SEAT",
        "manager 2 bets 25 on big for seat 4",
        "That person places bets for a player.",
        |reader, person| seat::bets_for(reader, ScriptActor::Named(taisai_table::Actor::Person(person))),
    ),
    Phrase::line(
        "correct | [round ROUND] to FACE FACE FACE by PERSON and PERSON because WHY",
        "correct round 1 to 2 4 3 by supervisor 7 and manager 2 because the console read 6",
        "Settles a round again by the dice; the last one if none is named.",
        correct,
    ),
    Phrase::line(
        "film of round | ROUND shows AMOUNT on BOX for seat SEAT by PERSON and PERSON because PLAYER",
        "film of round 1 shows 100 on big for seat 3 by supervisor 7 and manager 2 because the player in the red coat",
        "Where winners are registered, and a round was corrected or voided late: registers a bet from the film. It counts \
         when the returns are closed.",
        seat::film,
    ),
    Phrase::line(
        "take line | LINE off the film of round ROUND by PERSON and PERSON",
        "take line 2 off the film of round 1 by supervisor 7 and manager 2",
        "Takes off a line that was registered from the film by mistake; the lines of a round are counted from 1.",
        seat::withdraw_from_film,
    ),
    Phrase::line(
        "close returns of round | ROUND by PERSON and PERSON",
        "close returns of round 1 by supervisor 7 and manager 2",
        "All that the film shows is registered: it is apportioned as any bets, and what the round owes becomes claims.",
        seat::close_returns,
    ),
    Phrase::line(
        "void round | ROUND as REASON by PERSON and PERSON because WHY",
        "void round 1 as malfunction by supervisor 7 and manager 2 because the tumbler stopped by itself",
        "The law voids a round, in play or settled: `malfunction`, `force majeure` or `suspected offence`. A settled round stands after the game's own irregularities.",
        void_round,
    ),
    Phrase::line(
        "correct known | to FACES by PERSON and PERSON because WHY",
        "correct known to 2 4 by supervisor 7 and manager 2 because the camera shows 2",
        "Corrects dice that were reported wrongly at an interruption.",
        correct_known,
    ),
    Phrase::line(
        "inspect dice set | NUMBER by PERSON and PERSON",
        "inspect dice set 5 by supervisor 7 and manager 2",
        "Lets a set be used again that was found damaged.",
        |reader| {
            let dice_set = reader.parse("the number of the dice set")?;
            let (person, second) = reader.by_two()?;
            Ok(sent_by(person, C::Inspect { dice_set, second }))
        },
    ),
    Phrase::line(
        "damaged dice | round ROUND by PERSON and PERSON because WHY",
        "damaged dice round 1 by supervisor 7 and manager 2 because a die is chipped",
        "Voids a round that was played with damaged dice.",
        damaged,
    ),
    Phrase::line(
        "damaged dice | rounds ROUND to ROUND [of set NUMBER] by PERSON and PERSON because WHY",
        "damaged dice rounds 1 to 3 of set 5 by supervisor 7 and manager 2 because a die is chipped",
        "Voids all of these rounds, or those that were played with one set of dice.",
        damaged,
    ),
];

pub(crate) const DEALER_PHRASES: &[Phrase] = &[
    Phrase::line("place your bets", "place your bets", "Opens a round for bets.", |reader| {
        send(reader, ScriptActor::Dealer, C::OpenBets)
    }),
    Phrase::line("no more bets", "no more bets", "Closes the bets.", |reader| {
        send(reader, ScriptActor::Dealer, C::CloseBets)
    }),
    Phrase::line("reject excess", "reject excess", "Rejects what is over a maximum or the Differential.", |reader| {
        send(reader, ScriptActor::Dealer, taisai_table::ClusterCommand::RejectExcess)
    }),
    Phrase::line(
        "advise | BOX",
        "advise big",
        "Advises the players of a box whose total is below its minimum.",
        |reader| {
            let bet_box = reader.parse("a box like big or sum:9")?;
            send(reader, ScriptActor::Dealer, taisai_table::ClusterCommand::Advise { bet_box })
        },
    ),
    Phrase::line("cover", "cover", "Covers the dice.", |reader| send(reader, ScriptActor::Dealer, C::Cover)),
    Phrase::line("uncover", "uncover", "Lifts the cover.", |reader| send(reader, ScriptActor::Dealer, C::Uncover)),
    Phrase::line(
        "dealer bets | STAKES for seat SEAT",
        "dealer bets 25 on big for seat 4",
        "The Dealer places bets for a player.",
        |reader| seat::bets_for(reader, ScriptActor::Dealer),
    ),
    Phrase::line(
        "activate | [by tumbler NUMBER]",
        "activate by tumbler 12",
        "Activates the tumbler; a tumbler can say it itself, as it can the next two.",
        |reader| send(reader, ScriptActor::Dealer, C::Activate),
    ),
    Phrase::line(
        "tumble | [TIMES]",
        "tumble 2",
        "Reports tumbles, three if not said, activating the tumbler first.",
        tumble,
    ),
    Phrase::line(
        "at rest | FACE FACE FACE",
        "at rest 2 - 5",
        "Reports how the dice lie; `-` is a die that does not lie flat.",
        |reader| {
            let faces = reader.at_rest()?;
            send(reader, ScriptActor::Dealer, C::AtRest { faces })
        },
    ),
    Phrase::line(
        "dice | FACE FACE FACE",
        "dice 2 4 6",
        "Commits the result, with three tumbles before it where none were reported.",
        |reader| {
            let dice = reader.dice()?;
            by(reader, ScriptActor::Dealer, Action::Dice(dice))
        },
    ),
    Phrase::line(
        "register | STAKES for seat SEAT [with PERSON]",
        "register 50 on big and 10 on sum:9 for seat 3",
        "At a table with `registration winners`, after the dice: registers what a seat had there at the close. A large stake takes a \
         second person.",
        seat::register,
    ),
    Phrase::line(
        "total on | BOX is AMOUNT",
        "total on small is 300",
        "Tells what lay on a box in all, where the opposite box exceeds the Differential or a box that loses is over its limit.",
        |reader| {
            let bet_box = reader.bet_box()?;
            reader.must("is")?;
            let amount = reader.amount()?;
            send(reader, ScriptActor::Dealer, taisai_table::ClusterCommand::TellTotal { bet_box, amount })
        },
    ),
    Phrase::line("all registered", "all registered", "All that wins is registered: the round is settled.", |reader| {
        send(reader, ScriptActor::Dealer, taisai_table::ClusterCommand::AllRegistered)
    }),
    Phrase::seat(
        "tick off seat SEAT",
        "tick off seat 3",
        "The chips of the pay list of the last round were given to the seat.",
        |reader, seat| send(reader, ScriptActor::Dealer, taisai_table::ClusterCommand::TickOff { seat, is_paid: true }),
    ),
    Phrase::seat("untick seat SEAT", "untick seat 3", "They were not.", |reader, seat| {
        send(reader, ScriptActor::Dealer, taisai_table::ClusterCommand::TickOff { seat, is_paid: false })
    }),
    Phrase::line("few tumbles", "few tumbles", "Fewer than three tumbles: the round is void.", |reader| {
        void(reader, VoidReason::FewTumbles)
    }),
    Phrase::line("not flat", "not flat", "A die does not lie flat: the round is void.", |reader| {
        void(reader, VoidReason::NotFlat)
    }),
    Phrase::line("exposed", "exposed", "Concealed dice were exposed too early: the round is void.", |reader| {
        void(reader, VoidReason::Exposed)
    }),
    Phrase::line(
        "interruption | [with FACES]",
        "interruption with 2 4",
        "Reports an interruption, with the dice that are known.",
        |reader| {
            let known = if reader.take("with") { reader.faces()? } else { Vec::new() };
            send(reader, ScriptActor::Dealer, C::Interrupt { known })
        },
    ),
    Phrase::line("continue", "continue", "Goes on after a restart.", |reader| {
        send(reader, ScriptActor::Dealer, C::Continue)
    }),
];

/// Reasons for which the law voids a round.
pub(crate) const LAW: [(&str, VoidReason); 3] = [
    ("malfunction", VoidReason::Malfunction),
    ("force majeure", VoidReason::ForceMajeure),
    ("suspected offence", VoidReason::SuspectedOffence),
];

/// Irregularities of the game.
const IRREGULARITIES: [(&str, VoidReason); 5] = [
    ("few tumbles", VoidReason::FewTumbles),
    ("not flat", VoidReason::NotFlat),
    ("exposed", VoidReason::Exposed),
    ("activated early", VoidReason::ActivatedEarly),
    ("not established", VoidReason::NotEstablished),
];

fn void(reader: &mut LineReader, reason: VoidReason) -> ParsedStep {
    send(reader, ScriptActor::Dealer, C::Void { reason })
}

fn takes_position(reader: &mut LineReader, person: Person) -> ParsedStep {
    match position(person) {
        Some(position) => send(reader, ScriptActor::Pit, C::Relieve { position, person: Some(person.id) }),
        None => Ok(ScriptStep { who: ScriptActor::System, action: Action::OnDuty(person) }),
    }
}

fn leaves(reader: &mut LineReader, position: Position) -> ParsedStep {
    send(reader, ScriptActor::Pit, C::Relieve { position, person: None })
}

/// The position that a person named by one role takes.
fn position(person: Person) -> Option<Position> {
    match person.roles.iter().next()? {
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

fn tumble(reader: &mut LineReader) -> ParsedStep {
    let counted = reader.peek().starts_with(|first: char| first.is_ascii_digit());
    let times = if counted { reader.parse("how many tumbles")? } else { taisai_table::MIN_TUMBLES };
    by(reader, ScriptActor::Dealer, Action::Tumble(times))
}

fn limits(reader: &mut LineReader) -> ParsedStep {
    let mut limits = TableLimits { unit: Money::from_cents(1), boxes: Vec::new(), rest: None, differential: None };
    loop {
        if reader.take("unit") {
            limits.unit = reader.amount()?;
        } else if reader.take("differential") {
            limits.differential = Some(reader.amount()?);
        } else if reader.take("rest") {
            limits.rest = Some(reader.full_range()?);
        } else {
            let boxes = reader.kind_or_box("“unit”, “differential”, “rest”, or a kind or box like big or sum:9")?;
            let (min, max) = reader.range()?;
            limits.boxes.push(LimitEntry { boxes, min, max });
        }
        if !reader.take(",") {
            break;
        }
    }
    let why = reader.because().unwrap_or_else(|| "the limits of the table".to_owned());
    send(reader, ScriptActor::Pit, C::ShowLimits { limits, why })
}

fn correct(reader: &mut LineReader) -> ParsedStep {
    let round = if reader.take("round") { Some(reader.round()?) } else { None };
    reader.must("to")?;
    let dice = reader.dice()?;
    let (person, second) = reader.by_two()?;
    Ok(done_by(person, Action::Correct { round, dice, why: reader.why()?, second }))
}

fn correct_known(reader: &mut LineReader) -> ParsedStep {
    reader.must("to")?;
    let known = reader.faces()?;
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::CorrectKnown { known, why: reader.why()?, second }))
}

fn void_round(reader: &mut LineReader) -> ParsedStep {
    let round = reader.round()?;
    reader.must("as")?;
    let reason = irregularity(reader)?;
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::VoidByLaw { round, reason, why: reader.why()?, second }))
}

pub(crate) fn irregularity(reader: &mut LineReader) -> Result<VoidReason, ScriptFault> {
    let what = "what had happened: “malfunction”, “force majeure”, “suspected offence”, “few tumbles”, “not flat”, \
                “exposed”, “activated early” or “not established”";
    let found = LAW.into_iter().chain(IRREGULARITIES).find(|(words, _)| reader.take(words));
    found.map(|(_, reason)| reason).ok_or_else(|| reader.expected(what))
}

fn damaged(reader: &mut LineReader) -> ParsedStep {
    let (from, to) = if reader.take("round") {
        let round = reader.round()?;
        (round, round)
    } else if reader.take("rounds") {
        let from = reader.round()?;
        reader.must("to")?;
        (from, reader.round()?)
    } else {
        return Err(reader.expected("“round” or “rounds”"));
    };
    let dice_set = if reader.take("of") {
        reader.must("set")?;
        Some(reader.parse("the number of the dice set")?)
    } else {
        None
    };
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::VoidDamaged { from, to, dice_set, why: reader.why()?, second }))
}

//! Lines that check something.

use taisai_rules::Money;
use taisai_table::{ApprovalId, Phase, Refusal, RoundNumber};

use super::ParsedStep;
use super::round::LAW;
use crate::language::Phrase;
use crate::line_reader::LineReader;
use crate::script::{Action, ApprovalStanding, Expectation as E, ScriptActor, ScriptFault, ScriptStep, VoidBy};

pub(crate) const EXPECTATION_PHRASES: &[Phrase] = &[
    Phrase::line("expect accepted", "expect accepted", "The line before was carried out.", |_| Ok(expect(E::Accepted))),
    Phrase::line("expect refused | CODE", "expect refused bets-closed", "It was refused, with that code.", |reader| {
        let codes = Refusal::ALL.iter().map(|refusal| (refusal.code(), *refusal));
        Ok(expect(E::Refused(reader.choice("a refusal's code like bets-closed", codes)?)))
    }),
    Phrase::seat(
        "expect balance of seat SEAT | AMOUNT",
        "expect balance of seat 3 1050",
        "Free credits of a terminal.",
        |reader, seat| Ok(expect(E::Balance(seat, reader.amount()?))),
    ),
    Phrase::seat(
        "expect stacker of seat SEAT | AMOUNT",
        "expect stacker of seat 3 150",
        "What the note acceptor of a terminal has accepted since its stacker was emptied.",
        |reader, seat| Ok(expect(E::Stacker(seat, reader.amount()?))),
    ),
    Phrase::seat(
        "expect result of seat SEAT | AMOUNT",
        "expect result of seat 3 -50",
        "What a seat has won, or lost, over all rounds.",
        |reader, seat| Ok(expect(E::Result(seat, reader.signed()?))),
    ),
    Phrase::seat(
        "expect chips of seat SEAT | AMOUNT",
        "expect chips of seat 3 100",
        "What the Colour Chips in front of a player are worth.",
        |reader, seat| Ok(expect(E::Colour(seat, reader.amount()?))),
    ),
    Phrase::seat("expect locked seat SEAT", "expect locked seat 3", "A large win has locked the seat.", |_, seat| {
        Ok(expect(E::Locked(seat)))
    }),
    Phrase::line("expect house | AMOUNT", "expect house -40", "The House's result at this table.", |reader| {
        Ok(expect(E::House(reader.signed()?)))
    }),
    Phrase::line(
        "expect phase | PHASE",
        "expect phase settled",
        "`shut`, `idle`, `open`, `closed`, `result` while winners are registered, `settled` or `void`.",
        |reader| {
            let phases = [
                ("shut", Phase::Shut),
                ("idle", Phase::Idle),
                ("open", Phase::Open),
                ("closed", Phase::Closed),
                ("result", Phase::Result),
                ("settled", Phase::Settled),
                ("void", Phase::Void),
            ];
            Ok(expect(E::Phase(reader.choice("a phase: shut, idle, open, closed, result, settled or void", phases)?)))
        },
    ),
    Phrase::line("expect held", "expect held", "Play is held.", |_| Ok(expect(E::Held))),
    Phrase::line(
        "expect round | [ROUND] settled FACE FACE FACE",
        "expect round 1 settled 2 4 6",
        "How a round was settled; the last one if none is named.",
        round,
    ),
    Phrase::line(
        "expect round | [ROUND] void PARAGRAPH",
        "expect round 1 void 5.5.1",
        "By which paragraph a round is void; where the law voids it, `malfunction`, `force majeure` or `suspected offence`.",
        round,
    ),
    Phrase::line(
        "expect room | AMOUNT on BOX",
        "expect room 4950 on big",
        "What may still be placed on a box.",
        |reader| {
            let amount = on(reader)?;
            Ok(expect(E::Room(reader.bet_box()?, amount)))
        },
    ),
    Phrase::line(
        "expect excess | AMOUNT on BOX",
        "expect excess 50 on big",
        "What is over a box's maximum or Differential.",
        |reader| {
            let amount = on(reader)?;
            Ok(expect(E::Excess(reader.bet_box()?, amount)))
        },
    ),
    Phrase::line("expect advice on | BOX", "expect advice on big", "The box is below its minimum.", |reader| {
        Ok(expect(E::Advice(reader.bet_box()?)))
    }),
    Phrase::seat(
        "expect pays seat SEAT | AMOUNT",
        "expect pays seat 3 100",
        "What the pay list of a live table gives a seat, with what is returned.",
        |reader, seat| Ok(expect(E::Pays(seat, reader.amount()?))),
    ),
    Phrase::seat(
        "expect gives seat SEAT | AMOUNT",
        "expect gives seat 3 100",
        "What is left to give of it, as the seat is ticked off.",
        |reader, seat| Ok(expect(E::Gives(seat, reader.amount()?))),
    ),
    Phrase::line(
        "expect returns | COUNT",
        "expect returns 0",
        "How many rounds still wait for unregistered bets to be registered from the film.",
        |reader| Ok(expect(E::Returns(reader.parse("how many rounds")?))),
    ),
    Phrase::line("expect claims | AMOUNT", "expect claims 100", "All that is owed by hand.", |reader| {
        Ok(expect(E::Claims(reader.amount()?)))
    }),
    Phrase::line("expect receivables | AMOUNT", "expect receivables 20", "All that players owe.", |reader| {
        Ok(expect(E::Receivables(reader.amount()?)))
    }),
    Phrase::line("expect vouchers | AMOUNT", "expect vouchers 200", "All vouchers that are good.", |reader| {
        Ok(expect(E::Vouchers(reader.amount()?)))
    }),
    Phrase::line(
        "expect approval | APPROVAL STANDING",
        "expect approval 1 granted",
        "`waiting`, `granted`, `refused` or `over`.",
        |reader| {
            let approval = reader.parse("the approval's number").map(ApprovalId)?;
            Ok(expect(E::Approval(approval, standing(reader)?)))
        },
    ),
];

fn expect(expectation: E) -> ScriptStep {
    ScriptStep { who: ScriptActor::System, action: Action::Expect(expectation) }
}

fn on(reader: &mut LineReader) -> Result<Money, ScriptFault> {
    let amount = reader.amount()?;
    reader.must("on")?;
    Ok(amount)
}

fn standing(reader: &mut LineReader) -> Result<ApprovalStanding, ScriptFault> {
    let standings = [
        ("waiting", ApprovalStanding::Waiting),
        ("granted", ApprovalStanding::Granted),
        ("refused", ApprovalStanding::Refused),
        ("over", ApprovalStanding::Over),
    ];
    reader.choice("waiting, granted, refused or over", standings)
}

/// `2 void 5.6`, `settled 2 4 6`.
fn round(reader: &mut LineReader) -> ParsedStep {
    let is_named = reader.peek().starts_with(|first: char| first.is_ascii_digit());
    let round: Option<RoundNumber> = if is_named { Some(reader.round()?) } else { None };
    if reader.take("void") {
        let law = LAW.into_iter().find(|(words, _)| reader.take(words));
        let by = match law {
            Some((_, reason)) => VoidBy::Law(reason),
            None => VoidBy::Paragraph(
                reader.parse("the paragraph, like 5.5.1, or what the law voids for, like malfunction")?,
            ),
        };
        return Ok(expect(E::Void(round, by)));
    }
    if reader.take("settled") {
        return Ok(expect(E::Settled(round, reader.dice()?)));
    }
    Err(reader.expected("“void” and a paragraph, or “settled” and the dice"))
}

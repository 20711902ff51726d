//! Lines of the House's money: vouchers, claims, receivables, and the rulings on them.

use taisai_table::{
    ClaimId, ClusterCommand, HouseCommand as C, ReceivableId, ReceivableRuling, Redeemer, RoundCommand, RoundNumber,
    Ruling, VoucherHash,
};

use super::round::irregularity;
use super::{ParsedStep, done_by, seat, sent_by};
use crate::language::Phrase;
use crate::line_reader::LineReader;
use crate::script::{Action, CLUSTER, MachineCommand, ScriptFault, first_acceptor, voucher};

pub(crate) const CAGE_PHRASES: &[Phrase] = &[
    Phrase::line(
        "sell voucher of | AMOUNT by PERSON [and PERSON]",
        "sell voucher of 200 by cashier 8",
        "Sells a voucher for cash; it is counted with those of the seats. Above the profile's limit it takes a second person.",
        |reader| {
            let amount = reader.amount()?;
            let (person, second) = reader.by_two()?;
            Ok(done_by(person, Action::SellVoucher { amount, second }))
        },
    ),
    Phrase::line(
        "redeem voucher | VOUCHER at cage by PERSON",
        "redeem voucher 1 at cage by cashier 8",
        "Pays a voucher in cash.",
        seat::redeem,
    ),
    Phrase::line(
        "void voucher | VOUCHER by PERSON and PERSON because WHY",
        "void voucher 1 by cashier 8 and supervisor 7 because the print cannot be read",
        "Voids a voucher: its amount becomes a claim.",
        |reader| {
            let hash = voucher_hash(reader)?;
            let (person, second) = reader.by_two()?;
            Ok(sent_by(person, C::VoidVoucher { hash, why: reader.why()?, second }))
        },
    ),
    Phrase::line(
        "issue voucher | VOUCHER anew by PERSON and PERSON",
        "issue voucher 1 anew by cashier 8 and supervisor 7",
        "Issues a voucher under a new number, as the next one; the one before is dead.",
        |reader| {
            let voucher = voucher_hash(reader)?;
            reader.must("anew")?;
            let (person, second) = reader.by_two()?;
            Ok(done_by(person, Action::ReissueVoucher { voucher, second }))
        },
    ),
    Phrase::line(
        "confirm voucher | VOUCHER by PERSON",
        "confirm voucher 1 by cashier 8",
        "The person who sold a voucher, or had it issued again, confirms that it is printed.",
        |reader| {
            let hash = voucher_hash(reader)?;
            Ok(done_by(reader.by_person()?, Action::ConfirmVoucher(hash)))
        },
    ),
    Phrase::line(
        "take claim | CLAIM by PERSON",
        "take claim 1 by attendant 9",
        "An attendant has a claim and is on the way to pay it: the player cannot take it back any more.",
        |reader| {
            let claim = reader.parse("the claim's number").map(ClaimId)?;
            Ok(sent_by(reader.by_person()?, C::TakeClaim { claim }))
        },
    ),
    Phrase::line(
        "pay claim | CLAIM by PERSON [and PERSON]",
        "pay claim 1 by attendant 9",
        "Pays a claim by hand; above the profile's limit it takes a second person.",
        |reader| {
            let claim = reader.parse("the claim's number").map(ClaimId)?;
            let (person, second) = reader.by_two()?;
            Ok(sent_by(person, C::PayClaim { claim, second }))
        },
    ),
    Phrase::seat(
        "empty stacker of seat SEAT | with COUNT notes of AMOUNT by PERSON",
        "empty stacker of seat 3 with 2 notes of 100 by cashier 8",
        "Empties the stacker of a note acceptor: how many notes were counted, and what they are worth together.",
        |reader, seat| {
            reader.must("with")?;
            let notes = reader.parse("how many notes")?;
            reader.must("notes of")?;
            let amount = reader.amount()?;
            let acceptor = first_acceptor(seat);
            Ok(sent_by(reader.by_person()?, ClusterCommand::EmptyStacker { acceptor, notes, amount }))
        },
    ),
    Phrase::seat(
        "clear lock of seat SEAT | by PERSON",
        "clear lock of seat 3 by attendant 9",
        "Clears the lock of a large win.",
        |reader, seat| Ok(sent_by(reader.by_person()?, ClusterCommand::ClearLock { seat })),
    ),
    Phrase::seat(
        "clear voucher lock of seat SEAT | by PERSON",
        "clear voucher lock of seat 3 by attendant 9",
        "Lets a seat redeem again after too many wrong numbers.",
        |reader, seat| clear(reader, Redeemer::Seat { cluster: CLUSTER, seat }),
    ),
    Phrase::line(
        "clear voucher lock of person | NUMBER by PERSON",
        "clear voucher lock of person 8 by supervisor 7",
        "The same for somebody at the cage.",
        |reader| {
            let person = reader.person_number()?;
            clear(reader, Redeemer::Person(person))
        },
    ),
];

pub(crate) const SHIFT_MANAGER_PHRASES: &[Phrase] = &[
    Phrase::line(
        "ruling | by PERSON [with PERSON]: void round ROUND because WHY",
        "ruling by shift-manager 1 with casino-manager 6: void round 2 because the tumbler had been opened",
        "Voids a round by ruling. Where a ruling moves money, it waits for a second person: named in the same line, or in the line below.",
        ruling,
    ),
    Phrase::line(
        "ruling | by PERSON [with PERSON]: conclude with FACE FACE FACE because WHY",
        "ruling by shift-manager 1: conclude with 2 4 6 because the camera shows the third die",
        "Concludes a round that was interrupted with an outcome established.",
        ruling,
    ),
    Phrase::line(
        "ruling | by PERSON [with PERSON]: void round ROUND as IRREGULARITY because WHY",
        "ruling by shift-manager 1 with casino-manager 6: void round 2 as not flat because the film shows a die on its edge",
        "The same for an irregularity of the current round that was found after the commit: it binds the ruling.",
        ruling,
    ),
    Phrase::line(
        "ruling | by PERSON [with PERSON]: settle round ROUND by FACE FACE FACE because WHY",
        "ruling by shift-manager 1 with casino-manager 6: settle round 2 by 1 2 3 because the camera shows 1 2 3",
        "Settles a round by these dice.",
        ruling,
    ),
    Phrase::line(
        "ruling | by PERSON [with PERSON]: reinstate round ROUND with FACE FACE FACE because WHY",
        "ruling by shift-manager 1: reinstate round 2 with 1 2 3 because the dice lay flat",
        "Settles a void round after all.",
        ruling,
    ),
    Phrase::line(
        "witness ruling on round | ROUND by PERSON",
        "witness ruling on round 2 by casino-manager 6",
        "A second person has seen a ruling that moves money: it is moved.",
        |reader| {
            let round = reader.round()?;
            Ok(done_by(reader.by_person()?, Action::Witness(round)))
        },
    ),
    Phrase::line(
        "ruling | by PERSON: pay voucher VOUCHER because WHY",
        "ruling by shift-manager 1: pay voucher 2 because the player was in hospital",
        "Pays an expired voucher after all: its amount becomes a claim.",
        ruling,
    ),
    Phrase::line(
        "ruling | by PERSON: note because WHY",
        "ruling by shift-manager 1: note because seat 3 disputes round 2",
        "Records a ruling that changes nothing.",
        ruling,
    ),
    Phrase::line(
        "collect | AMOUNT of receivable RECEIVABLE by PERSON because WHY",
        "collect 20 of receivable 1 by shift-manager 1 because the player came back",
        "A player has paid what was owed, or a part; receivables are counted from 1.",
        |reader| {
            let amount = reader.amount()?;
            reader.must("of receivable")?;
            rule(reader, ReceivableRuling::Collected { amount })
        },
    ),
    Phrase::line(
        "write off receivable | RECEIVABLE by PERSON because WHY",
        "write off receivable 1 by shift-manager 1 because the player has left the casino",
        "The House bears what is left.",
        |reader| rule(reader, ReceivableRuling::WrittenOff),
    ),
];

pub(crate) fn voucher_hash(reader: &mut LineReader) -> Result<VoucherHash, ScriptFault> {
    reader.parse("the voucher's number").map(|number| voucher(number).hash)
}

pub(crate) fn redeem_at_cage(reader: &mut LineReader, hash: VoucherHash) -> ParsedStep {
    Ok(sent_by(reader.by_person()?, C::RedeemAtCage { hash }))
}

fn clear(reader: &mut LineReader, redeemer: Redeemer) -> ParsedStep {
    Ok(sent_by(reader.by_person()?, C::ClearRedemptionLock { redeemer }))
}

fn rule(reader: &mut LineReader, ruling: ReceivableRuling) -> ParsedStep {
    let receivable = reader.parse("the receivable's number").map(ReceivableId)?;
    let person = reader.by_person()?;
    Ok(sent_by(person, C::RuleReceivable { receivable, ruling, why: reader.why()? }))
}

/// `by shift-manager 1 with casino-manager 6: void round 2 because …`.
fn ruling(reader: &mut LineReader) -> ParsedStep {
    let person = reader.by_person()?;
    let second = reader.with_person()?;
    reader.must(":")?;
    let command: MachineCommand = if reader.take("pay") {
        reader.must("voucher")?;
        let hash = voucher_hash(reader)?;
        C::RuleExpired { hash, why: reader.why()? }.into()
    } else {
        let ruling = of_round(reader)?;
        RoundCommand::Rule { ruling, why: reader.why()?, second }.into()
    };
    Ok(sent_by(person, command))
}

fn of_round(reader: &mut LineReader) -> Result<Ruling, ScriptFault> {
    if reader.take("conclude") {
        reader.must("with")?;
        Ok(Ruling::Conclude { dice: reader.dice()? })
    } else if reader.take("void") {
        reader.must("round")?;
        let round = reader.round()?;
        let fact = if reader.take("as") { Some(irregularity(reader)?) } else { None };
        Ok(Ruling::Void { round, fact })
    } else if reader.take("settle") {
        reader.must("round")?;
        let round = reader.round()?;
        reader.must("by")?;
        Ok(Ruling::Settle { round, dice: reader.dice()? })
    } else if reader.take("reinstate") {
        reader.must("round")?;
        let round: RoundNumber = reader.round()?;
        reader.must("with")?;
        Ok(Ruling::Settle { round, dice: reader.dice()? })
    } else if reader.take("note") {
        Ok(Ruling::Note)
    } else {
        Err(reader.expected(
            "a ruling: “conclude with 2 4 6”, “void round 2”, “settle round 2 by 1 2 3”, “reinstate round 2 with 1 2 3”, “pay voucher 2” or “note”",
        ))
    }
}

//! Lines of the players' side: bets, credits, Colour Chips.

use taisai_table::{
    CashOut, Chips, ClaimId, ClusterCommand as C, HouseCommand, Person, Receipt, Role, Roles, Seat, Stake, Stakes,
};

use super::{ParsedStep, by, money, send, sent_by};
use crate::installation::OFFICE;
use crate::language::Phrase;
use crate::line_reader::LineReader;
use crate::script::{Action, CLUSTER, ScriptActor, ScriptFault};

/// The colours of chip sets. Set numbers begin at one.
pub(crate) const COLOURS: [&str; 10] =
    ["red", "blue", "green", "yellow", "orange", "pink", "purple", "brown", "white", "black"];

/// At a Player Terminal the player acts, at a live table the Dealer.
pub(crate) const PLAYER_PHRASES: &[Phrase] = &[
    Phrase::seat(
        "seat SEAT bets | STAKES [in colour chips] [by chip reader]",
        "seat 3 bets 50 on big and 10 on sum:9",
        "Places bets, all or none. The chip reader of a live table can report it, too, and that bets are withdrawn or left.",
        |reader, seat| {
            let (stakes, chips) = stakes(reader, "on")?;
            send(reader, ScriptActor::Seat(seat), C::Place { seat, chips, stakes })
        },
    ),
    Phrase::seat(
        "seat SEAT withdraws | STAKES [in colour chips]",
        "seat 3 withdraws 10 from sum:9",
        "Takes bets back.",
        |reader, seat| {
            let (stakes, chips) = stakes(reader, "from")?;
            send(reader, ScriptActor::Seat(seat), C::Withdraw { seat, chips, stakes })
        },
    ),
    Phrase::seat("seat SEAT clears", "seat 3 clears", "Takes every bet back.", |reader, seat| {
        send(reader, ScriptActor::Seat(seat), C::Clear { seat })
    }),
    Phrase::seat("seat SEAT repeats", "seat 3 repeats", "Places the bets of the last round again.", |reader, seat| {
        send(reader, ScriptActor::Seat(seat), C::Repeat { seat })
    }),
    Phrase::seat("seat SEAT doubles", "seat 3 doubles", "Doubles every bet.", |reader, seat| {
        send(reader, ScriptActor::Seat(seat), C::Double { seat })
    }),
    Phrase::seat(
        "seat SEAT buys in | AMOUNT [by PERSON [and PERSON]]",
        "seat 3 buys in 1000",
        "Puts credits on the seat for cash that somebody takes; an attendant, with a manager, if the line names nobody. \
         Above the profile's limit it takes two.",
        buy_in,
    ),
    Phrase::seat(
        "reverse buy-in of seat SEAT | RECEIPT by PERSON and PERSON because WHY",
        "reverse buy-in of seat 3 1 by cashier 8 and supervisor 7 because it was for seat 4",
        "Two people reverse the last buy-in of the seat, by the number on its receipt: the player gets the cash back.",
        |reader, seat| {
            let receipt = reader.parse("the number of the receipt").map(Receipt)?;
            let (person, second) = reader.by_two()?;
            Ok(sent_by(person, C::ReverseBuyIn { seat, receipt, why: reader.why()?, second }))
        },
    ),
    Phrase::seat(
        "seat SEAT reads | message NUMBER",
        "seat 3 reads message 1",
        "The player has read what the terminal tells, up to that message.",
        |reader, seat| {
            reader.must("message")?;
            let message = reader.parse("the number of the message")?;
            send(reader, ScriptActor::Seat(seat), C::Read { seat, message })
        },
    ),
    Phrase::seat(
        "acceptor of seat SEAT takes | AMOUNT",
        "acceptor of seat 3 takes 50",
        "The note acceptor of the terminal holds a note and asks whether to stack it. Every terminal has one where the \
         profile names notes, like `training`.",
        |reader, seat| {
            let amount = reader.amount()?;
            send(reader, ScriptActor::NoteAcceptor(seat), C::AcceptNote { seat, amount })
        },
    ),
    Phrase::seat(
        "acceptor of seat SEAT counts | COUNT notes",
        "acceptor of seat 3 counts 2 notes",
        "The note acceptor tells how many notes are in its stacker.",
        |reader, seat| {
            let notes = reader.parse("how many notes")?;
            reader.must("notes")?;
            send(reader, ScriptActor::NoteAcceptor(seat), C::CountStacker { seat, notes })
        },
    ),
    Phrase::seat(
        "seat SEAT cashes out",
        "seat 3 cashes out",
        "Turns the credits into a voucher; vouchers are counted from 1.",
        |reader, seat| by(reader, ScriptActor::Seat(seat), Action::CashOut(seat)),
    ),
    Phrase::seat(
        "seat SEAT cashes out by hand",
        "seat 3 cashes out by hand",
        "Turns the credits into a claim; claims are counted from 1.",
        |reader, seat| send(reader, ScriptActor::Seat(seat), C::CashOut { seat, to: CashOut::HandPay }),
    ),
    Phrase::seat(
        "seat SEAT confirms voucher | VOUCHER",
        "seat 3 confirms voucher 1",
        "The player has the voucher that was cashed out: from now on only two people can have it issued anew.",
        |reader, seat| {
            let hash = money::voucher_hash(reader)?;
            by(reader, ScriptActor::Seat(seat), Action::ConfirmVoucher(hash))
        },
    ),
    Phrase::seat(
        "seat SEAT shows voucher | VOUCHER anew",
        "seat 3 shows voucher 1 anew",
        "The terminal shows a voucher that nobody has confirmed under a new number, as the next one; the one before is dead.",
        |reader, seat| {
            let voucher = money::voucher_hash(reader)?;
            reader.must("anew")?;
            by(reader, ScriptActor::Seat(seat), Action::ReissueVoucher { voucher, second: None })
        },
    ),
    Phrase::seat(
        "seat SEAT takes back claim | CLAIM",
        "seat 3 takes back claim 1",
        "Turns a cash-out by hand into credits again, as long as no attendant has the claim.",
        |reader, seat| {
            let claim = reader.parse("the claim's number").map(ClaimId)?;
            send(reader, ScriptActor::Seat(seat), HouseCommand::TakeBackClaim { claim })
        },
    ),
    Phrase::seat(
        "seat SEAT reads claim | CLAIM",
        "seat 3 reads claim 1",
        "The player has read at the terminal that a claim was paid.",
        |reader, seat| {
            let claim = reader.parse("the claim's number").map(ClaimId)?;
            send(reader, ScriptActor::Seat(seat), HouseCommand::ReadClaim { claim })
        },
    ),
    Phrase::line(
        "redeem voucher | VOUCHER at seat SEAT",
        "redeem voucher 1 at seat 3",
        "Turns a voucher into credits.",
        redeem,
    ),
    Phrase::seat(
        "seat SEAT gets | COUNT COLOUR chips at AMOUNT [with PERSON]",
        "seat 3 gets 20 blue chips at 5",
        "Issues Colour Chips of that value; above the profile's limit it takes two.",
        colour,
    ),
    Phrase::seat(
        "seat SEAT converts chips",
        "seat 3 converts chips",
        "Turns the Colour Chips into cash chips.",
        |reader, seat| send(reader, ScriptActor::Dealer, C::RedeemColour { seat }),
    ),
    Phrase::seat("seat SEAT leaves", "seat 3 leaves", "Frees the seat.", |reader, seat| {
        send(reader, ScriptActor::Seat(seat), C::Leave { seat })
    }),
    Phrase::seat(
        "seat SEAT walks away",
        "seat 3 walks away",
        "The player goes; bets stay and are settled.",
        |reader, seat| send(reader, ScriptActor::Dealer, C::WalkAway { seat }),
    ),
    Phrase::seat(
        "seat SEAT lets lie | STAKES",
        "seat 3 lets lie 500 on big",
        "Bets that were refused as over a limit lie on the layout all the same: the Dealer registers them, and they count pro rata.",
        |reader, seat| {
            let (stakes, chips) = stakes(reader, "on")?;
            send(reader, ScriptActor::Dealer, C::PlaceExcess { seat, chips, stakes })
        },
    ),
];

/// `50 on big and 10 on sum:9 in colour chips`.
fn stakes(reader: &mut LineReader, on: &str) -> Result<(Stakes, Chips), ScriptFault> {
    let mut stakes = Stakes::new();
    loop {
        let amount = reader.amount()?;
        reader.must(on)?;
        stakes.push(Stake { bet_box: reader.bet_box()?, amount });
        if !reader.take("and") {
            break;
        }
    }
    let chips = if reader.take("in") {
        reader.must("colour chips")?;
        Chips::Colour
    } else {
        Chips::Own
    };
    Ok((stakes, chips))
}

/// `50 on big for seat 3 with supervisor 7`.
pub(crate) fn register(reader: &mut LineReader) -> ParsedStep {
    let (stakes, _) = stakes(reader, "on")?;
    reader.must("for seat")?;
    let seat = reader.seat()?;
    let second = reader.with_person()?;
    send(reader, ScriptActor::Dealer, C::Register { seat, stakes, second })
}

/// `film of round 3 shows 100 on big for seat 2 by supervisor 7 and manager 2 because …`, which says who played there.
pub(crate) fn film(reader: &mut LineReader) -> ParsedStep {
    let round = reader.round()?;
    reader.must("shows")?;
    let amount = reader.amount()?;
    reader.must("on")?;
    let stake = Stake { bet_box: reader.bet_box()?, amount };
    reader.must("for seat")?;
    let seat = reader.seat()?;
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::RegisterFromFilm { round, seat, player: reader.why()?, stake, second }))
}

/// `take line 2 off the film of round 3 by supervisor 7 and manager 2`.
pub(crate) fn withdraw_from_film(reader: &mut LineReader) -> ParsedStep {
    let line = reader.parse("the number of a line")?;
    reader.must("off the film of round")?;
    let round = reader.round()?;
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::WithdrawFromFilm { round, line, second }))
}

pub(crate) fn close_returns(reader: &mut LineReader) -> ParsedStep {
    let round = reader.round()?;
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::CloseReturns { round, second }))
}

/// If the line does not say who takes the cash, two people do.
fn buy_in(reader: &mut LineReader, seat: Seat) -> ParsedStep {
    let amount = reader.amount()?;
    if reader.peek() != "by" {
        let second = Some(Person { id: OFFICE, roles: Roles::of(&[Role::CasinoManager]) });
        return send(reader, ScriptActor::Attendant, C::BuyIn { seat, amount, second });
    }
    let (person, second) = reader.by_two()?;
    Ok(sent_by(person, C::BuyIn { seat, amount, second }))
}

/// Redeems a voucher: at a seat the player there, at the cage a cashier.
pub(crate) fn redeem(reader: &mut LineReader) -> ParsedStep {
    let hash = money::voucher_hash(reader)?;
    reader.must("at")?;
    if reader.take("cage") {
        return money::redeem_at_cage(reader, hash);
    }
    if !reader.take("seat") {
        return Err(reader.expected("“cage” or “seat”"));
    }
    let seat = reader.seat()?;
    send(reader, ScriptActor::Seat(seat), HouseCommand::RedeemAtSeat { hash, cluster: CLUSTER, seat })
}

fn colour(reader: &mut LineReader, seat: Seat) -> ParsedStep {
    let chips = reader.parse("how many chips")?;
    let what = format!("a colour: {}", COLOURS.join(", "));
    let colour = reader.choice(&what, COLOURS.into_iter().zip(1..))?;
    reader.must("chips at")?;
    let value = reader.amount()?;
    let second = reader.with_person()?;
    send(reader, ScriptActor::Dealer, C::IssueColour { seat, colour, value, chips, second })
}

/// A member of staff places bets for a player.
pub(crate) fn bets_for(reader: &mut LineReader, who: ScriptActor) -> ParsedStep {
    let (stakes, chips) = stakes(reader, "on")?;
    reader.must("for seat")?;
    let seat = reader.seat()?;
    Ok(super::ScriptStep { who, action: Action::Send(C::PlaceFor { seat, chips, stakes }.into()) })
}

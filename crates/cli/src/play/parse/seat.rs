//! Lines of the players' side: bets, credits, Colour Chips, terminals.

use taisai_rules::Money;
use taisai_table::{
    Actor, CashOut, Chips, ClusterCommand, Method, Person, Position, RoundCommand, Seat, Stake, Stakes,
};

use super::super::reader::Reader;
use super::super::script::{Act, Fault, Step, Who};
use super::{Parsed, by};

/// The colours of chip sets, by their numbers from one.
pub(crate) const COLOURS: [&str; 10] =
    ["red", "blue", "green", "yellow", "orange", "pink", "purple", "brown", "white", "black"];

/// `seat 3 …`.
pub(super) fn seat(reader: &mut Reader) -> Parsed {
    use ClusterCommand as C;
    reader.must("seat")?;
    let seat = reader.seat()?;
    let act = match &*reader.peek() {
        "bets" => {
            reader.skip();
            let (stakes, chips) = stakes(reader, "on")?;
            C::Place { seat, chips, stakes }
        }
        "withdraws" => {
            reader.skip();
            let (stakes, chips) = stakes(reader, "from")?;
            C::Withdraw { seat, chips, stakes }
        }
        "clears" => plain(reader, C::Clear { seat }),
        "repeats" => plain(reader, C::Repeat { seat }),
        "doubles" => plain(reader, C::Double { seat }),
        "leaves" => plain(reader, C::Leave { seat }),
        "walks" => {
            reader.must("walks away")?;
            return by(reader, Who::Dealer, |_| Ok(Act::Cluster(C::WalkAway { seat })));
        }
        "buys" => return buy_in(reader, seat),
        "cashes" => {
            reader.must("cashes out")?;
            if !reader.take("by hand") {
                return by(reader, Who::Seat(seat), |_| Ok(Act::CashOut(seat)));
            }
            C::CashOut { seat, to: CashOut::HandPay }
        }
        "gets" => return colour(reader, seat),
        "converts" => {
            reader.must("converts chips")?;
            return by(reader, Who::Dealer, |_| Ok(Act::Cluster(C::RedeemColour { seat })));
        }
        _ => {
            return Err(reader.expected(
                "what the player does: bets, withdraws, clears, repeats, doubles, buys in, cashes out, gets chips, \
                 converts chips, leaves or walks away",
            ));
        }
    };
    by(reader, Who::Seat(seat), |_| Ok(Act::Cluster(act)))
}

fn plain(reader: &mut Reader, command: ClusterCommand) -> ClusterCommand {
    reader.skip();
    command
}

/// `50 on big and 10 on sum:9 in colour chips`.
fn stakes(reader: &mut Reader, on: &str) -> Result<(Stakes, Chips), Fault> {
    let mut stakes = Stakes::new();
    loop {
        let amount = reader.amount()?;
        reader.must(on)?;
        stakes.push(Stake { bet_box: reader.bet_box()?, amount });
        if !reader.take("and") && !reader.take(",") {
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

/// A note in the terminal's acceptor, or cash where somebody takes it.
fn buy_in(reader: &mut Reader, seat: Seat) -> Parsed {
    reader.must("buys in")?;
    let amount = reader.amount()?;
    by(reader, Who::Seat(seat), |by| {
        let method = if by.first.is_some() { Method::Cash } else { Method::Note };
        Ok(Act::Cluster(ClusterCommand::BuyIn { seat, amount, method }))
    })
}

/// `gets 100 blue chips at 5`.
fn colour(reader: &mut Reader, seat: Seat) -> Parsed {
    reader.must("gets")?;
    let chips = reader.parse("how many chips")?;
    let what = || format!("a colour: {}", COLOURS.join(", "));
    let colour = (1..).zip(COLOURS).find(|(_, name)| reader.peek() == *name).map(|(number, _)| number);
    let colour = colour.ok_or_else(|| reader.expected(&what()))?;
    reader.skip();
    reader.must("chips at")?;
    let value: Money = reader.amount()?;
    by(reader, Who::Dealer, |_| Ok(Act::Cluster(ClusterCommand::IssueColour { seat, colour, value, chips })))
}

/// `dealer bets 50 on big for seat 4`, `supervisor 7 bets …`; nothing if the line is about something else.
pub(super) fn placed_by_staff(reader: &mut Reader) -> Result<Option<Step>, Fault> {
    let who = if reader.take("dealer bets") {
        Who::Dealer
    } else if reader.take("supervisor bets") {
        Who::Pit
    } else {
        return Ok(None);
    };
    place_for(reader, who).map(Some)
}

/// `bets` has been read.
fn place_for(reader: &mut Reader, who: Who) -> Parsed {
    let (stakes, chips) = stakes(reader, "on")?;
    reader.must("for seat")?;
    let seat = reader.seat()?;
    by(reader, who, |_| Ok(Act::Cluster(ClusterCommand::PlaceFor { seat, chips, stakes })))
}

/// What a person named with a number does: takes a position, or places bets for a player.
pub(super) fn named(reader: &mut Reader, person: Person, position: Option<Position>) -> Parsed {
    if reader.take("bets") {
        return place_for(reader, Who::Named(Actor::Person(person)));
    }
    match position {
        Some(position) => {
            let command = RoundCommand::Relieve { position, person: Some(person.id) };
            by(reader, Who::Pit, |_| Ok(Act::Round(command)))
        }
        None => Ok(Step { who: Who::System, act: Act::OnDuty(person) }),
    }
}

/// `terminal 3 lost`, `terminal 3 back`.
pub(super) fn terminal(reader: &mut Reader) -> Parsed {
    reader.must("terminal")?;
    let seat = reader.seat()?;
    let command = if reader.take("lost") {
        ClusterCommand::Lost { seat }
    } else if reader.take("back") {
        ClusterCommand::Back { seat }
    } else {
        return Err(reader.expected("“lost” or “back”"));
    };
    Ok(Step { who: Who::System, act: Act::Cluster(command) })
}

/// `clear lock of seat 3 by attendant 9`.
pub(super) fn clear_lock(reader: &mut Reader) -> Parsed {
    reader.must("clear lock of seat")?;
    let seat = reader.seat()?;
    by(reader, Who::Pit, |_| Ok(Act::Cluster(ClusterCommand::ClearLock { seat })))
}

pub(super) fn reject_excess(reader: &mut Reader) -> Parsed {
    reader.must("reject excess")?;
    by(reader, Who::Dealer, |_| Ok(Act::Cluster(ClusterCommand::RejectExcess)))
}

//! Lines that say what must be so.

use taisai_rules::Paragraph;
use taisai_table::{Phase, Refusal, RoundNumber};

use super::super::reader::Reader;
use super::super::script::{Act, Expectation, Fault, Step, Who};
use super::Parsed;

pub(super) fn expect(reader: &mut Reader) -> Parsed {
    use Expectation as E;
    reader.must("expect")?;
    let word = reader.peek();
    let expectation = match &*word {
        "accepted" => {
            reader.skip();
            E::Accepted
        }
        "refused" => {
            reader.skip();
            E::Refused(refusal(reader)?)
        }
        "balance" | "result" | "chips" => {
            reader.skip();
            reader.take("of");
            reader.must("seat")?;
            let seat = reader.seat()?;
            match &*word {
                "balance" => E::Balance(seat, reader.amount()?),
                "chips" => E::Colour(seat, reader.amount()?),
                _ => E::Result(seat, reader.signed()?),
            }
        }
        "house" => {
            reader.skip();
            E::House(reader.signed()?)
        }
        "phase" => {
            reader.skip();
            E::Phase(phase(reader)?)
        }
        "held" => {
            reader.skip();
            E::Held
        }
        "round" => {
            reader.skip();
            round(reader)?
        }
        "claims" => {
            reader.skip();
            E::Claims(reader.amount()?)
        }
        "receivables" => {
            reader.skip();
            E::Receivables(reader.amount()?)
        }
        "room" | "excess" => {
            reader.skip();
            let amount = reader.amount()?;
            reader.must("on")?;
            let bet_box = reader.bet_box()?;
            if word == "room" { E::Room(bet_box, amount) } else { E::Excess(bet_box, amount) }
        }
        "advice" => {
            reader.must("advice on")?;
            E::Advice(reader.bet_box()?)
        }
        "locked" => {
            reader.must("locked seat")?;
            E::Locked(reader.seat()?)
        }
        _ => {
            return Err(reader.expected(
                "accepted, refused, balance, result, chips, house, phase, held, round, claims, receivables, room, \
                 excess, advice or locked",
            ));
        }
    };
    Ok(Step { who: Who::System, act: Act::Expect(expectation) })
}

fn refusal(reader: &mut Reader) -> Result<Refusal, Fault> {
    let code = reader.peek();
    let found = Refusal::ALL.iter().find(|refusal| refusal.code() == code);
    let refusal = *found.ok_or_else(|| reader.expected("a refusal's code like bets-closed"))?;
    reader.skip();
    Ok(refusal)
}

fn phase(reader: &mut Reader) -> Result<Phase, Fault> {
    let phases = [
        ("shut", Phase::Shut),
        ("idle", Phase::Idle),
        ("open", Phase::Open),
        ("closed", Phase::Closed),
        ("settled", Phase::Settled),
        ("void", Phase::Void),
    ];
    let found = phases.into_iter().find(|(word, _)| reader.take(word));
    found.map(|(_, phase)| phase).ok_or_else(|| reader.expected("a phase: shut, idle, open, closed, settled or void"))
}

/// `round 2 void 5.6`, `round settled 2 4 6`.
fn round(reader: &mut Reader) -> Result<Expectation, Fault> {
    let is_named = reader.peek().starts_with(|first: char| first.is_ascii_digit());
    let round: Option<RoundNumber> = if is_named { Some(reader.round()?) } else { None };
    if reader.take("void") {
        let paragraph: Paragraph = reader.parse("the paragraph, like 5.5.1")?;
        return Ok(Expectation::Void(round, paragraph));
    }
    if reader.take("settled") {
        return Ok(Expectation::Settled(round, reader.dice()?));
    }
    Err(reader.expected("“void” and a paragraph, or “settled” and the dice"))
}

//! Lines of the House: claims, vouchers, receivables, and time that passes.

use taisai_table::{ClaimId, HouseCommand, ReceivableId, ReceivableRuling};

use super::super::reader::Reader;
use super::super::script::{Act, Fault, Who};
use super::{Parsed, by};

pub(super) fn step(reader: &mut Reader) -> Parsed {
    if reader.take("pay") {
        reader.must("claim")?;
        let claim = reader.parse("the claim's number").map(ClaimId)?;
        return by(reader, Who::Pit, |by| Ok(Act::House(HouseCommand::PayClaim { claim, second: by.second })));
    }
    if reader.take("redeem") {
        return redeem(reader);
    }
    if reader.take("write") {
        reader.must("off receivable")?;
        let receivable = receivable(reader)?;
        return rule(reader, receivable, ReceivableRuling::WrittenOff);
    }
    reader.must("collect")?;
    let amount = reader.amount()?;
    reader.must("of receivable")?;
    let receivable = receivable(reader)?;
    rule(reader, receivable, ReceivableRuling::Collected { amount })
}

/// `redeem voucher of seat 3 at cage by cashier 8`, `redeem voucher of seat 3 at seat 5`.
fn redeem(reader: &mut Reader) -> Parsed {
    reader.must("voucher of seat")?;
    let of = reader.seat()?;
    reader.must("at")?;
    if reader.take("cage") {
        return by(reader, Who::Pit, |_| Ok(Act::RedeemAtCage(of)));
    }
    if !reader.take("seat") {
        return Err(reader.expected("“cage” or “seat”"));
    }
    let at = reader.seat()?;
    by(reader, Who::Seat(at), |_| Ok(Act::RedeemAtSeat { of, at }))
}

fn receivable(reader: &mut Reader) -> Result<ReceivableId, Fault> {
    reader.parse("the receivable's number").map(ReceivableId)
}

fn rule(reader: &mut Reader, receivable: ReceivableId, ruling: ReceivableRuling) -> Parsed {
    let why = reader.why();
    by(reader, Who::Pit, |_| Ok(Act::House(HouseCommand::RuleReceivable { receivable, ruling, why: why? })))
}

/// `tick 36`, `tick 31 days`.
pub(super) fn tick(reader: &mut Reader) -> Parsed {
    reader.must("tick")?;
    let what = "how many seconds pass, fewer than ten years of them";
    let column = reader.column();
    let count: u64 = reader.parse(what)?;
    let units = [("seconds", 1), ("minutes", 60), ("hours", 3_600), ("days", 86_400)];
    let unit = units.into_iter().find(|(word, _)| reader.take(word)).map_or(1, |(_, seconds)| seconds);
    let seconds = count.checked_mul(unit).filter(|seconds| *seconds < 315_360_000);
    let too_long = || Fault { line: reader.line(), column, message: format!("expected {what}") };
    let seconds = seconds.ok_or_else(too_long)?;
    by(reader, Who::System, |_| Ok(Act::Tick(seconds)))
}

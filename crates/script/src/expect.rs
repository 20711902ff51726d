//! Checks what a script expects.

use taisai_rules::Money;
use taisai_table::{Account, ApprovalAnswer, ApprovalId, Phase, RoundNumber};

use crate::installation::{CommandResult, ScriptInstallation};
use crate::script::{ApprovalStanding, Expectation, VoidBy};

/// `None` if the expectation is met, or else what is so instead.
pub(crate) fn check(
    installation: &ScriptInstallation,
    result: CommandResult,
    expectation: &Expectation,
) -> Option<String> {
    use Expectation as E;
    let cluster = installation.cluster();
    let house = installation.house();
    let money = |expected: Money, found: Money| (expected != found).then(|| format!("it is {found}"));
    match expectation {
        E::Accepted => result.err().map(|refusal| format!("it was refused: {}", refusal.code())),
        E::Refused(expected) => match result {
            Ok(()) => Some("it was accepted".to_owned()),
            Err(refusal) => (refusal != *expected).then(|| format!("it was refused: {}", refusal.code())),
        },
        E::Balance(seat, amount) => money(*amount, cluster.credits(*seat)),
        E::Stacker(seat, amount) => money(
            *amount,
            total(cluster.stackers().filter(|(_, held)| held.seat == *seat).map(|(_, held)| held.amount)),
        ),
        E::Result(seat, amount) => money(*amount, installation.results.get(seat).copied().unwrap_or_default()),
        E::Colour(seat, amount) => money(*amount, cluster.colour(*seat).map_or(Money::ZERO, |set| set.credits)),
        E::House(amount) => money(*amount, cluster.ledger().house),
        E::Phase(expected) => {
            let found = installation.round().phase();
            (found != *expected).then(|| format!("it is {}", phase(found)))
        }
        E::Held => (!installation.round().is_held()).then(|| "play is not held".to_owned()),
        E::Void(round, by) => void(installation, round.unwrap_or(installation.round().number()), by),
        E::Settled(round, dice) => {
            let past = installation.round().past(round.unwrap_or(installation.round().number()));
            match past.map(|past| (past.void, past.dice)) {
                None => Some("the round is not over".to_owned()),
                Some((Some(_), _)) => Some("the round is void".to_owned()),
                Some((None, found)) if found == Some(*dice) => None,
                Some((None, found)) => Some(found.map_or("it has no dice".to_owned(), |dice| format!("it is {dice}"))),
            }
        }
        E::Claims(amount) => money(*amount, total(house.claims().map(|(_, claim)| claim.amount))),
        E::Receivables(amount) => {
            let owed = house.receivables().filter(|(_, receivable)| !receivable.is_waived);
            money(*amount, total(owed.map(|(_, receivable)| receivable.left)))
        }
        E::Vouchers(amount) => money(*amount, house.balance(Account::Vouchers)),
        E::Approval(approval, expected) => {
            let found = standing(installation, *approval);
            (found != *expected).then(|| {
                let found = match found {
                    ApprovalStanding::Waiting => "it is waiting",
                    ApprovalStanding::Granted => "it is granted",
                    ApprovalStanding::Refused => "it is refused",
                    ApprovalStanding::Over => "it is over, or was never asked for",
                };
                found.to_owned()
            })
        }
        E::Room(bet_box, amount) => money(*amount, cluster.room(*bet_box)),
        E::Excess(bet_box, amount) => {
            let over = cluster.excess().find(|(over, ..)| over == bet_box);
            money(*amount, over.map_or(Money::ZERO, |(_, total, cap)| Money::from_cents(total.cents() - cap.cents())))
        }
        E::Advice(bet_box) => {
            let is_below = cluster.below_minimum().any(|(below, ..)| below == *bet_box);
            (!is_below).then(|| format!("{bet_box} is not below its minimum"))
        }
        E::Returns(expected) => {
            let found = cluster.returns().filter(|(_, returns)| returns.is_open).count();
            (found != *expected).then(|| format!("there are {found}"))
        }
        E::Pays(seat, amount) => money(*amount, cluster.pay_list().map_or(Money::ZERO, |list| list.due(*seat))),
        E::Gives(seat, amount) => money(*amount, cluster.pay_list().map_or(Money::ZERO, |list| list.to_give(*seat))),
        E::Locked(seat) => (!cluster.is_locked(*seat)).then(|| format!("seat {} is not locked", seat.0)),
    }
}

fn total(amounts: impl Iterator<Item = Money>) -> Money {
    Money::from_cents(amounts.map(Money::cents).sum())
}

fn standing(installation: &ScriptInstallation, approval: ApprovalId) -> ApprovalStanding {
    let found = installation.house().approvals().find(|(id, _)| *id == approval);
    found.map_or(ApprovalStanding::Over, |(_, approval)| match approval.answer {
        ApprovalAnswer::Waiting => ApprovalStanding::Waiting,
        ApprovalAnswer::Approved(_) => ApprovalStanding::Granted,
        ApprovalAnswer::Refused(_) => ApprovalStanding::Refused,
    })
}

fn void(installation: &ScriptInstallation, round: RoundNumber, by: &VoidBy) -> Option<String> {
    let Some(past) = installation.round().past(round) else { return Some("the round is not over".to_owned()) };
    let Some(reason) = past.void else { return Some("the round is not void".to_owned()) };
    let found = reason.cites(installation.game(), installation.round().law());
    let is_so = match by {
        VoidBy::Paragraph(paragraph) => found.contains(&paragraph.text()),
        VoidBy::Law(expected) => reason == *expected,
    };
    (!is_so).then(|| format!("it is void by {}", found.join(", ")))
}

const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Shut => "shut",
        Phase::Idle => "idle",
        Phase::Open => "open",
        Phase::Closing => "closing",
        Phase::Closed => "closed",
        Phase::Result => "a result",
        Phase::Settled => "settled",
        Phase::Void => "void",
    }
}

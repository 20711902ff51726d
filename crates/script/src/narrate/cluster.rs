//! Narrates the entries of the cluster, with the settlement sheets.

use taisai_rules::{Money, Rule, Station};
use taisai_table::{
    Adjustment, Chips, Cluster, ClusterCommand, ClusterEvent, Notice, OverDifferential, Registration, RejectedStake,
    RoundNumber, Seat, Stake, TransferPurpose,
};

use super::{Narration, add_result, cite, sheet_of, sum};
use crate::error::PlayError;
use crate::installation::ScriptInstallation;
use crate::parse::COLOURS;

pub(super) fn narrate(
    installation: &mut ScriptInstallation,
    command: &ClusterCommand,
    event: &ClusterEvent,
    narration: &mut Vec<Narration>,
) -> Result<(), PlayError> {
    if let ClusterCommand::Follow { notice, .. } = command {
        return narrate_notice(installation, notice, event, narration);
    }
    if let ClusterEvent::Rejected { cuts } = event {
        let cited = cite(installation.game(), &[Rule::Excess]);
        let word = |RejectedStake { seat, stake, .. }: &RejectedStake| {
            format!("Rejected: {} of seat {} on {}.{cited}", stake.amount, seat.0, stake.bet_box)
        };
        narration.extend(cuts.iter().map(word).map(Narration::Sentence));
        return Ok(());
    }
    if let (ClusterCommand::CloseReturns { round, .. }, ClusterEvent::Compensated { adjustments }) = (command, event) {
        narration.push(Narration::Sentence(format!("What round {} owes is registered.", round.0)));
        return narrate_adjustments(installation, *round, adjustments, narration);
    }
    if let Some(word) = describe_stacker(command, event) {
        narration.push(Narration::Sentence(word));
        return Ok(());
    }
    narration.extend(describe(installation, command).map(Narration::Sentence));
    Ok(())
}

fn describe_stacker(command: &ClusterCommand, event: &ClusterEvent) -> Option<String> {
    match (command, event) {
        (ClusterCommand::CountStacker { notes, .. }, ClusterEvent::StackerDiffers { accepted }) => {
            Some(format!("{notes} notes are in the stacker, but {accepted} were accepted: somebody must see to it."))
        }
        (
            ClusterCommand::EmptyStacker { notes, amount: counted, .. },
            ClusterEvent::StackerEmptied { accepted, amount },
        ) => {
            let differs = if counted == amount { "" } else { " They differ: somebody must see to it." };
            Some(format!("Counted {notes} notes of {counted}; accepted {accepted} of {amount}.{differs}"))
        }
        _ => None,
    }
}

/// Describes a command that was carried out as it was sent.
fn describe(installation: &ScriptInstallation, command: &ClusterCommand) -> Option<String> {
    use ClusterCommand as C;
    let cluster = installation.cluster();
    let cite = |rules: &[Rule]| cite(installation.game(), rules);
    Some(match command {
        C::Place { seat, .. }
        | C::Withdraw { seat, .. }
        | C::Clear { seat }
        | C::Repeat { seat }
        | C::Double { seat } => describe_seat(installation, *seat),
        C::Register { seat, .. } => {
            let now = describe_seat(installation, *seat);
            format!("Registered as it lay at the close.{} {now}", cite(&[Rule::Position]))
        }
        C::TellTotal { bet_box, amount } => {
            let over =
                if cluster.required_registration(*bet_box).is_some() { ", and its seats are registered" } else { "" };
            format!("On {bet_box} lay {amount} in all{over}.")
        }
        C::AllRegistered => "All that wins is registered.".to_owned(),
        C::TickOff { seat, is_paid: true } => {
            let ticked_off = cluster.pay_list().map_or_else(Vec::new, |list| list.ticked_off);
            let given =
                ticked_off.iter().find(|ticked_off| ticked_off.seat == *seat).map(|ticked_off| ticked_off.given);
            format!("Seat {} has its chips: {} in all.", seat.0, given.unwrap_or(Money::ZERO))
        }
        C::TickOff { seat, is_paid: false } => format!("Seat {} has not had its chips.", seat.0),
        C::RegisterFromFilm { round, seat, player, stake, .. } => {
            describe_film_bet(cluster, *round, *seat, player, stake)
        }
        C::WithdrawFromFilm { round, line, .. } => {
            format!("Line {line} from the film of round {} is taken off.", round.0)
        }
        C::PlaceExcess { seat, .. } => {
            format!("It lies there, over the limit.{} {}", cite(&[Rule::Excess]), describe_seat(installation, *seat))
        }
        C::Advise { bet_box } => {
            format!("The players on {bet_box} are advised: increase or withdraw.{}", cite(&[Rule::Advice]))
        }
        C::PlaceFor { seat, .. } => {
            format!("Placed for the player.{} {}", cite(&[Rule::PlacedByStaff]), describe_seat(installation, *seat))
        }
        C::AcceptNote { seat, amount } => {
            format!("The note of {amount} is stacked: seat {} has {} credits.", seat.0, cluster.credits(*seat))
        }
        C::CountStacker { notes, .. } => format!("{notes} notes are in the stacker, as accepted."),
        C::BuyIn { seat, amount, .. } => {
            format!("Seat {} has bought in {amount}: {} credits.", seat.0, cluster.credits(*seat))
        }
        C::ReverseBuyIn { seat, receipt, .. } => {
            let credits = cluster.credits(*seat);
            format!("The buy-in of receipt {} is reversed: seat {} has {credits} credits.", receipt.0, seat.0)
        }
        C::Read { seat, message } => {
            let unread = cluster.messages(*seat).filter(|(_, is_read)| !is_read).count();
            format!("Seat {} has read up to message {message}; {unread} are not read.", seat.0)
        }
        C::IssueColour { seat, colour, value, .. } => {
            let credits = cluster.colour(*seat).map_or(Money::ZERO, |set| set.credits);
            format!(
                "Seat {} has {} chips worth {credits}, {value} each.{}",
                seat.0,
                colour_name(*colour),
                cite(&[Rule::ColourChips])
            )
        }
        C::RedeemColour { seat } => {
            format!("The Colour Chips of seat {} are cash chips now.{}", seat.0, cite(&[Rule::ColourChips]))
        }
        C::CashOut { seat, .. } => format!("Seat {} has cashed out; the session is over.", seat.0),
        C::Leave { seat } => format!("Seat {} is free.", seat.0),
        C::WalkAway { seat } => {
            format!(
                "The player of seat {} has walked away; bets stay and are settled.{}",
                seat.0,
                cite(&[Rule::WalkAway])
            )
        }
        C::Lost { seat } => describe_lost_terminal(installation, *seat),
        C::Back { seat } => format!("Terminal {} is back. {}", seat.0, describe_seat(installation, *seat)),
        C::ClearLock { seat } => format!("The lock of seat {} is cleared.", seat.0),
        C::Receive { transfer } => match transfer.purpose {
            TransferPurpose::Credits { seat, .. } if cluster.is_lost(seat) => {
                format!("Seat {} cannot take the credits: they go back.", seat.0)
            }
            TransferPurpose::Credits { seat, .. } => format!("Seat {} has {} credits.", seat.0, cluster.credits(seat)),
            TransferPurpose::Voucher { .. }
            | TransferPurpose::Claim { .. }
            | TransferPurpose::Receivable { .. }
            | TransferPurpose::Returned { .. } => return None,
        },
        C::CloseReturns { .. }
        | C::RejectExcess
        | C::Follow { .. }
        | C::Delivered { .. }
        | C::RaiseEvent { .. }
        | C::EventsHeld { .. }
        | C::EmptyStacker { .. } => return None,
    })
}

fn describe_lost_terminal(installation: &ScriptInstallation, seat: Seat) -> String {
    let cite = |rule: Rule| cite(installation.game(), &[rule]);
    let registered = if installation.cluster().on_layout(seat) > Money::ZERO {
        format!(" Registered bets are settled.{}", cite(Rule::Registered))
    } else {
        String::new()
    };
    format!("Terminal {} is down; the round goes on.{}{registered}", seat.0, cite(Rule::TerminalDown))
}

fn describe_film_bet(cluster: &Cluster, round: RoundNumber, seat: Seat, player: &str, stake: &Stake) -> String {
    let lines = cluster.returns().filter(|(of, _)| *of == round).flat_map(|(_, returns)| &returns.lines);
    let line = lines.last().map_or(0, |line| line.number);
    let Stake { bet_box, amount } = stake;
    format!("From the film of round {}, line {line}: {amount} on {bet_box} of seat {}, {player}.", round.0, seat.0)
}

/// A seat's bets on the layout and the credits that it has left.
fn describe_seat(installation: &ScriptInstallation, seat: Seat) -> String {
    let cluster = installation.cluster();
    let bet = |(chips, stake): (Chips, Stake)| {
        let colour = if chips == Chips::Colour { " in Colour Chips" } else { "" };
        format!("{} on {}{colour}", stake.amount, stake.bet_box)
    };
    let bets: Vec<_> = cluster.bets(seat).map(bet).collect();
    let bets = if bets.is_empty() { "no bets".to_owned() } else { bets.join(", ") };
    let left = if installation.game().station() == Station::PlayerTerminals {
        format!("; {} credits left", cluster.credits(seat))
    } else {
        String::new()
    };
    format!("Seat {}: {bets}{left}.", seat.0)
}

fn colour_name(colour: u8) -> &'static str {
    usize::from(colour).checked_sub(1).and_then(|place| COLOURS.get(place)).copied().unwrap_or("other")
}

/// Narrates what a notice of the `Round` brought about.
fn narrate_notice(
    installation: &mut ScriptInstallation,
    notice: &Notice,
    event: &ClusterEvent,
    narration: &mut Vec<Narration>,
) -> Result<(), PlayError> {
    if let Notice::Thrown { dice, .. } = notice {
        let boxes = installation
            .layout()
            .boxes()
            .iter()
            .filter(|bet_box| installation.cluster().required_registration(**bet_box).is_some());
        let boxes: Vec<_> = boxes.map(|bet_box| bet_box.text()).collect();
        narration.push(Narration::Sentence(format!(
            "What lies on these boxes is registered, by {dice}: {}.",
            boxes.join(", ")
        )));
    }
    let Some((round, by)) = notice.stands() else { return Ok(()) };
    match (by, event) {
        (Ok(dice), ClusterEvent::Settled { totals, over_differential, .. }) => {
            let sheet = sheet_of(installation, round, dice)?;
            sheet.check(totals)?;
            for line in &sheet.lines {
                let result = sum(line.paid, line.returned)?.cents() - line.stake.cents();
                add_result(installation, line.seat, Money::from_cents(result))?;
            }
            narration.push(Narration::Sheet { round, dice, sheet });
            let cited = cite(installation.game(), &[Rule::Differential]);
            narration.extend(
                over_differential.iter().map(|over| Narration::Sentence(describe_over_differential(over, &cited))),
            );
        }
        (Err(_), ClusterEvent::Settled { .. }) => narration.push(describe_returned_bets(installation, round)),
        (Ok(dice), ClusterEvent::Compensated { adjustments }) => {
            narration.push(Narration::Sheet { round, dice, sheet: sheet_of(installation, round, dice)? });
            narrate_adjustments(installation, round, adjustments, narration)?;
        }
        (Err(_), ClusterEvent::Compensated { adjustments }) => {
            narration.push(describe_returned_bets(installation, round));
            narrate_adjustments(installation, round, adjustments, narration)?;
        }
        (
            Ok(_) | Err(_),
            ClusterEvent::Done
            | ClusterEvent::Rejected { .. }
            | ClusterEvent::BoughtIn { .. }
            | ClusterEvent::BuyInReversed { .. }
            | ClusterEvent::StackerDiffers { .. }
            | ClusterEvent::StackerEmptied { .. },
        ) => {}
    }
    Ok(())
}

fn describe_over_differential(over: &OverDifferential, cited: &str) -> String {
    let OverDifferential { bet_box, counted, opposite_counted, differential } = over;
    let opposite = bet_box.opposite().map_or("", |opposite| opposite.text());
    format!(
        "Event: {counted} counts on {bet_box} and {opposite_counted} on {opposite}, more than the Differential of \
         {differential} apart.{cited}"
    )
}

/// The bets of a void round, by seat.
fn describe_returned_bets(installation: &ScriptInstallation, round: RoundNumber) -> Narration {
    let unit = installation.limits_of(round).unit().cents();
    let slip = installation.engine.slip(installation.cluster().id(), round);
    let lines = slip.map_or(&[][..], |slip| &slip.lines);
    let mut seats: Vec<(Seat, i64)> = Vec::new();
    for line in lines {
        match seats.last_mut() {
            Some((seat, units)) if *seat == line.seat => *units += i64::from(line.units),
            Some(_) | None => seats.push((line.seat, i64::from(line.units))),
        }
    }
    let seats: Vec<_> =
        seats.iter().map(|(seat, units)| format!("seat {} {}", seat.0, Money::from_cents(units * unit))).collect();
    let bets = if seats.is_empty() { "there were none".to_owned() } else { seats.join(", ") };
    let cited = cite(installation.game(), &[Rule::VoidReturned]);
    if installation.registration() == Registration::Winners {
        let how = if installation.cluster().returns().any(|(open, _)| open == round) {
            "what was not registered is registered from the film"
        } else {
            "returned on the layout"
        };
        return Narration::Sentence(format!("Round {} is void, {how}. Registered: {bets}.{cited}", round.0));
    }
    Narration::Sentence(format!("Every bet of round {} is returned in full: {bets}.{cited}", round.0))
}

/// Narrates what each session gets or gives back.
fn narrate_adjustments(
    installation: &mut ScriptInstallation,
    round: RoundNumber,
    adjustments: &[Adjustment],
    narration: &mut Vec<Narration>,
) -> Result<(), PlayError> {
    if adjustments.is_empty() {
        narration.push(Narration::Sentence(format!("Nobody gets or gives anything for round {}.", round.0)));
    }
    for adjustment in adjustments {
        let Adjustment { seat, session, at_once, in_colour, is_large, is_waived, .. } = adjustment;
        let amount = &adjustment.amount();
        add_result(installation, *seat, *amount)?;
        let size = |money: Money| Money::from_cents(money.cents().abs());
        let verb = if *amount > Money::ZERO { "gets" } else { "gives back" };
        let rest = Money::from_cents(amount.cents() - at_once.cents());
        let how = if rest == Money::ZERO {
            "at once".to_owned()
        } else if *at_once == Money::ZERO {
            "none of it at once".to_owned()
        } else {
            format!("{} of it at once", size(*at_once))
        };
        let set = if *in_colour > Money::ZERO { format!(", {in_colour} of it in Colour Chips") } else { String::new() };
        let (seat, session) = (seat.0, session.0);
        if *amount == Money::ZERO {
            narration.push(Narration::Sentence(format!("Seat {seat}, session {session}, gets and gives nothing.")));
            continue;
        }
        if *is_waived {
            narration.push(Narration::Sentence(format!(
                "Seat {seat}, session {session}, keeps {}: the House bears it.",
                size(rest)
            )));
        } else {
            narration.push(Narration::Sentence(format!(
                "Seat {seat}, session {session}, {verb} {}, {how}{set}.",
                size(*amount)
            )));
        }
        if *is_large {
            narration.push(Narration::Sentence(format!("A large win locks seat {seat}.")));
        }
    }
    Ok(())
}

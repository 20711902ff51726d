//! Describes events of the `Round` in sentences, with the paragraphs behind them.

use taisai_rules::{Dice, Face, Game, Paragraph, Rule};
use taisai_table::{Law, Position, RoundEvent, RoundNumber, RoundStanding, Time, VoidReason};

/// What a description needs beside the event.
pub struct RoundContext<'a> {
    pub game: &'a Game,
    pub law: &'a Law,
    /// The round in play.
    pub round: RoundNumber,
    pub void: &'a dyn Fn(RoundNumber) -> Option<VoidReason>,
    /// Whether winners of a round are still being registered, so that nothing is settled yet.
    pub is_registering: &'a dyn Fn(RoundNumber) -> bool,
    pub clock: fn(Time) -> String,
}

/// Describes an event. `None` for messages between the machines.
pub fn describe_event(context: &RoundContext, event: &RoundEvent) -> Option<String> {
    use RoundEvent as E;
    let RoundContext { game, clock, .. } = context;
    let cite = |rules: &[Rule]| cite(game, rules);
    let number = context.round.0;
    Some(match event {
        E::TableOpened => "The table is open.".to_owned(),
        E::ClosureAnnounced => "The closing of the table is announced.".to_owned(),
        E::TableClosed => "The table is closed.".to_owned(),
        E::Relieved { position, person } => {
            let position = match position {
                Position::Dealer => "Dealer",
                Position::Supervisor => "Pit Supervisor",
                Position::Manager => "Pit Manager",
            };
            match person {
                Some(person) => format!("{} is the {position} at this table.", person.0),
                None => format!("There is no {position} at this table."),
            }
        }
        E::LimitsShown { .. } => format!("The limits are on display.{}", cite(&[Rule::LimitsShown])),
        E::DiceInUse { dice_set } => format!("Dice set {dice_set} is in use."),
        E::TumblerInUse { tumbler } => format!("Tumbler {tumbler} is in use."),
        E::BetsOpened { round, closes_at } => {
            format!("Round {}: bets are open until {}.{}", round.0, clock(*closes_at), cite(&[Rule::Open]))
        }
        E::BetsClosed => format!("Bets are closed.{}", cite(&[Rule::Closed])),
        E::Activated => format!("The tumbler is activated.{}", cite(&[Rule::Tumble])),
        E::ActivatedInNoRound => "The tumbler was activated between rounds: it belongs to none.".to_owned(),
        E::Tumbled { tumbles } => {
            let times = match tumbles {
                1 => "once".to_owned(),
                2 => "twice".to_owned(),
                more => format!("{more} times"),
            };
            format!("The dice have been tumbled {times}.{}", cite(&[Rule::Tumble]))
        }
        E::AtRest { faces } => {
            let lie = faces.map(|face| face.map_or("–".to_owned(), |face| face.to_string())).join(" ");
            let flat = if faces.contains(&None) { "not every die lies flat" } else { "all dice lie flat" };
            format!("The dice are at rest: {lie}; {flat}.{}", cite(&[Rule::Result]))
        }
        E::Covered => format!("The dice are covered.{}", cite(&[Rule::Tumble])),
        E::Uncovered => format!("The cover is lifted.{}", cite(&[Rule::Result])),
        E::Committed { dice, differs } => {
            let read = if *differs { " The tumbler had read other faces." } else { "" };
            format!("Result {dice}, Total Sum {}.{read}{}", dice.total_sum(), cite(&[Rule::Result]))
        }
        E::Voided { reason, differs } => {
            let read = if *differs { " The tumbler had read three flat dice." } else { "" };
            format!("Round {number} is void: {}.{read}{}", void_reason(*reason), void_cites(context, *reason, &[]))
        }
        E::RoundsVoided { from, to, reason, dice_set, ruled } => {
            // A void round stays void for its first reason.
            if from == to && (context.void)(*from) != Some(*reason) {
                return Some(format!("Round {} was void before: nothing changes.", from.0));
            }
            let rounds =
                if from == to { format!("Round {} is", from.0) } else { format!("Rounds {} to {} are", from.0, to.0) };
            let of_set = dice_set.map_or_else(String::new, |set| format!(", where dice set {set} was used"));
            let left_out: Vec<_> = ruled.iter().map(|round| round.0.to_string()).collect();
            let left_out = if left_out.is_empty() {
                String::new()
            } else {
                format!(" Left as a ruling decided, and to be ruled on: {}.", left_out.join(", "))
            };
            let late: &[Rule] = if reason.rule().is_some() { &[Rule::LateError] } else { &[] };
            let cited = void_cites(context, *reason, late);
            format!("{rounds} void{of_set}: {}.{left_out}{cited}", void_reason(*reason))
        }
        E::Established { known } => {
            let known = known.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            format!("With {known} known an outcome is established: play is concluded.{}", cite(&[Rule::Concluded]))
        }
        E::Held => "Play is held until the Dealer continues or reports an interruption.".to_owned(),
        E::Resumed { closes_at: Some(time) } => format!("Play goes on: bets are open until {}.", clock(*time)),
        E::Resumed { closes_at: None } => "Play goes on.".to_owned(),
        E::Corrected { round, dice } => {
            format!("{}.{}", describe_corrected(context, *round, *dice), cite(&[Rule::WrongResult, Rule::LateError]))
        }
        E::Ruled { round, before, after, waits } => describe_ruling(context, *round, (*before, *after), *waits),
        E::Witnessed { round } => {
            format!("The ruling on round {} is witnessed: its money is moved.{}", round.0, cite(&[Rule::Ruling]))
        }
        E::KnownCorrected { before, known } => {
            let list = |faces: &[Face]| faces.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            let (before, known) = (list(before), list(known));
            format!("The dice known are {known}, not {before}.{}", cite(&[Rule::Concluded, Rule::WrongResult]))
        }
        E::SetDamaged { dice_set } => format!("Dice set {dice_set} is damaged.{}", cite(&[Rule::DamagedDice])),
        E::SetInspected { dice_set } => format!("Dice set {dice_set} was inspected, and may be used again."),
        E::Noted => format!("The ruling is recorded.{}", cite(&[Rule::Ruling])),
        E::Followed { .. } | E::EventRaised | E::EventsHeld => return None,
    })
}

fn describe_ruling(
    context: &RoundContext,
    round: RoundNumber,
    (before, after): (RoundStanding, RoundStanding),
    waits: bool,
) -> String {
    let cite = |rules: &[Rule]| cite(context.game, rules);
    let number = round.0;
    let waits = if waits { " Its money waits for a witness." } else { "" };
    match (before, after) {
        (RoundStanding::Void(_), RoundStanding::Void(_)) => format!("Round {number} was void before: nothing changes."),
        (RoundStanding::InPlay, RoundStanding::Void(reason)) => {
            let cited = void_cites(context, reason, &[Rule::Ruling]);
            format!("Round {number} is void: {}.{waits}{cited}", void_reason(reason))
        }
        (_, RoundStanding::Void(reason)) => {
            let cited = void_cites(context, reason, &[Rule::Ruling, Rule::LateError]);
            format!("Round {number} is void: {}.{waits}{cited}", void_reason(reason))
        }
        (RoundStanding::InPlay, RoundStanding::Settled(dice)) => {
            format!("Result {dice}, Total Sum {}.{waits}{}", dice.total_sum(), cite(&[Rule::Ruling]))
        }
        (_, RoundStanding::Settled(dice)) => {
            let cited = cite(&[Rule::Ruling, Rule::WrongResult, Rule::LateError]);
            format!("{}.{waits}{cited}", describe_corrected(context, round, dice))
        }
        (_, RoundStanding::InPlay) => String::new(),
    }
}

fn describe_corrected(context: &RoundContext, round: RoundNumber, dice: Dice) -> String {
    if (context.is_registering)(round) {
        format!("The result of round {} is {dice}: what wins by it is registered", round.0)
    } else {
        format!("Round {} is settled again by {dice}", round.0)
    }
}

pub fn void_reason(reason: VoidReason) -> &'static str {
    match reason {
        VoidReason::FewTumbles => "the tumbler did not tumble three times",
        VoidReason::NotFlat => "a die did not come to rest flat",
        VoidReason::Exposed => "concealed dice were exposed before “No more Bets”",
        VoidReason::ActivatedEarly => "the tumbler was activated before “No more Bets”",
        VoidReason::NotEstablished => "an interruption before any outcome was established",
        VoidReason::DamagedDice => "damaged dice",
        VoidReason::Ruling => "by ruling",
        VoidReason::Malfunction => "equipment malfunction",
        VoidReason::ForceMajeure => "force majeure",
        VoidReason::SuspectedOffence => "a suspected offence",
    }
}

/// The paragraphs of a void and of `rules`, in brackets after a space.
fn void_cites(context: &RoundContext, reason: VoidReason, rules: &[Rule]) -> String {
    let mut cited = reason.cites(context.game, context.law);
    for paragraph in rules.iter().flat_map(|rule| context.game.paragraphs(*rule)).map(Paragraph::text) {
        if !cited.contains(&paragraph) {
            cited.push(paragraph);
        }
    }
    format!(" ({})", cited.join(", "))
}

/// Paragraphs in brackets after a space, or nothing if the game has none.
pub fn cite(game: &Game, rules: &[Rule]) -> String {
    let paragraphs = rules.iter().flat_map(|rule| game.paragraphs(*rule));
    let paragraphs: Vec<_> = paragraphs.map(ToString::to_string).collect();
    if paragraphs.is_empty() { String::new() } else { format!(" ({})", paragraphs.join(", ")) }
}

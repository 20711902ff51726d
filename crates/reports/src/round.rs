//! The dealer's side in the reporting tables: rounds with their current result, and who did what to them and why.

use taisai_rules::{Dice, Face};
use taisai_table::{
    Entry, PastRound, Person, Position, Round, RoundCommand, RoundEvent, RoundNumber, RoundStanding, Sensitive as _,
};

use super::batch::{Attribution, EntryTime, ReportEvent, SqlBatch};
use super::machine::{ChainContext, EntryError, ProjectedMachine, event_by, opening_event};
use super::tables::ROUNDS;
use crate::value::variant_name;
use taisai_record::{ChainOpening, MachineSetup};

/// Rounds that the entry before may have changed.
#[derive(Default)]
pub(super) struct ChangedRounds {
    rounds: Vec<RoundNumber>,
    when: Option<EntryTime>,
    is_late: bool,
}

impl ProjectedMachine for Round {
    type Notes = ChangedRounds;

    fn notes(&self, _: &ChainContext) -> ChangedRounds {
        ChangedRounds::default()
    }

    fn opened(_: &mut ChainContext, when: &EntryTime, opening: &ChainOpening, batch: &mut SqlBatch) {
        let MachineSetup::Round { table, layout, is_training, .. } = &opening.setup else { return };
        batch.events(when, [opening_event(opening, Attribution { table: Some(table.0), ..Attribution::default() })]);
        let Ok(rules) = opening.rules() else { return };
        let (game, profile) = (rules.game(), &opening.profile);
        let begins = format!("{:02}:{:02}", profile.gaming_day / 60, profile.gaming_day % 60);
        batch.execute(
            "INSERT INTO tables (table_number, game, game_version, layout, is_training, time_zone, day_begins, registration)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (table_number) DO NOTHING",
            [
                table.0.into(),
                game.id().to_owned().into(),
                game.version().into(),
                layout.clone().into(),
                (*is_training).into(),
                profile.time_zone.clone().into(),
                begins.into(),
                rules.registration().text().into(),
            ],
        );
        for bet_box in rules.layout().boxes() {
            let Some(chances) = rules.layout().chances(*bet_box) else { continue };
            let part = |part: i128| i64::try_from(part).unwrap_or_default();
            batch.execute(
                "INSERT INTO boxes (table_number, box, ways, edge_numerator, edge_denominator)
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT (table_number, box) DO NOTHING",
                [
                    table.0.into(),
                    bet_box.text().into(),
                    chances.ways.into(),
                    part(chances.edge.numerator()).into(),
                    part(chances.edge.denominator()).into(),
                ],
            );
        }
    }

    fn entry(
        &self,
        _: &mut ChainContext,
        changed: &mut ChangedRounds,
        when: EntryTime,
        entry: &Entry<RoundCommand, RoundEvent>,
        batch: &mut SqlBatch,
    ) -> Result<(), EntryError> {
        let (request, command) = (&entry.request, variant_name(&entry.request.command));
        let event = match &entry.outcome {
            Ok(event) => event,
            Err(refusal) => {
                batch.refusal(&when, request.actor, command, refusal.code());
                return Ok(());
            }
        };
        let (why, second) = (why(&request.command), request.command.second());
        batch.act(&when, request.actor, second, command);
        let events = RoundEvents { round: self, entry, why, second };
        batch.events(&when, events.events(event));
        match event {
            RoundEvent::BetsOpened { round, .. } => insert(self, &when, *round, batch),
            RoundEvent::BetsClosed => batch.execute(
                "UPDATE rounds SET closed_at = $1 WHERE table_number = $2 AND round = $3",
                [when.time.into(), self.table().0.into(), self.number().into()],
            ),
            RoundEvent::Committed { .. } | RoundEvent::Voided { .. } => {
                *changed = ChangedRounds { rounds: vec![self.number()], when: Some(when), is_late: false };
            }
            RoundEvent::Ruled { round, before, .. } => {
                let is_late = *before != RoundStanding::InPlay;
                *changed = ChangedRounds { rounds: vec![*round], when: Some(when), is_late };
            }
            RoundEvent::RoundsVoided { from, to, .. } => {
                let rounds = (from.0..=to.0).map(RoundNumber).filter(|round| !is_void(self.past(*round)));
                *changed = ChangedRounds { rounds: rounds.collect(), when: Some(when), is_late: true };
            }
            RoundEvent::Corrected { round, .. } => {
                *changed = ChangedRounds { rounds: vec![*round], when: Some(when), is_late: true };
            }
            RoundEvent::TableOpened
            | RoundEvent::ClosureAnnounced
            | RoundEvent::TableClosed
            | RoundEvent::Relieved { .. }
            | RoundEvent::LimitsShown { .. }
            | RoundEvent::DiceInUse { .. }
            | RoundEvent::TumblerInUse { .. }
            | RoundEvent::Activated
            | RoundEvent::ActivatedInNoRound
            | RoundEvent::Tumbled { .. }
            | RoundEvent::AtRest { .. }
            | RoundEvent::Covered
            | RoundEvent::Uncovered
            | RoundEvent::KnownCorrected { .. }
            | RoundEvent::SetDamaged { .. }
            | RoundEvent::SetInspected { .. }
            | RoundEvent::Established { .. }
            | RoundEvent::Held
            | RoundEvent::Resumed { .. }
            | RoundEvent::Noted
            | RoundEvent::Witnessed { .. }
            | RoundEvent::Followed { .. }
            | RoundEvent::EventRaised
            | RoundEvent::EventsHeld => {}
        }
        Ok(())
    }

    fn applied(&self, _: &mut ChainContext, changed: &mut ChangedRounds, batch: &mut SqlBatch) {
        let ChangedRounds { rounds, when: Some(when), is_late } = std::mem::take(changed) else { return };
        for round in rounds {
            let Some(past) = self.past(round) else { continue };
            let void = past.void.map(|void| variant_name(&void));
            batch.execute(
                "UPDATE rounds SET over_at = coalesce(over_at, $1), dealer = $2, dice_set = $3, tumbler = $4,
                     first_dice = $5, dice = $6, total_sum = $7, void = $8, changes = changes + $9
                 WHERE table_number = $10 AND round = $11",
                [
                    when.time.into(),
                    past.dealer.into(),
                    past.dice_set.into(),
                    past.tumbler.into(),
                    past.first_dice.map(dice).into(),
                    past.dice.map(dice).into(),
                    past.dice.map(Dice::total_sum).into(),
                    void.into(),
                    is_late.into(),
                    self.table().0.into(),
                    round.into(),
                ],
            );
        }
    }
}

fn insert(machine: &Round, when: &EntryTime, round: RoundNumber, batch: &mut SqlBatch) {
    let empty = || None::<i64>.into();
    batch.insert(
        &ROUNDS,
        [
            machine.table().0.into(),
            round.into(),
            when.day.date.clone().into(),
            when.day.shift.clone().into(),
            when.time.into(),
            empty(),
            empty(),
            machine.holder(Position::Dealer).into(),
            empty(),
            empty(),
            empty(),
            empty(),
            empty(),
            empty(),
            0_i64.into(),
        ],
    );
}

fn is_void(past: Option<&PastRound>) -> bool {
    past.is_some_and(|past| past.void.is_some())
}

/// Dice as they are written in reports.
fn dice(dice: Dice) -> String {
    dice.faces().map(|face| face.number().to_string()).join("-")
}

/// How a round stands, as it is written in reports.
pub(super) fn standing(standing: RoundStanding) -> String {
    match standing {
        RoundStanding::InPlay => "in play".to_owned(),
        RoundStanding::Settled(settled) => dice(settled),
        RoundStanding::Void(reason) => format!("void, {}", variant_name(&reason)),
    }
}

/// Why a command was given.
fn why(command: &RoundCommand) -> Option<&str> {
    if let RoundCommand::Correct { why, .. }
    | RoundCommand::CorrectKnown { why, .. }
    | RoundCommand::VoidByLaw { why, .. }
    | RoundCommand::VoidDamaged { why, .. }
    | RoundCommand::Rule { why, .. }
    | RoundCommand::ShowLimits { why, .. } = command
    {
        Some(why)
    } else {
        None
    }
}

/// An entry that becomes events.
struct RoundEvents<'a> {
    round: &'a Round,
    entry: &'a Entry<RoundCommand, RoundEvent>,
    why: Option<&'a str>,
    second: Option<Person>,
}

impl RoundEvents<'_> {
    fn event(&self, kind: &str, round: Option<RoundNumber>, detail: Option<String>) -> ReportEvent {
        let at = Attribution {
            table: Some(self.round.table().0),
            round: round.map(|round| round.0),
            ..Attribution::default()
        };
        let second = self.second.map(|second| second.id.0);
        ReportEvent { at, second, why: self.why.map(Into::into), detail, ..event_by(kind, self.entry.request.actor) }
    }

    fn events(&self, event: &RoundEvent) -> Vec<ReportEvent> {
        let in_play = Some(self.round.number());
        match event {
            RoundEvent::TableOpened => vec![self.event("table-opened", None, None)],
            RoundEvent::ClosureAnnounced => vec![self.event("closure-announced", None, None)],
            RoundEvent::TableClosed => vec![self.event("table-closed", None, None)],
            RoundEvent::Relieved { position, person } => {
                let event = self.event("relieved", None, Some(variant_name(position).to_owned()));
                vec![ReportEvent { subject: person.map(|person| person.0), ..event }]
            }
            RoundEvent::LimitsShown { limits } => {
                let differential = limits.differential.map_or_else(String::new, |d| format!(", {}", d.cents()));
                vec![self.event("limits", None, Some(format!("unit {}{differential}", limits.unit.cents())))]
            }
            RoundEvent::DiceInUse { dice_set } => vec![self.event("dice-in-use", None, Some(dice_set.to_string()))],
            RoundEvent::TumblerInUse { tumbler } => {
                vec![self.event("tumbler-in-use", None, Some(tumbler.to_string()))]
            }
            RoundEvent::ActivatedInNoRound => vec![self.event("activated-in-no-round", None, None)],
            RoundEvent::Committed { dice: seen, differs: true, .. } => {
                vec![self.event("dice-differ", in_play, Some(dice(*seen)))]
            }
            RoundEvent::Voided { reason, differs } => {
                let void = self.event("void", in_play, Some(variant_name(reason).to_owned()));
                let flat = differs.then(|| self.event("flat-dice-called-not-flat", in_play, None));
                [void].into_iter().chain(flat).collect()
            }
            RoundEvent::RoundsVoided { from, to, reason, dice_set, ruled, .. } => {
                let is_affected = |round: &RoundNumber| {
                    let past = self.round.past(*round);
                    let used = past.map_or(self.round.dice_set(), |past| past.dice_set);
                    !is_void(past) && dice_set.is_none_or(|damaged| damaged == used)
                };
                let rounds = (from.0..=to.0).map(RoundNumber).filter(is_affected);
                let voided = |round: RoundNumber| {
                    let kind = if ruled.contains(&round) { "to-be-ruled" } else { "late-void" };
                    self.event(kind, Some(round), Some(variant_name(reason).to_owned()))
                };
                rounds.map(voided).collect()
            }
            RoundEvent::Established { known } => {
                vec![self.event("interrupted", in_play, Some(format!("{} dice known", known.len())))]
            }
            RoundEvent::KnownCorrected { before, known } => {
                let text =
                    |faces: &[Face]| faces.iter().map(|face| face.number().to_string()).collect::<Vec<_>>().join("-");
                vec![self.event("known-corrected", in_play, Some(format!("{} to {}", text(before), text(known))))]
            }
            RoundEvent::SetDamaged { dice_set } => vec![self.event("set-damaged", None, Some(dice_set.to_string()))],
            RoundEvent::SetInspected { dice_set } => {
                vec![self.event("set-inspected", None, Some(dice_set.to_string()))]
            }
            RoundEvent::Covered => vec![self.event("covered", in_play, None)],
            RoundEvent::Uncovered => vec![self.event("uncovered", in_play, None)],
            RoundEvent::Held => vec![self.event("held", in_play, None)],
            RoundEvent::Resumed { .. } => vec![self.event("resumed", in_play, None)],
            RoundEvent::Corrected { round, dice: now } => {
                let before = self.round.past(*round).and_then(|past| past.dice).map_or_else(String::new, dice);
                vec![self.event("correction", Some(*round), Some(format!("{before} to {}", dice(*now))))]
            }
            RoundEvent::Ruled { round, before, after, waits } if before != after => {
                let detail = Some(format!("{} to {}", standing(*before), standing(*after)));
                let ruling = self.event("money-ruling", Some(*round), detail);
                let unwitnessed = waits.then(|| self.event("ruling-unwitnessed", Some(*round), None));
                [ruling].into_iter().chain(unwitnessed).collect()
            }
            RoundEvent::Witnessed { round } => vec![self.event("ruling-witnessed", Some(*round), None)],
            RoundEvent::Ruled { round, .. } => vec![self.event("ruling", Some(*round), Some("void".to_owned()))],
            RoundEvent::Noted => vec![self.event("ruling", in_play, Some("note".to_owned()))],
            RoundEvent::BetsOpened { .. }
            | RoundEvent::BetsClosed
            | RoundEvent::Activated
            | RoundEvent::Tumbled { .. }
            | RoundEvent::AtRest { .. }
            | RoundEvent::Committed { differs: false, .. }
            | RoundEvent::Followed { .. }
            | RoundEvent::EventRaised
            | RoundEvent::EventsHeld => Vec::new(),
        }
    }
}

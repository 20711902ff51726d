//! Says in sentences what happened, with the paragraphs behind it. It reads the record and the state after a line.

mod cluster;
mod house;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use taisai_record::SettlementSheet;
use taisai_rules::{BetBox, Dice, Money, Rule};
use taisai_table::{
    Actor, ClusterCommand, HouseCommand, MachineEntry, Redeemer, Refusal, RoundCommand, RoundEvent, RoundNumber, Seat,
    SignificantEventKind, Time,
};

use crate::describe::{RoundContext, cite, describe_event};
use crate::error::PlayError;
use crate::installation::{BEGIN, CommandResult, ScriptInstallation, title};
use crate::script::Action;

/// One thing that a line brought about.
#[derive(Debug)]
pub enum Narration {
    Sentence(String),
    Refusal(Refusal),
    Sheet { round: RoundNumber, dice: Dice, sheet: SettlementSheet },
}

/// Narrates line after line. It remembers what it warned of, so that it warns of new things only.
#[derive(Default)]
pub(crate) struct Narrator {
    over: Vec<(BetBox, Money, Money)>,
    below: Vec<(BetBox, Money, Money)>,
    locked: BTreeSet<Seat>,
    last_significant_event: u64,
}

impl Narrator {
    /// Narrates the entries of the record from index `from` on.
    pub(crate) fn narrate(
        &mut self,
        installation: &mut ScriptInstallation,
        action: &Action,
        result: CommandResult,
        from: usize,
    ) -> Result<Vec<Narration>, PlayError> {
        let mut narration = Vec::new();
        let record = installation.engine.record[from..].to_vec();
        narrate_unrecorded(action, result, record.iter().all(is_by_system), &mut narration);
        for entry in &record {
            match entry {
                MachineEntry::Round(_, entry) => match &entry.outcome {
                    // A line with the dice implies the tumbles before it: they are recorded, and not worth a sentence.
                    Ok(RoundEvent::Activated | RoundEvent::Tumbled { .. }) if matches!(action, Action::Dice(_)) => {}
                    Ok(event) => narration.extend(describe_round_event(installation, event).map(Narration::Sentence)),
                    // Between rounds there is no play to hold.
                    Err(_) if entry.request.command == RoundCommand::Restarted => {}
                    Err(refusal) => {
                        let is_message = matches!(
                            entry.request.command,
                            RoundCommand::Report { .. }
                                | RoundCommand::RaiseEvent { .. }
                                | RoundCommand::EventsHeld { .. }
                        );
                        narration.push(refused(*refusal, is_message)?);
                    }
                },
                MachineEntry::Cluster(_, entry) => match &entry.outcome {
                    Ok(event) => cluster::narrate(installation, &entry.request.command, event, &mut narration)?,
                    Err(refusal) => {
                        let is_message = matches!(
                            entry.request.command,
                            ClusterCommand::Follow { .. }
                                | ClusterCommand::Receive { .. }
                                | ClusterCommand::Delivered { .. }
                                | ClusterCommand::RaiseEvent { .. }
                                | ClusterCommand::EventsHeld { .. }
                        );
                        narration.push(refused(*refusal, is_message)?);
                    }
                },
                MachineEntry::House(entry) => match &entry.outcome {
                    Ok(event) => narration
                        .extend(house::describe(installation, &entry.request.command, event).map(Narration::Sentence)),
                    Err(refusal) => {
                        let is_message = matches!(
                            entry.request.command,
                            HouseCommand::Receive { .. } | HouseCommand::Delivered { .. }
                        );
                        narration.push(refused(*refusal, is_message)?);
                    }
                },
            }
        }
        self.warn(installation, &mut narration);
        Ok(narration)
    }

    /// Warns of boxes that are newly over or below their limits, and of seats that are newly locked.
    fn warn(&mut self, installation: &ScriptInstallation, narration: &mut Vec<Narration>) {
        let game = installation.game();
        let over: Vec<_> = installation.cluster().excess().collect();
        for (bet_box, total, cap) in over.iter().filter(|now| !self.over.contains(now)) {
            let excess = Money::from_cents(total.cents() - cap.cents());
            let cited = cite(game, &[Rule::Excess]);
            narration
                .push(Narration::Sentence(format!("{bet_box} is at {total}, {excess} over what may be there.{cited}")));
        }
        let below: Vec<_> = installation.cluster().below_minimum().collect();
        for (bet_box, total, minimum) in below.iter().filter(|now| !self.below.contains(now)) {
            let cited = cite(game, &[Rule::Advice]);
            let cap = Money::from_cents(total.cents() + installation.cluster().room(*bet_box).cents());
            let may = if cap < *minimum { "withdraw" } else { "increase or withdraw" };
            narration.push(Narration::Sentence(format!(
                "{bet_box} is at {total}, below the minimum of {minimum}: its players may {may}.{cited}"
            )));
        }
        (self.over, self.below) = (over, below);
        let locked: BTreeSet<_> = installation.seats().filter(|seat| installation.cluster().is_locked(*seat)).collect();
        for seat in locked.difference(&self.locked) {
            let least = installation.house().profile().large_win;
            narration.push(Narration::Sentence(format!("Seat {} is locked: a win of {least} or more.", seat.0)));
        }
        self.locked = locked;
        for event in installation.house().significant().filter(|event| event.number > self.last_significant_event) {
            narration.extend(redemption_lock(event.what).map(Narration::Sentence));
        }
        self.last_significant_event = installation.house().significant().next_back().map_or(0, |event| event.number);
    }
}

fn describe_round_event(installation: &ScriptInstallation, event: &RoundEvent) -> Option<String> {
    let void = |round| installation.round().past(round).and_then(|past| past.void);
    let is_registering = |round| installation.cluster().thrown().is_some() && installation.cluster().round() == round;
    let (round, is_registering) = (installation.round().number(), &is_registering);
    let context = RoundContext {
        game: installation.game(),
        law: installation.round().law(),
        round,
        void: &void,
        is_registering,
        clock,
    };
    describe_event(&context, event)
}

/// Whether a partition sent the command by itself.
fn is_by_system(recorded: &MachineEntry) -> bool {
    let actor = match recorded {
        MachineEntry::Round(_, entry) => entry.request.actor,
        MachineEntry::Cluster(_, entry) => entry.request.actor,
        MachineEntry::House(entry) => entry.request.actor,
    };
    actor == Actor::System
}

/// Narrates what has no entry in the record.
fn narrate_unrecorded(action: &Action, result: CommandResult, is_silent: bool, narration: &mut Vec<Narration>) {
    match action {
        Action::OnDuty(person) => {
            let role = person.roles.iter().next().map_or("person", title);
            narration.push(Narration::Sentence(format!("{} is on duty as {role}.", person.id.0)));
        }
        Action::Restart => {
            narration
                .push(Narration::Sentence("Every machine is rebuilt from its record, and is as it was.".to_owned()));
        }
        Action::Again if is_silent => {
            narration.push(Narration::Sentence(
                "It was answered before: the answer is the same, and nothing changes.".to_owned(),
            ));
            narration.extend(result.err().map(Narration::Refusal));
        }
        Action::Send(_)
        | Action::Dice(_)
        | Action::Tumble(_)
        | Action::Correct { .. }
        | Action::CashOut(_)
        | Action::Witness(_)
        | Action::SellVoucher { .. }
        | Action::ReissueVoucher { .. }
        | Action::ConfirmVoucher(_)
        | Action::EnrolTerminal { .. }
        | Action::RevokeTerminal(_)
        | Action::Again
        | Action::Tick(_)
        | Action::Expect(_) => {}
    }
}

/// Narrates a lock after wrong voucher numbers. Every other significant event is narrated from its own entry.
fn redemption_lock(what: SignificantEventKind) -> Option<String> {
    match what {
        SignificantEventKind::RedemptionLocked(redeemer) => {
            let who = redeemer_name(redeemer);
            Some(format!("Too many wrong numbers: {who} may redeem no vouchers until the lock is cleared."))
        }
        SignificantEventKind::Reported(_)
        | SignificantEventKind::CommandIdReused { .. }
        | SignificantEventKind::LoginFailed(_)
        | SignificantEventKind::LoginLocked(_)
        | SignificantEventKind::LoginUnlocked(_)
        | SignificantEventKind::CodeGiven(_)
        | SignificantEventKind::DeviceRevoked(_)
        | SignificantEventKind::TokenCopied(_)
        | SignificantEventKind::RedemptionUnlocked(_)
        | SignificantEventKind::VoucherFailed { .. }
        | SignificantEventKind::VoucherReissued { .. }
        | SignificantEventKind::Configured
        | SignificantEventKind::KeysReplaced
        | SignificantEventKind::MoneyRuled => None,
    }
}

fn redeemer_name(redeemer: Redeemer) -> String {
    match redeemer {
        Redeemer::Person(person) => format!("person {}", person.0),
        Redeemer::Seat { seat, .. } => format!("seat {}", seat.0),
    }
}

/// Narrates a refusal. The machines never refuse each other's messages.
fn refused(refusal: Refusal, is_message: bool) -> Result<Narration, PlayError> {
    if is_message {
        return Err(PlayError::MessageRefused(refusal));
    }
    Ok(Narration::Refusal(refusal))
}

fn sheet_of(installation: &ScriptInstallation, round: RoundNumber, dice: Dice) -> Result<SettlementSheet, PlayError> {
    let slip = installation.engine.slip(installation.cluster().id(), round).ok_or(PlayError::SlipMissing)?;
    Ok(SettlementSheet::new(installation.game(), installation.layout(), &installation.limits_of(round), slip, dice)?)
}

fn add_result(installation: &mut ScriptInstallation, seat: Seat, amount: Money) -> Result<(), PlayError> {
    let result = installation.results.entry(seat).or_insert(Money::ZERO);
    *result = sum(*result, amount)?;
    Ok(())
}

fn sum(a: Money, b: Money) -> Result<Money, PlayError> {
    a.checked_add(b).ok_or(PlayError::TooLarge)
}

/// The time of day in the script's casino, with the day from the second day on.
pub fn clock(time: Time) -> String {
    let seconds = (time.0 - BEGIN.0) / 1_000 + 12 * 3_600;
    let (day, seconds) = (seconds / 86_400, seconds % 86_400);
    let mut text = String::new();
    if day > 0 {
        write!(text, "day {} ", day + 1).expect("a String takes every text");
    }
    write!(text, "{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
        .expect("a String takes every text");
    text
}

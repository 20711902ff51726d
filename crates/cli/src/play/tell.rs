//! What happened, in words, with the paragraphs behind it. It reads the record and the state after a line; it decides
//! nothing.

mod cluster;
mod house;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use taisai_record::SettlementSheet;
use taisai_rules::{BetBox, Dice, Money, Rule};
use taisai_table::{
    Actor, ClusterCommand, HouseCommand, MachineEntry, Redeemer, Refusal, RoundCommand, RoundEvent, RoundNumber, Seat,
    SignificantEventKind, Time,
};

use super::script::Act;
use super::stage::{Answer, BEGIN, Stage, title};
use crate::sheet::sum;
use crate::words::{Telling, cite, words};

/// One thing that happened.
pub(super) enum Told {
    Words(String),
    Refused(Refusal),
    Sheet { round: RoundNumber, dice: Dice, sheet: SettlementSheet },
}

/// Tells line after line, remembering what was told before so that only what is new is said again.
#[derive(Default)]
pub(super) struct Teller {
    over: Vec<(BetBox, Money, Money)>,
    below: Vec<(BetBox, Money, Money)>,
    locked: BTreeSet<Seat>,
    /// The last significant event of the House.
    significant: u64,
}

impl Teller {
    /// What the entries from a place of the record on have brought.
    pub(super) fn tell(
        &mut self,
        stage: &mut Stage,
        act: &Act,
        answer: Answer,
        from: usize,
    ) -> anyhow::Result<Vec<Told>> {
        let mut told = Vec::new();
        let record = stage.installation.record[from..].to_vec();
        before_the_record(act, answer, record.iter().all(is_own), &mut told);
        for entry in &record {
            match entry {
                MachineEntry::Round(_, entry) => match &entry.outcome {
                    // The tumbles that a line with the dice implies are recorded, and not told.
                    Ok(RoundEvent::Activated | RoundEvent::Tumbled { .. }) if matches!(act, Act::Dice(_)) => {}
                    Ok(event) => told.extend(round_words(stage, event).map(Told::Words)),
                    // Between rounds there is nothing to hold.
                    Err(_) if entry.request.command == RoundCommand::Restarted => {}
                    Err(refusal) => {
                        let carried = matches!(entry.request.command, RoundCommand::Report { .. });
                        told.push(refused(*refusal, carried)?);
                    }
                },
                MachineEntry::Cluster(_, entry) => match &entry.outcome {
                    Ok(event) => cluster::tell(stage, &entry.request.command, event, &mut told)?,
                    Err(refusal) => {
                        let carried = matches!(
                            entry.request.command,
                            ClusterCommand::Follow { .. }
                                | ClusterCommand::Receive { .. }
                                | ClusterCommand::Delivered { .. }
                        );
                        told.push(refused(*refusal, carried)?);
                    }
                },
                MachineEntry::House(entry) => match &entry.outcome {
                    Ok(event) => told.extend(house::words(stage, &entry.request.command, event).map(Told::Words)),
                    Err(refusal) => {
                        let carried = matches!(
                            entry.request.command,
                            HouseCommand::Receive { .. } | HouseCommand::Delivered { .. }
                        );
                        told.push(refused(*refusal, carried)?);
                    }
                },
            }
        }
        self.warn(stage, &mut told);
        Ok(told)
    }

    /// What is over or below the limits since the last line, and which seats were locked.
    fn warn(&mut self, stage: &Stage, told: &mut Vec<Told>) {
        let game = stage.game();
        let over: Vec<_> = stage.cluster().excess().collect();
        for (bet_box, total, cap) in over.iter().filter(|now| !self.over.contains(now)) {
            let excess = Money::from_cents(total.cents() - cap.cents());
            let cited = cite(game, &[Rule::Excess]);
            told.push(Told::Words(format!("{bet_box} is at {total}, {excess} over what may be there.{cited}")));
        }
        let below: Vec<_> = stage.cluster().below_minimum().collect();
        for (bet_box, total, minimum) in below.iter().filter(|now| !self.below.contains(now)) {
            let cited = cite(game, &[Rule::Advice]);
            let cap = Money::from_cents(total.cents() + stage.cluster().room(*bet_box).cents());
            let may = if cap < *minimum { "withdraw" } else { "increase or withdraw" };
            told.push(Told::Words(format!(
                "{bet_box} is at {total}, below the minimum of {minimum}: its players may {may}.{cited}"
            )));
        }
        (self.over, self.below) = (over, below);
        let locked: BTreeSet<_> = stage.seats().filter(|seat| stage.cluster().is_locked(*seat)).collect();
        for seat in locked.difference(&self.locked) {
            let least = stage.house().profile().large_win;
            told.push(Told::Words(format!("Seat {} is locked: a win of {least} or more.", seat.0)));
        }
        self.locked = locked;
        for event in stage.house().significant().filter(|event| event.number > self.significant) {
            told.extend(locked_out(event.what).map(Told::Words));
        }
        self.significant = stage.house().significant().next_back().map_or(0, |event| event.number);
    }
}

fn round_words(stage: &Stage, event: &RoundEvent) -> Option<String> {
    let void = |round| stage.round().past(round).and_then(|past| past.void);
    let is_registering = |round| stage.cluster().thrown().is_some() && stage.cluster().round() == round;
    let (round, is_registering) = (stage.round().number(), &is_registering);
    let telling = Telling { game: stage.game(), law: stage.round().law(), round, void: &void, is_registering, clock };
    words(&telling, event)
}

/// Whether a partition has asked by itself.
fn is_own(recorded: &MachineEntry) -> bool {
    let actor = match recorded {
        MachineEntry::Round(_, entry) => entry.request.actor,
        MachineEntry::Cluster(_, entry) => entry.request.actor,
        MachineEntry::House(entry) => entry.request.actor,
    };
    actor == Actor::System
}

/// What no entry says.
fn before_the_record(act: &Act, answer: Answer, is_silent: bool, told: &mut Vec<Told>) {
    match act {
        Act::OnDuty(person) => {
            let role = person.roles.iter().next().map_or("person", title);
            told.push(Told::Words(format!("{} is on duty as {role}.", person.id.0)));
        }
        Act::Restart => {
            told.push(Told::Words("Every machine is rebuilt from its record, and is as it was.".to_owned()));
        }
        Act::Again if is_silent => {
            told.push(Told::Words("It was answered before: the answer is the same, and nothing changes.".to_owned()));
            told.extend(answer.err().map(Told::Refused));
        }
        Act::Ask(_)
        | Act::Dice(_)
        | Act::Tumble(_)
        | Act::Correct { .. }
        | Act::CashOut(_)
        | Act::Witness(_)
        | Act::SellVoucher { .. }
        | Act::Reissue { .. }
        | Act::Confirm(_)
        | Act::Enrol { .. }
        | Act::Revoke(_)
        | Act::Again
        | Act::Tick(_)
        | Act::Expect(_) => {}
    }
}

/// Who may redeem no more after wrong numbers. Everything else that is significant is told by its own entry.
fn locked_out(what: SignificantEventKind) -> Option<String> {
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
        | SignificantEventKind::MoneyRuled => None,
    }
}

fn redeemer_name(redeemer: Redeemer) -> String {
    match redeemer {
        Redeemer::Person(person) => format!("person {}", person.0),
        Redeemer::Seat { seat, .. } => format!("seat {}", seat.0),
    }
}

/// A refusal. What the machines have for each other is never refused.
fn refused(refusal: Refusal, carried: bool) -> anyhow::Result<Told> {
    if carried {
        bail!("a message between the machines was refused: {}", refusal.sentence());
    }
    Ok(Told::Refused(refusal))
}

/// The sheet of a round by the dice, from its slip.
fn sheet_of(stage: &Stage, round: RoundNumber, dice: Dice) -> anyhow::Result<SettlementSheet> {
    let slip = stage.installation.slip(stage.cluster().id(), round).context("a settled round has no slip")?;
    Ok(SettlementSheet::new(stage.game(), stage.layout(), &stage.limits_of(round), slip, dice)?)
}

/// Adds to what a seat has won or lost.
fn add_result(stage: &mut Stage, seat: Seat, amount: Money) -> anyhow::Result<()> {
    let result = stage.results.entry(seat).or_insert(Money::ZERO);
    *result = sum(*result, amount)?;
    Ok(())
}

/// The time of day as the house's clocks show it, with the day where it is not the first.
pub(super) fn clock(time: Time) -> String {
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

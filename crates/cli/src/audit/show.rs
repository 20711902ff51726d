//! `taisai audit show`: one round from the record, with its settlement sheet then and now, who acted, and what was moved.

use std::io::Write;

use anyhow::{Context as _, bail};
use serde::Serialize;
use taisai_record::{MachineId, Settled, Settlement, settlement};
use taisai_rules::{Dice, Language};
use taisai_table::{Actor, PastRound, RoundCommand, RoundEntry, RoundNumber, TableId, TableRules};

use super::Store;
use super::ledger::{self, Movement};
use super::marked::Marked;
use crate::args::RoundArgs;
use crate::print::{self, BAD, Column, HEADING, moment};
use crate::sheet::Sheet;
use crate::store;
use crate::words::{Telling, because, cite, words};

/// Shows a round of a store.
pub(super) fn run(store: &Store, args: &RoundArgs, json: bool) -> anyhow::Result<bool> {
    let mut archive = store.archive()?;
    let (table, round) = (store::table(args.table, &archive.heads()?)?, RoundNumber(args.round));
    let found = settlement(&mut *archive, &store.keys, table, round)?;
    let Some(settlement) = found.filter(|_| round.0 > 0) else {
        bail!("the store has no round {} of table {}", round.0, table.0);
    };
    let sheet = RoundSheet::new(&settlement)?;
    if json {
        writeln!(std::io::stdout().lock(), "{}", sheet.json()?)?;
    } else {
        sheet.print(&mut anstream::stdout().lock())?;
    }
    Ok(true)
}

/// Whose the round is, and whether it was played for money.
pub(super) fn mark(settlement: &Settlement) -> Marked {
    Marked::new(&settlement.genesis).of_table(&settlement.opening.setup)
}

/// A round on paper.
pub(super) struct RoundSheet<'a> {
    settlement: &'a Settlement,
    rules: TableRules,
    clusters: Vec<ClusterSheet<'a>>,
}

/// What one cluster settled.
struct ClusterSheet<'a> {
    settled: &'a Settled,
    first: Option<Sheet>,
    /// As it stands; none if it is void.
    now: Option<Sheet>,
    movements: Vec<Movement>,
}

impl<'a> RoundSheet<'a> {
    /// Writes the sheets, and sees to it that they come to what was settled.
    pub(super) fn new(settlement: &'a Settlement) -> anyhow::Result<Self> {
        let rules = settlement.opening.rules()?;
        let cluster = |settled: &'a Settled| {
            let first = ledger::sheet(&rules, settled, settled.dice)?;
            first.as_ref().map_or(Ok(()), |sheet| sheet.check(&settled.totals))?;
            let now = ledger::sheet(&rules, settled, settled.latest())?;
            let movements = ledger::settled(settled, first.as_ref())?;
            anyhow::Ok(ClusterSheet { settled, first, now, movements })
        };
        let clusters = settlement.clusters.iter().map(cluster).collect::<Result<_, _>>()?;
        Ok(Self { settlement, rules, clusters })
    }

    pub(super) fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let Settlement { table, round, opening, past, .. } = self.settlement;
        let (game, layout) = (self.rules.game(), self.rules.layout());
        mark(self.settlement).print(out)?;
        print::heading(out, &format!("Table {}, round {}", table.0, round.0))?;
        let title = game.title().get(Language::English);
        writeln!(
            out,
            "{title}, document {}, layout {}, pay table {}.",
            game.document(),
            layout.id(),
            layout.pay_table()
        )?;
        let rules = opening.rules_hash().context("a table has rules")?;
        let (version, profile) = (&opening.program.version, &opening.profile.name);
        writeln!(out, "Rules {rules}, profile {profile}, program {version}.")?;
        match past {
            None => writeln!(out, "The round is in play.")?,
            Some(past) => self.stands(past, out)?,
        }
        print::heading(out, "Who acted")?;
        let rows: Vec<_> = self.settlement.acts.iter().map(|act| self.act(act.at.position, &act.entry)).collect();
        let columns = ["Block", "Time", "Who", "What"].map(Column::left);
        print::table(out, &columns, &rows)?;
        for cluster in &self.clusters {
            self.cluster(cluster, out)?;
        }
        Ok(())
    }

    fn stands(&self, past: &PastRound, out: &mut impl Write) -> anyhow::Result<()> {
        let PastRound { dice, first_dice, void, dice_set, tumbler, dealer } = past;
        let dealer = dealer.map_or_else(|| "nobody on file".to_owned(), |dealer| format!("person {}", dealer.0));
        writeln!(out, "Dealt by {dealer}, with dice set {dice_set} and tumbler {tumbler}.")?;
        match (void, dice) {
            (Some(reason), _) => {
                let cited = cite(self.rules.game(), &[reason.rule()]);
                writeln!(out, "The round is void: {}.{cited}", because(*reason))?;
            }
            (None, Some(dice)) => writeln!(out, "It stands by the dice {dice}, Total Sum {}.", dice.total_sum())?,
            (None, None) => writeln!(out, "It has no result.")?,
        }
        if let Some(first) = first_dice.filter(|first| Some(*first) != *dice) {
            writeln!(out, "The result first committed was {first}.")?;
        }
        Ok(())
    }

    /// Block, time, who and what.
    fn act(&self, position: u64, entry: &RoundEntry) -> Vec<String> {
        let void = |_| self.settlement.past.and_then(|past| past.void);
        let telling = Telling { game: self.rules.game(), round: self.settlement.round, void: &void, clock: moment };
        let what = match &entry.outcome {
            Ok(event) => words(&telling, &entry.asked.command, event).unwrap_or_default(),
            Err(refusal) => {
                let command = serde_json::to_value(&entry.asked.command).unwrap_or_default();
                let name = command.as_str().map(str::to_owned);
                let name = name.or_else(|| command.as_object()?.keys().next().cloned()).unwrap_or_default();
                format!("{name} is refused: {} ({})", refusal.sentence(), refusal.code())
            }
        };
        let why = why(&entry.asked.command).map(|why| format!(" Because: {why}")).unwrap_or_default();
        vec![position.to_string(), moment(entry.asked.time), who(entry), what + &why]
    }

    fn cluster(&self, cluster: &ClusterSheet, out: &mut impl Write) -> anyhow::Result<()> {
        let ClusterSheet { settled, first, now, movements } = cluster;
        let place = format!(
            "block {}, entry {} of chain {}",
            settled.at.position,
            settled.at.line,
            MachineId::Cluster(settled.cluster).chain()
        );
        print::heading(out, &format!("As it was settled, {}, {place}", moment(settled.time)))?;
        sheet(out, settled.dice, first.as_ref())?;
        table(out, movements)?;
        for change in &settled.changes {
            let dice = change.dice.map_or_else(|| "void".to_owned(), |dice| format!("settled again by {dice}"));
            let cited = change.void.map(|reason| cite(self.rules.game(), &[reason.rule()])).unwrap_or_default();
            let place = format!("block {}, entry {}", change.at.position, change.at.line);
            print::heading(out, &format!("Changed, {}, {place}: {dice}{cited}", moment(change.time)))?;
            let moved = ledger::changed(settled.cluster, change);
            if moved.is_empty() {
                writeln!(out, "Nobody gets or gives anything by it.")?;
            } else {
                table(out, &moved)?;
            }
        }
        if !settled.changes.is_empty() {
            print::heading(out, "As it stands now")?;
            sheet(out, settled.latest(), now.as_ref())?;
        }
        Ok(())
    }

    pub(super) fn json(&self) -> anyhow::Result<String> {
        let Settlement { table, round, opening, past, acts, .. } = self.settlement;
        let rules_hash = opening.rules_hash().context("a table has rules")?.to_string();
        let cluster = |cluster: &ClusterSheet<'_>| {
            let changes = cluster.settled.changes.iter().map(|change| {
                let (position, entry) = (change.at.position, change.at.line);
                let movements = ledger::changed(cluster.settled.cluster, change);
                serde_json::json!({ "block": position, "entry": entry, "time": change.time, "dice": change.dice,
                    "void": change.void, "movements": movements })
            });
            serde_json::json!({
                "cluster": cluster.settled.cluster.number,
                "block": cluster.settled.at.position,
                "entry": cluster.settled.at.line,
                "time": cluster.settled.time,
                "dice": cluster.settled.dice,
                "sheet": cluster.first,
                "totals": cluster.settled.totals,
                "movements": cluster.movements,
                "changes": changes.collect::<Vec<_>>(),
                "latest": cluster.settled.latest(),
                "now": cluster.now,
            })
        };
        let Marked { house, is_training } = mark(self.settlement);
        Ok(serde_json::to_string(&Json {
            house,
            training: is_training,
            table: *table,
            round: *round,
            game: format!("{}@{}", self.rules.game().id(), self.rules.game().version()),
            layout: self.rules.layout().id(),
            rules: rules_hash,
            profile: opening.profile_hash().to_string(),
            program: &opening.program.version,
            past: *past,
            acts: acts.iter().map(|act| (act.at.position, &act.entry)).collect(),
            clusters: self.clusters.iter().map(cluster).collect(),
        })?)
    }
}

#[derive(Serialize)]
struct Json<'a> {
    house: String,
    training: bool,
    table: TableId,
    round: RoundNumber,
    game: String,
    layout: &'a str,
    rules: String,
    profile: String,
    program: &'a str,
    past: Option<PastRound>,
    /// The block and the entry.
    acts: Vec<(u64, &'a RoundEntry)>,
    clusters: Vec<serde_json::Value>,
}

fn sheet(out: &mut impl Write, dice: Option<Dice>, sheet: Option<&Sheet>) -> anyhow::Result<()> {
    match (dice, sheet) {
        (Some(dice), Some(sheet)) => {
            writeln!(out, "{HEADING}Dice {dice}{HEADING:#}\n")?;
            sheet.print(out, "  ")?;
        }
        (_, _) => writeln!(out, "{BAD}void{BAD:#}  every bet is returned")?,
    }
    Ok(())
}

fn table(out: &mut impl Write, movements: &[Movement]) -> anyhow::Result<()> {
    if movements.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let row = |movement: &Movement| {
        vec![movement.from.clone(), movement.to.clone(), movement.amount.to_string(), movement.why.to_owned()]
    };
    let columns = [Column::left("From"), Column::left("To"), Column::right("Amount"), Column::left("Why")];
    Ok(print::table(out, &columns, &movements.iter().map(row).collect::<Vec<_>>())?)
}

/// Who asked, and who stood beside.
fn who(entry: &RoundEntry) -> String {
    let first = match entry.asked.actor {
        Actor::Person(person) => format!("person {}", person.id.0),
        Actor::Terminal { seat, .. } => format!("terminal {}", seat.0),
        Actor::Tumbler(device) => format!("tumbler {}", device.0),
        Actor::System => "the system".to_owned(),
    };
    let (RoundCommand::Correct { second, .. }
    | RoundCommand::VoidSettled { second, .. }
    | RoundCommand::VoidDamaged { second, .. }) = &entry.asked.command
    else {
        return first;
    };
    second.map_or_else(|| first.clone(), |second| format!("{first} and person {}", second.id.0))
}

fn why(command: &RoundCommand) -> Option<&str> {
    let (RoundCommand::Correct { why, .. }
    | RoundCommand::VoidSettled { why, .. }
    | RoundCommand::VoidDamaged { why, .. }
    | RoundCommand::Rule { why, .. }
    | RoundCommand::ShowLimits { why, .. }) = command
    else {
        return None;
    };
    Some(why)
}

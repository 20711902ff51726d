//! `taisai audit show`: prints one round of the record: first and current settlement sheet, who acted, and what money moved.

use std::io::Write;

use anyhow::bail;
use taisai_record::{
    ClusterSheet, Movement, RecordLabel, RegisteredLine, RoundSheet, SettlementSheet, chain_of, round_settlement,
};
use taisai_rules::{Dice, Game, Language};
use taisai_script::describe::{RoundContext, describe_event, void_reason};
use taisai_table::{
    Actor, ClusterCommand, ClusterId, Law, MachineId, PastRound, Profile, Registration, RoundCommand, RoundEntry,
    RoundNumber, RoundStanding, Stake, Unwitnessed,
};

use super::Store;
use crate::args::RoundArgs;
use crate::print::{self, BAD, Column, HEADING, QUIET, moment};
use crate::store;

pub(super) fn run(store: &Store, args: &RoundArgs, json: bool) -> anyhow::Result<bool> {
    let mut archive = store.archive()?;
    let (table, round) = (store::table(args.table, &archive.heads()?)?, RoundNumber(args.round));
    let found = round_settlement(&mut *archive, &store.keys, table, round)?;
    let Some(settlement) = found.filter(|_| round.0 > 0) else {
        bail!("the store has no round {} of table {}", round.0, table.0);
    };
    let sheet = RoundSheet::new(&settlement)?;
    if json {
        writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&sheet)?)?;
    } else {
        let profile = &settlement.opening.profile;
        RoundReport { sheet: &sheet, profile }.print(&mut anstream::stdout().lock())?;
    }
    Ok(true)
}

pub(super) struct RoundReport<'a> {
    pub(super) sheet: &'a RoundSheet,
    pub(super) profile: &'a Profile,
}

impl RoundReport<'_> {
    pub(super) fn print(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let RoundSheet { mark, table, round, rules, program, past, acts, clusters, .. } = self.sheet;
        let (game, layout) = (self.game(), self.sheet.table_rules().layout());
        if let Some(why) = not_approved(game) {
            writeln!(out, "{BAD}NOT APPROVED{BAD:#}  {why}")?;
        }
        print_mark(mark, out)?;
        print::heading(out, &format!("Table {}, round {}", table.0, round.0))?;
        let title = game.title().get(Language::English);
        writeln!(
            out,
            "{title}, document {}, layout {}, pay table {}.",
            game.document(),
            layout.id(),
            layout.pay_table()
        )?;
        writeln!(out, "Rules {rules}, profile {}, program {program}.", self.profile.name)?;
        if self.sheet.registration == Registration::Winners {
            writeln!(out, "Registration: winners. What else lost was collected and is not registered.")?;
        }
        match past {
            None => writeln!(out, "The round is in play.")?,
            Some(past) => self.stands(past, out)?,
        }
        print::heading(out, "Who acted")?;
        let rows: Vec<_> = acts.iter().map(|(block, entry)| self.act(*block, entry)).collect();
        let columns = ["Block", "Time", "Who", "What"].map(Column::left);
        print::table(out, &columns, &rows)?;
        for cluster in clusters {
            self.cluster(cluster, out)?;
        }
        Ok(())
    }

    fn game(&self) -> &Game {
        self.sheet.table_rules().game()
    }

    const fn law(&self) -> &Law {
        &self.profile.law
    }

    fn stands(&self, past: &PastRound, out: &mut impl Write) -> anyhow::Result<()> {
        let PastRound { dice, first_dice, void, dice_set, tumbler, dealer, is_ruled: _ } = past;
        let dealer = dealer.map_or_else(|| "nobody on file".to_owned(), |dealer| format!("person {}", dealer.0));
        writeln!(out, "Dealt by {dealer}, with dice set {dice_set} and tumbler {tumbler}.")?;
        let cited = self.sheet.cited.join(", ");
        match (void, dice) {
            (Some(reason), _) => writeln!(out, "The round is void: {}. ({cited})", void_reason(*reason))?,
            (None, Some(dice)) => {
                writeln!(out, "It stands by the dice {dice}, Total Sum {}. ({cited})", dice.total_sum())?;
            }
            (None, None) => writeln!(out, "It has no result.")?,
        }
        for sentence in waits(self.sheet) {
            writeln!(out, "{BAD}{sentence}{BAD:#}")?;
        }
        if let Some(first) = first_dice.filter(|first| Some(*first) != *dice) {
            writeln!(out, "The result first committed was {first}.")?;
        }
        Ok(())
    }

    /// Block, time, who and what.
    fn act(&self, position: u64, entry: &RoundEntry) -> Vec<String> {
        let void = |_| self.sheet.past.and_then(|past| past.void);
        let registers_winners = self.sheet.registration == Registration::Winners;
        let is_registering =
            |_| registers_winners && self.sheet.clusters.iter().all(|of| entry.request.time <= of.time);
        let (round, is_registering) = (self.sheet.round, &is_registering);
        let context =
            RoundContext { game: self.game(), law: self.law(), round, void: &void, is_registering, clock: moment };
        let what = match &entry.outcome {
            Ok(event) => describe_event(&context, event).unwrap_or_default(),
            Err(refusal) => {
                let command = serde_json::to_value(&entry.request.command).unwrap_or_default();
                let name = command.as_str().map(str::to_owned);
                let name = name.or_else(|| command.as_object()?.keys().next().cloned()).unwrap_or_default();
                format!("{name} is refused: {} ({})", refusal.sentence(), refusal.code())
            }
        };
        let why = why(&entry.request.command).map(|why| format!(" Because: {why}")).unwrap_or_default();
        vec![position.to_string(), moment(entry.request.time), who(entry), what + &why]
    }

    fn cluster(&self, cluster: &ClusterSheet, out: &mut impl Write) -> anyhow::Result<()> {
        let id = ClusterId { table: self.sheet.table, number: cluster.cluster };
        let chain = chain_of(MachineId::Cluster(id));
        let place = format!("block {}, entry {} of chain {chain}", cluster.block, cluster.entry);
        let settled = if cluster.changes.is_empty() {
            "As it was settled"
        } else {
            print::heading(out, "As it stands")?;
            sheet(out, self.sheet.registration, cluster.latest, cluster.now.as_ref())?;
            "As it was first settled"
        };
        if !cluster.registered.is_empty() {
            print::heading(out, "As it was registered")?;
            let columns = ["Block", "Time", "Who", "What"].map(Column::left);
            print::table(out, &columns, &cluster.registered.iter().map(registered).collect::<Vec<_>>())?;
        }
        for change in &cluster.changes {
            let dice = change.dice.map_or_else(|| "void".to_owned(), |dice| format!("settled again by {dice}"));
            let cited = change.void.map(|reason| reason.cites(self.game(), self.law()).join(", "));
            let cited = cited.map_or_else(String::new, |cited| format!(" ({cited})"));
            let place = format!("block {}, entry {}", change.block, change.entry);
            print::heading(out, &format!("Changed, {}, {place}: {dice}{cited}", moment(change.time)))?;
            if change.movements.is_empty() {
                writeln!(out, "Nobody gets or gives anything by it.")?;
            } else {
                table(out, &change.movements)?;
            }
        }
        print::heading(out, &format!("{settled}, {}, {place}", moment(cluster.time)))?;
        if cluster.returned_on_layout {
            writeln!(out, "{BAD}void{BAD:#}  the chips were returned on the layout")?;
        } else {
            sheet(out, self.sheet.registration, cluster.dice, cluster.sheet.as_ref())?;
        }
        table(out, &cluster.movements)
    }
}

/// Which money does not follow the current result yet.
pub(super) fn waits(sheet: &RoundSheet) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(Unwitnessed { by, paid, .. }) = &sheet.unwitnessed {
        let paid = match paid {
            RoundStanding::Settled(dice) => format!("paid by the dice {dice}"),
            RoundStanding::Void(_) => "paid as void".to_owned(),
            RoundStanding::InPlay => "not paid".to_owned(),
        };
        sentences.push(format!("The ruling of person {} waits for a witness: until then the round is {paid}.", by.0));
    }
    if !sheet.behind.is_empty() {
        let clusters: Vec<_> = sheet.behind.iter().map(ToString::to_string).collect();
        sentences.push(format!("The money has not followed yet at cluster {}.", clusters.join(", ")));
    }
    sentences
}

/// What a game is that is not approved; nothing of an approved one.
pub(super) fn not_approved(game: &Game) -> Option<String> {
    if game.is_approved() {
        return None;
    }
    let (id, version, hash) = (game.id(), game.version(), game.hash());
    Some(match game.approved_hash() {
        Some(approved) => format!("The game {id}@{version} has the hash {hash}; the approved one has {approved}."),
        None => format!("No game {id}@{version} is approved (hash {hash})."),
    })
}

/// Prints the installation of the record, and whether its money is real.
pub(super) fn print_mark(mark: &RecordLabel, out: &mut impl Write) -> std::io::Result<()> {
    if mark.is_training {
        writeln!(out, "{BAD}TRAINING{BAD:#}  No money here is real, and none is paid for it.")?;
    }
    writeln!(out, "house     {QUIET}{}{QUIET:#}", mark.house)
}

fn sheet(
    out: &mut impl Write,
    registration: Registration,
    dice: Option<Dice>,
    sheet: Option<&SettlementSheet>,
) -> anyhow::Result<()> {
    match (dice, sheet) {
        (Some(dice), Some(sheet)) => {
            writeln!(out, "{HEADING}Dice {dice}{HEADING:#}\n")?;
            crate::sheet::print(sheet, registration, out, "  ")?;
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
        let Movement { from, to, amount, why } = movement;
        vec![from.to_string(), to.to_string(), amount.to_string(), why.to_string()]
    };
    let columns = [Column::left("From"), Column::left("To"), Column::right("Amount"), Column::left("Why")];
    Ok(print::table(out, &columns, &movements.iter().map(row).collect::<Vec<_>>())?)
}

/// A bet registered after the dice or from the film: block, time, who and what.
fn registered(line: &RegisteredLine) -> Vec<String> {
    let stakes = |stakes: &[Stake]| {
        stakes.iter().map(|stake| format!("{} on {}", stake.amount, stake.bet_box)).collect::<Vec<_>>().join(", ")
    };
    let (second, what) = match &line.what {
        ClusterCommand::Register { seat, stakes: list, second } => {
            (*second, format!("seat {}: {}", seat.0, stakes(list)))
        }
        ClusterCommand::Withdraw { seat, stakes: list, .. } => {
            (None, format!("seat {}: {} taken off", seat.0, stakes(list)))
        }
        ClusterCommand::Clear { seat } => (None, format!("seat {}: all taken off", seat.0)),
        ClusterCommand::TellTotal { bet_box, amount } => (None, format!("{amount} on {bet_box} in all")),
        ClusterCommand::RegisterFromFilm { seat, player, stake, second, .. } => {
            (*second, format!("from the film, seat {}: {}, {player}", seat.0, stakes(&[*stake])))
        }
        ClusterCommand::WithdrawFromFilm { line, second, .. } => {
            (*second, format!("line {line} from the film taken off"))
        }
        ClusterCommand::CloseReturns { second, .. } => (*second, "all from the film is registered".to_owned()),
        _ => (None, "all that wins is registered".to_owned()),
    };
    let by = actor(line.by);
    let by = second.map_or_else(|| by.clone(), |second| format!("{by} and person {}", second.id.0));
    vec![line.block.to_string(), moment(line.time), by, what]
}

fn actor(actor: Actor) -> String {
    match actor {
        Actor::Person(person) => format!("person {}", person.id.0),
        Actor::Terminal { seat, .. } => format!("terminal {}", seat.0),
        Actor::Tumbler(device) => format!("tumbler {}", device.0),
        Actor::NoteAcceptor { seat, .. } => format!("note acceptor {}", seat.0),
        Actor::ChipReader(device) => format!("chip reader {}", device.0),
        Actor::System => "the system".to_owned(),
    }
}

/// Who acted, and the second person.
fn who(entry: &RoundEntry) -> String {
    let first = actor(entry.request.actor);
    let (RoundCommand::Correct { second, .. }
    | RoundCommand::CorrectKnown { second, .. }
    | RoundCommand::VoidByLaw { second, .. }
    | RoundCommand::Inspect { second, .. }
    | RoundCommand::VoidDamaged { second, .. }) = &entry.request.command
    else {
        return first;
    };
    second.map_or_else(|| first.clone(), |second| format!("{first} and person {}", second.id.0))
}

fn why(command: &RoundCommand) -> Option<&str> {
    let (RoundCommand::Correct { why, .. }
    | RoundCommand::CorrectKnown { why, .. }
    | RoundCommand::VoidByLaw { why, .. }
    | RoundCommand::VoidDamaged { why, .. }
    | RoundCommand::Rule { why, .. }
    | RoundCommand::ShowLimits { why, .. }) = command
    else {
        return None;
    };
    Some(why)
}

//! `taisai replay`: steps through the record of a simulated run, or of a table in a store, forwards and backwards, and shows the
//! table at each step. It applies entries and prints; nothing is decided again.

mod entry_text;
pub mod failure;
pub mod file;
pub mod setup;

use std::io::{BufRead as _, IsTerminal as _, Write};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use data_encoding::HEXLOWER;
use serde::Serialize;
use taisai_record::{Address, EntryPosition, MergedTable, chain_of, merge_chains};
use taisai_rules::{Games, Money};
use taisai_table::{
    Account, Chips, Cluster, ClusterId, ClusterLedger, MachineEntry, MachineId, Machines, RoundAndClusters, Seat,
    TableId,
};

use crate::print::{self, BAD, Column, GOOD, HEADING, QUIET, counted};
use crate::store::{self, Store};
use entry_text::EntryText;
use failure::{RunFailure, caught, quietly};
use file::ReplayFile;
use setup::TABLE;

/// How a file of `taisai-lab torture --nodes` begins. It holds a seed and a plan; only the simulator can run them again.
pub const SIMULATOR_RUN: &str = "taisai simulator run 1\n";

/// Entries between two kept states, so that going back is quick.
const SNAPSHOT_INTERVAL: usize = 512;

/// Where to look.
pub(crate) struct ReplayTarget<'a> {
    pub(crate) table: Option<u16>,
    pub(crate) cluster: Option<u16>,
    /// An entry of a file, or a block of a store.
    pub(crate) at: Option<u64>,
    /// Keys whose checkpoints are believed.
    pub(crate) key: &'a [String],
}

/// Shows a record; `false` if it does not end in the state in which the run was.
pub(crate) fn run(games: &Games, record: &Address, place: &ReplayTarget<'_>, json: bool) -> anyhow::Result<bool> {
    if let Address::Folder(file) = record
        && std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(SIMULATOR_RUN.as_bytes()))
    {
        bail!("{0} is a run of several nodes: step through it with taisai-lab replay {0}", file.display());
    }
    let (mut cursor, at) = match record {
        Address::Folder(file) if !file.is_dir() => of_file(games, file, place)?,
        store => of_store(store, place)?,
    };
    match at {
        Some(at) => {
            cursor.go(at)?;
            if json {
                writeln!(std::io::stdout().lock(), "{}", serde_json::to_string(&cursor.step()?)?)?;
            } else {
                cursor.show(&mut anstream::stdout().lock())?;
            }
            Ok(true)
        }
        None if !json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => cursor.interact(),
        None => cursor.list(json),
    }
}

/// The run of a file, and the entry to stop at.
fn of_file(games: &Games, file: &Path, place: &ReplayTarget<'_>) -> anyhow::Result<(ReplayCursor, Option<usize>)> {
    if place.table.is_some() || !place.key.is_empty() {
        bail!("{} is no store: there is no table to choose, and nothing is signed", file.display());
    }
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let ReplayFile { setup, entries, hash } = ReplayFile::read(&bytes).with_context(|| file.display().to_string())?;
    let cursor = ReplayCursor::new(TABLE, setup.game.clone(), setup.machines(games)?, entries, Some(hash));
    let (last, at) = (cursor.entries.len(), place.at.map(usize::try_from).transpose()?);
    match at {
        Some(at) if at > last => bail!(
            "there {} {}, not {at}",
            if last == 1 { "is" } else { "are" },
            counted(u64::try_from(last)?, ("entry", "entries"))
        ),
        at => Ok((cursor, at)),
    }
}

/// A table of a store, and how many entries there are up to the block to stop at.
fn of_store(address: &Address, place: &ReplayTarget<'_>) -> anyhow::Result<(ReplayCursor, Option<usize>)> {
    let store = Store::at(address.clone(), place.key)?;
    let mut archive = store.archive()?;
    let heads = archive.heads()?;
    let table = store::table(place.table, &heads)?;
    let merged = quietly(|| caught(&address, || merge_chains(&mut *archive, &store.keys, table)));
    let MergedTable { machines, entries, game } = merged.map_err(|RunFailure(what)| anyhow::anyhow!(what))??;
    let machine = match place.cluster {
        Some(number) => MachineId::Cluster(ClusterId { table, number }),
        None => MachineId::Round(table),
    };
    let at = place.at.map(|position| {
        let chain = chain_of(machine);
        let head =
            heads.iter().find(|head| head.chain == chain).with_context(|| format!("there is no chain {chain}"))?;
        let blocks = counted(head.next, ("block", "blocks"));
        ensure!(position < head.next, "chain {chain} has {blocks}, counted from 0");
        let is_before =
            |(at, recorded): &(EntryPosition, MachineEntry)| of(recorded) == machine && at.position <= position;
        anyhow::Ok(entries.iter().rposition(is_before).map_or(0, |place| place + 1))
    });
    let entries = entries.into_iter().map(|(_, recorded)| recorded).collect();
    Ok((ReplayCursor::new(table, game, machines, entries, None), at.transpose()?))
}

const fn of(recorded: &MachineEntry) -> MachineId {
    match recorded {
        MachineEntry::Round(table, _) => MachineId::Round(*table),
        MachineEntry::Cluster(cluster, _) => MachineId::Cluster(*cluster),
        MachineEntry::House(_) => MachineId::House,
    }
}

/// The record, and the machines as they are after some of its entries.
struct ReplayCursor {
    table: TableId,
    game: String,
    entries: Vec<MachineEntry>,
    /// The hash of the state that the run was in at its end, where that is known.
    hash: Option<[u8; 32]>,
    /// How many entries have been applied.
    at: usize,
    machines: Machines,
    kept: Vec<Machines>,
}

/// An entry and the table after it, for programs.
#[derive(Serialize)]
struct ReplayStep<'a> {
    entry: usize,
    #[serde(flatten)]
    entry_text: Option<EntryText>,
    phase: taisai_table::Phase,
    round: u64,
    bets: i64,
    credits: Vec<i64>,
    house: i64,
    game: &'a str,
}

impl ReplayCursor {
    fn new(
        table: TableId,
        game: String,
        machines: Machines,
        entries: Vec<MachineEntry>,
        hash: Option<[u8; 32]>,
    ) -> Self {
        Self { table, game, entries, hash, kept: vec![machines.clone()], machines, at: 0 }
    }

    fn table(&self) -> &RoundAndClusters {
        &self.machines.tables[&self.table]
    }

    /// Every seat with its cluster.
    fn seats(&self) -> impl Iterator<Item = (&Cluster, Seat)> {
        self.machines.clusters().flat_map(|cluster| cluster.seats().map(move |seat| (cluster, seat)))
    }

    /// Goes to the state after `to` entries.
    fn go(&mut self, to: usize) -> anyhow::Result<()> {
        let kept = (to / SNAPSHOT_INTERVAL).min(self.kept.len() - 1);
        if to < self.at || kept * SNAPSHOT_INTERVAL > self.at {
            (self.at, self.machines) = (kept * SNAPSHOT_INTERVAL, self.kept[kept].clone());
        }
        while self.at < to {
            let (machines, entry) = (&mut self.machines, &self.entries[self.at]);
            let applied = quietly(|| caught(entry, || machines.apply(entry)));
            if let Err(RunFailure(what)) = applied {
                bail!("entry {}: {what}", self.at + 1);
            }
            self.at += 1;
            if self.at == self.kept.len() * SNAPSHOT_INTERVAL {
                self.kept.push(self.machines.clone());
            }
        }
        Ok(())
    }

    fn entry_text(&self) -> anyhow::Result<Option<EntryText>> {
        self.at.checked_sub(1).map(|place| EntryText::of(&self.entries[place])).transpose()
    }

    fn step(&self) -> anyhow::Result<ReplayStep<'_>> {
        let round = &self.table().round;
        let (number, phase) = (round.number().0, round.phase());
        Ok(ReplayStep {
            entry: self.at,
            entry_text: self.entry_text()?,
            phase,
            round: number,
            bets: self.seats().map(|(cluster, seat)| cluster.on_layout(seat).cents()).sum(),
            credits: self.seats().map(|(cluster, seat)| cluster.credits(seat).cents()).collect(),
            house: self.machines.clusters().map(|cluster| cluster.ledger().house.cents()).sum(),
            game: &self.game,
        })
    }

    /// Every entry on a line, with the table after it.
    fn list(&mut self, json: bool) -> anyhow::Result<bool> {
        let mut out = std::io::BufWriter::new(anstream::stdout().lock());
        for to in 1..=self.entries.len() {
            self.go(to)?;
            let step = self.step()?;
            if json {
                writeln!(out, "{}", serde_json::to_string(&step)?)?;
                continue;
            }
            let credits = step.credits.iter().sum();
            let (bets, credits) = (Money::from_cents(step.bets), Money::from_cents(credits));
            let (phase, house) = (step.phase, Money::from_cents(step.house));
            writeln!(
                out,
                "{to:>7}  {}  {QUIET}{phase:?} {}, bets {bets}, credits {credits}, house {house}{QUIET:#}",
                step.entry_text.map(|entry_text| entry_text.line()).unwrap_or_default(),
                step.round,
            )?;
        }
        let (hash, expected) = (self.machines.state_hash(), self.hash);
        if json {
            let as_the_run = expected.map(|expected| hash == expected);
            writeln!(
                out,
                "{}",
                serde_json::json!({ "final_state": HEXLOWER.encode(&hash), "as_the_run": as_the_run })
            )?;
        } else {
            self.end(&mut out)?;
        }
        out.flush()?;
        Ok(expected.is_none_or(|expected| hash == expected))
    }

    fn end(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (hash, expected) = (self.machines.state_hash(), self.hash);
        match expected {
            None => writeln!(out, "final state {}", HEXLOWER.encode(&hash)),
            Some(expected) if hash == expected => {
                writeln!(out, "{GOOD}ok{GOOD:#}  final state {}, as the run ended", HEXLOWER.encode(&hash))
            }
            Some(expected) => {
                writeln!(
                    out,
                    "{BAD}differs{BAD:#}  final state {}, the run ended in {}",
                    HEXLOWER.encode(&hash),
                    HEXLOWER.encode(&expected)
                )
            }
        }
    }

    /// Steps as the person at the terminal asks.
    fn interact(&mut self) -> anyhow::Result<bool> {
        let last = self.entries.len();
        let mut out = anstream::stdout().lock();
        let mut input = std::io::stdin().lock();
        loop {
            self.show(&mut out)?;
            if self.at == last {
                self.end(&mut out)?;
            }
            write!(
                out,
                "\n{QUIET}Enter or n: next · b: back · g N: go to entry N · q: quit{QUIET:#}  {}/{last} > ",
                self.at
            )?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(true);
            }
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let to = match (word, rest.trim().parse::<usize>()) {
                ("" | "n", _) => (self.at + 1).min(last),
                ("b", _) => self.at.saturating_sub(1),
                ("g", Ok(to)) if to <= last => to,
                ("q", _) => return Ok(true),
                (_, _) => {
                    writeln!(out, "{BAD}?{BAD:#}  there are {last} entries")?;
                    continue;
                }
            };
            if let Err(error) = self.go(to) {
                writeln!(out, "{BAD}{error}{BAD:#}")?;
                self.machines = self.kept[0].clone();
                self.at = 0;
                self.go(to - 1)?;
            }
        }
    }

    /// The table as it is now.
    fn show(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let (round, house) = (&self.table().round, &self.machines.house);
        let what =
            self.entry_text()?.map_or_else(|| "before the first entry".to_owned(), |entry_text| entry_text.line());
        writeln!(out, "\n{HEADING}{}{HEADING:#}  {what}", self.at)?;
        let faces = round.faces().map(|faces| faces.map(|face| face.map_or_else(|| "–".to_owned(), |f| f.to_string())));
        let held = if round.is_held() { ", held" } else { "" };
        let interrupted = if round.is_interrupted() { ", interrupted" } else { "" };
        writeln!(
            out,
            "{} layout {} · round {} {:?}{held}{interrupted} · tumbles {} · dice {}",
            self.game,
            round.rules().layout().id(),
            round.number().0,
            round.phase(),
            round.tumbles().map_or_else(|| "–".to_owned(), |tumbles| tumbles.to_string()),
            faces.map_or_else(|| "–".to_owned(), |faces| faces.join(" ")),
        )?;
        let total = |part: fn(ClusterLedger) -> Money| {
            let parts = self.machines.clusters().map(|cluster| part(cluster.ledger()).cents());
            Money::from_cents(parts.sum())
        };
        let owed = [Account::Vouchers, Account::Claims, Account::Receivables].map(|account| house.balance(account));
        writeln!(
            out,
            "house {} · cash {} · chips {} · notes {} · in transit {} · vouchers {} · claims {} · receivables {}\n",
            total(|ledger| ledger.house),
            total(|ledger| ledger.cash),
            total(|ledger| ledger.chips),
            total(|ledger| ledger.notes),
            total(|ledger| ledger.transit),
            owed[0],
            owed[1],
            owed[2],
        )?;
        let rows: Vec<_> = self
            .seats()
            .map(|(cluster, seat)| {
                let bets = cluster.bets(seat).map(|(chips, stake)| {
                    let colour = if chips == Chips::Colour { " in Colour Chips" } else { "" };
                    format!("{} {}{colour}", stake.bet_box, stake.amount)
                });
                let marks = [(cluster.is_locked(seat), "locked"), (cluster.is_lost(seat), "lost")];
                let marks = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark.to_owned());
                vec![
                    match cluster.id().number {
                        0 => seat.0.to_string(),
                        number => format!("{number}/{}", seat.0),
                    },
                    cluster.session(seat).map_or_else(|| "–".to_owned(), |session| session.0.to_string()),
                    cluster.credits(seat).to_string(),
                    cluster.colour(seat).map_or_else(String::new, |set| format!("{} of {}", set.credits, set.value)),
                    cluster.on_layout(seat).to_string(),
                    marks.chain(bets).collect::<Vec<_>>().join(", "),
                ]
            })
            .collect();
        let columns = [
            Column::right("Seat"),
            Column::right("Session"),
            Column::right("Credits"),
            Column::right("Colour Chips"),
            Column::right("On the layout"),
            Column::left("Bets"),
        ];
        Ok(print::table(out, &columns, &rows)?)
    }
}

//! `taisai-lab replay`: steps through a run of several nodes. The file holds the seed and the plan; the simulator runs them again up to
//! an event, and this shows each node's partitions, their machines, the chains, the messages in flight, and what the event changed.

use std::io::{BufRead as _, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use taisai::print::{self, BAD, GOOD, QUIET};
use taisai::replay::SIMULATOR_RUN;
use taisai::replay::failure::quietly;
use taisai_simulator::{ReplayMoment, SimulationFailure, SimulatorPlan, event_at};

use crate::torture::installations;

#[derive(clap::Args)]
pub(crate) struct ReplayArgs {
    /// The file that a failing run of `torture --nodes` left
    file: PathBuf,
    /// Show the installation after this event, counted from 1
    #[arg(long, value_name = "EVENT", conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..))]
    at: Option<u64>,
    /// Show the installation after this many seconds of virtual time
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A run that failed, as its file has it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunFile {
    /// The version of the program that ran it. Another version may decide otherwise.
    program: String,
    seed: u64,
    nodes: u16,
    clusters: u16,
    faults: u64,
    /// The event that broke an invariant, and what was broken.
    event: u64,
    broken: String,
}

impl RunFile {
    pub(crate) fn new(plan: &SimulatorPlan, failure: &SimulationFailure) -> Self {
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            seed: failure.seed,
            nodes: plan.nodes,
            clusters: plan.clusters,
            faults: plan.faults,
            event: failure.event,
            broken: failure.to_string(),
        }
    }

    pub(crate) fn bytes(&self) -> anyhow::Result<Vec<u8>> {
        Ok(format!("{SIMULATOR_RUN}{}\n", serde_json::to_string_pretty(self)?).into_bytes())
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let json = text.strip_prefix(SIMULATOR_RUN).with_context(|| {
            format!("{0} is no run of several nodes: a record is shown by taisai replay {0}", path.display())
        })?;
        serde_json::from_str(json).with_context(|| format!("{} is damaged", path.display()))
    }

    fn plan(&self) -> SimulatorPlan {
        installations::plan(self.nodes, self.clusters, self.faults)
    }

    fn moment(&self, event: u64) -> anyhow::Result<ReplayMoment> {
        let moment = taisai_simulator::replay(self.seed, &self.plan(), event);
        moment.with_context(|| format!("the run has fewer than {event} events"))
    }
}

/// Shows a run; `false` if it breaks as its file says.
pub(crate) fn run(args: &ReplayArgs) -> anyhow::Result<bool> {
    let file = RunFile::read(&args.file)?;
    quietly(|| {
        let (in_time, events) = event_at(file.seed, &file.plan(), args.time.unwrap_or(0).saturating_mul(1_000));
        let mut out = anstream::stdout().lock();
        let program = env!("CARGO_PKG_VERSION");
        if !args.json && file.program != program {
            writeln!(out, "The run is of version {}, this is {program}: it may go another way.", file.program)?;
        }
        let at = args.at.or_else(|| args.time.map(|_| in_time.max(1)));
        if at.is_none() && !args.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            interact(&file, events, &mut out)?;
            return Ok(false);
        }
        let moment = file.moment(at.unwrap_or(file.event))?;
        show(&moment, args.json, &mut out)?;
        if at.is_some() {
            return Ok(moment.broken.is_none());
        }
        // The last event of a run that breaks when all is checked at its end leaves nothing broken behind.
        let again = taisai_simulator::run(file.seed, &file.plan()).err().map(|failure| failure.to_string());
        let is_same = again.as_ref() == Some(&file.broken);
        if !args.json {
            match again {
                Some(_) if is_same => writeln!(out, "\n{BAD}broken{BAD:#}  {}", file.broken)?,
                Some(other) => writeln!(out, "\n{BAD}broken{BAD:#}  {other}\nThe file says: {}", file.broken)?,
                None => writeln!(out, "\n{GOOD}ok{GOOD:#}  nothing breaks now. The file says: {}", file.broken)?,
            }
        }
        Ok(!is_same)
    })
}

/// Steps as the person at the terminal says. Each step runs the whole run again up to there.
fn interact(file: &RunFile, events: u64, out: &mut impl Write) -> anyhow::Result<()> {
    let mut at = file.event.clamp(1, events);
    let mut input = std::io::stdin().lock();
    loop {
        show(&file.moment(at)?, false, out)?;
        let keys = "Enter or n: next · b: back · g N: go to event N · t S: go to second S · q: quit";
        write!(out, "\n{QUIET}{keys}{QUIET:#}  {at}/{events} > ")?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        at = match (word, rest.trim().parse::<u64>()) {
            ("" | "n", _) => at + 1,
            ("b", _) => at - 1,
            ("g", Ok(to)) => to,
            ("t", Ok(second)) => event_at(file.seed, &file.plan(), second.saturating_mul(1_000)).0,
            ("q", _) => return Ok(()),
            (_, _) => at,
        }
        .clamp(1, events);
    }
}

fn show(moment: &ReplayMoment, json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let ReplayMoment { event, millis, what, trace, changed, state, broken } = moment;
    if json {
        let changed = changed.iter().map(
            |changed| serde_json::json!({ "name": changed.name, "before": changed.before, "after": changed.after }),
        );
        let state: serde_json::Map<_, _> = state.iter().map(|(name, is)| (name.clone(), is.as_str().into())).collect();
        let broken = broken.as_ref().map(ToString::to_string);
        let moment = serde_json::json!({
            "event": event, "millis": millis, "what": what, "trace": trace,
            "changed": changed.collect::<Vec<_>>(), "state": state, "broken": broken,
        });
        return Ok(writeln!(out, "{moment}")?);
    }
    let time = format!("{}.{:03} s", millis / 1_000, millis % 1_000);
    print::heading(out, &format!("Event {event}  {time}  {what}"))?;
    let width = state.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, value) in state {
        let mark = if changed.iter().any(|changed| changed.name == *name) { "*" } else { " " };
        writeln!(out, "{mark} {name:width$}  {value}")?;
    }
    print::heading(out, "What the event changed")?;
    for change in changed {
        let [before, after] = [&change.before, &change.after].map(|value| value.as_deref().unwrap_or("–"));
        writeln!(out, "  {}: {before} → {after}", change.name)?;
    }
    for line in trace {
        writeln!(out, "  {QUIET}{line}{QUIET:#}")?;
    }
    if let Some(broken) = broken {
        writeln!(out, "\n{BAD}broken{BAD:#}  {broken}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> RunFile {
        let plan = installations::plan(3, 2, 10);
        let (invariant, detail, trace) = ("money_is_conserved", "a cent is missing".to_owned(), Vec::new());
        RunFile::new(&plan, &SimulationFailure { seed: 7, invariant, detail, millis: 1_500, event: 40, trace })
    }

    #[test]
    fn file_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("torture-7.run");
        std::fs::write(&path, file().bytes().unwrap()).unwrap();
        assert_eq!(RunFile::read(&path).unwrap(), file());
        std::fs::write(&path, SIMULATOR_RUN).unwrap();
        assert!(RunFile::read(&path).unwrap_err().to_string().contains("is damaged"));
        std::fs::write(&path, "something else").unwrap();
        assert!(RunFile::read(&path).unwrap_err().to_string().contains("taisai replay"));
    }

    #[test]
    fn steps_show_nodes_and_what_changed() {
        let moment = file().moment(400).unwrap();
        let names: Vec<_> = moment.state.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["node 0", "node 2", "chain house", "record table-1", "record table-1-1"] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        let mut out = Vec::new();
        show(&moment, false, &mut out).unwrap();
        show(&moment, true, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("Event 400") && text.contains("What the event changed"), "{text}");
        assert!(file().moment(u64::MAX).is_err());
    }
}

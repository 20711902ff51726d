//! Whether database servers keep what they acknowledge, on two machines, and agree about the time. Judges what they said; asks
//! nobody.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::time::Duration;

use taisai_journal::{CLOCK_SKEW_ALLOWANCE, ExaminedServer, LiveNode, ServerCondition, ServerSetting, StandbyServer};

use super::finding::Finding;
use crate::print::counted;

/// A commit that takes longer is felt: every bet waits for one.
const SLOW: Duration = Duration::from_millis(100);

/// A standby that has so much still to write is not in step.
const FAR_BEHIND: i64 = 16 * 1024 * 1024;

/// What is to be said of the servers of an address.
pub(super) fn judge(servers: &[ExaminedServer], version: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ExaminedServer { place, condition } in servers {
        match condition {
            Ok(condition) => {
                findings.push(Finding::well("reachable", format!("{place} answers")));
                findings.extend(of_one(place, condition));
            }
            Err(error) if servers.len() > 1 => {
                let mend = "start it, or take it out of the address; the house runs without it, with less behind it";
                findings.push(Finding::wrong("reachable", format!("{place}: {error}"), mend));
            }
            Err(error) => {
                findings.push(Finding::wrong("reachable", error.to_string(), "the house does not start without it"));
            }
        }
    }
    let answered =
        || servers.iter().filter_map(|server| Some((server.place.as_str(), server.condition.as_ref().ok()?)));
    let primaries: Vec<_> = answered().filter(|(_, condition)| !condition.is_standby).collect();
    match primaries[..] {
        [(place, primary)] => {
            findings.push(Finding::well("primary", format!("{place} takes writes")));
            findings.extend(of_primary(primary, version));
        }
        [] if answered().next().is_none() => {}
        [] => findings.push(Finding::wrong(
            "primary",
            "no server of the address takes writes",
            "promote a standby (pg_ctl promote), or add the primary to the address",
        )),
        _ => {
            let places: Vec<_> = primaries.iter().map(|(place, _)| *place).collect();
            findings.push(Finding::wrong(
                "primary",
                format!("{} take writes, each for itself", places.join(" and ")),
                "stop the one that was primary before, at once, and make it a standby anew (pg_rewind, pg_basebackup)",
            ));
        }
    }
    findings
}

fn of_one(place: &str, condition: &ServerCondition) -> Vec<Finding> {
    let found = format!("{place} is PostgreSQL {}", condition.version);
    let mut findings = vec![if condition.is_new_enough {
        Finding::well("version", found)
    } else {
        Finding::wrong("version", found, "upgrade it to version 15 or later")
    }];
    for ServerSetting { name, value, is_durable } in &condition.settings {
        let found = format!("{place} has {name} = {value}");
        findings.push(if *is_durable {
            Finding::well(name, found)
        } else {
            let mend = format!("set it to on: ALTER SYSTEM SET {name} = on; SELECT pg_reload_conf()");
            Finding::wrong(name, found + ": what is committed may be lost", mend)
        });
    }
    findings.push(clock(place, condition.ahead, condition.uncertainty));
    findings
}

/// Two servers that are each within half of the allowance of this machine are within all of it of each other.
fn clock(place: &str, ahead: i64, uncertainty: Duration) -> Finding {
    let difference = Duration::from_micros(ahead.unsigned_abs());
    let which = if ahead < 0 { "behind" } else { "ahead of" };
    let found =
        format!("the clock of {place} is {difference:.1?} {which} this machine's, give or take {uncertainty:.1?}");
    if difference.saturating_sub(uncertainty) <= CLOCK_SKEW_ALLOWANCE / 2 {
        Finding::well("clock", found)
    } else {
        let most = CLOCK_SKEW_ALLOWANCE / 2;
        Finding::wrong("clock", found, format!("have NTP keep the clocks of all machines; {most:?} are allowed"))
    }
}

fn of_primary(primary: &ServerCondition, version: &str) -> Vec<Finding> {
    let mut findings = standbys(&primary.synchronous, &primary.standbys);
    match &primary.commits {
        Some(Ok(taken)) => findings.extend(commits(taken)),
        Some(Err(error)) => findings.push(Finding::wrong(
            "commit",
            format!("a commit was not acknowledged: {error}"),
            "see what is said of the standbys: without them the house stops",
        )),
        None => {}
    }
    match &primary.nodes {
        Ok(nodes) => findings.push(versions(nodes, version)),
        Err(error) => findings.push(Finding::wrong(
            "nodes",
            format!("the nodes of the house cannot be read: {error}"),
            "let the user of the address read the schema taisai_journal",
        )),
    }
    findings
}

fn standbys(synchronous: &str, standbys: &[StandbyServer]) -> Vec<Finding> {
    const CHECK: &str = "standbys";
    if synchronous.trim().is_empty() {
        return vec![Finding::wrong(
            CHECK,
            "commits wait for no standby: what is acknowledged is on one machine only",
            "have two standbys, and set synchronous_standby_names = 'ANY 1 (first, second)'",
        )];
    }
    if standbys.iter().any(|standby| standby.sync_state.is_none()) {
        return vec![Finding::note(
            CHECK,
            format!("commits wait for {synchronous}; how the standbys are is hidden from this user"),
            "GRANT pg_monitor TO the user of the address",
        )];
    }
    let in_step = |standby: &&StandbyServer| {
        standby.state.as_deref() == Some("streaming")
            && matches!(standby.sync_state.as_deref(), Some("sync" | "quorum" | "potential"))
    };
    let (needed, there) = (needed(synchronous), standbys.iter().filter(in_step).count());
    let list: Vec<_> = standbys.iter().map(in_words).collect();
    let connected = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let found = format!("commits wait for {synchronous}; connected: {connected}");
    let mut findings = vec![match there.cmp(&needed) {
        Ordering::Less => {
            let mend = "start the standby that is missing; until then every commit waits, and the house stops";
            Finding::wrong(CHECK, found, mend)
        }
        Ordering::Equal => {
            let mend = "when one is lost the house stops; have one more: ANY 1 (first, second)";
            Finding::note(CHECK, found, mend)
        }
        Ordering::Greater => Finding::well(CHECK, found),
    }];
    for standby in standbys {
        let bytes = standby.behind.unwrap_or_default();
        if bytes > FAR_BEHIND {
            let found = format!("{} has {bytes} bytes still to make durable", standby.name);
            findings.push(Finding::note(
                "standby-lag",
                found,
                "look at its disk and at the network between the servers",
            ));
        }
    }
    findings
}

fn in_words(standby: &StandbyServer) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let behind = standby.behind.map(|bytes| format!(", {bytes} bytes behind")).unwrap_or_default();
    format!("{} ({}, {}{behind})", standby.name, word(&standby.state), word(&standby.sync_state))
}

/// How many standbys a commit waits for, by `synchronous_standby_names`: `ANY 2 (…)`, `FIRST 2 (…)`, `2 (…)`, or a list.
fn needed(synchronous: &str) -> usize {
    let before = synchronous.split_once('(').map_or("", |(before, _)| before);
    before.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or(1)
}

/// The times are in order.
fn commits(taken: &[Duration]) -> Option<Finding> {
    let (middle, slowest) = (taken.get(taken.len() / 2)?, taken.last()?);
    let found = format!("a commit takes {middle:.1?}, the slowest of {} took {slowest:.1?}", taken.len());
    Some(if *middle <= SLOW {
        Finding::well("commit", found)
    } else {
        let mend = "every bet waits for one: use a quicker disk for the log of the servers, and standbys that are near";
        Finding::note("commit", found, mend)
    })
}

fn versions(nodes: &[LiveNode], own: &str) -> Finding {
    const CHECK: &str = "nodes";
    let list: Vec<_> = nodes.iter().map(|node| format!("{} ({})", node.address, node.version)).collect();
    let alive = counted(u64::try_from(nodes.len()).unwrap_or(u64::MAX), ("node lives", "nodes live"));
    let found = if list.is_empty() { "no node lives".to_owned() } else { format!("{alive}: {}", list.join(", ")) };
    let versions: BTreeSet<&str> = nodes.iter().map(|node| node.version.as_str()).chain([own]).collect();
    if versions.len() > 1 {
        Finding::note(CHECK, format!("{found}; this program is {own}"), "bring all machines to one version")
    } else {
        Finding::well(CHECK, found)
    }
}

#[cfg(test)]
mod tests;

//! Judges what the database servers reported: whether commits are durable on two machines, and whether clocks agree. Connects
//! to nothing.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::time::Duration;

use taisai_journal::{CLOCK_SKEW_ALLOWANCE, ExaminedServer, LiveNode, ServerCondition, ServerSetting, StandbyServer};

use super::finding::DoctorFinding;
use crate::print::counted;

/// Every bet waits for a commit.
const SLOW_COMMIT: Duration = Duration::from_millis(100);

const MAX_STANDBY_LAG_BYTES: i64 = 16 * 1024 * 1024;

pub(super) fn judge(servers: &[ExaminedServer], version: &str) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for ExaminedServer { place, condition } in servers {
        match condition {
            Ok(condition) => {
                findings.push(DoctorFinding::ok("reachable", format!("{place} answers")));
                findings.extend(judge_server(place, condition));
            }
            Err(error) if servers.len() > 1 => {
                let fix = "start it, or remove it from the address; the casino runs without it, with one copy less";
                findings.push(DoctorFinding::wrong("reachable", format!("{place}: {error}"), fix));
            }
            Err(error) => {
                findings.push(DoctorFinding::wrong(
                    "reachable",
                    error.to_string(),
                    "start it: the casino needs it to start",
                ));
            }
        }
    }
    let answered =
        || servers.iter().filter_map(|server| Some((server.place.as_str(), server.condition.as_ref().ok()?)));
    let primaries: Vec<_> = answered().filter(|(_, condition)| !condition.is_standby).collect();
    match primaries[..] {
        [(place, primary)] => {
            findings.push(DoctorFinding::ok("primary", format!("{place} takes writes")));
            findings.extend(judge_primary(primary, version));
        }
        [] if answered().next().is_none() => {}
        [] => findings.push(DoctorFinding::wrong(
            "primary",
            "no server of the address takes writes",
            "promote a standby (pg_ctl promote; under Patroni: patronictl failover), or add the primary to the address",
        )),
        _ => {
            let places: Vec<_> = primaries.iter().map(|(place, _)| *place).collect();
            findings.push(DoctorFinding::wrong(
                "primary",
                format!("{} take writes, each for itself", places.join(" and ")),
                "stop the former primary now, and make it a standby again (pg_rewind, pg_basebackup)",
            ));
        }
    }
    findings
}

fn judge_server(place: &str, condition: &ServerCondition) -> Vec<DoctorFinding> {
    let found = format!("{place} is PostgreSQL {}", condition.version);
    let mut findings = vec![if condition.is_new_enough {
        DoctorFinding::ok("version", found)
    } else {
        DoctorFinding::wrong("version", found, "upgrade it to version 15 or later")
    }];
    for ServerSetting { name, value, is_durable } in &condition.settings {
        let found = format!("{place} has {name} = {value}");
        findings.push(if *is_durable {
            DoctorFinding::ok(name, found)
        } else {
            let fix = format!("set it to on: ALTER SYSTEM SET {name} = on; SELECT pg_reload_conf()");
            DoctorFinding::wrong(name, found + ": what is committed may be lost", fix)
        });
    }
    findings.push(clock(place, condition.ahead, condition.uncertainty));
    findings
}

/// Two servers that each differ from this machine by at most half the allowance differ from each other by at most all of it.
fn clock(place: &str, ahead: i64, uncertainty: Duration) -> DoctorFinding {
    let difference = Duration::from_micros(ahead.unsigned_abs());
    let which = if ahead < 0 { "behind" } else { "ahead of" };
    let found =
        format!("the clock of {place} is {difference:.1?} {which} this machine's, give or take {uncertainty:.1?}");
    if difference.saturating_sub(uncertainty) <= CLOCK_SKEW_ALLOWANCE / 2 {
        DoctorFinding::ok("clock", found)
    } else {
        let most = CLOCK_SKEW_ALLOWANCE / 2;
        DoctorFinding::wrong(
            "clock",
            found,
            format!("keep all clocks in step with NTP; the difference may be {most:?}"),
        )
    }
}

fn judge_primary(primary: &ServerCondition, version: &str) -> Vec<DoctorFinding> {
    let mut findings = standbys(primary);
    match &primary.commits {
        Some(Ok(taken)) => findings.extend(commits(taken)),
        Some(Err(error)) => findings.push(DoctorFinding::wrong(
            "commit",
            format!("a commit was not acknowledged: {error}"),
            "see the findings about standbys: without them the casino stops",
        )),
        None => {}
    }
    match &primary.nodes {
        Ok(nodes) => findings.push(versions(nodes, version)),
        Err(error) => findings.push(DoctorFinding::wrong(
            "nodes",
            format!("the nodes cannot be read: {error}"),
            "let the user of the address read the schema taisai_journal",
        )),
    }
    findings
}

fn standbys(primary: &ServerCondition) -> Vec<DoctorFinding> {
    const CHECK: &str = "standbys";
    let ServerCondition { synchronous, standbys, .. } = primary;
    if synchronous.trim().is_empty() && primary.is_single_server {
        return vec![DoctorFinding::note(
            CHECK,
            "commits wait for no standby, as single_server=on says: the loss of this machine loses what was acknowledged",
            "for more than tests, add two standbys, and take single_server=on out of the address",
        )];
    }
    if synchronous.trim().is_empty() {
        return vec![DoctorFinding::wrong(
            CHECK,
            "commits wait for no standby: the casino refuses this server, as what it acknowledges is on one machine only",
            "add two standbys, and set synchronous_standby_names = 'ANY 1 (first, second)' (under Patroni: synchronous_mode \
             and synchronous_mode_strict, by patronictl edit-config); or, if one server is wanted, add single_server=on to \
             the address",
        )];
    }
    if primary.is_single_server {
        return vec![DoctorFinding::wrong(
            CHECK,
            format!(
                "commits wait for {synchronous}, but single_server=on has the casino take a server that waits for none too"
            ),
            "take single_server=on out of the address",
        )];
    }
    if standbys.iter().any(|standby| standby.sync_state.is_none()) {
        return vec![DoctorFinding::note(
            CHECK,
            format!("commits wait for {synchronous}; this user may not see the state of the standbys"),
            "GRANT pg_monitor TO the user of the address",
        )];
    }
    let in_step = |standby: &&StandbyServer| {
        standby.state.as_deref() == Some("streaming")
            && matches!(standby.sync_state.as_deref(), Some("sync" | "quorum" | "potential"))
    };
    let (needed, there) = (needed(synchronous), standbys.iter().filter(in_step).count());
    let list: Vec<_> = standbys.iter().map(describe_standby).collect();
    let connected = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let found = format!("commits wait for {synchronous}; connected: {connected}");
    let mut findings = vec![match there.cmp(&needed) {
        Ordering::Less => {
            let fix = "start the missing standby; until then every commit waits and the casino stops";
            DoctorFinding::wrong(CHECK, found, fix)
        }
        Ordering::Equal => {
            let fix = "if one is lost, the casino stops until another is named: Patroni does so by itself where a further standby \
                       streams; without Patroni name two: ANY 1 (first, second)";
            DoctorFinding::note(CHECK, found, fix)
        }
        Ordering::Greater => DoctorFinding::ok(CHECK, found),
    }];
    for standby in standbys {
        let bytes = standby.behind.unwrap_or_default();
        if bytes > MAX_STANDBY_LAG_BYTES {
            let found = format!("{} has {bytes} bytes still to make durable", standby.name);
            findings.push(DoctorFinding::note(
                "standby-lag",
                found,
                "look at its disk and at the network between the servers",
            ));
        }
    }
    findings
}

fn describe_standby(standby: &StandbyServer) -> String {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let behind = standby.behind.map(|bytes| format!(", {bytes} bytes behind")).unwrap_or_default();
    format!("{} ({}, {}{behind})", standby.name, word(&standby.state), word(&standby.sync_state))
}

/// How many standbys a commit waits for, by `synchronous_standby_names`: `ANY 2 (…)`, `FIRST 2 (…)`, `2 (…)`, or a list.
fn needed(synchronous: &str) -> usize {
    let before = synchronous.split_once('(').map_or("", |(before, _)| before);
    before.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or(1)
}

/// `taken` is sorted.
fn commits(taken: &[Duration]) -> Option<DoctorFinding> {
    let (middle, slowest) = (taken.get(taken.len() / 2)?, taken.last()?);
    let found = format!("a commit takes {middle:.1?}, the slowest of {} took {slowest:.1?}", taken.len());
    Some(if *middle <= SLOW_COMMIT {
        DoctorFinding::ok("commit", found)
    } else {
        let fix = "every bet waits for a commit: use a faster disk for the servers' log, and standbys that are near";
        DoctorFinding::note("commit", found, fix)
    })
}

fn versions(nodes: &[LiveNode], own: &str) -> DoctorFinding {
    const CHECK: &str = "nodes";
    let list: Vec<_> = nodes.iter().map(|node| format!("{} ({})", node.address, node.version)).collect();
    let alive = counted(u64::try_from(nodes.len()).unwrap_or(u64::MAX), ("node is alive", "nodes are alive"));
    let found = if list.is_empty() { "no node is alive".to_owned() } else { format!("{alive}: {}", list.join(", ")) };
    let versions: BTreeSet<&str> = nodes.iter().map(|node| node.version.as_str()).chain([own]).collect();
    if versions.len() > 1 {
        DoctorFinding::note(CHECK, format!("{found}; this program is {own}"), "upgrade all nodes to one version")
    } else {
        DoctorFinding::ok(CHECK, found)
    }
}

#[cfg(test)]
mod tests;

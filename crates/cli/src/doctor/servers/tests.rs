//! One row a thing that can be wrong.

use taisai_journal::{NodeName, PostgresError};

use super::*;
use crate::doctor::finding::CheckState;

fn primary() -> ServerCondition {
    let setting = |name| ServerSetting { name, value: "on".to_owned(), is_durable: true };
    ServerCondition {
        version: "15.8".to_owned(),
        is_new_enough: true,
        is_standby: false,
        settings: ["synchronous_commit", "fsync", "full_page_writes"].map(setting).to_vec(),
        synchronous: "ANY 1 (b, c)".to_owned(),
        is_single_server: false,
        standbys: vec![standby("b", "quorum"), standby("c", "quorum")],
        ahead: 0,
        uncertainty: Duration::ZERO,
        commits: Some(Ok(vec![Duration::from_millis(1)])),
        nodes: Ok(vec![node("0.1.0"), node("0.1.0")]),
    }
}

fn standby(name: &str, sync_state: &str) -> StandbyServer {
    let text = |text: &str| Some(text.to_owned());
    StandbyServer { name: name.to_owned(), state: text("streaming"), sync_state: text(sync_state), behind: Some(0) }
}

fn node(version: &str) -> LiveNode {
    LiveNode { name: NodeName::from(version), address: "h:1".to_owned(), version: version.to_owned(), is_new: false }
}

fn at(place: &str, condition: ServerCondition) -> ExaminedServer {
    ExaminedServer { place: place.to_owned(), condition: Ok(condition) }
}

/// What is not well, as check and state.
fn judged(servers: &[ExaminedServer]) -> Vec<(&'static str, CheckState)> {
    let findings = judge(servers, "0.1.0");
    assert!(findings.iter().all(|finding| (finding.state == CheckState::Ok) == finding.fix.is_none()), "{findings:?}");
    findings.iter().filter(|found| found.state != CheckState::Ok).map(|found| (found.check, found.state)).collect()
}

#[test]
fn healthy_setup_has_no_findings() {
    let standby = ServerCondition { is_standby: true, standbys: Vec::new(), commits: None, ..primary() };
    assert_eq!(judged(&[at("a", primary()), at("b", standby)]), []);
}

#[test]
fn every_fault_is_reported() {
    let weak = |name| {
        let setting = ServerSetting { name, value: "off".to_owned(), is_durable: false };
        ServerCondition { settings: vec![setting], ..primary() }
    };
    let synchronous = |names: &str, standbys: Vec<StandbyServer>| ServerCondition {
        synchronous: names.to_owned(),
        standbys,
        ..primary()
    };
    let hidden = StandbyServer { state: None, sync_state: None, behind: None, ..standby("b", "") };
    let starting = StandbyServer { state: Some("catchup".to_owned()), ..standby("b", "quorum") };
    let behind = StandbyServer { behind: Some(MAX_STANDBY_LAG_BYTES + 1), ..standby("b", "quorum") };
    let clock =
        |ahead, uncertainty| ServerCondition { ahead, uncertainty: Duration::from_millis(uncertainty), ..primary() };
    let silent = PostgresError::Silent(Duration::from_secs(3));
    for (condition, expected) in [
        (ServerCondition { is_new_enough: false, ..primary() }, vec![("version", CheckState::Wrong)]),
        (weak("synchronous_commit"), vec![("synchronous_commit", CheckState::Wrong)]),
        (weak("fsync"), vec![("fsync", CheckState::Wrong)]),
        (synchronous("", vec![standby("b", "async")]), vec![("standbys", CheckState::Wrong)]),
        (ServerCondition { is_single_server: true, ..synchronous("", vec![]) }, vec![("standbys", CheckState::Note)]),
        (ServerCondition { is_single_server: true, ..primary() }, vec![("standbys", CheckState::Wrong)]),
        (synchronous("ANY 1 (b)", vec![]), vec![("standbys", CheckState::Wrong)]),
        (synchronous("ANY 1 (b)", vec![standby("b", "async")]), vec![("standbys", CheckState::Wrong)]),
        (synchronous("ANY 1 (b)", vec![starting]), vec![("standbys", CheckState::Wrong)]),
        (synchronous("b", vec![standby("b", "sync")]), vec![("standbys", CheckState::Note)]),
        (synchronous("FIRST 1 (b, c)", vec![standby("b", "sync"), standby("c", "potential")]), vec![]),
        (
            synchronous("ANY 2 (b, c)", vec![standby("b", "quorum"), standby("c", "quorum")]),
            vec![("standbys", CheckState::Note)],
        ),
        (synchronous("2 (b, c)", vec![standby("b", "sync")]), vec![("standbys", CheckState::Wrong)]),
        (synchronous("ANY 1 (b)", vec![hidden]), vec![("standbys", CheckState::Note)]),
        (synchronous("ANY 1 (b, c)", vec![behind, standby("c", "quorum")]), vec![("standby-lag", CheckState::Note)]),
        (clock(125_000, 0), vec![]),
        (clock(125_001, 0), vec![("clock", CheckState::Wrong)]),
        (clock(-125_001, 0), vec![("clock", CheckState::Wrong)]),
        (clock(-130_000, 5), vec![]),
        (ServerCondition { commits: Some(Err(silent)), ..primary() }, vec![("commit", CheckState::Wrong)]),
        (
            ServerCondition { commits: Some(Ok(vec![SLOW_COMMIT * 2; 3])), ..primary() },
            vec![("commit", CheckState::Note)],
        ),
        (
            ServerCondition { nodes: Ok(vec![node("0.1.0"), node("0.2.0")]), ..primary() },
            vec![("nodes", CheckState::Note)],
        ),
        (ServerCondition { nodes: Ok(vec![node("0.2.0")]), ..primary() }, vec![("nodes", CheckState::Note)]),
        (ServerCondition { nodes: Ok(Vec::new()), ..primary() }, vec![]),
    ] {
        let words = format!("{condition:?}");
        assert_eq!(judged(&[at("a", condition)]), expected, "{words}");
    }
}

#[test]
fn exactly_one_server_takes_writes() {
    let absent = || {
        let why = PostgresError::Absent { place: "b:1".to_owned(), why: "it is silent".to_owned() };
        ExaminedServer { place: "b:1".to_owned(), condition: Err(why) }
    };
    let standby = || ServerCondition { is_standby: true, commits: None, ..primary() };
    assert_eq!(judged(&[at("a", primary()), at("b", primary())]), [("primary", CheckState::Wrong)]);
    assert_eq!(judged(&[at("a", standby()), at("b", standby())]), [("primary", CheckState::Wrong)]);
    assert_eq!(judged(&[at("a", primary()), absent()]), [("reachable", CheckState::Wrong)]);
    assert_eq!(judged(&[absent()]), [("reachable", CheckState::Wrong)]);
}

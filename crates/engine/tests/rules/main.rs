//! A table, its players and the House behind them, on the engine: scripts that a dealer could read, for every line of the rules of a
//! round; the order of refusals; replay from any point; and a naive second ledger beside the machines' own.

mod afterwards;
mod buy_ins;
mod cluster;
mod clusters;
mod compensation;
mod fixed;
mod hostile;
mod in_memory;
mod installation;
mod irregular;
mod ledger;
mod model;
mod notes;
mod pay_list;
mod player_notices;
mod readers;
mod refusals;
mod repeats;
mod replay;
mod round;
mod script;
mod sessions;
mod slips;
mod state;
mod winners;

/// One command of every kind, as the golden file spells them.
pub(crate) fn spelled<C: serde::de::DeserializeOwned>(kind: &str) -> Vec<C> {
    let lines = include_str!("../../../table/tests/golden/spelling.txt").lines();
    let spelled = lines.filter_map(|line| line.strip_prefix(kind));
    let commands: Vec<_> = spelled.map(|json| serde_json::from_str(json).expect("a command")).collect();
    assert!(!commands.is_empty(), "the file spells no {kind}");
    commands
}

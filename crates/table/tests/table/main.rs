//! A table and its players from outside: scripts that a dealer could read, for every line of the rules of a round; the
//! order of refusals; replay from any point; and a naive second ledger beside the machines' own.

mod afterwards;
mod buy_ins;
mod cluster;
mod compensation;
mod floor;
mod golden;
mod hall;
mod hostile;
mod house;
mod irregular;
mod ledger;
mod mended;
mod model;
mod notes;
mod pay_list;
mod profile;
mod readers;
mod refusals;
mod repeats;
mod replay;
mod round;
mod script;
mod sessions;
mod slips;
mod state;
mod told;
mod winners;

/// One command of every kind, as the golden file spells them.
pub(crate) fn spelled<C: serde::de::DeserializeOwned>(kind: &str) -> Vec<C> {
    let lines = include_str!("../golden/spelling.txt").lines().filter_map(|line| line.strip_prefix(kind));
    lines.map(|json| serde_json::from_str(json).expect("a command")).collect()
}

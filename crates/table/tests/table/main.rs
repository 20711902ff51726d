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

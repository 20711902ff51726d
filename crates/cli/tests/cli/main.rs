//! The commands of the program `taisai`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod audit;
mod commands;
mod common;
mod coverage;
mod damage;
mod dice;
mod doctor;
mod golden;
mod house;
mod par;
mod pipes;
mod play;
mod replay;
mod report;
mod simulate;
mod slip;
mod stores;

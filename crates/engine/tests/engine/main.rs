//! The engine from outside, in virtual time: tables on one worker and apart, over networks that lose, repeat and reorder messages,
//! over restarts at any moment, and with a House behind them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod apart;
mod chaos;
mod correction;
mod dependencies;
mod installation;
mod network;
mod node;
mod play;
mod reports;
mod restart;
mod seize;
mod table;
mod terminals;
mod transfers;
mod views;

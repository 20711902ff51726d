//! The whole program, as a house runs it: the real binary on a free loopback port, people, terminals and attackers at it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attacks;
mod chip_reader;
mod dealing;
mod fuzz;
mod house;
mod killed;
mod let_in;
mod person;
mod random;
mod rounds;
mod running;
mod schema;
mod screens;
mod socket;
mod spelled;
mod terminal;
mod transfers;
mod winners;

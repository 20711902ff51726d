//! The whole program, as a casino runs it: the real binary on a free loopback port, people, terminals and attackers at it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod attacks;
mod chip_reader;
mod credentials;
mod dealing;
mod fuzz;
mod house;
mod killed;
mod person;
mod random;
mod rounds;
mod schema;
mod screens;
mod server_process;
mod socket;
mod spelled;
mod terminal;
mod transfers;
mod winners;

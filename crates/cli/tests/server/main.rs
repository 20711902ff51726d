//! The whole program: the real binary on a free loopback port, used by people, terminals and attackers.
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

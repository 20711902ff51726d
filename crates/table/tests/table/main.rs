//! Each machine alone, from outside: the House with every command and refusal, the dealer's side, bytes and spelling as they were,
//! and profiles. What the machines do together is tried on the engine, in `crates/engine/tests/rules`.

mod codec;
mod golden;
mod house;
mod profile;
mod round;

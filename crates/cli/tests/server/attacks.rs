//! Attacks on the running program, one test for each on the project's list.

mod faults;
mod keys;
mod lost;
mod money;
mod people;
mod store;
mod vouchers;
mod wire;

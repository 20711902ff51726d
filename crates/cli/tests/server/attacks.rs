//! What the server withstands: each attack of the project's list is one test here, against the running program.

mod faults;
mod keys;
mod lost;
mod money;
mod people;
mod store;
mod vouchers;
mod wire;

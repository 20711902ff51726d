//! The journal from outside: its bytes, its stores, its writer, and what survives when a process, a disk or a server fails.

mod common;
mod crash;
mod format;
mod leases;
mod load;
mod pair;
mod server;
mod stores;
mod suite;
mod verify;
mod writer;

//! The server: it knows the outside — sockets, people who sign in, devices, the clock — and decides nothing. What is asked is
//! put before the machines of the table, and what they answer leaves once the record holds it.

mod api;
mod audit;
mod clock;
pub mod config;
mod demo;
mod denied;
mod devices;
mod hall;
mod house;
mod leaving;
mod line;
mod metrics;
mod people;
pub mod reports;
mod secrets;
mod serve;
mod server;
mod socket;
mod stopped;
mod table;
mod tumbler;
mod voucher;

pub use clock::{Clock, Sources};
pub use hall::{Hall, HallError, HallPlan, TablePlan};
pub use leaving::{Answer, Refused};
pub use serve::{Plan, ServeError, Tls, serve};
pub use server::Place;
pub use stopped::Stopped;

//! The server: it knows the outside — sockets, people who sign in, devices, the clock — and decides nothing. What is asked is
//! put before the machines of the table, and what they answer leaves once the record holds it.

mod accept;
mod acceptor;
mod api;
mod audit;
mod clock;
mod commands;
pub mod config;
mod demo;
mod denied;
mod devices;
mod displays;
mod guard;
mod hall;
mod house;
mod leaving;
mod line;
mod metrics;
mod network;
mod nodes;
mod operations;
mod patient;
mod people;
pub mod reports;
mod request;
mod screens;
mod secrets;
mod serve;
mod server;
mod socket;
mod stopped;
mod table;
mod tumbler;
mod unlock;
mod voucher;

pub use accept::{Tls, TlsError};
pub use clock::{Clock, Share, Sources};
pub use demo::Pace;
pub use hall::{HallError, HallPlan, TablePlan};
pub use leaving::{Answer, Refused};
pub use network::{BadNetwork, Network};
pub use nodes::NodePlan;
pub use secrets::SecretsError;
pub use serve::{Plan, ServeError, serve};
pub use stopped::Stopped;
pub use unlock::{UnlockError, unlock};

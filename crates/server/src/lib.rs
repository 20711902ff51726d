//! The server: it knows the outside — sockets, people who sign in, devices, the clock — and decides nothing. What is asked is
//! put before the machines of the table, and what they answer leaves once the record holds it.

mod audit;
mod auth;
pub mod config;
mod demo;
mod devices;
mod http;
mod metrics;
mod node;
pub mod reports;
mod serve;
mod server;
#[cfg(test)]
mod tests;
mod vouchers;
mod ws;

pub use auth::secrets::SecretsError;
pub use auth::unlock::{UnlockError, unlock};
pub use demo::Pace;
pub use http::accept::{Tls, TlsError};
pub use http::network::{BadNetwork, Network};
pub use http::reply::{CommandReply, Refused};
pub use node::clock::{Clock, Share, Sources};
pub use node::peers::NodeAddress;
pub use node::stopped::Stopped;
pub use node::{InstallationPlan, NodeError, TablePlan};
pub use serve::{ServeError, ServePlan, serve};

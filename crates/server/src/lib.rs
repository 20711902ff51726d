//! The server of an installation: HTTP and WebSocket, sign-in, devices, vouchers, and the threads that drive the engine. It decides
//! nothing about the game: commands go to the machines of `taisai-table`, and replies leave once the record holds them.
//!
//! Read a configuration file with [`config::Config`], turn it into a [`ServePlan`], and run it with [`serve()`].
//!
//! | module | does |
//! |---|---|
//! | `http` | accepts connections, checks every request, serves the API and the screens |
//! | `ws` | WebSocket sessions, and the publisher that sends them views and replies |
//! | `auth` | sign-in, approvals, the commands of people, and the store of secrets |
//! | `devices` | enrolment, proof of identity, tumblers, note acceptors, chip readers |
//! | `vouchers` | numbers, barcodes and pages of vouchers |
//! | `node` | partition threads, leases, messages and requests between nodes |
//! | `config` | the configuration file and the first start |
//! | [`reports`] | reports from the reporting tables, over HTTP and for the command line |
//! | `audit` | rounds on record, evidence, verification |
//! | `demo` | tables of a training installation that deal by themselves |

mod audit;
mod auth;
pub mod config;
mod demo;
mod devices;
mod failed_write;
mod http;
mod key_change;
mod metrics;
mod node;
pub mod reports;
mod serve;
mod server;
mod store_problem;
#[cfg(test)]
mod tests;
mod vouchers;
mod ws;

pub use auth::secrets::{SecretFinding, SecretsError, check_secrets};
pub use auth::unlock::{UnlockError, unlock};
pub use demo::Pace;
pub use failed_write::FailedWrite;
pub use http::accept::{Tls, TlsError};
pub use http::network::{BadNetwork, Network};
pub use key_change::{KeyChangeError, new_keys, rotate_keys};
pub use node::peers::NodeAddress;
pub use node::stopped::Stopped;
pub use node::{InstallationPlan, NodeError, TablePlan};
pub use serve::{ServeError, ServePlan, serve};

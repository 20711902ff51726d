//! The server: it knows the outside — sockets, people who sign in, devices, the clock — and decides nothing. What is asked is
//! put before the machines of the table, and what they answer leaves once the record holds it.

mod clock;
mod hall;
mod house;
mod leaving;
mod line;
mod socket;
mod stopped;
mod table;

pub use clock::{Clock, Sources};
pub use hall::{Hall, HallError, HallPlan, TablePlan};
pub use leaving::{Answer, Refused};
pub use stopped::Stopped;

//! One house on three machines: the real binary as three processes on loopback addresses of their own, on a primary and a
//! synchronous standby, while terminals bet and a Dealer deals. Machines are killed, frozen, cut off and replaced; afterwards the
//! record is held against what everyone was told.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod alone;
mod cashier;
mod clusters;
mod crowd;
mod database;
mod dealer;
mod frozen;
mod house;
mod killed;
mod line;
mod moved;
mod play;
mod record;
mod relay;
mod secured;
mod tls;
mod waiting;

#[path = "../server/dealing.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod dealing;
#[path = "../server/let_in.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod let_in;
#[path = "../server/person.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod person;
#[path = "../server/random.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod random;
#[path = "../server/running.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod running;
#[path = "../server/schema.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod schema;
#[path = "../server/socket.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod socket;
#[path = "../server/terminal.rs"]
#[allow(dead_code, reason = "a house on one machine uses the rest")]
mod terminal;

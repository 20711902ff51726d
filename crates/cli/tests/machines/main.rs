//! An installation of three nodes: the real binary as three processes on loopback addresses of their own, with a primary database
//! and a synchronous standby, while terminals bet and a Dealer deals. Nodes are killed, frozen, cut off and replaced; afterwards the
//! record is compared with every reply.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod alone;
mod betting_players;
mod cashier;
mod clusters;
mod connection;
mod damaged;
mod database;
mod dealer;
mod frozen;
mod house;
mod killed;
mod moved;
mod play;
mod record;
mod relay;
mod secured;
mod tls;
mod waiting;

#[path = "../server/credentials.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod credentials;
#[path = "../server/dealing.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod dealing;
#[path = "../server/person.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod person;
#[path = "../server/random.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod random;
#[path = "../server/schema.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod schema;
#[path = "../server/server_process.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod server_process;
#[path = "../server/socket.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod socket;
#[path = "../server/terminal.rs"]
#[allow(dead_code, reason = "tests of one server use the rest")]
mod terminal;

//! Recording, recovering, reading and verifying a casino on every store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod between;
mod bytes;
#[path = "../common/casino.rs"]
mod casino;
mod clusters;
mod evidence;
mod keys;
mod killed;
mod large;
mod live_table;
#[path = "../common/made.rs"]
mod made;
mod older;
mod owners;
mod recording;
mod recover;
mod released;
mod shift;
mod slips;
mod snapshots;
mod stopped;
mod test_store;
mod verify;
#[path = "../common/wide_table.rs"]
mod wide_table;

//! The record of a house: what is recorded is recovered, read again and verified, on every store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bytes;
mod clusters;
mod document;
mod evidence;
mod hall;
mod killed;
mod large;
mod made;
mod older;
mod owners;
mod place;
mod projection;
mod recover;
mod released;
mod shift;
mod snapshots;
mod stopped;
mod verify;

//! The record of a house: what is recorded is recovered, read again and verified, on every store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod document;
mod evidence;
mod hall;
mod made;
mod projection;
mod killed;
mod place;
mod recover;
mod shift;
mod stopped;
mod verify;

//! What this program cannot read: written by a newer one, or damaged.

use std::num::NonZeroU8;

use serde::{Deserialize, Serialize};
use taisai_table::{Actor, BadBytes, CommandId, CommandRequest, Entry, Time, decode, encode};

#[derive(Debug, PartialEq, Deserialize)]
enum Known {
    First,
    Second { times: NonZeroU8, name: String },
}

/// The same in a newer program.
#[derive(Serialize)]
enum Newer {
    First,
    Second { times: u8, name: &'static str },
    Third(u64),
}

fn written(command: Newer, event: Newer) -> Vec<u8> {
    let id = CommandId { source: 7, sequence: 8 };
    let request = CommandRequest { time: Time(300), actor: Actor::System, id, command };
    let mut bytes = Vec::new();
    encode(&Entry { request, outcome: Ok(event) }, &mut bytes);
    bytes
}

fn read(bytes: &[u8]) -> Result<(), BadBytes> {
    decode::<Known, Known>(bytes).map(drop)
}

#[test]
fn newer_entries_are_distinguished_from_damage() {
    let second = |times| Newer::Second { times, name: "x" };
    assert_eq!(read(&written(Newer::First, second(2))), Ok(()));
    assert_eq!(read(&written(Newer::Third(1), Newer::First)), Err(BadBytes::Unknown), "a command");
    assert_eq!(read(&written(second(2), Newer::Third(900))), Err(BadBytes::Unknown), "an event");
    let mut refused = written(Newer::First, Newer::First);
    let outcome = refused.len() - 2;
    refused[outcome..].copy_from_slice(&[1, 120]);
    assert_eq!(read(&refused), Err(BadBytes::Unknown), "a refusal");
    // A value that may not be is damage, and so is what ends too early or too late.
    assert_eq!(read(&written(second(0), Newer::First)), Err(BadBytes::Damaged), "no number of times");
    let whole = written(Newer::First, Newer::First);
    assert_eq!(read(&whole[..whole.len() - 1]), Err(BadBytes::Damaged));
    assert_eq!(read(&[&whole[..], &[0]].concat()), Err(BadBytes::Damaged));
}

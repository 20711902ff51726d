//! Messages of note acceptors: a number and exactly one field (docs/acceptor.md).

use serde::Deserialize;
use taisai_rules::Money;
use taisai_table::{ClusterCommand, Seat};

use crate::devices::UnreadableMessage;

/// A message of a note acceptor: beside its number exactly one of the others.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FromAcceptor {
    /// Its number: they rise, and one sent again is answered as before.
    sequence: u64,
    note: Option<Note>,
    stacker: Option<Notes>,
}

/// A note is held, and may be stacked or given back.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Note {
    /// What it is worth, in cents.
    amount: Money,
}

/// What is in the stacker.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Notes {
    /// How many notes.
    notes: u32,
}

pub(super) fn read(text: &str, seat: Seat) -> Result<(u64, ClusterCommand), UnreadableMessage> {
    let message = serde_json::from_str(text).map_err(|_| UnreadableMessage(None))?;
    let FromAcceptor { sequence, note, stacker } = message;
    let command = match (note, stacker) {
        (Some(Note { amount }), None) => ClusterCommand::AcceptNote { seat, amount },
        (None, Some(Notes { notes })) => ClusterCommand::CountStacker { seat, notes },
        (Some(_), Some(_)) | (None, None) => return Err(UnreadableMessage(Some(sequence))),
    };
    Ok((sequence, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_read_and_nothing_else() {
        let seat = Seat(3);
        let amount = Money::from_cents(5_000);
        for (text, expected) in [
            (r#"{"sequence":1,"note":{"amount":5000}}"#, Ok((1, ClusterCommand::AcceptNote { seat, amount }))),
            (r#"{"stacker":{"notes":2},"sequence":2}"#, Ok((2, ClusterCommand::CountStacker { seat, notes: 2 }))),
            ("", Err(None)),
            ("[]", Err(None)),
            (r#"{"sequence":7}"#, Err(Some(7))),
            (r#"{"note":{"amount":5000}}"#, Err(None)),
            (r#"{"sequence":-1,"note":{"amount":5000}}"#, Err(None)),
            (r#"{"sequence":7,"note":{"amount":"5000"}}"#, Err(None)),
            (r#"{"sequence":7,"note":{"amount":50.5}}"#, Err(None)),
            (r#"{"sequence":7,"note":{"amount":5000,"seat":4}}"#, Err(None)),
            (r#"{"sequence":7,"stacker":{"notes":-1}}"#, Err(None)),
            (r#"{"sequence":7,"note":{"amount":5000},"stacker":{"notes":2}}"#, Err(Some(7))),
            (r#"{"sequence":7,"buy-in":{"seat":3,"amount":5000}}"#, Err(None)),
        ] {
            assert_eq!(read(text, seat), expected.map_err(UnreadableMessage), "{text}");
        }
    }
}

//! Messages of tumblers: a number and exactly one field (docs/tumbler.md).

use serde::Deserialize;
use taisai_rules::Face;
use taisai_table::RoundCommand;

use crate::devices::UnreadableMessage;

const MAX_FAULT_CHARS: usize = 200;

/// A message of a tumbler: beside its number exactly one of the others.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct FromTumbler {
    /// Its number: they rise, and one sent again is answered as before.
    sequence: u64,
    activated: Option<Activated>,
    tumbled: Option<Tumbled>,
    at_rest: Option<AtRest>,
    fault: Option<Fault>,
}

/// The tumbler is activated.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Activated {}

/// It has tumbled.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Tumbled {
    /// How many times more.
    times: u8,
}

/// The dice are at rest.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct AtRest {
    /// The faces; a die that does not lie flat has none.
    #[cfg_attr(test, schema(min_items = 3, max_items = 3))]
    faces: [Option<Face>; 3],
}

/// It is out of order.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Fault {
    /// In which way, for people.
    what: String,
}

/// What a message means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TumblerCommand {
    /// A command of the round.
    Command(RoundCommand),
    /// A fault, for people to see to.
    Fault(String),
}

pub(super) fn read(text: &str) -> Result<(u64, TumblerCommand), UnreadableMessage> {
    let message = serde_json::from_str(text).map_err(|_| UnreadableMessage(None))?;
    let FromTumbler { sequence, activated, tumbled, at_rest, fault } = message;
    let command = match (activated, tumbled, at_rest, fault) {
        (Some(Activated {}), None, None, None) => TumblerCommand::Command(RoundCommand::Activate),
        (None, Some(Tumbled { times }), None, None) => TumblerCommand::Command(RoundCommand::Tumbled { times }),
        (None, None, Some(AtRest { faces }), None) => TumblerCommand::Command(RoundCommand::AtRest { faces }),
        (None, None, None, Some(Fault { what })) if what.chars().count() <= MAX_FAULT_CHARS => {
            TumblerCommand::Fault(what)
        }
        _ => return Err(UnreadableMessage(Some(sequence))),
    };
    Ok((sequence, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_read() {
        let face = |number: u8| Face::try_from(number).ok();
        for (text, word) in [
            (r#"{"sequence":1,"activated":{}}"#, TumblerCommand::Command(RoundCommand::Activate)),
            (r#"{"sequence":1,"tumbled":{"times":3}}"#, TumblerCommand::Command(RoundCommand::Tumbled { times: 3 })),
            (
                r#"{"at-rest":{"faces":[1,null,6]},"sequence":1}"#,
                TumblerCommand::Command(RoundCommand::AtRest { faces: [face(1), None, face(6)] }),
            ),
            (r#"{"sequence":1,"fault":{"what":"lid open"}}"#, TumblerCommand::Fault("lid open".to_owned())),
        ] {
            assert_eq!(read(text), Ok((1, word)), "{text}");
        }
    }

    #[test]
    fn bad_messages_are_rejected() {
        let long = format!(r#"{{"sequence":7,"fault":{{"what":"{}"}}}}"#, "x".repeat(201));
        for (text, sequence) in [
            ("", None),
            ("[]", None),
            ("7", None),
            ("{\"sequence\":7", None),
            (r#"{"sequence":7}"#, Some(7)),
            (r#"{"activated":{}}"#, None),
            (r#"{"sequence":-1,"activated":{}}"#, None),
            (r#"{"sequence":7,"activated":null}"#, Some(7)),
            (r#"{"sequence":7,"activated":{},"tumbled":{"times":1}}"#, Some(7)),
            (r#"{"sequence":7,"activated":{"x":1}}"#, None),
            (r#"{"sequence":7,"commit":{"dice":[1,2,3]}}"#, None),
            (r#"{"sequence":7,"tumbled":{"times":256}}"#, None),
            (r#"{"sequence":7,"tumbled":{"times":-1}}"#, None),
            (r#"{"sequence":7,"at-rest":{"faces":[1,2]}}"#, None),
            (r#"{"sequence":7,"at-rest":{"faces":[1,2,3,4]}}"#, None),
            (r#"{"sequence":7,"at-rest":{"faces":[0,2,3]}}"#, None),
            (r#"{"sequence":7,"at-rest":{"faces":[1,2,7]}}"#, None),
            (r#"{"sequence":7,"at-rest":{"faces":[1,2,"3"]}}"#, None),
            (&long, Some(7)),
        ] {
            assert_eq!(read(text), Err(UnreadableMessage(sequence)), "{text}");
        }
    }
}

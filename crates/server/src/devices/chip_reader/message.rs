//! Messages of chip readers: a number and exactly one field (docs/chip-reader.md).

use serde::Deserialize;
use taisai_rules::BetBox;
#[cfg(test)]
use taisai_table::Stake;
use taisai_table::{Chips, ClusterCommand, Seat, Stakes};

use crate::devices::UnreadableMessage;

/// A message of a chip reader: beside its number exactly one of the others.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct FromReader {
    /// Its number: they rise, and one sent again is answered as before.
    sequence: u64,
    /// Chips were placed.
    place: Option<Laid>,
    /// Chips that were refused as over a limit lie there all the same (5.1.1).
    place_excess: Option<Laid>,
    /// Chips were taken back.
    withdraw: Option<Laid>,
    /// All chips of a seat were taken back.
    clear: Option<Cleared>,
}

/// Chips of a seat on boxes.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Laid {
    seat: Seat,
    chips: Chips,
    #[cfg_attr(test, schema(value_type = Vec<Stake>))]
    stakes: Stakes,
}

/// A seat without chips on the layout.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Cleared {
    seat: Seat,
}

/// Reads a message. Refusals are recorded too, so a message has no more stakes than there are boxes.
pub(super) fn read(text: &str) -> Result<(u64, ClusterCommand), UnreadableMessage> {
    let message = serde_json::from_str(text).map_err(|_| UnreadableMessage(None))?;
    let FromReader { sequence, place, place_excess, withdraw, clear } = message;
    let is_too_long =
        [&place, &place_excess, &withdraw].into_iter().flatten().any(|laid| laid.stakes.len() > BetBox::COUNT);
    let command = match (place, place_excess, withdraw, clear) {
        (Some(Laid { seat, chips, stakes }), None, None, None) => ClusterCommand::Place { seat, chips, stakes },
        (None, Some(Laid { seat, chips, stakes }), None, None) => ClusterCommand::PlaceExcess { seat, chips, stakes },
        (None, None, Some(Laid { seat, chips, stakes }), None) => ClusterCommand::Withdraw { seat, chips, stakes },
        (None, None, None, Some(Cleared { seat })) => ClusterCommand::Clear { seat },
        _ => return Err(UnreadableMessage(Some(sequence))),
    };
    if is_too_long { Err(UnreadableMessage(Some(sequence))) } else { Ok((sequence, command)) }
}

#[cfg(test)]
mod tests {
    use taisai_rules::Money;

    use super::*;

    #[test]
    fn every_message_is_read_and_nothing_else() {
        let (seat, chips) = (Seat(3), Chips::Own);
        let stakes =
            || Stakes::from_slice(&[Stake { bet_box: "big".parse().unwrap(), amount: Money::from_cents(5_000) }]);
        let laid = r#"{"seat":3,"chips":"own","stakes":[{"box":"big","amount":5000}]}"#;
        let many = vec![r#"{"box":"big","amount":100}"#; BetBox::COUNT + 1].join(",");
        for (text, expected) in [
            (
                format!(r#"{{"sequence":1,"place":{laid}}}"#),
                Ok((1, ClusterCommand::Place { seat, chips, stakes: stakes() })),
            ),
            (
                format!(r#"{{"place-excess":{laid},"sequence":2}}"#),
                Ok((2, ClusterCommand::PlaceExcess { seat, chips, stakes: stakes() })),
            ),
            (
                format!(r#"{{"sequence":3,"withdraw":{laid}}}"#),
                Ok((3, ClusterCommand::Withdraw { seat, chips, stakes: stakes() })),
            ),
            (r#"{"sequence":4,"clear":{"seat":3}}"#.to_owned(), Ok((4, ClusterCommand::Clear { seat }))),
            (String::new(), Err(None)),
            ("[]".to_owned(), Err(None)),
            (r#"{"sequence":7}"#.to_owned(), Err(Some(7))),
            (format!(r#"{{"place":{laid}}}"#), Err(None)),
            (format!(r#"{{"sequence":-1,"place":{laid}}}"#), Err(None)),
            (format!(r#"{{"sequence":7,"place":{laid},"clear":{{"seat":3}}}}"#), Err(Some(7))),
            (format!(r#"{{"sequence":7,"place-for":{laid}}}"#), Err(None)),
            (r#"{"sequence":7,"double":{"seat":3}}"#.to_owned(), Err(None)),
            (r#"{"sequence":7,"clear":{"seat":-3}}"#.to_owned(), Err(None)),
            (r#"{"sequence":7,"place":{"seat":3,"stakes":[]}}"#.to_owned(), Err(None)),
            (
                r#"{"sequence":7,"place":{"seat":3,"chips":"own","stakes":[{"box":"roof","amount":1}]}}"#.to_owned(),
                Err(None),
            ),
            (
                r#"{"sequence":7,"place":{"seat":3,"chips":"own","stakes":[{"box":"big","amount":0.5}]}}"#.to_owned(),
                Err(None),
            ),
            (format!(r#"{{"sequence":7,"place":{{"seat":3,"chips":"own","stakes":[{many}]}}}}"#), Err(Some(7))),
        ] {
            assert_eq!(read(&text), expected.map_err(UnreadableMessage), "{text}");
        }
    }
}

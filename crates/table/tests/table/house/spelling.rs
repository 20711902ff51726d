//! How commands, events and entries are written: as JSON for people and programs, and as bytes for the record.

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{Actor, CommandId, CommandRequest, Entry, HouseCommand, Refusal, Time};

use super::examples::{commands, events, missing};
use super::floor::*;

#[track_caller]
fn round_trips<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let json = serde_json::to_string(value).expect("JSON");
    assert_eq!(&serde_json::from_str::<T>(&json).expect("its own JSON"), value, "{json}");
    let bytes = postcard::to_allocvec(value).expect("bytes");
    assert_eq!(&postcard::from_bytes::<T>(&bytes).expect("its own bytes"), value, "{json}");
}

#[test]
fn every_command_and_event_is_read_as_it_was_written() {
    assert_eq!(missing(&commands()), Vec::<usize>::new());
    for command in commands() {
        round_trips(&command);
        let request =
            CommandRequest { time: Time(5), actor: by(DOUBLE), id: CommandId { source: 1, sequence: 2 }, command };
        round_trips(&Entry { request: request.clone(), outcome: events().pop().ok_or(Refusal::NotAllowed) });
        let outcome: Result<taisai_table::HouseEvent, _> = Err(Refusal::VoucherPaid);
        round_trips(&Entry { request: CommandRequest { actor: Actor::System, ..request }, outcome });
    }
    events().iter().for_each(round_trips);
}

#[test]
fn commands_are_spelt_in_words() {
    for (command, json) in [
        (HouseCommand::Tick, r#""tick""#),
        (answer(3, false), r#"{"answer-approval":{"approval":3,"approve":false}}"#),
        (
            receive(CLUSTER, 2, 500, RETURNED),
            r#"{"receive":{"cluster":{"table":1,"number":0},"transfer":{"number":2,"amount":500,"purpose":{"returned":{"seat":1}}}}}"#,
        ),
        (
            HouseCommand::PayClaim { claim: taisai_table::ClaimId(4), second: second(SUPERVISOR) },
            r#"{"pay-claim":{"claim":4,"second":{"id":2,"roles":["pit-supervisor"]}}}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&command).unwrap(), json);
    }
    let without_second: HouseCommand = serde_json::from_str(r#"{"pay-claim":{"claim":4}}"#).unwrap();
    assert_eq!(without_second, HouseCommand::PayClaim { claim: taisai_table::ClaimId(4), second: None });
}

/// F22: a message of another shape is no command.
#[test]
fn other_shapes_are_no_commands() {
    for json in [
        r#""tock""#,
        r#"{"tick":{}}"#,
        r#"{"pay-claim":{"claim":4,"second":null,"third":null}}"#,
        r#"{"pay-claim":{"claim":-1}}"#,
        r#"{"pay-claim":{"claim":"4"}}"#,
        r#"{"pay-claim":{}}"#,
        r#"{"add-table":{"table":1,"clusters":0,"training":false}}"#,
        r#"{"rule-receivable":{"receivable":1,"ruling":{"collected":{"amount":1e99}},"why":"x"}}"#,
        r#"{"rule-receivable":{"receivable":1,"ruling":{"collected":{"amount":9223372036854775808}},"why":"x"}}"#,
        r#"{"rule-receivable":{"receivable":1,"ruling":{"collected":{"amount":1.5}},"why":"x"}}"#,
    ] {
        assert!(serde_json::from_str::<HouseCommand>(json).is_err(), "{json}");
    }
}

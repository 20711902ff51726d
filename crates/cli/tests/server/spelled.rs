//! The API description and serde agree: allowed values are read and written unchanged, and forbidden ones are refused.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{ClusterCommand, ClusterEvent, HouseCommand, HouseEvent, RoundCommand, RoundEvent};

use crate::random::Random;
use crate::schema::Description;

const VALUES: u64 = 3_000;

fn is_read_and_written<T: DeserializeOwned + Serialize + PartialEq + Debug>(name: &str) {
    let (description, mut random) = (Description::committed(), Random(1));
    for _ in 0..VALUES {
        let given = description.any(description.form(name), &mut random);
        let read: T = serde_json::from_value(given.clone()).unwrap_or_else(|error| panic!("{name} {given}: {error}"));
        let written = serde_json::to_value(&read).unwrap();
        description.check(description.form(name), &written).unwrap_or_else(|fault| panic!("{name} {written}: {fault}"));
        assert_eq!(serde_json::from_value::<T>(written).unwrap(), read, "{name} {given}");
    }
}

fn is_refused_when_spoilt<T: DeserializeOwned + Debug>(name: &str) {
    let (description, mut random) = (Description::committed(), Random(2));
    for _ in 0..VALUES {
        let spoilt = description.spoilt(description.form(name), &mut random);
        if let Ok(read) = serde_json::from_value::<T>(spoilt.clone()) {
            panic!("{name} {spoilt} is read as {read:?}");
        }
    }
}

#[test]
fn commands_allowed_by_the_description_are_read() {
    is_read_and_written::<RoundCommand>("RoundCommand");
    is_read_and_written::<ClusterCommand>("ClusterCommand");
    is_read_and_written::<HouseCommand>("HouseCommand");
}

#[test]
fn events_allowed_by_the_description_are_read() {
    is_read_and_written::<RoundEvent>("RoundEvent");
    is_read_and_written::<ClusterEvent>("ClusterEvent");
    is_read_and_written::<HouseEvent>("HouseEvent");
}

/// A field too many, one missing, a value of another type or out of bounds.
#[test]
fn commands_that_the_description_forbids_are_refused() {
    is_refused_when_spoilt::<RoundCommand>("RoundCommand");
    is_refused_when_spoilt::<ClusterCommand>("ClusterCommand");
    is_refused_when_spoilt::<HouseCommand>("HouseCommand");
}

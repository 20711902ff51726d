//! Lists of the House as JSON: a changed list is sent whole, with the number of the change.

use std::collections::BTreeMap;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use serde_json::Value;
use taisai_engine::{HouseList, ListName, NewestCommand, Topic};
use taisai_table::Time;

use crate::http::reply::json;

#[derive(Debug, Default)]
pub(super) struct HouseLists(BTreeMap<ListName, NumberedList>);

#[derive(Debug, Serialize)]
struct NumberedList {
    number: u64,
    all: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ToStaff<'a> {
    /// The first message.
    Snapshot {
        time: Time,
        source: u64,
        sequence: u64,
        parts: BTreeMap<&'static str, &'a NumberedList>,
    },
    Parts(BTreeMap<&'static str, &'a NumberedList>),
}

impl HouseLists {
    /// Keeps a list and returns the message for followers; none if the list has not changed.
    pub(super) fn set(&mut self, list: &HouseList) -> Option<Utf8Bytes> {
        let all = serde_json::to_value(list).expect("a list can be written down");
        let name = list.name();
        let known = self.0.entry(name).or_insert(NumberedList { number: 0, all: Value::Null });
        if known.all == all {
            return None;
        }
        *known = NumberedList { number: known.number + 1, all };
        Some(json(&ToStaff::Parts(BTreeMap::from([(name.name(), &*known)]))))
    }

    /// All lists of a topic, for a new follower.
    pub(super) fn snapshot(&self, topic: Topic, time: Time, counted: Option<NewestCommand>) -> Utf8Bytes {
        let lists = ListName::ALL.into_iter().filter(|list| list.topics().contains(&topic));
        let parts = lists.filter_map(|list| Some((list.name(), self.0.get(&list)?))).collect();
        let NewestCommand { source, sequence } = counted.unwrap_or(NewestCommand { source: 0, sequence: 0 });
        json(&ToStaff::Snapshot { time, source, sequence, parts })
    }
}

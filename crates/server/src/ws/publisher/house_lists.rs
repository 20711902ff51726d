//! Lists of the House as screens are shown them: each whole when it changes, with a number of its own.

use std::collections::BTreeMap;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use serde_json::Value;
use taisai_engine::{HouseList, ListName, NewestCommand, Topic};
use taisai_table::Time;

use crate::http::reply::json;

/// The lists as they were last published.
#[derive(Debug, Default)]
pub(super) struct HouseLists(BTreeMap<ListName, NumberedList>);

/// A list with its number.
#[derive(Debug, Serialize)]
struct NumberedList {
    number: u64,
    all: Value,
}

/// A message to a staff screen.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ToStaff<'a> {
    /// Everything, once.
    Snapshot { time: Time, source: u64, sequence: u64, parts: BTreeMap<&'static str, &'a NumberedList> },
    /// A list that has changed.
    Parts(BTreeMap<&'static str, &'a NumberedList>),
}

impl HouseLists {
    /// Keeps a list, and gives the message that shows it; none where it is the one before.
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

    /// All lists of a topic, for a screen that begins to follow.
    pub(super) fn snapshot(&self, topic: Topic, time: Time, counted: Option<NewestCommand>) -> Utf8Bytes {
        let lists = ListName::ALL.into_iter().filter(|list| list.topics().contains(&topic));
        let parts = lists.filter_map(|list| Some((list.name(), self.0.get(&list)?))).collect();
        let NewestCommand { source, sequence } = counted.unwrap_or(NewestCommand { source: 0, sequence: 0 });
        json(&ToStaff::Snapshot { time, source, sequence, parts })
    }
}

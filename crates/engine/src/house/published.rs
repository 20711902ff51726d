//! Which lists screens have, and when they are sent newer ones.

use std::collections::BTreeMap;

use taisai_table::{House, Time};

use super::lists::{HouseList, ListName};
use crate::effect::{Effects, ScreenChange, Topic};
use crate::timer::Millis;

/// Changes within this time are published together.
const PUBLISH_INTERVAL: Millis = Millis(100);

/// The lists as they were last published.
#[derive(Debug, Default)]
pub(super) struct PublishedLists {
    lists: BTreeMap<ListName, Published>,
    /// How many commands the House has decided.
    commands: u64,
    watched: Vec<Topic>,
    due: Option<Time>,
}

#[derive(Debug)]
struct Published {
    list: HouseList,
    /// How many commands the House had decided when the list was last compared.
    commands: u64,
}

impl PublishedLists {
    /// The House decides a command: any list may change.
    pub(super) const fn expire(&mut self) {
        self.commands += 1;
    }

    pub(super) fn watch(&mut self, topics: Vec<Topic>) {
        self.watched = topics;
    }

    pub(super) const fn due(&self) -> Option<Time> {
        self.due
    }

    /// Brings the lists of a topic up to date, for a screen that begins to follow it.
    pub(super) fn publish_topic(&mut self, topic: Topic, house: &House, effects: &mut Effects) {
        let expired = self.expired(&[topic]);
        self.publish(expired, house, effects);
    }

    /// Publishes the lists that screens follow and that have changed, once that is due.
    pub(super) fn publish_watched(&mut self, now: Time, house: &House, effects: &mut Effects) {
        let expired = self.expired(&self.watched);
        if expired.is_empty() {
            self.due = None;
        } else if *self.due.get_or_insert(PUBLISH_INTERVAL.after(now)) <= now {
            self.due = None;
            self.publish(expired, house, effects);
        }
    }

    /// The lists of these topics that may have changed.
    fn expired(&self, topics: &[Topic]) -> Vec<ListName> {
        let is_expired = |name: &ListName| self.lists.get(name).is_none_or(|list| list.commands < self.commands);
        let has_topic = |name: &ListName| name.topics().iter().any(|topic| topics.contains(topic));
        ListName::ALL.into_iter().filter(|name| has_topic(name) && is_expired(name)).collect()
    }

    fn publish(&mut self, names: Vec<ListName>, house: &House, effects: &mut Effects) {
        let commands = self.commands;
        for name in names {
            let list = name.of(house);
            if self.lists.get(&name).is_none_or(|last| last.list != list) {
                effects.publish(ScreenChange::House(list.clone()));
            }
            self.lists.insert(name, Published { list, commands });
        }
    }
}

//! The transfers between the House and its clusters, as each chain has them, to compare them one by one.

use std::collections::BTreeMap;

use taisai_table::{Cluster, ClusterCommand, ClusterId, House, HouseCommand, HouseEvent, Transfer};

use crate::replay::{EntryPosition, ReplayEvent};

/// Transfers of one direction, with rising numbers, and the entries that sent or received them.
#[derive(Clone, Debug, Default)]
struct Transfers(Vec<(EntryPosition, Transfer)>);

/// The transfers between a cluster and the House, as the chain of one of them has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnTransfers {
    sent: Transfers,
    received: Transfers,
    /// The number of the last one that the other is recorded to have received.
    delivered: u64,
}

/// A transfer that the chains of its sender and its receiver do not both have so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnlikeTransfer {
    /// It was received otherwise than it was sent.
    Differs {
        number: u64,
        received: EntryPosition,
        sent: EntryPosition,
    },
    Unsent {
        number: u64,
        received: EntryPosition,
    },
    /// The sender's chain says that it was received.
    Unreceived {
        number: u64,
        sent: EntryPosition,
    },
}

/// Watches the chain of a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterTransfers {
    own: OwnTransfers,
    newest: Option<EntryPosition>,
}

/// Watches the House's chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct HouseTransfers {
    by_cluster: BTreeMap<ClusterId, OwnTransfers>,
    /// The entry before, if it sent credits.
    sending: Option<EntryPosition>,
}

impl Transfers {
    fn newest(&self) -> u64 {
        self.0.last().map_or(0, |(_, transfer)| transfer.number)
    }

    /// Adds what is new in an outbox. A transfer stays there until an entry of its own says that it was received.
    fn add_new<'a>(&mut self, at: EntryPosition, outbox: impl Iterator<Item = &'a Transfer>) {
        let newest = self.newest();
        self.0.extend(outbox.filter(|transfer| transfer.number > newest).map(|transfer| (at, *transfer)));
    }

    fn find(&self, number: u64) -> Option<(EntryPosition, Transfer)> {
        let index = self.0.binary_search_by_key(&number, |(_, transfer)| transfer.number).ok()?;
        Some(self.0[index])
    }
}

impl OwnTransfers {
    /// Where a transfer is behind the oldest that waits, the other has received it.
    fn end(mut self, oldest: Option<&Transfer>) -> Self {
        self.delivered = oldest.map_or_else(|| self.sent.newest(), |oldest| oldest.number.saturating_sub(1));
        self
    }

    /// The first transfer to a receiver that both chains do not have alike. Those on their way are alike.
    pub(crate) fn first_unlike(&self, receiver: &Self) -> Option<UnlikeTransfer> {
        let differs = |&(received, transfer): &(EntryPosition, Transfer)| {
            let number = transfer.number;
            match self.sent.find(number) {
                Some((_, sent)) if sent == transfer => None,
                Some((sent, _)) => Some(UnlikeTransfer::Differs { number, received, sent }),
                None => Some(UnlikeTransfer::Unsent { number, received }),
            }
        };
        let is_delivered = |(_, transfer): &&(EntryPosition, Transfer)| transfer.number <= self.delivered;
        let is_missing = |(sent, transfer): &(EntryPosition, Transfer)| {
            let (number, sent) = (transfer.number, *sent);
            receiver.received.find(number).is_none().then_some(UnlikeTransfer::Unreceived { number, sent })
        };
        let mut received = receiver.received.0.iter().filter_map(differs);
        received.next().or_else(|| self.sent.0.iter().take_while(is_delivered).find_map(is_missing))
    }
}

impl ClusterTransfers {
    pub(crate) fn see(&mut self, seen: &ReplayEvent<'_, Cluster>) {
        match seen {
            ReplayEvent::Entry(at, cluster, entry) => {
                self.note_sent(cluster);
                self.newest = Some(*at);
                if let (ClusterCommand::Receive { transfer }, Ok(_)) = (&entry.request.command, &entry.outcome) {
                    self.own.received.0.push((*at, *transfer));
                }
            }
            ReplayEvent::Block(_, cluster) => self.note_sent(cluster),
            ReplayEvent::Opening(..) | ReplayEvent::Checkpoint(..) => {}
        }
    }

    fn note_sent(&mut self, cluster: &Cluster) {
        // Few entries send anything.
        let newest = self.own.sent.newest();
        if let Some(at) = self.newest
            && cluster.outbox().last().is_some_and(|last| last.number > newest)
        {
            self.own.sent.add_new(at, cluster.outbox());
        }
    }

    pub(crate) fn end(self, cluster: &Cluster) -> OwnTransfers {
        self.own.end(cluster.outbox().next())
    }
}

impl HouseTransfers {
    pub(crate) fn see(&mut self, seen: &ReplayEvent<'_, House>) {
        match seen {
            ReplayEvent::Entry(at, house, entry) => {
                self.note_sent(house);
                if let Ok(HouseEvent::CreditsSent { .. }) = &entry.outcome {
                    self.sending = Some(*at);
                }
                if let (HouseCommand::Receive { cluster, transfer }, Ok(_)) = (&entry.request.command, &entry.outcome) {
                    self.by_cluster.entry(*cluster).or_default().received.0.push((*at, *transfer));
                }
            }
            ReplayEvent::Block(_, house) => self.note_sent(house),
            ReplayEvent::Opening(..) | ReplayEvent::Checkpoint(..) => {}
        }
    }

    fn note_sent(&mut self, house: &House) {
        let Some(at) = self.sending.take() else { return };
        for (table, of_house) in house.tables() {
            for id in (0..of_house.clusters.get()).map(|number| ClusterId { table, number }) {
                self.by_cluster.entry(id).or_default().sent.add_new(at, house.outbox(id));
            }
        }
    }

    /// Those with each cluster that has any.
    pub(crate) fn end(self, house: &House) -> BTreeMap<ClusterId, OwnTransfers> {
        let end = |(id, own): (ClusterId, OwnTransfers)| (id, own.end(house.outbox(id).next()));
        self.by_cluster.into_iter().map(end).collect()
    }
}

//! Stands in for the House when another node holds it: reads follow its record, commands are forwarded to that node.

use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Duration;

use taisai_engine::{AwaitedVouchers, CallerId, Effect, HouseInput, Input, ReplyTo};
use taisai_record::{ChainFollower, ReplayEvent};
use taisai_table::{Actor, Decision, House, HouseCommand};
use tokio::sync::mpsc;

use crate::node::clock::{OwnIds, Sources};
use crate::node::handle::{Caller, Request};
use crate::node::peer_sender::{ForwardedHouseCommand, PeerSender};
use crate::node::router::Router;
use crate::node::stopped::Stopped;

const MAX_BATCH_REQUESTS: usize = 256;

/// How often the record is read while somebody waits for a voucher.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct HouseReader {
    /// Missing while a blocking thread reads the record.
    follower: Option<ChainFollower<House>>,
    peers: PeerSender,
    ids: OwnIds,
    awaited: AwaitedVouchers,
    callers: Vec<(CallerId, Caller)>,
    /// Tells whether this node holds the House by now.
    router: Weak<Router>,
    /// An entry cannot be read, and that was reported.
    is_stuck: bool,
}

impl HouseReader {
    pub(crate) fn new(
        follower: ChainFollower<House>,
        peers: PeerSender,
        sources: &Sources,
        router: &Arc<Router>,
    ) -> Self {
        Self {
            follower: Some(follower),
            peers,
            ids: OwnIds::new(sources),
            awaited: AwaitedVouchers::default(),
            callers: Vec::new(),
            router: Arc::downgrade(router),
            is_stuck: false,
        }
    }

    /// Runs until this node holds the House itself and the queue is empty.
    pub(crate) async fn run(mut self, mut requests: mpsc::Receiver<Request>) -> Result<(), Stopped> {
        let mut taken = Vec::with_capacity(MAX_BATCH_REQUESTS);
        let mut ticks = tokio::time::interval(POLL_INTERVAL);
        loop {
            let is_due = tokio::select! {
                biased;
                count = requests.recv_many(&mut taken, MAX_BATCH_REQUESTS) => {
                    if count == 0 {
                        break;
                    }
                    taken.iter().any(needs_the_house)
                }
                _ = ticks.tick() => {
                    // Some callers keep their handle for long: they must get a new one.
                    if self.router.upgrade().is_none_or(|router| router.has_house()) {
                        requests.close();
                    }
                    !self.awaited.is_empty()
                }
            };
            // Callers who cannot be served get no reply, and ask again.
            let is_known = !is_due || self.follow().await?;
            for request in taken.drain(..) {
                self.handle(request, is_known);
            }
        }
        // A database connection must be closed outside of a runtime.
        let follower = self.follower.take();
        tokio::task::spawn_blocking(move || drop(follower)).await.unwrap_or_default();
        Ok(())
    }

    /// Reads to the end of the record; `false` if that fails.
    async fn follow(&mut self) -> Result<bool, Stopped> {
        const READER_FAILED: Stopped = Stopped::BrokenDown("the thread that reads the House");
        let mut follower = self.follower.take().ok_or(READER_FAILED)?;
        // The database client blocks.
        let read = tokio::task::spawn_blocking(move || {
            let mut arrived = Vec::new();
            let followed = follower.follow(|seen| {
                if let ReplayEvent::Entry(_, _, entry) = seen
                    && let (HouseCommand::Receive { transfer, .. }, Ok(event)) =
                        (&entry.request.command, &entry.outcome)
                {
                    arrived.push((*transfer, event.clone()));
                }
                ControlFlow::Continue(())
            });
            (follower, followed, arrived)
        });
        let (follower, followed, arrived) = read.await.map_err(|_| READER_FAILED)?;
        let follower = self.follower.insert(follower);
        let Some(house) = follower.machine() else { return Ok(false) };
        let mut fates = Vec::new();
        for (transfer, event) in arrived {
            self.awaited.received(house, &transfer, &Decision::Accepted(event), &mut fates);
        }
        send_fates(&mut self.callers, fates);
        if let Err(error) = &followed {
            if !error.is_unreadable() {
                tracing::warn!(%error, "cannot read the record of the House; trying again");
            } else if !std::mem::replace(&mut self.is_stuck, true) {
                tracing::error!(%error, "this node follows the House no further, and answers nothing about it");
            }
        }
        Ok(followed.is_ok())
    }

    fn handle(&mut self, request: Request, is_known: bool) {
        let house = self.follower.as_ref().and_then(ChainFollower::machine).filter(|_| is_known);
        match request {
            Request::ReadHouse(read) => {
                if let Some(house) = house {
                    read(house)();
                }
            }
            Request::Call(Input::House(HouseInput::AwaitVoucher { hash, caller }), _, waits) => {
                if let Some(house) = house {
                    self.callers.retain(|(_, caller)| !caller.has_gone());
                    self.callers.push((caller, waits));
                    let mut fates = Vec::new();
                    self.awaited.wait(house, hash, caller, &mut fates);
                    send_fates(&mut self.callers, fates);
                }
            }
            Request::Call(Input::House(input), _, caller) => self.forward(input, Some(caller)),
            Request::Input(Input::House(input)) => self.forward(input, None),
            Request::Input(Input::Message(message)) => self.peers.message(message),
            // Screens of the House connect to the node that holds it.
            Request::Connect(_, connection) => connection.close(),
            Request::Input(_) | Request::Call(..) | Request::Read(_) => {}
        }
    }

    fn forward(&mut self, input: HouseInput, caller: Option<Caller>) {
        let command = match input {
            HouseInput::Command { actor, id, command, .. } => ForwardedHouseCommand { actor, id, command },
            HouseInput::Own { command, reply: ReplyTo::Caller(_) | ReplyTo::Seat(_) | ReplyTo::Nobody } => {
                ForwardedHouseCommand { actor: Actor::System, id: self.ids.next(), command }
            }
            HouseInput::Subscribe { .. }
            | HouseInput::AwaitVoucher { .. }
            | HouseInput::Watched { .. }
            | HouseInput::Checkpoint => return,
        };
        self.peers.ask(command, move |answer| {
            // Without a reply the caller asks again under the same id.
            if let (Some(answer), Some(caller)) = (answer, caller) {
                caller.forwarded(answer);
            }
        });
    }
}

const fn needs_the_house(request: &Request) -> bool {
    matches!(request, Request::ReadHouse(_) | Request::Call(Input::House(HouseInput::AwaitVoucher { .. }), _, _))
}

fn send_fates(callers: &mut Vec<(CallerId, Caller)>, fates: Vec<Effect>) {
    for effect in fates {
        if let Effect::Voucher(caller, fate) = effect
            && let Some(place) = callers.iter().position(|(id, _)| *id == caller)
            && let (_, Caller::Voucher(caller)) = callers.swap_remove(place)
        {
            // The caller may have given up.
            caller.send(fate).map_or_else(drop, drop);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use taisai_record::{Address, chain_of};
    use taisai_table::MachineId;
    use tokio::sync::watch;

    use super::*;
    use crate::node::clock::{self, Clock, Share};
    use crate::node::handle::HouseHandle;
    use crate::node::peers::{NodeAddress, Peers};
    use crate::ws::publisher::Publisher;

    /// A House that no node holds, and its reader.
    fn reader() -> (HouseReader, Arc<Router>) {
        let (_, known) = watch::channel(taisai_journal::LeaseRoster::default());
        let peers = PeerSender::start(&Peers::new("own".into(), known, &NodeAddress::default()).unwrap());
        let follower = ChainFollower::new(Address::Folder("nowhere".into()), chain_of(MachineId::House), Vec::new());
        let sources = Sources::new(Clock::start(clock::system, None), Share::ALL);
        let router = Arc::new(Router::new(Some(peers.clone()), BTreeSet::new()));
        (HouseReader::new(follower, peers, &sources, &router), router)
    }

    #[tokio::test]
    async fn reader_stops_when_its_follower_is_lost() {
        let (mut reader, router) = reader();
        reader.follower = None;
        let (requests, received) = mpsc::channel(8);
        router.set_house_reader(Some(requests));
        let read = tokio::spawn({
            let house = HouseHandle(router.house());
            async move { house.read(|_| ()).await }
        });
        assert!(matches!(reader.run(received).await, Err(Stopped::BrokenDown(_))));
        assert!(matches!(read.await.unwrap(), Err(Stopped::Closed)));
    }

    /// Nobody holds the House for a while, and then this node does. A caller has a handle from before.
    #[tokio::test]
    async fn reader_ends_when_the_house_runs_here() {
        let (reader, router) = reader();
        let (requests, received) = mpsc::channel(8);
        let _handle = requests.clone();
        router.set_house_reader(Some(requests));
        let reading = tokio::spawn(reader.run(received));
        router.set(MachineId::House, mpsc::channel(8).0, Publisher::nowhere());
        reading.await.unwrap().unwrap();
    }
}

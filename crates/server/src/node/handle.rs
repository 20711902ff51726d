//! Handles to the partitions that run here: how the rest of the server asks them and looks at them.

use std::sync::atomic::{AtomicU64, Ordering};

use taisai_engine::{
    CallerId, ClusterInput, HouseInput, Input, NewestCommand, Reply, ReplyTo, RoundInput, SeatMoney, Topic,
    VoucherFate, Worker,
};
use taisai_table::{Actor, ClusterCommand, CommandId, House, HouseCommand, Round, RoundCommand, Seat, VoucherHash};
use tokio::sync::{mpsc, oneshot};

use crate::http::reply::CommandReply;
use crate::node::stopped::Stopped;
use crate::ws::connection::Connection;

/// What a look leads to once what was seen is durable.
pub(crate) type OnDurable = Box<dyn FnOnce() + Send>;

/// What reaches the thread of some partitions.
pub(crate) enum Request {
    /// An input that nobody waits for, or whose reply goes to a terminal.
    Input(Input),
    /// An input, and who waits for what comes of it.
    Call(Input, CallerId, Caller),
    /// An input of a screen that is connected.
    Connect(Input, Connection),
    /// A look at the partitions.
    Look(Box<dyn FnOnce(&Worker) -> OnDurable + Send>),
    /// A look at the House.
    LookAtHouse(Box<dyn FnOnce(&House) -> OnDurable + Send>),
}

/// Someone who waits.
pub(crate) enum Caller {
    /// For an answer.
    Reply(oneshot::Sender<CommandReply>),
    /// For an answer, and whether the command was carried out before, when it was sent first.
    RepeatableReply(oneshot::Sender<(CommandReply, bool)>),
    /// For what became of a voucher.
    Voucher(oneshot::Sender<VoucherFate>),
    /// Until what was seen is durable.
    OnDurable(OnDurable),
}

/// A number that no caller of this process had before.
pub(crate) fn next_caller() -> CallerId {
    static NEXT_CALLER: AtomicU64 = AtomicU64::new(0);
    CallerId(NEXT_CALLER.fetch_add(1, Ordering::Relaxed))
}

impl Caller {
    /// Tells a reply. Whoever asked may have gone.
    pub(crate) fn answer(self, reply: &Reply, game: Option<&taisai_rules::Game>) {
        match self {
            Self::Reply(caller) => caller.send(CommandReply::of(reply, game)).unwrap_or_default(),
            Self::RepeatableReply(caller) => {
                caller.send((CommandReply::of(reply, game), reply.is_repeated)).map_or_else(drop, drop);
            }
            Self::Voucher(_) | Self::OnDurable(_) => {}
        }
    }
}

impl Caller {
    /// Tells an answer that another node has given.
    pub(crate) fn forwarded(self, answer: CommandReply) {
        match self {
            Self::Reply(caller) => caller.send(answer).unwrap_or_default(),
            Self::RepeatableReply(caller) => caller.send((answer, false)).map_or_else(drop, drop),
            Self::Voucher(_) | Self::OnDurable(_) => {}
        }
    }

    /// Whether nobody waits any more.
    pub(crate) fn has_gone(&self) -> bool {
        match self {
            Self::Reply(caller) => caller.is_closed(),
            Self::RepeatableReply(caller) => caller.is_closed(),
            Self::Voucher(caller) => caller.is_closed(),
            Self::OnDurable(_) => false,
        }
    }
}

async fn send(requests: &mpsc::Sender<Request>, request: Request) -> Result<(), Stopped> {
    requests.send(request).await.map_err(|_| Stopped::Closed)
}

async fn call<T>(
    requests: &mpsc::Sender<Request>,
    input: impl FnOnce(CallerId) -> Input,
    caller: impl FnOnce(oneshot::Sender<T>) -> Caller,
) -> Result<T, Stopped> {
    let (reply, replied) = oneshot::channel();
    let id = next_caller();
    send(requests, Request::Call(input(id), id, caller(reply))).await?;
    replied.await.map_err(|_| Stopped::Closed)
}

/// A handle to a table, to its dealer's side alone, or to one of its clusters alone.
#[derive(Clone)]
pub(crate) struct TableHandle(pub(crate) mpsc::Sender<Request>);

impl TableHandle {
    /// Sends an input, and waits while the queue is full.
    pub(crate) async fn send(&self, input: Input) -> Result<(), Stopped> {
        send(&self.0, Request::Input(input)).await
    }

    /// How many requests wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.max_capacity() - self.0.capacity()
    }

    /// Looks at the partitions. What was seen is told once it is durable.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Worker) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (tell, told) = oneshot::channel();
        let look = move |worker: &Worker| -> OnDurable {
            let seen = look(worker);
            // Whoever looked may have gone.
            Box::new(move || tell.send(seen).map_or_else(drop, drop))
        };
        send(&self.0, Request::Look(Box::new(look))).await?;
        told.await.map_err(|_| Stopped::Closed)
    }

    /// Looks at the dealer's side, which must be on the same thread.
    pub(crate) async fn look_at_round<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Round) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.look(|worker| worker.round().map(look)).await?.ok_or(Stopped::Closed)
    }

    /// Asks the dealer's side, and waits for the answer.
    pub(crate) async fn ask_round(
        &self,
        actor: Actor,
        id: CommandId,
        command: RoundCommand,
    ) -> Result<CommandReply, Stopped> {
        let input = |caller| {
            let reply = ReplyTo::Caller(caller);
            Input::Round(RoundInput::Command { actor, id, command, reply })
        };
        call(&self.0, input, Caller::Reply).await
    }

    /// Asks a players' side, and waits for the answer.
    pub(crate) async fn ask_cluster(
        &self,
        cluster: u16,
        actor: Actor,
        id: CommandId,
        command: ClusterCommand,
    ) -> Result<CommandReply, Stopped> {
        let input = |caller| cluster_command(cluster, actor, id, command, ReplyTo::Caller(caller));
        call(&self.0, input, Caller::Reply).await
    }

    /// Sends a players' side a command. The answer comes later, with whether it was given before, when the command was sent first.
    pub(crate) async fn send_to_cluster(
        &self,
        cluster: u16,
        actor: Actor,
        id: CommandId,
        command: ClusterCommand,
    ) -> Result<oneshot::Receiver<(CommandReply, bool)>, Stopped> {
        let (reply, replied) = oneshot::channel();
        let caller = next_caller();
        let input = cluster_command(cluster, actor, id, command, ReplyTo::Caller(caller));
        send(&self.0, Request::Call(input, caller, Caller::RepeatableReply(reply))).await?;
        Ok(replied)
    }

    /// A Player Terminal is connected at a seat.
    pub(crate) async fn connect(
        &self,
        (cluster, seat): (u16, Seat),
        counted: NewestCommand,
        money: Box<SeatMoney>,
        connection: Connection,
    ) -> Result<(), Stopped> {
        let id = connection.id();
        let input = Input::Cluster(cluster, ClusterInput::Connect { seat, connection: id, counted, money });
        send(&self.0, Request::Connect(input, connection)).await
    }

    /// The connection of a Player Terminal has ended.
    pub(crate) async fn disconnect(
        &self,
        (cluster, seat): (u16, Seat),
        connection: &Connection,
    ) -> Result<(), Stopped> {
        let connection = connection.id();
        self.send(Input::Cluster(cluster, ClusterInput::Disconnect { seat, connection })).await
    }

    /// A screen follows the table.
    pub(crate) async fn subscribe(
        &self,
        topics: Vec<Topic>,
        counted: Option<NewestCommand>,
        connection: Connection,
    ) -> Result<(), Stopped> {
        let input = Input::Round(RoundInput::Subscribe { topics, counted, connection: connection.id() });
        send(&self.0, Request::Connect(input, connection)).await
    }
}

/// A command for a players' side.
pub(crate) const fn cluster_command(
    cluster: u16,
    actor: Actor,
    id: CommandId,
    command: ClusterCommand,
    reply: ReplyTo,
) -> Input {
    Input::Cluster(cluster, ClusterInput::Command { actor, id, command, reply })
}

/// A handle to the House.
#[derive(Clone)]
pub(crate) struct HouseHandle(pub(crate) mpsc::Sender<Request>);

impl HouseHandle {
    /// Looks at the House. What was seen is told once it is durable.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&House) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (tell, told) = oneshot::channel();
        let look = move |house: &House| -> OnDurable {
            let seen = look(house);
            // Whoever looked may have gone.
            Box::new(move || tell.send(seen).map_or_else(drop, drop))
        };
        send(&self.0, Request::LookAtHouse(Box::new(look))).await?;
        told.await.map_err(|_| Stopped::Closed)
    }

    /// Asks the House, and waits for the answer.
    pub(crate) async fn ask(
        &self,
        actor: Actor,
        id: CommandId,
        command: HouseCommand,
    ) -> Result<CommandReply, Stopped> {
        let input = |caller| {
            let reply = ReplyTo::Caller(caller);
            Input::House(HouseInput::Command { actor, id, command, reply })
        };
        call(&self.0, input, Caller::Reply).await
    }

    /// Has the program itself ask, and waits for the answer.
    pub(crate) async fn own(&self, command: HouseCommand) -> Result<CommandReply, Stopped> {
        let input = |caller| Input::House(HouseInput::Own { command, reply: ReplyTo::Caller(caller) });
        call(&self.0, input, Caller::Reply).await
    }

    /// Waits for what becomes of the voucher of a cash-out that a cluster has accepted: its money arrives a little later. Not to
    /// be asked for one that was refused.
    pub(crate) async fn voucher(&self, hash: VoucherHash) -> Result<VoucherFate, Stopped> {
        let input = |caller| Input::House(HouseInput::AwaitVoucher { hash, caller });
        call(&self.0, input, Caller::Voucher).await
    }

    /// A screen follows the House.
    pub(crate) async fn subscribe(&self, topic: Topic, source: u64, connection: Connection) -> Result<(), Stopped> {
        let input = Input::House(HouseInput::Subscribe { topic, connection: connection.id(), source });
        send(&self.0, Request::Connect(input, connection)).await
    }
}

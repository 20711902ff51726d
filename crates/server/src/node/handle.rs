//! Handles to partition threads: how the rest of the server sends commands and reads state.

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

/// Runs once what was read is durable.
pub(crate) type OnDurable = Box<dyn FnOnce() + Send>;

/// Reads a state on its thread.
pub(crate) type StateReader<S> = Box<dyn FnOnce(&S) -> OnDurable + Send>;

/// What a partition thread receives.
pub(crate) enum Request {
    /// An input whose reply nobody waits for here.
    Input(Input),
    /// An input, and the caller who waits for its reply.
    Call(Input, CallerId, Caller),
    /// An input that connects a screen.
    Connect(Input, Connection),
    /// Reads the state of the partitions.
    Read(StateReader<Worker>),
    /// Reads the state of the House.
    ReadHouse(StateReader<House>),
}

/// Who waits for a reply.
pub(crate) enum Caller {
    Reply(oneshot::Sender<CommandReply>),
    /// Also wants to know whether the command was carried out when it was sent before.
    RepeatableReply(oneshot::Sender<(CommandReply, bool)>),
    /// Waits for what becomes of a voucher.
    Voucher(oneshot::Sender<VoucherFate>),
    /// Waits until what was read is durable.
    OnDurable(OnDurable),
}

/// The result comes once the state that was read is durable.
fn reading<S, T: Send + 'static>(
    read: impl FnOnce(&S) -> T + Send + 'static,
) -> (StateReader<S>, oneshot::Receiver<T>) {
    let (sender, receiver) = oneshot::channel();
    let read = move |state: &S| -> OnDurable {
        let seen = read(state);
        // The caller may have given up.
        Box::new(move || sender.send(seen).map_or_else(drop, drop))
    };
    (Box::new(read), receiver)
}

/// Unique in this process.
pub(crate) fn next_caller() -> CallerId {
    static NEXT_CALLER: AtomicU64 = AtomicU64::new(0);
    CallerId(NEXT_CALLER.fetch_add(1, Ordering::Relaxed))
}

impl Caller {
    /// The caller may have given up.
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
    /// Passes on the reply of another node.
    pub(crate) fn forwarded(self, answer: CommandReply) {
        match self {
            Self::Reply(caller) => caller.send(answer).unwrap_or_default(),
            Self::RepeatableReply(caller) => caller.send((answer, false)).map_or_else(drop, drop),
            Self::Voucher(_) | Self::OnDurable(_) => {}
        }
    }

    /// Whether the caller has given up.
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

/// A handle to the thread of a table, of its round alone, or of one of its clusters.
#[derive(Clone)]
pub(crate) struct TableHandle(pub(crate) mpsc::Sender<Request>);

impl TableHandle {
    /// Waits while the queue is full.
    pub(crate) async fn send(&self, input: Input) -> Result<(), Stopped> {
        send(&self.0, Request::Input(input)).await
    }

    /// The number of requests in the queue.
    pub(crate) fn waiting(&self) -> usize {
        self.0.max_capacity() - self.0.capacity()
    }

    /// Reads the state of the partitions. The result comes once that state is durable.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Worker) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (read, receiver) = reading(read);
        send(&self.0, Request::Read(read)).await?;
        receiver.await.map_err(|_| Stopped::Closed)
    }

    /// Reads the round, which must be on this thread.
    pub(crate) async fn read_round<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Round) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.read(|worker| worker.round().map(read)).await?.ok_or(Stopped::Closed)
    }

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

    /// Sends a command to a cluster. The reply comes later, with whether the command is a repetition.
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

    /// Connects a Player Terminal to its seat.
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

    /// Disconnects a Player Terminal.
    pub(crate) async fn disconnect(
        &self,
        (cluster, seat): (u16, Seat),
        connection: &Connection,
    ) -> Result<(), Stopped> {
        let connection = connection.id();
        self.send(Input::Cluster(cluster, ClusterInput::Disconnect { seat, connection })).await
    }

    /// Subscribes a screen to the table.
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

pub(crate) const fn cluster_command(
    cluster: u16,
    actor: Actor,
    id: CommandId,
    command: ClusterCommand,
    reply: ReplyTo,
) -> Input {
    Input::Cluster(cluster, ClusterInput::Command { actor, id, command, reply })
}

#[derive(Clone)]
pub(crate) struct HouseHandle(pub(crate) mpsc::Sender<Request>);

impl HouseHandle {
    /// Reads the state of the House. The result comes once that state is durable.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&House) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (read, receiver) = reading(read);
        send(&self.0, Request::ReadHouse(read)).await?;
        receiver.await.map_err(|_| Stopped::Closed)
    }

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

    /// Sends a command of the server itself.
    pub(crate) async fn own(&self, command: HouseCommand) -> Result<CommandReply, Stopped> {
        let input = |caller| Input::House(HouseInput::Own { command, reply: ReplyTo::Caller(caller) });
        call(&self.0, input, Caller::Reply).await
    }

    /// Waits for the voucher of a cash-out that a cluster has accepted: its transfer arrives a little later. Never call this for a
    /// refused one.
    pub(crate) async fn voucher(&self, hash: VoucherHash) -> Result<VoucherFate, Stopped> {
        let input = |caller| Input::House(HouseInput::AwaitVoucher { hash, caller });
        call(&self.0, input, Caller::Voucher).await
    }

    /// Subscribes a screen to the House.
    pub(crate) async fn subscribe(&self, topic: Topic, source: u64, connection: Connection) -> Result<(), Stopped> {
        let input = Input::House(HouseInput::Subscribe { topic, connection: connection.id(), source });
        send(&self.0, Request::Connect(input, connection)).await
    }
}

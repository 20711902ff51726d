//! Player Terminals. A terminal proves its identity and follows its seat; its commands go straight to the cluster. A reply comes
//! together with the seat as it is after the command.

use axum::Extension;
use axum::extract::ws::WebSocket;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use taisai_endpoint::endpoint;
use taisai_engine::{NewestCommand, ReplyTo, SeatMoney};
use taisai_table::{
    Actor, ClusterCommand, ClusterId, CommandId, DeviceId, DeviceKind, House, HouseCommand, Seat, SessionId, TableId,
};
use tokio::sync::{mpsc, oneshot};

use super::{CloseReason, SocketSession, UnreadableCommands, not_too_many, read, run_session, upgrade};
use crate::devices::acceptor;
use crate::devices::{ConnectionSignal, DeviceConnection, LifeSign, Proven, prove, register};
use crate::http::accept::ConnectionGuard;
use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, NumberedReplies, json};
use crate::http::request::{PathParams, QueryParams};
use crate::node::handle::{TableHandle, cluster_command};
use crate::node::stopped::Stopped;
use crate::reports::{GameLine, last_games};
use crate::server::SharedServer;
use crate::vouchers::{
    EarlierVoucher, HouseRequest, TerminalAct, TerminalRequest, Validation, VoucherUse, issued, issued_before,
    presented, reissued,
};
use crate::ws::connection::Connection;

/// Further requests for the House are refused.
const MAX_WAITING_FOR_HOUSE: usize = 16;

/// What a terminal sends: commands, each under the next number.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FromTerminal {
    #[serde(default)]
    commands: Vec<TerminalCommand>,
    /// Whether the last games of the seat are requested (F30).
    #[serde(default)]
    games: bool,
}

/// The same message with unparsed commands, for when one of them cannot be read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTerminalMessage<'a> {
    #[serde(borrow, default)]
    commands: Vec<&'a RawValue>,
    #[serde(default)]
    games: bool,
}

/// The last games of a seat, as its terminal is sent them.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = LastGames))]
pub(crate) struct ToTerminal<'a> {
    games: &'a [GameLine],
}

/// A command of a terminal.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = TerminalCommand))]
#[serde(deny_unknown_fields)]
struct TerminalCommand {
    sequence: u64,
    command: TerminalAct,
}

/// Where the terminal is, which shows the machine that it is played at.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct InCluster {
    /// The cluster of the terminal, if it knows it.
    #[expect(dead_code, reason = "it is read where the request is relayed")]
    cluster: Option<u16>,
}

/// A terminal's seat, with handles to its cluster and its screen.
#[derive(Clone)]
struct AtSeat {
    server: SharedServer,
    connection: Connection,
    device: DeviceId,
    cluster: ClusterId,
    seat: Seat,
    source: u64,
    handle: TableHandle,
}

struct Terminal {
    commands: Commands,
    device_connection: DeviceConnection,
    /// Reports to those who wait for a sign of life, because another connection claims to be this terminal.
    life_signs: Vec<LifeSign>,
}

/// Passes what a terminal sends to the cluster and to the House.
struct Commands {
    at: AtSeat,
    /// Requests that wait for the House; started with the first one.
    to_house: Option<mpsc::Sender<PendingHouseRequest>>,
    unreadable: UnreadableCommands,
}

/// A request that waits for the House. A task of its own carries it out, so that bets do not wait for vouchers and the socket still
/// answers pings.
enum PendingHouseRequest {
    /// The cluster already has the command; the voucher is printed once the House has it on file.
    CashOut { sequence: u64, answered: oneshot::Receiver<(CommandReply, bool)>, number: Validation },
    /// A voucher or claim of the terminal's own seat.
    Ask(CommandId, HouseRequest),
    /// A note for the simulated note acceptor of a training installation.
    Note(CommandId, ClusterCommand),
}

impl AtSeat {
    const fn actor(&self) -> Actor {
        Actor::Terminal { device: self.device, seat: self.seat }
    }

    /// Carries requests out in the order of their numbers. If the fate of one is unknown, this closes the connection: a refusal would be
    /// final for the terminal, which instead connects again and sends the request under the same number.
    async fn carry_out(self, mut requests: mpsc::Receiver<PendingHouseRequest>) {
        while let Some(request) = requests.recv().await {
            let (sequence, reply) = match request {
                PendingHouseRequest::CashOut { sequence, answered, number } => {
                    (sequence, self.cash_out(answered, number).await)
                }
                PendingHouseRequest::Ask(id, request) => (id.sequence, self.ask_house(id, request).await),
                PendingHouseRequest::Note(id, command) => (id.sequence, self.insert_note(id, command).await),
            };
            let reply = match reply {
                Ok(reply) => reply,
                Err(denied) if denied.leaves_fate_unknown() => return self.connection.close(),
                Err(denied) => CommandReply::Refused(denied.into()),
            };
            self.connection.send(NumberedReplies::one(sequence, reply));
        }
    }

    async fn cash_out(
        &self,
        answered: oneshot::Receiver<(CommandReply, bool)>,
        number: Validation,
    ) -> Result<CommandReply, Denied> {
        match answered.await.map_err(|_| Stopped::Closed)? {
            (CommandReply::Accepted(_), true) => {
                let session = self.ended_session().await?;
                let earlier = EarlierVoucher::CashOut { cluster: self.cluster, seat: self.seat, session };
                issued_before(&self.server, earlier).await
            }
            (CommandReply::Accepted(_), false) => issued(&self.server, number).await,
            (answer @ CommandReply::Refused(_), _) => Ok(answer),
        }
    }

    /// Only training installations have simulated note acceptors (F86).
    async fn insert_note(&self, id: CommandId, command: ClusterCommand) -> Result<CommandReply, Denied> {
        if self.server.place.is_training {
            Ok(acceptor::simulated(&self.server, (self.cluster, self.seat), &self.handle, id, command).await?)
        } else {
            Ok(CommandReply::Refused(Denied::BadCommand.into()))
        }
    }

    async fn ask_house(
        &self,
        id: CommandId,
        HouseRequest { command, about }: HouseRequest,
    ) -> Result<CommandReply, Denied> {
        let command = match command {
            HouseCommand::ReissueVoucher { serial, number, second, .. } => {
                HouseCommand::ReissueVoucher { serial, number, ended: self.ended_session().await?, second }
            }
            command => command,
        };
        let answer = self.server.node.house().ask(self.actor(), id, command).await?;
        match about {
            VoucherUse::Presents(hash) => presented(&self.server, hash, answer).await,
            VoucherUse::Replaces(serial, number) => reissued(&self.server, (serial, number), answer).await,
            VoucherUse::Nothing | VoucherUse::Issues(..) => Ok(answer),
        }
    }

    /// The last session at this seat, if none is open.
    async fn ended_session(&self) -> Result<Option<SessionId>, Stopped> {
        let (number, seat) = (self.cluster.number, self.seat);
        self.handle.read(move |table| table.cluster_numbered(number)?.ended_session(seat)).await
    }
}

impl Commands {
    fn new(at: AtSeat) -> Self {
        Self { unreadable: UnreadableCommands::new(at.connection.clone()), at, to_house: None }
    }

    fn read(&mut self, text: &str) -> Result<FromTerminal, CloseReason> {
        if let Ok(sent) = serde_json::from_str::<FromTerminal>(text) {
            self.unreadable.none();
            not_too_many(sent.commands.len())?;
            return Ok(sent);
        }
        let RawTerminalMessage { commands, games } = read(text)?;
        Ok(FromTerminal { commands: self.unreadable.one_by_one(&commands)?, games })
    }

    async fn receive(&mut self, text: &str) -> Result<(), CloseReason> {
        let FromTerminal { commands, games } = self.read(text)?;
        let AtSeat { cluster, seat, source, .. } = self.at;
        if games {
            let games = Box::pin(last_games(&self.at.server, cluster, seat)).await?;
            self.at.connection.send(json(&ToTerminal { games: &games }));
        }
        for TerminalCommand { sequence, command } in commands {
            let (id, actor) = (CommandId { source, sequence }, self.at.actor());
            match command.into_request(&self.at.server.vouchers.key, (cluster, seat)).map_err(Denied::from)? {
                TerminalRequest::Cluster(command, None) => {
                    let reply = ReplyTo::Seat(sequence);
                    self.at.handle.send(cluster_command(cluster.number, actor, id, command, reply)).await?;
                }
                TerminalRequest::Cluster(command, Some(number)) => {
                    if let Some(place) = self.place_to_wait(sequence)? {
                        let answered = self.at.handle.send_to_cluster(cluster.number, actor, id, command).await?;
                        place.send(PendingHouseRequest::CashOut { sequence, answered, number });
                    }
                }
                TerminalRequest::House(request) => {
                    if let Some(place) = self.place_to_wait(sequence)? {
                        place.send(PendingHouseRequest::Ask(id, request));
                    }
                }
                TerminalRequest::Acceptor(command) => {
                    if let Some(place) = self.place_to_wait(sequence)? {
                        place.send(PendingHouseRequest::Note(id, command));
                    }
                }
            }
        }
        Ok(())
    }

    /// Reserves room for a request to the House. If too many wait, the terminal gets a refusal and this returns nothing.
    fn place_to_wait(&mut self, sequence: u64) -> Result<Option<mpsc::OwnedPermit<PendingHouseRequest>>, CloseReason> {
        let to_house = self.to_house.get_or_insert_with(|| {
            let (to_house, requests) = mpsc::channel(MAX_WAITING_FOR_HOUSE);
            tokio::spawn(self.at.clone().carry_out(requests));
            to_house
        });
        match to_house.clone().try_reserve_owned() {
            Ok(place) => Ok(Some(place)),
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.at.connection.send(NumberedReplies::one(sequence, CommandReply::Refused(Denied::TooMany.into())));
                Ok(None)
            }
            // The task has closed the connection.
            Err(mpsc::error::TrySendError::Closed(_)) => Err(Stopped::Closed.into()),
        }
    }
}

impl SocketSession for Terminal {
    async fn receive(&mut self, text: &str) -> Result<(), CloseReason> {
        self.commands.receive(text).await
    }

    async fn signal(&mut self) -> Option<CloseReason> {
        match self.device_connection.signal().await {
            ConnectionSignal::ShowLife(life) => {
                self.life_signs.push(life);
                None
            }
            ConnectionSignal::CutOff => Some(Denied::NotProven.into()),
        }
    }

    fn alive(&mut self) {
        self.life_signs.drain(..).for_each(LifeSign::confirm);
    }
}

/// The socket of a Player Terminal. It proves itself by its key, is shown a snapshot of the table and of its seat, sends
/// commands and is sent their answers with its seat as it stands then. At a table with several clusters on several machines it
/// is closed with 4001 and the number of its cluster where it did not name it: it connects again, and names it.
#[endpoint(
    get,
    "/tables/{table}/terminal",
    params(("table" = u16, Path, description = "The table"), InCluster),
    responses((status = 101, description = "A WebSocket"))
)]
pub(super) async fn connect(
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
    QueryParams(InCluster { .. }): QueryParams<InCluster>,
    held: Option<Extension<ConnectionGuard>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    if !server.node.is_laid_out(TableId(table)) {
        return Err(Denied::Unknown);
    }
    Ok(upgrade(socket, held, move |mut socket| async move {
        let reason = play(&mut socket, &server, TableId(table)).await;
        drop(server);
        reason.close(socket).await;
    }))
}

async fn play(socket: &mut WebSocket, server: &SharedServer, table: TableId) -> CloseReason {
    // Boxed, because there are many terminals and most of the time each only waits.
    let proven = match Box::pin(prove(socket, server)).await {
        Ok(proven) => proven,
        Err(denied) => return denied.into(),
    };
    let Proven { device, kind: DeviceKind::Terminal { cluster, seat }, source } = proven else {
        return Denied::NotYours.into();
    };
    if cluster.table != table {
        return Denied::NotYours.into();
    }
    let Some(handle) = server.node.cluster(cluster) else {
        return CloseReason::not_here(server, cluster);
    };
    let device_connection = match Box::pin(register(server, proven)).await {
        Ok(taken) => taken,
        Err(denied) => return denied.into(),
    };
    // Commands that this terminal sent to the House count too.
    let read = move |house: &House| (house.newest(source), SeatMoney::of(house, cluster, seat));
    let (sequence, money) = match Box::pin(server.node.house().read(read)).await {
        Ok(found) => found,
        Err(stopped) => return stopped.into(),
    };
    let (connection, messages) = Connection::new();
    let counted = NewestCommand { source, sequence };
    let place_at = (cluster.number, seat);
    if let Err(stopped) = handle.connect(place_at, counted, Box::new(money), connection.clone()).await {
        return stopped.into();
    }
    let at = AtSeat { server: server.clone(), connection: connection.clone(), device, cluster, seat, source, handle };
    let mut terminal = Terminal { commands: Commands::new(at), device_connection, life_signs: Vec::new() };
    let reason = run_session(socket, &mut terminal, messages, server).await;
    // A partition that has stopped needs no notice.
    terminal.commands.at.handle.disconnect(place_at, &connection).await.unwrap_or_default();
    reason
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc as blocking;

    use serde_json::{Value, json};

    use super::*;
    use crate::tests::running::RunningServer;
    use crate::ws::connection::ConnectionQueue;

    async fn answer(messages: &mut ConnectionQueue) -> Value {
        loop {
            let mut waiting = Vec::new();
            assert!(messages.take(&mut waiting).await, "the connection was cut");
            for message in waiting {
                let message: Value = serde_json::from_str(&message).unwrap();
                if let Some(first) = message["answers"].as_array().and_then(|answers| answers.first()) {
                    return first.clone();
                }
            }
        }
    }

    fn at_seat(server: &SharedServer, connection: Connection) -> AtSeat {
        let cluster = ClusterId { table: TableId(1), number: 0 };
        let handle = server.node.cluster(cluster).unwrap();
        let source = server.sources.next();
        AtSeat { server: Arc::clone(server), connection, device: DeviceId(31), cluster, seat: Seat(3), source, handle }
    }

    /// The cluster stops before it has answered a cash-out: the credits may be gone, so the terminal must not hear a refusal.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_request_of_unknown_fate_closes_the_connection_without_a_reply() {
        let house = RunningServer::start().await;
        let (connection, mut messages) = Connection::new();
        let (to_house, requests) = mpsc::channel(1);
        let carrying = tokio::spawn(at_seat(&house.server, connection.clone()).carry_out(requests));
        let (_, answered) = oneshot::channel();
        let number = Validation::draw().unwrap();
        to_house.send(PendingHouseRequest::CashOut { sequence: 1, answered, number }).await.unwrap();
        carrying.await.unwrap();
        assert!(connection.is_closed());
        assert!(!messages.take(&mut Vec::new()).await, "nothing was sent");
        house.close().await;
    }

    /// F86: outside of training no terminal inserts notes. It hears so, and plays on.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_denied_request_is_refused_and_the_connection_stays() {
        let house = RunningServer::start().await;
        let (connection, mut messages) = Connection::new();
        let (to_house, requests) = mpsc::channel(1);
        let at = at_seat(&house.server, connection.clone());
        let id = CommandId { source: at.source, sequence: 1 };
        let carrying = tokio::spawn(at.carry_out(requests));
        let note = ClusterCommand::AcceptNote { seat: Seat(3), amount: taisai_rules::Money::from_cents(1_000) };
        to_house.send(PendingHouseRequest::Note(id, note)).await.unwrap();
        let answer = answer(&mut messages).await;
        let code = &answer["answer"]["refused"]["code"];
        assert_eq!((&answer["sequence"], code), (&json!(1), &json!("bad-command")), "{answer}");
        assert!(!connection.is_closed());
        drop(to_house);
        carrying.await.unwrap();
        house.close().await;
    }

    /// The House is busy for as long as this test wants: a bet is answered meanwhile, and what waits for the House afterwards.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_bet_does_not_wait_for_a_voucher() {
        let house = RunningServer::start().await;
        let server = Arc::clone(&house.server);
        let (connection, mut messages) = Connection::new();
        let at = at_seat(&server, connection.clone());
        let counted = NewestCommand { source: at.source, sequence: 0 };
        at.handle.connect((0, at.seat), counted, Box::default(), connection).await.unwrap();
        let mut terminal = Commands::new(at);
        let (go_on, blocked) = blocking::channel::<()>();
        let house_handle = server.node.house();
        let busy = tokio::spawn(async move { house_handle.read(move |_| blocked.recv()).await });
        let redeem =
            json!({"commands": [{"sequence": 1, "command": {"redeem": {"number": "12-3456-7890-1234-5678"}}}]});
        let clear = json!({"commands": [{"sequence": 2, "command": {"clear": {"seat": 3}}}]});
        assert!(terminal.receive(&redeem.to_string()).await.is_ok());
        assert!(terminal.receive(&clear.to_string()).await.is_ok());
        assert_eq!(answer(&mut messages).await["sequence"], 2, "the cluster answers at once");
        go_on.send(()).unwrap();
        assert_eq!(answer(&mut messages).await["sequence"], 1, "the House answers when it can");
        busy.await.unwrap().unwrap().unwrap();
        drop((terminal, server));
        house.close().await;
    }
}

//! A Player Terminal: it proves itself, is shown its seat, and its commands go straight to the table. What the table answers
//! comes with the seat as it stands then.

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

use super::{Farewell, Screen, Unreadable, converse, not_too_many, read, upgrade};
use crate::accept::Held;
use crate::acceptor;
use crate::answer::{Answer, Answers, json};
use crate::connection::Connection;
use crate::denied::Denied;
use crate::devices::{Life, Proven, Taken, Told, prove, take};
use crate::handle::{TableHandle, cluster_command};
use crate::reports::{GameLine, last_games};
use crate::request::{Asked, Named};
use crate::server::Shared;
use crate::stopped::Stopped;
use crate::voucher::{
    About, Earlier, TerminalAct, TerminalAsk, ToHouse, Validation, issued, issued_before, presented, reissued,
};

/// At most so many requests of a terminal wait for the House.
const MAX_WAITING_FOR_HOUSE: usize = 16;

/// What a terminal sends: commands, each under the next number.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FromTerminal {
    #[serde(default)]
    commands: Vec<Numbered>,
    /// Whether the last games of the seat are asked for (F30).
    #[serde(default)]
    games: bool,
}

/// The same with its commands apart, for when one of them cannot be read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Apart<'a> {
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
struct Numbered {
    sequence: u64,
    command: TerminalAct,
}

/// Where the terminal stands, which tells the machine that it is played at.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct InCluster {
    /// The cluster of the terminal, where it was told it.
    #[expect(dead_code, reason = "it is read where the request is relayed")]
    cluster: Option<u16>,
}

/// A terminal's seat, and the ways to its cluster and to its screen.
#[derive(Clone)]
struct AtSeat {
    server: Shared,
    connection: Connection,
    device: DeviceId,
    cluster: ClusterId,
    seat: Seat,
    source: u64,
    door: TableHandle,
}

struct Terminal {
    commands: Commands,
    place: Taken,
    /// Those who wait for a sign of life, as they say to be this terminal.
    doubted_by: Vec<Life>,
}

/// What a terminal sends, on its way to the cluster and to the House.
struct Commands {
    at: AtSeat,
    /// What waits for the House, once anything has.
    to_house: Option<mpsc::Sender<WaitsForHouse>>,
    unreadable: Unreadable,
}

/// A request of a terminal that waits for the House. It is carried out apart from the socket, which goes on meanwhile: bets do not
/// wait for vouchers, and the terminal still gives signs of life.
enum WaitsForHouse {
    /// Credits become a voucher, which is printed once the House has it. The cluster was asked already.
    CashOut { sequence: u64, answered: oneshot::Receiver<(Answer, bool)>, number: Validation },
    /// Something about vouchers and claims of the terminal's own seat.
    Ask(CommandId, ToHouse),
    /// A note for the simulated note acceptor of a training house.
    Note(CommandId, ClusterCommand),
}

impl AtSeat {
    const fn actor(&self) -> Actor {
        Actor::Terminal { device: self.device, seat: self.seat }
    }

    /// Carries requests out one after the other, as their numbers rise. Where that fails the terminal connects again, and asks again
    /// under the same number.
    async fn carry_out(self, mut requests: mpsc::Receiver<WaitsForHouse>) {
        while let Some(request) = requests.recv().await {
            let answered = match request {
                WaitsForHouse::CashOut { sequence, answered, number } => {
                    self.cash_out(answered, number).await.map(|answer| (sequence, answer))
                }
                WaitsForHouse::Ask(id, asked) => self.ask_house(id, asked).await.map(|answer| (id.sequence, answer)),
                WaitsForHouse::Note(id, command) => {
                    self.insert_note(id, command).await.map(|answer| (id.sequence, answer))
                }
            };
            match answered {
                Ok((sequence, answer)) => drop(self.connection.send(Answers::one(sequence, answer))),
                Err(_) => return self.connection.close(),
            }
        }
    }

    async fn cash_out(
        &self,
        answered: oneshot::Receiver<(Answer, bool)>,
        number: Validation,
    ) -> Result<Answer, Denied> {
        match answered.await.map_err(|_| Stopped::Closed)? {
            (Answer::Accepted(_), true) => {
                let session = self.ended_session().await?;
                let earlier = Earlier::CashOut { cluster: self.cluster, seat: self.seat, session };
                issued_before(&self.server, earlier).await
            }
            (Answer::Accepted(_), false) => issued(&self.server, number).await,
            (answer @ Answer::Refused(_), _) => Ok(answer),
        }
    }

    /// The simulated note acceptor of a training house asks for itself; elsewhere there is no such command (F86).
    async fn insert_note(&self, id: CommandId, command: ClusterCommand) -> Result<Answer, Denied> {
        if self.server.place.is_training {
            Ok(acceptor::simulated(&self.server, (self.cluster, self.seat), &self.door, id, command).await?)
        } else {
            Ok(Answer::Refused(Denied::BadCommand.into()))
        }
    }

    async fn ask_house(&self, id: CommandId, ToHouse { command, about }: ToHouse) -> Result<Answer, Denied> {
        let command = match command {
            HouseCommand::ReissueVoucher { serial, number, second, .. } => {
                HouseCommand::ReissueVoucher { serial, number, ended: self.ended_session().await?, second }
            }
            command => command,
        };
        let answer = self.server.doors.house().ask(self.actor(), id, command).await?;
        match about {
            About::Presents(hash) => presented(&self.server, hash, answer).await,
            About::Replaces(serial, number) => reissued(&self.server, (serial, number), answer).await,
            About::Nothing | About::Issues(..) => Ok(answer),
        }
    }

    /// The session that was here last, where none is open.
    async fn ended_session(&self) -> Result<Option<SessionId>, Stopped> {
        let (number, seat) = (self.cluster.number, self.seat);
        self.door.look(move |table| table.cluster_numbered(number)?.ended_session(seat)).await
    }
}

impl Commands {
    fn new(at: AtSeat) -> Self {
        Self { unreadable: Unreadable::new(at.connection.clone()), at, to_house: None }
    }

    fn read(&mut self, text: &str) -> Result<FromTerminal, Farewell> {
        if let Ok(sent) = serde_json::from_str::<FromTerminal>(text) {
            self.unreadable.none();
            not_too_many(sent.commands.len())?;
            return Ok(sent);
        }
        let Apart { commands, games } = read(text)?;
        Ok(FromTerminal { commands: self.unreadable.one_by_one(&commands)?, games })
    }

    async fn take(&mut self, text: &str) -> Result<(), Farewell> {
        let FromTerminal { commands, games } = self.read(text)?;
        let AtSeat { cluster, seat, source, .. } = self.at;
        if games {
            let games = Box::pin(last_games(&self.at.server, cluster, seat)).await?;
            self.at.connection.send(json(&ToTerminal { games: &games }));
        }
        for Numbered { sequence, command } in commands {
            let (id, actor) = (CommandId { source, sequence }, self.at.actor());
            match command.ask(&self.at.server.vouchers.key, (cluster, seat)).map_err(Denied::from)? {
                TerminalAsk::Cluster(command, None) => {
                    let reply = ReplyTo::Seat(sequence);
                    self.at.door.send(cluster_command(cluster.number, actor, id, command, reply)).await?;
                }
                TerminalAsk::Cluster(command, Some(number)) => {
                    if let Some(place) = self.place_to_wait(sequence)? {
                        let answered = self.at.door.send_to_cluster(cluster.number, actor, id, command).await?;
                        place.send(WaitsForHouse::CashOut { sequence, answered, number });
                    }
                }
                TerminalAsk::House(asked) => {
                    if let Some(place) = self.place_to_wait(sequence)? {
                        place.send(WaitsForHouse::Ask(id, asked));
                    }
                }
                TerminalAsk::Acceptor(command) => {
                    if let Some(place) = self.place_to_wait(sequence)? {
                        place.send(WaitsForHouse::Note(id, command));
                    }
                }
            }
        }
        Ok(())
    }

    /// A place for a request that is carried out apart from the socket; none where too many wait, which the terminal is told.
    fn place_to_wait(&mut self, sequence: u64) -> Result<Option<mpsc::OwnedPermit<WaitsForHouse>>, Farewell> {
        let to_house = self.to_house.get_or_insert_with(|| {
            let (to_house, requests) = mpsc::channel(MAX_WAITING_FOR_HOUSE);
            tokio::spawn(self.at.clone().carry_out(requests));
            to_house
        });
        match to_house.clone().try_reserve_owned() {
            Ok(place) => Ok(Some(place)),
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.at.connection.send(Answers::one(sequence, Answer::Refused(Denied::TooMany.into())));
                Ok(None)
            }
            // One that failed has closed the connection.
            Err(mpsc::error::TrySendError::Closed(_)) => Err(Stopped::Closed.into()),
        }
    }
}

impl Screen for Terminal {
    async fn hear(&mut self, text: &str) -> Result<(), Farewell> {
        self.commands.take(text).await
    }

    async fn told(&mut self) -> Option<Farewell> {
        match self.place.told().await {
            Told::ShowLife(life) => {
                self.doubted_by.push(life);
                None
            }
            Told::CutOff => Some(Denied::NotProven.into()),
        }
    }

    fn lives(&mut self) {
        self.doubted_by.drain(..).for_each(Life::shown);
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
    State(server): State<Shared>,
    Named(table): Named<u16>,
    Asked(InCluster { .. }): Asked<InCluster>,
    held: Option<Extension<Held>>,
    socket: WebSocketUpgrade,
) -> Result<Response, Denied> {
    if !server.doors.is_laid_out(TableId(table)) {
        return Err(Denied::Unknown);
    }
    Ok(upgrade(socket, held, move |mut socket| async move {
        let farewell = play(&mut socket, &server, TableId(table)).await;
        drop(server);
        farewell.say(socket).await;
    }))
}

async fn play(socket: &mut WebSocket, server: &Shared, table: TableId) -> Farewell {
    // What is done once, or rarely, has memory of its own: there are many terminals, and they wait.
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
    let Some(door) = server.doors.cluster(cluster) else {
        return Farewell::Elsewhere(cluster);
    };
    let place = match Box::pin(take(server, proven)).await {
        Ok(place) => place,
        Err(denied) => return denied.into(),
    };
    // What it asked of the House counts too.
    let look = move |house: &House| (house.newest(source), SeatMoney::of(house, cluster, seat));
    let (sequence, money) = match Box::pin(server.doors.house().look(look)).await {
        Ok(found) => found,
        Err(stopped) => return stopped.into(),
    };
    let (connection, messages) = Connection::new();
    let counted = NewestCommand { source, sequence };
    let place_at = (cluster.number, seat);
    if let Err(stopped) = door.connect(place_at, counted, Box::new(money), connection.clone()).await {
        return stopped.into();
    }
    let at = AtSeat { server: server.clone(), connection: connection.clone(), device, cluster, seat, source, door };
    let mut terminal = Terminal { commands: Commands::new(at), place, doubted_by: Vec::new() };
    let farewell = converse(socket, &mut terminal, messages, server).await;
    // A table that has stopped needs no word.
    terminal.commands.at.door.disconnect(place_at, &connection).await.unwrap_or_default();
    farewell
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc as blocking;

    use serde_json::{Value, json};

    use super::*;
    use crate::connection::ConnectionQueue;
    use crate::people::running::Running;

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

    /// The House is busy for as long as this test wants: a bet is answered meanwhile, and what waits for the House afterwards.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_bet_does_not_wait_for_a_voucher() {
        let house = Running::start().await;
        let server = Arc::clone(&house.server);
        let (cluster, seat) = (ClusterId { table: TableId(1), number: 0 }, Seat(3));
        let (device, source) = (DeviceId(31), server.sources.next());
        let (connection, mut messages) = Connection::new();
        let door = server.doors.cluster(cluster).unwrap();
        door.connect((0, seat), NewestCommand { source, sequence: 0 }, Box::default(), connection.clone())
            .await
            .unwrap();
        let mut terminal =
            Commands::new(AtSeat { server: Arc::clone(&server), connection, device, cluster, seat, source, door });
        let (go_on, blocked) = blocking::channel::<()>();
        let house_handle = server.doors.house();
        let busy = tokio::spawn(async move { house_handle.look(move |_| blocked.recv()).await });
        let redeem =
            json!({"commands": [{"sequence": 1, "command": {"redeem": {"number": "12-3456-7890-1234-5678"}}}]});
        let clear = json!({"commands": [{"sequence": 2, "command": {"clear": {"seat": 3}}}]});
        assert!(terminal.take(&redeem.to_string()).await.is_ok());
        assert!(terminal.take(&clear.to_string()).await.is_ok());
        assert_eq!(answer(&mut messages).await["sequence"], 2, "the cluster answers at once");
        go_on.send(()).unwrap();
        assert_eq!(answer(&mut messages).await["sequence"], 1, "the House answers when it can");
        busy.await.unwrap().unwrap().unwrap();
        drop((terminal, server));
        house.close().await;
    }
}

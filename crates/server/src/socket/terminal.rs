//! A Player Terminal: it proves itself, is shown its seat, and its commands go straight to the table. What the table answers
//! comes with the seat as it stands then.

use axum::Extension;
use axum::extract::ws::WebSocket;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use taisai_endpoint::endpoint;
use taisai_table::{
    Actor, ClusterCommand, ClusterId, CommandId, DeviceId, DeviceKind, House, HouseCommand, Seat, SessionId, TableId,
};

use super::{Farewell, Screen, Unreadable, converse, not_too_many, read, upgrade};
use crate::accept::Held;
use crate::acceptor;
use crate::denied::Denied;
use crate::devices::{Life, Proven, Taken, Told, prove, take};
use crate::house::SeatMoney;
use crate::leaving::{Answer, Answers, Counted, Reply, json};
use crate::line::Line;
use crate::reports::{GameLine, last_games};
use crate::request::{Asked, Named};
use crate::server::Shared;
use crate::stopped::Stopped;
use crate::table::{TableDoor, TableMail};
use crate::voucher::{
    About, Earlier, TerminalAct, TerminalAsk, ToHouse, Validation, issued, issued_before, presented, reissued,
};

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

struct Terminal {
    server: Shared,
    line: Line,
    device: DeviceId,
    cluster: ClusterId,
    seat: Seat,
    source: u64,
    door: TableDoor,
    place: Taken,
    /// Those who wait for a sign of life, as they say to be this terminal.
    doubted_by: Vec<Life>,
    unreadable: Unreadable,
}

impl Terminal {
    const fn actor(&self) -> Actor {
        Actor::Terminal { device: self.device, seat: self.seat }
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

    /// Credits become a voucher, which is printed once the House has it.
    async fn cash_out(&self, id: CommandId, command: ClusterCommand, number: Validation) -> Result<(), Farewell> {
        let asked = self.door.ask_cluster_again(self.cluster.number, self.actor(), id, command);
        let answer = match asked.await? {
            (Answer::Accepted(_), true) => {
                let session = self.ended_session().await?;
                let earlier = Earlier::CashOut { cluster: self.cluster, seat: self.seat, session };
                issued_before(&self.server, earlier).await?
            }
            (Answer::Accepted(_), false) => issued(&self.server, number).await?,
            (answer @ Answer::Refused(_), _) => answer,
        };
        self.line.say(Answers::one(id.sequence, answer));
        Ok(())
    }

    /// The simulated note acceptor of a training house asks for itself; elsewhere there is no such command (F86).
    async fn insert_note(&self, id: CommandId, command: ClusterCommand) -> Result<(), Farewell> {
        let answer = if self.server.place.is_training {
            acceptor::simulated(&self.server, (self.cluster, self.seat), &self.door, id, command).await?
        } else {
            Answer::Refused(Denied::BadCommand.into())
        };
        self.line.say(Answers::one(id.sequence, answer));
        Ok(())
    }

    /// What a terminal asks of the House: about vouchers and claims of its own seat.
    async fn ask_house(&self, id: CommandId, ToHouse { command, about }: ToHouse) -> Result<(), Farewell> {
        let command = match command {
            HouseCommand::ReissueVoucher { serial, number, second, .. } => {
                HouseCommand::ReissueVoucher { serial, number, ended: self.ended_session().await?, second }
            }
            command => command,
        };
        let answer = self.server.doors.house().ask(self.actor(), id, command).await?;
        let answer = match about {
            About::Presents(hash) => presented(&self.server, hash, answer).await?,
            About::Replaces(serial, number) => reissued(&self.server, (serial, number), answer).await?,
            About::Nothing | About::Issues(..) => answer,
        };
        self.line.say(Answers::one(id.sequence, answer));
        Ok(())
    }

    /// The session that was here last, where none is open.
    async fn ended_session(&self) -> Result<Option<SessionId>, Stopped> {
        let (number, seat) = (self.cluster.number, self.seat);
        self.door.look(move |table| table.cluster(number)?.ended_session(seat)).await
    }
}

impl Screen for Terminal {
    async fn hear(&mut self, text: &str) -> Result<(), Farewell> {
        let FromTerminal { commands, games } = self.read(text)?;
        if games {
            let games = Box::pin(last_games(&self.server, self.cluster, self.seat)).await?;
            self.line.say(json(&ToTerminal { games: &games }));
        }
        for Numbered { sequence, command } in commands {
            let id = CommandId { source: self.source, sequence };
            match command.ask(&self.server.vouchers.key, (self.cluster, self.seat)).map_err(Denied::from)? {
                TerminalAsk::Cluster(command, None) => {
                    let (cluster, actor, reply) = (self.cluster.number, self.actor(), Reply::Seat(sequence));
                    self.door.send(TableMail::Cluster { cluster, actor, id, command, reply }).await?;
                }
                TerminalAsk::Cluster(command, Some(number)) => {
                    Box::pin(self.cash_out(id, command, number)).await?;
                }
                TerminalAsk::House(asked) => Box::pin(self.ask_house(id, asked)).await?,
                TerminalAsk::Acceptor(command) => Box::pin(self.insert_note(id, command)).await?,
            }
        }
        Ok(())
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
    let (line, messages) = Line::new();
    let counted = Counted { source, sequence };
    let sit = TableMail::Sit { cluster: cluster.number, seat, counted, money: Box::new(money), line: line.clone() };
    if let Err(stopped) = door.send(sit).await {
        return stopped.into();
    }
    let mut terminal = Terminal {
        server: server.clone(),
        line: line.clone(),
        device,
        cluster,
        seat,
        source,
        door,
        place,
        doubted_by: Vec::new(),
        unreadable: Unreadable::new(line.clone()),
    };
    let farewell = converse(socket, &mut terminal, messages, server).await;
    // A table that has stopped needs no word.
    terminal.door.send(TableMail::Gone { cluster: cluster.number, seat, line }).await.unwrap_or_default();
    farewell
}

//! A Player Terminal's connection, one of many: the views and replies it has received, and when it counts the server as lost.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::terminal::{Device, unhex};

/// An idle server sends a heartbeat each second: a client that receives nothing for this long has lost it.
const MAX_SILENCE: Duration = Duration::from_secs(4);

/// A server that sends heartbeats and no reply for this long is lost too.
const REPLY_TIMEOUT: Duration = Duration::from_secs(15);

pub(crate) struct TerminalConnection {
    socket: WebSocketStream<TcpStream>,
    pub(crate) since: Instant,
    /// The last public view and seat view.
    public: Value,
    pub(crate) seat: Value,
}

#[derive(Debug)]
pub(crate) struct ConnectionLost;

impl TerminalConnection {
    /// Connects to a node, and answers its challenge.
    pub(crate) async fn open(device: &Device, address: SocketAddr) -> Result<Self, ConnectionLost> {
        timeout(MAX_SILENCE, Self::try_open(device, address)).await.map_err(|_| ConnectionLost)?
    }

    async fn try_open(device: &Device, address: SocketAddr) -> Result<Self, ConnectionLost> {
        let since = Instant::now();
        let stream = TcpStream::connect(address).await.map_err(|_| ConnectionLost)?;
        stream.set_nodelay(true).map_err(|_| ConnectionLost)?;
        let Device { table, cluster, .. } = device;
        let path = format!("ws://{address}/api/v1/tables/{table}/terminal?cluster={cluster}");
        let (socket, _) = client_async(path, stream).await.map_err(|_| ConnectionLost)?;
        let mut connection = Self { socket, since, public: Value::Null, seat: Value::Null };
        let challenge = connection.read_message().await?;
        let challenge = challenge["challenge"].as_str().unwrap_or_else(|| panic!("no challenge: {challenge}"));
        connection.send_json(&device.proof(&unhex(challenge))).await?;
        while connection.public.is_null() {
            connection.receive().await?;
        }
        Ok(connection)
    }

    async fn send_json(&mut self, message: &Value) -> Result<(), ConnectionLost> {
        self.socket.send(Message::text(message.to_string())).await.map_err(|_| ConnectionLost)
    }

    async fn read_message(&mut self) -> Result<Value, ConnectionLost> {
        loop {
            match timeout(MAX_SILENCE, self.socket.next()).await {
                Ok(Some(Ok(Message::Text(text)))) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                Ok(Some(Ok(_) | Err(_)) | None) | Err(_) => return Err(ConnectionLost),
            }
        }
    }

    /// Receives the next message and updates the views. It is safe to cancel.
    pub(crate) async fn receive(&mut self) -> Result<Value, ConnectionLost> {
        let message = self.read_message().await?;
        if let Some(snapshot) = message.get("snapshot") {
            (self.public, self.seat) = (snapshot["public"].clone(), snapshot["seat"].clone());
        }
        if let Some(changed) = message["public"].as_object() {
            let before = self.public["number"].as_u64();
            assert_eq!(before.map(|before| before + 1), changed["number"].as_u64(), "a gap: {message}");
            self.public.as_object_mut().unwrap().extend(changed.clone());
        }
        if message["seat"].is_object() {
            self.seat = message["seat"].clone();
        }
        Ok(message)
    }

    /// Whether the view says that bets are open.
    pub(crate) fn is_open(&self) -> bool {
        self.public["phase"] == "open" && self.public["is_held"] == false
    }

    /// Sends a command under a number, and waits for its reply.
    pub(crate) async fn ask(&mut self, sequence: u64, command: &Value) -> Result<Value, ConnectionLost> {
        self.send_json(&json!({"commands": [{"sequence": sequence, "command": command}]})).await?;
        let by = tokio::time::Instant::now() + REPLY_TIMEOUT;
        loop {
            let message = tokio::time::timeout_at(by, self.receive()).await.map_err(|_| ConnectionLost)??;
            let answers = message["answers"].as_array().into_iter().flatten();
            if let Some(answered) = answers.into_iter().find(|answered| answered["sequence"] == sequence) {
                return Ok(answered["answer"].clone());
            }
        }
    }
}

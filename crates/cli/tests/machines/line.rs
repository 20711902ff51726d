//! A Player Terminal's connection as one of many: what it is shown and answered, and when it has lost the house.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::terminal::{Device, unhex};

/// A quiet house says the time each second: who hears nothing for so long has lost it.
const SILENCE: Duration = Duration::from_secs(4);

/// A house that speaks and does not answer for so long is lost too.
const ANSWERED: Duration = Duration::from_secs(15);

/// A connection.
pub(crate) struct Line {
    socket: WebSocketStream<TcpStream>,
    /// When it was opened.
    pub(crate) since: Instant,
    /// The table and the seat as it was last shown them.
    public: Value,
    pub(crate) seat: Value,
}

/// The house is lost: there is no connection any more.
#[derive(Debug)]
pub(crate) struct Lost;

impl Line {
    /// Connects at a machine, and proves itself.
    pub(crate) async fn open(device: &Device, address: SocketAddr) -> Result<Self, Lost> {
        timeout(SILENCE, Self::knock(device, address)).await.map_err(|_| Lost)?
    }

    async fn knock(device: &Device, address: SocketAddr) -> Result<Self, Lost> {
        let since = Instant::now();
        let stream = TcpStream::connect(address).await.map_err(|_| Lost)?;
        stream.set_nodelay(true).map_err(|_| Lost)?;
        let Device { table, cluster, .. } = device;
        let path = format!("ws://{address}/api/v1/tables/{table}/terminal?cluster={cluster}");
        let (socket, _) = client_async(path, stream).await.map_err(|_| Lost)?;
        let mut line = Self { socket, since, public: Value::Null, seat: Value::Null };
        let challenge = line.hear().await?;
        let challenge = challenge["challenge"].as_str().unwrap_or_else(|| panic!("no challenge: {challenge}"));
        line.say(&device.proof(&unhex(challenge))).await?;
        while line.public.is_null() {
            line.heard().await?;
        }
        Ok(line)
    }

    async fn say(&mut self, message: &Value) -> Result<(), Lost> {
        self.socket.send(Message::text(message.to_string())).await.map_err(|_| Lost)
    }

    async fn hear(&mut self) -> Result<Value, Lost> {
        loop {
            match timeout(SILENCE, self.socket.next()).await {
                Ok(Some(Ok(Message::Text(text)))) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Some(Ok(Message::Ping(_) | Message::Pong(_)))) => {}
                Ok(Some(Ok(_) | Err(_)) | None) | Err(_) => return Err(Lost),
            }
        }
    }

    /// Hears the next message and takes in what it shows. It can be left and begun again.
    pub(crate) async fn heard(&mut self) -> Result<Value, Lost> {
        let message = self.hear().await?;
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

    /// Whether bets are taken, as far as is shown.
    pub(crate) fn is_open(&self) -> bool {
        self.public["phase"] == "open" && self.public["is_held"] == false
    }

    /// Sends a command under a number, and waits for its answer.
    pub(crate) async fn ask(&mut self, sequence: u64, command: &Value) -> Result<Value, Lost> {
        self.say(&json!({"commands": [{"sequence": sequence, "command": command}]})).await?;
        let by = tokio::time::Instant::now() + ANSWERED;
        loop {
            let message = tokio::time::timeout_at(by, self.heard()).await.map_err(|_| Lost)??;
            let answers = message["answers"].as_array().into_iter().flatten();
            if let Some(answered) = answers.into_iter().find(|answered| answered["sequence"] == sequence) {
                return Ok(answered["answer"].clone());
            }
        }
    }
}

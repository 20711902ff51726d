//! The WebSocket of a screen. A thread reads it and answers pings, so that the screen stays connected while the test does
//! something else.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Instant;

use serde_json::Value;
use taisai_journal::suite::HANG_LIMIT;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderName;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Error, HandshakeError, Message, WebSocket, client};

use crate::schema::Description;

#[derive(Debug)]
pub(crate) enum ReceivedFrame {
    /// A message.
    Json(Value),
    /// The connection was closed, with the code and reason that the server gave.
    Closed(Option<(u16, String)>),
}

/// A connection with two writers that take turns: the thread that answers pings, and the test.
struct Stream {
    stream: TcpStream,
    writing: Arc<Mutex<()>>,
}

impl Stream {
    fn another(&self) -> Self {
        Self { stream: self.stream.try_clone().unwrap(), writing: Arc::clone(&self.writing) }
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _turn = self.writing.lock().unwrap();
        self.stream.write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

pub(crate) struct Socket {
    writing: WebSocket<Stream>,
    received: mpsc::Receiver<ReceivedFrame>,
    is_mute: Arc<AtomicBool>,
    /// The schema of every message received here.
    form: &'static str,
}

impl Socket {
    /// Connects, or returns the HTTP status of the refusal.
    pub(crate) fn try_open(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Result<Self, u16> {
        match Self::handshake(address, path, headers) {
            Ok(socket) => Ok(socket),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Connects, or returns the error.
    pub(crate) fn connect(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Result<Self, String> {
        Self::handshake(address, path, headers).map_err(|error| error.to_string())
    }

    fn handshake(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Result<Self, Error> {
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let stream = Stream { stream, writing: Arc::default() };
        let other = stream.another();
        let reading = match client(request, stream) {
            Ok((reading, _)) => reading,
            Err(HandshakeError::Failure(error)) => return Err(error),
            Err(HandshakeError::Interrupted(_)) => unreachable!("the stream blocks"),
        };
        let (sender, received) = mpsc::channel();
        let is_mute = Arc::new(AtomicBool::new(false));
        let mute = Arc::clone(&is_mute);
        let read = move || read(reading, &sender, &mute);
        thread::Builder::new().stack_size(256 * 1024).spawn(read).unwrap();
        let writing = WebSocket::from_raw_socket(other, Role::Client, None);
        Ok(Self { writing, received, is_mute, form: form(path) })
    }

    pub(crate) fn open(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Self {
        Self::try_open(address, path, headers).unwrap_or_else(|status| panic!("{path}: {status}"))
    }

    pub(crate) fn send_json(&mut self, message: &Value) {
        self.send(Message::text(message.to_string()));
    }

    /// Sends raw text. A closed connection ignores it.
    pub(crate) fn send(&mut self, message: Message) {
        self.writing.send(message).unwrap_or_default();
    }

    /// Sends raw bytes below the protocol.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.writing.get_mut().write_all(bytes).unwrap_or_default();
    }

    /// The next frame. Every message matches the API description.
    #[track_caller]
    pub(crate) fn receive(&self) -> ReceivedFrame {
        self.receive_by(Instant::now() + HANG_LIMIT)
    }

    /// The same with a deadline for the whole wait: an idle server sends heartbeats, so no single frame would time out.
    #[track_caller]
    fn receive_by(&self, by: Instant) -> ReceivedFrame {
        let received = self.received.recv_timeout(by.saturating_duration_since(Instant::now()));
        let received = received.unwrap_or_else(|why| panic!("nothing is received: {why}"));
        if let ReceivedFrame::Json(message) = &received {
            let description = Description::committed();
            let fits = description.check(description.form(self.form), message);
            fits.unwrap_or_else(|fault| panic!("{} {message}: {fault}", self.form));
        }
        received
    }

    /// The next message.
    #[track_caller]
    pub(crate) fn next(&self) -> Value {
        match self.receive() {
            ReceivedFrame::Json(message) => message,
            other @ ReceivedFrame::Closed(_) => panic!("no message but {other:?}"),
        }
    }

    /// The next message, or the close frame.
    #[track_caller]
    pub(crate) fn next_if_any(&self) -> Result<Value, String> {
        match self.receive() {
            ReceivedFrame::Json(message) => Ok(message),
            ReceivedFrame::Closed(why) => Err(format!("the connection is over: {why:?}")),
        }
    }

    /// Reads on until a message has what is looked for.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, mut find: impl FnMut(&Value) -> Option<T>) -> T {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            assert!(Instant::now() < by, "{what} is not received");
            match self.receive_by(by) {
                ReceivedFrame::Json(message) => {
                    if let Some(found) = find(&message) {
                        return found;
                    }
                }
                other @ ReceivedFrame::Closed(_) => panic!("{what} is not received, but {other:?}"),
            }
        }
    }

    /// Waits until the connection is closed.
    #[track_caller]
    pub(crate) fn over(&self) -> Option<(u16, String)> {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            assert!(Instant::now() < by, "it is not over");
            match self.receive_by(by) {
                ReceivedFrame::Json(_) => {}
                ReceivedFrame::Closed(why) => return why,
            }
        }
    }

    /// Stops reading and answering pings, as if the cable were cut.
    pub(crate) fn vanish(&self) {
        self.is_mute.store(true, Ordering::SeqCst);
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // The other end may have closed it.
        self.writing.get_ref().stream.shutdown(Shutdown::Both).unwrap_or_default();
    }
}

fn form(path: &str) -> &'static str {
    let screen = path.split('?').next().unwrap().rsplit('/').next().unwrap();
    match screen {
        "terminal" => "TerminalReceives",
        "acceptor" => "AcceptorReceives",
        "chip-reader" => "ReaderReceives",
        "console" => "ConsoleReceives",
        "display" => "DisplayReceives",
        "pit" | "cage" | "audit" => "HouseScreenReceives",
        other => panic!("what is a {other}?"),
    }
}

fn read(mut reading: WebSocket<Stream>, sender: &mpsc::Sender<ReceivedFrame>, is_mute: &AtomicBool) {
    let mut close_reason = None;
    loop {
        let received = match reading.read() {
            _ if is_mute.load(Ordering::SeqCst) => return,
            Ok(Message::Text(text)) => ReceivedFrame::Json(serde_json::from_str(&text).unwrap()),
            Ok(Message::Close(frame)) => {
                close_reason = frame.map(|frame| (frame.code.into(), frame.reason.to_string()));
                continue;
            }
            Ok(_) => continue,
            Err(_) => ReceivedFrame::Closed(close_reason.take()),
        };
        let is_over = matches!(received, ReceivedFrame::Closed(_));
        if sender.send(received).is_err() || is_over {
            return;
        }
    }
}

//! A Player Terminal: a device with its own key, and its connection, whose command numbers rise.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use taisai_journal::suite::HANG_LIMIT;

use crate::person::post;
use crate::socket::{ReceivedFrame, Socket};

/// An enrolled device.
#[derive(Clone)]
pub(crate) struct Device {
    pub(crate) number: u32,
    pub(crate) table: u16,
    pub(crate) cluster: u16,
    pub(crate) seat: u32,
    house: [u8; 16],
    key: SigningKey,
    /// The number of its last command, kept as long as its key.
    pub(crate) sequence: Arc<AtomicU64>,
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.as_bytes()).unwrap()
}

impl Device {
    /// Enrols with a printed code.
    pub(crate) fn enrol(address: SocketAddr, table: u16, seat: u32, code: &str) -> Self {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).unwrap();
        let key = SigningKey::from_bytes(&secret);
        let body = json!({"code": code, "public_key": HEXLOWER.encode(key.verifying_key().as_bytes())});
        let (status, reply) = post(address, None, "/api/v1/devices/enrol", &body);
        assert_eq!(status, 200, "{reply}");
        let number = u32::try_from(reply["device"].as_u64().unwrap()).unwrap();
        let house = unhex(reply["house"].as_str().unwrap()).try_into().unwrap();
        Self { number, table, cluster: 0, seat, house, key, sequence: Arc::default() }
    }

    /// The proof that this device was given a challenge.
    pub(crate) fn proof(&self, challenge: &[u8]) -> Value {
        let signed = [b"taisai device\0", &self.house[..], &self.number.to_le_bytes(), challenge].concat();
        json!({"device": self.number, "signature": HEXLOWER.encode(&self.key.sign(&signed).to_bytes())})
    }

    /// The connection before the device has proved itself, with the challenge.
    pub(crate) fn knock(&self, address: SocketAddr) -> (Socket, Vec<u8>) {
        let socket = Socket::open(address, &self.path(), &[]);
        let challenge = socket.next();
        (socket, unhex(challenge["challenge"].as_str().unwrap()))
    }

    /// Connects and proves itself. A server that timed out on a busy machine is tried again.
    pub(crate) fn connect(&self, address: SocketAddr) -> Terminal {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            match self.try_connect(address) {
                Ok(terminal) => return terminal,
                Err(why) => assert!(Instant::now() < by, "terminal {}: {why}", self.number),
            }
        }
    }

    /// Connects and proves itself, or says why the connection was over before that.
    pub(crate) fn try_connect(&self, address: SocketAddr) -> Result<Terminal, String> {
        let mut socket = Socket::connect(address, &self.path(), &[])?;
        let challenge = socket.next_if_any()?;
        socket.send_json(&self.proof(&unhex(challenge["challenge"].as_str().unwrap())));
        let snapshot = loop {
            if let Some(snapshot) = socket.next_if_any()?.get("snapshot") {
                break snapshot.clone();
            }
        };
        let (public, view) = (snapshot["public"].clone(), snapshot["seat"].clone());
        Ok(Terminal { device: self.clone(), socket, public, view, answers: BTreeMap::new(), over: None })
    }

    fn path(&self) -> String {
        format!("/api/v1/tables/{}/terminal?cluster={}", self.table, self.cluster)
    }
}

pub(crate) struct Terminal {
    pub(crate) device: Device,
    pub(crate) socket: Socket,
    /// The last public view and seat view.
    pub(crate) public: Value,
    pub(crate) view: Value,
    /// Replies that nobody has waited for yet, by command number.
    answers: BTreeMap<u64, Value>,
    /// Why the connection was closed, once it is.
    pub(crate) over: Option<(u16, String)>,
}

/// The reply to a numbered command.
#[derive(serde::Deserialize)]
struct TerminalReply {
    sequence: u64,
    answer: Value,
}

/// A command that places stakes at a seat.
pub(crate) fn place(seat: u32, stakes: &[(&str, i64)]) -> Value {
    let stakes: Vec<_> = stakes.iter().map(|(name, amount)| json!({"box": name, "amount": amount})).collect();
    json!({"place": {"seat": seat, "chips": "own", "stakes": stakes}})
}

impl Terminal {
    /// Sends a command under the next number, and returns that.
    pub(crate) fn send(&mut self, command: &Value) -> u64 {
        let sequence = self.device.sequence.fetch_add(1, Ordering::Relaxed) + 1;
        self.send_as(sequence, command);
        sequence
    }

    /// Sends a command under a given number.
    pub(crate) fn send_as(&mut self, sequence: u64, command: &Value) {
        self.socket.send_json(&json!({"commands": [{"sequence": sequence, "command": command}]}));
    }

    /// Takes views and replies from a message.
    fn take_in(&mut self, message: &Value) {
        if let Some(changed) = message["public"].as_object() {
            let (before, number) = (self.public["number"].as_u64(), message["public"]["number"].as_u64());
            assert_eq!(before.map(|before| before + 1), number, "a gap: {message}");
            self.public.as_object_mut().unwrap().extend(changed.clone());
        }
        if message["seat"].is_object() {
            self.view = message["seat"].clone();
        }
        for TerminalReply { sequence, answer } in
            serde_json::from_value(message["answers"].clone()).unwrap_or(Vec::new())
        {
            self.answers.insert(sequence, answer);
        }
    }

    /// Waits for the reply to the command of that number.
    #[track_caller]
    pub(crate) fn answer(&mut self, sequence: u64) -> Value {
        self.try_answer(sequence).unwrap_or_else(|| panic!("no answer to {sequence}"))
    }

    /// Waits for the reply to the command of that number; none if the connection is closed first.
    pub(crate) fn try_answer(&mut self, sequence: u64) -> Option<Value> {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            assert!(Instant::now() < by, "no answer to {sequence}");
            if let Some(answer) = self.answers.remove(&sequence) {
                return Some(answer);
            }
            match self.socket.receive() {
                ReceivedFrame::Json(message) => self.take_in(&message),
                ReceivedFrame::Closed(why) => {
                    self.over = why;
                    return None;
                }
            }
        }
    }

    /// Sends a command and waits for its reply.
    #[track_caller]
    pub(crate) fn ask(&mut self, command: &Value) -> Value {
        let sequence = self.send(command);
        self.answer(sequence)
    }

    /// Places stakes at its own seat.
    #[track_caller]
    pub(crate) fn place(&mut self, stakes: &[(&str, i64)]) -> Value {
        self.ask(&place(self.device.seat, stakes))
    }

    /// Reads on until the views satisfy a condition.
    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        assert!(self.is_shown(is_so), "{what} is not shown, but {:?}: {} {}", self.over, self.public, self.view);
    }

    /// Reads on until the views satisfy a condition; `false` if the connection is closed first.
    pub(crate) fn is_shown(&mut self, is_so: impl Fn(&Self) -> bool) -> bool {
        let by = Instant::now() + HANG_LIMIT;
        while !is_so(self) {
            assert!(Instant::now() < by, "it is not shown: {} {}", self.public, self.view);
            match self.socket.receive() {
                ReceivedFrame::Json(message) => self.take_in(&message),
                ReceivedFrame::Closed(why) => {
                    self.over = why;
                    return false;
                }
            }
        }
        true
    }
}

//! A signed-in person, with a cookie and rising command numbers.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::socket::Socket;

/// A signed-in person. Clones share the sign-in.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) address: SocketAddr,
    pub(crate) id: u32,
    pub(crate) cookie: String,
    pub(crate) source: u64,
    sequence: Arc<AtomicU64>,
}

/// An HTTP client that treats every status as a reply.
pub(crate) fn agent() -> &'static ureq::Agent {
    static AGENT: OnceLock<ureq::Agent> = OnceLock::new();
    AGENT.get_or_init(|| ureq::Agent::config_builder().http_status_as_error(false).build().into())
}

/// Posts with or without a cookie. A body that is not JSON becomes null.
pub(crate) fn post(address: SocketAddr, cookie: Option<&str>, path: &str, body: &Value) -> (u16, Value) {
    try_post(agent(), address, cookie, path, body).unwrap()
}

/// Posts to a server that may be gone.
pub(crate) fn try_post(
    agent: &ureq::Agent,
    address: SocketAddr,
    cookie: Option<&str>,
    path: &str,
    body: &Value,
) -> Result<(u16, Value), ureq::Error> {
    let mut request = agent.post(format!("http://{address}{path}"));
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    let mut answer = request.send_json(body)?;
    let text = answer.body_mut().read_to_string()?;
    Ok((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::Null)))
}

impl Person {
    pub(crate) fn sign_in(address: SocketAddr, id: u32, password: &str) -> Self {
        Self::try_sign_in(address, id, password).unwrap_or_else(|(status, reply)| panic!("{id} {status} {reply}"))
    }

    /// Signs in, or returns why not.
    pub(crate) fn try_sign_in(address: SocketAddr, id: u32, password: &str) -> Result<Self, (u16, Value)> {
        Self::sign_in_by(agent(), address, id, password).unwrap()
    }

    /// Signs in at a server that may be gone.
    pub(crate) fn sign_in_by(
        agent: &ureq::Agent,
        address: SocketAddr,
        id: u32,
        password: &str,
    ) -> Result<Result<Self, (u16, Value)>, ureq::Error> {
        let request = agent.post(format!("http://{address}/api/v1/sign-in"));
        let mut answer = request.send_json(json!({"person": id, "password": password}))?;
        let cookie = answer.headers().get("set-cookie").map(|cookie| cookie.to_str().unwrap().to_owned());
        let reply: Value = answer.body_mut().read_json().unwrap_or(Value::Null);
        let Some(cookie) = cookie else { return Ok(Err((answer.status().as_u16(), reply))) };
        for word in ["__Host-taisai=", "HttpOnly", "Secure", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(word), "{cookie}");
        }
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let source = reply["source"].as_u64().unwrap_or_else(|| panic!("no source: {reply}"));
        Ok(Ok(Self { address, id, cookie, source, sequence: Arc::default() }))
    }

    /// The same sign-in after a restart of the server.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    /// Replaces the one-time password.
    pub(crate) fn set_password(&self, old: &str, new: &str) {
        let (status, reply) = self.post("/api/v1/password", &json!({"old": old, "new": new}));
        assert!(status < 300, "{status} {reply}");
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        let request = agent().get(format!("http://{}{path}", self.address)).header("cookie", &self.cookie);
        let mut answer = request.call().unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        post(self.address, Some(&self.cookie), path, body)
    }

    /// Posts without reading the reply. The request stays open while the stream is held.
    pub(crate) fn post_unread(&self, path: &str, body: &Value) -> TcpStream {
        let (address, cookie, body) = (self.address, &self.cookie, body.to_string());
        let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n");
        let kind = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(format!("{head}{kind}\r\n{body}").as_bytes()).unwrap();
        stream
    }

    /// Posts raw bytes.
    pub(crate) fn post_raw(&self, path: &str, body: &[u8], kind: &str) -> (u16, Value) {
        let request = agent().post(format!("http://{}{path}", self.address)).header("cookie", &self.cookie);
        let mut answer = request.header("content-type", kind).send(body).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The next command number.
    pub(crate) fn next(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sends a command to a round.
    pub(crate) fn round(&self, table: u16, command: impl Into<Value>) -> Value {
        self.table(table, None, &json!({"round": command.into()}))
    }

    /// Sends a command to a cluster.
    pub(crate) fn cluster(&self, table: u16, command: impl Into<Value>) -> Value {
        self.table(table, None, &json!({"cluster": {"number": 0, "command": command.into()}}))
    }

    /// Sends a command to a table, with an approval if there is one.
    pub(crate) fn table(&self, table: u16, approval: Option<u64>, command: &Value) -> Value {
        self.command(&format!("/api/v1/tables/{table}/commands"), approval, command)
    }

    /// Sends a command to the House.
    pub(crate) fn house(&self, command: impl Into<Value>) -> Value {
        self.command("/api/v1/house/commands", None, &command.into())
    }

    /// Sends a command with an approval to the House.
    pub(crate) fn house_with(&self, approval: u64, command: impl Into<Value>) -> Value {
        self.command("/api/v1/house/commands", Some(approval), &command.into())
    }

    fn command(&self, path: &str, approval: Option<u64>, command: &Value) -> Value {
        let (source, sequence) = (self.source, self.next());
        let mut body = json!({"source": source, "sequence": sequence, "command": command});
        if let Some(approval) = approval {
            body["approval"] = approval.into();
        }
        self.post(path, &body).1
    }

    /// Has another person approve an act given as JSON, and returns the approval's number.
    #[track_caller]
    pub(crate) fn approved_by(&self, other: &Self, act: &str, what: &Value) -> u64 {
        let approval = self.asks_approval(act, what);
        accepted(&other.house(json!({"answer-approval": {"approval": approval, "approve": true}})));
        approval
    }

    /// Requests an approval.
    #[track_caller]
    pub(crate) fn asks_approval(&self, act: &str, what: &Value) -> u64 {
        let reply = self.house(json!({"request-approval": {"act": act, "what": what.to_string()}}));
        let approval = reply["accepted"]["approval-requested"]["approval"].as_u64();
        approval.unwrap_or_else(|| panic!("{reply}"))
    }

    /// Sends a command to the House that another person approves first.
    #[track_caller]
    pub(crate) fn house_with_second(&self, other: &Self, act: &str, command: &Value) -> Value {
        let approval = self.approved_by(other, act, &json!({"house": command}));
        self.house_with(approval, command.clone())
    }

    /// The console of a table.
    pub(crate) fn console(&self, table: u16) -> Socket {
        Socket::open(self.address, &format!("/api/v1/tables/{table}/console"), &[("cookie", &self.cookie)])
    }
}

/// Expects an accepted command.
#[track_caller]
pub(crate) fn accepted(answer: &Value) {
    assert!(answer.get("accepted").is_some(), "{answer}");
}

/// Expects a refusal for this reason.
#[track_caller]
pub(crate) fn refused(answer: &Value, code: &str) {
    assert_eq!(answer["refused"]["code"], code, "{answer}");
    assert!(answer["refused"]["sentence"].is_string() && answer["refused"]["paragraphs"].is_array(), "{answer}");
}

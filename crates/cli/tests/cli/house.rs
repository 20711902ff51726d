//! Setting up, running, backing up and configuring a casino.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use taisai_journal::suite::{Spawned, wait_until};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::common::taisai;

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn config_check_prints_every_fault_with_its_line() {
    let golden = files().join("tests/config/faults.txt");
    let (status, printed, error) = taisai(&files(), &["config", "check", "tests/config/faults.toml"]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &printed).expect("a golden file");
    }
    assert_eq!((status, error.as_str()), (Some(1), ""));
    assert_eq!(printed, std::fs::read_to_string(golden).expect("a golden file; BLESS=1 writes it"));
    let (status, printed, _) = taisai(&files(), &["config", "check", "--json", "tests/config/faults.toml"]);
    let json: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(status, Some(1));
    assert!(json[0]["faults"].as_array().is_some_and(|faults| faults.len() > 15), "{json}");
    let (status, printed, _) = taisai(&files(), &["config", "check", "deploy/taisai.toml"]);
    assert_eq!(status, Some(0), "{printed}");
    let expected = "ok     deploy/taisai.toml: Tai Sai, profile singapore; table 1 sic-bo-etg@2 layout B, 8 terminals; \
                    table 2 tai-sai@6 layout C, 14 seats\n";
    assert_eq!(printed, expected);
}

/// A running server, stopped on drop.
struct RunningServer {
    child: Spawned,
    printed: Vec<String>,
}

impl RunningServer {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(args).current_dir(folder);
        let mut child = Spawned::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let mut lines = child.lines();
        let mut server = Self { child, printed: Vec::new() };
        while server.printed.last().is_none_or(|line| !line.contains("the front page")) {
            server.printed.push(lines.next().expect("another line"));
        }
        std::thread::spawn(move || lines.for_each(drop));
        server
    }

    /// The address that the server prints.
    fn url(&self) -> String {
        let address = |line: &String| Some(line.trim().strip_suffix("/api/docs")?.to_owned());
        let lines = self.printed.iter().filter_map(|line| line.split("  ").find(|part| part.contains("/api/docs")));
        lines.map(str::to_owned).find_map(|line| address(&line)).expect("an address")
    }

    /// The one-time password of a person, which the server prints.
    fn password(&self, person: &str) -> String {
        let line = self.printed.iter().find(|line| line.split_whitespace().next() == Some(person)).expect("the person");
        line.split_whitespace().last().expect("a password").to_owned()
    }

    /// Sends a signal and waits; gives the exit status and the log.
    fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        self.child.signal(signal);
        let mut log = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut log).expect("text");
        (self.child.wait().expect("it ends").code(), log)
    }
}

#[test]
fn backup_of_a_running_server_verifies() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = RunningServer::start(folder.path(), &["--demo", "--round", "40", "--data", "demo"]);
    assert!(server.printed.iter().any(|line| line.contains("TRAINING")), "{:?}", server.printed);
    let (status, printed, error) = taisai(folder.path(), &["backup", "demo", "copy", "--with-secrets"]);
    assert_eq!(status, Some(0), "{printed}{error}");
    let (status, _, error) = taisai(folder.path(), &["backup", "demo", "copy"]);
    assert_eq!(status, Some(2));
    assert!(error.contains("copy exists already"), "{error}");
    let (status, log) = server.stop("TERM");
    assert_eq!(status, Some(0), "{log}");
    for line in log.lines() {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
    assert!(log.contains("the server has stopped"), "{log}");
    let copied = |name: &str| folder.path().join("copy").join(name).exists();
    assert_eq!(["journal.db", "secrets.db", "house.key"].map(copied), [true, true, false], "keys are never copied");
    std::fs::copy(folder.path().join("demo/house.key"), folder.path().join("copy/house.key")).expect("a copy");
    for store in ["demo", "copy"] {
        let (status, printed, error) = taisai(folder.path(), &["audit", "verify", store, "--json"]);
        assert_eq!(status, Some(0), "{store}: {printed}{error}");
    }
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("a file").file_name()).collect();
    assert_eq!(names.len(), 2, "nothing half-made is left: {names:?}");
    // A copy of a casino can be run.
    let server = RunningServer::start(folder.path(), &["--demo", "--round", "40", "--data", "copy"]);
    assert_eq!(server.stop("INT").0, Some(0));
}

#[test]
fn copy_that_does_not_verify_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = RunningServer::start(folder.path(), &["--demo", "--round", "10", "--data", "demo"]);
    assert_eq!(server.stop("TERM").0, Some(0));
    let store = rusqlite::Connection::open(folder.path().join("demo/journal.db")).expect("a database");
    let changed = store
        .execute("UPDATE blocks SET block = zeroblob(length(block)) WHERE position = 1", [])
        .expect("a block is changed");
    assert!(changed > 0);
    drop(store);
    let (status, printed, error) = taisai(folder.path(), &["backup", "demo", "copy"]);
    assert_eq!(status, Some(2), "{printed}{error}");
    assert!(printed.contains("found") && error.contains("does not verify"), "{printed}{error}");
    assert!(!folder.path().join("copy").exists());
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn commands_that_cannot_run_exit_with_status_2() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("file"), "").expect("a file");
    std::fs::copy(files().join("tests/config/faults.toml"), folder.path().join("bad.toml")).expect("a copy");
    for (args, expected) in [
        (&["serve", "--config", "bad.toml"][..], "bad.toml has faults"),
        (&["serve", "--config", "none.toml"], "cannot read none.toml"),
        (&["serve", "--listen", "0.0.0.0:8080"], "0.0.0.0:8080 is reached from other machines"),
        (&["serve", "--data", "file"], "file"),
        (&["serve", "--store", "postgres://127.0.0.1:1/none"], "127.0.0.1"),
        (&["backup", "postgres://127.0.0.1:1/none", "copy"], "pg_basebackup"),
        (&["backup", "none", "copy"], "there is no record in none"),
    ] {
        let (status, _, error) = taisai(folder.path(), args);
        assert_eq!(status, Some(2), "{args:?}: {error}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}

/// A server with prepared replies, which stores the requests.
struct StubServer {
    url: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl StubServer {
    fn start(replies: Vec<(u16, Value)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (received, mut replies) = (Arc::clone(&requests), VecDeque::from(replies));
        std::thread::spawn(move || {
            while let Some((status, reply)) = replies.pop_front() {
                let (stream, _) = listener.accept().expect("a connection");
                let request = read_request(&stream);
                received.lock().expect("nobody has stopped").push(request);
                let body = reply.to_string();
                write!(
                    &stream,
                    "HTTP/1.1 {status} Reply\r\nSet-Cookie: __Host-taisai=token; Path=/\r\nConnection: close\r\n\
                     Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                )
                .expect("an answer");
            }
        });
        Self { url, requests }
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().expect("nobody has stopped").clone()
    }
}

/// The first line of a request with its cookie, and its body.
fn read_request(stream: &TcpStream) -> (String, Value) {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    while lines.last().is_none_or(|line: &String| !line.trim().is_empty()) {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).expect("a line") > 0);
        lines.push(line);
    }
    let of =
        |name: &str| lines.iter().find_map(|line| line.to_lowercase().strip_prefix(name).map(|v| v.trim().to_owned()));
    let length = of("content-length:").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let line = lines[0].trim().trim_end_matches(" HTTP/1.1").to_owned();
    (format!("{line} {}", of("cookie:").unwrap_or_default()), serde_json::from_slice(&body).unwrap_or_default())
}

fn apply(folder: &Path, url: &str, file: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.args(["config", "apply", file, "--server", url, "--person", "10", "--why", "as agreed"]);
    let output = command.current_dir(folder).env("TAISAI_PASSWORD", "secret").stdin(Stdio::null()).output();
    let output = output.expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const FILE: &str = "[house]\nname = \"New\"\n[[table]]\nnumber = 1\nname = \"One\"\ngame = \"tai-sai\"\nlayout = \"C\"\nseats = 7\n\
                    limits = { unit = 100, rest = { min = 100, max = 100_000 }, differential = 50_000 }\n";

fn recorded() -> Value {
    json!({
        "name": "Old", "is_training": false, "profile": "singapore", "configuration": {}, "waiting": [],
        "tables": [{
            "table": 1, "name": "One", "game": "tai-sai@6", "layout": "C", "seats": [7], "is_training": false,
            "phase": "open", "limits": null, "proposed": {"unit": 100, "boxes": [], "rest": {"min": 100, "max": 100_000}, "differential": 50_000},
        }],
    })
}

fn refused(code: &str) -> Value {
    json!({"refused": {"code": code, "paragraphs": [], "sentence": "No."}})
}

#[test]
fn config_apply_waits_for_approval_and_the_end_of_a_round() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("new.toml"), FILE).expect("a file");
    let stub = StubServer::start(vec![
        (200, json!({"person": 10, "source": 77, "password_to_be_set": false})),
        (200, recorded()),
        (200, refused("second-person-missing")),
        (200, json!({"accepted": {"approval-requested": {"approval": 5}}})),
        (200, json!({"answer": "waiting"})),
        (200, json!({"answer": {"approved": 3}})),
        (200, json!({"accepted": {"done": null}})),
        (200, refused("round-in-play")),
        (200, json!({"accepted": null})),
        (204, json!(null)),
    ]);
    let (status, printed, error) = apply(folder.path(), &stub.url, "new.toml");
    assert_eq!(status, Some(0), "{printed}{error}");
    assert!(printed.contains("done    name of the casino: \"Old\" becomes \"New\""), "{printed}");
    let requests = stub.requests();
    let configure = json!({"configure": {"key": "house.name", "value": "New", "why": "as agreed", "second": null}});
    let what = json!({"house": configure});
    let show = json!({"limits": {"unit": 100, "boxes": [], "rest": {"min": 100, "max": 100_000}, "differential": 50_000}, "why": "as agreed"});
    let show = json!({"round": {"show-limits": show}});
    let expected = [
        ("POST /api/v1/sign-in ", json!({"person": 10, "password": "secret"})),
        ("GET /api/v1/house/configuration __host-taisai=token", Value::Null),
        ("POST /api/v1/house/commands __host-taisai=token", json!({"source": 77, "sequence": 1, "command": configure})),
        (
            "POST /api/v1/house/commands __host-taisai=token",
            json!({"source": 77, "sequence": 2, "command": {"request-approval": {"act": "configure", "what": what.to_string()}}}),
        ),
        ("GET /api/v1/house/approvals/5 __host-taisai=token", Value::Null),
        ("GET /api/v1/house/approvals/5 __host-taisai=token", Value::Null),
        (
            "POST /api/v1/house/commands __host-taisai=token",
            json!({"source": 77, "sequence": 3, "approval": 5, "command": configure}),
        ),
        ("POST /api/v1/tables/1/commands __host-taisai=token", json!({"source": 77, "sequence": 4, "command": show})),
        ("POST /api/v1/tables/1/commands __host-taisai=token", json!({"source": 77, "sequence": 5, "command": show})),
        ("POST /api/v1/sign-out __host-taisai=token", json!({})),
    ];
    for (request, (line, body)) in requests.iter().zip(&expected) {
        let mut request = request.clone();
        // The order of keys in an approval does not matter.
        if let Some(what) = request.1.pointer_mut("/command/request-approval/what") {
            let detail: Value = serde_json::from_str(what.as_str().expect("text")).expect("JSON");
            *what = detail.to_string().into();
        }
        assert_eq!((request.0.as_str(), &request.1), (*line, body));
    }
    assert_eq!(requests.len(), expected.len());
}

#[test]
fn refusals_of_the_server_are_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("new.toml"), FILE).expect("a file");
    let me = || (200, json!({"person": 10, "source": 77, "password_to_be_set": false}));
    let mut same = recorded();
    same["name"] = "New".into();
    same["tables"][0]["limits"] =
        json!({"unit": 100, "boxes": [], "rest": {"min": 100, "max": 100_000}, "differential": 50_000});
    let mut fixed = same.clone();
    fixed["tables"][0]["layout"] = "A".into();
    for (answers, status, expected) in [
        (vec![(401, refused("wrong-password"))], 2, "error: No."),
        (vec![(200, json!({"source": 1, "password_to_be_set": true}))], 2, "set a password of your own first"),
        (vec![me(), (200, recorded()), (200, refused("not-allowed"))], 2, "the rest of the file was not applied"),
        (vec![me(), (200, same), (204, json!(null))], 0, "the file and the record agree"),
        (vec![me(), (200, fixed), (204, json!(null))], 1, "none of this can be changed"),
    ] {
        let stub = StubServer::start(answers);
        let (found, printed, error) = apply(folder.path(), &stub.url, "new.toml");
        assert_eq!(found, Some(status), "{printed}{error}");
        assert!(printed.contains(expected) || error.contains(expected), "{printed}{error}");
    }
    let (status, _, error) = apply(folder.path(), "http://127.0.0.1:1", "new.toml");
    assert_eq!(status, Some(2));
    assert!(error.contains("does not answer"), "{error}");
}

/// A person signed in at a running server.
struct SignedInPerson {
    agent: ureq::Agent,
    url: String,
    cookie: String,
    source: u64,
    sequence: u64,
}

impl SignedInPerson {
    /// Signs in for the first time, and sets a password.
    fn begin(server: &RunningServer, person: u32, password: &str) -> Self {
        let mut one = Self::new(server, TlsConfig::default());
        let first = server.password(&person.to_string());
        one.set_password(person, &first, password);
        one
    }

    fn set_password(&mut self, person: u32, first: &str, password: &str) {
        let me = self.post("sign-in", &json!({"person": person, "password": first}));
        self.source = me["source"].as_u64().unwrap_or_else(|| panic!("{me}"));
        let me = self.post("password", &json!({"old": first, "new": password}));
        assert_eq!(me["password_to_be_set"], false, "{me}");
    }

    fn new(server: &RunningServer, tls: TlsConfig) -> Self {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).tls_config(tls).build().new_agent();
        Self { agent, url: server.url(), cookie: String::new(), source: 0, sequence: 0 }
    }

    fn post(&mut self, path: &str, body: &Value) -> Value {
        let address = format!("{}/api/v1/{path}", self.url);
        let request = self.agent.post(&address).header("Origin", &self.url).header("Cookie", &self.cookie);
        let mut answer = request.send_json(body).expect("an answer");
        if let Some(cookie) = answer.headers().get("set-cookie") {
            let cookie = cookie.to_str().expect("text");
            cookie.split(';').next().expect("a cookie").clone_into(&mut self.cookie);
        }
        answer.body_mut().read_json().expect("JSON")
    }

    fn get(&self, path: &str) -> Value {
        let address = format!("{}/api/v1/{path}", self.url);
        let mut answer = self.agent.get(&address).header("Cookie", &self.cookie).call().expect("an answer");
        answer.body_mut().read_json().expect("JSON")
    }

    fn ask(&mut self, command: &Value) -> Value {
        self.sequence += 1;
        self.post("house/commands", &json!({"source": self.source, "sequence": self.sequence, "command": command}))
    }
}

fn apply_as(folder: &Path, url: &str, person: &str, password: &str) -> Spawned {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.args(["config", "apply", "house.toml", "--server", url, "--person", person, "--why", "as agreed"]);
    command.current_dir(folder).env("TAISAI_PASSWORD", password).stdin(Stdio::null());
    Spawned::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

/// Returns the exit status and the output. Standard error must fit in a pipe.
fn wait_for_end(mut child: Spawned) -> (Option<i32>, String) {
    let mut printed = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut printed).expect("text");
    child.stderr.take().expect("a pipe").read_to_string(&mut printed).expect("text");
    (child.wait().expect("it ends").code(), printed)
}

#[test]
fn config_apply_changes_a_running_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("house.toml");
    std::fs::write(&file, FILE.replace("New", "Old")).expect("a file");
    let server = RunningServer::start(folder.path(), &["--config", "house.toml"]);
    let mut supervisor = SignedInPerson::begin(&server, 3, "a long word of number three");
    let administrator = SignedInPerson::begin(&server, 10, "a long word of number ten");
    let before = administrator.get("house/configuration");
    assert_eq!((&before["tables"][0]["limits"], &before["tables"][0]["proposed"]["unit"]), (&Value::Null, &100.into()));

    let table = "[[table]]\nnumber = 2\ngame = \"tai-sai\"\nlayout = \"A\"\nseats = 5\n";
    std::fs::write(
        &file,
        FILE.replace("limits = { unit = 100, rest = { min = 100, max = 100_000 }, differential = 50_000 }\n", table),
    )
    .expect("a file");
    let applied = apply_as(folder.path(), &server.url(), "10", "a long word of number ten");
    // Each act is approved as soon as its approval is requested.
    for approval in [1, 2] {
        let answer = json!({"answer-approval": {"approval": approval, "approve": true}});
        wait_until("it is approved", || supervisor.ask(&answer).get("accepted").is_some());
    }
    let (status, printed) = wait_for_end(applied);
    assert_eq!(status, Some(0), "{printed}");
    assert!(printed.contains("done    name of the casino: \"Old\" becomes \"New\""), "{printed}");

    std::fs::write(&file, format!("{FILE}{table}")).expect("a file");
    let (status, printed) = wait_for_end(apply_as(folder.path(), &server.url(), "3", "a long word of number three"));
    assert_eq!(status, Some(1), "table 2 waits for the next start: {printed}");
    assert!(printed.contains("done    limits of table 1: differential none becomes 50000, rest none becomes 100 to 100000, unit none becomes 100"), "{printed}");
    let after = administrator.get("house/configuration");
    assert_eq!((&after["name"], &after["waiting"]), (&"New".into(), &json!([2])), "{after}");
    assert_eq!((&after["tables"][0]["limits"]["unit"], &after["tables"][0]["proposed"]), (&100.into(), &Value::Null));

    let port = server.url().rsplit(':').next().expect("a port").to_owned();
    let listen = format!("127.0.0.1:{port}");
    let (status, _, error) = taisai(folder.path(), &["serve", "--listen", &listen, "--data", "other"]);
    assert_eq!(status, Some(2));
    assert!(error.contains(&format!("{listen} cannot be listened on")), "{error}");
    assert_eq!(server.stop("TERM").0, Some(0));

    let server = RunningServer::start(folder.path(), &["--config", "house.toml"]);
    let mut again = SignedInPerson::new(&server, TlsConfig::default());
    again.post("sign-in", &json!({"person": 3, "password": "a long word of number three"}));
    let found = again.get("house/configuration");
    assert_eq!((&found["tables"][1]["layout"], &found["waiting"]), (&"A".into(), &json!([])), "{found}");
    assert_eq!(server.stop("TERM").0, Some(0));
}

/// Writes a certificate authority, and a certificate for 127.0.0.1 with its key. Returns the authority's certificate.
fn write_certificates(folder: &Path) -> Vec<u8> {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let authority = params.self_signed(&key).expect("a certificate");
    let issuer = Issuer::new(params, key);
    let (key, params) =
        (KeyPair::generate().expect("a key"), CertificateParams::new(["127.0.0.1".to_owned()]).expect("parameters"));
    let certificate = params.signed_by(&key, &issuer).expect("a certificate");
    for (file, text) in
        [("authority.pem", authority.pem()), ("server.pem", certificate.pem()), ("server.key", key.serialize_pem())]
    {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    authority.der().to_vec()
}

#[test]
fn config_apply_over_tls_trusts_only_known_authorities() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = write_certificates(folder.path());
    let file = format!("{FILE}\n[tls]\ncertificate = \"server.pem\"\nkey = \"server.key\"\n");
    std::fs::write(folder.path().join("house.toml"), file).expect("a file");
    let server = RunningServer::start(folder.path(), &["--config", "house.toml"]);
    assert!(server.url().starts_with("https://127.0.0.1:"), "{}", server.url());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&[Certificate::from_der(&authority).to_owned()]))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let password = "a long word of number three";
    SignedInPerson::new(&server, tls).set_password(3, &server.password("3"), password);

    let apply = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
        command.args(["config", "apply", "house.toml", "--person", "3", "--why", "as agreed"]).args(options);
        command.current_dir(folder.path()).env("TAISAI_PASSWORD", password).stdin(Stdio::null());
        wait_for_end(Spawned::start(command.stdout(Stdio::piped()).stderr(Stdio::piped())))
    };
    let url = server.url();
    let (status, printed) = apply(&["--server", &url, "--ca", "authority.pem"]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(printed.contains("done    limits of table 1"), "{printed}");
    for (options, expected) in [
        (&["--server", url.as_str()][..], "invalid peer certificate"),
        (&["--server", &url, "--ca", "server.key"], "cannot use server.key: the file has no certificate in PEM"),
        (&["--server", &url.replace("https", "http"), "--ca", "authority.pem"], "--ca is for https:// addresses"),
    ] {
        let (status, printed) = apply(options);
        assert_eq!(status, Some(2), "{printed}");
        assert!(printed.contains(expected), "{printed}");
    }
    assert_eq!(server.stop("TERM").0, Some(0));
}

//! Attacks on connections: damaged, oversized, slow, foreign or too many requests lose their connection, and no other client
//! is affected.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;
use taisai_journal::suite::{HANG_LIMIT, wait_until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::house::TestCasino;
use crate::person::{accepted, agent};
use crate::socket::Socket;

/// Sends raw bytes and returns what comes back until the connection ends.
fn raw(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    // The server may close it before everything is sent.
    stream.write_all(bytes).unwrap_or_default();
    to_the_end(&mut stream, &String::from_utf8_lossy(&bytes[..bytes.len().min(80)]))
}

/// Reads a connection until the server closes it, which it must do.
fn to_the_end(stream: &mut TcpStream, what: &str) -> Vec<u8> {
    stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    assert!(!read.is_err_and(|error| is_time_out(&error)), "it stays open: {what}");
    answer
}

fn is_time_out(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn resident(house: &TestCasino) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", house.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn malformed_frames_and_requests_are_refused() {
    let house = TestCasino::open();
    let (_, mut terminal) = house.betting(1, 1_000_000);
    let before = resident(&house);
    let at = house.address();

    // Requests.
    let head = "POST /api/v1/sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let large = format!("{head}content-length: 2000000\r\n\r\n{}", "x".repeat(2_000_000));
    let headers = format!("GET / HTTP/1.1\r\nhost: x\r\n{}\r\n", "a: b\r\n".repeat(10_000));
    let endless_head = format!("GET /{} HTTP/1.1\r\n", "a".repeat(1_000_000));
    for bytes in [
        &b"\0\xff\xfe garbage \r\n\r\n"[..],
        b"GET / HTTP/1.1\r\n",
        b"GET / HTTP/9.9\r\nhost: x\r\n\r\n",
        b"POST /api/v1/sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
        b"POST /api/v1/sign-in HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        large.as_bytes(),
        headers.as_bytes(),
        endless_head.as_bytes(),
    ] {
        let answer = raw(at, bytes);
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }

    // Frames: each ends its own connection.
    let part = |bytes: &[u8], code, fin| Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(code), fin));
    let endless = [part(&[b' '; 10_000], Data::Text, false)];
    let endless = endless.into_iter().chain((0..100).map(|_| part(&[b' '; 10_000], Data::Continue, false)));
    let messages = [
        vec![Message::text("x".repeat(200_000))],
        vec![Message::text("hello")],
        vec![Message::text("[".repeat(60_000))],
        vec![Message::binary(vec![0xff; 100])],
        vec![part(&[0xff, 0xfe], Data::Text, true)],
        endless.collect(),
    ];
    let not_masked = [0x81, 0x05, b'h', b'e', b'l', b'l', b'o'];
    let reserved = [0xf7, 0x80, 0, 0, 0, 0];
    let attacker = || {
        let attacker = house.person("pit-supervisor").console(1);
        attacker.next();
        attacker
    };
    for messages in messages {
        let mut attacker = attacker();
        for message in messages {
            attacker.send(message);
        }
        attacker.over();
        accepted(&terminal.place(&[("small", 100)]));
    }
    for bytes in [&not_masked[..], &reserved] {
        let mut attacker = attacker();
        attacker.send_raw(bytes);
        attacker.over();
        accepted(&terminal.place(&[("small", 100)]));
    }

    // A message in fragments, with a ping between them, is one message.
    let mut console = house.person("pit-supervisor").console(1);
    console.next();
    let text = json!({"commands": [{"sequence": 1, "command": {"round": "open-table"}}]}).to_string();
    let (one, two) = text.split_at(20);
    console.send(part(one.as_bytes(), Data::Text, false));
    console.send(Message::Ping(vec![1].into()));
    console.send(part(two.as_bytes(), Data::Continue, true));
    let answer = console.until("the answer", |message| Some(message["answers"].get(0)?["answer"].clone()));
    assert_eq!(answer["refused"]["code"], "table-open");

    accepted(&terminal.place(&[("big", 100)]));
    let after = resident(&house);
    assert!(after < before + 100_000, "from {before} to {after} kB");
}

#[test]
fn slow_requests_and_frames_are_cut_off() {
    let house = TestCasino::open();
    let (_, mut terminal) = house.betting(1, 1_000_000);
    // An endless head, sent byte by byte: the server does not wait for its end.
    let mut slow = TcpStream::connect(house.address()).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    slow.write_all(b"GET /api/v1/house HTTP/1.1\r\nhost: x\r\nx-slow: ").unwrap();
    wait_until("a slow request is cut off", || {
        let is_cut = slow.write_all(b"a").is_err();
        // The server sends nothing while it waits, so a read that ends before its timeout is the close.
        is_cut || !slow.read(&mut [0; 1_024]).is_err_and(|error| is_time_out(&error))
    });
    // A body that never arrives.
    let answer = raw(
        house.address(),
        b"POST /api/v1/sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    assert!(!String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 5"), "{}", String::from_utf8_lossy(&answer));
    accepted(&terminal.place(&[("big", 100)]));
}

#[test]
fn requests_from_other_origins_are_refused() {
    let house = TestCasino::open();
    let dealer = house.person("dealer");
    let own = format!("http://{}", house.address());
    for (origin, is_let_in) in [("https://evil.example", false), ("null", false), (&*own, true)] {
        let headers = [("cookie", &*dealer.cookie), ("origin", origin)];
        let opened = Socket::try_open(house.address(), "/api/v1/tables/1/console", &headers);
        assert_eq!(opened.err(), (!is_let_in).then_some(403), "{origin}");
        for path in ["/api/v1/sign-in", "/api/v1/tables/1/commands", "/api/v1/house/commands", "/api/v1/sign-out"] {
            let url = format!("{own}{path}");
            let request = agent().post(url).header("cookie", &dealer.cookie).header("origin", origin);
            let answer = request.send_json(json!({})).unwrap();
            assert_eq!(answer.status() == 403, !is_let_in, "{origin} {path} {}", answer.status());
        }
    }
    let dealer = house.person("dealer");
    // Another site's form can be posted without a preflight only in these types: none is read.
    for kind in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"] {
        let body = json!({"source": 1, "sequence": 1, "command": {"round": "open-table"}}).to_string();
        let (status, _) = dealer.post_raw("/api/v1/tables/1/commands", body.as_bytes(), kind);
        assert!((400..500).contains(&status), "{kind}: {status}");
    }
}

/// Thousands of idle connections are closed, and betting goes on meanwhile.
#[test]
fn idle_and_slow_connections_leave_the_server_responsive() {
    const IDLE: usize = 3_000;
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let house = TestCasino::open();
    let (_, mut terminal) = house.betting(1, 1_000_000);
    let mut bet = |times: u32| (0..times).for_each(|_| accepted(&terminal.place(&[("small", 100)])));
    bet(100);
    let mut idle: Vec<TcpStream> = (0..IDLE)
        .map(|place| {
            let mut stream = TcpStream::connect(house.address()).unwrap();
            match place % 3 {
                0 => {}
                1 => stream.write_all(b"GET / HT").unwrap_or_default(),
                _ => {
                    let key = "dGhlIHNhbXBsZSBub25jZQ==";
                    let request = format!(
                        "GET /api/v1/tables/1/terminal HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
                         sec-websocket-version: 13\r\nsec-websocket-key: {key}\r\n\r\n"
                    );
                    stream.write_all(request.as_bytes()).unwrap_or_default();
                }
            }
            stream
        })
        .collect();
    bet(100);
    for stream in &mut idle {
        to_the_end(stream, "one of thousands");
    }
    bet(100);
}

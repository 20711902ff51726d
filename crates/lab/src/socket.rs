//! A WebSocket as this program opens it to a casino: for the simulated tumbler, and by the thousand for the load generator, which
//! must cost less than the casino. It knows frames, and not what is in them. In the clear only, as a casino speaks on loopback.

pub(crate) mod frame;

use std::io;
use std::net::{IpAddr, SocketAddr};

use anyhow::{Context as _, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use frame::{Frame, FrameKind};

/// A connection's answer to the request for it has no more bytes.
const LARGEST_HEAD: usize = 8 * 1024;

/// The example of the protocol's description, and the answer to it there: nothing rests on its being a secret.
const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPTED: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// Where a casino is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CasinoAddress {
    /// Host and port, as they stand in its address.
    pub(crate) authority: String,
    /// The host, and its port.
    at: (String, u16),
}

impl CasinoAddress {
    /// Reads `http://HOST[:PORT]`.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let Some(rest) = text.strip_prefix("http://").or_else(|| text.strip_prefix("ws://")) else {
            bail!("the address of a casino here begins with http://: this command does not speak TLS");
        };
        let authority = rest.trim_end_matches('/');
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().context("the port is no number")?),
            _ => (authority, 80),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() || authority.contains(['/', '@', ' ', '\r', '\n']) {
            bail!("the address of a casino is http://HOST:PORT");
        }
        Ok(Self { authority: authority.to_owned(), at: (host.to_owned(), port) })
    }

    /// The address of something there, for requests.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.authority)
    }

    /// Its address, looked up.
    pub(crate) async fn address(&self) -> anyhow::Result<SocketAddr> {
        let mut found = tokio::net::lookup_host((self.at.0.as_str(), self.at.1)).await?;
        found.next().with_context(|| format!("{} has no address", self.at.0))
    }
}

/// An open WebSocket.
pub(crate) struct ClientSocket {
    stream: TcpStream,
    /// What has been read and not been taken, from `taken` on.
    read: Vec<u8>,
    taken: usize,
    /// Frames that have not been sent yet.
    out: Vec<u8>,
    /// Whether pings are left without an answer.
    pub(crate) is_deaf: bool,
}

impl ClientSocket {
    /// Opens a WebSocket, from an address of this machine if one is given.
    pub(crate) async fn open(server: &CasinoAddress, path: &str, from: Option<IpAddr>) -> anyhow::Result<Self> {
        Self::open_at(server.address().await?, &server.authority, path, from).await
    }

    /// Opens one at an address that was looked up.
    pub(crate) async fn open_at(
        address: SocketAddr,
        authority: &str,
        path: &str,
        from: Option<IpAddr>,
    ) -> anyhow::Result<Self> {
        let tcp = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        if let Some(from) = from {
            tcp.bind(SocketAddr::new(from, 0))?;
        }
        let mut stream = tcp.connect(address).await.with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut read = Vec::new();
        let taken = loop {
            if stream.read_buf(&mut read).await? == 0 {
                bail!("the casino closed the connection to {path}");
            }
            if let Some(end) = memchr::memmem::find(&read, b"\r\n\r\n") {
                break end + 4;
            }
            if read.len() > LARGEST_HEAD {
                bail!("the answer to the request for {path} has no end");
            }
        };
        let head = String::from_utf8_lossy(&read[..taken]);
        let status = head.lines().next().unwrap_or_default();
        if status.split(' ').nth(1) != Some("101") || !head.contains(ACCEPTED) {
            bail!("{path} is no WebSocket: {status}");
        }
        Ok(Self { stream, read, taken, out: Vec::new(), is_deaf: false })
    }

    /// Sends a message.
    pub(crate) async fn send(&mut self, text: &str) -> io::Result<()> {
        frame::write(FrameKind::Text, text.as_bytes(), &mut self.out);
        self.flush().await
    }

    /// Sends what has not been sent yet. What is left when whoever waits turns to something else goes before what comes next.
    async fn flush(&mut self) -> io::Result<()> {
        while !self.out.is_empty() {
            let sent = self.stream.write(&self.out).await?;
            if sent == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.out.drain(..sent);
        }
        Ok(())
    }

    /// Waits for the next message, answering pings meanwhile; none if the other end closes. Nothing is lost when whoever waits
    /// turns to something else.
    pub(crate) async fn next(&mut self) -> io::Result<Option<&str>> {
        loop {
            self.flush().await?;
            let waiting = &self.read[self.taken..];
            let Some(Frame { kind, payload, length }) = frame::read(waiting)? else {
                self.read.drain(..self.taken);
                self.taken = 0;
                if self.stream.read_buf(&mut self.read).await? == 0 {
                    return Ok(None);
                }
                continue;
            };
            let payload = self.taken + payload.start..self.taken + payload.end;
            self.taken += length;
            match kind {
                FrameKind::Text => {
                    let text = std::str::from_utf8(&self.read[payload]);
                    return text.map(Some).map_err(|_| io::ErrorKind::InvalidData.into());
                }
                FrameKind::Ping if !self.is_deaf => frame::write(FrameKind::Pong, &self.read[payload], &mut self.out),
                FrameKind::Ping | FrameKind::Pong => {}
                FrameKind::Close => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, authority, host, port) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1", 8080),
            ("http://127.0.0.1:8080/", "127.0.0.1:8080", "127.0.0.1", 8080),
            ("ws://house", "house", "house", 80),
            ("http://[::1]:9", "[::1]:9", "::1", 9),
            ("http://[::1]", "[::1]", "::1", 80),
        ] {
            let server = CasinoAddress::parse(text).unwrap();
            assert_eq!((&*server.authority, &*server.at.0, server.at.1), (authority, host, port));
        }
        for bad in
            ["https://127.0.0.1", "127.0.0.1:80", "http://", "http://a:b", "http://a/b", "http://a b", "http://:80"]
        {
            assert!(CasinoAddress::parse(bad).is_err(), "{bad}");
        }
    }
}

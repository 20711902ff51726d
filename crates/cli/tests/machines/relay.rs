//! A relay between a node and a server of the database. It passes, delays or breaks connections, as a network does.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RelayMode {
    /// Everything passes.
    Open,
    /// Nothing passes and no error is reported: what was sent arrives when the relay is open again.
    Silent,
    /// Connections break, new ones too.
    Cut,
}

pub(crate) struct Relay {
    port: u16,
    way: watch::Sender<RelayMode>,
}

impl Relay {
    /// Starts relaying to a port of this machine.
    pub(crate) async fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (way, ways) = watch::channel(RelayMode::Open);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(relay(near, to, ways.clone()));
            }
        });
        Self { port, way }
    }

    /// The address that it listens on.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn set(&self, way: RelayMode) {
        self.way.send_replace(way);
    }
}

async fn relay(near: TcpStream, to: u16, mut ways: watch::Receiver<RelayMode>) {
    if !passes(&mut ways).await {
        return;
    }
    let Ok(far) = TcpStream::connect(("127.0.0.1", to)).await else { return };
    // With Nagle's algorithm a relay would be slower than any network.
    if near.set_nodelay(true).and_then(|()| far.set_nodelay(true)).is_err() {
        return;
    }
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    let mut cut = ways.clone();
    tokio::select! {
        () = forward(near_in, far_out, ways.clone()) => {}
        () = forward(far_in, near_out, ways) => {}
        _ = cut.wait_for(|way| *way == RelayMode::Cut) => {}
    }
}

async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut ways: watch::Receiver<RelayMode>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(len @ 1..) = from.read(&mut bytes).await {
        if !passes(&mut ways).await || to.write_all(&bytes[..len]).await.is_err() {
            return;
        }
    }
}

/// Waits while the relay is silent. Returns whether it is open then.
async fn passes(ways: &mut watch::Receiver<RelayMode>) -> bool {
    ways.wait_for(|way| *way != RelayMode::Silent).await.is_ok_and(|way| *way == RelayMode::Open)
}

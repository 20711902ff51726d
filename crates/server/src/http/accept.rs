//! The accept loop. It bounds the number of connections, the time for a handshake or a request's head, and the time that a response
//! may stay unread.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::http::write_timeout::WriteTimeout;
use crate::metrics::ConnectionMetrics;

/// For a TLS handshake, or for the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Connections that the system queues until we accept them.
const LISTEN_BACKLOG: u32 = 4_096;

/// File descriptors that are kept free for the store and everything else that is no connection.
const RESERVED_FILES: u64 = 512;

const MAX_CONNECTIONS: u64 = 65_536;

/// The certificate for TLS.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate chain, PEM.
    pub certificate: PathBuf,
    /// The private key, PEM.
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: rustls_pki_types::pem::Error },
    #[error("the certificate and its key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Tls {
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor, TlsError> {
        let bad = |path: &Path| {
            let path = path.to_owned();
            move |error| TlsError::File { path, error }
        };
        let chain = CertificateDer::pem_file_iter(&self.certificate).map_err(bad(&self.certificate))?;
        let chain = chain.collect::<Result<Vec<_>, _>>().map_err(bad(&self.certificate))?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(bad(&self.key))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// Listens with a long backlog, also on an address that was in use a moment ago.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { tokio::net::TcpSocket::new_v4() } else { tokio::net::TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}

/// Raises the limit of open files as far as possible, and returns how many connections that leaves.
pub(crate) fn max_connections() -> usize {
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(1_024);
    let connections = files.saturating_sub(RESERVED_FILES).clamp(64, MAX_CONNECTIONS);
    usize::try_from(connections).unwrap_or(64)
}

pub(crate) struct Accepting {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) metrics: ConnectionMetrics,
    pub(crate) max_connections: usize,
}

impl Accepting {
    /// Accepts connections until the sender of `routes` is dropped, and then closes them. Each request is answered by the routes of its
    /// moment, so that a connection outlives the node that it came to.
    pub(crate) async fn run(self, mut routes: watch::Receiver<Router>) {
        let places = Arc::new(Semaphore::new(self.max_connections));
        loop {
            let (stream, peer) = tokio::select! {
                changed = routes.changed() => match changed {
                    Ok(()) => continue,
                    Err(_) => return,
                },
                accepted = self.listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        // No file descriptors are left, or the client disconnected: go on with others.
                        tracing::warn!(%error, "could not accept a connection");
                        tokio::time::sleep(Duration::from_millis(10)).await;
                        continue;
                    }
                },
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                self.metrics.rejected.inc();
                continue;
            };
            let connection = AcceptedConnection { peer, place, metrics: self.metrics.clone() };
            let (tls, routes) = (self.tls.clone(), routes.clone());
            tokio::spawn(async move { connection.run(stream, tls, routes).await });
        }
    }
}

struct AcceptedConnection {
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
    metrics: ConnectionMetrics,
}

/// Holds a connection's permit and count, also after an upgrade.
#[derive(Clone)]
pub(crate) struct ConnectionGuard(#[expect(dead_code, reason = "it is held, not read")] Arc<ConnectionSlot>);

struct ConnectionSlot {
    _place: OwnedSemaphorePermit,
    metrics: ConnectionMetrics,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.metrics.open.dec();
    }
}

impl AcceptedConnection {
    async fn run(self, stream: TcpStream, tls: Option<TlsAcceptor>, routes: watch::Receiver<Router>) {
        self.metrics.open.inc();
        let held = ConnectionGuard(Arc::new(ConnectionSlot { _place: self.place, metrics: self.metrics }));
        // Delay is no reason to fail.
        stream.set_nodelay(true).unwrap_or_default();
        match tls {
            None => serve_connection(stream, self.peer, held, routes).await,
            Some(tls) => {
                if let Ok(Ok(secured)) = tokio::time::timeout(HEAD_TIMEOUT, tls.accept(stream)).await {
                    serve_connection(secured, self.peer, held, routes).await;
                }
            }
        }
    }
}

async fn serve_connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    peer: SocketAddr,
    held: ConnectionGuard,
    mut routes: watch::Receiver<Router>,
) {
    let current = routes.clone();
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(held.clone());
        let routes = current.borrow().clone();
        routes.oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES).half_close(false);
    let stream = TokioIo::new(WriteTimeout::new(stream));
    let mut connection = std::pin::pin!(builder.serve_connection(stream, service).with_upgrades());
    let closed = async { while routes.changed().await.is_ok() {} };
    tokio::select! {
        // However it ends, only this connection does.
        _ = connection.as_mut() => {}
        () = closed => {
            connection.as_mut().graceful_shutdown();
            connection.await.unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    async fn answer(connection: &mut TcpStream) -> String {
        connection.write_all(b"GET / HTTP/1.1\r\nhost: here\r\n\r\n").await.unwrap();
        let mut answer = vec![0; 1_024];
        let length = connection.read(&mut answer).await.unwrap();
        String::from_utf8(answer[..length].to_vec()).unwrap()
    }

    /// A node may stop between a connection and its first request. A liveness probe that came then would find the process dead.
    #[tokio::test]
    async fn connection_outlives_the_routes_that_it_came_to() {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let metrics = ConnectionMetrics::default();
        let accepting = Accepting { listener, tls: None, metrics: metrics.clone(), max_connections: 8 };
        let (routes, receiver) = watch::channel(Router::new().route("/", get(async || "first")));
        let running = tokio::spawn(accepting.run(receiver));

        let mut used = TcpStream::connect(address).await.unwrap();
        assert!(answer(&mut used).await.ends_with("first"));
        let mut fresh = TcpStream::connect(address).await.unwrap();
        while metrics.open.get() < 2 {
            tokio::task::yield_now().await;
        }
        routes.send_modify(|routes| *routes = Router::new().route("/", get(async || "second")));
        tokio::task::yield_now().await;
        for connection in [&mut used, &mut fresh] {
            assert!(answer(connection).await.ends_with("second"));
        }

        drop(routes);
        running.await.unwrap();
        for mut connection in [used, fresh] {
            assert_eq!(connection.read(&mut [0; 8]).await.unwrap(), 0, "it is closed");
        }
    }
}

//! The accept loop: connections are bounded in number, in the time they may take for a handshake or a request's head, and in
//! the time they may leave an answer unread. What they ask is not known here.

use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt as _;

use crate::http::write_timeout::WriteTimeout;
use crate::metrics::Metrics;
use crate::server::Stopping;

/// A request's head, or a handshake, must be there by then.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The largest head of a request.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Connections that wait in the system for us to take them.
const LISTEN_BACKLOG: u32 = 4_096;

/// Files that are kept free for the store and everything else that is no connection.
const RESERVED_FILES: u64 = 512;

/// More connections are never taken.
const MAX_CONNECTIONS: u64 = 65_536;

/// The certificate that connections are secured with.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The file of the certificate chain, PEM.
    pub certificate: PathBuf,
    /// The file of its key, PEM.
    pub key: PathBuf,
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        error: rustls_pki_types::pem::Error,
    },
    /// The two do not fit.
    #[error("the certificate and its key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Tls {
    /// Reads the files.
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

/// Listens, with a long queue, on an address that was free a moment ago too.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { tokio::net::TcpSocket::new_v4() } else { tokio::net::TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}

/// Raises the number of open files as far as the system lets us, and tells how many connections that leaves.
pub(crate) fn max_connections() -> usize {
    let files = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(1_024);
    let connections = files.saturating_sub(RESERVED_FILES).clamp(64, MAX_CONNECTIONS);
    usize::try_from(connections).unwrap_or(64)
}

/// What takes connections.
pub(crate) struct Accepting {
    pub(crate) listener: TcpListener,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) routes: Router,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) max_connections: usize,
}

impl Accepting {
    /// Takes connections until the house stops. Those that are open then end by themselves.
    pub(crate) async fn run(self, mut stopping: watch::Receiver<Stopping>) {
        let places = Arc::new(Semaphore::new(self.max_connections));
        loop {
            let (stream, peer) = tokio::select! {
                _ = stops(&mut stopping) => return,
                accepted = self.listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        // Out of files, or a connection that was gone before it was taken: others go on.
                        tracing::warn!(%error, "a connection could not be taken");
                        tokio::time::sleep(Duration::from_millis(10)).await;
                        continue;
                    }
                },
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                self.metrics.turned_away.inc();
                continue;
            };
            let connection = AcceptedConnection { peer, place, metrics: Arc::clone(&self.metrics) };
            let (tls, routes, stopping) = (self.tls.clone(), self.routes.clone(), stopping.clone());
            tokio::spawn(async move { connection.run(stream, tls, routes, stopping).await });
        }
    }
}

struct AcceptedConnection {
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

/// Keeps a connection's place and count, also after it was upgraded.
#[derive(Clone)]
pub(crate) struct ConnectionGuard(#[expect(dead_code, reason = "it is held, not read")] Arc<ConnectionSlot>);

struct ConnectionSlot {
    _place: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.metrics.connections.dec();
    }
}

impl AcceptedConnection {
    async fn run(
        self,
        stream: TcpStream,
        tls: Option<TlsAcceptor>,
        routes: Router,
        stopping: watch::Receiver<Stopping>,
    ) {
        self.metrics.connections.inc();
        let held = ConnectionGuard(Arc::new(ConnectionSlot { _place: self.place, metrics: self.metrics }));
        // A connection that does not take it is no worse.
        stream.set_nodelay(true).unwrap_or_default();
        match tls {
            None => talk(stream, self.peer, held, routes, stopping).await,
            Some(tls) => {
                if let Ok(Ok(secured)) = tokio::time::timeout(HEAD_TIMEOUT, tls.accept(stream)).await {
                    talk(secured, self.peer, held, routes, stopping).await;
                }
            }
        }
    }
}

async fn talk<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    peer: SocketAddr,
    held: ConnectionGuard,
    routes: Router,
    mut stopping: watch::Receiver<Stopping>,
) {
    let service = routes.map_request(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(held.clone());
        request
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD_BYTES).half_close(false);
    let stream = TokioIo::new(WriteTimeout::new(stream));
    let mut connection =
        std::pin::pin!(builder.serve_connection(stream, TowerToHyperService::new(service)).with_upgrades());
    tokio::select! {
        // However it ends, only this connection does.
        _ = connection.as_mut() => {}
        _ = stops(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await.unwrap_or_default();
        }
    }
}

/// Waits until connections are to end, and tells what they are told then.
pub(crate) async fn stops(stopping: &mut watch::Receiver<Stopping>) -> Cow<'static, str> {
    let stopped = stopping.wait_for(|stopping| stopping.close_reason().is_some()).await;
    // A house that has gone has stopped too.
    stopped.ok().and_then(|stopping| stopping.close_reason()).unwrap_or("the house has stopped".into())
}

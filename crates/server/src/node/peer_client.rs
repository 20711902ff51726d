//! The HTTP client for other nodes: one connection for each request, with TLS if the node's address says so.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::relay::{NODE_KEY_HEADER, key_header};
use crate::http::accept::TlsError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// Why another node gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum PeerError {
    #[error("this node has only just started")]
    NotYet,
    #[error("no node holds that partition now")]
    Nobody,
    #[error("{0} is not the address of a node")]
    Address(String),
    #[error("it accepts no connection: {0}")]
    Connection(#[from] std::io::Error),
    #[error("it did not answer in time")]
    Slow,
    #[error("it no longer holds that partition")]
    Gone,
    #[error("the connection broke off: {0}")]
    Http(#[from] hyper::Error),
    #[error("it answers {0}")]
    Denied(StatusCode),
    #[error("its answer is not readable")]
    Unreadable,
}

impl PeerError {
    /// Whether the request can go to another node: this one has not got it, or no longer answers for the partition.
    pub(super) const fn goes_elsewhere(&self) -> bool {
        !matches!(self, Self::Http(_) | Self::Denied(_) | Self::Unreadable)
    }
}

#[derive(Clone)]
pub(super) struct PeerClient {
    tls: Option<TlsConnector>,
}

impl PeerClient {
    pub(super) fn new(authority: Option<&Path>) -> Result<Self, TlsError> {
        let Some(path) = authority else { return Ok(Self { tls: None }) };
        let bad = |error| TlsError::File { path: path.to_owned(), error };
        let mut roots = rustls::RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(path).map_err(bad)? {
            roots.add(certificate.map_err(bad)?)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { tls: Some(TlsConnector::from(Arc::new(config))) })
    }

    pub(super) async fn send(&self, node: &str, request: Request<Body>) -> Result<Response<Incoming>, PeerError> {
        let wrong = || PeerError::Address(node.to_owned());
        let (scheme, place) = node.split_once("://").ok_or_else(wrong)?;
        let stream = timeout(CONNECT_TIMEOUT, TcpStream::connect(place)).await.map_err(|_| PeerError::Slow)??;
        // Delay is no reason to fail.
        stream.set_nodelay(true).unwrap_or_default();
        match (scheme, &self.tls) {
            ("http", _) => converse(TokioIo::new(stream), request).await,
            ("https", Some(tls)) => {
                let host = place.rsplit_once(':').map_or(place, |(host, _)| host).trim_matches(['[', ']']);
                let name = ServerName::try_from(host.to_owned()).map_err(|_| wrong())?;
                let secured =
                    timeout(CONNECT_TIMEOUT, tls.connect(name, stream)).await.map_err(|_| PeerError::Slow)??;
                converse(TokioIo::new(secured), request).await
            }
            _ => Err(wrong()),
        }
    }

    /// Sends a request of this node itself and reads the JSON answer.
    pub(super) async fn json(
        &self,
        node: &str,
        path: &str,
        key: &[u8; 32],
        body: Option<Vec<u8>>,
    ) -> Result<Value, PeerError> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let host = node.split_once("://").map_or(node, |(_, place)| place);
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, host)
            .header(header::CONTENT_TYPE, "application/json")
            .header(NODE_KEY_HEADER, key_header(key))
            .body(Body::from(body.unwrap_or_default()))
            .map_err(|_| PeerError::Address(node.to_owned()))?;
        let answered = async {
            let response = self.send(node, request).await?;
            if response.status() != StatusCode::OK {
                return Err(PeerError::Denied(response.status()));
            }
            let body: Bytes = to_bytes(Body::new(response.into_body()), MAX_RESPONSE_BYTES)
                .await
                .map_err(|_| PeerError::Unreadable)?;
            serde_json::from_slice(&body).map_err(|_| PeerError::Unreadable)
        };
        timeout(RESPONSE_TIMEOUT, answered).await.map_err(|_| PeerError::Slow)?
    }
}

async fn converse<S>(stream: TokioIo<S>, request: Request<Body>) -> Result<Response<Incoming>, PeerError>
where
    TokioIo<S>: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(stream).await?;
    // The task lives until the response is read, or until an upgraded connection ends.
    tokio::spawn(connection.with_upgrades());
    Ok(sender.send_request(request).await?)
}

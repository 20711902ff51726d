//! Relays requests to the node that holds their partition, so that a client can use any node.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts, Request, State};
use axum::http::header::{HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use data_encoding::HEXLOWER;
use futures_util::{StreamExt as _, stream};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use taisai_journal::{ChainName, LeaseRoster};
use taisai_table::{ClusterId, TableId};
use tokio::io::copy_bidirectional;

use super::peer_client::PeerError;
use super::peers::{Peers, house, partition_of};
use crate::auth::secrets::hex;
use crate::http::accept::ConnectionGuard;
use crate::http::denied::Denied;
use crate::server::{SharedServer, stop_reason};

/// Carry the shared key of the nodes, and the client's address, on relayed requests.
pub(super) const NODE_KEY_HEADER: HeaderName = HeaderName::from_static("taisai-node");
const CLIENT_ADDRESS_HEADER: HeaderName = HeaderName::from_static("taisai-from");

/// Proves that a request comes from another node.
#[derive(Clone, Copy)]
pub(super) struct FromPeer;

impl<S: Sync> FromRequestParts<S> for FromPeer {
    type Rejection = Denied;

    async fn from_request_parts(partitions: &mut Parts, _: &S) -> Result<Self, Denied> {
        partitions.extensions.get().copied().ok_or(Denied::NotForYou)
    }
}

/// Answers a request here, or relays it to the node that holds its partition.
pub(crate) async fn relay(State(server): State<SharedServer>, mut request: Request, next: Next) -> Response {
    let Some(peers) = server.peers.clone() else { return next.run(request).await };
    let is_node = peers.sent(request.headers());
    let from = request.headers_mut().remove(CLIENT_ADDRESS_HEADER);
    request.headers_mut().remove(NODE_KEY_HEADER);
    let partition = partition_in(&peers, request.uri());
    if is_node {
        if let Some(from) = from.as_ref().and_then(address) {
            request.extensions_mut().insert(ConnectInfo(SocketAddr::new(from, 0)));
        }
        request.extensions_mut().insert(FromPeer);
        // The other node believes that the partition is here.
        return match partition {
            Some(partition) if !peers.is_here(&partition) => Denied::Elsewhere.into_response(),
            _ => next.run(request).await,
        };
    }
    match partition {
        None => next.run(request).await,
        Some(partition) if peers.is_here(&partition) => next.run(request).await,
        Some(partition) => match peers.elsewhere(&partition) {
            Some(node) => peers.relayed(&server, (partition, node), request).await,
            None => Denied::Elsewhere.into_response(),
        },
    }
}

impl Peers {
    fn sent(&self, headers: &HeaderMap) -> bool {
        let shows = |key: &[u8; 32]| {
            let given = headers.get(NODE_KEY_HEADER).and_then(|given| given.to_str().ok()).and_then(hex::bytes::<32>);
            // Comparing hashes takes the same time whatever the keys are.
            given.is_some_and(|given| blake3::hash(&given) == blake3::hash(key))
        };
        self.key.get().is_some_and(shows)
    }

    async fn relayed(
        &self,
        server: &SharedServer,
        (partition, node): (ChainName, String),
        mut request: Request,
    ) -> Response {
        let Ok(key) = self.key() else { return Denied::Elsewhere.into_response() };
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
        let held = request.extensions().get::<ConnectionGuard>().cloned();
        let upgrade = request.extensions_mut().remove::<OnUpgrade>();
        let headers = request.headers_mut();
        headers.insert(NODE_KEY_HEADER, key_header(key));
        if let Some(peer) = peer.and_then(|peer| HeaderValue::try_from(peer.to_string()).ok()) {
            headers.insert(CLIENT_ADDRESS_HEADER, peer);
        }
        let mut response = match self.sent_to(&partition, &node, request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(node, %error, "could not relay a request");
                // The request may have been carried out. If the partition has moved, the client learns that when it asks again.
                let denied = if error.goes_elsewhere() { Denied::Elsewhere } else { Denied::TooSlow };
                return denied.into_response();
            }
        };
        if response.status() == StatusCode::SWITCHING_PROTOCOLS
            && let Some(upgrade) = upgrade
        {
            let there = hyper::upgrade::on(&mut response);
            let (nodes, mut stopping) = (self.clone(), server.stopping.subscribe());
            let (partition, node) = (partition.clone(), node.clone());
            tokio::spawn(async move {
                let _held = held;
                let (Ok(here), Ok(there)) = tokio::join!(upgrade, there) else { return };
                let (mut here, mut there) = (TokioIo::new(here), TokioIo::new(there));
                tokio::select! {
                    // Both ends close together.
                    _ = copy_bidirectional(&mut here, &mut there) => {}
                    _ = stop_reason(&mut stopping) => {}
                    () = nodes.lost(&partition, &node) => {}
                }
            });
        }
        response.map(|body| self.read_on(partition, node, body))
    }

    /// Streams the body while its node holds the partition. A body that breaks off ends with an error.
    fn read_on(&self, partition: ChainName, node: String, body: Incoming) -> Body {
        let nodes = self.clone();
        let lost = Box::pin(async move { nodes.lost(&partition, &node).await });
        let frames = Body::new(body).into_data_stream();
        Body::from_stream(stream::unfold(Some((frames, lost)), async |reading| {
            let (mut frames, mut lost) = reading?;
            tokio::select! {
                frame = frames.next() => frame.map(|frame| (frame, Some((frames, lost)))),
                () = &mut lost => Some((Err(axum::Error::new(PeerError::Gone)), None)),
            }
        }))
    }

    /// Sends the request, and gives up when the node loses the partition: a node that hangs does so before it answers.
    async fn sent_to(
        &self,
        partition: &ChainName,
        node: &str,
        request: Request,
    ) -> Result<Response<Incoming>, PeerError> {
        tokio::select! {
            response = self.client.send(node, request) => response,
            () = self.lost(partition, node) => Err(PeerError::Gone),
        }
    }

    /// Waits until the node at an address no longer holds a partition.
    async fn lost(&self, partition: &ChainName, node: &str) {
        let is_gone = |roster: &LeaseRoster| roster.holder(partition).is_none_or(|holder| holder.address != node);
        // The roster ends when this node is closed.
        self.roster.clone().wait_for(is_gone).await.map_or_else(drop, drop);
    }
}

pub(super) fn key_header(key: &[u8; 32]) -> HeaderValue {
    let mut value = HeaderValue::try_from(HEXLOWER.encode(key)).expect("digits are a value");
    value.set_sensitive(true);
    value
}

fn address(from: &HeaderValue) -> Option<IpAddr> {
    from.to_str().ok()?.parse().ok()
}

/// The partition that an address concerns; none if any node can answer.
fn partition_in(nodes: &Peers, uri: &Uri) -> Option<ChainName> {
    match about(uri)? {
        RequestTarget::House => Some(house()),
        RequestTarget::Table(table) => Some(partition_of(table)),
        RequestTarget::Cluster(cluster) => Some(nodes.partition_of_cluster(cluster)),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestTarget {
    House,
    Table(TableId),
    Cluster(ClusterId),
}

fn about(uri: &Uri) -> Option<RequestTarget> {
    let path = uri.path().strip_prefix("/api/v1/")?;
    let mut names = path.split('/');
    let (first, table, what) = (names.next(), names.next(), names.next());
    let table = match (first, table) {
        (Some("node"), _) | (Some("tables"), None) => return None,
        (Some("tables"), Some(table)) => table.parse().map(TableId).ok(),
        _ => None,
    };
    let Some(table) = table else { return Some(RequestTarget::House) };
    let cluster = uri.query().and_then(|query| query.strip_prefix("cluster="));
    let number = cluster
        .filter(|_| matches!(what, Some("terminal" | "acceptor" | "chip-reader")))
        .and_then(|number| number.parse().ok());
    Some(number.map_or(RequestTarget::Table(table), |number| RequestTarget::Cluster(ClusterId { table, number })))
}

#[cfg(test)]
mod tests {
    use taisai_journal::{Lease, LiveNode};
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;
    use tokio::sync::watch;

    use super::*;
    use crate::node::peers::NodeAddress;

    fn node(name: &str, address: &str) -> LiveNode {
        LiveNode { name: name.into(), address: address.to_owned(), version: "0.1.0".to_owned(), is_new: false }
    }

    fn held_by(nodes: &[LiveNode], holder: Option<&str>) -> LeaseRoster {
        let lease = Lease { partition: house(), holder: holder.map(Into::into), wanted: None };
        LeaseRoster { nodes: nodes.to_vec(), leases: vec![lease] }
    }

    /// A node that hangs accepts connections and sends nothing.
    #[tokio::test]
    async fn a_node_that_hangs_is_waited_for_while_it_holds_the_partition() {
        let still = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", still.local_addr().unwrap());
        let all = [node("still", &address), node("other", "http://127.0.0.1:9"), node("own", "http://127.0.0.1:8")];
        for after in [Some("other"), Some("own"), None] {
            let (roster, known) = watch::channel(held_by(&all, Some("still")));
            let nodes = Peers::new("own".into(), known, &NodeAddress::default()).unwrap();
            let asking = {
                let (nodes, address) = (nodes.clone(), address.clone());
                tokio::spawn(async move { nodes.sent_to(&house(), &address, Request::default()).await })
            };
            let (_connection, _) = still.accept().await.unwrap();
            roster.send_replace(held_by(&all, Some("still")));
            assert!(!asking.is_finished());
            roster.send_replace(held_by(&all, after));
            let answer = asking.await.unwrap();
            assert!(matches!(answer, Err(PeerError::Gone)), "{after:?}: {answer:?}");
        }
    }

    /// A node that hangs in the middle of its answer: the client must not take the part for the whole.
    #[tokio::test]
    async fn a_response_breaks_off_when_its_node_loses_the_partition() {
        let still = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", still.local_addr().unwrap());
        let all = [node("still", &address), node("own", "http://127.0.0.1:8")];
        let (roster, known) = watch::channel(held_by(&all, Some("still")));
        let nodes = Peers::new("own".into(), known, &NodeAddress::default()).unwrap();
        let asking = {
            let (nodes, address) = (nodes.clone(), address.clone());
            tokio::spawn(async move { nodes.sent_to(&house(), &address, Request::default()).await })
        };
        let (mut connection, _) = still.accept().await.unwrap();
        connection.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nTai\r\n").await.unwrap();
        let answer = asking.await.unwrap().unwrap();
        let mut body = nodes.read_on(house(), address, answer.into_body()).into_data_stream();
        assert_eq!(&*body.next().await.unwrap().unwrap(), b"Tai");
        roster.send_replace(held_by(&all, Some("own")));
        assert!(body.next().await.unwrap().is_err());
    }

    #[test]
    fn every_address_goes_to_its_partition() {
        let cluster = ClusterId { table: TableId(7), number: 3 };
        for (path, partition) in [
            ("/", None),
            ("/healthz", None),
            ("/terminal", None),
            ("/api/docs", None),
            ("/api/v1/tables", None),
            ("/api/v1/node/messages", None),
            ("/api/v1/tables/7", Some(RequestTarget::Table(TableId(7)))),
            ("/api/v1/tables/7/console?source=9", Some(RequestTarget::Table(TableId(7)))),
            ("/api/v1/tables/7/console?cluster=3", Some(RequestTarget::Table(TableId(7)))),
            ("/api/v1/tables/7/terminal", Some(RequestTarget::Table(TableId(7)))),
            ("/api/v1/tables/7/terminal?cluster=3", Some(RequestTarget::Cluster(cluster))),
            ("/api/v1/tables/7/acceptor?cluster=3", Some(RequestTarget::Cluster(cluster))),
            ("/api/v1/tables/7/chip-reader?cluster=3", Some(RequestTarget::Cluster(cluster))),
            ("/api/v1/tables/7/terminal?cluster=x", Some(RequestTarget::Table(TableId(7)))),
            ("/api/v1/tables/x/console", Some(RequestTarget::House)),
            ("/api/v1/sign-in", Some(RequestTarget::House)),
            ("/api/v1/house/commands", Some(RequestTarget::House)),
        ] {
            assert_eq!(about(&path.parse().unwrap()), partition, "{path}");
        }
    }
}

//! Nodes with TLS: certificate authorities, and proxies for clients without TLS.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A certificate authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    der: CertificateDer<'static>,
}

impl Default for Authority {
    fn default() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let own = params.self_signed(&key).unwrap();
        Self { pem: own.pem(), der: own.der().clone(), issuer: Issuer::new(params, key) }
    }
}

/// The authority that the nodes trust, and one that none of them trusts.
#[derive(Default)]
pub(crate) struct Authorities {
    known: Authority,
    unknown: Authority,
}

impl Authorities {
    /// Writes a node's certificate and key into a folder, and returns the lines of its configuration file that name them.
    pub(crate) fn certify(&self, folder: &Path, name: &str, ip: Ipv4Addr, is_untrusted: bool) -> String {
        let authority = if is_untrusted { &self.unknown } else { &self.known };
        let (key, params) = (KeyPair::generate().unwrap(), CertificateParams::new([ip.to_string()]).unwrap());
        let certificate = params.signed_by(&key, &authority.issuer).unwrap();
        for (file, content) in [
            ("authority.pem".to_owned(), self.known.pem.clone()),
            (format!("{name}.pem"), certificate.pem()),
            (format!("{name}.key"), key.serialize_pem()),
        ] {
            std::fs::write(folder.join(file), content).unwrap();
        }
        format!(
            "\n[log]\nlevel = \"debug\"\n\n[tls]\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"\n\n\
             [node]\nauthority = \"authority.pem\"\n"
        )
    }

    /// A proxy without TLS to a node, which accepts any certificate.
    pub(crate) async fn plain_proxy(&self, to: SocketAddr) -> SocketAddr {
        let mut roots = RootCertStore::empty();
        for authority in [&self.known, &self.unknown] {
            roots.add(authority.der.clone()).unwrap();
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(pass(near, to, connector.clone()));
            }
        });
        address
    }
}

/// When one end closes, so does the other.
async fn pass(mut near: TcpStream, to: SocketAddr, connector: TlsConnector) {
    let Ok(far) = TcpStream::connect(to).await else { return };
    let Ok(mut far) = connector.connect(ServerName::from(to.ip()), far).await else { return };
    copy_bidirectional(&mut near, &mut far).await.map_or_else(drop, drop);
}

//! The address of a database, as `libpq` has it, with what the client's library does not know: `sslmode=verify-full` and
//! `sslrootcert` in a `postgres://` address, and the password in `PGPASSWORD`, where it does not show in a list of processes.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// Where a server is, and what of its certificate is looked at.
pub(super) struct ServerAddress {
    pub(super) config: Config,
    pub(super) certificate: Certificate,
}

/// Which certificate a server may show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Certificate {
    /// Any: what is sent is hidden from those who listen, not from one who stands in between.
    Any,
    /// One with the server's name that an authority in this file has signed.
    SignedBy(PathBuf),
}

/// Why an address is none. Nothing of it is repeated: it may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum BadAddress {
    /// The library cannot read it.
    #[error("the address of the database is not understood ({0}); it is postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Unreadable(String),
    /// A password with special characters.
    #[error(
        "the address of the database is not understood: in a user or password @ is %40, : is %3A, / is %2F and % is %25"
    )]
    Unescaped,
    /// No server.
    #[error("the address of the database names no server: it is postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    NoHost,
    /// A mode that there is not.
    #[error("there is no sslmode={0} here: there are disable, prefer, require, and verify-full with sslrootcert=FILE")]
    SslMode(String),
    /// Only one of two that belong together.
    #[error(
        "sslmode=verify-full and sslrootcert=FILE, the authority that signed the server's certificate, go together"
    )]
    HalfVerified,
}

impl ServerAddress {
    pub(super) fn read(address: &str) -> Result<Self, BadAddress> {
        let (plain, certificate) = certificate(address)?;
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            let error: Box<dyn std::error::Error> = error.into();
            BadAddress::Unreadable(error.source().map_or_else(|| error.to_string(), ToString::to_string))
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(BadAddress::NoHost);
        }
        if config.get_password().is_none()
            && let Some(password) = std::env::var_os("PGPASSWORD")
        {
            config.password(password.into_encoded_bytes());
        }
        // A socket in a folder does not leave the machine, and no server speaks TLS on it.
        if config.get_hosts().iter().all(is_socket) && config.get_hostaddrs().is_empty() {
            config.ssl_mode(SslMode::Disable);
        } else if certificate != Certificate::Any {
            config.ssl_mode(SslMode::Require);
        }
        Ok(Self { config, certificate })
    }

    /// The server as people call it.
    pub(super) fn place(&self) -> String {
        let ports = self.config.get_ports();
        let place = |(at, host): (usize, &Host)| {
            let port = ports.get(at).or_else(|| ports.first()).copied().unwrap_or(5432);
            match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                Host::Unix(folder) => format!("{}, port {port}", folder.display()),
            }
        };
        let places: Vec<_> = self.config.get_hosts().iter().enumerate().map(place).collect();
        if places.is_empty() { format!("{:?}", self.config.get_hostaddrs()) } else { places.join(" or ") }
    }

    pub(super) fn user(&self) -> &str {
        self.config.get_user().unwrap_or("of this system")
    }

    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().or_else(|| self.config.get_user()).unwrap_or_default()
    }
}

const fn is_socket(host: &Host) -> bool {
    matches!(host, Host::Unix(_))
}

/// The address without what only this program knows.
fn certificate(address: &str) -> Result<(String, Certificate), BadAddress> {
    let Some((_, rest)) = address.split_once("://") else { return Ok((address.to_owned(), Certificate::Any)) };
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    // Half of a password would be taken for the server, and named in errors.
    if place.contains('@') {
        return Err(BadAddress::Unescaped);
    }
    let Some((_, options)) = place.split_once('?') else { return Ok((address.to_owned(), Certificate::Any)) };
    let before = &address[..address.len() - options.len() - 1];
    let (mut kept, mut is_full, mut roots) = (Vec::new(), false, None);
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslmode", "verify-full")) => is_full = true,
            Some(("sslmode", mode)) if !matches!(mode, "disable" | "prefer" | "require") => {
                return Err(BadAddress::SslMode(mode.to_owned()));
            }
            Some(("sslrootcert", file)) => {
                let file = percent_decode_str(file).decode_utf8().map_err(|_| BadAddress::HalfVerified)?;
                roots = Some(PathBuf::from(file.into_owned()));
            }
            Some(_) | None => kept.push(option),
        }
    }
    let plain = if kept.is_empty() { before.to_owned() } else { format!("{before}?{}", kept.join("&")) };
    match (is_full, roots) {
        (true, Some(file)) => Ok((plain, Certificate::SignedBy(file))),
        (false, None) => Ok((plain, Certificate::Any)),
        (true, None) | (false, Some(_)) => Err(BadAddress::HalfVerified),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<(SslMode, Certificate, String), String> {
        let read = ServerAddress::read(address).map_err(|bad| bad.to_string())?;
        Ok((read.config.get_ssl_mode(), read.certificate.clone(), read.place()))
    }

    #[test]
    fn what_an_address_says_of_tls() {
        let signed = Certificate::SignedBy("/etc/a b.pem".into());
        for (address, mode, certificate, place) in [
            ("postgres://u@h/d", SslMode::Prefer, Certificate::Any, "h:5432"),
            ("postgresql://u@h:1/d?sslmode=require", SslMode::Require, Certificate::Any, "h:1"),
            ("postgres://u@h/d?sslmode=disable&connect_timeout=3", SslMode::Disable, Certificate::Any, "h:5432"),
            ("postgres://u@h/d?sslrootcert=%2Fetc/a%20b.pem&sslmode=verify-full", SslMode::Require, signed, "h:5432"),
            ("postgres://u:a?b@h/d?sslmode=require", SslMode::Require, Certificate::Any, "h:5432"),
            ("postgres:///d?host=/run/x&port=7", SslMode::Disable, Certificate::Any, "/run/x, port 7"),
            ("host=/run/x user=u dbname=d", SslMode::Disable, Certificate::Any, "/run/x, port 5432"),
        ] {
            assert_eq!(read(address), Ok((mode, certificate, place.to_owned())), "{address}");
        }
    }

    #[test]
    fn a_bad_address_is_explained_and_its_password_kept() {
        for (address, expected) in [
            ("postgres://u:secret@h/d?sslmode=verify-full", "sslrootcert=FILE"),
            ("postgres://u:secret@h/d?sslrootcert=x", "sslmode=verify-full"),
            ("postgres://u:secret@h/d?sslmode=verify-ca", "no sslmode=verify-ca"),
            ("postgres://u:secret@h/d?colour=red", "unknown option `colour`"),
            ("postgres://u:se@cret@h/d", "@ is %40"),
            ("postgres://u:se/cret@h/d?x=se@cret", "@ is %40"),
            ("postgres://u:secret@h:port/d", "not understood"),
            ("postgres:///d", "names no server"),
        ] {
            let said = read(address).expect_err(address);
            assert!(said.contains(expected), "{address}: {said}");
            assert!(!said.contains("cret"), "{said}");
        }
    }
}

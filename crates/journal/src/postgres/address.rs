//! The address of a database, as `libpq` has it, with what the client's library does not know: `sslmode=verify-full` and
//! `sslrootcert` in a `postgres://` address, `single_server=on`, and the password in `PGPASSWORD`, where it does not show in a list of processes.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

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
    /// Another number of ports or addresses than of servers.
    #[error("the address of the database names several servers, and not as many ports: name one port, or one for each")]
    Unequal,
    /// A mode that there is not.
    #[error("there is no sslmode={0} here: there are disable, prefer, require, and verify-full with sslrootcert=FILE")]
    SslMode(String),
    /// Neither on nor off.
    #[error("there is no single_server={0}: it is on, where one server without synchronous standbys is wanted, or off")]
    SingleServer(String),
    /// Only one of two that belong together.
    #[error(
        "sslmode=verify-full and sslrootcert=FILE, the authority that signed the server's certificate, go together"
    )]
    HalfVerified,
}

impl ServerAddress {
    pub(super) fn read(address: &str) -> Result<Self, BadAddress> {
        let Extensions { plain, certificate, is_single_server } = extensions(address)?;
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
        if is_single_server {
            let before = config.get_options().map(|options| format!("{options} ")).unwrap_or_default();
            config.options(format!("{before}{SINGLE_SERVER}"));
        }
        // A socket in a folder does not leave the machine, and no server speaks TLS on it.
        if config.get_hosts().iter().all(is_socket) && config.get_hostaddrs().is_empty() {
            config.ssl_mode(SslMode::Disable);
        } else if certificate != Certificate::Any {
            config.ssl_mode(SslMode::Require);
        }
        // One of several is the primary, and only that one takes blocks.
        if count(&config) > 1 && !address.contains("target_session_attrs") {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        Ok(Self { config, certificate })
    }

    /// Each server of the address by itself, in its order.
    pub(super) fn alone(&self) -> Result<Vec<Self>, BadAddress> {
        let (hosts, numbers, ports) = (self.config.get_hosts(), self.config.get_hostaddrs(), self.config.get_ports());
        let count = count(&self.config);
        let fits = |number: usize| number == count || number == 0;
        if !fits(hosts.len()) || !fits(numbers.len()) || !(fits(ports.len()) || ports.len() == 1) {
            return Err(BadAddress::Unequal);
        }
        let alone = |at: usize| {
            let mut config = self.without_hosts();
            match hosts.get(at) {
                Some(Host::Tcp(name)) => {
                    config.host(name);
                }
                Some(Host::Unix(folder)) => {
                    config.host_path(folder);
                }
                None => {}
            }
            if let Some(number) = numbers.get(at) {
                config.hostaddr(*number);
            }
            if let Some(port) = ports.get(at).or_else(|| ports.first()) {
                config.port(*port);
            }
            Self { config, certificate: self.certificate.clone() }
        };
        Ok((0..count).map(alone).collect())
    }

    /// All that does not say where a server is.
    fn without_hosts(&self) -> Config {
        let all = &self.config;
        let mut config = Config::new();
        config
            .ssl_mode(all.get_ssl_mode())
            .ssl_negotiation(all.get_ssl_negotiation())
            .target_session_attrs(all.get_target_session_attrs())
            .channel_binding(all.get_channel_binding())
            .keepalives(all.get_keepalives());
        if let Some(user) = all.get_user() {
            config.user(user);
        }
        if let Some(password) = all.get_password() {
            config.password(password);
        }
        if let Some(database) = all.get_dbname() {
            config.dbname(database);
        }
        if let Some(options) = all.get_options() {
            config.options(options);
        }
        if let Some(time) = all.get_connect_timeout() {
            config.connect_timeout(*time);
        }
        config
    }

    /// The server as people call it.
    pub(super) fn display_name(&self) -> String {
        let ports = self.config.get_ports();
        let port = |at: usize| ports.get(at).or_else(|| ports.first()).copied().unwrap_or(5432);
        let place = |at: usize| match (self.config.get_hosts().get(at), self.config.get_hostaddrs().get(at)) {
            (Some(Host::Tcp(name)), _) => format!("{name}:{}", port(at)),
            (Some(Host::Unix(folder)), _) => format!("{}, port {}", folder.display(), port(at)),
            (None, Some(number)) => format!("{number}:{}", port(at)),
            (None, None) => String::new(),
        };
        (0..count(&self.config)).map(place).collect::<Vec<_>>().join(" or ")
    }

    pub(super) fn user(&self) -> &str {
        self.config.get_user().unwrap_or("of this system")
    }

    pub(super) fn database(&self) -> &str {
        self.config.get_dbname().or_else(|| self.config.get_user()).unwrap_or_default()
    }
}

/// How many servers an address names.
fn count(config: &Config) -> usize {
    config.get_hosts().len().max(config.get_hostaddrs().len())
}

const fn is_socket(host: &Host) -> bool {
    matches!(host, Host::Unix(_))
}

/// Has a session accept a server without synchronous standbys. The server keeps the setting, so that an append can look
/// at it; it may also be set there, for a database or a user.
const SINGLE_SERVER: &str = "-c taisai.single_server=on";

/// An address without what only this program knows, and that.
struct Extensions {
    plain: String,
    certificate: Certificate,
    is_single_server: bool,
}

fn extensions(address: &str) -> Result<Extensions, BadAddress> {
    let none = || Extensions { plain: address.to_owned(), certificate: Certificate::Any, is_single_server: false };
    let Some((_, rest)) = address.split_once("://") else { return Ok(none()) };
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    // Half of a password would be taken for the server, and named in errors.
    if place.contains('@') {
        return Err(BadAddress::Unescaped);
    }
    let Some((_, options)) = place.split_once('?') else { return Ok(none()) };
    let before = &address[..address.len() - options.len() - 1];
    let (mut kept, mut is_full, mut roots, mut is_single_server) = (Vec::new(), false, None, false);
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
            Some(("single_server", "on")) => is_single_server = true,
            Some(("single_server", "off")) => is_single_server = false,
            Some(("single_server", other)) => return Err(BadAddress::SingleServer(other.to_owned())),
            Some(_) | None => kept.push(option),
        }
    }
    let plain = if kept.is_empty() { before.to_owned() } else { format!("{before}?{}", kept.join("&")) };
    let certificate = match (is_full, roots) {
        (true, Some(file)) => Certificate::SignedBy(file),
        (false, None) => Certificate::Any,
        (true, None) | (false, Some(_)) => return Err(BadAddress::HalfVerified),
    };
    Ok(Extensions { plain, certificate, is_single_server })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<(SslMode, Certificate, String), String> {
        let read = ServerAddress::read(address).map_err(|bad| bad.to_string())?;
        Ok((read.config.get_ssl_mode(), read.certificate.clone(), read.display_name()))
    }

    #[test]
    fn tls_settings_of_addresses() {
        let signed = Certificate::SignedBy("/etc/a b.pem".into());
        for (address, mode, certificate, place) in [
            ("postgres://u@h/d", SslMode::Prefer, Certificate::Any, "h:5432"),
            ("postgresql://u@h:1/d?sslmode=require", SslMode::Require, Certificate::Any, "h:1"),
            ("postgres://u@h/d?sslmode=disable&connect_timeout=3", SslMode::Disable, Certificate::Any, "h:5432"),
            ("postgres://u@h/d?sslrootcert=%2Fetc/a%20b.pem&sslmode=verify-full", SslMode::Require, signed, "h:5432"),
            ("postgres://u:a?b@h/d?sslmode=require", SslMode::Require, Certificate::Any, "h:5432"),
            ("postgres:///d?host=/run/x&port=7", SslMode::Disable, Certificate::Any, "/run/x, port 7"),
            ("host=/run/x user=u dbname=d", SslMode::Disable, Certificate::Any, "/run/x, port 5432"),
            ("postgres://u@a,b:7/d", SslMode::Prefer, Certificate::Any, "a:5432 or b:7"),
        ] {
            assert_eq!(read(address), Ok((mode, certificate, place.to_owned())), "{address}");
        }
    }

    #[test]
    fn servers_of_an_address_are_read_one_by_one() {
        let one = "postgres://u:secret@a/d?options=-c%20x%3Dy";
        let several = "postgres://u:secret@a:1,b,[::1]:3/d?options=-c%20x%3Dy";
        for (address, places, attributes) in [
            (one.to_owned(), vec!["a:5432"], TargetSessionAttrs::Any),
            (several.to_owned(), vec!["a:1", "b:5432", "::1:3"], TargetSessionAttrs::ReadWrite),
            (format!("{several}&target_session_attrs=any"), vec!["a:1", "b:5432", "::1:3"], TargetSessionAttrs::Any),
            ("host=a,b port=7".to_owned(), vec!["a:7", "b:7"], TargetSessionAttrs::ReadWrite),
            (
                "hostaddr=10.0.0.1,10.0.0.2".to_owned(),
                vec!["10.0.0.1:5432", "10.0.0.2:5432"],
                TargetSessionAttrs::ReadWrite,
            ),
        ] {
            let servers = ServerAddress::read(&address).unwrap().alone().unwrap();
            assert_eq!(servers.iter().map(ServerAddress::display_name).collect::<Vec<_>>(), places, "{address}");
            assert!(servers.iter().all(|server| server.config.get_target_session_attrs() == attributes), "{address}");
            let is_kept = |server: &ServerAddress| {
                let config = &server.config;
                (config.get_password(), config.get_options(), config.get_dbname())
                    == (Some(b"secret".as_slice()), Some("-c x=y"), Some("d"))
            };
            assert!(!address.contains("secret") || servers.iter().all(is_kept), "{address}");
        }
        assert!(matches!(ServerAddress::read("host=a,b,c port=1,2").unwrap().alone(), Err(BadAddress::Unequal)));
    }

    #[test]
    fn an_address_says_whether_one_server_is_wanted() {
        for (address, options) in [
            ("postgres://u@h/d", None),
            ("postgres://u@h/d?single_server=off", None),
            ("postgres://u@h/d?single_server=on&connect_timeout=3", Some(SINGLE_SERVER.to_owned())),
            ("postgres://u@h/d?options=-c%20x%3Dy&single_server=on", Some(format!("-c x=y {SINGLE_SERVER}"))),
        ] {
            let read = ServerAddress::read(address).unwrap();
            assert_eq!(read.config.get_options(), options.as_deref(), "{address}");
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
            ("postgres://u:secret@h/d?single_server=yes", "no single_server=yes"),
        ] {
            let said = read(address).expect_err(address);
            assert!(said.contains(expected), "{address}: {said}");
            assert!(!said.contains("cret"), "{said}");
        }
    }
}

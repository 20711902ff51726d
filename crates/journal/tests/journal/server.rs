//! How a server is reached: who is let in, what TLS proves, and that nothing waits for ever.

use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use taisai_journal::suite::{ReservedPort, Spawned, TemporaryServer, begin, block, head, wait_until};
use taisai_journal::{AppendError, Journal, Postgres, PostgresArchive};
use tempfile::TempDir;

/// How long a store waits for a server that does not answer: long enough for what the server does answer.
const PATIENCE: Duration = Duration::from_secs(1);

/// What comes out of opening a store: nothing, or the words for it.
fn open(address: &str) -> Result<(), String> {
    Postgres::open(address).map(drop).map_err(|error| error.to_string())
}

fn refused(address: &str, expected: &str) {
    let message = open(address).expect_err(address);
    assert!(message.contains(expected), "{address}: {message}");
    assert!(!message.contains("secret") && !message.contains('\n'), "{message}");
}

/// Someone who signs certificates.
struct Authority(Issuer<'static, KeyPair>, PathBuf);

impl Authority {
    fn new(folder: &Path, name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("a certificate");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let file = folder.join(name);
        std::fs::write(&file, params.self_signed(&key).expect("a certificate").pem()).expect("a file");
        Self(Issuer::new(params, key), file)
    }

    /// A certificate for a server of that name, and its key.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("a certificate");
        (params.signed_by(&key, &self.0).expect("a certificate").pem(), key.serialize_pem())
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn tls_is_used_and_proven_as_the_address_asks() {
    let folder = folder();
    let authority = Authority::new(folder.path(), "authority.pem");
    let stranger = Authority::new(folder.path(), "stranger.pem");
    let mut server = TemporaryServer::start();
    let plain = server.listen("", "host all all 127.0.0.1/32 trust");
    let without = |mode: &str| format!("postgres://postgres@127.0.0.1:{plain}/postgres?sslmode={mode}");
    refused(&without("require"), "the server at 127.0.0.1:");
    refused(&without("require"), "server does not support TLS");
    assert_eq!(open(&without("prefer")), Ok(()));

    let (certificate, key) = authority.sign("localhost");
    let (certificate, key) = (server.put("server.pem", &certificate), server.put("server.key", &key));
    let settings = format!("-c ssl=on -c ssl_cert_file={} -c ssl_key_file={}", certificate.display(), key.display());
    let port = server.listen(&settings, "hostssl all all 127.0.0.1/32 trust");
    let at = |host: &str, mode: &str| format!("postgres://postgres@{host}:{port}/postgres?sslmode={mode}");
    refused(&at("localhost", "disable"), "does not let user postgres in");
    for mode in ["prefer", "require"] {
        assert_eq!(open(&at("localhost", mode)), Ok(()), "{mode}");
        assert_eq!(open(&at("127.0.0.1", mode)), Ok(()), "{mode}: nobody looks at the name");
    }
    let full = |by: &Path| format!("verify-full&sslrootcert={}", by.display());
    assert_eq!(open(&at("localhost", &full(&authority.1))), Ok(()));
    refused(&at("127.0.0.1", &full(&authority.1)), "not valid for name");
    refused(&at("localhost", &full(&stranger.1)), "invalid peer certificate");
    refused(&at("localhost", &full(&key)), "it holds no certificate");
    refused(&at("localhost", &full(Path::new("/no/such/file"))), "sslrootcert /no/such/file cannot be used");
}

#[test]
fn refused_login_says_what_to_do() {
    let mut server = TemporaryServer::start();
    let port = server.listen("-c lc_messages=C", "host all all 127.0.0.1/32 scram-sha-256");
    let mut client = postgres::Client::connect(&server.address("postgres"), postgres::NoTls).expect("a connection");
    client.batch_execute("CREATE ROLE auditor LOGIN PASSWORD 'right secret'").expect("a role");
    let at = |who: &str, database: &str| format!("postgres://{who}127.0.0.1:{port}/{database}");
    refused(&at("auditor:wrong%20secret@", "postgres"), "does not let user auditor in (password authentication failed");
    refused(&at("auditor@", "postgres"), "check user and password");
    refused(&at("auditor:right%20secret@", "nowhere"), "has no database \"nowhere\": make it (createdb nowhere)");
    let reading = PostgresArchive::open(&at("auditor:right%20secret@", "postgres")).expect_err("there are no tables");
    assert_eq!(reading.to_string(), "the database holds no records of this program: correct the address");
    client.batch_execute("CREATE SCHEMA taisai_journal; CREATE TABLE taisai_journal.chains (x int)").expect("a schema");
    refused(&server.address("postgres"), "is not of this program: use another database");

    let nobody = ReservedPort::new();
    let nobody = nobody.number();
    refused(&format!("postgres://auditor:secret@127.0.0.1:{nobody}/d"), "no PostgreSQL server answers at 127.0.0.1:");
    refused("postgres://auditor:secret@no-such-host.invalid/d", "no PostgreSQL server answers at no-such-host.invalid");
}

#[test]
fn append_without_a_reply_has_an_unknown_outcome() {
    let mut server = TemporaryServer::start();
    let address = server.database();
    let first = begin(&mut Postgres::open(&address).expect("a store"), "house");
    server.crash();
    // No time-out of the server holds while a commit waits for its standby.
    server.run("-c synchronous_standby_names=nobody");
    let mut journal = Postgres::open(&address).expect("a store").with_timeout(PATIENCE).expect("a setting");
    let next = block(&first, &[b"x"]);
    let result = journal.append(std::slice::from_ref(&next));
    assert!(matches!(result, Err(AppendError::Unknown(_))), "{result:?}");
    let later = journal.append(&[block(&head(&next), &[b"y"])]);
    assert!(matches!(later, Err(AppendError::Poisoned)), "{later:?}");
}

#[test]
fn lock_wait_times_out() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let mut journal = Postgres::open(&address).expect("a store");
    let first = begin(&mut journal, "house");
    let mut journal = journal.with_timeout(PATIENCE).expect("a setting");
    let mut other = postgres::Client::connect(&address, postgres::NoTls).expect("a connection");
    other.batch_execute("BEGIN; LOCK TABLE taisai_journal.chains").expect("a lock");
    let result = journal.append(&[block(&first, &[b"x"])]);
    let is_stopped = matches!(result, Err(AppendError::Unknown(_) | AppendError::Failed(_)));
    assert!(is_stopped, "{result:?}");
}

/// A setting that is taken away while the store is open takes nothing from what is acknowledged.
#[test]
fn commit_stays_durable_after_a_settings_reload() {
    let server = TemporaryServer::start();
    let address = server.database();
    let mut journal = Postgres::open(&address).expect("a store");
    let first = begin(&mut journal, "house");
    let mut other = postgres::Client::connect(&address, postgres::NoTls).expect("a connection");
    let spy = "CREATE TABLE seen (setting text);
        CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN new; END $$;
        CREATE TRIGGER spy BEFORE INSERT ON taisai_journal.blocks FOR EACH ROW EXECUTE FUNCTION spy()";
    other.batch_execute(spy).expect("a trigger");
    other.batch_execute("ALTER SYSTEM SET synchronous_commit = off").expect("a setting");
    other.batch_execute("SELECT pg_reload_conf()").expect("a signal");
    // A session that begins after the setting was read shows that all others were told to read it again.
    let is_off = || {
        let mut fresh = postgres::Client::connect(&address, postgres::NoTls).expect("a connection");
        fresh.query_one("SHOW synchronous_commit", &[]).expect("a setting").get::<_, String>(0) == "off"
    };
    wait_until("a new session shows the setting", is_off);
    journal.append(&[block(&first, &[b"x"])]).expect("it is stored");
    let seen: String = other.query_one("SELECT setting FROM seen", &[]).expect("a row").get(0);
    assert_eq!(seen, "on", "it is acknowledged");
    other.batch_execute("ALTER SYSTEM SET full_page_writes = off").expect("a setting");
    other.batch_execute("SELECT pg_reload_conf()").expect("a signal");
    let shows = |client: &mut postgres::Client| client.query_one("SHOW full_page_writes", &[]).expect("a setting");
    let is_off = || {
        let mut fresh = postgres::Client::connect(&address, postgres::NoTls).expect("a connection");
        shows(&mut fresh).get::<_, String>(0) == "off"
    };
    wait_until("a new session shows the setting", is_off);
    let refused = journal.append(&[block(&first, &[b"y"])]);
    assert!(matches!(refused, Err(taisai_journal::AppendError::Failed(_))), "{refused:?}");
}

#[test]
fn silent_listener_is_not_a_server() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    refused(&format!("postgres://postgres@127.0.0.1:{port}/d"), "(it is silent)");
}

#[test]
fn test_server_ends_with_a_killed_test() {
    let mut command = Spawned::test("server::other_process");
    command.env("HOLD_A_SERVER", "").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut test = Spawned::start(&mut command);
    let line = test.lines().find(|line| line.contains("host=")).expect("an address");
    let folder = line.split("host=").nth(1).and_then(|rest| rest.split(' ').next()).expect("a folder");
    assert!(Path::new(folder).exists());
    test.kill().expect("it runs");
    test.wait().expect("it ends");
    // Whoever removes the server holds this end of the pipe until that is done.
    test.stderr.take().expect("a pipe").read_to_end(&mut Vec::new()).expect("the end");
    assert!(!Path::new(folder).exists(), "{folder}");
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn other_process() {
    if std::env::var_os("HOLD_A_SERVER").is_some() {
        let server = TemporaryServer::start();
        println!("{}", server.address("postgres"));
        loop {
            std::thread::park();
        }
    }
}

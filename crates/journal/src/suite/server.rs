//! A `PostgreSQL` server for the length of a test: the machine's own binaries, a folder of its own, a socket in it.
//!
//! A shell holds the server. It waits for a word from this process, or for its end: however this process ends, the
//! server stops and its folder goes.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};
use tempfile::TempDir;

/// A temporary server.
#[derive(Debug)]
pub struct TemporaryServer {
    folder: PathBuf,
    binaries: PathBuf,
    keeper: Option<Keeper>,
    databases: AtomicU32,
    port: u16,
}

#[derive(Debug)]
struct Keeper {
    shell: Child,
    word: ChildStdin,
}

/// A socket's name has it.
const DEFAULT_PORT: u16 = 5432;

/// Makes the cluster if it is not there, starts the server and waits. `keep` keeps the folder; anything else, and the end of
/// the one who speaks, at whatever moment, does not.
const KEEP: &str = r#"
trap '' INT TERM PIPE
[ -e "$2/data" ] || "$1/initdb" -D "$2/data" -U postgres -A trust -E UTF8 --no-locale --no-sync </dev/null >/dev/null 2>"$2/log" \
    && "$1/pg_ctl" -D "$2/data" -l "$2/log" -w -t 60 -o "-c listen_addresses='' -c unix_socket_directories='$2' $3" start \
    </dev/null >/dev/null 2>&1 || { cat "$2/log" >&2; rm -rf "$2"; exit 1; }
echo ready 2>/dev/null
word=gone
read -r word
"$1/pg_ctl" -D "$2/data" -m immediate -w stop </dev/null >/dev/null 2>&1
[ "$word" = keep ] || rm -rf "$2"
"#;

impl TemporaryServer {
    /// Makes and starts a server.
    ///
    /// # Panics
    /// If there is no `PostgreSQL` on this machine, or it cannot be started.
    pub fn start() -> Self {
        let binaries = binaries().expect(
            "PostgreSQL 15 or later is missing: install its server (Debian: apt-get install postgresql), then run again",
        );
        // The shell removes the folder, so that it goes even if this process is killed.
        let folder = TempDir::with_prefix("taisai-pg-").expect("a folder").keep();
        give(&folder);
        let mut server = Self { folder, binaries, keeper: None, databases: AtomicU32::new(0), port: DEFAULT_PORT };
        server.run("");
        server
    }

    /// Starts the server again after [`Self::crash`], with more settings (`-c name=value`).
    ///
    /// # Panics
    /// If it does not start.
    pub fn run(&mut self, settings: &str) {
        let mut command = shell(&self.binaries, &self.folder);
        let mut shell = command.arg(settings).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let word = shell.stdin.take().expect("a pipe");
        let mut line = String::new();
        BufReader::new(shell.stdout.take().expect("a pipe")).read_line(&mut line).expect("an answer");
        assert_eq!(line, "ready\n", "PostgreSQL did not start in {}", self.folder.display());
        self.keeper = Some(Keeper { shell, word });
        self.port = DEFAULT_PORT;
    }

    /// Stops the server as a power cut would: nothing is finished, nothing is said.
    ///
    /// # Panics
    /// If it is not running.
    pub fn crash(&mut self) {
        let mut keeper = self.keeper.take().expect("the server runs");
        keeper.word.write_all(b"keep\n").expect("the shell listens");
        keeper.shell.wait().expect("the shell ends");
    }

    /// Starts the server again on a loopback port, with these settings, letting in whom these lines of `pg_hba.conf` let in;
    /// the port.
    ///
    /// # Panics
    /// If it does not start.
    pub fn listen(&mut self, settings: &str, lets_in: &str) -> u16 {
        self.crash();
        self.put("data/pg_hba.conf", &format!("local all all trust\n{lets_in}\n"));
        // Somebody may take the port before the server does.
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        self.run(&format!("-c listen_addresses=127.0.0.1 -c port={port} {settings}"));
        self.port = port;
        port
    }

    /// Writes a file in the server's folder that only the server may read.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn put(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, content).expect("a file");
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("permissions");
        give(&path);
        path
    }

    /// The address of a new, empty database.
    ///
    /// # Panics
    /// If the server does not make one.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let mut client = Client::connect(&self.address("postgres"), NoTls).expect("a connection");
        client.batch_execute(&format!("CREATE DATABASE {name}")).expect("a database");
        self.address(&name)
    }

    /// The address of a database.
    pub fn address(&self, database: &str) -> String {
        format!("host={} port={} user=postgres dbname={database}", self.folder.display(), self.port)
    }
}

impl Drop for TemporaryServer {
    fn drop(&mut self) {
        match self.keeper.take() {
            Some(Keeper { mut shell, word }) => {
                drop(word);
                if let Err(error) = shell.wait() {
                    eprintln!("the server may be left running: {error}");
                }
            }
            None => {
                if let Err(error) = std::fs::remove_dir_all(&self.folder) {
                    eprintln!("{} is left: {error}", self.folder.display());
                }
            }
        }
    }
}

/// The newest of Debian's folders, or whatever the path has.
fn binaries() -> Option<PathBuf> {
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest =
        installed.map(|entry| entry.path()).filter(|path| version(path) >= Some(15)).max_by_key(|path| version(path));
    let on_path = || std::env::split_paths(&std::env::var_os("PATH")?).find(|folder| folder.join("initdb").exists());
    newest.map(|folder| folder.join("bin")).filter(|folder| folder.join("initdb").exists()).or_else(on_path)
}

/// `PostgreSQL` refuses to run as root; then it runs as the user that its package made, or as nobody.
fn other_user() -> Option<&'static str> {
    let id = |arguments: &[&str]| Command::new("id").args(arguments).stderr(Stdio::null()).output().expect("id");
    if id(&["-u"]).stdout != b"0\n" {
        return None;
    }
    Some(if id(&["-u", "postgres"]).status.success() { "postgres" } else { "nobody" })
}

/// Gives a file to the user that the server runs as.
fn give(path: &Path) {
    if let Some(user) = other_user() {
        let given = Command::new("chown").arg(user).arg(path).status().expect("chown");
        assert!(given.success(), "{} cannot be given to the user {user}", path.display());
    }
}

/// The shell that keeps the server, with the binaries and the folder as its arguments, run by the user who may.
fn shell(binaries: &Path, folder: &Path) -> Command {
    let mut command = match other_user() {
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", user, "--clear-groups", "sh"]);
            command
        }
        None => Command::new("sh"),
    };
    command.args(["-c", KEEP, "sh"]).arg(binaries).arg(folder).current_dir("/");
    command
}

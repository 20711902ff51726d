//! A `PostgreSQL` server for the length of a test: the machine's own binaries, a folder of its own, a socket in it.
//!
//! A shell holds the server. It waits for a word from this process, or for its end: however this process ends, the
//! server stops and its folder goes.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use postgres::{Client, NoTls};
use tempfile::TempDir;

use super::port::ReservedPort;
use super::wait::wait_until;

/// A temporary server.
#[derive(Debug)]
pub struct TemporaryServer {
    folder: PathBuf,
    binaries: PathBuf,
    primary: String,
    shell_of_server: Option<ServerShell>,
    databases: AtomicU32,
    port: Option<Arc<ReservedPort>>,
    /// Whether stores accept it without synchronous standbys.
    is_single: bool,
}

#[derive(Debug)]
struct ServerShell {
    shell: Child,
    word: ChildStdin,
}

/// A socket's name has it.
const DEFAULT_PORT: u16 = 5432;

/// Makes the cluster if it is not there, a new one or a copy of another server's, starts the server and waits. `keep` keeps the
/// folder; anything else, and the end of its standard input, at whatever moment, does not. A paused server gets no
/// signal, so it is resumed before it is stopped.
const SERVER_SCRIPT: &str = r#"
trap '' INT TERM PIPE
make() {
    if [ -n "$4" ]; then
        "$1/pg_basebackup" -D "$2/data" -d "$4" --write-recovery-conf --checkpoint=fast --no-sync
    else
        "$1/initdb" -D "$2/data" -U postgres -A trust -E UTF8 --no-locale --no-sync
    fi
}
[ -e "$2/data" ] || make "$@" </dev/null >/dev/null 2>"$2/log" \
    && "$1/pg_ctl" -D "$2/data" -l "$2/log" -w -t 120 \
        -o "-c listen_addresses='' -c unix_socket_directories='$2' -c dynamic_shared_memory_type=mmap $3" start \
    </dev/null >/dev/null 2>&1 || { cat "$2/log" >&2; rm -rf "$2"; exit 1; }
echo ready 2>/dev/null
word=gone
read -r word
kill -CONT "$(head -n 1 "$2/data/postmaster.pid" 2>/dev/null)" 2>/dev/null
"$1/pg_ctl" -D "$2/data" -m immediate -w stop </dev/null >/dev/null 2>&1
[ "$word" = keep ] || rm -rf "$2"
"#;

impl TemporaryServer {
    /// Makes and starts a server that is wanted without standbys.
    ///
    /// # Panics
    /// If there is no `PostgreSQL` on this machine, or it cannot be started.
    pub fn start() -> Self {
        let mut server = Self::absent("");
        server.is_single = true;
        server.run("");
        server
    }

    /// The server of all tests in this process that need no more than a database: making one takes longer than most of them. It goes
    /// with the process.
    ///
    /// # Panics
    /// If there is no `PostgreSQL` on this machine, or it cannot be started.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<TemporaryServer> = LazyLock::new(TemporaryServer::start);
        &SHARED
    }

    /// A server that was never started: a new one, or a standby of the one at this address.
    pub(super) fn absent(primary: &str) -> Self {
        let binaries = binaries().expect(
            "PostgreSQL 15 or later is missing: install its server (Debian: apt-get install postgresql), then run again",
        );
        // The shell removes the folder, so that it goes even if this process is killed.
        let folder = TempDir::with_prefix("taisai-pg-").expect("a folder").keep();
        give(&folder);
        let primary = primary.to_owned();
        Self {
            folder,
            binaries,
            primary,
            shell_of_server: None,
            databases: AtomicU32::new(0),
            port: None,
            is_single: false,
        }
    }

    /// Starts the server again after [`Self::crash`], with more settings (`-c name=value`).
    ///
    /// # Panics
    /// If it does not start.
    pub fn run(&mut self, settings: &str) {
        let mut command = as_server("sh");
        command
            .args(["-c", SERVER_SCRIPT, "sh"])
            .arg(&self.binaries)
            .arg(&self.folder)
            .arg(if self.is_single { format!("-c taisai.single_server=on {settings}") } else { settings.to_owned() })
            .arg(&self.primary);
        let mut shell = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let word = shell.stdin.take().expect("a pipe");
        let mut line = String::new();
        BufReader::new(shell.stdout.take().expect("a pipe")).read_line(&mut line).expect("an answer");
        assert_eq!(line, "ready\n", "PostgreSQL did not start in {}", self.folder.display());
        self.shell_of_server = Some(ServerShell { shell, word });
        self.port = None;
    }

    /// Stops the server as a power cut would: nothing is finished, nothing is said.
    ///
    /// # Panics
    /// If it is not running.
    pub fn crash(&mut self) {
        let mut shell_of_server = self.shell_of_server.take().expect("the server runs");
        shell_of_server.word.write_all(b"keep\n").expect("the shell listens");
        shell_of_server.shell.wait().expect("the shell ends");
    }

    /// Starts the server again on a loopback port, with these settings, letting in whom these lines of `pg_hba.conf` let in;
    /// the port.
    ///
    /// # Panics
    /// If it does not start.
    pub fn listen(&mut self, settings: &str, lets_in: &str) -> u16 {
        self.crash();
        self.put("data/pg_hba.conf", &format!("local all all trust\n{lets_in}\n"));
        self.run_on(Arc::new(ReservedPort::new()), settings);
        self.port()
    }

    /// Starts the server on a loopback port.
    pub(super) fn run_on(&mut self, port: Arc<ReservedPort>, settings: &str) {
        self.run(&format!("-c listen_addresses=127.0.0.1 -c port={} {settings}", port.number()));
        self.port = Some(port);
    }

    /// The loopback port that it listens on, or the number in its socket's name.
    pub fn port(&self) -> u16 {
        self.port.as_ref().map_or(DEFAULT_PORT, |port| port.number())
    }

    /// Its loopback port, for a server that takes its place.
    pub(super) fn reserved_port(&self) -> Option<Arc<ReservedPort>> {
        self.port.clone()
    }

    /// Has `pg_ctl` do something with the server.
    ///
    /// # Panics
    /// If it fails.
    pub(super) fn control(&self, arguments: &[&str]) {
        let mut command = as_server(self.binaries.join("pg_ctl"));
        let ran = command.arg("-D").arg(self.folder.join("data")).args(arguments).output().expect("pg_ctl");
        assert!(ran.status.success(), "pg_ctl {arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// The process that the server began as.
    pub(super) fn process(&self) -> u32 {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).expect("the server runs");
        file.lines().next().and_then(|line| line.parse().ok()).expect("its number")
    }

    /// The server's processes were killed: nobody is to take those that bear their numbers for them.
    pub(super) fn clean_up_after_kill(&mut self) {
        let lock = format!(".s.PGSQL.{}.lock", self.port());
        for left in ["data/postmaster.pid", lock.as_str()] {
            std::fs::remove_file(self.folder.join(left)).expect("what the server left");
        }
        self.crash();
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
        format!("host={} port={} user=postgres dbname={database}", self.folder.display(), self.port())
    }
}

/// Waits until nobody else is connected to a database. The server goes on with a statement whose client was killed: until that
/// session has ended a block may still come.
///
/// # Panics
/// If the database cannot be reached, or somebody stays connected for longer than [`HANG_LIMIT`](super::HANG_LIMIT).
pub fn wait_until_alone(address: &str) {
    let others = "SELECT count(*) FROM pg_stat_activity
                  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    let mut client = Client::connect(address, NoTls).expect("a connection");
    wait_until("every other session has ended", || {
        client.query_one(others, &[]).expect("an answer").get::<_, i64>(0) == 0
    });
}

impl Drop for TemporaryServer {
    fn drop(&mut self) {
        match self.shell_of_server.take() {
            Some(ServerShell { mut shell, word }) => {
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

/// A command, run by the user who may run a server.
fn as_server(program: impl AsRef<OsStr>) -> Command {
    let mut command = match other_user() {
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", user, "--clear-groups"]).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.current_dir("/");
    command
}

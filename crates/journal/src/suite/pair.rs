//! Two servers for the length of a test: a primary, and a standby that every commit waits for. Each can be paused and killed
//! as a machine is that freezes or loses its power, and the standby can be promoted.

use std::process::Command;
use std::sync::Arc;

use postgres::{Client, NoTls};

use super::port::ReservedPort;
use super::server::TemporaryServer;
use super::wait::wait_until;

/// A primary and its synchronous standby.
#[derive(Debug)]
pub struct PostgresPair {
    /// The server that takes writes, until it is killed.
    pub primary: TemporaryServer,
    /// The server that has every commit before it is acknowledged.
    pub standby: TemporaryServer,
}

/// Who is let in: everyone on this machine, and the standby.
const LETS_IN: &str = "local replication all trust\nhost all all 127.0.0.1/32 trust";

/// Under this name a primary knows its standby.
const KNOWN_AS: &str = "-c cluster_name=standby";

/// What a primary waits for.
const ONE: &str = "ANY 1 (standby)";

impl PostgresPair {
    /// Makes and starts both; they are in step.
    ///
    /// # Panics
    /// If there is no `PostgreSQL` on this machine, or it cannot be started.
    pub fn start() -> Self {
        let mut primary = TemporaryServer::absent("");
        primary.run("");
        primary.listen("", LETS_IN);
        let mut standby = TemporaryServer::absent(&primary.address("postgres"));
        standby.run_on(Arc::new(ReservedPort::new()), KNOWN_AS);
        let pair = Self { primary, standby };
        pair.wait_for(ONE);
        pair
    }

    /// Has every commit wait for standbys of these names (`synchronous_standby_names`), and waits until it does.
    ///
    /// # Panics
    /// If the standby does not catch up.
    pub fn wait_for(&self, names: &str) {
        let mut client = client(&self.primary, "postgres");
        client.batch_execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'")).expect("a setting");
        client.batch_execute("SELECT pg_reload_conf()").expect("a signal");
        wait_until("the standby is in step", || {
            let row = client.query_opt("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'", &[]);
            row.expect("an answer").is_some_and(|row| (row.get::<_, &str>(0) == "async") == names.is_empty())
        });
    }

    /// The address of a database on whichever of the two takes writes. On a busy machine a server may take longer to answer than a
    /// store gives each of several.
    pub fn address(&self, database: &str) -> String {
        let (primary, standby) = (self.primary.port(), self.standby.port());
        format!(
            "postgres://postgres@127.0.0.1:{primary},127.0.0.1:{standby}/{database}?target_session_attrs=read-write&connect_timeout=60"
        )
    }

    /// Makes a database on both; its address.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn database(&self, name: &str) -> String {
        client(&self.primary, "postgres").batch_execute(&format!("CREATE DATABASE {name}")).expect("a database");
        // The standby has it when this was acknowledged, and shows it a little later.
        let mut standby = client(&self.standby, "postgres");
        let is_shown = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)";
        wait_until("the standby shows it", || standby.query_one(is_shown, &[&name]).expect("an answer").get(0));
        self.address(name)
    }

    /// Makes the standby the primary; it takes writes when this returns. It has no standby of its own, so that stores
    /// refuse it until [`Self::accept_alone`] or [`Self::replace`].
    ///
    /// # Panics
    /// If it does not.
    pub fn promote(&self) {
        self.standby.control(&["promote", "-w", "-t", "120"]);
    }

    /// Says on the promoted server that one server is wanted, for sessions from now on.
    ///
    /// # Panics
    /// If it does not take the setting.
    pub fn accept_alone(&self) {
        let accept = "ALTER ROLE postgres SET taisai.single_server = 'on'";
        client(&self.standby, "postgres").batch_execute(accept).expect("a setting");
    }

    /// After a primary was killed and the standby promoted: what was promoted is the primary from now on, and a new standby takes
    /// the place and the port of the one that was killed. They are in step.
    ///
    /// # Panics
    /// If the standby cannot be made.
    pub fn replace(&mut self) {
        let mut standby = TemporaryServer::absent(&self.standby.address("postgres"));
        standby.run_on(self.primary.reserved_port().expect("a primary listens on a port"), KNOWN_AS);
        self.primary = std::mem::replace(&mut self.standby, standby);
        self.wait_for(ONE);
        let refuse = "ALTER ROLE postgres RESET taisai.single_server";
        client(&self.primary, "postgres").batch_execute(refuse).expect("a setting");
    }
}

impl TemporaryServer {
    /// Freezes every process of the server, as a machine does that hangs. Nobody is told.
    ///
    /// # Panics
    /// If it is not running.
    pub fn pause(&self) {
        signal("STOP", &[self.process()]);
        signal("STOP", &children(self.process()));
    }

    /// Lets a server go on that was paused.
    ///
    /// # Panics
    /// If it is not there.
    pub fn resume(&self) {
        signal("CONT", &children(self.process()));
        signal("CONT", &[self.process()]);
    }

    /// Kills every process of the server with `kill -9`. [`Self::run`] starts it again.
    ///
    /// # Panics
    /// If it is not running.
    pub fn kill(&mut self) {
        let process = self.process();
        self.pause();
        signal("KILL", &[&children(process)[..], &[process]].concat());
        // Nobody may be there to take note of its end.
        wait_until("the server has gone", || state(process).is_none_or(|(state, _)| state == "Z"));
        self.clean_up_after_kill();
    }
}

fn client(server: &TemporaryServer, database: &str) -> Client {
    Client::connect(&server.address(database), NoTls).expect("a connection")
}

fn signal(name: &str, processes: &[u32]) {
    if processes.is_empty() {
        return;
    }
    let numbers = processes.iter().map(u32::to_string);
    // One that ends by itself meanwhile needs no signal.
    Command::new("kill").arg(format!("-{name}")).args(numbers).output().expect("kill");
}

/// The processes that a process has begun.
fn children(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
    numbers.filter(|process| state(*process).is_some_and(|(_, of)| of == parent)).collect()
}

/// What a process does, as `/proc` has it, and its parent.
fn state(process: u32) -> Option<(String, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything.
    let mut parts = stat.rsplit_once(')')?.1.split_whitespace();
    Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
}

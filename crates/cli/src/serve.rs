//! `taisai serve`: runs a casino until the program is stopped. The command line overrides the environment, which overrides the
//! configuration file, which overrides the defaults.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use taisai_journal::key_file_credential;
use taisai_record::{Address, RecordWarning};
use taisai_server::config::{Config, FirstUse, GameNames, Log, LogFormat, is_node};
use taisai_server::{Pace, ServeError, serve};
use taisai_table::Profile;
use tokio::signal::unix::{SignalKind, signal};

use crate::print::{self, BAD, Column, HEADING};

#[derive(clap::Args)]
pub(crate) struct HouseArgs {
    /// Configuration file; without one the casino has an electronic and a live table
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[arg(long, value_name = "DIR", help = "The data folder [env: TAISAI_DATA] [default: data]")]
    data: Option<PathBuf>,
    #[arg(
        long,
        value_name = "STORE",
        help = "The store of its record, a folder or postgres://… [env: TAISAI_STORE] [default: the data folder]"
    )]
    store: Option<Address>,
    #[arg(
        long,
        value_name = "FILE",
        help = "The key file, made on the first start [env: TAISAI_KEYS] [default: a credential of systemd, or house.key beside the \
                record]"
    )]
    keys: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    house: HouseArgs,
    #[arg(long, value_name = "ADDRESS", help = "Where it listens [env: TAISAI_LISTEN] [default: 127.0.0.1:8080]")]
    listen: Option<String>,
    #[arg(
        long,
        value_name = "ADDRESS",
        help = "Where other machines of the installation reach it, like https://10.0.0.11:8080 [env: TAISAI_NODE] [default: where \
                it listens]"
    )]
    node: Option<String>,
    #[arg(
        long,
        value_name = "LEVEL|FORMAT",
        help = "What is logged, like debug, json or debug,json [env: TAISAI_LOG] [default: info]"
    )]
    log: Option<String>,
    /// Run a demonstration in demo-data: TRAINING, with simulated players and play money
    #[arg(long)]
    demo: bool,
    /// Start without the secrets if they are lost: everyone gets a one-time password, and every device must be enrolled again
    #[arg(long)]
    new_secrets: bool,
    /// Start though the clock of this machine is more than a day from the newest entry of the record: somebody has looked, and it is right
    #[arg(long)]
    accept_clock: bool,
    /// How long a screen may be silent, in milliseconds; more than 2000 only to test on a busy machine
    #[arg(long, hide = true, value_name = "MILLISECONDS")]
    sign_of_life: Option<u64>,
    /// How long a round of the demonstration takes, in milliseconds
    #[arg(long, hide = true, requires = "demo", default_value_t = 20_000)]
    round: u64,
}

pub(crate) fn run(args: &ServeArgs, names: &GameNames<'_>) -> anyhow::Result<bool> {
    let config = config(args, names, |name| std::env::var_os(name))?;
    log(config.log);
    let (name, is_secured, is_training) = (config.name.clone(), config.tls.is_some(), config.is_training);
    let mut id = [0; 16];
    getrandom::fill(&mut id)?;
    config.make_folder().with_context(|| format!("cannot make the folder {}", config.data.display()))?;
    let mut plan = config.plan(crate::audit::program()?, id)?;
    plan.texts = names.games.texts().cloned().collect();
    plan.demo = args.demo.then(|| Pace { round: std::time::Duration::from_millis(args.round) });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    plan.new_secrets = args.new_secrets;
    // Nobody's money depends on the time of a demonstration, and it may be weeks old.
    plan.installation.accepts_clock = args.accept_clock || args.demo;
    if let Some(millis) = args.sign_of_life {
        plan.sign_of_life = std::time::Duration::from_millis(millis);
    }
    let print_ready = |address: SocketAddr, first_use: Option<&FirstUse>| {
        print_welcome(&mut anstream::stdout().lock(), (&name, is_training), (address, is_secured), first_use)
    };
    let stop = {
        let _within = runtime.enter();
        stop_signal()?
    };
    runtime.block_on(serve(plan, Arc::new(warn), print_ready, stop)).map_err(|error| match error {
        ServeError::FailedWrite(failed) => failed.into(),
        error => anyhow::Error::new(error),
    })?;
    tracing::info!("the server has stopped");
    Ok(true)
}

/// The configuration after the command line and the environment.
fn config(
    args: &ServeArgs,
    names: &GameNames<'_>,
    environment: impl Fn(&str) -> Option<OsString>,
) -> anyhow::Result<Config> {
    let mut config = args.house.file(names)?;
    if args.demo {
        config = Config { data: "demo-data".into(), store: None, keys: None, anchor: None, ..config.for_training() };
        config.profile =
            Profile { name: format!("{}-demo", config.profile.name), betting_seconds: 12, ..config.profile };
    }
    args.house.place(&mut config, &environment)?;
    let text = |name: &str| text(&environment, name);
    if let Some(listen) = args.listen.clone().map_or_else(|| text("TAISAI_LISTEN"), |flag| Ok(Some(flag)))? {
        config.listen = listen.parse().with_context(|| {
            format!("{listen:?} is not an address to listen on: it is an IP address and a port, like 127.0.0.1:8080")
        })?;
    }
    if let Some(node) = args.node.clone().map_or_else(|| text("TAISAI_NODE"), |flag| Ok(Some(flag)))? {
        if !is_node(&node) {
            bail!("{node:?} is not the address of a node: it is http:// or https://, its host and its port");
        }
        config.node.address = Some(node);
    }
    if let Some(log) = args.log.clone().map_or_else(|| text("TAISAI_LOG"), |flag| Ok(Some(flag)))? {
        config.log = log.parse().with_context(|| format!("{log:?} is not a log level"))?;
    }
    Ok(config)
}

impl HouseArgs {
    /// The configuration file, or the defaults.
    pub(crate) fn file(&self, names: &GameNames<'_>) -> anyhow::Result<Config> {
        let Some(file) = &self.config else { return Ok(Config::default_house(names)?) };
        match crate::config::read(file, names).with_context(|| format!("cannot read {}", file.display()))? {
            Ok(config) => Ok(config),
            Err(faults) => {
                crate::check::print_faults(&mut anstream::stderr(), file, &faults)?;
                bail!("{} has faults", file.display());
            }
        }
    }

    /// Applies the flags and variables for data folder, store and key file.
    pub(crate) fn place(
        &self,
        config: &mut Config,
        environment: &impl Fn(&str) -> Option<OsString>,
    ) -> anyhow::Result<()> {
        if let Some(data) = self.data.clone().or_else(|| environment("TAISAI_DATA").map(PathBuf::from)) {
            config.data = data;
        }
        let of_environment = || {
            let text = text(environment, "TAISAI_STORE")?;
            text.map(|text| text.parse::<Address>().context("TAISAI_STORE names no store")).transpose()
        };
        if let Some(store) = self.store.clone().map_or_else(of_environment, |flag| Ok(Some(flag)))? {
            config.store = Some(store);
        }
        let keys = self.keys.clone().or_else(|| environment("TAISAI_KEYS").map(PathBuf::from));
        config.keys = keys.or_else(|| config.keys.take()).or_else(key_file_credential);
        Ok(())
    }
}

fn text(environment: &impl Fn(&str) -> Option<OsString>, name: &str) -> anyhow::Result<Option<String>> {
    let value = environment(name).map(OsString::into_string).transpose();
    value.map_err(|_| anyhow!("{name} is not text"))
}

/// Logs one line for each event, to standard error.
fn log(log: Log) {
    let format = log.format.unwrap_or(if std::io::stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json });
    let lines = tracing_subscriber::fmt().with_max_level(log.level).with_writer(std::io::stderr).with_target(false);
    match format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "so the record hands it over")]
fn warn(warning: RecordWarning) {
    tracing::warn!(warning = %warning, "the record warns");
}

/// Completes at the first signal to stop. A second one ends the program without closing.
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("the server stops; signalled again, it stops at once");
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            tracing::warn!("the server stops at once");
            std::process::exit(2);
        });
    })
}

/// Prints the one-time passwords and codes of the first start, then the addresses of the screens, the front page last.
fn print_welcome(
    out: &mut impl Write,
    (name, is_training): (&str, bool),
    (address, is_secured): (SocketAddr, bool),
    first_use: Option<&FirstUse>,
) -> std::io::Result<()> {
    let base = format!("{}://{}", if is_secured { "https" } else { "http" }, browser_address(address));
    writeln!(out, "{HEADING}{name}{HEADING:#}")?;
    if is_training {
        writeln!(out, "{BAD}TRAINING{BAD:#}  No money here is real, and none is paid for it.")?;
    }
    if let Some(FirstUse { people, devices }) = first_use {
        print::heading(out, "People, each with a one-time password, which is not printed again")?;
        let columns =
            [Column::right("Number"), Column::left("Name"), Column::left("Roles"), Column::left("One-time password")];
        let row = |person: &taisai_server::config::FirstPerson| {
            let roles: Vec<_> = person.roles.iter().map(taisai_table::Role::text).collect();
            vec![person.person.0.to_string(), person.name.clone(), roles.join(", "), person.password.clone()]
        };
        print::table(out, &columns, &people.iter().map(row).collect::<Vec<_>>())?;
        print::heading(out, "Player Terminals: open each link once, on the terminal itself")?;
        let has_clusters = devices.iter().any(|device| device.cluster.number > 0);
        let cluster = has_clusters.then(|| Column::right("Cluster"));
        let columns: Vec<_> = [Column::right("Device"), Column::right("Table")]
            .into_iter()
            .chain(cluster)
            .chain([Column::right("Seat"), Column::left("Link")])
            .collect();
        let row = |device: &taisai_server::config::FirstDevice| {
            let link = format!("{base}/terminal#device={}&code={}", device.device.0, device.code);
            let cluster = has_clusters.then(|| device.cluster.number.to_string());
            [device.device.0.to_string(), device.cluster.table.0.to_string()]
                .into_iter()
                .chain(cluster)
                .chain([device.seat.0.to_string(), link])
                .collect()
        };
        print::table(out, &columns, &devices.iter().map(row).collect::<Vec<_>>())?;
    }
    print::heading(out, "Screens")?;
    for (screen, what) in [
        ("api/docs", "commands and addresses for programs"),
        ("display", "what everyone at a table sees"),
        ("terminal", "a Player Terminal"),
        ("", "the front page: open this first"),
    ] {
        writeln!(out, "  {:40} {what}", format!("{base}/{screen}"))?;
    }
    out.flush()
}

/// An address that a browser on this machine reaches.
fn browser_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests;

//! `taisai tables`: shows which node holds which partition, and moves a partition to another node.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use serde::Serialize;
use taisai_journal::{ChainName, LeaseRoster, LeaseTiming, Leases, LiveNode, MoveOutcome};
use taisai_record::Address;

use crate::print::{self, Column};

const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(clap::Subcommand)]
pub(crate) enum TablesCommand {
    /// Show the nodes, and which partitions each holds
    List {
        #[command(flatten)]
        store: NodeStoreArgs,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Move a table to another node when its round is over, or the House now
    ///
    /// Waits until it has moved. After the time-out the request stands, and the table moves when it can.
    Move {
        /// Partition to move: house, table-1 and so on
        #[arg(value_name = "PART")]
        part: ChainName,
        /// Address of the node to move to, as `taisai tables list` shows it
        #[arg(long, value_name = "ADDRESS")]
        to: String,
        /// Time-out in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 300)]
        wait: u64,
        #[command(flatten)]
        store: NodeStoreArgs,
    },
}

#[derive(clap::Args)]
pub(crate) struct NodeStoreArgs {
    #[arg(long, value_name = "STORE", help = "Store of the record, postgres://… [env: TAISAI_STORE]")]
    store: Option<Address>,
}

impl NodeStoreArgs {
    fn leases(&self) -> anyhow::Result<Leases> {
        let of_environment = || {
            let text = std::env::var("TAISAI_STORE").ok();
            text.map(|text| text.parse::<Address>().context("TAISAI_STORE names no store")).transpose()
        };
        match self.store.clone().map_or_else(of_environment, |store| Ok(Some(store)))? {
            Some(Address::Postgres(address)) => Ok(Leases::open(&address, LeaseTiming::default())?),
            Some(Address::Folder(folder)) => {
                bail!("{} is a folder: only a casino on a database has several nodes", folder.display())
            }
            None => bail!("name the store: --store postgres://…"),
        }
    }
}

#[derive(Serialize)]
struct PlacementJson<'a> {
    nodes: Vec<NodeJson<'a>>,
    parts: Vec<PartitionJson<'a>>,
}

#[derive(Serialize)]
struct NodeJson<'a> {
    name: &'a str,
    address: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct PartitionJson<'a> {
    part: &'a str,
    /// The address of the machine that holds it.
    node: Option<&'a str>,
    /// The address of the machine that it moves to.
    wanted: Option<&'a str>,
}

impl<'a> PlacementJson<'a> {
    fn of(roster: &'a LeaseRoster) -> Self {
        let address = |name: &Option<_>| name.as_ref().and_then(|name| roster.node(name)).map(|node| &*node.address);
        let node =
            |node: &'a LiveNode| NodeJson { name: node.name.as_str(), address: &node.address, version: &node.version };
        let parts = roster.leases.iter().map(|lease| PartitionJson {
            part: lease.partition.as_str(),
            node: address(&lease.holder),
            wanted: address(&lease.wanted),
        });
        Self { nodes: roster.nodes.iter().map(node).collect(), parts: parts.collect() }
    }
}

/// Shows or moves; `false` if a part has not moved in time.
pub(crate) fn run(command: &TablesCommand) -> anyhow::Result<bool> {
    match command {
        TablesCommand::List { store, json } => list(&store.leases()?.read()?, *json).map(|()| true),
        TablesCommand::Move { part, to, wait, store } => {
            move_part(&mut store.leases()?, part, to, Duration::from_secs(*wait))
        }
    }
}

fn list(roster: &LeaseRoster, json: bool) -> anyhow::Result<()> {
    let sheet = PlacementJson::of(roster);
    if json {
        serde_json::to_writer(anstream::stdout(), &sheet)?;
        writeln!(anstream::stdout())?;
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    print::heading(&mut out, "Machines")?;
    let columns = [Column::left("Address"), Column::left("Version"), Column::left("Name")];
    let row = |node: &NodeJson<'_>| [node.address, node.version, node.name].map(str::to_owned).to_vec();
    print::table(&mut out, &columns, &sheet.nodes.iter().map(row).collect::<Vec<_>>())?;
    print::heading(&mut out, "Parts")?;
    let columns = [Column::left("Part"), Column::left("Held by"), Column::left("Moves to")];
    let row = |part: &PartitionJson<'_>| {
        vec![part.part.to_owned(), part.node.unwrap_or("nobody").to_owned(), part.wanted.unwrap_or("").to_owned()]
    };
    print::table(&mut out, &columns, &sheet.parts.iter().map(row).collect::<Vec<_>>())?;
    out.flush()?;
    Ok(())
}

fn move_part(leases: &mut Leases, part: &ChainName, to: &str, wait: Duration) -> anyhow::Result<bool> {
    let roster = leases.read()?;
    let node = roster.nodes.iter().find(|node| node.address == to);
    let node = node.ok_or_else(|| anyhow!("no node has the address {to}: see `taisai tables list`"))?;
    match leases.request_move(part, &node.name)? {
        MoveOutcome::Noted => {}
        MoveOutcome::NoSuchNode => bail!("the node at {to} has just stopped"),
        MoveOutcome::NoSuchPartition => bail!("there is no partition {part}: see `taisai tables list`"),
    }
    let begun = Instant::now();
    while begun.elapsed() < wait {
        if leases.read()?.holder(part).is_some_and(|holder| holder.name == node.name) {
            writeln!(anstream::stdout(), "{part} is held by {to}")?;
            return Ok(true);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    writeln!(anstream::stdout(), "{part} has not moved yet: it does when its round is over")?;
    Ok(false)
}

//! Metrics in the Prometheus text format.

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use taisai_engine::Counts;
use taisai_table::TableId;

/// In seconds: from a tenth of a millisecond to a second.
const COMMIT_SECONDS_BUCKETS: [f64; 13] =
    [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfTable {
    table: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRefusal {
    machine: String,
    code: &'static str,
}

/// Counts connections over the life of the process: the listener outlives a node that joins again.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionMetrics {
    /// Of every kind.
    pub(crate) open: Gauge,
    /// Rejected because too many were open.
    pub(crate) rejected: Counter,
}

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    rounds: Family<OfTable, Counter>,
    bets: Family<OfTable, Counter>,
    terminals: Family<OfTable, Gauge>,
    queue_depth: Family<OfTable, Gauge>,
    ledger: Family<OfTable, Gauge>,
    refusals: Family<OfRefusal, Counter>,
    commit: Histogram,
}

impl Metrics {
    #[cfg(test)]
    pub(crate) fn new() -> Self {
        Self::beside(&ConnectionMetrics::default())
    }

    /// The metrics of a node, with those of the process's connections.
    pub(crate) fn beside(ConnectionMetrics { open, rejected }: &ConnectionMetrics) -> Self {
        let mut registry = Registry::with_prefix("taisai");
        let (rounds, bets) = (Family::<OfTable, Counter>::default(), Family::<OfTable, Counter>::default());
        let (terminals, queue_depth, ledger) = (Family::default(), Family::default(), Family::default());
        let refusals = Family::<OfRefusal, Counter>::default();
        let commit = Histogram::new(COMMIT_SECONDS_BUCKETS);
        registry.register("rounds", "Rounds settled or void", rounds.clone());
        registry.register("bets", "Bets placed", bets.clone());
        registry.register("terminals_connected", "Player Terminals that are connected", terminals.clone());
        registry.register("queue_depth", "Commands that wait for their table", queue_depth.clone());
        registry.register("ledger_sound", "Whether the last check of the ledger held: 1, or 0", ledger.clone());
        registry.register("refusals", "Commands refused, by code", refusals.clone());
        let help = "From the decision of a command until the record holds it";
        registry.register_with_unit("commit", help, Unit::Seconds, commit.clone());
        registry.register("connections", "Open connections", open.clone());
        registry.register("connections_rejected", "Connections rejected because too many were open", rejected.clone());
        Self { registry, rounds, bets, terminals, queue_depth, ledger, refusals, commit }
    }

    pub(crate) fn table(&self, table: TableId) -> PartitionMetrics {
        let of = OfTable { table: table.0 };
        let table = OfTableMetrics {
            rounds: self.rounds.get_or_create_owned(&of),
            bets: self.bets.get_or_create_owned(&of),
            terminals: self.terminals.get_or_create_owned(&of),
            ledger: self.ledger.get_or_create_owned(&of),
        };
        self.partition(format!("table-{}", of.table), Some(table))
    }

    pub(crate) fn house(&self) -> PartitionMetrics {
        self.partition("house".to_owned(), None)
    }

    fn partition(&self, machine: String, table: Option<OfTableMetrics>) -> PartitionMetrics {
        PartitionMetrics { table, machine, refusals: self.refusals.clone(), commit: self.commit.clone() }
    }

    /// Sets the number of requests that wait for a table.
    pub(crate) fn queue_depth(&self, table: TableId, waiting: usize) {
        let waiting = i64::try_from(waiting).unwrap_or(i64::MAX);
        self.queue_depth.get_or_create(&OfTable { table: table.0 }).set(waiting);
    }

    pub(crate) fn text(&self) -> String {
        let mut page = String::new();
        text::encode(&mut page, &self.registry).expect("a page can be written to memory");
        page
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PartitionMetrics {
    table: Option<OfTableMetrics>,
    machine: String,
    refusals: Family<OfRefusal, Counter>,
    /// From the decision of a batch until it is durable.
    pub(crate) commit: Histogram,
}

#[derive(Clone, Debug)]
struct OfTableMetrics {
    rounds: Counter,
    bets: Counter,
    terminals: Gauge,
    ledger: Gauge,
}

impl PartitionMetrics {
    pub(crate) fn count(&self, counts: &mut Counts) {
        for refusal in counts.refusals.drain(..) {
            self.refusals.get_or_create(&OfRefusal { machine: self.machine.clone(), code: refusal.code() }).inc();
        }
        let (bets, rounds, terminals) = (counts.bets, counts.rounds, counts.terminals);
        (counts.bets, counts.rounds, counts.terminals) = (0, 0, 0);
        let Some(table) = &self.table else { return };
        table.bets.inc_by(bets);
        table.rounds.inc_by(rounds);
        table.terminals.inc_by(terminals);
        if let Some(are_sound) = counts.are_sound.take() {
            table.ledger.set(are_sound.into());
        }
    }
}

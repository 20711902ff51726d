//! What is counted for those who watch the house, in the form that Prometheus reads.

/// The counters of a house.
#[derive(Debug, Default)]
pub(crate) struct Metrics {}

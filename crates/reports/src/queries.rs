//! The named queries. Each is a file that runs on both stores, and is described in `docs/reporting.md`.

/// A query with a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedQuery {
    pub name: &'static str,
    /// The statement, after a comment that says what it shows.
    pub sql: &'static str,
}

macro_rules! queries {
    ($($name:literal),* $(,)?) => {
        /// Every query, in the order in which they are described.
        pub const QUERIES: &[NamedQuery] = &[$(NamedQuery { name: $name, sql: include_str!(concat!("queries/", $name, ".sql")) }),*];
    };
}

queries!(
    "win",
    "boxes",
    "dealers",
    "biggest-wins",
    "changes",
    "open-vouchers",
    "open-claims",
    "receivables",
    "last-games",
    "refusals",
    "staff",
    "balances",
);

impl NamedQuery {
    /// The query of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        QUERIES.iter().find(|query| query.name == name)
    }

    /// What it shows.
    pub fn description(&self) -> String {
        let lines = self.sql.lines().map_while(|line| line.strip_prefix("-- ")).filter(|line| !line.starts_with('$'));
        lines.collect::<Vec<_>>().join(" ")
    }

    /// Its parameters, in order: each a name and what it means.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let lines = self.sql.lines().filter_map(|line| line.strip_prefix("-- $"));
        lines.filter_map(|line| line.split_once(' ')?.1.split_once(": "))
    }
}

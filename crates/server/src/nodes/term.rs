//! Until when the machines of a node may speak, by the node's own clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use taisai_journal::Tenure;

/// A term that can be made longer, or ended, while others look at it.
#[derive(Clone, Debug)]
pub(crate) struct Term(Option<Arc<Lasting>>);

#[derive(Debug)]
struct Lasting {
    begun: Instant,
    /// In milliseconds since then.
    until: AtomicU64,
}

impl Term {
    /// A house on one machine speaks as long as it runs.
    pub(crate) const FOREVER: Self = Self(None);

    /// A term that lasts as long as the node may answer.
    pub(super) fn new(tenure: Tenure) -> Self {
        let term = Self(Some(Arc::new(Lasting { begun: Instant::now(), until: AtomicU64::new(0) })));
        term.renew(tenure);
        term
    }

    /// It lasts so long from now on.
    pub(super) fn renew(&self, tenure: Tenure) {
        let Some(lasting) = &self.0 else { return };
        let now = Instant::now();
        let until = now.duration_since(lasting.begun) + tenure.left(now);
        lasting.until.store(u64::try_from(until.as_millis()).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// It is over.
    pub(crate) fn end(&self) {
        if let Some(lasting) = &self.0 {
            lasting.until.store(0, Ordering::Release);
        }
    }

    /// Whether one may speak now.
    pub(crate) fn holds(&self) -> bool {
        let Some(lasting) = &self.0 else { return true };
        lasting.begun.elapsed().as_millis() < u128::from(lasting.until.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use taisai_journal::Terms;

    use super::*;

    fn tenure(millis: u64) -> Tenure {
        let terms = Terms::new(Duration::from_secs(3), Duration::from_millis(500)).unwrap();
        let sent = Instant::now().checked_sub(Duration::from_millis(3_000 - millis)).unwrap();
        Tenure::since(sent, terms)
    }

    #[test]
    fn a_term_holds_until_it_is_over_and_is_made_longer() {
        assert!(Term::FOREVER.holds());
        let term = Term::new(tenure(0));
        assert!(!term.holds());
        term.renew(tenure(2_900));
        assert!(term.holds() && term.clone().holds());
        term.end();
        assert!(!term.holds());
        Term::FOREVER.end();
        assert!(Term::FOREVER.holds());
    }
}

//! Reports to the House that the store has warned or failed (F32): one event, whatever follows within a minute. The log has each.

use std::sync::{Arc, Weak};
use std::time::Duration;

use taisai_record::{RecordWarning, WarningSink};
use taisai_table::{HouseCommand, ReportedEvent};
use tokio::sync::watch;

use crate::http::reply::CommandReply;
use crate::server::Server;

/// A store that warns does so again and again: more events would tell the pit nothing new.
const PAUSE: Duration = Duration::from_mins(1);

/// How long to wait before the House is told again after it did not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Whether a problem waits to be reported. It outlives a node that joins again.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoreProblems(watch::Sender<bool>);

impl StoreProblems {
    /// The store failed, or is in doubt.
    pub(crate) fn note(&self) {
        self.0.send_replace(true);
    }

    /// Passes warnings on, and notes them.
    pub(crate) fn noting(&self, warn: WarningSink) -> WarningSink {
        let problems = self.clone();
        Arc::new(move |warning| {
            if is_problem(&warning) {
                problems.note();
            }
            warn(warning);
        })
    }

    /// Reports problems until the server is gone.
    pub(crate) async fn report(self, server: Weak<Server>) {
        let mut noted = self.0.subscribe();
        // The sender is here, so the channel stays open.
        while noted.wait_for(|is_noted| *is_noted).await.is_ok() {
            let Some(server) = server.upgrade() else { return };
            self.0.send_replace(false);
            let report = HouseCommand::Report { what: ReportedEvent::StoreProblem };
            let house = server.node.house();
            drop(server);
            let answer = house.own(report).await;
            drop(house);
            if matches!(answer, Ok(CommandReply::Accepted(_))) {
                tokio::time::sleep(PAUSE).await;
            } else {
                self.note();
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Whether a warning is about the store. A checkpoint that came late is made again soon.
fn is_problem(warning: &RecordWarning) -> bool {
    match warning {
        RecordWarning::Snapshot(_)
        | RecordWarning::Skipped { .. }
        | RecordWarning::Anchor(_)
        | RecordWarning::Unfinished(_)
        | RecordWarning::Unanchored { .. }
        | RecordWarning::NoCheckpointer => true,
        RecordWarning::Late => false,
    }
}

#[cfg(test)]
mod tests {
    use taisai_journal::suite::HANG_LIMIT;
    use taisai_table::{House, SignificantEventKind};

    use super::*;
    use crate::tests::running::RunningServer;

    #[tokio::test(flavor = "multi_thread")]
    async fn warnings_of_the_store_become_one_event() {
        let house = RunningServer::start().await;
        let problems = StoreProblems::default();
        let warn = problems.noting(Arc::new(drop));
        for _ in 0..3 {
            warn(RecordWarning::NoCheckpointer);
        }
        warn(RecordWarning::Late);
        let reporting = tokio::spawn(problems.clone().report(Arc::downgrade(&house.server)));
        let count = |house: &House| {
            let problem = SignificantEventKind::Reported(ReportedEvent::StoreProblem);
            house.significant().filter(|event| event.what == problem).count()
        };
        let reported = async {
            while house.server.node.house().read(count).await.unwrap() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(HANG_LIMIT, reported).await.expect("it is reported to the House");
        assert_eq!(house.server.node.house().read(count).await.unwrap(), 1);
        assert!(!*problems.0.borrow(), "nothing waits");
        reporting.abort();
        assert!(reporting.await.is_err());
        house.close().await;
    }
}

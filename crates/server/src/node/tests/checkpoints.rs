//! Every entry has a signed and anchored checkpoint soon, and at the latest when its partition stops: acknowledged bets cannot be
//! cut off unnoticed.

use taisai_engine::Input;
use taisai_journal::{Anchor, Block, BlockContent};
use taisai_record::{Audit, Auditor};

use super::*;

fn open(folder: &Path) -> Result<Node, NodeError> {
    Node::open(plan(folder), &Arc::new(Metrics::new()), Arc::new(drop))
}

/// Verifies the record with key and anchor. The anchor is read first: the record goes on meanwhile.
fn audit(folder: &Path) -> Audit {
    let InstallationPlan { address, files, program, .. } = plan(folder);
    let anchored = Anchor::read(&files.anchor.clone().unwrap()).unwrap().lines;
    let heads = address.archive().unwrap().heads().unwrap();
    let keys = files.keys().unwrap();
    let auditor = Auditor { keys: &keys, anchored: &anchored, program: &program };
    auditor.audit_by(1, &|| address.archive(), &heads, &|| ()).unwrap()
}

/// How many entries of each chain no checkpoint covers.
fn uncovered(folder: &Path) -> Vec<(String, u64)> {
    let of_chain = |chain: &taisai_record::AuditedChain| {
        (chain.head.chain.to_string(), chain.result.as_ref().map_or(u64::MAX, |summary| summary.unsigned))
    };
    audit(folder).chains.iter().map(of_chain).collect()
}

fn covered() -> Vec<(String, u64)> {
    ["house", "table-1", "table-1-0"].map(|chain| (chain.to_owned(), 0)).into()
}

/// Deletes the last entries of a chain with all that follows, and sets its head back, as somebody who can write to the store does.
pub(super) fn cut_off_last_entries(folder: &Path, name: &str) {
    let blocks = plan(folder).address.archive().unwrap().read(&name.parse().unwrap(), 0, usize::MAX).unwrap();
    let blocks: Vec<_> = blocks.into_iter().map(|bytes| Block::decode(bytes).unwrap()).collect();
    let last = blocks.iter().rfind(|block| matches!(block.content(), BlockContent::Entries)).unwrap();
    let (position, before) = (i64::try_from(last.header().position).unwrap(), last.header().previous);
    let store = rusqlite::Connection::open(folder.join("data/journal.db")).unwrap();
    let id = "(select id from chains where name = ?1)";
    let delete = format!("delete from blocks where chain = {id} and position >= ?2");
    store.execute(&delete, rusqlite::params![name, position]).unwrap();
    let set_back = "update chains set next = ?2, hash = ?3 where name = ?1";
    store.execute(set_back, rusqlite::params![name, position, before.as_bytes()]).unwrap();
}

impl Asker<'_> {
    /// A bet of a round that goes on.
    async fn bet_in_the_next_round(&mut self, seat: Seat) {
        accepted(&self.round(actor(1, Role::Dealer), RoundCommand::OpenBets).await);
        let stakes = [Stake { bet_box: "small".parse().unwrap(), amount: Money::from_cents(700) }];
        let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.into_iter().collect() };
        accepted(&self.cluster(Actor::Terminal { device: DeviceId(3), seat }, place).await);
    }
}

#[tokio::test]
async fn bets_that_are_cut_off_after_a_stop_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let (node, seat) = (open(folder.path()).unwrap(), Seat(3));
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let _screen = connect(&node, seat).await;
    asker.win_on_big(seat).await;
    asker.bet_in_the_next_round(seat).await;
    close(node).await;
    assert_eq!(audit(folder.path()).findings().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);

    cut_off_last_entries(folder.path(), "table-1-0");
    let found: Vec<_> = audit(folder.path()).findings().map(ToString::to_string).collect();
    assert!(found.iter().any(|found| found.contains("table-1-0") && found.contains("cut off")), "{found:?}");
    let node = open(folder.path()).unwrap();
    let said = node.handle().unopened().closed_tables().remove(&TABLE).expect("it is closed");
    assert!(said.contains("table-1-0") && said.contains("cut off"), "{said}");
    assert!(node.handle().table(TABLE).is_none(), "the table opens without bets that it acknowledged");
    close(node).await;
}

#[tokio::test]
async fn every_entry_is_covered_after_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (node, seat) = (open(folder.path()).unwrap(), Seat(3));
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let _screen = connect(&node, seat).await;
    asker.win_on_big(seat).await;
    asker.bet_in_the_next_round(seat).await;
    close(node).await;
    assert_eq!(uncovered(folder.path()), covered());
    // Also without commands: a program that opens a chain adds an entry to it.
    close(open(folder.path()).unwrap()).await;
    assert_eq!(uncovered(folder.path()), covered());
}

#[tokio::test]
async fn every_entry_is_covered_before_a_partition_is_held_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (node, seat) = (open(folder.path()).unwrap(), Seat(3));
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let _screen = connect(&node, seat).await;
    asker.win_on_big(seat).await;
    let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(700), second: None };
    accepted(&asker.cluster(actor(8, Role::Cashier), buy).await);
    let mut stopped = node.stopped();
    node.handle().table(TABLE).unwrap().send(Input::Depart).await.unwrap();
    let departed = stopped.wait_for(Option::is_some);
    tokio::time::timeout(HANG_LIMIT, departed).await.expect("the table departs").unwrap();
    drop(stopped);
    close(node).await;
    assert_eq!(uncovered(folder.path()), covered());
}

/// A crash or a lost database leaves what was acknowledged in the last seconds without a checkpoint, and no more.
#[tokio::test]
async fn a_checkpoint_follows_bets_while_their_round_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (node, seat) = (open(folder.path()).unwrap(), Seat(3));
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let _screen = connect(&node, seat).await;
    asker.win_on_big(seat).await;
    asker.bet_in_the_next_round(seat).await;
    let is_covered = async {
        while uncovered(folder.path()) != covered() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(HANG_LIMIT, is_covered).await.expect("every entry is covered while the node runs");
    close(node).await;
}

//! A table whose record cannot be read stays closed, and says why; every other table plays.

use super::checkpoints::cut_off_last_entries;
use super::*;
use crate::node::handle::TableHandle;

const OTHER: TableId = TableId(2);

/// An installation of two tables in which both were opened.
async fn played(folder: &Path) {
    let node = open(folder).unwrap();
    for table in [TABLE, OTHER] {
        let asker = node.handle().table(table).unwrap();
        let id = CommandId { source: node.sources().next(), sequence: 1 };
        accepted(&asker.ask_round(actor(2, Role::PitSupervisor), id, RoundCommand::OpenTable).await.unwrap());
    }
    close(node).await;
}

fn open(folder: &Path) -> Result<Node, NodeError> {
    let mut plan = plan(folder);
    plan.tables.push(TablePlan { table: OTHER, ..plan.tables[0].clone() });
    Node::open(plan, &Arc::new(Metrics::new()), Arc::new(drop))
}

/// Changes the record behind the program's back.
fn edit(folder: &Path, sql: &str) {
    let store = rusqlite::Connection::open(folder.join("data/journal.db")).unwrap();
    assert!(store.execute(sql, []).unwrap() > 0, "{sql}");
}

/// Waits for the event of the table that stays closed.
async fn reported(node: &Node) -> ReportedEvent {
    let found = |house: &House| {
        house.significant().find_map(|event| match event.what {
            SignificantEventKind::Reported(report @ ReportedEvent::TableNotOpened { .. }) => Some(report),
            _ => None,
        })
    };
    let reported = async {
        loop {
            if let Some(report) = node.handle().house().read(found).await.unwrap() {
                return report;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG_LIMIT, reported).await.expect("it is reported to the House")
}

#[tokio::test]
async fn a_damaged_chain_closes_its_table_and_no_other() {
    let zero = |chain: &str, position: u64| {
        format!(
            "update blocks set block = zeroblob(length(block)) where position = {position} \
             and chain = (select id from chains where name = '{chain}')"
        )
    };
    let cluster = Some(ClusterId { table: TABLE, number: 0 });
    for (chain, position, found) in [
        // The beginning, the take-over, and entries with what the table is built with.
        ("table-1", 0, (None, Some(0))),
        ("table-1", 1, (None, Some(1))),
        ("table-1", 2, (None, Some(2))),
        ("table-1-0", 0, (cluster, Some(0))),
        ("table-1-0", 2, (cluster, Some(2))),
    ] {
        let folder = tempfile::tempdir().unwrap();
        played(folder.path()).await;
        edit(folder.path(), &zero(chain, position));
        for _ in 0..2 {
            let node = open(folder.path()).unwrap_or_else(|error| panic!("{chain} {position}: {error}"));
            let handle = node.handle();
            assert!(handle.table(TABLE).is_none(), "{chain} {position}");
            let closed = handle.unopened().closed_tables();
            assert_eq!(closed.keys().collect::<Vec<_>>(), [&TABLE]);
            assert!(closed[&TABLE].starts_with(&format!("chain {chain}, block {position}: ")), "{closed:?}");
            assert!(handle.unopened().names().is_empty(), "the node is ready");
            let (cluster, block) = found;
            assert_eq!(reported(&node).await, ReportedEvent::TableNotOpened { table: TABLE, cluster, block });
            is_open(&handle.table(OTHER).unwrap()).await;
            drop(handle);
            close(node).await;
        }
    }
}

async fn is_open(table: &TableHandle) {
    let phase = table.read_round(taisai_table::Round::phase).await.unwrap();
    assert_eq!(phase, taisai_table::Phase::Idle, "as it was");
}

#[tokio::test]
async fn a_chain_that_was_cut_off_closes_its_table_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    played(folder.path()).await;
    cut_off_last_entries(folder.path(), "table-1");
    let node = open(folder.path()).unwrap();
    let handle = node.handle();
    let closed = handle.unopened().closed_tables();
    assert!(closed[&TABLE].contains("anchor"), "{closed:?}");
    is_open(&handle.table(OTHER).unwrap()).await;
    drop(handle);
    close(node).await;
}

#[tokio::test]
async fn a_damaged_house_keeps_the_casino_closed() {
    for position in [0, 1, 2] {
        let folder = tempfile::tempdir().unwrap();
        played(folder.path()).await;
        let before = heads(folder.path());
        let house = "(select id from chains where name = 'house')";
        edit(
            folder.path(),
            &format!(
                "update blocks set block = zeroblob(length(block)) where position = {position} and chain = {house}"
            ),
        );
        let Err(NodeError::Record(error)) = open(folder.path()) else { panic!("it opens with a damaged House") };
        let damage = error.damage().map(|(chain, block)| (chain.to_string(), block));
        assert_eq!(damage, Some(("house".to_owned(), Some(position))), "{error}");
        assert_eq!(heads(folder.path()), before, "nothing is written");
    }
}

//! A table of three clusters in the reporting tables.

use taisai_journal::{Journal as _, MemoryStore};
use taisai_record::Address;
use taisai_reports::{NamedQuery, Projection, SqlValue};

use crate::wide_table::{CHAINS, CLUSTERS, played, settled};

/// The rows of a query, as text.
fn rows(projection: &mut Projection, sql: &str) -> Vec<String> {
    let cell = |value: &SqlValue| {
        value.number().map_or_else(|| value.text().unwrap_or_default().to_owned(), |n| n.to_string())
    };
    let answer = projection.query(sql, &[]).unwrap();
    answer.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn three_clusters_are_projected_as_their_machines_are() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let wide = played(&memory, folder.path());
    let tables = tempfile::tempdir().unwrap();
    let mut projection = Projection::anew(&Address::Folder(tables.path().into())).unwrap();
    projection.catch_up(&mut *memory.open().archive().unwrap(), &[]).unwrap();
    let mut win = 0;
    for (name, cluster) in CHAINS[2..].iter().zip(&wide.clusters) {
        let ledger = cluster.machine().ledger();
        win += ledger.house.cents();
        let credits: i64 = cluster.machine().seats().map(|seat| cluster.machine().credits(seat).cents()).sum();
        let expected = [
            ("cash", ledger.cash.cents()),
            ("house", ledger.house.cents()),
            ("seat", credits),
            ("transit", ledger.transit.cents()),
        ];
        for (account, expected) in expected {
            let sql = format!(
                "SELECT coalesce(sum(amount), 0) FROM ledger_entries WHERE chain = '{name}' AND account = '{account}'"
            );
            assert_eq!(rows(&mut projection, &sql), [expected.to_string()], "{name} {account}");
        }
    }
    let mut all = (0, 0);
    for round in 1..=4 {
        let settled = settled(&memory, round);
        assert_eq!(settled.clusters.len(), usize::from(CLUSTERS), "round {round}");
        for cluster in settled.clusters {
            let (number, totals) = (cluster.cluster.number, cluster.totals);
            let sql = format!(
                "SELECT lines, staked, first_paid, first_returned FROM settlements WHERE round = {round} AND cluster = {number}"
            );
            let expected = [
                i64::try_from(totals.lines).unwrap(),
                totals.staked.cents(),
                totals.paid.cents(),
                totals.returned.cents(),
            ];
            assert_eq!(
                rows(&mut projection, &sql),
                [expected.map(|number| number.to_string()).join(" ")],
                "{round}, {number}"
            );
            all.0 += totals.staked.cents();
            all.1 += expected[0];
        }
    }
    // 4 rounds, not one for each cluster. The corrected round and the void one count as they stand.
    let average = all.0 / all.1;
    let dealers = NamedQuery::find("dealers").unwrap().sql;
    assert_eq!(rows(&mut projection, dealers), [format!("2027-01-15 swing 1 1  4 {} {win} {average}", all.0)]);
    let by_day = rows(&mut projection, NamedQuery::find("win").unwrap().sql);
    assert!(by_day.len() == 1 && by_day[0].starts_with(&format!("2027-01-15 1 4 {} {win} ", all.0)), "{by_day:?}");
    let changes = rows(&mut projection, NamedQuery::find("changes").unwrap().sql);
    assert_eq!(changes.len(), 2, "a void and a correction, once each: {changes:?}");
    let first_win = settled(&memory, 1)
        .clusters
        .iter()
        .map(|cluster| (cluster.totals.counted.cents()) - cluster.totals.paid.cents())
        .sum::<i64>();
    assert!(changes[1].contains(&format!("the camera shows it {first_win} ")), "{changes:?}");
    let voucher = "SELECT state, cluster, closed_where FROM vouchers";
    assert_eq!(rows(&mut projection, voucher), ["paid 1 seat"]);
    wide.close();
}

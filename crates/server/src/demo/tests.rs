//! A demonstration plays rounds by itself, and all of it is marked as training.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taisai_journal::ChainPurpose;
use taisai_journal::suite::HANG_LIMIT;
use taisai_record::{Address, Auditor, MachineSetup, Program, chain_genesis, chain_of, first_opening};
use taisai_rules::{Games, Moment, Money, Station};
use taisai_table::{MachineId, Phase, Seat, TableId};
use tokio::sync::watch;

use super::Pace;
use crate::config::{Config, FirstUse, Founding, GameNames};
use crate::metrics::Metrics;
use crate::node::Node;
use crate::serve::{ServeError, ServePlan, serve};

const ROUNDS: u64 = 5;

fn program() -> Program {
    Program { version: "0.1.0".to_owned(), hash: [1; 32] }
}

fn plan(data: &std::path::Path) -> ServePlan {
    let names = GameNames { games: Games::embedded(), now: Moment::from_unix_seconds(1_800_000_000) };
    let config = Config { data: data.into(), ..Config::default_house(&names).unwrap() }.for_training();
    let mut plan = config.plan(program(), [7; 16]).unwrap();
    plan.demo = Some(Pace { round: Duration::from_millis(20) });
    // The default port may be in use, also by another test.
    plan.listen.set_port(0);
    plan
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demonstration_deals_by_itself_for_training() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let (seed, pace) = (plan.seed.clone(), plan.demo.unwrap());
    let node = Node::open(plan.installation, &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let house = node.handle().house();
    Founding::due(&house, &seed, false).await.unwrap().unwrap().record(&house).await.unwrap();
    let demo = super::Demo::start(&node, &seed, pace);
    let mut played = BTreeMap::new();
    let begun = Instant::now();
    while played.len() < 2 {
        assert!(begun.elapsed() < HANG_LIMIT, "it does not deal at every table: {played:?}");
        for (table, handle) in node.handle().tables() {
            let (number, phase, bet, visitors) = handle
                .read(|table| {
                    let cluster = table.cluster_numbered(0).unwrap();
                    let has_terminals = cluster.rules().game().station() == Station::PlayerTerminals;
                    let (visitors, round) = (has_terminals.then(|| cluster.credits(Seat(1))), table.round().unwrap());
                    (round.number().0, round.phase(), cluster.meters().bet, visitors)
                })
                .await
                .unwrap();
            if number > ROUNDS && phase != Phase::Shut {
                assert!(bet > Money::ZERO, "nobody has bet at table {}", table.0);
                assert!(visitors.is_none_or(|credits| credits == Money::from_cents(100_000)), "{visitors:?}");
                played.insert(table, number);
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    demo.stop().await;
    drop(house);
    tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();

    let address = Address::Folder(folder.path().into());
    let mut archive = address.archive().unwrap();
    let heads = archive.heads().unwrap();
    for head in &heads {
        assert_eq!(
            chain_genesis(&mut *archive, &head.chain).unwrap().unwrap().purpose,
            ChainPurpose::Training,
            "{}",
            head.chain
        );
    }
    for table in [TableId(1), TableId(2)] {
        let opening = first_opening(&mut *archive, &chain_of(MachineId::Round(table))).unwrap().unwrap();
        assert!(matches!(opening.setup, MachineSetup::Round { is_training: true, .. }));
    }
    let auditor = Auditor { keys: &[], anchored: &[], program: &program() };
    let audit = auditor.audit(&|| address.archive(), &heads, &|| ()).unwrap();
    assert_eq!(audit.findings().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
}

#[tokio::test]
async fn real_casino_does_not_deal_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(folder.path());
    plan.installation.is_training = false;
    let served = serve(plan, Arc::new(drop), |_, _| Ok(()), std::future::ready(())).await;
    assert!(matches!(served, Err(ServeError::RealDemo)), "{served:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_start_records_people_once() {
    let folder = tempfile::tempdir().unwrap();
    for is_first in [true, false] {
        let (stop, mut stopped) = watch::channel(false);
        let mut printed = None;
        let tell = |_, first_use: Option<&FirstUse>| {
            printed = Some(first_use.cloned());
            stop.send_replace(true);
            Ok(())
        };
        let stopped = async { drop(stopped.wait_for(|is_stopped| *is_stopped).await.unwrap()) };
        serve(plan(folder.path()), Arc::new(drop), tell, stopped).await.unwrap();
        let first_use = printed.unwrap();
        assert_eq!(first_use.is_some(), is_first);
        if let Some(first_use) = first_use {
            assert_eq!((first_use.people.len(), first_use.devices.len()), (10, 8));
            assert!(first_use.devices.iter().all(|device| device.code.len() >= 32 && device.seat.0 > 0));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_recorded_before_passwords_could_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let mut is_first = false;
        let tell = |_, first_use: Option<&FirstUse>| {
            is_first = first_use.is_some();
            Err(std::io::ErrorKind::StorageFull.into())
        };
        let served = serve(plan(folder.path()), Arc::new(drop), tell, std::future::ready(())).await;
        assert!(matches!(served, Err(ServeError::NotPrinted(_))), "{served:?}");
        assert!(is_first);
    }
}

//! A primary and a synchronous standby: what is acknowledged is on both, and whoever loses one goes on with the other.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use postgres::NoTls;
use taisai_journal::suite::{
    HANG_LIMIT, PostgresPair, TemporaryServer, begin, block, chain, head, verify, wait_for, wait_until,
};
use taisai_journal::{
    AppendError, Block, ChainHead, ClaimError, ClaimOutcome, JoinedNode, Journal, LeaseError, LeaseTiming, Leases,
    Postgres, PostgresArchive, PostgresError, ReadError,
};

/// How long a store waits for a server that does not answer: long enough for what the server does answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A node whose lease outlasts the test.
fn join(address: &str) -> JoinedNode {
    let lease = Duration::from_mins(10);
    let terms = LeaseTiming::new(lease, lease / 6).expect("terms");
    Leases::open(address, terms).expect("leases").join("127.0.0.1:8080", "0.1.0").expect("a node")
}

/// A node with a short lease, whose heartbeats do not wait for long. On a machine that stands still the server may not answer in so little
/// time: then another one joins. The tables must be there.
fn join_briefly(address: &str) -> JoinedNode {
    wait_for("a node has joined", || {
        let leases = Leases::open(address, LeaseTiming::default());
        match leases.and_then(|leases| leases.join("127.0.0.1:8080", "0.1.0")) {
            Ok(node) => Some(node),
            Err(LeaseError::Server(_)) => None,
            Err(error) => panic!("{error:?}"),
        }
    })
}

/// Appends a block, which must be acknowledged.
fn append(journal: &mut dyn Journal, at: &ChainHead, entry: &[u8]) -> ChainHead {
    let next = block(at, &[entry]);
    journal.append(std::slice::from_ref(&next)).expect("it is acknowledged");
    head(&next)
}

/// A whole chain as one of the servers has it.
fn read_on(server: &TemporaryServer, database: &str, name: &str) -> Vec<Block> {
    let mut archive = PostgresArchive::open(&server.address(database)).expect("an archive");
    verify(&mut archive, &chain(name)).expect("a good chain")
}

#[test]
fn acknowledged_blocks_are_on_the_promoted_server() {
    let mut pair = PostgresPair::start();
    let address = pair.database("record");
    let table = chain("table-1");
    let mut journal = Postgres::open(&address).unwrap();
    let mut holder = join(&address);
    assert_eq!(holder.claim(&table).unwrap(), ClaimOutcome::Mine);
    let mut at = begin(&mut journal, "table-1");
    for number in 0..50_u8 {
        at = append(&mut journal, &at, &[number]);
    }
    // The standby has it on its disk; that it shows it comes a little later.
    pair.primary.kill();
    let lost = journal.append(&[block(&at, &[b"lost"])]);
    assert!(matches!(lost, Err(AppendError::Unknown(_))), "{lost:?}");
    assert!(matches!(holder.heartbeat(), Err(LeaseError::Server(_))));
    let nobody = Postgres::open(&address).map(drop).unwrap_err().to_string();
    assert!(nobody.contains("database does not allow writes") && nobody.contains("Connection refused"), "{nobody}");
    pair.promote();
    pair.accept_alone();
    let mut journal = Postgres::open(&address).unwrap();
    let heartbeat = holder.heartbeat().expect("the same node goes on, if its time is not over");
    assert_eq!(heartbeat.roster.holder(&table).unwrap().name, *holder.name());
    let blocks = read_on(&pair.standby, "record", "table-1");
    assert_eq!(head(&blocks[50]), at, "every block that was acknowledged");
    let claimed = journal.claim(&table, 2).unwrap();
    let old = Postgres::open(&address).unwrap().append(&[block(&at, &[b"old epoch"])]);
    assert!(matches!(old, Err(AppendError::Fenced { epoch: 1, .. })), "{old:?}");
    let taken = Block::take_over(taisai_journal::suite::next_header(&claimed), "another".into());
    journal.append(std::slice::from_ref(&taken)).unwrap();

    // The same again, with a new machine for the one that was lost, at the same address.
    pair.replace();
    let mut at = head(&taken);
    for number in 0..10_u8 {
        at = append(&mut journal, &at, &[number]);
    }
    pair.primary.kill();
    pair.promote();
    pair.accept_alone();
    assert_eq!(read_on(&pair.standby, "record", "table-1").last().map(head), Some(at));
    assert!(matches!(holder.heartbeat(), Err(LeaseError::Server(_))), "its connection has gone");
    assert_eq!(holder.heartbeat().unwrap().roster.held_by(holder.name()).count(), 1, "the next call makes another one");
}

#[test]
fn nothing_is_acknowledged_without_the_standby() {
    let mut pair = PostgresPair::start();
    let address = pair.database("record");
    let mut journal = Postgres::open(&address).unwrap();
    let at = begin(&mut journal, "house");
    let mut node = join_briefly(&address);
    let deadline = node.deadline();
    pair.standby.pause();
    let mut hasty = Postgres::open(&address).unwrap().with_timeout(PATIENCE).unwrap();
    let next = block(&at, &[b"x"]);
    let stored = hasty.append(std::slice::from_ref(&next));
    assert!(matches!(&stored, Err(AppendError::Unknown(why)) if why.to_string().contains("standby")), "{stored:?}");
    let heartbeat = node.heartbeat();
    assert!(matches!(heartbeat, Err(LeaseError::Server(PostgresError::Silent(_)))), "{heartbeat:?}");
    assert_eq!(node.deadline(), deadline, "nothing is gained by it");
    pair.standby.resume();
    // What was of unknown fate is read again; this time it lasted.
    let mut journal = Postgres::open(&address).unwrap();
    let mut archive = journal.archive().unwrap();
    wait_until("the block is shown", || archive.heads().unwrap()[0].next == 2);
    let blocks = read_on(&pair.primary, "record", "house");
    assert_eq!(blocks[1], next);
    append(&mut journal, &head(&next), b"y");
    let mut node = join(&address);
    wait_until("the one before it has gone", || node.heartbeat().unwrap().roster.nodes.len() == 1);

    // A standby that is gone for good is the same, until nobody waits for it.
    pair.standby.kill();
    let mut hasty = Postgres::open(&address).unwrap().with_timeout(PATIENCE).unwrap();
    let claim = hasty.claim(&chain("house"), 2);
    assert!(matches!(claim, Err(ClaimError::Failed(_))), "{claim:?}");
    assert!(matches!(hasty.claim(&chain("house"), 3), Err(ClaimError::Poisoned)));
}

/// Who waits for a standby and is told by the server to wait no longer knows nothing.
#[test]
fn warning_is_no_acknowledgement() {
    let pair = PostgresPair::start();
    let address = pair.database("record");
    let mut journal = Postgres::open(&address).unwrap();
    begin(&mut journal, "house");
    let mut node = join(&address);
    pair.standby.pause();
    let claiming = thread::spawn(move || journal.claim(&chain("house"), 2));
    cancel(&pair);
    let claim = claiming.join().unwrap();
    assert!(matches!(&claim, Err(ClaimError::Failed(why)) if why.to_string().contains("warned")), "{claim:?}");
    let deadline = node.deadline();
    let beating = thread::spawn(move || (node.heartbeat().map(drop), node));
    cancel(&pair);
    let (heartbeat, mut node) = beating.join().unwrap();
    assert!(matches!(heartbeat, Err(LeaseError::Warned)), "{heartbeat:?}");
    assert_eq!(node.deadline(), deadline, "nothing is gained by it");
    let claiming = thread::spawn(move || (node.claim(&chain("house")), node));
    cancel(&pair);
    let (claim, mut node) = claiming.join().unwrap();
    assert!(matches!(claim, Err(LeaseError::Warned)), "{claim:?}");
    pair.standby.resume();
    assert_eq!(node.heartbeat().unwrap().roster.held_by(node.name()).count(), 1, "what came of it shows later");
}

/// Tells the one who waits for the standby to wait no longer.
fn cancel(pair: &PostgresPair) {
    let mut client = postgres::Client::connect(&pair.primary.address("postgres"), NoTls).expect("a connection");
    let waits = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    wait_until("someone waits for the standby", || {
        client.query_one(waits, &[]).expect("an answer").get::<_, i64>(0) > 0
    });
}

/// A machine that hangs takes connections and says nothing.
#[test]
fn hanging_server_is_skipped() {
    let pair = PostgresPair::start();
    let address = pair.database("record");
    begin(&mut Postgres::open(&address).unwrap(), "house");
    pair.primary.pause();
    pair.promote();
    pair.accept_alone();
    // Whoever waits for the one that hangs waits for an hour.
    let patient = address.replace("connect_timeout=60", "connect_timeout=3600");
    assert_ne!(patient, address);
    let (answer, opened) = mpsc::channel();
    thread::spawn(move || answer.send(Postgres::open(&patient)).unwrap_or_default());
    let mut journal = opened.recv_timeout(HANG_LIMIT).expect("it waits for the one that hangs").unwrap();
    assert_eq!(journal.claim(&chain("house"), 2).unwrap().next, 1);
}

/// `PostgreSQL` does not wait, and does not warn, where no standby is named: after a promotion, or where Patroni is not strict.
#[test]
fn a_server_without_standbys_is_refused() {
    let pair = PostgresPair::start();
    let address = pair.database("record");
    let mut journal = Postgres::open(&address).unwrap();
    let at = begin(&mut journal, "house");
    // Any standby will do, and commits wait for one.
    pair.wait_for("*");
    let at = append(&mut journal, &at, b"any");
    pair.wait_for("");
    let stored = journal.append(&[block(&at, &[b"alone"])]);
    let names_cause = |why: &dyn std::error::Error| {
        let why = why.to_string();
        why.contains("synchronous_standby_names") && why.contains("single_server=on")
    };
    assert!(matches!(&stored, Err(AppendError::Failed(why)) if names_cause(&**why)), "{stored:?}");
    assert_eq!(read_on(&pair.primary, "record", "house").last().map(head), Some(at.clone()), "nothing was stored");
    assert!(matches!(journal.append(&[]), Err(AppendError::Poisoned)));
    let opened = Postgres::open(&address).map(drop);
    assert!(matches!(&opened, Err(error @ PostgresError::NoStandby) if names_cause(error)), "{opened:?}");
    let leases = Leases::open(&address, LeaseTiming::default()).map(drop);
    assert!(matches!(leases, Err(LeaseError::Server(PostgresError::NoStandby))), "{leases:?}");

    // Unless one server is wanted.
    let mut alone = Postgres::open(&format!("{address}&single_server=on")).unwrap();
    append(&mut alone, &at, b"wanted");
}

/// A claim does not wait for nobody either.
#[test]
fn a_chain_is_not_claimed_on_a_server_without_standbys() {
    let pair = PostgresPair::start();
    let address = pair.database("record");
    let mut journal = Postgres::open(&address).unwrap();
    begin(&mut journal, "house");
    pair.wait_for("");
    let claim = journal.claim(&chain("house"), 2);
    assert!(matches!(&claim, Err(ClaimError::Failed(why)) if why.to_string().contains("single_server")), "{claim:?}");
}

/// Whoever takes the names away ends the waits for them, without a warning.
#[test]
fn a_wait_that_ends_without_its_standby_is_no_acknowledgement() {
    let pair = PostgresPair::start();
    let address = pair.database("record");
    let mut journal = Postgres::open(&address).unwrap();
    let at = begin(&mut journal, "house");
    pair.standby.pause();
    let appending = thread::spawn(move || journal.append(&[block(&at, &[b"alone"])]));
    let mut client = postgres::Client::connect(&pair.primary.address("postgres"), NoTls).expect("a connection");
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    wait_until("someone waits for the standby", || {
        client.query_one(waits, &[]).expect("an answer").get::<_, i64>(0) > 0
    });
    pair.wait_for("");
    let stored = appending.join().unwrap();
    assert!(matches!(&stored, Err(AppendError::Unknown(why)) if why.to_string().contains("standby")), "{stored:?}");
    pair.standby.resume();
}

/// Whoever reads another server than the one that is written to may miss what was acknowledged.
#[test]
fn a_store_is_read_on_the_server_that_it_is_written_on() {
    let pair = PostgresPair::start();
    let address = pair.database("record");
    let mut journal = Postgres::open(&address).unwrap();
    begin(&mut journal, "house");
    journal.archive().expect("the same server").heads().expect("heads");
    pair.primary.pause();
    pair.promote();
    let Err(ReadError::Failed(why)) = journal.archive().map(drop) else { panic!("it is read on another server") };
    assert!(why.to_string().contains("another server"), "{why}");
}

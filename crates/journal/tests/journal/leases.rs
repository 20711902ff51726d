//! Who holds which partition: decided by the database and its clock, once, whoever asks at the same moment.

use std::process::Stdio;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use taisai_journal::suite::{
    Spawned, TemporaryServer, begin, block, chain, head, next_header, verify, wait_for, wait_until,
};
use taisai_journal::{
    AppendError, Block, ChainName, ClaimOutcome, JoinedNode, Journal, LeaseError, LeaseTiming, Leases, MoveOutcome,
    NodeName, Postgres,
};

/// A lease that outlasts every test.
const LONG: Duration = Duration::from_mins(10);

/// A lease whose end is waited for.
const SHORT: Duration = Duration::from_millis(100);

fn terms(lease: Duration) -> LeaseTiming {
    LeaseTiming::new(lease, lease / 6).expect("terms")
}

fn leases(address: &str, terms: LeaseTiming) -> Leases {
    Leases::open(address, terms).expect("leases")
}

fn join(address: &str, terms: LeaseTiming) -> JoinedNode {
    leases(address, terms).join("127.0.0.1:8080", "0.1.0").expect("a node")
}

/// A node that holds a part for so short a time. On a machine that stands still its lease may be over before it has claimed anything,
/// and the server may not answer in the little time that a short lease gives it: then another one joins.
fn hold_briefly(address: &str, part: &ChainName, lease: Duration) -> JoinedNode {
    // The tables are made by one who has the time for it.
    leases(address, terms(LONG));
    // What was not answered in time may have been done: these may hold the part for a while.
    let mut given_up: Vec<NodeName> = Vec::new();
    wait_for("the part is held", || {
        let node = Leases::open(address, terms(lease)).and_then(|leases| leases.join("127.0.0.1:8080", "0.1.0"));
        let mut node = in_time(node)?;
        match in_time(node.claim(part)) {
            Some(ClaimOutcome::Mine) => Some(node),
            Some(claimed) => {
                assert!(matches!(&claimed, ClaimOutcome::HeldBy(other) if given_up.contains(other)), "{claimed:?}");
                None
            }
            None => {
                given_up.push(node.name().clone());
                None
            }
        }
    })
}

/// What came of a call of a node with a short lease; nothing if the lease was over or the server did not answer in time.
fn in_time<T>(called: Result<T, LeaseError>) -> Option<T> {
    match called {
        Ok(done) => Some(done),
        Err(LeaseError::Lapsed | LeaseError::Server(_)) => None,
        Err(error) => panic!("{error:?}"),
    }
}

/// Waits until a node with a short lease is told that its time is over; the server may not answer in time.
#[track_caller]
fn is_lapsed<T: std::fmt::Debug>(mut call: impl FnMut() -> Result<T, LeaseError>) {
    wait_until("the lease is over", || match call() {
        Err(LeaseError::Lapsed) => true,
        Err(LeaseError::Server(_)) => false,
        other => panic!("one whose time is over stays dead: {other:?}"),
    });
}

#[test]
fn partition_is_held_released_and_claimed_again() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let (mut one, mut two) = (join(&address, terms(LONG)), join(&address, terms(LONG)));
    let table = chain("table-1");
    assert_eq!(one.claim(&table).unwrap(), ClaimOutcome::Mine);
    assert_eq!(one.claim(&table).unwrap(), ClaimOutcome::Mine, "it is so still");
    assert_eq!(two.claim(&table).unwrap(), ClaimOutcome::HeldBy(one.name().clone()));
    two.release(&table).unwrap();
    assert_eq!(two.claim(&table).unwrap(), ClaimOutcome::HeldBy(one.name().clone()), "only the holder releases");
    one.release(&table).unwrap();
    assert_eq!(two.claim(&table).unwrap(), ClaimOutcome::Mine);
    let heartbeat = one.heartbeat().unwrap();
    assert!(heartbeat.deadline.holds(Instant::now()));
    assert_eq!(heartbeat.roster.nodes.len(), 2);
    let node = heartbeat.roster.holder(&table).unwrap();
    assert_eq!((&node.name, node.address.as_str(), node.version.as_str()), (two.name(), "127.0.0.1:8080", "0.1.0"));
    assert_eq!(heartbeat.roster.held_by(one.name()).count(), 0);
    two.leave().unwrap();
    let roster = one.leases().read().unwrap();
    assert_eq!((roster.nodes.len(), roster.holder(&table)), (1, None));
    assert_eq!(one.claim(&table).unwrap(), ClaimOutcome::Mine);
}

#[test]
fn partition_is_taken_from_its_holder() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let (mut one, mut two) = (join(&address, terms(LONG)), join(&address, terms(LONG)));
    assert_ne!(one.slot(), two.slot());
    let cluster = chain("table-1-0");
    assert!(!two.seize(&cluster, one.name()).unwrap(), "nobody ever held it");
    one.claim(&cluster).unwrap();
    let own = two.name().clone();
    assert!(!two.seize(&cluster, &own).unwrap(), "another one holds it");
    assert!(two.seize(&cluster, one.name()).unwrap());
    assert_eq!(one.heartbeat().unwrap().roster.holder(&cluster).unwrap().name, *two.name());
    assert_eq!(one.claim(&cluster).unwrap(), ClaimOutcome::HeldBy(two.name().clone()));
    let slot = one.slot();
    one.leave().unwrap();
    assert_eq!(join(&address, terms(LONG)).slot(), slot, "it is free again");
}

#[test]
fn wanted_partition_moves_when_released() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let [mut one, mut two, mut three] = [(); 3].map(|()| join(&address, terms(LONG)));
    let table = chain("table-1");
    let mut staff = leases(&address, terms(LONG));
    assert_eq!(staff.request_move(&table, two.name()).unwrap(), MoveOutcome::NoSuchPartition);
    one.claim(&table).unwrap();
    assert_eq!(staff.request_move(&table, &NodeName::from("nobody")).unwrap(), MoveOutcome::NoSuchNode);
    assert_eq!(staff.request_move(&table, one.name()).unwrap(), MoveOutcome::Noted);
    assert_eq!(one.heartbeat().unwrap().roster.wanted_from(one.name()).count(), 0, "it is there already");
    assert_eq!(staff.request_move(&table, two.name()).unwrap(), MoveOutcome::Noted);
    let roster = one.heartbeat().unwrap().roster;
    assert_eq!(roster.wanted_from(one.name()).collect::<Vec<_>>(), [(&table, two.name())]);
    assert_eq!(two.claim(&table).unwrap(), ClaimOutcome::HeldBy(one.name().clone()), "not before");
    one.release(&table).unwrap();
    assert_eq!(three.claim(&table).unwrap(), ClaimOutcome::KeptFor(two.name().clone()));
    assert_eq!(one.claim(&table).unwrap(), ClaimOutcome::KeptFor(two.name().clone()));
    assert_eq!(two.claim(&table).unwrap(), ClaimOutcome::Mine);
    assert_eq!(two.heartbeat().unwrap().roster.wanted_from(two.name()).count(), 0, "the wish is fulfilled");
    // Nothing is kept for one who has gone.
    staff.request_move(&table, three.name()).unwrap();
    two.release(&table).unwrap();
    three.leave().unwrap();
    assert_eq!(one.claim(&table).unwrap(), ClaimOutcome::Mine);
}

#[test]
fn expired_lease_is_claimed_by_exactly_one() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let table = chain("table-1");
    let mut racers = [(); 3].map(|()| join(&address, terms(LONG)));
    for round in 0..10 {
        eprintln!("round {round}");
        let mut holder = hold_briefly(&address, &table, SHORT);
        let deadline = holder.deadline();
        let start = Barrier::new(racers.len());
        let race = |racer: &mut JoinedNode| {
            start.wait();
            // Whoever does not get it from the one who is gone gets to know who did.
            wait_for("the part is claimed", || match racer.claim(&table).unwrap() {
                ClaimOutcome::Mine => Some((racer.name().clone(), true)),
                ClaimOutcome::HeldBy(other) if other == *holder.name() => None,
                ClaimOutcome::HeldBy(other) => Some((other, false)),
                ClaimOutcome::KeptFor(other) => panic!("nobody wished for {other}"),
            })
        };
        let won: Vec<(NodeName, bool)> = thread::scope(|scope| {
            let race = &race;
            let running: Vec<_> = racers.iter_mut().map(|racer| scope.spawn(move || race(racer))).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(!deadline.holds(Instant::now()), "the holder had stopped before");
        assert_eq!(won.iter().filter(|(_, is_mine)| *is_mine).count(), 1, "{won:?}");
        assert!(won.iter().all(|(name, _)| *name == won[0].0), "all know the same: {won:?}");
        is_lapsed(|| holder.heartbeat());
        is_lapsed(|| holder.claim(&table));
        let winner = racers.iter_mut().find(|racer| *racer.name() == won[0].0).unwrap();
        winner.release(&table).unwrap();
    }
}

/// Someone beside the nodes, in the same database.
fn beside(address: &str) -> postgres::Client {
    postgres::Client::connect(address, postgres::NoTls).expect("a connection")
}

/// Lets a node live so much longer.
fn shorten(client: &mut postgres::Client, node: &NodeName, millis: u64) {
    let until = format!(
        "UPDATE taisai_journal.nodes SET until = clock_timestamp() + interval '{millis} ms' WHERE name = '{node}'"
    );
    client.batch_execute(&until).expect("a change");
}

/// Waits until someone waits for a lock.
fn someone_waits(client: &mut postgres::Client) {
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    wait_until("someone waits", || client.query_one(waits, &[]).expect("an answer").get::<_, i64>(0) > 0);
}

/// A heartbeat that began in time and had to wait does not take back what was claimed meanwhile.
#[test]
fn heartbeat_reads_the_clock_after_waiting() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let table = chain("table-1");
    let (mut holder, mut other) = (join(&address, terms(LONG)), join(&address, terms(LONG)));
    assert_eq!(holder.claim(&table).unwrap(), ClaimOutcome::Mine);
    let (mut watcher, mut lock) = (beside(&address), beside(&address));
    // The heartbeat waits for this lock, and nobody else does: neither a claim nor a change of the node's time.
    let share = format!("BEGIN; SELECT FROM taisai_journal.nodes WHERE name = '{}' FOR KEY SHARE", holder.name());
    lock.batch_execute(&share).unwrap();
    let name = holder.name().clone();
    let late = thread::spawn(move || holder.heartbeat());
    someone_waits(&mut watcher);
    assert_eq!(other.claim(&table).unwrap(), ClaimOutcome::HeldBy(name.clone()), "the heartbeat began in time");
    shorten(&mut watcher, &name, 0);
    assert_eq!(other.claim(&table).unwrap(), ClaimOutcome::Mine);
    lock.batch_execute("COMMIT").unwrap();
    let late = late.join().unwrap();
    assert!(matches!(late, Err(LeaseError::Lapsed)), "{late:?}");
}

/// A claim does not take what a heartbeat renews that is not committed yet.
#[test]
fn claim_waits_for_a_heartbeat_in_progress() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let table = chain("table-1");
    let (mut holder, mut other) = (join(&address, terms(LONG)), join(&address, terms(LONG)));
    assert_eq!(holder.claim(&table).unwrap(), ClaimOutcome::Mine);
    let (mut watcher, mut beating) = (beside(&address), beside(&address));
    // A heartbeat that comes too late, on a machine that stands still, is made again with more time.
    for tries in 1.. {
        shorten(&mut watcher, holder.name(), 500 * tries);
        beating.batch_execute("BEGIN").unwrap();
        let heartbeat =
            beating.query_one("SELECT taisai_journal.beat($1, 600000)", &[&holder.name().as_str()]).unwrap();
        if heartbeat.get::<_, bool>(0) {
            break;
        }
        beating.batch_execute("ROLLBACK").unwrap();
    }
    let lives = "SELECT taisai_journal.lives($1)";
    wait_until("its time is over, as far as is committed", || {
        !watcher.query_one(lives, &[&holder.name().as_str()]).unwrap().get::<_, bool>(0)
    });
    let claiming = thread::spawn(move || other.claim(&chain("table-1")).unwrap());
    someone_waits(&mut watcher);
    beating.batch_execute("COMMIT").unwrap();
    assert_eq!(claiming.join().unwrap(), ClaimOutcome::HeldBy(holder.name().clone()));
    assert_eq!(holder.heartbeat().unwrap().roster.held_by(holder.name()).count(), 1);
}

/// What an owner does that was stopped for longer than its lease lasts.
#[test]
fn late_holder_is_refused_by_the_epoch() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let table = chain("table-1");
    let mut journal = Postgres::open(&address).unwrap();
    let mut sleeper = hold_briefly(&address, &table, SHORT);
    let head = begin(&mut journal, "table-1");
    let mut next = join(&address, terms(LONG));
    wait_until("the part is claimed", || next.claim(&table).unwrap() == ClaimOutcome::Mine);
    assert!(!sleeper.deadline().holds(Instant::now()), "it had stopped answering by its own clock");
    // It is lost only once the epoch is raised: a lease decides who tries, and nothing else.
    Postgres::open(&address).unwrap().claim(&table, 2).unwrap();
    let late = journal.append(&[block(&head, &[b"late"])]);
    assert!(matches!(late, Err(AppendError::Fenced { epoch: 1, .. })), "{late:?}");
    is_lapsed(|| sleeper.heartbeat());
}

/// A process that is stopped longer than its lease lasts, wherever it is, and goes on.
#[test]
fn stopped_process_writes_nothing_more() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let table = chain("table-1");
    let mut command = Spawned::test("leases::owner");
    let mut owner = Spawned::start(command.env("STORE_OF_OWNER", &address).stdout(Stdio::piped()));
    let mut lines = owner.lines();
    let is_block = |line: &&String| line.starts_with("block ");
    let mut printed: Vec<String> = Vec::new();
    // Its lease may be over before, if the machine stood still.
    while printed.iter().filter(is_block).count() < 20 {
        let Some(line) = lines.next() else { break };
        printed.push(line);
    }
    owner.signal("STOP");
    let mut next = join(&address, terms(LONG));
    wait_until("the part is claimed", || next.claim(&table).unwrap() == ClaimOutcome::Mine);
    let mut journal = Postgres::open(&address).unwrap();
    let claimed = journal.claim(&table, 2).unwrap();
    let taken = Block::take_over(next_header(&claimed), "another".into());
    journal.append(std::slice::from_ref(&taken)).unwrap();
    owner.signal("CONT");
    printed.extend(lines);
    let acknowledged = printed.iter().filter(is_block).count();
    let ended = printed.iter().find(|line| line.starts_with("ended "));
    assert!(ended.is_some_and(|ended| ended == "ended over" || ended == "ended fenced"), "{printed:?}");
    let blocks = verify(&mut *journal.archive().unwrap(), &table).unwrap();
    assert_eq!(blocks.last(), Some(&taken), "nothing comes after the take-over");
    // Beside them stand the first block and the take-over, and perhaps one that was stored when nobody was there to hear it.
    assert!((acknowledged + 2..=acknowledged + 3).contains(&blocks.len()), "{acknowledged} {}", blocks.len());
}

/// Writes blocks as long as it may, by its own clock, and says which were acknowledged.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn owner() {
    let Some(address) = std::env::var("STORE_OF_OWNER").ok() else { return };
    let mut node = hold_briefly(&address, &chain("table-1"), Duration::from_secs(2));
    let mut journal = Postgres::open(&address).unwrap();
    let mut at = begin(&mut journal, "table-1");
    let mut deadline = node.deadline();
    while deadline.holds(Instant::now()) {
        let next = block(&at, &[b"x"]);
        match journal.append(std::slice::from_ref(&next)) {
            Ok(()) => println!("block {}", at.next),
            Err(AppendError::Fenced { .. }) => return println!("ended fenced"),
            Err(error) => panic!("{error:?}"),
        }
        at = head(&next);
        // A heartbeat that fails leaves the deadline as it was.
        deadline = node.heartbeat().map_or(deadline, |heartbeat| heartbeat.deadline);
    }
    println!("ended over");
}

#[test]
fn tables_of_an_older_program_are_migrated() {
    let server = TemporaryServer::shared();
    let address = server.database();
    let mut client = beside(&address);
    client.batch_execute(include_str!("../../src/postgres/tables.sql")).unwrap();
    client.batch_execute("INSERT INTO taisai_journal.layout VALUES (1)").unwrap();
    client
        .batch_execute("INSERT INTO taisai_journal.chains VALUES ('house', 7, 0, decode(repeat('00', 32), 'hex'))")
        .unwrap();
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                Postgres::open(&address).unwrap();
            });
        }
    });
    assert_eq!(client.query_one("SELECT number FROM taisai_journal.layout", &[]).unwrap().get::<_, i32>(0), 3);
    assert_eq!(Postgres::open(&address).unwrap().claim(&chain("house"), 8).unwrap().epoch, 8);
    assert_eq!(join(&address, terms(LONG)).claim(&chain("house")).unwrap(), ClaimOutcome::Mine);
}

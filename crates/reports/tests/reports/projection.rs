//! The reporting tables: the same however they were built, in both stores, and in accord with the machines.

use std::fmt::Write as _;
use std::path::Path;

use taisai_journal::suite::TemporaryServer;
use taisai_journal::{Archive, Journal as _, MemoryStore};
use taisai_record::Address;
use taisai_reports::{
    Projection, ProjectionError, ProjectionProgress, QUERIES, QueryResult, REPORT_TABLES, SqlValue, TablesError,
};
use taisai_table::{
    Actor, Chips, ClusterCommand, HouseCommand, Person, PersonId, Role, Roles, SignificantEventKind, Stake, Time,
};

use crate::casino::{SEATS, TestCasino, dealer};
use crate::made;

fn archive(memory: &MemoryStore) -> Box<dyn Archive> {
    memory.open().archive().unwrap()
}

/// Every row of every table, in the order of the keys.
fn dump(projection: &mut Projection) -> Vec<(&'static str, QueryResult)> {
    let rows = |projection: &mut Projection, table: &taisai_reports::ReportTable| {
        let places: Vec<_> = (1..=table.key).map(|place| place.to_string()).collect();
        let sql = format!("SELECT * FROM {} ORDER BY {}", table.name, places.join(", "));
        projection.query(&sql, &[]).unwrap()
    };
    REPORT_TABLES.iter().map(|table| (table.name, rows(projection, table))).collect()
}

fn number(projection: &mut Projection, sql: &str) -> i64 {
    let answer = projection.query(sql, &[]).unwrap();
    answer.rows[0][0].number().unwrap_or_else(|| panic!("{sql}: {answer:?}"))
}

fn folder_address(folder: &Path) -> Address {
    Address::Folder(folder.into())
}

/// Projects everything at once into new tables.
fn projected(memory: &MemoryStore, address: &Address) -> Projection {
    let mut projection = Projection::anew(address).unwrap();
    projection.catch_up(&mut *archive(memory), &[]).unwrap();
    projection
}

/// The made casino, with the folder of its key.
fn made_house() -> (tempfile::TempDir, MemoryStore, TestCasino) {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let casino = made::house(Box::new(memory.open()), folder.path());
    assert_eq!(*casino.warnings.lock().unwrap(), [""; 0]);
    (folder, memory, casino)
}

#[test]
fn tables_built_bit_by_bit_are_those_built_at_once() {
    let (_folder, memory, casino) = made_house();
    let keys = casino.record_store.keys().to_vec();
    casino.close();
    let server = TemporaryServer::shared();
    let folder = tempfile::tempdir().unwrap();
    let whole = dump(&mut projected(&memory, &folder_address(folder.path())));
    assert!(whole.iter().all(|(_, answer)| !answer.rows.is_empty()), "{whole:?}");
    let stopped = tempfile::tempdir().unwrap();
    for address in [folder_address(stopped.path()), Address::Postgres(server.database())] {
        // The program stops after every block, and another goes on.
        let mut transactions = 0;
        loop {
            let mut projection = Projection::open(&address).unwrap().with_batch(0);
            let trusted = if transactions % 2 == 0 { &keys[..] } else { &[] };
            let progress = projection.advance(&mut *archive(&memory), trusted).unwrap();
            if progress == ProjectionProgress::default() {
                break;
            }
            assert!(progress.blocks <= 3, "one block a chain");
            transactions += 1;
        }
        assert!(transactions > 3);
        let mut projection = Projection::open(&address).unwrap();
        assert_eq!(dump(&mut projection), whole);
        let lag = projection.lag(&mut *archive(&memory)).unwrap();
        assert!(lag.iter().all(|lag| lag.blocks() == 0 && lag.head == lag.projected), "{lag:?}");
        // Built again they are the same.
        assert_eq!(dump(&mut projected(&memory, &address)), whole);
    }
}

/// The projection follows a casino that plays, from blocks of any size, and says how far it is behind.
#[test]
fn projection_follows_a_running_casino() {
    for game in ["tai-sai-classic", "tai-sai", "tai-sai-open-cover", "sic-bo-etg"] {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryStore::default();
        let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), game).unwrap();
        let (followed, whole) = (folder_address(folder.path()), tempfile::tempdir().unwrap());
        let mut projection = Projection::open(&followed).unwrap();
        for round in 1..=6 {
            casino.play(1);
            if round % 3 == 0 {
                casino.correct(round - 1, [1, 1, 2]);
            }
            casino.commit();
            let lag = projection.lag(&mut *archive(&memory)).unwrap();
            assert!(lag.iter().any(|lag| lag.blocks() > 0 && lag.head.time > lag.projected.time), "{lag:?}");
            projection.catch_up(&mut *archive(&memory), casino.record_store.keys()).unwrap();
            check_against_machines(&mut projection, &casino);
        }
        // Bets that lie on the layout are not posted yet.
        casino.open_bets();
        casino.bet(0, "big", 300);
        casino.commit();
        casino.wait(1_000);
        projection.catch_up(&mut *archive(&memory), casino.record_store.keys()).unwrap();
        casino.close();
        projection.catch_up(&mut *archive(&memory), &[]).unwrap();
        let mut whole = projected(&memory, &folder_address(whole.path()));
        assert_eq!(dump(&mut projection), dump(&mut whole), "{game}");
    }
}

/// A casino in which nobody has done anything yet, opened and closed again and again, has the time of its opening.
#[test]
fn a_chain_without_an_entry_at_its_end_has_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    for _ in 0..12 {
        TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap().close();
    }
    let tables = tempfile::tempdir().unwrap();
    let mut projection = Projection::open(&folder_address(tables.path())).unwrap();
    let before = projection.lag(&mut *archive(&memory)).unwrap();
    assert!(before.iter().all(|lag| lag.head.next > 12 && lag.head.time >= Time(1_800_000_000_000)), "{before:?}");
    projection.catch_up(&mut *archive(&memory), &[]).unwrap();
    let after = projection.lag(&mut *archive(&memory)).unwrap();
    assert!(after.iter().all(|lag| lag.head == lag.projected), "{after:?}");
    assert_eq!(after.len(), 3);
    assert!(after.iter().all(|lag| lag.projected.time >= Time(1_800_000_000_000)), "{after:?}");
}

/// The sums of the tables are what the machines have.
fn check_against_machines(projection: &mut Projection, casino: &TestCasino) {
    let unequal = "SELECT count(*) FROM (SELECT chain, position, line FROM ledger_entries
                   GROUP BY chain, position, line HAVING sum(amount) <> 0) unequal";
    assert_eq!(number(projection, unequal), 0, "every transaction sums to zero");
    let cluster = casino.cluster.machine();
    let balance = |projection: &mut Projection, account: &str, seat: &str| {
        let sql = format!(
            "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM ledger_entries
             WHERE chain = 'table-1-0' AND account = '{account}'{seat}"
        );
        number(projection, &sql)
    };
    let ledger = cluster.ledger();
    for (account, expected) in [
        ("house", ledger.house),
        ("cash", ledger.cash),
        ("chips", ledger.chips),
        ("transit", ledger.transit),
        ("notes", ledger.notes),
        ("variance", ledger.variance),
    ] {
        assert_eq!(balance(projection, account, ""), expected.cents(), "{account}");
    }
    for seat in cluster.seats() {
        let colour = cluster.colour(seat).map_or(0, |set| set.credits.cents());
        let expected = cluster.credits(seat).cents() + cluster.on_layout(seat).cents() + colour;
        assert_eq!(balance(projection, "seat", &format!(" AND seat = {}", seat.0)), expected, "{seat:?}");
    }
    for (account, expected) in casino.house.machine().ledger() {
        let name = format!("{account:?}").split('(').next().unwrap().to_lowercase();
        let sql = format!(
            "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM ledger_entries
             WHERE chain = 'house' AND account = '{name}'"
        );
        assert_eq!(number(projection, &sql), expected.cents(), "{account:?}");
    }
    let meters = cluster.meters();
    let sum = |projection: &mut Projection, what: &str| {
        number(projection, &format!("SELECT CAST(sum({what}) AS BIGINT) FROM wagers"))
    };
    assert_eq!(sum(projection, "stake"), meters.bet.cents());
    assert_eq!(sum(projection, "paid + returned"), meters.won.cents() + meters.returned.cents());
    assert_eq!(sum(projection, "stake - paid - returned"), ledger.house.cents(), "the win is what the House has");
    let rounds = "SELECT count(*) FROM rounds WHERE over_at IS NOT NULL";
    assert_eq!(number(projection, rounds), i64::from(meters.rounds) + i64::from(meters.voids));
    for what in ["staked", "returned", "paid", "counted", "first_returned", "first_paid"] {
        let of_wagers = if what == "staked" { "stake" } else { what };
        let settled = format!("SELECT CAST(sum({what}) AS BIGINT) FROM settlements");
        assert_eq!(number(projection, &settled), sum(projection, of_wagers), "{what}");
    }
}

#[test]
fn projection_agrees_with_the_machines() {
    let (_folder, memory, casino) = made_house();
    let folder = tempfile::tempdir().unwrap();
    let mut projection = projected(&memory, &folder_address(folder.path()));
    check_against_machines(&mut projection, &casino);
    let house = casino.house.machine();
    for (state, expected) in [("good", 1), ("expired", 1), ("void", 1), ("paid", 3)] {
        let sql = format!("SELECT count(*) FROM vouchers WHERE state = '{state}'");
        assert_eq!(number(&mut projection, &sql), expected, "{state}");
    }
    let open: i64 = house.claims().map(|(_, claim)| claim.amount.cents()).sum();
    assert_eq!(
        number(&mut projection, "SELECT CAST(sum(amount - set_off) AS BIGINT) FROM claims WHERE paid_at IS NULL"),
        open
    );
    let owed: i64 = house.receivables().map(|(_, receivable)| receivable.left.cents()).sum();
    assert_eq!(number(&mut projection, "SELECT CAST(sum(still_open) AS BIGINT) FROM receivables"), owed);
    let refused = i64::try_from(casino.cluster.machine().refusals()).unwrap();
    assert_eq!(
        number(&mut projection, "SELECT CAST(sum(count) AS BIGINT) FROM refusals WHERE chain = 'table-1-0'"),
        refused
    );
}

/// Both the first settlement and how a round stands now are there.
#[test]
fn a_corrected_round_keeps_its_first_settlement() {
    let (_folder, memory, _casino) = made_house();
    let folder = tempfile::tempdir().unwrap();
    let mut projection = projected(&memory, &folder_address(folder.path()));
    let sql =
        "SELECT round, box, stake, first_paid, first_returned, paid, returned, outcome FROM wagers ORDER BY 1, line";
    let rows = projection.query(sql, &[]).unwrap().rows;
    let texts: Vec<_> = rows.iter().map(|row| row.iter().map(cell_text).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        texts,
        [
            "1 big 300 600 0 0 0 lost",
            "1 small 200 0 0 400 0 won",
            "1 sum:9 100 0 0 0 0 lost",
            "2 big 500 1000 0 0 0 lost",
            "2 small 500 0 0 1000 0 won",
            "3 any-triple 400 0 400 0 400 void",
            "4 any-triple 400 13200 0 13200 0 won",
            "5 big 200 0 0 0 200 void",
        ]
    );
}

/// F32: who has seen to what.
#[test]
fn an_acknowledgement_says_of_what() {
    let (_folder, memory, mut casino) = made_house();
    let house = casino.house.machine();
    let locked =
        house.significant().find(|event| event.what == SignificantEventKind::LoginLocked(PersonId(5))).unwrap().number;
    let supervisor = Actor::Person(Person { id: PersonId(3), roles: Roles::of(&[Role::PitSupervisor]) });
    casino.house(supervisor, HouseCommand::Acknowledge { event: locked });
    casino.house_refuses(supervisor, HouseCommand::Acknowledge { event: locked });
    casino.commit();
    let folder = tempfile::tempdir().unwrap();
    let mut projection = projected(&memory, &folder_address(folder.path()));
    let sql = "SELECT person, subject, detail FROM events WHERE kind = 'acknowledge'";
    let texts: Vec<Vec<_>> =
        projection.query(sql, &[]).unwrap().rows.iter().map(|row| row.iter().map(cell_text).collect()).collect();
    assert_eq!(texts, [["3", "5", &format!("{locked} login-locked")]]);
}

fn cell_text(value: &SqlValue) -> String {
    value.text().map(ToOwned::to_owned).or_else(|| value.number().map(|number| number.to_string())).unwrap_or_default()
}

/// Every documented query gives the same rows on both stores, and those that are expected.
#[test]
fn queries_give_the_expected_rows_on_both_stores() {
    let (_folder, memory, _casino) = made_house();
    let (folder, server) = (tempfile::tempdir().unwrap(), TemporaryServer::shared());
    let mut texts = Vec::new();
    for address in [folder_address(folder.path()), Address::Postgres(server.database())] {
        let mut projection = projected(&memory, &address);
        let mut text = String::new();
        for query in QUERIES {
            let values: Vec<SqlValue> = query.parameters().map(|(name, _)| i64::from(name == "table").into()).collect();
            let answer =
                projection.query(query.sql, &values).unwrap_or_else(|error| panic!("{}: {error:?}", query.name));
            writeln!(text, "{}\n  {}", query.name, answer.columns.join(" | ")).unwrap();
            for row in &answer.rows {
                writeln!(text, "  {}", row.iter().map(cell_text).collect::<Vec<_>>().join(" | ").trim_end()).unwrap();
            }
        }
        texts.push(text);
    }
    assert_eq!(texts[0], texts[1], "both stores");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports/reports.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &texts[0]).unwrap();
    }
    assert_eq!(texts[0], std::fs::read_to_string(golden).unwrap());
}

/// Tables of another record, or of a record that was rolled back, are not gone on with; and only one program projects.
#[test]
fn tables_that_do_not_fit_are_refused() {
    let (_folder, memory, casino) = made_house();
    casino.close();
    let folder = tempfile::tempdir().unwrap();
    let address = folder_address(folder.path());
    drop(projected(&memory, &address));
    let other = tempfile::tempdir().unwrap();
    let (another, mut casino) = (MemoryStore::default(), None);
    for _ in 0..2 {
        drop(casino.take());
        casino = Some(TestCasino::open(Box::new(another.open()), other.path(), "tai-sai").unwrap());
    }
    casino.unwrap().close();
    let error = Projection::open(&address).unwrap().catch_up(&mut *archive(&another), &[]).unwrap_err();
    assert!(matches!(error, ProjectionError::OtherRecord { .. }), "{error}");
    let mut first = Projection::anew(&address).unwrap().with_batch(0);
    first.advance(&mut *archive(&memory), &[]).unwrap();
    Projection::open(&address).unwrap().catch_up(&mut *archive(&memory), &[]).unwrap();
    let error = first.advance(&mut *archive(&memory), &[]).unwrap_err();
    assert!(matches!(error, ProjectionError::Tables(TablesError::Moved(_))), "{error}");
    assert_eq!(first.catch_up(&mut *archive(&memory), &[]).unwrap().blocks, 0, "it goes on from where the other ended");
}

/// Colour Chips, a player who walks away and rejected excess are in the ledger of a live table.
#[test]
fn a_live_table_is_in_accord_with_its_machine() {
    use taisai_rules::Money;
    use taisai_table::Seat;
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai-classic").unwrap();
    let seat = Seat(SEATS - 1);
    let value = Money::from_cents(500);
    assert!(casino.cluster(dealer(), ClusterCommand::IssueColour { seat, colour: 1, value, chips: 20, second: None }));
    for round in 0..3 {
        casino.open_bets();
        let stakes = [Stake { bet_box: "small".parse().unwrap(), amount: Money::from_cents(1_000) }];
        let place = ClusterCommand::Place { seat, chips: Chips::Colour, stakes: stakes.into_iter().collect() };
        assert!(casino.cluster(dealer(), place));
        casino.bet(0, "big", 700);
        if round == 1 {
            assert!(casino.cluster(dealer(), ClusterCommand::WalkAway { seat: Seat(0) }));
        }
        casino.deal([2, 3, 6]);
    }
    assert!(casino.cluster(dealer(), ClusterCommand::RedeemColour { seat }));
    casino.correct(1, [1, 2, 3]);
    casino.commit();
    let tables = tempfile::tempdir().unwrap();
    let mut projection = projected(&memory, &folder_address(tables.path()));
    check_against_machines(&mut projection, &casino);
    assert_eq!(number(&mut projection, "SELECT count(*) FROM events WHERE kind = 'walked-away'"), 1);
}

/// 1.3: what counts on two opposite boxes differs by more than the Differential, as Small was cut by its own maximum.
#[test]
fn a_counted_difference_over_the_differential_is_among_the_events() {
    use taisai_rules::{BoxKey, Money};
    use taisai_table::{LimitEntry, ReportedEvent, RoundCommand, TableLimits};
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "tai-sai").unwrap();
    let cents = Money::from_cents;
    let small =
        LimitEntry { boxes: "small".parse::<BoxKey>().unwrap(), min: Some(cents(100)), max: Some(cents(3_000)) };
    let limits = TableLimits { unit: cents(100), boxes: vec![small], rest: None, differential: Some(cents(2_000)) };
    let limits = limits.widest(casino.round.machine().rules().layout());
    casino.round(crate::casino::supervisor(), RoundCommand::ShowLimits { limits, why: "a tight table".to_owned() });
    for (small, big) in [(6_000, 7_000), (3_000, 5_000)] {
        casino.open_bets();
        casino.bet(0, "small", small);
        casino.bet(1, "big", big);
        casino.deal([2, 3, 6]);
    }
    let over = taisai_table::OverDifferential {
        bet_box: taisai_rules::BetBox::BIG,
        counted: cents(7_000),
        opposite_counted: cents(3_000),
        differential: cents(2_000),
    };
    let what =
        ReportedEvent::OverDifferential { table: crate::casino::TABLE, round: taisai_table::RoundNumber(1), over };
    casino.house(Actor::System, HouseCommand::Report { what });
    casino.commit();
    let tables = tempfile::tempdir().unwrap();
    let mut projection = projected(&memory, &folder_address(tables.path()));
    let sql = "SELECT kind, table_number, round, amount, detail FROM events WHERE kind LIKE '%over-differential' ORDER BY kind";
    let found = projection.query(sql, &[]).unwrap().rows;
    let row = |kind: &str, cited: &str| {
        let detail = format!("big 7000, small 3000, differential 2000{cited}");
        vec![kind.to_owned().into(), 1_i64.into(), 1_i64.into(), 2_000_i64.into(), detail.into()]
    };
    let expected: [Vec<SqlValue>; 2] = [row("over-differential", ", 1.3"), row("reported-over-differential", "")];
    assert_eq!(found, expected);
}

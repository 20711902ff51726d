//! Reports on a played installation: they equal the machines' figures, pages have no gaps, and spreadsheets no formulas.

use std::collections::BTreeSet;
use std::path::Path;

use taisai_analysis::DiceWatch;
use taisai_record::Address;
use taisai_reports::{Projection, ReportReader};
use taisai_rules::{Dice, Games};
use taisai_table::{Meters, PersonId, Role, Roles, RoundNumber, Seat};

use super::*;
use crate::auth::SignedIn;
use crate::tests::plan::TABLE;
use crate::tests::played::{HOSTILE, Playing, cluster};

/// A played and closed installation: its reporting tables, and the meters of its machines.
async fn house(folder: &Path) -> (ReportReader, std::collections::BTreeMap<(u16, Option<u32>), Meters>) {
    let mut playing = Playing::open(folder).await;
    playing.play().await;
    let meters = playing.meters().await;
    let keys = playing.close().await;
    let address = Address::Folder(folder.join("data"));
    let reader = tokio::task::spawn_blocking(move || {
        let mut archive = address.archive().unwrap();
        Projection::open(&address).unwrap().catch_up(&mut *archive, &keys).unwrap();
        ReportReader::open(&address).unwrap()
    });
    (reader.await.unwrap(), meters)
}

#[tokio::test]
async fn meters_are_those_of_the_machines_and_come_to_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, machines) = house(folder.path()).await;
    let lines = meters(&mut reader, Days::default()).unwrap();
    assert!(machines.values().any(|meters| meters.voids > 0 && meters.owed.cents() + meters.dispensed.cents() > 0));
    for ((number, seat), machine) in machines {
        let Meters { bought_in, bet, won, returned, dispensed, owed, rounds, voids } = machine;
        let line = lines.iter().find(|line| (line.cluster, line.seat) == (number, seat));
        let line = line.copied().unwrap_or(MeterLine { table: 1, cluster: number, seat, ..MeterLine::default() });
        let expected = MeterLine {
            table: 1,
            cluster: number,
            seat,
            bought_in: bought_in.cents(),
            bet: bet.cents(),
            won: won.cents(),
            returned: returned.cents(),
            dispensed: dispensed.cents(),
            owed: owed.cents(),
            rounds: rounds.into(),
            voids: voids.into(),
            ledger_win: line.ledger_win,
            reconciles: line.reconciles,
        };
        assert_eq!(line, expected);
        assert_eq!(line.reconciles, seat.is_none().then_some(true), "{line:?}");
    }
    // On days before and after there was nothing.
    let days = Days { from: None, to: "2001-01-01".parse().ok() };
    assert_eq!(meters(&mut reader, days).unwrap(), []);
    let csv = meters_csv(&lines);
    assert_eq!(csv.lines().count(), lines.len() + 1);
}

#[tokio::test]
async fn results_are_those_of_the_rounds_however_they_are_gathered() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, machines) = house(folder.path()).await;
    let games = Games::embedded();
    let win: i64 = machines
        .iter()
        .filter(|((_, seat), _)| seat.is_none())
        .map(|(_, meters)| meters.bet.cents() - meters.won.cents() - meters.returned.cents())
        .sum();
    let mut theoretical = BTreeSet::new();
    for by in [GroupBy::Table, GroupBy::Dealer, GroupBy::Shift, GroupBy::Day] {
        let lines = results(&mut reader, games, by, Days::default(), false).unwrap();
        assert_eq!(lines.iter().filter_map(|line| line.win).sum::<i128>(), i128::from(win), "{by:?}");
        assert_eq!(lines.iter().filter_map(|line| line.handle).sum::<i128>(), 3 * 1_600, "{by:?}");
        assert_eq!(lines.iter().map(|line| line.rounds).sum::<u64>(), 3, "{by:?}: one was void");
        theoretical.extend(lines.iter().map(|line| line.theoretical_win_exact.clone()));
        let has_drop = matches!(by, GroupBy::Table | GroupBy::Day);
        assert!(lines.iter().all(|line| line.drop.is_some() == has_drop), "{by:?}");
    }
    assert_eq!(theoretical.len(), 1, "{theoretical:?}");
    let boxes = results(&mut reader, games, GroupBy::Box, Days::default(), false).unwrap();
    let names: Vec<_> = boxes.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(boxes.iter().filter_map(|line| line.win).sum::<i128>(), i128::from(win));
    assert!(boxes.iter().all(|line| line.rounds == 3 && line.table == Some(1)));
    let past = Days { from: None, to: "2001-01-01".parse().ok() };
    assert_eq!(results(&mut reader, games, GroupBy::Table, past, false).unwrap().len(), 0);
    let table = results(&mut reader, games, GroupBy::Table, Days::default(), false).unwrap();
    assert_eq!(table[0].drop, Some(305_000));
}

#[tokio::test]
async fn a_spreadsheet_has_no_formula_from_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, _) = house(folder.path()).await;
    let games = Games::embedded();
    let dealers = results(&mut reader, games, GroupBy::Dealer, Days::default(), false).unwrap();
    assert_eq!(dealers[0].name, format!("1 {HOSTILE}"));
    let (events, _) = EventFilter::default().find(&mut reader, MAX_PAGE_EVENTS).unwrap();
    assert!(events.iter().any(|event| event.why.as_deref() == Some("@the camera shows it")));
    let query = taisai_reports::NamedQuery::find("staff").unwrap();
    let staff = reader.query(query.sql, &[]).unwrap();
    for csv in [results_csv(&dealers), events_csv(&events), rows_csv(&staff)] {
        let rows = read(&csv);
        assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
        for cell in rows.iter().flatten() {
            let is_number = cell.parse::<f64>().is_ok();
            assert!(is_number || !cell.starts_with(['=', '+', '-', '@']), "{cell}");
        }
    }
    let names: Vec<_> = read(&rows_csv(&staff)).into_iter().map(|row| row[2].clone()).collect();
    assert!(names.contains(&format!("'{HOSTILE}")), "{names:?}");
}

/// Both stores give the same.
#[tokio::test]
async fn a_database_answers_as_a_file_does() {
    let folder = tempfile::tempdir().unwrap();
    let (reader, _) = house(folder.path()).await;
    let address = Address::Folder(folder.path().join("data"));
    let compare = move || {
        let database = Address::Postgres(taisai_journal::suite::TemporaryServer::shared().database());
        let mut archive = address.archive().unwrap();
        Projection::open(&database).unwrap().catch_up(&mut *archive, &[]).unwrap();
        let mut answers = Vec::new();
        let of_database = ReportReader::open(&database).unwrap().with_timeout(READ_TIMEOUT).unwrap();
        for mut reader in [reader, of_database] {
            answers.push(everything(&mut reader));
        }
        assert_eq!(answers[0], answers[1]);
    };
    tokio::task::spawn_blocking(compare).await.unwrap();
}

/// What every report says.
fn everything(reader: &mut ReportReader) -> Vec<String> {
    let days = Days { from: "2001-01-01".parse().ok(), to: "2901-01-01".parse().ok() };
    let mut sheets = Vec::new();
    for days in [Days::default(), days] {
        sheets.push(format!("{:?}", meters(reader, days).unwrap()));
        for by in [GroupBy::Table, GroupBy::Dealer, GroupBy::Shift, GroupBy::Day, GroupBy::Box] {
            let lines = results(reader, Games::embedded(), by, days, true).unwrap();
            sheets.push(results_csv(&lines));
        }
    }
    sheets.push(format!("{:?}", rounds(reader, TABLE, None, 10).unwrap()));
    sheets.push(format!("{:?}", games(reader, cluster(1), Seat(2)).unwrap()));
    let filter = EventFilter {
        from: Some(taisai_table::Time(0)),
        to: Some(taisai_table::Time(u64::MAX)),
        kinds: vec!["void".to_owned(), "correction".to_owned(), "adjustment".to_owned()],
        table: Some(TABLE),
        ..EventFilter::default()
    };
    let (page, has_more) = filter.find(reader, 1).unwrap();
    let rest = EventFilter { after: Some(page[0].place()), person: Some(PersonId(5)), ..filter };
    sheets.push(format!("{page:?} {has_more} {:?}", rest.find(reader, 10).unwrap()));
    let mut watch = dice::DiceWatches::default();
    watch.follow(reader, TABLE, true).unwrap();
    sheets.push(format!("{:?}", watch.sheet(TABLE)));
    for query in taisai_reports::QUERIES {
        let given: Vec<_> = query.parameters().map(|(name, _)| (name.to_owned(), "1".to_owned())).collect();
        let values = parameters(query, &given).unwrap();
        sheets.push(rows_csv(&reader.query_most(query.sql, &values, 2).unwrap().0));
    }
    sheets
}

/// Reads a table as RFC 4180 has it.
fn read(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = csv.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {
                assert_eq!(characters.next(), Some('\n'));
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            character => cell.push(character),
        }
    }
    assert!(!is_quoted && cell.is_empty() && row.is_empty());
    rows
}

#[tokio::test]
async fn pages_of_events_have_no_gaps_and_no_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, _) = house(folder.path()).await;
    let (all, has_more) = EventFilter::default().find(&mut reader, MAX_PAGE_EVENTS).unwrap();
    assert!(!has_more && all.len() > 10, "{}", all.len());
    for is_newest_first in [false, true] {
        for most in [1, 3, all.len() - 1, all.len()] {
            let mut filter = EventFilter { is_newest_first, ..EventFilter::default() };
            let mut paged = Vec::new();
            loop {
                let (page, has_more) = filter.find(&mut reader, most).unwrap();
                assert!(page.len() == most || !has_more);
                paged.extend(page);
                if !has_more {
                    break;
                }
                // As it comes back in the address of the next page.
                filter.after = Some(paged.last().unwrap().place().to_string().parse().unwrap());
            }
            if is_newest_first {
                paged.reverse();
            }
            assert_eq!(paged, all, "{most} at a time");
        }
    }
}

#[tokio::test]
async fn events_are_found_by_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, _) = house(folder.path()).await;
    let mut find = |filter: EventFilter| filter.find(&mut reader, MAX_PAGE_EVENTS).unwrap().0;
    let all = find(EventFilter::default());
    let kinds = vec!["correction".to_owned(), "void".to_owned()];
    let changed = find(EventFilter { kinds, ..EventFilter::default() });
    let seen: Vec<_> = changed.iter().map(|event| (event.kind.as_str(), event.round)).collect();
    assert_eq!(seen, [("void", Some(2)), ("correction", Some(3))]);
    let by_second = find(EventFilter { person: Some(PersonId(5)), ..EventFilter::default() });
    assert!(by_second.iter().any(|event| event.second == Some(5)), "{by_second:?}");
    assert!(by_second.iter().all(|event| [event.person, event.second, event.subject].contains(&Some(5))));
    let seat =
        find(EventFilter { table: Some(TABLE), cluster: Some(0), seat: Some(Seat(0)), ..EventFilter::default() });
    assert!(!seat.is_empty() && seat.iter().all(|event| event.seat == Some(0) && event.cluster == Some(0)));
    assert_eq!(find(EventFilter { table: Some(taisai_table::TableId(2)), ..EventFilter::default() }), []);
    let middle = taisai_table::Time(all[all.len() / 2].happened_at);
    let before = find(EventFilter { to: Some(middle), ..EventFilter::default() });
    let after = find(EventFilter { from: Some(middle), ..EventFilter::default() });
    assert_eq!([before, after].concat(), all);
    let hostile = "x' OR 1=1 --".to_owned();
    assert_eq!(find(EventFilter { kinds: vec![hostile], ..EventFilter::default() }), []);
    for bad in ["", "1.2.3", "1.house.0.0.0.0", "x.house.0.0.0", "1.house.0.0.-1", "9999999999999999999.house.0.0.0"] {
        assert_eq!(bad.parse::<EventPosition>(), Err(BadEventPosition), "{bad}");
    }
}

#[tokio::test]
async fn rounds_are_listed_with_what_they_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, _) = house(folder.path()).await;
    let lines = rounds(&mut reader, TABLE, None, 10).unwrap();
    let seen: Vec<_> = lines.iter().map(|line| (line.round, line.dice, line.staked, line.paid, line.changes)).collect();
    assert_eq!(
        seen,
        [
            (4, Some([5, 5, 5]), Some(1_600), lines[0].paid, 0),
            (3, Some([6, 5, 4]), Some(1_600), 1_000, 1),
            (2, None, Some(1_600), 0, 0),
            (1, Some([4, 5, 6]), Some(1_600), 1_000, 0)
        ]
    );
    assert_eq!(lines[1].first_dice, Some([1, 2, 3]));
    assert_eq!(lines[2].void.as_deref(), Some("few-tumbles"));
    assert_eq!((lines[2].returned, lines[2].wagers), (1_600, 4));
    assert_eq!(lines[0].dealer_name.as_deref(), Some(HOSTILE));
    let older = rounds(&mut reader, TABLE, Some(RoundNumber(3)), 1).unwrap();
    assert_eq!(older, lines[2..3]);
    assert_eq!(rounds(&mut reader, TABLE, Some(RoundNumber(u64::MAX)), 10).unwrap(), lines);
}

#[tokio::test]
async fn games_of_a_seat_are_drawn_as_they_looked() {
    let folder = tempfile::tempdir().unwrap();
    let (mut reader, _) = house(folder.path()).await;
    let found = games(&mut reader, cluster(0), Seat(0)).unwrap();
    let seen: Vec<_> = found
        .iter()
        .map(|game| {
            let settled = game.first_paid + game.first_returned;
            let moved = settled + game.corrected + game.bought_in - game.cashed_out - game.staked;
            assert_eq!(game.credits_before + moved, game.credits_after, "it adds up: {game:?}");
            (game.round, game.credits_before, game.staked, settled, game.corrected, game.credits_after)
        })
        .collect();
    // Big: won by 4 5 6, returned, lost to 1 2 3, lost to a triple. A late correction counts after the game it came after.
    assert_eq!(
        seen,
        [
            (4, 100_000, 500, 0, 1_000, 100_500),
            (3, 100_500, 500, 0, 0, 100_000),
            (2, 100_500, 500, 500, 0, 100_500),
            (1, 100_000, 500, 1_000, 0, 100_500)
        ]
    );
    assert_eq!((found[1].paid, found[1].dice, found[1].first_dice), (1_000, Some([6, 5, 4]), Some([1, 2, 3])));
    assert_eq!(found[0].bets[0].outcome, "lost-to-triple");
    assert_eq!(games(&mut reader, cluster(0), Seat(1)).unwrap(), [], "bought in, and did not play");
    assert_eq!(games(&mut reader, cluster(9), Seat(77)).unwrap(), []);
}

/// Waits until the tables hold everything that is on record.
async fn caught_up(reports: &Reports, is_there: impl Fn(&Reports) -> bool) {
    let mut steps = reports.steps();
    loop {
        reports.wake();
        steps.changed().await.unwrap();
        if reports.lag().blocks == 0 && is_there(reports) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_follow_a_running_casino() {
    let folder = tempfile::tempdir().unwrap();
    let mut playing = Playing::open(folder.path()).await;
    let address = Address::Folder(folder.path().join("data"));
    let reports = Reports::start(address, playing.node.keys().to_vec(), Games::embedded().clone()).unwrap();
    playing.buy(0, 0, 100_000).await;
    let mut watch = DiceWatch::new();
    for (round, dice) in (1..).zip(Dice::all().step_by(11).take(12)) {
        playing.open_bets().await;
        playing.bet(0, 0, "big", 100).await;
        playing.deal(3, dice.faces().map(taisai_rules::Face::number)).await;
        watch.add(dice);
        caught_up(&reports, |reports| reports.dice(TABLE).is_some_and(|dice| dice.round == round)).await;
        let table = reports.dice(TABLE).unwrap();
        assert_eq!(table.all, DiceSheet::new(&watch));
        assert_eq!(table.sets.len(), 1);
        assert_eq!(table.sets[0].dice, table.all);
    }
    let before = reports.games(cluster(0), Seat(0)).await.unwrap();
    assert_eq!(before.len(), 12);
    assert!(Arc::ptr_eq(&before, &reports.games(cluster(0), Seat(0)).await.unwrap()), "they are kept");
    let dice = |game: &GameLine| game.dice;
    assert_eq!(before.iter().find(|game| game.round == 5).and_then(dice), before[7].first_dice);
    // A correction changes games and dice that were known.
    playing.correct(5, [6, 6, 5]).await;
    caught_up(&reports, |reports| reports.dice(TABLE).unwrap().all != DiceSheet::new(&watch)).await;
    let mut corrected = DiceWatch::new();
    for (round, dice) in (1..).zip(Dice::all().step_by(11).take(12)) {
        corrected.add(if round == 5 { Dice::try_from([6, 6, 5]).unwrap() } else { dice });
    }
    assert_eq!(reports.dice(TABLE).unwrap().all, DiceSheet::new(&corrected));
    let after = reports.games(cluster(0), Seat(0)).await.unwrap();
    assert_eq!(after[7].dice, Some([6, 6, 5]));
    assert_ne!(after[7].first_dice, after[7].dice);
    tokio::task::spawn_blocking(move || drop(reports)).await.unwrap();
    playing.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_query_is_cancelled_and_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Folder(folder.path().to_owned());
    let mut reader = ReportReader::open(&address).unwrap();
    let stop = reader.stop();
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let (begun, begins) = oneshot::channel();
    let work = tokio::task::spawn_blocking(move || {
        begun.send(()).unwrap();
        reader.query(endless, &[]).unwrap_err()
    });
    begins.await.unwrap();
    while !work.is_finished() {
        stop.now();
        tokio::task::yield_now().await;
    }
    let error = work.await.unwrap();
    assert!(matches!(error, taisai_reports::TablesError::Stopped), "{error}");
    let again = ReportReader::open(&address).unwrap().query("SELECT count(*) FROM rounds", &[]).unwrap();
    assert_eq!(again.rows[0][0].number(), Some(0));
}

#[tokio::test]
async fn a_failing_projection_is_reported_and_reports_go_on() {
    let folder = tempfile::tempdir().unwrap();
    // There is no record there.
    let reports = Reports::start(Address::Folder(folder.path().to_owned()), Vec::new(), Games::default()).unwrap();
    let mut steps = reports.steps();
    while reports.lag().error.is_none() {
        steps.changed().await.unwrap();
    }
    assert!(!reports.lag().is_known);
    assert!(reports.dice(TABLE).is_none());
    assert_eq!(reports.ask(|reader, _| meters(reader, Days::default())).await.unwrap(), []);
    assert!(reports.games(cluster(0), Seat(0)).await.unwrap().is_empty());
}

#[test]
fn auditors_and_the_pit_may_read() {
    for role in Role::ALL {
        let person = taisai_table::Person { id: PersonId(1), roles: Roles::of(&[role]) };
        let may = MayRead::try_from(SignedIn { person, source: 1, is_fresh: true }).map(drop);
        let expected = match role {
            Role::Auditor | Role::PitSupervisor | Role::PitManager | Role::ShiftManager | Role::CasinoManager => Ok(()),
            Role::Dealer | Role::Attendant | Role::Cashier | Role::Administrator => Err(Denied::NotForYou),
        };
        assert_eq!(may, expected, "{role:?}");
    }
}

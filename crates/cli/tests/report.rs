//! `taisai report` on a small record: built, behind, brought up to date, asked.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;

use taisai_journal::Purpose;
use taisai_record::{Address, Book, Files, Program, Recorder, Setup};
use taisai_rules::Money;
use taisai_table::{
    Actor, Asked, CommandId, Decision, Founder, House, HouseCommand, Person, PersonId, Profile, Role, Roles, Time,
    VoucherHash, VoucherNumber,
};

fn taisai(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_taisai")).args(args).stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A house that has sold so many vouchers since it was founded.
fn sell(store: &Path, beside: &Path, vouchers: std::ops::Range<u8>) {
    let files = Files { key: beside.join("house.key"), anchor: None, trusted: Vec::new() };
    let program = Program { version: "0.1.0".to_owned(), hash: [1; 32] };
    let address = Address::Folder(store.into());
    let mut book = Book::open(&address, &files, program, [7; 16], Purpose::Real, Arc::new(drop)).expect("a book");
    let (profile, time) = (Profile::singapore(), Time(1_800_000_000_000));
    let mut house: Recorder<House> =
        book.machine(Setup::House { is_training: false }, &profile, time).expect("a house");
    let mut ask = |actor, place: u8, command| {
        let id = CommandId { source: 1, sequence: u64::from(place) };
        let decision = house.ask(Asked { time: Time(time.0 + u64::from(place)), actor, id, command });
        assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
    };
    if vouchers.start == 1 {
        let founder =
            |id, name: &str, role| Founder { person: PersonId(id), name: name.to_owned(), roles: Roles::of(&[role]) };
        let cashier = founder(8, "Hui, \"H\"", Role::Cashier);
        let people = vec![cashier, founder(9, "Ina", Role::Administrator), founder(3, "Ben", Role::PitSupervisor)];
        ask(Actor::System, 1, HouseCommand::Found { people });
    }
    let cashier = Actor::Person(Person { id: PersonId(8), roles: Roles::of(&[Role::Cashier]) });
    for place in vouchers {
        let number = VoucherNumber { hash: VoucherHash([place; 32]), digits: place.into() };
        let amount = Money::from_cents(1_000);
        ask(cashier, place + 1, HouseCommand::SellVoucher { number, amount });
    }
    let (answer, answers) = mpsc::channel();
    house.commit(move |done| answer.send(done).expect("someone waits")).expect("it records");
    answers.recv().expect("an answer").expect("it is durable");
    drop(house);
    book.close();
}

#[test]
fn reports_are_built_behind_and_asked() {
    let (folder, beside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let store = folder.path().to_str().expect("a name");
    let (status, _, error) = taisai(&["report", "rebuild", store]);
    assert_eq!(status, Some(2), "there is no record: {error}");
    sell(folder.path(), beside.path(), 1..3);
    let (status, printed, error) = taisai(&["report", "rebuild", store]);
    assert_eq!(status, Some(0), "{error}");
    assert!(printed.contains("3 entries and 0 wagers"), "{printed}");
    assert_eq!(taisai(&["report", "lag", store]).0, Some(0));
    let (_, before, error) = taisai(&["report", "query", store, "staff", "--json"]);
    assert_eq!(error, "");
    assert!(before.contains(r#""command":"sell-voucher","count":2"#), "{before}");
    sell(folder.path(), beside.path(), 3..4);
    let (status, printed, _) = taisai(&["report", "lag", store, "--json"]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains(r#""head_at":1800000000004"#) && printed.contains(r#""projected_at":1800000000003"#));
    let (status, printed, error) = taisai(&["report", "query", store, "staff", "--json"]);
    assert_eq!((status, printed), (Some(0), before));
    assert!(error.contains("blocks behind the record"), "{error}");
    assert_eq!(taisai(&["report", "update", store]).0, Some(0));
    let (_, printed, error) = taisai(&["report", "query", store, "staff", "--csv"]);
    assert_eq!(error, "");
    let rows: Vec<_> = printed.split("\r\n").collect();
    assert_eq!(rows[0], "gaming_day,person,name,part,chain,command,count,last_at");
    assert_eq!(rows[1], "2027-01-15,8,\"Hui, \"\"H\"\"\",first,house,sell-voucher,3,1800000000004");
    let (_, printed, _) = taisai(&["report", "query", store, "open-vouchers"]);
    assert!(printed.contains("good") && printed.contains("3000"), "{printed}");
    for (args, expected) in [
        (&["report", "query", store, "lunch"][..], "there is no query \"lunch\"; there are win, boxes"),
        (&["report", "query", store, "last-games"], "asks for table=NUMBER"),
        (&["report", "query", store], "<NAME>"),
    ] {
        let (status, _, error) = taisai(args);
        assert_eq!(status, Some(2), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
    let (status, printed, _) = taisai(&["report", "query", "--list"]);
    assert!(status == Some(0) && printed.contains("biggest-wins"), "{printed}");
}

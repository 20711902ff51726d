//! Attacks on bets, credits and vouchers.

use std::sync::Barrier;
use std::sync::atomic::Ordering;
use std::thread;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::dealing::has_happened;
use crate::house::{TWO_TABLES, TestCasino};
use crate::person::{Person, accepted, refused};
use crate::socket::Socket;
use crate::terminal::{Device, place, unhex};

/// The order in the record decides, not a client's clock (F03).
#[test]
fn bet_after_the_close_is_refused_by_any_clock() {
    let mut house = TestCasino::open();
    let (dealing, mut terminal) = house.betting(3, 100_000);
    accepted(&terminal.place(&[("small", 1_000)]));
    // Bets race the close: exactly the accepted ones are on the layout.
    let sent: Vec<u64> = (0..200)
        .map(|at| {
            if at == 100 {
                dealing.deals("close-bets");
            }
            terminal.send(&place(3, &[("big", 100)]))
        })
        .collect();
    let answers: Vec<Value> = sent.into_iter().map(|sequence| terminal.answer(sequence)).collect();
    let taken = answers.iter().filter(|answer| answer.get("accepted").is_some()).count();
    let late = &answers[taken..];
    assert!(late.len() >= 99, "{taken} were taken");
    for answer in late {
        refused(answer, "bets-closed");
    }
    let on_layout = 1_000 + 100 * i64::try_from(taken).unwrap();
    assert_eq!(
        (&terminal.view["on_layout"], &terminal.view["credits"]),
        (&json!(on_layout), &json!(100_000 - on_layout))
    );
    refused(
        &terminal.ask(&json!({"withdraw": {"seat": 3, "chips": "own", "stakes": [{"box": "small", "amount": 100}]}})),
        "bets-closed",
    );
    refused(&terminal.ask(&json!({"clear": {"seat": 3}})), "bets-closed");
    refused(&terminal.place(&[("odd", 100)]), "bets-closed");
    dealing.throw([1, 2, 3]);
    refused(&terminal.place(&[("odd", 100)]), "no-round-open");
    let (_, metrics) = house.get("/metrics");
    assert!(metrics.lines().any(|line| line.contains("bets-closed")), "{metrics}");
    house.audit();
}

#[test]
fn repeated_command_is_carried_out_once() {
    let house = TestCasino::open();
    let (_dealing, mut terminal) = house.betting(3, 100_000);
    let bet = place(3, &[("small", 1_000)]);
    let sequence = terminal.send(&bet);
    let first = terminal.answer(sequence);
    accepted(&first);
    for _ in 0..3 {
        terminal.send_as(sequence, &bet);
        assert_eq!(terminal.answer(sequence), first);
    }
    assert_eq!(terminal.view["credits"], 99_000, "one debit");
    // The connection broke before the reply. The repeated command gets the same reply.
    let device = terminal.device.clone();
    drop(terminal);
    let mut terminal = device.connect(house.address());
    terminal.send_as(sequence, &bet);
    assert_eq!(terminal.answer(sequence), first);
    assert_eq!(terminal.view["credits"], 99_000);
    terminal.send_as(sequence, &place(3, &[("small", 2_000)]));
    refused(&terminal.answer(sequence), "command-id-reused");
    assert_eq!(terminal.view["credits"], 99_000);
    has_happened(&house, |what| what.to_string().contains("command-id-reused"));

    // The same over HTTP.
    let dealer = house.person("dealer");
    let body = json!({"source": dealer.source, "sequence": dealer.next(), "command": {"round": "close-bets"}});
    let path = "/api/v1/tables/1/commands";
    let first = dealer.post(path, &body);
    accepted(&first.1);
    assert_eq!(dealer.post(path, &body), first);
    let other = json!({"source": body["source"], "sequence": body["sequence"], "command": {"round": "open-bets"}});
    refused(&dealer.post(path, &other).1, "command-id-reused");
    // Another person's command number is refused.
    let supervisor = house.person("pit-supervisor");
    refused(&supervisor.post(path, &body).1, "not-yours");
}

fn sell(cashier: &Person, amount: i64) -> String {
    let sold = cashier.house(json!({"sell": {"amount": amount}}));
    let number = sold["accepted"]["voucher"]["voucher"]["validation"].as_str();
    number.unwrap_or_else(|| panic!("{sold}")).chars().filter(char::is_ascii_digit).collect()
}

#[test]
fn voucher_presented_at_two_cages_is_paid_once() {
    let mut house = TestCasino::open();
    let cashier = house.person("cashier");
    let other = Person::sign_in(house.address(), cashier.id, &house.password(cashier.id));
    let mut terminal = house.terminal(1, 1);
    let mut credits = 0;
    for _ in 0..20 {
        let number = sell(&cashier, 5_000);
        let together = Barrier::new(3);
        let redeem = json!({"redeem": {"number": number}});
        let answers: [Value; 3] = thread::scope(|scope| {
            let at = |person: &Person| {
                let (person, redeem, together) = (person.clone(), redeem.clone(), &together);
                scope.spawn(move || {
                    together.wait();
                    person.house(redeem)
                })
            };
            let (one, two) = (at(&cashier), at(&other));
            together.wait();
            let three = terminal.ask(&redeem);
            [one.join().unwrap(), two.join().unwrap(), three]
        });
        let paid = answers.iter().filter(|answer| answer.get("accepted").is_some()).count();
        assert_eq!(paid, 1, "{answers:?}");
        for answer in answers.iter().filter(|answer| answer.get("accepted").is_none()) {
            refused(answer, "voucher-paid");
        }
        credits += if answers[2].get("accepted").is_some() { 5_000 } else { 0 };
        terminal.until("the credits", |terminal| terminal.view["credits"] == credits);
    }
    house.audit();
}

/// F45: five wrong numbers lock redemption at the device.
#[test]
fn guessed_voucher_numbers_are_refused() {
    let house = TestCasino::open();
    let cashier = house.person("cashier");
    let number = sell(&cashier, 5_000);
    let mut terminal = house.terminal(1, 2);
    for guess in 0..5 {
        let guess = json!({"redeem": {"number": format!("{guess:018}")}});
        refused(&terminal.ask(&guess), "voucher-not-on-file");
    }
    let right = json!({"redeem": {"number": number}});
    refused(&terminal.ask(&right), "locked-out");
    has_happened(&house, |what| what.get("redemption-locked").is_some());
    for bad in ["", "12", "x", "1234567890123456789", "12345678901234567x"] {
        let answer = house.person("cashier").house(json!({"redeem": {"number": bad}}));
        assert!(answer.get("refused").is_some(), "{bad}: {answer}");
    }
    // Another person clears the lock, and the right number is paid.
    let lock =
        json!({"clear-redemption-lock": {"redeemer": {"seat": {"cluster": {"table": 1, "number": 0}, "seat": 2}}}});
    accepted(&house.person("attendant").house(lock));
    accepted(&terminal.ask(&right));
    terminal.until("the credits", |terminal| terminal.view["credits"] == 5_000);
}

#[test]
fn bad_stakes_are_refused() {
    let house = TestCasino::open();
    let (dealing, mut terminal) = house.betting(3, 100_000);
    for (amount, code) in [
        (json!(-1), "bad-amount"),
        (json!(0), "bad-amount"),
        (json!(i64::MIN), "bad-amount"),
        (json!(i64::MAX), "amount-too-large"),
        (json!(150), "amount-off-unit"),
        (json!(100_100), "not-enough-credits"),
    ] {
        let stakes = json!([{"box": "small", "amount": amount}]);
        refused(&terminal.ask(&json!({"place": {"seat": 3, "chips": "own", "stakes": stakes}})), code);
    }
    // An amount that is not a whole number is unreadable: only that command is refused, and the terminal stays connected.
    let stake = |amount: &str| {
        format!(r#"{{"place":{{"seat":3,"chips":"own","stakes":[{{"box":"small","amount":{amount}}}]}}}}"#)
    };
    let amounts = ["9223372036854775808", "1e99", "1.5", "\"10\"", "null", "[]", "{}", "true"];
    let other = [stake("100").replace("small", "nowhere"), "\"dance\"".to_owned(), "{\"dance\":{}}".to_owned()];
    for bad in amounts.map(stake).into_iter().chain(other) {
        let first = terminal.device.sequence.fetch_add(3, Ordering::Relaxed) + 1;
        let commands = [stake("100"), bad.clone(), r#"{"clear":{"seat":3}}"#.to_owned()];
        terminal.socket.send(Message::text(message((first..).zip(&commands))));
        let answers = [first, first + 1, first + 2].map(|sequence| terminal.answer(sequence));
        accepted(&answers[0]);
        refused(&answers[1], "bad-command");
        assert!(answers[1]["refused"]["sentence"].as_str().unwrap().len() < 200, "{answers:?}");
        accepted(&answers[2]);
        // Over HTTP it is denied.
        let body = format!(r#"{{"source":1,"sequence":1,"command":{{"cluster":{{"number":0,"command":{bad}}}}}}}"#);
        let (status, answer) =
            dealing.dealer.post_raw("/api/v1/tables/1/commands", body.as_bytes(), "application/json");
        assert!((400..500).contains(&status), "{bad}: {status}");
        assert!(answer["refused"]["code"].is_string(), "{bad}: {answer}");
    }
    // Text that is no message closes the connection with a reason. So do too many unreadable commands.
    let bad = stake("null");
    // No message holds more commands than a machine remembers.
    let flood = (0..26).map(|count| message((1_000 + 4 * count..).zip([&bad; 4])));
    for messages in [
        vec![message([(1_000, &stake("NaN"))])],
        vec![r#"{"commands":[{"sequence":-1,"command":"dance"}]}"#.to_owned()],
        vec![r#"{"commands":[],"dance":true}"#.to_owned()],
        flood.collect(),
        vec![message((1_000..).zip([&stake("100"); 5]))],
    ] {
        let device = terminal.device.clone();
        accepted(&terminal.place(&[("small", 100)]));
        for text in messages {
            terminal.socket.send(Message::text(text));
        }
        let (code, why) = terminal.socket.over().expect("it says why");
        assert!(code == 1007 && !why.is_empty(), "{code} {why}");
        terminal = device.connect(house.address());
    }
    assert_eq!((&terminal.view["credits"], &terminal.view["on_layout"]), (&json!(99_500), &json!(500)));
}

/// A message with commands as raw text.
fn message<'a>(commands: impl IntoIterator<Item = (u64, &'a String)>) -> String {
    let commands = commands.into_iter();
    let commands = commands.map(|(sequence, command)| format!(r#"{{"sequence":{sequence},"command":{command}}}"#));
    format!(r#"{{"commands":[{}]}}"#, commands.collect::<Vec<_>>().join(","))
}

/// On staff screens too, only the unreadable command is refused.
#[test]
fn unreadable_commands_of_people_are_refused() {
    let house = TestCasino::open();
    let cage = [("cookie", house.person("cashier").cookie)];
    let cage = cage.each_ref().map(|(name, cookie)| (*name, cookie.as_str()));
    let cage = Socket::open(house.address(), "/api/v1/house/cage", &cage);
    let screens = [
        (house.person("dealer").console(1), r#"{"round":"dance"}"#, r#"{"round":"announce-closure"}"#),
        (cage, r#"{"sell":{"amount":1e99}}"#, r#"{"sell":{"amount":1000}}"#),
    ];
    for (mut screen, bad, good) in screens {
        let text = message([(1, &bad.to_owned()), (2, &good.to_owned())]);
        screen.send(Message::text(text));
        let answer = |sequence| {
            screen.until("an answer", |message| {
                let mut answers = message["answers"].as_array()?.iter();
                answers.find(|answer| answer["sequence"] == sequence).map(|answer| answer["answer"].clone())
            })
        };
        refused(&answer(1), "bad-command");
        let good = answer(2);
        assert!(good["refused"]["code"] != "bad-command", "{good}");
    }
}

/// Commands by which a terminal, or the holder of its key, may try to create credits.
fn notes_of_a_terminal() -> [Value; 6] {
    [
        json!({"buy-in": {"seat": 3, "amount": 10_000, "method": "note"}}),
        json!({"buy-in": {"seat": 3, "amount": 10_000}}),
        json!({"accept-note": {"seat": 3, "amount": 10_000}}),
        json!({"count-stacker": {"seat": 3, "notes": 1}}),
        json!({"empty-stacker": {"acceptor": 3, "notes": 1, "amount": 10_000}}),
        json!({"insert-note": {"amount": 10_000}}),
    ]
}

/// F86: only a note acceptor's own key permits this command.
#[test]
fn terminal_cannot_buy_in_by_note() {
    let path = "/api/v1/tables/1/acceptor";
    let acceptor = json!({"note-acceptor": {"cluster": {"table": 1, "number": 0}, "seat": 3}});
    let enrol = json!({"enrol": {"device": 900, "kind": acceptor}});
    for (tables, takes_notes) in
        [(TWO_TABLES.to_owned(), false), (format!("profile = \"training\"\n{TWO_TABLES}"), true)]
    {
        let mut house = TestCasino::with(&tables);
        let mut terminal = house.terminal(1, 3);
        for command in notes_of_a_terminal() {
            refused(&terminal.ask(&command), "bad-command");
        }
        // A terminal's key proves a terminal, also at the address of note acceptors.
        match Socket::try_open(house.address(), path, &[]) {
            Err(status) => assert!(status == 404 && !takes_notes, "{status}"),
            Ok(mut socket) => {
                assert!(takes_notes);
                let challenge = unhex(socket.next()["challenge"].as_str().unwrap());
                socket.send_json(&terminal.device.proof(&challenge));
                assert_eq!(socket.over(), Some((4000, "not-for-you".to_owned())));
            }
        }
        let cashier = house.person("cashier");
        refused(&cashier.cluster(1, json!({"accept-note": {"seat": 3, "amount": 10_000}})), "bad-command");
        assert_eq!(terminal.view["credits"], 0);
        let (administrator, supervisor) = (house.person("administrator"), house.person("pit-supervisor"));
        let answer = administrator.house_with_second(&supervisor, "manage-devices", &enrol);
        if takes_notes {
            accepted(&answer);
            notes_of_an_acceptor(&house, &mut terminal);
        } else {
            refused(&answer, "note-not-taken");
        }
        house.audit();
    }
}

/// With a note acceptor's own key each note counts once, and its stacker reconciles.
fn notes_of_an_acceptor(house: &TestCasino, terminal: &mut crate::terminal::Terminal) {
    let (administrator, supervisor) = (house.person("administrator"), house.person("pit-supervisor"));
    let approval = administrator.approved_by(&supervisor, "manage-devices", &json!({"code": {"device": 900}}));
    let (status, given) = administrator.post("/api/v1/devices/900/code", &json!({"approval": approval}));
    assert_eq!(status, 200, "{given}");
    let device = Device::enrol(house.address(), 1, 3, given["code"].as_str().unwrap());
    let mut socket = Socket::open(house.address(), "/api/v1/tables/1/acceptor", &[]);
    let challenge = unhex(socket.next()["challenge"].as_str().unwrap());
    socket.send_json(&device.proof(&challenge));
    let mut ask = |message: Value| {
        socket.send_json(&message);
        socket.until("an answer", |message| message.get("answer").cloned())
    };
    for _ in 0..3 {
        accepted(&ask(json!({"sequence": 1, "note": {"amount": 10_000}})));
    }
    refused(&ask(json!({"sequence": 1, "note": {"amount": 5_000}})), "command-id-reused");
    refused(&ask(json!({"sequence": 2, "note": {"amount": 300}})), "note-not-taken");
    refused(&ask(json!({"sequence": 3, "buy-in": {"amount": 300}})), "bad-request");
    terminal.until("one note counts", |terminal| terminal.view["credits"] == 10_000);
    accepted(&ask(json!({"sequence": 4, "stacker": {"notes": 1}})));
    accepted(&ask(json!({"sequence": 5, "stacker": {"notes": 0}})));
    has_happened(house, |what| what["reported"]["stacker-differs"]["notes"] == 0);
    let empty = json!({"empty-stacker": {"acceptor": 900, "notes": 1, "amount": 5_000}});
    accepted(&house.person("cashier").cluster(1, empty));
    has_happened(house, |what| what["reported"]["stacker-differs"]["variance"] == -5_000);
}

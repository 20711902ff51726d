//! Vouchers and claims whose replies are lost: no number is shown twice (F42), a restart loses nothing that the player is owed,
//! and void vouchers are not paid.

use serde_json::{Value, json};

use crate::dealing::{Dealing, buy_in, has_happened};
use crate::house::TestCasino;
use crate::person::{accepted, refused};
use crate::terminal::Terminal;

/// The validation number in a reply, 18 digits in groups, if there is one.
fn number(answer: &Value) -> Option<String> {
    let number = answer["accepted"]["voucher"]["voucher"]["validation"].as_str()?;
    Some(number.chars().filter(char::is_ascii_digit).collect())
}

/// Whether a reply contains a number of 18 digits anywhere.
fn shows_a_number(answer: &Value) -> bool {
    let digits: String = answer.to_string().chars().filter(|character| *character != ' ').collect();
    digits.split(|character: char| !character.is_ascii_digit()).any(|run| run.len() == 18)
}

fn cash_out() -> Value {
    json!({"cash-out-to-voucher": {}})
}

fn anew(terminal: &Terminal) -> Value {
    json!({"reissue-voucher": {"serial": terminal.view["money"]["voucher"]["serial"]}})
}

/// Waits until the terminal shows the card of an unconfirmed voucher.
fn until_offered(terminal: &mut Terminal) {
    terminal.until("the voucher", |terminal| terminal.view["money"]["voucher"].is_object());
}

#[test]
fn repeated_cash_out_or_sale_shows_no_voucher_number() {
    let mut house = TestCasino::open();
    let _dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 33_500);
    let mut terminal = house.terminal(1, 3);
    let sequence = terminal.send(&cash_out());
    let first = terminal.answer(sequence);
    assert!(number(&first).is_some(), "{first}");
    for _ in 0..3 {
        terminal.send_as(sequence, &cash_out());
        let again = terminal.answer(sequence);
        assert!(!shows_a_number(&again), "{again}");
        let on_file = &again["accepted"]["on-file"]["voucher"];
        assert_eq!((&on_file["amount"], &on_file["is_confirmed"]), (&json!(33_500), &json!(false)), "{again}");
    }
    // The same at the cage.
    let cashier = house.person("cashier");
    let body = json!({"source": cashier.source, "sequence": cashier.next(), "command": {"sell": {"amount": 5_000}}});
    let (_, sold) = cashier.post("/api/v1/house/commands", &body);
    assert!(number(&sold).is_some(), "{sold}");
    let (_, again) = cashier.post("/api/v1/house/commands", &body);
    assert!(!shows_a_number(&again), "{again}");
    let serial = &sold["accepted"]["voucher"]["voucher"]["serial"];
    assert_eq!(&again["accepted"]["on-file"]["voucher"]["serial"], serial, "{again}");
    house.audit();
}

/// The process is killed before the reply: the terminal offers the voucher, and shows it under a new number.
#[test]
fn reissued_voucher_invalidates_the_lost_number() {
    let mut house = TestCasino::open();
    let _dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 33_500);
    let mut terminal = house.terminal(1, 3);
    let sequence = terminal.send(&cash_out());
    let lost = number(&terminal.answer(sequence)).unwrap();
    let device = terminal.device.clone();
    drop(terminal);
    house.kill();
    house.restart();
    let mut terminal = device.connect(house.address());
    until_offered(&mut terminal);
    assert_eq!(terminal.view["money"]["voucher"]["amount"], 33_500);
    terminal.send_as(sequence, &cash_out());
    assert!(!shows_a_number(&terminal.answer(sequence)));
    let reissue = anew(&terminal);
    let sequence = terminal.send(&reissue);
    let new = number(&terminal.answer(sequence)).unwrap();
    assert_ne!(lost, new);
    terminal.send_as(sequence, &reissue);
    let again = terminal.answer(sequence);
    assert!(!shows_a_number(&again), "{again}");
    assert_eq!(again["accepted"]["on-file"]["voucher"]["amount"], 33_500, "{again}");
    has_happened(&house, |what| what.get("voucher-reissued").is_some());

    let cashier = house.person("cashier");
    let dead = cashier.house(json!({"redeem": {"number": lost}}));
    refused(&dead, "voucher-replaced");
    assert!(dead["refused"]["detail"]["stands"]["replaced"]["time"].is_u64(), "{dead}");
    accepted(&cashier.house(json!({"redeem": {"number": new}})));
    // It was redeemed meanwhile, and the terminal says where.
    terminal.until("what became of it", |terminal| terminal.view["money"]["voucher"]["state"]["paid"].is_object());
    let late = terminal.ask(&anew(&terminal));
    refused(&late, "voucher-paid");
    assert!(late["refused"]["detail"]["stands"]["paid"]["at"]["cage"].is_u64(), "{late}");
    let serial = terminal.view["money"]["voucher"]["serial"].clone();
    accepted(&terminal.ask(&json!({"confirm-voucher": {"serial": serial}})));
    terminal.until("no card", |terminal| terminal.view["money"].is_null());
    house.audit();
}

/// The next player is not offered the previous one's voucher, even after losing everything.
#[test]
fn next_player_is_not_offered_the_previous_players_voucher() {
    let mut house = TestCasino::open();
    let dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 33_500);
    let mut terminal = house.terminal(1, 3);
    accepted(&terminal.ask(&cash_out()));
    until_offered(&mut terminal);
    let reissue = anew(&terminal);
    buy_in(&house, 1, 3, 1_000);
    terminal.until("the next player", |terminal| terminal.view["session"].is_u64() && terminal.view["money"].is_null());
    refused(&terminal.ask(&reissue), "not-allowed");
    dealing.open_bets();
    accepted(&terminal.place(&[("big", 1_000)]));
    dealing.conclude([1, 2, 3]);
    accepted(&terminal.ask(&json!({"leave": {"seat": 3}})));
    refused(&terminal.ask(&reissue), "not-allowed");
    assert!(terminal.view["money"].is_null(), "{}", terminal.view);
    // Two people can have it reissued; the terminal shows no card for what they hand over.
    let (cashier, supervisor) = (house.person("cashier"), house.person("pit-supervisor"));
    let command = json!({"reissue": {"serial": reissue["reissue-voucher"]["serial"]}});
    refused(&cashier.house(command.clone()), "second-person-missing");
    let handed_out = cashier.house_with_second(&supervisor, "reissue-voucher", &command);
    let number = number(&handed_out).unwrap_or_else(|| panic!("{handed_out}"));
    let serial = handed_out["accepted"]["voucher"]["voucher"]["serial"].clone();
    accepted(&cashier.house(json!({"confirm-voucher": {"serial": serial}})));
    accepted(&cashier.house(json!({"redeem": {"number": number}})));
    house.audit();
}

/// A claim stays on the terminal until it is paid and the player has read that, whatever happens to the process.
#[test]
fn hand_pay_can_be_taken_back_until_an_attendant_has_it() {
    let mut house = TestCasino::open();
    let _dealing = Dealing::open(&house, 1);
    buy_in(&house, 1, 3, 33_500);
    let mut terminal = house.terminal(1, 3);
    let by_hand = json!({"cash-out": {"seat": 3, "to": "hand-pay"}});
    let claim = |terminal: &Terminal| terminal.view["money"]["claims"][0].clone();
    accepted(&terminal.ask(&by_hand));
    terminal.until("the claim", |terminal| claim(terminal)["can_be_taken_back"] == true);
    let device = terminal.device.clone();
    drop(terminal);
    house.kill();
    house.restart();
    let mut terminal = device.connect(house.address());
    terminal.until("the claim", |terminal| claim(terminal)["amount"] == 33_500);
    let take_back = json!({"take-back-claim": {"claim": claim(&terminal)["claim"]}});
    let sequence = terminal.send(&take_back);
    accepted(&terminal.answer(sequence));
    // The repeated command moves nothing.
    terminal.send_as(sequence, &take_back);
    accepted(&terminal.answer(sequence));
    terminal.until("the credits", |terminal| terminal.view["credits"] == 33_500 && terminal.view["money"].is_null());

    accepted(&terminal.ask(&by_hand));
    terminal.until("the claim", |terminal| claim(terminal).is_object());
    let number = claim(&terminal)["claim"].clone();
    let attendant = house.person("attendant");
    accepted(&attendant.house(json!({"take-claim": {"claim": number}})));
    terminal.until("who has it", |terminal| claim(terminal)["is_taken"] == true);
    refused(&terminal.ask(&json!({"take-back-claim": {"claim": number}})), "claim-taken");
    accepted(&attendant.house(json!({"pay-claim": {"claim": number}})));
    terminal.until("that it is paid", |terminal| terminal.view["money"]["paid"][0]["claim"] == number);
    let device = terminal.device.clone();
    drop(terminal);
    house.kill();
    house.restart();
    let mut terminal = device.connect(house.address());
    assert_eq!(terminal.view["money"]["paid"][0]["amount"], 33_500, "{}", terminal.view);
    accepted(&terminal.ask(&json!({"read-claim": {"claim": number}})));
    terminal.until("no card", |terminal| terminal.view["money"].is_null());
    house.audit();
}

/// The process is killed at any moment of a cash-out: the money is in credits or in one voucher, never in both.
#[test]
fn cash_out_survives_a_kill_at_any_moment() {
    let mut house = TestCasino::open();
    let _dealing = Dealing::open(&house, 1);
    let device = house.enrol(1, 3);
    for steps in [0_u64, 10_000, 100_000, 1_000_000] {
        let mut terminal = device.connect(house.address());
        buy_in(&house, 1, 3, 1_000);
        let sequence = terminal.send(&cash_out());
        // How much of it is durable by then is left to chance.
        (0..steps).for_each(|step| _ = std::hint::black_box(step));
        house.kill();
        house.restart();
        let mut terminal = device.connect(house.address());
        terminal.send_as(sequence, &cash_out());
        let answer = terminal.answer(sequence);
        accepted(&answer);
        until_offered(&mut terminal);
        assert_eq!(
            (&terminal.view["credits"], &terminal.view["money"]["voucher"]["amount"]),
            (&json!(0), &json!(1_000))
        );
        let number = number(&answer).unwrap_or_else(|| {
            let anew = terminal.ask(&anew(&terminal));
            self::number(&anew).unwrap_or_else(|| panic!("{anew}"))
        });
        accepted(&house.person("cashier").house(json!({"redeem": {"number": number}})));
        terminal.until("that it is paid", |terminal| terminal.view["money"]["voucher"]["state"]["paid"].is_object());
        let serial = terminal.view["money"]["voucher"]["serial"].clone();
        accepted(&terminal.ask(&json!({"confirm-voucher": {"serial": serial}})));
    }
    house.audit();
}

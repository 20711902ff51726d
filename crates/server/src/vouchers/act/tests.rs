//! Acts from outside: every word, every command, and what is refused of them.

use serde_json::{Value, json};
use taisai_table::{ClaimId, TableId, VoucherNumber};

use super::*;

const KEY: VoucherKey = VoucherKey([5; 32]);
const SEAT: (ClusterId, Seat) = (ClusterId { table: TableId(1), number: 0 }, Seat(3));
const NUMBER: &str = "12 3456 7890 1234 5678";

fn house(json: &Value) -> Result<HouseAct, String> {
    serde_json::from_str(&json.to_string()).map_err(|error| error.to_string())
}

fn terminal(json: &Value) -> Result<TerminalAct, String> {
    serde_json::from_str(&json.to_string()).map_err(|error| error.to_string())
}

fn hash() -> VoucherHash {
    Validation::parse(NUMBER).unwrap().voucher_number(&KEY).hash
}

#[test]
fn acts_of_the_cage_become_commands() {
    let hash = hash();
    let presents = |command| HouseRequest { command, about: VoucherUse::Presents(hash) };
    let why = || "torn".to_owned();
    for (json, expected) in [
        (json!({"redeem": {"number": NUMBER}}), presents(HouseCommand::RedeemAtCage { hash })),
        (
            json!({"void": {"number": "12-3456-7890-1234-5678", "why": "torn"}}),
            presents(HouseCommand::VoidVoucher { hash, why: why(), second: None }),
        ),
        (
            json!({"pay-expired": {"number": "123456789012345678", "why": "torn"}}),
            presents(HouseCommand::RuleExpired { hash, why: why() }),
        ),
    ] {
        assert_eq!(house(&json).unwrap().into_request(&KEY).unwrap(), expected);
    }
    let amount = Money::from_cents(5_000);
    let sold = || house(&json!({"sell": {"amount": 5_000}})).unwrap().into_request(&KEY).unwrap();
    let VoucherUse::Issues(number, _) = sold().about else { panic!() };
    assert_ne!(sold().about, VoucherUse::Issues(number, amount), "each time another number (F42)");
    let HouseRequest { command, about: VoucherUse::Issues(number, paid) } = sold() else { panic!() };
    assert_eq!(paid, amount);
    assert_eq!(command, HouseCommand::SellVoucher { number: number.voucher_number(&KEY), amount, second: None });
    let anew = house(&json!({"reissue": {"serial": 7}})).unwrap().into_request(&KEY).unwrap();
    let HouseRequest { command, about: VoucherUse::Replaces(serial, number) } = anew else { panic!() };
    let number = number.voucher_number(&KEY);
    assert_eq!(command, HouseCommand::ReissueVoucher { serial, number, ended: None, second: None });
}

#[test]
fn acts_of_a_terminal_become_commands() {
    let ask = |json: Value| terminal(&json).unwrap().into_request(&KEY, SEAT).unwrap();
    let numbers = [1, 2].map(|_| {
        let cash_out = ask(json!({"cash-out-to-voucher": {}}));
        let TerminalRequest::Cluster(command, Some(number)) = cash_out else { panic!("{cash_out:?}") };
        let to = CashOut::Voucher(number.voucher_number(&KEY));
        assert_eq!(command, ClusterCommand::CashOut { seat: SEAT.1, to });
        number
    });
    assert_ne!(numbers[0], numbers[1], "each time another number (F42)");
    let command = HouseCommand::RedeemAtSeat { hash: hash(), cluster: SEAT.0, seat: SEAT.1 };
    let redeem = HouseRequest { command, about: VoucherUse::Presents(hash()) };
    assert_eq!(ask(json!({"redeem": {"number": NUMBER}})), TerminalRequest::House(redeem));
    let (serial, claim) = (VoucherSerial(7), ClaimId(3));
    for (json, command) in [
        (json!({"confirm-voucher": {"serial": 7}}), HouseCommand::ConfirmVoucher { serial }),
        (json!({"take-back-claim": {"claim": 3}}), HouseCommand::TakeBackClaim { claim }),
        (json!({"read-claim": {"claim": 3}}), HouseCommand::ReadClaim { claim }),
    ] {
        assert_eq!(ask(json), TerminalRequest::House(HouseRequest { command, about: VoucherUse::Nothing }));
    }
    let anew = ask(json!({"reissue-voucher": {"serial": 7}}));
    let TerminalRequest::House(HouseRequest { command, about: VoucherUse::Replaces(_, number) }) = anew else {
        panic!("{anew:?}")
    };
    let number = number.voucher_number(&KEY);
    assert_eq!(command, HouseCommand::ReissueVoucher { serial, number, ended: None, second: None });
}

#[test]
fn every_other_command_is_read_in_its_own_spelling() {
    for command in [
        HouseCommand::Tick,
        HouseCommand::AnswerApproval { approval: taisai_table::ApprovalId(3), approve: true },
        HouseCommand::Configure { key: "k".to_owned(), value: "v".to_owned(), why: "w".to_owned(), second: None },
    ] {
        let act = house(&serde_json::to_value(&command).unwrap()).unwrap();
        assert_eq!(act.into_request(&KEY).unwrap(), HouseRequest { command, about: VoucherUse::Nothing });
    }
    let stakes = json!([{"box": "small", "amount": 1_000}]);
    let place = json!({"place": {"seat": 3, "chips": "own", "stakes": stakes}});
    let TerminalRequest::Cluster(command, None) = terminal(&place).unwrap().into_request(&KEY, SEAT).unwrap() else {
        panic!()
    };
    assert_eq!(serde_json::to_value(&command).unwrap(), place);
    for command in [
        ClusterCommand::CashOut { seat: Seat(3), to: CashOut::HandPay },
        ClusterCommand::RejectExcess,
        ClusterCommand::Repeat { seat: Seat(3) },
    ] {
        let act = terminal(&serde_json::to_value(&command).unwrap()).unwrap();
        assert_eq!(act, ActOrCommand::Command(command));
    }
}

#[test]
fn commands_with_a_hash_are_not_taken_from_clients() {
    let hash = VoucherHash([9; 32]);
    let number = VoucherNumber { hash, digits: 1 };
    for (command, word) in [
        (HouseCommand::SellVoucher { number, amount: Money::from_cents(1), second: None }, "sell"),
        (HouseCommand::RedeemAtCage { hash }, "redeem"),
        (HouseCommand::RedeemAtSeat { hash, cluster: SEAT.0, seat: SEAT.1 }, "redeem"),
        (HouseCommand::VoidVoucher { hash, why: "w".to_owned(), second: None }, "void"),
        (HouseCommand::RuleExpired { hash, why: "w".to_owned() }, "pay-expired"),
        (HouseCommand::ReissueVoucher { serial: VoucherSerial(1), number, ended: None, second: None }, "reissue"),
    ] {
        let error = house(&serde_json::to_value(&command).unwrap()).unwrap_err();
        assert!(error.contains(&format!("ask with \"{word}\"")), "{error}");
    }
    let direct = ClusterCommand::CashOut { seat: SEAT.1, to: CashOut::Voucher(number) };
    let error = terminal(&serde_json::to_value(&direct).unwrap()).unwrap_err();
    assert!(error.contains("ask with \"cash-out-to-voucher\""), "{error}");
}

#[test]
fn an_unreadable_act_names_the_reason() {
    for (json, expected) in [
        (json!({}), "the command has no name"),
        (json!([]), "a command: its name, or an object with its name as the only key"),
        (json!(7), "a command: its name, or an object with its name as the only key"),
        (json!("sell"), "invalid type"),
        (json!({"shell": {}}), "unknown variant `shell`"),
        (json!({"sell": {}}), "missing field `amount`"),
        (json!({"sell": {"amount": "10"}}), "invalid type"),
        (json!({"sell": {"amount": 1e99}}), "invalid type"),
        (json!({"sell": {"amount": 1, "number": 2}}), "unknown field `number`"),
        (json!({"redeem": {"number": "1234"}}), "a validation number has 18 digits"),
        (json!({"void": {"number": NUMBER}}), "missing field `why`"),
        (json!({"void": {"number": NUMBER, "why": "w", "second": null}}), "unknown field `second`"),
    ] {
        let error = house(&json).unwrap_err();
        assert!(error.contains(expected), "{json}: {error}");
    }
    for (json, expected) in [
        (json!({"cash-out-to-voucher": {"seat": 4}}), "unknown field `seat`"),
        (json!({"sell": {"amount": 1}}), "unknown variant `sell`"),
    ] {
        let error = terminal(&json).unwrap_err();
        assert!(error.contains(expected), "{json}: {error}");
    }
    let twice = r#"{"sell":{"amount":1},"redeem":{"number":"12 3456 7890 1234 5678"}}"#;
    assert!(serde_json::from_str::<HouseAct>(twice).is_err());
    let repeated = r#"{"sell":{"amount":1,"amount":2}}"#;
    assert!(serde_json::from_str::<HouseAct>(repeated).is_err());
}

#[test]
fn a_name_with_escapes_is_the_same_name() {
    let act: HouseAct = serde_json::from_str(r#"{"s\u0065ll":{"amount":5}}"#).unwrap();
    assert_eq!(act, ActOrCommand::Act(HouseVoucherAct::Sell { amount: Money::from_cents(5) }));
}

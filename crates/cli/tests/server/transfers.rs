//! Kills the process during every kind of transfer: before its reply is read, after something is written, and after the reply.
//! Repeated under its number it is carried out once, and no voucher number is shown twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::thread;
use std::time::{Instant, SystemTime};

use serde_json::{Value, json};
use taisai_journal::suite::{HANG_LIMIT, wait_until};
use taisai_rules::LimitScope;

use crate::dealing::{Dealing, wide_limits};
use crate::house::TestCasino;
use crate::person::{Person, accepted};
use crate::terminal::{Device, Terminal, place};

const TABLES: &str = r#"
[[table]]
number = 1
game = "sic-bo-etg"
layout = "B"
terminals = 1

[[table]]
number = 2
game = "tai-sai"
layout = "C"
seats = 7
registration = "winners"
"#;

const ROLES: [&str; 5] = ["dealer", "pit-supervisor", "shift-manager", "attendant", "cashier"];

/// When the process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KillMoment {
    Sent,
    /// Something was written since it was sent, and its reply is not read.
    Written,
    Answered,
}

/// Who sends the command, and to which machine.
enum SentBy {
    Terminal,
    House(&'static str),
    Table(u16, &'static str),
}

struct TransferCommand {
    by: SentBy,
    approval: Option<u64>,
    command: Value,
}

/// Where money is, in cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Amounts {
    credits: i64,
    vouchers: i64,
    claims: i64,
    /// The amounts of the live table's pay list.
    pays: i64,
}

/// A transfer: the command after those before it, and where money is once it was carried out.
type Transfer = (&'static str, fn(&mut TransferFixture) -> TransferCommand, Amounts);

const fn now(credits: i64, vouchers: i64, claims: i64, pays: i64) -> Amounts {
    Amounts { credits, vouchers, claims, pays }
}

const TRANSFERS: [Transfer; 29] = [
    ("a buy-in", |_| buy_in(50_000), now(50_000, 0, 0, 0)),
    ("its reversal by two people", reverse_buy_in, now(0, 0, 0, 0)),
    ("another buy-in", |_| buy_in(60_000), now(60_000, 0, 0, 0)),
    ("a cash-out to a voucher", cash_out, now(0, 60_000, 0, 0)),
    ("the voucher under a new number", show_anew, now(0, 60_000, 0, 0)),
    ("the player has it", confirm, now(0, 60_000, 0, 0)),
    (
        "a voucher redeemed at the terminal",
        |floor| ask(SentBy::Terminal, floor.presents("redeem")),
        now(60_000, 0, 0, 0),
    ),
    ("a large buy-in", |_| buy_in(1_000_000), now(1_060_000, 0, 0, 0)),
    ("a cash-out too large for a voucher, by hand", by_hand, now(0, 0, 1_060_000, 0)),
    (
        "a claim taken back by the player",
        |floor| ask(SentBy::Terminal, floor.claim("take-back-claim")),
        now(1_060_000, 0, 0, 0),
    ),
    ("a cash-out by hand again", by_hand, now(0, 0, 1_060_000, 0)),
    (
        "a claim taken by the attendant",
        |floor| ask(SentBy::House("attendant"), floor.claim("take-claim")),
        now(0, 0, 1_060_000, 0),
    ),
    ("a claim paid", |floor| ask(SentBy::House("attendant"), floor.claim("pay-claim")), now(0, 0, 0, 0)),
    ("the player has read it", read_claim, now(0, 0, 0, 0)),
    ("a sale", |floor| sell(floor, 5_000), now(0, 5_000, 0, 0)),
    ("a voucher issued anew by two people", reissue, now(0, 5_000, 0, 0)),
    ("a voucher handed over", hand_over, now(0, 5_000, 0, 0)),
    (
        "a voucher redeemed at the cage",
        |floor| ask(SentBy::House("cashier"), floor.presents("redeem")),
        now(0, 0, 0, 0),
    ),
    ("a large sale by two people", |floor| sell(floor, 600_000), now(0, 600_000, 0, 0)),
    ("a voucher voided by two people", void, now(0, 0, 600_000, 0)),
    (
        "the claim of a void voucher paid",
        |floor| ask(SentBy::House("attendant"), floor.claim("pay-claim")),
        now(0, 0, 0, 0),
    ),
    ("a third buy-in", |_| buy_in(100_000), now(100_000, 0, 0, 0)),
    ("a ruling, whose money waits", rule, now(99_000, 0, 0, 0)),
    (
        "its witness",
        |_| {
            ask(
                SentBy::Table(1, "pit-supervisor"),
                json!({"round": {"witness": {"round": 1, "seen": {"settled": [6, 6, 5]}}}}),
            )
        },
        now(101_000, 0, 0, 0),
    ),
    ("a winner registered", register, now(101_000, 0, 0, 2_000)),
    (
        "a second winner",
        |_| deal(&json!({"register": {"seat": 2, "stakes": [{"box": "big", "amount": 500}]}})),
        now(101_000, 0, 0, 3_000),
    ),
    ("all registered", |_| deal(&json!("all-registered")), now(101_000, 0, 0, 3_000)),
    ("a winner paid", |_| deal(&json!({"tick-off": {"seat": 1, "is_paid": true}})), now(101_000, 0, 0, 3_000)),
    ("the last cash-out", cash_out, now(0, 101_000, 0, 3_000)),
];

const fn ask(by: SentBy, command: Value) -> TransferCommand {
    TransferCommand { by, approval: None, command }
}

fn deal(command: &Value) -> TransferCommand {
    ask(SentBy::Table(2, "dealer"), json!({"cluster": {"number": 0, "command": command}}))
}

fn buy_in(amount: i64) -> TransferCommand {
    ask(
        SentBy::Table(1, "cashier"),
        json!({"cluster": {"number": 0, "command": {"buy-in": {"seat": 1, "amount": amount}}}}),
    )
}

fn reverse_buy_in(floor: &mut TransferFixture) -> TransferCommand {
    let receipt = floor.seat()["buy_in"]["receipt"].clone();
    let command = json!({"reverse-buy-in": {"seat": 1, "receipt": receipt, "why": "the wrong seat"}});
    let what = json!({"cluster": {"table": 1, "number": 0, "command": command}});
    let approval = floor.approved("reverse-buy-in", &what);
    TransferCommand {
        by: SentBy::Table(1, "cashier"),
        approval: Some(approval),
        command: json!({"cluster": {"number": 0, "command": command}}),
    }
}

fn cash_out(floor: &mut TransferFixture) -> TransferCommand {
    floor.number = None;
    ask(SentBy::Terminal, json!({"cash-out-to-voucher": {}}))
}

fn by_hand(_: &mut TransferFixture) -> TransferCommand {
    ask(SentBy::Terminal, json!({"cash-out": {"seat": 1, "to": "hand-pay"}}))
}

fn show_anew(floor: &mut TransferFixture) -> TransferCommand {
    floor.number = None;
    ask(SentBy::Terminal, json!({"reissue-voucher": {"serial": floor.offered()}}))
}

fn confirm(floor: &mut TransferFixture) -> TransferCommand {
    ask(SentBy::Terminal, json!({"confirm-voucher": {"serial": floor.offered()}}))
}

fn read_claim(floor: &mut TransferFixture) -> TransferCommand {
    let mut terminal = floor.terminal();
    terminal.until("that it is paid", |terminal| terminal.view["money"]["paid"][0].is_object());
    ask(SentBy::Terminal, json!({"read-claim": {"claim": terminal.view["money"]["paid"][0]["claim"]}}))
}

fn sell(floor: &mut TransferFixture, amount: i64) -> TransferCommand {
    floor.number = None;
    let command = json!({"sell": {"amount": amount}});
    let approval = (amount > 500_000).then(|| floor.approved("large-sale", &json!({"house": command})));
    TransferCommand { by: SentBy::House("cashier"), approval, command }
}

fn reissue(floor: &mut TransferFixture) -> TransferCommand {
    floor.number = None;
    let command = json!({"reissue": {"serial": floor.good_voucher()["serial"]}});
    let approval = Some(floor.approved("reissue-voucher", &json!({"house": command})));
    TransferCommand { by: SentBy::House("cashier"), approval, command }
}

fn hand_over(floor: &mut TransferFixture) -> TransferCommand {
    // A voucher that was never shown cannot be handed over.
    floor.in_hand();
    ask(SentBy::House("cashier"), json!({"confirm-voucher": {"serial": floor.good_voucher()["serial"]}}))
}

fn void(floor: &mut TransferFixture) -> TransferCommand {
    let mut command = floor.presents("void");
    command["void"]["why"] = json!("torn");
    let approval = Some(floor.approved("void-voucher", &json!({"house": command})));
    TransferCommand { by: SentBy::House("cashier"), approval, command }
}

/// A lost round that a ruling settles with winning dice.
fn rule(floor: &mut TransferFixture) -> TransferCommand {
    assert_eq!(floor.seat()["buy_in"]["receipt"], 4, "a receipt for each buy-in");
    let dealing = floor.dealing(1, LimitScope::Terminal);
    dealing.open_bets();
    accepted(&floor.terminal().ask(&place(1, &[("big", 1_000)])));
    dealing.conclude([1, 2, 3]);
    wait_until("it is settled", || dealing.dealer.get("/api/v1/tables/1").1["phase"] == "settled");
    let ruling = json!({"settle": {"round": 1, "dice": [6, 6, 5]}});
    ask(
        SentBy::Table(1, "shift-manager"),
        json!({"round": {"rule": {"ruling": ruling, "why": "the dice were misread"}}}),
    )
}

fn register(floor: &mut TransferFixture) -> TransferCommand {
    let dealing = floor.dealing(2, LimitScope::Box);
    dealing.open_bets();
    dealing.conclude([4, 5, 6]);
    deal(&json!({"register": {"seat": 1, "stakes": [{"box": "big", "amount": 1_000}]}}))
}

/// A casino with a player at a terminal, and its staff.
struct TransferFixture {
    house: TestCasino,
    people: BTreeMap<&'static str, Person>,
    device: Device,
    shown_numbers: BTreeSet<String>,
    /// The number of the newest voucher, if its reply was not lost.
    number: Option<String>,
}

impl TransferFixture {
    fn open() -> Self {
        let house = TestCasino::with(TABLES);
        let people = ROLES.map(|role| (role, house.person(role))).into();
        let device = house.enrol(1, 1);
        Self { house, people, device, shown_numbers: BTreeSet::new(), number: None }
    }

    fn person(&self, role: &str) -> Person {
        self.people[role].at(self.house.address())
    }

    fn terminal(&self) -> Terminal {
        self.device.connect(self.house.address())
    }

    fn dealing(&self, table: u16, scope: LimitScope) -> Dealing {
        let (dealer, supervisor) = (self.person("dealer"), self.person("pit-supervisor"));
        Dealing::of(table, (dealer, supervisor), Some(&wide_limits(scope)))
    }

    fn staff(&self, table: u16) -> Value {
        self.person("dealer").console(table).next()["snapshot"]["staff"].clone()
    }

    fn seat(&self) -> Value {
        self.staff(1)["seats"].as_array().unwrap().iter().find(|seat| seat["seat"] == 1).unwrap().clone()
    }

    fn list(&self, name: &str) -> Vec<Value> {
        self.person("cashier").get(&format!("/api/v1/house/lists/{name}")).1.as_array().unwrap().clone()
    }

    fn good_voucher(&self) -> Value {
        self.list("vouchers").into_iter().find(|voucher| voucher["state"] == "good").unwrap()
    }

    fn approved(&self, act: &str, what: &Value) -> u64 {
        self.person("cashier").approved_by(&self.person("pit-supervisor"), act, what)
    }

    /// The voucher on the terminal's card.
    fn offered(&self) -> Value {
        let mut terminal = self.terminal();
        terminal.until("the voucher", |terminal| terminal.view["money"]["voucher"].is_object());
        terminal.view["money"]["voucher"]["serial"].clone()
    }

    /// A command about the only open claim.
    fn claim(&self, command: &str) -> Value {
        json!({command: {"claim": self.list("claims")[0]["id"]}})
    }

    /// A command with the number of the only good voucher.
    fn presents(&mut self, command: &str) -> Value {
        json!({command: {"number": self.in_hand()}})
    }

    /// The voucher's number; if its reply was lost, two people reissue it first.
    fn in_hand(&mut self) -> String {
        if self.number.is_none() {
            let TransferCommand { approval, command, .. } = reissue(self);
            self.check_number(&self.person("cashier").house_with(approval.unwrap(), command));
        }
        self.number.clone().unwrap()
    }

    /// Checks that a number in a reply was never shown before.
    fn check_number(&mut self, answer: &Value) {
        accepted(answer);
        if let Some(number) = answer["accepted"]["voucher"]["voucher"]["validation"].as_str() {
            assert!(self.shown_numbers.insert(number.to_owned()), "shown twice: {answer}");
            self.number = Some(number.to_owned());
        }
    }

    fn amounts(&self) -> Amounts {
        let sum = |lines: &[Value], field: &str| lines.iter().map(|line| line[field].as_i64().unwrap()).sum();
        let vouchers = self.list("vouchers").into_iter().filter(|voucher| voucher["state"] == "good");
        Amounts {
            credits: self.seat()["credits"].as_i64().unwrap(),
            vouchers: sum(&vouchers.collect::<Vec<_>>(), "amount"),
            claims: sum(&self.list("claims"), "amount"),
            pays: sum(self.staff(2)["pay_list"]["lines"].as_array().unwrap_or(&Vec::new()), "pays"),
        }
    }

    /// Sends the command, kills the process at that moment, restarts it and repeats the command under the same number.
    fn carry_out(&mut self, command: TransferCommand, moment: KillMoment) {
        let TransferCommand { by, approval, command } = command;
        let (role, path) = match by {
            SentBy::Terminal => return self.carry_out_at_terminal(&command, moment),
            SentBy::House(role) => (role, "/api/v1/house/commands".to_owned()),
            SentBy::Table(table, role) => (role, format!("/api/v1/tables/{table}/commands")),
        };
        let person = self.person(role);
        // A terminal that has lost the server takes nothing in.
        let _there = self.terminal();
        let body =
            json!({"source": person.source, "sequence": person.next(), "approval": approval, "command": command});
        let before = self.written();
        if moment == KillMoment::Answered {
            self.check_number(&person.post(&path, &body).1);
            self.house.kill();
        } else {
            let _unread = person.post_unread(&path, &body);
            self.kill_at(moment, &before);
        }
        self.house.restart();
        let _there = self.terminal();
        self.check_number(&self.person(role).post(&path, &body).1);
    }

    fn carry_out_at_terminal(&mut self, command: &Value, moment: KillMoment) {
        let mut terminal = self.terminal();
        let before = self.written();
        let sequence = terminal.send(command);
        if moment == KillMoment::Answered {
            self.check_number(&terminal.answer(sequence));
            self.house.kill();
        } else {
            self.kill_at(moment, &before);
        }
        self.house.restart();
        let mut terminal = self.terminal();
        terminal.send_as(sequence, command);
        self.check_number(&terminal.answer(sequence));
    }

    fn kill_at(&mut self, moment: KillMoment, before: &[(SystemTime, u64)]) {
        let by = Instant::now() + HANG_LIMIT;
        while moment == KillMoment::Written && self.written() == before {
            assert!(Instant::now() < by, "nothing is written");
        }
        self.house.kill();
    }

    /// The state of the store's files.
    fn written(&self) -> Vec<(SystemTime, u64)> {
        let files = fs::read_dir(self.house.folder().join("data")).unwrap();
        // A file may be gone meanwhile.
        let known = files.filter_map(|file| file.ok()?.metadata().ok());
        known.map(|file| (file.modified().unwrap(), file.len())).collect()
    }
}

fn killed_at(moment: KillMoment) {
    let mut floor = TransferFixture::open();
    for (name, ask, then) in TRANSFERS {
        let command = ask(&mut floor);
        floor.carry_out(command, moment);
        let by = Instant::now() + HANG_LIMIT;
        while floor.amounts() != then {
            assert!(Instant::now() < by, "{moment:?}, {name}: {:?}, not {then:?}", floor.amounts());
        }
    }
    let meters = floor.staff(1)["meters"][0].clone();
    assert_eq!((&meters["bought_in"], &meters["dispensed"]), (&json!(2_280_000), &json!(2_281_000)), "{meters}");
    let given = json!([{"seat": 1, "given": 2_000, "at_house": 0}]);
    assert_eq!(floor.staff(2)["pay_list"]["ticked_off"], given);
    floor.house.audit();
}

#[test]
fn every_transfer_is_carried_out_once_wherever_the_process_is_killed() {
    thread::scope(|scope| {
        for moment in [KillMoment::Sent, KillMoment::Written, KillMoment::Answered] {
            scope.spawn(move || killed_at(moment));
        }
    });
}

/// If the first reply is lost, the second one has the amount to pay out and the requested approval.
#[test]
fn repeated_commands_get_the_same_amount_and_approval() {
    let mut floor = TransferFixture::open();
    let command = sell(&mut floor, 5_000);
    floor.carry_out(command, KillMoment::Answered);
    let redeem = floor.presents("redeem");
    let request = json!({"request-approval": {"act": "large-sale", "what": json!({"house": {"sell": {"amount": 600_000}}}).to_string()}});
    for (command, path) in [(redeem, "/on-file/voucher/amount"), (request, "/approval-requested/approval")] {
        let cashier = floor.person("cashier");
        let body = json!({"source": cashier.source, "sequence": cashier.next(), "command": command});
        let [first, again] = [(); 2].map(|()| cashier.post("/api/v1/house/commands", &body).1["accepted"].clone());
        let expected = first.pointer("/cash-paid/amount").or_else(|| first.pointer(path));
        assert!(expected.is_some() && again.pointer(path) == expected, "{first}, then {again}");
    }
    floor.house.audit();
}

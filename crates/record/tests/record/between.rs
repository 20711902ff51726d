//! Entries that contradict another chain: each chain is valid and signed by the casino, and only a comparison finds them.

use taisai_journal::MemoryStore;
use taisai_rules::Money;
use taisai_table::{
    Actor, CashOut, ClusterCommand, Decision, DeviceId, HouseCommand, Person, PersonId, Role, Roles, RoundCommand,
    Seat, Transfer, TransferPurpose, VoucherHash, VoucherNumber,
};

use crate::casino::{CLUSTER, TestCasino, person, supervisor};
use crate::made::{found, pit_manager};
use crate::verify::{audit, first};

const DAY: u64 = 24 * 60 * 60 * 1_000;

/// The findings of an audit after something was done to the casino, as sentences.
fn found_after(act: impl FnOnce(&mut TestCasino)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    found(&mut casino);
    act(&mut casino);
    casino.checkpoint();
    casino.close();
    audit(folder.path(), &memory).findings().map(ToString::to_string).collect()
}

impl TestCasino {
    /// Sends a command to the cluster without delivering anything to the other machines.
    fn cluster_alone(&mut self, actor: Actor, command: ClusterCommand) {
        let request = self.request(actor, command);
        let decision = self.cluster.ask(request);
        assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
        self.cluster.commit(drop).unwrap();
    }

    /// Cashes a seat out. The transfer stays with the cluster.
    fn cash_out_alone(&mut self, seat: u32, cents: i64) -> Transfer {
        let (seat, amount) = (Seat(seat), Money::from_cents(cents));
        self.cluster_alone(person(8, Role::Cashier), ClusterCommand::BuyIn { seat, amount, second: None });
        let terminal = Actor::Terminal { device: DeviceId(seat.0), seat };
        self.cluster_alone(terminal, ClusterCommand::CashOut { seat, to: CashOut::HandPay });
        *self.cluster.machine().outbox().last().unwrap()
    }

    fn receive(&mut self, transfer: Transfer) {
        self.house(Actor::System, HouseCommand::Receive { cluster: CLUSTER, transfer });
    }

    /// Sends the credits of a voucher to a seat.
    fn send_credits(&mut self, place: u8, cents: i64) -> Transfer {
        let number = VoucherNumber { hash: VoucherHash([place; 32]), digits: 0 };
        let sell = HouseCommand::SellVoucher { number, amount: Money::from_cents(cents), second: None };
        self.house(person(8, Role::Cashier), sell);
        let seat = Seat(u32::from(place));
        self.house(Actor::System, HouseCommand::RedeemAtSeat { hash: number.hash, cluster: CLUSTER, seat });
        self.house.commit(drop).unwrap();
        *self.house.machine().outbox(CLUSTER).last().unwrap()
    }

    fn receive_credits(&mut self, transfer: Transfer) {
        assert!(self.cluster(Actor::System, ClusterCommand::Receive { transfer }));
        let delivered = HouseCommand::Delivered { cluster: CLUSTER, number: transfer.number };
        self.house(Actor::System, delivered);
    }
}

/// The totals agree, but the money went to another person.
#[test]
fn changed_transfer_is_found() {
    type Change = fn(Transfer, Transfer) -> [Transfer; 2];
    let to_house = |change: Change| {
        found_after(|casino| {
            let one = casino.cash_out_alone(0, 10_000);
            let other = casino.cash_out_alone(1, 20_000);
            for transfer in change(one, other) {
                casino.receive(transfer);
            }
            casino.exchange();
        })
    };
    assert_eq!(to_house(|one, other| [one, other]), [""; 0], "as they were sent");
    let amounts = |one: Transfer, other: Transfer| {
        [Transfer { amount: other.amount, ..one }, Transfer { amount: one.amount, ..other }]
    };
    let parties = |one: Transfer, other: Transfer| {
        let TransferPurpose::Claim { session, reason, by, .. } = one.purpose else { panic!("{one:?}") };
        [Transfer { purpose: TransferPurpose::Claim { seat: Seat(3), session, reason, by }, ..one }, other]
    };
    let changes: [(&str, Change); 2] = [("amounts", amounts), ("a seat", parties)];
    for (what, change) in changes {
        let found = to_house(change);
        let is_reported = found.first().is_some_and(|found| {
            found.starts_with("chain house, block ")
                && found.contains("transfer 1 is not the one that chain table-1-0 sent")
        });
        assert!(is_reported, "{what}: {found:?}");
    }

    let to_cluster = |swap: bool| {
        found_after(|casino| {
            let mut sent = [casino.send_credits(0, 10_000), casino.send_credits(1, 20_000)];
            if swap {
                let [one, other] = &mut sent;
                std::mem::swap(&mut one.amount, &mut other.amount);
            }
            for transfer in sent {
                casino.receive_credits(transfer);
            }
        })
    };
    assert_eq!(to_cluster(false), [""; 0], "as they were sent");
    let found = to_cluster(true);
    let is_reported = found.first().is_some_and(|found| {
        found.starts_with("chain table-1-0, block ")
            && found.contains("transfer 1 is not the one that chain house sent")
    });
    assert!(is_reported, "{found:?}");
}

/// A claim without a transfer, and a transfer that never arrives.
#[test]
fn one_sided_transfer_is_found() {
    let found = found_after(|casino| {
        let purpose = TransferPurpose::Returned { seat: Seat(2) };
        casino.receive(Transfer { number: 1, amount: Money::from_cents(10_000), purpose });
    });
    let is_reported = |found: &String| {
        found.starts_with("chain house, block ") && found.contains("chain table-1-0 never sent transfer 1")
    };
    assert!(found.iter().any(is_reported), "{found:?}");
    let found = found_after(|casino| {
        let transfer = casino.cash_out_alone(0, 10_000);
        casino.cluster_alone(Actor::System, ClusterCommand::Delivered { number: transfer.number });
    });
    let is_reported = |found: &String| {
        found.starts_with("chain table-1-0, block ") && found.contains("chain house never received transfer 1")
    };
    assert!(found.iter().any(is_reported), "{found:?}");
    // A transfer under way is neither.
    let sent = |casino: &mut TestCasino| {
        casino.cash_out_alone(0, 10_000);
    };
    assert_eq!(found_after(sent), [""; 0]);
}

impl TestCasino {
    fn close_soon(&mut self, actor: Actor) {
        self.round(actor, RoundCommand::AnnounceClosure);
    }

    fn buy_in(&mut self, actor: Actor, second: Option<Person>) {
        let (seat, amount) = (Seat(0), Money::from_cents(1_000));
        assert!(self.cluster(actor, ClusterCommand::BuyIn { seat, amount, second }));
    }

    fn manage(&mut self, command: impl FnOnce(Option<Person>) -> HouseCommand) {
        let command = command(Some(pit_manager()));
        self.house(person(9, Role::Administrator), command);
    }
}

fn of(id: u32, role: Role) -> Person {
    Person { id: PersonId(id), roles: Roles::of(&[role]) }
}

/// Every actor and second person is on file in the House, with the roles in the entry.
#[test]
fn actors_unlike_those_on_file_are_found() {
    type Act = fn(&mut TestCasino);
    let rows: [(&str, Act, &str); 6] = [
        ("nobody of that number", |casino| casino.close_soon(person(77, Role::PitSupervisor)), "chain table-1, 77"),
        ("another role", |casino| casino.close_soon(person(1, Role::PitSupervisor)), "chain table-1, 1 pit-supervisor"),
        (
            "a role more",
            |casino| {
                let roles = Roles::of(&[Role::PitSupervisor, Role::CasinoManager]);
                casino.close_soon(Actor::Person(Person { id: PersonId(3), roles }));
            },
            "chain table-1, 3 casino-manager",
        ),
        (
            "a second person of another role",
            |casino| {
                casino.play(1);
                let dice = taisai_rules::Dice::try_from([1, 2, 3]).unwrap();
                let (round, why) = (taisai_table::RoundNumber(1), "the camera shows it".to_owned());
                let second = Some(of(8, Role::PitManager));
                casino.round(supervisor(), RoundCommand::Correct { round, dice, why, second });
            },
            "chain table-1, 8 pit-manager",
        ),
        ("nobody at the cashier's", |casino| casino.buy_in(person(78, Role::Cashier), None), "chain table-1-0, 78"),
        (
            "no second person",
            |casino| casino.buy_in(person(8, Role::Cashier), Some(of(79, Role::PitManager))),
            "chain table-1-0, 79",
        ),
    ];
    assert_eq!(found_after(|casino| casino.close_soon(supervisor())), [""; 0]);
    assert_eq!(found_after(|casino| casino.buy_in(person(8, Role::Cashier), Some(pit_manager()))), [""; 0]);
    for (what, act, expected) in rows {
        let (chain, words) = expected.split_once(", ").unwrap();
        let found = found_after(act);
        let mut words = words.split(' ');
        let person = format!("person {} ", words.next().unwrap());
        let is_reported = |found: &String| {
            found.starts_with(&format!("{chain}, block "))
                && found.contains(&person)
                && words.clone().all(|role| found.contains(role))
        };
        assert!(found.len() == 1 && found.iter().all(is_reported), "{what}: {found:?}");
    }
}

/// Clocks of nodes may differ: roles count from a day before to a day after the times in the House's chain.
#[test]
fn roles_count_at_the_time_of_the_act() {
    const LATE: u64 = 2 * DAY;
    let dismissed = |wait: u64, act: fn(&mut TestCasino)| {
        found_after(|casino| {
            act(casino);
            casino.wait(wait);
            casino.close_soon(supervisor());
        })
    };
    let taken: fn(&mut TestCasino) = |casino| {
        let roles = Roles::of(&[Role::Dealer]);
        casino.manage(|second| HouseCommand::SetRoles { person: PersonId(3), roles, second });
    };
    let suspended: fn(&mut TestCasino) =
        |casino| casino.manage(|second| HouseCommand::Suspend { person: PersonId(3), second });
    let reinstated: fn(&mut TestCasino) = |casino| {
        casino.manage(|second| HouseCommand::Suspend { person: PersonId(3), second });
        casino.wait(LATE);
        casino.manage(|second| HouseCommand::Reinstate { person: PersonId(3), second });
    };
    for act in [taken, suspended] {
        let found = dismissed(LATE, act);
        assert!(found.len() == 1 && found[0].starts_with("chain table-1, block "), "{found:?}");
        assert!(found[0].contains("person 3 ") && found[0].contains("pit-supervisor"), "{found:?}");
        assert_eq!(dismissed(DAY / 2, act), [""; 0]);
    }
    assert_eq!(dismissed(LATE, reinstated), [""; 0]);
    let hired = |wait: u64| {
        found_after(|casino| {
            casino.close_soon(person(20, Role::PitManager));
            casino.wait(wait);
            let (person, name, roles) = (PersonId(20), "Jo".to_owned(), Roles::of(&[Role::PitManager]));
            casino.manage(|second| HouseCommand::AddPerson { person, name, roles, second });
        })
    };
    assert_eq!(hired(DAY / 2), [""; 0]);
    let found = hired(LATE);
    assert!(found.len() == 1 && found[0].contains("person 20 "), "{found:?}");
}

/// Some scripts and tests record nobody in the House, so there is nobody to compare with.
#[test]
fn record_without_people_has_no_findings_about_people() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryStore::default();
    let mut casino = TestCasino::open(Box::new(memory.open()), folder.path(), "sic-bo-etg").unwrap();
    casino.play(1);
    casino.close();
    assert_eq!(first(&audit(folder.path(), &memory)), "");
}

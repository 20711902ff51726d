//! Vouchers of a running node: cashed out at a terminal, printed, and redeemed once, also when several try at the same moment.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde_json::json;
use taisai_engine::VoucherFate;
use taisai_record::{Address, Program};
use taisai_rules::{Games, Money};
use taisai_table::{
    Actor, ClusterCommand, ClusterId, CommandId, DeviceId, DeviceKind, Founder, HouseCommand, Person, PersonId,
    Position, Profile, Registration, Role, Roles, RoundCommand, Seat, TableId, TableLimits,
};
use tokio::task::JoinSet;

use super::on_file::detail;
use super::ticket::{Ticket, Voucher};
use super::words::Currency;
use super::{HouseAct, HouseRequest, TerminalAct, TerminalRequest, Validation, VoucherKey, VoucherUse};
use crate::demo::occupy;
use crate::http::reply::CommandReply;
use crate::node::{InstallationPlan, Node, TablePlan};

const KEY: VoucherKey = VoucherKey([9; 32]);
const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };
const SEAT: Seat = Seat(3);
const TERMINAL: Actor = Actor::Terminal { device: DeviceId(3), seat: SEAT };

fn person(id: u32, role: Role) -> Actor {
    Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[role]) })
}

/// A node with one terminal, two cashiers and a seat with credits.
struct Cage {
    node: Node,
    sequence: u64,
    /// A terminal without a connection counts as lost.
    terminals: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl Cage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = Address::Folder(folder.path().join("data"));
        let game = Games::embedded().find("sic-bo-etg", None).unwrap().file().to_owned();
        let table = TablePlan {
            table: CLUSTER.table,
            game,
            layout: "B".to_owned(),
            registration: Registration::EveryBet,
            is_training: false,
            seats: vec![8],
        };
        let plan = InstallationPlan {
            files: address.files().unwrap(),
            accepts_clock: false,
            acknowledged: taisai_journal::AcknowledgedHeads::default(),
            address,
            program: Program { version: "0.1.0".to_owned(), hash: [1; 32] },
            new_house: [7; 16],
            allows_unapproved: false,
            profile: Profile::singapore(),
            is_training: false,
            tables: vec![table],
        };
        let mut cage = Self {
            node: Node::open(plan, &Arc::new(crate::metrics::Metrics::new()), Arc::new(drop)).unwrap(),
            sequence: 0,
            terminals: JoinSet::new(),
            _folder: folder,
        };
        let kind = DeviceKind::Terminal { cluster: CLUSTER, seat: SEAT };
        cage.house(Actor::System, HouseCommand::Enrol { device: DeviceId(3), kind, second: None }).await;
        let founder =
            |id, role| Founder { person: PersonId(id), name: format!("person {id}"), roles: Roles::of(&[role]) };
        let people = vec![
            founder(1, Role::Administrator),
            founder(2, Role::PitSupervisor),
            founder(8, Role::Cashier),
            founder(9, Role::Cashier),
        ];
        cage.house(Actor::System, HouseCommand::Found { people }).await;
        let (unit, most) = (Money::from_cents(100), Money::from_cents(100_000_000));
        let rest = Some(taisai_table::LimitRange { min: unit, max: most });
        let limits = TableLimits { unit, boxes: Vec::new(), rest, differential: None };
        let table = cage.node.handle().table(CLUSTER.table).unwrap();
        for command in [
            RoundCommand::OpenTable,
            RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(2)) },
            RoundCommand::ShowLimits { limits, why: "the first".to_owned() },
        ] {
            let id = cage.id();
            accepted(&table.ask_round(person(2, Role::PitSupervisor), id, command).await.unwrap());
        }
        occupy(&table, CLUSTER.number, SEAT, &mut cage.terminals).await;
        cage
    }

    fn id(&mut self) -> CommandId {
        self.sequence += 1;
        CommandId { source: 77, sequence: self.sequence }
    }

    async fn house(&mut self, actor: Actor, command: HouseCommand) {
        let id = self.id();
        accepted(&self.node.handle().house().ask(actor, id, command).await.unwrap());
    }

    /// Money is put in at the seat and cashed out: the number of the voucher, and what became of it.
    async fn cash_out(&mut self, cents: i64) -> (Validation, VoucherFate) {
        let node = self.node.handle();
        let table = node.table(CLUSTER.table).unwrap();
        let buy = ClusterCommand::BuyIn { seat: SEAT, amount: Money::from_cents(cents), second: None };
        let id = self.id();
        accepted(&table.ask_cluster(0, person(8, Role::Cashier), id, buy).await.unwrap());
        let act: TerminalAct = serde_json::from_value(json!({"cash-out-to-voucher": {}})).unwrap();
        let id = self.id();
        let TerminalRequest::Cluster(command, Some(number)) = act.into_request(&KEY, (CLUSTER, SEAT)).unwrap() else {
            panic!()
        };
        accepted(&table.ask_cluster(0, TERMINAL, id, command).await.unwrap());
        let became = node.house().voucher(number.voucher_number(&KEY).hash).await.unwrap();
        (number, became)
    }

    async fn close(self) {
        let Self { node, terminals, .. } = self;
        drop(terminals);
        tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();
    }
}

fn accepted(answer: &CommandReply) {
    assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
}

fn redeem(text: &str) -> HouseCommand {
    let act: HouseAct = serde_json::from_value(json!({"redeem": {"number": text}})).unwrap();
    act.into_request(&KEY).unwrap().command
}

/// One voucher at two cages and at a terminal at the same instant (F41).
#[tokio::test]
async fn a_voucher_is_printed_and_redeemed_once() {
    let mut cage = Cage::new().await;
    let (validation, became) = cage.cash_out(12_345).await;
    let VoucherFate::Voucher(on_file) = became else { panic!("{became:?}") };
    let place = super::ticket::tests::place("Marina", false);
    let zone = TimeZone::get("Asia/Singapore").unwrap();
    let ticket = Ticket { place: &place, zone: &zone, currency: Currency::DOLLARS, validation, on_file: &on_file };
    let voucher = Voucher::of(ticket).unwrap();
    assert_eq!((&*voucher.figures, &*voucher.issued_at), ("$123.45", "Table 1, terminal 3"));

    let house = cage.node.handle().house();
    let (first, second, third) = (cage.id(), cage.id(), cage.id());
    let act: TerminalAct = serde_json::from_value(json!({"redeem": {"number": voucher.validation}})).unwrap();
    let request = act.into_request(&KEY, (CLUSTER, SEAT)).unwrap();
    let TerminalRequest::House(HouseRequest { command: at_seat, about: VoucherUse::Presents(hash) }) = request else {
        panic!()
    };
    let answers = tokio::join!(
        house.ask(person(8, Role::Cashier), first, redeem(&voucher.validation)),
        house.ask(person(9, Role::Cashier), second, redeem(&voucher.validation)),
        house.ask(TERMINAL, third, at_seat),
    );
    let answers = [answers.0.unwrap(), answers.1.unwrap(), answers.2.unwrap()];
    let paid = answers.iter().filter(|answer| matches!(answer, CommandReply::Accepted(_))).count();
    assert_eq!(paid, 1, "{answers:?}");
    let now = cage.node.clock().now();
    let shown = house.look(move |house| detail(house, hash, now)).await.unwrap().unwrap();
    let shown = serde_json::to_value(&shown).unwrap();
    assert!(shown["stands"]["paid"]["time"].is_u64() && shown["amount"] == 12_345, "{shown}");
    drop(house);
    cage.close().await;
}

#[tokio::test]
async fn each_cash_out_has_a_voucher_of_its_own() {
    let mut cage = Cage::new().await;
    let (first, one) = cage.cash_out(100).await;
    let (second, other) = cage.cash_out(200).await;
    assert_ne!(first, second);
    let amounts = [one, other].map(|became| match became {
        VoucherFate::Voucher(voucher) => voucher.amount.cents(),
        VoucherFate::Claim { .. } | VoucherFate::PlayMoney => panic!("{became:?}"),
    });
    assert_eq!(amounts, [100, 200]);
    cage.close().await;
}

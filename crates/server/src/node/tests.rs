//! A running node: a round is played through the queue of its table, and is there after the node was opened again.

mod checkpoints;
mod damaged;
mod slips;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use taisai_engine::{NewestCommand, Worker};
use taisai_journal::ChainHead;
use taisai_journal::suite::HANG_LIMIT;
use taisai_record::Address;
use taisai_rules::{BetBox, Dice, Games, Money};
use taisai_table::{
    Actor, CashOut, Chips, ClusterCommand, ClusterId, CommandId, DeviceId, House, HouseCommand, LimitEntry,
    OverDifferential, Person, PersonId, Position, Profile, ReportedEvent, Role, Roles, RoundCommand, RoundNumber, Seat,
    SignificantEventKind, Stake, TableId, TableLimits,
};

use super::{InstallationPlan, Node, NodeError, ReadInstallation, TablePlan};
use crate::config::Founding;
use crate::http::reply::CommandReply;
use crate::metrics::Metrics;
use crate::node::clock;
use crate::tests::plan::{TABLE, actor, person};
use crate::ws::connection::{Connection, ConnectionQueue};

fn plan(folder: &Path) -> InstallationPlan {
    crate::tests::plan::plan(folder, &[8])
}

/// The ends of all chains.
fn heads(folder: &Path) -> Vec<ChainHead> {
    Address::Folder(folder.join("data")).archive().unwrap().heads().unwrap()
}

/// Someone who asks a table and waits for each answer.
struct Asker<'a> {
    node: &'a Node,
    source: u64,
    sequence: u64,
}

impl Asker<'_> {
    fn id(&mut self) -> CommandId {
        self.sequence += 1;
        CommandId { source: self.source, sequence: self.sequence }
    }

    async fn round(&mut self, actor: Actor, command: RoundCommand) -> CommandReply {
        let id = self.id();
        self.node.handle().table(TABLE).unwrap().ask_round(actor, id, command).await.unwrap()
    }

    async fn cluster(&mut self, actor: Actor, command: ClusterCommand) -> CommandReply {
        let id = self.id();
        self.node.handle().table(TABLE).unwrap().ask_cluster(0, actor, id, command).await.unwrap()
    }

    /// The table is opened, and a seat buys in 100.00 and wins 5.00 with 5.00 on Big.
    async fn win_on_big(&mut self, seat: Seat) {
        let (supervisor, dealer) = (actor(2, Role::PitSupervisor), actor(1, Role::Dealer));
        accepted(&self.round(supervisor, RoundCommand::OpenTable).await);
        let relieve = RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) };
        accepted(&self.round(supervisor, relieve).await);
        let (unit, most) = (Money::from_cents(100), Money::from_cents(100_000_000));
        let rest = Some(taisai_table::LimitRange { min: unit, max: most });
        let limits = TableLimits { unit, boxes: Vec::new(), rest, differential: None };
        accepted(&self.round(supervisor, RoundCommand::ShowLimits { limits, why: "the first".to_owned() }).await);
        accepted(&self.round(dealer, RoundCommand::OpenBets).await);
        let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(10_000), second: None };
        accepted(&self.cluster(actor(8, Role::Cashier), buy).await);
        let terminal = Actor::Terminal { device: DeviceId(3), seat };
        let stakes = [Stake { bet_box: "big".parse().unwrap(), amount: Money::from_cents(500) }];
        let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.into_iter().collect() };
        accepted(&self.cluster(terminal, place.clone()).await);
        accepted(&self.round(dealer, RoundCommand::CloseBets).await);
        let late = self.cluster(terminal, place).await;
        assert!(matches!(&late, CommandReply::Refused(refused) if refused.code == "bets-closed"), "{late:?}");
        accepted(&self.round(dealer, RoundCommand::Activate).await);
        accepted(&self.round(dealer, RoundCommand::Tumbled { times: 3 }).await);
        let dice = Dice::try_from([4, 5, 6]).unwrap();
        accepted(&self.round(dealer, RoundCommand::Commit { dice }).await);
    }
}

/// A screen that reads one message after the other.
struct Screen {
    messages: ConnectionQueue,
    read: VecDeque<Value>,
}

impl Screen {
    fn new() -> (Connection, Self) {
        let (connection, messages) = Connection::new();
        (connection, Self { messages, read: VecDeque::new() })
    }

    async fn next(&mut self) -> Value {
        while self.read.is_empty() {
            let mut messages = Vec::new();
            assert!(self.messages.take(&mut messages).await, "the connection was cut");
            self.read.extend(messages.iter().map(|message| serde_json::from_str::<Value>(message).unwrap()));
        }
        self.read.pop_front().unwrap()
    }
}

/// Connects a terminal: one without a connection counts as lost soon after a table has opened.
async fn connect(node: &Node, seat: Seat) -> Screen {
    let ((connection, screen), counted) = (Screen::new(), NewestCommand { source: 1, sequence: 0 });
    node.handle().table(TABLE).unwrap().connect((0, seat), counted, Box::default(), connection).await.unwrap();
    screen
}

fn accepted(answer: &CommandReply) {
    assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
}

#[tokio::test]
async fn a_played_round_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let seat = Seat(3);
    let mut screen = connect(&node, seat).await;
    let snapshot = screen.next().await["snapshot"].take();
    assert_eq!((&snapshot["public"]["phase"], &snapshot["seat"]["credits"]), (&"shut".into(), &0.into()));

    asker.win_on_big(seat).await;
    let mut credits = Value::Null;
    while credits != 10_500 {
        let message = screen.next().await;
        if !message["seat"].is_null() {
            credits = message["seat"]["credits"].clone();
        }
    }
    tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();

    let node = Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let mut screen = connect(&node, seat).await;
    let snapshot = screen.next().await["snapshot"].take();
    assert_eq!(snapshot["seat"]["credits"], 10_500, "{snapshot}");
    assert_eq!(snapshot["public"]["results"][0]["dice"], serde_json::json!([4, 5, 6]), "{snapshot}");
    tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();
}

/// A late correction is kept until its player has read it: over a restart, once, and for nobody else.
#[tokio::test]
async fn a_correction_notice_stays_until_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let seat = Seat(3);
    let open = || Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let sit = async |node: &Node| {
        let mut screen = connect(node, seat).await;
        let snapshot = screen.next().await["snapshot"].take();
        (screen, snapshot["seat"].clone())
    };
    let node = open();
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let (mut screen, _) = sit(&node).await;
    asker.win_on_big(seat).await;
    let second = Some(Person { id: PersonId(5), roles: Roles::of(&[Role::PitManager]) });
    let dice = Dice::try_from([1, 2, 3]).unwrap();
    let correct = RoundCommand::Correct { round: RoundNumber(1), dice, why: "the camera".to_owned(), second };
    accepted(&asker.round(actor(2, Role::PitSupervisor), correct).await);
    let seat_view = loop {
        let message = screen.next().await;
        if message["seat"]["messages"].as_array().is_some_and(|messages| !messages.is_empty()) {
            break message["seat"].clone();
        }
    };
    let changed = serde_json::json!({
        "round": 1, "dice": [1, 2, 3], "void": null, "amount": -1_000, "at_once": -1_000, "is_waived": false
    });
    let message =
        |is_read: bool| serde_json::json!([{ "number": 1, "is_read": is_read, "credits": 9_500, "changed": changed }]);
    assert_eq!((&seat_view["messages"], &seat_view["credits"]), (&message(false), &9_500.into()), "{seat_view}");
    close(node).await;

    let node = open();
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let (_screen, seat_view) = sit(&node).await;
    assert_eq!(seat_view["messages"], message(false), "a restart keeps it");
    let terminal = Actor::Terminal { device: DeviceId(3), seat };
    accepted(&asker.cluster(terminal, ClusterCommand::Read { seat, message: 1 }).await);
    let again = asker.cluster(terminal, ClusterCommand::Read { seat, message: 1 }).await;
    assert!(matches!(&again, CommandReply::Refused(refused) if refused.code == "nothing-to-read"), "{again:?}");
    close(node).await;

    let node = open();
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    assert_eq!(sit(&node).await.1["messages"], message(true), "it was read");
    let terminal = Actor::Terminal { device: DeviceId(3), seat };
    accepted(&asker.cluster(terminal, ClusterCommand::CashOut { seat, to: CashOut::HandPay }).await);
    let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(700), second: None };
    accepted(&asker.cluster(actor(8, Role::Cashier), buy).await);
    assert_eq!(sit(&node).await.1["messages"], serde_json::json!([]), "the next player has no notices");
    // A buy-in that two people reverse is reported to the player and to the House.
    let read = move |table: &Worker| table.cluster_numbered(0)?.last_buy_in(seat).copied();
    let bought = node.handle().table(TABLE).unwrap().read(read).await.unwrap();
    let receipt = bought.unwrap().receipt;
    let reverse = ClusterCommand::ReverseBuyIn { seat, receipt, why: "the wrong seat".to_owned(), second };
    accepted(&asker.cluster(actor(8, Role::Cashier), reverse).await);
    let reversed = serde_json::json!([
        { "number": 1, "is_read": false, "credits": 0, "reversed": { "receipt": receipt.0, "amount": 700 } }
    ]);
    assert_eq!(sit(&node).await.1["messages"], reversed);
    let cluster = ClusterId { table: TABLE, number: 0 };
    let report = ReportedEvent::BuyInReversed { cluster, seat, receipt, amount: Money::from_cents(700) };
    let is_reported =
        move |house: &House| house.significant().any(|event| event.what == SignificantEventKind::Reported(report));
    let reported = async {
        while !node.handle().house().read(is_reported).await.unwrap() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG_LIMIT, reported).await.expect("it is reported to the House");
    close(node).await;
}

/// 1.3, F32: Small is cut by its own maximum, so what counts differs by more than the Differential; this is reported to the House.
#[tokio::test]
async fn a_counted_difference_over_the_differential_is_reported_to_the_house() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(folder.path());
    plan.tables[0].game = Games::embedded().find("tai-sai", None).unwrap().file().to_owned();
    plan.tables[0].layout = "A".to_owned();
    let node = Node::open(plan, &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let mut asker = Asker { node: &node, source: node.sources().next(), sequence: 0 };
    let (supervisor, dealer) = (actor(2, Role::PitSupervisor), actor(1, Role::Dealer));
    accepted(&asker.round(supervisor, RoundCommand::OpenTable).await);
    let relieve = RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) };
    accepted(&asker.round(supervisor, relieve).await);
    let cents = Money::from_cents;
    let small = LimitEntry { boxes: "small".parse().unwrap(), min: Some(cents(100)), max: Some(cents(3_000)) };
    let rest = Some(taisai_table::LimitRange { min: cents(100), max: cents(100_000) });
    let limits = TableLimits { unit: cents(100), boxes: vec![small], rest, differential: Some(cents(2_000)) };
    accepted(&asker.round(supervisor, RoundCommand::ShowLimits { limits, why: "the first".to_owned() }).await);
    accepted(&asker.round(dealer, RoundCommand::OpenBets).await);
    for (seat, bet_box, amount) in [(0, "small", 6_000), (1, "big", 7_000)] {
        let stakes = [Stake { bet_box: bet_box.parse().unwrap(), amount: cents(amount) }];
        let stakes = stakes.into_iter().collect();
        accepted(&asker.cluster(dealer, ClusterCommand::Place { seat: Seat(seat), chips: Chips::Own, stakes }).await);
    }
    accepted(&asker.round(dealer, RoundCommand::CloseBets).await);
    accepted(&asker.round(dealer, RoundCommand::Activate).await);
    accepted(&asker.round(dealer, RoundCommand::Tumbled { times: 3 }).await);
    let dice = Dice::try_from([4, 5, 6]).unwrap();
    accepted(&asker.round(dealer, RoundCommand::Commit { dice }).await);
    let over = OverDifferential {
        bet_box: BetBox::BIG,
        counted: cents(7_000),
        opposite_counted: cents(3_000),
        differential: cents(2_000),
    };
    let report = ReportedEvent::OverDifferential { table: TABLE, round: RoundNumber(1), over };
    let is_reported =
        move |house: &House| house.significant().any(|event| event.what == SignificantEventKind::Reported(report));
    let reported = async {
        while !node.handle().house().read(is_reported).await.unwrap() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(HANG_LIMIT, reported).await.expect("it is reported to the House");
    close(node).await;
}

/// What a table was opened with: layout, seats, and how long bets are open.
async fn opened(node: &Node, table: TableId) -> Option<(String, usize, u32)> {
    let seconds = node.profile().betting_seconds;
    let read = move |table: &Worker| {
        let seats = table.cluster_numbered(0).unwrap().seats().count();
        (table.round().unwrap().rules().layout().id().to_owned(), seats, seconds)
    };
    match node.handle().table(table) {
        Some(handle) => Some(handle.read(read).await.unwrap()),
        None => None,
    }
}

async fn close(node: Node) {
    tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();
}

#[tokio::test]
async fn the_record_overrides_the_file() {
    let folder = tempfile::tempdir().unwrap();
    close(Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap()).await;

    let mut other = plan(folder.path());
    (other.tables[0].layout, other.tables[0].seats) = ("C".to_owned(), vec![3]);
    other.profile = Profile { name: "other".to_owned(), betting_seconds: 15, ..other.profile };
    other.new_house = [9; 16];
    let added = |number: u16| TablePlan { table: TableId(number), ..other.tables[0].clone() };
    let two = added(2);
    let three = added(3);
    other.tables.push(two);
    let node = Node::open(other.clone(), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    assert_eq!(opened(&node, TABLE).await, Some(("B".to_owned(), 8, 36)), "as it was");
    assert_eq!(opened(&node, TableId(2)).await, Some(("C".to_owned(), 3, 36)), "new, with the casino's profile");
    assert_eq!((node.profile().name.as_str(), node.house()), ("singapore", [7; 16]));
    let seed = crate::config::Seed { founders: crate::config::founders(), ..Default::default() };
    let house = node.handle().house();
    Founding::due(&house, &seed, false).await.unwrap().unwrap().record(&house).await.unwrap();
    assert!(Founding::due(&house, &seed, false).await.unwrap().is_none(), "once");
    drop(house);
    close(node).await;

    other.tables = vec![three];
    let node = Node::open(other.clone(), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    assert!(
        opened(&node, TABLE).await.is_some() && opened(&node, TableId(2)).await.is_some(),
        "whatever the file says"
    );
    assert_eq!(opened(&node, TableId(3)).await, None, "people add tables now");
    close(node).await;

    other.is_training = true;
    assert!(matches!(Node::open(other, &Arc::new(Metrics::new()), Arc::new(drop)), Err(NodeError::OtherPurpose)));
}

/// A changed pay table under the approved name is refused where money is real, before anything is recorded.
#[tokio::test]
async fn a_changed_game_opens_only_for_training_or_where_it_is_allowed() {
    let changed = |folder: &Path| {
        let mut plan = plan(folder);
        let approved = plan.tables[0].game.clone();
        plan.tables[0].game = approved.replacen("title = \"", "title = \"Other ", 1);
        assert_ne!(plan.tables[0].game, approved);
        plan
    };
    let open = |plan: InstallationPlan| Node::open(plan, &Arc::new(Metrics::new()), Arc::new(drop));
    let folder = tempfile::tempdir().unwrap();
    let Err(refused) = open(changed(folder.path())) else { panic!("it opens") };
    let approved = Games::embedded().find("sic-bo-etg", None).unwrap().hash();
    let message = refused.to_string();
    assert!(matches!(refused, NodeError::NotApproved { table: TABLE, .. }), "{message}");
    for word in ["sic-bo-etg@2 is NOT APPROVED", approved, "training = true", "unapproved_games"] {
        assert!(message.contains(word), "{message}");
    }
    close(open(plan(folder.path())).unwrap()).await;

    let (allowed, training) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    close(open(InstallationPlan { allows_unapproved: true, ..changed(allowed.path()) }).unwrap()).await;
    let before = heads(allowed.path());
    let again = open(plan(allowed.path())).map(drop);
    assert!(matches!(again, Err(NodeError::NotApproved { .. })), "the record has the other game");
    assert_eq!(heads(allowed.path()), before, "nothing is written");
    let mut plan = InstallationPlan { is_training: true, ..changed(training.path()) };
    plan.tables[0].is_training = true;
    close(open(plan).unwrap()).await;
}

#[tokio::test]
async fn a_table_that_was_added_and_never_opened_is_laid_out_by_its_plan() {
    let folder = tempfile::tempdir().unwrap();
    let table = TableId(2);
    let clusters = 2.try_into().unwrap();
    let node = Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    let add = HouseCommand::AddTable { table, clusters, training: true, second: None };
    accepted(&node.handle().house().own(add).await.unwrap());
    close(node).await;
    let open = async |seats: Vec<u32>, is_training: bool| {
        let mut plan = plan(folder.path());
        plan.tables.push(TablePlan { table, is_training, seats, ..plan.tables[0].clone() });
        let node = Node::open(plan, &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
        let found = opened(&node, table).await;
        close(node).await;
        found.map(|(_, seats, _)| seats)
    };
    assert_eq!(open(vec![4], true).await, None, "it has two clusters");
    assert_eq!(open(vec![4, 4], false).await, None, "it is for training");
    assert_eq!(open(vec![4, 4], true).await, Some(4));
    assert_eq!(open(vec![9, 9], true).await, Some(4), "as it was from then on");
}

/// The system's clock is set back by an hour while the node is stopped.
#[tokio::test]
async fn time_and_sources_go_on_after_what_is_on_record() {
    let folder = tempfile::tempdir().unwrap();
    let ahead = || clock::system() + 3_600_000;
    let node = ReadInstallation::read_by(ahead, plan(folder.path()), Arc::new(drop))
        .unwrap()
        .run(&Arc::new(Metrics::new()))
        .unwrap();
    // Higher than any time.
    let highest = node.sources().next() + 100 * 3_600_000;
    let mut asker = Asker { node: &node, source: highest, sequence: 0 };
    let terminal = Actor::Terminal { device: DeviceId(3), seat: Seat(3) };
    asker.cluster(terminal, ClusterCommand::Clear { seat: Seat(3) }).await;
    let before = node.clock().now();
    accepted(&asker.round(actor(2, Role::PitSupervisor), RoundCommand::OpenTable).await);
    close(node).await;

    let node = Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap();
    assert!(node.clock().now() > before, "time goes on");
    assert!(node.sources().next() > highest, "so do sources");
    let stepped = |house: &House| {
        house.significant().any(
            |event| matches!(event.what, SignificantEventKind::Reported(ReportedEvent::ClockStepped { millis }) if millis < -3_000_000),
        )
    };
    let recorded = async {
        while !node.handle().house().read(stepped).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG_LIMIT, recorded).await.expect("the step is on record");
    close(node).await;
}

/// The clock of the machine is a week from the newest entry of the record.
#[tokio::test]
async fn a_clock_far_from_the_record_asks_a_person() {
    const WEEK: u64 = 7 * 24 * 60 * 60 * 1_000;
    let folder = tempfile::tempdir().unwrap();
    close(Node::open(plan(folder.path()), &Arc::new(Metrics::new()), Arc::new(drop)).unwrap()).await;
    let before = heads(folder.path());
    let clocks: [clock::System; 2] = [|| clock::system() + WEEK, || clock::system() - WEEK];
    for system in clocks {
        let refused = ReadInstallation::read_by(system, plan(folder.path()), Arc::new(drop)).map(drop);
        let Err(NodeError::Clock(gap)) = refused else { panic!("it starts") };
        assert!(gap.to_string().contains("--accept-clock"), "{gap}");
        assert_eq!(heads(folder.path()), before, "nothing is written");
    }
    let accepting = || InstallationPlan { accepts_clock: true, ..plan(folder.path()) };
    let week = i64::try_from(WEEK).unwrap();
    // Ahead: the time is taken. Then the clock is set back, and time goes on from there.
    for (system, steps) in
        [(clocks[0], week - 600_000..week + 600_000), (clock::system, -week - 600_000..-week + 600_000)]
    {
        let read = ReadInstallation::read_by(system, accepting(), Arc::new(drop)).unwrap();
        let node = read.run(&Arc::new(Metrics::new())).unwrap();
        assert!(node.clock().now().0 > clock::system() + WEEK - 600_000, "time never goes back");
        let stepped = move |house: &House| {
            house.significant().any(|event| matches!(event.what, SignificantEventKind::Reported(ReportedEvent::ClockStepped { millis }) if steps.contains(&millis)))
        };
        let recorded = async {
            while !node.handle().house().read(stepped.clone()).await.unwrap() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(HANG_LIMIT, recorded).await.expect("the step is on record");
        close(node).await;
    }
}

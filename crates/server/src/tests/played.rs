//! A played installation in a folder: two terminals of one cluster and one of another, a correction, a late void and a void, and
//! names that are dangerous in spreadsheets.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use taisai_journal::PublicKey;
use taisai_record::{Address, Program};
use taisai_rules::{Dice, Games, Money};
use taisai_table::{
    Actor, CashOut, Chips, ClusterCommand, ClusterId, CommandId, DeviceId, Founder, HouseCommand, Meters, Person,
    PersonId, Position, Profile, Registration, Role, Roles, RoundCommand, RoundNumber, Seat, Stake, TableId,
    TableLimits, VoidReason,
};
use tokio::task::JoinSet;

use crate::demo::occupy;
use crate::http::reply::CommandReply;
use crate::node::{InstallationPlan, Node, TablePlan};

pub(crate) const TABLE: TableId = TableId(1);
pub(crate) const HOSTILE: &str = "=HYPERLINK(\"http://x\",\"Ada\"), the \"first\"";

pub(crate) fn program() -> Program {
    Program { version: "0.1.0".to_owned(), hash: [1; 32] }
}

pub(crate) fn plan(folder: &Path) -> InstallationPlan {
    let address = Address::Folder(folder.join("data"));
    let game = Games::embedded().find("sic-bo-etg", None).unwrap().file().to_owned();
    InstallationPlan {
        files: address.files().unwrap(),
        accepts_clock: false,
        acknowledged: taisai_journal::AcknowledgedHeads::default(),
        address,
        program: program(),
        new_house: [7; 16],
        allows_unapproved: false,
        profile: Profile::singapore(),
        is_training: false,
        tables: vec![TablePlan {
            table: TABLE,
            game,
            layout: "B".to_owned(),
            registration: Registration::EveryBet,
            is_training: false,
            seats: vec![4, 4],
        }],
    }
}

fn person(id: u32, role: Role) -> Person {
    Person { id: PersonId(id), roles: Roles::of(&[role]) }
}

pub(crate) struct Playing {
    pub(crate) node: Node,
    source: u64,
    sequence: u64,
    /// Terminals without a connection count as lost.
    terminals: JoinSet<()>,
}

impl Playing {
    pub(crate) async fn open(folder: &Path) -> Self {
        let node = Node::open(plan(folder), &Arc::new(crate::metrics::Metrics::new()), Arc::new(drop)).unwrap();
        let source = node.sources().next();
        let mut terminals = JoinSet::new();
        let handle = node.handle().table(TABLE).unwrap();
        for (cluster, seat) in (0..2).flat_map(|cluster| (0..4).map(move |seat| (cluster, Seat(seat)))) {
            occupy(&handle, cluster, seat, &mut terminals).await;
        }
        drop(handle);
        let mut playing = Self { node, source, sequence: 0, terminals };
        let people = [
            (1, HOSTILE, Role::Dealer),
            (3, "Ben", Role::PitSupervisor),
            (5, "Cai", Role::PitManager),
            (6, "Dee", Role::ShiftManager),
            (8, "Hui", Role::Cashier),
            (9, "Ina", Role::Administrator),
        ];
        let people = people.map(|(id, name, role)| Founder {
            person: PersonId(id),
            name: name.to_owned(),
            roles: Roles::of(&[role]),
        });
        let id = playing.id();
        let found = HouseCommand::Found { people: people.into() };
        accepted(&playing.node.handle().house().ask(Actor::System, id, found).await.unwrap());
        playing.by_supervisor(RoundCommand::OpenTable).await;
        playing.by_supervisor(RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) }).await;
        let (unit, most) = (Money::from_cents(100), Money::from_cents(100_000_000));
        let rest = Some(taisai_table::LimitRange { min: unit, max: most });
        let limits = TableLimits { unit, boxes: Vec::new(), rest, differential: None };
        playing.by_supervisor(RoundCommand::ShowLimits { limits, why: "+1, the first".to_owned() }).await;
        playing
    }

    fn id(&mut self) -> CommandId {
        self.sequence += 1;
        CommandId { source: self.source, sequence: self.sequence }
    }

    async fn round(&mut self, actor: Actor, command: RoundCommand) {
        let id = self.id();
        accepted(&self.node.handle().table(TABLE).unwrap().ask_round(actor, id, command).await.unwrap());
    }

    async fn by_supervisor(&mut self, command: RoundCommand) {
        self.round(Actor::Person(person(3, Role::PitSupervisor)), command).await;
    }

    async fn by_dealer(&mut self, command: RoundCommand) {
        self.round(Actor::Person(person(1, Role::Dealer)), command).await;
    }

    pub(crate) async fn at_seat(&mut self, cluster: u16, actor: Actor, command: ClusterCommand) {
        let id = self.id();
        let table = self.node.handle().table(TABLE).unwrap();
        accepted(&table.ask_cluster(cluster, actor, id, command).await.unwrap());
    }

    pub(crate) async fn buy(&mut self, cluster: u16, seat: u32, cents: i64) {
        let buy = ClusterCommand::BuyIn { seat: Seat(seat), amount: Money::from_cents(cents), second: None };
        self.at_seat(cluster, Actor::Person(person(8, Role::Cashier)), buy).await;
    }

    pub(crate) async fn cash_out(&mut self, cluster: u16, seat: u32) {
        let seat = Seat(seat);
        let terminal = Actor::Terminal { device: DeviceId(seat.0), seat };
        self.at_seat(cluster, terminal, ClusterCommand::CashOut { seat, to: CashOut::HandPay }).await;
    }

    pub(crate) async fn open_bets(&mut self) {
        self.by_dealer(RoundCommand::OpenBets).await;
    }

    pub(crate) async fn bet(&mut self, cluster: u16, seat: u32, bet_box: &str, cents: i64) {
        let seat = Seat(seat);
        let stakes = [Stake { bet_box: bet_box.parse().unwrap(), amount: Money::from_cents(cents) }];
        let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.into_iter().collect() };
        self.at_seat(cluster, Actor::Terminal { device: DeviceId(seat.0), seat }, place).await;
    }

    pub(crate) async fn deal(&mut self, tumbles: u8, dice: [u8; 3]) {
        self.by_dealer(RoundCommand::CloseBets).await;
        self.by_dealer(RoundCommand::Activate).await;
        self.by_dealer(RoundCommand::Tumbled { times: tumbles }).await;
        if tumbles >= 3 {
            self.by_dealer(RoundCommand::Commit { dice: Dice::try_from(dice).unwrap() }).await;
        } else {
            self.by_dealer(RoundCommand::Void { reason: VoidReason::FewTumbles }).await;
        }
    }

    pub(crate) async fn correct(&mut self, round: u64, dice: [u8; 3]) {
        let (round, dice) = (RoundNumber(round), Dice::try_from(dice).unwrap());
        let second = Some(person(5, Role::PitManager));
        let why = "@the camera shows it".to_owned();
        self.by_supervisor(RoundCommand::Correct { round, dice, why, second }).await;
        // The clusters follow once the old slips are read.
        while self.node.handle().table(TABLE).unwrap().look(waits).await.unwrap() {}
    }

    /// Round 2 is void in play, round 3 is corrected after one seat has left.
    pub(crate) async fn play(&mut self) {
        for (cluster, seat) in [(0, 0), (0, 3), (1, 2)] {
            self.buy(cluster, seat, 100_000).await;
        }
        for (tumbles, dice) in [(3, [4, 5, 6]), (1, [1, 1, 1]), (3, [1, 2, 3]), (3, [5, 5, 5])] {
            self.open_bets().await;
            self.bet(0, 0, "big", 500).await;
            self.bet(0, 3, "sum:9", 300).await;
            self.bet(1, 2, "small", 700).await;
            self.bet(1, 2, "any-triple", 100).await;
            self.deal(tumbles, dice).await;
        }
        self.cash_out(1, 2).await;
        self.correct(3, [6, 5, 4]).await;
        self.buy(0, 1, 5_000).await;
    }

    /// The meters of the machines, of each cluster and of each seat.
    pub(crate) async fn meters(&self) -> BTreeMap<(u16, Option<u32>), Meters> {
        let look = |table: &taisai_engine::Worker| {
            let mut meters = BTreeMap::new();
            for cluster in table.clusters() {
                meters.insert((cluster.id().number, None), cluster.meters());
                meters.extend(
                    cluster.seats().map(|seat| ((cluster.id().number, Some(seat.0)), cluster.seat_meters(seat))),
                );
            }
            meters
        };
        self.node.handle().table(TABLE).unwrap().look(look).await.unwrap()
    }

    pub(crate) async fn close(self) -> Vec<PublicKey> {
        let keys = self.node.keys().to_vec();
        let Self { node, terminals, .. } = self;
        drop(terminals);
        tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();
        keys
    }
}

/// Whether a cluster or the House still waits for messages.
fn waits(table: &taisai_engine::Worker) -> bool {
    let round = table.round().unwrap();
    let mut clusters = table.clusters();
    clusters.any(|cluster| {
        let mut notices = round.notices(cluster.id());
        notices.any(|(number, _)| number > cluster.followed()) || cluster.outbox().next().is_some()
    })
}

pub(crate) fn cluster(number: u16) -> ClusterId {
    ClusterId { table: TABLE, number }
}

fn accepted(answer: &CommandReply) {
    assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
}

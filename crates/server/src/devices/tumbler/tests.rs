//! Tumblers at a running node: one that works, and many that do not.

use std::sync::Arc;

use serde_json::{Value, json};
use taisai_record::{Address, Program};
use taisai_rules::{Dice, Games, Money};
use taisai_table::{
    Actor, CommandId, DeviceId, DeviceKind, HouseCommand, Person, PersonId, Phase, Position, Profile, Registration,
    ReportedEvent, Role, Roles, RoundCommand, RoundNumber, SignificantEventKind, TableId, TableLimits,
};

use super::session::{TumblerReply, TumblerSession};
use crate::devices::Proven;
use crate::http::reply::CommandReply;
use crate::node::{InstallationPlan, Node, TablePlan};

const TABLE: TableId = TableId(1);
const TUMBLER: DeviceId = DeviceId(7);
const ANOTHER: DeviceId = DeviceId(8);

/// A node with one table, its people and two tumblers, one of them in use.
struct Pit {
    node: Node,
    source: u64,
    sequence: u64,
    _folder: tempfile::TempDir,
}

fn person(id: u32, role: Role) -> Actor {
    Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[role]) })
}

impl Pit {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = Address::Folder(folder.path().join("data"));
        let game = Games::embedded().find("sic-bo-etg", None).unwrap().file().to_owned();
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
            tables: vec![TablePlan {
                table: TABLE,
                game,
                layout: "B".to_owned(),
                registration: Registration::EveryBet,
                is_training: false,
                seats: vec![8],
            }],
        };
        let node = Node::open(plan, &Arc::new(crate::metrics::Metrics::new()), Arc::new(drop)).unwrap();
        let source = node.sources().next();
        let mut pit = Self { node, source, sequence: 0, _folder: folder };
        for device in [TUMBLER, ANOTHER] {
            pit.house(Actor::System, HouseCommand::Enrol { device, kind: DeviceKind::Tumbler, second: None }).await;
        }
        let founder = |id, role| taisai_table::Founder {
            person: PersonId(id),
            name: format!("person {id}"),
            roles: Roles::of(&[role]),
        };
        let people = vec![founder(9, Role::Administrator), founder(2, Role::PitSupervisor), founder(1, Role::Dealer)];
        pit.house(Actor::System, HouseCommand::Found { people }).await;
        let supervisor = person(2, Role::PitSupervisor);
        let (unit, most) = (Money::from_cents(100), Money::from_cents(100_000_000));
        let rest = Some(taisai_table::LimitRange { min: unit, max: most });
        let limits = TableLimits { unit, boxes: Vec::new(), rest, differential: None };
        for command in [
            RoundCommand::OpenTable,
            RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) },
            RoundCommand::ShowLimits { limits, why: "the first".to_owned() },
            RoundCommand::UseTumbler { tumbler: TUMBLER.0 },
        ] {
            pit.round(supervisor, command).await;
        }
        pit
    }

    fn id(&mut self) -> CommandId {
        self.sequence += 1;
        CommandId { source: self.source, sequence: self.sequence }
    }

    async fn house(&mut self, actor: Actor, command: HouseCommand) {
        let id = self.id();
        let answer = self.node.handle().house().ask(actor, id, command).await.unwrap();
        assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
    }

    async fn round(&mut self, actor: Actor, command: RoundCommand) {
        let answer = self.node.handle().table(TABLE).unwrap().ask_round(actor, self.id(), command).await.unwrap();
        assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
    }

    async fn deal(&mut self, command: RoundCommand) {
        self.round(person(1, Role::Dealer), command).await;
    }

    async fn phase(&self) -> Phase {
        self.node.handle().table(TABLE).unwrap().look_at_round(taisai_table::Round::phase).await.unwrap()
    }

    fn tumbler(&self, device: DeviceId) -> Tumbler {
        let node = self.node.handle();
        let proven = Proven { device, kind: DeviceKind::Tumbler, source: self.node.sources().next() };
        Tumbler(TumblerSession::new(proven, TABLE, node.table(TABLE).unwrap(), node.house()))
    }

    /// The node closes once all handles are dropped.
    async fn close(self) {
        let Self { node, .. } = self;
        tokio::task::spawn_blocking(move || node.close()).await.unwrap().unwrap();
    }
}

struct Tumbler(TumblerSession);

impl Tumbler {
    async fn says(&mut self, message: Value) -> Value {
        self.sends(&message.to_string()).await
    }

    async fn sends(&mut self, text: &str) -> Value {
        match self.0.receive(text).await.unwrap() {
            TumblerReply::Send(answer) => serde_json::from_str(&answer).unwrap(),
            TumblerReply::Enough(denied) => json!({ "end": denied.code() }),
        }
    }

    /// Says something that is refused, and why.
    async fn refused(&mut self, message: Value) -> String {
        let answer = self.says(message).await;
        answer["answer"]["refused"]["code"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    async fn accepted(&mut self, message: Value) {
        let sequence = message["sequence"].clone();
        assert_eq!(self.says(message).await, json!({"sequence": sequence, "answer": {"accepted": null}}));
    }
}

fn dice(faces: [u8; 3]) -> Dice {
    Dice::try_from(faces).unwrap()
}

#[tokio::test]
async fn a_round_is_tumbled_and_the_dealer_commits() {
    let mut pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    pit.deal(RoundCommand::OpenBets).await;
    pit.deal(RoundCommand::CloseBets).await;
    tumbler.accepted(json!({"sequence": 1, "activated": {}})).await;
    for sequence in 2..5 {
        tumbler.accepted(json!({"sequence": sequence, "tumbled": {"times": 1}})).await;
    }
    tumbler.accepted(json!({"sequence": 5, "at-rest": {"faces": [1, 4, 6]}})).await;
    assert_eq!(pit.phase().await, Phase::Closed, "nothing is settled before the Dealer commits");
    pit.deal(RoundCommand::Commit { dice: dice([1, 4, 6]) }).await;
    assert_eq!(pit.phase().await, Phase::Settled);
    drop(tumbler);
    pit.close().await;
}

#[tokio::test]
async fn repeated_and_misordered_messages_do_no_harm() {
    let mut pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    pit.deal(RoundCommand::OpenBets).await;
    assert_eq!(tumbler.refused(json!({"sequence": 1, "tumbled": {"times": 3}})).await, "not-tumbled");
    assert_eq!(tumbler.refused(json!({"sequence": 2, "at-rest": {"faces": [6, 6, 6]}})).await, "not-tumbled");
    pit.deal(RoundCommand::CloseBets).await;
    assert_eq!(tumbler.refused(json!({"sequence": 1, "tumbled": {"times": 3}})).await, "not-tumbled", "as before");
    assert_eq!(tumbler.refused(json!({"sequence": 2, "activated": {}})).await, "command-id-reused");
    tumbler.accepted(json!({"sequence": 10, "activated": {}})).await;
    tumbler.accepted(json!({"sequence": 10, "activated": {}})).await;
    assert_eq!(tumbler.refused(json!({"sequence": 11, "activated": {}})).await, "already-tumbled");
    assert_eq!(tumbler.refused(json!({"sequence": 12, "tumbled": {"times": 0}})).await, "bad-amount");
    tumbler.accepted(json!({"sequence": 13, "tumbled": {"times": 2}})).await;
    tumbler.accepted(json!({"sequence": 13, "tumbled": {"times": 2}})).await;
    let tumbles = pit.node.handle().table(TABLE).unwrap().look_at_round(taisai_table::Round::tumbles).await.unwrap();
    assert_eq!(tumbles, Some(2), "what is said twice counts once");
    tumbler.accepted(json!({"sequence": 14, "tumbled": {"times": 1}})).await;
    pit.deal(RoundCommand::Commit { dice: dice([1, 2, 3]) }).await;
    assert_eq!(tumbler.refused(json!({"sequence": 15, "at-rest": {"faces": [6, 6, 6]}})).await, "no-round-open");
    drop(tumbler);
    pit.close().await;
}

/// A tumbler that reads other faces after it had read some: the last it read stand, and the Dealer commits what lies there.
#[tokio::test]
async fn other_faces_after_rest_change_no_result() {
    let mut pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    pit.deal(RoundCommand::OpenBets).await;
    pit.deal(RoundCommand::CloseBets).await;
    tumbler.accepted(json!({"sequence": 1, "activated": {}})).await;
    tumbler.accepted(json!({"sequence": 2, "tumbled": {"times": 3}})).await;
    tumbler.accepted(json!({"sequence": 3, "at-rest": {"faces": [1, 2, 3]}})).await;
    tumbler.says(json!({"sequence": 4, "at-rest": {"faces": [6, 6, 6]}})).await;
    pit.deal(RoundCommand::Commit { dice: dice([1, 2, 3]) }).await;
    let handle = pit.node.handle().table(TABLE).unwrap();
    let result = handle.look_at_round(|round| round.past(RoundNumber(1)).and_then(|past| past.dice)).await;
    assert_eq!(result.unwrap(), Some(dice([1, 2, 3])));
    drop(handle);
    drop(tumbler);
    pit.close().await;
}

/// 5.3.3 of the Electronic Table Game: activated before "No more Bets".
#[tokio::test]
async fn activated_early_the_round_is_void_by_itself() {
    let mut pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    pit.deal(RoundCommand::OpenBets).await;
    tumbler.accepted(json!({"sequence": 1, "activated": {}})).await;
    assert_eq!(pit.phase().await, Phase::Void);
    drop(tumbler);
    pit.close().await;
}

#[tokio::test]
async fn a_tumbler_that_is_not_in_use_is_refused() {
    let mut pit = Pit::new().await;
    let mut another = pit.tumbler(ANOTHER);
    pit.deal(RoundCommand::OpenBets).await;
    assert_eq!(another.refused(json!({"sequence": 1, "activated": {}})).await, "not-allowed");
    assert_eq!(pit.phase().await, Phase::Open);
    drop(another);
    pit.close().await;
}

#[tokio::test]
async fn a_revoked_tumbler_is_ignored() {
    let mut pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    pit.deal(RoundCommand::OpenBets).await;
    assert!(tumbler.0.is_accepted().await.unwrap());
    pit.house(person(9, Role::Administrator), HouseCommand::Revoke { device: TUMBLER }).await;
    assert!(!tumbler.0.is_accepted().await.unwrap());
    assert_eq!(tumbler.says(json!({"sequence": 1, "activated": {}})).await, json!({"end": "not-yours"}));
    assert_eq!(pit.phase().await, Phase::Open);
    drop(tumbler);
    pit.close().await;
}

#[tokio::test]
async fn bad_and_too_frequent_messages_are_refused_then_disconnect() {
    let pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    let bad = tumbler.sends("{\"sequence\":3}").await;
    assert_eq!((&bad["sequence"], &bad["answer"]["refused"]["code"]), (&json!(3), &json!("bad-request")));
    let bad = tumbler.sends("\u{0}\u{0}").await;
    assert_eq!((&bad["sequence"], &bad["answer"]["refused"]["code"]), (&json!(null), &json!("bad-request")));
    let mut answers = Vec::new();
    for _ in 0..100 {
        let answer = tumbler.sends("nonsense").await;
        let is_end = answer["end"].is_string();
        answers.push(answer);
        if is_end {
            break;
        }
    }
    assert!(answers.iter().any(|answer| answer["answer"]["refused"]["code"] == "too-many"), "{answers:?}");
    assert!(answers.len() < 70 && answers.last().unwrap()["end"].is_string(), "{answers:?}");
    drop(tumbler);
    pit.close().await;
}

#[tokio::test]
async fn a_fault_is_an_event_and_repeated_faults_are_limited() {
    let pit = Pit::new().await;
    let mut tumbler = pit.tumbler(TUMBLER);
    for _ in 0..2 {
        tumbler.accepted(json!({"sequence": 1, "fault": {"what": "<b>lid</b> open\n"}})).await;
    }
    assert_eq!(tumbler.refused(json!({"sequence": 1, "activated": {}})).await, "command-id-reused");
    let mut codes = Vec::new();
    for sequence in 2..12 {
        codes.push(tumbler.says(json!({"sequence": sequence, "fault": {"what": "lid open"}})).await);
    }
    assert!(codes.iter().any(|answer| answer["answer"]["refused"]["code"] == "too-many"), "{codes:?}");
    let fault = SignificantEventKind::Reported(ReportedEvent::TumblerFault { table: TABLE, tumbler: TUMBLER });
    let house = pit.node.handle().house();
    let count = house.look(move |house| house.significant().filter(|event| event.what == fault).count()).await;
    assert_eq!(count.unwrap(), 3);
    drop(house);
    drop(tumbler);
    pit.close().await;
}

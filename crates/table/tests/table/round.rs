//! The dealer's side alone. What it does together with its clusters and the House is tried on the engine, in `rules`.

use std::sync::Arc;

use taisai_rules::{Games, Money};
use taisai_table::{
    Actor, ClusterId, CommandId, CommandRequest, Decision, Entry, Person, PersonId, Phase, Position, Profile, Refusal,
    Role, Roles, Round, RoundCommand, RoundEntry, RoundNumber, TableId, TableLimits, TableRules, Time,
};

const TABLE: TableId = TableId(1);
const DEALER: PersonId = PersonId(1);

/// Noon of 1 January 2024, when every game is in force.
const NOON: u64 = 1_704_110_400_000;

fn person(id: u32, role: Role) -> Person {
    Person { id: PersonId(id), roles: Roles::of(&[role]) }
}

fn dealer() -> Actor {
    Actor::Person(Person { id: DEALER, roles: Roles::of(&[Role::Dealer]) })
}

fn supervisor() -> Actor {
    Actor::Person(person(3, Role::PitSupervisor))
}

fn rules(game: &str) -> TableRules {
    let game = Games::embedded().find(game, None).expect("a game").clone();
    TableRules::new(Arc::new(game), "A").expect("a layout")
}

const RELIEVE: RoundCommand = RoundCommand::Relieve { position: Position::Dealer, person: Some(DEALER) };

/// A round, and the number of its last command.
struct Table(Round, u64);

impl Table {
    fn new(game: &str, clusters: u16) -> Self {
        Self(Round::new(TABLE, rules(game), Profile::singapore(), false, clusters), 0)
    }

    fn decide(&mut self, actor: Actor, command: RoundCommand) -> RoundEntry {
        self.1 += 1;
        let request =
            CommandRequest { time: Time(NOON), actor, id: CommandId { source: 1, sequence: self.1 }, command };
        let outcome = match self.0.decide(&request) {
            Decision::Accepted(event) => Ok(event),
            Decision::Refused(refusal) => Err(refusal),
            Decision::Repeated(_) => panic!("it is new"),
        };
        Entry { request, outcome }
    }

    fn ask(&mut self, actor: Actor, command: RoundCommand) -> Result<(), Refusal> {
        let entry = self.decide(actor, command);
        self.0.apply(&entry);
        entry.outcome.map(|_| ())
    }
}

/// A game not in force opens in training only; the early edition is undated.
#[test]
fn a_table_opens_when_its_game_is_in_force() {
    for (game, is_training, is_open) in [
        ("tai-sai-classic", false, true),
        ("tai-sai", false, false),
        ("tai-sai-open-cover", false, false),
        ("sic-bo-etg", false, false),
        ("tai-sai", true, true),
        ("tai-sai-open-cover", true, true),
        ("sic-bo-etg", true, true),
    ] {
        let round = Round::new(TABLE, rules(game), Profile::singapore(), is_training, 1);
        // 1 January 2021.
        let (time, id) = (Time(1_609_459_200_000), CommandId { source: 1, sequence: 1 });
        let request = CommandRequest { time, actor: supervisor(), id, command: RoundCommand::OpenTable };
        let is_accepted = matches!(round.decide(&request), Decision::Accepted(_));
        assert_eq!(is_accepted, is_open, "{game}, training: {is_training}");
    }
}

/// Closing ends only when every cluster's chain holds the close, and Result when all have settled.
#[test]
fn every_cluster_is_waited_for() {
    let mut table = Table::new("sic-bo-etg", 3);
    let report = |number, followed| RoundCommand::Report {
        cluster: ClusterId { table: TABLE, number },
        followed,
        colour_chips: Money::ZERO,
        is_registered: false,
    };
    let limits = TableLimits { unit: Money::from_cents(100), boxes: Vec::new(), rest: None, differential: None };
    let limits = limits.widest(table.0.rules().layout());
    for command in [RoundCommand::ShowLimits { limits, why: "first".to_owned() }, RELIEVE, RoundCommand::OpenTable] {
        table.ask(supervisor(), command).expect("accepted");
    }
    for number in 0..3 {
        table.ask(Actor::System, report(number, 3)).expect("accepted");
    }
    table.ask(dealer(), RoundCommand::OpenBets).expect("accepted");
    table.ask(dealer(), RoundCommand::CloseBets).expect("accepted");
    for (number, followed, answer, phase) in [
        (0, 4, "", Phase::Closing),
        (0, 5, "", Phase::Closing),
        (0, 4, "out-of-order", Phase::Closing),
        (2, 6, "out-of-order", Phase::Closing),
        (3, 5, "unknown-table", Phase::Closing),
        (2, 5, "", Phase::Closing),
        (1, 5, "", Phase::Closed),
    ] {
        let found = table.ask(Actor::System, report(number, followed));
        assert_eq!(found.err().map_or("", |refusal| refusal.code()), answer, "cluster {number} holds {followed}");
        assert_eq!(table.0.phase(), phase, "cluster {number} holds {followed}");
    }
    assert_eq!(table.ask(dealer(), report(0, 5)).expect_err("a person").code(), "not-allowed");
}

/// So many rounds at most in one act; more are voided by several.
#[test]
fn damaged_dice_void_ten_thousand_rounds_at_once() {
    let mut table = Table::new("tai-sai-classic", 0);
    for command in [RoundCommand::OpenTable, RELIEVE] {
        table.ask(supervisor(), command).expect("accepted");
    }
    for _ in 1..=10_001 {
        for command in [RoundCommand::OpenBets, RoundCommand::Interrupt { known: Vec::new() }] {
            table.ask(dealer(), command).expect("accepted");
        }
    }
    for (from, to, refusal) in
        [(1, 10_000, None), (1, 10_001, Some(Refusal::TooManyRounds)), (2, 10_001, None), (10_001, 10_001, None)]
    {
        let command = RoundCommand::VoidDamaged {
            from: RoundNumber(from),
            to: RoundNumber(to),
            dice_set: None,
            why: "chipped".to_owned(),
            second: Some(person(5, Role::PitManager)),
        };
        assert_eq!(table.decide(supervisor(), command).outcome.err(), refusal, "{from} to {to}");
    }
}

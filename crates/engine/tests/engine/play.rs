//! Short ways to play: people, what they ask, and a round from its first bet to its result.

use std::sync::Arc;

use taisai_engine::{
    CallerId, ClusterInput, ConnectionId, Effect, Input, Message, NewestCommand, Reply, ReplyTo, RoundInput,
    ScreenChange,
};
use taisai_rules::{Dice, Games, Money};
use taisai_table::{
    Actor, Chips, Cluster, ClusterCommand, CommandId, DeviceId, LimitRange, MachineId, Person, PersonId, Phase,
    Position, Refusal, Role, Roles, Round, RoundCommand, RoundNumber, Seat, Stake, TableLimits, TableRules, Verdict,
};

use crate::installation::{Installation, ROUND, TABLE, cluster};

pub(crate) const DEALER: PersonId = PersonId(1);

pub(crate) fn person(id: PersonId, role: Role) -> Person {
    Person { id, roles: Roles::of(&[role]) }
}

pub(crate) fn dealer() -> Actor {
    Actor::Person(person(DEALER, Role::Dealer))
}

pub(crate) fn supervisor() -> Actor {
    Actor::Person(person(PersonId(2), Role::PitSupervisor))
}

pub(crate) fn manager() -> Person {
    person(PersonId(5), Role::PitManager)
}

pub(crate) fn cashier() -> Actor {
    Actor::Person(person(PersonId(8), Role::Cashier))
}

pub(crate) const fn terminal(seat: Seat) -> Actor {
    Actor::Terminal { device: DeviceId(100 + seat.0), seat }
}

pub(crate) fn source(actor: Actor) -> u64 {
    match actor {
        Actor::Person(person) => 1_000 + u64::from(person.id.0),
        Actor::Terminal { device, .. } => 2_000 + u64::from(device.0),
        Actor::System | Actor::Tumbler(_) | Actor::NoteAcceptor { .. } | Actor::ChipReader(_) => 1,
    }
}

pub(crate) const fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

pub(crate) fn rules(game: &str, layout: &str) -> TableRules {
    let game = Games::embedded().find(game, None).unwrap().clone();
    TableRules::new(Arc::new(game), layout).unwrap()
}

pub(crate) fn place(seat: Seat, bet_box: &str, amount: i64) -> ClusterCommand {
    let stake = Stake { bet_box: bet_box.parse().unwrap(), amount: cents(amount) };
    ClusterCommand::Place { seat, chips: Chips::Own, stakes: [stake].into_iter().collect() }
}

pub(crate) const fn buy_in(seat: Seat, amount: i64) -> ClusterCommand {
    ClusterCommand::BuyIn { seat, amount: cents(amount), second: None }
}

pub(crate) fn dice(faces: [u8; 3]) -> Dice {
    faces.try_into().unwrap()
}

pub(crate) fn limits() -> TableLimits {
    let rest = Some(LimitRange { min: cents(100), max: cents(100_000_000) });
    TableLimits { unit: cents(100), boxes: Vec::new(), rest, differential: None }
}

pub(crate) fn correction(round: u64, faces: [u8; 3]) -> RoundCommand {
    let (round, dice, second) = (RoundNumber(round), dice(faces), Some(manager()));
    RoundCommand::Correct { round, dice, why: "the camera".to_owned(), second }
}

/// What a dealer does from the close to the result.
pub(crate) fn throw(faces: [u8; 3]) -> [RoundCommand; 3] {
    [RoundCommand::Activate, RoundCommand::Tumbled { times: 3 }, RoundCommand::Commit { dice: dice(faces) }]
}

/// What a supervisor does before the first round.
pub(crate) fn opening() -> [RoundCommand; 3] {
    [
        RoundCommand::OpenTable,
        RoundCommand::Relieve { position: Position::Dealer, person: Some(DEALER) },
        RoundCommand::ShowLimits { limits: limits(), why: "the first".to_owned() },
    ]
}

pub(crate) const fn accepted() -> Reply {
    Reply { verdict: Verdict::Accepted, is_repeated: false, event: None }
}

pub(crate) const fn refused(refusal: Refusal) -> Reply {
    Reply { verdict: Verdict::Refused(refusal), is_repeated: false, event: None }
}

impl Installation {
    pub(crate) fn round(&self) -> &Round {
        self.worker(self.node_of(ROUND).unwrap()).round().unwrap()
    }

    pub(crate) fn cluster(&self, number: u16) -> &Cluster {
        let node = self.node_of(MachineId::Cluster(cluster(number))).unwrap();
        self.worker(node).cluster_numbered(number).unwrap()
    }

    pub(crate) fn phase(&self) -> Phase {
        self.round().phase()
    }

    pub(crate) fn id(&mut self, source: u64) -> CommandId {
        self.house.next_id(source)
    }

    fn caller(&mut self) -> CallerId {
        self.count += 1;
        CallerId(self.count)
    }

    /// A command to the dealer's side, not sent yet.
    pub(crate) fn round_input(&mut self, actor: Actor, command: RoundCommand) -> (CallerId, Input) {
        let (id, caller) = (self.id(source(actor)), self.caller());
        (caller, Input::Round(RoundInput::Command { actor, id, command, reply: ReplyTo::Caller(caller) }))
    }

    /// A command to a players' side, not sent yet.
    pub(crate) fn cluster_input(&mut self, number: u16, actor: Actor, command: ClusterCommand) -> (CallerId, Input) {
        let (id, caller) = (self.id(source(actor)), self.caller());
        let input = ClusterInput::Command { actor, id, command, reply: ReplyTo::Caller(caller) };
        (caller, Input::Cluster(number, input))
    }

    /// The reply to a caller, if there was one.
    pub(crate) fn reply(&self, caller: CallerId) -> Option<Reply> {
        let mut replies = self.left.iter().filter_map(|(_, effect)| match effect {
            Effect::Reply(to, reply) if *to == caller => Some(reply.clone()),
            _ => None,
        });
        let reply = replies.next();
        assert_eq!(replies.next(), None, "a caller is answered once");
        reply
    }

    /// Sends a command to the dealer's side; the reply, unless the command waits.
    pub(crate) fn ask_round(&mut self, actor: Actor, command: RoundCommand) -> (CallerId, Option<Reply>) {
        let (caller, input) = self.round_input(actor, command);
        self.input(self.node_of(ROUND).unwrap(), input);
        (caller, self.reply(caller))
    }

    pub(crate) fn accept_round(&mut self, actor: Actor, command: RoundCommand) {
        let what = format!("{command:?}");
        let (_, reply) = self.ask_round(actor, command);
        assert_eq!(reply, Some(accepted()), "{what}");
    }

    pub(crate) fn ask_cluster(&mut self, number: u16, actor: Actor, command: ClusterCommand) -> Reply {
        let (caller, input) = self.cluster_input(number, actor, command);
        self.input(self.node_of(MachineId::Cluster(cluster(number))).unwrap(), input);
        self.reply(caller).unwrap()
    }

    pub(crate) fn accept_cluster(&mut self, number: u16, actor: Actor, command: ClusterCommand) {
        let what = format!("{command:?}");
        let reply = self.ask_cluster(number, actor, command);
        assert_eq!(reply, accepted(), "{what}");
    }

    pub(crate) fn open_table(&mut self) {
        for command in opening() {
            self.accept_round(supervisor(), command);
        }
    }

    pub(crate) fn open_bets(&mut self) {
        self.accept_round(dealer(), RoundCommand::OpenBets);
    }

    pub(crate) fn close_bets(&mut self) {
        self.accept_round(dealer(), RoundCommand::CloseBets);
    }

    pub(crate) fn throw(&mut self, faces: [u8; 3]) {
        for command in throw(faces) {
            self.accept_round(dealer(), command);
        }
    }

    /// A seat with credits, whose terminal is connected.
    pub(crate) fn seat(&mut self, number: u16, seat: Seat, amount: i64) {
        self.connect(number, seat, connection(number, seat));
        self.accept_cluster(number, cashier(), buy_in(seat, amount));
    }

    pub(crate) fn bet(&mut self, number: u16, seat: Seat, bet_box: &str, amount: i64) {
        self.accept_cluster(number, terminal(seat), place(seat, bet_box, amount));
    }

    /// A round with a bet of 5.00 on Big by a seat of the first cluster, which has credits.
    pub(crate) fn play_round(&mut self, seat: Seat, faces: [u8; 3]) {
        self.open_bets();
        self.bet(0, seat, "big", 500);
        self.close_bets();
        self.throw(faces);
    }

    pub(crate) fn connect(&mut self, number: u16, seat: Seat, connection: ConnectionId) {
        let counted = NewestCommand { source: source(terminal(seat)), sequence: 0 };
        let money = Box::default();
        let input = ClusterInput::Connect { seat, connection, counted, money };
        let node = self.node_of(MachineId::Cluster(cluster(number))).unwrap();
        self.input(node, Input::Cluster(number, input));
    }
}

/// The connection of a seat's terminal, the first time.
pub(crate) fn connection(number: u16, seat: Seat) -> ConnectionId {
    ConnectionId(u64::from(number) * 1_000 + u64::from(seat.0))
}

/// The changes among what has left.
pub(crate) fn changes(left: Vec<Effect>) -> Vec<ScreenChange> {
    let changes = left.into_iter().filter_map(|effect| match effect {
        Effect::Publish(change) => Some(change),
        _ => None,
    });
    changes.collect()
}

/// JSON of what is published, whose fields are the screens' business.
pub(crate) fn json(view: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(view).unwrap()
}

/// The numbers of notices to a cluster.
pub(crate) fn notices(messages: &[Message], number: u16) -> Vec<u64> {
    let of = messages.iter().filter_map(|message| match message {
        Message::Notice { cluster: to, number: notice, .. } if *to == cluster(number) => Some(*notice),
        _ => None,
    });
    of.collect()
}

/// Only what is no view.
pub(crate) fn without_views(messages: Vec<Message>) -> Vec<Message> {
    messages.into_iter().filter(|message| !message.is_view()).collect()
}

/// Which cluster a notice is for.
pub(crate) const fn is_of(message: &Message, number: u16) -> bool {
    matches!(message.to(), MachineId::Cluster(of) if of.number == number && of.table.0 == TABLE.0)
}

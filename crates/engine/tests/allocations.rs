//! A bet allocates nothing on its way through the engine: buffers, views and replies are used again. This is a test binary of its
//! own, because the allocator that counts is that of a whole process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::alloc::System;
use std::sync::Arc;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use taisai_engine::{
    BatchNumber, ClusterInput, ClusterPartition, ConnectionId, Effect, Effects, Input, NewestCommand, Outbox, ReplyTo,
    RoundInput, RoundPartition, ScreenChange, Worker,
};
use taisai_rules::{Games, Money};
use taisai_table::{
    Actor, Chips, Cluster, ClusterCommand, ClusterId, CommandId, DeviceId, LimitRange, Person, PersonId, Position,
    Profile, Role, Roles, Round, RoundCommand, Seat, Stake, TableId, TableLimits, TableRules, Time, Verdict,
};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TABLE: TableId = TableId(1);
const SEATS: u32 = 64;

/// A table on one worker with its host, which uses everything again.
struct Table {
    worker: Worker,
    effects: Effects,
    outbox: Outbox<Vec<Effect>>,
    batch: BatchNumber,
    /// A list of effects that is not waiting.
    spare: Vec<Effect>,
    now: u64,
    sequence: u64,
    /// Replies that were shown to terminals, and how many of them said that a bet was accepted.
    replies: usize,
    accepted: usize,
}

impl Table {
    /// A table open for bets, whose seats are connected and have credits.
    fn new() -> Self {
        let game = Arc::new(Games::embedded().find("sic-bo-etg", None).unwrap().clone());
        let (rules, profile) = (TableRules::new(game, "B").unwrap(), Profile::singapore());
        let round = Round::new(TABLE, rules.clone(), profile.clone(), false, 1);
        let id = ClusterId { table: TABLE, number: 0 };
        let cluster = Cluster::new(id, rules, profile.clone(), SEATS + 1);
        let round = RoundPartition::new(round, &profile, 1_001);
        let mut table = Self {
            worker: Worker::table(round, vec![ClusterPartition::new(cluster, 1_002)]),
            effects: Effects::default(),
            outbox: Outbox::default(),
            batch: BatchNumber::default(),
            spare: Vec::new(),
            now: 1_704_110_400_000,
            sequence: 0,
            replies: 0,
            accepted: 0,
        };
        table.worker.start(Time(table.now), &mut table.effects).unwrap();
        table.end();
        table.open();
        table
    }

    fn open(&mut self) {
        let cents = Money::from_cents;
        let rest = Some(LimitRange { min: cents(100), max: cents(100_000_000) });
        let limits = TableLimits { unit: cents(100), boxes: Vec::new(), rest, differential: None };
        let person = |id, role| Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[role]) });
        let (supervisor, dealer) = (person(2, Role::PitSupervisor), person(1, Role::Dealer));
        for (actor, command) in [
            (supervisor, RoundCommand::OpenTable),
            (supervisor, RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) }),
            (supervisor, RoundCommand::ShowLimits { limits, why: "the first".to_owned() }),
            (dealer, RoundCommand::OpenBets),
        ] {
            let id = self.id(1);
            let input = RoundInput::Command { actor, id, command, reply: ReplyTo::Nobody };
            self.worker.handle(Time(self.now), Input::Round(input), &mut self.effects).unwrap();
            self.end();
        }
        for seat in (1..=SEATS).map(Seat) {
            let (connection, counted) = (ConnectionId(seat.0.into()), NewestCommand { source: 1, sequence: 0 });
            self.handle(ClusterInput::Connect { seat, connection, counted, money: Box::default() });
            let command = ClusterCommand::BuyIn { seat, amount: cents(1_000_000), second: None };
            let (actor, id, reply) = (person(8, Role::Cashier), self.id(1), ReplyTo::Nobody);
            self.handle(ClusterInput::Command { actor, id, command, reply });
            self.end();
        }
    }

    fn id(&mut self, source: u64) -> CommandId {
        self.sequence += 1;
        CommandId { source, sequence: self.sequence }
    }

    fn handle(&mut self, input: ClusterInput) {
        self.worker.handle(Time(self.now), Input::Cluster(0, input), &mut self.effects).unwrap();
    }

    fn command(&mut self, seat: Seat, command: ClusterCommand) {
        let id = self.id(2_000 + u64::from(seat.0));
        let actor = Actor::Terminal { device: DeviceId(seat.0), seat };
        self.handle(ClusterInput::Command { actor, id, command, reply: ReplyTo::Seat(id.sequence) });
    }

    /// What a host does with a batch: the appends are copied to its writer, and what is held leaves when they are durable.
    fn end(&mut self) {
        self.now += 1;
        self.worker.end_batch(Time(self.now), &mut self.effects).unwrap();
        self.effects.appended();
        self.batch.0 += 1;
        let held = std::mem::replace(&mut self.effects.held, std::mem::take(&mut self.spare));
        self.outbox.hold(self.batch, held);
        while let Some(mut held) = self.outbox.release(self.batch, true) {
            for effect in held.drain(..) {
                if let Effect::Publish(ScreenChange::Seat(change)) = &effect {
                    let is_accepted = |verdict: &Verdict| *verdict == Verdict::Accepted;
                    self.replies += change.replies.len();
                    self.accepted += change.replies.iter().filter(|(_, reply)| is_accepted(&reply.verdict)).count();
                }
                self.effects.left(effect);
            }
            self.spare = held;
        }
    }

    /// So many batches, each with a bet of each of so many seats; the next batch takes the bets back, so that none grows.
    fn play(&mut self, batches: u32, seats: u32) {
        let stake = Stake { bet_box: "big".parse().unwrap(), amount: Money::from_cents(500) };
        for batch in 0..batches {
            for seat in (1..=seats).map(Seat) {
                let stakes = [stake].into_iter().collect();
                let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes };
                self.command(seat, if batch % 2 == 0 { place } else { ClusterCommand::Clear { seat } });
            }
            self.end();
        }
    }
}

/// One test: others would be counted with it.
#[test]
fn a_bet_allocates_nothing_on_its_way_through() {
    let mut table = Table::new();
    for (seats, batches) in [(1, 2_000), (SEATS, 200)] {
        table.play(10, seats);
        (table.replies, table.accepted) = (0, 0);
        let region = Region::new(ALLOCATOR);
        table.play(batches, seats);
        let counted = region.change();
        let commands = usize::try_from(seats * batches).unwrap();
        assert_eq!((table.replies, table.accepted), (commands, commands), "every terminal has its reply");
        assert_eq!((counted.allocations, counted.reallocations), (0, 0), "{seats} bets a batch: {counted:?}");
    }
}

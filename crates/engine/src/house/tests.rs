//! The House as a partition of its own worker, in virtual time.

use std::num::NonZeroU16;

use taisai_rules::Money;
use taisai_table::{
    Act, ClusterId, DeviceId, Founder, Person, PersonId, Profile, Role, Roles, Seat, SessionId, SignificantEventKind,
    TableId, TransferPurpose, Verdict, VoucherNumber,
};

use super::*;
use crate::effect::Effect;
use crate::worker::{Input, Worker};

const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };
const SEAT: Seat = Seat(2);
const HASH: VoucherHash = VoucherHash([7; 32]);
const CALLER: CallerId = CallerId(5);
const SCREEN: ConnectionId = ConnectionId(6);
const SOURCE: u64 = 1_000;

/// A House with a table, an administrator and a supervisor.
struct Fixture {
    worker: Worker,
    now: u64,
    effects: Effects,
}

impl Fixture {
    fn new() -> Self {
        let partition = HousePartition::new(House::new(Profile::singapore(), false), SOURCE);
        let mut fixture = Self { worker: Worker::house(partition), now: 1_000_000, effects: Effects::default() };
        fixture.worker.start(Time(fixture.now), &mut fixture.effects).unwrap();
        assert_eq!(fixture.worker.next_timer(), Some(Time(fixture.now)), "the first tick is due at once");
        let founder = |person, role| Founder { person, name: format!("{role:?}"), roles: Roles::of(&[role]) };
        let people = vec![founder(PersonId(1), Role::Administrator), founder(PersonId(2), Role::PitSupervisor)];
        let table = TableId(1);
        fixture.accept(HouseCommand::AddTable { table, clusters: NonZeroU16::MIN, training: false, second: None });
        fixture.accept(HouseCommand::Found { people });
        fixture
    }

    fn house(&self) -> &House {
        self.worker.the_house().unwrap()
    }

    fn input(&mut self, input: Input) -> Vec<Effect> {
        self.worker.handle(Time(self.now), input, &mut self.effects).unwrap();
        self.end_batch()
    }

    fn house_input(&mut self, input: HouseInput) -> Vec<Effect> {
        self.input(Input::House(input))
    }

    /// Receives a message, and returns what is sent.
    fn message(&mut self, message: Message) -> Vec<Message> {
        sent(self.input(Input::Message(message)))
    }

    fn end_batch(&mut self) -> Vec<Effect> {
        self.worker.end_batch(Time(self.now), &mut self.effects).unwrap();
        self.effects.appended();
        std::mem::take(&mut self.effects.held)
    }

    /// Lets time pass until a timer, up to a limit.
    fn advance(&mut self, millis: u64) -> Vec<Effect> {
        let end = self.now + millis;
        let mut effects = Vec::new();
        while let Some(Time(at)) = self.worker.next_timer().filter(|at| at.0 <= end) {
            self.now = self.now.max(at);
            effects.extend(self.end_batch());
        }
        self.now = end;
        effects
    }

    fn own(&mut self, command: HouseCommand) -> Vec<Effect> {
        self.house_input(HouseInput::Own { command, reply: ReplyTo::Caller(CALLER) })
    }

    fn accept(&mut self, command: HouseCommand) {
        let effects = self.own(command);
        let is_accepted = |effect: &Effect| matches!(effect, Effect::Reply(CALLER, reply) if reply.event.is_some());
        assert!(effects.iter().any(is_accepted), "{effects:?}");
    }

    fn report(&mut self) {
        self.accept(HouseCommand::Report { what: ReportedEvent::StoreProblem });
    }

    fn reports(&self) -> Vec<ReportedEvent> {
        let reports = self.house().significant().filter_map(|event| match event.what {
            SignificantEventKind::Reported(what) => Some(what),
            _ => None,
        });
        reports.collect()
    }

    fn subscribe(&mut self, topic: Topic) -> (Vec<ListName>, Effect) {
        let mut effects = self.house_input(HouseInput::Subscribe { topic, connection: SCREEN, source: SOURCE });
        let last = effects.pop().unwrap();
        (published(&effects), last)
    }

    fn watch(&mut self, topics: &[Topic]) {
        assert_eq!(self.house_input(HouseInput::Watched { topics: topics.to_vec() }), []);
    }

    /// A player's credits become a voucher, and the voucher credits of the same seat again.
    fn send_credits(&mut self) {
        self.message(Message::ToHouse { cluster: CLUSTER, transfer: cash_out(1) });
        self.accept(HouseCommand::RedeemAtSeat { hash: HASH, cluster: CLUSTER, seat: SEAT });
    }
}

fn cash_out(number: u64) -> Transfer {
    let voucher = VoucherNumber { hash: HASH, digits: 7 };
    let purpose = TransferPurpose::Voucher { seat: SEAT, session: SessionId(1), number: voucher };
    Transfer { number, amount: Money::from_cents(5_000), purpose }
}

fn published(effects: &[Effect]) -> Vec<ListName> {
    let lists = effects.iter().filter_map(|effect| match effect {
        Effect::Publish(ScreenChange::House(list)) => Some(list.name()),
        _ => None,
    });
    lists.collect()
}

fn sent(effects: Vec<Effect>) -> Vec<Message> {
    let messages = effects.into_iter().filter_map(|effect| match effect {
        Effect::Send(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

fn transfers(effects: Vec<Effect>) -> Vec<u64> {
    let transfers = sent(effects).into_iter().filter_map(|message| match message {
        Message::ToCluster { cluster: CLUSTER, transfer } => Some(transfer.number),
        _ => None,
    });
    transfers.collect()
}

fn seat_monies(effects: Vec<Effect>) -> usize {
    sent(effects).iter().filter(|message| matches!(message, Message::SeatMoney { seat: SEAT, .. })).count()
}

#[test]
fn replies_give_the_outcome_of_a_command() {
    let mut fixture = Fixture::new();
    let person = |id, role| Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[role]) });
    let supervisor = person(2, Role::PitSupervisor);
    let id = CommandId { source: 9, sequence: 1 };
    let request = |actor, id| HouseInput::Command {
        actor,
        id,
        command: HouseCommand::RequestApproval { act: Act::Correct, what: "{}".to_owned() },
        reply: ReplyTo::Caller(CALLER),
    };
    let reply = |effects: Vec<Effect>| match effects.into_iter().next() {
        Some(Effect::Reply(CALLER, reply)) => reply,
        other => panic!("{other:?}"),
    };
    let first = reply(fixture.house_input(request(supervisor, id)));
    assert!(matches!(first.event.as_deref(), Some(HouseEvent::ApprovalRequested { .. })), "{first:?}");
    let again = reply(fixture.house_input(request(supervisor, id)));
    assert_eq!(again, Reply { verdict: Verdict::Accepted, is_repeated: true, event: None });
    let other = CommandId { source: 9, sequence: 2 };
    let refused = reply(fixture.house_input(request(person(3, Role::Dealer), other)));
    assert_eq!((refused.is_repeated, refused.event), (false, None));
    let Verdict::Refused(refusal) = refused.verdict else { panic!("a stranger is refused") };
    assert_eq!(fixture.effects.counts.refusals, [refusal]);
    assert_eq!(own_approvals(fixture.house(), PersonId(2)).len(), 1);
}

/// The cage has no events: that list is made when the pit subscribes, and published from then on.
#[test]
fn lists_are_published_to_those_who_watch_them() {
    let mut fixture = Fixture::new();
    let (lists, subscribed) = fixture.subscribe(Topic::Cage);
    assert!(lists.contains(&ListName::People) && !lists.contains(&ListName::Events), "{lists:?}");
    let counted = Some(NewestCommand { source: SOURCE, sequence: fixture.house().newest(SOURCE) });
    assert!(counted.is_some_and(|counted| counted.sequence > 0));
    let (topics, time) = (vec![Topic::Cage], Time(fixture.now));
    assert_eq!(subscribed, Effect::Publish(ScreenChange::Subscribed { connection: SCREEN, topics, time, counted }));
    fixture.watch(&[Topic::Cage]);
    fixture.report();
    assert_eq!(published(&fixture.advance(1_000)), [], "no list of the cage has changed");
    let (lists, _) = fixture.subscribe(Topic::Pit);
    assert_eq!(lists, [ListName::Events, ListName::Devices, ListName::Tables], "the pit's other lists are up to date");
    fixture.watch(&[Topic::Cage, Topic::Pit]);
    fixture.report();
    assert_eq!(published(&fixture.advance(1_000)), [ListName::Events]);
    fixture.watch(&[]);
    fixture.report();
    assert_eq!(published(&fixture.advance(1_000)), [], "nobody watches");
    fixture.watch(&[Topic::Audit]);
    assert_eq!(published(&fixture.advance(1_000)), [ListName::Events], "it was missed meanwhile");
}

#[test]
fn changes_within_a_tenth_of_a_second_are_published_together() {
    let mut fixture = Fixture::new();
    fixture.subscribe(Topic::Pit);
    fixture.watch(&[Topic::Pit]);
    for _ in 0..3 {
        fixture.report();
        assert_eq!(published(&fixture.advance(30)), []);
    }
    let effects = fixture.advance(10);
    let [Effect::Publish(ScreenChange::House(HouseList::Events(events)))] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(events.len(), fixture.house().significant().count(), "the list is whole");
    assert_eq!(published(&fixture.advance(1_000)), [], "once");
}

#[test]
fn transfers_are_sent_every_second_until_the_cluster_holds_them() {
    let mut fixture = Fixture::new();
    fixture.message(Message::ToHouse { cluster: CLUSTER, transfer: cash_out(1) });
    fixture.advance(5_000);
    let redeem = HouseCommand::RedeemAtSeat { hash: HASH, cluster: CLUSTER, seat: SEAT };
    assert_eq!(transfers(fixture.own(redeem)), [1]);
    assert!(transfers(fixture.own(HouseCommand::Tick)).is_empty(), "not with every batch");
    assert!(transfers(fixture.advance(999)).is_empty());
    assert_eq!(transfers(fixture.advance(1)), [1]);
    assert_eq!(transfers(fixture.advance(3_000)), [1, 1, 1]);
    fixture.message(Message::ClusterHolds { cluster: CLUSTER, number: 2 });
    assert_eq!(transfers(fixture.advance(1_000)), [1], "it holds another");
    fixture.message(Message::ClusterHolds { cluster: CLUSTER, number: 1 });
    let before = fixture.house().clone();
    fixture.message(Message::ClusterHolds { cluster: CLUSTER, number: 1 });
    assert_eq!(*fixture.house(), before, "the second acknowledgement is not recorded");
    assert!(transfers(fixture.advance(10_000)).is_empty());
}

#[test]
fn a_restarted_house_sends_what_clusters_may_not_hold() {
    let mut fixture = Fixture::new();
    fixture.send_credits();
    let partition = HousePartition::new(fixture.house().clone(), SOURCE + 1);
    fixture.worker = Worker::house(partition);
    fixture.worker.start(Time(fixture.now), &mut fixture.effects).unwrap();
    assert_eq!(transfers(fixture.advance(0)), [1]);
}

#[test]
fn the_money_of_a_seat_is_sent_four_times() {
    let mut fixture = Fixture::new();
    let effects = fixture.input(Input::Message(Message::ToHouse { cluster: CLUSTER, transfer: cash_out(1) }));
    assert_eq!(seat_monies(effects), 1);
    assert_eq!(seat_monies(fixture.advance(1_000)), 1);
    assert_eq!(seat_monies(fixture.advance(10_000)), 2);
}

#[test]
fn a_transfer_is_acknowledged_only_once_it_is_recorded() {
    let mut fixture = Fixture::new();
    let to_house = |number| Message::ToHouse { cluster: CLUSTER, transfer: cash_out(number) };
    let holds = |number| Message::HouseHolds { cluster: CLUSTER, number };
    let acknowledged = |messages: Vec<Message>| -> Vec<Message> {
        messages.into_iter().filter(|message| matches!(message, Message::HouseHolds { .. })).collect()
    };
    let before = fixture.house().clone();
    assert_eq!(acknowledged(fixture.message(to_house(2))), [], "the first is on its way");
    assert_eq!(*fixture.house(), before, "no refusal is recorded for each message that overtakes another");
    assert_eq!(acknowledged(fixture.message(to_house(1))), [holds(1)]);
    assert_eq!(acknowledged(fixture.message(to_house(2))), [holds(2)]);
    let before = fixture.house().clone();
    assert_eq!(acknowledged(fixture.message(to_house(1))), [holds(1)], "the acknowledgement was lost");
    assert_eq!(*fixture.house(), before, "it is not taken twice");
}

#[test]
fn a_caller_is_sent_the_voucher_it_waits_for() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.house_input(HouseInput::AwaitVoucher { hash: HASH, caller: CALLER }), []);
    let effects = fixture.input(Input::Message(Message::ToHouse { cluster: CLUSTER, transfer: cash_out(1) }));
    let voucher = VoucherFate::Voucher(*fixture.house().voucher(HASH).unwrap());
    assert!(effects.contains(&Effect::Voucher(CALLER, voucher)), "{effects:?}");
}

/// A report of a table, and the reply that the House holds it.
fn report(sequence: u64, what: ReportedEvent) -> (Message, Message) {
    let (from, id) = (MachineId::Round(TableId(1)), CommandId { source: 77, sequence });
    let is_first = sequence == 1;
    (Message::Report { from, id, is_first, what }, Message::ReportHeld { to: from, id })
}

#[test]
fn a_report_that_arrives_twice_is_recorded_once() {
    let mut fixture = Fixture::new();
    for _ in 0..2 {
        let (message, held) = report(1, ReportedEvent::StoreProblem);
        assert_eq!(fixture.message(message), [held]);
        assert_eq!(fixture.reports(), [ReportedEvent::StoreProblem]);
    }
}

#[test]
fn reports_are_recorded_in_order_and_once() {
    let mut fixture = Fixture::new();
    let of = |sequence: u16| ReportedEvent::LimitChange { table: TableId(sequence) };
    for (sequence, is_taken) in
        [(1, true), (3, false), (2, true), (3, true), (1, true), (2, true), (5, false), (4, true)]
    {
        let (message, held) = report(sequence.into(), of(sequence));
        let replies = fixture.message(message);
        assert_eq!(replies.contains(&held), is_taken, "{sequence}");
    }
    assert_eq!(fixture.reports(), [of(1), of(2), of(3), of(4)]);
}

#[test]
fn the_state_is_checked_and_vouched_for_every_minute() {
    let mut fixture = Fixture::new();
    assert_eq!(std::mem::take(&mut fixture.effects.checkpoints), [MachineId::House], "with the first tick");
    fixture.advance(59_999);
    assert_eq!(fixture.effects.checkpoints, []);
    fixture.effects.counts.are_sound = None;
    fixture.advance(1);
    assert_eq!(std::mem::take(&mut fixture.effects.checkpoints), [MachineId::House]);
    assert_eq!(fixture.effects.counts.are_sound, Some(true));
    fixture.house_input(HouseInput::Checkpoint);
    assert_eq!(fixture.effects.checkpoints, [MachineId::House]);
}

/// A House whose ledger is off, as a fault of the memory or of the program may leave it.
fn unbalanced(house: &House) -> House {
    let bytes = house.snapshot();
    let tampered = (0..bytes.len()).find_map(|place| {
        let mut bytes = bytes.clone();
        bytes[place] ^= 2;
        House::restore(&bytes).ok().filter(|house| house.ledger_sums_to_zero().is_err())
    });
    tampered.expect("some byte is of a balance")
}

/// Long before the next tick.
#[test]
fn a_ledger_that_is_off_stops_the_house_after_some_commands() {
    let mut fixture = Fixture::new();
    fixture.send_credits();
    let mut house = HousePartition::new(unbalanced(fixture.house()), SOURCE + 1);
    house.tick_at = Time(fixture.now + 60_000);
    fixture.worker = Worker::house(house);
    fixture.effects = Effects::default();
    let now = Time(fixture.now);
    let stopped = (1..=LEDGER_CHECK_INTERVAL).find_map(|count| {
        let command = HouseCommand::CopiedToken { device: DeviceId(9) };
        let input = Input::House(HouseInput::Own { command, reply: ReplyTo::Nobody });
        fixture.worker.handle(now, input, &mut fixture.effects).unwrap();
        let ended = fixture.worker.end_batch(now, &mut fixture.effects);
        ended.err().map(|stop| (count, stop))
    });
    let Some((LEDGER_CHECK_INTERVAL, WorkerStop::Broken { of: MachineId::House, broken })) = stopped else {
        panic!("it goes on with wrong money: {stopped:?}")
    };
    assert_eq!((broken.name, fixture.effects.counts.are_sound), ("ledger-sums-to-zero", Some(false)));
}

#[test]
fn a_decision_is_appended_with_its_batch() {
    let mut fixture = Fixture::new();
    let command = HouseCommand::CopiedToken { device: DeviceId(9) };
    let input = Input::House(HouseInput::Own { command, reply: ReplyTo::Nobody });
    fixture.worker.handle(Time(fixture.now), input, &mut fixture.effects).unwrap();
    fixture.worker.end_batch(Time(fixture.now), &mut fixture.effects).unwrap();
    let [append] = &fixture.effects.appends[..] else { panic!("{:?}", fixture.effects.appends) };
    assert_eq!((append.partition, append.entries.iter().count()), (MachineId::House, 1));
    assert_eq!(fixture.effects.held, []);
}

//! A casino of one table on a store: its three machines record, and their messages are delivered.

use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use taisai_journal::{ChainName, ChainPurpose, Journal};
use taisai_record::{
    MachineSetup, Program, RecordFiles, RecordStore, RecordStoreError, RecordedMachine, Recorder, RecordingStopped,
    kept_slip,
};
use taisai_rules::{Dice, Money, Station};
use taisai_table::{
    Actor, Chips, Cluster, ClusterCommand, ClusterId, CommandId, CommandRequest, Decision, DeviceId, House,
    HouseCommand, Notice, Person, PersonId, Phase, Position, Profile, Registration, Role, Roles, Round, RoundCommand,
    RoundNumber, Ruling, Seat, Stake, TableId, TableLimits, Time,
};

pub(crate) const TABLE: TableId = TableId(1);
pub(crate) const CLUSTER: ClusterId = ClusterId { table: TABLE, number: 0 };
pub(crate) const SEATS: u32 = 4;
const HOUSE: [u8; 16] = [7; 16];

pub(crate) fn program() -> Program {
    Program { version: "0.1.0".to_owned(), hash: [1; 32] }
}

/// The files beside a store, in a folder of their own.
pub(crate) fn files(folder: &Path) -> RecordFiles {
    RecordFiles { key_file: folder.join("house.key"), anchor: Some(folder.join("anchor.txt")), trusted: Vec::new() }
}

pub(crate) fn chain(name: &str) -> ChainName {
    name.parse().expect("a name")
}

/// A casino whose machines record.
pub(crate) struct TestCasino {
    pub(crate) record_store: RecordStore,
    pub(crate) house: Recorder<House>,
    pub(crate) round: Recorder<Round>,
    pub(crate) cluster: Recorder<Cluster>,
    pub(crate) warnings: Arc<Mutex<Vec<String>>>,
    /// Why nothing is recorded any more.
    pub(crate) stopped: Option<RecordingStopped>,
    pub(crate) time: u64,
    /// The number of the next command. It rises with each opening of the record, as the House is opened first.
    pub(crate) sequence: u64,
}

/// The command source of an actor.
pub(crate) fn source_of(actor: Actor) -> u64 {
    match actor {
        Actor::System => 0,
        Actor::Person(person) => u64::from(person.id.0),
        Actor::Terminal { device, .. }
        | Actor::Tumbler(device)
        | Actor::NoteAcceptor { device, .. }
        | Actor::ChipReader(device) => 1_000 + u64::from(device.0),
    }
}

impl TestCasino {
    pub(crate) fn open(journal: Box<dyn Journal>, folder: &Path, game: &str) -> Result<Self, RecordStoreError> {
        Self::with_seats(journal, folder, game, SEATS)
    }

    pub(crate) fn with_seats(
        journal: Box<dyn Journal>,
        folder: &Path,
        game: &str,
        seats: u32,
    ) -> Result<Self, RecordStoreError> {
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let gathered = Arc::clone(&warnings);
        let warn =
            Arc::new(move |warning: taisai_record::RecordWarning| gathered.lock().unwrap().push(warning.to_string()));
        let mut record_store =
            RecordStore::in_journal(journal, &files(folder), program(), HOUSE, ChainPurpose::Real, warn)?;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).with_extension("toml");
        let (text, layout) = (std::fs::read_to_string(file).unwrap(), "A".to_owned());
        let profile = Profile::singapore();
        let time = Time(1_800_000_000_000);
        let house = record_store.read::<House>(MachineSetup::House { is_training: false }, &profile, time)?;
        let setup = MachineSetup::Round {
            table: TABLE,
            game: text.clone(),
            layout: layout.clone(),
            registration: Registration::EveryBet,
            is_training: false,
            clusters: 1,
        };
        let round = record_store.read::<Round>(setup, &profile, time)?;
        let setup =
            MachineSetup::Cluster { cluster: CLUSTER, game: text, layout, registration: Registration::EveryBet, seats };
        let cluster = record_store.read::<Cluster>(setup, &profile, time)?;
        // All chains are read before any is written.
        let (house, round, cluster) =
            (record_store.take(house)?, record_store.take(round)?, record_store.take(cluster)?);
        let openings = record_store.archive().heads()?.iter().map(|head| head.epoch).max().unwrap_or(1) - 1;
        let sequence = 1_000_000 * openings;
        let time = time.0 + 10 * sequence;
        let mut casino = Self { record_store, house, round, cluster, warnings, stopped: None, time, sequence };
        if casino.round.machine().number() == RoundNumber(0) {
            casino.begin();
        }
        Ok(casino)
    }

    /// Opens the table, unless it is open.
    fn begin(&mut self) {
        let clusters = std::num::NonZeroU16::MIN;
        if self.house.machine().tables().next().is_none() {
            self.house(Actor::System, HouseCommand::AddTable { table: TABLE, clusters, training: false, second: None });
        }
        if self.round.machine().phase() == Phase::Shut {
            self.round(supervisor(), RoundCommand::OpenTable);
        }
        self.exchange();
        if self.round.machine().holder(Position::Dealer).is_none() {
            let dealer = RoundCommand::Relieve { position: Position::Dealer, person: Some(PersonId(1)) };
            self.round(supervisor(), dealer);
        }
        if self.round.machine().limits().is_none() {
            let limits =
                TableLimits { unit: Money::from_cents(100), boxes: Vec::new(), rest: None, differential: None };
            let limits = limits.widest(self.round.machine().rules().layout());
            self.round(supervisor(), RoundCommand::ShowLimits { limits, why: "they are the first".to_owned() });
        }
    }

    pub(crate) fn request<C>(&mut self, actor: Actor, command: C) -> CommandRequest<C> {
        self.sequence += 1;
        self.time += 10;
        let source = source_of(actor);
        CommandRequest { time: Time(self.time), actor, id: CommandId { source, sequence: self.sequence }, command }
    }

    pub(crate) fn house(&mut self, actor: Actor, command: HouseCommand) {
        let request = self.request(actor, command);
        accepted(&self.house.ask(request));
    }

    pub(crate) fn round(&mut self, actor: Actor, command: RoundCommand) {
        let request = self.request(actor, command);
        accepted(&self.round.ask(request));
        self.exchange();
    }

    pub(crate) fn cluster(&mut self, actor: Actor, command: ClusterCommand) -> bool {
        let request = self.request(actor, command);
        let is_accepted = matches!(self.cluster.ask(request), Decision::Accepted(_));
        self.exchange();
        is_accepted
    }

    /// Sends a command that must be refused.
    pub(crate) fn house_refuses(&mut self, actor: Actor, command: HouseCommand) {
        let request = self.request(actor, command);
        assert!(matches!(self.house.ask(request), Decision::Refused(_)));
    }

    /// Advances the time.
    pub(crate) fn wait(&mut self, millis: u64) {
        self.time += millis;
    }

    /// Delivers credits from the House to their seats.
    pub(crate) fn deliver(&mut self) {
        let sent: Vec<_> = self.house.machine().outbox(CLUSTER).copied().collect();
        for transfer in sent {
            hand_over(&mut self.house, &mut self.stopped);
            assert!(self.cluster(Actor::System, ClusterCommand::Receive { transfer }));
            self.house(Actor::System, HouseCommand::Delivered { cluster: CLUSTER, number: transfer.number });
        }
    }

    /// Delivers notices, with slips read from the record, and reports.
    /// A machine hands its entries to the writer before another machine depends on them: the writer keeps the order.
    pub(crate) fn exchange(&mut self) {
        loop {
            hand_over(&mut self.round, &mut self.stopped);
            let followed = self.cluster.machine().followed();
            let next = self.round.machine().notices(CLUSTER).find(|(number, _)| *number > followed);
            if let Some((number, notice)) = next.map(|(number, notice)| (number, notice.clone())) {
                let is_settled = matches!(notice, Notice::Result { .. } | Notice::Voided { .. });
                let slip = self.slip_for(&notice);
                let request = self.request(Actor::System, ClusterCommand::Follow { number, notice, slip });
                accepted(&self.cluster.ask(request));
                hand_over(&mut self.cluster, &mut self.stopped);
                if is_settled {
                    self.checkpoint();
                }
                continue;
            }
            let (_, colour_chips, is_registered) = self.cluster.machine().reports();
            if self.round.machine().reported(CLUSTER) == Some((followed, colour_chips, is_registered)) {
                break;
            }
            let report = RoundCommand::Report { cluster: CLUSTER, followed, colour_chips, is_registered };
            let request = self.request(Actor::System, report);
            accepted(&self.round.ask(request));
        }
        loop {
            let next = self.cluster.machine().outbox().next().copied();
            let Some(transfer) = next else { break };
            hand_over(&mut self.cluster, &mut self.stopped);
            if self.house.machine().received(CLUSTER) < transfer.number {
                self.house(Actor::System, HouseCommand::Receive { cluster: CLUSTER, transfer });
                hand_over(&mut self.house, &mut self.stopped);
            }
            let request = self.request(Actor::System, ClusterCommand::Delivered { number: transfer.number });
            accepted(&self.cluster.ask(request));
        }
    }

    fn slip_for(&mut self, notice: &Notice) -> Option<taisai_table::Slip> {
        let (Notice::Corrected { round, .. } | Notice::Voided { round, .. }) = notice else { return None };
        self.commit();
        let digest = self.cluster.machine().slip_digest(*round)?;
        kept_slip(self.record_store.archive(), &chain("table-1-0"), *round, digest).unwrap()
    }

    pub(crate) fn checkpoint(&mut self) {
        let time = Time(self.time);
        let house = self.house.checkpoint(time);
        let made = house.and_then(|()| self.round.checkpoint(time)).and_then(|()| self.cluster.checkpoint(time));
        self.stopped = self.stopped.take().or(made.err());
    }

    /// Waits until every command so far is durable.
    pub(crate) fn commit(&mut self) {
        self.try_commit().unwrap();
    }

    /// Waits until every command so far is durable, or will never be acknowledged.
    pub(crate) fn try_commit(&mut self) -> Result<(), RecordingStopped> {
        self.submit()?.into_iter().collect()
    }

    /// Submits every command so far. The receivers report when each is durable.
    pub(crate) fn submit(&mut self) -> Result<mpsc::Receiver<Result<(), RecordingStopped>>, RecordingStopped> {
        let (answer, answers) = mpsc::channel();
        let done = || {
            let answer = answer.clone();
            move |result: Result<(), RecordingStopped>| answer.send(result).unwrap_or_default()
        };
        self.house.commit(done())?;
        self.round.commit(done())?;
        self.cluster.commit(done())?;
        Ok(answers)
    }

    /// Gives a seat credits, and places a bet of some units on a box.
    pub(crate) fn bet(&mut self, seat: u32, bet_box: &str, cents: i64) {
        let seat = Seat(seat);
        let stakes = [Stake { bet_box: bet_box.parse().unwrap(), amount: Money::from_cents(cents) }];
        let is_live = self.cluster.machine().rules().game().station() == Station::LiveTable;
        let actor = if is_live { dealer() } else { Actor::Terminal { device: DeviceId(seat.0), seat } };
        if !is_live && self.cluster.machine().credits(seat) < Money::from_cents(cents) {
            let buy = ClusterCommand::BuyIn { seat, amount: Money::from_cents(100_000), second: None };
            assert!(self.cluster(person(8, Role::Cashier), buy));
        }
        let place = ClusterCommand::Place { seat, chips: Chips::Own, stakes: stakes.into_iter().collect() };
        assert!(self.cluster(actor, place), "seat {seat:?} bets {cents} on {bet_box}");
    }

    pub(crate) fn open_bets(&mut self) {
        self.round(dealer(), RoundCommand::OpenBets);
    }

    pub(crate) fn deal(&mut self, dice: [u8; 3]) {
        let dice = Dice::try_from(dice).unwrap();
        self.round(dealer(), RoundCommand::CloseBets);
        self.round(dealer(), RoundCommand::Activate);
        self.round(dealer(), RoundCommand::Tumbled { times: 3 });
        self.round(dealer(), RoundCommand::Commit { dice });
    }

    /// Plays some rounds with bets of every seat.
    pub(crate) fn play(&mut self, rounds: u64) {
        for number in 0..rounds {
            self.open_bets();
            for seat in 0..SEATS {
                let bet_box =
                    ["small", "big", "any-triple", "sum:9"][usize::try_from((number + u64::from(seat)) % 4).unwrap()];
                self.bet(seat, bet_box, 100 * i64::from(seat + 1));
            }
            let face = |place: u64| u8::try_from((number * (place + 1) + place) % 6 + 1).unwrap();
            self.deal([face(1), face(2), face(3)]);
        }
    }

    pub(crate) fn correct(&mut self, round: u64, dice: [u8; 3]) {
        let second = Some(Person { id: PersonId(5), roles: Roles::of(&[Role::PitManager]) });
        let why = "the camera shows it".to_owned();
        let (round, dice) = (RoundNumber(round), Dice::try_from(dice).unwrap());
        let machine = self.round.machine();
        // Once the next round is open, only a ruling changes a live table's result.
        if machine.rules().game().station() == Station::LiveTable && round < machine.number() {
            let ruling = Ruling::Settle { round, dice };
            return self.round(person(6, Role::ShiftManager), RoundCommand::Rule { ruling, why, second });
        }
        self.round(supervisor(), RoundCommand::Correct { round, dice, why, second });
    }

    pub(crate) fn hashes(&self) -> [[u8; 32]; 3] {
        [self.house.machine().state_hash(), self.round.machine().state_hash(), self.cluster.machine().state_hash()]
    }

    /// Closes the record.
    pub(crate) fn close(mut self) -> [[u8; 32]; 3] {
        self.commit();
        let hashes = self.hashes();
        self.leave();
        hashes
    }

    /// Stops without regard to what was recorded.
    pub(crate) fn leave(self) {
        let Self { record_store, house, round, cluster, .. } = self;
        drop((house, round, cluster));
        // A writer that another program has fenced off reports that.
        record_store.close().unwrap_or_default();
    }
}

pub(crate) fn person(id: u32, role: Role) -> Actor {
    Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[role]) })
}

pub(crate) fn dealer() -> Actor {
    person(1, Role::Dealer)
}

pub(crate) fn supervisor() -> Actor {
    person(3, Role::PitSupervisor)
}

fn hand_over<M: RecordedMachine>(recorder: &mut Recorder<M>, stopped: &mut Option<RecordingStopped>) {
    let handed = recorder.commit(drop);
    *stopped = stopped.take().or(handed.err());
}

fn accepted<E: std::fmt::Debug>(decision: &Decision<E>) {
    assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
}

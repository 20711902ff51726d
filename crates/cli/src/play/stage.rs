//! The house that a script plays in: one table, the people the script names, and a clock that moves a second a line. It
//! asks the machines for what a line says, and decides nothing itself.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};
use taisai_rules::{Game, Layout, Limits, Money, Station};
use taisai_table::{
    Account, Actor, Asked, CashOut, Closes, Cluster, ClusterCommand, ClusterId, CommandId, Decision, DeviceId,
    DeviceKind, Floor, Founder, HouseCommand, Person, PersonId, Phase, Plan, Position, Profile, Recorded, Refusal,
    Role, Roles, Round, RoundCommand, RoundEvent, RoundNumber, Seat, Table, TableId, TableLimits, Time, VoucherHash,
    VoucherNumber,
};

use super::script::{Act, Script, Step, Who};

/// The first moment of a script: 1 January 2026, noon, at +08:00.
pub(super) const BEGIN: Time = Time(1_767_240_000_000);

const TABLE: TableId = TableId(1);
const CLUSTER: ClusterId = ClusterId { table: TABLE, number: 0 };

/// Two people of the house's office, who are in every script: the first sets up people and devices, the second stands in
/// for a pit in which the script names nobody.
const ADMINISTRATOR: PersonId = PersonId(9_001);
const OFFICE: PersonId = PersonId(9_002);

/// The house as it stands.
pub(super) struct Stage<'s> {
    script: &'s Script,
    pub(super) floor: Floor,
    pub(super) time: Time,
    /// The vouchers of each seat, the last one last.
    vouchers: BTreeMap<Seat, Vec<VoucherNumber>>,
    /// The limits by which each round was played, the first round first.
    limits: Vec<Option<TableLimits>>,
    /// What each seat has won, or lost if negative.
    pub(super) results: BTreeMap<Seat, Money>,
}

/// How a line was answered: the last refusal ends it.
pub(super) type Answer = Result<(), Refusal>;

impl<'s> Stage<'s> {
    /// Sets up the house.
    pub(super) fn new(script: &'s Script) -> anyhow::Result<Self> {
        let setup = &script.setup;
        let mut floor = Floor::new(Profile::singapore(), false);
        // Seats are numbered as people number them: from one. Seat 0 stays empty.
        let seats = vec![setup.seats + 1];
        let plan = Plan { table: TABLE, rules: setup.rules.clone(), is_training: setup.is_training, seats };
        floor.add_table(plan, BEGIN)?;
        let mut stage = Self {
            script,
            floor,
            time: BEGIN,
            vouchers: BTreeMap::new(),
            limits: Vec::new(),
            results: BTreeMap::new(),
        };
        if stage.game().station() == Station::PlayerTerminals {
            for seat in (1..=setup.seats).map(Seat) {
                let kind = DeviceKind::Terminal { cluster: CLUSTER, seat };
                stage.set_up(HouseCommand::Enrol { device: terminal(seat), kind, second: None })?;
            }
        }
        let named = script.people.iter().map(|(id, roles)| (*id, roles.clone()));
        let office = [(ADMINISTRATOR, vec![Role::Administrator]), (OFFICE, vec![Role::CasinoManager])];
        let mut people: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (id, roles) in office.into_iter().chain(named) {
            people.entry(id).or_default().extend(roles);
        }
        let founder = |(person, roles): (PersonId, Vec<Role>)| {
            let name = format!("{} {}", roles.first().map_or("", |role| title(*role)), person.0);
            Founder { person, name, roles: Roles::of(&roles) }
        };
        stage.set_up(HouseCommand::Found { people: people.into_iter().map(founder).collect() })?;
        Ok(stage)
    }

    fn set_up(&mut self, command: HouseCommand) -> anyhow::Result<()> {
        let asked = self.floor.system(self.time, command);
        match self.floor.ask_house(asked) {
            Decision::Accepted(_) => Ok(()),
            Decision::Refused(refusal) => bail!("the house cannot be set up: {}", refusal.sentence()),
            Decision::Repeated(_) => bail!("the house was set up twice"),
        }
    }

    pub(super) fn game(&self) -> &'s Game {
        self.script.setup.rules.game()
    }

    pub(super) fn layout(&self) -> &'s Layout {
        self.script.setup.rules.layout()
    }

    fn table(&self) -> &Table {
        self.floor.table(TABLE).expect("the script's table was added")
    }

    pub(super) fn round(&self) -> &Round {
        &self.table().round
    }

    pub(super) fn cluster(&self) -> &Cluster {
        &self.table().clusters[0]
    }

    /// The seats that people sit at.
    pub(super) fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        self.cluster().seats().skip(1)
    }

    /// The limits that a round was played by.
    pub(super) fn limits_of(&self, round: RoundNumber) -> Limits {
        let place = usize::try_from(round.0).ok().and_then(|round| round.checked_sub(1));
        let limits = place.and_then(|place| self.limits.get(place)).and_then(Option::as_ref);
        self.checked(limits)
    }

    /// The limits on display.
    pub(super) fn limits(&self) -> Limits {
        self.checked(self.round().limits())
    }

    fn checked(&self, limits: Option<&TableLimits>) -> Limits {
        limits.and_then(|limits| limits.check(self.layout()).ok()).unwrap_or_else(Limits::none)
    }

    /// Carries out a line. What it brought stands in the floor's record.
    pub(super) fn play(&mut self, step: &Step) -> anyhow::Result<Answer> {
        let actor = self.actor(step.who);
        let answer = match &step.act {
            Act::OnDuty(_) | Act::Expect(_) => Ok(()),
            Act::Round(command) => self.ask_round(actor, command.clone()),
            Act::Cluster(command) => self.ask_cluster(actor, command.clone()),
            Act::House(command) => self.ask_house(actor, command.clone()),
            Act::Dice(dice) => self.dice(actor, RoundCommand::Commit { dice: *dice }),
            Act::Tumble(times) => self.tumble(actor, *times),
            Act::Correct { round, dice, why, second } => {
                let round = round.unwrap_or(self.round().number());
                self.ask_round(actor, RoundCommand::Correct { round, dice: *dice, why: why.clone(), second: *second })
            }
            Act::CashOut(seat) => {
                let number = self.voucher_number();
                let answer =
                    self.ask_cluster(actor, ClusterCommand::CashOut { seat: *seat, to: CashOut::Voucher(number) });
                if answer.is_ok() {
                    self.vouchers.entry(*seat).or_default().push(number);
                }
                answer
            }
            Act::RedeemAtCage(of) => self.ask_house(actor, HouseCommand::RedeemAtCage { hash: self.voucher_of(*of) }),
            Act::RedeemAtSeat { of, at } => {
                let hash = self.voucher_of(*of);
                self.ask_house(actor, HouseCommand::RedeemAtSeat { hash, cluster: CLUSTER, seat: *at })
            }
            Act::Restart => {
                let record = self.floor.record.clone();
                self.floor.rebuild(&record);
                self.ask_round(Actor::System, RoundCommand::Restarted)
            }
            Act::Tick(seconds) => self.tick(*seconds),
        };
        if self.round().phase() == Phase::Open && self.limits_missing() {
            self.limits.push(self.round().limits().cloned());
        }
        self.floor.check().context("after this line the books do not balance")?;
        let passed = self.floor.house().balance(Account::Transit(CLUSTER));
        let between = passed.checked_add(self.cluster().ledger().transit);
        ensure!(between == Some(Money::ZERO), "money was lost between the table and the House");
        Ok(answer)
    }

    /// Whether a round has begun whose limits are not kept yet.
    fn limits_missing(&self) -> bool {
        u64::try_from(self.limits.len()).is_ok_and(|kept| kept < self.round().number().0)
    }

    /// Commits the dice, after a valid tumble where the script reports none.
    fn dice(&mut self, actor: Actor, commit: RoundCommand) -> Answer {
        if self.round().phase() == Phase::Closed && self.round().tumbles().is_none() {
            self.ask_round(actor, RoundCommand::Activate)?;
            self.ask_round(actor, RoundCommand::Tumbled { times: taisai_table::TUMBLES })?;
        }
        self.ask_round(actor, commit)
    }

    fn tumble(&mut self, actor: Actor, times: u8) -> Answer {
        if self.round().tumbles().is_none() || !self.is_in_play() {
            let before = self.floor.record.len();
            self.ask_round(actor, RoundCommand::Activate)?;
            let is_activated = self.floor.record[before..]
                .iter()
                .any(|entry| matches!(entry, Recorded::Round(_, entry) if entry.outcome == Ok(RoundEvent::Activated)));
            // A tumbler that voids the round, or belongs to none, has nothing to count.
            if !is_activated {
                return Ok(());
            }
        }
        self.ask_round(actor, RoundCommand::Tumbled { times })
    }

    fn is_in_play(&self) -> bool {
        matches!(self.round().phase(), Phase::Open | Phase::Closing | Phase::Closed)
    }

    /// Time passes. Betting ends by it only where the profile says so.
    fn tick(&mut self, seconds: u64) -> Answer {
        self.time = Time(self.time.0 + seconds * 1_000);
        self.ask_house(Actor::System, HouseCommand::Tick)?;
        let ends = self.floor.house().profile().closes == Closes::Tick && self.round().phase() == Phase::Open;
        if ends { self.ask_round(Actor::System, RoundCommand::Tick) } else { Ok(()) }
    }

    fn ask_round(&mut self, actor: Actor, command: RoundCommand) -> Answer {
        let asked = self.asked(actor, command);
        let decision = self.floor.ask_round(TABLE, asked).expect("the script's table was added");
        self.answered(&decision)
    }

    fn ask_cluster(&mut self, actor: Actor, command: ClusterCommand) -> Answer {
        let asked = self.asked(actor, command);
        let decision = self.floor.ask_cluster(CLUSTER, asked).expect("the script's table was added");
        self.answered(&decision)
    }

    fn ask_house(&mut self, actor: Actor, command: HouseCommand) -> Answer {
        let asked = self.asked(actor, command);
        let decision = self.floor.ask_house(asked);
        self.answered(&decision)
    }

    fn asked<C>(&mut self, actor: Actor, command: C) -> Asked<C> {
        let id: CommandId = self.floor.next_id(source(actor));
        Asked { time: self.time, actor, id, command }
    }

    fn answered<E>(&mut self, decision: &Decision<E>) -> Answer {
        self.floor.carry(self.time);
        match decision {
            Decision::Accepted(_) => Ok(()),
            Decision::Refused(refusal) => Err(*refusal),
            Decision::Repeated(_) => unreachable!("a script numbers its commands anew"),
        }
    }

    /// Who acts where a line does not say.
    fn actor(&self, who: Who) -> Actor {
        match (who, self.game().station()) {
            (Who::Named(actor), _) => actor,
            (Who::System, _) => Actor::System,
            (Who::Seat(seat), Station::PlayerTerminals) => Actor::Terminal { device: terminal(seat), seat },
            (Who::Seat(_) | Who::Dealer, _) => self.holder(Position::Dealer, Role::Dealer),
            (Who::Pit, _) if self.round().holder(Position::Supervisor).is_some() => {
                self.holder(Position::Supervisor, Role::PitSupervisor)
            }
            (Who::Pit, _) => self.holder(Position::Manager, Role::PitManager),
        }
    }

    /// Whoever holds a position; before that, the first whom the script names for it, or the office.
    fn holder(&self, position: Position, role: Role) -> Actor {
        let named = || self.script.people.iter().find(|(_, roles)| roles.contains(&role)).map(|(id, _)| *id);
        let person = match self.round().holder(position).or_else(named) {
            Some(id) => Person { id, roles: Roles::of(&[role]) },
            None => Person { id: OFFICE, roles: Roles::of(&[Role::CasinoManager]) },
        };
        Actor::Person(person)
    }

    /// The number of the next voucher: scripts have no secrets.
    fn voucher_number(&self) -> VoucherNumber {
        let issued = self.vouchers.values().map(Vec::len).sum::<usize>();
        let digits = u16::try_from((issued + 1) % 10_000).unwrap_or(0);
        let mut hash = [0; 32];
        hash[..2].copy_from_slice(&digits.to_be_bytes());
        VoucherNumber { hash: VoucherHash(hash), digits }
    }

    /// The last voucher of a seat; one that is on no file if it has none.
    fn voucher_of(&self, seat: Seat) -> VoucherHash {
        let last = self.vouchers.get(&seat).and_then(|numbers| numbers.last());
        last.map_or(VoucherHash([0xFF; 32]), |number| number.hash)
    }
}

/// The Player Terminal of a seat.
const fn terminal(seat: Seat) -> DeviceId {
    DeviceId(10_000 + seat.0)
}

/// The source of an actor's commands.
fn source(actor: Actor) -> u64 {
    const DEVICES: u64 = 1 << 32;
    match actor {
        Actor::System => 0,
        Actor::Person(person) => u64::from(person.id.0) + 1,
        Actor::Terminal { device, .. } | Actor::Tumbler(device) => DEVICES + u64::from(device.0),
    }
}

/// What a role is called.
pub(super) const fn title(role: Role) -> &'static str {
    match role {
        Role::Dealer => "Dealer",
        Role::PitSupervisor => "Pit Supervisor",
        Role::PitManager => "Pit Manager",
        Role::ShiftManager => "Table Games Shift Manager",
        Role::CasinoManager => "Casino Manager",
        Role::Attendant => "Attendant",
        Role::Cashier => "Cashier",
        Role::Auditor => "Auditor",
        Role::Administrator => "Administrator",
    }
}

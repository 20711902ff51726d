//! An installation to test in: people, one table of a game with a few seats, the House behind it, and short ways to ask.

use std::sync::{Arc, LazyLock};

use taisai_engine::{InMemoryInstallation, Message, WorkerPlacement};
use taisai_rules::{Dice, Game, Games, Money, Station};
use taisai_table::{
    Actor, Cluster, ClusterCommand, ClusterEvent, ClusterId, CommandId, CommandRequest, Decision, DeviceId, LimitEntry,
    MachineEntry, Person, PersonId, Profile, Registration, Role, Roles, Round, RoundAndClusters, RoundCommand,
    RoundEvent, Seat, TableId, TableLimits, TableRules, TableSpec, Time,
};

pub(crate) const CLASSIC: &str = "tai-sai-classic";
pub(crate) const TAI_SAI: &str = "tai-sai";
pub(crate) const OPEN_COVER: &str = "tai-sai-open-cover";
pub(crate) const ETG: &str = "sic-bo-etg";
pub(crate) const GAMES: [&str; 4] = [CLASSIC, TAI_SAI, OPEN_COVER, ETG];

pub(crate) const TABLE: TableId = TableId(1);
pub(crate) const CLUSTER: ClusterId = ClusterId { table: TABLE, number: 0 };
pub(crate) const SEATS: u32 = 4;
/// Noon of 1 January 2024, when every game is in force.
pub(crate) const NOON: u64 = 1_704_110_400_000;

/// Everyone by the word that stands for them in scripts. `all` holds every role, `dealer2` never holds the position.
pub(crate) const PEOPLE: [(&str, u32, &[Role]); 13] = [
    ("dealer", 1, &[Role::Dealer]),
    ("dealer2", 2, &[Role::Dealer]),
    ("supervisor", 3, &[Role::PitSupervisor]),
    ("supervisor2", 4, &[Role::PitSupervisor]),
    ("manager", 5, &[Role::PitManager]),
    ("manager2", 6, &[Role::PitManager]),
    ("shift", 7, &[Role::ShiftManager]),
    ("casino", 8, &[Role::CasinoManager]),
    ("attendant", 9, &[Role::Attendant]),
    ("cashier", 10, &[Role::Cashier]),
    ("auditor", 11, &[Role::Auditor]),
    ("administrator", 12, &[Role::Administrator]),
    ("all", 13, &Role::ALL),
];

pub(crate) fn person(word: &str) -> Option<Person> {
    let known = PEOPLE.iter().find(|(known, _, _)| *known == word);
    known.map(|(_, id, roles)| Person { id: PersonId(*id), roles: Roles::of(roles) })
}

pub(crate) fn rules(game: &str, layout: &str) -> TableRules {
    static GAMES: LazyLock<Vec<Arc<Game>>> =
        LazyLock::new(|| Games::embedded().iter().cloned().map(Arc::new).collect());
    let game = GAMES.iter().find(|known| known.id() == game).expect("a game");
    TableRules::new(Arc::clone(game), layout).expect("a layout")
}

/// The note acceptor at a seat.
pub(crate) const fn acceptor(seat: Seat) -> DeviceId {
    DeviceId(200 + seat.0)
}

pub(crate) const fn cents(cents: i64) -> Money {
    Money::from_cents(cents)
}

/// Three digits as a throw.
pub(crate) fn dice(digits: &str) -> Dice {
    let mut faces = [0; 3];
    assert_eq!(digits.len(), 3, "three dice: {digits}");
    for (face, digit) in faces.iter_mut().zip(digits.bytes()) {
        *face = digit - b'0';
    }
    Dice::try_from(faces).expect("three dice")
}

/// Limits as in `unit=100 big=500..10000 sum=..5000 diff=2000`.
pub(crate) fn limits(words: &[&str]) -> TableLimits {
    let amount = |text: &str| (!text.is_empty()).then(|| cents(text.parse().expect("an amount")));
    let mut limits = TableLimits { unit: cents(1), boxes: Vec::new(), rest: None, differential: None };
    for word in words {
        let (key, value) = word.split_once('=').expect("key=value");
        match key {
            "unit" => limits.unit = amount(value).expect("a unit"),
            "diff" => limits.differential = amount(value),
            boxes => {
                let (min, max) = value.split_once("..").expect("min..max");
                let boxes = boxes.parse().expect("a kind or a box");
                limits.boxes.push(LimitEntry { boxes, min: amount(min), max: amount(max) });
            }
        }
    }
    limits
}

/// The limits that a table of the game opens with here.
pub(crate) fn usual_limits(game: &str) -> &'static str {
    match game {
        CLASSIC => "unit=100",
        ETG => "unit=100 big=100..100000 small=100..100000 sum=200..50000 any-triple=100..50000",
        _ => "unit=100 big=500..100000 small=500..100000 sum=200..50000 diff=50000",
    }
}

/// A command between rounds waits so long for clusters that are behind.
const FOLLOW_TIMEOUT: u64 = 2_000;

/// An installation with one table.
pub(crate) struct TestInstallation {
    pub(crate) house: InMemoryInstallation,
    pub(crate) now: u64,
    pub(crate) game: &'static str,
    /// Whether messages are carried after every command.
    pub(crate) carries: bool,
}

impl TestInstallation {
    /// A table that is shut, with nobody at it.
    pub(crate) fn shut(game: &'static str, layout: &str, profile: &Profile) -> Self {
        Self::set_up(game, profile, &[SEATS], rules(game, layout), WorkerPlacement::Together)
    }

    /// A table that is shut, with a cluster of so many seats each.
    pub(crate) fn set_up(
        game: &'static str,
        profile: &Profile,
        seats: &[u32],
        rules: TableRules,
        placement: WorkerPlacement,
    ) -> Self {
        let mut house = InMemoryInstallation::new(profile.clone(), false, placement, Time(NOON));
        let has_terminals = rules.game().station() == Station::PlayerTerminals;
        let plan = TableSpec { table: TABLE, rules, is_training: false, seats: seats.to_vec() };
        house.add_table(plan, Time(NOON)).expect("the House takes a table");
        let clusters = (0..).map(|number| ClusterId { table: TABLE, number }).zip(seats);
        for (cluster, seats) in clusters.filter(|_| has_terminals) {
            (0..*seats).for_each(|seat| house.connect(cluster, Seat(seat), Time(NOON)));
        }
        house.deliver_all();
        Self { house, now: NOON, game, carries: true }
    }

    /// A table open for its first round: dealer, dice 7, tumbler 9, and limits on display.
    pub(crate) fn ready(game: &'static str, layout: &str, profile: &Profile) -> Self {
        Self::shut(game, layout, profile).opened()
    }

    /// The same, with every partition on a worker of its own.
    pub(crate) fn apart(game: &'static str) -> Self {
        Self::set_up(game, &Profile::singapore(), &[SEATS], rules(game, "A"), WorkerPlacement::Apart).opened()
    }

    /// The table that a script is for: one that looks between two messages needs partitions apart.
    pub(crate) fn for_script(game: &'static str, script: &str) -> Self {
        if script.contains("quiet") { Self::apart(game) } else { Self::new(game) }
    }

    /// A table that registers winners.
    pub(crate) fn winners(game: &'static str) -> Self {
        Self::registering_winners(game, WorkerPlacement::Together)
    }

    /// The same, with every partition on a worker of its own.
    pub(crate) fn winners_apart(game: &'static str) -> Self {
        Self::registering_winners(game, WorkerPlacement::Apart)
    }

    fn registering_winners(game: &'static str, placement: WorkerPlacement) -> Self {
        let rules = rules(game, "A").registering(Registration::Winners).expect("a live table");
        Self::set_up(game, &Profile::singapore(), &[SEATS], rules, placement).opened()
    }

    fn opened(mut self) -> Self {
        let game = self.game;
        let installation = &mut self;
        installation.run("supervisor open-table; supervisor relieve dealer dealer");
        installation.run("supervisor use-dice 7; supervisor use-tumbler 9");
        installation.run(&format!("supervisor limits {}", usual_limits(game)));
        self
    }

    pub(crate) fn new(game: &'static str) -> Self {
        Self::ready(game, "A", &Profile::singapore())
    }

    pub(crate) fn table(&self) -> &RoundAndClusters {
        self.house.table(TABLE).expect("the table")
    }

    pub(crate) fn round(&self) -> &Round {
        &self.table().round
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.table().clusters[0]
    }

    /// The actor of a word: a person, `system`, `reader`, `tumbler9`, `t3` for the terminal and `n3` for the note acceptor at seat 3, or
    /// `player` for whoever registers the bets of a seat in this game.
    pub(crate) fn actor(&self, word: &str, seat: Option<Seat>) -> Actor {
        if let Some(person) = person(word) {
            return Actor::Person(person);
        }
        let terminal = |seat: Seat| Actor::Terminal { device: DeviceId(100 + seat.0), seat };
        match (word, seat) {
            ("system", _) => Actor::System,
            ("reader", _) => Actor::ChipReader(DeviceId(300)),
            ("player", Some(seat)) if self.cluster().rules().game().station() == Station::PlayerTerminals => {
                terminal(seat)
            }
            ("player", _) => self.actor("dealer", None),
            (word, _) if word.starts_with("tumbler") => {
                Actor::Tumbler(DeviceId(word["tumbler".len()..].parse().expect("a tumbler")))
            }
            (word, _) => {
                let (kind, seat) = word.split_at(1);
                let seat = Seat(seat.parse().expect("a seat"));
                match kind {
                    "t" => terminal(seat),
                    "n" => Actor::NoteAcceptor { device: acceptor(seat), seat },
                    _ => panic!("who is {word}?"),
                }
            }
        }
    }

    /// The source of an actor's commands. The server's own is zero.
    pub(crate) fn source(actor: Actor) -> u64 {
        match actor {
            Actor::System => 0,
            Actor::Person(person) => 1_000 + u64::from(person.id.0),
            Actor::Terminal { device, .. } => 2_000 + u64::from(device.0),
            Actor::Tumbler(device) => 3_000 + u64::from(device.0),
            Actor::NoteAcceptor { device, .. } => 4_000 + u64::from(device.0),
            Actor::ChipReader(device) => 5_000 + u64::from(device.0),
        }
    }

    pub(crate) fn request<C>(&mut self, actor: Actor, command: C) -> CommandRequest<C> {
        let id = self.house.next_id(Self::source(actor));
        CommandRequest { time: Time(self.now), actor, id, command }
    }

    /// Asks the dealer's side. A command that waits for clusters is decided when its time is over.
    pub(crate) fn ask_round(&mut self, actor: Actor, command: RoundCommand) -> Decision<RoundEvent> {
        let request = self.request(actor, command);
        let (id, from) = (request.id, self.house.record.len());
        if let Some(decision) = self.house.ask_round(TABLE, request) {
            return decision;
        }
        self.now += FOLLOW_TIMEOUT;
        self.house.set_clock(Time(self.now));
        let outcome = self.house.record[from..].iter().find_map(|recorded| match recorded {
            MachineEntry::Round(_, entry) if entry.request.id == id => Some(entry.outcome.clone()),
            MachineEntry::Round(..) | MachineEntry::Cluster(..) | MachineEntry::House(_) => None,
        });
        outcome.expect("its time is over").map_or_else(Decision::Refused, Decision::Accepted)
    }

    pub(crate) fn ask_cluster(&mut self, actor: Actor, command: ClusterCommand) -> Decision<ClusterEvent> {
        let request = self.request(actor, command);
        self.house.ask_cluster(CLUSTER, request).expect("the table")
    }

    /// Delivers the next message: notices before reports, reports before money. `false` if there is none.
    pub(crate) fn carry_one(&mut self) -> bool {
        let next_view = |house: &InMemoryInstallation| house.waiting().position(|message| turn(message).is_none());
        while let Some(place) = next_view(&self.house) {
            self.deliver(place);
        }
        // The newest report of a cluster tells all that those before it tell.
        let is_report = |(_, message): &(usize, &Message)| matches!(message, Message::Followed { .. });
        let reports: Vec<_> = self.house.waiting().enumerate().filter(is_report).map(|(place, _)| place).collect();
        for place in reports.into_iter().rev().skip(1) {
            self.house.take_waiting(place);
        }
        let waiting = self.house.waiting().enumerate();
        let next = waiting.filter_map(|(place, message)| Some((turn(message)?, place))).min();
        if let Some((_, place)) = next {
            self.deliver(place);
        }
        next.is_some()
    }

    fn deliver(&mut self, place: usize) {
        let message = self.house.take_waiting(place).expect("a message waits there");
        self.house.deliver(message);
    }

    pub(crate) fn hashes(&self) -> [[u8; 32]; 2] {
        [self.round().state_hash(), self.cluster().state_hash()]
    }
}

pub(crate) const fn id(source: u64, sequence: u64) -> CommandId {
    CommandId { source, sequence }
}

/// In which turn a message is delivered that a script looks for; none where it never looks.
const fn turn(message: &Message) -> Option<u8> {
    match message {
        Message::Notice { .. } => Some(0),
        Message::Followed { .. } => Some(1),
        Message::ToHouse { .. } | Message::HouseHolds { .. } => Some(2),
        Message::ToCluster { .. } | Message::ClusterHolds { .. } => Some(3),
        Message::RoundHolds { .. }
        | Message::Report { .. }
        | Message::ReportHeld { .. }
        | Message::SeatMoney { .. }
        | Message::ClusterView { .. }
        | Message::ShowTable { .. }
        | Message::PublicView { .. } => None,
    }
}

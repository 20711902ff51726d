//! A session through the machines of a table: the dealer opens, players bet, the dealer closes, the dice are tumbled and
//! committed, and the players' side settles. Every command is decided and applied, as at a real table.

use std::fmt::Debug;

use taisai_rules::{BetBox, Dice, Money, Station};
use taisai_table::{
    Actor, Chips, Cluster, ClusterCommand, ClusterId, CommandId, CommandRequest, Decision, DeviceId, Entry,
    ExcessPolicy, MIN_TUMBLES, Notice, Person, PersonId, Position, Profile, Role, Roles, Round, RoundCommand, Seat,
    SlipLine, Stake, TableId, Time,
};

use crate::simulate::SessionResult;
use crate::simulate::by_rules::{BoxTotals, SeatedPlayer, throws};
use crate::simulate::plan::SimulationPlan;

const CLUSTER: ClusterId = ClusterId { table: TableId(1), number: 0 };
/// Noon of 1 January 2024, when every approved game is in force.
const NOON: u64 = 1_704_110_400_000;
/// A round a minute.
const ROUND: u64 = 60_000;

/// Plays a session: the number of rounds, and the result of each player.
pub(super) fn play(plan: &SimulationPlan, session: u64) -> (u64, Vec<SessionResult>) {
    let mut throws = throws(plan, session);
    let mut seated = SeatedPlayer::all(plan, session);
    let mut table = SimulatedTable::open(plan);
    let mut rounds = 0;
    while rounds < plan.rounds() {
        let dice = plan.throw(throws.next_place());
        for player in &mut seated {
            player.choose();
        }
        if seated.iter().all(SeatedPlayer::is_ruined) {
            break;
        }
        rounds += 1;
        table.play(plan, &mut seated, dice);
    }
    (rounds, seated.into_iter().map(SeatedPlayer::result).collect())
}

/// The table's machines, and the people at it.
struct SimulatedTable {
    round: Round,
    cluster: Cluster,
    now: u64,
    /// The number of the last command; all sources share it, so that each rises.
    sequence: u64,
    dealer: Actor,
    supervisor: Actor,
    is_live: bool,
    totals: BoxTotals,
}

impl SimulatedTable {
    /// An open table with limits on display, where every player has bought in.
    fn open(plan: &SimulationPlan) -> Self {
        let mut profile = Profile::singapore();
        // 5.1.1: what is over a limit and not rejected counts pro rata.
        profile.excess = ExcessPolicy::Show;
        let rules = plan.rules();
        let seats = u32::try_from(plan.players().len()).expect("as many as a table has");
        let person = |id, role| Actor::Person(Person { id: PersonId(id), roles: Roles::of(&[role]) });
        let manager = Some(Person { id: PersonId(3), roles: Roles::of(&[Role::PitManager]) });
        let mut table = Self {
            round: Round::new(CLUSTER.table, rules.clone(), profile.clone(), true, 1),
            cluster: Cluster::new(CLUSTER, rules.clone(), profile, seats),
            now: NOON,
            sequence: 0,
            dealer: person(1, Role::Dealer),
            supervisor: person(2, Role::PitSupervisor),
            is_live: rules.game().station() == Station::LiveTable,
            totals: BoxTotals::default(),
        };
        table.ask_round(table.supervisor, RoundCommand::OpenTable);
        let dealer = Some(PersonId(1));
        table.ask_round(table.supervisor, RoundCommand::Relieve { position: Position::Dealer, person: dealer });
        table.carry();
        let (limits, why) = (plan.table_limits().clone(), "simulated".to_owned());
        table.ask_round(table.supervisor, RoundCommand::ShowLimits { limits, why });
        table.carry();
        if !table.is_live {
            for (seat, player) in (0..).map(Seat).zip(plan.players()) {
                let amount = Money::from_cents(player.bankroll);
                table.ask_cluster(table.supervisor, ClusterCommand::BuyIn { seat, amount, second: manager });
            }
        }
        table
    }

    fn play(&mut self, plan: &SimulationPlan, seated: &mut [SeatedPlayer], dice: Dice) {
        self.now += ROUND;
        self.ask_round(self.dealer, RoundCommand::OpenBets);
        self.bring();
        for (seat, player) in (0..).map(Seat).zip(seated.iter()).filter(|(_, player)| !player.is_ruined()) {
            let Some((slip, times)) = player.chosen else { continue };
            let bets = player.player.slips[slip].bets.iter();
            let stake = |(bet_box, amount): &(BetBox, i64)| Stake {
                bet_box: *bet_box,
                amount: Money::from_cents(amount * times),
            };
            let stakes = bets.map(stake).collect();
            let actor =
                if self.is_live { self.dealer } else { Actor::Terminal { device: DeviceId(100 + seat.0), seat } };
            self.ask_cluster(actor, ClusterCommand::Place { seat, chips: Chips::Own, stakes });
        }
        self.ask_round(self.dealer, RoundCommand::CloseBets);
        self.carry();
        self.ask_round(self.dealer, RoundCommand::Activate);
        self.ask_round(self.dealer, RoundCommand::Tumbled { times: MIN_TUMBLES });
        let counted = self.counted(plan, seated);
        self.ask_round(self.dealer, RoundCommand::Commit { dice });
        self.carry();
        for (seat, player) in (0..).map(Seat).zip(seated.iter_mut()).filter(|(_, player)| !player.is_ruined()) {
            let Some((slip, times)) = player.chosen else { continue };
            match &counted {
                Some(counted) => {
                    let own =
                        counted.iter().filter(|(of, ..)| *of == seat).map(|(_, bet_box, amount)| (*bet_box, *amount));
                    player.expect(plan, &own.collect::<Vec<_>>());
                }
                None => player.expect_all(slip, times),
            }
            let meters = self.cluster.seat_meters(seat);
            player.take_meters(meters.bet.cents() - meters.returned.cents(), meters.won.cents());
            if self.cluster.is_locked(seat) {
                self.ask_cluster(self.supervisor, ClusterCommand::ClearLock { seat });
            }
        }
    }

    /// What counts of each bet, where something is over a limit.
    fn counted(&mut self, plan: &SimulationPlan, seated: &[SeatedPlayer]) -> Option<Vec<(Seat, BetBox, Money)>> {
        if !plan.shares_limits || !self.totals.are_over(plan, seated) {
            return None;
        }
        let unit = plan.limits().unit().cents();
        let counted = |line: &SlipLine| (line.seat, line.bet_box, Money::from_cents(i64::from(line.counted) * unit));
        Some(self.cluster.slip().lines.iter().map(counted).collect())
    }

    /// Delivers the notices of the dealer's side to the players' side.
    fn bring(&mut self) {
        loop {
            let followed = self.cluster.followed();
            let next = self.round.notices(CLUSTER).find(|(number, _)| *number > followed);
            let Some((number, notice)) = next.map(|(number, notice): (u64, &Notice)| (number, notice.clone())) else {
                break;
            };
            self.ask_cluster(Actor::System, ClusterCommand::Follow { number, notice, slip: None });
        }
    }

    /// Delivers the notices to the players' side, and its report to the dealer's side.
    fn carry(&mut self) {
        self.bring();
        let (followed, colour_chips, is_registered) = self.cluster.reports();
        self.ask_round(Actor::System, RoundCommand::Report { cluster: CLUSTER, followed, colour_chips, is_registered });
    }

    fn ask_round(&mut self, actor: Actor, command: RoundCommand) {
        let request = self.request(actor, command);
        let event = accepted(self.round.decide(&request), &request.command);
        self.round.apply(&Entry { request, outcome: Ok(event) });
    }

    fn ask_cluster(&mut self, actor: Actor, command: ClusterCommand) {
        let request = self.request(actor, command);
        let event = accepted(self.cluster.decide(&request), &request.command);
        self.cluster.apply(&Entry { request, outcome: Ok(event) });
    }

    fn request<C>(&mut self, actor: Actor, command: C) -> CommandRequest<C> {
        self.sequence += 1;
        let source = match actor {
            Actor::System => 0,
            Actor::Person(person) => u64::from(person.id.0),
            Actor::Terminal { device, .. }
            | Actor::Tumbler(device)
            | Actor::NoteAcceptor { device, .. }
            | Actor::ChipReader(device) => u64::from(device.0),
        };
        CommandRequest { time: Time(self.now), actor, id: CommandId { source, sequence: self.sequence }, command }
    }
}

/// The event of a command that the plan has checked.
fn accepted<E: Debug>(decision: Decision<E>, command: &impl Debug) -> E {
    match decision {
        Decision::Accepted(event) => event,
        Decision::Refused(_) | Decision::Repeated(_) => panic!("{command:?}: {decision:?}"),
    }
}

//! A dealer inside the program: reads the table, does the next step and waits as a dealer would. If a person or a restart has
//! changed the table, the dealer sees that in the next step.

use std::time::Duration;

use taisai_rules::{BetBox, Cover, Money};
use taisai_table::{
    Actor, ClusterCommand, CommandId, DeviceId, Person, PersonId, Phase, Position, Registration, RequiredRegistration,
    Role, Roles, Round, RoundCommand, Seat, Stake, Stakes, TableId, TableLimits, VoidReason,
};
use tokio::sync::watch;

use super::chance::{self, NoChance};
use super::player::{self, Wish};
use super::{Pace, Stay};
use crate::http::reply::CommandReply;
use crate::node::Node;
use crate::node::clock::OwnIds;
use crate::node::handle::HouseHandle;
use crate::node::handle::TableHandle;
use crate::node::stopped::Stopped;

/// One round in this many is void, because a die does not lie flat.
const VOID_ONE_IN: u32 = 30;

const DEALER: PersonId = PersonId(1);
const SUPERVISOR: PersonId = PersonId(3);
const ATTENDANT: PersonId = PersonId(7);

fn person(id: PersonId, role: Role) -> Actor {
    Actor::Person(Person { id, roles: Roles::of(&[role]) })
}

#[derive(Debug, thiserror::Error)]
enum DealerError {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    NoChance(#[from] NoChance),
}

pub(super) struct Dealer {
    table: TableId,
    handle: TableHandle,
    house: HouseHandle,
    ids: OwnIds,
    limits: Option<TableLimits>,
    pace: Pace,
    /// The chips on the layout of a table that registers winners.
    felt: Vec<(Seat, Stake)>,
}

/// What the dealer needs to know of the table.
struct TableState {
    phase: Phase,
    is_held: bool,
    has_limits: bool,
    dealer: Option<PersonId>,
    tumbles: Option<u8>,
    cover: Cover,
    is_registering: bool,
}

impl TableState {
    fn of(round: &Round) -> Self {
        Self {
            phase: round.phase(),
            is_held: round.is_held(),
            has_limits: round.limits().is_some() || round.rules().layout().limit_scope().is_none(),
            dealer: round.holder(Position::Dealer),
            tumbles: round.tumbles(),
            cover: round.rules().game().cover(),
            is_registering: round.is_registering(),
        }
    }
}

impl TableState {
    const fn is_between_rounds(&self) -> bool {
        match self.phase {
            Phase::Shut | Phase::Idle | Phase::Settled | Phase::Void => true,
            Phase::Open | Phase::Closing | Phase::Closed | Phase::Result => false,
        }
    }
}

impl Dealer {
    pub(super) fn new(
        table: TableId,
        handle: TableHandle,
        node: &Node,
        limits: Option<TableLimits>,
        pace: Pace,
    ) -> Self {
        Self {
            table,
            handle,
            house: node.handle().house(),
            ids: OwnIds::new(node.sources()),
            limits,
            pace,
            felt: Vec::new(),
        }
    }

    pub(super) async fn deal(mut self, stay: watch::Receiver<Stay>) {
        let (table, mut leave) = (self.table.0, stay.clone());
        let gone = tokio::select! {
            biased;
            _ = leave.wait_for(|stay| *stay == Stay::Gone) => return,
            gone = self.rounds(&stay) => gone,
        };
        if let Err(gone) = gone {
            tracing::error!(table, %gone, "the demonstration ends at this table");
        }
    }

    async fn rounds(&mut self, stay: &watch::Receiver<Stay>) -> Result<(), DealerError> {
        loop {
            let seen = self.handle.read_round(TableState::of).await?;
            if seen.is_between_rounds() {
                // A result stands for a while, except before the first round.
                if matches!(seen.phase, Phase::Settled | Phase::Void) {
                    self.wait(self.pace.step()).await;
                }
                if *stay.borrow() >= Stay::LastRound {
                    return Ok(());
                }
            }
            self.next(seen).await?;
        }
    }

    async fn next(&mut self, seen: TableState) -> Result<(), DealerError> {
        let supervisor = person(SUPERVISOR, Role::PitSupervisor);
        let dealer = person(DEALER, Role::Dealer);
        if seen.phase == Phase::Shut {
            return self.ask(supervisor, RoundCommand::OpenTable).await;
        }
        if seen.dealer != Some(DEALER) {
            let relieve = RoundCommand::Relieve { position: Position::Dealer, person: Some(DEALER) };
            return self.ask(supervisor, relieve).await;
        }
        if seen.is_held {
            return self.ask(dealer, RoundCommand::Continue).await;
        }
        match seen.phase {
            Phase::Result if seen.is_registering => self.register().await?,
            Phase::Shut | Phase::Closing | Phase::Result => self.wait(self.pace.step()).await,
            Phase::Idle | Phase::Settled | Phase::Void => {
                if !seen.has_limits
                    && let Some(limits) = self.limits.clone()
                {
                    let why = "as the configuration proposes".to_owned();
                    self.ask(supervisor, RoundCommand::ShowLimits { limits, why }).await?;
                }
                self.ask(dealer, RoundCommand::OpenBets).await?;
            }
            Phase::Open => {
                // Under a cover the dice are shaken before bets are placed.
                if seen.cover == Cover::Covered {
                    self.tumble(&seen).await?;
                }
                self.take_bets().await?;
                self.wait(self.pace.betting()).await;
                self.ask(dealer, RoundCommand::CloseBets).await?;
            }
            Phase::Closed => {
                self.tumble(&seen).await?;
                self.wait(self.pace.step()).await;
                let void = RoundCommand::Void { reason: VoidReason::NotFlat };
                let command =
                    if chance::once_in(VOID_ONE_IN)? { void } else { RoundCommand::Commit { dice: chance::dice()? } };
                self.ask(dealer, command).await?;
            }
        }
        Ok(())
    }

    async fn tumble(&mut self, seen: &TableState) -> Result<(), DealerError> {
        let dealer = person(DEALER, Role::Dealer);
        if seen.tumbles.is_none() {
            self.ask(dealer, RoundCommand::Activate).await?;
            self.wait(self.pace.step()).await;
        }
        let times = 3u8.saturating_sub(seen.tumbles.unwrap_or(0));
        if times > 0 {
            self.ask(dealer, RoundCommand::Tumbled { times }).await?;
        }
        Ok(())
    }

    async fn take_bets(&mut self) -> Result<(), DealerError> {
        let clusters = self.handle.read(|table| {
            let of = |cluster: &taisai_table::Cluster| player::wishes(cluster).map(|wishes| (cluster.id(), wishes));
            table.clusters().map(of).collect::<Result<Vec<_>, _>>()
        });
        self.felt.clear();
        let registers_winners = |round: &Round| round.rules().registration() == Registration::Winners;
        let registers_winners = self.handle.read_round(registers_winners).await?;
        for (cluster, wishes) in clusters.await?? {
            for wish in wishes {
                match wish {
                    Wish::Bet(seat, ClusterCommand::Place { stakes, .. }) if registers_winners => {
                        self.felt.extend(stakes.into_iter().map(|stake| (seat, stake)));
                    }
                    Wish::Attendant(command) => {
                        self.ask_cluster(cluster.number, person(ATTENDANT, Role::Attendant), command).await?;
                    }
                    Wish::Bet(seat, command) => {
                        let terminal = self.house.read(move |house| house.terminal_at(cluster, seat)).await?;
                        self.ask_cluster(cluster.number, player_at(terminal, seat), command).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Registers the winning chips on the layout, and gives the totals that the table requires.
    async fn register(&mut self) -> Result<(), DealerError> {
        let dealer = person(DEALER, Role::Dealer);
        let felt = std::mem::take(&mut self.felt);
        for (seat, stake) in felt.iter().copied() {
            let required = self.handle.read(move |table| {
                table
                    .clusters()
                    .next()
                    .map(|cluster| (cluster.required_registration(stake.bet_box), cluster.id().number))
            });
            if let Some((Some(RequiredRegistration::Stakes), cluster)) = required.await? {
                let register = ClusterCommand::Register { seat, stakes: Stakes::from_slice(&[stake]), second: None };
                self.ask_cluster(cluster, dealer, register).await?;
            }
        }
        for bet_box in [BetBox::BIG, BetBox::SMALL, BetBox::ODD, BetBox::EVEN] {
            let is_required = self.handle.read(move |table| {
                table
                    .clusters()
                    .any(|cluster| cluster.required_registration(bet_box) == Some(RequiredRegistration::Total))
            });
            if is_required.await? {
                let stakes = felt.iter().filter(|(_, stake)| stake.bet_box == bet_box);
                let amount = Money::from_cents(stakes.map(|(_, stake)| stake.amount.cents()).sum());
                let total = ClusterCommand::TellTotal { bet_box, amount };
                self.ask_cluster(0, dealer, total).await?;
            }
        }
        self.ask_cluster(0, dealer, ClusterCommand::AllRegistered).await?;
        self.wait(self.pace.step()).await;
        Ok(())
    }

    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn id(&mut self) -> CommandId {
        self.ids.next()
    }

    /// A refused command is not done; the next step sees that, a little later.
    async fn ask(&mut self, actor: Actor, command: RoundCommand) -> Result<(), DealerError> {
        let id = self.id();
        let answer = self.handle.ask_round(actor, id, command).await?;
        self.log_refusal(&answer);
        if matches!(answer, CommandReply::Refused(_)) {
            self.wait(self.pace.step()).await;
        }
        Ok(())
    }

    async fn ask_cluster(&mut self, cluster: u16, actor: Actor, command: ClusterCommand) -> Result<(), DealerError> {
        let id = self.id();
        let answer = self.handle.ask_cluster(cluster, actor, id, command).await?;
        self.log_refusal(&answer);
        Ok(())
    }

    fn log_refusal(&self, answer: &CommandReply) {
        if let CommandReply::Refused(refused) = answer {
            tracing::debug!(table = self.table.0, refused = %refused.code, "a command of the demonstration was refused");
        }
    }
}

/// The actor of a player's bet: the terminal at the seat, or the Dealer of a live table.
fn player_at(terminal: Option<DeviceId>, seat: Seat) -> Actor {
    terminal.map_or_else(|| person(DEALER, Role::Dealer), |device| Actor::Terminal { device, seat })
}

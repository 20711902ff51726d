//! Simulated players and their bets. They respect limits and credits as any player does, and leave seat 1 of each table to
//! visitors, who get play money at a terminal.

use taisai_engine::{NewestCommand, Worker, player_seats};
use taisai_rules::{BetBox, Limits, Money, Station};
use taisai_table::{Chips, Cluster, ClusterCommand, Seat, Stake, Stakes};

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Stay;
use super::chance::{self, NoChance};
use crate::node::handle::TableHandle;
use crate::ws::connection::Connection;

/// A player at a terminal with less buys in.
const LOW_CREDITS: Money = Money::from_cents(5_000);

const BUY_IN: Money = Money::from_cents(100_000);

/// What a player wants at a seat, in this order.
pub(super) enum Wish {
    /// From an attendant.
    Attendant(ClusterCommand),
    /// At the terminal, or placed by the Dealer.
    Bet(Seat, ClusterCommand),
}

const VISITOR_SEAT: Seat = Seat(1);

fn taken(cluster: &Cluster) -> impl Iterator<Item = Seat> + use<> {
    player_seats(cluster).filter(|seat| *seat != VISITOR_SEAT)
}

/// Connects the players' terminals, so that the table does not count them as lost, until the demonstration ends. Views are ignored.
pub(super) async fn sit(handle: TableHandle, mut stay: watch::Receiver<Stay>) {
    let read = |table: &Worker| {
        let has_terminals = |cluster: &&Cluster| cluster.rules().game().station() == Station::PlayerTerminals;
        let clusters = table.clusters().filter(has_terminals);
        clusters.flat_map(|cluster| taken(cluster).map(|seat| (cluster.id().number, seat))).collect::<Vec<_>>()
    };
    let mut terminals = JoinSet::new();
    for (cluster, seat) in handle.read(read).await.unwrap_or_default() {
        occupy(&handle, cluster, seat, &mut terminals).await;
    }
    drop(handle);
    // The sender has ended by itself.
    stay.wait_for(|stay| *stay == Stay::Gone).await.map_or_else(drop, drop);
}

/// Connects a terminal while the task runs.
pub(crate) async fn occupy(handle: &TableHandle, cluster: u16, seat: Seat, terminals: &mut JoinSet<()>) {
    let (connection, mut messages) = Connection::new();
    let (counted, money) = (NewestCommand { source: 0, sequence: 0 }, Box::default());
    // A table that has stopped sends no views.
    handle.connect((cluster, seat), counted, money, connection).await.unwrap_or_default();
    terminals.spawn(async move {
        let mut received = Vec::new();
        while messages.take(&mut received).await {
            received.clear();
        }
    });
}

pub(super) fn wishes(cluster: &Cluster) -> Result<Vec<Wish>, NoChance> {
    let mut wishes = Vec::new();
    let has_terminals = cluster.rules().game().station() == Station::PlayerTerminals;
    if has_terminals && cluster.credits(VISITOR_SEAT) < LOW_CREDITS {
        wishes.push(Wish::Attendant(ClusterCommand::BuyIn { seat: VISITOR_SEAT, amount: BUY_IN, second: None }));
    }
    for seat in taken(cluster) {
        if cluster.is_locked(seat) {
            wishes.push(Wish::Attendant(ClusterCommand::ClearLock { seat }));
        }
        // About every third round a player only watches.
        if chance::once_in(3)? {
            continue;
        }
        let mut left = cluster.credits(seat);
        match cluster.rules().game().station() {
            Station::LiveTable => left = Money::MAX,
            Station::PlayerTerminals if left < LOW_CREDITS => {
                let amount = Money::from_cents((i64::from(chance::below(9)?) + 2) * 10_000);
                wishes.push(Wish::Attendant(ClusterCommand::BuyIn { seat, amount, second: None }));
                left = amount;
            }
            Station::PlayerTerminals => {}
        }
        let stakes = stakes(cluster.rules().layout().boxes(), cluster.limits(), left)?;
        if !stakes.is_empty() {
            wishes.push(Wish::Bet(seat, ClusterCommand::Place { seat, chips: Chips::Own, stakes }));
        }
    }
    Ok(wishes)
}

/// One to four boxes, each with a few times its minimum, as long as the credits last.
fn stakes(boxes: &[BetBox], limits: &Limits, mut left: Money) -> Result<Stakes, NoChance> {
    let mut stakes = Stakes::new();
    for _ in 0..=chance::below(4)? {
        let Some(bet_box) = chance::one_of(boxes)? else { break };
        let least = limits.minimum(bet_box).max(Money::from_cents(limits.unit().cents()));
        let amount = Money::from_cents(least.cents().saturating_mul(i64::from(chance::below(5)?) + 1));
        let amount = amount.min(limits.maximum(bet_box));
        let is_new = stakes.iter().all(|stake: &Stake| stake.bet_box != bet_box);
        if let (true, Some(after)) = (is_new, left.checked_sub(amount).filter(|after| *after >= Money::ZERO)) {
            left = after;
            stakes.push(Stake { bet_box, amount });
        }
    }
    Ok(stakes)
}

//! Players at terminals. Each sends commands to any node that answers, and repeats unanswered ones under the same number,
//! until it knows the outcome of every command.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use taisai_journal::suite::HANG_LIMIT;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::cashier::Cashier;
use crate::connection::{ConnectionLost, TerminalConnection};
use crate::house::{TestCasino, until};
use crate::terminal::{Device, place};

/// Cents that a player begins with, and of each bet.
const CREDITS: i64 = 1_000_000;
const STAKE: i64 = 100;

/// The pause before the next bet.
const TIME_BETWEEN_BETS: Duration = Duration::from_millis(250);

/// The pause before another node is tried.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The player at a terminal.
pub(crate) struct Player {
    device: Device,
    addresses: Arc<[SocketAddr]>,
    cashier: Arc<Cashier>,
    /// The node that was tried last.
    node: usize,
    connection: Option<TerminalConnection>,
    /// Bets by command number, and whether each was accepted.
    pub(crate) bets: Vec<(u64, bool)>,
}

impl Player {
    /// Players of neighbouring seats begin at different nodes.
    pub(crate) fn new(house: &TestCasino, device: Device) -> Self {
        let node = usize::try_from(device.seat).unwrap();
        let cashier = Arc::clone(house.cashier());
        Self { device, addresses: house.addresses().into(), cashier, node, connection: None, bets: Vec::new() }
    }

    pub(crate) const fn place(&self) -> (u16, u32) {
        (self.device.cluster, self.device.seat)
    }

    /// Sends a command under the given number.
    async fn ask_as(&mut self, sequence: u64, command: &Value) -> Value {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            assert!(Instant::now() < by, "nobody answers seat {}: {command}", self.device.seat);
            if let Ok(connection) = self.connection().await {
                match connection.ask(sequence, command).await {
                    Ok(answer) => return answer,
                    Err(ConnectionLost) => self.connection = None,
                }
            }
        }
    }

    /// The credits that a new connection shows.
    pub(crate) async fn credits_now(&mut self) -> i64 {
        self.connection = None;
        self.credits(|_| true).await
    }

    /// The credits, once the seat satisfies a condition.
    pub(crate) async fn credits(&mut self, is_so: impl Fn(i64) -> bool) -> i64 {
        self.sees(|seat| seat["credits"].as_i64().filter(|credits| is_so(*credits))).await
    }

    /// Reads a value of the seat, once it is there.
    pub(crate) async fn sees<T>(&mut self, find: impl Fn(&Value) -> Option<T>) -> T {
        let (by, seat) = (Instant::now() + HANG_LIMIT, self.device.seat);
        loop {
            if let Ok(connection) = self.connection().await {
                if let Some(found) = find(&connection.seat) {
                    return found;
                }
                assert!(Instant::now() < by, "seat {seat} is shown {}", connection.seat);
                if connection.receive().await.is_err() {
                    self.connection = None;
                }
            }
        }
    }

    /// Pays cash at the cage. The terminal stays connected meanwhile, as an offline one takes no credits.
    pub(crate) async fn buy_in(&mut self, amount: i64) {
        let cashier = Arc::clone(&self.cashier);
        let mut turn = pin!(Arc::clone(&cashier).turn());
        // The server takes a terminal that does not answer pings for lost.
        let _turn = loop {
            tokio::select! {
                turn = &mut turn => break turn,
                () = self.receive_for(RETRY_INTERVAL, |_| false) => {}
            }
        };
        let by = Instant::now() + HANG_LIMIT;
        while self.connection().await.is_err() || !cashier.takes(self.device.cluster, self.device.seat, amount).await {
            assert!(Instant::now() < by, "the terminal at seat {} stays lost", self.device.seat);
            self.receive_for(RETRY_INTERVAL, |_| false).await;
        }
    }

    /// The current connection, or a new one to the next node.
    async fn connection(&mut self) -> Result<&mut TerminalConnection, ConnectionLost> {
        if self.connection.is_none() {
            self.node = (self.node + 1) % self.addresses.len();
            match TerminalConnection::open(&self.device, self.addresses[self.node]).await {
                Ok(connection) => self.connection = Some(connection),
                Err(ConnectionLost) => sleep(RETRY_INTERVAL).await,
            }
        }
        self.connection.as_mut().ok_or(ConnectionLost)
    }

    /// Receives messages for a while, or until a condition holds.
    async fn receive_for(&mut self, span: Duration, is_so: impl Fn(&TerminalConnection) -> bool) {
        let by = tokio::time::Instant::now() + span;
        while let Ok(connection) = self.connection().await {
            if is_so(connection) {
                return;
            }
            match tokio::time::timeout_at(by, connection.receive()).await {
                Ok(Ok(_)) => {}
                Ok(Err(ConnectionLost)) => self.connection = None,
                Err(_) => return,
            }
        }
    }

    /// Bets under a number, and records whether the bet was accepted.
    pub(crate) async fn bets_as(&mut self, sequence: u64, bet: &Value) -> bool {
        let answer = self.ask_as(sequence, bet).await;
        let is_accepted = match answer["refused"]["code"].as_str() {
            None => true,
            // The view was stale.
            Some("held" | "bets-closed" | "no-round-open" | "terminal-lost") => false,
            Some(other) => panic!("{other}: {answer}"),
        };
        self.bets.push((sequence, is_accepted));
        is_accepted
    }

    async fn plays(mut self, state: Arc<BettingState>, rests: watch::Receiver<bool>) -> Self {
        let begun = Instant::now();
        self.buy_in(CREDITS).await;
        while !*rests.borrow() {
            self.receive_for(TIME_BETWEEN_BETS, |_| false).await;
            self.receive_for(TIME_BETWEEN_BETS, TerminalConnection::is_open).await;
            let boxes = ["small", "big"];
            if self.connection.as_ref().is_some_and(TerminalConnection::is_open) {
                let bet = place(self.device.seat, &[(boxes[self.bets.len() % 2], STAKE)]);
                let sequence = self.device.sequence.fetch_add(1, Ordering::Relaxed) + 1;
                if self.bets_as(sequence, &bet).await {
                    state.takes(self.connection.as_ref().map_or(begun, |connection| connection.since));
                }
            }
        }
        self
    }
}

/// Counters of all players.
struct BettingState {
    taken: AtomicU64,
    watched: Mutex<FirstBetWatch>,
}

/// The first bet accepted over a connection that was opened after a moment.
struct FirstBetWatch {
    since: Instant,
    first: Option<Instant>,
}

impl BettingState {
    fn takes(&self, connected: Instant) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        let mut watched = self.watched.lock().unwrap();
        if connected >= watched.since {
            watched.first.get_or_insert_with(Instant::now);
        }
    }
}

/// All betting players.
pub(crate) struct BettingPlayers {
    state: Arc<BettingState>,
    rests: watch::Sender<bool>,
    players: Vec<JoinHandle<Player>>,
}

impl BettingPlayers {
    /// Starts every player.
    pub(crate) fn begin(house: &TestCasino, devices: Vec<Device>) -> Self {
        let watched = FirstBetWatch { since: Instant::now(), first: None };
        let state = Arc::new(BettingState { taken: AtomicU64::new(0), watched: Mutex::new(watched) });
        let (rests, rest) = watch::channel(false);
        let play = |device| Player::new(house, device).plays(Arc::clone(&state), rest.clone());
        let players = devices.into_iter().map(|device| house.runtime.spawn(play(device))).collect();
        Self { state, rests, players }
    }

    /// How many bets were accepted.
    pub(crate) fn taken(&self) -> u64 {
        self.state.taken.load(Ordering::Relaxed)
    }

    /// Waits until this many more bets are accepted.
    #[track_caller]
    pub(crate) fn bets(&self, more: u64) {
        let enough = self.taken() + more;
        until("bets are taken", || self.taken() >= enough || self.has_failed());
        assert!(!self.has_failed(), "a player cannot go on");
    }

    fn has_failed(&self) -> bool {
        self.players.iter().any(JoinHandle::is_finished)
    }

    /// Starts looking for the first bet that is accepted over a new connection.
    pub(crate) fn watch(&self) -> Instant {
        let since = Instant::now();
        *self.state.watched.lock().unwrap() = FirstBetWatch { since, first: None };
        since
    }

    /// Waits for that bet, and returns how long after the given moment it was accepted.
    #[track_caller]
    pub(crate) fn first_bet(&self, after: Instant) -> Duration {
        let mut first = None;
        until("a bet is taken", || {
            first = self.state.watched.lock().unwrap().first;
            first.is_some()
        });
        first.unwrap().saturating_duration_since(after)
    }

    /// Waits until every player has its last reply and has stopped.
    pub(crate) fn rest(self, house: &TestCasino) -> Vec<Player> {
        self.rests.send_replace(true);
        let players = self.players.into_iter();
        players.map(|player| house.runtime.block_on(player).expect("a player went on to the end")).collect()
    }
}

//! The cashier, who takes players' cash one at a time, as command numbers of a sign-in must rise. Each command goes to any
//! node that answers, and is repeated under the same number if none did.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use taisai_journal::suite::HANG_LIMIT;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::sleep;

use crate::house::TABLE;
use crate::person::{Person, agent, try_post};

/// The pause before another node is tried.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

pub(crate) struct Cashier {
    person: Person,
    addresses: Arc<[SocketAddr]>,
    turn: Arc<Mutex<()>>,
}

impl Cashier {
    pub(crate) fn new(person: Person, addresses: Vec<SocketAddr>) -> Self {
        Self { person, addresses: addresses.into(), turn: Arc::default() }
    }

    /// Takes cash for credits at a seat, when it is this player's turn.
    pub(crate) async fn buys_in(&self, cluster: u16, seat: u32, amount: i64) {
        let _turn = self.turn.lock().await;
        let by = Instant::now() + HANG_LIMIT;
        while !self.takes(cluster, seat, amount).await {
            assert!(Instant::now() < by, "the terminal at seat {seat} stays lost");
            sleep(RETRY_INTERVAL).await;
        }
    }

    /// Holds the turn until it is dropped.
    pub(crate) async fn turn(self: Arc<Self>) -> OwnedMutexGuard<()> {
        Arc::clone(&self.turn).lock_owned().await
    }

    /// Takes cash during the player's turn; `false` if the terminal was taken for lost in that moment.
    pub(crate) async fn takes(&self, cluster: u16, seat: u32, amount: i64) -> bool {
        let command = json!({"buy-in": {"seat": seat, "amount": amount}});
        let command = json!({"cluster": {"number": cluster, "command": command}});
        let answer = self.ask(command, Instant::now() + HANG_LIMIT).await;
        let is_lost = answer["refused"]["code"] == "terminal-lost";
        assert!(is_lost || answer.get("accepted").is_some(), "seat {seat}: {answer}");
        !is_lost
    }

    async fn ask(&self, command: Value, by: Instant) -> Value {
        let body = json!({"source": self.person.source, "sequence": self.person.next(), "command": command});
        for address in self.addresses.iter().copied().cycle() {
            assert!(Instant::now() < by, "nobody takes cash: {body}");
            let (body, cookie) = (body.clone(), self.person.cookie.clone());
            let path = format!("/api/v1/tables/{TABLE}/commands");
            let request = move || try_post(agent(), address, Some(&cookie), &path, &body);
            if let Ok((200, answer)) = tokio::task::spawn_blocking(request).await.unwrap() {
                return answer;
            }
            sleep(RETRY_INTERVAL).await;
        }
        unreachable!("the machines are tried for ever")
    }
}

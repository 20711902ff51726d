//! The Dealer, who deals round after round through any node that answers, reads the state of the table before each act, and
//! continues a held table.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use taisai_journal::suite::HANG_LIMIT;

use crate::house::{TABLE, TestCasino};
use crate::person::{Person, try_post};
use crate::random::Random;

/// How long bets stay open.
const BETTING_TIME: Duration = Duration::from_millis(1_500);

/// How long a node may take to answer.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause before the Dealer reads the table again.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) struct Dealer {
    person: Person,
    password: String,
    addresses: Vec<SocketAddr>,
    /// The node that was tried last.
    node: usize,
    agent: ureq::Agent,
    random: Random,
    opened: Instant,
    /// The dice of each acknowledged result.
    pub(crate) dice: BTreeMap<u64, [u8; 3]>,
}

impl Dealer {
    /// The Dealer of an open table.
    pub(crate) fn new(house: &TestCasino, person: Person, seed: u64) -> Self {
        let password = house.password(person.id);
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(REQUEST_TIMEOUT));
        let (addresses, agent) = (house.addresses(), config.build().into());
        let (random, opened) = (Random(seed), Instant::now());
        Self { person, password, addresses, node: 0, agent, random, opened, dice: BTreeMap::new() }
    }

    fn next_address(&mut self) -> SocketAddr {
        self.node = (self.node + 1) % self.addresses.len();
        self.addresses[self.node]
    }

    /// Tries one node after the other until one answers.
    fn at_any<T>(&mut self, what: &str, mut ask: impl FnMut(&mut Self, SocketAddr) -> Option<T>) -> T {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            let address = self.next_address();
            if let Some(answer) = ask(self, address) {
                return answer;
            }
            assert!(Instant::now() < by, "nobody answers the Dealer: {what}");
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// The table as everyone sees it.
    pub(crate) fn table_view(&mut self) -> Value {
        self.at_any("the table", |dealer, address| {
            let mut answer = dealer.agent.get(format!("http://{address}/api/v1/tables/{TABLE}")).call().ok()?;
            if answer.status() == 200 { answer.body_mut().read_json().ok() } else { None }
        })
    }

    /// Asks the dealer's side under one number until it is answered; nothing where the Dealer had to sign in again meanwhile.
    fn ask(&mut self, command: &Value) -> Option<Value> {
        let (source, sequence) = (self.person.source, self.person.next());
        let body = json!({"source": source, "sequence": sequence, "command": {"round": command}});
        let path = format!("/api/v1/tables/{TABLE}/commands");
        self.at_any(&command.to_string(), |dealer, address| {
            match try_post(&dealer.agent, address, Some(&dealer.person.cookie), &path, &body) {
                Ok((200, answer)) => Some(Some(answer)),
                Ok((401, _)) => {
                    dealer.sign_in();
                    Some(None)
                }
                Ok((500.., _)) | Err(_) => None,
                Ok((status, refusal)) => panic!("{status} {refusal}: {body}"),
            }
        })
    }

    fn sign_in(&mut self) {
        let id = self.person.id;
        self.person = self.at_any("signing in", |dealer, address| {
            match Person::sign_in_by(&dealer.agent, address, id, &dealer.password) {
                Ok(Ok(person)) => Some(person),
                Ok(Err((500.., _))) | Err(_) => None,
                Ok(Err((status, refusal))) => panic!("{status} {refusal}"),
            }
        });
    }

    /// The next act, by how the table stands. What is refused was no longer so, and is looked at again.
    pub(crate) fn act(&mut self) {
        let table = self.table_view();
        let act = match table["phase"].as_str().unwrap() {
            _ if table["is_held"] == true => json!("continue"),
            "idle" | "settled" | "void" => {
                self.opened = Instant::now();
                json!("open-bets")
            }
            "open" if self.may_close() => json!("close-bets"),
            "open" | "closing" | "result" => return thread::sleep(POLL_INTERVAL),
            "closed" => match table["tumbles"].as_u64() {
                None => json!("activate"),
                Some(0) => json!({"tumbled": {"times": 3}}),
                Some(_) => return self.commit(&table),
            },
            other => panic!("what is {other}?"),
        };
        self.ask(&act);
    }

    /// Commits the dice of a round that was tumbled.
    pub(crate) fn commit(&mut self, table: &Value) {
        let dice = [(); 3].map(|()| u8::try_from(self.random.below(6)).unwrap() + 1);
        let answer = self.ask(&json!({"commit": {"dice": dice}}));
        if answer.is_some_and(|answer| answer.get("accepted").is_some()) {
            let before = self.dice.insert(table["round"].as_u64().unwrap(), dice);
            assert_eq!(before, None, "a result was taken twice: {table}");
        }
    }

    /// Deals until the table is in this state, which is read before each act.
    #[track_caller]
    pub(crate) fn deals_until(&mut self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let by = Instant::now() + HANG_LIMIT;
        loop {
            let table = self.table_view();
            if is_so(&table) {
                return table;
            }
            assert!(Instant::now() < by, "{what}, or should be: {table}");
            self.act();
        }
    }

    /// Whether bets have been open for long enough.
    pub(crate) fn may_close(&self) -> bool {
        self.opened.elapsed() >= BETTING_TIME
    }

    /// Deals until no round is in play.
    #[track_caller]
    pub(crate) fn concludes(&mut self) {
        self.deals_until("the round is over", |table| {
            ["idle", "settled", "void"].iter().any(|phase| table["phase"] == *phase)
        });
    }

    /// Deals round after round.
    pub(crate) fn works(mut self) -> WorkingDealer {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            self.deals_while(&over);
            self
        });
        WorkingDealer { is_over, thread: Some(thread) }
    }

    fn deals_while(&mut self, is_over: &AtomicBool) {
        while !is_over.load(Ordering::Relaxed) {
            self.act();
        }
        self.concludes();
    }
}

/// A Dealer who deals in a thread.
pub(crate) struct WorkingDealer {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Dealer>>,
}

impl WorkingDealer {
    /// Lets the Dealer finish the round and stop.
    pub(crate) fn rests(mut self) -> Dealer {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().expect("the Dealer went on to the end")
    }
}

impl Drop for WorkingDealer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

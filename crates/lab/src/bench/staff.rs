//! The people of the casino that is measured: they sign in for the first time, open the table and deal.

use std::time::Instant;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use crate::socket::CasinoAddress;

/// Where they are: the only table.
const COMMANDS: &str = "/api/v1/tables/1/commands";

/// A person of the first start, by role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PersonOnFirstStart {
    pub(super) number: u32,
    pub(super) role: String,
    pub(super) password: String,
}

/// Someone who is signed in.
struct SignedInPerson {
    number: u32,
    agent: ureq::Agent,
    server: CasinoAddress,
    cookie: String,
    source: u64,
    sequence: u64,
}

/// Those who run the table.
pub(super) struct Staff {
    supervisor: SignedInPerson,
    dealer: SignedInPerson,
}

impl Staff {
    pub(super) fn sign_in(server: &CasinoAddress, people: &[PersonOnFirstStart]) -> anyhow::Result<Self> {
        let find = |role: &str| people.iter().find(|person| person.role == role).with_context(|| format!("no {role}"));
        let mut staff = Self {
            supervisor: SignedInPerson::sign_in(server, find("pit-supervisor")?)?,
            dealer: SignedInPerson::sign_in(server, find("dealer")?)?,
        };
        let dealer = staff.dealer.number;
        let rest = json!({"min": 100, "max": 1_000_000_000});
        let limits = json!({"unit": 100, "boxes": [], "rest": rest, "differential": null});
        for command in [
            json!("open-table"),
            json!({"relieve": {"position": "dealer", "person": dealer}}),
            json!({"show-limits": {"limits": limits, "why": "to measure"}}),
        ] {
            staff.supervisor.round(&command)?;
        }
        Ok(staff)
    }

    /// "Place your Bets, please".
    pub(super) fn open_bets(&mut self) -> anyhow::Result<()> {
        self.dealer.round(&json!("open-bets"))
    }

    /// "No more Bets", and the dice tumble.
    pub(super) fn give_result(&mut self) -> anyhow::Result<()> {
        for command in [json!("close-bets"), json!("activate"), json!({"tumbled": {"times": 3}})] {
            self.dealer.round(&command)?;
        }
        Ok(())
    }

    /// Commits the result, and gives the time before that.
    pub(super) fn commit(&mut self) -> anyhow::Result<Instant> {
        let begun = Instant::now();
        self.dealer.round(&json!({"commit": {"dice": [1, 2, 6]}}))?;
        Ok(begun)
    }

    /// Whether the casino has reported the terminal at a seat as lost.
    pub(super) fn has_lost(&self, seat: u64) -> anyhow::Result<bool> {
        let events = self.supervisor.get("/api/v1/house/lists/events")?;
        let is_lost = |event: &Value| event["what"]["reported"]["terminal-lost"]["seat"] == seat;
        Ok(events.as_array().is_some_and(|events| events.iter().any(is_lost)))
    }

    pub(super) fn revoke(&mut self, device: u32) -> anyhow::Result<()> {
        self.supervisor.ask("/api/v1/house/commands", &json!({"revoke": {"device": device}}))
    }

    /// Another round.
    pub(super) fn next_round(&mut self) -> anyhow::Result<()> {
        self.open_bets()
    }
}

impl SignedInPerson {
    /// Signs in for the first time, and chooses a password.
    fn sign_in(server: &CasinoAddress, first: &PersonOnFirstStart) -> anyhow::Result<Self> {
        let agent = ureq::Agent::new_with_defaults();
        let signed_in = agent
            .post(server.url("/api/v1/sign-in"))
            .send_json(json!({"person": first.number, "password": first.password}))
            .with_context(|| format!("{} cannot sign in", first.role))?;
        let cookie = signed_in.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).context("no cookie is set")?.to_owned();
        let own = "a password only for this measurement";
        let set = agent
            .post(server.url("/api/v1/password"))
            .header("cookie", &cookie)
            .send_json(json!({"old": first.password, "new": own}));
        let me: Value =
            set.with_context(|| format!("{} cannot choose a password", first.role))?.body_mut().read_json()?;
        let source = me["source"].as_u64().context("the casino gives no number")?;
        Ok(Self { number: first.number, agent, server: server.clone(), cookie, source, sequence: 0 })
    }

    /// Puts a command before the dealer's side.
    fn round(&mut self, command: &Value) -> anyhow::Result<()> {
        self.ask(COMMANDS, &json!({"round": command}))
    }

    /// What is at an address.
    fn get(&self, path: &str) -> anyhow::Result<Value> {
        let found = self.agent.get(self.server.url(path)).header("cookie", &self.cookie).call();
        Ok(found.with_context(|| path.to_owned())?.body_mut().read_json()?)
    }

    fn ask(&mut self, path: &str, command: &Value) -> anyhow::Result<()> {
        self.sequence += 1;
        let body = json!({"source": self.source, "sequence": self.sequence, "command": command});
        let sent = self.agent.post(self.server.url(path)).header("cookie", &self.cookie).send_json(body);
        let answer: Value = sent.with_context(|| format!("{command}"))?.body_mut().read_json()?;
        if answer.get("accepted").is_none() {
            bail!("{command} is refused: {answer}");
        }
        Ok(())
    }
}

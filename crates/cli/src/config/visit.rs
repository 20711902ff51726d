//! A visit to a running house over HTTP, by a person who signs in. It knows how commands are asked and answered, and nothing of
//! what they mean.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use taisai_table::{Act, HouseCommand, RoundCommand, TableId};

use super::changes::Recorded;

/// How long one request may take.
const REQUEST: Duration = Duration::from_secs(30);
/// How often a thing that is waited for is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How long a second person, or the end of a round, is waited for: as long as an approval lasts.
const PATIENCE: Duration = Duration::from_mins(10);

/// A person who is signed in.
pub(super) struct Visit {
    agent: ureq::Agent,
    server: String,
    cookie: String,
    source: u64,
    sequence: u64,
}

/// The answer to a command.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    Accepted(Option<Value>),
    Refused(Refused),
}

#[derive(Deserialize)]
struct Refused {
    code: String,
    sentence: String,
}

#[derive(Deserialize)]
struct Me {
    source: u64,
    #[serde(default)]
    password_to_be_set: bool,
}

/// What the second person says.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Second {
    Waiting,
    Approved(u32),
    Refused(u32),
}

#[derive(Deserialize)]
struct ApprovalState {
    answer: Second,
}

/// What a command is asked of.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum What {
    /// The House.
    House(HouseCommand),
    /// A table.
    Table { table: TableId, round: RoundCommand },
}

impl Visit {
    /// Signs in.
    pub(super) fn sign_in(server: &str, person: u32, password: &str) -> anyhow::Result<Self> {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(REQUEST)).build();
        let mut visit = Self {
            agent: config.new_agent(),
            server: server.trim_end_matches('/').to_owned(),
            cookie: String::new(),
            source: 0,
            sequence: 0,
        };
        let me: Me = visit.post("sign-in", &json!({"person": person, "password": password}))?;
        ensure!(!me.password_to_be_set, "set a password of your own first, at a screen");
        visit.source = me.source;
        Ok(visit)
    }

    /// Signs out. Whoever forgets it is signed out by time.
    pub(super) fn sign_out(mut self) -> anyhow::Result<()> {
        self.send("sign-out", &json!({})).map(drop)
    }

    /// The set-up of the house.
    pub(super) fn configuration(&mut self) -> anyhow::Result<Recorded> {
        self.get("house/configuration")
    }

    /// Asks until it is carried out: with a second person's approval where one is needed, and between rounds.
    pub(super) fn ask(&mut self, what: &What, mut tell: impl FnMut(&str)) -> anyhow::Result<()> {
        let begin = Instant::now();
        let mut approval = None;
        loop {
            match self.command(what, approval)? {
                Answer::Accepted(_) => return Ok(()),
                Answer::Refused(refused) if refused.code == "second-person-missing" && approval.is_none() => {
                    approval = Some(self.approval(what, &mut tell)?);
                }
                Answer::Refused(refused) if refused.code == "round-in-play" && begin.elapsed() < PATIENCE => {
                    tell("a round is in play: waiting for its end");
                    std::thread::sleep(LOOK);
                }
                Answer::Refused(refused) => bail!("{}: {}", refused.code, refused.sentence),
            }
        }
    }

    fn command(&mut self, what: &What, approval: Option<u64>) -> anyhow::Result<Answer> {
        let (path, command) = match what {
            What::House(command) => ("house/commands".to_owned(), serde_json::to_value(command)?),
            What::Table { table, round } => (format!("tables/{}/commands", table.0), json!({ "round": round })),
        };
        self.sequence += 1;
        let mut body = json!({"source": self.source, "sequence": self.sequence, "command": command});
        if let Some(approval) = approval {
            body["approval"] = approval.into();
        }
        self.post(&path, &body)
    }

    /// Asks for an approval, and waits until the second person has given it.
    fn approval(&mut self, what: &What, tell: &mut impl FnMut(&str)) -> anyhow::Result<u64> {
        let act = match what {
            What::House(_) => Act::Configure,
            What::Table { .. } => Act::ChangeLimits,
        };
        let request = HouseCommand::RequestApproval { act, what: serde_json::to_string(what)? };
        let approval = match self.command(&What::House(request), None)? {
            Answer::Accepted(Some(event)) => event["approval-requested"]["approval"].as_u64(),
            Answer::Accepted(None) => None,
            Answer::Refused(refused) => bail!("{}: {}", refused.code, refused.sentence),
        };
        let approval = approval.context("the house does not say which approval it waits for")?;
        tell(&format!("a second person must approve this at a screen of their own: approval {approval}"));
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.get::<ApprovalState>(&format!("house/approvals/{approval}"))?.answer {
                Second::Waiting => std::thread::sleep(LOOK),
                Second::Approved(person) => {
                    tell(&format!("approved by {person}"));
                    return Ok(approval);
                }
                Second::Refused(person) => bail!("person {person} has refused it"),
            }
        }
        bail!("nobody has approved it in time");
    }

    fn address(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.server)
    }

    fn get<T: DeserializeOwned>(&mut self, path: &str) -> anyhow::Result<T> {
        let address = self.address(path);
        let answer = self.agent.get(&address).header("Cookie", &self.cookie).call();
        read(answer.with_context(|| format!("{address} does not answer"))?)
    }

    fn post<T: DeserializeOwned>(&mut self, path: &str, body: &Value) -> anyhow::Result<T> {
        read(self.send(path, body)?)
    }

    fn send(&mut self, path: &str, body: &Value) -> anyhow::Result<ureq::http::Response<ureq::Body>> {
        let address = self.address(path);
        let request = self.agent.post(&address).header("Origin", &self.server).header("Cookie", &self.cookie);
        let answer = request.send_json(body).with_context(|| format!("{address} does not answer"))?;
        let cookie = answer.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok());
        if let Some((cookie, _)) = cookie.map(|cookie| cookie.split_once(';').unwrap_or((cookie, ""))) {
            cookie.clone_into(&mut self.cookie);
        }
        Ok(answer)
    }
}

/// What was asked for, or why the house denies it.
fn read<T: DeserializeOwned>(mut answer: ureq::http::Response<ureq::Body>) -> anyhow::Result<T> {
    let status = answer.status();
    let body: Value =
        answer.body_mut().read_json().with_context(|| format!("the house answers {status} without JSON"))?;
    if !status.is_success() {
        let sentence = body["refused"]["sentence"].as_str();
        return Err(sentence.map_or_else(|| anyhow!("the house answers {status}"), |sentence| anyhow!("{sentence}")));
    }
    serde_json::from_value(body).context("the house answers in another way than this program knows")
}

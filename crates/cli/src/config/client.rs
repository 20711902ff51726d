//! A client of a running installation's HTTP API, for one person who signs in. It knows how to send commands and how replies
//! look, but not what commands mean.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use taisai_table::{Act, HouseCommand, RoundCommand, TableId};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig};

use super::changes::RecordedConfig;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long to wait for a second person, or for the end of a round. An approval lasts as long.
const APPROVAL_TIMEOUT: Duration = Duration::from_mins(10);

/// A person who is signed in.
pub(super) struct ApiClient {
    agent: ureq::Agent,
    server: String,
    cookie: String,
    source: u64,
    sequence: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ApiReply {
    Accepted(Option<Value>),
    Refused(RefusalReply),
}

#[derive(Deserialize)]
struct RefusalReply {
    code: String,
    sentence: String,
}

#[derive(Deserialize)]
struct SignInReply {
    source: u64,
    #[serde(default)]
    password_to_be_set: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ApprovalOutcome {
    Waiting,
    Approved(u32),
    Refused(u32),
}

#[derive(Deserialize)]
struct ApprovalReply {
    answer: ApprovalOutcome,
}

/// A command that changes the configuration, and the machine that it goes to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ChangeCommand {
    House(HouseCommand),
    Table { table: TableId, round: RoundCommand },
}

impl ApiClient {
    /// Signs in at `server`. Over https its certificate must be signed by `ca`, or by an authority that the system trusts.
    pub(super) fn sign_in(server: &str, ca: Option<&Path>, person: u32, password: &str) -> anyhow::Result<Self> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(REQUEST_TIMEOUT))
            .tls_config(tls_config(server, ca)?)
            .build();
        let mut client = Self {
            agent: config.new_agent(),
            server: server.trim_end_matches('/').to_owned(),
            cookie: String::new(),
            source: 0,
            sequence: 0,
        };
        let me: SignInReply = client.post("sign-in", &json!({"person": person, "password": password}))?;
        ensure!(
            !me.password_to_be_set,
            "this password works once: sign in at a screen and set a password of your own first"
        );
        client.source = me.source;
        Ok(client)
    }

    /// Signs out. Without it the session ends by time.
    pub(super) fn sign_out(mut self) -> anyhow::Result<()> {
        self.post_json("sign-out", &json!({})).map(drop)
    }

    pub(super) fn configuration(&mut self) -> anyhow::Result<RecordedConfig> {
        self.get("house/configuration")
    }

    /// Sends a command until it is carried out. Waits for a second person's approval if it needs one, and for the end of a round.
    /// `notify` gets what it waits for.
    pub(super) fn send_until_accepted(
        &mut self,
        change: &ChangeCommand,
        mut notify: impl FnMut(&str),
    ) -> anyhow::Result<()> {
        let begin = Instant::now();
        let mut approval = None;
        loop {
            match self.send_command(change, approval)? {
                ApiReply::Accepted(_) => return Ok(()),
                ApiReply::Refused(refused) if refused.code == "second-person-missing" && approval.is_none() => {
                    approval = Some(self.wait_for_approval(change, &mut notify)?);
                }
                ApiReply::Refused(refused) if refused.code == "round-in-play" && begin.elapsed() < APPROVAL_TIMEOUT => {
                    notify("a round is in play: waiting until it ends");
                    std::thread::sleep(POLL_INTERVAL);
                }
                ApiReply::Refused(refused) => bail!("{}: {}", refused.code, refused.sentence),
            }
        }
    }

    fn send_command(&mut self, change: &ChangeCommand, approval: Option<u64>) -> anyhow::Result<ApiReply> {
        let (path, command) = match change {
            ChangeCommand::House(command) => ("house/commands".to_owned(), serde_json::to_value(command)?),
            ChangeCommand::Table { table, round } => {
                (format!("tables/{}/commands", table.0), json!({ "round": round }))
            }
        };
        self.sequence += 1;
        let mut body = json!({"source": self.source, "sequence": self.sequence, "command": command});
        if let Some(approval) = approval {
            body["approval"] = approval.into();
        }
        self.post(&path, &body)
    }

    /// Requests an approval, and waits until a second person gives it.
    fn wait_for_approval(&mut self, change: &ChangeCommand, notify: &mut impl FnMut(&str)) -> anyhow::Result<u64> {
        let act = match change {
            ChangeCommand::House(_) => Act::Configure,
            ChangeCommand::Table { .. } => Act::ChangeLimits,
        };
        let request = HouseCommand::RequestApproval { act, what: serde_json::to_string(change)? };
        let approval = match self.send_command(&ChangeCommand::House(request), None)? {
            ApiReply::Accepted(Some(event)) => event["approval-requested"]["approval"].as_u64(),
            ApiReply::Accepted(None) => None,
            ApiReply::Refused(refused) => bail!("{}: {}", refused.code, refused.sentence),
        };
        let approval = approval.context("the server does not say which approval it waits for")?;
        notify(&format!("a second person must approve this at a screen of their own: approval {approval}"));
        let begin = Instant::now();
        while begin.elapsed() < APPROVAL_TIMEOUT {
            match self.get::<ApprovalReply>(&format!("house/approvals/{approval}"))?.answer {
                ApprovalOutcome::Waiting => std::thread::sleep(POLL_INTERVAL),
                ApprovalOutcome::Approved(person) => {
                    notify(&format!("approved by person {person}"));
                    return Ok(approval);
                }
                ApprovalOutcome::Refused(person) => bail!("person {person} refuses it"),
            }
        }
        bail!("nobody approved it within ten minutes: apply the file again");
    }

    fn address(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.server)
    }

    fn get<T: DeserializeOwned>(&mut self, path: &str) -> anyhow::Result<T> {
        let address = self.address(path);
        let response = self.agent.get(&address).header("Cookie", &self.cookie).call();
        read_reply(response.with_context(|| format!("{address} does not answer"))?)
    }

    fn post<T: DeserializeOwned>(&mut self, path: &str, body: &Value) -> anyhow::Result<T> {
        read_reply(self.post_json(path, body)?)
    }

    fn post_json(&mut self, path: &str, body: &Value) -> anyhow::Result<ureq::http::Response<ureq::Body>> {
        let address = self.address(path);
        let request = self.agent.post(&address).header("Origin", &self.server).header("Cookie", &self.cookie);
        let response = request.send_json(body).with_context(|| format!("{address} does not answer"))?;
        let cookie = response.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok());
        if let Some((cookie, _)) = cookie.map(|cookie| cookie.split_once(';').unwrap_or((cookie, ""))) {
            cookie.clone_into(&mut self.cookie);
        }
        Ok(response)
    }
}

/// Reads the reply, or the sentence with which the server denies the request.
fn read_reply<T: DeserializeOwned>(mut response: ureq::http::Response<ureq::Body>) -> anyhow::Result<T> {
    let status = response.status();
    let body: Value = response
        .body_mut()
        .read_json()
        .with_context(|| format!("the reply, status {status}, is not JSON: is this the address of taisai serve?"))?;
    if !status.is_success() {
        let sentence = body["refused"]["sentence"].as_str();
        return Err(sentence.map_or_else(|| anyhow!("the server replies {status}"), |sentence| anyhow!("{sentence}")));
    }
    serde_json::from_value(body).context("the server runs another version: use its own taisai program")
}

/// Trusts the authorities in the file `ca`, or else those of the system.
fn tls_config(server: &str, ca: Option<&Path>) -> anyhow::Result<TlsConfig> {
    let is_https = server.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"));
    ensure!(is_https || ca.is_none(), "--ca is for https:// addresses, and {server} is not one");
    let certificates = match ca {
        Some(file) => read_certificates(file).with_context(|| format!("cannot use {}", file.display()))?,
        None if is_https => system_certificates()?,
        None => Vec::new(),
    };
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&certificates))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}

fn read_certificates(file: &Path) -> anyhow::Result<Vec<Certificate<'static>>> {
    let pem = std::fs::read(file)?;
    let mut certificates = Vec::new();
    for item in ureq::tls::parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item? {
            certificates.push(certificate);
        }
    }
    ensure!(!certificates.is_empty(), "the file has no certificate in PEM");
    Ok(certificates)
}

/// Certificates that cannot be read are skipped: one of them must not keep the others from being used.
fn system_certificates() -> anyhow::Result<Vec<Certificate<'static>>> {
    let found = rustls_native_certs::load_native_certs();
    let first_error = found.errors.first().map(|error| format!(": {error}")).unwrap_or_default();
    ensure!(!found.certs.is_empty(), "the system has no certificate authorities{first_error}; name one with --ca");
    Ok(found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect())
}

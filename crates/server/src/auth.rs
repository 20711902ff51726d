//! Sign-in of people, the commands they send, and the store of secrets. The machines decide what a person may do; here the server
//! only finds out who asks.

pub(crate) mod approvals;
mod attempts;
mod caller;
pub(crate) mod commands;
mod cookie;
mod http;
mod password;
pub(crate) mod secrets;
mod sign_ins;
pub(crate) mod unlock;

use std::sync::Weak;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use data_encoding::HEXLOWER;
use taisai_table::{House, HouseCommand, Person, PersonId, ReportedEvent, SecretOwner, Time};

use crate::auth::secrets::{OneTimeCode, Password, Secrets, SecretsError, SignInKey};
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::server::{Server, SharedServer};
pub(crate) use attempts::Attempts;
pub(crate) use caller::ClientAddress;
pub(crate) use http::{Approved, routes};
use password::Hashing;
pub(crate) use sign_ins::TimeOuts;
use sign_ins::{FoundSignIn, SignIns};

/// How often refused secrets are reported, beside those of a sign-in.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

/// A screen that polls without a person sends `yes`.
const UNATTENDED_HEADER: HeaderName = HeaderName::from_static("taisai-unattended");

pub(crate) struct People {
    sign_ins: SignIns,
    pub(crate) hashing: Hashing,
    tries: Attempts,
}

/// A person who is signed in and has chosen a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignedIn {
    /// With the roles on file at this moment.
    pub(crate) person: Person,
    /// The source of this sign-in's commands.
    pub(crate) source: u64,
    /// Whether the password was given recently.
    pub(crate) is_fresh: bool,
}

/// A sign-in with its person as the House has it on file.
struct KnownSignIn {
    person: Person,
    name: String,
    found: FoundSignIn,
}

impl People {
    /// Those who were signed in when the program stopped still are.
    pub(crate) async fn open(secrets: &Secrets, time_outs: TimeOuts) -> Result<Self, SecretsError> {
        Ok(Self {
            sign_ins: SignIns::new(time_outs, secrets.sign_ins().await?),
            hashing: Hashing::new(),
            tries: Attempts::default(),
        })
    }

    /// Whether a source belongs to this sign-in or one of its screens. Asking counts as use.
    pub(crate) fn uses(&self, signed_in: &SignedIn, source: u64) -> bool {
        self.sign_ins.uses(signed_in.source, source)
    }
}

impl SignedIn {
    /// Sensitive commands need a recent password (F51).
    pub(crate) const fn fresh(self) -> Result<Self, Denied> {
        if self.is_fresh { Ok(self) } else { Err(Denied::SignInAgain) }
    }
}

impl FromRequestParts<SharedServer> for SignedIn {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, server: &SharedServer) -> Result<Self, Denied> {
        let source = signed_in(&parts.headers, server).await?.source;
        still(server, source, is_use(&parts.headers)).await
    }
}

/// Whether a person asks: polling keeps nobody signed in (F51).
fn is_use(headers: &HeaderMap) -> bool {
    headers.get(UNATTENDED_HEADER).is_none_or(|value| value != "yes")
}

/// Checks that a sign-in still holds, and who it is now. A socket asks before each command, with `is_use`, and every few seconds
/// without.
pub(crate) async fn still(server: &Server, source: u64, is_use: bool) -> Result<SignedIn, Denied> {
    let KnownSignIn { person, found, .. } = known(server, source, is_use).await?;
    if found.is_one_time {
        return Err(Denied::PasswordToBeSet);
    }
    Ok(SignedIn { person, source: found.source, is_fresh: found.is_fresh })
}

/// The source for a screen: the one it had before, or a new one of this sign-in.
pub(crate) async fn screen_source(server: &Server, by: &SignedIn, before: Option<u64>) -> Result<u64, Denied> {
    match before {
        Some(before) if server.people.uses(by, before) => return Ok(before),
        Some(_) => return Err(Denied::NotYours),
        None => {}
    }
    let source = server.sources.next();
    let dropped = server.people.sign_ins.add_source(by.source, source);
    server.secrets.add_source(by.source, source, dropped).await?;
    Ok(source)
}

/// Gives a person a one-time password in place of the current one. It is shown once. Its version is to be recorded.
pub(crate) async fn one_time_password(
    secrets: &Secrets,
    now: Time,
    person: PersonId,
    newest: u32,
) -> Result<(String, u32), SecretsError> {
    let password = OneTimeCode::random()?;
    let on_file = Password::OneTime(HEXLOWER.encode(&password.hash()));
    let version = secrets.set_password(person, on_file, now, newest).await?;
    Ok((password.to_string(), version))
}

/// The version of the newest secret of a person or a device, as the House has it.
pub(crate) async fn newest_secret(server: &Server, owner: SecretOwner) -> Result<u32, Denied> {
    Ok(server.node.house().read(move |house| house.secret_version(owner)).await?)
}

/// Records that a secret was set: older ones are not believed from now on.
pub(crate) async fn record_secret(server: &Server, owner: SecretOwner, version: u32) -> Result<(), Denied> {
    match server.node.house().own(HouseCommand::ChangeSecret { owner, version }).await? {
        CommandReply::Accepted(_) => Ok(()),
        // The person or the device is no longer on file.
        CommandReply::Refused(_) => Err(Denied::Unknown),
    }
}

/// Reports secrets that were refused to the House. What it does not answer is reported again.
pub(crate) async fn report_refused(server: &Server) -> Result<(), Denied> {
    let _alone = server.secrets.reporting().await;
    let now = server.clock.now();
    for owner in server.secrets.refused(now) {
        server.node.house().own(HouseCommand::Report { what: ReportedEvent::SecretRefused { owner } }).await?;
        server.secrets.reported(owner, now);
    }
    Ok(())
}

/// Reports refused secrets as long as the server runs.
pub(crate) async fn report_refused_secrets(server: Weak<Server>) {
    let mut looks = tokio::time::interval(REPORT_INTERVAL);
    loop {
        looks.tick().await;
        let Some(server) = server.upgrade() else { return };
        if let Err(denied) = report_refused(&server).await {
            tracing::warn!(why = denied.code(), "could not report that secrets were refused");
        }
    }
}

/// The sign-in of the cookie in a request.
async fn signed_in(headers: &HeaderMap, server: &Server) -> Result<FoundSignIn, Denied> {
    let token = cookie::token(headers).ok_or(Denied::NotSignedIn)?;
    refresh(server, SignInKey::Token(token.hash())).await?;
    server.people.sign_ins.find(&token.hash(), server.clock.now()).ok_or(Denied::NotSignedIn)
}

/// The person with the roles on file at this moment. A suspended person is signed out.
async fn known(server: &Server, source: u64, is_use: bool) -> Result<KnownSignIn, Denied> {
    refresh(server, SignInKey::Source(source)).await?;
    let found = server.people.sign_ins.by_source(source, server.clock.now()).ok_or(Denied::NotSignedIn)?;
    let id = found.person;
    let read = move |house: &House| house.as_actor(id).zip(house.person(id).map(|employee| employee.name.clone()));
    let Some((person, name)) = server.node.house().read(read).await? else {
        end_of(server, id, None).await?;
        return Err(Denied::NotSignedIn);
    };
    if is_use && let Some((used, asked)) = server.people.sign_ins.touch(source, server.clock.now()) {
        server.secrets.used(source, used, asked).await?;
    }
    Ok(KnownSignIn { person, name, found })
}

/// With several nodes, people sign in and out at any of them, so the store decides.
async fn refresh(server: &Server, which: SignInKey) -> Result<(), Denied> {
    if server.peers.is_some() {
        server.people.sign_ins.replace(which, server.secrets.sign_in(which).await?);
    }
    Ok(())
}

/// Ends all sign-ins of a person but one, also those of other nodes.
async fn end_of(server: &Server, person: PersonId, save: Option<u64>) -> Result<(), Denied> {
    server.people.sign_ins.end_of(person, save);
    Ok(server.secrets.end_of(person, save).await?)
}

async fn end(server: &Server, sources: Vec<u64>) -> Result<(), Denied> {
    if sources.is_empty() {
        return Ok(());
    }
    Ok(server.secrets.end(sources).await?)
}

#[cfg(test)]
mod tests;

//! People at screens: they sign in, are asked again for what is sensitive, and are signed out when they are idle. What a
//! person may do is decided by the machines; here it is only found out who asks.

pub(crate) mod approvals;
mod attempts;
mod caller;
pub(crate) mod commands;
mod cookie;
mod http;
mod password;
pub(crate) mod secrets;
pub(crate) mod sensitive;
mod sign_ins;
pub(crate) mod unlock;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use taisai_table::{House, Person, PersonId, Time};

use crate::auth::secrets::{OneTimeCode, Password, Secrets, SecretsError, SignInKey, hex};
use crate::http::denied::Denied;
use crate::server::{Server, SharedServer};
pub(crate) use attempts::Attempts;
pub(crate) use caller::ClientAddress;
pub(crate) use http::{Approved, routes};
use password::Hashing;
pub(crate) use sign_ins::TimeOuts;
use sign_ins::{FoundSignIn, SignIns};

/// What a screen asks by itself, with nobody at it, says so by `yes`.
const UNATTENDED_HEADER: HeaderName = HeaderName::from_static("taisai-unattended");

/// Who is signed in.
pub(crate) struct People {
    sign_ins: SignIns,
    pub(crate) hashing: Hashing,
    tries: Attempts,
}

/// A person who is signed in, with a password of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignedIn {
    /// Who, with the roles on file at this moment.
    pub(crate) person: Person,
    /// The number of this login's commands.
    pub(crate) source: u64,
    /// Whether the password was given not long ago.
    pub(crate) is_fresh: bool,
}

/// A person who is signed in, as the house knows them.
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

    /// Whether a number was given to this login, which uses it now: its own, or that of one of its screens.
    pub(crate) fn uses(&self, signed_in: &SignedIn, source: u64) -> bool {
        self.sign_ins.uses(signed_in.source, source)
    }
}

impl SignedIn {
    /// Sensitive acts ask for the password again (F51).
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

/// Whether somebody asks: what a screen asks by itself keeps nobody signed in (F51).
fn is_use(headers: &HeaderMap) -> bool {
    headers.get(UNATTENDED_HEADER).is_none_or(|said| said != "yes")
}

/// Whether the login of that number still holds, and who it is now. A socket asks before each command, with `is_use`, and
/// every few seconds without: being looked at is no use of a screen.
pub(crate) async fn still(server: &Server, source: u64, is_use: bool) -> Result<SignedIn, Denied> {
    let KnownSignIn { person, found, .. } = known(server, source, is_use).await?;
    if found.is_one_time {
        return Err(Denied::PasswordToBeSet);
    }
    Ok(SignedIn { person, source: found.source, is_fresh: found.is_fresh })
}

/// The number for the commands of a screen: the one that it had before, or a further one of this login.
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

/// Gives a person a password that must be replaced at the first sign-in; the one before is gone. It is shown once.
pub(crate) async fn one_time_password(secrets: &Secrets, now: Time, person: PersonId) -> Result<String, SecretsError> {
    let password = OneTimeCode::random()?;
    let on_file = Password::OneTime(hex::hex(&password.hash()));
    secrets.set_password(person, on_file, now).await?;
    Ok(password.to_string())
}

/// The sign-in of a request, by the token in its cookie.
async fn signed_in(headers: &HeaderMap, server: &Server) -> Result<FoundSignIn, Denied> {
    let token = cookie::token(headers).ok_or(Denied::NotSignedIn)?;
    refresh(server, SignInKey::Token(token.hash())).await?;
    server.people.sign_ins.find(&token.hash(), server.clock.now()).ok_or(Denied::NotSignedIn)
}

/// Who it is, with the roles on file at this moment. Someone who is suspended is out.
async fn known(server: &Server, source: u64, is_use: bool) -> Result<KnownSignIn, Denied> {
    refresh(server, SignInKey::Source(source)).await?;
    let found = server.people.sign_ins.by_source(source, server.clock.now()).ok_or(Denied::NotSignedIn)?;
    let id = found.person;
    let look = move |house: &House| house.as_actor(id).zip(house.person(id).map(|employee| employee.name.clone()));
    let Some((person, name)) = server.node.house().look(look).await? else {
        end_of(server, id, None).await?;
        return Err(Denied::NotSignedIn);
    };
    if is_use && let Some((used, asked)) = server.people.sign_ins.touch(source, server.clock.now()) {
        server.secrets.used(source, used, asked).await?;
    }
    Ok(KnownSignIn { person, name, found })
}

/// Where several nodes run the house, people sign in and out at any of them: what the store has of a sign-in holds.
async fn refresh(server: &Server, which: SignInKey) -> Result<(), Denied> {
    if server.peers.is_some() {
        server.people.sign_ins.replace(which, server.secrets.sign_in(which).await?);
    }
    Ok(())
}

/// Every sign-in of a person ends, save one: also those that began at another node.
async fn end_of(server: &Server, person: PersonId, save: Option<u64>) -> Result<(), Denied> {
    server.people.sign_ins.end_of(person, save);
    Ok(server.secrets.end_of(person, save).await?)
}

/// Sign-ins that have ended here end in the store.
async fn end(server: &Server, sources: Vec<u64>) -> Result<(), Denied> {
    if sources.is_empty() {
        return Ok(());
    }
    Ok(server.secrets.end(sources).await?)
}

#[cfg(test)]
mod tests;

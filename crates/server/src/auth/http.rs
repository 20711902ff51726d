//! Sign-in, sign-out and passwords over HTTP. A wrong password, an unknown person and one who is locked out get the same response,
//! after the same time.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse};
use serde::{Deserialize, Serialize};
use taisai_endpoint::endpoint;
use taisai_table::{Act, ApprovalId, HouseCommand, PersonId, Roles, SecretOwner, Time};

use super::approvals::{ApprovedAct, may};
use super::caller::ClientAddress;
use super::commands::to_the_end;
use super::cookie::{self, Token};
use super::{
    KnownSignIn, SignedIn, end, end_of, known, newest_secret, one_time_password, password, record_secret,
    report_refused, screen_source, signed_in,
};
use crate::auth::secrets::{Password, StoredSignIn};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::http::request::{JsonBody, PathParams};
use crate::server::{Server, SharedServer};

const MAX_BODY_BYTES: usize = 4 * 1_024;

pub(crate) fn routes() -> Routes {
    Routes::of([
        sign_in::add_to,
        sign_in_again::add_to,
        sign_out::add_to,
        set_password::add_to,
        me::add_to,
        further_source::add_to,
        give_password::add_to,
    ])
    .with_largest(MAX_BODY_BYTES)
}

/// Who signs in.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct SignIn {
    /// The person's number.
    person: PersonId,
    password: String,
}

/// The password of whoever is signed in.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct SignInAgain {
    password: String,
}

/// The password until now and the one from now on.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct NewPassword {
    old: String,
    new: String,
}

/// The person who is signed in.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct Me {
    person: PersonId,
    name: String,
    /// The roles at this moment.
    roles: Roles,
    /// The number of this login's commands.
    source: u64,
    /// Whether the password was given not long ago: sensitive acts ask for it again.
    is_fresh: bool,
    /// Whether nothing else can be done before a password was chosen.
    password_to_be_set: bool,
    /// When the login ends, if nothing is done until then: milliseconds since 1970, UTC.
    ends: Time,
}

/// The number of a screen's commands.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct FurtherSource {
    source: u64,
}

/// The approval of the second person, where the profile asks for one.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Approved {
    pub(crate) approval: Option<ApprovalId>,
}

/// A password that was given. It is shown once, and must be replaced at the first sign-in.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct GivenPassword {
    person: PersonId,
    password: String,
}

impl From<KnownSignIn> for Me {
    fn from(KnownSignIn { person, name, found }: KnownSignIn) -> Self {
        Self {
            person: person.id,
            name,
            roles: person.roles,
            source: found.source,
            is_fresh: found.is_fresh,
            password_to_be_set: found.is_one_time,
            ends: found.ends,
        }
    }
}

/// Sign in with number and password. The answer sets the cookie.
#[endpoint(post, "/sign-in", tag = "people", request_body = SignIn, responses(
    (status = 200, body = Me),
    (status = 401, description = "wrong-password"),
    (status = 429, description = "too-many"),
))]
async fn sign_in(
    State(server): State<SharedServer>,
    caller: ClientAddress,
    headers: HeaderMap,
    JsonBody(SignIn { person, password }): JsonBody<SignIn>,
) -> Result<impl IntoResponse, Denied> {
    let on_file = checked(&server, caller, person, password).await?;
    if let Ok(before) = signed_in(&headers, &server).await {
        end(&server, server.people.sign_ins.end(before.source)).await?;
    }
    let (now, token) = (server.clock.now(), Token::random()?);
    let begun = StoredSignIn {
        source: server.sources.next(),
        token: token.hash(),
        person,
        begun: now,
        used: now,
        asked: now,
        further: Vec::new(),
        is_one_time: matches!(on_file, Password::OneTime(_)),
    };
    let source = begun.source;
    server.secrets.begin(begun.clone()).await?;
    end(&server, server.people.sign_ins.begin(begun, now)).await?;
    tracing::info!(person = person.0, address = %caller.0, "signed in");
    let me: Me = known(&server, source, false).await?.into();
    Ok((AppendHeaders([(SET_COOKIE, token.given())]), Json(me)))
}

/// Give the password again, as sensitive acts ask for it.
#[endpoint(post, "/sign-in/again", tag = "people", request_body = SignInAgain, responses(
    (status = 200, body = Me),
    (status = 401, description = "not-signed-in, wrong-password"),
    (status = 429, description = "too-many"),
))]
async fn sign_in_again(
    State(server): State<SharedServer>,
    caller: ClientAddress,
    headers: HeaderMap,
    JsonBody(SignInAgain { password }): JsonBody<SignInAgain>,
) -> Result<Json<Me>, Denied> {
    let KnownSignIn { person, found, .. } = known(&server, signed_in(&headers, &server).await?.source, true).await?;
    checked(&server, caller, person.id, password).await?;
    let now = server.clock.now();
    server.secrets.used(found.source, now, now).await?;
    server.people.sign_ins.password_entered(found.source, now);
    Ok(Json(known(&server, found.source, false).await?.into()))
}

/// Set another password. Every other login of the person ends.
#[endpoint(post, "/password", tag = "people", request_body = NewPassword, responses(
    (status = 200, body = Me),
    (status = 401, description = "not-signed-in, wrong-password"),
    (status = 422, description = "weak-password"),
    (status = 429, description = "too-many"),
))]
async fn set_password(
    State(server): State<SharedServer>,
    caller: ClientAddress,
    headers: HeaderMap,
    JsonBody(NewPassword { old, new }): JsonBody<NewPassword>,
) -> Result<Json<Me>, Denied> {
    let KnownSignIn { person, found, .. } = known(&server, signed_in(&headers, &server).await?.source, true).await?;
    checked(&server, caller, person.id, old.clone()).await?;
    if !password::is_good(&new, &old) {
        return Err(Denied::WeakPassword);
    }
    let hashed = server.people.hashing.hash(new).await?;
    end_of(&server, person.id, Some(found.source)).await?;
    let (now, owner) = (server.clock.now(), SecretOwner::Person(person.id));
    let changed = Arc::clone(&server);
    let change = async move {
        let newest = newest_secret(&changed, owner).await?;
        let version = changed.secrets.set_password(person.id, hashed, now, newest).await?;
        record_secret(&changed, owner, version).await
    };
    to_the_end(change).await?;
    server.people.sign_ins.has_password(found.source);
    server.people.sign_ins.password_entered(found.source, now);
    tracing::info!(person = person.id.0, "a password was set");
    Ok(Json(known(&server, found.source, false).await?.into()))
}

/// Sign out.
#[endpoint(post, "/sign-out", tag = "people", responses(
    (status = 204),
    (status = 401, description = "not-signed-in"),
))]
async fn sign_out(State(server): State<SharedServer>, headers: HeaderMap) -> Result<impl IntoResponse, Denied> {
    let found = signed_in(&headers, &server).await?;
    end(&server, server.people.sign_ins.end(found.source)).await?;
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(SET_COOKIE, cookie::taken())])))
}

/// Who is signed in. Asking does not keep the login from ending.
#[endpoint(get, "/me", tag = "people", responses(
    (status = 200, body = Me), (status = 401, description = "not-signed-in"),
))]
async fn me(State(server): State<SharedServer>, headers: HeaderMap) -> Result<Json<Me>, Denied> {
    Ok(Json(known(&server, signed_in(&headers, &server).await?.source, false).await?.into()))
}

/// A further number for commands, for a screen of this login.
#[endpoint(post, "/sources", tag = "people", responses(
    (status = 200, body = FurtherSource),
    (status = 401, description = "not-signed-in"),
))]
async fn further_source(
    State(server): State<SharedServer>,
    signed_in: SignedIn,
) -> Result<Json<FurtherSource>, Denied> {
    Ok(Json(FurtherSource { source: screen_source(&server, &signed_in, None).await? }))
}

/// Give a person a one-time password. Every login of the person ends. What the second person approves is
/// `{"password":{"person":n}}`.
#[endpoint(post, "/people/{person}/password", tag = "people", params(("person" = u32, Path)),
    request_body = Approved, responses(
    (status = 200, body = GivenPassword),
    (status = 401, description = "not-signed-in"),
    (status = 403, description = "not-allowed, sign-in-again, password-to-be-set"),
    (status = 404, description = "unknown"),
    (status = 409, description = "not-approved"),
))]
async fn give_password(
    State(server): State<SharedServer>,
    signed_in: SignedIn,
    PathParams(person): PathParams<u32>,
    JsonBody(Approved { approval }): JsonBody<Approved>,
) -> Result<Json<GivenPassword>, Denied> {
    let person = PersonId(person);
    if signed_in.person.id == person {
        return Err(Denied::NotAllowed);
    }
    let second = may(&server, signed_in, (Act::ManagePeople, ApprovedAct::Password { person }), approval).await?;
    if second.is_some_and(|second| second.id == person) {
        return Err(Denied::NotApproved);
    }
    if !server.node.house().read(move |house| house.person(person).is_some()).await? {
        return Err(Denied::Unknown);
    }
    let changed = Arc::clone(&server);
    let give = async move {
        let (now, owner) = (changed.clock.now(), SecretOwner::Person(person));
        let newest = newest_secret(&changed, owner).await?;
        let (password, version) = one_time_password(&changed.secrets, now, person, newest).await?;
        record_secret(&changed, owner, version).await?;
        end_of(&changed, person, None).await?;
        Ok(password)
    };
    let password = to_the_end(give).await?;
    tracing::warn!(person = person.0, by = signed_in.person.id.0, "a one-time password was given");
    Ok(Json(GivenPassword { person, password }))
}

/// The stored password, if it is right and the House lets the person in.
async fn checked(
    server: &Server,
    caller: ClientAddress,
    person: PersonId,
    password: String,
) -> Result<Password, Denied> {
    let tries = &server.people.tries;
    if !tries.enter(caller.0, server.clock.now()) {
        return Err(Denied::TooMany);
    }
    let newest = newest_secret(server, SecretOwner::Person(person)).await?;
    let on_file = server.secrets.password(person, newest).await?;
    report_refused(server).await?;
    let is_right = match server.people.hashing.is_right(password, on_file.clone()).await {
        Ok(is_right) => is_right,
        Err(denied) => {
            tries.forgive(caller.0);
            return Err(denied);
        }
    };
    // Five failures lock the person out (F51): the House counts them and decides.
    let command = if is_right { HouseCommand::LoginSucceeded { person } } else { HouseCommand::LoginFailed { person } };
    match (server.node.house().own(command).await?, on_file) {
        (CommandReply::Accepted(_), Some(on_file)) if is_right => {
            tries.forgive(caller.0);
            record_newer(server, person, newest).await?;
            Ok(on_file)
        }
        (CommandReply::Accepted(_) | CommandReply::Refused(_), _) => {
            tracing::warn!(person = person.0, address = %caller.0, "a sign-in failed");
            Err(Denied::WrongPassword)
        }
    }
}

/// Records the version of a password whose change was interrupted before it was on record: older ones are not believed from now on.
/// The first of a person is not counted.
async fn record_newer(server: &Server, person: PersonId, newest: u32) -> Result<(), Denied> {
    let version = server.secrets.password_version(person).await?;
    if version > newest.max(1) {
        record_secret(server, SecretOwner::Person(person), version).await?;
    }
    Ok(())
}

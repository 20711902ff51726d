//! Enrolment: a device on file gets a code that is valid once, for some minutes. Whoever sends the code with a public key is that
//! device from then on; the private key never leaves it.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use data_encoding::HEXLOWER;
use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};
use taisai_endpoint::endpoint;
use taisai_table::{Act, Actor, CommandId, DeviceId, DeviceKind, HouseCommand, SecretOwner, Time};

use super::{lock, on_file};
use crate::auth::approvals::{ApprovedAct, may};
use crate::auth::commands::to_the_end;
use crate::auth::secrets::{CodeUse, OneTimeCode, Secrets, SecretsError, StoredDevice, hex};
use crate::auth::{Approved, ClientAddress, SignedIn, newest_secret, record_secret};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::http::request::{JsonBody, PathParams};
use crate::server::{Server, SharedServer};

const MAX_BODY_BYTES: usize = 1_024;

const CODE_LIFETIME: Duration = Duration::from_mins(10);

pub(crate) fn routes() -> Routes {
    Routes::of([code::add_to, enrol::add_to]).with_largest(MAX_BODY_BYTES)
}

/// A code that enrols a device. It is shown once.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct GivenCode {
    device: DeviceId,
    code: String,
    /// Until when it is good: milliseconds since 1970, UTC.
    expires: Time,
}

/// What a device brings.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
struct Enrolment {
    code: String,
    /// Its Ed25519 key, 64 hexadecimal digits.
    public_key: String,
}

/// What a device must know of itself.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct Enrolled {
    device: DeviceId,
    /// The casino's id, 32 hexadecimal digits: it is part of what the device signs.
    house: String,
    /// The number of its commands.
    source: u64,
    /// What it is, and where a terminal stands.
    kind: DeviceKind,
}

/// A code that enrols a device once, in place of an older one.
pub(crate) async fn enrolment_code(
    secrets: &Secrets,
    device: DeviceId,
    expires: Time,
    newest: u32,
) -> Result<String, SecretsError> {
    let code = OneTimeCode::random()?;
    secrets.add_code(code.hash(), device, expires, newest).await?;
    Ok(code.to_string())
}

/// A code for a device that is on file. It takes a second person, as whoever has the code can be the device; what is approved is
/// `{"code":{"device":n}}`.
#[endpoint(post, "/devices/{device}/code", tag = "devices", params(("device" = u32, Path)),
    request_body = Approved, responses(
    (status = 200, body = GivenCode),
    (status = 401, description = "not-signed-in"),
    (status = 403, description = "not-allowed, sign-in-again, password-to-be-set"),
    (status = 404, description = "unknown"),
    (status = 409, description = "not-approved"),
))]
async fn code(
    State(server): State<SharedServer>,
    signed_in: SignedIn,
    PathParams(device): PathParams<u32>,
    JsonBody(Approved { approval }): JsonBody<Approved>,
) -> Result<Json<GivenCode>, Denied> {
    let device = DeviceId(device);
    if !signed_in.fresh()?.person.roles.meets(server.profile.right(Act::ManageDevices).first) {
        return Err(Denied::NotAllowed);
    }
    on_file(&server, device).await?.ok_or(Denied::Unknown)?;
    let second = may(&server, signed_in, (Act::ManageDevices, ApprovedAct::Code { device }), approval).await?;
    let id = CommandId { source: server.sources.next(), sequence: 1 };
    let given = HouseCommand::GiveCode { device, second };
    // It is on record before anybody sees it.
    if let CommandReply::Refused(_) = server.node.house().ask(Actor::Person(signed_in.person), id, given).await? {
        return Err(Denied::Unknown);
    }
    let lasts = u64::try_from(CODE_LIFETIME.as_millis()).map_err(|_| Denied::Internal)?;
    let expires = Time(server.clock.now().0 + lasts);
    let newest = newest_secret(&server, SecretOwner::Device(device)).await?;
    let code = enrolment_code(&server.secrets, device, expires, newest).await?;
    tracing::info!(device = device.0, by = signed_in.person.id.0, "gave out a code for a device");
    Ok(Json(GivenCode { device, code, expires }))
}

/// Enrol with a code. An earlier key of the device is no longer good, and its connection ends.
#[endpoint(post, "/devices/enrol", tag = "devices", request_body = Enrolment, responses(
    (status = 200, body = Enrolled),
    (status = 400, description = "bad-request"),
    (status = 403, description = "bad-code"),
    (status = 429, description = "too-many"),
))]
async fn enrol(
    State(server): State<SharedServer>,
    caller: ClientAddress,
    JsonBody(Enrolment { code, public_key }): JsonBody<Enrolment>,
) -> Result<Json<Enrolled>, Denied> {
    let key = usable_key(&public_key).ok_or(Denied::BadRequest)?;
    let tries = &server.devices.tries;
    if !tries.enter(caller.0, server.clock.now()) {
        return Err(Denied::TooMany);
    }
    let Some((CodeUse { device, version }, kind)) = device_of(&server, &code).await? else {
        tracing::warn!(address = %caller.0, "a wrong code for a device");
        return Err(Denied::BadCode);
    };
    tries.forgive(caller.0);
    let kept = StoredDevice { device, key, source: server.sources.next(), version };
    let house = HEXLOWER.encode(&server.place.house);
    let enrol = async move {
        server.secrets.enrol(kept).await?;
        record_secret(&server, SecretOwner::Device(device), version).await?;
        lock(&server.devices.enrolled).insert(device, kept);
        server.cut(device, Some(kept.source));
        Ok(())
    };
    to_the_end(enrol).await?;
    tracing::info!(device = device.0, address = %caller.0, "a device is enrolled");
    Ok(Json(Enrolled { device, house, source: kept.source, kind }))
}

/// Rejects weak keys, for which others could sign.
fn usable_key(digits: &str) -> Option<[u8; 32]> {
    let bytes = hex::bytes(digits)?;
    VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).map(|_| bytes)
}

/// What a code enrols, if the device is still on file. A code that was used before, and put back since, enrols nothing.
async fn device_of(server: &Server, code: &str) -> Result<Option<(CodeUse, DeviceKind)>, Denied> {
    let Some(code) = OneTimeCode::read(code) else { return Ok(None) };
    let Some(code) = server.secrets.use_code(code.hash(), server.clock.now()).await? else { return Ok(None) };
    if code.version <= newest_secret(server, SecretOwner::Device(code.device)).await? {
        server.secrets.refuse_device(code.device);
        return Ok(None);
    }
    Ok(on_file(server, code.device).await?.map(|kind| (code, kind)))
}

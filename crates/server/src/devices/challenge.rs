//! Proof of identity: a device signs a challenge that is used once, for this installation and this device. Nobody else can use the
//! signature, and nobody can use it again.

use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use data_encoding::HEXLOWER;
use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};
use taisai_table::DeviceId;
use tokio::time::timeout;

use super::{Proven, copied, key_of, on_file};
use crate::auth::secrets::{hex, random};
use crate::http::denied::Denied;
use crate::http::reply::json;
use crate::server::Server;

const PROOF_TIMEOUT: Duration = Duration::from_secs(5);

const MAX_PROOF_BYTES: usize = 1_024;

/// Begins what is signed, so that the key signs nothing else.
const SIGNING_CONTEXT: &[u8] = b"taisai device\0";

/// What a device is sent first.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Challenge {
    /// 32 random bytes, in hexadecimal digits.
    #[cfg_attr(test, schema(pattern = "^[0-9a-f]{64}$"))]
    challenge: String,
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Signed {
    pub(super) device: DeviceId,
    /// Its Ed25519 signature of `"taisai device\0"`, the casino's id, its own number (4 bytes, the lowest first) and the
    /// challenge, in hexadecimal digits.
    #[cfg_attr(test, schema(pattern = "^[0-9a-f]{128}$"))]
    pub(super) signature: String,
}

pub(crate) async fn prove(socket: &mut WebSocket, server: &Server) -> Result<Proven, Denied> {
    let challenge: [u8; 32] = random()?;
    let challenge_text = json(&Challenge { challenge: HEXLOWER.encode(&challenge) });
    let answer =
        timeout(PROOF_TIMEOUT, exchange(socket, challenge_text)).await.ok().flatten().ok_or(Denied::NotProven)?;
    let signed = serde_json::from_str(&answer).map_err(|_| Denied::NotProven)?;
    proven(server, &challenge, &signed).await
}

async fn exchange(socket: &mut WebSocket, challenge_text: Utf8Bytes) -> Option<Utf8Bytes> {
    socket.send(Message::Text(challenge_text)).await.ok()?;
    loop {
        match socket.recv().await?.ok()? {
            Message::Text(text) => return (text.len() <= MAX_PROOF_BYTES).then_some(text),
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return None,
        }
    }
}

/// The device that signed the challenge. A device on file that signs with another key is a copy.
pub(super) async fn proven(server: &Server, challenge: &[u8; 32], signed: &Signed) -> Result<Proven, Denied> {
    let device = signed.device;
    let kind = on_file(server, device).await?.ok_or(Denied::NotProven)?;
    let enrolled = key_of(server, device).await?.ok_or(Denied::NotProven)?;
    let signature = hex::bytes(&signed.signature).ok_or(Denied::NotProven)?;
    let content = content(server.place.house, device, challenge);
    if !is_signed(&enrolled.key, &content, &signature) {
        copied(server, device).await?;
        return Err(Denied::NotProven);
    }
    Ok(Proven { device, kind, source: enrolled.source })
}

pub(super) fn content(house: [u8; 16], device: DeviceId, challenge: &[u8; 32]) -> Vec<u8> {
    [SIGNING_CONTEXT, &house, &device.0.to_le_bytes(), challenge].concat()
}

fn is_signed(key: &[u8; 32], content: &[u8], signature: &[u8; 64]) -> bool {
    let key = VerifyingKey::from_bytes(key);
    key.is_ok_and(|key| key.verify_strict(content, &Signature::from_bytes(signature)).is_ok())
}

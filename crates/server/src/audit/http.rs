//! Rounds, evidence and verifications over HTTP.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use taisai_endpoint::endpoint;
use taisai_record::{ChainStatus, RoundSheet};
use taisai_table::{PersonId, Position, RoundNumber, TableId};

use super::Verification;
use crate::auth::SignedIn;
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::reports::MayRead;
use crate::server::{Server, SharedServer};

pub(crate) fn routes() -> Routes {
    Routes::of([
        get_round::add_to,
        get_evidence::add_to,
        get_record::add_to,
        begin::add_to,
        list::add_to,
        get_verification::add_to,
        cancel::add_to,
    ])
}

/// A round with every line, its paragraphs, what was moved and who acted: as it was settled, and as it stands. The Dealer of a
/// table reads its rounds too, to pay by them.
#[endpoint(
    get,
    "/tables/{table}/rounds/{round}",
    params(("table" = u16, Path), ("round" = u64, Path)),
    responses((status = 200, body = RoundSheet))
)]
async fn get_round(
    signed_in: SignedIn,
    State(server): State<SharedServer>,
    PathParams((table, round)): PathParams<(u16, u64)>,
) -> Result<Json<RoundSheet>, Denied> {
    let table = TableId(table);
    if !deals(&server, table, signed_in.person.id).await? {
        MayRead::try_from(signed_in)?;
    }
    server.audits.round(table, RoundNumber(round)).await.map(Json)
}

/// Whether a person is the Dealer of a table that runs here.
async fn deals(server: &Server, table: TableId, person: PersonId) -> Result<bool, Denied> {
    let Some(handle) = server.node.table(table) else { return Ok(false) };
    Ok(handle.read_round(move |round| round.holder(Position::Dealer) == Some(person)).await?)
}

/// A file that proves a round elsewhere, with the casino's public key and nothing else.
#[endpoint(
    get,
    "/tables/{table}/rounds/{round}/evidence",
    params(("table" = u16, Path), ("round" = u64, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream"))
)]
async fn get_evidence(
    _: MayRead,
    State(server): State<SharedServer>,
    PathParams((table, round)): PathParams<(u16, u64)>,
) -> Result<Response, Denied> {
    let evidence = server.audits.evidence(TableId(table), RoundNumber(round)).await?;
    let disposition = format!("attachment; filename=\"table-{table}-round-{round}.evidence\"");
    let headers =
        [(header::CONTENT_TYPE, "application/octet-stream".to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, evidence).into_response())
}

/// How every chain of the record stands, and when it was last vouched for.
#[endpoint(get, "/audit/record", responses((status = 200, body = Vec<ChainStatus>)))]
async fn get_record(_: MayRead, State(server): State<SharedServer>) -> Result<Json<Vec<ChainStatus>>, Denied> {
    server.audits.standings().await.map(Json)
}

/// Begins to verify the whole record; one at a time.
#[endpoint(post, "/audit/verifications", responses((status = 202, body = Verification)))]
async fn begin(_: MayRead, State(server): State<SharedServer>) -> Result<(StatusCode, Json<Verification>), Denied> {
    Ok((StatusCode::ACCEPTED, Json(server.audits.verifications.begin()?)))
}

/// The verifications since the program started, the newest first.
#[endpoint(get, "/audit/verifications", responses((status = 200, body = Vec<Verification>)))]
async fn list(_: MayRead, State(server): State<SharedServer>) -> Json<Vec<Verification>> {
    Json(server.audits.verifications.all())
}

/// How a verification is getting on, and what it found.
#[endpoint(
    get,
    "/audit/verifications/{id}",
    params(("id" = u64, Path)),
    responses((status = 200, body = Verification))
)]
async fn get_verification(
    _: MayRead,
    State(server): State<SharedServer>,
    PathParams(id): PathParams<u64>,
) -> Result<Json<Verification>, Denied> {
    server.audits.verifications.find(id).map(Json).ok_or(Denied::Unknown)
}

/// Cancels a verification that runs.
#[endpoint(
    delete,
    "/audit/verifications/{id}",
    params(("id" = u64, Path)),
    responses((status = 200, body = Verification))
)]
async fn cancel(
    _: MayRead,
    State(server): State<SharedServer>,
    PathParams(id): PathParams<u64>,
) -> Result<Json<Verification>, Denied> {
    server.audits.verifications.cancel(id).map(Json).ok_or(Denied::Unknown)
}

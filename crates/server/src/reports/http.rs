//! Reports over HTTP, as JSON or CSV, for auditors and the pit.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Map, Value};
use taisai_endpoint::endpoint;
use taisai_reports::{NamedQuery, QUERIES, ReportReader, gaming_day};
use taisai_table::{ClusterId, RoundNumber, Seat, TableId};

use super::params::{DaysParams, EventsParams, Format, MayRead, ResultsParams, RoundsParams, days, is_csv, page};
use super::{
    Calendar, Days, GameLine, LagSheet, MAX_PAGE_EVENTS, MAX_ROUNDS, ReportError, RoundLine, TableDice, events_csv,
    meters, meters_csv, parameters, queries, results, results_csv, rounds, rows_csv,
};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::{PathParams, QueryParams};
use crate::server::{Server, SharedServer};

const MAX_ROWS: usize = 10_000;

/// A report, with how far it is behind.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Report<T> {
    lag: LagSheet,
    /// The time zone in which its days begin.
    time_zone: String,
    lines: Vec<T>,
}

/// A page of a report.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Page<T> {
    lag: LagSheet,
    lines: Vec<T>,
    /// Where the next page begins, if there is one.
    after: Option<String>,
}

/// Dice of all tables.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct AllDice {
    lag: LagSheet,
    tables: Vec<TableDice>,
}

fn csv(name: &str, lag: &LagSheet, text: String) -> Response {
    let disposition = format!("attachment; filename=\"{name}.csv\"");
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    (headers, [("taisai-lag-blocks", lag.blocks.to_string())], text).into_response()
}

pub(crate) fn routes() -> Routes {
    Routes::of([
        lag::add_to,
        get_results::add_to,
        get_meters::add_to,
        list_queries::add_to,
        get_query::add_to,
        get_events::add_to,
        get_rounds::add_to,
        get_games::add_to,
        get_dice::add_to,
        get_all_dice::add_to,
    ])
}

/// How far the reporting tables are behind the record.
#[endpoint(get, "/reports/lag", responses((status = 200, body = LagSheet)))]
async fn lag(_: MayRead, State(server): State<SharedServer>) -> Json<LagSheet> {
    Json(server.reports.lag())
}

/// Drop, win, hold, theoretical win and deviation, average bet and rounds an hour, by table, dealer, shift, day or box.
#[endpoint(get, "/reports/results", params(ResultsParams), responses((status = 200, body = Report<super::ResultLine>)))]
async fn get_results(
    _: MayRead,
    State(server): State<SharedServer>,
    headers: HeaderMap,
    QueryParams(ResultsParams { by, training, from, to, format }): QueryParams<ResultsParams>,
) -> Result<Response, Denied> {
    let (by, days) = (by.unwrap_or_default(), days_of(&server, from.as_deref(), to.as_deref())?);
    let training = training.unwrap_or(server.place.is_training);
    let lines = server.reports.ask(move |reader, games| results(reader, games, by, days, training)).await?;
    let lag = server.reports.lag();
    if is_csv(format, &headers) {
        return Ok(csv("results", &lag, results_csv(&lines)));
    }
    Ok(Json(Report { lag, time_zone: server.profile.time_zone.clone(), lines }).into_response())
}

/// Parses days; `today` is the current gaming day of the profile.
fn days_of(server: &Server, from: Option<&str>, to: Option<&str>) -> Result<Days, Denied> {
    days(from, to, || {
        let today = gaming_day(&server.profile, server.clock.now());
        today.map_err(|error| {
            tracing::error!(%error, "cannot work out the gaming day");
            Denied::Internal
        })
    })
}

/// The meters of every seat and cluster, which come to what the ledger has.
#[endpoint(get, "/reports/meters", params(DaysParams), responses((status = 200, body = Report<super::MeterLine>)))]
async fn get_meters(
    _: MayRead,
    State(server): State<SharedServer>,
    headers: HeaderMap,
    QueryParams(DaysParams { from, to, format }): QueryParams<DaysParams>,
) -> Result<Response, Denied> {
    let days = days_of(&server, from.as_deref(), to.as_deref())?;
    let lines = server.reports.ask(move |reader, _| meters(reader, days)).await?;
    let lag = server.reports.lag();
    if is_csv(format, &headers) {
        return Ok(csv("meters", &lag, meters_csv(&lines)));
    }
    Ok(Json(Report { lag, time_zone: server.profile.time_zone.clone(), lines }).into_response())
}

/// A query with a name.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct QueryLine {
    name: &'static str,
    says: String,
    /// The numbers that it asks for.
    parameters: Vec<&'static str>,
}

/// The queries with a name.
#[endpoint(get, "/reports/queries", responses((status = 200, body = Vec<QueryLine>)))]
async fn list_queries(_: MayRead) -> Json<Vec<QueryLine>> {
    let line = |query: &NamedQuery| QueryLine {
        name: query.name,
        says: query.description(),
        parameters: query.parameters().map(|(name, _)| name).collect(),
    };
    Json(QUERIES.iter().map(line).collect())
}

/// What a query finds.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Found))]
pub(crate) struct QueryResponse {
    lag: LagSheet,
    columns: Vec<String>,
    #[cfg_attr(test, schema(value_type = Vec<Object>))]
    rows: Vec<Map<String, Value>>,
    /// Whether there are more rows than these.
    is_cut: bool,
}

/// Asks a query by name; what it asks for stands in the address, and `format` beside it.
#[endpoint(
    get,
    "/reports/queries/{name}",
    params(("name" = String, Path)),
    responses((status = 200, body = QueryResponse))
)]
async fn get_query(
    _: MayRead,
    State(server): State<SharedServer>,
    headers: HeaderMap,
    PathParams(name): PathParams<String>,
    QueryParams(mut given): QueryParams<Vec<(String, String)>>,
) -> Result<Response, Denied> {
    let named_query = NamedQuery::find(&name).ok_or(Denied::Unknown)?;
    let format = given.iter().position(|(name, _)| name == "format").map(|place| given.remove(place).1);
    let format = match format.as_deref() {
        None => None,
        Some("json") => Some(Format::Json),
        Some("csv") => Some(Format::Csv),
        Some(_) => return Err(Denied::BadRequest),
    };
    let values = parameters(named_query, &given).map_err(|_| Denied::BadRequest)?;
    let ask = move |reader: &mut ReportReader, _: &_| {
        Ok::<_, ReportError>(reader.query_most(named_query.sql, &values, MAX_ROWS)?)
    };
    let (answer, is_cut) = server.reports.ask(ask).await?;
    let lag = server.reports.lag();
    if is_csv(format, &headers) {
        return Ok(csv(named_query.name, &lag, rows_csv(&answer)));
    }
    let rows = answer.rows.iter().map(|row| queries::row(&answer.columns, row)).collect();
    Ok(Json(QueryResponse { lag, columns: answer.columns, rows, is_cut }).into_response())
}

/// Events by time, kind, table, terminal and person, a page at a time.
#[endpoint(get, "/events", params(EventsParams), responses((status = 200, body = Page<super::EventLine>)))]
async fn get_events(
    _: MayRead,
    State(server): State<SharedServer>,
    headers: HeaderMap,
    QueryParams(params): QueryParams<EventsParams>,
) -> Result<Response, Denied> {
    let (format, most) = (params.format, page(params.limit, MAX_PAGE_EVENTS)?);
    let found = server.reports.ask(move |reader, _| {
        let calendar = Calendar::of(reader)?;
        Ok(match params.filter(&calendar) {
            Ok(filter) => Ok(filter.find(reader, most)?),
            Err(denied) => Err(denied),
        })
    });
    let (lines, has_more) = found.await??;
    let after = lines.last().filter(|_| has_more).map(|last| last.place().to_string());
    let lag = server.reports.lag();
    if is_csv(format, &headers) {
        let mut response = csv("events", &lag, events_csv(&lines));
        if let Some(after) = after.and_then(|after| after.parse().ok()) {
            response.headers_mut().insert("taisai-after", after);
        }
        return Ok(response);
    }
    Ok(Json(Page { lag, lines, after }).into_response())
}

/// Recent rounds of a table, the newest first.
#[endpoint(
    get,
    "/tables/{table}/rounds",
    params(("table" = u16, Path), RoundsParams),
    responses((status = 200, body = Page<RoundLine>))
)]
async fn get_rounds(
    _: MayRead,
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
    QueryParams(RoundsParams { before, limit }): QueryParams<RoundsParams>,
) -> Result<Json<Page<RoundLine>>, Denied> {
    let (table, most) = (TableId(table), page(limit, MAX_ROUNDS)?);
    let lines = server.reports.ask(move |reader, _| rounds(reader, table, before.map(RoundNumber), most)).await?;
    let last = lines.last().filter(|_| lines.len() == most).map(|line| line.round);
    let after = last.filter(|round| *round > 1).map(|round| round.to_string());
    Ok(Json(Page { lag: server.reports.lag(), lines, after }))
}

/// The last games of a seat, the newest first.
#[endpoint(
    get,
    "/tables/{table}/seats/{cluster}/{seat}/games",
    params(("table" = u16, Path), ("cluster" = u16, Path), ("seat" = u32, Path)),
    responses((status = 200, body = Page<GameLine>))
)]
async fn get_games(
    _: MayRead,
    State(server): State<SharedServer>,
    PathParams((table, number, seat)): PathParams<(u16, u16, u32)>,
) -> Result<Json<Page<GameLine>>, Denied> {
    let games = last_games(&server, ClusterId { table: TableId(table), number }, Seat(seat)).await?;
    Ok(Json(Page { lag: server.reports.lag(), lines: games.to_vec(), after: None }))
}

/// The last games of a seat, also for its terminal: they are cached, so that it may ask often.
pub(crate) async fn last_games(
    server: &Server,
    cluster: ClusterId,
    seat: Seat,
) -> Result<std::sync::Arc<Vec<GameLine>>, Denied> {
    server.reports.games(cluster, seat).await
}

/// What the dice watch says of a table.
#[endpoint(
    get,
    "/tables/{table}/dice-watch",
    params(("table" = u16, Path)),
    responses((status = 200, body = TableDice))
)]
async fn get_dice(
    _: MayRead,
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
) -> Result<Json<TableDice>, Denied> {
    server.reports.dice(TableId(table)).map(Json).ok_or(Denied::Unknown)
}

/// What the dice watch says of every table.
#[endpoint(get, "/dice-watch", responses((status = 200, body = AllDice)))]
async fn get_all_dice(_: MayRead, State(server): State<SharedServer>) -> Json<AllDice> {
    Json(AllDice { lag: server.reports.lag(), tables: server.reports.all_dice() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spreadsheet_says_how_far_it_is_behind() {
        let response = csv("events", &LagSheet { blocks: 3, ..LagSheet::default() }, "a\r\n".to_owned());
        assert_eq!(response.headers()["taisai-lag-blocks"], "3");
        assert_eq!(response.headers()[header::CONTENT_DISPOSITION], "attachment; filename=\"events.csv\"");
    }

    #[test]
    fn every_schema_is_described() {
        let description = serde_json::to_value(crate::http::api::routes().description()).unwrap();
        for path in [
            "/reports/lag",
            "/reports/results",
            "/reports/meters",
            "/reports/queries",
            "/reports/queries/{name}",
            "/events",
            "/tables/{table}/rounds",
            "/tables/{table}/rounds/{round}",
            "/tables/{table}/rounds/{round}/evidence",
            "/tables/{table}/seats/{cluster}/{seat}/games",
            "/tables/{table}/dice-watch",
            "/dice-watch",
            "/audit/verifications",
            "/audit/verifications/{id}",
        ] {
            assert!(description["paths"].get(format!("/api/v1{path}")).is_some(), "{path}");
        }
        let text = description.to_string();
        for name in text.split("#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(description["components"]["schemas"].get(name).is_some(), "{name}");
        }
    }
}

//! The configuration over HTTP: what the record has beside what the file proposes. This changes nothing: people change it by
//! commands to the House and the tables.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use taisai_endpoint::endpoint;
use taisai_engine::{ApprovalOnFile, own_approvals};
use taisai_table::{ApprovalAnswer, ApprovalId, House, Phase, Round, TableId, TableLimits};

use super::Seed;
use crate::auth::SignedIn;
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::server::{Server, SharedServer};

/// The set-up of the installation.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct HouseConfiguration {
    /// The property's name.
    name: String,
    /// Whether the whole installation plays for training.
    is_training: bool,
    /// The name of its profile.
    profile: String,
    /// What people have set, by key.
    configuration: BTreeMap<String, String>,
    /// The tables that are open, by number.
    #[cfg_attr(test, schema(value_type = Vec<TableConfiguration>))]
    tables: Vec<Value>,
    /// Tables on file that are not laid out yet: they open with the next start.
    waiting: Vec<u16>,
}

/// The set-up of a table.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct TableConfiguration {
    table: u16,
    /// Its name.
    name: String,
    /// Its game, as id@version.
    game: String,
    /// The layout's letter.
    layout: String,
    /// How many places each of its clusters has. Places count from one.
    seats: Vec<u32>,
    /// Whether it plays for training.
    is_training: bool,
    phase: Phase,
    /// The limits on display.
    limits: Option<TableLimits>,
    /// Limits that the configuration proposes in their place: whoever may change limits puts them on display.
    proposed: Option<TableLimits>,
}

/// How an approval was answered.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ApprovalState {
    answer: ApprovalAnswer,
}

pub(crate) fn name_key(table: u16) -> String {
    format!("table-{table}.name")
}

/// The name in the record, or else that of the file.
pub(crate) fn table_name(seed: &Seed, table: TableId, recorded: Option<&String>) -> String {
    let seeded = || seed.tables.get(&table).map(|seed| &seed.name);
    recorded.or_else(seeded).cloned().unwrap_or_else(|| format!("Table {}", table.0))
}

pub(crate) fn recorded_name(house: &House) -> Option<String> {
    house.configuration().find(|(key, _)| *key == NAME_KEY).map(|(_, name)| name.to_owned())
}

pub(crate) const NAME_KEY: &str = "house.name";

/// The set-up of the installation, as the record has it, with what the file proposes.
#[endpoint(
    get,
    "/house/configuration",
    responses((status = OK, body = HouseConfiguration), (status = UNAUTHORIZED))
)]
async fn configuration(State(server): State<SharedServer>, _: SignedIn) -> Result<Json<HouseConfiguration>, Denied> {
    let RecordedConfiguration { configuration, tables: on_file } =
        server.node.house().read(RecordedConfiguration::of).await?;
    let mut tables = tables_here(&server).await?;
    if let Some(peers) = &server.peers {
        tables.extend(peers.gather("/api/v1/node/configuration").await);
        tables.sort_by_key(|table| table["table"].as_u64());
    }
    let is_waiting = |table: &&TableId| !server.node.is_laid_out(**table) && !server.is_closed(**table);
    let waiting = on_file.keys().filter(is_waiting).map(|table| table.0).collect();
    Ok(Json(HouseConfiguration {
        name: configuration.get(NAME_KEY).cloned().unwrap_or_else(|| server.place.name.clone()),
        is_training: server.place.is_training,
        profile: server.profile.name.clone(),
        configuration,
        tables,
        waiting,
    }))
}

struct RecordedConfiguration {
    configuration: BTreeMap<String, String>,
    /// The tables, and whether each is for training.
    tables: BTreeMap<TableId, bool>,
}

impl RecordedConfiguration {
    fn of(house: &House) -> Self {
        let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        Self {
            configuration: house.configuration().map(own).collect(),
            tables: house.tables().map(|(table, on_file)| (table, on_file.is_training)).collect(),
        }
    }
}

/// The configuration of the tables that run here, in order.
pub(crate) async fn tables_here(server: &Server) -> Result<Vec<Value>, Denied> {
    let RecordedConfiguration { configuration, tables: on_file } =
        server.node.house().read(RecordedConfiguration::of).await?;
    let mut tables = Vec::new();
    for (table, handle) in server.node.tables() {
        let seed = server.seed.tables.get(&table).cloned();
        let name = table_name(&server.seed, table, configuration.get(&name_key(table.0)));
        let proposed = seed.and_then(|seed| seed.limits);
        let named = (name, server.node.places(table));
        let is_training = on_file.get(&table).copied().unwrap_or(server.place.is_training);
        let found = handle.read_round(move |round| TableConfiguration::of(round, named, is_training, proposed)).await?;
        tables.push(serde_json::to_value(found).expect("a set-up can be written down"));
    }
    Ok(tables)
}

/// The approvals that the caller has requested and not used yet, with their answers.
#[endpoint(
    get,
    "/house/approvals",
    responses((status = OK, body = Vec<ApprovalOnFile>), (status = UNAUTHORIZED))
)]
async fn approvals(
    State(server): State<SharedServer>,
    signed_in: SignedIn,
) -> Result<Json<Vec<ApprovalOnFile>>, Denied> {
    let by = signed_in.person.id;
    Ok(Json(server.node.house().read(move |house| own_approvals(house, by)).await?))
}

/// How an approval was answered, for the person who requested it.
#[endpoint(
    get,
    "/house/approvals/{approval}",
    params(("approval" = u64, Path, description = "Which approval")),
    responses((status = OK, body = ApprovalState), (status = UNAUTHORIZED), (status = NOT_FOUND))
)]
async fn approval(
    State(server): State<SharedServer>,
    signed_in: SignedIn,
    PathParams(approval): PathParams<u64>,
) -> Result<Json<ApprovalState>, Denied> {
    let by = signed_in.person.id;
    let find = move |house: &House| {
        let mut approvals = house.approvals();
        approvals.find(|(id, found)| *id == ApprovalId(approval) && found.by == by).map(|(_, found)| found.answer)
    };
    let answer = server.node.house().read(find).await?.ok_or(Denied::Unknown)?;
    Ok(Json(ApprovalState { answer }))
}

impl TableConfiguration {
    fn of(round: &Round, (name, seats): (String, Vec<u32>), is_training: bool, proposed: Option<TableLimits>) -> Self {
        let game = round.rules().game();
        Self {
            table: round.table().0,
            name,
            game: format!("{}@{}", game.id(), game.version()),
            layout: round.rules().layout().id().to_owned(),
            seats,
            is_training,
            phase: round.phase(),
            proposed: proposed.filter(|proposed| round.limits() != Some(proposed)),
            limits: round.limits().cloned(),
        }
    }
}

pub(crate) fn routes() -> Routes {
    Routes::of([configuration::add_to, approvals::add_to, approval::add_to])
}

//! What is looked up of the House: what anyone may know of it, and what its staff may.

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use taisai_table::Role;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::denied::Denied;
use crate::house::{HouseList, Part};
use crate::people::SignedIn;
use crate::server::Shared;

pub(super) fn routes() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(house)).routes(routes!(part))
}

/// The house, as anyone may know it.
#[derive(Debug, Serialize, ToSchema)]
struct HouseView {
    name: String,
    /// Its id, in hexadecimal digits; devices sign with it.
    house: String,
    is_training: bool,
    /// The program's version.
    version: String,
    /// The jurisdiction's profile.
    profile: String,
    time_zone: String,
    /// How long bets are open, in seconds.
    betting_seconds: u32,
    /// The largest voucher, in cents.
    voucher_limit: i64,
    /// The house's time, in milliseconds since 1970.
    time: u64,
}

/// The house: its name, whether it plays for training, and what screens need to know of its profile.
#[utoipa::path(get, path = "/house", responses((status = 200, body = HouseView)))]
async fn house(State(server): State<Shared>) -> Json<HouseView> {
    let (place, profile) = (&server.place, &server.profile);
    Json(HouseView {
        name: place.name.clone(),
        house: place.house.iter().map(|byte| format!("{byte:02x}")).collect(),
        is_training: place.is_training,
        version: place.version.clone(),
        profile: profile.name.clone(),
        time_zone: profile.time_zone.clone(),
        betting_seconds: profile.betting_seconds,
        voucher_limit: profile.voucher_limit.cents(),
        time: server.clock.now().0,
    })
}

/// A list of the House.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum List {
    Approvals,
    Events,
    Claims,
    Receivables,
    Vouchers,
    Devices,
    People,
    Tables,
}

impl List {
    const fn part(self) -> Part {
        match self {
            Self::Approvals => Part::Approvals,
            Self::Events => Part::Events,
            Self::Claims => Part::Claims,
            Self::Receivables => Part::Receivables,
            Self::Vouchers => Part::Vouchers,
            Self::Devices => Part::Devices,
            Self::People => Part::People,
            Self::Tables => Part::Tables,
        }
    }
}

/// A list of the House as it stands, for its staff.
#[utoipa::path(
    get,
    path = "/house/lists/{list}",
    params(("list" = List, Path, description = "Which list")),
    responses((status = 200, body = HouseList), (status = 401, description = "Nobody is signed in"))
)]
async fn part(State(server): State<Shared>, Path(list): Path<List>, by: SignedIn) -> Result<Json<Value>, Denied> {
    // Everyone on the staff but the Dealer, who has to do with one table.
    let may_see = by.person.roles.iter().any(|role| role != Role::Dealer);
    if !may_see {
        return Err(Denied::NotForYou);
    }
    let part = list.part();
    Ok(Json(server.doors.house().look(move |house| part.of(house)).await?))
}

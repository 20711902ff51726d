//! The House over HTTP: what anyone may know, and lists for staff.

use axum::Json;
use axum::extract::State;
use data_encoding::HEXLOWER;
use serde::Serialize;
use serde_json::Value;
use taisai_endpoint::endpoint;
use taisai_engine::ListName;
use taisai_table::{Law, Role};

use crate::auth::SignedIn;
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::server::SharedServer;

pub(super) fn routes() -> Routes {
    Routes::of([house::add_to, part::add_to])
}

/// The casino, as anyone may know it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct HouseView {
    name: String,
    /// Its id, in hexadecimal digits; devices sign with it.
    house: String,
    is_training: bool,
    /// Whether every table plays the approved game of its name, unchanged.
    is_game_approved: bool,
    /// The program's version.
    version: String,
    /// The jurisdiction's profile.
    profile: String,
    time_zone: String,
    /// How long bets are open, in seconds.
    betting_seconds: u32,
    /// After so many minutes of a session, and again after each so many, a player is shown time and result.
    reality_check_minutes: u32,
    /// The largest voucher, in cents.
    voucher_limit: i64,
    /// What players are shown of the law before play, and what a void by law cites (F80, F81).
    law: Law,
    /// The notes that note acceptors take, in cents; none where the casino has no note acceptors.
    notes: Vec<i64>,
    /// The casino's time, in milliseconds since 1970.
    time: u64,
}

/// The casino: its name, whether it plays for training, and what screens need to know of its profile.
#[endpoint(get, "/house", responses((status = 200, body = HouseView)))]
async fn house(State(server): State<SharedServer>) -> Result<Json<HouseView>, Denied> {
    let (place, profile) = (&server.place, &server.profile);
    Ok(Json(HouseView {
        name: server.name().await?,
        house: HEXLOWER.encode(&place.house),
        is_training: place.is_training,
        is_game_approved: place.is_game_approved,
        version: place.version.clone(),
        profile: profile.name.clone(),
        time_zone: profile.time_zone.clone(),
        betting_seconds: profile.betting_seconds,
        reality_check_minutes: profile.reality_check_minutes,
        voucher_limit: profile.voucher_limit.cents(),
        law: profile.law.clone(),
        notes: profile.notes.iter().map(|note| note.cents()).collect(),
        time: server.clock.now().0,
    }))
}

/// A list of the House as it stands, for its staff.
#[endpoint(
    get,
    "/house/lists/{list}",
    params(("list" = ListName, Path, description = "Which list")),
    responses((status = 200, body = crate::ws::publisher::HouseList), (status = 401, description = "Nobody is signed in"))
)]
async fn part(
    State(server): State<SharedServer>,
    PathParams(part): PathParams<ListName>,
    by: SignedIn,
) -> Result<Json<Value>, Denied> {
    // Everyone on the staff but the Dealer, who works at one table.
    let may_see = by.person.roles.iter().any(|role| role != Role::Dealer);
    if !may_see {
        return Err(Denied::NotForYou);
    }
    let list = server.node.house().read(move |house| part.of(house)).await?;
    Ok(Json(serde_json::to_value(list).expect("a list can be written down")))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use taisai_rules::Games;
    use taisai_table::{HouseCommand, Role};

    use crate::http::reply::CommandReply;
    use crate::tests::running::{ADMINISTRATOR, MANAGER, RunningServer, person};

    #[tokio::test(flavor = "multi_thread")]
    async fn new_name_of_the_casino_applies_at_once() {
        let house = RunningServer::start().await;
        assert_eq!(house.get("/house", "").await.body["name"], "Test");
        let configure = HouseCommand::Configure {
            key: "house.name".to_owned(),
            value: "Marina".to_owned(),
            why: "a new owner".to_owned(),
            second: Some(person(MANAGER, Role::PitManager)),
        };
        let answer = house.ask(person(ADMINISTRATOR, Role::Administrator), configure).await;
        assert!(matches!(answer, CommandReply::Accepted(_)), "{answer:?}");
        assert_eq!(house.get("/house", "").await.body["name"], "Marina");
        house.close().await;
    }

    /// Every view of the casino, a table or its board says that the game is not the approved one.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_changed_game_is_marked_wherever_its_table_is_shown() {
        let approved = Games::embedded().find("sic-bo-etg", None).unwrap().file().to_owned();
        let changed = approved.replacen("title = \"", "title = \"Other ", 1);
        for (game, is_approved) in [(approved, true), (changed, false)] {
            let house = RunningServer::playing(game).await;
            let fetch = async |path: &str| house.get(path, "").await.body;
            let views = [fetch("/house").await, fetch("/tables").await[0].take(), fetch("/tables/1").await];
            for view in views {
                assert_eq!(view["is_game_approved"], Value::Bool(is_approved), "{view}");
            }
            house.close().await;
        }
    }
}

//! Extractors for bodies, paths and queries. A request that cannot be read is refused with the reason.

use std::fmt;
use std::marker::PhantomData;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};

use crate::http::denied::Denied;
use crate::http::reply::{CommandReply, Refused};

pub(crate) struct JsonBody<T>(pub(crate) T);

pub(crate) struct PathParams<T>(pub(crate) T);

pub(crate) struct QueryParams<T>(pub(crate) T);

fn unreadable(why: String) -> Response {
    let refused = Refused { sentence: why.into(), ..Denied::BadRequest.into() };
    (StatusCode::BAD_REQUEST, Json(CommandReply::Refused(refused))).into_response()
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let read = Json::from_request(request, state).await;
        read.map(|Json(Object(body))| Self(body)).map_err(|rejection| unreadable(rejection.body_text()))
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let read = Path::from_request_parts(parts, state).await;
        read.map(|Path(named)| Self(named)).map_err(|rejection| unreadable(rejection.body_text()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let read = Query::from_request_parts(parts, state).await;
        read.map(|Query(params)| Self(params)).map_err(|rejection| unreadable(rejection.body_text()))
    }
}

/// A JSON object: unlike serde by itself, this takes no list of field values.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

struct Fields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use serde_json::json;

    use crate::tests::running::{DEALER, MANAGER, RunningServer};

    #[tokio::test(flavor = "multi_thread")]
    async fn what_cannot_be_read_is_refused_with_the_reason() {
        let house = RunningServer::start().await;
        let cookie = house.sign_in(MANAGER).await;
        for path in [
            "/tables/x",
            "/tables/65536/layout",
            "/tables/x/rounds",
            "/tables/1/rounds/x",
            "/tables/1/seats/0/x/games",
            "/tables/x/dice-watch",
            "/audit/verifications/x",
            "/house/lists/lunch",
            "/house/approvals/-1",
            "/events?table=1&table=2",
            "/events?limit=0",
            "/events?lunch=1",
            "/tables/1/rounds?limit=100000",
            "/reports/results?by=phase",
            "/reports/meters?from=tomorrow",
            "/reports/queries/last-games?table=1&cluster=0&seat=1&format=csv&format=json",
        ] {
            let response = house.get(path, &cookie).await;
            assert_eq!((response.status, response.code()), (StatusCode::BAD_REQUEST, "bad-request"), "{path}");
            assert!(response.body["refused"]["sentence"].is_string(), "{path}");
        }
        for (path, body) in [
            ("/sign-in", json!([DEALER, "a password"])),
            ("/sign-in", json!({"person": DEALER})),
            ("/sign-in/again", json!("a password")),
            ("/people/x/password", json!({})),
            ("/people/4/password", json!([null])),
            ("/devices/x/code", json!({})),
            ("/devices/9/code", json!({"lunch": 1})),
            ("/devices/enrol", json!(["code", "key"])),
            ("/tables/1/commands", json!([1, 1, null, {"round": "open-table"}])),
            ("/house/commands", json!({"source": -1})),
        ] {
            let response = house.post(path, &cookie, body).await;
            assert_eq!((response.status, response.code()), (StatusCode::BAD_REQUEST, "bad-request"), "{path}");
        }
        house.close().await;
    }
}

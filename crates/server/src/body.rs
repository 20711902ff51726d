//! The body of a request: JSON that is bounded in size and whose fields are known. What is wrong with it is told.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse as _, Response};
use serde::de::DeserializeOwned;

use crate::leaving::{Answer, Refused};

/// What was sent.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let unreadable = |rejection: JsonRejection| {
            let refused = Refused {
                code: "bad-request",
                paragraphs: Vec::new(),
                sentence: rejection.body_text().into(),
                detail: None,
            };
            (rejection.status(), Json(Answer::Refused(refused))).into_response()
        };
        let Json(body) = Json::from_request(request, state).await.map_err(unreadable)?;
        Ok(Self(body))
    }
}

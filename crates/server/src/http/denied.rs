//! What the server itself denies before it asks a machine. The JSON is that of a refusal, so that screens know one form.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};

use crate::auth::secrets::SecretsError;
use crate::http::reply::{CommandReply, Refused};
use crate::node::stopped::Stopped;

/// How soon a client may ask again while the database cannot be reached.
const RETRY_AFTER_SECONDS: &str = "1";

macro_rules! denied {
    ($($name:ident, $status:ident, $code:literal, $sentence:literal;)*) => {
        /// Why a request is denied.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Denied {
            $(#[doc = $sentence] $name,)*
        }

        impl Denied {
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// The stable code.
            pub(crate) const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }

            const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }
        }
    };
}

denied! {
    NotSignedIn, UNAUTHORIZED, "not-signed-in", "Sign in first.";
    WrongPassword, UNAUTHORIZED, "wrong-password", "The number or the password is wrong, or the person is locked out.";
    PasswordToBeSet, FORBIDDEN, "password-to-be-set", "Set a password of your own first.";
    WeakPassword, UNPROCESSABLE_ENTITY, "weak-password", "A password has 12 to 128 characters, and is not the one before.";
    SignInAgain, FORBIDDEN, "sign-in-again", "Give your password again: this act asks for it.";
    NotYours, FORBIDDEN, "not-yours", "That belongs to somebody else.";
    NotAllowed, FORBIDDEN, "not-allowed", "You may not do that.";
    NotProven, UNAUTHORIZED, "not-proven", "The device has not proved what it is.";
    NotForYou, FORBIDDEN, "not-for-you", "Your roles do not let you see that.";
    OtherSite, FORBIDDEN, "other-site", "The request comes from another site's page.";
    NotApproved, CONFLICT, "not-approved", "The second person has not approved this act.";
    Unknown, NOT_FOUND, "unknown", "There is no such thing here.";
    BadRequest, BAD_REQUEST, "bad-request", "The request cannot be read.";
    BadCommand, BAD_REQUEST, "bad-command", "The command cannot be read.";
    BadCode, FORBIDDEN, "bad-code", "The code is wrong, used or too old.";
    TooMany, TOO_MANY_REQUESTS, "too-many", "Too many requests: wait a little.";
    TooLarge, PAYLOAD_TOO_LARGE, "too-large", "The request is too large.";
    NotSent, REQUEST_TIMEOUT, "not-sent", "The request was not sent in time.";
    TooSlow, GATEWAY_TIMEOUT, "too-slow", "The answer was not ready in time. It may have been done: ask again under the same number.";
    Stopping, SERVICE_UNAVAILABLE, "stopping", "The server is about to stop: no new round begins.";
    TooLong, SERVICE_UNAVAILABLE, "too-long", "That took too long: ask for less.";
    NotYet, CONFLICT, "not-yet", "The round is not over, or no checkpoint vouches for it yet.";
    Elsewhere, SERVICE_UNAVAILABLE, "elsewhere", "That part of the casino moves to another machine: ask again in a moment, under the same number.";
    Unreadable, SERVICE_UNAVAILABLE, "record-unreadable", "The table stays closed: its record cannot be read.";
    Unreachable, SERVICE_UNAVAILABLE, "unreachable", "The database cannot be reached; nothing that was not recorded counts; try again.";
    Stopped, SERVICE_UNAVAILABLE, "stopped", "The server has stopped: nothing is taken until it runs again.";
    Internal, INTERNAL_SERVER_ERROR, "internal", "Something in the server failed; it is in its log.";
}

impl Denied {
    /// Whether the command may have been carried out all the same. The client must send it again under the same number to learn its fate.
    pub(crate) const fn leaves_fate_unknown(self) -> bool {
        matches!(self, Self::Unreachable | Self::Stopped | Self::Internal | Self::TooSlow | Self::Elsewhere)
    }
}

impl From<Denied> for Refused {
    fn from(denied: Denied) -> Self {
        Self { code: denied.code().into(), paragraphs: Vec::new(), sentence: denied.sentence().into(), detail: None }
    }
}

impl From<Stopped> for Denied {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl From<SecretsError> for Denied {
    fn from(error: SecretsError) -> Self {
        tracing::error!(%error, "cannot use the secrets");
        if error.is_of_store() { Self::Unreachable } else { Self::Internal }
    }
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let mut response = (self.status(), Json(CommandReply::Refused(self.into()))).into_response();
        if self == Self::Unreachable {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use taisai_journal::PostgresError;

    use super::*;

    #[test]
    fn failed_store_is_unavailable_and_no_fault_of_the_server() {
        let silent = || PostgresError::Silent(std::time::Duration::from_secs(3));
        for error in [
            SecretsError::Postgres(silent()),
            SecretsError::Warned,
            SecretsError::Unreachable("connection refused".to_owned()),
        ] {
            let denied = Denied::from(error);
            assert!(denied.leaves_fate_unknown(), "{denied:?}");
            let response = denied.into_response();
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert!(response.headers().contains_key(header::RETRY_AFTER));
        }
        assert_eq!(Denied::from(SecretsError::Damaged("a row")), Denied::Internal);
    }
}

//! The sign-in cookie: 256 random bits, of which the server stores only a hash.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use data_encoding::HEXLOWER;

use crate::auth::secrets::{SecretsError, hex, random};

/// With this prefix browsers accept the cookie only from this host, over TLS, and for all paths.
const COOKIE_NAME: &str = "__Host-taisai";

const COOKIE_ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Strict";

pub(super) struct Token([u8; 32]);

impl Token {
    pub(super) fn random() -> Result<Self, SecretsError> {
        random().map(Self)
    }

    /// The hash that is stored.
    pub(super) fn hash(&self) -> [u8; 32] {
        blake3::hash(&self.0).into()
    }

    /// Sets the cookie until the browser is closed.
    pub(super) fn given(&self) -> HeaderValue {
        HeaderValue::try_from(format!("{COOKIE_NAME}={}; {COOKIE_ATTRIBUTES}", HEXLOWER.encode(&self.0)))
            .expect("hex is no bad header")
    }
}

pub(super) fn taken() -> HeaderValue {
    HeaderValue::try_from(format!("{COOKIE_NAME}=; {COOKIE_ATTRIBUTES}; Max-Age=0")).expect("it has no bad characters")
}

pub(super) fn token(headers: &HeaderMap) -> Option<Token> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|cookies| cookies.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, token) = pairs.find(|(name, _)| *name == COOKIE_NAME)?;
    hex::bytes(token).map(Token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_among_other_cookies() {
        let token = Token([0xab; 32]);
        let given = token.given();
        let pair = given.to_str().unwrap().split(';').next().unwrap().to_owned();
        let found = |cookies: &[&str]| {
            let mut headers = HeaderMap::new();
            for cookie in cookies {
                headers.append(COOKIE, cookie.parse().unwrap());
            }
            super::token(&headers).map(|token| token.0)
        };
        assert_eq!(found(&[&pair]), Some([0xab; 32]));
        assert_eq!(found(&["a=b", &format!("c=d; {pair}; e")]), Some([0xab; 32]));
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[&pair.replace("__Host-", "")]), None);
        assert_eq!(found(&[&pair[..pair.len() - 1]]), None);
        assert_eq!(found(&["__Host-taisai="]), None);
    }
}

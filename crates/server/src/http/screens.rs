//! The files of `web/dist`, which the program embeds.

use axum::Router;
use axum::http::header::{self, HeaderMap};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use crate::server::SharedServer;
use crate::vouchers;

/// The page of each screen; the first is the front page.
const PAGES: [&str; 7] = ["/", "/terminal", "/display", "/console", "/pit", "/cage", "/audit"];

struct ScreenFile {
    path: &'static str,
    whole: &'static [u8],
    packed: Option<&'static [u8]>,
}

static FILES: &[ScreenFile] = &include!(concat!(env!("OUT_DIR"), "/screens.rs"));

pub(crate) fn routes() -> Router<SharedServer> {
    let router = Router::new().route("/voucher.css", get(voucher_style));
    if FILES.is_empty() {
        return PAGES.iter().fold(router, |router, page| router.route(page, get(missing)));
    }
    FILES
        .iter()
        .fold(router, |router, file| router.route(&file.address(), get(async |headers: HeaderMap| file.sent(&headers))))
}

/// The style sheet of printed vouchers.
async fn voucher_style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css")], vouchers::STYLE)
}

/// The program was built without the screens.
async fn missing() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, Html(include_str!("screens/missing.html")))
}

impl ScreenFile {
    fn address(&self) -> String {
        match self.path.strip_suffix(".html") {
            Some("index") => "/".to_owned(),
            Some(page) => format!("/{page}"),
            None => format!("/{}", self.path),
        }
    }

    fn kind(&self) -> &'static str {
        match self.path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("woff2") => "font/woff2",
            _ => "application/octet-stream",
        }
    }

    /// Files under `assets` have the hash of their content in their name.
    fn kept(&self) -> &'static str {
        if self.path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
    }

    fn sent(&self, request_headers: &HeaderMap) -> Response {
        let takes_packed = request_headers
            .get(header::ACCEPT_ENCODING)
            .and_then(|accepted| accepted.to_str().ok())
            .is_some_and(|accepted| accepted.split(',').any(|coding| coding.trim() == "gzip"));
        let headers = [
            (header::CONTENT_TYPE, self.kind()),
            (header::CACHE_CONTROL, self.kept()),
            (header::VARY, "accept-encoding"),
        ];
        match self.packed {
            Some(packed) if takes_packed => {
                let mut response = (headers, packed).into_response();
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                response
            }
            Some(_) | None => (headers, self.whole).into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::HttpBody as _;

    use super::*;

    fn file(path: &'static str) -> ScreenFile {
        ScreenFile { path, whole: b"whole", packed: Some(b"packed") }
    }

    #[test]
    fn a_page_is_found_by_its_name() {
        for (path, address, kind) in [
            ("index.html", "/", "text/html; charset=utf-8"),
            ("terminal.html", "/terminal", "text/html; charset=utf-8"),
            ("assets/base-1.js", "/assets/base-1.js", "text/javascript; charset=utf-8"),
            ("icon.svg", "/icon.svg", "image/svg+xml"),
        ] {
            assert_eq!((file(path).address().as_str(), file(path).kind()), (address, kind));
        }
        let addresses: Vec<String> = FILES.iter().map(ScreenFile::address).collect();
        let is_there = |page: &&str| addresses.iter().any(|address| address == page);
        assert!(FILES.is_empty() || PAGES.iter().all(is_there), "{addresses:?}");
    }

    #[test]
    fn packed_files_go_to_those_who_take_them() {
        for (accepted, coding, length) in [
            (Some("gzip, deflate, br"), Some("gzip"), 6),
            (Some("br"), None, 5),
            (Some("gzip;q=0"), None, 5),
            (None, None, 5),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accepted) = accepted {
                headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            }
            let sent = file("assets/base-1.js").sent(&headers);
            assert_eq!(sent.headers().get(header::CONTENT_ENCODING).map(|coding| coding.to_str().unwrap()), coding);
            assert_eq!(sent.body().size_hint().exact(), Some(length), "{accepted:?}");
        }
    }
}

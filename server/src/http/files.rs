//! The browser's files, as the build compressed them. Their names carry a hash of their content, so they never change.

use super::refused::{Answered, Refused};
use crate::assets;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contracts::{Code, Hint, Problem};

/// `GET /pkg/<name>.<hash>.<ext>`.
///
/// # Errors
/// `not_found`.
pub async fn file(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Answered {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let asset = name.ok().and_then(|Path(name)| assets::get(&name, accepted)).ok_or_else(gone)?;
    let etag = HeaderValue::from_str(&asset.etag).map_err(|_| gone())?;
    let known = super::api::is_known(&headers, &asset.etag);
    let mut answer: Response = if known { StatusCode::NOT_MODIFIED.into_response() } else { asset.bytes.into_response() };
    let own = answer.headers_mut();
    if !known {
        own.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
        if let Some(coding) = asset.content_encoding {
            own.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
    }
    own.insert(header::ETAG, etag);
    own.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    Ok(answer)
}

/// `GET /pkg/`.
///
/// # Errors
/// `not_found`, always.
pub async fn none() -> Answered {
    Err(gone())
}

/// `GET /licences.txt`: what this is made with, and under which terms; written by `npm run licences` from what Cargo knows.
pub async fn licences() -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], include_str!("../../licences.txt")).into_response()
}

fn gone() -> Refused {
    Refused(Problem::new(Code::NotFound, "There is no such file").hint(Hint::text("reload the page: it may be of another version")))
}

//! Bodies: measured before they are read, refused and never cut, and checked down to the last character before anybody parses them.

use super::refused::{Answered, Refused};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use contracts::{Code, Hint, Problem, limits};
use futures::StreamExt;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::time::Duration;

/// Most that is read and thrown away of a body that is too large, so that its sender hears why.
const DRAINED_BYTES: usize = 16 * limits::BODY_BYTES_MAX;
const DRAINED_FOR: Duration = Duration::from_secs(2);
/// Longest time a body may take to come.
const READ_FOR: Duration = Duration::from_secs(30);

/// Reads a JSON body.
///
/// # Errors
/// `origin_refused` for another content type, `too_large`, `bad_request`.
pub async fn json(request: Request) -> Answered<Value> {
    if !is_kind(request.headers(), "application/json") {
        return Err(wrong_kind("application/json"));
    }
    let bytes = bytes(request).await?;
    Ok(parsed(&bytes)?)
}

/// Reads a form's body as text.
///
/// # Errors
/// As [`json`].
pub async fn form(request: Request) -> Answered<String> {
    if !is_kind(request.headers(), "application/x-www-form-urlencoded") {
        return Err(wrong_kind("application/x-www-form-urlencoded"));
    }
    Ok(text(&bytes(request).await?)?.to_owned())
}

/// Refuses a body that says it is too large.
async fn measured(request: Request) -> Answered<Request> {
    match declared(request.headers()) {
        Some(size) if size > limits::BODY_BYTES_MAX as u64 => {
            drain(request.into_body()).await;
            Err(too_large(&size.to_string()))
        }
        _ => Ok(request),
    }
}

/// Reads the body of a message for a service that parses it itself, and hands the request on with it.
///
/// # Errors
/// `too_large`, or `bad_request` for what is no JSON.
pub async fn message(request: Request) -> Answered<Request> {
    let (head, body) = request.into_parts();
    let bytes = bytes(Request::from_parts(head.clone(), body)).await?;
    let text = text(&bytes)?;
    shallow(text)?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|fault| not_json(&fault))?;
    Ok(Request::from_parts(head, Body::from(bytes)))
}

async fn bytes(request: Request) -> Answered<Bytes> {
    let request = measured(request).await?;
    match tokio::time::timeout(READ_FOR, collected(request)).await {
        Ok(read) => read,
        Err(_) => Err(Refused(Problem::bad_request("", format!("the body did not come within {} seconds", READ_FOR.as_secs())))),
    }
}

async fn collected(request: Request) -> Answered<Bytes> {
    let mut body = request.into_body().into_data_stream();
    let mut read = Vec::new();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|_| Problem::bad_request("", "the body ended early"))?;
        if read.len() + piece.len() > limits::BODY_BYTES_MAX {
            drain(Body::from_stream(body)).await;
            return Err(too_large("more"));
        }
        read.extend_from_slice(&piece);
    }
    Ok(read.into())
}

async fn drain(body: Body) {
    let mut body = body.into_data_stream();
    let all = async {
        let mut seen = 0;
        while let Some(Ok(piece)) = body.next().await {
            seen += piece.len();
            if seen > DRAINED_BYTES {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAINED_FOR, all).await; // late or not, the answer is the same
}

fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn is_kind(headers: &HeaderMap, kind: &str) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let mut parts = value.to_str().unwrap_or_default().split(';').map(str::trim);
    let named = parts.next().is_some_and(|named| named.eq_ignore_ascii_case(kind));
    named
        && parts.all(|parameter| parameter.is_empty() || parameter.eq_ignore_ascii_case("charset=utf-8") || parameter.eq_ignore_ascii_case("charset=\"utf-8\""))
}

fn wrong_kind(kind: &str) -> Refused {
    Refused(Problem::new(Code::OriginRefused, "This address does not take that content type").hint(Hint::text(format!("send Content-Type: {kind}"))))
}

fn too_large(size: &str) -> Refused {
    let title = format!("The body has {size} bytes; the limit is {}", limits::BODY_BYTES_MAX);
    Refused(Problem::new(Code::TooLarge, title).hint(Hint::text("send it in several requests")))
}

fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|fault| Problem::bad_request("", format!("the body is not UTF-8 at byte {}", fault.valid_up_to())))
}

fn parsed(bytes: &[u8]) -> Result<Value, Problem> {
    let text = text(bytes)?;
    shallow(text)?;
    let value = contracts::json::read(text).map_err(|fault| match fault.is_data() {
        true => Problem::bad_request("", fault.to_string()),
        false => not_json(&fault),
    })?;
    match nul(&value, String::new()) {
        Some(path) => Err(Problem::bad_request(path, "holds a NUL character")),
        None => Ok(value),
    }
}

fn not_json(fault: &serde_json::Error) -> Problem {
    Problem::bad_request("", format!("the body is not JSON: {fault}"))
}

fn shallow(text: &str) -> Result<(), Problem> {
    let depth = contracts::json::depth(text.as_bytes());
    if depth > limits::JSON_DEPTH_MAX {
        return Err(Problem::bad_request("", format!("the JSON is nested {depth} deep; the limit is {}", limits::JSON_DEPTH_MAX)));
    }
    Ok(())
}

/// Where a NUL character stands.
fn nul(value: &Value, path: String) -> Option<String> {
    match value {
        Value::String(text) => text.contains('\0').then_some(path),
        Value::Array(items) => items.iter().enumerate().find_map(|(place, item)| nul(item, format!("{path}[{place}]"))),
        Value::Object(fields) => fields.iter().find_map(|(name, field)| {
            if name.contains('\0') {
                return Some(path.clone());
            }
            nul(field, if path.is_empty() { name.clone() } else { format!("{path}.{name}") })
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_checked_to_the_last_character() {
        assert!(parsed(br#"{"a": ["\"[[[", {"b": 1}]}"#).is_ok());
        for (bad, word) in [
            (&br#"{"a": {"b": 1, "b": 2}}"#[..], "\"b\" is given twice"),
            (&b"{\"a\":\xff}"[..], "UTF-8 at byte 5"),
            (b"{", "not JSON"),
            (b"", "not JSON"),
            (b"{} {}", "not JSON"),
        ] {
            assert!(parsed(bad).unwrap_err().title.contains(word), "{word}");
        }
        assert_eq!(parsed(br#"{"args": {"text": ["a", "b\u0000"]}}"#).unwrap_err().errors[0].path, "args.text[1]");
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parsed(nested(64).as_bytes()).is_ok());
        assert!(parsed(nested(65).as_bytes()).unwrap_err().title.contains("65 deep"));
        assert!(parsed(nested(500_000).as_bytes()).is_err());
    }

    #[test]
    fn a_content_type_is_what_it_says() {
        let is = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            is_kind(&headers, "application/json")
        };
        assert!(is("application/json") && is("Application/JSON; charset=UTF-8"));
        for other in ["text/plain", "application/json-patch+json", "text/plain; application/json", "application/json; charset=latin1", "application/jsonx"] {
            assert!(!is(other), "{other}");
        }
    }
}

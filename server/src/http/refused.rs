//! How a refusal leaves this door: problem+json for programs, a small page for a person whose browser asked for one.
//!
//! Handlers give [`Refused`]; it only carries the problem. It is worded once, at the outermost layer, where the request is known.

use app::words::escaped;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contracts::{Code, Hint, Problem};

/// A problem on its way out.
#[derive(Clone, Debug)]
pub struct Refused(pub Problem);

/// What a handler of this door gives.
pub type Answered<T = Response> = Result<T, Refused>;

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused(problem)
    }
}

impl Refused {
    /// The status its code has.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self.0);
        response
    }
}

/// Longest plain refusal of a library that is read.
const PLAIN_BYTES_MAX: usize = 4 << 10;

/// What a library refused in plain words, as a problem; everything else as it is.
///
/// # Errors
/// The problem.
pub async fn reworded(answer: Response) -> Answered {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let bare = answer.status() == StatusCode::METHOD_NOT_ALLOWED; // worded where the router's `Allow` is known
    if !answer.status().is_client_error() || bare || kind.contains("json") || answer.extensions().get::<Problem>().is_some() {
        return Ok(answer);
    }
    let code = match answer.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
        _ => Code::BadRequest,
    };
    let said = axum::body::to_bytes(answer.into_body(), PLAIN_BYTES_MAX).await.unwrap_or_default();
    Err(Problem::new(code, "This is no message that can be taken here")
        .detail(String::from_utf8_lossy(&said).trim())
        .hint(Hint::text("POST one JSON-RPC message with Content-Type: application/json and Accept: application/json, text/event-stream"))
        .into())
}

/// What the wording depends on.
pub struct Asked {
    /// The path, without the query: it may hold what somebody typed.
    pub path: String,
    /// Whether a bearer came: then the hint is a command line, else a button.
    pub bearer: bool,
    /// Whether a person's browser shows the answer.
    pub page: bool,
    /// The request's id, which `internal` is reported with.
    pub id: String,
}

impl Asked {
    /// Of a request's head.
    pub fn of(path: &str, headers: &HeaderMap, id: &str) -> Asked {
        let for_programs = ["/api/", "/live", "/mcp", "/pkg/", "/healthz"].iter().any(|start| path.starts_with(start)) || path == "/api";
        let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Asked {
            path: path.to_owned(),
            bearer: headers.contains_key(header::AUTHORIZATION),
            page: !for_programs && accept.contains("text/html"),
            id: id.to_owned(),
        }
    }
}

/// Writes the problem, keeping the headers the answer has already (`Allow`, `Set-Cookie`).
pub fn written(mut problem: Problem, asked: &Asked, mut response: Response) -> Response {
    if problem.code == Code::Internal {
        let incident = problem.incident.get_or_insert_with(|| asked.id.clone());
        tracing::error!(incident = %incident, title = %problem.title, "a request failed");
    }
    let refused = Refused(problem);
    *response.status_mut() = refused.status();
    let problem = &refused.0;
    let (kind, body) = if asked.page { ("text/html; charset=utf-8", page(problem, asked)) } else { ("application/problem+json", json(problem, asked)) };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.remove(header::CONTENT_LENGTH);
    match problem.code {
        Code::Busy | Code::RateLimited => drop(headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"))),
        Code::Unauthorized if !asked.page => drop(headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        _ => {}
    }
    *response.body_mut() = Body::from(body);
    response
}

fn hint(problem: &Problem, asked: &Asked) -> String {
    if asked.bearer { problem.hint.for_cli() } else { problem.hint.for_web() }
}

fn json(problem: &Problem, asked: &Asked) -> String {
    let mut body = problem.document(hint(problem, asked));
    body["instance"] = asked.path.as_str().into();
    body.to_string()
}

fn page(problem: &Problem, asked: &Asked) -> String {
    let hint = hint(problem, asked);
    let rows = [problem.detail.as_str(), hint.as_str()];
    let more: String = rows.iter().filter(|text| !text.is_empty()).map(|text| format!("<p>{}</p>", escaped(text))).collect();
    let incident = problem.incident.as_ref().map(|id| format!("<p>Incident <code>{}</code></p>", escaped(id))).unwrap_or_default();
    document(&problem.title, &format!("<p>{}</p>{more}{incident}<p><a href=\"/\">Go to the board</a></p>", escaped(&problem.title)))
}

/// A page without scripts or styles, for what must be said when the app can't say it.
pub fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title></head>\
         <body><main><h1>Callboard</h1>{body}</main></body></html>"
    )
}

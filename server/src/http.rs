//! The web's door: pages, their forms, the API, the embedded files. It parses, asks the `Board` port and renders.
//!
//! Every request passes, outermost first: a panic becomes `internal`; an id and a trace; the doors (`Host`, `Origin`); security
//! headers; then, by route, the credential. Live sockets and MCP are handed in by boot and stand behind the same doors.

pub mod activity;
pub mod api;
pub mod body;
pub mod credentials;
pub mod doors;
pub mod files;
pub mod forms;
pub mod pages;
pub mod query;
pub mod refused;
mod reports;
pub mod serve;
pub mod sessions;
pub mod tokens;

pub use credentials::Person;
pub use doors::Doors;
pub use serve::{BindError, Bound, bind, serve};
pub use sessions::{EntryCode, MemorySessions, SessionRows};
pub use tokens::{Token, TokenKind};

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use contracts::{Answer, Board, Caller, Code, Hint, Problem};
use futures::FutureExt;
use refused::{Asked, Refused};
use serde_json::json;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tracing::Instrument;

pub use crate::boot::{Bits, Clock};

/// Where the board stands: what a conditional read compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Position of the log.
    pub seq: i64,
    /// The database's.
    pub epoch: String,
    /// Live batches so far: a lease moves without a `seq`.
    pub live: i64,
    /// Ends of leases and of their grace that are past: a standing flips by time alone.
    pub lapsed: i64,
}

/// The way to somebody's board.
pub trait Boards: Send + Sync + 'static {
    /// The board as this caller sees it.
    fn for_caller(&self, caller: Caller) -> Arc<dyn Board>;
    /// Where it stands.
    fn head(&self) -> Answer<'_, Head>;
}

/// What this door is given at boot.
pub struct Site {
    /// The board.
    pub boards: Arc<dyn Boards>,
    /// Who is behind a session and the local token.
    pub person: Person,
    /// The names it answers to.
    pub doors: Doors,
    /// The person's bearer.
    pub local_token: Token,
    /// The agents' bearer.
    pub mcp_token: Token,
    /// Where sessions are kept.
    pub sessions: Arc<dyn SessionRows>,
    /// With `--private`: what a browser must type in.
    pub code: Option<EntryCode>,
    /// Takes no writes.
    pub read_only: bool,
    /// Build of the server.
    pub version: String,
    /// The wall clock.
    pub now: Clock,
    /// Randomness.
    pub bits: Bits,
}

/// What other transports bring; their routes keep their whole paths.
#[derive(Default)]
pub struct Mounts {
    /// `/live` and `/live/sse`, behind a session or the local token.
    pub live: Router,
    /// `/mcp` and `/mcp/board`, behind the MCP token.
    pub mcp: Router,
}

/// Everything this server answers.
pub fn router(site: Arc<Site>, mounts: Mounts) -> Router {
    let session = sessions::layer(&site);
    let smaller = || CompressionLayer::new().quality(CompressionLevel::Fastest);
    let api = api::routes()
        .fallback(no_such_address)
        .layer(from_fn_with_state(site.clone(), credentials::for_api))
        .layer(session.clone())
        .layer(smaller())
        .with_state(site.clone());
    let live = mounts.live.layer(from_fn_with_state(site.clone(), credentials::for_api)).layer(session.clone());
    let mcp = mounts.mcp.layer(from_fn_with_state(site.clone(), credentials::for_mcp));
    let forms = Router::new()
        .route("/do", post(forms::submit))
        .layer(from_fn_with_state(site.clone(), credentials::for_forms))
        .route("/enter", post(credentials::enter))
        .route("/theme", post(credentials::theme))
        .layer(session.clone())
        .layer(smaller())
        .with_state(site.clone());
    let pages = pages::routes()
        .fallback(pages::not_found)
        .layer(from_fn_with_state(site.clone(), credentials::for_pages))
        .layer(session)
        .layer(smaller())
        .with_state(site.clone());
    let open = Router::new()
        .route("/pkg/{*name}", get(files::file))
        .route("/pkg/", get(files::none))
        .route("/licences.txt", get(files::licences))
        .route("/healthz", get(health))
        .with_state(site.clone());
    pages.nest("/api", api).merge(live).merge(mcp).merge(forms).merge(open).layer(from_fn_with_state(Gate::of(&site), outermost))
}

/// What a server answers until its board is open: 503, to everything, soon to be asked again.
pub fn starting(doors: Doors, version: &str, bits: Bits) -> Router {
    let health = json!({"ok": false, "version": version});
    let health = move || async move { (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")], Json(health)) };
    let wait = || async { Refused(Problem::new(Code::Busy, "Callboard is starting").hint(Hint::text("try again in a second"))) };
    Router::new().route("/healthz", get(health)).fallback(wait).layer(from_fn_with_state(Gate { doors, bits }, outermost))
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    Json(json!({"ok": true, "version": site.version})).into_response()
}

async fn no_such_address() -> Refused {
    Refused(Problem::new(Code::NotFound, "There is no such address").hint(Hint::text("GET /api/meta says what this is")))
}

/// The id of a request, in its answer and in the trace.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

#[derive(Clone)]
struct Gate {
    doors: Doors,
    bits: Bits,
}

impl Gate {
    fn of(site: &Site) -> Gate {
        Gate { doors: site.doors.clone(), bits: site.bits.clone() }
    }
}

async fn outermost(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let id = format!("{:016x}", (gate.bits)() >> 64);
    let asked = Asked::of(request.uri().path(), request.headers(), &id);
    let span = tracing::info_span!("request", id = %id, method = %request.method(), path = %asked.path);
    let answer = match gate.doors.check(request.method(), request.uri(), request.headers()) {
        Err(problem) => Refused(problem).into_response(),
        Ok(host) => {
            request.extensions_mut().insert(host);
            request.extensions_mut().insert(RequestId(id.clone()));
            match AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await {
                Ok(answer) => answer,
                Err(_) => Refused(Problem::new(Code::Internal, "Something went wrong here")).into_response(),
            }
        }
    };
    let mut answer = span.in_scope(|| worded(answer, &asked));
    protect(&mut answer);
    if let Ok(id) = HeaderValue::from_str(&id) {
        answer.headers_mut().insert(HeaderName::from_static("x-request-id"), id);
    }
    answer
}

/// Writes out a refusal, and what axum refused by itself.
fn worded(mut answer: Response, asked: &Asked) -> Response {
    if let Some(problem) = answer.extensions_mut().remove::<Problem>() {
        return refused::written(problem, asked, answer);
    }
    if answer.status() == StatusCode::METHOD_NOT_ALLOWED && !answer.headers().contains_key(header::CONTENT_TYPE) {
        // The router adds its `Allow` only after this.
        let problem = Problem::new(Code::MethodNotAllowed, "This address does not take that method").hint(Hint::text("the header Allow names those it takes"));
        return refused::written(problem, asked, answer);
    }
    answer
}

/// What a page that must not have scripts, styles or frames may do.
const CSP_OF_NO_PAGE: &str = "default-src 'none'; frame-ancestors 'none'";
/// Our small pages without the app hold at most a form.
const CSP_OF_SMALL_PAGE: &str = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn protect(answer: &mut Response) {
    let is_html = answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    let csp = if is_html { CSP_OF_SMALL_PAGE } else { CSP_OF_NO_PAGE };
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(csp));
}

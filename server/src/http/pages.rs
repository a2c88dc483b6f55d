//! Pages: the app rendered on the server, with the reader's own board in its context.

use super::Site;
use super::doors::Host;
use super::refused::Answered;
use crate::assets;
use app::{App, Assets, FormKey, Here, Port, SetStatus, Theme};
use axum::Extension;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use contracts::view::{BoardQuery, RefusedForm, Snapshot};
use contracts::{Answer, Board, Caller, Problem, TaskId};
use leptos::nonce::use_nonce;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{ResponseOptions, generate_route_list, render_app_async_with_context};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

/// One route for each page of the app.
pub fn routes() -> Router<Arc<Site>> {
    paths().iter().fold(Router::new(), |router, path| router.route(path, get(page)))
}

/// The paths of the app's pages, as this router writes them.
pub fn paths() -> Vec<String> {
    generate_route_list(App).iter().map(|listing| listing.path().to_owned()).collect()
}

/// The files a page refers to.
pub fn files() -> Assets {
    let names = assets::names();
    let owned = str::to_owned;
    Assets {
        js: owned(names.js),
        wasm: owned(names.wasm),
        css: owned(names.css),
        icons: owned(names.icons),
        favicon: owned(names.favicon),
        base: String::new(),
    }
}

async fn page(State(site): State<Arc<Site>>, Extension(caller): Extension<Caller>, Extension(host): Extension<Host>, request: Request) -> Response {
    rendered(&site, site.boards.for_caller(caller), &host, request, None).await
}

/// What no route knows: the app's own page for it, with the status it has.
///
/// # Errors
/// Nothing; the page says it.
pub async fn not_found(State(site): State<Arc<Site>>, Extension(caller): Extension<Caller>, Extension(host): Extension<Host>, request: Request) -> Answered {
    let mut answer = rendered(&site, site.boards.for_caller(caller), &host, request, None).await;
    if answer.status().is_success() {
        *answer.status_mut() = StatusCode::NOT_FOUND;
    }
    Ok(answer)
}

/// The page at an in-app path, as it answers a refused form.
pub async fn refused(site: &Site, caller: Caller, host: &Host, back: &str, cookies: Option<HeaderValue>, refusal: RefusedForm) -> Response {
    let status = StatusCode::from_u16(refusal.problem.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let board = Arc::new(WithRefusal { board: site.boards.for_caller(caller), refusal });
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = back.parse().unwrap_or_default();
    if let Some(cookies) = cookies {
        request.headers_mut().insert(header::COOKIE, cookies);
    }
    let mut answer = rendered(site, board, host, request, Some(Here(back.to_owned()))).await;
    *answer.status_mut() = status;
    answer
}

async fn rendered(site: &Site, board: Arc<dyn Board>, host: &Host, request: Request, here: Option<Here>) -> Response {
    let cookies = request.headers().get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let theme = Theme::from_cookies(cookies);
    let key = FormKey(format!("{:032x}", (site.bits)()));
    let status = Arc::new(AtomicU16::new(0));
    let set = SetStatus({
        let status = status.clone();
        Arc::new(move |code| status.store(code, Ordering::Relaxed))
    });
    let host = host.0.clone();
    let context = move || {
        provide_context(Port(board.clone()));
        provide_context(theme);
        provide_context(key.clone());
        provide_context(set.clone());
        if let Some(here) = here.clone() {
            provide_context(here);
        }
        let policy = use_nonce().and_then(|nonce| HeaderValue::from_str(&csp(&nonce.to_string(), &host)).ok());
        if let (Some(policy), Some(options)) = (policy, use_context::<ResponseOptions>()) {
            options.insert_header(header::CONTENT_SECURITY_POLICY, policy);
        }
    };
    let files = files();
    let mut answer = render_app_async_with_context(context, move || app::shell(files.clone()))(request).await;
    if let Ok(code) = StatusCode::from_u16(status.load(Ordering::Relaxed)) {
        *answer.status_mut() = code;
    }
    answer
}

/// What a page may load and where it may send: ourselves. The host was checked: it holds a name of ours and digits.
fn csp(nonce: &str, host: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; \
         font-src 'self'; manifest-src 'self'; connect-src 'self' ws://{host} wss://{host}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// A board whose snapshot carries a refused form, so that hydration sees what the server rendered.
struct WithRefusal {
    board: Arc<dyn Board>,
    refusal: RefusedForm,
}

impl WithRefusal {
    async fn behind(&self) -> Result<&dyn Board, Problem> {
        Ok(self.board.as_ref())
    }
}

contracts::hand_on_board!(WithRefusal, behind, {
    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot> {
        Box::pin(async move {
            let snapshot = self.board.snapshot(query, task).await?;
            Ok(Snapshot { refusal: Some(self.refusal.clone()), ..snapshot })
        })
    }
});

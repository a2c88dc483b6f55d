//! Who calls: a browser by its session, a program by the bearer of the right kind. Said before anything is looked up.

use super::doors::Host;
use super::refused::{self, Answered, Refused, document};
use super::tokens::TokenKind;
use super::{Site, body, query, sessions};
use app::words::escaped;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use contracts::{Actor, Caller, Code, Hint, Problem, Surface};
use std::sync::Arc;
use tower_sessions::Session;

/// The person at this machine.
#[derive(Clone, Debug)]
pub struct Person {
    /// `dev:…`.
    pub actor: Actor,
    /// `local:<os user>` or `local:<os user>/<git e-mail>`.
    pub principal: String,
}

impl Person {
    /// As pages and their API know them.
    pub fn caller(&self) -> Caller {
        Caller { actor: self.actor.clone(), principal: self.principal.clone(), surface: Surface::Web, session: None, client: None }
    }
}

/// The API and the live page: a session or the person's bearer.
///
/// # Errors
/// `unauthorized`, `origin_refused`, `read_only`.
pub async fn for_api(State(site): State<Arc<Site>>, session: Session, mut request: Request, next: Next) -> Answered {
    let writes = is_write(request.method());
    if request.headers().contains_key(header::AUTHORIZATION) {
        bearer(&site, request.headers(), TokenKind::Local)?;
    } else {
        if !sessions::is_valid(&site, &session).await? {
            return Err(no_credential(TokenKind::Local));
        }
        if is_socket(request.headers()) && !request.headers().contains_key(header::ORIGIN) {
            return Err(Refused(site.doors.refused("A socket without an origin needs a bearer")));
        }
        under_a_session(&site, request.headers(), writes)?;
        if let Some(lasting) = sessions::lasting(&site, &session) {
            request.extensions_mut().insert(lasting);
        }
    }
    if writes && site.read_only {
        return Err(read_only());
    }
    request.extensions_mut().insert(site.person.caller());
    Ok(next.run(request).await)
}

/// Pages: a session, which is handed out to whoever navigates here, unless the code must be typed in first.
///
/// # Errors
/// `unauthorized` for anything that is no navigation.
pub async fn for_pages(State(site): State<Arc<Site>>, session: Session, mut request: Request, next: Next) -> Answered {
    if sessions::is_valid(&site, &session).await? {
        sessions::touch(&site, &session).await?;
    } else if !is_navigation(&request) {
        return Err(no_credential(TokenKind::Local));
    } else if site.code.is_some() {
        let back = request.uri().path_and_query().map_or("/", |path| path.as_str());
        return Ok(code_form(StatusCode::UNAUTHORIZED, "Type in the code that was printed where Callboard was started.", back, ""));
    } else {
        sessions::hand_out(&site, &session, false).await?;
    }
    request.extensions_mut().insert(site.person.caller());
    Ok(next.run(request).await)
}

/// The pages' own forms: a session, and an origin that is ours. A person whose session ended while they wrote gets a new one, or is
/// asked for the code, and the page again with what they wrote; nothing is carried out until they send it once more.
///
/// # Errors
/// `unauthorized`, `origin_refused`, `read_only`.
pub async fn for_forms(State(site): State<Arc<Site>>, session: Session, mut request: Request, next: Next) -> Answered {
    from_our_pages(&site, request.headers())?;
    if !sessions::is_valid(&site, &session).await? {
        if !shows_pages(request.headers()) {
            return Err(no_credential(TokenKind::Local));
        }
        return written_without(&site, &session, request).await;
    }
    if site.read_only {
        return Err(read_only());
    }
    request.extensions_mut().insert(site.person.caller());
    Ok(next.run(request).await)
}

/// A form that came from a page of ours without a session that is still good.
async fn written_without(site: &Site, session: &Session, request: Request) -> Answered {
    let page = Again::of(&request);
    let sent = body::form(request).await?;
    if site.code.is_some() {
        let words = "Your session has ended. Type in the code that was printed where Callboard was started; what you wrote comes back.";
        return Ok(code_form(StatusCode::UNAUTHORIZED, words, "/", &sent));
    }
    sessions::hand_out(site, session, false).await?;
    page.answer(site, &sent).await
}

/// What the page that a form came from is rendered again with.
struct Again {
    host: Option<Host>,
    cookies: Option<HeaderValue>,
}

impl Again {
    fn of(request: &Request) -> Again {
        Again { host: request.extensions().get().cloned(), cookies: request.headers().get(header::COOKIE).cloned() }
    }

    async fn answer(self, site: &Site, sent: &str) -> Answered {
        let host = self.host.ok_or_else(|| Problem::new(Code::Internal, "The name this was sent to is not known"))?;
        let hint = Hint::text("You have a new one now: send it again.");
        super::forms::unsent(site, &host, self.cookies, sent, Problem::new(Code::Unauthorized, "Your session had ended.").hint(hint)).await
    }
}

/// MCP: the agents' bearer.
///
/// # Errors
/// `unauthorized`, `too_large`.
pub async fn for_mcp(State(site): State<Arc<Site>>, request: Request, next: Next) -> Answered {
    bearer(&site, request.headers(), TokenKind::Mcp)?;
    let mut request = if request.method() == Method::POST { body::message(request).await? } else { request };
    let actor = Actor::agent_named(site.person.actor.dev().unwrap_or_default(), mcp::UNNAMED);
    request.extensions_mut().insert(mcp::McpPrincipal { principal: site.person.principal.clone(), actor });
    refused::reworded(next.run(request).await).await
}

/// `POST /enter`: the one-time code.
///
/// # Errors
/// `origin_refused`, and what [`body::form`] refuses.
pub async fn enter(State(site): State<Arc<Site>>, session: Session, request: Request) -> Answered {
    from_our_pages(&site, request.headers())?;
    let page = Again::of(&request);
    let fields = query::decoded(&body::form(request).await?)?;
    let field = |name: &str| fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str());
    let (back, unsent) = (super::forms::in_app(field("back")), field("unsent"));
    match &site.code {
        Some(code) if !code.redeem(field("code")) => Ok(code_form(StatusCode::UNAUTHORIZED, "That is not the code.", &back, unsent)),
        code => {
            if code.is_some() {
                session.cycle_id().await.map_err(sessions::unavailable)?;
                sessions::hand_out(&site, &session, true).await?;
            }
            if unsent.is_empty() { Ok(super::forms::see_other(&back)) } else { page.answer(&site, unsent).await }
        }
    }
}

/// `POST /theme`: how pages look in this browser, for one without scripts. It changes no board, so it asks for no session.
///
/// # Errors
/// `origin_refused`, and what [`body::form`] refuses.
pub async fn theme(State(site): State<Arc<Site>>, request: Request) -> Answered {
    from_our_pages(&site, request.headers())?;
    let fields = query::decoded(&body::form(request).await?)?;
    let field = |name: &str| fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str());
    let mut answer = super::forms::see_other(&super::forms::in_app(field("back")));
    if let Ok(cookie) = HeaderValue::from_str(&app::Theme::parse(field("theme")).cookie()) {
        answer.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(answer)
}

/// Asks for the code. `unsent` is a form's body that came without a session: it goes along, and the page comes back with it.
fn code_form(status: StatusCode, words: &str, back: &str, unsent: &str) -> Response {
    let unsent = if unsent.is_empty() { String::new() } else { format!("<input type=\"hidden\" name=\"unsent\" value=\"{}\">", escaped(unsent)) };
    let form = format!(
        "<p>{words}</p><form method=\"post\" action=\"/enter\"><input type=\"hidden\" name=\"back\" value=\"{}\">{unsent}\
         <label>Code <input name=\"code\" inputmode=\"numeric\" autocomplete=\"one-time-code\" required autofocus></label> <button>Enter</button></form>",
        escaped(back)
    );
    (status, Html(document("Callboard", &form))).into_response()
}

fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE)
}

/// What else must hold when only a cookie says who calls: browsers send it along whoever wrote the page.
fn under_a_session(site: &Site, headers: &HeaderMap, writes: bool) -> Answered<()> {
    let from = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let foreign = match from {
        None => false,
        Some(b"same-origin") => false,
        Some(b"none") => writes,
        Some(_) => true,
    };
    // The doors have compared the origin with our own already; a write must have one to compare.
    if foreign || (writes && !headers.contains_key(header::ORIGIN)) {
        return Err(Refused(site.doors.refused("Only our own pages may send this")));
    }
    Ok(())
}

/// A form of ours: the browser says so, and names an origin to compare.
fn from_our_pages(site: &Site, headers: &HeaderMap) -> Answered<()> {
    under_a_session(site, headers, true)
}

/// Whether a person's browser shows the answer.
fn shows_pages(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|accept| accept.contains("text/html"))
}

fn is_socket(headers: &HeaderMap) -> bool {
    headers.get_all(header::UPGRADE).iter().any(|value| value.as_bytes().to_ascii_lowercase().windows(9).any(|word| word == b"websocket"))
}

/// A person's browser opens an address: no script of any page can send this and read the answer. What takes anything (a monitor, a script)
/// is none: each navigation without a session stores one.
fn is_navigation(request: &Request) -> bool {
    let mode = request.headers().get("sec-fetch-mode").map(HeaderValue::as_bytes);
    request.method() == Method::GET && mode.map_or_else(|| shows_pages(request.headers()), |mode| mode == b"navigate")
}

fn bearer(site: &Site, headers: &HeaderMap, kind: TokenKind) -> Answered<()> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Err(no_credential(kind)) };
    let value = value.to_str().unwrap_or_default();
    let given = match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => return Err(no_credential(kind)),
    };
    let token = match kind {
        TokenKind::Local => &site.local_token,
        TokenKind::Mcp => &site.mcp_token,
    };
    if token.is(given) { Ok(()) } else { Err(no_credential(kind)) }
}

/// The same words whether nothing came, something wrong, or the other kind: what is right is all that helps.
fn no_credential(kind: TokenKind) -> Refused {
    let hint = match kind {
        TokenKind::Local => {
            "open the page in a browser, or send Authorization: Bearer with the content of .callboard/local-token (mcp-token is for /mcp alone)"
        }
        TokenKind::Mcp => "send Authorization: Bearer with the content of .callboard/mcp-token (local-token is for the API alone)",
    };
    Refused(Problem::new(Code::Unauthorized, "No valid credential came with this request").hint(Hint::text(hint)))
}

fn read_only() -> Refused {
    Refused(Problem::new(Code::ReadOnly, "This server only reads").hint(Hint::text("ask whoever started it")))
}

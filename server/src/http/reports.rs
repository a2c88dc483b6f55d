//! Reports below `/api`: asked for, listed, read as a file, written, sent, narrated. Never conditional: files move without the log.

use super::query::{self, Kind, Names};
use super::refused::Answered;
use super::{Site, body};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use contracts::command::parse_args;
use contracts::report::{Narrate, Narration, NarrationState, ReportQuery, ReportView};
use contracts::{Board, Caller, Problem};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

type Here = State<Arc<Site>>;
type Reader = Extension<Caller>;
type Found = Result<Path<String>, PathRejection>;

const NONE: Names = &[];
const ASKED: Names = &[
    ("kind", Kind::Text),
    ("since", Kind::Text),
    ("date", Kind::Text),
    ("last", Kind::Text),
    ("from", Kind::Text),
    ("to", Kind::Text),
    ("by", Kind::Text),
    ("full", Kind::Flag),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// What is said about a report, without what only pages need.
fn label(found: Found, raw: Option<&str>) -> Result<String, Problem> {
    let Nothing {} = query::read(raw, NONE)?;
    let Path(label) = found.map_err(|_| Problem::bad_request("label", "is not UTF-8"))?;
    Ok(label)
}

fn board(site: &Site, caller: Caller) -> Arc<dyn Board> {
    site.boards.for_caller(caller)
}

/// `GET report?kind=…`: one that is made now.
pub(super) async fn asked(State(site): Here, Extension(caller): Reader, RawQuery(raw): RawQuery) -> Answered {
    let query: ReportQuery = query::read(raw.as_deref(), ASKED)?;
    Ok(Json(board(&site, caller).report(query).await?).into_response())
}

/// `GET reports`: the written ones.
pub(super) async fn list(State(site): Here, Extension(caller): Reader, RawQuery(raw): RawQuery) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let items = board(&site, caller).reports().await?;
    Ok(Json(json!({"total": items.len(), "items": items})).into_response())
}

/// `GET reports/<label>`.
pub(super) async fn one(State(site): Here, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery) -> Answered {
    let label = label(found, raw.as_deref())?;
    Ok(Json(board(&site, caller).report_named(label).await?).into_response())
}

/// `GET reports/<label>/file`: the markdown, to be kept.
pub(super) async fn file(State(site): Here, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery) -> Answered {
    let label = label(found, raw.as_deref())?;
    let view = board(&site, caller).report_named(label.clone()).await?;
    let mut answer = markdown(&view).into_response();
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
    // The name was one of a report, so it can stand in a header.
    if let Ok(kept) = HeaderValue::from_str(&format!("attachment; filename=\"{label}.md\"")) {
        answer.headers_mut().insert(header::CONTENT_DISPOSITION, kept);
    }
    Ok(answer)
}

/// Facts, and below them the narration, as people read them.
fn markdown(view: &ReportView) -> String {
    let Narration { text, state, .. } = &view.narration;
    let facts = view.markdown.trim_end();
    match text.trim() {
        "" => format!("{facts}\n"),
        text if *state == NarrationState::Done => format!("{facts}\n\n## Narration\n\n{text}\n"),
        text => format!("{facts}\n\n## Narration ({})\n\n{text}\n", state.as_str()),
    }
}

/// `PUT reports/<label>/file {text, base}`.
pub(super) async fn put(State(site): Here, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, request: Request) -> Answered {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sent {
        text: String,
        base: Option<String>,
    }
    let label = label(found, raw.as_deref())?;
    let Sent { text, base } = parse_args(body::json(request).await?)?;
    Ok(Json(board(&site, caller).put_report(label, text, base).await?).into_response())
}

/// `POST reports/<label> {replace_facts?}`: writes the facts.
pub(super) async fn write(State(site): Here, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, request: Request) -> Answered {
    let label = label(found, raw.as_deref())?;
    let how: Narrate = parse_args(body::json(request).await?)?;
    Ok(Json(board(&site, caller).write_report(label, how).await?).into_response())
}

/// `POST reports/<label>/narration`: it began; what comes is told on the live line.
pub(super) async fn narrate(State(site): Here, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, request: Request) -> Answered {
    let label = label(found, raw.as_deref())?;
    let how: Narrate = parse_args(body::json(request).await?)?;
    board(&site, caller).narrate(label.clone(), how).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({"label": label, "started": (site.now)()}))).into_response())
}

/// `DELETE reports/<label>/narration`.
pub(super) async fn cancel(State(site): Here, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery) -> Answered {
    let label = label(found, raw.as_deref())?;
    board(&site, caller).cancel_narration(label.clone()).await?;
    Ok(Json(json!({"label": label, "cancelled": true})).into_response())
}

//! `/api/activity/…`: what the activity page shows, as data and as it is drawn, and every event that was asked for as a file.

use super::query::{self, Kind, Names};
use super::refused::Answered;
use super::{Site, pages};
use app::activity::{self, Asked, Drawing};
use app::markup::Markup;
use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Json, Router};
use contracts::view::{ActivityQuery, BoardQuery, HistoryRow, Page, Snapshot, TimelineQuery};
use contracts::{Board, Caller, Problem};
use futures::stream;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The routes below `/api`.
pub fn routes() -> Router<Arc<Site>> {
    Router::new().route("/activity/timeline", get(timeline)).route("/activity/drawn", get(drawn)).route("/activity/export", get(export))
}

const NAMES: Names = &[
    ("kind", Kind::Text),
    ("actor", Kind::Text),
    ("task", Kind::Text),
    ("milestone", Kind::Text),
    ("since", Kind::Text),
    ("until", Kind::Text),
    ("text", Kind::Words),
    ("older", Kind::Text),
    ("audit", Kind::Flag),
    ("verify", Kind::Flag),
    ("format", Kind::Text),
];

/// What an address asks for, and what it names beside it. Times are read by the board's clock and zone, so it is asked first.
struct Wanted {
    asked: Asked,
    query: TimelineQuery,
    snapshot: Snapshot,
    format: String,
}

async fn wanted(board: &dyn Board, raw: Option<&str>) -> Result<Wanted, Problem> {
    let fields: Map<String, Value> = query::read(raw, NAMES)?;
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Bool(flag)) => Some(flag.to_string()),
        _ => None,
    };
    let asked = Asked::of(text);
    let snapshot = board.snapshot(BoardQuery { limit: Some(1), ..BoardQuery::default() }, None).await?;
    let query = asked.query(snapshot.now, snapshot.project.offset_minutes)?;
    Ok(Wanted { asked, query, snapshot, format: text("format").unwrap_or_default() })
}

/// As data.
async fn timeline(State(site): State<Arc<Site>>, Extension(caller): Extension<Caller>, RawQuery(raw): RawQuery) -> Answered {
    let board = site.boards.for_caller(caller);
    let Wanted { query, .. } = wanted(&*board, raw.as_deref()).await?;
    Ok(Json(board.timeline(query).await?).into_response())
}

/// As the page shows it, in parts.
async fn drawn(State(site): State<Arc<Site>>, Extension(caller): Extension<Caller>, RawQuery(raw): RawQuery) -> Answered {
    let board = site.boards.for_caller(caller);
    let Wanted { asked, query, snapshot, .. } = wanted(&*board, raw.as_deref()).await?;
    let view = board.timeline(query.clone()).await?;
    let files = pages::files();
    let markup = Markup::with_icons(&files.icons);
    let with = Drawing { base: &files.base, markup: &markup, asked: &asked, snapshot: &snapshot };
    Ok(Json(activity::draw(&view, &query, &with)).into_response())
}

/// Every event that was asked for, newest first, read a page at a time while it is sent.
async fn export(State(site): State<Arc<Site>>, Extension(caller): Extension<Caller>, RawQuery(raw): RawQuery) -> Answered {
    let board = site.boards.for_caller(caller);
    let Wanted { query, snapshot, format, .. } = wanted(&*board, raw.as_deref()).await?;
    let (kind, write): (_, fn(&Page<HistoryRow>) -> String) = match format.as_str() {
        "" | "ndjson" => ("application/x-ndjson; charset=utf-8", ndjson),
        "csv" => ("text/csv; charset=utf-8", csv),
        other => return Err(Problem::bad_request("format", format!("is ndjson or csv, not {other:?}")).into()),
    };
    let ending = if format == "csv" { "csv" } else { "ndjson" };
    let head = if format == "csv" { CSV_HEAD } else { "" };
    let name = format!("attachment; filename=\"activity-{}.{ending}\"", snapshot.project.slug);
    let first = ActivityQuery { limit: None, cursor: None, ..query.of };
    // A read that fails in the middle breaks the answer off: what looks whole is whole.
    let body = stream::try_unfold(Some(first), move |next| {
        let board = board.clone();
        async move {
            let Some(query) = next else { return Ok(None) };
            let page = board.events(query.clone()).await?;
            let next = page.next.clone().map(|cursor| ActivityQuery { cursor: Some(cursor), ..query });
            Ok::<_, Problem>(Some((Bytes::from(write(&page)), next)))
        }
    });
    let begins = stream::once(async move { Ok(Bytes::from_static(head.as_bytes())) });
    let body = Body::from_stream(futures::StreamExt::chain(begins, body));
    Ok(([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, name)], body).into_response())
}

fn ndjson(page: &Page<HistoryRow>) -> String {
    let line = |row: &HistoryRow| {
        let entry = &row.entry;
        let fields = serde_json::json!({
            "seq": entry.seq, "event": entry.event, "at": entry.at, "actor": entry.actor, "principal": row.principal, "kind": entry.kind,
            "subject": entry.subject, "title": entry.title, "words": entry.words, "no_effect": entry.no_effect, "body": row.body,
        });
        format!("{fields}\n")
    };
    page.items.iter().map(line).collect()
}

const CSV_HEAD: &str = "seq,event,at,actor,principal,kind,subject,title,words,text,field,from,to,no_effect\r\n";

fn csv(page: &Page<HistoryRow>) -> String {
    let bare = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = |row: &HistoryRow| {
        let entry = &row.entry;
        let cells = [
            entry.seq.to_string(),
            entry.event.to_string(),
            entry.at.to_string(),
            entry.actor.to_string(),
            row.principal.clone(),
            entry.kind.clone(),
            entry.subject.clone(),
            entry.title.clone(),
            entry.words.clone(),
            entry.text.clone(),
            row.field.clone().unwrap_or_default(),
            bare(&row.from),
            bare(&row.to),
            entry.no_effect.to_string(),
        ];
        format!("{}\r\n", cells.map(|text| cell(&text)).join(","))
    };
    page.items.iter().map(line).collect()
}

/// A cell as every program that reads tables takes it. What would be taken for a formula gets an apostrophe before it: the text is
/// somebody's, and a table must not act on it.
fn cell(text: &str) -> String {
    let acts = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if acts { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_holds_any_text_and_never_acts() {
        for (text, written) in [
            ("plain", "plain"),
            ("a, b", "\"a, b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("-1, +2", "\"'-1, +2\""),
        ] {
            assert_eq!(cell(text), written);
        }
    }
}

//! `/api`: the board as JSON, one route a method of the port. Reads can be asked conditionally; every write goes through `commands` or
//! `next`.

use super::query::{self, Kind, Names};
use super::refused::Answered;
use super::{Head, Site, body, reports};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use contracts::command::parse_args;
use contracts::settings::SettingsQuery;
use contracts::view::{ActivityQuery, BoardQuery, Entry, InboxQuery, NextRequest, TaskQuery};
use contracts::{Actor, Board, Caller, Code, CommandRequest, CommitSha, EventId, FieldError, Hint, Markdown, Moment, Problem, TaskId, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The routes below `/api`.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/meta", get(meta))
        .route("/snapshot", get(snapshot))
        .route("/board", get(board))
        .route("/tasks", get(tasks))
        .route("/tasks/{id}", get(task))
        .route("/tasks/{id}/thread", get(thread))
        .route("/tasks/{id}/events", get(events))
        .route("/commits/{sha}", get(commit))
        .route("/tasks/{id}/inbox-state", get(inbox_state))
        .route("/tasks/{id}/graph", get(graph))
        .route("/day", get(day))
        .route("/search", get(search))
        .route("/activity", get(activity))
        .merge(super::activity::routes())
        .route("/actors", get(actors))
        .route("/inbox", get(inbox).post(deliver))
        .route("/conflicts", get(conflicts))
        .route("/milestones", get(milestones))
        .route("/markdown", post(markdown))
        .route("/projects", get(projects))
        .route("/settings", get(settings))
        .route("/report", get(reports::asked))
        .route("/reports", get(reports::list))
        .route("/reports/{label}", get(reports::one).post(reports::write))
        .route("/reports/{label}/file", get(reports::file).put(reports::put))
        .route("/reports/{label}/narration", post(reports::narrate).delete(reports::cancel))
        .route("/commands", post(commands))
        .route("/next", post(next))
}

/// Where a conditional read stands; its values stay alive for the handler.
struct Read {
    site: Arc<Site>,
    board: Arc<dyn Board>,
    headers: HeaderMap,
}

type Reader = Extension<Caller>;
type Found = Result<Path<String>, PathRejection>;

impl Read {
    fn new(site: Arc<Site>, caller: Caller, headers: HeaderMap) -> Read {
        let board = site.boards.for_caller(caller);
        Read { site, board, headers }
    }

    /// The answer, or 304 when the client has it. The tag is read first: what changes in between is asked for again, never missed.
    async fn answer<T: Serialize>(&self, asked: impl Future<Output = Result<T, Problem>>) -> Answered {
        let head = self.site.boards.head().await?;
        let written = async {
            let unwritable = |fault: serde_json::Error| Problem::new(Code::Internal, format!("the answer can't be written: {fault}"));
            serde_json::to_value(asked.await?).map_err(unwritable)
        };
        self.tagged(&head, written).await
    }

    /// The same for a list that comes bare: with its length and the position of the log.
    async fn list<T: Serialize>(&self, asked: impl Future<Output = Result<Vec<T>, Problem>>) -> Answered {
        let head = self.site.boards.head().await?;
        self.tagged(&head, async {
            let items = asked.await?;
            Ok(json!({"total": items.len(), "items": items, "seq": head.seq}))
        })
        .await
    }

    /// The answer about tasks that pass a filter. What passes by the clock may change at any time, so it has no tag.
    async fn filtered<T: Serialize>(&self, filter: &str, asked: impl Future<Output = Result<T, Problem>>) -> Answered {
        if filter::parse(filter).is_ok_and(|filter| filter.asks_the_clock()) {
            return Ok(Json(asked.await?).into_response());
        }
        self.answer(asked).await
    }

    async fn tagged(&self, head: &Head, asked: impl Future<Output = Result<Value, Problem>>) -> Answered {
        let etag = format!("\"{}-{}-{}.{}\"", head.epoch, head.seq, head.live, head.lapsed);
        let mut answer = match is_known(&self.headers, &etag) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Json(asked.await?).into_response(),
        };
        if let Ok(etag) = HeaderValue::from_str(&etag) {
            answer.headers_mut().insert(header::ETAG, etag);
        }
        Ok(answer)
    }
}

/// Whether `If-None-Match` names this tag.
pub fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|tag| tag.trim().trim_start_matches("W/") == etag)
}

fn id(found: Found) -> Result<TaskId, Problem> {
    let Path(raw) = found.map_err(|_| Problem::bad_request("id", "is not UTF-8"))?;
    TaskId::parse(&raw).map_err(|fault| Problem::bad_request("id", fault))
}

const NONE: Names = &[];
const STEPS: Names = &[("steps", Kind::Text)];
/// Steps a graph goes either way when nobody says.
const STEPS_BY_DEFAULT: u8 = 2;
const DATE: Names = &[("date", Kind::Text)];
const CURSOR: Names = &[("cursor", Kind::Text)];
const BOARD: Names =
    &[("q", Kind::Words), ("filter", Kind::Text), ("edges", Kind::Flag), ("column", Kind::Text), ("cursor", Kind::Text), ("limit", Kind::Rows)];
const SNAPSHOT: Names = &[
    ("q", Kind::Words),
    ("filter", Kind::Text),
    ("edges", Kind::Flag),
    ("column", Kind::Text),
    ("cursor", Kind::Text),
    ("limit", Kind::Rows),
    ("task", Kind::Text),
];
const TASKS: Names = &[
    ("q", Kind::Words),
    ("filter", Kind::Text),
    ("all", Kind::Flag),
    ("closed", Kind::Flag),
    ("standing", Kind::List),
    ("label", Kind::List),
    ("type", Kind::Text),
    ("milestone", Kind::Text),
    ("assignee", Kind::Text),
    ("cursor", Kind::Text),
    ("limit", Kind::Rows),
];
const SEARCH: Names = &[("q", Kind::Words), ("cursor", Kind::Text)];
const ACTIVITY: Names = &[
    ("kind", Kind::Text),
    ("actor", Kind::Text),
    ("task", Kind::Text),
    ("milestone", Kind::Text),
    ("since", Kind::Text),
    ("until", Kind::Text),
    ("text", Kind::Words),
    ("cursor", Kind::Text),
    ("limit", Kind::Rows),
];
const SETTINGS: Names = &[("verify", Kind::Flag)];
const INBOX: Names = &[("all", Kind::Flag), ("cursor", Kind::Text), ("deliver", Kind::Flag), ("limit", Kind::Rows)];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Steps {
    steps: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    #[serde(default)]
    q: String,
    cursor: Option<String>,
}

async fn meta(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let read = Read::new(site, caller, headers);
    let query = BoardQuery { limit: Some(1), ..BoardQuery::default() };
    let asked = async {
        let snapshot = read.board.snapshot(query, None).await?;
        Ok(json!({
            "name": snapshot.project.name,
            "zone": snapshot.project.zone,
            "version": read.site.version,
            "settings": snapshot.settings,
            "seq": snapshot.seq,
            "epoch": snapshot.epoch,
            "read_only": read.site.read_only,
            "me": snapshot.me,
        }))
    };
    read.answer(asked).await
}

async fn snapshot(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let mut fields: Map<String, Value> = query::read(raw.as_deref(), SNAPSHOT)?;
    let task = match fields.remove("task") {
        Some(Value::String(raw)) => Some(TaskId::parse(&raw).map_err(|fault| Problem::bad_request("task", fault))?),
        _ => None,
    };
    let query: BoardQuery = parse_args(Value::Object(fields))?;
    let read = Read::new(site, caller, headers);
    read.filtered(&query.filter.clone(), read.board.snapshot(query, task)).await
}

async fn board(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let query: BoardQuery = query::read(raw.as_deref(), BOARD)?;
    let read = Read::new(site, caller, headers);
    read.filtered(&query.filter.clone(), read.board.board(query)).await
}

async fn tasks(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let query: TaskQuery = query::read(raw.as_deref(), TASKS)?;
    let read = Read::new(site, caller, headers);
    read.filtered(&query.filter.clone(), read.board.tasks(query)).await
}

async fn task(State(site): State<Arc<Site>>, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let id = id(found)?;
    let read = Read::new(site, caller, headers);
    read.answer(read.board.task(id)).await
}

async fn thread(State(site): State<Arc<Site>>, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Cursor { cursor } = query::read(raw.as_deref(), CURSOR)?;
    let id = id(found)?;
    let read = Read::new(site, caller, headers);
    read.answer(read.board.thread(id, cursor)).await
}

async fn events(State(site): State<Arc<Site>>, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Cursor { cursor } = query::read(raw.as_deref(), CURSOR)?;
    let id = id(found)?;
    let read = Read::new(site, caller, headers);
    read.answer(read.board.history(id, cursor)).await
}

/// Never conditional: whether this clone has the commit is git's to say, and git moves without the log.
async fn commit(State(site): State<Arc<Site>>, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let Path(raw) = found.map_err(|_| Problem::bad_request("sha", "is not UTF-8"))?;
    let sha = CommitSha::parse(&raw).map_err(|fault| Problem::bad_request("sha", fault))?;
    Ok(Json(site.boards.for_caller(caller).commit(sha).await?).into_response())
}

/// Who has been handed what of a task's thread, and when; its page, newest first like the thread's, and nothing is marked by reading it.
async fn inbox_state(State(site): State<Arc<Site>>, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Cursor { cursor } = query::read(raw.as_deref(), CURSOR)?;
    let id = id(found)?;
    let read = Read::new(site, caller, headers);
    let asked = async {
        let page = read.board.thread(id, cursor).await?;
        let handed = |(actor, at): &(Actor, Moment)| json!({"actor": actor, "at": at});
        let item = |entry: &Entry| {
            let delivered: Vec<Value> = entry.delivered.iter().map(handed).collect();
            json!({"event": entry.event, "kind": entry.kind, "actor": entry.actor, "at": entry.at, "to": entry.to, "delivered": delivered})
        };
        let items: Vec<Value> = page.items.iter().map(item).collect();
        Ok(json!({"items": items, "total": page.total, "next": page.next, "seq": page.seq}))
    };
    read.answer(asked).await
}

async fn graph(State(site): State<Arc<Site>>, Extension(caller): Reader, found: Found, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Steps { steps } = query::read(raw.as_deref(), STEPS)?;
    let max = limits::GRAPH_STEPS_MAX;
    let steps = match steps.as_deref() {
        None => STEPS_BY_DEFAULT,
        Some(raw) => {
            let steps = raw.parse().ok().filter(|steps| (1..=max).contains(steps));
            steps.ok_or_else(|| Problem::bad_request("steps", format!("is a whole number from 1 to {max}, not {raw:?}")))?
        }
    };
    let id = id(found)?;
    let read = Read::new(site, caller, headers);
    read.answer(read.board.graph(id, steps)).await
}

/// `GET day?date=2026-12-01`: when that day ends in the project's zone.
async fn day(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Day {
        date: String,
    }
    let Day { date } = query::read(raw.as_deref(), DATE)?;
    let read = Read::new(site, caller, headers);
    read.answer(async { Ok(json!({"date": date, "end": read.board.day_end(date.clone()).await?})) }).await
}

async fn search(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Search { q, cursor } = query::read(raw.as_deref(), SEARCH)?;
    let read = Read::new(site, caller, headers);
    read.answer(read.board.search(q, cursor)).await
}

async fn activity(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let query: ActivityQuery = query::read(raw.as_deref(), ACTIVITY)?;
    let read = Read::new(site, caller, headers);
    read.answer(read.board.activity(query)).await
}

async fn actors(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let read = Read::new(site, caller, headers);
    read.list(read.board.actors()).await
}

/// Never conditional: what it hands out it may mark as delivered.
async fn inbox(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery) -> Answered {
    let query: InboxQuery = query::read(raw.as_deref(), INBOX)?;
    Ok(Json(site.boards.for_caller(caller).inbox(query).await?).into_response())
}

/// `POST inbox`: `{events: [≤200]}` of the reader's inbox were shown: they count as delivered.
async fn deliver(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, request: Request) -> Answered {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Shown {
        events: Vec<EventId>,
    }
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let Shown { events } = parse_args(body::json(request).await?)?;
    if events.len() > limits::PAGE_ROWS_MAX {
        return Err(Problem::bad_request("events", format!("are at most {}, not {}", limits::PAGE_ROWS_MAX, events.len())).into());
    }
    site.boards.for_caller(caller).deliver(events).await?;
    Ok(Json(json!({})).into_response())
}

async fn conflicts(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let read = Read::new(site, caller, headers);
    read.list(read.board.conflicts()).await
}

async fn milestones(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, headers: HeaderMap) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let read = Read::new(site, caller, headers);
    read.list(read.board.milestones()).await
}

/// `POST markdown`: `{text}` as the HTML that pages show of it. Nothing is kept.
async fn markdown(RawQuery(raw): RawQuery, request: Request) -> Answered {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        text: Markdown,
    }
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let Written { text } = parse_args(body::json(request).await?)?;
    Ok(Json(json!({"html": app::markdown::render(text.as_str())})).into_response())
}

/// Never conditional, as the settings: other projects come and go without this one's log.
async fn projects(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    Ok(Json(site.boards.for_caller(caller).projects().await?).into_response())
}

/// Never conditional: how files stand has nothing to do with the log's position.
async fn settings(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery) -> Answered {
    let query: SettingsQuery = query::read(raw.as_deref(), SETTINGS)?;
    Ok(Json(site.boards.for_caller(caller).settings(query).await?).into_response())
}

/// `POST commands`: one `{command, args, key?, expect?, actor?, fence?}`, or `{batch: [≤100], actor?}`, all or nothing.
async fn commands(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, request: Request) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let mut sent = body::json(request).await?;
    let Some(entries) = sent.as_object_mut().and_then(|fields| fields.remove("batch")) else {
        let caller = acting(caller, &mut sent)?;
        let request = CommandRequest::parse(sent)?;
        return Ok(Json(site.boards.for_caller(caller).execute(request).await?).into_response());
    };
    let caller = acting(caller, &mut sent)?;
    let Nothing {} = parse_args(sent)?;
    let requests = batch(entries, &caller)?;
    let receipts = site.boards.for_caller(caller).execute_all(requests).await?;
    let seq = receipts.iter().map(|receipt| receipt.seq).max();
    Ok(Json(json!({"receipts": receipts, "seq": seq})).into_response())
}

fn batch(entries: Value, caller: &Caller) -> Result<Vec<CommandRequest>, Problem> {
    let max = limits::COMMANDS_IN_BATCH_MAX;
    let entries = match entries {
        Value::Array(entries) if entries.len() > max => {
            let title = format!("batch has {} commands; the limit is {max}", entries.len());
            return Err(Problem::new(Code::TooLarge, title).hint(Hint::text("send several batches; one plan holds 1000 tasks")));
        }
        Value::Array(entries) if !entries.is_empty() => entries,
        _ => return Err(Problem::bad_request("batch", format!("is a list of 1 to {max} commands"))),
    };
    let mut requests = Vec::with_capacity(entries.len());
    for (place, mut entry) in entries.into_iter().enumerate() {
        let at = |fault: Problem| {
            let errors = fault.errors.iter().map(|error| FieldError { path: format!("batch[{place}].{}", error.path), text: error.text.clone() }).collect();
            Problem { title: format!("batch[{place}]: {}", fault.title), ..fault }.errors(errors)
        };
        if acting(caller.clone(), &mut entry).map_err(at)?.actor != caller.actor {
            return Err(at(Problem::bad_request("actor", "is the same in all of a batch; name it beside the batch")));
        }
        requests.push(CommandRequest::parse(entry).map_err(at)?);
    }
    Ok(requests)
}

/// `POST next`.
async fn next(State(site): State<Arc<Site>>, Extension(caller): Reader, RawQuery(raw): RawQuery, request: Request) -> Answered {
    let Nothing {} = query::read(raw.as_deref(), NONE)?;
    let mut sent = body::json(request).await?;
    let caller = acting(caller, &mut sent)?;
    let request: NextRequest = parse_args(sent)?;
    Ok(Json(site.boards.for_caller(caller).next(request).await?).into_response())
}

/// Whom a write is by: the credential's own person, or, when `actor` says so, an agent of theirs.
fn acting(caller: Caller, sent: &mut Value) -> Result<Caller, Problem> {
    let actor = match sent.as_object_mut().and_then(|fields| fields.remove("actor")) {
        None | Some(Value::Null) => return Ok(caller),
        Some(Value::String(raw)) => Actor::parse(&raw).map_err(|fault| Problem::bad_request("actor", fault))?,
        Some(_) => return Err(Problem::bad_request("actor", "is text like agent:<dev>/<name>")),
    };
    if actor != caller.actor && !(actor.is_agent() && actor.same_dev(&caller.actor)) {
        let title = format!("This credential is {}'s and can't act as {actor}", caller.actor);
        return Err(Problem::new(Code::Forbidden, title).hint(Hint::text("leave `actor` out, or name an agent of that person")));
    }
    Ok(Caller { actor, ..caller })
}

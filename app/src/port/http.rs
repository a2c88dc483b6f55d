//! [`Board`] over `fetch`: one route of `<base>/api` a method.

use crate::words::encoded;
use contracts::command::{CommandRequest, Receipt};
use contracts::graph::GraphView;
use contracts::report::{Narrate, ReportQuery, ReportRow, ReportView};
use contracts::settings::{KnownProject, SettingsQuery, SettingsView};
use contracts::view::{
    ActivityQuery, ActorRow, BoardQuery, BoardView, CommitDetail, ConflictRow, Entry, HistoryRow, InboxItem, InboxQuery, MilestoneView, NextAnswer,
    NextRequest, Page, SearchHit, Snapshot, TaskCard, TaskQuery, TaskView,
};
use contracts::{Answer, Board, Code, CommitSha, EventId, Hint, Moment, Problem, TaskId};
use gloo_net::http::{Request, Response};
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The board behind `<base>/api`, as the session of this browser.
pub struct HttpBoard {
    api: String,
}

impl HttpBoard {
    /// The API of the pages under `base`: `/api`, or `/api/p/<slug>`.
    pub fn new(base: &str) -> HttpBoard {
        HttpBoard { api: format!("/api{base}") }
    }

    fn get<T: DeserializeOwned + Send + 'static>(&self, path: &str, query: &impl Serialize) -> Answer<'static, T> {
        let address = format!("{}{path}{}", self.api, query_string(query));
        Box::pin(SendWrapper::new(async move { read(Request::get(&address).send().await).await }))
    }

    /// The activity that parameters of an address ask for (with their `?`), as the server draws it.
    pub fn activity_drawn(&self, query: &str) -> Answer<'static, crate::activity::Drawn> {
        self.get(&format!("/activity/drawn{query}"), &())
    }

    /// Markdown as the server renders it.
    pub fn preview(&self, text: String) -> Answer<'static, String> {
        #[derive(Deserialize)]
        struct Rendered {
            html: String,
        }
        let answer = self.post::<Rendered>("/markdown", serde_json::json!({ "text": text }));
        Box::pin(async move { answer.await.map(|rendered| rendered.html) })
    }

    fn post<T: DeserializeOwned + Send + 'static>(&self, path: &str, body: Value) -> Answer<'static, T> {
        let address = format!("{}{path}", self.api);
        Box::pin(SendWrapper::new(async move {
            let request = Request::post(&address).json(&body).map_err(|_| crate::port::unreachable())?;
            read(request.send().await).await
        }))
    }
}

/// `?a=1&b=x&b=y`: nothing for what is absent or empty, one pair for each item of a list.
fn query_string(query: &impl Serialize) -> String {
    let mut pairs = Vec::new();
    if let Ok(Value::Object(fields)) = serde_json::to_value(query) {
        for (name, value) in fields {
            match value {
                Value::Null | Value::Bool(false) => {}
                Value::String(text) if text.is_empty() => {}
                Value::String(text) => pairs.push(format!("{name}={}", encoded(&text))),
                Value::Array(items) => pairs.extend(items.iter().map(|item| format!("{name}={}", encoded(item.as_str().unwrap_or_default())))),
                other => pairs.push(format!("{name}={}", encoded(&other.to_string()))),
            }
        }
    }
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

async fn read<T: DeserializeOwned>(answer: Result<Response, gloo_net::Error>) -> Result<T, Problem> {
    let response = answer.map_err(|_| crate::port::unreachable())?;
    let text = response.text().await.map_err(|_| crate::port::unreachable())?;
    if response.ok() {
        return serde_json::from_str(&text).map_err(|fault| {
            Problem::new(Code::Internal, "The server's answer can't be read")
                .detail(fault.to_string())
                .hint(Hint::text("Reload the page; it may be another version."))
        });
    }
    Err(problem(&text, response.status()))
}

/// A problem as the API writes it: the hint is words there, or the data that words are made of.
fn problem(text: &str, status: u16) -> Problem {
    if status == 401 {
        let hint = Hint::text("Reload the page to open a new one.");
        return Problem::new(Code::Unauthorized, "Your session has ended.").hint(hint);
    }
    let fallback = || Problem::new(Code::Unreachable, format!("The server answered {status}"));
    let Ok(mut raw) = serde_json::from_str::<Value>(text) else { return fallback() };
    if let Some(Value::String(words)) = raw.get("hint").cloned() {
        raw["hint"] = serde_json::json!({"text": words});
    }
    if raw.get("hint").is_some_and(Value::is_null) {
        raw["hint"] = serde_json::json!({});
    }
    if raw.get("detail").is_some_and(Value::is_null) {
        raw["detail"] = Value::String(String::new());
    }
    serde_json::from_value(raw).unwrap_or_else(|_| fallback())
}

/// Some lists come bare, some as a page: both are read.
#[derive(Deserialize)]
#[serde(untagged)]
enum List<T> {
    Bare(Vec<T>),
    Paged { items: Vec<T> },
}

impl<T> List<T> {
    fn items(self) -> Vec<T> {
        match self {
            List::Bare(items) | List::Paged { items } => items,
        }
    }
}

/// What no page asks in a browser: it comes with the page, or with the snapshot. So reading its answers is no part of the browser's half.
fn unasked<T: Send + 'static>() -> Answer<'static, T> {
    Box::pin(async { Err(crate::port::unreachable()) })
}

#[derive(Serialize)]
struct Cursor {
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct Receipts {
    receipts: Vec<Receipt>,
}

impl Board for HttpBoard {
    fn execute(&self, request: CommandRequest) -> Answer<'_, Receipt> {
        self.post("/commands", request.to_value())
    }

    fn execute_all(&self, requests: Vec<CommandRequest>) -> Answer<'_, Vec<Receipt>> {
        let batch: Vec<Value> = requests.iter().map(CommandRequest::to_value).collect();
        let answer = self.post::<Receipts>("/commands", serde_json::json!({ "batch": batch }));
        Box::pin(async move { answer.await.map(|receipts| receipts.receipts) })
    }

    fn next(&self, _: NextRequest) -> Answer<'_, NextAnswer> {
        unasked()
    }

    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot> {
        #[derive(Serialize)]
        struct Query {
            #[serde(flatten)]
            board: BoardQuery,
            task: Option<TaskId>,
        }
        self.get("/snapshot", &Query { board: query, task })
    }

    fn board(&self, query: BoardQuery) -> Answer<'_, BoardView> {
        self.get("/board", &query)
    }

    fn tasks(&self, _: TaskQuery) -> Answer<'_, Page<TaskCard>> {
        unasked()
    }

    fn task(&self, id: TaskId) -> Answer<'_, TaskView> {
        self.get(&format!("/tasks/{id}"), &())
    }

    fn thread(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<Entry>> {
        self.get(&format!("/tasks/{id}/thread"), &Cursor { cursor })
    }

    fn history(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<HistoryRow>> {
        self.get(&format!("/tasks/{id}/events"), &Cursor { cursor })
    }

    fn commit(&self, sha: CommitSha) -> Answer<'_, CommitDetail> {
        self.get(&format!("/commits/{sha}"), &())
    }

    fn day_end(&self, date: String) -> Answer<'_, Moment> {
        #[derive(Deserialize)]
        struct Day {
            end: Moment,
        }
        let answer = self.get::<Day>("/day", &serde_json::json!({ "date": date }));
        Box::pin(async move { answer.await.map(|day| day.end) })
    }

    fn graph(&self, id: TaskId, steps: u8) -> Answer<'_, GraphView> {
        self.get(&format!("/tasks/{id}/graph"), &serde_json::json!({ "steps": steps }))
    }

    fn search(&self, query: String, cursor: Option<String>) -> Answer<'_, Page<SearchHit>> {
        self.get("/search", &serde_json::json!({ "q": query, "cursor": cursor }))
    }

    fn activity(&self, _: ActivityQuery) -> Answer<'_, Page<Entry>> {
        unasked()
    }

    fn actors(&self) -> Answer<'_, Vec<ActorRow>> {
        unasked()
    }

    fn inbox(&self, query: InboxQuery) -> Answer<'_, Page<InboxItem>> {
        self.get("/inbox", &query)
    }

    fn deliver(&self, events: Vec<EventId>) -> Answer<'_, ()> {
        let answer = self.post::<Value>("/inbox", serde_json::json!({ "events": events }));
        Box::pin(async move { answer.await.map(drop) })
    }

    fn conflicts(&self) -> Answer<'_, Vec<ConflictRow>> {
        unasked()
    }

    fn milestones(&self) -> Answer<'_, Vec<MilestoneView>> {
        unasked()
    }

    fn projects(&self) -> Answer<'_, Vec<KnownProject>> {
        let answer = self.get::<List<KnownProject>>("/projects", &());
        Box::pin(async move { answer.await.map(List::items) })
    }

    fn settings(&self, _: SettingsQuery) -> Answer<'_, SettingsView> {
        unasked()
    }

    fn report(&self, query: ReportQuery) -> Answer<'_, ReportView> {
        self.get("/report", &query)
    }

    fn reports(&self) -> Answer<'_, Vec<ReportRow>> {
        let answer = self.get::<List<ReportRow>>("/reports", &());
        Box::pin(async move { answer.await.map(List::items) })
    }

    fn report_named(&self, label: String) -> Answer<'_, ReportView> {
        self.get(&format!("/reports/{}", encoded(&label)), &())
    }

    fn write_report(&self, label: String, how: Narrate) -> Answer<'_, ReportView> {
        self.post(&format!("/reports/{}", encoded(&label)), serde_json::to_value(how).unwrap_or_default())
    }

    fn narrate(&self, label: String, how: Narrate) -> Answer<'_, ()> {
        let answer = self.post::<Value>(&format!("/reports/{}/narration", encoded(&label)), serde_json::to_value(how).unwrap_or_default());
        Box::pin(async move { answer.await.map(drop) })
    }

    fn cancel_narration(&self, label: String) -> Answer<'_, ()> {
        let address = format!("{}/reports/{}/narration", self.api, encoded(&label));
        Box::pin(SendWrapper::new(async move {
            let request = Request::delete(&address).json(&serde_json::json!({})).map_err(|_| crate::port::unreachable())?;
            read::<Value>(request.send().await).await.map(drop)
        }))
    }
}

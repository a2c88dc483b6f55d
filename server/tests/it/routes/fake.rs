//! A server on a port of its own with a board that only remembers what it was asked.

use super::wire::{Call, Reply, call};
use axum::{Extension, Router, routing::any};
use callboard::http::{Bits, Boards, Doors, EntryCode, Head, MemorySessions, Mounts, Person, Site, Token, TokenKind, bind, router, serve};
use callboard::live::{self, Feed, Heard, Live, Resumed, hearing};
use contracts::command::{CommandRequest, Receipt};
use contracts::settings::{SettingsQuery, SettingsView};
use contracts::view::*;
use contracts::{Answer, Board, Call as HintCall, Caller, Code, CommitSha, Frame, Hint, Moment, Problem, TaskId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{broadcast, watch};

/// A board that remembers.
#[derive(Default)]
pub struct FakeBoard {
    /// What it was asked: callers, commands and queries, in short.
    pub asked: Mutex<Vec<String>>,
    /// What it refuses the next write with.
    pub refuses: Mutex<Option<Problem>>,
    /// Keys of what it was told.
    pub answered: Mutex<Vec<contracts::Key>>,
    /// Leases that have ended by time alone.
    pub lapsed: std::sync::atomic::AtomicI64,
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn card(id: &str, standing: &str) -> Value {
    json!({"id": id, "title": "Refresh the token table", "status": "open", "standing": standing, "column": if standing == "working" { "working" } else { "ready" },
        "created_at": "2026-11-29T11:37:08.123Z", "updated_at": "2026-11-29T11:37:08.123Z", "version": 3, "created_by": "dev:ana", "allowed": [],
        "lease": if standing == "working" { json!({"actor": "agent:ana/w1", "since": "2026-11-29T11:37:08.123Z", "until": "2026-11-29T12:37:08.123Z", "ttl_s": 900, "fence": 1}) } else { Value::Null }})
}

impl FakeBoard {
    fn note(&self, what: impl Into<String>) {
        self.asked.lock().unwrap().push(what.into());
    }

    fn written(&self, request: &CommandRequest) -> Result<Receipt, Problem> {
        self.note(request.to_value().to_string());
        match self.refuses.lock().unwrap().take() {
            Some(problem) => Err(problem),
            None => {
                self.answered.lock().unwrap().extend(request.key.clone());
                Ok(Receipt { seq: 8, subject: "tk-4f2a9c".into(), ..Receipt::default() })
            }
        }
    }
}

type Done<T> = std::future::Ready<Result<T, Problem>>;

fn done<T: Send + 'static>(answer: Result<T, Problem>) -> Answer<'static, T> {
    let ready: Done<T> = std::future::ready(answer);
    Box::pin(ready)
}

impl Board for FakeBoard {
    fn execute(&self, request: CommandRequest) -> Answer<'_, Receipt> {
        done(self.written(&request))
    }
    fn execute_all(&self, requests: Vec<CommandRequest>) -> Answer<'_, Vec<Receipt>> {
        done(requests.iter().map(|request| self.written(request)).collect())
    }
    fn next(&self, request: NextRequest) -> Answer<'_, NextAnswer> {
        self.note(format!("next {}", serde_json::to_string(&request).unwrap()));
        done(Ok(NextAnswer::default()))
    }
    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot> {
        if query.q == "panic" {
            panic!("asked to");
        }
        let snapshot: Snapshot =
            read(json!({"seq": 7, "epoch": "a1b2c3d4", "now": "2026-11-29T11:37:08.123Z", "version": "v", "milestones": [], "actors": [], "conflicts": [],
            "project": {"name": "Atlas <&>", "slug": "atlas", "zone": "Europe/Berlin", "offset_minutes": 60},
            "me": {"actor": "dev:ana", "principal": "local:ana", "may_write": true}, "board": {"seq": 7, "columns": [], "counts": {"by_standing": {}}}}));
        let asks = task.is_some();
        done(match task.filter(|id| id.as_str() == "tk-ffffff") {
            Some(id) => Err(no_such(&id)),
            None => Ok(Snapshot { task: asks.then(|| Box::new(read(card("tk-4f2a9c", "ready")))), ..snapshot }),
        })
    }
    fn board(&self, query: BoardQuery) -> Answer<'_, BoardView> {
        self.note(format!("board {}", serde_json::to_string(&query).unwrap()));
        done(Ok(BoardView::default()))
    }
    fn tasks(&self, query: TaskQuery) -> Answer<'_, Page<TaskCard>> {
        self.note(format!("tasks {}", serde_json::to_string(&query).unwrap()));
        done(Ok(Page::default()))
    }
    fn task(&self, id: TaskId) -> Answer<'_, TaskView> {
        done(match id.as_str() {
            "tk-ffffff" => Err(no_such(&id)),
            "tk-aaaaaa" => Ok(read(card("tk-aaaaaa", "working"))),
            id => Ok(read(card(id, "ready"))),
        })
    }
    fn thread(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<Entry>> {
        self.note(format!("thread {id} {cursor:?}"));
        done(Ok(Page::default()))
    }
    fn history(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<HistoryRow>> {
        self.note(format!("events {id} {cursor:?}"));
        done(Ok(Page::default()))
    }
    fn day_end(&self, date: String) -> Answer<'_, Moment> {
        done(Moment::parse(&format!("{date}T21:59:59.000Z")).ok_or_else(|| Problem::bad_request("due_at", "no date")))
    }
    fn commit(&self, sha: CommitSha) -> Answer<'_, CommitDetail> {
        self.note(format!("commit {sha}"));
        done(Ok(read(
            json!({"sha": sha, "subject": "Paint", "at": "2026-11-29T11:37:08.123Z", "added": 1, "deleted": 0, "counts": true, "tasks": ["tk-4f2a9c"], "in_clone": false}),
        )))
    }
    fn search(&self, query: String, cursor: Option<String>) -> Answer<'_, Page<SearchHit>> {
        self.note(format!("search {query} {cursor:?}"));
        done(Ok(Page::default()))
    }
    fn activity(&self, query: ActivityQuery) -> Answer<'_, Page<Entry>> {
        self.note(format!("activity {}", serde_json::to_string(&query).unwrap()));
        done(Ok(Page::default()))
    }
    fn events(&self, query: ActivityQuery) -> Answer<'_, Page<HistoryRow>> {
        self.note(format!("events {}", serde_json::to_string(&query).unwrap()));
        let at = |n: i64, text: &str| {
            read::<HistoryRow>(
                json!({"entry": {"event": format!("{n:032x}"), "seq": n, "kind": "task.commented", "subject": "tk-4f2a9c", "title": "Refresh, then test",
                "actor": "dev:ana", "at": "2026-11-29T11:37:08.123Z", "words": "commented", "text": text}, "principal": "local:ana", "body": {"text": text}}),
            )
        };
        done(Ok(match query.cursor.as_deref() {
            None => Page { items: vec![at(3, "=1+1"), at(2, "two\nlines")], total: 3, next: Some("c1".into()), seq: 7 },
            Some(_) => Page { items: vec![at(1, "first")], total: 3, next: None, seq: 7 },
        }))
    }
    fn timeline(&self, query: TimelineQuery) -> Answer<'_, ActivityView> {
        self.note(format!("timeline {} {}", serde_json::to_string(&query.of).unwrap(), query.verify));
        done(Ok(ActivityView { seq: 7, now: Moment::parse("2026-11-29T12:00:00Z").unwrap(), ever: 3, ..ActivityView::default() }))
    }
    fn actors(&self) -> Answer<'_, Vec<ActorRow>> {
        done(Ok(Vec::new()))
    }
    fn has_answered(&self, key: contracts::Key) -> Answer<'_, bool> {
        done(Ok(self.answered.lock().unwrap().contains(&key)))
    }
    fn inbox(&self, query: InboxQuery) -> Answer<'_, Page<InboxItem>> {
        self.note(format!("inbox {}", serde_json::to_string(&query).unwrap()));
        done(Ok(Page::default()))
    }
    fn conflicts(&self) -> Answer<'_, Vec<ConflictRow>> {
        done(Ok(Vec::new()))
    }
    fn milestones(&self) -> Answer<'_, Vec<MilestoneView>> {
        done(Ok(Vec::new()))
    }

    fn settings(&self, _: SettingsQuery) -> Answer<'_, SettingsView> {
        done(Ok(SettingsView::default()))
    }
}

fn no_such(id: &TaskId) -> Problem {
    Problem::new(Code::NotFound, format!("There is no {id}")).hint(Hint::call(HintCall::new("search").with("query", "token")))
}

struct FakeBoards(Arc<FakeBoard>);

impl Boards for FakeBoards {
    fn for_caller(&self, caller: Caller) -> Arc<dyn Board> {
        self.0.note(format!("as {} {} {}", caller.actor, caller.principal, caller.surface.as_str()));
        self.0.clone()
    }
    fn head(&self) -> Answer<'_, Head> {
        done(Ok(Head { seq: 7, epoch: "a1b2c3d4".into(), live: 3, lapsed: self.0.lapsed.load(std::sync::atomic::Ordering::SeqCst) }))
    }
}

/// A publisher that says hello and what is sent to it.
pub struct FakeFeed(broadcast::Sender<(i64, Arc<str>)>);

impl Feed for FakeFeed {
    fn resume(&self, since: i64, epoch: String) -> Answer<'_, Resumed> {
        let hello = Frame::Hello { seq: 7, epoch: "a1b2c3d4".into(), version: "v".into(), now: Moment(0), resumed: epoch == "a1b2c3d4" && since >= 0 };
        done(Ok(Resumed { hello, hearing: hearing(Vec::new(), self.0.subscribe(), |(seq, text)| Heard::Batch(*seq, text.clone())) }))
    }
    fn published(&self) -> i64 {
        7
    }
}

/// A server that ends with the test.
pub struct Server {
    pub port: u16,
    pub board: Arc<FakeBoard>,
    pub publish: broadcast::Sender<(i64, Arc<str>)>,
    pub local: String,
    pub mcp: String,
    pub cookie_name: String,
    pub stop: watch::Sender<bool>,
    pub codes: Arc<Mutex<Vec<String>>>,
    _router: watch::Sender<Router>,
}

#[derive(Default)]
pub struct Wanted {
    pub private: bool,
    pub read_only: bool,
    pub sessions: Arc<MemorySessions>,
    pub beat: Option<Duration>,
}

pub async fn server() -> Server {
    started(Wanted::default()).await
}

pub async fn started(wanted: Wanted) -> Server {
    let bound = bind(None, Some(0)).await.unwrap();
    let next = AtomicU64::new(0x9e37_79b9);
    let bits: Bits = Arc::new(move || u128::from(next.fetch_add(0x1234_5679, Ordering::Relaxed)) << 64 | 0x0fed_cba9_8765_4321);
    let board = Arc::new(FakeBoard::default());
    let codes = Arc::new(Mutex::new(Vec::new()));
    let hear = codes.clone();
    let (local_token, mcp_token) = (Token::mint(TokenKind::Local, &|| 11), Token::mint(TokenKind::Mcp, &|| 12));
    let (local, mcp, cookie_name) = (local_token.expose().to_owned(), mcp_token.expose().to_owned(), local_token.cookie_name());
    let site = Site {
        boards: Arc::new(FakeBoards(board.clone())),
        person: Person { actor: contracts::Actor::parse("dev:ana").unwrap(), principal: "local:ana".into() },
        doors: Doors::new(&bound.addresses, &["board.example".into()], bound.port),
        local_token,
        mcp_token,
        sessions: wanted.sessions,
        code: wanted.private.then(|| EntryCode::new(bits.clone(), move |code| hear.lock().unwrap().push(code.to_owned()))),
        read_only: wanted.read_only,
        version: "0.1.0+test".into(),
        now: Arc::new(|| Moment(1_796_000_000_000)),
        bits,
    };
    let (stop, stopped) = watch::channel(false);
    let publish = broadcast::channel(64).0;
    let live = Live::new(Arc::new(FakeFeed(publish.clone())), Arc::new(|| Moment(5)), stopped.clone());
    let live = live.with(wanted.beat.unwrap_or(Duration::from_secs(60)), Duration::from_secs(60), 4);
    let who = |Extension(principal): Extension<::mcp::McpPrincipal>| async move { format!("{} {}", principal.actor, principal.principal) };
    let mounts = Mounts { live: live::router(Arc::new(live)), mcp: Router::new().route("/mcp", any(who)).route("/mcp/board", any(who)) };
    let (send, routers) = watch::channel(router(Arc::new(site), mounts));
    tokio::spawn(serve(bound.listeners, routers, stopped));
    Server { port: bound.port, board, publish, local, mcp, cookie_name, stop, codes, _router: send }
}

impl Server {
    pub async fn send(&self, call: Call) -> Reply {
        call.send(self.port).await
    }

    /// As a program with the person's token.
    pub async fn api(&self, call: Call) -> Reply {
        self.send(call.with("authorization", &format!("Bearer {}", self.local))).await
    }

    /// The cookie a browser gets for opening the page.
    pub async fn cookie(&self) -> String {
        let page = self.send(call("GET", "/").with("accept", "text/html")).await;
        assert_eq!(page.status, 200, "{page:?}");
        cookie_of(&page)
    }

    pub fn origin(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    /// What the board was asked to write.
    pub fn writes(&self) -> Vec<Value> {
        self.board.asked.lock().unwrap().iter().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn asked(&self) -> Vec<String> {
        self.board.asked.lock().unwrap().clone()
    }
}

pub fn cookie_of(reply: &Reply) -> String {
    reply.header("set-cookie").split(';').next().unwrap().to_owned()
}

//! A board that gives fixed answers and remembers what it was asked.

use contracts::command::{Command, Receipt};
use contracts::settings::{SettingsQuery, SettingsView};
use contracts::view::*;
use contracts::{Actor, Answer, Board, Caller, Code, Column, CommandRequest, CommitSha, EventId, Moment, Problem, Standing, Status, TaskId};
use mcp::{Session, Set, Tools, serve};
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

type Given<T> = Mutex<VecDeque<Result<T, Problem>>>;

/// What the board gives, and what it was asked.
#[derive(Default)]
pub struct Fake {
    pub next: Given<NextAnswer>,
    pub receipts: Given<Vec<Receipt>>,
    pub task: Mutex<Option<TaskView>>,
    pub inbox: Mutex<Page<InboxItem>>,
    pub thread: Mutex<Page<Entry>>,
    pub hits: Mutex<Page<SearchHit>>,
    pub history: Mutex<Page<HistoryRow>>,
    pub renewed: Mutex<Receipt>,
    pub asked: Mutex<Vec<String>>,
    pub panics: Mutex<bool>,
    pub busy: Mutex<bool>,
}

fn give<'a, T: Send + 'a>(value: Result<T, Problem>) -> Answer<'a, T> {
    Box::pin(std::future::ready(value))
}

fn nothing<'a, T: Send + 'a>(name: &str) -> Answer<'a, T> {
    give(Err(Problem::new(Code::Internal, format!("the fake board has no {name}"))))
}

impl Fake {
    fn note(&self, what: impl Into<String>) {
        self.asked.lock().unwrap().push(what.into());
    }

    /// What was asked since the last look, without renewals and counts.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

impl Board for Fake {
    fn execute(&self, request: CommandRequest) -> Answer<'_, Receipt> {
        if matches!(request.command, Command::Renew(_)) {
            self.note("renew");
            if *self.busy.lock().unwrap() {
                return give(Err(Problem::new(Code::Busy, "The board is busy")));
            }
            return give(Ok(self.renewed.lock().unwrap().clone()));
        }
        self.note(request.to_value().to_string());
        let given = self.receipts.lock().unwrap().pop_front();
        give(given.map(|given| given.map(|receipts| receipts[0].clone())).unwrap_or_else(|| Ok(receipt(json!(null)))))
    }
    fn execute_all(&self, requests: Vec<CommandRequest>) -> Answer<'_, Vec<Receipt>> {
        for request in &requests {
            self.note(request.to_value().to_string());
        }
        let given = self.receipts.lock().unwrap().pop_front();
        give(given.unwrap_or_else(|| Ok(requests.iter().map(|_| receipt(json!(null))).collect())))
    }
    fn next(&self, request: NextRequest) -> Answer<'_, NextAnswer> {
        assert!(!*self.panics.lock().unwrap(), "the fake board was told to panic");
        self.note(format!("next {}", serde_json::to_value(&request).unwrap()));
        give(self.next.lock().unwrap().pop_front().unwrap_or_else(|| Ok(NextAnswer::default())))
    }
    fn queue(&self) -> Answer<'_, Queue> {
        give(Ok(queue()))
    }
    fn snapshot(&self, _: BoardQuery, _: Option<TaskId>) -> Answer<'_, Snapshot> {
        self.note("snapshot");
        give(Ok(Snapshot {
            seq: 1,
            epoch: "00000001".into(),
            now: now(),
            version: "0".into(),
            project: ProjectView::default(),
            me: Me { actor: Actor::agent_named("ana", "main"), principal: "local:ana".into(), may_write: true },
            settings: Default::default(),
            board: BoardView::default(),
            milestones: Vec::new(),
            actors: Vec::new(),
            conflicts: Vec::new(),
            quarantine: Default::default(),
            inbox: Vec::new(),
            unread: 0,
            task: None,
            refusal: None,
            connect: Vec::new(),
        }))
    }
    fn board(&self, _: BoardQuery) -> Answer<'_, BoardView> {
        nothing("columns")
    }
    fn tasks(&self, _: TaskQuery) -> Answer<'_, Page<TaskCard>> {
        nothing("list")
    }
    fn task(&self, id: TaskId) -> Answer<'_, TaskView> {
        give(self.task.lock().unwrap().clone().ok_or_else(|| Problem::new(Code::NotFound, format!("There is no task {id}"))))
    }
    fn thread(&self, _: TaskId, cursor: Option<String>) -> Answer<'_, Page<Entry>> {
        self.note(format!("thread {cursor:?}"));
        give(Ok(self.thread.lock().unwrap().clone()))
    }
    fn history(&self, _: TaskId, _: Option<String>) -> Answer<'_, Page<HistoryRow>> {
        give(Ok(self.history.lock().unwrap().clone()))
    }
    fn day_end(&self, date: String) -> Answer<'_, Moment> {
        give(Moment::parse(&format!("{date}T22:59:59.000Z")).ok_or_else(|| Problem::bad_request("due_at", "no date")))
    }
    fn commit(&self, sha: CommitSha) -> Answer<'_, CommitDetail> {
        give(Err(Problem::new(Code::NotFound, format!("no commit {sha}"))))
    }
    fn search(&self, query: String, cursor: Option<String>) -> Answer<'_, Page<SearchHit>> {
        self.note(format!("search {query} {cursor:?}"));
        give(Ok(self.hits.lock().unwrap().clone()))
    }
    fn activity(&self, _: ActivityQuery) -> Answer<'_, Page<Entry>> {
        nothing("activity")
    }
    fn actors(&self) -> Answer<'_, Vec<ActorRow>> {
        nothing("actors")
    }
    fn inbox(&self, query: InboxQuery) -> Answer<'_, Page<InboxItem>> {
        let page = self.inbox.lock().unwrap().clone();
        if !page.items.is_empty() {
            self.note(format!("inbox{}", query.cursor.map(|cursor| format!(" from {cursor}")).unwrap_or_default()));
        }
        give(Ok(page))
    }
    fn deliver(&self, events: Vec<EventId>) -> Answer<'_, ()> {
        self.note(format!("deliver {}", events.len()));
        give(Ok(()))
    }
    fn undeliver(&self, events: Vec<EventId>) -> Answer<'_, ()> {
        self.note(format!("undeliver {}", events.len()));
        give(Ok(()))
    }
    fn conflicts(&self) -> Answer<'_, Vec<ConflictRow>> {
        nothing("conflicts")
    }
    fn milestones(&self) -> Answer<'_, Vec<MilestoneView>> {
        nothing("milestones")
    }

    fn settings(&self, _: SettingsQuery) -> Answer<'_, SettingsView> {
        nothing("settings")
    }
}

/// The moment of every test.
pub fn now() -> Moment {
    Moment::parse("2026-11-29T13:20:00Z").unwrap()
}

/// Counts that differ from each other.
pub fn queue() -> Queue {
    Queue { ready: 3, yours: 1, working: 2, waiting: 0, blocked: 4, needs_people: 1, held: 0, stalled: 0, open: 11 }
}

/// A receipt of one event with `data`.
pub fn receipt(data: Value) -> Receipt {
    Receipt { seq: 7, subject: "tk-4f2a9c".into(), events: vec![contracts::EventId::from_bits(7)], data, ..Receipt::default() }
}

pub fn id(raw: &str) -> TaskId {
    TaskId::parse(raw).unwrap()
}

pub fn actor(raw: &str) -> Actor {
    Actor::parse(raw).unwrap()
}

/// A plain task.
pub fn view() -> TaskView {
    let card = TaskCard {
        id: id("tk-4f2a9c"),
        title: "Café: refresh token table".into(),
        kind: "feature".into(),
        priority: 1,
        status: Status::Open,
        standing: Standing::Working,
        column: Column::Working,
        why: None,
        labels: vec!["api".into(), "auth".into()],
        milestone: None,
        parent: None,
        assignee: None,
        held: None,
        lease: Some(lease()),
        review: None,
        run: None,
        waits: 0,
        blocks: 0,
        children: (0, 0),
        commits: 0,
        added: 0,
        deleted: 0,
        comments: 0,
        due_at: None,
        complexity: None,
        vertical: None,
        collides: 0,
        conflicts: 0,
        branch: Some("tk-4f2a9c-cafe".into()),
        created_at: now(),
        updated_at: now(),
        closed_at: None,
        version: 1,
        moves: Vec::new(),
    };
    TaskView {
        card,
        allowed: Vec::new(),
        spec: "Store refresh tokens hashed.\n\nKeep the old column until the next release.".into(),
        spec_html: String::new(),
        criteria: Vec::new(),
        files: Vec::new(),
        milestone_detail: None,
        parent_detail: None,
        waits_on: Vec::new(),
        blocking: Vec::new(),
        subtasks: Vec::new(),
        blockers: Vec::new(),
        questions: Vec::new(),
        thread: Vec::new(),
        thread_next: None,
        thread_total: 0,
        commits_detail: Vec::new(),
        collisions: Vec::new(),
        conflict_rows: Vec::new(),
        history: Vec::new(),
        worktree: None,
        source: None,
        requirements: None,
        created_by: actor("dev:ana"),
        closing_note: String::new(),
        closing_html: String::new(),
        review_required: false,
        review_setting: None,
        seq: 7,
    }
}

pub fn lease() -> LeaseView {
    LeaseView { actor: actor("agent:ana/main"), since: now(), until: now().plus_seconds(3_600), ttl_s: 3_600, late: false, elsewhere: None, fence: 3 }
}

/// An entry of a thread.
pub fn entry(minute: i64, by: &str, words: &str, text: &str) -> Entry {
    Entry {
        event: contracts::EventId::from_bits(minute as u128),
        seq: minute,
        kind: "task.commented".into(),
        subject: "tk-4f2a9c".into(),
        title: String::new(),
        actor: actor(by),
        at: now().plus_seconds(60 * minute - 3_600),
        words: words.into(),
        text: text.into(),
        html: String::new(),
        to: Vec::new(),
        delivered: Vec::new(),
        reply_to: None,
        no_effect: false,
    }
}

/// A claim of [`view`].
pub fn claimed() -> NextAnswer {
    NextAnswer {
        how: "claimed".into(),
        task: Some(Box::new(view())),
        lease: Some(lease()),
        place: Some(Place { command: Some("git switch -c tk-4f2a9c-cafe main".into()), ..Place::default() }),
        queue: queue(),
        now: now(),
        ..NextAnswer::default()
    }
}

/// A client of a server on `board`, connected as a legacy client connects.
pub struct Client {
    pub board: Arc<Fake>,
    pub callers: Callers,
    running: RunningService<RoleClient, ()>,
}

/// Those who called.
pub type Callers = Arc<Mutex<Vec<Caller>>>;

/// Tools on one board; who asks for it is noted.
pub fn tools(board: Arc<Fake>, callers: Callers) -> Tools<impl Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static> {
    Tools::new(Set::All, move |caller| {
        callers.lock().unwrap().push(caller);
        board.clone() as Arc<dyn Board>
    })
}

pub fn session() -> Session {
    Session { principal: "local:ana".into(), actor: actor("agent:ana/main"), id: Some("s1".into()) }
}

impl Client {
    pub async fn of(board: Fake) -> Client {
        let board = Arc::new(board);
        let callers = Callers::default();
        let tools = tools(board.clone(), callers.clone());
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(serve(tools, session(), read, write));
        let running = ().serve(ours).await.unwrap();
        Client { board, callers, running }
    }

    /// The text of one call; a refusal begins with `refused`.
    pub async fn call(&self, tool: &'static str, args: Value) -> String {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let result = self.running.call_tool(CallToolRequestParams::new(tool).with_arguments(args)).await.unwrap();
        let [content] = result.content.as_slice() else { panic!("one text item") };
        let text = content.as_text().unwrap().text.clone();
        assert_eq!(result.is_error == Some(true), text.starts_with("refused ("), "{text}");
        assert!(result.structured_content.is_none());
        text
    }

    pub fn peer(&self) -> &RunningService<RoleClient, ()> {
        &self.running
    }
}

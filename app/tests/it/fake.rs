//! A board in memory, for views: it answers reads from what it was given and remembers what it was told.

use contracts::command::{CommandRequest, Receipt};
use contracts::graph::{GraphView, Walk};
use contracts::settings::{SettingsQuery, SettingsView};
use contracts::standing::{Column, Standing};
use contracts::view::{
    ActivityQuery, ActivityView, ActorRow, BoardQuery, BoardView, ColumnView, CommitDetail, ConflictRow, Counts, DiffView, Entry, HistoryRow, InboxItem,
    InboxQuery, Me, MilestoneView, NextAnswer, NextRequest, Page, ProjectView, Relation, SearchHit, Snapshot, TaskCard, TaskQuery, TaskView, TimelineQuery,
};
use contracts::{Actor, Answer, Board, Code, CommitSha, Moment, Problem, TaskId};
use serde_json::{Value, json};
use std::sync::Mutex;

/// Noon of the day all fake boards are looked at.
pub const NOW: &str = "2026-11-29T12:00:00Z";

/// A board in memory.
pub struct FakeBoard {
    /// What a snapshot says, without columns and task.
    pub snapshot: Snapshot,
    /// Every card.
    pub cards: Vec<TaskCard>,
    /// Whole tasks.
    pub tasks: Vec<TaskView>,
    /// How it is wired; its log is told when it is asked to be checked.
    pub settings: SettingsView,
    /// What happened on it.
    pub activity: ActivityView,
    /// Whether its commits are in this clone.
    pub in_clone: bool,
    /// Every command it was given.
    pub told: Mutex<Vec<CommandRequest>>,
}

/// What an agent asks, in markdown.
const QUESTION: &str = "Change the `footer` so that it holds a **second** checksum?";

/// Minutes before [`NOW`].
pub fn ago(minutes: i64) -> Moment {
    at().plus_seconds(-minutes * 60)
}

/// [`NOW`].
pub fn at() -> Moment {
    Moment::parse(NOW).expect("a constant")
}

/// A card from its id, title, standing and whatever else it has.
pub fn card(id: &str, title: &str, standing: Standing, more: Value) -> TaskCard {
    let status = match standing {
        Standing::Done => "done",
        Standing::Cancelled => "cancelled",
        _ => "open",
    };
    let mut raw = json!({
        "id": id, "title": title, "status": status, "standing": standing, "column": standing.column(),
        "created_at": ago(3_000), "updated_at": ago(60), "version": 3,
    });
    for (name, value) in more.as_object().cloned().unwrap_or_default() {
        raw[name] = value;
    }
    serde_json::from_value(raw).expect("a legal card")
}

impl FakeBoard {
    /// A board of these cards and whole tasks.
    pub fn new(cards: Vec<TaskCard>, tasks: Vec<TaskView>) -> FakeBoard {
        let me = Actor::parse("dev:ana").expect("legal");
        let snapshot = Snapshot {
            seq: 18_402,
            epoch: "0a1b2c3d".into(),
            now: at(),
            version: "0.1.0+abc".into(),
            project: ProjectView {
                name: "brindle".into(),
                slug: "brindle".into(),
                zone: "UTC".into(),
                offset_minutes: 0,
                offsets: Vec::new(),
                base: Some("main".into()),
                demo: false,
            },
            me: Me { actor: me, principal: "local:ana".into(), may_write: true },
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
            connect: vec![("Claude Code".into(), "claude mcp add callboard -- callboard mcp".into())],
        };
        FakeBoard { snapshot, cards, tasks, settings: SettingsView::default(), activity: ActivityView::default(), in_clone: true, told: Mutex::new(Vec::new()) }
    }

    fn view(&self, query: &BoardQuery) -> BoardView {
        let mut counts = Counts::default();
        for card in &self.cards {
            *counts.by_standing.entry(card.standing).or_default() += 1;
        }
        counts.agents_live = self.cards.iter().filter(|card| card.lease.is_some()).count().try_into().unwrap_or(0);
        let filter = (!query.filter.is_empty()).then(|| filter::parse(&query.filter).expect("the page sends what can be read"));
        let around = filter::Around { now: at(), me: self.snapshot.me.actor.clone(), clock: self.snapshot.project.clock() };
        let fits = |card: &TaskCard| {
            let task = filter::Card { card, milestones: &self.snapshot.milestones };
            filter.as_ref().is_none_or(|filter| filter.matches(&task, &around))
        };
        let columns = Column::ALL
            .iter()
            .map(|key| {
                let mut cards: Vec<TaskCard> = self.cards.iter().filter(|card| card.column == *key && fits(card)).cloned().collect();
                cards.sort_by(app::order::cards);
                let total = i64::try_from(cards.len()).unwrap_or(0);
                ColumnView { key: *key, total, hidden: counts.column(*key) - total, cards, next: None }
            })
            .collect();
        BoardView { seq: self.snapshot.seq, columns, counts, edges: if query.edges { self.snapshot.board.edges.clone() } else { Vec::new() } }
    }

    fn one(&self, id: &TaskId) -> Result<TaskView, Problem> {
        self.tasks.iter().find(|task| task.card.id == *id).cloned().ok_or_else(|| Problem::new(Code::NotFound, format!("There is no task {id}")))
    }

    fn receipt(&self, request: CommandRequest) -> Receipt {
        let receipt = Receipt { seq: self.snapshot.seq, ..Receipt::default() };
        self.told.lock().expect("not poisoned").push(request);
        receipt
    }
}

fn ready<T: Send + 'static>(value: Result<T, Problem>) -> Answer<'static, T> {
    Box::pin(std::future::ready(value))
}

impl Board for FakeBoard {
    fn execute(&self, request: CommandRequest) -> Answer<'_, Receipt> {
        ready(Ok(self.receipt(request)))
    }
    fn execute_all(&self, requests: Vec<CommandRequest>) -> Answer<'_, Vec<Receipt>> {
        ready(Ok(requests.into_iter().map(|request| self.receipt(request)).collect()))
    }
    fn next(&self, _: NextRequest) -> Answer<'_, NextAnswer> {
        ready(Ok(NextAnswer::default()))
    }
    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot> {
        let task = match task.map(|id| self.one(&id)).transpose() {
            Ok(task) => task,
            Err(problem) => return ready(Err(problem)),
        };
        ready(Ok(Snapshot { board: self.view(&query), task: task.map(Box::new), ..self.snapshot.clone() }))
    }
    fn board(&self, query: BoardQuery) -> Answer<'_, BoardView> {
        ready(Ok(self.view(&query)))
    }
    fn tasks(&self, _: TaskQuery) -> Answer<'_, Page<TaskCard>> {
        ready(Ok(Page::default()))
    }
    fn task(&self, id: TaskId) -> Answer<'_, TaskView> {
        ready(self.one(&id))
    }
    fn thread(&self, _: TaskId, _: Option<String>) -> Answer<'_, Page<Entry>> {
        let first = entry(0, "task.commented", "dev:ana", 9_000, "commented", "The very first word.", json!({}));
        ready(Ok(Page { items: vec![first], total: 9, next: None, seq: 0 }))
    }
    fn history(&self, _: TaskId, cursor: Option<String>) -> Answer<'_, Page<HistoryRow>> {
        let mut row: HistoryRow = serde_json::from_value(json!({
            "entry": entry(7, "task.edited", "dev:mei", 30, "set its priority to urgent", "", json!({})),
            "principal": "local:mei/mei@example.org", "field": "priority", "from": 2, "to": 0,
        }))
        .expect("a legal row");
        row.html = app::history::changed(&row, 0.into());
        let next = cursor.is_none().then(|| "h1".to_owned());
        ready(Ok(Page { items: vec![row], total: 61, next, seq: 0 }))
    }
    fn graph(&self, id: TaskId, steps: u8) -> Answer<'_, GraphView> {
        let task = match self.one(&id) {
            Ok(task) => task,
            Err(problem) => return ready(Err(problem)),
        };
        let mut walk = Walk::from(id, steps);
        walk.wanted();
        walk.found(&Relation::to(&task.card), &task.waits_on, &task.blocking);
        let mut graph = walk.finish();
        graph.html = app::graph::draw(&graph);
        ready(Ok(graph))
    }
    fn commit(&self, sha: CommitSha) -> Answer<'_, CommitDetail> {
        let commit = self.tasks.iter().flat_map(|task| &task.commits_detail).find(|commit| commit.sha == sha.as_str());
        let Some(commit) = commit.cloned() else { return ready(Err(Problem::new(Code::NotFound, format!("There is no commit {sha}")))) };
        let diff: DiffView = serde_json::from_value(
            json!({"files": [{"path": "src/wal/replay.rs", "hunks": [{"old": [1, 1], "new": [1, 1], "lines": ["-let a = 1;", "+let a = 2;"]}]}]}),
        )
        .expect("a legal diff");
        let html = app::diff::draw(&diff);
        ready(Ok(CommitDetail { commit, tasks: Vec::new(), in_clone: self.in_clone, fetch: Some("git fetch origin".to_owned()), diff: Some(diff), html }))
    }
    fn search(&self, _: String, _: Option<String>) -> Answer<'_, Page<SearchHit>> {
        ready(Ok(Page::default()))
    }
    fn activity(&self, _: ActivityQuery) -> Answer<'_, Page<Entry>> {
        ready(Ok(Page::default()))
    }
    fn timeline(&self, query: TimelineQuery) -> Answer<'_, ActivityView> {
        let mut view = self.activity.clone();
        view.rows.retain(|row| query.of.actor.as_ref().is_none_or(|actor| *actor == row.entry.actor));
        view.total = i64::try_from(view.rows.len()).unwrap_or(0);
        view.log = view.log.filter(|_| query.verify);
        ready(Ok(view))
    }
    fn actors(&self) -> Answer<'_, Vec<ActorRow>> {
        ready(Ok(self.snapshot.actors.clone()))
    }
    fn inbox(&self, _: InboxQuery) -> Answer<'_, Page<InboxItem>> {
        ready(Ok(Page::default()))
    }
    fn conflicts(&self) -> Answer<'_, Vec<ConflictRow>> {
        ready(Ok(self.snapshot.conflicts.clone()))
    }
    fn milestones(&self) -> Answer<'_, Vec<MilestoneView>> {
        ready(Ok(self.snapshot.milestones.clone()))
    }
    fn settings(&self, query: SettingsQuery) -> Answer<'_, SettingsView> {
        let log = self.settings.log.clone().filter(|_| query.verify);
        ready(Ok(SettingsView { log, ..self.settings.clone() }))
    }
}

/// A milestone.
pub fn milestone(id: &str, title: &str) -> MilestoneView {
    serde_json::from_value(json!({
        "id": id, "title": title, "slug": "m", "status": "open", "created_by": "dev:ana", "created_at": ago(9_000), "open": 3, "closed": 1,
    }))
    .expect("a legal milestone")
}

/// One entry of a thread.
pub fn entry(n: u32, kind: &str, actor: &str, minutes: i64, words: &str, text: &str, more: Value) -> Entry {
    let mut raw = json!({
        "event": format!("{n:032x}"), "seq": n, "kind": kind, "subject": "tk-91f24c", "actor": actor, "at": ago(minutes), "words": words, "text": text,
        "html": if text.is_empty() { String::new() } else { app::markdown::render(text) },
    });
    for (name, value) in more.as_object().cloned().unwrap_or_default() {
        raw[name] = value;
    }
    serde_json::from_value(raw).expect("a legal entry")
}

/// A busy board with one card of every standing, like the mock's.
pub fn brindle() -> FakeBoard {
    let lease = |actor: &str, left_s: i64| json!({"actor": actor, "since": ago(6), "until": at().plus_seconds(left_s), "ttl_s": 900, "fence": 4});
    let cards = vec![
        card(
            "tk-3e91aa",
            "Vectorised hash aggregate for GROUP BY over strings",
            Standing::Blocked,
            json!({
                "type": "feature", "priority": 1, "labels": ["executor", "simd"], "milestone": "ms-000002", "waits": 2, "blocks": 1, "comments": 3,
                "why": {"text": "waits for 2"}, "moves": ["done"],
            }),
        ),
        card(
            "tk-0b7c44",
            "Replica lag metric is wrong after a leader change",
            Standing::Blocked,
            json!({"type": "bug", "labels": ["metrics"], "why": {"text": "waits for tk-5fd0c2"}, "waits": 1}),
        ),
        card(
            "tk-c2d81e",
            "Page checksums: XXH3 behind a format bump",
            Standing::Held,
            json!({
                "type": "feature", "labels": ["storage", "format"], "milestone": "ms-000001", "blocks": 3, "comments": 11, "why": {"text": "held by ana: until 0.9 is cut"},
                "held": {"kind": "person", "by": "dev:ana", "note": "until 0.9 is cut"}, "moves": ["ready", "done"],
            }),
        ),
        card(
            "tk-8841f0",
            "中文全文检索:按词频排序时短语匹配会丢失",
            Standing::Blocked,
            json!({"type": "bug", "labels": ["fts", "i18n"], "why": {"text": "waits for tk-b31e07"}, "waits": 1, "comments": 2}),
        ),
        card(
            "tk-d41b86",
            "B-tree: split leaves by bytes, not by key count",
            Standing::Stalled,
            json!({
                "type": "bug", "priority": 1, "labels": ["storage", "btree"], "milestone": "ms-000001", "comments": 4, "commits": 2, "added": 96, "deleted": 41,
                "why": {"text": "no word from bo/w2", "since": ago(58)}, "moves": ["backlog", "working", "done"],
            }),
        ),
        card(
            "tk-b31e07",
            "Full-text search: keep positions for CJK bigrams",
            Standing::Changes,
            json!({
                "type": "feature", "labels": ["fts"], "blocks": 1, "comments": 7, "commits": 5, "added": 412, "deleted": 77, "why": {"text": "asked by mei"}, "moves": ["backlog", "working", "done"],
            }),
        ),
        card(
            "tk-60aa1f",
            "EXPLAIN ANALYZE shows 0 rows for a cached subplan",
            Standing::Assigned,
            json!({
                "type": "bug", "labels": ["planner"], "assignee": "agent:ana/w2", "due_at": at().plus_seconds(5 * 86_400), "moves": ["backlog", "working", "done"],
            }),
        ),
        card(
            "tk-e90c35",
            "ترتيب النصوص العربية خاطئ في ORDER BY مع علامات التشكيل",
            Standing::Ready,
            json!({"type": "bug", "labels": ["collation", "i18n"], "comments": 1, "moves": ["backlog", "working", "done"]}),
        ),
        card(
            "tk-2ad9b8",
            "Grapheme tests: 👩‍🚀 counts as one character, 🏳️‍🌈 too",
            Standing::Ready,
            json!({"type": "test", "labels": ["collation"], "moves": ["backlog", "working", "done"]}),
        ),
        card(
            "tk-a7135d",
            "Explain how recovery picks its checkpoint",
            Standing::Ready,
            json!({"type": "docs", "priority": 3, "labels": ["docs"], "moves": ["backlog", "working", "done"]}),
        ),
        card(
            "tk-5fd0c2",
            "Leader change loses the last acknowledged commit",
            Standing::Working,
            json!({
                "type": "bug", "priority": 0, "labels": ["raft"], "milestone": "ms-000002", "lease": lease("agent:ana/w1", 500), "blocks": 1, "comments": 6, "commits": 3, "added": 214,
                "deleted": 38, "moves": ["backlog", "ready", "needs_you", "done"],
            }),
        ),
        card(
            "tk-4c0e9d",
            "Vacuum holds the catalogue latch for the whole table",
            Standing::Working,
            json!({
                "type": "bug", "priority": 1, "labels": ["vacuum", "locks", "storage", "perf"], "milestone": "ms-000001", "lease": lease("agent:bo/w1", 260), "collides": 1,
                "moves": ["backlog", "ready", "needs_you", "done"],
            }),
        ),
        card(
            "tk-e2b764",
            "日本語の照合順序:長音記号の扱いを JIS X 4061 に合わせる",
            Standing::Working,
            json!({
                "type": "feature", "labels": ["collation"], "lease": lease("dev:mei", 60_000), "commits": 2, "added": 168, "deleted": 12, "moves": ["backlog", "ready", "needs_you", "done"],
            }),
        ),
        card(
            "tk-7b29a0",
            "COPY FROM STDIN in 64 KiB frames",
            Standing::Working,
            json!({
                "type": "feature", "labels": ["protocol"], "lease": {"actor": "agent:bo/w2", "since": ago(30), "until": ago(1), "ttl_s": 900, "fence": 2, "late": true},
                "moves": ["backlog", "ready", "needs_you", "done"],
            }),
        ),
        card(
            "tk-91f24c",
            "WAL replay stops at a torn page when fsync is delayed",
            Standing::NeedsYou,
            json!({
                "type": "bug", "priority": 0, "labels": ["wal", "storage"], "milestone": "ms-000001", "lease": lease("agent:ana/w2", 552), "comments": 9, "commits": 6, "added": 388, "deleted": 120,
                "children": [2, 3], "due_at": at().plus_seconds(5 * 86_400), "branch": "cb/tk-91f24c", "why": {"text": "ana/w1 asks: change the page footer?", "since": ago(134)}, "moves": ["backlog", "done"],
            }),
        ),
        card(
            "tk-b8e60a",
            "Backup: compress while streaming",
            Standing::NeedsYou,
            json!({
                "type": "feature", "labels": ["backup"], "comments": 2, "why": {"text": "bo/w1 asks: zstd level 3 or 9 by default?", "since": ago(38)}, "moves": ["backlog", "done"],
            }),
        ),
        card(
            "tk-3d7f12",
            "Serializable: write skew through a unique index",
            Standing::InReview,
            json!({
                "type": "bug", "priority": 1, "labels": ["txn"], "comments": 5, "commits": 4, "added": 173, "deleted": 66, "due_at": ago(2_880), "why": {"text": "for mei", "since": ago(20)},
                "review": {"state": "submitted", "by": "agent:ana/w2", "at": ago(20)}, "moves": ["backlog", "ready", "done"],
            }),
        ),
        card(
            "tk-e07a29",
            "Checkpoint writes the same page twice under load",
            Standing::Done,
            json!({
                "type": "bug", "milestone": "ms-000001", "commits": 2, "added": 64, "deleted": 23, "closed_at": ago(4), "moves": ["ready"],
            }),
        ),
        card(
            "tk-8c3f47",
            "Hint comments for the planner",
            Standing::Cancelled,
            json!({"type": "feature", "closed_at": ago(70), "why": {"text": "we mend costs instead"}, "moves": ["ready"]}),
        ),
    ];
    let mut board = FakeBoard::new(cards, Vec::new());
    board.tasks = board.cards.iter().map(|card| task(card.clone())).collect();
    board.snapshot.milestones = vec![milestone("ms-000001", "0.9 Durable"), milestone("ms-000002", "Faster scans")];
    board.snapshot.actors = ["agent:ana/w1", "agent:ana/w2", "agent:bo/w1", "dev:mei", "dev:ana"]
        .iter()
        .map(|name| serde_json::from_value(json!({"actor": name, "seen_at": ago(1), "surface": "mcp"})).expect("legal"))
        .collect();
    board.snapshot.conflicts = serde_json::from_value(json!([{
        "event": "5d10ee00000000000000000000000000", "task": "tk-e07a29", "title": "Checkpoint writes the same page twice under load", "kind": "task.closed",
        "actor": "agent:bo/w1", "at": ago(60), "text": "was closed in two clones within one minute, with different commits. Nothing is lost; a person says which one counts.", "status": "done",
    }]))
    .expect("a legal conflict");
    board
}

/// A whole task around a card.
pub fn task(card: TaskCard) -> TaskView {
    let spec = "When the disk acknowledges `fsync` late and power is cut between the two halves of a page, `replay` treats the torn page as the end of the log and drops every record after it.\n\n- Find the torn page\n- say where it is <script>alert(1)</script>\n- go on with what is whole";
    let working = card.lease.is_some();
    let refused = |code: &str, text: &str| json!({"code": code, "text": text});
    let allowed = if card.column == Column::Done {
        json!([{"command": "reopen"}, {"command": "comment"}, {"command": "close", "refused": refused("illegal_move", "already done")}, {"command": "edit", "refused": refused("illegal_move", "it is closed")}])
    } else {
        json!([
            {"command": "claim", "refused": working.then(|| refused("lease_held", "ana/w2 holds it for 9 more minutes"))}, {"command": "close"}, {"command": "release"}, {"command": "submit", "refused": refused("children_open", "1 subtask is open")},
            {"command": "assign"}, {"command": "hold"}, {"command": "cancel"}, {"command": "edit"}, {"command": "block"}, {"command": "comment"}, {"command": "review"},
            {"command": "unhold", "refused": refused("illegal_move", "not held")},
        ])
    };
    let mut raw = serde_json::to_value(&card).expect("a card is json");
    let more = json!({
        "allowed": allowed, "spec": spec, "spec_html": app::markdown::render(spec),
        "criteria": [
            {"text": "A torn page stops replay where it is, and the message names it", "met": true, "note": "replay_torn_page, ana/w1"},
            {"text": "Files written by 0.8 are still read", "met": true}, {"text": "60 patterns of tearing are covered", "met": null, "note": "41 of 60 so far"},
            {"text": "The recovery page says what an operator sees"},
        ],
        "files": ["src/wal/replay.rs", "src/page/footer.rs", "tests/crash/"],
        "milestone_detail": milestone("ms-000001", "0.9 Durable"),
        "thread": [
            entry(1, "task.claimed", "agent:ana/w1", 1_160, "took it", "", json!({})),
            entry(2, "task.commented", "agent:ana/w1", 1_152, "commented", "A page is torn when its halves disagree, not when its CRC fails.", json!({})),
            entry(3, "task.commented", "dev:mei", 1_142, "commented", "Can a 0.8 replica still follow after this? We promised **one version** of overlap.", json!({"to": ["agent:ana/w1"], "delivered": [["agent:ana/w1", ago(1_141)]]})),
            entry(4, "task.reviewed", "dev:ana", 1_135, "asked for changes", "Keep old files readable, and say so in the upgrade page.", json!({})),
            entry(5, "task.commented", "agent:ana/w2", 8, "commented", "41 of 60 tear patterns pass. The 19 that are left all tear inside the header; I am on those now.", json!({})),
            entry(6, "task.commented", "dev:ana", 2, "commented", "Please add a page whose second half is all zeroes.", json!({"to": ["agent:ana/w2", "dev:mei"], "delivered": []})),
        ],
        "thread_total": 9, "thread_next": "c1",
        "questions": if card.standing == Standing::NeedsYou { json!([{"id": "qu-00000001", "text": QUESTION, "html": app::markdown::render(QUESTION), "choices": ["Yes, bump the format", "No, keep it"], "by": "agent:ana/w1", "at": ago(134)}]) } else { json!([]) },
        "collisions": [{"id": "tk-4c0e9d", "title": "Vacuum holds the catalogue latch", "standing": "working", "actor": "agent:bo/w1", "paths": ["src/wal/replay.rs"]}],
        "blocking": [{"id": "tk-0b7c44", "title": "Replica lag metric is wrong after a leader change", "standing": "blocked"}],
        "commits_detail": [{"sha": "0123456789abcdef0123456789abcdef01234567", "subject": "Find the torn half by its checksum", "at": ago(90), "added": 120, "deleted": 30, "counts": true, "author": "Ana", "files": [["src/wal/replay.rs", 120, 30], ["tests/crash/torn.bin", null, null]], "files_dropped": 2}],
        "created_by": "dev:ana", "review_required": false, "seq": 18_402,
    });
    for (name, value) in more.as_object().cloned().unwrap_or_default() {
        raw[name] = value;
    }
    serde_json::from_value(raw).expect("a legal task")
}

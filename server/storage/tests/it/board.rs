//! A board in a temporary directory, with a clock and ids that tests choose.

use contracts::{Actor, Caller, Command, CommandRequest, Moment, Problem, Receipt, Surface, TaskId};
use serde_json::{Value, json};
use sqlx::{Connection, Row};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use storage::{NextOutcome, Opened, Options, Outcome, Place, Request, Store, Work};

/// 2026-11-29T12:00:00Z.
pub const NOON: i64 = 1_795_953_600_000;

/// Where and when a board is.
#[derive(Clone)]
pub struct World {
    pub root: PathBuf,
    pub clock: Arc<AtomicI64>,
    pub seed: Arc<AtomicU64>,
}

impl World {
    pub fn at(root: &Path) -> World {
        std::fs::create_dir_all(root).unwrap();
        World { root: root.to_owned(), clock: Arc::new(AtomicI64::new(NOON)), seed: Arc::new(AtomicU64::new(u64::from(std::process::id()))) }
    }

    /// Another directory with the same clock.
    pub fn beside(&self, root: &Path, seed: u64) -> World {
        std::fs::create_dir_all(root).unwrap();
        World { root: root.to_owned(), clock: Arc::clone(&self.clock), seed: Arc::new(AtomicU64::new(seed)) }
    }

    pub fn options(&self) -> Options {
        let (clock, seed) = (Arc::clone(&self.clock), Arc::clone(&self.seed));
        Options::new(
            Arc::new(move || Moment(clock.load(Ordering::SeqCst))),
            Arc::new(move || {
                // SplitMix64, twice.
                let half = || {
                    let mut z = seed.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::SeqCst).wrapping_add(0x9e37_79b9_7f4a_7c15);
                    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                    u128::from(z ^ (z >> 31))
                };
                (half() << 64) | half()
            }),
        )
    }

    pub fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    pub async fn open(&self) -> (Store, Opened) {
        self.open_with(self.options()).await
    }

    pub async fn open_with(&self, options: Options) -> (Store, Opened) {
        Store::open(Place::new(&self.root), options).await.unwrap()
    }

    pub fn log_files(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.root.join("log")) else { return Vec::new() };
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    pub fn lines(&self) -> Vec<String> {
        self.log_files().iter().flat_map(|file| std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// Copies log files and blobs of another board here, as git would.
    pub fn pull(&self, from: &World) {
        for folder in ["log", "blobs"] {
            std::fs::create_dir_all(self.root.join(folder)).unwrap();
            let Ok(entries) = std::fs::read_dir(from.root.join(folder)) else { continue };
            for entry in entries {
                let entry = entry.unwrap();
                std::fs::copy(entry.path(), self.root.join(folder).join(entry.file_name())).unwrap();
            }
        }
    }

    /// Copies what is not this board's own file.
    pub fn pull_others(&self, from: &World) {
        let names = |world: &World| world.log_files().into_iter().map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>();
        for name in names(from) {
            let (source, target) = (from.root.join("log").join(&name), self.root.join("log").join(&name));
            let longer = |a: &Path, b: &Path| std::fs::metadata(a).unwrap().len() > std::fs::metadata(b).map_or(0, |found| found.len());
            if longer(&source, &target) {
                std::fs::copy(source, target).unwrap();
            }
        }
        self.pull_blobs(from);
    }

    pub fn pull_blobs(&self, from: &World) {
        std::fs::create_dir_all(self.root.join("blobs")).unwrap();
        for entry in std::fs::read_dir(from.root.join("blobs")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), self.root.join("blobs").join(entry.file_name())).unwrap();
        }
    }

    /// Every row of every projection, as text.
    pub async fn dump(&self) -> Vec<String> {
        let path = self.root.join("state.db");
        let mut conn = sqlx::SqliteConnection::connect(path.to_str().unwrap()).await.unwrap();
        let mut rows = Vec::new();
        for (table, columns) in PROJECTIONS {
            let parts: Vec<String> = columns.split(' ').map(|column| format!("ifnull(quote({column}), 'NULL')")).collect();
            let sql = format!("select '{table}: ' || {} from {table} order by 1", parts.join(" || ' ' || "));
            rows.extend(sqlx::query(&sql).fetch_all(&mut conn).await.unwrap().iter().map(|row| row.get::<String, _>(0)));
        }
        let inbox = "select 'inbox: ' || actor || ' ' || hex(event) || ' ' || why from inbox where live = 0 order by 1";
        rows.extend(sqlx::query(inbox).fetch_all(&mut conn).await.unwrap().iter().map(|row| row.get::<String, _>(0)));
        conn.close().await.unwrap();
        rows
    }

    /// One number from the database.
    pub async fn number(&self, sql: &str) -> i64 {
        let path = self.root.join("state.db");
        let mut conn = sqlx::SqliteConnection::connect(path.to_str().unwrap()).await.unwrap();
        let number = sqlx::query(sql).fetch_one(&mut conn).await.unwrap().get(0);
        conn.close().await.unwrap();
        number
    }
}

const PROJECTIONS: [(&str, &str); 12] = [
    ("event", "id writer n prev at actor principal kind subject body no_effect"),
    ("parked", "id waits_for"),
    ("project_state", "state"),
    (
        "task",
        "id title words rest status priority due_key created_at type assignee parent milestone closed_at conflicts waits_open waits_first waits_cancelled blocks children_open children edges_inert state spec",
    ),
    ("task_label", "task label"),
    ("open_item", "kind id task"),
    ("commit_bound", "task sha"),
    ("edge_change", "owner at writer n id i add_it task waits_on via by_actor"),
    ("edge", "task waits_on via by_actor inert event"),
    ("milestone", "id title_folded status created_at state"),
    ("tally", "rest n"),
    ("search", "subject event id title spec thread commits"),
];

pub fn caller(actor: &str) -> Caller {
    let actor = Actor::parse(actor).unwrap();
    let surface = if actor.is_agent() { Surface::Mcp } else { Surface::Web };
    Caller { principal: "local:test".to_owned(), actor, surface, session: None, client: None }
}

pub fn request(actor: &str, command: &str, args: Value) -> Request {
    requests(actor, vec![CommandRequest::of(Command::parse(command, args).unwrap())])
}

pub fn requests(actor: &str, commands: Vec<CommandRequest>) -> Request {
    Request { caller: caller(actor), work: Work::Commands(commands), base: Some("main".to_owned()), hooks_renew: true }
}

/// Gives one command; the first receipt or the refusal.
pub async fn give(store: &Store, actor: &str, command: &str, args: Value) -> Result<Receipt, Problem> {
    one(store, request(actor, command, args)).await
}

pub async fn one(store: &Store, request: Request) -> Result<Receipt, Problem> {
    match store.write(vec![request]).await.unwrap().pop().unwrap() {
        Outcome::Receipts(mut receipts) => Ok(receipts.remove(0)),
        Outcome::Refused(problem) => Err(problem),
        other => panic!("{other:?}"),
    }
}

pub async fn next(store: &Store, actor: &str, args: Value) -> NextOutcome {
    let work = Work::Next(serde_json::from_value(args).unwrap());
    let request = Request { caller: caller(actor), work, base: Some("main".to_owned()), hooks_renew: true };
    match store.write(vec![request]).await.unwrap().pop().unwrap() {
        Outcome::Next(next) => *next,
        other => panic!("{other:?}"),
    }
}

/// A project.
pub async fn begun(store: &Store) {
    give(store, "dev:ana", "create_project", json!({"name": "Test", "zone": "UTC"})).await.unwrap();
}

/// Plans tasks with these titles; their ids.
pub async fn plan(store: &Store, tasks: Value) -> Vec<TaskId> {
    let receipt = give(store, "dev:ana", "plan", json!({"tasks": tasks})).await.unwrap();
    ids(&receipt)
}

pub fn ids(receipt: &Receipt) -> Vec<TaskId> {
    receipt.data["tasks"].as_array().unwrap().iter().map(|task| TaskId::parse(task["id"].as_str().unwrap()).unwrap()).collect()
}

/// A board with a project in a new temporary directory.
pub async fn fresh() -> (tempfile::TempDir, World, Store) {
    let folder = tempfile::tempdir().unwrap();
    let world = World::at(&folder.path().join(".callboard"));
    let (store, _) = world.open().await;
    begun(&store).await;
    (folder, world, store)
}

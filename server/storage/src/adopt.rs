//! Facts of another board become events of this one, at the time they happened, in one transaction.
//!
//! Invariant: adopting the same facts again writes nothing. A fact is known by its kind and the name it had where it came from, which its
//! event carries, so that two clones that adopt the same board have one board after a merge.

use crate::commands::{self, Batch};
use crate::encoding;
use crate::error::StoreError;
use crate::head::Head;
use crate::import::{self, LINES_MAX, Source};
use crate::projection::{self, Arrived};
use crate::script::Script;
use crate::sql::{EventRow, event_columns, list, q};
use crate::store::Store;
use crate::write::{Request, Work, index_moved};
use crate::{append, lock, rebuild};
use contracts::{Actor, Caller, EventId, Stamp};
use engine::event::PROJECT;
use engine::{Event, IMPORTED, Kind};
use serde_json::{Map, Value};
use sqlx::{Connection, Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How the principal of an adopted event begins.
const PRINCIPAL: &str = "import:";
/// From so many events on, everything is inserted first and then folded at once.
const FOLDED_AT_ONCE: usize = 2_000;

/// A fact of another board, as an event to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// When it happened.
    pub at: Stamp,
    /// Who did it.
    pub actor: Actor,
    /// What happened.
    pub kind: Kind,
    /// What it is about.
    pub subject: String,
    /// Particulars.
    pub body: Map<String, Value>,
    /// Its name where it came from.
    pub name: String,
    /// Another fact whose event the body names.
    pub refers: Option<Refers>,
}

/// A key of a body that names the event of another fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refers {
    /// The key.
    pub key: &'static str,
    /// The other fact's kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
}

/// A whole board to adopt.
#[derive(Clone, Debug, PartialEq)]
pub struct Adoption {
    /// In order of time.
    pub facts: Vec<Fact>,
    /// `import:` and 8 characters that tell the source.
    pub principal: String,
    /// Body of the `import.applied` that is written when anything is new.
    pub note: Map<String, Value>,
    /// Only says what would come of it.
    pub dry_run: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// New events, by kind.
    pub new: BTreeMap<String, i64>,
    /// Facts that were adopted before.
    pub known: i64,
    /// Tasks and milestones whose ids belong to others here; then nothing was written.
    pub clashes: Vec<String>,
}

/// A task that was adopted, as its source last had it here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdoptedTask {
    /// The task here.
    pub subject: String,
    /// The body of its `task.created`, with later adopted edits in it.
    pub body: Map<String, Value>,
    /// How often each field was edited by an adoption.
    pub edits: HashMap<String, usize>,
    /// Whether its end was adopted.
    pub closed: bool,
}

/// Kind and name.
type Key = (String, String);

impl Fact {
    fn key(&self) -> Key {
        (self.kind.as_str().to_owned(), self.name.clone())
    }
}

impl Store {
    /// The tasks that facts were adopted as, by the names of these facts; and every task there is.
    pub async fn adopted_tasks(&self) -> Result<(HashMap<String, AdoptedTask>, HashSet<String>), StoreError> {
        let mut conn = self.inner.writer().await?;
        let mut adopted: HashMap<String, AdoptedTask> = HashMap::new();
        let mut edits = Vec::new();
        // The newest comes first, so the earliest of one name stays.
        for (event, name) in imported(&mut conn, self).await? {
            match event.kind {
                Kind::TaskCreated => {
                    let task = adopted.entry(name).or_default();
                    (task.subject, task.body) = (event.subject, event.body);
                }
                Kind::TaskClosed => adopted.entry(name).or_default().closed = true,
                Kind::TaskEdited => edits.push(event),
                _ => {}
            }
        }
        adopted.retain(|_, task| !task.subject.is_empty());
        let names: HashMap<String, String> = adopted.iter().map(|(name, task)| (task.subject.clone(), name.clone())).collect();
        for event in edits.into_iter().rev() {
            let Some(task) = names.get(&event.subject).and_then(|name| adopted.get_mut(name)) else { continue };
            let field = event.text("field").to_owned();
            task.body.insert(field.clone(), event.body.get("to").cloned().unwrap_or_default());
            *task.edits.entry(field).or_default() += 1;
        }
        let tasks = q("select id from task where project = ?1").fetch_all(&mut *conn).await?.iter().map(|row| row.get(0)).collect();
        Ok((adopted, tasks))
    }

    /// Adopts facts, all or none.
    pub async fn adopt(&self, caller: &Caller, adoption: Adoption) -> Result<Adopted, StoreError> {
        let inner = &self.inner;
        if inner.options.read_only {
            return Err(StoreError::Refused("the board was opened for reading only".to_owned()));
        }
        let mut conn = inner.writer().await?;
        let held = lock::exclusive(&inner.place.run("write.lock")).await?;
        if self.replaced() {
            return Err(StoreError::Replaced);
        }
        let now = inner.now();
        let moved = index_moved(inner, &mut conn).await?;
        let mut tx = conn.begin_with("begin immediate").await?;
        let mut head = Head::require(&mut tx).await?;
        head.settle_clock(&mut tx, now).await?;
        if let Some(moved) = moved {
            head.index_seen = moved.seen;
            if moved.seal {
                head.seal(&mut tx).await?;
            }
        }
        let mut events = known(&mut tx, self).await?;
        let mut adopted = Adopted::default();
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        let (new, old): (Vec<Fact>, Vec<Fact>) = adoption.facts.into_iter().partition(|fact| !events.contains_key(&fact.key()) && seen.insert(fact.key()));
        adopted.known = i64::try_from(old.len()).unwrap_or(i64::MAX);
        adopted.clashes = clashes(&mut tx, &new).await?;
        for fact in &new {
            *adopted.new.entry(fact.kind.as_str().to_owned()).or_default() += 1;
        }
        if adoption.dry_run || !adopted.clashes.is_empty() || new.is_empty() {
            return Ok(adopted);
        }
        let request = Request { caller: caller.clone(), work: Work::Seen, base: None, hooks_renew: false };
        let (mut later, mut own_lines) = (Script::default(), Vec::new());
        let mut batch = Batch {
            inner,
            conn: &mut tx,
            head: &mut head,
            request: &request,
            now,
            command: None,
            later: &mut later,
            begun: true, // all or nothing is the transaction's business here
            lines: &mut own_lines,
        };
        let mut applied = Fact {
            at: engine::tick(batch.head.hlc.unwrap_or_default(), None, now),
            actor: caller.actor.clone(),
            kind: Kind::ImportApplied,
            subject: PROJECT.to_owned(),
            body: adoption.note,
            name: String::new(),
            refers: None,
        };
        let count = new.len();
        applied.body.insert("imported".to_owned(), count.into());
        let mut lines = Vec::with_capacity(count + 1);
        for fact in new {
            let key = fact.key();
            let line = sealed(&mut batch, fact, &adoption.principal, &events).await?;
            events.insert(key, line.event.id.clone());
            lines.push(line);
        }
        lines.push(sealed(&mut batch, applied, &caller.principal, &events).await?);
        let Batch { conn: inside, head, .. } = batch;
        let first = head.seq + 1;
        let mut arrived: Vec<Arrived> = Vec::with_capacity(lines.len());
        while !lines.is_empty() {
            let part = lines.drain(..lines.len().min(LINES_MAX)).collect();
            let mut script = Script::default();
            arrived.extend(import::insert(inside, &inner.place, head, part, Source::Here { command: first }, now, &mut script).await?);
            script.run(inside).await?;
        }
        if count < FOLDED_AT_ONCE {
            let mut script = Script::default();
            projection::apply(inside, &inner.place, &arrived, &mut script).await?;
            script.run(inside).await?;
        } else {
            drop(arrived);
            rebuild::project_all(inside, &inner.place).await?;
        }
        head.store(inside).await?;
        let writer = head.writer.clone();
        tx.commit().await?;
        drop(held);
        if let Some(writer) = writer {
            let appended = append::complete(&mut conn, &inner.place, &inner.options.disk, &writer, &[]).await;
            appended.map_err(|error| StoreError::NotSafe(Box::new(error)))?;
        }
        drop(conn);
        inner.announce();
        Ok(adopted)
    }
}

/// The events of facts that were adopted before, here or in another clone.
async fn known(conn: &mut SqliteConnection, store: &Store) -> Result<HashMap<Key, EventId>, StoreError> {
    let found = imported(conn, store).await?;
    Ok(found.into_iter().map(|(event, name)| ((event.kind.as_str().to_owned(), name), event.id)).collect())
}

/// Adopted events with the names of their facts, the newest first: of two with one name the earlier one counts.
async fn imported(conn: &mut SqliteConnection, store: &Store) -> Result<Vec<(Event, String)>, StoreError> {
    let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.principal >= ?2 and e.principal < 'import;' order by e.at desc");
    let mut found = Vec::new();
    for row in q(sql).bind(PRINCIPAL).fetch_all(&mut *conn).await? {
        let mut event = EventRow::read(&row)?.event;
        // A body whose blob is away can't say what it is; then the double is told by the fold.
        if projection::whole(&store.inner.place, &mut event).is_err() {
            continue;
        }
        if let Some(name) = event.body.get(IMPORTED).and_then(Value::as_str).map(str::to_owned) {
            found.push((event, name));
        }
    }
    Ok(found)
}

/// Subjects that would be created and are here already.
async fn clashes(conn: &mut SqliteConnection, new: &[Fact]) -> Result<Vec<String>, StoreError> {
    let created = new.iter().filter(|fact| matches!(fact.kind, Kind::TaskCreated | Kind::MilestoneCreated)).map(|fact| fact.subject.as_str());
    let sql = "select distinct subject from event where project = ?1 and kind in ('task.created', 'milestone.created') \
               and subject in (select value from json_each(?2)) order by subject";
    Ok(q(sql).bind(list(created)).fetch_all(&mut *conn).await?.iter().map(|row| row.get(0)).collect())
}

/// Gives a fact its place in the own file.
async fn sealed(batch: &mut Batch<'_>, fact: Fact, principal: &str, events: &HashMap<Key, EventId>) -> Result<encoding::Line, StoreError> {
    let writer = commands::writer(batch).await?;
    let Fact { at, actor, kind, subject, mut body, name, refers } = fact;
    if !name.is_empty() {
        body.insert(IMPORTED.to_owned(), name.into());
    }
    if let Some(Refers { key, kind, name }) = refers
        && let Some(event) = events.get(&(kind.as_str().to_owned(), name))
    {
        body.insert(key.to_owned(), event.as_str().into());
    }
    let (body, text) = commands::inline(batch.inner, body)?;
    batch.head.follow(at, batch.now);
    batch.head.n += 1;
    let prev = batch.head.prev.clone();
    let mut event = Event { id: EventId::none(), writer, n: batch.head.n, prev, at, actor, principal: principal.to_owned(), kind, subject, body };
    event.id = encoding::id_of(&event, &text);
    batch.head.prev = event.id.clone();
    Ok(encoding::Line { event, body: text })
}

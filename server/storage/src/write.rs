//! Writing: one batch, one transaction, one sync. The order of the steps is what makes a crash between any two harmless.

use crate::commands::{self, Batch};
use crate::error::StoreError;
use crate::head::Head;
use crate::log_file;
use crate::script::Script;
use crate::store::{Inner, Store};
use crate::{append, lease, lock, next};
use contracts::view::{Collision, NextRequest, Queue, WhyNothing};
use contracts::{Caller, CommandRequest, EventId, Problem, Receipt, TaskId, Warning, Writer, limits};
use sqlx::{Connection, SqliteConnection};
use std::fs;
use std::path::PathBuf;

/// One caller's work.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who.
    pub caller: Caller,
    /// What.
    pub work: Work,
    /// Branch that work is cut from, when the process knows.
    pub base: Option<String>,
    /// Whether somebody renews the caller's leases for it.
    pub hooks_renew: bool,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// All or nothing, one batch on the sockets; at most 100.
    Commands(Vec<CommandRequest>),
    /// The next task, claimed unless it is only a peek.
    Next(NextRequest),
    /// Marks events as handed to the caller.
    Deliver {
        /// Which.
        events: Vec<EventId>,
    },
    /// Takes marks of delivery back: the answer could not be written.
    Undeliver {
        /// Which.
        events: Vec<EventId>,
    },
    /// The caller is there.
    Seen,
}

/// What became of one caller's work.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// One receipt a command.
    Receipts(Vec<Receipt>),
    /// The answer to `next`.
    Next(Box<NextOutcome>),
    /// Done, with nothing to say.
    Done,
    /// Refused; nothing was written.
    Refused(Problem),
}

/// What `next` came to. The view of the task is read by whoever answers.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NextOutcome {
    /// `claimed`, `resumed`, `assigned`, `changes`, `taken_over`; empty when there is nothing.
    pub how: String,
    /// In words.
    pub how_text: String,
    /// The reviewer's note, or the earlier holder's.
    pub verdict: String,
    /// The task.
    pub task: Option<TaskId>,
    /// The receipt of its claim.
    pub receipt: Option<Receipt>,
    /// Why there is none.
    pub why: Option<WhyNothing>,
    /// Counts before the claim.
    pub queue: Queue,
    /// Tasks whose files overlap; five at most.
    pub collisions: Vec<Collision>,
    /// Collisions beyond these.
    pub collisions_more: i64,
    /// What to know.
    pub warnings: Vec<Warning>,
    /// Whether this is the first answer of a key seen before.
    pub repeated: bool,
}

/// Requests in one call of [`Store::write`].
const REQUESTS_MAX: usize = limits::COMMANDS_PER_TRANSACTION_MAX;

impl Store {
    /// Writes for up to 64 callers in one transaction. Each is all or nothing by itself; a refusal costs its neighbours nothing.
    /// An error means that nothing of the batch was recorded.
    pub async fn write(&self, requests: Vec<Request>) -> Result<Vec<Outcome>, StoreError> {
        let inner = &self.inner;
        if inner.options.read_only {
            let refused = Problem::new(contracts::Code::ReadOnly, "This board was opened for reading only");
            return Ok(requests.iter().map(|_| Outcome::Refused(refused.clone())).collect());
        }
        if requests.len() > REQUESTS_MAX {
            return Err(StoreError::Refused(format!("{} requests in one batch, the limit is {REQUESTS_MAX}", requests.len())));
        }
        let mut conn = inner.writer().await?;
        if self.replaced() {
            return Err(StoreError::Replaced);
        }
        if let [Request { caller, work: Work::Seen, .. }] = requests.as_slice()
            && lease::seen_lately(&mut conn, caller, inner.now()).await?
        {
            return Ok(vec![Outcome::Done]);
        }
        if let [request] = requests.as_slice()
            && let Some(receipt) = commands::nothing_due(inner, &mut conn, request).await?
        {
            return Ok(vec![Outcome::Receipts(vec![receipt])]);
        }
        let held = lock::exclusive(&inner.place.run("write.lock")).await?;
        // Whoever replaces it does so under this lock.
        if self.replaced() {
            return Err(StoreError::Replaced);
        }
        let Committed { outcomes, writer, lines, wrote } = commit(inner, &mut conn, requests).await?;
        drop(held);
        if !wrote {
            return Ok(outcomes);
        }
        let appended = match &writer {
            Some(writer) => append::complete(&mut conn, &inner.place, &inner.options.disk, writer, &lines).await.map(drop),
            None => Ok(()),
        };
        drop(conn);
        inner.announce();
        Ok(match appended {
            Ok(()) => outcomes,
            Err(error) => not_safe(outcomes, error),
        })
    }
}

/// A failed append: what was written is recorded but not yet safe, and nobody is handed a receipt for it.
fn not_safe(outcomes: Vec<Outcome>, error: StoreError) -> Vec<Outcome> {
    let error = StoreError::NotSafe(Box::new(error));
    tracing::error!(%error, "the log file could not be written");
    let has_events = |outcome: &Outcome| match outcome {
        Outcome::Receipts(receipts) => receipts.iter().any(|receipt| !receipt.events.is_empty()),
        Outcome::Next(next) => next.receipt.as_ref().is_some_and(|receipt| !receipt.events.is_empty()),
        Outcome::Done | Outcome::Refused(_) => false,
    };
    outcomes.into_iter().map(|outcome| if has_events(&outcome) { Outcome::Refused(error.problem()) } else { outcome }).collect()
}

/// What a transaction came to.
struct Committed {
    outcomes: Vec<Outcome>,
    writer: Option<Writer>,
    /// Lines of the writer's file to come, by number.
    lines: Vec<(i64, String)>,
    wrote: bool,
}

/// The transaction: every request in a savepoint of its own.
async fn commit(inner: &Inner, conn: &mut SqliteConnection, requests: Vec<Request>) -> Result<Committed, StoreError> {
    let now = inner.now();
    let moved = index_moved(inner, conn).await?;
    let mut tx = conn.begin().await?;
    let mut head = Head::locked(&mut tx).await?;
    if let Some(moved) = &moved {
        head.index_seen.clone_from(&moved.seen);
        if moved.seal {
            head.seal(&mut tx).await?;
        }
        head.store(&mut tx).await?;
    }
    let found = head.clone();
    head.settle_clock(&mut tx, now).await?;
    let mut outcomes = Vec::with_capacity(requests.len());
    let mut wrote = false;
    let (mut later, mut lines) = (Script::default(), Vec::new());
    for request in requests {
        let (before, lines_before) = (head.clone(), lines.len());
        let mut batch =
            Batch { inner, conn: &mut tx, head: &mut head, request: &request, now, command: None, later: &mut later, begun: false, lines: &mut lines };
        let outcome = one(&mut batch).await?;
        let begun = batch.begun;
        let refused = matches!(outcome, Outcome::Refused(_));
        if refused {
            head = before;
            lines.truncate(lines_before);
        }
        if begun && refused {
            later.add("rollback to request", []);
        }
        if begun {
            later.add("release request", []);
        }
        wrote |= writes(&outcome, &request.work);
        outcomes.push(outcome);
    }
    if !wrote && moved.is_none() {
        // Nothing but refusals: there is nothing to keep.
        tx.rollback().await?;
        return Ok(Committed { outcomes, writer: head.writer, lines, wrote });
    }
    if head != found {
        head.add_store(&mut later);
    }
    later.run(&mut tx).await?;
    tx.commit().await?;
    if let Some(moved) = moved {
        inner.saw_index(moved.seen);
    }
    Ok(Committed { outcomes, writer: head.writer, lines, wrote })
}

/// Whether others must hear of it, or a file be completed (a receipt handed out again may be for events not yet in the file).
fn writes(outcome: &Outcome, work: &Work) -> bool {
    match outcome {
        Outcome::Receipts(_) => true,
        Outcome::Next(next) => next.receipt.is_some(),
        Outcome::Done => !matches!(work, Work::Commands(_)),
        Outcome::Refused(_) => false,
    }
}

async fn one(batch: &mut Batch<'_>) -> Result<Outcome, StoreError> {
    let caller = &batch.request.caller;
    if !matches!(batch.request.work, Work::Commands(_)) {
        batch.flush().await?;
    }
    match &batch.request.work {
        Work::Commands(requests) => commands::all(batch, requests).await,
        Work::Next(request) => next::answer(batch, request).await,
        Work::Deliver { events } => {
            lease::deliver(batch.conn, caller, events, batch.now).await?;
            Ok(Outcome::Done)
        }
        Work::Undeliver { events } => {
            lease::undeliver(batch.conn, caller, events).await?;
            Ok(Outcome::Done)
        }
        Work::Seen => {
            lease::seen(batch.conn, caller, batch.now).await?;
            Ok(Outcome::Done)
        }
    }
}

/// Git's index as it looks now, and whether git has the current log file.
pub(crate) struct Moved {
    pub seen: String,
    pub seal: bool,
}

/// When git's index is another than at the last look.
pub(crate) async fn index_moved(inner: &Inner, conn: &mut SqliteConnection) -> Result<Option<Moved>, StoreError> {
    let Some(index) = &inner.options.index else { return Ok(None) };
    let Ok(metadata) = fs::metadata(index) else { return Ok(None) };
    let (_, inode) = log_file::identity(&metadata);
    let seen = format!("{}-{}-{inode}", metadata.len(), log_file::mtime(&metadata));
    if inner.has_seen_index(&seen) {
        return Ok(None);
    }
    let head = Head::require(conn).await?;
    if head.index_seen == seen {
        inner.saw_index(seen);
        return Ok(None);
    }
    let Some(writer) = head.writer else { return Ok(Some(Moved { seen, seal: false })) };
    let path: PathBuf = inner.place.log_of(writer.as_str());
    let here = path.exists();
    // A file that is gone although it was written may have left with the branch it was committed on.
    if !here && head.n == 0 {
        return Ok(Some(Moved { seen, seal: false }));
    }
    let tracked = inner.options.tracked.clone();
    let tracked = tokio::task::spawn_blocking(move || tracked(&path)).await.unwrap_or(false);
    if tracked && here {
        // Whatever the file still lacks goes in before nobody writes there again.
        append::complete(conn, &inner.place, &inner.options.disk, &writer, &[]).await?;
    }
    Ok(Some(Moved { seen, seal: tracked }))
}

impl Inner {
    /// Whether the index was looked at when it looked like this.
    fn has_seen_index(&self, seen: &str) -> bool {
        self.index_seen.lock().is_ok_and(|last| *last == seen)
    }

    fn saw_index(&self, seen: String) {
        if let Ok(mut last) = self.index_seen.lock() {
            *last = seen;
        }
    }

    /// Says that something was committed: to this process, and through the watched file to the others.
    pub(crate) fn announce(&self) {
        let stamp = self.now().0.to_le_bytes();
        // A hint only: who misses it looks again within a second.
        if let Ok(mut file) = fs::OpenOptions::new().create(true).truncate(false).write(true).open(self.place.run("wake")) {
            let _ = std::io::Write::write_all(&mut file, &stamp);
        }
        self.committed.send_modify(|count| *count += 1);
    }
}

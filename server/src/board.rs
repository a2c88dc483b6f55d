//! The port of this process: every surface's reads and writes pass here, and nowhere else.
//!
//! Writes wait in one bounded queue for the process's single writer, which commits up to 64 of them in one transaction. Reads go to the
//! store's readers; what they give becomes views in `assemble`. Somebody's board is a `Board` that already knows who calls.

mod activity;
mod assemble;
mod caller;
mod changes;
mod commits;
mod fleet;
mod gather;
mod hooked;
mod offsets;
mod settings;
mod snapshot;
mod tips;

pub use changes::Changes;
pub use fleet::{TreeMade, TreeRow};
pub use hooked::{HookedBoard, HookedLease, HookedTask};

use crate::boot::{Base, Clock};
use contracts::command::CommandRequest;
use contracts::{Actor, Board, Caller, Code, Hint, Moment, Problem, Surface, limits};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use storage::{Outcome, Request, Store, StoreError, Work};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// What pages are told beside the board itself.
#[derive(Clone, Debug, Default)]
pub struct PageFacts {
    /// Build of this program.
    pub version: String,
    /// Snippets for connecting agents, title and text.
    pub connect: Vec<(String, String)>,
    /// Where agents reach it over HTTP: `http://127.0.0.1:2140`.
    pub address: Option<String>,
    /// Whether writes are refused.
    pub read_only: bool,
}

/// The board of one project, for everybody. Cheap to clone.
#[derive(Clone)]
pub struct ServerPort(Arc<Inner>);

struct Inner {
    store: RwLock<Store>,
    queue: mpsc::Sender<Job>,
    clock: Clock,
    base: Base,
    page: RwLock<PageFacts>,
    seen: Mutex<HashMap<Actor, Moment>>,
}

enum Job {
    /// Work, and where its outcome goes.
    Write(Box<Request>, oneshot::Sender<Result<Outcome, Problem>>),
    /// Says when everything before it is written.
    Written(oneshot::Sender<()>),
}

impl ServerPort {
    /// Starts the writer of this process.
    pub fn start(store: Store, base: Base, page: PageFacts) -> ServerPort {
        let (queue, jobs) = mpsc::channel(limits::COMMANDS_QUEUED_MAX);
        let clock = store.clock();
        let port = ServerPort(Arc::new(Inner { store: RwLock::new(store), queue, clock, base, page: RwLock::new(page), seen: Mutex::default() }));
        tokio::spawn(write_all(Arc::downgrade(&port.0), jobs));
        port
    }

    /// The board as this caller sees it.
    pub fn for_caller(&self, caller: Caller) -> Arc<dyn Board> {
        Arc::new(caller::SomebodysBoard::new(self.clone(), caller))
    }

    /// What pages are told; the address is known only once a port is bound.
    pub fn set_page(&self, page: PageFacts) {
        *self.0.page.write().unwrap_or_else(PoisonError::into_inner) = page;
    }

    pub(crate) fn page(&self) -> PageFacts {
        self.0.page.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn store(&self) -> Store {
        self.0.store()
    }

    /// The store as it is now: opened anew when another database lies there, or the one that did was cut short.
    ///
    /// # Errors
    /// What opening says.
    pub(crate) async fn current(&self) -> Result<Store, Problem> {
        if self.store().replaced() {
            self.reopen().await?;
        }
        Ok(self.store())
    }

    /// The project's `.callboard`.
    pub fn directory(&self) -> PathBuf {
        self.store().place().root.clone()
    }

    /// Waits until everything that was handed to the writer is in the log. A command line ends with this, a server with its process.
    pub async fn shutdown(&self) {
        let (written, done) = oneshot::channel();
        // A writer that ended has nothing more to write.
        if self.0.queue.send(Job::Written(written)).await.is_ok() {
            drop(done.await);
        }
    }

    /// Opens the database that now lies where another one was, and goes on with it.
    ///
    /// # Errors
    /// What opening says.
    pub(crate) async fn reopen(&self) -> Result<(), Problem> {
        self.0.reopen().await.map_err(|error| error.problem())
    }

    pub(crate) fn now(&self) -> contracts::Moment {
        (self.0.clock)()
    }

    /// Notes that somebody is there, at most once a minute for each. Nobody waits for it but an agent's command line, which is over
    /// before it would be written; a board that can't note it serves all the same.
    async fn seen(&self, caller: &Caller) {
        // A person's command is over before anybody could look, and noting it would cost a second sync. An agent's says that it is alive.
        let passing = caller.surface == Surface::Cli && !caller.actor.is_agent();
        if passing || self.page().read_only {
            return;
        }
        let now = self.now();
        let due = {
            let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.retain(|_, last| now.seconds_since(*last) < limits::SEEN_SECONDS);
            let due = !seen.contains_key(&caller.actor);
            if due {
                seen.insert(caller.actor.clone(), now);
            }
            due
        };
        let (reply, noted) = oneshot::channel();
        let request = Request { caller: caller.clone(), work: Work::Seen, base: None, hooks_renew: false };
        if !due || self.0.queue.try_send(Job::Write(Box::new(request), reply)).is_err() {
            return;
        }
        if caller.surface == Surface::Cli && noted.await.is_err() {
            tracing::debug!("presence was not noted");
        }
    }

    /// Hands work to the writer, once what git has of it is bound, and waits for its outcome.
    async fn send(&self, caller: &Caller, mut work: Work) -> Result<Outcome, Problem> {
        if let Work::Commands(requests) = &mut work
            && !self.page().read_only
        {
            self.gather(caller, requests).await;
            self.find_leftovers(requests).await;
        }
        self.enqueue(caller, work).await
    }

    /// Hands work to the writer and waits for its outcome.
    async fn enqueue(&self, caller: &Caller, work: Work) -> Result<Outcome, Problem> {
        if self.page().read_only {
            return Err(Problem::new(Code::ReadOnly, "this board is served read only"));
        }
        let needs_base = matches!(&work, Work::Next(_)) || matches!(&work, Work::Commands(requests) if requests.iter().any(needs_base));
        let base = if needs_base { self.0.base.of_git() } else { None };
        let request = Request { caller: caller.clone(), work, base, hooks_renew: needs_base && self.hooks_renew(caller) };
        let (reply, outcome) = oneshot::channel();
        self.0.queue.try_send(Job::Write(Box::new(request), reply)).map_err(|_| busy())?;
        match outcome.await {
            Ok(Ok(Outcome::Refused(problem))) => Err(problem),
            Ok(outcome) => outcome,
            Err(_) => Err(busy()),
        }
    }
}

impl ServerPort {
    /// Whether the caller's client has hooks that renew its leases. A client that says it is another one has none of them.
    fn hooks_renew(&self, caller: &Caller) -> bool {
        let other = caller.client.as_deref().is_some_and(|client| !client.to_lowercase().contains("claude"));
        !other && caller.actor.is_agent() && self.store().place().root.parent().is_some_and(crate::init::client_hooks_are_there)
    }
}

fn needs_base(request: &CommandRequest) -> bool {
    use contracts::Command::{Branch, Claim, Close, Dispatch, Submit};
    matches!(request.command, Claim(_) | Close(_) | Submit(_) | Branch(_) | Dispatch(_))
}

fn busy() -> Problem {
    Problem::new(Code::Busy, "the board has too much to write at the moment").hint(Hint::call(contracts::Call::new("retry")))
}

impl Inner {
    fn store(&self) -> Store {
        self.store.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn reopen(&self) -> Result<(), StoreError> {
        let (store, runtime) = (self.store(), Handle::current());
        // Opening reads many files: on a thread where that may take its time.
        let opening = tokio::task::spawn_blocking(move || runtime.block_on(store.again()));
        let (store, opened) = opening.await.map_err(|_| StoreError::Busy)??;
        for sentence in opened.repaired {
            tracing::warn!("{sentence}");
        }
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = store;
        Ok(())
    }

    async fn write(&self, requests: &[Request]) -> Result<Vec<Outcome>, StoreError> {
        match self.store().write(requests.to_vec()).await {
            // Somebody deleted or moved the database; the log files are the truth, so the new one is as good.
            Err(StoreError::Replaced) => {
                self.reopen().await?;
                self.store().write(requests.to_vec()).await
            }
            other => other,
        }
    }
}

/// The single writer: drains what waits, commits it together, answers each. Ends when the last port is dropped.
async fn write_all(inner: Weak<Inner>, mut jobs: mpsc::Receiver<Job>) {
    let mut batch = Vec::with_capacity(limits::COMMANDS_PER_TRANSACTION_MAX);
    while jobs.recv_many(&mut batch, limits::COMMANDS_PER_TRANSACTION_MAX).await > 0 {
        let (mut requests, mut replies, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        for job in batch.drain(..) {
            match job {
                Job::Write(request, reply) => {
                    requests.push(*request);
                    replies.push(reply);
                }
                Job::Written(written) => waiting.push(written),
            }
        }
        let Some(inner) = inner.upgrade() else { return };
        let written = if requests.is_empty() { Ok(Vec::new()) } else { inner.write(&requests).await };
        match written {
            Ok(outcomes) => {
                for (reply, outcome) in replies.into_iter().zip(outcomes) {
                    let _ = reply.send(Ok(outcome)); // whoever left does not need it
                }
            }
            Err(error) => {
                let problem = error.problem();
                if problem.code == Code::Internal {
                    tracing::error!(incident = problem.incident.as_deref(), %error, "a batch of writes failed");
                }
                for reply in replies {
                    let _ = reply.send(Err(problem.clone()));
                }
            }
        }
        for written in waiting {
            let _ = written.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::Command;
    use serde_json::json;
    use std::time::Duration;

    #[tokio::test]
    async fn shutdown_waits_for_a_write_that_nobody_waits_for_until_it_is_in_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(".callboard");
        std::fs::create_dir_all(&root).unwrap();
        let slow = |_| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(())
        };
        let disk = storage::Disk { fault: Some(Arc::new(slow)) };
        let options = storage::Options { disk, ..storage::Options::new(Arc::new(crate::boot::now), Arc::new(crate::boot::random_bits)) };
        let (store, _) = Store::open(storage::Place::new(&root), options.clone()).await.unwrap();
        let port = ServerPort::start(store, Base::new(None, folder.path().to_owned(), None), PageFacts::default());
        let caller = Caller { actor: Actor::dev_named("ana"), principal: "local:ana".to_owned(), surface: Surface::Hook, session: None, client: None };
        let begin = Command::parse("create_project", json!({"name": "Demo", "zone": "UTC"})).unwrap();
        let mut writing = Box::pin(port.enqueue(&caller, Work::Commands(vec![CommandRequest::of(begin)])));
        assert!(futures::poll!(writing.as_mut()).is_pending());
        drop(writing);
        tokio::task::yield_now().await; // the writer has it in hand
        port.shutdown().await;
        let logs: Vec<String> = std::fs::read_dir(root.join("log")).unwrap().map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
        assert!(logs.concat().contains("project.created"), "{logs:?}");
    }
}

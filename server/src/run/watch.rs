//! One worker from its start to its end: claimed for, watched, renewed for, and what it left noted.

use super::folder::{Ending, Folder, State};
use super::group;
use super::provider::{Errand, Provider, fresh_mark, fresh_session};
use crate::board::ServerPort;
use contracts::command::{Claim, Comment, Renew};
use contracts::fleet::{Recover, RecoverWhy, Recovered, Started};
use contracts::{Actor, Caller, Code, Command, CommandRequest, Note, Problem, Receipt, Surface, TaskId, limits};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use tokio::process::Child;
use tokio::sync::{mpsc, watch};

/// How often a worker is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How often its lease is renewed for it.
const RENEW: Duration = Duration::from_secs(30);
/// How long a worker may say nothing and still count as alive.
const SILENT: Duration = Duration::from_secs(600);

/// What a worker's watcher has to say.
#[derive(Clone, Debug)]
pub enum News {
    /// It began, in this folder.
    Started(Worker, u32),
    /// It ended.
    Ended {
        /// Which.
        worker: Worker,
        /// How.
        ending: Ending,
        /// Its exit, in words.
        exit: String,
        /// Where its task stands now.
        standing: String,
        /// Processes it had left running, which were ended.
        left_running: usize,
    },
    /// It could not be started; its task is free again.
    Failed(Worker, Problem),
}

/// A worker, its task, and its place.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its task.
    pub task: TaskId,
    /// Who it is.
    pub name: Actor,
    /// Where it works.
    pub directory: PathBuf,
    /// What it is told.
    pub brief: String,
}

impl Worker {
    /// Of a dispatch; none without a worktree.
    pub fn of(started: &Started) -> Option<Worker> {
        let directory = PathBuf::from(started.directory.as_ref()?);
        Some(Worker { task: started.task.clone(), name: started.worker.clone(), directory, brief: started.brief.clone() })
    }

    /// What it is told, as one who has nobody to ask.
    fn prompt(&self) -> String {
        format!("{}\nNobody watches this session: what you ask in it is answered by nobody. Do not push, and do not stop what runs you.\n", self.brief)
    }
}

/// Starts workers, each with a watcher of its own, which end when `stop` says so. The news end when the last of them has.
pub fn start(port: &ServerPort, caller: &Caller, root: &Path, provider: &Provider, workers: Vec<Worker>, stop: &watch::Receiver<bool>) -> mpsc::Receiver<News> {
    let (tell, news) = mpsc::channel(workers.len().max(1) * 2);
    for worker in workers {
        let watcher = Watcher { port: port.clone(), caller: caller.clone(), root: root.to_owned(), provider: provider.clone(), worker, stop: stop.clone() };
        let tell = tell.clone();
        tokio::spawn(async move {
            let worker = watcher.worker.clone();
            if let Err(problem) = watcher.watch(&tell).await {
                watcher.give_back(RecoverWhy::Stopped).await;
                drop(tell.send(News::Failed(worker, problem)).await); // nobody listens: the board knows
            }
        });
    }
    news
}

struct Watcher {
    port: ServerPort,
    /// Who started it.
    caller: Caller,
    root: PathBuf,
    provider: Provider,
    worker: Worker,
    stop: watch::Receiver<bool>,
}

impl Watcher {
    async fn watch(&self, tell: &mpsc::Sender<News>) -> Result<(), Problem> {
        let Worker { task, name, directory, .. } = &self.worker;
        let claim =
            Claim { task: task.clone(), ttl_s: Some(limits::LEASE_SECONDS_AGENT), session: None, worktree: Some(directory.to_string_lossy().into_owned()) };
        self.act(name.clone(), Command::Claim(claim)).await?;
        let unwritable = |fault: std::io::Error| Problem::new(Code::Busy, format!("the worker's folder can't be written: {fault}"));
        let folder = Folder::create(&self.root.join(git::PROJECT_DIRECTORY), task).map_err(unwritable)?;
        let lock = folder.watch().map_err(unwritable)?;
        let (mark, session) = (fresh_mark(), fresh_session());
        let prompt = self.worker.prompt();
        let errand = Errand { task, worker: name, worktree: directory, root: &self.root, prompt: &prompt, mark: &mark, session: &session };
        let mut child = self
            .provider
            .start(&errand, &folder)
            .map_err(|fault| Problem::new(Code::Busy, format!("{} could not be started: {fault}", self.provider.program.display())))?;
        let pid = child.id().unwrap_or_default();
        let mut state = State {
            task: task.clone(),
            worker: name.clone(),
            pid,
            mark: mark.clone(),
            session: Some(session),
            directory: Some(directory.clone()),
            started_at: self.port.now(),
            ended_at: None,
            exit: None,
            ending: None,
        };
        folder.note(&state).map_err(unwritable)?;
        drop(tell.send(News::Started(self.worker.clone(), pid)).await); // nobody listens: the board knows

        let (exit, cancelled) = self.until_end(&mut child, &folder).await;
        let (rest, its) = (mark.clone(), pid);
        let left_running = tokio::task::spawn_blocking(move || group::end_rest(its, &rest)).await.unwrap_or(0);
        let left = self.left_with_task().await;
        let ending = match (cancelled, left) {
            (true, _) => Ending::Cancelled,
            (false, true) => Ending::Left,
            (false, false) => Ending::Finished,
        };
        match ending {
            Ending::Cancelled => self.give_back(RecoverWhy::Stopped).await,
            Ending::Left => self.note_what_was_left(&exit).await,
            Ending::Finished => {}
        }
        (state.ended_at, state.exit, state.ending) = (Some(self.port.now()), Some(exit.clone()), Some(ending));
        folder.note(&state).map_err(unwritable)?;
        drop(lock);
        let standing = self.port.for_caller(self.caller.clone()).task(task.clone()).await.map(|view| view.card.standing.words().to_owned()).unwrap_or_default();
        drop(tell.send(News::Ended { worker: self.worker.clone(), ending, exit, standing, left_running }).await); // nobody listens: the board knows
        Ok(())
    }

    /// Waits for the end, renewing meanwhile; says how it was, and whether somebody wanted it.
    async fn until_end(&self, child: &mut Child, folder: &Folder) -> (String, bool) {
        let mut stop = self.stop.clone();
        let (mut said, mut said_at, mut renewed_at) = (0, Instant::now(), Instant::now());
        loop {
            tokio::select! {
                ended = child.wait() => return (words(ended), false),
                _ = tokio::time::sleep(LOOK) => {}
                _ = stop.changed() => {}
            }
            if *stop.borrow() || folder.is_to_cancel() {
                return (self.end(child, folder).await, true);
            }
            let length = ["raw.jsonl", "stderr"].iter().filter_map(|name| std::fs::metadata(folder.file(name)).ok()).map(|file| file.len()).sum();
            if length != said {
                (said, said_at) = (length, Instant::now());
            }
            if renewed_at.elapsed() >= RENEW && said_at.elapsed() < SILENT {
                renewed_at = Instant::now();
                let renewed = self.act(self.worker.name.clone(), Command::Renew(Renew { task: Some(self.worker.task.clone()) })).await;
                if let Err(problem) = renewed {
                    tracing::debug!(code = %problem.code, "the worker's lease was not renewed");
                }
            }
        }
    }

    /// Ends it with everything it started.
    async fn end(&self, child: &mut Child, folder: &Folder) -> String {
        let state = folder.state();
        let pid = child.id();
        let ending = tokio::task::spawn_blocking(move || {
            if let (Some(pid), Some(state)) = (pid, state) {
                group::end(pid, &state.mark);
            }
        });
        // Waited for at the same time: a group whose dead nobody collects looks alive.
        let (ended, _) = tokio::join!(child.wait(), ending);
        words(ended)
    }

    /// Whether the worker still has its task.
    async fn left_with_task(&self) -> bool {
        let Ok(board) = self.port.hooked(std::slice::from_ref(&self.worker.task)).await else { return false };
        board.task(&self.worker.task).is_some_and(|task| task.open && task.lease.as_ref().is_some_and(|lease| lease.actor == self.worker.name))
    }

    /// Frees the task, with what was left of it.
    async fn give_back(&self, why: RecoverWhy) {
        let recover = Recover { tasks: vec![self.worker.task.clone()], force: true, why: Some(why), ..Recover::default() };
        if let Err(problem) = self.act(self.caller.actor.clone(), Command::Recover(recover)).await {
            tracing::warn!(code = %problem.code, task = %self.worker.task, "the task was not freed");
        }
    }

    /// Says in the task's thread what a worker left that ended with the task in its hands. Its lease lapses by itself.
    async fn note_what_was_left(&self, exit: &str) {
        let Worker { task, name, .. } = &self.worker;
        let look = Recover { tasks: vec![task.clone()], force: true, dry_run: true, ..Recover::default() };
        let seen = self.act(self.caller.actor.clone(), Command::Recover(look)).await;
        let left = seen.ok().and_then(|receipt| serde_json::from_value::<Recovered>(receipt.data).ok()).and_then(|seen| seen.freed.into_iter().next());
        let left = left.and_then(|freed| freed.leftovers).map(|left| format!(" Left behind: {}.", left.words())).unwrap_or_default();
        let text = format!("{name} ended ({exit}) with the task in its hands; its lease lapses by itself.{left} What it said: callboard run log {task}");
        let comment = Comment { task: task.clone(), text: Note::parse(&text).unwrap_or_default(), mentions: Vec::new(), reply_to: None };
        if let Err(problem) = self.act(Actor::system("run"), Command::Comment(comment)).await {
            tracing::warn!(code = %problem.code, %task, "what was left is not in the thread");
        }
    }

    async fn act(&self, actor: Actor, command: Command) -> Result<Receipt, Problem> {
        let caller = Caller { actor, surface: Surface::Cli, session: None, client: None, principal: self.caller.principal.clone() };
        self.port.for_caller(caller).execute(CommandRequest::of(command)).await
    }
}

fn words(ended: std::io::Result<ExitStatus>) -> String {
    match ended {
        Ok(status) => match (status.code(), signal(status)) {
            (Some(code), _) => format!("exit {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no exit".to_owned(),
        },
        Err(fault) => format!("lost: {}", fault.kind()),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

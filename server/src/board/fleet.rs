//! What git does around commands about several workers: worktrees after a dispatch, leftovers before a recovery. Outside the engine, on a
//! thread that may block; what fails is undone by a further command.

use super::ServerPort;
use super::assemble::{no_task, told};
use crate::trees::{Trees, Wanted};
use contracts::command::{Assign, Receipt};
use contracts::fleet::{Branch, Dispatched, Leftovers, NotStarted, Started};
use contracts::standing::Status;
use contracts::{Caller, Code, Command, CommandRequest, Hint, Note, Problem, TaskId};
use engine::Settings;
use serde_json::{Value, json};
use std::path::PathBuf;
use storage::Work;

/// A task's worktree, as it was asked for.
#[derive(Clone, Debug)]
pub struct TreeMade {
    /// Where it is.
    pub path: PathBuf,
    /// On which branch.
    pub branch: String,
    /// Whether it was there, got a branch that was there, or is new.
    pub added: git::Added,
}

/// A worktree that is for a task.
#[derive(Clone, Debug)]
pub struct TreeRow {
    /// For which task.
    pub task: TaskId,
    /// Its title; none when it is not known here.
    pub title: Option<String>,
    /// Where the task stands.
    pub status: Option<Status>,
    /// Who is on it.
    pub holder: Option<contracts::Actor>,
    /// Where it is, from the root when it is below it.
    pub path: String,
    /// On which branch.
    pub branch: Option<String>,
    /// Why it stays; none when nothing would be lost with it.
    pub stays: Option<String>,
    /// Whether it was removed.
    pub removed: bool,
}

impl ServerPort {
    /// Where worktrees are, as the settings say.
    async fn trees(&self) -> Result<(Trees, Settings), Problem> {
        let mut read = self.store().reader().begin().await.map_err(told)?;
        let project = read.project().await.map_err(told)?.ok_or_else(crate::boot::not_initialized)?;
        drop(read);
        let settings = Settings::of(&project);
        let repository = self.0.base.repository().cloned().ok_or_else(|| {
            Problem::new(Code::GitFailed, "worktrees need git, and this project is in no repository").hint(Hint::text("git init, or work without worktrees"))
        })?;
        Ok((Trees { repository, root: self.0.base.root().to_owned(), folder: settings.trees_dir.clone() }, settings))
    }

    /// Git asked on a thread where it may take its time.
    async fn with_git<T: Send + 'static>(&self, ask: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
        tokio::task::spawn_blocking(ask).await.unwrap_or_else(|_| Err(Problem::new(Code::Internal, "asking git failed")))
    }

    /// Tells a recovery what is in the worktrees, as far as git can say.
    pub(super) async fn find_leftovers(&self, requests: &mut [CommandRequest]) {
        for request in requests {
            let Command::Recover(recover) = &mut request.command else { continue };
            let Ok((trees, _)) = self.trees().await else { continue };
            let asked = recover.tasks.clone();
            let found = self.with_git(move || {
                let known = trees.of_tasks()?;
                let wanted = known.iter().filter(|(task, _)| asked.is_empty() || asked.contains(task));
                Ok(wanted.filter_map(|(task, _)| trees.leftovers(&known, task)).collect::<Vec<Leftovers>>())
            });
            match found.await {
                Ok(found) => recover.leftovers = found,
                Err(problem) => tracing::debug!(code = %problem.code, "nobody knows what is in the worktrees"),
            }
        }
    }

    /// Gives the workers of a dispatch their places and their briefs. Who can't have a place is unassigned again.
    pub(super) async fn place_workers(&self, caller: &Caller, requests: &[CommandRequest], receipts: &mut [Receipt]) -> Result<(), Problem> {
        for (request, receipt) in requests.iter().zip(receipts) {
            let Command::Dispatch(dispatch) = &request.command else { continue };
            let Ok(mut done) = serde_json::from_value::<Dispatched>(receipt.data.clone()) else { continue };
            if !dispatch.dry_run {
                if receipt.repeated {
                    self.forget_gone(&mut done).await?;
                }
                if dispatch.worktrees != Some(false) {
                    self.make_trees(caller, &mut done).await?;
                }
            }
            for started in &mut done.started {
                started.brief = crate::brief::brief(started);
            }
            receipt.data = json!(done);
        }
        Ok(())
    }

    /// A dispatch that is answered again: what has moved on since is not started again.
    async fn forget_gone(&self, done: &mut Dispatched) -> Result<(), Problem> {
        let ids: Vec<TaskId> = done.started.iter().map(|started| started.task.clone()).collect();
        let board = self.hooked(&ids).await?;
        let still = |started: &Started| {
            board.task(&started.task).is_some_and(|task| {
                let with = task.lease.as_ref().map(|lease| &lease.actor).or(task.assignee.as_ref());
                task.open && with == Some(&started.worker)
            })
        };
        let (kept, gone): (Vec<Started>, Vec<Started>) = std::mem::take(&mut done.started).into_iter().partition(still);
        done.started = kept;
        let reason = |started: Started| NotStarted { text: format!("{} has it no more", started.worker), task: started.task, code: Code::IllegalMove };
        done.not_started.extend(gone.into_iter().map(reason));
        Ok(())
    }

    async fn make_trees(&self, caller: &Caller, done: &mut Dispatched) -> Result<(), Problem> {
        let trees = self.trees().await.map(|(trees, _)| trees);
        let mut started = Vec::with_capacity(done.started.len());
        for mut one in std::mem::take(&mut done.started) {
            let made = match &trees {
                Ok(trees) => {
                    let (trees, wanted) = (trees.clone(), Wanted { task: one.task.clone(), branch: one.branch.clone(), base: one.base.clone() });
                    self.with_git(move || trees.make(&wanted)).await
                }
                Err(problem) => Err(problem.clone()),
            };
            match made {
                Ok((path, _)) => {
                    one.directory = Some(path.to_string_lossy().into_owned());
                    started.push(one);
                }
                Err(problem) => done.not_started.push(self.undone(caller, one, &problem).await),
            }
        }
        done.started = started;
        Ok(())
    }

    /// Takes an assignment back whose place could not be made.
    async fn undone(&self, caller: &Caller, started: Started, problem: &Problem) -> NotStarted {
        let note = Note::parse(&problem.title).unwrap_or_default();
        let undo = CommandRequest::of(Command::Assign(Assign { task: started.task.clone(), to: None, note }));
        let undone = self.enqueue(caller, Work::Commands(vec![undo])).await;
        let text = match undone {
            Ok(_) => format!("{}; nobody has it again", problem.title),
            Err(other) => format!("{}; it is still assigned to {}: {}", problem.title, started.worker, other.title),
        };
        NotStarted { task: started.task, code: problem.code, text }
    }

    /// Makes sure that a task has a worktree, naming its branch when nobody has yet. The holder's lease learns where it is.
    ///
    /// # Errors
    /// `not_found`, or `git_failed` in git's words.
    pub async fn tree_add(&self, caller: &Caller, task: &TaskId) -> Result<TreeMade, Problem> {
        let (trees, _) = self.trees().await?;
        let branch = Branch { task: task.clone(), branch: None, base: None };
        let receipt = self.for_caller(caller.clone()).execute(CommandRequest::of(Command::Branch(branch))).await?;
        let text = |key: &str| receipt.data.get(key).and_then(Value::as_str).map(str::to_owned);
        let branch = text("branch").ok_or_else(|| no_task(task))?;
        let wanted = Wanted { task: task.clone(), branch: branch.clone(), base: text("base") };
        let (path, added) = self.with_git(move || trees.make(&wanted)).await?;
        self.note_place(task, &caller.actor, &path.to_string_lossy(), &branch).await?;
        Ok(TreeMade { path, branch, added })
    }

    /// Every worktree that is for a task, and why it stays; with `tidy` those that need not are removed, with their branches if it says so.
    ///
    /// # Errors
    /// As reading does, or `git_failed`.
    pub async fn tree_rows(&self, tidy: Option<bool>) -> Result<Vec<TreeRow>, Problem> {
        let (trees, settings) = self.trees().await?;
        let listing = trees.clone();
        let found = self.with_git(move || listing.of_tasks()).await?;
        let ids: Vec<TaskId> = found.iter().map(|(task, _)| task.clone()).collect();
        let mut read = self.store().reader().begin().await.map_err(told)?;
        let cards = read.card_rows(&ids).await.map_err(told)?;
        drop(read);
        let base = self.0.base.chosen(settings.base.as_deref());
        self.with_git(move || {
            let row = |(task, tree): (TaskId, git::Worktree)| {
                let card = cards.iter().find(|card| card.task.id == task);
                let mut row = TreeRow {
                    title: card.map(|card| card.task.title.clone()),
                    status: card.map(|card| card.task.status),
                    holder: card.and_then(|card| card.lease.as_ref()).map(|lease| lease.actor.clone()),
                    path: trees.shown(&tree.path),
                    branch: tree.branch.clone(),
                    stays: match card.map(|card| card.task.status) {
                        None => Some("its task is not known here".to_owned()),
                        Some(Status::Open) => Some("its task is open".to_owned()),
                        Some(Status::Done | Status::Cancelled) => trees.stays(&tree, base.as_deref()),
                    },
                    removed: false,
                    task,
                };
                if let (Some(with_branch), None) = (tidy, &row.stays) {
                    match trees.remove(&tree, with_branch) {
                        Ok(()) => row.removed = true,
                        Err(fault) => row.stays = Some(fault.to_string()),
                    }
                }
                row
            };
            Ok(found.into_iter().map(row).collect())
        })
        .await
    }
}

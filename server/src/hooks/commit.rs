//! Which task a commit is for, who makes it, and the guard before it.

use super::acting::{self, Stand};
use super::words;
use crate::board::{HookedBoard, HookedLease, ServerPort};
use crate::boot::{self, Boot, BootOptions};
use crate::evidence;
use contracts::command::BoundHow;
use contracts::{Actor, Caller, Problem, Surface, TaskId};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Kind of the mark that says which commit was seen coming; its key is the worktree.
const INTENT: &str = "intent";
/// How long an intent holds, seconds.
const INTENT_SECONDS: i64 = 120;
/// The variable that names the task of a worker.
const TASK_VARIABLE: &str = "CALLBOARD_TASK";

/// A commit that an agent client saw coming.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Whose.
    pub actor: Actor,
    /// For which task.
    pub task: TaskId,
    /// In which session.
    #[serde(default)]
    pub session: String,
}

impl Intent {
    /// Notes it, in place of an earlier one.
    pub async fn write(&self, port: &ServerPort, worktree: &Path) -> Result<(), Problem> {
        port.remember(INTENT, &worktree.to_string_lossy(), &serde_json::to_string(self).unwrap_or_default()).await
    }

    /// A fresh one for this worktree.
    pub async fn read(port: &ServerPort, worktree: &Path) -> Result<Option<Intent>, Problem> {
        let found = port.recall(INTENT, &worktree.to_string_lossy()).await?;
        let fresh = found.filter(|(_, at)| port.now().seconds_since(*at) <= INTENT_SECONDS);
        Ok(fresh.and_then(|(text, _)| serde_json::from_str(&text).ok()))
    }
}

/// The worktree git called us in.
pub struct Here {
    /// The project around it.
    pub place: git::Place,
    /// Its repository, seen from it.
    pub repository: git::Repository,
    /// Its top.
    pub worktree: PathBuf,
    /// Its branch.
    pub branch: Option<String>,
    /// Who the environment says acts.
    pub acting: Option<Actor>,
}

impl Here {
    /// Where this process stands; none where there is no project, or no worktree of its repository.
    ///
    /// # Errors
    /// The line to say about a malformed variable.
    pub fn find(project: Option<&Path>) -> Result<Option<Here>, String> {
        let Ok(place) = boot::find_place(project) else { return Ok(None) };
        let (true, Some(worktree)) = (place.project, place.worktree.clone()) else { return Ok(None) };
        let Some(repository) = place.here() else { return Ok(None) };
        let acting = acting::environment()?;
        let branch = repository.branch().ok().flatten();
        Ok(Some(Here { place, repository, worktree, branch, acting }))
    }

    /// The board.
    pub async fn open(&self) -> Result<Boot, Problem> {
        boot::open(self.place.clone(), BootOptions::default()).await
    }

    /// How this worktree stands among the others.
    pub fn stand(&self) -> Stand<'_> {
        Stand { worktree: &self.worktree, linked: self.repository.git_dir() != self.repository.common_dir(), branch: self.branch.as_deref() }
    }

    /// The agent that the environment names.
    pub fn agent(&self) -> Option<&Actor> {
        self.acting.as_ref().filter(|actor| actor.is_agent())
    }

    /// The task a commit here is for: a fresh intent, `CALLBOARD_TASK`, the branch, the only live lease of `CALLBOARD_ACTOR`.
    pub async fn task(&self, port: &ServerPort, board: &HookedBoard) -> Option<TaskId> {
        if let Ok(Some(intent)) = Intent::read(port, &self.worktree).await {
            return Some(intent.task);
        }
        self.named().or_else(|| {
            let held = board.held_by(self.acting.as_ref()?);
            let mut running = held.iter().filter(|task| task.lease.as_ref().is_some_and(|lease| lease.runs));
            match (running.next(), running.next()) {
                (Some(only), None) => Some(only.id.clone()),
                _ => None,
            }
        })
    }

    /// What the environment or the branch names, without a look at the board.
    pub fn named(&self) -> Option<TaskId> {
        let variable = std::env::var(TASK_VARIABLE).ok().and_then(|raw| TaskId::parse(&raw).ok());
        variable.or_else(|| self.branch.as_deref().and_then(evidence::task_in))
    }

    /// Why an agent's commit is stopped. Nobody else is.
    pub fn guard(&self, board: &HookedBoard, tasks: &[TaskId]) -> Option<String> {
        let actor = self.agent()?;
        if board.settings.commit_guard == "off" {
            return None;
        }
        let held = board.held_by(actor);
        if tasks.is_empty() {
            return Some(if held.len() > 1 { words::several(actor, &held) } else { words::nothing_held(actor) });
        }
        tasks.iter().find_map(|id| match board.task(id) {
            None => Some(words::unknown(id)),
            Some(_) if held.iter().any(|task| task.id == *id) => None,
            Some(task) => Some(words::not_held(actor, task, board.now)),
        })
    }

    /// What to say of a commit that names no task, when whoever made it holds one: the caller, or an agent of the same person whose work
    /// is here, or nowhere that is known.
    pub fn unnamed(&self, board: &HookedBoard, person: &Actor) -> Option<String> {
        let who = self.acting.as_ref().unwrap_or(person);
        let here = |worktree: &Option<String>| worktree.as_deref().is_none_or(|worktree| Path::new(worktree) == self.worktree);
        let may_be = |lease: &HookedLease| lease.actor == *who || (who.is_dev() && lease.actor.same_dev(who) && here(&lease.worktree));
        let held: Vec<_> = board.tasks.iter().filter(|task| task.open && task.lease.as_ref().is_some_and(|lease| lease.runs && may_be(lease))).collect();
        words::counts_for_none(&held)
    }

    /// Whose commit it is: the intent's, the environment's, the holder's in whose worktree it was made, else the person's.
    pub fn author(&self, board: &HookedBoard, intent: Option<&Intent>, task: &TaskId, person: &Actor) -> Actor {
        let holder = || {
            let own = self.stand().task(board).as_ref() == Some(task);
            board.task(task).filter(|_| own).and_then(|task| task.lease.as_ref()).map(|lease| lease.actor.clone())
        };
        let intent = intent.filter(|intent| intent.task == *task).map(|intent| intent.actor.clone());
        intent.or_else(|| self.acting.clone()).or_else(holder).unwrap_or_else(|| person.clone())
    }
}

/// The tasks a commit is for, and what says so.
pub fn tasks(trailers: &[String], branch: Option<&str>, intent: Option<&Intent>) -> (Vec<TaskId>, BoundHow) {
    let named = evidence::tasks_of(trailers);
    if !named.is_empty() {
        return (named, BoundHow::Trailer);
    }
    match branch.and_then(evidence::task_in) {
        Some(task) => (vec![task], BoundHow::Branch),
        None => (intent.map(|intent| intent.task.clone()).into_iter().collect(), BoundHow::Intent),
    }
}

/// Somebody as a hook writes for them.
pub fn caller(actor: Actor, principal: &str) -> Caller {
    Caller { actor, principal: principal.to_owned(), surface: Surface::Hook, session: None, client: None }
}

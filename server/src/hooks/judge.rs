//! Judging an agent's shell command before it runs: each commit in it, and each command of ours that only people give.
//!
//! Invariants: the first denial denies the whole; nothing is ever allowed on the client's behalf; a board that can't be read denies
//! nothing.

use super::acting::{self, Acting, Stand};
use super::commit::Intent;
use super::{people, words};
use crate::board::{HookedBoard, HookedTask};
use crate::boot::{self, Boot, BootOptions};
use crate::evidence::{self, TRAILER};
use contracts::{Actor, TaskId};
use git::Repository;
use git::shell::{self, Commit, Directory, World};
use std::fs;
use std::path::{Path, PathBuf};

/// What is judged.
pub struct Subject<'a> {
    /// The shell text.
    pub text: &'a str,
    /// Where the client would run it.
    pub directory: &'a Path,
    /// The client's session.
    pub session: &'a str,
    /// The sub-agent in it.
    pub agent: Option<&'a str>,
}

/// The project and worktree a commit would be made in.
struct Site {
    place: git::Place,
    /// None when only running would tell, or it is not there yet.
    repository: Option<Repository>,
    worktree: PathBuf,
}

impl Site {
    fn branch(&self) -> Option<String> {
        self.repository.as_ref()?.branch().ok().flatten()
    }

    fn is_linked(&self) -> bool {
        self.repository.as_ref().is_some_and(|repository| repository.git_dir() != repository.common_dir())
    }
}

/// Why the text is denied, if it is. Notes which task its commits are for otherwise.
pub async fn judge(subject: &Subject<'_>, project: Option<&Path>) -> Option<String> {
    let reading = read(subject);
    if let Some(what) = reading.calls.iter().find_map(people::only_theirs) {
        let agent = !acting::environment().ok().flatten().is_some_and(|actor| actor.is_dev());
        let here = site(subject.directory, project).is_some();
        if agent && here {
            return Some(words::people_only(&what));
        }
    }
    let mut boots: Vec<Boot> = Vec::new();
    let from = site(subject.directory, project);
    let unread = reading.unreadable.is_some_and(|unread| unread.mentions_commit);
    let blind = unread.then(|| Commit {
        directory: Directory::Unknown,
        message: None,
        trailers: Vec::new(),
        amend: false,
        fixup: false,
        reuses: false,
        editor: false,
        hooks_off: false,
        no_verify: false,
    });
    for commit in reading.commits.iter().chain(&blind) {
        let directory = commit.directory.path();
        let Some(mut site) = site(directory.unwrap_or(subject.directory), project) else { continue };
        if directory.is_none() {
            site.repository = None;
        }
        let at = match boots.iter().position(|boot| boot.place.root == site.place.root) {
            Some(at) => at,
            None => {
                boots.push(boot::open(site.place.clone(), BootOptions::default()).await.ok()?);
                boots.len() - 1
            }
        };
        if let Some(denied) = one(subject, from.as_ref(), commit, &site, &boots[at]).await {
            return Some(denied);
        }
    }
    None
}

fn read(subject: &Subject<'_>) -> shell::Reading {
    let alias = |directory: &Directory, word: &str| {
        let directory = directory.path().unwrap_or(subject.directory);
        git::config(directory, &format!("alias.{word}")).ok().flatten()
    };
    let file = |path: &Path| {
        let short = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= shell::TEXT_BYTES_MAX as u64);
        if short { fs::read_to_string(path).ok() } else { None }
    };
    shell::read(subject.text, &World { directory: subject.directory, alias: &alias, file: &file })
}

/// Where a directory belongs; none outside of any project. One that is not there yet belongs where the nearest that is does.
fn site(directory: &Path, project: Option<&Path>) -> Option<Site> {
    let there = directory.ancestors().find(|directory| directory.is_dir())?;
    let named = project.map(Path::to_owned).or_else(boot::root_variable);
    let place = Repository::find(there, named.as_deref()).ok().filter(|place| place.project)?;
    let worktree = place.worktree.clone()?;
    let repository = if there == directory { place.here() } else { None };
    Some(Site { place, repository, worktree })
}

async fn one(subject: &Subject<'_>, from: Option<&Site>, commit: &Commit, site: &Site, boot: &Boot) -> Option<String> {
    let of_branch = site.branch().as_deref().and_then(evidence::task_in);
    let named = named(commit, site);
    // Who acts is told by where the client stands, not by where its command goes: nobody becomes another by `cd`.
    let from = from.filter(|from| from.place.root == site.place.root);
    let branch = from.and_then(Site::branch);
    let stand = from.map(|from| Stand { worktree: &from.worktree, linked: from.is_linked(), branch: branch.as_deref() });
    let asked: Vec<TaskId> = named.iter().cloned().chain(of_branch.clone()).chain(stand.as_ref().and_then(Stand::named)).collect();
    let board = boot.port.hooked(&asked).await.ok()?;
    let acting = who(subject, boot, &board, stand.as_ref()).await?;
    let judged = match board.settings.commit_guard.as_str() {
        "off" => false,
        "workers" => acting.known,
        _ => true,
    };
    if !judged || !acting.actor.is_agent() {
        return None;
    }
    let task = match judgement(commit, &board, &acting.actor, &named, of_branch.as_ref()) {
        Ok(task) => task,
        Err(denied) => return Some(denied),
    };
    if let Some(task) = task {
        let intent = Intent { actor: acting.actor, task, session: subject.session.to_owned() };
        // Without it the branch or the environment says whose it is.
        let _ = intent.write(&boot.port, &site.worktree).await;
    }
    None
}

/// The table: which task a commit is for, or why it is denied.
fn judgement(commit: &Commit, board: &HookedBoard, actor: &Actor, named: &[TaskId], of_branch: Option<&TaskId>) -> Result<Option<TaskId>, String> {
    let held = board.held_by(actor);
    let holds = |id: &TaskId| held.iter().any(|task| task.id == *id);
    let of_branch: Option<&HookedTask> = of_branch.and_then(|id| board.task(id));
    if commit.hooks_off {
        return match of_branch {
            Some(task) if holds(&task.id) => Ok(Some(task.id.clone())),
            _ => Err(words::hooks_off(actor)),
        };
    }
    for id in named {
        match board.task(id) {
            None => return Err(words::unknown(id)),
            Some(task) if !holds(id) => return Err(words::not_held(actor, task, board.now)),
            Some(_) => {}
        }
    }
    if let Some(first) = named.first() {
        return Ok(Some(first.clone()));
    }
    if let Some(task) = of_branch {
        return if holds(&task.id) { Ok(Some(task.id.clone())) } else { Err(words::not_held(actor, task, board.now)) };
    }
    match held.as_slice() {
        [] => Err(words::nothing_held(actor)),
        [only] => Ok(Some(only.id.clone())),
        several => Err(words::several(actor, several)),
    }
}

/// The tasks that the message names in its trailers, or that `--trailer` adds.
fn named(commit: &Commit, site: &Site) -> Vec<TaskId> {
    let mut values: Vec<String> = Vec::new();
    if let Some(message) = commit.message.as_deref().filter(|message| message.to_ascii_lowercase().contains("task")) {
        let repository = site.repository.as_ref().map_or_else(|| site.place.repository(), |_| None);
        let asked = site.repository.as_ref().or(repository.as_ref());
        let trailers = asked.and_then(|repository| repository.trailers_of(message).ok()).unwrap_or_default();
        values.extend(trailers.into_iter().filter(|trailer| trailer.key.eq_ignore_ascii_case(TRAILER)).map(|trailer| trailer.value));
    }
    for given in &commit.trailers {
        let split = given.split_once([':', '=']);
        values.extend(split.filter(|(key, _)| key.trim().eq_ignore_ascii_case(TRAILER)).map(|(_, value)| value.trim().to_owned()));
    }
    evidence::tasks_of(&values)
}

/// Who the commit would be by; nobody for a malformed name.
async fn who(subject: &Subject<'_>, boot: &Boot, board: &HookedBoard, stand: Option<&Stand<'_>>) -> Option<Acting> {
    super::claude::acting(&boot.port, board, subject.session, subject.agent, stand, &boot.identity.dev).await.ok()
}

//! Evidence: what git knows of a task's commits, worded as commands for the board.
//!
//! Invariants: everything here comes from git, nothing is guessed; asking blocks and is done on a thread where it may. What is found is
//! bound and superseded by the engine's own rules, so finding it twice changes nothing.

use contracts::command::{Bind, BoundHow, Supersede, SupersedeWhy};
use contracts::{Command, Moment, TaskId, limits};
use git::{CommitFacts, GitError, Repository};
use std::collections::BTreeSet;

/// The key of the trailer that names a task.
pub const TRAILER: &str = "Task";
/// How many bound commits are looked for in one gathering.
const LOOKED_FOR_MAX: usize = 50;

/// The task a branch names: the last id in it that stands by itself.
pub fn task_in(branch: &str) -> Option<TaskId> {
    let parts: Vec<&str> = branch.split(['/', '_']).collect();
    parts.iter().rev().find_map(|part| {
        let pieces: Vec<&str> = part.split('-').collect();
        pieces.windows(2).rev().filter(|pair| pair[0] == "tk").find_map(|pair| TaskId::parse(&format!("tk-{}", pair[1])).ok())
    })
}

/// The tasks that trailers name, each once, as many as count.
pub fn tasks_of(trailers: &[String]) -> Vec<TaskId> {
    let mut tasks = Vec::new();
    for task in trailers.iter().filter_map(|value| TaskId::parse(value.trim()).ok()) {
        if !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    tasks.truncate(limits::COMMIT_TASKS_MAX);
    tasks
}

/// A commit's facts as the command that binds it.
pub fn bind(facts: &CommitFacts, task: &TaskId, how: BoundHow) -> Bind {
    let lines = |lines: Option<u64>| lines.map(|lines| u32::try_from(lines).unwrap_or(u32::MAX));
    Bind {
        task: task.clone(),
        sha: facts.sha.clone(),
        subject: facts.subject.clone(),
        how,
        files: facts.files.iter().map(|file| (file.path.clone(), lines(file.added), lines(file.deleted))).collect(),
        added: None,
        deleted: None,
        author: Some(facts.author.clone()),
        authored_at: Moment::parse(&facts.authored_at),
        committed_at: Moment::parse(&facts.committed_at),
        parents: facts.parents.clone(),
        branch: facts.branch.clone(),
        patch: facts.patch.clone(),
    }
}

/// What the board knows of a task's commits.
#[derive(Clone, Debug)]
pub struct Known {
    /// Which task.
    pub task: TaskId,
    /// Its branch, as recorded.
    pub branch: Option<String>,
    /// Where that was cut from.
    pub base: Option<String>,
    /// No commit can be older than the task.
    pub created_at: Moment,
    /// Bound commits, and whether each is superseded.
    pub bound: Vec<(String, bool)>,
    /// Those of them that were bound in this clone.
    pub here: BTreeSet<String>,
}

/// What git knows beyond that.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Commits to bind and to supersede.
    pub commands: Vec<Command>,
    /// Commits of the branch its upstream lacks.
    pub unpushed: Option<u32>,
}

/// Asks git for the commits on the task's branch since its base and those whose trailer names it, and for bound ones that are gone. Work in
/// a submodule counts like work in the repository around it.
///
/// # Errors
/// When git fails: then nothing is known, and nothing is bound.
pub fn gather(repository: &Repository, known: &Known, default_base: Option<&str>) -> Result<Found, GitError> {
    let mut found = Found::default();
    let mut seen = BTreeSet::new();
    look(repository, known, default_base, &mut seen, &mut found)?;
    let mut places = vec![repository];
    let submodules = repository.submodules();
    for place in &submodules {
        match look(place, known, default_base, &mut seen, &mut found) {
            Ok(()) => places.push(place),
            // A submodule that git can't read takes nothing from what the repository itself has.
            Err(fault) => tracing::warn!(%fault, submodule = %place.git_dir().display(), "git could not say which commits there are"),
        }
    }
    if places.len() <= submodules.len() {
        return Ok(found); // what is missing may be in the one that can't be read
    }
    let unseen = known.bound.iter().filter(|(sha, superseded)| !superseded && !seen.contains(sha) && known.here.contains(sha));
    for (sha, _) in unseen.take(LOOKED_FOR_MAX) {
        let mut there = false;
        for place in &places {
            there = there || place.is_reachable(sha)?;
        }
        if !there {
            let gone = Supersede { task: known.task.clone(), old: sha.clone(), new: None, why: Some(SupersedeWhy::Gone) };
            found.commands.push(Command::Supersede(gone));
        }
    }
    Ok(found)
}

/// Adds what one repository has of the task's commits.
fn look(repository: &Repository, known: &Known, default_base: Option<&str>, seen: &mut BTreeSet<String>, found: &mut Found) -> Result<(), GitError> {
    let branches = branches(repository, known)?;
    for (sha, branch) in commits(repository, known, &branches, default_base)? {
        let bound = known.bound.iter().any(|(bound, _)| *bound == sha);
        if !seen.insert(sha.clone()) || bound || found.commands.len() >= limits::COMMANDS_IN_BATCH_MAX / 2 {
            continue;
        }
        let facts = CommitFacts { branch, ..repository.commit_facts(&sha, TRAILER)? };
        let tasks = tasks_of(&facts.trailers);
        // A commit that names other tasks is theirs, whatever branch it came in with.
        let how = match (tasks.contains(&known.task), tasks.is_empty()) {
            (true, _) => BoundHow::Trailer,
            (false, true) => BoundHow::Branch,
            (false, false) => continue,
        };
        found.commands.push(Command::Bind(bind(&facts, &known.task, how)));
    }
    if let Some(branch) = branches.first()
        && let Some(unpushed) = repository.unpushed_of(branch)?
    {
        let unpushed = u32::try_from(unpushed).unwrap_or(u32::MAX);
        found.unpushed = Some(found.unpushed.unwrap_or(0).saturating_add(unpushed));
    }
    Ok(())
}

/// The commits of the task in one repository, oldest first, each with the branch it was found on: those on its branches, then those that
/// name it.
fn commits(repository: &Repository, known: &Known, branches: &[String], default_base: Option<&str>) -> Result<Vec<(String, Option<String>)>, GitError> {
    let mut found = Vec::new();
    for branch in branches {
        let Some(base) = base_of(repository, known, branch, default_base)? else { continue };
        let commits = repository.commits_between(&base, &format!("refs/heads/{branch}"))?;
        found.extend(commits.into_iter().map(|sha| (sha, Some(branch.clone()))));
    }
    let since = Moment(known.created_at.0 - 86_400_000).to_string();
    let named = repository.commits_with_trailer(TRAILER, known.task.as_str(), Some(&since))?;
    found.extend(named.into_iter().rev().map(|sha| (sha, None)));
    Ok(found)
}

/// The task's branches that are here: the recorded one, and those in worktrees that name it.
fn branches(repository: &Repository, known: &Known) -> Result<Vec<String>, GitError> {
    let mut branches = Vec::new();
    if let Some(branch) = &known.branch
        && repository.tip(&format!("refs/heads/{branch}"))?.is_some()
    {
        branches.push(branch.clone());
    }
    for branch in repository.worktrees()?.into_iter().filter(|tree| tree.head.is_some()).filter_map(|tree| tree.branch) {
        if task_in(&branch).as_ref() == Some(&known.task) && !branches.contains(&branch) {
            branches.push(branch);
        }
    }
    Ok(branches)
}

/// Where a branch began: as recorded, else what work is cut from in this project, else (a submodule has branches of its own) what git says.
/// None when that is the branch itself.
fn base_of(repository: &Repository, known: &Known, branch: &str, default_base: Option<&str>) -> Result<Option<String>, GitError> {
    for base in [known.base.as_deref(), default_base].into_iter().flatten().filter(|base| *base != branch) {
        if repository.tip(base)?.is_some() {
            return Ok(Some(base.to_owned()));
        }
    }
    Ok(repository.default_base()?.filter(|base| base != branch))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_names_the_last_task_in_it() {
        let named = |branch: &str| task_in(branch).map(|task| task.to_string());
        for branch in ["task/tk-4f2a9c-refresh", "tk-4f2a9c", "ada/tk-4f2a9c", "x_tk-4f2a9c_y", "tk-000001/tk-4f2a9c", "a-tk-4f2a9c", "tk-000001-tk-4f2a9c-z"] {
            assert_eq!(named(branch).as_deref(), Some("tk-4f2a9c"), "{branch}");
        }
        for branch in ["main", "tk-4f2a9", "tk-4f2a9cc", "xtk-4f2a9c", "tk-4F2A9C", "task/4f2a9c", "tk"] {
            assert_eq!(named(branch), None, "{branch}");
        }
    }

    #[test]
    fn trailers_name_each_task_once_and_what_is_no_id_names_none() {
        let values = ["tk-4f2a9c", " tk-000001 ", "soon", "tk-4f2a9c", "TK-000002"].map(str::to_owned);
        assert_eq!(tasks_of(&values).iter().map(|task| task.as_str()).collect::<Vec<_>>(), ["tk-4f2a9c", "tk-000001"]);
    }
}

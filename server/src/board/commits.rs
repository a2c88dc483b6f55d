//! One bound commit for whoever looks at it: the board's facts, and what git shows of it where this clone has it.
//!
//! Invariant: only a commit that is bound is shown. The board is no window to the rest of a repository.

use super::ServerPort;
use super::assemble::{Reading, told};
use contracts::view::{CommitDetail, DiffView, FileChanged, FileDiff, Hunk};
use contracts::{Code, CommitSha, Hint, Problem};
use git::{GitError, Repository};
use std::sync::Arc;

/// The commit, its tasks, and its change.
pub(super) async fn detail(port: &ServerPort, mut reading: Reading, sha: &CommitSha) -> Result<CommitDetail, Problem> {
    let shown = reading.shows_html();
    let tasks = reading.read.tasks_of_commit(sha.as_str()).await.map_err(told)?;
    let rows = reading.read.card_rows(&tasks).await.map_err(told)?;
    let set = reading.settings.base.clone();
    drop(reading); // git may take its time
    let mut views = rows.iter().flat_map(|row| engine::views::commits(&row.task)).filter(|commit| commit.sha == sha.as_str());
    let Some(commit) = views.next() else { return Err(not_bound(sha)) };
    let counts = commit.counts || views.any(|commit| commit.counts);
    let (in_clone, fetch, diff) = match port.0.base.repository().cloned() {
        None => (false, None, None),
        Some(repository) => {
            let (base, sha) = (port.0.base.clone(), sha.clone());
            let asking = tokio::task::spawn_blocking(move || look(&repository, &sha, || base.chosen(set.as_deref())));
            let found = asking.await.map_err(|fault| Problem::new(Code::Internal, format!("git was not asked: {fault}")))?;
            found.map_err(|fault| Problem::new(Code::GitFailed, "git could not show the commit").detail(fault.to_string()))?
        }
    };
    let html = diff.as_ref().filter(|_| shown).map(app::diff::draw).unwrap_or_default();
    Ok(CommitDetail { commit: contracts::view::CommitView { counts, ..commit }, tasks, in_clone, fetch, diff, html })
}

type Look = (bool, Option<String>, Option<DiffView>);

fn look(repository: &Arc<Repository>, sha: &CommitSha, base: impl FnOnce() -> Option<String>) -> Result<Look, GitError> {
    let submodules = repository.submodules();
    for place in std::iter::once(repository.as_ref()).chain(&submodules) {
        if place.tip(sha.as_str())?.is_none() {
            continue;
        }
        let diff = place.diff(sha.as_str())?;
        let files = diff.files().into_iter().map(file).collect();
        return Ok((true, None, Some(DiffView { files, truncated: diff.truncated })));
    }
    let remote = match base() {
        Some(base) => repository.remote_of(&base)?,
        None => None,
    };
    Ok((false, remote.map(|remote| format!("git fetch {remote}")), None))
}

fn file(file: git::FileDiff) -> FileDiff {
    let what = match file.what {
        git::FileChanged::Added => FileChanged::Added,
        git::FileChanged::Deleted => FileChanged::Deleted,
        git::FileChanged::Renamed => FileChanged::Renamed,
        git::FileChanged::Copied => FileChanged::Copied,
        git::FileChanged::Modified => FileChanged::Modified,
    };
    let hunk = |hunk: git::Hunk| Hunk { old: hunk.old, new: hunk.new, heading: hunk.heading, lines: hunk.lines };
    FileDiff { path: file.path, from: file.from, what, binary: file.binary, modes: file.modes, hunks: file.hunks.into_iter().map(hunk).collect() }
}

fn not_bound(sha: &CommitSha) -> Problem {
    Problem::new(Code::NotFound, format!("no task on this board has the commit {sha}"))
        .hint(Hint::text(format!("if it is evidence for a task, bind it: callboard bind {sha} --task ID")))
}

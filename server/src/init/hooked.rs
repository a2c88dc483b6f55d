//! Git's hooks: ours beside whatever a repository has, and away again.

use super::{Did, Step};
use contracts::{Code, Problem};
use git::hooks::{Hook, HookReport, Hooks, Kept, Mode, Wiring};
use git::{GitError, Repository};
use std::path::Path;

/// The six, and how git calls each.
const HOOKS: [Hook; 6] = [
    Hook { name: "prepare-commit-msg", input: false, may_refuse: true },
    Hook { name: "commit-msg", input: false, may_refuse: false },
    Hook { name: "post-commit", input: false, may_refuse: false },
    Hook { name: "post-rewrite", input: true, may_refuse: false },
    Hook { name: "post-checkout", input: false, may_refuse: false },
    Hook { name: "post-merge", input: false, may_refuse: false },
];

/// What is installed.
pub const OURS: Hooks<'static> = Hooks { owner: "callboard", hooks: &HOOKS, words: "hook git", seconds_max: 5 };

/// The submodules that are part of this project: those without a board of their own.
pub fn submodules(repository: &Repository, root: &Path) -> Vec<Repository> {
    let ours = |inner: &Repository| Repository::find(inner.directory(), None).is_ok_and(|place| place.root == root);
    repository.submodules().into_iter().filter(ours).collect()
}

/// Wires the six to this program, or mends them, here and in the project's submodules.
///
/// # Errors
/// `git_failed` when the repository itself can't be wired.
pub fn connect(repository: &Repository, root: &Path, binary: &Path, mode: Mode) -> Result<Vec<Step>, Problem> {
    let mut steps = connect_one(repository, binary, mode)?;
    for inner in submodules(repository, root) {
        let name = name(&inner, root);
        match connect_one(&inner, binary, mode) {
            Ok(inside) => steps.extend(inside.into_iter().map(|step| Step { what: format!("{} in {name}", step.what), ..step })),
            Err(problem) => steps.push(Step::new(format!("git hooks in {name}"), Did::Kept).note(problem.title)),
        }
    }
    Ok(steps)
}

/// How a submodule is told: its folder from the root.
pub fn name(inner: &Repository, root: &Path) -> String {
    inner.directory().strip_prefix(root).unwrap_or(inner.directory()).display().to_string()
}

fn connect_one(repository: &Repository, binary: &Path, mode: Mode) -> Result<Vec<Step>, Problem> {
    let before = OURS.status(repository).map_err(failed)?;
    let after = OURS.install(repository, binary, mode).map_err(failed)?;
    let (kept, wired): (Vec<&HookReport>, Vec<&HookReport>) = after.iter().partition(|report| matches!(report.wiring, Wiring::Kept { .. }));
    let mut steps: Vec<Step> = Vec::new();
    if !wired.is_empty() {
        let same = wired.iter().all(|report| before.contains(report));
        let had_some = before.iter().any(|report| report.wiring != Wiring::Absent);
        let did = match (same, had_some) {
            (true, _) => Did::Already,
            (false, true) => Did::Repaired,
            (false, false) => Did::Created,
        };
        let chained = wired.iter().filter(|report| matches!(report.wiring, Wiring::Chained(_))).map(|report| report.name).collect::<Vec<_>>();
        let step = Step::new(format!("{} git hooks", wired.len()), did);
        steps.push(match chained.as_slice() {
            [] => step,
            names => step.note(format!("your own {} runs after ours, with its own exit status", names.join(", "))),
        });
    }
    steps.extend(kept.into_iter().filter_map(said));
    Ok(steps)
}

/// Takes the six away, and puts back what was there, here and in the project's submodules.
///
/// # Errors
/// `git_failed` when git or a file refuses.
pub fn disconnect(repository: &Repository, root: &Path) -> Result<Step, Problem> {
    let step = disconnect_one(repository)?;
    for inner in submodules(repository, root) {
        disconnect_one(&inner)?;
    }
    Ok(step)
}

fn disconnect_one(repository: &Repository) -> Result<Step, Problem> {
    let before = OURS.status(repository).map_err(failed)?;
    OURS.remove(repository).map_err(failed)?;
    let any = before.iter().any(|report| !matches!(report.wiring, Wiring::Absent | Wiring::Kept { .. }));
    Ok(Step::new("git hooks", if any { Did::Removed } else { Did::Already }).note(if any { "yours are as they were" } else { "ours are not there" }))
}

/// Why a hook was left alone, and the line that would do it.
fn said(report: &HookReport) -> Option<Step> {
    let Wiring::Kept { why, line, .. } = &report.wiring else { return None };
    Some(Step::new(format!("git hook {}", report.name), Did::Kept).note(format!("{}: {line}", why_kept(*why))))
}

/// Why a hook was left alone, and what the line beside it is.
pub fn why_kept(why: Kept) -> &'static str {
    match why {
        Kept::Tracked => "hooks are in the tree; --hooks=tracked puts in",
        Kept::Outside => "core.hooksPath leads outside of this repository; there it would be",
        Kept::NoShell => "it is not for a shell; it could call",
        Kept::ChainedTaken => "both it and its .chained are somebody's; --hooks=tracked puts in",
    }
}

fn failed(fault: GitError) -> Problem {
    Problem::new(Code::GitFailed, fault.to_string())
}

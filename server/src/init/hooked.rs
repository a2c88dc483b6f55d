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

/// Wires the six to this program, or mends them.
pub fn connect(repository: &Repository, binary: &Path, mode: Mode) -> Result<Vec<Step>, Problem> {
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

/// Takes the six away, and puts back what was there.
pub fn disconnect(repository: &Repository) -> Result<Step, Problem> {
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

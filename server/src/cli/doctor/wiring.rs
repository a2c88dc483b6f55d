//! The program clients start, git's hooks with a real commit, and what agent clients are given.

use super::Finding;
use crate::boot;
use crate::init::status::{self, INIT};
use crate::init::{hooked, trees};
use contracts::settings::{Wiring, WiringRow};
use git::Repository;
use git::hooks::HooksPlace;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether clients that start `callboard` get this program.
pub(super) fn program(binary: &Path) -> Finding {
    const WHAT: &str = "program";
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join("callboard")).find(|path| path.is_file());
    let folder = binary.parent().unwrap_or(binary).display();
    let mend = format!("export PATH=\"{folder}:$PATH\"");
    match found {
        None => Finding::bad(WHAT, "callboard is not on PATH, so no client can start it by its name", mend),
        Some(path) if real(&path) != real(binary) => Finding::bad(WHAT, "the callboard on PATH is another program than this one", mend),
        Some(_) => Finding::good(WHAT, "callboard on PATH is this program"),
    }
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// How the hooks are wired, here and in the project's submodules, and whether a real commit calls them.
pub(super) fn hooks(repository: &Repository, root: &Path, binary: &Path) -> Vec<Finding> {
    const WHAT: &str = "git hooks";
    let rows = match status::hooks(repository, binary) {
        Ok(rows) => rows,
        Err(fault) => return vec![Finding::bad(WHAT, fault.to_string(), INIT)],
    };
    let mut findings = grouped(WHAT, &rows);
    if findings.is_empty() {
        findings.push(Finding::good(WHAT, format!("{} are wired to this program", rows.len())));
    }
    if rows.iter().all(|row| !matches!(row.wiring, Wiring::Missing | Wiring::Kept | Wiring::Dead)) {
        findings.push(real_commit(repository));
    }
    for inner in hooked::submodules(repository, root) {
        let what = format!("hooks in {}", hooked::name(&inner, root));
        findings.extend(match status::hooks(&inner, binary) {
            Ok(rows) => grouped(&what, &rows),
            Err(fault) => vec![Finding::bad(what, fault.to_string(), INIT)],
        });
    }
    findings
}

/// Faults of one kind are one line.
fn grouped(what: &str, rows: &[WiringRow]) -> Vec<Finding> {
    let mut kinds: Vec<(&WiringRow, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.wiring.is_good()) {
        match kinds.iter_mut().find(|(kind, _)| (kind.wiring, &kind.said, &kind.mend) == (row.wiring, &row.said, &row.mend)) {
            Some((_, names)) => names.push(&row.what),
            None => kinds.push((row, vec![&row.what])),
        }
    }
    let line = |(kind, names): (&WiringRow, Vec<&str>)| {
        let said = [kind.wiring.words(), &kind.said].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        let by_hand = if kind.line.is_empty() { String::new() } else { format!(" {}", kind.line) };
        let after = if kind.wiring == Wiring::Missing { "; commits are still found when a task is closed" } else { "" };
        Finding::bad(what, format!("{} {said}{by_hand}{after}", names.join(", ")), kind.mend.clone())
    };
    kinds.into_iter().map(line).collect()
}

/// Hooks that stand only in the main checkout are in no linked worktree.
fn real_commit(repository: &Repository) -> Finding {
    const WHAT: &str = "real commit";
    if matches!(repository.head(), Ok(None)) {
        return Finding::good(WHAT, "it is tried once there is a first commit");
    }
    let tree = match hooked::OURS.place(repository) {
        Ok(HooksPlace::Tree(folder)) => Some(folder),
        _ => None,
    };
    let called = match probe(repository, tree.as_deref()) {
        Ok(called) => called,
        Err(fault) => return Finding::bad(WHAT, format!("it could not be tried: {fault}"), "git commit in this repository, to see why"),
    };
    let expected = ["prepare-commit-msg", "commit-msg", "post-commit"];
    let missing: Vec<&str> = expected.into_iter().filter(|name| !called.iter().any(|called| called == name)).collect();
    if missing.is_empty() {
        return Finding::good(WHAT, "a commit in a linked worktree calls the hooks");
    }
    let said = format!("a commit in a linked worktree does not call {}", missing.join(", "));
    match tree {
        Some(folder) if folder.ends_with(".husky") => {
            Finding::good(WHAT, "a linked worktree calls the hooks once husky is installed in it; until then its commits are found when a task is closed")
        }
        Some(folder) => {
            let folder = folder.strip_prefix(repository.directory()).unwrap_or(&folder).display().to_string();
            let said = format!("{said}: it has what is committed of {folder}; its commits are found when a task is closed");
            Finding::bad(WHAT, said, format!("git add '{folder}' && git commit -m 'Hooks of Callboard' -- '{folder}'"))
        }
        None => Finding::bad(WHAT, said, INIT),
    }
}

/// Which hooks a commit in a throw-away worktree calls.
fn probe(repository: &Repository, hooks: Option<&Path>) -> Result<Vec<String>, String> {
    let folder = std::env::temp_dir().join(format!("callboard-doctor-{:016x}", boot::random_bits() >> 64));
    let called = folder.join("called");
    fs::create_dir_all(&called).map_err(|fault| fault.kind().to_string())?;
    let probed = repository.probe_hooks(&folder.join("tree"), hooks, boot::PROBE, &called);
    let names = fs::read_dir(&called).map(|found| found.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect());
    let _ = fs::remove_dir_all(&folder); // it is in the system's temporary folder
    probed.map_err(|fault| fault.to_string())?;
    names.map_err(|fault| fault.kind().to_string())
}

/// What agent clients are given, here and in worktrees made for a task.
pub(super) fn clients(root: &Path, directory: &Path, repository: Option<&Repository>, binary: &Path) -> Vec<Finding> {
    let rows = status::clients(root, directory, repository, binary);
    let line = |row: &WiringRow| {
        let more = if row.said.is_empty() { String::new() } else { format!(": {}", row.said) };
        let said = format!("{} {}{more}", row.place, row.wiring.words());
        if row.wiring.is_good() { Finding::good(row.what.clone(), said) } else { Finding::bad(row.what.clone(), said, row.mend.clone()) }
    };
    let mut findings: Vec<Finding> = rows.iter().map(line).collect();
    let without = repository.filter(|_| rows.first().is_some_and(|row| row.wiring.is_good())).map(|found| trees::unconnected(found, binary));
    if let Some(names) = without.filter(|names| !names.is_empty()) {
        findings.push(Finding::bad("worktrees", format!("the client does not call us in {}", names.join(", ")), INIT));
    }
    findings
}

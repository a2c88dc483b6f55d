//! The client's entries in linked worktrees that were made for a task: each is a folder of its own, and does not see the main one's file.

use super::settings::{FILE, is_empty, status, with, without};
use super::{Did, Step, undo, unwritable, write};
use crate::evidence::task_in;
use contracts::Problem;
use git::Repository;
use std::path::{Path, PathBuf};

/// The same entries for a linked worktree, which does not see the main one's file.
///
/// # Errors
/// When the file can't be written.
pub fn connect_one(worktree: &Path, binary: &Path) -> Result<bool, Problem> {
    let path = worktree.join(FILE);
    let found = undo::text(&path, FILE)?;
    let Ok(before) = without(found.as_deref().unwrap_or("{}\n")) else { return Ok(false) };
    let Ok(after) = with(&before, binary) else { return Ok(false) };
    if found.as_deref() != Some(after.as_str()) {
        std::fs::create_dir_all(worktree.join(".claude")).map_err(|fault| unwritable(FILE, &fault))?;
        write(&path, &after).map_err(|fault| unwritable(FILE, &fault))?;
    }
    Ok(true)
}

/// The linked worktrees that were made for a task.
fn trees(repository: &Repository) -> impl Iterator<Item = PathBuf> {
    let named = |path: &Path| path.file_name().and_then(|name| name.to_str()).and_then(task_in).is_some();
    let trees = repository.worktrees().unwrap_or_default().into_iter().skip(1).filter(|tree| tree.path.is_dir());
    trees.filter(move |tree| named(&tree.path) || tree.branch.as_deref().and_then(task_in).is_some()).map(|tree| tree.path)
}

/// The same entries in every linked worktree that was made for a task; says how many were mended.
///
/// # Errors
/// When one can't be written.
pub fn connect(repository: &Repository, binary: &Path) -> Result<Option<Step>, Problem> {
    let mut mended = 0;
    for tree in trees(repository).filter(|tree| !status(tree, None, binary).wiring.is_good()) {
        mended += usize::from(connect_one(&tree, binary)?);
    }
    Ok((mended > 0).then(|| Step::new(format!("{FILE} in {mended} worktrees"), Did::Repaired)))
}

/// Names of linked worktrees for a task whose client does not call us.
pub fn unconnected(repository: &Repository, binary: &Path) -> Vec<String> {
    let without = trees(repository).filter(|tree| !status(tree, None, binary).wiring.is_good());
    without.filter_map(|tree| Some(tree.file_name()?.to_string_lossy().into_owned())).collect()
}

/// Takes our entries out of every linked worktree that got them.
pub fn disconnect(repository: &Repository) {
    for tree in repository.worktrees().unwrap_or_default().into_iter().skip(1) {
        let path = tree.path.join(FILE);
        let Ok(Some(text)) = undo::text(&path, FILE) else { continue };
        let Ok(before) = without(&text) else { continue };
        // A worktree is a copy of ours: what can't be written there is told by nobody.
        if before != text && is_empty(&before) {
            let _ = std::fs::remove_file(&path).and_then(|()| std::fs::remove_dir(tree.path.join(".claude")));
        } else if before != text {
            let _ = write(&path, &before);
        }
    }
}

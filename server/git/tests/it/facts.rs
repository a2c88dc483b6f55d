//! What is known of one commit, and of a worktree in the middle of something.

use std::fs;

use git::{FileChange, InProgress};

use crate::support::{folder, run, try_run};

fn change(path: &str, added: u64, deleted: u64) -> FileChange {
    FileChange { path: path.to_owned(), added: Some(added), deleted: Some(deleted) }
}

#[test]
fn everything_about_a_commit_comes_from_git() {
    let t = folder!();
    let repo = t.repo("app");
    let first = repo.ours().commit_facts("HEAD", "Task").unwrap();
    assert_eq!((first.parents.len(), first.files.as_slice(), first.empty), (0, [change("a.txt", 1, 0)].as_slice(), false));
    repo.git(&["checkout", "-q", "-b", "task/tk-4f2a9c-x"]);
    let sha = repo.commit("fix: two\nlines\n\nwhy\n\nSigned-off-by: B <b@c>\ntask: tk-4f2a9c\nTask: tk-000001", &[("a.txt", "a\nb\n"), ("ü b.txt", "1\n2\n")]);
    let facts = repo.ours().commit_facts("HEAD", "Task").unwrap();
    assert_eq!((&facts.sha, facts.parents.as_slice()), (&sha, [first.sha.clone()].as_slice()));
    assert_eq!((facts.subject.as_str(), facts.author.as_str()), ("fix: two lines", "Ada <ada@example.org>"));
    assert_eq!((facts.authored_at.as_str(), facts.committed_at.as_str()), ("2026-05-01T09:00:00+02:00", "2026-05-01T09:00:00+02:00"));
    assert_eq!(facts.branch.as_deref(), Some("task/tk-4f2a9c-x"));
    assert_eq!(facts.files, [change("a.txt", 1, 0), change("ü b.txt", 2, 0)]);
    assert_eq!(facts.trailers, ["tk-4f2a9c", "tk-000001"], "the key in any case");
    assert!(facts.message.starts_with("fix: two\nlines\n\nwhy\n\nSigned") && facts.message.ends_with("tk-000001"), "{}", facts.message);
}

#[test]
fn renames_binaries_and_modes_are_told_apart() {
    let t = folder!();
    let repo = t.repo("app");
    repo.commit("base", &[("old.txt", &"line\n".repeat(20)), ("bin", "x\0y")]);
    repo.git(&["mv", "old.txt", "new\tname.txt"]);
    repo.git(&["update-index", "--chmod=+x", "a.txt"]);
    fs::write(repo.at("bin"), b"z\0\xff").unwrap();
    repo.git(&["add", "bin"]);
    repo.git(&["commit", "-q", "-m", "change"]);
    let facts = repo.ours().commit_facts("HEAD", "Task").unwrap();
    let binary = FileChange { path: "bin".to_owned(), added: None, deleted: None };
    assert_eq!(facts.files, [change("a.txt", 0, 0), binary, change("new\tname.txt", 0, 0)]);
    assert!(facts.patch.is_some() && !facts.empty);
}

#[test]
fn merges_and_empty_commits_are_known_as_such() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.commit("side", &[("b.txt", "b\n")]);
    repo.git(&["checkout", "-q", "main"]);
    repo.commit("nothing", &[]);
    let empty = repo.ours().commit_facts("HEAD", "Task").unwrap();
    assert_eq!((empty.empty, empty.patch), (true, None));
    repo.git(&["merge", "-q", "--no-edit", "side"]);
    let merge = repo.ours().commit_facts("HEAD", "Task").unwrap();
    assert_eq!((merge.parents.len(), merge.empty, merge.files.len(), merge.patch), (2, false, 0, None));
}

#[test]
fn the_same_change_has_the_same_patch_on_another_parent() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["checkout", "-q", "-b", "side"]);
    let one = repo.commit("one", &[("b.txt", "b\n")]);
    repo.git(&["checkout", "-q", "main"]);
    repo.commit("other", &[("c.txt", "c\n")]);
    repo.git(&["cherry-pick", &one]);
    let ours = repo.ours();
    let (one, two) = (ours.commit_facts(&one, "Task").unwrap(), ours.commit_facts("HEAD", "Task").unwrap());
    assert_ne!(one.sha, two.sha);
    assert_eq!(one.patch, two.patch);
    assert!(one.patch.is_some());
}

#[test]
fn no_branch_when_detached_and_no_commit_before_the_first() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["checkout", "-q", "--detach"]);
    assert_eq!(repo.ours().commit_facts("HEAD", "Task").unwrap().branch, None);
    let unborn = t.empty("unborn").ours();
    assert!(unborn.commit_facts("HEAD", "Task").is_err());
    assert_eq!(unborn.branch().unwrap().as_deref(), Some("main"));
    assert!(repo.ours().commit_facts("--all", "Task").is_err(), "a name is never an option");
    assert!(repo.ours().commit_facts("HEAD", "Task,only").is_err());
}

#[test]
fn a_long_subject_is_cut_and_configuration_changes_nothing() {
    let t = folder!();
    let repo = t.repo("app");
    for (key, value) in [("log.showSignature", "true"), ("diff.noprefix", "true"), ("color.ui", "always"), ("diff.external", "false"), ("log.date", "raw")] {
        repo.git(&["config", key, value]);
    }
    repo.commit(&"ä".repeat(300), &[("b.txt", "b\n")]);
    let facts = repo.ours().commit_facts("HEAD", "Task").unwrap();
    assert_eq!(facts.subject.chars().count(), git::SUBJECT_CHARS_MAX);
    assert_eq!(facts.files, [change("b.txt", 1, 0)]);
}

#[test]
fn what_is_in_progress_is_seen_in_its_own_worktree() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["checkout", "-q", "-b", "side"]);
    let side = repo.commit("side", &[("a.txt", "side\n")]);
    repo.git(&["format-patch", "-q", "-1", "-o", ".."]);
    repo.git(&["checkout", "-q", "main"]);
    repo.commit("main", &[("a.txt", "main\n")]);
    assert_eq!(repo.ours().in_progress(), None);
    let stopped = |args: &[&str], kind| {
        assert!(!try_run(&repo.path, args).status.success(), "{args:?} was to stop");
        assert_eq!(repo.ours().in_progress(), Some(kind));
        assert!(!repo.ours().is_clean().unwrap());
    };
    stopped(&["merge", "side"], InProgress::Merge);
    repo.git(&["merge", "--abort"]);
    stopped(&["cherry-pick", &side], InProgress::CherryPick);
    repo.git(&["cherry-pick", "--abort"]);
    stopped(&["revert", "HEAD~1"], InProgress::Revert);
    repo.git(&["revert", "--abort"]);
    stopped(&["am", "../0001-side.patch"], InProgress::Am);
    repo.git(&["am", "--abort"]);
    stopped(&["rebase", "side"], InProgress::Rebase);
    run(&repo.path, &["worktree", "add", "-q", "../linked", "side"]);
    let linked = git::Repository::find(&t.path.join("linked"), None).unwrap().here().unwrap();
    assert_eq!(linked.in_progress(), None);
    repo.git(&["rebase", "--abort"]);
    stopped(&["rebase", "--apply", "side"], InProgress::Rebase);
}

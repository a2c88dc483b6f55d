//! Worktrees, and what would be lost with them.

use std::fs;
use std::path::Path;

use git::{Added, Repository, Uncommitted};

use crate::support::{Repo, folder, run};

fn at(path: &Path) -> Repository {
    Repository::find(path, None).unwrap().here().unwrap()
}

#[test]
fn a_worktree_is_created_then_reused_then_attached() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    let tree = Path::new(".callboard/trees/tk-4f2a9c");
    let add = || ours.worktree_add(tree, "task/tk-4f2a9c-x", "main");
    assert_eq!(add().unwrap(), Added::Created);
    assert_eq!(at(&repo.at(".callboard/trees/tk-4f2a9c")).branch().unwrap().as_deref(), Some("task/tk-4f2a9c-x"));
    assert_eq!(add().unwrap(), Added::Reused);
    ours.worktree_remove(&repo.path.join(tree)).unwrap();
    assert_eq!(add().unwrap(), Added::Attached);
    fs::remove_dir_all(repo.path.join(tree)).unwrap();
    assert_eq!(add().unwrap(), Added::Attached, "the directory was deleted by hand");
    assert_eq!(ours.worktrees().unwrap().len(), 2);
}

#[test]
fn many_at_once_get_their_worktrees_and_whoever_lists_them_meanwhile_sees_no_half_of_one() {
    let t = folder!();
    let repo = t.repo("app");
    let before = std::fs::read_dir(repo.at(".git")).unwrap().count();
    std::thread::scope(|all| {
        for worker in 0..6 {
            let repo = &repo;
            all.spawn(move || {
                for task in 0..4 {
                    let name = format!("w{worker}-{task}");
                    assert_eq!(repo.ours().worktree_add(Path::new(&format!("../trees/{name}")), &name, "main").unwrap(), Added::Created);
                    assert!(repo.ours().worktrees().unwrap().iter().any(|tree| tree.branch.as_deref() == Some(&name)));
                    if task == 3 {
                        repo.ours().worktree_remove(&repo.path.join(format!("../trees/{name}"))).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(repo.ours().worktrees().unwrap().len(), 1 + 6 * 3);
    assert_eq!(std::fs::read_dir(repo.at(".git")).unwrap().count(), before + 1, "nothing is left but git's own folder of worktrees");
}

#[test]
fn a_place_that_is_taken_is_refused_and_untouched() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    ours.worktree_add("../one".as_ref(), "one", "main").unwrap();
    let refused = |path: &str, branch: &str| ours.worktree_add(path.as_ref(), branch, "main").unwrap_err().to_string();
    assert!(refused("../one", "two").contains("the directory is on one"));
    assert!(refused("../else", "one").contains("checked out in another worktree"));
    repo.write("../full/file", "mine");
    assert!(refused("../full", "three").contains("something else"));
    assert_eq!(fs::read_to_string(t.path.join("full/file")).unwrap(), "mine");
    assert_eq!(at(&t.path.join("one")).branch().unwrap().as_deref(), Some("one"));
    assert!(ours.tip("two").unwrap().is_none() && ours.tip("three").unwrap().is_none());
    assert!(ours.worktree_add("../x".as_ref(), "-x", "main").is_err());
    assert!(ours.worktree_add("../x".as_ref(), "x", "missing").is_err());
}

#[test]
fn a_new_branch_follows_nothing_and_one_that_a_remote_has_is_taken_up() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["branch", "task/known"]);
    run(&t.path, &["clone", "-q", "app", "copy"]);
    let copy = Repo { path: t.path.join("copy") };
    let ours = copy.ours();
    assert_eq!(ours.worktree_add("../new".as_ref(), "task/new", "origin/main").unwrap(), Added::Created);
    assert_eq!(ours.unpushed_of("task/new").unwrap(), None);
    assert_eq!(ours.worktree_add("../known".as_ref(), "task/known", "origin/main").unwrap(), Added::Attached);
    assert_eq!(ours.unpushed_of("task/known").unwrap(), Some(0));
}

#[test]
fn every_worktree_is_listed_as_it_stands() {
    let t = folder!();
    let repo = t.repo("ä pp");
    repo.git(&["worktree", "add", "-q", "../one two", "-b", "one"]);
    repo.git(&["worktree", "add", "-q", "--detach", "../detached"]);
    repo.git(&["worktree", "lock", "--reason", "a\nb", "../detached"]);
    fs::remove_dir_all(t.path.join("one two")).unwrap();
    let listed = repo.ours().worktrees().unwrap();
    let seen: Vec<_> = listed.iter().map(|tree| (tree.path.clone(), tree.branch.as_deref(), tree.locked, tree.prunable)).collect();
    assert_eq!(seen[0], (repo.path.clone(), Some("main"), false, false));
    assert!(seen.contains(&(t.path.join("one two"), Some("one"), false, true)), "{seen:?}");
    assert!(seen.contains(&(t.path.join("detached"), None, true, false)), "{seen:?}");
    assert_eq!(listed[0].head, repo.ours().head().unwrap());
    let unborn = t.empty("unborn").ours().worktrees().unwrap();
    assert_eq!((unborn[0].head.clone(), unborn[0].branch.as_deref()), (None, Some("main")));
}

#[test]
fn what_is_not_committed_is_named_and_keeps_its_worktree() {
    let t = folder!();
    let repo = t.repo("app");
    repo.commit("ignore", &[(".gitignore", "*.log\n"), ("old name", "text\n")]);
    let ours = repo.ours();
    ours.worktree_add("../one".as_ref(), "one", "main").unwrap();
    let one = Repo { path: t.path.join("one") };
    one.write("x.log", "");
    assert!(one.ours().is_clean().unwrap(), "ignored files do not count");
    one.git(&["mv", "old name", "new ü"]);
    one.write("a.txt", "changed\n");
    one.write("folder/new", "");
    let file = |path: &str, untracked| Uncommitted { path: path.to_owned(), untracked };
    assert_eq!(one.ours().uncommitted().unwrap(), [file("a.txt", false), file("new ü", false), file("folder/", true)]);
    assert!(!one.ours().is_clean().unwrap());
    assert!(ours.worktree_remove(&one.path).is_err());
    assert!(one.at("folder/new").exists());
}

#[test]
fn a_branch_is_deleted_only_where_it_was_seen() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["branch", "gone"]);
    let ours = repo.ours();
    let tip = ours.tip("gone").unwrap().unwrap();
    assert!(ours.delete_branch("gone", &"1".repeat(40)).is_err());
    ours.delete_branch("gone", &tip).unwrap();
    assert_eq!(ours.tip("gone").unwrap(), None);
    assert!(ours.delete_branch("main", &tip).is_err(), "a worktree is on it");
}

//! Questions about many commits.

use crate::support::{folder, run};

#[test]
fn a_branch_has_the_commits_its_base_lacks() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["checkout", "-q", "-b", "side"]);
    let one = repo.commit("one", &[("b", "1")]);
    let two = repo.commit("two", &[("b", "2")]);
    let ours = repo.ours();
    assert_eq!(ours.commits_between("main", "side").unwrap(), [one, two]);
    assert!(ours.commits_between("side", "main").unwrap().is_empty());
    assert!(ours.commits_between("main", "missing").is_err());
}

#[test]
fn commits_are_found_by_their_trailer_wherever_they_are() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    repo.git(&["checkout", "-q", "-b", "side"]);
    let named = repo.commit("one\n\nTask: tk-4f2a9c", &[("b", "1")]);
    repo.commit("about tk-4f2a9c\n\nTask: tk-4f2a9c is in prose\nand so on", &[("b", "2")]);
    repo.commit("other\n\nTask: tk-4f2a9cd", &[("b", "3")]);
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(ours.commits_with_trailer("Task", "tk-4f2a9c", None).unwrap(), std::slice::from_ref(&named));
    assert_eq!(ours.commits_with_trailer("Task", "tk-4f2a9c", Some("2026-04-01T00:00:00Z")).unwrap(), [named]);
    assert!(ours.commits_with_trailer("Task", "tk-4f2a9c", Some("2026-06-01T00:00:00Z")).unwrap().is_empty());
    assert!(ours.commits_with_trailer("Task", "tk-ffffff", None).unwrap().is_empty());
    assert!(t.empty("unborn").ours().commits_with_trailer("Task", "tk-4f2a9c", None).unwrap().is_empty());
}

#[test]
fn a_commit_is_reachable_while_a_branch_or_a_worktree_has_it() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    let lost = repo.commit("lost", &[("b", "1")]);
    assert!(ours.is_reachable(&lost).unwrap());
    repo.git(&["worktree", "add", "-q", "--detach", "../linked"]);
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert!(ours.is_reachable(&lost).unwrap(), "a detached worktree is at it");
    repo.git(&["worktree", "remove", "../linked"]);
    assert!(!ours.is_reachable(&lost).unwrap());
    assert!(!ours.is_reachable(&"1".repeat(40)).unwrap(), "it was never here");
}

#[test]
fn unpushed_is_what_the_upstream_lacks_and_nothing_without_one() {
    let t = folder!();
    let repo = t.repo("app");
    assert_eq!(repo.ours().unpushed().unwrap(), None);
    run(&t.path, &["clone", "-q", "app", "copy"]);
    let copy = crate::support::Repo { path: t.path.join("copy") };
    assert_eq!(copy.ours().unpushed().unwrap(), Some(0));
    copy.commit("more", &[("b", "1")]);
    assert_eq!(copy.ours().unpushed().unwrap(), Some(1));
    copy.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(copy.ours().unpushed().unwrap(), None);
    copy.git(&["checkout", "-q", "--detach"]);
    assert_eq!(copy.ours().unpushed().unwrap(), None);
}

#[test]
fn merged_means_the_commits_or_their_changes_are_in_the_base() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    repo.git(&["checkout", "-q", "-b", "side"]);
    assert!(ours.merged_into("main", "side").unwrap(), "a branch without commits has nothing to lose");
    let one = repo.commit("one", &[("b", "1\n")]);
    assert!(!ours.merged_into("main", "side").unwrap());
    repo.git(&["checkout", "-q", "main"]);
    repo.commit("other", &[("c", "1\n")]);
    repo.git(&["cherry-pick", &one]);
    assert!(ours.merged_into("main", "side").unwrap(), "by its change");
    repo.git(&["checkout", "-q", "side"]);
    repo.git(&["merge", "-q", "--no-edit", "main"]);
    assert!(!ours.merged_into("main", "side").unwrap(), "a merge of its own is not compared");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--ff-only", "side"]);
    assert!(ours.merged_into("main", "side").unwrap());
    assert!(ours.merged_into("main", "missing").is_err());
}

#[test]
fn a_commit_below_some_paths_takes_nothing_else_and_calls_no_hook() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    crate::support::make_executable(&repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n"));
    let below = [std::path::Path::new("log"), std::path::Path::new("blobs")];
    assert_eq!(ours.commit_below(&below, "log").unwrap(), None, "nothing changed");
    repo.write("log/one", "1\n");
    repo.write("log/deep/two", "2\n");
    repo.write("staged", "mine\n");
    repo.write("a.txt", "changed\n");
    repo.git(&["add", "staged"]);
    std::fs::create_dir(repo.at("blobs")).unwrap();
    let made = ours.commit_below(&below, "log: and a # in it").unwrap().unwrap();
    assert_eq!(repo.git(&["show", "--format=%s", "--name-only", &made]), "log: and a # in it\n\nlog/deep/two\nlog/one");
    assert_eq!(repo.git(&["status", "--porcelain"]), " M a.txt\nA  staged", "as it was");
    std::fs::remove_file(repo.at("log/one")).unwrap();
    assert_eq!(ours.uncommitted_below(&below).unwrap().len(), 1);
    assert!(ours.commit_below(&below, "log").unwrap().is_some(), "a file that is gone is a change");
    assert!(ours.uncommitted_below(&below).unwrap().is_empty());
}

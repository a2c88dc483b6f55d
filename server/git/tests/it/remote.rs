//! What was fetched, and the exclude file.

use std::fs;

use crate::support::{Repo, folder, run};

#[test]
fn the_branches_of_the_remote_that_the_base_follows() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["branch", "task/x"]);
    t.repo("fork");
    run(&t.path, &["clone", "-q", "app", "copy"]);
    let copy = Repo { path: t.path.join("copy") };
    copy.git(&["remote", "add", "fork", "../fork"]);
    copy.git(&["fetch", "-q", "fork"]);
    copy.git(&["branch", "-q", "local"]);
    copy.git(&["branch", "-q", "--track", "follows-local", "local"]);
    let ours = copy.ours();
    let names = |base: &str| -> Vec<String> { ours.remote_tips(base).unwrap().into_iter().map(|tip| tip.name).collect() };
    assert_eq!(names("main"), ["origin/main", "origin/task/x"]);
    assert_eq!(names("origin/main"), ["origin/main", "origin/task/x"]);
    assert_eq!(names("fork/main"), ["fork/main"]);
    for base in ["local", "follows-local", "missing", "origin/missing", "HEAD"] {
        assert!(names(base).is_empty(), "{base}");
    }
    assert_eq!(ours.remote_tips("main").unwrap()[0].sha, repo.ours().head().unwrap().unwrap());
}

#[test]
fn files_are_read_out_of_a_commit_without_checking_it_out() {
    let t = folder!();
    let repo = t.repo("app");
    let long = "x".repeat(200_000);
    repo.commit("log", &[(".callboard/log/a b.jsonl", "one\n"), (".callboard/log/c.jsonl", &long), (".callboard/log/deep/d", ""), (".callboard/x", "")]);
    std::os::unix::fs::symlink("a b.jsonl", repo.at(".callboard/log/link")).unwrap();
    repo.git(&["add", "."]);
    repo.git(&["commit", "-q", "-m", "link"]);
    let ours = repo.ours();
    let trees = ours.folders(&["HEAD", "HEAD", "missing"], ".callboard/log").unwrap();
    assert!(trees[0].is_some() && trees[0] == trees[1] && trees[2].is_none(), "{trees:?}");
    let files = ours.files_of(trees[0].as_deref().unwrap()).unwrap();
    let seen: Vec<_> = files.iter().map(|file| (file.name.as_str(), file.size)).collect();
    assert_eq!(seen, [("a b.jsonl", 4), ("c.jsonl", 200_000)]);
    let missing = "1".repeat(40);
    let blobs = ours.blobs(&[&files[0].blob, &missing, &files[1].blob]).unwrap();
    assert_eq!(blobs, [(files[0].blob.clone(), b"one\n".to_vec()), (files[1].blob.clone(), long.into_bytes())]);
    assert_eq!(ours.folders(&["HEAD", "HEAD"], "nothing").unwrap(), [None, None]);
    assert_eq!(ours.folders(&["HEAD"], "a.txt").unwrap(), [None], "a file is no folder");
    assert!(ours.folders(&[], "x").unwrap().is_empty());
    assert!(ours.files_of("missing").is_err());
    assert!(ours.blobs(&[]).unwrap().is_empty());
}

#[test]
fn a_branch_of_a_fork_is_told_from_one_of_the_bases_remote() {
    let t = folder!();
    t.repo("app").git(&["branch", "task/x"]);
    t.repo("fork").git(&["branch", "theirs"]);
    run(&t.path, &["clone", "-q", "app", "copy"]);
    let copy = Repo { path: t.path.join("copy") };
    copy.git(&["remote", "add", "fork", "../fork"]);
    copy.git(&["fetch", "-q", "fork"]);
    let ours = copy.ours();
    let stranger = |branch: &[&str]| {
        copy.git(&[&["checkout", "-q"], branch].concat());
        ours.follows_a_stranger("main").unwrap()
    };
    assert!(!stranger(&["task/x"]));
    assert!(stranger(&["--track", "fork/theirs"]));
    assert!(!stranger(&["--no-track", "-b", "own"]));
    assert!(!stranger(&["--detach"]));
    assert!(!stranger(&["main"]));
    assert_eq!(ours.followed("main").unwrap().as_deref(), Some("origin/main"));
    assert_eq!(ours.followed("origin/main").unwrap().as_deref(), Some("origin/main"));
    assert_eq!(ours.followed("own").unwrap(), None);
}

#[test]
fn a_fetch_moves_the_stamp_of_the_refs_and_looking_does_not() {
    let t = folder!();
    let repo = t.repo("app");
    run(&t.path, &["clone", "-q", "app", "copy"]);
    let copy = Repo { path: t.path.join("copy") };
    let ours = copy.ours();
    let before = ours.refs_stamp();
    copy.git(&["log", "--oneline", "--all"]);
    assert_eq!(ours.refs_stamp(), before);
    for step in 0..3 {
        let before = ours.refs_stamp();
        repo.commit("more", &[("more", &step.to_string())]);
        copy.git(&["fetch", "-q"]);
        if step == 1 {
            copy.git(&["pack-refs", "--all"]);
        }
        assert_ne!(ours.refs_stamp(), before);
    }
}

#[test]
fn an_excluded_line_is_put_in_once_and_taken_out_to_the_byte() {
    let t = folder!();
    let repo = t.repo("app");
    let file = repo.at(".git/info/exclude");
    repo.git(&["worktree", "add", "-q", "../linked"]);
    let linked = Repo { path: t.path.join("linked") };
    for before in [Some("# mine\n*.tmp\n"), Some("no end"), None] {
        match before {
            Some(text) => drop(repo.write(".git/info/exclude", text)),
            None => fs::remove_file(&file).unwrap(),
        }
        for _ in 0..2 {
            linked.ours().exclude("/.claude/settings.local.json").unwrap();
        }
        assert_eq!(fs::read_to_string(&file).unwrap().matches("/.claude").count(), 1);
        linked.write(".claude/settings.local.json", "");
        assert!(linked.ours().uncommitted().unwrap().is_empty(), "every worktree leaves it out");
        repo.ours().unexclude("/.claude/settings.local.json").unwrap();
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), before);
    }
    repo.ours().unexclude("/never").unwrap();
}

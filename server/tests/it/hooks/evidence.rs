//! What counts: bound once, followed through rewrites, found without hooks, and reached from linked worktrees.

use super::scene::{HOLDER, OTHER, Scene};
use std::fs;

#[test]
fn a_commit_is_bound_once_and_followed_through_rewrites() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    scene.person("git commit --quiet -m One");
    let first = scene.head(&dir);
    assert_eq!(scene.bound(&task), [(first.clone(), true)]);
    scene.person("\"$CB\" hook git post-commit; \"$CB\" bind");
    assert_eq!(scene.bound(&task).len(), 1, "the same commit again is no event");

    scene.person("git commit --quiet --amend -m 'One, better'");
    let second = scene.head(&dir);
    assert_eq!(scene.bound(&task), [(first.clone(), false), (second.clone(), true)]);

    scene.person("git switch --quiet main && git commit --quiet --allow-empty -m Base");
    scene.person(&format!("git switch --quiet {branch} && git rebase --quiet main"));
    let third = scene.head(&dir);
    assert_ne!(third, second);
    assert_eq!(scene.bound(&task), [(first, false), (second, false), (third, true)]);
    scene.stage.ok(&["tasks", "done", &task, "-m", "painted"]);
}

#[test]
fn what_work_is_cut_from_is_what_the_project_says_also_where_no_task_has_it_recorded() {
    let scene = Scene::bare();
    scene.person("\"$CB\" init --no-hooks --no-client && git add -A && git commit --quiet -m Board");
    let dir = scene.dir();
    scene.person("git switch --quiet -c next");
    scene.change(&dir, "of everybody");
    scene.person("git commit --quiet -m Elsewhere && \"$CB\" config set base next");
    let task = scene.stage.add("Paint the buoys", &[]);
    scene.person(&format!("git switch --quiet -c ada/{task}"));
    scene.change(&dir, "of this task");
    scene.person(&format!("git commit --quiet -m Painted && \"$CB\" tasks done {task} -m painted"));
    assert_eq!(scene.bound(&task), [(scene.head(&dir), true)], "what everybody has is nobody's evidence");
}

#[test]
fn a_commit_in_a_submodule_counts_until_it_is_gone_there() {
    let scene = Scene::bare();
    scene.person("git config --global protocol.file.allow always; git init -q ../library && git -C ../library commit -q --allow-empty -m Begin");
    scene.person("git submodule --quiet add ../library library; \"$CB\" init --no-client && git add -A && git commit -qm Board");
    assert!(scene.person("\"$CB\" init --no-client").contains("6 git hooks in library"), "it says where");
    let (task, branch) = scene.task();
    let library = scene.dir().join("library");
    let refused = scene.agent(OTHER, "git commit -q --allow-empty -m 'Nothing is held'", &library);
    assert!(!refused.ok, "{refused:?}");
    scene.change(&library, "1");
    assert!(scene.agent(HOLDER, &format!("git switch -q -c {branch} && git commit -qm Painted"), &library).ok);
    let first = scene.head(&library);
    assert_eq!(scene.trailers(&library), std::slice::from_ref(&task));
    assert_eq!(scene.bound(&task), [(first.clone(), true)]);
    let shown = scene.person(&format!("\"$CB\" tasks commits {task} --diff"));
    assert!(shown.contains("buoys.txt") && !shown.contains("not in this clone"), "{shown}");

    // Rewritten where no hook saw it: what is reachable nowhere counts no more.
    scene.person("cd library && git -c core.hooksPath=/dev/null commit -q --amend -m 'Painted well'");
    scene.person(&format!("\"$CB\" tasks done {task} -m painted"));
    assert_eq!(scene.bound(&task), [(first, false), (scene.head(&library), true)]);
    scene.person("\"$CB\" init --remove");
    assert_eq!(scene.person("ls .git/modules/library/hooks | grep -v sample || true"), "", "its hooks are as they were");
}

#[test]
fn a_commit_that_names_no_task_says_so_to_who_holds_one() {
    let scene = Scene::new();
    let dir = scene.dir();
    scene.change(&dir, "1");
    let quiet = scene.shell("git commit -qm 'Nothing is held'", &dir, &[], "");
    assert_eq!(quiet.stderr, "");

    let id = scene.stage.add("Paint the buoys", &[]);
    scene.stage.ok(&["tasks", "claim", &id]);
    scene.change(&dir, "2");
    let said = scene.shell("git commit -qm 'On main'", &dir, &[], "");
    assert!(said.ok && said.stderr.contains(&format!("callboard bind --task {id}")), "{said:?}");
    let refused = scene.shell(&format!("\"$CB\" tasks done {id}"), &dir, &[], "");
    assert!(refused.stderr.contains(&format!("after callboard bind SHA --task {id}")), "{refused:?}");
    scene.person(&format!("\"$CB\" bind --task {id} && \"$CB\" tasks done {id}"));
}

#[test]
fn without_hooks_the_branch_and_the_trailers_are_found_at_the_end() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    let off = "git -c core.hooksPath=/dev/null";
    let refused = scene.agent(HOLDER, &format!("\"$CB\" tasks done {task} -m 'nothing was painted yet'"), &dir);
    assert!(refused.stderr.contains("no_evidence"), "{refused:?}");
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    scene.person(&format!("{off} commit --quiet -m 'On the branch'"));
    let on_branch = scene.head(&dir);
    scene.person("git switch --quiet main");
    scene.change(&dir, "2");
    scene.person(&format!("{off} commit --quiet -m 'Elsewhere' -m 'Task: {task}'"));
    let named = scene.head(&dir);
    scene.change(&dir, "3");
    scene.person(&format!("{off} commit --quiet -m 'In prose: Task: {task}'"));
    let submitted = scene.agent(HOLDER, &format!("\"$CB\" tasks submit {task} -m 'painted, please look'"), &dir);
    assert!(submitted.ok, "{submitted:?}");
    let mut bound = scene.bound(&task);
    bound.sort();
    let mut wanted = vec![(on_branch, true), (named, true)];
    wanted.sort();
    assert_eq!(bound, wanted);
}

#[test]
fn what_is_gone_is_no_evidence() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    scene.person("git commit --quiet -m One");
    scene.person("git reset --quiet --hard HEAD^ && git reflog expire --expire=now --all");
    let said = scene.agent(HOLDER, &format!("\"$CB\" tasks done {task} -m 'painted, or so I thought'"), &dir);
    assert!(said.stderr.contains("no_evidence"), "{said:?}");
    assert!(scene.bound(&task).iter().all(|(_, counts)| !counts));
}

#[test]
fn a_commit_that_names_another_task_is_not_taken_along() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let other = scene.stage.add("Count the gulls", &[]);
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&scene.dir(), "1");
    scene.person(&format!("git commit --quiet -m Gulls -m 'Task: {other}'"));
    let said = scene.agent(HOLDER, &format!("\"$CB\" tasks done {task} -m 'that was for the gulls'"), &scene.dir());
    assert!(said.stderr.contains("no_evidence"), "{said:?}");
    assert_eq!((scene.bound(&task).len(), scene.bound(&other).len()), (0, 1));
}

#[test]
fn a_linked_worktree_with_a_checked_out_board_reaches_the_one_board() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let tree = scene.dir().parent().unwrap().join("tree");
    scene.person("git add -A && git commit --quiet -m 'The log'");
    scene.person(&format!("git worktree add --quiet {} -b {branch}", tree.display()));
    assert!(tree.join(".callboard").is_dir(), "it was checked out there");
    assert!(tree.join(".claude/settings.local.json").is_file(), "a worktree made for a task has the client's hooks");
    scene.change(&tree, "1");
    let said = scene.agent(HOLDER, "git commit -m Painted", &tree);
    assert!(said.ok, "{said:?}");
    assert_eq!(scene.bound(&task), [(scene.head(&tree), true)]);
    assert!(scene.agent(HOLDER, &format!("\"$CB\" tasks done {task} -m 'painted in a tree of its own'"), &tree).ok);
    assert_eq!(scene.show(&task)["status"], "done");
    assert!(!tree.join(".callboard/state.db").exists(), "no second board");
    let status = scene.shell("git status --porcelain", &tree, &[], "");
    assert_eq!(status.stdout, "", "nothing of ours is in git's sight");
}

#[test]
fn a_checkout_notes_the_holders_place_and_nobody_elses() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    let worktree = || scene.show(&task)["worktree"].clone();
    scene.person(&format!("git branch {branch}"));
    scene.person(&format!("git switch --quiet {branch}"));
    assert!(worktree().is_null(), "a bystander is no holder");
    scene.person("git switch --quiet main");
    assert!(scene.agent(HOLDER, &format!("git switch --quiet {branch}"), &dir).ok);
    let here = fs::canonicalize(&dir).unwrap();
    assert_eq!(worktree().as_str(), here.to_str());
    let tree = dir.parent().unwrap().join("tree");
    assert!(scene.agent(OTHER, &format!("git worktree add --quiet --force {} {branch}", tree.display()), &dir).ok);
    assert_eq!(worktree().as_str(), here.to_str(), "another one's checkout moves nothing");
}

#[test]
fn the_first_branch_that_names_a_task_is_its_branch_and_the_second_is_not() {
    let scene = Scene::new();
    let task = scene.stage.add("Paint the buoys", &[]);
    scene.person(&format!("git switch --quiet -c ada/{task}"));
    assert_eq!(scene.show(&task)["branch"], format!("ada/{task}"));
    scene.person(&format!("git switch --quiet -c other/{task} && git switch --quiet -c tk-000000-unknown"));
    assert_eq!(scene.show(&task)["branch"], format!("ada/{task}"));
    scene.claim(&task, HOLDER);
    assert_eq!(scene.show(&task)["branch"], format!("ada/{task}"), "a claim names no second one");
}

#[test]
fn no_hook_pushes_anything() {
    let scene = Scene::new();
    let (_, branch) = scene.task();
    let remote = scene.dir().parent().unwrap().join("remote.git");
    scene.person(&format!("git init --quiet --bare {} && git remote add origin {} && git push --quiet origin main", remote.display(), remote.display()));
    let refs = || scene.person(&format!("git --git-dir={} for-each-ref", remote.display()));
    let before = refs();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&scene.dir(), "1");
    scene.person("git commit --quiet -m One && git commit --quiet --amend -m Two && git switch --quiet main && git merge --quiet --no-edit -");
    assert_eq!(refs(), before);
}

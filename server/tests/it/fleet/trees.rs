//! Worktrees of tasks: made once, listed, and removed only when nothing would be lost.

use crate::hooks::scene::{HOLDER, Scene};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn add(scene: &Scene, task: &str, actor: &str) -> PathBuf {
    let said = scene.agent(actor, &format!("\"$CB\" worktree add {task}"), &scene.dir());
    assert!(said.ok, "{said:?}");
    PathBuf::from(said.stdout.trim())
}

fn rows(scene: &Scene, args: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["worktree"].iter().chain(args).chain(&["--json"]).copied().collect();
    let list: Value = serde_json::from_str(&scene.stage.ok(&all)).unwrap();
    list["items"].as_array().unwrap().clone()
}

/// A task, its worktree with one commit in it, and the task closed.
fn finished(scene: &Scene, title: &str, file: &str) -> (String, PathBuf) {
    let task = scene.stage.add(title, &[]);
    scene.claim(&task, HOLDER);
    let tree = add(scene, &task, HOLDER);
    fs::write(tree.join(file), title).unwrap();
    assert!(scene.agent(HOLDER, &format!("git add {file} && git commit --quiet -m '{title}'"), &tree).ok);
    scene.stage.ok(&["tasks", "done", &task, "-m", "finished"]);
    (task, tree)
}

#[test]
fn a_worktree_is_made_once_and_the_holders_lease_knows_it() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let tree = add(&scene, &task, HOLDER);
    assert_eq!(tree, fs::canonicalize(scene.dir()).unwrap().join(".callboard/trees").join(&task));
    assert_eq!(scene.show(&task)["worktree"].as_str(), tree.to_str());
    assert_eq!(scene.shell("git branch --show-current", &tree, &[], "").stdout.trim(), branch);
    assert_eq!(add(&scene, &task, HOLDER), tree);
    let listed = rows(&scene, &["list"]);
    assert_eq!((listed.len(), &listed[0]["task"], &listed[0]["holder"]), (1, &json!(task), &json!(HOLDER)));
    assert!(scene.stage.ok(&["worktree", "list"]).contains(".callboard/trees/"));
}

#[test]
fn a_branch_that_is_there_is_attached_and_a_place_that_is_taken_is_left_alone() {
    let scene = Scene::new();
    let task = scene.stage.add("Paint", &[]);
    scene.person(&format!("git branch old/{task} && git switch --quiet old/{task} && git commit --quiet --allow-empty -m Old && git switch --quiet main"));
    let tree = add(&scene, &task, HOLDER);
    assert_eq!(scene.shell("git log -1 --format=%s", &tree, &[], "").stdout.trim(), "Old", "the branch that was first seen is the task's");
    // The directory stands on another branch: git refuses, and nothing moves.
    assert!(scene.shell("git switch --quiet -c elsewhere", &tree, &[], "").ok);
    let refused = scene.stage.run(&["worktree", "add", &task]);
    assert!(refused.exit == 4 && refused.stderr.contains("git_failed") && refused.stderr.contains("elsewhere"), "{}", refused.stderr);
    assert_eq!(scene.shell("git branch --show-current", &tree, &[], "").stdout.trim(), "elsewhere");
    let unknown = scene.stage.run(&["worktree", "add", "tk-000000"]);
    assert!(unknown.exit == 1 && unknown.stderr.contains("not_found"), "{}", unknown.stderr);
}

#[test]
fn tidying_removes_what_is_closed_clean_and_merged_and_says_why_the_rest_stays() {
    let scene = Scene::new();
    let (merged, merged_tree) = finished(&scene, "Merged", "a.txt");
    let (squashed, squashed_tree) = finished(&scene, "Picked", "b.txt");
    let (ahead, ahead_tree) = finished(&scene, "Ahead", "c.txt");
    let (dirty, dirty_tree) = finished(&scene, "Dirty", "d.txt");
    let open = scene.stage.add("Open", &[]);
    let open_tree = add(&scene, &open, HOLDER);
    let branch = |task: &str| scene.show(task)["branch"].as_str().unwrap().to_owned();
    scene.person(&format!("git merge --quiet --no-edit {} {}", branch(&merged), branch(&dirty)));
    scene.person(&format!("git cherry-pick {} >/dev/null 2>&1", branch(&squashed)));
    fs::write(dirty_tree.join("notes.txt"), "mine").unwrap();

    let reasons = |rows: &[Value]| {
        let mut told: Vec<(String, String)> =
            rows.iter().map(|row| (row["task"].as_str().unwrap().to_owned(), row["stays"].as_str().unwrap_or("-").to_owned())).collect();
        told.sort();
        told
    };
    let look = reasons(&rows(&scene, &["tidy"]));
    let mut expected = vec![
        (merged.clone(), "-".to_owned()),
        (squashed.clone(), "-".to_owned()),
        (ahead.clone(), format!("{} has commits that are not in main", branch(&ahead))),
        (dirty.clone(), "not committed: notes.txt".to_owned()),
        (open.clone(), "its task is open".to_owned()),
    ];
    expected.sort();
    assert_eq!(look, expected);
    assert!(merged_tree.is_dir(), "a look removes nothing");

    let done = rows(&scene, &["tidy", "--yes"]);
    assert_eq!(reasons(&done), expected);
    assert_eq!(done.iter().filter(|row| row["removed"] == json!(true)).count(), 2);
    let there = |tree: &Path| tree.is_dir();
    assert_eq!([&merged_tree, &squashed_tree, &ahead_tree, &dirty_tree, &open_tree].map(|tree| there(tree)), [false, false, true, true, true]);
    assert!(scene.person("git branch").contains(&branch(&merged)), "branches stay unless they are asked for");
    fs::remove_file(dirty_tree.join("notes.txt")).unwrap();
    rows(&scene, &["tidy", "--yes", "--branches"]);
    assert!(!dirty_tree.exists() && !scene.person("git branch").contains(&branch(&dirty)));
    assert!(scene.stage.said(&["worktree", "tidy"]).contains("every one of them stays"));
}

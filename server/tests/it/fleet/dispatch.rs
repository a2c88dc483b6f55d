//! Tasks given out: names, places, briefs, and what happens when git refuses.

use crate::hooks::scene::Scene;
use crate::support::server::Server;
use crate::support::session::Session;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn dispatched(scene: &Scene, args: &[&str]) -> Value {
    let all: Vec<&str> = ["dispatch", "--json"].iter().chain(args).copied().collect();
    serde_json::from_str::<Value>(&scene.stage.ok(&all)).unwrap()["data"].clone()
}

/// The short names of who was started.
fn names(data: &Value) -> Vec<String> {
    let name = |started: &Value| started["worker"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    data["started"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn workers_that_still_work_keep_their_names_and_the_next_ones_get_the_next() {
    let scene = Scene::new();
    for title in ["Paint", "Sand", "Set out", "Log", "Report"] {
        scene.stage.add(title, &[]);
    }
    let first = dispatched(&scene, &["--count", "2", "--no-worktrees"]);
    assert_eq!(names(&first), ["w1", "w2"]);
    // One has begun, the other is only meant to: both names are in use.
    let task = first["started"][0]["task"].as_str().unwrap();
    scene.claim(task, "agent:ada/w1");
    assert_eq!(names(&dispatched(&scene, &["--count", "2", "--no-worktrees"])), ["w3", "w4"]);
    assert_eq!(names(&dispatched(&scene, &["--prefix", "api-", "--no-worktrees"])), ["api-1"]);
}

#[tokio::test]
async fn an_agent_dispatches_and_each_worker_finds_its_place_and_closes_from_there() {
    let scene = Scene::new();
    let ids = [scene.stage.add("Paint", &["--files", "buoys.txt"]), scene.stage.add("Repaint", &["--files", "buoys.txt"]), scene.stage.add("Log", &[])];
    let main = Session::stdio(&scene.stage).await;
    let said = main.ok("dispatch", json!({"tasks": [ids[0], ids[1]], "key": "d1"})).await;
    assert_eq!(said.matches("```text").count(), 2, "{said}");
    for part in ["2 workers got a task", "\"actor\":\"agent:ada/w1\"", "never switch branches", "End with exactly one", "Others are in these files"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let again = main.ok("dispatch", json!({"tasks": [ids[0], ids[1]], "key": "d1"})).await;
    assert!(again.contains("already with this key: 2 workers") && again.contains("agent:ada/w2"), "{again}");

    let tree = fs::canonicalize(scene.dir()).unwrap().join(".callboard/trees").join(&ids[0]);
    assert!(tree.join(".claude/settings.local.json").is_file(), "the client's hooks are in it");
    let taken = main.ok("next", json!({"task": ids[0], "actor": "agent:ada/w1"})).await;
    assert!(taken.contains(&format!("Work in {}", tree.display())), "{taken}");
    assert!(taken.contains(&ids[1]), "whoever is about to work on the same file is named before the work begins: {taken}");

    scene.change(&tree, "1");
    assert!(scene.agent("agent:ada/w1", "git commit --quiet -m Painted", &tree).ok);
    let done = main.ok("update", json!({"task": ids[0], "actor": "agent:ada/w1", "status": "done", "comment": "painted in a tree of its own"})).await;
    assert!(done.contains("done"), "{done}");
    let left = main.call("dispatch", json!({"tasks": [ids[0], ids[1]]})).await;
    assert!(left.contains("No worker got a task") && left.contains("(illegal_move)") && left.contains("(assigned)"), "{left}");
    let look = main.ok("dispatch", json!({"dry_run": true})).await;
    assert!(look.contains("Only a look: 1 worker") && !look.contains("```"), "{look}");
    assert!(main.call("dispatch", json!({"count": 13})).await.starts_with("refused (bad_request)"));
    main.end().await;
}

#[test]
fn a_place_that_cannot_be_made_leaves_nobody_with_the_task() {
    let scene = Scene::new();
    let ids = [scene.stage.add("Paint", &[]), scene.stage.add("Log", &[])];
    let trees = scene.dir().join(".callboard/trees");
    fs::create_dir_all(trees.join(&ids[0])).unwrap();
    fs::write(trees.join(&ids[0]).join("mine.txt"), "a person's").unwrap();
    let data = dispatched(&scene, &[&ids[0], &ids[1]]);
    assert_eq!(data["started"].as_array().unwrap().len(), 1, "{data}");
    let left = &data["not_started"][0];
    assert_eq!((left["task"].as_str(), left["code"].as_str()), (Some(&*ids[0]), Some("git_failed")));
    assert!(left["text"].as_str().unwrap().contains("nobody has it again"), "{left}");
    let view = scene.show(&ids[0]);
    assert_eq!((&view["assignee"], &view["standing"]), (&Value::Null, &json!("ready")));
    assert_eq!(fs::read_to_string(trees.join(&ids[0]).join("mine.txt")).unwrap(), "a person's");
}

#[test]
fn a_folder_for_worktrees_inside_the_repository_is_never_committed() {
    let scene = Scene::new();
    scene.stage.ok(&["config", "set", "trees_dir", "workers"]);
    let id = scene.stage.add("Paint", &[]);
    dispatched(&scene, &[&id]);
    assert!(scene.dir().join("workers").join(&id).join(".git").is_file());
    assert_eq!(scene.person("git status --porcelain -- workers"), "");
}

#[test]
fn what_a_server_and_a_dispatch_make_is_never_committed_and_tokens_are_private() {
    let scene = Scene::new();
    for title in ["Paint", "Log"] {
        scene.stage.add(title, &[]);
    }
    let server = Server::of(&scene.stage);
    let data = dispatched(&scene, &[]);
    let tree = data["started"][0]["directory"].as_str().unwrap().to_owned();
    fs::create_dir_all(scene.stage.board().join("work/tk-000000.1")).unwrap();
    fs::write(scene.stage.board().join("work/tk-000000.1/raw.jsonl"), "{}\n").unwrap();
    assert!(scene.stage.board().join("state.db").is_file());
    drop(server);
    scene.person("git add -A && git commit --quiet -m Everything");
    let committed = scene.person("git ls-tree -r --name-only HEAD");
    let ours: Vec<&str> = committed.lines().filter(|path| path.starts_with(".callboard/")).collect();
    let allowed = |path: &&str| [".callboard/.gitignore", ".callboard/.gitattributes"].contains(path) || path.starts_with(".callboard/log/");
    assert!(ours.iter().all(allowed) && ours.len() > 2, "{ours:?}");
    assert!(!committed.contains("settings.local.json"), "{committed}");
    let said = scene.agent("agent:ada/w1", "git add -A && git status --porcelain", std::path::Path::new(&tree));
    assert_eq!(said.stdout, "", "a worktree holds nothing of ours that git sees");
    let tokens: Vec<_> =
        fs::read_dir(scene.stage.board()).unwrap().map(|entry| entry.unwrap()).filter(|entry| entry.file_name().to_string_lossy().contains("token")).collect();
    assert!(!tokens.is_empty());
    for token in tokens {
        assert_eq!(token.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", token.file_name());
    }
}

//! Tasks taken back: who is left alone, and what the next holder learns of what was left.

use crate::hooks::scene::{HOLDER, OTHER, Scene};
use crate::support::session::Session;
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_a_worker_left_is_told_to_whoever_takes_the_task_and_its_worktree_is_not_touched() {
    let scene = Scene::new();
    let (task, _) = scene.task();
    let tree = scene.agent(HOLDER, &format!("\"$CB\" worktree add {task}"), &scene.dir()).stdout.trim().to_owned();
    let tree = std::path::PathBuf::from(tree);
    scene.change(&tree, "1");
    assert!(scene.agent(HOLDER, "git commit --quiet -m Begun", &tree).ok);
    fs::write(tree.join("buoys.txt"), "2").unwrap();
    fs::write(tree.join("notes.txt"), "mine").unwrap();

    let alone = scene.stage.run(&["recover", "--exit-code"]);
    assert!(alone.exit == 3 && alone.stdout.contains(&format!("left alone {task} with {HOLDER}: reported")), "{}", alone.stdout);
    let receipt: Value = serde_json::from_str(&scene.stage.ok(&["recover", &task, "--force", "--json"])).unwrap();
    let freed = &receipt["data"]["freed"][0];
    assert_eq!(
        (&freed["commits"], &freed["leftovers"]["uncommitted"], &freed["leftovers"]["untracked"]),
        (&json!(1), &json!(["buoys.txt"]), &json!(["notes.txt"]))
    );
    assert_eq!(fs::read_to_string(tree.join("buoys.txt")).unwrap(), "2");

    let taken = scene.stage.ok(&["next", "--task", &task, "--actor", OTHER]);
    let flat = taken.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["Left behind: 1 uncommitted (buoys.txt), 1 untracked (notes.txt)", &*format!(".callboard/trees/{task}"), "silent"] {
        assert!(flat.contains(part), "{part}: {taken}");
    }
    // Back from the dead, with the token of before.
    let late = scene.agent(HOLDER, &format!("\"$CB\" tasks done {task} -m 'all of it is done'"), &tree);
    assert!(!late.ok && late.stderr.contains("lease_"), "{late:?}");
}

#[tokio::test]
async fn an_agent_recovers_agents_of_its_own_person_and_no_others() {
    let scene = Scene::new();
    let ids = [scene.stage.add("Paint", &["-p", "0"]), scene.stage.add("Log", &[])];
    scene.claim(&ids[0], HOLDER);
    scene.claim(&ids[1], "agent:bo/x1");
    let main = Session::stdio(&scene.stage).await;
    assert!(main.ok("recover", json!({})).await.contains("Nothing to recover."));
    let look = main.ok("recover", json!({"force": true, "dry_run": true})).await;
    assert!(look.contains("Only a look: 1 task") && look.contains(&ids[0]) && !look.contains(&ids[1]), "{look}");
    let said = main.ok("recover", json!({"force": true})).await;
    assert!(said.contains("Freed 1 task") && said.contains(HOLDER), "{said}");
    let refused = main.call("recover", json!({"tasks": [ids[1]], "force": true})).await;
    assert!(refused.starts_with("refused (forbidden)") && refused.contains("agent:bo/x1"), "{refused}");
    assert!(main.call("recover", json!({"grace_s": -1})).await.starts_with("refused (bad_request)"));
    main.end().await;
}

//! What can't be written waits in `.callboard/pending.jsonl` and is taken over by the next command.

use super::scene::Scene;
use std::fs;

#[test]
fn a_commit_made_while_the_board_is_locked_is_bound_by_the_next_command() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    let said = scene.shell("exec 9>.callboard/run/write.lock; flock 9; git commit --quiet -m Painted", &dir, &[], "");
    assert!(said.ok, "{said:?}");
    let queued = fs::read_to_string(scene.stage.board().join("pending.jsonl")).unwrap();
    assert_eq!(queued.lines().count(), 1, "{queued}");
    scene.stage.ok(&["tasks"]);
    assert!(!scene.stage.board().join("pending.jsonl").exists());
    assert_eq!(scene.bound(&task), [(scene.head(&dir), true)]);
}

#[test]
fn a_commit_for_a_task_that_is_not_here_waits_and_nonsense_goes_to_quarantine() {
    let scene = Scene::new();
    let dir = scene.dir();
    scene.change(&dir, "1");
    scene.person("git commit --quiet -m Early -m 'Task: tk-0a1b2c'");
    let path = scene.stage.board().join("pending.jsonl");
    let queued = fs::read_to_string(&path).unwrap();
    assert!(queued.contains("tk-0a1b2c"), "{queued}");
    fs::write(&path, format!("{{\"nonsense\": true}}\n{queued}")).unwrap();
    let said = scene.stage.run(&["tasks"]);
    assert_eq!(said.stderr.lines().filter(|line| line.contains("quarantine")).count(), 1, "said once: {}", said.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), queued, "it waits on");
    assert!(!scene.stage.run(&["tasks"]).stderr.contains("quarantine"));
    assert!(scene.stage.ok(&["log", "quarantine"]).contains("pending.jsonl"));
}

#[test]
fn however_many_lines_wait_for_their_tasks_and_whatever_else_lies_there_the_rest_is_taken_over() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    scene.shell("exec 9>.callboard/run/write.lock; flock 9; git commit --quiet -m Painted", &dir, &[], "");
    let path = scene.stage.board().join("pending.jsonl");
    let known = fs::read_to_string(&path).unwrap();
    let waiting: String = (0..250).map(|number| known.replace(&task, &format!("tk-{:06x}", 0x0a_0000 + number))).collect();
    fs::write(&path, [waiting.as_bytes(), b"{\"broken\": \"\xff\"}\n", known.as_bytes()].concat()).unwrap();
    let said = scene.stage.run(&["tasks"]);
    assert!(said.stderr.contains("utf-8") && said.stderr.contains("quarantine"), "{}", said.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), waiting, "those wait on, in their order");
    assert_eq!(scene.bound(&task), [(scene.head(&dir), true)]);
}

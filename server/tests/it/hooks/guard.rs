//! Who is stopped, who never is, and what becomes of messages.

use super::scene::{HOLDER, OTHER, Scene};
use std::fs;

#[test]
fn a_trailer_stands_where_git_reads_it_and_once() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.person(&format!("git switch --quiet -c {branch}"));
    for (at, commit) in [
        "git commit -m 'One line'",
        "git commit -m 'Title' -m 'Prose: about it.\nAnd more of it.'",
        "git commit -m 'Title' -m 'Signed-off-by: Ada <ada@example.org>'",
        "GIT_EDITOR='printf \"Edited\\n\\nBody\\n# a comment\\n\" >' git commit",
        "printf 'no end of line' | git commit -F -",
    ]
    .iter()
    .enumerate()
    {
        scene.change(&dir, &at.to_string());
        scene.person(commit);
        assert_eq!(scene.trailers(&dir), [task.as_str()], "{commit}");
        scene.person("git commit --quiet --amend --no-edit");
        assert_eq!(scene.trailers(&dir), [task.as_str()], "{commit}, amended");
    }
    let prose = scene.person("git log -1 --skip=3 --format=%B");
    assert!(prose.starts_with("Title\n\nProse: about it.\nAnd more of it.\n\nTask: "), "{prose}");
}

#[test]
fn an_editor_that_is_closed_without_text_makes_no_commit() {
    let scene = Scene::new();
    let (_, branch) = scene.task();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&scene.dir(), "1");
    let said = scene.shell("git commit", &scene.dir(), &[], "");
    assert!(!said.ok && said.stderr.contains("empty commit message"), "{said:?}");
}

#[test]
fn a_person_is_never_stopped() {
    let scene = Scene::new();
    let dir = scene.dir();
    scene.change(&dir, "1");
    scene.person("git commit --quiet -m 'On an ordinary branch'");
    assert_eq!(scene.trailers(&dir), Vec::<String>::new());

    // The board's lock is somebody's for as long as they like.
    scene.change(&dir, "2");
    let said = scene.shell("exec 9>.callboard/run/write.lock; flock 9; git commit --quiet -m 'While it is locked'", &dir, &[], "");
    assert!(said.ok, "{said:?}");

    // The binary is gone.
    let hook = dir.join(".git/hooks/prepare-commit-msg");
    let text = fs::read_to_string(&hook).unwrap();
    let bin = text.lines().find(|line| line.starts_with("bin=")).unwrap();
    fs::write(&hook, text.replace(bin, "bin='/nowhere/callboard'")).unwrap();
    scene.change(&dir, "3");
    scene.person("git commit --quiet -m 'Without it'");

    let said = scene.shell("git commit --quiet --allow-empty -m x", &dir, &[("CALLBOARD_ACTOR", "Nobody at all")], "");
    assert!(said.ok && said.stderr.lines().all(|line| line.contains("CALLBOARD_ACTOR")), "{said:?}");
}

#[test]
fn an_agent_commits_for_what_it_holds() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.change(&dir, "1");
    let said = scene.agent(OTHER, "git commit -m x", &dir);
    assert!(!said.ok && said.stderr.trim_end().lines().count() == 1 && said.stderr.contains("hold no task"), "{said:?}");
    let said = scene.agent(OTHER, &format!("git commit -m x -m 'Task: {task}'"), &dir);
    assert!(!said.ok && said.stderr.contains(HOLDER), "{said:?}");
    let said = scene.agent(HOLDER, "git commit -m x -m 'Task: tk-ffffff'", &dir);
    assert!(!said.ok && said.stderr.contains("no task tk-ffffff"), "{said:?}");

    // On an ordinary branch its one lease says which task.
    assert!(scene.agent(HOLDER, "git commit -m x", &dir).ok);
    assert_eq!(scene.trailers(&dir), [task.as_str()]);
    assert_eq!(scene.bound(&task), [(scene.head(&dir), true)]);

    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "2");
    let denied = scene.denied(OTHER, "git commit -m x", &dir).unwrap();
    assert!(denied.contains(HOLDER) && denied.contains(&task), "{denied}");
    scene.stage.ok(&["config", "set", "commit_guard", "off"]);
    assert_eq!(scene.denied(OTHER, "git commit -m x", &dir), None);
    assert!(scene.agent(OTHER, "git commit -m x", &dir).ok);
}

#[test]
fn merges_and_rebases_keep_their_messages() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let dir = scene.dir();
    scene.person("git switch --quiet -c side");
    scene.person("git commit --quiet --allow-empty -m Side");
    scene.person(&format!("git switch --quiet main && git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    scene.person("git commit --quiet -m Mine");
    let said = scene.agent(OTHER, "git merge --no-edit side", &dir);
    assert!(said.ok, "git merge is not judged: {said:?}");
    assert_eq!(scene.trailers(&dir), Vec::<String>::new());
    assert_eq!(scene.bound(&task).iter().filter(|(_, counts)| *counts).count(), 1, "a merge is no evidence");
}

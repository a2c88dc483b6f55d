//! Every form of a commit: judged before it runs, stopped where nothing is held, and bound where it is, in both kinds of worktree.

use super::scene::{HOLDER, OTHER, Scene, gits};
use serde_json::{Value, json};
use std::path::Path;

/// How a commit ends up.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// Seen, with a trailer.
    Trailer,
    /// Not seen in the text, with a trailer by git's own hook.
    Unseen,
    /// Seen; hooks are off, so the branch binds it when the task is closed.
    Later,
}

use Ends::{Later, Trailer, Unseen};

const FORMS: [(&str, Ends); 38] = [
    ("git commit -m x", Trailer),
    ("git commit -m a -m b", Trailer),
    ("git commit --message=x", Trailer),
    ("git commit -qam x", Trailer),
    ("git commit -mx", Trailer),
    ("printf 'from a file' >../m; git commit -F ../m", Trailer),
    ("echo piped | git commit -F -", Trailer),
    ("git commit -m \"$(cat <<'EOF'\nTitle\n\nBody && more\nEOF\n)\"", Trailer),
    ("git commit -F - <<EOF\nTitle\nEOF", Trailer),
    ("git commit", Trailer),
    ("git commit -v", Trailer),
    ("git add -A && git commit -m x", Trailer),
    ("false || git commit -m x", Trailer),
    ("git add -A\ngit commit -m x", Trailer),
    ("git commit -m x | tee ../log", Trailer),
    ("git commit -m x >../out", Trailer),
    ("(cd .; git commit -m x)", Trailer),
    ("git -C . commit -m x", Trailer),
    ("git --git-dir=\"$(git rev-parse --git-dir)\" --work-tree=. commit -m x", Trailer),
    ("A=1 git commit -m x", Trailer),
    ("env A=1 git commit -m x", Trailer),
    ("timeout 60 git commit -m x", Trailer),
    ("bash -lc \"git commit -m x\"", Trailer),
    ("eval \"git commit -m x\"", Trailer),
    ("echo $(git commit -m x)", Trailer),
    ("if true; then git commit -m x; fi", Trailer),
    ("for i in 1; do git commit -m x; done", Trailer),
    ("{ git commit -m x; }", Trailer),
    ("\\git commit -m x", Trailer),
    ("git --no-pager -c a.b=v commit -m x", Trailer),
    ("git ci -m x", Trailer),
    ("git commit --amend -m y", Trailer),
    ("git commit --fixup HEAD", Trailer),
    ("git commit --no-verify -m x", Trailer),
    ("git commit -m x --trailer \"Task: TASK\"", Trailer),
    ("git commit -m \"a && b -> c | d 'q'\n\nnew line\"", Trailer),
    ("git -c core.hooksPath=/dev/null commit -m x", Later),
    ("GIT=git; $GIT commit -m x", Unseen),
];

#[test]
fn every_form_is_judged_stopped_and_bound() {
    for git in gits() {
        let scene = Scene::with(&git);
        scene.person("git config --global alias.ci commit");
        let (task, branch) = scene.task();
        let tree = scene.dir().parent().unwrap().join("tree");
        scene.person(&format!("git worktree add --quiet {} -b {branch}", tree.display()));
        let mut later = Vec::new();
        for (at, (form, ends)) in FORMS.iter().enumerate() {
            later.extend(one(&scene, &task, &tree, &form.replace("TASK", &task), *ends, at));
        }
        scene.person(&format!("git worktree remove --force {}", tree.display()));
        scene.person(&format!("git switch --quiet {branch}"));
        for (at, (form, ends)) in FORMS.iter().enumerate().step_by(if std::env::var_os("SLOW").is_some() { 1 } else { 6 }) {
            later.extend(one(&scene, &task, &scene.dir(), &form.replace("TASK", &task), *ends, 100 + at));
        }
        let closed = scene.agent(HOLDER, &format!("\"$CB\" tasks done {task} -m 'painted, all of them'"), &scene.dir());
        assert!(closed.ok, "{closed:?}");
        let bound = scene.bound(&task);
        for sha in later {
            assert!(bound.contains(&(sha, true)), "the branch binds what no hook saw");
        }
    }
}

/// One form, by somebody who holds nothing and by the holder; gives the commit that is bound later.
#[track_caller]
fn one(scene: &Scene, task: &str, place: &Path, form: &str, ends: Ends, number: usize) -> Option<String> {
    scene.change(place, &number.to_string());
    let before = scene.head(place);
    assert_eq!(scene.denied(OTHER, form, place).is_some(), ends != Unseen, "{form}");
    if ends != Later {
        scene.agent(OTHER, form, place);
        assert_eq!(scene.head(place), before, "git's own hook stops it: {form}");
    }
    assert_eq!(scene.denied(HOLDER, form, place), None, "{form}");
    let said = scene.agent(HOLDER, form, place);
    let head = scene.head(place);
    assert_ne!(head, before, "{form}: {said:?}");
    if ends == Later {
        assert_eq!(scene.trailers(place), Vec::<String>::new(), "{form}");
        return Some(head);
    }
    assert_eq!(scene.trailers(place), [task], "{form}: {said:?}");
    assert!(scene.bound(task).contains(&(head, true)), "{form}");
    None
}

#[test]
fn what_is_no_commit_and_what_git_does_by_itself_is_left_alone() {
    let scene = Scene::new();
    for text in [
        "git commit --dry-run",
        "git commit -h",
        "git help commit",
        "git log --grep commit",
        "echo \"git commit\"",
        "grep 'git commit' README.md",
        "# git commit -m x",
        "cat <<EOF\ngit commit -m x\nEOF",
        "git merge other",
        "git revert HEAD",
        "git rebase main",
        "ls",
    ] {
        assert_eq!(scene.denied(OTHER, text, &scene.dir()), None, "{text}");
    }
    assert!(scene.denied(OTHER, "git commit -m \"x", &scene.dir()).is_some(), "unbalanced: judged by leases alone");
    scene.task();
    assert_eq!(scene.denied(HOLDER, "git commit -m \"x", &scene.dir()), None);
}

#[test]
fn a_session_is_who_it_is_wherever_its_command_goes() {
    let scene = Scene::new();
    let (_, branch) = scene.task();
    let tree = scene.dir().parent().unwrap().join("tree");
    scene.person(&format!("git worktree add --quiet {} -b {branch}", tree.display()));
    let command = format!("cd {} && git commit -m x", tree.display());
    let said = |from: &Path| scene.event("PreToolUse", &[], json!({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": from.to_str().unwrap()}));
    let denied = said(&scene.dir());
    let reason = denied["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
    assert!(reason.contains(HOLDER) && reason.contains("agent:ada/main"), "nobody becomes the holder by changing into its worktree: {denied}");
    assert_eq!(said(&tree), Value::Null, "who works there is the holder");
}

#[test]
fn the_directory_of_the_commit_decides() {
    let scene = Scene::new();
    let other = scene.dir().parent().unwrap().join("elsewhere");
    scene.person(&format!("git init --quiet {}", other.display()));
    let (inside, outside) = (format!("cd {} && git commit -m x", scene.dir().display()), format!("cd {} && git commit -m x", other.display()));
    assert!(scene.denied(OTHER, &inside, &other).is_some());
    assert_eq!(scene.denied(OTHER, &outside, &scene.dir()), None);
    assert_eq!(scene.denied(OTHER, "mkdir -p /nowhere/x && cd /nowhere/x && git init && git commit -m x", &scene.dir()), None);
}

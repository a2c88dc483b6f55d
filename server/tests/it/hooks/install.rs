//! `init` beside what a repository has, twice, and away again to the byte; `doctor` between them.

use super::scene::{HOLDER, Scene};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file of a repository that anybody could miss: all but git's objects and our own folder.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let inside = path.strip_prefix(root).unwrap().to_owned();
            if [".callboard", ".git/objects", ".git/index", ".git/logs"].iter().any(|own| inside.starts_with(own)) {
                continue;
            }
            if path.is_dir() { walk(root, &path, found) } else { drop(found.insert(inside, fs::read(&path).unwrap())) }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

#[cfg(unix)]
fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn hooks_of_others_run_once_and_come_back_to_the_byte() {
    let scene = Scene::bare();
    let dir = scene.dir();
    executable(&dir.join(".git/hooks/post-commit"), "#!/bin/sh\necho theirs >>\"$(git rev-parse --git-common-dir)/theirs\"\n");
    executable(&dir.join(".git/hooks/commit-msg"), "#!/bin/sh\ngrep -q refuse \"$1\" && exit 7\nexit 0\n");
    fs::create_dir_all(dir.join(".claude")).unwrap();
    fs::write(dir.join(".claude/settings.local.json"), "{\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n}\n")
        .unwrap();
    fs::write(dir.join("AGENTS.md"), "# Rules of the harbour\n").unwrap();
    let before = files(&dir);
    scene.stage.ok(&["init"]);
    let once = files(&dir);
    let again = scene.stage.ok(&["init"]);
    assert_eq!(files(&dir), once, "a second time changes nothing");
    assert!(again.lines().take_while(|line| !line.is_empty()).all(|line| line.starts_with("already")), "{again}");

    let (task, branch) = scene.task();
    let tree = dir.parent().unwrap().join("tree");
    scene.person(&format!("git worktree add --quiet {} -b {branch}", tree.display()));
    scene.change(&tree, "1");
    assert!(scene.agent(HOLDER, "git commit -m Painted", &tree).ok);
    assert_eq!(scene.bound(&task), [(scene.head(&tree), true)]);
    assert_eq!(fs::read_to_string(dir.join(".git/theirs")).unwrap(), "theirs\n", "theirs ran once");
    scene.change(&tree, "2");
    let refused = scene.agent(HOLDER, "git commit -m refuse", &tree);
    assert!(!refused.ok, "their exit status counts: {refused:?}");
    let doctor = scene.stage.ok(&["doctor"]);
    assert!(doctor.lines().all(|line| line.starts_with("well")), "{doctor}");

    scene.person(&format!("git worktree remove --force {} && git branch --quiet -D {branch}", tree.display()));
    fs::remove_file(dir.join(".git/theirs")).unwrap();
    scene.stage.ok(&["init", "--remove"]);
    let after = files(&dir);
    let changed: Vec<&PathBuf> = before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path)).collect();
    assert!(changed.is_empty(), "{changed:?}");
    assert!(scene.stage.board().join("state.db").exists(), "the board stays");
}

#[test]
fn hooks_in_the_tree_are_told_about_and_only_changed_when_asked() {
    let scene = Scene::bare();
    let dir = scene.dir();
    executable(&dir.join(".husky/post-commit"), "#!/bin/sh\ntrue\n");
    scene.person("git config core.hooksPath .husky");
    let newer =
        scene.person("git version").split_whitespace().nth(2).is_some_and(|version| version.split('.').nth(1).and_then(|minor| minor.parse().ok()) >= Some(54));
    if newer {
        return; // such a git runs ours beside them, and no file is touched
    }
    let before = files(&dir.join(".husky"));
    let said = scene.stage.ok(&["init", "--no-client"]);
    assert!(said.lines().any(|line| line.starts_with("kept     git hook post-commit") && line.contains("--hooks=tracked")), "{said}");
    assert_eq!(files(&dir.join(".husky")), before);
    let faults = scene.stage.run(&["doctor"]);
    assert!(faults.exit == 1 && faults.stdout.contains("mend: callboard init --hooks=tracked"), "{}", faults.stdout);
    scene.stage.ok(&["init", "--no-client", "--hooks=tracked"]);
    for text in files(&dir.join(".husky")).values() {
        let text = String::from_utf8_lossy(text);
        assert!(text.contains("git config callboard.bin") && !text.contains(dir.to_str().unwrap()), "no path of this machine: {text}");
    }
    let (task, branch) = scene.task();
    scene.person(&format!("git switch --quiet -c {branch}"));
    scene.change(&dir, "1");
    scene.person("git commit --quiet -m Painted");
    assert_eq!(scene.bound(&task).len(), 1);
    scene.stage.ok(&["init", "--remove"]);
    assert_eq!(files(&dir.join(".husky")), before);
}

#[test]
fn hooks_and_clients_can_be_left_alone() {
    let scene = Scene::bare();
    let before = files(&scene.dir());
    scene.stage.ok(&["init", "--no-hooks", "--no-client"]);
    assert_eq!(files(&scene.dir()), before);
    let said = scene.stage.run(&["doctor"]);
    assert_eq!(said.exit, 1);
    assert!(said.stdout.lines().filter(|line| line.starts_with("fault")).all(|line| line.ends_with("mend: callboard init")), "{}", said.stdout);
}

#[test]
fn with_the_clients_hooks_an_agents_lease_is_short() {
    for (flags, seconds) in [(&["init"][..], 900), (&["init", "--no-client"][..], 3_600)] {
        let scene = Scene::bare();
        scene.stage.ok(flags);
        let (task, _) = scene.task();
        assert_eq!(scene.show(&task)["lease"]["ttl_s"], seconds, "{flags:?}");
    }
}

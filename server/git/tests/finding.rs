//! Finding the project, against repositories that the real git made.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests stop at the first surprise and drive git themselves")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use git::{GitError, Place, Repository};

/// A folder for one test, with its links resolved.
struct Folder {
    path: PathBuf,
    _kept: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap();
        Folder { path, _kept: dir }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    fn folder(&self, path: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// A repository with one commit.
    fn repository(&self, path: &str) -> PathBuf {
        let dir = self.folder(path);
        git(&dir, &["init", "-q", "-b", "main"]);
        git(&dir, &["commit", "-q", "--allow-empty", "-m", "first"]);
        dir
    }
}

fn git(dir: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(["-c", "protocol.file.allow=always"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Test").env(format!("GIT_{who}_EMAIL"), "test@example.org");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn project(dir: &Path) {
    fs::create_dir(dir.join(".callboard")).unwrap();
}

fn find(from: &Path) -> Place {
    Repository::find(from, None).unwrap()
}

#[test]
fn a_repository_without_a_project_says_where_one_would_be() {
    let t = Folder::new();
    let repo = t.repository("app");
    let place = find(&t.folder("app/src/deep"));
    assert_eq!(place, Place { root: repo.clone(), project: false, common_dir: Some(repo.join(".git")), worktree: Some(repo) });
}

#[test]
fn the_project_of_the_main_worktree_is_found_from_below() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    let place = find(&t.folder("app/src"));
    assert!(place.project);
    assert_eq!(place.directory(), repo.join(".callboard"));
    assert_eq!(find(&repo.join(".git")).root, repo);
}

#[test]
fn a_linked_worktree_uses_the_main_worktrees_project_and_never_its_own_copy() {
    let t = Folder::new();
    let repo = t.repository("app");
    git(&repo, &["worktree", "add", "-q", "../linked"]);
    let linked = t.at("linked");
    project(&linked); // checked out with the branch
    let place = find(&linked);
    assert_eq!((place.root.as_path(), place.project), (repo.as_path(), false));
    project(&repo);
    let place = find(&linked);
    assert_eq!((place.root.as_path(), place.project), (repo.as_path(), true));
    assert_eq!(place.worktree, Some(linked.clone()));
    assert_eq!(place.here().unwrap().directory(), linked);
    assert_eq!(place.repository().unwrap().directory(), repo);
}

#[test]
fn a_worktree_inside_the_project_is_still_the_project() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    git(&repo, &["worktree", "add", "-q", ".callboard/trees/T-1"]);
    assert_eq!(find(&repo.join(".callboard/trees/T-1")).root, repo);
}

#[test]
fn a_bare_main_repository_has_the_project_its_configuration_names() {
    let t = Folder::new();
    let repo = t.repository("app");
    git(t.at(".").as_path(), &["clone", "-q", "--bare", "app", "bare.git"]);
    let bare = t.at("bare.git");
    git(&bare, &["worktree", "add", "-q", "../one", "main"]);
    git(&bare, &["worktree", "add", "-q", "../two", "-b", "two"]);
    let (one, two) = (t.at("one"), t.at("two"));

    assert_eq!(find(&one).root, one, "init goes where it is called");
    project(&one);
    find(&one).repository().unwrap().remember_root(&one).unwrap();
    let place = find(&two);
    assert_eq!((place.root.as_path(), place.project), (one.as_path(), true));
    assert_eq!(find(&bare).root, one);
    assert_ne!(find(&repo).root, one);
}

#[test]
fn the_configured_root_goes_first_unless_its_project_is_gone() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    let other = t.folder("boards/app");
    project(&other);
    find(&repo).repository().unwrap().remember_root(&other).unwrap();
    let place = find(&repo);
    assert_eq!(place.root, other);
    assert_eq!(place.common_dir, Some(repo.join(".git")));
    assert_eq!(place.repository().unwrap().common_dir(), repo.join(".git"));
    fs::remove_dir(other.join(".callboard")).unwrap();
    assert_eq!(find(&repo).root, repo);
}

#[test]
fn a_repository_that_was_moved_finds_its_own_project() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    find(&repo).repository().unwrap().remember_root(&repo).unwrap();
    fs::rename(&repo, t.at("renamed")).unwrap();
    let place = find(&t.at("renamed"));
    assert_eq!((place.root, place.project), (t.at("renamed"), true));
}

#[test]
fn a_submodule_without_a_project_uses_its_superprojects() {
    let t = Folder::new();
    let library = t.repository("library");
    let repo = t.repository("app");
    git(&repo, &["submodule", "add", "-q", library.to_str().unwrap(), "vendor/library"]);
    git(&repo, &["commit", "-q", "-m", "library"]);
    let inner = repo.join("vendor/library");

    let place = find(&inner);
    assert_eq!((place.root.as_path(), place.project), (inner.as_path(), false));
    project(&repo);
    let place = find(&inner);
    assert_eq!((place.root.as_path(), place.project), (repo.as_path(), true));
    assert_eq!(place.common_dir, Some(repo.join(".git")));
    project(&inner);
    assert_eq!(find(&inner).root, inner);
}

#[test]
fn submodules_are_found_wherever_they_are_checked_out_and_keep_their_commits_when_they_are_not() {
    let t = Folder::new();
    let (library, deeper) = (t.repository("library"), t.repository("deeper"));
    git(&library, &["submodule", "add", "-q", deeper.to_str().unwrap(), "deep"]);
    git(&library, &["commit", "-q", "-m", "deeper"]);
    let repo = t.repository("app");
    assert!(find(&repo).repository().unwrap().submodules().is_empty());
    git(&repo, &["submodule", "add", "-q", library.to_str().unwrap(), "vendor/library"]);
    git(&repo, &["commit", "-q", "-m", "library"]);
    let tree = t.at("tree");
    git(&repo, &["worktree", "add", "-q", "--detach", tree.to_str().unwrap()]);
    git(&tree, &["submodule", "update", "-q", "--init", "--recursive"]);

    let places = |repo: &Path| {
        let found = find(repo).repository().unwrap().submodules();
        assert!(found.iter().all(|inner| inner.head().unwrap().is_some()), "git runs in each of them");
        found.iter().map(|inner| inner.directory().to_owned()).collect::<Vec<_>>()
    };
    let mut wanted = vec![repo.join("vendor/library"), tree.join("vendor/library"), tree.join("vendor/library/deep")];
    wanted.sort();
    let mut found = places(&repo);
    found.sort();
    assert_eq!(found, wanted);
    git(&repo, &["submodule", "deinit", "-q", "-f", "vendor/library"]);
    assert!(places(&repo).contains(&repo.join(".git/modules/vendor/library")));
}

#[test]
fn a_clone_that_merely_lies_in_another_repository_is_on_its_own() {
    let t = Folder::new();
    project(&t.repository("app"));
    let nested = t.repository("app/vendor/other");
    let place = find(&nested);
    assert_eq!((place.root, place.project), (nested, false));
}

#[test]
fn a_git_directory_kept_elsewhere_is_followed() {
    let t = Folder::new();
    let repo = t.folder("app");
    git(&repo, &["init", "-q", "--separate-git-dir", t.at("elsewhere").to_str().unwrap()]);
    project(&repo);
    let place = find(&repo);
    assert_eq!((place.root, place.project, place.common_dir), (repo, true, Some(t.at("elsewhere"))));
}

#[test]
fn outside_git_the_nearest_ancestor_with_a_project_counts() {
    let t = Folder::new();
    let notes = t.folder("notes");
    project(&notes);
    let place = find(&t.folder("notes/2026/may"));
    assert_eq!(place, Place { root: notes, project: true, common_dir: None, worktree: None });
    assert!(matches!(Repository::find(&t.folder("other"), None), Err(GitError::NotARepository)));
}

#[test]
fn a_named_root_is_taken_even_without_a_project() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    let empty = t.folder("empty");
    let place = Repository::find(&repo, Some(&empty)).unwrap();
    assert_eq!((place.root, place.project, place.worktree), (empty, false, None));
    let place = Repository::find(&t.at("empty"), Some(Path::new("../app"))).unwrap();
    assert_eq!((place.root, place.project), (repo, true));
}

#[test]
fn a_named_folder_inside_a_project_is_of_that_project() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    let inner = t.folder("app/src/deep");
    let place = Repository::find(&t.folder("elsewhere"), Some(&inner)).unwrap();
    assert_eq!((place.root, place.project, place.worktree), (repo, true, None));
}

#[test]
fn a_named_root_keeps_the_worktree_the_caller_stands_in() {
    let t = Folder::new();
    let repo = t.repository("app");
    project(&repo);
    git(&repo, &["worktree", "add", "-q", "../linked"]);
    let place = Repository::find(&t.at("linked"), Some(&repo)).unwrap();
    assert_eq!((place.root, place.worktree), (repo, Some(t.at("linked"))));
}

#[test]
fn a_git_file_that_leads_nowhere_is_refused_and_not_walked_past() {
    let t = Folder::new();
    project(&t.repository("app"));
    let broken = t.folder("app/broken");
    for text in ["gitdir: /nowhere/at/all\n", "nonsense", ""] {
        fs::write(broken.join(".git"), text).unwrap();
        assert!(matches!(Repository::find(&broken, None), Err(GitError::NotARepository)), "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_named_like_a_project_is_none() {
    let t = Folder::new();
    let repo = t.repository("app");
    std::os::unix::fs::symlink(t.folder("elsewhere"), repo.join(".callboard")).unwrap();
    assert!(!find(&repo).project);
}

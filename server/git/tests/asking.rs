//! What git is asked, against the real git.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests stop at the first surprise and may start themselves")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use git::{GitError, Repository};

const ADA: (&str, &str) = ("Ada", "ada@example.org");
const MAY: &str = "2026-05-01T09:00:00Z";

fn repository() -> (tempfile::TempDir, Repository) {
    let dir = tempfile::tempdir().unwrap();
    let repo = Repository::init(dir.path()).unwrap();
    (dir, repo)
}

fn write(repo: &Repository, name: &str) -> PathBuf {
    let path = repo.directory().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, name).unwrap();
    path
}

/// Makes a file and commits it.
fn commit_everything(repo: &Repository) {
    repo.add(&[&write(repo, "a.txt")]).unwrap();
    repo.commit("first", ADA, MAY).unwrap();
}

#[test]
fn the_same_commits_have_the_same_names_everywhere() {
    let commit = || {
        let (_dir, repo) = repository();
        let path = write(&repo, "a.txt");
        repo.add(&[&path]).unwrap();
        let made = repo.commit("first\n\nwhy", ADA, MAY).unwrap();
        assert_eq!(repo.head().unwrap().as_ref(), Some(&made));
        made
    };
    assert_eq!(commit(), commit());
}

#[test]
fn a_new_repository_has_a_branch_but_no_commit() {
    let (_dir, repo) = repository();
    assert_eq!(repo.head().unwrap(), None);
    assert_eq!(repo.branch().unwrap().as_deref(), Some("main"));
    assert_eq!(repo.default_base().unwrap().as_deref(), Some("main"));
}

#[test]
fn the_users_name_is_read_from_configuration() {
    let (_dir, repo) = repository();
    repo.set_config("user.email", "ada@example.org").unwrap();
    repo.set_config("user.name", "Ada Lovelace").unwrap();
    assert_eq!(repo.user_email().unwrap().as_deref(), Some("ada@example.org"));
    assert_eq!(repo.user_name().unwrap().as_deref(), Some("Ada Lovelace"));
    assert_eq!(repo.config("callboard.nothing").unwrap(), None);
}

/// Reading it from files must give what git gives, whoever says it last. This test runs itself in a home of its own.
#[test]
fn an_address_is_the_one_git_would_use() {
    let Some(home) = std::env::var_os("TEST_HOME") else {
        let home = tempfile::tempdir().unwrap();
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "an_address_is_the_one_git_would_use"]).env("TEST_HOME", home.path()).env("HOME", home.path());
        let output = again.env_remove("XDG_CONFIG_HOME").env_remove("GIT_CONFIG_GLOBAL").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    };
    let (_dir, repo) = repository();
    let home = Path::new(&home);
    let agree = |expected: Option<&str>| {
        assert_eq!(repo.user_email().unwrap(), repo.config("user.email").unwrap());
        assert_eq!(repo.user_email().unwrap().as_deref(), expected);
    };
    let section = |email: &str| format!("[user]\n\temail = {email} ; mine\n");
    agree(None);
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/config"), section("xdg@example.org")).unwrap();
    agree(Some("xdg@example.org"));
    fs::write(home.join(".gitconfig"), section("home@example.org")).unwrap();
    agree(Some("home@example.org"));
    fs::write(home.join("work"), section("work@example.org")).unwrap();
    fs::write(home.join(".gitconfig"), format!("{}[include]\n\tpath = work\n", section("home@example.org"))).unwrap();
    agree(Some("work@example.org"));
    repo.set_config("user.email", "own@example.org").unwrap();
    agree(Some("own@example.org"));
    repo.set_config("extensions.worktreeConfig", "true").unwrap();
    fs::write(repo.git_dir().join("config.worktree"), section("here@example.org")).unwrap();
    agree(Some("here@example.org"));
}

#[test]
fn tracked_means_in_the_index() {
    let (_dir, repo) = repository();
    let staged = write(&repo, "log/[a].jsonl");
    assert!(!repo.tracks(&staged).unwrap());
    repo.add(&[&staged]).unwrap();
    assert!(repo.tracks(&staged).unwrap());
    assert!(repo.tracks(Path::new("log/[a].jsonl")).unwrap());
    assert!(!repo.tracks(Path::new("log/a.jsonl")).unwrap(), "names are literal, never patterns");
    assert!(!repo.tracks(Path::new("/etc/hostname")).unwrap());
    fs::remove_file(&staged).unwrap();
    assert!(repo.tracks(&staged).unwrap(), "deleted in the worktree, still in the index");
}

#[test]
fn what_another_branch_has_is_remembered() {
    let (_dir, repo) = repository();
    assert!(!repo.remembers(Path::new("log/[a].jsonl")).unwrap(), "there is no commit yet");
    let file = write(&repo, "log/[a].jsonl");
    repo.add(&[&file]).unwrap();
    repo.commit("log", ("Ada", "ada@example.org"), "2026-11-29T11:37:08Z").unwrap();
    fs::remove_file(&file).unwrap();
    assert!(repo.remembers(&file).unwrap());
    assert!(!repo.remembers(Path::new("log/a.jsonl")).unwrap(), "names are literal, never patterns");
    assert!(!repo.remembers(Path::new("/etc/hostname")).unwrap());
}

#[test]
fn staging_is_noticed_once() {
    let (_dir, repo) = repository();
    assert!(repo.index_changed(), "unknown counts as changed");
    assert!(!repo.index_changed());
    let before = repo.index_stamp();
    repo.add(&[&write(&repo, "a.txt")]).unwrap();
    assert_ne!(repo.index_stamp(), before);
    assert!(repo.index_changed());
    assert!(!repo.index_changed());
}

#[test]
fn a_refusal_carries_what_git_said() {
    let (_dir, repo) = repository();
    let refused = repo.add(&[Path::new("missing.txt")]).unwrap_err();
    let GitError::Failed { command, stderr } = refused else { unreachable!("{refused:?}") };
    assert!(command.starts_with("git --literal-pathspecs add"), "{command}");
    assert!(stderr.contains("missing.txt"), "{stderr}");
}

#[test]
fn work_starts_from_the_remotes_default_branch_where_there_is_one() {
    let (_dir, repo) = repository();
    commit_everything(&repo);
    let copy = tempfile::tempdir().unwrap();
    let from = repo.directory().to_str().unwrap().to_owned();
    let status = Command::new("git").args(["clone", "-q", "-o", "origin", &from, "."]).current_dir(copy.path()).status();
    assert!(status.unwrap().success());
    let place = Repository::find(copy.path(), None).unwrap();
    assert_eq!(place.repository().unwrap().default_base().unwrap().as_deref(), Some("origin/main"));
}

#[test]
fn configuration_is_read_outside_of_a_repository_too() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(git::config(dir.path(), "callboard.nothing").unwrap(), None);
}

/// A git hook runs us with variables that bind every git to the repository of the hook. This test runs itself that way.
#[test]
fn the_environment_of_a_hook_binds_nothing() {
    if std::env::var_os("GIT_DIR").is_none() {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "the_environment_of_a_hook_binds_nothing"]);
        again.env("GIT_DIR", "/nowhere/.git").env("GIT_WORK_TREE", "/nowhere").env("GIT_INDEX_FILE", "/nowhere/index");
        again.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "user.email").env("GIT_CONFIG_VALUE_0", "else@example.org");
        let output = again.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let (_dir, repo) = repository();
    repo.set_config("user.email", "ada@example.org").unwrap();
    assert_eq!(repo.user_email().unwrap().as_deref(), Some("ada@example.org"));
    commit_everything(&repo);
    assert!(repo.head().unwrap().is_some());
}

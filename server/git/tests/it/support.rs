//! A folder with repositories in it, and the environment they are driven in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use git::Repository;

/// Opens a folder for the test it is called in, or runs that test again with every git and gives none.
macro_rules! folder {
    () => {{
        fn here() {}
        match $crate::support::Folder::open(std::any::type_name_of_val(&here)) {
            Some(folder) => folder,
            None => return,
        }
    }};
}
pub(crate) use folder;

const HERMETIC: &str = "GIT_TEST_HERMETIC";

pub struct Folder {
    pub path: PathBuf,
    _kept: tempfile::TempDir,
}

impl Folder {
    pub fn open(test: &str) -> Option<Folder> {
        if std::env::var_os(HERMETIC).is_none() {
            let test = test.split_once("::").unwrap().1.strip_suffix("::here").unwrap();
            gits().iter().for_each(|git| again(test, git));
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        Some(Folder { path: fs::canonicalize(dir.path()).unwrap(), _kept: dir })
    }

    /// A repository with the branch `main` and no commit.
    pub fn empty(&self, name: &str) -> Repo {
        let path = self.path.join(name);
        fs::create_dir_all(&path).unwrap();
        run(&path, &["init", "-q", "-b", "main"]);
        Repo { path }
    }

    /// A repository with one commit.
    pub fn repo(&self, name: &str) -> Repo {
        let repo = self.empty(name);
        repo.commit("first", &[("a.txt", "a\n")]);
        repo
    }
}

/// Every git on the path, once.
fn gits() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for dir in std::env::split_paths(&std::env::var_os("PATH").unwrap()) {
        let git = fs::canonicalize(dir.join("git")).unwrap_or_default();
        if git.is_file() && !found.contains(&git) {
            found.push(git);
        }
    }
    found
}

fn again(test: &str, git: &Path) {
    let home = tempfile::tempdir().unwrap();
    let output = hermetic(Command::new(std::env::current_exe().unwrap()), home.path(), git.parent().unwrap()).args(["--exact", test]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "with {}: {said}", git.display());
    assert!(said.contains("1 passed"), "{test} did not run: {said}");
}

fn hermetic(mut command: Command, home: &Path, first: &Path) -> Command {
    let rest = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(std::iter::once(first.to_owned()).chain(std::env::split_paths(&rest))).unwrap();
    command.env(HERMETIC, "1").env("PATH", path).env("HOME", home).env_remove("XDG_CONFIG_HOME");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("TZ", "UTC");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
        command.env(format!("GIT_{who}_DATE"), "2026-05-01T09:00:00+02:00");
    }
    command.env("GIT_EDITOR", "false");
    command
}

/// Runs git as a person would.
pub fn try_run(dir: &Path, args: &[&str]) -> Output {
    Command::new("git").arg("-C").arg(dir).args(["-c", "protocol.file.allow=always"]).args(args).output().unwrap()
}

#[track_caller]
pub fn run(dir: &Path, args: &[&str]) -> String {
    let output = try_run(dir, args);
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A repository, driven as a person would.
pub struct Repo {
    pub path: PathBuf,
}

impl Repo {
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn ours(&self) -> Repository {
        Repository::find(&self.path, None).unwrap().here().unwrap()
    }

    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        run(&self.path, args)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Commits these files under this message and returns the commit.
    #[track_caller]
    pub fn commit(&self, message: &str, files: &[(&str, &str)]) -> String {
        for (name, text) in files {
            self.write(name, text);
            self.git(&["add", "--", name]);
        }
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

/// Another git first on the path, for what is started in `then`'s place: runs the calling test again.
pub fn with_git_that_says(folder: &Folder, version: &str, test: &str) -> bool {
    const FAKED: &str = "GIT_TEST_FAKED";
    if std::env::var_os(FAKED).is_some() {
        return true;
    }
    let real = gits().remove(0);
    let bin = folder.path.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let text = format!("#!/bin/sh\ncase \" $* \" in *' --version '*) echo 'git version {version}';; *) exec '{}' \"$@\";; esac\n", real.display());
    fs::write(bin.join("git"), text).unwrap();
    make_executable(&bin.join("git"));
    let mut command = hermetic(Command::new(std::env::current_exe().unwrap()), &folder.path, &bin);
    let output = command.env(FAKED, "1").args(["--exact", test]).output().unwrap();
    assert!(output.status.success(), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    false
}

pub fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Every file below a folder, with its bytes and mode, but for what git keeps changing.
pub fn snapshot(folder: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                folders.push(path);
            } else {
                found.push((path.clone(), metadata.permissions().mode(), fs::read(&path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

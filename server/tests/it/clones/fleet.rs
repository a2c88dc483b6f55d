//! Clones of one bare repository, as a team has them: everybody fetches from it and pushes to it.

use crate::cli::stage::{Ended, Stage};
use serde_json::Value;
use std::path::PathBuf;

/// A bare repository and clones of it; the first one made the board.
pub struct Fleet {
    pub stage: Stage,
}

impl Fleet {
    /// With these tasks, which everybody knows.
    pub fn knowing<const N: usize>(clones: &[&str], titles: [&str; N]) -> (Fleet, [String; N]) {
        let stage = Stage::new();
        let ids = titles.map(|title| stage.add(title, &[]));
        stage.git(&["add", "--all"]);
        stage.git(&["commit", "--quiet", "--message", "Board"]);
        stage.git(&["clone", "--quiet", "--bare", ".", "../hub.git"]);
        stage.git(&["remote", "add", "origin", "../hub.git"]);
        stage.git(&["fetch", "--quiet", "origin"]);
        stage.git(&["branch", "--quiet", "--set-upstream-to", "origin/main"]);
        for name in clones {
            stage.git(&["clone", "--quiet", "../hub.git", &format!("../{name}")]);
        }
        (Fleet { stage }, ids)
    }

    pub fn dir(&self, clone: &str) -> PathBuf {
        self.stage.dir().with_file_name(clone)
    }

    #[track_caller]
    pub fn git(&self, clone: &str, args: &[&str]) -> String {
        let dir = self.dir(clone);
        self.stage.git(&[&["-C", dir.to_str().unwrap()], args].concat())
    }

    pub fn run(&self, clone: &str, actor: &str, args: &[&str]) -> Ended {
        let output = self.stage.callboard(args).current_dir(self.dir(clone)).env("CALLBOARD_ACTOR", actor).output().unwrap();
        Ended { exit: output.status.code().unwrap_or(-1), stdout: String::from_utf8(output.stdout).unwrap(), stderr: String::from_utf8(output.stderr).unwrap() }
    }

    /// As a person; must succeed.
    #[track_caller]
    pub fn ok(&self, clone: &str, args: &[&str]) -> String {
        let ended = self.run(clone, "dev:ada", args);
        assert_eq!(ended.exit, 0, "{clone} {args:?}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    #[track_caller]
    pub fn json(&self, clone: &str, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(clone, &[args, &["--json"]].concat())).unwrap()
    }

    #[track_caller]
    pub fn add(&self, clone: &str, title: &str, more: &[&str]) -> String {
        self.json(clone, &[&["tasks", "add", title], more].concat())["data"]["tasks"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Whether a clone's board has a task of this id.
    pub fn knows(&self, clone: &str, id: &str) -> bool {
        let ended = self.run(clone, "dev:ada", &["tasks", "show", id]);
        assert!(ended.exit == 0 || ended.stderr.contains("(not_found)"), "{}", ended.stderr);
        ended.exit == 0
    }

    /// The log goes onto a branch of its own, and that to the bare repository.
    #[track_caller]
    pub fn push_log(&self, clone: &str, branch: &str) {
        self.git(clone, &["switch", "--quiet", "--create", branch]);
        self.ok(clone, &["sync", "--commit"]);
        self.git(clone, &["push", "--quiet", "origin", branch]);
        self.git(clone, &["switch", "--quiet", "main"]);
    }

    /// The files of the log in a clone's working tree.
    pub fn log_files(&self, clone: &str) -> Vec<String> {
        let folder = self.dir(clone).join(".callboard/log");
        let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

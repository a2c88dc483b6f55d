//! A repository with a board and its hooks, shells in it as somebody, and what a commit came to.

use crate::cli::stage::Stage;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The agent that holds the task.
pub const HOLDER: &str = "agent:ada/w1";
/// Another one, that holds nothing.
pub const OTHER: &str = "agent:ada/w9";

pub struct Scene {
    pub stage: Stage,
    /// The folder whose git is used.
    git: PathBuf,
}

/// What a shell said.
#[derive(Debug)]
pub struct Said {
    pub ok: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Every git on the way; the first one alone unless all are asked for.
pub fn gits() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&path).filter_map(|folder| std::fs::canonicalize(folder).ok()) {
        if folder.join("git").is_file() && !found.contains(&folder) {
            found.push(folder); // two names of one folder are one git
        }
    }
    assert!(!found.is_empty(), "there is no git");
    if is_slow() { found } else { found[..1].to_vec() }
}

/// Whether all is asked for.
pub fn is_slow() -> bool {
    std::env::var_os("SLOW").is_some_and(|value| value == "1")
}

/// Where the binary is.
fn binaries() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_callboard")).parent().unwrap().to_owned()
}

impl Scene {
    pub fn new() -> Scene {
        Scene::with(&gits()[0])
    }

    pub fn with(git: &Path) -> Scene {
        let scene = Scene { stage: Stage::bare(), git: git.to_owned() };
        scene.stage.ok(&["init", "--zone", "Europe/Berlin"]);
        scene.person("git add -A && git commit --quiet -m Board");
        scene
    }

    /// Before there is a board.
    pub fn bare() -> Scene {
        Scene::bare_with(&gits()[0])
    }

    pub fn bare_with(git: &Path) -> Scene {
        Scene { stage: Stage::bare(), git: git.to_owned() }
    }

    pub fn dir(&self) -> PathBuf {
        self.stage.dir()
    }

    #[allow(clippy::disallowed_methods, reason = "these tests are about processes")]
    pub fn shell(&self, text: &str, directory: &Path, variables: &[(&str, &str)], input: &str) -> Said {
        let mut folders = vec![self.git.clone(), binaries()];
        folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        let mut child = Command::new("bash")
            .args(["-c", text])
            .current_dir(directory)
            .env_clear()
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("HOME", self.stage.home())
            .env("USER", "ada")
            .env("LANG", "C.UTF-8")
            .env("GIT_EDITOR", "true")
            .env("GIT_CONFIG_GLOBAL", self.stage.home().join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("CB", env!("CARGO_BIN_EXE_callboard"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes()); // not everything reads it
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said { ok: output.status.success(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// As a person, in the main checkout; must succeed. Gives stdout.
    #[track_caller]
    pub fn person(&self, text: &str) -> String {
        let said = self.shell(text, &self.dir(), &[], "");
        assert!(said.ok, "{text}: {said:?}");
        said.stdout.trim_end().to_owned()
    }

    /// As an agent.
    pub fn agent(&self, actor: &str, text: &str, directory: &Path) -> Said {
        self.shell(text, directory, &[("CALLBOARD_ACTOR", actor), ("GIT_EDITOR", "echo edited >")], "")
    }

    /// A task that the holder has, and its branch, which is not made yet.
    pub fn task(&self) -> (String, String) {
        let id = self.stage.add("Paint the buoys", &[]);
        self.claim(&id, HOLDER);
        let branch = self.show(&id)["branch"].as_str().unwrap().to_owned();
        (id, branch)
    }

    pub fn claim(&self, id: &str, actor: &str) {
        self.stage.ok(&["tasks", "claim", id, "--actor", actor]);
    }

    pub fn show(&self, id: &str) -> Value {
        serde_json::from_str(&self.stage.ok(&["tasks", "show", id, "--json"])).unwrap()
    }

    /// The commits bound to a task: sha, and whether it counts.
    pub fn bound(&self, id: &str) -> Vec<(String, bool)> {
        let view = self.show(id);
        let commits = view["commits_detail"].as_array().cloned().unwrap_or_default();
        commits.iter().map(|commit| (commit["sha"].as_str().unwrap().to_owned(), commit["counts"] != json!(false))).collect()
    }

    pub fn head(&self, directory: &Path) -> String {
        self.shell("git rev-parse HEAD", directory, &[], "").stdout.trim().to_owned()
    }

    /// The tasks that git itself reads in the last commit's message.
    pub fn trailers(&self, directory: &Path) -> Vec<String> {
        let said = self.shell("git log -1 --format=%B | git interpret-trailers --parse", directory, &[], "");
        said.stdout.lines().filter_map(|line| line.strip_prefix("Task: ")).map(str::to_owned).collect()
    }

    /// Something to commit.
    pub fn change(&self, directory: &Path, text: &str) {
        std::fs::write(directory.join("buoys.txt"), text).unwrap();
        assert!(self.shell("git add buoys.txt", directory, &[], "").ok);
    }

    /// One event of the client; gives what was on stdout, which must be nothing or one JSON object, and the exit 0.
    #[track_caller]
    pub fn event(&self, event: &str, variables: &[(&str, &str)], mut body: Value) -> Value {
        body["hook_event_name"] = event.into();
        if body.get("session_id").is_none() {
            body["session_id"] = "s1".into();
        }
        if body.get("cwd").is_none() {
            body["cwd"] = self.dir().to_str().unwrap().into();
        }
        let said = self.shell(&format!("\"$CB\" hook client {event}"), &self.dir(), variables, &body.to_string());
        assert!(said.ok, "{said:?}");
        if said.stdout.is_empty() { Value::Null } else { serde_json::from_str(&said.stdout).unwrap_or_else(|fault| panic!("{fault}: {said:?}")) }
    }

    /// Why a command is denied; nothing when it is left to the client.
    #[track_caller]
    pub fn denied(&self, actor: &str, command: &str, directory: &Path) -> Option<String> {
        let body = json!({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": directory.to_str().unwrap()});
        let said = self.event("PreToolUse", &[("CALLBOARD_ACTOR", actor)], body);
        if said.is_null() {
            return None;
        }
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny", "never allowed, never asked: {said}");
        assert!(said["hookSpecificOutput"].get("updatedInput").is_none());
        Some(said["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned())
    }
}

//! A repository with a home of its own, the binary in it, and what it said with ids and times made equal.

use crate::support::hints;
use serde_json::Value;
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A repository, and everything a process could read from outside it.
pub struct Stage {
    keep: TempDir,
    /// Ids in the order they were first seen.
    seen: RefCell<Vec<String>>,
}

/// What a process said.
#[derive(Debug)]
pub struct Ended {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// What it advised holds, whatever the test is about.
    #[track_caller]
    fn of(output: Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        hints::lines_hold(&String::from_utf8_lossy(&output.stderr));
        Ended { exit: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// stdout as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|fault| panic!("{fault}: {}{}", self.stdout, self.stderr))
    }
}

/// Where programs are, this one among them.
fn path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_callboard")).parent().map(Path::to_owned);
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&others))).unwrap()
}

impl Stage {
    /// A repository with one commit, without a board.
    pub fn bare() -> Stage {
        let stage = Stage { keep: tempfile::tempdir().unwrap(), seen: RefCell::default() };
        std::fs::create_dir_all(stage.home()).unwrap();
        std::fs::create_dir_all(stage.dir()).unwrap();
        let config = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[commit]\n\tgpgSign = false\n";
        std::fs::write(stage.home().join("gitconfig"), config).unwrap();
        stage.git(&["init", "--quiet"]);
        std::fs::write(stage.dir().join("README.md"), "# harbour\n").unwrap();
        stage.git(&["add", "."]);
        stage.git(&["commit", "--quiet", "--message", "Begin"]);
        stage
    }

    /// A repository with a board in Berlin's time.
    pub fn new() -> Stage {
        let stage = Stage::bare();
        stage.ok(&["init", "--no-client", "--zone", "Europe/Berlin"]);
        stage
    }

    pub fn dir(&self) -> PathBuf {
        self.keep.path().join("harbour")
    }

    pub fn home(&self) -> PathBuf {
        self.keep.path().join("home")
    }

    pub fn board(&self) -> PathBuf {
        self.dir().join(".callboard")
    }

    #[allow(clippy::disallowed_methods, reason = "these tests are about processes")]
    fn command(&self, program: &str, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(directory)
            .env_clear()
            .env("PATH", path())
            .env("HOME", self.home())
            .env("USER", "ada")
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_GLOBAL", self.home().join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn git(&self, args: &[&str]) -> String {
        let output = self.command("git", &self.dir()).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The binary, ready to be started.
    pub fn callboard(&self, args: &[&str]) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_callboard"), &self.dir());
        command.args(args);
        command
    }

    #[track_caller]
    pub fn run(&self, args: &[&str]) -> Ended {
        Ended::of(self.callboard(args).output().unwrap())
    }

    pub fn run_as(&self, actor: &str, args: &[&str]) -> Ended {
        Ended::of(self.callboard(args).env("CALLBOARD_ACTOR", actor).output().unwrap())
    }

    pub fn run_with(&self, args: &[&str], stdin: &str) -> Ended {
        let mut child = self.callboard(args).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        Ended::of(child.wait_with_output().unwrap())
    }

    /// Runs it, must succeed, and gives stdout as it is.
    pub fn ok(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.exit, 0, "{args:?}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    /// A new task's id.
    pub fn add(&self, title: &str, more: &[&str]) -> String {
        let args: Vec<&str> = ["tasks", "add", title, "--json"].iter().chain(more).copied().collect();
        let receipt: Value = serde_json::from_str(&self.ok(&args)).unwrap();
        let id = receipt["data"]["tasks"][0]["id"].as_str().unwrap_or_else(|| panic!("{receipt}")).to_owned();
        self.even(&id);
        id
    }

    /// Both streams and the exit, with ids and times made equal.
    pub fn said(&self, args: &[&str]) -> String {
        self.shown(&self.run(args))
    }

    pub fn shown(&self, ended: &Ended) -> String {
        let mut text = self.even(&ended.stdout);
        for line in self.even(&ended.stderr).lines() {
            text.push_str(&format!("! {line}\n"));
        }
        if ended.exit != 0 {
            text.push_str(&format!("exit {}\n", ended.exit));
        }
        text
    }

    /// Ids are named in the order they were first seen, times by what they are.
    pub fn even(&self, text: &str) -> String {
        let mut seen = self.seen.borrow_mut();
        let mut even = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let found = id(rest, &mut seen).or_else(|| time(rest));
            let boundary = even.chars().next_back().is_none_or(|before| !before.is_alphanumeric());
            match found.filter(|_| boundary) {
                Some((length, name)) => {
                    even.push_str(&name);
                    rest = &rest[length..];
                }
                None => {
                    even.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        even
    }
}

fn hex(text: &str) -> usize {
    text.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count()
}

fn id(text: &str, seen: &mut Vec<String>) -> Option<(usize, String)> {
    for (prefix, digits) in [("tk-", 6), ("ms-", 6), ("qu-", 8), ("bl-", 8)] {
        if let Some(rest) = text.strip_prefix(prefix)
            && hex(rest) >= digits
        {
            let id = text[..prefix.len() + digits].to_owned();
            let place = seen.iter().position(|other| *other == id).unwrap_or_else(|| {
                seen.push(id.clone());
                seen.len() - 1
            });
            return Some((id.len(), format!("{prefix}{}", place + 1)));
        }
    }
    (hex(text) == 32).then(|| (32, "EVENT".to_owned()))
}

fn time(text: &str) -> Option<(usize, String)> {
    let is = |form: &str| {
        text.len() >= form.len()
            && text.is_char_boundary(form.len())
            && form.bytes().zip(text.bytes()).all(|(want, have)| if want == b'0' { have.is_ascii_digit() } else { want == have })
    };
    [("0000-00-00T00:00:00.000Z", "INSTANT"), ("0000-00-00 00:00", "TIME"), ("00:00", "CLOCK")]
        .into_iter()
        .find(|(form, _)| is(form))
        .map(|(form, name)| (form.len(), name.to_owned()))
}

//! One way to start `git`: cleaned environment, fixed directory, no questions, a time limit.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::GitError;

/// How long a question to git may take. Generous: a cold disk under load, never a person.
pub const ANSWER_SECONDS_MAX: u64 = 20;

/// What a finished `git` said.
#[derive(Debug)]
pub(crate) struct Output {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// Whether stdout went on behind what was asked for.
    pub cut: bool,
}

/// One start of git, described before it happens.
pub(crate) struct Git<'a> {
    directory: &'a Path,
    args: Vec<&'a OsStr>,
    stdin: Option<&'a [u8]>,
    envs: Vec<(&'a str, &'a str)>,
    limit: Duration,
    stdout_bytes_max: u64,
}

impl<'a> Git<'a> {
    pub fn new(directory: &'a Path, args: &[&'a str]) -> Git<'a> {
        Git {
            directory,
            args: args.iter().map(|arg| OsStr::new(*arg)).collect(),
            stdin: None,
            envs: Vec::new(),
            limit: Duration::from_secs(ANSWER_SECONDS_MAX),
            stdout_bytes_max: u64::MAX - 1,
        }
    }

    /// One more argument, which may be a path.
    pub fn arg(mut self, arg: &'a (impl AsRef<OsStr> + ?Sized)) -> Git<'a> {
        self.args.push(arg.as_ref());
        self
    }

    pub fn paths(mut self, paths: &[&'a Path]) -> Git<'a> {
        self.args.push(OsStr::new("--"));
        self.args.extend(paths.iter().map(|path| path.as_os_str()));
        self
    }

    pub fn stdin(mut self, bytes: &'a [u8]) -> Git<'a> {
        self.stdin = Some(bytes);
        self
    }

    pub fn envs(mut self, envs: &[(&'a str, &'a str)]) -> Git<'a> {
        self.envs.extend_from_slice(envs);
        self
    }

    /// Work on files takes longer than a question.
    pub fn limit(mut self, limit: Duration) -> Git<'a> {
        self.limit = limit;
        self
    }

    /// Reads no more of stdout than this and lets git end there.
    pub fn stdout_at_most(mut self, bytes: u64) -> Git<'a> {
        self.stdout_bytes_max = bytes;
        self
    }

    /// Runs git; an exit code is an answer here, not an error.
    pub fn output(self) -> Result<Output, GitError> {
        let spoken = self.spoken();
        let mut command = clean_git();
        // No file monitor: asking where things stand must neither run a repository's own command nor leave a daemon behind.
        command.args(["-c", "core.fsmonitor=false", "-C"]).arg(self.directory).args(&self.args).envs(self.envs.iter().copied());
        command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let child = command.spawn().map_err(|error| GitError::failed(&spoken, error))?;
        wait(child, self.stdin.map(<[u8]>::to_vec), self.stdout_bytes_max, self.limit, &spoken)
    }

    /// Runs git and returns its stdout; any exit code but 0 is an error.
    pub fn run(self) -> Result<Vec<u8>, GitError> {
        let spoken = self.spoken();
        let output = self.output()?;
        if output.code == Some(0) || output.cut { Ok(output.stdout) } else { Err(GitError::failed(spoken, output.stderr)) }
    }

    fn spoken(&self) -> String {
        let mut words = String::from("git");
        for arg in &self.args {
            words.push(' ');
            words.push_str(&arg.to_string_lossy());
        }
        words
    }
}

/// A `git` that sees neither the hook or alias we may be running in, nor a terminal to ask on.
fn clean_git() -> Command {
    let mut command = bare_git();
    for variable in local_variables() {
        command.env_remove(variable);
    }
    command
}

#[allow(clippy::disallowed_methods, reason = "this crate is the one place that starts git")]
fn bare_git() -> Command {
    let mut command = Command::new("git");
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Variables that tie a git process to one repository.
const LOCAL: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
];

/// Variables that people, hooks and CI set often and that tie git to nothing.
const GENERAL: [&str; 14] = [
    "GIT_ASKPASS",
    "GIT_AUTHOR_DATE",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_DATE",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_PAGER",
    "GIT_SSH_COMMAND",
    "GIT_TERMINAL_PROMPT",
];

/// The variables that tie a git process to one repository: ours, and git's own list when the environment holds one we know nothing of.
fn local_variables() -> &'static [String] {
    static VARIABLES: OnceLock<Vec<String>> = OnceLock::new();
    VARIABLES.get_or_init(|| {
        let mut names: Vec<String> = LOCAL.iter().map(|name| (*name).to_owned()).collect();
        // Where there is nothing more to clear, asking git would cost a process.
        if std::env::vars_os().any(|(name, _)| is_unknown(&name.to_string_lossy())) {
            let mut asked = bare_git();
            asked.args(["rev-parse", "--local-env-vars"]);
            if let Ok(output) = asked.output() {
                names.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
            }
        }
        names
    })
}

fn is_unknown(variable: &str) -> bool {
    variable.starts_with("GIT_") && !LOCAL.contains(&variable) && !GENERAL.contains(&variable)
}

/// Waits for the child at most `limit`; reads both pipes meanwhile, so that a full one cannot stall it.
fn wait(mut child: Child, stdin: Option<Vec<u8>>, stdout_bytes_max: u64, limit: Duration, spoken: &str) -> Result<Output, GitError> {
    let pipe = child.stdin.take();
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    let (done, finished) = mpsc::channel();
    let writer = thread::spawn(move || {
        if let (Some(mut pipe), Some(bytes)) = (pipe, stdin) {
            let _ = pipe.write_all(&bytes); // git may end without reading; its exit code tells
        }
    });
    let talk = thread::spawn(move || drain(stderr, u64::MAX));
    thread::spawn(move || {
        // One byte more tells whether there was more; then the pipe closes, which ends a git that still writes.
        let stdout = drain(stdout, stdout_bytes_max + 1);
        let _ = writer.join();
        let stderr = talk.join().unwrap_or_default();
        let _ = done.send((stdout, stderr));
    });
    match finished.recv_timeout(limit) {
        Ok((mut stdout, stderr)) => {
            let status = child.wait().map_err(|error| GitError::failed(spoken, error))?;
            let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
            let cut = stdout_bytes_max < stdout.len() as u64;
            if cut {
                stdout.pop();
            }
            Ok(Output { code: status.code(), stdout, stderr, cut })
        }
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(GitError::TimedOut)
        }
    }
}

fn drain(pipe: Option<impl Read>, bytes_max: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(bytes_max).read_to_end(&mut bytes); // a broken pipe ends the text; the exit code tells
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_is_an_answer_and_stderr_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let output = Git::new(dir.path(), &["rev-parse", "--git-dir"]).output().unwrap();
        assert_ne!(output.code, Some(0));
        assert!(output.stderr.contains("not a git repository"), "{}", output.stderr);
    }

    #[test]
    fn a_git_that_never_ends_is_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let stalled = Git::new(dir.path(), &["-c", "alias.stall=!exec sleep 5", "stall"]);
        let outcome = stalled.limit(Duration::from_millis(200)).output();
        assert!(matches!(outcome, Err(GitError::TimedOut)), "{outcome:?}");
    }

    #[test]
    fn no_variable_is_both_kept_and_cleared_and_git_knows_each_as_we_do() {
        let said = bare_git().args(["rev-parse", "--local-env-vars"]).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let local: Vec<&str> = said.lines().collect();
        let strays: Vec<&&str> = GENERAL.iter().filter(|name| LOCAL.contains(name) || local.contains(name)).collect();
        assert!(strays.is_empty(), "{strays:?}");
        assert!(is_unknown("GIT_SOMETHING_NEW") && !is_unknown("GIT_DIR") && !is_unknown("GITHUB_ACTIONS"));
    }

    #[test]
    fn more_output_than_a_pipe_holds_arrives_whole() {
        let dir = tempfile::tempdir().unwrap();
        let text = "0123456789abcdef".repeat(1 << 16);
        let echoed = Git::new(dir.path(), &["stripspace"]).stdin(text.as_bytes()).run().unwrap();
        assert_eq!(echoed.len(), text.len() + 1);
    }
}

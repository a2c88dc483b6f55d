//! The agent program: what it is called with, which environment it gets, and the one place where it is started.
//!
//! Invariants: the arguments are a pure function of what is asked; the prompt goes over stdin and ends there; no variable reaches the
//! agent that is not named here or by the person in their own configuration, and never a credential unasked.

use super::folder::Folder;
use super::group::MARK;
use crate::boot;
use crate::config::Config;
use crate::init;
use contracts::{Actor, Code, Hint, Problem, TaskId};
use serde_json::json;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Child;

/// The name of the one agent program that is known.
pub const CLAUDE: &str = "claude";

/// What a worker may use without anybody being asked.
const TOOLS: &str = "Bash,Edit,Glob,Grep,MultiEdit,NotebookEdit,Read,TodoWrite,Write,mcp__callboard";

/// Variables every worker gets, when they are set: who and where it is, how to reach the network, and where its own login is.
const PASSED: [&str; 23] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
];
/// Variables that make the agent spend on a key instead of its own login.
const CREDENTIALS: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];

/// The agent program and how it is to be called.
#[derive(Clone, Debug)]
pub struct Provider {
    /// Where it is.
    pub program: PathBuf,
    /// Which model; its own choice when absent.
    pub model: Option<String>,
    /// Whether it gets the credentials of its API.
    pub use_api_key: bool,
    /// Further variables it gets.
    pub pass: Vec<String>,
}

/// Who narrates: what it is told to be, where it stands, and what its processes carry.
#[derive(Clone, Debug)]
pub struct Narrating<'a> {
    /// What it is.
    pub system: &'a str,
    /// What it is told, in a file.
    pub prompt: &'a Path,
    /// An empty folder, in which it stands.
    pub directory: &'a Path,
    /// Where what it complains of goes.
    pub complaints: &'a Path,
    /// What its processes carry.
    pub mark: &'a str,
}

/// One call of the agent.
#[derive(Clone, Debug)]
pub struct Errand<'a> {
    /// Its task.
    pub task: &'a TaskId,
    /// Who it is.
    pub worker: &'a Actor,
    /// Where it works.
    pub worktree: &'a Path,
    /// The project's root.
    pub root: &'a Path,
    /// What it is told.
    pub prompt: &'a str,
    /// What its processes carry.
    pub mark: &'a str,
    /// The name of its conversation, by which it can be read and gone on with.
    pub session: &'a str,
}

impl Provider {
    /// Finds the program. Only the person's own configuration may name it or pass variables on: a file that came with a repository would
    /// start whatever it likes.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn find(config: &Config, model: Option<String>, use_api_key: bool) -> Result<Provider, Problem> {
        let own = &config.person;
        let named = own.providers.get(CLAUDE).and_then(|claude| claude.get("program")).and_then(toml::Value::as_str).map(PathBuf::from);
        let pass = own.env.get("pass").and_then(toml::Value::as_array).into_iter().flatten();
        let pass = pass.filter_map(toml::Value::as_str).map(str::to_owned).collect();
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let on_path = || std::env::split_paths(&paths).map(|folder| folder.join(CLAUDE)).find(|file| file.is_file());
        match named.or_else(on_path) {
            Some(program) if program.is_file() => Ok(Provider { program, model, use_api_key, pass }),
            found => {
                let what = found.map_or_else(|| format!("{CLAUDE} is not on the PATH"), |file| format!("{} is no program", file.display()));
                let hint = "install Claude Code and sign in once, or name it in ~/.config/callboard/config.toml: [providers.claude] program = \"…\"";
                Err(Problem::new(Code::NotFound, what).hint(Hint::text(hint)))
            }
        }
    }

    /// Who pays for a run, for the question before it.
    pub fn payer(&self) -> &'static str {
        if self.use_api_key { "the API key in this environment" } else { "claude's own login" }
    }

    /// Starts it, in a group of its own, with what it says going into its folder.
    ///
    /// # Errors
    /// When a file can't be written or the program can't be started.
    pub fn start(&self, errand: &Errand<'_>, folder: &Folder) -> io::Result<Child> {
        let binary = init::settings::binary().ok_or_else(|| io::Error::other("this program does not know where it is"))?;
        let mcp = folder.write("mcp.json", &mcp_entry(&binary, errand).to_string())?;
        let hooks = init::settings::document(&binary).ok_or_else(|| io::Error::other("the hooks' settings could not be written"))?;
        let settings = folder.write("settings.json", &hooks)?;
        let prompt = folder.write("prompt.md", errand.prompt)?;
        let temporary = folder.file("tmp");
        std::fs::create_dir_all(&temporary)?;
        let said = |name: &str| OpenOptions::new().create(true).append(true).open(folder.file(name));
        #[allow(clippy::disallowed_methods, reason = "this is the provider's module: agents are started here and nowhere else")]
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(arguments(self.model.as_deref(), errand.session, &settings, &mcp))
            .current_dir(errand.worktree)
            .env_clear()
            .envs(environment(&|name| std::env::var_os(name), std::env::vars_os().map(|(name, _)| name), self, errand))
            .env("TMPDIR", &temporary)
            .stdin(Stdio::from(File::open(&prompt)?))
            .stdout(said("raw.jsonl")?)
            .stderr(said("stderr")?)
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }
}

impl Provider {
    /// Starts it as a narrator, in a group of its own: without tools, servers, settings, hooks, memory or a project, with its answer on the
    /// pipe.
    ///
    /// # Errors
    /// When the program can't be started.
    pub fn start_narrator(&self, narrating: &Narrating<'_>) -> io::Result<Child> {
        #[allow(clippy::disallowed_methods, reason = "this is the provider's module: agents are started here and nowhere else")]
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(narrating_arguments(self.model.as_deref(), narrating.system))
            .current_dir(narrating.directory)
            .env_clear()
            .envs(self.passed(&|name| std::env::var_os(name), std::env::vars_os().map(|(name, _)| name)))
            .envs([("TERM", "dumb"), ("NO_COLOR", "1"), (MARK, narrating.mark)])
            .env("TMPDIR", narrating.directory)
            .stdin(Stdio::from(File::open(narrating.prompt)?))
            .stdout(Stdio::piped())
            .stderr(Stdio::from(File::create(narrating.complaints)?))
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }

    /// What it gets of the environment around it.
    fn passed(&self, of: &dyn Fn(&str) -> Option<OsString>, names: impl Iterator<Item = OsString>) -> Vec<(OsString, OsString)> {
        let mut set: Vec<(OsString, OsString)> = Vec::new();
        let credentials = CREDENTIALS.iter().copied().filter(|_| self.use_api_key);
        // A credential that is named to be passed on is passed on by the flag for it, and by nothing else.
        let named = self.pass.iter().map(String::as_str).filter(|name| !CREDENTIALS.contains(name));
        for name in PASSED.into_iter().chain(credentials).chain(named) {
            set.extend(of(name).map(|value| (OsString::from(name), value)));
        }
        for name in names {
            let text = name.to_string_lossy();
            if ["LC_", "GIT_AUTHOR_", "GIT_COMMITTER_"].iter().any(|prefix| text.starts_with(prefix)) {
                set.extend(of(&text).map(|value| (name.clone(), value)));
            }
        }
        set
    }
}

/// The arguments of a narration. An empty list of settings' sources is none of them, also not the person's own.
fn narrating_arguments(model: Option<&str>, system: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"].map(OsString::from).to_vec();
    words.extend(["--setting-sources", "", "--strict-mcp-config", "--tools", "", "--disable-slash-commands"].map(OsString::from));
    words.extend(["--no-session-persistence".into(), "--system-prompt".into(), system.into()]);
    if let Some(model) = model {
        words.extend(["--model".into(), model.into()]);
    }
    words
}

/// The arguments of one headless call. Headless, a permission that nobody gave beforehand is denied, and nobody is asked.
fn arguments(model: Option<&str>, session: &str, settings: &Path, mcp: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "project"].map(OsString::from).to_vec();
    words.extend(["--settings".into(), settings.into(), "--strict-mcp-config".into(), "--mcp-config".into(), mcp.into()]);
    words.extend(["--session-id", session].map(OsString::from));
    words.extend(["--permission-mode", "acceptEdits", "--allowedTools", TOOLS].map(OsString::from));
    if let Some(model) = model {
        words.extend(["--model".into(), model.into()]);
    }
    words
}

/// The tools of the board, for this worker alone.
fn mcp_entry(binary: &Path, errand: &Errand<'_>) -> serde_json::Value {
    json!({"mcpServers": {"callboard": {"command": binary, "args": ["mcp"], "env": {
        "CALLBOARD_ROOT": errand.root, "CALLBOARD_ACTOR": errand.worker, "CALLBOARD_TASK": errand.task, MARK: errand.mark,
    }}}})
}

/// The environment of a worker, made from nothing.
fn environment(
    of: &dyn Fn(&str) -> Option<OsString>,
    names: impl Iterator<Item = OsString>,
    provider: &Provider,
    errand: &Errand<'_>,
) -> Vec<(OsString, OsString)> {
    let mut set = provider.passed(of, names);
    let own: [(&str, OsString); 8] = [
        ("TERM", "dumb".into()),
        ("NO_COLOR", "1".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_EDITOR", "true".into()),
        ("CALLBOARD_ROOT", errand.root.into()),
        ("CALLBOARD_ACTOR", errand.worker.as_str().into()),
        ("CALLBOARD_TASK", errand.task.as_str().into()),
        (MARK, errand.mark.into()),
    ];
    set.extend(own.map(|(name, value)| (OsString::from(name), value)));
    set
}

/// A name no other conversation has: a random UUID, which is the form the agent takes.
pub(super) fn fresh_session() -> String {
    let bits = (boot::random_bits() & !(0xf << 76) & !(0b11 << 62)) | (4 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// A mark no other worker has.
pub(crate) fn fresh_mark() -> String {
    format!("{:032x}", boot::random_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errand() -> (TaskId, Actor) {
        (TaskId::from_bits(0x4f2a9c), Actor::agent_named("ana", "w1"))
    }

    #[test]
    fn the_arguments_are_as_they_are_written_down() {
        let words = arguments(Some("opus"), "5f0c", Path::new("/w/settings.json"), Path::new("/w/mcp.json"));
        let line: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        insta::assert_snapshot!(line.join(" "), @r"
        -p --output-format stream-json --verbose --setting-sources project --settings /w/settings.json --strict-mcp-config --mcp-config /w/mcp.json --session-id 5f0c --permission-mode acceptEdits --allowedTools Bash,Edit,Glob,Grep,MultiEdit,NotebookEdit,Read,TodoWrite,Write,mcp__callboard --model opus
        ");
        assert!(!arguments(None, "5f0c", Path::new("s"), Path::new("m")).contains(&"--model".into()));
    }

    #[test]
    fn a_conversation_has_a_name_of_the_form_the_agent_takes() {
        let (one, other) = (fresh_session(), fresh_session());
        assert_ne!(one, other);
        assert_eq!(one.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12], "{one}");
        assert!(one.split('-').nth(2).unwrap().starts_with('4') && one.split('-').nth(3).unwrap().starts_with(['8', '9', 'a', 'b']), "{one}");
    }

    #[test]
    fn a_narrator_has_no_tools_no_servers_and_no_settings() {
        let words = narrating_arguments(Some("opus"), "You narrate.");
        let line: Vec<String> = words.iter().map(|word| format!("{:?}", word.to_string_lossy()).replace('"', "'")).collect();
        insta::assert_snapshot!(line.join(" "), @"'-p' '--output-format' 'stream-json' '--verbose' '--include-partial-messages' '--setting-sources' '' '--strict-mcp-config' '--tools' '' '--disable-slash-commands' '--no-session-persistence' '--system-prompt' 'You narrate.' '--model' 'opus'");
    }

    #[test]
    fn a_worker_gets_no_credential_and_no_session_of_its_starter_unasked() {
        let (task, worker) = errand();
        let errand = Errand { task: &task, worker: &worker, worktree: Path::new("/t"), root: Path::new("/r"), prompt: "", mark: "m", session: "s" };
        let outside =
            ["PATH", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "CLAUDECODE", "LC_ALL", "MINE", "CALLBOARD_TASK"];
        let of = |name: &str| outside.contains(&name).then(|| OsString::from("x"));
        let names = |use_api_key: bool, pass: &[&str]| {
            let pass = pass.iter().map(|name| (*name).to_owned()).collect();
            let provider = Provider { program: PathBuf::new(), model: None, use_api_key, pass };
            let set = environment(&of, outside.iter().map(OsString::from), &provider, &errand);
            let task: Vec<_> = set.iter().filter(|(name, _)| name == "CALLBOARD_TASK").map(|(_, value)| value.clone()).collect();
            assert_eq!(task, ["tk-4f2a9c"], "its own task, not its starter's");
            set.into_iter().map(|(name, _)| name.into_string().unwrap()).collect::<Vec<_>>()
        };
        let plain = names(false, &["MINE", "ANTHROPIC_API_KEY"]);
        assert!(["PATH", "LC_ALL", "MINE", "CALLBOARD_ACTOR"].iter().all(|name| plain.iter().any(|set| set == name)), "{plain:?}");
        for kept in ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "CLAUDECODE"] {
            assert!(!plain.iter().any(|set| set == kept), "{kept}");
        }
        assert!(names(true, &[]).iter().any(|set| set == "ANTHROPIC_API_KEY"));
    }
}

//! Hooks: what git and agent clients call when something happens. They record and deliver.
//!
//! Invariants: a hook ends within its limit, says one line or one JSON object at most, and never stands in a person's way: whatever goes
//! wrong here, git and the client go on. The one thing that stops anything is the guard before an agent's commit.

mod acting;
mod claude;
mod commit;
mod git_hooks;
mod judge;
mod people;
mod words;

use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;

/// Which hook was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hook {
    /// One of git's, with git's own arguments.
    Git {
        /// As git names it.
        name: String,
        /// What git gives it.
        args: Vec<String>,
    },
    /// An agent client's.
    Client {
        /// As the client names it.
        event: String,
    },
}

/// The largest event a client may hand over, bytes.
const EVENT_BYTES_MAX: u64 = 16 << 20;
/// How long a hook of git may take; git's side gives up after five seconds.
const GIT_LIMIT: Duration = Duration::from_millis(4_500);
/// How long a hook around a tool may take.
const TOOL_LIMIT: Duration = Duration::from_millis(1_500);
/// How long a hook around a session may take.
const SESSION_LIMIT: Duration = Duration::from_secs(3);

/// What a hook has to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Said {
    /// For stdout: one JSON object.
    object: Option<String>,
    /// For stderr: one line.
    line: Option<String>,
    /// Whether git is to stop.
    stop: bool,
}

impl Said {
    fn line(line: impl Into<String>) -> Said {
        Said { line: Some(line.into()), ..Said::default() }
    }
}

/// Set by whoever ends the process: the hook that is done, or its time.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Runs a hook to its end, or to the end of its time.
pub fn run(project: Option<PathBuf>, hook: Hook) -> ExitCode {
    let limit = match &hook {
        Hook::Git { .. } => GIT_LIMIT,
        Hook::Client { event } if event.contains("ToolUse") => TOOL_LIMIT,
        Hook::Client { .. } => SESSION_LIMIT,
    };
    thread::spawn(move || {
        thread::sleep(limit);
        if !ENDED.swap(true, Ordering::SeqCst) {
            exit(0);
        }
    });
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return ExitCode::SUCCESS };
    let said = runtime.block_on(async {
        match hook {
            Hook::Git { name, args } => git_hooks::run(project, &name, &args).await,
            Hook::Client { event } => claude::run(project, &event).await,
        }
    });
    if ENDED.swap(true, Ordering::SeqCst) {
        thread::sleep(limit); // its time has come, and the other thread is ending the process
    }
    if let Some(line) = said.line {
        let line = line.replace('\n', " ");
        let _ = writeln!(std::io::stderr(), "callboard: {line}"); // nobody listens: then nobody needs it
    }
    if let Some(object) = said.object {
        let mut stdout = std::io::stdout();
        let _ = writeln!(stdout, "{object}").and_then(|()| stdout.flush());
    }
    // Not by returning: a git that is still being asked must not hold this one up.
    exit(i32::from(said.stop))
}

/// What is on stdin; nothing from a terminal.
fn given() -> Option<Vec<u8>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(EVENT_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    (u64::try_from(read).ok()? <= EVENT_BYTES_MAX).then_some(bytes)
}

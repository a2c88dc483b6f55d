//! `callboard run`: one headless agent a task, each in its worktree and its own process group, watched until it ends.
//!
//! Invariants:
//! - An agent is started in one module ([`provider`]), with an environment made from nothing and its prompt on stdin.
//! - Whoever watches a worker renews its lease while it lives and writes, and leaves it to lapse when the worker dies.
//! - When a worker has ended, or was ended, no process of its own is left.

mod folder;
pub(crate) mod group;
pub mod provider;
mod transcript;
mod watch;

pub use folder::{Ending, Folder, State};
pub use group::MARK;
pub use provider::Provider;
pub use transcript::transcript;
pub use watch::{News, Worker, start};

use contracts::{Code, Hint, Problem, TaskId};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a cancelled worker's own watcher is waited for.
const CANCEL_SECONDS: u64 = 20;

/// A worker that was ended.
#[derive(Clone, Debug)]
pub struct Cancelled {
    /// What is known of it.
    pub state: State,
    /// Whether its watcher ended it, and freed its task; otherwise the task is still to be freed.
    pub freed: bool,
}

/// Ends the newest worker of a task: asks its watcher to, or, when nobody watches it any more, does it here.
///
/// # Errors
/// `not_found` when no worker of the task runs; `busy` when it would not end.
pub async fn cancel(directory: &Path, task: &TaskId) -> Result<Cancelled, Problem> {
    let none = || {
        Problem::new(Code::NotFound, format!("no worker runs for {task}"))
            .hint(Hint::text(format!("callboard run list shows those there are; to free a task without one: callboard recover {task}")))
    };
    let folder = Folder::newest(directory, task).ok_or_else(none)?;
    let state = folder.state().filter(|state| state.ending.is_none()).ok_or_else(none)?;
    if folder.is_watched() {
        folder.ask_to_cancel().map_err(|fault| Problem::new(Code::Busy, format!("the worker of {task} can't be told to stop: {}", fault.kind())))?;
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(CANCEL_SECONDS) {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if let Some(state) = folder.state().filter(|state| state.ending.is_some()) {
                return Ok(Cancelled { state, freed: true });
            }
        }
        return Err(Problem::new(Code::Busy, format!("the worker of {task} was told to stop and has not ended yet")));
    }
    let ended = {
        let state = state.clone();
        tokio::task::spawn_blocking(move || group::end_stray(state.pid, &state.mark)).await
    };
    match ended {
        Ok(Ok(())) => {
            let state = State { ending: Some(Ending::Cancelled), ..state };
            folder.note(&state).map_err(|fault| Problem::new(Code::Busy, format!("its end can't be noted: {}", fault.kind())))?;
            Ok(Cancelled { state, freed: false })
        }
        Ok(Err(text)) => Err(Problem::new(Code::Busy, text)),
        Err(_) => Err(Problem::new(Code::Internal, "ending the worker failed")),
    }
}

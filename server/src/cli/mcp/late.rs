//! A board that is opened by the first call that needs it, and again by later ones while there is none: a session that was started
//! before `init` answers `not_initialized`, and works once somebody ran it.

use crate::boot::{self, Boot, BootOptions};
use contracts::view::{BoardQuery, Snapshot};
use contracts::{Answer, Board, Caller, Problem, TaskId};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The process's one board, once there is one.
pub struct Late {
    project: Option<PathBuf>,
    boot: Mutex<Option<Boot>>,
}

impl Late {
    /// Nothing opened yet.
    pub fn new(project: Option<PathBuf>) -> Late {
        Late { project, boot: Mutex::new(None) }
    }

    /// The board as this caller sees it.
    pub fn for_caller(self: &Arc<Late>, caller: Caller) -> Arc<dyn Board> {
        Arc::new(LateBoard { late: self.clone(), caller })
    }

    async fn open(&self, caller: &Caller) -> Result<Arc<dyn Board>, Problem> {
        let mut boot = self.boot.lock().await;
        if boot.is_none() {
            let opened = boot::boot(BootOptions { project: self.project.clone(), readers: 1, ..BootOptions::default() }).await?;
            for sentence in &opened.repaired {
                tracing::warn!("{sentence}");
            }
            *boot = Some(opened);
        }
        match boot.as_ref() {
            Some(boot) => Ok(boot.port.for_caller(caller.clone())),
            None => Err(Problem::new(contracts::Code::NotInitialized, "there is no board here")),
        }
    }
}

struct LateBoard {
    late: Arc<Late>,
    caller: Caller,
}

impl LateBoard {
    async fn open(&self) -> Result<Arc<dyn Board>, Problem> {
        self.late.open(&self.caller).await
    }
}

contracts::hand_on_board!(LateBoard, open, {
    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot> {
        Box::pin(async move { self.open().await?.snapshot(query, task).await })
    }
});

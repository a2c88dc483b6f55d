//! A board that is opened by the first call that needs it, and again by later ones while there is none: a session that was started
//! before `init` answers `not_initialized`, and works once somebody ran it.

use crate::boot::{self, Boot, BootOptions};
use contracts::report::{ReportQuery, ReportView};
use contracts::settings::{KnownProject, SettingsQuery, SettingsView};
use contracts::view::{
    ActivityQuery, ActivityView, ActorRow, BoardQuery, BoardView, CommitDetail, ConflictRow, Entry, HistoryRow, InboxItem, InboxQuery, MilestoneView,
    NextAnswer, NextRequest, Page, Queue, SearchHit, Snapshot, TaskCard, TaskQuery, TaskView, TimelineQuery,
};
use contracts::{Answer, Board, Caller, CommandRequest, CommitSha, EventId, Moment, Problem, Receipt, TaskId};
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

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $of:ty),*) -> $answer:ty;)+) => {
        impl Board for LateBoard {
            $(fn $name(&self, $($argument: $of),*) -> Answer<'_, $answer> {
                Box::pin(async move { self.late.open(&self.caller).await?.$name($($argument),*).await })
            })+
        }
    };
}

pass_on! {
    execute(request: CommandRequest) -> Receipt;
    execute_all(requests: Vec<CommandRequest>) -> Vec<Receipt>;
    next(request: NextRequest) -> NextAnswer;
    queue() -> Queue;
    snapshot(query: BoardQuery, task: Option<TaskId>) -> Snapshot;
    board(query: BoardQuery) -> BoardView;
    tasks(query: TaskQuery) -> Page<TaskCard>;
    task(id: TaskId) -> TaskView;
    thread(id: TaskId, cursor: Option<String>) -> Page<Entry>;
    history(id: TaskId, cursor: Option<String>) -> Page<HistoryRow>;
    commit(sha: CommitSha) -> CommitDetail;
    day_end(date: String) -> Moment;
    search(query: String, cursor: Option<String>) -> Page<SearchHit>;
    activity(query: ActivityQuery) -> Page<Entry>;
    events(query: ActivityQuery) -> Page<HistoryRow>;
    timeline(query: TimelineQuery) -> ActivityView;
    actors() -> Vec<ActorRow>;
    inbox(query: InboxQuery) -> Page<InboxItem>;
    undeliver(events: Vec<EventId>) -> ();
    conflicts() -> Vec<ConflictRow>;
    milestones() -> Vec<MilestoneView>;
    projects() -> Vec<KnownProject>;
    settings(query: SettingsQuery) -> SettingsView;
    report(query: ReportQuery) -> ReportView;
}

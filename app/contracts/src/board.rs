//! The port: what a board can be asked and told. The engine is behind it on the server, `fetch` in the browser.

use crate::command::{CommandRequest, Receipt};
use crate::graph::{GraphView, Walk};
use crate::hint::Hint;
use crate::id::{Actor, CommitSha, EventId, Key, TaskId};
use crate::moment::Moment;
use crate::problem::{Code, Problem};
use crate::report::{Narrate, ReportQuery, ReportRow, ReportView};
use crate::settings::{KnownProject, SettingsQuery, SettingsView};
use crate::view::{
    ActivityQuery, ActivityView, ActorRow, BoardQuery, BoardView, CommitDetail, ConflictRow, Entry, HistoryRow, InboxItem, InboxQuery, MilestoneView,
    NextAnswer, NextRequest, Page, ProjectView, Queue, Relation, SearchHit, Snapshot, TaskCard, TaskQuery, TaskView, TimelineQuery,
};
use std::future::Future;
use std::pin::Pin;

/// Where a call came in; it decides defaults and the wording of hints, never a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// The command line.
    Cli,
    /// An agent's tools.
    Mcp,
    /// The pages and their API.
    Web,
    /// Git's hooks and agent clients' hooks.
    Hook,
}

impl Surface {
    /// The word in events and presence.
    pub fn as_str(self) -> &'static str {
        match self {
            Surface::Cli => "cli",
            Surface::Mcp => "mcp",
            Surface::Web => "web",
            Surface::Hook => "hook",
        }
    }
}

/// Whose board it is: made by the transport, never from input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who says they act.
    pub actor: Actor,
    /// Who the process knows is behind it: `local:<os user>` or `local:<os user>/<git e-mail>`, …
    pub principal: String,
    /// Where the call came in.
    pub surface: Surface,
    /// The session, to tell two holders of one name apart.
    pub session: Option<String>,
    /// The client's own name, for presence only.
    pub client: Option<String>,
}

/// What every method of the port gives.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

/// A board as one caller sees it. No method names the caller: whoever holds the value is it.
pub trait Board: Send + Sync + 'static {
    /// One write.
    fn execute(&self, request: CommandRequest) -> Answer<'_, Receipt>;
    /// Whether a call of this caller with this key was answered in the last days: sent again it would change nothing. A board that keeps no
    /// receipts knows of none.
    fn has_answered(&self, _key: Key) -> Answer<'_, bool> {
        Box::pin(async { Ok(false) })
    }
    /// Several writes in one transaction, all or nothing; one batch on the sockets.
    fn execute_all(&self, requests: Vec<CommandRequest>) -> Answer<'_, Vec<Receipt>>;
    /// The next thing to do, claimed unless it is only a peek.
    fn next(&self, request: NextRequest) -> Answer<'_, NextAnswer>;
    /// How many tasks stand where, for this caller. A body that can count without choosing says so itself.
    fn queue(&self) -> Answer<'_, Queue> {
        Box::pin(async move { Ok(self.next(NextRequest { peek: true, ..NextRequest::default() }).await?.queue) })
    }
    /// The project: name, zone, base. A body that can read it without the rest of a page does so.
    fn project(&self) -> Answer<'_, ProjectView> {
        Box::pin(async move { Ok(self.snapshot(BoardQuery { limit: Some(1), ..BoardQuery::default() }, None).await?.project) })
    }
    /// All a page needs, in one read. With a task: its view too (`not_found` when there is none).
    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot>;
    /// The columns.
    fn board(&self, query: BoardQuery) -> Answer<'_, BoardView>;
    /// A list.
    fn tasks(&self, query: TaskQuery) -> Answer<'_, Page<TaskCard>>;
    /// One task, whole.
    fn task(&self, id: TaskId) -> Answer<'_, TaskView>;
    /// A page of a thread, newest page first, each page oldest first; `cursor` from the page before.
    fn thread(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<Entry>>;
    /// A page of everything that happened to a task, newest first.
    fn history(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<HistoryRow>>;
    /// A bound commit, with what it changes when this clone has it.
    fn commit(&self, sha: CommitSha) -> Answer<'_, CommitDetail>;
    /// The last second of a day that is written `2026-12-01`, in the project's zone. A body that does not know zones takes instants only.
    fn day_end(&self, date: String) -> Answer<'_, Moment> {
        let fault = format!("{date:?} is no instant like 2026-12-01T17:00:00Z");
        Box::pin(async move { Err(Problem::bad_request("due_at", fault)) })
    }
    /// What a task waits for and what waits for it, some steps either way. A body that can read many tasks in one go does so itself.
    fn graph(&self, id: TaskId, steps: u8) -> Answer<'_, GraphView> {
        Box::pin(async move {
            let mut walk = Walk::from(id.clone(), steps);
            loop {
                let wanted = walk.wanted();
                if wanted.is_empty() {
                    return Ok(walk.finish());
                }
                for other in wanted {
                    match self.task(other.clone()).await {
                        Ok(task) => walk.found(&Relation::to(&task.card), &task.waits_on, &task.blocking),
                        // A task that is waited for need not be known here yet.
                        Err(problem) if problem.code == Code::NotFound && other != id => {}
                        Err(problem) => return Err(problem),
                    }
                }
            }
        })
    }
    /// Words in ids, titles, specs, threads and commit subjects.
    fn search(&self, query: String, cursor: Option<String>) -> Answer<'_, Page<SearchHit>>;
    /// What happened on the board, newest first.
    fn activity(&self, query: ActivityQuery) -> Answer<'_, Page<Entry>>;
    /// The same with everything about each event. A body that does not reach the log itself has nothing but the entries.
    fn events(&self, _query: ActivityQuery) -> Answer<'_, Page<HistoryRow>> {
        Box::pin(async { Err(no_log()) })
    }
    /// What the activity page shows. A body that does not reach the log itself does not know it.
    fn timeline(&self, _query: TimelineQuery) -> Answer<'_, ActivityView> {
        Box::pin(async { Err(no_log()) })
    }
    /// Who is there and what they hold.
    fn actors(&self) -> Answer<'_, Vec<ActorRow>>;
    /// A page of the caller's inbox; with `deliver` all of it is marked as delivered.
    fn inbox(&self, query: InboxQuery) -> Answer<'_, Page<InboxItem>>;
    /// Marks events as delivered to the caller: for a surface that must see first how much of an inbox its answer has room for. A board that
    /// keeps no marks has none to set.
    fn deliver(&self, _events: Vec<EventId>) -> Answer<'_, ()> {
        Box::pin(async { Ok(()) })
    }
    /// Takes marks of delivery of the caller back: the answer that held these events could not be written. A board that keeps no marks has
    /// none to take back.
    fn undeliver(&self, _events: Vec<EventId>) -> Answer<'_, ()> {
        Box::pin(async { Ok(()) })
    }
    /// Facts that found no effect and wait for a person.
    fn conflicts(&self) -> Answer<'_, Vec<ConflictRow>>;
    /// All milestones, open ones first.
    fn milestones(&self) -> Answer<'_, Vec<MilestoneView>>;
    /// A report that is asked for, made now.
    fn report(&self, _query: ReportQuery) -> Answer<'_, ReportView> {
        no_reports()
    }
    /// The written reports, the newest window first.
    fn reports(&self) -> Answer<'_, Vec<ReportRow>> {
        no_reports()
    }
    /// A report by its name: its file when there is one, else made now.
    fn report_named(&self, _label: String) -> Answer<'_, ReportView> {
        no_reports()
    }
    /// Writes a report's file, or its facts anew; what is narrated below them stays.
    fn write_report(&self, _label: String, _how: Narrate) -> Answer<'_, ReportView> {
        no_reports()
    }
    /// Takes in a version of a report's file, made elsewhere or by hand; `base` is the SHA-256 its maker last saw here.
    fn put_report(&self, _label: String, _text: String, _base: Option<String>) -> Answer<'_, ReportView> {
        no_reports()
    }
    /// Has a report narrated; the answer is that it began, or why not.
    fn narrate(&self, _label: String, _how: Narrate) -> Answer<'_, ()> {
        no_reports()
    }
    /// Ends a narration, whoever began it; what was written so far stays.
    fn cancel_narration(&self, _label: String) -> Answer<'_, ()> {
        no_reports()
    }
    /// The projects this person opened lately on this machine. A body that knows of no others has none.
    fn projects(&self) -> Answer<'_, Vec<KnownProject>> {
        Box::pin(async { Ok(Vec::new()) })
    }
    /// How the project is wired to git and to agent clients here, and, when asked, whether its log holds.
    fn settings(&self, query: SettingsQuery) -> Answer<'_, SettingsView>;
}

/// The answer of a board that keeps no reports.
fn no_reports<'a, T: Send + 'a>() -> Answer<'a, T> {
    Box::pin(async { Err(Problem::new(Code::NotFound, "this board keeps no reports")) })
}

/// What a body says that does not reach the log itself.
fn no_log() -> Problem {
    Problem::new(Code::Unreachable, "The log can't be read from here").hint(Hint::text("open the activity page"))
}

/// Makes a type a [`Board`] that hands every call on to another one, which its async method `$inner` gives. Only `snapshot` is written by
/// whoever uses it, since some add to it. A method of the port that is forgotten here is answered by its default, for all such boards alike.
#[macro_export]
macro_rules! hand_on_board {
    ($board:ty, $inner:ident, { $($snapshot:tt)* }) => {
        $crate::hand_on_board! {
            @methods $board, $inner, { $($snapshot)* },
            execute(request: $crate::CommandRequest) -> $crate::Receipt;
            execute_all(requests: Vec<$crate::CommandRequest>) -> Vec<$crate::Receipt>;
            has_answered(key: $crate::Key) -> bool;
            project() -> $crate::view::ProjectView;
            next(request: $crate::view::NextRequest) -> $crate::view::NextAnswer;
            queue() -> $crate::view::Queue;
            board(query: $crate::view::BoardQuery) -> $crate::view::BoardView;
            tasks(query: $crate::view::TaskQuery) -> $crate::view::Page<$crate::view::TaskCard>;
            task(id: $crate::TaskId) -> $crate::view::TaskView;
            thread(id: $crate::TaskId, cursor: Option<String>) -> $crate::view::Page<$crate::view::Entry>;
            history(id: $crate::TaskId, cursor: Option<String>) -> $crate::view::Page<$crate::view::HistoryRow>;
            commit(sha: $crate::CommitSha) -> $crate::view::CommitDetail;
            graph(id: $crate::TaskId, steps: u8) -> $crate::graph::GraphView;
            search(query: String, cursor: Option<String>) -> $crate::view::Page<$crate::view::SearchHit>;
            activity(query: $crate::view::ActivityQuery) -> $crate::view::Page<$crate::view::Entry>;
            events(query: $crate::view::ActivityQuery) -> $crate::view::Page<$crate::view::HistoryRow>;
            timeline(query: $crate::view::TimelineQuery) -> $crate::view::ActivityView;
            day_end(date: String) -> $crate::Moment;
            projects() -> Vec<$crate::settings::KnownProject>;
            actors() -> Vec<$crate::view::ActorRow>;
            inbox(query: $crate::view::InboxQuery) -> $crate::view::Page<$crate::view::InboxItem>;
            deliver(events: Vec<$crate::EventId>) -> ();
            undeliver(events: Vec<$crate::EventId>) -> ();
            conflicts() -> Vec<$crate::view::ConflictRow>;
            milestones() -> Vec<$crate::view::MilestoneView>;
            settings(query: $crate::settings::SettingsQuery) -> $crate::settings::SettingsView;
            report(query: $crate::report::ReportQuery) -> $crate::report::ReportView;
            reports() -> Vec<$crate::report::ReportRow>;
            report_named(label: String) -> $crate::report::ReportView;
            write_report(label: String, how: $crate::report::Narrate) -> $crate::report::ReportView;
            put_report(label: String, text: String, base: Option<String>) -> $crate::report::ReportView;
            narrate(label: String, how: $crate::report::Narrate) -> ();
            cancel_narration(label: String) -> ();
        }
    };
    (@methods $board:ty, $inner:ident, { $($snapshot:tt)* }, $($name:ident($($argument:ident: $of:ty),*) -> $answer:ty;)+) => {
        impl $crate::Board for $board {
            $($snapshot)*
            $(fn $name(&self, $($argument: $of),*) -> $crate::Answer<'_, $answer> {
                Box::pin(async move { self.$inner().await?.$name($($argument),*).await })
            })+
        }
    };
}

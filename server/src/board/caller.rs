//! Somebody's board: the port with the caller already known.

use super::ServerPort;
use super::assemble::{Reading, no_task, told};
use super::{activity, commits, settings, snapshot};
use crate::reports::{self, Reports};
use crate::zone;
use contracts::command::{CommandRequest, Receipt};
use contracts::graph::GraphView;
use contracts::report::{Narrate, ReportKind, ReportQuery, ReportRow, ReportView};
use contracts::settings::{KnownProject, SettingsQuery, SettingsView};
use contracts::text::Slug;
use contracts::view::{
    ActivityQuery, ActivityView, ActorRow, BoardQuery, BoardView, CommitDetail, ConflictRow, Entry, HistoryRow, InboxItem, InboxQuery, MilestoneView,
    NextAnswer, NextRequest, Page, Place, ProjectView, Queue, SearchHit, Snapshot, TaskCard, TaskQuery, TaskView, TimelineQuery,
};
use contracts::{Answer, Board, Caller, Code, Command, CommitSha, EventId, Hint, Key, Moment, Problem, Surface, TaskId, limits};
use storage::{InboxPage, NextOutcome, Outcome, Work};

pub(super) struct SomebodysBoard {
    port: ServerPort,
    caller: Caller,
}

impl SomebodysBoard {
    pub fn new(port: ServerPort, caller: Caller) -> SomebodysBoard {
        SomebodysBoard { port, caller }
    }

    async fn read(&self) -> Result<Reading, Problem> {
        Reading::of(self.port.current().await?.reader().begin().await.map_err(told)?, self.caller.surface).await
    }

    /// Sends work that says its caller is there, which is noted behind it, unless the board is too busy even for the work.
    async fn send(&self, work: Work) -> Result<Outcome, Problem> {
        let sent = self.port.send(&self.caller, work).await;
        if !matches!(&sent, Err(problem) if problem.code == Code::Busy) {
            self.port.seen(&self.caller).await;
        }
        sent
    }

    async fn write(&self, requests: Vec<CommandRequest>) -> Result<Vec<Receipt>, Problem> {
        requests.iter().try_for_each(known_zone)?;
        let places = requests.iter().any(|request| matches!(request.command, Command::Dispatch(_)));
        let asked = if places { requests.clone() } else { Vec::new() };
        match self.send(Work::Commands(requests)).await? {
            Outcome::Receipts(mut receipts) => {
                self.port.place_workers(&self.caller, &asked, &mut receipts).await?;
                Ok(receipts)
            }
            other => Err(unexpected(&other)),
        }
    }

    /// Whether what is read goes to a surface that shows HTML.
    fn shows_pages(&self) -> bool {
        self.caller.surface == Surface::Web
    }

    async fn unread(&self, query: &InboxQuery) -> Result<Page<InboxItem>, Problem> {
        let mut reading = self.read().await?;
        let InboxPage { rows, total, next } = reading.read.inbox(&self.caller.actor, query).await.map_err(told)?;
        let fresh: Vec<EventId> = rows.iter().filter(|row| row.delivered_at.is_none()).map(|row| row.row.event.id.clone()).collect();
        let items = reading.inbox(rows).await?;
        let seq = reading.seq().await?;
        drop(reading);
        if query.deliver && !fresh.is_empty() {
            self.port.send(&self.caller, Work::Deliver { events: fresh }).await?;
        }
        Ok(Page { items, total, next, seq })
    }

    async fn answer(&self, outcome: NextOutcome, peek: bool) -> Result<NextAnswer, Problem> {
        // People mark what they read themselves, in the bell. An agent is handed it with its answer; its tools cut that to their room first.
        let deliver = !peek && self.caller.actor.is_agent() && self.caller.surface != Surface::Mcp;
        let inbox = self.unread(&InboxQuery { deliver, ..InboxQuery::default() }).await?;
        let mut reading = self.read().await?;
        let task = match &outcome.task {
            Some(id) => Some(Box::new(reading.task(id, &self.caller).await?)),
            None => None,
        };
        let mine = task.as_ref().and_then(|task| task.card.lease.clone()).filter(|lease| lease.actor == self.caller.actor);
        let place = match &task {
            Some(task) => self.place(&mut reading, task).await?,
            None => None,
        };
        Ok(NextAnswer {
            how: outcome.how,
            how_text: outcome.how_text,
            task,
            why: outcome.why,
            lease: mine,
            place,
            inbox_more: inbox.total - i64::try_from(inbox.items.len()).unwrap_or(i64::MAX),
            inbox: inbox.items,
            verdict: outcome.verdict,
            collisions: outcome.collisions,
            collisions_more: outcome.collisions_more,
            queue: outcome.queue,
            warnings: outcome.warnings,
            repeated: outcome.repeated,
            seq: reading.seq().await?,
            now: reading.now,
        })
    }

    /// The task's worktree if it has one, else the branch and the exact line that gets there.
    async fn place(&self, reading: &mut Reading, task: &TaskView) -> Result<Option<Place>, Problem> {
        let Some(branch) = task.card.branch.clone() else { return Ok(None) };
        let base = self.port.0.base.chosen(reading.settings.base.as_deref());
        let tree = self.port.0.base.root().join(&reading.settings.trees_dir).join(task.card.id.as_str());
        let known = task.worktree.clone().filter(|place| std::path::Path::new(place).is_dir());
        let worktree = known.or_else(|| tree.join(".git").exists().then(|| tree.to_string_lossy().into_owned()));
        let elsewhere = worktree.is_none() && self.taken_here(reading, task).await?;
        let command = match (&base, self.port.0.base.has_branch(&branch)) {
            _ if elsewhere => Some(format!("callboard worktree add {}", task.card.id)),
            (_, true) => Some(format!("git switch {branch}")),
            (Some(base), false) => Some(format!("git switch -c {branch} {base}")),
            (None, false) => None,
        };
        Ok(Some(Place { worktree, branch: Some(branch), base, command }))
    }

    /// Whether the checkout this process stands in is the place of another task that somebody works on.
    async fn taken_here(&self, reading: &mut Reading, task: &TaskView) -> Result<bool, Problem> {
        let Some(here) = self.port.0.base.here() else { return Ok(false) };
        let ids = reading.read.leased_tasks().await.map_err(told)?;
        let rows = reading.read.card_rows(&ids).await.map_err(told)?;
        let others = rows.iter().filter(|row| row.task.id != task.card.id).filter_map(|row| row.lease.as_ref());
        let grace_s = reading.settings.grace_s;
        let mut live = others.filter(|lease| engine::lease_state(lease, reading.now, grace_s) != engine::LeaseState::Lapsed);
        Ok(live.any(|lease| lease.worktree.as_deref().is_some_and(|place| std::path::Path::new(place) == here)))
    }
}

/// The engine reads no files and so knows the form of a zone's name alone; days would be cut in UTC where the name means nothing.
fn known_zone(request: &CommandRequest) -> Result<(), Problem> {
    let named = match &request.command {
        Command::Configure(set) if set.key == "zone" => set.value.as_str(),
        Command::CreateProject(create) => Some(create.zone.as_str()),
        _ => None,
    };
    match named.filter(|name| jiff::tz::TimeZone::get(name).is_err()) {
        Some(name) => {
            Err(Problem::bad_request("zone", format!("{name:?} is no time zone this machine knows")).hint(Hint::text("name one like Europe/Berlin or UTC")))
        }
        None => Ok(()),
    }
}

fn unexpected(outcome: &Outcome) -> Problem {
    tracing::error!(?outcome, "the store gave an answer to another question");
    Problem::new(Code::Internal, "the board gave an answer to another question")
}

impl Board for SomebodysBoard {
    fn execute(&self, request: CommandRequest) -> Answer<'_, Receipt> {
        Box::pin(async move {
            let mut receipts = self.write(vec![request]).await?;
            receipts.pop().ok_or_else(|| Problem::new(Code::Internal, "the board gave no receipt"))
        })
    }

    fn execute_all(&self, requests: Vec<CommandRequest>) -> Answer<'_, Vec<Receipt>> {
        Box::pin(async move {
            if requests.is_empty() || requests.len() > limits::COMMANDS_IN_BATCH_MAX {
                let text = format!("a batch has 1 to {} commands, not {}", limits::COMMANDS_IN_BATCH_MAX, requests.len());
                return Err(Problem::bad_request("batch", text));
            }
            self.write(requests).await
        })
    }

    fn next(&self, request: NextRequest) -> Answer<'_, NextAnswer> {
        Box::pin(async move {
            let peek = request.peek;
            if request.kind.is_some() {
                self.read().await?.known_type(request.kind.as_ref().map(Slug::as_str)).await?;
            }
            match self.send(Work::Next(request)).await? {
                Outcome::Next(outcome) => self.answer(*outcome, peek).await,
                other => Err(unexpected(&other)),
            }
        })
    }

    fn queue(&self) -> Answer<'_, Queue> {
        Box::pin(async move { self.read().await?.read.queue(&self.caller.actor).await.map_err(told) })
    }

    fn snapshot(&self, query: BoardQuery, task: Option<TaskId>) -> Answer<'_, Snapshot> {
        Box::pin(async move {
            self.port.seen(&self.caller).await;
            snapshot::snapshot(&self.port, &mut self.read().await?, &self.caller, &query, task.as_ref()).await
        })
    }

    fn board(&self, query: BoardQuery) -> Answer<'_, BoardView> {
        Box::pin(async move { snapshot::board(&mut self.read().await?, &self.caller, &query).await })
    }

    fn tasks(&self, query: TaskQuery) -> Answer<'_, Page<TaskCard>> {
        Box::pin(async move {
            snapshot::words_fit(&query.q)?;
            let mut reading = self.read().await?;
            reading.known_type(query.kind.as_deref()).await?;
            let asking = reading.asking(&query.filter, &self.caller).await?;
            let page = reading.read.cards(&query, asking.as_ref()).await.map_err(told)?;
            let items = reading.cards(&page.rows).await?;
            Ok(Page { items, total: page.total, next: page.next, seq: reading.seq().await? })
        })
    }

    fn task(&self, id: TaskId) -> Answer<'_, TaskView> {
        Box::pin(async move { self.read().await?.task(&id, &self.caller).await })
    }

    fn thread(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<Entry>> {
        Box::pin(async move {
            let mut reading = self.read().await?;
            known(&mut reading, &id).await?;
            let page = reading.thread(&id, cursor.as_deref()).await?;
            Ok(Page { seq: reading.seq().await?, ..page })
        })
    }

    fn history(&self, id: TaskId, cursor: Option<String>) -> Answer<'_, Page<HistoryRow>> {
        Box::pin(async move {
            let mut reading = self.read().await?;
            known(&mut reading, &id).await?;
            let page = reading.history(&id, cursor.as_deref()).await?;
            Ok(Page { seq: reading.seq().await?, ..page })
        })
    }

    fn commit(&self, sha: CommitSha) -> Answer<'_, CommitDetail> {
        Box::pin(async move { commits::detail(&self.port, self.read().await?, &sha).await })
    }

    fn day_end(&self, date: String) -> Answer<'_, Moment> {
        Box::pin(async move {
            let zone = zone::named(&self.read().await?.settings.zone);
            zone::end_of_day(&date, &zone).ok_or_else(|| Problem::bad_request("due_at", format!("{date:?} is no date like 2026-12-01")))
        })
    }

    fn graph(&self, id: TaskId, steps: u8) -> Answer<'_, GraphView> {
        Box::pin(async move { self.read().await?.graph(&id, steps, &self.caller).await })
    }

    fn search(&self, query: String, cursor: Option<String>) -> Answer<'_, Page<SearchHit>> {
        Box::pin(async move {
            let chars = query.chars().count();
            if query.trim().is_empty() || chars > limits::QUERY_CHARS_MAX {
                let text = format!("a search has 1 to {} characters, not {chars}", limits::QUERY_CHARS_MAX);
                return Err(Problem::bad_request("q", text));
            }
            self.read().await?.search(&query, cursor.as_deref()).await
        })
    }

    fn activity(&self, query: ActivityQuery) -> Answer<'_, Page<Entry>> {
        Box::pin(async move {
            query.kind.as_deref().map_or(Ok(()), known_kind)?;
            let mut reading = self.read().await?;
            let page = reading.read.activity(&query).await.map_err(told)?;
            Ok(Page { items: reading.entries(&page.rows).await?, total: page.total, next: page.next, seq: reading.seq().await? })
        })
    }

    fn events(&self, query: ActivityQuery) -> Answer<'_, Page<HistoryRow>> {
        Box::pin(async move { activity::events(&mut self.read().await?, &query).await })
    }

    fn timeline(&self, query: TimelineQuery) -> Answer<'_, ActivityView> {
        Box::pin(async move {
            let view = activity::timeline(&mut self.read().await?, &query.of).await?;
            activity::with_chains(&self.port, view, &query).await
        })
    }

    fn has_answered(&self, key: Key) -> Answer<'_, bool> {
        Box::pin(async move { self.read().await?.read.has_answer(&self.caller.actor, &key).await.map_err(told) })
    }

    fn project(&self) -> Answer<'_, ProjectView> {
        Box::pin(async move {
            let mut reading = self.read().await?;
            let project = reading.read.project().await.map_err(told)?.unwrap_or_default();
            Ok(snapshot::project_view(&project, reading.now, self.port.0.base.chosen(reading.settings.base.as_deref())))
        })
    }

    fn actors(&self) -> Answer<'_, Vec<ActorRow>> {
        Box::pin(async move { self.read().await?.read.actors().await.map_err(told) })
    }

    fn inbox(&self, query: InboxQuery) -> Answer<'_, Page<InboxItem>> {
        Box::pin(async move { self.unread(&query).await })
    }

    fn deliver(&self, events: Vec<EventId>) -> Answer<'_, ()> {
        Box::pin(async move { self.send(Work::Deliver { events }).await.map(drop) })
    }

    fn undeliver(&self, events: Vec<EventId>) -> Answer<'_, ()> {
        Box::pin(async move { self.port.send(&self.caller, Work::Undeliver { events }).await.map(drop) })
    }

    fn conflicts(&self) -> Answer<'_, Vec<ConflictRow>> {
        Box::pin(async move { self.read().await?.conflicts().await })
    }

    fn milestones(&self) -> Answer<'_, Vec<MilestoneView>> {
        Box::pin(async move {
            let found = self.read().await?.read.milestones().await.map_err(told)?;
            Ok(found.iter().map(engine::views::milestone_view).collect())
        })
    }

    fn projects(&self) -> Answer<'_, Vec<KnownProject>> {
        Box::pin(async move { settings::projects(&self.port).await })
    }

    fn settings(&self, query: SettingsQuery) -> Answer<'_, SettingsView> {
        Box::pin(async move {
            let mut reading = self.read().await?;
            let seq = reading.seq().await?;
            let review_default = reading.settings.review_default;
            let project = reading.read.project().await.map_err(told)?.unwrap_or_default();
            let narration = engine::settings::present(&project, "narration.provider").as_str().unwrap_or_default().to_owned();
            drop(reading);
            let projects = settings::projects(&self.port).await?;
            let view = settings::settings(&self.port, query, seq).await?;
            Ok(SettingsView { review_default, narration, projects, ..view })
        })
    }

    fn report(&self, query: ReportQuery) -> Answer<'_, ReportView> {
        Box::pin(async move {
            if query.kind != ReportKind::Board {
                return Reports::of(&self.port).asked(&query, self.shows_pages()).await;
            }
            let mut reading = self.read().await?;
            // Its form is checked where that of all others is.
            engine::report::window(&query, &crate::zone::named(&reading.settings.zone), reading.now)?;
            let rows = BoardQuery { limit: Some(limits::REPORT_ROWS_MAX as u32), ..BoardQuery::default() };
            let board = snapshot::board(&mut reading, &self.caller, &rows).await?;
            Ok(reports::board(&board, self.shows_pages()))
        })
    }

    fn reports(&self) -> Answer<'_, Vec<ReportRow>> {
        Box::pin(async move { Reports::of(&self.port).list().await })
    }

    fn report_named(&self, label: String) -> Answer<'_, ReportView> {
        Box::pin(async move { Reports::of(&self.port).named(&label, self.shows_pages()).await })
    }

    fn write_report(&self, label: String, how: Narrate) -> Answer<'_, ReportView> {
        Box::pin(async move { Reports::of(&self.port).write(&self.caller, &label, &how).await })
    }

    fn put_report(&self, label: String, text: String, base: Option<String>) -> Answer<'_, ReportView> {
        Box::pin(async move { Reports::of(&self.port).put(&self.caller, &label, &text, base.as_deref()).await })
    }

    fn narrate(&self, label: String, how: Narrate) -> Answer<'_, ()> {
        Box::pin(async move {
            let narrator = reports::narrate(&Reports::of(&self.port), &self.caller, &label, how, reports::Limits::default()).await?;
            // It goes on when whoever asked is gone; it ends with its process, or when somebody cancels it.
            tokio::spawn(async move {
                let (_never, stop) = tokio::sync::watch::channel(false);
                if let Err(problem) = narrator.run(stop, |_| {}).await {
                    tracing::info!(code = %problem.code, %label, "a narration was not finished");
                }
            });
            Ok(())
        })
    }

    fn cancel_narration(&self, label: String) -> Answer<'_, ()> {
        Box::pin(async move { Reports::of(&self.port).spool(&label).ask_to_cancel() })
    }
}

/// Happenings are asked for by a kind, or by a family of them.
fn known_kind(asked: &str) -> Result<(), Problem> {
    let all: Vec<&str> = engine::event::kinds().iter().map(engine::Kind::as_str).collect();
    let family = |kind: &&str| asked.strip_suffix(".*").is_some_and(|family| kind.split_once('.').is_some_and(|(of, _)| of == family));
    if all.iter().any(|kind| *kind == asked || family(kind)) {
        return Ok(());
    }
    Err(Problem::bad_request("kind", format!("{asked:?} is no kind of happening")).hint(Hint::text(format!("kinds: {}; task.* is a family", all.join(", ")))))
}

/// A page of a task that is not here is a refusal, not an empty page.
async fn known(reading: &mut Reading, id: &TaskId) -> Result<(), Problem> {
    let rows = reading.read.card_rows(std::slice::from_ref(id)).await.map_err(told)?;
    if rows.is_empty() { Err(no_task(id)) } else { Ok(()) }
}

//! What readers see of a task and a milestone: card, view, why it stands there, where it may be dragged, what its reader may do.

use crate::case::Case;
use crate::event::Event;
use crate::facts::{Context, Counters, Facts, Lease, MilestoneFacts, Neighbour, TaskFacts};
use crate::lifecycle::would_refuse;
use crate::settings::Settings;
use crate::standing::{LeaseState, counting, is_evidence, lease_state, passed, rest, standing, waits};
use crate::task::{Milestone, Task};
use crate::words::{count, cut, plain};
use contracts::command::*;
use contracts::standing::{Column, HoldKind, Standing, Status, Verdict, Via};
use contracts::view::{
    Allowance, BlockerView, CommitView, ConflictRow, LeaseView, MilestoneView, QuestionView, Refusal, Relation, ReviewView, TaskCard, TaskView, Why,
};
use contracts::{Call, Moment, Note, TaskId};

/// Texts on cards.
const CARD_CHARS: usize = 200;

pub use crate::entries::{entry, history_row, is_thread};

/// A task as lists, columns and live changes carry it.
pub fn card(task: &Task, counters: &Counters, lease: Option<&Lease>, settings: &Settings, now: Moment, collides: u32) -> TaskCard {
    let stands = standing(rest(task, counters), lease, now, settings.grace_s);
    let running = lease.filter(|lease| task.status == Status::Open && lease_state(lease, now, settings.grace_s) != LeaseState::Lapsed);
    let evidence = counting(task);
    TaskCard {
        id: task.id.clone(),
        title: task.title.clone(),
        kind: task.kind.clone(),
        priority: task.priority,
        status: task.status,
        standing: stands,
        column: stands.column(),
        why: why(task, counters, lease, settings, stands),
        labels: task.labels.clone(),
        milestone: task.milestone.clone(),
        parent: task.parent.clone(),
        assignee: task.assignee.clone(),
        held: task.held.clone().map(|held| Held { note: cut(&held.note, CARD_CHARS), ..held }),
        lease: running.map(|lease| lease_view(lease, now, settings)),
        review: review(task),
        run: task.extra.get("run").cloned(),
        waits: counters.waits_open + u32::try_from(task.blockers.len()).unwrap_or(u32::MAX),
        blocks: counters.blocks,
        children: (counters.children.saturating_sub(counters.children_open), counters.children),
        commits: u32::try_from(evidence.len()).unwrap_or(u32::MAX),
        added: evidence.iter().fold(0, |sum, commit| sum.saturating_add(commit.added)),
        deleted: evidence.iter().fold(0, |sum, commit| sum.saturating_add(commit.deleted)),
        comments: task.comments,
        due_at: task.due_at,
        complexity: task.complexity,
        vertical: task.vertical.clone(),
        collides,
        conflicts: u32::try_from(task.conflicts.len()).unwrap_or(u32::MAX).saturating_add(counters.edges_inert),
        branch: task.branch.clone(),
        created_at: task.created_at,
        updated_at: task.updated_at,
        closed_at: task.closed.as_ref().map(|closed| closed.at),
        version: task.version,
        moves: moves(task, counters, stands),
    }
}

/// A running lease as it is shown.
pub fn lease_view(lease: &Lease, now: Moment, settings: &Settings) -> LeaseView {
    LeaseView {
        actor: lease.actor.clone(),
        since: lease.claimed_at,
        until: lease.expires_at,
        ttl_s: lease.ttl_s,
        late: lease_state(lease, now, settings.grace_s) == LeaseState::Late,
        elsewhere: (lease.authority == crate::facts::Authority::Clone).then_some(lease.renewed_at),
        fence: lease.fence,
    }
}

fn review(task: &Task) -> Option<ReviewView> {
    let submission = task.submission.as_ref()?;
    Some(match &task.verdict {
        None => ReviewView { state: "submitted".to_owned(), by: submission.by.clone(), note: cut(&submission.note, CARD_CHARS), at: submission.at },
        Some(verdict) => {
            let state = if verdict.verdict == Verdict::Pass { "passed" } else { "changes" };
            ReviewView { state: state.to_owned(), by: verdict.by.clone(), note: cut(&verdict.note, CARD_CHARS), at: verdict.at }
        }
    })
}

fn why(task: &Task, counters: &Counters, lease: Option<&Lease>, settings: &Settings, stands: Standing) -> Option<Why> {
    let with = |text: String, note: &str| if note.trim().is_empty() { text } else { format!("{text}: {}", plain(note, CARD_CHARS)) };
    let (text, since) = match stands {
        Standing::Done => return None,
        Standing::Cancelled => {
            let closed = task.closed.as_ref()?;
            (with(format!("cancelled by {}", closed.by.short()), &closed.note), Some(closed.at))
        }
        Standing::NeedsYou => match (task.questions.first(), task.conflicts.first()) {
            (Some(question), _) => (format!("{} asks: {}", question.by.short(), plain(&question.text, CARD_CHARS)), Some(question.at)),
            (None, Some(conflict)) => (conflict.text.clone(), Some(conflict.at)),
            (None, None) => ("it would wait for itself: an edge has no effect".to_owned(), None),
        },
        Standing::InReview => {
            let submission = task.submission.as_ref()?;
            (format!("handed in by {}", submission.by.short()), Some(submission.at))
        }
        Standing::Working | Standing::Waiting => return None,
        Standing::Blocked => (waits_for(task, counters), None),
        Standing::Held => {
            let held = task.held.as_ref()?;
            match held.kind {
                HoldKind::Person => (with(format!("held by {}", held.by.short()), &held.note), None),
                HoldKind::Plan => ("its plan is not approved yet".to_owned(), None),
            }
        }
        Standing::Changes => {
            let verdict = task.verdict.as_ref()?;
            (with(format!("{} wants changes", verdict.by.short()), &verdict.note), Some(verdict.at))
        }
        Standing::Stalled => {
            let claim = task.claim.as_ref()?;
            let quiet = lease.map_or(claim.at, |lease| lease.renewed_at);
            (format!("no word from {}", claim.actor.short()), Some(quiet))
        }
        Standing::Assigned if passed(task) => (missing(task, settings), task.verdict.as_ref().map(|verdict| verdict.at)),
        Standing::Assigned => (format!("for {}", task.assignee.as_ref()?.short()), None),
        Standing::Ready if passed(task) => (missing(task, settings), task.verdict.as_ref().map(|verdict| verdict.at)),
        Standing::Ready if counters.waits_cancelled > 0 => {
            (format!("{} it waited for cancelled, never delivered", count(i64::from(counters.waits_cancelled), "task")), None)
        }
        Standing::Ready => return None,
    };
    Some(Why { text, since })
}

/// What a passed task still lacks, as far as its own state says.
fn missing(task: &Task, settings: &Settings) -> String {
    let no_code = task.submission.as_ref().is_some_and(|submission| submission.no_code);
    let unanswered = task.criteria.iter().filter(|item| item.met.is_none()).count();
    if counting(task).is_empty() && !no_code {
        "passed, but no commit counts".to_owned()
    } else if settings.criteria_gate != crate::settings::CriteriaGate::Off && unanswered > 0 {
        format!("passed, but {unanswered} {} unanswered", if unanswered == 1 { "criterion" } else { "criteria" })
    } else {
        "passed, not closed yet".to_owned()
    }
}

fn waits_for(task: &Task, counters: &Counters) -> String {
    let mut parts = Vec::new();
    match (&counters.waits_first, counters.waits_open) {
        (Some(first), 1) => parts.push(first.to_string()),
        (Some(first), more) if more > 1 => parts.push(format!("{first} and {} more", more - 1)),
        (None, some) if some > 0 => parts.push(count(i64::from(some), "task")),
        _ => {}
    }
    if counters.children_open > 0 {
        parts.push(count(i64::from(counters.children_open), "subtask"));
    }
    parts.extend(task.blockers.iter().map(|blocker| plain(&blocker.reason, CARD_CHARS)));
    format!("waits for {}", parts.join(", "))
}

/// The columns a person may drag the card to, by the commands of `contracts::moves`.
fn moves(task: &Task, counters: &Counters, stands: Standing) -> Vec<Column> {
    let held_back = waits(task, counters);
    let may = |to: Column| match (to, stands) {
        (Column::Ready, Standing::Done | Standing::Cancelled) => true,
        (_, Standing::Done | Standing::Cancelled) => false,
        (Column::Done, _) => counters.children_open == 0,
        (Column::Backlog, Standing::Working | Standing::Changes | Standing::Stalled | Standing::Assigned | Standing::Ready) => true,
        (Column::Ready, Standing::InReview) => true,
        (Column::Ready, Standing::Working) => !held_back,
        (Column::Ready, Standing::Held) => true,
        (Column::Working, Standing::Changes | Standing::Stalled | Standing::Assigned | Standing::Ready) => true,
        (Column::Working, Standing::Blocked) => task.held.is_none(),
        (Column::NeedsYou, Standing::Working) => counters.children_open == 0,
        _ => false,
    };
    Column::ALL.iter().copied().filter(|to| *to != stands.column() && may(*to)).collect()
}

/// One task, whole, as its reader sees it; storage adds thread, history, collisions and the position of the log.
pub fn view(of: &TaskFacts, milestone: Option<&MilestoneFacts>, facts: &Facts, ctx: &Context) -> TaskView {
    let mut facts = facts.clone();
    facts.tasks.insert(of.task.id.clone(), of.clone());
    if let Some(milestone) = milestone {
        facts.milestones.insert(milestone.milestone.id.clone(), milestone.clone());
    }
    let case = Case::of(&facts, ctx, false);
    let task = &of.task;
    TaskView {
        card: card(task, &of.counters, of.lease.as_ref(), &case.settings, ctx.now, 0),
        allowed: allowed(of, &facts, ctx),
        spec: task.spec.clone(),
        spec_html: String::new(),
        criteria: task.criteria.clone(),
        files: task.files.clone(),
        milestone_detail: milestone.map(milestone_view),
        parent_detail: of.ancestors.first().map(relation),
        waits_on: of.waits_on.iter().map(relation).collect(),
        blocking: of.blocking.iter().map(relation).collect(),
        subtasks: of.children.iter().map(relation).collect(),
        blockers: task
            .blockers
            .iter()
            .map(|blocker| BlockerView { id: blocker.id.clone(), reason: blocker.reason.clone(), by: blocker.by.clone(), at: blocker.at })
            .collect(),
        questions: task
            .questions
            .iter()
            .map(|question| QuestionView {
                id: question.id.clone(),
                text: question.text.clone(),
                html: String::new(),
                choices: question.choices.clone(),
                by: question.by.clone(),
                at: question.at,
            })
            .collect(),
        thread: Vec::new(),
        thread_next: None,
        thread_total: 0,
        commits_detail: commits(task),
        collisions: Vec::new(),
        conflict_rows: conflict_rows(task),
        history: Vec::new(),
        worktree: of.lease.as_ref().and_then(|lease| lease.worktree.clone()),
        source: task.source.clone(),
        requirements: task.extra.get("requirements").cloned(),
        created_by: task.created_by.clone(),
        closing_note: task.closed.as_ref().map(|closed| closed.note.clone()).unwrap_or_default(),
        closing_html: String::new(),
        review_required: case.review_required(of),
        review_setting: task.review,
        seq: 0,
    }
}

/// What a task waits for, and what waits for it.
pub fn neighbours(of: &TaskFacts) -> (Vec<Relation>, Vec<Relation>) {
    (of.waits_on.iter().map(relation).collect(), of.blocking.iter().map(relation).collect())
}

fn relation(neighbour: &Neighbour) -> Relation {
    Relation {
        id: neighbour.id.clone(),
        title: neighbour.title.clone(),
        standing: neighbour.standing,
        holder: neighbour.holder.clone(),
        via: Some(neighbour.via),
        note: neighbour.note.clone(),
        inert: neighbour.inert,
    }
}

/// The commits bound to a task, and whether each is evidence.
pub fn commits(task: &Task) -> Vec<CommitView> {
    let counted: Vec<&str> = counting(task).into_iter().map(|commit| commit.sha.as_str()).collect();
    let view = |commit: &crate::task::Commit| CommitView {
        sha: commit.sha.clone(),
        subject: commit.subject.clone(),
        author: commit.author.clone(),
        at: commit.at,
        added: commit.added,
        deleted: commit.deleted,
        files: commit.files.clone(),
        files_dropped: commit.files_dropped,
        counts: is_evidence(commit) && counted.contains(&commit.sha.as_str()),
    };
    task.commits.iter().map(view).collect()
}

/// A task's open conflicts.
pub fn conflict_rows(task: &Task) -> Vec<ConflictRow> {
    let row = |conflict: &crate::task::Conflict| ConflictRow {
        event: conflict.event.clone(),
        task: task.id.clone(),
        title: task.title.clone(),
        kind: conflict.kind.clone(),
        actor: conflict.actor.clone(),
        at: conflict.at,
        text: conflict.text.clone(),
        status: task.status,
        settled: false,
        way_out: None,
    };
    task.conflicts.iter().map(row).collect()
}

/// An edge that closes a loop, and so counts for nothing: a conflict as its task's readers see it. No settling takes it away, it is removed.
pub fn inert_row(task: &Task, on: &TaskId, via: Via, event: &Event) -> ConflictRow {
    // The edge from a parent to its child is the child's to leave.
    let way_out = match via {
        Via::Parent => Call::new("edit").with("task", on.as_str()).with("parent", serde_json::Value::Null),
        Via::After | Via::Block => Call::new("unblock").with("task", task.id.as_str()).with("on", on.as_str()),
    };
    ConflictRow {
        event: event.id.clone(),
        task: task.id.clone(),
        title: task.title.clone(),
        kind: event.kind.as_str().to_owned(),
        actor: event.actor.clone(),
        at: event.at.moment,
        text: format!("to wait for {on} would close a loop: the edge has no effect"),
        status: task.status,
        settled: false,
        way_out: Some(way_out),
    }
}

/// Every command on a task, and whether this reader may give it: every guard is asked, but for texts that could still be given.
fn allowed(of: &TaskFacts, facts: &Facts, ctx: &Context) -> Vec<Allowance> {
    let ctx = Context { expect: None, fence: None, ..ctx.clone() };
    let (task, note) = (of.task.id.clone(), Note::default());
    let caller = ctx.caller.actor.clone();
    let verdict = if caller.is_dev() { Verdict::Pass } else { Verdict::Changes };
    let mentions = Vec::new;
    let mut commands = vec![
        Command::Edit(Edit::of(task.clone())),
        Command::Claim(Claim { task: task.clone(), ttl_s: None, session: None, worktree: None }),
        Command::Renew(Renew { task: Some(task.clone()) }),
        Command::Release(Release { task: task.clone(), note: note.clone(), mentions: mentions() }),
        Command::Submit(Submit { task: task.clone(), note: note.clone(), no_code: false, mentions: mentions() }),
        Command::Review(Review { task: task.clone(), verdict, note: note.clone(), mentions: mentions() }),
        Command::Close(Close { task: task.clone(), note: note.clone(), no_code: false, criteria: Vec::new(), unpushed: None, mentions: mentions() }),
        Command::Cancel(Cancel { task: task.clone(), note: note.clone(), with_children: true }),
        Command::Reopen(Reopen { task: task.clone(), note: note.clone() }),
        Command::Hold(Hold { task: task.clone(), note: note.clone() }),
        Command::Unhold(Unhold { task: task.clone(), note: note.clone() }),
        Command::Assign(Assign { task: task.clone(), to: Some(caller), note: note.clone() }),
        Command::Comment(Comment { task: task.clone(), text: note.clone(), mentions: mentions(), reply_to: None }),
        Command::Question(Question { task: task.clone(), text: note.clone(), choices: Vec::new() }),
        Command::Message(Message { to: Vec::new(), text: note.clone(), task: Some(task.clone()), reply_to: None }),
        Command::Block(Block { task: task.clone(), on: Vec::new(), reason: None }),
        Command::Unblock(Unblock { task, on: None, blocker: None, note: note.clone() }),
    ];
    if let Some(question) = of.task.questions.first() {
        commands.push(Command::Answer(AnswerQuestion { question: question.id.clone(), text: note, choice: None }));
    }
    let allowance = |command: &Command| {
        let refused = would_refuse(facts, command, &ctx).map(|refused| refused.problem()).map(|problem| Refusal { code: problem.code, text: problem.title });
        Allowance { command: command.name().to_owned(), refused }
    };
    commands.iter().map(allowance).collect()
}

/// A milestone, with how far it is.
pub fn milestone_view(facts: &MilestoneFacts) -> MilestoneView {
    let Milestone { id, title, slug, goal, rules, criteria, reviews, due_at, status, created_by, created_at, .. } = facts.milestone.clone();
    MilestoneView { id, title, slug, goal, rules, criteria, reviews, due_at, status, created_by, created_at, open: facts.open, closed: facts.closed }
}

//! A task: what each kind of event does to it.

use super::{Effect, IMPORTED, Notice, answer_criteria, flag, get, list, read, read_criteria, read_list, refold, set, text};
use crate::event::{Event, Kind};
use crate::task::{Blocker, Claim, Closed, Commit, Conflict, EdgeChange, Judged, OpenQuestion, Released, Submission, Task};
use contracts::command::{BoundHow, Held};
use contracts::standing::{HoldKind, Status, Verdict, Via};
use contracts::{Actor, BlockerId, EventId, Moment, QuestionId, TaskId};
use serde_json::Value;

/// Applies an event that is later than `last` (or one that only adds, at any time). `None` until the task is created.
pub fn apply_task(state: &mut Option<Task>, event: &Event) -> Effect {
    let Some(task) = state.as_mut() else {
        if event.kind != Kind::TaskCreated {
            return Effect::waits();
        }
        let Some(task) = created(event) else { return Effect::default() };
        let mut effect = Effect::applied();
        if task.imported.is_empty() {
            effect.tell(event, task.assignee.as_ref(), "assigned");
        }
        *state = Some(task);
        return effect;
    };
    let order = event.order();
    if order == task.last {
        return Effect::default();
    }
    if order < task.created {
        return Effect::waits();
    }
    let imported = imported(event);
    let double = imported.as_ref().is_some_and(|fact| !task.imported.insert(fact.clone()));
    let mut effect = if double { Effect::already() } else { dispatch(task, event) };
    if effect.applied {
        for actor in list::<Actor>(event, "mentions") {
            effect.tell(event, Some(&actor), "mention");
        }
        if !adds_only(&event.kind) {
            task.version += 1;
        }
    }
    task.updated_at = task.updated_at.max(event.at.moment);
    if order > task.last {
        task.last = order;
    }
    if imported.is_some() {
        effect.notices.clear(); // it is long past, and was told where it happened
    }
    effect.once()
}

/// What an imported fact is known by.
fn imported(event: &Event) -> Option<String> {
    event.body.get(IMPORTED).and_then(Value::as_str).map(|fact| format!("{} {fact}", event.kind))
}

/// Folds all events about one task; the first `task.created` is the base.
pub fn fold_task(events: &mut Vec<Event>) -> (Option<Task>, Vec<(EventId, Effect)>) {
    refold(events, None, apply_task)
}

/// What does not make an edit `stale`.
fn adds_only(kind: &Kind) -> bool {
    use Kind::{CommitBound, CommitSuperseded, MessageSent, TaskAnswered, TaskAsked, TaskCommented, TaskRenewed};
    matches!(kind, TaskCommented | MessageSent | TaskAsked | TaskAnswered | CommitBound | CommitSuperseded | TaskRenewed)
}

fn dispatch(task: &mut Task, event: &Event) -> Effect {
    use Kind::*;
    if event.kind == TaskClaimed {
        // However it ends: the next fence is greater than any that was ever handed out.
        task.fence = task.fence.max(get(event, "fence").unwrap_or(0));
    }
    match (&event.kind, task.status) {
        (TaskClosed, Status::Done) | (TaskCancelled, Status::Cancelled) | (TaskReopened, Status::Open) => return Effect::already(),
        (TaskClosed | TaskCancelled, Status::Done | Status::Cancelled)
        | (TaskClaimed | TaskSubmitted | TaskReviewed | TaskEdited | TaskHeld | TaskAssigned | TaskBlocked, Status::Done | Status::Cancelled) => {
            return on_closed(task, event);
        }
        _ => {}
    }
    match &event.kind {
        TaskCreated => {
            let by = task.created_by.clone();
            conflict(task, event, "duplicate_id", format!("created with the id of a task that {by} created"), "conflict", &[by])
        }
        TaskEdited => edited(task, event),
        TaskBranched => branched(task, event),
        TaskAssigned => assigned(task, event),
        TaskClaimed => claimed(task, event),
        TaskRenewed => renewed(task, event),
        TaskReleased => released(task, event),
        TaskSubmitted => submitted(task, event),
        TaskReviewed => reviewed(task, event),
        TaskClosed => ended(task, event, Status::Done),
        TaskCancelled => ended(task, event, Status::Cancelled),
        TaskReopened => reopened(task),
        TaskHeld => held(task, event),
        TaskUnheld => task.held.take().map_or_else(Effect::already, |_| Effect::applied()),
        TaskBlocked => blocked(task, event),
        TaskUnblocked => unblocked(task, event),
        TaskAsked => asked(task, event),
        TaskAnswered => answered(task, event),
        TaskCommented => {
            task.comments += 1;
            Effect::applied()
        }
        MessageSent => {
            task.comments += 1;
            let mut effect = Effect::applied();
            for actor in list::<Actor>(event, "to") {
                effect.tell(event, Some(&actor), "message");
            }
            effect
        }
        CommitBound => bound(task, event),
        CommitSuperseded => superseded(task, event),
        ConflictSettled => settled(task, event),
        _ => Effect::default(),
    }
}

fn created(event: &Event) -> Option<Task> {
    let id = TaskId::parse(&event.subject).ok()?;
    const KNOWN: [&str; 18] = [
        "title",
        "spec",
        "type",
        "priority",
        "vertical",
        "complexity",
        "labels",
        "milestone",
        "parent",
        "after",
        "files",
        "criteria",
        "due_at",
        "review",
        "assignee",
        "held",
        "source",
        IMPORTED,
    ];
    let order = event.order();
    let parent: Option<TaskId> = get(event, "parent");
    let edge =
        |task: &TaskId, on: &TaskId, via| EdgeChange { order: order.clone(), add: true, task: task.clone(), on: on.clone(), via, by: event.actor.clone() };
    let waits = list::<TaskId>(event, "after").into_iter().map(|on| edge(&id, &on, Via::After));
    let edges = parent.iter().map(|parent| edge(parent, &id, Via::Parent)).chain(waits).collect();
    let assignee: Option<Actor> = get(event, "assignee");
    Some(Task {
        created_by: event.actor.clone(),
        created_at: event.at.moment,
        title: get::<String>(event, "title").unwrap_or_else(|| id.to_string()),
        spec: text(event, "spec"),
        kind: get(event, "type").unwrap_or_else(|| "task".to_owned()),
        priority: get::<u8>(event, "priority").filter(|number| *number <= 3).unwrap_or(2),
        vertical: get(event, "vertical"),
        complexity: get(event, "complexity"),
        labels: list(event, "labels"),
        milestone: get(event, "milestone"),
        parent,
        files: list(event, "files"),
        criteria: event.body.get("criteria").map(read_criteria).unwrap_or_default(),
        due_at: get(event, "due_at"),
        review: get(event, "review"),
        assigned_unclaimed: assignee.is_some(),
        assignee,
        held: event.body.get("held").and_then(|held| hold_of(held, event)),
        source: event.body.get("source").filter(|source| !source.is_null()).cloned(),
        extra: event.body.iter().filter(|(key, _)| !KNOWN.contains(&key.as_str())).map(|(key, value)| (key.clone(), value.clone())).collect(),
        imported: imported(event).into_iter().collect(),
        status: Status::Open,
        closed: None,
        submission: None,
        verdict: None,
        claim: None,
        fence: 0,
        claims: 0,
        claimed_by_other: false,
        last_release: None,
        branch: None,
        base: None,
        blockers: Vec::new(),
        questions: Vec::new(),
        conflicts: Vec::new(),
        commits: Vec::new(),
        edges,
        comments: 0,
        version: 1,
        updated_at: event.at.moment,
        created: order.clone(),
        last: order,
        id,
    })
}

/// A hold as `task.created` states it: a text, or `{kind, by?, note}`.
fn hold_of(held: &Value, event: &Event) -> Option<Held> {
    match held {
        Value::String(note) => Some(Held { kind: HoldKind::Person, by: event.actor.clone(), note: note.clone() }),
        Value::Object(hold) => Some(Held {
            kind: hold.get("kind").and_then(read).unwrap_or(HoldKind::Person),
            by: hold.get("by").and_then(read).unwrap_or_else(|| event.actor.clone()),
            note: hold.get("note").and_then(Value::as_str).unwrap_or("").to_owned(),
        }),
        _ => None,
    }
}

/// Lists an event that does not fit. Both sides are told, the one that acted too: it does not know yet.
fn conflict(task: &mut Task, event: &Event, code: &str, text: String, why: &'static str, others: &[Actor]) -> Effect {
    task.conflicts.push(Conflict {
        event: event.id.clone(),
        kind: event.kind.as_str().to_owned(),
        actor: event.actor.clone(),
        at: event.at.moment,
        code: code.to_owned(),
        text,
    });
    let told = others.iter().chain([&event.actor]).map(|actor| Notice { actor: actor.clone(), why });
    Effect { conflict: true, notices: told.collect(), ..Effect::default() }
}

fn on_closed(task: &mut Task, event: &Event) -> Effect {
    let what = event.kind.as_str().rsplit('.').next().unwrap_or("").to_owned();
    let by: Vec<Actor> = task.closed.iter().map(|closed| closed.by.clone()).collect();
    let who = by.first().map(|by| format!(" by {by}")).unwrap_or_default();
    let words = format!("{what}, but it was {} already{who}", task.status);
    conflict(task, event, &format!("{what}_{}", task.status), words, "conflict", &by)
}

fn edited(task: &mut Task, event: &Event) -> Effect {
    let to = event.body.get("to").unwrap_or(&Value::Null);
    let field = event.text("field");
    let done = match field {
        "title" => set(&mut task.title, to),
        "spec" => set(&mut task.spec, to),
        "type" => set(&mut task.kind, to),
        "priority" => read::<u8>(to).filter(|number| *number <= 3).map(|priority| task.priority = priority).is_some(),
        "vertical" => set(&mut task.vertical, to),
        "complexity" => set(&mut task.complexity, to),
        "milestone" => set(&mut task.milestone, to),
        "parent" => read(to).map(|parent| moved(task, event, parent)).is_some(),
        "due_at" => set(&mut task.due_at, to),
        "review" => set(&mut task.review, to),
        "" | "labels" | "files" | "criteria" if !to.is_array() => false,
        "labels" => {
            task.labels = read_list(to);
            true
        }
        "files" => {
            task.files = read_list(to);
            true
        }
        "criteria" => {
            task.criteria = read_criteria(to);
            true
        }
        other => {
            task.extra.insert(other.to_owned(), to.clone());
            true
        }
    };
    if done { Effect::applied() } else { Effect::default() }
}

fn moved(task: &mut Task, event: &Event, parent: Option<TaskId>) {
    let edge = |add, parent: TaskId| EdgeChange { order: event.order(), add, task: parent, on: task.id.clone(), via: Via::Parent, by: event.actor.clone() };
    let changes: Vec<EdgeChange> = task.parent.clone().map(|old| edge(false, old)).into_iter().chain(parent.clone().map(|new| edge(true, new))).collect();
    task.edges.extend(changes);
    task.parent = parent;
}

fn branched(task: &mut Task, event: &Event) -> Effect {
    if task.branch.is_some() {
        return Effect::already();
    }
    task.branch = get(event, "branch");
    task.base = get(event, "base");
    if task.branch.is_some() { Effect::applied() } else { Effect::default() }
}

fn assigned(task: &mut Task, event: &Event) -> Effect {
    let to: Option<Actor> = get(event, "to");
    let mut effect = Effect::applied();
    effect.tell(event, to.as_ref(), "assigned");
    effect.tell(event, task.assignee.as_ref().filter(|from| to.as_ref() != Some(from)), "displaced");
    task.assigned_unclaimed = to.is_some();
    task.assignee = to;
    effect
}

fn claimed(task: &mut Task, event: &Event) -> Effect {
    let took_over: Option<Actor> = event.body.get("took_over").and_then(|took| took.get("actor")).and_then(read);
    if let Some(holder) = task.claim.as_ref().filter(|claim| claim.actor != event.actor && claim.expires > event.at.moment).map(|claim| claim.actor.clone())
        && took_over.as_ref() != Some(&holder)
    {
        let words = format!("{} claimed it while {holder} held it", event.actor);
        return conflict(task, event, "double_claim", words, "double_claim", &[holder]);
    }
    let mut effect = Effect::applied();
    effect.tell(event, took_over.as_ref(), "taken_over");
    let fence = get(event, "fence").unwrap_or(task.fence);
    let own = task.claim.as_ref().filter(|claim| claim.actor == event.actor && get(event, "resumed") == Some(true));
    let first_fence = own.map_or(fence, |claim| claim.first_fence);
    task.claim = Some(Claim {
        event: event.id.clone(),
        actor: event.actor.clone(),
        principal: event.principal.clone(),
        at: event.at.moment,
        expires: get(event, "expires").unwrap_or(event.at.moment),
        ttl_s: get(event, "ttl_s").unwrap_or(0),
        fence,
        first_fence,
        session: get(event, "session"),
        branch: get(event, "branch"),
        worktree: get(event, "worktree"),
        took_over,
    });
    task.claims = task.claims.saturating_add(1);
    task.claimed_by_other |= event.actor != task.created_by;
    task.assigned_unclaimed = false;
    effect
}

fn renewed(task: &mut Task, event: &Event) -> Effect {
    let expires: Option<Moment> = get(event, "expires");
    match (task.claim.as_mut().filter(|claim| claim.actor == event.actor), expires) {
        (Some(claim), Some(expires)) => {
            claim.expires = claim.expires.max(expires);
            Effect::applied()
        }
        _ => Effect::default(),
    }
}

/// A double claim settles by itself once one of the two lets go: the loser's own, or, when it was the one who kept it, all.
fn let_go(task: &mut Task, who: Option<&Actor>) {
    let keeper = task.claim.as_ref().is_some_and(|claim| Some(&claim.actor) == who);
    task.conflicts.retain(|conflict| conflict.code != "double_claim" || !(keeper || who.is_none() || Some(&conflict.actor) == who));
}

fn released(task: &mut Task, event: &Event) -> Effect {
    let holder: Option<Actor> = get(event, "holder");
    let reason = event.body.get("reason").and_then(Value::as_str).unwrap_or("asked").to_owned();
    // The loser of a double claim lets go of what it never had.
    let of_loser = holder.is_some()
        && task.claim.as_ref().is_some_and(|claim| Some(&claim.actor) != holder.as_ref())
        && task.conflicts.iter().any(|conflict| conflict.code == "double_claim" && Some(&conflict.actor) == holder.as_ref());
    let held_by = holder.clone().or_else(|| task.claim.as_ref().map(|claim| claim.actor.clone()));
    let_go(task, held_by.as_ref());
    let mut effect = Effect::applied();
    effect.tell(event, held_by.as_ref(), "displaced");
    if of_loser {
        return effect;
    }
    task.last_release = Some(Released { holder: held_by, by: event.actor.clone(), at: event.at.moment, note: text(event, "note"), reason: reason.clone() });
    task.claim = None;
    if reason != "displaced" {
        task.assignee = None;
        task.assigned_unclaimed = false;
    }
    if task.submission.is_some() && task.verdict.is_none() {
        task.submission = None;
    }
    effect
}

/// The holder's claim ends because the work is handed in or over; who else held it is told.
fn end_claim(task: &mut Task, event: &Event, effect: &mut Effect, why: &'static str) {
    effect.tell(event, task.claim.as_ref().map(|claim| &claim.actor), why);
    let losers: Vec<Actor> = task.conflicts.iter().filter(|conflict| conflict.code == "double_claim").map(|conflict| conflict.actor.clone()).collect();
    for loser in &losers {
        effect.tell(event, Some(loser), why);
    }
    let_go(task, None);
    task.claim = None;
}

fn submitted(task: &mut Task, event: &Event) -> Effect {
    let mut effect = Effect::applied();
    end_claim(task, event, &mut effect, "displaced");
    task.submission = Some(Submission {
        event: event.id.clone(),
        by: event.actor.clone(),
        at: event.at.moment,
        note: text(event, "note"),
        commits: list(event, "commits"),
        no_code: flag(event, "no_code"),
    });
    task.verdict = None;
    task.assignee = Some(event.actor.clone());
    task.assigned_unclaimed = false;
    effect
}

fn reviewed(task: &mut Task, event: &Event) -> Effect {
    let Some(verdict) = get::<Verdict>(event, "verdict") else { return Effect::default() };
    let of: Option<EventId> = get(event, "submission");
    let Some(submission) = task.submission.as_ref().filter(|submission| Some(&submission.event) == of.as_ref()) else {
        let words = format!("{} judged a submission that is not the latest", event.actor);
        let others: Vec<Actor> = task.submission.iter().map(|submission| submission.by.clone()).collect();
        return conflict(task, event, "stale_verdict", words, "conflict", &others);
    };
    let mut effect = Effect::applied();
    effect.tell(event, Some(&submission.by), "verdict");
    effect.tell(event, task.claim.as_ref().map(|claim| &claim.actor), "verdict");
    task.verdict = Some(Judged { event: event.id.clone(), verdict, by: event.actor.clone(), at: event.at.moment, note: text(event, "note") });
    effect
}

fn ended(task: &mut Task, event: &Event, status: Status) -> Effect {
    let mut effect = Effect::applied();
    end_claim(task, event, &mut effect, "closed");
    answer_criteria(&mut task.criteria, event.body.get("criteria").unwrap_or(&Value::Null));
    task.status = status;
    task.closed = Some(Closed {
        event: event.id.clone(),
        by: event.actor.clone(),
        at: event.at.moment,
        note: text(event, "note"),
        commits: list(event, "commits"),
        no_code: flag(event, "no_code"),
    });
    effect
}

fn reopened(task: &mut Task) -> Effect {
    task.status = Status::Open;
    task.closed = None;
    task.submission = None;
    task.verdict = None;
    task.claim = None;
    task.assignee = None;
    task.assigned_unclaimed = false;
    Effect::applied()
}

fn held(task: &mut Task, event: &Event) -> Effect {
    task.held = Some(Held { kind: get(event, "kind").unwrap_or(HoldKind::Person), by: event.actor.clone(), note: text(event, "note") });
    let mut effect = Effect::applied();
    effect.tell(event, task.claim.as_ref().map(|claim| &claim.actor), "held");
    effect
}

fn blocked(task: &mut Task, event: &Event) -> Effect {
    if let Some(on) = get::<TaskId>(event, "on") {
        let edge = EdgeChange { order: event.order(), add: true, task: task.id.clone(), on, via: Via::Block, by: event.actor.clone() };
        task.edges.push(edge);
        return Effect::applied();
    }
    let Some(id) = get::<BlockerId>(event, "blocker") else { return Effect::default() };
    if task.blockers.iter().any(|blocker| blocker.id == id) {
        return Effect::already();
    }
    task.blockers.push(Blocker { id, reason: text(event, "reason"), by: event.actor.clone(), at: event.at.moment });
    Effect::applied()
}

fn unblocked(task: &mut Task, event: &Event) -> Effect {
    if let Some(on) = get::<TaskId>(event, "on") {
        let edge = EdgeChange { order: event.order(), add: false, task: task.id.clone(), on, via: Via::Block, by: event.actor.clone() };
        task.edges.push(edge);
        return Effect::applied();
    }
    let id: Option<BlockerId> = get(event, "blocker");
    let before = task.blockers.len();
    task.blockers.retain(|blocker| Some(&blocker.id) != id.as_ref());
    if task.blockers.len() < before { Effect::applied() } else { Effect::already() }
}

fn asked(task: &mut Task, event: &Event) -> Effect {
    let Some(id) = get::<QuestionId>(event, "question") else { return Effect::default() };
    if task.questions.iter().any(|question| question.id == id) {
        return Effect::already();
    }
    task.comments += 1;
    task.questions.push(OpenQuestion { id, text: text(event, "text"), choices: list(event, "choices"), by: event.actor.clone(), at: event.at.moment });
    Effect::applied()
}

fn answered(task: &mut Task, event: &Event) -> Effect {
    let id: Option<QuestionId> = get(event, "question");
    let Some(place) = task.questions.iter().position(|question| Some(&question.id) == id.as_ref()) else { return Effect::already() };
    let question = task.questions.remove(place);
    task.comments += 1;
    let mut effect = Effect::applied();
    effect.tell(event, Some(&question.by), "answer");
    effect
}

fn bound(task: &mut Task, event: &Event) -> Effect {
    let Some(sha) = get::<String>(event, "sha") else { return Effect::default() };
    if task.commits.iter().any(|commit| commit.sha == sha) {
        return Effect::already();
    }
    task.commits.push(Commit {
        sha,
        subject: text(event, "subject"),
        how: get(event, "how").unwrap_or(BoundHow::Manual),
        by: event.actor.clone(),
        at: get(event, "committed_at").unwrap_or(event.at.moment),
        author: get(event, "author"),
        files: list(event, "files"),
        files_dropped: get(event, "files_dropped").unwrap_or(0),
        added: get(event, "added").unwrap_or(0),
        deleted: get(event, "deleted").unwrap_or(0),
        parents: list(event, "parents"),
        patch: get(event, "patch"),
        empty: flag(event, "empty"),
        superseded: None,
    });
    Effect::applied()
}

fn superseded(task: &mut Task, event: &Event) -> Effect {
    let old: Option<String> = get(event, "old");
    match task.commits.iter_mut().find(|commit| Some(&commit.sha) == old.as_ref()) {
        Some(commit) => {
            commit.superseded = Some(get(event, "new"));
            Effect::applied()
        }
        None => Effect::default(),
    }
}

fn settled(task: &mut Task, event: &Event) -> Effect {
    let of: Option<EventId> = get(event, "event");
    let before = task.conflicts.len();
    task.conflicts.retain(|conflict| Some(&conflict.event) != of.as_ref());
    if task.conflicts.len() < before { Effect::applied() } else { Effect::already() }
}

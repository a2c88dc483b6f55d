//! `next`: what an actor is handed, or why there is nothing. Nothing is a normal result, never an error.

use crate::case::Case;
use crate::facts::{Candidate, Context, Facts, Holding, Lease, TaskFacts};
use crate::files::{overlap, shared, surface};
use crate::rejection::Rejection;
use crate::standing::{LeaseState, rest, standing, waits};
use crate::task::{Project, Task};
use crate::words::{ago, beyond, count, left, line, some, span};
use contracts::standing::{Standing, Verdict};
use contracts::view::{Collision, NextRequest, Queue, WhyNothing};
use contracts::{Actor, Call, Hint, Moment, TaskId};

/// A task that touches files now: live, late or submitted.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceRow {
    /// Which.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub standing: Standing,
    /// Who is on it, or handed it in.
    pub actor: Option<Actor>,
    /// What it touches.
    pub patterns: Vec<String>,
}

/// What the answer of "why nothing" counts and names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Digest {
    /// Tasks closed as done.
    pub done: i64,
    /// Tasks cancelled.
    pub cancelled: i64,
    /// The last closed one: id, title, when.
    pub last_closed: Option<(TaskId, String, Moment)>,
    /// Whom tasks that could be started are for, at most 5.
    pub assigned_to: Vec<Actor>,
    /// Tasks that need a person, at most 5.
    pub people: Vec<(TaskId, String, Standing)>,
    /// All of those.
    pub people_total: i64,
    /// Who works on what until when, the earliest end first, at most 5.
    pub running: Vec<(TaskId, Actor, Moment)>,
    /// The tasks most others wait for, how many do, and who is on them; at most 5.
    pub most_waited: Vec<(TaskId, String, i64, Option<Actor>)>,
    /// Blockers outside the board: task and reason, at most 5.
    pub outside: Vec<(TaskId, String)>,
}

/// What `choose` looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NextFacts {
    /// The project.
    pub project: Project,
    /// The caller's leases, oldest claim first.
    pub holdings: Vec<Holding>,
    /// The task that was asked for; one that does not exist is refused before.
    pub named: Option<TaskFacts>,
    /// Rows of the candidate index.
    pub candidates: Vec<Candidate>,
    /// How many there are before the filter.
    pub candidates_total: i64,
    /// Live, late and submitted tasks.
    pub surfaces: Vec<SurfaceRow>,
    /// Counts before the claim.
    pub queue: Queue,
    /// For the answer when there is nothing.
    pub digest: Digest,
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The caller holds it: renew it and hand it out again.
    Resume(TaskId),
    /// Claim the first of these that can be claimed; when none can, it is [`raced`].
    Take(Vec<TaskId>),
    /// There is nothing, and why.
    Nothing(WhyNothing),
}

/// Whether a task passes the request's filter. A milestone given by title has been replaced by its id before.
pub fn candidate_passes(task: &Task, request: &NextRequest) -> bool {
    let labels = request.labels.is_empty() || request.labels.iter().any(|label| task.labels.iter().any(|own| own == label.as_str()));
    let kind = request.kind.as_ref().is_none_or(|kind| kind.as_str() == task.kind);
    let milestone = request.milestone.as_ref().is_none_or(|id| task.milestone.as_ref().is_some_and(|own| own.as_str() == id));
    labels && kind && milestone
}

/// Decides what the caller gets.
pub fn choose(facts: &NextFacts, request: &NextRequest, ctx: &Context) -> Choice {
    let base = Facts { project: Some(facts.project.clone()), holdings: facts.holdings.clone(), ..Facts::default() };
    let case = Case::of(&base, ctx, false);
    if let Some(named) = &facts.named {
        return choose_named(&case, named);
    }
    let me = case.caller();
    let mine = |holding: &&Holding| case.lease_state(&holding.lease) != LeaseState::Lapsed || case.may_take_back(&holding.task, Some(&holding.lease));
    let counting: Vec<&Holding> = facts.holdings.iter().filter(|holding| !holding.waits()).filter(mine).collect();
    let limit = case.settings.held_at_once(me).map_or(i64::MAX, |limit| if me.is_dev() { 1 } else { limit });
    if let Some(first) = counting.first().filter(|_| counting.len() as i64 >= limit) {
        let id = first.lease.task.clone();
        let lapsed = case.lease_state(&first.lease) == LeaseState::Lapsed;
        return if lapsed { Choice::Take(vec![id]) } else { Choice::Resume(id) };
    }
    let free: Vec<&Candidate> = facts.candidates.iter().filter(|candidate| is_candidate(&case, candidate)).collect();
    let busy: Vec<&SurfaceRow> = facts.surfaces.iter().filter(|row| row.standing == Standing::Working && row.actor.as_ref() != Some(me)).collect();
    let mut passing: Vec<_> =
        free.iter().filter(|candidate| candidate_passes(&candidate.task, request)).map(|candidate| (key(candidate, me, &busy), *candidate)).collect();
    if passing.is_empty() {
        let filtered = !free.is_empty() || (facts.candidates_total > 0 && is_filtered(request));
        return Choice::Nothing(nothing(facts, filtered, ctx.now));
    }
    passing.sort_by(|a, b| a.0.cmp(&b.0));
    Choice::Take(passing.into_iter().map(|(_, candidate)| candidate.task.id.clone()).collect())
}

fn is_filtered(request: &NextRequest) -> bool {
    !request.labels.is_empty() || request.kind.is_some() || request.milestone.is_some()
}

fn is_candidate(case: &Case, candidate: &Candidate) -> bool {
    let task = &candidate.task;
    let now = standing(rest(task, &candidate.counters), candidate.lease.as_ref(), case.ctx.now, case.settings.grace_s);
    let free = matches!(now, Standing::Ready | Standing::Stalled | Standing::Changes | Standing::Assigned);
    free && task.held.is_none() && !waits(task, &candidate.counters) && task.assignee.as_ref().is_none_or(|to| to == case.caller())
}

/// What a dispatch gives out, in the order of `next`. What one worker gets counts as touched for the ones after it.
pub(crate) fn dispatch_order<'a>(case: &Case, candidates: &'a [Candidate], surfaces: &[SurfaceRow], most: usize) -> Vec<&'a Candidate> {
    let me = case.caller();
    let touched = |row: &&SurfaceRow| matches!(row.standing, Standing::Working | Standing::Assigned);
    let mut busy: Vec<SurfaceRow> = surfaces.iter().filter(touched).cloned().collect();
    let mut free: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.task.assignee.is_none() && is_candidate(case, candidate)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < most {
        let rows: Vec<&SurfaceRow> = busy.iter().collect();
        let Some(at) = (0..free.len()).min_by_key(|at| key(free[*at], me, &rows)) else { break };
        let candidate = free.remove(at);
        busy.push(SurfaceRow {
            task: candidate.task.id.clone(),
            title: String::new(),
            standing: Standing::Assigned,
            actor: None,
            patterns: surface(&candidate.task),
        });
        chosen.push(candidate);
    }
    chosen
}

type SortKey = (u8, u8, u8, Moment, crate::event::Order, TaskId);

fn key(candidate: &Candidate, me: &Actor, busy: &[&SurfaceRow]) -> SortKey {
    let task = &candidate.task;
    let mine = task.assignee.as_ref() == Some(me);
    let changes = task.verdict.as_ref().is_some_and(|verdict| verdict.verdict == Verdict::Changes);
    let tier = if mine && changes { 0 } else { u8::from(!(mine || candidate.child_of_mine)) + 1 };
    let own = surface(task);
    let overlaps = busy.iter().any(|row| row.task != task.id && row.patterns.iter().any(|theirs| own.iter().any(|ours| overlap(ours, theirs))));
    (tier, u8::from(overlaps), task.priority, task.due_at.unwrap_or(Moment(i64::MAX)), task.created.clone(), task.id.clone())
}

fn choose_named(case: &Case, named: &TaskFacts) -> Choice {
    let id = named.task.id.clone();
    if case.running(named).is_some_and(|lease| lease.actor == *case.caller()) {
        return Choice::Resume(id);
    }
    match case.claimable(named) {
        Ok(()) => Choice::Take(vec![id]),
        Err(refused) => Choice::Nothing(why_not(named, &refused)),
    }
}

/// A refused claim as the answer of a named `next`.
fn why_not(named: &TaskFacts, refused: &Rejection) -> WhyNothing {
    let code = match refused {
        Rejection::AlreadyDone { .. } => "already_done",
        Rejection::Illegal { .. } if named.task.status == contracts::Status::Cancelled => "already_cancelled",
        Rejection::Illegal { .. } => "in_review",
        Rejection::LeaseHeld { .. } => "held_elsewhere",
        Rejection::Assigned { .. } => "assigned_elsewhere",
        Rejection::Blocked { .. } => "waits",
        Rejection::Held { .. } => "on_hold",
        Rejection::AtLimit { .. } => "at_limit",
        _ => "at_gate",
    };
    let problem = refused.problem();
    let text = if problem.detail.is_empty() { problem.title } else { format!("{}: {}", problem.title, line(&problem.detail, 500)) };
    WhyNothing { code: code.to_owned(), text, next: problem.hint }
}

/// The answer when every candidate was taken during the call.
pub fn raced() -> WhyNothing {
    WhyNothing {
        code: "raced".to_owned(),
        text: "what was ready was taken just now".to_owned(),
        next: Hint { text: "ask again now".to_owned(), calls: vec![Call::new("next")] },
    }
}

fn nothing(facts: &NextFacts, filtered: bool, now: Moment) -> WhyNothing {
    let (queue, digest) = (&facts.queue, &facts.digest);
    let running = queue.working + queue.waiting;
    let people = queue.needs_people + queue.held;
    let plan = || Call::new("plan").with("tasks", serde_json::json!([{"title": "<what to do>", "spec": "<how it will be judged>"}]));
    let and_people = || if people > 0 { format!("; {} for a person", count(people, "task")) } else { String::new() };
    let (code, text, next) = if queue.open == 0 && digest.done + digest.cancelled == 0 {
        ("no_tasks", "the project has no tasks yet".to_owned(), Hint { text: "plan some".to_owned(), calls: vec![plan()] })
    } else if queue.open == 0 {
        let last = digest.last_closed.as_ref().map(|(id, title, at)| format!("; last: {id} {}, {}", line(title, 80), ago(*at, now))).unwrap_or_default();
        (
            "finished",
            format!("every task is closed: {} done, {} cancelled{last}", digest.done, digest.cancelled),
            Hint { text: "plan more, or stop".to_owned(), calls: vec![plan()] },
        )
    } else if filtered {
        let text = format!("{} could be taken without the filter, none with it", count(facts.candidates_total.max(1), "task"));
        ("filtered_out", text, Hint { text: "drop the filter, or plan what is missing".to_owned(), calls: vec![Call::new("next"), plan()] })
    } else if !digest.assigned_to.is_empty() {
        (
            "all_assigned",
            format!("what could be started is meant for {}", some(&digest.assigned_to, 5)),
            Hint::text("a person assigns it to you, or you stop here"),
        )
    } else if running == 0 && people > 0 {
        let first: Vec<String> = digest.people.iter().map(|(id, title, standing)| format!("{id} {} ({})", line(title, 80), standing.words())).collect();
        let shown = if first.is_empty() { String::new() } else { format!(": {}", some(&first, 5)) };
        let more = beyond(digest.people_total, digest.people.len());
        ("needs_people", format!("nothing moves until a person acts on {}{shown}{more}", count(people, "task")), Hint::text("tell your person, and stop here"))
    } else if running > 0 && queue.blocked == 0 {
        let who: Vec<String> = digest.running.iter().map(|(id, actor, until)| format!("{actor} on {id} {}", left(*until, now))).collect();
        ("all_running", format!("everything open is being worked on: {}{}", some(&who, 5), and_people()), Hint::text("ask again later, or stop here"))
    } else {
        let waited = digest.most_waited.iter().map(|(id, title, waiting, who)| {
            let who = who.as_ref().map(|who| format!(", {who} is on it")).unwrap_or_default();
            format!("{id} {} ({waiting} wait{who})", line(title, 80))
        });
        let outside = digest.outside.iter().map(|(id, reason)| format!("{id} waits for {}", line(reason, 80)));
        let what: Vec<String> = waited.chain(outside).collect();
        ("all_blocked", format!("everything that is free waits: {}{}", some(&what, 10), and_people()), Hint::text("ask again later, or stop here"))
    };
    WhyNothing { code: code.to_owned(), text, next }
}

/// Tasks whose surface overlaps this one's: five at most, and how many more.
pub fn collisions(task: &Task, surfaces: &[SurfaceRow]) -> (Vec<Collision>, i64) {
    let own = surface(task);
    let mut found: Vec<Collision> = Vec::new();
    for row in surfaces.iter().filter(|row| row.task != task.id) {
        let mut paths = shared(&own, &row.patterns);
        if !paths.is_empty() {
            paths.truncate(3);
            found.push(Collision { id: row.task.clone(), title: row.title.clone(), standing: row.standing, actor: row.actor.clone(), paths });
        }
    }
    let more = found.len().saturating_sub(5);
    found.truncate(5);
    (found, more as i64)
}

/// How a task comes to the caller, who gets it: in one word, in words, and the note that goes with it.
pub fn how(task: &Task, lease: Option<&Lease>, caller: &Actor, now: Moment) -> (String, String, String) {
    let own = match lease {
        Some(lease) => lease.actor == *caller,
        None => !task.assigned_unclaimed && task.claim.as_ref().is_some_and(|claim| claim.actor == *caller),
    };
    let changes = task.verdict.as_ref().filter(|verdict| verdict.verdict == Verdict::Changes);
    let verdict = changes.map(|verdict| verdict.note.clone()).unwrap_or_default();
    let (how, text) = if own {
        ("resumed", "resumed: you hold it".to_owned())
    } else if let Some((holder, since)) = lease
        .map(|lease| (&lease.actor, lease.renewed_at))
        .or(task.claim.as_ref().map(|claim| (&claim.actor, claim.at)))
        .filter(|(holder, _)| *holder != caller)
    {
        let commits = task.commits.iter().filter(|commit| commit.superseded.is_none()).count();
        ("taken_over", format!("taken over from {holder} (silent {}, {})", span(now.seconds_since(since)), count(commits as i64, "commit")))
    } else if let Some(changes) = changes {
        ("changes", format!("changes wanted by {}", changes.by))
    } else if task.assignee.is_some() {
        ("assigned", "assigned to you".to_owned())
    } else {
        ("claimed", "claimed".to_owned())
    };
    let left = task.last_release.as_ref().map(|released| released.note.clone()).unwrap_or_default();
    let note = if verdict.is_empty() && how != "resumed" { left } else { verdict };
    (how.to_owned(), text, note)
}

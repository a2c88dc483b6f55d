//! Several workers: branches named, tasks given out, and taken back from who fell silent.

use super::{draft, drop_lease, warn};
use crate::case::Case;
use crate::event::{Draft, Kind, PROJECT};
use crate::facts::{Authority, Decision, Lease, TaskFacts};
use crate::next::{SurfaceRow, collisions, dispatch_order};
use crate::rejection::Rejection;
use crate::task::Task;
use crate::words::{branch_of, span};
use contracts::fleet::{Branch, Dispatch, Dispatched, Freed, LeftAlone, Leftovers, NotStarted, Recover, RecoverWhy, Recovered, Started};
use contracts::standing::{Standing, Status, Verdict};
use contracts::{Actor, Moment, limits};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn branch(case: &Case, branch: &Branch) -> Result<Decision, Rejection> {
    let task = &case.task(&branch.task)?.task;
    let mut decision = Decision { subject: branch.task.to_string(), ..Decision::default() };
    let name = match &task.branch {
        Some(name) => name.clone(),
        None => {
            let name = branch.branch.clone().unwrap_or_else(|| branch_of(&task.id, &task.title));
            decision.events.push(branched(case, task, &name, branch.base.as_ref()));
            name
        }
    };
    let base = task.base.clone().or_else(|| branch.base.clone()).or_else(|| case.base());
    decision.data = json!({"branch": name, "base": base, "repeated": task.branch.is_some()});
    Ok(decision)
}

fn branched(case: &Case, task: &Task, name: &str, base: Option<&String>) -> Draft {
    draft(Kind::TaskBranched, task.id.as_str(), json!({"branch": name, "base": base.cloned().or_else(|| case.base())}))
}

/// Why a task is not given to a worker; a worker is an agent, so nothing is overlooked for it as it is for a person.
fn dispatchable(case: &Case, of: &TaskFacts, worker: &Actor) -> Result<(), Rejection> {
    let mut ctx = case.ctx.clone();
    ctx.caller.actor = worker.clone();
    Case::of(case.facts, &ctx, false).takeable(of)
}

pub(super) fn dispatch(case: &Case, dispatch: &Dispatch) -> Result<Decision, Rejection> {
    let mut decision = Decision { subject: PROJECT.to_owned(), dry_run: dispatch.dry_run, ..Decision::default() };
    let mut done = Dispatched::default();
    let mut names = names(case, dispatch).peekable();
    let mut chosen: Vec<(&Task, Option<&Lease>, Actor)> = Vec::new();
    if dispatch.tasks.is_empty() {
        let most = dispatch.count.unwrap_or(limits::WORKERS_DEFAULT) as usize;
        let next = dispatch_order(case, &case.facts.candidates, &case.facts.surfaces, most);
        chosen.extend(next.into_iter().zip(names).map(|(candidate, worker)| (&candidate.task, candidate.lease.as_ref(), worker)));
    } else {
        for id in super::edit::once(&dispatch.tasks) {
            let Some(of) = case.facts.tasks.get(&id) else {
                done.not_started.push(not_started(&id, &Rejection::NoTask(id.clone())));
                continue;
            };
            let Some(worker) = names.peek().cloned() else { break };
            match dispatchable(case, of, &worker) {
                Ok(()) => {
                    names.next();
                    chosen.push((&of.task, of.lease.as_ref(), worker));
                }
                Err(refused) => done.not_started.push(not_started(&id, &refused)),
            }
        }
    }
    let sent = |(task, _, worker): &(&Task, Option<&Lease>, Actor)| SurfaceRow {
        task: task.id.clone(),
        title: task.title.clone(),
        standing: Standing::Assigned,
        actor: Some(worker.clone()),
        patterns: crate::files::surface(task),
    };
    let surfaces: Vec<SurfaceRow> = case.facts.surfaces.iter().cloned().chain(chosen.iter().map(sent)).collect();
    for (task, lease, worker) in chosen {
        give_up_on(case, task, lease, &mut decision);
        let branch = task.branch.clone().unwrap_or_else(|| branch_of(&task.id, &task.title));
        decision.events.push(draft(Kind::TaskAssigned, task.id.as_str(), json!({"to": worker, "dispatched": true})));
        if task.branch.is_none() {
            decision.events.push(branched(case, task, &branch, None));
        }
        done.started.push(Started {
            task: task.id.clone(),
            title: task.title.clone(),
            worker,
            branch,
            base: task.base.clone().or_else(|| case.base()),
            directory: None,
            collisions: collisions(task, &surfaces).0,
            brief: String::new(),
        });
    }
    decision.data = json!(done);
    Ok(decision)
}

/// Ends the lapsed claim of whoever had the task before it is given on, so that a worker which comes back does not take it from the new one.
fn give_up_on(case: &Case, task: &Task, lease: Option<&Lease>, decision: &mut Decision) {
    let claim = task.claim.as_ref().map(|claim| (&claim.actor, claim.at));
    let Some((holder, heard)) = lease.map(|lease| (&lease.actor, lease.renewed_at)).or(claim) else { return };
    let note = format!("{holder} was silent for {}.", span(case.ctx.now.seconds_since(heard)));
    let commits: Vec<&str> = crate::standing::counting(task).into_iter().map(|commit| commit.sha.as_str()).collect();
    let body = json!({"reason": "displaced", "note": note, "holder": holder, "commits": commits});
    decision.events.push(draft(Kind::TaskReleased, task.id.as_str(), body));
    if lease.is_some() {
        drop_lease(decision, &task.id);
    }
    warn(decision, "displaced", format!("{holder} had {} and is told", task.id));
}

fn not_started(task: &contracts::TaskId, refused: &Rejection) -> NotStarted {
    let problem = refused.problem();
    NotStarted { task: task.clone(), code: problem.code, text: problem.title }
}

/// The workers' names that are free, the lowest first.
struct Names {
    dev: String,
    prefix: String,
    busy: BTreeSet<Actor>,
    next: u32,
}

impl Iterator for Names {
    type Item = Actor;

    fn next(&mut self) -> Option<Actor> {
        loop {
            self.next += 1;
            let name = Actor::parse(&format!("agent:{}/{}{}", self.dev, self.prefix, self.next)).ok()?;
            if !self.busy.contains(&name) {
                return Some(name);
            }
        }
    }
}

fn names(case: &Case, dispatch: &Dispatch) -> Names {
    Names {
        dev: case.caller().dev().unwrap_or_default().to_owned(),
        prefix: dispatch.prefix.clone().unwrap_or_else(|| WORKER.to_owned()),
        busy: case.facts.busy.clone(),
        next: 0,
    }
}

/// What workers' names begin with when nobody says.
pub(crate) const WORKER: &str = "w";

/// Whether an agent is quiet enough, and since when.
struct Silence {
    seconds: Option<i64>,
    enough: bool,
}

fn silence(case: &Case, who: &Actor, renewed_at: Option<Moment>, recover: &Recover) -> Silence {
    let now = case.ctx.now;
    let seen = case.facts.seen.get(who).copied();
    let heard = seen.max(renewed_at);
    // Being seen is noted at most once in a while: for that long it may have been seen again.
    let latest = seen.map(|seen| seen.plus_seconds(limits::SEEN_SECONDS)).max(renewed_at);
    let grace_s = recover.grace_s.unwrap_or(limits::SILENT_SECONDS);
    let enough = recover.force || latest.is_none_or(|latest| now.seconds_since(latest) >= grace_s);
    Silence { seconds: heard.map(|heard| now.seconds_since(heard).max(0)), enough }
}

pub(super) fn recover(case: &Case, recover: &Recover) -> Result<Decision, Rejection> {
    let mut decision = Decision { subject: PROJECT.to_owned(), dry_run: recover.dry_run, ..Decision::default() };
    let mut done = Recovered::default();
    for of in case.facts.tasks.values().filter(|of| recover.tasks.is_empty() || recover.tasks.contains(&of.task.id)) {
        match judged(case, of, recover) {
            Some(Ok(freed)) => {
                free(of, &freed, recover, &mut decision);
                done.freed.push(freed);
            }
            Some(Err(left)) => done.left_alone.push(left),
            None => {}
        }
    }
    if let [id] = recover.tasks.as_slice() {
        decision.subject = id.to_string();
    }
    decision.data = json!(done);
    Ok(decision)
}

/// What becomes of one task; nothing when no agent of the caller's person has it.
fn judged(case: &Case, of: &TaskFacts, recover: &Recover) -> Option<Result<Freed, LeftAlone>> {
    let (task, me) = (&of.task, case.caller());
    if task.status != Status::Open {
        return None;
    }
    // A lapsed lease frees its task by itself, unless the task is still meant for whoever let it lapse.
    let lease = case.keeping(of);
    let holder = lease.map(|lease| &lease.actor).or(task.assignee.as_ref()).filter(|holder| holder.is_agent())?;
    if me.is_agent() && !holder.same_dev(me) {
        return None;
    }
    let left = |text: String| Some(Err(LeftAlone { task: task.id.clone(), holder: holder.clone(), text }));
    if holder == me {
        return left("that is you".to_owned());
    }
    if lease.is_some_and(|lease| lease.authority == Authority::Clone) && !recover.force {
        return left("held in another clone, whose silence is not known here".to_owned());
    }
    let quiet = silence(case, holder, lease.map(|lease| lease.renewed_at), recover);
    if !quiet.enough {
        return left(format!("reported {} ago", span(quiet.seconds.unwrap_or(0))));
    }
    if lease.is_none() {
        let owes = task.verdict.as_ref().filter(|verdict| verdict.verdict == Verdict::Changes);
        if !task.assigned_unclaimed && owes.is_none() {
            return None; // handed in: a person judges it
        }
        let since = case.facts.assigned_at.get(&task.id).copied().max(owes.map(|verdict| verdict.at));
        let waited = since.map_or(i64::MAX, |since| case.ctx.now.seconds_since(since));
        if waited < limits::ASSIGNED_SECONDS_MIN && !recover.force {
            return left(format!("was given it {} ago and may still begin", span(waited)));
        }
    }
    let counting = crate::standing::counting(task).len();
    Some(Ok(Freed {
        task: task.id.clone(),
        title: task.title.clone(),
        holder: holder.clone(),
        never_started: lease.is_none(),
        silent_s: quiet.seconds,
        commits: u32::try_from(counting).unwrap_or(u32::MAX),
        leftovers: recover.leftovers.iter().find(|left| left.task == task.id).cloned(),
    }))
}

fn free(of: &TaskFacts, freed: &Freed, recover: &Recover, decision: &mut Decision) {
    let why = recover.why.unwrap_or(RecoverWhy::Silent);
    let commits: Vec<&str> = crate::standing::counting(&of.task).into_iter().map(|commit| commit.sha.as_str()).collect();
    let left = freed.leftovers.as_ref();
    let paths: Option<Vec<&String>> = left.map(|left| left.uncommitted.iter().chain(&left.untracked).collect());
    let body = json!({
        "reason": why, "note": note(freed, why), "holder": freed.holder, "commits": commits, "leftovers": paths,
        "leftovers_dropped": left.map(|left| left.more).filter(|more| *more > 0), "never_started": freed.never_started,
    });
    decision.events.push(draft(Kind::TaskReleased, of.task.id.as_str(), body));
    if of.lease.is_some() {
        drop_lease(decision, &of.task.id);
    }
    warn(decision, "displaced", format!("{} had {} and is told", freed.holder, freed.task));
}

/// What the next holder reads.
fn note(freed: &Freed, why: RecoverWhy) -> Value {
    let silent = match (why, freed.silent_s) {
        (RecoverWhy::Stopped, _) => "stopped".to_owned(),
        (RecoverWhy::Silent, Some(seconds)) => format!("silent for {}", span(seconds)),
        (RecoverWhy::Silent, None) => "never heard of".to_owned(),
    };
    let begun = if freed.never_started { ", had not begun" } else { "" };
    let left = freed.leftovers.as_ref().map(Leftovers::words).unwrap_or_default();
    let left = if left.is_empty() { left } else { format!(". Left behind: {left}") };
    format!("{} was {silent}{begun}{left}.", freed.holder).into()
}

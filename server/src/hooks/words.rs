//! The refusals of the guard and of the judgement, each with the call that would work, in one line for stderr and for a client alike.

use crate::board::HookedTask;
use contracts::{Actor, Moment, TaskId};

/// No such task.
pub fn unknown(task: &TaskId) -> String {
    format!("there is no task {task} on this board. Use the id of a task you hold, or leave the trailer out: it is added for you.")
}

/// The task is not the actor's to commit for.
pub fn not_held(actor: &Actor, task: &HookedTask, now: Moment) -> String {
    let id = &task.id;
    match &task.lease {
        Some(lease) if lease.runs && lease.actor != *actor => {
            format!(
                "{id} is held by {} until {}, not by you ({actor}). Commit in the branch of your own task, or take one: next.",
                lease.actor,
                clock(lease.until, now)
            )
        }
        _ if !task.open => format!("{id} is closed, so you ({actor}) do not hold it. Take an open task first: next, or plan then next."),
        _ => format!("you ({actor}) do not hold {id}. Take it first: next task={id}."),
    }
}

/// Nothing is held at all.
pub fn nothing_held(actor: &Actor) -> String {
    format!("you ({actor}) hold no task, so this commit would be evidence for nothing. Take one first: next, or plan then next.")
}

/// Several are held, and nothing says which one this is for.
pub fn several(actor: &Actor, tasks: &[&HookedTask]) -> String {
    let place = |task: &&HookedTask| match task.lease.as_ref().and_then(|lease| lease.worktree.as_deref()) {
        Some(place) => format!("{} in {place}", task.id),
        None => task.id.to_string(),
    };
    let places: Vec<String> = tasks.iter().take(5).map(place).collect();
    let first = tasks.first().map_or("tk-…", |task| task.id.as_str());
    format!("you ({actor}) hold several tasks ({}). Say which: git commit --trailer \"Task: {first}\", or commit in its own branch.", places.join(", "))
}

/// A commit that names no task, made where these are held; nothing where none is.
pub fn counts_for_none(held: &[&HookedTask]) -> Option<String> {
    let first = held.first()?;
    let more = held.len() - 1;
    let others = if more == 0 { String::new() } else { format!(" (or of {})", contracts::text::count(more as i64, "other task")) };
    Some(format!("this commit counts for no task. If it is of {} · {}{others}: callboard bind --task {}", first.id, first.title, first.id))
}

/// Hooks are off, and the branch would not bind the commit.
pub fn hooks_off(actor: &Actor) -> String {
    format!(
        "with hooks switched off only the branch can bind a commit, and this one is of no task you ({actor}) hold. Commit with hooks, or on your task's branch."
    )
}

/// A person does this.
pub fn people_only(what: &str) -> String {
    format!("a person does this: {what}. Ask them: message, or question on your task.")
}

/// Hours and minutes, in UTC as all times for agents; with the day when it is another.
pub fn clock(at: Moment, now: Moment) -> String {
    let text = at.to_string();
    let (day, time) = text.split_once('T').unwrap_or(("", &text));
    let time = time.get(..5).unwrap_or(time);
    if now.to_string().starts_with(day) { format!("{time}Z") } else { format!("{day} {time}Z") }
}

//! A task among others: parent, dependencies, subtasks, collisions, blockers, questions, conflicts.

use super::fit::{List, Oldest};
use super::safe::{line, quote};
use super::{call, thread, when};
use contracts::Standing;
use contracts::view::{Collision, ConflictRow, Relation, TaskView};
use serde_json::json;

/// Parent, what it waits for with the notes those were closed with, what waits for it, subtasks.
pub(crate) fn relations(view: &TaskView, note_bytes: usize) -> List {
    let mut list = List::new("## Relations", Oldest::Last, thread::section(&view.card.id, "spec"));
    let mut add = |role: &str, relation: &Relation| {
        let mut text = format!("- {role} {}", relation.id);
        match relation.standing {
            Some(Standing::Cancelled) => text.push_str(" · cancelled, never delivered"),
            Some(standing) => text.push_str(&format!(" · {}", standing.words())),
            None => text.push_str(" · not here yet: a person runs callboard sync"),
        }
        if let Some(holder) = &relation.holder {
            text.push_str(&format!(" · {holder}"));
        }
        if !relation.title.is_empty() {
            text.push_str(&format!(" · {}", line(&relation.title, 200)));
        }
        if relation.inert {
            text.push_str(" · inert, it would close a loop");
        }
        if !relation.note.is_empty() {
            let (note, was_cut) = quote(&relation.note, note_bytes);
            text.push_str(&format!("\n{note}"));
            list.shortened |= was_cut;
        }
        list.items.push(text);
    };
    view.parent_detail.iter().for_each(|parent| add("part of", parent));
    let (open, closed): (Vec<&Relation>, Vec<&Relation>) =
        view.waits_on.iter().partition(|on| on.standing.is_none_or(|standing| !matches!(standing, Standing::Done | Standing::Cancelled)));
    open.into_iter().for_each(|on| add("waits for", on));
    closed.into_iter().for_each(|on| add("waited for", on));
    view.blocking.iter().for_each(|other| add("awaited by", other));
    view.subtasks.iter().for_each(|child| add("subtask", child));
    list
}

/// Other tasks at the same files, and the message that would tell their holders.
pub(crate) fn collisions(view: &TaskView, rows: &[Collision], more: i64) -> List {
    let task = &view.card.id;
    let mut list = List::new("## Others at the same files", Oldest::Last, thread::section(task, "spec"));
    for row in rows {
        let actor = row.actor.as_ref().map_or(String::new(), |actor| format!(" · {actor}"));
        let paths: Vec<String> = row.paths.iter().take(3).map(|path| line(path, 100)).collect();
        list.items.push(format!("- {} · {}{actor} · {} · {}", row.id, row.standing.words(), line(&row.title, 80), paths.join(", ")));
    }
    list.more = more;
    if let Some(row) = rows.iter().find(|row| row.actor.is_some()) {
        list.heading.push_str(&format!(
            "\nTell them before you change what you share: {}",
            call("update", json!({"task": task, "mentions": [row.actor], "comment": format!("<what I change that {} also touches>", row.id)}))
        ));
    }
    list
}

/// Outside blockers and open questions.
pub(crate) fn blockers(view: &TaskView, bytes: usize) -> List {
    let mut list = List::new("## Waits for, outside the board", Oldest::First, thread::section(&view.card.id, "spec"));
    for blocker in &view.blockers {
        let (reason, was_cut) = quote(&blocker.reason, bytes);
        list.items.push(format!("- {} · since {} · {}\n{reason}", blocker.id, when::clock(blocker.at, None), blocker.by));
        list.shortened |= was_cut;
    }
    for question in &view.questions {
        let (text, was_cut) = quote(&question.text, bytes);
        let choices: Vec<String> = question.choices.iter().map(|choice| line(choice, 100)).collect();
        let choices = if choices.is_empty() { String::new() } else { format!(" · choices: {}", choices.join(" / ")) };
        list.items.push(format!("- {} · asked {} · {} · a person answers{choices}\n{text}", question.id, when::clock(question.at, None), question.by));
        list.shortened |= was_cut;
    }
    list
}

/// Facts that found no effect.
pub(crate) fn conflicts(rows: &[ConflictRow]) -> List {
    let mut list = List::new("## Conflicts a person settles", Oldest::First, "a person opens the card");
    for row in rows.iter().filter(|row| !row.settled) {
        list.items.push(format!("- {} · {} {} · {}", when::clock(row.at, None), row.actor, line(&row.kind, 40), line(&row.text, 300)));
    }
    list
}

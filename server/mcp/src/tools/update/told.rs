//! What an update did, line by line, from the receipts: what was done, who was told, what is ready now, what is missing.

use super::{Args, End};
use crate::text::fit::{Block, List, Oldest, render};
use crate::text::{self, count, safe};
use contracts::command::{Command, Edit, Receipt};
use contracts::view::TaskView;
use contracts::{Actor, Code, TaskId};
use serde_json::{Value, json};

/// The lines, ready to be cut to a budget.
pub(super) struct Told {
    done: String,
    told: List,
    ready: List,
    notes: List,
    after: String,
}

impl Told {
    /// The lines within `budget` bytes.
    pub fn text(self, budget: usize) -> String {
        let blocks = vec![Block::Text(self.done), Block::List(self.told), Block::List(self.ready), Block::List(self.notes), Block::Text(self.after)];
        // These are single lines that belong together: no empty lines between them.
        render(blocks, budget).replace("\n\n", "\n")
    }
}

/// Renders the receipts of `commands`; `view` is the task after them, where it was read.
pub(super) fn lines(args: &Args, commands: &[Command], receipts: &[Receipt], view: Option<&TaskView>, actor: &Actor) -> Told {
    let task = &args.task;
    let mut done: Vec<String> = commands.iter().zip(receipts).map(|(command, receipt)| line(task, command, receipt)).collect();
    let keeps = matches!(view, Some(view) if view.card.lease.as_ref().is_some_and(|lease| lease.actor == *actor));
    if keeps && (args.blocked_on.is_some() || args.blocker.is_some()) && args.status.is_none() {
        let release = text::call("update", json!({"task": task, "status": "released", "comment": "<what is done, what is left>"}));
        done.push(format!("Still yours: go on with what you can, or give it back: {release}"));
    }
    let more = text::call("ask", json!({"task": task}));
    let mut told = List::new("", Oldest::Last, more.clone());
    told.items.extend(one_line("told: ", gathered(receipts, "told", None)));
    let mut ready = List::new("", Oldest::Last, more);
    ready.items.extend(one_line("now ready: ", gathered(receipts, "freed", Some(task))));
    let mut notes = List::new("", Oldest::Last, text::call("ask", json!({"task": task, "section": "history"})));
    notes.items = receipts.iter().flat_map(|receipt| &receipt.warnings).map(|warning| format!("note: {}", safe::line(&warning.text, 300))).collect();
    notes.items.dedup();
    Told { done: done.join("\n"), told, ready, notes, after: view.map(missing).unwrap_or_default() }
}

fn line(task: &TaskId, command: &Command, receipt: &Receipt) -> String {
    let data = |name: &str| receipt.data.get(name).and_then(Value::as_str).map(|id| format!(" ({})", safe::line(id, 40))).unwrap_or_default();
    let text = match command {
        Command::Edit(edit) => format!("{task}: {}", edited(edit)),
        Command::Block(block) if block.reason.is_some() => format!("{task} waits for something outside the board{}", data("blocker")),
        Command::Block(block) => format!("{task} waits for {}", ids(block.on.iter().map(TaskId::as_str))),
        Command::Unblock(unblock) => {
            let what = unblock.on.as_ref().map(TaskId::as_str).or(unblock.blocker.as_ref().map(contracts::BlockerId::as_str)).unwrap_or_default();
            format!("{task} no longer waits for {what}")
        }
        Command::Comment(_) => format!("{task}: comment added"),
        Command::Question(_) => format!("{task}: question asked, a person answers it{}", data("question")),
        Command::Review(_) => format!("{task}: changes asked for"),
        Command::Close(close) => format!("{task} → {}{}", word(End::Done), if close.no_code { ", without code" } else { "" }),
        Command::Submit(_) => format!("{task} → {}, waits for a review", word(End::Submitted)),
        Command::Release(_) => format!("{task} → {}", word(End::Released)),
        Command::Cancel(_) => format!("{task} → {}", word(End::Cancelled)),
        other => format!("{task}: {}", other.name()),
    };
    match (receipt.repeated, receipt.events.is_empty()) {
        (true, _) => format!("{text} (already, with this key)"),
        (false, true) => format!("{text} (it was so already)"),
        (false, false) => text,
    }
}

fn word(end: End) -> &'static str {
    match end {
        End::Done => "done",
        End::Submitted => "submitted",
        End::Released => "released",
        End::Cancelled => "cancelled",
    }
}

fn edited(edit: &Edit) -> String {
    let mut parts = Vec::new();
    parts.extend(edit.files.as_ref().map(|files| format!("files set ({})", count(files.len() as i64, "pattern"))));
    parts.extend(edit.labels.as_ref().map(|labels| format!("labels set ({})", labels.len())));
    parts.extend(edit.complexity.as_ref().map(|_| "complexity set".to_owned()));
    if !edit.answers.is_empty() {
        let numbers: Vec<String> = edit.answers.iter().map(|answer| answer.i.to_string()).collect();
        let noun = if numbers.len() == 1 { "criterion" } else { "criteria" };
        parts.push(format!("{noun} {} answered", numbers.join(", ")));
    }
    parts.join(", ")
}

fn ids<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<&str> = ids.collect();
    match ids.len() {
        0..=12 => ids.join(", "),
        more => format!("{}, +{}", ids[..12].join(", "), more - 12),
    }
}

/// The distinct texts under `name` in all receipts, without `but`.
fn gathered(receipts: &[Receipt], name: &str, but: Option<&TaskId>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in receipts.iter().filter_map(|receipt| receipt.data.get(name)?.as_array()).flatten().filter_map(Value::as_str) {
        if but.is_none_or(|but| but.as_str() != text) && !found.iter().any(|known| known == text) {
            found.push(safe::line(text, 100));
        }
    }
    found
}

fn one_line(label: &str, texts: Vec<String>) -> Option<String> {
    (!texts.is_empty()).then(|| format!("{label}{}", ids(texts.iter().map(String::as_str))))
}

/// What a close still lacks, when it is the work that lacks something and not the right to close it.
fn missing(view: &TaskView) -> String {
    let lacks = |code| {
        matches!(code, Code::ChildrenOpen | Code::GateClosed | Code::NeedsReview | Code::CriteriaOpen | Code::NoEvidence | Code::NeedsReason | Code::Blocked)
    };
    let close = view.allowed.iter().find(|row| row.command == "close").and_then(|row| row.refused.as_ref());
    close.filter(|refusal| lacks(refusal.code)).map(|refusal| format!("still missing: {}", safe::line(&refusal.text, 300))).unwrap_or_default()
}

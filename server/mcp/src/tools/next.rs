//! `next`: the one thing to do now, claimed, with everything needed to do it.

use super::Row;
use crate::call::{Call, Done, Tail};
use crate::caller::UNNAMED;
use crate::text::fit::{Block, render};
use crate::text::{self, inbox, relations, safe, task, thread, when};
use crate::{args, schema};
use contracts::text::{Label, Slug};
use contracts::view::{NextAnswer, NextRequest, Place, TaskView};
use contracts::{Key, Problem, TaskId};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const ROW: Row = Row {
    name: "next",
    description: "Claim the next task for you (or resume yours): spec, place, inbox, how to finish. Call it again if you lost track.",
    example: "{}",
    read_only: false,
    board: true,
    schema: || schema::of::<Args>(SAYS),
    run: |call, args| run(call, args).boxed(),
};

const SAYS: &[(&str, &str)] = &[
    ("task", "this one and no other"),
    ("labels", "any of"),
    ("milestone", "id or title"),
    ("peek", "look, take nothing"),
    ("actor", "agent:<person>/<name>"),
    ("key", "makes a retry safe"),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    task: Option<TaskId>,
    labels: Option<Vec<Label>>,
    #[serde(rename = "type")]
    kind: Option<Slug>,
    milestone: Option<String>,
    peek: Option<bool>,
    #[serde(rename = "actor")]
    _actor: Option<String>,
    key: Option<Key>,
}

async fn run(call: &Call, args: Map<String, Value>) -> Result<Done, Problem> {
    let args: Args = args::read(call.row, args, &[("labels", json!("api"))])?;
    let request = NextRequest {
        task: args.task,
        labels: args.labels.unwrap_or_default(),
        kind: args.kind,
        milestone: args.milestone,
        peek: args.peek.unwrap_or(false),
        key: args.key,
        ttl_s: None,
    };
    let peek = request.peek;
    let answer = call.board.next(request).await?;
    let unread = unread(call, &answer, peek).await;
    Ok(Done { queue: Tail::Counts(answer.queue), render: Box::new(move |budget| body(&answer, unread, peek, budget)), inbox: false })
}

/// What is unread, handed over unless it is only a look.
pub(super) async fn unread(call: &Call, answer: &NextAnswer, peek: bool) -> String {
    let unread = inbox::unread(&answer.inbox, answer.inbox_more, inbox::RIDING_BYTES, Some(answer.now));
    if !peek {
        call.hand_over(&answer.inbox[..unread.shown]).await;
    }
    unread.text
}

/// The answer without its queue line: the task, or why there is none.
pub(super) fn body(answer: &NextAnswer, unread: String, peek: bool, budget: usize) -> String {
    let peeked = if peek { "Only a look: nothing was taken or delivered." } else { "" };
    let warnings: Vec<String> = answer.warnings.iter().take(5).map(|warning| format!("note: {}", safe::line(&warning.text, 250))).collect();
    let mut blocks = Vec::new();
    match &answer.task {
        Some(view) => order(&mut blocks, answer, view, peeked, warnings, unread),
        None => {
            blocks.push(Block::Text(unread));
            blocks.push(Block::Text(peeked.to_owned()));
            let (text, next) = answer.why.as_ref().map(|why| (why.text.as_str(), why.next.for_mcp())).unwrap_or(("there is no task", String::new()));
            let next = if next.is_empty() { String::new() } else { format!("\nnext: {}", safe::line(&next, 900)) };
            blocks.push(Block::Text(format!("Nothing for you: {}{next}", safe::line(text, 1_200))));
            blocks.push(Block::Text(warnings.join("\n")));
        }
    }
    render(blocks, budget)
}

/// Parts 1 to 14 of the answer, in their order.
fn order(blocks: &mut Vec<Block>, answer: &NextAnswer, view: &TaskView, peeked: &str, warnings: Vec<String>, unread: String) {
    let mut how = if answer.how_text.is_empty() { how_words(&answer.how).to_owned() } else { safe::line(&answer.how_text, 300) };
    if answer.repeated {
        how.push_str(" (the same answer again, for the same key)");
    }
    let head = [task::head(view), how, shared_name(answer, view), peeked.to_owned()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .chain(warnings)
        .collect::<Vec<_>>()
        .join("\n");
    blocks.push(Block::Text(head));
    if let Some(lease) = &answer.lease {
        let until = when::clock(lease.until, Some(answer.now));
        blocks.push(Block::Text(format!("Yours until {until} (fence {}); every Callboard call extends it.", lease.fence)));
    }
    blocks.push(Block::Text(answer.place.as_ref().map(place).unwrap_or_default()));
    blocks.push(Block::Text(unread));
    // One field holds the reviewer's words or, where there are none, those of whoever let go of it.
    let judged = view.card.review.as_ref().is_some_and(|review| review.state == "changes");
    let heading = if judged { "## Changes wanted" } else { "## Last note of who had it before" };
    let text = safe::clean(answer.verdict.trim()).into_owned();
    blocks.push(Block::Cut { heading: heading.into(), text, quoted: true, least: 500, call: thread::section(&view.card.id, "thread") });
    blocks.push(Block::List(relations::collisions(view, &answer.collisions, answer.collisions_more)));
    blocks.push(Block::Whole(task::spec(view)));
    blocks.push(Block::Whole(task::criteria(view)));
    if let Some(milestone) = &view.milestone_detail {
        blocks.extend(task::milestone(view, milestone));
    }
    blocks.push(Block::List(relations::relations(view, 300)));
    blocks.push(Block::List(thread::latest(view, Some(answer.now))));
    blocks.push(Block::List(thread::commits(view)));
    if answer.lease.is_some() || !peeked.is_empty() {
        blocks.push(Block::Text(finish(view, answer.lease.as_ref().map(|lease| lease.fence))));
    }
}

/// HTTP has no sessions to tell clients apart by, so two that give no name are one worker: said where a task comes back to that name.
fn shared_name(answer: &NextAnswer, view: &TaskView) -> String {
    let holder = view.card.lease.as_ref().map(|lease| &lease.actor).filter(|_| answer.how == "resumed");
    let Some((holder, (dev, name))) = holder.and_then(|holder| Some((holder, holder.short().split_once('/')?))) else { return String::new() };
    if name != UNNAMED {
        return String::new();
    }
    format!(
        "note: every HTTP client that gives no name is {holder}. If you did not take this task, another did: name yourself, \
         actor=agent:{dev}/<name> in each call or the header Callboard-Actor, and call next again."
    )
}

fn how_words(how: &str) -> &str {
    match how {
        "assigned" => "assigned to you",
        "changes" => "changes wanted",
        "taken_over" => "taken over",
        other => other,
    }
}

fn place(place: &Place) -> String {
    let line = |text: &str| safe::line(text, 500);
    match (&place.worktree, &place.command, &place.branch) {
        (Some(worktree), ..) => format!("Work in {}", line(worktree)),
        (None, Some(command), _) => format!("First run: {}", line(command)),
        (None, None, Some(branch)) => format!("Work on branch {}", line(branch)),
        (None, None, None) => String::new(),
    }
}

/// The exact calls that end the work.
fn finish(view: &TaskView, fence: Option<i64>) -> String {
    let status = |status: &str, comment: &str| {
        let mut args = json!({"task": view.card.id, "status": status, "comment": comment});
        if let Some(fence) = fence {
            args["fence"] = fence.into();
        }
        text::call("update", args)
    };
    let done = format!("- done: {}", status("done", "<what you delivered>"));
    let submitted = format!("- for a review: {}", status("submitted", "<what you did>"));
    let released = format!("- give it back: {}", status("released", "<what is done, what is left>"));
    let rule = if view.review_required { "A review is required: submit it, and a person passes it." } else { "No review is required." };
    let calls = if view.review_required { [submitted, released].join("\n") } else { [done, submitted, released].join("\n") };
    format!("## Finish\n{calls}\n{rule} Commit first; without a commit add \"no_code\": true and say why. \"next\": true goes on with the next task.")
}

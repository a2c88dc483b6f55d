//! `dispatch`: gives tasks to workers, one each, with a worktree and a brief to start it with.

use super::Row;
use crate::call::{Call, Done, Tail};
use crate::text::fit::{Block, List, Oldest, render};
use crate::text::{self, count, safe};
use crate::{args, schema};
use contracts::fleet::{Dispatch, Dispatched, Started};
use contracts::{Command, CommandRequest, Key, Problem, Receipt, TaskId};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const ROW: Row = Row {
    name: "dispatch",
    description: "Give tasks to sub-agents, one each: names, worktrees, and a brief for each to start it with.",
    example: r#"{"count":2}"#,
    read_only: false,
    board: true,
    schema: || schema::of::<Args>(SAYS),
    run: |call, args| run(call, args).boxed(),
};

const SAYS: &[(&str, &str)] = &[("tasks", "these; else the next ones"), ("count", "1 to 12"), ("prefix", "of names: w")];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    tasks: Option<Vec<TaskId>>,
    count: Option<u32>,
    prefix: Option<String>,
    worktrees: Option<bool>,
    dry_run: Option<bool>,
    #[serde(rename = "actor")]
    _actor: Option<String>,
    key: Option<Key>,
}

async fn run(call: &Call, args: Map<String, Value>) -> Result<Done, Problem> {
    let args: Args = args::read(call.row, args, &[("tasks", json!("tk-4f2a9c"))])?;
    let dry_run = args.dry_run.unwrap_or(false);
    let command = Dispatch { tasks: args.tasks.unwrap_or_default(), count: args.count, prefix: args.prefix, worktrees: args.worktrees, dry_run };
    let receipt = call.board.execute(CommandRequest { key: args.key, ..CommandRequest::of(Command::Dispatch(command)) }).await?;
    Ok(Done { render: Box::new(move |budget| body(&receipt, dry_run, budget)), inbox: true, queue: Tail::Read })
}

fn body(receipt: &Receipt, dry_run: bool, budget: usize) -> String {
    let done: Dispatched = serde_json::from_value(receipt.data.clone()).unwrap_or_default();
    let workers = count(done.started.len() as i64, "worker");
    let head = match (dry_run, receipt.repeated) {
        _ if done.started.is_empty() => "No worker got a task.".to_owned(),
        (true, _) => format!("Only a look: {workers} would get a task, nothing was written."),
        (false, true) => format!("Dispatched already with this key: {workers}."),
        (false, false) => format!("{workers} got a task. Start one sub-agent for each brief, with the brief as its instructions, word for word."),
    };
    let mut table = List::new("worker · task · directory · branch", Oldest::Last, "their briefs are below");
    table.items = done.started.iter().map(row).collect();
    let mut left = List::new("## Not started", Oldest::Last, text::call("ask", json!({"query": "<words of its title>"})));
    left.items = done.not_started.iter().map(|one| format!("- {} ({}): {}", one.task, one.code, safe::line(&one.text, 400))).collect();
    let mut blocks = vec![Block::Text(head), Block::List(table), Block::List(left)];
    if done.started.is_empty() && done.not_started.is_empty() {
        blocks.push(Block::Text(format!("Nothing is free: {} says what everything waits for.", text::call("next", json!({"peek": true})))));
    }
    if !dry_run {
        blocks.extend(done.started.iter().map(|started| Block::Whole(format!("```text\n{}\n```", fenced(&started.brief)))));
    }
    render(blocks, budget)
}

fn row(started: &Started) -> String {
    let place = started.directory.as_deref().map_or_else(|| "no worktree".to_owned(), |directory| safe::line(directory, 300));
    format!("{} · {} {} · {place} · {}", started.worker, started.task, safe::line(&started.title, 80), safe::line(&started.branch, 120))
}

/// A brief can't end its own fence.
fn fenced(brief: &str) -> String {
    safe::clean(brief).replace("```", "'''")
}

//! `recover`: takes tasks back from agents that fell silent, before time does.

use super::Row;
use crate::call::{Call, Done, Tail};
use crate::text::fit::{Block, List, Oldest, render};
use crate::text::{self, count, safe};
use crate::{args, schema};
use contracts::fleet::{Freed, Leftovers, Recover, Recovered};
use contracts::{Command, CommandRequest, Key, Problem, Receipt, TaskId};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const ROW: Row = Row {
    name: "recover",
    description: "Free tasks of your person's agents that fell silent, with what they left. Time does it too.",
    example: r#"{"dry_run":true}"#,
    read_only: false,
    board: true,
    schema: || schema::of::<Args>(SAYS),
    run: |call, args| run(call, args).boxed(),
};

const SAYS: &[(&str, &str)] = &[("grace_s", "silent for: 60"), ("force", "though it reports")];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    tasks: Option<Vec<TaskId>>,
    grace_s: Option<i64>,
    force: Option<bool>,
    dry_run: Option<bool>,
    #[serde(rename = "actor")]
    _actor: Option<String>,
    key: Option<Key>,
}

async fn run(call: &Call, args: Map<String, Value>) -> Result<Done, Problem> {
    let args: Args = args::read(call.row, args, &[("tasks", json!("tk-4f2a9c"))])?;
    let dry_run = args.dry_run.unwrap_or(false);
    let command =
        Recover { tasks: args.tasks.unwrap_or_default(), grace_s: args.grace_s, force: args.force.unwrap_or(false), dry_run, why: None, leftovers: Vec::new() };
    let receipt = call.board.execute(CommandRequest { key: args.key, ..CommandRequest::of(Command::Recover(command)) }).await?;
    Ok(Done { render: Box::new(move |budget| body(&receipt, dry_run, budget)), inbox: true, queue: Tail::Read })
}

fn body(receipt: &Receipt, dry_run: bool, budget: usize) -> String {
    let done: Recovered = serde_json::from_value(receipt.data.clone()).unwrap_or_default();
    let tasks = count(done.freed.len() as i64, "task");
    let head = match (done.freed.is_empty(), dry_run) {
        (true, _) => "Nothing to recover.".to_owned(),
        (false, true) => format!("Only a look: {tasks} would be freed, nothing was written."),
        (false, false) => format!("Freed {tasks}; worktrees are as they were, and whoever takes one reads what was left."),
    };
    let mut freed = List::new("task · from · silent · commits · left behind", Oldest::Last, text::call("ask", json!({"query": "<words of its title>"})));
    freed.items = done.freed.iter().map(row).collect();
    let mut left = List::new("## Left alone", Oldest::Last, "these go on");
    left.items = done.left_alone.iter().map(|one| format!("- {} {}: {}", one.task, one.holder, safe::line(&one.text, 300))).collect();
    render(vec![Block::Text(head), Block::List(freed), Block::List(left)], budget)
}

fn row(freed: &Freed) -> String {
    let silent = freed.silent_s.map_or_else(|| "never heard of".to_owned(), contracts::text::span);
    let begun = if freed.never_started { ", never begun" } else { "" };
    let left = freed.leftovers.as_ref().map(Leftovers::words).unwrap_or_else(|| "no worktree".to_owned());
    format!("{} {} · {} · {silent}{begun} · {} · {}", freed.task, safe::line(&freed.title, 80), freed.holder, freed.commits, safe::line(&left, 400))
}

//! `update`: everything an agent says about one task, as one transaction, and on request the next task after it.

mod commands;
mod told;

use super::{Row, next};
use crate::call::{Call, Done, Tail};
use crate::{args, schema};
use contracts::command::CriterionAnswer;
use contracts::standing::Complexity;
use contracts::text::{CriterionText, FilePattern, Label, Note};
use contracts::view::{NextAnswer, NextRequest, TaskView};
use contracts::{Actor, Key, Problem, TaskId};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const ROW: Row = Row {
    name: "update",
    description: "Report on a task, all or nothing: comment, checklist, what it waits for, a question, or its end.",
    example: r#"{"task":"<id>","comment":"<what matters>"}"#,
    read_only: false,
    board: true,
    schema: || schema::of::<Args>(SAYS),
    run: |call, args| run(call, args).boxed(),
};

const SAYS: &[(&str, &str)] = &[
    ("comment", "with status or verdict: its note"),
    ("status", "done needs commits, or no_code and a comment"),
    ("blocked_on", "task ids"),
    ("blocker", "outside the board"),
    ("unblock", "ids of tasks or blockers"),
    ("question", "only for what a person must settle"),
    ("verdict", "on another's submission"),
    ("criteria.i", "from 1"),
    ("next", "with status: take the next task"),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    task: TaskId,
    comment: Option<Note>,
    mentions: Option<Vec<Actor>>,
    status: Option<End>,
    no_code: Option<bool>,
    blocked_on: Option<Vec<TaskId>>,
    blocker: Option<Note>,
    unblock: Option<Vec<String>>,
    question: Option<Note>,
    choices: Option<Vec<CriterionText>>,
    verdict: Option<Judgement>,
    criteria: Option<Vec<CriterionAnswer>>,
    fence: Option<i64>,
    files: Option<Vec<FilePattern>>,
    labels: Option<Vec<Label>>,
    complexity: Option<Complexity>,
    next: Option<bool>,
    #[serde(rename = "actor")]
    _actor: Option<String>,
    key: Option<Key>,
}

/// How an agent ends its work on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum End {
    Done,
    Submitted,
    Released,
    Cancelled,
}

/// An agent may ask for changes; passing is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Judgement {
    Changes,
}

async fn run(call: &Call, raw: Map<String, Value>) -> Result<Done, Problem> {
    let lists = [
        ("mentions", json!("agent:ana/w1")),
        ("blocked_on", json!("tk-4f2a9c")),
        ("unblock", json!("tk-4f2a9c")),
        ("criteria", json!({"i": 1, "met": true})),
        ("files", json!("src/")),
        ("labels", json!("api")),
        ("choices", json!("yes")),
    ];
    let args: Args = args::read(call.row, raw, &lists)?;
    let requests = commands::requests(&args)?;
    let commands: Vec<_> = requests.iter().map(|request| request.command.clone()).collect();
    let receipts = call.board.execute_all(requests).await?;
    let goes_on = args.next == Some(true);
    let view = if goes_on { None } else { after(call, &args).await };
    let done = told::lines(&args, &commands, &receipts, view.as_ref(), &call.actor);
    if !goes_on {
        return Ok(Done { render: Box::new(move |budget| done.text(budget)), inbox: true, queue: Tail::Read });
    }
    let key = args.key.as_ref().map(|key| commands::derived(key, "next"));
    match call.board.next(NextRequest { key, ..NextRequest::default() }).await {
        Ok(answer) => {
            let unread = next::unread(call, &answer, false).await;
            Ok(with_next(done, answer, unread))
        }
        // The update stands: what went wrong after it is said below it, not instead of it.
        Err(problem) => {
            let refused = crate::text::refusal::text(&problem);
            let render = move |budget: usize| crate::text::join([done.text(budget.saturating_sub(refused.len() + 2)), format!("The next task: {refused}")]);
            Ok(Done { render: Box::new(render), inbox: true, queue: Tail::Read })
        }
    }
}

fn with_next(done: told::Told, answer: NextAnswer, unread: String) -> Done {
    let queue = Tail::Counts(answer.queue);
    let render = move |budget: usize| {
        let above = done.text(budget / 3);
        let below = next::body(&answer, unread, false, budget.saturating_sub(above.len() + 2));
        crate::text::join([above, below])
    };
    Done { render: Box::new(render), inbox: false, queue }
}

/// The task as it is after the update, where that is worth a read: to say what its close still lacks, and whether it is still held.
async fn after(call: &Call, args: &Args) -> Option<TaskView> {
    let ended = matches!(args.status, Some(End::Done | End::Released | End::Cancelled));
    let only_talk = args.status.is_none() && args.blocked_on.is_none() && args.blocker.is_none() && args.question.is_none() && args.criteria.is_none();
    if ended || only_talk {
        return None;
    }
    call.board.task(args.task.clone()).await.ok()
}

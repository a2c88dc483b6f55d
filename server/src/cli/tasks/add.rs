//! `callboard tasks add`: one task, as a plan of one.

use super::fields::FieldArgs;
use crate::cli::desk::{Desk, texts};
use crate::cli::out::Row;
use contracts::command::{Plan, PlanTask, TaskRef};
use contracts::{Actor, Code, Command, Hint, Note, Problem, TaskId, Title};
use serde_json::Value;

/// Arguments of `tasks add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// Say in one line what is to be done
    #[arg(value_name = "TITLE", value_parser = Title::parse)]
    title: Title,
    #[command(flatten)]
    fields: FieldArgs,
    /// Let it wait for this task; may be given several times
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task, value_delimiter = ',')]
    after: Vec<TaskId>,
    /// Let this task wait for it; may be given several times
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task, value_delimiter = ',')]
    blocks: Vec<TaskId>,
    /// Say whom it is for
    #[arg(long, value_name = "A", value_parser = Actor::parse)]
    assignee: Option<Actor>,
    /// Hold it back from the start, for this reason
    #[arg(long, value_name = "REASON", value_parser = Note::parse)]
    held: Option<Note>,
}

/// The refusal of a plan of one task, worded for that task: by its fields, and without what concerns several.
fn of_one(mut problem: Problem) -> Problem {
    let field = |text: &str| text.strip_prefix("tasks[0].").unwrap_or(text).to_owned();
    problem.title = field(&problem.title);
    for error in &mut problem.errors {
        error.path = field(&error.path);
    }
    if problem.code == Code::BadRequest {
        problem.hint = Hint::text("callboard tasks add --help shows each field");
    }
    problem
}

/// Creates it.
pub async fn run(desk: &mut Desk, args: AddArgs) -> Result<(), Problem> {
    let spec = args.fields.spec()?.unwrap_or_default();
    let due_at = match &args.fields.due {
        Some(raw) => Some(desk.when().await?.due(raw).map_err(|fault| Problem::bad_request("--due", fault))?),
        None => None,
    };
    let fields = args.fields;
    let task = PlanTask {
        title: args.title,
        spec,
        kind: fields.kind,
        priority: fields.priority,
        after: args.after.into_iter().map(TaskRef::Id).collect(),
        blocks: args.blocks,
        parent: fields.parent.map(TaskRef::Id),
        files: fields.files,
        criteria: fields.criteria,
        labels: fields.label,
        vertical: fields.vertical,
        complexity: fields.complexity,
        due_at,
        assignee: args.assignee,
        review: fields.review,
        milestone: fields.milestone,
        held: args.held,
        source: None,
    };
    let receipt = desk.execute(Command::Plan(Plan { tasks: vec![task], ..Plan::default() })).await.map_err(of_one)?;
    let created = receipt.data.get("tasks").and_then(Value::as_array).and_then(|tasks| tasks.first()).cloned().unwrap_or(Value::Null);
    let id = created.get("id").and_then(Value::as_str).unwrap_or(&receipt.subject).to_owned();
    let title = created.get("title").and_then(Value::as_str).unwrap_or_default();
    let waits = texts(created.get("waits_for"));
    let mut row = Row::new().strong(id).plain(format!(" {title}"));
    if !waits.is_empty() {
        row = row.dim(format!("  waits for {}", waits.join(" ")));
    }
    desk.say(&receipt, row).await
}

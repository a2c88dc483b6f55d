//! `callboard tasks plan`: many tasks at once from JSON, all or none.

use super::fields::read_text;
use crate::cli::desk::{Desk, texts};
use crate::cli::out::Row;
use crate::cli::text;
use contracts::{Command, Hint, Problem, limits};
use serde_json::Value;
use std::path::PathBuf;

/// Arguments of `tasks plan`.
#[derive(Debug, clap::Args)]
pub struct PlanArgs {
    /// Read this file, - for stdin: {"milestone": "…", "tasks": [{"title": "…", "after": [0]}]}
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Check and answer as if, write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Plans it.
pub async fn run(desk: &mut Desk, args: PlanArgs) -> Result<(), Problem> {
    let text = read_text(&args.file, limits::BODY_BYTES_MAX, "FILE")?;
    let form = || Hint::text(r#"the form is {"milestone": "Title", "tasks": [{"title": "First"}, {"title": "Second", "after": [0]}]}"#);
    let mut plan: Value = contracts::json::read(&text).map_err(|fault| {
        let said = if fault.is_data() { fault.to_string() } else { format!("is not JSON: {fault}") };
        Problem::bad_request("FILE", said).hint(form())
    })?;
    let Value::Object(members) = &mut plan else { return Err(Problem::bad_request("FILE", "is not a JSON object").hint(form())) };
    if args.dry_run {
        members.insert("dry_run".to_owned(), Value::Bool(true));
    }
    resolve_dates(desk, members.get_mut("tasks")).await?;
    let command = Command::parse("plan", plan)?;
    let receipt = desk.execute(command).await?;
    if desk.out.manner.json {
        return desk.out.document(&receipt);
    }
    let tasks = receipt.data.get("tasks").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(milestone) = receipt.data.get("milestone").and_then(Value::as_str) {
        desk.out.row(Row::new().plain("milestone ").strong(milestone));
    }
    let said = |task: &Value, key: &str| task.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    for task in &tasks {
        let place = task.get("index").and_then(Value::as_i64).unwrap_or_default();
        let priority = task.get("priority").and_then(Value::as_i64).unwrap_or(2);
        let waits = texts(task.get("waits_for"));
        let row = Row::new().dim(format!("{place:>3} ")).strong(said(task, "id")).dim(format!(" P{priority} ")).plain(said(task, "title"));
        desk.out.row(if waits.is_empty() { row } else { row.dim(format!("  waits for {}", waits.join(" "))) });
    }
    let ready = receipt.data.get("ready").and_then(Value::as_i64).unwrap_or_default();
    let planned = text::count(i64::try_from(tasks.len()).unwrap_or_default(), "task");
    let would = if args.dry_run { "would be planned, nothing was written" } else { "planned" };
    desk.say(&receipt, Row::new().dim(format!("{planned} {would} {} {ready} ready now", desk.out.dot()))).await
}

/// A bare date means the end of that day in the project's zone, which only this side knows how to find.
async fn resolve_dates(desk: &mut Desk, tasks: Option<&mut Value>) -> Result<(), Problem> {
    let Some(tasks) = tasks.and_then(Value::as_array_mut) else { return Ok(()) };
    for (place, task) in tasks.iter_mut().enumerate() {
        let Some(Value::String(raw)) = task.get_mut("due_at") else { continue };
        let at = desk.when().await?.due(raw).map_err(|fault| Problem::bad_request(format!("tasks[{place}].due_at"), fault))?;
        *raw = at.to_string();
    }
    Ok(())
}

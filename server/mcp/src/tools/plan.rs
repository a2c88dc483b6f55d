//! `plan`: creates tasks in one call, with what they wait for, and a milestone around them.

use super::Row;
use crate::call::{Call, Done, Tail};
use crate::text::fit::{Block, List, Oldest, render};
use crate::text::{self, count, safe};
use crate::{args, schema};
use contracts::command::{Command, Priority, Receipt, TaskRef};
use contracts::standing::Complexity;
use contracts::text::{CriterionText, FilePattern, Goal, Label, Markdown, MilestoneTitle, Slug, Title};
use contracts::{Actor, Code, CommandRequest, FieldError, Key, Problem, TaskId, limits};
use futures::FutureExt;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

pub(super) const ROW: Row = Row {
    name: "plan",
    description: "Create tasks at once, all or none: say what waits for what. One entry is fine; parent makes subtasks.",
    example: r#"{"tasks":[{"title":"<one line>"},{"title":"<what waits for it>","after":[0]}]}"#,
    read_only: false,
    board: true,
    schema: || schema::of::<Args>(SAYS),
    run: |call, args| run(call, args).boxed(),
};

const SAYS: &[(&str, &str)] = &[
    ("tasks.spec", "markdown: what, why, how to tell it is right"),
    ("tasks.priority", "0 urgent, 2 normal"),
    ("tasks.after", "waits for: index in this call (from 0) or id"),
    ("tasks.blocks", "ids that shall wait for it"),
    ("tasks.files", "paths, dir/ or globs it will touch"),
    ("tasks.due_at", "date or RFC 3339"),
    ("milestone", "title; an open one is reused"),
    ("dry_run", "check only"),
];

/// The shape that clients are shown. Values are read by `contracts`, which finds up to 20 faults at once.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct Args {
    tasks: Vec<Entry>,
    milestone: Option<MilestoneTitle>,
    goal: Option<Goal>,
    rules: Option<Vec<CriterionText>>,
    criteria: Option<Vec<CriterionText>>,
    dry_run: Option<bool>,
    actor: Option<String>,
    key: Option<Key>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct Entry {
    title: Title,
    spec: Option<Markdown>,
    #[schemars(rename = "type")]
    kind: Option<Slug>,
    priority: Option<Priority>,
    after: Option<Vec<TaskRef>>,
    blocks: Option<Vec<TaskId>>,
    parent: Option<TaskRef>,
    files: Option<Vec<FilePattern>>,
    criteria: Option<Vec<CriterionText>>,
    labels: Option<Vec<Label>>,
    vertical: Option<Slug>,
    complexity: Option<Complexity>,
    due_at: Option<String>,
    assignee: Option<Actor>,
    review: Option<bool>,
}

async fn run(call: &Call, mut args: Map<String, Value>) -> Result<Done, Problem> {
    shape(call.row, &args)?;
    args.remove("actor");
    let key = match args.remove("key") {
        None | Some(Value::Null) => None,
        Some(Value::String(raw)) => Some(Key::parse(&raw).map_err(|fault| Problem::bad_request("key", fault))?),
        Some(other) => return Err(Problem::bad_request("key", format!("is text, not {other}"))),
    };
    args.retain(|_, value| !value.is_null());
    resolve_dates(call, &mut args).await?;
    let dry_run = args.get("dry_run") == Some(&Value::Bool(true));
    let command = Command::parse("plan", Value::Object(args))?;
    let receipt = call.board.execute(CommandRequest { key, ..CommandRequest::of(command) }).await?;
    Ok(Done { render: Box::new(move |budget| body(&receipt, dry_run, budget)), inbox: true, queue: Tail::Read })
}

/// Refuses unknown names and texts for lists, here and in every entry.
fn shape(row: &Row, args: &Map<String, Value>) -> Result<(), Problem> {
    let text = || json!("<one line>");
    args::known_names(row, args)?;
    if let Some((name, right)) = args::text_for_list(args, &[("tasks", json!({"title": text()})), ("rules", text()), ("criteria", text())]) {
        return Err(args::list_fault(row, name, &right, args::with(args, name, right.clone())));
    }
    let schema = (row.schema)();
    let entry_schema = schema.get("properties").and_then(|properties| properties["tasks"]["items"].as_object()).cloned().unwrap_or_default();
    let lists = [("after", json!(0)), ("blocks", json!("tk-4f2a9c")), ("files", json!("src/")), ("criteria", text()), ("labels", json!("api"))];
    let entries = args.get("tasks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut errors = Vec::new();
    for (place, entry) in entries.iter().enumerate().filter_map(|(place, entry)| entry.as_object().map(|entry| (place, entry))) {
        if let Some((name, right)) = args::text_for_list(entry, &lists) {
            let mut mended = args.clone();
            mended["tasks"][place][name] = right.clone();
            return Err(args::list_fault(row, &format!("tasks[{place}].{name}"), &right, mended));
        }
        let unknown = args::unknown_names(entry, &entry_schema).into_iter();
        errors.extend(unknown.map(|(name, text)| FieldError { path: format!("tasks[{place}].{name}"), text }));
    }
    errors.truncate(limits::PLAN_ERRORS_MAX);
    match errors.as_slice() {
        [] => Ok(()),
        [one] => Err(Problem::bad_request(one.path.clone(), one.text.clone())),
        many => Err(Problem::new(Code::BadRequest, format!("{} names are not known here", many.len())).errors(errors)),
    }
}

/// Turns bare dates into the end of that day in the project's zone, and leaves out the nulls of entries.
async fn resolve_dates(call: &Call, args: &mut Map<String, Value>) -> Result<(), Problem> {
    let Some(Value::Array(entries)) = args.get_mut("tasks") else { return Ok(()) };
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        entry.retain(|_, value| !value.is_null());
        let Some(date) = entry.get("due_at").and_then(Value::as_str).filter(|raw| raw.len() == "2026-12-01".len()) else { continue };
        match call.board.day_end(date.to_owned()).await {
            Ok(end) => drop(entry.insert("due_at".into(), end.to_string().into())),
            // What is no date is refused at its place, with everything else that is wrong.
            Err(problem) if problem.code == Code::BadRequest => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

fn body(receipt: &Receipt, dry_run: bool, budget: usize) -> String {
    let data = &receipt.data;
    let empty = Vec::new();
    let tasks = data["tasks"].as_array().unwrap_or(&empty);
    let mut head = match (dry_run, receipt.repeated) {
        (true, _) => format!("Only a check: {} would be created, nothing was written.", count(tasks.len() as i64, "task")),
        (false, true) => format!("Already created with this key: {}.", count(tasks.len() as i64, "task")),
        (false, false) => format!("Created {}.", count(tasks.len() as i64, "task")),
    };
    if let Some(milestone) = milestone(&data["milestone"]) {
        head.push_str(&format!("\nmilestone {milestone}"));
    }
    let first_title = |row: &Value| safe::line(row["title"].as_str().unwrap_or_default(), 60);
    let mut list = List::new("index · id · priority · title · waits for", Oldest::Last, String::new());
    list.call = text::call("ask", json!({"query": tasks.last().map(first_title).unwrap_or_default()}));
    list.items = tasks.iter().enumerate().map(|(place, row)| table_row(place, row)).collect();
    let mut notes = List::new("", Oldest::Last, "these are only notes");
    notes.items = receipt.warnings.iter().map(|warning| format!("note: {}", safe::line(&warning.text, 250))).collect();
    render(vec![Block::Text(head), Block::List(list), Block::Text(ready(data, tasks)), Block::List(notes)], budget)
}

fn milestone(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(safe::line(id, 200)),
        Value::Object(milestone) => {
            let part = |name: &str| milestone.get(name).and_then(Value::as_str).map(|text| safe::line(text, 500));
            Some([part("id"), part("title")].into_iter().flatten().collect::<Vec<_>>().join(" · "))
        }
        _ => None,
    }
}

fn table_row(place: usize, row: &Value) -> String {
    let word = |value: &Value| value.as_str().map(|text| safe::line(text, 900)).unwrap_or_else(|| value.to_string());
    let waits: Vec<String> = row["waits_for"].as_array().map(|on| on.iter().map(word).collect()).unwrap_or_default();
    let waits = match waits.len() {
        0 => "nothing".to_owned(),
        1..=6 => waits.join(", "),
        more => format!("{}, +{}", waits[..6].join(", "), more - 6),
    };
    let index = row["index"].as_u64().unwrap_or(place as u64);
    format!("{index} · {} · P{} · {} · {waits}", word(&row["id"]), row["priority"].as_u64().unwrap_or(2), word(&row["title"]))
}

/// `3 ready now`, or why none is.
fn ready(data: &Value, tasks: &[Value]) -> String {
    let waiting = tasks.iter().filter(|row| row["waits_for"].as_array().is_some_and(|on| !on.is_empty())).count();
    let ready = data["ready"].as_i64().or_else(|| data["ready"].as_array().map(|ids| ids.len() as i64)).unwrap_or((tasks.len() - waiting) as i64);
    match ready {
        0 if waiting == tasks.len() => "0 ready now: every one waits for another".to_owned(),
        0 => format!("0 ready now: {waiting} wait for others, the rest is meant for somebody or held"),
        ready => format!("{ready} ready now"),
    }
}

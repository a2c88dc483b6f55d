//! A pasted list or plan as tasks: lines (what is indented is part of what stands above it), or the JSON that `plan` takes.

use contracts::{Command, Problem};
use serde_json::{Map, Value, json};

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pasted {
    /// The tasks as `plan` takes them.
    pub tasks: Vec<Value>,
    /// Depth and title of each, in order: what a preview shows.
    pub tree: Vec<(usize, String)>,
}

/// Reads it.
///
/// # Errors
/// For JSON, what the plan is refused with, fault by fault.
pub fn read(text: &str) -> Result<Pasted, Problem> {
    let trimmed = text.trim_start();
    if trimmed.starts_with('{') || trimmed.starts_with('[') && !trimmed.starts_with("[ ]") && !trimmed.starts_with("[x]") {
        return from_json(trimmed);
    }
    let mut pasted = Pasted::default();
    // The indentation of each line that is above the one being read.
    let mut above: Vec<(usize, usize)> = Vec::new();
    for line in text.lines() {
        let title = bare(line);
        if title.is_empty() {
            continue;
        }
        let indent: usize = line.chars().take_while(|character| character.is_whitespace()).map(|character| if character == '\t' { 4 } else { 1 }).sum();
        while above.last().is_some_and(|(own, _)| *own >= indent) {
            above.pop();
        }
        let place = pasted.tasks.len();
        let mut task = json!({"title": title});
        if let Some((_, parent)) = above.last() {
            task["parent"] = json!(parent);
        }
        pasted.tree.push((above.len(), title.to_owned()));
        pasted.tasks.push(task);
        above.push((indent, place));
    }
    Ok(pasted)
}

/// A line without the marks of a list.
fn bare(line: &str) -> &str {
    let mut rest = line.trim();
    rest = rest.trim_start_matches(['-', '*', '•', '+']).trim_start();
    for mark in ["[ ]", "[x]", "[X]"] {
        rest = rest.strip_prefix(mark).unwrap_or(rest).trim_start();
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest[digits..].strip_prefix(['.', ')']) {
        Some(after) if digits > 0 && after.starts_with(' ') => after.trim_start(),
        _ => rest,
    }
}

fn from_json(text: &str) -> Result<Pasted, Problem> {
    let raw: Value = serde_json::from_str(text).map_err(|fault| Problem::bad_request("", format!("this is not JSON: {fault}")))?;
    let tasks = match raw {
        Value::Array(tasks) => tasks,
        Value::Object(mut plan) => match plan.remove("tasks") {
            Some(Value::Array(tasks)) => tasks,
            _ => return Err(Problem::bad_request("tasks", "a plan is {\"tasks\": [{\"title\": \"…\"}]}")),
        },
        _ => return Err(Problem::bad_request("", "a plan is a list of tasks")),
    };
    let mut plan = Map::new();
    plan.insert("tasks".to_owned(), Value::Array(tasks.clone()));
    Command::parse("plan", Value::Object(plan))?;
    let depth = |mut place: usize| {
        let mut depth = 0;
        while let Some(parent) = tasks.get(place).and_then(|task| task.get("parent")).and_then(Value::as_u64).and_then(|parent| usize::try_from(parent).ok()) {
            depth += 1;
            if depth > tasks.len() {
                break;
            }
            place = parent;
        }
        depth.min(8)
    };
    let title = |task: &Value| task.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Pasted { tree: tasks.iter().enumerate().map(|(place, task)| (depth(place), title(task))).collect(), tasks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> String {
        read(text).unwrap().tree.iter().map(|(depth, title)| format!("{depth}{title}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_indented_is_part_of_what_stands_above_it() {
        assert_eq!(tree("- one\n\n  * two\n    1. three\n  - [ ] four\nfive"), "0one 1two 2three 1four 0five");
        assert_eq!(read("a\n\tb").unwrap().tasks, [json!({"title": "a"}), json!({"title": "b", "parent": 0})]);
        assert_eq!(tree("2 things\n3.5 of them"), "02 things 03.5 of them");
        assert_eq!(tree("  a\n b"), "0a 0b");
    }

    #[test]
    fn a_plan_in_json_is_checked_before_it_is_added() {
        assert_eq!(tree(r#"{"tasks": [{"title": "a"}, {"title": "b", "parent": 0, "after": [0]}]}"#), "0a 1b");
        assert_eq!(tree(r#"[{"title": "a"}]"#), "0a");
        assert!(read("{").unwrap_err().title.contains("not JSON"));
        let fault = read(r#"[{"titel": "a"}]"#).unwrap_err();
        assert!(fault.errors.iter().any(|error| error.path.starts_with("tasks[0]")), "{fault:?}");
        assert_eq!(tree(r#"[{"title": "a", "parent": 1}, {"title": "b", "parent": 0}]"#), "3a 3b", "a loop ends; the board refuses it");
    }
}

//! A page's form as commands: flat text fields in, [`CommandRequest`]s out. The server's `/do` and the hydrated page both use it, so
//! a form means the same with and without scripts.
//!
//! Fields before the first `command` belong to every command; those after one to it alone. Lists are repeated fields or split (labels
//! and actors at commas and spaces, files and criteria at line ends), numbers and booleans are read, an empty field is absent or,
//! where a field can be emptied, null. `i`, `met` and `answer_note` are the answer to one criterion.

use contracts::{CommandRequest, Problem};
use serde_json::{Map, Value};

const LISTS_BY_WORD: [&str; 6] = ["labels", "mentions", "on", "after", "blocks", "standing"];
const LISTS_BY_LINE: [&str; 4] = ["files", "criteria", "choices", "rules"];
const FLAGS: [&str; 5] = ["no_code", "with_children", "reviews", "review", "dry_run"];
const NUMBERS: [&str; 5] = ["priority", "ttl_s", "unpushed", "expect", "fence"];
const CLEARABLE: [&str; 7] = ["milestone", "parent", "vertical", "complexity", "due_at", "review", "to"];
const EMPTY_COUNTS: [&str; 5] = ["text", "title", "spec", "goal", "labels"];

/// The date of a form that was given without a time, so that somebody has to say when it ends.
pub fn bare_date(fields: &[(String, String)]) -> Option<&str> {
    fields.iter().find(|(name, text)| name == "due_at" && !text.trim().is_empty() && !text.contains('T')).map(|(_, text)| text.trim())
}

/// Reads a submitted form: the commands, in order; several are one transaction. `end_of_day` turns `2026-11-28` into the last moment of that
/// day in the project's zone.
pub fn read(fields: &[(String, String)], end_of_day: &dyn Fn(&str) -> Option<String>) -> Result<Vec<CommandRequest>, Problem> {
    let mut shared: Vec<(&str, &str)> = Vec::new();
    let mut commands: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    let mut key = "";
    for (name, value) in fields {
        match (name.as_str(), commands.last_mut()) {
            ("back", _) => {} // where the form goes, which whoever answers it decides
            ("key", _) => key = value,
            // Which of a page's forms it is: for the page that comes back when it is refused.
            ("form", _) => {}
            ("command", _) => commands.push((value, Vec::new())),
            (name, Some((_, own))) => own.push((name, value)),
            (name, None) => shared.push((name, value)),
        }
    }
    if commands.is_empty() {
        return Err(Problem::bad_request("command", "the form names no command"));
    }
    let mut requests = Vec::new();
    for (place, (command, own)) in commands.iter().enumerate() {
        let all: Vec<(&str, &str)> = shared.iter().chain(own).copied().collect();
        let mut raw = request(command, &all, end_of_day)?;
        if !key.is_empty() {
            let own_key = if place == 0 { key.to_owned() } else { format!("{key}.{place}") };
            raw.insert("key".to_owned(), own_key.into());
        }
        requests.push(CommandRequest::parse(Value::Object(raw))?);
    }
    Ok(requests)
}

fn request(command: &str, fields: &[(&str, &str)], end_of_day: &dyn Fn(&str) -> Option<String>) -> Result<Map<String, Value>, Problem> {
    let mut raw = Map::new();
    let mut args = Map::new();
    let mut answer = Map::new();
    for (name, text) in fields {
        let value = match *name {
            "i" => number(name, text)?,
            "met" | "answer_note" => Value::String((*text).to_owned()),
            name => value(command, name, text, end_of_day)?,
        };
        match *name {
            "i" => drop(answer.insert("i".to_owned(), value)),
            "met" => drop(answer.insert("met".to_owned(), flag(text))),
            "answer_note" if !text.trim().is_empty() => drop(answer.insert("note".to_owned(), value)),
            "answer_note" => {}
            "expect" | "fence" if !text.is_empty() => drop(raw.insert((*name).to_owned(), value)),
            "expect" | "fence" => {}
            // A setting's key has another name in a form, where `key` is the one that makes a retry safe.
            "setting" => drop(args.insert("key".to_owned(), value)),
            // A form says everything in text; this one setting is a choice of two.
            "value" if command == "configure" && args.get("key").is_some_and(|key| key == "review_default") && matches!(*text, "true" | "false") => {
                args.insert("value".to_owned(), (*text == "true").into());
            }
            "value" if command == "configure" && text.trim().is_empty() => drop(args.insert("value".to_owned(), Value::Null)),
            name => add(&mut args, command, name, text, value),
        }
    }
    if !answer.is_empty() {
        let list = if command == "close" { "criteria" } else { "answers" };
        args.insert(list.to_owned(), Value::Array(vec![Value::Object(answer)]));
    }
    if command == "plan" {
        args = planned(args)?;
    }
    raw.insert("command".to_owned(), command.into());
    raw.insert("args".to_owned(), Value::Object(args));
    Ok(raw)
}

/// Puts a value where it belongs: lists grow, an empty field is left out, null or empty text, by what it is.
fn add(args: &mut Map<String, Value>, command: &str, name: &str, text: &str, value: Value) {
    if let (Some(Value::Array(list)), Value::Array(more)) = (args.get_mut(name), &value) {
        list.extend(more.iter().cloned());
        return;
    }
    let clearable = CLEARABLE.contains(&name) && matches!(command, "edit" | "milestone_edit" | "assign");
    if !text.trim().is_empty() || (clearable && command != "plan") || (EMPTY_COUNTS.contains(&name) && command != "plan") {
        args.insert(name.to_owned(), value);
    } else if LISTS_BY_LINE.contains(&name) && command == "edit" {
        args.insert(name.to_owned(), Value::Array(Vec::new()));
    }
}

fn value(command: &str, name: &str, text: &str, end_of_day: &dyn Fn(&str) -> Option<String>) -> Result<Value, Problem> {
    let words = |text: &str| text.split([',', ' ', '\n', '\t']).map(str::trim).filter(|word| !word.is_empty()).map(Value::from).collect::<Vec<_>>();
    let is_list = LISTS_BY_WORD.contains(&name) && !(name == "on" && command == "unblock");
    if is_list || (name == "to" && command == "message") {
        return Ok(Value::Array(words(text)));
    }
    if LISTS_BY_LINE.contains(&name) {
        return Ok(Value::Array(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Value::from).collect()));
    }
    if FLAGS.contains(&name) {
        return Ok(flag(text));
    }
    if text.trim().is_empty() && CLEARABLE.contains(&name) {
        return Ok(Value::Null);
    }
    if NUMBERS.contains(&name) {
        return if text.is_empty() { Ok(Value::Null) } else { number(name, text) };
    }
    if name == "due_at" && !text.contains('T') {
        let moment = end_of_day(text.trim()).ok_or_else(|| Problem::bad_request(name, "a date is written 2026-11-28"))?;
        return Ok(Value::String(moment));
    }
    Ok(Value::String(text.to_owned()))
}

fn flag(text: &str) -> Value {
    match text {
        "" => Value::Null,
        "true" | "on" | "yes" | "1" => Value::Bool(true),
        _ => Value::Bool(false),
    }
}

fn number(name: &str, text: &str) -> Result<Value, Problem> {
    text.trim().parse::<i64>().map(Value::from).map_err(|_| Problem::bad_request(name, format!("{text:?} is not a whole number")))
}

/// One task's fields as a plan of one; `titles` is a pasted list or plan of many.
fn planned(mut args: Map<String, Value>) -> Result<Map<String, Value>, Problem> {
    if args.contains_key("tasks") {
        return Ok(args);
    }
    let mut plan = Map::new();
    let titles = args.remove("titles");
    let tasks = match titles.as_ref().and_then(Value::as_str) {
        Some(text) => crate::paste::read(text)?.tasks,
        None => vec![Value::Object(args)],
    };
    plan.insert("tasks".to_owned(), Value::Array(tasks));
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::command::Command;
    use serde_json::json;

    fn parsed(fields: &[(&str, &str)]) -> Result<Vec<CommandRequest>, Problem> {
        let owned: Vec<(String, String)> = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(bare_date(&owned).is_some(), fields.iter().any(|(name, text)| *name == "due_at" && !text.is_empty()));
        read(&owned, &|date| Some(format!("{date}T22:59:59Z")).filter(|_| date.len() == 10))
    }

    #[test]
    fn a_form_is_the_command_it_names() {
        let form =
            parsed(&[("command", "close"), ("key", "k-1"), ("back", "/t/tk-4f2a9c"), ("task", "tk-4f2a9c"), ("note", "done"), ("no_code", "true")]).unwrap();
        assert_eq!(form[0].to_value(), json!({"command": "close", "key": "k-1", "args": {"task": "tk-4f2a9c", "note": "done", "no_code": true}}));
    }

    #[test]
    fn several_commands_share_what_stands_before_them() {
        let form = parsed(&[("task", "tk-4f2a9c"), ("key", "k"), ("command", "release"), ("command", "hold"), ("note", "later")]).unwrap();
        let names: Vec<&str> = form.iter().map(|request| request.command.name()).collect();
        assert_eq!(names, ["release", "hold"]);
        let Command::Hold(hold) = &form[1].command else { panic!() };
        assert_eq!((hold.note.as_str(), hold.task.as_str()), ("later", "tk-4f2a9c"));
        assert_ne!(form[0].key, form[1].key);
    }

    #[test]
    fn fields_that_can_be_emptied_are() {
        let form = parsed(&[("command", "edit"), ("task", "tk-4f2a9c"), ("labels", ""), ("due_at", ""), ("priority", "1"), ("files", "")]).unwrap();
        let Command::Edit(edit) = &form[0].command else { panic!() };
        assert_eq!((edit.labels.as_deref(), edit.due_at, edit.files.as_deref()), (Some(&[][..]), Some(None), Some(&[][..])));
        let form = parsed(&[("command", "assign"), ("task", "tk-4f2a9c"), ("to", ""), ("note", "")]).unwrap();
        let Command::Assign(assign) = &form[0].command else { panic!() };
        assert_eq!(assign.to, None);
    }

    #[test]
    fn a_task_is_added_with_its_title_alone_or_as_a_list() {
        let form =
            parsed(&[("command", "plan"), ("title", "Fix it"), ("labels", "a, b"), ("priority", ""), ("milestone", ""), ("due_at", "2026-11-28")]).unwrap();
        let Command::Plan(plan) = &form[0].command else { panic!() };
        assert_eq!((plan.tasks[0].title.as_str(), plan.tasks[0].labels.len()), ("Fix it", 2));
        assert_eq!(plan.tasks[0].due_at.map(|due| due.to_string()).as_deref(), Some("2026-11-28T22:59:59.000Z"));
        let form = parsed(&[("command", "plan"), ("titles", "- one\n\n* two\n  three")]).unwrap();
        let Command::Plan(plan) = &form[0].command else { panic!() };
        assert_eq!(plan.tasks.iter().map(|task| task.title.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);
    }

    #[test]
    fn one_criterion_is_answered() {
        let form = parsed(&[("command", "edit"), ("task", "tk-4f2a9c"), ("i", "2"), ("met", "true"), ("answer_note", "see test")]).unwrap();
        let Command::Edit(edit) = &form[0].command else { panic!() };
        assert_eq!((edit.answers[0].i, edit.answers[0].met), (2, Some(true)));
    }

    #[test]
    fn a_setting_has_a_key_beside_the_forms_own() {
        let form = parsed(&[("command", "configure"), ("key", "k-1"), ("setting", "zone"), ("value", "Europe/Berlin")]).unwrap();
        assert_eq!(form[0].to_value(), json!({"command": "configure", "key": "k-1", "args": {"key": "zone", "value": "Europe/Berlin"}}));
        let form = parsed(&[("command", "configure"), ("setting", "base"), ("value", " ")]).unwrap();
        assert_eq!(form[0].to_value(), json!({"command": "configure", "args": {"key": "base", "value": null}}), "empty is the default again");
        let form = parsed(&[("command", "configure"), ("setting", "review_default"), ("value", "true")]).unwrap();
        assert_eq!(form[0].to_value(), json!({"command": "configure", "args": {"key": "review_default", "value": true}}), "a choice of two");
        let form = parsed(&[("command", "configure"), ("setting", "name"), ("value", "true")]).unwrap();
        assert_eq!(form[0].to_value(), json!({"command": "configure", "args": {"key": "name", "value": "true"}}), "a name stays text");
    }

    #[test]
    fn a_faulty_form_is_refused_by_name() {
        assert!(parsed(&[("task", "tk-4f2a9c")]).is_err());
        assert!(parsed(&[("command", "close"), ("task", "nonsense")]).unwrap_err().title.contains("nonsense"));
        assert!(parsed(&[("command", "edit"), ("task", "tk-4f2a9c"), ("priority", "high")]).unwrap_err().title.contains("high"));
        assert!(parsed(&[("command", "claim"), ("task", "tk-4f2a9c"), ("wat", "1")]).unwrap_err().title.contains("wat"));
    }
}

//! The way out that every refusal names: data here, worded by the surface that asked.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What to do next: words, and the exact calls that would work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hint {
    /// Words that hold on every surface (legal names, ids, limits). May be empty when a call says it all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Calls that would work, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
}

/// One call, without the wording of a surface: a command or read by its name in `Command` or `Board`, and its arguments.
///
/// Names in use: every `Command` name, and `next`, `ask`, `init`, `search`, `sync`, `worktree_add`, `retry`, `upgrade`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// What to call: `close`, `next`, `message`, `init` …
    pub name: String,
    /// Arguments by their command names; a value in `<angle brackets>` is for the caller to fill in.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub args: Map<String, Value>,
}

impl Call {
    /// A call without arguments.
    pub fn new(name: &str) -> Call {
        Call { name: name.to_owned(), args: Map::new() }
    }

    /// The same call with one more argument.
    pub fn with(mut self, argument: &str, value: impl Into<Value>) -> Call {
        self.args.insert(argument.to_owned(), value.into());
        self
    }
}

impl Hint {
    /// Words alone.
    pub fn text(text: impl Into<String>) -> Hint {
        Hint { text: text.into(), calls: Vec::new() }
    }

    /// One call.
    pub fn call(call: Call) -> Hint {
        Hint { text: String::new(), calls: vec![call] }
    }

    /// The same hint with one more call.
    pub fn or(mut self, call: Call) -> Hint {
        self.calls.push(call);
        self
    }

    /// The hint as an agent reads it: tool calls as JSON.
    pub fn for_mcp(&self) -> String {
        self.worded(mcp_call)
    }

    /// The hint as a command line.
    pub fn for_cli(&self) -> String {
        self.worded(|call| Some(cli_call(call)))
    }

    /// The hint as a person in a browser reads it: the names of buttons.
    pub fn for_web(&self) -> String {
        self.worded(|call| web_call(call).map(str::to_owned))
    }

    fn worded(&self, word: impl Fn(&Call) -> Option<String>) -> String {
        let calls: Vec<String> = self.calls.iter().filter_map(word).collect();
        match (self.text.is_empty(), calls.is_empty()) {
            (_, true) => self.text.clone(),
            (true, false) => calls.join(" or "),
            (false, false) => format!("{}: {}", self.text, calls.join(" or ")),
        }
    }
}

/// A command's name among the tools of MCP, with the arguments renamed; `None` for what only people may do.
fn mcp_call(call: &Call) -> Option<String> {
    let mut args = call.args.clone();
    let rename = |args: &mut Map<String, Value>, from: &str, to: &str| {
        if let Some(value) = args.remove(from) {
            // The tools take these as lists alone.
            let listed = matches!(to, "mentions" | "blocked_on") && !value.is_array();
            args.insert(to.to_owned(), if listed { Value::Array(vec![value]) } else { value });
        }
    };
    let tool = match call.name.as_str() {
        "next" | "claim" => "next",
        "ask" | "search" => "ask",
        "plan" => "plan",
        "dispatch" => "dispatch",
        "recover" => "recover",
        "message" => {
            rename(&mut args, "to", "mentions");
            rename(&mut args, "text", "comment");
            "update"
        }
        "comment" => {
            rename(&mut args, "text", "comment");
            "update"
        }
        "close" | "release" | "submit" | "cancel" => {
            let status = match call.name.as_str() {
                "close" => "done",
                "release" => "released",
                "submit" => "submitted",
                _ => "cancelled",
            };
            args.insert("status".to_owned(), status.into());
            rename(&mut args, "note", "comment");
            "update"
        }
        "review" if args.get("verdict").is_some_and(|verdict| verdict == "pass") => return None,
        "review" => {
            rename(&mut args, "note", "comment");
            "update"
        }
        "edit" | "update" => "update",
        "block" => {
            rename(&mut args, "on", "blocked_on");
            rename(&mut args, "reason", "blocker");
            "update"
        }
        "question" => {
            rename(&mut args, "text", "question");
            "update"
        }
        "init" => return Some("a person runs callboard init in the repository".to_owned()),
        "rebuild" => return Some("a person runs callboard rebuild".to_owned()),
        "upgrade" => return Some("a person installs a newer callboard".to_owned()),
        "retry" => return Some("send the same call again".to_owned()),
        "sync" => return Some("a person runs callboard sync".to_owned()),
        "worktree_add" => return Some(cli_call(call)),
        _ => return None,
    };
    Some(format!("{tool} {}", Value::Object(args)))
}

fn cli_call(call: &Call) -> String {
    if call.name == "plan" {
        return "callboard tasks plan FILE".to_owned(); // the tasks stand in the file
    }
    let mut args = call.args.clone();
    let mut text = |name: &str| match args.remove(name) {
        Some(Value::String(text)) => Some(text),
        Some(Value::Array(items)) => Some(items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>().join(",")),
        Some(other) => Some(other.to_string()),
        None => None,
    };
    let task = text("task").unwrap_or_default();
    let mut line = match call.name.as_str() {
        "next" if task.is_empty() => "callboard next".to_owned(),
        "next" | "claim" => format!("callboard tasks claim {task}"),
        "ask" => format!("callboard tasks show {task}"),
        "search" => format!("callboard tasks search {}", text("query").as_deref().map(quoted).unwrap_or_default()),
        "close" => format!("callboard tasks done {task}"),
        "message" => {
            let about = if task.is_empty() { String::new() } else { format!(" --task {task}") };
            format!("callboard message --to {}{about}", text("to").unwrap_or_else(|| "<actor>".to_owned()))
        }
        "question" => format!("callboard tasks question {task}"),
        "assign" => format!("callboard tasks assign {task} {}", text("to").unwrap_or_else(|| "<actor>".to_owned())),
        "review" => format!("callboard tasks review {task} {}", text("verdict").unwrap_or_else(|| "pass".to_owned())),
        "configure" => {
            format!("callboard config set {} {}", text("key").unwrap_or_else(|| "<key>".to_owned()), text("value").unwrap_or_else(|| "<value>".to_owned()))
        }
        "answer" => format!("callboard tasks answer {}", text("question").unwrap_or_else(|| "<question>".to_owned())),
        "settle" => format!(
            "callboard conflicts settle {} {}",
            text("event").unwrap_or_else(|| "<event>".to_owned()),
            text("choice").unwrap_or_else(|| "dismiss".to_owned())
        ),
        "report" | "write_report" | "narrate" | "cancel_narration" => report_line(&call.name, &text("label").unwrap_or_default()),
        "init" => "callboard init".to_owned(),
        "sync" => "callboard sync".to_owned(),
        "rebuild" => "callboard rebuild".to_owned(),
        "upgrade" => "install a newer callboard".to_owned(),
        "retry" => "run the same command again".to_owned(),
        "worktree_add" => format!("callboard worktree add {task}"),
        "dispatch" => "callboard dispatch".to_owned(),
        "recover" => "callboard recover".to_owned(),
        other => match other.strip_prefix("milestone_") {
            Some(verb) => format!("callboard milestone {verb} {}", text("milestone").unwrap_or_default()),
            None => format!("callboard tasks {other} {task}"),
        },
    };
    if let Some(note) = text("note").or_else(|| text("text")).or_else(|| text("comment")) {
        line.push_str(&format!(" -m {}", quoted(&note)));
    }
    for (name, value) in args {
        line.push_str(&flags(&name.replace('_', "-"), &value));
    }
    line.trim_end().to_owned()
}

/// The command line about a report of this name.
fn report_line(what: &str, label: &str) -> String {
    let which = match label.split_once("..") {
        _ if label == "all" => "all".to_owned(),
        Some((from, to)) => format!("range --from {from} --to {to}"),
        None => format!("day --date {label}"),
    };
    let flag = match what {
        "write_report" => " --write",
        "narrate" => " --digest",
        "cancel_narration" => " --cancel",
        _ => "",
    };
    format!("callboard report {which}{flag}")
}

/// A value as one word of a shell.
fn quoted(value: &str) -> String {
    if value.chars().all(|character| character.is_ascii_alphanumeric() || "-_./:@".contains(character)) && !value.is_empty() {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "'\\''"))
    }
}

/// An argument as flags, each with a space before it. What is cleared is `--no-…`. A list repeats its flag; an answer to a criterion is `--met`, `--unmet` or `--unanswer`.
fn flags(name: &str, value: &Value) -> String {
    match value {
        Value::Bool(true) => format!(" --{name}"),
        Value::Bool(false) => String::new(),
        Value::Null => format!(" --no-{name}"),
        Value::String(text) => format!(" --{name} {}", quoted(text)),
        Value::Array(items) => items.iter().map(|item| flags(name, item)).collect(),
        Value::Object(answer) if answer.contains_key("i") => {
            let flag = answer.get("met").and_then(Value::as_bool).map_or("unanswer", |met| if met { "met" } else { "unmet" });
            let number = &answer["i"];
            let note = answer.get("note").and_then(Value::as_str).filter(|note| !note.is_empty());
            format!(" --{flag} {}", note.map_or_else(|| number.to_string(), |note| quoted(&format!("{number}={note}"))))
        }
        other => format!(" --{name} {other}"),
    }
}

/// The name of the button or place in the page that makes the call.
fn web_call(call: &Call) -> Option<&'static str> {
    Some(match call.name.as_str() {
        "claim" | "next" => "Claim",
        "release" => "Release",
        "close" => "Close",
        "submit" => "Submit for review",
        "review" => "Review",
        "cancel" => "Cancel task",
        "reopen" => "Reopen",
        "hold" => "Hold",
        "unhold" => "Lift the hold",
        "assign" => "Assign",
        "message" | "comment" => "Reply",
        "answer" => "Answer",
        "edit" => "Edit",
        "block" => "Add a dependency",
        "unblock" => "Remove the dependency",
        "settle" => "Settle it",
        "narrate" => "Narrate",
        "cancel_narration" => "Cancel",
        "write_report" => "Write the file",
        "report" => "Open the report",
        "retry" => "Try again",
        "ask" => "Open the card",
        "init" => "run callboard init in the repository",
        "rebuild" => "run callboard rebuild in the repository",
        "upgrade" => "install a newer callboard",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_hint_is_worded_for_each_surface() {
        let hint = Hint::call(Call::new("close").with("task", "tk-4f2a9c").with("note", "<what was done>").with("no_code", true));
        assert_eq!(hint.for_mcp(), r#"update {"comment":"<what was done>","no_code":true,"status":"done","task":"tk-4f2a9c"}"#);
        assert_eq!(hint.for_cli(), "callboard tasks done tk-4f2a9c -m '<what was done>' --no-code");
        assert_eq!(hint.for_web(), "Close");
    }

    #[test]
    fn a_command_line_is_one_that_would_be_understood() {
        let line = |name: &str, args: Value| {
            let Value::Object(args) = args else { panic!("arguments are an object") };
            Hint::call(Call { name: name.to_owned(), args }).for_cli()
        };
        assert_eq!(line("message", json!({"to": "dev:ana", "text": "help"})), "callboard message --to dev:ana -m help");
        assert_eq!(
            line("message", json!({"to": ["agent:bo/w1", "dev:ana"], "task": "tk-4f2a9c", "text": "<text>"})),
            "callboard message --to agent:bo/w1,dev:ana --task tk-4f2a9c -m '<text>'"
        );
        assert_eq!(line("plan", json!({"tasks": [{"title": "<one line>"}]})), "callboard tasks plan FILE");
        assert_eq!(
            line("close", json!({"task": "tk-4f2a9c", "criteria": [{"i": 1, "met": true}, {"i": 2, "met": false, "note": "too slow"}, {"i": 3}]})),
            "callboard tasks done tk-4f2a9c --met 1 --unmet '2=too slow' --unanswer 3"
        );
        assert_eq!(line("edit", json!({"task": "tk-4f2a9c", "priority": 1})), "callboard tasks edit tk-4f2a9c --priority 1");
        assert_eq!(line("edit", json!({"task": "tk-4f2a9c", "parent": null})), "callboard tasks edit tk-4f2a9c --no-parent");
    }

    #[test]
    fn tools_that_take_lists_are_shown_lists() {
        let message = Hint::call(Call::new("message").with("to", "agent:ana/w1").with("task", "tk-4f2a9c").with("text", "<what you need>"));
        assert_eq!(message.for_mcp(), r#"update {"comment":"<what you need>","mentions":["agent:ana/w1"],"task":"tk-4f2a9c"}"#);
        let block = Hint::call(Call::new("block").with("task", "tk-4f2a9c").with("on", "tk-000001"));
        assert_eq!(block.for_mcp(), r#"update {"blocked_on":["tk-000001"],"task":"tk-4f2a9c"}"#);
    }

    #[test]
    fn what_only_people_may_do_is_no_tool_call() {
        let hint = Hint { text: "a person reopens it".to_owned(), calls: vec![Call::new("reopen").with("task", "tk-4f2a9c")] };
        assert_eq!(hint.for_mcp(), "a person reopens it");
        assert_eq!(hint.for_cli(), "a person reopens it: callboard tasks reopen tk-4f2a9c");
        let pass = Hint { text: "a person passes it".to_owned(), calls: vec![Call::new("review").with("task", "tk-4f2a9c").with("verdict", "pass")] };
        assert_eq!(pass.for_mcp(), "a person passes it");
    }
}

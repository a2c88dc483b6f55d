//! The hooks of the agent client: our entries in its own, uncommitted settings of the project, and out again.
//!
//! Invariant: an entry is ours when its command is `callboard hook client …`; every other byte stays where it is.

use super::json_text::{Array, Object};
use super::status::{INIT, row};
use super::undo::{self, Record};
use super::{Did, Step};
use contracts::Problem;
use contracts::settings::{Wiring, WiringRow};
use git::Repository;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The file, from the root of a worktree.
pub const FILE: &str = ".claude/settings.local.json";
/// The one that is committed, where a team put the entries there.
const COMMITTED: &str = ".claude/settings.json";
const RECORD: &str = "settings.before";
/// What the client calls us for, with the tools it is about and how many seconds it may wait.
const EVENTS: [(&str, Option<&str>, u32); 7] = [
    ("SessionStart", None, 5),
    ("UserPromptSubmit", None, 5),
    ("PreToolUse", Some("*"), 3),
    ("PostToolUse", Some("*"), 3),
    ("PostToolUseFailure", Some("*"), 3),
    ("Stop", None, 5),
    ("SubagentStop", None, 5),
];

/// Whether the client has our hooks, in either of its files.
pub fn installed(root: &Path) -> bool {
    [FILE, COMMITTED].iter().any(|file| std::fs::read_to_string(root.join(file)).is_ok_and(|text| text.lines().any(is_ours)))
}

fn is_ours(command: &str) -> bool {
    command.contains("callboard") && command.contains(" hook client ")
}

/// What the client calls now, changed by nobody.
pub fn status(root: &Path, repository: Option<&Repository>, binary: &Path) -> WiringRow {
    const WHAT: &str = "Claude Code, 7 events";
    let found = |wiring, said: &str| row(WHAT, FILE, wiring, said);
    let text = match undo::text(&root.join(FILE), FILE) {
        Ok(text) => text.unwrap_or_default(),
        Err(problem) => return found(Wiring::Dead, &problem.title),
    };
    let Ok(read) = serde_json::from_str::<Value>(if text.is_empty() { "{}" } else { &text }) else {
        let aside = format!("mv {FILE} {FILE}.broken && {INIT}");
        return WiringRow { mend: aside, ..found(Wiring::Dead, "the file is not plain JSON, so the client reads nothing in it") };
    };
    let ours = entries(&read);
    if ours.is_empty() {
        let committed = std::fs::read_to_string(root.join(COMMITTED)).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let there = committed.is_some_and(|read| EVENTS.iter().all(|(event, ..)| entries(&read).iter().any(|entry| entry.event == *event)));
        return if there {
            row(WHAT, COMMITTED, Wiring::Installed, "")
        } else {
            found(Wiring::Missing, "agents' leases last an hour, and commits are judged by git's hook alone")
        };
    }
    let wanted = |entry: &Entry| EVENTS.iter().any(|(event, ..)| entry.event == *event && entry.command == command(binary, event));
    if let Some(other) = ours.iter().find(|entry| !wanted(entry) && entry.program().is_some_and(|program| program != binary)) {
        let there = other.program().is_some_and(|program| program.is_file());
        return if there { found(Wiring::Other, "it calls another program than this one") } else { found(Wiring::Dead, "the program it calls is not there") };
    }
    let exact = |(event, matcher, seconds): &(&str, Option<&str>, u32)| {
        let of_it = ours.iter().filter(|entry| entry.event == *event);
        of_it.map(|entry| entry.matcher.as_deref() == *matcher && entry.seconds == Some(u64::from(*seconds)) && wanted(entry)).eq([true])
    };
    if !EVENTS.iter().all(exact) || ours.len() != EVENTS.len() {
        return found(Wiring::Older, "some of its events are missing or are not as they are now");
    }
    let shown = repository.is_some_and(|repository| {
        let path = root.join(FILE);
        repository.ignored_by(&path).is_ok_and(|rule| rule.is_none()) && !repository.tracks(&path).unwrap_or(true)
    });
    if shown { found(Wiring::Older, "git sees the file, and would commit a path of this machine") } else { found(Wiring::Installed, "") }
}

/// An entry of ours.
struct Entry<'a> {
    event: &'a str,
    matcher: Option<String>,
    command: &'a str,
    seconds: Option<u64>,
}

impl Entry<'_> {
    /// The program it calls.
    fn program(&self) -> Option<PathBuf> {
        let (program, _) = self.command.split_once(" hook client ")?;
        let plain = program.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).map(|text| text.replace(r"'\''", "'"));
        Some(PathBuf::from(plain.unwrap_or_else(|| program.to_owned())))
    }
}

fn entries(read: &Value) -> Vec<Entry<'_>> {
    let mut found = Vec::new();
    for (event, groups) in read.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group.get("matcher").and_then(Value::as_str).map(str::to_owned);
            for hook in group.get("hooks").and_then(Value::as_array).into_iter().flatten() {
                if let Some(command) = hook.get("command").and_then(Value::as_str).filter(|command| is_ours(command)) {
                    found.push(Entry { event, matcher: matcher.clone(), command, seconds: hook.get("timeout").and_then(Value::as_u64) });
                }
            }
        }
    }
    found
}

/// Puts our entries in, or mends them.
pub fn connect(root: &Path, directory: &Path, repository: Option<&Repository>, binary: &Path) -> Result<Step, Problem> {
    let path = root.join(FILE);
    let found = undo::text(&path, FILE)?;
    let record = Record::read(directory, RECORD);
    let (before, ours) = match (&found, &record) {
        (None, _) => (None, false),
        (Some(text), Some(record)) if record.after == *text => (record.before.clone(), true),
        (Some(text), record) => match without(text) {
            Ok(before) => {
                let ours = before != *text;
                let none = ours && record.as_ref().is_none_or(|record| record.before.is_none()) && is_empty(&before);
                ((!none).then_some(before), ours)
            }
            Err(why) => return Ok(Step::new(FILE, Did::Kept).note(why)),
        },
    };
    let after = match with(before.as_deref().unwrap_or("{}\n"), binary) {
        Ok(after) => after,
        Err(why) => return Ok(Step::new(FILE, Did::Kept).note(why)),
    };
    let excluded = exclude(repository, &path, record.as_ref().is_some_and(|record| record.excluded));
    if found.as_ref() == Some(&after) {
        return Ok(Step::new(FILE, Did::Already));
    }
    let did = if ours { Did::Repaired } else { Did::Created };
    Record { before, after, excluded }.put(&path, FILE, directory, RECORD)?;
    Ok(Step::new(FILE, did).note("the agent client's hooks; git does not see the file"))
}

/// Takes our entries out.
pub fn disconnect(root: &Path, directory: &Path, repository: Option<&Repository>) -> Result<Step, Problem> {
    let path = root.join(FILE);
    let record = Record::read(directory, RECORD);
    if let (Some(repository), true) = (repository, record.as_ref().is_some_and(|record| record.excluded)) {
        let _ = repository.unexclude(&format!("/{FILE}")); // the line hides a file that is not there any more
    }
    let Some(text) = undo::text(&path, FILE)? else { return Ok(Step::new(FILE, Did::Already).note("there is none")) };
    let before = match &record {
        Some(record) if record.after == text => record.before.clone(),
        record => match without(&text) {
            Ok(before) if before == text => return Ok(Step::new(FILE, Did::Already).note("our entries are not in it")),
            Ok(before) => Some(before).filter(|before| record.as_ref().is_some_and(|record| record.before.is_some()) || !is_empty(before)),
            Err(why) => return Ok(Step::new(FILE, Did::Kept).note(why)),
        },
    };
    undo::restore(&path, FILE, before.as_deref(), directory, RECORD)?;
    let _ = std::fs::remove_dir(root.join(".claude")); // only when nothing else is in it
    Ok(Step::new(FILE, Did::Removed).note("our entries were taken out"))
}

/// Our entries alone, as a settings file that a client is started with.
pub fn document(binary: &Path) -> Option<String> {
    with("{}\n", binary).ok()
}

/// Keeps the file out of commits; says whether the line is ours.
fn exclude(repository: Option<&Repository>, path: &Path, ours: bool) -> bool {
    let Some(repository) = repository else { return false };
    if repository.tracks(path).unwrap_or(true) {
        return ours;
    }
    let line = format!("/{FILE}");
    let there = std::fs::read_to_string(repository.common_dir().join("info/exclude")).is_ok_and(|text| text.lines().any(|found| found == line));
    if there { ours } else { repository.exclude(&line).is_ok() }
}

pub(super) fn is_empty(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.as_object().is_some_and(serde_json::Map::is_empty))
}

/// The command of an event.
fn command(binary: &Path, event: &str) -> String {
    let plain = binary.to_string_lossy();
    let safe = plain.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c));
    let quoted = if safe { plain.into_owned() } else { format!("'{}'", plain.replace('\'', r"'\''")) };
    format!("{quoted} hook client {event}")
}

/// A group of one event, line by line.
fn group(binary: &Path, (event, matcher, seconds): (&str, Option<&str>, u32)) -> Vec<String> {
    let command = Value::from(command(binary, event));
    let mut lines = vec!["{".to_owned()];
    lines.extend(matcher.map(|matcher| format!("  \"matcher\": \"{matcher}\",")));
    lines.extend([
        "  \"hooks\": [".to_owned(),
        "    {".to_owned(),
        "      \"type\": \"command\",".to_owned(),
        format!("      \"command\": {command},"),
        format!("      \"timeout\": {seconds}"),
        "    }".to_owned(),
        "  ]".to_owned(),
        "}".to_owned(),
    ]);
    lines
}

fn indented(lines: Vec<String>) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("  {line}"))
}

/// The text with all our entries, where there were none.
pub(super) fn with(text: &str, binary: &Path) -> Result<String, &'static str> {
    let mut text = text.to_owned();
    for event in EVENTS {
        let read: Value = serde_json::from_str(&text).map_err(|_| "it is not plain JSON, so the hooks are not in it")?;
        let top = Object::at(&text, 0).filter(|_| read.is_object()).ok_or("it is not a JSON object")?;
        let member = |group: Vec<String>| [format!("\"{}\": [", event.0)].into_iter().chain(indented(group)).chain(["]".to_owned()]).collect::<Vec<_>>();
        text = match top.member("hooks") {
            None => {
                let lines: Vec<String> =
                    ["\"hooks\": {".to_owned()].into_iter().chain(indented(member(group(binary, event)))).chain(["}".to_owned()]).collect();
                top.with(&text, &lines)
            }
            Some(hooks) => {
                let inner = Object::at(&text, hooks.value.start).filter(|_| read["hooks"].is_object()).ok_or("its hooks are no object")?;
                match inner.member(event.0) {
                    None => inner.with(&text, &member(group(binary, event))),
                    Some(found) => {
                        let array = Array::at(&text, found.value.start).ok_or("its hooks are no lists")?;
                        let joined = group(binary, event)
                            .iter()
                            .map(|line| line.trim_start())
                            .collect::<Vec<_>>()
                            .join(" ")
                            .replace("{ ", "{")
                            .replace(" }", "}")
                            .replace("[ ", "[")
                            .replace(" ]", "]");
                        array.with(&text, &joined)
                    }
                }
            }
        };
    }
    Ok(text)
}

/// The text without our entries.
pub(super) fn without(text: &str) -> Result<String, &'static str> {
    let mut text = text.to_owned();
    // Each round takes one entry out; there are no more of them than lines.
    for _ in 0..=text.len() {
        let read: Value = serde_json::from_str(&text).map_err(|_| "it is not plain JSON: take entries with callboard hook client out by hand")?;
        let Some((event, group, hook)) = first_ours(&read) else { return Ok(text) };
        text = cut(&text, &read, &event, group, hook).ok_or("our entries could not be told from the others: take them out by hand")?;
    }
    Err("our entries could not be taken out")
}

/// Event, group and hook of one entry of ours.
fn first_ours(read: &Value) -> Option<(String, usize, usize)> {
    for (event, groups) in read.get("hooks")?.as_object()? {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let hooks = group.get("hooks").and_then(Value::as_array);
            let ours = |hook: &Value| hook.get("command").and_then(Value::as_str).is_some_and(is_ours);
            if let Some(hook) = hooks.and_then(|hooks| hooks.iter().position(ours)) {
                return Some((event.clone(), at, hook));
            }
        }
    }
    None
}

fn cut(text: &str, read: &Value, event: &str, group: usize, hook: usize) -> Option<String> {
    let top = Object::at(text, 0)?;
    let hooks = Object::at(text, top.member("hooks")?.value.start)?;
    let groups = Array::at(text, hooks.member(event)?.value.start)?;
    if read["hooks"][event][group]["hooks"].as_array()?.len() > 1 {
        let found = Object::at(text, groups.elements.get(group)?.start)?;
        return Array::at(text, found.member("hooks")?.value.start)?.without(text, hook);
    }
    if groups.elements.len() > 1 {
        return groups.without(text, group);
    }
    if hooks.members.len() > 1 {
        return Some(hooks.without(text, hooks.member(event)?));
    }
    Some(top.without(text, top.member("hooks")?))
}

/// Where this program is.
pub fn binary() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn round(before: Option<&str>, keep: bool, between: impl Fn(String) -> String) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(".callboard");
        fs::create_dir_all(root.path().join(".claude")).unwrap();
        let path = root.path().join(FILE);
        if let Some(before) = before {
            fs::write(&path, before).unwrap();
        }
        let binary = Path::new("/opt/my tools/callboard");
        connect(root.path(), &directory, None, binary).unwrap();
        let first = fs::read_to_string(&path).unwrap();
        let read: Value = serde_json::from_str(&first).unwrap();
        for (event, ..) in EVENTS {
            let groups = read["hooks"][event].as_array().unwrap();
            assert_eq!(groups.last().unwrap()["hooks"][0]["command"], format!("'/opt/my tools/callboard' hook client {event}"));
        }
        assert!(installed(root.path()));
        let again = connect(root.path(), &directory, None, binary).unwrap();
        assert_eq!((again.did, fs::read_to_string(&path).unwrap()), (Did::Already, first.clone()));
        let moved = connect(root.path(), &directory, None, Path::new("/bin/callboard")).unwrap();
        assert_eq!(moved.did, Did::Repaired);
        assert!(!fs::read_to_string(&path).unwrap().contains("my tools"));
        connect(root.path(), &directory, None, binary).unwrap();
        fs::write(&path, between(fs::read_to_string(&path).unwrap())).unwrap();
        if !keep {
            fs::remove_dir_all(&directory).unwrap();
        }
        disconnect(root.path(), &directory, None).unwrap();
        fs::read_to_string(&path).ok()
    }

    const FOREIGN: &str = "{\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]},\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n  }\n}\n";

    #[test]
    fn every_layout_comes_back_byte_for_byte() {
        for before in [
            None,
            Some("{}"),
            Some("{ }\n"),
            Some("{\"hooks\":{}}"),
            Some("{\"hooks\": {\"Stop\": []}, \"x\": 1}"),
            Some(FOREIGN),
            Some("{\r\n\t\"a\": 1\r\n}\r\n"),
        ] {
            assert_eq!(round(before, true, |text| text).as_deref(), before);
        }
        for before in [None, Some("{\n  \"a\": 1\n}\n"), Some(FOREIGN)] {
            assert_eq!(round(before, false, |text| text).as_deref(), before, "without the record");
        }
    }

    #[test]
    fn what_was_added_meanwhile_stays() {
        let after = round(Some(FOREIGN), true, |text| text.replace("say done", "say well done")).unwrap();
        assert_eq!(after, FOREIGN.replace("say done", "say well done"));
    }
}

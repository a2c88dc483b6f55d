//! The agent client's `.mcp.json`: our entry put in, and taken out again so that the file is what it was.

use super::json_text::Object;
use super::status::row;
use super::undo::{self, Record};
use super::{Did, Step};
use contracts::Problem;
use contracts::settings::{Wiring, WiringRow};
use serde_json::{Value, json};
use std::path::Path;

/// The file, in the repository's root.
const FILE: &str = ".mcp.json";
/// What a file has when it holds nothing but our entry.
const ALONE: &str = "{\n  \"mcpServers\": {\n    \"callboard\": {\n      \"command\": \"callboard\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
/// Where the file's earlier text is kept, to be put back byte for byte.
const RECORD: &str = "mcp-json.before";

fn entry() -> Value {
    json!({"command": "callboard", "args": ["mcp"]})
}

fn entry_lines() -> Vec<String> {
    ["\"callboard\": {", "  \"command\": \"callboard\",", "  \"args\": [\"mcp\"]", "}"].map(str::to_owned).to_vec()
}

/// Whether clients that read the file have the tools.
pub fn status(root: &Path) -> WiringRow {
    const WHAT: &str = "Tools over MCP";
    let found = |wiring, said: &str| row(WHAT, FILE, wiring, said);
    let text = match undo::text(&root.join(FILE), FILE) {
        Ok(Some(text)) => text,
        Ok(None) => return found(Wiring::Missing, ""),
        Err(problem) => return found(Wiring::Dead, &problem.title),
    };
    match with_entry(&text) {
        Ok(With::Already) => found(Wiring::Installed, ""),
        Ok(With::Other) => found(Wiring::Installed, "by an entry of your own"),
        Ok(With::Text(_)) => found(Wiring::Missing, "the file has no entry callboard"),
        Err(why) => WiringRow { mend: format!("mv {FILE} {FILE}.broken && callboard init"), ..found(Wiring::Dead, why) },
    }
}

/// Puts our entry in, unless one of that name is there.
pub fn connect(root: &Path, directory: &Path) -> Result<Step, Problem> {
    let path = root.join(FILE);
    let put = |before: Option<String>, after: String| Record { before, after, excluded: false }.put(&path, FILE, directory, RECORD);
    let Some(text) = undo::text(&path, FILE)? else {
        return put(None, ALONE.to_owned()).map(|()| Step::new(FILE, Did::Created));
    };
    let with = match with_entry(&text) {
        Ok(With::Already) => return Ok(Step::new(FILE, Did::Already)),
        Ok(With::Other) => return Ok(Step::new(FILE, Did::Kept).note("it has an entry callboard of its own")),
        Ok(With::Text(with)) => with,
        Err(why) => return Ok(Step::new(FILE, Did::Kept).note(format!("{why}; the entry is \"callboard\": {}", entry()))),
    };
    put(Some(text), with)?;
    Ok(Step::new(FILE, Did::Created).note("the entry callboard was added, all else is as it was"))
}

/// Takes our entry out.
pub fn disconnect(root: &Path, directory: &Path) -> Result<Step, Problem> {
    let path = root.join(FILE);
    let Some(text) = undo::text(&path, FILE)? else { return Ok(Step::new(FILE, Did::Already).note("there is none")) };
    let record = Record::read(directory, RECORD);
    let step = Step::new(FILE, Did::Removed).note("our entry was taken out");
    let before = match record {
        Some(record) if record.after == text => record.before,
        _ if text == ALONE => None,
        record => match without_entry(&text, record.as_ref()) {
            Ok(before) => Some(before),
            Err(step) => return Ok(step),
        },
    };
    undo::restore(&path, FILE, before.as_deref(), directory, RECORD)?;
    Ok(if before.is_none() { step.note("it held nothing else") } else { step })
}

/// What putting the entry in comes to.
enum With {
    Already,
    Other,
    Text(String),
}

fn with_entry(text: &str) -> Result<With, &'static str> {
    let read: Value = serde_json::from_str(text).map_err(|_| "it is not plain JSON")?;
    let top = Object::at(text, 0).filter(|_| read.is_object()).ok_or("it is not a JSON object")?;
    let Some(servers) = top.member("mcpServers") else {
        let mut lines = vec!["\"mcpServers\": {".to_owned()];
        lines.extend(entry_lines().into_iter().map(|line| format!("  {line}")));
        lines.push("}".to_owned());
        return Ok(With::Text(top.with(text, &lines)));
    };
    let inner = Object::at(text, servers.value.start).filter(|_| read["mcpServers"].is_object()).ok_or("its mcpServers is no object")?;
    match inner.member("callboard") {
        Some(_) if read["mcpServers"]["callboard"] == entry() => Ok(With::Already),
        Some(_) => Ok(With::Other),
        None => Ok(With::Text(inner.with(text, &entry_lines()))),
    }
}

/// The text without our entry, or why it stays.
fn without_entry(text: &str, record: Option<&Record>) -> Result<String, Step> {
    let absent = || Step::new(FILE, Did::Already).note("our entry is not in it");
    let read: Value = serde_json::from_str(text).map_err(|_| Step::new(FILE, Did::Kept).note("it is not plain JSON: take the entry callboard out by hand"))?;
    let top = Object::at(text, 0).ok_or_else(absent)?;
    let servers = top.member("mcpServers").ok_or_else(absent)?;
    let inner = Object::at(text, servers.value.start).ok_or_else(absent)?;
    let ours = inner.member("callboard").ok_or_else(absent)?;
    if read["mcpServers"]["callboard"] != entry() {
        return Err(Step::new(FILE, Did::Kept).note("its entry callboard is not the one we write"));
    }
    // The list of servers came with our entry, and holds nothing else: it goes too.
    let came_with_us = record.is_some_and(|record| {
        let before = record.before.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        before.is_none_or(|before| before.get("mcpServers").is_none())
    });
    if came_with_us && inner.members.len() == 1 { Ok(top.without(text, servers)) } else { Ok(inner.without(text, ours)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Connects, lets `between` change the file, disconnects; gives what the three left.
    fn round(before: Option<&str>, keep_record: bool, between: impl Fn(String) -> String) -> (Option<String>, Option<String>) {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(".callboard");
        fs::create_dir(&directory).unwrap();
        let path = root.path().join(FILE);
        if let Some(before) = before {
            fs::write(&path, before).unwrap();
        }
        connect(root.path(), &directory).unwrap();
        let connected = fs::read_to_string(&path).ok();
        if let Some(connected) = &connected {
            fs::write(&path, between(connected.clone())).unwrap();
        }
        if !keep_record {
            let _ = fs::remove_file(directory.join("run").join(RECORD));
        }
        disconnect(root.path(), &directory).unwrap();
        (connected, fs::read_to_string(&path).ok())
    }

    #[test]
    fn every_layout_comes_back_byte_for_byte() {
        let layouts = [
            None,
            Some("{}"),
            Some("{ }\n"),
            Some("{\"mcpServers\":{}}"),
            Some("{\n  \"mcpServers\": { }\n}\n"),
            Some("{\"b\":1,\"a\":{\"z\":[1,2]}}"),
            Some("{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\", \"env\": {\"callboard\": \"}\"}}\n\t}\n}\r\n"),
        ];
        for before in layouts {
            let (connected, after) = round(before, true, |text| text);
            let read: Value = serde_json::from_str(&connected.unwrap()).unwrap();
            assert_eq!(read["mcpServers"]["callboard"], entry());
            assert_eq!(after.as_deref(), before);
        }
    }

    #[test]
    fn without_the_record_the_entry_alone_goes() {
        let before = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"zeta\": 1\n}\n";
        assert_eq!(round(Some(before), false, |text| text).1.as_deref(), Some(before));
        assert_eq!(round(None, false, |text| text).1, None);
    }

    #[test]
    fn what_was_added_meanwhile_stays() {
        let (_, after) = round(Some("{\"mcpServers\": {\"a\": 1}}"), true, |text| text.replace("\"a\": 1", "\"a\": 1, \"b\": 2"));
        assert_eq!(after.as_deref(), Some("{\"mcpServers\": {\"a\": 1, \"b\": 2}}"));
        let (_, after) = round(Some("{\"x\": 1}"), true, |text| text.replace("\"x\": 1", "\"x\": 2"));
        assert_eq!(after.as_deref(), Some("{\"x\": 2}"));
    }

    #[test]
    fn an_entry_that_is_not_ours_and_a_file_that_is_no_json_are_kept() {
        for text in ["{\"mcpServers\": {\"callboard\": {\"type\": \"http\"}}}", "// a comment\n{}", "[1]", "{\"mcpServers\": 1}", ""] {
            let (connected, after) = round(Some(text), true, |text| text);
            assert_eq!((connected.as_deref(), after.as_deref()), (Some(text), Some(text)));
        }
    }
}

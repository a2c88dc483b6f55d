//! What a worker said, line by line, as a person reads it.

use serde_json::Value;

/// Characters of a tool's call or result that are shown.
const BRIEF_CHARS: usize = 160;

/// The lines of `raw.jsonl` as text. What is not understood is shown as it stands, or counted.
pub fn transcript(raw: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut unknown = 0;
    for line in raw.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Err(_) => lines.push(brief(line)),
            Ok(event) if !told(&event, &mut lines) => unknown += 1,
            Ok(_) => {}
        }
    }
    if unknown > 0 {
        lines.push(format!("({unknown} lines of other kinds are in raw.jsonl)"));
    }
    lines
}

/// Tells one event; false when it is of a kind not known here.
fn told(event: &Value, lines: &mut Vec<String>) -> bool {
    let word = |key: &str| event[key].as_str().unwrap_or_default();
    match (word("type"), word("subtype")) {
        ("system", "init") => lines.push(format!("model {}, {} tools", word("model"), event["tools"].as_array().map_or(0, Vec::len))),
        ("system", "api_retry") => lines.push(format!("the model could not be reached, attempt {}", event["attempt"])),
        ("system", _) => return false,
        ("assistant", _) => blocks(event).for_each(|block| said(block, lines)),
        ("user", _) => blocks(event).for_each(|block| answered(block, lines)),
        ("result", _) => {
            let failed = event["is_error"].as_bool().unwrap_or(false);
            let cost = event["total_cost_usd"].as_f64().map(|usd| format!(", {usd:.4} USD")).unwrap_or_default();
            lines.push(format!("{} after {} turns{cost}", if failed { "failed" } else { "ended" }, event["num_turns"]));
            if failed {
                lines.push(brief(word("result")));
            }
            let denied = event["permission_denials"].as_array().into_iter().flatten();
            lines.extend(denied.map(|one| format!("was not allowed: {}", called(&one["tool_name"], &one["tool_input"]))));
        }
        _ => return false,
    }
    true
}

fn blocks(event: &Value) -> impl Iterator<Item = &Value> {
    event["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn said(block: &Value, lines: &mut Vec<String>) {
    match block["type"].as_str() {
        Some("text") => lines.extend(block["text"].as_str().unwrap_or_default().lines().map(str::to_owned)),
        Some("tool_use") => lines.push(format!("> {}", called(&block["name"], &block["input"]))),
        _ => {}
    }
}

/// A tool and what it was called with.
fn called(name: &Value, input: &Value) -> String {
    let what = input["command"].as_str().or_else(|| input["file_path"].as_str()).map_or_else(|| input.to_string(), str::to_owned);
    format!("{}: {}", name.as_str().unwrap_or("tool"), brief(&what))
}

fn answered(block: &Value, lines: &mut Vec<String>) {
    let text = match &block["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join(" "),
        _ => return,
    };
    let mark = if block["is_error"].as_bool() == Some(true) { "! " } else { "" };
    lines.push(format!("  {mark}{}", brief(&text)));
}

/// On one line, cut.
fn brief(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(BRIEF_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_reads_as_what_was_said_and_done() {
        let raw = concat!(
            r#"{"type":"system","subtype":"init","model":"m","tools":["Bash"]}"#,
            "\nnot json\n",
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"Bash","input":{"command":"git\nlog"}}]}}"#,
            "\n",
            r#"{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"Begin\nEnd"}],"is_error":true}]}}"#,
            "\n",
            r#"{"type":"surprise"}"#,
            "\n",
            r#"{"type":"result","subtype":"success","is_error":true,"num_turns":2,"total_cost_usd":0.5,"result":"not signed in","permission_denials":[{"tool_name":"WebFetch","tool_input":{"url":"x"}}]}"#,
            "\n",
        );
        insta::assert_snapshot!(transcript(raw).join("\n"), @r#"
        model m, 1 tools
        not json
        I look.
        > Bash: git log
          ! Begin End
        failed after 2 turns, 0.5000 USD
        not signed in
        was not allowed: WebFetch: {"url":"x"}
        (1 lines of other kinds are in raw.jsonl)
        "#);
        assert!(transcript(&"x".repeat(9_000))[0].chars().count() <= BRIEF_CHARS + 1);
    }
}

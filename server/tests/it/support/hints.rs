//! What refusals advise: every command line in a hint is one that the parser takes, every tool call one that the tool's schema takes. Held for
//! each refusal that any test provokes.

use serde_json::Value;

/// Holds the command lines in the hints of what was said on stderr.
#[track_caller]
pub fn lines_hold(stderr: &str) {
    for hint in stderr.lines().filter_map(|line| line.strip_prefix("hint: ")) {
        for line in commands(hint) {
            // What the parser's own usage leaves open is no line to type.
            if line.contains("[OPTIONS]") || (line.contains('<') && line.contains('|')) {
                continue;
            }
            let words = words(&line);
            if let Err(fault) = reads(&words) {
                panic!("a hint names what is no command: {line}\nread as {words:?}\n{fault}");
            }
        }
    }
}

/// Holds the tool calls in a refusal's `next:`.
#[track_caller]
pub fn calls_hold(refusal: &str) {
    let next = refusal.lines().filter_map(|line| line.strip_prefix("next: "));
    for (tool, args) in next.flat_map(calls) {
        if let Err(fault) = fits(&tool, &args) {
            panic!("a hint names what is no call: {tool} {args}: {fault}\n{refusal}");
        }
    }
}

/// Each `callboard …` of a hint, up to where its sentence goes on.
fn commands(hint: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in hint.match_indices("callboard ") {
        if hint[..at].ends_with(|before: char| before.is_alphanumeric() || "/-_.".contains(before)) {
            continue;
        }
        let (mut quoted, mut end) = (false, hint.len());
        for (place, character) in hint[at..].char_indices() {
            quoted ^= character == '\'';
            let rest = &hint[at + place..];
            if !quoted && ["; ", ": ", ", ", " && ", " or ", " and ", " (", ")", " | "].iter().any(|stop| rest.starts_with(stop)) {
                end = at + place;
                break;
            }
        }
        found.push(hint[at..end].trim_end_matches(['.', ';', ':', ',']).to_owned());
    }
    found
}

/// A line's words without the program's name, quotes read and what is to be filled in filled in.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quoted, mut any) = (String::new(), false, false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' => (quoted, any) = (!quoted, true),
            '\\' if !quoted => word.extend(characters.next()),
            ' ' if !quoted => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            other => word.push(other),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    let milestone = words.get(1).is_some_and(|word| word == "milestone");
    words.into_iter().skip(1).map(|word| filled_in(&word, milestone)).collect()
}

fn filled_in(word: &str, milestone: bool) -> String {
    let filled = match word {
        "ID" | "<ID>" | "<task>" | "<id>" | "…" | "tk-…" if milestone => "ms-000000",
        "ID" | "<ID>" | "<task>" | "<id>" | "…" | "tk-…" => "tk-000000",
        "<milestone>" | "ms-…" => "ms-000000",
        "SHA" => "HEAD",
        "ACTOR" | "<ACTOR>" | "<actor>" => "agent:ada/w1",
        "<question>" | "<QUESTION>" => "qu-00000000",
        "<event>" | "<EVENT>" => "00000000",
        "keep|dismiss" => "keep",
        _ => word,
    };
    filled.to_owned()
}

/// A command, also when its sentence goes on behind it in plain words.
fn reads(words: &[String]) -> Result<(), String> {
    let whole = callboard::cli::reads(words);
    let plain = |word: &String| word.chars().all(|character| character.is_ascii_lowercase());
    let incomplete = |fault: &String| fault.contains("required arguments") || fault.contains("requires a subcommand");
    let mut shorter = words;
    while whole.as_ref().is_err_and(|fault| !incomplete(fault)) {
        match shorter.split_last() {
            Some((last, rest)) if !rest.is_empty() && plain(last) => shorter = rest,
            _ => break,
        }
        if callboard::cli::reads(shorter).is_ok() {
            return Ok(());
        }
    }
    whole
}

/// Each `tool {…}` of a text.
fn calls(text: &str) -> Vec<(String, Value)> {
    let tools = mcp::schemas(mcp::Set::All);
    let mut found = Vec::new();
    for tool in &tools {
        let start = format!("{} {{", tool.name);
        for (at, _) in text.match_indices(&start) {
            if text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
                continue;
            }
            let json = &text[at + tool.name.len() + 1..];
            // A call that was cut for its length is no call.
            if let Some(Ok(args)) = serde_json::Deserializer::from_str(json).into_iter::<Value>().next() {
                found.push((tool.name.to_string(), args));
            }
        }
    }
    found
}

/// Whether arguments have the names, the words and what is required of a tool's schema.
fn fits(tool: &str, args: &Value) -> Result<(), String> {
    let tools = mcp::schemas(mcp::Set::All);
    let tool = tools.iter().find(|known| known.name == tool).ok_or("no such tool")?;
    matches_schema(&Value::Object(tool.input_schema.as_ref().clone()), args, "")
}

fn matches_schema(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{path}: {value} is none of {words:?}"));
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" | "number" => value.is_number() || value.as_str().is_some_and(|text| text.starts_with('<')),
        _ => true,
    };
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
        return Err(format!("{path}: {value} is not {kinds:?}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            return Err(format!("{path}: {name} is missing"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(property) => matches_schema(property, inner, &format!("{path}.{name}"))?,
            None if schema["properties"].is_object() => return Err(format!("{path}.{name} is not known")),
            None => {}
        }
    }
    value.as_array().into_iter().flatten().try_for_each(|item| matches_schema(&schema["items"], item, &format!("{path}[]")))
}

#[test]
fn a_hint_is_read_as_the_commands_in_it() {
    assert_eq!(
        commands("say why: callboard tasks done tk-4f2a9c -m '<what; and why>' --no-code or callboard next; then git push"),
        ["callboard tasks done tk-4f2a9c -m '<what; and why>' --no-code", "callboard next"]
    );
    lines_hold("hint: callboard tasks shows their ids\nhint: bind it: callboard bind SHA --task ID");
    calls_hold(r#"next: take it: next {"task":"tk-4f2a9c"} or ask {"inbox":"unread"}"#);
    for wrong in ["callboard tasks finish ID", "callboard tasks done ID --force", "callboard tasks done", "callboard taks"] {
        assert!(std::panic::catch_unwind(|| lines_hold(&format!("hint: {wrong}"))).is_err(), "{wrong}");
    }
    for wrong in [r#"next {"taks":"x"}"#, r#"update {"comment":"x"}"#, r#"update {"task":"tk-4f2a9c","status":"finished"}"#, r#"ask {"inbox":5}"#] {
        assert!(std::panic::catch_unwind(|| calls_hold(&format!("next: {wrong}"))).is_err(), "{wrong}");
    }
}

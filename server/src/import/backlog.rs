//! A folder of Backlog.md: one task a file, front matter and Markdown.

use super::facts::{Facts, actor};
use super::issues::{self, Issue};
use super::yaml::{self, Yaml};
use super::{Board, Taken, Unusable, bytes_of, hex};
use contracts::text::FilePattern;
use contracts::{Actor, Moment, Problem, limits};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use storage::encoding::Reason;

/// Reads one.
///
/// # Errors
/// When a file can't be read.
pub fn read(folder: &Path, ready: bool, taken: &Taken) -> Result<Board, Problem> {
    let mut board = Board { format: "backlog".to_owned(), ..Board::default() };
    let mut facts = Facts::default();
    let mut found = Vec::new();
    let mut sums = String::new();
    for (sub, done) in [("tasks", false), ("completed", true)] {
        for path in markdown(&folder.join(sub)) {
            board.lines += 1;
            let bytes = bytes_of(&path)?;
            sums.push_str(&hex(&bytes));
            let file = format!("{sub}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            match issue(&bytes, done, &mut facts) {
                Ok(issue) => found.push(issue),
                Err((line, reason)) => board.unusable.push(Unusable { file, line, reason, bytes }),
            }
        }
    }
    for (sub, why) in [("drafts", "a draft"), ("archive/tasks", "a task that was archived there")] {
        markdown(&folder.join(sub)).iter().for_each(|_| facts.skip(why));
    }
    board.sha256 = hex(sums.as_bytes());
    board.first = found.first().map(|issue| issue.name.clone()).unwrap_or_default();
    issues::facts(found, "backlog", ready, taken, facts, &mut board);
    Ok(board)
}

fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "md") && path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()));
    found.sort();
    found
}

fn issue(bytes: &[u8], done: bool, facts: &mut Facts) -> Result<Issue, (u64, Reason)> {
    let text = std::str::from_utf8(bytes).map_err(|_| (0, Reason::BadValue))?;
    let (members, rest) = yaml::front_matter(text).ok_or((1, Reason::MissingKey))?.map_err(|line| (line, Reason::BadValue))?;
    let word = |key: &str| members.get(key).map(Yaml::text).unwrap_or_default();
    let list = |key: &str| members.get(key).map(Yaml::list).unwrap_or_default();
    // Names are compared without regard to case there.
    let name = word("id").to_lowercase();
    if name.is_empty() || !members.contains_key("title") {
        return Err((1, Reason::MissingKey));
    }
    let at = day(word("created_date")).ok_or((1, Reason::BadValue))?;
    let mut body = Map::new();
    body.insert("title".to_owned(), facts.title(word("title"), &name).into());
    let (criteria, spec) = parted(rest);
    body.insert("spec".to_owned(), facts.text(&with_links(spec, &members), limits::SPEC_BYTES_MAX, &name).into());
    body.insert("criteria".to_owned(), json!(criteria.into_iter().take(limits::CRITERIA_MAX).collect::<Vec<_>>()));
    let mut labels = list("labels");
    if !word("milestone").is_empty() {
        labels.push(format!("milestone/{}", contracts::id::derived_name(word("milestone"))));
    }
    body.insert("labels".to_owned(), json!(facts.labels(labels.iter().map(String::as_str), &name)));
    match word("priority").to_lowercase().as_str() {
        "high" => drop(body.insert("priority".to_owned(), 1.into())),
        "low" => drop(body.insert("priority".to_owned(), 3.into())),
        _ => {}
    }
    let (files, other): (Vec<String>, Vec<String>) = list("modified_files").into_iter().partition(|path| FilePattern::parse(path).is_ok());
    body.insert("files".to_owned(), json!(files.into_iter().take(limits::FILES_MAX).collect::<Vec<_>>()));
    if !other.is_empty() {
        facts.warn(format!("{} of the files of {name} are no patterns here, and are left out", other.len()));
    }
    if let Some(due) = day(word("due_date")) {
        body.insert("due_at".to_owned(), json!(due));
    }
    body.insert("source".to_owned(), json!({"kind": "backlog", "ref": word("id")}));
    let done = done || word("status").eq_ignore_ascii_case("done");
    if !done && !list("assignee").is_empty() {
        facts.skip("an assignee of an open task: here that would hide it from everybody else");
    }
    let by = if word("reporter").is_empty() { Actor::system("backlog") } else { actor(word("reporter")) };
    let closed = done.then(|| (day(word("updated_date")).unwrap_or(at), String::new()));
    let lower = |names: Vec<String>| names.into_iter().map(|name| name.to_lowercase()).collect();
    let parent = Some(word("parent_task_id").to_lowercase()).filter(|parent| !parent.is_empty());
    Ok(Issue { name, by, at, body, after: lower(list("dependencies")), parent, comments: Vec::new(), closed })
}

/// A date as the tool has written it over time: with or without a time of day (UTC), and three older forms with the day first.
fn day(raw: &str) -> Option<Moment> {
    let (date, time) = raw.split_once([' ', 'T']).unwrap_or((raw, "00:00"));
    let separator = date.chars().find(|character| !character.is_ascii_digit())?;
    let parts: Vec<&str> = date.split(separator).collect();
    let (year, month, of_month) = match parts.as_slice() {
        [year, month, day] if year.len() == 4 && separator == '-' => ((*year).to_owned(), *month, *day),
        [day, month, year] if year.len() == 2 => (format!("20{year}"), *month, *day),
        _ => return None,
    };
    let time = time.trim_end_matches('Z');
    let seconds = if time.len() == 5 { ":00" } else { "" };
    Moment::parse(&format!("{year}-{month}-{of_month}T{time}{seconds}Z"))
}

/// The acceptance criteria, and the rest of the text without the tool's own marks.
fn parted(text: &str) -> (Vec<Value>, String) {
    let mut criteria = Vec::new();
    let mut rest = Vec::new();
    let mut within = false;
    for line in text.lines() {
        let bare = line.trim();
        if bare.starts_with("<!-- ") && bare.ends_with(" -->") && (bare.contains(":BEGIN") || bare.contains(":END")) {
            continue;
        }
        if bare.starts_with("## ") {
            within = bare.eq_ignore_ascii_case("## Acceptance Criteria");
            if within {
                continue;
            }
        }
        let item = bare.strip_prefix("- [").and_then(|item| item.split_at_checked(1)).and_then(|(mark, text)| Some((mark, text.strip_prefix(']')?.trim())));
        match item {
            Some((mark, text)) if within => {
                let numbered =
                    text.strip_prefix('#').and_then(|text| text.split_once(' ')).filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
                let text: String = numbered.map_or(text, |(_, text)| text).chars().take(limits::CRITERION_CHARS_MAX).collect();
                let met = mark.eq_ignore_ascii_case("x").then_some(true);
                criteria.push(if met.is_some() { json!({"text": text, "met": true}) } else { json!({"text": text}) });
            }
            _ => rest.push(line),
        }
    }
    let joined = rest.join("\n");
    let mut spec = joined.trim().to_owned();
    while spec.contains("\n\n\n") {
        spec = spec.replace("\n\n\n", "\n\n");
    }
    (criteria, spec)
}

fn with_links(mut spec: String, members: &BTreeMap<String, Yaml>) -> String {
    for (key, heading) in [("references", "References"), ("documentation", "Documentation")] {
        let links = members.get(key).map(Yaml::list).unwrap_or_default();
        if !links.is_empty() {
            let lines: String = links.iter().map(|link| format!("\n- {link}")).collect();
            spec.push_str(&format!("\n\n## {heading}\n{lines}"));
        }
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_age_are_read() {
        for (raw, read) in [
            ("2025-06-07", Some("2025-06-07T00:00:00.000Z")),
            ("2025-06-07 18:30", Some("2025-06-07T18:30:00.000Z")),
            ("2025-06-07T18:30", Some("2025-06-07T18:30:00.000Z")),
            ("07-06-25", Some("2025-06-07T00:00:00.000Z")),
            ("07/06/25", Some("2025-06-07T00:00:00.000Z")),
            ("07.06.25", Some("2025-06-07T00:00:00.000Z")),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(day(raw).map(|at| at.to_string()).as_deref(), read, "{raw}");
        }
    }

    #[test]
    fn criteria_leave_the_text_and_marks_go() {
        let text = "\n## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nPaint.\n<!-- SECTION:DESCRIPTION:END -->\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 Red\n- [ ] #2 Dry\n<!-- AC:END -->\n\n## Notes\n\n- [ ] mine\n";
        let (criteria, spec) = parted(text);
        assert_eq!(criteria, [json!({"text": "Red", "met": true}), json!({"text": "Dry"})]);
        assert_eq!(spec, "## Description\n\nPaint.\n\n## Notes\n\n- [ ] mine");
    }
}

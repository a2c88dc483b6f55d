//! What an event changed, before and after, as HTML made on the server: short values side by side, long ones line by line.

use crate::times;
use crate::words::{self, escaped};
use contracts::command::Priority;
use contracts::view::HistoryRow;
use contracts::{Moment, Offsets};
use serde_json::Value;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 2;
/// Pairs of lines that are compared; longer texts are shown as taken out and put in.
const PAIRS: usize = 4_000_000;

/// Before and after of the field a row changed; empty when it changed none.
pub fn changed(row: &HistoryRow, zone: Offsets) -> String {
    let Some(field) = row.field.as_deref().filter(|_| row.from != row.to) else { return String::new() };
    if let (Some(from), Some(to)) = (lines_of(field, &row.from), lines_of(field, &row.to)) {
        return by_line(&from, &to);
    }
    let (from, to) = (short(field, &row.from, zone), short(field, &row.to, zone));
    format!(
        "<p class=\"change\"><span class=\"only-read\">before: </span><del dir=\"auto\">{}</del> <span aria-hidden=\"true\">→</span> \
         <span class=\"only-read\">after: </span><ins dir=\"auto\">{}</ins></p>",
        escaped(&from),
        escaped(&to)
    )
}

/// A long value as its lines; none for a short one.
fn lines_of(field: &str, value: &Value) -> Option<Vec<String>> {
    match (field, value) {
        ("spec" | "goal", Value::String(text)) => Some(text.lines().map(str::to_owned).collect()),
        ("spec" | "goal", Value::Null) => Some(Vec::new()),
        (_, Value::Array(items)) => Some(items.iter().map(item).collect()),
        _ => None,
    }
}

/// One item of a list: a text, or a criterion with its answer.
fn item(value: &Value) -> String {
    let Some(text) = value.get("text").and_then(Value::as_str) else {
        return value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    };
    let answer = match value.get("met").and_then(Value::as_bool) {
        Some(true) => "met: ",
        Some(false) => "not met: ",
        None => "",
    };
    let note = value.get("note").and_then(Value::as_str).filter(|note| !note.is_empty()).map(|note| format!(" ({note})")).unwrap_or_default();
    format!("{answer}{text}{note}")
}

fn short(field: &str, value: &Value, zone: Offsets) -> String {
    match (field, value) {
        (_, Value::Null) => "nothing".to_owned(),
        ("priority", value) => {
            value.as_i64().and_then(|number| Priority::parse(number).ok()).map_or_else(|| value.to_string(), |priority| priority.words().to_owned())
        }
        ("due_at", Value::String(text)) => Moment::parse(text).map_or_else(|| text.clone(), |moment| times::absolute(moment, zone)),
        (_, Value::Bool(flag)) => if *flag { "yes" } else { "no" }.to_owned(),
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    }
}

/// One line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Line<'a> {
    Same(&'a str),
    Out(&'a str),
    In(&'a str),
}

/// The fewest lines taken out and put in that make one of the other.
fn compared<'a>(from: &'a [String], to: &'a [String]) -> Vec<Line<'a>> {
    if from.len().saturating_mul(to.len()) > PAIRS {
        return from.iter().map(|line| Line::Out(line)).chain(to.iter().map(|line| Line::In(line))).collect();
    }
    // How many lines two ends have in common, from each pair of places on.
    let width = to.len() + 1;
    let mut common = vec![0u32; (from.len() + 1) * width];
    for i in (0..from.len()).rev() {
        for j in (0..to.len()).rev() {
            common[i * width + j] =
                if from[i] == to[j] { common[(i + 1) * width + j + 1] + 1 } else { common[(i + 1) * width + j].max(common[i * width + j + 1]) };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::with_capacity(from.len() + to.len()));
    while i < from.len() || j < to.len() {
        if i < from.len() && j < to.len() && from[i] == to[j] {
            lines.push(Line::Same(&from[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == to.len() || (i < from.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            lines.push(Line::Out(&from[i]));
            i += 1;
        } else {
            lines.push(Line::In(&to[j]));
            j += 1;
        }
    }
    lines
}

fn by_line(from: &[String], to: &[String]) -> String {
    let lines = compared(from, to);
    let near = |at: usize| {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(lines.len()));
        lines[start..end].iter().any(|line| !matches!(line, Line::Same(_)))
    };
    let mut html = String::from("<div class=\"lines\">");
    let mut skipped = 0;
    for (at, line) in lines.iter().enumerate() {
        if !near(at) {
            skipped += 1;
            continue;
        }
        push_skipped(&mut html, &mut skipped);
        let (tag, mark, text) = match line {
            Line::Same(text) => ("span", " ", text),
            Line::Out(text) => ("del", "−", text),
            Line::In(text) => ("ins", "+", text),
        };
        html.push_str(&format!("<{tag}><i>{mark}</i><span dir=\"auto\">{}</span></{tag}>", escaped(text)));
    }
    push_skipped(&mut html, &mut skipped);
    html.push_str("</div>");
    html
}

fn push_skipped(html: &mut String, skipped: &mut i64) {
    if *skipped > 0 {
        html.push_str(&format!("<em>{} as before</em>", words::count(*skipped, "line", "lines")));
        *skipped = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(field: &str, from: Value, to: Value) -> HistoryRow {
        serde_json::from_value(json!({
            "entry": {"event": "5d10ee00000000000000000000000000", "kind": "task.edited", "subject": "tk-4f2a9c", "actor": "dev:ana", "at": "2026-11-29T11:37:08.123Z", "words": "set"},
            "principal": "local:ana", "field": field, "from": from, "to": to,
        }))
        .unwrap()
    }

    /// The HTML without its tags.
    fn read(field: &str, from: Value, to: Value) -> String {
        let html = changed(&row(field, from, to), 60.into());
        html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect::<Vec<_>>().join("")
    }

    #[test]
    fn short_values_stand_side_by_side() {
        assert_eq!(read("priority", json!(2), json!(0)), "before: normal → after: urgent");
        assert_eq!(read("assignee", Value::Null, json!("dev:mei")), "before: nothing → after: dev:mei");
        assert_eq!(read("due_at", json!("2026-11-28T22:59:59.000Z"), Value::Null), "before: Sat 28 Nov 2026, 23:59 → after: nothing");
        assert_eq!(read("title", json!("a < b"), json!("b")), "before: a &lt; b → after: b");
        assert_eq!(changed(&row("title", json!("a"), json!("a")), 0.into()), "");
    }

    #[test]
    fn long_values_are_compared_line_by_line() {
        let before = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
        assert_eq!(read("spec", json!(before), json!(before.replace("five", "5"))), "2\u{a0}lines as before three four−five+5 six seven");
        assert_eq!(read("labels", json!(["a", "b"]), json!(["b", "c"])), "−a b+c");
        let criteria = |met: Value| json!([{"text": "holds", "met": met, "note": "see test"}]);
        assert_eq!(read("criteria", criteria(Value::Null), criteria(json!(true))), "−holds (see test)+met: holds (see test)");
    }

    #[test]
    fn texts_too_long_to_compare_are_shown_whole() {
        let lines = |word: &str| (0..2_100).map(|n| format!("{word}{n}")).collect::<Vec<_>>();
        assert_eq!(compared(&lines("a"), &lines("b")).len(), 4_200);
    }
}

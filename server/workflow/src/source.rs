//! From text to a JSON value that knows where each of its parts was written.
//!
//! YAML 1.2 with its core schema; JSON is a part of it. Refused, each with its place: duplicate keys, tags, merge keys, anchors and
//! aliases, a second document, keys that are no text. What a plain word means is decided here and nowhere else.

use crate::finding::{Code, Finding};
use contracts::limits;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A place in a text; both count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

/// What a text says, and where it says it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The document.
    pub value: Value,
    places: BTreeMap<String, Place>,
}

impl Source {
    /// A document without a text, such as one that was read from the log: everything stands in line 1.
    pub fn of(value: Value) -> Source {
        Source { value, places: BTreeMap::new() }
    }

    /// Where a part was written; of a part that was not, where its nearest parent was.
    pub fn place(&self, pointer: &str) -> Place {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.places.get(pointer) {
                return *place;
            }
            match pointer.rsplit_once('/') {
                Some((parent, _)) => pointer = parent,
                None => return Place { line: 1, column: 1 },
            }
        }
    }

    /// A finding about a part.
    pub fn finding(&self, pointer: &str, code: Code, text: impl Into<String>, hint: impl Into<String>) -> Finding {
        let Place { line, column } = self.place(pointer);
        Finding { line, column, pointer: pointer.to_owned(), code, text: text.into(), hint: hint.into() }
    }
}

/// A key as a part of a JSON pointer.
pub fn step(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Reads a text.
///
/// # Errors
/// What can't be taken, every fault that the reader can pass; a text that does not parse ends at its first.
pub fn read(text: &str) -> Result<Source, Vec<Finding>> {
    if text.len() > limits::WORKFLOW_BYTES_MAX {
        let fault = format!("the text has {} bytes", text.len());
        return Err(vec![at(Place { line: 1, column: 1 }, "", Code::Limit, fault, format!("at most {}", limits::WORKFLOW_BYTES_MAX))]);
    }
    let json = text.trim_start().starts_with(['{', '[']);
    let text = if json { without_tabs(text) } else { Cow::Borrowed(text) };
    let mut builder = Builder::default();
    for event in Parser::new_from_str(&text) {
        match event {
            Ok((event, span)) => builder.take(event, place_of(&span.start)),
            Err(fault) => {
                let place = place_of(fault.marker());
                let line = text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default();
                let hint = if line.trim_start_matches(' ').starts_with('\t') { "indent with spaces: a tab is no indentation" } else { "" };
                builder.findings.push(at(place, "", Code::Yaml, fault.info(), hint));
                break;
            }
        }
    }
    if !builder.findings.is_empty() {
        return Err(builder.findings);
    }
    match builder.root {
        Some(value) => Ok(Source { value, places: builder.places }),
        None => Err(vec![at(Place { line: 1, column: 1 }, "", Code::Yaml, "the text is empty", "begin with: callboard workflow new NAME")]),
    }
}

/// JSON may be indented with tabs, which YAML refuses. No string of JSON spans lines, so what begins a line is never content; columns stay.
fn without_tabs(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| {
        let content = line.trim_start_matches([' ', '\t']);
        format!("{}{content}", " ".repeat(line.len() - content.len()))
    };
    Cow::Owned(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

fn place_of(marker: &Marker) -> Place {
    Place { line: marker.line(), column: marker.col() + 1 }
}

fn at(place: Place, pointer: &str, code: Code, text: impl Into<String>, hint: impl Into<String>) -> Finding {
    Finding { line: place.line, column: place.column, pointer: pointer.to_owned(), code, text: text.into(), hint: hint.into() }
}

/// A list or map that is not closed yet.
enum Open {
    List { pointer: String, items: Vec<Value> },
    Map { pointer: String, map: Map<String, Value>, key: Option<String> },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Value>,
    places: BTreeMap<String, Place>,
    findings: Vec<Finding>,
    documents: usize,
    /// Whether what comes next is inside a key that is no text, and how deep.
    skipped: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, place: Place) {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents == 2 {
                    self.refuse(place, "a second document begins here", "one file, one workflow");
                }
            }
            _ if self.documents > 1 => {}
            Event::Alias(_) => {
                self.refuse(place, "an alias stands here", "write the value out: what a step says stands where the step is");
                self.value(Value::Null, place);
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_only(anchor, tag.is_some(), place);
                if self.wants_key() {
                    self.key(&text, style, place);
                } else {
                    let value = if style == ScalarStyle::Plain { self.plain(&text, place) } else { Value::String(text.into_owned()) };
                    self.value(value, place);
                }
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain_only(anchor, tag.is_some(), place);
                self.begin(place, |pointer| Open::List { pointer, items: Vec::new() });
            }
            Event::MappingStart(anchor, tag) => {
                self.plain_only(anchor, tag.is_some(), place);
                self.begin(place, |pointer| Open::Map { pointer, map: Map::new(), key: None });
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(place),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }

    fn refuse(&mut self, place: Place, text: &str, hint: &str) {
        let pointer = self.next_pointer();
        self.findings.push(at(place, &pointer, Code::Yaml, text, hint));
    }

    fn plain_only(&mut self, anchor: usize, tag: bool, place: Place) {
        if anchor > 0 {
            self.refuse(place, "an anchor stands here", "take it out: nothing may refer to it");
        }
        if tag {
            self.refuse(place, "a tag stands here", "take it out; quote a text that would be read as something else");
        }
    }

    fn wants_key(&self) -> bool {
        self.skipped == 0 && matches!(self.open.last(), Some(Open::Map { key: None, .. }))
    }

    /// Where the next value will stand.
    fn next_pointer(&self) -> String {
        match self.open.last() {
            None => String::new(),
            Some(Open::List { pointer, items }) => format!("{pointer}/{}", items.len()),
            Some(Open::Map { pointer, key, .. }) => key.as_ref().map_or_else(|| pointer.clone(), |key| step(pointer, key)),
        }
    }

    fn key(&mut self, text: &str, style: ScalarStyle, place: Place) {
        if text == "<<" && style == ScalarStyle::Plain {
            self.refuse(place, "a merge key stands here", "write the keys out");
        }
        let Some(Open::Map { pointer, map, key }) = self.open.last_mut() else { return };
        let own = step(pointer, text);
        if map.contains_key(text) {
            self.findings.push(at(place, &own, Code::KeyDup, format!("{text} stands here a second time"), "keep one of the two"));
        }
        *key = Some(text.to_owned());
        self.places.insert(own, place);
    }

    fn begin(&mut self, place: Place, open: impl FnOnce(String) -> Open) {
        if self.wants_key() || self.skipped > 0 {
            if self.skipped == 0 {
                self.refuse(place, "a key that is no text stands here", "keys are words");
            }
            self.skipped += 1;
            return;
        }
        if self.open.len() >= limits::JSON_DEPTH_MAX {
            self.findings.push(at(place, "", Code::Limit, "the document is nested too deeply", format!("at most {} levels", limits::JSON_DEPTH_MAX)));
            self.skipped += 1;
            return;
        }
        let pointer = self.next_pointer();
        self.places.entry(pointer.clone()).or_insert(place);
        self.open.push(open(pointer));
    }

    fn end(&mut self, place: Place) {
        if self.skipped > 0 {
            self.skipped -= 1;
            if self.skipped == 0 && self.wants_key() {
                // Its value still comes; it is read and thrown away with the refused document.
                self.key("", ScalarStyle::DoubleQuoted, place);
            }
            return;
        }
        let value = match self.open.pop() {
            Some(Open::List { items, .. }) => Value::Array(items),
            Some(Open::Map { map, .. }) => Value::Object(map),
            None => return,
        };
        self.value(value, place);
    }

    fn value(&mut self, value: Value, place: Place) {
        if self.skipped > 0 {
            return;
        }
        let pointer = self.next_pointer();
        self.places.entry(pointer).or_insert(place);
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::List { items, .. }) => items.push(value),
            Some(Open::Map { map, key, .. }) => {
                if let Some(key) = key.take() {
                    map.insert(key, value);
                }
            }
        }
    }

    /// What a plain scalar is by the core schema.
    fn plain(&mut self, text: &str, place: Place) -> Value {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
            "true" | "True" | "TRUE" => return Value::Bool(true),
            "false" | "False" | "FALSE" => return Value::Bool(false),
            _ => {}
        }
        if matches!(text.trim_start_matches(['+', '-']).to_lowercase().as_str(), ".inf" | ".nan") {
            self.refuse(place, &format!("{text} is no number that can be written as JSON"), "quote it if it is a text");
            return Value::Null;
        }
        number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
    }
}

/// Reads a number of the core schema. Digits that no number of ours can hold stay a text.
fn number(text: &str) -> Option<Number> {
    if let Some(octal) = text.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') || !digits.contains(|any: char| any.is_ascii_digit()) {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.strip_prefix('+').unwrap_or(text).parse::<i64>().ok().map(Number::from);
    }
    let floating = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    floating.then(|| text.strip_prefix('+').unwrap_or(text).parse::<f64>().ok()).flatten().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn refused(text: &str) -> String {
        read(text).unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn plain_words_are_what_the_core_schema_says_and_nothing_of_older_yaml() {
        let text = "a: yes\nb: on\nc: null\nd: 12\ne: 1.5\nf: 0x1f\ng: '12'\nh: 2027-01-05\ni:\nj: +2h\nk: -3\nl: 1e3\nm: TRUE\nn: 012\n";
        let source = read(text).unwrap();
        assert_eq!(
            source.value,
            json!({"a": "yes", "b": "on", "c": null, "d": 12, "e": 1.5, "f": 31, "g": "12", "h": "2027-01-05", "i": null, "j": "+2h", "k": -3, "l": 1000.0, "m": true, "n": 12})
        );
    }

    #[test]
    fn each_part_knows_where_it_was_written() {
        let source = read("# a comment\nsteps:\n  - id: one\n    gate: {min_children: 2}\n  - {id: two}\n").unwrap();
        let place = |pointer: &str| (source.place(pointer).line, source.place(pointer).column);
        assert_eq!(place("/steps"), (2, 1));
        assert_eq!(place("/steps/0/id"), (3, 5));
        assert_eq!(place("/steps/0/gate/min_children"), (4, 12));
        assert_eq!(place("/steps/1/id"), (5, 6));
        assert_eq!(place("/steps/1/never/written"), (5, 5), "the nearest parent");
    }

    #[test]
    fn json_is_taken_and_may_be_indented_with_tabs() {
        let source = read("{\n\t\"steps\": [\n\t\t{\"id\": \"a\\u00e9\\n\", \"n\": null}\n\t]\n}\n").unwrap();
        assert_eq!(source.value, json!({"steps": [{"id": "aé\n", "n": null}]}));
        assert_eq!(source.place("/steps/0/id").line, 3);
    }

    #[test]
    fn what_no_two_readers_agree_on_is_refused_with_its_place() {
        assert!(refused("a: 1\nb: 2\na: 3\n").starts_with("3:1 E_KEY_DUP a stands here a second time"));
        assert!(refused("a: &x 1\nb: *x\n").contains("2:4 E_YAML an alias"));
        assert!(refused("a: !!str 1\n").contains("E_YAML a tag"));
        assert!(refused("a: {<<: {b: 1}}\n").contains("a merge key"));
        assert!(refused("a: 1\n---\nb: 2\n").contains("2:1 E_YAML a second document"));
        assert!(refused("? [a, b]\n: 1\n").contains("a key that is no text"));
        assert!(refused("a: .inf\n").contains("no number"));
        assert!(refused("a:\n\tb: 1\n").contains("E_YAML"));
        assert!(refused("").contains("the text is empty"));
        assert!(refused("<<<<<<< ours\na: 1\n").contains("E_YAML"));
    }

    #[test]
    fn faults_that_can_be_passed_are_told_together() {
        assert_eq!(refused("a: 1\na: 2\nb: !x 3\n").lines().count(), 2);
    }

    #[test]
    fn a_document_that_is_too_large_or_too_deep_is_refused() {
        assert!(refused(&"a".repeat(limits::WORKFLOW_BYTES_MAX + 1)).contains("E_LIMIT"));
        assert!(refused(&format!("{}1{}", "[".repeat(100), "]".repeat(100))).contains("nested too deeply"));
    }
}

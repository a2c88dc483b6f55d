//! From a JSON value to a typed document, with every fault of form at once: what is wrong is taken out and the rest is read again.
//!
//! So the types are the only description of the form, and one typing error hides no other.

use crate::document::Document;
use crate::finding::{Code, Finding};
use crate::source::{Source, step};
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

/// Faults of form that are told of one document.
const FAULTS: usize = 100;

/// Reads the document as far as its form allows, and the faults that kept parts of it out.
pub fn shape(source: &Source) -> (Document, Vec<Finding>) {
    let mut findings = Vec::new();
    let Value::Object(_) = source.value else {
        findings.push(source.finding("", Code::Shape, "a workflow is a map of keys", "begin with: workflow: NAME"));
        return (Document::default(), findings);
    };
    let mut left = source.value.clone();
    while findings.len() < FAULTS {
        let fault = match serde_path_to_error::deserialize::<_, Document>(left.clone()) {
            Ok(document) => return (document, findings),
            Err(fault) => fault,
        };
        let at = pointer(fault.path());
        let text = fault.inner().to_string();
        // The path of an unknown key ends with that key.
        let finding = match unknown(&text) {
            Some((key, known)) => unknown_key(source, &at, key, &known),
            None => source.finding(&at, Code::Shape, format!("{}: {}", last(&at), plain(&text)), ""),
        };
        if findings.last().is_some_and(|last: &Finding| last.pointer == finding.pointer && last.code == finding.code) {
            // It was emptied and still does not fit: the list it stands in goes.
            take_out(&mut left, at.rsplit_once('/').map_or("", |(parent, _)| parent), true);
        } else {
            findings.push(finding);
            take_out(&mut left, &at, false);
        }
    }
    (Document::default(), findings)
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    path.iter().fold(String::new(), |pointer, segment| match segment {
        Segment::Seq { index } => format!("{pointer}/{index}"),
        Segment::Map { key } => step(&pointer, key),
        Segment::Enum { .. } | Segment::Unknown => pointer,
    })
}

/// The reader's words without the names of our types.
fn plain(text: &str) -> String {
    match text.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected a map"),
        None => text.to_owned(),
    }
}

fn last(pointer: &str) -> &str {
    pointer.rsplit('/').find(|part| !part.is_empty() && part.bytes().any(|byte| !byte.is_ascii_digit())).unwrap_or("the document")
}

/// The key and the known ones, if the fault is that a key is unknown.
fn unknown(text: &str) -> Option<(&str, Vec<&str>)> {
    let rest = text.strip_prefix("unknown field `")?;
    let (key, rest) = rest.split_once('`')?;
    Some((key, rest.split('`').skip(1).step_by(2).collect()))
}

fn unknown_key(source: &Source, at: &str, key: &str, known: &[&str]) -> Finding {
    let gate = matches!(at.rsplit('/').nth(1), Some("gate" | "entry_gate"));
    let code = if gate { Code::GateKey } else { Code::Key };
    let hint = match nearest(key, known) {
        Some(near) => format!("did you mean {near}?"),
        None if known.is_empty() => "leave it out".to_owned(),
        None => format!("keys here: {}", known.join(", ")),
    };
    let text = if gate { format!("no gate has a key {key}; a gate with one would hold nothing") } else { format!("there is no key {key} here") };
    source.finding(at, code, text, hint)
}

/// The known word that is at most two letters away, if there is one.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = |a: &str| distance(a, word);
    known.iter().copied().filter(|near| far(near) <= 2.min(word.chars().count() / 2)).min_by_key(|near| far(near))
}

/// Letters to change, add or take out to make one word the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, one) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (place, other) in b.iter().enumerate() {
            let cost = diagonal + usize::from(one != *other);
            diagonal = row[place + 1];
            row[place + 1] = cost.min(row[place] + 1).min(row[place + 1] + 1);
        }
    }
    row[b.len()]
}

/// Takes a part out. An element of a list is emptied instead, so that those behind it stay where they are, unless the list is to go.
fn take_out(value: &mut Value, pointer: &str, list_too: bool) {
    let Some((parent, raw)) = pointer.rsplit_once('/') else {
        *value = Value::Object(Map::new());
        return;
    };
    let key = raw.replace("~1", "/").replace("~0", "~");
    match value.pointer_mut(parent) {
        Some(Value::Object(map)) => drop(map.remove(&key)),
        Some(Value::Array(_)) if list_too => take_out(value, parent, true),
        Some(Value::Array(items)) => {
            if let Some(item) = key.parse::<usize>().ok().and_then(|place| items.get_mut(place)) {
                *item = Value::Object(Map::new());
            }
        }
        _ => *value = Value::Object(Map::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let source = crate::source::read(text).unwrap();
        shape(&source).1.iter().map(|finding| format!("{finding}\n")).collect()
    }

    #[test]
    fn every_fault_of_form_is_told_at_its_place_and_hides_no_other() {
        let text = "workflow: x\nprioritty: 3\nsteps:\n  - id: a\n    instructions: 7\n    gate: {require_aproval: true, min_children: many}\n  - 12\n  - id: b\n    timeout: soon\n    wites: [files]\n";
        insta::assert_snapshot!(told(text));
    }

    #[test]
    fn a_word_far_from_all_known_ones_lists_them() {
        assert!(told("workflow: x\nzebra: 1\n").contains("keys here: workflow, schema"));
        assert_eq!(nearest("gaet", &["gate", "agent"]), Some("gate"));
        assert_eq!(nearest("x", &["id", "by"]), None);
    }

    #[test]
    fn a_document_that_is_no_map_is_one_finding() {
        assert_eq!(told("- a\n- b\n").lines().count(), 1);
    }
}

//! One line of a log file: canonical JSON (RFC 8785), its id the hash of everything else. Version 1 is read for ever.
//!
//! Invariant: [`decode`] is total (any bytes give a line or a [`Reason`]), and [`encode`] of what it read gives the same text
//! whenever the text was canonical.

use contracts::{Actor, EventId, Stamp, Writer, limits};
use engine::{Event, Kind};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt;

/// The format of a line.
pub const VERSION: i64 = 1;

/// An event as it stands in a file: its body may be a reference to a blob.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The event; its body as on the line.
    pub event: Event,
    /// The body's canonical text.
    pub body: String,
}

/// Why a line can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// No JSON, or not UTF-8.
    NotJson,
    /// JSON, but no object.
    NotObject,
    /// A member is missing.
    MissingKey,
    /// A member is not what it must be, or none we know.
    BadValue,
    /// The hash is another.
    IdMismatch,
    /// Over 64 KiB.
    TooLong,
    /// Of a newer version.
    NewerFormat,
    /// A server refused it.
    Refused,
    /// The end of a file that was being written.
    Torn,
}

impl Reason {
    /// The word in `quarantine/`.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::NotJson => "not_json",
            Reason::NotObject => "not_object",
            Reason::MissingKey => "missing_key",
            Reason::BadValue => "bad_value",
            Reason::IdMismatch => "id_mismatch",
            Reason::TooLong => "too_long",
            Reason::NewerFormat => "newer_format",
            Reason::Refused => "refused",
            Reason::Torn => "torn",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A body that lies in a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobRef {
    /// 64 hexadecimal digits.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
}

/// The canonical text of a body.
pub fn canonical(body: &Map<String, Value>) -> String {
    // A map of text keys and JSON values always has a canonical form.
    serde_json_canonicalizer::to_string(body).unwrap_or_else(|_| "{}".to_owned())
}

/// The SHA-256 of some bytes in hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]).map(char::from).collect()
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The line's text. `id` is left out for the hash.
fn text(event: &Event, body: &str, with_id: bool) -> String {
    let mut line = String::with_capacity(body.len() + 320);
    line.push_str("{\"actor\":\"");
    line.push_str(event.actor.as_str());
    line.push_str("\",\"at\":\"");
    line.push_str(&event.at.to_string());
    line.push_str("\",\"body\":");
    line.push_str(body);
    if with_id {
        line.push_str(",\"id\":\"");
        line.push_str(event.id.as_str());
        line.push('"');
    }
    line.push_str(",\"kind\":");
    line.push_str(&quoted(event.kind.as_str()));
    line.push_str(",\"n\":");
    line.push_str(&event.n.to_string());
    line.push_str(",\"prev\":\"");
    line.push_str(event.prev.as_str());
    line.push_str("\",\"principal\":");
    line.push_str(&quoted(&event.principal));
    line.push_str(",\"subject\":");
    line.push_str(&quoted(&event.subject));
    line.push_str(",\"v\":1,\"writer\":\"");
    line.push_str(event.writer.as_str());
    line.push_str("\"}");
    line
}

/// The id an event has with this body text.
pub fn id_of(event: &Event, body: &str) -> EventId {
    let digest = Sha256::digest(text(event, body, false).as_bytes());
    let mut bits = [0; 16];
    bits.copy_from_slice(&digest[..16]);
    EventId::from_bits(u128::from_be_bytes(bits))
}

/// The text of a line, without its newline. The event's id must be set.
pub fn encode(line: &Line) -> String {
    text(&line.event, &line.body, true)
}

/// Reads one line (without its newline). Total on any bytes.
pub fn decode(bytes: &[u8]) -> Result<Line, Reason> {
    if bytes.len() > limits::LOG_LINE_BYTES_MAX {
        return Err(Reason::TooLong);
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|_| Reason::NotJson)?;
    let Value::Object(mut members) = value else { return Err(Reason::NotObject) };
    match members.remove("v").ok_or(Reason::MissingKey)?.as_i64() {
        Some(VERSION) => {}
        Some(version) if version > VERSION => return Err(Reason::NewerFormat),
        _ => return Err(Reason::BadValue),
    }
    let mut take = |key: &str| match members.remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(Reason::BadValue),
        None => Err(Reason::MissingKey),
    };
    let id = EventId::parse(&take("id")?).map_err(|_| Reason::BadValue)?;
    let writer = Writer::parse(&take("writer")?).map_err(|_| Reason::BadValue)?;
    let prev = EventId::parse(&take("prev")?).map_err(|_| Reason::BadValue)?;
    let at = Stamp::parse(&take("at")?).ok_or(Reason::BadValue)?;
    let actor = Actor::parse(&take("actor")?).map_err(|_| Reason::BadValue)?;
    let (principal, kind, subject) = (take("principal")?, take("kind")?, take("subject")?);
    let n = members.remove("n").ok_or(Reason::MissingKey)?.as_i64().filter(|n| *n >= 1).ok_or(Reason::BadValue)?;
    let Value::Object(body) = members.remove("body").ok_or(Reason::MissingKey)? else { return Err(Reason::BadValue) };
    if !members.is_empty() || !is_word(&kind, 80) || !is_word(&subject, 80) || !is_principal(&principal) {
        return Err(Reason::BadValue);
    }
    let kind = Kind::of(&kind);
    let body_text = canonical(&body);
    // A number that the canonical text writes another way is read as everybody will read it from there.
    let body = if body.values().any(has_odd_number) { serde_json::from_str(&body_text).map_err(|_| Reason::BadValue)? } else { body };
    let event = Event { id, writer, n, prev, at, actor, principal, kind, subject, body };
    if id_of(&event, &body_text) != event.id {
        return Err(Reason::IdMismatch);
    }
    Ok(Line { event, body: body_text })
}

fn is_word(text: &str, bytes_max: usize) -> bool {
    (1..=bytes_max).contains(&text.len()) && !text.chars().any(char::is_control)
}

/// Whether a line may hold this principal: one that could not be read back is never written.
pub fn is_principal(text: &str) -> bool {
    is_word(text, limits::PRINCIPAL_BYTES_MAX)
}

fn has_odd_number(value: &Value) -> bool {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) => number.as_i64().is_none_or(|number| number.unsigned_abs() > EXACT),
        Value::Array(items) => items.iter().any(has_odd_number),
        Value::Object(members) => members.values().any(has_odd_number),
        _ => false,
    }
}

/// The blob a body refers to, if it does nothing else.
pub fn blob_ref(body: &Map<String, Value>) -> Option<BlobRef> {
    let (sha256, size) = (body.get("blob")?.as_str()?, body.get("size")?.as_u64()?);
    let digits = sha256.len() == 64 && sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    (body.len() == 2 && digits).then(|| BlobRef { sha256: sha256.to_owned(), size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const SAMPLE: &str = r#"{"actor":"dev:ana","at":"2026-11-29T11:37:08.123Z#0000","body":{"title":"Café: refresh token table","type":"feature"},"id":"56c0fa47da4a3e69872c031a3dcfe1d3","kind":"task.created","n":1,"prev":"00000000000000000000000000000000","principal":"local:ana","subject":"tk-4f2a9c","v":1,"writer":"9c1e07ab"}"#;

    #[test]
    fn the_sample_of_the_specification_is_reproduced_byte_for_byte() {
        let line = decode(SAMPLE.as_bytes()).unwrap();
        assert_eq!(encode(&line), SAMPLE);
        assert_eq!(id_of(&line.event, &line.body).as_str(), "56c0fa47da4a3e69872c031a3dcfe1d3");
        assert_eq!(line.event.text("title"), "Café: refresh token table");
    }

    #[test]
    fn each_fault_has_its_reason() {
        let with = |key: &str, value: Value| {
            let mut members: Map<String, Value> = serde_json::from_str(SAMPLE).unwrap();
            members.insert(key.to_owned(), value);
            decode(Value::Object(members).to_string().as_bytes()).unwrap_err()
        };
        let without = |key: &str| {
            let mut members: Map<String, Value> = serde_json::from_str(SAMPLE).unwrap();
            members.remove(key);
            decode(Value::Object(members).to_string().as_bytes()).unwrap_err()
        };
        assert_eq!(decode(b"").unwrap_err(), Reason::NotJson);
        assert_eq!(decode(b"\xff\xfe").unwrap_err(), Reason::NotJson);
        assert_eq!(decode(&SAMPLE.as_bytes()[..100]).unwrap_err(), Reason::NotJson);
        assert_eq!(decode(b"[1]").unwrap_err(), Reason::NotObject);
        for key in ["v", "id", "writer", "n", "prev", "at", "actor", "principal", "kind", "subject", "body"] {
            assert_eq!(without(key), Reason::MissingKey, "{key}");
        }
        for (key, value) in [
            ("v", json!(0)),
            ("v", json!("1")),
            ("n", json!(0)),
            ("n", json!(1.5)),
            ("actor", json!("robot:x")),
            ("at", json!("2026-11-29T11:37:08Z#0000")),
            ("body", json!([])),
            ("kind", json!("")),
            ("more", json!(1)),
        ] {
            assert_eq!(with(key, value.clone()), Reason::BadValue, "{key} {value}");
        }
        assert_eq!(with("v", json!(2)), Reason::NewerFormat);
        assert_eq!(with("subject", json!("tk-4f2a9d")), Reason::IdMismatch);
        assert_eq!(with("body", json!({"title": "x".repeat(70_000)})), Reason::TooLong);
        let deep = format!("{}1{}", "[".repeat(30_000), "]".repeat(30_000));
        assert_eq!(decode(deep.as_bytes()).unwrap_err(), Reason::NotJson);
    }

    #[test]
    fn a_body_is_a_reference_only_when_it_is_nothing_else() {
        let body = |value: Value| value.as_object().cloned().unwrap();
        let sha = "a".repeat(64);
        assert_eq!(blob_ref(&body(json!({"blob": sha, "size": 5}))).unwrap().size, 5);
        assert!(blob_ref(&body(json!({"blob": sha, "size": 5, "more": 1}))).is_none());
        assert!(blob_ref(&body(json!({"blob": "../../etc/passwd", "size": 5}))).is_none());
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn any_changed_byte_of_a_line_is_seen(place in 0..SAMPLE.len(), byte in any::<u8>()) {
            let mut bytes = SAMPLE.as_bytes().to_vec();
            let changed = bytes[place] != byte;
            bytes[place] = byte;
            match decode(&bytes) {
                Ok(line) => prop_assert!(!changed || encode(&line).as_bytes() != bytes, "{}", String::from_utf8_lossy(&bytes)),
                Err(_) => prop_assert!(changed),
            }
        }

        #[test]
        fn what_was_written_reads_back(body in prop::collection::btree_map(".*", json_value(), 0..6), principal in "[^\\p{C}]{1,80}") {
            let mut event = decode(SAMPLE.as_bytes()).unwrap().event;
            event.body = body.into_iter().collect();
            event.principal = principal;
            let body = canonical(&event.body);
            event.id = id_of(&event, &body);
            let text = encode(&Line { event: event.clone(), body: body.clone() });
            let read = decode(text.as_bytes()).unwrap();
            prop_assert_eq!(encode(&read), text);
            prop_assert_eq!(read.body, body);
            prop_assert_eq!(read.event.id, event.id);
        }
    }
}

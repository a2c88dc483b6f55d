//! One line of the old log, and whether its id is the hash it claims to be.

use super::python;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use storage::encoding::Reason;

/// What every line has.
pub const KEYS: [&str; 6] = ["actor", "body", "id", "kind", "task", "ts"];

/// A line in either form.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name: 16 or 32 hexadecimal digits.
    pub id: String,
    /// What it is about.
    pub task: String,
    /// Who.
    pub actor: String,
    /// What happened.
    pub kind: String,
    /// Particulars.
    pub body: Map<String, Value>,
    /// When, seconds since 1970.
    pub ts: f64,
    /// Whether its hash matches.
    pub verified: bool,
}

impl Line {
    /// Reads one.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(raw: &[u8]) -> Result<Line, Reason> {
        let text = std::str::from_utf8(raw).map_err(|_| Reason::NotJson)?;
        let value: Value = serde_json::from_str(text).map_err(|_| Reason::NotJson)?;
        let Value::Object(members) = value else { return Err(Reason::NotObject) };
        if KEYS.iter().any(|key| !members.contains_key(*key)) {
            return Err(Reason::MissingKey);
        }
        let word = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_owned).ok_or(Reason::BadValue);
        let (id, task, actor, kind) = (word("id")?, word("task")?, word("actor")?, word("kind")?);
        let Some(Value::Object(body)) = members.get("body").cloned() else { return Err(Reason::BadValue) };
        let ts = match &members["ts"] {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        let ts = ts.filter(|ts: &f64| ts.is_finite() && (0.0..1e11).contains(ts)).ok_or(Reason::BadValue)?;
        let hex = id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !hex || !matches!(id.len(), 16 | 32) {
            return Err(Reason::BadValue);
        }
        let mut line = Line { id, task, actor, kind, body, ts, verified: false };
        line.verified = line.is_what_it_says(text);
        Ok(line)
    }

    /// `short` or `long`.
    pub fn format(&self) -> &'static str {
        if self.id.len() == 16 { "short" } else { "long" }
    }

    /// Hashes what the writer hashed: the body as it stands on the line, or, when the line was written anew since, as it would stand.
    fn is_what_it_says(&self, text: &str) -> bool {
        let short = self.id.len() == 16;
        let stands = member(text, "body").map(|raw| if short { python::escaped(raw) } else { raw.to_owned() });
        let would = python::canonical(&Value::Object(self.body.clone()), short);
        let ts = if short { format!("\"{:.6}\"", self.ts) } else { python::float_of((self.ts * 1e6).round() / 1e6) };
        let [actor, kind, task] = [&self.actor, &self.kind, &self.task].map(|word| python::quoted(word, short));
        stands.into_iter().chain([would]).any(|body| {
            let hashed = format!(r#"{{"actor":{actor},"body":{body},"kind":{kind},"task":{task},"ts":{ts}}}"#);
            let hash: String = Sha256::digest(hashed).iter().map(|byte| format!("{byte:02x}")).collect();
            hash.starts_with(&self.id)
        })
    }
}

/// The text of a member of an object, as it stands; none when it can't be told. Numbers lose nothing this way.
fn member<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let bytes = text.as_bytes();
    let wanted = format!("\"{key}\"");
    let (mut depth, mut at) = (0_usize, 0);
    let mut begin = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at)?;
                let is_key = depth == 1 && begin.is_none() && text.get(at..end)? == wanted;
                at = end;
                if is_key {
                    let colon = at + bytes[at..].iter().position(|byte| !byte.is_ascii_whitespace())?;
                    if bytes[colon] == b':' {
                        begin = Some(colon + 1);
                    }
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0
                    && let Some(begin) = begin
                {
                    return text.get(begin..at).map(str::trim);
                }
            }
            b',' if depth == 1 => {
                if let Some(begin) = begin {
                    return text.get(begin..at).map(str::trim);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Behind the closing quote of the string that opens here.
fn string_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_what_stands_there() {
        let text = r#"{"a": "body", "body" : {"body":[1,{"x":"}\""}], "n":1.50}, "z":"#.to_owned() + "2}";
        assert_eq!(member(&text, "body"), Some(r#"{"body":[1,{"x":"}\""}], "n":1.50}"#));
        assert_eq!(member(&text, "z"), Some("2"));
        assert_eq!((member(&text, "x"), member("{\"body", "body"), member("", "body")), (None, None, None));
    }

    #[test]
    fn a_line_cut_anywhere_is_no_line() {
        let text = r#"{"actor":"dev:ä","body":{"x":"\\\"é"},"id":"00000000000000000000000000000000","kind":"k","task":"t","ts":1.5}"#;
        assert!(Line::parse(text.as_bytes()).is_ok_and(|line| !line.verified));
        for cut in 0..text.len() {
            assert_eq!(Line::parse(&text.as_bytes()[..cut]), Err(Reason::NotJson));
            let _ = text.get(..cut).and_then(|text| member(text, "body"));
        }
    }

    #[test]
    fn what_is_no_line_says_why() {
        let id = "0".repeat(32);
        for (text, reason) in [
            ("{".to_owned(), Reason::NotJson),
            ("[]".to_owned(), Reason::NotObject),
            ("{}".to_owned(), Reason::MissingKey),
            (format!(r#"{{"actor":1,"body":{{}},"id":"{id}","kind":"k","task":"t","ts":1}}"#), Reason::BadValue),
            (format!(r#"{{"actor":"a","body":[],"id":"{id}","kind":"k","task":"t","ts":1}}"#), Reason::BadValue),
            (format!(r#"{{"actor":"a","body":{{}},"id":"{id}","kind":"k","task":"t","ts":1e300}}"#), Reason::BadValue),
            (r#"{"actor":"a","body":{},"id":"xyz","kind":"k","task":"t","ts":1}"#.to_owned(), Reason::BadValue),
        ] {
            assert_eq!(Line::parse(text.as_bytes()), Err(reason), "{text}");
        }
    }
}

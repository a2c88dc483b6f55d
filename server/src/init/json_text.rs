//! Finding, adding and removing one member in the text of a JSON object, leaving every other byte where it is.
//!
//! The text was read as JSON by a real parser before; here it is only walked, and anything unexpected gives `None`.

use std::ops::Range;

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name, escapes undone.
    pub key: String,
    /// From the name's first quote to the value's end.
    pub whole: Range<usize>,
    /// The value alone.
    pub value: Range<usize>,
}

/// An object: its braces, and what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// From `{` to behind `}`.
    pub whole: Range<usize>,
    /// In order.
    pub members: Vec<Member>,
}

impl Object {
    /// The object that begins at or after `from`.
    pub fn at(text: &str, from: usize) -> Option<Object> {
        let start = blanks(text, from);
        let mut at = start;
        if *text.as_bytes().get(at)? != b'{' {
            return None;
        }
        at = blanks(text, at + 1);
        let mut members = Vec::new();
        while *text.as_bytes().get(at)? != b'}' {
            let name = string(text, at)?;
            let key: String = serde_json::from_str(text.get(name.clone())?).ok()?;
            at = blanks(text, name.end);
            if *text.as_bytes().get(at)? != b':' {
                return None;
            }
            let value = value(text, blanks(text, at + 1))?;
            members.push(Member { key, whole: name.start..value.end, value: value.clone() });
            at = blanks(text, value.end);
            match text.as_bytes().get(at)? {
                b',' => at = blanks(text, at + 1),
                b'}' => {}
                _ => return None,
            }
        }
        Some(Object { whole: start..at + 1, members })
    }

    /// The member of this name; of several the last, as readers take it.
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.key == key)
    }

    /// The text with one more member at the end of this object. `lines` is the member, its inner lines indented by two spaces a level.
    pub fn with(&self, text: &str, lines: &[String]) -> String {
        let style = Style::of(text, self);
        let written = style.written(lines);
        match self.members.last() {
            Some(last) => format!("{},{}{written}{}", &text[..last.whole.end], style.between, &text[last.whole.end..]),
            None => {
                let close = self.whole.end - 1;
                let closing = if style.one_line { String::new() } else { format!("{}{}", style.newline, style.outer) };
                let opening = if style.one_line { String::new() } else { format!("{}{}", style.newline, style.inner) };
                format!("{}{opening}{written}{closing}{}", &text[..=self.whole.start], &text[close..])
            }
        }
    }

    /// The text without this member of the object.
    pub fn without(&self, text: &str, member: &Member) -> String {
        let place = self.members.iter().position(|other| other == member).unwrap_or(0);
        let cut = match (place.checked_sub(1).and_then(|before| self.members.get(before)), self.members.get(place + 1)) {
            (Some(before), _) => before.whole.end..member.whole.end,
            (None, Some(next)) => member.whole.start..next.whole.start,
            (None, None) => self.whole.start + 1..self.whole.end - 1,
        };
        format!("{}{}", &text[..cut.start], &text[cut.end..])
    }
}

/// An array: its brackets, and what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// From `[` to behind `]`.
    pub whole: Range<usize>,
    /// In order.
    pub elements: Vec<Range<usize>>,
}

impl Array {
    /// The array that begins at or after `from`.
    pub fn at(text: &str, from: usize) -> Option<Array> {
        let start = blanks(text, from);
        if *text.as_bytes().get(start)? != b'[' {
            return None;
        }
        let mut at = blanks(text, start + 1);
        let mut elements = Vec::new();
        while *text.as_bytes().get(at)? != b']' {
            let element = value(text, at)?;
            at = blanks(text, element.end);
            elements.push(element);
            match text.as_bytes().get(at)? {
                b',' => at = blanks(text, at + 1),
                b']' => {}
                _ => return None,
            }
        }
        Some(Array { whole: start..at + 1, elements })
    }

    /// The text with one more element at the end of this array.
    pub fn with(&self, text: &str, element: &str) -> String {
        match self.elements.last() {
            Some(last) => format!("{}, {element}{}", &text[..last.end], &text[last.end..]),
            None => format!("{}{element}{}", &text[..=self.whole.start], &text[self.whole.start + 1..]),
        }
    }

    /// The text without one element of this array.
    pub fn without(&self, text: &str, place: usize) -> Option<String> {
        let element = self.elements.get(place)?;
        let cut = match (place.checked_sub(1).and_then(|before| self.elements.get(before)), self.elements.get(place + 1)) {
            (Some(before), _) => before.end..element.end,
            (None, Some(next)) => element.start..next.start,
            (None, None) => element.clone(),
        };
        Some(format!("{}{}", &text[..cut.start], &text[cut.end..]))
    }
}

/// How an object is laid out.
struct Style {
    newline: &'static str,
    /// Whether its members stand on one line.
    one_line: bool,
    /// What stands before a member.
    inner: String,
    /// What stands before its closing brace.
    outer: String,
    /// One level of indentation.
    unit: String,
    /// Between a comma and the next member.
    between: String,
}

impl Style {
    fn of(text: &str, object: &Object) -> Style {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let outer = indentation(text, object.whole.start);
        let first = object.members.first().map(|member| &text[object.whole.start + 1..member.whole.start]);
        let unit = unit(text);
        match first {
            Some(before) if !before.contains('\n') => {
                let between = if text[object.whole.clone()].contains(", ") || text[object.whole.clone()].contains(": ") { " " } else { "" };
                Style { newline, one_line: true, inner: String::new(), outer, unit, between: between.to_owned() }
            }
            Some(before) => {
                let inner = before.rsplit('\n').next().unwrap_or_default().to_owned();
                let between = format!("{newline}{inner}");
                Style { newline, one_line: false, inner, outer, unit, between }
            }
            None => {
                let inner = format!("{outer}{unit}");
                Style { newline, one_line: false, between: String::new(), inner, outer, unit }
            }
        }
    }

    fn written(&self, lines: &[String]) -> String {
        if self.one_line {
            let joined = lines.iter().map(|line| line.trim_start()).collect::<Vec<_>>().join(" ");
            return joined.replace("{ ", "{").replace(" }", "}");
        }
        let indented = lines.iter().map(|line| {
            let body = line.trim_start_matches("  ");
            let levels = (line.len() - line.trim_start().len()) / 2;
            format!("{}{}", self.unit.repeat(levels), body.trim_start())
        });
        indented.collect::<Vec<_>>().join(&format!("{}{}", self.newline, self.inner))
    }
}

/// The blanks at the beginning of the line on which `at` stands.
fn indentation(text: &str, at: usize) -> String {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|character| matches!(character, ' ' | '\t')).collect()
}

/// One level: what the first indented line has, else two spaces.
fn unit(text: &str) -> String {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
    indented.map_or("  ".to_owned(), |line| line.chars().take_while(|character| matches!(character, ' ' | '\t')).collect())
}

fn blanks(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// The string that begins here, quotes included.
fn string(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if *bytes.get(from)? != b'"' {
        return None;
    }
    let mut at = from + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(from..at + 1),
            _ => at += 1,
        }
    }
}

/// The value that begins here.
fn value(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    match *bytes.get(from)? {
        b'"' => string(text, from),
        b'{' | b'[' => {
            let (mut depth, mut at) = (0_usize, from);
            loop {
                match *bytes.get(at)? {
                    b'"' => at = string(text, at)?.end,
                    byte => {
                        at += 1;
                        match byte {
                            b'{' | b'[' => depth += 1,
                            b'}' | b']' => depth -= 1,
                            _ => {}
                        }
                        if depth == 0 {
                            return Some(from..at);
                        }
                    }
                }
            }
        }
        _ => {
            let length = bytes[from..].iter().take_while(|byte| !matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')).count();
            (length > 0).then_some(from..from + length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<String> {
        ["\"us\": {", "  \"a\": 1", "}"].map(str::to_owned).to_vec()
    }

    fn added(text: &str) -> String {
        Object::at(text, 0).unwrap().with(text, &lines())
    }

    #[test]
    fn a_member_is_laid_out_like_its_neighbours() {
        assert_eq!(added("{\n  \"x\": [1]\n}\n"), "{\n  \"x\": [1],\n  \"us\": {\n    \"a\": 1\n  }\n}\n");
        assert_eq!(added("{\n\t\"x\": {}\n}"), "{\n\t\"x\": {},\n\t\"us\": {\n\t\t\"a\": 1\n\t}\n}");
        assert_eq!(added("{\"x\":1}"), "{\"x\":1,\"us\": {\"a\": 1}}");
        assert_eq!(added("{\"x\": 1}\r\n"), "{\"x\": 1, \"us\": {\"a\": 1}}\r\n");
        assert_eq!(added("{\r\n    \"x\": 1\r\n}"), "{\r\n    \"x\": 1,\r\n    \"us\": {\r\n        \"a\": 1\r\n    }\r\n}");
        assert_eq!(added("{}"), "{\n  \"us\": {\n    \"a\": 1\n  }\n}");
    }

    #[test]
    fn what_was_added_is_taken_out_byte_for_byte() {
        for text in ["{\n  \"x\": [1]\n}\n", "{\n\t\"x\": \"}\\\"{\"\n}", "{\"x\":1}", "{ \"x\" : 1 , \"y\":{\"z\":[{}]} }", "{\r\n    \"x\": 1\r\n}", "{}"] {
            let with = added(text);
            serde_json::from_str::<serde_json::Value>(&with).unwrap();
            let object = Object::at(&with, 0).unwrap();
            assert_eq!(object.without(&with, object.member("us").unwrap()), text);
        }
    }

    #[test]
    fn a_first_member_takes_its_comma_with_it() {
        let text = "{\"us\": 1, \"x\": 2}";
        let object = Object::at(text, 0).unwrap();
        assert_eq!(object.without(text, &object.members[0]), "{\"x\": 2}");
    }

    #[test]
    fn the_last_of_two_members_with_one_name_counts_and_names_are_unescaped() {
        let text = r#"{"\u0061": 1, "a": {"b": "\\\""}}"#;
        let object = Object::at(text, 0).unwrap();
        assert_eq!((object.members.len(), &text[object.member("a").unwrap().value.clone()]), (2, r#"{"b": "\\\""}"#));
        for broken in ["", "[1]", "{", "{\"a\"", "{\"a\": ", "{\"a\": 1", "{\"a\" 1}", "{\"a\": \"\\"] {
            assert_eq!(Object::at(broken, 0), None, "{broken}");
        }
    }
}

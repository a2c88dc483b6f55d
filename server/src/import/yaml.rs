//! The part of YAML that front matter is written in: scalars, quoted texts, folded and literal blocks, and flat lists.
//!
//! Invariant: anything else is an error that names its line. A value is never guessed.

use std::collections::BTreeMap;

/// A value of front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Yaml {
    /// A text, number or word, as it is written.
    Text(String),
    /// A list of them.
    List(Vec<String>),
}

impl Yaml {
    /// The text; a list has none.
    pub fn text(&self) -> &str {
        match self {
            Yaml::Text(text) => text,
            Yaml::List(_) => "",
        }
    }

    /// The items; a text is a list of one.
    pub fn list(&self) -> Vec<String> {
        match self {
            Yaml::Text(text) if text.is_empty() => Vec::new(),
            Yaml::Text(text) => vec![text.clone()],
            Yaml::List(items) => items.clone(),
        }
    }
}

/// Members by their keys, and the text behind them.
pub type FrontMatter<'a> = (BTreeMap<String, Yaml>, &'a str);

/// Takes `---` front matter off a text; gives its members and the rest. None when there is no front matter.
///
/// # Errors
/// The number of the line that can't be read.
pub fn front_matter(text: &str) -> Option<Result<FrontMatter<'_>, u64>> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text).strip_prefix("---")?;
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'))?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(members(&rest[..end]).map(|members| (members, &rest[end + line.len()..])));
        }
        end += line.len();
    }
    None
}

fn members(text: &str) -> Result<BTreeMap<String, Yaml>, u64> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = BTreeMap::new();
    let mut at = 0;
    while at < lines.len() {
        let number = at as u64 + 2; // behind the line of dashes
        let line = lines[at];
        at += 1;
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(':').filter(|(key, _)| is_key(key)).ok_or(number)?;
        let inner: Vec<&str> = lines[at..].iter().take_while(|line| line.is_empty() || line.starts_with([' ', '-'])).copied().collect();
        at += inner.len();
        let value = value.trim();
        let read = match value {
            "" => block_list(&inner).ok_or(number)?,
            ">" | ">-" | ">+" => Yaml::Text(folded(&inner)),
            "|" | "|-" | "|+" => Yaml::Text(inner.iter().map(|line| line.trim_start()).collect::<Vec<_>>().join("\n").trim_end().to_owned()),
            value if value.starts_with('[') => {
                let whole = std::iter::once(value).chain(inner.iter().map(|line| line.trim())).collect::<Vec<_>>().join(" ");
                flow_list(&whole).ok_or(number)?
            }
            value if inner.iter().all(|line| line.trim().is_empty()) => Yaml::Text(scalar(value).ok_or(number)?),
            value => {
                let whole = std::iter::once(value).chain(inner.iter().map(|line| line.trim())).collect::<Vec<_>>().join(" ");
                Yaml::Text(scalar(&whole).ok_or(number)?)
            }
        };
        found.insert(key.trim().to_owned(), read);
    }
    Ok(found)
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn block_list(lines: &[&str]) -> Option<Yaml> {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return Some(Yaml::Text(String::new()));
    }
    let item = |line: &&str| line.strip_prefix('-').and_then(|item| scalar(item.trim()));
    lines.iter().map(item).collect::<Option<Vec<_>>>().map(Yaml::List)
}

fn folded(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines.iter().map(|line| line.trim()) {
        if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.trim_end().to_owned()
}

fn flow_list(text: &str) -> Option<Yaml> {
    let inner = text.strip_prefix('[')?.trim_end().strip_suffix(']')?;
    let (mut items, mut item, mut quote) = (Vec::new(), String::new(), None);
    for character in inner.chars() {
        match (quote, character) {
            (None, ',') => items.push(std::mem::take(&mut item)),
            (None, '\'' | '"') if item.trim().is_empty() => {
                quote = Some(character);
                item.push(character);
            }
            (Some(open), character) if open == character => {
                quote = None;
                item.push(character);
            }
            (_, character) => item.push(character),
        }
    }
    items.push(item);
    if quote.is_some() {
        return None;
    }
    items.iter().map(|item| item.trim()).filter(|item| !item.is_empty()).map(scalar).collect::<Option<Vec<_>>>().map(Yaml::List)
}

/// A scalar; none when it begins something that is none.
fn scalar(text: &str) -> Option<String> {
    if let Some(rest) = text.strip_prefix('\'') {
        let inner = rest.strip_suffix('\'')?;
        return Some(inner.replace("''", "'"));
    }
    if text.starts_with('"') {
        // JSON's strings are YAML's, but for a few escapes that nobody writes here.
        return serde_json::from_str(text).ok();
    }
    if text.starts_with(['{', '[', '&', '*', '!', '|', '>', '%']) {
        return None;
    }
    let text = text.split(" #").next().unwrap_or(text).trim();
    Some(if matches!(text, "null" | "~") { String::new() } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> BTreeMap<String, Yaml> {
        front_matter(text).unwrap().unwrap().0
    }

    #[test]
    fn the_forms_of_front_matter_are_read() {
        let text = "---\nid: task-12\ntitle: 'It''s: a title'\nstatus: \"To Do\"  \nassignee: ['@ada', \"@bo, jr\"]\nlabels:\n  - a\n  - 'b c'\nempty: []\nnone:\nlong: >-\n  one\n  two\n\n  three\nordinal: 1000 # why\n---\n\nBody\n";
        let found = read(text);
        let list = |key: &str| found[key].list();
        assert_eq!((found["id"].text(), found["title"].text(), found["status"].text()), ("task-12", "It's: a title", "To Do"));
        assert_eq!((list("assignee"), list("labels")), (vec!["@ada".to_owned(), "@bo, jr".to_owned()], vec!["a".to_owned(), "b c".to_owned()]));
        assert!(list("empty").is_empty() && list("none").is_empty());
        assert_eq!((found["long"].text(), found["ordinal"].text()), ("one two\nthree", "1000"));
        assert_eq!(front_matter(text).unwrap().unwrap().1, "\nBody\n");
    }

    #[test]
    fn a_text_cut_anywhere_is_read_or_named() {
        let text = "---\nid: 'tä''sk'\nlist: ['a', \"b\", c]\nlong: >-\n  é\nblock:\n  - \"x\"\n---\nrest";
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let _ = front_matter(&text[..cut]);
            let _ = front_matter(&format!("{}\n---\n", &text[..cut]));
        }
    }

    #[test]
    fn what_is_another_form_is_named_by_its_line() {
        for (text, line) in [
            ("---\na: 1\nb: {x: 1}\n---\n", 3),
            ("---\nno key\n---\n", 2),
            ("---\na:\n  x: 1\n---\n", 2),
            ("---\na: 'open\n---\n", 2),
            ("---\na: &x 1\n---\n", 2),
        ] {
            assert_eq!(front_matter(text).unwrap().unwrap_err(), line, "{text}");
        }
        assert!(front_matter("# no\n").is_none() && front_matter("---\na: 1\n").is_none() && front_matter("").is_none());
    }
}

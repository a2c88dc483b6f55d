//! Plurals, numbers and small turns of phrase, in one place so that they can be translated.

/// "1 task", "2 tasks".
pub fn count(n: i64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", grouped(n), if n == 1 { one } else { many })
}

/// A number with commas: 18,402.
pub fn grouped(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if n < 0 { format!("−{text}") } else { text }
}

/// "a", "a and b", "a, b and c".
pub fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Lines added and deleted.
pub fn lines(added: u32, deleted: u32) -> String {
    format!("+{} −{}", grouped(added.into()), grouped(deleted.into()))
}

/// The first letter in upper case.
pub fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Text for a query string.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Text as HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// The text of the document's title. On the server the renderer writes it between the tags as it is; in a browser it is set as text.
pub fn in_title(text: &str) -> String {
    if cfg!(feature = "ssr") { escaped(text) } else { text.to_owned() }
}

/// The inside of rendered markdown that is one paragraph, for a place that holds one line; none when it is more.
pub fn one_paragraph(html: &str) -> Option<&str> {
    let inside = html.trim().strip_prefix("<p>")?.strip_suffix("</p>")?;
    (!inside.contains("<p>")).then_some(inside)
}

/// What stands between `<textarea>` and its end tag. The renderer writes such text as it is, so it is escaped here; a leading line end
/// would be dropped by the parser and is doubled.
pub fn in_textarea(text: &str) -> String {
    if text.starts_with('\n') { format!("\n{}", escaped(text)) } else { escaped(text) }
}

/// Which of the six tints belongs to a name: one for a person and their agents, one for a milestone.
pub fn hue(name: &str) -> u32 {
    name.bytes().fold(7u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % 6 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_counted() {
        assert_eq!((grouped(0), grouped(999), grouped(18_402), grouped(-1_234_567)), ("0".into(), "999".into(), "18,402".into(), "−1,234,567".into()));
        assert_eq!((count(1, "task", "tasks"), count(1_000, "task", "tasks")), ("1\u{a0}task".into(), "1,000\u{a0}tasks".into()));
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }

    #[test]
    fn a_query_is_encoded_byte_by_byte() {
        assert_eq!(encoded("a b&é=#"), "a%20b%26%C3%A9%3D%23");
    }

    #[test]
    fn one_paragraph_is_a_line_and_more_is_not() {
        assert_eq!(one_paragraph("<p>zstd <code>3</code> or 9?</p>\n"), Some("zstd <code>3</code> or 9?"));
        assert_eq!(one_paragraph("<p>one</p>\n<p>two</p>\n"), None);
        assert_eq!(one_paragraph("<p>one</p>\n<ul>\n<li>x</li>\n</ul>\n"), None);
        assert_eq!(one_paragraph("<h3>one</h3>"), None);
    }

    #[test]
    fn a_name_keeps_its_tint() {
        assert_eq!(hue("ana"), hue("ana"));
        assert!((1..=6).contains(&hue("")));
    }
}

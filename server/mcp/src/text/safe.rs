//! Text from the board, made harmless to show: controls and bidi overrides are spelled out, others' words are quoted.

use contracts::text::is_bidi_control;
use std::borrow::Cow;

/// Spells out control characters and bidi overrides; tabs and newlines stay.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let bad = |character: char| (character.is_control() && !matches!(character, '\n' | '\t')) || is_bidi_control(character);
    if !text.contains(bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if bad(character) { out.extend(character.escape_unicode()) } else { out.push(character) }
    }
    Cow::Owned(out)
}

/// One line: clean, with newlines and tabs as spaces, cut to `bytes`.
pub(crate) fn line(text: &str, bytes: usize) -> String {
    let flat = text.split(['\n', '\t', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    cut(&clean(&flat), bytes).0
}

/// The first `bytes` of a text at a boundary of characters, with what was left out said; and whether something was.
pub(crate) fn cut(text: &str, bytes: usize) -> (String, bool) {
    if text.len() <= bytes {
        return (text.to_owned(), false);
    }
    let (kept, rest) = text.split_at(text.floor_char_boundary(bytes));
    (format!("{}… (+{} characters)", kept.trim_end(), rest.chars().count()), true)
}

/// What somebody wrote, as a quotation: clean, cut to `bytes`, every line marked; and whether it was cut.
pub(crate) fn quote(text: &str, bytes: usize) -> (String, bool) {
    let text = clean(text.trim());
    let (text, was_cut) = cut(&text, bytes);
    (text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n"), was_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_and_controls_are_spelled_out() {
        assert_eq!(clean("a\u{202e}b\u{7}\n\tc"), "a\\u{202e}b\\u{7}\n\tc");
        assert_eq!(line("two\nlines\u{1b}[2J", 100), "two lines\\u{1b}[2J");
        assert!(matches!(clean("Café 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_cut_says_how_much_is_missing() {
        assert_eq!(cut("ééé", 3), ("é… (+2 characters)".into(), true));
        assert_eq!(quote("a\nb", 10), ("> a\n> b".into(), false));
    }
}

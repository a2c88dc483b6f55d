//! Text for a terminal: made harmless, measured, cut.
//!
//! Invariant: nothing that came from the board reaches a terminal without [`safe`]. [`super::out::Out`] applies it to every span.

pub use contracts::text::count;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Whether a character could act on the terminal or turn a line around: controls, line separators, bidi overrides and isolates.
/// The direction marks that right-to-left languages need are none of these.
fn is_harmful(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The text with harmful characters spelled out (`\u{202e}`).
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_harmful(character) { shown.extend(character.escape_unicode()) } else { shown.push(character) }
    }
    Cow::Owned(shown)
}

/// Columns the text takes once it is safe.
pub fn width(text: &str) -> usize {
    safe(text).width()
}

/// The beginning of the text that fits `columns`, safe; a cut is marked by `mark`.
pub fn cut(text: &str, columns: usize, mark: &str) -> String {
    let text = safe(text);
    if text.width() <= columns {
        return text.into_owned();
    }
    let room = columns.saturating_sub(mark.width());
    let mut kept = String::new();
    let mut taken = 0;
    for character in text.chars() {
        taken += character.width().unwrap_or(0);
        if taken > room {
            break;
        }
        kept.push(character);
    }
    // A cut inside a joined sequence (an emoji family, say) leaves no joiner behind.
    let kept = kept.trim_end_matches(['\u{200d}', ' ']);
    format!("{kept}{mark}")
}

/// The text, cut or filled up to exactly `columns`.
pub fn pad(text: &str, columns: usize, mark: &str) -> String {
    let text = cut(text, columns, mark);
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Several lines as one.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_act_on_a_terminal_is_spelled_out() {
        assert_eq!(safe("a\u{202e}b\u{1b}[2Jc\u{7}"), "a\\u{202e}b\\u{1b}[2Jc\\u{7}");
        assert_eq!(safe("line\u{2028}two\r"), "line\\u{2028}two\\u{d}");
        assert!(matches!(safe("Café 日本 שלום\u{200f} 👩‍👩‍👧"), Cow::Borrowed(_)));
    }

    #[test]
    fn columns_are_counted_not_characters() {
        assert_eq!(cut("日本語の題", 5, "…"), "日本…");
        assert_eq!(width(&pad("日本", 7, "…")), 7);
        assert_eq!(cut("short", 5, "…"), "short");
        assert_eq!(cut("a\u{1b}bc", 5, "…"), "a\\u{…");
        assert_eq!(pad("x", 3, "~"), "x  ");
    }

    #[test]
    fn a_cut_leaves_no_joiner_behind() {
        let family = "👩\u{200d}👩\u{200d}👧 and more";
        assert!(!cut(family, 4, "…").contains("\u{200d}…"));
    }
}

//! Texts that were checked: one line or markdown, within their limits, without control characters.

use crate::limits;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::fmt;

/// Whether a character may not stand in any text: controls (tab and newline are allowed in markdown only).
fn is_forbidden(character: char, multiline: bool) -> bool {
    character.is_control() && !(multiline && matches!(character, '\n' | '\t'))
}

/// Bidirectional overrides and isolates that could make a line read other than it is. They are legal in text (right-to-left
/// languages use some) and are neutralised where text is shown.
pub fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
}

/// `1 commit`, `2 commits`.
pub fn count(number: i64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A span of time in words: `45 s`, `12 min`, `2 h`, `3 d`.
pub fn span(seconds: i64) -> String {
    match seconds.max(0) {
        s if s < 90 => format!("{s} s"),
        s if s < 90 * 60 => format!("{} min", s / 60),
        s if s < 48 * 3_600 => format!("{} h", s / 3_600),
        s => format!("{} d", s / 86_400),
    }
}

/// Checks one line of text: trimmed, 1..=`chars_max` characters, no control characters.
pub fn one_line(raw: &str, what: &str, chars_max: usize) -> Result<String, String> {
    let text = raw.trim();
    let chars = text.chars().count();
    if chars == 0 {
        return Err(format!("{what} is empty"));
    }
    if chars > chars_max {
        return Err(format!("{what} has {chars} characters, the limit is {chars_max}"));
    }
    if let Some(bad) = text.chars().find(|character| is_forbidden(*character, false)) {
        return Err(format!("{what} is one line without control characters, it holds {}", bad.escape_unicode()));
    }
    Ok(text.to_owned())
}

/// Checks text of many lines: at most `bytes_max` bytes, no control characters but tab and newline; `\r\n` becomes `\n`.
pub fn many_lines(raw: &str, what: &str, bytes_max: usize) -> Result<String, String> {
    let text = raw.replace("\r\n", "\n");
    if text.len() > bytes_max {
        return Err(format!("{what} has {} bytes, the limit is {bytes_max}", text.len()));
    }
    if let Some(bad) = text.chars().find(|character| is_forbidden(*character, true)) {
        return Err(format!("{what} may hold tabs and newlines but no control characters, it holds {}", bad.escape_unicode()));
    }
    Ok(text)
}

macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent, inline))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks `raw`; the error says what is wrong and the limit.
            pub fn parse(raw: &str) -> Result<Self, String> {
                let check: fn(&str) -> Result<String, String> = $check;
                check(raw).map(Self)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// The text, given away.
            pub fn into_string(self) -> String {
                self.0
            }

            /// Whether nothing but spaces stands in it.
            pub fn is_blank(&self) -> bool {
                self.0.trim().is_empty()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = String::deserialize(deserializer)?;
                Self::parse(&raw).map_err(D::Error::custom)
            }
        }
    };
}

text_type!(
    /// A task's title: one line of 1..=200 characters.
    Title,
    |raw| one_line(raw, "title", limits::TITLE_CHARS_MAX)
);
text_type!(
    /// A milestone's title: one line of 1..=120 characters.
    MilestoneTitle,
    |raw| one_line(raw, "title", limits::MILESTONE_TITLE_CHARS_MAX)
);
text_type!(
    /// A spec: markdown of at most 64 KiB.
    Markdown,
    |raw| many_lines(raw, "spec", limits::SPEC_BYTES_MAX)
);
text_type!(
    /// A milestone's goal: markdown of at most 8 KiB.
    Goal,
    |raw| many_lines(raw, "goal", limits::GOAL_BYTES_MAX)
);
text_type!(
    /// A comment, message, note or reason: markdown of at most 16 KiB.
    Note,
    |raw| many_lines(raw, "text", limits::NOTE_BYTES_MAX)
);
text_type!(
    /// The text of a criterion or rule: one line of 1..=500 characters.
    CriterionText,
    |raw| one_line(raw, "criterion", limits::CRITERION_CHARS_MAX)
);
text_type!(
    /// The note on a criterion: at most 2,000 characters.
    CriterionNote,
    |raw| {
        let text = many_lines(raw, "criterion note", limits::CRITERION_NOTE_CHARS_MAX * 4)?;
        let chars = text.chars().count();
        if chars > limits::CRITERION_NOTE_CHARS_MAX {
            return Err(format!("criterion note has {chars} characters, the limit is {}", limits::CRITERION_NOTE_CHARS_MAX));
        }
        Ok(text)
    }
);
text_type!(
    /// A label: `[a-z0-9][a-z0-9._/-]{0,39}`.
    Label,
    |raw| slug(raw, "label", "._/-", "[a-z0-9][a-z0-9._/-]{0,39}")
);
text_type!(
    /// An area of the product or a task type: `[a-z0-9][a-z0-9-]{0,39}`.
    Slug,
    |raw| slug(raw, "slug", "-", "[a-z0-9][a-z0-9-]{0,39}")
);
text_type!(
    /// A file pattern relative to the repository root: a path, a tree (`a/b/`) or a glob.
    FilePattern,
    |raw| {
        let text = one_line(raw, "file pattern", limits::FILE_PATTERN_CHARS_MAX)?;
        if text.starts_with('/') || text.contains('\\') || text.split('/').any(|part| part == ".." || part == ".") {
            return Err(format!("file pattern {text} must be relative to the repository root, with / between parts and no . or .. part"));
        }
        if text.trim_end_matches('/').split('/').any(str::is_empty) {
            return Err(format!("file pattern {text} has an empty part"));
        }
        Ok(text)
    }
);

fn slug(raw: &str, what: &str, extra: &str, form: &str) -> Result<String, String> {
    let plain = |character: char| character.is_ascii_lowercase() || character.is_ascii_digit();
    let good = (1..=limits::SLUG_CHARS_MAX).contains(&raw.len())
        && raw.starts_with(plain)
        && raw.chars().all(|character| plain(character) || extra.contains(character));
    if good { Ok(raw.to_owned()) } else { Err(format!("{what} must match {form}, not {raw:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_line_within_the_limit() {
        assert_eq!(Title::parse("  Fix it  ").unwrap().as_str(), "Fix it");
        assert!(Title::parse("x".repeat(200).as_str()).is_ok());
        for bad in ["", "   ", "two\nlines", "nul\0", "bell\u{7}", "\u{85}x\u{85}y"] {
            assert!(Title::parse(bad).is_err(), "{bad:?}");
        }
        assert!(Title::parse(&"x".repeat(201)).is_err());
    }

    #[test]
    fn patterns_stay_inside_the_repository() {
        for good in ["a", "a/b.rs", "src/", "src/**/*.rs", "with space/é.md"] {
            assert!(FilePattern::parse(good).is_ok(), "{good}");
        }
        for bad in ["/etc/passwd", "../up", "a/../b", "a\\b", "a//b", "./a", ""] {
            assert!(FilePattern::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn labels_and_slugs_are_strict() {
        assert!(Label::parse("area/api.v2").is_ok());
        for bad in ["", "Upper", "-x", "a b", "é"] {
            assert!(Label::parse(bad).is_err(), "{bad}");
        }
        assert!(Slug::parse(&"a".repeat(41)).is_err());
    }
}

//! Words of a report: moments in the project's zone, spans, sizes, and text from outside that stays text.

use super::window::{date_of, stamp};
use crate::task::Commit;
use contracts::text::is_bidi_control;
use contracts::{Moment, limits};
use jiff::tz::{AmbiguousOffset, TimeZone};

/// The time of day, with the offset where the clock shows it twice that day.
pub fn time(moment: Moment, zone: &TimeZone) -> String {
    let local = zone.to_datetime(stamp(moment));
    let clock = format!("{:02}:{:02}", local.hour(), local.minute());
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Fold { .. } => format!("{clock} ({})", zone.to_offset(stamp(moment))),
        _ => clock,
    }
}

/// Day and time of day.
pub fn moment(moment: Moment, zone: &TimeZone) -> String {
    format!("{} {}", date_of(moment, zone), time(moment, zone))
}

/// A span: `40 s`, `55 min`, `3 h 12 min`, `2 d 4 h`.
pub fn span(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    let (minutes, hours) = (seconds / 60, seconds / 3_600);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{minutes} min"),
        3_600..172_800 => with_rest(hours, "h", minutes % 60, "min"),
        _ => with_rest(hours / 24, "d", hours % 24, "h"),
    }
}

fn with_rest(whole: i64, unit: &str, rest: i64, rest_unit: &str) -> String {
    if rest == 0 { format!("{whole} {unit}") } else { format!("{whole} {unit} {rest} {rest_unit}") }
}

/// Lines added and taken away.
pub fn size(added: i64, deleted: i64) -> String {
    format!("+{added} −{deleted}")
}

/// `1 entry`, `2 entries`.
pub fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

/// A commit's size and the files it touches, the first few of them unless all are wanted.
pub fn files(commit: &Commit, all: bool) -> String {
    let shown = if all { commit.files.len() } else { limits::REPORT_FILES_MAX };
    let names: Vec<String> = commit.files.iter().take(shown).map(|file| clean(&file.0)).collect();
    let more = commit.files.len() - names.len() + commit.files_dropped as usize;
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    format!("({}) {}{more}", size(commit.added.into(), commit.deleted.into()), names.join(", "))
}

/// Text from outside on one line: no control character, no sign that turns the direction of writing.
pub fn clean(text: &str) -> String {
    let plain: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).filter(|character| !is_bidi_control(*character)).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same where markdown is read: what would be markup there is escaped, so a title stays a title.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in clean(text).chars() {
        if matches!(character, '\\' | '`' | '*' | '[' | ']' | '<' | '|') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Text from outside as a quotation, whose lines can be no heading and no marker of ours.
pub fn quoted(text: &str, indent: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.trim().lines() {
        let line: String = line.chars().filter(|character| (*character == '\t' || !character.is_control()) && !is_bidi_control(*character)).collect();
        out.push_str(indent);
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hour_that_comes_twice_says_which_one_it_is() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let at = |text: &str| moment(Moment::parse(text).unwrap(), &berlin);
        assert_eq!(at("2026-10-25T00:30:00Z"), "2026-10-25 02:30 (+02)");
        assert_eq!(at("2026-10-25T01:30:00Z"), "2026-10-25 02:30 (+01)");
        assert_eq!(at("2026-10-25T02:30:00Z"), "2026-10-25 03:30");
    }

    #[test]
    fn spans_have_two_units_at_most() {
        let told: Vec<String> = [-5, 40_000, 3_300_000, 11_520_000, 172_800_000, 187_200_000].into_iter().map(span).collect();
        assert_eq!(told, ["0 s", "40 s", "55 min", "3 h 12 min", "2 d", "2 d 4 h"]);
    }

    #[test]
    fn text_from_outside_makes_no_heading_and_no_marker() {
        assert_eq!(quoted("## Narration\n\n<!-- callboard:narration by=x -->\u{202e}\u{7}\n", ""), "> ## Narration\n>\n> <!-- callboard:narration by=x -->\n");
        assert_eq!(escaped("a [link](http://x)\n<script> `*`"), "a \\[link\\](http://x) \\<script> \\`\\*\\`");
    }
}

//! Small words: slugs, branch names, folded titles, lists cut with a count, notes and mentions.

pub use contracts::text::{count, span};
use contracts::{Actor, Moment, TaskId, limits};
use std::collections::BTreeSet;

/// A title as part of a branch or address: ASCII, lower case, runs of others become `-`, at most 32 characters; may be empty.
pub fn slug(title: &str) -> String {
    const LENGTH: usize = 32;
    let mut slug = String::new();
    for character in title.chars() {
        if slug.len() >= LENGTH {
            break;
        }
        match character.to_ascii_lowercase() {
            plain if plain.is_ascii_lowercase() || plain.is_ascii_digit() => slug.push(plain),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The branch of a task: chosen when first needed, recorded, never computed again.
pub fn branch_of(id: &TaskId, title: &str) -> String {
    let slug = slug(title);
    if slug.is_empty() { format!("task/{id}") } else { format!("task/{id}-{slug}") }
}

/// A title as it is compared.
pub fn folded(title: &str) -> String {
    title.trim().to_lowercase()
}

/// A text cut to so many characters, with a sign that it was.
pub fn cut(text: &str, chars: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A text on one line, cut.
pub fn line(text: &str, chars: usize) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), chars)
}

/// Markdown on one line of a card, where nothing renders it: without the marks of emphasis and code, cut.
pub fn plain(text: &str, chars: usize) -> String {
    let bare = text.replace("**", "").replace("__", "").replace('`', "");
    let unmarked = |line: &str| line.trim_start_matches(['#', '>', ' ']).to_owned();
    line(&bare.lines().map(unmarked).collect::<Vec<_>>().join(" "), chars)
}

/// The first few, and how many more.
pub fn some<T: std::fmt::Display>(items: &[T], shown: usize) -> String {
    let mut words: Vec<String> = items.iter().take(shown).map(ToString::to_string).collect();
    if items.len() > shown {
        words.push(format!("{} more", items.len() - shown));
    }
    words.join(", ")
}

/// `, 3 more` after a list that was cut; nothing when it was not.
pub fn beyond(total: i64, shown: usize) -> String {
    let more = total.saturating_sub(i64::try_from(shown).unwrap_or(i64::MAX));
    if more > 0 { format!(", {more} more") } else { String::new() }
}

/// How long until a moment, or since: `for 12 min more`, `late by 2 min`. Readers have zones of their own, so a span is told and not an instant.
pub fn left(moment: Moment, now: Moment) -> String {
    let left = moment.seconds_since(now);
    if left >= 0 { format!("for {} more", span(left)) } else { format!("late by {}", span(-left)) }
}

/// How long ago: `12 min ago`.
pub fn ago(moment: Moment, now: Moment) -> String {
    match now.seconds_since(moment) {
        past if past < 60 => "just now".to_owned(),
        past => format!("{} ago", span(past)),
    }
}

/// Characters of a note that are not spaces.
pub fn substance(note: &str) -> usize {
    note.chars().filter(|character| !character.is_whitespace()).count()
}

/// One `@name` in a text, and whom it can mean, the likeliest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention<'a> {
    /// As written, without the `@`.
    pub name: &'a str,
    /// Never empty.
    pub readings: Vec<Actor>,
}

/// Every `@name` in a text that can mean an actor, in order, each once: in full (`@agent:ana/w1`), or short as everything shows it: `@ana` a
/// person, `@ana/w1` an agent, `@w1` an agent of the same person as `speaker`. Who of them is known here, storage says.
pub fn mentioned<'a>(text: &'a str, speaker: &Actor) -> Vec<Mention<'a>> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (place, _) in text.match_indices('@') {
        if text[..place].chars().next_back().is_some_and(|before| before.is_alphanumeric()) {
            continue;
        }
        let rest = &text[place + 1..];
        let end = rest.find(|character: char| !(character.is_ascii_lowercase() || character.is_ascii_digit() || ":/._-".contains(character)));
        // A sentence may end right after the name.
        let name = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ':', '/', '-', '_']);
        let readings = readings(name, speaker);
        if !readings.is_empty() && seen.insert(name) {
            found.push(Mention { name, readings });
        }
    }
    found.truncate(limits::MENTIONS_MAX * 5);
    found
}

fn readings(name: &str, speaker: &Actor) -> Vec<Actor> {
    let written = if name.contains(':') {
        vec![name.to_owned()]
    } else if name.contains('/') {
        vec![format!("agent:{name}")]
    } else {
        let own = speaker.dev().map(|dev| format!("agent:{dev}/{name}"));
        std::iter::once(format!("dev:{name}")).chain(own).collect()
    };
    written.iter().filter_map(|text| Actor::parse(text).ok()).filter(|actor| actor.is_dev() || actor.is_agent()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_actors_in_running_text_in_full_or_short() {
        let speaker = Actor::dev_named("ana");
        let names = |text: &str| {
            let said = |mention: Mention| mention.readings.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
            mentioned(text, &speaker).into_iter().map(said).collect::<Vec<_>>()
        };
        assert_eq!(names("ask @agent:bo/w_1, then @dev:ana. Not a@dev:bo or @system:demo; again @dev:ana"), ["agent:bo/w_1", "dev:ana"]);
        assert_eq!(names("(@dev:ana) @agent:bo @Ana"), ["dev:ana"]);
        assert_eq!(names("@bo/w1, @main: and mail@bo.org"), ["agent:bo/w1", "dev:main|agent:ana/main"]);
        assert_eq!(mentioned("@main", &Actor::agent_named("bo", "w1"))[0].readings[1].as_str(), "agent:bo/main");
    }

    #[test]
    fn cards_show_no_marks_of_markdown() {
        assert_eq!(plain("## Why\n\n> as **often** as `they` like\n", 80), "Why as often as they like");
    }

    #[test]
    fn branches_have_short_plain_names() {
        let id = TaskId::from_bits(0x4f2a9c);
        assert_eq!(branch_of(&id, "Café: refresh token table, and a very long tail"), "task/tk-4f2a9c-caf-refresh-token-table-and-a-ve");
        assert_eq!(branch_of(&id, "日本"), "task/tk-4f2a9c");
    }
}

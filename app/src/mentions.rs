//! Who a text is for: the `@actor`s in it.

use contracts::view::ActorRow;
use contracts::{Actor, ActorKind, Moment};

/// Every `@dev:…` and `@agent:…` of a text, and every `@name` that is the short name of somebody known, each once.
pub fn mentioned(text: &str, known: &[Actor]) -> Vec<Actor> {
    let mut found: Vec<Actor> = Vec::new();
    for (start, _) in text.match_indices('@') {
        if text[..start].chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let name: String = text[start + 1..].chars().take_while(|character| character.is_ascii_alphanumeric() || ":/._-".contains(*character)).collect();
        let name = name.trim_end_matches(['.', ':', '/', '-', '_']);
        let actor = Actor::parse(name).ok().or_else(|| known.iter().find(|actor| actor.short() == name).cloned());
        if let Some(actor) = actor.filter(|actor| !found.contains(actor)) {
            found.push(actor);
        }
    }
    found
}

/// The text with every short `@name` of somebody known written out, as the board understands it.
pub fn written_out(text: &str, known: &[Actor]) -> String {
    let mut known: Vec<&Actor> = known.iter().collect();
    known.sort_by_key(|actor| std::cmp::Reverse(actor.short().len()));
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('@') {
        let (before, after) = (&rest[..start], &rest[start + 1..]);
        out.push_str(before);
        out.push('@');
        let begins = !out[..out.len() - 1].chars().next_back().is_some_and(char::is_alphanumeric);
        let ends = |name: &str| !after[name.len()..].chars().next().is_some_and(|next| next.is_ascii_alphanumeric() || "/:_-".contains(next));
        match known.iter().find(|actor| begins && after.starts_with(actor.short()) && ends(actor.short())) {
            Some(actor) => {
                out.push_str(actor.as_str());
                rest = &after[actor.short().len()..];
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

/// The unfinished `@…` at the end of what stands before the caret: what completion looks for.
pub fn unfinished(before_caret: &str) -> Option<&str> {
    let start = before_caret.rfind('@')?;
    let part = &before_caret[start + 1..];
    let begins = !before_caret[..start].chars().next_back().is_some_and(char::is_alphanumeric);
    (begins && part.chars().all(|character| character.is_ascii_alphanumeric() || ":/._-".contains(character))).then_some(part)
}

/// How long after somebody was seen they still count as present, seconds.
const PRESENT_SECONDS: i64 = 300;
/// Names offered at once.
const OFFERED: usize = 6;

/// Whether somebody seen at a moment is still there.
pub fn is_present(seen: Moment, now: Moment) -> bool {
    now.seconds_since(seen) < PRESENT_SECONDS
}

/// Who may be meant by the beginning of a name: whoever is on the card first, then those present, then the rest, the last seen first;
/// among equals a name that begins so before one that only holds it.
pub fn candidates(part: &str, known: &[ActorRow], me: &Actor, holder: Option<&Actor>, now: Moment) -> Vec<Actor> {
    let part = part.to_lowercase();
    let fits = |row: &&ActorRow| row.actor != *me && row.actor.kind() != ActorKind::System && row.actor.as_str().contains(&part);
    let mut found: Vec<&ActorRow> = known.iter().filter(fits).collect();
    found.sort_by_key(|row| {
        let absent = row.holds.is_empty() && row.seen_at.is_none_or(|seen| !is_present(seen, now));
        let inside = !row.actor.short().starts_with(&part) && !row.actor.name().starts_with(&part);
        (holder != Some(&row.actor), absent, inside, std::cmp::Reverse(row.seen_at), row.actor.clone())
    });
    let names: Vec<Actor> = found.into_iter().take(OFFERED).map(|row| row.actor.clone()).collect();
    // A name that is written out already needs no list.
    if names.len() == 1 && names[0].short() == part { Vec::new() } else { names }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actors(names: &[&str]) -> Vec<Actor> {
        names.iter().map(|name| Actor::parse(name).unwrap()).collect()
    }

    #[test]
    fn names_are_found_long_and_short_and_once() {
        let known = actors(&["dev:mei", "agent:ana/w2", "agent:ana/w"]);
        let text = "@ana/w2 please, cc @dev:bo. and @mei, @mei; not mail@mei.org or @nobody";
        assert_eq!(mentioned(text, &known), actors(&["agent:ana/w2", "dev:bo", "dev:mei"]));
        assert_eq!(written_out(text, &known), "@agent:ana/w2 please, cc @dev:bo. and @dev:mei, @dev:mei; not mail@mei.org or @nobody");
        assert_eq!(mentioned("@", &known), Vec::new());
    }

    #[test]
    fn who_is_here_is_offered_first() {
        let now = Moment(10_000_000);
        let row = |name: &str, minutes: i64| ActorRow {
            actor: Actor::parse(name).unwrap(),
            seen_at: Some(now.plus_seconds(-minutes * 60)),
            surface: String::new(),
            client: String::new(),
            holds: Vec::new(),
        };
        let known = [row("agent:ana/old", 90), row("dev:mei", 60), row("agent:ana/w1", 3), row("agent:bo/w1", 1), row("dev:ana", 0), row("system:demo", 0)];
        let me = Actor::parse("dev:ana").unwrap();
        let names = |part: &str, holder: Option<&str>| {
            let holder = holder.map(|name| Actor::parse(name).unwrap());
            candidates(part, &known, &me, holder.as_ref(), now).iter().map(|actor| actor.short().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("", None), "bo/w1 ana/w1 mei ana/old");
        assert_eq!(names("", Some("agent:ana/old")), "ana/old bo/w1 ana/w1 mei");
        assert_eq!(names("w1", None), "bo/w1 ana/w1");
        assert_eq!(names("AN", None), "ana/w1 ana/old");
        assert_eq!((names("mei", None), names("nobody", None)), (String::new(), String::new()));
    }

    #[test]
    fn completion_sees_only_what_is_being_typed() {
        assert_eq!(unfinished("hello @an"), Some("an"));
        assert_eq!(unfinished("hello @"), Some(""));
        assert_eq!(unfinished("hello @ana there"), None);
        assert_eq!(unfinished("mail@an"), None);
    }
}

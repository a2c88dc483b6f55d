//! Who a text is for: the `@actor`s in it.

use contracts::Actor;

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
    fn completion_sees_only_what_is_being_typed() {
        assert_eq!(unfinished("hello @an"), Some("an"));
        assert_eq!(unfinished("hello @"), Some(""));
        assert_eq!(unfinished("hello @ana there"), None);
        assert_eq!(unfinished("mail@an"), None);
    }
}

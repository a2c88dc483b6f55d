//! Colours for lines of code, on the server alone: each token as a `<span>` whose class says what it is. Text that no grammar knows stays
//! text, and nothing that was written becomes markup.

use crate::words::escaped;
use std::sync::LazyLock;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

/// Longest line that is coloured, bytes; a longer one was made by a machine.
const LINE_BYTES: usize = 1_000;

/// Every grammar. Read when the first line of code is shown, not when the server starts.
static GRAMMARS: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The few kinds that are told apart, most telling first: a scope of the grammars and the class of its tokens.
static KINDS: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    [
        ("comment", "c"),
        ("string", "s"),
        ("constant", "n"),
        ("entity.name.function", "f"),
        ("support.function", "f"),
        ("entity.name", "t"),
        ("support", "t"),
        ("storage", "k"),
        ("keyword.operator", ""),
        ("keyword", "k"),
        ("variable.language", "k"),
    ]
    .into_iter()
    .filter_map(|(scope, class)| Some((Scope::new(scope).ok()?, class)))
    .collect()
});

/// Colours one file's lines, in their order.
pub struct Colours(Option<(ParseState, ScopeStack)>);

impl Colours {
    /// For the language a path names; none when no grammar is known for it.
    pub fn of(path: &str) -> Colours {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or(name, |(_, ending)| ending);
        let grammar = GRAMMARS.find_syntax_by_extension(name).or_else(|| GRAMMARS.find_syntax_by_extension(ending));
        Colours(grammar.map(|grammar| (ParseState::new(grammar), ScopeStack::new())))
    }

    /// The next line, as HTML.
    pub fn line(&mut self, text: &str) -> String {
        let Some((state, stack)) = self.0.as_mut().filter(|_| text.len() <= LINE_BYTES) else { return escaped(text) };
        let whole = format!("{text}\n");
        let Ok(changes) = state.parse_line(&whole, &GRAMMARS) else {
            self.0 = None;
            return escaped(text);
        };
        let mut html = String::with_capacity(text.len() * 2);
        let mut from = 0;
        for (at, change) in changes {
            let at = at.min(text.len());
            push(&mut html, text.get(from..at).unwrap_or_default(), stack);
            from = at;
            if stack.apply(&change).is_err() {
                break;
            }
        }
        push(&mut html, text.get(from..).unwrap_or_default(), stack);
        html
    }
}

fn push(html: &mut String, text: &str, stack: &ScopeStack) {
    if text.is_empty() {
        return;
    }
    let class = stack.as_slice().iter().rev().find_map(|scope| KINDS.iter().find(|(kind, _)| kind.is_prefix_of(*scope)).map(|(_, class)| *class));
    match class {
        Some(class) if !class.is_empty() && !text.trim().is_empty() => html.push_str(&format!("<span class=\"{class}\">{}</span>", escaped(text))),
        _ => html.push_str(&escaped(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<String> {
        let mut colours = Colours::of(path);
        text.lines().map(|line| colours.line(line)).collect()
    }

    #[test]
    fn tokens_are_told_apart_and_state_goes_on_over_lines() {
        let html = lines("src/a.rs", "fn main() { // why\n/* one\ntwo */ let a = \"x < y\";").join("\n");
        for part in ["<span class=\"k\">fn</span>", "<span class=\"f\">main</span>", "why</span>", "<span class=\"c\">two ", "x &lt; y"] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(lines("Cargo.toml", "[package]\nname = \"x\"").join("").contains("class=\"s\""));
        assert!(lines("a.ts", "const a: number = 1").join("").contains("class=\"k\""));
    }

    #[test]
    fn what_no_grammar_knows_is_text() {
        assert_eq!(lines("a.no-such-ending", "<b>fn</b>"), ["&lt;b&gt;fn&lt;/b&gt;"]);
        assert_eq!(lines("a.rs", &"<".repeat(2_000)), ["&lt;".repeat(2_000)]);
    }

    #[test]
    fn no_line_becomes_markup() {
        for path in ["a.rs", "a.html", "a.js", "a.md", "Makefile"] {
            let html = lines(path, "<script>alert(1)</script><img src=x onerror=\"a\">\"'`").join("");
            assert!(!html.contains("<script") && !html.contains("<img"), "{path}: {html}");
        }
    }
}

//! What people type into a field: the same grammar, where bare words are looked for and what stands side by side must all hold.
//! `replay overdue type = bug` is `text contains replay and overdue and type = bug`.

use crate::fault::Fault;
use crate::field::Field;
use crate::lex::lex;
use crate::parse::Parser;
use crate::print::word;
use crate::tree::{Filter, Leaf, Node, Op, Value};

/// Reads what was typed; nothing typed is no filter.
///
/// # Errors
/// Every fault of the text, in order.
pub fn typed(text: &str) -> Result<Option<Filter>, Vec<Fault>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (tokens, faults) = lex(text);
    Parser::new(text, tokens, faults, true).filter().map(Some)
}

impl Filter {
    /// The filter as a person would type it: [`typed`] reads it back, and words that are looked for stand bare.
    pub fn as_typed(&self) -> String {
        let mut text = String::new();
        let mut bare_before = true;
        for (place, part) in self.parts().iter().enumerate() {
            let bare = bare(part);
            if place > 0 {
                text.push_str(if bare_before && bare.is_some() { " " } else { " and " });
            }
            bare_before = bare.is_some();
            let wrapped = bare.is_none() && matches!(part, Node::Any(_)) && self.parts().len() > 1;
            text.push_str(&bare.unwrap_or_else(|| if wrapped { format!("({part})") } else { part.to_string() }));
        }
        text
    }
}

/// The word that is looked for, if that is all a part asks and the word alone says so.
fn bare(part: &Node) -> Option<String> {
    let Node::Leaf(Leaf { field: Field::Text, op: Op::Contains, values }) = part else { return None };
    let [Value::Text(text)] = values.as_slice() else { return None };
    let typed_word = word(text);
    // A word that is also a field's name or a comparison is read so only where nothing stands beside it.
    let plain =
        typed_word.starts_with('"') || (Field::named(&text.to_lowercase()).is_none() && !text.contains(':') && !OPS.contains(&text.to_lowercase().as_str()));
    plain.then_some(typed_word)
}

/// Words that begin a comparison.
const OPS: [&str; 8] = ["in", "is", "has", "contains", "starts", "ends", "between", "within"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_typed_back_with_its_words_bare() {
        for text in ["wal replay and type = bug", "\"two words\" overdue", "(type = bug or overdue) and wal", "text contains title and wal"] {
            let filter = typed(text).unwrap().unwrap();
            assert_eq!(typed(&filter.as_typed()).unwrap().unwrap(), filter, "{text}: {}", filter.as_typed());
        }
        assert_eq!(typed("wal replay type = bug").unwrap().unwrap().as_typed(), "wal replay and type = bug");
    }

    #[test]
    fn words_are_looked_for_and_comparisons_compare() {
        for (text, filter) in [
            ("wal replay", "text contains wal and text contains replay"),
            ("\"wal replay\" overdue", "text contains \"wal replay\" and overdue"),
            ("replay type = bug", "text contains replay and type = bug"),
            ("title of a page", "text contains title and text contains of and text contains a and text contains page"),
            ("review in storage", "text contains review and text contains in and text contains storage"),
            ("café or thé", "text contains café or text contains thé"),
            ("not done", "not text contains done"),
            ("tk-4f2a9c agent:ana/w1", "text contains tk-4f2a9c and text contains agent:ana/w1"),
        ] {
            assert_eq!(typed(text).unwrap().unwrap().to_string(), filter, "{text}");
        }
        assert_eq!(typed(" \t").unwrap(), None);
    }

    #[test]
    fn what_looks_like_a_comparison_of_another_tool_is_put_right() {
        let hint = |text: &str| typed(text).unwrap_err()[0].hint.clone();
        assert_eq!(hint("type:bug"), "write type = bug, or quote it to look for it");
        assert_eq!(hint("label:ui"), "write labels has any [ui], or quote it to look for it");
        assert_eq!(hint("label = ui"), "did you mean labels?");
    }
}

//! `{{ task.title }}` in a text: what a run knows, put in when the text is handed out.
//!
//! One pass: what is put in is data and is never read again, whatever it holds. No arithmetic, no code.

use serde_json::Value;

/// One reference, and how its value is shaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// With its root: `steps.red-test.output.path`.
    pub name: String,
    /// In order.
    pub shapes: Vec<Shape>,
}

/// How a value is shaped before it is put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// This text when there is no value.
    Default(String),
    /// The first so many characters.
    Limit(usize),
    /// In capitals.
    Upper,
    /// In small letters.
    Lower,
    /// As JSON.
    Json,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Reference(Reference),
}

/// What a name may begin with.
pub const ROOTS: [&str; 8] = ["task", "vars", "run", "steps", "lanes", "loop", "stores", "const"];

/// The references of a text.
///
/// # Errors
/// The first that can't be read, in words.
pub fn references(text: &str) -> Result<Vec<Reference>, String> {
    let pieces = pieces(text)?;
    Ok(pieces.into_iter().filter_map(|piece| if let Piece::Reference(reference) = piece { Some(reference) } else { None }).collect())
}

/// The text with every reference put in, and the names that had no value. A text that can't be read stays as it is: it was checked when it
/// was saved.
pub fn render(text: &str, value: &dyn Fn(&str) -> Option<Value>) -> (String, Vec<String>) {
    let Ok(pieces) = pieces(text) else { return (text.to_owned(), Vec::new()) };
    let (mut whole, mut empty) = (String::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(text) => whole.push_str(&text),
            Piece::Reference(reference) => {
                let found = value(&reference.name).filter(|value| !value.is_null());
                let has_default = reference.shapes.iter().any(|shape| matches!(shape, Shape::Default(_)));
                if found.is_none() && !has_default {
                    empty.push(reference.name.clone());
                }
                whole.push_str(&shaped(found, &reference.shapes));
            }
        }
    }
    (whole, empty)
}

fn shaped(value: Option<Value>, shapes: &[Shape]) -> String {
    let mut text = match &value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    for shape in shapes {
        text = match shape {
            Shape::Default(other) if value.is_none() => other.clone(),
            Shape::Default(_) => text,
            Shape::Limit(most) => text.chars().take(*most).collect(),
            Shape::Upper => text.to_uppercase(),
            Shape::Lower => text.to_lowercase(),
            Shape::Json => value.as_ref().map_or_else(|| Value::String(text.clone()).to_string(), Value::to_string),
        };
    }
    text
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (inside, after) =
            behind.split_once("}}").ok_or_else(|| format!("{{{{ is not closed behind {:?}", before.chars().rev().take(20).collect::<String>()))?;
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(Piece::Reference(reference(inside)?));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

fn reference(inside: &str) -> Result<Reference, String> {
    let mut parts = inside.split('|').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let legal = |character: char| character.is_alphanumeric() || "-_./".contains(character);
    if name.is_empty() || !name.chars().all(legal) {
        return Err(format!("{{{{ {} }}}} is no reference", inside.trim()));
    }
    let shapes = parts.map(shape).collect::<Result<_, _>>()?;
    Ok(Reference { name: name.to_owned(), shapes })
}

fn shape(text: &str) -> Result<Shape, String> {
    let (word, argument) = match text.split_once('(') {
        Some((word, rest)) => (word.trim(), rest.trim_end().strip_suffix(')').map(str::trim)),
        None => (text, Some("")),
    };
    match (word, argument) {
        ("default", Some(argument)) => Ok(Shape::Default(argument.trim_matches('"').to_owned())),
        ("limit", Some(argument)) => argument.parse().map(Shape::Limit).map_err(|_| format!("limit({argument}) needs a number")),
        ("upper", Some("")) => Ok(Shape::Upper),
        ("lower", Some("")) => Ok(Shape::Lower),
        ("json", Some("")) => Ok(Shape::Json),
        _ => Err(format!("{text} is none of default(x), limit(n), upper, lower, json")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn put(text: &str) -> (String, Vec<String>) {
        render(text, &|name| match name {
            "task.title" => Some(json!("Export {{ task.secret }}")),
            "loop.index" => Some(json!(3)),
            "steps.a.output" => Some(json!({"b": 1})),
            _ => None,
        })
    }

    #[test]
    fn a_value_is_put_in_once_and_never_read_again() {
        assert_eq!(put("About {{ task.title }}, pass {{loop.index}}").0, "About Export {{ task.secret }}, pass 3");
        assert_eq!(put("{{ steps.a.output | json }}").0, r#"{"b":1}"#);
        assert_eq!(put("{{ task.title | limit(6) | upper }}").0, "EXPORT");
    }

    #[test]
    fn what_is_empty_prints_empty_and_is_told() {
        assert_eq!(put("a{{ vars.x }}b"), ("ab".to_owned(), vec!["vars.x".to_owned()]));
        assert_eq!(put("a{{ vars.x | default(none) }}b"), ("anoneb".to_owned(), Vec::new()));
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        assert!(references("{{ task.title").is_err());
        assert!(references("{{ 1 + 2 }}").is_err());
        assert!(references("{{ task.title | shout }}").unwrap_err().contains("none of default"));
        assert_eq!(references("a {{ task.id }} b {{ vars.x }}").unwrap().len(), 2);
    }
}

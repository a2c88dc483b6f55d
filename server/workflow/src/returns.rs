//! What a report must look like. A part of JSON Schema that says what people write for a step: types, properties, lists, words, bounds.
//! A keyword outside of it is refused when the workflow is checked, so that none is ever ignored.

use serde_json::{Map, Value};

/// Keywords that are known.
pub const KEYWORDS: [&str; 14] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "description",
    "title",
];

/// Types that are known.
const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// What is wrong with a schema, each with its place below it; nothing when all of it is carried out.
pub fn faults_of_schema(schema: &Value) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    look(schema, "", &mut faults);
    faults
}

fn look(schema: &Value, at: &str, faults: &mut Vec<(String, String)>) {
    let Value::Object(map) = schema else {
        if !schema.is_boolean() {
            faults.push((at.to_owned(), "a schema is a map".to_owned()));
        }
        return;
    };
    for (key, value) in map {
        let here = crate::source::step(at, key);
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.iter().for_each(|(name, schema)| look(schema, &crate::source::step(&here, name), faults)),
            ("items" | "additionalProperties", value) => look(value, &here, faults),
            ("type", Value::String(word)) if TYPES.contains(&word.as_str()) => {}
            ("type", Value::Array(words)) if words.iter().all(|word| word.as_str().is_some_and(|word| TYPES.contains(&word))) => {}
            ("required", Value::Array(names)) if names.iter().all(Value::is_string) => {}
            ("enum", Value::Array(_)) | ("const", _) => {}
            ("minimum" | "maximum", Value::Number(_)) | ("description" | "title", Value::String(_)) => {}
            ("minLength" | "maxLength" | "minItems", value) if value.is_u64() => {}
            (key, _) if KEYWORDS.contains(&key) => faults.push((here, format!("{key} is not written like this"))),
            (key, _) => faults.push((here, format!("{key} is not carried out; known: {}", KEYWORDS.join(", ")))),
        }
    }
}

/// What a value has wrong, each with its place: `/test_path: is missing`.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    compare(schema, value, "", &mut faults);
    faults
}

fn compare(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let mut wrong = |text: String| faults.push(format!("{}: {text}", if at.is_empty() { "output" } else { at }));
    let Value::Object(schema) = schema else {
        if schema == &Value::Bool(false) {
            wrong("is not wanted".to_owned());
        }
        return;
    };
    if let Some(wanted) = schema.get("type").filter(|wanted| !is_of(wanted, value)) {
        return wrong(format!("is {}, wanted {}", type_of(value), words(wanted)));
    }
    if let Some(wanted) = schema.get("const").filter(|wanted| *wanted != value) {
        wrong(format!("is not {wanted}"));
    }
    if let Some(Value::Array(legal)) = schema.get("enum")
        && !legal.contains(value)
    {
        wrong(format!("is none of {}", legal.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")));
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let size = match value {
        Value::String(text) => Some(("minLength", "maxLength", text.chars().count(), "characters")),
        Value::Array(items) => Some(("minItems", "maxItems", items.len(), "items")),
        _ => None,
    };
    if let (Some(number), "number" | "integer") = (value.as_f64(), type_of(value)) {
        if bound("minimum").is_some_and(|least| number < least) || bound("maximum").is_some_and(|most| number > most) {
            wrong(format!("{number} is out of bounds"));
        }
    } else if let Some((least, most, size, what)) = size {
        let is = |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
        if is(least).is_some_and(|least| size < least) || is(most).is_some_and(|most| size > most) {
            wrong(format!("has {size} {what}"));
        }
    }
    if let Value::Object(map) = value {
        members(schema, map, at, faults);
    }
    if let (Value::Array(items), Some(of)) = (value, schema.get("items")) {
        items.iter().enumerate().for_each(|(place, item)| compare(of, item, &format!("{at}/{place}"), faults));
    }
}

fn members(schema: &Map<String, Value>, map: &Map<String, Value>, at: &str, faults: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if map.get(name).is_none_or(Value::is_null) {
            faults.push(format!("{at}/{name}: is missing"));
        }
    }
    for (name, value) in map {
        let here = format!("{at}/{name}");
        match properties.and_then(|properties| properties.get(name)) {
            // A required one that is null was told as missing.
            Some(_) if value.is_null() => {}
            Some(of) => compare(of, value, &here, faults),
            None => {
                if let Some(of) = schema.get("additionalProperties") {
                    compare(of, value, &here, faults);
                }
            }
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_of(wanted: &Value, value: &Value) -> bool {
    let own = type_of(value);
    let is = |word: &str| word == own || (word == "number" && own == "integer");
    match wanted {
        Value::String(word) => is(word),
        Value::Array(words) => words.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn words(wanted: &Value) -> String {
    match wanted {
        Value::String(word) => word.clone(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_is_compared_place_by_place() {
        let schema = json!({"type": "object", "required": ["path", "kind"], "properties": {
            "path": {"type": "string", "minLength": 3}, "kind": {"enum": ["a", "b"]}, "n": {"type": "integer", "minimum": 0},
            "list": {"type": "array", "items": {"type": "string"}}}, "additionalProperties": false});
        assert_eq!(faults(&schema, &json!({"path": "a/b", "kind": "a", "n": 2, "list": ["x"]})), Vec::<String>::new());
        let wrong = faults(&schema, &json!({"path": "a", "n": -1, "list": ["x", 3], "more": 1}));
        assert_eq!(
            wrong,
            ["/kind: is missing", "/list/1: is integer, wanted string", "/more: is not wanted", "/n: -1 is out of bounds", "/path: has 1 characters"]
        );
        assert_eq!(faults(&schema, &json!("text")), ["output: is string, wanted object"]);
    }

    #[test]
    fn a_keyword_that_would_be_ignored_is_told() {
        assert!(faults_of_schema(&json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}})).is_empty());
        let told = faults_of_schema(&json!({"properties": {"a": {"pattern": "^x"}}, "type": "thing"}));
        assert_eq!(told.iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>(), ["/properties/a/pattern", "/type"]);
    }
}

//! Schemas of tools: made from the argument types, then stripped to what a model needs, because every byte is paid for in
//! every session.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of an argument type, with words only where `says` has some (`property` or `property.inner`).
pub(crate) fn of<T: JsonSchema>(says: &[(&str, &str)]) -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    strip(&mut schema);
    for (path, words) in says {
        describe(&mut schema, path, words);
    }
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Takes away what repeats what the shape says: marks of the dialect, titles, formats, words of shared types, null.
fn strip(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    for noise in ["$schema", "$id", "title", "format", "description", "default", "examples"] {
        object.remove(noise);
    }
    if object.get("minimum") == Some(&json!(0)) && !object.contains_key("maximum") {
        object.remove("minimum");
    }
    for group in ["anyOf", "oneOf"] {
        let Some(Value::Array(mut choices)) = object.remove(group) else { continue };
        choices.iter_mut().for_each(strip);
        choices.retain(|choice| *choice != json!({"type": "null"}));
        let words: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
        match (words, choices.as_mut_slice()) {
            (Some(words), _) => {
                object.insert("type".into(), json!("string"));
                object.insert("enum".into(), Value::Array(words));
            }
            (None, [Value::Object(only)]) => object.append(only),
            (None, _) => {
                object.insert(group.into(), Value::Array(choices));
            }
        }
    }
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    if let Some(items) = object.get_mut("items") {
        strip(items);
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(strip);
    }
}

fn describe(schema: &mut Value, path: &str, words: &str) {
    let mut at = schema;
    for part in path.split('.') {
        if at.get("items").is_some() {
            at = &mut at["items"];
        }
        at = &mut at["properties"][part];
    }
    debug_assert!(at.is_object(), "no property {path}");
    if let Value::Object(at) = at {
        at.insert("description".into(), words.into());
    }
}

/// The names of an object schema's properties.
pub(crate) fn names(schema: &Map<String, Value>) -> Vec<&str> {
    schema.get("properties").and_then(Value::as_object).map(|properties| properties.keys().map(String::as_str).collect()).unwrap_or_default()
}

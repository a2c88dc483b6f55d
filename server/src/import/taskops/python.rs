//! JSON as Python's `json.dumps` writes it: the old logs hash that text, byte for byte.

use serde_json::Value;
use std::fmt::Write;

/// Compact, keys sorted; non-ASCII escaped when `ascii`.
pub fn canonical(value: &Value, ascii: bool) -> String {
    let mut text = String::new();
    write(value, ascii, &mut text);
    text
}

fn write(value: &Value, ascii: bool, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => text.push_str(&float_of(float)),
            None => text.push_str(&number.to_string()),
        },
        Value::String(string) => text.push_str(&quoted(string, ascii)),
        Value::Array(items) => {
            text.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                write(item, ascii, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort();
            text.push('{');
            for (place, key) in keys.into_iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                text.push_str(&quoted(key, ascii));
                text.push(':');
                write(&members[key], ascii, text);
            }
            text.push('}');
        }
    }
}

/// A string with its quotes.
pub fn quoted(string: &str, ascii: bool) -> String {
    let text = Value::from(string).to_string();
    if ascii { escaped(&text) } else { text }
}

/// JSON text with every character beyond ASCII escaped. These stand only within strings.
pub fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            plain.push(character);
            continue;
        }
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            let _ = write!(plain, "\\u{unit:04x}"); // a String takes everything
        }
    }
    plain
}

/// A float as Python's `repr` writes it: the shortest digits that read back, an exponent below 1e-4 and from 1e16 on.
pub fn float_of(float: f64) -> String {
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{float}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (float, text) in [
            (1_754_550_000.0, "1754550000.0"),
            (1_754_550_000.123_456, "1754550000.123456"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (1e15, "1000000000000000.0"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(float_of(float), text);
        }
    }

    #[test]
    fn keys_are_sorted_and_text_is_escaped_where_the_short_form_wants_it() {
        let value = json!({"b": ["é", "😀", "\n\u{1f}\"\\"], "a": 1, "é": null});
        assert_eq!(canonical(&value, false), "{\"a\":1,\"b\":[\"é\",\"😀\",\"\\n\\u001f\\\"\\\\\"],\"é\":null}");
        assert_eq!(canonical(&value, true), r#"{"a":1,"b":["\u00e9","\ud83d\ude00","\n\u001f\"\\"],"\u00e9":null}"#);
    }
}

//! JSON as people and agents send it: a member that is given twice is refused, because whichever was kept, the other would be lost
//! without a word.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads a text that somebody wrote.
///
/// # Errors
/// What is wrong, with line and column; [`serde_json::Error::is_data`] when it is JSON and a name stands in it twice.
pub fn read(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Once>(text).map(|once| once.0)
}

/// A value in which no object names a member twice.
struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Once, D::Error> {
        deserializer.deserialize_any(Reader).map(Once)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Once(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Once(value))) = members.next_entry::<String, Once>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("{name:?} is given twice")));
            }
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// How deep brackets nest, without building anything.
pub fn depth(text: &[u8]) -> usize {
    let (mut now, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.iter().copied() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' if !quoted => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_everybody_reads() {
        let text = r#"{"a": [1, -2, 18446744073709551615, 1.5e-7, null, true, "\u00e9\ud83d\ude00"], "b": {"a": {}}, "": []}"#;
        assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        for bad in ["", "{", "{} {}", "[1,]", "\"\\ud800\"", "{1: 2}", "1e999"] {
            assert!(!read(bad).unwrap_err().is_data(), "{bad}");
        }
    }

    #[test]
    fn a_name_that_is_given_twice_is_refused_wherever_it_stands() {
        for (twice, name) in [(r#"{"a": 1, "a": 1}"#, "a"), (r#"[{"b": {"c": 1, "d": 2, "c": 3}}]"#, "c"), (r#"{"\u0061": 1, "a": 2}"#, "a")] {
            let fault = read(twice).unwrap_err();
            assert!(fault.is_data() && fault.to_string().starts_with(&format!("\"{name}\" is given twice at line 1")), "{fault}");
        }
    }
}

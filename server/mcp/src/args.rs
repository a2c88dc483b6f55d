//! Arguments, read strictly: an unknown name, a text where a list belongs, or an item out of form is refused with what is legal.

use crate::schema;
use contracts::command::parse_args;
use contracts::{Hint, Problem, limits};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Reads the arguments of a tool. `lists` names its list arguments, each with an example of one item.
pub(crate) fn read<T: DeserializeOwned>(tool: &str, args: Map<String, Value>, lists: &[(&str, Value)]) -> Result<T, Problem> {
    lists_are_lists(tool, &args, "", lists)?;
    let legal = || Hint::text(format!("see the arguments of {tool} in its schema"));
    parse_args(Value::Object(args)).map_err(|problem| if problem.hint == Hint::default() { problem.hint(legal()) } else { problem })
}

/// Refuses a text that stands where a list belongs, and shows the list.
pub(crate) fn lists_are_lists(tool: &str, args: &Map<String, Value>, base: &str, lists: &[(&str, Value)]) -> Result<(), Problem> {
    for (name, item) in lists {
        let Some(Value::String(raw)) = args.get(*name) else { continue };
        let right = right_form(raw, item);
        let path = format!("{base}{name}");
        let hint = if base.is_empty() { format!("{tool} {}", json!({ *name: right })) } else { json!({ *name: right }).to_string() };
        return Err(Problem::bad_request(path, format!("is a list, not a text: {}", json!({ *name: right }))).hint(Hint::text(hint)));
    }
    Ok(())
}

/// The list that a comma string meant; the example where it can't be told.
fn right_form(raw: &str, item: &Value) -> Value {
    let plain = raw.len() <= 200 && !raw.contains(['[', '{', '"', '\n']);
    if item.is_string() && plain {
        return raw.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect();
    }
    json!([item])
}

/// Faults for every name in `object` that `legal` (an object schema) does not have.
pub(crate) fn unknown_names(object: &Map<String, Value>, legal: &Map<String, Value>) -> Vec<(String, String)> {
    let names = schema::names(legal);
    let unknown = object.keys().filter(|name| !names.contains(&name.as_str()));
    unknown.map(|name| (name.clone(), format!("is not known here; legal are {}", names.join(", ")))).collect()
}

/// Refuses arguments over the limit of a body, wherever they came in.
pub(crate) fn within_body(args: &Map<String, Value>) -> Result<(), Problem> {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    let counted = serde_json::to_writer(&mut count, args);
    if counted.is_ok() && count.0 <= limits::BODY_BYTES_MAX {
        return Ok(());
    }
    let title = format!("The arguments have {} bytes, the limit is {}", count.0, limits::BODY_BYTES_MAX);
    Err(Problem::new(contracts::Code::TooLarge, title).hint(Hint::text("send less in one call: fewer tasks, or shorter texts")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Args {
        #[serde(default)]
        labels: Option<Vec<String>>,
    }

    fn fault(args: Value) -> Problem {
        let Value::Object(args) = args else { panic!() };
        read::<Args>("next", args, &[("labels", json!("api"))]).unwrap_err()
    }

    #[test]
    fn a_comma_string_is_shown_as_the_list_it_meant() {
        let problem = fault(json!({"labels": "api, db"}));
        assert_eq!(problem.title, r#"labels: is a list, not a text: {"labels":["api","db"]}"#);
        assert_eq!(problem.hint.for_mcp(), r#"next {"labels":["api","db"]}"#);
        assert!(fault(json!({"labels": "[\"api\"]"})).title.ends_with(r#"{"labels":["api"]}"#));
    }

    #[test]
    fn unknown_names_are_refused_with_the_legal_ones() {
        let problem = fault(json!({"labls": []}));
        assert!(problem.title.contains("labls") && problem.title.contains("labels"), "{problem}");
        assert!(read::<Args>("next", Map::new(), &[]).unwrap().labels.is_none());
    }

    #[test]
    fn a_body_over_the_limit_is_too_large() {
        let Value::Object(args) = json!({"comment": "x".repeat(limits::BODY_BYTES_MAX)}) else { panic!() };
        assert_eq!(within_body(&args).unwrap_err().code, contracts::Code::TooLarge);
    }
}

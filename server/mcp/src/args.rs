//! Arguments, read strictly: an unknown name, a text where a list belongs, or an item out of form is refused with what is legal.

use crate::schema;
use crate::tools::Row;
use contracts::command::parse_args;
use contracts::{Hint, Problem, limits};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Reads the arguments of a tool. `lists` names its list arguments, each with an example of one item.
pub(crate) fn read<T: DeserializeOwned>(row: &Row, args: Map<String, Value>, lists: &[(&str, Value)]) -> Result<T, Problem> {
    known_names(row, &args)?;
    if let Some((name, right)) = text_for_list(&args, lists) {
        return Err(list_fault(row, name, &right, with(&args, name, right.clone())));
    }
    parse_args(Value::Object(args))
}

/// Refuses a name that the tool does not have, and shows the call with the name that was probably meant.
pub(crate) fn known_names(row: &Row, args: &Map<String, Value>) -> Result<(), Problem> {
    let schema = (row.schema)();
    let Some((name, text)) = unknown_names(args, &schema).into_iter().next() else { return Ok(()) };
    let problem = Problem::bad_request(crate::text::safe::line(&name, NAME_BYTES_SHOWN), text);
    let meant = schema::names(&schema).into_iter().filter(|legal| !args.contains_key(*legal)).find(|legal| is_near(legal, &name));
    Err(match meant {
        Some(meant) => {
            let mut mended = args.clone();
            let value = mended.remove(&name).unwrap_or_default();
            problem.hint(the_call(row, with(&mended, meant, value)))
        }
        None => problem,
    })
}

/// The first list argument that was given as text, and the list it meant.
pub(crate) fn text_for_list<'a>(args: &Map<String, Value>, lists: &[(&'a str, Value)]) -> Option<(&'a str, Value)> {
    lists.iter().find_map(|(name, item)| match args.get(*name) {
        Some(Value::String(raw)) => Some((*name, right_form(raw, item))),
        _ => None,
    })
}

/// The refusal of a text at `path` that should be the list `right`; `mended` are the arguments that would be read.
pub(crate) fn list_fault(row: &Row, path: &str, right: &Value, mended: Map<String, Value>) -> Problem {
    Problem::bad_request(path, format!("is a list, not a text: {right}")).hint(the_call(row, mended))
}

/// The whole call with mended arguments, or an example where that would be long.
fn the_call(row: &Row, mended: Map<String, Value>) -> Hint {
    let call = format!("{} {}", row.name, Value::Object(mended));
    if call.len() <= 900 { Hint::text(call) } else { example(row) }
}

/// A call of this tool that is in form.
pub(crate) fn example(row: &Row) -> Hint {
    Hint::text(format!("{} {}", row.name, row.example))
}

/// `args` with one argument set.
pub(crate) fn with(args: &Map<String, Value>, name: &str, value: Value) -> Map<String, Value> {
    let mut args = args.clone();
    args.insert(name.to_owned(), value);
    args
}

/// Bytes of an unknown name that are said back.
const NAME_BYTES_SHOWN: usize = 80;
/// Letters in which a name may differ from the one it was meant to be.
const SLIPS_MAX: usize = 2;

/// Whether a word is another one but for a slip of the pen. Those that differ in length by more are not compared: a name may have any length.
fn is_near(one: &str, other: &str) -> bool {
    one.len().abs_diff(other.len()) <= SLIPS_MAX && distance(one, other) <= SLIPS_MAX
}

/// How many letters must be changed, added or taken away (or swapped with their neighbour) to get from one word to the other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, against) in other.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(letter != against)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && one[i - 1] == *against && *letter == other[j - 1] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
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
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Args {
        #[serde(default)]
        labels: Option<Vec<String>>,
        #[serde(default)]
        peek: Option<bool>,
    }

    const ROW: Row = Row {
        name: "next",
        description: "",
        example: r#"{"peek":true}"#,
        read_only: false,
        board: true,
        schema: || schema::of::<Args>(&[]),
        run: |_, _| unreachable!("only its names are used"),
    };

    fn fault(args: Value) -> Problem {
        let Value::Object(args) = args else { panic!() };
        read::<Args>(&ROW, args, &[("labels", json!("api"))]).unwrap_err()
    }

    #[test]
    fn a_comma_string_is_shown_as_the_list_it_meant() {
        let problem = fault(json!({"labels": "api, db", "peek": true}));
        assert_eq!(problem.title, r#"labels: is a list, not a text: ["api","db"]"#);
        assert_eq!(problem.hint.for_mcp(), r#"next {"labels":["api","db"],"peek":true}"#);
        assert!(fault(json!({"labels": "[\"api\"]"})).title.ends_with(r#"["api"]"#));
        assert_eq!(fault(json!({"labels": "x,".repeat(90)})).hint.for_mcp().len(), "next {\"labels\":[]}".len() + 4 * 90 - 1);
        assert_eq!(fault(json!({"labels": "x", "peek": "y".repeat(900)})).hint.for_mcp(), r#"next {"peek":true}"#);
    }

    #[test]
    fn unknown_names_are_refused_with_the_legal_ones() {
        let problem = fault(json!({"lables": ["x"]}));
        assert_eq!(problem.title, "lables: is not known here; legal are labels, peek");
        assert_eq!(problem.hint.for_mcp(), r#"next {"labels":["x"]}"#);
        assert_eq!(fault(json!({"colour": "red"})).hint, Hint::default());
        let read = read::<Args>(&ROW, Map::new(), &[]).unwrap();
        assert!(read.labels.is_none() && read.peek.is_none());
    }

    #[test]
    fn a_slip_of_the_pen_is_near() {
        for (one, other, far) in [("lables", "labels", 1), ("taks", "task", 1), ("statu", "status", 1), ("owner", "files", 4), ("", "key", 3)] {
            assert_eq!(distance(one, other), far, "{one} {other}");
        }
    }

    #[test]
    fn a_name_of_any_length_is_refused_at_once() {
        let begun = std::time::Instant::now();
        let mut args = Map::new();
        args.insert("x".repeat(1 << 20), json!(1));
        let problem = read::<Args>(&ROW, args, &[]).err().unwrap();
        assert!(problem.title.len() < 200, "{}", problem.title.len());
        assert!(begun.elapsed() < std::time::Duration::from_secs(1));
    }

    #[test]
    fn a_body_over_the_limit_is_too_large() {
        let Value::Object(args) = json!({"comment": "x".repeat(limits::BODY_BYTES_MAX)}) else { panic!() };
        assert_eq!(within_body(&args).unwrap_err().code, contracts::Code::TooLarge);
    }
}

//! Names and values of an address or a form. Nothing is guessed: a broken escape, an unknown name, a value of the wrong kind or one
//! given twice is refused with what would be right.

use contracts::command::parse_args;
use contracts::{Code, Hint, Problem, limits};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Pairs in order, as they were sent.
pub type Pairs = Vec<(String, String)>;

/// What a name's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// Words to look for.
    Words,
    /// Text, any number of times.
    List,
    /// Rows of a page.
    Rows,
    /// `true` or `false`.
    Flag,
}

/// The names an address takes.
pub type Names = &'static [(&'static str, Kind)];

/// Decodes `application/x-www-form-urlencoded`.
///
/// # Errors
/// `bad_request` on a broken escape or text that is not UTF-8.
pub fn decoded(raw: &str) -> Result<Pairs, Problem> {
    let pairs = raw.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = unescaped(name).map_err(|fault| Problem::bad_request("", fault))?;
            let value = unescaped(value).map_err(|fault| Problem::bad_request(name.clone(), fault))?;
            Ok((name, value))
        })
        .collect()
}

fn unescaped(raw: &str) -> Result<String, &'static str> {
    let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => match (digit(rest.next()), digit(rest.next())) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err("% is followed by two hexadecimal digits"),
            },
            other => other,
        });
    }
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
    if text.contains('\0') { Err("holds a NUL character") } else { Ok(text) }
}

/// Reads an address's query into a type whose fields are `names`.
///
/// # Errors
/// `bad_request` (`too_large` over a limit) naming the fault and the legal names.
pub fn read<T: DeserializeOwned>(raw: Option<&str>, names: Names) -> Result<T, Problem> {
    let mut fields = Map::new();
    for (name, value) in decoded(raw.unwrap_or_default())? {
        let Some((_, kind)) = names.iter().find(|(known, _)| *known == name) else { return Err(unknown(&name, names)) };
        if value.chars().any(char::is_control) {
            return Err(Problem::bad_request(name, "holds a control character"));
        }
        if *kind == Kind::List {
            if let Value::Array(list) = fields.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                list.push(value.into());
            }
            continue;
        }
        let read = match kind {
            Kind::Words => words(&name, value)?,
            Kind::Rows => rows(&name, &value)?,
            Kind::Flag => flag(&name, &value)?,
            Kind::Text | Kind::List => value.into(),
        };
        if fields.insert(name.clone(), read).is_some() {
            return Err(Problem::bad_request(name, "is given twice"));
        }
    }
    parse_args(Value::Object(fields))
}

fn unknown(name: &str, names: Names) -> Problem {
    let legal: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let hint = if legal.is_empty() { "this address takes no parameters".to_owned() } else { format!("parameters here: {}", legal.join(", ")) };
    Problem::bad_request(name, "is no parameter of this address").hint(Hint::text(hint))
}

fn words(name: &str, value: String) -> Result<Value, Problem> {
    let chars = value.chars().count();
    if chars > limits::QUERY_CHARS_MAX {
        let title = format!("{name} has {chars} characters; the limit is {}", limits::QUERY_CHARS_MAX);
        return Err(Problem::new(Code::TooLarge, title).hint(Hint::text("look for fewer words")));
    }
    Ok(value.into())
}

fn rows(name: &str, value: &str) -> Result<Value, Problem> {
    let max = u32::try_from(limits::PAGE_ROWS_MAX).unwrap_or(u32::MAX);
    let number = value.parse::<u32>().ok().filter(|rows| (1..=max).contains(rows) && value.bytes().all(|byte| byte.is_ascii_digit()));
    number
        .map(Value::from)
        .ok_or_else(|| Problem::bad_request(name, format!("is a number from 1 to {max}")).hint(Hint::text("follow `next` with cursor= for more")))
}

fn flag(name: &str, value: &str) -> Result<Value, Problem> {
    value.parse::<bool>().map(Value::from).map_err(|_| Problem::bad_request(name, "is true or false"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::view::TaskQuery;

    const NAMES: Names = &[("q", Kind::Words), ("standing", Kind::List), ("limit", Kind::Rows), ("all", Kind::Flag), ("cursor", Kind::Text)];

    fn fault(raw: &str) -> Problem {
        read::<TaskQuery>(Some(raw), NAMES).unwrap_err()
    }

    #[test]
    fn a_query_is_read_whole() {
        let query: TaskQuery = read(Some("q=caf%C3%A9+au&standing=ready&standing=working&limit=20&all=true"), NAMES).unwrap();
        assert_eq!((query.q.as_str(), query.standing.len(), query.limit, query.all), ("café au", 2, Some(20), true));
        assert_eq!(read::<TaskQuery>(None, NAMES).unwrap(), TaskQuery::default());
    }

    #[test]
    fn what_it_does_not_know_is_refused_with_the_legal_names() {
        let problem = fault("filter=x");
        assert_eq!((problem.code, problem.errors[0].path.as_str()), (Code::BadRequest, "filter"));
        assert_eq!(problem.hint.text, "parameters here: q, standing, limit, all, cursor");
    }

    #[test]
    fn values_are_never_bent_into_shape() {
        for raw in [
            "limit=0",
            "limit=201",
            "limit=-1",
            "limit=+5",
            "limit=1e2",
            "limit=",
            "all=yes",
            "q=%",
            "q=%f",
            "q=%zz",
            "q=%ff",
            "q=%00",
            "q=a%0Ab",
            "cursor=a&cursor=b",
            "standing=lost",
            "%00=1",
        ] {
            assert_eq!(fault(raw).code, Code::BadRequest, "{raw}");
        }
        assert_eq!(fault(&format!("q={}", "x".repeat(201))).code, Code::TooLarge);
    }
}

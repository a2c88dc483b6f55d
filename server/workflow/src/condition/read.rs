//! From text to tree. The first fault ends it: these filters are short, and each is one value of a document whose faults are told together.

use super::{Condition, Fault, Leaf, Literal, Node};
use contracts::limits;
use filter::{Field, Kind as FieldKind, Op, Takes, Token, lex};

/// What a name may begin with, beside the task's own fields.
pub const ROOTS: [&str; 10] = ["task", "run", "vars", "steps", "lanes", "children", "stores", "loop", "output", "const"];

/// Reads a filter. A bare field of the task is `task.<field>`.
///
/// # Errors
/// The first fault.
pub fn read(text: &str) -> Result<Condition, Fault> {
    if text.chars().count() > limits::FILTER_CHARS_MAX {
        return Err(fault("the filter is too long", format!("at most {} characters", limits::FILTER_CHARS_MAX)));
    }
    let (placed, faults) = lex(text);
    if let Some(first) = faults.first() {
        return Err(fault(first.text.clone(), first.hint.clone()));
    }
    let tokens = placed.into_iter().map(|placed| placed.token).collect();
    let mut reader = Reader { tokens, here: 0, depth: 0, leaves: 0 };
    let root = reader.any()?;
    if let Some(token) = reader.token(0) {
        return Err(fault(format!("{} stands where the filter should end", said(token)), "join comparisons with and, or"));
    }
    Ok(Condition { text: text.to_owned(), root })
}

struct Reader {
    tokens: Vec<Token>,
    here: usize,
    depth: usize,
    leaves: usize,
}

fn fault(text: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault { is_type: false, text: text.into(), hint: hint.into() }
}

fn said(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Quoted(text) => format!("{text:?}"),
        Token::Sign(sign) => (*sign).to_owned(),
    }
}

impl Reader {
    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.here + ahead)
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.token(ahead), Some(Token::Word(own)) if own.eq_ignore_ascii_case(word))
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(0, word);
        self.here += usize::from(is);
        is
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let is = matches!(self.token(0), Some(Token::Sign(own)) if *own == sign);
        self.here += usize::from(is);
        is
    }

    fn any(&mut self) -> Result<Node, Fault> {
        let mut nodes = vec![self.all()?];
        while self.eat_word("or") {
            nodes.push(self.all()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Any(nodes) })
    }

    fn all(&mut self) -> Result<Node, Fault> {
        let mut nodes = vec![self.one()?];
        while self.eat_word("and") {
            nodes.push(self.one()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::All(nodes) })
    }

    fn one(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > limits::FILTER_DEPTH_MAX {
            return Err(fault("the filter is nested too deeply", format!("at most {} levels", limits::FILTER_DEPTH_MAX)));
        }
        let node = if self.eat_word("not") {
            Node::Not(Box::new(self.one()?))
        } else if self.eat_sign("(") {
            let inner = self.any()?;
            if !self.eat_sign(")") {
                return Err(fault("a parenthesis is not closed", "end it with )"));
            }
            inner
        } else {
            self.leaf()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn leaf(&mut self) -> Result<Node, Fault> {
        self.leaves += 1;
        if self.leaves > limits::FILTER_LEAVES_MAX {
            return Err(fault("the filter makes too many comparisons", format!("at most {}", limits::FILTER_LEAVES_MAX)));
        }
        let Some(Token::Word(word)) = self.token(0).cloned() else {
            let there = self.token(0).map_or_else(|| "nothing".to_owned(), said);
            return Err(fault(format!("a comparison is wanted, and {there} stands there"), "write for example task.complexity = S"));
        };
        self.here += 1;
        let (name, field) = named(&word)?;
        let Some((op, words)) = self.op() else {
            // A flag that is asked for alone is `= true`.
            return match field.map(Field::kind) {
                None | Some(FieldKind::Flag) => Ok(Node::Leaf(Leaf { name, op: Op::Eq, values: vec![Literal::Flag(true)] })),
                Some(_) => Err(fault(format!("{word} is not compared with anything"), "write a comparison behind it")),
            };
        };
        self.here += words;
        if let Some(field) = field.filter(|field| !field.ops().contains(&op)) {
            let fit: Vec<&str> = field.ops().iter().map(|op| op.as_str()).collect();
            let text = format!("{} does not fit {}", op.as_str(), field.as_str());
            return Err(Fault { is_type: true, text, hint: format!("{} takes {}", field.as_str(), fit.join(", ")) });
        }
        let values = self.values(&word, op)?;
        if let Some(field) = field {
            fits(field, op, &values)?;
        }
        Ok(Node::Leaf(Leaf { name, op, values }))
    }

    /// The comparison that stands here, and how many tokens it is.
    fn op(&self) -> Option<(Op, usize)> {
        const OPS: [Op; 20] = [
            Op::Eq,
            Op::Ne,
            Op::Le,
            Op::Ge,
            Op::Lt,
            Op::Gt,
            Op::NotIn,
            Op::In,
            Op::Between,
            Op::IsNotNull,
            Op::IsNull,
            Op::NotContains,
            Op::Contains,
            Op::StartsWith,
            Op::EndsWith,
            Op::HasAny,
            Op::HasAll,
            Op::HasNone,
            Op::WithinLast,
            Op::WithinNext,
        ];
        OPS.into_iter().find_map(|op| {
            let words: Vec<&str> = op.as_str().split(' ').collect();
            let stands = |(ahead, word): (usize, &&str)| match self.token(ahead) {
                Some(Token::Sign(sign)) => sign == word,
                Some(Token::Word(own)) => own.eq_ignore_ascii_case(word),
                _ => false,
            };
            words.iter().enumerate().all(stands).then_some((op, words.len()))
        })
    }

    fn values(&mut self, name: &str, op: Op) -> Result<Vec<Literal>, Fault> {
        match op.takes() {
            Takes::Nothing => Ok(Vec::new()),
            Takes::One => Ok(vec![self.value(name)?]),
            Takes::Two => {
                let first = self.value(name)?;
                if !self.eat_word("and") {
                    return Err(fault("between needs two values", format!("write {name} between 1 and 3")));
                }
                Ok(vec![first, self.value(name)?])
            }
            Takes::Length => match self.value(name)? {
                Literal::Text(text) if filter::length(&text).is_some() => Ok(filter::length(&text).map(Literal::Length).into_iter().collect()),
                _ => Err(fault("a length of time is missing", "write 30m, 12h, 3d or 2w")),
            },
            Takes::List => self.list(name),
        }
    }

    fn list(&mut self, name: &str) -> Result<Vec<Literal>, Fault> {
        let example = format!("write {name} in [a, b]");
        if !self.eat_sign("[") {
            return Err(fault("a list in [ ] is missing", example));
        }
        let mut values = Vec::new();
        while !self.eat_sign("]") {
            values.push(self.value(name)?);
            if !self.eat_sign(",") && !matches!(self.token(0), Some(Token::Sign("]"))) {
                return Err(fault("the list is not closed", "put commas between its values and end it with ]"));
            }
        }
        if values.is_empty() || values.len() > limits::FILTER_VALUES_MAX {
            return Err(fault(format!("the list has {} values", values.len()), format!("1 to {}", limits::FILTER_VALUES_MAX)));
        }
        Ok(values)
    }

    fn value(&mut self, name: &str) -> Result<Literal, Fault> {
        let token = self.token(0).cloned();
        self.here += 1;
        let raw = match token {
            Some(Token::Quoted(text)) => return checked(text).map(Literal::Text),
            Some(Token::Word(word)) => word,
            _ => return Err(fault(format!("{name} needs a value"), "a word, a number, or a text in quotes")),
        };
        if let (Some(Token::Sign("(")), Some(Token::Word(argument)), Some(Token::Sign(")"))) = (self.token(0), self.token(1), self.token(2)) {
            let length = filter::length(argument);
            self.here += 3;
            return match (raw.as_str(), length) {
                ("ago", Some(seconds)) => Ok(Literal::Ago(seconds)),
                ("from_now", Some(seconds)) => Ok(Literal::FromNow(seconds)),
                _ => Err(fault(format!("{raw}( ) is no point in time"), "write ago(3d) or from_now(2h)")),
            };
        }
        Ok(match raw.as_str() {
            "true" => Literal::Flag(true),
            "false" => Literal::Flag(false),
            _ => match raw.parse::<f64>().ok().filter(|number| number.is_finite()) {
                Some(number) => Literal::Number(number),
                None => Literal::Text(checked(raw)?),
            },
        })
    }
}

fn checked(text: String) -> Result<String, Fault> {
    if text.chars().count() > limits::FILTER_VALUE_CHARS_MAX || text.chars().any(char::is_control) {
        return Err(fault("a value is too long or holds a control character", format!("at most {} characters", limits::FILTER_VALUE_CHARS_MAX)));
    }
    Ok(text)
}

/// A name with its root, and the task's field if it is one.
fn named(word: &str) -> Result<(String, Option<Field>), Fault> {
    let (root, rest) = word.split_once('.').unwrap_or((word, ""));
    if rest.is_empty() && root != "output" {
        return match Field::named(word) {
            Some(field) => Ok((format!("task.{word}"), Some(field))),
            None => Err(no_name(word)),
        };
    }
    match root {
        "task" => match Field::named(rest) {
            Some(field) => Ok((word.to_owned(), Some(field))),
            None => Err(no_field(rest)),
        },
        "pool" | "fire" => Err(fault(format!("{root}. is not carried out yet"), "ask the task, the steps or the stores")),
        root if ROOTS.contains(&root) => Ok((word.to_owned(), None)),
        _ => Err(no_name(word)),
    }
}

fn no_field(word: &str) -> Fault {
    let hint = match Field::near(word) {
        Some(near) => format!("did you mean task.{}?", near.as_str()),
        None => format!("fields: {}", Field::ALL.iter().map(|field| field.as_str()).collect::<Vec<_>>().join(", ")),
    };
    fault(format!("a task has no field {word}"), hint)
}

fn no_name(word: &str) -> Fault {
    let near = Field::near(word).map(|near| format!("did you mean task.{}? ", near.as_str())).unwrap_or_default();
    fault(format!("{word} names nothing"), format!("{near}names begin with {}", ROOTS.join(", ")))
}

/// Whether the values are ones the task's field can have.
fn fits(field: Field, op: Op, values: &[Literal]) -> Result<(), Fault> {
    let wrong = |text: String, hint: String| Err(Fault { is_type: true, text, hint });
    for value in values {
        match (field.kind(), value) {
            (FieldKind::Word, Literal::Text(text)) if field.words().contains(&text.as_str()) => {}
            (FieldKind::Word, value) => return wrong(format!("{} can't be {}", field.as_str(), plain(value)), format!("one of {}", field.words().join(", "))),
            (FieldKind::Number, Literal::Number(_)) | (FieldKind::Flag, Literal::Flag(_)) => {}
            (FieldKind::Number, value) => return wrong(format!("{} is a number, {} is none", field.as_str(), plain(value)), String::new()),
            (FieldKind::Flag, value) => return wrong(format!("{} is true or false, not {}", field.as_str(), plain(value)), String::new()),
            (FieldKind::Time, Literal::Ago(_) | Literal::FromNow(_) | Literal::Length(_)) => {}
            (FieldKind::Time, Literal::Text(text)) if super::ask::time(text).is_some() => {}
            (FieldKind::Time, value) => {
                return wrong(format!("{} is a time, {} is none", field.as_str(), plain(value)), "2026-11-28, ago(3d) or from_now(2h)".to_owned());
            }
            _ => {}
        }
    }
    debug_assert!(values.len() == 2 || op != Op::Between);
    Ok(())
}

fn plain(value: &Literal) -> String {
    match value {
        Literal::Text(text) => text.clone(),
        Literal::Number(number) => number.to_string(),
        Literal::Flag(flag) => flag.to_string(),
        Literal::Length(seconds) | Literal::Ago(seconds) | Literal::FromNow(seconds) => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str) -> String {
        let Fault { text, hint, .. } = read(text).unwrap_err();
        format!("{text} | {hint}")
    }

    #[test]
    fn names_have_roots_and_a_bare_field_is_the_tasks() {
        let read = |text: &str| read(text).unwrap().names().join(" ");
        assert_eq!(read("complexity = S and steps.red-test.output.path is not null"), "task.complexity steps.red-test.output.path");
        assert_eq!(read("stores.plan.count > 0 or output.text contains \"[done]\""), "stores.plan.count output.text");
        assert_eq!(read("not (task.labels has any [a, \"b c\"]) and overdue"), "task.labels task.overdue");
    }

    #[test]
    fn what_can_not_be_read_says_what_would_be_right() {
        assert!(refused("task.complexty = S").contains("did you mean task.complexity?"));
        assert!(refused("weather = rain").contains("names begin with task"));
        assert!(refused("task.complexity = HUGE").contains("one of"));
        assert!(refused("task.labels = ui").contains("does not fit"));
        assert!(refused("task.priority = high").contains("is a number"));
        assert!(refused("pool.rotting.count > 1").contains("not carried out yet"));
        assert!(refused("task.type =").contains("needs a value"));
        assert!(refused("task.type = a b").contains("should end"));
        assert!(refused("(task.type = a").contains("not closed"));
        assert!(refused("").contains("nothing stands there"));
    }

    #[test]
    fn a_filter_has_bounds() {
        assert!(refused(&format!("{}overdue", "not ".repeat(20))).contains("nested too deeply"));
        assert!(refused(&vec!["overdue"; 80].join(" and ")).contains("too many"));
    }
}

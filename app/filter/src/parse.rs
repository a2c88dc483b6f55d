//! From text to tree, with every fault at once: after one the reader goes on behind the next `and` or `or`.

use crate::fault::{Fault, Kind as FaultKind};
use crate::field::{Field, Kind};
use crate::lex::{Placed, Token, lex};
use crate::tree::{Filter, Leaf, Node, Op, Takes, Unit, Value};
use contracts::{Actor, Moment, TaskId, limits};
use std::ops::Range;

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;
/// Longest length of time that is taken, seconds: a hundred years.
const LENGTH_SECONDS: i64 = 36_525 * 86_400;

/// Reads a filter.
///
/// # Errors
/// Every fault of the text, in order.
pub fn parse(text: &str) -> Result<Filter, Vec<Fault>> {
    let (tokens, faults) = lex(text);
    let nothing = tokens.is_empty() && faults.is_empty();
    let parser = Parser::new(text, tokens, faults, false);
    if nothing {
        let fault = Fault { at: 0..0, kind: FaultKind::Syntax, text: "the filter is empty".into(), hint: EXAMPLE.into() };
        return Err(vec![fault]);
    }
    parser.filter()
}

const EXAMPLE: &str = "write for example type = bug and priority <= 1";

pub(crate) struct Parser {
    tokens: Vec<Placed>,
    here: usize,
    end: usize,
    faults: Vec<Fault>,
    /// Bare words are looked for, and what stands side by side must all hold.
    typed: bool,
    nested: usize,
}

impl Parser {
    pub(crate) fn new(text: &str, tokens: Vec<Placed>, faults: Vec<Fault>, typed: bool) -> Parser {
        Parser { tokens, here: 0, end: text.chars().count(), faults, typed, nested: 0 }
    }

    pub(crate) fn filter(mut self) -> Result<Filter, Vec<Fault>> {
        if self.end > limits::FILTER_CHARS_MAX {
            let text = format!("the filter has {} characters", self.end);
            let hint = format!("a filter has at most {}", limits::FILTER_CHARS_MAX);
            return Err(vec![Fault { at: limits::FILTER_CHARS_MAX..self.end, kind: FaultKind::Limit, text, hint }]);
        }
        let mut root = self.any();
        while let Some(placed) = self.tokens.get(self.here).cloned() {
            let said = said(&placed.token);
            self.fault(placed.at, FaultKind::Syntax, format!("{said} closes nothing"), "leave it out");
            self.here += 1;
            if self.here < self.tokens.len() {
                root = self.any();
            }
        }
        let Some(root) = root.filter(|_| self.faults.is_empty()) else {
            self.faults.sort_by_key(|fault| fault.at.start);
            return Err(self.faults);
        };
        let leaves = root.leaves().len();
        let all = 0..self.end;
        if leaves > limits::FILTER_LEAVES_MAX {
            let hint = format!("a filter has at most {}", limits::FILTER_LEAVES_MAX);
            self.fault(all, FaultKind::Limit, format!("the filter makes {leaves} comparisons"), hint);
        } else if root.depth() > limits::FILTER_DEPTH_MAX {
            self.too_deep(all);
        }
        if self.faults.is_empty() { Ok(Filter(root)) } else { Err(self.faults) }
    }

    fn fault(&mut self, at: Range<usize>, kind: FaultKind, text: impl Into<String>, hint: impl Into<String>) {
        self.faults.push(Fault { at, kind, text: text.into(), hint: hint.into() });
    }

    fn too_deep(&mut self, at: Range<usize>) {
        let hint = format!("at most {} levels; take out a pair of parentheses", limits::FILTER_DEPTH_MAX);
        self.fault(at, FaultKind::Limit, "the filter is nested too deeply", hint);
    }

    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.here + ahead).map(|placed| &placed.token)
    }

    /// The characters of the next token, or where the text ends.
    fn place(&self) -> Range<usize> {
        self.tokens.get(self.here).map_or(self.end..self.end, |placed| placed.at.clone())
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.token(ahead), Some(Token::Word(own)) if own.eq_ignore_ascii_case(word))
    }

    fn is_sign(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.token(ahead), Some(Token::Sign(own)) if *own == sign)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(0, word);
        self.here += usize::from(is);
        is
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let is = self.is_sign(0, sign);
        self.here += usize::from(is);
        is
    }

    /// Goes on behind a fault: to the next `and`, `or` or closing parenthesis of this level.
    fn recover(&mut self) {
        let mut inside = 0usize;
        while let Some(token) = self.token(0) {
            match token {
                Token::Sign("(" | "[") => inside += 1,
                Token::Sign(")") if inside == 0 => return,
                Token::Sign(")" | "]") => inside = inside.saturating_sub(1),
                Token::Word(word) if inside == 0 && (word.eq_ignore_ascii_case("and") || word.eq_ignore_ascii_case("or")) => return,
                _ => {}
            }
            self.here += 1;
        }
    }

    fn any(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        loop {
            nodes.extend(self.all());
            if !self.eat_word("or") {
                break;
            }
        }
        (!nodes.is_empty()).then(|| Node::any(nodes))
    }

    fn all(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        loop {
            nodes.extend(self.one());
            if self.eat_word("and") {
                continue;
            }
            let goes_on = match self.token(0) {
                Some(Token::Word(word)) => !word.eq_ignore_ascii_case("or"),
                Some(Token::Quoted(_)) | Some(Token::Sign("(")) => true,
                _ => false,
            };
            if !goes_on {
                break;
            }
            if !self.typed {
                let place = self.place();
                self.fault(place.start..place.start, FaultKind::Syntax, "and or or is missing here", "join comparisons with and, or");
            }
        }
        (!nodes.is_empty()).then(|| Node::all(nodes))
    }

    fn one(&mut self) -> Option<Node> {
        let at = self.place();
        match self.token(0).cloned() {
            None => {
                self.fault(at, FaultKind::Syntax, "a comparison is missing at the end", EXAMPLE);
                None
            }
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("and") || word.eq_ignore_ascii_case("or") => {
                self.fault(at, FaultKind::Syntax, format!("a comparison is missing before {}", word.to_lowercase()), EXAMPLE);
                None
            }
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("not") => {
                self.here += 1;
                let inner = self.nest(at, Parser::one)?;
                Some(Node::Not(Box::new(inner)))
            }
            Some(Token::Sign("(")) => {
                self.here += 1;
                let inner = self.nest(at.clone(), Parser::any);
                if !self.eat_sign(")") && self.token(0).is_none() {
                    self.fault(at, FaultKind::Syntax, "a parenthesis is not closed", "end it with )");
                }
                inner
            }
            Some(Token::Word(word)) => self.leaf(&word, at),
            Some(Token::Quoted(text)) if self.typed => {
                self.here += 1;
                self.looked_for(&text, at)
            }
            Some(token) => {
                let hint = if matches!(token, Token::Quoted(_)) { "to look for words write text contains \"…\"" } else { EXAMPLE };
                let closes = token == Token::Sign(")");
                let text = if closes { "a comparison is missing here".to_owned() } else { format!("{} does not begin a comparison", said(&token)) };
                self.fault(at, FaultKind::Syntax, text, hint);
                // Whoever opened the parenthesis closes it.
                if !closes {
                    self.here += 1;
                    self.recover();
                }
                None
            }
        }
    }

    /// One level down, unless that is too deep: then the rest is not read.
    fn nest(&mut self, at: Range<usize>, read: fn(&mut Parser) -> Option<Node>) -> Option<Node> {
        if self.nested >= limits::FILTER_DEPTH_MAX {
            self.too_deep(at);
            self.here = self.tokens.len();
            return None;
        }
        self.nested += 1;
        let node = read(self);
        self.nested -= 1;
        node
    }

    fn looked_for(&mut self, word: &str, at: Range<usize>) -> Option<Node> {
        if word.trim().is_empty() {
            self.fault(at, FaultKind::Value, "nothing stands between the quotes", "write a word between them");
            return None;
        }
        let value = self.value_of(Field::Text, Token::Quoted(word.to_owned()), at)?;
        Some(Node::Leaf(Leaf { field: Field::Text, op: Op::Contains, values: vec![value] }))
    }

    fn leaf(&mut self, word: &str, at: Range<usize>) -> Option<Node> {
        self.here += 1;
        let (field, op) = (Field::named(&word.to_lowercase()), self.op());
        let Some(field) = field else { return self.no_field(word, at, op) };
        let Some((op, words)) = op else {
            if field.kind() == Kind::Flag {
                return Some(Node::Leaf(Leaf { field, op: Op::Eq, values: vec![Value::Flag(true)] }));
            }
            if self.typed {
                return self.looked_for(word, at);
            }
            self.fault(at, FaultKind::Syntax, format!("{word} is not compared with anything"), fitting(field));
            self.recover();
            return None;
        };
        let op_at = self.place().start..self.tokens.get(self.here + words - 1).map_or(self.end, |placed| placed.at.end);
        self.here += words;
        if !field.ops().contains(&op) {
            self.fault(op_at, FaultKind::Type, format!("{} does not fit {}", op.as_str(), field.as_str()), fitting(field));
            self.recover();
            return None;
        }
        let before = self.faults.len();
        let values = self.values(field, op);
        if self.faults.len() > before {
            self.recover();
            return None;
        }
        Some(Node::Leaf(Leaf { field, op, values }))
    }

    fn no_field(&mut self, word: &str, at: Range<usize>, op: Option<(Op, usize)>) -> Option<Node> {
        let sign = matches!(self.token(0), Some(Token::Sign("=" | "!=" | "<" | "<=" | ">" | ">=")));
        if self.typed && !sign {
            // The way other tools write it.
            if let Some((name, value)) = word.split_once(':').filter(|(_, value)| !value.is_empty())
                && let Some(field) = Field::named(name).or_else(|| (name == "label").then_some(Field::Labels))
            {
                let example = if field.kind() == Kind::Set { format!("{} has any [{value}]", field.as_str()) } else { format!("{name} = {value}") };
                self.fault(at, FaultKind::Syntax, format!("{word} is not a comparison"), format!("write {example}, or quote it to look for it"));
                return None;
            }
            return self.looked_for(word, at);
        }
        let hint = match Field::near(word) {
            Some(near) => format!("did you mean {}?", near.as_str()),
            None => format!("fields: {}", Field::ALL.iter().map(|field| field.as_str()).collect::<Vec<_>>().join(", ")),
        };
        let text = format!("there is no field {word}");
        self.fault(at, FaultKind::Field, text, hint);
        self.here += op.map_or(0, |(_, words)| words);
        self.recover();
        None
    }

    /// The comparison that stands here, and how many tokens it is.
    fn op(&self) -> Option<(Op, usize)> {
        if let Some(Token::Sign(sign)) = self.token(0) {
            let op = match *sign {
                "=" => Op::Eq,
                "!=" => Op::Ne,
                "<" => Op::Lt,
                "<=" => Op::Le,
                ">" => Op::Gt,
                ">=" => Op::Ge,
                _ => return None,
            };
            return Some((op, 1));
        }
        let worded = [
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
        worded.into_iter().find_map(|op| {
            let words: Vec<&str> = op.as_str().split(' ').collect();
            words.iter().enumerate().all(|(ahead, word)| self.is_word(ahead, word)).then_some((op, words.len()))
        })
    }

    fn values(&mut self, field: Field, op: Op) -> Vec<Value> {
        match op.takes() {
            Takes::Nothing => Vec::new(),
            Takes::One => self.value(field).into_iter().collect(),
            Takes::Two => {
                let mut values: Vec<Value> = self.value(field).into_iter().collect();
                if !values.is_empty() && !self.eat_word("and") {
                    let place = self.place();
                    self.fault(place, FaultKind::Syntax, "between needs two values", format!("write {} between 1 and 3", field.as_str()));
                } else if !values.is_empty() {
                    values.extend(self.value(field));
                }
                values
            }
            Takes::Length => {
                let at = self.place();
                let length = match self.token(0) {
                    Some(Token::Word(word)) => length(word),
                    _ => None,
                };
                match length {
                    Some(seconds) => {
                        self.here += 1;
                        vec![Value::Length(seconds)]
                    }
                    None => {
                        self.fault(at, FaultKind::Value, "a length of time is missing", "write 30m, 12h, 3d or 2w");
                        Vec::new()
                    }
                }
            }
            Takes::List => self.list(field),
        }
    }

    fn list(&mut self, field: Field) -> Vec<Value> {
        let open = self.place();
        let example = format!("write {}", example_list(field));
        if !self.eat_sign("[") {
            self.fault(open, FaultKind::Syntax, "a list in [ ] is missing", example);
            return Vec::new();
        }
        let mut values = Vec::new();
        loop {
            if self.eat_sign("]") {
                if values.is_empty() {
                    self.fault(open.clone(), FaultKind::Value, "the list is empty", example.clone());
                }
                break;
            }
            match self.value(field) {
                Some(value) => values.push(value),
                None => break,
            }
            if self.eat_sign(",") || self.is_sign(0, "]") {
                continue;
            }
            let place = self.place();
            self.fault(place, FaultKind::Syntax, "the list is not closed", "put commas between its values and end it with ]");
            break;
        }
        if values.len() > limits::FILTER_VALUES_MAX {
            let hint = format!("a list has at most {}", limits::FILTER_VALUES_MAX);
            self.fault(open, FaultKind::Limit, format!("the list has {} values", values.len()), hint);
        }
        values
    }

    fn value(&mut self, field: Field) -> Option<Value> {
        let at = self.place();
        match self.token(0).cloned() {
            Some(token @ (Token::Word(_) | Token::Quoted(_))) => {
                self.here += 1;
                if let (Kind::Time, Token::Word(word)) = (field.kind(), &token)
                    && self.is_sign(0, "(")
                {
                    return self.called(word, at);
                }
                self.value_of(field, token, at)
            }
            _ => {
                self.fault(at, FaultKind::Syntax, format!("{} needs a value", field.as_str()), legal(field));
                None
            }
        }
    }

    /// `ago(3d)`, `from_now(2h)`, `start_of(week)`.
    fn called(&mut self, word: &str, at: Range<usize>) -> Option<Value> {
        let argument = match self.token(1) {
            Some(Token::Word(argument)) if self.is_sign(2, ")") => argument.clone(),
            _ => String::new(),
        };
        let unit = Unit::WORDS.iter().find(|(_, own)| *own == argument).map(|(unit, _)| *unit);
        let value = match word {
            "ago" => length(&argument).map(Value::Ago),
            "from_now" => length(&argument).map(Value::FromNow),
            "start_of" => unit.map(Value::StartOf),
            _ => None,
        };
        if value.is_some() {
            self.here += 3;
        } else {
            self.fault(at, FaultKind::Value, format!("{word}( ) is no point in time"), "write ago(3d), from_now(2h) or start_of(week)");
        }
        value
    }

    fn value_of(&mut self, field: Field, token: Token, at: Range<usize>) -> Option<Value> {
        let (raw, quoted) = match token {
            Token::Word(raw) => (raw, false),
            Token::Quoted(raw) => (raw, true),
            Token::Sign(sign) => (sign.to_owned(), false),
        };
        let chars = raw.chars().count();
        if chars > limits::FILTER_VALUE_CHARS_MAX {
            let hint = format!("a value has at most {} characters", limits::FILTER_VALUE_CHARS_MAX);
            self.fault(at, FaultKind::Limit, format!("the value has {chars} characters"), hint);
            return None;
        }
        if raw.chars().any(char::is_control) {
            self.fault(at, FaultKind::Value, "the value holds a control character", "leave it out");
            return None;
        }
        let value = read(field, &raw, quoted);
        if value.is_none() {
            self.fault(at, FaultKind::Value, format!("{} can't be {raw:?}", field.as_str()), legal(field));
        }
        value
    }
}

/// Reads a value as what the field's values are.
fn read(field: Field, raw: &str, quoted: bool) -> Option<Value> {
    match field.kind() {
        Kind::Word => field.words().contains(&raw).then(|| Value::Text(raw.to_owned())),
        Kind::Name if matches!(field, Field::Id | Field::Parent) => TaskId::parse(raw).ok().map(|id| Value::Text(id.to_string())),
        Kind::Name | Kind::Text | Kind::Words | Kind::Set => (!raw.trim().is_empty()).then(|| Value::Text(raw.to_owned())),
        Kind::Person if raw == "me" && !quoted => Some(Value::Me),
        Kind::Person => {
            let guessed = if raw.contains('/') { format!("agent:{raw}") } else { format!("dev:{raw}") };
            Actor::parse(raw).or_else(|_| Actor::parse(&guessed)).ok().map(Value::Person)
        }
        Kind::Number => raw.parse().ok().filter(|number: &i64| !quoted && number.abs() < 1_000_000_000).map(Value::Number),
        Kind::Flag => raw.parse().ok().map(Value::Flag),
        Kind::Time if raw.len() == 10 => Moment::parse(&format!("{raw}T00:00:00Z")).map(|at| Value::Day(at.0.div_euclid(DAY_MS))),
        Kind::Time => Moment::parse(raw).map(Value::At),
    }
}

/// Reads `30m`, `12h`, `3d`, `2w` as seconds.
pub fn length(raw: &str) -> Option<i64> {
    let unit = raw.chars().last()?;
    let seconds = crate::print::LENGTHS.iter().find(|(word, _)| *word == unit)?.1;
    let digits = raw.strip_suffix(unit)?;
    let number: i64 = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 9)?;
    number.checked_mul(seconds).filter(|length| (1..=LENGTH_SECONDS).contains(length))
}

fn said(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Quoted(text) => format!("{text:?}"),
        Token::Sign(sign) => (*sign).to_owned(),
    }
}

fn fitting(field: Field) -> String {
    let ops: Vec<&str> = field.ops().iter().map(|op| op.as_str()).collect();
    let what = if field.kind() == Kind::Set { format!("write {}; ", example_list(field)) } else { String::new() };
    format!("{what}{} takes {}", field.as_str(), ops.join(", "))
}

fn example_list(field: Field) -> String {
    match field.kind() {
        Kind::Set => format!("{} has any [ui, api]", field.as_str()),
        Kind::Number => format!("{} in [0, 1]", field.as_str()),
        Kind::Word => format!("{} in [{}]", field.as_str(), field.words().iter().take(2).copied().collect::<Vec<_>>().join(", ")),
        _ => format!("{} in [a, b]", field.as_str()),
    }
}

/// What the field can be.
fn legal(field: Field) -> String {
    match field.kind() {
        Kind::Word => format!("one of {}", field.words().join(", ")),
        Kind::Name if matches!(field, Field::Id | Field::Parent) => "a task's id, such as tk-4f2a9c".to_owned(),
        Kind::Name => "a name; quote one with spaces".to_owned(),
        Kind::Person => "me, a person such as ana, or an agent such as ana/w1".to_owned(),
        Kind::Text | Kind::Words | Kind::Set => "a word; quote one with spaces".to_owned(),
        Kind::Number => "a whole number".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Time => "2026-11-28, ago(3d), from_now(2h) or start_of(week)".to_owned(),
    }
}

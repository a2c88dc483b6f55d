//! What is wrong with a text, and where.

use contracts::{Code, FieldError, Hint, Problem};
use std::ops::Range;

/// What kind of fault it is, as clients branch on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The words do not make a filter.
    Syntax,
    /// No such field.
    Field,
    /// A comparison that does not fit the field.
    Type,
    /// A value that the field can't have.
    Value,
    /// Too much of something.
    Limit,
}

impl Kind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Syntax => "E_SYNTAX",
            Kind::Field => "E_FIELD",
            Kind::Type => "E_TYPE",
            Kind::Value => "E_VALUE",
            Kind::Limit => "E_LIMIT",
        }
    }
}

/// One fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which characters it is about; empty where something is missing.
    pub at: Range<usize>,
    /// What kind it is.
    pub kind: Kind,
    /// What is wrong.
    pub text: String,
    /// What would be right.
    pub hint: String,
}

/// The refusal that a faulty filter is, each fault at its characters (counted from 1) under `path`.
pub fn problem(path: &str, faults: &[Fault]) -> Problem {
    let place = |fault: &Fault| format!("{path}[{}..{}]", fault.at.start + 1, fault.at.end.max(fault.at.start + 1));
    let errors =
        faults.iter().map(|fault| FieldError { path: place(fault), text: format!("{}: {}; {}", fault.kind.as_str(), fault.text, fault.hint) }).collect();
    let (title, hint) = match faults.first() {
        Some(first) => (format!("{path}, character {}: {}", first.at.start + 1, first.text), first.hint.clone()),
        None => (format!("{path} can't be read"), String::new()),
    };
    let code = if faults.iter().all(|fault| fault.kind == Kind::Limit) { Code::TooLarge } else { Code::BadRequest };
    Problem::new(code, title).hint(Hint::text(hint)).errors(errors)
}

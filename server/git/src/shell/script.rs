//! What a script is made of.

use super::words::Word;

/// A script, read.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub items: Vec<Item>,
    pub bodies: Vec<Body>,
}

#[derive(Debug)]
pub(super) enum Item {
    Enter(Scope),
    Leave,
    Then(Join),
    Run(Simple),
    /// Words that are no command (`for x in …`, `((…))`): only the scripts inside them matter.
    Words(Vec<Word>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// `{ … }`: what happens in it stays.
    Group,
    /// `( … )`: it does not.
    Subshell,
    /// `if`, `case`, loops: it may happen.
    Choice,
    /// A function's body: it happens elsewhere.
    Function,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    Sequence,
    And,
    Or,
    Pipe,
    Background,
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

#[derive(Debug)]
pub(super) enum Redirection {
    /// `whole`: the file holds what the command prints and nothing else.
    Output {
        word: Word,
        whole: bool,
    },
    Input(Word),
    /// From and to other numbers than the usual, or to another number.
    Other(Word),
    HereString(Word),
    /// The number of the body.
    Here(usize),
    /// The same, but not for stdin.
    HereOther(usize),
}

/// A here-document.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Its text; none when something in it expands.
    pub text: Option<String>,
    pub inner: Vec<Script>,
}

impl Redirection {
    /// Whether stdin comes from here.
    pub fn is_input(&self) -> bool {
        matches!(self, Redirection::Input(_) | Redirection::Here(_) | Redirection::HereString(_))
    }

    /// Whether something may go elsewhere than to the pipe.
    pub fn is_output(&self) -> bool {
        matches!(self, Redirection::Output { .. } | Redirection::Other(_))
    }
}

//! The structure of a script: commands, how they are joined, and the scopes around them.
//!
//! A script is a flat list of items, so that no depth of brackets can exhaust the stack; only scripts inside words nest, and they
//! are counted.

use std::cell::Cell;

use super::DEPTH_MAX;
use super::script::{Body, Item, Join, Redirection, Scope, Script, Simple};
use super::words::{UNKNOWN_CHAR, Word};

/// The text ended inside a quote, bracket or keyword, was nested too deep, or would take too long.
#[derive(Debug)]
pub(super) struct Unbalanced;

/// What the parser is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Paren,
    Brace,
    If,
    Loop,
    /// Between `for` and `do`.
    LoopHead,
    /// Between `case` and `in`.
    CaseHead,
    CasePattern,
    CaseBody,
}

/// A here-document whose body is still to come.
struct Awaited {
    body: usize,
    end: String,
    quoted: bool,
    strip_tabs: bool,
}

pub(super) struct Parser<'a> {
    pub text: &'a [char],
    pub at: usize,
    pub depth: usize,
    /// Quotes and braces inside each other, in one word.
    pub nest: usize,
    /// Characters that may still be read again or looked at ahead.
    pub budget: &'a Cell<usize>,
}

/// One script while it is read.
#[derive(Default)]
struct Draft {
    script: Script,
    open: Vec<Open>,
    simple: Simple,
    awaited: Vec<Awaited>,
    /// The number in front of a redirection.
    number: Option<String>,
    function: bool,
}

impl<'a> Parser<'a> {
    /// Reads `text` as a script `depth` scripts deep.
    pub fn read(text: &[char], depth: usize, budget: &Cell<usize>) -> Result<Script, Unbalanced> {
        if DEPTH_MAX < depth {
            return Err(Unbalanced);
        }
        spend(budget, text.len())?;
        Parser { text, at: 0, depth, nest: 0, budget }.script(false)
    }

    pub fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    pub fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c))
    }

    /// Reads to the end of the text, or to the `)` that closes this script, which is taken.
    pub fn script(&mut self, in_paren: bool) -> Result<Script, Unbalanced> {
        let mut draft = Draft::default();
        loop {
            self.skip_blanks(&draft);
            let Some(c) = self.peek(0) else { break };
            if draft.in_test() && !matches!(c, '\'' | '"' | '$' | '`' | '\\') && (is_operator(c) || c == '\n') {
                self.at += 1; // inside `[[ … ]]` nothing separates commands
                continue;
            }
            match c {
                '\n' => {
                    draft.join(Join::Sequence);
                    self.at += 1;
                    self.bodies(&mut draft);
                }
                ')' if in_paren && draft.open.is_empty() => {
                    self.at += 1;
                    return draft.finish();
                }
                '<' | '>' if self.peek(1) != Some('(') => self.redirection(&mut draft)?,
                '&' if self.peek(1) == Some('>') => self.redirection(&mut draft)?,
                ';' | '&' | '|' => self.operator(&mut draft),
                '(' => self.paren(&mut draft)?,
                ')' => self.close_paren(&mut draft)?,
                _ => self.take_word(&mut draft)?,
            }
        }
        if in_paren { Err(Unbalanced) } else { draft.finish() }
    }

    fn skip_blanks(&mut self, draft: &Draft) {
        loop {
            match self.peek(0) {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.peek(1) == Some('\n') => self.at += 2,
                Some('#') if !draft.in_test() => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn operator(&mut self, draft: &mut Draft) {
        for (text, join) in [("&&", Join::And), ("||", Join::Or), ("|&", Join::Pipe), (";;&", Join::Sequence), (";;", Join::Sequence), (";&", Join::Sequence)] {
            if self.looking_at(text) {
                draft.join(join);
                self.at += text.len();
                if text.starts_with(';') && draft.open.last() == Some(&Open::CaseBody) {
                    draft.set_open(Open::CasePattern);
                }
                return;
            }
        }
        let in_pattern = draft.open.last() == Some(&Open::CasePattern);
        match self.peek(0) {
            _ if in_pattern => {}
            Some('|') => draft.join(Join::Pipe),
            Some('&') => draft.join(Join::Background),
            _ => draft.join(Join::Sequence),
        }
        self.at += 1;
    }

    fn paren(&mut self, draft: &mut Draft) -> Result<(), Unbalanced> {
        let head = matches!(draft.open.last(), Some(Open::LoopHead));
        if draft.open.last() == Some(&Open::CasePattern) {
            self.at += 1;
            return Ok(());
        }
        if draft.is_fresh() || head {
            if let Some(end) = self.arithmetic_end(self.at)? {
                let word = self.arithmetic(self.at + 2, end)?;
                draft.script.items.push(Item::Words(vec![word]));
                return Ok(());
            }
            if head {
                return Err(Unbalanced);
            }
            self.at += 1;
            draft.enter(Open::Paren, Scope::Subshell);
            return Ok(());
        }
        // `name ( )`: a function, whose body comes next.
        let mut ahead = 1;
        while self.peek(ahead).is_some_and(|c| c == ' ' || c == '\t') {
            ahead += 1;
        }
        spend(self.budget, ahead)?;
        if draft.simple.words.len() != 1 || self.peek(ahead) != Some(')') {
            return Err(Unbalanced);
        }
        self.at += ahead + 1;
        draft.simple = Simple::default();
        draft.function = true;
        Ok(())
    }

    fn close_paren(&mut self, draft: &mut Draft) -> Result<(), Unbalanced> {
        self.at += 1;
        match draft.open.last() {
            Some(Open::CasePattern) => draft.set_open(Open::CaseBody),
            Some(Open::Paren) => draft.leave(),
            _ => return Err(Unbalanced),
        }
        Ok(())
    }

    fn take_word(&mut self, draft: &mut Draft) -> Result<(), Unbalanced> {
        let word = self.word()?;
        let digits = word.bare().is_some_and(|text| text.chars().all(|c| c.is_ascii_digit()) || (text.starts_with('{') && text.ends_with('}')));
        if digits && matches!(self.peek(0), Some('<' | '>')) && self.peek(1) != Some('(') {
            draft.number = word.bare().map(str::to_owned);
            return Ok(());
        }
        if draft.is_fresh() && self.keyword(&word, draft)? {
            return Ok(());
        }
        match draft.open.last() {
            Some(Open::LoopHead | Open::CaseHead | Open::CasePattern) => draft.script.items.push(Item::Words(vec![word])),
            _ => draft.simple.words.push(word),
        }
        Ok(())
    }

    /// Takes a word that has a meaning where a command could begin; false when it has none.
    fn keyword(&mut self, word: &Word, draft: &mut Draft) -> Result<bool, Unbalanced> {
        let Some(text) = word.bare() else { return Ok(false) };
        match (draft.open.last(), text) {
            (Some(Open::LoopHead), "do" | "{") => draft.set_open(if text == "do" { Open::Loop } else { Open::Brace }),
            (Some(Open::CaseHead), "in") => draft.set_open(Open::CasePattern),
            (Some(Open::CasePattern | Open::CaseBody), "esac") => draft.leave(),
            (Some(Open::LoopHead | Open::CaseHead | Open::CasePattern), _) => return Ok(false),
            (_, "if") => draft.enter(Open::If, Scope::Choice),
            (_, "while" | "until") => draft.enter(Open::Loop, Scope::Choice),
            (_, "for" | "select") => draft.enter(Open::LoopHead, Scope::Choice),
            (_, "case") => draft.enter(Open::CaseHead, Scope::Choice),
            (_, "{") => draft.enter(Open::Brace, Scope::Group),
            (_, "then" | "else" | "elif" | "do") => draft.join(Join::Sequence),
            (Some(Open::If), "fi") | (Some(Open::Loop), "done") | (Some(Open::Brace), "}") => draft.leave(),
            (_, "fi" | "done" | "esac" | "}") => return Err(Unbalanced),
            (_, "!") => {}
            (_, "coproc" | "time") if self.group_follows() => {}
            (_, "function") => {
                self.skip_blanks(draft);
                self.word()?;
                self.skip_blanks(draft);
                if self.looking_at("()") {
                    self.at += 2;
                }
                draft.function = true;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn group_follows(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.iter().take(64).find(|c| !c.is_whitespace()).is_some_and(|c| matches!(c, '(' | '{'))
    }

    fn redirection(&mut self, draft: &mut Draft) -> Result<(), Unbalanced> {
        let operators = ["<<<", "<<-", "<<", "<&", "<>", "<", "&>>", "&>", ">>", ">&", ">|", ">"];
        let Some(operator) = operators.into_iter().find(|operator| self.looking_at(operator)) else { return Err(Unbalanced) };
        self.at += operator.len();
        self.skip_blanks(draft);
        if self.peek(0).is_none_or(|c| c == '\n' || (is_operator(c) && !self.looking_at("<(") && !self.looking_at(">("))) {
            return Err(Unbalanced);
        }
        let word = self.word()?;
        let number = draft.number.take();
        let usual = number.as_deref().is_none_or(|number| number == if operator.starts_with('<') { "0" } else { "1" });
        let redirection = match operator {
            "<<" | "<<-" => {
                let body = draft.script.bodies.len();
                draft.script.bodies.push(Body::default());
                let (end, quoted) = (word.literal(), word.bare().is_none());
                draft.awaited.push(Awaited { body, end, quoted, strip_tabs: operator == "<<-" });
                if usual { Redirection::Here(body) } else { Redirection::HereOther(body) }
            }
            "<<<" if usual => Redirection::HereString(word),
            "<" | "<&" | "<>" if usual => Redirection::Input(word),
            ">" | ">|" => Redirection::Output { word, whole: usual },
            ">>" | "&>" | "&>>" => Redirection::Output { word, whole: false },
            _ => Redirection::Other(word),
        };
        draft.simple.redirections.push(redirection);
        Ok(())
    }

    /// Takes the bodies that the line just ended has announced.
    fn bodies(&mut self, draft: &mut Draft) {
        for awaited in std::mem::take(&mut draft.awaited) {
            let mut text: Vec<char> = Vec::new();
            while self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let line = &rest[..rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())];
                self.at = (self.at + line.len() + 1).min(self.text.len());
                let tabs = if awaited.strip_tabs { line.iter().take_while(|c| **c == '\t').count() } else { 0 };
                if line[tabs..].iter().copied().eq(awaited.end.chars()) {
                    break;
                }
                text.extend(&line[tabs..]);
                text.push('\n');
            }
            draft.script.bodies[awaited.body] = if awaited.quoted {
                let text = Some(text).filter(|text| !text.contains(&UNKNOWN_CHAR));
                Body { text: text.map(|text| text.into_iter().collect()), inner: Vec::new() }
            } else {
                self.expanding(&text)
            };
        }
    }

    /// A body in which the shell would expand. What does not read as such is data that nobody can tell.
    fn expanding(&self, text: &[char]) -> Body {
        let mut parser = Parser { text, at: 0, depth: self.depth, nest: 0, budget: self.budget };
        match parser.quoted_run(None) {
            Ok(word) => Body { text: word.value(), inner: word.into_scripts() },
            Err(Unbalanced) => Body::default(),
        }
    }
}

impl Draft {
    /// Whether a command could begin here.
    fn is_fresh(&self) -> bool {
        self.simple.words.is_empty()
    }

    /// Inside `[[`, before `]]`.
    fn in_test(&self) -> bool {
        let bare = |word: Option<&Word>, text: &str| word.and_then(Word::bare) == Some(text);
        bare(self.simple.words.first(), "[[") && !bare(self.simple.words.last(), "]]")
    }

    fn flush(&mut self) {
        let simple = std::mem::take(&mut self.simple);
        if !simple.words.is_empty() || !simple.redirections.is_empty() {
            self.script.items.push(Item::Run(simple));
        }
    }

    fn join(&mut self, join: Join) {
        self.flush();
        if let Some(open @ Open::LoopHead) = self.open.last_mut() {
            *open = Open::Loop;
        }
        self.script.items.push(Item::Then(join));
    }

    fn enter(&mut self, open: Open, scope: Scope) {
        self.flush();
        self.open.push(open);
        let scope = if std::mem::take(&mut self.function) { Scope::Function } else { scope };
        self.script.items.push(Item::Enter(scope));
    }

    fn leave(&mut self) {
        self.flush();
        self.open.pop();
        self.script.items.push(Item::Leave);
    }

    fn set_open(&mut self, open: Open) {
        self.flush();
        if let Some(last) = self.open.last_mut() {
            *last = open;
        }
    }

    fn finish(mut self) -> Result<Script, Unbalanced> {
        if !self.open.is_empty() || self.in_test() {
            return Err(Unbalanced);
        }
        self.flush();
        Ok(self.script)
    }
}

/// Takes `cost` from what may still be read.
pub(super) fn spend(budget: &Cell<usize>, cost: usize) -> Result<(), Unbalanced> {
    budget.set(budget.get().checked_sub(cost).ok_or(Unbalanced)?);
    Ok(())
}

pub(super) fn is_operator(c: char) -> bool {
    matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>')
}

//! Reading a word: quotes, escapes, and what expands.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::DEPTH_MAX;
use super::script::Script;
use super::syntax::{Parser, Unbalanced, is_operator, spend};
use super::words::{Piece, Word, is_assignment_head};

/// Quotes and braces inside each other that are still followed; people write three.
const NEST_MAX: usize = 32;

impl Parser<'_> {
    /// Reads one word; the position is at its first character.
    pub fn word(&mut self) -> Result<Word, Unbalanced> {
        let mut word = Word::default();
        let (mut brace, mut bracket) = (None, false);
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' => break,
                '<' | '>' if self.peek(1) == Some('(') => {
                    self.at += 2;
                    let script = self.inner_script()?;
                    word.pieces.push(Piece::Unknown(vec![script]));
                    continue;
                }
                '(' if word.bare().is_some_and(is_assignment_head) => {
                    let scripts = self.array()?;
                    word.pieces.push(Piece::Unknown(scripts));
                    continue;
                }
                c if is_operator(c) => break,
                '\\' if self.peek(1) == Some('\n') => {
                    self.at += 2;
                    continue;
                }
                '\\' => {
                    self.at += 1;
                    word.quoted = true;
                    word.push(self.peek(0).unwrap_or('\\'));
                }
                '\'' => {
                    word.append(self.single_quoted()?);
                    continue;
                }
                '"' => {
                    self.at += 1;
                    word.append(self.quoted_run(Some('"'))?);
                    continue;
                }
                '$' if self.peek(1) == Some('\'') => {
                    self.at += 2;
                    word.append(self.ansi_quoted()?);
                    continue;
                }
                '$' if self.peek(1) == Some('"') => {
                    self.at += 2;
                    word.append(self.quoted_run(Some('"'))?);
                    continue;
                }
                '$' | '`' => {
                    self.expansion(&mut word, false)?;
                    continue;
                }
                '~' if word.pieces.is_empty() => word.pieces.push(Piece::Unknown(Vec::new())),
                c => {
                    match c {
                        '*' | '?' => word.vague = true,
                        '[' => bracket = true,
                        ']' if bracket => word.vague = true,
                        '{' => brace = Some(false),
                        ',' if brace.is_some() => brace = Some(true),
                        '.' if brace.is_some() && self.peek(1) == Some('.') => brace = Some(true),
                        '}' if brace == Some(true) => word.vague = true,
                        _ => {}
                    }
                    word.push(c);
                }
            }
            self.at += 1;
        }
        self.at = self.at.min(self.text.len());
        Ok(word)
    }

    fn inner_script(&mut self) -> Result<Script, Unbalanced> {
        if DEPTH_MAX <= self.depth {
            return Err(Unbalanced);
        }
        self.depth += 1;
        let nest = std::mem::take(&mut self.nest);
        let script = self.script(true)?;
        self.nest = nest;
        self.depth -= 1;
        Ok(script)
    }

    fn single_quoted(&mut self) -> Result<Word, Unbalanced> {
        let mut word = Word::default();
        loop {
            self.at += 1;
            match self.peek(0) {
                None => return Err(Unbalanced),
                Some('\'') => break,
                Some(c) => word.push(c),
            }
        }
        self.at += 1;
        Ok(word)
    }

    /// Text as between double quotes, to `end` or to the end of the text.
    pub fn quoted_run(&mut self, end: Option<char>) -> Result<Word, Unbalanced> {
        self.nest += 1;
        if NEST_MAX < self.nest {
            return Err(Unbalanced);
        }
        let mut word = Word { quoted: true, ..Word::default() };
        loop {
            match (self.peek(0), end) {
                (None, None) => break,
                (None, Some(_)) => return Err(Unbalanced),
                (Some(c), Some(end)) if c == end => {
                    self.at += 1;
                    break;
                }
                (Some('\\'), _) => {
                    match self.peek(1) {
                        Some('\n') => {}
                        Some(c) if matches!(c, '$' | '`' | '\\') || Some(c) == end => word.push(c),
                        Some(c) => {
                            word.push('\\');
                            word.push(c);
                        }
                        None => word.push('\\'),
                    }
                    self.at = (self.at + 2).min(self.text.len());
                }
                (Some('$' | '`'), _) => self.expansion(&mut word, true)?,
                (Some(c), _) => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
        self.nest -= 1;
        Ok(word)
    }

    /// `$…` or a backquote.
    fn expansion(&mut self, word: &mut Word, quoted: bool) -> Result<(), Unbalanced> {
        if self.peek(0) == Some('`') {
            let script = self.backquoted(quoted)?;
            word.pieces.push(Piece::Output { script, quoted });
            return Ok(());
        }
        match self.peek(1) {
            Some('(') => {
                let arithmetic = if self.peek(2) == Some('(') { self.arithmetic_end(self.at + 1)? } else { None };
                if let Some(end) = arithmetic {
                    let inner = self.arithmetic(self.at + 3, end)?;
                    word.pieces.push(Piece::Unknown(inner.into_scripts()));
                } else {
                    self.at += 2;
                    let script = self.inner_script()?;
                    word.pieces.push(Piece::Output { script, quoted });
                }
            }
            Some('{') => {
                self.at += 2;
                let scripts = self.braces(quoted)?;
                word.pieces.push(Piece::Unknown(scripts));
            }
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?-$!".contains(c) => {
                self.at += 2;
                while (c == '_' || c.is_ascii_alphabetic()) && self.peek(0).is_some_and(|c| c == '_' || c.is_ascii_alphanumeric()) {
                    self.at += 1;
                }
                word.pieces.push(Piece::Unknown(Vec::new()));
            }
            _ => {
                word.push('$');
                self.at += 1;
            }
        }
        Ok(())
    }

    /// `${…}` from behind its brace: the scripts in it.
    fn braces(&mut self, quoted: bool) -> Result<Vec<Script>, Unbalanced> {
        let mut inside = Word::default();
        let mut open = 1_usize;
        while 0 < open {
            match self.peek(0).ok_or(Unbalanced)? {
                '\\' => self.at += 2,
                '\'' if !quoted => drop(self.single_quoted()?),
                '"' => {
                    self.at += 1;
                    inside.append(self.quoted_run(Some('"'))?);
                }
                '$' if self.peek(1) == Some('{') => {
                    open += 1;
                    self.at += 2;
                }
                '$' | '`' => self.expansion(&mut inside, true)?,
                '}' => {
                    open -= 1;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        Ok(inside.into_scripts())
    }

    fn backquoted(&mut self, quoted: bool) -> Result<Script, Unbalanced> {
        let mut text = Vec::new();
        loop {
            self.at += 1;
            match self.peek(0).ok_or(Unbalanced)? {
                '`' => break,
                '\\' => {
                    self.at += 1;
                    let c = self.peek(0).ok_or(Unbalanced)?;
                    let escaped = matches!(c, '`' | '\\' | '$') || (quoted && c == '"');
                    if !escaped {
                        text.push('\\');
                    }
                    text.push(c);
                }
                c => text.push(c),
            }
        }
        self.at += 1;
        Parser::read(&text, self.depth + 1, self.budget)
    }

    /// Where `((…))` that begins at `start` ends; none when its brackets say that these are two subshells.
    pub fn arithmetic_end(&self, start: usize) -> Result<Option<usize>, Unbalanced> {
        if self.text.get(start + 1) != Some(&'(') {
            return Ok(None);
        }
        let mut open = 2_usize;
        let mut at = start + 2;
        let mut found = None;
        while let Some(c) = self.text.get(at) {
            match c {
                '\\' => at += 1,
                '(' => open += 1,
                ')' if open == 2 => {
                    found = (self.text.get(at + 1) == Some(&')')).then_some(at + 2);
                    break;
                }
                ')' => open -= 1,
                _ => {}
            }
            at += 1;
        }
        spend(self.budget, at.min(self.text.len()).saturating_sub(start))?;
        Ok(found)
    }

    /// What is between `start` and the `))` before `end`; goes on behind it.
    pub fn arithmetic(&mut self, start: usize, end: usize) -> Result<Word, Unbalanced> {
        let text = &self.text[start..end - 2];
        spend(self.budget, text.len())?;
        let mut parser = Parser { text, at: 0, depth: self.depth, nest: self.nest, budget: self.budget };
        let word = parser.quoted_run(None)?;
        self.at = end;
        Ok(word)
    }

    /// `( … )` behind `name=`.
    fn array(&mut self) -> Result<Vec<Script>, Unbalanced> {
        self.at += 1;
        let mut scripts = Vec::new();
        loop {
            match self.peek(0).ok_or(Unbalanced)? {
                ')' => {
                    self.at += 1;
                    return Ok(scripts);
                }
                ' ' | '\t' | '\r' | '\n' => self.at += 1,
                '#' => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                c if is_operator(c) && self.peek(1) != Some('(') => return Err(Unbalanced),
                _ => {
                    self.nest += 1;
                    if NEST_MAX < self.nest {
                        return Err(Unbalanced);
                    }
                    scripts.extend(self.word()?.into_scripts());
                    self.nest -= 1;
                    if self.peek(0).is_some_and(|c| is_operator(c) && c != ')') {
                        return Err(Unbalanced);
                    }
                }
            }
        }
    }

    /// `$'…'` from behind its quote.
    fn ansi_quoted(&mut self) -> Result<Word, Unbalanced> {
        let begin = self.at;
        loop {
            match self.peek(0).ok_or(Unbalanced)? {
                '\\' => self.at += 2,
                '\'' => break,
                _ => self.at += 1,
            }
        }
        let raw: Vec<char> = self.text[begin..self.at].to_vec();
        self.at += 1;
        let mut word = Word::default();
        let mut chars = raw.into_iter().peekable();
        while let Some(c) = chars.next() {
            if c != '\\' {
                word.push(c);
                continue;
            }
            let Some(c) = chars.next() else { break };
            match c {
                'n' => word.push('\n'),
                't' => word.push('\t'),
                'r' => word.push('\r'),
                'a' => word.push('\u{7}'),
                'b' => word.push('\u{8}'),
                'e' | 'E' => word.push('\u{1b}'),
                'f' => word.push('\u{c}'),
                'v' => word.push('\u{b}'),
                'x' | 'u' | 'U' if chars.peek().is_some_and(char::is_ascii_hexdigit) => {
                    word.push(number(&mut chars, 0, 16, [2, 4, 8]["xuU".find(c).unwrap_or(0)]));
                }
                '0'..='7' => word.push(number(&mut chars, c.to_digit(8).unwrap_or(0), 8, 2)),
                c if "\\'\"?".contains(c) => word.push(c),
                c => {
                    word.push('\\');
                    word.push(c);
                }
            }
        }
        Ok(word)
    }
}

/// The character whose number goes on, in at most `digits` more digits.
fn number(chars: &mut Peekable<IntoIter<char>>, mut value: u32, radix: u32, digits: usize) -> char {
    for _ in 0..digits {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        value = value.saturating_mul(radix).saturating_add(digit);
        chars.next();
    }
    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
}

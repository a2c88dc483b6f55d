//! Words, quoted texts and signs, each with the characters it stands on.

use crate::fault::{Fault, Kind};
use std::ops::Range;

/// A piece of text that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Characters without a space, as typed.
    Word(String),
    /// What stood between quotes.
    Quoted(String),
    /// `= != < <= > >= ( ) [ ] ,`
    Sign(&'static str),
}

/// A token and the characters it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What it is.
    pub token: Token,
    /// Where it stands, in characters.
    pub at: Range<usize>,
}

const SIGNS: [&str; 11] = ["!=", "<=", ">=", "=", "<", ">", "(", ")", "[", "]", ","];

fn ends_word(character: char) -> bool {
    character.is_whitespace() || "\"()[],=<>!".contains(character)
}

/// Takes a text apart. Every character lands in a token or a fault.
pub fn lex(text: &str) -> (Vec<Placed>, Vec<Fault>) {
    let characters: Vec<char> = text.chars().collect();
    let (mut tokens, mut faults) = (Vec::new(), Vec::new());
    let mut here = 0;
    while let Some(&character) = characters.get(here) {
        let start = here;
        if character.is_whitespace() {
            here += 1;
        } else if character == '"' {
            here += 1;
            let mut quoted = String::new();
            let mut closed = false;
            while let Some(&next) = characters.get(here) {
                here += 1;
                match (next, characters.get(here)) {
                    ('"', _) => {
                        closed = true;
                        break;
                    }
                    ('\\', Some(&escaped @ ('"' | '\\'))) => {
                        quoted.push(escaped);
                        here += 1;
                    }
                    _ => quoted.push(next),
                }
            }
            if !closed {
                faults.push(Fault { at: start..here, kind: Kind::Syntax, text: "a quote is not closed".into(), hint: "end it with \"".into() });
            }
            tokens.push(Placed { token: Token::Quoted(quoted), at: start..here });
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| sign.chars().enumerate().all(|(place, own)| characters.get(start + place) == Some(&own))) {
            here += sign.len();
            tokens.push(Placed { token: Token::Sign(sign), at: start..here });
        } else if character == '!' {
            here += 1;
            faults.push(Fault { at: start..here, kind: Kind::Syntax, text: "! stands alone".into(), hint: "write != or not".into() });
        } else {
            while characters.get(here).is_some_and(|next| !ends_word(*next)) {
                here += 1;
            }
            tokens.push(Placed { token: Token::Word(characters[start..here].iter().collect()), at: start..here });
        }
    }
    (tokens, faults)
}

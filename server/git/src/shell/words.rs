//! Words: quotes, escapes and what stands in for a value only running would tell.

use super::script::{Body, Item, Join, Redirection, Script, Simple};

/// What stands in a script that is read again for something that would have expanded there: a number that is no character's, and that
/// no quotes make into one.
pub(super) const UNKNOWN: &str = "\u{fdd0}";
pub(super) const UNKNOWN_CHAR: char = '\u{fdd0}';

/// One word of a command.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub pieces: Vec<Piece>,
    pub quoted: bool,
    /// A pattern or brace expansion: its text is known, what becomes of it is not.
    pub vague: bool,
}

#[derive(Debug)]
pub(super) enum Piece {
    Text(String),
    /// Something that expands, with the scripts inside it.
    Unknown(Vec<Script>),
    /// `$(…)` or backquotes.
    Output {
        script: Script,
        quoted: bool,
    },
}

impl Word {
    /// The word as it stands, if nothing in it is quoted, escaped or expands.
    pub fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] if !self.quoted && !self.vague => Some(text),
            _ => None,
        }
    }

    /// The text in it, whatever expands left out.
    pub fn literal(&self) -> String {
        self.pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None }).collect()
    }

    /// What the command gets, if the text alone tells.
    pub fn value(&self) -> Option<String> {
        if self.vague {
            return None;
        }
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Some(text.clone()),
                Piece::Output { script, quoted: true } => printed(script),
                Piece::Output { .. } | Piece::Unknown(_) => None,
            })
            .collect()
    }

    /// The word as script text to be read again: what expands becomes something unknown.
    pub fn script_text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Output { script, quoted: true } => printed(script).unwrap_or_else(|| UNKNOWN.to_owned()),
                Piece::Output { .. } | Piece::Unknown(_) => UNKNOWN.to_owned(),
            })
            .collect()
    }

    /// The scripts that run while this word is expanded.
    pub fn scripts(&self) -> impl Iterator<Item = &Script> {
        self.pieces.iter().flat_map(|piece| match piece {
            Piece::Text(_) => [].iter(),
            Piece::Unknown(scripts) => scripts.iter(),
            Piece::Output { script, .. } => std::slice::from_ref(script).iter(),
        })
    }

    pub fn into_scripts(self) -> Vec<Script> {
        let scripts = |piece| match piece {
            Piece::Text(_) => Vec::new(),
            Piece::Unknown(scripts) => scripts,
            Piece::Output { script, .. } => vec![script],
        };
        self.pieces.into_iter().flat_map(scripts).collect()
    }

    pub fn push(&mut self, c: char) {
        if c == UNKNOWN_CHAR {
            return self.pieces.push(Piece::Unknown(Vec::new()));
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => self.pieces.push(Piece::Text(String::from(c))),
        }
    }

    pub fn append(&mut self, other: Word) {
        self.quoted = true;
        for piece in other.pieces {
            match piece {
                Piece::Text(text) => text.chars().for_each(|c| self.push(c)),
                piece => self.pieces.push(piece),
            }
        }
        if self.pieces.is_empty() {
            self.pieces.push(Piece::Text(String::new())); // an empty pair of quotes is a word too
        }
    }
}

/// What `$(…)` becomes, without the line ends the shell takes off.
fn printed(script: &Script) -> Option<String> {
    let mut commands = script.items.iter().filter(|item| !matches!(item, Item::Then(Join::Sequence)));
    let (Some(Item::Run(simple)), None) = (commands.next(), commands.next()) else { return None };
    prints(simple, &script.bodies).map(|text| text.trim_end_matches('\n').to_owned())
}

/// What a command prints whose text is all in front of us: `cat` with a here-document, `echo`, `printf` of one string.
pub(super) fn prints(simple: &Simple, bodies: &[Body]) -> Option<String> {
    let words: Vec<String> = simple.words.iter().map(Word::value).collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["cat" | "/bin/cat" | "/usr/bin/cat"] | ["cat", "-"] => stdin(simple, bodies),
        // Shells differ in what `echo` makes of an option or a backslash.
        ["echo", rest @ ..] if !rest.iter().any(|word| word.contains('\\') || word.starts_with('-')) => Some(rest.join(" ") + "\n"),
        ["printf", "%s", text] => Some((*text).to_owned()),
        ["printf", "%s\\n", lines @ ..] if !lines.is_empty() => Some(lines.join("\n") + "\n"),
        _ => None,
    }
}

/// The text a command is given on stdin, by a here-document or here-string.
pub(super) fn stdin(simple: &Simple, bodies: &[Body]) -> Option<String> {
    let mut given = None;
    for redirection in &simple.redirections {
        match redirection {
            Redirection::Here(body) => given = bodies.get(*body)?.text.clone(),
            Redirection::HereString(word) => given = word.value().map(|text| text + "\n"),
            Redirection::Input(_) => given = None,
            Redirection::Output { .. } | Redirection::Other(_) | Redirection::HereOther(_) => {}
        }
    }
    given
}

/// `name=` or `name+=`.
pub(super) fn is_assignment_head(text: &str) -> bool {
    text.strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name)).is_some_and(is_name)
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

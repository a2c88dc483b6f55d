//! What the command line says: data on stdout, notices on stderr, and neither breaks when its reader goes away.
//!
//! Text is collected and written in one go at the end, so a refusal leaves no half answer behind. A pipe that was closed early
//! (`| head`) ends the command quietly.

use super::text;
use contracts::{Code, Problem};
use serde::Serialize;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// How to speak, by flags, environment and what stdout is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// One JSON document instead of text.
    pub json: bool,
    /// No notices.
    pub quiet: bool,
    /// No characters beyond ASCII of our own (what the board holds is shown as it is).
    pub ascii: bool,
    /// Colours.
    pub colour: bool,
    /// Whether stdout is a terminal.
    pub terminal: bool,
    /// Its columns.
    pub columns: usize,
}

impl Manner {
    /// Of this process. `no_color` is the flag; the variable and a missing terminal mean the same.
    pub fn of_process(json: bool, quiet: bool, no_color: bool, ascii: bool) -> Manner {
        let terminal = io::stdout().is_terminal();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let plain = no_color || dumb || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Manner { json, quiet, ascii, colour: terminal && !plain, terminal, columns: columns() }
    }
}

/// Columns to write for: the person's word, the terminal's, else what every terminal has.
fn columns() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    told.or_else(measured).filter(|columns| (20..=1_000).contains(columns)).unwrap_or(80)
}

/// How a span looks where there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// Stands out.
    Strong,
    /// Stands back.
    Dim,
    /// Well.
    Good,
    /// Wants a look.
    Warn,
    /// Wrong.
    Bad,
    /// Under way.
    Live,
}

impl Tone {
    fn code(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Strong => "1",
            Tone::Dim => "2",
            Tone::Good => "32",
            Tone::Warn => "33",
            Tone::Bad => "31",
            Tone::Live => "36",
        }
    }
}

/// One line in spans. What is put in may be hostile; it is made safe when it is written.
#[derive(Clone, Debug, Default)]
pub struct Row(Vec<(Tone, String)>);

impl Row {
    /// Nothing yet.
    pub fn new() -> Row {
        Row::default()
    }

    /// The same line with one more span.
    pub fn add(mut self, tone: Tone, text: impl Into<String>) -> Row {
        self.0.push((tone, text.into()));
        self
    }

    /// With plain text.
    pub fn plain(self, text: impl Into<String>) -> Row {
        self.add(Tone::Plain, text)
    }

    /// With text that stands out.
    pub fn strong(self, text: impl Into<String>) -> Row {
        self.add(Tone::Strong, text)
    }

    /// With text that stands back.
    pub fn dim(self, text: impl Into<String>) -> Row {
        self.add(Tone::Dim, text)
    }

    /// With another line behind it.
    pub fn then(mut self, row: Row) -> Row {
        self.0.extend(row.0);
        self
    }

    fn written(&self, colour: bool) -> String {
        let mut line = String::new();
        for (tone, text) in &self.0 {
            let text = text::safe(text);
            if colour && *tone != Tone::Plain && !text.trim().is_empty() {
                line.push_str(&format!("\u{1b}[{}m{text}\u{1b}[0m", tone.code()));
            } else {
                line.push_str(&text);
            }
        }
        line.truncate(line.trim_end_matches(' ').len());
        line
    }
}

impl From<&str> for Row {
    fn from(text: &str) -> Row {
        Row::new().plain(text)
    }
}

impl From<String> for Row {
    fn from(text: String) -> Row {
        Row::new().plain(text)
    }
}

/// The two streams.
pub struct Out {
    /// How to speak.
    pub manner: Manner,
    text: String,
}

impl Out {
    /// Nothing said yet.
    pub fn new(manner: Manner) -> Out {
        Out { manner, text: String::new() }
    }

    /// One line of data.
    pub fn row(&mut self, row: impl Into<Row>) {
        self.text.push_str(&row.into().written(self.manner.colour));
        self.text.push('\n');
    }

    /// An empty line, unless nothing or an empty line stands before it.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Text of several lines that somebody wrote, indented.
    pub fn block(&mut self, indent: usize, text: &str) {
        for line in text.trim_end().lines() {
            let line = line.replace('\t', "    ");
            self.row(format!("{}{line}", " ".repeat(indent)));
        }
    }

    /// The answer as one JSON document. ASCII escapes are not needed: a JSON reader is no terminal, and one that is shows text
    /// through `safe` already, because controls are escaped by JSON itself; overrides are escaped here.
    pub fn document(&mut self, value: &impl Serialize) -> Result<(), Problem> {
        let written = serde_json::to_string_pretty(value).map_err(|fault| Problem::new(Code::Internal, format!("the answer can't be written: {fault}")))?;
        for character in written.chars() {
            match character {
                '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    self.text.push_str(&format!("\\u{:04x}", u32::from(character)));
                }
                other => self.text.push(other),
            }
        }
        self.text.push('\n');
        Ok(())
    }

    /// Text that is data as it is (a completion script).
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Text that comes in pieces, without a line's end of its own; controls but line ends are spelled out.
    pub fn flowing(&mut self, piece: &str) {
        for (at, line) in piece.split('\n').enumerate() {
            if at > 0 {
                self.text.push('\n');
            }
            self.text.push_str(&text::safe(line));
        }
    }

    /// A notice, at once, unless it is quiet.
    pub fn notice(&self, text: &str) {
        if !self.manner.quiet {
            self.tell(text);
        }
    }

    /// A line on stderr, whatever was asked for.
    pub fn tell(&self, text: &str) {
        let lines: Vec<String> = text.lines().map(|line| text::safe(line).into_owned()).collect();
        let _ = writeln!(io::stderr().lock(), "{}", lines.join("\n")); // nobody listens: nothing to do about it
    }

    /// Writes what was collected. A reader that went away is no fault.
    pub fn flush(&mut self) -> Result<(), Problem> {
        let text = std::mem::take(&mut self.text);
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(fault) if fault.kind() == ErrorKind::BrokenPipe => Ok(()),
            Err(fault) => Err(Problem::new(Code::Busy, format!("the answer can't be written: {}", fault.kind()))),
        }
    }

    /// The mark of a cut text.
    pub fn ellipsis(&self) -> &'static str {
        if self.manner.ascii { "..." } else { "…" }
    }

    /// Between two facts of one line.
    pub fn dot(&self) -> &'static str {
        if self.manner.ascii { "-" } else { "·" }
    }

    /// From one state to the next.
    pub fn arrow(&self) -> &'static str {
        if self.manner.ascii { "->" } else { "→" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_never_let_the_boards_own_escapes_through() {
        let row = Row::new().strong("a\u{1b}[31mb").plain(" c  ");
        assert_eq!(row.written(true), "\u{1b}[1ma\\u{1b}[31mb\u{1b}[0m c");
        assert_eq!(row.written(false), "a\\u{1b}[31mb c");
    }

    #[test]
    fn a_document_holds_no_character_a_terminal_would_obey() {
        let mut out = Out::new(Manner::default());
        out.document(&"a\u{202e}b\u{1b}c\u{9b}d").unwrap();
        assert_eq!(out.text, "\"a\\u202eb\\u001bc\\u009bd\"\n");
        assert_eq!(serde_json::from_str::<String>(&out.text).unwrap(), "a\u{202e}b\u{1b}c\u{9b}d");
    }
}

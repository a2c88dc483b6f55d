//! The table: rows, as text for a terminal and as Markdown between two marks.

use crate::{Fault, Outcome};
use std::fs;
use std::path::Path;

/// One promise and what became of it.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The promise.
    pub what: String,
    /// What was measured.
    pub measured: String,
    /// What it should be; empty where it is only told.
    pub target: String,
    /// Whether it is.
    pub holds: Option<bool>,
    /// The floor and the peers, measured in the same run.
    pub beside: String,
    /// How, and how often.
    pub how: String,
}

impl Row {
    /// A measurement that could not be made.
    pub fn failed(name: &str, fault: &Fault) -> Row {
        Row { what: name.to_owned(), measured: format!("failed: {}", one_line(&fault.to_string())), ..Row::default() }
    }

    fn cells(&self) -> [String; 6] {
        let holds = match self.holds {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        };
        [self.what.as_str(), &self.measured, &self.target, holds, &self.beside, &self.how].map(one_line)
    }
}

fn one_line(text: &str) -> String {
    text.replace('|', "/").split_whitespace().collect::<Vec<_>>().join(" ")
}

const HEADS: [&str; 6] = ["What", "Measured", "Target", "Holds", "Beside it", "How"];
const BEGIN: &str = "<!-- measured: begin -->";
const END: &str = "<!-- measured: end -->";

/// As Markdown, which a terminal reads as well.
pub fn text(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&HEADS.map(str::to_owned));
    text.push_str("|---|---|---|---|---|---|\n");
    for row in rows {
        text.push_str(&line(&row.cells()));
    }
    text
}

/// Puts the table between the marks of the file.
pub fn write(path: &Path, rows: &[Row], machine: &str) -> Outcome<()> {
    let before = fs::read_to_string(path)?;
    let (head, rest) = before.split_once(BEGIN).ok_or("the mark of its beginning is missing")?;
    let (_, tail) = rest.split_once(END).ok_or("the mark of its end is missing")?;
    Ok(fs::write(path, format!("{head}{BEGIN}\n{machine}\n\n{}{END}{tail}", text(rows)))?)
}

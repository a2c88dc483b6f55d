//! Cutting a long dossier into parts that a model can be given one after the other.
//!
//! Invariant: nothing is left out and nothing comes twice: the bodies of all parts, one after the other, are the dossier behind its head.

/// One part of a dossier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The dossier's own head, and the heading of the section that goes on here.
    pub head: String,
    /// Entries.
    pub body: String,
}

impl Piece {
    /// What the model is given.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, self.body)
    }
}

/// Cuts a dossier into parts of at most so many characters: between entries, an entry that is longer between its lines, and a line that
/// is longer where it has to be.
pub fn pieces(dossier: &str, chars_max: usize) -> Vec<Piece> {
    if dossier.chars().count() <= chars_max {
        return vec![Piece { head: String::new(), body: dossier.to_owned() }];
    }
    let split = dossier.find("\n## ").map_or(0, |at| at + 1);
    let (head, rest) = dossier.split_at(split);
    // Without a head that leaves room for entries there is no sense in repeating it.
    let (head, rest) = if head.chars().count() * 2 > chars_max { ("", dossier) } else { (head, rest) };
    let mut cutter = Cutter { head, chars_max, section: String::new(), pieces: Vec::new(), body: String::new(), chars: 0, piece_head: head.to_owned() };
    for unit in units(rest, starts_entry) {
        if let Some(title) = unit.strip_prefix("## ") {
            cutter.section = title.lines().next().unwrap_or_default().to_owned();
        }
        cutter.add(unit);
    }
    cutter.end();
    cutter.pieces
}

struct Cutter<'a> {
    head: &'a str,
    chars_max: usize,
    section: String,
    pieces: Vec<Piece>,
    piece_head: String,
    body: String,
    chars: usize,
}

impl Cutter<'_> {
    fn room(&self) -> usize {
        self.chars_max.saturating_sub(self.piece_head.chars().count()).max(1)
    }

    fn add(&mut self, unit: &str) {
        let chars = unit.chars().count();
        if self.chars + chars > self.room() {
            self.end();
            self.begin(unit);
        }
        if chars <= self.room() {
            self.body.push_str(unit);
            self.chars += chars;
            return;
        }
        for line in unit.split_inclusive('\n') {
            let mut line = line;
            while !line.is_empty() {
                if self.chars + line.chars().count() > self.room() && self.chars > 0 {
                    self.end();
                    self.begin("");
                }
                let end = line.char_indices().nth(self.room()).map_or(line.len(), |(at, _)| at);
                self.body.push_str(&line[..end]);
                self.chars += line[..end].chars().count();
                line = &line[end..];
            }
        }
    }

    /// A new part; one that begins inside a section says which.
    fn begin(&mut self, unit: &str) {
        self.piece_head = self.head.to_owned();
        if !unit.starts_with("## ") && !self.section.is_empty() {
            self.piece_head.push_str(&format!("## {}, continued\n\n", self.section));
        }
    }

    fn end(&mut self) {
        if !self.body.is_empty() {
            self.pieces.push(Piece { head: self.piece_head.clone(), body: std::mem::take(&mut self.body) });
        }
        self.chars = 0;
    }
}

/// Whether an entry or a section begins with this line.
fn starts_entry(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("- ")
}

/// The text in pieces that begin where `begins` says, and at its start.
fn units(text: &str, begins: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if begins(line) && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    starts.push(text.len());
    starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

//! Keeps answers short: lists give up their oldest items first and say how many, and pages go on where the last one ended.

use super::safe::{cut, quote};
use contracts::Problem;

/// Which end of a list is given up first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oldest {
    /// Items stand oldest first.
    First,
    /// Items stand newest, or most useful, first.
    Last,
}

/// A list that may be cut.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// Its heading, if it has one.
    pub heading: String,
    /// Items in the order shown.
    pub items: Vec<String>,
    /// Which end is cut.
    pub oldest: Oldest,
    /// How many there are beyond `items`.
    pub more: i64,
    /// Whether an item's own text was cut.
    pub shortened: bool,
    /// The exact call that shows the rest.
    pub call: String,
}

impl List {
    /// A list with nothing cut yet.
    pub fn new(heading: impl Into<String>, oldest: Oldest, call: impl Into<String>) -> List {
        List { heading: heading.into(), items: Vec::new(), oldest, more: 0, shortened: false, call: call.into() }
    }

    /// The list as text; empty when there never was an item.
    pub fn text(&self) -> String {
        if self.items.is_empty() && self.more <= 0 {
            return String::new();
        }
        let rest = match (self.more > 0, self.shortened) {
            (true, _) => Some(format!("+{} more: {}", self.more, self.call)),
            (false, true) => Some(format!("whole texts: {}", self.call)),
            (false, false) => None,
        };
        let mut lines: Vec<&str> = Vec::new();
        lines.extend((!self.heading.is_empty()).then_some(self.heading.as_str()));
        if self.oldest == Oldest::First {
            lines.extend(rest.as_deref());
        }
        lines.extend(self.items.iter().map(String::as_str));
        if self.oldest == Oldest::Last {
            lines.extend(rest.as_deref());
        }
        lines.join("\n")
    }

    /// Bytes of the list as text, about: what cutting is judged by.
    fn size(&self) -> usize {
        if self.items.is_empty() && self.more <= 0 {
            return 0;
        }
        let items: usize = self.items.iter().map(|item| item.len() + 1).sum();
        let rest = if self.more > 0 || self.shortened { self.call.len() + 24 } else { 0 };
        self.heading.len() + items + rest + 2
    }

    fn drop_one(&mut self) {
        match self.oldest {
            Oldest::First => drop(self.items.remove(0)),
            Oldest::Last => drop(self.items.pop()),
        }
        self.more += 1;
    }
}

/// Cuts lists, always the longest one, until together they fit.
pub(crate) fn fit(lists: &mut [&mut List], budget: usize) {
    loop {
        let sizes: Vec<usize> = lists.iter().map(|list| list.size()).collect();
        if sizes.iter().sum::<usize>() <= budget {
            return;
        }
        let longest = (0..lists.len()).filter(|place| !lists[*place].items.is_empty()).max_by_key(|place| sizes[*place]);
        match longest {
            Some(place) => lists[place].drop_one(),
            None => return,
        }
    }
}

/// A piece of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// Always shown, and counted.
    Text(String),
    /// Always shown, and outside the budget: the order itself, which no agent gets by halves.
    Whole(String),
    /// A text with its heading, cut to what the lists leave, but never below `least` bytes.
    Cut {
        /// Before it.
        heading: String,
        /// The text, clean.
        text: String,
        /// Whether it is shown as a quotation.
        quoted: bool,
        /// Bytes it keeps in any case.
        least: usize,
        /// The exact call that shows all of it.
        call: String,
    },
    /// Cut to what is left.
    List(List),
}

impl Block {
    /// Bytes it takes in any case.
    fn least(&self) -> usize {
        match self {
            Block::Text(text) => text.len() + 2,
            Block::Cut { heading, text, least, call, .. } => heading.len() + text.len().min(*least) + call.len() + 50,
            Block::Whole(_) | Block::List(_) => 2,
        }
    }

    /// The block as text; `room` is what a text that can be cut may have beyond its least.
    fn text(self, room: &mut usize) -> String {
        match self {
            Block::Text(text) | Block::Whole(text) => text,
            Block::List(list) => list.text(),
            Block::Cut { text, .. } if text.is_empty() => String::new(),
            Block::Cut { heading, text, quoted, least, call } => {
                let bytes = least + *room;
                *room -= text.len().saturating_sub(least).min(*room);
                let (shown, was_cut) = if quoted { quote(&text, bytes) } else { cut(&text, bytes) };
                let rest = if was_cut { format!("whole text: {call}") } else { String::new() };
                [heading, shown, rest].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// The blocks as one text, lists cut so that everything but the `Whole` ones fits.
pub(crate) fn render(mut blocks: Vec<Block>, budget: usize) -> String {
    let taken: usize = blocks.iter().map(Block::least).sum();
    let mut lists: Vec<&mut List> = blocks.iter_mut().filter_map(|block| if let Block::List(list) = block { Some(list) } else { None }).collect();
    fit(&mut lists, budget.saturating_sub(taken));
    let listed: usize = lists.iter().map(|list| list.size()).sum();
    let mut room = budget.saturating_sub(taken + listed);
    super::join(blocks.into_iter().map(|block| block.text(&mut room)).collect::<Vec<_>>())
}

/// A part of a text from byte `from`, at most `bytes` long, ended at a line where that is possible; and where the next begins.
pub(crate) fn window(text: &str, from: usize, bytes: usize) -> (&str, Option<usize>) {
    let rest = &text[text.floor_char_boundary(from)..];
    if rest.len() <= bytes {
        return (rest, None);
    }
    let most = rest.floor_char_boundary(bytes).max(rest.ceil_char_boundary(1));
    let end = rest[..most].rfind('\n').map_or(most, |newline| newline + 1);
    (&rest[..end], Some(text.len() - rest.len() + end))
}

/// Where a page begins: a page of the board, and a byte within it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Byte within the rendered page.
    pub from: usize,
    /// The board's own cursor; none is its first page.
    pub page: Option<String>,
}

impl Cursor {
    /// Reads what [`Cursor::text`] wrote.
    pub fn parse(raw: &str) -> Result<Cursor, Problem> {
        let (from, page) = raw.split_once('.').map_or((raw, None), |(from, page)| (from, Some(page.to_owned())));
        let from = from.parse().map_err(|_| Problem::bad_request("cursor", "take it word for word from the answer before"))?;
        Ok(Cursor { from, page })
    }

    /// The cursor as an argument.
    pub fn text(&self) -> String {
        match &self.page {
            Some(page) => format!("{}.{page}", self.from),
            None => self.from.to_string(),
        }
    }

    /// What comes after a window of a page.
    pub fn after(&self, next_byte: Option<usize>, next_page: Option<String>) -> Option<Cursor> {
        match (next_byte, next_page) {
            (Some(from), _) => Some(Cursor { from, page: self.page.clone() }),
            (None, Some(page)) => Some(Cursor { from: 0, page: Some(page) }),
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(oldest: Oldest, items: usize) -> List {
        List { items: (0..items).map(|item| format!("item {item}")).collect(), ..List::new("## Things", oldest, "ask {}") }
    }

    #[test]
    fn the_oldest_go_first_and_are_counted() {
        let (mut first, mut last) = (list(Oldest::First, 9), list(Oldest::Last, 8));
        fit(&mut [&mut first, &mut last], 110);
        assert_eq!(first.text(), "## Things\n+7 more: ask {}\nitem 7\nitem 8");
        assert_eq!(last.text(), "## Things\nitem 0\nitem 1\n+6 more: ask {}");
        assert!(first.text().len() + last.text().len() <= 110);
    }

    #[test]
    fn windows_cover_a_text_without_gap_or_overlap() {
        let text = "é line\n".repeat(40) + &"x".repeat(100);
        let (mut from, mut seen) = (Some(0), String::new());
        while let Some(at) = from {
            let (part, next) = window(&text, at, 33);
            assert!(!part.is_empty() && part.len() <= 33);
            seen.push_str(part);
            from = next;
        }
        assert_eq!(seen, text);
        assert_eq!(window("ab", 99, 10), ("", None));
    }

    #[test]
    fn a_cursor_is_read_back() {
        for cursor in [Cursor::default(), Cursor { from: 7, page: None }, Cursor { from: 0, page: Some("a.b".into()) }] {
            assert_eq!(Cursor::parse(&cursor.text()).unwrap(), cursor);
        }
        assert!(Cursor::parse("x").is_err());
    }
}

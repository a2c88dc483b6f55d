//! The keyboard: which key means what, as data, so that the help lists exactly what works.

use crate::places::PAGES;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Show the keys.
    Help,
    /// Go to the search.
    Search,
    /// Go to the filter.
    Filter,
    /// Open the palette.
    Palette,
    /// Wait for where to go.
    Go,
    /// Add a task.
    Add,
    /// The next card in this column.
    Down,
    /// The one before.
    Up,
    /// The column to the left.
    Left,
    /// The column to the right.
    Right,
    /// Close the top layer.
    Escape,
    /// Edit the open card.
    Edit,
    /// Reply on the open card.
    Reply,
    /// Move this card by menu.
    Move,
    /// Say whom it is for.
    Assign,
    /// Say how urgent it is.
    Priority,
    /// Select this card, or not any more.
    Select,
    /// Select all from the last one to this.
    SelectRange,
    /// The next card that needs a person.
    NextNeedsYou,
    /// Lift or drop this card.
    Lift,
}

/// Each key with what it does and what it asks for, in the order of the help; those that go to a page are in [`crate::places::PAGES`].
pub const ACTS: [(&str, &str, Act); 19] = [
    ("?", "Show these keys", Act::Help),
    ("/", "Search everything", Act::Search),
    ("f", "Go to the filter", Act::Filter),
    ("Ctrl K", "Commands: go to, open a task, do something (⌘ K on a Mac)", Act::Palette),
    ("c", "Add a task", Act::Add),
    ("j or ↓", "Next card", Act::Down),
    ("k or ↑", "Previous card", Act::Up),
    ("h or ←", "Column to the left", Act::Left),
    ("l or →", "Column to the right", Act::Right),
    ("Space", "Lift the card; arrows choose a column, Space drops, Escape cancels", Act::Lift),
    ("m", "Move the card by menu", Act::Move),
    ("a", "Say whom it is for", Act::Assign),
    ("p", "Say how urgent it is", Act::Priority),
    ("x", "Select the card", Act::Select),
    ("X", "Select all from the last one to this", Act::SelectRange),
    ("e", "Edit the open card", Act::Edit),
    ("r", "Reply on the open card", Act::Reply),
    ("n", "Next card that needs you", Act::NextNeedsYou),
    ("Esc", "Close what is on top", Act::Escape),
];

/// Every key with what it does, as the help lists them: what leads to pages stands where one looks for it, after the palette.
pub fn help() -> Vec<(String, &'static str)> {
    let pages = || PAGES.iter().filter_map(|page| page.key).map(|(key, words)| (format!("g {key}"), words));
    let mut all: Vec<(String, &'static str)> = ACTS.into_iter().map(|(key, words, _)| (key.to_owned(), words)).collect();
    let after = ACTS.iter().position(|(_, _, act)| *act == Act::Palette).map_or(0, |place| place + 1);
    all.splice(after..after, pages());
    all
}

/// Whether the palette offers it: what makes sense when it is chosen by name.
pub fn is_offered(act: Act) -> bool {
    use Act::*;
    matches!(act, Help | Search | Filter | Add | Edit | Reply | Move | Assign | Priority | Select | NextNeedsYou)
}

/// What is down beside a key, and where the focus is.
#[derive(Clone, Copy, Debug, Default)]
pub struct With {
    /// Ctrl or ⌘.
    pub control: bool,
    /// Alt.
    pub alt: bool,
    /// The focus is where text is written.
    pub typing: bool,
    /// Single letters were switched off.
    pub letters_off: bool,
}

/// Reads a key press. While somebody types, and where letters are switched off, only what can't be text acts.
pub fn read(key: &str, with: With) -> Option<Act> {
    if key == "Escape" {
        return Some(Act::Escape);
    }
    if with.control && !with.alt && key.eq_ignore_ascii_case("k") {
        return Some(Act::Palette);
    }
    if with.control || with.alt || with.typing {
        return None;
    }
    let act = match key {
        "ArrowDown" => return Some(Act::Down),
        "ArrowUp" => return Some(Act::Up),
        "ArrowLeft" => return Some(Act::Left),
        "ArrowRight" => return Some(Act::Right),
        " " => return Some(Act::Lift),
        "?" => Act::Help,
        "/" => Act::Search,
        "f" => Act::Filter,
        "g" => Act::Go,
        "c" => Act::Add,
        "j" => Act::Down,
        "k" => Act::Up,
        "h" => Act::Left,
        "l" => Act::Right,
        "e" => Act::Edit,
        "r" => Act::Reply,
        "m" => Act::Move,
        "a" => Act::Assign,
        "p" => Act::Priority,
        "x" => Act::Select,
        "X" => Act::SelectRange,
        "n" => Act::NextNeedsYou,
        _ => return None,
    };
    (!with.letters_off).then_some(act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_text_while_typing_and_can_be_switched_off() {
        let plain = With::default();
        assert_eq!(read("c", plain), Some(Act::Add));
        assert_eq!(read("c", With { typing: true, ..plain }), None);
        assert_eq!(read("c", With { control: true, ..plain }), None);
        assert_eq!(read("c", With { letters_off: true, ..plain }), None);
        assert_eq!(read("?", With { letters_off: true, ..plain }), None);
        assert_eq!(read("ArrowDown", With { letters_off: true, ..plain }), Some(Act::Down));
        for with in [plain, With { typing: true, ..plain }, With { letters_off: true, ..plain }] {
            assert_eq!(read("Escape", with), Some(Act::Escape));
            assert_eq!(read("k", With { control: true, ..with }), Some(Act::Palette));
        }
    }

    #[test]
    fn the_help_lists_the_pages_that_keys_lead_to() {
        let help = help();
        let at = |key: &str| help.iter().position(|(own, _)| own == key);
        assert!(at("g b") > at("Ctrl K") && at("g a") > at("g b") && at("c") > at("g a"), "{help:?}");
        assert_eq!(read("g", With::default()), Some(Act::Go));
    }

    #[test]
    fn every_act_has_its_line_in_the_help_and_a_key_that_asks_for_it() {
        for (keys, words, act) in ACTS {
            assert!(!words.is_empty());
            let first = keys.split(" or ").next().unwrap();
            let with = With { control: first.starts_with("Ctrl "), ..With::default() };
            let key = match first.trim_start_matches("Ctrl ").split(' ').next().unwrap() {
                "Space" => " ",
                "Esc" => "Escape",
                key => key,
            };
            assert_eq!(read(key, with), Some(act), "{keys}");
        }
    }
}

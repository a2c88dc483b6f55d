//! The keyboard: which key means what, as data, so that the help lists exactly what works.

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Show the keys.
    Help,
    /// Go to the filter.
    Search,
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
    /// Reply on the open card.
    Reply,
    /// Move this card by menu.
    Move,
    /// Change the words of the open card.
    Edit,
    /// Say whom the open card is for.
    Assign,
    /// Change the priority of the open card.
    Priority,
    /// The next card that needs a person.
    NextNeedsYou,
    /// Lift or drop this card.
    Lift,
}

/// Each key with what it does, in the order of the help.
pub const HELP: [(&str, &str); 14] = [
    ("?", "Show these keys"),
    ("/", "Go to the filter"),
    ("c", "Add a task"),
    ("j k or ↓ ↑", "Next and previous card"),
    ("h l or ← →", "Column to the left and right"),
    ("Enter", "Open the card"),
    ("Space", "Lift the card; arrows choose a column, Space drops, Escape cancels"),
    ("m", "Move the card by menu, the open one too"),
    ("r", "Reply on the open card"),
    ("e", "Edit title and spec of the open card"),
    ("a", "Assign the open card"),
    ("p", "Change the open card's priority"),
    ("n", "Next card that needs you"),
    ("Esc", "Close what is on top"),
];

/// Reads a key press. `typing`: the focus is in a field. With Ctrl, Alt or ⌘ nothing here applies.
pub fn read(key: &str, modified: bool, typing: bool) -> Option<Act> {
    if key == "Escape" {
        return Some(Act::Escape);
    }
    if modified || typing {
        return None;
    }
    Some(match key {
        "?" => Act::Help,
        "/" => Act::Search,
        "c" => Act::Add,
        "j" | "ArrowDown" => Act::Down,
        "k" | "ArrowUp" => Act::Up,
        "h" | "ArrowLeft" => Act::Left,
        "l" | "ArrowRight" => Act::Right,
        "r" => Act::Reply,
        "m" => Act::Move,
        "e" => Act::Edit,
        "a" => Act::Assign,
        "p" => Act::Priority,
        "n" => Act::NextNeedsYou,
        " " => Act::Lift,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_text_while_typing() {
        assert_eq!(read("c", false, false), Some(Act::Add));
        assert_eq!(read("c", false, true), None);
        assert_eq!(read("c", true, false), None);
        assert_eq!(read("Escape", false, true), Some(Act::Escape));
    }
}

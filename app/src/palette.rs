//! What the palette offers for what was typed: places, acts, tasks. Pure.

use contracts::view::TaskCard;

/// What choosing a row does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Goes to an address below the base.
    Go(String),
    /// Loads a page below the base.
    Load(&'static str),
    /// Opens a task.
    Open(contracts::TaskId),
    /// Does what a key does.
    Act(crate::keys::Act),
    /// Changes how the page looks.
    Theme(crate::Theme),
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is.
    pub name: String,
    /// What stands behind it: an id, a key.
    pub aside: String,
    /// What it does.
    pub does: Does,
}

/// Rows at most.
const ROWS: usize = 12;

/// How well words fit a name: all must stand in it; the start of a word is better than its middle. Less is better.
fn fits(name: &str, typed: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let mut sum = 0;
    for word in typed.to_lowercase().split_whitespace() {
        let at = name.find(word)?;
        let begins = at == 0 || name[..at].ends_with(|character: char| !character.is_alphanumeric());
        sum += if begins { at.min(50) } else { 100 + at.min(50) };
    }
    Some(sum)
}

/// The rows for what was typed: acts and places first while nothing is typed, then what fits best.
pub fn rows(typed: &str, fixed: &[Row], cards: &[TaskCard]) -> Vec<Row> {
    let mut found: Vec<(usize, Row)> = fixed.iter().filter_map(|row| Some((fits(&row.name, typed)?, row.clone()))).collect();
    if !typed.trim().is_empty() {
        found.extend(cards.iter().filter_map(|card| {
            let score = fits(&format!("{} {}", card.title, card.id), typed)?;
            Some((score + 1, Row { name: card.title.clone(), aside: card.id.to_string(), does: Does::Open(card.id.clone()) }))
        }));
        found.sort_by_key(|(score, _)| *score);
    }
    found.truncate(ROWS);
    found.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::card;

    #[test]
    fn what_fits_best_comes_first() {
        let mut cards = vec![card("tk-4f2a9c"), card("tk-000002")];
        cards[0].title = "Replay stops".into();
        cards[1].title = "Stop the replay".into();
        let fixed = [Row { name: "Add a task".into(), aside: "c".into(), does: Does::Act(crate::keys::Act::Add) }];
        let names = |typed: &str| rows(typed, &fixed, &cards).into_iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names(""), ["Add a task"]);
        assert_eq!(names("replay"), ["Replay stops", "Stop the replay"]);
        assert_eq!(names("stop"), ["Stop the replay", "Replay stops"]);
        assert_eq!(names("4f2a"), ["Replay stops"]);
        assert_eq!(names("add"), ["Add a task"]);
        assert!(names("nothing like it").is_empty());
    }
}
